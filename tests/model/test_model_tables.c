/* Cells of the shipped tests, written as tables and read again: the text is the same, and so is what a model allows. */
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "model/model.h"
#include "source/read.h"
#include "source/table.h"

static struct test *read_table(struct arena *a, const char *text, struct diag *d) {
    struct test *t = test_read_text(a, "t.litmus", text, strlen(text), d);
    if (!t) print_error("%s", text);
    assert_non_null(t);
    return t;
}

static void check_same_outcomes(const struct test *t, const struct test *again,
                                const struct model_result *want, const struct model_result *got) {
    assert_int_equal(got->status, MODEL_DONE);
    assert_int_equal(got->noutcomes, want->noutcomes);
    assert_int_equal(got->holds, want->holds);
    if (again->nobs != t->nobs) return; /* of a vector each lane is observed */
    for (int i = 0; i < want->noutcomes; i++)
        assert_memory_equal(got->outcomes[i].values, want->outcomes[i].values,
                            (size_t)t->nobs * sizeof *want->outcomes[i].values);
}

/* Whether the reader makes something else of what a table says: of an unsigned order one with a sign, of an address the
 * number of an element, of a conversion two, and of a vector its lanes. */
static bool is_rewritten(const char *table) {
    static const char *const signs[] = {".u32", "={", "cvt.", ".u8", ".u16", ".s16", ".v2.", ".v4."};
    for (size_t k = 0; k < sizeof signs / sizeof *signs; k++)
        if (strstr(table, signs[k])) return true;
    return false;
}

/* Compares what a model allows of the first cell of such a test and of its table, where it is soon done with both. */
static int check_rewritten(const struct model *model, const struct test *t, const struct cell *cell,
                           const struct test *again, const struct cell *only, struct arena *a,
                           struct diag *d) {
    struct model_limits limits = {.candidates = 8000};
    struct model_result want, got;
    if (!model_check(model, t, cell, &limits, a, &want, d) || want.status != MODEL_DONE) return 0;
    if (!model_check(model, again, only, &limits, a, &got, d) || got.status != MODEL_DONE) return 0;
    if (want.unlisted || got.unlisted) return 0;
    assert_int_equal(got.noutcomes, want.noutcomes);
    assert_int_equal(got.holds, want.holds);
    assert_int_equal(got.allowed, want.allowed);
    return 1;
}

static int rewritten;

/* Writes every cell that a table can express, reads it, and writes it again: the text must be the same, and
 * with a model so must be what that allows. */
static void check_round_trip(const char *path, const struct model *model, bool all) {
    struct arena *a = arena_open();
    struct diag d = {0};
    struct model_limits limits = {0};
    int n, one;
    struct test *t = test_read(a, path, &d);
    assert_non_null(t);
    const struct cell *v = test_cells(t, a, &n);
    for (int i = 0; i < n; i++) {
        struct text first = {0}, second = {0};
        if (!litmus_write(a, t, &v[i], &first)) {
            struct test *again = read_table(a, first.s, &d);
            const struct cell *cell = test_cells(again, a, &one);
            struct model_result want, got;
            assert_null(litmus_write(a, again, cell, &second));
            if (!is_rewritten(first.s))
                assert_string_equal(first.s, second.s);
            else if (i == 0)
                rewritten += check_rewritten(model, t, &v[i], again, cell, a, &d);
            if (all && model_check(model, t, &v[i], &limits, a, &want, &d) && want.status == MODEL_DONE) {
                assert_true(model_check(model, again, cell, &limits, a, &got, &d));
                check_same_outcomes(t, again, &want, &got);
            }
        }
        text_free(&first);
        text_free(&second);
    }
    diag_free(&d);
    arena_close(a);
}

static void check_all(const char *pattern, const struct model *model, bool all) {
    glob_t files = {0};
    assert_int_equal(glob(pattern, 0, NULL, &files), 0);
    for (size_t i = 0; i < files.gl_pathc; i++)
        check_round_trip(files.gl_pathv[i], model, all);
    globfree(&files);
}

static void shipped_tests_come_back(void **state) {
    (void)state;
    struct arena *a = arena_open();
    struct diag d = {0};
    const struct model *ptx = model_load(a, "ptx", &d);
    assert_non_null(ptx);
    rewritten = 0;
    check_all(SUITE "/classic/*.yaml", ptx, true);
    check_all(SUITE "/*/*.yaml", ptx, false);
    assert_in_range(rewritten, 20, 1000);
    arena_close(a);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(shipped_tests_come_back)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
