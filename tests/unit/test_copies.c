/* The assembler copies code: in each copy, wherever control comes from, machine code has all operations of the test. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "check/verify.h"
#include "program_ways.h"
#include "source/read.h"

static const char straight[] =
    "name: three\n"
    "memory: {X: 0, Y: 0, Z: 0}\n"
    "placements: [block]\n"
    "threads:\n"
    "  T: |\n    int a = load(X, relaxed, device); __threadfence(); atomicAdd(&Y, 1); "
    "Z = a;\n"
    "exists: a == 1\n";
static const char unit[] = "{ asm(\"; // op 1\" ::); }\n{ asm(\"; // op 2\" ::); }\n"
                           "{ asm(\"; // op 3\" ::); }\n{ asm(\"; // op 4\" ::); }\n";

enum { MOST = 24 };

/* An instruction, with the number of its operation; "T" before it: a table of jumps names it. */
struct line {
    const char *text;
    int op;
};

#define READ                                                                                                 \
    { "LDG.E.STRONG.GPU R2, [R4.64]", 1 }
#define FENCE                                                                                                \
    { "MEMBAR.SC.GPU", 2 }
#define ADD                                                                                                  \
    { "REDG.E.ADD.STRONG.GPU [R6.64], R2", 3 }
#define WRITE                                                                                                \
    { "STG.E.STRONG.SYS [R8.64], R2", 4 }
#define END                                                                                                  \
    { "EXIT", 0 }
#define DO(text)                                                                                             \
    { text, 0 }

/* NULL when the code passes; else what is told. No ways: the program's. */
static const char *check_with(const char *yaml, const struct ways *given, const struct line *lines) {
    static char told[512];
    struct arena *a = arena_open();
    struct diag d = {0};
    struct text listing = {0};
    struct test *t = test_read_text(a, "t.yaml", yaml, strlen(yaml), &d);
    struct cell cell = {&t->placements[0], t->accesses[0], &t->fences[0]};
    int n = 0, line[MOST];
    bool table[MOST] = {0};
    for (; lines[n].text; n++) {
        table[n] = *lines[n].text == 'T';
        line[n] = lines[n].op;
        text_printf(&listing, "        /*%04x*/ %s ;\n", 16 * n, lines[n].text + table[n]);
    }
    struct sass_kernel kernel;
    assert_true(sass_parse(a, listing.s, &(struct cubin_code){NULL, n, line, table}, 1, &kernel));
    struct ways ways = program_ways(t, &cell);
    bool fine = verify_sass(t, &cell, unit, &kernel, given ? given : &ways, &d);
    ways_free(&ways);
    if (!fine) {
        const char *text = strstr(d.messages[0].text, "is not the test: ") + 17;
        snprintf(told, sizeof told, "%.*s", (int)strcspn(text, "\n"), text);
    }
    text_free(&listing);
    diag_free(&d);
    arena_close(a);
    return fine ? NULL : told;
}

#define CHECK(...) check_with(straight, NULL, (const struct line[]){__VA_ARGS__, {NULL, 0}})

static const char without_fence[] = "op 3 (atom.relaxed.gpu.global.add.s32) at 0080 comes after op 1 "
                                    "(ld.relaxed.gpu.global.s32), which the program does not allow";

static void copies_that_are_complete_pass(void **state) {
    (void)state;
    assert_null(CHECK(READ, FENCE, ADD, WRITE, END));
    assert_null(CHECK(READ, DO("@P0 BRA 0x70"), FENCE, ADD, WRITE, END, END, FENCE, ADD, WRITE, END));
    assert_null(CHECK(READ, FENCE, ADD, DO("@P0 BRA 0x60"), WRITE, END, WRITE, END));
}

static void a_copy_that_lacks_an_operation_is_told(void **state) {
    (void)state;
    assert_string_equal(CHECK(READ, DO("@P0 BRA 0x80"), FENCE, ADD, WRITE, END, END, END, ADD, WRITE, END),
                        without_fence);
    assert_string_equal(
        CHECK(READ, DO("BRX R2 -0x10"), DO("TNOP"), FENCE, ADD, WRITE, END, DO("TNOP"), ADD, WRITE, END),
        without_fence);
    assert_string_equal(CHECK(READ, DO("BSSY B0, 0x70"), DO("@P0 BRA 0x60"), FENCE, ADD, WRITE,
                              DO("BSYNC B0"), DO("NOP"), ADD, WRITE, END),
                        without_fence);
    /* The turn of the thread's next instance begins before this one's has ended. */
    assert_string_equal(
        CHECK(READ, FENCE, ADD, DO("@P0 BRA 0x60"), WRITE, DO("BRA 0x0"), DO("BRA 0x0"), END),
        "op 1 (ld.relaxed.gpu.global.s32) at 0000 comes after op 3 (atom.relaxed.gpu.global.add.s32), which "
        "the program does not allow");
}

/* Where an instruction ran under a condition, a jump under its opposite is not taken. */
static void ways_that_conditions_rule_out_do_not_count(void **state) {
    (void)state;
    static const struct line before = {"@P0 LDG.E.STRONG.GPU R2, [R4.64]", 1};
    assert_null(CHECK(READ, END, before, DO("@!P0 BRA 0x80"), FENCE, ADD, WRITE, END, ADD, WRITE, END));
    assert_string_equal(
        CHECK(READ, END, before, DO("@P1 BRA 0x80"), DO("@P0 BRA 0xa0"), END, END, END, END, END, FENCE, ADD,
              DO("@P1 BRA 0x00"), WRITE, END),
        "op 1 (ld.relaxed.gpu.global.s32) at 0000 comes after op 3 (atom.relaxed.gpu.global.add.s32), which "
        "the program does not allow");
}

/* The assembler makes a loop of some atomic operations, in their line: that is one operation, two in a row are not. */
static void a_loop_in_the_line_of_an_atomic_operation_passes(void **state) {
    (void)state;
    static const char twice[] = "op 3 (atom.relaxed.gpu.global.add.s32) at 0020 comes after op 3 "
                                "(atom.relaxed.gpu.global.add.s32), which the program does not allow";
    static const struct line back = {"@!P0 BRA 0x20", 3};
    assert_null(CHECK(READ, FENCE, ADD, back, WRITE, END));
    assert_string_equal(CHECK(READ, FENCE, ADD, DO("@!P0 BRA 0x20"), WRITE, END), twice);
    assert_string_equal(CHECK(READ, FENCE, ADD, ADD, WRITE, END),
                        "op 3 (atom.relaxed.gpu.global.add.s32) at 0030 comes after op 3 "
                        "(atom.relaxed.gpu.global.add.s32), which the program does not allow");
    assert_non_null(CHECK(READ, FENCE, ADD, back, END));
}

/* ---- copies that the PTX has already ---- */

static const char branching[] =
    "name: branch\n"
    "memory: {X: 0, Y: 0, Z: 0}\n"
    "placements: [block]\n"
    "threads:\n"
    "  T: |\n    int a = load(X, relaxed, device); if (a == 1) { atomicAdd(&Y, 1); } "
    "__threadfence(); Z = a;\n"
    "exists: a == 1\n";

/* Two copies of the program, one behind the other: copies 1 to 4 of the operations, and 5 to 8. */
static struct ways twice(void) {
    static const int ways[][2] = {{0, 1}, {1, 2}, {1, 3}, {2, 3}, {3, 4}, {4, 5},
                                  {5, 6}, {5, 7}, {6, 7}, {7, 8}, {8, 1}, {8, 0}};
    struct ways w = ways_new(8);
    for (int p = 1; p <= 8; p++)
        w.op[p] = (p - 1) % 4 + 1;
    for (size_t k = 0; k < sizeof ways / sizeof *ways; k++)
        w.next[ways[k][0] * 9 + ways[k][1]] = true;
    return w;
}

static const char *check_branching(const struct line *lines) {
    struct ways ways = twice();
    const char *told = check_with(branching, &ways, lines);
    ways_free(&ways);
    return told;
}

#define CHECK_BRANCHING(...) check_branching((const struct line[]){__VA_ARGS__, {NULL, 0}})
#define MAY_ADD                                                                                              \
    { "@P0 REDG.E.ADD.STRONG.GPU [R6.64], R2", 2 }
#define FENCE_3                                                                                              \
    { "MEMBAR.SC.GPU", 3 }

static void each_copy_of_the_ptx_is_looked_for(void **state) {
    (void)state;
    static const struct line back = {"BRA 0x0", 0}, skip = {"@P1 BRA 0x80", 0};
    static const char add[] =
        "op 2 (atom.relaxed.gpu.global.add.s32) is missing in a copy of the machine code";
    assert_null(CHECK_BRANCHING(READ, MAY_ADD, FENCE_3, WRITE, READ, MAY_ADD, FENCE_3, WRITE, back));
    /* The branch of one copy alone. */
    assert_string_equal(CHECK_BRANCHING(READ, MAY_ADD, FENCE_3, WRITE, READ, FENCE_3, WRITE, back), add);
    /* The assembler has made two of the other one's. */
    assert_string_equal(CHECK_BRANCHING(READ, DO("@P1 BRA 0x50"), MAY_ADD, FENCE_3, DO("BRA 0x70"), MAY_ADD,
                                        FENCE_3, WRITE, READ, FENCE_3, WRITE, back),
                        add);
    /* Lanes meet in each copy: those that wait in one do not go on in the other. */
    assert_string_equal(CHECK_BRANCHING(READ, DO("@P1 BRA 0x40"), MAY_ADD, DO("BRA 0x50"), MAY_ADD,
                                        DO("BSSY B3, 0x70"), DO("BSYNC B3"), FENCE_3, WRITE, READ,
                                        DO("BSSY B4, 0xc0"), DO("BSYNC B4"), FENCE_3, WRITE, back),
                        add);
    /* The first of a thread. */
    assert_string_equal(
        CHECK_BRANCHING(MAY_ADD, FENCE_3, WRITE, READ, MAY_ADD, FENCE_3, WRITE, READ, back),
        "op 2 (atom.relaxed.gpu.global.add.s32) at 0000 comes first, which the program does not "
        "allow");
    /* A whole copy. */
    assert_string_equal(CHECK_BRANCHING(READ, MAY_ADD, FENCE_3, WRITE, back),
                        "op 1 (ld.relaxed.gpu.global.s32) is missing in a copy of the machine code");
    /* The last one, before which another copy begins. */
    assert_string_equal(CHECK_BRANCHING(READ, MAY_ADD, FENCE_3, WRITE, READ, MAY_ADD, FENCE_3, skip,
                                        DO("BRA 0x0"), WRITE, back),
                        "op 1 (ld.relaxed.gpu.global.s32) at 0000 comes after op 3 (fence.sc.gpu), which the "
                        "program does not "
                        "allow");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_that_are_complete_pass),
        cmocka_unit_test(a_copy_that_lacks_an_operation_is_told),
        cmocka_unit_test(ways_that_conditions_rule_out_do_not_count),
        cmocka_unit_test(each_copy_of_the_ptx_is_looked_for),
        cmocka_unit_test(a_loop_in_the_line_of_an_atomic_operation_passes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
