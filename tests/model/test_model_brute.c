/* Holds the interpreter with models/ptx.cat against the second writing of the model, outcome by outcome, on
 * random programs. The programs follow from the seed: a failure prints the test. */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "brute_text.h"
#include "litmus/histogram.h"
#include "model/race.h"
#include "oracle.h"
#include "source/read.h"

static struct oracle oracle = {.programs = 1500, .seed = 20260720};

/* A program, and what both ways of judging it are asked for. */
struct comparison {
    const struct model *model;
    const struct brute_program *program;
    const struct brute_width *width;
    struct brute_text text;
    struct brute_outcomes expected;
    const struct test *test;
    const struct cell *cell;
};

static void check(const struct comparison *c, bool good, const char *what) {
    oracle.compared++;
    oracle.different += !good;
    if (!good) print_error("%s\n%s\n", c->text.text.s, what);
    assert_true(good);
}

/* Whether the search came to its end. What does not is printed: print_message() would cut it short. */
static bool is_known(const struct comparison *c, const struct model_result *r) {
    bool known = r->status == MODEL_DONE;
    oracle.unknown += !known;
    if (!known) fprintf(stderr, "%s\nunknown: %s\n", c->text.text.s, r->why);
    return known;
}

/* The program's number that a value stands for. */
static int64_t unscaled(const struct brute_width *w, struct type t, struct value v) {
    if (w->scale == 1) return value_int(t, v);
    for (int n = 0; n < 100; n++)
        if (value_equal(value_from(t, n * w->scale), v)) return n;
    return -1;
}

static bool is_expected(const struct comparison *c, const struct model_outcome *outcome) {
    const struct test *t = c->test;
    int64_t values[BRUTE_MAX_OBS];
    int n = 0;
    for (int o = 0; o < t->nobs; o++) {
        struct type type = t->obs[o].type;
        for (int lane = 0; lane < type.lanes; lane++)
            values[n++] = unscaled(c->width, type_lane(type), value_lane(type, outcome->values[o], lane));
    }
    assert_int_equal(n, c->expected.nobs);
    return brute_has(&c->expected, values);
}

/* Outcomes that are allowed, and such as take values from two of them. */
static struct histogram mix(const struct test *t, const struct model_result *r) {
    enum { MOST_MIXED = 12 };
    struct histogram all = {.nobs = t->nobs};
    struct value values[TEST_MAX_OBS];
    for (int k = 0; k < r->noutcomes && k < MOST_MIXED; k++) {
        histogram_add(&all, r->outcomes[k].values, 1);
        for (int o = 0; o < t->nobs; o++)
            values[o] = r->outcomes[(k + o % 2 * (r->noutcomes / 2 + 1)) % r->noutcomes].values[o];
        histogram_add(&all, values, 1);
    }
    return all;
}

/* A search that lists one outcome must answer the same as one that lists them all. */
static void compare_unlisted(const struct comparison *c, const struct model_result *r) {
    static const struct model_limits one = {.outcomes = 1};
    const struct test *t = c->test;
    struct diag d = {0};
    struct arena *a = arena_open();
    struct model_result few;
    struct histogram seen = mix(t, r);
    assert_true(model_check(c->model, t, c->cell, &one, a, &few, &d));
    bool known = is_known(c, &few);
    bool same = few.unlisted == (r->noutcomes > 1) && few.allowed == r->allowed && few.holds == r->holds &&
                few.noutcomes <= 3;
    if (few.unlisted) model_list_seen(c->model, t, c->cell, &one, &seen, a, &few);
    for (size_t k = 0; same && k < seen.n; k++) {
        const struct value *values = seen.outcomes[k].values;
        same = model_allows(&few, t->nobs, values) == model_allows(r, t->nobs, values);
    }
    check(c, same || !known, "one outcome alone does not give the same answers");
    histogram_free(&seen);
    diag_free(&d);
    arena_close(a);
}

/* Which operation of the program an access of the test is, numbered by thread. */
static int number_of(const struct comparison *c, const struct race_access *x) {
    return x->thread * BRUTE_MAX_OPS + c->text.op_at[x->thread][x->pos.line];
}

/* The races are those of the definitions. */
static void compare_races(const struct comparison *c, const struct races *races) {
    enum { N = BRUTE_MAX_THREADS * BRUTE_MAX_OPS };
    bool found[N][N] = {{false}};
    for (int k = 0; k < races->n; k++) {
        int x = number_of(c, &races->list[k].access[0]), y = number_of(c, &races->list[k].access[1]);
        found[x < y ? x : y][x < y ? y : x] = true;
    }
    for (int x = 0; x < N; x++)
        for (int y = 0; y < N; y++)
            if (found[x][y] != c->expected.races[x][y])
                print_error("%s says that operation %d of T%d races with operation %d of T%d\n",
                            found[x][y] ? "only the interpreter" : "only the definitions", x % BRUTE_MAX_OPS,
                            x / BRUTE_MAX_OPS, y % BRUTE_MAX_OPS, y / BRUTE_MAX_OPS);
    check(c, memcmp(found, c->expected.races, sizeof found) == 0, "the races are others");
}

/* Races that are found while the cell is judged are those that a search for races finds, in the same executions. */
static void compare_ways(const struct comparison *c, const struct races *way, const struct races *races) {
    bool same = way->n == races->n && !way->partial && !races->partial;
    for (int k = 0; same && k < way->n; k++) {
        const struct race *x = &way->list[k], *y = &races->list[k];
        same = memcmp(x->values, y->values, (size_t)c->test->nobs * sizeof *x->values) == 0;
        for (int side = 0; side < 2; side++)
            same = same && x->access[side].op == y->access[side].op &&
                   x->access[side].thread == y->access[side].thread;
    }
    check(c, same, "other races are found on the way");
}

static void print_difference(const struct comparison *c, const struct model_result *r) {
    const struct brute_outcomes *expected = &c->expected;
    print_error("the interpreter has %d outcomes%s, the definitions %d%s\n", r->noutcomes,
                r->undefined ? ", undefined" : "", expected->n, expected->undefined ? ", undefined" : "");
    if (r->undefined || expected->undefined) return;
    for (int k = 0; k < expected->n; k++) {
        print_error("the definitions:");
        for (int o = 0; o < expected->nobs; o++)
            print_error(" %lld", (long long)expected->values[k * BRUTE_MAX_OBS + o]);
        print_error("\n");
    }
    for (int k = 0; k < r->noutcomes; k++) {
        if (is_expected(c, &r->outcomes[k])) continue;
        char value[VALUE_MAX_TEXT];
        print_error("only the interpreter:");
        for (int o = 0; o < c->test->nobs; o++)
            print_error(" %s", value_text(value, c->test->obs[o].type, r->outcomes[k].values[o]));
        print_error("\n");
    }
}

static void check_outcomes(const struct comparison *c, const struct model_result *r) {
    bool undefined = c->expected.undefined;
    bool same = r->undefined == undefined && (undefined || r->noutcomes == c->expected.n);
    for (int k = 0; same && k < r->noutcomes && !undefined; k++)
        same = is_expected(c, &r->outcomes[k]);
    if (!same) print_difference(c, r);
    check(c, same, "the outcomes are others");
}

/* Where accesses of several sizes race, PTX promises that atomic operations take turns, which may settle the condition: all
 * values are 0. */
static void compare_turns(const struct comparison *c, const struct model_result *r) {
    struct comparison turns = *c;
    struct brute_outcomes *taken = &turns.expected;
    *taken = (struct brute_outcomes){0};
    bool promised = brute_take_turns(c->program, taken);
    bool settled = promised && (taken->n == 1 || !brute_has(taken, (int64_t[BRUTE_MAX_OBS]){0}));
    taken->undefined = !settled;
    check_outcomes(&turns, r);
    brute_free(taken);
}

/* A search for outcomes alone, or one that counts. */
static void compare_outcomes(const struct comparison *c, struct arena *a, long long counting) {
    const struct model_limits limits = {.counting = counting};
    struct diag d = {0};
    struct model_result r;
    struct races way, races;
    assert_true(model_check_races(c->model, c->test, c->cell, &limits, a, &r, &way, &d));
    if (!is_known(c, &r)) return;
    if (c->expected.undefined)
        compare_turns(c, &r);
    else
        check_outcomes(c, &r);
    assert_true(counting < 0 || !way.open || c->program->grain); /* they may be many */
    assert_true(model_races(c->model, c->test, c->cell, NULL, a, &races, &d));
    if (!races.partial && !c->expected.undefined)
        compare_races(c, &races); /* else no axiom says what is ordered */
    if (!way.open) compare_ways(c, &way, &races);
    if (counting < 0 && !c->expected.undefined) compare_unlisted(c, &r);
    diag_free(&d);
}

static void compare(const struct model *m, const struct brute_program *p, const struct brute_width *w) {
    struct comparison c = {.model = m, .program = p, .width = w};
    struct diag d = {0};
    struct arena *a = arena_open();
    int n;
    brute_write(&c.text, p, w);
    brute_run(p, &c.expected);
    if (c.text.observed != ~0u) brute_project(&c.expected, c.text.observed);
    struct test *t =
        test_read_text(a, c.text.table ? "random.litmus" : "random.yaml", c.text.text.s, c.text.text.len, &d);
    diag_render(&d, stderr, false);
    assert_non_null(t);
    c.test = t;
    c.cell = test_cells(t, a, &n);
    assert_int_equal(n, 1);
    compare_outcomes(&c, a, -1);
    compare_outcomes(&c, a, LLONG_MAX);
    brute_free(&c.expected);
    text_free(&c.text.text);
    diag_free(&d);
    arena_close(a);
}

/* Whether the threads must sit in one block. */
static bool is_one_block(const struct brute_program *p) {
    for (int o = 0; o < p->nops[0]; o++)
        if (p->ops[0][o].kind == BRUTE_BARRIER || p->ops[0][o].kind == BRUTE_MEET ||
            p->ops[0][o].kind == BRUTE_COPY)
            return true;
    return brute_swaps(p);
}

static void compare_programs(void (*make)(struct brute_program *p), int n) {
    struct diag d = {0};
    struct arena *a = arena_open();
    const struct model *m = model_load(a, "ptx", &d);
    assert_non_null(m);
    brute_random_seed(oracle.seed);
    for (int k = 0; k < n; k++, oracle.drawn++) {
        struct brute_program p;
        make(&p);
        brute_random_seats(&p, is_one_block(&p));
        compare(m, &p, &brute_widths[brute_needs_table(&p) || p.grain ? 0 : k % BRUTE_WIDTHS]);
    }
    arena_close(a);
    diag_free(&d);
    assert_true(oracle.unknown * 4 <= oracle.compared);
}

static void add_op(struct brute_program *p, int thread, struct brute_op o) {
    o.scope = BRUTE_SYS;
    o.source = -1;
    p->ops[thread][p->nops[thread]++] = o;
}

/* Atomic operations of two sizes race before a barrier: one of them comes first, and the other sees it. Not so if one is a
 * store. */
static void test_turns_before_barriers(void **state) {
    (void)state;
    struct diag d = {0};
    struct arena *a = arena_open();
    const struct model *m = model_load(a, "ptx", &d);
    for (int stores = 0; stores < 2; stores++) {
        struct brute_program p = {.nthreads = 2, .grain = 4};
        struct brute_outcomes turns = {0};
        struct brute_op exchange = {.kind = BRUTE_EXCH, .order = BRUTE_RELAXED, .value = 1, .bytes = 8};
        add_op(&p, 0, exchange);
        exchange.bytes = 4;
        if (stores) exchange.kind = BRUTE_STORE;
        add_op(&p, 1, exchange);
        for (int t = 0; t < p.nthreads; t++)
            add_op(&p, t, (struct brute_op){.kind = BRUTE_BARRIER});
        compare(m, &p, &brute_widths[0]);
        assert_int_equal(brute_take_turns(&p, &turns), !stores);
        assert_int_equal(turns.n, stores ? 0 : 2);
        brute_free(&turns);
    }
    arena_close(a);
    diag_free(&d);
}

static void test_random_programs(void **state) {
    (void)state;
    compare_programs(brute_random_program, oracle.programs);
}

static void test_random_messages(void **state) {
    (void)state;
    compare_programs(brute_random_message, oracle.programs / 50); /* they are larger */
}

static void test_random_vectors(void **state) {
    (void)state;
    compare_programs(brute_random_vectors, oracle.programs / 10);
}

static void test_random_sizes(void **state) {
    (void)state;
    compare_programs(brute_random_sizes, oracle.programs / 40);
}

static void test_random_views(void **state) {
    (void)state;
    compare_programs(brute_random_views, oracle.programs / 20);
}

static void test_random_atomics(void **state) {
    (void)state;
    compare_programs(brute_random_atomics, oracle.programs / 10);
}

static void test_random_swaps(void **state) {
    (void)state;
    compare_programs(brute_random_swaps, oracle.programs / 20);
}

static void test_random_meetings(void **state) {
    (void)state;
    compare_programs(brute_random_meetings, oracle.programs / 20);
}

static void test_random_copies(void **state) {
    (void)state;
    compare_programs(brute_random_copies, oracle.programs / 2);
}

static void test_random_counters(void **state) {
    (void)state;
    compare_programs(brute_random_counters, oracle.programs / 20);
}

static void test_random_rounds(void **state) {
    (void)state;
    compare_programs(brute_random_rounds, oracle.programs / 20);
}

static void test_random_exits(void **state) {
    (void)state;
    compare_programs(brute_random_exits, oracle.programs / 3);
}

int main(int argc, char **argv) {
    oracle_begin(&oracle, "test_random*", argc, argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_turns_before_barriers), cmocka_unit_test(test_random_programs),
        cmocka_unit_test(test_random_vectors),        cmocka_unit_test(test_random_sizes),
        cmocka_unit_test(test_random_swaps),          cmocka_unit_test(test_random_messages),
        cmocka_unit_test(test_random_copies),         cmocka_unit_test(test_random_meetings),
        cmocka_unit_test(test_random_exits),          cmocka_unit_test(test_random_views),
        cmocka_unit_test(test_random_atomics),        cmocka_unit_test(test_random_counters),
        cmocka_unit_test(test_random_rounds)};
    return oracle_end(&oracle, cmocka_run_group_tests(tests, NULL, NULL));
}
