/* Measures the model interpreter where herd7 was measured, and prints the ratios; then how far it goes with
 * shapes that grow.
 *
 * herd7's times are of a 2-core machine, model `sc`, with the best of its pruning options; they and the goals
 * (a hundredth of them) are written down below. Of many small tests, and of the shapes that grow, the goal is a
 * time; `bench_model SECONDS PRUNING` gives each of the latter that long (60 unless told), and does without a pruning
 * (runner/logic/prunings.def), to show what it is worth.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/text.h"
#include "logic/prunings.h"
#include "model/model.h"
#include "source/read.h"

enum { REPEAT = 9, SMALL_TESTS = 1300 };

static unsigned without; /* prunings */

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

/* The last block to come, by a counter, sums what all have written. */
static void last_block(struct text *t, int n) {
    text_printf(t,
                "name: last-block-%d\nmemory: {arrived: 0, total: 0, part: {count: %d}}\nthreads:\n  block:\n"
                "    count: %d\n    body: |\n      part[tid] = 1;\n      __threadfence();\n"
                "      if (atomicAdd(&arrived, 1) == count - 1) {\n        __threadfence();\n"
                "        int sum = 0;\n        for (int i = 0; i < count; i++) sum += part[i];\n"
                "        total = sum;\n      }\nforall: total == %d\nplacements: [device]\n",
                n, n, n, n);
}

/* Everybody waits until a counter says that all have come; then each reads its neighbour's element. */
static void grid_barrier(struct text *t, int n) {
    text_printf(t,
                "name: grid-barrier-%d\nmemory: {arrived: 0, data: {count: %d}}\nthreads:\n  block:\n"
                "    count: %d\n    body: |\n      data[tid] = 1;\n      __threadfence();\n"
                "      atomicAdd(&arrived, 1);\n      while (arrived < count) {}\n      __threadfence();\n"
                "      int r = data[(tid + 1) %% count];\nforall: block[0].r == 1",
                n, n, n);
    for (int k = 1; k < n; k++)
        text_printf(t, " && block[%d].r == 1", k);
    text_add(t, "\nplacements: [device]\n");
}

/* A counter lets all meet three times; each time each reads its neighbour's element. */
static void barrier_rounds(struct text *t, int n) {
    text_printf(t,
                "name: barrier-rounds-%d\nmemory: {arrived: 0, data: {count: %d}}\nthreads:\n  block:\n"
                "    count: %d\n    body: |\n      data[tid] = 1;\n",
                n, n, n);
    for (int round = 0; round < 3; round++)
        text_printf(t,
                    "      __threadfence();\n      atomicAdd(&arrived, 1);\n"
                    "      while (arrived < %d * count) {}\n      __threadfence();\n"
                    "      int r%d = data[(tid + 1) %% count];\n",
                    round + 1, round);
    text_add(t, "forall: block[0].r0 == 1");
    for (int k = 1; k < 3 * n; k++)
        text_printf(t, " && block[%d].r%d == 1", k % n, k / n);
    text_add(t, "\nplacements: [device]\n");
}

/* The last to come sets the counter back and flips the sense that the others wait for, twice. */
static void sense_rounds(struct text *t, int n) {
    text_printf(t,
                "name: sense-rounds-%d\nmemory: {arrived: 0, sense: 0, data: {count: %d}}\n"
                "placements: [device]\nthreads:\n  block:\n    count: %d\n    body: |\n"
                "      int r;\n      for (int k = 1; k < 3; k++) {\n        data[tid] = k;\n"
                "        __threadfence();\n        if (atomicAdd(&arrived, 1) == count - 1) {\n"
                "          arrived = 0;\n          __threadfence();\n          sense = k;\n"
                "        } else while (sense != k) {}\n        __threadfence();\n"
                "        r = data[(tid + 1) %% count];\n      }\nforall: block[0].r == 2\n",
                n, n, n);
}

/* Each of n threads writes its own location and, behind a fence.sc, reads the next one's. */
static void fenced_ring(struct text *t, int n) {
    text_printf(t, "name: fenced-ring-%d\nmemory: {x0: 0", n);
    for (int k = 1; k < n; k++)
        text_printf(t, ", x%d: 0", k);
    text_add(t, "}\nplacements: [device]\nthreads:\n");
    for (int k = 0; k < n; k++)
        text_printf(t, "  P%d: |\n    x%d = 1;\n    __threadfence();\n    int r = x%d;\n", k, k, (k + 1) % n);
    text_add(t, "exists: P0.r == 0");
    for (int k = 1; k < n; k++)
        text_printf(t, " && P%d.r == 0", k);
    text_add(t, "\n");
}

/* Two threads read n locations, one forwards and one backwards, that n others write. */
static void iriw(struct text *t, int n) {
    text_printf(t, "name: iriw-%d\nmemory: {x0: 0", n);
    for (int k = 1; k < n; k++)
        text_printf(t, ", x%d: 0", k);
    text_add(t, "}\nplacements: [device]\nthreads:\n");
    for (int k = 0; k < n; k++)
        text_printf(t, "  W%d: |\n    x%d = 1;\n", k, k);
    for (int p = 0; p < 2; p++) {
        text_printf(t, "  R%d: |\n", p);
        for (int k = 0; k < n; k++)
            text_printf(t, "    int r%d = x%d;\n", k, p ? n - 1 - k : k);
    }
    text_add(t, "exists: R0.r0 == 1 && R1.r0 == 1");
    for (int k = 1; k < n; k++)
        text_printf(t, " && R0.r%d == 0 && R1.r%d == 0", k, k);
    text_add(t, "\n");
}

static void cas_lock(struct text *t, int n) {
    text_printf(t,
                "name: cas-lock-%d\nmemory: {mutex: 0, data: 0}\nplacements: [device]\nthreads:\n  T:\n"
                "    count: %d\n    body: |\n      while (atomicCAS(&mutex, 0, 1) != 0) {}\n"
                "      __threadfence();\n      int r = data;\n      data = r + 1;\n      __threadfence();\n"
                "      atomicExch(&mutex, 0);\nexists: data != %d\n",
                n, n, n);
}

static void counter(struct text *t, int n) {
    text_printf(t,
                "name: counter-%d\nmemory: {c: 0}\nplacements: [device]\nthreads:\n"
                "  T: {count: %d, body: \"atomicAdd(&c, 1);\"}\nexists: c != %d\n",
                n, n, n);
}

/* A queue of waiting threads, each of which spins on a flag of its own. */
static void mcs_lock(struct text *t, int n) {
    text_printf(t,
                "name: mcs-lock-%d\nmemory: {tail: 0, next: {count: %d}, locked: {count: %d}, data: 0}\n"
                "placements: [device]\nthreads:\n  T:\n    count: %d\n    body: |\n      int me = tid + 1, "
                "next_one;\n"
                "      store(next[me], 0, relaxed, device);\n      store(locked[me], 1, relaxed, device);\n"
                "      int before = exchange(tail, me, acq_rel, device);\n      if (before != 0) {\n"
                "        store(next[before], me, release, device);\n"
                "        while (load(locked[me], acquire, device) == 1) {}\n      }\n      data = data + 1;\n"
                "      next_one = load(next[me], acquire, device);\n"
                "      if (next_one == 0 && compare_exchange(tail, me, 0, acq_rel, device) != me)\n"
                "        do { next_one = load(next[me], acquire, device); } while (next_one == 0);\n"
                "      if (next_one != 0) store(locked[next_one], 0, release, device);\nexists: data != %d\n",
                n, n + 1, n + 1, n, n);
}

/* A writer, and readers that count themselves in a word that is negative while it is inside. */
static void readers(struct text *t, int n) {
    text_printf(t,
                "name: readers-%d\nmemory: {l: 0, x: 0, y: 0}\nplacements: [device]\nthreads:\n"
                "  W: |\n    while (atomicCAS(&l, 0, -1) != 0) {}\n    __threadfence();\n    x = 1; y = 1;\n"
                "    __threadfence();\n    atomicExch(&l, 0);\n  R:\n    count: %d\n    body: |\n      int o "
                "= l, s;\n"
                "      while (true) {\n        if (o < 0) { o = l; continue; }\n        s = atomicCAS(&l, o, "
                "o + 1);\n"
                "        if (s == o) break;\n        o = s;\n      }\n      __threadfence();\n"
                "      int a = x, b = y;\n      __threadfence();\n      atomicSub(&l, 1);\nexists: R[0].a != "
                "R[0].b\n",
                n, n);
}

/* Each thread pushes a node onto a stack, and pops one. */
static void stack(struct text *t, int n) {
    text_printf(t,
                "name: stack-%d\nmemory: {top: 0, next: {count: %d}}\nplacements: [device]\nthreads:\n  t:\n"
                "    count: %d\n    body: |\n      int m = tid + 1, s, o, n;\n"
                "      do { s = top; next[m] = s; __threadfence(); } while (atomicCAS(&top, s, m) != s);\n"
                "      do { o = top; __threadfence(); n = next[o]; } while (atomicCAS(&top, o, n) != o);\n"
                "exists: t[0].o == 0\n",
                n, n + 1, n);
}

/* The lanes of a warp add up what each has, and then find the largest. */
static void reductions(struct text *t, int n) {
    text_printf(
        t,
        "name: reductions-%d\nmemory: {x: {count: %d}}\nplacements: [warp]\nthreads:\n  T:\n    count: %d\n"
        "    body: |\n      x[tid] = tid;\n      int r = __reduce_add_sync(-1, x[tid]);\n"
        "      int m = __reduce_max_sync(-1, r + tid);\nforall: T[0].m == %d\n",
        n, n, n, n * (n - 1) / 2 + n - 1);
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
        struct cell *cells = test_cells(t, a, &n);
        for (int k = 0; k < n; k++) {
            struct model_result r;
            struct model_limits none = {.without = without};
            if (!model_check(m, t, &cells[k], &none, a, &r, &d)) break;
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

/* Shapes that grow, by the PTX model, with the seconds that each size may take. */
static const struct {
    const char *name;
    void (*make)(struct text *, int);
    struct {
        int n;
        double goal;
    } sizes[3];
} growing[] = {
    {"last-block sum, blocks", last_block, {{6, 0.1}, {7, 0.5}, {8, 3}}},
    {"grid barrier by a counter, blocks", grid_barrier, {{5, 0.05}, {7, 0.3}, {9, 3}}},
    {"three rounds of it, blocks", barrier_rounds, {{4, 0.05}, {6, 0.3}, {8, 1}}},
    {"two rounds, the sense flips, threads", sense_rounds, {{2, 0.05}, {3, 0.1}, {4, 5}}},
    {"store-buffer ring, fence.sc", fenced_ring, {{8, 0.05}, {10, 0.1}, {16, 2}}},
    {"n threads write x, then read it", write_then_read, {{5, 1}, {6, 1}, {7, 1}}},
    {"IRIW, locations", iriw, {{8, 1}, {10, 1}, {12, 1}}},
    {"CAS lock, threads", cas_lock, {{24, 5}, {36, 5}, {48, 5}}},
    {"counter, threads", counter, {{64, 5}, {168, 5}, {256, 5}}},
    {"MCS lock, threads", mcs_lock, {{2, 0.05}, {3, 0.2}, {4, 3}}},
    {"reader-writer lock, readers", readers, {{1, 0.05}, {2, 0.2}, {3, 4}}},
    {"push and pop, threads", stack, {{1, 0.05}, {2, 0.05}, {3, 3}}},
    {"two reductions of a warp, lanes", reductions, {{8, 0.05}, {16, 0.1}, {32, 1}}},
};

static void bench_growing(const struct model *m, const char *name, const struct text *text, int n,
                          double goal, double seconds) {
    struct diag d = {0};
    struct arena *a = arena_open();
    struct test *t = test_read_text(a, "bench.yaml", text->s, text->len, &d);
    struct model_limits limits = {.seconds = seconds, .without = without};
    struct model_result r = {0};
    int ncells;
    clock_t start = clock();
    bool ok = t && model_check(m, t, test_cells(t, a, &ncells), &limits, a, &r, &d);
    printf("%-36s %4d %8.3f s (goal %4.2f) %9d outcomes %20lld executions%s%s\n", name, n,
           (double)(clock() - start) / CLOCKS_PER_SEC, goal, r.noutcomes, r.executions,
           r.why || r.unlisted ? ": " : "",
           r.why        ? r.why
           : r.unlisted ? "not all outcomes are listed"
                        : "");
    fflush(stdout);
    diag_render(&d, stderr, false);
    if (!ok) exit(1);
    diag_free(&d);
    arena_close(a);
}

static void bench_shapes(const struct model *m, double seconds) {
    for (size_t k = 0; k < sizeof growing / sizeof *growing; k++)
        for (size_t i = 0; i < sizeof growing[k].sizes / sizeof *growing[k].sizes; i++) {
            struct text text = {0};
            growing[k].make(&text, growing[k].sizes[i].n);
            bench_growing(m, growing[k].name, &text, growing[k].sizes[i].n, growing[k].sizes[i].goal,
                          seconds);
            text_free(&text);
        }
}

int main(int argc, char **argv) {
    double seconds = argc > 1 ? atof(argv[1]) : 60;
    if (argc > 2) without = ALL_PRUNINGS & 1u << pruning_find(argv[2]);
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
    bench_shapes(ptx, seconds);
    arena_close(a);
    return 0;
}
