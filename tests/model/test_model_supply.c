/* Which values a location can have at all: what the model drops for want of a value (supply.c) must have no execution. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "ask.h"

/* Two thieves and an owner that takes from the other end, where `fence` stands between what each reads and writes. */
#define DEQUE(fence)                                                                                         \
    "name: t\nmemory: {top: 0, bottom: 2, a: {count: 2, init: [5, 6]}}\n"                                    \
    "placements: [\"owner | thief[0] | thief[1]\"]\nthreads:\n  owner: |\n    int r = 0;\n"                  \
    "    int b = load(bottom, relaxed, device) - 1;\n    store(bottom, b, relaxed, device); " fence "\n"     \
    "    int t = load(top, relaxed, device);\n    if (t < b) r = a[b];\n"                                    \
    "    else if (t == b && compare_exchange(top, t, t + 1, relaxed, device) == t) r = a[b];\n"              \
    "  thief:\n    count: 2\n    body: |\n      int q = 0;\n      int t = load(top, relaxed, "               \
    "device); " fence "\n      int b = load(bottom, relaxed, device);\n"                                     \
    "      if (t < b) { q = a[t]; if (compare_exchange(top, t, t + 1, relaxed, device) != t) q = 0; }\n"     \
    "exists: owner.r == 6 && (thief[0].q == 6 || thief[1].q == 6)\n"

#define INDEX(write)                                                                                         \
    TEST("A | B", "top: 0, a: {count: 2, init: [7, 9]}",                                                     \
         THREAD("A", write) THREAD("B", "int t = top; int h = a[t];"), "exists: h == 9")

static const struct question questions[] = {
    {"a compare-exchange supplies the constant that it writes", "ptx",
     INDEX("int o = atomicCAS(&top, 0, 1);"), true, false, 2, -1},
    {"one that never finds what it expects supplies nothing", "ptx", INDEX("int o = atomicCAS(&top, 2, 1);"),
     false, false, 1, -1},
    {"without fences a deque gives a piece of work twice", "ptx", DEQUE(""), true, false, -1, -1},
    {"with fences it does not", "ptx", DEQUE("__threadfence();"), false, false, -1, -1},
};

static void test_answers(void **state) {
    (void)state;
    assert_int_equal(ask_all(questions, sizeof questions / sizeof *questions), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_answers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
