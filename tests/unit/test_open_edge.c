/* Which cells have one open edge, and which one it is. */
#include <string.h>

#include "cm.h"
#include "gen/gen.h"
#include "source/read.h"

/* "T2 Z X": the open edge's thread and locations; "" where it is not the only one. */
static void check(const char *threads, const char *layout, const char *want) {
    struct arena *a = arena_open();
    struct diag d = {0};
    const char *text = arena_printf(a,
                                    "name: t\nmemory: {X: 0, Y: 0, Z: 0}\nthreads:\n%splacements: [%s]\n"
                                    "access: volatile\nexists: X == 9\n",
                                    threads, layout);
    struct test *t = test_read_text(a, "t.yaml", text, strlen(text), &d);
    assert_non_null(t);
    struct cell cell = {&t->placements[0], t->accesses[0], &t->fences[0]};
    struct open_edge open;
    const char *is = "";
    if (gen_only_open(t, &cell, &open))
        is = arena_printf(a, "T%d %s %s", open.thread, t->locs[open.from].name, t->locs[open.to].name);
    assert_string_equal(is, want);
    diag_free(&d);
    arena_close(a);
}

#define FENCE(order, scope) "atomic_thread_fence(" #order ", " #scope ");"
#define T0(between)         "  T0: X = 1; " between " Y = 1;\n"
#define T1(between)         "  T1: int r = Y; " between " Z = 1;\n"
#define T2(between)         "  T2: int s = Z; " between " int u = X;\n"
#define SHUT                FENCE(acq_rel, device)

static void one_of_three(void **state) {
    (void)state;
    check(T0(SHUT) T1(SHUT) T2(""), "device", "T2 Z X");
    check(T0(SHUT) T1("") T2(SHUT), "device", "T1 Y Z");
    check(T0("") T1(FENCE(sc, system)) T2(FENCE(sc, device)), "device", "T0 X Y");
    check(T0("") T1("") T2(SHUT), "device", "");
    check(T0(SHUT) T1(SHUT) T2(SHUT), "device", "");
    check(T0(SHUT) "  T1: int r = Y; int u = X;\n", "device", "");
    check("  T0: X = 1;\n" T1(SHUT) T2(""), "device", "");
}

static void fences_of_a_block(void **state) {
    (void)state;
    check(T0(FENCE(acq_rel, block)) T1(SHUT) T2(SHUT), "device", "T0 X Y");
    check(T0(SHUT) T1(FENCE(sc, block)) T2(SHUT), "device", "T1 Y Z");
    check(T0(SHUT) T1(FENCE(acq_rel, block)) T2(SHUT), "device", "");
    check(T0("") T1(FENCE(acq_rel, block)) T2(SHUT), "device", "T0 X Y");
}

static void fences_of_neighbours(void **state) {
    (void)state;
    check(T0("") T1(SHUT) T2(SHUT), "\"T0 | T1 T2\"", "T0 X Y");
    check(T0("") T1(SHUT) T2(SHUT), "\"T0 T1 | T2\"", "");
    check(T0("") T1(SHUT) T2(""), "\"T0 T1 | T2\"", "T2 Z X");
    check(T0("") T1(SHUT) T2(""), "device", "");
    check(T0("") T1(SHUT) T2(""), "sm", "");
}

static void acquires_and_releases(void **state) {
    (void)state;
#define RELEASE "  T0: X = 1; store(Y, 1, release, device);\n"
#define BOTH    "  T1: int r = load(Y, acquire, device); store(Z, 1, release, device);\n"
    check(RELEASE BOTH T2(""), "device", "T2 Z X");
    check(RELEASE BOTH "  T2: int s = load(Z, acquire, device); int u = X;\n", "device", "");
    check(RELEASE BOTH "  T2: int s = load(Z, acquire, block); int u = X;\n", "device", "T2 Z X");
    check(RELEASE BOTH "  T2: store(Z, 2, release, device); int u = load(X, acquire, device);\n", "device",
          "T2 Z X");
}

static void what_cannot_be_shuffled(void **state) {
    (void)state;
    check(T0(SHUT) "  T1: while (Y == 0); " SHUT " Z = 1;\n" T2(""), "device", "");
    check(T0(SHUT) "  T1: int r = Y; " SHUT " Z = 1; X = 2;\n" T2(""), "device", "");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_of_three),
        cmocka_unit_test(fences_of_a_block),
        cmocka_unit_test(fences_of_neighbours),
        cmocka_unit_test(acquires_and_releases),
        cmocka_unit_test(what_cannot_be_shuffled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
