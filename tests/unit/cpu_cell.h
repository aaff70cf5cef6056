/* A cell from a test's text to its histogram, on the CPU backend. */
#ifndef CULITMUS_TESTS_CPU_CELL_H
#define CULITMUS_TESTS_CPU_CELL_H

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../ints.h"
#include "base/clock.h"
#include "cm.h"
#include "run/backend.h"
#include "source/read.h"

struct fixture {
    char cache[32];
    struct device *dev;
};

static inline int cpu_open(void **state) {
    static struct fixture f;
    struct diag d = {0};
    strcpy(f.cache, "/tmp/culitmus-test-XXXXXX");
    if (!mkdtemp(f.cache)) return -1;
    setenv("CULITMUS_CACHE", f.cache, 1);
    *state = &f;
    bool ok = backend_cpu.open(0, &f.dev, &d) == OPENING_DONE;
    diag_render(&d, stderr, false);
    diag_free(&d);
    return ok ? 0 : -1;
}

static inline int cpu_close(void **state) {
    struct fixture *f = *state;
    char command[64];
    backend_cpu.close(f->dev);
    snprintf(command, sizeof command, "rm -rf %s", f->cache);
    return system(command);
}

/* A cell that was read, built and is to be run: the column `fence`, the CPU's placement. */
struct cell_result {
    struct arena *a;
    struct test *t;
    struct kernel *k;
    struct diag d;
    struct run_result res;
};

/* `text` is YAML, or a table in PTX syntax. */
static inline void cell_build(struct cell_result *c, struct device *dev, const char *text,
                              const char *fence) {
    const char *name = strncmp(text, "PTX ", 4) == 0 ? "test.litmus" : "test.yaml";
    *c = (struct cell_result){.a = arena_open()};
    c->t = test_read_text(c->a, name, text, strlen(text), &c->d);
    if (!c->t) diag_render(&c->d, stderr, false);
    assert_non_null(c->t);
    struct cell cell = {backend_cpu.placement(c->t, c->a), c->t->accesses[0],
                        fence ? fence_parse(c->t, c->a, fence, (struct pos){0}, &c->d) : &c->t->fences[0]};
    assert_null(backend_cpu.cannot(dev, c->t, &cell, NULL, c->a));
    struct build build = {.t = c->t, .cell = &cell, .d = &c->d};
    backend_cpu.build(dev, &build, 1);
    if (!build.kernel) diag_render(&c->d, stderr, false);
    assert_non_null(build.kernel);
    c->k = build.kernel;
    c->res.hist.nobs = c->t->nobs;
}

static inline void cell_run(struct cell_result *c, const struct run_request *req) {
    if (!backend_cpu.run(c->k, req, &c->res, &c->d)) diag_render(&c->d, stderr, false);
    assert_int_equal(c->d.n, 0);
    histogram_sort(&c->res.hist, c->t->obs);
    assert_int_equal(histogram_total(&c->res.hist) + c->res.stuck, c->res.runs);
}

static inline void cell_close(struct cell_result *c) {
    backend_cpu.discard(c->k);
    histogram_free(&c->res.hist);
    diag_free(&c->d);
    arena_close(c->a);
}

/* How often an outcome was seen. */
static inline bool same_ints(const struct value *values, const int32_t *ints, int n) {
    for (int k = 0; k < n; k++)
        if (!value_equal(values[k], INT(ints[k]))) return false;
    return true;
}

static inline uint64_t seen(const struct cell_result *c, const int32_t *values) {
    for (size_t i = 0; i < c->res.hist.n; i++)
        if (same_ints(c->res.hist.outcomes[i].values, values, c->t->nobs))
            return c->res.hist.outcomes[i].count;
    return 0;
}

/* Builds and runs; the caller closes. */
static inline void run_text(struct cell_result *c, void **state, const char *text, const char *fence,
                            uint64_t runs) {
    struct fixture *f = *state;
    cell_build(c, f->dev, text, fence);
    cell_run(c, &(struct run_request){.runs = runs, .seed = 1});
}

static inline int cpu_cores(void) {
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

/* Builds and runs. A wait of a second is called stuck, and a busy machine may keep a thread from its core for as long: where
 * other programs had the cores, the run is made again. The caller closes. */
static inline void run_undisturbed(struct cell_result *c, void **state, const char *text, uint64_t runs) {
    struct fixture *f = *state;
    for (int left = 20;; left--) {
        cell_build(c, f->dev, text, NULL);
        int busy = c->t->nthreads < cpu_cores() ? c->t->nthreads : cpu_cores();
        double begin = clock_now();
        clock_t had = clock();
        cell_run(c, &(struct run_request){.runs = runs, .seed = 1});
        double part = (double)(clock() - had) / CLOCKS_PER_SEC / (busy * (clock_now() - begin));
        if (c->res.stuck == 0 || part > 0.9 || left == 0) return;
        cell_close(c);
    }
}

/* Builds and runs a test that has one outcome whatever the schedule. */
static inline void expect_always(void **state, const char *text, uint64_t runs, const int32_t *values) {
    struct cell_result c;
    run_undisturbed(&c, state, text, runs);
    assert_int_equal(c.res.stuck, 0);
    assert_true(c.res.runs >= runs);
    assert_int_equal(seen(&c, values), c.res.runs);
    cell_close(&c);
}

static const char store_buffering[] = "name: SB\n"
                                      "memory: {X: 0, Y: 0}\n"
                                      "threads:\n"
                                      "  P0: |\n    X = 1; fence(); int a = Y;\n"
                                      "  P1: |\n    Y = 1; fence(); int a = X;\n"
                                      "exists: P0.a == 0 && P1.a == 0\n";

#endif
