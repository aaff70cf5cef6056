/* Random expressions over every type: what the compiled test computes on the CPU is what the model does, and what the C
 * compiler makes of the same expressions by itself. */
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
#include "source/read.h"

enum { TESTS = 6, INPUTS = 12, RESULTS = 16, DEPTH = 3, RUNS = 64 };

static const char *const types[] = {"int8_t",   "uint8_t",  "int16_t",          "uint16_t", "int",
                                    "unsigned", "int64_t",  "uint64_t",         "bool",     "float",
                                    "double",   "__int128", "unsigned __int128"};
static const char *const numbers[] = {
    "0",          "1",    "-1",    "7",   "31",   "64",         "3u",         "5ull",
    "0x7fffffff", "2.5f", "1e10f", "0.1", "1e40", "0xffffffff", "4294967296", "0x8000000000000000"};
/* How each is called in C, where some operations are not defined on some values: see `prelude`. */
static const struct {
    const char *text, *c;
    bool integers;
} operators[] = {{"+", 0, false},     {"-", 0, false},     {"*", 0, false},  {"/", "DIV", false},
                 {"%", "MOD", true},  {"&", 0, true},      {"|", 0, true},   {"^", 0, true},
                 {"<<", "SHL", true}, {">>", "SHR", true}, {"<", 0, false},  {"<=", 0, false},
                 {">", 0, false},     {">=", 0, false},    {"==", 0, false}, {"!=", 0, false},
                 {"&&", 0, false},    {"||", 0, false}};
static const struct {
    const char *name, *c;
    int operands;
} functions[] = {{"min", "MIN", 2},       {"max", "MAX", 2},         {"abs", "ABS", 1},
                 {"__popc", "POPC", 1},   {"__popcll", "POPCLL", 1}, {"__clz", "CLZ", 1},
                 {"__clzll", "CLZLL", 1}, {"__ffs", "FFS", 1},       {"__ffsll", "FFSLL", 1},
                 {"__brev", "BREV", 1},   {"__brevll", "BREVLL", 1}};

/* What the tests' language defines where C does not: x / 0 is 0, a shift takes its count modulo the width, an integer
 * keeps as much of a float as it can. The promotions are those of the compiler. */
static const char prelude[] =
    "#include <stdint.h>\n#include <stdbool.h>\n#include <stdio.h>\n#include <string.h>\n"
    "#define IS_REAL(x) _Generic((x), float: 1, double: 1, default: 0)\n"
    "#define SIGNED(t) ((t)-1 < (t)1)\n"
    "#define DIV(a, b) ({ __typeof__((a) / (b)) x_ = (a), y_ = (b); "
    "IS_REAL(x_) ? x_ / y_ : y_ == 0 ? 0 : SIGNED(__typeof__(x_)) && y_ == (__typeof__(x_))-1 ? -x_ : x_ / "
    "y_; })\n"
    "#define MOD(a, b) ({ __typeof__((a) % (b)) x_ = (a), y_ = (b); "
    "y_ == 0 || (SIGNED(__typeof__(x_)) && y_ == (__typeof__(x_))-1) ? 0 : x_ % y_; })\n"
    "#define SHL(a, b) ({ __typeof__(+(a)) x_ = (a); int y_ = (b) & (8 * sizeof x_ - 1); x_ << y_; })\n"
    "#define SHR(a, b) ({ __typeof__(+(a)) x_ = (a); int y_ = (b) & (8 * sizeof x_ - 1); x_ >> y_; })\n"
    "#define MIN(a, b) ({ __typeof__((a) + (b)) x_ = (a), y_ = (b); x_ < y_ || y_ != y_ ? x_ : y_; })\n"
    "#define MAX(a, b) ({ __typeof__((a) + (b)) x_ = (a), y_ = (b); x_ > y_ || y_ != y_ ? x_ : y_; })\n"
    "#define ABS(a) ({ __typeof__(+(a)) x_ = (a); x_ < 0 ? -x_ : x_; })\n"
    "#define POPC(a) __builtin_popcount((unsigned)(a))\n#define POPCLL(a) "
    "__builtin_popcountll((uint64_t)(a))\n"
    "#define CLZ(a) ({ unsigned x_ = (unsigned)(a); x_ ? __builtin_clz(x_) : 32; })\n"
    "#define CLZLL(a) ({ uint64_t x_ = (uint64_t)(a); x_ ? __builtin_clzll(x_) : 64; })\n"
    "#define FFS(a) __builtin_ffs((int)(a))\n#define FFSLL(a) __builtin_ffsll((int64_t)(a))\n"
    "static uint64_t brev(uint64_t v, int n) { uint64_t r = 0; for (int k = 0; k < n; k++) r |= (v >> k & 1) "
    "<< (n - 1 - "
    "k); return r; }\n"
    "#define BREV(a) ((unsigned)brev((unsigned)(a), 32))\n#define BREVLL(a) brev((uint64_t)(a), 64)\n"
    "static __int128 kept(double f, int digits, bool sign) {\n"
    "  if (f != f) return 0;\n  double most = __builtin_ldexp(1, digits);\n"
    "  if (f >= most) return ~((~(__int128)0) << 1 << (digits - 1));\n"
    "  if (sign ? f < -most : f <= -1) return sign ? (~(__int128)0) << 1 << (digits - 1) : 0;\n"
    "  return f < 0 ? (__int128)f : (__int128)(unsigned __int128)f;\n}\n"
    "#define TO_bool(x) ((x) != 0)\n"
    "#define CAST(type, e) ({ __auto_type x_ = (e); (type)_Generic(x_, float: kept(x_, 8 * sizeof(type) - "
    "SIGNED(type), SIGNED(type)), double: kept(x_, 8 * sizeof(type) - SIGNED(type), SIGNED(type)), default: "
    "x_); })\n"
    "#define REAL(type, e) ((type)(e))\n"
    "static void put(const char *name, void *p, size_t n) {\n"
    "  unsigned char b[16] = {0};\n  memcpy(b, p, n);\n  for (int k = 15; k >= 0; k--) printf(\"%02x\", "
    "b[k]);\n"
    "  puts(\"\");\n}\n";

#define PICK(array) (array)[pick((int)(sizeof(array) / sizeof *(array)))]

/* The same expression for a test and for C. */
struct texts {
    struct text test, c;
};

static void put_both(struct texts *t, const char *s) {
    text_add(&t->test, s);
    text_add(&t->c, s);
}

/* An operand that is an integer, as bits and shifts need one. */
static void put_expression(struct texts *t, int known, int depth);
static void put_cast(struct texts *t, const char *type, int known, int depth) {
    bool plain = strcmp(type, "bool") == 0 || strcmp(type, "float") == 0 || strcmp(type, "double") == 0;
    text_printf(&t->test, "(%s) (", type);
    text_printf(&t->c, "%s(%s, ", plain ? "REAL" : "CAST", type);
    put_expression(t, known, depth);
    put_both(t, ")");
}

static void put_operand(struct texts *t, bool integer, int known, int depth) {
    if (integer)
        put_cast(t, types[pick(8)], known, depth);
    else
        put_expression(t, known, depth);
}

static void put_operation(struct texts *t, int known, int depth) {
    int k = pick((int)(sizeof operators / sizeof *operators));
    text_add(&t->test, "(");
    text_printf(&t->c, "%s(", operators[k].c ? operators[k].c : "");
    put_operand(t, operators[k].integers, known, depth - 1);
    text_printf(&t->test, " %s ", operators[k].text);
    text_printf(&t->c, " %s ", operators[k].c ? "," : operators[k].text);
    bool divides = operators[k].text[0] == '/' || operators[k].text[0] == '%';
    if (divides) { /* a literal 0 would be refused */
        text_printf(&t->test, "in%d", k = pick(8));
        text_printf(&t->c, "in%d", k);
    } else {
        put_operand(t, operators[k].integers, known, depth - 1);
    }
    put_both(t, ")");
}

static void put_function(struct texts *t, int known, int depth) {
    int k = pick((int)(sizeof functions / sizeof *functions));
    text_printf(&t->test, "%s(", functions[k].name);
    text_printf(&t->c, "%s(", functions[k].c);
    for (int operand = 0; operand < functions[k].operands; operand++) {
        if (operand) put_both(t, ", ");
        put_operand(t, functions[k].operands == 1, known, depth - 1);
    }
    put_both(t, ")");
}

/* An expression over registers in0 .. and the `known` first results. */
static void put_expression(struct texts *t, int known, int depth) {
    int kind = depth ? pick(12) : pick(2);
    char name[16];
    if (kind == 0) {
        put_both(t, PICK(numbers));
    } else if (kind <= 2) {
        int reg = pick(INPUTS + known);
        snprintf(name, sizeof name, "%s%d", reg < INPUTS ? "in" : "r", reg < INPUTS ? reg : reg - INPUTS);
        put_both(t, name);
    } else if (kind <= 6) {
        put_operation(t, known, depth);
    } else if (kind == 7) {
        put_cast(t, PICK(types), known, depth - 1);
    } else if (kind == 8) {
        static const char *const signs[] = {"- ", "!", "+", "~"};
        int sign = pick(4);
        put_both(t, signs[sign]);
        put_operand(t, sign == 3, known, 0);
    } else if (kind <= 10) {
        put_function(t, known, depth);
    } else {
        put_both(t, "(");
        put_expression(t, known, depth - 1);
        put_both(t, " ? ");
        put_expression(t, known, depth - 1);
        put_both(t, " : ");
        put_expression(t, known, depth - 1);
        put_both(t, ")");
    }
}

/* The inputs are read from memory, so that nothing is computed before the test runs; the first have every type. */
static void write_test(struct texts *t) {
    static const char *const edges[] = {"0", "1", "-1", "127", "-128"};
    const char *type[INPUTS];
    text_add(&t->test, "name: arithmetic\nmemory:\n");
    text_printf(&t->c, "%sint main(void) {\n", prelude);
    for (int k = 0; k < INPUTS; k++) {
        type[k] = k < 8 ? types[k] : PICK(types);
        const char *init = strcmp(type[k], "bool") == 0 ? "1" : PICK(edges);
        text_printf(&t->test, "  m%d: {type: %s, init: %s}\n", k, type[k], init);
        text_printf(&t->c, "  volatile %s m%d = (%s)%s;\n  %s in%d = m%d;\n", type[k], k, type[k], init,
                    type[k], k, k);
    }
    text_add(&t->test, "threads:\n  T: |\n");
    for (int k = 0; k < INPUTS; k++)
        text_printf(&t->test, "    %s in%d = m%d;\n", type[k], k, k);
    for (int k = 0; k < RESULTS; k++) {
        const char *to = PICK(types);
        text_printf(&t->test, "    %s r%d = ", to, k);
        text_printf(&t->c, "  %s r%d = ", to, k);
        put_cast(t, to, k, DEPTH);
        text_add(&t->test, ";\n");
        text_printf(&t->c, ";\n  put(\"r%d\", &r%d, sizeof r%d);\n", k, k, k);
    }
    text_add(&t->c, "  return 0;\n}\n");
    text_add(&t->test, "exists: m0 == m0\nobserve: [");
    for (int k = 0; k < RESULTS; k++)
        text_printf(&t->test, "%sT.r%d", k ? ", " : "", k);
    text_add(&t->test, "]\n");
}

static void check_values(const struct test *t, const struct value *got, const struct value *want,
                         const char *who, const char *text) {
    char x[VALUE_MAX_TEXT], y[VALUE_MAX_TEXT];
    for (int o = 0; o < t->nobs; o++)
        if (!value_equal(got[o], want[o]))
            fail_msg("%s is %s, and to %s %s:\n%s", t->obs[o].name, value_text(x, t->obs[o].type, got[o]),
                     who, value_text(y, t->obs[o].type, want[o]), text);
}

/* A result of the compiler's own, which is a line of `out`. */
static struct value read_result(FILE *out, struct type t) {
    unsigned long long hi, lo;
    assert_int_equal(fscanf(out, "%16llx%16llx", &hi, &lo), 2);
    struct value v = {lo, hi};
    return t.real ? value_of_real(t, value_real(t, v)) : v;
}

/* What C computes, in a program of its own. */
static void compare_with_c(const struct test *t, const struct value *got, const struct texts *texts,
                           const char *folder) {
    char command[256];
    snprintf(command, sizeof command, "%s/c.c", folder);
    FILE *f = fopen(command, "w");
    assert_non_null(f);
    fputs(texts->c.s, f);
    fclose(f);
    snprintf(command, sizeof command,
             "cc -std=gnu11 -fwrapv -ffp-contract=off -w -o '%s/c' '%s/c.c' && '%s/c'", folder, folder,
             folder);
    struct value *want = calloc((size_t)t->nobs, sizeof *want);
    f = popen(command, "r");
    assert_non_null(f);
    want[0] = got[0];
    for (int o = 1; o < t->nobs; o++)
        want[o] = read_result(f, t->obs[o].type);
    assert_int_equal(pclose(f), 0);
    check_values(t, got, want, "C", texts->test.s);
    free(want);
}

static void compare(struct device *dev, const struct model *m, const struct texts *texts,
                    const char *folder) {
    const char *text = texts->test.s;
    struct arena *a = arena_open();
    struct diag d = {0};
    const struct test *t = test_read_text(a, "arithmetic.yaml", text, strlen(text), &d);
    if (!t) diag_render(&d, stderr, false); /* else it warns of what is never equal */
    assert_non_null(t);
    struct cell cell = {backend_cpu.placement(t, a), t->accesses[0], &t->fences[0]};
    struct build build = {.t = t, .cell = &cell, .d = &d};
    struct run_result res = {.hist = {.nobs = t->nobs}};
    struct model_result r;
    assert_null(backend_cpu.cannot(dev, t, &cell, NULL, a));
    backend_cpu.build(dev, &build, 1);
    bool ran = build.kernel &&
               backend_cpu.run(build.kernel, &(struct run_request){.runs = RUNS, .seed = 1}, &res, &d);
    if (!ran) diag_render(&d, stderr, false);
    assert_true(ran && model_check(m, t, &cell, NULL, a, &r, &d));
    assert_int_equal(res.hist.n, 1);
    assert_int_equal(r.noutcomes, 1);
    check_values(t, res.hist.outcomes[0].values, r.outcomes[0].values, "the model", text);
    compare_with_c(t, res.hist.outcomes[0].values, texts, folder);
    backend_cpu.discard(build.kernel);
    histogram_free(&res.hist);
    diag_free(&d);
    arena_close(a);
}

static void compiled_code_computes_as_the_model_does(void **state) {
    (void)state;
    const char *begin = getenv("CULITMUS_TEST_SEED"),
               *tests = getenv("CULITMUS_TESTS"); /* for longer searches */
    if (begin) seed = strtoull(begin, NULL, 0);
    char cache[] = "/tmp/culitmus-test-XXXXXX", command[64];
    struct arena *a = arena_open();
    struct diag d = {0};
    struct device *dev;
    assert_non_null(mkdtemp(cache));
    setenv("CULITMUS_CACHE", cache, 1);
    assert_int_equal(backend_cpu.open(0, &dev, &d), OPENING_DONE);
    const struct model *m = model_load(a, "x86-tso", &d);
    for (int k = 0; k < (tests ? atoi(tests) : TESTS); k++) {
        struct texts texts = {0};
        write_test(&texts);
        compare(dev, m, &texts, cache);
        text_free(&texts.test);
        text_free(&texts.c);
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
