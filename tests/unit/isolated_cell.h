/* A device behind a process of its own, with a driver that fails on demand: opened, and running cells. */
#ifndef CULITMUS_TESTS_ISOLATED_CELL_H
#define CULITMUS_TESTS_ISOLATED_CELL_H

#include "fake_driver.h"
#include "source/read.h"

static char test_cache[] = "/tmp/culitmus-test-XXXXXX";

static inline int isolated_set_up(void **state) {
    char name[64];
    (void)state;
    snprintf(name, sizeof name, "/tmp/culitmus-test-gone-%d", (int)getpid());
    setenv(fake_gone, name, 1);
    setenv(fake_counting, "fine", 1);
    return mkdtemp(test_cache) ? setenv("CULITMUS_CACHE", test_cache, 1) : -1;
}

static inline int isolated_tear_down(void **state) {
    char command[64];
    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", test_cache);
    return system(command);
}

static inline struct device *open_device(int index) {
    struct device *dev = NULL;
    struct diag d = {0};
    assert_int_equal(isolated_open(&fake_driver, index, &dev, &d), OPENING_DONE);
    assert_int_equal(d.n, 1);
    assert_int_equal(d.warnings, 1);
    diag_free(&d);
    return dev;
}

/* A cell of a test with this name, read and built after the device was opened. */
struct cell_result {
    struct arena *a;
    struct test *t;
    struct cell cell;
    struct kernel *k;
    struct diag d;
    struct run_result res;
};

static inline void cell_open(struct cell_result *c, const char *name) {
    *c = (struct cell_result){.a = arena_open()};
    char *yaml = arena_printf(c->a,
                              "name: %s\nmemory: {X: 0}\nplacements: [%s]\nthreads:\n"
                              "  P0: |\n    fence(); int a = X;\n  P1: |\n    X = 1; int b = X;\n"
                              "exists: a == 1 && b == 1\n",
                              name, strcmp(name, "kernels") == 0 ? "P0 ~> P1" : "block");
    c->t = test_read_text(c->a, "test.yaml", yaml, strlen(yaml), &c->d);
    assert_non_null(c->t);
    c->cell = (struct cell){&c->t->placements[0], c->t->accesses[0], &c->t->fences[1]};
}

static inline bool cell_run(struct cell_result *c, struct device *dev, const char *name,
                            struct run_request *req) {
    struct run_request plain = {.runs = 100, .seed = 1}; /* nobody can stop it */
    cell_open(c, name);
    c->res.hist.nobs = c->t->nobs;
    struct build build = {.t = c->t, .cell = &c->cell, .d = &c->d};
    isolated_build(dev, &build, 1);
    if (!build.kernel) return false;
    c->k = build.kernel;
    return isolated_run(c->k, req ? req : &plain, &c->res, &c->d);
}

static inline void cell_close(struct cell_result *c) {
    if (c->k) isolated_discard(c->k);
    histogram_free(&c->res.hist);
    diag_free(&c->d);
    arena_close(c->a);
}

/* Runs a cell that is fine; which process ran it. */
static inline int run_fine(struct device *dev) {
    struct cell_result c;
    if (!cell_run(&c, dev, "fine", NULL)) diag_render(&c.d, stderr, false);
    assert_int_equal(c.res.runs, 100);
    int pid = c.res.environments;
    cell_close(&c);
    return pid;
}

static inline void expect_failure(struct device *dev, const char *name, const char *message) {
    struct cell_result c;
    assert_false(cell_run(&c, dev, name, NULL));
    assert_int_equal(c.d.errors, 1);
    assert_string_equal(c.d.messages[0].text, message);
    if (c.d.n > 1) assert_memory_equal(c.d.messages[1].text, "in ", 3);
    assert_int_equal(c.res.runs, 0);
    cell_close(&c);
}

/* Of a driver that hangs. */
static inline void expect_silence(struct device *dev, const char *name, const char *message) {
    fake_driver.patience = FAKE_IMPATIENCE;
    expect_failure(dev, name, message);
    fake_driver.patience = FAKE_PATIENCE;
}

#endif
