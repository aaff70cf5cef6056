/* Accesses of several sizes to the same bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "ask.h"

#define HALVES  "w: {type: uint64_t}, lo: {of: w, type: uint32_t}, hi: {of: w, at: 4, type: uint32_t}"
#define MESSAGE "f: 0, " HALVES

static struct model_result judge(struct arena *a, const char *model, const char *yaml, struct test **t) {
    struct diag d = {0};
    struct model_result r;
    const struct cell *cell = ask_cell(a, yaml, t);
    assert_true(model_check(ask_model(a, model), *t, cell, NULL, a, &r, &d));
    assert_int_equal(r.status, MODEL_DONE);
    diag_free(&d);
    return r;
}

static bool is_undefined(const char *yaml) {
    struct arena *a = arena_open();
    struct test *t;
    bool undefined = judge(a, "ptx", yaml, &t).undefined;
    arena_close(a);
    return undefined;
}

/* With a view that nobody uses, a location's accesses are of two parts, and every outcome stays as it is. */
static void assert_same(const char *model, const char *with, const char *without) {
    struct arena *a = arena_open();
    struct test *t;
    struct model_result x = judge(a, model, with, &t), y = judge(a, model, without, &t);
    assert_int_equal(x.noutcomes, y.noutcomes);
    for (int k = 0; k < x.noutcomes; k++)
        assert_memory_equal(x.outcomes[k].values, y.outcomes[k].values,
                            (size_t)t->nobs * sizeof(struct value));
    assert_false(x.undefined);
    arena_close(a);
}

#define UNUSED(type) "x: {type: " type "}, y: {type: " type "}, v: {of: x, at: 1, type: uint8_t}"
#define SIMPLE(type) "x: {type: " type "}, y: {type: " type "}"
#define SAME(type, threads, condition)                                                                       \
    do {                                                                                                     \
        assert_same("ptx", TEST("T0 | T1", UNUSED(type), threads, condition),                                \
                    TEST("T0 | T1", SIMPLE(type), threads, condition));                                      \
        assert_same("sc", TEST("T0 | T1", UNUSED(type), threads, condition),                                 \
                    TEST("T0 | T1", SIMPLE(type), threads, condition));                                      \
    } while (0)

static void test_unused(void **state) {
    (void)state;
    SAME("int", THREAD("T0", "x = 1; y = -1;") THREAD("T1", "int r = y; int s = x;"),
         "exists: r == -1 && s == 0");
    SAME("int", THREAD("T0", "x = -7; int r = x;") THREAD("T1", "x = 9; int s = x;"),
         "exists: r == 9 && s == -7 && x == 9");
    SAME("uint64_t",
         THREAD("T0", "x = 0x100000001ull; x = 2;") THREAD("T1", "uint64_t r = x; uint64_t s = x;"),
         "exists: r == 1 && s == 0");
    SAME("uint64_t",
         THREAD("T0", "store(x, 0x100000001ull, weak);")
             THREAD("T1", "store(x, 0x200000002ull, weak); uint64_t r = load(x, weak);"),
         "exists: r == 0x100000002ull && x == 0x200000001ull");
    SAME("unsigned",
         THREAD("T0", "unsigned r = atomicAdd(&x, 70000);")
             THREAD("T1", "unsigned s = atomicCAS(&x, 70000, 5);"),
         "exists: r == 5 && s == 70000 && x == 5");
    SAME("uint16_t", THREAD("T0", "y = 0x102; x = 3;") THREAD("T1", "int r = x; y = r + 1; int s = y;"),
         "exists: r == 3 && s == 0x102");
}

static bool is_allowed(const char *model, const char *yaml) {
    struct arena *a = arena_open();
    bool allowed = ask(ask_model(a, model), yaml, NULL).allowed;
    arena_close(a);
    return allowed;
}

/* The parts of an access take one turn, and its value comes from the bytes that others wrote. */
static void test_sc(void **state) {
    (void)state;
    assert_false(is_allowed("sc", TEST("T0 | T1", HALVES,
                                       THREAD("T0", "w = 0x100000001ull;")
                                           THREAD("T1", "uint32_t r = hi; uint32_t s = lo;"),
                                       "exists: r == 1 && s == 0")));
    assert_true(is_allowed("sc", TEST("T0 | T1", HALVES,
                                      THREAD("T0", "lo = 5; hi = 6;") THREAD("T1", "uint64_t r = w;"),
                                      "exists: r == 5")));
    assert_false(is_allowed("sc", TEST("T0 | T1", HALVES,
                                       THREAD("T0", "lo = 5; hi = 6;") THREAD("T1", "uint64_t r = w;"),
                                       "exists: r == 0x600000000ull")));
    assert_false(is_allowed("x86-tso", TEST("T0 | T1", HALVES,
                                            THREAD("T0", "w = 0x100000001ull;")
                                                THREAD("T1", "uint32_t r = hi; uint32_t s = lo;"),
                                            "exists: r == 1 && s == 0")));
}

#define FENCE  "__threadfence(); "
#define WRITES "lo = 5; hi = 6; "

/* Nothing is promised of accesses of several sizes that race; ordered, they see the last bytes. */
static void test_races(void **state) {
    (void)state;
    assert_true(is_undefined(
        TEST("T0 | T1", HALVES, THREAD("T0", "w = 1;") THREAD("T1", "int r = hi;"), "exists: r == 0")));
    assert_false(is_undefined(
        TEST("T0 | T1", HALVES, THREAD("T0", "hi = 1;") THREAD("T1", "int r = lo;"), "exists: r == 0")));
    assert_false(is_undefined(TEST(
        "T0 | T1", HALVES, THREAD("T0", "int s = hi;") THREAD("T1", "uint64_t r = w;"), "exists: r == 0")));
    assert_false(is_undefined(
        TEST("T0", HALVES, THREAD("T0", "w = 1; hi = 2; uint64_t r = w;"), "exists: r == 0x200000001ull")));
    assert_true(is_undefined(TEST("T0 | T1", MESSAGE,
                                  THREAD("T0", WRITES "f = 1;")
                                      THREAD("T1", "int r = f; uint64_t s = 0; if (r) s = w;"),
                                  "exists: s == 5")));
    const char *ordered = TEST("T0 | T1", MESSAGE,
                               THREAD("T0", WRITES FENCE "f = 1;")
                                   THREAD("T1", "int r = f; uint64_t s = 0; " FENCE "if (r) s = w;"),
                               "exists: r == 1 && s != 0x600000005ull");
    assert_false(is_undefined(ordered));
    assert_false(is_allowed("ptx", ordered));
}

/* A half is written, then the whole word, and then the word is read while it is written: the read and the write are morally
 * strong or they race; the half is before both of them or it races. */
static void test_single_copy(void **state) {
    (void)state;
#define AT_BARRIER(first, write, second, read)                                                               \
    TEST("T0 T1", HALVES,                                                                                    \
         THREAD("T0", "store(hi, 7, weak); " first write) THREAD("T1", second "uint64_t r = " read),         \
         "exists: r == 0x700000001ull")
#define BARRIER "__syncthreads(); "
#define WRITE   "store(w, 0x100000001ull, relaxed, block);"
#define READ    "load(w, relaxed, block);"
    static const struct {
        const char *test;
        bool allowed, undefined;
    } cases[] = {
        {AT_BARRIER(BARRIER, WRITE, BARRIER, READ), false, false},
        {AT_BARRIER(BARRIER, "store(w, 0x100000001ull, weak);", BARRIER, READ), true, false},
        {AT_BARRIER(BARRIER, WRITE, BARRIER, "load(w, weak);"), true, false},
        {AT_BARRIER("", WRITE BARRIER, BARRIER, READ), false, false},
        {AT_BARRIER("", WRITE, "", READ), true, true},
        {AT_BARRIER(BARRIER, "atomicExch(&w, 0x100000001ull);", BARRIER, "atomicAdd(&w, 0);"), false, false},
        {AT_BARRIER(BARRIER, "atomicAdd(&w, 0x100000001ull);", BARRIER, "load(w, acquire, device);"), false,
         false},
        {TEST("T0 | T1 | T2", MESSAGE,
              THREAD("T0", "store(hi, 7, weak); store(f, 1, release, device);") THREAD(
                  "T1", "int a = load(f, acquire, device); if (a) store(w, 0x100000001ull, relaxed, device);")
                  THREAD("T2", "uint64_t r = 0; int b = load(f, acquire, device); if (b) r = load(w, "
                               "relaxed, device);"),
              "exists: a == 1 && b == 1 && r == 0x700000001ull"),
         false, false},
        {TEST("T0 | T1 | T2", MESSAGE,
              THREAD("T0", "store(hi, 7, weak); store(f, 1, release, device);") THREAD(
                  "T1", "int a = load(f, acquire, device); if (a) store(w, 0x100000001ull, relaxed, device);")
                  THREAD("T2", "uint64_t r = 0; int b = load(f, relaxed, device); if (b) r = load(w, "
                               "relaxed, device);"),
              "exists: a == 1 && b == 1 && r == 0x700000001ull"),
         true, true},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        if (is_allowed("ptx", cases[k].test) != cases[k].allowed) print_error("%s\n", cases[k].test);
        assert_true(is_allowed("ptx", cases[k].test) == cases[k].allowed);
        assert_true(is_undefined(cases[k].test) == cases[k].undefined);
        if (cases[k].allowed) continue;
        assert_false(is_allowed("ptx-strong", cases[k].test));
        assert_false(is_allowed("ptx-mca", cases[k].test));
        assert_false(is_allowed("sc", cases[k].test));
    }
}

/* Whatever races: atomic operations that are in each other's scope take turns. What else is observed may be anything. */
static void test_atomics(void **state) {
    (void)state;
#define BESIDE(first, second, others, condition)                                                             \
    TEST("T0 | T1 | T2", "n: 0, p: {type: uint64_t}, q: {of: p, type: uint32_t}, " HALVES,                   \
         THREAD("T0", first) THREAD("T1", second) THREAD("T2", others), condition)
#define WIDE   "atomicAdd(&w, 0x100000001ull);"
#define NARROW "atomicAdd(&hi, 1);"
#define LOST   "exists: w != 0x200000001ull"
    static const struct {
        const char *test;
        bool allowed, holds, undefined;
    } cases[] = {
        {BESIDE(WIDE, NARROW, "int i = 0;", LOST), false, false, false},
        {BESIDE(WIDE, NARROW, "int i = 0;", "forall: w == 0x200000001ull"), true, true, false},
        {BESIDE(WIDE, NARROW, "int i = 0;", "not_exists: w != 0x200000001ull"), false, true, false},
        {BESIDE("uint64_t r = " WIDE, "uint32_t s = " NARROW, "int i = 0;", "exists: (r >> 32) + s != 1"),
         false, false, false},
        {BESIDE("uint64_t r = " WIDE, "uint32_t s = " NARROW, "int i = 0;", "exists: s == 1"), true, true,
         true},
        {BESIDE("atomicAdd_block(&w, 0x100000001ull);", NARROW, "int i = 0;", LOST), true, true, true},
        {BESIDE(WIDE, NARROW, "hi = 0;", LOST), true, true, true},
        {BESIDE(WIDE, NARROW, "uint32_t i = lo;", LOST), true, true, true},
        {BESIDE("p = 1; atomicAdd(&n, 1);", "atomicAdd(&n, 1);", "q = 2;", "forall: n == 2"), true, true,
         false},
        {BESIDE("p = 1; atomicAdd(&n, 1);", "atomicAdd(&n, 1);", "q = 2;", "exists: n == 2 && p == 3"), true,
         true, true},
        {BESIDE("p = 1; atomicAdd(&n, 1);", "uint32_t r = q; if (r) atomicAdd(&n, 1);", "n = 0;",
                "exists: n == 3"),
         true, true, true},
        {BESIDE("p = 1; atomicAdd(&n, 1);", "uint32_t r = q; if (r) atomicAdd(&n, 1);", "int i = 0;",
                "exists: n == 3"),
         true, true, true},
        {BESIDE("p = 1; atomicAdd(&n, 1);", "uint32_t r = q; atomicAdd(&n, r);", "int i = 0;",
                "exists: n == 3"),
         true, true, true},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct arena *a = arena_open();
        struct test *t;
        struct model_result r = judge(a, "ptx", cases[k].test, &t);
        if (r.allowed != cases[k].allowed || r.undefined != cases[k].undefined)
            print_error("%s\n", cases[k].test);
        assert_true(r.allowed == cases[k].allowed && r.holds == cases[k].holds &&
                    r.undefined == cases[k].undefined);
        r = judge(a, "ptx-strong", cases[k].test, &t);
        assert_true(r.allowed == cases[k].allowed && r.undefined == cases[k].undefined);
        arena_close(a);
    }
}

/* A thread sees its own accesses in their order, whatever sizes they have. */
static void test_own(void **state) {
    (void)state;
#define OWN(body, condition)                                                                                 \
    TEST("T0 | T1", HALVES, THREAD("T0", body) THREAD("T1", "int n = 0;"), "exists: " condition)
    static const char *const own[] = {
        OWN("w = 1; uint32_t r = lo;", "r == 0"), /* stale */
        OWN("uint32_t r = lo; w = 1;", "r == 1"), /* from its future */
        OWN("w = 0x100000001ull; hi = 2;", "w == 0x100000001ull"),
        OWN("hi = 2; w = 0x100000001ull; lo = 3; uint64_t r = w;", "r != 0x100000003ull"),
        OWN("w = 3; uint32_t s = atomicAdd(&lo, 1); uint64_t r = w;", "s != 3 || r != 4"),
    };
    for (size_t k = 0; k < sizeof own / sizeof *own; k++) {
        assert_false(is_allowed("ptx", own[k]));
        assert_false(is_allowed("ptx-strong", own[k]));
        assert_false(is_undefined(own[k]));
    }
}

/* A model of one's own says by a remark where it promises nothing; without one, it promises what it says. */
static void test_remarks(void **state) {
    (void)state;
    static const struct {
        const char *model;
        bool undefined;
    } models[] = {
        {"include \"sc.cat\"", false},
        {"include \"sc.cat\" flag ~empty mixed & ext as undefined", true},
        {"include \"sc.cat\" flag ~empty mixed & ext as torn", false},
        {"include \"sc.cat\" flag ~empty mixed & rf as undefined", true}, /* in some execution */
        {"include \"sc.cat\" flag ~empty mixed & int as undefined", false},
        {"include \"sc.cat\" flag ~empty [W]; mixed; [R & HOST] as undefined", false},
        {"include \"ptx.cat\"", true},
        {"include \"ptx.cat\" empty mixed & ext as Never", false}, /* of the executions that are allowed */
        {"include \"ptx-strong.cat\"", true},
    };
    const char *racing =
        TEST("T0 | T1", HALVES, THREAD("T0", "w = 1;") THREAD("T1", "int r = hi;"), "exists: r == 7");
    for (size_t k = 0; k < sizeof models / sizeof *models; k++) {
        ask_write("remark.cat", models[k].model);
        struct arena *a = arena_open();
        struct test *t;
        struct model_result r = judge(a, "remark.cat", racing, &t);
        if (r.undefined != models[k].undefined) print_error("%s\n", models[k].model);
        assert_true(r.undefined == models[k].undefined && r.allowed == r.undefined);
        arena_close(a);
    }
}

/* Memory ends with whole writes, and locations that share bytes end alike. */
static void test_finals(void **state) {
    (void)state;
#define TWO_WRITES(condition)                                                                                \
    TEST("T0 | T1", HALVES,                                                                                  \
         THREAD("T0", "store(w, 0x100000001ull, weak);") THREAD("T1", "store(w, 0x200000002ull, weak);"),    \
         "exists: " condition)
    assert_true(is_allowed("ptx", TWO_WRITES("hi == 1 && lo == 1 && w == 0x100000001ull")));
    assert_false(is_allowed("ptx", TWO_WRITES("hi == 1 && lo == 2")));
    assert_false(is_allowed("ptx", TWO_WRITES("hi == 1 && w == 0x200000002ull")));
    assert_true(
        is_allowed("ptx", TEST("T0",
                               "w: {type: uint64_t, init: 0x700000000}, hi: {of: w, at: 4, type: uint32_t}, "
                               "x: 0",
                               THREAD("T0", "x = 1;"), "exists: hi == 7")));
}

/* An element of a vector alone is one of the accesses that the whole vector is. */
static void test_lanes(void **state) {
    (void)state;
    const char *torn =
        TEST("T0 | T1", "v: {type: int2}",
             THREAD("T0", "v = make_int2(1, 1);") THREAD("T1", "int r = v.y; " FENCE "int s = v.x;"),
             "exists: r == 1 && s == 0");
    assert_true(is_allowed("ptx", torn));
    assert_false(is_undefined(torn));
    assert_false(is_allowed("ptx", TEST("T0 | T1", "v: {type: int2, count: 2}, f: 0",
                                        THREAD("T0", "v[1].y = 7; " FENCE "f = 1;")
                                            THREAD("T1", "int r = f; " FENCE "int2 s = v[r];"),
                                        "exists: r == 1 && s.y != 7")));
    assert_false(
        is_allowed("ptx", TEST("T0 | T1", "v: {type: uint2}",
                               THREAD("T0", "atomicAdd(&v.y, 1);") THREAD("T1", "atomicAdd(&v.y, 1);"),
                               "exists: v.y != 2 || v.x != 0")));
    assert_true(is_allowed("sc", TEST("T0", "v: {type: float2, init: [1, 2]}",
                                      THREAD("T0", "v.y = 1.5f; float2 r = v;"),
                                      "exists: r.y == 1.5f && r.x == 1.0f")));
}

/* What a view reads is of the view's type. */
static void test_types(void **state) {
    (void)state;
#define TYPED(body, condition)                                                                               \
    TEST("T0",                                                                                               \
         "w: {type: uint64_t, init: 0x3f800000ffffffff}, i: {of: w, type: int}, f: {of: w, at: 4, type: "    \
         "float}, "                                                                                          \
         "b: {of: w, at: 7, type: int8_t}",                                                                  \
         THREAD("T0", body), "exists: " condition)
    assert_true(is_allowed("ptx", TYPED("int r = i; int s = r < 0, t = i / 2;", "s == 1 && t == 0")));
    assert_true(is_allowed("ptx", TYPED("float r = f; bool s = r == 1; f = r + 0.5f;",
                                        "s == 1 && f == 1.5f && w == 0x3fc00000ffffffffull")));
    assert_true(
        is_allowed("ptx", TYPED("float r = atomicAdd(&f, 1.f); b = -64; float s = f;", "r == 1 && s == -2")));
}

/* Each block has views of its own, and elements of vectors. */
static void test_blocks(void **state) {
    (void)state;
#define OF_BLOCKS(condition)                                                                                 \
    "name: t\nmemory: {w: {type: uint64_t, space: shared, init: 7}, b: {of: w, count: 8, type: uint8_t}, "   \
    "v: {type: int2, space: shared, init: [1, 2]}}\nthreads:\n  k:\n    grid: 2\n    body: |\n"              \
    "      b[blockIdx.x + 1] = 3;\n      v.y = blockIdx.x + 4;\n      uint64_t r = w;\nplacements: "         \
    "[device]\n"                                                                                             \
    "exists: " condition "\n"
    assert_true(is_allowed(
        "ptx", OF_BLOCKS("k[0][0].r == 0x307 && k[1][0].r == 0x30007 && w@0 == 0x307 && b@1[2] == 3 && "
                         "v@0.y == 4 && v@1.y == 5 && v@1.x == 1")));
    assert_false(is_allowed("ptx", OF_BLOCKS("w@1 != 0x30007 || b@0[1] != 3 || v@1.y != 5")));
}

/* A vector over elements of an array is what one is that has a location of its own. */
static void test_elements(void **state) {
    (void)state;
#define ARRAY(threads, condition)                                                                            \
    TEST("T0 | T1", "f: 0, a: {count: 4, init: [5, 6, 7, 8]}", threads, condition)
#define VECTOR(threads, condition)                                                                           \
    TEST("T0 | T1", "f: 0, v: {type: int4, init: [5, 6, 7, 8]}", threads, condition)
#define BOTH(model, writer, element, reader, other, condition)                                               \
    assert_same(model,                                                                                       \
                ARRAY(THREAD("T0", writer("*(int4 *)a"))                                                     \
                          THREAD("T1", reader("*(const int4 *)&a[0]", element)),                             \
                      condition),                                                                            \
                VECTOR(THREAD("T0", writer("v")) THREAD("T1", reader("v", other)), condition))
#define FILL(wide)         wide " = make_int4(1, 2, 3, 4); f = 1;"
#define SEE(wide, element) "int r = f; int4 s = " wide "; int t = " element ";"
#define MEET(wide, element) element " = 9; int4 s = " wide "; int r = f;"
    static const char *const models[] = {"ptx", "sc", "x86-tso", "aarch64"};
    for (int k = 0; k < 4; k++) {
        BOTH(models[k], FILL, "a[2]", SEE, "v.z",
             "exists: T1.r == 1 && T1.s.x == 5 && T1.s.y == 2 && T1.t == 7");
        BOTH(models[k], FILL, "a[1]", MEET, "v.y", "exists: T1.s.x == 1 && T1.s.y == 9 && T1.r == 0");
    }
#define PAIRS(condition)                                                                                     \
    TEST("T0 | T1", "a: {count: 4}",                                                                         \
         THREAD("T0", "*(int2 *)&a[2] = make_int2(1, 2);")                                                   \
             THREAD("T1", "int2 r = ((int2 *)a)[1]; int s = a[3];"),                                         \
         "exists: " condition)
    assert_true(is_allowed("sc", PAIRS("T1.r.x == 0 && T1.r.y == 2")));
    assert_true(is_allowed("sc", PAIRS("T1.r.x == 1 && T1.r.y == 0 && T1.s == 2 && a[2] == 1")));
    assert_false(is_allowed("ptx", PAIRS("T1.r.y == 2 && T1.s == 0")));
    assert_false(is_undefined(PAIRS("T1.r.x == 0")));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_unused),      cmocka_unit_test(test_sc),      cmocka_unit_test(test_races),
        cmocka_unit_test(test_finals),      cmocka_unit_test(test_lanes),   cmocka_unit_test(test_remarks),
        cmocka_unit_test(test_types),       cmocka_unit_test(test_blocks),  cmocka_unit_test(test_own),
        cmocka_unit_test(test_single_copy), cmocka_unit_test(test_atomics), cmocka_unit_test(test_elements),
    };
    return cmocka_run_group_tests(tests, ask_enter_folder, ask_leave_folder);
}
