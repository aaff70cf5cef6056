/* All cores judge cells, then build them, a batch at a time; they run after that, so that no compiler disturbs a
 * measurement. A core builds several cells together, which costs less than one by one. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/cores.h"
#include "base/pool.h"
#include "cli/interrupt.h"
#include "cli/session_cell.h"

enum { CELLS_A_CORE = 32, BUILT_TOGETHER = 16 };

typedef void step_fn(const struct batch *b, struct session_cell **cells, int n);

struct batch {
    struct session *session;
    const struct model *sc;
    struct arena *arena; /* this lives in it */
    struct session_cell **cells;
    int n, next;
    step_fn *step;
    int together; /* cells that a thread takes at a time */
    bool grouped; /* and those with the same code as the last of them */
    pthread_mutex_t lock;
    struct pool pool;
};

/* What is left of the time for a test, whose cells share it. */
static struct model_limits limits_left(const struct session *s, const struct session_cell *j) {
    struct model_limits limits = s->limits;
    limits.stop = &interrupted;
    if (limits.seconds > 0) {
        limits.seconds -= (double)atomic_load(j->judging) * 1e-9;
        if (limits.seconds < 1e-3) limits.seconds = 1e-3;
    }
    return limits;
}

static void add_time(const struct session_cell *j, double begin) {
    atomic_fetch_add(j->judging, (long long)((clock_now() - begin) * 1e9));
}

/* `races`: NULL where they do not matter. */
static bool judge(const struct session *s, const struct session_cell *j, const struct model *m,
                  struct model_result *out, struct races *races, struct diag *d) {
    struct model_limits limits = limits_left(s, j);
    double begin = clock_now();
    bool fine = races ? model_check_races(m, j->test, &j->cell, &limits, j->arena, out, races, d)
                      : model_check(m, j->test, &j->cell, &limits, j->arena, out, d);
    add_time(j, begin);
    if (fine && out->status == MODEL_UNKNOWN && strncmp(out->why, "timeout", 7) == 0)
        out->why = arena_printf(j->arena, "timeout after %g s for the test", s->limits.seconds);
    return fine;
}

bool session_is_unjudged(const struct test *t) {
    return t->model && strcmp(t->model, "none") == 0;
}

/* Judges a cell. If the model finds the test wrong (an array index out of bounds), the cell is unknown and does not
 * run. */
static void judge_one(struct session *s, struct session_cell *j) {
    bool fine = judge(s, j, j->model, &j->allowed, &j->races, &j->wrong);
    j->judged = !interrupted || j->allowed.status == MODEL_DONE;
    if (fine) return;
    const char *why = arena_strdup(j->arena, diag_first_error(&j->wrong));
    j->allowed = (struct model_result){.status = MODEL_UNKNOWN, .why = why, .holds = true};
    j->cannot = why;
}

/* What cannot be judged, its own model has said already. */
static void judge_host(struct session *s, struct session_cell *j) {
    struct diag quiet = {0};
    if (j->host_model && !judge(s, j, j->host_model, &j->host, NULL, &quiet)) j->host_model = NULL;
    diag_free(&quiet);
}

/* Looks for the races that were not found on the way. A test that cannot be judged has said so. */
static void find_races(struct session *s, struct session_cell *j) {
    struct diag quiet = {0};
    struct model_limits limits = limits_left(s, j);
    double begin = clock_now();
    if (!j->races.open) return;
    limits.unroll = j->allowed.unroll;
    model_races(j->model, j->test, &j->cell, &limits, j->arena, &j->races, &quiet);
    add_time(j, begin);
    diag_free(&quiet);
}

/* Explains what the model says. If it cannot, it has said so when it judged the cell. */
static void explain_one(struct session *s, struct session_cell *j) {
    struct diag quiet = {0};
    struct model_limits limits = s->limits;
    limits.stop = &interrupted;
    limits.unroll = j->allowed.unroll;
    model_why(j->model, j->test, &j->cell, &limits, j->arena, &j->why, &quiet);
    diag_free(&quiet);
}

static void prepare(struct session *s, const struct model *sc, struct session_cell *j) {
    struct diag quiet = {0}; /* what the model cannot judge, its own model has said already */
    j->arena = arena_open();
    if (j->model) judge_one(s, j);
    if (j->judged && !j->cannot) judge_host(s, j);
    if (j->judged && !j->cannot) find_races(s, j);
    if (j->judged && !j->cannot && s->options->why) explain_one(s, j);
    if (j->judged && j->allowed.fault && !j->cannot) j->cannot = "the model finds a fault";
    if (!j->backend || j->cannot) return;
    j->cannot = j->backend->cannot(s->device, j->test, &j->cell, j->arena);
    if (j->cannot) return;
    j->has_sc = !session_is_unjudged(j->test) && judge(s, j, sc, &j->sc, NULL, &quiet);
    diag_free(&quiet);
}

static void judge_cells(const struct batch *b, struct session_cell **cells, int n) {
    for (int k = 0; k < n; k++)
        prepare(b->session, b->sc, cells[k]);
}

static void build_cells(const struct batch *b, struct session_cell **cells, int n) {
    struct arena *a = arena_open();
    struct build *builds = arena_array(a, (size_t)n, sizeof *builds);
    struct session_cell **of = arena_array(a, (size_t)n, sizeof *of);
    int m = 0;
    for (int k = 0; k < n; k++) {
        struct session_cell *j = cells[k];
        if (!j->backend || j->cannot) continue;
        builds[m] = (struct build){.t = j->test, .v = &j->cell, .stop = &interrupted, .d = &j->diag};
        of[m++] = j;
    }
    if (m > 0) b->session->backend->build(b->session->device, builds, m);
    for (int k = 0; k < m; k++)
        of[k]->kernel = builds[k].kernel;
    arena_close(a);
}

/* Cells that differ in the placement alone mostly have the same code, which is compiled once when they are
 * built together. */
static bool same_code(const struct session_cell *a, const struct session_cell *b) {
    return a->result == b->result && a->backend == b->backend && a->cell.access == b->cell.access &&
           strcmp(a->cell.fence->name, b->cell.fence->name) == 0;
}

static int by_code(const void *a, const void *b) {
    const struct session_cell *x = *(struct session_cell *const *)a, *y = *(struct session_cell *const *)b;
    if (x->result == y->result && x->backend == y->backend) {
        if (x->cell.access != y->cell.access) return x->cell.access < y->cell.access ? -1 : 1;
        int order = strcmp(x->cell.fence->name, y->cell.fence->name);
        if (order) return order;
    }
    return x < y ? -1 : 1; /* as they are in the batch */
}

/* How many cells a thread takes from the first of those that are left. */
static int next_cells(const struct batch *b) {
    int n = 0;
    struct session_cell **first = b->cells + b->next;
    while (b->next + n < b->n && (n < b->together || (b->grouped && same_code(first[n - 1], first[n]))))
        n++;
    return n;
}

static void work(void *ctx) {
    struct batch *b = ctx;
    for (;;) {
        pthread_mutex_lock(&b->lock);
        int first = b->next, n = interrupted ? 0 : next_cells(b);
        b->next += n;
        pthread_mutex_unlock(&b->lock);
        if (n == 0) return;
        b->step(b, b->cells + first, n);
    }
}

/* Begins a step for all cells of the batch: all cores work, and each takes some cells at a time. */
static void start(struct batch *b, step_fn *step, int together, bool grouped) {
    b->step = step;
    b->together = together;
    b->grouped = grouped;
    b->next = 0;
    pool_start(&b->pool, (b->n + together - 1) / together, work, b);
}

int session_batch(void) {
    return cores_count() * CELLS_A_CORE;
}

struct batch *session_prepare(struct session *s, const struct model *sc, struct session_cell *cells, int n) {
    struct arena *a = arena_open();
    struct batch *b = arena_alloc(a, sizeof *b);
    *b = (struct batch){
        .session = s, .sc = sc, .arena = a, .cells = arena_array(a, (size_t)n, sizeof *b->cells), .n = n};
    for (int k = 0; k < n; k++)
        b->cells[k] = &cells[k];
    pthread_mutex_init(&b->lock, NULL);
    start(b, judge_cells, 1, false);
    return b;
}

void session_prepared(struct batch *b) {
    int share = (b->n + cores_count() - 1) / cores_count();
    pool_join(&b->pool);
    if (b->session->backend) {
        qsort(b->cells, (size_t)b->n, sizeof *b->cells, by_code);
        start(b, build_cells, share < BUILT_TOGETHER ? share : BUILT_TOGETHER, true);
        pool_join(&b->pool);
    }
    pthread_mutex_destroy(&b->lock);
    arena_close(b->arena);
}
