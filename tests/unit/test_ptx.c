/* PTX as it is written: what is read is written again. `test_ptx FILE...` asks that of files that a compiler made. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "cm.h"
#include "../ptx_write.h"

static struct ptx_code read_source(struct arena *a, const struct source *src, struct diag *d) {
    struct lines *lines = arena_alloc(a, sizeof *lines);
    *lines = source_lines(a, src);
    struct snippet all = {src->text, src->len, NULL, 0, lines};
    return ptx_read(a, src, &all, d);
}

static char *written(const struct ptx_code *code) {
    struct text out = {0};
    ptx_write(&out, code);
    return out.s ? out.s : strdup("");
}

static void expect_written(const char *text, const char *expected) {
    struct arena *a = arena_open();
    struct diag d = {0};
    struct source src = {.path = "t.ptx", .text = text, .len = strlen(text)};
    struct ptx_code code = read_source(a, &src, &d);
    assert_null(diag_first_error(&d));
    char *out = written(&code);
    assert_string_equal(out, expected);
    free(out);
    diag_free(&d);
    arena_close(a);
}

/* The first error, as line:column:length and its text. */
static void expect_error(const char *text, const char *expected) {
    struct arena *a = arena_open();
    struct diag d = {0};
    struct source src = {.path = "t.ptx", .text = text, .len = strlen(text)};
    read_source(a, &src, &d);
    assert_true(d.errors > 0);
    struct pos pos = d.messages[0].pos;
    assert_string_equal(arena_printf(a, "%d:%d:%d %s", pos.line, pos.col, pos.len, d.messages[0].text),
                        expected);
    diag_free(&d);
    arena_close(a);
}

static void test_instructions(void **state) {
    (void)state;
    expect_written("ld.acquire.gpu.u32 %r1,[%rd1+-4];", "ld.acquire.gpu.u32 %r1, [%rd1+-4];\n");
    expect_written("@!%p1 bra.uni $L1", "@!%p1 bra.uni $L1;\n");
    expect_written(
        "cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes [a], [b, {0}], [m];",
        "cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes [a], [b, {0}], [m];\n");
    expect_written("shfl.sync.up.b32 %0|p, %1, 1, 0, -1; mov.u32 r, %tid.x",
                   "shfl.sync.up.b32 %0|p, %1, 1, 0, -1;\nmov.u32 r, %tid.x;\n");
    expect_written("mov.b64 {a,b}, x+4; ld r0, x[1]; vote.sync.any.pred p, !q, 0xFFU",
                   "mov.b64 {a, b}, x+4;\nld r0, x[1];\nvote.sync.any.pred p, !q, 0xFFU;\n");
    expect_written("call (r), f, (p0, 1), proto;;", "call (r), f, (p0, 1), proto;\n");
    expect_written("mov.f32 f, 0f3F800000; mov.f64 d, 0d3FF0000000000000; add.f64 d, d, 1.5e-3;",
                   "mov.f32 f, 0f3F800000;\nmov.f64 d, 0d3FF0000000000000;\nadd.f64 d, d, 1.5e-3;\n");
}

static void test_lists(void **state) {
    (void)state;
    expect_written("{ .reg .pred p, q; L: { bra L; } }", "{\n.reg .pred p, q;\nL:\n{\nbra L;\n}\n}\n");
    expect_written("ld r, [x] /* within */; // op 1\nst [x], r",
                   "ld r, [x];\n/* within */\n// op 1\nst [x], r;\n");
    expect_written("$T: .branchtargets\n\ta,\n\tb;\n.loc 1 7 5, function_name $L, inlined_at 1 2 3\nret;",
                   "$T:\n.branchtargets a, b;\n.loc 1 7 5, function_name $L, inlined_at 1 2 3\nret;\n");
}

static void test_declarations(void **state) {
    (void)state;
    expect_written(".visible .global .align 4 .b8 x[2][3] = {1, 0xFF(y), {generic(z)+8}}, w;",
                   ".visible .global .align 4 .b8 x[2][3] = {1, 0xFF(y), {generic(z)+8}}, w;\n");
    expect_written(
        ".extern .shared .align 16 .b8 dyn[]; .reg .b32 %r<5>; .global .attribute(.managed) .u32 m;",
        ".extern .shared .align 16 .b8 dyn[];\n.reg .b32 %r<5>;\n.global .attribute (.managed) .u32 m;\n");
    expect_written(
        ".visible .entry k(.param .u64 .ptr .align 1 a,\n.param .align 8 .b8 s[16])\n"
        ".maxntid 128, 1, 1\n.explicitcluster\n{ .pragma \"nounroll\"; ret; }",
        ".visible .entry k (.param .u64 .ptr .align 1 a, .param .align 8 .b8 s[16])\n.maxntid 128, 1, 1\n"
        ".explicitcluster\n{\n.pragma \"nounroll\";\nret;\n}\n");
    expect_written(".extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b)\n.noreturn;",
                   ".extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b)\n.noreturn\n;\n");
    expect_written(".file 1 \"a\"\n/* b */ .target sm_90", ".file 1 \"a\"\n/* b */\n.target sm_90\n");
    expect_written(".version 9.0\n.target sm_90, debug // why\n.section .debug_str\n{\n$L:\n.b8 95,0\n}",
                   ".version 9.0\n.target sm_90, debug\n// why\n.section .debug_str\n{\n$L:\n.b8 95,0\n}\n");
}

static void test_parts(void **state) {
    (void)state;
    struct arena *a = arena_open();
    struct ptx_code code =
        ptx_read_text(a, "@!p ld.volatile.shared::cta.v2.f32 {x, y}, [r+8];\nmov.b64 d, -0x10;");
    assert_int_equal(code.n, 2);
    const struct ptx_instruction *load = code.statements[0].instruction,
                                 *move = code.statements[1].instruction;
    assert_true(ptx_is(load, "ld"));
    assert_int_equal(load->nwords, 5);
    assert_int_equal(ptx_find_word(load, "shared::cta"), 2);
    assert_int_equal(ptx_find_word(load, "shared"), -1);
    assert_true(load->guard->negated);
    assert_int_equal(load->operands[0].kind, PTX_VECTOR);
    assert_int_equal(load->operands[0].nparts, 2);
    assert_int_equal(load->operands[1].kind, PTX_ADDRESS);
    assert_int_equal(load->operands[1].parts[0].offset->bits, 8);
    assert_int_equal(load->operands[1].pos.col, 44);
    assert_int_equal(move->operands[1].bits, 16);
    assert_true(move->operands[1].negated);
    assert_int_equal(move->pos.line, 2);
    arena_close(a);
}

static void test_numbers(void **state) {
    (void)state;
    struct arena *a = arena_open();
    struct ptx_code code = ptx_read_text(a, "x 18446744073709551615, 0b101U, 017, 0x0, 0, 0fBF800000, 0.5;");
    const struct ptx_operand *o = code.statements[0].instruction->operands;
    const uint64_t bits[] = {UINT64_MAX, 5, 15, 0, 0, 0xBF800000, 0x3FE0000000000000};
    for (int k = 0; k < 7; k++) {
        assert_int_equal(o[k].bits, bits[k]);
        assert_int_equal(o[k].kind, k < 5 ? PTX_INTEGER : PTX_FLOAT);
    }
    assert_int_equal(o[5].size, 32);
    assert_int_equal(o[6].size, 64);
    arena_close(a);
}

static void test_errors(void **state) {
    (void)state;
    expect_error("ld r0 x;", "1:6:1 expected ','");
    expect_error("ld r0, ;", "1:7:1 expected an operand behind ','");
    expect_error("ld r0, [x;", "1:10:1 expected ']'");
    expect_error("mov r, 18446744073709551616;", "1:8:20 18446744073709551616 does not fit into 64 bits");
    expect_error("mov r, 09;", "1:8:2 '09' is no number");
    expect_error("mov r, 0f3F80;", "1:8:6 '0f3F80' is no float: 0f has 8 hexadecimal digits");
    expect_error("mov r, -q;", "1:9:1 expected a number");
    expect_error("@;", "1:2:1 expected a predicate");
    expect_error("ld.;", "1:4:1 expected a word of the opcode");
    expect_error("st [x], #;", "1:9:1 unexpected character in PTX");
    expect_error(".reg .b32;", "1:10:1 expected a name");
    expect_error(".global .b8 x[y];", "1:15:1 expected a number of elements");
    expect_error(".func f (.param .u32 a) ret;", "1:24:1 expected '{' or ';' behind the head of a function");
    expect_error(".visible .align 4;", "1:2:7 neither a variable nor a function stands behind '.visible'");
    expect_error(".file 1 #", "1:9:1 unexpected character in PTX");
    expect_error("5;", "1:1:1 expected an instruction");
    expect_error("mov r, {{{{{{{{{{{{{{{{{1}}}}}}}}}}}}}}}}};", "1:24:1 this is nested too deeply");
}

/* An error costs its statement alone. */
static void test_recovery(void **state) {
    (void)state;
    struct arena *a = arena_open();
    struct ptx_code code = ptx_read_text(a, "ld r0 x; st [x], 1; . ; { mov r, ; } ret");
    char *out = written(&code);
    assert_string_equal(out, "st [x], 1;\n{\n}\nret;\n");
    assert_int_equal(code.nbad, 3);
    free(out);
    arena_close(a);
}

/* A label belongs to its braces, and shadows one of those around. */
static void test_labels(void **state) {
    (void)state;
    struct arena *a = arena_open();
    struct ptx_code code =
        ptx_read_text(a, ".entry k { L: bra L; { bra L; L: bra M; { M: } bra L; } M: bra L; { L: } }");
    /* 0 .entry 1 { 2 L: 3 bra 4 { 5 bra 6 L: 7 bra M 8 { 9 M: 10 } 11 bra L 12 } 13 M: 14 bra L */
    assert_int_equal(ptx_find_label(&code, 3, "L"), 2);
    assert_int_equal(ptx_find_label(&code, 5, "L"), 6);
    assert_int_equal(ptx_find_label(&code, 7, "M"), 13);
    assert_int_equal(ptx_find_label(&code, 11, "L"), 6);
    assert_int_equal(ptx_find_label(&code, 14, "L"), 2);
    assert_int_equal(ptx_find_label(&code, 14, "N"), -1);
    arena_close(a);
}

/* A byte of an asm text has its place in the file. */
static void test_places(void **state) {
    (void)state;
    struct arena *a = arena_open();
    struct diag d = {0};
    const char *file = "asm(\"mov.u32 %0, %%bad.;\");";
    struct source src = {.path = "t", .text = file, .len = strlen(file)};
    struct lines lines = source_lines(a, &src);
    const char *text = "mov.u32 %0, %bad.;";
    size_t offset[32];
    for (size_t k = 0; k <= strlen(text); k++)
        offset[k] = 5 + k + (k > 12);
    struct snippet part = {text, strlen(text), offset, 0, &lines};
    ptx_read(a, &src, &part, &d);
    assert_int_equal(d.errors, 1);
    assert_int_equal(d.messages[0].pos.col, 24);
    diag_free(&d);
    arena_close(a);
}

/* ---- files ---- */

static char *without_blanks(struct arena *a, const char *s) {
    char *out = arena_strdup(a, s), *o = out;
    for (; *s; s++)
        if (!isspace((unsigned char)*s)) *o++ = *s;
    *o = '\0';
    return out;
}

/* Whether a file is written as it was read, modulo white space. */
static bool check_file(const char *path) {
    struct arena *a = arena_open();
    struct diag d = {0};
    struct source src;
    source_load(a, path, &src, &d);
    struct ptx_code code = read_source(a, &src, &d);
    char *out = written(&code), *read = without_blanks(a, src.text), *wrote = without_blanks(a, out);
    size_t same = 0;
    while (read[same] && read[same] == wrote[same])
        same++;
    bool fine = d.errors == 0 && read[same] == wrote[same];
    if (d.errors) diag_render(&d, stdout, false);
    if (read[same] != wrote[same])
        printf("%s: read '%.60s', wrote '%.60s'\n", path, read + same, wrote + same);
    printf("%s: %d statements, %s\n", path, code.n, fine ? "the same" : "NOT the same");
    free(out);
    diag_free(&d);
    arena_close(a);
    return fine;
}

/* Names of files stand behind the code, and a call may be within a call. */
static void test_origins(void **state) {
    static const char text[] = ".entry f() {\n"
                               "\t.loc\t1 3 0\n"
                               "ret;\n"
                               "\t.loc\t1 7 3\n"
                               "\t.loc\t2 152 5, function_name $L0, inlined_at 1 7 3\n"
                               "\t.loc\t3 9 1, function_name $L1, inlined_at 2 152 5\n"
                               "ret;\n"
                               ".loc 2 8 1\n"
                               ".loc 3 10 1, function_name $L1, inlined_at 2 8 1\n"
                               "ret;\n"
                               "}\n"
                               "ret;\n"
                               ".file 1 \"k.cu\"\n"
                               ".file 2 \"a/b.h\", 12, 34\n"
                               ".file 3 \"c.h\"\n";
    const struct source plain = {.path = "k.ptx", .text = text, .len = sizeof text - 1};
    struct arena *a = arena_open();
    struct diag d = {0};
    char *shown = NULL;
    size_t size;
    (void)state;
    const struct source *src = ptx_find_origins(a, &plain);
    assert_string_equal(source_origin(src, 3), "k.cu:3");
    assert_string_equal(source_origin(src, 5), "k.cu:7 (a/b.h:152)");
    assert_string_equal(source_origin(src, 7), "k.cu:7 (c.h:9)");
    assert_string_equal(source_origin(src, 10), "a/b.h:8 (c.h:10)");
    assert_null(source_origin(src, 1));
    assert_null(source_origin(src, 12));
    assert_null(source_origin(src, 1000));
    diag_error(&d, src, (struct pos){7, 1, 3}, "no");
    FILE *out = open_memstream(&shown, &size);
    diag_render(&d, out, false);
    fclose(out);
    assert_string_equal(shown, "k.cu:7 (c.h:9): error: no\n    7 | ret;\n      | ^~~\n");
    free(shown);
    diag_free(&d);
    arena_close(a);
}

int main(int argc, char **argv) {
    bool fine = true;
    for (int k = 1; k < argc; k++)
        fine = check_file(argv[k]) && fine;
    if (argc > 1) return !fine;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_instructions), cmocka_unit_test(test_lists),
        cmocka_unit_test(test_declarations), cmocka_unit_test(test_parts),
        cmocka_unit_test(test_numbers),      cmocka_unit_test(test_errors),
        cmocka_unit_test(test_recovery),     cmocka_unit_test(test_places),
        cmocka_unit_test(test_labels),       cmocka_unit_test(test_origins),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
