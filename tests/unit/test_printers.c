/* Results as JSON, HTML, JUnit, a log and Markdown. */
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "../ints.h"
#include "cm.h"
#include "report/json.h"
#include "report/printers.h"
#include "report/terminal.h"
#include "sample.h"

static const char evil[] = "<x y=\"z\">&\033\177";
static const char tamed[] = "&lt;x y=&quot;z&quot;&gt;&amp;  ";

/* All text that may come from a file is escaped, wherever it stands; it stands there so many times. */
static void check_escapes(void (*printer)(const struct report *r, FILE *out), int times) {
    static const char *const evils[] = {evil};
    struct cell_outcome outcome;
    struct cell_result c[3] = {ran(&outcome, 100), ran(&outcome, 100), ran(&outcome, 100)};
    outcome.allowed = ANSWER_NO;
    for (int k = 0; k < 3; k++) {
        c[k].device = c[k].placement = c[k].fence = c[k].access = c[k].model.name = evil;
        c[k].backend = k == 2 ? "model" : "cuda";
        c[k].machine = k == 2 ? MACHINE_NONE : MACHINE_GPU;
        c[k].verdict = VERDICT_VIOLATION;
    }
    c[1].skipped = c[2].model.unknown = evil;
    struct failure failure = {{3, 4, 5}, evil};
    struct property machine = {evil, evil};
    struct test_result t = test_of(c, 1);
    t.ncells = 3;
    t.name = t.title = t.file = t.condition = evil;
    t.obs = evils, t.source = evil;
    t.failures = &failure, t.nfailures = 1;
    struct refused_file refused = {evil, &failure, 1};
    struct report r = {.tool = evil,
                       .machine = &machine,
                       .nmachine = 1,
                       .tests = &t,
                       .ntests = 1,
                       .refused = &refused,
                       .nrefused = 1};
    char *text = sample_print(printer, &r);
    assert_int_equal(sample_count(text, tamed), times);
    assert_int_equal(sample_count(text, "<x") + sample_count(text, "y=\"") + sample_count(text, "\033") +
                         sample_count(text, "\177"),
                     0);
    free(text);
}

static void test_markup_is_escaped(void **state) {
    (void)state;
    check_escapes(report_html, 49);
    check_escapes(report_junit, 23);
}

static void test_junit(void **state) {
    (void)state;
    static const struct value zero[] = {{0, 0}};
    struct cell_outcome o[2], other;
    struct cell_result c[3] = {ran(&o[1], 7), ran(&other, 9), ran(&other, 0)};
    o[0] = (struct cell_outcome){.values = zero, .count = 5, .allowed = ANSWER_UNKNOWN};
    o[1].allowed = ANSWER_NO;
    c[0].outcomes = o;
    c[0].noutcomes = 2;
    c[0].verdict = VERDICT_VIOLATION;
    c[1].verdict = VERDICT_NO_MODEL;
    c[1].seconds = 1.5;
    c[2].skipped = "no peer";
    c[2].verdict = VERDICT_SKIPPED;
    struct failure failures[2] = {{{3, 4, 5}, "not so"}, {{6, 7, 8}, "nor so"}};
    struct test_result t = test_of(c, 1);
    t.ncells = 3;
    t.failures = failures, t.nfailures = 2;
    struct report r = {.tests = &t, .ntests = 1};
    char *text = sample_print(report_junit, &r);
    assert_string_equal(
        text, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"culitmus\">\n"
              " <testsuite name=\"MP\" tests=\"4\" failures=\"2\" errors=\"0\" skipped=\"1\">\n"
              "  <testcase classname=\"MP\" name=\"cuda peer volatile none\" time=\"0.000\">"
              "<failure message=\"an outcome that the model forbids was observed\">7 times "
              "T1.r0=1\n</failure></testcase>\n"
              "  <testcase classname=\"MP\" name=\"cuda peer volatile none\" time=\"1.500\">"
              "<system-out>no model, 9 of 9 runs (100%)</system-out></testcase>\n"
              "  <testcase classname=\"MP\" name=\"cuda peer volatile none\" time=\"0.000\">"
              "<skipped message=\"no peer\"/></testcase>\n"
              "  <testcase classname=\"MP\" name=\"claims\"><failure message=\"not so\">MP.yaml:3:4</failure>"
              "<failure message=\"nor so\">MP.yaml:6:7</failure></testcase>\n"
              " </testsuite>\n</testsuites>\n");
    free(text);
}

/* The words of a log for a condition of a kind, and an outcome that satisfies it or not. */
static void check_log(const char *kind, bool satisfies, const char *want) {
    struct cell_outcome o;
    struct cell_outcome none;
    struct cell_result c[2] = {ran(&o, 100), ran(&none, 0)};
    o.satisfies = satisfies;
    c[0].placement = "T0 | T1";
    c[1].skipped = "no peer";
    struct test_result t = test_of(c, 1);
    t.kind = kind;
    t.ncells = 2;
    struct report r = {.tests = &t, .ntests = 1};
    char *text = sample_print(report_log, &r);
    assert_string_equal(text, want);
    free(text);
}

static void test_log(void **state) {
    (void)state;
#define NAME "MP@T0_|_T1/volatile/none "
#define LOG(word, sign, ok, yes, no, condition, not, seen)                                                   \
    "Test " NAME word "\nHistogram (1 states)\n100     " sign ">T1.r0=1;\n" ok                               \
    "\n\nWitnesses\nPositive: " yes ", Negative: " no "\nCondition " condition                               \
    " (r0 == 1) is " not "validated\nObservation " NAME seen " " yes " " no "\nTime " NAME "0.00\n\n"
    check_log("exists", true, LOG("Allowed", "*", "Ok", "100", "0", "exists", "", "Always"));
    check_log("exists", false, LOG("Allowed", ":", "No", "0", "100", "exists", "NOT ", "Never"));
    check_log("not_exists", true, LOG("Forbidden", "*", "No", "100", "0", "~exists", "NOT ", "Always"));
    check_log("not_exists", false, LOG("Forbidden", ":", "Ok", "0", "100", "~exists", "", "Never"));
    check_log("forall", true, LOG("Required", "*", "Ok", "100", "0", "forall", "", "Always"));
    check_log("forall", false, LOG("Required", ":", "No", "0", "100", "forall", "NOT ", "Never"));
}

static void test_log_of_two_outcomes(void **state) {
    (void)state;
    static const struct value zero[] = {{0, 0}};
    struct cell_outcome o[2];
    struct cell_result c = ran(&o[1], 100);
    o[0] = (struct cell_outcome){.values = zero, .count = 50, .allowed = ANSWER_YES};
    c.outcomes = o;
    c.noutcomes = 2;
    struct test_result t = test_of(&c, 1);
    t.kind = "forall";
    struct report r = {.tests = &t, .ntests = 1};
    char *text = sample_print(report_log, &r);
    assert_string_equal(text,
                        "Test MP@peer/volatile/none Required\nHistogram (2 states)\n50      :>T1.r0=0;\n"
                        "100     *>T1.r0=1;\nNo\n\nWitnesses\nPositive: 100, Negative: 50\n"
                        "Condition forall (r0 == 1) is NOT validated\n"
                        "Observation MP@peer/volatile/none Sometimes 100 50\n"
                        "Time MP@peer/volatile/none 0.00\n\n");
    free(text);
}

/* The colours of cells and counts are classes; outcomes beyond the longest table are counted. */
static void test_html(void **state) {
    (void)state;
    enum { MANY = 201 };
    static struct value values[MANY];
    static struct cell_outcome o[MANY];
    struct cell_outcome outcome;
    struct cell_result c[3] = {ran(&outcome, 100), ran(&outcome, 100), ran(&outcome, 0)};
    for (int k = 0; k < MANY; k++) {
        values[k] = INT(k);
        o[k] = (struct cell_outcome){.values = &values[k], .count = 1, .allowed = ANSWER_YES};
    }
    o[7].allowed = ANSWER_NO;
    o[8].allowed = ANSWER_UNKNOWN;
    c[0].outcomes = o;
    c[0].noutcomes = MANY;
    c[0].verdict = VERDICT_VIOLATION;
    c[1].fence = "device";
    c[1].model.name = NULL;
    c[1].verdict = VERDICT_NO_MODEL;
    c[2].backend = "model";
    c[2].machine = MACHINE_NONE;
    c[2].verdict = VERDICT_ALLOWED;
    struct test_result t = test_of(c, 1);
    t.ncells = 3;
    struct report r = {.tool = "culitmus", .tests = &t, .ntests = 1};
    char *text = sample_print(report_html, &r);
    assert_int_equal(sample_count(text, "<td class=\"cell bad\">allowed<br>VIOLATION</td>"), 1);
    assert_int_equal(sample_count(text, "<td class=\"cell open\">-<br>seen 100%</td>"), 1);
    assert_int_equal(sample_count(text, "<td class=\"cell open\">allowed<small>0 outcomes</small></td>"), 1);
    assert_int_equal(sample_count(text, "<td class=\"n bad\">1<small>forbidden</small>"), 1);
    assert_int_equal(sample_count(text, "and 1 more outcome</td>"), 1);
    free(text);
}

/* A table of contents: what a GPU showed of tests in two folders, and what may not begin markup. */
static void test_markdown(void **state) {
    (void)state;
    struct cell_outcome outcome;
    struct cell_result c[3] = {ran(&outcome, 100), ran(&outcome, 1000), ran(&outcome, 0)};
    c[0].backend = "cpu";
    c[0].machine = MACHINE_CPU;
    c[0].device = "a CPU";
    c[0].model = (struct judgement){.name = "x86-tso", .allowed = ANSWER_NO, .holds = ANSWER_NO};
    c[1].satisfied = 990;
    c[1].verdict = VERDICT_SEEN;
    c[2].fence = "device";
    c[2].skipped = "no peer";
    c[2].verdict = VERDICT_SKIPPED;
    struct test_result t[2] = {test_of(c, 1), test_of(c, 1)};
    t[0].ncells = t[1].ncells = 3;
    t[0].kind = "forall";
    t[0].file = "ab/x.yaml";
    t[0].title = "a|b*_<>[]`\\\n";
    t[1].file = "a/y.yaml";
    t[1].condition = "a == 1 || b";
    struct report r = {.tests = t, .ntests = 2};
    char *text = sample_print(report_markdown, &r);
#define HEAD                                                                                                 \
    "| test | condition | no fence, or as written | block | device | system | other fences | seen on a GPU " \
    "|\n"                                                                                                    \
    "|---|---|---|---|---|---|---|---|\n"
    assert_string_equal(
        text,
        "\n## ab\n\n" HEAD
        "| [MP](<ab/x.yaml>)<br>a\\|b\\*\\_\\<\\>\\[\\]\\`\\\\  | forall r0 == 1 | always |  | "
        "always |  |  | none: broken 1.0% |\n"
        "\n## a\n\n" HEAD "| [MP](<a/y.yaml>)<br> | exists a == 1 \\|\\| b | allowed |  | allowed |  |  | "
        "none: seen 99% |\n");
    free(text);
}

/* A table of contents names the compilers of a test where several made what one GPU ran. */
static void test_markdown_compilers(void **state) {
    (void)state;
    struct cell_outcome outcome;
    struct cell_result c[2] = {ran(&outcome, 1000), ran(&outcome, 1000)};
    c[0].satisfied = 990, c[0].verdict = VERDICT_SEEN, c[0].compiler = "NVRTC 13.0";
    c[1].satisfied = 10, c[1].verdict = VERDICT_SEEN, c[1].compiler = "NVRTC 12.4";
    struct test_result t[2] = {test_of(c, 1), test_of(c, 1)};
    t[0].ncells = 2;
    struct report r = {.tests = t, .ntests = 2};
    char *text = sample_print(report_markdown, &r);
    assert_int_equal(sample_count(text, " | NVRTC 13.0: none: seen 99%<br>NVRTC 12.4: none: seen 1.0% |\n"),
                     1);
    assert_int_equal(sample_count(text, " | none: seen 99% |\n"), 1);
    free(text);
}

static void test_csv(void **state) {
    (void)state;
    struct cell_outcome outcome;
    struct cell_result c[3] = {ran(&outcome, 100), ran(&outcome, 100), ran(&outcome, 100)};
    c[0].verdict = VERDICT_SEEN;
    c[0].seconds = 0.5, c[0].best_rate = 3e9, c[0].environments = 4, c[0].seen_in = 1;
    c[0].compiler = "NVRTC 13.0";
    c[1].device = NULL, c[1].runs = 0, c[1].verdict = VERDICT_SKIPPED, c[1].skipped = "no \"peer\", no host";
    c[2].placement = "=1+1", c[2].fence = "a\nb", c[2].satisfied = 0, c[2].confidence = 0.25;
    c[2].verdict = VERDICT_HELD;
    struct test_result t = test_of(c, 1);
    t.ncells = 3;
    struct report r = {.tests = &t, .ntests = 1};
    char *text = sample_print(report_csv, &r);
    assert_string_equal(
        text,
        "test,file,kind,condition,backend,device,compiler,placement,access,fence,model,verdict,confidence,"
        "runs,"
        "satisfied,stuck,seconds,rate,best_rate,environments,seen_in,note\r\n"
        "MP,MP.yaml,exists,r0 == 1,cuda,a GPU,NVRTC "
        "13.0,peer,volatile,none,ptx,seen,,100,100,0,0.5,1,3e+09,4,1,\r\n"
        "MP,MP.yaml,exists,r0 == 1,cuda,,,peer,volatile,none,ptx,skipped,,,,,,,,,,"
        "\"no \"\"peer\"\", no host\"\r\n"
        "MP,MP.yaml,exists,r0 == 1,cuda,a GPU,,'=1+1,volatile,a b,ptx,held?,0.25,100,0,0,0,0,0,0,0,\r\n");
    free(text);
}

static struct report *write_and_read(struct arena *a, const struct report *r) {
    struct diag d = {0};
    char path[] = "/tmp/culitmus-results.XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    FILE *f = fdopen(fd, "w");
    report_json(r, f);
    fclose(f);
    struct report *back = report_read(a, path, &d);
    unlink(path);
    assert_non_null(back);
    return back;
}

/* Older results say "stuck" of a cell that showed the outcome besides, and their confidence comes of another
 * formula. */
static void test_older_json(void **state) {
    (void)state;
    struct arena *a = arena_open();
    struct cell_outcome outcome;
    struct cell_result c[2] = {ran(&outcome, 100), ran(&outcome, 100)};
    c[0].runs = 103, c[0].stuck = 3, c[0].verdict = VERDICT_STUCK;
    c[1].satisfied = 0, c[1].noutcomes = 0, c[1].verdict = VERDICT_UNSEEN;
    c[1].fence = "device", c[1].confidence = 1;
    struct test_result t = test_of(c, 1);
    t.ncells = 2;
    struct report r = {.tool = "culitmus", .tests = &t, .ntests = 1};
    const struct report *back = write_and_read(a, &r);
    assert_int_equal(back->tests[0].cells[0].verdict, VERDICT_SEEN);
    assert_true(fabs(back->tests[0].cells[1].confidence - 0.5) < 1e-9);
    arena_close(a);
}

/* What is written is read again, whatever is in it. */
static void test_json_comes_back(void **state) {
    (void)state;
    static const char *warnings[] = {"never seen", "nor this"};
    struct arena *a = arena_open();
    struct cell_outcome outcome;
    struct parameter threads = {"threads", 512};
    struct cell_result c = ran(&outcome, 100);
    c.runs = 103, c.stuck = 3;
    c.verdict = VERDICT_UNKNOWN;
    c.environments = 9, c.seen_in = 4, c.best_rate = 1.5, c.peak = 2.5;
    c.environment = &threads, c.nenvironment = 1;
    c.warnings = warnings, c.nwarnings = 2;
    c.model.uncounted = true;
    c.model.unlisted = true;
    c.model.bounded = true;
    c.model.allowed = ANSWER_UNKNOWN;
    struct failure failure = {{3, 4, 0}, "not so"};
    struct test_result t = test_of(&c, 1);
    t.title = "a title";
    t.failures = &failure, t.nfailures = 1;
    struct refused_file refused = {"bad.yaml", &failure, 1};
    struct report r = {
        .tool = "culitmus", .seed = 42, .tests = &t, .ntests = 1, .refused = &refused, .nrefused = 1};
    struct report *back = write_and_read(a, &r);
    const struct cell_result *got = &back->tests[0].cells[0];
    assert_int_equal(got->stuck, 3);
    assert_int_equal(got->environments, 9);
    assert_int_equal(got->seen_in, 4);
    assert_true(got->best_rate == 1.5 && got->peak == 2.5 && isnan(got->confidence));
    assert_int_equal(got->nwarnings, 2);
    assert_string_equal(got->warnings[1], "nor this");
    assert_true(got->model.uncounted);
    assert_true(got->model.unlisted);
    assert_true(got->model.bounded);
    assert_int_equal(got->model.allowed, ANSWER_UNKNOWN);
    assert_int_equal(back->tests[0].failures[0].pos.col, 4);
    assert_int_equal(back->nrefused, 1);
    assert_string_equal(back->refused[0].file, "bad.yaml");
    assert_string_equal(back->refused[0].errors[0].text, "not so");
    char *before = sample_print(report_json, &r), *after = sample_print(report_json, back);
    assert_string_equal(before, after);
    assert_int_equal(sample_count(before, "\"confidence\": null"), 1);
    free(before);
    c.model.uncounted = false;
    c.model.bounded = false;
    c.model.unknown = "timeout";
    before = sample_print(report_json, &r);
    assert_int_equal(sample_count(before, "\"unknown\": \"timeout\""), 1);
    assert_int_equal(sample_count(before, "bounded"), 0);
    free(before);
    free(after);
    arena_close(a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_markup_is_escaped),
        cmocka_unit_test(test_junit),
        cmocka_unit_test(test_log),
        cmocka_unit_test(test_log_of_two_outcomes),
        cmocka_unit_test(test_html),
        cmocka_unit_test(test_markdown),
        cmocka_unit_test(test_markdown_compilers),
        cmocka_unit_test(test_csv),
        cmocka_unit_test(test_json_comes_back),
        cmocka_unit_test(test_older_json),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
