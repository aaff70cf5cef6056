/* What a step of the search costs, and which values follow from rf as far as it is decided. */
#include "paths/solve.h"
#include "search/search_open.h"

enum { PROBE_STEPS = 20000 };

/* Whether there is room for as much memory as the search has taken. It is asked again when that has grown by
 * a quarter. */
static bool has_room(struct search *s) {
    if (s->eval.bytes < s->asked_at) return !s->budget->spent;
    s->asked_at = s->eval.bytes + s->eval.bytes / 4 + 1;
    return budget_has_room(s->budget, s->eval.bytes);
}

long long search_step_work(struct dim dim) {
    return dim.words == 1 ? 1 + dim.n * dim.n / 256 : 9 + (long long)dim_rel(dim) / 8;
}

bool search_pay(struct search *s) {
    struct search_budget *b = s->budget;
    long long work = search_step_work(s->eval.dim);
    s->work += (double)work;
    if (!budget_pay(b, work)) return false;
    if (s->counts && (b->counting -= work) < 0) s->stopped = b->uncounted = true;
    if (++s->steps > PROBE_STEPS && s->work > b->hopeless * s->progress)
        b->spent = "too many candidate executions";
    return has_room(s) && !s->stopped;
}

bool search_knows(const struct search *s, int thread, const struct reads *needed) {
    const struct reads *known = &s->known_reads[thread];
    for (int w = 0; w < MAX_READS / 64; w++)
        if (needed->bits[w] & ~known->bits[w]) return false;
    return true;
}

/* Whether the guards of a thread over a read hold. Only those count whose other reads are known. */
static bool guards_hold(const struct search *s, int thread, int read) {
    const struct path *p = s->graph->paths[thread];
    for (int k = 0; k < p->nguards; k++) {
        const struct guard *g = &p->guards[k];
        if (!set_has(g->sym->reads.bits, read) || !search_knows(s, thread, &g->sym->reads)) continue;
        if (sym_is_true(g->sym, s->read_values[thread]) != g->holds) return false;
    }
    return true;
}

/* Sets the value of a write and of the reads that read from it. False when a guard fails. */
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

/* Sets the values of the writes of a thread whose reads are all known. False when a guard fails. */
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

bool search_guards_allow(const struct search *s, int read, struct value value) {
    int thread = s->graph->events[read].thread, number = s->graph->events[read].event->read;
    s->read_values[thread][number] = value;
    set_add(s->known_reads[thread].bits, number);
    bool allow = guards_hold(s, thread, number);
    set_remove(s->known_reads[thread].bits, number);
    return allow;
}

bool search_knows_all(const struct search *s) {
    for (int k = 0; k < s->nreads; k++)
        if (!s->known[s->reads[k]]) return false;
    return true;
}

/* Whether each write has the value that its term has now that all reads are known. */
static bool values_hold(const struct search *s) {
    for (int e = 0; e < s->eval.dim.n; e++) {
        const struct node_event *n = &s->graph->events[e];
        if (n->event && n->event->value &&
            !value_equal(sym_eval(n->event->value, s->read_values[n->thread]), s->value[e]))
            return false;
    }
    return true;
}

bool search_break_circles(struct search *s) {
    bool more = true;
    while (more && !search_knows_all(s)) {
        more = false;
        for (int e = 0; e < s->eval.dim.n; e++) {
            const struct node_event *n = &s->graph->events[e];
            if (!n->event || !n->event->value || s->known[e] || !search_knows(s, n->thread, &n->event->data))
                continue;
            struct value value =
                solve_value(s->graph->paths[n->thread], n->event->value, &s->known_reads[n->thread],
                            s->read_values[n->thread], s->budget);
            if (!learn_write(s, e, value)) return false;
            more = true;
        }
    }
    return search_knows_all(s) && values_hold(s);
}
