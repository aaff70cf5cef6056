/* What the disassembler says of machine code is read; a cubin's code and line table are found. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdint.h>
#include <string.h>

#include "check/sass.h"
#include "sample_cubin.h"

/* ---- the listing ---- */

static const char listing[] = "\t.headerflags\t@\"EF_CUDA_SM90\"\n"
                              "        /*0000*/                   LDC R1, c[0x0][0x28] ;\n"
                              "        /*0010*/               @P0 BRA 0x30 ;\n"
                              "        /*0020*/                   BSSY B0, 0x40;\n"
                              "        /*0030*/              @!P1 LDG.E.STRONG.GPU R2, desc[UR4][R2.64] ;\n"
                              "        /*0040*/                   STG.E [R2.64+0x20], R7 ;\n"
                              "        /*0050*/                   EXIT ;\n"
                              "        /*0060*/                   MEMBAR.SC.GPU ;\n"
                              "        /*0070*/                   ERRBAR;\n"
                              "        /*0080*/                   NOP;\n";

static void assert_instruction(const struct sass_instruction *i, const char *guard, const char *name,
                               const char *address, int line, bool goes_on) {
    assert_string_equal(i->guard, guard);
    assert_string_equal(i->name, name);
    assert_string_equal(i->address, address);
    assert_int_equal(i->line, line);
    assert_int_equal(i->goes_on, goes_on);
}

static void kernels_that_follow_one_another_are_read(void **state) {
    (void)state;
    struct arena *a = arena_open();
    int line[] = {7, 7, 7, 8, 9, 0}, other[] = {1, 2, 3};
    bool none[6] = {0}, table[] = {false, false, true};
    const struct cubin_code codes[] = {{NULL, 6, line, none}, {NULL, 3, other, table}};
    struct sass_kernel k[2];
    assert_true(sass_parse(a, listing, codes, 2, k));
    assert_int_equal(k[0].n, 6);
    assert_string_equal(k[0].code[3].operands, "R2, desc[UR4][R2.64]");
    assert_string_equal(k[0].code[5].operands, "");
    assert_instruction(&k[0].code[0], "", "LDC", "0000", 7, true);
    assert_instruction(&k[0].code[1], "@P0", "BRA", "0010", 7, true);
    assert_int_equal(k[0].code[1].jumps, 3);
    assert_instruction(&k[0].code[2], "", "BSSY", "0020", 7, true);
    assert_int_equal(k[0].code[2].jumps, -1);
    assert_instruction(&k[0].code[3], "@!P1", "LDG.E.STRONG.GPU", "0030", 8, true);
    assert_instruction(&k[0].code[4], "", "STG.E", "0040", 9, true);
    assert_instruction(&k[0].code[5], "", "EXIT", "0050", 0, false);
    assert_int_equal(k[1].n, 3);
    assert_instruction(&k[1].code[0], "", "MEMBAR.SC.GPU", "0000", 1, true);
    assert_instruction(&k[1].code[1], "", "ERRBAR", "0010", 2, true);
    assert_instruction(&k[1].code[2], "", "NOP", "0020", 3, true);
    assert_true(k[1].code[2].in_table && !k[1].code[1].in_table);
    arena_close(a);
}

static void a_call_leads_to_its_function(void **state) {
    (void)state;
    static const char calling[] = "        /*0000*/                   CALL.REL.NOINC 0x30 ;\n"
                                  "        /*0010*/                   BAR.ARV 0x1, 0x40;\n"
                                  "        /*0020*/                   EXIT ;\n"
                                  "        /*0030*/                   BAR.SYNC R13, R5 ;\n"
                                  "        /*0040*/                   CALL.REL.NOINC 0x90 ;\n";
    struct arena *a = arena_open();
    int line[5] = {0}, calls[] = {3, -1, -1, -1, -1};
    bool table[5] = {0};
    struct sass_kernel k;
    assert_true(sass_parse(a, calling, &(struct cubin_code){NULL, 5, line, table}, 1, &k));
    for (int i = 0; i < 5; i++)
        assert_int_equal(k.code[i].calls, calls[i]);
    assert_string_equal(k.code[1].operands, "0x1, 0x40");
    assert_true(k.code[0].goes_on);
    arena_close(a);
}

/* Where control goes on, and where it jumps to. */
static void ways_are_found(void **state) {
    (void)state;
    static const char ways[] = "        /*0000*/                   BRA 0x20 ;\n"
                               "        /*0010*/                   BRA.DIV UR4, 0x30 ;\n"
                               "        /*0020*/                   BRA !P1, 0x0 ;\n"
                               "        /*0030*/                   BSSY B0, 0x50 ;\n"
                               "        /*0040*/                   BSYNC B0 ;\n"
                               "        /*0050*/                   BSYNC B0 ;\n"
                               "        /*0060*/                   BRX R2 -0x60 ;\n"
                               "        /*0070*/              @!P0 EXIT ;\n"
                               "        /*0080*/                   RET.REL.NODEC R2 0x0 ;\n";
    static const bool goes_on[] = {false, true, true, true, true, false, false, true, false};
    static const int jumps[] = {2, 3, 0, -1, -1, -1, -1, -1, -1};
    struct arena *a = arena_open();
    int line[9] = {0};
    bool table[9] = {0};
    struct sass_kernel k;
    assert_true(sass_parse(a, ways, &(struct cubin_code){NULL, 9, line, table}, 1, &k));
    for (int i = 0; i < 9; i++) {
        assert_int_equal(k.code[i].goes_on, goes_on[i]);
        assert_int_equal(k.code[i].jumps, jumps[i]);
        assert_int_equal(k.code[i].by_table, i == 6);
    }
    arena_close(a);
}

static void a_listing_that_lacks_instructions_is_refused(void **state) {
    (void)state;
    struct arena *a = arena_open();
    int line[10] = {0};
    bool table[10] = {0};
    struct sass_kernel k;
    assert_true(sass_parse(a, listing, &(struct cubin_code){NULL, 9, line, table}, 1, &k));
    assert_false(sass_parse(a, listing, &(struct cubin_code){NULL, 10, line, table}, 1, &k));
    assert_false(sass_parse(a, "", &(struct cubin_code){NULL, 1, line, table}, 1, &k));
    assert_false(sass_parse(a, "  /*0010*/  EXIT ;\n", &(struct cubin_code){NULL, 1, line, table}, 1, &k));
    arena_close(a);
}

/* ---- scoreboards ---- */

/* The upper half of an instruction with this wait mask, and these scoreboards for its result and its operands; 7: none. */
static void put_control(unsigned char *code, int i, uint64_t waits, uint64_t result, uint64_t reads) {
    uint64_t high = waits << 52 | reads << 49 | result << 46 | (uint64_t)5 << 41;
    for (int k = 0; k < 8; k++)
        code[i * SASS_BYTES + 8 + k] = (unsigned char)(high >> 8 * k);
}

static void what_instructions_wait_for_is_read(void **state) {
    (void)state;
    static const char text[] = "  /*0000*/  LDG.E R2, desc[UR4][R2.64] ;\n"
                               "  /*0010*/  MEMBAR.ALL.CTA ;\n"
                               "  /*0020*/  DEPBAR.LE SB2, 0x0 ;\n"
                               "  /*0030*/  DEPBAR.LE SB2, 0x1 ;\n"
                               "  /*0040*/  DEPBAR {5,3} ;\n"
                               "  /*0050*/  NOP ;\n";
    struct arena *a = arena_open();
    unsigned char code[6 * SASS_BYTES] = {0};
    int line[6] = {0};
    bool table[6] = {0};
    struct sass_kernel k;
    put_control(code, 0, 0, 5, 7);
    put_control(code, 1, 0x21, 7, 2);
    for (int i = 2; i < 5; i++)
        put_control(code, i, 0, 7, 7);
    put_control(code, 5, 0x3f, 7, 7);
    assert_true(sass_parse(a, text, &(struct cubin_code){code, 6, line, table}, 1, &k));
    const unsigned waits[] = {0, 0x21, 0x4, 0, 0x28, SASS_ALL};
    for (int i = 0; i < 6; i++) {
        assert_int_equal(k.code[i].waits, waits[i]);
        assert_int_equal(k.code[i].results, i == 0 ? 0x20 : 0);
        assert_int_equal(k.code[i].reads, i == 1 ? 0x4 : 0);
    }
    arena_close(a);
}

/* ---- the cubin ---- */

static void code_and_lines_are_found(void **state) {
    (void)state;
    struct arena *a = arena_open();
    struct sample_cubin f = sample_cubin();
    struct cubin_code code;
    assert_true(cubin_read(a, &f, sizeof f, &code));
    assert_ptr_equal(code.bytes, f.code);
    assert_int_equal(code.n, 6);
    const int expected[] = {101, 102, 102, 100, 0, 0};
    assert_memory_equal(code.line, expected, sizeof expected);
    for (int i = 0; i < 6; i++)
        assert_int_equal(code.in_table[i], i == 4);
    arena_close(a);
}

static void cubins_are_compared_with_what_their_instructions_wait_for(void **state) {
    (void)state;
    struct sample_cubin f = sample_cubin(), other = f;
    assert_true(cubin_same_code(&f, sizeof f, &other, sizeof other));
    ((unsigned char *)other.code)[SASS_BYTES - 1] ^= 1;
    assert_false(cubin_same_code(&f, sizeof f, &other, sizeof other));
    assert_false(cubin_same_code(&f, sizeof f, &other, 10));
}

static void registers_are_found(void **state) {
    (void)state;
    struct sample_cubin f = sample_cubin();
    assert_int_equal(cubin_registers(&f, sizeof f), 56);
    f.info[0][5] = 0x11;
    assert_int_equal(cubin_registers(&f, sizeof f), 0);
    assert_int_equal(cubin_registers(&f, 10), 0);
}

static void a_cubin_without_lines_has_none(void **state) {
    (void)state;
    struct arena *a = arena_open();
    struct sample_cubin f = sample_cubin();
    struct cubin_code code;
    f.section[2].sh_name = 0;
    assert_true(cubin_read(a, &f, sizeof f, &code));
    assert_int_equal(code.line[0], 0);
    assert_int_equal(code.line[5], 0);
    arena_close(a);
}

/* Line 1 - 128, and the next one from there. */
static void a_line_before_the_first_is_not_known(void **state) {
    (void)state;
    struct arena *a = arena_open();
    struct sample_cubin f = sample_cubin();
    struct cubin_code code;
    unsigned char *advance = memchr(f.lines + 20, 0xe4, 30);
    advance[0] = 0x80;
    advance[1] = 0x7f;
    assert_true(cubin_read(a, &f, sizeof f, &code));
    const int expected[] = {0, 0, 0, 0, 0, 0};
    assert_memory_equal(code.line, expected, sizeof expected);
    arena_close(a);
}

static void what_is_no_cubin_is_refused(void **state) {
    (void)state;
    struct arena *a = arena_open();
    struct sample_cubin good = sample_cubin(), f = good;
    struct cubin_code code;
    for (size_t size = 0; size < offsetof(struct sample_cubin, lines); size++)
        assert_false(cubin_read(a, &f, size, &code));
    f.header.e_ident[0] = 0;
    assert_false(cubin_read(a, &f, sizeof f, &code));
    f = good;
    f.section[1].sh_size = UINT64_MAX - 8; /* beyond the end */
    assert_false(cubin_read(a, &f, sizeof f, &code));
    f = good;
    f.section[2].sh_name = 1; /* two kernels */
    assert_false(cubin_read(a, &f, sizeof f, &code));
    f = good;
    f.lines[4] = 5; /* DWARF 5 has another header */
    assert_false(cubin_read(a, &f, sizeof f, &code));
    arena_close(a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_that_follow_one_another_are_read),
        cmocka_unit_test(a_call_leads_to_its_function),
        cmocka_unit_test(ways_are_found),
        cmocka_unit_test(a_listing_that_lacks_instructions_is_refused),
        cmocka_unit_test(what_instructions_wait_for_is_read),
        cmocka_unit_test(code_and_lines_are_found),
        cmocka_unit_test(cubins_are_compared_with_what_their_instructions_wait_for),
        cmocka_unit_test(registers_are_found),
        cmocka_unit_test(a_cubin_without_lines_has_none),
        cmocka_unit_test(a_line_before_the_first_is_not_known),
        cmocka_unit_test(what_is_no_cubin_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
