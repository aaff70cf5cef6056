#include "cli/session.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/clock.h"
#include "base/cores.h"
#include "cli/choose.h"
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "report/verdict.h"

/* All cores prepare cells (judge, then build them), a batch at a time. Then the cells run one after another, so that no
 * compiler disturbs a measurement. A core builds several cells together, which costs less than one by one. */
enum { CELLS_A_CORE = 32, BUILT_TOGETHER = 16 };

struct session_cell {
    const struct test *test;
    struct cell cell;
    const struct backend *backend; /* NULL: nothing runs */
    const struct model *model;     /* NULL: nobody judges */
    struct test_result *result;
    int index;             /* into result->cells */
    atomic_llong *judging; /* nanoseconds spent on judging the test so far; its cells share this */
    struct arena *arena;   /* what its thread makes */
    struct model_result allowed, sc;
    bool judged, has_sc;
    const char *cannot;
    struct kernel *kernel;
    struct diag wrong; /* the test cannot be judged: an error of its own */
    struct diag diag;
};

struct batch;
typedef void step_fn(const struct batch *b, struct session_cell **cells, int n);

struct batch {
    struct session *session;
    const struct model *sc;
    struct session_cell **cells;
    int n, next;
    step_fn *step;
    int together; /* cells that a thread takes at a time */
    bool grouped; /* and those with the same code as the last of them */
    pthread_mutex_t lock;
};

/* ---- preparing, on any thread ---- */

static bool judge(const struct session *s, const struct session_cell *j, const struct model *m,
                  struct model_result *out, struct diag *d) {
    struct model_limits limits = s->limits;
    double begin = clock_now();
    limits.stop = &interrupted;
    if (limits.seconds > 0) {
        limits.seconds -= (double)atomic_load(j->judging) * 1e-9;
        if (limits.seconds < 1e-3) limits.seconds = 1e-3;
    }
    bool fine = model_check(m, j->test, &j->cell, &limits, j->arena, out, d);
    atomic_fetch_add(j->judging, (long long)((clock_now() - begin) * 1e9));
    if (fine && out->status == MODEL_UNKNOWN && strncmp(out->why, "timeout", 7) == 0)
        out->why = arena_printf(j->arena, "timeout after %g s for the test", s->limits.seconds);
    return fine;
}

/* Whether the test says 'model: none': it is too large to judge, and only runs. */
static bool is_unjudged(const struct test *t) {
    return t->model && strcmp(t->model, "none") == 0;
}

/* Judges a cell. If the model finds the test wrong (an array index out of bounds), the cell is unknown and does not
 * run. */
static void judge_one(struct session *s, struct session_cell *j) {
    bool fine = judge(s, j, j->model, &j->allowed, &j->wrong);
    j->judged = !interrupted || j->allowed.status == MODEL_DONE;
    if (fine) return;
    const char *why = arena_strdup(j->arena, diag_first_error(&j->wrong));
    j->allowed = (struct model_result){.status = MODEL_UNKNOWN, .why = why, .holds = true};
    j->cannot = why;
}

static void prepare(struct session *s, const struct model *sc, struct session_cell *j) {
    struct diag quiet = {0}; /* what the model cannot judge, its own model has said already */
    j->arena = arena_open();
    if (j->model) judge_one(s, j);
    if (!j->backend || j->cannot) return;
    j->cannot = j->backend->cannot(s->device, j->test, &j->cell, j->arena);
    if (j->cannot) return;
    j->has_sc = !is_unjudged(j->test) && judge(s, j, sc, &j->sc, &quiet);
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
static int next_jobs(const struct batch *b) {
    int n = 0;
    struct session_cell **first = b->cells + b->next;
    while (b->next + n < b->n && (n < b->together || (b->grouped && same_code(first[n - 1], first[n]))))
        n++;
    return n;
}

static void *work(void *arg) {
    struct batch *b = arg;
    for (;;) {
        pthread_mutex_lock(&b->lock);
        int first = b->next, n = interrupted ? 0 : next_jobs(b);
        b->next += n;
        pthread_mutex_unlock(&b->lock);
        if (n == 0) return NULL;
        b->step(b, b->cells + first, n);
    }
}

/* Does a step for all cells of the batch: all cores work, and each takes some cells at a time. */
static void do_all(struct batch *b, step_fn *step, int together, bool grouped) {
    pthread_t threads[64];
    int n = 0, want = cores_count() > 64 ? 64 : cores_count();
    b->step = step;
    b->together = together;
    b->grouped = grouped;
    b->next = 0;
    for (; n < want - 1 && (n + 1) * together < b->n; n++)
        if (pthread_create(&threads[n], NULL, work, b) != 0) break;
    work(b);
    while (n > 0)
        pthread_join(threads[--n], NULL);
}

static void prepare_all(struct batch *b) {
    int share = (b->n + cores_count() - 1) / cores_count();
    pthread_mutex_init(&b->lock, NULL);
    do_all(b, judge_cells, 1, false);
    qsort(b->cells, (size_t)b->n, sizeof *b->cells, by_code);
    do_all(b, build_cells, share < BUILT_TOGETHER ? share : BUILT_TOGETHER, true);
    pthread_mutex_destroy(&b->lock);
}

/* ---- running, one after another ---- */

/* Marks a cell that failed as skipped, with its first error as the reason. The other cells go on. */
static void fail_cell(struct session *s, struct session_cell *j, struct cell_result *c) {
    const char *why = diag_first_error(&j->diag);
    c->skipped = arena_strdup(s->arena, why ? why : "it could not be run");
    s->broken = true;
}

static void run_cell(struct session *s, struct session_cell *j, struct cell_result *c) {
    struct run_result run = {.hist = {.nobs = j->test->nobs}};
    struct run_request request = s->request;
    if (s->profile)
        request.schedule = profile_schedule(s->profile, j->test, &j->cell, j->arena, &request.nschedule);
    request.stop = &interrupted;
    request.progress = progress_show;
    request.ctx = progress_cell(s->backend->name, j->test->name, c);
    bool ran = j->backend->run(j->kernel, &request, &run, &j->diag);
    histogram_sort(&run.hist, j->test->obs);
    if (!ran)
        fail_cell(s, j, c);
    else
        verdict_observed(s->arena, c, j->test, &run, j->judged ? &j->allowed : NULL,
                         j->has_sc ? &j->sc : NULL);
    histogram_free(&run.hist);
}

/* Reports an error of the test, but only once: most of its cells meet it. */
static void report_wrong(struct session *s, struct session_cell *j) {
    if (s->wrong == j->test) diag_free(&j->wrong);
    s->wrong = j->test;
    progress_clear();
    fflush(stdout);
    diag_report(&j->wrong, EXIT_INPUT);
}

/* Turns a prepared cell into its cell's result. */
static void finish(struct session *s, struct session_cell *j) {
    struct cell_result *c = &j->result->cells[j->index];
    if (j->wrong.errors) report_wrong(s, j);
    if (j->judged) verdict_allowed(s->arena, c, j->test, model_name(j->model), &j->allowed);
    if (interrupted && (j->backend || (j->model && !j->judged))) {
        c->skipped = "interrupted";
        diag_free(&j->diag); /* the compiler was interrupted, too */
    } else if (j->backend && j->cannot)
        c->skipped = arena_strdup(s->arena, j->cannot);
    else if (j->kernel)
        run_cell(s, j, c);
    else if (j->backend)
        fail_cell(s, j, c);
    c->verdict = verdict_of(c);
    if (j->kernel) j->backend->discard(j->kernel);
    progress_clear();
    if (j->diag.n) fflush(stdout);
    if (diag_report(&j->diag, EXIT_ENVIRONMENT)) s->broken = true;
    arena_close(j->arena);
    j->arena = NULL;
}

static bool last_of_test(const struct session_cell *cells, int n, int k) {
    return k + 1 == n || cells[k + 1].result != cells[k].result;
}

/* Whether some cell of a test has run. After Ctrl-C, the report leaves out the tests that have not begun. */
static bool has_begun(const struct session *s, const struct test_result *r) {
    for (int k = 0; k < r->ncells; k++)
        if (s->backend ? r->cells[k].runs > 0 : r->cells[k].model.name != NULL) return true;
    return false;
}

static void finish_test(struct session *s, const struct session_cell *j, finished_fn *finished) {
    struct test_result *r = j->result;
    verdict_confidence(r);
    verdict_claims(s->arena, j->test, r, s->backend == NULL);
    if (interrupted && !has_begun(s, r)) return;
    s->report.tests[s->report.ntests++] = *r;
    finished(s, r);
}

/* Runs the cells. After Ctrl-C nothing more is prepared or run. A test that has begun is still finished with what was
 * counted; its other cells are marked as interrupted. */
static void run_cells(struct session *s, const struct model *sc, struct session_cell *cells, int n,
                      finished_fn *finished) {
    int batch = cores_count() * CELLS_A_CORE;
    struct session_cell **list = arena_array(s->arena, (size_t)n, sizeof *list);
    for (int k = 0; k < n; k++)
        list[k] = &cells[k];
    for (int first = 0; first < n; first += batch) {
        struct batch b = {
            .session = s, .sc = sc, .cells = list + first, .n = n - first < batch ? n - first : batch};
        if (!interrupted) progress_phase(s->backend ? "building" : "judging", first, n);
        if (!interrupted) prepare_all(&b);
        for (int k = first; k < first + b.n; k++) {
            progress_count(k, n);
            finish(s, &cells[k]);
            if (last_of_test(cells, n, k)) finish_test(s, &cells[k], finished);
        }
    }
}

/* ---- planning ---- */

/* Models by name, each read once. */
struct models {
    struct session *session;
    const struct model *list[32];
    const char *names[32];
    int n;
};

static const struct model *find_model(struct models *m, const struct test *t, const char *name,
                                      struct diag *d) {
    const struct session *s = m->session;
    for (int k = 0; k < m->n; k++)
        if (strcmp(m->names[k], name) == 0) return m->list[k];
    const struct model *model = choose_model(s->options, s->arena, t, name, d);
    if (model && m->n < 32) {
        m->names[m->n] = name;
        m->list[m->n++] = model;
    }
    return model;
}

struct session_plan {
    struct session *session;
    struct models models;
    struct session_cell *cells;
    int n, cap;
};

/* The model that judges a test's cells on a backend, or NULL. */
static const char *model_of(const struct session *s, const struct test *t, const struct backend *b) {
    if (is_unjudged(t) && !s->options->model) return NULL;
    return choose_model_name(s->options, s->arena, t, b ? b->model : "ptx");
}

/* Adds the cells of one test on one backend. */
static bool plan_cells(struct session_plan *p, const struct test *t, struct test_result *r,
                       const struct backend *b, atomic_llong *judging, struct diag *d) {
    struct session *s = p->session;
    int n;
    struct cell *cells = suite_cells(s->arena, t, s->options, b, &n);
    const char *name = model_of(s, t, b);
    const struct model *model = name ? find_model(&p->models, t, name, d) : NULL;
    if (name && !model) return false;
    r->cells = arena_grow(s->arena, r->cells, (size_t)r->ncells, (size_t)(r->ncells + n), sizeof *r->cells);
    if (p->n + n > p->cap) {
        int cap = 2 * p->cap + n;
        p->cells = arena_grow(s->arena, p->cells, (size_t)p->n, (size_t)cap, sizeof *p->cells);
        p->cap = cap;
    }
    for (int k = 0; k < n; k++) {
        r->cells[r->ncells] =
            verdict_cell(s->arena, &cells[k], b ? b->name : "model", b ? s->device->description : NULL);
        p->cells[p->n++] = (struct session_cell){.test = t,
                                                 .cell = cells[k],
                                                 .backend = b,
                                                 .model = model,
                                                 .result = r,
                                                 .index = r->ncells++,
                                                 .judging = judging};
    }
    return true;
}

/* Adds the cells of a test. A developer of GPU code wants to know about GPUs: where the cells run on another machine,
 * what the GPU's model says of the test is shown, too. */
static bool plan_test(struct session_plan *p, const struct test *t, struct test_result *r, struct diag *d) {
    struct session *s = p->session;
    atomic_llong *judging = arena_alloc(s->arena, sizeof *judging);
    *r = verdict_test(s->arena, t);
    if (!plan_cells(p, t, r, s->backend, judging, d)) return false;
    enum machine machine = MACHINE_NONE;
    if (s->backend) machine_of(s->backend->name, &machine);
    if (machine != MACHINE_CPU || is_unjudged(t)) return true;
    return plan_cells(p, t, r, NULL, judging, d);
}

static void add_property(struct session *s, const char *name, const char *value) {
    struct report *r = &s->report;
    r->machine =
        arena_grow(s->arena, r->machine, (size_t)r->nmachine, (size_t)r->nmachine + 1, sizeof *r->machine);
    r->machine[r->nmachine++] = (struct property){name, arena_strdup(s->arena, value)};
}

static void describe_machine(struct session *s) {
    struct utsname u;
    if (uname(&u) == 0)
        add_property(s, "system", arena_printf(s->arena, "%s %s %s", u.sysname, u.release, u.machine));
    if (!s->backend) return;
    add_property(s, "device", s->device->description);
    for (const char *const *p = s->device->properties; p && *p; p += 2)
        add_property(s, p[0], p[1]);
    if (s->profile && s->profile->n > 0) add_property(s, "profile", profile_describe(s->profile, s->arena));
}

bool session_run(struct session *s, finished_fn *finished, struct diag *d) {
    const struct suite *suite = s->suite;
    struct session_plan p = {.session = s, .models = {.session = s}};
    s->arena = arena_open();
    s->report = (struct report){.tool = "culitmus " CULITMUS_VERSION,
                                .seed = (long long)s->request.seed,
                                .tests = arena_array(s->arena, (size_t)suite->n, sizeof *s->report.tests)};
    describe_machine(s);
    const struct model *sc = s->backend ? model_load(s->arena, "sc", d) : NULL;
    if (s->backend && !sc) return false;
    struct test_result *results = arena_array(s->arena, (size_t)suite->n, sizeof *results);
    for (int k = 0; k < suite->n; k++) {
        if (!plan_test(&p, suite->tests[k], &results[k], d)) return false;
        s->without_cells += results[k].ncells == 0;
    }
    interrupt_catch();
    run_cells(s, sc, p.cells, p.n, finished);
    progress_clear();
    s->interrupted = interrupted;
    return true;
}

void session_close(struct session *s) {
    arena_close(s->arena);
}
