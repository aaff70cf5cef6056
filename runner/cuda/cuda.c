/* The CUDA backend: the device, and the kernels of cells. The driver is never called in the process that the
 * user started, but in a process of its own (run/isolated.h). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "compile/packaged.h"
#include "compile/ptxas.h"
#include "cuda/cuda_compile.h"
#include "cuda/cuda_identity.h"
#include "cuda/cuda_kernel.h"
#include "cuda/cuda_listing.h"
#include "cuda/cuda_mappings.h"
#include "cuda/cuda_survey.h"
#include "run/isolated.h"

/* ---- the device ---- */

static bool attribute(struct cuda_device *dev, int *value, int which, struct diag *d) {
    return CUDA_TRY(dev->cu, d, cuDeviceGetAttribute(value, which, dev->gpu[0].device));
}

static void add_property(struct cuda_device *dev, int *n, const char *name, const char *value) {
    dev->properties[2 * *n] = name;
    snprintf(dev->text[*n], sizeof dev->text[0], "%.63s", value);
    dev->properties[2 * *n + 1] = dev->text[*n];
    ++*n;
    dev->properties[2 * *n] = NULL;
}

static void describe_device(struct cuda_device *dev, int driver) {
    char text[IDENTITY_TEXT], vbios[IDENTITY_TEXT];
    unsigned char uuid[16] = {0};
    struct diag ignored = {0};
    const char *nvrtc = nvrtc_version(NULL, &ignored), *packaged = packaged_compiler(dev->arch, NULL);
    int n = 0;
    diag_free(&ignored);
    add_property(dev, &n, "gpu", dev->name);
    snprintf(text, sizeof text, "%d.%d", dev->traits.cc / 10, dev->traits.cc % 10);
    add_property(dev, &n, "compute_capability", text);
    snprintf(text, sizeof text, "%d", dev->traits.sms);
    add_property(dev, &n, "multiprocessors", text);
    snprintf(text, sizeof text, "%.0f", (double)dev->memory / (1 << 20));
    add_property(dev, &n, "memory_mib", text);
    snprintf(text, sizeof text, "%d.%d", driver / 1000, driver % 1000 / 10);
    add_property(dev, &n, "cuda_driver", text);
    add_property(dev, &n, "nvrtc", nvrtc ? nvrtc : packaged ? packaged + strlen("NVRTC ") : "none");
    if (dev->cu->cuDeviceGetUuid(uuid, dev->gpu[0].device) == 0)
        add_property(dev, &n, "gpu_uuid", identity_uuid(uuid, text));
    if (identity_vbios("/proc/driver/nvidia/gpus", text, vbios)) add_property(dev, &n, "vbios", vbios);
    if (identity_driver("/proc/driver/nvidia/version", text)) add_property(dev, &n, "driver", text);
    dev->base = (struct device){.description = dev->name, .properties = dev->properties};
}

static void cuda_close(struct device *base) {
    struct cuda_device *dev = (struct cuda_device *)base;
    gpu_close_all(dev);
    free(dev);
}

bool cuda_has_code(const struct cuda_device *dev, struct diag *d) {
    if (dev->traits.cc < 70) {
        diag_fail(d, "%s has compute capability %d.%d; 7.0 is the least that is supported", dev->name,
                  dev->traits.cc / 10, dev->traits.cc % 10);
        return false;
    }
    if (packaged_compiler(dev->arch, NULL)) return true;
    if (!nvrtc_version(NULL, d)) return false;
    if (nvrtc_compiles_for(NULL, dev->traits.cc, d)) return true;
    diag_fail(d, "NVRTC %s does not compile for %s, which is %s; another one can be named by CULITMUS_NVRTC",
              nvrtc_version(NULL, d), dev->name, dev->arch);
    return false;
}

static bool look_at_device(struct cuda_device *dev, struct diag *d) {
    const struct cuda_api *cu = dev->cu;
    int major = 0, minor = 0, driver = 0;
    if (!CUDA_TRY(cu, d, cuDeviceGetName(dev->name, sizeof dev->name, dev->gpu[0].device)) ||
        !CUDA_TRY(cu, d, cuDriverGetVersion(&driver)) ||
        !CUDA_TRY(cu, d, cuDeviceTotalMem(&dev->memory, dev->gpu[0].device)) ||
        !attribute(dev, &dev->traits.sms, CU_ATTR_SM_COUNT, d) ||
        !attribute(dev, &major, CU_ATTR_CC_MAJOR, d) || !attribute(dev, &minor, CU_ATTR_CC_MINOR, d) ||
        !attribute(dev, &dev->max_shared, CU_ATTR_MAX_SHARED_PER_BLOCK_OPTIN, d) ||
        !attribute(dev, &dev->traits.blocks_per_sm, CU_ATTR_MAX_BLOCKS_PER_SM, d) ||
        !attribute(dev, &dev->traits.host_atomics, CU_ATTR_HOST_NATIVE_ATOMICS, d) ||
        !attribute(dev, &dev->traits.maps_host, CU_ATTR_MAPS_HOST_MEMORY, d))
        return false;
    dev->traits.cc = major * 10 + minor;
    snprintf(dev->arch, sizeof dev->arch, "sm_%d", dev->traits.cc);
    gpu_look_at_peers(dev);
    describe_device(dev, driver);
    return cuda_has_code(dev, d);
}

static bool cuda_open(int index, struct device **out, struct diag *d) {
    const struct cuda_api *cu = cuda_api_load(d);
    int n = 0;
    if (!cu || !CUDA_TRY(cu, d, cuDeviceGetCount(&n))) return false;
    if (index < 0 || index >= n) {
        diag_fail(d, n ? "no CUDA device %d: there %s %d, numbered from 0" : "no CUDA device", index,
                  n == 1 ? "is" : "are", n);
        return false;
    }
    struct cuda_device *dev = memory_new(1, sizeof *dev);
    *dev = (struct cuda_device){.cu = cu, .traits = {.index = index, .present = n}};
    if (!gpu_open_peers(dev, 1, d) || !look_at_device(dev, d)) {
        cuda_close(&dev->base);
        return false;
    }
    *out = &dev->base;
    return true;
}

static const char *cuda_target(const struct device *dev) {
    return ((const struct cuda_device *)dev)->arch;
}

/* ---- a kernel ---- */

void cuda_discard(struct cuda_kernel *k) {
    host_discard(k->host);
    for (int i = 0; i < k->gpus; i++)
        if (k->module[i]) k->dev->cu->cuModuleUnload(k->module[i]);
    free(k->spots);
    free(k);
}

/* Returns the largest number of threads in a block, at most `threads`, with which the blocks of an instance
 * can be where they should. If they share a multiprocessor, all of them must fit on it. 0 when there is no
 * such number. *ok: the driver answered. */
static int widest_block(const struct cuda_kernel *k, cu_function f, int threads, bool *ok, struct diag *d) {
    int unit = k->limits.threads_multiple, resident = 1;
    for (threads -= threads % unit; k->one_sm && threads > 0; threads -= unit) {
        *ok = CUDA_TRY(k->dev->cu, d, cuOccupancy(&resident, f, threads, 0));
        if (!*ok || resident >= k->blocks) break;
    }
    return threads;
}

enum { BLOCK_BARRIERS = 16 }; /* barrier 0 is the harness's */

int cuda_most_threads(const struct cuda_kernel *k, int threads) {
    int most = (k->one_instance ? 1 : k->max_slots) * k->limits.threads_multiple;
    return most > 0 && threads > most ? most : threads;
}

static bool load_module(struct cuda_kernel *k, int gpu, const void *cubin, struct diag *d) {
    const struct cuda_api *cu = k->dev->cu;
    bool ok = true;
    int threads = 0;
    if (!CUDA_TRY(cu, d, cuCtxSetCurrent(k->dev->gpu[gpu].context)) ||
        !CUDA_TRY(cu, d, cuModuleLoadData(&k->module[gpu], cubin)) ||
        !CUDA_TRY(cu, d, cuModuleGetFunction(&k->function[gpu], k->module[gpu], "litmus")) ||
        !CUDA_TRY(cu, d, cuFuncGetAttribute(&threads, CU_FUNC_MAX_THREADS, k->function[gpu])))
        return false;
    k->limits.max_threads = widest_block(k, k->function[gpu], cuda_most_threads(k, threads), &ok, d);
    if (k->limits.max_threads > 0 || !ok) return ok;
    diag_fail(d,
              k->one_sm ? "%s: blocks of %d threads do not fit one multiprocessor together"
                        : "%s: a block of %d threads does not fit the registers",
              k->t->name, k->limits.threads_multiple);
    return false;
}

static bool load_modules(struct cuda_kernel *k, const void *cubin, struct diag *d) {
    bool ok = gpu_open_peers(k->dev, k->gpus, d);
    for (int i = 0; i < k->gpus && ok; i++)
        ok = load_module(k, i, cubin, d);
    return ok;
}

/* Returns what the number of threads in a block must be a multiple of. Every warp of the placement needs a
 * warp of its own; and a kernel whose threads play all roles permutes them by powers of two. */
static int thread_unit(const struct cuda_kernel *k) {
    int unit = 32;
    if (k->dedicated) return 32 * k->warps;
    while (unit < 32 * k->warps)
        unit *= 2;
    return unit;
}

/* Makes the table of seats. The same code serves many placements, so the kernel reads the seats at run
 * time. */
static struct launch_seat *make_spots(const struct test *t, const struct seating *s,
                                      const struct meeting *m) {
    int n = t->nthreads;
    struct launch_seat *spots = memory_new((size_t)(n + m->ncompanions), sizeof *spots);
    for (int k = 0; k < m->ncompanions; k++)
        spots[n + k] = (struct launch_seat){.gpu = m->companions[k].gpu,
                                            .block = m->companions[k].block,
                                            .warp = m->companions[k].warp,
                                            .lane = m->companions[k].lane};
    for (int k = 0; k < n; k++)
        spots[k] = (struct launch_seat){
            .host = s->host[k],
            .gpu = s->gpu[k],
            .block = s->block[k],
            .warp = s->warp[k],
            .lane = s->lane[k],
            .barriers = m->allotted || m->leaves ? 0 : gen_barriers(t->threads[k].body, BARRIER_CTA)};
    return spots;
}

/* Returns the element of a location that may lie on many pages, or in the host's memory; -1: it may not. */
static int cold_element(const struct test *t, int loc, const int *first) {
    const struct location *l = &t->locs[loc];
    return space_rows[l->space].of_gpu && l->count == 1 && !l->view ? first[loc] : -1;
}

/* Returns the align_block (see seating.c) with which two threads of different blocks play at the same step,
 * if all threads of a block play the same role at a step. */
static int align_blocks(const struct seating *s, int x, int y, int n) {
    int align = 0;
    while (align < n && (align * (s->block[y] - s->block[x]) - (y - x)) % n != 0)
        align++;
    return align % n;
}

static void describe_open_edge(struct cuda_kernel *k, const struct cell *cell, const struct seating *s,
                               struct arena *a) {
    struct open_edge open;
    int n = 0, *first = gen_elements(a, k->t, &n);
    k->limits.cold = gen_only_open(k->t, cell, &open);
    if (!k->limits.cold) return;
    k->cold[0] = cold_element(k->t, open.from, first);
    k->cold[1] = cold_element(k->t, open.to, first);
    k->limits.afar = k->dev->traits.maps_host == 1 && s->gpus == 1 && !k->cluster && !k->dedicated;
    k->align_pure = align_blocks(s, open.thread, (open.thread + 1) % k->t->nthreads, k->t->nthreads);
}

/* Whether an environment can choose the halves of the GPU for a cell's blocks. */
static bool can_choose_halves(const struct cuda_kernel *k, const struct placement *p) {
    enum { LEAST_CAPABILITY = 80 }; /* kernels/halves.ptx needs it */
    return k->dev->traits.cc >= LEAST_CAPABILITY && !k->dedicated && !k->cluster && !k->one_sm &&
           k->gpus == 1 && p->nhost == 0 && k->blocks <= HALVES_MOST_BLOCKS &&
           k->t->nlocs <= HALVES_MOST_LOCATIONS;
}

struct cuda_kernel *cuda_describe(struct cuda_device *dev, const struct test *t, const struct cell *cell) {
    struct arena *a = arena_open();
    struct seating s = gen_seating(a, t, cell->placement);
    struct meeting m = meeting_of(a, t, cell->placement, &s);
    struct cuda_kernel *k = memory_new(1, sizeof *k);
    *k = (struct cuda_kernel){.dev = dev,
                              .t = t,
                              .placement = cell->placement,
                              .shape = gen_shape(t),
                              .cluster = s.blocks > 1 && cell->placement->nclusters == 1 ? s.blocks : 0,
                              .gpus = s.gpus,
                              .one_sm = cell->placement->one_sm,
                              .blocks = s.blocks,
                              .warps = s.warps,
                              .lanes = s.lanes,
                              .align_gpu = s.align_gpu,
                              .align_block = s.align_block,
                              .align_warp = s.align_warp,
                              .spots = make_spots(t, &s, &m),
                              .nspots = t->nthreads + m.ncompanions,
                              .max_slots = m.allotted ? (BLOCK_BARRIERS - 1) / (m.nids + 1) : 0};
    k->kernels = gen_kernels(t, cell);
    for (int i = 1; i < k->kernels; i++) {
        k->launch[i] = cell->placement->launch[i];
        k->one_instance = k->one_instance || (k->shape.triggers && k->launch[i] == LAUNCH_DEPENDENT);
    }
    for (int i = 0; i < t->nthreads && k->kernels; i++)
        k->kernel_blocks[cell->placement->seats[i].kernel] |= 1ull << s.block[i];
    k->dedicated =
        k->kernels || k->shape.waits || k->shape.barriers || k->shape.own || t->nthreads > MAX_SHUFFLED;
    k->limits = (struct cuda_environment_limits){.sms = dev->traits.sms,
                                                 .one_sm = k->one_sm,
                                                 .threads_multiple = thread_unit(k),
                                                 .test_blocks = s.blocks,
                                                 .gpus = s.gpus,
                                                 .host_threads = cell->placement->nhost,
                                                 .triggers = k->one_instance,
                                                 .locations = t->nlocs < 8 ? t->nlocs : 8,
                                                 .flood = k->dedicated ? MAX_FLOOD_DEDICATED : MAX_FLOOD,
                                                 .pow2 = !k->dedicated,
                                                 .halves = can_choose_halves(k, cell->placement)};
    describe_open_edge(k, cell, &s, a);
    arena_close(a);
    return k;
}

bool cuda_load(struct cuda_device *dev, const struct test *t, const struct cell *cell, const void *cubin,
               struct cuda_kernel **out, struct diag *d) {
    struct cuda_kernel *k = cuda_describe(dev, t, cell);
    bool ok = load_modules(k, cubin, d);
    if (ok && cell->placement->nhost > 0) {
        k->host = host_build(t, cell, d);
        ok = k->host != NULL;
    }
    if (ok)
        *out = k;
    else
        cuda_discard(k);
    return ok;
}

/* Whether the context still works. Once an error has spoilt it, every call returns that error. */
static bool cuda_usable(struct device *base) {
    struct cuda_device *dev = (struct cuda_device *)base;
    struct diag ignored = {0};
    bool usable = true;
    for (int i = 0; i < dev->opened && usable; i++)
        usable = gpu_wait(dev, &dev->gpu[i], &ignored);
    diag_free(&ignored);
    return usable;
}

/* ---- in a process of its own ---- */

static const void *driver_traits(const struct device *dev) {
    return &((const struct cuda_device *)dev)->traits;
}

static const char *driver_cannot(const void *traits, const struct test *t, const struct cell *cell,
                                 const struct compiler_choice *c, struct arena *a) {
    struct cuda_traits with = *(const struct cuda_traits *)traits;
    struct diag ignored = {0};
    with.narrow = !(c && c->packaged) && !nvrtc_has_wide_operands(c ? c->path : NULL, &ignored);
    diag_free(&ignored);
    return cuda_cannot(&with, t, cell, a);
}

static bool driver_load(struct device *dev, const struct test *t, const struct cell *cell, const void *code,
                        struct kernel **out, struct diag *d) {
    struct cuda_kernel *k = NULL;
    bool fine = cuda_load((struct cuda_device *)dev, t, cell, code, &k, d);
    *out = (struct kernel *)k;
    return fine;
}

static bool driver_run(struct kernel *k, const struct run_request *req, struct run_result *res,
                       struct diag *d) {
    return cuda_run((struct cuda_kernel *)k, req, res, d);
}

static void driver_discard(struct kernel *k) {
    cuda_discard((struct cuda_kernel *)k);
}

static int count_devices(struct arena *a, const char **why) {
    struct diag d = {0};
    int n = 0;
    const struct cuda_api *cu = cuda_api_load(&d);
    if (cu && CUDA_TRY(cu, &d, cuDeviceGetCount(&n)) && n == 0)
        diag_fail(&d, "the driver reports no CUDA device");
    *why = d.n > 0 ? arena_strdup(a, diag_first_error(&d)) : NULL;
    diag_free(&d);
    return n;
}

static bool driver_fence_costs(struct device *dev, const void *code, struct fence_cost *costs, int n,
                               const atomic_int *stop, struct diag *d) {
    return cuda_fence_costs((struct cuda_device *)dev, code, 1000, costs, n, stop, d);
}

static const struct driver driver = {
    .name = "cuda",
    .count = count_devices,
    .open = cuda_open,
    .target = cuda_target,
    .traits = driver_traits,
    .traits_size = sizeof(struct cuda_traits),
    .cannot = driver_cannot,
    .compile = cuda_compile,
    .same_code = cuda_same_code,
    .serve_compiler = nvrtc_serve,
    .load = driver_load,
    .run = driver_run,
    .compile_costs = cuda_compile_costs,
    .fence_costs = driver_fence_costs,
    .usable = cuda_usable,
    .discard = driver_discard,
    .close = cuda_close,
    .ranges = cuda_environment_ranges,
    .patience = 60, /* a launch takes milliseconds, and waits in a kernel are bounded */
};

static int cuda_count(struct arena *a, const char **why) {
    return isolated_count(&driver, a, why);
}

static enum opening open_isolated(int index, struct device **out, struct diag *d) {
    return isolated_open(&driver, index, out, d);
}

/* Adds the name of the assembler. Checks that it takes NVRTC's PTX: an assembler refuses PTX of a later
 * version. */
static bool add_ptxas(const char *arch, const char *build, struct arena *a, struct compiler_choice *c,
                      struct diag *d) {
    const struct nvrtc_source nothing = {
        .library = c->path, .ptxas = c->ptxas, .text = "", .name = "nothing", .arch = arch};
    struct text ptx = {0};
    struct diag refused = {0};
    size_t size;
    void *cubin = NULL;
    bool takes = nvrtc_cubin(&nothing, &ptx, &cubin, &size, &refused);
    const char *said = takes ? "" : diag_first_error(&refused), *line = strchr(said, '\n');
    if (line) said = line + 1;
    if (!takes)
        diag_fail(d, "ptxas %s ('%s') does not take what %s makes for %s: %.*s", build, c->ptxas, c->name,
                  arch, (int)strcspn(said, "\n"), said);
    c->name = arena_printf(a, "%s + ptxas %s", c->name, build);
    free(cubin);
    diag_free(&refused);
    text_free(&ptx);
    return takes;
}

/* Whether the installed NVRTC compiles for an architecture. */
static bool has_nvrtc(const char *arch) {
    struct diag ignored = {0};
    bool has = nvrtc_compiles_for(NULL, atoi(arch + strlen("sm_")), &ignored);
    diag_free(&ignored);
    return has;
}

static bool find_compiler(const struct device *dev, const char *arch, struct arena *a,
                          struct compiler_choice *out, struct diag *d) {
    const char *path = out->path, *assembler = out->ptxas ? ptxas_build(out->ptxas, a, d) : NULL;
    if (dev) arch = isolated_target(dev);
    const char *packaged = out->ptxas ? NULL : packaged_compiler(arch, path);
    out->packaged = packaged && (path || !has_nvrtc(arch));
    if (out->packaged) {
        out->name = packaged;
        return true;
    }
    const char *version = out->ptxas && !assembler ? NULL : nvrtc_version(path, d);
    if (!version) return false;
    if (!nvrtc_compiles_for(path, atoi(arch + strlen("sm_")), d)) {
        diag_fail(d, "NVRTC %s%s%s%s does not compile for %s", version, path ? " ('" : "", path ? path : "",
                  path ? "')" : "", arch);
        return false;
    }
    const char *build = nvrtc_build(path, a, d);
    if (!build) return false;
    out->name = arena_printf(a, "NVRTC %s", build);
    return !assembler || add_ptxas(arch, assembler, a, out, d);
}

static void close_isolated(struct device *dev) {
    isolated_close(dev);
    nvrtc_close();
}

const struct backend backend_cuda = {
    .name = "cuda",
    .model = "ptx",
    .budget = {.runs = 1000000000, .seconds = 1},
    .together = 256,
    .driver = &driver,
    .listings = cuda_listings,
    .ranges = cuda_environment_ranges,
    .count = cuda_count,
    .open = open_isolated,
    .cannot = isolated_cannot,
    .find_compiler = find_compiler,
    .survey = cuda_survey,
    .mappings = cuda_mappings,
    .build = isolated_build,
    .run = isolated_run,
    .discard = isolated_discard,
    .fence_costs = isolated_fence_costs,
    .close = close_isolated,
};
