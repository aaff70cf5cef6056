/* The page: the text of a test, drawings, and what a file of results may not do. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cm.h"
#include "report/html.h"
#include "report/printers.h"
#include "report/tone.h"
#include "sample.h"

static const char mp[] = "name: MP\nmemory: {x: 0, y: 0}\nthreads:\n  T0: |\n    x = 1; fence(); y = 1;\n"
                         "  T1: |\n    int r0 = y; fence(); int r1 = x; // then\n"
                         "exists: r0 == 1 && r1 == 0\n";

static const char *const mp_obs[] = {"T1.r0", "T1.r1"};

/* A cell of MP that a model alone looked at. */
static struct cell_result judged(const char *fence, enum answer allowed) {
    return (struct cell_result){
        .backend = "model",
        .placement = "device",
        .fence = fence,
        .access = "volatile",
        .confidence = NAN,
        .verdict = allowed == ANSWER_YES ? VERDICT_ALLOWED : VERDICT_FORBIDDEN,
        .model = {.name = "ptx", .allowed = allowed, .holds = allowed, .executions = 3}};
}

/* The page of a test of these cells; the caller frees it. */
static char *print(struct test_result t, struct cell_result *cells, int n) {
    t.name = "MP", t.file = "MP.yaml", t.kind = "exists", t.condition = "r0 == 1 && r1 == 0";
    t.obs = mp_obs, t.types = sample_types, t.nobs = 2;
    t.cells = cells, t.ncells = n;
    struct report r = {.tool = "culitmus", .tests = &t, .ntests = 1};
    return sample_print(report_html, &r);
}

/* What was observed is told of where something ran only. */
static void test_head(void **state) {
    (void)state;
    struct cell_result cells[] = {judged("none", ANSWER_YES)};
    char *text = print((struct test_result){0}, cells, 1);
    assert_int_equal(
        sample_count(text, "<p class=\"fine\">1 test, no claim failed; nothing ran, so this is what the "
                           "models say</p>"),
        1);
    free(text);
    struct cell_outcome outcome;
    cells[0] = ran(&outcome, 100);
    cells[0].verdict = VERDICT_SEEN;
    text = print((struct test_result){0}, cells, 1);
    assert_int_equal(
        sample_count(text,
                     "<p class=\"fine\">1 test, no claim failed, no forbidden outcome was observed</p>"),
        1);
    free(text);
}

static void test_source(void **state) {
    (void)state;
    struct cell_result cells[] = {judged("none", ANSWER_YES)};
    struct failure failure = {{8, 1, 1}, "not so"};
    char *text = print((struct test_result){.source = mp, .failures = &failure, .nfailures = 1}, cells, 1);
    assert_int_equal(
        sample_count(text, "<span class=\"l\" id=\"t1L1\"><span class=\"k\">name:</span> MP\n</span>"), 1);
    assert_int_equal(sample_count(text, "<span class=\"l wrong\" id=\"t1L8\">"), 1);
    assert_int_equal(sample_count(text, "<a href=\"#t1L8\">line 8</a>: not so"), 1);
    assert_int_equal(sample_count(text, "<section class=\"test failed\" id=\"t1\""), 1);
    free(text);
    text = print((struct test_result){0}, cells, 1);
    assert_int_equal(sample_count(text, "The results do not hold the text of this test."), 1);
    assert_int_equal(sample_count(text, "<svg"), 0);
    free(text);
}

/* What is allowed is drawn once, with the cycle that no turns give, and the cycle that forbids the rest once. */
static void test_drawings(void **state) {
    (void)state;
    struct cell_result cells[] = {judged("none", ANSWER_YES), judged("block", ANSWER_YES),
                                  judged("device", ANSWER_NO), judged("system", ANSWER_NO)};
    char *text = print((struct test_result){.source = mp}, cells, 4);
    assert_int_equal(sample_count(text, "<svg class=\"drawing w"), 2);
    assert_int_equal(
        sample_count(text, "fence none: <b>ptx allows r0 == 1 &amp;&amp; r1 == 0</b></figcaption>"), 1);
    assert_int_equal(
        sample_count(text, "fence device: <b>ptx forbids r0 == 1 &amp;&amp; r1 == 0</b>; broken: Causality"),
        1);
    assert_int_equal(sample_count(text, ">block 0</text>"), 2);
    assert_int_equal(sample_count(text, ">T1</text>"), 2);
    assert_int_equal(sample_count(text, "<text class=\"why\""), 8);
    assert_int_equal(sample_count(text, "nan") + sample_count(text, "inf\""), 0);
    free(text);
}

/* Results may be forged: a model is no path, and an execution that says otherwise than the result is not shown. */
static void test_forged_results(void **state) {
    (void)state;
    struct cell_result cells[] = {judged("none", ANSWER_NO), judged("device", ANSWER_NO),
                                  judged("no such", ANSWER_NO)};
    cells[1].model.name = "/dev/stdin";
    char *text = print((struct test_result){.source = mp}, cells, 3);
    assert_int_equal(sample_count(text, "<svg"), 0);
    free(text);
    text = print((struct test_result){.source = "name: [\n<script>"}, cells, 3);
    assert_int_equal(sample_count(text, "&lt;script&gt;\n</span>"), 1);
    assert_int_equal(sample_count(text, "<script>"), 1); /* the page's own */
    free(text);
}

static void check_line(const char *line, const char *want) {
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    assert_non_null(f);
    highlight_put(line, "L", NULL, NULL, f);
    fclose(f);
    char *all = NULL;
    assert_true(asprintf(&all, "<span class=\"l\" id=\"L1\">%s\n</span>", want) > 0);
    assert_string_equal(text, all);
    free(all);
    free(text);
}

static void test_highlight(void **state) {
    (void)state;
    check_line("  - {a: 1} # x", "  - {a: <span class=\"d\">1</span>} <span class=\"r\"># x</span>");
    check_line("int r = f(X); // \"s\"", "<span class=\"w\">int</span> r = <span class=\"w\">f</span>(X); "
                                         "<span class=\"r\">// &quot;s&quot;</span>");
    check_line("other: \"a\\\"b\" 'c\r", "<span class=\"k\">other:</span> "
                                         "<span class=\"s\">&quot;a\\&quot;b&quot;</span> 'c");
    check_line("title: what 1 int is for", "<span class=\"k\">title:</span> what 1 int is for");
    check_line("doc: |\n  wait: for 1\n\n  if f()\nexists: 1",
               "<span class=\"k\">doc:</span> |\n</span>"
               "<span class=\"l\" id=\"L2\">  wait: for 1\n</span><span class=\"l\" id=\"L3\">\n</span>"
               "<span class=\"l\" id=\"L4\">  if f()\n</span><span class=\"l\" id=\"L5\">"
               "<span class=\"k\">exists:</span> <span class=\"d\">1</span>");
    check_line("a/b#c\"", "a/b#c<span class=\"s\">&quot;</span>");
    check_line("\xc3\xa4 \xff<", "\xc3\xa4 \xef\xbf\xbd&lt;");
}

static void check_tone(const char *kind, struct cell_result c, enum tone allowed, enum tone observed) {
    struct test_result t = {.kind = kind};
    assert_int_equal(tone_allowed(&t, &c), allowed);
    assert_int_equal(tone_observed(&t, &c), observed);
}

static void test_tone(void **state) {
    (void)state;
    struct cell_outcome o;
    struct cell_result c = ran(&o, 10);
    c.verdict = VERDICT_SEEN;
    c.model.executions = 1;
    check_tone("exists", c, TONE_OPEN, TONE_OPEN);
    check_tone("not_exists", c, TONE_BAD, TONE_BAD);
    check_tone("forall", c, TONE_GOOD, TONE_GOOD);
    c.satisfied = 9;
    c.model.holds = ANSWER_NO;
    check_tone("forall", c, TONE_BAD, TONE_BAD);
    c.satisfied = 0;
    c.verdict = VERDICT_HELD;
    c.model.allowed = ANSWER_NO;
    check_tone("exists", c, TONE_GOOD, TONE_MUTE);
    c.confidence = 1;
    check_tone("not_exists", c, TONE_GOOD, TONE_GOOD);
    c.verdict = VERDICT_VIOLATION;
    check_tone("exists", c, TONE_GOOD, TONE_BAD);
    c.verdict = VERDICT_SKIPPED;
    c.model.unreached = true;
    check_tone("exists", c, TONE_MUTE, TONE_MUTE);
    c.model.name = NULL;
    check_tone("forall", c, TONE_MUTE, TONE_BAD);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_head),      cmocka_unit_test(test_source),
        cmocka_unit_test(test_drawings),  cmocka_unit_test(test_forged_results),
        cmocka_unit_test(test_highlight), cmocka_unit_test(test_tone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
