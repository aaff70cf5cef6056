/* Holds the interpreter's dependencies against a second writing of No-Thin-Air, on random programs whose branches, values
 * and indices may say nothing about what is stored. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "ask.h"
#include "depend.h"
#include "oracle.h"
#include "source/read.h"

static struct oracle oracle = {.programs = 1500, .seed = 43};

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

/* Counts whether the two agree, without programs of too many values. */
static void try_program(const struct model *m) {
    struct program p;
    struct outcomes expected = {0};
    struct text text = {0};
    struct diag d = {0};
    depend_make(arena, &p);
    if (!depend_run(&p, &expected)) return;
    depend_write(&text, &p);
    struct test *t = test_read_text(arena, "random.yaml", text.s, text.len, &d);
    diag_render(&d, stderr, false);
    assert_non_null(t);
    int n;
    struct cell *cells = test_cells(t, arena, &n);
    struct model_result r;
    assert_true(model_check(m, t, cells, NULL, arena, &r, &d));
    bool known = r.status == MODEL_DONE; /* the clock decides */
    bool same = !known || compare(t, &r, &expected) == 0;
    if (!known) fprintf(stderr, "unknown: %s\n", r.why);
    if (!known || !same) fprintf(stderr, "%s\n", text.s);
    oracle.unknown += !known;
    oracle.compared += known;
    oracle.different += !same;
    free(expected.list);
    text_free(&text);
    diag_free(&d);
}

static void test_random_dependencies(void **state) {
    (void)state;
    struct arena *a = arena_open();
    const struct model *m = ask_model(a, "ptx");
    depend_seed(oracle.seed);
    arena = arena_open();
    for (; oracle.drawn < oracle.programs && oracle.different < 5; oracle.drawn++) {
        try_program(m);
        arena_reset(arena);
    }
    arena_close(arena);
    arena_close(a);
    assert_int_equal(oracle.different, 0);
    assert_true(oracle.compared > oracle.drawn / 2);
}

int main(int argc, char **argv) {
    oracle_begin(&oracle, "test_random*", argc, argv);
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_dependencies)};
    return oracle_end(&oracle, cmocka_run_group_tests(tests, NULL, NULL));
}
