/* Asks the models about a cell. */
#include <string.h>

#include "base/clock.h"
#include "session/session_cell.h"

/* Returns the limits with the time that is left: of the test, which its cells share, or of the cell. */
static struct model_limits limits_left(const struct session *s, const struct session_cell *j) {
    struct model_limits limits = s->limits;
    limits.stop = s->stop;
    if (limits.seconds > 0) {
        limits.seconds -= (double)atomic_load(j->judging) * 1e-9;
        if (limits.seconds < 1e-3) limits.seconds = 1e-3;
    } else {
        limits.until = j->until;
    }
    return limits;
}

static void add_time(const struct session_cell *j, double begin) {
    atomic_fetch_add(j->judging, (long long)((clock_now() - begin) * 1e9));
}

/* Judges a cell by a model. `races` may be NULL. */
static bool judge(const struct session *s, const struct session_cell *j, const struct model *m,
                  struct model_result *out, struct races *races, struct diag *d) {
    struct model_limits limits = limits_left(s, j);
    double begin = clock_now();
    bool fine = races ? model_check_races(m, j->test, &j->cell, &limits, j->arena, out, races, d)
                      : model_check(m, j->test, &j->cell, &limits, j->arena, out, d);
    add_time(j, begin);
    if (fine && s->limits.seconds > 0 && out->status == MODEL_UNKNOWN && strncmp(out->why, "timeout", 7) == 0)
        out->why = arena_printf(j->arena, "timeout after %g s for the test", s->limits.seconds);
    return fine;
}

bool session_is_unjudged(const struct test *t) {
    return t->model && strcmp(t->model, "none") == 0;
}

/* Judges a cell. If the model finds the test wrong (an array index out of bounds), the cell is unknown and
 * does not run. */
static void judge_one(const struct session *s, struct session_cell *j) {
    bool fine = judge(s, j, j->model, &j->found->allowed, &j->found->races, &j->found->wrong);
    j->found->judged = !session_is_stopped(s) || j->found->allowed.status == MODEL_DONE;
    if (fine) return;
    const char *why = arena_strdup(j->arena, diag_first_error(&j->found->wrong));
    j->found->allowed = (struct model_result){.status = MODEL_UNKNOWN, .why = why, .holds = true};
    j->cannot = why;
}

/* If the cell cannot be judged, its own model has already said why. */
static void judge_host(const struct session *s, struct session_cell *j) {
    struct diag quiet = {0};
    if (j->host_model && !judge(s, j, j->host_model, &j->found->host, NULL, &quiet)) j->host_model = NULL;
    diag_free(&quiet);
}

/* Looks for races, unless they were found while judging. A test that cannot be judged has already said so. */
static void find_races(const struct session *s, struct session_cell *j) {
    struct diag quiet = {0};
    struct model_limits limits = limits_left(s, j);
    double begin = clock_now();
    if (!j->found->races.open) return;
    limits.unroll = j->found->allowed.unroll;
    model_races(j->model, j->test, &j->cell, &limits, j->arena, &j->found->races, &quiet);
    add_time(j, begin);
    diag_free(&quiet);
}

/* Whether the model gave up before it could answer the condition. */
static bool is_open(const struct session_cell *j) {
    const struct model_result *r = &j->found->allowed;
    return r->status == MODEL_UNKNOWN && (j->test->cond.kind == FORALL ? r->holds : !r->allowed);
}

/* Says that there is no explanation: what the model did not find in its time is not searched again. */
static void explain_nothing(struct session_cell *j) {
    struct why_line *line = arena_alloc(j->arena, sizeof *line);
    const char *text = arena_printf(
        j->arena, "The model gave up before it knew an answer, so there is nothing to explain: %s.",
        j->found->allowed.why);
    *line = (struct why_line){.part = WHY_TEXT, .thread = -1, .text = text};
    j->found->why = (struct why){.answer = WHY_UNKNOWN, .lines = line, .nlines = 1};
}

/* Explains what the model says. If the cell cannot be judged, that was said already. */
static void explain_one(const struct session *s, struct session_cell *j) {
    struct diag quiet = {0};
    if (is_open(j)) {
        explain_nothing(j);
        return;
    }
    struct model_limits limits = s->limits;
    limits.stop = s->stop;
    limits.unroll = j->found->allowed.unroll;
    model_why(j->model, j->test, &j->cell, &limits, j->arena, &j->found->why, &quiet);
    diag_free(&quiet);
}

/* Fills in an answer for a cell of whose kernel nothing is known. */
static void leave_out(struct session_cell *j) {
    j->elsewhere = true;
    j->cannot = j->test->uncompiled;
}

void session_judge(const struct session *s, const struct model *sc, struct session_cell *j) {
    struct diag quiet = {0}; /* the cell's own model has already said why it cannot be judged */
    j->arena = arena_open();
    j->found = arena_alloc(j->arena, sizeof *j->found);
    if (j->test->uncompiled && !j->elsewhere) leave_out(j);
    if (j->elsewhere) return;
    j->until = model_limits_begin(&s->limits).until;
    if (j->model) judge_one(s, j);
    if (j->found->judged && !j->cannot) judge_host(s, j);
    if (j->found->judged && !j->cannot) find_races(s, j);
    if (j->found->judged && !j->cannot && s->why) explain_one(s, j);
    if (j->found->judged && j->found->allowed.fault && !j->cannot) j->cannot = "the model finds a fault";
    if (!j->backend || j->cannot) return;
    bool can = false;
    for (struct session_run *r = j->runs; r < j->runs + j->nruns; r++) {
        r->cannot = j->backend->cannot(s->device, j->test, &j->cell, r->compiler, j->arena);
        can = can || !r->cannot;
    }
    if (!can) return;
    j->found->has_sc = !session_is_unjudged(j->test) && judge(s, j, sc, &j->found->sc, NULL, &quiet);
    diag_free(&quiet);
}
