#include "model/stops.h"

#include "litmus/view.h"
#include "search/halt.h"

/* What stops threads in allowed executions, as far as it was found. */
struct stop {
    bool may_leave, may_fault; /* some path leaves an array; some path faults */
    bool bounded;
    const struct path *out_of_bounds, *fault;
    int index;        /* out of bounds */
    int fault_thread; /* whose fault it is */
};

static void find_stops(const struct judge *j, struct stop *stop) {
    for (int t = 0; t < j->test->nthreads; t++)
        for (int k = 0; k < j->unfoldings[t].npaths; k++) {
            enum path_end end = j->unfoldings[t].paths[k].end;
            stop->may_leave = stop->may_leave || end == PATH_OUT_OF_BOUNDS;
            stop->may_fault = stop->may_fault || end == PATH_FAULT;
        }
}

static bool on_stopped(struct search *s, void *ctx) {
    struct stop *stop = ctx;
    const struct graph *g = s->graph;
    bool open = halt_is_open(g);
    for (int t = 0; t < g->test->nthreads; t++) {
        const struct path *p = g->paths[t];
        if (p->end == PATH_CUT) stop->bounded = true;
        if (open) continue;
        if (p->end == PATH_FAULT && !stop->fault) {
            stop->fault = p;
            stop->fault_thread = t;
        }
        if (p->end != PATH_OUT_OF_BOUNDS) continue;
        stop->out_of_bounds = p;
        stop->index = (int)value_int(p->index->type, sym_eval(p->index, s->read_values[t]));
        if (stop->index >= 0) stop->index += op_elements(g->test, p->stmt->op) - 1;
        return false;
    }
    return stop->may_leave || (stop->may_fault && !stop->fault) || !stop->bounded;
}

/* Whether a candidate stops a thread in a way that was not found yet. */
static bool tells_more(const struct search *s, void *ctx) {
    const struct stop *stop = ctx;
    bool open = halt_is_open(s->graph);
    for (int t = 0; t < s->graph->test->nthreads; t++) {
        enum path_end end = s->graph->paths[t]->end;
        if (end == PATH_CUT && !stop->bounded) return true;
        if (!open && (end == PATH_OUT_OF_BOUNDS || (end == PATH_FAULT && !stop->fault))) return true;
    }
    return false;
}

/* "T0 traps in line 8" */
static const char *say_fault(struct arena *a, const struct test *t, const struct stop *stop) {
    const struct path *p = stop->fault;
    const char *thread = t->threads[stop->fault_thread].name;
    const char *place = body_place(a, t->threads[stop->fault_thread].body, p->stmt->pos);
    if (p->loc < 0) return arena_printf(a, "%s traps in %s", thread, place);
    const struct location *l = &t->locs[p->loc];
    if (p->stmt->op->place[2].loc >= 0 && !view_is_misaligned(l))
        return arena_printf(a,
                            "%s sends to '%s' in %s, which has to be in another block, beside the mbarrier",
                            thread, l->name, place);
    const struct op *op = p->stmt->op;
    if (op->bytes == 0 && op_elements(t, op) > 1) /* a vector */
        return arena_printf(
            a, "%s accesses '%s' in %s, which is not aligned: %s begins at a multiple of %d elements", thread,
            l->name, place, type_name(op->type), op_elements(t, op));
    if (!view_is_misaligned(l))
        return arena_printf(a, "%s accesses '%s' in %s, of a rank that no block of its cluster has", thread,
                            l->name, place);
    return arena_printf(a, "%s accesses '%s' in %s, which is not aligned: byte %d is no multiple of %d",
                        thread, l->name, place, l->at, type_bytes(l->type));
}

/* Looks for all that stops threads. Leaves the counts of the search for outcomes as they are. */
static void search_stopped(struct judge *j, struct stop *stop) {
    struct search_budget before = j->budget;
    j->leaf = on_stopped;
    j->wanted = tells_more;
    j->budget.counting = 0;
    j->ctx = stop;
    judge_stopped(j);
    j->stopped = false;
    j->budget.counting = before.counting;
    j->budget.uncounted = before.uncounted;
    j->budget.undefined = before.undefined;
}

bool stops_find(struct judge *j, struct arena *a, struct model_result *out) {
    struct stop stop = {0};
    find_stops(j, &stop);
    search_stopped(j, &stop);
    out->bounded = stop.bounded;
    if (stop.fault) out->fault = say_fault(a, j->test, &stop);
    if (!stop.out_of_bounds) return true;
    const struct location *loc = &j->test->locs[stop.out_of_bounds->loc];
    const struct stmt *access = stop.out_of_bounds->stmt;
    diag_error(j->diag, test_text_of(j->test, access->op->body), access->pos,
               "index %d is out of bounds: '%s' has %d element%s", stop.index, loc->name, loc->count,
               loc->count == 1 ? "" : "s");
    return false;
}
