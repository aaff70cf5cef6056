/* Events of engines that copy elements. */
#include <limits.h>

#include "litmus/cluster.h"
#include "litmus/copy.h"
#include "litmus/view.h"
#include "paths/unfold_place.h"

/* A copy is done by an engine of its own: a read and a write of each element. The thread only starts it. All reads are before
 * all writes, but those of a bulk copy: there, each element is a strand. */
static struct event *copy_part(struct unfolder *u, struct unfold_run *r, const struct stmt *stmt,
                               const struct unfold_place *place, bool reads, int k) {
    enum engine kind = op_rows[stmt->op->name].engine;
    int lanes = copy_data(u->test, stmt->op, 0)->type.lanes;
    struct unfold_place at = *place;
    at.element += k / lanes;
    at.part = k % lanes;
    struct event *e = reads ? unfold_part_read(u, r, stmt, &at) : unfold_access(u, r, EVENT_WRITE, stmt, &at);
    e->agent = r->engines;
    e->step = reads ? 1 : 2;
    e->tracked = kind == ENGINE_COPY;
    e->strand = kind == ENGINE_BULK ? 1 + k : 0;
    e->by = kind;
    e->group = stmt->op->kind == OP_FETCH ? INT_MAX : r->group[kind]; /* no wait for groups is for it */
    return e;
}

static int copied_parts(const struct unfolder *u, const struct op *op, int place) {
    return copy_data(u->test, op, 0)->type.lanes * op_elements_at(u->test, op, place);
}

static const struct sym *zero_at(const struct unfolder *u, const struct unfold_place *place) {
    return sym_int(u->arena, type_lane(view_parts(u->test, place->loc)), 0);
}

static void start(struct unfolder *u, struct unfold_run *r, const struct stmt *stmt) {
    unfold_event(u, r, EVENT_ISSUE, stmt)->engine = ++r->engines;
}

/* Adds the reads of a copy. Returns the place of the first one in the path. */
static int copy_reads(struct unfolder *u, struct unfold_run *r, const struct stmt *stmt,
                      const struct unfold_place *from) {
    int first = r->path.nevents;
    for (int k = 0; k < copied_parts(u, stmt->op, 1); k++)
        copy_part(u, r, stmt, from, true, k);
    return first;
}

/* Adds the writes of a copy: what was read from event `first` on, and zeros behind it. `copy`: its number, if
 * it is one of copies to several blocks. */
static void copy_writes(struct unfolder *u, struct unfold_run *r, const struct stmt *stmt,
                        const struct unfold_place *to, int first, int copy) {
    int given = copied_parts(u, stmt->op, 1);
    for (int k = 0; k < copied_parts(u, stmt->op, 0); k++) {
        struct event *e = copy_part(u, r, stmt, to, false, k);
        e->copy = copy;
        e->value = k < given ? unfold_part_value(u, &r->path.events[first + k]) : zero_at(u, to);
        e->data = e->value->reads;
    }
}

void unfold_copy(struct unfolder *u, struct unfold_run *r, const struct stmt *stmt,
                 const struct unfold_place places[OP_PLACES]) {
    start(u, r, stmt);
    copy_writes(u, r, stmt, &places[0], copy_reads(u, r, stmt, &places[1]), 0);
}

struct event *unfold_tell(struct unfolder *u, struct unfold_run *r, const struct stmt *stmt,
                          const struct unfold_place *at) {
    int loc = location_root(u->test, at->loc);
    struct event *e = unfold_count(u, r, stmt, loc, at->element, COUNT_COMPLETES, stmt->op->bytes);
    e->strength = (struct strength){ORDER_RELEASE, SCOPE_CLUSTER};
    e->agent = r->engines;
    e->step = 4;
    return e;
}

/* The place in the shared memory of another block (`owner` is a thread of it) that `own` is in that of the
 * thread's own. */
static struct unfold_place place_of(const struct unfolder *u, struct unfold_place own, int owner) {
    const struct location *l = &u->test->locs[own.loc];
    own.element += location_first(l, &u->test->threads[owner]) - location_first(l, u->thread);
    return own;
}

/* A bulk load into several blocks: what was read once is written in each block, at the place of the thread's
 * own. Bytes are completed at the mbarrier of each block, for what is written there alone. */
static void spread(struct unfolder *u, struct unfold_run *r, const struct stmt *stmt,
                   const struct unfold_place places[OP_PLACES], int first) {
    unsigned blocks = (unsigned)unfold_value(u, r, stmt->op->blocks)->value.lo;
    for (int rank = 0; blocks >> rank; rank++) {
        if (!(blocks >> rank & 1)) continue;
        int owner = cluster_find(u->test, u->cell->placement, u->number, rank);
        struct unfold_place to = place_of(u, places[0], owner), told = place_of(u, places[2], owner);
        copy_writes(u, r, stmt, &to, first, 1 + rank);
        unfold_tell(u, r, stmt, &told)->copy = 1 + rank;
    }
}

/* A bulk load: behind all that the engine has written it completes the bytes of the mbarrier. What completes bytes is of
 * the scope of the cluster, and releases (PTX ISA, "cp.async.bulk"). */
void unfold_fetch(struct unfolder *u, struct unfold_run *r, const struct stmt *stmt,
                  const struct unfold_place places[OP_PLACES]) {
    if (stmt->op->blocks) {
        start(u, r, stmt);
        spread(u, r, stmt, places, copy_reads(u, r, stmt, &places[1]));
        return;
    }
    unfold_copy(u, r, stmt, places);
    unfold_tell(u, r, stmt, &places[2]);
}

/* The events of an engine for one element of a bulk reduction, a strand of its own: it reads the source, then
 * reads and writes the destination by an atomic operation. */
static void reduce_element(struct unfolder *u, struct unfold_run *r, const struct stmt *stmt,
                           const struct unfold_place at[OP_PLACES], int strand) {
    int first = r->path.nevents;
    unfold_part_read(u, r, stmt, &at[1])->strength = op_place_strength(u->test, u->cell, stmt->op, 1);
    const struct sym *operand = unfold_part_value(u, &r->path.events[first]);
    unfold_part_read(u, r, stmt, &at[0])->rmw = first + 2;
    const struct sym *old = unfold_part_value(u, &r->path.events[first + 1]);
    struct event *write = unfold_access(u, r, EVENT_WRITE, stmt, &at[0]);
    write->rmw = first + 1;
    write->value = unfold_rmw_value(u, stmt->op, old, operand);
    write->data = write->value->reads;
    for (int k = 0; k < 3; k++) {
        struct event *e = &r->path.events[first + k];
        e->agent = r->engines;
        e->step = 1 + k;
        e->strand = strand;
        e->by = ENGINE_BULK;
        e->group = stmt->op->kind == OP_REDUCE ? r->group[ENGINE_BULK] : INT_MAX;
        e->atomic = e->red = k > 0;
    }
}

static void reduce_elements(struct unfolder *u, struct unfold_run *r, const struct stmt *stmt,
                            const struct unfold_place places[OP_PLACES]) {
    for (int k = 0; k < op_elements(u->test, stmt->op); k++) {
        struct unfold_place at[OP_PLACES] = {places[0], places[1]};
        at[0].element += k;
        at[1].element += k;
        reduce_element(u, r, stmt, at, 1 + k);
    }
}

void unfold_reduce(struct unfolder *u, struct unfold_run *r, const struct stmt *stmt,
                   const struct unfold_place places[OP_PLACES]) {
    start(u, r, stmt);
    reduce_elements(u, r, stmt, places);
    if (op_kinds[stmt->op->kind].touches[2]) unfold_tell(u, r, stmt, &places[2]);
}

void unfold_clear(struct unfolder *u, struct unfold_run *r, const struct stmt *stmt,
                  const struct unfold_place *place) {
    for (int k = 0; k < copied_parts(u, stmt->op, 0); k++) {
        struct unfold_place at = *place;
        int lanes = u->test->locs[place->loc].type.lanes;
        at.element += k / lanes;
        at.part = k % lanes;
        unfold_access(u, r, EVENT_WRITE, stmt, &at)->value = zero_at(u, place);
    }
}

/* ---- copies by a tensor map ---- */

/* The events of a copy by a tensor map that leads to a given array. */
static void copy_by_map(struct unfolder *u, struct unfold_run *r, const struct stmt *stmt,
                        const struct unfold_place places[OP_PLACES], int side, int array,
                        const struct sym *map) {
    struct unfold_place at[OP_PLACES] = {places[0], places[1], places[2]};
    at[side] = (struct unfold_place){.loc = array, .element = places[side].element, .index = map};
    if (op_kinds[stmt->op->kind].touches[0] == TOUCH_CHANGES) {
        reduce_elements(u, r, stmt, at);
        return;
    }
    int first = copy_reads(u, r, stmt, &at[1]);
    if (stmt->op->blocks) {
        spread(u, r, stmt, at, first);
        return;
    }
    copy_writes(u, r, stmt, &at[0], first, 0);
    if (op_kinds[stmt->op->kind].touches[2]) unfold_tell(u, r, stmt, &at[2]);
}

/* The engine reads the map through the proxy of maps, before all else. */
static const struct sym *read_map(struct unfolder *u, struct unfold_run *r, const struct stmt *stmt,
                                  int map) {
    enum engine kind = op_rows[stmt->op->name].engine;
    struct event *e = unfold_part_read(u, r, stmt, &(struct unfold_place){.loc = map});
    e->proxy = PROXY_TENSORMAP;
    e->agent = r->engines;
    e->step = 0;
    e->by = kind;
    e->group = stmt->op->kind == OP_FETCH ? INT_MAX : r->group[kind];
    return unfold_part_value(u, e);
}

/* Whether the box that begins at a coordinate lies in an array. */
static bool fits(const struct location *l, int first) {
    return first >= 0 && first + MAP_BOX / type_bytes(l->type) <= l->count;
}

bool unfold_tensor(struct unfolder *u, struct unfold_run *r, const struct stmt *stmt,
                   const struct unfold_place places[OP_PLACES]) {
    const struct test *t = u->test;
    int side = copy_map(stmt->op), map = stmt->op->place[side].loc, ways = 0;
    start(u, r, stmt);
    const struct sym *leads = read_map(u, r, stmt, map);
    for (int k = 0; k < t->nlocs; k++)
        ways += copy_map_leads(t, map, k);
    for (int k = 0; k < t->nlocs && !u->out->why; k++) {
        if (!copy_map_leads(t, map, k)) continue;
        struct unfold_run *way = ways > 1 ? unfold_fork(u, r) : r;
        const struct sym *is = sym_apply(u->arena, EXPR_EQ, leads, sym_int(u->arena, leads->type, k));
        int guards = way->path.nguards;
        if (ways > 1 && !unfold_assume(u, way, is, true)) continue;
        if (way->path.nguards > guards) way->path.guards[guards].index = true;
        if (!fits(&t->locs[k], places[side].element)) {
            unfold_stray(u, way, stmt, PATH_OUT_OF_BOUNDS, k, places[side].index);
            if (ways == 1) return false;
            continue;
        }
        copy_by_map(u, way, stmt, places, side, k, leads);
        if (ways == 1) return true;
        way->from = way->pc++;
        unfold_later(u, way);
    }
    return false;
}
