/* The engine's figures on this machine.
 *
 *   bench_figures [-t SECONDS] [-r REPEATS] [-p PROFILE] LITMUS_FOLDER [TEST...]
 *   bench_figures -w CELLS [-t SECONDS] [-p PROFILE] FOLDER
 *
 * Each figure is the median of the repeats, with the default portfolio (the shipped profile, or another one, then random
 * environments) and a new seed each time. Rates are of the best environment within the time; weak/s are
 * outcomes that the test's condition names. The fastest environment is looked for eight times as long and by
 * chance alone: a profile holds those that show most. With names of tests (MP R) only their figures. Figures are
 * printed, never asserted: machines differ. To compare two builds, see compare_builds.
 *
 * With -w it prints how long a run takes until it sees its condition for the first time: the median and the 95th
 * percentile of the cells that see it at all, of so many cells of the folder's tests, evenly chosen. The time is the
 * device's, up to the end of the launch that showed it.
 */
#include <dirent.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run/isolated.h"
#include "run/profile.h"
#include "source/read.h"

enum figure { BEST, PEAK, MEAN };

struct row {
    const char *test, *placement, *fence;
    enum access access;
    const struct backend *backend;
    enum figure figure;
};

#define GPU(test, fence, figure)                                                                             \
    { test, "device", fence, ACCESS_RELAXED, &backend_cuda, figure }
#define NEAR(test, access)                                                                                   \
    { test, "block", "none", access, &backend_cuda, BEST }

static const struct row rows[] = {
    GPU("classic/MP", "none", PEAK),
    GPU("classic/MP", "none", BEST),
    GPU("classic/2+2W", "none", BEST),
    GPU("classic/SB", "none", BEST),
    GPU("classic/LB", "none", BEST),
    GPU("classic/R", "none", BEST),
    GPU("classic/S", "none", BEST),
    GPU("classic/RWC", "none", BEST),
    GPU("classic/ISA2", "none", BEST),
    GPU("classic/WRC", "none", BEST),
    GPU("classic/IRIW", "none", BEST),
    GPU("classic/MP", "block", BEST),
    GPU("classic/S", "block", BEST),
    GPU("classic/RWC", "block", BEST),
    GPU("classic/LB", "block", BEST),
    GPU("classic/WRC", "block", BEST),
    GPU("classic/ISA2", "block", BEST),
    GPU("classic/IRIW", "block", BEST),
    NEAR("classic/MP", ACCESS_WEAK),
    NEAR("classic/S", ACCESS_RELAXED),
    NEAR("classic/R", ACCESS_RELAXED),
    NEAR("classic/SB", ACCESS_RELAXED),
    NEAR("classic/LB", ACCESS_RELAXED),
    NEAR("classic/2+2W", ACCESS_RELAXED),
    {"classic/SB", "cpu", "none", ACCESS_VOLATILE, &backend_cpu, MEAN},
};

struct bench {
    struct arena *arena;
    struct diag diag;
    const char *folder;
    double seconds;
    int repeats;
    struct device *gpu, *cpu;
    struct profile profile;
};

static double measure(struct bench *b, const struct row *r, struct kernel *k, const struct test *t,
                      const struct cell *cell, uint64_t seed) {
    bool peak = r->figure == PEAK;
    struct run_request req = {.seconds = (peak ? 8 : 1) * b->seconds, .seed = seed};
    struct run_result res = {.hist.nobs = t->nobs};
    if (b->profile.n > 0 && !r->backend->placement && !peak)
        req.schedule = profile_schedule(&b->profile, t, cell, b->arena, &req.nschedule);
    bool ok = r->backend->run(k, &req, &res, &b->diag);
    uint64_t seen = 0;
    for (size_t i = 0; i < res.hist.n; i++)
        if (expr_is_true(t->cond.prop, &(struct expr_env){.obs = res.hist.outcomes[i].values}))
            seen += res.hist.outcomes[i].count;
    histogram_free(&res.hist);
    if (!ok) return 0;
    return r->figure == BEST ? res.best_rate : r->figure == PEAK ? res.peak : (double)seen / res.seconds;
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static const struct fence_choice *find_fence(const struct test *t, const char *name) {
    for (int f = 0; f < t->nfences; f++)
        if (strcmp(t->fences[f].name, name) == 0) return &t->fences[f];
    return NULL;
}

static void bench_row(struct bench *b, const struct row *r) {
    static const char *const unit[] = {"weak/s", "instances/s", "weak/s, mean"};
    bool on_gpu = !r->backend->placement;
    struct device *dev = on_gpu ? b->gpu : b->cpu;
    const char *path = arena_printf(b->arena, "%s/%s.yaml", b->folder, r->test);
    struct test *t = dev ? test_read(b->arena, path, &b->diag) : NULL;
    if (!t) return;
    struct cell v = {on_gpu ? placement_parse(t, b->arena, r->placement, (struct pos){0}, &b->diag)
                            : r->backend->placement(t, b->arena),
                     r->access, find_fence(t, r->fence)};
    struct build cell = {.t = t, .cell = &v, .d = &b->diag};
    double *value = arena_array(b->arena, (size_t)b->repeats, sizeof *value);
    if (v.placement && v.fence) r->backend->build(dev, &cell, 1);
    if (!cell.kernel) return;
    for (int i = 0; i < b->repeats; i++)
        value[i] = measure(b, r, cell.kernel, t, &v, (uint64_t)i + 1);
    r->backend->discard(cell.kernel);
    qsort(value, (size_t)b->repeats, sizeof *value, by_value);
    double median = value[b->repeats / 2];
    printf("%-8s %-7s %-6s %-8s %-12s %9.3g  (%.3g to %.3g)\n", t->name, v.placement->name, v.fence->name,
           access_name(v.access), unit[r->figure], median, value[0], value[b->repeats - 1]);
    fflush(stdout);
}

/* ---- the first witness ---- */

/* Device time so far, and when the condition was first seen; negative: not yet. */
struct witness {
    double spent, seen;
};

static void watch(void *ctx, const struct trial *t) {
    struct witness *w = ctx;
    w->spent += t->seconds;
    if (w->seen < 0 && t->satisfied > 0) w->seen = w->spent;
}

/* Milliseconds until a cell shows its condition; negative: it does not. */
static double first_witness(struct bench *b, const struct test *t, const struct cell *cell,
                            struct kernel *k) {
    struct witness w = {.seen = -1};
    struct run_request req = {.seconds = b->seconds, .seed = 1, .tried = watch, .ctx = &w};
    struct run_result res = {.hist.nobs = t->nobs};
    if (b->profile.n > 0) req.schedule = profile_schedule(&b->profile, t, cell, b->arena, &req.nschedule);
    backend_cuda.run(k, &req, &res, &b->diag);
    histogram_free(&res.hist);
    return 1e3 * w.seen;
}

static int is_test(const struct dirent *e) {
    const char *dot = strrchr(e->d_name, '.');
    return dot && strcmp(dot, ".yaml") == 0;
}

/* The cells of a folder's tests that run on one GPU, as builds. */
static struct build *find_cells(struct bench *b, int *n) {
    struct dirent **files;
    int nfiles = scandir(b->folder, &files, is_test, alphasort), cap = 0, ncells;
    struct build *all = NULL;
    for (int f = 0; f < nfiles; f++) {
        const char *path = arena_printf(b->arena, "%s/%s", b->folder, files[f]->d_name);
        struct test *t = test_read(b->arena, path, &b->diag);
        struct cell *cell = t ? test_cells(t, b->arena, &ncells) : NULL;
        for (int k = 0; t && k < ncells; k++) {
            if (cell[k].placement->ngpus > 1 || backend_cuda.cannot(b->gpu, t, &cell[k], NULL, b->arena))
                continue;
            if (*n == cap) {
                all = arena_grow(b->arena, all, (size_t)cap, (size_t)cap * 2 + 64, sizeof *all);
                cap = cap * 2 + 64;
            }
            all[(*n)++] = (struct build){.t = t, .cell = &cell[k], .d = &b->diag};
        }
        free(files[f]);
    }
    if (nfiles >= 0) free(files);
    return all;
}

static void bench_witness(struct bench *b, int wanted) {
    int n = 0, seen = 0, ran = 0;
    struct build *all = find_cells(b, &n);
    double *ms = arena_array(b->arena, (size_t)wanted, sizeof *ms);
    for (int i = 0; i < wanted && i < n; i++) {
        struct build *cell = &all[n > wanted ? (size_t)i * (size_t)n / (size_t)wanted : (size_t)i];
        backend_cuda.build(b->gpu, cell, 1);
        if (!cell->kernel) continue;
        ms[seen] = first_witness(b, cell->t, cell->cell, cell->kernel);
        seen += ms[seen] >= 0;
        ran++;
        backend_cuda.discard(cell->kernel);
    }
    qsort(ms, (size_t)seen, sizeof *ms, by_value);
    printf("first witness: %d of %d cells see it", seen, ran);
    if (seen > 0) printf("; median %.3g ms, 95 %% within %.3g ms", ms[seen / 2], ms[(seen * 95 - 1) / 100]);
    printf("\n");
}

/* Are the figures of this test wanted? */
static bool chosen(const struct row *r, char **names) {
    for (char **name = names; *name; name++)
        if (strcmp(*name, strchr(r->test, '/') + 1) == 0) return true;
    return !*names;
}

/* `path` is NULL for the shipped profile. */
static void open_profile(struct bench *b, const char *path) {
    const char *name = b->gpu->description, *text = profile_shipped(name);
    b->profile = profile_new(b->arena, name);
    if (path)
        profile_read(b->arena, path, &backend_cuda, name, &b->profile, &b->diag);
    else if (text)
        profile_parse(b->arena, "the shipped profile", text, &backend_cuda, name, &b->profile, &b->diag);
}

static void open_devices(struct bench *b, const char *profile) {
    if (backend_cuda.open(0, &b->gpu, &b->diag) == OPENING_DONE) {
        const char *name = b->gpu->description;
        open_profile(b, profile);
        printf("%s, %d environments in its profile\n", name, b->profile.n);
    }
    if (backend_cpu.open(0, &b->cpu, &b->diag) == OPENING_DONE) printf("%s\n", b->cpu->description);
    printf("median of %d, %g s each\n\n", b->repeats, b->seconds);
}

int main(int argc, char **argv) {
    if (isolated_serve(backend_cuda.driver, argc, argv)) return 0;
    struct bench b = {.arena = arena_open(), .seconds = 2, .repeats = 5};
    const char *profile = NULL;
    int witnesses = 0;
    for (int c; (c = getopt(argc, argv, "t:r:p:w:")) != -1;) {
        switch (c) {
        case 't': b.seconds = atof(optarg); break;
        case 'r': b.repeats = atoi(optarg); break;
        case 'p': profile = optarg; break;
        case 'w': witnesses = atoi(optarg); break;
        default: return 2;
        }
    }
    if (optind >= argc || b.repeats < 1 || b.seconds <= 0) {
        fprintf(stderr,
                "usage: bench_figures [-t SECONDS] [-r REPEATS] [-p PROFILE] LITMUS_FOLDER [TEST...]\n"
                "       bench_figures -w CELLS [-t SECONDS] [-p PROFILE] FOLDER\n");
        return 2;
    }
    b.folder = argv[optind];
    open_devices(&b, profile);
    if (witnesses > 0 && b.gpu) bench_witness(&b, witnesses);
    for (size_t i = 0; witnesses == 0 && i < sizeof rows / sizeof *rows; i++)
        if (chosen(&rows[i], argv + optind + 1)) bench_row(&b, &rows[i]);
    diag_render(&b.diag, stderr, false);
    diag_free(&b.diag);
    if (b.gpu) backend_cuda.close(b.gpu);
    if (b.cpu) backend_cpu.close(b.cpu);
    arena_close(b.arena);
    return 0;
}
