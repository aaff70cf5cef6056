/* The CUDA harness on a machine without a GPU.
 *
 *   emulate_harness FOLDER PART PARTS [SEED]
 *
 * g++ compiles what the tool generates for a cell, and the harness's own text (gpu.h). It runs on emulated GPUs
 * (machine.h), driven by the CUDA backend's own code through an emulated driver (driver.h). All emulated threads run in
 * one thread, in random turns: what goes wrong for a seed goes wrong again, unless CPU threads run beside them.
 *
 * After each launch this is checked: on each GPU, every instance of every round was counted once, and the threads that
 * ran its roles sit as the placement says. For each cell: every outcome is one that sequential consistency allows. So
 * every role ran once, on locations that had their initial values and that nobody else used. And, where a cell says so,
 * every such outcome was seen.
 *
 * Exits with 77 where there is no g++. FOLDER is for what is compiled, PART of PARTS (from 0 on) is what is played of the cells. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/barriers.h"
#include "cuda/cuda_kernel.h"
#include "driver.h"
#include "emulate_cells.h"
#include "gen/names.h"
#include "library.h"
#include "machine.h"
#include "model/model.h"
#include "source/read.h"

enum { SKIPPED = 77, LAUNCHES = 6, MAX_UNITS = 64, MAX_THREADS = 67, MAX_INSTANCES = 3 << 15 };

struct context {
    struct arena *arena;
    struct diag d;
    const char *folder;
    const struct model *sc;
    struct cuda_device dev;
    const char *texts[MAX_UNITS]; /* compiled so far */
    int ntexts;
    const struct cuda_kernel *kernel;
    uint64_t seed;
    atomic_int stop;
    uint64_t asked, played; /* instances: of the cell, of the launches so far */
    int launches;
    struct instance_seats {
        const int *first;
        struct machine_self who[MAX_THREADS]; /* where `threads` is 0 nobody was */
    } seats[MAX_INSTANCES];
};

/* The cell at work: the driver's call after a launch has no context of its own. */
static struct context c;

/* ---- who played what ---- */

static bool same_thread(const struct machine_self *a, const struct machine_self *b) {
    return a->gpu == b->gpu && a->block.x == b->block.x && a->thread.x == b->thread.x;
}

/* The kernel calls this. */
void played(int thread, const int *first);
void played(int thread, const int *first) {
    size_t h = (uintptr_t)first / sizeof *first * 2654435761u % MAX_INSTANCES;
    while (c.seats[h].first && c.seats[h].first != first)
        h = (h + 1) % MAX_INSTANCES;
    c.seats[h].first = first;
    struct machine_self *who = &c.seats[h].who[thread];
    if (who->threads.x && !same_thread(who, &machine_self)) machine_fail("two threads play one role");
    *who = machine_self;
}

static bool sit_well(const struct launch_args *e, const struct machine_self *a, const struct launch_seat *at,
                     const struct machine_self *b, const struct launch_seat *bt) {
    bool gpu = at->gpu == bt->gpu, block = gpu && at->block == bt->block,
         warp = block && at->warp == bt->warp;
    bool same_block = a->gpu == b->gpu && a->block.x == b->block.x;
    if ((a->gpu == b->gpu) != gpu || same_block != block || same_thread(a, b)) return false;
    if (block) return (a->thread.x / 32 == b->thread.x / 32) == warp;
    if (gpu && a->cluster > 1) return a->block.x / a->cluster == b->block.x / b->cluster;
    return !gpu || c.kernel->kernels > 1 || (a->multiprocessor == b->multiprocessor) == (e->one_sm != 0);
}

/* Is every thread on the GPU that it should be, counted from the one whose memory has the location? */
static bool at_home(const struct launch_args *e, int gpus, const struct instance_seats *s, int k) {
    const struct location *first = &c.kernel->t->locs[0];
    size_t words =
        2 * (size_t)e->batch * (size_t)chunk_words(e, e->instances, c.kernel->shape.global_elements);
    if (e->cold) words = (((size_t)1 << e->pages) + 1) * (size_t)e->page_words;
    int memory = 0;
    if (first->space != SPACE_GLOBAL || gpus == 1) return true;
    while (s->first < e->global[memory] || s->first >= e->global[memory] + words)
        memory++;
    return ((int)s->who[k].gpu + first->gpu) % gpus == (memory + e->spots[k].gpu) % gpus;
}

static bool seated(const struct launch_args *e, int gpus, const struct instance_seats *s) {
    for (int k = 0; k < c.kernel->t->nthreads; k++) {
        if (e->spots[k].host) continue;
        if (!s->who[k].threads.x || !at_home(e, gpus, s, k)) return false;
        for (int j = 0; j < k; j++)
            if (!e->spots[j].host && !sit_well(e, &s->who[j], &e->spots[j], &s->who[k], &e->spots[k]))
                return false;
    }
    return true;
}

static void check_seats(const struct launch_args *e, int gpus) {
    int wrong = 0;
    for (int i = 0; i < MAX_INSTANCES; i++)
        wrong += c.seats[i].first && !seated(e, gpus, &c.seats[i]);
    if (wrong) diag_fail(&c.d, "the threads of %d instances are not where they should be", wrong);
    memset(c.seats, 0, sizeof c.seats); /* the next launch lays its instances out anew */
}

/* ---- after a launch ---- */

static void check_gpu(const struct launch_args *e, bool counts) {
    const struct results *r = e->results;
    unsigned long long sum = r->stuck + r->out_of_bounds + r->lost, due = counts ? (unsigned)e->instances : 0;
    for (int i = 0; i < BIG_SLOTS; i++)
        sum += r->counts[i];
    for (unsigned i = 0; i < r->wide_used && i < WIDE_SLOTS; i++)
        sum += r->wide_counts[i];
    due *= (unsigned)e->batch * r->rounds;
    bool each_by_itself = e->alone && r->stop; /* each block has left after a round of its own */
    if (sum != due && !each_by_itself)
        diag_fail(&c.d, "GPU %d counted %llu outcomes where %llu are due", e->gpu, sum, due);
    if (r->misplaced) diag_fail(&c.d, "GPU %d misplaced %u pairs of blocks", e->gpu, r->misplaced);
    if ((int)r->rounds > e->rounds || (e->first->stop == 0 && (int)r->rounds != e->rounds))
        diag_fail(&c.d, "GPU %d played %u of %d rounds", e->gpu, r->rounds, e->rounds);
}

/* A launch plays no more rounds than are still wanted; fewer than two it never has. */
static void check_rounds(const struct launch_args *e, int gpus) {
    uint64_t round = (uint64_t)e->instances * (unsigned)e->batch * (unsigned)gpus;
    if (e->rounds > 2 && c.played + ((unsigned)e->rounds - 1) * round >= c.asked)
        diag_fail(&c.d, "%d rounds of %llu instances, after %llu, where %llu are asked for", e->rounds,
                  (unsigned long long)round, (unsigned long long)c.played, (unsigned long long)c.asked);
}

static void check_launch(const struct launch_args *const *env, int n) {
    if (driver_crowded) { /* such a launch does not count */
        memset(c.seats, 0, sizeof c.seats);
        return;
    }
    check_rounds(env[0], n);
    for (int i = 0; i < n; i++) {
        check_gpu(env[i], i == 0 || !c.kernel->dedicated);
        if (env[i]->results->rounds != env[0]->results->rounds)
            diag_fail(&c.d, "GPU %d left after another round than GPU 0", i);
    }
    check_seats(env[0], n);
}

static void count_launch(void *ctx, const struct trial *t) {
    (void)ctx;
    c.played += t->runs;
    if (++c.launches == LAUNCHES) atomic_store(&c.stop, 1);
}

/* ---- code ---- */

/* The unit with its own idea of CUDA. */
static void write_unit(const struct test *t, const struct cell *v, enum extra extra, struct text *out) {
    struct text cell = {0};
    gen_cell(t, v, DIALECT_EMULATED, &cell);
    text_add(out, "#include \"gpu.h\"\n");
    text_add(out, strchr(cell.s, '\n')); /* without the line that names the cell */
    int one_in = extra == STRANGE ? 997 : extra == TOO_STRANGE ? 2 : 0;
    if (one_in)
        text_printf(out,
                    "static inline bool strange()\n{\n    static int n;\n    return ++n %% %d == 0;\n}\n",
                    one_in);
    text_add(out, "static inline void play_here(int thread, struct instance I, struct run *run, int *obs)\n"
                  "{\n    if (thread < ");
    text_printf(out, "%d) played(thread, address_of(I.", t->nthreads);
    gen_name(out, t->locs[0].name);
    text_add(out, "));\n    play(thread, I, run, obs);\n");
    if (one_in) text_add(out, "    if (thread == 1 && strange()) obs[1] = 1000;\n");
    text_add(out,
             "}\n"
             "#define play play_here\n"
             "#include \"cuda_layout.cuh\"\n#include \"cuda_count.cuh\"\n#include \"cuda_harness.cuh\"\n");
    text_free(&cell);
}

/* The path of the library; cells that differ in the placement alone mostly share one. NULL and an error when
 * it cannot be. */
static const char *compile(const struct test *t, const struct cell *cell, enum extra extra) {
    struct text unit = {0};
    int n = 0;
    write_unit(t, cell, extra, &unit);
    while (n < c.ntexts && strcmp(c.texts[n], unit.s) != 0)
        n++;
    const char *library = arena_printf(c.arena, "%s/%d.so", c.folder, n);
    if (n == c.ntexts) {
        c.texts[c.ntexts++] = arena_strdup(c.arena, unit.s);
        if (!library_build(c.arena, unit.s, library, &c.d)) library = NULL;
    }
    text_free(&unit);
    return library;
}

/* ---- cells ---- */

static void complain(const struct test *t, const struct outcome *outcome) {
    struct text values = {0};
    for (int o = 0; o < t->nobs; o++) {
        text_printf(&values, " %s = ", t->obs[o].name);
        value_print(&values, t->obs[o].type, outcome->values[o]);
    }
    diag_fail(&c.d, "%llu times%s", (unsigned long long)outcome->count, values.s);
    text_free(&values);
}

/* After Ctrl-C the launch that is under way is counted, too. */
static int launches_due(enum extra extra) {
    bool ahead = c.kernel->gpus == 1 && !c.kernel->host;
    return extra == STUCK ? 1 : LAUNCHES + ahead;
}

/* Held against the test's own claim, where it is about all outcomes; else against the model. */
static void check_outcomes(const struct test *t, const struct cell *cell, const struct run_result *res,
                           enum extra extra) {
    bool claims = t->cond.kind == FORALL;
    struct model_result sc = {0};
    if (!claims && !model_check(c.sc, t, cell, NULL, c.arena, &sc, &c.d)) return;
    for (size_t i = 0; i < res->hist.n; i++) {
        const struct value *values = res->hist.outcomes[i].values;
        if (claims ? !expr_is_true(t->cond.prop, &(struct expr_env){.obs = values})
                   : !model_allows(&sc, t->nobs, values))
            complain(t, &res->hist.outcomes[i]);
    }
    bool strange = false;
    for (size_t i = 0; i < res->hist.n; i++)
        strange = strange || res->hist.outcomes[i].values[t->nobs - 1].lo == 1000;
    if (strange != (extra == STRANGE)) diag_fail(&c.d, "1000 was%s read", strange ? "" : " not");
    if (extra == ALL_OUTCOMES && (int)res->hist.n != sc.noutcomes)
        diag_fail(&c.d, "%zu outcomes of %d", res->hist.n, sc.noutcomes);
    if ((extra == STUCK) != (res->stuck > 0))
        diag_fail(&c.d, "%llu instances were stuck", (unsigned long long)res->stuck);
    if (extra == FEW ? res->runs < c.asked : c.launches != launches_due(extra))
        diag_fail(&c.d, "the run ended after %d launches", c.launches);
}

/* In place of all went well. */
static void expect_error(const char *what) {
    bool only = c.d.errors == 1 && strstr(c.d.messages[0].text, what);
    diag_free(&c.d);
    c.d = (struct diag){0};
    if (!only) diag_fail(&c.d, "this is not the one error: %s", what);
}

/* What chance would rarely choose comes first, where the cell can have it. */
static const struct environment in_halves[] = {
    {{{"halves", 1}, {"near", 1}}, 2}, {{{"halves", 2}, {"near", 1}}, 2}, {{{"halves", 3}, {"near", 0}}, 2}};

static const struct environment afar[] = {
    {{{"afar", 1}, {"cold", 0}}, 2}, {{{"afar", 2}, {"cold", 1}, {"pages", 4}}, 3}, {{{"afar", 3}}, 1}};

static void run_kernel(const struct test *t, const struct cell *cell, struct cuda_kernel *k,
                       enum extra extra) {
    c.asked = extra == FEW ? 1000 : UINT64_MAX;
    struct run_request req = {.runs = c.asked, .seed = c.seed, .stop = &c.stop, .tried = count_launch};
    struct run_result res = {.hist.nobs = t->nobs};
    if (k->limits.halves) {
        req.schedule = in_halves;
        req.nschedule = (int)(sizeof in_halves / sizeof *in_halves);
    }
    if (k->limits.afar) {
        req.schedule = afar;
        req.nschedule = (int)(sizeof afar / sizeof *afar);
    }
    c.kernel = k;
    c.launches = 0;
    c.played = 0;
    atomic_store(&c.stop, 0);
    memset(c.seats, 0, sizeof c.seats); /* after a launch that failed */
    driver_crowded = extra == CROWDED;
    bool ok = cuda_run(k, &req, &res, &c.d);
    driver_crowded = false;
    if (ok) check_outcomes(t, cell, &res, extra);
    if (extra == OUT_OF_BOUNDS) expect_error("an array index was out of bounds");
    if (extra == TOO_MANY)
        expect_error(
            "large-tickets: more distinct outcomes than a launch can count: 8192, and 1024 of large values");
    if (extra == TOO_STRANGE)
        expect_error(
            "small-values: a launch had more than 1024 outcomes with values that the test does not have");
    if (extra == CROWDED) expect_error("the device does not keep blocks on different multiprocessors");
    histogram_free(&res.hist);
}

static struct test *read_test(const char *test) {
    const char *folder = strncmp(test, "cells/", 6) == 0 ? EMULATION : SUITE;
    return test_read(c.arena, arena_printf(c.arena, "%s/%s.yaml", folder, test), &c.d);
}

static void run_cell(const struct emulated_cell *cell) {
    struct test *t = read_test(cell->test);
    const struct placement *p =
        t ? placement_parse(t, c.arena, cell->placement, (struct pos){0}, &c.d) : NULL;
    if (!p) return;
    struct cell v = {p, t->accesses[0], &t->fences[0]};
    struct cuda_kernel *k;
    struct seating seating = gen_seating(c.arena, t, p);
    const char *unfit = barriers_unfit(t, p, &seating);
    if (unfit) {
        diag_fail(&c.d, "%s", unfit);
        return;
    }
    const char *library = compile(t, &v, cell->extra);
    driver_max_threads = cell->max_threads;
    if (!library || !cuda_load(&c.dev, t, &v, library, &k, &c.d)) return;
    run_kernel(t, &v, k, cell->extra);
    cuda_discard(k);
}

static bool open_device(void) {
    c.dev = (struct cuda_device){.cu = &driver,
                                 .traits = {.present = MAX_GPUS, .sms = DRIVER_SMS, .cc = 90, .maps_host = 1},
                                 .max_shared = DRIVER_SHARED,
                                 .memory = (size_t)1 << 31};
    driver_launched = check_launch;
    return gpu_open_peers(&c.dev, 1, &c.d);
}

int main(int argc, char **argv) {
    int failed = 0;
    if (argc < 4) return 2;
    size_t ncells = 0, part = strtoul(argv[2], NULL, 0), parts = strtoul(argv[3], NULL, 0);
    while (emulated_cells[ncells].test)
        ncells++;
    if (!library_can_build()) return SKIPPED;
    c.arena = arena_open();
    c.folder = argv[1];
    c.seed = argc > 4 ? strtoull(argv[4], NULL, 0) : 1;
    c.sc = model_load(c.arena, "sc", &c.d);
    if (!c.sc || !open_device() || part >= parts) return 1;
    size_t begin = part * ncells / parts, end = (part + 1) * ncells / parts;
    for (size_t i = begin; i < end; i++) {
        const struct emulated_cell *cell = &emulated_cells[i];
        run_cell(cell);
        if (c.d.errors) {
            printf("%.*s at %s, seed %llu:\n", (int)strcspn(cell->test, "\n"), cell->test, cell->placement,
                   (unsigned long long)c.seed);
            fflush(stdout);
            diag_render(&c.d, stdout, false);
            diag_free(&c.d);
            c.d = (struct diag){0};
            failed++;
        }
    }
    printf("%zu cells, %d texts, %d failed\n", end - begin, c.ntexts, failed);
    gpu_close_all(&c.dev);
    arena_close(c.arena);
    return failed != 0;
}
