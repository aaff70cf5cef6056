/* Random programs whose threads meet, and not all of them come. What such a program can end with when its threads take turns
 * is what `sc` allows of it, and all of that is allowed by `ptx`. An answer that is not bounded is one for loops of any
 * length. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ask.h"
#include "explain/dot.h"
#include "explain/why.h"
#include "meet.h"
#include "model/race.h"
#include "oracle.h"

static struct oracle oracle = {.programs = 200, .seed = 7};
static const struct model *sc, *ptx;
static const struct model_limits limits = {.candidates = 300000};

struct tally {
    int compared, bounded, unknown, refused, large;
};

static void complain(const char *what, const struct text *yaml, const struct meet_outcomes *turns,
                     const struct model_result *r) {
    print_error("%s: %d outcomes by turns, %d by the model%s\n%s", what, turns->n, r->noutcomes,
                r->bounded ? " (bounded)" : "", yaml->s);
}

/* The values of an outcome of the model, as integers. */
static void take_values(const struct test *t, const struct value *values, int64_t *out) {
    for (int k = 0; k < t->nobs; k++)
        out[k] = (int32_t)value_int(t->obs[k].type, values[k]);
}

/* The place of each value among the observables of the test. */
static bool has_outcome(const struct test *t, const struct model_result *r, const int64_t *values) {
    int64_t found[MEET_VALUES];
    for (int k = 0; k < r->noutcomes; k++) {
        take_values(t, r->outcomes[k].values, found);
        if (memcmp(found, values, (size_t)t->nobs * sizeof *values) == 0) return true;
    }
    return false;
}

/* Whether the model and the turns agree. */
static bool agree(const struct test *t, const struct model *m, const struct model_result *r,
                  const struct meet_outcomes *turns, bool exact) {
    bool all = r->status == MODEL_DONE && !r->bounded && !r->unlisted;
    for (int k = 0; k < r->noutcomes && m == sc && exact; k++) {
        int64_t values[MEET_VALUES];
        take_values(t, r->outcomes[k].values, values);
        if (!meet_has(turns, values)) return false;
    }
    for (int k = 0; k < turns->n && all; k++)
        if (!has_outcome(t, r, turns->values[k])) return false;
    return true;
}

static bool compare(const struct test *t, const struct cell *cell, const struct model *m,
                    const struct text *yaml, const struct meet_outcomes *turns, bool exact,
                    struct tally *tally) {
    struct arena *a = arena_open();
    struct model_result r;
    struct diag d = {0};
    bool fine = true;
    if (model_check(m, t, cell, &limits, a, &r, &d)) {
        fine = agree(t, m, &r, turns, exact);
        if (!fine) complain(model_name(m), yaml, turns, &r);
        if (r.status != MODEL_DONE)
            tally->unknown++;
        else if (r.bounded)
            tally->bounded++;
        else
            tally->compared++;
    } else {
        tally->refused++;
    }
    diag_free(&d);
    arena_close(a);
    return fine;
}

/* The rest of what is said of a cell: none of it may fail. */
static void tell(const struct test *t, const struct cell *cell) {
    const struct model_limits little = {.seconds = 0.3, .candidates = 2000};
    struct arena *a = arena_open();
    struct races races;
    struct model_result r;
    struct why why;
    struct diag d = {0};
    struct text dot = {0};
    model_check_races(ptx, t, cell, &little, a, &r, &races, &d);
    model_why(ptx, t, cell, &little, a, &why, &d);
    model_dot(ptx, t, cell, &little, &dot, &d);
    text_free(&dot);
    diag_free(&d);
    arena_close(a);
}

static bool try_program(struct tally *tally, bool tells) {
    struct meet_program p;
    struct meet_outcomes turns;
    struct text yaml = {0};
    struct arena *a = arena_open();
    struct test *t;
    bool fine = true;
    meet_random(&p);
    meet_print(&p, &yaml);
    const struct cell *cell = ask_cell(a, yaml.s, &t);
    if (meet_run(&p, &turns)) {
        fine = compare(t, cell, sc, &yaml, &turns, p.synced, tally);
        fine = compare(t, cell, ptx, &yaml, &turns, false, tally) && fine;
    } else {
        tally->large++;
    }
    if (tells) tell(t, cell);
    meet_free(&turns);
    text_free(&yaml);
    arena_close(a);
    return fine;
}

static void random_programs_agree(void **state) {
    (void)state;
    struct tally tally = {0};
    meet_random_seed(oracle.seed);
    for (; oracle.drawn < oracle.programs; oracle.drawn++)
        oracle.different += !try_program(&tally, oracle.drawn % 8 == 0);
    oracle.compared = tally.compared;
    oracle.unknown = tally.bounded + tally.unknown + tally.refused;
    print_message("%d cells compared, %d bounded, %d unknown, %d refused; %d programs too large\n",
                  tally.compared, tally.bounded, tally.unknown, tally.refused, tally.large);
    assert_int_equal(oracle.different, 0);
    assert_true(oracle.compared > oracle.drawn);
}

int main(int argc, char **argv) {
    oracle_begin(&oracle, "random*", argc, argv);
    struct arena *a = arena_open();
    sc = ask_model(a, "sc");
    ptx = ask_model(a, "ptx");
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_programs_agree)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    arena_close(a);
    return oracle_end(&oracle, failed);
}
