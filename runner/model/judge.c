#include "model/judge.h"

#include <limits.h>
#include <math.h>

#include "model/twins.h"

/* The work that may be done without a time limit: some ten seconds. A search that looks as if it needed a billion years
 * is given up at once; that estimate is rough, and this number leaves room for it. */
static const long long built_in_work = 50 * 1000 * 1000;
static const double hopeless_work = 1e24;

/* How much of this may be spent on counting executions that differ in nothing that is observed. */
static const long long counting_work = 20 * 1000;

/* The work of making a graph, without the part that grows with its size. */
enum { GRAPH_WORK = 20, SUPPLY_WORK = 2 };

/* In how many ways the chosen paths can be dealt out to threads that can change places. */
static double count_deals(const struct judge *j) {
    double n = 1;
    for (int t = 0; t < j->test->nthreads; t++)
        n = n * twins_count(j->twins, j->paths, t, true) / twins_count(j->twins, j->paths, t, false);
    return n;
}

/* Searches a graph: for all its executions while counting them costs little, then only for what is wanted. */
static void search_wanted(struct judge *j, struct search s) {
    if (!j->wanted || j->budget.counting > 0) {
        struct search all = s;
        all.counts = j->wanted;
        search_run(&all);
        j->stopped = all.stopped && !(all.counts && j->budget.counting < 0);
        if (!all.counts || j->budget.counting >= 0) return;
    }
    s.wanted = j->wanted;
    search_run(&s);
    j->stopped = s.stopped;
}

/* Searches one graph. If a barrier never opens, threads wait for ever, and there is no outcome. */
static void search_graph(struct judge *j, bool stopped) {
    struct graph *g = graph_build(j->test, j->cell, j->paths, j->graph_arena);
    if (!g) {
        j->budget.spent = "an execution has too many events";
        return;
    }
    if (!budget_pay(&j->budget, GRAPH_WORK + g->dim.n * g->dim.n / 8)) return;
    if (!budget_has_room(&j->budget, 2 * eval_bytes(j->model->plan, g))) return; /* and what a search adds */
    int n;
    const struct matching *m = graph_match_barriers(g, &j->budget, j->graph_arena, &n);
    if (j->budget.spent) return;
    if (!m) {
        j->budget.spent = "too many ways in which threads can meet at barriers";
        return;
    }
    for (int k = 0; k < n && !j->stopped && !j->budget.spent; k++) {
        if (!m[k].complete && !stopped) continue;
        for (int e = 0; e < g->dim.n; e++)
            g->events[e].barrier = m[k].barrier[e];
        graph_relate(g, j->model->plan, j->graph_arena);
        struct search s = {.graph = g,
                           .plan = j->model->plan,
                           .arena = j->graph_arena,
                           .budget = &j->budget,
                           .eval = {.tolerant = j->tolerant},
                           .twins = n == 1 ? j->twins : NULL,
                           .weight = count_deals(j),
                           .leaf = j->leaf,
                           .ctx = j->ctx};
        search_wanted(j, s);
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

/* Combines the paths of thread `t` with those of the threads after it. With `wanted`, only combinations in which a
 * thread is stopped; else only those in which all threads end. */
static void combine(struct judge *j, int t, bool wanted, bool has_stopped) {
    if (j->stopped || j->budget.spent) return;
    if (t == j->test->nthreads) {
        if (wanted != has_stopped || !go_together(j)) return;
        arena_reset(j->graph_arena);
        search_graph(j, wanted);
        return;
    }
    const struct unfolding *u = &j->unfoldings[t];
    int twin = j->twins[t];
    for (int k = twin < 0 ? 0 : (int)(j->paths[twin] - u->paths); k < u->npaths; k++) {
        enum path_end end = u->paths[k].end;
        if ((end != PATH_DONE && !wanted) || (j->turns && u->paths[k].out_of_turn)) continue;
        j->paths[t] = &u->paths[k];
        combine(j, t + 1, wanted, has_stopped || is_stopped(end));
    }
}

void judge_complete(struct judge *j) {
    combine(j, 0, false, false);
}

void judge_stopped(struct judge *j) {
    bool any = false;
    for (int t = 0; t < j->test->nthreads; t++)
        for (int k = 0; k < j->unfoldings[t].npaths; k++)
            any = any || is_stopped(j->unfoldings[t].paths[k].end);
    if (any) combine(j, 0, true, false);
}

static void set_deadline(struct search_budget *b, double seconds) {
    if (seconds <= 0) return;
    clock_gettime(CLOCK_MONOTONIC, &b->deadline);
    long long nanoseconds = b->deadline.tv_nsec + (long long)(seconds * 1e9);
    b->deadline.tv_sec += (time_t)(nanoseconds / 1000000000);
    b->deadline.tv_nsec = (long)(nanoseconds % 1000000000);
}

bool judge_open(struct judge *j, const struct model *m, const struct test *t, const struct cell *v,
                const struct model_limits *limits, struct diag *d) {
    *j = (struct judge){.model = m, .test = t, .cell = v, .diag = d};
    j->scratch = arena_open();
    j->graph_arena = arena_open();
    j->budget.left = limits->candidates > 0 ? limits->candidates
                     : limits->seconds > 0  ? LLONG_MAX
                                            : built_in_work;
    j->budget.hopeless = limits->seconds > 0 ? INFINITY : hopeless_work;
    j->budget.counting = limits->counting ? limits->counting : counting_work;
    j->budget.stop = limits->stop;
    set_deadline(&j->budget, limits->seconds);
    j->unfoldings = arena_array(j->scratch, (size_t)t->nthreads, sizeof *j->unfoldings);
    j->paths = arena_array(j->scratch, (size_t)t->nthreads, sizeof *j->paths);
    j->twins = arena_array(j->scratch, (size_t)t->nthreads, sizeof *j->twins);
    for (int k = 0; k < t->nthreads; k++) {
        j->twins[k] = -1;
        if (!unfold_thread(t, v, k, limits->unroll, &j->budget, j->scratch, &j->unfoldings[k], d))
            return false;
        if (j->unfoldings[k].why) j->budget.spent = j->unfoldings[k].why;
    }
    if (!j->budget.spent) j->supply = supply_find(t, j->unfoldings, &j->budget, j->scratch);
    return true;
}

void judge_take_turns(struct judge *j) {
    if (!j->supply || j->budget.spent) return;
    j->turns = turns_find(j->test, j->cell, j->model->plan, j->unfoldings, j->supply, &j->budget, j->scratch);
}

void judge_find_twins(struct judge *j, bool observed) {
    j->twins = twins_find(j->test, j->cell, j->unfoldings, observed, j->scratch);
}

void judge_close(struct judge *j) {
    arena_close(j->scratch);
    arena_close(j->graph_arena);
}
