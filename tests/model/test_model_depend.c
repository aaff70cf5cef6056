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

static struct oracle oracle = {.programs = 500, .seed = 43};

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
static void try_program(const struct model *m, const struct program *p) {
    struct outcomes expected = {0};
    struct text text = {0};
    struct diag d = {0};
    if (!depend_run(p, &expected)) return;
    depend_write(&text, p);
    struct test *t = test_read_text(arena, "random.yaml", text.s, text.len, &d);
    diag_render(&d, stderr, false);
    assert_non_null(t);
    int n;
    struct cell *cells = test_cells(t, arena, &n);
    struct model_result r;
    bool stays = model_check(m, t, cells, NULL, arena, &r, &d), known = !stays || r.status == MODEL_DONE;
    bool same = !known || stays != expected.leaves;
    if (known && stays && same) same = compare(t, &r, &expected) == 0 && (r.fault != NULL) == expected.fault;
    if (!known) fprintf(stderr, "unknown: %s\n", r.why);
    if (!same && stays && (r.fault != NULL) != expected.fault) fprintf(stderr, "a fault of one alone\n");
    if (!same && stays == expected.leaves) fprintf(stderr, "beyond an array in one alone\n");
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
    const struct model *m = ask_model(a, "ptx"), *of_text = model_syntactic(a, m);
    depend_seed(oracle.seed);
    arena = arena_open();
    for (; oracle.drawn < oracle.programs && oracle.different < 5; oracle.drawn++) {
        struct program p = {.syntactic = false};
        depend_make(arena, &p);
        try_program(m, &p);
        p.syntactic = true; /* where pointers are no numbers */
        if (!p.strays) try_program(of_text, &p);
        arena_reset(arena);
    }
    arena_close(arena);
    arena_close(a);
    assert_int_equal(oracle.different, 0);
    assert_true(oracle.compared > oracle.drawn / 2);
}

/* Stores 1 to x if `condition` holds of what is read of y, which the other thread copies from x: 1 comes from nowhere if the
 * condition depends on r0. */
static void try_condition(const struct number_type *type, const struct number *condition) {
    static const struct number one = {.kind = NUMBER, .value = 1}, r0 = {.kind = REGISTER};
    const struct line stores = {.kind = STORE, .value = &one},
                      copies = {.kind = STORE, .loc = 1, .value = &r0};
    const struct line branch = {.kind = IF, .value = condition, .then = &stores};
    const struct line first = {.kind = LOAD, .next = &branch}, second = {.kind = LOAD, .next = &copies};
    struct program p = {false, false, type, 2, {&first, &second}, {{1, 0}, {0, 1}}};
    arena = arena_open();
    long long compared = oracle.compared;
    try_program(ask_model(arena, "ptx"), &p);
    assert_int_equal(oracle.compared, compared + 1);
    assert_int_equal(oracle.different, 0);
    arena_close(arena);
}

/* Each depends on r0 only where that has one or two values. */
static void test_one_value(void **state) {
    (void)state;
    static const struct number_type ints = {"int", "", 32, true, 1 << 20},
                                    unsigneds = {"unsigned", "u", 32, false, 1ll << 31};
    static const struct number r0 = {.kind = REGISTER}, one = {.kind = NUMBER, .value = 1},
                               million = {.kind = NUMBER, .value = 1 << 20},
                               half = {.kind = NUMBER, .value = 1ll << 31},
                               sum = {.kind = OPERATION, .oper = ADD, .a = &million, .b = &r0},
                               doubled = {.kind = OPERATION, .oper = ADD, .a = &sum, .b = &r0},
                               other = {.kind = OPERATION, .oper = XOR, .a = &r0, .b = &one},
                               less = {.kind = OPERATION, .oper = SUB, .a = &half, .b = &other};
    try_condition(&ints, &doubled);   /* -524288, and the same with another sign */
    try_condition(&unsigneds, &less); /* 2147483649 */
}

int main(int argc, char **argv) {
    oracle_begin(&oracle, "test_random*", argc, argv);
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_one_value),
                                       cmocka_unit_test(test_random_dependencies)};
    return oracle_end(&oracle, cmocka_run_group_tests(tests, NULL, NULL));
}
