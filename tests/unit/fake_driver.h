/* A driver that fails on demand: the name of a test says how. */
#ifndef CULITMUS_TESTS_FAKE_DRIVER_H
#define CULITMUS_TESTS_FAKE_DRIVER_H

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../ints.h"
#include "cm.h"
#include "compile/cache.h"
#include "run/isolated.h"

struct fake {
    struct device base;
    int index;
    bool broken;
};

static const struct parameter_range fake_ranges[] = {{.name = "stride", .values = {1, 2}, .n = 2}, {0}};

/* What the processes are told by the environment: how counting goes, a file by which one leaves word that it is lost
 * (then device 7 cannot be opened any more), and a pipe by which one that lingers says which one it is. */
static const char fake_counting[] = "FAKE_COUNTING", fake_gone[] = "FAKE_GONE",
                  fake_lingers[] = "FAKE_LINGERS";

static int fake_count(struct arena *a, const char **why) {
    const char *how = getenv(fake_counting);
    if (strcmp(how, "crash") == 0) abort();
    while (strcmp(how, "hang") == 0)
        pause();
    if (strcmp(how, "none") == 0) *why = arena_printf(a, "there is %s", how);
    return strcmp(how, "none") == 0 ? 0 : 42;
}

static void fake_leave_word(void) {
    FILE *f = fopen(getenv(fake_gone), "w");
    fclose(f);
}

static bool fake_has_word(void) {
    return access(getenv(fake_gone), F_OK) == 0;
}

static bool fake_open(int index, struct device **out, struct diag *d) {
    static const char *const pairs[] = {"color", "green", "size", "big", NULL};
    if (index == 3) abort();
    if (index == 2 || (index == 7 && fake_has_word())) {
        diag_fail(d, "no device %d", index);
        return false;
    }
    struct fake *f = calloc(1, sizeof *f);
    f->base = (struct device){"fake", pairs};
    f->index = index;
    *out = &f->base;
    diag_warning(d, NULL, (struct pos){0}, "device %d is warm", index);
    return true;
}

static const char *fake_target(const struct device *dev) {
    return dev->description;
}

static const void *fake_traits(const struct device *dev) {
    return &((const struct fake *)dev)->index;
}

static const char *fake_cannot(const void *traits, const struct test *t, const struct cell *cell,
                               const struct compiler_choice *c, struct arena *a) {
    (void)c;
    int index = *(const int *)traits;
    if (strcmp(t->name, "cannot") != 0) return NULL;
    return arena_printf(a, "not on device %d at placement %s", index, cell->placement->name);
}

static char *fake_key(const char *test) {
    char *key;
    assert_true(asprintf(&key, "key of %s", test) > 0);
    return key;
}

/* The "code" is the test's name and the fence's. It is kept by the test's name. */
static void fake_compile(const char *target, const struct build *cells, int n, struct machine_code *codes) {
    assert_string_equal(target, "fake");
    for (int k = 0; k < n; k++) {
        if (strcmp(cells[k].t->name, "wrong") == 0) {
            diag_fail(cells[k].d, "does not compile");
            continue;
        }
        char *key = fake_key(cells[k].t->name);
        codes[k] = (struct machine_code){.key = key, .key_len = strlen(key)};
        codes[k].kept = cache_get(key, strlen(key), &codes[k].bytes, &codes[k].size);
        if (codes[k].kept) continue;
        codes[k].bytes = calloc(1, codes[k].size = 64);
        snprintf(codes[k].bytes, 64, "%s %s", cells[k].t->name, cells[k].cell->fence->name);
    }
}

struct fake_kernel {
    struct fake *device;
    const struct test *t;
    char code[64];
};

/* Of the process: how often something was loaded, and how many kernels there are. */
static int fake_loads, fake_kernels;

static bool fake_load(struct device *dev, const struct test *t, const struct cell *cell, const void *code,
                      struct kernel **out, struct diag *d) {
    struct fake_kernel *k = calloc(1, sizeof *k);
    char meant[64];
    fake_loads++;
    if (strcmp(t->name, "unloadable") == 0) {
        fake_leave_word();
        abort();
    }
    k->t = t;
    k->device = (struct fake *)dev;
    memcpy(k->code, code, sizeof k->code);
    snprintf(meant, sizeof meant, "%s %s", t->name, cell->fence->name);
    const struct placement *p = cell->placement;
    bool seated = strcmp(t->name, "kernels") == 0
                      ? p->nkernels == 2 && p->seats[1].kernel == 1 && p->launch[1] == LAUNCH_DEPENDENT
                      : p->seats[1].block == p->seats[0].block;
    bool same = strcmp(k->code, meant) == 0 && seated;
    if (!same || strcmp(t->name, "too-large") == 0) {
        diag_fail(d, same ? "does not fit" : "another cell arrived");
        free(k);
        return false;
    }
    fake_kernels++;
    *out = (struct kernel *)k;
    return true;
}

/* Waits until the next cell was loaded, for as long as that may take on a busy machine; but not after it was lost. */
static void fake_be_patient(const struct run_request *req) {
    for (int k = 0; k < 20000 && fake_loads < 2 && !fake_has_word(); k++) {
        req->meanwhile(req->ctx);
        usleep(1000);
    }
}

static bool fake_is(const struct fake_kernel *k, const char *name) {
    return strncmp(k->code, name, strlen(name)) == 0;
}

static bool fake_run(struct kernel *kernel, const struct run_request *req, struct run_result *res,
                     struct diag *d) {
    struct fake_kernel *k = (struct fake_kernel *)kernel;
    if (fake_is(k, "patient")) fake_be_patient(req);
    assert_memory_equal(k->code, k->t->name, strlen(k->t->name));
    if (fake_is(k, "patient-fault")) k->device->broken = true;
    if (fake_is(k, "crash")) {
        signal(SIGSEGV, SIG_DFL); /* a sanitizer handles it */
        raise(SIGSEGV);
    }
    if (fake_is(k, "leave")) _exit(5);
    if (fake_is(k, "linger")) {
        pid_t self = getpid();
        assert_int_equal(write(atoi(getenv(fake_lingers)), &self, sizeof self), sizeof self);
    }
    if (fake_is(k, "hang") || fake_is(k, "linger"))
        for (;;)
            pause();
    if (fake_is(k, "group")) {
        raise(SIGTERM);
        raise(SIGINT);
    }
    if (fake_is(k, "lost")) {
        fake_leave_word();
        raise(SIGKILL);
    }
    if (fake_is(k, "fault")) k->device->broken = true;
    if (k->device->broken || fake_is(k, "harmless")) {
        diag_fail(d, "the kernel failed");
        return false;
    }
    while (fake_is(k, "endless") && !*req->stop)
        if (req->progress) req->progress(req->ctx, 1, 0.5);
    struct parameter environment[] = {{"stride", 2}};
    struct trial trial = {environment, 1, 4, req->runs, 1, 0.25};
    if (req->tried) req->tried(req->ctx, &trial);
    if (req->progress) req->progress(req->ctx, req->runs, 0.25);
    histogram_add(&res->hist, (struct value[]){INT(1), INT(-5)}, req->runs - 1);
    histogram_add(&res->hist, (struct value[]){INT(0), INT(7)}, 1);
    res->runs = req->runs;
    res->seconds = 0.25;
    res->environments = (int)getpid(); /* tells the tests which process it was */
    res->interrupted = *req->stop != 0;
    res->seen_in = 10 * fake_loads + fake_kernels;
    res->environment[0] = req->nschedule > 0 ? req->schedule[0].parameter[0] : environment[0];
    res->nenvironment = 1;
    return true;
}

/* The "code" says how many costs it is for. */
static bool fake_compile_costs(const char *target, const struct fence_cost *costs, int n,
                               const atomic_int *wish, struct machine_code *code, struct diag *d) {
    (void)wish;
    assert_string_equal(target, "fake");
    if (costs[0].writes == 1) {
        diag_fail(d, "does not compile");
        return false;
    }
    *code = (struct machine_code){.bytes = calloc(1, 16), .size = 16};
    snprintf(code->bytes, 16, "%d costs", n);
    return true;
}

/* The number of writes says how it goes. */
static bool fake_fence_costs(struct device *dev, const void *code, struct fence_cost *costs, int n,
                             const atomic_int *wish, struct diag *d) {
    (void)dev;
    if (strcmp(code, "2 costs") != 0 || n != 2) return false;
    if (costs[0].writes == 2) _exit(7);
    while (costs[0].writes == 3 && !*wish)
        usleep(1000);
    costs[1].cycles = 100 * costs[1].writes + (int)costs[1].fence.scope;
    if (costs[0].writes == 4) diag_fail(d, "the kernel failed");
    return costs[0].writes != 4;
}

static bool fake_usable(struct device *dev) {
    return !((struct fake *)dev)->broken;
}

static void fake_discard(struct kernel *k) {
    fake_kernels--;
    free(k);
}

static void fake_close(struct device *dev) {
    free(dev);
}

/* A driver that hangs is waited for as long as a busy machine may need; a test that expects it has less patience. */
enum { FAKE_PATIENCE = 600, FAKE_IMPATIENCE = 2 };

static struct driver fake_driver = {
    .name = "fake",
    .count = fake_count,
    .open = fake_open,
    .target = fake_target,
    .traits = fake_traits,
    .traits_size = sizeof(int),
    .cannot = fake_cannot,
    .compile = fake_compile,
    .load = fake_load,
    .run = fake_run,
    .compile_costs = fake_compile_costs,
    .fence_costs = fake_fence_costs,
    .usable = fake_usable,
    .discard = fake_discard,
    .close = fake_close,
    .ranges = fake_ranges,
    .patience = FAKE_PATIENCE,
};

#endif
