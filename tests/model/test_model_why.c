/* What is told of an allowed outcome, word by word; names, bounds and limits. */
#include "base/clock.h"
#include "told.h"

static void test_allowed(void **state) {
    (void)state;
    check("ptx", MP("", ""), WHY_ALLOWED,
          LINES(APART, "An execution that ends with r == 1 && s == 0:",
                "1. T0 writes 1 to y (line 6). This happens ahead of its write of 1 to x (line 6): nothing "
                "between the two keeps their order.",
                "2. T1 reads y (line 8) and gets 1, from T0's write of 1 to y (line 6).",
                "3. T1 reads x (line 8) and gets 0, the initial value. It does not see T0's write of 1 to x "
                "(line 6): T0 has no fence or release between its two writes (line 6), and T1 has no fence "
                "or acquire between its two reads (line 8).",
                "4. T0 writes 1 to x (line 6)."));
}

/* Of the threads of a grid, those are placed that do something, each in a warp of its block. */
static void test_seats(void **state) {
    (void)state;
    struct arena *a = arena_open();
    struct why why = ask_why(a, "ptx",
                             "name: t\nmemory: {x: 0}\nthreads:\n  k: {grid: 2, block: 64, body: \"if "
                             "(threadIdx.x == 33) x = 1 + blockIdx.x;\"}\nexists: x == 2\n",
                             NULL);
    assert_string_equal(why.lines[0].text, "k[0][33] is in block 0, warp 1; k[1][33] is in block 1, warp 1. "
                                           "The other 126 do nothing here.");
    arena_close(a);
}

/* What is missing is named: a fence of one side alone, a scope, an sc fence, a strong access. */
static void check_says(const char *yaml, const char *words) {
    struct arena *a = arena_open();
    struct why why = ask_why(a, "ptx", yaml, NULL);
    bool said = false;
    assert_int_equal(why.answer, WHY_ALLOWED);
    for (int k = 0; k < why.nlines; k++)
        said = said || strstr(why.lines[k].text, words);
    if (!said) print_error("nobody says: %s\n", words);
    assert_true(said);
    arena_close(a);
}

static void test_what_is_missing(void **state) {
    (void)state;
    check_says(
        MP("__threadfence(); ", ""),
        "T1 reads x (line 8) and gets 0, the initial value. This happens ahead of its read of y (line 8): "
        "nothing between the two keeps their order.");
    check_says(MP("", "__threadfence(); "),
               "(line 6): T0 has no fence or release between its two writes (line 6).");
    check_says(MP("__threadfence(); ", "__threadfence_block(); "),
               ": T1's fence (line 8: fence.sc.cta) has block scope, and T0 is in another block.");
    check_says(SB(""), ": T1 has no fence between its write (line 8) and this read, so the read may be done "
                       "before that write is visible.");
    check_says(SB("atomic_thread_fence(acq_rel, device); "),
               ": T1's fence (line 8: fence.acq_rel.gpu) does not keep a write before a later read; only an "
               "sc fence does.");
    check_says(TEST("T0 | T1", "x: 0",
                    THREAD("T0", "x = 1;") THREAD("T1", "int r = load(x, weak); int s = load(x, weak);"),
                    "exists: r == 1 && s == 0"),
               ": weak reads are in no order, even those of one location.");
    check_says(TEST("T0 | T1", "x: 0", THREAD("T0", "store(x, 1, weak);") THREAD("T1", "store(x, 2, weak);"),
                    "exists: x == 1"),
               "In the end x is 1: 2 of its writes are in no order, so each of them may be the last.");
}

/* A value that comes through another thread; fences that are too narrow or no sc fences; a red. */
static void test_what_is_missing_between(void **state) {
    (void)state;
    check_says(TEST("T0 | T1 | T2", "x: 0, y: 0, z: 0",
                    THREAD("T0", "x = 1; __threadfence_block(); y = 1;")
                        THREAD("T1", "int r = y; __threadfence(); z = 1;")
                            THREAD("T2", "int s = z; __threadfence(); int t = x;"),
                    "exists: r == 1 && s == 1 && t == 0"),
               "(line 6): T0's fence (line 6: fence.sc.cta) has block scope, and T1 is in another block.");
    check_says(TEST("T0 | T1 | T2", "x: 0, y: 0",
                    THREAD("T0", "x = 1;") THREAD("T1", "int r = x; y = 1;")
                        THREAD("T2", "int s = y; __threadfence(); int t = x;"),
                    "exists: r == 1 && s == 1 && t == 0"),
               "This happens ahead of its read of x (line 8)");
    check_says(TEST("T0 | T1 | T2 | T3", "x: 0, y: 0",
                    THREAD("T0", "x = 1;") THREAD("T1", "y = 1;")
                        THREAD("T2", "int r = x; atomic_thread_fence(acq_rel, device); int s = y;")
                            THREAD("T3", "int t = y; atomic_thread_fence(acq_rel, device); int u = x;"),
                    "exists: r == 1 && s == 0 && t == 1 && u == 0"),
               "(line 6): T2's fence (line 10: fence.acq_rel.gpu) and T3's fence (line 12: "
               "fence.acq_rel.gpu) are in no order with each other, as two sc fences are.");
    check_says(TEST("T0 | T1", "x: 0, y: 0",
                    THREAD("T0", "x = 1; __threadfence(); y = 1;")
                        THREAD("T1", "asm(\"red.relaxed.gpu.add.u32 [%0], 1;\" :: \"l\"(&y)); "
                                     "atomic_thread_fence(acquire, device); int r = x;"),
                    "exists: y == 2 && r == 0"),
               ": T1's red (line 8) returns nothing, so what it reads acquires nothing.");
}

/* The order of writes may go against the order in which they are told. */
static void test_overtaken(void **state) {
    (void)state;
    check_says(TEST("T0 | T1", "x: 0, y: 0",
                    THREAD("T0", "x = 1; __threadfence_block(); y = 2;")
                        THREAD("T1", "y = 1; __threadfence(); x = 2;"),
                    "exists: x == 1 && y == 1"),
               "T1 writes 2 to x (line 8). In the order of the writes of x, it comes before T0's write of 1 "
               "to x (line 6): T0's fence (line 6: fence.sc.cta) has block scope, and T1 is in another "
               "block.");
    check_says(TEST("T0 | T1", "x: 0, y: 0",
                    THREAD("T0", "x = 2; __threadfence(); y = 1;") THREAD("T1", "int r = y; x = 1 + r * 0;"),
                    "exists: r == 1 && x == 2"),
               "T1 writes 1 to x (line 8). This happens ahead of its read of y (line 8)");
    check_says(TEST("T0 | T1", "x: 0, y: 0",
                    THREAD("T0", "x = 2; __threadfence(); y = 1;") THREAD("T1", "int r = y; x = r;"),
                    "exists: r == 1 && x == 2"),
               "T1 writes 1 to x (line 8). In the order of the writes of x, it comes before T0's write of 2 "
               "to x (line 6): T1 has no fence or acquire between its read and its write (line 8).");
}

/* A thread may see a write that was told before its own one. */
static void test_forgotten(void **state) {
    (void)state;
    check_says(
        TEST("T0 || T1", "x: 0",
             THREAD("T0", "int r = fetch_add(x, 1, relaxed, block); int s = load(x, relaxed, device);")
                 THREAD("T1", "store(x, 5, relaxed, system);"),
             "exists: r == 5 && s == 5"),
        "T0 reads x (line 6) and gets 5, from T1's write of 5 to x (line 8). What it sees is in no order "
        "with its own atomic write of 6 to x (line 6): T0's atomic write of 6 to x (line 6) has block "
        "scope, and T1 is on another GPU.");
}

/* A read of the own future is a circle, and no matter of the final value; an axiom that is broken twice is named once. */
static void test_own_future(void **state) {
    (void)state;
    check("ptx",
          TEST("T0 | T1", "x: 0", THREAD("T0", "int r = x; x = 1;") THREAD("T1", "x = 2;"),
               "exists: r == 1 && x == 1"),
          WHY_FORBIDDEN,
          LINES(APART, "Suppose that an execution ended with r == 1 && x == 1.",
                "1. T0's read of x (line 6) comes in program order before its write of 1 to x (line 6).",
                "2. T0's read of x (line 6) returns 1, which T0 wrote (line 6).",
                "The steps lead in a circle: T0's read of x (line 6) would come before itself. The axiom "
                "SC-per-Location forbids that. It would also break Causality and Coherence."));
}

/* Nobody passes a barrier before those have come that it waits for, or are gone, even where it orders nothing. */
static void test_barriers(void **state) {
    (void)state;
    check("ptx",
          TEST("T0 & T1", "x: 0",
               THREAD("T0", "x = 1; __cluster_barrier_arrive_relaxed(); __cluster_barrier_wait();")
                   THREAD("T1", "cluster_sync(); int r = x;"),
               "exists: r == 0"),
          WHY_ALLOWED,
          LINES(APART, "An execution that ends with r == 0:", "1. T0 writes 1 to x (line 6).",
                "2. T0: relaxed arrival at the barrier of the cluster (line 6).",
                "3. T0: wait at the barrier of the cluster (line 6).",
                "4. T1 passes the barrier of the cluster (line 8).",
                "5. T1 reads x (line 8) and gets 0, the initial value. It does not see T0's write of 1 to x "
                "(line 6): T0's relaxed arrival at the barrier of the cluster (line 6) ends the wait, but "
                "orders nothing by itself."));
    check_says(TEST("T0 T1", "x: 0, z: 0",
                    THREAD("T0", "x = 1; int q = z; if (q == 0) return; __syncthreads();")
                        THREAD("T1", "__syncthreads(); int r = x;"),
                    "exists: r == 0"),
               "It does not see T0's write of 1 to x (line 6): the exit of T0 ends the wait at the barrier "
               "(line 8), but orders nothing.");
    check("ptx",
          TEST("T0 T1", "x: 0",
               THREAD("T0", "int r = x; if (r == 1) return; __syncthreads();")
                   THREAD("T1", "__syncthreads(); x = 1;"),
               "exists: r == 1"),
          WHY_FORBIDDEN,
          LINES("T0 is in block 0, warp 0; T1 is in block 0, warp 1.",
                "Suppose that an execution ended with r == 1.",
                "1. T0's read of x (line 6) decides the exit that ends T1's wait at the barrier (line 8).",
                "2. T1's wait at the barrier (line 8) comes in program order before its write of 1 to x "
                "(line 8).",
                "3. T0's read of x (line 6) returns 1, which T1 wrote (line 8).",
                "The steps lead in a circle: T0's read of x (line 6) would come before itself. The axiom "
                "No-Thin-Air forbids that."));
}

/* Barriers have numbers and kinds, waits leave out copies, and vectors have no order. */
static void test_names(void **state) {
    (void)state;
    check("ptx",
          TEST("T0 T1", "x: 0",
               THREAD("T0", "x = 1; asm volatile(\"bar.sync 1, 64;\");")
                   THREAD("T1", "asm volatile(\"bar.arrive 1, 64;\"); int r = x;"),
               "exists: r == 0"),
          WHY_ALLOWED,
          LINES("T0 is in block 0, warp 0; T1 is in block 0, warp 1.",
                "An execution that ends with r == 0:", "1. T1: arrival without a wait at barrier 1 (line 8).",
                "2. T1 reads x (line 8) and gets 0, the initial value.", "3. T0 writes 1 to x (line 6).",
                "4. T0 passes barrier 1 (line 6)."));
    check(
        "ptx",
        TEST("T0 & T1", "x: 0",
             THREAD("T0", "x = 1; atomic_thread_fence(acq_rel, cluster); __cluster_barrier_arrive_relaxed(); "
                          "__cluster_barrier_wait();") THREAD("T1", "cluster_sync(); int r = x;"),
             "exists: r == 0"),
        WHY_FORBIDDEN,
        LINES(
            APART, "Suppose that an execution ended with r == 0.",
            "1. T0's write of 1 to x (line 6) comes in program order before its fence (line 6: "
            "fence.acq_rel.cluster).",
            "2. T0's fence (line 6: fence.acq_rel.cluster) releases what came before it, with its relaxed "
            "arrival at the barrier of the cluster (line 6), which is needed to end T1's wait at the barrier "
            "of the "
            "cluster (line 8).",
            "3. T1's wait at the barrier of the cluster (line 8) comes in program order before its read of x "
            "(line 8).",
            "4. T1's read of x (line 8) returns 0, the initial value; so it comes before T0's write of 1 to "
            "x (line 6), which replaces that value.",
            "The steps lead in a circle: T0's write of 1 to x (line 6) would come before itself. The axiom "
            "Causality forbids that."));
    check("ptx",
          TEST("T0", "x: {init: 1}, y: {space: shared}",
               THREAD("T0", "__pipeline_memcpy_async(&y, &x, 4); __pipeline_commit(); "
                            "__pipeline_wait_prior(1); int r = y;"),
               "exists: r == 0"),
          WHY_ALLOWED,
          LINES("An execution that ends with r == 0:", "1. T0: start of a copy (line 6).",
                "2. a copy that T0 started reads x (line 6) and gets 1, the initial value.",
                "3. T0: wait for its copies but those of the last group (line 6).",
                "4. T0 reads y (line 6) and gets 0, the initial value.",
                "5. a copy that T0 started writes 1 to y (line 6)."));
    check("ptx",
          TEST("T0.T1", "v: {type: int2}", THREAD("T0", "v = make_int2(1, 2);") THREAD("T1", "int2 w = v;"),
               "exists: w.x == 1 && w.y == 0"),
          WHY_ALLOWED,
          LINES("T0 is in block 0, warp 0; T1 is in block 0, warp 0.",
                "An execution that ends with w.x == 1 && w.y == 0:", "1. T0 writes 1 to v.x (line 6).",
                "2. T1 reads v.x (line 8) and gets 1, from T0's write of 1 to v.x (line 6).",
                "3. T1 reads v.y (line 8) and gets 0, the initial value.", "4. T0 writes 2 to v.y (line 6).",
                "An access to a vector is one access an element, in no order among themselves."));
    check("ptx",
          TEST("T0 | T1", "v: {type: int}, h: {of: v, type: short}",
               THREAD("T0", "v = 1;") THREAD("T1", "int r = h;"), "exists: r == 1"),
          WHY_ALLOWED,
          LINES(APART,
                "In some execution that the model allows, accesses of different sizes race: the model then "
                "promises "
                "nothing, and forbids no outcome. Apart from that:",
                "An execution that ends with r == 1:", "1. T0 writes 1 to v+0 (line 6).",
                "2. T0 writes 0 to v+2 (line 6).",
                "3. T1 reads v+0 (line 8) and gets 1, from T0's write of 1 to v+0 (line 6)."));
}

/* What was looked for in a few turns only is told so; a loop that ends says nothing of turns. */
static void test_bounds(void **state) {
    (void)state;
    check("ptx",
          TEST("T0 | T1", "x: 0", THREAD("T0", "x = 1;") THREAD("T1", "int n = 0; while (x == 0) n += 1;"),
               "exists: n == 40"),
          WHY_NOT_REACHED,
          LINES("Within 3 turns of each loop, even if every read could read from any write of its location, "
                "with no "
                "fence and no rule of the model in the way, no execution would give n == 40.",
                "This is known of at most 3 turns of each loop: longer runs were not looked at."));
    check(
        "ptx",
        TEST("T0 | T1", "x: 0",
             THREAD("T0", "x = 1;") THREAD("T1", "int n = 0; while (x == 0 && n < 2) n += 1;"),
             "exists: n == 40"),
        WHY_NOT_REACHED,
        LINES(
            "Even if every read could read from any write of its location, with no fence and no rule of the "
            "model in the way, no execution would give n == 40."));
}

/* A search that finds nothing ends in time, and says so. */
static void test_limits(void **state) {
    (void)state;
    struct arena *a = arena_open();
    struct model_limits limits = {.seconds = 0.05};
    double begin = clock_now();
    struct why why = ask_why(a, "ptx",
                             "name: test\nmemory: {x: 0, y: {count: 9}}\nplacements: [device]\nthreads:\n"
                             "  T: {count: 9, body: \"atomicAdd(&y[tid % 3], 1); __threadfence(); "
                             "int r = y[(tid + 1) % 3]; __threadfence(); int s = y[(tid + 2) % 3]; "
                             "atomicAdd(&x, s * r);\"}\n"
                             "exists: x == 12345\n",
                             &limits);
    assert_true(clock_now() - begin < 1);
    assert_int_equal(why.answer, WHY_UNKNOWN);
    assert_string_equal(why.lines[0].text, "The search for an execution to explain was given up: timeout.");
    arena_close(a);
}

static void test_absent_lanes(void **state) {
    (void)state;
    check("ptx",
          "name: test\nmemory: {x: 0}\nplacements: [warp]\nthreads:\n  T:\n    count: 2\n    body: |\n"
          "      int r = 0; if (tid == 1) return; r = __all_sync(-1, x == 0);\nexists: T[0].r == 1\n",
          WHY_ALLOWED,
          LINES("T[0] is in block 0, warp 0; T[1] is in block 0, warp 0.",
                "An execution that ends with T[0].r == 1:",
                "1. T[0] reads x (line 8) and gets 0, the initial value.",
                "2. T[0] passes the exchange of the warp (line 8).",
                "3. T[0]: taking of nothing, as another thread has exited (line 8)."));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_allowed),         cmocka_unit_test(test_seats),
        cmocka_unit_test(test_what_is_missing), cmocka_unit_test(test_what_is_missing_between),
        cmocka_unit_test(test_overtaken),       cmocka_unit_test(test_forgotten),
        cmocka_unit_test(test_own_future),      cmocka_unit_test(test_barriers),
        cmocka_unit_test(test_names),           cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_limits),          cmocka_unit_test(test_absent_lanes),
    };
    return cmocka_run_group_tests(tests, ask_enter_folder, ask_leave_folder);
}
