/* Conditions and observables. */
#include "cm.h"
#include "dump.h"
#include "source/read.h"

/* Two threads T0 (registers r0, r) and T1 (r1, r), three copies of W (register w), X, Y and an array a of 3. */
static struct test *read_with(struct arena *a, const char *rest, struct diag *d) {
    char *file = arena_printf(a,
                              "name: T\nmemory: {X: 0, Y: 0, a: {count: 3}}\nthreads:\n"
                              "  T0: int r0 = X; int r = Y;\n  T1: int r1 = X; int r = Y;\n"
                              "  W: {count: 3, body: \"int w = a[tid];\"}\n%s\n",
                              rest);
    return test_read_text(a, "t.yaml", file, strlen(file), d);
}

static void check(const char *rest, const char *condition, const char *observables) {
    struct arena *a = arena_open();
    struct diag d = {0};
    struct test *t = read_with(a, rest, &d);
    assert_non_null(t);
    dump_check_condition(t, condition, observables);
    diag_free(&d);
    arena_close(a);
}

static void names(void **state) {
    (void)state;
    check("exists: r0 == 1 && r1 == 0", "exists T0.r0 == 1 && T1.r1 == 0", "T0.r0 T1.r1");
    check("forall: T1.r == T0.r", "forall T1.r == T0.r", "T1.r T0.r");
    check("not_exists: X == 1 || a[2] == X", "not_exists X == 1 || a[2] == X", "X a[2]");
    check("exists: W[2].w + W[0].w == 3", "exists W[2].w + W[0].w == 3", "W[2].w W[0].w");
    check("exists: >-\n  !(r0 &&\n  r1) /* both */", "exists !(T0.r0 && T1.r1)", "T0.r0 T1.r1");
    check("exists: 'r0 ? X : Y'", "exists T0.r0 ? X : Y", "T0.r0 X Y");
}

static void observed_beside_the_condition(void **state) {
    (void)state;
    check("exists: X\nobserve: [r0, X, W.w, a]", "exists X", "X T0.r0 W[0].w W[1].w W[2].w a[0] a[1] a[2]");
    check("exists: X\nobserve: a[1]", "exists X", "X a[1]");
    check("exists: X\nobserve: [w]", "exists X", "X W[0].w W[1].w W[2].w");
    check("exists: X\nobserve:\n  - W[1].w\n  - T1.r", "exists X", "X W[1].w T1.r");
}

static void threads_of_a_grid(void **state) {
    (void)state;
    struct arena *a = arena_open();
    struct diag d = {0};
    static const char file[] = "name: T\nmemory: {a: {count: 6}}\nthreads:\n"
                               "  G: {grid: 2, block: 3, body: \"int tid = threadIdx.x; int r = a[tid];\"}\n"
                               "exists: G[1][2].r == 1 && G[0][2].tid == 2\nobserve: [r]\n";
    struct test *t = test_read_text(a, "t.yaml", file, sizeof file - 1, &d);
    assert_non_null(t);
    assert_int_equal(t->nobs, 7);
    assert_int_equal(t->obs[0].thread, 5);
    assert_string_equal(t->obs[0].name, "G[1][2].r");
    assert_string_equal(t->obs[1].name, "G[0][2].tid");
    assert_string_equal(t->threads[4].name, "G[1][1]");
    assert_int_equal(t->threads[4].block, 1);
    assert_int_equal(t->nblocks, 2);
    arena_close(a);
}

static void text_is_kept_as_written(void **state) {
    (void)state;
    struct arena *a = arena_open();
    struct diag d = {0};
    struct test *t = read_with(a, "exists: |\n  r0 == 0x1   // one\n", &d);
    assert_string_equal(t->cond.text, "r0 == 0x1   // one");
    arena_close(a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names),
        cmocka_unit_test(observed_beside_the_condition),
        cmocka_unit_test(threads_of_a_grid),
        cmocka_unit_test(text_is_kept_as_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
