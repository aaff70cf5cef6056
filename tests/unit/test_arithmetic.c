/* Random expressions over every integer type: what the compiled test computes on the CPU is what the model does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../random.h"
#include "model/model.h"
#include "run/backend.h"

enum { TESTS = 6, INPUTS = 10, RESULTS = 40, DEPTH = 3, RUNS = 64 };

static const char *const types[] = {"int8_t",   "uint8_t", "int16_t",  "uint16_t", "int",
                                    "unsigned", "int64_t", "uint64_t", "bool"};
static const char *const numbers[] = {"0",          "1",          "-1",         "7",
                                      "31",         "64",         "3u",         "5ull",
                                      "0x7fffffff", "0xffffffff", "4294967296", "0x8000000000000000"};
static const char *const operators[] = {"+",  "-", "*",  "/", "%",  "&",  "|",  "^",  "<<",
                                        ">>", "<", "<=", ">", ">=", "==", "!=", "&&", "||"};

#define PICK(array) (array)[pick((int)(sizeof(array) / sizeof *(array)))]

/* An expression over registers in0 .. and the `known` first results. */
static void put_expression(struct text *t, int known, int depth) {
    int kind = depth ? pick(10) : pick(2);
    if (kind == 0) {
        text_printf(t, "%s", PICK(numbers));
    } else if (kind <= 2) {
        int reg = pick(INPUTS + known);
        text_printf(t, "%s%d", reg < INPUTS ? "in" : "r", reg < INPUTS ? reg : reg - INPUTS);
    } else if (kind <= 6) {
        text_add(t, "(");
        put_expression(t, known, depth - 1);
        const char *operator= PICK(operators);
        bool divides = strcmp(operator, "/") == 0 || strcmp(operator, "%") == 0;
        text_printf(t, " %s ", operator);
        if (divides)
            text_printf(t, "in%d", pick(INPUTS)); /* a literal 0 would be refused */
        else
            put_expression(t, known, depth - 1);
        text_add(t, ")");
    } else if (kind == 7) {
        text_printf(t, "(%s) ", PICK(types));
        put_expression(t, known, depth - 1);
    } else if (kind == 8) {
        static const char *const signs[] = {"- ", "~", "!", "+"};
        text_add(t, PICK(signs));
        put_expression(t, known, 0);
    } else {
        text_add(t, "(");
        put_expression(t, known, depth - 1);
        text_add(t, " ? ");
        put_expression(t, known, depth - 1);
        text_add(t, " : ");
        put_expression(t, known, depth - 1);
        text_add(t, ")");
    }
}

/* The inputs are read from memory, so that nothing is computed before the test runs. */
static void write_test(struct text *t) {
    static const char *const edges[] = {"0", "1", "-1", "127", "-128"};
    const char *type[INPUTS];
    text_add(t, "name: arithmetic\nmemory:\n");
    for (int k = 0; k < INPUTS; k++) {
        type[k] = PICK(types);
        const char *init = strcmp(type[k], "bool") == 0 ? "1" : PICK(edges);
        text_printf(t, "  m%d: {type: %s, init: %s}\n", k, type[k], init);
    }
    text_add(t, "threads:\n  T: |\n");
    for (int k = 0; k < INPUTS; k++)
        text_printf(t, "    %s in%d = m%d;\n", type[k], k, k);
    for (int k = 0; k < RESULTS; k++) {
        const char *to = PICK(types);
        text_printf(t, "    %s r%d = (%s) (", to, k, to);
        put_expression(t, k, DEPTH);
        text_add(t, ");\n");
    }
    text_add(t, "exists: m0 == m0\nobserve: [");
    for (int k = 0; k < RESULTS; k++)
        text_printf(t, "%sT.r%d", k ? ", " : "", k);
    text_add(t, "]\n");
}

static void check_values(const struct test *t, const struct value *got, const struct value *want,
                         const char *text) {
    char x[VALUE_MAX_TEXT], y[VALUE_MAX_TEXT];
    for (int o = 0; o < t->nobs; o++)
        if (!value_equal(got[o], want[o]))
            fail_msg("%s\n%s is %s, and to the model %s", text, t->obs[o].name,
                     value_text(x, t->obs[o].type, got[o]), value_text(y, t->obs[o].type, want[o]));
}

static void compare(struct device *dev, const struct model *m, const char *text) {
    struct arena *a = arena_open();
    struct diag d = {0};
    const struct test *t = test_read_text(a, "arithmetic.yaml", text, strlen(text), &d);
    if (!t) diag_render(&d, stderr, false); /* else it warns of what is never equal */
    assert_non_null(t);
    struct cell v = {backend_cpu.placement(t, a), t->accesses[0], &t->fences[0]};
    struct build build = {.t = t, .v = &v, .d = &d};
    struct run_result res = {.hist = {.nobs = t->nobs}};
    struct model_result r;
    assert_null(backend_cpu.cannot(dev, t, &v, a));
    backend_cpu.build(dev, &build, 1);
    bool ran = build.kernel &&
               backend_cpu.run(build.kernel, &(struct run_request){.runs = RUNS, .seed = 1}, &res, &d);
    if (!ran) diag_render(&d, stderr, false);
    assert_true(ran && model_check(m, t, &v, NULL, a, &r, &d));
    assert_int_equal(res.hist.n, 1);
    assert_int_equal(r.noutcomes, 1);
    check_values(t, res.hist.outcomes[0].values, r.outcomes[0].values, text);
    backend_cpu.discard(build.kernel);
    histogram_free(&res.hist);
    diag_free(&d);
    arena_close(a);
}

static void compiled_code_computes_as_the_model_does(void **state) {
    (void)state;
    char cache[] = "/tmp/culitmus-test-XXXXXX", command[64];
    struct arena *a = arena_open();
    struct diag d = {0};
    struct device *dev;
    assert_non_null(mkdtemp(cache));
    setenv("CULITMUS_CACHE", cache, 1);
    assert_int_equal(backend_cpu.open(0, &dev, &d), OPENING_DONE);
    const struct model *m = model_load(a, "x86-tso", &d);
    for (int k = 0; k < TESTS; k++) {
        struct text text = {0};
        write_test(&text);
        compare(dev, m, text.s);
        text_free(&text);
    }
    backend_cpu.close(dev);
    diag_free(&d);
    arena_close(a);
    snprintf(command, sizeof command, "rm -rf %s", cache);
    assert_int_equal(system(command), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(compiled_code_computes_as_the_model_does)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
