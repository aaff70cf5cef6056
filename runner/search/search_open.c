#include "paths/exchange.h"
#include "search/counter.h"
#include "search/tears.h"
#include "search/twins.h"

bool search_is_ordered(const struct search *s, struct pair p) {
    const uint64_t *must = eval_value(&s->eval, s->plan->orders[p.order].node);
    return rel_has(s->eval.dim, must, p.x, p.y) || rel_has(s->eval.dim, must, p.y, p.x);
}

enum outlook search_look_at_pair(const struct search *s, struct pair p, struct decision *forced) {
    struct decision forward = {DECIDE_ORDER, p.order, p.x, p.y}, backward = {DECIDE_ORDER, p.order, p.y, p.x};
    bool no_forward = eval_refuses(&s->eval, forward), no_backward = eval_refuses(&s->eval, backward);
    if (no_forward && no_backward) return OUTLOOK_DEAD;
    *forced = no_forward ? backward : forward;
    return no_forward || no_backward ? OUTLOOK_FORCED : OUTLOOK_OPEN;
}

int search_find_sources(const struct search *s, int read, uint64_t *open) {
    const uint64_t *sources = s->sources[read];
    int words = s->eval.dim.words;
    const struct node_event *e = &s->graph->events[read];
    bool parts = e->event->parts > 1, counts = counters_have_address(s, e->address);
    memset(open, 0, (size_t)words * sizeof *open);
    for (int w = set_first(sources, words); w >= 0; w = set_next(sources, words, w)) {
        if (s->known[w] && !search_guards_allow(s, read, s->value[w])) continue;
        if (counts && !s->known[w] && !counters_allow(s, w, read)) continue;
        if (!parts || !source_tears(s, w, read)) set_add(open, w);
    }
    eval_refuse_sources(&s->eval, read, open);
    return bits_count(open, (size_t)words);
}

/* Whether an event is the arrival at which the thread that a TAKE is about gave its value: an arrival at the
 * barrier use for which the taker has waited. */
static bool gives(const struct graph *g, int arrival, int take) {
    const struct node_event *e = &g->events[arrival];
    if (!e->event || e->event->kind != EVENT_ARRIVE || e->thread != g->events[take].event->from) return false;
    int wait = take;
    while (g->events[wait].event->kind != EVENT_WAIT)
        wait--;
    return g->events[wait].barrier >= 0 && e->barrier == g->events[wait].barrier;
}

static bool is_source(const struct graph *g, int write, int read) {
    if (g->events[read].event->kind == EVENT_TAKE) return gives(g, write, read);
    bool writes = !g->events[write].event || g->events[write].event->kind == EVENT_WRITE;
    return writes && g->events[write].address == g->events[read].address;
}

/* Whether rf has something to decide for an event that returns a value: not for a TAKE of a lane that has
 * exited, nor for what operations on mbarriers return, which their phases say. */
static bool has_source(const struct search *s, int read) {
    enum event_kind kind = s->graph->events[read].event->kind;
    return kind == EVENT_READ || bits_any(s->sources[read], (size_t)s->graph->dim.words);
}

static void find_reads(struct search *s) {
    const struct graph *g = s->graph;
    int n = g->dim.n;
    s->reads = arena_array(s->arena, (size_t)n, sizeof *s->reads);
    s->sources = arena_array(s->arena, (size_t)n, sizeof *s->sources);
    s->source = arena_array(s->arena, (size_t)n, sizeof *s->source);
    for (int e = 0; e < n; e++) {
        s->source[e] = -1;
        if (!g->events[e].event || g->events[e].event->read < 0) continue;
        s->sources[e] = arena_array(s->arena, (size_t)g->dim.words, sizeof **s->sources);
        for (int w = 0; w < n; w++)
            if (is_source(g, w, e)) set_add(s->sources[e], w);
        if (has_source(s, e)) s->reads[s->nreads++] = e;
    }
}

static void find_values(struct search *s) {
    const struct graph *g = s->graph;
    size_t n = (size_t)g->dim.n, nthreads = (size_t)g->test->nthreads;
    s->known = arena_array(s->arena, n, sizeof *s->known);
    s->value = arena_array(s->arena, n, sizeof *s->value);
    s->trail = arena_array(s->arena, n, sizeof *s->trail);
    s->read_values = arena_array(s->arena, nthreads, sizeof *s->read_values);
    s->known_reads = arena_array(s->arena, nthreads, sizeof *s->known_reads);
    for (size_t t = 0; t < nthreads; t++)
        s->read_values[t] = arena_array(s->arena, (size_t)g->paths[t]->nreads, sizeof **s->read_values);
    for (size_t e = 0; e < n; e++) {
        const struct event *event = g->events[e].event;
        if (!event) {
            s->value[e] = address_init(g, (int)e);
            s->known[e] = true;
        } else if (event->value && event->value->kind == SYM_INT) {
            s->value[e] = event->value->value;
            s->known[e] = true;
        }
    }
}

static void add_pair(struct search *s, struct pair p, int *cap) {
    if (s->npairs == *cap) {
        int more = *cap ? 2 * *cap : 16;
        s->pairs = arena_grow(s->arena, s->pairs, (size_t)*cap, (size_t)more, sizeof *s->pairs);
        *cap = more;
    }
    s->pairs[s->npairs++] = p;
}

/* Lists the pairs of the orders whose pairs do not depend on rf. */
static void find_pairs(struct search *s) {
    struct dim d = s->eval.dim;
    uint64_t *inverse = arena_array(s->arena, dim_rel(d), sizeof *inverse), row[EVAL_MAX_EVENTS / 64];
    int cap = 0;
    for (int k = 0; k < s->plan->norders; k++) {
        if (s->plan->orders[k].either_dynamic) continue;
        const uint64_t *either = eval_value(&s->eval, s->plan->orders[k].either);
        rel_inverse(d, inverse, either);
        for (int y = 0; y < d.n; y++) {
            memcpy(row, rel_crow(d, either, y), (size_t)d.words * sizeof *row);
            bits_or(row, rel_crow(d, inverse, y), (size_t)d.words);
            for (int x = set_first(row, d.words); x >= 0 && x < y; x = set_next(row, d.words, x))
                if (!search_is_ordered(s, (struct pair){k, x, y})) add_pair(s, (struct pair){k, x, y}, &cap);
        }
    }
}

static bool is_observed(const struct search *s, int read) {
    const struct node_event *e = &s->graph->events[read];
    const struct test *t = s->graph->test;
    for (int o = 0; o < t->nobs; o++)
        if (t->obs[o].is_reg && t->obs[o].thread == e->thread &&
            set_has(s->graph->paths[e->thread]->regs[t->obs[o].reg]->reads.bits, e->event->read))
            return true;
    return false;
}

/* Whether an event is a TAKE. It has one source, which is no choice. */
static bool is_take(const struct search *s, int read) {
    return s->graph->events[read].event->kind == EVENT_TAKE;
}

static void add_read(struct search *s, int read) {
    s->choices[s->nchoices++] = (struct choice){.read = read};
    s->last_read = s->nchoices;
}

static int add_reads(struct search *s, int address, bool picky) {
    int before = s->nchoices;
    for (int k = 0; k < s->nreads; k++)
        if (s->graph->events[s->reads[k]].address == address && search_is_picky(s, s->reads[k]) == picky &&
            !counters_have_read(s, s->reads[k]))
            add_read(s, s->reads[k]);
    return s->nchoices - before;
}

/* Adds the pairs of accesses of one location as choices; when `address` is -1, the pairs of other events. */
static void add_pairs(struct search *s, int address) {
    const struct node_event *events = s->graph->events;
    for (int k = 0; k < s->npairs; k++) {
        int x = events[s->pairs[k].x].address, y = events[s->pairs[k].y].address;
        if ((x == y ? x : -1) == address) s->choices[s->nchoices++] = (struct choice){-1, s->pairs[k]};
    }
}

/* Lists the choices location by location: picky reads, pairs, other reads. So a branch in which the accesses
 * of a location cannot agree ends before the others are decided, and what has few ways comes first. */
static void order_choices(struct search *s) {
    for (int address = 0; address < s->graph->naddresses; address++) {
        add_reads(s, address, true);
        add_pairs(s, address);
        add_reads(s, address, false);
    }
    add_pairs(s, -1);
}

/* Lists the choices where not every candidate is wanted: picky reads and the pairs of their locations; other
 * reads, those first that are observed; the reads of counters' operations; and last all other pairs. */
static void order_wanted(struct search *s) {
    bool *late = arena_array(s->arena, (size_t)s->graph->naddresses, sizeof *late);
    for (int address = 0; address < s->graph->naddresses; address++) {
        late[address] = !add_reads(s, address, true) || counters_have_address(s, address);
        if (!late[address]) add_pairs(s, address);
    }
    for (int observed = 1; observed >= 0; observed--)
        for (int k = 0; k < s->nreads; k++)
            if (!is_take(s, s->reads[k]) && !search_is_picky(s, s->reads[k]) &&
                is_observed(s, s->reads[k]) == observed)
                add_read(s, s->reads[k]);
    for (int address = 0; address < s->graph->naddresses; address++)
        for (int k = 0; k < s->nreads && counters_have_address(s, address); k++)
            if (s->graph->events[s->reads[k]].address == address && counters_have_read(s, s->reads[k]))
                add_read(s, s->reads[k]);
    for (int address = 0; address < s->graph->naddresses; address++)
        if (late[address]) add_pairs(s, address);
    add_pairs(s, -1);
}

/* Drops each source that is refused from the start. False when a read has none left. */
static bool narrow_sources(struct search *s) {
    uint64_t open[EVAL_MAX_EVENTS / 64];
    for (int k = 0; k < s->nreads && !s->eval.tolerant && prunes(s->without, PRUNE_AHEAD); k++) {
        int read = s->reads[k], n = search_find_sources(s, read, open);
        if (n == 0) return false;
        memcpy(s->sources[read], open, (size_t)s->eval.dim.words * sizeof *open);
    }
    return true;
}

/* Finds an event of thread x that an order must order against the same event of thread y, which is on the
 * same path. `key` puts that of x first. False when there is none. */
static bool find_key(const struct search *s, int x, int y, struct decision *key) {
    const struct graph *g = s->graph;
    for (int k = 0; k < s->plan->norders; k++) {
        if (s->plan->orders[k].either_dynamic) continue;
        const uint64_t *either = eval_value(&s->eval, s->plan->orders[k].either);
        for (int e = 0; e < g->paths[x]->nevents; e++) {
            *key = (struct decision){DECIDE_ORDER, k, g->first[x] + e, g->first[y] + e};
            if (rel_has(s->eval.dim, either, key->from, key->to) ||
                rel_has(s->eval.dim, either, key->to, key->from))
                return true;
        }
    }
    return false;
}

/* Puts twins on one path in the order of their numbers, by an event that an order must order (find_key).
 * Nothing is lost: an execution with another order is one of these with the threads renamed. False when an
 * axiom is broken. */
static bool order_twins(struct search *s) {
    const struct path *const *paths = s->graph->paths;
    for (int t = 0; s->twins && !s->eval.tolerant && t < s->graph->test->nthreads; t++) {
        struct decision key;
        int twin = s->twins[t];
        if (twin < 0 || paths[twin] != paths[t] || !find_key(s, twin, t, &key)) continue;
        s->weight *= twins_count(s->twins, paths, t, false);
        if (!search_pay(s) || !eval_push(&s->eval, &key, 1)) return false;
    }
    return true;
}

/* Sets the value of each TAKE of a lane that has exited: one that changes no result (exchange_absent), or one
 * that is not defined. False when a guard fails; also when it is not defined, and budget.undefined says so
 * already. */
static bool take_nothing(struct search *s) {
    bool good = true;
    for (int e = 0; e < s->graph->dim.n && good; e++) {
        const struct event *take = s->graph->events[e].event;
        struct value absent;
        if (!take || take->kind != EVENT_TAKE || has_source(s, e)) continue;
        if (exchange_absent(take->stmt->op, &absent))
            good = search_learn(s, e, absent);
        else
            good = !s->budget->undefined && search_suppose(s, e);
    }
    return good;
}

/* Decides rf of the other TAKEs. False when a guard fails or an axiom is broken. */
static bool take_all(struct search *s) {
    int n = 0;
    for (int k = 0; k < s->nreads; k++) {
        int read = s->reads[k];
        if (!is_take(s, read)) continue;
        int from = set_first(s->sources[read], s->eval.dim.words);
        s->source[read] = from;
        s->batch[n++] = (struct decision){DECIDE_RF, 0, from, read};
    }
    bool good = n == 0 || (search_pay(s) && eval_push(&s->eval, s->batch, n));
    s->batch += n;
    for (int k = 0; k < s->nreads && good; k++) {
        int read = s->reads[k];
        if (!is_take(s, read) || s->known[read]) continue;
        if (s->known[s->source[read]]) good = search_learn(s, read, s->value[s->source[read]]);
    }
    return good;
}

/* Sets what waits on mbarriers return, and the pending counts that tokens know; both follow from the phases.
 * False when a guard fails. */
static bool learn_waits(struct search *s) {
    bool good = true;
    for (int e = 0; e < s->graph->dim.n && good; e++) {
        const struct node_event *n = &s->graph->events[e];
        bool wait = n->event && n->event->kind == EVENT_TRY;
        if (wait || (n->event && n->event->kind == EVENT_COUNT && n->event->read >= 0))
            good = search_learn(s, e, (struct value){wait ? n->over : (uint64_t)n->pending, 0});
    }
    return good;
}

/* Tells the model what every row of the counters has. */
static bool begin_rows(struct search *s) {
    int n = counters_gather(s, 0);
    bool good = n == 0 || (search_pay(s) && eval_push(&s->eval, s->batch, n));
    s->batch += n;
    return good;
}

/* The plan without the nodes that are empty in this graph. */
static const struct model_plan *narrow_plan(const struct search *s) {
    const struct model_plan *p = s->plan;
    struct plan_kind kind = {.reads = false};
    for (int k = 0; k < p->ngivens; k++) {
        const struct plan_node *n = &p->nodes[p->givens[k]];
        size_t words = n->rel ? dim_rel(s->graph->dim) : (size_t)s->graph->dim.words;
        kind.empty[n->index] = !bits_any(s->graph->given[n->index], words);
    }
    for (int e = 0; e < s->graph->dim.n; e++)
        kind.reads = kind.reads || s->sources[e];
    return plan_narrow(p, &kind);
}

bool search_open(struct search *s) {
    find_reads(s);
    find_values(s);
    if (!s->eval.tolerant && prunes(s->without, PRUNE_SPECIALIZE)) s->plan = narrow_plan(s);
    s->eval.without = s->without;
    if (!eval_open(&s->eval, s->plan, s->graph->dim, s->graph->given, (const uint64_t *const *)s->sources,
                   s->arena))
        return false;
    if (!order_twins(s)) return false;
    find_pairs(s);
    bool counts = s->wanted && !s->eval.tolerant && prunes(s->without, PRUNE_COUNTERS);
    if (counts && !counters_open(s)) return false;
    s->choices = arena_array(s->arena, (size_t)(s->nreads + s->npairs), sizeof *s->choices);
    s->before = arena_array(s->arena, (size_t)s->graph->dim.n, sizeof *s->before);
    s->batch = arena_array(s->arena, (size_t)(s->nreads + s->npairs + s->counter_steps), sizeof *s->batch);
    if (s->wanted)
        order_wanted(s);
    else
        order_choices(s);
    return learn_waits(s) && begin_rows(s) && narrow_sources(s) && take_nothing(s) && take_all(s);
}
