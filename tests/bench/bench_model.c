/* Measures the model interpreter where herd7 was measured, and prints the ratios.
 *
 * herd7's times are of a 2-core machine, model `sc`, with the best of its pruning options; they and the goals
 * (a hundredth of them) are written down below. The last row is many small tests: there the goal is a time.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "model/model.h"

enum { REPEAT = 9, SMALL_TESTS = 1300 };

/* Each of n threads writes x, then reads it. */
static void write_then_read(struct text *t, int n) {
    text_printf(t, "name: write-then-read-%d\nmemory: {x: 0}\nplacements: [block]\nthreads:\n", n);
    for (int k = 0; k < n; k++)
        text_printf(t, "  P%d: |\n    x = %d;\n    int r = x;\n", k, k + 1);
    text_add(t, "exists: P0.r == 2\n");
}

/* Each of n threads writes x. */
static void writers(struct text *t, int n) {
    text_printf(t, "name: writers-%d\nmemory: {x: 0}\nplacements: [block]\nthreads:\n", n);
    for (int k = 0; k < n; k++)
        text_printf(t, "  P%d: |\n    x = %d;\n", k, k + 1);
    text_add(t, "exists: x == 1\n");
}

/* Each of n threads writes its own location and reads the next one's. */
static void ring(struct text *t, int n) {
    text_printf(t, "name: ring-%d\nmemory: {x0: 0", n);
    for (int k = 1; k < n; k++)
        text_printf(t, ", x%d: 0", k);
    text_add(t, "}\nplacements: [block]\nthreads:\n");
    for (int k = 0; k < n; k++)
        text_printf(t, "  P%d: |\n    x%d = 1;\n    int r = x%d;\n", k, k, (k + 1) % n);
    text_add(t, "exists: P0.r == 0");
    for (int k = 1; k < n; k++)
        text_printf(t, " && P%d.r == 0", k);
    text_add(t, "\n");
}

/* Small tests as the field's tables have them: a cycle of 2 to 4 threads, each with a pair of accesses and
 * something between them, at several scopes. `k` picks one. */
static void small(struct text *t, int k) {
    static const char *const scopes[] = {"block", "device", "system"};
    static const char *const places[] = {"block", "device"};
    int nthreads = 2 + k % 3, kind = k / 3 % 5, scope = k / 15 % 3, place = k / 45 % 2;
    text_printf(t, "name: small-%d\nmemory: {x0: 0, x1: 0, x2: 0, x3: 0}\nplacements: [%s]\nthreads:\n", k,
                places[place]);
    for (int p = 0; p < nthreads; p++) {
        bool write_first = (k / 90 + p) % 2 || kind == 2;
        int here = p, next = (p + 1) % nthreads;
        text_printf(t, "  P%d: |\n", p);
        const char *fence = kind == 0   ? ""
                            : kind == 1 ? "atomic_thread_fence(sc, %s);"
                                        : "atomic_thread_fence(acq_rel, %s);";
        if (write_first)
            text_printf(t, "    store(x%d, 1, %s, %s);\n    ", here, kind == 3 ? "release" : "relaxed",
                        scopes[scope]);
        else
            text_printf(t, "    int r = load(x%d, %s, %s);\n    ", here, kind == 3 ? "acquire" : "relaxed",
                        scopes[scope]);
        text_printf(t, fence, scopes[scope]);
        if (write_first && kind != 4)
            text_printf(t, "\n    int s = load(x%d, relaxed, %s);\n", next, scopes[scope]);
        else
            text_printf(t, "\n    store(x%d, 1, relaxed, %s);\n    int s = 0;\n", next, scopes[scope]);
    }
    text_add(t, "exists: P0.s == 0 && P1.s == 0\n");
}

/* Reads and judges one test; every cell of it. Returns the executions. */
static long long judge(const struct model *m, const struct text *text, double *checking) {
    struct diag d = {0};
    struct arena *a = arena_open();
    struct test *t = test_read_text(a, "bench.yaml", text->s, text->len, &d);
    long long executions = 0;
    if (t) {
        double start = clock_now();
        int n;
        struct cell *v = test_cells(t, a, &n);
        for (int k = 0; k < n; k++) {
            struct model_result r;
            struct model_limits none = {0};
            if (!model_check(m, t, &v[k], &none, a, &r, &d)) break;
            executions += r.executions;
            if (r.status != MODEL_DONE) printf("unknown: %s\n", r.why);
        }
        *checking += clock_now() - start;
    }
    diag_render(&d, stderr, false);
    if (d.errors) exit(1);
    diag_free(&d);
    arena_close(a);
    return executions;
}

/* The best of several runs, in milliseconds. */
static void bench_one(const struct model *m, const char *what, void (*make)(struct text *, int), int n,
                      double herd_ms) {
    struct text text = {0};
    make(&text, n);
    double best = 1e9;
    long long executions = 0;
    for (int k = 0; k < REPEAT; k++) {
        double checking = 0;
        executions = judge(m, &text, &checking);
        if (checking < best) best = checking;
    }
    printf("%-36s %9lld executions %9.2f ms   herd7 %6.0f ms: %5.0f times as fast (goal 100)\n", what,
           executions, 1e3 * best, herd_ms, herd_ms / (1e3 * best));
    text_free(&text);
}

static void bench_small(const struct model *m) {
    struct text text = {0};
    double checking = 0, start = clock_now();
    long long executions = 0;
    for (int k = 0; k < SMALL_TESTS; k++) {
        text_free(&text);
        small(&text, k);
        executions += judge(m, &text, &checking);
    }
    printf("%-36s %9lld executions %9.2f ms   of it %.2f ms judging (goal 300)\n",
           "1300 tests of 2-4 threads, ptx", executions, 1e3 * (clock_now() - start), 1e3 * checking);
    text_free(&text);
}

int main(void) {
    struct diag d = {0};
    struct arena *a = arena_open();
    const struct model *sc = model_load(a, "sc", &d), *ptx = model_load(a, "ptx", &d);
    if (!sc || !ptx) {
        diag_render(&d, stderr, false);
        return 1;
    }
    bench_one(sc, "5 threads write x, then read x, sc", write_then_read, 5, 830);
    bench_one(sc, "8 threads write x, sc", writers, 8, 1400);
    bench_one(sc, "12-thread store-buffer ring, sc", ring, 12, 2100);
    bench_small(ptx);
    arena_close(a);
    return 0;
}
