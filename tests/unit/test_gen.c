/* Generated code, compared with what was read and found good: every cell of the tests in golden/, in both
 * dialects. CULITMUS_BLESS=1 rewrites the recorded text; read the difference before committing it. */
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../recorded.h"
#include "gen/gen.h"
#include "gen/names.h"
#include "source/read.h"

/* The cells of a test one after the other; of the C dialect only the first, since the bodies are the same
 * text. */
static void generate(const char *path, struct text *out) {
    struct arena *a = arena_open();
    struct diag d = {0};
    struct test *t = test_read(a, path, &d);
    diag_render(&d, stderr, false);
    assert_non_null(t);
    int n;
    struct cell *cells = test_cells(t, a, &n);
    for (int i = 0; i < n; i++)
        gen_cell(t, &cells[i], DIALECT_CUDA, out);
    text_add(out, "// ---- as C ----\n");
    gen_cell(t, &cells[0], DIALECT_C, out);
    diag_free(&d);
    arena_close(a);
}

/* True when the code of a test is what the file beside it records. */
static bool check_code(const char *path) {
    struct text now = {0}, golden = {0};
    text_printf(&golden, "%.*s.txt", (int)(strrchr(path, '.') - path), path);
    generate(path, &now);
    bool same = recorded_check(golden.s, now.s);
    text_free(&now);
    text_free(&golden);
    return same;
}

static void test_golden(void **state) {
    (void)state;
    glob_t files = {0};
    assert_int_equal(glob("golden/*.yaml", 0, NULL, &files), 0);
    assert_int_equal(glob("golden/*.litmus", GLOB_APPEND, NULL, &files), 0);
    assert_in_range(files.gl_pathc, 4, 100);
    int failed = 0;
    for (size_t i = 0; i < files.gl_pathc; i++)
        failed += !check_code(files.gl_pathv[i]);
    globfree(&files);
    if (failed) fail_msg("%d files of golden/ become other code", failed);
}

/* What a harness is told of a program. */
static void test_shape(void **state) {
    (void)state;
    struct arena *a = arena_open();
    struct diag d = {0};
    struct test *t = test_read(a, "golden/operations.yaml", &d);
    assert_non_null(t);
    struct shape s = gen_shape(t);
    assert_true(s.waits);
    assert_false(s.barriers);
    assert_true(s.arrays);
    assert_int_equal(s.global_elements, 6);
    assert_int_equal(s.shared_elements, 1);
    assert_int_equal(s.host_elements, 1);
    t = test_read(a, "golden/names.yaml", &d);
    assert_non_null(t);
    assert_int_equal(gen_barriers(&t->bodies[0], BARRIER_CTA), 1);
    assert_int_equal(gen_barriers(&t->bodies[0], BARRIER_WARP), 0);
    diag_free(&d);
    arena_close(a);
}

/* Whether no value can be large: not where numbers are added, or are copied from large ones. */
static void test_small_values(void **state) {
    (void)state;
    static const struct {
        bool small;
        const char *memory, *body;
    } rows[] = {
        {true, "X: 0", "X = 1; int r = X;"},
        {true, "X: 15", "X = 15; int r = X;"},
        {false, "X: 0", "X = 16; int r = X;"},
        {false, "X: 16", "X = 1; int r = X;"},
        {false, "X: -1", "X = 1; int r = X;"},
        {false, "A: {count: 2, init: [1, 99]}, X: 0", "X = 1; int r = A[0];"},
        {true, "X: 0", "int r = X; X = r; Y = r == 3 ? 2 : 1;"},
        {true, "X: 0", "int r = atomicExch(&X, 7); int s = r & 3; Y = s ^ r;"},
        {true, "X: 0", "int r = atomicCAS(&X, 99, 4); Y = r < 77;"},
        {false, "X: 0", "int r = atomicAdd(&X, 1);"},
        {false, "X: 0", "int r = X + 1;"},
        {false, "X: 0", "int r = -X;"},
        {false, "X: 0", "int r = X; Y = ~r;"},
        {true, "X: {type: uint64_t}", "X = 3; int r = Y;"},
        {false, "X: {type: uint64_t}", "X = 0x100000000; int r = Y;"},
        {false, "X: {type: int8_t}", "X = 1; int r = X;"},
        {false, "X: {type: float}", "X = 1; int r = Y;"},
        {false, "X: {type: int2}", "X.x = 1; int r = Y;"},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        struct arena *a = arena_open();
        struct diag d = {0};
        const char *yaml = arena_printf(a,
                                        "name: T\nmemory: {%s, Y: 0}\nthreads: {A: \"%s\", B: int q = "
                                        "Y;}\nexists: A.r == 1 && B.q == 1\n",
                                        rows[k].memory, rows[k].body);
        struct test *t = test_read_text(a, "t.yaml", yaml, strlen(yaml), &d);
        if (!t) diag_render(&d, stderr, false);
        assert_non_null(t);
        if (gen_small(t) != rows[k].small) fail_msg("%s: %s", rows[k].memory, rows[k].body);
        diag_free(&d);
        arena_close(a);
    }
}

static struct test *read_body(struct arena *a, const char *body) {
    struct diag d = {0};
    char *yaml =
        arena_printf(a, "name: T\nmemory: {X: 0}\nthreads:\n  T0: %s\n  T1: X = 2;\nexists: X == 1\n", body);
    struct test *t = test_read_text(a, "test.yaml", yaml, strlen(yaml), &d);
    assert_non_null(t);
    diag_free(&d);
    return t;
}

static void test_barriers_on_every_path(void **state) {
    (void)state;
    static const struct {
        const char *body;
        int barriers;
    } rows[] = {
        {"for (int i = 0; i < 3; i++) { __syncthreads(); __syncwarp(); }", 3},
        {"for (int i = 0; i < 3; i++, __syncthreads()) __syncthreads();", 6},
        {"if (X) __syncthreads(); else { X = 1; __syncthreads(); } __syncthreads();", 2},
        {"if (X) __syncthreads();", -1},
        {"while (X == 0) __syncthreads();", -1},
        {"while (X == 0) X = 1;", 0},
    };
    struct arena *a = arena_open();
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        assert_int_equal(gen_barriers(read_body(a, rows[k].body)->bodies, BARRIER_CTA), rows[k].barriers);
    arena_close(a);
}

/* Whether a cell of this body, placement and fence needs clusters. */
static bool needs_clusters(struct arena *a, const char *body, const char *placement, const char *fence) {
    struct diag d = {0};
    struct test *t = read_body(a, body);
    struct cell cell = {placement_parse(t, a, placement, (struct pos){0}, &d), ACCESS_VOLATILE,
                        fence_parse(t, a, fence, (struct pos){0}, &d)};
    assert_int_equal(d.errors, 0);
    return gen_clusters(t, &cell);
}

static void test_clusters(void **state) {
    (void)state;
    struct arena *a = arena_open();
    assert_false(needs_clusters(a, "X = 1;", "block", "as-written"));
    assert_false(needs_clusters(a, "X = 1;", "device", "as-written"));
    assert_true(needs_clusters(a, "X = 1;", "cluster", "as-written"));
    assert_true(needs_clusters(a, "atomic_thread_fence(sc, cluster);", "device", "as-written"));
    assert_true(needs_clusters(a, "cluster_sync();", "block", "as-written"));
    assert_false(needs_clusters(a, "fence(a); fence(b);", "device", "a=device,b=block"));
    assert_true(needs_clusters(a, "fence(a); fence(b);", "device", "b=cluster"));
    arena_close(a);
}

static void test_seating(void **state) {
    (void)state;
    struct arena *a = arena_open();
    struct diag d = {0};
    struct test *t = test_read(a, "golden/places.yaml", &d);
    assert_non_null(t);
    struct seating s = gen_seating(a, t, &t->placements[0]); /* a.b | c */
    assert_int_equal(s.gpus, 2);                             /* for Y */
    assert_int_equal(s.blocks, 2);
    assert_int_equal(s.lanes, 2);
    assert_int_equal(s.lane[1], 1);
    assert_int_equal(s.block[2], 1);
    s = gen_seating(a, t, &t->placements[1]); /* a || b c */
    assert_int_equal(s.gpu[0], 0);
    assert_int_equal(s.gpu[2], 1);
    assert_int_equal(s.blocks, 1);
    assert_int_equal(s.warp[2], 1);
    t = test_read(a, "golden/table.litmus", &d); /* two threads in two blocks */
    assert_non_null(t);
    s = gen_seating(a, t, &t->placements[0]);
    assert_int_equal(s.align_gpu, 0);
    assert_int_equal(s.align_block, 1);
    assert_int_equal(s.align_warp, 0);
    diag_free(&d);
    arena_close(a);
}

static struct text unit_at(const struct test *t, const char *placement) {
    struct text text = {0};
    for (int k = 0; k < t->nplacements; k++) {
        struct cell cell = {&t->placements[k], t->accesses[0], &t->fences[0]};
        if (strcmp(cell.placement->name, placement) == 0) gen_unit(t, &cell, DIALECT_CUDA, &text);
    }
    assert_true(text.len > 0);
    return text;
}

/* Only placements within one warp, in a cluster, on other GPUs or on the CPU have text of their own. */
static void test_placements_share_a_unit(void **state) {
    (void)state;
    static const char yaml[] = "name: MP\nmemory: {X: 0, Y: 0}\n"
                               "threads:\n  T0: X = 1; Y = 1;\n  T1: int a = Y; int b = X;\n"
                               "placements: [block, device, warp, cluster, peer]\nexists: a == 1 && b == 0\n";
    struct arena *a = arena_open();
    struct diag d = {0};
    struct test *t = test_read_text(a, "test.yaml", yaml, sizeof yaml - 1, &d);
    assert_non_null(t);
    struct text block = unit_at(t, "block");
    for (int k = 1; k < t->nplacements; k++) {
        const char *name = t->placements[k].name;
        struct text other = unit_at(t, name);
        assert_int_equal(strcmp(block.s, other.s) == 0, strcmp(name, "device") == 0);
        text_free(&other);
    }
    text_free(&block);
    diag_free(&d);
    arena_close(a);
}

static struct text outline_of(const struct test *t, const struct cell *cell) {
    struct text text = {0};
    gen_unit(t, cell, DIALECT_OUTLINE, &text);
    return text;
}

static struct cell *read_cells(struct arena *a, const char *yaml, struct test **t, int *n) {
    struct diag d = {0};
    *t = test_read_text(a, "test.yaml", yaml, strlen(yaml), &d);
    assert_non_null(*t);
    diag_free(&d);
    return test_cells(*t, a, n);
}

/* Orders, scopes and fences are left open; a weak access is kept in its place by more than its instruction. */
static void test_siblings_share_an_outline(void **state) {
    (void)state;
    static const char yaml[] =
        "name: MP\nmemory: {X: 0, Y: 0}\naccess: [volatile, relaxed, weak]\n"
        "fences: [none, device]\nplacements: [block]\n"
        "threads:\n  T0: X = 1; fence(); Y = 1;\n  T1: int a = Y; fence(); int b = X;\n"
        "exists: a == 1 && b == 0\n";
    struct arena *a = arena_open();
    int n;
    struct test *t;
    struct cell *cell = read_cells(a, yaml, &t, &n);
    assert_int_equal(n, 6);
    assert_int_equal(cell[0].access, ACCESS_VOLATILE);
    struct text first = outline_of(t, &cell[0]);
    assert_non_null(strstr(first.s, "{ asm volatile(\"st.order_1.global.s32 [%0], %1; // op 1\""));
    assert_non_null(strstr(first.s, "fence_2(void) { asm volatile(\"fence.order_2; // op 2\""));
    for (int k = 1; k < n; k++) {
        struct text other = outline_of(t, &cell[k]);
        assert_int_equal(strcmp(first.s, other.s) == 0, cell[k].access != ACCESS_WEAK);
        text_free(&other);
    }
    text_free(&first);
    arena_close(a);
}

/* What depends on a kernel needs time to begin before the thread that triggered goes on. */
static void test_a_thread_lingers_behind_its_trigger(void **state) {
    (void)state;
    static const char yaml[] =
        "name: T\nmemory: {X: 0}\nplacements: [A ~> B]\nthreads:\n"
        "  A: cudaTriggerProgrammaticLaunchCompletion(); X = 1;\n  B: int r = X;\nexists: r == 0\n";
    struct arena *a = arena_open();
    int n;
    struct test *t;
    struct cell *cell = read_cells(a, yaml, &t, &n);
    struct text text = outline_of(t, &cell[0]);
    const char *first = strstr(text.s, "linger(run)");
    assert_non_null(first);
    assert_null(strstr(first + 1, "linger(run)"));
    assert_true(first > strstr(text.s, "griddepcontrol.launch_dependents") &&
                first < strstr(text.s, "// op 2"));
    text_free(&text);
    arena_close(a);
}

#define ASM(line) "\t// begin inline asm\n" line "\t// end inline asm\n"

static void fill(const struct test *t, const struct cell *cell, const char *outline, const char *ptx) {
    struct text text = {0};
    assert_int_equal(gen_fill(outline, t, cell, &text), ptx != NULL);
    if (ptx) assert_string_equal(text.s, ptx);
    text_free(&text);
}

static void test_an_outline_is_filled(void **state) {
    (void)state;
    static const char yaml[] =
        "name: T\nmemory: {X: 0, Y: 0}\naccess: [volatile, relaxed]\nfences: [none, system]\nplacements: "
        "[block]\n"
        "threads:\n  T0: X = 1; fence(); Y = 1;\n  T1: int a = load(Y, acquire, device);\nexists: a == 1\n";
    static const char outline[] = "\tmov.u32 %r1, 1;\n" ASM("\tst.order_1.global.s32 [%rd1], %r1; // op 1\n")
        ASM("\tfence.order_2; // op 2\n") ASM("\tld.order_4.global.s32 %r2, [%rd2]; // op 4\n") "\tret;\n";
    struct arena *a = arena_open();
    int n;
    struct test *t;
    struct cell *cell = read_cells(a, yaml, &t, &n);
    assert_int_equal(n, 4);
    fill(t, &cell[0], outline,
         "\tmov.u32 %r1, 1;\n" ASM("\tst.volatile.global.s32 [%rd1], %r1; // op 1\n")
             ASM("\tld.acquire.gpu.global.s32 %r2, [%rd2]; // op 4\n") "\tret;\n");
    fill(t, &cell[3], outline,
         "\tmov.u32 %r1, 1;\n" ASM("\tst.relaxed.gpu.global.s32 [%rd1], %r1; // op 1\n")
             ASM("\tfence.sc.sys; // op 2\n")
                 ASM("\tld.acquire.gpu.global.s32 %r2, [%rd2]; // op 4\n") "\tret;\n");
    /* What no outline of the test can be is refused. */
    fill(t, &cell[0], "\tld.order_5.global.s32 %r2, [%rd2]; // op 5\n", NULL);
    fill(t, &cell[0], "\tld.order_.global.s32 %r2, [%rd2]; // op 1\n", NULL);
    fill(t, &cell[0], "\tfence.order_2; // op 2\n", NULL);
    fill(t, &cell[0], "\t// begin inline asm\n\tfence.order_2; // op 2\n\tret;\n", NULL);
    arena_close(a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden),
        cmocka_unit_test(test_shape),
        cmocka_unit_test(test_small_values),
        cmocka_unit_test(test_barriers_on_every_path),
        cmocka_unit_test(test_clusters),
        cmocka_unit_test(test_seating),
        cmocka_unit_test(test_placements_share_a_unit),
        cmocka_unit_test(test_a_thread_lingers_behind_its_trigger),
        cmocka_unit_test(test_siblings_share_an_outline),
        cmocka_unit_test(test_an_outline_is_filled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
