/* Copies of a thread that can change places are searched in one order only. Here what is made of that is held
 * against a search of all executions, on random programs of copies: with and without tid, with registers of
 * single copies observed, and in several placements. The programs follow from the seed: a failure prints the
 * test. */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../random.h"
#include "ask.h"
#include "base/text.h"
#include "explain/dot.h"
#include "model/parts.h"
#include "oracle.h"
#include "search/judge.h"
#include "search/outcome.h"
#include "source/read.h"

enum { ARRIVALS = 100, MAX_COPIES = 4, MAX_WORK = 50000, MAX_DRAWING_WORK = 5000 };
enum { DRAWN = 4 }; /* one program of so many is drawn, which takes as long as all else */

static const char *const models[] = {"ptx", "ptx-strong", "sc", "x86-tso"};

/* A statement that leaves what it read, if anything, in r. */
static const char *const statements[] = {
    "x = 1; ",
    "y = 1; ",
    "r = x; ",
    "r = y; ",
    "x = r + 1; ",
    "y = r; ",
    "store(x, 2, weak); ",
    "r = load(y, acquire, device); ",
    "store(y, 2, release, block); ",
    "r = atomicAdd(&x, 1); ",
    "r = atomicAdd(&x, 1); ",
    "r = atomicExch(&y, 2); ",
    "r = atomicCAS(&x, 0, 1); ",
    "if (r != 0) y = 2; ",
    "if (atomicCAS(&y, 0, 1) != 0) x = 3; ",
    "while (y == 0) {} ",
    "while (atomicExch(&y, 1) != 0) r += 1; ",
    "__threadfence(); ",
    "__threadfence(); ",
    "atomic_thread_fence(acq_rel, block); ",
    "__threadfence_block(); ",
    "store(x, 3, relaxed, block); ",
    "r = fetch_add(x, 1, acq_rel, block); ",
    "store(y, 3, relaxed, cluster); ",
    "r = fetch_add(y, 1, relaxed, cluster); ",
    "__syncwarp(); ",
    "cluster_sync(); ",
    "__syncthreads(); ",
    "a[r & 1] = 1; ",
    "r = a[r + x]; ",
    /* what tells copies apart, or some of them */
    "x = tid; ",
    "r = atomicAdd(&a[tid & 1], 1); ",
    "if (tid == 0) y = 1; ",
    "a[tid > 0] = 1; ",
};
enum { STATEMENTS = sizeof statements / sizeof *statements, TELLING = 4 };

static void random_body(struct text *t, int n) {
    bool telling = pick(4) == 0;
    text_add(t, "int r = 0; ");
    for (int k = 0; k < n; k++)
        text_add(t, statements[pick(telling ? STATEMENTS : STATEMENTS - TELLING)]);
}

/* Where the copies of T and the threads of U sit. */
static void random_placement(struct text *t, int copies, int others) {
    static const char *const named[] = {"block", "device", "warp", "peer", "host", "cluster"};
    static const char *const between[] = {" ", " | ", ".", " || "};
    int kind = pick(8);
    if (kind < 4) {
        text_add(t, named[pick(2) ? pick(2) : pick(6)]);
        return;
    }
    for (int k = 0; k < copies + others; k++) {
        if (k > 0) text_add(t, between[pick(4) ? kind % 2 : pick(4)]);
        if (k < copies && copies > 1)
            text_printf(t, "T[%d]", k);
        else
            text_printf(t, k < copies ? "T" : others > 1 ? "U[%d]" : "U", k - copies);
    }
}

/* Which registers and locations are looked at, in the condition and beside it. */
static void random_condition(struct text *t, int copies) {
    bool all = pick(2);
    text_printf(t, "%s: x == %d", pick(2) ? "exists" : "forall", pick(3));
    for (int k = 0; k < copies; k++)
        if (all ? pick(8) : !pick(4))
            text_printf(t, pick(2) ? " && T[%d].r == %d" : " || T[%d].r == %d", k, pick(2));
    text_add(t, "\nobserve: [y");
    if (!pick(4)) text_printf(t, ", \"T[%d].r\"", pick(copies));
    text_add(t, "]\n");
}

static void random_test(struct text *t) {
    int copies = 2 + pick(MAX_COPIES - 1), others = pick(3) ? 0 : 1 + pick(2);
    text_add(t, "name: random\nmemory: {x: 0, y: 0, a: {count: 2}}\nthreads:\n");
    text_printf(t, "  T: {count: %d, body: \"", copies);
    random_body(t, 1 + pick(copies > 3 ? 2 : 3));
    text_add(t, "\"}\n");
    if (others) {
        text_printf(t, "  U: {count: %d, body: \"", others);
        random_body(t, 1);
        text_add(t, "\"}\n");
    }
    text_add(t, "placements: [\"");
    random_placement(t, copies, others);
    text_add(t, "\"]\n");
    random_condition(t, copies);
}

/* What a search of everything finds. */
struct whole {
    struct histogram outcomes;
    long long executions;
    bool bounded;
};

static bool add_outcome(const struct value *values, void *ctx) {
    histogram_add(ctx, values, 1);
    return true;
}

static bool on_execution(struct search *s, void *ctx) {
    struct whole *w = ctx;
    w->executions++;
    return outcome_each(s, add_outcome, &w->outcomes);
}

/* False: an array was left, or there is too much to look at. */
static bool on_stopped(struct search *s, void *ctx) {
    struct whole *w = ctx;
    for (int t = 0; t < s->graph->test->nthreads; t++) {
        if (s->graph->paths[t]->end == PATH_CUT) w->bounded = true;
        if (s->graph->paths[t]->end == PATH_OUT_OF_BOUNDS) return false;
    }
    return true;
}

static bool search_whole(const struct model *m, const struct test *t, const struct cell *cell,
                         struct whole *w, bool *spent) {
    struct diag d = {0};
    struct judge j;
    const struct model_limits limits = {.candidates = MAX_WORK};
    bool ok = judge_open(&j, m->plan, t, cell, &limits, &d);
    if (ok) {
        j.leaf = on_execution;
        j.ctx = w;
        judge_complete(&j);
        j.leaf = on_stopped;
        judge_stopped(&j);
        ok = !j.stopped;
    }
    *spent = j.budget.spent != NULL;
    judge_close(&j);
    diag_free(&d);
    return ok;
}

/* Executions that were not all looked for are at least no more than there are. Where none ends within the bound, nothing is
 * known; the model also takes for bounded what may only happen in longer runs. */
static bool is_same(const struct whole *w, const struct model_result *r) {
    if (w->outcomes.n == 0 && (w->bounded || r->status == MODEL_UNKNOWN))
        return r->status == MODEL_UNKNOWN && r->noutcomes == 0;
    bool same = r->status == MODEL_DONE && r->bounded == w->bounded &&
                (size_t)r->noutcomes == w->outcomes.n &&
                (r->uncounted ? r->executions <= w->executions : r->executions == w->executions) &&
                (r->executions > 0) == (w->executions > 0);
    for (size_t k = 0; same && k < w->outcomes.n; k++)
        same = model_allows(r, w->outcomes.nobs, w->outcomes.outcomes[k].values);
    return same;
}

/* A drawing shows the outcome where it is allowed; of a `forall`, what breaks it, or at least what does not. */
static bool is_drawn(const struct model *m, const struct test *t, const struct cell *cell,
                     const struct model_result *r) {
    struct diag d = {0};
    struct text out = {0};
    const struct model_limits limits = {.candidates = MAX_DRAWING_WORK};
    bool drawn = model_dot(m, t, cell, &limits, &out, &d), same = true;
    if (drawn && r->status == MODEL_DONE) {
        bool breaking = strstr(out.s, " what breaks ") != NULL, allows = strstr(out.s, " allows ") != NULL;
        same = t->cond.kind != FORALL ? !breaking && allows == r->allowed : !breaking || allows == !r->holds;
    }
    text_free(&out);
    diag_free(&d);
    return same;
}

static struct oracle oracle = {.programs = 500, .seed = 20261120};
static int compared, symmetric, wrong;

static bool has_twin(const struct model *m, const struct test *t, const struct cell *cell) {
    struct diag d = {0};
    struct judge j;
    static const struct model_limits none;
    bool found = false;
    if (judge_open(&j, m->plan, t, cell, &none, &d)) {
        judge_find_twins(&j, true);
        for (int k = 0; k < t->nthreads; k++)
            found = found || j.twins[k] >= 0;
    }
    judge_close(&j);
    diag_free(&d);
    return found;
}

static void compare(const struct model *m, const struct text *text) {
    struct diag d = {0}, unread = {0};
    struct arena *a = arena_open();
    struct test *t = test_read_text(a, "random.yaml", text->s, text->len, &d);
    if (!t) { /* such threads cannot sit like this */
        diag_free(&d);
        arena_close(a);
        return;
    }
    int n;
    struct cell *cells = test_cells(t, a, &n);
    struct whole w = {.outcomes.nobs = t->nobs};
    struct model_result r, uncounted;
    const struct model_limits count = {.counting = LLONG_MAX, .unroll = DEFAULT_UNROLL},
                              none = {.counting = -1, .unroll = DEFAULT_UNROLL};
    bool spent, ok = search_whole(m, t, &cells[0], &w, &spent);
    if (!spent) {
        bool good = ok == model_check(m, t, &cells[0], &count, a, &r, &unread) &&
                    ok == model_check(m, t, &cells[0], &none, a, &uncounted, &unread) &&
                    (!ok || (is_same(&w, &r) && !r.uncounted && is_same(&w, &uncounted) &&
                             (compared % DRAWN != 0 || is_drawn(m, t, &cells[0], &r))));
        if (!good)
            print_error("%s\n%s: %d outcomes of %lld executions, uncounted %d of %lld, of all %zu of %lld\n",
                        text->s, model_name(m), r.noutcomes, r.executions, uncounted.noutcomes,
                        uncounted.executions, w.outcomes.n, w.executions);
        compared++;
        wrong += !good;
        symmetric += ok && w.executions > 1 && has_twin(m, t, &cells[0]);
    }
    histogram_free(&w.outcomes);
    diag_free(&d);
    diag_free(&unread);
    arena_close(a);
}

static void test_random_programs(void **state) {
    (void)state;
    struct arena *a = arena_open();
    const struct model *m[sizeof models / sizeof *models];
    for (size_t k = 0; k < sizeof models / sizeof *models; k++)
        m[k] = ask_model(a, models[k]);
    seed = oracle.seed;
    for (; oracle.drawn < oracle.programs; oracle.drawn++) {
        struct text text = {0};
        random_test(&text);
        compare(m[pick(2) ? 0 : pick(4)], &text);
        text_free(&text);
    }
    arena_close(a);
    oracle.compared = compared;
    oracle.unknown = oracle.drawn - compared;
    oracle.different = wrong;
    assert_int_equal(oracle.different, 0);
    assert_true(oracle.compared > oracle.drawn * 3 / 4);
    assert_true(symmetric > oracle.drawn / 4);
}

/* Copies that count how many have come, and wait for or look at that number: the place of each in the row of arrivals
 * is known from what it reads (counter.h), and need not be searched. */
static void random_arrivals(struct text *t) {
    static const char *const before[] = {"a[tid] = 1; ", "store(a[tid], 1, relaxed, block); ", "y = 1; "};
    static const char *const fences[] = {"", "__threadfence(); ", "__threadfence(); ",
                                         "__threadfence_block(); ", "atomic_thread_fence(release, device); "};
    static const char *const arrivals[] = {
        "atomicAdd(&x, 1); ",
        "atomicAdd(&x, 1); ",
        "if (atomicAdd(&x, 1) == count - 1) r += 2; ",
        "if (atomicAdd(&x, 1) == count - 1) { __threadfence(); r = a[0] + 2 * a[1]; } ",
        "if (atomicAdd(&x, 1) > 0) y = 2; ",
        "fetch_add(x, 1, acq_rel, device); ",
        "atomicAdd_block(&x, 1); ",
        "atomicAdd(&x, tid < 2 ? 1 : 2); ",
        "atomicInc(&x, 2); ",
        "atomicMax(&x, 1); ",
    };
    static const char *const waits[] = {"", "while (x < count) {} ",
                                        "while (load(x, acquire, device) < count) {} ", "while (x == 0) {} ",
                                        "if (x == 2) y = 3; "};
    static const char *const after[] = {"r += a[(tid + 1) % count]; ", "r += a[0]; ", "r += y; ", ""};
    int copies = 2 + pick(3);
    text_printf(t,
                "name: random\nmemory: {x: {type: unsigned}, y: 0, a: {count: 4}}\nthreads:\n"
                "  T: {count: %d, body: \"int r = 0; ",
                copies);
    text_add(t, before[pick(3)]);
    text_add(t, fences[pick(5)]);
    text_add(t, arrivals[pick(10)]);
    text_add(t, waits[pick(5)]);
    text_add(t, fences[pick(5)]);
    text_add(t, after[pick(4)]);
    text_add(t, "\"}\nplacements: [\"");
    random_placement(t, copies, 0);
    text_printf(t, "\"]\nexists: T[0].r == 0 && T[%d].r == 1%s\n", copies - 1, pick(4) ? "" : " && y == 2");
}

static void test_arrivals(void **state) {
    (void)state;
    struct arena *a = arena_open();
    const struct model *m[sizeof models / sizeof *models];
    for (size_t k = 0; k < sizeof models / sizeof *models; k++)
        m[k] = ask_model(a, models[k]);
    seed = 20261122;
    compared = wrong = 0;
    for (int k = 0; k < ARRIVALS; k++) {
        struct text text = {0};
        random_arrivals(&text);
        compare(m[pick(4) ? 0 : pick(4)], &text);
        text_free(&text);
    }
    arena_close(a);
    assert_int_equal(wrong, 0);
    assert_true(compared > ARRIVALS / 2);
}

/* Without Atomicity two of them may read the same number, and there is no row. */
static const struct model *model_without_atomicity(struct arena *a) {
    static const char axiom[] = "empty (ms & fr; ms & co) & rmw as Atomicity";
    struct text text = {0};
    FILE *from = fopen(MODELS "/ptx.cat", "r");
    assert_non_null(from);
    for (int c; (c = fgetc(from)) != EOF;)
        text_printf(&text, "%c", c);
    char *at = strstr(text.s, axiom);
    assert_non_null(at);
    memset(at, ' ', sizeof axiom - 1);
    fclose(from);
    ask_write("no-atomicity.cat", text.s);
    text_free(&text);
    return ask_model(a, "no-atomicity.cat");
}

static void test_no_row(void **state) {
    (void)state;
    struct arena *a = arena_open();
    struct text text = {0};
    text_add(&text,
             "name: no-row\nmemory: {x: 0, a: {count: 3}}\nthreads:\n  T: {count: 3, body: \"int r = 0; "
             "a[tid] = 1; __threadfence(); if (atomicAdd(&x, 1) == 1) { __threadfence(); "
             "r = a[0] + a[1] + a[2] + 1; }\"}\nplacements: [device]\n"
             "exists: T[0].r == 4 || T[1].r == 4 || T[2].r == 4\n");
    compared = wrong = 0;
    compare(model_without_atomicity(a), &text);
    compare(ask_model(a, "ptx"), &text);
    assert_int_equal(compared, 2);
    assert_int_equal(wrong, 0);
    text_free(&text);
    arena_close(a);
}

/* Who sits in a warp with whom is seen by few programs. */
static void test_warp(void **state) {
    (void)state;
    struct arena *a = arena_open();
    struct text text = {0};
    text_add(&text, "name: warp\nmemory: {x: 0}\nthreads:\n"
                    "  T: {count: 3, body: \"int r = atomicAdd(&x, 1); __syncwarp(); r = x;\"}\n"
                    "placements: [\"T[0].T[1] T[2]\"]\nexists: T[0].r == 1 || T[1].r == 1 || T[2].r == 1\n");
    compared = symmetric = wrong = 0;
    compare(ask_model(a, "ptx"), &text);
    assert_int_equal(symmetric, 1);
    assert_int_equal(wrong, 0);
    text_free(&text);
    arena_close(a);
}

int main(int argc, char **argv) {
    oracle_begin(&oracle, "test_random*", argc, argv);
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_programs),
                                       cmocka_unit_test(test_arrivals), cmocka_unit_test(test_no_row),
                                       cmocka_unit_test(test_warp)};
    return oracle_end(&oracle, cmocka_run_group_tests(tests, ask_enter_folder, ask_leave_folder));
}
