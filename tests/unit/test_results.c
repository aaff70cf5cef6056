/* Results of several runs, added up; and how they are laid out. */
#include <stdlib.h>
#include <string.h>

#include "../ints.h"
#include "base/text.h"
#include "cm.h"
#include "report/layout.h"
#include "results/results.h"
#include "sample.h"

/* One machine skipped all cells, so it does not know what is observed; the other's results count. */
static void test_skipped_takes_the_others(void **state) {
    (void)state;
    static const char *warnings[] = {"never seen"};
    struct arena *a = arena_open();
    struct diag d = {0};
    struct cell_outcome outcome;
    struct cell_result some = ran(&outcome, 100), none = some;
    none.runs = none.satisfied = 0;
    none.noutcomes = 0;
    none.skipped = "needs 2 GPUs; there is 1";
    none.verdict = VERDICT_SKIPPED;
    struct test_result mine = test_of(&none, 0), theirs = test_of(&some, 1);
    struct report sum = {.tests = &mine, .ntests = 1}, other = {.tests = &theirs, .ntests = 1};
    assert_true(results_merge(a, &sum, &other, &d));
    assert_int_equal(sum.tests[0].nobs, 1);
    assert_null(sum.tests[0].cells[0].skipped);
    assert_int_equal(sum.tests[0].cells[0].runs, 100);
    mine.cells[0].warnings = warnings;
    mine.cells[0].nwarnings = 1;
    struct cell_result nothing = ran(&outcome, 0);
    nothing.skipped = "no GPU";
    nothing.noutcomes = 0;
    struct test_result skipped = test_of(&nothing, 0);
    other.tests = &skipped;
    assert_true(results_merge(a, &sum, &other, &d));
    assert_int_equal(sum.tests[0].cells[0].nwarnings, 1);
    diag_free(&d);
    arena_close(a);
}

/* A file that both results have refused stands once in their sum. */
static void test_refused_files(void **state) {
    (void)state;
    struct arena *a = arena_open();
    struct diag d = {0};
    struct refused_file mine[] = {{.file = "a.yaml"}}, theirs[] = {{.file = "b.yaml"}, {.file = "a.yaml"}};
    struct report sum = {.refused = mine, .nrefused = 1}, other = {.refused = theirs, .nrefused = 2};
    assert_true(results_merge(a, &sum, &other, &d));
    assert_int_equal(sum.nrefused, 2);
    assert_string_equal(sum.refused[0].file, "a.yaml");
    assert_string_equal(sum.refused[1].file, "b.yaml");
    diag_free(&d);
    arena_close(a);
}

/* Rates are compared without overflow: 9e9 of 1e10 is more than 1e10 of 4e10, and its environment stays. */
static void test_large_counts(void **state) {
    (void)state;
    struct arena *a = arena_open();
    struct diag d = {0};
    struct cell_outcome o1, o2;
    struct parameter good = {"threads", 512}, bad = {"threads", 64};
    struct cell_result low = ran(&o1, 40000000000u), high = ran(&o2, 10000000000u);
    low.satisfied = 10000000000u;
    high.satisfied = 9000000000u;
    low.environment = &bad;
    high.environment = &good;
    low.nenvironment = high.nenvironment = 1;
    struct test_result mine = test_of(&low, 1), theirs = test_of(&high, 1);
    struct report sum = {.tests = &mine, .ntests = 1}, other = {.tests = &theirs, .ntests = 1};
    assert_true(results_merge(a, &sum, &other, &d));
    assert_int_equal(sum.tests[0].cells[0].environment[0].value, 512);
    assert_int_equal(sum.tests[0].cells[0].satisfied, 19000000000u);
    diag_free(&d);
    arena_close(a);
}

/* Merges two reports of a cell each; the sum is in `x`, the diagnostics of a failure are dropped. */
static bool merge(struct arena *a, struct test_result *x, struct test_result *y) {
    struct diag d = {0};
    struct report sum = {.tests = x, .ntests = 1}, other = {.tests = y, .ntests = 1};
    bool ok = results_merge(a, &sum, &other, &d);
    assert_int_equal(sum.ntests, 1);
    assert_int_equal(d.errors, ok ? 0 : 1);
    *x = sum.tests[0];
    diag_free(&d);
    return ok;
}

/* Whatever was counted is counted in the sum, which is judged again. */
/* The environment that stays is the one whose best rate stays: 3e9 a second in 1 of 10 runs, not 1e9 in 9 of 10. */
static void test_the_best_environment_stays(void **state) {
    (void)state;
    struct arena *a = arena_open();
    struct diag d = {0};
    struct cell_outcome outcomes[2];
    struct cell_result often = ran(&outcomes[0], 1000), fast = ran(&outcomes[1], 1000);
    struct parameter one = {"blocks", 1}, two = {"blocks", 2};
    often.environment = &one, often.satisfied = 900, often.best_rate = 1e9;
    fast.environment = &two, fast.satisfied = 100, fast.best_rate = 3e9;
    often.nenvironment = fast.nenvironment = often.environments = fast.environments = 1;
    struct test_result x = test_of(&often, 1), y = test_of(&fast, 1);
    struct report sum = {.tests = &x, .ntests = 1}, other = {.tests = &y, .ntests = 1};
    assert_true(results_merge(a, &sum, &other, &d));
    assert_int_equal(sum.tests[0].cells[0].environment[0].value, 2);
    assert_true(sum.tests[0].cells[0].best_rate == 3e9);
    arena_close(a);
}

/* What could not be read again is not written. */
static void test_seconds_without_end(void **state) {
    (void)state;
    struct arena *a = arena_open();
    struct diag d = {0};
    struct cell_outcome outcomes[2];
    struct cell_result c = ran(&outcomes[0], 10), e = ran(&outcomes[1], 10);
    c.seconds = e.seconds = 1e308;
    struct test_result x = test_of(&c, 1), y = test_of(&e, 1);
    struct report sum = {.tests = &x, .ntests = 1}, other = {.tests = &y, .ntests = 1};
    assert_false(results_merge(a, &sum, &other, &d));
    assert_non_null(strstr(diag_first_error(&d), "their seconds add up to more than can be written"));
    diag_free(&d);
    arena_close(a);
}

static void test_all_is_added(void **state) {
    (void)state;
    static const struct value two[] = {{2, 0}};
    static const char *warnings[] = {"never seen"};
    struct arena *a = arena_open();
    struct cell_outcome o1, o2, o3;
    struct cell_result x = ran(&o1, 100), y = ran(&o2, 49), z = ran(&o3, 1);
    o1.values = two;
    x.stuck = 1, y.stuck = 2;
    x.seconds = 1, y.seconds = 2;
    x.environments = 4, y.environments = 5;
    x.seen_in = 2, y.seen_in = 3;
    x.best_rate = 6, y.best_rate = 7;
    x.peak = 8, y.peak = 9;
    x.verdict = VERDICT_SEEN, y.verdict = VERDICT_VIOLATION;
    o2.allowed = o3.allowed = ANSWER_NO;
    x.warnings = warnings, x.nwarnings = 1;
    struct failure failure = {{3, 4, 5}, "not so"};
    struct test_result mine = test_of(&x, 1), theirs = test_of(&y, 1), more = test_of(&z, 1);
    theirs.failures = &failure, theirs.nfailures = 1;
    assert_true(merge(a, &mine, &theirs));
    assert_true(merge(a, &mine, &more));
    assert_int_equal(mine.ncells, 1);
    const struct cell_result *c = mine.cells;
    assert_int_equal(c->runs, 150);
    assert_int_equal(c->stuck, 3);
    assert_true(c->seconds == 3 && c->best_rate == 7 && c->peak == 9);
    assert_int_equal(c->environments, 9);
    assert_int_equal(c->seen_in, 5);
    assert_int_equal(c->noutcomes, 2);
    assert_int_equal(int_of(c->outcomes[0].values[0]), 1);
    assert_int_equal(c->outcomes[0].count, 50);
    assert_int_equal(c->outcomes[1].count, 100);
    assert_int_equal(c->nwarnings, 0);
    assert_int_equal(c->verdict, VERDICT_VIOLATION);
    assert_int_equal(mine.nfailures, 1);
    arena_close(a);
}

/* A file in which no cell ran names no observables. */
static void test_nothing_was_seen_in_one(void **state) {
    (void)state;
    struct arena *a = arena_open();
    struct cell_outcome o1, o2;
    struct cell_result x = ran(&o1, 100), none = ran(&o2, 0);
    none.noutcomes = 0;
    struct test_result seen = test_of(&x, 1), unseen = test_of(&none, 0);
    unseen.obs = NULL;
    unseen.types = NULL;
    struct test_result first = seen, second = unseen;
    assert_true(merge(a, &first, &unseen));
    assert_int_equal(first.nobs, 1);
    assert_true(merge(a, &second, &seen));
    assert_ptr_equal(second.types, seen.types);
    assert_int_equal(second.cells[0].noutcomes, 1);
    arena_close(a);
}

/* A mutant from the other file gives a cell its confidence; only the same cell is added up. */
static void test_cells_stay_apart(void **state) {
    (void)state;
    struct arena *a = arena_open();
    struct cell_outcome outcome;
    struct cell_result held = ran(&outcome, 100), more[4];
    held.satisfied = 0;
    held.fence = "device";
    held.noutcomes = 0;
    struct test_result sum = test_of(&held, 1);
    for (int k = 0; k < 4; k++) {
        more[k] = ran(&outcome, 100);
        struct test_result other = test_of(&more[k], 1);
        if (k == 1) more[k].device = "another GPU";
        if (k == 2) more[k].model.name = "sc";
        if (k == 3) more[k].access = "relaxed";
        assert_true(merge(a, &sum, &other));
        assert_int_equal(sum.ncells, k + 2);
    }
    assert_true(sum.cells[0].confidence == 0.5); /* of one environment each */
    arena_close(a);
}

static void test_what_is_not_the_same_test(void **state) {
    (void)state;
    static const char *const others[] = {"T1.r1", "X"};
    struct arena *a = arena_open();
    struct cell_outcome outcome;
    struct cell_result c = ran(&outcome, 100);
    struct test_result x = test_of(&c, 1), y = x;
    y.kind = "forall";
    assert_false(merge(a, &x, &y));
    y = x;
    y.condition = "r0 == 2";
    assert_false(merge(a, &x, &y));
    y = x;
    y.obs = others;
    assert_false(merge(a, &x, &y));
    y.nobs = 2;
    assert_false(merge(a, &x, &y));
    arena_close(a);
}

/* ---- the layout ---- */

/* Of five outcomes in two columns those that are forbidden or satisfy stay, then the frequent, then the first. */
static void test_histogram_keeps_what_matters(void **state) {
    (void)state;
    static const struct value v[] = {{0, 0}, {1, 0}, {2, 0}, {3, 0}, {4, 0}};
    struct cell_outcome x[] = {
        {&v[0], 5, ANSWER_YES, false}, {&v[2], 5, ANSWER_YES, false}, {&v[4], 1, ANSWER_NO, false}};
    struct cell_outcome y[] = {
        {&v[0], 1, ANSWER_YES, false}, {&v[1], 5, ANSWER_YES, false}, {&v[3], 2, ANSWER_YES, true}};
    static const char *const want[] = {"", "4", "3 4", "0 3 4", "0 1 3 4", "0 1 2 3 4"};
    struct arena *a = arena_open();
    struct cell_outcome unused;
    struct cell_result c[2] = {ran(&unused, 11), ran(&unused, 8)};
    c[0].outcomes = x;
    c[1].outcomes = y;
    c[0].noutcomes = c[1].noutcomes = 3;
    c[1].fence = "device";
    struct test_result t = test_of(c, 1);
    t.ncells = 2;
    struct layout l = layout_of(a, &t);
    assert_int_equal(l.ngroups, 1);
    for (int max = 1; max <= 5; max++) {
        int n, left;
        struct text got = {0};
        struct layout_outcome *list = layout_histogram(a, &t, &l.groups[0].rows[0], 2, max, &n, &left);
        for (int k = 0; k < n; k++)
            text_printf(&got, "%s%d", k ? " " : "", int_of(list[k].values[0]));
        assert_string_equal(got.s, want[max]);
        assert_int_equal(left, 5 - max);
        text_free(&got);
    }
    arena_close(a);
}

static void test_rows_and_groups(void **state) {
    (void)state;
    struct arena *a = arena_open();
    struct cell_outcome outcome;
    struct cell_result c[3] = {ran(&outcome, 1), ran(&outcome, 1), ran(&outcome, 1)};
    c[1].access = "weak";
    c[2].model.name = "sc";
    struct test_result t = test_of(c, 1);
    t.ncells = 2;
    struct layout l = layout_of(a, &t);
    assert_int_equal(l.groups[0].nrows, 2);
    assert_string_equal(l.groups[0].rows[0].label, "peer volatile");
    assert_string_equal(l.groups[0].rows[1].label, "peer weak");
    c[1].access = c[0].access;
    t.ncells = 3;
    l = layout_of(a, &t);
    assert_int_equal(l.ngroups, 2);
    assert_string_equal(l.groups[0].rows[0].label, "peer");
    arena_close(a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refused_files),
        cmocka_unit_test(test_skipped_takes_the_others),
        cmocka_unit_test(test_large_counts),
        cmocka_unit_test(test_the_best_environment_stays),
        cmocka_unit_test(test_seconds_without_end),
        cmocka_unit_test(test_all_is_added),
        cmocka_unit_test(test_nothing_was_seen_in_one),
        cmocka_unit_test(test_cells_stay_apart),
        cmocka_unit_test(test_what_is_not_the_same_test),
        cmocka_unit_test(test_histogram_keeps_what_matters),
        cmocka_unit_test(test_rows_and_groups),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
