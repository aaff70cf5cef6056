/* Holds the interpreter's dependencies against a second writing of No-Thin-Air, on random programs whose branches, values
 * and indices may say nothing about what is stored. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "ask.h"
#include "depend.h"
#include "source/read.h"

/* Thousands of programs take a while; how many is the argument. */
static int programs = 1500;

static struct arena *arena;

static void read_outcome(const struct test *t, const struct model_outcome *o, long long *values) {
    for (int k = 0; k < t->nobs; k++)
        values[k] = value_int(t->obs[k].type, o->values[k]);
}

static void show(const char *who, const long long *values, int n) {
    print_error("only %s:", who);
    for (int k = 0; k < n; k++)
        print_error(" %lld", values[k]);
    print_error("\n");
}

/* Returns how many outcomes only one of the two has. */
static int compare(const struct test *t, const struct model_result *r, const struct outcomes *expected) {
    struct outcomes found = {.nobs = t->nobs};
    int different = 0;
    found.list = arena_array(arena, (size_t)r->noutcomes, sizeof *found.list);
    assert_int_equal(t->nobs, expected->nobs);
    for (; found.n < r->noutcomes; found.n++) {
        read_outcome(t, &r->outcomes[found.n], found.list[found.n]);
        if (depend_has(expected, found.list[found.n])) continue;
        if (different++ < 3) show("the interpreter", found.list[found.n], t->nobs);
    }
    for (int k = 0; k < expected->n; k++) {
        if (depend_has(&found, expected->list[k])) continue;
        if (different++ < 6) show("the definitions", expected->list[k], t->nobs);
    }
    return different;
}

/* Whether the two agree; *compared counts them, without those of too many values. */
static bool try_program(const struct model *m, int *compared) {
    struct program p;
    struct outcomes expected = {0};
    struct text text = {0};
    struct diag d = {0};
    depend_make(arena, &p);
    if (!depend_run(&p, &expected)) return true;
    depend_write(&text, &p);
    struct test *t = test_read_text(arena, "random.yaml", text.s, text.len, &d);
    diag_render(&d, stderr, false);
    assert_non_null(t);
    int n;
    struct cell *cells = test_cells(t, arena, &n);
    struct model_result r;
    assert_true(model_check(m, t, cells, NULL, arena, &r, &d));
    assert_int_equal(r.status, MODEL_DONE);
    bool same = compare(t, &r, &expected) == 0;
    if (!same) fprintf(stderr, "%s\n", text.s);
    ++*compared;
    free(expected.list);
    text_free(&text);
    diag_free(&d);
    return same;
}

static void test_random_dependencies(void **state) {
    (void)state;
    struct arena *a = arena_open();
    const struct model *m = ask_model(a, "ptx");
    int compared = 0, wrong = 0;
    arena = arena_open();
    for (int k = 0; k < programs && wrong < 5; k++) {
        wrong += !try_program(m, &compared);
        arena_reset(arena);
    }
    arena_close(arena);
    arena_close(a);
    if (programs > 1000) print_message("%d of %d programs compared\n", compared, programs);
    assert_int_equal(wrong, 0);
    assert_true(compared > programs / 2);
}

int main(int argc, char **argv) {
    if (argc > 1) programs = atoi(argv[1]);
    if (argc > 2) depend_seed((uint64_t)atoi(argv[2]) + 1);
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_dependencies)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
