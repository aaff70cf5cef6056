/* Feeds bytes to the .cat reader. What it takes for a model must judge two small tests the same way by the
 * pruned search and by one that decides everything first and judges then. */
#include <stdlib.h>
#include <string.h>

#include "input.h"
#include "model/parts.h"
#include "search/judge.h"
#include "search/outcome.h"
#include "source/read.h"

static const char *const tests[] = {
    "name: t\nmemory: {x: 0, y: 0}\nplacements: [device]\nthreads:\n"
    "  T0: |\n    x = 1; __threadfence(); int r = atomicAdd(&y, 1);\n"
    "  T1: |\n    y = 1; int s = x; x = 2;\nexists: r == 0 && s == 0\n",
    "name: t\nmemory: {x: 0}\nplacements: [block]\nthreads:\n"
    "  T0: |\n    int r = atomicAdd(&x, 1); __syncthreads(); int q = load(x, weak);\n"
    "  T1: |\n    int s = atomicCAS(&x, 1, 3); __syncthreads(); store(x, s, weak);\nexists: r == 0 && s == "
    "0\n",
};

static bool count_all(struct search *s, void *ctx) {
    (void)s;
    ++*(long long *)ctx;
    return true;
}

static bool count_unbroken(struct search *s, void *ctx) {
    for (int k = 0; k < s->plan->norders; k++)
        if (eval_breaks_order(&s->eval, k)) return true;
    for (int k = 0; k < s->plan->naxioms; k++)
        if (eval_breaks_axiom(&s->eval, k)) return true;
    ++*(long long *)ctx;
    return true;
}

/* The executions, or -1 when there are too many to count. */
static long long count(struct arena *a, const struct model *m, const char *yaml, bool tolerant) {
    struct diag d = {0};
    struct test *t = test_read_text(a, "t.yaml", yaml, strlen(yaml), &d);
    struct model_limits limits = {.candidates = 20000};
    struct judge j;
    long long executions = 0;
    int n;
    if (!t || !judge_open(&j, m->plan, t, &test_cells(t, a, &n)[0], &limits, &d)) abort();
    j.tolerant = tolerant;
    j.leaf = tolerant ? count_unbroken : count_all;
    j.ctx = &executions;
    judge_complete(&j);
    if (j.budget.spent) executions = -1;
    judge_close(&j);
    diag_free(&d);
    return executions;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct diag d = {0};
    struct arena *a = arena_open();
    const struct model *m = model_load(a, input_file(data, size), &d);
    for (size_t k = 0; m && k < sizeof tests / sizeof *tests; k++) {
        long long pruned = count(a, m, tests[k], false), whole = count(a, m, tests[k], true);
        if (pruned >= 0 && whole >= 0 && pruned != whole) abort();
    }
    diag_free(&d);
    arena_close(a);
    return 0;
}
