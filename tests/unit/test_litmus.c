/* Tables in PTX syntax: what they become, and that they come back as they were written. */
#include "cm.h"
#include "dump.h"
#include "test/litmus.h"

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
}

static void fences_and_barriers(void **state) {
    (void)state;
    check("fence.sc.cta; fence.acq_rel.gpu; fence.cluster; membar.cta; membar.gl; membar.sys;",
          "r8 = 8; fence.sc.cta; fence.acq_rel.gpu; fence.acq_rel.cluster; fence.sc.cta; fence.sc.gpu; "
          "fence.sc.sys");
    check("bar.cta.sync 1; bar.sync 2, 64; barrier.cta.sync.aligned 0; bar.warp.sync 0xffff; bar.cta.arrive "
          "3, 2;",
          "r8 = 8; barrier.cta id 1 threads 0; barrier.cta id 2 threads 64; barrier.cta id 0 threads 0; "
          "barrier.cta id 0 threads 0; barrier.cta id 3 threads 2");
}

static void arithmetic_and_branches(void **state) {
    (void)state;
    check("mov r0, 5; add.s32 r1, r0, r8; sub r1, r1, -1; mul.lo.u32 r2, r1, r0; xor.b32 r2, r2, r2; not r3, "
          "r2;",
          "r8 = 8; r0 = 5; r1 = r0 + r8; r1 = r1 - -1; r2 = r1 * r0; r2 = r2 ^ r2; r3 = ~r2");
    check("L0: ld r0, x; bne r0, 1, L0; bge r0, r8, L1; goto L1; st x, 2; L1: ;",
          "r8 = 8; L0:; r0 = load.weak x; if (r0 != 1) goto L0; if (r0 >= r8) goto L1; goto L1; store.weak "
          "x, 2; L1:");
    check("ld r0, x; setp.ne.s32 p, r0, 1; @p bra L; @!p st x, 1; L: st x, 2;",
          "r8 = 8; r0 = load.weak x; p = r0 != 1; if (p) goto L; if (!p) {store.weak x, 1}; L:; store.weak "
          "x, 2");
}

/* Checks condition, observables and layout of a table with this header row and this end. */
static void check_head(const char *header, const char *end, const char *condition, const char *observed,
                       const char *layout) {
    struct arena *a = arena_open();
    struct diag d = {0};
    char *text =
        arena_printf(a,
                     "PTX MP+[x]\n\"a text { of the file\"\nGenerator=diy\n(* a (* nested *) comment *)\n"
                     "{ x; y = -1; int z=0; 1:r0=0; }\n%s\n"
                     "st x, 1 | ld r0, x // first\n; | ld r1, x /* second */ ;\n%s\n",
                     header, end);
    struct test *t = read_table(a, text, &d);
    char *got = dump_condition(t);
    assert_string_equal(got, condition);
    free(got);
    struct text names = {0};
    for (int i = 0; i < t->nobs; i++)
        text_printf(&names, "%s%s", i ? " " : "", t->obs[i].name);
    assert_string_equal(names.s, observed);
    text_free(&names);
    assert_string_equal(t->name, "MP+[x]");
    assert_string_equal(t->doc, "a text { of the file");
    assert_int_equal(t->locs[1].init, -1);
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
    check_head("P0@cta 0,cluster 0 | P1@cta 1,cluster 0;", "not exists (x=1)", "not_exists x == 1", "x",
               "P0 & P1");
    check_head("P0 | P1;", "exists\n  x=1", "exists x == 1", "x", "P0 | P1");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_instructions),
        cmocka_unit_test(fences_and_barriers),
        cmocka_unit_test(arithmetic_and_branches),
        cmocka_unit_test(heads_and_conditions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
