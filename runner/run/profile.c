#include "run/profile.h"

#include <stdlib.h>
#include <string.h>

#include "run/edges.h"

struct profile profile_new(struct arena *a, const char *device) {
    return (struct profile){.arena = a, .device = arena_strdup(a, device)};
}

const char *profile_describe(const struct profile *p, struct arena *a) {
    return arena_printf(a, "%s (%d environment%s)", p->device, p->n, p->n == 1 ? "" : "s");
}

/* Compares two entries by test, placement and access; 0 when they are for the same cell. */
static int compare(const struct profile_entry *x, const struct profile_entry *y) {
    int order = strcmp(x->test, y->test);
    if (order == 0) order = strcmp(x->placement, y->placement);
    return order ? order : strcmp(x->access, y->access);
}

void profile_add(struct profile *p, const struct profile_entry *e) {
    int at = 0;
    while (at < p->n && compare(&p->entries[at], e) < 0)
        at++;
    bool there = at < p->n && compare(&p->entries[at], e) == 0;
    if (there && p->entries[at].rate >= e->rate) return;
    if (!there) {
        if (p->n == p->cap) {
            int cap = p->cap ? 2 * p->cap : 64;
            p->entries = arena_grow(p->arena, p->entries, (size_t)p->n, (size_t)cap, sizeof *p->entries);
            p->cap = cap;
        }
        memmove(&p->entries[at + 1], &p->entries[at], (size_t)(p->n++ - at) * sizeof *p->entries);
    }
    struct profile_entry *to = &p->entries[at];
    *to = *e;
    to->test = arena_strdup(p->arena, e->test);
    to->placement = arena_strdup(p->arena, e->placement);
    to->access = arena_strdup(p->arena, e->access);
    to->edges = arena_strdup(p->arena, e->edges ? e->edges : "");
    for (int i = 0; i < to->environment.n; i++)
        to->environment.parameter[i].name = arena_strdup(p->arena, e->environment.parameter[i].name);
}

/* ---- choosing ---- */

/* Whether environment `c` has the parameter with this value. It is looked for first at `place`, where most
 * environments have it. */
static bool has_parameter(const struct environment *c, const struct parameter *p, int place) {
    for (int i = 0; i < c->n; i++) {
        const struct parameter *q = &c->parameter[(place + i) % c->n];
        if (strcmp(q->name, p->name) == 0) return q->value == p->value;
    }
    return false;
}

/* Counts the parameters of `a` that `b` does not have with the same value. */
static int difference(const struct environment *a, const struct environment *b) {
    int n = 0;
    for (int i = 0; i < a->n; i++)
        n += !has_parameter(b, &a->parameter[i], i);
    return n;
}

/* The cell for which a schedule is made. */
struct wanted {
    const struct test *t;
    const struct cell *cell;
    const char *edges;
};

enum { SAME_CELL, OTHER_ACCESS, SAME_EDGES, NO_KIN = SAME_EDGES + 32 };

/* Returns how near an entry is to a cell; less is nearer. An entry of the same test and placement is
 * SAME_CELL, or OTHER_ACCESS if its access differs. Any other is SAME_EDGES plus the number of edges that
 * only one of the two has. One at another placement without common edges is NO_KIN. */
static int kinship(const struct profile_entry *e, const struct wanted *w) {
    int common = 0, apart = edges_apart(e->edges, w->edges, &common);
    bool here = strcmp(e->placement, w->cell->placement->name) == 0;
    if (here && strcmp(e->test, w->t->name) == 0)
        return strcmp(e->access, access_name(w->cell->access)) == 0 ? SAME_CELL : OTHER_ACCESS;
    return here || common > 0 ? SAME_EDGES + apart : NO_KIN;
}

/* An entry that may be chosen for the schedule. */
struct kin {
    const struct profile_entry *entry;
    int kind; /* how near it is to the cell (kinship) */
    /* how much it differs from the most similar environment chosen so far; 0: it is the same as one of
     * them */
    int distance;
};

static struct kin *find_kin(const struct profile *p, const struct wanted *w, struct arena *a) {
    struct kin *all = arena_array(a, (size_t)p->n, sizeof *all);
    for (int k = 0; k < p->n; k++)
        all[k] = (struct kin){&p->entries[k], kinship(&p->entries[k], w), ENV_MAX};
    return all;
}

/* Returns the entry of a kind that differs most from those chosen so far; of several, the one with the best
 * rate. NULL: none is left. */
static const struct profile_entry *most_different(const struct kin *all, int n, int kind) {
    const struct kin *best = NULL;
    for (const struct kin *k = all; k < all + n; k++) {
        if (k->kind != kind || k->distance == 0) continue;
        if (!best || k->distance > best->distance ||
            (k->distance == best->distance && k->entry->rate > best->entry->rate))
            best = k;
    }
    return best ? best->entry : NULL;
}

struct environment *profile_schedule(const struct profile *p, const struct test *t, const struct cell *cell,
                                     struct arena *a, int *n) {
    struct environment *list = arena_array(a, PROFILE_MAX_SCHEDULE, sizeof *list);
    struct wanted w = {t, cell, edges_of(a, t, cell->placement)};
    struct kin *all = find_kin(p, &w, a);
    const struct profile_entry *e;
    *n = 0;
    for (int kind = SAME_CELL; kind < NO_KIN; kind++)
        while (*n < PROFILE_MAX_SCHEDULE && (e = most_different(all, p->n, kind))) {
            list[(*n)++] = e->environment;
            for (int k = 0; k < p->n; k++) {
                int far = difference(&all[k].entry->environment, &e->environment);
                if (far < all[k].distance) all[k].distance = far;
            }
        }
    return list;
}
