/* Tests that cannot be judged, or not to the end: what is said of them. */
#include <stdlib.h>
#include <string.h>

#include "../recorded.h"
#include "ask.h"
#include "base/clock.h"

/* Errors of the test. */
static const struct {
    const char *test, *message;
} bad[] = {
    {TEST("T0", "a: {count: 2}", THREAD("T0", "for (int i = 0; i < 3; i++) a[i] = i;"), "exists: a[0] == 0"),
     "test.yaml:6:33: error: index 2 is out of bounds: 'a' has 2 elements\n"
     "    6 |     for (int i = 0; i < 3; i++) a[i] = i;\n"
     "      |                                 ^\n"},
    {TEST("T0 | T1", "a: {count: 2}, x: 0",
          THREAD("T0", "int i = x; int r = a[i];") THREAD("T1", "x = 1; x = -1;"), "exists: r == 0"),
     "test.yaml:6:24: error: index -1 is out of bounds: 'a' has 2 elements\n"
     "    6 |     int i = x; int r = a[i];\n"
     "      |                        ^\n"},
    {TEST("T0", "a: {count: 2}", THREAD("T0", "int i = -1; a[i] = 1;"), "exists: a[0] == 0"),
     "test.yaml:6:17: error: index -1 is out of bounds: 'a' has 2 elements\n"
     "    6 |     int i = -1; a[i] = 1;\n"
     "      |                 ^\n"},
    {TEST("T0", "x: 0", THREAD("T0", "int i = 0; while (i == 0) {} x = 1;"), "exists: x == 0"),
     "test.yaml:6:16: error: this loop never ends\n"
     "    6 |     int i = 0; while (i == 0) {} x = 1;\n"
     "      |                ^~~~~\n"},
};

#define BARRIER_STORE(t1)                                                                                    \
    TEST("T0 T1", "b: 1, q: {count: 2}", THREAD("T0", "__syncthreads(); b = 3;") THREAD("T1", t1),           \
         "exists: r == 0 && b == 3")

/* Who is stopped at an access beyond an array does not come to the barrier behind it, and nobody passes that. So T1 cannot
 * read there what T0 writes behind the barrier; but it can if it reads behind the barrier itself. */
static void test_halted(void **state) {
    (void)state;
    struct arena *a = arena_open();
    const struct model *ptx = ask_model(a, "ptx");
    struct answer answer = ask(ptx, BARRIER_STORE("int i = b; int r = q[i]; __syncthreads();"), NULL);
    assert_int_equal(answer.status, MODEL_DONE);
    assert_true(answer.allowed);
    char *message = ask_error(ptx, BARRIER_STORE("__syncthreads(); int i = b; int r = q[i];"));
    assert_string_equal(message, "test.yaml:8:41: error: index 3 is out of bounds: 'q' has 2 elements\n"
                                 "    8 |     __syncthreads(); int i = b; int r = q[i];\n"
                                 "      |                                         ^\n");
    free(message);
    arena_close(a);
}

/* T1 counts its turns, so that it is followed for some of them only, and T0 waits for it. */
#define BEHIND_A_LOOP(y)                                                                                     \
    TEST("T0 T1", "y: " y ", i: 2, q: {count: 2}",                                                           \
         THREAD("T0", "__syncthreads(); int r = i; q[r] = 1;")                                               \
             THREAD("T1", "int n = 0; while (y == 0) n++; __syncthreads();"),                                \
         "exists: n == 0")

/* Nobody passes the barrier, however many turns are followed; but where T1 comes there, T0 leaves the array. */
static void test_behind_a_loop(void **state) {
    (void)state;
    struct arena *a = arena_open();
    const struct model *ptx = ask_model(a, "ptx");
    struct answer answer = ask(ptx, BEHIND_A_LOOP("0"), NULL);
    assert_int_equal(answer.status, MODEL_UNKNOWN);
    char *message = ask_error(ptx, BEHIND_A_LOOP("1"));
    assert_string_equal(message, "test.yaml:6:33: error: index 2 is out of bounds: 'q' has 2 elements\n"
                                 "    6 |     __syncthreads(); int r = i; q[r] = 1;\n"
                                 "      |                                 ^\n");
    free(message);
    arena_close(a);
}

/* A ring of three stages, for so many steps of two producers and four consumers, with what its waits are. */
#define RING(steps, empty, full)                                                                             \
    "name: ring\nmemory: {stage: {space: shared, count: 3}, full: {type: mbarrier, space: shared, count: "   \
    "3}, empty: {type: mbarrier, space: shared, count: 3}}\nplacements: [block]\naccess: weak\nthreads:\n"   \
    "  producer:\n    count: 2\n    body: |\n      if (tid == 0) for (int i = 0; i < 3; i++) { "             \
    "mbarrier_init(&full[i], 1); mbarrier_init(&empty[i], 4); }\n      __syncthreads();\n      for (int k "  \
    "= tid; k < " steps "; k += 2) { " empty " stage[k % 3] = k + 1; mbarrier_arrive(&full[k % 3]); }\n"     \
    "  consumer:\n    count: 4\n    body: |\n      __syncthreads(); int wrong = 0;\n      for (int k = 0; "  \
    "k < " steps "; k++) { " full                                                                            \
    " wrong = wrong | (stage[k % 3] != k + 1); mbarrier_arrive(&empty[k % 3]); }\n"                          \
    "exists: consumer[0].wrong == 1\n"
#define WAIT_EMPTY "while (!mbarrier_try_wait_parity(&empty[k % 3], (k / 3 & 1) ^ 1)) {}"
#define WAIT_FULL  "while (!mbarrier_try_wait_parity(&full[k % 3], k / 3 & 1)) {}"

/* The same by arrivals and waits for their tokens, as the CUDA programming guide has it: all six threads arrive at each, and
 * two producers write a half of each stage. */
#define MEET_AT(name)                                                                                        \
    "{ uint64_t t = mbarrier_arrive(&" name "[k % 3]); while (!mbarrier_try_wait(&" name "[k % 3], t)) {} }"
#define ARRIVE_AT(name) "mbarrier_arrive(&" name "[k % 3]);"
#define TOKEN_RING(ready, filled)                                                                            \
    "name: ring\nmemory: {stage: {space: shared, count: 6}, ready: {type: mbarrier, space: shared, count: "  \
    "3}, filled: {type: mbarrier, space: shared, count: 3}}\nplacements: [block]\naccess: weak\nthreads:\n"  \
    "  producer:\n    count: 2\n    body: |\n      if (tid == 0) for (int i = 0; i < 3; i++) { "             \
    "mbarrier_init(&ready[i], 6); mbarrier_init(&filled[i], 6); }\n      __syncthreads();\n      for (int "  \
    "k = 0; k < 6; k++) { " ready " stage[2 * (k % 3) + tid] = k + 1; " ARRIVE_AT(                           \
        "filled") " }\n"                                                                                     \
                  "  consumer:\n    count: 4\n    body: |\n      __syncthreads(); int wrong = 0;\n      "    \
                  "for (int k = 0; "                                                                         \
                  "k < 3; k++) " ARRIVE_AT(                                                                  \
                      "ready") "\n      for (int k = 0; k < 6; k++) { " filled                               \
                               " wrong = wrong | (stage[2 * (k % 3) + (tid & 1)] != k + 1); " ARRIVE_AT(     \
                                   "ready") " }\n"                                                           \
                                            "exists: consumer[0].wrong == 1\n"

/* Without one of the waits, mbarriers go through their phases in more ways than can be looked at: those that are found first
 * are searched. */
static void test_rings(void **state) {
    (void)state;
    struct arena *a = arena_open();
    const struct model *ptx = ask_model(a, "ptx");
    const struct model_limits little = {.candidates = 500 * 1000};
    struct answer right = ask(ptx, RING("6", WAIT_EMPTY, WAIT_FULL), &little);
    assert_int_equal(right.status, MODEL_DONE);
    assert_false(right.allowed);
    assert_true(ask(ptx, RING("6", "", WAIT_FULL), &little).allowed);
    assert_true(ask(ptx, RING("6", WAIT_EMPTY, ""), &little).allowed);
    right = ask(ptx, TOKEN_RING(MEET_AT("ready"), MEET_AT("filled")), &little);
    assert_int_equal(right.status, MODEL_DONE);
    assert_false(right.allowed);
    const struct model_limits some = {.candidates = 4 * 1000 * 1000};
    assert_true(ask(ptx, TOKEN_RING(ARRIVE_AT("ready"), MEET_AT("filled")), &some).allowed);
    assert_true(ask(ptx, TOKEN_RING(MEET_AT("ready"), ARRIVE_AT("filled")), &some).allowed);
    const struct model_limits more = {.candidates = 8 * 1000 * 1000};
    assert_true(ask(ptx, RING("9", "", WAIT_FULL), &more).allowed);
    arena_close(a);
}

static void test_bad_programs(void **state) {
    (void)state;
    struct arena *a = arena_open();
    int wrong = 0;
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        char *message = ask_error(ask_model(a, "sc"), bad[k].test);
        wrong += !recorded_same(bad[k].test, bad[k].message, message);
        free(message);
    }
    assert_int_equal(wrong, 0);
    arena_close(a);
}

static const char many_outcomes[] =
    "name: t\nmemory: {x: 0}\nplacements: [device]\nthreads:\n  t:\n    count: 8\n"
    "    body: |\n      x = tid;\n      int r = x;\nexists: t[0].r + t[1].r + t[2].r + t[3].r + t[4].r + "
    "t[5].r + "
    "t[6].r + t[7].r == 99\n";
static const char too_many[] =
    "name: t\nmemory: {x: 0}\nplacements: [device]\nthreads:\n  t:\n    count: 700\n"
    "    body: |\n      x = tid; x = tid; x = tid; x = tid;\nexists: x == 3\n";
static const char large_array[] =
    TEST("T0", "a: {count: 30000}, x: 0", THREAD("T0", "int r = a[x];"), "exists: r == 1");
static const char adders[] = "name: t\nmemory: {x: 0}\nplacements: [device]\nthreads:\n  t:\n    count: 40\n"
                             "    body: |\n      atomicAdd(&x, tid);\nexists: x == 781\n";

/* 300 threads of 2,048 paths each: to find them all takes seconds. */
static const char many_paths[] =
    "name: t\nmemory: {x: 0, y: 0}\nplacements: [device]\nthreads:\n  t:\n    count: 300\n    body: |\n"
    "      int r = x; if (r == 1) y = 1; r = x; if (r == 1) y = 2; r = x; if (r == 1) y = 3;\n"
    "      r = x; if (r == 1) y = 4; r = x; if (r == 1) y = 5; r = x; if (r == 1) y = 6;\n"
    "      r = x; if (r == 1) y = 7; r = x; if (r == 1) y = 8; r = x; if (r == 1) y = 9;\n"
    "      r = x; if (r == 1) y = 10; r = x; if (r == 1) y = 11;\nexists: y == 3\n";

/* Many paths, and on each of them long sums, of which it is tried out on what they depend. */
static const char long_sums[] =
    "name: t\nmemory: {x: {count: 64}}\nplacements: [device]\nthreads:\n  t:\n    count: 12\n    body: |\n"
    "      for (int i = 0; i < 40; i++) {\n        int a = x[i];\n"
    "        if (a == tid) { x[(a * 7 + tid) % 64] = a + 1; }\n"
    "        else { atomicCAS(&x[(i + a) % 64], a, tid); }\n      }\nexists: x[3] == 77\n";

/* Each of the locations may end with what either thread wrote: 2^24 ways, of one outcome or of many sums. */
#define RACING(value)                                                                                        \
    "name: t\nmemory: {x: {count: 24}}\nplacements: [device]\nthreads:\n  t:\n    count: 2\n    body: |\n"   \
    "      for (int i = 0; i < 24; i++) store(x[i], " value ", weak);\nexists: "                             \
    "x[0] + x[1] + x[2] + x[3] + x[4] + x[5] + x[6] + x[7] + x[8] + x[9] + x[10] + x[11] + x[12] + x[13] + " \
    "x[14] + x[15] + x[16] + x[17] + x[18] + x[19] + x[20] + x[21] + x[22] + x[23] == 77\n"

/* The ways in which memory may end are paid for; those that leave the same are one. */
static void test_ends(void **state) {
    (void)state;
    struct arena *a = arena_open();
    const struct model_limits limits = {.candidates = 200000};
    struct answer answer = ask(ask_model(a, "ptx"), RACING("5"), &limits);
    assert_int_equal(answer.status, MODEL_DONE);
    assert_int_equal(answer.outcomes, 1);
    answer = ask(ask_model(a, "ptx"), RACING("1 + tid"), &limits);
    assert_int_equal(answer.status, MODEL_UNKNOWN);
    assert_string_equal(answer.why, "too many candidate executions");
    arena_close(a);
}

/* 1,000 threads that sit apart: who can change places with whom takes a while to find. */
static const char many_copies[] =
    "name: t\nmemory: {x: 0}\nplacements: [device]\nthreads:\n  t:\n    count: 1000\n    body: |\n"
    "      int r = x; x = r + tid;\nexists: x == 3\n";

/* Products of 64 bits, of which each branch depends: the gates of each question take longer to make than to solve. */
static const char products[] =
    "name: t\nmemory: {x: {type: long long}, y: {type: long long}, z: {type: long long}}\n"
    "placements: [device]\nthreads:\n  t:\n    count: 2\n    body: |\n"
    "      long long r = x, s = y, u = z, p = r * s * u * r;\n"
    "      if (p * p % 77777 == 1234) y = 1;\n      if (s / (u | 1) == r * 13) z = p;\n      x = p ^ s;\n"
    "exists: x == 3\n";

/* No part of the checker looks at the clock too late. */
static void test_clock(void **state) {
    (void)state;
    struct arena *a = arena_open();
    const char *const tests[] = {many_copies, products};
    for (int k = 0; k < 2; k++) {
        double start = clock_processor();
        struct answer answer =
            ask(ask_model(a, "ptx"), tests[k], &(struct model_limits){.until = start + 0.05});
        assert_string_equal(answer.why, "timeout after 10 s of a processor");
        assert_true(clock_processor() - start < 0.5);
    }
    arena_close(a);
}

/* T1 reads in 2^16 ways what T0 writes. Whether T2 writes g is not decided to depend on f, and does not matter. */
static const char doubtful[] =
    "name: t\nmemory: {x: {count: 16}, f: {type: float}, g: {type: float}}\nplacements: [\"T0 | T1 | T2\"]\n"
    "threads:\n  T0: |\n    for (int i = 0; i < 16; i++) store(x[i], 1, weak);\n"
    "  T1: |\n    int r = 0;\n    for (int i = 0; i < 16; i++) r = 2 * r + load(x[i], weak);\n"
    "  T2: |\n    float s = f; if (s + 0.5f != 7.25f) g = 1;\nexists: r == 5\n";

/* T0 goes two ways for each number that it reads, and then stores 1: whatever was read, or if the first number is 1. */
#define WAYS(n, store)                                                                                       \
    TEST("T0 | T1", "x: 0, y: 0, p: {count: 8}, z: {count: 8}",                                              \
         THREAD("T0",                                                                                        \
                "int r = x; for (int i = 0; i < " n "; i++) { int q = p[i]; if (q + r) z[i] = 1; } " store)  \
             THREAD("T1", "int s = y; x = s;"),                                                              \
         "exists: r == 1 && s == 1")

/* Paths that are too many to be compared: it is not known what depends on what, and no compiler has to ask. It is known of
 * what stands behind a branch whose other way does nothing more. */
static void test_many_paths(void **state) {
    (void)state;
    static const struct {
        const char *test;
        bool allowed, known;
    } rows[] = {
        {WAYS("3", "y = 1;"), true, true},
        {WAYS("3", "if (r == 1) y = 1;"), false, true},
        {WAYS("8", "y = 1;"), false, false},
        {WAYS("8", "if (r == 1) y = 1;"), false, true},
    };
    struct arena *a = arena_open();
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        struct answer answer = ask(ask_model(a, "ptx"), rows[k].test, NULL);
        assert_int_equal(answer.status, rows[k].known ? MODEL_DONE : MODEL_UNKNOWN);
        if (rows[k].known) assert_int_equal(answer.allowed, rows[k].allowed);
        if (!rows[k].known)
            assert_string_equal(answer.why, "it was not decided whether something depends on what was read, "
                                            "and the answer hangs on it");
    }
    arena_close(a);
}

/* A cell that is judged twice has its two lists of outcomes compared in no time. */
static void test_doubt(void **state) {
    (void)state;
    struct arena *a = arena_open();
    double start = clock_processor();
    struct answer answer = ask(ask_model(a, "ptx"), doubtful, NULL);
    assert_int_equal(answer.status, MODEL_DONE);
    assert_int_equal(answer.outcomes, 1 << 16);
    assert_true(clock_processor() - start < 5);
    arena_close(a);
}

/* What cannot be finished is unknown, and says why. */
static void test_limits(void **state) {
    (void)state;
    struct arena *a = arena_open();
    const struct model *sc = ask_model(a, "sc");
    struct answer answer = ask(sc, many_outcomes, &(struct model_limits){.candidates = 1000});
    assert_int_equal(answer.status, MODEL_UNKNOWN);
    assert_string_equal(answer.why, "too many candidate executions");
    answer = ask(sc, many_outcomes, &(struct model_limits){.seconds = 0.01});
    assert_int_equal(answer.status, MODEL_UNKNOWN);
    assert_string_equal(answer.why, "timeout after 0.01 s");
    double start = clock_now();
    answer = ask(sc, many_paths, &(struct model_limits){.seconds = 0.05});
    assert_string_equal(answer.why, "timeout after 0.05 s");
    assert_true(clock_now() - start < 1);
    start = clock_now();
    answer = ask(sc, long_sums, &(struct model_limits){.seconds = 0.05});
    assert_string_equal(answer.why, "timeout after 0.05 s");
    assert_true(clock_now() - start < 1);
    start = clock_processor();
    answer = ask(sc, long_sums, &(struct model_limits){.until = start + 0.05});
    assert_string_equal(answer.why, "timeout after 10 s of a processor");
    assert_true(clock_processor() - start < 0.5);
    const atomic_int stop = 1;
    answer = ask(sc, many_paths, &(struct model_limits){.seconds = 1e6, .stop = &stop});
    assert_string_equal(answer.why, "interrupted");
    answer = ask(sc, many_outcomes, &(struct model_limits){.seconds = 1e6, .stop = &stop});
    assert_int_equal(answer.status, MODEL_UNKNOWN);
    assert_string_equal(answer.why, "interrupted");
    answer = ask(sc, too_many, NULL);
    assert_int_equal(answer.status, MODEL_UNKNOWN);
    assert_string_equal(answer.why, "an execution has too many events");
    answer = ask(sc, large_array, NULL);
    assert_int_equal(answer.status, MODEL_UNKNOWN);
    assert_string_equal(answer.why, "a thread has too many paths");
    answer = ask(sc, adders, NULL); /* 40! orders: seen to be hopeless */
    assert_int_equal(answer.status, MODEL_UNKNOWN);
    assert_string_equal(answer.why, "too many candidate executions");
    arena_close(a);
}

/* T0 reads from x, turns so often in a loop, and then writes y; T1 writes to x when it sees that. */
#define TURN(turns, value, then)                                                                             \
    TEST("T0 | T1", "x: 0, y: 0",                                                                            \
         THREAD("T0", "int r = load(x, relaxed, device); int i = 0; while (i < " turns                       \
                      ") i = i + 1; store(y, " value ", relaxed, device);")                                  \
             THREAD("T1", "if (load(y, relaxed, device) == 1) store(x, " then ", relaxed, device);"),        \
         "exists: r == " then)

/* The way on which y is written is cut off. That the write depends on r is shown by one other way, or by several together. */
#define APART(otherwise)                                                                                     \
    TEST("T0 | T1 | T2", "x: 0, y: 0, z: 0, u: 15, v: 0, w: 0",                                              \
         THREAD("T0", "int r = x, q = z, n = 0; if (r == 1) { y = 1; int s = u; while (n < (s & 15)) "       \
                      "{ n++; w = n; } } " otherwise) THREAD("T1", "if (y == 1) x = 1;")                     \
             THREAD("T2", "z = 1; u = 1;"),                                                                  \
         "exists: r == 1")

/* What y gets does not depend on the number of turns, also where more turns than are followed would show it; what could then
 * be seen beyond the bound makes a verdict bounded. So does a value that depends on what was read where the loop has ended: it
 * need not beyond the bound. What only several ways show together is not seen, and the verdict is bounded, which is weaker. */
static void test_cut_off(void **state) {
    (void)state;
    static const struct {
        const char *test;
        int unroll;
        bool allowed, bounded;
    } rows[] = {
        {TURN("(r & 3)", "1", "1"), 1, false, true},
        {TURN("(r & 3)", "1", "1"), 2, true, true},
        {TURN("(r & 3)", "1", "1"), 4, true, false},
        {TURN("(r & 3)", "1", "3"), 3, false, true},
        {TURN("(r & 3)", "1", "3"), 4, true, false},
        {TURN("(r & 3)", "r < 2", "2"), 3, false, true},
        {TURN("(r & 3)", "r < 2", "2"), 4, false, false},
        {TURN("r", "1", "6"), 6, false, true},
        {TURN("r", "1", "6"), 7, true, true},
        {APART("else w = 1;"), 2, false, false},
        {APART("else if (q) w = 1; else v = 1;"), 2, false, true},
    };
    struct arena *a = arena_open();
    const struct model *ptx = ask_model(a, "ptx");
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        struct answer answer = ask(ptx, rows[k].test, &(struct model_limits){.unroll = rows[k].unroll});
        if (answer.allowed != rows[k].allowed || answer.bounded != rows[k].bounded)
            print_error("%s%d turns\n", rows[k].test, rows[k].unroll);
        assert_int_equal(answer.allowed, rows[k].allowed);
        assert_int_equal(answer.bounded, rows[k].bounded);
    }
    arena_close(a);
}

/* T0 counts the turns in which it waits for x, and then writes y; T1 writes 1 to x when it sees that, and T2 writes 2. */
#define COUNT(until, n)                                                                                      \
    TEST("T0 | T1 | T2", "x: 0, y: 0",                                                                       \
         THREAD("T0", "int r = 0, n = 0; do { r = x; n++; } while (" until "); y = 1;")                      \
             THREAD("T1", "if (y == 1) x = 1;") THREAD("T2", "x = 2;"),                                      \
         "exists: r == 1" n)

/* Two lanes wait together. */
#define VOTE(until)                                                                                          \
    TEST("T0.T1 | T2 | T3", "x: 0, y: 0",                                                                    \
         THREAD("T0", "int r = 0, n = 0; do { r = x; n++; } while (" until "); y = 1;")                      \
             THREAD("T1", "int r = 0, n = 0; do { r = x; n++; } while (" until ");")                         \
                 THREAD("T2", "if (y == 1) x = 1;") THREAD("T3", "x = 2;"),                                  \
         "exists: T0.r == 1 && T0.n == 1 && T1.n == 1")

/* What comes behind a loop that may wait for ever depends on what ends it, also where its turns are counted; not so behind one
 * that ends after some turns. */
static void test_counted(void **state) {
    (void)state;
    static const struct {
        const char *test;
        bool allowed, bounded;
    } rows[] = {
        {COUNT("r == 0", ""), false, false},
        {COUNT("r == 0", " && n == 1"), false, true},
        {COUNT("r == 0 && n < 9", " && n == 1"), true, true},
        {COUNT("r == 0 && n < 3", " && n == 1"), true, false},
        {VOTE("__all_sync(~0u, r == 0)"), false, true},
        {VOTE("__all_sync(~0u, r == 0 && n < 3)"), true, false},
    };
    struct arena *a = arena_open();
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        struct answer answer = ask(ask_model(a, "ptx"), rows[k].test, &(struct model_limits){.unroll = 4});
        if (answer.allowed != rows[k].allowed || answer.bounded != rows[k].bounded)
            print_error("%s%s%s\n", rows[k].test, answer.allowed ? "allowed" : "forbidden",
                        answer.bounded ? ", bounded" : "");
        assert_int_equal(answer.allowed, rows[k].allowed);
        assert_int_equal(answer.bounded, rows[k].bounded);
    }
    arena_close(a);
}

static void test_unroll(void **state) {
    (void)state;
    static const char test[] =
        TEST("T0 | T1", "y: 0", THREAD("T0", "y = 1;") THREAD("T1", "int n = 0; while (y == 0) n += 1;"),
             "exists: n == 4");
    struct arena *a = arena_open();
    const struct model *sc = ask_model(a, "sc");
    struct answer two = ask(sc, test, &(struct model_limits){.unroll = 2});
    struct answer five = ask(sc, test, &(struct model_limits){.unroll = 5});
    assert_true(!two.allowed && two.bounded && two.outcomes == 2);
    assert_true(five.allowed && five.bounded && five.outcomes == 5);
    arena_close(a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rings),         cmocka_unit_test(test_bad_programs),
        cmocka_unit_test(test_limits),        cmocka_unit_test(test_ends),
        cmocka_unit_test(test_clock),         cmocka_unit_test(test_doubt),
        cmocka_unit_test(test_many_paths),    cmocka_unit_test(test_unroll),
        cmocka_unit_test(test_cut_off),       cmocka_unit_test(test_halted),
        cmocka_unit_test(test_behind_a_loop), cmocka_unit_test(test_counted)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
