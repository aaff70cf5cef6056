/* Random programs with asynchronous copies, mbarriers, fences of the async proxy, clusters and launches: ptx and ptx-proxy
 * allow just the outcomes that a second writing of the text allows, each of its own reading. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ask.h"
#include "engines.h"
#include "oracle.h"

static struct oracle oracle = {.programs = 150, .seed = 20261127};
static struct engines_ends ends;

/* ---- the comparison ---- */

static bool has_end(const struct test *t, const struct model_outcome *o) {
    for (int k = 0; k < ends.n; k++) {
        bool same = true;
        for (int v = 0; v < ends.width; v++)
            same = same && (int)value_int(t->obs[v].type, o->values[v]) == ends.seen[k][v];
        if (same) return true;
    }
    return false;
}

enum answer_of { SAME, DIFFERENT, NOT_KNOWN };

/* Whether a model allows just what the second writing does. */
static enum answer_of compare(const struct model *m, const char *yaml) {
    struct arena *a = arena_open();
    struct diag d = {0};
    struct test *t;
    struct model_result r;
    const struct cell *cell = ask_cell(a, yaml, &t);
    bool good = model_check(m, t, cell, NULL, a, &r, &d);
    if (!good) diag_render(&d, stderr, false);
    assert_true(good);
    enum answer_of answer = r.status == MODEL_DONE && !r.unlisted ? SAME : NOT_KNOWN;
    if (answer == SAME && (r.undefined || ends.undefined))
        answer = r.undefined == ends.undefined ? SAME : DIFFERENT;
    if (answer == SAME && !r.undefined) {
        bool same = r.noutcomes == ends.n && (!ends.n || t->nobs == ends.width);
        for (int k = 0; k < r.noutcomes && same; k++)
            same = has_end(t, &r.outcomes[k]);
        if (!same) answer = DIFFERENT;
    }
    if (answer == DIFFERENT)
        print_error("%s: %d outcomes%s, not %d%s:\n%s\n", model_name(m), r.noutcomes,
                    r.undefined ? ", undefined" : "", ends.n, ends.undefined ? ", undefined" : "", yaml);
    diag_free(&d);
    arena_close(a);
    return answer;
}

/* Draws a program that can be gone through. */
static struct engines_program draw(uint64_t *random, enum reading reading) {
    for (;;) {
        struct engines_program p = engines_draw(random);
        engines_run(&p, reading, &ends);
        if (!ends.too_many && (ends.n || ends.undefined)) return p;
    }
}

static void outcomes_are_those_of_the_text(void **state) {
    (void)state;
    struct arena *a = arena_open();
    const struct model *models[] = {ask_model(a, "ptx"), ask_model(a, "ptx-proxy")};
    uint64_t random = oracle.seed;
    int several = 0;
    for (; oracle.drawn < oracle.programs; oracle.drawn++) {
        struct text yaml = {0};
        struct engines_program p = draw(&random, WEAKER);
        engines_write(&p, &yaml);
        several += ends.n > 1;
        for (enum reading reading = WEAKER; reading <= STRONGER; reading++) {
            engines_run(&p, reading, &ends);
            enum answer_of answer = compare(models[reading], yaml.s);
            oracle.compared += answer != NOT_KNOWN;
            oracle.unknown += answer == NOT_KNOWN;
            oracle.different += answer == DIFFERENT;
        }
        text_free(&yaml);
    }
    arena_close(a);
    assert_int_equal(oracle.different, 0);
    assert_true(several > oracle.drawn / 4);
}

int main(int argc, char **argv) {
    oracle_begin(&oracle, "outcomes*", argc, argv);
    const struct CMUnitTest tests[] = {cmocka_unit_test(outcomes_are_those_of_the_text)};
    return oracle_end(&oracle, cmocka_run_group_tests(tests, ask_enter_folder, ask_leave_folder));
}
