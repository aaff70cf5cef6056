#include "cycle/cycle.h"

#include <string.h>

bool cycle_is_communication(enum cycle_kind kind) {
    return kind >= CYCLE_RF;
}

/* A thread begins with the access behind an external edge. */
static bool begins_thread(const struct cycle *c, int k) {
    return c->edges[(k + c->n - 1) % c->n].external;
}

struct cycle cycle_rotated(const struct cycle *c, int k) {
    struct cycle r = {.n = c->n};
    for (int i = 0; i < c->n; i++)
        r.edges[i] = c->edges[(k + i) % c->n];
    return r;
}

int cycle_compare_edges(const struct cycle_edge *x, const struct cycle_edge *y) {
    const int xs[] = {!x->write, (int)x->access, (int)x->access_scope, (int)x->kind,
                      x->same,   !x->external,   (int)x->order,        (int)x->scope};
    const int ys[] = {!y->write, (int)y->access, (int)y->access_scope, (int)y->kind,
                      y->same,   !y->external,   (int)y->order,        (int)y->scope};
    for (size_t k = 0; k < sizeof xs / sizeof *xs; k++)
        if (xs[k] != ys[k]) return xs[k] < ys[k] ? -1 : 1;
    return 0;
}

int cycle_compare(const struct cycle *a, const struct cycle *b) {
    if (a->n != b->n) return a->n < b->n ? -1 : 1;
    for (int k = 0; k < a->n; k++) {
        int order = cycle_compare_edges(&a->edges[k], &b->edges[k]);
        if (order) return order;
    }
    return 0;
}

struct cycle cycle_canonical(const struct cycle *c) {
    struct cycle best = *c;
    bool found = false;
    for (int k = 0; k < c->n; k++) {
        if (!begins_thread(c, k)) continue;
        struct cycle r = cycle_rotated(c, k);
        if (!found || cycle_compare(&r, &best) < 0) best = r;
        found = true;
    }
    return best;
}

/* ---- what a test of the cycle looks like ---- */

static bool find_threads(const struct cycle *c, struct cycle_plan *p) {
    for (int k = 0; k < c->n; k++) {
        p->thread[k] = p->nthreads;
        p->nthreads += c->edges[k].external;
    }
    return p->nthreads > 1;
}

static bool changes_location(const struct cycle_edge *e) {
    return !cycle_is_communication(e->kind) && !e->same;
}

static bool find_locations(const struct cycle *c, struct cycle_plan *p, const char **why) {
    int changes = 0;
    for (int k = 0; k < c->n; k++)
        changes += changes_location(&c->edges[k]);
    p->nlocs = changes ? changes : 1;
    for (int k = 0, loc = 0; k < c->n; k++) {
        p->loc[k] = loc;
        p->writes[loc] += c->edges[k].write;
        loc = (loc + changes_location(&c->edges[k])) % p->nlocs;
    }
    if (changes == 1) *why = "one edge alone leads to another location";
    return changes != 1;
}

/* The accesses that communication connects form a chain: each read has the value of the write before it, and
 * each write has the next value. Two chains must not write the same location, because the outcome would not
 * show their order. */
static bool find_values(const struct cycle *c, struct cycle_plan *p, const char **why) {
    bool chained[CYCLE_MAX] = {false};
    for (int first = 0; first < c->n; first++) {
        int loc = p->loc[first], count = 0;
        if (cycle_is_communication(c->edges[(first + c->n - 1) % c->n].kind)) continue;
        for (int k = first, last = 0; !last; k = (k + 1) % c->n) {
            p->value[k] = count += c->edges[k].write;
            last = !cycle_is_communication(c->edges[k].kind);
        }
        if (count && chained[loc]) *why = "one location is written in two places whose order nothing shows";
        chained[loc] |= count > 0;
        if (!count) *why = "a read has nothing to do with any write";
    }
    for (int loc = 0; loc < p->nlocs; loc++)
        if (p->writes[loc] > 2) *why = "a location has more than two writes, whose order nothing shows";
    return !*why;
}

/* If an address depends on a value, that value is the index of an element in an array. */
static bool find_elements(const struct cycle *c, struct cycle_plan *p, const char **why) {
    for (int loc = 0; loc < p->nlocs; loc++)
        p->element[loc] = -1;
    for (int k = 0; k < c->n; k++) {
        int loc = p->loc[(k + 1) % c->n];
        if (c->edges[k].kind != CYCLE_ADDR) continue;
        if (p->element[loc] >= 0 && p->element[loc] != p->value[k])
            *why = "two addresses of one location differ";
        p->element[loc] = p->value[k];
    }
    return !*why;
}

bool cycle_plan(const struct cycle *c, struct cycle_plan *p, const char **why) {
    *p = (struct cycle_plan){0};
    *why = NULL;
    bool rings = false;
    for (int k = 0; k < c->n; k++)
        rings |= !cycle_is_communication(c->edges[k].kind);
    if (!rings) *why = "it has no edge within a thread";
    if (rings && !find_threads(c, p)) *why = "it needs two edges between threads";
    return !*why && find_locations(c, p, why) && find_values(c, p, why) && find_elements(c, p, why);
}
