/* Races: which accesses, and what the compiler may do. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ask.h"
#include "base/text.h"
#include "model/race.h"

/* Races as text: "T0 W x weak - T1 R x weak waits\n". */
static char *say(struct arena *a, const struct test *t, const struct races *races) {
    static const char *const risks[] = {"", " moves", " waits"};
    struct text out = {0};
    text_add(&out, "");
    for (int k = 0; k < races->n; k++)
        for (int side = 0; side < 2; side++) {
            const struct race_access *x = &races->list[k].access[side];
            text_printf(&out, "%s%s %c %s %s%s%s%s", side ? " - " : "", t->threads[x->thread].name,
                        x->write ? 'W' : 'R', x->place, order_name(x->strength.order), risks[x->risk],
                        side && races->list[k].mixed ? " mixed" : "", side ? "\n" : "");
        }
    char *text = arena_strdup(a, out.s);
    text_free(&out);
    return text;
}

static int on_the_way; /* tests whose races are found while their cell is judged */

/* The races of a test as text. Those that are found on the way are the same. */
static char *list(const char *model, const char *yaml) {
    struct diag d = {0};
    struct arena *a = arena_open();
    struct test *t;
    const struct model *m = ask_model(a, model);
    const struct cell *cell = ask_cell(a, yaml, &t);
    struct model_result r;
    struct races races, way;
    assert_true(model_check_races(m, t, cell, NULL, a, &r, &way, &d));
    assert_true(model_races(m, t, cell, NULL, a, &races, &d));
    assert_false(races.partial || way.partial || races.open);
    if (!way.open) assert_string_equal(say(a, t, &races), say(a, t, &way));
    on_the_way += !way.open;
    char *text = strdup(say(a, t, &races));
    diag_free(&d);
    arena_close(a);
    return text;
}

static void check(const char *yaml, const char *races) {
    char *text = list("ptx", yaml);
    assert_string_equal(text, races);
    free(text);
}

#define FLAG(order, writer, wait, reader)                                                                    \
    TEST("T0 | T1", "x: 0, y: 0",                                                                            \
         THREAD("T0", "store(x, 1, weak); " writer "store(y, 1, " order ");")                                \
             THREAD("T1", wait " " reader "int r = load(x, weak);"),                                         \
         "exists: r == 0")
#define PLAIN "while (load(y, weak) == 0) ;"

/* A plain flag races, however well it is fenced; a strong flag with fences makes the data race free. */
static void test_flags(void **state) {
    (void)state;
    check(FLAG("weak", "", PLAIN, ""), "T0 W x weak moves - T1 R x weak moves\n"
                                       "T0 W y weak moves - T1 R y weak waits\n");
    check(FLAG("weak", "__threadfence(); ", PLAIN, "__threadfence(); "),
          "T0 W y weak moves - T1 R y weak waits\n");
    check(FLAG("volatile", "__threadfence(); ", PLAIN, "__threadfence(); "),
          "T0 W y volatile - T1 R y weak waits\n");
    check(FLAG("volatile", "", "while (load(y, volatile) == 0) ;", ""),
          "T0 W x weak moves - T1 R x weak moves\n");
    check(FLAG("volatile", "__threadfence(); ", "while (load(y, volatile) == 0) ;", "__threadfence(); "), "");
    check(FLAG("release, device", "", "while (load(y, acquire, device) == 0) ;", ""), "");
    check(FLAG("release, block", "", "while (load(y, acquire, block) == 0) ;", ""),
          "T0 W x weak moves - T1 R x weak moves\nT0 W y release - T1 R y acquire\n");
}

/* Barriers and locks order accesses; atomic operations do not race with each other, but with what is plain; a race may
 * need a value that one of several executions gives. */
static void test_others(void **state) {
    (void)state;
    check(TEST("T0 T1", "x: 0",
               THREAD("T0", "store(x, 1, weak); __syncthreads();")
                   THREAD("T1", "__syncthreads(); int r = load(x, weak);"),
               "exists: r == 0"),
          "");
    check(TEST("T0 | T1", "x: 0",
               THREAD("T0", "atomicAdd(&x, 1);") THREAD("T1", "atomicAdd(&x, 1); int r = load(x, weak);"),
               "exists: r == 0"),
          "T0 W x relaxed - T1 R x weak moves\n");
    check(TEST("T0 | T1", "x: 0, y: 0",
               THREAD("T0", "int r = atomicAdd(&y, 1); if (r == 1) store(x, 1, weak);")
                   THREAD("T1", "int s = atomicAdd(&y, 1); if (s == 1) store(x, 2, weak);"),
               "exists: r == 1"),
          "");
    check(TEST("T0 | T1", "x: 0, y: 0",
               THREAD("T0", "int r = atomicAdd(&y, 1); if (r == 0) store(x, 1, weak);")
                   THREAD("T1", "int s = atomicAdd(&y, 1); if (s == 1) store(x, 2, weak);"),
               "exists: r == 1"),
          "T0 W x weak moves - T1 W x weak moves\n");
}

#define PASSED_ON(add, poll)                                                                                 \
    TEST("T0 | T1", "y: 0",                                                                                  \
         THREAD("T0", "__threadfence(); " add) THREAD("T1", "while (" poll " == 0) ; store(y, 0, weak);"),   \
         "exists: y == 1")
#define RED  "asm volatile(\"red.relaxed.gpu.global.add.s32 [%0], 1;\" :: \"l\"(&y) : \"memory\");"
#define ATOM "fetch_add(y, 1, relaxed, device);"

/* An atomic operation is one: what is behind an acquire pattern that observes its write is behind its read, too. */
static void test_one_operation(void **state) {
    (void)state;
    check(PASSED_ON(RED, "load(y, acquire, device)"), "");
    check(PASSED_ON(ATOM, "load(y, acquire, device)"), "");
    check(PASSED_ON(RED, "load(y, relaxed, device)"), "T0 R y relaxed - T1 W y weak moves\n");
    check(PASSED_ON(ATOM, "load(y, acquire, block)"), "T0 W y relaxed - T1 R y acquire\n"
                                                      "T0 R y relaxed - T1 W y weak moves\n");
}

/* So it is where the store is of another size: else the cell would be undefined. */
static void test_one_operation_of_a_half(void **state) {
    (void)state;
#define TAKEN_BACK(poll)                                                                                     \
    TEST("T0 | T1", "w: {type: uint64_t}, h: {of: w, type: uint32_t}",                                       \
         THREAD("T0",                                                                                        \
                "__threadfence(); asm volatile(\"red.relaxed.gpu.global.add.u32 [%0], 1;\" :: \"l\"(&h));")  \
             THREAD("T1", "while (" poll " == 0) ; store(w, 0, weak);"),                                     \
         "exists: w == 1")
    check(TAKEN_BACK("load(h, acquire, device)"), "");
    check(TAKEN_BACK("load(h, relaxed, device)"), "T0 R h relaxed - T1 W w weak moves mixed\n");
}

/* Copies race as one pair of operations; elements that are different do not race. */
static void test_copies_and_arrays(void **state) {
    (void)state;
    check("name: test\nmemory: {x: 0}\nplacements: [device]\nthreads:\n"
          "  T: {count: 5, body: \"store(x, 1, weak);\"}\nexists: x == 1\n",
          "T[0] W x weak moves - T[1] W x weak moves\n");
    check("name: test\nmemory: {x: {count: 3}}\nplacements: [device]\nthreads:\n"
          "  T: {count: 3, body: \"store(x[tid], 1, weak);\"}\nexists: x[0] == 1\n",
          "");
    check("name: test\nmemory: {s: {space: shared}, x: 1}\nplacements: [block]\nthreads:\n"
          "  T0: \"__pipeline_memcpy_async(&s, &x, 4); int r = load(s, weak);\"\nexists: r == 1\n",
          "T0 W s weak moves - T0 R s weak moves\n");
}

/* One execution of many threads is looked at, however large it is. */
static void test_blocks(void **state) {
    (void)state;
    check("name: test\nmemory: {x: 0}\naccess: weak\nplacements: [device]\nthreads:\n  k:\n    grid: 1\n    "
          "block: 64\n"
          "    body: |\n      if (threadIdx.x == 0) x = 1;\n      __syncthreads();\n      int r = x;\n"
          "exists: k[0][40].r == 0\n",
          "");
}

/* Accesses of several sizes race however strong they are. */
static void test_views(void **state) {
    (void)state;
    check("name: test\nmemory: {word: {type: uint64_t}, half: {of: word, at: 4, type: uint32_t}}\n"
          "placements: [device]\nthreads:\n  T0: word = 0x100000002ull;\n  T1: uint32_t r = half;\nexists: r "
          "== 1\n",
          "T0 W word volatile - T1 R half volatile mixed\n");
    check(TEST("T0 | T1", "v: {type: int4}",
               THREAD("T0", "store(v, make_int4(1, 2, 3, 4), weak);")
                   THREAD("T1", "int r = load(v.z, weak);"),
               "exists: r == 1"),
          "T0 W v weak moves - T1 R v.z weak moves\n");
}

#define READ_WHILE(condition, then)                                                                          \
    TEST("T0 | T1", "x: 0, y: 0, z: 0",                                                                      \
         THREAD("T0", "store(x, 1, weak); __threadfence(); store(y, 1, volatile);")                          \
             THREAD("T1", "int q = 0, s = 0; while (load(y, volatile) == 0" condition                        \
                          ") { q = load(x, weak); " then "}"),                                               \
         "exists: q == 1")

/* A loop waits for what decides that it has another turn, at once, by a sum, or by another branch; not for all it reads. */
static void test_waits(void **state) {
    (void)state;
    const char *moves = "T0 W x weak moves - T1 R x weak moves\n",
               *waits = "T0 W x weak moves - T1 R x weak waits\n";
    check(READ_WHILE("", ""), moves);
    check(READ_WHILE("", "s = s | q; if (s) q = 0;"), moves);
    check(READ_WHILE(" && q == 0", ""), waits);
    check(READ_WHILE(" && s == 0", "s = s + q;"), waits);
    check(READ_WHILE(" && s == 0", "if (q) s = 1;"), waits);
    check(READ_WHILE(" && s == 0", "s = load(z, weak); q = s;"), moves);
    check(READ_WHILE("", "if (q == 1) break;"), waits);
}

/* A model without the remark knows no races; one of its own is told. */
static void test_models(void **state) {
    (void)state;
    char *text = list("sc", FLAG("weak", "", PLAIN, ""));
    assert_string_equal(text, "");
    free(text);
    ask_write("race-own.cat",
              "acyclic po | rf | co | fr as SC\nflag ~empty rf & ext & W * R \\ IW * R as race\n");
    text = list("race-own.cat", FLAG("weak", "", PLAIN, ""));
    assert_string_equal(text,
                        "T0 W x weak moves - T1 R x weak moves\nT0 W y weak moves - T1 R y weak waits\n");
    free(text);
}

/* Where the search for outcomes looks at all executions one by one, it finds the races. Twins, of which it does not look at
 * all, leave them open. */
static void test_on_the_way(void **state) {
    (void)state;
    on_the_way = 0;
    check(FLAG("weak", "", "", ""), "T0 W x weak moves - T1 R x weak moves\n");
    assert_int_equal(on_the_way, 1);
    check(TEST("device", "x: 0", "  T: {count: 2, body: 'store(x, 1, weak);'}\n", "exists: x == 1"),
          "T[0] W x weak moves - T[1] W x weak moves\n");
    assert_int_equal(on_the_way, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_flags),         cmocka_unit_test(test_others),
        cmocka_unit_test(test_views),         cmocka_unit_test(test_copies_and_arrays),
        cmocka_unit_test(test_blocks),        cmocka_unit_test(test_waits),
        cmocka_unit_test(test_models),        cmocka_unit_test(test_on_the_way),
        cmocka_unit_test(test_one_operation), cmocka_unit_test(test_one_operation_of_a_half),
    };
    return cmocka_run_group_tests(tests, ask_enter_folder, ask_leave_folder);
}
