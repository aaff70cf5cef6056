/* Which of many machines differs: chances, honest fleets, and one that is not. */
#include <math.h>

#include "base/random.h"
#include "cm.h"
#include "results/spread.h"
#include "sample.h"

/* From tables of Student's distribution, and its closed forms for 1 and 2 degrees of freedom. */
static void test_student(void **state) {
    (void)state;
    assert_true(fabs(spread_student(2.228, 10) - 0.05) < 1e-4);
    assert_true(fabs(spread_student(-2.228, 10) - 0.05) < 1e-4);
    assert_true(fabs(spread_student(5.959, 6) - 0.001) < 1e-5);
    assert_true(fabs(spread_student(1, 1) - 0.5) < 1e-12);
    assert_true(fabs(spread_student(0, 5) - 1) < 1e-12);
    double t = 1000, exact = 1 - t / sqrt(2 + t * t);
    assert_true(fabs(spread_student(t, 2) / exact - 1) < 1e-6);
    assert_true(fabs(spread_student(1.96, 1e6) - 0.05) < 1e-4);
}

static void test_fisher(void **state) {
    (void)state;
    assert_true(fabs(spread_fisher(3, 4, 4, 8) - 2 * 17.0 / 70) < 1e-12);
    assert_true(fabs(spread_fisher(4, 4, 4, 8) - 2 / 70.0) < 1e-12);
    assert_true(fabs(spread_fisher(0, 4, 4, 8) - 2 / 70.0) < 1e-12);
    assert_true(spread_fisher(5, 10, 10, 20) == 1);
    assert_true(spread_fisher(7, 7, 20, 20) == 1);
}

/* ---- fleets ---- */

enum { GPUS = 8, CELLS = 60, TRIED = 40 };

static double uniform(uint64_t *seed) {
    return ((double)(random_next(seed) >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(uint64_t *seed) {
    return sqrt(-2 * log(uniform(seed))) * cos(6.283185307179586 * uniform(seed));
}

/* Hits of a cell on a GPU. Every third cell has a rate that each repetition repeats but for chance; the next one scatters by
 * a factor; the last is rare, and all its hits are bursts of few environments. */
static void run_cell(struct cell_result *c, int cell, double runs, uint64_t *seed) {
    double rate = 0.3 / (1 + cell), hits = 0;
    c->seen_in = c->environments = TRIED;
    if (cell % 3 == 2) {
        c->seen_in = 0;
        for (int e = 0; e < TRIED; e++) {
            bool burst = uniform(seed) < 0.05;
            c->seen_in += burst;
            hits += burst ? runs / TRIED * rate * -log(uniform(seed)) : 0;
        }
    } else {
        if (cell % 3 == 1) rate *= exp(0.3 * normal(seed));
        hits = runs * rate + normal(seed) * sqrt(runs * rate * (1 - rate));
    }
    c->runs = (uint64_t)runs;
    c->satisfied = hits < 0 ? 0 : hits > runs ? c->runs : (uint64_t)hits;
}

static const char *name_of(const void *ctx, const struct cell_result *c) {
    (void)c;
    return ctx;
}

/* A fleet in which GPU 5 shows cell 0 so many times as often. */
static struct spread_found run_fleet(struct arena *a, double runs, double factor, uint64_t *seed,
                                     struct spread **s) {
    static const char *const gpus[GPUS] = {"0", "1", "2", "3", "4", "5", "6", "7"};
    *s = spread_begin(a, false);
    for (int g = 0; g < GPUS; g++)
        for (int cell = 0; cell < CELLS; cell++) {
            struct cell_outcome o;
            struct cell_result c = ran(&o, 0);
            struct test_result t = test_of(&c, 1);
            char name[16];
            snprintf(name, sizeof name, "T%d", cell);
            t.name = name;
            run_cell(&c, cell, runs, seed);
            if (g == 5 && cell == 0) c.satisfied = (uint64_t)((double)c.satisfied * factor);
            spread_add(*s, &t, name_of, gpus[g]);
        }
    return spread_find(*s);
}

static void test_honest_fleets_say_nothing(void **state) {
    (void)state;
    uint64_t seed = 1;
    for (int k = 0; k < 100; k++) {
        struct arena *a = arena_open();
        struct spread *s;
        struct spread_found f = run_fleet(a, k % 2 ? 1e5 : 1e8, 1, &seed, &s);
        assert_int_equal(f.n, 0);
        assert_int_equal(f.groups, GPUS);
        assert_int_equal(f.cells, CELLS);
        assert_true(f.tests >= 2 * CELLS / 3 * GPUS);
        spread_end(s);
        arena_close(a);
    }
}

/* A percent is found where there are enough runs, and not where it is within chance. */
static void test_one_percent_is_found(void **state) {
    (void)state;
    uint64_t seed = 2;
    for (int k = 0; k < 20; k++) {
        struct arena *a = arena_open();
        struct spread *s;
        struct spread_found f = run_fleet(a, k % 2 ? 1e4 : 1e9, 1.01, &seed, &s);
        assert_int_equal(f.n, k % 2 ? 0 : 1);
        if (f.n) {
            assert_string_equal(f.list[0].test, "T0");
            assert_string_equal(f.list[0].group, "5");
            assert_false(f.list[0].by_environments);
            assert_true(fabs(f.list[0].here / f.list[0].others - 1.01) < 1e-3);
        }
        spread_end(s);
        arena_close(a);
    }
}

/* Adds results of one GPU each: the outcome showed in so many environments, or, with more load, in half of those. */
static struct spread_found share_environments(struct arena *a, int results, int seen, int at_6, bool loaded,
                                              struct spread **s) {
    *s = spread_begin(a, false);
    for (int g = 0; g < results; g++) {
        struct cell_outcome o;
        struct cell_result c = ran(&o, 1000);
        struct test_result t = test_of(&c, 1);
        char name[16];
        snprintf(name, sizeof name, "%d", g);
        c.environments = TRIED;
        c.seen_in = g == 6 ? at_6 : loaded && g % 2 ? seen / 2 : seen + g % 3;
        c.satisfied = (uint64_t)c.seen_in;
        spread_add(*s, &t, name_of, name);
    }
    return spread_find(*s);
}

/* What one GPU never shows is found by the environments, unless the others scatter as much. */
static void test_never_shown_is_found(void **state) {
    (void)state;
    struct arena *a = arena_open();
    struct spread *s;
    struct spread_found f = share_environments(a, 16, 30, 0, false, &s);
    assert_int_equal(f.n, 1);
    assert_string_equal(f.list[0].group, "6");
    assert_true(f.list[0].by_environments);
    assert_true(f.list[0].here == 0);
    spread_end(s);
    f = share_environments(a, 16, 30, 0, true, &s);
    assert_int_equal(f.n, 0);
    spread_end(s);
    f = share_environments(a, 16, 0, 0, false, &s);
    assert_int_equal(f.n, 0);
    spread_end(s);
    f = share_environments(a, 3, 30, 0, false, &s);
    assert_int_equal(f.tests, 0);
    spread_end(s);
    arena_close(a);
}

/* Each of 8 GPUs ran a cell with two compilers, of which one shows the outcome a hundred times as often; GPU 5 shows it
 * twice as often as the others with one of them, or does not. */
static struct spread_found run_compilers(struct arena *a, bool honest, bool compilers, struct spread **s) {
    static const char *const names[] = {"NVRTC 12.4.127", "NVRTC 13.0.88"};
    uint64_t seed = 3;
    *s = spread_begin(a, compilers);
    for (int k = 0; k < 2 * GPUS; k++) {
        struct cell_outcome o;
        struct cell_result c = ran(&o, 1000 * 1000);
        struct test_result t = test_of(&c, 1);
        char gpu[16];
        snprintf(gpu, sizeof gpu, "%d", k / 2);
        double hits = (k % 2 ? 1000 : 100 * 1000) * (k / 2 == 5 && k % 2 && !honest ? 2 : 1);
        c.compiler = names[k % 2];
        c.satisfied = (uint64_t)(hits + sqrt(hits) * normal(&seed));
        c.environments = 0;
        spread_add(*s, &t, name_of, compilers ? names[k % 2] : gpu);
    }
    return spread_find(*s);
}

/* What compilers make different neither hides what a GPU does nor is taken for it. */
static void test_compilers_are_kept_apart(void **state) {
    (void)state;
    struct arena *a = arena_open();
    struct spread *s;
    struct spread_found f = run_compilers(a, true, false, &s);
    assert_int_equal(f.cells, 2);
    assert_int_equal(f.n, 0);
    spread_end(s);
    f = run_compilers(a, false, false, &s);
    assert_int_equal(f.n, 1);
    assert_string_equal(f.list[0].group, "5");
    assert_string_equal(f.list[0].compiler, "NVRTC 13.0.88");
    spread_end(s);
    f = run_compilers(a, true, true, &s);
    assert_int_equal(f.cells, 1);
    assert_int_equal(f.n, 2);
    assert_string_equal(f.list[0].compiler, "");
    spread_end(s);
    arena_close(a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_student),
        cmocka_unit_test(test_fisher),
        cmocka_unit_test(test_honest_fleets_say_nothing),
        cmocka_unit_test(test_one_percent_is_found),
        cmocka_unit_test(test_never_shown_is_found),
        cmocka_unit_test(test_compilers_are_kept_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
