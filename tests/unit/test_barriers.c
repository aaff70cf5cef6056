/* Which barriers a GPU is asked to play, and what is said of the others. */
#include <stdio.h>
#include <string.h>

#include "cm.h"
#include "cuda/barriers.h"

/* At that placement; NULL: the test's first. */
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
    const char *why = barriers_unfit(t, p, &s);
    snprintf(found, sizeof found, "%s", why ? why : "fits");
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

static void test_reasons(void **state) {
    (void)state;
    assert_string_equal(reason("x.yaml", YAML("X = 1; __syncthreads();", "__syncthreads();", "A B C")),
                        "fits");
    assert_string_equal(reason("x.yaml", YAML("X = 1; __syncthreads();", "__syncthreads();", "A B | C")),
                        "fits");
    assert_string_equal(reason("x.yaml", YAML("X = 1;", "__syncthreads();", "A B C")),
                        "threads that share a barrier do not pass it equally often");
    assert_string_equal(
        reason("x.yaml", YAML("if (X == 1) { __syncthreads(); }", "__syncthreads();", "A B C")),
        "an execution barrier is passed on some paths only");
    assert_string_equal(
        reason("x.litmus", TABLE("bar.cta.sync 1", "bar.cta.sync 1", "bar.cta.sync 1", TOGETHER)), "fits");
    assert_string_equal(
        reason("x.litmus", TABLE("bar.cta.sync 1", "bar.cta.sync 1", "bar.cta.sync 1", APART)),
        "a barrier with an id in a block of unequal warps is judged by the model only");
    assert_string_equal(
        reason("x.litmus", TABLE("bar.cta.sync 1", "bar.cta.sync 2", "bar.cta.sync 1", TOGETHER)),
        "barriers with different ids are judged by the model only");
    assert_string_equal(
        reason("x.litmus", TABLE("bar.cta.arrive 1, 64", "bar.cta.sync 1", "bar.cta.sync 1", TOGETHER)),
        "a barrier with a thread count, or bar.arrive, is judged by the model only");
}

#define MEETING(seats)                                                                                       \
    "name: x\nmemory: {X: 0}\nthreads:\n  T: {count: 4, body: \"cluster_sync(); __syncthreads(); int r = "   \
    "X;\"}\n"                                                                                                \
    "exists: T[0].r == 1\nplacements: [\"" seats "\"]\n"

/* Threads without a part pass all barriers of their block first, then all of the cluster. */
static void test_block_and_cluster(void **state) {
    (void)state;
    assert_string_equal(reason("x.yaml", MEETING("T[0] T[1] & T[2] T[3]")), "fits");
    assert_string_equal(
        reason("x.yaml", MEETING("T[0] T[1] T[2] & T[3]")),
        "barriers of a block and of its cluster, in a block of unequal warps, are judged by the model only");
}

/* Beside CPU threads there are warps without a part in any case. */
static void test_beside_a_cpu_thread(void **state) {
    (void)state;
    assert_string_equal(
        reason_at("x.litmus", TABLE("bar.cta.sync 1", "bar.cta.sync 1", "", TOGETHER), "P0 P1 | P2@host"),
        "a barrier with an id in a block of unequal warps is judged by the model only");
    assert_string_equal(
        reason_at("x.litmus", TABLE("bar.cta.sync 0", "bar.cta.sync 0", "", TOGETHER), "P0 P1 | P2@host"),
        "fits");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_reasons),
                                       cmocka_unit_test(test_block_and_cluster),
                                       cmocka_unit_test(test_beside_a_cpu_thread)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
