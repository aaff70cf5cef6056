/* Profiles: merging, and what a cell takes from one. */
#include "cm.h"

#include <string.h>

#include "base/text.h"
#include "run/profile.h"
#include "source/read.h"

static struct profile_entry entry(const char *test, const char *placement, const char *access, double rate,
                                  int threads) {
    return (struct profile_entry){
        test, placement, access, rate, {.parameter = {{"threads", threads}, {"lag", -8}}, .n = 2}, ""};
}

static void the_better_rate_stays(void **state) {
    (void)state;
    struct arena *a = arena_open();
    struct profile p = profile_new(a, "Card");
    const struct profile_entry first = entry("MP", "device", "weak", 5, 64),
                               worse = entry("MP", "device", "weak", 4, 128),
                               better = entry("MP", "device", "weak", 6, 256),
                               other = entry("MP", "device", "relaxed", 1, 64);
    profile_add(&p, &first);
    profile_add(&p, &worse);
    assert_int_equal(p.entries[0].environment.parameter[0].value, 64);
    profile_add(&p, &better);
    assert_int_equal(p.n, 1);
    assert_int_equal(p.entries[0].environment.parameter[0].value, 256);
    assert_true(p.entries[0].rate == 6);
    profile_add(&p, &other);
    assert_int_equal(p.n, 2);
    assert_string_equal(p.entries[0].access, "relaxed");
    arena_close(a);
}

/* The `threads` of what a cell of MP at `device` with weak accesses is given, as text. */
static char *scheduled(struct arena *a, const struct profile *p) {
    static const char mp[] = "name: MP\nmemory: {X: 0}\nthreads:\n  A: X = 1;\n  B: int r = X; fence();\n"
                             "placements: [device]\naccess: weak\nexists: r == 1\n";
    struct diag d = {0};
    struct test *t = test_read_text(a, "mp.yaml", mp, strlen(mp), &d);
    assert_non_null(t);
    struct text text = {0};
    for (int f = 0; f < t->nfences; f++) {
        struct cell cell = {&t->placements[0], ACCESS_WEAK, &t->fences[f]};
        int n;
        const struct environment *list = profile_schedule(p, t, &cell, a, &n);
        text_free(&text);
        for (int i = 0; i < n; i++)
            text_printf(&text, "%s%lld", i ? " " : "", list[i].parameter[0].value);
    }
    char *copy = arena_strdup(a, text.s ? text.s : "");
    text_free(&text);
    return copy;
}

static void a_cell_begins_with_its_own_environment(void **state) {
    (void)state;
    struct arena *a = arena_open();
    struct profile p = profile_new(a, "Card");
    assert_string_equal(scheduled(a, &p), "");
    const struct profile_entry entries[] = {
        entry("SB", "device", "weak", 9, 5),  entry("MP", "device", "relaxed", 1, 2),
        entry("MP", "device", "weak", 2, 1),  entry("LB", "device", "weak", 8, 1), /* the same once more */
        entry("MP", "block", "weak", 100, 3), entry("R", "device", "relaxed", 7, 4)};
    for (int i = 0; i < 6; i++)
        profile_add(&p, &entries[i]);
    assert_string_equal(scheduled(a, &p), "1 2 5 4");
    arena_close(a);
}

static void tests_with_the_same_edges_come_first(void **state) {
    (void)state;
    static const char text[] = "name: new\nmemory: {X: 0, Y: 0}\nthreads:\n  A: X = 1; fence(); Y = 1;\n"
                               "  B: int r = Y; fence(); int s = X;\nplacements: [device]\n"
                               "access: weak\nexists: s == 1\n";
    struct arena *a = arena_open();
    struct diag d = {0};
    struct test *t = test_read_text(a, "new.yaml", text, strlen(text), &d);
    struct profile p = profile_new(a, "Card");
    struct profile_entry entries[] = {entry("A", "device", "weak", 9, 1), entry("B", "T0 | T1", "weak", 8, 2),
                                      entry("C", "block", "weak", 7, 3), entry("D", "T0 | T1", "weak", 6, 4),
                                      entry("E", "device", "weak", 5, 5)};
    static const char *const edges[] = {"RW apart", "RR apart, WW apart", "RR block, WW block",
                                        "RR apart, RW apart, WW apart", ""};
    for (int i = 0; i < 5; i++) {
        entries[i].edges = edges[i];
        profile_add(&p, &entries[i]);
    }
    struct cell cell = {&t->placements[0], ACCESS_WEAK, &t->fences[0]};
    int n;
    const struct environment *list = profile_schedule(&p, t, &cell, a, &n);
    static const int order[] = {2, 4, 5, 1}; /* nothing is common to C and the cell, and it is elsewhere */
    assert_int_equal(n, 4);
    for (int i = 0; i < n; i++)
        assert_int_equal(list[i].parameter[0].value, order[i]);
    arena_close(a);
}

static void other_tests_lend_different_environments(void **state) {
    (void)state;
    struct arena *a = arena_open();
    struct profile p = profile_new(a, "Card");
    for (int i = 0; i < 30; i++) {
        struct profile_entry e = entry(arena_printf(a, "T%02d", i), "device", "weak", 100 - i, 1000 + i);
        if (i == 20) e.environment.parameter[1].value = 7; /* differs from all others in two parameters */
        profile_add(&p, &e);
    }
    assert_string_equal(scheduled(a, &p), "1000 1020 1001 1002 1003 1004 1005 1006 1007 1008 1009 1010");
    arena_close(a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_better_rate_stays),
        cmocka_unit_test(a_cell_begins_with_its_own_environment),
        cmocka_unit_test(tests_with_the_same_edges_come_first),
        cmocka_unit_test(other_tests_lend_different_environments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
