/* The seconds of a whole run are spread over its cells. */
#include "cm.h"

#include "session/pace.h"
#include "session/session_cell.h"

/* Each cell gets what is left, by its weight; one that ended sooner leaves its time to the others. */
static void what_is_left_is_spread(void **state) {
    (void)state;
    struct pace p = {.end = 100, .all = 3};
    pace_prepared(&p, 3, 10, 8);
    assert_float_equal(pace_take(&p, 20, 4), 40, 1e-9);
    pace_begin(&p, 20, 40);
    assert_float_equal(pace_take(&p, 20, 2), 20, 1e-9); /* begins at 60 */
    pace_begin(&p, 30, 20);
    assert_float_equal(pace_take(&p, 30, 2), 50, 1e-9);
}

/* What is not prepared yet is taken to be as what is: 10 s of building and a weight of 6 more. */
static void those_that_are_not_prepared_get_their_part(void **state) {
    (void)state;
    struct pace p = {.end = 100, .all = 4};
    pace_prepared(&p, 2, 10, 6);
    assert_float_equal(pace_take(&p, 10, 4), 80.0 * 4 / 12, 1e-9);
    pace_begin(&p, 10, 20);
    assert_float_equal(pace_take(&p, 10, 2), 60.0 * 2 / 8, 1e-9);
    pace_begin(&p, 30, 15);
    pace_prepared(&p, 2, 5, 0); /* nothing of it runs */
    assert_int_equal(p.prepared, 4);
}

static void nobody_gets_nothing(void **state) {
    (void)state;
    struct pace p = {.end = 10, .all = 1};
    pace_prepared(&p, 1, 30, 4);
    assert_float_equal(pace_take(&p, 30, 4), 0.001, 1e-12);
}

static double weight_of(struct session_found found) {
    return session_weight(&(struct session_cell){.found = &found});
}

static void most_goes_where_something_may_show(void **state) {
    (void)state;
    struct session_found unknown = {.judged = true, .allowed = {.status = MODEL_UNKNOWN}};
    assert_float_equal(weight_of((struct session_found){.judged = true, .allowed = {.allowed = true}}), 4, 0);
    assert_float_equal(weight_of((struct session_found){.judged = false}), 4, 0);
    assert_float_equal(weight_of(unknown), 4, 0);
    assert_float_equal(weight_of((struct session_found){.judged = true}), 2, 0);
    assert_float_equal(weight_of((struct session_found){.judged = true, .allowed = {.unreached = true}}), 1,
                       0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_left_is_spread),
        cmocka_unit_test(those_that_are_not_prepared_get_their_part),
        cmocka_unit_test(nobody_gets_nothing),
        cmocka_unit_test(most_goes_where_something_may_show),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
