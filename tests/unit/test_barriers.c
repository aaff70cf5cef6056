/* Which barriers a GPU is asked to play, and how, and what is said of the others. */
#include <stdio.h>
#include <string.h>

#include "cm.h"
#include "cuda/barriers.h"
#include "source/read.h"

/* At that placement; NULL: the test's first. Why they do not fit; or "plain", or "left"; or, where each instance has barriers of its
 * own, how many threads come to the barrier of each operation that has one. */
static const char *reason_at(const char *path, const char *text, const char *layout) {
    static char found[256];
    struct arena *a = arena_open();
    struct diag d = {0};
    struct test *t = test_read_text(a, path, text, strlen(text), &d);
    diag_render(&d, stderr, false);
    assert_non_null(t);
    const struct placement *p =
        layout ? placement_parse(t, a, layout, (struct pos){0}, &d) : &t->placements[0];
    assert_non_null(p);
    struct seating s = gen_seating(a, t, p);
    struct meeting m = meeting_of(a, t, p, &s);
    const char *why = barriers_unfit(t, p, &s);
    snprintf(found, sizeof found, "%s", why ? why : m.allotted ? "" : m.leaves ? "left" : "plain");
    for (int k = 1; m.allotted && k <= t->nops; k++)
        if (m.threads[k])
            snprintf(found + strlen(found), sizeof found - strlen(found), "%s%d", *found ? " " : "",
                     m.threads[k]);
    diag_free(&d);
    arena_close(a);
    return found;
}

static const char *reason(const char *path, const char *text) {
    return reason_at(path, text, NULL);
}

#define YAML(first, second, placement)                                                                       \
    "name: x\nmemory: {X: 0}\nthreads:\n  A: \"" first "\"\n  B: \"" second                                  \
    "\"\n  C: \"int r = X; __syncthreads();\"\nexists: r == 1\nplacements: [\"" placement "\"]\n"
#define TABLE(first, second, third, places)                                                                  \
    "PTX X\n{ x=0; }\n " places "\n " first " | " second " | " third                                         \
    " ;\n st.weak x, 1 | ld.weak r0, x | ld.weak r0, x ;\nexists (P1:r0 == 1)\n"
#define TOGETHER "P0@cta 0,gpu 0 | P1@cta 0,gpu 0 | P2@cta 0,gpu 0 ;"
#define APART    "P0@cta 0,gpu 0 | P1@cta 0,gpu 0 | P2@cta 1,gpu 0 ;"

#define PAIR(first, second)                                                                                  \
    "PTX X\n{ x=0; }\n P0@cta 0,gpu 0 | P1@cta 0,gpu 0 ;\n " first " ;\n " second                            \
    " ;\n st.weak x, 1 | ld.weak r0, x ;\nexists (P1:r0 == 1)\n"

static void test_plain(void **state) {
    (void)state;
    assert_string_equal(reason("x.yaml", YAML("X = 1; __syncthreads();", "__syncthreads();", "A B C")),
                        "plain");
    assert_string_equal(reason("x.yaml", YAML("X = 1; __syncthreads();", "__syncthreads();", "A B | C")),
                        "plain");
    assert_string_equal(
        reason("x.litmus", TABLE("bar.cta.sync 1", "bar.cta.sync 1", "bar.cta.sync 1", TOGETHER)), "plain");
}

static void test_paths(void **state) {
    (void)state;
    assert_string_equal(
        reason("x.yaml", YAML("if (X == 1) { __syncthreads(); }", "__syncthreads();", "A B C")), "left");
    assert_string_equal(
        reason("x.yaml", YAML("if (X == 1) return; __syncthreads();", "__syncthreads();", "A B C")), "left");
    assert_string_equal(
        reason("x.yaml", YAML("for (int k = 0; k < 3; k++) { if (X == k) break; __syncthreads(); }",
                              "__syncthreads();", "A B C")),
        "left");
    assert_string_equal(reason("x.yaml", YAML("if (X == 1) __syncthreads(); else { X = 2; __syncthreads(); }",
                                              "__syncthreads();", "A B C")),
                        "plain");
    assert_string_equal(reason("x.yaml", YAML("for (int k = 0; k < 3; k++) { if (k == 1) break; "
                                              "__syncthreads(); } while (X == 0);",
                                              "__syncthreads();", "A B C")),
                        "96 96 96");
    assert_string_equal(reason("x.yaml", YAML("for (int k = 0; k < 300; k++) { if (k == 299) break; "
                                              "__syncthreads(); }",
                                              "__syncthreads();", "A B C")),
                        "left");
    assert_string_equal(reason("x.litmus", "PTX X\n{ x=0; }\n P0@cta 0,gpu 0 | P1@cta 0,gpu 0 ;\n"
                                           " ld.weak r0, x | bar.cta.sync 1 ;\n beq r0, 1, L | ;\n"
                                           " bar.cta.sync 1 | ;\n L: | ;\nexists (P0:r0 == 1)\n"),
                        "left");
    assert_string_equal(reason("x.litmus", "PTX X\n{ x=0; }\n P0@cta 0,gpu 0 | P1@cta 0,gpu 0 ;\n"
                                           " L: | bar.cta.sync 1 ;\n ld.volatile r0, x | st.weak x, 1 ;\n"
                                           " bne r0, 1, L | ;\n bar.cta.sync 1 | ;\nexists (P0:r0 == 1)\n"),
                        "plain");
}

/* Barriers that each instance has for itself. */
static void test_allotted(void **state) {
    (void)state;
    assert_string_equal(reason("x.yaml", YAML("X = 1;", "__syncthreads();", "A B C")), "64 64");
    assert_string_equal(
        reason("x.litmus", TABLE("bar.cta.sync 1", "bar.cta.sync 2", "bar.cta.sync 1", TOGETHER)),
        "64 32 64");
    assert_string_equal(
        reason("x.litmus", TABLE("bar.cta.arrive 1, 96", "bar.cta.sync 1", "bar.cta.sync 1", TOGETHER)),
        "96 96 96");
    assert_string_equal(
        reason("x.litmus", TABLE("bar.cta.sync 1", "bar.cta.sync 1", "bar.cta.sync 2", APART)), "64 64 32");
    assert_string_equal(
        reason("x.litmus", TABLE("bar.cta.sync 1", "bar.cta.sync 1", "bar.cta.sync 1", APART)), "64 64 32");
    /* the first waits at the next barrier already, when the one that it arrived at opens */
    assert_string_equal(
        reason("x.litmus", TABLE("bar.cta.arrive 1, 96", "bar.cta.sync 1",
                                 "bar.cta.sync 1 ;\n bar.cta.sync 2 | bar.cta.sync 2 | bar.cta.sync 2 ;\n"
                                 " bar.cta.sync 2 | bar.cta.sync 2 | bar.cta.sync 2",
                                 TOGETHER)),
        "96 96 96 96 96 96 96 96 96");
}

/* What is not known to end, whatever the order. */
static void test_endless(void **state) {
    (void)state;
    assert_string_equal(
        reason("x.litmus", TABLE("bar.cta.arrive 1, 64", "bar.cta.sync 1", "bar.cta.sync 1", TOGETHER)),
        "which threads meet at a barrier differs from run to run");
    assert_string_equal(reason("x.litmus", TABLE("bar.cta.sync 1, 96", "bar.cta.sync 1, 96", "", TOGETHER)),
                        "a barrier waits for more threads than pass it");
    assert_string_equal(
        reason("x.litmus", PAIR("bar.cta.sync 1 | bar.cta.sync 2", "bar.cta.sync 2 | bar.cta.sync 1")),
        "threads wait at a barrier for others that do not come");
    assert_string_equal(
        reason("x.litmus", TABLE("bar.cta.arrive 1, 64", "bar.cta.sync 1, 64",
                                 "bar.cta.sync 3, 64 ;\n bar.cta.sync 2, 64 | | bar.cta.sync 2, 64 ;\n"
                                 " bar.cta.arrive 3, 64 | |",
                                 TOGETHER)),
        "threads wait at a barrier for others that do not come");
    assert_string_equal(reason("x.litmus", PAIR("bar.cta.sync 1 | bar.cta.sync 1", "bar.cta.arrive 1, 64 |")),
                        "threads that share a barrier do not pass it equally often");
    assert_string_equal(reason("x.litmus", PAIR("bar.cta.arrive 1, 64 | bar.cta.sync 1, 64",
                                                "bar.cta.arrive 1, 64 | bar.cta.sync 1, 64")),
                        "a thread may come to a barrier again before the others have left");
    assert_string_equal(
        reason("x.litmus", PAIR("bar.cta.arrive 1, 64 | bar.cta.sync 1, 64",
                                "bar.cta.sync 2, 64 | bar.cta.arrive 2, 64 ;\n bar.cta.arrive 1, 64 | "
                                "bar.cta.sync 1, 64")),
        "64 64 64 64 64 64");
    assert_string_equal(
        reason("x.yaml", YAML("int n = __syncthreads_count(1);", "__syncthreads();", "A B C")),
        "a reduction and another operation meet at one barrier");
}

/* What reads decide where there are counts, results, ids or clusters; and lanes that are waited for though they left. */
static void test_unknown(void **state) {
    (void)state;
    const char *some = "an execution barrier is passed on some paths only";
#define IF(what) "if (X == 1) " what
    assert_string_equal(reason("x.yaml", YAML(IF("cluster_sync();"), "X = 1;", "A B C")), some);
    assert_string_equal(reason("x.yaml", YAML(IF("{ int n = __syncthreads_count(1); }"), "X = 1;", "A B C")),
                        some);
    assert_string_equal(reason("x.yaml", YAML(IF("__syncthreads();"), "X = 1;", "A B C")), some);
    assert_string_equal(reason("x.yaml", YAML(IF("__syncthreads();"), "X = 1;", "A C | B")), "left");
    const char *lanes = "lanes of a warp meet behind a return of some";
    assert_string_equal(reason("x.yaml", YAML(IF("return; __syncwarp();"), "__syncwarp();", "A.B C")), lanes);
    assert_string_equal(reason("x.yaml", YAML(IF("return; __syncwarp();"), "__syncwarp();", "A B C")), "32");
    assert_string_equal(reason("x.yaml", YAML("__syncwarp(); " IF("return;"), "__syncwarp();", "A.B | C")),
                        "plain");
}

#define GRID(body)                                                                                           \
    "name: x\nmemory: {n: 0, sum: 0}\nthreads:\n  G: {grid: 2, block: 2, body: \"__shared__ int last; " body \
    "\"}\nexists: sum == 1\nplacements: [device]\n"
#define LAST   "if (threadIdx.x == 0) last = atomicAdd(&n, 1); "
#define REDUCE "int v = __shfl_sync(3, 1, 0); __syncthreads(); sum = v; "

/* Lanes that exchange behind a branch which a word of their block decides, behind a barrier and the word's last write. */
static void test_agreed(void **state) {
    (void)state;
    const char *some = "an execution barrier is passed on some paths only";
    assert_string_equal(reason("x.yaml", GRID(LAST "__syncthreads(); if (last == 1) { " REDUCE "}")), "left");
    assert_string_equal(reason("x.yaml", GRID(LAST "__syncthreads(); if (n == 1) { " REDUCE "}")), some);
    assert_string_equal(reason("x.yaml", GRID(LAST "if (last == 1) { " REDUCE "}")), some);
    assert_string_equal(
        reason("x.yaml", GRID(LAST "__syncthreads(); if (last == 1) { " REDUCE "} last = 0;")), some);
    assert_string_equal(reason("x.yaml", GRID("for (int i = 0; i < 2; ++i) { " LAST
                                              "__syncthreads(); if (last == 1) { " REDUCE "} }")),
                        some);
    assert_string_equal(
        reason("x.yaml",
               GRID(LAST "__syncthreads(); if (last == 1) { if (n == 1) __syncthreads(); " REDUCE "}")),
        some);
    assert_string_equal(
        reason("x.yaml", GRID("int w = __shfl_sync(3, 1, 0); if (n == w) { __syncthreads(); sum = w; }")),
        "left");
}

/* What a thread knows decides whether it comes to a barrier of its warp. */
static void test_known_lanes(void **state) {
    (void)state;
    assert_string_equal(reason("x.yaml", GRID("if (blockIdx.x == 0) __syncwarp();")), "plain");
    assert_string_equal(reason("x.yaml", GRID("if (threadIdx.x == 0) __syncwarp();")),
                        "threads that share a barrier do not pass it equally often");
    assert_string_equal(reason("x.yaml", GRID("if (n == 0) __syncwarp();")),
                        "an execution barrier is passed on some paths only");
}

/* All lanes of a warp, companions among them, reduce in one instruction. */
static void test_reductions(void **state) {
    (void)state;
    const char *apart = "lanes of one warp reduce at a barrier in different instructions";
#define COUNT      "int n = __syncthreads_count(X);"
#define ONE_OF_TWO "int n; if (X == 1) n = __syncthreads_count(1); else n = __syncthreads_count(2);"
    assert_string_equal(reason("x.yaml", YAML(COUNT, COUNT, "A.B | C")), apart);
    assert_string_equal(reason("x.yaml", YAML(COUNT, COUNT, "A B | C")), "64 64 32");
    assert_string_equal(reason("x.yaml", YAML(ONE_OF_TWO, "X = 1;", "A | B | C")), apart);
    assert_string_equal(reason("x.yaml", YAML(COUNT, "X = 1;", "A | B | C")), "32 32");
}

#define MEETING(seats)                                                                                       \
    "name: x\nmemory: {X: 0}\nthreads:\n  T: {count: 4, body: \"cluster_sync(); __syncthreads(); int r = "   \
    "X;\"}\n"                                                                                                \
    "exists: T[0].r == 1\nplacements: [\"" seats "\"]\n"

static void test_block_and_cluster(void **state) {
    (void)state;
    assert_string_equal(reason("x.yaml", MEETING("T[0] T[1] & T[2] T[3]")), "plain");
    assert_string_equal(reason("x.yaml", MEETING("T[0] T[1] T[2] & T[3]")),
                        "a barrier without a count is passed in blocks of different sizes");
}

/* Beside CPU threads there are warps without a part in any case. */
static void test_beside_a_cpu_thread(void **state) {
    (void)state;
    assert_string_equal(
        reason_at("x.litmus", TABLE("bar.cta.sync 1", "bar.cta.sync 1", "", TOGETHER), "P0 P1 | P2@host"),
        "barriers with ids or counts beside CPU threads are judged by the model only");
    assert_string_equal(
        reason_at("x.litmus", TABLE("bar.cta.sync 0", "bar.cta.sync 0", "", TOGETHER), "P0 P1 | P2@host"),
        "plain");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_plain),
                                       cmocka_unit_test(test_paths),
                                       cmocka_unit_test(test_allotted),
                                       cmocka_unit_test(test_endless),
                                       cmocka_unit_test(test_unknown),
                                       cmocka_unit_test(test_agreed),
                                       cmocka_unit_test(test_known_lanes),
                                       cmocka_unit_test(test_reductions),
                                       cmocka_unit_test(test_block_and_cluster),
                                       cmocka_unit_test(test_beside_a_cpu_thread)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
