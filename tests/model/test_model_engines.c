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

/* Whether a model allows just what the second writing does; shows where it does not. */
static enum answer_of compare(const struct model *m, const char *yaml, bool show) {
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
    if (answer == DIFFERENT && show)
        fprintf(stderr, "%s: %d outcomes%s, not %d%s:\n%s\n", model_name(m), r.noutcomes,
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
            enum answer_of answer = compare(models[reading], yaml.s, true);
            oracle.compared += answer != NOT_KNOWN;
            oracle.unknown += answer == NOT_KNOWN;
            oracle.different += answer == DIFFERENT;
        }
        text_free(&yaml);
    }
    arena_close(a);
    assert_int_equal(oracle.different, 0);
    assert_true(several > oracle.drawn / 16);
}

/* ---- would it be noticed? ---- */

/* A text of ptx.cat, and what stands in its place in a broken model. */
static const struct broken {
    const char *what, *from, *to;
    int program; /* that notices */
} broken[] = {
    {"an engine hands on what its issuer did", "let reach = done; way^* | way+",
     "let reach = way^*; (issue; done; way^*)? | done; way^*", 60},
    {"a completion is no fence", "| ended |", "|", 25},
    {"the issuer's fence is enough", "| mine & beside |", "| beside |", 216},
    {"no two fences are enough", "| mine & beside |", "|", 61},
    {"a fence covers all spaces", "let before = (po | done; po?) & covers^-1", "let before = po | done; po?",
     216},
    {"a fence covers what others did", "let before = (po | done; po?)", "let before = base", 91},
    {"an arrival is behind no small copy", "(po | tracks)", "po", 1232},
    {"fences of a block release to a kernel", "let kicker = F & REL & (GPU | SYS)", "let kicker = F & REL",
     2027},
    {"the writer's fence is enough", "| mine & beside |", "| mine |", 202},
    {"a fence covers copies of other blocks", "(way^*; issue) & covers & same-cta", "(way^*; issue) & covers",
     202},
    {"a wait is a border", "launch \\ (_ * DEPEND)", "launch", 202},
    {"no border", "| border |", "|", 40},
    {"a phase needs no scope", "let mb = mutual & (", "let mb = (", 2872},
    {"a phase needs no release", "let mb-release = [MBA & REL]", "let mb-release = [MBA]", 127},
    {"a phase needs no acquire", "let mb-acquire = [MBW & ACQ]", "let mb-acquire = [MBW]", 41},
    {"no fence releases an arrival", " | [F & REL]; po; [MBA]", "", 10},
    {"no fence acquires a phase", " | [MBW]; po; [F & ACQ]", "", 957},
    {"no wait ends a group", "let done = completion |", "let done =", 61},
    {"no phase ends an engine", "completion | [ENGINE & M]; (po | tracks); [MBA & ENGINE]; mb", "completion",
     25},
    {"no trigger releases", "| launch | kick | mb)", "| launch | mb)", 103},
};

enum { BROKEN = sizeof broken / sizeof *broken, MOST_TRIED = 300 };

static const struct model *break_model(struct arena *a, const char *ptx, const struct broken *b) {
    const char *at = strstr(ptx, b->from);
    if (!at) print_error("not in ptx.cat: %s\n", b->from);
    assert_non_null(at);
    ask_write("broken.cat", arena_printf(a, "%.*s%s%s", (int)(at - ptx), ptx, b->to, at + strlen(b->from)));
    return ask_model(a, "broken.cat");
}

static char *read_ptx(struct arena *a) {
    char *text = arena_array(a, 1 << 16, 1);
    FILE *f = fopen(MODELS "/ptx.cat", "r");
    assert_non_null(f);
    assert_true(fread(text, 1, (1 << 16) - 1, f) > 0);
    fclose(f);
    return text;
}

/* Whether a program, by its number, has other outcomes in a broken model. */
static bool notices(const struct model *m, const char *yaml) {
    return compare(m, yaml, false) == DIFFERENT;
}

static char *write_numbered(int n) {
    struct text yaml = {0};
    uint64_t random = (uint64_t)(n + 1) * 0x9E3779B97F4A7C15;
    struct engines_program p = draw(&random, WEAKER);
    engines_write(&p, &yaml);
    return yaml.s;
}

static void find_others(const struct model *const *models, bool *noticed) {
    for (int n = 0; n < MOST_TRIED; n++) {
        char *yaml = write_numbered(n);
        for (int k = 0; k < BROKEN; k++) {
            if (noticed[k] || !notices(models[k], yaml)) continue;
            noticed[k] = true;
            print_error("%s: by program %d\n", broken[k].what, n);
        }
        free(yaml);
    }
}

/* Each row names a program that notices. Where one does not, others are looked for, and told. */
static void broken_clauses_are_noticed(void **state) {
    (void)state;
    struct arena *a = arena_open();
    const char *ptx = read_ptx(a);
    const struct model *models[BROKEN];
    bool noticed[BROKEN];
    int left = 0;
    for (int k = 0; k < BROKEN; k++) {
        char *yaml = write_numbered(broken[k].program);
        models[k] = break_model(a, ptx, &broken[k]);
        noticed[k] = notices(models[k], yaml);
        left += !noticed[k];
        free(yaml);
    }
    if (left) find_others(models, noticed);
    arena_close(a);
    assert_int_equal(left, 0);
}

int main(int argc, char **argv) {
    oracle_begin(&oracle, "outcomes*", argc, argv);
    const struct CMUnitTest tests[] = {cmocka_unit_test(outcomes_are_those_of_the_text),
                                       cmocka_unit_test(broken_clauses_are_noticed)};
    return oracle_end(&oracle, cmocka_run_group_tests(tests, ask_enter_folder, ask_leave_folder));
}
