/* What is told of a forbidden outcome, word by word: the chain, and why it closes. */
#include "told.h"

/* An operation that releases is told by its write, or as a compare-exchange that failed. */
static void check_releases(const char *yaml, const char *words) {
    struct arena *a = arena_open();
    struct why why = ask_why(a, "ptx", yaml, NULL);
    assert_int_equal(why.answer, WHY_FORBIDDEN);
    assert_true(why.nlines > 3 && strstr(why.lines[3].text, words) == why.lines[3].text);
    arena_close(a);
}

static void test_releases(void **state) {
    (void)state;
    check_releases(MP("__threadfence(); ", "__threadfence(); "),
                   "T0's fence (line 6: fence.sc.gpu) releases");
    check_releases(TEST("T0 | T1", "x: 0, y: 0",
                        THREAD("T0", "x = 1; fetch_add(y, 1, release, device);")
                            THREAD("T1", "int r = load(y, acquire, device); int s = x;"),
                        "exists: r == 1 && s == 0"),
                   "T0's atomic write of 1 to y (line 6) releases what came before it. T1's read of y");
    check_releases(TEST("T0 | T1", "x: 0, y: 0",
                        THREAD("T0", "x = 1; int c = compare_exchange(y, 5, 6, release, device); "
                                     "store(y, 1, relaxed, device);")
                            THREAD("T1", "int r = load(y, acquire, device); int s = x;"),
                        "exists: r == 1 && s == 0"),
                   "T0's failed compare-exchange of y (line 6) releases what came before it, with its write "
                   "of 1 to y (line 6).");
}

static void test_forbidden(void **state) {
    (void)state;
    check("ptx", MP("__threadfence(); ", "__threadfence(); "), WHY_FORBIDDEN,
          LINES(APART, "Suppose that an execution ended with r == 1 && s == 0.",
                "1. T0's write of 1 to x (line 6) comes in program order before its fence (line 6: "
                "fence.sc.gpu).",
                "2. T0's fence (line 6: fence.sc.gpu) releases what came before it, with its write of 1 to y "
                "(line 6). T1's read of y (line 8) returns 1, which T0 wrote (line 6), and its fence (line "
                "8: fence.sc.gpu) acquires it. Both have device scope, which includes both threads, so the "
                "first synchronizes with the second.",
                "3. T1's fence (line 8: fence.sc.gpu) comes in program order before its read of x (line 8).",
                "4. T1's read of x (line 8) returns 0, the initial value; so it comes before T0's write of 1 "
                "to x (line 6), which replaces that value.",
                "The steps lead in a circle: T0's write of 1 to x (line 6) would come before itself. The "
                "axiom Causality forbids that."));
    check("ptx", SB("__threadfence(); "), WHY_FORBIDDEN,
          LINES(APART, "Suppose that an execution ended with r == 0 && s == 0.",
                "1. T0's write of 1 to x (line 6) comes in program order before its fence (line 6: "
                "fence.sc.gpu).",
                "2. All sc fences that include each other in their scopes have one order. In it, T0's fence "
                "(line 6: fence.sc.gpu) comes before T1's fence (line 8: fence.sc.gpu).",
                "3. T1's fence (line 8: fence.sc.gpu) comes in program order before its read of x (line 8).",
                "4. T1's read of x (line 8) returns 0, the initial value; so it comes before T0's write of 1 "
                "to x (line 6), which replaces that value.",
                "The steps lead in a circle: T0's write of 1 to x (line 6) would come before itself. The "
                "axiom Causality forbids that.",
                "If these two fences were in the other order, the outcome would be forbidden as well."));
}

/* Between the halves of an atomic operation; a final value; a barrier. */
static void test_other_axioms(void **state) {
    (void)state;
    check(
        "ptx",
        TEST("T0 | T1", "x: 0",
             THREAD("T0", "int r = atomicAdd(&x, 1);") THREAD("T1", "int s = atomicAdd(&x, 1);"),
             "exists: r == 0 && s == 0"),
        WHY_FORBIDDEN,
        LINES(APART, "Suppose that an execution ended with r == 0 && s == 0.",
              "1. T1's atomic read of x (line 8) returns 0, the initial value; so it comes before T0's "
              "atomic write of 1 to x (line 6), which replaces that value.",
              "2. T0's atomic write of 1 to x (line 6) comes before T1's atomic write of 1 to x (line 8) "
              "in the order of the writes of x.",
              "So something comes between the read and the write of one atomic operation (line 8).",
              "That is what the axiom Atomicity forbids.",
              "If T0's atomic write of 1 to x (line 6) and T1's atomic write of 1 to x (line 8) were in the "
              "other order, the outcome would be forbidden as well."));
    check("ptx",
          TEST("T0 T1", "x: 0",
               THREAD("T0", "store(x, 1, weak); __syncthreads();")
                   THREAD("T1", "__syncthreads(); store(x, 2, weak);"),
               "exists: x == 1"),
          WHY_FORBIDDEN,
          LINES("T0 is in block 0, warp 0; T1 is in block 0, warp 1.",
                "Suppose that an execution ended with x == 1.",
                "1. T0's write of 1 to x (line 6) comes in program order before the barrier (line 6). T1 "
                "passes it (line 8) only when T0 has come there, and its write of 2 to x (line 8) comes "
                "later in program order.",
                "So x cannot end with 1: the axiom Coherence forbids it."));
}

/* Checks that an explanation has this line as its nth. */
static void check_line(const char *yaml, enum why_answer answer, int n, const char *want) {
    struct arena *a = arena_open();
    struct why why = ask_why(a, "ptx", yaml, NULL);
    assert_int_equal(why.answer, answer);
    assert_true(why.nlines > n);
    assert_string_equal(why_line_text(a, &why.lines[n]), want);
    arena_close(a);
}

#define LOAD(reg, loc) "int " reg " = load(" loc ", acquire, device); "
#define IRIW(first, second)                                                                                  \
    TEST("A | B | C | D", "x: 0, y: 0",                                                                      \
         THREAD("A", "store(x, 1, relaxed, device);") THREAD("B", LOAD("r", "x") first LOAD("s", "y"))       \
             THREAD("C", LOAD("t", "y") second LOAD("u", "x")) THREAD("D", "store(y, 1, relaxed, device);"), \
         "exists: r == 1 && s == 0 && t == 1 && u == 0")
#define SEES                                                                                                 \
    "C reads x (line 10) and gets 0, the initial value. It does not see A's write of 1 to x (line 6): "
#define STORE(loc, value) "store(" loc ", " value ", release, device); "

/* An order of reads or writes that no acquire carries on: only sc fences do. */
static void test_ways(void **state) {
    (void)state;
    check_line(IRIW("", ""), WHY_ALLOWED, 7,
               "6. " SEES
               "B's read of y (line 8) comes before D's write of 1 to y (line 12), which C reads (line 10). "
               "What stands around the two follows that order only where each thread has an sc fence: B has "
               "none between its two reads (line 8), and C has none between its two reads (line 10).");
    check_line(IRIW("__threadfence(); ", ""), WHY_ALLOWED, 8,
               "7. " SEES "B's read of y (line 8) comes before D's write of 1 to y (line 12), which C reads "
                          "(line 10). What stands around the two follows that order only where each thread "
                          "has an sc fence: C has none between its two reads (line 10).");
    check_line(IRIW("__threadfence(); ", "__threadfence_block(); "), WHY_ALLOWED, 9,
               "8. " SEES "C's fence (line 10: fence.sc.cta) has block scope, and B is in another block.");
    check_line(
        TEST("A | B | C", "x: 0, y: 0, z: 0",
             THREAD("A", STORE("x", "1") STORE("y", "1")) THREAD("B", STORE("y", "2") STORE("z", "1"))
                 THREAD("C", LOAD("r", "z") LOAD("s", "x")),
             "exists: r == 1 && s == 0 && y == 2"),
        WHY_ALLOWED, 7,
        "6. " SEES
        "A's write of 1 to y (line 6) comes before B's write of 2 to y (line 8). What stands around the two "
        "follows that order only where each thread has an sc fence: A has none between its two writes "
        "(line 6), and B has none between its two writes (line 8).");
    check_line(
        TEST("A | B", "x: 0, y: 0",
             THREAD("A", STORE("x", "1") STORE("y", "2")) THREAD("B", STORE("y", "1") STORE("x", "2")),
             "exists: x == 1 && y == 1"),
        WHY_ALLOWED, 5,
        "4. B writes 2 to x (line 8). In the order of the writes of x, it comes before A's write of 1 to "
        "x (line 6): A's write of 2 to y (line 6) comes before B's write of 1 to y (line 8). What stands "
        "around the two follows that order only where each thread has an sc fence: A has none between "
        "its two writes (line 6), and B has none between its two writes (line 8).");
}

/* A way on which a read is too weak or of too narrow scope, and one through a barrier. */
static void test_links(void **state) {
    (void)state;
    check_line(
        TEST("A | B", "x: 0",
             THREAD("A", "store(x, 1, release, block);")
                 THREAD("B", "int r = load(x, acquire, device); int s = load(x, acquire, device);"),
             "exists: r == 1 && s == 0"),
        WHY_ALLOWED, 4,
        "3. B reads x (line 8) and gets 0, the initial value. It does not see A's write of 1 to x (line "
        "6): A's write of 1 to x (line 6) has block scope, and B is in another block.");
    check_line(
        TEST("A | B | C | D", "x: 0, y: 0",
             THREAD("A", "store(x, 1, weak);") THREAD("B", LOAD("r", "x") "__threadfence(); " LOAD("s", "y"))
                 THREAD("C", LOAD("t", "y") "__threadfence(); " LOAD("u", "x"))
                     THREAD("D", "store(y, 1, relaxed, device);"),
             "exists: r == 1 && s == 0 && t == 1 && u == 0"),
        WHY_ALLOWED, 9,
        "8. " SEES "A's write of 1 to x (line 6) is weak, so no order with other threads comes of it.");
    check_line(
        TEST("A B | C", "x: 0, y: 0",
             THREAD("A", "store(x, 1, weak); __syncthreads();")
                 THREAD("B", "__syncthreads(); store(y, 1, relaxed, device);")
                     THREAD("C", LOAD("r", "y") "int s = load(x, weak);"),
             "exists: r == 1 && s == 0"),
        WHY_ALLOWED, 6,
        "5. C reads x (line 10) and gets 0, the initial value. It does not see A's write of 1 to x (line "
        "6): B has no fence or release between the barrier and its write (line 8).");
}

/* A write of the reading thread that has no part in it is no reason. */
static void test_unrelated_writes(void **state) {
    (void)state;
    check_line(
        TEST("A || B", "x: 0, z: 0",
             THREAD("A", "store(x, 1, release, system);")
                 THREAD("B", "store(z, 1, relaxed, device); int r = load(x, relaxed, device); "
                             "atomic_thread_fence(acq_rel, system); int s = load(x, acquire, device);"),
             "exists: r == 1 && s == 0"),
        WHY_ALLOWED, 6,
        "5. B reads x (line 8) and gets 0, the initial value. It does not see A's write of 1 to x (line "
        "6): B's read of x (line 8) has device scope, and A is on another GPU.");
    check_line(TEST("A | B | C | D", "x: 0, y: 0, z: 0",
                    THREAD("A", "store(x, 1, relaxed, device);") THREAD("B", LOAD("r", "x") LOAD("s", "y"))
                        THREAD("C", "store(z, 1, relaxed, device); " LOAD("t", "y") LOAD("u", "x"))
                            THREAD("D", "store(y, 1, relaxed, device);"),
                    "exists: r == 1 && s == 0 && t == 1 && u == 0"),
               WHY_ALLOWED, 8,
               "7. " SEES
               "B's read of y (line 8) comes before D's write of 1 to y (line 12), which C reads (line 10). "
               "What stands around the two follows that order only where each thread has an sc fence: B has "
               "none between its two reads (line 8), and C has none between its two reads (line 10).");
}

/* What is only observed may end with any value, and an order of writes against program order is no reason. */
static void test_poor_reasons(void **state) {
    (void)state;
    check_line(
        TEST("A C | B", "x: 0",
             THREAD("A", "int r = fetch_add(x, 1, release, block); "
                         "int s = fetch_add(x, 1, relaxed, device); fetch_add(x, 1, relaxed, cluster);")
                 THREAD("B", "store(x, 2, weak); store(x, 1, release, cluster); "
                             "int t = compare_exchange(x, 1, 1, acquire, cluster);")
                     THREAD("C", "store(x, 1, weak); store(x, 2, weak);"),
             "exists: r == 0 && s == 3 && t == 3\nobserve: [x]"),
        WHY_FORBIDDEN, 2,
        "1. A's atomic read of x (line 6) comes in program order before its atomic write of 3 to x (line "
        "6).");
    check_line(TEST("A", "x: 0", THREAD("A", "store(x, 1, weak);"), "exists: x == 0"), WHY_FORBIDDEN, 1,
               "1. The initial value of x comes before A's write of 1 to x (line 6), as before every write.");
    check_line(TEST("A B", "x: 0",
                    THREAD("A", "int r = load(x, acquire, cluster); int s = load(x, acquire, system);")
                        THREAD("B", "store(x, 2, release, device); store(x, 2, release, device);"),
                    "exists: r == 2 && s == 0"),
               WHY_FORBIDDEN, 2, "1. A's read of x (line 6) returns 2, which B wrote (line 8).");
}

/* Writes of a location that are in no order, and the order of two that was chosen. */
static void test_writes(void **state) {
    (void)state;
#define READS(a, b) "int " a " = load(x, relaxed, device); int " b " = load(x, relaxed, device);"
#define CORR(order)                                                                                          \
    TEST("A | B | C | D", "x: 0",                                                                            \
         THREAD("A", "store(x, 1, " order ");") THREAD("B", "store(x, 2, relaxed, device);")                 \
             THREAD("C", READS("r", "s")) THREAD("D", READS("t", "u")),                                      \
         "exists: r == 1 && s == 2 && t == 2 && u == 1")
    check_line(CORR("weak"), WHY_ALLOWED, 7,
               "6. D reads x (line 12) and gets 1, from A's write of 1 to x (line 6). What it sees is in no "
               "order with B's write of 2 to x (line 8), which it read before (line 12): A's write of 1 to x "
               "(line 6) is weak, so no order with other threads comes of it.");
    check_line(
        CORR("relaxed, device"), WHY_FORBIDDEN, 6,
        "If A's write of 1 to x (line 6) and B's write of 2 to x (line 8) were in the other order, the "
        "outcome would be forbidden as well.");
    check_line(
        TEST("A | B", "x: 0",
             THREAD("A", "int r = atomicAdd_block(&x, 1);") THREAD("B", "int s = atomicAdd(&x, 1);"),
             "exists: r == 0 && s == 0"),
        WHY_ALLOWED, 3,
        "2. B atomically reads x (line 8) and gets 0, the initial value; it writes 1. It does not see A's "
        "atomic write of 1 to x (line 6): A's atomic write of 1 to x (line 6) has block scope, and B is "
        "in another block.");
}

/* Without a chain there is still something to say. */
static void test_nothing_to_explain(void **state) {
    (void)state;
    check("ptx", TEST("T0", "x: 0", THREAD("T0", "x = 1;"), "exists: x == 7"), WHY_NOT_REACHED,
          LINES("Even if every read could read from any write of its location, with no fence and no rule of "
                "the model in the way, no execution would give x == 7."));
    check("ptx", TEST("T0", "x: 0", THREAD("T0", "while (x != 3) ;"), "exists: x == 0"), WHY_ENDLESS,
          LINES("No execution ends: some thread waits for ever, for a value that nobody writes or at a "
                "barrier that does not open. So there is no outcome to explain."));
    check("ptx", TEST("T0", "x: 0", THREAD("T0", "x = 1; int r = x;"), "forall: r == 1 || r == 0"),
          WHY_NOT_REACHED,
          LINES("Even if every read could read from any write of its location, with no fence and no rule of "
                "the model in the way, r == 1 || r == 0 would be true."));
}

/* A model may have other axioms, and relations that no sentence knows. */
static void test_other_models(void **state) {
    (void)state;
    ask_write("why-own.cat", "let far = _ * _ \\ id\n"
                             "empty (fr; co^-1) & rf^-1 as Odd\n"
                             "~empty [F] as Fenced\n");
    check("why-own.cat", MP("", ""), WHY_FORBIDDEN,
          LINES(APART, "Suppose that an execution ended with r == 1 && s == 0.",
                "1. T1's read of x (line 8) returns 0, the initial value; so it comes before T0's write of 1 "
                "to x (line 6), which replaces that value.",
                "2. The initial value of x comes before T0's write of 1 to x (line 6), as before every "
                "write.",
                "That is what the axiom Odd forbids. It would also break Fenced."));
    ask_write("why-own.cat", "let far = ~(po | po^-1 | id)\nirreflexive far; fr as Far\n");
    check("why-own.cat", MP("", ""), WHY_FORBIDDEN,
          LINES(APART, "Suppose that an execution ended with r == 1 && s == 0.",
                "1. T0's write of 1 to x (line 6) is related by '?' to T1's read of x (line 8).",
                "2. T1's read of x (line 8) returns 0, the initial value; so it comes before T0's write of 1 "
                "to x (line 6), which replaces that value.",
                "The steps lead in a circle: T0's write of 1 to x (line 6) would come before itself. The "
                "axiom Far forbids that."));
    check("sc", MP("", ""), WHY_FORBIDDEN,
          LINES(APART, "Suppose that an execution ended with r == 1 && s == 0.",
                "1. T0's write of 1 to x (line 6) comes in program order before its write of 1 to y (line "
                "6).",
                "2. T1's read of y (line 8) returns 1, which T0 wrote (line 6).",
                "3. T1's read of y (line 8) comes in program order before its read of x (line 8).",
                "4. T1's read of x (line 8) returns 0, the initial value; so it comes before T0's write of 1 "
                "to x (line 6), which replaces that value.",
                "The steps lead in a circle: T0's write of 1 to x (line 6) would come before itself. The "
                "axiom SC forbids that."));
}

/* A model's own order of steps: what it keeps is never told the other way round. */
static void test_orders_of_steps(void **state) {
    (void)state;
    check("x86-tso",
          TEST("T0 | T1", "x: 0, y: 0", THREAD("T0", "x = 1; y = 1;") THREAD("T1", "y = 2; int r = x;"),
               "exists: y == 2 && r == 0"),
          WHY_ALLOWED,
          LINES(APART, "An execution that ends with y == 2 && r == 0:",
                "1. T1 reads x (line 8) and gets 0, the initial value. This happens ahead of its write of 2 "
                "to y (line 8): nothing between the two keeps their order.",
                "2. T0 writes 1 to x (line 6).", "3. T0 writes 1 to y (line 6).",
                "4. T1 writes 2 to y (line 8)."));
    check("aarch64", MP("", ""), WHY_ALLOWED,
          LINES(APART, "An execution that ends with r == 1 && s == 0:",
                "1. T0 writes 1 to y (line 6). This happens ahead of its write of 1 to x (line 6): nothing "
                "between the two keeps their order.",
                "2. T1 reads y (line 8) and gets 1, from T0's write of 1 to y (line 6).",
                "3. T1 reads x (line 8) and gets 0, the initial value. It does not see T0's write of 1 to x "
                "(line 6), which is told below.",
                "4. T0 writes 1 to x (line 6)."));
    check("sc", SB(""), WHY_FORBIDDEN,
          LINES(APART, "Suppose that an execution ended with r == 0 && s == 0.",
                "1. T0's write of 1 to x (line 6) comes in program order before its read of y (line 6).",
                "2. T0's read of y (line 6) returns 0, the initial value; so it comes before T1's write of 1 "
                "to y (line 8), which replaces that value.",
                "3. T1's write of 1 to y (line 8) comes in program order before its read of x (line 8).",
                "4. T1's read of x (line 8) returns 0, the initial value; so it comes before T0's write of 1 "
                "to x (line 6), which replaces that value.",
                "The steps lead in a circle: T0's write of 1 to x (line 6) would come before itself. The "
                "axiom SC forbids that."));
}

/* A thread reads its own write before others see it, past a fence that keeps no later read behind a write. */
static void test_store_buffers(void **state) {
    (void)state;
    check("x86-tso",
          TEST("T0 | T1", "x: 0, y: 0",
               THREAD("T0", "x = 1; int q = x; atomic_thread_fence(acq_rel, device); int r = y;")
                   THREAD("T1", "y = 1; int p = y; int s = x;"),
               "exists: q == 1 && r == 0 && p == 1 && s == 0"),
          WHY_ALLOWED,
          LINES(APART, "An execution that ends with q == 1 && r == 0 && p == 1 && s == 0:",
                "1. T0 reads x (line 6) and gets 1, its own write (line 6). That write is told below, where "
                "the others see it, too.",
                "2. T0: fence (line 6: fence.acq_rel.gpu).",
                "3. T0 reads y (line 6) and gets 0, the initial value. This happens ahead of its write of 1 "
                "to x (line 6): its fence (line 6: fence.acq_rel.gpu) does not keep their order.",
                "4. T1 writes 1 to y (line 8).", "5. T1 reads y (line 8) and gets 1, its own write (line 8).",
                "6. T1 reads x (line 8) and gets 0, the initial value. It does not see T0's write of 1 to x "
                "(line 6), which is told below.",
                "7. T0 writes 1 to x (line 6)."));
}

/* On Arm, the write of an atomic operation may come behind a later read of another location. */
static void test_halves_apart(void **state) {
    (void)state;
    check(
        "aarch64",
        TEST("T0 | T1", "x: 0, y: 0",
             THREAD("T0", "exchange(x, 1, acq_rel, device); int r = y;")
                 THREAD("T1", "y = 1; __threadfence(); int s = x;"),
             "exists: r == 0 && s == 0"),
        WHY_ALLOWED,
        LINES(APART, "An execution that ends with r == 0 && s == 0:",
              "1. T0 atomically reads x (line 6) and gets 0, the initial value.",
              "2. T0 reads y (line 6) and gets 0, the initial value. This happens ahead of its atomic "
              "write of 1 to x (line 6): nothing between the two keeps their order.",
              "3. T1 writes 1 to y (line 8).", "4. T1: fence (line 8: fence.sc.gpu).",
              "5. T1 reads x (line 8) and gets 0, the initial value. It does not see T0's atomic write of 1 "
              "to x (line 6), which is told below.",
              "6. T0 writes 1 to x (line 6)."));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_releases),
        cmocka_unit_test(test_forbidden),
        cmocka_unit_test(test_other_axioms),
        cmocka_unit_test(test_ways),
        cmocka_unit_test(test_links),
        cmocka_unit_test(test_unrelated_writes),
        cmocka_unit_test(test_poor_reasons),
        cmocka_unit_test(test_writes),
        cmocka_unit_test(test_nothing_to_explain),
        cmocka_unit_test(test_other_models),
        cmocka_unit_test(test_orders_of_steps),
        cmocka_unit_test(test_store_buffers),
        cmocka_unit_test(test_halves_apart),
    };
    return cmocka_run_group_tests(tests, ask_enter_folder, ask_leave_folder);
}
