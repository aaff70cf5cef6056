/* A CUDA driver that plays faults: libcuda.so.1 for the whole tool. Its kernels do nothing. $PLAY says what goes wrong:
 *
 *   hang CALL          the call never comes back
 *   fail CALL          it fails
 *   once CALL          it fails the first time in a process
 *   lose CALL          it fails, and from then on every call
 *   kill CALL          it ends the process
 *
 * $PLAY_ATOMICS is 1 when atomics are atomic to CPUs and other GPUs. There are $PLAY_GPUS devices, else one. */
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cuda/cuda_api.h"

enum { NO_DEVICE = 100, PLAYED = 719 };

static bool lost;

/* Whether a call goes wrong. */
static bool play(const char *call) {
    static bool failed;
    const char *how = getenv("PLAY");
    if (lost || !how || strlen(how) < 6 || strcmp(how + 5, call) != 0) return lost;
    while (strncmp(how, "hang", 4) == 0)
        pause();
    if (strncmp(how, "kill", 4) == 0) raise(SIGKILL);
    lost = strncmp(how, "lose", 4) == 0;
    bool again = failed;
    failed = true;
    return strncmp(how, "once", 4) != 0 || !again;
}

static int number(const char *variable, int otherwise) {
    const char *value = getenv(variable);
    return value ? atoi(value) : otherwise;
}

/* A call that does what it should: the text, or the number, that it leaves. */
#define CALL(fn, symbol, args, ...)                                                                          \
    cu_result played_##fn args __asm__(symbol);                                                              \
    cu_result played_##fn args {                                                                             \
        if (play(#fn)) return PLAYED;                                                                        \
        __VA_ARGS__;                                                                                         \
        return 0;                                                                                            \
    }

CALL(cuDriverGetVersion, "cuDriverGetVersion", (int *version), *version = 13000)
CALL(cuDeviceGetCount, "cuDeviceGetCount", (int *n), *n = number("PLAY_GPUS", 1))
CALL(cuDeviceGet, "cuDeviceGet", (cu_device * device, int index), *device = index)
CALL(cuDeviceGetName, "cuDeviceGetName", (char *name, int size, cu_device device),
     snprintf(name, (size_t)size, "Played %d", device))
CALL(cuDeviceGetUuid, "cuDeviceGetUuid", (unsigned char uuid[16], cu_device device),
     memset(uuid, 0xa0 + device, 16))
CALL(cuDeviceTotalMem, "cuDeviceTotalMem_v2", (size_t * bytes, cu_device device), (void)device,
     *bytes = 1 << 30)
CALL(cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain", (cu_context * context, cu_device device),
     (void)device, *context = calloc(1, 1))
CALL(cuDevicePrimaryCtxRelease, "cuDevicePrimaryCtxRelease_v2", (cu_device device), (void)device)
CALL(cuDeviceCanAccessPeer, "cuDeviceCanAccessPeer", (int *can, cu_device from, cu_device to), (void)from,
     (void)to, *can = 1)
CALL(cuDeviceGetP2PAttribute, "cuDeviceGetP2PAttribute",
     (int *value, int attribute, cu_device from, cu_device to), (void)attribute, (void)from, (void)to,
     *value = number("PLAY_ATOMICS", 0))
CALL(cuCtxEnablePeerAccess, "cuCtxEnablePeerAccess", (cu_context peer, unsigned flags), (void)peer,
     (void)flags)
CALL(cuCtxSetCurrent, "cuCtxSetCurrent", (cu_context context), (void)context)
CALL(cuModuleLoadData, "cuModuleLoadData", (cu_module * module, const void *image), (void)image,
     *module = calloc(1, 1))
CALL(cuModuleUnload, "cuModuleUnload", (cu_module module), free(module))
CALL(cuModuleGetFunction, "cuModuleGetFunction", (cu_function * f, cu_module module, const char *name),
     (void)name, *f = (cu_function)(void *)module)
CALL(cuFuncSetAttribute, "cuFuncSetAttribute", (cu_function f, int attribute, int value), (void)f,
     (void)attribute, (void)value)
CALL(cuFuncGetAttribute, "cuFuncGetAttribute", (int *value, int attribute, cu_function f), (void)attribute,
     (void)f, *value = 1024)
CALL(cuOccupancy, "cuOccupancyMaxActiveBlocksPerMultiprocessor",
     (int *blocks, cu_function f, int threads, size_t shared), (void)f, (void)threads, (void)shared,
     *blocks = 2)
CALL(cuOccupancyClusters, "cuOccupancyMaxActiveClusters",
     (int *clusters, cu_function f, const struct cu_launch_config *config), (void)f, (void)config,
     *clusters = 2)
CALL(cuMemAlloc, "cuMemAlloc_v2", (cu_pointer * p, size_t bytes), *p = (cu_pointer)(size_t)calloc(1, bytes))
CALL(cuMemFree, "cuMemFree_v2", (cu_pointer p), free((void *)(size_t)p))
CALL(cuMemHostAlloc, "cuMemHostAlloc", (void **p, size_t bytes, unsigned flags), (void)flags,
     *p = calloc(1, bytes))
CALL(cuMemFreeHost, "cuMemFreeHost", (void *p), free(p))
CALL(cuMemHostGetDevicePointer, "cuMemHostGetDevicePointer_v2", (cu_pointer * d, void *p, unsigned flags),
     (void)flags, *d = (cu_pointer)(size_t)p)
CALL(cuMemcpyHtoDAsync, "cuMemcpyHtoDAsync_v2", (cu_pointer to, const void *from, size_t bytes, cu_stream s),
     (void)s, memcpy((void *)(size_t)to, from, bytes))
CALL(cuMemcpyDtoHAsync, "cuMemcpyDtoHAsync_v2", (void *to, cu_pointer from, size_t bytes, cu_stream s),
     (void)s, memcpy(to, (const void *)(size_t)from, bytes))
CALL(cuMemsetD8Async, "cuMemsetD8Async", (cu_pointer p, unsigned char v, size_t n, cu_stream s), (void)s,
     memset((void *)(size_t)p, v, n))
CALL(cuMemAddressReserve, "cuMemAddressReserve",
     (cu_pointer * p, size_t bytes, size_t alignment, cu_pointer hint, unsigned long long flags),
     (void)alignment, (void)hint, (void)flags, *p = (cu_pointer)(size_t)calloc(1, bytes))
CALL(cuMemAddressFree, "cuMemAddressFree", (cu_pointer p, size_t bytes), (void)bytes, free((void *)(size_t)p))
CALL(cuMemCreate, "cuMemCreate",
     (cu_memory * memory, size_t bytes, const struct cu_memory_kind *kind, unsigned long long flags),
     (void)kind, (void)flags, *memory = bytes)
CALL(cuMemRelease, "cuMemRelease", (cu_memory memory), (void)memory)
CALL(cuMemMap, "cuMemMap",
     (cu_pointer p, size_t bytes, size_t offset, cu_memory memory, unsigned long long flags), (void)p,
     (void)bytes, (void)offset, (void)memory, (void)flags)
CALL(cuMemUnmap, "cuMemUnmap", (cu_pointer p, size_t bytes), (void)p, (void)bytes)
CALL(cuMemSetAccess, "cuMemSetAccess",
     (cu_pointer p, size_t bytes, const struct cu_memory_access *access, size_t n), (void)p, (void)bytes,
     (void)access, (void)n)
CALL(cuStreamCreate, "cuStreamCreate", (cu_stream * s, unsigned flags), (void)flags, *s = calloc(1, 1))
CALL(cuStreamDestroy, "cuStreamDestroy_v2", (cu_stream s), free(s))
CALL(cuStreamSynchronize, "cuStreamSynchronize", (cu_stream s), (void)s)
CALL(cuStreamWaitEvent, "cuStreamWaitEvent", (cu_stream s, cu_event e, unsigned flags), (void)s, (void)e,
     (void)flags)
CALL(cuEventCreate, "cuEventCreate", (cu_event * e, unsigned flags), (void)flags, *e = calloc(1, 1))
CALL(cuEventDestroy, "cuEventDestroy_v2", (cu_event e), free(e))
CALL(cuEventRecord, "cuEventRecord", (cu_event e, cu_stream s), (void)e, (void)s)
CALL(cuEventSynchronize, "cuEventSynchronize", (cu_event e), (void)e)
CALL(cuEventElapsedTime, "cuEventElapsedTime", (float *ms, cu_event from, cu_event to), (void)from, (void)to,
     *ms = 1)
CALL(cuLaunchKernelEx, "cuLaunchKernelEx",
     (const struct cu_launch_config *config, cu_function f, void **params, void **extra), (void)config,
     (void)f, (void)params, (void)extra)

/* NVRTC calls it, too, in its own processes; those see no devices. */
cu_result played_init(unsigned flags) __asm__("cuInit");
cu_result played_init(unsigned flags) {
    const char *visible = getenv("CUDA_VISIBLE_DEVICES");
    (void)flags;
    if (visible && !*visible) return NO_DEVICE;
    return play("cuInit") ? PLAYED : 0;
}

cu_result played_error_name(cu_result r, const char **name) __asm__("cuGetErrorName");
cu_result played_error_name(cu_result r, const char **name) {
    *name = r == PLAYED ? "CUDA_ERROR_PLAYED" : "CUDA_ERROR_UNKNOWN";
    return 0;
}

cu_result played_error_text(cu_result r, const char **text) __asm__("cuGetErrorString");
cu_result played_error_text(cu_result r, const char **text) {
    *text = r == PLAYED ? "a fault is played" : "unknown";
    return 0;
}

cu_result played_attribute(int *value, int attribute, cu_device device) __asm__("cuDeviceGetAttribute");
cu_result played_attribute(int *value, int attribute, cu_device device) {
    static const struct {
        int attribute, value;
    } values[] = {{CU_ATTR_SM_COUNT, 16},
                  {CU_ATTR_CC_MAJOR, 9},
                  {CU_ATTR_CC_MINOR, 0},
                  {CU_ATTR_MAX_SHARED_PER_BLOCK_OPTIN, 64 << 10},
                  {CU_ATTR_MAX_BLOCKS_PER_SM, 32}};
    (void)device;
    if (play("cuDeviceGetAttribute")) return PLAYED;
    *value = attribute == CU_ATTR_HOST_NATIVE_ATOMICS ? number("PLAY_ATOMICS", 0) : 0;
    for (size_t k = 0; k < sizeof values / sizeof *values; k++)
        if (values[k].attribute == attribute) *value = values[k].value;
    return 0;
}
