/* Results of several runs, added up. */
#include <math.h>

#include "cm.h"
#include "report/results.h"

static const char *const obs[] = {"T1.r0"};
static const int32_t one[] = {1};

static struct cell ran(struct cell_outcome *o, uint64_t runs) {
    *o = (struct cell_outcome){.values = one, .count = runs, .allowed = ANSWER_YES, .satisfies = true};
    return (struct cell){.backend = "cuda",
                         .device = "a GPU",
                         .placement = "peer",
                         .fence = "none",
                         .access = "volatile",
                         .runs = runs,
                         .satisfied = runs,
                         .outcomes = o,
                         .noutcomes = 1,
                         .confidence = NAN,
                         .model = {.name = "ptx", .allowed = ANSWER_YES, .holds = ANSWER_YES}};
}

static struct test_result test_of(struct cell *c, int nobs) {
    return (struct test_result){.name = "MP",
                                .file = "MP.yaml",
                                .kind = "exists",
                                .condition = "r0 == 1",
                                .obs = obs,
                                .nobs = nobs,
                                .cells = c,
                                .ncells = 1};
}

/* One machine skipped all cells, so it does not know what is observed; the other's results count. */
static void test_skipped_takes_the_others(void **state) {
    (void)state;
    struct arena *a = arena_open();
    struct diag d = {0};
    struct cell_outcome outcome;
    struct cell some = ran(&outcome, 100), none = some;
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
    diag_free(&d);
    arena_close(a);
}

/* Rates are compared without overflow: 2e10 of 4e10 is more than 1e10 of 4e10, and its environment stays. */
static void test_large_counts(void **state) {
    (void)state;
    struct arena *a = arena_open();
    struct diag d = {0};
    struct cell_outcome o1, o2;
    struct cell_parameter good = {"threads", 512}, bad = {"threads", 64};
    struct cell low = ran(&o1, 40000000000u), high = ran(&o2, 40000000000u);
    low.satisfied = 10000000000u;
    high.satisfied = 20000000000u;
    low.environment = &bad;
    high.environment = &good;
    low.nenvironment = high.nenvironment = 1;
    struct test_result mine = test_of(&low, 1), theirs = test_of(&high, 1);
    struct report sum = {.tests = &mine, .ntests = 1}, other = {.tests = &theirs, .ntests = 1};
    assert_true(results_merge(a, &sum, &other, &d));
    assert_int_equal(sum.tests[0].cells[0].environment[0].value, 512);
    assert_int_equal(sum.tests[0].cells[0].satisfied, 30000000000u);
    diag_free(&d);
    arena_close(a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_skipped_takes_the_others),
        cmocka_unit_test(test_large_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
