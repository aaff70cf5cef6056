/* PTX is held against the test: what passes, and what each kind of wrong code is told to be. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <string.h>

#include "base/text.h"
#include "verified.h"

static const char message_passing[] = "name: MP\n"
                                      "memory: {X: 0, Y: 0}\n"
                                      "threads:\n"
                                      "  P0: |\n    X = 1; fence(); Y = 1;\n"
                                      "  P1: |\n    int a = Y; int b = atomicAdd_block(&X, 1);\n"
                                      "exists: P1.a == 1 && P1.b == 0\n";

static const char waiting[] = "name: wait\n"
                              "memory: {F: 0, X: {space: shared}}\n"
                              "placements: [block]\n"
                              "threads:\n"
                              "  P0: |\n    while (load(F, acquire, device) == 0) { } X = 1;\n"
                              "  P1: |\n    int a = 0; if (X == 1) a = F; store(F, a, release, device);\n"
                              "exists: F == 1\n";

#define ASM(code, op) "\t// begin inline asm\n\t" code " // op " op "\n\t// end inline asm\n"
#define X_IS_1        ASM("st.volatile.global.s32 [%rd1], %r1;", "1")
#define FENCE         ASM("fence.sc.gpu;", "2")
#define Y_IS_1        ASM("st.volatile.global.s32 [%rd2], %r1;", "3")
#define READ_Y        ASM("ld.volatile.global.s32 %r2, [%rd2];", "4")
#define ADD_X         ASM("atom.relaxed.cta.global.add.s32 %r3, [%rd1], %r1;", "5")
#define P0            X_IS_1 FENCE Y_IS_1
#define P1            READ_Y ADD_X
#define CHOOSE        "\tsetp.ne.s32 %p1, %r9, 0;\n\t@%p1 bra $L2;\n"

/* The cell's kernel has this code. */
static const char *verify(const char *yaml, const char *fence, const char *code) {
    struct cell_result c;
    struct text ptx = {0};
    cell_open(&c, yaml, fence);
    text_printf(&ptx, ".version 9.0\n.visible .entry litmus(\n\t.param .u64 p\n)\n{\n%s\tret;\n\n}\n", code);
    const char *reason = cell_close(&c, verify_ptx(c.t, &c.cell, ptx.s, NULL, &c.d));
    text_free(&ptx);
    return reason;
}

static void what_the_test_means_passes(void **state) {
    (void)state;
    assert_null(verify(message_passing, "device", P0 P1));
    assert_null(verify(message_passing, "device", P1 P0 P1));
    assert_null(verify(message_passing, "none", X_IS_1 Y_IS_1 P1));
    assert_null(verify(message_passing, "device", CHOOSE P0 "\tbra.uni $L3;\n$L2:\n" P1 "$L3:\n"));
}

static void blocks_may_be_moved_about(void **state) {
    (void)state;
    assert_null(verify(message_passing, "device",
                       "\tbra.uni $L1;\n$L2:\n" FENCE Y_IS_1 "\tbra.uni $L3;\n$L1:\n" X_IS_1
                       "\tbra.uni $L2;\n$L3:\n" P1));
    assert_null(verify(message_passing, "device",
                       "$L_brx_0: .branchtargets\n\t$L1,\n\t$L2;\n" CHOOSE "$L1:\n" P0 "$L2:\n" P1));
}

static void the_harness_may_access_memory_between_runs(void **state) {
    (void)state;
    assert_null(verify(message_passing, "device",
                       "\tst.global.u32 [%rd9], %r1;\n" P0 "\tatom.global.add.u32 %r8, [%rd9], 1;\n" P1
                       "\tld.volatile.shared.u64 %rd7, [%r8];\n"));
    assert_null(verify(message_passing, "device", X_IS_1 "\tld.param.u64 %rd4, [p];\n" FENCE Y_IS_1 P1));
}

static void wrong_instructions_are_told(void **state) {
    (void)state;
    assert_string_equal(verify(message_passing, "block", P0 P1),
                        "line 10 is fence.sc.gpu where op 2 is fence.sc.cta");
    assert_string_equal(verify(message_passing, "none", P0 P1),
                        "line 10 is fence.sc.gpu for op 2, which this cell does not have");
    assert_string_equal(
        verify(message_passing, "device",
               P0 READ_Y ASM("atom.relaxed.gpu.global.add.s32 %r3, [%rd1], %r1;", "5")),
        "line 19 is atom.relaxed.gpu.global.add.s32 where op 5 is atom.relaxed.cta.global.add.s32");
    assert_string_equal(
        verify(message_passing, "device", P0 ASM("ld.weak.global.s32 %r2, [%rd2];", "4") ADD_X),
        "line 16 is ld.weak.global.s32 where op 4 is ld.volatile.global.s32");
    assert_string_equal(verify(message_passing, "device", P0 P1 ASM("fence.sc.gpu;", "6")),
                        "line 22 is fence.sc.gpu for op 6, which this cell does not have");
}

static void missing_operations_are_told(void **state) {
    (void)state;
    assert_string_equal(verify(message_passing, "device", P0 READ_Y),
                        "op 5 (atom.relaxed.cta.global.add.s32) is missing");
    assert_string_equal(verify(message_passing, "device", X_IS_1 Y_IS_1 P1),
                        "op 2 (fence.sc.gpu) is missing");
    assert_string_equal(verify(message_passing, "device", ""), "op 1 (st.volatile.global.s32) is missing");
}

static void wrong_order_is_told(void **state) {
    (void)state;
    assert_string_equal(verify(message_passing, "device", Y_IS_1 FENCE X_IS_1 P1),
                        "a thread begins with op 3 (st.volatile.global.s32)");
    assert_string_equal(
        verify(message_passing, "none", CHOOSE "\tbra.uni $L3;\n$L2:\n" P1 "$L3:\n" X_IS_1 P1 Y_IS_1),
        "op 1 (st.volatile.global.s32) (line 18) is followed by op 4 (ld.volatile.global.s32), which "
        "the program does not allow");
    assert_string_equal(
        verify(message_passing, "device", P0 READ_Y READ_Y ADD_X),
        "op 4 (ld.volatile.global.s32) (line 16) is followed by op 4 (ld.volatile.global.s32), which "
        "the program does not allow");
    /* on one path only */
    assert_string_equal(
        verify(message_passing, "device", X_IS_1 CHOOSE FENCE "$L2:\n" Y_IS_1 P1),
        "op 1 (st.volatile.global.s32) (line 7) is followed by op 3 (st.volatile.global.s32), which "
        "the program does not allow");
}

static void other_accesses_are_told(void **state) {
    (void)state;
    assert_string_equal(verify(message_passing, "device", P0 READ_Y "\tld.global.u32 %r8, [%rd9];\n" ADD_X),
                        "ld.global.u32 (line 18) stands between op 4 (ld.volatile.global.s32) and op 5 "
                        "(atom.relaxed.cta.global.add.s32)");
    assert_string_equal(
        verify(message_passing, "device", X_IS_1 "\tmembar.gl;\n" FENCE Y_IS_1 P1),
        "membar.gl (line 9) stands between op 1 (st.volatile.global.s32) and op 2 (fence.sc.gpu)");
}

#define WAIT  ASM("ld.acquire.gpu.global.s32 %r1, [%rd1];", "1")
#define SET   ASM("st.volatile.shared.s32 [%r7], %r1;", "2")
#define LOOK  ASM("ld.volatile.shared.s32 %r3, [%r7];", "3")
#define TAKE  ASM("ld.volatile.global.s32 %r3, [%rd1];", "4")
#define GIVE  ASM("st.release.gpu.global.s32 [%rd1], %r3;", "5")
#define AGAIN "\tsetp.eq.s32 %p2, %r1, 0;\n\t@%p2 bra $L8;\n"

#define REST LOOK CHOOSE TAKE "$L2:\n" GIVE

static void loops_and_branches_may_be_unrolled(void **state) {
    (void)state;
    assert_null(verify(waiting, "as-written", "$L8:\n" WAIT AGAIN SET REST));
    assert_null(verify(waiting, "as-written", WAIT "$L8:\n" WAIT WAIT AGAIN SET REST));
    assert_string_equal(
        verify(waiting, "as-written", "$L8:\n" WAIT AGAIN REST SET),
        "op 1 (ld.acquire.gpu.global.s32) (line 8) is followed by op 3 (ld.volatile.shared.s32), "
        "which the program does not allow");
    assert_string_equal(verify(waiting, "as-written", SET REST),
                        "op 1 (ld.acquire.gpu.global.s32) is missing");
}

static void a_missing_kernel_is_told(void **state) {
    (void)state;
    struct arena *a = arena_open();
    struct diag d = {0};
    struct test *t = test_read_text(a, "test.yaml", message_passing, sizeof message_passing - 1, &d);
    struct cell cell = {&t->placements[0], t->accesses[0], &t->fences[0]};
    assert_false(verify_ptx(t, &cell, ".version 9.0\n", NULL, &d));
    const char begin[] = "MP (block, volatile, none): the compiled code is not the test: there is no kernel "
                         "'litmus', or it cannot be read\n";
    assert_memory_equal(d.messages[0].text, begin, sizeof begin - 1);
    diag_free(&d);
    arena_close(a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_the_test_means_passes),
        cmocka_unit_test(blocks_may_be_moved_about),
        cmocka_unit_test(the_harness_may_access_memory_between_runs),
        cmocka_unit_test(wrong_instructions_are_told),
        cmocka_unit_test(missing_operations_are_told),
        cmocka_unit_test(wrong_order_is_told),
        cmocka_unit_test(other_accesses_are_told),
        cmocka_unit_test(loops_and_branches_may_be_unrolled),
        cmocka_unit_test(a_missing_kernel_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
