/* A session: plans its cells, prepares them batch by batch, and runs them one after another. */
#include "session/session.h"

#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include "base/clock.h"
#include "results/verdict.h"
#include "session/session_cell.h"

bool session_is_stopped(const struct session *s) {
    return s->stop && atomic_load(s->stop);
}

void session_say(const struct session *s, struct diag *d) {
    if (d->n > 0 && s->listener.messages) s->listener.messages(s->listener.ctx, d);
    diag_free(d);
    *d = (struct diag){0};
}

/* Whether a cell still takes time after it was prepared: if it runs, or if nothing runs at all. */
static bool takes_time(const struct session *s, const struct session_cell *j) {
    return (!s->backend || j->backend) && !j->elsewhere;
}

static bool last_of_test(const struct session_cell *cells, int n, int k) {
    return k + 1 == n || cells[k + 1].result != cells[k].result;
}

/* Whether some cell of a test has run. After Ctrl-C, tests that have not begun are left out of the report. */
static bool has_begun(const struct session *s, const struct test_result *r) {
    for (int k = 0; k < r->ncells; k++)
        if (s->backend ? r->cells[k].runs > 0 : r->cells[k].model.name != NULL) return true;
    return false;
}

/* Whether all cells of a test belong to other shards. */
static bool is_elsewhere(const struct test_result *r) {
    bool own = r->ncells == 0;
    for (int k = 0; k < r->ncells && !own; k++)
        own = r->cells[k].elsewhere == 0;
    return !own;
}

static void finish_test(struct session *s, const struct session_cell *j) {
    struct test_result *r = j->result;
    verdict_confidence(r);
    verdict_claims(s->arena, j->test, r);
    if (s->strict) verdict_doubts(s->arena, j->test, r);
    if (s->races_fail) verdict_races_fail(s->arena, r);
    if (session_is_stopped(s) && !has_begun(s, r)) return;
    s->report.tests[s->report.ntests++] = *r;
    if (s->listener.finished && !is_elsewhere(r)) s->listener.finished(s->listener.ctx, r);
}

/* Returns the first cell from number k on that will run; NULL: none before `end`. */
static const struct session_cell *next_to_run(const struct session_cell *cells, int k, int end) {
    while (k < end && !session_next_run(&cells[k], 0))
        k++;
    return k < end ? &cells[k] : NULL;
}

/* Begins to prepare the cells from number `first` on. NULL: there are none, or the session is stopped. */
static struct batch *begin_batch(struct session *s, const struct model *sc, struct session_cell *cells, int n,
                                 int first) {
    int left = n - first, most = session_batch(s);
    return session_is_stopped(s) || left <= 0
               ? NULL
               : session_prepare(s, sc, cells + first, left < most ? left : most);
}

static void tell_preparing(const struct session *s, int prepared, int of) {
    if (s->listener.preparing) s->listener.preparing(s->listener.ctx, prepared, of);
}

static void tell_counted(const struct session *s, int done, int of) {
    if (s->listener.counted) s->listener.counted(s->listener.ctx, done, of);
}

/* Waits until a batch is prepared, and tells the pace how long that took and what will run. */
static void prepare(struct session *s, struct batch *b, const struct session_cell *cells, int n) {
    double begin = clock_now(), weight = 0;
    session_prepared(b);
    for (int k = 0; k < n; k++)
        for (int i = 0; i < cells[k].nruns; i++)
            weight += cells[k].runs[i].kernel ? session_weight(&cells[k]) : 0;
    pace_prepared(&s->pace, n, clock_now() - begin, weight);
}

/* Runs the cells. Where nothing runs, the next batch is judged while this one is shown. After a stop nothing
 * more is prepared or run. A test that has begun is still finished with what was counted; its other cells are
 * marked as interrupted. */
static void run_cells(struct session *s, const struct model *sc, struct session_cell *cells, int n) {
    struct batch *b = NULL;
    int most = session_batch(s), done = 0, of = 0;
    for (int k = 0; k < n; k++)
        of += takes_time(s, &cells[k]);
    tell_counted(s, 0, of);
    s->pace = (struct pace){.end = s->total > 0 ? clock_now() + s->total : 0, .all = n};
    for (int first = 0; first < n; first += most) {
        int end = n - first < most ? n : first + most;
        arena_forget(); /* the tests before */
        if (!b) b = begin_batch(s, sc, cells, n, first);
        if (b) tell_preparing(s, end, n);
        if (b) prepare(s, b, cells + first, end - first);
        b = s->backend ? NULL : begin_batch(s, sc, cells, n, end);
        for (int k = first; k < end; k++) {
            tell_counted(s, done, of);
            session_finish(s, &cells[k], next_to_run(cells, k + 1, end));
            done += takes_time(s, &cells[k]);
            if (last_of_test(cells, n, k)) finish_test(s, &cells[k]);
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
    if (uname(&u) != 0) return;
    add_property(s, "system", arena_printf(s->arena, "%s %s %s", u.sysname, u.release, u.machine));
    if (!s->backend) return;
    add_property(s, "host", u.nodename);
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

bool session_run(struct session *s, struct diag *d) {
    const struct suite *suite = s->suite;
    s->arena = arena_open_large();
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
    if (s->split) s->report.shards = shard_of(s->split, s->arena);
    run_cells(s, sc, cells, n);
    free(cells);
    s->interrupted = session_is_stopped(s);
    return true;
}

void session_close(struct session *s) {
    arena_close(s->arena);
}
