/* models/aarch64.cat against a second checker, written from Arm's relations (Arm ARM B2.3; the names are those of its
 * appendix and of herd's aarch64.cat), on tests made from cycles. The second checker knows a cycle's accesses, and the one
 * outcome that its condition names; it tries every order of the writes. It takes no code from the tool's checker.
 *
 * A dependency by a branch reaches the branch's access alone, as docs/models.md has it ("Dependencies"): Arm's own reaches
 * every later write. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <string.h>

#include "ask.h"
#include "cycle/cycle.h"

enum { MOST = 2 * CYCLE_MAX };

/* An execution that gives the outcome: the accesses of the cycle, and behind them the first write of each location. */
struct execution {
    const struct cycle *cycle;
    const struct cycle_plan *plan;
    int n;
    int loc[MOST], value[MOST], thread[MOST]; /* thread -1: a first write */
    bool write[MOST];
    int place[MOST]; /* of each write: its place among those of its location, from 0 */
    int source[MOST];
};

typedef bool relation[MOST][MOST];

/* What the cycle says */

static void add_accesses(struct execution *x) {
    for (int k = 0; k < x->cycle->n; k++) {
        x->loc[k] = x->plan->loc[k];
        x->value[k] = x->plan->value[k];
        x->thread[k] = x->plan->thread[k];
        x->write[k] = x->cycle->edges[k].write;
    }
    x->n = x->cycle->n;
    for (int l = 0; l < x->plan->nlocs; l++) {
        x->loc[x->n] = l;
        x->value[x->n] = 0;
        x->thread[x->n] = -1;
        x->write[x->n] = true;
        x->place[x->n++] = 0;
    }
}

/* The values of a location's writes differ. */
static bool find_sources(struct execution *x) {
    for (int r = 0; r < x->n; r++) {
        if (x->write[r]) continue;
        x->source[r] = -1;
        for (int w = 0; w < x->n; w++)
            if (x->write[w] && x->loc[w] == x->loc[r] && x->value[w] == x->value[r]) x->source[r] = w;
        if (x->source[r] < 0) return false;
    }
    return true;
}

static bool is_po(const struct execution *x, int a, int b) {
    return x->thread[a] >= 0 && x->thread[a] == x->thread[b] && a < b;
}

static bool is_co(const struct execution *x, int a, int b) {
    return x->write[a] && x->write[b] && x->loc[a] == x->loc[b] && x->place[a] < x->place[b];
}

static bool is_rf(const struct execution *x, int a, int b) {
    return !x->write[b] && x->source[b] == a;
}

static bool is_fr(const struct execution *x, int a, int b) {
    return !x->write[a] && is_co(x, x->source[a], b);
}

/* Whether the edge that leaves an access is of this kind. */
static bool leaves(const struct execution *x, int a, enum cycle_kind kind) {
    return a < x->cycle->n && x->cycle->edges[a].kind == kind;
}

static bool is_acquire(const struct execution *x, int a) {
    return a < x->cycle->n && !x->write[a] && x->cycle->edges[a].access == ORDER_ACQUIRE;
}

static bool is_release(const struct execution *x, int a) {
    return a < x->cycle->n && x->write[a] && x->cycle->edges[a].access == ORDER_RELEASE;
}

/* Arm's relations */

/* Dependency-ordered-before. */
static bool is_dob(const struct execution *x, int a, int b) {
    if (!is_po(x, a, b)) return false;
    bool next = b == a + 1, address = leaves(x, a, CYCLE_ADDR), data = leaves(x, a, CYCLE_DATA);
    if (next && (address || data)) return true;
    if (next && leaves(x, a, CYCLE_CTRL)) return x->write[b];
    if (address && x->write[b]) return true;
    return (address || data) && x->write[a + 1] && is_rf(x, a + 1, b); /* the write's value is read back */
}

/* Barrier-ordered-before: a dmb ish for each fence of the cycle, ldapr and stlr. */
static bool is_bob(const struct execution *x, int a, int b) {
    if (!is_po(x, a, b)) return false;
    for (int k = a; k < b; k++)
        if (leaves(x, k, CYCLE_FENCE)) return true;
    return is_acquire(x, a) || is_release(x, b);
}

/* Locally-ordered-before: its parts, among them the local write successor. */
static bool is_lob(const struct execution *x, int a, int b) {
    bool successor = is_po(x, a, b) && x->loc[a] == x->loc[b] && x->write[b];
    return successor || is_dob(x, a, b) || is_bob(x, a, b);
}

static bool is_observed(const struct execution *x, int a, int b) {
    return x->thread[a] != x->thread[b] && (is_rf(x, a, b) || is_co(x, a, b) || is_fr(x, a, b));
}

static bool is_acyclic(relation r, int n) {
    for (int k = 0; k < n; k++)
        for (int a = 0; a < n; a++)
            for (int b = 0; b < n; b++)
                r[a][b] = r[a][b] || (r[a][k] && r[k][b]);
    for (int a = 0; a < n; a++)
        if (r[a][a]) return false;
    return true;
}

/* The internal and the external visibility requirement. */
static bool is_consistent(const struct execution *x) {
    relation internal, external;
    for (int a = 0; a < x->n; a++)
        for (int b = 0; b < x->n; b++) {
            bool same = is_po(x, a, b) && x->loc[a] == x->loc[b];
            internal[a][b] = same || is_rf(x, a, b) || is_co(x, a, b) || is_fr(x, a, b);
            external[a][b] = is_observed(x, a, b) || is_lob(x, a, b);
        }
    return is_acyclic(internal, x->n) && is_acyclic(external, x->n);
}

static bool is_free(const struct execution *x, int write, int place) {
    for (int k = 0; k < x->cycle->n; k++)
        if (k != write && x->write[k] && x->loc[k] == x->loc[write] && x->place[k] == place) return false;
    return true;
}

/* Tries every place for the writes from `write` on. The last of a location has the value that the condition names. */
static bool some_order(struct execution *x, int write) {
    while (write < x->cycle->n && !x->write[write])
        write++;
    if (write == x->cycle->n) return is_consistent(x);
    int most = x->plan->writes[x->loc[write]];
    bool found = false;
    for (int place = 1; place <= most && !found; place++) {
        bool last = place == most, named = x->value[write] == most;
        x->place[write] = place;
        if (is_free(x, write, place) && (most == 1 || last == named)) found = some_order(x, write + 1);
    }
    x->place[write] = 0;
    return found;
}

static bool arm_allows(const struct cycle *c) {
    struct cycle_plan p;
    const char *why;
    assert_true(cycle_plan(c, &p, &why));
    struct execution x = {.cycle = c, .plan = &p};
    add_accesses(&x);
    return find_sources(&x) && some_order(&x, 0);
}

/* The comparison */

struct comparison {
    const struct model *model;
    int stride, visited, compared, allowed, wrong;
};

static bool compare(const struct cycle *c, void *ctx) {
    struct comparison *r = ctx;
    if (r->visited++ % r->stride) return true;
    struct arena *a = arena_open();
    struct text yaml = {0};
    struct model_result result;
    struct diag d = {0};
    struct test *t;
    cycle_write(c, cycle_name(c, a), &yaml);
    const struct cell *cell = ask_cell(a, yaml.s, &t);
    assert_true(model_check(r->model, t, cell, NULL, a, &result, &d));
    bool arm = arm_allows(c),
         same = result.status == MODEL_DONE && result.allowed == arm && !result.unreached;
    r->compared++;
    r->allowed += arm;
    if (!same && r->wrong++ < 5)
        print_error("Arm %s, the model %s:\n%s\n", arm ? "allows" : "forbids",
                    result.unreached ? "does not reach"
                    : result.allowed ? "allows"
                                     : "forbids",
                    yaml.s);
    diag_free(&d);
    text_free(&yaml);
    arena_close(a);
    return true;
}

static const struct {
    int accesses, threads, stride;
    const char *edges[12], *strengths[4];
} spaces[] = {
    {4,
     2,
     1,
     {"po", "pos", "fence.sc.device", "data", "addr", "ctrl"},
     {"bare", "acquire.device", "release.device"}},
    {5, 2, 1, {"po", "pos", "data", "addr", "ctrl", "rfi", "coi", "fri"}, {"bare", "release.device"}},
    {5,
     3,
     5,
     {"po", "pos", "data", "addr", "ctrl", "rfi", "coi", "fri"},
     {"bare", "acquire.device", "release.device"}},
    {6,
     3,
     3,
     {"po", "fence.acq_rel.device", "data", "addr", "ctrl", "rfi", "coi", "fri"},
     {"bare", "release.device"}},
};

static void what_arms_relations_say(void **state) {
    (void)state;
    struct arena *a = arena_open();
    struct comparison r = {.model = ask_model(a, "aarch64")};
    for (size_t k = 0; k < sizeof spaces / sizeof *spaces; k++) {
        struct cycle_space space = {.accesses = spaces[k].accesses, .threads = spaces[k].threads};
        for (int i = 0; spaces[k].edges[i]; i++)
            assert_true(cycle_add_edges(&space, spaces[k].edges[i]));
        for (int i = 0; i < 4 && spaces[k].strengths[i]; i++)
            assert_true(cycle_add_strengths(&space, spaces[k].strengths[i]));
        r.stride = spaces[k].stride;
        r.visited = 0;
        cycle_enumerate(&space, compare, &r);
    }
    assert_int_equal(r.wrong, 0);
    assert_true(r.compared >= 5000 && r.allowed > 1000 && r.allowed < r.compared - 1000);
    arena_close(a);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_arms_relations_say)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
