/* Results on a terminal. */
#include <math.h>
#include <stdlib.h>

#include "../ints.h"
#include "cm.h"
#include "report/terminal.h"
#include "sample.h"

static void test_rates_and_confidences(void **state) {
    (void)state;
    static const struct {
        double value;
        const char *rate, *confidence;
    } rows[] = {
        {0, "0", "0.0%"},
        {1, "100%", ">99.99%"},
        {0.25, "25%", "25.0%"},
        {0.1, "10%", "10.0%"},
        {0.034, "3.4%", "3.4%"},
        {0.001, "0.1%", "0.1%"},
        {0.0005, "0.05%", "0.1%"},
        {0.0001, "0.01%", "0.0%"},
        {9.2e-5, "9.2e-05", "0.0%"},
        {0.9994, "100%", "99.9%"},
        {0.9996, "100%", "99.96%"},
        {0.9999, "100%", "99.99%"},
        {0.99996, "100%", ">99.99%"},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        char buf[64];
        assert_string_equal(terminal_rate(rows[k].value, buf, sizeof buf), rows[k].rate);
        assert_string_equal(terminal_confidence(rows[k].value, buf, sizeof buf), rows[k].confidence);
    }
}

static void test_words_of_a_cell(void **state) {
    (void)state;
    static const struct {
        const char *kind;
        enum verdict verdict;
        uint64_t satisfied, stuck; /* of 100 runs */
        double confidence;
        const char *observed;
    } rows[] = {
        {"exists", VERDICT_SEEN, 25, 0, NAN, "seen 25%"},
        {"exists", VERDICT_UNSEEN, 0, 0, NAN, "unseen"},
        {"exists", VERDICT_HELD, 0, 0, NAN, "held?"},
        {"exists", VERDICT_HELD, 0, 0, 0.99, "held"},
        {"exists", VERDICT_HELD, 0, 0, 0.9899, "held? 98%"},
        {"exists", VERDICT_VIOLATION, 25, 0, NAN, "VIOLATION"},
        {"exists", VERDICT_SKIPPED, 0, 0, NAN, "skipped"},
        {"exists", VERDICT_STUCK, 0, 20, NAN, "stuck 20%"},
        {"exists", VERDICT_NO_MODEL, 0, 0, NAN, "not seen"},
        {"exists", VERDICT_UNKNOWN, 0, 0, NAN, "not seen"},
        {"not_exists", VERDICT_SEEN, 25, 0, NAN, "seen 25%"},
        {"forall", VERDICT_SEEN, 100, 0, NAN, "always"},
        {"forall", VERDICT_SEEN, 75, 0, NAN, "broken 25%"},
        {"forall", VERDICT_NO_MODEL, 80, 20, NAN, "always"},
        {"forall", VERDICT_UNSEEN, 0, 0, NAN, "broken 100%"},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        struct cell_outcome outcome;
        struct cell_result c = ran(&outcome, 100);
        char buf[64];
        c.verdict = rows[k].verdict;
        c.satisfied = rows[k].satisfied;
        c.stuck = rows[k].stuck;
        c.confidence = rows[k].confidence;
        struct test_result t = test_of(&c, 1);
        t.kind = rows[k].kind;
        assert_string_equal(terminal_observed(&t, &c, buf, sizeof buf), rows[k].observed);
    }
}

static void show(const struct report *r, FILE *out) {
    struct terminal t = {.out = out, .width = 44};
    terminal_test(&t, r->tests, false);
}

/* Of more outcomes than a screen has room for, how many are not shown. */
static void test_long_histogram(void **state) {
    (void)state;
    enum { MANY = 26 };
    struct value values[MANY];
    struct cell_outcome o[MANY], unused;
    for (int k = 0; k < MANY; k++) {
        values[k] = INT(k);
        o[k] = (struct cell_outcome){.values = &values[k], .count = 1, .allowed = ANSWER_YES};
    }
    struct cell_result c = ran(&unused, MANY);
    c.outcomes = o;
    struct test_result t = test_of(&c, 1);
    struct report r = {.tests = &t, .ntests = 1};
    for (int left = 0; left <= 2; left++) {
        c.noutcomes = 24 + left;
        char *text = sample_print(show, &r);
        assert_int_equal(sample_count(text, "    and "), left > 0);
        assert_int_equal(sample_count(text, "    and 1 more outcome\n"), left == 1);
        assert_int_equal(sample_count(text, "    and 2 more outcomes\n"), left == 2);
        free(text);
    }
}

/* Reasons once a placement, and the lines below a histogram where they say something. */
static void test_terminal(void **state) {
    (void)state;
    static const char *const names[] = {"a_thread.a_register", "another.register"};
    static const struct value values[] = {INT(1), INT(-20)};
    struct cell_outcome o[2] = {{values, 100, ANSWER_YES, true}, {values, 7, ANSWER_NO, false}};
    struct cell_outcome unused;
    struct cell_result c[5];
    for (int k = 0; k < 5; k++) {
        c[k] = ran(&unused, 0);
        c[k].outcomes = &o[k > 0];
        c[k].noutcomes = k < 2;
        c[k].fence = k % 2 || k == 4 ? "device" : "none";
        c[k].placement = k < 2 ? "block" : k < 4 ? "peer" : "host";
        c[k].skipped = k < 2 ? NULL : "needs 2 GPUs";
        c[k].verdict = k < 2 ? VERDICT_SEEN : VERDICT_SKIPPED;
    }
    c[0].runs = c[0].satisfied = 100;
    c[0].model.bounded = true;
    c[0].model.turns = 3;
    c[0].environments = 2;
    c[0].seen_in = 1;
    c[0].peak = 1000;
    c[1].runs = 7;
    c[1].model.executions = 1;
    c[1].environments = 1;
    c[2].model.unknown = "needs 2 GPUs";
    c[3].model.unknown = "timeout";
    struct test_result t = test_of(c, 2);
    t.obs = names;
    t.title = "a\nb\033\177";
    t.ncells = 5;
    struct report r = {.tests = &t, .ntests = 1};
    char *text = sample_print(show, &r);
    assert_string_equal(text, "MP: a b??\n"
                              "MP.yaml\n"
                              "  exists r0 == 1\n"
                              "  a GPU, judged by ptx, access volatile\n"
                              "           none          device\n"
                              "    block  allowed       allowed\n"
                              "           seen 100%     not seen\n"
                              "    peer   allowed       allowed\n"
                              "           skipped       skipped\n"
                              "    host                 allowed\n"
                              "                         skipped\n"
                              "  skipped: peer: needs 2 GPUs\n"
                              "  skipped: host: needs 2 GPUs\n"
                              "  unknown: peer: timeout\n"
                              "  bounded: block: loops were followed for 3\n"
                              "    turns only\n"
                              "\n"
                              "  block: a_thread.a_register,\n"
                              "    another.register\n"
                              "                          none        device\n"
                              " *>       1  -20           100            7!\n"
                              "            runs           100             7\n"
                              "     best runs/s         1e+03              \n"
                              "    environments        1 of 2              \n"
                              "\n");
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rates_and_confidences),
        cmocka_unit_test(test_words_of_a_cell),
        cmocka_unit_test(test_terminal),
        cmocka_unit_test(test_long_histogram),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
