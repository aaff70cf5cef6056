#include "search/counter.h"

enum { MIN_MEMBERS = 2 };

/* Whether the value of a read is used for nothing but the write of its operation, and guards over this read
 * alone. */
static bool is_idle(const struct search *s, int read, int write) {
    const struct graph *g = s->graph;
    int thread = g->events[read].thread, number = g->events[read].event->read;
    const struct path *p = g->paths[thread];
    for (int k = 0; k < p->nguards; k++) {
        const struct reads *of = &p->guards[k].sym->reads;
        if (set_has(of->bits, number) && bits_count(of->bits, MAX_READS / 64) > 1) return false;
    }
    for (int e = g->first[thread]; e < g->first[thread + 1]; e++) {
        const struct sym *value = g->events[e].event->value;
        if (e != write && value && set_has(value->reads.bits, number)) return false;
    }
    for (int o = 0; o < g->test->nobs; o++) {
        const struct observable *obs = &g->test->obs[o];
        if (obs->is_reg && obs->thread == thread && set_has(p->regs[obs->reg]->reads.bits, number))
            return false;
    }
    return true;
}

static bool is_observed(const struct graph *g, int address) {
    for (int o = 0; o < g->test->nobs; o++)
        if (!g->test->obs[o].is_reg && g->test->obs[o].loc == g->addresses[address].loc) return true;
    return false;
}

static bool add_member(const struct search *s, struct model_counter *c, int write) {
    const struct graph *g = s->graph;
    const struct node_event *e = &g->events[write];
    if (c->n == COUNTER_MAX_MEMBERS || e->event->rmw < 0 || e->event->parts != 1) return false;
    int read = g->first[e->thread] + e->event->rmw;
    const struct reads *of = &e->event->value->reads;
    bool own = bits_count(of->bits, MAX_READS / 64) == 1 && set_has(of->bits, g->events[read].event->read);
    if (!own || !is_idle(s, read, write)) return false;
    c->read[c->n] = read;
    c->write[c->n++] = write;
    return true;
}

static bool find_members(const struct search *s, struct model_counter *c) {
    const struct graph *g = s->graph;
    if (g->test->locs[g->addresses[c->address].loc].grain || is_observed(g, c->address)) return false;
    for (int e = g->naddresses; e < g->dim.n; e++)
        if (g->events[e].address == c->address && g->events[e].event->kind == EVENT_WRITE &&
            !add_member(s, c, e))
            return false;
    return c->n >= MIN_MEMBERS;
}

/* What operation k writes when it reads a value. */
static struct value written(const struct search *s, const struct model_counter *c, int k, struct value read) {
    const struct node_event *e = &s->graph->events[c->write[k]];
    s->read_values[e->thread][s->graph->events[c->read[k]].event->read] = read;
    return sym_eval(e->event->value, s->read_values[e->thread]);
}

/* Computes what is read at each place. False where the operations do not all do the same to the value. */
static bool find_values(const struct search *s, struct model_counter *c) {
    c->value[0] = address_init(s->graph, c->address);
    for (int place = 0; place < c->n; place++) {
        c->value[place + 1] = written(s, c, 0, c->value[place]);
        for (int k = 1; k < c->n; k++)
            if (!value_equal(written(s, c, k, c->value[place]), c->value[place + 1])) return false;
    }
    return true;
}

/* Whether a node that no decision changes relates the write of each operation to the read of each other one. */
static bool has_all_steps(const struct search *s, const struct model_counter *c, int node) {
    if (s->eval.nodes[node].guesses) return false;
    for (int x = 0; x < c->n; x++)
        for (int y = 0; y < c->n; y++)
            if (x != y && !rel_has(s->eval.dim, s->eval.value[node], c->write[x], c->read[y])) return false;
    return true;
}

static bool is_must_rf(const struct search *s, int node) {
    return s->eval.nodes[node].op == NODE_RF && !s->eval.nodes[node].may;
}

/* Whether a node is rf (`*mask` is -1), or rf & `*mask`, where the mask has all steps. */
static bool is_step(const struct search *s, const struct model_counter *c, int node, int *mask) {
    const struct plan_node *n = &s->eval.nodes[node];
    *mask = -1;
    if (n->op != NODE_INTER || n->may) return is_must_rf(s, node);
    *mask = is_must_rf(s, n->a) ? n->b : n->a;
    return is_must_rf(s, *mask == n->b ? n->a : n->b) && has_all_steps(s, c, *mask);
}

/* Whether a node is the closure of rmw; step. */
static bool is_closure(const struct search *s, const struct model_counter *c, int node, int *mask) {
    const struct plan_node *nodes = s->eval.nodes, *n = &nodes[node];
    if ((n->op != NODE_PLUS && n->op != NODE_STAR) || n->may || nodes[n->a].op != NODE_SEQ) return false;
    const struct plan_node *seq = &nodes[n->a], *first = &nodes[seq->a];
    return first->op == NODE_GIVEN && first->index == GIVEN_RMW && is_step(s, c, seq->b, mask);
}

/* Finds the closures of rmw; step, and what is step; closure. */
static bool find_nodes(const struct search *s, struct model_counter *c) {
    for (int k = 0; k < s->plan->nnodes && c->nnodes < COUNTER_MAX_NODES; k++) {
        const struct plan_node *n = &s->eval.nodes[k];
        int mask, first;
        if (s->eval.needed && !s->eval.needed[k]) continue;
        bool onward = n->op == NODE_SEQ && !n->may && is_step(s, c, n->a, &first) &&
                      s->eval.nodes[n->b].op == NODE_STAR && is_closure(s, c, n->b, &mask);
        if (onward || is_closure(s, c, k, &mask)) c->nodes[c->nnodes++] = (struct row_node){k, onward, mask};
    }
    return c->nnodes > 0;
}

static bool try_push(struct search *s, struct decision d) {
    return search_pay(s) && !eval_refuses(&s->eval, d) && eval_push(&s->eval, &d, 1);
}

/* Whether the model refuses a decision. */
static bool refuses(struct search *s, struct decision d) {
    int depth = s->eval.depth;
    bool good = try_push(s, d);
    while (s->eval.depth > depth)
        eval_pop(&s->eval);
    return !good;
}

/* Whether co must order two writes, and the model refuses both directions. */
static bool refuses_both(struct search *s, int x, int y) {
    const struct plan_order *co = &s->plan->orders[ORDER_CO];
    const uint64_t *either = eval_value(&s->eval, co->either);
    struct decision forward = {DECIDE_ORDER, ORDER_CO, x, y}, backward = {DECIDE_ORDER, ORDER_CO, y, x};
    bool ordered =
        !co->either_dynamic && (rel_has(s->eval.dim, either, x, y) || rel_has(s->eval.dim, either, y, x));
    return ordered && refuses(s, forward) && refuses(s, backward);
}

/* Whether the model lets no operation y > x read from a write from which operation x reads. */
static bool reads_alone(struct search *s, const struct model_counter *c, int write, int x) {
    int depth = s->eval.depth;
    bool alone = true, good = try_push(s, (struct decision){DECIDE_RF, 0, write, c->read[x]});
    for (int y = x + 1; good && alone && y < c->n; y++) {
        int before = s->eval.depth;
        if (c->write[y] == write || !try_push(s, (struct decision){DECIDE_RF, 0, write, c->read[y]})) {
            while (s->eval.depth > before)
                eval_pop(&s->eval);
            continue;
        }
        alone = refuses_both(s, c->write[x], c->write[y]);
        eval_pop(&s->eval);
    }
    while (s->eval.depth > depth)
        eval_pop(&s->eval);
    return alone && !s->budget->spent && !s->stopped;
}

/* Whether the operations must stand in one row: the model lets no two of them read from the same write. */
static bool is_row(struct search *s, const struct model_counter *c) {
    for (int w = -1; w < c->n; w++)
        for (int x = 0; x < c->n; x++)
            if (w != x && !reads_alone(s, c, w < 0 ? c->address : c->write[w], x)) return false;
    return true;
}

/* The places that the guards of each operation allow. */
static void find_places(struct search *s, struct model_counter *c) {
    for (int k = 0; k < c->n; k++)
        for (int place = 0; place < c->n; place++)
            if (search_guards_allow(s, c->read[k], c->value[place])) c->at[k] |= (uint64_t)1 << place;
}

/* Whether the model refuses that operation x stands before operation y, after a decision (`first.kind` DECIDE_ROW: none). */
static bool refuses_row(struct search *s, const struct model_counter *c, int x, int y,
                        struct decision first) {
    int depth = s->eval.depth;
    bool good = first.kind == DECIDE_ROW || try_push(s, first);
    for (int k = 0; k < c->nnodes && good; k++) {
        const struct row_node *r = &c->nodes[k];
        struct decision row = {DECIDE_ROW, r->node, r->onward ? c->write[x] : c->read[x], c->read[y]};
        good = search_pay(s) && eval_push(&s->eval, &row, 1);
    }
    while (s->eval.depth > depth)
        eval_pop(&s->eval);
    return !good && !s->budget->spent && !s->stopped;
}

/* Whether operation y stands behind the operation that an earlier read of its thread reads from, whichever
 * that is: the read cannot read from y, and if it reads from operation k, y cannot stand before k. */
static bool stands_behind(struct search *s, const struct model_counter *c, int read, int y) {
    for (int k = 0; k < c->n; k++) {
        struct decision rf = {DECIDE_RF, 0, c->write[k], read};
        if (k == y ? !refuses(s, rf) : !refuses_row(s, c, y, k, rf)) return false;
    }
    return true;
}

static bool is_before_in_thread(const struct search *s, int x, int y) {
    return s->graph->events[x].thread == s->graph->events[y].thread && x < y;
}

static void add_step(struct model_counter *c, int x, int read, int y) {
    if (c->nsteps < COUNTER_MAX_STEPS) c->steps[c->nsteps++] = (struct row_step){x, read, y};
}

/* Finds the steps: what the model does not let stand against program order. */
static void find_steps(struct search *s, struct model_counter *c) {
    for (int y = 0; y < c->n; y++) {
        for (int x = 0; x < c->n; x++)
            if (is_before_in_thread(s, c->read[x], c->read[y]) &&
                refuses_row(s, c, y, x, (struct decision){.kind = DECIDE_ROW}))
                add_step(c, x, -1, y);
        for (int k = 0; k < s->nreads; k++) {
            int read = s->reads[k];
            if (s->graph->events[read].address == c->address && counter_member_that_reads(c, read) < 0 &&
                is_before_in_thread(s, read, c->read[y]) && stands_behind(s, c, read, y))
                add_step(c, -1, read, y);
        }
    }
}

/* Takes places by the steps that begin with a read. If the read does not accept the initial value, its source
 * stands at the first place that writes a value which it accepts, or later; y stands behind that. False when
 * the read accepts no value, or y has no place left. */
static bool begin_steps(struct model_counter *c) {
    for (int k = 0; k < c->nsteps; k++) {
        const struct row_step *step = &c->steps[k];
        uint64_t accepts = step->read < 0 ? 1 : c->accepts[step->read];
        if (accepts && !(accepts & 1))
            c->at[step->y] &= ~counter_places_up_to(counter_first_place(accepts) - 1);
        if (!accepts || !c->at[step->y]) return false;
    }
    return true;
}

static void find_accepted(struct search *s, struct model_counter *c) {
    c->accepts = arena_array(s->arena, (size_t)s->eval.dim.n, sizeof *c->accepts);
    for (int k = 0; k < s->nreads; k++) {
        int read = s->reads[k];
        if (s->graph->events[read].address != c->address || counter_member_that_reads(c, read) >= 0) continue;
        for (int v = 0; v <= c->n; v++)
            if (search_guards_allow(s, read, c->value[v])) c->accepts[read] |= (uint64_t)1 << v;
    }
}

/* Whether some guard depends on a read of the counter: else nothing is gained. */
static bool is_looked_at(const struct search *s, const struct model_counter *c) {
    for (int k = 0; k < s->nreads; k++) {
        const struct node_event *e = &s->graph->events[s->reads[k]];
        const struct path *p = s->graph->paths[e->thread];
        for (int i = 0; e->address == c->address && i < p->nguards; i++)
            if (set_has(p->guards[i].sym->reads.bits, e->event->read)) return true;
    }
    return false;
}

static void add_counter(struct search *s, const struct model_counter *found) {
    struct model_counter *c = arena_alloc(s->arena, sizeof *c);
    *c = *found;
    c->next = s->counters;
    s->counters = c;
    s->counter_steps += c->n * (c->n + s->nreads) * c->nnodes;
}

bool counters_open(struct search *s) {
    int places = 0;
    for (int address = 0; address < s->graph->naddresses; address++) {
        struct model_counter c = {.address = address};
        if (!find_members(s, &c) || !is_looked_at(s, &c) || !find_values(s, &c) || !find_nodes(s, &c) ||
            !is_row(s, &c))
            continue;
        find_places(s, &c);
        find_accepted(s, &c);
        find_steps(s, &c);
        if (!begin_steps(&c)) return false;
        add_counter(s, &c);
        places += c.n * (c.n + 1);
    }
    s->counter_trail = arena_array(s->arena, (size_t)places, sizeof *s->counter_trail);
    for (struct model_counter *c = s->counters; c; c = c->next)
        if (!counter_settle(s, c)) return false;
    s->ncounter_trail = 0;
    return true;
}
