/* The CPU backend: a test as C, compiled by the system's compiler and run on pinned threads. */
#include "cpu/cpu.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/memory.h"
#include "base/pool.h"
#include "litmus/company.h"

/* Returns the processor's name from /proc/cpuinfo, else the name of the architecture. */
static char *find_model(struct arena *a) {
    struct utsname system;
    char line[256], *model = NULL;
    FILE *f = fopen("/proc/cpuinfo", "re");
    while (f && !model && fgets(line, sizeof line, f)) {
        char *value = strchr(line, ':');
        if (strncmp(line, "model name", 10) != 0 || !value) continue;
        value += 1 + strspn(value + 1, " \t");
        value[strcspn(value, "\n")] = '\0';
        model = arena_strdup(a, value);
    }
    if (f) fclose(f);
    if (model) return model;
    return arena_strdup(a, uname(&system) == 0 ? system.machine : "CPU");
}

/* Finds the cores that this process may use. */
static void find_cores(struct cpu_device *dev) {
    cpu_set_t set;
    dev->cores = arena_array(dev->arena, CPU_SETSIZE, sizeof *dev->cores);
    if (sched_getaffinity(0, sizeof set, &set) == 0)
        for (int c = 0; c < CPU_SETSIZE; c++)
            if (CPU_ISSET((unsigned)c, &set)) dev->cores[dev->ncores++] = c;
    if (dev->ncores == 0)
        dev->ncores = 1; /* there are more than CPU_SETSIZE cores: threads are pinned elsewhere than asked */
}

static void cpu_close(struct device *base) {
    struct cpu_device *dev = (struct cpu_device *)base;
    arena_close(dev->arena);
    free(dev);
}

static int cpu_count(struct arena *a, const char **why) {
    (void)a, (void)why;
    return 1;
}

static enum opening cpu_open(int index, struct device **out, struct diag *d) {
    *out = NULL;
    if (index != 0) {
        diag_fail(d, "no CPU device %d: there is only device 0", index);
        return OPENING_FAILED;
    }
    struct cpu_device *dev = memory_new(1, sizeof *dev);
    dev->arena = arena_open();
    if (!compiler_find(dev->arena, &dev->compiler, d)) {
        cpu_close(&dev->base);
        return OPENING_FAILED;
    }
    find_cores(dev);
    char *model = find_model(dev->arena);
    dev->base.description =
        arena_printf(dev->arena, "%s, %d core%s", model, dev->ncores, dev->ncores == 1 ? "" : "s");
    const char *pairs[] = {
        "cpu", model, "cores", arena_printf(dev->arena, "%d", dev->ncores), "compiler", dev->compiler.version,
        NULL};
    dev->base.properties = memcpy(arena_alloc(dev->arena, sizeof pairs), pairs, sizeof pairs);
    *out = &dev->base;
    return OPENING_DONE;
}

static const char *cpu_cannot(const struct device *dev, const struct test *t, const struct cell *cell,
                              const struct compiler_choice *c, struct arena *a) {
    (void)dev, (void)c;
    if (unit_cannot(t)) return unit_cannot(t);
    const char *unfit = cpu_barriers_unfit(t, cell);
    if (unfit) return unfit;
    if (t->nthreads <= CPU_MAX_THREADS) return NULL;
    return arena_printf(a, "%d threads; the cpu backend runs up to %d", t->nthreads, CPU_MAX_THREADS);
}

/* Returns the counter of a barrier as this thread meets it. */
static int counter_of(const struct cpu_kernel *k, int thread, const struct op *op) {
    switch (op->barrier) {
    case BARRIER_WARP: return k->warp[thread];
    case BARRIER_CTA: return k->block[thread] + op->barrier_id;
    case BARRIER_CLUSTER: return k->cluster[thread];
    }
    return -1;
}

/* Adds the thread to the users of each barrier in its text, once each. */
static void count_user(struct cpu_kernel *k, int thread, bool *met) {
    for (int i = 1; i <= k->test->nops; i++) {
        const struct op *op = &k->test->ops[i];
        if (op->body != k->test->threads[thread].body) continue;
        if (op->kind != OP_BARRIER && !company_meets(op)) continue;
        int counter = counter_of(k, thread, op);
        k->users[counter] += !met[counter];
        met[counter] = true;
    }
}

/* Lists for each thread the threads of its warp and of its block. */
static void list_mates(struct cpu_kernel *k, const struct placement *p) {
    size_t n = (size_t)k->test->nthreads;
    k->lanes = arena_array(k->arena, n, sizeof *k->lanes);
    k->mates = arena_array(k->arena, n, sizeof *k->mates);
    k->nlanes = arena_array(k->arena, n, sizeof *k->nlanes);
    k->nmates = arena_array(k->arena, n, sizeof *k->nmates);
    k->lane = arena_array(k->arena, n, sizeof *k->lane);
    for (size_t i = 0; i < n; i++) {
        k->lanes[i] = arena_array(k->arena, n, sizeof **k->lanes);
        k->mates[i] = arena_array(k->arena, n, sizeof **k->mates);
        for (size_t j = 0; j < n; j++) {
            if (j == i) k->lane[i] = k->nlanes[i];
            if (p->seats[j].warp == p->seats[i].warp) k->lanes[i][k->nlanes[i]++] = (int)j;
            if (p->seats[j].block == p->seats[i].block) k->mates[i][k->nmates[i]++] = (int)j;
        }
    }
}

/* Gives out the counters at which threads meet: one for each warp, one for each cluster, 16 (PTX's barrier
 * ids) for each block. */
static void seat_threads(struct cpu_kernel *k, const struct placement *p) {
    enum { BARRIER_IDS = 16, COUNTERS_EACH = 3 }; /* for each thread, if the test has exchanges */
    int n = k->test->nthreads, kernels = p->nkernels > 1 ? p->nkernels : 0;
    int ncounters = p->nwarps + p->nclusters + BARRIER_IDS * p->nblocks + kernels;
    k->warp = arena_array(k->arena, (size_t)n, sizeof *k->warp);
    k->block = arena_array(k->arena, (size_t)n, sizeof *k->block);
    k->cluster = arena_array(k->arena, (size_t)n, sizeof *k->cluster);
    k->users = arena_array(k->arena, (size_t)(ncounters + COUNTERS_EACH * n), sizeof *k->users);
    bool *met = arena_array(k->arena, (size_t)ncounters, sizeof *met);
    for (int i = 0; i < n; i++) {
        const struct seat *s = &p->seats[i];
        k->warp[i] = s->warp;
        k->cluster[i] = p->nwarps + s->cluster;
        k->block[i] = p->nwarps + p->nclusters + BARRIER_IDS * s->block;
        memset(met, 0, (size_t)ncounters * sizeof *met);
        count_user(k, i, met);
    }
    k->given = ncounters - kernels;
    if (gen_shape(k->test).exchanges) {
        list_mates(k, p);
        ncounters += COUNTERS_EACH * n;
    }
    k->ncounters = gen_shape(k->test).barriers || kernels ? ncounters : 0;
    k->ended = k->given + (gen_shape(k->test).exchanges ? COUNTERS_EACH * n : 0);
}

/* Finds which kernels have ended when another one begins, and which its wait is for. */
static void follow_kernels(struct cpu_kernel *k, const struct placement *p) {
    size_t n = (size_t)p->nkernels;
    k->kernels = p->nkernels;
    k->kernel_of = arena_array(k->arena, (size_t)k->test->nthreads, sizeof *k->kernel_of);
    k->kernel_threads = arena_array(k->arena, n, sizeof *k->kernel_threads);
    k->follows = arena_array(k->arena, n * n, sizeof *k->follows);
    k->awaits = arena_array(k->arena, n * n, sizeof *k->awaits);
    for (int i = 0; i < k->test->nthreads; i++) {
        k->kernel_of[i] = p->seats[i].kernel;
        k->kernel_threads[p->seats[i].kernel]++;
    }
    for (int later = 1; later < p->nkernels; later++)
        for (int before = 0; before < later; before++) {
            k->follows[later * p->nkernels + before] = placement_follows(p, later, before);
            k->awaits[later * p->nkernels + before] = placement_awaits(p, later, before);
        }
}

/* Returns the largest batch with which both sets of locations stay within the budget. */
static long fit_batch(const struct cpu_kernel *k) {
    static const size_t budget = 64 << 20;
    size_t logs = 0;
    for (int t = 0; t < k->test->nthreads; t++)
        logs += k->has_log[t] ? (size_t)observed_words(k->test) * sizeof(int) : 0;
    long n = CPU_MAX_INSTANCES;
    while (n > 1 &&
           2 * (cpu_environment_memory(k, n) + (size_t)n * (logs + (size_t)k->ncounters * sizeof(unsigned))) >
               budget)
        n /= 2;
    return n;
}

static void cpu_discard(struct kernel *opaque) {
    struct cpu_kernel *k = (struct cpu_kernel *)opaque;
    unit_close(&k->unit);
    arena_close(k->arena);
    free(k);
}

static struct kernel *build_kernel(const struct cpu_device *dev, const struct build *b, const char *text) {
    const struct test *t = b->t;
    struct cpu_kernel *k = memory_new(1, sizeof *k);
    struct shape shape = gen_shape(t);
    k->arena = arena_open();
    k->dev = dev;
    k->test = t;
    k->element_bytes = (long)sizeof(int) * shape.words;
    k->in_step = shape.waits || shape.barriers || b->cell->placement->nkernels > 1;
    k->first = gen_elements(k->arena, t, &k->elements);
    seat_threads(k, b->cell->placement);
    follow_kernels(k, b->cell->placement);
    k->has_log = arena_array(k->arena, (size_t)t->nthreads, sizeof *k->has_log);
    for (int o = 0; o < t->nobs; o++)
        if (t->obs[o].is_reg) k->has_log[t->obs[o].thread] = true;
    k->max_instances = fit_batch(k);
    if (unit_build(&dev->compiler, text, t->name, b->stop, &k->unit, b->d)) return (struct kernel *)k;
    cpu_discard((struct kernel *)k);
    return NULL;
}

/* The text of a cell. */
struct cpu_text {
    struct text text;
    int at;    /* the number of its cell */
    bool same; /* the text equals the one before it in the sorted list */
};

/* Builds cells. Some have the same text, such as those that differ only in the scope of a fence. Each text is
 * compiled once: cells with a text that an earlier one has are built later, and find the code in the
 * cache. */
struct cpu_building {
    const struct cpu_device *dev;
    struct build *cells;
    struct cpu_text *texts;
    bool same; /* build the cells whose text an earlier one has */
};

static void write_some(void *ctx, int first, int n) {
    const struct cpu_building *b = ctx;
    for (int k = first; k < first + n; k++) {
        b->texts[k].at = k;
        gen_unit(b->cells[k].t, b->cells[k].cell, DIALECT_C, &b->texts[k].text);
    }
}

static int by_text(const void *x, const void *y) {
    const struct cpu_text *a = x, *b = y;
    if (a->text.len != b->text.len) return a->text.len < b->text.len ? -1 : 1;
    int order = memcmp(a->text.s, b->text.s, a->text.len);
    return order ? order : a->at - b->at;
}

static void build_some(void *ctx, int first, int n) {
    const struct cpu_building *b = ctx;
    for (const struct cpu_text *t = b->texts + first; t < b->texts + first + n; t++)
        if (t->same == b->same) b->cells[t->at].kernel = build_kernel(b->dev, &b->cells[t->at], t->text.s);
}

static void cpu_build(struct device *dev, struct build *cells, int n) {
    struct cpu_building b = {(const struct cpu_device *)dev, cells, memory_new((size_t)n, sizeof *b.texts),
                             false};
    pool_each(n, 1, write_some, &b);
    qsort(b.texts, (size_t)n, sizeof *b.texts, by_text);
    for (int k = 1; k < n; k++)
        b.texts[k].same = b.texts[k].text.len == b.texts[k - 1].text.len &&
                          memcmp(b.texts[k].text.s, b.texts[k - 1].text.s, b.texts[k].text.len) == 0;
    pool_each(n, 1, build_some, &b);
    b.same = true;
    pool_each(n, 1, build_some, &b);
    for (int k = 0; k < n; k++)
        text_free(&b.texts[k].text);
    free(b.texts);
}

static const struct placement *collapse(const struct test *t, struct arena *a) {
    return placement_collapsed(t, a, "cpu");
}

static enum listed list_c(const struct test *t, const struct cell *cell, const struct listing_choice *c,
                          FILE *out, struct diag *d) {
    (void)d;
    gen_list(t, cell, DIALECT_C, c->whole, out);
    return LISTED;
}

static const struct listing listings[] = {{"c", "whole", list_c}, {0}};

const struct backend backend_cpu = {
    .name = "cpu",
#if defined(__x86_64__)
    .model = "x86-tso",
#elif defined(__aarch64__)
    .model = "aarch64",
#endif
    .budget = {.runs = 1000000, .seconds = 0.5},
    .listings = listings,
    .ranges = cpu_ranges,
    .placement = collapse,
    .count = cpu_count,
    .open = cpu_open,
    .cannot = cpu_cannot,
    .build = cpu_build,
    .run = cpu_run,
    .discard = cpu_discard,
    .close = cpu_close,
};
