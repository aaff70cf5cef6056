#include "driver.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <unistd.h>

#include "machine.h"

enum { LAUNCH_FAILED = 719, GUARD = 4096 };

void (*driver_launched)(const struct launch_args *const *env, int n);
int driver_max_threads;
bool driver_crowded;
const char *driver_failure;

static struct machine_grid pending[MAX_GPUS];
static struct launch_args environments[MAX_GPUS];
static int npending;

/* ---- code: a library for each block, so that each has its own shared variables ---- */

struct cu_function_handle {
    cu_module module;
    char name[32];
};

enum { MAX_FUNCTIONS = 16 };

struct cu_module_handle {
    const char *path;
    void *library[MACHINE_MAX_BLOCKS];
    struct cu_function_handle functions[MAX_FUNCTIONS];
    int nfunctions;
};

static cu_result load(cu_module *module, const void *image) {
    *module = calloc(1, sizeof **module);
    (*module)->path = image;
    return 0;
}

static cu_result unload(cu_module module) {
    for (int b = 0; b < MACHINE_MAX_BLOCKS; b++)
        if (module->library[b]) dlclose(module->library[b]);
    free(module);
    return 0;
}

static cu_result get_function(cu_function *f, cu_module module, const char *name) {
    int n = 0;
    while (n < module->nfunctions && strcmp(module->functions[n].name, name) != 0)
        n++;
    if (n == MAX_FUNCTIONS) return LAUNCH_FAILED;
    module->nfunctions += n == module->nfunctions;
    module->functions[n].module = module;
    snprintf(module->functions[n].name, sizeof module->functions[n].name, "%s", name);
    *f = &module->functions[n];
    return 0;
}

/* The loader takes a file of another name for another library, if it is another file. */
static void *open_copy(const char *path) {
    char copy[PATH_MAX];
    void *library = NULL;
    snprintf(copy, sizeof copy, "%s-XXXXXX", path);
    int from = open(path, O_RDONLY), to = mkstemp(copy);
    off_t bytes = from < 0 ? -1 : lseek(from, 0, SEEK_END);
    if (to >= 0 && sendfile(to, from, &(off_t){0}, (size_t)bytes) == bytes)
        library = dlopen(copy, RTLD_NOW | RTLD_LOCAL);
    if (from >= 0) close(from);
    if (to >= 0) close(to);
    unlink(copy);
    return library;
}

/* ---- launches: they run when they are waited for, all GPUs' together; one behind another one on the same GPU, when that
 * has run ---- */

static bool run_pending(void) {
    driver_failure = machine_run(pending, npending, (unsigned)environments[0].seed);
    npending = 0;
    return !driver_failure;
}

static cu_result launch(const struct cu_launch_config *config, cu_function f, void **params, void **extra) {
    (void)extra;
    const struct launch_args *next = params[0];
    if (npending && environments[npending - 1].gpu == next->gpu && !run_pending()) return LAUNCH_FAILED;
    struct machine_grid *g = &pending[npending];
    cu_module module = f->module;
    environments[npending] = *(const struct launch_args *)params[0];
    *g = (struct machine_grid){.blocks = config->grid[0],
                               .threads = config->block[0],
                               .cluster = 1,
                               .multiprocessors = driver_crowded ? 1 : DRIVER_SMS,
                               .shared_bytes = config->shared_bytes,
                               .env = &environments[npending]};
    if (config->nattributes && config->attributes->id == CU_LAUNCH_CLUSTER)
        g->cluster = config->attributes->value.cluster[0];
    if (config->shared_bytes > DRIVER_SHARED || g->blocks > MACHINE_MAX_BLOCKS) return LAUNCH_FAILED;
    for (unsigned b = 0; b < g->blocks; b++) {
        void **library = &module->library[b];
        if (!*library) *library = open_copy(module->path);
        if (!*library) return LAUNCH_FAILED;
        *(void **)&g->kernel[b] = dlsym(*library, f->name);
        if (!g->kernel[b]) return LAUNCH_FAILED;
        g->shared[b] = ((char *(*)(void))dlsym(*library, "shared_memory"))();
        memset(g->shared[b], 0x5a, MACHINE_WINDOW);
    }
    npending++;
    return 0;
}

static cu_result synchronize(cu_stream s) {
    (void)s;
    const struct launch_args *env[MAX_GPUS];
    int n = npending;
    if (n == 0) return 0;
    if (!run_pending()) return LAUNCH_FAILED;
    for (int i = 0; i < n; i++)
        env[i] = &environments[i];
    driver_launched(env, n);
    return 0;
}

/* ---- memory: with what nobody wrote in it, and a fault behind it ---- */

static size_t whole_pages(size_t bytes) {
    return (bytes + GUARD - 1) / GUARD * GUARD;
}

/* The first page keeps the size of all. */
static void *reserve(size_t bytes) {
    size_t all = whole_pages(bytes) + 2 * GUARD;
    char *p = mmap(NULL, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) return NULL;
    mprotect(p + all - GUARD, GUARD, PROT_NONE);
    memcpy(p, &all, sizeof all);
    char *end = p + all - GUARD;
    return memset(end - (bytes + 15) / 16 * 16, 0x5a, bytes);
}

static cu_result release(void *memory) {
    size_t all;
    char *p = (char *)((uintptr_t)memory / GUARD * GUARD) - GUARD;
    memcpy(&all, p, sizeof all);
    return munmap(p, all);
}

static cu_result mem_alloc(cu_pointer *p, size_t bytes) {
    *p = (cu_pointer)(uintptr_t)reserve(bytes);
    return *p ? 0 : 2;
}

static cu_result mem_free(cu_pointer p) {
    return release((void *)(uintptr_t)p);
}

static cu_result host_alloc(void **p, size_t bytes, unsigned flags) {
    (void)flags;
    *p = reserve(bytes);
    return *p ? 0 : 2;
}

static cu_result host_pointer(cu_pointer *d, void *p, unsigned flags) {
    (void)flags;
    *d = (cu_pointer)(uintptr_t)p;
    return 0;
}

static cu_result copy_in(cu_pointer to, const void *from, size_t bytes, cu_stream s) {
    synchronize(s);
    memcpy((void *)(uintptr_t)to, from, bytes);
    return 0;
}

static cu_result copy_out(void *to, cu_pointer from, size_t bytes, cu_stream s) {
    cu_result r = synchronize(s);
    memcpy(to, (const void *)(uintptr_t)from, bytes);
    return r;
}

static cu_result set_bytes(cu_pointer p, unsigned char v, size_t n, cu_stream s) {
    synchronize(s);
    memset((void *)(uintptr_t)p, v, n);
    return 0;
}

/* ---- the rest ---- */

static cu_result occupancy(int *blocks, cu_function f, int threads, size_t shared) {
    (void)f, (void)threads, (void)shared;
    *blocks = DRIVER_BLOCKS_PER_SM;
    return 0;
}

static cu_result occupancy_clusters(int *clusters, cu_function f, const struct cu_launch_config *config) {
    (void)f;
    *clusters = DRIVER_SMS * DRIVER_BLOCKS_PER_SM / (int)config->grid[0];
    return 0;
}

static cu_result get_max_threads(int *value, int attribute, cu_function f) {
    (void)attribute, (void)f;
    *value = driver_max_threads;
    return 0;
}

static cu_result set_attribute(cu_function f, int attribute, int value) {
    (void)f, (void)attribute, (void)value;
    return 0;
}

static cu_result error_text(cu_result r, const char **text) {
    *text = r == LAUNCH_FAILED && driver_failure ? driver_failure : "error";
    return 0;
}

static cu_result get_device(cu_device *device, int index) {
    *device = index;
    return 0;
}

static cu_result get_context(cu_context *context, cu_device device) {
    *context = (cu_context)(uintptr_t)(device + 1);
    return 0;
}

static cu_result enable_peer(cu_context peer, unsigned flags) {
    (void)peer, (void)flags;
    return 0;
}

static cu_result set_context(cu_context context) {
    (void)context;
    return 0;
}

static cu_result release_context(cu_device device) {
    (void)device;
    return 0;
}

static cu_result create_stream(cu_stream *s, unsigned flags) {
    (void)flags;
    *s = NULL;
    return 0;
}

static cu_result create_event(cu_event *e, unsigned flags) {
    (void)flags;
    *e = NULL;
    return 0;
}

static cu_result record(cu_event e, cu_stream s) {
    (void)e, (void)s;
    return 0;
}

/* Long enough for launches to have few rounds. */
static cu_result elapsed(float *ms, cu_event from, cu_event to) {
    (void)from, (void)to;
    *ms = 1000;
    return 0;
}

const struct cuda_api driver = {
    .cuGetErrorName = error_text,
    .cuGetErrorString = error_text,
    .cuDeviceGet = get_device,
    .cuDevicePrimaryCtxRetain = get_context,
    .cuDevicePrimaryCtxRelease = release_context,
    .cuCtxEnablePeerAccess = enable_peer,
    .cuCtxSetCurrent = set_context,
    .cuModuleLoadData = load,
    .cuModuleUnload = unload,
    .cuModuleGetFunction = get_function,
    .cuFuncSetAttribute = set_attribute,
    .cuFuncGetAttribute = get_max_threads,
    .cuOccupancy = occupancy,
    .cuOccupancyClusters = occupancy_clusters,
    .cuMemAlloc = mem_alloc,
    .cuMemFree = mem_free,
    .cuMemHostAlloc = host_alloc,
    .cuMemFreeHost = release,
    .cuMemHostGetDevicePointer = host_pointer,
    .cuMemcpyHtoDAsync = copy_in,
    .cuMemcpyDtoHAsync = copy_out,
    .cuMemsetD8Async = set_bytes,
    .cuStreamCreate = create_stream,
    .cuStreamSynchronize = synchronize,
    .cuEventCreate = create_event,
    .cuEventRecord = record,
    .cuEventElapsedTime = elapsed,
    .cuLaunchKernelEx = launch,
};
