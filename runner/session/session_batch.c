/* All cores judge the cells of a batch, then build them. The cells run only after that, so that no compiler
 * disturbs a measurement. */
#include <stdlib.h>

#include "base/cores.h"
#include "base/pool.h"
#include "session/session_cell.h"

enum { CELLS_A_CORE = 32 };

struct batch {
    struct session *session;
    const struct model *sc;
    struct arena *arena; /* this lives in it */
    struct session_cell *cells;
    int n;
    atomic_int next;
    struct pool pool;
};

static void judge_cells(void *ctx) {
    struct batch *b = ctx;
    for (int k; !session_is_stopped(b->session) && (k = atomic_fetch_add(&b->next, 1)) < b->n;)
        session_judge(b->session, b->sc, &b->cells[k]);
}

static int count_runs(const struct batch *b) {
    int n = 0;
    for (int k = 0; k < b->n; k++)
        n += b->cells[k].nruns;
    return n;
}

static void build_cells(const struct batch *b) {
    size_t most = (size_t)count_runs(b);
    struct build *builds = arena_array(b->arena, most, sizeof *builds);
    struct session_run **of = arena_array(b->arena, most, sizeof *of);
    struct session_cell **cells = arena_array(b->arena, most, sizeof *cells);
    int n = 0;
    for (int k = 0; k < b->n && !session_is_stopped(b->session); k++) {
        struct session_cell *j = &b->cells[k];
        if (!j->backend || j->cannot) continue;
        for (struct session_run *r = j->runs; r < j->runs + j->nruns; r++) {
            if (r->cannot) continue;
            builds[n] = (struct build){.t = j->test,
                                       .cell = &j->cell,
                                       .compiler = r->compiler,
                                       .stop = b->session->stop,
                                       .d = &r->diag};
            cells[n] = j;
            of[n++] = r;
        }
    }
    if (n > 0) b->session->backend->build(b->session->device, builds, n);
    for (int k = 0; k < n; k++) {
        of[k]->kernel = builds[k].kernel;
        if (builds[k].unfit) of[k]->cannot = arena_strdup(cells[k]->arena, builds[k].unfit);
        free(builds[k].unfit);
        of[k]->twin = builds[k].twin ? builds[k].twin->compiler : NULL;
    }
}

int session_batch(const struct session *s) {
    int n = cores_count() * CELLS_A_CORE;
    return s->backend && n < s->backend->together ? s->backend->together : n;
}

struct batch *session_prepare(struct session *s, const struct model *sc, struct session_cell *cells, int n) {
    struct arena *a = arena_open();
    struct batch *b = arena_alloc(a, sizeof *b);
    *b = (struct batch){.session = s, .sc = sc, .arena = a, .cells = cells, .n = n};
    pool_start(&b->pool, n, judge_cells, b);
    return b;
}

void session_prepared(struct batch *b) {
    pool_join(&b->pool);
    if (b->session->backend) build_cells(b);
    arena_close(b->arena);
}
