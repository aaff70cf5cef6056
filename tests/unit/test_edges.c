/* The edges of a cell, as profiles name them. */
#include <string.h>

#include "cm.h"
#include "run/edges.h"
#include "source/read.h"

static void check(const char *threads, const char *layout, const char *edges) {
    struct arena *a = arena_open();
    struct diag d = {0};
    const char *text = arena_printf(a,
                                    "name: t\nmemory: {X: 0, Y: 0, Z: 0}\nthreads:\n%splacements: [%s]\n"
                                    "exists: X == 9\n",
                                    threads, layout);
    struct test *t = test_read_text(a, "t.yaml", text, strlen(text), &d);
    assert_non_null(t);
    assert_string_equal(edges_of(a, t, &t->placements[0]), edges);
    assert_true(edges_valid(edges));
    diag_free(&d);
    arena_close(a);
}

#define MP  "  A: X = 1; fence(); Y = 1;\n  B: int r = Y; fence(); int s = X;\n"
#define WRC "  A: X = 1;\n  B: int r = X; fence(); Y = 1;\n  C: int s = Y; fence(); int u = X;\n"

static void edges_say_where_the_others_sit(void **state) {
    (void)state;
    check(MP, "device", "RR apart, WW apart");
    check(MP, "block", "RR block, WW block");
    check(WRC, "device", "RR apart, RW apart");
    check(WRC, "\"A B | C\"", "RR apart, RW mixed");
    check(WRC, "\"A | B C\"", "RR mixed, RW mixed");
    check("  A: int r = atomicAdd(&X, 1); Y = 1;\n  B: int r = Y; atomicAdd(&X, 1);\n", "device",
          "MW apart, RM apart");
}

static void an_edge_leads_to_another_location(void **state) {
    (void)state;
    check("  A: X = 1; X = 2;\n  B: int r = X; int s = X;\n", "device", "");
    check("  A: X = 1; X = 2; Y = 1;\n  B: Z = 1; int s = Z;\n", "device", "WW block");
}

static void lists_are_sorted(void **state) {
    (void)state;
    assert_true(edges_valid(""));
    assert_true(edges_valid("MM apart, MM block, WW mixed"));
    static const char *const wrong[] = {
        "RR",        "RR apart,",          "RR apart, ",         "RR apart,WW apart",
        " RR apart", "WW apart, RR apart", "RR apart, RR apart", "RX apart",
        "RR near",   "RR apartWW apart"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_false(edges_valid(wrong[i]));
}

static void lists_are_compared(void **state) {
    (void)state;
    int common;
    assert_int_equal(edges_apart("RR apart, WW apart", "RR apart, WW apart", &common), 0);
    assert_int_equal(common, 2);
    assert_int_equal(edges_apart("RR apart, WW apart", "RR apart, RW apart, WW block", &common), 3);
    assert_int_equal(common, 1);
    assert_int_equal(edges_apart("", "RR apart", &common), 1);
    assert_int_equal(common, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(edges_say_where_the_others_sit),
        cmocka_unit_test(an_edge_leads_to_another_location),
        cmocka_unit_test(lists_are_sorted),
        cmocka_unit_test(lists_are_compared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
