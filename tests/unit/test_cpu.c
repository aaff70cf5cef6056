/* What cells come to on the CPU: values, operations, and what its memory model shows. Where chance is at work, only what
 * cannot fail on a working machine is claimed. */
#include "base/text.h"
#include "cpu_cell.h"

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

static void store_buffering_shows_without_a_fence(void **state) {
    struct cell_result c;
    if (cpu_cores() < 2) skip(); /* of which a store buffer could be seen */
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_of_every_width_are_run),
        cmocka_unit_test(store_buffering_shows_without_a_fence),
        cmocka_unit_test(store_buffering_is_gone_with_a_fence),
        cmocka_unit_test(message_passing_is_never_weak_on_x86),
        cmocka_unit_test(arithmetic_never_traps),
        cmocka_unit_test(every_atomic_does_as_its_row_says),
        cmocka_unit_test(an_index_out_of_bounds_fails_the_run),
        cmocka_unit_test(any_name_will_do),
    };
    return cmocka_run_group_tests(tests, cpu_open, cpu_close);
}
