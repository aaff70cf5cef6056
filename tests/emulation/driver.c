#include "driver.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <unistd.h>

#include "machine.h"
#include "memory.h"

enum { LAUNCH_FAILED = 719, NOT_READY = 600 };

void (*driver_launched)(const struct launch_args *const *env, int n);
int driver_max_threads;
bool driver_crowded;
const char *driver_failure;

/* ---- code: a library for each block of each kernel of a stream, so that each has its own shared variables ---- */

struct cu_function_handle {
    cu_module module;
    char name[32];
};

enum { MAX_FUNCTIONS = 16 };

struct cu_module_handle {
    const char *path;
    void *library[MACHINE_MAX_GRIDS][MACHINE_MAX_BLOCKS];
    struct cu_function_handle functions[MAX_FUNCTIONS];
    int nfunctions;
};

static cu_result load(cu_module *module, const void *image) {
    *module = calloc(1, sizeof **module);
    (*module)->path = image;
    return 0;
}

enum todo_kind { TODO_LAUNCH, TODO_SET, TODO_COPY, TODO_EVENT, TODO_WAIT };

/* What was asked for and was not waited for yet. */
struct todo {
    enum todo_kind kind;
    cu_stream stream;
    struct machine_grid grid;
    struct launch_args env;
    char *to, *own; /* own: a copy of what comes from the host */
    const char *from;
    size_t bytes;
    unsigned char value;
    cu_event event;
};

enum { MAX_TODO = 1024 };
static struct todo queue[MAX_TODO];
static int nqueue;

/* A launch may use what is given back. */
void driver_expect_idle(const char *call) {
    if (nqueue == 0) return;
    fprintf(stderr, "%s while a launch is under way\n", call);
    abort();
}

static cu_result unload(cu_module module) {
    driver_expect_idle("cuModuleUnload");
    for (int n = 0; n < MACHINE_MAX_GRIDS; n++)
        for (int b = 0; b < MACHINE_MAX_BLOCKS; b++)
            if (module->library[n][b]) dlclose(module->library[n][b]);
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

/* ---- a queue: what is asked for happens when it is waited for, in this order ---- */

/* Launches on several GPUs run together, and on one those that depend on the one before. */
struct launch_group {
    struct machine_grid grids[MACHINE_MAX_GRIDS];
    const struct launch_args *env[MACHINE_MAX_GRIDS];
    int n;
};

/* The number of the first thing from number k on that is neither an event nor a wait for one. */
static int skip_events(int k, int end) {
    while (k < end && (queue[k].kind == TODO_EVENT || queue[k].kind == TODO_WAIT))
        k++;
    return k;
}

/* Gathers what runs together, from number k on. Returns the number of what follows. */
static int gather(int k, int end, struct launch_group *g) {
    g->n = 0;
    for (int next; (next = skip_events(k, end)) < end && queue[next].kind == TODO_LAUNCH; k = next + 1) {
        const struct todo *t = &queue[next];
        if (g->n && g->env[g->n - 1]->gpu == t->env.gpu && !t->grid.dependent) break;
        g->grids[g->n] = t->grid;
        g->grids[g->n].env = g->env[g->n] = &t->env;
        g->n++;
    }
    return k;
}

static void clear_shared(const struct machine_grid *g) {
    for (unsigned b = 0; b < g->blocks; b++)
        memset(g->shared[b], 0x5a, MACHINE_WINDOW);
}

/* Where launches follow each other on a GPU, the last one is told of. Returns the number of what follows, 0 after a
 * failure. */
static int run_launches(int k, int end) {
    struct launch_group g;
    int next = gather(k, end, &g), after = skip_events(next, nqueue);
    for (int i = 0; i < g.n; i++)
        clear_shared(&g.grids[i]);
    driver_failure = machine_run(g.grids, g.n, (unsigned)g.env[0]->seed);
    if (driver_failure) return 0;
    if (after == nqueue || queue[after].kind != TODO_LAUNCH) driver_launched(g.env, g.n);
    return next;
}

static void forget(int n) {
    for (int k = 0; k < n; k++)
        free(queue[k].own);
    memmove(queue, queue + n, (size_t)(nqueue - n) * sizeof *queue);
    nqueue -= n;
}

/* Does the first `end` things. */
static cu_result run_queue(int end) {
    for (int k = 0; k < end;) {
        const struct todo *t = &queue[k];
        if (t->kind == TODO_SET) memset(t->to, t->value, t->bytes);
        if (t->kind == TODO_COPY) memcpy(t->to, t->from, t->bytes);
        k = t->kind == TODO_LAUNCH ? run_launches(k, end) : k + 1;
        if (k > 0) continue;
        forget(nqueue);
        return LAUNCH_FAILED;
    }
    forget(end);
    return 0;
}

static struct todo *add(enum todo_kind kind, cu_stream stream) {
    if (nqueue == MAX_TODO) run_queue(nqueue);
    struct todo *t = &queue[nqueue++];
    memset(t, 0, sizeof *t);
    t->kind = kind;
    t->stream = stream;
    return t;
}

/* Whether something of a kind, with this event (NULL: any) and in this stream, is among what was asked for from number k on;
 * its number. */
static int find_todo(int k, enum todo_kind kind, cu_stream stream, cu_event e) {
    while (k < nqueue && (queue[k].kind != kind || queue[k].stream != stream || (e && queue[k].event != e)))
        k++;
    return k;
}

/* Launches on a GPU share its memory: one in another stream waits for an event behind the last one. */
static void expect_wait(cu_stream stream, int gpu) {
    int k = nqueue - 1;
    while (k >= 0 && (queue[k].kind != TODO_LAUNCH || queue[k].env.gpu != gpu))
        k--;
    if (k < 0 || queue[k].stream == stream) return;
    for (int at = k; (at = find_todo(at, TODO_EVENT, queue[k].stream, NULL)) < nqueue; at++)
        if (find_todo(at, TODO_WAIT, stream, queue[at].event) < nqueue) return;
    fprintf(stderr, "a launch does not wait for the one before it\n");
    abort();
}

/* ---- a made-up chip: how long kernels/halves.ptx would find each multiprocessor to take to read each line ---- */

struct reader { /* as in the PTX */
    int first, step, turn, sign, mean, base;
};

static int cycles_to_read(unsigned sm, unsigned line) {
    bool far = (sm >> 1 & 1) != (line * 40503u >> 9 & 1), across = (sm & 1) != (line * 2654435761u >> 20 & 1);
    return (int)(300 + 2 * sm + 31u * far + 9u * across + (line * 97u + sm * 31u) % 3);
}

static cu_result read_lines(void **params) {
    int lines = *(int *)params[1], *out = *(int **)params[3];
    for (int sm = 0; sm < DRIVER_SMS; sm++) {
        const struct reader *r = *(const struct reader **)params[2] + sm;
        for (int i = r->first; i < lines; i += r->step) {
            int line = (i + r->turn) % lines;
            out[r->base + line] += (cycles_to_read((unsigned)sm, (unsigned)line) - r->mean) * r->sign;
        }
    }
    return 0;
}

static cu_result launch(const struct cu_launch_config *config, cu_function f, void **params, void **extra) {
    (void)extra;
    if (strcmp(f->name, "halves") == 0) return run_queue(nqueue) ? LAUNCH_FAILED : read_lines(params);
    const struct launch_args *env = params[0];
    void **library = f->module->library[env->kernel];
    struct machine_grid g = {.blocks = config->grid[0],
                             .threads = config->block[0],
                             .cluster = 1,
                             .multiprocessors = driver_crowded ? 1 : DRIVER_SMS,
                             .shared_bytes = config->shared_bytes};
    if (config->nattributes && config->attributes->id == CU_LAUNCH_CLUSTER)
        g.cluster = config->attributes->value.cluster[0];
    if (config->nattributes && config->attributes->id == CU_LAUNCH_PROGRAMMATIC)
        g.dependent = config->attributes->value.programmatic;
    if (config->shared_bytes > DRIVER_SHARED || g.blocks > MACHINE_MAX_BLOCKS) return LAUNCH_FAILED;
    if (env->kernel >= MACHINE_MAX_GRIDS) return LAUNCH_FAILED;
    for (unsigned b = 0; b < g.blocks; b++) {
        if (!library[b]) library[b] = open_copy(f->module->path);
        if (!library[b]) return LAUNCH_FAILED;
        *(void **)&g.kernel[b] = dlsym(library[b], f->name);
        if (!g.kernel[b]) return LAUNCH_FAILED;
        g.shared[b] = ((char *(*)(void))dlsym(library[b], "shared_memory"))();
    }
    expect_wait(config->stream, env->gpu);
    struct todo *t = add(TODO_LAUNCH, config->stream);
    t->grid = g;
    t->env = *env;
    return 0;
}

static cu_result synchronize(cu_stream s) {
    (void)s;
    return run_queue(nqueue);
}

static cu_result record(cu_event e, cu_stream s) {
    add(TODO_EVENT, s)->event = e;
    return 0;
}

static cu_result let_wait(cu_stream s, cu_event e, unsigned flags) {
    (void)flags;
    add(TODO_WAIT, s)->event = e;
    return 0;
}

/* The number of what follows an event's last recording; 0: it has happened. */
static int behind_event(cu_event e) {
    int k = nqueue;
    while (k > 0 && (queue[k - 1].kind != TODO_EVENT || queue[k - 1].event != e))
        k--;
    return k;
}

static cu_result wait_for_event(cu_event e) {
    return run_queue(behind_event(e));
}

/* Long enough for launches to have few rounds. */
static cu_result elapsed(float *ms, cu_event from, cu_event to) {
    *ms = 1000;
    return behind_event(from) || behind_event(to) ? NOT_READY : 0;
}

/* ---- copies ---- */

static cu_result copy_in(cu_pointer to, const void *from, size_t bytes, cu_stream s) {
    struct todo *t = add(TODO_COPY, s);
    t->to = (char *)(uintptr_t)to;
    t->from = t->own = memcpy(malloc(bytes), from, bytes);
    t->bytes = bytes;
    return 0;
}

/* Nobody can rely on what is there until then. */
static cu_result copy_out(void *to, cu_pointer from, size_t bytes, cu_stream s) {
    struct todo *t = add(TODO_COPY, s);
    t->to = memset(to, 0x5a, bytes);
    t->from = (const char *)(uintptr_t)from;
    t->bytes = bytes;
    return 0;
}

static cu_result set_bytes(cu_pointer p, unsigned char v, size_t n, cu_stream s) {
    struct todo *t = add(TODO_SET, s);
    t->to = (char *)(uintptr_t)p;
    t->value = v;
    t->bytes = n;
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
    static char streams[1 << 12];
    static int n;
    (void)flags;
    *s = (cu_stream)(void *)&streams[n++ % (int)sizeof streams];
    return 0;
}

static cu_result create_event(cu_event *e, unsigned flags) {
    static char events[1 << 12];
    static int n;
    (void)flags;
    *e = (cu_event)(void *)&events[n++ % (int)sizeof events];
    return 0;
}

static cu_result destroy_stream(cu_stream s) {
    (void)s;
    return 0;
}

static cu_result destroy_event(cu_event e) {
    (void)e;
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
    .cuMemAlloc = memory_allocate,
    .cuMemFree = memory_free,
    .cuMemHostAlloc = memory_allocate_host,
    .cuMemFreeHost = memory_free_host,
    .cuMemHostGetDevicePointer = memory_find_host,
    .cuMemAddressReserve = memory_reserve_range,
    .cuMemAddressFree = memory_free_range,
    .cuMemCreate = memory_create,
    .cuMemRelease = memory_release,
    .cuMemMap = memory_map,
    .cuMemUnmap = memory_unmap,
    .cuMemSetAccess = memory_set_access,
    .cuMemcpyHtoDAsync = copy_in,
    .cuMemcpyDtoHAsync = copy_out,
    .cuMemsetD8Async = set_bytes,
    .cuStreamCreate = create_stream,
    .cuStreamDestroy = destroy_stream,
    .cuStreamSynchronize = synchronize,
    .cuStreamWaitEvent = let_wait,
    .cuEventCreate = create_event,
    .cuEventDestroy = destroy_event,
    .cuEventRecord = record,
    .cuEventSynchronize = wait_for_event,
    .cuEventElapsedTime = elapsed,
    .cuLaunchKernelEx = launch,
};
