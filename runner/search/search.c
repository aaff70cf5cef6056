#include "paths/depend.h"
#include "search/counter.h"
#include "search/tears.h"

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

/* Makes a decision and goes on at choice k, if it does not break the model. */
static void try_decision(struct search *s, struct decision d, int k) {
    if (eval_push(&s->eval, &d, 1))
        search_choose(s, k);
    else
        s->progress += s->share;
    eval_pop(&s->eval);
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

void search_try_source(struct search *s, int k, int w, int read) {
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
    if (s->plan->exact && !s->eval.late) {
        reach_candidate(s);
        return;
    }
    if (eval_push_complete(&s->eval)) reach_candidate(s);
    eval_pop(&s->eval);
}

/* Everything is decided. A candidate in which a value depends on itself has no such value, and is dropped; so is one
 * that tears a scalar. */
void search_reach_leaf(struct search *s) {
    int ntrail = s->ntrail;
    if (values_are_known(s) || break_circles(s)) take_leaf(s);
    search_forget(s, ntrail);
}

bool search_is_made(const struct search *s, const struct choice *c) {
    return c->read >= 0 ? s->source[c->read] >= 0 : search_is_ordered(s, c->pair);
}

/* Whether picky reads are decided in an order of their own. */
static bool picks_first(const struct search *s) {
    return !s->eval.tolerant && prunes(s->without, PRUNE_CHAINS);
}

static void choose_next(struct search *s, int k) {
    while (k < s->nchoices && search_is_made(s, &s->choices[k]))
        k++;
    if (search_cut_short(s, k)) return;
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
