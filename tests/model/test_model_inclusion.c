/* What PTX forbids, the stronger models forbid: their outcomes are among those of PTX, on random programs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "brute_text.h"
#include "model/model.h"
#include "oracle.h"
#include "source/read.h"

/* So many programs are of each kind. */
static struct oracle oracle = {.programs = 60, .seed = 20261123};

static const char *const stronger[] = {"ptx-strong", "ptx-mca", "ptx-proxy", "sc", "x86-tso", "aarch64"};
enum { STRONGER = sizeof stronger / sizeof *stronger };

static struct model_result judge(struct arena *a, const struct model *m, const struct test *t,
                                 const struct cell *cell) {
    struct diag d = {0};
    struct model_result r;
    assert_true(model_check(m, t, cell, NULL, a, &r, &d));
    diag_free(&d);
    return r;
}

/* Whether the search came to its end. What does not is printed: print_message() would cut it short. */
static bool is_known(const struct model_result *r, const char *model, const struct text *program) {
    bool known = r->status == MODEL_DONE;
    oracle.unknown += !known;
    if (!known) fprintf(stderr, "%s\n%s: unknown: %s\n", program->s, model, r->why);
    return known;
}

/* Whether each outcome of a stronger model is one of PTX, which promises nothing where it is undefined. */
static bool is_within(const struct model_result *strong, const struct model_result *ptx,
                      const struct test *t) {
    if (ptx->undefined) return true;
    for (int k = 0; k < strong->noutcomes; k++)
        if (!model_allows(ptx, t->nobs, strong->outcomes[k].values)) return false;
    return !strong->undefined;
}

/* Whether some compare-exchange may fail. On Arm it is then a plain read; in PTX it is atomic, and releases what comes
 * before it. */
static bool fails(const struct brute_program *p) {
    for (int t = 0; t < p->nthreads; t++)
        for (int k = 0; k < p->nops[t]; k++)
            if (p->ops[t][k].kind == BRUTE_CAS) return true;
    return false;
}

static void compare(const struct model *const *models, const struct model *ptx,
                    const struct brute_program *p) {
    struct brute_text text;
    struct diag d = {0};
    struct arena *a = arena_open();
    int n;
    brute_write(&text, p, &brute_widths[0]);
    struct test *t =
        test_read_text(a, text.table ? "random.litmus" : "random.yaml", text.text.s, text.text.len, &d);
    assert_non_null(t);
    const struct cell *cells = test_cells(t, a, &n);
    struct model_result weak = judge(a, ptx, t, cells);
    bool known = is_known(&weak, "ptx", &text.text);
    for (int k = 0; known && k < STRONGER - fails(p); k++) {
        struct model_result strong = judge(a, models[k], t, cells);
        if (!is_known(&strong, stronger[k], &text.text)) continue;
        bool good = is_within(&strong, &weak, t);
        if (!good) print_error("%s\n%s allows what PTX forbids\n", text.text.s, stronger[k]);
        oracle.compared++;
        oracle.different += !good;
        assert_true(good);
    }
    text_free(&text.text);
    diag_free(&d);
    arena_close(a);
}

static bool meets(const struct brute_program *p) {
    for (int o = 0; o < p->nops[0]; o++)
        if (p->ops[0][o].kind == BRUTE_BARRIER) return true;
    return false;
}

static void compare_programs(void (*make)(struct brute_program *p)) {
    struct diag d = {0};
    struct arena *a = arena_open();
    const struct model *ptx = model_load(a, "ptx", &d), *models[STRONGER];
    for (int k = 0; k < STRONGER; k++)
        models[k] = model_load(a, stronger[k], &d);
    brute_random_seed(oracle.seed);
    for (int k = 0; k < oracle.programs; k++, oracle.drawn++) {
        struct brute_program p;
        make(&p);
        brute_random_seats(&p, meets(&p));
        compare(models, ptx, &p);
    }
    arena_close(a);
    diag_free(&d);
    assert_true(oracle.unknown * 4 <= oracle.compared);
}

static void test_views(void **state) {
    (void)state;
    compare_programs(brute_random_views);
}

static void test_sizes(void **state) {
    (void)state;
    compare_programs(brute_random_sizes);
}

static void test_atomics(void **state) {
    (void)state;
    compare_programs(brute_random_atomics);
}

static void test_messages(void **state) {
    (void)state;
    compare_programs(brute_random_message);
}

static void test_programs(void **state) {
    (void)state;
    compare_programs(brute_random_program);
}

int main(int argc, char **argv) {
    oracle_begin(&oracle, "test_*", argc, argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_views),    cmocka_unit_test(test_sizes),    cmocka_unit_test(test_atomics),
        cmocka_unit_test(test_messages), cmocka_unit_test(test_programs),
    };
    return oracle_end(&oracle, cmocka_run_group_tests(tests, NULL, NULL));
}
