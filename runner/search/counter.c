#include "search/counter.h"

static int member_that_writes(const struct model_counter *c, int write) {
    for (int k = 0; k < c->n; k++)
        if (c->write[k] == write) return k;
    return -1;
}

int counter_member_that_reads(const struct model_counter *c, int read) {
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
    return c && counter_member_that_reads(c, read) >= 0;
}

/* Places in the row */

/* Changes the places of an operation, so that it can be undone. */
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

/* If operation k has one place left, takes that from the others. If there is a place that only k can have,
 * takes the other places from k. False when k has no place, must have two, or some place is left to nobody. */
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

uint64_t counter_places_up_to(int place) {
    return ((uint64_t)2 << place) - 1;
}

int counter_first_place(uint64_t at) {
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

/* For each step from x to y: y stands behind the first place of x, and x before the last place of y. False
 * when an operation has no place left. */
static bool settle_steps(struct search *s, struct model_counter *c, bool *changed) {
    for (int k = 0; k < c->nsteps; k++) {
        const struct row_step *step = &c->steps[k];
        int x = step->read < 0               ? step->x
                : s->source[step->read] >= 0 ? member_that_writes(c, s->source[step->read])
                                             : -1;
        if (x < 0) continue;
        if (!take_places(s, c, step->y, counter_places_up_to(counter_first_place(c->at[x])), changed) ||
            !take_places(s, c, x, ~(counter_places_up_to(last_place(c->at[step->y])) >> 1), changed))
            return false;
    }
    return true;
}

/* Counts the operations that can stand only at `places`. If they are as many as these places, takes the
 * places from all others. False when they are more, or another operation has no place left. */
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

bool counter_settle(struct search *s, struct model_counter *c) {
    bool changed = true;
    uint64_t all = counter_places_up_to(c->n - 1);
    while (changed) {
        changed = false;
        if (!settle_steps(s, c, &changed)) return false;
        for (int place = 0; place < c->n - 1 && c->nsteps; place++)
            if (!settle_group(s, c, counter_places_up_to(place), &changed) ||
                !settle_group(s, c, all & ~counter_places_up_to(place), &changed))
                return false;
        for (int k = 0; k < c->n; k++)
            if (!settle_place(s, c, k, &changed)) return false;
    }
    return true;
}

/* Of the places `at` of an operation, those at which it writes a value that the guards over `read` accept. */
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
    return counter_settle(s, c);
}

/* Whether operation x stands before operation y in every row that is left. */
static bool stands_before(const struct model_counter *c, int x, int y) {
    return x != y && last_place(c->at[x]) < counter_first_place(c->at[y]);
}

/* Adds a pair to the batch, unless the node has it already. Returns the new number of decisions, as all of
 * these do. */
static int gather(struct search *s, int node, int from, int to, int n) {
    if (!rel_has(s->eval.dim, s->eval.value[node], from, to))
        s->batch[n++] = (struct decision){DECIDE_ROW, node, from, to};
    return n;
}

/* Whether rf from operation k to a read is a step of a node. */
static bool is_step_to(const struct search *s, const struct model_counter *c, const struct row_node *r, int k,
                       int read) {
    return r->mask < 0 || rel_has(s->eval.dim, s->eval.value[r->mask], c->write[k], read);
}

/* The first place at which the source of a read may stand, which is not decided yet. -1: the source may be
 * the initial write, or rf from it is no step of the node. */
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
    return places ? counter_first_place(places) : -1;
}

/* Gathers the pairs of a node from operations to a read that belongs to none. If the read has its source k,
 * these are the operations that stand before k. Else they are the ones that are sure to stand at or before
 * the first place that its source may have: each is the source itself, or stands before it. */
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

/* Gathers the pairs that a node has in every row that is left. */
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
