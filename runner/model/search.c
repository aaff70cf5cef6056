#include "model/counter.h"
#include "model/depend.h"
#include "model/tears.h"

#include <limits.h>
#include <stdlib.h>

enum { PROBE_STEPS = 20000 };

/* Choices within choices; each takes up to 900 bytes of the stack (MEMORY_STACK). */
enum { DEEPEST = 4000 };

/* Whether what a search has taken may double. It is asked again when that has grown. */
static bool has_room(struct search *s) {
    if (s->eval.bytes < s->asked_at) return !s->budget->spent;
    s->asked_at = s->eval.bytes + s->eval.bytes / 4 + 1;
    return budget_has_room(s->budget, s->eval.bytes);
}

bool search_pay(struct search *s) {
    struct search_budget *b = s->budget;
    long long work = 1 + (long long)dim_rel(s->eval.dim) * s->eval.dim.n / 256;
    s->work += (double)work;
    if (!budget_pay(b, work)) return false;
    if (s->counts && (b->counting -= work) < 0) s->stopped = b->uncounted = true;
    if (++s->steps > PROBE_STEPS && s->work > b->hopeless * s->progress)
        b->spent = "too many candidate executions";
    return has_room(s) && !s->stopped;
}

/* Values: known from the sources decided so far. */

bool search_knows(const struct search *s, int thread, const struct reads *needed) {
    const struct reads *known = &s->known_reads[thread];
    for (int w = 0; w < MAX_READS / 64; w++)
        if (needed->bits[w] & ~known->bits[w]) return false;
    return true;
}

/* Whether the guards of a thread that depend on a read hold, as far as their values are known. */
static bool guards_hold(const struct search *s, int thread, int read) {
    const struct path *p = s->graph->paths[thread];
    for (int k = 0; k < p->nguards; k++) {
        const struct guard *g = &p->guards[k];
        if (!set_has(g->sym->reads.bits, read) || !search_knows(s, thread, &g->sym->reads)) continue;
        if (sym_is_true(g->sym, s->read_values[thread]) != g->holds) return false;
    }
    return true;
}

bool search_learn(struct search *s, int read, struct value value);

/* The value of a write became known, and so do the values of the reads that read from it. */
static bool learn_write(struct search *s, int write, struct value value) {
    s->known[write] = true;
    s->value[write] = value;
    s->trail[s->ntrail++] = write;
    for (int k = 0; k < s->nreads; k++)
        if (s->source[s->reads[k]] == write && !s->known[s->reads[k]] && !search_learn(s, s->reads[k], value))
            return false;
    return true;
}

static void note_read(struct search *s, int read, struct value value) {
    const struct node_event *e = &s->graph->events[read];
    s->known[read] = true;
    s->value[read] = value;
    s->trail[s->ntrail++] = read;
    s->read_values[e->thread][e->event->read] = value;
    set_add(s->known_reads[e->thread].bits, e->event->read);
}

/* The values of writes become known that are computed from what a thread has read. */
static bool learn_computed(struct search *s, int thread) {
    const struct graph *g = s->graph;
    for (int e = g->first[thread]; e < g->first[thread + 1]; e++) {
        const struct event *event = g->events[e].event;
        if (!event->value || s->known[e] || !search_knows(s, thread, &event->value->reads)) continue;
        if (!learn_write(s, e, sym_eval(event->value, s->read_values[thread]))) return false;
    }
    return true;
}

bool search_learn(struct search *s, int read, struct value value) {
    const struct node_event *e = &s->graph->events[read];
    note_read(s, read, value);
    return guards_hold(s, e->thread, e->event->read) && learn_computed(s, e->thread);
}

bool search_suppose(struct search *s, int read) {
    s->undefined = true;
    note_read(s, read, (struct value){0, 0});
    return learn_computed(s, s->graph->events[read].thread);
}

void search_forget(struct search *s, int ntrail) {
    while (s->ntrail > ntrail) {
        int e = s->trail[--s->ntrail];
        const struct node_event *event = &s->graph->events[e];
        s->known[e] = false;
        if (event->thread >= 0 && event->event->read >= 0)
            set_remove(s->known_reads[event->thread].bits, event->event->read);
    }
}

bool search_is_picky(const struct search *s, int read) {
    const struct node_event *e = &s->graph->events[read];
    const struct path *p = s->graph->paths[e->thread];
    for (int k = 0; k < p->nguards; k++)
        if (set_has(p->guards[k].sym->reads.bits, e->event->read)) return true;
    return e->event->rmw >= 0;
}

/* Choices */

static void choose(struct search *s, int k);

/* Makes a decision and goes on at choice k, if it does not break the model. */
static void try_decision(struct search *s, struct decision d, int k) {
    if (eval_push(&s->eval, &d, 1))
        choose(s, k);
    else
        s->progress += s->share;
    eval_pop(&s->eval);
}

/* Makes the n decisions that were gathered in one step, and goes on at choice k. */
static void try_batch(struct search *s, int n, int k) {
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
            choose(s, k);
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

bool search_guards_allow(const struct search *s, int read, struct value value) {
    int thread = s->graph->events[read].thread, number = s->graph->events[read].event->read;
    s->read_values[thread][number] = value;
    set_add(s->known_reads[thread].bits, number);
    bool allow = guards_hold(s, thread, number);
    set_remove(s->known_reads[thread].bits, number);
    return allow;
}

int search_find_sources(const struct search *s, int read, uint64_t *open) {
    const uint64_t *sources = s->sources[read];
    int words = s->eval.dim.words, n = 0;
    memset(open, 0, (size_t)words * sizeof *open);
    for (int w = set_first(sources, words); w >= 0; w = set_next(sources, words, w)) {
        if (s->known[w] && !search_guards_allow(s, read, s->value[w])) continue;
        if (!s->known[w] && !counters_allow(s, w, read)) continue;
        if (source_tears(s, w, read) || eval_refuses(&s->eval, (struct decision){DECIDE_RF, 0, w, read}))
            continue;
        set_add(open, w);
        n++;
    }
    return n;
}

/* Decides that a read reads from a write, and goes on at choice k. */
static void try_source(struct search *s, int k, int w, int read) {
    int ntrail = s->ntrail;
    if (counters_have_address(s, s->graph->events[read].address)) {
        *s->batch = (struct decision){DECIDE_RF, 0, w, read};
        try_batch(s, 1, k);
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

static void choose_source(struct search *s, int k, int read) {
    uint64_t open[GRAPH_MAX_EVENTS / 64];
    double share = s->share;
    int n = search_find_sources(s, read, open), words = s->eval.dim.words;
    if (n == 0) s->progress += share;
    for (int w = set_first(open, words); w >= 0 && !s->stopped && !s->budget->spent;
         w = set_next(open, words, w)) {
        s->share = share / n;
        try_source(s, k + 1, w, read);
    }
    s->share = share;
}

static void choose_direction(struct search *s, int k, struct pair p) {
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

bool search_is_ordered(const struct search *s, struct pair p) {
    const uint64_t *must = eval_value(&s->eval, s->plan->orders[p.order].node);
    return rel_has(s->eval.dim, must, p.x, p.y) || rel_has(s->eval.dim, must, p.y, p.x);
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

static bool values_are_known(const struct search *s) {
    for (int k = 0; k < s->nreads; k++)
        if (!s->known[s->reads[k]]) return false;
    return true;
}

/* Whether each write has the value that follows from all that its thread has read. */
static bool values_hold(const struct search *s) {
    for (int e = 0; e < s->eval.dim.n; e++) {
        const struct node_event *n = &s->graph->events[e];
        if (n->event && n->event->value &&
            !value_equal(sym_eval(n->event->value, s->read_values[n->thread]), s->value[e]))
            return false;
    }
    return true;
}

/* Finds values in a circle of reads and writes: that of a write which does not depend on the circle, although it is computed
 * from what was read there, as (r | 1) & 1 is. False where there are none. */
static bool break_circles(struct search *s) {
    bool more = true;
    while (more && !values_are_known(s)) {
        more = false;
        for (int e = 0; e < s->eval.dim.n; e++) {
            const struct node_event *n = &s->graph->events[e];
            if (!n->event || !n->event->value || s->known[e] || !search_knows(s, n->thread, &n->event->data))
                continue;
            struct value value =
                depend_value(s->graph->paths[n->thread], n->event->value, &s->known_reads[n->thread],
                             s->read_values[n->thread], s->budget);
            if (!learn_write(s, e, value)) return false;
            more = true;
        }
    }
    return values_are_known(s) && values_hold(s);
}

/* A candidate. */
static void reach_candidate(struct search *s) {
    if (s->undefined)
        s->budget->undefined = true;
    else
        s->stopped = !s->leaf(s, s->ctx);
}

/* Everything is decided, and known. */
static void take_leaf(struct search *s) {
    if (search_tears(s)) return;
    if (s->plan->exact) {
        reach_candidate(s);
        return;
    }
    if (eval_push_complete(&s->eval)) reach_candidate(s);
    eval_pop(&s->eval);
}

/* Everything is decided. A candidate in which a value depends on itself has no such value, and is dropped; so is one
 * that tears a scalar. */
static void reach_leaf(struct search *s) {
    int ntrail = s->ntrail;
    if (values_are_known(s) || break_circles(s)) take_leaf(s);
    search_forget(s, ntrail);
}

/* Looks at a pair that is still open. If the model refuses one direction, the other is decided at once. If it refuses
 * both, this candidate has no future. */
enum outlook { OUTLOOK_OPEN, OUTLOOK_FORCED, OUTLOOK_DEAD };

static enum outlook look_at_pair(const struct search *s, struct pair p, struct decision *forced) {
    struct decision forward = {DECIDE_ORDER, p.order, p.x, p.y}, backward = {DECIDE_ORDER, p.order, p.y, p.x};
    bool no_forward = eval_refuses(&s->eval, forward), no_backward = eval_refuses(&s->eval, backward);
    if (no_forward && no_backward) return OUTLOOK_DEAD;
    *forced = no_forward ? backward : forward;
    return no_forward || no_backward ? OUTLOOK_FORCED : OUTLOOK_OPEN;
}

/* Gathers the directions that are forced among the pairs of an address. Returns how many, or -1 when a pair has no
 * direction left. */
static int look_ahead(struct search *s, int address) {
    int n = 0;
    for (int k = 0; k < s->npairs; k++) {
        const struct pair *p = &s->pairs[k];
        if (s->graph->events[p->x].address != address || search_is_ordered(s, *p)) continue;
        enum outlook outlook = look_at_pair(s, *p, &s->batch[n]);
        if (outlook == OUTLOOK_DEAD) return -1;
        n += outlook == OUTLOOK_FORCED;
    }
    return n;
}

/* Looks ahead between picky reads, where this saves work. False when the search went on with what it found. */
static bool is_open(struct search *s, int k) {
    const struct choice *c = &s->choices[k];
    if (s->eval.tolerant || c->read < 0 || (!s->wanted && !search_is_picky(s, c->read))) return true;
    int n = look_ahead(s, s->graph->events[c->read].address);
    if (n < 0) s->progress += s->share;
    if (n > 0) try_batch(s, n, k);
    return n == 0;
}

/* Of the picky reads of a location that are open, from choice k on, the one with the fewest sources. */
static int find_pickiest(const struct search *s, int k) {
    uint64_t open[GRAPH_MAX_EVENTS / 64];
    int best = k, fewest = INT_MAX, address = s->graph->events[s->choices[k].read].address;
    for (int i = k; i < s->nchoices && fewest > 1; i++) {
        int read = s->choices[i].read;
        if (read < 0 || s->graph->events[read].address != address || !search_is_picky(s, read)) break;
        int n = search_find_sources(s, read, open);
        if (n < fewest) {
            fewest = n;
            best = i;
        }
    }
    return best;
}

static void swap_choices(struct search *s, int i, int k) {
    struct choice c = s->choices[i];
    s->choices[i] = s->choices[k];
    s->choices[k] = c;
}

/* Chains of atomic operations are built from their roots. Values are known from there on, and so are guards. */

/* Choice i is an atomic operation's read of the address that choice k reads. */
static bool is_link(const struct search *s, int i, int k) {
    if (i >= s->nchoices || s->choices[i].read < 0 || !search_is_picky(s, s->choices[i].read)) return false;
    const struct node_event *events = s->graph->events;
    return events[s->choices[i].read].address == events[s->choices[k].read].address;
}

/* Whether the value of a write follows from the read of the same operation, and that read has no source yet. */
static bool is_grown(const struct search *s, int write) {
    const struct node_event *e = &s->graph->events[write];
    if (s->known[write] || !e->event || e->event->rmw < 0) return false;
    int read = s->graph->first[e->thread] + e->event->rmw;
    return s->source[read] < 0 && set_has(e->event->value->reads.bits, s->graph->events[read].event->read);
}

/* Finds a write of known value from which an atomic operation may read that may also read a value not yet known; -1
 * when there is none. `*dead`: the operations that are left can only read from each other. */
static int find_root(const struct search *s, int k, bool *dead) {
    uint64_t open[GRAPH_MAX_EVENTS / 64];
    int root = -1, links = 0, grown = 0, sources = 0, words = s->eval.dim.words;
    for (int i = k; is_link(s, i, k); i++) {
        int read = s->choices[i].read;
        if (s->graph->events[read].event->rmw < 0) continue;
        links++;
        sources += search_find_sources(s, read, open);
        for (int w = set_first(open, words); w >= 0; w = set_next(open, words, w)) {
            grown += is_grown(s, w);
            if (s->known[w] && root < 0) root = w;
        }
    }
    *dead = links > 0 && grown == sources;
    return grown ? root : -1;
}

/* Chooses who reads from a write: one of the atomic operations from choice k on, or none of them. */
static void choose_reader(struct search *s, int k, int w) {
    uint64_t tried[GRAPH_MAX_EVENTS / 64] = {0};
    double share = s->share;
    int words = s->eval.dim.words, ways = 1;
    for (int i = k; is_link(s, i, k); i++)
        ways += set_has(s->sources[s->choices[i].read], w);
    s->share = share / ways;
    for (int i = k; is_link(s, i, k) && !s->stopped && !s->budget->spent; i++) {
        int read = s->choices[i].read;
        if (s->graph->events[read].event->rmw < 0 || !set_has(s->sources[read], w)) continue;
        swap_choices(s, i, k);
        if (eval_refuses(&s->eval, (struct decision){DECIDE_RF, 0, w, read}))
            s->progress += s->share;
        else
            try_source(s, k + 1, w, read);
        swap_choices(s, i, k);
        set_remove(s->sources[read], w);
        set_add(tried, read);
    }
    if (!s->stopped && !s->budget->spent) choose(s, k);
    for (int read = set_first(tried, words); read >= 0; read = set_next(tried, words, read))
        set_add(s->sources[read], w);
    s->share = share;
}

static void choose_picky(struct search *s, int k) {
    bool dead;
    int root = find_root(s, k, &dead);
    if (dead) {
        s->progress += s->share;
    } else if (root >= 0) {
        choose_reader(s, k, root);
    } else {
        int best = find_pickiest(s, k);
        swap_choices(s, best, k);
        choose_source(s, k, s->choices[k].read);
        swap_choices(s, best, k);
    }
}

/* What can be decided at once */

/* Whether a choice has been made already, by what is forced or follows. */
static bool is_made(const struct search *s, const struct choice *c) {
    return c->read >= 0 ? s->source[c->read] >= 0 : search_is_ordered(s, c->pair);
}

/* How many ways a choice has left; if it is one, adds the decision to the batch. */
static int gather_choice(struct search *s, const struct choice *c, int *n) {
    uint64_t open[GRAPH_MAX_EVENTS / 64];
    if (c->read >= 0) {
        int ways = search_find_sources(s, c->read, open);
        if (ways == 1)
            s->batch[(*n)++] = (struct decision){DECIDE_RF, 0, set_first(open, s->eval.dim.words), c->read};
        return ways;
    }
    struct decision d;
    enum outlook outlook = look_at_pair(s, c->pair, &d);
    if (outlook == OUTLOOK_FORCED) s->batch[(*n)++] = d;
    return outlook == OUTLOOK_DEAD ? 0 : outlook == OUTLOOK_FORCED ? 1 : 2;
}

/* Gathers the decisions that have only one way left, from choice k up to the first that has more, and returns that one.
 * If that is a picky read, also those of the other reads: so what is observed is known early. -1 when a choice has no way
 * left. */
static int gather_forced(struct search *s, int k, int *n) {
    int ways = 1;
    for (*n = 0; k < s->nchoices; k++) {
        if (is_made(s, &s->choices[k])) continue;
        ways = gather_choice(s, &s->choices[k], n);
        if (ways == 0) return -1;
        if (ways > 1) break;
    }
    if (k == s->nchoices || s->choices[k].read < 0 || !search_is_picky(s, s->choices[k].read)) return k;
    for (int i = k + 1; i < s->last_read && ways; i++) {
        const struct choice *c = &s->choices[i];
        if (c->read >= 0 && !is_made(s, c) && !search_is_picky(s, c->read)) ways = gather_choice(s, c, n);
    }
    return ways ? k : -1;
}

/* Makes the decisions that the model forces, when only pairs are open, until there are none. False when a pair has no
 * direction left. */
static bool force_pairs(struct search *s, int k) {
    for (;;) {
        int n = 0;
        for (int i = k; i < s->nchoices; i++) {
            if (search_is_ordered(s, s->choices[i].pair)) continue;
            enum outlook outlook = look_at_pair(s, s->choices[i].pair, &s->batch[n]);
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

/* Gathers a direction for each open pair: for each order, that of one total order which contains what is ordered
 * already. */
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

static bool is_wanted(struct search *s) {
    if (!s->wanted || s->undefined || s->wanted(s, s->ctx)) return true;
    s->budget->uncounted = true;
    return false;
}

/* Guesses one complete candidate, where one may be enough: only pairs are open, from choice k on. */
static void complete(struct search *s, int k) {
    int depth = s->eval.depth;
    bool good = force_pairs(s, k) && is_wanted(s);
    int n = good ? guess_directions(s, k) : 0;
    if (good && n == 0) {
        reach_leaf(s);
    } else if (good && search_pay(s)) {
        if (eval_push(&s->eval, s->batch, n)) reach_leaf(s);
        eval_pop(&s->eval);
    }
    while (k < s->nchoices && search_is_ordered(s, s->choices[k].pair))
        k++;
    if (n > 0 && !s->stopped && !s->budget->spent && is_wanted(s))
        choose_direction(s, k + 1, s->choices[k].pair);
    else
        s->progress += s->share;
    while (s->eval.depth > depth)
        eval_pop(&s->eval);
}

/* Takes a shorter way, where not every candidate is wanted. False when there is none. */
static bool choose_wanted(struct search *s, int k) {
    int n, next;
    if (!s->wanted) return false;
    if (!is_wanted(s)) {
        s->progress += s->share;
        return true;
    }
    if (k >= s->last_read) {
        if (s->nchoices > k) complete(s, k);
        return s->nchoices > k;
    }
    next = gather_forced(s, k, &n);
    if (next < 0)
        s->progress += s->share;
    else if (n > 0)
        try_batch(s, n, next);
    return next < 0 || n > 0;
}

static void choose_next(struct search *s, int k) {
    while (k < s->nchoices && is_made(s, &s->choices[k]))
        k++;
    if (choose_wanted(s, k)) return;
    if (k < s->nchoices && !is_open(s, k)) return;
    if (k < s->nchoices) {
        const struct choice *c = &s->choices[k];
        if (c->read >= 0 && !s->eval.tolerant && search_is_picky(s, c->read))
            choose_picky(s, k);
        else if (c->read >= 0)
            choose_source(s, k, c->read);
        else
            choose_direction(s, k + 1, c->pair);
        return;
    }
    struct pair open;
    if (find_open_pair(s, &open)) {
        choose_direction(s, k, open);
        return;
    }
    s->progress += s->share;
    reach_leaf(s);
}

static void choose(struct search *s, int k) {
    if (++s->depth > DEEPEST)
        s->budget->spent = "too many choices within choices";
    else
        choose_next(s, k);
    s->depth--;
}

void search_run(struct search *s) {
    if (!search_open(s)) return;
    s->share = 1;
    choose(s, 0);
}
