/* Cells with more outcomes than are listed: their verdicts are exact, and so is that of each outcome that is asked for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ask.h"
#include "base/text.h"
#include "source/read.h"

static struct arena *arena;
static const struct model *ptx;
static struct test *test;
static struct cell *cell;

static int open_all(void **state) {
    (void)state;
    arena = arena_open();
    ptx = ask_model(arena, "ptx");
    return 0;
}

static int close_all(void **state) {
    (void)state;
    arena_close(arena);
    return 0;
}

static struct model_result judge(const char *yaml, const struct model_limits *limits) {
    struct diag d = {0};
    struct model_result r;
    int n;
    test = test_read_text(arena, "test.yaml", yaml, strlen(yaml), &d);
    diag_render(&d, stderr, false);
    assert_non_null(test);
    cell = test_cells(test, arena, &n);
    assert_int_equal(n, 1);
    assert_true(model_check(ptx, test, cell, limits, arena, &r, &d));
    diag_free(&d);
    return r;
}

/* Two threads read what twelve others write; each value is seen or not. */
static const char *many_readers(const char *fence, const char *condition) {
    struct text t = {0};
    text_add(&t, "name: many\nmemory: {a: {count: 12}}\nplacements: [device]\nthreads:\n");
    for (int k = 0; k < 12; k++)
        text_printf(&t, "  W%d: a[%d] = 1;\n", k, k);
    for (int thread = 0; thread < 2; thread++) {
        text_printf(&t, "  R%d: |\n", thread);
        for (int k = 0; k < 12; k++)
            text_printf(&t, "    int r%d = a[%d];%s\n", k, thread ? 11 - k : k, fence);
    }
    text_printf(&t, "%s", condition);
    const char *yaml = arena_strdup(arena, t.s);
    text_free(&t);
    return yaml;
}

/* Whether R0 and R1 see the writes of W0 and W11 in opposite orders, and all others. */
#define OPPOSITE                                                                                             \
    "R0.r0 == 1 && R0.r11 == 0 && R1.r0 == 1 && R1.r11 == 0 && "                                             \
    "R0.r1 + R0.r2 + R0.r3 + R0.r4 + R0.r5 + R0.r6 + R0.r7 + R0.r8 + R0.r9 + R0.r10 == 10 && "               \
    "R1.r1 + R1.r2 + R1.r3 + R1.r4 + R1.r5 + R1.r6 + R1.r7 + R1.r8 + R1.r9 + R1.r10 == 10"

static void verdicts_are_exact(void **state) {
    (void)state;
    static const struct model_limits few = {.outcomes = 100};
    struct model_result r = judge(many_readers("", "exists: " OPPOSITE "\n"), &few);
    assert_int_equal(r.status, MODEL_DONE);
    assert_true(r.unlisted && r.uncounted && r.allowed && r.holds && !r.unreached);
    assert_in_range(r.noutcomes, 100, 101);
    r = judge(many_readers(" __threadfence();", "exists: " OPPOSITE "\n"), &few);
    assert_int_equal(r.status, MODEL_DONE);
    assert_true(r.unlisted && !r.allowed && !r.holds && !r.unreached);
    r = judge(many_readers(" __threadfence();", "not_exists: " OPPOSITE "\n"), &few);
    assert_true(r.unlisted && !r.allowed && r.holds);
}

static void a_forall_is_broken_or_not(void **state) {
    (void)state;
    static const struct model_limits one = {.outcomes = 1};
    static const char below_two[] =
        TEST("T0 | T1", "x: 0", THREAD("T0", "x = 1; x = 2;") THREAD("T1", "int r = x;"), "forall: r < 2");
    static const char below_three[] =
        TEST("T0 | T1", "x: 0", THREAD("T0", "x = 1; x = 2;") THREAD("T1", "int r = x;"), "forall: r < 3");
    struct model_result r = judge(below_two, &one);
    assert_true(r.unlisted && r.allowed && !r.holds);
    assert_int_equal(r.noutcomes, 2); /* one that was listed, and one that breaks it */
    r = judge(below_three, &one);
    assert_true(r.unlisted && r.allowed && r.holds);
}

static void what_was_seen_is_asked_for(void **state) {
    (void)state;
    static const struct model_limits few = {.outcomes = 10};
    struct model_result r = judge(many_readers(" __threadfence();", "exists: " OPPOSITE "\n"), &few);
    struct value values[TEST_MAX_OBS];
    struct histogram seen = {.nobs = test->nobs};
    for (int o = 0; o < test->nobs; o++) /* each but the other's first: they disagree */
        values[o] = value_from(type_int, strcmp(strchr(test->obs[o].name, '.'), ".r11") != 0);
    histogram_add(&seen, values, 1);
    model_list_seen(ptx, test, cell, &few, &seen, arena, &r);
    assert_int_equal(r.status, MODEL_DONE);
    assert_false(r.unlisted || r.allowed || model_allows(&r, test->nobs, values));
    for (int o = 0; o < test->nobs; o++)
        values[o] = value_from(type_int, 1);
    histogram_add(&seen, values, 1);
    r.unlisted = true;
    model_list_seen(ptx, test, cell, NULL, &seen, arena, &r);
    assert_true(model_allows(&r, test->nobs, values));
    r.unlisted = true;
    histogram_free(&seen);
    values[0] = value_from(type_int, 0);
    histogram_add(&seen, values, 1);
    model_list_seen(ptx, test, cell, &(struct model_limits){.candidates = 1}, &seen, arena, &r);
    assert_int_equal(r.status, MODEL_UNKNOWN);
    assert_true(r.unlisted);
    assert_string_equal(r.why, "too many candidate executions");
    histogram_free(&seen);
}

static void what_cannot_be_settled_is_unknown(void **state) {
    (void)state;
    struct text sum = {0};
    for (int k = 0; k < 24; k++)
        text_printf(&sum, "%sR%d.r%d", k ? " + " : "exists: ", k / 12, k % 12);
    text_add(&sum, " == 99\n");
    struct model_result r =
        judge(many_readers("", sum.s), &(struct model_limits){.outcomes = 10, .candidates = 40000});
    assert_int_equal(r.status, MODEL_UNKNOWN);
    assert_string_equal(r.why, "too many candidate executions");
    assert_false(r.unlisted || r.allowed);
    assert_int_equal(r.noutcomes, 10);
    text_free(&sum);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(verdicts_are_exact),
        cmocka_unit_test(a_forall_is_broken_or_not),
        cmocka_unit_test(what_was_seen_is_asked_for),
        cmocka_unit_test(what_cannot_be_settled_is_unknown),
    };
    return cmocka_run_group_tests(tests, open_all, close_all);
}
