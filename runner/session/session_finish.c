/* Turns a prepared cell into a result: runs it, and compares what it showed with what is allowed. */
#include <string.h>

#include "base/clock.h"
#include "results/verdict.h"
#include "session/session_cell.h"

/* Marks a cell that failed as skipped, with its first error as the reason. The other cells go on. */
static void fail_run(struct session *s, const struct session_run *r, struct cell_result *c) {
    const char *why = diag_first_error(&r->diag);
    c->skipped = arena_strdup(s->arena, why ? why : "it could not be run");
    c->lost = true;
    s->broken = true;
}

double session_weight(const struct session_cell *j) {
    if (!j->found->judged || j->found->allowed.status == MODEL_UNKNOWN || j->found->allowed.allowed) return 4;
    return j->found->allowed.unreached ? 1 : 2;
}

/* Returns the request for the cell's backend. */
static struct run_request *request_of(struct session *s, const struct session_cell *j,
                                      struct session_run *run) {
    struct run_request *r = &run->request;
    if (run->has_request) return r;
    run->has_request = true;
    *r = s->request;
    if (s->pace.end > 0) r->seconds = pace_take(&s->pace, clock_now(), session_weight(j));
    if (s->profile) r->schedule = profile_schedule(s->profile, j->test, &j->cell, j->arena, &r->nschedule);
    r->stop = s->stop;
    r->progress = s->listener.progress;
    r->ctx = s->listener.ctx;
    return r;
}

struct session_run *session_next_run(const struct session_cell *j, int k) {
    while (k < j->nruns && (!j->backend || j->cannot || !j->runs[k].kernel))
        k++;
    return k < j->nruns ? &j->runs[k] : NULL;
}

/* Tells the backend what runs after run number k of a cell: the cell's next run, or the first run of cell
 * `next`. */
static void announce(struct session *s, const struct session_cell *j, int k, struct run_request *request,
                     const struct session_cell *next) {
    struct session_run *then = session_next_run(j, k + 1);
    const struct session_cell *of = then ? j : next;
    if (!then && next) then = session_next_run(next, 0);
    if (!then) return;
    request->then = then->kernel;
    request->then_request = request_of(s, of, then);
}

/* Runs run number k of a cell. */
static void run_cell(struct session *s, struct session_cell *j, int k, struct cell_result *c,
                     const struct session_cell *next) {
    struct session_run *r = &j->runs[k];
    struct run_result run = {.hist = {.nobs = j->test->nobs}};
    struct run_request *request = request_of(s, j, r);
    struct model_limits limits = s->limits;
    limits.stop = s->stop;
    if (s->listener.running) s->listener.running(s->listener.ctx, j->result, c);
    pace_begin(&s->pace, clock_now(), request->seconds);
    announce(s, j, k, request, next);
    bool ran = j->backend->run(r->kernel, request, &run, &r->diag);
    histogram_sort(&run.hist, j->test->obs);
    if (ran && j->found->judged && j->found->allowed.unlisted)
        model_list_seen(j->model, j->test, &j->cell, &limits, &run.hist, j->arena, &j->found->allowed);
    if (!ran)
        fail_run(s, r, c);
    else
        verdict_observed(s->arena, c, j->test, &run, j->found->judged ? &j->found->allowed : NULL,
                         j->found->has_sc ? &j->found->sc : NULL);
    histogram_free(&run.hist);
}

/* Reports an error of the test once, although most of its cells meet it. */
static void tell_wrong(struct session *s, struct session_cell *j) {
    if (s->wrong == j->test) diag_free(&j->found->wrong);
    s->wrong = j->test;
    session_say(s, &j->found->wrong);
}

/* Fills in what the models say. */
static void take_judgement(struct session *s, const struct session_cell *j, struct cell_result *c) {
    if (j->found->judged) verdict_allowed(s->arena, c, j->test, model_name(j->model), &j->found->allowed);
    if (j->found->judged && j->host_model)
        verdict_host(s->arena, c, j->test, &j->cell, model_name(j->host_model), &j->found->host);
    if (!j->model && j->test->unjudged) c->unjudged = arena_strdup(s->arena, j->test->unjudged);
    if (j->found->judged) verdict_races(s->arena, c, j->test, &j->found->races);
    if (j->found->why.nlines) verdict_explained(s->arena, c, &j->found->why);
}

/* Turns run number k of a prepared cell into its result. */
static void finish_run(struct session *s, struct session_cell *j, int k, const struct session_cell *next) {
    struct session_run *r = &j->runs[k];
    struct cell_result *c = &j->result->cells[r->index];
    take_judgement(s, j, c);
    if (j->elsewhere) {
        c->skipped = j->cannot;
    } else if (session_is_stopped(s) && (j->backend || (j->model && !j->found->judged))) {
        c->skipped = "interrupted";
        c->lost = true;
        diag_free(&r->diag); /* the compiler was interrupted, too */
    } else if (j->backend && j->cannot)
        c->skipped = arena_strdup(s->arena, j->cannot);
    else if (r->cannot)
        c->skipped = arena_strdup(s->arena, r->cannot);
    else if (r->twin)
        c->skipped = arena_printf(s->arena, "its machine code is that of %s", r->twin->name);
    else if (r->kernel)
        run_cell(s, j, k, c, next);
    else if (j->backend)
        fail_run(s, r, c);
    c->verdict = verdict_of(c, j->test->cond.kind == FORALL);
    if (r->kernel) j->backend->discard(r->kernel);
    s->broken = s->broken || r->diag.errors > 0;
    session_say(s, &r->diag);
}

void session_finish(struct session *s, struct session_cell *j, const struct session_cell *next) {
    struct session_found nothing = {0}; /* the cell was not prepared, because the session was stopped */
    if (!j->found) j->found = &nothing;
    if (j->found->wrong.errors) tell_wrong(s, j);
    for (int k = 0; k < j->nruns; k++)
        finish_run(s, j, k, next);
    arena_close(j->arena);
    j->arena = NULL;
    j->found = NULL;
}
