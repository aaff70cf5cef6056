/* Drawings: what they say of a cell. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ask.h"
#include "explain/dot.h"

static char *draw(const struct model *m, const char *yaml, const struct model_limits *limits) {
    struct diag d = {0};
    struct arena *a = arena_open();
    struct test *t;
    const struct cell *cell = ask_cell(a, yaml, &t);
    struct text out = {0};
    text_add(&out, "");
    bool ok = model_dot(m, t, cell, limits, &out, &d);
    assert_int_equal(ok, d.errors == 0);
    char *text = strdup(ok ? out.s : d.messages[0].text);
    assert_non_null(text);
    text_free(&out);
    diag_free(&d);
    arena_close(a);
    return text;
}

/* All of `parts`, which ends with NULL, must be in the drawing. */
static void check(const char *model, const char *yaml, const char *const *parts) {
    struct arena *a = arena_open();
    char *text = draw(ask_model(a, model), yaml, NULL);
    for (; *parts; parts++) {
        if (!strstr(text, *parts)) print_error("no %s in:\n%s\n", *parts, text);
        assert_non_null(strstr(text, *parts));
    }
    free(text);
    arena_close(a);
}

#define BOLD ", color=darkorange, fontcolor=darkorange, penwidth=3, constraint=false];"

static const char mp[] =
    TEST("T0 | T1", "x: 0, y: 0", THREAD("T0", "x = 1; y = 1;") THREAD("T1", "int r = y; int s = x;"),
         "exists: r == 1 && s == 0");
static const char mp_fences[] = TEST("T0 | T1", "x: 0, y: 0",
                                     THREAD("T0", "x = 1; __threadfence(); y = 1;")
                                         THREAD("T1", "int r = y; __threadfence(); int s = x;"),
                                     "exists: r == 1 && s == 0");
static const char adds[] = TEST(
    "T0 | T1", "x: 0", THREAD("T0", "int r = atomicAdd(&x, 1);") THREAD("T1", "int s = atomicAdd(&x, 1);"),
    "exists: r == 0 && s == 0");
static const char ordered_writes[] = TEST("T0 T1", "x: 0",
                                          THREAD("T0", "store(x, 1, weak); __syncthreads();")
                                              THREAD("T1", "__syncthreads(); store(x, 2, weak);"),
                                          "exists: x == 1");

static void test_allowed(void **state) {
    (void)state;
    check("ptx", mp,
          (const char *const[]){
              "digraph execution {\n  label=\"test, T0 | T1, as-written: ptx allows r == 1 && s == 0\";\n",
              "    label=\"T0\";\n    e2 [label=\"W x = 1\\nvolatile.sys\"];\n",
              "    e4 [label=\"R y = 1\\nvolatile.sys\"];\n", "  e3 -> e4 [xlabel=\"rf\", color=red",
              "  e0 -> e5 [xlabel=\"rf\", color=red", "  e0 -> e2 [xlabel=\"co\", color=blue",
              "  e5 -> e2 [xlabel=\"fr\", color=purple", "  e2 -> e3 [xlabel=\"po\"" BOLD,
              "  e3 -> e4 [xlabel=\"rf\"" BOLD, "  e4 -> e5 [xlabel=\"po\"" BOLD,
              "  e5 -> e2 [xlabel=\"fr\"" BOLD, "  subgraph cluster_block_1 {\n  label=\"block 1\";\n",
              NULL});
}

static void test_forbidden(void **state) {
    (void)state;
    check("sc", mp,
          (const char *const[]){"sc forbids r == 1 && s == 0\\nbroken: SC\";",
                                "  e2 -> e3 [xlabel=\"po\"" BOLD, "  e3 -> e4 [xlabel=\"rf\"" BOLD,
                                "  e4 -> e5 [xlabel=\"po\"" BOLD, "  e5 -> e2 [xlabel=\"fr\"" BOLD, NULL});
    check("ptx", mp_fences,
          (const char *const[]){"ptx forbids r == 1 && s == 0\\nbroken: Causality\";",
                                "  e7 -> e2 [xlabel=\"fr\"" BOLD, "  e2 -> e3 [xlabel=\"po\"" BOLD,
                                "  e3 -> e6 [xlabel=\"synchronizes\"" BOLD, "  e6 -> e7 [xlabel=\"po\"" BOLD,
                                NULL});
    check("x86-tso", adds,
          (const char *const[]){"x86-tso forbids r == 0 && s == 0\\nbroken: Atomicity", NULL});
    check("ptx", ordered_writes,
          (const char *const[]){"ptx forbids x == 1\\nbroken: Coherence (final x)\"",
                                "  e1 -> e2 [xlabel=\"po\"" BOLD, "  e2 -> e5 [xlabel=\"bar\"" BOLD,
                                "  e5 -> e6 [xlabel=\"po\"" BOLD, "  e2 -> e5 [xlabel=\"bar\", color=gray40",
                                "  e4 -> e3 [xlabel=\"bar\", color=gray40", NULL});
}

/* Of what is forbidden the candidate is drawn that breaks the least, once. */
static void test_the_best_candidate(void **state) {
    (void)state;
    static const char adds_and_fences[] =
        TEST("T0 T1", "x: 0, y: 0",
             THREAD("T0", "atomicAdd(&x, 1); __threadfence(); int r = atomicAdd(&y, 0);")
                 THREAD("T1", "atomicAdd(&y, 1); __threadfence(); int s = atomicAdd(&x, 0);"),
             "exists: r == 0 && s == 0");
    static const char lb[] = TEST("T0 T1", "x: 0, y: 0",
                                  THREAD("T0", "int r = x; __threadfence(); y = 1;")
                                      THREAD("T1", "int s = y; __threadfence(); x = 1;"),
                                  "exists: r == 1 && s == 1");
    struct arena *a = arena_open();
    char *text = draw(ask_model(a, "ptx"), adds_and_fences, NULL);
    assert_non_null(strstr(text, "\\nbroken: Atomicity, Causality\";\n"));
    assert_null(strstr(text + 1, "digraph"));
    free(text);
    check("ptx", lb,
          (const char *const[]){"\\nbroken: Causality, Coherence, Fence-SC, SC-per-Location\";\n", NULL});
    arena_close(a);
}

/* Text of the test is text of a label, whatever is in it. */
static void test_escapes(void **state) {
    (void)state;
    check("ptx", TEST("T0", "x: 0", THREAD("T0", "x = 1;"), "exists: |\n  x == 1 // \"one\" \\\n  || x == 2"),
          (const char *const[]){"ptx allows x == 1 // \\\"one\\\" \\\\\\n|| x == 2\";\n", NULL});
}

/* A forall is shown by what breaks it; of an order, what follows from the rest is left out. */
static void test_forall_and_steps(void **state) {
    (void)state;
    static const char test[] =
        TEST("T0 T1", "x: 0, a: {count: 2}",
             THREAD("T0", "x = 1; x = 2; store(a[1], 1, release, block);") THREAD("T1", "int r = x;"),
             "forall: r == 0");
    struct arena *a = arena_open();
    check("ptx", test,
          (const char *const[]){"ptx allows what breaks r == 0\";\n",
                                "[label=\"W a[1] = 1\\nrelease.cta\"];\n", "  e0 -> e2 [xlabel=\"co\"",
                                "  e2 -> e3 [xlabel=\"co\"", NULL});
    char *text = draw(ask_model(a, "ptx"), test, NULL);
    assert_null(strstr(text, "  e0 -> e3 [xlabel=\"co\""));
    assert_ptr_equal(strstr(text, "digraph"), text);
    assert_null(strstr(text + 1, "digraph"));
    free(text);
    arena_close(a);
}

/* No value of x is 7, whatever one forgives. */
static void test_impossible(void **state) {
    (void)state;
    check("ptx", TEST("T0", "x: 0", THREAD("T0", "x = 1;"), "exists: x == 7"),
          (const char *const[]){"ptx has no execution for x == 7\";\n", NULL});
    check("ptx", TEST("T0", "x: 0", THREAD("T0", "while (x != 3) ;"), "exists: x == 0"),
          (const char *const[]){"ptx knows no execution that ends, for x == 0\";\n", NULL});
}

static void test_unknown(void **state) {
    (void)state;
    struct arena *a = arena_open();
    char *text = draw(ask_model(a, "ptx"), mp_fences, &(struct model_limits){.candidates = 2});
    assert_string_equal(text, "cannot draw test: too many candidate executions");
    free(text);
    arena_close(a);
}

/* What is allowed is never drawn as forbidden because the search for it ended early. */
static void test_unfinished(void **state) {
    (void)state;
    struct arena *a = arena_open();
    const struct model *m = ask_model(a, "ptx");
    static const char writers[] =
        TEST("T0 | T1 | T2 | T3", "x: 0",
             THREAD("T0", "x = 1;") THREAD("T1", "x = 2;") THREAD("T2", "x = 3;") THREAD("T3", "x = 4;"),
             "exists: x == 1");
    bool drawn = false;
    for (int work = 1; work < 400; work++) {
        char *text = draw(m, writers, &(struct model_limits){.candidates = work});
        drawn = strstr(text, "ptx allows") != NULL;
        assert_true(drawn || strncmp(text, "cannot draw", 11) == 0);
        free(text);
    }
    assert_true(drawn);
    arena_close(a);
}

/* What a lane takes of one that has exited has no source. */
static void test_absent(void **state) {
    (void)state;
    check("ptx",
          "name: test\nmemory: {x: 0}\naccess: weak\nplacements: [warp]\nthreads:\n  T:\n    count: 3\n    "
          "body: |\n"
          "      int r = 0; if (tid == 1) return; r = __ballot_sync(-1, x == 0);\nexists: T[0].r == 5\n",
          (const char *const[]){
              "e2 [label=\"arrive\"];\n    e3 [label=\"wait\"];\n    e4 [label=\"take nothing\"];\n"
              "    e5 [label=\"take\"];\n",
              "  e7 -> e5 [xlabel=\"rf\", color=red, fontcolor=red, constraint=false];\n",
              "  e2 -> e9 [xlabel=\"rf\", color=red, fontcolor=red, constraint=false];\n"
              "}\n",
              NULL});
}

/* The candidate breaks an axiom only if a dependency is one. */
static void test_undecided(void **state) {
    (void)state;
    check("ptx",
          TEST("T0 | T1", "x: 0, y: 0, z: 0",
               THREAD("T0", "int r = x, q = z; if ((r + q) * (r - q) == r * r - q * q) y = 1;")
                   THREAD("T1", "int s = y; if (s == 1) x = 1;"),
               "exists: r == 1 && s == 1"),
          (const char *[]){"ptx gives no answer for r == 1 && s == 1", NULL});
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_undecided),  cmocka_unit_test(test_allowed),
        cmocka_unit_test(test_forbidden),  cmocka_unit_test(test_the_best_candidate),
        cmocka_unit_test(test_escapes),    cmocka_unit_test(test_forall_and_steps),
        cmocka_unit_test(test_impossible), cmocka_unit_test(test_unknown),
        cmocka_unit_test(test_unfinished), cmocka_unit_test(test_absent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
