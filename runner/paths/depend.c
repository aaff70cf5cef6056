#include "paths/depend.h"

#include "logic/rel.h"
#include "paths/constant.h"
#include "paths/solve.h"

enum {
    READ_WORDS = MAX_READS / 64,
    MAX_COMPARED = 128,
    MOST_ASKED = 4,
    EVENTS_A_UNIT = 32 /* that are compared */
};

/* Values */

/* The question whether a term changes if only this read returns another value. The first run has all guards
 * of a path, the second its first `nguards`. `*term` must live as long as the question. */
static struct solve ask_change(const struct path *p, int nguards, const struct sym *const *term, int read,
                               struct search_budget *budget) {
    struct solve s = {
        .runs = {{.guards = p->guards, .nguards = p->nguards}, {.guards = p->guards, .nguards = nguards}},
        .term = *term,
        .others = term,
        .nothers = 1,
        .read = read,
        .budget = budget};
    solve_tie_all(&s, p->nreads);
    return s;
}

/* Whether a term may change, on the same path, if only this read returns another value. */
static bool changes_with(const struct path *p, const struct sym *term, int read,
                         struct search_budget *budget) {
    struct solve s = ask_change(p, p->nguards, &term, read, budget);
    return solve_depends(&s);
}

struct reads depend_reads(const struct path *p, const struct sym *s, struct search_budget *budget) {
    struct reads found = {{0}};
    if (!s) return found;
    if (s->kind == SYM_READ && p->nguards == 0) return s->reads;
    for (int r = set_first(s->reads.bits, READ_WORDS); r >= 0; r = set_next(s->reads.bits, READ_WORDS, r))
        if (changes_with(p, s, r, budget)) set_add(found.bits, r);
    return found;
}

/* Events */

/* Room for comparing two paths. */
struct depend_room {
    int *match;                            /* event of path x -> its match of path y; or -1 */
    bool *taken;                           /* event of path y -> it is a match */
    const struct sym **values;             /* values that path y writes */
    const struct circuit_reads *constants; /* path -> its reads of locations that nobody writes */
    bool few;                              /* there are so few paths that each is compared with each */
};

/* Two paths of a thread that part at a guard. */
struct depend_parting {
    const struct path *x, *y;
    int guard;                  /* the number of the first guard in which they differ */
    int xfirst, yfirst;         /* the first event of each behind this guard */
    struct reads found, missed; /* reads of which may_part_with is true, and false */
    struct solve solve;
    const struct circuit_reads *known[CIRCUIT_RUNS]; /* values that are known on each path; NULL: none */
    const struct depend_room *room;
};

int depend_common_guards(const struct path *x, const struct path *y) {
    int n = 0;
    while (n < x->nguards && n < y->nguards && x->guards[n].sym == y->guards[n].sym &&
           x->guards[n].holds == y->guards[n].holds)
        n++;
    return n;
}

static bool same_operation(const struct op *x, const struct op *y) {
    return x->name == y->name && x->barrier_id == y->barrier_id && x->barrier_threads == y->barrier_threads &&
           x->pending == y->pending;
}

/* Whether two events are the same but for the value that is written; a failed compare-exchange reads alike. */
static bool same_access(const struct depend_parting *p, const struct event *x, const struct event *y) {
    bool place = x->element == y->element || (p->x->guards[p->guard].index && x->stmt == y->stmt);
    return x->kind == y->kind && x->loc == y->loc && place && x->lane == y->lane && x->parts == y->parts &&
           x->mbarrier == y->mbarrier && x->amount == y->amount && x->from == y->from &&
           x->lanes == y->lanes && (x->agent == 0) == (y->agent == 0) &&
           x->strength.order == y->strength.order && x->strength.scope == y->strength.scope &&
           x->proxy == y->proxy && x->va == y->va && same_operation(x->stmt->op, y->stmt->op);
}

/* Which events of the two paths match: first those of one statement, as where the ways have met again; of the
 * others those with the same value; then any that are the same access. */
enum depend_match { MATCH_STATEMENT, MATCH_VALUE, MATCH_LIKE, MATCHES };

static bool matches(const struct depend_parting *p, const struct event *x, const struct event *y,
                    enum depend_match how) {
    if (!same_access(p, x, y)) return false;
    switch (how) {
    case MATCH_STATEMENT: return x->stmt == y->stmt;
    case MATCH_VALUE: return !x->value || sym_same(x->value, y->value);
    case MATCH_LIKE:
    case MATCHES: break;
    }
    return true;
}

/* Finds the match of each event of path x behind the parting. No two events have the same match. */
static void match_events(const struct depend_parting *p) {
    const struct depend_room *room = p->room;
    memset(room->taken, false, (size_t)p->y->nevents * sizeof *room->taken);
    for (int e = p->xfirst; e < p->x->nevents; e++)
        room->match[e] = -1;
    for (enum depend_match how = MATCH_STATEMENT; how < MATCHES; how++)
        for (int e = p->xfirst; e < p->x->nevents; e++)
            for (int k = p->yfirst; k < p->y->nevents && room->match[e] < 0; k++) {
                if (room->taken[k] || !matches(p, &p->x->events[e], &p->y->events[k], how)) continue;
                room->match[e] = k;
                room->taken[k] = true;
            }
}

/* Ties the reads of path y to those of path x that match, and the reads before the parting to themselves. */
static void tie_reads(struct depend_parting *p) {
    match_events(p);
    int16_t *tied = p->solve.tied;
    solve_tie_all(&p->solve, p->x->nreads > p->y->nreads ? p->x->nreads : p->y->nreads);
    for (int k = p->yfirst; k < p->y->nevents; k++)
        if (p->y->events[k].read >= 0) tied[p->y->events[k].read] = -1;
    for (int e = p->xfirst; e < p->x->nevents; e++) {
        int k = p->room->match[e], read = p->x->events[e].read;
        if (read >= 0 && k >= 0) tied[p->y->events[k].read] = (int16_t)read;
    }
}

/* Whether a thread on path x may take path y if only this read returns another value, such that `value` on x
 * differs from all n `others` on y (n = 0: values do not matter). If x is cut off, a longer path may need any
 * of the values of x: then this must be so for all of them. */
static bool parts_with(struct depend_parting *p, int read, const struct sym *value,
                       const struct sym *const *others, int n) {
    struct solve *s = &p->solve;
    for (int k = 0; k < CIRCUIT_RUNS; k++) {
        s->runs[k].matter = s->runs[k].reads.known = (struct reads){{0}};
        if (p->known[k]) s->runs[k].reads = *p->known[k];
        solve_ask(&s->runs[k], p->guard);
    }
    s->term = n ? value : NULL;
    s->others = others;
    s->nothers = n;
    s->read = read;
    return p->x->end == PATH_CUT ? solve_always(s) : solve_depends(s);
}

static bool may_part_with(struct depend_parting *p, int read) {
    if (!set_has(p->found.bits, read) && !set_has(p->missed.bits, read))
        set_add(parts_with(p, read, NULL, NULL, 0) ? p->found.bits : p->missed.bits, read);
    return set_has(p->found.bits, read);
}

/* Finds the values that path y writes in place of event e of path x. Returns how many; 0: y lacks e; -1: y
 * has e, which writes nothing. For a plain write these are the values of all writes of y to its location, as
 * a compiler may leave out those that are overwritten. For another event it is the value of its match. */
static int find_same(const struct depend_parting *p, const struct event *e) {
    int match = p->room->match[e - p->x->events], n = 0;
    bool plain = e->value && e->rmw < 0;
    for (int k = p->yfirst; k < p->y->nevents; k++) {
        const struct event *y = &p->y->events[k];
        bool same = plain ? same_access(p, e, y) : k == match;
        if (!same || y->element != e->element) continue;
        if (!e->value) return -1;
        if (type_same(e->value->type, y->value->type)) p->room->values[n++] = y->value;
    }
    return n;
}

/* The set to which a read of a guard is added: `addr` if the guard is about the index of event e, or `ctrl`. */
static struct reads *target_of(const struct guard *g, int read, struct event *e, struct reads *addr) {
    return g->index && set_has(e->addr.bits, read) ? addr : &e->ctrl;
}

/* Adds to event e the reads of the guard that may take the thread to path y, which lacks e or its value. */
static void look_at_event(struct depend_parting *p, struct event *e, struct reads *addr) {
    const struct guard *g = &p->x->guards[p->guard];
    const uint64_t *reads = g->sym->reads.bits;
    int n = -1;
    for (int r = set_first(reads, READ_WORDS); r >= 0; r = set_next(reads, READ_WORDS, r)) {
        struct reads *to = target_of(g, r, e, addr);
        if (set_has(to->bits, r) || !may_part_with(p, r)) continue;
        if (n < 0) n = find_same(p, e);
        if (n < 0) return;
        if (n == 0 || parts_with(p, r, e->value, p->room->values, n)) set_add(to->bits, r);
    }
}

/* Whether all events of path x behind guard g depend on all its reads already. */
static bool is_settled(const struct path *x, const struct guard *g, struct reads *addr) {
    for (int e = g->events; e < x->nevents; e++)
        for (int r = set_first(g->sym->reads.bits, READ_WORDS); r >= 0;
             r = set_next(g->sym->reads.bits, READ_WORDS, r))
            if (!set_has(target_of(g, r, &x->events[e], &addr[e])->bits, r)) return false;
    return true;
}

/* Whether a path comes to a barrier behind an event, or does not end. */
static bool stays(const struct path *p, int event) {
    for (int e = event; e < p->nevents; e++)
        if (p->events[e].kind == EVENT_ARRIVE) return true;
    return p->end != PATH_DONE;
}

/* Adds path y to the ways of x, if y stays, with the reads of the guard that may take the thread there. */
static void look_at_end(struct depend_parting *p, struct path *x) {
    if (!stays(p->y, p->yfirst)) return;
    const uint64_t *reads = x->guards[p->guard].sym->reads.bits;
    struct path_way way = {.end = p->y->end, .events = p->y->events, .nevents = p->y->nevents};
    for (int r = set_first(reads, READ_WORDS); r >= 0; r = set_next(reads, READ_WORDS, r))
        if (may_part_with(p, r)) set_add(way.reads.bits, r);
    if (set_first(way.reads.bits, READ_WORDS) >= 0) x->ways[x->nways++] = way;
}

/* Whether a path ends at an access that leads nowhere or is not aligned: compilers rely on there being none. */
static bool is_astray(const struct path *p) {
    return p->end == PATH_OUT_OF_BOUNDS || (p->end == PATH_FAULT && (p->loc >= 0 || p->stmt->op->astray));
}

/* Whether a path tells what it lacks: not if it goes astray, or is cut off and cannot wait for ever. */
static bool tells(const struct path *p) {
    return (p->end != PATH_CUT || p->waits) && !is_astray(p);
}

/* The work of comparing each event of two paths with each. */
static long long compare_work(const struct path *x, const struct path *y) {
    return 1 + (long long)x->nevents * y->nevents / EVENTS_A_UNIT;
}

static struct depend_room make_room(const struct unfolding *u, const struct circuit_reads *constants,
                                    struct arena *a) {
    size_t most = 0;
    for (int k = 0; k < u->npaths; k++)
        if ((size_t)u->paths[k].nevents > most) most = (size_t)u->paths[k].nevents;
    return (struct depend_room){arena_array(a, most, sizeof(int)), arena_array(a, most, sizeof(bool)),
                                arena_array(a, most, sizeof(struct sym *)), constants, false};
}

/* Begins to compare two paths with `guard` guards in common. False where y does not tell what it lacks, or the
 * two do not part. If x is cut off, the reads of locations that nobody writes are known. */
static bool find_parting(struct depend_parting *p, const struct unfolding *u, int xpath, int ypath, int guard,
                         const struct depend_room *room, struct search_budget *budget) {
    const struct path *x = &u->paths[xpath], *y = &u->paths[ypath];
    if (x == y || !tells(y) || guard == x->nguards || guard == y->nguards) return false;
    *p = (struct depend_parting){.x = x,
                                 .y = y,
                                 .guard = guard,
                                 .xfirst = x->guards[guard].events,
                                 .yfirst = y->guards[guard].events,
                                 .solve = {.runs = {{.guards = x->guards, .nguards = x->nguards},
                                                    {.guards = y->guards, .nguards = y->nguards}},
                                           .budget = budget},
                                 .room = room};
    if (x->end == PATH_CUT) p->known[0] = &room->constants[xpath], p->known[1] = &room->constants[ypath];
    return true;
}

/* Whether another value of this read alone may change what is written at an event: the second run needs the
 * guards before it only. If the path is cut off, that must be so for all its values, as in parts_with. */
static bool changes_at(const struct path *p, int event, int read, const struct circuit_reads *constants,
                       struct search_budget *budget) {
    int before = 0;
    while (before < p->nguards && p->guards[before].events <= event)
        before++;
    const struct sym *term = p->events[event].value;
    if (term->kind == SYM_READ && before == 0) return true;
    if (before == p->nguards && p->end != PATH_CUT) return true; /* depend_reads has asked so */
    struct solve s = ask_change(p, before, &term, read, budget);
    if (p->end != PATH_CUT) return solve_depends(&s);
    s.runs[0].reads = s.runs[1].reads = *constants;
    return solve_always(&s);
}

/* Notes that a dependency is not decided. Returns whether it counts as one. */
static bool leave_undecided(struct search_budget *budget) {
    budget->undecided = true;
    return !budget->lenient;
}

/* Whether two paths do not part before an event. */
static bool shares(const struct path *x, const struct path *y, int event) {
    int n = depend_common_guards(x, y);
    return n == x->nguards || x->guards[n].events > event;
}

/* Whether changes_at is also true if no run may go astray behind the event. */
static bool changes_defined(const struct unfolding *u, int path, int event, int read, const bool *possible,
                            const struct depend_room *room, struct search_budget *budget) {
    const struct path *x = &u->paths[path];
    const struct sym *term = x->events[event].value;
    bool strays = false;
    for (int y = 0; y < u->npaths; y++)
        strays = strays || (possible[y] && is_astray(&u->paths[y]) && shares(x, &u->paths[y], event));
    if (!strays || (tells(x) && changes_with(x, term, read, budget))) return true;
    if (!room->few) return leave_undecided(budget);
    for (int y = 0; y < u->npaths; y++) {
        struct depend_parting p;
        if (!possible[y] || !shares(x, &u->paths[y], event)) continue;
        if (!find_parting(&p, u, path, y, depend_common_guards(x, &u->paths[y]), room, budget)) continue;
        tie_reads(&p);
        if (parts_with(&p, read, term, &term, 1)) return true;
    }
    return false;
}

/* Takes reads from the `data` of writes: when these were made, the guards behind them were not known. */
static void look_at_data(struct unfolding *u, int path, const bool *possible, const struct depend_room *room,
                         struct search_budget *budget) {
    struct path *p = &u->paths[path];
    for (int e = 0; e < p->nevents; e++) {
        struct event *w = &p->events[e];
        struct reads before = w->data;
        if (w->kind != EVENT_WRITE || w->agent != 0) continue;
        for (int r = set_first(before.bits, READ_WORDS); r >= 0; r = set_next(before.bits, READ_WORDS, r))
            if ((w->rmw < 0 && !changes_at(p, e, r, &room->constants[path], budget)) ||
                !changes_defined(u, path, e, r, possible, room, budget))
                set_remove(w->data.bits, r);
    }
}

/* Adds to the events of path x the reads that decide between x and y; and, if x ends, y to its ways. */
static void compare_paths(struct unfolding *u, int xpath, int ypath, struct reads *addr,
                          const struct depend_room *room, struct search_budget *budget) {
    struct path *x = &u->paths[xpath];
    struct depend_parting p;
    int guard = depend_common_guards(x, &u->paths[ypath]);
    if (!find_parting(&p, u, xpath, ypath, guard, room, budget)) return;
    if (!x->ways && is_settled(x, &x->guards[p.guard], addr)) return;
    tie_reads(&p);
    for (int e = p.xfirst; e < x->nevents; e++)
        look_at_event(&p, &x->events[e], &addr[e]);
    if (x->ways) look_at_end(&p, x);
}

/* Whether path y has no write of the same element behind the parting. */
static bool lacks_write(const struct depend_parting *p, const struct event *write) {
    for (int k = p->yfirst; k < p->y->nevents; k++) {
        const struct event *y = &p->y->events[k];
        if (y->kind == EVENT_WRITE && y->loc == write->loc && y->element == write->element) return false;
    }
    return true;
}

/* Whether a read alone can take the thread from path x, whatever that has read, to path y, which lacks the
 * write behind the parting. Only of a path y that has events there (`more`), or of one that has none. Counts
 * the questions in `asked`. */
static bool keeps_from(const struct unfolding *u, int x, int y, int guard, const struct depend_room *room,
                       bool more, const struct event *write, int read, int *asked,
                       struct search_budget *budget) {
    struct depend_parting p;
    if (!find_parting(&p, u, x, y, guard, room, budget) || (p.yfirst < p.y->nevents) != more) return false;
    if (!lacks_write(&p, write) || !set_has(p.x->guards[p.guard].sym->reads.bits, read)) return false;
    ++*asked;
    tie_reads(&p);
    return parts_with(&p, read, NULL, NULL, 0);
}

/* Paths without more events are asked first: they tell most, and cost least. After a few the answer is no. */
bool depend_decides(const struct unfolding *u, int path, const int *common,
                    const struct circuit_reads *constants, const struct event *write, int read,
                    struct search_budget *budget) {
    struct arena *a = arena_open();
    struct depend_room room = make_room(u, constants, a);
    bool found = false;
    int asked = 0;
    for (int more = 0; more < 2; more++)
        for (int y = 0; y < u->npaths && !found && asked < MOST_ASKED && budget_wait(budget, 1); y++)
            found = keeps_from(u, path, y, common[y], &room, more, write, read, &asked, budget);
    arena_close(a);
    return found;
}

/* Whether a thread may come to a barrier. */
static bool is_awaited(const struct unfolding *u) {
    for (int k = 0; k < u->npaths; k++)
        for (int e = 0; e < u->paths[k].nevents; e++)
            if (u->paths[k].events[e].kind == EVENT_ARRIVE) return true;
    return false;
}

/* Compares the possible paths with each other. */
static void depend_on_some(struct unfolding *u, const struct depend_room *room, const bool *possible,
                           struct search_budget *budget, struct arena *out) {
    struct arena *a = arena_open();
    struct path_way *ways = is_awaited(u) ? arena_array(a, (size_t)u->npaths, sizeof *ways) : NULL;
    for (int k = 0; k < u->npaths && budget_wait(budget, u->npaths); k++) {
        struct path *x = &u->paths[k];
        if (possible[k]) look_at_data(u, k, possible, room, budget);
        struct reads *addr = arena_array(a, (size_t)x->nevents, sizeof *addr);
        x->ways = x->end == PATH_DONE ? ways : NULL;
        for (int y = 0; y < u->npaths; y++)
            if (possible[k] && possible[y] && budget_wait(budget, compare_work(x, &u->paths[y])))
                compare_paths(u, k, y, addr, room, budget);
        for (int e = 0; e < x->nevents; e++)
            x->events[e].addr = addr[e];
        x->ways = arena_array(out, (size_t)x->nways, sizeof *x->ways);
        for (int w = 0; w < x->nways; w++)
            x->ways[w] = ways[w];
    }
    arena_close(a);
}

/* Whether a path may go another way at a guard if only this read returns another value. */
static bool decides(const struct path *p, int guard, int read, struct search_budget *budget,
                    struct arena *a) {
    struct guard *contrary = arena_array(a, (size_t)guard + 1, sizeof *contrary);
    memcpy(contrary, p->guards, (size_t)(guard + 1) * sizeof *contrary);
    contrary[guard].holds = !contrary[guard].holds;
    struct solve s = {
        .runs = {{.guards = p->guards, .nguards = guard + 1}, {.guards = contrary, .nguards = guard + 1}},
        .read = read,
        .budget = budget};
    solve_tie_all(&s, p->nreads);
    solve_ask(&s.runs[0], guard);
    return solve_depends(&s);
}

/* For each guard of a path, what other paths part there. */
struct depend_told {
    bool *told; /* one of them tells what it lacks */
    int *ends;  /* the number of one that also has no more events; or -1 */
};

static struct depend_told find_told(const struct unfolding *u, const struct path *p, struct arena *a) {
    size_t n = (size_t)p->nguards + 1;
    struct depend_told t = {arena_array(a, n, sizeof *t.told), arena_array(a, n, sizeof *t.ends)};
    memset(t.ends, -1, n * sizeof *t.ends);
    for (int y = 0; y < u->npaths; y++) {
        int guard = depend_common_guards(p, &u->paths[y]);
        if (!tells(&u->paths[y])) continue;
        t.told[guard] = true;
        if (guard < u->paths[y].nguards && u->paths[y].guards[guard].events == u->paths[y].nevents)
            t.ends[guard] = y;
    }
    return t;
}

/* Adds reads to the `ctrl` of all events behind a guard, and to those that decide whether the thread ends. */
static void add_behind(struct path *p, int guard, const struct reads *reads) {
    for (int e = p->guards[guard].events; e < p->nevents; e++)
        reads_add(&p->events[e].ctrl, reads);
    reads_add(&p->ways[0].reads, reads);
}

/* Where paths are too many to compare: lets all events behind a guard depend on the reads that decide it. The
 * other way may have the same events, so this is undecided, unless a path that goes it has no more events. */
static void depend_on_all(const struct unfolding *u, int path, const struct depend_room *room,
                          struct search_budget *budget, struct arena *out) {
    struct arena *a = arena_open();
    struct path *p = &u->paths[path];
    struct depend_told t = find_told(u, p, a);
    p->ways = arena_array(out, 1, sizeof *p->ways);
    p->ways[0].end = PATH_STUCK; /* as if it never ended otherwise */
    p->nways = 1;
    for (int k = 0; k < p->nguards; k++) {
        const uint64_t *reads = p->guards[k].sym->reads.bits;
        struct reads needed = {{0}}, sure = {{0}};
        struct depend_parting end;
        bool ends = t.ends[k] >= 0 && find_parting(&end, u, path, t.ends[k], k, room, budget);
        if (ends) tie_reads(&end);
        for (int r = set_first(reads, READ_WORDS); r >= 0; r = set_next(reads, READ_WORDS, r))
            if (ends && may_part_with(&end, r))
                set_add(sure.bits, r);
            else if (t.told[k] && decides(p, k, r, budget, a))
                set_add(needed.bits, r);
        add_behind(p, k, &sure);
        if (set_first(needed.bits, READ_WORDS) < 0 || leave_undecided(budget)) add_behind(p, k, &needed);
    }
    for (int e = 0; e < p->nevents; e++)
        for (int w = 0; w < READ_WORDS; w++)
            p->events[e].addr.bits[w] &= p->events[e].ctrl.bits[w];
    arena_close(a);
}

/* Finds the paths that are possible. Returns how many there are. */
static int find_possible(const struct unfolding *u, struct search_budget *budget, bool *possible) {
    int n = 0;
    for (int k = 0; k < u->npaths; k++)
        n += possible[k] = solve_possible(&u->paths[k], NULL, budget);
    return n;
}

void depend_on_branches(struct unfolding *u, const struct test *t, struct search_budget *budget,
                        struct arena *a) {
    if (u->npaths < 2 || u->why) return;
    bool *possible = arena_array(a, (size_t)u->npaths, sizeof *possible);
    struct depend_room room = make_room(u, constant_find(t, u, a), a);
    room.few = find_possible(u, budget, possible) <= MAX_COMPARED;
    if (room.few) depend_on_some(u, &room, possible, budget, a);
    for (int k = 0; !room.few && k < u->npaths && budget_wait(budget, u->npaths); k++)
        if (possible[k]) look_at_data(u, k, possible, &room, budget), depend_on_all(u, k, &room, budget, a);
    if (!u->why) u->why = budget->spent;
}
