/* Tables in PTX syntax: what they become, and what is written. */
#include "../ints.h"
#include "cm.h"
#include "dump.h"
#include "model/model.h"
#include "source/read.h"
#include "source/table.h"

static struct test *read_table(struct arena *a, const char *text, struct diag *d) {
    struct test *t = test_read_text(a, "t.litmus", text, strlen(text), d);
    char *messages = dump_diag(d);
    assert_string_equal(messages, "");
    free(messages);
    assert_non_null(t);
    return t;
}

/* Reads a one-column table of these rows over x, y and r9 = 9. */
static void check(const char *rows, const char *want) {
    struct arena *a = arena_open();
    struct diag d = {0};
    char *text = arena_printf(a, "PTX T\n{ x=0; y=0; P0:r8=8; P0:ry=y; }\nP0 ;\n%s\nexists (x=1)\n", rows);
    struct test *t = read_table(a, text, &d);
    char *got = dump_body(t, 0);
    assert_string_equal(got, want);
    free(got);
    diag_free(&d);
    arena_close(a);
}

static void memory_instructions(void **state) {
    (void)state;
    check("ld r0, x; ld.weak r1, [y]; ld.volatile.u32 r2, x; ld.relaxed.cta r3, x;",
          "r8 = 8; r0 = load.weak x; r1 = load.weak y; r2 = load.volatile x; r3 = load.relaxed.cta x");
    check("ld.acquire.sys r0, [ry]; st x, 1; st.release.cluster [x], r8; st.volatile.global.b32 y, -1;",
          "r8 = 8; r0 = load.acquire.sys y; store.weak x, 1; store.release.cluster x, r8; store.volatile y, "
          "-1");
    check("atom.add r0, x, 1; atom.acq_rel.cta.exch.b32 r1, [x], r0; atom.cas.acquire.sys %r2, x, 0, 1;",
          "r8 = 8; r0 = rmw.add.relaxed.gpu x, 1; r1 = rmw.exch.acq_rel.cta x, r0; r2 = rmw.cas.acquire.sys "
          "x, 0, 1");
    check("red.release.gpu.max.s32 x, 3; atom.inc.u32 r0, x, 7; atom.relaxed.cluster.xor r1, y, 0xf;",
          "r8 = 8; rmw.max.release.gpu x, 3; r0 = rmw.inc.relaxed.gpu x, 7; r1 = rmw.xor.relaxed.cluster y, "
          "15");
    check("atom.release.gpu.add _, x, 1; atom.cas _, [y], 0, 1;",
          "r8 = 8; t$1 = rmw.add.release.gpu x, 1; t$2 = rmw.cas.relaxed.gpu y, 0, 1");
}

static void fences_and_barriers(void **state) {
    (void)state;
    check("fence.sc.cta; fence.acq_rel.gpu; fence.cluster; membar.cta; membar.gl; membar.sys;",
          "r8 = 8; fence.sc.cta; fence.acq_rel.gpu; fence.acq_rel.cluster; fence.sc.cta; fence.sc.gpu; "
          "fence.sc.sys");
    check("bar.cta.sync 1; bar.sync 2, 64; barrier.cta.sync.aligned 0; bar.warp.sync 0xffff; bar.cta.arrive "
          "3, 64;",
          "r8 = 8; barrier.cta.cta id 1 threads 0; barrier.cta.cta id 2 threads 2; barrier.cta.cta id 0 "
          "threads 0; barrier.warp.cta id 0 threads 0; barrier.cta.arrive.cta id 3 threads 2");
}

static void arithmetic_and_branches(void **state) {
    (void)state;
    check("mov r0, 5; add.s32 r1, r0, r8; sub r1, r1, -1; mul.lo.u32 r2, r1, r0; xor.b32 r2, r2, r2; not r3, "
          "r2;",
          "r8 = 8; r0 = 5; r1 = r0 + r8; r1 = r1 - -1; r2 = r1 * r0; r2 = r2 ^ r2; r3 = ~r2");
    check("L0: ld r0, x; bne r0, 1, L0; bge r0, r8, L1; goto L1; st x, 2; L1: ;",
          "r8 = 8; L0:; r0 = load.weak x; if (r0 != 1) goto L0; if (r0 >= r8) goto L1; goto L1; store.weak "
          "x, 2; L1:");
    check("exists: ld r0, x; beq r0, 0, exists;",
          "r8 = 8; exists:; r0 = load.weak x; if (r0 == 0) goto exists");
    check("ld r0, x; setp.ne.s32 p, r0, 1; @p bra L; @!p st x, 1; L: st x, 2;",
          "r8 = 8; r0 = load.weak x; p = r0 != 1; if (p) goto L; if (!p) {store.weak x, 1}; L:; store.weak "
          "x, 2");
}

/* Runs this instruction, which sets r, on a and n; also as it is written and read again. */
static void check_computes(const struct model *model, const char *instruction, int a, int n, int want) {
    struct arena *arena = arena_open();
    struct diag d = {0};
    struct model_limits limits = {0};
    struct model_result result;
    int one;
    char *text = arena_printf(arena, "PTX T\n{ x; P0:a=%d; P0:n=%d; }\nP0 ;\n%s ;\nexists (r = 1)\n", a, n,
                              instruction);
    for (int i = 0; i < 2; i++) {
        struct text out = {0};
        struct test *t = read_table(arena, text, &d);
        const struct cell *cell = test_cells(t, arena, &one);
        assert_true(model_check(model, t, cell, &limits, arena, &result, &d));
        assert_int_equal(result.noutcomes, 1);
        if (int_of(result.outcomes[0].values[0]) != want) print_error("%s", text);
        assert_int_equal(int_of(result.outcomes[0].values[0]), want);
        assert_null(litmus_write(arena, t, cell, &out));
        text = arena_strdup(arena, out.s);
        text_free(&out);
    }
    diag_free(&d);
    arena_close(arena);
}

static void types_and_shifts(void **state) {
    (void)state;
    struct arena *a = arena_open();
    struct diag d = {0};
    const struct model *ptx = model_load(a, "ptx", &d);
    assert_non_null(ptx);
    static const struct {
        const char *instruction;
        int a, n, want;
    } cases[] = {
        {"shl.b32 r, a, n", -8, 3, -64},
        {"shl.b32 r, a, n", -8, 32, 0},
        {"shl r, a, n", -8, -1, 0},
        {"shl r, a, 35", 1, 0, 0},
        {"shl r, 1, n", 0, 31, INT32_MIN},
        {"shr r, a, n", -8, 2, -2},
        {"shr.s32 r, a, n", -8, 40, -1},
        {"shr.s32 r, a, n", 8, 40, 0},
        {"shr.s32 r, a, 32", -8, 0, -1},
        {"shr.u32 r, a, n", -8, 28, 15},
        {"shr.u32 r, a, n", -8, 0, -8},
        {"shr.u32 r, a, n", -8, 32, 0},
        {"shr.b32 r, a, 31", -8, 0, 1},
        {"shr.b32 r, a, 0", -8, 0, -8},
        {"shr.b32 r, a, 64", -8, 0, 0},
        {"bfe.u32 r, a, 0, 8", -8, 0, 248},
        {"bfe.s32 r, a, 2, 3", -8, 0, -2},
        {"setp.lt.s32 r, a, n", -1, 1, 1},
        {"setp.lt.u32 r, a, n", -1, 1, 0},
        {"setp.ge.u32 r, a, -2", -1, 1, 1},
        {"setp.lo r, n, a", -1, 1, 1},
        {"setp.ls.u32 r, a, a", -1, 1, 1},
        {"setp.hi r, a, n", -1, 1, 1},
        {"setp.hs.u32 r, n, a", -1, 1, 0},
        {"setp.eq.u32 r, a, -1", -1, 1, 1},
        {"mov r, 5; bgt.u32 a, n, L; mov r, 6; L:", -1, 1, 5},
        {"setp.hs r, a, n", -1, 1, 1},
        {"add a, a, n; mov r, a", 3, 4, 7},
        {"neg r, -5", 0, 0, 5},
        {"setp.eq p, a, n; @p bra L0; @!p mov r, 5; L0:", 3, 4, 5},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_computes(ptx, cases[i].instruction, cases[i].a, cases[i].n, cases[i].want);
    check("shl r0, r8, 3; shr r1, r8, 33; shr.u32 r2, r8, 3; setp.lt.u32 r3, r8, -1;",
          "r8 = 8; r0 = r8 << 3u; r1 = r8 >> 31; r2 = (int)((unsigned)r8 >> 3u); r3 = (unsigned)r8 < "
          "4294967295u");
    arena_close(a);
}

/* Checks condition, observables and layout of a table with this header row and this end. */
static void check_head(const char *header, const char *end, const char *condition, const char *observed,
                       const char *layout) {
    struct arena *a = arena_open();
    struct diag d = {0};
    char *text = arena_printf(
        a,
        "PTX MP+[x]\n\"a (* text { of // the file\"\nGenerator=diy\n(* a (* nested *) comment *)\n"
        "{ x; y = -1; int z=0; 1:r0=0; }\n%s\n"
        "st x, 1 | ld r0, x // first\n; | ld r1, x /* second */ ;\n%s\n",
        header, end);
    struct test *t = read_table(a, text, &d);
    dump_check_condition(t, condition, observed);
    assert_string_equal(t->name, "MP+[x]");
    assert_string_equal(t->doc, "a (* text { of // the file");
    assert_int_equal(int_of(t->locs[1].init), -1);
    assert_int_equal(t->nplacements, 1);
    assert_string_equal(t->placements[0].name, layout);
    assert_string_equal(t->fences[0].name, "as-written");
    diag_free(&d);
    arena_close(a);
}

static void heads_and_conditions(void **state) {
    (void)state;
    check_head("P0@cta 0,gpu 0 | P1@cta 0, gpu 0;", "exists (1:r0 = 1 /\\ x == 1)",
               "exists P1.r0 == 1 && x == 1", "P1.r0 x", "P0 P1");
    check_head("P0@cta 0,gpu 0 | P1@cta 1,gpu 0;", "~exists P1:r0=1 \\/ [x]=0 /\\ r0 = 2",
               "not_exists P1.r0 == 1 || x == 0 && P1.r0 == 2", "P1.r0 x", "P0 | P1");
    check_head("P0@gpu 0,cta 0 | P1@gpu 1,cta 0;", "locations [z; 1:r1;]\nforall (not (r0 != 1) /\\ ~(y=3))",
               "forall !(P1.r0 != 1) && !(y == 3)", "P1.r0 y z P1.r1", "P0 || P1");
    check_head("P0@cta 0 | P1@cta 0,gpu 0;", "exists (x=1)", "exists x == 1", "x", "P0 P1");
    check_head("P0@cta 0,cluster 0 | P1@cta 0,cluster 1;", "exists (x=1)", "exists x == 1", "x", "P0 | P1");
    check_head("P0@cluster 0,gpu 0 | P1@cluster 0,gpu 1;", "exists (x=1)", "exists x == 1", "x", "P0 || P1");
    check_head("P0@cta 0,cluster 0 | P1@cta 1,cluster 0;", "not exists (x=1)", "not_exists x == 1", "x",
               "P0 & P1");
    check_head("P0 | P1;", "locations [z;]\nlocations [y]\nexists (x=1)", "exists x == 1", "x z y",
               "P0 | P1");
    check_head("P0 | P1;", "exists\n  x=1", "exists x == 1", "x", "P0 | P1");
}

static void a_byte_order_mark_is_skipped(void **state) {
    (void)state;
    struct arena *a = arena_open();
    struct diag d = {0};
    assert_string_equal(
        read_table(a, "\xef\xbb\xbfPTX T\n{ x=0; }\nP0 ;\nst x, 1 ;\nexists (x=1)\n", &d)->name, "T");
    diag_free(&d);
    arena_close(a);
}

/* Writes a test of one thread with this body over X, t0 and array a, compares the rows below the header, each
 * without its spaces, and reads them again. */
static void check_written(const char *body, const char *want) {
    struct arena *a = arena_open();
    struct diag d = {0};
    struct text out = {0}, got = {0};
    int n;
    char *file = arena_printf(a,
                              "name: T\nmemory: {X: 0, a: {count: 2, init: 7}, t0: 0}\nthreads:\n"
                              "  T0: {count: 1, body: \"%s\"}\nplacements: [device]\nexists: X == 1\n",
                              body);
    struct test *t = test_read_text(a, "t.yaml", file, strlen(file), &d);
    assert_non_null(t);
    assert_null(litmus_write(a, t, test_cells(t, a, &n), &out));
    const char *head = "PTX T\n{ X=0; a_0=7; a_1=7; t0=0; }\n P0@cta 0,gpu 0";
    assert_memory_equal(out.s, head, strlen(head));
    read_table(a, out.s, &d);
    char *save, *line = strtok_r(out.s + strlen(head), "\n", &save);
    while ((line = strtok_r(NULL, "\n", &save)) && *line == ' ') {
        size_t len = strcspn(line, ";");
        while (line[len - 1] == ' ')
            len--;
        text_printf(&got, "%.*s;", (int)len, line);
    }
    assert_string_equal(got.s, want);
    assert_string_equal(line, "exists (X == 1)");
    text_free(&out);
    text_free(&got);
    diag_free(&d);
    arena_close(a);
}

static void cells_are_written(void **state) {
    (void)state;
    check_written("X = tid + 1; a[count] = 2;", " st.volatile X, 1; st.volatile a_1, 2;");
    check_written("while (load(X, acquire, block) != 1) ; atomicAdd(&X, X * 2);",
                  " L0:; ld.acquire.cta t0_, X; bne t0_, 1, L0; ld.volatile t1, X; mul t3, t1, 2; "
                  "atom.relaxed.gpu.add t2, X, t3;");
    check_written("int r = X; if (r == 1 && tid == 0 || !(r < 2)) X = 5; else __threadfence();",
                  " ld.volatile r, X; bne r, 1, L0; goto L1; L0:; blt r, 2, L2; L1:; st.volatile X, 5; goto "
                  "L3; L2:; fence.sc.gpu; L3:;");
    check_written("for (int i = 0; i < 2; i++) { if (X) continue; if (a[0]) break; a[1] = i; }",
                  " mov i, 0; L0:; bge i, 2, L1; ld.volatile t1, X; bne t1, 0, L2; ld.volatile t2, a_0; bne "
                  "t2, 0, L1; st.volatile a_1, i; L2:; add i, i, 1; goto L0; L1:;");
    check_written("int t1 = X ? 3 : 4; int q = t1 == 3; q = q && t1; q = -q;",
                  " ld.volatile t1_, X; beq t1_, 0, L0; mov t1, 3; goto L1; L0:; mov t1, 4; L1:; setp.eq q, "
                  "t1, 3; mov t3, 0; beq q, 0, L2; beq t1, 0, L2; mov t3, 1; L2:; mov q, t3; neg q, q;");
    check_written("int r = X; r = r << 35; r = 1 >> r;",
                  " ld.volatile r, X; shl r, r, 3; and t1, r, 31; shr r, 1, t1;");
    check_written("int r = X; if (r > 1) X = 2; if (r <= 3) X = 4; if (r >= 5) X = 6; if (r != 7) X = 8;",
                  " ld.volatile r, X; ble r, 1, L0; st.volatile X, 2; L0:; bgt r, 3, L1; st.volatile X, 4; "
                  "L1:; blt r, 5, L2; st.volatile X, 6; L2:; beq r, 7, L3; st.volatile X, 8; L3:;");
    check_written("while (1) { if (X) break; else X = 2; }",
                  " L0:; ld.volatile t0_, X; beq t0_, 0, L1; goto L2; goto L3; L1:; st.volatile X, 2; L3:; "
                  "goto L0; L2:;");
    check_written("while (1) { if (X) break; X = 1; }",
                  " L0:; ld.volatile t0_, X; bne t0_, 0, L1; st.volatile X, 1; goto L0; L1:;");
}

/* Writes a test with this condition and compares what stands behind the rows, and the title. */
static void check_end(const char *condition, const char *want) {
    struct arena *a = arena_open();
    struct diag d = {0};
    struct text out = {0};
    int n;
    char *file = arena_printf(a,
                              "name: T\ntitle: 'a \"b\"'\nmemory: {X: 0, Y: 0, Z: 0}\nthreads:\n"
                              "  T0: int r = X;\nplacements: [device]\n%s\n",
                              condition);
    struct test *t = test_read_text(a, "t.yaml", file, strlen(file), &d);
    assert_non_null(t);
    assert_null(litmus_write(a, t, test_cells(t, a, &n), &out));
    assert_memory_equal(out.s, "PTX T\n\"a 'b'\"\n", 14);
    assert_string_equal(strrchr(out.s, ';') + 2, want);
    read_table(a, out.s, &d);
    text_free(&out);
    diag_free(&d);
    arena_close(a);
}

static void conditions_are_written(void **state) {
    (void)state;
    check_end("exists: X == 1 && Y == 2 && r == 3", "exists (X == 1 /\\ Y == 2 /\\ P0:r == 3)\n");
    check_end("exists: X == 1 && (Y == 2 && r == 3)", "exists (X == 1 /\\ (Y == 2 /\\ P0:r == 3))\n");
    check_end("not_exists: (X || Y == 2) && Z", "~exists ((X \\/ Y == 2) /\\ Z)\n");
    check_end("forall: Z && (X == 1 || Y)", "forall (Z /\\ (X == 1 \\/ Y))\n");
    check_end("exists: X && Y || Z + 1 == 2", "exists ((X /\\ Y) \\/ (Z + 1) == 2)\n");
    check_end("exists: X - Y + Z - (X - Y) == 0", "exists ((X - Y + Z - (X - Y)) == 0)\n");
    check_end("exists: X * Y * (Z * r) == (X < Y) < Z", "exists ((X * Y * (Z * P0:r)) == ((X < Y) < Z))\n");
    /* more terms than there may be parentheses in each other */
    char sum[4096] = "", condition[4200], want[4200];
    for (int k = 0; k < 250; k++)
        strcat(sum, k % 2 ? " - Z + X" : " + X - Y");
    snprintf(condition, sizeof condition, "exists: X%s == 0", sum);
    snprintf(want, sizeof want, "exists ((X%s) == 0)\n", sum);
    check_end(condition, want);
}

static void check_cell(const char *file, const char *why, const char *table) {
    struct arena *a = arena_open();
    struct diag d = {0};
    struct text out = {0};
    int n;
    struct test *t = test_read_text(a, "t.yaml", file, strlen(file), &d);
    assert_non_null(t);
    const char *reason = litmus_write(a, t, test_cells(t, a, &n), &out);
    assert_string_equal(reason ? reason : "", why);
    assert_string_equal(out.len ? out.s : "", table);
    text_free(&out);
    diag_free(&d);
    arena_close(a);
}

#define OF_GRID(block, body)                                                                                 \
    "name: T\nmemory: {X: 0}\nthreads:\n  k: {grid: 1, block: " block ", body: '" body                       \
    "'}\nexists: X == 1\nplacements: [device]\n"

/* A table has neither the warps of a grid, which a barrier counts, nor numbers of 32 bits without a sign. */
static void barriers_of_grids_are_written_where_they_mean_the_same(void **state) {
    (void)state;
    check_cell(OF_GRID("1", "asm volatile(\"bar.sync 1, 32;\" ::: \"memory\");"), "",
               "PTX T\n{ X=0; }\n P0@cta 0,gpu 0     ;\n bar.cta.sync 1, 32 ;\nexists (X == 1)\n");
    check_cell(OF_GRID("2", "asm volatile(\"bar.sync 1, 32;\" ::: \"memory\");"),
               "a barrier counts the warps of a grid, and in a table it counts each thread as one", "");
    check_cell(OF_GRID("2", "int r = X; cooperative_groups::this_grid().sync();"),
               "the barrier of a grid counts in a number without a sign", "");
    check_cell(OF_GRID("2", "__syncwarp(3);"), "",
               "PTX T\n{ X=0; }\n P0@warp 0,cta 0,gpu 0 | P1@warp 0,cta 0,gpu 0 ;\n bar.warp.sync 3       | "
               "bar.warp.sync 3       ;\nexists (X == 1)\n");
}

static void check_refused(const char *memory, const char *body, const char *placement, const char *want) {
    struct arena *a = arena_open();
    check_cell(arena_printf(a,
                            "name: T\nmemory: %s\nthreads:\n  T0: X = 1;\n  T1: \"%s\"\nplacements: [%s]\n"
                            "exists: X == 1\n",
                            memory, body, placement),
               want, "");
    arena_close(a);
}

static void what_a_table_cannot_say(void **state) {
    (void)state;
    check_refused("{X: {space: host}}", ";", "host", "'X' is in host memory");
    check_refused("{X: {gpu: 1}}", ";", "peer", "'X' is in the memory of one GPU");
    check_refused("{X: 0}", ";", "T0 T1@host", "'T1' is a CPU thread");
    check_refused("{X: 0, v: {type: int2, count: 2, init: [[1, 2], [3, 4]]}}",
                  "int r = X; int2 q = v[r & 1];", "device",
                  "the elements of 'v' are vectors that begin as more than one number");
    check_refused("{X: {type: float}}", ";", "device", "'X' is of type float");
    check_refused("{X: 0, w: {type: __int128}}", "w = -1;", "device", "a number has more than 64 bits");
    check_refused("{X: 0, v: {type: int2}}", "v;", "device", "a vector is read, and not used");
    check_refused("{X: 0, v: {type: int2}}", "int i = X; int2 q = v; q = i ? q : make_int2(1, 2); v = q;",
                  "device", "a vector is computed");
    check_refused("{X: 0, a: {count: 4}}", "int2 q = *(int2 *)&a[0]; X = q.x;", "device",
                  "a vector lies over several elements of an array");
    check_refused("{X: 0, a_1: 0, a: {count: 2}}", ";", "device",
                  "two locations, or one and a register, would have one name");
    check_refused("{X: 0, a: {count: 2}}", "int a_1 = X;", "device",
                  "two locations, or one and a register, would have one name");
    check_cell("name: T\nmemory: {s: {space: shared}}\nthreads:\n  k: {grid: 2, block: 1, body: s = 1;}\n"
               "exists: s@1 == 1\n",
               "'s' is in the shared memory of several blocks", "");
}

#define CONDITION_OF_VECTORS(body, condition)                                                                \
    "name: T\nmemory: {v: {type: int2}}\nthreads:\n  T0: '" body "'\nexists: \"" condition "\"\n"

/* An element of what is computed is none that the end of a run has. */
static void a_condition_names_elements_and_computes_no_vectors(void **state) {
    (void)state;
    check_cell(CONDITION_OF_VECTORS("v = make_int2(1, 2);", "(v).y == 2"), "",
               "PTX T\n{ int2 v={0,0}; }\n P0@cta 0,gpu 0              ;\n st.volatile.v2.s32 v, {1,2} "
               ";\nexists (v.y == 2)\n");
    check_cell(CONDITION_OF_VECTORS("int2 q = v;", "(v.x == 1 ? v : q).y == 2"),
               "the condition computes a vector", "");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_instructions),
        cmocka_unit_test(fences_and_barriers),
        cmocka_unit_test(arithmetic_and_branches),
        cmocka_unit_test(types_and_shifts),
        cmocka_unit_test(heads_and_conditions),
        cmocka_unit_test(a_byte_order_mark_is_skipped),
        cmocka_unit_test(cells_are_written),
        cmocka_unit_test(conditions_are_written),
        cmocka_unit_test(what_a_table_cannot_say),
        cmocka_unit_test(a_condition_names_elements_and_computes_no_vectors),
        cmocka_unit_test(barriers_of_grids_are_written_where_they_mean_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
