/* The dialects of PTX tables: what each way to write a thing becomes, and what the model says of it. */
#include <stdio.h>

#include "../ints.h"
#include "cm.h"
#include "dump.h"
#include "model/model.h"
#include "source/read.h"
#include "source/table.h"

static struct test *read_table(struct arena *a, const char *text, struct diag *d) {
    struct test *t = test_read_text(a, "t.litmus", text, strlen(text), d);
    if (d->errors) diag_render(d, stderr, false);
    assert_non_null(t);
    return t;
}

/* Whether the model allows the condition; of a table, and of the same table written and read again where it can be
 * written. */
static bool allows(const char *text) {
    struct arena *a = arena_open();
    struct diag d = {0};
    const struct model *ptx = model_load(a, "ptx", &d);
    bool allowed[2] = {false, false};
    for (int k = 0; k < 2; k++) {
        struct model_limits limits = {0};
        struct model_result result;
        int n;
        struct test *t = read_table(a, text, &d);
        struct cell *cells = test_cells(t, a, &n);
        assert_true(model_check(ptx, t, cells, &limits, a, &result, &d));
        allowed[k] = result.allowed;
        struct text out = {0};
        if (!litmus_write(a, t, cells, &out)) text = arena_strdup(a, out.s);
        text_free(&out);
    }
    assert_int_equal(allowed[0], allowed[1]);
    diag_free(&d);
    arena_close(a);
    return allowed[0];
}

/* ---- heads ---- */

/* Checks the layout of the threads, and how body 0 reads. */
static void check(const char *text, const char *layout, const char *body) {
    struct arena *a = arena_open();
    struct diag d = {0};
    struct test *t = read_table(a, text, &d);
    assert_string_equal(t->placements[0].name, layout);
    char *got = dump_body(t, 0);
    assert_string_equal(got, body);
    free(got);
    diag_free(&d);
    arena_close(a);
}

static void heads_of_every_dialect(void **state) {
    (void)state;
    check("ptx \"quoted\"\nsome text (2024)\n\"more\"\n{ x=0; } ;\nP0@cta 0, gpu 0 ;\nst.weak x, 1;\n"
          "exists (x=1);\n",
          "P0", "store.weak x, 1");
    check("PTX p\n{x=0;}\nP0@warp 0, cta 0, gpu 0 | P1@warp 0, cta 0, gpu 0 | P2@warp 1,cta 0,gpu 0 ;\n"
          "st.weak x, 1 | | ;\nexists (x=1)\n",
          "P0.P1 P2", "store.weak x, 1");
    check("PTX p\n{x=0;}\nP0@cta 0, cluster 0, gpu 0, sys 0 | P1@cta 1, cluster 0, gpu 0, sys 0 ;\n"
          "st.weak x, 1 | ;\nexists (x=1)\n",
          "P0 & P1", "store.weak x, 1");
    check("GPU_PTX p\n\"title\"\n{ 0:.reg .s32 r0; 0:.reg .b64 r1 = x; 1:.reg .s32 r0=3; }\n P0 | P1 | P2 ;\n"
          " mov.s32 r0, 1 | | ;\n st.cg.s32 [r1], r0 | | ;\n"
          "scopeTree (device (kernel (cta (warp P0 P1)) (cta P2)))\nx: global\nexists (x=1)\n",
          "P0.P1 | P2", "r0 = 1; store.weak.cg x, r0");
    check("PTX p\n{x;}\nP0 | P1 | P2 ;\n st.weak x, 1 | | ;\n"
          "scopeTree (system (gpu (cluster (cta P0) (cta 1))) (gpu (block P2)))\nexists (x=1)\n",
          "P0 & P1 || P2", "store.weak x, 1");
}

static void check_name(const char *head, const char *name, const char *doc) {
    struct arena *a = arena_open();
    struct diag d = {0};
    char *text = arena_printf(a, "%s{ x=0; }\nP0 | P1 ;\n;\nst x, 1 | st x, 2 ;\nexists (x=1)\n", head);
    struct test *t = test_read_text(a, "folder/a file.b.litmus", text, strlen(text), &d);
    if (d.errors) diag_render(&d, stderr, false);
    assert_non_null(t);
    assert_string_equal(t->name, name);
    assert_string_equal(t->doc ? t->doc : "", doc);
    diag_free(&d);
    arena_close(a);
}

static void names_of_every_dialect(void **state) {
    (void)state;
    check_name("PTX SB/x+[a].1\n", "SB/x+[a].1", "");
    check_name("PTX three  short words \n", "three_short_words", "");
    check_name("PTX SB (tex) \"what it is\"\nHash=12\n", "SB", "what it is");
    check_name("PTX SB ;\n\"what it is\"\n", "SB", "what it is");
    check_name("PTX SB ", "SB", "");
    check_name("PTX \"in quotes\"\n", "in_quotes", "");
    check_name("(* first *) PTX\n", "a_file.b", "");
    struct arena *a = arena_open();
    struct diag d = {0};
    const char *text = "PTX --\n{}\nP0 ;\nst x, 1 ;\n(x=1)\n";
    struct test *t = test_read_text(a, "folder/SB.cta.litmus", text, strlen(text), &d);
    assert_non_null(t);
    assert_string_equal(t->name, "SB.cta");
    diag_free(&d);
    arena_close(a);
}

/* A number stands for P0, or for the thread whose name ends so. */
static void threads_of_every_dialect(void **state) {
    (void)state;
    check("GPU_PTX p\n{ 0:r1=x; T1:r1=y; }\n T0 | T1 ;\n st [r1], 1 | ld r0, [r1] ;\n"
          "scopeTree (device (kernel (cta (warp 0) (warp 1))))\nexists (1:r0=0 /\\ x=1)\n",
          "T0 T1", "store.weak x, 1");
    check("GPU_PTX p\n{ 0:r1=x; P1:r1=y; }\n 0 | 1 ;\n st [r1], 1 | st [r1], 2 ;\nexists (x=1)\n", "P0 | P1",
          "store.weak x, 1");
    assert_true(allows("PTX p\n{ x1=1; }\nP1 | P2 ;\nld r0, x1 | st x2, 1 ;\nexists (1:r0=1 /\\ x2=1)\n"));
}

static void initial_values(void **state) {
    (void)state;
    struct arena *a = arena_open();
    struct diag d = {0};
    struct test *t = read_table(
        a,
        "PTX p\n{ x=0x10; [y]=-2; .u64 z=0x123456789a; unsigned long w=7; int a[3]={1,2}; int4 v={1,2,3,4};\n"
        ".shared .u32 s=5; shared int q; atomic int b=1; P0:%r1=&y; 0:r2=9; }\nP0 ;\nld r3, [r1];\n"
        "exists (r3=1)\n",
        &d);
    static const struct {
        const char *name, *type, *init;
    } wants[] = {{"x", "int", "16"},     {"y", "int", "-2"}, {"z", "uint64_t", "78187493530"},
                 {"w", "uint64_t", "7"}, {"a", "int", "1"},  {"v", "int4", "{1,2,3,4}"},
                 {"s", "unsigned", "5"}, {"q", "int", "0"},  {"b", "int", "1"}};
    assert_int_equal(t->nlocs, 9);
    for (int i = 0; i < t->nlocs; i++) {
        char buf[VALUE_MAX_TEXT];
        const struct location *l = &t->locs[i];
        assert_string_equal(l->name, wants[i].name);
        assert_string_equal(type_name(l->type), wants[i].type);
        assert_string_equal(value_text(buf, l->type, location_init(l, 0)), wants[i].init);
    }
    assert_int_equal(int_of(location_init(&t->locs[4], 1)), 2);
    assert_int_equal(t->locs[6].space, SPACE_SHARED);
    assert_int_equal(t->locs[7].space, SPACE_SHARED);
    diag_free(&d);
    arena_close(a);
}

/* ---- instructions ---- */

#define ONE(rows) "PTX p\n{ x=0; y=0; P0:a=y; P0:r9=9; }\nP0@cta 0,gpu 0 ;\n" rows "\nexists (x=1)\n"

static void instructions_of_every_dialect(void **state) {
    (void)state;
    check(ONE("ld r0, 1; ld.weak r1, -2; ld.relaxed.gpu r2, 3; ld r3, r0; ld.weak r4, [a];"), "P0",
          "r9 = 9; r0 = 1; r1 = -2; r2 = 3; r3 = r0; r4 = load.weak y");
    check(ONE("red.acq_rel.gpu.add x, 1; red.acquire.cta.or x, 2; red.release.gpu.add x, 3; "
              "atom.acq_rel.gpu.plus r0, x, 1; atom.relaxed.cta.minus r1, x, 1;"),
          "P0",
          "r9 = 9; t$1 = rmw.add.acq_rel.gpu x, 1; t$2 = rmw.or.acquire.cta x, 2; rmw.add.release.gpu x, 3; "
          "r0 = rmw.add.acq_rel.gpu x, 1; r1 = rmw.sub.relaxed.cta x, 1");
    check(ONE("ld.global.L1::evict_last.L2::128B.b32 r0, [x]; ld.relaxed.gpu.global.L1::no_allocate.s32 %r1, "
              "[x]; "
              "st.weak.L2::cache_hint.u32 [x], 1, pol; ld.lu.s32 r2, [x]; st.wt.b32 [x], %r2;"),
          "P0",
          "r9 = 9; r0 = load.weak x; r1 = load.relaxed.gpu x; store.weak x, 1; r2 = load.weak.lu x; "
          "store.weak.wt x, r2");
    check("PTX p\n{ x=0; y=0; }\nP0 | P1 ;\n| ld r0, x ; | ld r1, y ; st y, 1 | ; | ld r2, x ;\nst x, 1 ; | "
          ";\nexists (x=1)\n",
          "P0 | P1", "store.weak y, 1; store.weak x, 1");
    check(ONE("ld.mmio.relaxed.sys.global.u32 r0, [x]; st.mmio.relaxed.sys [x], 1;"), "P0",
          "r9 = 9; r0 = load.relaxed.sys x; store.relaxed.sys x, 1");
    check(ONE("EXIT: ld r0, x; setp.eq.s32 p, r0, 1; @p exit; @!p ret.uni; beq r0, 2, EXIT;"), "P0",
          "r9 = 9; EXIT:; r0 = load.weak x; p = r0 == 1; if (p) goto EXIT_; if (!p) goto EXIT_; if (r0 == 2) "
          "goto EXIT; EXIT_:");
    check(ONE("barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;"), "P0",
          "r9 = 9; barrier.cluster.cluster id 0 threads 0");
    check(ONE("barrier.cluster.arrive; barrier.cluster.arrive.relaxed; barrier.cluster.wait;"), "P0",
          "r9 = 9; barrier.cluster.arrive.cluster id 0 threads 0; barrier.cluster.arrive.cluster id 0 "
          "threads 0; "
          "barrier.cluster.cluster id 0 threads 0");
}

/* An instruction that names shared memory puts its location there; others leave it where it is. */
static void instructions_name_spaces(void **state) {
    (void)state;
    struct arena *a = arena_open();
    struct diag d = {0};
    struct test *t = read_table(a,
                                "PTX p\n{ x=0; y=0; z=0; }\nP0@cta 0 | P1@cta 0 ;\n"
                                "ld.relaxed.cta.shared.u32 r0, [x] | st [x], 1 ;\n"
                                "atom.shared::cluster.add.u32 r1, [y], 1 | st.global [z], 1;\nexists (x=1)\n",
                                &d);
    char *got = dump_body(t, 0);
    assert_string_equal(got, "r0 = load.relaxed.cta x; r1 = rmw.add.relaxed.gpu y, 1");
    assert_int_equal(t->locs[0].space, SPACE_SHARED);
    assert_int_equal(t->locs[1].space, SPACE_SHARED);
    assert_int_equal(t->locs[2].space, SPACE_GLOBAL);
    free(got);
    diag_free(&d);
    arena_close(a);
}

/* A thread that exits lets the others pass a barrier, and orders nothing. */
static void threads_exit(void **state) {
    (void)state;
#define EXITS(way)                                                                                           \
    "PTX p\n{ x=0; y=0; }\nP0@cta 0 | P1@cta 0 | P2@cta 0 ;\n"                                               \
    "ld.relaxed.cta r0, y | bar.sync 0 | st.relaxed.cta y, 1 ;\nst x, 1 | ld r1, x | ;\n"                    \
    "setp.eq.s32 p, r0, 1 | | ;\n" way " | | ;\nbar.sync 0 | | ;\nexists (0:r0=1 /\\ 1:r1=0)\n"
    assert_true(allows(EXITS("@p exit")));
    assert_true(allows(EXITS("@p ret")));
    assert_false(allows(EXITS("@!p exit")));
    assert_false(allows(EXITS("")));
}

/* Reads a table over these locations; body 0, and the type of the first location. */
static void check_wide(const char *memory, const char *rows, const char *type, const char *body) {
    struct arena *a = arena_open();
    struct diag d = {0};
    const char *text = arena_printf(a, "PTX p\n{ %s q; }\nP0 ;\n%s\nexists (q=1)\n", memory, rows);
    struct test *t = read_table(a, text, &d);
    char *got = dump_body(t, 0);
    assert_string_equal(type_name(t->locs[0].type), type);
    assert_string_equal(got, body);
    free(got);
    diag_free(&d);
    arena_close(a);
}

static void values_of_every_width(void **state) {
    (void)state;
    check_wide("x=0;", "ld.relaxed.gpu.u64 r0, [x]; add.u64 r0, r0, 0x100000000; st.relaxed.gpu.u64 [x], r0;",
               "uint64_t", "r0 = load.relaxed.gpu x; r0 = r0 + 4294967296ull; store.relaxed.gpu x, r0");
    check_wide("u64 x=0;", "ld r0, x; atom.add r1, x, 1; cvt.u32.u64 r2, r1;", "uint64_t",
               "r0 = load.weak x; r1 = rmw.add.relaxed.gpu x, 1ull; r2 = (int)r1");
    check_wide("x;", "ld.v2.b32 {r0,%r1}, [x]; st.v2.b32 [x], {r1, 7};", "int2",
               "t$2 = load.weak x; r0 = t$2.x; r1 = t$2.y; store.weak x, make_int2(r1, 7)");
    check_wide("int x[3]; P0:r9=x;", "ld r0, [x+4]; st x[2], r0; ld r1, [r9+8]; ld r2, x;", "int",
               "r0 = load.weak x[1]; store.weak x[2], r0; r1 = load.weak x[2]; r2 = load.weak x[0]");
    check_wide(
        "int x[2]; P0:r9=x;", "ld r0, x; and r1, r0, 4; add.u64 r8, r9, r1; ld r2, [r8]; ld r3, [r9+4];",
        "int",
        "r0 = load.weak x[0]; r1 = r0 & 4; t$2 = (uint64_t)r1; r2 = load.weak x[(int)(t$2 / 4ull)]; r3 = "
        "load.weak x[1]");
    assert_false(allows("PTX LB\n{ x=0; y=0; P0:ry=y; P1:rx=x; }\nP0 | P1 ;\n"
                        "ld.relaxed.gpu r0, x | ld.relaxed.gpu r0, y ;\nxor r1, r0, r0 | and r1, r0, 0 ;\n"
                        "add r2, ry, r1 | add.u64 r2, r1, rx ;\n"
                        "st.relaxed.gpu [r2], r0 | st.relaxed.gpu [r2], r0 ;\nexists (P0:r0=1)\n"));
}

/* Cache operators order nothing and hide nothing; a read through the read-only proxy may be stale behind an acquire. Each is
 * written as it is read. */
static void loads_through_caches(void **state) {
    (void)state;
#define SENT(load)                                                                                           \
    "PTX p\n{ x=0; y=0; }\nP0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\nst.weak x, 1 | ld.acquire.gpu r0, y ;\n"       \
    "st.release.gpu y, 1 | " load " r1, x ;\nexists (P1:r0=1 /\\ P1:r1=0)\n"
    assert_false(allows(SENT("ld.global.cg.s32")));
    assert_false(allows(SENT("ld.global.lu.s32")));
    assert_false(allows(SENT("ld.cv.s32")));
    assert_true(allows(SENT("ld.global.nc.s32")));
    assert_true(allows(SENT("ld.global.proxy::readonly.s32")));
}

/* What each barrier of the first body becomes. */
static void numbers_of_barriers(void **state) {
    (void)state;
    check(ONE("bar.sync 3; bar.sync 4, 64; barrier.cta.arrive 5, 96; bar.cta.arrive 6;"), "P0",
          "r9 = 9; barrier.cta.cta id 3 threads 0; barrier.cta.cta id 4 threads 2; "
          "barrier.cta.arrive.cta id 5 threads 3; barrier.cta.arrive.cta id 6 threads 0");
    check(ONE("bar.sync 0, 3; bar.sync 1, 3; bar.sync 0, 3, 2; bar.sync 1;"), "P0",
          "r9 = 9; barrier.cta.cta id 0 threads 0; barrier.cta.cta id 2 threads 0; barrier.cta.cta id 0 "
          "threads 2; "
          "barrier.cta.cta id 1 threads 0");
    check(ONE("bar.sync r9; ld r0, 4; bar.sync 7, r0;"), "P0",
          "r9 = 9; barrier.cta.cta id 9 threads 0; r0 = 4; barrier.cta.cta id 0 threads 0");
    check(
        ONE("ld.weak r0, x; bar.sync r0; bar.sync 2; bar.sync 5;"), "P0",
        "r9 = 9; r0 = load.weak x; if (r0 == 2) {barrier.cta.cta id 2 threads 0} else {if (r0 == 5) "
        "{barrier.cta.cta id 5 threads 0}}; barrier.cta.cta id 2 threads 0; barrier.cta.cta id 5 threads 0");
}

#define MP(first, second, rest)                                                                              \
    "PTX p\n{ x=0; y=0; z=1; P1:r5=1; P1:r6=0; }\nP0@cta 0,gpu 0 | P1@cta 0,gpu 0 ;\n"                       \
    " st.weak x, 1 | " second " ;\n " first " | ld.weak r0, x ;\n" rest

static void barriers_meet_by_dialect(void **state) {
    (void)state;
    assert_false(allows(MP("bar.cta.sync 1", "bar.cta.sync 1", "exists (P1:r0=0)\n")));
    assert_true(allows(MP("bar.cta.sync 1", "bar.cta.sync 0", "exists (P1:r0=0)\n")));
    assert_false(allows(MP("bar.cta.sync 1, 64", "bar.cta.sync 1, 64", "exists (P1:r0=0)\n")));
    assert_false(allows(MP("bar.cta.arrive 1", "bar.cta.sync 1", "exists (P1:r0=0)\n")));
    assert_true(allows(MP("bar.cta.sync 1", "bar.cta.arrive 1", "exists (P1:r0=0)\n")));
    assert_false(allows(MP("bar.cta.sync 1", "bar.cta.sync r5", "exists (P1:r0=0)\n")));
    assert_true(allows(MP("bar.cta.sync 1", "bar.cta.sync r6", "exists (P1:r0=0)\n")));
    assert_false(allows(MP("bar.cta.sync 3, 1, 2", "bar.cta.sync 3, r5, 2", "exists (P1:r0=0)\n")));
    assert_true(allows(MP("bar.cta.sync 3, 1", "bar.cta.sync 4, 1", "exists (P1:r0=0)\n")));
    assert_false(allows(MP("bar.cta.sync 3, 1", "bar.cta.sync 3, 1", "exists (P1:r0=0)\n")));
    assert_false(allows(MP("bar.warp.sync -1", "bar.cta.sync 0", "exists (P1:r0=2)\n")));
}

/* A register has the size of the instruction that names it first, also where it has an initial value. */
static void wide_registers(void **state) {
    (void)state;
#define WIDE(memory, row, condition) "PTX p\n{ " memory " }\n P0 | P1 ;\n" row "\nexists (" condition ")\n"
    assert_true(
        allows(WIDE("u64 x=0x100000000; P0:r0=0;", " atom.acq_rel.gpu.cas.b64 r0, x, 0x100000000, 5 | ;",
                    "P0:r0 = 4294967296 /\\ x = 5")));
    assert_true(
        allows(WIDE("x; P0:r0=0x100000005; 1:.reg .b64 r5=7;",
                    " st.relaxed.gpu.u64 x, r0; | add.u64 r5, r5, 1; ;\n | ld.relaxed.gpu.u64 r0, x ;",
                    "1:r0 = 0x100000005 /\\ 1:r5 = 8")));
    assert_true(allows(WIDE("x; P0:r0=-1;", " mov.u64 r1, r0 | ; st.relaxed.gpu.u64 x, r0 | ;",
                            "x = 0xffffffffffffffff /\\ P0:r1 = 0xffffffffffffffff")));
    assert_true(allows(WIDE("u128 x=0x100000000000000000000000000000ff; .b128 y;",
                            " ld.relaxed.gpu.b128 r0, x | st.relaxed.gpu.b128 y, 7 ;\n"
                            " atom.relaxed.gpu.cas.b128 r1, [x], r0, 5 | ;",
                            "P0:r1 = 0x100000000000000000000000000000ff /\\ x = 5 /\\ y = 7")));
}

/* ---- conditions ---- */

static void check_condition(const char *condition, const char *want) {
    struct arena *a = arena_open();
    struct diag d = {0};
    char *text =
        arena_printf(a, "PTX p\n{ x=0; int a[2]; }\nP0 | P1 ;\nld r0, x | ld %%r1, x ;\n%s\n", condition);
    struct test *t = read_table(a, text, &d);
    char *got = dump_condition(t);
    assert_string_equal(got, want);
    free(got);
    diag_free(&d);
    arena_close(a);
}

static void conditions_of_every_dialect(void **state) {
    (void)state;
    check_condition("exists ~P0:r0 == 1", "exists !(P0.r0 == 1)");
    check_condition("exists (not 0:r0 = 1 /\\ P1:%r1 != 2)", "exists !(P0.r0 == 1) && P1.r1 != 2");
    check_condition("~ exists (x = 1 \\/ [x] = 2) ;", "not_exists x == 1 || x == 2");
    check_condition("final (a[1] = 1)", "exists a[1] == 1");
    check_condition("final (x = 1 /\\ 0:r0 = 1) ; with tso: exists; cc: ~exists;",
                    "exists x == 1 && P0.r0 == 1");
    check_condition("(x = 1)", "exists x == 1");
    check_condition("locations [x;]\nforall (true)", "forall 1");
    check_condition("locations [x; P0:r7;]\n(x = 1)", "exists x == 1");
    check_condition("forall (0:r0 = 1 => 1:r1 = 1 => x = 0)",
                    "forall !(P0.r0 == 1) || (!(P1.r1 == 1) || x == 0)");
    check_condition("forall ((0:r0 = 1 => x = 2) /\\ x >= 0)", "forall (!(P0.r0 == 1) || x == 2) && x >= 0");
    check_condition("filter (x = 0)\nexists (P0:r0 = 1)", "exists x == 0 && P0.r0 == 1");
    check_condition("filter x = 0 \\/ x = 1 ;\nforall P0:r0 = 1", "forall !(x == 0 || x == 1) || P0.r0 == 1");
    check_condition("locations [x; 0:r0;]\nfilter (x=0)\n~exists (1:r1=1)",
                    "not_exists x == 0 && P1.r1 == 1");
}

/* Without a sign -7 is 4294967289. */
static void values_have_the_sign_of_the_instruction(void **state) {
    (void)state;
    assert_false(
        allows("PTX p\n{ x=-7; P0:r0=-7; }\nP0 ;\n"
               "div.u32 r1, r0, 2 ;\nrem.u32 r2, r0, 10 ;\nmin.u32 r3, r0, 1 ;\nmax.u32 r4, r0, 1 ;\n"
               "div.s32 r5, r0, 2 ;\nrem.s32 r6, r0, 4 ;\nmin r7, r0, 1 ;\nmax.s32 r8, r0, 1 ;\nst x, r1 ;\n"
               "exists (~(P0:r1=2147483644 /\\ P0:r2=9 /\\ P0:r3=1 /\\ P0:r4=-7 /\\ P0:r5=-3 /\\\n"
               "  P0:r6=-3 /\\ P0:r7=-7 /\\ P0:r8=1 /\\ x=2147483644))\n"));
}

/* ---- what is said ---- */

/* Checks the warnings of a table of two threads in a block with these rows. */
static void check_said(const char *head, const char *rows, size_t n, const char *text) {
    struct arena *a = arena_open();
    struct diag d = {0};
    read_table(a, arena_printf(a, "%s p\n{x=0;}\nP0@cta 0 | P1@cta 0 ;\n%sexists (x=1)\n", head, rows), &d);
    assert_int_equal(d.n, n);
    if (n) assert_string_equal(d.messages[0].text, text);
    diag_free(&d);
    arena_close(a);
}

static void a_dialect_is_said_once(void **state) {
    (void)state;
    check_said("PTX", "ld r0, x | bar.sync 1 ;\nbar.sync 1 | red.release.gpu.add x, 1 ;\n", 0, NULL);
    check_said("PTX", "bar.sync 1, 64 | bar.arrive 1, 64 ;\n", 0, NULL);
    check_said("PTX", "ld r0, 1 | ld r1, 2 ;\n", 1,
               "this 'ld' names no location: it is read as 'mov', as Dartagnan has it");
    check_said(
        "PTX", "red.acquire.gpu.add x, 1 | red.acq_rel.gpu.add x, 1 ;\n", 1,
        "PTX has no 'red' that acquires: it is read as an 'atom' whose result nobody reads, as Dartagnan "
        "has it");
    check_said(
        "PTX", "bar.sync 3, 1 | bar.sync 3, 1, 2 ;\n", 1,
        "this is the number of a barrier, and the one before it is its place, as Dartagnan has it: PTX "
        "counts threads here, in multiples of 32");
    check_said(
        "PTX", "bar.sync 1 | bar.arrive 1 ;\n", 1,
        "PTX wants a number of threads here: without one, all threads of the block whose text has this "
        "barrier meet");
    check_said("GPU_PTX", "membar.gl | st.cg x, 1 ;\n", 1,
               "the model of these tables is of 2015: they are judged as PTX is today");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heads_of_every_dialect),
        cmocka_unit_test(names_of_every_dialect),
        cmocka_unit_test(threads_of_every_dialect),
        cmocka_unit_test(initial_values),
        cmocka_unit_test(instructions_of_every_dialect),
        cmocka_unit_test(instructions_name_spaces),
        cmocka_unit_test(threads_exit),
        cmocka_unit_test(values_of_every_width),
        cmocka_unit_test(wide_registers),
        cmocka_unit_test(loads_through_caches),
        cmocka_unit_test(numbers_of_barriers),
        cmocka_unit_test(barriers_meet_by_dialect),
        cmocka_unit_test(conditions_of_every_dialect),
        cmocka_unit_test(values_have_the_sign_of_the_instruction),
        cmocka_unit_test(a_dialect_is_said_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
