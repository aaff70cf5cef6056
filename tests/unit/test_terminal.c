/* How results fit a terminal: columns of any width, numbers of any size, words of any length. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../ints.h"
#include "base/foreign.h"
#include "cm.h"
#include "report/terminal_parts.h"
#include "sample.h"

enum { FENCES = 4 };
static const char *const fences[FENCES] = {"none", "block", "device", "system"};

/* A test with a row of cells that all ran so often. */
struct sample {
    struct cell_outcome outcomes[FENCES][2];
    struct cell_result cells[FENCES];
    struct value values[2][2];
    struct test_result test;
};

static void fill(struct sample *s, uint64_t runs, uint64_t seen) {
    static const char *const names[] = {"a", "b"};
    static struct type types[2] = {{128, 1, false, false}, {32, 1, true, false}};
    *s = (struct sample){.values = {{{0, 0}, INT(-1)}, {{UINT64_MAX, UINT64_MAX}, INT(0)}}};
    for (int k = 0; k < FENCES; k++) {
        struct cell_result *c = &s->cells[k];
        *c = ran(&s->outcomes[k][0], runs);
        s->outcomes[k][0] = (struct cell_outcome){s->values[0], runs - seen, ANSWER_YES, false};
        s->outcomes[k][1] = (struct cell_outcome){s->values[1], seen, k ? ANSWER_NO : ANSWER_YES, true};
        c->outcomes = s->outcomes[k];
        c->noutcomes = 2;
        c->fence = fences[k];
        c->seconds = 1e-9;
        c->peak = 1e300;
        c->environments = c->seen_in = 1000;
        c->satisfied = seen;
        c->stuck = 0;
        c->verdict = k ? VERDICT_VIOLATION : VERDICT_SEEN;
        c->model.allowed = k ? ANSWER_NO : ANSWER_YES;
    }
    s->test = test_of(s->cells, 2);
    s->test.ncells = FENCES;
    s->test.obs = names;
    s->test.types = types;
}

static char *print(const struct test_result *test, int width, bool whole_lines) {
    static char *text; /* gcc believes that the text may point here: a local would be gone */
    size_t size;
    FILE *f = open_memstream(&text, &size);
    assert_non_null(f);
    struct terminal t = {.out = f, .width = width, .whole_lines = whole_lines};
    terminal_test(&t, test, false);
    fclose(f);
    return text;
}

static int widest_line(const char *text) {
    int widest = 0;
    for (size_t n; *text; text += n + (text[n] == '\n')) {
        n = strcspn(text, "\n");
        if ((int)n > widest) widest = (int)n;
    }
    return widest;
}

static int count(const char *text, const char *word) {
    int n = 0;
    for (const char *s = text; (s = strstr(s, word)); s += strlen(word))
        n++;
    return n;
}

/* Whatever the width, all is there, each number once for each cell, with a blank on either side. */
static void numbers_of_any_size_stay_apart(void **state) {
    (void)state;
    static const uint64_t sizes[] = {1, 10, 999999999, 1000000000000000ull, UINT64_MAX};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        for (int width = 20; width <= 120; width++) {
            struct sample s;
            char runs[32], *text;
            fill(&s, sizes[k], sizes[k] / 2);
            snprintf(runs, sizeof runs, " %llu", (unsigned long long)sizes[k]);
            text = print(&s.test, width, false);
            if (sizes[k] > 10) assert_int_equal(count(text, runs), FENCES);
            assert_true(count(text, " 0xffffffffffffffffffffffffffffffff ") >= 1);
            assert_int_equal(count(text, "!"), FENCES - 1);
            free(text);
        }
}

/* A line's numbers end where the heads of their columns end, but for the mark behind a count. */
static void counts_stand_under_their_fence(void **state) {
    (void)state;
    struct sample s;
    fill(&s, UINT64_MAX, 7);
    for (int k = 0; k < FENCES; k++)
        s.cells[k].environments = s.cells[k].seen_in = 1234567890;
    char *text = print(&s.test, 200, false), *line = strstr(text, "\n  peer\n") + strlen("\n  peer\n");
    const char *head = line;
    int lines = 0;
    for (; *(line = strchr(line, '\n') + 1) != '\n'; lines++) {
        const char *end = strchr(line, '\n'), *fence = head;
        for (int k = 0; k < FENCES; k++) {
            fence = strstr(fence, fences[k]) + strlen(fences[k]);
            const char *last = line + (fence - head) - 1;
            assert_true(last < end && *last != ' ' && (last[1] == ' ' || last[1] == '\n' || last[1] == '!'));
        }
    }
    assert_int_equal(lines, 6); /* two outcomes, and four numbers below them */
    free(text);
}

/* A usual test fits 80 columns; at 20 only what has no blanks is wider. */
static void a_usual_test_fits(void **state) {
    (void)state;
    struct sample s;
    fill(&s, 1000000000, 0);
    s.values[1][0] = (struct value){1, 0};
    s.test.title =
        "Independent reads of independent writes, with a title that is rather long, as titles may be";
    s.test.condition =
        "r0 == 1 && r1 == 0 && r2 == 1 && r3 == 0 && x == 1 && y == 1 && z == 1 && w == 1 && u == 1";
    struct failure failure = {{3, 4, 5},
                              "the outcome is expected to be forbidden, but the model allows it here"};
    s.test.failures = &failure;
    s.test.nfailures = 1;
    static const char *const warnings[] = {
        "never seen, though sequentially consistent: a=0 b=1 c=0 d=1 e=0 f=1"};
    s.cells[0].warnings = (const char **)warnings;
    s.cells[0].nwarnings = 1;
    char *text = print(&s.test, 80, false);
    assert_in_range(widest_line(text), 60, 80);
    assert_int_equal(count(text, "\n  FAILED "), 1);
    free(text);
    text = print(&s.test, 20, false);
    assert_in_range(widest_line(text), 20, 38); /* a footer and a number: "environments 1000 of 1000" */
    free(text);
}

/* For programs a message is one line. */
static void messages_for_programs_stay_whole(void **state) {
    (void)state;
    struct sample s;
    fill(&s, 1000, 0);
    struct failure failure = {{3, 4, 5},
                              "the outcome is expected to be forbidden, but the model allows it here"};
    s.test.failures = &failure;
    s.test.nfailures = 1;
    s.cells[1].skipped =
        "this machine cannot make such a cell, for a reason that takes more than a line to tell";
    char *text = print(&s.test, 30, true);
    assert_non_null(strstr(text, "expected to be forbidden, but the model allows it here\n"));
    assert_non_null(strstr(text, "for a reason that takes more than a line to tell\n"));
    free(text);
    text = print(&s.test, 30, false);
    assert_null(strstr(text, "expected to be forbidden, but the model allows it here\n"));
    free(text);
}

static void check_wrap(const char *head, const char *s, int width, int indent, int hang, const char *want) {
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    struct terminal t = {.out = f, .width = width};
    terminal_wrap(&t, PAINT_NONE, head, s, indent, hang);
    fclose(f);
    assert_string_equal(text, want);
    free(text);
}

static void words_wrap(void **state) {
    (void)state;
    char word[400], want[500];
    memset(word, 'x', sizeof word - 1);
    word[sizeof word - 1] = '\0';
    snprintf(want, sizeof want, "one\n  %s\n  two\n", word);
    check_wrap("", "", 20, 2, 2, "  \n");
    check_wrap("", "one two three", 9, 0, 2, "one two\n  three\n");
    check_wrap("", "one two three", 9, 2, 0, "  one two\n  three\n");
    check_wrap("head:", "one two", 20, 2, 2, "  head: one two\n");
    check_wrap("head:", "one two", 12, 2, 2, "  head: one\n    two\n");
    check_wrap("", "one  two", 20, 0, 0, "one  two\n");
    check_wrap("", "\303\251\303\251\303\251 \303\251\303\251\303\251", 7, 0, 0,
               "\303\251\303\251\303\251 \303\251\303\251\303\251\n");
    char line[600];
    snprintf(line, sizeof line, "one %s two", word);
    check_wrap("", line, 20, 0, 2, want);
}

/* What held is counted apart by what it is worth. */
static void a_summary_tells_held_from_untried(void **state) {
    (void)state;
    struct sample s;
    fill(&s, 1000, 0);
    for (int k = 0; k < FENCES; k++) {
        s.cells[k].verdict = VERDICT_HELD;
        s.cells[k].confidence = k == 3 ? 0.99 : k == 2 ? 0.98 : NAN;
        s.cells[k].alone = k == 0;
    }
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    struct terminal t = {.out = f, .width = 80};
    struct report r = {.tests = &s.test, .ntests = 1, .seed = 3};
    terminal_summary(&t, &r);
    fflush(f);
    assert_non_null(strstr(text, "\n       1 held         the model forbids it, and it was never observed\n"
                                 "       2 held?        the same, with a confidence below 99%, or none\n"
                                 "       1 held alone   the same, but no weaker fence ran beside it\n"));
    t.width = 20;
    terminal_summary(&t, &r);
    fclose(f);
    assert_non_null(strstr(text, "\n         observed\n"));
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_of_any_size_stay_apart),
        cmocka_unit_test(counts_stand_under_their_fence),
        cmocka_unit_test(a_usual_test_fits),
        cmocka_unit_test(messages_for_programs_stay_whole),
        cmocka_unit_test(words_wrap),
        cmocka_unit_test(a_summary_tells_held_from_untried),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
