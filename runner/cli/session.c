/* A session: its cells are planned, prepared a batch at a time, and run one after another. */
#include "cli/session.h"

#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include "cli/interrupt.h"
#include "cli/progress.h"
#include "cli/session_cell.h"
#include "report/verdict.h"

/* Marks a cell that failed as skipped, with its first error as the reason. The other cells go on. */
static void fail_cell(struct session *s, struct session_cell *j, struct cell_result *c) {
    const char *why = diag_first_error(&j->diag);
    c->skipped = arena_strdup(s->arena, why ? why : "it could not be run");
    s->broken = true;
}

/* What is asked of a cell's backend. */
static struct run_request *request_of(const struct session *s, struct session_cell *j) {
    struct run_request *r = &j->request;
    if (r->stop) return r;
    *r = s->request;
    if (s->profile) r->schedule = profile_schedule(s->profile, j->test, &j->cell, j->arena, &r->nschedule);
    r->stop = &interrupted;
    r->progress = progress_show;
    return r;
}

/* Runs a cell, after which `next` will be run (NULL: none). */
static void run_cell(struct session *s, struct session_cell *j, struct cell_result *c,
                     struct session_cell *next) {
    struct run_result run = {.hist = {.nobs = j->test->nobs}};
    struct run_request *request = request_of(s, j);
    struct model_limits limits = s->limits;
    limits.stop = &interrupted;
    request->ctx = progress_cell(s->backend->name, j->test->name, c);
    if (next) {
        request->then = next->kernel;
        request->then_request = request_of(s, next);
    }
    bool ran = j->backend->run(j->kernel, request, &run, &j->diag);
    histogram_sort(&run.hist, j->test->obs);
    if (ran && j->judged && j->allowed.unlisted)
        model_list_seen(j->model, j->test, &j->cell, &limits, &run.hist, j->arena, &j->allowed);
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

static bool is_to_run(const struct session_cell *j) {
    return j->backend && !j->cannot && j->kernel;
}

/* Turns a prepared cell into its cell's result. `next`: the one that runs after it. */
static void finish(struct session *s, struct session_cell *j, struct session_cell *next) {
    struct cell_result *c = &j->result->cells[j->index];
    if (j->wrong.errors) report_wrong(s, j);
    if (j->judged) verdict_allowed(s->arena, c, j->test, model_name(j->model), &j->allowed);
    if (j->judged && j->host_model)
        verdict_host(s->arena, c, j->test, &j->cell, model_name(j->host_model), &j->host);
    if (!j->model && j->test->unjudged) c->unjudged = arena_strdup(s->arena, j->test->unjudged);
    if (j->judged) verdict_races(s->arena, c, j->test, &j->races);
    if (j->why.nlines) verdict_explained(s->arena, c, &j->why);
    if (interrupted && (j->backend || (j->model && !j->judged))) {
        c->skipped = "interrupted";
        diag_free(&j->diag); /* the compiler was interrupted, too */
    } else if (j->backend && j->cannot)
        c->skipped = arena_strdup(s->arena, j->cannot);
    else if (j->kernel)
        run_cell(s, j, c, next);
    else if (j->backend)
        fail_cell(s, j, c);
    c->verdict = verdict_of(c, j->test->cond.kind == FORALL);
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
    verdict_claims(s->arena, j->test, r);
    if (s->options->strict) verdict_doubts(s->arena, j->test, r);
    if (s->options->races && strcmp(s->options->races, "fail") == 0) verdict_races_fail(s->arena, r);
    if (interrupted && !has_begun(s, r)) return;
    s->report.tests[s->report.ntests++] = *r;
    finished(s, r);
}

/* The first cell from number k on that will run; NULL: none before `end`. */
static struct session_cell *next_to_run(struct session_cell *cells, int k, int end) {
    while (k < end && !is_to_run(&cells[k]))
        k++;
    return k < end ? &cells[k] : NULL;
}

/* Begins to prepare the cells from number `first` on. NULL: there are none, or no more are wanted. */
static struct batch *begin_batch(struct session *s, const struct model *sc, struct session_cell *cells, int n,
                                 int first) {
    int left = n - first, most = session_batch(s);
    return interrupted || left <= 0 ? NULL : session_prepare(s, sc, cells + first, left < most ? left : most);
}

/* Runs the cells. Where nothing runs, the next batch is judged while this one is shown. After Ctrl-C nothing more is
 * prepared or run. A test that has begun is still finished with what was counted; its other cells are marked as
 * interrupted. */
static void run_cells(struct session *s, const struct model *sc, struct session_cell *cells, int n,
                      finished_fn *finished) {
    struct batch *b = NULL;
    int most = session_batch(s);
    for (int first = 0; first < n; first += most) {
        int end = n - first < most ? n : first + most;
        if (!b) b = begin_batch(s, sc, cells, n, first);
        if (b) progress_phase(s->backend ? "building" : "judging", first, end, n);
        if (b) session_prepared(b);
        b = s->backend ? NULL : begin_batch(s, sc, cells, n, end);
        for (int k = first; k < end; k++) {
            progress_count(k, n);
            finish(s, &cells[k], next_to_run(cells, k + 1, end));
            if (last_of_test(cells, n, k)) finish_test(s, &cells[k], finished);
        }
    }
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

static const char *today(struct arena *a) {
    char text[32];
    time_t now = time(NULL);
    struct tm tm;
    gmtime_r(&now, &tm);
    strftime(text, sizeof text, "%Y-%m-%d %H:%M UTC", &tm);
    return arena_strdup(a, text);
}

bool session_run(struct session *s, finished_fn *finished, struct diag *d) {
    const struct suite *suite = s->suite;
    s->arena = arena_open();
    s->report = (struct report){.tool = "culitmus " CULITMUS_VERSION,
                                .date = today(s->arena),
                                .seed = (long long)s->request.seed,
                                .tests = arena_array(s->arena, (size_t)suite->n, sizeof *s->report.tests),
                                .refused = suite->refused,
                                .nrefused = suite->nrefused};
    describe_machine(s);
    const struct model *sc = s->backend ? model_load(s->arena, "sc", d) : NULL;
    if (s->backend && !sc) return false;
    struct test_result *results = arena_array(s->arena, (size_t)suite->n, sizeof *results);
    int n = 0;
    struct session_cell *cells = session_plan(s, results, &n, d);
    if (!cells) return false;
    interrupt_catch();
    run_cells(s, sc, cells, n, finished);
    progress_clear();
    s->interrupted = interrupted;
    return true;
}

void session_close(struct session *s) {
    arena_close(s->arena);
}
