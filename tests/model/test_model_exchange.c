/* What lanes give each other is there at once, and orders no memory; a block's reduction orders it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "ask.h"

#define LANES(n, body, condition)                                                                            \
    "name: test\nmemory: {x: 0, y: 0}\naccess: weak\nplacements: [warp]\nthreads:\n"                         \
    "  T:\n    count: " #n "\n    body: |\n      " body "\n" condition "\n"

static const struct model *ptx;

static struct answer asked(const char *yaml) {
    struct answer r = ask(ptx, yaml, NULL);
    assert_int_equal(r.status, MODEL_DONE);
    return r;
}

static void values_are_exchanged(void **state) {
    (void)state;
    static const char *const always[] = {
        LANES(4, "int r = __shfl_sync(0xffffffff, 10 + tid, 2);", "forall: T[0].r == 12 && T[3].r == 12"),
        LANES(4, "int r = __shfl_sync(0xffffffff, 10 + tid, 1, 2);", "forall: T[0].r == 11 && T[3].r == 13"),
        LANES(3, "int r = __shfl_up_sync(0xffffffff, tid, 1);",
              "forall: T[0].r == 0 && T[1].r == 0 && T[2].r == 1"),
        LANES(3, "int r = __shfl_down_sync(0xffffffff, tid, 2);",
              "forall: T[0].r == 2 && T[1].r == 1 && T[2].r == 2"),
        LANES(3, "int r = __shfl_xor_sync(0xffffffff, tid, 1);",
              "forall: T[0].r == 1 && T[1].r == 0 && T[2].r == 2"),
        LANES(3, "unsigned r = __ballot_sync(0xffffffff, tid != 1);", "forall: T[0].r == 5 && T[1].r == 5"),
        LANES(3, "int r = __any_sync(-1, tid == 1), s = __all_sync(-1, tid == 1);",
              "forall: T[0].r == 1 && T[2].s == 0"),
        LANES(3,
              "int r = __uni_sync(-1, tid == 1), s = __uni_sync(-1, tid < 0), u = __uni_sync(-1, 1 + tid);",
              "forall: T[0].r == 0 && T[1].r == 0 && T[1].s == 1 && T[2].u == 1"),
        LANES(4, "unsigned r = __match_any_sync(-1, tid & 1);", "forall: T[0].r == 5 && T[1].r == 10"),
        LANES(3, "int r = __reduce_max_sync(-1, -tid), s = __reduce_xor_sync(-1, 1 << tid);",
              "forall: T[1].r == 0 && T[1].s == 7"),
        LANES(3, "long long r = __shfl_sync(-1, (1ll << 40) - tid, 2);", "forall: T[0].r == (1ll << 40) - 2"),
        LANES(3, "int r = 0; if (tid) r = __reduce_add_sync(6, tid);", "forall: T[0].r == 0 && T[2].r == 3"),
    };
    for (size_t k = 0; k < sizeof always / sizeof *always; k++) {
        struct answer r = asked(always[k]);
        assert_true(r.holds);
        assert_int_equal(r.executions, 1);
    }
}

/* All lanes of a warp give each other what they have, and give on what came of it. */
static void whole_warps_reduce(void **state) {
    (void)state;
    struct answer r =
        asked(LANES(32, "int v = __reduce_add_sync(-1, tid); int r = __reduce_max_sync(-1, v + tid);",
                    "forall: T[0].r == 527 && T[31].r == 527 && T[7].v == 496"));
    assert_true(r.holds);
    assert_int_equal(r.executions, 1);
    assert_true(
        asked(LANES(32, "int r = __all_sync(-1, tid != 9); if (tid == 3) x = r + 1;", "forall: x == 1"))
            .holds);
}

static void what_was_read_travels(void **state) {
    (void)state;
    struct answer r =
        asked(LANES(2, "int v = 0, r; if (tid == 0) x = 1; else v = x; r = __shfl_sync(-1, v, 1);",
                    "exists: T[0].r == 1"));
    assert_true(r.allowed);
    assert_int_equal(r.outcomes, 2);
    assert_int_equal(r.executions, 2);
}

/* A mask that was computed: those meet that it has, and a lane that it does not have goes on. */
static void masks_are_computed(void **state) {
    (void)state;
    struct answer r = asked(LANES(3,
                                  "unsigned m = __ballot_sync(-1, tid != 1); int r = -1; "
                                  "if (tid != 1) r = __shfl_sync(m, tid, __ffs(m & 6) - 1);",
                                  "forall: T[0].r == 2 && T[1].r == -1 && T[2].r == 2"));
    assert_true(r.holds);
}

/* Lanes are active together as the GPU likes. Those who are together know the same lanes, and all have come. */
static void active_lanes_are_any(void **state) {
    (void)state;
    struct answer r =
        asked(LANES(3, "unsigned m = __activemask();",
                    "forall: T[0].m & 1 && (T[0].m == 7) == (T[2].m == 7) && (T[0].m == 3) == (T[1].m == "
                    "3)"));
    assert_true(r.holds);
    assert_int_equal(r.outcomes, 5); /* as many as three lanes can be parted */
    r = asked(LANES(2, "unsigned m = 0; if (tid == 0) m = __activemask(); else m = __activemask();",
                    "forall: T[0].m == 1 && T[1].m == 2"));
    assert_true(r.holds);
    r = asked(LANES(2, "unsigned m = 0; if (tid == 0) return; m = __activemask();", "exists: T[1].m != 2"));
    assert_false(r.allowed);
    r = asked(LANES(2, "int r = 0; if (tid == 0) x = 1; unsigned m = __activemask(); if (tid == 1) r = x;",
                    "exists: T[1].m == 3 && T[1].r == 0"));
    assert_true(r.allowed); /* it orders no memory */
    r = asked(
        LANES(3,
              "unsigned m = __activemask(); int at = 0, leader = __ffs(m) - 1; if (tid == leader) at = "
              "atomicAdd(&x, __popc(m)); at = __shfl_sync(m, at, leader) + __popc(m & ((1u << tid) - 1));",
              "forall: x == 3 && T[0].at != T[1].at && T[1].at != T[2].at && T[0].at != T[2].at"));
    assert_true(r.holds);
}

/* A lane that has exited votes for nothing; what a shuffle takes from it is not defined. */
static void exited_lanes_do_not_vote(void **state) {
    (void)state;
    struct answer r = asked(LANES(2, "int r = 0; if (tid == 0) r = __all_sync(3, 1) + 2 * __any_sync(3, 0);",
                                  "forall: T[0].r == 1"));
    assert_true(r.holds);
    assert_int_equal(r.outcomes, 1);
}

/* Then nothing is forbidden. */
static void shuffles_from_exited_lanes_are_not_defined(void **state) {
    (void)state;
    static const char *const undefined[] = {
        LANES(2, "int r = 0; if (tid == 0) r = __shfl_sync(3, 1, 1);", "exists: T[0].r == 7"),
        LANES(2, "int r = 0; if (tid == 0) { r = __shfl_sync(3, 1, 1); while (r != 5); }", "exists: x == 7"),
        LANES(2,
              "int r = 0, s = x; if (tid == 0) x = 1; if (tid == 1 && s == 1) return; r = __shfl_xor_sync(3, "
              "tid, 1);",
              "exists: T[0].r == 7"),
    };
    for (size_t k = 0; k < sizeof undefined / sizeof *undefined; k++) {
        struct answer r = ask(ptx, undefined[k], NULL);
        assert_int_equal(r.status, MODEL_UNKNOWN);
        assert_string_equal(r.why,
                            "a shuffle takes from a lane that has exited, and its value is not defined");
    }
    assert_false(
        asked(LANES(2, "int r = 0; if (tid == 0) r = __shfl_sync(3, 1, 0);", "exists: T[0].r == 7")).allowed);
    assert_false(asked(LANES(2,
                             "int r = 0, s = x; if (tid == 0) x = 2; if (tid == 1 && s == 1) return; "
                             "r = __shfl_xor_sync(3, tid, 1);",
                             "exists: T[0].r == 7"))
                     .allowed);
}

/* Nor does it take part in a match or a reduction. A lane that has come does. */
static void exited_lanes_change_no_result(void **state) {
    (void)state;
#define OF_TWO(call, result)                                                                                 \
    LANES(3, "unsigned r = 0, p = 9; if (tid == 1) return; r = " call ";",                                   \
          "forall: T[0].r == " result " && T[2].r == " result)
    static const char *const always[] = {
        OF_TWO("__match_any_sync(-1, 0)", "5"),
        OF_TWO("__match_all_sync(-1, 0, &p)", "5"),
        OF_TWO("__match_all_sync(-1, tid, &p)", "0"),
        OF_TWO("__ballot_sync(-1, 1)", "5"),
        OF_TWO("__uni_sync(-1, tid != 1)", "1"),
        OF_TWO("__uni_sync(-1, tid == 1)", "1"),
        OF_TWO("__uni_sync(-1, tid)", "0"),
        OF_TWO("__reduce_add_sync(-1, tid + 1)", "4"),
        OF_TWO("__reduce_min_sync(-1, tid + 7)", "7"),
        OF_TWO("__reduce_min_sync(-1, ~0u - tid)", "4294967293u"),
        OF_TWO("__reduce_max_sync(-1, (int)tid - 7)", "4294967291u"),
        OF_TWO("__reduce_max_sync(-1, tid + 7u)", "9"),
        OF_TWO("__reduce_and_sync(-1, tid + 5)", "5"),
        OF_TWO("__reduce_or_sync(-1, tid + 1)", "3"),
        OF_TWO("__reduce_xor_sync(-1, tid + 1)", "2"),
    };
    for (size_t k = 0; k < sizeof always / sizeof *always; k++) {
        struct answer r = asked(always[k]);
        assert_true(r.holds);
        assert_int_equal(r.outcomes, 1);
    }
}

/* Two lanes wait for a flag that another thread sets behind its message. */
#define WAITING(poll, condition)                                                                             \
    "name: test\nmemory: {x: 0, flag: 0}\naccess: volatile\nplacements: [\"T[0].T[1] | U\"]\nthreads:\n"     \
    "  T:\n    count: 2\n    body: |\n      int v = 0, n = 0; " poll " __threadfence(); int r = x;\n"        \
    "  U: |\n    x = 1; __threadfence(); flag = 1;\n" condition "\n"

/* A poll of all lanes is one of one turn, so the answer is not bounded. */
static void lanes_poll_together(void **state) {
    (void)state;
    static const struct {
        const char *text;
        bool half; /* one lane may go on that has not seen the flag itself */
    } polls[] = {
        {"while (__any_sync(~0u, flag == 0));", false},
        {"while (!__all_sync(3, flag == 1)) n++;", false},
        {"do { v = flag; } while (__all_sync(3, v == 0));", true},
        {"do { v = flag; __syncwarp(); } while (__ballot_sync(-1, v == 1) != 3);", false},
        {"while (true) { v = flag; if (__reduce_min_sync(-1, v) == 1) break; __nanosleep(20); }", false},
        {"while (__shfl_sync(-1, flag, 1) == 0);", true},
        {"while (!__syncthreads_and(flag));", false},
        {"while (__syncthreads_count(flag) < 2) __syncwarp();", false},
        {"do { if (tid == 0) v = flag; else v = 1; __threadfence(); } while (__syncthreads_or(v == 0));",
         false},
        {"int m = __match_all_sync(3, 1, &n); while (__any_sync(m, flag == 0));", false},
        {"while (__any_sync(-1, flag == 0)); n = __any_sync(-1, 1); while (__any_sync(-1, flag == 0));",
         false},
    };
    for (size_t k = 0; k < sizeof polls / sizeof *polls; k++) {
        char yaml[600];
        snprintf(yaml, sizeof yaml, WAITING("%s", "exists: T[0].r == 0 || T[1].r == 0"), polls[k].text);
        struct answer r = asked(yaml);
        if (r.bounded || r.allowed != polls[k].half) print_error("%s\n", polls[k].text);
        assert_false(r.bounded);
        assert_int_equal(r.allowed, polls[k].half);
        assert_false(ask(ptx, yaml, &(struct model_limits){.unroll = 1}).bounded);
    }
}

/* Where not all leave a loop together, or a turn matters to one of them, no turn is left out. */
static void some_lanes_poll_alone(void **state) {
    (void)state;
#define SEEN(poll, what) asked(WAITING(poll, "exists: " what)).allowed
    /* each leaves by what it has read: the last vote may be of one lane alone */
    assert_true(
        SEEN("do { v = flag; n = __ballot_sync(-1, v); } while (v == 0);", "T[0].n == 1 && T[1].n == 2"));
    assert_false(
        SEEN("do { v = flag; n = __ballot_sync(-1, v); } while (n == 0);", "T[0].n == 1 && T[1].n == 2"));
    /* one lane has voted before */
    assert_true(
        SEEN("if (tid == 1) n = __any_sync(-1, 0); while (__any_sync(-1, flag == 0));", "T[1].n == 1"));
    assert_false(SEEN("n = __any_sync(-1, 0); while (__any_sync(-1, flag == 0));", "T[1].n == 1"));
    /* a turn is counted, or a lane has written in it */
    assert_true(SEEN("while (__any_sync(-1, flag == 0)) n++;", "T[1].n == 2"));
    assert_true(SEEN("while (__any_sync(-1, flag == 0)) { if (tid == 0) x = 7; }", "T[1].r == 7"));
    /* what was read in one turn matters in the next */
    assert_true(SEEN("do { n = v; v = flag; } while (__any_sync(-1, v == 0));", "T[0].n == 1"));
}

#define TILE(size) "auto tile = cg::tiled_partition<" size ">(cg::this_thread_block());"

/* So is a poll of the lanes of a tile, one of two in a warp. Where the lanes of one do not leave it together, it is none. */
static void tiles_poll_together(void **state) {
    (void)state;
    static const struct {
        const char *text;
        bool half, bounded;
    } polls[] = {
        {"while (tile.any(flag == 0));", false, false},
        {"while (tile.ballot(flag == 0));", false, false},
        {"do { v = tile.any(flag == 0) + (tile.ballot(flag == 1) != 3); } while (v);", false, false},
        {"while (cg::reduce(tile, flag, cg::plus<int>()) == 0);", true, false},
        {"while (tile.shfl(flag, 1) == 0);", true, false},
        {"while (tile.shfl(flag, tile.thread_rank()) == 0);", false, true},
        {"while (__shfl_sync(3 << (threadIdx.x & 2), flag, 3) == 0);", true, false},
    };
    for (size_t k = 0; k < sizeof polls / sizeof *polls; k++) {
        char yaml[600];
        snprintf(yaml, sizeof yaml,
                 "name: test\nmemory: {x: 0, flag: 0}\naccess: volatile\nplacements: [device]\nthreads:\n"
                 "  T:\n    block: 4\n    body: |\n      " TILE(
                     "2") " int v = 0;\n"
                          "      if (threadIdx.x > 1) { %s }\n      __threadfence(); int r = x;\n"
                          "  U: |\n    x = 1; __threadfence(); flag = 1;\nexists: T[0][2].r == 0 || "
                          "T[0][3].r == 0\n",
                 polls[k].text);
        struct answer r = asked(yaml);
        bool right = r.bounded == polls[k].bounded && r.allowed == polls[k].half;
        assert_string_equal(right ? "" : polls[k].text, "");
    }
}

/* A scan whose tiles look back over a window of as many tiles as they have lanes, those of a warp or of a tile. */
static void windows_look_back(void **state) {
    (void)state;
    static const int sizes[][2] = {{3, 2}, {4, 2}, {5, 2}, {4, 4}, {3, 16}};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        for (int fault = 0; fault < 2; fault++) {
            int tiles = sizes[k][0], lanes = sizes[k][1];
            const char *of = k < 2 ? "__" : "tile.", *with = k < 2 ? "_sync(-1, " : "(";
            char yaml[1200];
            snprintf(
                yaml, sizeof yaml,
                "name: test\nmemory: {state: {count: %d}}\naccess: relaxed\nplacements: [device]\nthreads:\n"
                "  T:\n    grid: %d\n    block: %d\n    body: |\n"
                "      " TILE(
                    "%d") "\n      int lane = threadIdx.x, me = blockIdx.x, at = me - 1 - lane, sum = "
                          "1;\n"
                          "      if (lane == 0) state[me] = me == 0 ? 6 : 5;\n"
                          "      if (me == 0) return;\n"
                          "      while (true) {\n"
                          "        int s;\n"
                          "        do { s = at >= 0 ? state[at] : 2; } while (%s%s%s(s & 3) == 0));\n"
                          "        unsigned known = %sballot%s(s & 3) == 2);\n"
                          "        int first = __ffs(known) - 1;\n"
                          "        sum += __reduce_add_sync(-1, first < 0 || lane <= first ? s >> 2 : 0);\n"
                          "        if (known) break;\n"
                          "        at -= %d;\n"
                          "      }\n"
                          "      if (lane == 0) state[me] = sum << 2 | 2;\n"
                          "forall: state[%d] == %d\n",
                tiles, tiles, lanes, lanes, of, fault ? "all" : "any", with, of, with, lanes, tiles - 1,
                tiles * 4 + 2);
            struct answer r = asked(yaml);
            assert_false(r.bounded);
            assert_int_equal(r.holds, !fault);
        }
}

/* What a lane gives that has come is not what an absent one counts as, also where a branch does not fit it. */
static void votes_of_lanes_that_come_count(void **state) {
    (void)state;
    assert_false(
        asked(LANES(2, "int r = 0; if (__all_sync(-1, tid != 1)) r = 1;", "exists: T[0].r == 1")).allowed);
    assert_true(asked(LANES(2, "int r = 0; if (tid == 1) return; if (__all_sync(-1, tid != 1)) r = 1;",
                            "forall: T[0].r == 1"))
                    .holds);
    assert_false(
        asked(LANES(2, "int r = 0; if (!__any_sync(-1, tid == 1)) r = 1;", "exists: T[0].r == 1")).allowed);
    assert_true(asked(LANES(2, "int r = 0; if (tid == 1) return; if (!__any_sync(-1, tid == 1)) r = 1;",
                            "forall: T[0].r == 1"))
                    .holds);
}

static void exchanges_order_nothing(void **state) {
    (void)state;
#define PASSED(exchange)                                                                                     \
    LANES(2, "int s = 1; if (tid == 0) x = 1; " exchange " if (tid == 1) s = x;", "exists: T[1].s == 0")
    assert_true(asked(PASSED("int r = __shfl_sync(-1, tid, 0);")).allowed);
    assert_true(asked(PASSED("int r = __ballot_sync(-1, 1);")).allowed);
    assert_false(asked(PASSED("__syncwarp();")).allowed);
    assert_false(asked(PASSED("__syncwarp(3);")).allowed);
    assert_false(asked(PASSED("int r = __shfl_sync(-1, tid, 0); __syncwarp();")).allowed);
}

static void reductions_of_a_block_order_memory(void **state) {
    (void)state;
    static const char *const calls[] = {"__syncthreads_count", "__syncthreads_or", "__syncthreads_and"};
    for (int k = 0; k < 3; k++) {
        char yaml[400];
        snprintf(yaml, sizeof yaml,
                 "name: test\nmemory: {x: 0}\naccess: weak\nplacements: [block]\nthreads:\n"
                 "  T:\n    count: 2\n    body: |\n      if (tid == 0) x = 1;\n      int r = %s(tid);\n"
                 "      int s = x;\nforall: T[1].s == 1 && T[0].r == %d && T[1].r == %d\n",
                 calls[k], k < 2, k < 2);
        assert_true(asked(yaml).holds);
    }
}

/* bar.red in a table: those meet that name the barrier, and each gives its predicate. */
static void reductions_have_ids(void **state) {
    (void)state;
#define PAIRS(what)                                                                                          \
    "name: test\nmemory: {x: 0}\nplacements: [block]\nthreads:\n  T:\n    count: 4\n    body: |\n      int " \
    "r = 0;"                                                                                                 \
    "\n      if (tid < 2)\n        asm volatile(\"{ .reg .pred p; setp.eq.s32 p, %1, 1; bar.red.popc.u32 "   \
    "%0, 1, "                                                                                                \
    "64, p; }\" : \"=r\"(r) : \"r\"(tid));\n      else\n        asm volatile(\"{ .reg .pred p; setp.ge.s32 " \
    "p, "                                                                                                    \
    "%1, 2; bar.red.popc.u32 %0, 2, 64, p; }\" : \"=r\"(r) : \"r\"(tid));\n" what "\n"
    assert_true(asked(PAIRS("forall: T[0].r == 1 && T[1].r == 1 && T[2].r == 2 && T[3].r == 2")).holds);
}

/* No value comes out of nothing: what is read cannot be what the exchange of what was read makes of it. */
static void no_thin_air(void **state) {
    (void)state;
    struct answer r =
        asked(LANES(2, "int v = 0, r; if (tid == 0) v = x; r = __shfl_sync(-1, v, 0); if (tid == 1) x = r;",
                    "exists: T[0].v != 0"));
    assert_false(r.allowed);
    /* also where a branch depends on a number of 64 bits, which travels in two halves */
    r = asked("name: test\nmemory: {y: {type: int64_t}}\naccess: weak\nplacements: [T0.T1]\nthreads:\n"
              "  T0: |\n    int64_t r = y; int64_t s = __shfl_xor_sync(3, r, 1);\n"
              "  T1: |\n    int64_t r = __shfl_xor_sync(3, 7ll, 1);\n"
              "    if (r == -8589934594) y = -8589934594;\n"
              "exists: T0.r == -8589934594\n");
    assert_false(r.allowed);
}

/* A lane may get what another one has read of a write that comes behind the exchange: nothing orders them. */
static void what_is_given_is_no_memory(void **state) {
    (void)state;
    struct answer r =
        asked("name: test\nmemory: {x: 0}\nplacements: [T0.T1]\nthreads:\n"
              "  T0: |\n    int r = __shfl_xor_sync(3, 5, 1); store(x, 1, release, block);\n"
              "  T1: |\n    int r = load(x, acquire, block); int s = __shfl_xor_sync(3, r, 1);\n"
              "exists: T0.r == 1\n");
    assert_true(r.allowed);
    assert_int_equal(r.outcomes, 2);
}

int main(void) {
    struct arena *a = arena_open();
    ptx = ask_model(a, "ptx");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_exchanged),
        cmocka_unit_test(whole_warps_reduce),
        cmocka_unit_test(what_was_read_travels),
        cmocka_unit_test(masks_are_computed),
        cmocka_unit_test(active_lanes_are_any),
        cmocka_unit_test(exited_lanes_do_not_vote),
        cmocka_unit_test(exited_lanes_change_no_result),
        cmocka_unit_test(shuffles_from_exited_lanes_are_not_defined),
        cmocka_unit_test(lanes_poll_together),
        cmocka_unit_test(some_lanes_poll_alone),
        cmocka_unit_test(tiles_poll_together),
        cmocka_unit_test(windows_look_back),
        cmocka_unit_test(votes_of_lanes_that_come_count),
        cmocka_unit_test(exchanges_order_nothing),
        cmocka_unit_test(reductions_of_a_block_order_memory),
        cmocka_unit_test(reductions_have_ids),
        cmocka_unit_test(no_thin_air),
        cmocka_unit_test(what_is_given_is_no_memory),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    arena_close(a);
    return failed;
}
