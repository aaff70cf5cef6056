#include "search/judge.h"

#include "logic/prunings.h"
#include "logic/rel.h"
#include "search/halt.h"
#include "search/phases.h"
#include "search/twins.h"
#include "search/vote.h"

/* supply_narrow is asked where at least so many combinations of paths are left. */
enum { WORTH_WHILE = 8 };

/* The work of making a graph, without the part that grows with its size. */
enum { GRAPH_WORK = 20, SUPPLY_WORK = 2 };

/* Which executions are searched. */
enum which {
    ALL_END,   /* in which all threads end */
    ONE_STOPS, /* in which a thread is stopped */
    ANY_END,   /* all, also those in which threads wait for ever */
};

/* In how many ways the chosen paths can be dealt out to threads that can change places. Of n such threads, m1
 * with one path, m2 with another one, and so on, that is n! / (m1! m2! ...). */
static double count_deals(const struct judge *j) {
    double n = 1;
    for (int t = 0; t < j->test->nthreads; t++)
        n = n * twins_count(j->twins, j->paths, t, true) / twins_count(j->twins, j->paths, t, false);
    return n;
}

/* Searches a graph: for all its executions while counting them costs little, then only for what is wanted. */
static void search_wanted(struct judge *j, struct search s) {
    bool (*wanted)(const struct search *s, void *ctx) = prunes(j->without, PRUNE_WANTED) ? j->wanted : NULL;
    if (!wanted || j->budget.counting > 0) {
        struct search all = s;
        all.counts = wanted;
        search_run(&all);
        j->stopped = all.stopped && !(all.counts && j->budget.counting < 0);
        if (!all.counts || j->budget.counting >= 0) return;
    }
    s.wanted = wanted;
    search_run(&s);
    j->stopped = s.stopped;
}

/* An allowed execution misuses an mbarrier: one is enough. */
static bool note_misuse(struct search *s, void *ctx) {
    (void)s;
    *(bool *)ctx = true;
    return false;
}

/* Searches a graph in which an mbarrier is misused, and notes the misuse if an execution is allowed. Where an
 * operation comes after an invalidation (p->closed), other synchronization between the threads may order it
 * before: so an execution counts only if the model's remark `closed` says that they are in no order. */
static void search_misuse(struct judge *j, struct search s, struct graph *g, const struct phases *p) {
    bool found = false;
    if (p->closed && j->closed) {
        graph_relate(g, j->closed, j->way_arena);
        s.plan = j->closed;
    }
    s.leaf = note_misuse;
    s.ctx = &found;
    search_run(&s);
    if (found && p->fault) j->fault = p->fault;
    if (found && p->undefined) j->undefined = p->undefined;
}

/* A graph whose barriers are matched. */
struct matched {
    struct judge *judge;
    struct graph *graph;
    bool alone; /* there is no other matching */
};

/* Sets what the operations on mbarriers find in this way. */
static void take_way(struct graph *g, const struct phases *p) {
    for (int e = g->naddresses; e < g->dim.n; e++) {
        if (g->events[e].event->mbarrier < 0) continue;
        g->events[e].barrier = p->events[e].phase;
        g->events[e].over = p->events[e].over;
        g->events[e].pending = p->events[e].pending;
    }
}

/* The phases_taker: searches the graph with its mbarriers going through their phases in one way. False: the
 * search is over. */
static bool search_phase(const struct phases *p, bool only, void *ctx) {
    const struct matched *m = ctx;
    struct judge *j = m->judge;
    arena_reset(j->way_arena);
    take_way(m->graph, p);
    graph_relate(m->graph, j->plan, j->way_arena);
    struct search s = {.graph = m->graph,
                       .plan = j->plan,
                       .arena = j->way_arena,
                       .budget = &j->budget,
                       .without = j->without,
                       .eval = {.tolerant = j->tolerant},
                       .twins = m->alone && only ? j->twins : NULL,
                       .weight = count_deals(j),
                       .leaf = j->leaf,
                       .ctx = j->ctx};
    if (p->fault || p->undefined)
        search_misuse(j, s, m->graph, p);
    else
        search_wanted(j, s);
    return !j->stopped && !j->budget.spent;
}

static void search_phases(struct judge *j, struct graph *g, bool alone) {
    phases_each(g, &j->budget, j->graph_arena, search_phase, &(struct matched){j, g, alone});
}

/* Searches a graph with one matching of its barriers: without what comes behind waits that are never over,
 * and, where a thread is cut off, also with that (halt.h). */
static void search_matched(struct judge *j, struct graph *g, const struct matching *m, enum which which,
                           bool alone) {
    struct graph *done = halt_cut(g, m, which == ANY_END, j->graph_arena);
    if (done != g && halt_may_end(g)) search_phases(j, halt_leave(g, m), alone);
    if (done) search_phases(j, done, alone);
}

/* Searches the graph of the paths at hand. If a barrier never opens, threads wait for ever, and there is no
 * outcome: such a matching is left out where all threads must end. */
static void search_graph(struct judge *j, enum which which) {
    struct graph *g = graph_build(j->test, j->cell, j->paths, j->graph_arena);
    if (!g) {
        j->budget.spent = "an execution has too many events";
        return;
    }
    if (!budget_pay(&j->budget, GRAPH_WORK + g->dim.n * g->dim.n / 8)) return;
    if (!budget_has_room(&j->budget, 2 * eval_bytes(j->plan, g->dim))) return; /* and what a search adds */
    int n;
    const struct matching *m = graph_match_barriers(g, &j->budget, j->graph_arena, &n);
    if (j->budget.spent) return;
    if (!m) {
        j->budget.spent = "too many ways in which threads can meet at barriers";
        return;
    }
    for (int k = 0; k < n && !j->stopped && !j->budget.spent; k++) {
        if (m[k].complete || which != ALL_END) search_matched(j, g, &m[k], which, n == 1);
    }
}

/* Whether the paths at hand can go together, as far as is seen without a graph. */
static bool go_together(struct judge *j) {
    if (!j->supply) return true;
    return budget_pay(&j->budget, SUPPLY_WORK) && (!j->turns || turns_allow(j->turns, j->paths)) &&
           supply_allows(j->supply, j->paths);
}

static bool is_stopped(enum path_end end) {
    return end == PATH_CUT || end == PATH_OUT_OF_BOUNDS || end == PATH_FAULT;
}

static size_t words_of(const struct unfolding *u) {
    return (size_t)(u->npaths + 63) / 64;
}

/* Room for some paths of each thread, as bits. */
static uint64_t **make_room(const struct judge *j, struct arena *a) {
    size_t n = (size_t)j->test->nthreads;
    uint64_t **room = arena_array(a, n, sizeof *room);
    for (size_t t = 0; t < n; t++)
        room[t] = arena_array(a, words_of(&j->unfoldings[t]), sizeof **room);
    return room;
}

/* Whether the threads from `t` on have so many combinations of paths left that it is worth while to look for
 * those that go with the paths at hand. */
static bool is_worth_while(const struct judge *j, int t, uint64_t *const *left) {
    double choices = 1;
    for (; j->supply && t < j->test->nthreads && choices < WORTH_WHILE; t++)
        choices *= bits_count(left[t], words_of(&j->unfoldings[t]));
    return choices >= WORTH_WHILE;
}

/* One walk through the combinations of paths. */
struct combination {
    enum which which;
    uint64_t **
        *room; /* thread -> room for the paths that are left when it has one; NULL: none was needed yet */
};

/* Whether the path of thread `t` agrees about votes with those of the threads before it. */
static bool agrees(struct judge *j, int t) {
    for (int x = 0; x < t && prunes(j->without, PRUNE_VOTES) && budget_wait(&j->budget, 1); x++)
        if (!votes_agree(j->cell, x, j->paths[x], t, j->paths[t])) return false;
    return true;
}

/* Combines the paths of thread `t` that are left with those of the threads after it. */
static void combine(struct judge *j, struct combination *c, int t, uint64_t *const *left, bool has_stopped) {
    if (j->stopped || j->budget.spent) return;
    if (t == j->test->nthreads) {
        if (c->which != ANY_END && (c->which == ONE_STOPS) != has_stopped) return;
        if ((j->is_worth && !j->is_worth(j)) || !go_together(j)) return;
        arena_reset(j->graph_arena);
        search_graph(j, c->which);
        return;
    }
    const struct unfolding *u = &j->unfoldings[t];
    int twin = j->twins[t], words = (int)words_of(u);
    bool narrows = bits_count(left[t], words_of(u)) > 1 && is_worth_while(j, t + 1, left);
    if (narrows && !c->room[t]) c->room[t] = make_room(j, j->scratch);
    for (int k = set_first(left[t], words); k >= 0; k = set_next(left[t], words, k)) {
        j->paths[t] = &u->paths[k];
        if ((twin >= 0 && j->paths[t] < j->paths[twin]) || !agrees(j, t)) continue;
        if (narrows && !supply_narrow(j->supply, j->unfoldings, j->paths, t + 1, left, c->room[t])) continue;
        combine(j, c, t + 1, narrows ? c->room[t] : left, has_stopped || is_stopped(u->paths[k].end));
    }
}

static void combine_all(struct judge *j, enum which which) {
    struct combination c = {which, arena_array(j->scratch, (size_t)j->test->nthreads, sizeof *c.room)};
    uint64_t **left = make_room(j, j->scratch);
    for (int t = 0; t < j->test->nthreads; t++)
        for (int k = 0; k < j->unfoldings[t].npaths; k++) {
            const struct path *p = &j->unfoldings[t].paths[k];
            if ((p->end == PATH_DONE || which != ALL_END) && !(j->turns && p->out_of_turn))
                set_add(left[t], k);
        }
    combine(j, &c, 0, left, false);
}

void judge_complete(struct judge *j) {
    combine_all(j, ALL_END);
}

void judge_stopped(struct judge *j) {
    bool any = false;
    for (int t = 0; t < j->test->nthreads; t++)
        for (int k = 0; k < j->unfoldings[t].npaths; k++)
            any = any || is_stopped(j->unfoldings[t].paths[k].end);
    if (any) combine_all(j, ONE_STOPS);
}

void judge_any(struct judge *j) {
    combine_all(j, ANY_END);
}

bool judge_open(struct judge *j, const struct model_plan *p, const struct test *t, const struct cell *cell,
                const struct model_limits *limits, struct diag *d) {
    *j = (struct judge){.plan = p, .test = t, .cell = cell, .without = limits->without, .diag = d};
    j->scratch = arena_open();
    j->graph_arena = arena_open();
    j->way_arena = arena_open();
    j->budget = budget_open(limits);
    j->unfoldings = arena_array(j->scratch, (size_t)t->nthreads, sizeof *j->unfoldings);
    j->paths = arena_array(j->scratch, (size_t)t->nthreads, sizeof *j->paths);
    j->twins = arena_array(j->scratch, (size_t)t->nthreads, sizeof *j->twins);
    for (int k = 0; k < t->nthreads; k++) {
        j->twins[k] = -1;
        if (!unfold_thread(t, cell, k, p->syntactic, limits, &j->budget, j->scratch, &j->unfoldings[k], d))
            return false;
        if (j->unfoldings[k].why) j->budget.spent = j->unfoldings[k].why;
        votes_find(&j->unfoldings[k], &j->budget, j->scratch);
    }
    j->unfolded = arena_array(j->scratch, (size_t)t->nthreads, sizeof *j->unfolded);
    memcpy(j->unfolded, j->unfoldings, (size_t)t->nthreads * sizeof *j->unfolded);
    if (!j->budget.spent && prunes(j->without, PRUNE_SUPPLY))
        j->supply = supply_find(t, j->unfoldings, &j->budget, j->scratch);
    return true;
}

void judge_take_turns(struct judge *j) {
    if (!j->supply || j->budget.spent || !prunes(j->without, PRUNE_TURNS)) return;
    j->turns = turns_find(j->test, j->cell, j->plan, j->unfoldings, j->supply, &j->budget, j->scratch);
}

void judge_find_twins(struct judge *j, bool observed) {
    if (!prunes(j->without, PRUNE_TWINS)) return;
    j->twins = twins_find(j->test, j->cell, j->unfoldings, observed, &j->budget, j->scratch);
}

void judge_close(struct judge *j) {
    arena_close(j->scratch);
    arena_close(j->graph_arena);
    arena_close(j->way_arena);
}
