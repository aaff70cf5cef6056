#include <assert.h>

#include "search/counter.h"
#include "search/tears.h"

/* How deep search_choose may be nested; each level takes up to 900 bytes of the stack (MEMORY_STACK). */
enum { DEEPEST = 4000 };

/* Makes a decision and goes on at choice k, if it does not break the model. */
static void try_decision(struct search *s, struct decision d, int k) {
    if (eval_push(&s->eval, &d, 1))
        search_choose(s, k);
    else
        s->progress += s->share;
    eval_pop(&s->eval);
}

void search_try_source(struct search *s, int k, int w, int read) {
    assert(s->source[read] < 0); /* a read is decided once */
    int ntrail = s->ntrail;
    if (counters_have_address(s, s->graph->events[read].address)) {
        *s->batch = (struct decision){DECIDE_RF, 0, w, read};
        search_try_batch(s, 1, k);
        return;
    }
    s->source[read] = w;
    if (s->known[w] && !search_learn(s, read, s->value[w]))
        s->progress += s->share;
    else if (search_pay(s))
        try_decision(s, (struct decision){DECIDE_RF, 0, w, read}, k);
    s->source[read] = -1;
    search_forget(s, ntrail);
}

void search_try_batch(struct search *s, int n, int k) {
    const struct decision *made = s->batch;
    int ntrail = s->ntrail, places = s->ncounter_trail;
    bool good = search_pay(s);
    for (int i = 0; i < n; i++)
        if (made[i].kind == DECIDE_RF) s->source[made[i].to] = made[i].from;
    for (int i = 0; good && i < n; i++)
        good = made[i].kind != DECIDE_RF || counters_take(s, made[i].from, made[i].to);
    if (good) n = counters_gather(s, n);
    s->batch += n;
    for (int i = 0; good && i < n; i++)
        if (made[i].kind == DECIDE_RF && s->known[made[i].from] && !s->known[made[i].to])
            good = search_learn(s, made[i].to, s->value[made[i].from]);
    if (good) {
        if (eval_push(&s->eval, made, n))
            search_choose(s, k);
        else
            s->progress += s->share;
        eval_pop(&s->eval);
    } else {
        s->progress += s->share;
    }
    for (int i = 0; i < n; i++)
        if (made[i].kind == DECIDE_RF) s->source[made[i].to] = -1;
    search_forget(s, ntrail);
    counters_forget(s, places);
    s->batch -= n;
}

void search_choose_source(struct search *s, int k, int read) {
    uint64_t open[EVAL_MAX_EVENTS / 64];
    double share = s->share;
    int n = search_find_sources(s, read, open), words = s->eval.dim.words;
    if (n == 0) s->progress += share;
    for (int w = set_first(open, words); w >= 0 && !s->stopped && !s->budget->spent;
         w = set_next(open, words, w)) {
        s->share = share / n;
        search_try_source(s, k + 1, w, read);
    }
    s->share = share;
}

void search_choose_direction(struct search *s, int k, struct pair p) {
    struct decision ways[2] = {{DECIDE_ORDER, p.order, p.x, p.y}, {DECIDE_ORDER, p.order, p.y, p.x}};
    bool open[2] = {!eval_refuses(&s->eval, ways[0]), !eval_refuses(&s->eval, ways[1])};
    double share = s->share;
    if (!open[0] && !open[1]) s->progress += share;
    for (int turn = 0; turn < 2 && !s->stopped && !s->budget->spent; turn++) {
        s->share = open[0] && open[1] ? share / 2 : share;
        if (open[turn] && search_pay(s)) try_decision(s, ways[turn], k);
    }
    s->share = share;
}

/* Finds a pair that is not ordered yet, among the orders whose pairs depend on rf. */
static bool find_open_pair(const struct search *s, struct pair *out) {
    for (int k = 0; k < s->plan->norders; k++) {
        const struct plan_order *order = &s->plan->orders[k];
        if (!order->either_dynamic) continue;
        const uint64_t *either = eval_value(&s->eval, order->either);
        for (int x = 0; x < s->eval.dim.n; x++) {
            const uint64_t *row = rel_crow(s->eval.dim, either, x);
            for (int y = set_first(row, s->eval.dim.words); y >= 0; y = set_next(row, s->eval.dim.words, y)) {
                *out = (struct pair){k, x, y};
                if (x != y && !search_is_ordered(s, *out)) return true;
            }
        }
    }
    return false;
}

/* Gives a complete candidate that is allowed to the leaf, unless it has a value that is not defined. */
static void reach_candidate(struct search *s) {
    if (s->undefined)
        s->budget->undefined = true;
    else
        s->stopped = !s->leaf(s, s->ctx);
}

/* Judges a candidate in which everything is decided and all values are known. */
static void take_leaf(struct search *s) {
    if (search_tears(s)) return;
    if (s->plan->exact && !s->eval.late) {
        reach_candidate(s);
        return;
    }
    if (eval_push_complete(&s->eval)) reach_candidate(s);
    eval_pop(&s->eval);
}

void search_reach_leaf(struct search *s) {
    int ntrail = s->ntrail;
    if (search_knows_all(s) || search_break_circles(s)) take_leaf(s);
    search_forget(s, ntrail);
}

bool search_is_made(const struct search *s, const struct choice *c) {
    return c->read >= 0 ? s->source[c->read] >= 0 : search_is_ordered(s, c->pair);
}

/* Whether search_chain.c says which picky read is decided next. */
static bool picks_first(const struct search *s) {
    return !s->eval.tolerant && prunes(s->without, PRUNE_CHAINS);
}

/* Lets the prunings end the branch at choice k, or make forced decisions and go on. False when choice k is to
 * be made. */
static bool cut_short(struct search *s, int k) {
    return search_choose_wanted(s, k) || (k < s->nchoices && !search_is_open(s, k));
}

static void choose_next(struct search *s, int k) {
    while (k < s->nchoices && search_is_made(s, &s->choices[k]))
        k++;
    if (cut_short(s, k)) return;
    if (k < s->nchoices) {
        const struct choice *c = &s->choices[k];
        if (c->read >= 0 && picks_first(s) && search_is_picky(s, c->read))
            search_choose_picky(s, k);
        else if (c->read >= 0)
            search_choose_source(s, k, c->read);
        else
            search_choose_direction(s, k + 1, c->pair);
        return;
    }
    struct pair open;
    if (find_open_pair(s, &open)) {
        search_choose_direction(s, k, open);
        return;
    }
    s->progress += s->share;
    search_reach_leaf(s);
}

void search_choose(struct search *s, int k) {
    if (++s->depth > DEEPEST)
        s->budget->spent = "too many choices within choices";
    else
        choose_next(s, k);
    s->depth--;
}

void search_run(struct search *s) {
    if (!search_open(s)) return;
    s->share = 1;
    search_choose(s, 0);
}

struct search search_retell(const struct search *s, const struct model_plan *p, struct graph *g) {
    struct search full = *s;
    struct dim d = s->eval.dim;
    int n = 0;
    *g = *s->graph;
    graph_relate_more(g, p, s->arena);
    full.graph = g;
    full.plan = p;
    full.eval = (struct eval){.tolerant = true};
    eval_open(&full.eval, p, d, g->given, (const uint64_t *const *)s->sources, s->arena);
    struct decision *made = arena_array(
        s->arena, (size_t)s->nreads + (size_t)p->norders * (size_t)d.n * (size_t)d.n, sizeof *made);
    for (int k = 0; k < s->nreads; k++)
        made[n++] = (struct decision){DECIDE_RF, 0, s->source[s->reads[k]], s->reads[k]};
    for (int k = 0; k < p->norders; k++) {
        const uint64_t *order = eval_value(&s->eval, s->plan->orders[k].node);
        const uint64_t *either = eval_value(&s->eval, s->plan->orders[k].either);
        for (int x = 0; x < d.n; x++)
            for (int y = 0; y < d.n; y++)
                if (rel_has(d, order, x, y) && (rel_has(d, either, x, y) || rel_has(d, either, y, x)))
                    made[n++] = (struct decision){DECIDE_ORDER, k, x, y};
    }
    eval_push(&full.eval, made, n);
    if (!p->exact) eval_push_complete(&full.eval);
    return full;
}
