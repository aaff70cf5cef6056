/* Machine code is held against the test: what passes, and what each kind of wrong code is told to be. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "program_ways.h"
#include "verified.h"

static const char releasing[] = "name: rel\n"
                                "memory: {X: 0, Y: 0, S: {space: shared}}\n"
                                "placements: [block]\n"
                                "threads:\n"
                                "  P0: |\n    X = 1; fence(); store(Y, 1, release, system); S = 1;\n"
                                "  P1: |\n    int a = X; __syncthreads(); int b = atomicSub(&Y, 1); S = 2;\n"
                                "exists: P1.a == 1 && P1.b == 0\n";

/* Instructions at an address, of the line after the unit's first that defines operation n; op 4 is `S = 1`. */
#define AT(address, name, line)                                                                              \
    {name, "", "", address, line, -1, -1, true, false, false, NULL, NULL, 0, 0, 0},
#define STOP                       {"EXIT", "", "", "00f0", 0, -1, -1, false, false, false, NULL, NULL, 0, 0, 0},
#define FIRST(address, name, line) STOP AT(address, name, line)
#define IF(guard, address, name, line)                                                                       \
    {name, "", guard, address, line, -1, -1, true, false, false, NULL, NULL, 0, 0, 0},
#define ON(address, name, operands, line)                                                                    \
    {name, operands, "", address, line, -1, -1, true, false, false, NULL, NULL, 0, 0, 0},
#define CALLS(address, function, line)                                                                       \
    {"CALL.REL.NOINC", "", "", address, line, function, -1, true, false, false, NULL, NULL, 0, 0, 0},

#define M_X       AT("0010", "STG.E.STRONG.SYS", 2)
#define M_FENCE   AT("0020", "MEMBAR.SC.GPU", 3) AT("0030", "ERRBAR", 3)
#define M_MEMBAR  AT("0040", "MEMBAR.ALL.SYS", 9)
#define M_Y       AT("0050", "STG.E.STRONG.SYS", 4)
#define M_S       IF("@P0", "0060", "STS", 5)
#define M_READ_X  IF("@!P0", "0070", "LDG.E.STRONG.SYS", 6)
#define M_BARRIER AT("0080", "BAR.SYNC.DEFER_BLOCKING", 7)
#define M_SUB     AT("0090", "ATOMG.E.ADD.S32.STRONG.GPU", 8)
#define M_S_2     AT("00a0", "STS", 9)
#define M_OTHER   AT("00b0", "LDG.E", 77)
#define M_P0      M_X M_FENCE M_MEMBAR M_Y M_S
#define M_P1      M_READ_X M_BARRIER M_SUB M_S_2

#define KERNEL(...)                                                                                          \
    (const struct sass_kernel) {                                                                             \
        (struct sass_instruction[]){__VA_ARGS__},                                                            \
            sizeof((struct sass_instruction[]){__VA_ARGS__}) / sizeof(struct sass_instruction)               \
    }
#define verify_machine(fence, ...) verify_kernel(fence, &KERNEL(__VA_ARGS__))

/* What is wrong with machine code of a cell, whose PTX is its program. */
static const char *verify_cell(struct cell_result *c, const char *unit, const struct sass_kernel *kernel) {
    struct ways ways = program_ways(c->t, &c->cell);
    bool fine = verify_sass(c->t, &c->cell, unit, kernel, &ways, &c->d);
    ways_free(&ways);
    return cell_close(c, fine);
}

/* The line of a unit that defines an operation. */
#define DEFINED(op) "{ asm(\"; // op " op "\" ::); }\n"

static const char *verify_kernel(const char *fence, const struct sass_kernel *kernel) {
    static const char unit[] = "/* a unit */\n" DEFINED("1") DEFINED("2") DEFINED("3") DEFINED("4")
        DEFINED("5") DEFINED("6") DEFINED("7") DEFINED("8");
    struct cell_result c;
    cell_open(&c, releasing, fence);
    return verify_cell(&c, unit, kernel);
}

static void machine_code_of_the_test_passes(void **state) {
    (void)state;
    assert_null(verify_machine("device", M_P0 M_P1));
    assert_null(verify_machine("device", M_OTHER M_P1 M_OTHER M_P0 M_P1));
    assert_null(verify_machine("device", M_X M_FENCE FIRST("0040", "MEMBAR.ALL.SYS", 9) M_Y M_S M_P1));
    assert_null(verify_machine("device", M_X M_READ_X M_FENCE M_BARRIER M_SUB M_MEMBAR M_Y M_S M_S_2));
    assert_null(
        verify_machine("device", STOP M_MEMBAR M_Y M_S FIRST("0010", "STG.E.STRONG.SYS", 2) M_FENCE M_P1));
}

static const char branching[] = "name: if\nmemory: {X: 0}\nplacements: [block]\nthreads:\n"
                                "  P0: |\n    int a = X; if (a == 1) { X = 2; } else { X = 3; } int b = X;\n"
                                "exists: b == 2\n";

static void the_branches_of_an_if_may_be_under_conditions(void **state) {
    (void)state;
    static const char unit[] = DEFINED("1") DEFINED("2") DEFINED("3") DEFINED("4");
    const struct sass_kernel branches =
        KERNEL(AT("0010", "LDG.E.STRONG.SYS", 1) IF("@P0", "0020", "STG.E.STRONG.SYS", 2)
                   IF("@!P0", "0030", "STG.E.STRONG.SYS", 3) AT("0040", "LDG.E.STRONG.SYS", 4));
    const struct sass_kernel both =
        KERNEL(AT("0010", "LDG.E.STRONG.SYS", 1) AT("0020", "STG.E.STRONG.SYS", 2)
                   IF("@!P0", "0030", "STG.E.STRONG.SYS", 3) AT("0040", "LDG.E.STRONG.SYS", 4));
    struct cell_result c;
    cell_open(&c, branching, "as-written");
    assert_null(verify_cell(&c, unit, &branches));
    cell_open(&c, branching, "as-written");
    assert_string_equal(
        verify_cell(&c, unit, &both),
        "op 3 (st.volatile.global.s32) at 0030 comes after op 2 (st.volatile.global.s32), which the "
        "program does not allow");
}

static void merged_accesses_are_told(void **state) {
    (void)state;
    assert_string_equal(verify_machine("device", M_X M_FENCE M_MEMBAR M_Y M_P1),
                        "op 4 (st.volatile.shared.s32) is missing in the machine code");
    assert_string_equal(verify_machine("device", M_P0 M_BARRIER M_SUB M_S_2),
                        "op 5 (ld.volatile.global.s32) is missing in the machine code");
}

static void wrong_strengths_of_machine_code_are_told(void **state) {
    (void)state;
    assert_string_equal(verify_machine("device", AT("0010", "STG.E", 2) M_FENCE M_MEMBAR M_Y M_S M_P1),
                        "op 1 (st.volatile.global.s32) is STG.E at 0010");
    assert_string_equal(verify_machine("block", M_P0 M_P1),
                        "op 2 (fence.sc.cta) is missing in the machine code");
    assert_string_equal(verify_machine("device", M_X AT("0020", "MEMBAR.ALL.GPU", 3) M_MEMBAR M_Y M_S M_P1),
                        "op 2 (fence.sc.gpu) is missing in the machine code");
    assert_string_equal(
        verify_machine("device", M_P0 M_READ_X AT("0090", "ATOMG.E.ADD.S32.STRONG.SM", 8) M_S_2),
        "op 7 (atom.relaxed.gpu.global.add.s32) is ATOMG.E.ADD.S32.STRONG.SM at 0090");
    assert_string_equal(
        verify_machine("device", M_P0 M_READ_X AT("0090", "ATOMG.E.EXCH.STRONG.GPU", 8) M_S_2),
        "op 7 (atom.relaxed.gpu.global.add.s32) is ATOMG.E.EXCH.STRONG.GPU at 0090");
    assert_string_equal(
        verify_machine("device", M_X M_FENCE M_Y M_S M_P1),
        "op 3 (st.release.sys.global.s32) is STG.E.STRONG.SYS at 0050 without a fence before it");
}

static void reordered_machine_code_is_told(void **state) {
    (void)state;
    assert_string_equal(
        verify_machine("device", M_FENCE M_X M_MEMBAR M_Y M_S M_P1),
        "op 1 (st.volatile.global.s32) at 0010 comes after op 2 (fence.sc.gpu), which the program does "
        "not allow");
    assert_string_equal(
        verify_machine("device", M_P0 M_READ_X M_SUB M_BARRIER M_S_2),
        "op 7 (atom.relaxed.gpu.global.add.s32) at 0090 comes after op 5 (ld.volatile.global.s32), which the "
        "program does not allow");
    assert_string_equal(
        verify_machine("device", M_P0 M_READ_X M_S_2 M_BARRIER M_SUB),
        "op 8 (st.volatile.shared.s32) at 00a0 comes first, which the program does not allow");
}

/* ---- barriers in machine code ---- */

static const char meeting[] = "name: meet\n"
                              "memory: {X: 0}\n"
                              "placements: [block]\n"
                              "threads:\n"
                              "  P0: |\n    X = 1; asm volatile(\"bar.arrive 1, 64;\" ::: \"memory\");\n"
                              "    int n = __syncthreads_and(1);\n"
                              "  P1: |\n    asm volatile(\"bar.sync 1, 64;\" ::: \"memory\"); int a = X;\n"
                              "    int n = __syncthreads_and(a); __syncwarp();\n"
                              "exists: P1.a == 0\n";

static const char clusters[] = "name: cluster\n"
                               "memory: {X: 0}\n"
                               "placements: [cluster]\n"
                               "threads:\n"
                               "  P0: |\n    X = 1; __cluster_barrier_arrive(); __cluster_barrier_wait();\n"
                               "  P1: |\n    cluster_sync(); int a = X;\n"
                               "exists: P1.a == 0\n";

static const char *verify_barriers(const char *yaml, const struct sass_kernel *kernel) {
    static const char unit[] =
        DEFINED("1") DEFINED("2") DEFINED("3") DEFINED("4") DEFINED("5") DEFINED("6") DEFINED("7");
    struct cell_result c;
    cell_open(&c, yaml, "as-written");
    return verify_cell(&c, unit, kernel);
}

#define verify_meeting(...) verify_barriers(meeting, &KERNEL(__VA_ARGS__))
#define verify_cluster(...) verify_barriers(clusters, &KERNEL(__VA_ARGS__))

/* The assembler moves an access over those of another state space, as PTX lets it: not over a release or an acquire. */
static void accesses_of_two_state_spaces_may_change_places(void **state) {
    (void)state;
    static const char yaml[] = "name: spaces\nmemory: {X: 0, Y: 0, S: {space: shared}}\nplacements: [block]\n"
                               "threads:\n  P0: |\n    S = 1; int a = atomicCAS(&X, 0, 5); S = 2; "
                               "store(Y, 1, release, device); S = 3;\n"
                               "exists: X == 1\n";
#define S_1       AT("0010", "STS", 1)
#define S_CAS     AT("0020", "ATOMG.E.CAS.STRONG.GPU", 2)
#define S_2       AT("0030", "STS", 3)
#define S_RELEASE AT("0040", "MEMBAR.ALL.GPU", 4) AT("0050", "STG.E.STRONG.GPU", 4)
#define S_3       AT("0060", "STS", 5)
    assert_null(verify_barriers(yaml, &KERNEL(S_1 S_CAS S_2 S_RELEASE S_3)));
    assert_null(verify_barriers(yaml, &KERNEL(S_CAS S_1 S_2 S_RELEASE S_3)));
    assert_null(verify_barriers(yaml, &KERNEL(S_1 S_2 S_CAS S_RELEASE S_3)));
    assert_string_equal(verify_barriers(yaml, &KERNEL(S_1 S_CAS S_RELEASE S_2 S_3)),
                        "op 4 (st.release.gpu.global.s32) at 0050 comes after op 1 (st.volatile.shared.s32), "
                        "which the program does not allow");
    assert_string_equal(verify_barriers(yaml, &KERNEL(S_CAS S_2 S_1 S_RELEASE S_3)),
                        "op 1 (st.volatile.shared.s32) at 0010 comes after op 3 (st.volatile.shared.s32), "
                        "which the program does not allow");
    assert_string_equal(
        verify_barriers(yaml, &KERNEL(S_1 S_2 S_RELEASE S_CAS S_3)),
        "op 4 (st.release.gpu.global.s32) at 0050 comes first, which the program does not allow");
}

/* The assembler may move accesses over a fence of other state spaces. */
static void a_fence_of_some_spaces_keeps_their_accesses_in_place(void **state) {
    (void)state;
    static const char yaml[] =
        "name: spaces\nmemory: {X: 0, Y: 0, S: {space: shared}}\nplacements: [block]\n"
        "threads:\n  P0: |\n    S = 1; X = 1; "
        "asm volatile(\"fence.proxy.async.shared::cta;\" ::: \"memory\"); Y = 1; int a = S;\n"
        "exists: X == 1\n";
#define F_S     AT("0010", "STS", 1)
#define F_X     AT("0020", "STG.E.STRONG.SYS", 2)
#define F_FENCE AT("0030", "FENCE.VIEW.ASYNC.S", 3)
#define F_Y     AT("0040", "STG.E.STRONG.SYS", 4)
#define F_READ  AT("0050", "LDS", 5)
    assert_null(verify_barriers(yaml, &KERNEL(F_S F_X F_FENCE F_Y F_READ)));
    assert_null(verify_barriers(yaml, &KERNEL(F_S F_FENCE F_X F_Y F_READ)));
    assert_string_equal(verify_barriers(yaml, &KERNEL(F_FENCE F_S F_X F_Y F_READ)),
                        "op 1 (st.volatile.shared.s32) at 0010 comes after op 3 "
                        "(fence.proxy.async.shared::cta), which the program does not allow");
    assert_string_equal(
        verify_barriers(yaml, &KERNEL(F_S F_FENCE F_Y F_X F_READ)),
        "op 4 (st.volatile.global.s32) at 0040 comes first, which the program does not allow");
}

#define B_X      AT("0010", "STG.E.STRONG.SYS", 1)
#define B_ARRIVE ON("0020", "BAR.ARV", "R8, 0x40", 2)
#define B_AND    ON("0030", "BAR.RED.AND.DEFER_BLOCKING", "0x0, P0", 3)
#define B_SYNC   ON("0040", "BAR.SYNC.DEFER_BLOCKING", "0x1, 0x40", 4)
#define B_READ   AT("0050", "LDG.E.STRONG.SYS", 5)
#define B_AND_2  ON("0060", "BAR.RED.AND.DEFER_BLOCKING", "R7, R7, P0", 6)
#define B_MET    AT("0070", "NOP", 7)
#define B_WARP   ON("0080", "WARPSYNC.COLLECTIVE", "R10, 0x90", 7) AT("0090", "NOP", 7)
#define B_P0     B_X B_ARRIVE B_AND
#define B_P1     B_SYNC B_READ B_AND_2 B_MET FIRST("0078", "BSYNC", 7) B_WARP

static void barriers_of_a_block_are_found(void **state) {
    (void)state;
    assert_null(verify_meeting(B_P0 B_P1));
    assert_string_equal(verify_meeting(B_P0 B_READ B_AND_2 B_WARP),
                        "op 4 (barrier.sync) is missing in the machine code");
    assert_string_equal(verify_meeting(B_X ON("0020", "BAR.SYNC", "R8, 0x40", 2) B_AND B_P1),
                        "op 2 (barrier.arrive) is BAR.SYNC R8, 0x40 at 0020");
    assert_string_equal(verify_meeting(B_X ON("0020", "BAR.ARV", "R8, 0x60", 2) B_AND B_P1),
                        "op 2 (barrier.arrive) is BAR.ARV R8, 0x60 at 0020");
    assert_string_equal(verify_meeting(B_P0 ON("0040", "BAR.SYNC", "0x2, 0x40", 4) B_READ B_AND_2 B_WARP),
                        "op 4 (barrier.sync) is BAR.SYNC 0x2, 0x40 at 0040");
    assert_string_equal(verify_meeting(B_X B_ARRIVE ON("0030", "BAR.RED.POPC", "0x0, PT", 3) B_P1),
                        "op 3 (setp.ne.s32 barrier.red.and.pred selp.s32) is BAR.RED.POPC 0x0, PT at 0030");
    assert_string_equal(
        verify_meeting(B_P0 B_READ B_SYNC B_AND_2 B_WARP),
        "op 4 (barrier.sync) at 0040 comes after op 5 (ld.volatile.global.s32), which the program does not "
        "allow");
}

static void a_call_stands_for_the_barrier_in_the_function(void **state) {
    (void)state;
#define B_FUNCTION(name) FIRST("0100", "WARPSYNC", 0) ON("0110", name, "R13, R5", 0) AT("0120", "RET.REL", 0)
    assert_null(verify_meeting(B_FUNCTION("BAR.ARV") B_X CALLS("0020", 0, 2) B_AND B_P1));
    assert_string_equal(verify_meeting(B_FUNCTION("BAR.SYNC") B_X CALLS("0020", 0, 2) B_AND B_P1),
                        "op 2 (barrier.arrive) is BAR.SYNC R13, R5 at 0020");
    assert_string_equal(verify_meeting(B_FUNCTION("VOTE.ANY") B_X CALLS("0020", 0, 2) B_AND B_P1),
                        "op 2 (barrier.arrive) is missing in the machine code");
}

static void barriers_of_a_warp_are_found(void **state) {
    (void)state;
    assert_string_equal(verify_meeting(B_P0 B_SYNC B_READ B_AND_2 B_MET),
                        "op 7 (bar.warp.sync) is missing in the machine code");
    assert_string_equal(verify_meeting(B_P0 B_SYNC B_MET B_READ B_AND_2 FIRST("0078", "BSYNC", 7) B_WARP),
                        "op 7 (bar.warp.sync) at 0070 comes after op 4 (barrier.sync), which the program "
                        "does not allow");
}

#define C_X        AT("0010", "STG.E.STRONG.SYS", 1)
#define C_FENCE    AT("0020", "MEMBAR.ALL.GPU", 2)
#define C_ARRIVE   AT("0030", "UCGABAR_ARV", 2)
#define C_WAIT     AT("0040", "UCGABAR_WAIT", 3)
#define C_FENCE_2  AT("0050", "MEMBAR.ALL.GPU", 4)
#define C_ARRIVE_2 AT("0060", "UCGABAR_ARV", 4)
#define C_WAIT_2   AT("0070", "UCGABAR_WAIT", 4)
#define C_READ     AT("0080", "LDG.E.STRONG.SYS", 5)
#define C_P1       C_FENCE_2 C_ARRIVE_2 C_WAIT_2 C_READ

static void barriers_of_a_cluster_are_found(void **state) {
    (void)state;
    assert_null(verify_cluster(C_X C_FENCE C_ARRIVE C_WAIT C_P1));
    assert_string_equal(verify_cluster(C_X C_FENCE C_ARRIVE C_P1),
                        "op 3 (barrier.cluster.wait.acquire) is missing in the machine code");
    assert_string_equal(verify_cluster(C_X C_FENCE C_ARRIVE C_WAIT C_FENCE_2 C_ARRIVE_2 C_READ),
                        "op 4 (barrier.cluster.arrive barrier.cluster.wait) is missing in the machine code");
    assert_string_equal(
        verify_cluster(C_X C_ARRIVE C_WAIT C_P1),
        "op 2 (barrier.cluster.arrive.release) is UCGABAR_ARV at 0030 without a fence before it");
    assert_string_equal(
        verify_cluster(C_X C_WAIT C_FENCE C_ARRIVE C_P1),
        "op 3 (barrier.cluster.wait.acquire) at 0040 comes after op 1 (st.volatile.global.s32), which the "
        "program does not allow");
    assert_string_equal(verify_cluster(C_X C_FENCE C_ARRIVE C_WAIT C_FENCE_2 C_ARRIVE_2 C_READ C_WAIT_2),
                        "op 5 (ld.volatile.global.s32) at 0080 comes after op 4 (barrier.cluster.arrive "
                        "barrier.cluster.wait), which the program does not allow");
    assert_null(verify_cluster(C_X C_FENCE C_ARRIVE C_WAIT C_P1 STOP C_FENCE_2 AT("0074", "NOP", 5)
                                   AT("0076", "BAR.SYNC", 5) C_READ));
}

/* ---- loops and compare-exchanges in machine code ---- */

static const char locking[] = "name: lock\n"
                              "memory: {L: 0, X: 0}\n"
                              "placements: [device]\n"
                              "threads:\n"
                              "  T:\n    count: 2\n    body: |\n"
                              "      for (int i = 0; i < 2; i++) {\n"
                              "        while (atomicCAS(&L, 0, 1) != 0) {}\n"
                              "        int r = load(X, relaxed, device);\n"
                              "        store(X, r + 1, relaxed, device);\n"
                              "        __threadfence();\n"
                              "        atomicExch(&L, 0);\n"
                              "      }\n"
                              "exists: X == 3\n";

#define L_TAKE  FIRST("0010", "ATOMG.E.CAS.STRONG.GPU", 1)
#define L_READ  FIRST("0020", "LDG.E.STRONG.GPU", 2)
#define L_WRITE AT("0030", "STG.E.STRONG.GPU", 3)
#define L_FENCE AT("0040", "MEMBAR.SC.GPU", 4)
#define L_GIVE  AT("0050", "ATOMG.E.EXCH.STRONG.GPU", 5)
#define L_TURN  L_TAKE L_READ L_WRITE L_FENCE L_GIVE

#define verify_lock(...) verify_barriers(locking, &KERNEL(__VA_ARGS__))

static void turns_with_a_compare_exchange_pass(void **state) {
    (void)state;
    assert_null(verify_lock(L_TURN));
    assert_null(verify_lock(L_TURN L_TURN));
    assert_null(verify_lock(L_TAKE AT("0018", "ATOMG.E.CAS.STRONG.GPU", 1) L_READ L_WRITE L_FENCE L_GIVE));
    assert_null(verify_lock(L_READ L_WRITE L_FENCE L_GIVE AT("0010", "ATOMG.E.CAS.STRONG.GPU", 1)));
}

static void wrong_turns_with_a_compare_exchange_are_told(void **state) {
    (void)state;
    assert_string_equal(verify_lock(L_READ L_WRITE L_FENCE L_GIVE),
                        "op 1 (atom.relaxed.gpu.global.cas.b32) is missing in the machine code");
    assert_string_equal(verify_lock(L_TAKE L_READ L_WRITE L_GIVE),
                        "op 4 (fence.sc.gpu) is missing in the machine code");
    assert_string_equal(
        verify_lock(FIRST("0010", "ATOMG.E.CAS.64.STRONG.GPU", 1) L_READ L_WRITE L_FENCE L_GIVE),
        "op 1 (atom.relaxed.gpu.global.cas.b32) is ATOMG.E.CAS.64.STRONG.GPU at 0010");
    assert_string_equal(verify_lock(FIRST("0010", "ATOMG.E.CAS.STRONG.SM", 1) L_READ L_WRITE L_FENCE L_GIVE),
                        "op 1 (atom.relaxed.gpu.global.cas.b32) is ATOMG.E.CAS.STRONG.SM at 0010");
    assert_string_equal(
        verify_lock(FIRST("0010", "ATOMG.E.EXCH.STRONG.GPU", 1) L_READ L_WRITE L_FENCE L_GIVE),
        "op 1 (atom.relaxed.gpu.global.cas.b32) is ATOMG.E.EXCH.STRONG.GPU at 0010");
}

/* In the first turn or in the second one, which stands behind the first where the loop was unrolled. */
static void swapped_accesses_of_a_turn_are_told(void **state) {
    (void)state;
    assert_string_equal(
        verify_lock(L_TAKE L_READ L_WRITE L_GIVE L_FENCE),
        "op 5 (atom.relaxed.gpu.global.exch.b32) at 0050 comes after op 3 (st.relaxed.gpu.global.s32), which "
        "the program does not allow");
    assert_string_equal(verify_lock(L_TURN L_TAKE L_READ L_FENCE L_WRITE L_GIVE),
                        "op 4 (fence.sc.gpu) at 0040 comes after op 2 (ld.relaxed.gpu.global.s32), which the "
                        "program does not "
                        "allow");
    assert_string_equal(verify_lock(L_TURN L_TAKE L_WRITE FIRST("0048", "MEMBAR.SC.GPU", 4) L_GIVE),
                        "op 3 (st.relaxed.gpu.global.s32) at 0030 comes after op 1 "
                        "(atom.relaxed.gpu.global.cas.b32), which the "
                        "program does not allow");
    assert_string_equal(
        verify_lock(L_READ L_WRITE AT("0010", "ATOMG.E.CAS.STRONG.GPU", 1) L_FENCE L_GIVE),
        "op 1 (atom.relaxed.gpu.global.cas.b32) at 0010 comes after op 3 (st.relaxed.gpu.global.s32), which "
        "the program does not allow");
}

/* ---- copies that write zeros ---- */

static const char copying[] = "name: copy\n"
                              "memory: {g: {count: 4}, s: {count: 4, space: shared}, x: 0}\n"
                              "placements: [block]\n"
                              "threads:\n"
                              "  T: |\n"
                              "    __pipeline_memcpy_async(&s[0], &g[0], 16);\n"
                              "    __pipeline_memcpy_async(&s[0], &g[0], 16, 4);\n"
                              "    __pipeline_memcpy_async(&s[0], &g[0], 16, 16);\n"
                              "  U: x = 1;\n"
                              "exists: x == 1\n";

#define Z_ALL  ON("0010", "LDGSTS.E.BYPASS.128", "[R1], [R2.64]", 1)
#define Z_SOME ON("0020", "LDGSTS.E.BYPASS.128.ZFILL", "[R1], [R2.64+0x4]", 2)
#define Z_NONE ON("0030", "LDGSTS.E.BYPASS.128", "[R1], [R2.64], !PT", 3)
#define Z_X    FIRST("0040", "STG.E.STRONG.SYS", 4)

static void copies_write_zeros_where_the_test_does(void **state) {
    (void)state;
    assert_null(verify_barriers(copying, &KERNEL(Z_ALL Z_SOME Z_NONE Z_X)));
    assert_string_equal(verify_barriers(copying, &KERNEL(Z_ALL ON("0020", "LDGSTS.E.BYPASS.128",
                                                                  "[R1], [R2.64]", 2) Z_NONE Z_X)),
                        "op 2 (cp.async.cg.shared.global) is LDGSTS.E.BYPASS.128 at 0020");
    assert_string_equal(verify_barriers(copying, &KERNEL(Z_ALL Z_SOME ON("0030", "LDGSTS.E.BYPASS.128",
                                                                         "[R1], [R2.64]", 3) Z_X)),
                        "op 3 (cp.async.cg.shared.global) is LDGSTS.E.BYPASS.128 at 0030");
    assert_string_equal(verify_barriers(copying, &KERNEL(ON("0010", "LDGSTS.E.BYPASS.128.ZFILL",
                                                            "[R1], [R2.64+0x4]", 1) Z_SOME Z_NONE Z_X)),
                        "op 1 (cp.async.cg.shared.global) is LDGSTS.E.BYPASS.128.ZFILL at 0010");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(machine_code_of_the_test_passes),
        cmocka_unit_test(the_branches_of_an_if_may_be_under_conditions),
        cmocka_unit_test(merged_accesses_are_told),
        cmocka_unit_test(wrong_strengths_of_machine_code_are_told),
        cmocka_unit_test(reordered_machine_code_is_told),
        cmocka_unit_test(accesses_of_two_state_spaces_may_change_places),
        cmocka_unit_test(a_fence_of_some_spaces_keeps_their_accesses_in_place),
        cmocka_unit_test(barriers_of_a_block_are_found),
        cmocka_unit_test(a_call_stands_for_the_barrier_in_the_function),
        cmocka_unit_test(barriers_of_a_warp_are_found),
        cmocka_unit_test(barriers_of_a_cluster_are_found),
        cmocka_unit_test(turns_with_a_compare_exchange_pass),
        cmocka_unit_test(wrong_turns_with_a_compare_exchange_are_told),
        cmocka_unit_test(swapped_accesses_of_a_turn_are_told),
        cmocka_unit_test(copies_write_zeros_where_the_test_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
