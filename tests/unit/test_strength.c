/* Whether code is as strong as what was asked for: code that is, and code that somebody has weakened. */
#include <string.h>

#include "check/strength.h"
#include "cm.h"

struct strong_case {
    struct arena *arena;
    struct probe probe;
    struct strength_code code;
};

/* The way to write an operation: the first that asks for this. */
static struct strong_case begin(enum probe_spelling s, const char *operation, enum order o,
                                enum scope scope) {
    struct strong_case c = {.arena = arena_open()};
    int n;
    const struct probe *all = probes_list(c.arena, false, &n);
    for (int k = 0; k < n; k++)
        if (all[k].spelling == s && strcmp(all[k].operation, operation) == 0 && all[k].asked.order == o &&
            all[k].asked.scope == scope && (all[k].type.bits == 32 || all[k].type.lanes == 0)) {
            c.probe = all[k];
            return c;
        }
    fail_msg("nobody writes %s", operation);
    return c;
}

static const char *read(struct strong_case *c, const char *ptx) {
    struct ptx_code code = ptx_read_text(c->arena, ptx);
    c->code = strength_read(c->arena, &code, 0, code.n, &c->probe);
    return strength_lacks(c->arena, &c->code, &c->probe);
}

static void expect(struct strong_case *c, const char *ptx, const char *lacks) {
    const char *found = read(c, ptx);
    assert_string_equal(found ? found : "nothing", lacks);
}

#define OUT "st.global.b32 [%rd2], %r1;"

static void acquires(void **state) {
    (void)state;
    struct strong_case c = begin(PROBE_LIBCUXX, "load", ORDER_ACQUIRE, SCOPE_GPU);
    expect(&c, "ld.acquire.gpu.b32 %r1, [%rd1];" OUT, "nothing");
    assert_string_equal(strength_words(c.arena, &c.code, false), "ld.acquire.gpu");
    expect(&c, "ld.acquire.sys.shared.b32 %r1, [%rd1];" OUT, "nothing");
    assert_string_equal(strength_words(c.arena, &c.code, false), "ld.acquire.sys");
    assert_string_equal(strength_words(c.arena, &c.code, true), "ld.acquire.sys.shared");
    expect(&c, "ld.relaxed.gpu.b32 %r1, [%rd1]; fence.acq_rel.gpu;" OUT, "nothing");
    expect(&c, "ld.relaxed.gpu.b32 %r1, [%rd1];" OUT, "'ld.relaxed.gpu' does not acquire");
    expect(&c, "ld.relaxed.gpu.b32 %r1, [%rd1]; fence.acq_rel.cta;" OUT, "'ld.relaxed.gpu' does not acquire");
    expect(&c, "fence.acq_rel.gpu; ld.relaxed.gpu.b32 %r1, [%rd1];" OUT, "'ld.relaxed.gpu' does not acquire");
    expect(&c, "ld.acquire.cta.b32 %r1, [%rd1];" OUT, "'ld.acquire.cta' is not strong at gpu scope");
    expect(&c, "ld.global.b32 %r1, [%rd1]; fence.acq_rel.gpu;" OUT, "'ld' is not strong at gpu scope");
    expect(&c, "call f, (%r1);" OUT, "'call' is not understood");
    expect(&c, "ld.param.b64 %rd1, [x];" OUT, "there is no such access");
    arena_close(c.arena);
}

static void releases(void **state) {
    (void)state;
    struct strong_case c = begin(PROBE_LIBCUXX, "store", ORDER_RELEASE, SCOPE_CTA);
    expect(&c, "st.release.cta.b32 [%rd1], %r1;", "nothing");
    expect(&c, "fence.release.cta; st.relaxed.cta.b32 [%rd1], %r1;", "nothing");
    expect(&c, "fence.acquire.cta; st.relaxed.cta.b32 [%rd1], %r1;", "'st.relaxed.cta' does not release");
    expect(&c, "st.relaxed.cta.b32 [%rd1], %r1; fence.acq_rel.cta;", "'st.relaxed.cta' does not release");
    expect(&c, "st.relaxed.sys.b32 [%rd1], %r1;", "'st.relaxed.sys' does not release");
    expect(&c, "st.volatile.b32 [%rd1], %r1;", "'st.volatile' does not release");
    arena_close(c.arena);
}

static void is_sequential(void **state) {
    (void)state;
    struct strong_case c = begin(PROBE_NVCC, "add", ORDER_SC, SCOPE_CLUSTER);
    expect(&c, "fence.sc.cluster; atom.add.acquire.cluster.s32 %r1, [%rd1], %r2;" OUT, "nothing");
    assert_string_equal(strength_words(c.arena, &c.code, false),
                        "fence.sc.cluster; atom.acquire.cluster.add");
    expect(&c, "fence.sc.gpu; atom.add.acq_rel.gpu.s32 %r1, [%rd1], %r2;" OUT, "nothing");
    expect(&c, "fence.acq_rel.cluster; atom.add.acquire.cluster.s32 %r1, [%rd1], %r2;" OUT,
           "no fence.sc of cluster scope stands before 'atom.acquire.cluster.add'");
    expect(&c, "fence.sc.cta; atom.add.acq_rel.cluster.s32 %r1, [%rd1], %r2;" OUT,
           "no fence.sc of cluster scope stands before 'atom.acq_rel.cluster.add'");
    expect(&c, "fence.sc.cluster; atom.add.relaxed.cluster.s32 %r1, [%rd1], %r2;" OUT,
           "'atom.relaxed.cluster.add' does not acquire");
    expect(&c, "fence.sc.cluster; ld.acquire.cluster.b32 %r1, [%rd1];" OUT, "there is no such access");
    arena_close(c.arena);
}

static void is_fence(void **state) {
    (void)state;
    static const char *const around = "ld.volatile.b32 %r1, [%rd1]; %s st.volatile.b32 [%rd2], %r1;";
    static const struct {
        const char *fence, *lacks;
    } rows[] = {{"membar.gl;", "nothing"},
                {"fence.sc.sys;", "nothing"},
                {"membar.cta;", "no fence is as strong"},
                {"fence.acq_rel.gpu;", "no fence is as strong"},
                {"", "no fence is as strong"}};
    struct strong_case c = begin(PROBE_CUDA, "fence", ORDER_SC, SCOPE_GPU);
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        struct text ptx = {0};
        const char *hole = strstr(around, "%s");
        text_add_n(&ptx, around, (size_t)(hole - around));
        text_printf(&ptx, "%s%s", rows[k].fence, hole + 2);
        expect(&c, ptx.s, rows[k].lacks);
        text_free(&ptx);
    }
    arena_close(c.arena);
}

/* A loop reads first what its compare-exchange then takes. */
static void loops(void **state) {
    (void)state;
    struct strong_case c = begin(PROBE_LIBCUXX, "exch", ORDER_ACQ_REL, SCOPE_GPU);
    expect(
        &c,
        "ld.relaxed.gpu.b32 %r1, [%rd1]; L: atom.cas.acq_rel.gpu.b32 %r1, [%rd1], %r2, %r3; @%p1 bra L;" OUT,
        "nothing");
    assert_string_equal(strength_words(c.arena, &c.code, false),
                        "ld.relaxed.gpu; atom.acq_rel.gpu.cas, in a loop");
    expect(
        &c,
        "ld.relaxed.gpu.b32 %r1, [%rd1]; L: atom.cas.acquire.gpu.b32 %r1, [%rd1], %r2, %r3; @%p1 bra L;" OUT,
        "'atom.acquire.gpu.cas' does not release");
    arena_close(c.arena);
}

/* ---- machine code ---- */

/* The instructions of machine code, up to a NULL. */
static struct strength_machine machine(struct strong_case *c, const char *const *names) {
    struct sass_kernel kernel = {0};
    while (names[kernel.n])
        kernel.n++;
    kernel.code = arena_array(c->arena, (size_t)kernel.n + 1, sizeof *kernel.code);
    for (int k = 0; k < kernel.n; k++)
        kernel.code[k] = (struct sass_instruction){.name = names[k], .operands = "", .guard = ""};
    return strength_machine_of(c->arena, &c->code, &c->probe, &kernel);
}

static void expect_machine(struct strong_case *c, const char *lacks, const char *const *names) {
    struct strength_machine m = machine(c, names);
    assert_string_equal(m.lacks ? m.lacks : "nothing", lacks);
}
#define CODE(...) ((const char *const[]){__VA_ARGS__, NULL})

static void machine_of_accesses(void **state) {
    (void)state;
    struct strong_case c = begin(PROBE_LIBCUXX, "add", ORDER_ACQ_REL, SCOPE_GPU);
    assert_null(read(&c, "atom.add.acq_rel.gpu.s32 %r1, [%rd1], %r2;" OUT));
    expect_machine(&c, "nothing",
                   CODE("MEMBAR.ALL.GPU", "ATOMG.E.ADD.STRONG.GPU", "CCTL.IVALL", "STG.E", "EXIT", "NOP"));
    assert_string_equal(
        machine(&c, CODE("S2R", "MEMBAR.ALL.GPU", "ATOMG.E.ADD.STRONG.GPU", "CCTL.IVALL", "STG.E", "NOP"))
            .words,
        "MEMBAR.ALL.GPU; ATOMG.E.ADD.STRONG.GPU; CCTL.IVALL");
    expect_machine(&c, "no MEMBAR before that of 'atom.acq_rel.gpu.add'",
                   CODE("MEMBAR.ALL.CTA", "ATOMG.E.ADD.STRONG.GPU", "CCTL.IVALL", "STG.E"));
    expect_machine(&c, "no MEMBAR before that of 'atom.acq_rel.gpu.add'",
                   CODE("ATOMG.E.ADD.STRONG.GPU", "MEMBAR.ALL.GPU", "CCTL.IVALL", "STG.E"));
    expect_machine(&c, "no CCTL.IVALL behind that of 'atom.acq_rel.gpu.add'",
                   CODE("MEMBAR.ALL.GPU", "CCTL.IVALL", "ATOMG.E.ADD.STRONG.GPU", "STG.E"));
    expect_machine(&c, "no instruction as strong as 'atom.acq_rel.gpu.add'",
                   CODE("MEMBAR.ALL.GPU", "ATOMG.E.ADD.STRONG.SM", "CCTL.IVALL", "STG.E"));
    arena_close(c.arena);
}

static void machine_of_fences(void **state) {
    (void)state;
    struct strong_case c = begin(PROBE_PTX, "fence", ORDER_SC, SCOPE_SYS);
    assert_null(read(&c, "ld.volatile.b32 %r1, [%rd1]; fence.sc.sys; st.volatile.b32 [%rd2], %r1;"));
    expect_machine(&c, "nothing",
                   CODE("LDG.E.STRONG.SYS", "MEMBAR.SC.SYS", "CCTL.IVALL", "STG.E.STRONG.SYS"));
    expect_machine(&c, "no MEMBAR as strong as 'fence.sc.sys'",
                   CODE("LDG.E.STRONG.SYS", "MEMBAR.ALL.SYS", "CCTL.IVALL", "STG.E.STRONG.SYS"));
    expect_machine(&c, "no MEMBAR as strong as 'fence.sc.sys'",
                   CODE("LDG.E.STRONG.SYS", "MEMBAR.SC.GPU", "CCTL.IVALL", "STG.E.STRONG.SYS"));
    expect_machine(&c, "no CCTL.IVALL for 'fence.sc.sys'",
                   CODE("LDG.E.STRONG.SYS", "MEMBAR.SC.SYS", "STG.E.STRONG.SYS"));
    arena_close(c.arena);
}

/* Each way is a kernel of its own, in a line of its own; the many and the few are listed, each once. */
static void lists_and_writes(void **state) {
    (void)state;
    struct arena *a = arena_open();
    struct text out = {0};
    int few, all;
    const struct probe *list = probes_list(a, false, &few);
    probes_list(a, true, &all);
    assert_true(few > 1000 && few < all);
    const struct probe *two[] = {&list[0], &list[few - 1]};
    probes_write(&out, two, 2);
    assert_non_null(strstr(out.s, "\n\nextern") ? NULL : out.s);
    const char *second = strstr(out.s, "extern \"C\" __global__ void m1(");
    assert_non_null(second);
    int line = 1;
    for (const char *s = out.s; s < second; s++)
        line += *s == '\n';
    assert_int_equal(line, PROBE_LINE + 1);
    text_free(&out);
    arena_close(a);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(acquires),
                                       cmocka_unit_test(releases),
                                       cmocka_unit_test(is_sequential),
                                       cmocka_unit_test(is_fence),
                                       cmocka_unit_test(loops),
                                       cmocka_unit_test(machine_of_accesses),
                                       cmocka_unit_test(machine_of_fences),
                                       cmocka_unit_test(lists_and_writes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
