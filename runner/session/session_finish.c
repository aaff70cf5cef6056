/* A cell that was prepared becomes a result: it runs, and what it showed is compared with what is allowed. */
#include <string.h>

#include "results/verdict.h"
#include "session/session_cell.h"

/* Marks a cell that failed as skipped, with its first error as the reason. The other cells go on. */
static void fail_cell(struct session *s, struct session_cell *j, struct cell_result *c) {
    const char *why = diag_first_error(&j->diag);
    c->skipped = arena_strdup(s->arena, why ? why : "it could not be run");
    s->broken = true;
}

/* What is asked of a cell's backend. */
static struct run_request *request_of(const struct session *s, struct session_cell *j) {
    struct run_request *r = &j->request;
    if (j->has_request) return r;
    j->has_request = true;
    *r = s->request;
    if (s->profile) r->schedule = profile_schedule(s->profile, j->test, &j->cell, j->arena, &r->nschedule);
    r->stop = s->stop;
    r->progress = s->listener.progress;
    r->ctx = s->listener.ctx;
    return r;
}

/* Runs a cell, after which `next` will be run (NULL: none). */
static void run_cell(struct session *s, struct session_cell *j, struct cell_result *c,
                     struct session_cell *next) {
    struct run_result run = {.hist = {.nobs = j->test->nobs}};
    struct run_request *request = request_of(s, j);
    struct model_limits limits = s->limits;
    limits.stop = s->stop;
    if (s->listener.running) s->listener.running(s->listener.ctx, j->result, c);
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

/* Tells of an error of the test, but only once: most of its cells meet it. */
static void tell_wrong(struct session *s, struct session_cell *j) {
    if (s->wrong == j->test) diag_free(&j->wrong);
    s->wrong = j->test;
    session_say(s, &j->wrong);
}

bool session_is_to_run(const struct session_cell *j) {
    return j->backend && !j->cannot && j->kernel;
}

/* Turns a prepared cell into its cell's result. `next`: the one that runs after it. */
void session_finish(struct session *s, struct session_cell *j, struct session_cell *next) {
    struct cell_result *c = &j->result->cells[j->index];
    if (j->wrong.errors) tell_wrong(s, j);
    if (j->judged) verdict_allowed(s->arena, c, j->test, model_name(j->model), &j->allowed);
    if (j->judged && j->host_model)
        verdict_host(s->arena, c, j->test, &j->cell, model_name(j->host_model), &j->host);
    if (!j->model && j->test->unjudged) c->unjudged = arena_strdup(s->arena, j->test->unjudged);
    if (j->judged) verdict_races(s->arena, c, j->test, &j->races);
    if (j->why.nlines) verdict_explained(s->arena, c, &j->why);
    if (session_is_stopped(s) && (j->backend || (j->model && !j->judged))) {
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
    s->broken = s->broken || j->diag.errors > 0;
    session_say(s, &j->diag);
    arena_close(j->arena);
    j->arena = NULL;
}
