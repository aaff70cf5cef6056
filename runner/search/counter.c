#include "search/counter.h"

#include "search/outcome.h"

enum { MIN_MEMBERS = 2, MAX_MEMBERS = 24, MAX_TARGETS = 8, MAX_STEPS = 64 };

/* What a place in the row is taken away from, and what it had. */
struct counter_undo {
    uint64_t *at, old;
};

struct model_counter {
    int address, n;
    int read[MAX_MEMBERS], write[MAX_MEMBERS]; /* of each operation */
    uint64_t at[MAX_MEMBERS];                  /* the places where it may stand, from 0 on, a bit each */
    struct value value[MAX_MEMBERS + 1];       /* what is read at each place, and what is left at the end */
    struct row_node {
        int node;
        bool onward;      /* its pairs begin with the write of an operation, else with the read */
        int mask;         /* the node that has the steps; -1: all are steps */
    } nodes[MAX_TARGETS]; /* that relate an operation to the reads of all that stand behind it */
    int nnodes;
    struct row_step {
        int x, read,
            y; /* operation x, or what a read that is no operation's reads from, stands before operation y */
    } steps[MAX_STEPS]; /* of a thread */
    int nsteps;
    uint64_t
        *accepts; /* a read that is no operation's -> the values that its guards accept, by their number */
    struct model_counter *next;
};

static int member_that_writes(const struct model_counter *c, int write) {
    for (int k = 0; k < c->n; k++)
        if (c->write[k] == write) return k;
    return -1;
}

static int member_that_reads(const struct model_counter *c, int read) {
    for (int k = 0; k < c->n; k++)
        if (c->read[k] == read) return k;
    return -1;
}

static struct model_counter *find_counter(const struct search *s, int address) {
    struct model_counter *c = s->counters;
    while (c && c->address != address)
        c = c->next;
    return c;
}

bool counters_have_address(const struct search *s, int address) {
    return find_counter(s, address) != NULL;
}

bool counters_have_read(const struct search *s, int read) {
    const struct model_counter *c = find_counter(s, s->graph->events[read].address);
    return c && member_that_reads(c, read) >= 0;
}

/* What is a counter */

/* Whether the value of a read is used for nothing but the write of its operation, and guards of its own. */
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
    if (c->n == MAX_MEMBERS || e->event->rmw < 0 || e->event->parts != 1) return false;
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

/* What an operation leaves when it reads a value. */
static struct value written(const struct search *s, const struct model_counter *c, int k, struct value read) {
    const struct node_event *e = &s->graph->events[c->write[k]];
    s->read_values[e->thread][s->graph->events[c->read[k]].event->read] = read;
    return sym_eval(e->event->value, s->read_values[e->thread]);
}

/* False where the operations do not all do the same. */
static bool find_values(const struct search *s, struct model_counter *c) {
    c->value[0] = address_init(s->graph, c->address);
    for (int place = 0; place < c->n; place++) {
        c->value[place + 1] = written(s, c, 0, c->value[place]);
        for (int k = 1; k < c->n; k++)
            if (!value_equal(written(s, c, k, c->value[place]), c->value[place + 1])) return false;
    }
    return true;
}

/* Whether a relation that no decision changes has the step from each operation to each other one. */
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

/* Whether a node is rf, or rf & what has all steps; `*mask` is that, or -1. */
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
    for (int k = 0; k < s->plan->nnodes && c->nnodes < MAX_TARGETS; k++) {
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

/* Whether the model orders two writes, and refuses both directions. */
static bool refuses_both(struct search *s, int x, int y) {
    const struct plan_order *co = &s->plan->orders[ORDER_CO];
    const uint64_t *either = eval_value(&s->eval, co->either);
    struct decision forward = {DECIDE_ORDER, ORDER_CO, x, y}, backward = {DECIDE_ORDER, ORDER_CO, y, x};
    bool ordered =
        !co->either_dynamic && (rel_has(s->eval.dim, either, x, y) || rel_has(s->eval.dim, either, y, x));
    return ordered && refuses(s, forward) && refuses(s, backward);
}

/* Whether no two operations can read from a write, the first of them being operation x. */
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

/* Whether the operations must stand in one row: no two read from the same write. */
static bool is_row(struct search *s, const struct model_counter *c) {
    for (int w = -1; w < c->n; w++)
        for (int x = 0; x < c->n; x++)
            if (w != x && !reads_alone(s, c, w < 0 ? c->address : c->write[w], x)) return false;
    return true;
}

/* Places in the row */

static void narrow(struct search *s, uint64_t *at, uint64_t to) {
    if (*at == to) return;
    s->counter_trail[s->ncounter_trail++] = (struct counter_undo){at, *at};
    *at = to;
}

void counters_forget(struct search *s, int ntrail) {
    while (s->ncounter_trail > ntrail) {
        const struct counter_undo *u = &s->counter_trail[--s->ncounter_trail];
        *u->at = u->old;
    }
}

/* Takes the place of an operation that has only one from the others; and gives one that no other can have to the
 * operation that can. False when an operation, or a place, is left with none. */
static bool settle_place(struct search *s, struct model_counter *c, int k, bool *changed) {
    uint64_t at = c->at[k], others = 0;
    if (!at) return false;
    for (int i = 0; i < c->n; i++) {
        if (i == k) continue;
        if (!(at & (at - 1)) && c->at[i] & at) {
            narrow(s, &c->at[i], c->at[i] & ~at);
            *changed = true;
        }
        others |= c->at[i];
    }
    uint64_t mine = at & ~others;
    if (mine & (mine - 1)) return false;
    if (mine && mine != at) {
        narrow(s, &c->at[k], mine);
        *changed = true;
    }
    return (at | others) == ((uint64_t)1 << c->n) - 1;
}

static uint64_t places_up_to(int place) {
    return ((uint64_t)2 << place) - 1;
}

static int first_place(uint64_t at) {
    return __builtin_ctzll(at);
}

static int last_place(uint64_t at) {
    return 63 - __builtin_clzll(at);
}

/* Takes places from an operation. False when it is left with none. */
static bool take_places(struct search *s, struct model_counter *c, int k, uint64_t places, bool *changed) {
    uint64_t left = c->at[k] & ~places;
    *changed = *changed || left != c->at[k];
    narrow(s, &c->at[k], left);
    return left;
}

/* Lets what a thread does first stand before what it does later. */
static bool settle_steps(struct search *s, struct model_counter *c, bool *changed) {
    for (int k = 0; k < c->nsteps; k++) {
        const struct row_step *step = &c->steps[k];
        int x = step->read < 0               ? step->x
                : s->source[step->read] >= 0 ? member_that_writes(c, s->source[step->read])
                                             : -1;
        if (x < 0) continue;
        if (!take_places(s, c, step->y, places_up_to(first_place(c->at[x])), changed) ||
            !take_places(s, c, x, ~(places_up_to(last_place(c->at[step->y])) >> 1), changed))
            return false;
    }
    return true;
}

/* Where as many operations as there are places from some place on, or up to it, can stand nowhere else, the others
 * cannot stand there. */
static bool settle_group(struct search *s, struct model_counter *c, uint64_t places, bool *changed) {
    int n = 0;
    for (int k = 0; k < c->n; k++)
        n += !(c->at[k] & ~places);
    if (n < __builtin_popcountll(places)) return true;
    if (n > __builtin_popcountll(places)) return false;
    for (int k = 0; k < c->n; k++)
        if (c->at[k] & ~places && !take_places(s, c, k, places, changed)) return false;
    return true;
}

static bool settle(struct search *s, struct model_counter *c) {
    bool changed = true;
    uint64_t all = places_up_to(c->n - 1);
    while (changed) {
        changed = false;
        if (!settle_steps(s, c, &changed)) return false;
        for (int place = 0; place < c->n - 1 && c->nsteps; place++)
            if (!settle_group(s, c, places_up_to(place), &changed) ||
                !settle_group(s, c, all & ~places_up_to(place), &changed))
                return false;
        for (int k = 0; k < c->n; k++)
            if (!settle_place(s, c, k, &changed)) return false;
    }
    return true;
}

/* The places at which an operation may stand so that a read of its write satisfies the guards of its thread. */
static uint64_t places_for(const struct search *s, const struct model_counter *c, uint64_t at, int read) {
    uint64_t good = 0;
    for (int place = 0; place < c->n; place++)
        if (at >> place & 1 && search_guards_allow(s, read, c->value[place + 1]))
            good |= (uint64_t)1 << place;
    return good;
}

bool counters_allow(const struct search *s, int write, int read) {
    const struct model_counter *c = find_counter(s, s->graph->events[read].address);
    int k = c ? member_that_writes(c, write) : -1;
    return k < 0 || places_for(s, c, c->at[k], read);
}

bool counters_take(struct search *s, int write, int read) {
    struct model_counter *c = find_counter(s, s->graph->events[read].address);
    int k = c ? member_that_writes(c, write) : -1;
    if (k < 0 || counters_have_read(s, read)) return true;
    narrow(s, &c->at[k], places_for(s, c, c->at[k], read));
    return settle(s, c);
}

static bool stands_before(const struct model_counter *c, int x, int y) {
    return x != y && last_place(c->at[x]) < first_place(c->at[y]);
}

static int gather(struct search *s, int node, int from, int to, int n) {
    if (!rel_has(s->eval.dim, s->eval.value[node], from, to))
        s->batch[n++] = (struct decision){DECIDE_ROW, node, from, to};
    return n;
}

static bool is_step_to(const struct search *s, const struct model_counter *c, const struct row_node *r, int k,
                       int read) {
    return r->mask < 0 || rel_has(s->eval.dim, s->eval.value[r->mask], c->write[k], read);
}

/* The first place at which the operation may stand that a read will read from; -1: it may read the initial value, or what
 * is no step. */
static int least_place(const struct search *s, const struct model_counter *c, const struct row_node *r,
                       int read) {
    uint64_t accepts = c->accepts[read], places = 0;
    if (accepts & 1 && set_has(s->sources[read], c->address)) return -1;
    for (int k = 0; k < c->n; k++) {
        uint64_t at = c->at[k] & accepts >> 1;
        if (!at || !set_has(s->sources[read], c->write[k])) continue;
        if (!is_step_to(s, c, r, k, read)) return -1;
        places |= at;
    }
    return places ? first_place(places) : -1;
}

/* What stands before the operation that another read reads from, or is that one. */
static int gather_reader(struct search *s, const struct model_counter *c, const struct row_node *r, int read,
                         int n) {
    int k = s->source[read] < 0 ? -1 : member_that_writes(c, s->source[read]);
    int place = s->source[read] < 0 ? least_place(s, c, r, read) : -1;
    if (k >= 0 && !is_step_to(s, c, r, k, read)) return n;
    for (int x = 0; x < c->n; x++)
        if (k >= 0 ? stands_before(c, x, k) : last_place(c->at[x]) <= place)
            n = gather(s, r->node, r->onward ? c->write[x] : c->read[x], read, n);
    return n;
}

static int gather_node(struct search *s, const struct model_counter *c, const struct row_node *r, int n) {
    for (int x = 0; x < c->n; x++)
        for (int y = 0; y < c->n; y++)
            if (stands_before(c, x, y))
                n = gather(s, r->node, r->onward ? c->write[x] : c->read[x], c->read[y], n);
    for (int k = 0; k < s->nreads; k++)
        if (s->graph->events[s->reads[k]].address == c->address && !counters_have_read(s, s->reads[k]))
            n = gather_reader(s, c, r, s->reads[k], n);
    return n;
}

int counters_gather(struct search *s, int n) {
    for (const struct model_counter *c = s->counters; c; c = c->next)
        for (int k = 0; k < c->nnodes; k++)
            n = gather_node(s, c, &c->nodes[k], n);
    return n;
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

/* Whether an operation stands behind whatever an earlier read of its thread reads from. */
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
    if (c->nsteps < MAX_STEPS) c->steps[c->nsteps++] = (struct row_step){x, read, y};
}

/* Finds what stands in the order of a thread. */
static void find_steps(struct search *s, struct model_counter *c) {
    for (int y = 0; y < c->n; y++) {
        for (int x = 0; x < c->n; x++)
            if (is_before_in_thread(s, c->read[x], c->read[y]) &&
                refuses_row(s, c, y, x, (struct decision){.kind = DECIDE_ROW}))
                add_step(c, x, -1, y);
        for (int k = 0; k < s->nreads; k++) {
            int read = s->reads[k];
            if (s->graph->events[read].address == c->address && member_that_reads(c, read) < 0 &&
                is_before_in_thread(s, read, c->read[y]) && stands_behind(s, c, read, y))
                add_step(c, -1, read, y);
        }
    }
}

/* Leaves out the places up to the first whose value a read that stands before accepts. */
static bool begin_steps(struct model_counter *c) {
    for (int k = 0; k < c->nsteps; k++) {
        const struct row_step *step = &c->steps[k];
        uint64_t accepts = step->read < 0 ? 1 : c->accepts[step->read];
        if (accepts && !(accepts & 1)) c->at[step->y] &= ~places_up_to(first_place(accepts) - 1);
        if (!accepts || !c->at[step->y]) return false;
    }
    return true;
}

static void find_accepted(struct search *s, struct model_counter *c) {
    c->accepts = arena_array(s->arena, (size_t)s->eval.dim.n, sizeof *c->accepts);
    for (int k = 0; k < s->nreads; k++) {
        int read = s->reads[k];
        if (s->graph->events[read].address != c->address || member_that_reads(c, read) >= 0) continue;
        for (int v = 0; v <= c->n; v++)
            if (search_guards_allow(s, read, c->value[v])) c->accepts[read] |= (uint64_t)1 << v;
    }
}

/* Whether some guard looks at the counter: else nothing is gained. */
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
        if (!settle(s, c)) return false;
    s->ncounter_trail = 0;
    return true;
}
