/* Which decisions are made at once, and where a branch ends, if not all executions are counted. Nothing is
 * lost:
 *   - a branch ends when each outcome that it may still give is known (`wanted`);
 *   - a decision is made at once if eval_refuses says that each other way breaks an axiom whatever is decided
 *     later; so a choice all of whose ways are refused has no execution behind it (`forced`);
 *   - the candidate that is guessed where only pairs are open is one of those that the search would come to,
 *     and the search goes on with both directions of the first open pair as long as that may give anything
 *     new (`forced`). */
#include "search/search_open.h"

/* How many ways a choice has left; if it is one, adds the decision to the batch. */
static int gather_choice(struct search *s, const struct choice *c, int *n) {
    uint64_t open[EVAL_MAX_EVENTS / 64];
    if (c->read >= 0) {
        int ways = search_find_sources(s, c->read, open);
        if (ways == 1)
            s->batch[(*n)++] = (struct decision){DECIDE_RF, 0, set_first(open, s->eval.dim.words), c->read};
        return ways;
    }
    struct decision d;
    enum outlook outlook = search_look_at_pair(s, c->pair, &d);
    if (outlook == OUTLOOK_FORCED) s->batch[(*n)++] = d;
    return outlook == OUTLOOK_DEAD ? 0 : outlook == OUTLOOK_FORCED ? 1 : 2;
}

/* Gathers the decisions of the choices from k on that have one way left, up to the first choice that has
 * more, and returns that choice. If it is a picky read, also gathers those of all later reads of other
 * locations: then what is observed, and the order that reads of flags give, are known before the operations
 * on a counter are decided. -1 when a choice has no way left. */
static int gather_forced(struct search *s, int k, int *n) {
    int ways = 1;
    for (*n = 0; k < s->nchoices; k++) {
        if (search_is_made(s, &s->choices[k])) continue;
        ways = gather_choice(s, &s->choices[k], n);
        if (ways == 0) return -1;
        if (ways > 1) break;
    }
    if (k == s->nchoices || s->choices[k].read < 0 || !search_is_picky(s, s->choices[k].read)) return k;
    int address = s->graph->events[s->choices[k].read].address;
    for (int i = k + 1; i < s->last_read && ways; i++) {
        const struct choice *c = &s->choices[i];
        if (c->read >= 0 && !search_is_made(s, c) && s->graph->events[c->read].address != address)
            ways = gather_choice(s, c, n);
    }
    return ways ? k : -1;
}

/* Decides the pairs from choice k on that have one direction left, again and again, until there are none.
 * Only pairs are open. False when a pair has no direction left, or an axiom is broken. */
static bool force_pairs(struct search *s, int k) {
    for (;;) {
        int n = 0;
        for (int i = k; i < s->nchoices; i++) {
            if (search_is_ordered(s, s->choices[i].pair)) continue;
            enum outlook outlook = search_look_at_pair(s, s->choices[i].pair, &s->batch[n]);
            if (outlook == OUTLOOK_DEAD) return false;
            n += outlook == OUTLOOK_FORCED;
        }
        if (n == 0) return true;
        if (!search_pay(s) || !eval_push(&s->eval, s->batch, n)) return false;
    }
}

/* Counts for each event how many events an order puts before it. */
static void count_before(const struct search *s, int order, int *before) {
    struct dim d = s->eval.dim;
    const uint64_t *must = eval_value(&s->eval, s->plan->orders[order].node);
    memset(before, 0, (size_t)d.n * sizeof *before);
    for (int x = 0; x < d.n; x++) {
        const uint64_t *row = rel_crow(d, must, x);
        for (int y = set_first(row, d.words); y >= 0; y = set_next(row, d.words, y))
            before[y]++;
    }
}

static bool comes_before(const int *before, int x, int y) {
    return before[x] != before[y] ? before[x] < before[y] : x < y;
}

/* Gathers a direction for each open pair from choice k on. The directions of one order agree with one total
 * order of the events, which contains what the order has already. */
static int guess_directions(struct search *s, int k) {
    int *before = s->before, n = 0; /* not on the stack: the search goes as deep as there are choices */
    for (int order = 0; order < s->plan->norders; order++) {
        count_before(s, order, before);
        for (int i = k; i < s->nchoices; i++) {
            struct pair p = s->choices[i].pair;
            if (p.order != order || search_is_ordered(s, p)) continue;
            bool forward = comes_before(before, p.x, p.y);
            s->batch[n++] = (struct decision){DECIDE_ORDER, order, forward ? p.x : p.y, forward ? p.y : p.x};
        }
    }
    return n;
}

/* Whether the candidate may grow into a wanted one. If not, the executions behind it are not counted. */
static bool is_wanted(struct search *s) {
    if (!s->wanted || s->undefined || s->wanted(s, s->ctx)) return true;
    s->budget->uncounted = true;
    return false;
}

/* Searches from choice k on, where only pairs are open. Decides what is forced, then tries one complete
 * candidate (guess_directions); if there may still be a wanted one, tries both directions of the first open
 * pair. */
static void complete(struct search *s, int k) {
    int depth = s->eval.depth;
    bool good = force_pairs(s, k) && is_wanted(s);
    int n = good ? guess_directions(s, k) : 0;
    if (good && n == 0) {
        search_reach_leaf(s);
    } else if (good && search_pay(s)) {
        if (eval_push(&s->eval, s->batch, n)) search_reach_leaf(s);
        eval_pop(&s->eval);
    }
    while (k < s->nchoices && search_is_ordered(s, s->choices[k].pair))
        k++;
    if (n > 0 && !s->stopped && !s->budget->spent && is_wanted(s))
        search_choose_direction(s, k + 1, s->choices[k].pair);
    else
        s->progress += s->share;
    while (s->eval.depth > depth)
        eval_pop(&s->eval);
}

/* Whether some order has pairs that depend on rf: these are no choices, and must be decided after all
 * choices. */
static bool has_late_pairs(const struct search *s) {
    for (int k = 0; k < s->plan->norders; k++)
        if (s->plan->orders[k].either_dynamic) return true;
    return false;
}

bool search_choose_wanted(struct search *s, int k) {
    int n, next;
    if (!s->wanted) return false;
    if (!is_wanted(s)) {
        s->progress += s->share;
        return true;
    }
    if (!prunes(s->without, PRUNE_FORCED)) return false;
    if (k >= s->last_read) {
        bool completes = s->nchoices > k && !has_late_pairs(s);
        if (completes) complete(s, k);
        return completes;
    }
    next = gather_forced(s, k, &n);
    if (next < 0)
        s->progress += s->share;
    else if (n > 0)
        search_try_batch(s, n, next);
    return next < 0 || n > 0;
}
