/* The CPU backend from a test's text to its histogram. Where chance is at work, only what cannot fail on a
 * working machine is claimed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../ints.h"
#include "base/text.h"
#include "gen/gen.h"
#include "run/backend.h"
#include "run/environment.h"

struct fixture {
    char cache[32];
    struct device *dev;
};

static int open_device(void **state) {
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

static int close_device(void **state) {
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
static void cell_build(struct cell_result *c, struct device *dev, const char *text, const char *fence) {
    const char *name = strncmp(text, "PTX ", 4) == 0 ? "test.litmus" : "test.yaml";
    *c = (struct cell_result){.a = arena_open()};
    c->t = test_read_text(c->a, name, text, strlen(text), &c->d);
    if (!c->t) diag_render(&c->d, stderr, false);
    assert_non_null(c->t);
    struct cell v = {backend_cpu.placement(c->t, c->a), c->t->accesses[0],
                     fence ? fence_parse(c->t, c->a, fence, (struct pos){0}, &c->d) : &c->t->fences[0]};
    assert_null(backend_cpu.cannot(dev, c->t, &v, c->a));
    struct build build = {.t = c->t, .v = &v, .d = &c->d};
    backend_cpu.build(dev, &build, 1);
    if (!build.kernel) diag_render(&c->d, stderr, false);
    assert_non_null(build.kernel);
    c->k = build.kernel;
    c->res.hist.nobs = c->t->nobs;
}

static void cell_run(struct cell_result *c, const struct run_request *req) {
    if (!backend_cpu.run(c->k, req, &c->res, &c->d)) diag_render(&c->d, stderr, false);
    assert_int_equal(c->d.n, 0);
    histogram_sort(&c->res.hist, c->t->obs);
    assert_int_equal(histogram_total(&c->res.hist) + c->res.stuck, c->res.runs);
}

static void cell_close(struct cell_result *c) {
    backend_cpu.discard(c->k);
    histogram_free(&c->res.hist);
    diag_free(&c->d);
    arena_close(c->a);
}

/* How often an outcome was seen. */
static bool same_ints(const struct value *values, const int32_t *ints, int n) {
    for (int k = 0; k < n; k++)
        if (!value_equal(values[k], INT(ints[k]))) return false;
    return true;
}

static uint64_t seen(const struct cell_result *c, const int32_t *values) {
    for (size_t i = 0; i < c->res.hist.n; i++)
        if (same_ints(c->res.hist.outcomes[i].values, values, c->t->nobs))
            return c->res.hist.outcomes[i].count;
    return 0;
}

/* Builds and runs; the caller closes. */
static void run_text(struct cell_result *c, void **state, const char *text, const char *fence,
                     uint64_t runs) {
    struct fixture *f = *state;
    cell_build(c, f->dev, text, fence);
    cell_run(c, &(struct run_request){.runs = runs, .seed = 1});
}

/* Builds, and runs until each of these outcomes was seen: on a busy machine two threads may seldom run at once. The
 * caller closes. */
static void run_until_seen(struct cell_result *c, void **state, const char *text, int32_t (*outcomes)[2],
                           int n) {
    enum { RUNS = 2000000, MOST = 100 };
    struct fixture *f = *state;
    cell_build(c, f->dev, text, NULL);
    for (uint64_t k = 1; k <= MOST; k++) {
        int all = 0;
        cell_run(c, &(struct run_request){.runs = k * RUNS, .seed = k});
        assert_true(c->res.runs >= k * RUNS);
        for (int i = 0; i < n; i++)
            all += seen(c, outcomes[i]) > 0;
        if (all == n) return;
    }
    fail_msg("an outcome was not seen in %d runs", MOST * RUNS);
}

/* Builds and runs a test that has one outcome whatever the schedule. */
static void expect_always(void **state, const char *text, uint64_t runs, const int32_t *values) {
    struct cell_result c;
    run_text(&c, state, text, NULL, runs);
    assert_true(c.res.runs >= runs);
    assert_int_equal(c.res.stuck, 0);
    assert_int_equal(seen(&c, values), c.res.runs);
    cell_close(&c);
}

/* Elements of several sizes, arrays among them: each thread has its own, so all that is observed is known. */
static void values_of_every_width_are_run(void **state) {
    struct cell_result c;
    run_text(
        &c, state,
        "name: widths\n"
        "memory: {l: {type: uint64_t, count: 3, init: 0x100000002}, v: {type: int4}, b: {type: uint8_t},\n"
        "         s: {type: short2}, N: {type: int64_t, init: -1}}\n"
        "threads:\n"
        "  P: |\n    uint64_t old = atomicAdd(&l[1], 1ull << 32); v = make_int4(1, -2, 3, 4); int x = 300; b "
        "= x;\n"
        "    int4 r = v; int t = b; s = make_short2(-1, 2); uint64_t i = 2; l[i] = l[1] / 3;\n"
        "  Q: |\n    int64_t n = atomicMin(&N, -1ll << 40); int64_t m = (n << 33) / 2;\n"
        "forall: old == 0x100000002 && l[0] == 0x100000002 && l[1] == 0x200000002 && l[2] == 2863311531 &&\n"
        "  r.y == -2 && v.w == 4 && t == 44 && b == 44 && s.x == -1 && s.y == 2 && n == -1 &&\n"
        "  N == -1ll << 40 && m == -(1ll << 32)\n",
        NULL, 1000);
    assert_true(c.res.runs >= 1000);
    assert_int_equal(c.res.hist.n, 1);
    assert_true(expr_is_true(c.t->cond.prop, &(struct expr_env){.obs = c.res.hist.outcomes[0].values}));
    cell_close(&c);
}

static const char store_buffering[] = "name: SB\n"
                                      "memory: {X: 0, Y: 0}\n"
                                      "threads:\n"
                                      "  P0: |\n    X = 1; fence(); int a = Y;\n"
                                      "  P1: |\n    Y = 1; fence(); int a = X;\n"
                                      "exists: P0.a == 0 && P1.a == 0\n";

/* Two cores at least are needed for a store buffer to be seen. */
static int count_cores(void) {
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

static void store_buffering_shows_without_a_fence(void **state) {
    struct cell_result c;
    if (count_cores() < 2) skip();
    run_until_seen(&c, state, store_buffering, (int32_t[][2]){{0, 0}, {0, 1}, {1, 0}}, 3);
    assert_int_equal(c.res.stuck, 0);
    assert_true(c.res.best_rate > 0 && c.res.best_rate <= c.res.peak);
    assert_true(c.res.seen_in > 0 && c.res.seen_in <= c.res.environments);
    assert_string_equal(c.res.environment[0].name, "instances");
    cell_close(&c);
}

static void store_buffering_is_gone_with_a_fence(void **state) {
    static const char *const fences[] = {"block", "device", "system"};
    for (int i = 0; i < 3; i++) {
        struct cell_result c;
        run_text(&c, state, store_buffering, fences[i], 1000000);
        assert_int_equal(seen(&c, (int32_t[]){0, 0}), 0);
        assert_int_equal(c.res.seen_in, 0);
        cell_close(&c);
    }
}

static void message_passing_is_never_weak_on_x86(void **state) {
#if defined(__x86_64__)
    struct cell_result c;
    run_until_seen(&c, state,
                   "name: MP\n"
                   "memory: {X: 0, Y: 0}\n"
                   "threads:\n"
                   "  P0: |\n    X = 1; Y = 1;\n"
                   "  P1: |\n    int a = Y; int b = X;\n"
                   "exists: P1.a == 1 && P1.b == 0\n",
                   (int32_t[][2]){{0, 0}, {1, 1}}, 2);
    assert_int_equal(seen(&c, (int32_t[]){1, 0}), 0);
    cell_close(&c);
#else
    (void)state;
    skip();
#endif
}

/* More threads than cores take turns at a lock, and no increment is lost. */
static void a_lock_keeps_every_increment(void **state) {
    expect_always(state,
                  "name: lock\n"
                  "memory: {mutex: 0, sum: 0}\n"
                  "threads:\n"
                  "  T:\n"
                  "    count: 8\n"
                  "    body: |\n"
                  "      while (atomicCAS(&mutex, 0, 1) != 0) {}\n"
                  "      __threadfence();\n"
                  "      int r = sum;\n"
                  "      sum = r + 1;\n"
                  "      __threadfence();\n"
                  "      atomicExch(&mutex, 0);\n"
                  "forall: sum == 8\n",
                  400, (int32_t[]){8});
}

/* A flag that is waited for, with a reader that never runs ahead of it. */
static void a_wait_ends_when_the_flag_is_set(void **state) {
    expect_always(state,
                  "name: flag\n"
                  "memory: {data: 0, flag: 0}\n"
                  "threads:\n"
                  "  writer: |\n    data = 42; __threadfence(); flag = 1;\n"
                  "  reader: |\n    while (flag == 0) {}\n    __threadfence(); int r = data;\n"
                  "forall: reader.r == 42\n",
                  20000, (int32_t[]){42});
}

/* Every copy writes its element, and after the barrier reads its neighbour's; twice over. */
static void a_block_meets_at_its_barrier(void **state) {
    expect_always(state,
                  "name: barrier\n"
                  "memory: {a: {count: 4}}\n"
                  "threads:\n"
                  "  T:\n"
                  "    count: 4\n"
                  "    body: |\n"
                  "      a[tid] = tid + 1;\n"
                  "      __syncthreads();\n"
                  "      int r = a[(tid + 1) % count];\n"
                  "      __syncthreads();\n"
                  "      a[tid] = r * 10;\n"
                  "      __syncthreads();\n"
                  "      int s = a[(tid + 1) % count];\n"
                  "placements: [block]\n"
                  "forall: T[0].s == 30 && T[1].s == 40 && T[2].s == 10 && T[3].s == 20\n",
                  400, (int32_t[]){30, 40, 10, 20});
}

/* Barriers of a warp and of a cluster, where only those threads meet: T0 and T1 share a warp, T2 is
 * elsewhere. */
static void warps_and_clusters_meet_by_themselves(void **state) {
    expect_always(state,
                  "name: meet\n"
                  "memory: {X: 0, Y: 0}\n"
                  "threads:\n"
                  "  T0: |\n    X = 1; __syncwarp(); cluster_sync();\n"
                  "  T1: |\n    __syncwarp(); int r = X; cluster_sync(); int s = Y;\n"
                  "  T2: |\n    Y = 1; cluster_sync();\n"
                  "placements: [\"T0.T1 T2\"]\n"
                  "forall: T1.r == 1 && T1.s == 1\n",
                  400, (int32_t[]){1, 1});
}

/* A barrier without a count is for those that have it in their text: T2 is not waited for. */
static void who_has_no_barrier_is_not_waited_for(void **state) {
    static const char *const barriers[][2] = {
        {"__syncwarp", "T0.T1.T2"}, {"__syncthreads", "T0 T1 T2"}, {"cluster_sync", "T0 T1 T2"}};
    for (size_t i = 0; i < sizeof barriers / sizeof *barriers; i++) {
        struct text yaml = {0};
        text_printf(&yaml,
                    "name: absent\n"
                    "memory: {X: 0, Y: 0}\n"
                    "threads:\n"
                    "  T0: |\n    X = 1; %s();\n"
                    "  T1: |\n    %s(); int r = X;\n"
                    "  T2: |\n    Y = 1;\n"
                    "placements: [\"%s\"]\n"
                    "forall: T1.r == 1\n",
                    barriers[i][0], barriers[i][0], barriers[i][1]);
        expect_always(state, yaml.s, 400, (int32_t[]){1});
        text_free(&yaml);
    }
}

/* Two threads at one number while two others are at another; with a count and without. */
static void barriers_of_different_numbers_meet_by_themselves(void **state) {
    static const char *const counts[] = {"", ", 64"};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        struct text table = {0};
        const char *n = counts[i];
        text_printf(&table,
                    "PTX pairs\n{ x=0; y=0; }\n"
                    "P0@cta 0,gpu 0 | P1@cta 0,gpu 0 | P2@cta 0,gpu 0 | P3@cta 0,gpu 0 ;\n"
                    "st.weak x, 1 | bar.cta.sync 1%s | st.weak y, 1 | bar.cta.sync 2%s ;\n"
                    "bar.cta.sync 1%s | ld.weak r0, x | bar.cta.sync 2%s | ld.weak r0, y ;\n"
                    "forall (P1:r0 == 1 /\\ P3:r0 == 1)\n",
                    n, n, n, n);
        expect_always(state, table.s, 400, (int32_t[]){1, 1});
        text_free(&table);
    }
}

/* First two threads meet at barrier 1, and later all four. */
static void a_barrier_is_met_again_by_more(void **state) {
    expect_always(state,
                  "PTX more\n{ x=0; }\n"
                  "P0@cta 0,gpu 0 | P1@cta 0,gpu 0 | P2@cta 0,gpu 0 | P3@cta 0,gpu 0 ;\n"
                  "bar.cta.sync 1, 64 | bar.cta.sync 1, 64 | | ;\n"
                  "bar.cta.sync 2 | bar.cta.sync 2 | bar.cta.sync 2 | bar.cta.sync 2 ;\n"
                  "st.weak x, 1 | | | ;\n"
                  "bar.cta.sync 1 | bar.cta.sync 1 | bar.cta.sync 1 | bar.cta.sync 1 ;\n"
                  " | | ld.weak r0, x | ld.weak r0, x ;\n"
                  "forall (P2:r0 == 1 /\\ P3:r0 == 1)\n",
                  400, (int32_t[]){1, 1});
}

/* Each waits at the barrier that the other comes to second. */
static void barriers_in_opposite_order_are_stuck(void **state) {
    struct cell_result c;
    run_text(&c, state,
             "PTX crossed\n{ x=0; }\n"
             "P0@cta 0,gpu 0 | P1@cta 0,gpu 0 ;\n"
             "bar.cta.sync 1 | bar.cta.sync 2 ;\n"
             "bar.cta.sync 2 | bar.cta.sync 1 ;\n"
             "forall (x == 0)\n",
             NULL, 1000);
    assert_true(c.res.stuck > 0);
    cell_close(&c);
}

/* Nobody sets the flag: the wait ends by itself, and the run soon after. Instances behind it, which nobody played,
 * are not counted. */
static void a_wait_for_nothing_is_stuck(void **state) {
    struct cell_result c;
    run_text(&c, state,
             "name: stuck\n"
             "memory: {X: 0, Y: 0}\n"
             "threads:\n"
             "  P0: |\n    while (X == 0) {}\n"
             "  P1: |\n    Y = 1;\n"
             "forall: Y == 1\n",
             NULL, 1000000);
    assert_true(c.res.stuck > 0);
    assert_int_equal(c.res.runs, c.res.stuck);
    assert_true(c.res.runs < 1000000);
    assert_false(c.res.interrupted);
    cell_close(&c);
}

/* One thread of a block never comes to the barrier. */
static void a_barrier_that_one_misses_is_a_reason_to_skip(void **state) {
    static const char text[] = "name: missed\n"
                               "memory: {X: 0}\n"
                               "threads:\n"
                               "  P0: |\n    __syncthreads();\n"
                               "  P1: |\n    int r = X; if (r == 1) { __syncthreads(); }\n"
                               "placements: [block]\n"
                               "forall: X == 0\n";
    struct fixture *f = *state;
    struct arena *a = arena_open();
    struct diag d = {0};
    struct test *t = test_read_text(a, "test.yaml", text, strlen(text), &d);
    assert_non_null(t);
    struct cell v = {backend_cpu.placement(t, a), t->accesses[0], &t->fences[0]};
    assert_non_null(backend_cpu.cannot(f->dev, t, &v, a));
    diag_free(&d);
    arena_close(a);
}

/* Arithmetic of the generated code is that of expr_eval: nothing traps, everything wraps. */
static void arithmetic_never_traps(void **state) {
    expect_always(state,
                  "name: arithmetic\n"
                  "memory: {zero: 0, one: 1, low: -2147483648}\n"
                  "threads:\n"
                  "  P: |\n"
                  "    int z = zero; int l = low; int o = one;\n"
                  "    int a = 7 / z; int b = 7 % z; int c = l / (z - o); int d = l % (z - o);\n"
                  "    int e = o << 33; int f = l >> 31; int g = l - o;\n"
                  "forall: P.a == 0 && P.b == 0 && P.c == P.l && P.d == 0 && P.e == 2 && P.f == -1\n"
                  "observe: [P.g]\n",
                  1000, (int32_t[]){0, 0, INT32_MIN, INT32_MIN, 0, 2, -1, INT32_MAX});
}

/* Each read-modify-write against its row in ops.def. */
static void every_atomic_does_as_its_row_says(void **state) {
    static const int32_t olds[] = {0, 3, 5, -7}, operands[] = {5, 3, -1};
    for (enum op_name name = 0; name < OP_COUNT; name++) {
        const struct op_call *call = op_rows[name].calls;
        if (op_rows[name].kind != OP_RMW) continue;
        struct text yaml = {0};
        const char *expected = op_call_has(call, "expected") ? "3, " : "";
        text_add(&yaml, "name: atomic\nmemory: {A: {count: 12}}\nthreads:\n  P: |\n");
        for (int k = 0; k < 12; k++)
            text_printf(&yaml, "    A[%d] = %d; int r%d = %.*s(&A[%d], %s%d);\n", k, olds[k / 3], k,
                        op_call_length(call), call->usage, k, expected, operands[k % 3]);
        text_add(&yaml, "forall: A[0] == A[0]\nobserve: [");
        for (int k = 0; k < 12; k++)
            text_printf(&yaml, "%s\"A[%d]\", P.r%d", k ? ", " : "", k, k);
        text_add(&yaml, "]\n");
        int32_t want[24];
        for (int k = 0; k < 12; k++) {
            struct value left = op_value(name, type_int, value_from(type_int, olds[k / 3]),
                                         value_from(type_int, operands[k % 3]), value_from(type_int, 3));
            want[2 * k] = (int32_t)value_int(type_int, left);
            want[2 * k + 1] = olds[k / 3];
        }
        expect_always(state, yaml.s, 100, want);
        text_free(&yaml);
    }
}

static void an_index_out_of_bounds_fails_the_run(void **state) {
    struct fixture *f = *state;
    struct cell_result c;
    cell_build(&c, f->dev,
               "name: outside\n"
               "memory: {i: 4, a: {count: 4}}\n"
               "threads:\n"
               "  P: |\n    int k = i; a[k] = 1;\n"
               "forall: i == 4\n",
               NULL);
    assert_false(backend_cpu.run(c.k, &(struct run_request){.runs = 64, .seed = 1}, &c.res, &c.d));
    assert_int_equal(c.d.errors, 1);
    char want[128];
    snprintf(want, sizeof want, "outside: an array index was out of bounds in %llu instances",
             (unsigned long long)c.res.runs);
    assert_string_equal(c.d.messages[0].text, want);
    cell_close(&c);
}

/* Names of the harness and of C's library are as good as any for a user's locations and registers. */
static void any_name_will_do(void **state) {
    expect_always(state,
                  "name: names\n"
                  "memory: {run: 1, turn: 2, sched_yield: 3, rows: 4, NTHREADS: 5, loc: 6}\n"
                  "threads:\n"
                  "  init: |\n    int at = turn; int play = run + at; int turns = play; loc = turns;\n"
                  "    while (loc == 0) {}\n"
                  "  work: |\n    int limit = sched_yield + rows + NTHREADS;\n"
                  "forall: init.turns == 3 && work.limit == 12 && loc == 3\n",
                  1000, (int32_t[]){3, 12, 3});
}

/* The trials of a run, by the environment's index. */
struct trials {
    int n, index[8];
    struct environment environment[8];
};

static void note_trial(void *ctx, const struct trial *t) {
    struct trials *all = ctx;
    if (all->n == 8) return;
    assert_true(t->runs > 0 && t->satisfied <= t->runs && t->seconds > 0);
    struct environment *e = &all->environment[all->n];
    memcpy(e->parameter, t->environment, (size_t)t->nenvironment * sizeof *t->environment);
    e->n = t->nenvironment;
    all->index[all->n++] = t->index;
}

/* The first environment is always the same; from the second on the seed decides. */
static void the_same_seed_gives_the_same_environments(void **state) {
    struct fixture *f = *state;
    struct trials seen[3] = {0};
    int differ = 0;
    for (int i = 0; i < 3; i++) {
        struct cell_result c;
        cell_build(&c, f->dev, store_buffering, "device");
        cell_run(&c, &(struct run_request){
                         .runs = 100000, .seed = i < 2 ? 7 : 8, .tried = note_trial, .ctx = &seen[i]});
        assert_int_equal(seen[i].n, 8);
        cell_close(&c);
    }
    for (int k = 0; k < 8; k++) {
        assert_true(environment_same(&seen[0].environment[k], &seen[1].environment[k]));
        differ += !environment_same(&seen[0].environment[k], &seen[2].environment[k]);
    }
    assert_true(environment_same(&seen[0].environment[0], &seen[2].environment[0]));
    assert_int_equal(differ, 7);
}

static long long parameter(const struct environment *e, const char *name) {
    for (int p = 0; p < e->n; p++)
        if (strcmp(e->parameter[p].name, name) == 0) return e->parameter[p].value;
    fail_msg("no parameter '%s'", name);
    return 0;
}

/* A schedule alone: each of its environments once, brought to what the test can have. */
static void environments_can_be_chosen(void **state) {
    struct fixture *f = *state;
    const struct environment schedule[] = {
        {.parameter = {{"instances", 100}, {"walk", 2}, {"turned", 1}, {"delay", 5}}, .n = 4},
        {.parameter = {{"instances", 1 << 20}, {"stride", 99}, {"chunk", 5000}, {"touch", -1}, {"packed", 7}},
         .n = 5},
        {.parameter = {{"turned", 2}, {"skew", 1 << 20}, {"instances", 0}, {"chunk", 0}}, .n = 4}};
    struct trials seen = {0};
    struct cell_result c;
    cell_build(&c, f->dev, store_buffering, "none");
    cell_run(&c, &(struct run_request){.seed = 7,
                                       .schedule = schedule,
                                       .nschedule = 3,
                                       .seconds_each = 0.001,
                                       .tried = note_trial,
                                       .ctx = &seen});
    assert_int_equal(seen.n, 3);
    for (int i = 0; i < 3; i++)
        assert_int_equal(seen.index[i], i);
    const struct environment *e = seen.environment;
    assert_int_equal(parameter(&e[0], "instances"), 64);
    assert_int_equal(parameter(&e[0], "walk"), 2);
    assert_int_equal(parameter(&e[0], "turned"), 1);
    assert_int_equal(parameter(&e[0], "delay"), 5);
    assert_int_equal(parameter(&e[1], "instances"), 8192);
    assert_int_equal(parameter(&e[1], "stride"), 4);
    assert_int_equal(parameter(&e[1], "chunk"), 64);
    assert_int_equal(parameter(&e[1], "touch"), 0);
    assert_int_equal(parameter(&e[1], "packed"), 1);
    assert_int_equal(parameter(&e[2], "turned"), 0); /* of two threads */
    assert_int_equal(parameter(&e[2], "instances"), 1);
    assert_int_equal(parameter(&e[2], "skew"), 1);
    assert_int_equal(parameter(&e[2], "chunk"), 1);
    cell_close(&c);
}

/* What a schedule names comes first, then chance; every parameter that is shown is one of the ranges. */
static void a_run_goes_on_after_its_schedule(void **state) {
    struct fixture *f = *state;
    const struct environment schedule[] = {{.parameter = {{"instances", 32}}, .n = 1}};
    struct trials seen = {0};
    struct cell_result c;
    cell_build(&c, f->dev, store_buffering, "none");
    cell_run(&c, &(struct run_request){.runs = 8192,
                                       .seed = 7,
                                       .schedule = schedule,
                                       .nschedule = 1,
                                       .tried = note_trial,
                                       .ctx = &seen});
    assert_true(seen.n >= 2);
    assert_int_equal(parameter(&seen.environment[0], "instances"), 32);
    for (int p = 0; p < seen.environment[0].n; p++)
        assert_non_null(range_find(backend_cpu.ranges, seen.environment[0].parameter[p].name));
    cell_close(&c);
}

static void stop_once(void *ctx, uint64_t runs, double seconds) {
    (void)seconds;
    if (runs > 0) *(atomic_int *)ctx = 1;
}

/* Ctrl-C: what was counted until then is the result. */
static void a_stopped_run_keeps_what_it_counted(void **state) {
    struct fixture *f = *state;
    struct cell_result c;
    atomic_int stop = 0;
    cell_build(&c, f->dev, store_buffering, "none");
    cell_run(
        &c,
        &(struct run_request){
            .runs = UINT64_MAX / 2, .seed = 1, .stop = &stop, .progress = stop_once, .ctx = (void *)&stop});
    assert_true(c.res.interrupted);
    assert_true(c.res.runs > 0);
    cell_close(&c);
}

/* Stopped before it began, in a wait that would be stuck: nothing ran, and nothing is called stuck. */
static void a_stop_ends_a_wait(void **state) {
    struct fixture *f = *state;
    struct cell_result c;
    atomic_int stop = 1;
    cell_build(&c, f->dev,
               "name: stuck\nmemory: {X: 0}\nthreads:\n  P0: |\n    while (X == 0) {}\nforall: X == 0\n",
               NULL);
    cell_run(&c, &(struct run_request){.runs = 1000, .seed = 1, .stop = &stop});
    assert_true(c.res.interrupted);
    assert_int_equal(c.res.runs, 0);
    cell_close(&c);
}

static void a_time_limit_ends_the_run(void **state) {
    struct fixture *f = *state;
    struct cell_result c;
    cell_build(&c, f->dev, store_buffering, "device");
    cell_run(&c, &(struct run_request){.seconds = 0.05, .seed = 1});
    assert_true(c.res.runs > 0);
    assert_true(c.res.seconds >= 0.05);
    assert_false(c.res.interrupted);
    cell_close(&c);
}

static void too_many_threads_are_a_reason_to_skip(void **state) {
    struct fixture *f = *state;
    struct arena *a = arena_open();
    struct diag d = {0};
    static const char yaml[] =
        "name: many\nmemory: {X: 0}\nthreads:\n  T: {count: 513, body: X = 1;}\nforall: X == 1\n";
    struct test *t = test_read_text(a, "test.yaml", yaml, sizeof yaml - 1, &d);
    assert_non_null(t);
    struct cell v = {backend_cpu.placement(t, a), t->accesses[0], &t->fences[0]};
    assert_string_equal(backend_cpu.cannot(f->dev, t, &v, a), "513 threads; the cpu backend runs up to 512");
    arena_close(a);
    diag_free(&d);
}

static void expect_open_error(const char *cc, const char *path, const char *want) {
    struct diag d = {0};
    struct device *dev;
    char *old_path = strdup(getenv("PATH"));
    char *old_cc = getenv("CC") ? strdup(getenv("CC")) : NULL;
    setenv("CC", cc, 1);
    if (path) setenv("PATH", path, 1);
    bool ok = backend_cpu.open(0, &dev, &d) == OPENING_DONE;
    setenv("PATH", old_path, 1);
    if (old_cc)
        setenv("CC", old_cc, 1);
    else
        unsetenv("CC");
    free(old_path);
    free(old_cc);
    assert_false(ok);
    assert_int_equal(d.n, 1);
    assert_string_equal(d.messages[0].text, want);
    diag_free(&d);
}

static void without_a_compiler_there_is_no_device(void **state) {
    (void)state;
    expect_open_error("", "/nonexistent",
                      "no C compiler: none of cc, gcc and clang is on PATH, and CC is not set");
    expect_open_error("no-such-cc -m64", NULL,
                      "no C compiler: CC is 'no-such-cc -m64', and no such program is on PATH");
    expect_open_error("false", "/bin:/usr/bin", "no C compiler: '/bin/false --version' failed");
}

static void there_is_one_cpu_device(void **state) {
    (void)state;
    struct diag d = {0};
    struct device *dev;
    assert_int_equal(backend_cpu.open(3, &dev, &d), OPENING_FAILED);
    assert_string_equal(d.messages[0].text, "no CPU device 3: there is only device 0");
    diag_free(&d);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_of_every_width_are_run),
        cmocka_unit_test(store_buffering_shows_without_a_fence),
        cmocka_unit_test(store_buffering_is_gone_with_a_fence),
        cmocka_unit_test(message_passing_is_never_weak_on_x86),
        cmocka_unit_test(a_lock_keeps_every_increment),
        cmocka_unit_test(a_wait_ends_when_the_flag_is_set),
        cmocka_unit_test(a_block_meets_at_its_barrier),
        cmocka_unit_test(warps_and_clusters_meet_by_themselves),
        cmocka_unit_test(who_has_no_barrier_is_not_waited_for),
        cmocka_unit_test(barriers_of_different_numbers_meet_by_themselves),
        cmocka_unit_test(a_barrier_is_met_again_by_more),
        cmocka_unit_test(barriers_in_opposite_order_are_stuck),
        cmocka_unit_test(a_wait_for_nothing_is_stuck),
        cmocka_unit_test(a_barrier_that_one_misses_is_a_reason_to_skip),
        cmocka_unit_test(arithmetic_never_traps),
        cmocka_unit_test(every_atomic_does_as_its_row_says),
        cmocka_unit_test(an_index_out_of_bounds_fails_the_run),
        cmocka_unit_test(any_name_will_do),
        cmocka_unit_test(the_same_seed_gives_the_same_environments),
        cmocka_unit_test(environments_can_be_chosen),
        cmocka_unit_test(a_run_goes_on_after_its_schedule),
        cmocka_unit_test(a_stopped_run_keeps_what_it_counted),
        cmocka_unit_test(a_stop_ends_a_wait),
        cmocka_unit_test(a_time_limit_ends_the_run),
        cmocka_unit_test(too_many_threads_are_a_reason_to_skip),
        cmocka_unit_test(without_a_compiler_there_is_no_device),
        cmocka_unit_test(there_is_one_cpu_device),
    };
    return cmocka_run_group_tests(tests, open_device, close_device);
}
