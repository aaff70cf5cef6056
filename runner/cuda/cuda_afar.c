#include "cuda/cuda_afar.h"

#include <stdlib.h>

#include "base/memory.h"

enum {
    TABLE_BYTES = 2 << 20, /* of the table of lines of a launch */
    TABLES_BYTES = GPU_SLOTS * TABLE_BYTES,
    BEFORE_LOCATIONS = AFAR_HOST_BYTES + TABLES_BYTES,
    PART = 16, /* at most one such part of the GPU's memory */
    UNIT = 2 << 20
};
static const size_t MOST_LOCATION_BYTES = (size_t)4 << 30;

static size_t location_bytes(const struct cuda_device *dev) {
    size_t bytes = dev->memory / PART / UNIT * UNIT;
    return bytes < MOST_LOCATION_BYTES ? bytes : MOST_LOCATION_BYTES;
}

/* The range has three parts: the host's memory, the tables, and the GPU's memory for locations. */
static size_t range_bytes(const struct cuda_device *dev) {
    return BEFORE_LOCATIONS + location_bytes(dev);
}

/* Maps new memory at an address of the range, for the GPU. The memory is freed when it is unmapped. */
static bool put_memory(const struct cuda_device *dev, cu_pointer at, size_t bytes,
                       struct cu_memory_place where, struct diag *d) {
    const struct cuda_api *cu = dev->cu;
    struct cu_memory_kind kind = {.type = CU_MEMORY_PINNED, .place = where};
    struct cu_memory_access access = {{CU_MEMORY_OF_DEVICE, dev->gpu[0].device}, CU_MEMORY_READ_WRITE};
    cu_memory memory = 0;
    if (!CUDA_TRY(cu, d, cuMemCreate(&memory, bytes, &kind, 0))) return false;
    bool fine = CUDA_TRY(cu, d, cuMemMap(at, bytes, 0, memory, 0));
    cu->cuMemRelease(memory);
    if (!fine) return false;
    fine = CUDA_TRY(cu, d, cuMemSetAccess(at, bytes, &access, 1));
    if (!fine) cu->cuMemUnmap(at, bytes);
    return fine;
}

/* Maps the whole range. On failure the caller unmaps what is there. */
static bool put_all(struct cuda_device *dev, struct diag *d) {
    const struct cuda_api *cu = dev->cu;
    struct device_afar *f = &dev->afar;
    struct cu_memory_place host = {CU_MEMORY_OF_HOST_NODE, 0},
                           gpu = {CU_MEMORY_OF_DEVICE, dev->gpu[0].device};
    if (!CUDA_TRY(cu, d, cuStreamCreate(&f->stream, CU_STREAM_NON_BLOCKING)) ||
        !CUDA_TRY(cu, d, cuMemAddressReserve(&f->range, range_bytes(dev), 0, 0, 0)))
        return false;
    if (!put_memory(dev, f->range, AFAR_HOST_BYTES, host, d)) return false;
    f->mapped = AFAR_HOST_BYTES;
    if (!put_memory(dev, f->range + AFAR_HOST_BYTES, range_bytes(dev) - AFAR_HOST_BYTES, gpu, d))
        return false;
    f->mapped = range_bytes(dev);
    return true;
}

void afar_forget(struct cuda_device *dev) {
    const struct cuda_api *cu = dev->cu;
    struct device_afar *f = &dev->afar;
    if (f->range || f->stream) cu->cuCtxSetCurrent(dev->gpu[0].context);
    if (f->mapped > AFAR_HOST_BYTES) cu->cuMemUnmap(f->range + AFAR_HOST_BYTES, f->mapped - AFAR_HOST_BYTES);
    if (f->mapped > 0) cu->cuMemUnmap(f->range, AFAR_HOST_BYTES);
    if (f->range) cu->cuMemAddressFree(f->range, range_bytes(dev));
    if (f->stream) cu->cuStreamDestroy(f->stream);
    *f = (struct device_afar){0};
}

/* Whether the range is mapped. Tries once; if the driver fails, there is none. */
static bool is_there(struct cuda_device *dev) {
    struct diag d = {0};
    bool fits = location_bytes(dev) >= AFAR_HOST_BYTES;
    if (!dev->afar.known && (!fits || !put_all(dev, &d))) afar_forget(dev);
    dev->afar.known = true;
    diag_free(&d);
    return dev->afar.mapped == range_bytes(dev);
}

int afar_words(const struct cuda_device *dev) {
    return (int)(location_bytes(dev) / sizeof(int));
}

static bool has_room(const struct launch_args *e, int elements) {
    long long words = 2LL * e->batch * elements * e->near_lines * NEAR_WORDS;
    return words * (long long)sizeof(int) <= AFAR_HOST_BYTES &&
           (size_t)elements * (size_t)e->near_lines * sizeof(int) <= TABLE_BYTES;
}

/* Returns which elements are in the host's memory: bit n is element n. */
static unsigned far_elements(const struct cuda_kernel *k, const struct cuda_environment *set) {
    unsigned all = 0;
    for (int n = 0; n < 2; n++)
        if (set->afar >> n & 1 && k->cold[n] >= 0) all |= 1u << k->cold[n];
    return all;
}

void afar_make_room(const struct cuda_kernel *k, struct cuda_environment *set, struct launch_args *e) {
    const struct shape *sh = &k->shape;
    if (set->afar <= 0) return;
    e->near_lines = (int)(((long long)e->instances * e->stride + set->pad) / NEAR_WORDS) + 1;
    if (NEAR_WORDS % e->stride != 0 || sh->arrays || sh->shared_elements > 0 ||
        sh->global_elements * k->t->nthreads > MAX_KEPT || !has_room(e, sh->global_elements) ||
        far_elements(k, set) == 0 || !is_there(k->dev)) {
        e->near_lines = set->afar = 0;
        return;
    }
    e->pad = e->near_lines * NEAR_WORDS - e->instances * e->stride;
}

bool afar_lay_out(const struct cuda_kernel *k, const struct cuda_environment *set, struct launch_args *e,
                  struct diag *d) {
    const struct cuda_api *cu = k->dev->cu;
    struct device_afar *f = &k->dev->afar;
    if (set->afar <= 0) return true;
    int elements = k->shape.global_elements, n = elements * e->near_lines;
    unsigned afar = far_elements(k, set);
    int *to = memory_new((size_t)n, sizeof *to);
    for (int i = 0; i < n; i++) {
        int element = i / e->near_lines;
        to[i] = i * NEAR_WORDS - (afar >> element & 1 ? BEFORE_LOCATIONS / (int)sizeof *to : 0);
    }
    cu_pointer table = f->range + AFAR_HOST_BYTES + (f->turn++ % GPU_SLOTS) * (cu_pointer)TABLE_BYTES;
    bool fine = CUDA_TRY(cu, d, cuMemcpyHtoDAsync(table, to, (size_t)n * sizeof *to, f->stream)) &&
                CUDA_TRY(cu, d, cuStreamSynchronize(f->stream));
    free(to);
    e->lines = (const int *)(uintptr_t)table;
    e->global[0] = (int *)(uintptr_t)(f->range + BEFORE_LOCATIONS);
    return fine;
}
