/* Values that no execution gives, and values that only the model's rules keep out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "ask.h"

#define WAIT "while (y == 0) ; "

static bool unreached(const char *yaml) {
    struct diag d = {0};
    struct arena *a = arena_open();
    struct test *t;
    const struct cell *cell = ask_cell(a, yaml, &t);
    struct model_result r;
    assert_true(model_check(ask_model(a, "ptx"), t, cell, NULL, a, &r, &d));
    assert_false(r.allowed);
    diag_free(&d);
    arena_close(a);
    return r.unreached;
}

#define MP(condition)                                                                                        \
    TEST("T0 | T1", "x: 0, y: 0",                                                                            \
         THREAD("T0", "x = 1; __threadfence(); y = 1;")                                                      \
             THREAD("T1", "int r = y; __threadfence(); int s = x;"),                                         \
         "exists: " condition)

/* What fences, coherence or atomicity forbid is reached without them. */
static void test_forbidden(void **state) {
    (void)state;
    assert_false(unreached(MP("r == 1 && s == 0")));
    assert_false(unreached(MP("r == 7 || r == 1 && s == 0")));
    assert_false(unreached(MP("(!(r == 0 || s == 1))")));
    assert_false(
        unreached(TEST("T0 | T1", "x: 0", THREAD("T0", "x = 1; x = 2;") THREAD("T1", "int r = x; int s = x;"),
                       "exists: r == 2 && s == 1")));
    assert_false(unreached(TEST("T0", "x: 0", THREAD("T0", "x = 1; x = 2;"), "exists: x == 1")));
    assert_false(
        unreached(TEST("T0 | T1", "x: 0",
                       THREAD("T0", "int r = atomicAdd(&x, 1);") THREAD("T1", "int s = atomicAdd(&x, 1);"),
                       "exists: r == 0 && s == 0 && x == 1")));
}

/* What nobody writes, what a branch or a wait rules out, what a location cannot end with. */
static void test_unreached(void **state) {
    (void)state;
    assert_true(unreached(MP("r == 7")));
    assert_true(unreached(MP("r == 1 && s == 2")));
    assert_true(unreached(MP("r + s > 2")));
    assert_true(unreached(MP("x == 3")));
    assert_true(unreached(TEST("T0 | T1", "x: 0, y: 0",
                               THREAD("T0", "x = 1; y = 1;") THREAD("T1", WAIT "int r = y; int s = y;"),
                               "exists: r == 5")));
    assert_true(unreached(TEST(
        "T0 | T1", "x: 0", THREAD("T0", "x = 1;") THREAD("T1", "int r = x; int s = 0; if (r == 2) s = 1;"),
        "exists: s == 1")));
    assert_true(unreached(TEST("T0", "x: 0, z: 3", THREAD("T0", "x = 1;"), "exists: z == 4 || x == 4")));
}

/* What is beyond the unroll bound is not known, even where fences keep a thread from going there. */
static void test_cut(void **state) {
    (void)state;
    assert_false(unreached(
        TEST("T0 | T1", "x: 0, y: 0, z: 0",
             THREAD("T0", "z = 1; __threadfence(); y = 1;")
                 THREAD("T1", "while (y == 0) ; __threadfence(); while (z == 0) x = x + 1; int r = x;"),
             "exists: r == 77")));
    assert_false(unreached(TEST("T0 | T1", "x: 0, y: 0",
                                THREAD("T0", "int r = x; int i = 0; while (i < (r & 3)) i++; y = i;")
                                    THREAD("T1", "if (y == 3) x = 3;"),
                                "exists: r == 3")));
    assert_true(unreached(TEST("T0 | T1", "x: 0, y: 0",
                               THREAD("T0", "int r = x; int i = 0; while (i < (r & 1)) i++; y = i;")
                                   THREAD("T1", "if (y == 3) x = 3;"),
                               "exists: r == 3")));
    assert_true(unreached(
        TEST("T0", "x: 0, y: 9", THREAD("T0", "while (y < 9) x = x + 1; int r = x;"), "exists: r == 77")));
}

/* The values of seven reads are ruled out one after another, not all ways of reading together. */
static void test_large(void **state) {
    (void)state;
    assert_true(
        unreached("name: test\nmemory: {x: 0}\nplacements: [device]\nthreads:\n"
                  "  T: {count: 7, body: \"x = tid + 1; int r = x;\"}\n"
                  "exists: T[0].r == 1 && T[1].r == 2 && T[2].r == 3 && T[3].r == 4 && T[4].r == 5 && "
                  "T[5].r == 6 && T[6].r == 99\n"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forbidden),
        cmocka_unit_test(test_unreached),
        cmocka_unit_test(test_cut),
        cmocka_unit_test(test_large),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
