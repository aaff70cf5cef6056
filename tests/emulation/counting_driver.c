/* A CUDA driver that runs nothing: what a kernel would have left in memory are numbers that grow with each launch. Its
 * GPU has compute capability 9.0, or what $COUNTING_CC says; $COUNTING_FAILS names the launch that fails. */
#include <stdlib.h>
#include <string.h>

#include "cuda/cuda_api.h"

enum { A_LAUNCH = 1234567, LAUNCH_FAILED = 719 };

static int launches;

static int from_environment(const char *name, int otherwise) {
    const char *text = getenv(name);
    return text ? atoi(text) : otherwise;
}

static cu_result is_one(int *value) {
    *value = 1;
    return 0;
}

static cu_result name_device(char *name, int size) {
    strncpy(name, "Counting GPU", (size_t)size);
    return 0;
}

static cu_result name_error(const char **text) {
    *text = "error of the counting driver";
    return 0;
}

static cu_result get_attribute(int *value, int attribute) {
    int cc = from_environment("COUNTING_CC", 90);
    *value = attribute == CU_ATTR_CC_MAJOR ? cc / 10 : attribute == CU_ATTR_CC_MINOR ? cc % 10 : 4;
    return 0;
}

static cu_result allocate(void **p, size_t bytes) {
    *p = malloc(bytes);
    return *p ? 0 : 2;
}

static cu_result allocate_device(cu_pointer *p, size_t bytes) {
    (void)bytes;
    *p = 4096;
    return 0;
}

static cu_result launch(void) {
    return ++launches == from_environment("COUNTING_FAILS", -1) ? LAUNCH_FAILED : 0;
}

static cu_result copy_out(int *to, size_t bytes) {
    for (size_t k = 0; k < bytes / sizeof *to; k++)
        to[k] = A_LAUNCH * launches;
    return 0;
}

static cu_result release(void *p) {
    free(p);
    return 0;
}

static cu_result give(void **handle) {
    *handle = &launches;
    return 0;
}

/* NVRTC asks for the driver, too, and then for tables that nobody describes. Its processes see no devices. */
static cu_result initialise(void) {
    const char *visible = getenv("CUDA_VISIBLE_DEVICES");
    return visible && !*visible ? 100 : 0;
}

static cu_result nothing(void) {
    return 0;
}

/* The functions of the driver, with the arguments that matter here. */
#define ANSWER(symbol, args, answer)                                                                         \
    cu_result fake_##symbol args __asm__(#symbol);                                                           \
    cu_result fake_##symbol args {                                                                           \
        return answer;                                                                                       \
    }
#define NOTHING(symbol) ANSWER(symbol, (void), nothing())

ANSWER(cuInit, (void), initialise())
NOTHING(cuDeviceGet)
NOTHING(cuDeviceGetUuid)
NOTHING(cuDevicePrimaryCtxRelease_v2)
NOTHING(cuDeviceCanAccessPeer)
NOTHING(cuDeviceGetP2PAttribute)
NOTHING(cuCtxEnablePeerAccess)
NOTHING(cuCtxSetCurrent)
NOTHING(cuModuleUnload)
NOTHING(cuFuncSetAttribute)
NOTHING(cuFuncGetAttribute)
NOTHING(cuOccupancyMaxActiveBlocksPerMultiprocessor)
NOTHING(cuOccupancyMaxActiveClusters)
NOTHING(cuMemFree_v2)
NOTHING(cuMemHostGetDevicePointer_v2)
NOTHING(cuMemcpyHtoDAsync_v2)
NOTHING(cuMemsetD8Async)
NOTHING(cuMemAddressReserve)
NOTHING(cuMemAddressFree)
NOTHING(cuMemCreate)
NOTHING(cuMemRelease)
NOTHING(cuMemMap)
NOTHING(cuMemUnmap)
NOTHING(cuMemSetAccess)
NOTHING(cuStreamDestroy_v2)
NOTHING(cuStreamSynchronize)
NOTHING(cuStreamWaitEvent)
NOTHING(cuEventDestroy_v2)
NOTHING(cuEventRecord)
NOTHING(cuEventSynchronize)
NOTHING(cuEventElapsedTime)
ANSWER(cuDriverGetVersion, (int *version), is_one(version))
ANSWER(cuDeviceGetCount, (int *n), is_one(n))
ANSWER(cuGetErrorName, (cu_result r, const char **text), ((void)r, name_error(text)))
ANSWER(cuGetErrorString, (cu_result r, const char **text), ((void)r, name_error(text)))
ANSWER(cuDeviceGetName, (char *name, int size), name_device(name, size))
ANSWER(cuDeviceGetAttribute, (int *value, int attribute), get_attribute(value, attribute))
ANSWER(cuDeviceTotalMem_v2, (size_t * bytes), (*bytes = 1 << 30, 0))
ANSWER(cuDevicePrimaryCtxRetain, (void **context), give(context))
ANSWER(cuModuleLoadData, (void **module), give(module))
ANSWER(cuModuleGetFunction, (void **f), give(f))
ANSWER(cuStreamCreate, (void **s), give(s))
ANSWER(cuEventCreate, (void **e), give(e))
ANSWER(cuMemAlloc_v2, (cu_pointer * p, size_t bytes), allocate_device(p, bytes))
ANSWER(cuMemHostAlloc, (void **p, size_t bytes), allocate(p, bytes))
ANSWER(cuMemFreeHost, (void *p), release(p))
ANSWER(cuMemcpyDtoHAsync_v2, (int *to, cu_pointer from, size_t bytes), ((void)from, copy_out(to, bytes)))
ANSWER(cuLaunchKernelEx, (void), launch())
