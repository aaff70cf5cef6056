/* A CUDA driver that succeeds at whatever it is asked for and does nothing. The memory of its one GPU is the host's. A
 * test copies the table, and puts in what it plays or looks at itself. */
#ifndef CULITMUS_TESTS_FAKE_CUDA_H
#define CULITMUS_TESTS_FAKE_CUDA_H

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "cm.h"
#include "cuda/cuda_api.h"

enum { OUT_OF_MEMORY = 2 }; /* a cu_result */

/* What handles point to. */
static char fake_handle;

static cu_result fake_error(cu_result r, const char **text) {
    *text = r == OUT_OF_MEMORY ? "out of memory" : "another error";
    return 0;
}

static cu_result fake_device(cu_device *device, int index) {
    *device = index;
    return 0;
}

static cu_result fake_retain(cu_context *context, cu_device device) {
    (void)device;
    *context = (cu_context)&fake_handle;
    return 0;
}

static cu_result fake_release(cu_device device) {
    (void)device;
    return 0;
}

static cu_result fake_set_current(cu_context context) {
    (void)context;
    return 0;
}

static cu_result fake_load(cu_module *module, const void *image) {
    (void)image;
    *module = (cu_module)&fake_handle;
    return 0;
}

static cu_result fake_unload(cu_module module) {
    (void)module;
    return 0;
}

static cu_result fake_function(cu_function *f, cu_module module, const char *name) {
    (void)module, (void)name;
    *f = (cu_function)&fake_handle;
    return 0;
}

static cu_result fake_set_attribute(cu_function f, int attribute, int value) {
    (void)f, (void)attribute, (void)value;
    return 0;
}

static cu_result fake_most_threads(int *value, int attribute, cu_function f) {
    (void)f;
    assert_int_equal(attribute, CU_FUNC_MAX_THREADS);
    *value = 1024;
    return 0;
}

/* As many blocks as there is room for threads, but no more than 32. */
static cu_result fake_occupancy(int *blocks, cu_function f, int threads, size_t shared) {
    (void)f, (void)shared;
    *blocks = threads > 64 ? 2048 / threads : 32;
    return 0;
}

/* What nobody touches takes no room. A sanitizer would mark each byte of it: it does not see what is vast. */
static struct fake_vast {
    void *p;
    size_t bytes;
} fake_vast[16];

static cu_result fake_allocate_vast(cu_pointer *p, size_t bytes) {
    struct fake_vast *slot = fake_vast;
    while (slot->p)
        assert_true(++slot < fake_vast + sizeof fake_vast / sizeof *fake_vast);
    void *found =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (found == MAP_FAILED) return OUT_OF_MEMORY;
    *slot = (struct fake_vast){found, bytes};
    *p = (cu_pointer)(uintptr_t)found;
    return 0;
}

static cu_result fake_allocate(cu_pointer *p, size_t bytes) {
    if (bytes >= (size_t)256 << 20) return fake_allocate_vast(p, bytes);
    *p = (cu_pointer)(uintptr_t)calloc(1, bytes);
    return *p ? 0 : OUT_OF_MEMORY;
}

static cu_result fake_free(cu_pointer p) {
    for (size_t k = 0; p && k < sizeof fake_vast / sizeof *fake_vast; k++)
        if (fake_vast[k].p == (void *)(uintptr_t)p) {
            assert_int_equal(munmap(fake_vast[k].p, fake_vast[k].bytes), 0);
            fake_vast[k] = (struct fake_vast){0};
            return 0;
        }
    free((void *)(uintptr_t)p);
    return 0;
}

static cu_result fake_allocate_host(void **p, size_t bytes, unsigned flags) {
    (void)flags;
    *p = calloc(1, bytes);
    return *p ? 0 : OUT_OF_MEMORY;
}

static cu_result fake_free_host(void *p) {
    free(p);
    return 0;
}

/* A range of addresses has memory from the start. */
static cu_result fake_reserve_range(cu_pointer *p, size_t bytes, size_t alignment, cu_pointer hint,
                                    unsigned long long flags) {
    (void)alignment, (void)hint, (void)flags;
    return fake_allocate(p, bytes);
}

static cu_result fake_free_range(cu_pointer p, size_t bytes) {
    (void)bytes;
    return fake_free(p);
}

static cu_result fake_create_memory(cu_memory *memory, size_t bytes, const struct cu_memory_kind *kind,
                                    unsigned long long flags) {
    (void)kind, (void)flags;
    *memory = bytes;
    return 0;
}

static cu_result fake_release_memory(cu_memory memory) {
    (void)memory;
    return 0;
}

static cu_result fake_map(cu_pointer p, size_t bytes, size_t offset, cu_memory memory,
                          unsigned long long flags) {
    (void)p, (void)offset, (void)flags;
    assert_int_equal(bytes, memory);
    return 0;
}

static cu_result fake_unmap(cu_pointer p, size_t bytes) {
    (void)p, (void)bytes;
    return 0;
}

static cu_result fake_set_access(cu_pointer p, size_t bytes, const struct cu_memory_access *access,
                                 size_t n) {
    (void)p, (void)bytes;
    assert_true(n == 1 && access->from.type == CU_MEMORY_OF_DEVICE && access->flags == CU_MEMORY_READ_WRITE);
    return 0;
}

static cu_result fake_copy_in(cu_pointer to, const void *from, size_t bytes, cu_stream stream) {
    (void)stream;
    memcpy((void *)(uintptr_t)to, from, bytes);
    return 0;
}

static cu_result fake_copy_out(void *to, cu_pointer from, size_t bytes, cu_stream stream) {
    (void)stream;
    memcpy(to, (const void *)(uintptr_t)from, bytes);
    return 0;
}

static cu_result fake_set_bytes(cu_pointer p, unsigned char v, size_t n, cu_stream stream) {
    (void)stream;
    memset((void *)(uintptr_t)p, v, n);
    return 0;
}

static cu_result fake_create_stream(cu_stream *stream, unsigned flags) {
    (void)flags;
    *stream = (cu_stream)&fake_handle;
    return 0;
}

static cu_result fake_stream(cu_stream stream) {
    (void)stream;
    return 0;
}

static cu_result fake_let_wait(cu_stream stream, cu_event event, unsigned flags) {
    (void)stream, (void)event, (void)flags;
    return 0;
}

static cu_result fake_create_event(cu_event *event, unsigned flags) {
    (void)flags;
    *event = (cu_event)&fake_handle;
    return 0;
}

static cu_result fake_destroy_event(cu_event event) {
    (void)event;
    return 0;
}

static cu_result fake_record(cu_event event, cu_stream stream) {
    (void)event, (void)stream;
    return 0;
}

static const struct cuda_api fake_cuda = {.cuGetErrorName = fake_error,
                                          .cuGetErrorString = fake_error,
                                          .cuDeviceGet = fake_device,
                                          .cuDevicePrimaryCtxRetain = fake_retain,
                                          .cuDevicePrimaryCtxRelease = fake_release,
                                          .cuCtxSetCurrent = fake_set_current,
                                          .cuModuleLoadData = fake_load,
                                          .cuModuleUnload = fake_unload,
                                          .cuModuleGetFunction = fake_function,
                                          .cuFuncSetAttribute = fake_set_attribute,
                                          .cuFuncGetAttribute = fake_most_threads,
                                          .cuOccupancy = fake_occupancy,
                                          .cuMemAlloc = fake_allocate,
                                          .cuMemFree = fake_free,
                                          .cuMemHostAlloc = fake_allocate_host,
                                          .cuMemFreeHost = fake_free_host,
                                          .cuMemAddressReserve = fake_reserve_range,
                                          .cuMemAddressFree = fake_free_range,
                                          .cuMemCreate = fake_create_memory,
                                          .cuMemRelease = fake_release_memory,
                                          .cuMemMap = fake_map,
                                          .cuMemUnmap = fake_unmap,
                                          .cuMemSetAccess = fake_set_access,
                                          .cuMemcpyHtoDAsync = fake_copy_in,
                                          .cuMemcpyDtoHAsync = fake_copy_out,
                                          .cuMemsetD8Async = fake_set_bytes,
                                          .cuStreamCreate = fake_create_stream,
                                          .cuStreamDestroy = fake_stream,
                                          .cuStreamSynchronize = fake_stream,
                                          .cuStreamWaitEvent = fake_let_wait,
                                          .cuEventCreate = fake_create_event,
                                          .cuEventDestroy = fake_destroy_event,
                                          .cuEventRecord = fake_record};

#endif
