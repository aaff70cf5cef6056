#include "model/unwritten.h"

#include "litmus/view.h"
#include "search/outcome.h"

/* Of a longer chain of copies it is assumed that it copies what nobody has written. */
enum { MOST_COPIES = 4 };

struct unwritten {
    const struct event *read; /* of what nobody has written; or NULL */
    int thread;
    int observable; /* that may hold such a thing at the end; or -1 */
};

static bool is_unknown(const struct test *t, int loc) {
    return loc >= 0 && t->locs[location_root(t, loc)].unknown;
}

/* Whether a thread itself has written before what it reads: then it does not read what was there at first. */
static bool is_own(const struct path *p, int read) {
    const struct event *r = &p->events[read];
    for (int k = 0; k < read; k++) {
        const struct event *w = &p->events[k];
        if (w->kind == EVENT_WRITE && w->agent == 0 && r->agent == 0 && w->loc == r->loc &&
            w->element == r->element && w->lane == r->lane)
            return true;
    }
    return false;
}

static bool is_computed_from(const struct sym *s, int read) {
    return s && set_has(s->reads.bits, read);
}

/* Whether anything on a path may depend on what a read returns. If nothing does, the read is no harm: a
 * compiler may have moved it before the branch that asks whether it should be done. */
static bool is_used(const struct test *t, const struct path *p, int read) {
    for (int e = 0; e < p->nevents; e++)
        if (is_computed_from(p->events[e].value, read) || is_computed_from(p->events[e].result, read))
            return true;
    for (int g = 0; g < p->nguards; g++)
        if (is_computed_from(p->guards[g].sym, read)) return true;
    for (int o = 0; o < t->nobs; o++)
        if (t->obs[o].is_reg) return true;
    return false;
}

static bool may_read(const struct test *t, const struct path *p, int event) {
    const struct event *e = &p->events[event];
    return e->kind == EVENT_READ && is_unknown(t, e->loc) && !is_own(p, event) &&
           (e->agent != 0 || is_used(t, p, e->read));
}

static bool has_read(const struct test *t, const struct path *p) {
    for (int e = 0; e < p->nevents; e++)
        if (may_read(t, p, e)) return true;
    return false;
}

static bool observes(const struct test *t) {
    for (int o = 0; o < t->nobs; o++)
        if (!t->obs[o].is_reg && is_unknown(t, t->obs[o].loc)) return true;
    return false;
}

/* Whether the paths at hand are worth a search. */
static bool is_worth(const struct judge *j) {
    bool any = false, all_end = true;
    for (int t = 0; t < j->test->nthreads; t++) {
        any = any || has_read(j->test, j->paths[t]);
        all_end = all_end && j->paths[t]->end == PATH_DONE;
    }
    return any || (all_end && observes(j->test));
}

static bool may_bring(const struct search *s, int write, int copies);

/* Whether a read may return what nobody has written, by its source, or by one of its possible sources. */
static bool may_return(const struct search *s, int read, int copies) {
    int words = s->eval.dim.words;
    if (s->source[read] >= 0) return may_bring(s, s->source[read], copies);
    for (int w = set_first(s->sources[read], words); w >= 0; w = set_next(s->sources[read], words, w))
        if (may_bring(s, w, copies)) return true;
    return false;
}

/* Whether a write may write what nobody has written: the initial write of such memory does, and an engine
 * that copies it. The copy is no harm in itself; it matters whether somebody reads it. */
static bool may_bring(const struct search *s, int write, int copies) {
    const struct graph *g = s->graph;
    const struct node_event *n = &g->events[write];
    if (!n->event) return is_unknown(g->test, g->addresses[n->address].loc);
    if (n->event->agent == 0 || !n->event->value || copies == MOST_COPIES) return copies == MOST_COPIES;
    for (int e = g->first[n->thread]; e < g->first[n->thread + 1]; e++) {
        const struct event *read = g->events[e].event;
        bool copied = read->kind == EVENT_READ && set_has(n->event->value->reads.bits, read->read);
        if (copied && may_return(s, e, copies + 1)) return true;
    }
    return false;
}

/* Whether a read of a thread may return what nobody has written, and something depends on it. */
static bool looks_at(const struct search *s, int event) {
    const struct graph *g = s->graph;
    const struct event *e = g->events[event].event;
    return e && e->kind == EVENT_READ && e->agent == 0 && may_return(s, event, 0) &&
           is_used(g->test, g->paths[g->events[event].thread], e->read);
}

/* Whether a write may be the last of an address, and may write what nobody has written. */
static bool may_leave(const struct search *s, int write, int address) {
    const struct node_event *n = &s->graph->events[write];
    bool writes = n->address == address && (!n->event || n->event->kind == EVENT_WRITE);
    return writes && outcome_is_final(s, write) && may_bring(s, write, 0);
}

/* Whether a part of an observed location may end as what nobody has written. */
static bool stays(const struct search *s, const struct observable *obs) {
    const struct graph *g = s->graph;
    for (int part = 0; part < outcome_parts(g->test, obs).lanes; part++) {
        int address = outcome_address(g, obs, part);
        if (address < 0 && is_unknown(g->test, obs->loc)) return true;
        for (int w = 0; address >= 0 && w < g->dim.n; w++)
            if (may_leave(s, w, address)) return true;
    }
    return false;
}

static bool all_end(const struct graph *g) {
    for (int t = 0; t < g->test->nthreads; t++)
        if (g->paths[t]->end != PATH_DONE) return false;
    return true;
}

/* An observable that may end as what nobody has written, where all threads end; -1: there is none. */
static int find_observable(const struct search *s) {
    const struct test *t = s->graph->test;
    for (int o = 0; o < t->nobs && all_end(s->graph); o++)
        if (!t->obs[o].is_reg && stays(s, &t->obs[o])) return o;
    return -1;
}

static int find_read(const struct search *s) {
    for (int e = s->graph->naddresses; e < s->graph->dim.n; e++)
        if (looks_at(s, e)) return e;
    return -1;
}

static bool may_show(const struct search *s, void *ctx) {
    (void)ctx;
    return find_read(s) >= 0 || find_observable(s) >= 0;
}

static bool on_execution(struct search *s, void *ctx) {
    struct unwritten *u = ctx;
    int read = find_read(s);
    u->observable = find_observable(s);
    if (read < 0) return u->observable < 0;
    u->read = s->graph->events[read].event;
    u->thread = s->graph->events[read].thread;
    return false;
}

bool unwritten_is_possible(const struct test *t) {
    for (int l = 0; l < t->nlocs; l++)
        if (t->locs[l].unknown) return true;
    return false;
}

static void tell(const struct judge *j, const struct unwritten *u) {
    const struct test *t = j->test;
    static const char unknown[] = "shared memory of a kernel begins as unknown";
    if (!u->read) {
        diag_error(j->diag, &t->source, t->cond.pos, "'%s' may hold what nobody has written: %s",
                   t->obs[u->observable].name, unknown);
        return;
    }
    const struct location *l = &t->locs[u->read->loc];
    const char *element = l->array ? arena_printf(j->scratch, "[%d]", u->read->element % l->count) : "";
    diag_error(j->diag, test_text_of(t, u->read->stmt->op->body), u->read->stmt->pos,
               "%s may read '%s%s' before anybody has written it: %s", t->threads[u->thread].name, l->name,
               element, unknown);
}

/* No execution with such a read is missed: up to the first such read it is the same whatever that returns,
 * and the one in which it returns zero is searched here. Turns of a loop that are left out are in a path that
 * waits there for ever, and judge_any searches these, too. */
bool unwritten_check(struct judge *j) {
    struct unwritten u = {.observable = -1};
    j->leaf = on_execution;
    j->wanted = may_show;
    j->is_worth = is_worth;
    j->ctx = &u;
    j->budget.counting = 0;
    judge_take_turns(j);
    judge_find_twins(j, true);
    judge_any(j);
    if (u.read || u.observable >= 0) tell(j, &u);
    return !u.read && u.observable < 0;
}
