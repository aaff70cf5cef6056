#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "../ints.h"
#include "litmus/histogram.h"

static const struct observable obs[] = {
    {.type = {32, 1, true, false}}, {.type = {32, 1, true, false}}, {.type = {32, 1, true, false}}};

static void counts_each_outcome_by_itself(void **state) {
    (void)state;
    struct histogram h = {.nobs = 2};
    histogram_add(&h, (struct value[]){INT(1), INT(0)}, 3);
    histogram_add(&h, (struct value[]){INT(0), INT(1)}, 1);
    histogram_add(&h, (struct value[]){INT(1), INT(0)}, 4);
    histogram_add(&h, (struct value[]){INT(5), INT(5)}, 0);
    assert_int_equal(h.n, 2);
    assert_int_equal(h.outcomes[0].count, 7);
    assert_int_equal(h.outcomes[1].count, 1);
    assert_int_equal(histogram_total(&h), 8);
    histogram_free(&h);
    assert_int_equal(h.n, 0);
    assert_int_equal(h.nobs, 2);
}

/* Values are compared as signed numbers, the first one first; and adding goes on after sorting. */
static void sorts_by_values(void **state) {
    (void)state;
    struct histogram h = {.nobs = 2};
    const struct value rows[][2] = {{INT(0), INT(2)},
                                    {INT(-1), INT(9)},
                                    {INT(INT32_MAX), INT(0)},
                                    {INT(0), INT(-2)},
                                    {INT(INT32_MIN), INT(0)}};
    for (int i = 0; i < 5; i++)
        histogram_add(&h, rows[i], (uint64_t)i + 1);
    histogram_sort(&h, obs);
    const int order[] = {4, 1, 3, 0, 2};
    for (int i = 0; i < 5; i++) {
        assert_memory_equal(h.outcomes[i].values, rows[order[i]], sizeof rows[0]);
        assert_int_equal(h.outcomes[i].count, order[i] + 1);
    }
    for (int i = 0; i < 5; i++)
        histogram_add(&h, rows[i], 10);
    assert_int_equal(h.n, 5);
    assert_int_equal(histogram_total(&h), 65);
    histogram_free(&h);
}

static void keeps_many_outcomes_apart(void **state) {
    (void)state;
    struct histogram h = {.nobs = 3};
    for (int round = 0; round < 2; round++)
        for (int32_t i = 0; i < 20000; i++)
            histogram_add(&h, (struct value[]){INT(i % 20), INT(i / 20), INT(-i)}, (uint64_t)i + 1);
    assert_int_equal(h.n, 20000);
    histogram_sort(&h, obs);
    for (size_t i = 0; i < h.n; i++)
        assert_int_equal(h.outcomes[i].count, 2 * (1 - int_of(h.outcomes[i].values[2])));
    histogram_free(&h);
}

/* Values are compared in all their bits, and in the order of their type. */
static void wide_values_are_kept_apart(void **state) {
    (void)state;
    const struct observable wide[] = {{.type = type_uint64}, {.type = {32, 4, true, false}}};
    struct histogram h = {.nobs = 2};
    const struct value rows[][2] = {
        {{UINT64_MAX, 0}, {0, 0}}, {{1, 0}, {0, UINT64_MAX}}, {{1, 0}, {0, 1}}, {{1ull << 32, 0}, {0, 0}}};
    for (int i = 0; i < 4; i++)
        histogram_add(&h, rows[i], (uint64_t)i + 1);
    assert_int_equal(h.n, 4);
    histogram_sort(&h, wide);
    const int order[] = {1, 2, 3, 0};
    for (int i = 0; i < 4; i++)
        assert_int_equal(h.outcomes[i].count, order[i] + 1);
    histogram_free(&h);
}

/* A test may observe nothing: then there is one outcome. */
static void no_observables(void **state) {
    (void)state;
    struct histogram h = {0};
    histogram_add(&h, NULL, 2);
    histogram_add(&h, NULL, 3);
    histogram_sort(&h, obs);
    assert_int_equal(h.n, 1);
    assert_int_equal(h.outcomes[0].count, 5);
    histogram_free(&h);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_each_outcome_by_itself),
        cmocka_unit_test(sorts_by_values),
        cmocka_unit_test(keeps_many_outcomes_apart),
        cmocka_unit_test(wide_values_are_kept_apart),
        cmocka_unit_test(no_observables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
