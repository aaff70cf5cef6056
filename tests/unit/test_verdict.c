/* What is allowed, held against what was observed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../ints.h"
#include "results/verdict.h"
#include "source/read.h"

static const char sb[] = "name: SB\n"
                         "memory: {X: 0, Y: 0}\n"
                         "threads:\n"
                         "  T0: {body: 'X = 1; fence(); int r0 = Y;', count: 1}\n"
                         "  T1: |\n"
                         "    Y = 1; fence(); int r1 = X;\n"
                         "%s: T0[0].r0 == 0 && r1 == 0\n"
                         "placements: [device]\n"
                         "%s";

struct fixture {
    struct arena *arena;
    struct test *test;
    struct cell *cells; /* none, block, device, system */
    struct test_result result;
};

static void open_fixture(struct fixture *f, const char *kind, const char *more) {
    char text[1024];
    struct diag d = {0};
    int n;
    f->arena = arena_open();
    snprintf(text, sizeof text, sb, kind, more);
    f->test = test_read_text(f->arena, "SB.yaml", text, strlen(text), &d);
    diag_render(&d, stderr, false);
    assert_non_null(f->test);
    diag_free(&d);
    f->cells = test_cells(f->test, f->arena, &n);
    assert_int_equal(n, 4);
    f->result = verdict_test(f->arena, f->test);
    f->result.cells = arena_array(f->arena, 4, sizeof *f->result.cells);
}

/* Outcomes are (r0, r1): 00 satisfies. A set of them is a mask of 00 = 1, 01 = 2, 10 = 4, 11 = 8. */
static struct model_result allow(struct fixture *f, int mask) {
    struct model_outcome *list = arena_array(f->arena, 4, sizeof *list);
    struct model_result m = {.status = MODEL_DONE, .outcomes = list, .executions = 7};
    for (int k = 0; k < 4; k++) {
        if (!(mask >> k & 1)) continue;
        struct value *values = arena_array(f->arena, 2, sizeof *values);
        values[0] = INT(k >> 1);
        values[1] = INT(k & 1);
        list[m.noutcomes++] = (struct model_outcome){values, k == 0};
    }
    m.allowed = mask & 1;
    m.holds = f->test->cond.kind == EXISTS       ? m.allowed
              : f->test->cond.kind == NOT_EXISTS ? !m.allowed
                                                 : mask == 1;
    return m;
}

/* Adds a cell to the result: counts of 00, 01, 10, 11; nothing ran when all are 0. */
static struct cell_result *add_cell(struct fixture *f, int fence, const struct model_result *m,
                                    const uint64_t counts[4], uint64_t stuck) {
    struct run_result run = {.hist = {.nobs = 2}, .stuck = stuck, .runs = stuck, .seconds = 1};
    struct cell_result *c = &f->result.cells[f->result.ncells++];
    *c = verdict_cell(f->arena, &f->cells[fence], "cuda", "a GPU");
    if (m) verdict_allowed(f->arena, c, f->test, "ptx", m);
    for (int k = 0; k < 4; k++) {
        struct value values[2] = {INT(k >> 1), INT(k & 1)};
        if (counts[k]) histogram_add(&run.hist, values, counts[k]);
        run.runs += counts[k];
    }
    histogram_sort(&run.hist, f->test->obs);
    if (run.runs) verdict_observed(f->arena, c, f->test, &run, m, NULL);
    histogram_free(&run.hist);
    return c;
}

static void the_six_verdicts(void **state) {
    (void)state;
    static const struct {
        int allowed;
        uint64_t counts[4], stuck;
        const char *verdict;
    } table[] = {
        {15, {3, 5, 5, 5}, 0, "seen"},     {15, {0, 5, 5, 5}, 0, "unseen"},
        {14, {0, 5, 5, 5}, 0, "held"},     {14, {1, 5, 5, 5}, 0, "VIOLATION"},
        {14, {0, 5, 5, 5}, 2, "stuck"},    {14, {1, 5, 5, 5}, 2, "VIOLATION"},
        {15, {0, 5, 5, 5}, 2, "stuck"},    {15, {3, 5, 5, 5}, 2, "seen"},
        {7, {3, 5, 5, 1}, 0, "VIOLATION"}, /* an outcome that the condition does not name */
        {6, {0, 5, 5, 1}, 0, "VIOLATION"},
    };
    for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
        struct fixture f = {0};
        open_fixture(&f, "exists", "");
        struct model_result m = allow(&f, table[k].allowed);
        struct cell_result *c = add_cell(&f, 0, &m, table[k].counts, table[k].stuck);
        assert_string_equal(verdict_name(c->verdict), table[k].verdict);
        arena_close(f.arena);
    }
}

static void what_a_cell_tells(void **state) {
    (void)state;
    struct fixture f = {0};
    open_fixture(&f, "exists", "");
    struct model_result m = allow(&f, 7);
    struct cell_result *c = add_cell(&f, 1, &m, (uint64_t[]){20, 30, 0, 50}, 0);
    assert_string_equal(c->placement, "device");
    assert_string_equal(c->fence, "block");
    assert_string_equal(c->access, "volatile");
    assert_int_equal(c->runs, 100);
    assert_int_equal(c->satisfied, 20);
    assert_true(cell_rate(c) == 0.2);
    assert_int_equal(c->model.outcomes, 3);
    assert_int_equal(c->model.executions, 7);
    assert_int_equal(c->noutcomes, 3);
    assert_int_equal(c->outcomes[0].allowed, ANSWER_YES);
    assert_true(c->outcomes[0].satisfies);
    assert_int_equal(c->outcomes[2].allowed, ANSWER_NO);
    assert_false(c->outcomes[2].satisfies);
    arena_close(f.arena);
}

static void no_model_no_verdict(void **state) {
    (void)state;
    struct fixture f = {0};
    open_fixture(&f, "exists", "");
    struct cell_result *c = add_cell(&f, 0, NULL, (uint64_t[]){3, 5, 5, 5}, 0);
    assert_string_equal(verdict_name(c->verdict), "no model");
    assert_int_equal(c->outcomes[0].allowed, ANSWER_UNKNOWN);
    c = add_cell(&f, 1, NULL, (uint64_t[]){0, 5, 5, 5}, 1);
    assert_string_equal(verdict_name(c->verdict), "stuck");
    arena_close(f.arena);
}

/* Of a forall, what breaks it is what a stuck cell may have shown: here outcome 0 alone holds. */
static void a_stuck_forall(void **state) {
    (void)state;
    struct fixture f = {0};
    open_fixture(&f, "forall", "");
    struct model_result m = allow(&f, 15);
    assert_int_equal(add_cell(&f, 0, &m, (uint64_t[]){9, 0, 0, 0}, 1)->verdict, VERDICT_STUCK);
    assert_int_equal(add_cell(&f, 1, &m, (uint64_t[]){9, 1, 0, 0}, 1)->verdict, VERDICT_SEEN);
    arena_close(f.arena);
}

/* Where the model gave up, what it found is allowed and what it did not find is unknown, never a violation. */
static void a_model_that_gave_up(void **state) {
    (void)state;
    struct fixture f = {0};
    open_fixture(&f, "exists", "");
    struct model_result part = allow(&f, 6), some = allow(&f, 7), bounded = allow(&f, 6);
    part.status = some.status = MODEL_UNKNOWN;
    part.why = some.why = "timeout";
    bounded.bounded = true;
    struct cell_result *c = add_cell(&f, 0, &part, (uint64_t[]){3, 5, 5, 5}, 0);
    assert_string_equal(verdict_name(c->verdict), "unknown");
    assert_int_equal(c->model.allowed, ANSWER_UNKNOWN);
    assert_int_equal(c->model.holds, ANSWER_UNKNOWN);
    assert_string_equal(c->model.unknown, "timeout");
    c = add_cell(&f, 1, &some, (uint64_t[]){3, 5, 5, 5}, 0);
    assert_string_equal(verdict_name(c->verdict), "seen");
    assert_int_equal(c->model.holds, ANSWER_YES);
    c = add_cell(&f, 2, &bounded, (uint64_t[]){3, 5, 5, 0}, 0);
    assert_string_equal(verdict_name(c->verdict), "unknown");
    c = add_cell(&f, 3, &bounded, (uint64_t[]){0, 5, 5, 0}, 0);
    assert_string_equal(verdict_name(c->verdict), "bounded");
    arena_close(f.arena);
}

/* What is only known for some turns of a loop has a word of its own, and is enough for a claim if somebody has
 * named how many. */
static void a_bound_is_named_or_not(void **state) {
    (void)state;
    struct fixture f = {0};
    open_fixture(&f, "exists", "expect: [{outcome: forbidden}]\n");
    struct model_result no = allow(&f, 14);
    no.bounded = true;
    no.turns = 3;
    struct cell_result *c = &f.result.cells[f.result.ncells++];
    *c = verdict_cell(f.arena, &f.cells[2], "model", NULL);
    verdict_allowed(f.arena, c, f.test, "ptx", &no);
    assert_string_equal(verdict_name(c->verdict), "bounded");
    verdict_claims(f.arena, f.test, &f.result);
    assert_int_equal(f.result.nfailures, 1);
    assert_string_equal(
        f.result.failures[0].text,
        "the outcome is expected to be forbidden, but model ptx has followed loops for 3 turns "
        "only; if so many are enough, say so: 'unroll: 3' in the test, or --unroll 3: placement "
        "device, access volatile, fence device");
    no.named = true;
    verdict_allowed(f.arena, c, f.test, "ptx", &no);
    assert_string_equal(verdict_name(c->verdict), "bounded");
    verdict_claims(f.arena, f.test, &f.result);
    assert_int_equal(f.result.nfailures, 1);
    arena_close(f.arena);
}

/* not_exists is settled by one outcome even when the model gave up. */
static void what_settles_a_condition(void **state) {
    (void)state;
    struct fixture f = {0};
    open_fixture(&f, "not_exists", "");
    struct model_result m = allow(&f, 7);
    m.status = MODEL_UNKNOWN;
    m.why = "timeout";
    assert_int_equal(add_cell(&f, 0, &m, (uint64_t[4]){0}, 0)->model.holds, ANSWER_NO);
    arena_close(f.arena);
    open_fixture(&f, "forall", "");
    m = allow(&f, 1);
    assert_int_equal(add_cell(&f, 0, &m, (uint64_t[4]){0}, 0)->model.holds, ANSWER_YES);
    m.status = MODEL_UNKNOWN;
    m.why = "timeout";
    assert_int_equal(add_cell(&f, 1, &m, (uint64_t[4]){0}, 0)->model.holds, ANSWER_UNKNOWN);
    arena_close(f.arena);
}

static void missing_interleavings_are_named(void **state) {
    (void)state;
    struct fixture f = {0};
    open_fixture(&f, "exists", "");
    struct model_result m = allow(&f, 15), sc = allow(&f, 14);
    struct run_result run = {.hist = {.nobs = 2}, .runs = 5};
    histogram_add(&run.hist, (struct value[]){INT(0), INT(1)}, 5);
    struct cell_result c = verdict_cell(f.arena, &f.cells[0], "cuda", NULL);
    verdict_allowed(f.arena, &c, f.test, "ptx", &m);
    verdict_observed(f.arena, &c, f.test, &run, &m, &sc);
    assert_int_equal(c.nwarnings, 1);
    assert_string_equal(c.warnings[0],
                        "never seen, though sequentially consistent: T0[0].r0=1 T1.r1=0; T0[0].r0=1 T1.r1=1");
    struct value other[] = {INT(2), INT(0)};
    struct model_outcome many[5];
    for (int k = 0; k < 5; k++)
        many[k] = (struct model_outcome){other, false};
    sc.outcomes = many;
    sc.noutcomes = 5;
    verdict_observed(f.arena, &c, f.test, &run, &m, &sc);
    assert_string_equal(c.warnings[0],
                        "never seen, though sequentially consistent: T0[0].r0=2 T1.r1=0; T0[0].r0=2 T1.r1=0; "
                        "T0[0].r0=2 T1.r1=0; T0[0].r0=2 T1.r1=0; and 1 more");
    c.nwarnings = 0;
    sc.status = MODEL_UNKNOWN;
    verdict_observed(f.arena, &c, f.test, &run, &m, &sc);
    assert_int_equal(c.nwarnings, 0);
    sc.status = MODEL_DONE;
    run.stuck = run.runs;
    verdict_observed(f.arena, &c, f.test, &run, &m, &sc);
    assert_int_equal(c.nwarnings, 0);
    run.stuck = 0;
    f.test->locs[0].type.lanes = 2; /* of a vector any element could be missed */
    verdict_observed(f.arena, &c, f.test, &run, &m, &sc);
    assert_int_equal(c.nwarnings, 0);
    histogram_free(&run.hist);
    arena_close(f.arena);
}

static void claims_about_the_model(void **state) {
    (void)state;
    struct fixture f = {0};
    open_fixture(&f, "exists",
                 "expect:\n"
                 "  - {fence: none, outcome: forbidden}\n"
                 "  - {fence: device, outcome: forbidden}\n"
                 "  - {outcome: allowed}\n");
    struct model_result yes = allow(&f, 15), no = allow(&f, 14);
    add_cell(&f, 0, &yes, (uint64_t[4]){0}, 0);
    add_cell(&f, 2, &no, (uint64_t[4]){0}, 0);
    add_cell(&f, 3, &no, (uint64_t[4]){0}, 0);
    verdict_claims(f.arena, f.test, &f.result);
    assert_int_equal(f.result.nfailures, 2);
    assert_int_equal(f.result.failures[0].pos.line, 10);
    assert_string_equal(f.result.failures[0].text,
                        "the outcome is expected to be forbidden, but model ptx allows it: "
                        "placement device, access volatile, fence none");
    assert_int_equal(f.result.failures[1].pos.line, 12);
    assert_string_equal(f.result.failures[1].text,
                        "the outcome is expected to be allowed, but model ptx forbids it: "
                        "placement device, access volatile, fence device (and 1 more cell)");
    arena_close(f.arena);
}

/* A claim fails for no cell that a CPU ran, that the model gave up on, or that it does not name. */
static void claims_about_other_cells(void **state) {
    (void)state;
    struct fixture f = {0};
    open_fixture(&f, "exists", "expect:\n  - {fence: none, outcome: forbidden}\n");
    struct model_result yes = allow(&f, 15), part = allow(&f, 14);
    part.status = MODEL_UNKNOWN;
    part.why = "timeout";
    add_cell(&f, 0, &yes, (uint64_t[4]){0}, 0)->machine = MACHINE_CPU;
    add_cell(&f, 0, &part, (uint64_t[4]){0}, 0);
    add_cell(&f, 0, &yes, (uint64_t[4]){0}, 0)->fence = "none-such";
    verdict_claims(f.arena, f.test, &f.result);
    assert_int_equal(f.result.nfailures, 0);
    f.test->expects[0].allowed = true;
    verdict_claims(f.arena, f.test, &f.result);
    assert_int_equal(f.result.nfailures, 0);
    f.test->expects[0] = (struct expectation){.access = ACCESS_WEAK};
    verdict_claims(f.arena, f.test, &f.result);
    assert_int_equal(f.result.nfailures, 0);
    f.result.cells[2].access = "weak";
    verdict_claims(f.arena, f.test, &f.result);
    assert_int_equal(f.result.nfailures, 1);
    arena_close(f.arena);
}

/* Nor is a forall broken by a model that gave up, or by an outcome that the model allows where the cell ran and
 * did not show it. */
static void conditions_that_are_not_broken(void **state) {
    (void)state;
    struct fixture f = {0};
    open_fixture(&f, "forall", "");
    struct model_result part = allow(&f, 1), yes = allow(&f, 15);
    part.status = MODEL_UNKNOWN;
    part.why = "timeout";
    add_cell(&f, 0, &part, (uint64_t[4]){0}, 0);
    add_cell(&f, 1, &yes, (uint64_t[]){9, 0, 0, 0}, 0);
    add_cell(&f, 2, &yes, (uint64_t[4]){0}, 2); /* stuck, and nothing else */
    verdict_claims(f.arena, f.test, &f.result);
    assert_int_equal(f.result.nfailures, 0);
    arena_close(f.arena);
}

/* What was observed breaks a condition, and where nothing ran the model's answer does: in a cell of the model's
 * own, and in one that was skipped. */
static void claims_of_the_condition(void **state) {
    (void)state;
    static const char *const cells[] = {"device", "device (and 1 more cell)"};
    struct fixture f = {0};
    open_fixture(&f, "not_exists", "");
    struct model_result yes = allow(&f, 15);
    add_cell(&f, 0, &yes, (uint64_t[]){0, 5, 5, 5}, 0);
    verdict_claims(f.arena, f.test, &f.result);
    assert_int_equal(f.result.nfailures, 0);
    struct cell_result *model = add_cell(&f, 2, NULL, (uint64_t[4]){0}, 0);
    *model = verdict_cell(f.arena, &f.cells[2], "model", NULL);
    verdict_allowed(f.arena, model, f.test, "ptx", &yes);
    for (int k = 0; k < 2; k++) {
        char text[256];
        verdict_claims(f.arena, f.test, &f.result);
        assert_int_equal(f.result.nfailures, k + 1);
        snprintf(text, sizeof text,
                 "not_exists does not hold: model ptx allows otherwise, as in T0[0].r0=0 T1.r1=0: "
                 "placement device, access volatile, fence %s",
                 cells[k]);
        assert_string_equal(f.result.failures[k].text, text);
        if (k == 0) add_cell(&f, 3, &yes, (uint64_t[4]){0}, 0)->skipped = "this GPU has no clusters";
    }
    arena_close(f.arena);
    open_fixture(&f, "not_exists", "");
    yes = allow(&f, 15);
    add_cell(&f, 1, &yes, (uint64_t[]){1, 5, 5, 5}, 0);
    verdict_claims(f.arena, f.test, &f.result);
    assert_int_equal(f.result.nfailures, 1);
    assert_string_equal(
        f.result.failures[0].text,
        "not_exists does not hold: an outcome that breaks it was observed, as in T0[0].r0=0 T1.r1=0: "
        "placement device, access volatile, fence block");
    arena_close(f.arena);
    open_fixture(&f, "forall", "");
    yes = allow(&f, 15);
    add_cell(&f, 0, &yes, (uint64_t[]){9, 0, 0, 0}, 0);
    verdict_claims(f.arena, f.test, &f.result);
    assert_int_equal(f.result.nfailures, 0);
    add_cell(&f, 1, &yes, (uint64_t[]){9, 1, 0, 0}, 0);
    verdict_claims(f.arena, f.test, &f.result);
    assert_int_equal(f.result.nfailures, 1);
    arena_close(f.arena);
}

/* What a check must prove when it is strict: nothing that is bounded, endless, unknown or not reached. */
static void claims_that_are_not_proved(void **state) {
    (void)state;
    static const char *const texts[] = {
        "the outcome is expected to be forbidden, which is not proved: loops were followed for 3 turns "
        "only: placement device, access volatile, fence none",
        "not proved: no execution ends: placement device, access volatile, fence none",
        "not proved: the model gave up: timeout: placement device, access volatile, fence none",
        "not proved: no execution gives these values, with or without fences: placement device, access "
        "volatile, "
        "fence none"};
    for (int k = 0; k < 5; k++) {
        struct fixture f = {0};
        open_fixture(
            &f, "exists",
            "expect:\n  - {fence: none, outcome: forbidden}\n  - {fence: device, outcome: allowed}\n");
        struct model_result no = allow(&f, 14), yes = allow(&f, 15);
        no.bounded = yes.bounded = no.named = k == 0;
        no.turns = yes.turns = 3;
        if (k == 1) no.executions = no.noutcomes = 0;
        if (k == 2) no.status = MODEL_UNKNOWN, no.why = "timeout";
        no.unreached = k == 3;
        add_cell(&f, 0, &no, (uint64_t[4]){0}, 0);
        add_cell(&f, 2, &yes, (uint64_t[4]){0}, 0);
        verdict_claims(f.arena, f.test, &f.result);
        assert_int_equal(f.result.nfailures, 0);
        verdict_doubts(f.arena, f.test, &f.result);
        assert_int_equal(f.result.nfailures, k < 4);
        if (k < 4) assert_non_null(strstr(f.result.failures[0].text, texts[k]));
        arena_close(f.arena);
    }
}

/* A forall has no named values to reach, but a bound is one. */
static void conditions_that_are_not_proved(void **state) {
    (void)state;
    struct fixture f = {0};
    open_fixture(&f, "forall", "");
    struct model_result yes = allow(&f, 1);
    yes.unreached = true;
    add_cell(&f, 0, &yes, (uint64_t[4]){0}, 0);
    verdict_doubts(f.arena, f.test, &f.result);
    assert_int_equal(f.result.nfailures, 0);
    f.result.cells[0].model.bounded = f.result.cells[0].model.named = true;
    verdict_claims(f.arena, f.test, &f.result);
    assert_int_equal(f.result.nfailures, 0);
    verdict_doubts(f.arena, f.test, &f.result);
    assert_int_equal(f.result.nfailures, 1);
    assert_string_equal(f.result.failures[0].text,
                        "forall is not proved: loops were followed for some turns only: placement "
                        "device, access volatile, fence none");
    arena_close(f.arena);
}

/* A claim of all cells fails where it is known of some turns only, if nobody has named how many; once, also where a check is
 * strict. */
static void conditions_within_a_bound(void **state) {
    (void)state;
    struct fixture f = {0};
    open_fixture(&f, "forall", "");
    struct model_result yes = allow(&f, 1);
    yes.bounded = true;
    yes.turns = 3;
    add_cell(&f, 0, &yes, (uint64_t[4]){0}, 0);
    verdict_claims(f.arena, f.test, &f.result);
    verdict_doubts(f.arena, f.test, &f.result);
    assert_int_equal(f.result.nfailures, 1);
    assert_string_equal(f.result.failures[0].text,
                        "forall is not proved: model ptx has followed loops for 3 turns only; if so many are "
                        "enough, say so: 'unroll: 3' in the test, or --unroll 3: placement device, access "
                        "volatile, fence none");
    arena_close(f.arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_six_verdicts),
        cmocka_unit_test(what_a_cell_tells),
        cmocka_unit_test(no_model_no_verdict),
        cmocka_unit_test(a_stuck_forall),
        cmocka_unit_test(a_model_that_gave_up),
        cmocka_unit_test(a_bound_is_named_or_not),
        cmocka_unit_test(what_settles_a_condition),
        cmocka_unit_test(missing_interleavings_are_named),
        cmocka_unit_test(claims_about_the_model),
        cmocka_unit_test(claims_about_other_cells),
        cmocka_unit_test(conditions_that_are_not_broken),
        cmocka_unit_test(claims_of_the_condition),
        cmocka_unit_test(claims_that_are_not_proved),
        cmocka_unit_test(conditions_that_are_not_proved),
        cmocka_unit_test(conditions_within_a_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
