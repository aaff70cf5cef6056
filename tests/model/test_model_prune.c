/* The search judges partial candidates. Here it is held against a search that decides everything first and
 * judges then: with models that grow, shrink and recurse, both must find the same executions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "ask.h"
#include "model/parts.h"
#include "search/judge.h"
#include "search/outcome.h"

static const char *const shipped[] = {"ptx", "ptx-strong", "sc", "x86-tso", "aarch64"};

/* Models that make no sense but ask for every kind of bound. */
static const char *const odd[] = {
    /* nothing is forbidden */
    "let x = po",
    /* complement and difference of what grows */
    "acyclic po | (rf \\ (fr; po))",
    "empty rf & ~(co; rf)",
    "irreflexive ~(po | rf | co); rf",
    "acyclic co | fr | rf | po & loc\nempty (co \\ (rf; rmw)) & int",
    /* negated axioms */
    "~empty fre",
    "~acyclic po | rf | co | fr",
    "~irreflexive fr; po",
    "acyclic po | co\n~empty rf \\ (co; rf)",
    /* recursion, and what is left over of it */
    "let rec h = rf | h; po; h\nacyclic h",
    "let rec h = rf | h; po; h\nempty ((W * R) & loc & ext) \\ h",
    "let rec a = po | b and b = rf; a | co\nirreflexive a; fr",
    /* orders whose pairs depend on rf */
    "with co from order(IW * (W \\ IW) & loc, rf; (po & R * W) & loc)\nacyclic po & loc | rf | co | fr",
    "with co from order(0, ext & loc & W * W)\nwith o from order(po & F * F, rf; po & W * W)\nacyclic o | rf",
    /* an order that depends on itself */
    "with co from order(IW * (W \\ IW) & loc | (rf; po; co) & loc, W * W & loc)\nacyclic po | rf | fr",
    /* sets that grow */
    "let seen = domain(rfe)\nacyclic [seen]; po; [W] | rf | fr\nempty [R \\ range(rfe)]; po; [range(rfe)]",
    "empty (R * W) & ~(fr | rf^-1) & loc & ext",
    "let f(x, y) = x; y | x?\nacyclic f(rf, po) \\ f(id, po)",
};

static const char *const tests[] = {
    TEST("T0 | T1", "x: 0, y: 0", THREAD("T0", "x = 1; int r = y;") THREAD("T1", "y = 1; int s = x;"),
         "exists: r == 0 && s == 0"),
    TEST("T0 | T1", "x: 0, y: 0",
         THREAD("T0", "x = 1; __threadfence(); y = 1;") THREAD("T1", "int r = y; int s = x;"),
         "exists: r == 1 && s == 0"),
    TEST("T0 | T1 | T2", "x: 0",
         THREAD("T0", "x = 1; int r = x;") THREAD("T1", "x = 2;") THREAD("T2", "int s = x; int t = x;"),
         "exists: s == 1 && t == 2 && r == 2"),
    TEST("T0 | T1", "x: 0",
         THREAD("T0", "int r = atomicAdd(&x, 1); x = 5;") THREAD("T1", "int s = atomicCAS(&x, 1, 7);"),
         "exists: r == 0 && s == 1 && x == 7"),
    TEST("T0 | T1", "x: 0, y: 0",
         THREAD("T0", "int r = x; y = r;") THREAD("T1", "int s = y; if (s == 0) x = 1; else x = 2;"),
         "exists: r == 1 && s == 1"),
    TEST("T0 T1", "x: 0, y: 0",
         THREAD("T0", "store(x, 1, weak); __syncthreads(); int r = load(y, weak);")
             THREAD("T1", "store(y, 1, weak); __syncthreads(); store(x, 2, weak);"),
         "exists: r == 0 || x == 1"),
    TEST("T0 | T1", "x: 0, y: 0",
         THREAD("T0", "store(x, 1, weak); __threadfence(); store(y, 1, release, device); __threadfence();")
             THREAD("T1", "store(y, 2, weak); __threadfence(); store(x, 2, relaxed, device);"),
         "exists: y == 1 && x == 1"),
};

static long long executions;

static bool count_all(struct search *s, void *ctx) {
    (void)s, (void)ctx;
    executions++;
    return true;
}

static bool count_unbroken(struct search *s, void *ctx) {
    (void)ctx;
    bool broken = false;
    for (int k = 0; k < s->plan->norders; k++)
        broken = broken || eval_breaks_order(&s->eval, k);
    for (int k = 0; k < s->plan->naxioms; k++)
        broken = broken || eval_breaks_axiom(&s->eval, k);
    executions += !broken;
    return true;
}

static long long count(const struct model *m, const struct test *t, const struct cell *cell, bool tolerant) {
    struct diag d = {0};
    struct judge j;
    static const struct model_limits none;
    assert_true(judge_open(&j, m->plan, t, cell, &none, &d));
    j.tolerant = tolerant;
    j.leaf = tolerant ? count_unbroken : count_all;
    executions = 0;
    judge_complete(&j);
    assert_null(j.budget.spent);
    judge_close(&j);
    diag_free(&d);
    return executions;
}

static void compare(struct arena *a, const struct model *m, const char *what) {
    for (size_t k = 0; k < sizeof tests / sizeof *tests; k++) {
        struct test *t;
        const struct cell *cell = ask_cell(a, tests[k], &t);
        long long pruned = count(m, t, cell, false), whole = count(m, t, cell, true);
        if (pruned != whole)
            print_error("%lld executions, but %lld of:\n%s\nof test\n%s\n", pruned, whole, what, tests[k]);
        assert_int_equal(pruned, whole);
    }
}

static void test_shipped_models(void **state) {
    (void)state;
    struct arena *a = arena_open();
    for (size_t k = 0; k < sizeof shipped / sizeof *shipped; k++)
        compare(a, ask_model(a, shipped[k]), shipped[k]);
    arena_close(a);
}

static void test_odd_models(void **state) {
    (void)state;
    struct arena *a = arena_open();
    for (size_t k = 0; k < sizeof odd / sizeof *odd; k++) {
        ask_write("odd.cat", odd[k]);
        compare(a, ask_model(a, "./odd.cat"), odd[k]);
    }
    arena_close(a);
}

int main(void) {
    const struct CMUnitTest all[] = {cmocka_unit_test(test_shipped_models),
                                     cmocka_unit_test(test_odd_models)};
    return cmocka_run_group_tests(all, ask_enter_folder, ask_leave_folder);
}
