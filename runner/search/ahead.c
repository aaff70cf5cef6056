#include "search/ahead.h"

#include "logic/rel.h"
#include "paths/constant.h"
#include "paths/depend.h"
#include "paths/solve.h"

enum {
    READ_WORDS = MAX_READS / 64,
    EVENTS_A_UNIT = 32 /* that are looked at in the time of one unit of work */
};

/* An answer of `decides`: about the path that is cut off, a write of this element, and a read. */
struct ahead_decision {
    int loc, element, read;
    bool decides;
    const struct ahead_decision *next;
};

/* A path of the thread. */
struct ahead_path {
    int *writes, nwrites;   /* the events that write a location which another thread reads */
    struct reads constants; /* its reads of locations that nobody writes */
};

struct ahead {
    const struct test *test;
    const struct cell *cell;
    const struct unfolding *unfoldings;
    struct search_budget *budget;
    int thread;                            /* that may be cut off */
    const struct event *write;             /* what it may write ahead */
    const struct event *read;              /* a read in the guards of the path that is cut off */
    bool *seen, *fed;                      /* locations that another thread reads, or writes */
    bool *written;                         /* locations that some thread writes */
    struct ahead_path *paths;              /* the paths of the thread */
    const struct circuit_reads *constants; /* path -> the values of reads of locations that nobody writes */
    int *common; /* path -> the guards that the path that is cut off shares with it */
    const struct ahead_decision *decisions; /* the answers of `decides` for the path that is cut off */
    struct arena *arena;
};

/* Whether something is true of an event of another thread. */
static bool find_other(const struct ahead *z,
                       bool is(const struct ahead *z, int thread, const struct event *e)) {
    for (int t = 0; t < z->test->nthreads; t++)
        for (int k = 0; t != z->thread && k < z->unfoldings[t].npaths; k++) {
            const struct path *p = &z->unfoldings[t].paths[k];
            if (!budget_wait(z->budget, 1 + p->nevents / EVENTS_A_UNIT)) return false;
            for (int e = 0; e < p->nevents; e++)
                if (is(z, t, &p->events[e])) return true;
        }
    return false;
}

/* Notes which locations the events of a path are about. */
static void note_locations(struct ahead *z, int thread, const struct path *p) {
    for (int e = 0; e < p->nevents; e++) {
        const struct event *of = &p->events[e];
        if (of->kind == EVENT_WRITE) z->written[of->loc] = true;
        if (of->kind == EVENT_WRITE && thread != z->thread) z->fed[of->loc] = true;
        if (of->kind == EVENT_READ && thread != z->thread) z->seen[of->loc] = true;
    }
}

static void find_locations(struct ahead *z) {
    size_t n = (size_t)z->test->nlocs;
    z->seen = arena_array(z->arena, n, sizeof *z->seen);
    z->fed = arena_array(z->arena, n, sizeof *z->fed);
    z->written = arena_array(z->arena, n, sizeof *z->written);
    for (int t = 0; t < z->test->nthreads; t++)
        for (int k = 0; k < z->unfoldings[t].npaths; k++) {
            const struct path *p = &z->unfoldings[t].paths[k];
            if (!budget_wait(z->budget, 1 + p->nevents / EVENTS_A_UNIT)) return;
            note_locations(z, t, p);
        }
}

/* Whether two accesses use one proxy and one virtual address. */
static bool is_same_way(const struct event *x, const struct event *y) {
    return x->proxy == y->proxy && x->va == y->va;
}

/* Whether an access of another thread to the location of the read is weak, uses another proxy or address, or
 * is not in scope: then coherence says nothing of it. */
static bool is_incoherent(const struct ahead *z, int thread, const struct event *e) {
    const struct placement *p = z->cell->placement;
    if (e->loc != z->read->loc) return false;
    return e->strength.order == ORDER_WEAK || !is_same_way(e, z->read) ||
           !scope_includes(e->strength.scope, p, thread, z->thread) ||
           !scope_includes(z->read->strength.scope, p, z->thread, thread) ||
           !scope_includes(z->write->strength.scope, p, z->thread, thread);
}

/* Whether the read and the write are of one location, and all its accesses keep to coherence. */
static bool is_coherent(const struct ahead *z) {
    bool strong = z->read->strength.order != ORDER_WEAK && z->write->strength.order != ORDER_WEAK;
    return strong && z->read->loc == z->write->loc && is_same_way(z->read, z->write) &&
           !find_other(z, is_incoherent);
}

/* Whether the read may see what another thread writes when that has seen the write. */
static bool may_come_back(const struct ahead *z) {
    return z->fed[z->read->loc] && !is_coherent(z);
}

/* Fills in `paths`, which is the same for each path that is cut off. */
static void note_paths(struct ahead *z, const struct unfolding *u) {
    z->paths = arena_array(z->arena, (size_t)u->npaths, sizeof *z->paths);
    for (int k = 0; k < u->npaths; k++) {
        const struct path *p = &u->paths[k];
        struct ahead_path *of = &z->paths[k];
        of->writes = arena_array(z->arena, (size_t)p->nevents, sizeof *of->writes);
        for (int e = 0; e < p->nevents; e++) {
            const struct event *event = &p->events[e];
            if (event->kind == EVENT_WRITE && z->seen[event->loc]) of->writes[of->nwrites++] = e;
            if (event->kind == EVENT_READ && !z->written[event->loc])
                set_add(of->constants.bits, event->read);
        }
    }
}

static bool has_any(const struct reads *some, const struct reads *of) {
    for (int w = 0; w < READ_WORDS; w++)
        if (some->bits[w] & of->bits[w]) return true;
    return false;
}

/* Whether a read decides, whatever the other reads return, that path y, which is cut off, goes on to such a
 * write (depend_decides). */
static bool decides(struct ahead *z, const struct path *y, int read) {
    const struct unfolding *u = &z->unfoldings[z->thread];
    const struct event *w = z->write;
    for (const struct ahead_decision *d = z->decisions; d; d = d->next)
        if (d->loc == w->loc && d->element == w->element && d->read == read) return d->decides;
    struct ahead_decision *d = arena_alloc(z->arena, sizeof *d);
    bool found = depend_decides(u, (int)(y - u->paths), z->common, z->constants, w, read, z->budget);
    *d = (struct ahead_decision){w->loc, w->element, read, found, z->decisions};
    z->decisions = d;
    return found;
}

/* Whether the write of path x may be done before a guard is known, on a path that goes on from y: it does not
 * depend (ctrl or addr) on each read of the guard, or not surely. A dependency of path x was shown for some
 * values of the other reads. It is not sure if a path that goes on from y has other values (`decides`), or if
 * it rests on a read of a location that nobody writes, which has only one value. */
static bool is_free(struct ahead *z, const struct path *x, const struct path *y, const struct guard *g) {
    struct reads of = z->write->ctrl;
    reads_add(&of, &z->write->addr);
    for (int r = set_first(g->sym->reads.bits, READ_WORDS); r >= 0;
         r = set_next(g->sym->reads.bits, READ_WORDS, r))
        if (!set_has(of.bits, r) || !decides(z, y, r)) return true;
    reads_add(&of, &g->sym->reads);
    return has_any(&z->paths[x - z->unfoldings[z->thread].paths].constants, &of);
}

/* Whether two paths have the same guards, but that they go different ways at guard number `guard`. */
static bool is_twin(const struct path *x, const struct path *y, int guard) {
    if (x->nguards != y->nguards) return false;
    for (int k = 0; k < x->nguards; k++)
        if ((x->guards[k].holds == y->guards[k].holds) == (k == guard) ||
            !sym_same(x->guards[k].sym, y->guards[k].sym))
            return false;
    return true;
}

/* Whether x and y part at a guard that the pruning `quiet` made (does an atomic operation write what it
 * found?), and a third path is like x but for that guard. The operation writes on all of them, so the third
 * path, which parts from y later, does what x does, and x need not be looked at. */
static bool parts_quietly(const struct ahead *z, const struct path *x, const struct path *y, int guard) {
    const struct unfolding *u = &z->unfoldings[z->thread];
    if (!x->guards[guard].quiet || x->guards[guard].sym != y->guards[guard].sym) return false;
    for (int k = 0; k < u->npaths && budget_wait(z->budget, 1); k++)
        if (is_twin(x, &u->paths[k], guard)) return true;
    return false;
}

/* Whether a run that begins as path y, which is cut off, may do a write of path x behind the guard at which x
 * and y part, before that guard is known; and a read in the guards of y from there on may see what comes of
 * it. */
static bool look_at_paths(struct ahead *z, const struct path *x, const struct path *y) {
    int number = (int)(x - z->unfoldings[z->thread].paths), guard = z->common[number];
    const struct ahead_path *of = &z->paths[number];
    if (of->nwrites == 0 || guard == x->nguards || guard == y->nguards || parts_quietly(z, x, y, guard))
        return false;
    struct reads deciding = {{0}};
    for (int k = guard; k < y->nguards; k++)
        reads_add(&deciding, &y->guards[k].sym->reads);
    for (int w = 0; w < of->nwrites; w++) {
        z->write = &x->events[of->writes[w]];
        if (of->writes[w] < x->guards[guard].events || !is_free(z, x, y, &x->guards[guard])) continue;
        for (int r = 0; r < y->nevents; r++) {
            z->read = &y->events[r];
            if (z->read->kind == EVENT_READ && set_has(deciding.bits, z->read->read) && may_come_back(z))
                return true;
        }
    }
    return false;
}

/* Whether a path is cut off, and its guards can hold. */
static bool is_cut(const struct path *p, struct search_budget *budget) {
    return p->end == PATH_CUT && solve_possible(p, NULL, budget);
}

/* Turns to path y, which is cut off: counts the guards that it shares with each path, and forgets the answers
 * about the path before. */
static void begin_path(struct ahead *z, const struct unfolding *u, const struct path *y) {
    z->decisions = NULL;
    for (int x = 0; x < u->npaths && budget_wait(z->budget, 1); x++)
        z->common[x] = depend_common_guards(&u->paths[x], y);
}

bool ahead_is_possible(const struct test *t, const struct cell *cell, const struct unfolding *unfoldings,
                       struct search_budget *budget) {
    struct ahead z = {.test = t, .cell = cell, .unfoldings = unfoldings, .budget = budget};
    bool found = false;
    z.arena = arena_open();
    for (; z.thread < t->nthreads && !found; z.thread++) {
        const struct unfolding *u = &unfoldings[z.thread];
        z.constants = constant_find(t, u, z.arena);
        z.common = arena_array(z.arena, (size_t)u->npaths, sizeof *z.common);
        find_locations(&z);
        note_paths(&z, u);
        for (int y = 0; y < u->npaths && !found; y++) {
            bool cut = is_cut(&u->paths[y], budget);
            if (cut) begin_path(&z, u, &u->paths[y]);
            for (int x = 0; cut && !found && x < u->npaths && budget_wait(budget, 1); x++)
                found = look_at_paths(&z, &u->paths[x], &u->paths[y]);
        }
    }
    arena_close(z.arena);
    return found;
}
