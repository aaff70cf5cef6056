/* The CUDA driver's API, loaded at run time: the tool builds and starts where the driver is not installed.
 *
 * Only the functions in use are declared, with the types of the ABI of CUDA 12 and 13. The table is filled
 * once, under a lock. */
#ifndef CULITMUS_CUDA_API_H
#define CULITMUS_CUDA_API_H

#include <stdbool.h>
#include <stddef.h>

#include "base/diag.h"

typedef int cu_result;
typedef int cu_device;
typedef unsigned long long cu_pointer;
typedef struct cu_context_handle *cu_context;
typedef struct cu_module_handle *cu_module;
typedef struct cu_function_handle *cu_function;
typedef struct cu_stream_handle *cu_stream;
typedef struct cu_event_handle *cu_event;
typedef unsigned long long cu_memory; /* CUmemGenericAllocationHandle */

enum {
    CU_LAUNCH_COOPERATIVE = 2,
    CU_LAUNCH_CLUSTER = 4,
    CU_LAUNCH_PROGRAMMATIC = 6 /* ..._STREAM_SERIALIZATION */
};
struct cu_launch_attribute { /* CUlaunchAttribute */
    int id, pad;
    union {
        char bytes[64];
        int cooperative;
        unsigned cluster[3];
        int programmatic;
    } value;
};
struct cu_launch_config { /* CUlaunchConfig */
    unsigned grid[3], block[3], shared_bytes;
    cu_stream stream;
    struct cu_launch_attribute *attributes;
    unsigned nattributes;
};

/* CUdevice_attribute, CUfunction_attribute */
enum {
    CU_ATTR_SM_COUNT = 16,
    CU_ATTR_CC_MAJOR = 75,
    CU_ATTR_CC_MINOR = 76,
    CU_ATTR_HOST_NATIVE_ATOMICS = 86,
    CU_ATTR_MAX_SHARED_PER_BLOCK_OPTIN = 97,
    CU_ATTR_MAX_BLOCKS_PER_SM = 106,
    CU_ATTR_MAPS_HOST_MEMORY = 141 /* ..._HOST_NUMA_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED */
};
enum { CU_P2P_NATIVE_ATOMICS = 3 }; /* CUdevice_P2PAttribute */
enum { CU_FUNC_MAX_THREADS = 0, CU_FUNC_MAX_DYNAMIC_SHARED = 8 };
enum { CU_PEER_ACCESS_ALREADY_ENABLED = 704 }; /* a cu_result */
enum { CU_HOST_ALLOC_PORTABLE = 1, CU_HOST_ALLOC_MAPPED = 2, CU_STREAM_NON_BLOCKING = 1 };

/* Memory that is mapped at a chosen address: CUmemLocation, CUmemAllocationProp, CUmemAccessDesc. */
enum { CU_MEMORY_OF_DEVICE = 1, CU_MEMORY_OF_HOST_NODE = 3, CU_MEMORY_PINNED = 1, CU_MEMORY_READ_WRITE = 3 };
struct cu_memory_place {
    int type, id;
};
struct cu_memory_kind {
    int type, handles;
    struct cu_memory_place place;
    void *windows;
    unsigned char flags[8];
};
struct cu_memory_access {
    struct cu_memory_place from;
    int flags;
};

#define CUDA_FUNCTIONS(F)                                                                                    \
    F(cuInit, "cuInit", (unsigned flags))                                                                    \
    F(cuDriverGetVersion, "cuDriverGetVersion", (int *version))                                              \
    F(cuGetErrorName, "cuGetErrorName", (cu_result r, const char **name))                                    \
    F(cuGetErrorString, "cuGetErrorString", (cu_result r, const char **text))                                \
    F(cuDeviceGetCount, "cuDeviceGetCount", (int *n))                                                        \
    F(cuDeviceGet, "cuDeviceGet", (cu_device * device, int index))                                           \
    F(cuDeviceGetName, "cuDeviceGetName", (char *name, int size, cu_device device))                          \
    F(cuDeviceGetUuid, "cuDeviceGetUuid", (unsigned char uuid[16], cu_device device))                        \
    F(cuDeviceGetAttribute, "cuDeviceGetAttribute", (int *value, int attribute, cu_device device))           \
    F(cuDeviceTotalMem, "cuDeviceTotalMem_v2", (size_t * bytes, cu_device device))                           \
    F(cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain", (cu_context * context, cu_device device))        \
    F(cuDevicePrimaryCtxRelease, "cuDevicePrimaryCtxRelease_v2", (cu_device device))                         \
    F(cuDeviceCanAccessPeer, "cuDeviceCanAccessPeer", (int *can, cu_device from, cu_device to))              \
    F(cuDeviceGetP2PAttribute, "cuDeviceGetP2PAttribute",                                                    \
      (int *value, int attribute, cu_device from, cu_device to))                                             \
    F(cuCtxEnablePeerAccess, "cuCtxEnablePeerAccess", (cu_context peer, unsigned flags))                     \
    F(cuCtxSetCurrent, "cuCtxSetCurrent", (cu_context context))                                              \
    F(cuModuleLoadData, "cuModuleLoadData", (cu_module * module, const void *image))                         \
    F(cuModuleUnload, "cuModuleUnload", (cu_module module))                                                  \
    F(cuModuleGetFunction, "cuModuleGetFunction", (cu_function * f, cu_module module, const char *name))     \
    F(cuFuncSetAttribute, "cuFuncSetAttribute", (cu_function f, int attribute, int value))                   \
    F(cuFuncGetAttribute, "cuFuncGetAttribute", (int *value, int attribute, cu_function f))                  \
    F(cuOccupancy, "cuOccupancyMaxActiveBlocksPerMultiprocessor",                                            \
      (int *blocks, cu_function f, int threads, size_t shared))                                              \
    F(cuOccupancyClusters, "cuOccupancyMaxActiveClusters",                                                   \
      (int *clusters, cu_function f, const struct cu_launch_config *config))                                 \
    F(cuMemAlloc, "cuMemAlloc_v2", (cu_pointer * p, size_t bytes))                                           \
    F(cuMemFree, "cuMemFree_v2", (cu_pointer p))                                                             \
    F(cuMemHostAlloc, "cuMemHostAlloc", (void **p, size_t bytes, unsigned flags))                            \
    F(cuMemFreeHost, "cuMemFreeHost", (void *p))                                                             \
    F(cuMemHostGetDevicePointer, "cuMemHostGetDevicePointer_v2", (cu_pointer * d, void *p, unsigned flags))  \
    F(cuMemAddressReserve, "cuMemAddressReserve",                                                            \
      (cu_pointer * p, size_t bytes, size_t alignment, cu_pointer hint, unsigned long long flags))           \
    F(cuMemAddressFree, "cuMemAddressFree", (cu_pointer p, size_t bytes))                                    \
    F(cuMemCreate, "cuMemCreate",                                                                            \
      (cu_memory * memory, size_t bytes, const struct cu_memory_kind *kind, unsigned long long flags))       \
    F(cuMemRelease, "cuMemRelease", (cu_memory memory))                                                      \
    F(cuMemMap, "cuMemMap",                                                                                  \
      (cu_pointer p, size_t bytes, size_t offset, cu_memory memory, unsigned long long flags))               \
    F(cuMemUnmap, "cuMemUnmap", (cu_pointer p, size_t bytes))                                                \
    F(cuMemSetAccess, "cuMemSetAccess",                                                                      \
      (cu_pointer p, size_t bytes, const struct cu_memory_access *access, size_t n))                         \
    F(cuMemcpyHtoDAsync, "cuMemcpyHtoDAsync_v2",                                                             \
      (cu_pointer to, const void *from, size_t bytes, cu_stream s))                                          \
    F(cuMemcpyDtoHAsync, "cuMemcpyDtoHAsync_v2", (void *to, cu_pointer from, size_t bytes, cu_stream s))     \
    F(cuMemsetD8Async, "cuMemsetD8Async", (cu_pointer p, unsigned char v, size_t n, cu_stream s))            \
    F(cuStreamCreate, "cuStreamCreate", (cu_stream * s, unsigned flags))                                     \
    F(cuStreamDestroy, "cuStreamDestroy_v2", (cu_stream s))                                                  \
    F(cuStreamSynchronize, "cuStreamSynchronize", (cu_stream s))                                             \
    F(cuStreamWaitEvent, "cuStreamWaitEvent", (cu_stream s, cu_event e, unsigned flags))                     \
    F(cuEventCreate, "cuEventCreate", (cu_event * e, unsigned flags))                                        \
    F(cuEventDestroy, "cuEventDestroy_v2", (cu_event e))                                                     \
    F(cuEventRecord, "cuEventRecord", (cu_event e, cu_stream s))                                             \
    F(cuEventSynchronize, "cuEventSynchronize", (cu_event e))                                                \
    F(cuEventElapsedTime, "cuEventElapsedTime", (float *ms, cu_event from, cu_event to))                     \
    F(cuLaunchKernelEx, "cuLaunchKernelEx",                                                                  \
      (const struct cu_launch_config *config, cu_function f, void **params, void **extra))

#define DECLARE(name, symbol, args) cu_result(*name) args;
struct cuda_api {
    CUDA_FUNCTIONS(DECLARE)
};
#undef DECLARE

/* Returns the loaded table, after cuInit. NULL, and an error that says what was looked for, when the driver
 * is not there. */
const struct cuda_api *cuda_api_load(struct diag *d);

/* Calls a function of the table. True if the call succeeded; otherwise `d` gets an error with the call's text
 * and the driver's name for the error. */
#define CUDA_TRY(cu, d, call) cuda_check(cu, d, (cu)->call, #call)
bool cuda_check(const struct cuda_api *cu, struct diag *d, cu_result r, const char *call);

#endif
