#include <limits.h>

#include "litmus/cluster.h"
#include "litmus/view.h"
#include "logic/prunings.h"
#include "paths/quiet.h"
#include "paths/unfold_place.h"

/* The value of an operand; NULL where there is none. */
static const struct sym *eval_operand(struct unfolder *u, const struct unfold_run *r, const struct expr *e) {
    return e ? unfold_value(u, r, e) : NULL;
}

/* How many parts a lane of a location has. */
static int parts_of_lane(const struct unfolder *u, int loc) {
    return view_parts(u->test, loc).lanes / u->test->locs[loc].type.lanes;
}

struct event *unfold_access(struct unfolder *u, struct unfold_run *r, enum event_kind kind,
                            const struct stmt *stmt, const struct unfold_place *place) {
    struct event *e = unfold_event(u, r, kind, stmt);
    const struct location *l = &u->test->locs[place->loc];
    e->loc = location_root(u->test, place->loc);
    e->mapped = place->mapped;
    e->va = l->view ? l->va : place->loc;
    int whole = view_parts(u->test, place->loc).lanes;
    e->element = place->element + place->part / whole;
    e->parts = parts_of_lane(u, place->loc);
    view_part(u->test, place->loc, place->part % whole, &e->element, &e->lane);
    e->first = e->lane - place->part % e->parts;
    if (place->index) e->addr = place->index->reads;
    e->atomic = stmt->op->kind == OP_RMW;
    e->red = stmt->op->red;
    return e;
}

struct event *unfold_part_read(struct unfolder *u, struct unfold_run *r, const struct stmt *stmt,
                               const struct unfold_place *place) {
    struct event *e = unfold_access(u, r, EVENT_READ, stmt, place);
    if (r->path.nreads == MAX_READS) r->overflow = "a thread has too many reads";
    e->read = r->overflow ? 0 : r->path.nreads++;
    return e;
}

const struct sym *unfold_part_value(struct unfolder *u, const struct event *read) {
    return sym_read(u->arena, type_lane(view_parts(u->test, read->loc)), read->read);
}

/* The unsigned type in which the parts of a lane are put together and taken apart. */
static struct type whole_type(struct type lane) {
    return (struct type){.bits = lane.bits < 32 ? 32 : lane.bits, .lanes = 1};
}

/* The value of a lane, joined from its parts. */
static const struct sym *join_parts(struct unfolder *u, struct type lane, const struct sym *const *parts,
                                    int n) {
    struct type whole = whole_type(lane);
    const struct sym *value = NULL;
    for (int k = 0; k < n; k++) {
        const struct sym *part = sym_cast(u->arena, parts[k], whole),
                         *by = sym_int(u->arena, whole, k * parts[k]->type.bits);
        if (k) part = sym_apply(u->arena, EXPR_SHL, part, by);
        value = value ? sym_apply(u->arena, EXPR_OR, value, part) : part;
    }
    return sym_cast(u->arena, value, lane);
}

/* Part k of a lane. */
static const struct sym *take_part(struct unfolder *u, const struct sym *lane, struct type part, int k) {
    const struct sym *value = sym_cast(u->arena, lane, whole_type(lane->type));
    const struct sym *by = sym_int(u->arena, value->type, k * part.bits);
    return sym_cast(u->arena, k ? sym_apply(u->arena, EXPR_SHR, value, by) : value, part);
}

/* Adds a read for each part, all of one step. Returns the value of the whole. */
static const struct sym *add_read(struct unfolder *u, struct unfold_run *r, const struct stmt *stmt,
                                  const struct unfold_place *place) {
    const struct sym *parts[VIEW_MAX_BYTES], *lanes[4];
    struct unfold_place at = *place;
    const struct location *l = &u->test->locs[place->loc];
    int n = parts_of_lane(u, place->loc), nlanes = l->type.lanes;
    if (stmt->op->kind == OP_LOAD) nlanes *= op_elements(u->test, stmt->op);
    for (at.part = 0; at.part < n * nlanes; at.part++)
        parts[at.part] = unfold_part_value(u, unfold_part_read(u, r, stmt, &at));
    for (int k = 0; k < nlanes; k++)
        lanes[k] = n > 1 ? join_parts(u, type_lane(l->type), parts + k * n, n)
                         : sym_cast(u->arena, parts[k], type_lane(l->type));
    return sym_vector(u->arena, lanes, nlanes);
}

static void run_load(struct unfolder *u, struct unfold_run *r, const struct stmt *stmt,
                     const struct unfold_place *place) {
    unfold_set_result(r, stmt->op, add_read(u, r, stmt, place));
}

/* The part of a value that is written at a place. */
static const struct sym *written_part(struct unfolder *u, const struct sym *value,
                                      const struct unfold_place *at) {
    int n = parts_of_lane(u, at->loc);
    const struct sym *lane = sym_lane(u->arena, value, at->part / n);
    if (n == 1) return lane;
    return take_part(u, lane, type_lane(view_parts(u->test, at->loc)), at->part % n);
}

static void run_store(struct unfolder *u, struct unfold_run *r, const struct stmt *stmt,
                      const struct unfold_place *place) {
    const struct sym *value = unfold_value(u, r, stmt->op->value);
    struct unfold_place at = *place;
    int lanes = value->type.lanes, n = lanes * parts_of_lane(u, place->loc);
    for (at.part = 0; at.part < n; at.part++) {
        struct event *e = unfold_access(u, r, EVENT_WRITE, stmt, &at);
        e->value = written_part(u, value, &at);
        e->data =
            unfold_needs(u, r, lanes > 1 ? e->value : value); /* elements are in registers of their own */
        if (lanes > 1) unfold_written_lane(u, r, e, stmt->op->value, at.part / (n / lanes), lanes);
    }
}

const struct sym *unfold_rmw_value(struct unfolder *u, const struct op *op, const struct sym *old,
                                   const struct sym *value) {
    if (op->name == RMW_EXCH || op->name == RMW_CAS) return value;
    struct sym s = {.kind = SYM_RMW, .fn = op->name, .type = old->type, .a = old, .b = value};
    return sym_make(u->arena, s);
}

/* Adds the write of an atomic operation, part by part, after its read. */
static void add_rmw_write(struct unfolder *u, struct unfold_run *r, const struct stmt *stmt,
                          const struct unfold_place *place, const struct sym *old, const struct sym *left,
                          const struct reads *needed) {
    struct unfold_place at = *place;
    int n = parts_of_lane(u, place->loc);
    r->step++;
    for (at.part = 0; at.part < n; at.part++) {
        struct event *e = unfold_access(u, r, EVENT_WRITE, stmt, &at);
        int write = r->path.nevents - 1;
        e->rmw = write - n;
        r->path.events[write - n].rmw = write;
        e->value = written_part(u, left, &at);
        e->data = *needed;
        if (stmt->op->name != RMW_EXCH) reads_add(&e->data, &old->reads);
    }
}

static bool is_in_loop(const struct unfolder *u, const struct unfold_run *r) {
    for (int k = 0; k < u->code->nloops; k++)
        if (r->pc >= u->code->loops[k].first && r->pc <= u->code->loops[k].last) return true;
    return false;
}

/* What quiet_find says of an atomic operation in a loop, if nobody can tell whether it is there; else
 * QUIET_NEVER. */
static enum quiet find_quiet(const struct unfolder *u, const struct unfold_run *r, const struct op *op,
                             const struct sym *old, const struct sym *left) {
    bool looks = prunes(u->without, PRUNE_QUIET) && op->dst >= 0 && is_in_loop(u, r);
    enum quiet quiet = looks ? quiet_find(old, left) : QUIET_NEVER;
    return quiet != QUIET_NEVER && quiet_is_unseen(u->test, u->cell, u->number, op) ? quiet : QUIET_NEVER;
}

/* An atomic operation that always writes. It goes two ways where it may be quiet. */
static void run_update(struct unfolder *u, struct unfold_run *r, const struct stmt *stmt,
                       const struct unfold_place *place, const struct sym *old, const struct sym *value) {
    const struct sym *left = unfold_rmw_value(u, stmt->op, old, value);
    struct reads needed = unfold_needs(u, r, value);
    enum quiet quiet = find_quiet(u, r, stmt->op, old, left);
    int writes = r->writes;
    if (quiet == QUIET_SOMETIMES) {
        const struct sym *same = sym_apply(u->arena, EXPR_EQ, old, left);
        struct unfold_run *loud = unfold_fork(u, r);
        unfold_assume_quiet(u, loud, same, false);
        add_rmw_write(u, loud, stmt, place, old, left, &needed);
        unfold_set_result(loud, stmt->op, old);
        loud->from = loud->pc++;
        unfold_later(u, loud);
        unfold_assume_quiet(u, r, same, true);
    }
    add_rmw_write(u, r, stmt, place, old, left, &needed);
    unfold_set_result(r, stmt->op, old);
    if (quiet != QUIET_NEVER) r->writes = writes;
}

/* An atomic operation. A compare-exchange goes two ways: it fails and has no write, or it succeeds. */
static void run_rmw(struct unfolder *u, struct unfold_run *r, const struct stmt *stmt,
                    const struct unfold_place *place) {
    const struct op *op = stmt->op;
    const struct sym *value = eval_operand(u, r, op->value), *expected = eval_operand(u, r, op->expected);
    const struct sym *old = add_read(u, r, stmt, place);
    if (op->name != RMW_CAS) {
        run_update(u, r, stmt, place, old, value);
        return;
    }
    struct reads needed = unfold_needs(u, r, value), of_expected = unfold_needs(u, r, expected);
    reads_add(&needed, &of_expected);
    const struct sym *equal = sym_apply(u->arena, EXPR_EQ, old, expected);
    struct unfold_run *failed = unfold_fork(u, r);
    unfold_assume(u, failed, equal, false);
    unfold_set_result(failed, op, old);
    failed->from = failed->pc++;
    unfold_later(u, failed);
    unfold_assume(u, r, equal, true);
    add_rmw_write(u, r, stmt, place, old, value, &needed);
    unfold_set_result(r, op, old);
}

/* What is sent: to one element, or each lane of a vector to an element of its own. */
static void store_sent(struct unfolder *u, struct unfold_run *r, const struct stmt *stmt,
                       const struct unfold_place *to, const struct sym *value) {
    if (value->type.lanes == u->test->locs[to->loc].type.lanes) {
        run_store(u, r, stmt, to);
        return;
    }
    for (int k = 0; k < value->type.lanes; k++) {
        struct unfold_place at = *to;
        at.element += k;
        struct event *e = unfold_access(u, r, EVENT_WRITE, stmt, &at);
        e->value = sym_lane(u->arena, value, k);
        e->data = unfold_needs(u, r, e->value);
    }
}

/* st.async and red.async: an engine writes a value into another block's memory, or changes what is there by
 * it. */
static void run_send(struct unfolder *u, struct unfold_run *r, const struct stmt *stmt,
                     const struct unfold_place places[OP_PLACES]) {
    const struct sym *value = unfold_value(u, r, stmt->op->value);
    struct reads needed = unfold_needs(u, r, value);
    int first = r->path.nevents + 1;
    unfold_event(u, r, EVENT_ISSUE, stmt)->engine = ++r->engines;
    if (stmt->op->kind == OP_SEND) {
        store_sent(u, r, stmt, &places[0], value);
    } else {
        const struct sym *old = add_read(u, r, stmt, &places[0]);
        add_rmw_write(u, r, stmt, &places[0], old, unfold_rmw_value(u, stmt->op, old, value), &needed);
    }
    for (int k = first; k < r->path.nevents; k++) {
        struct event *e = &r->path.events[k];
        e->agent = r->engines;
        e->step = 1 + (e->kind == EVENT_WRITE);
        e->by = ENGINE_BULK;
        e->group = INT_MAX;
        e->atomic = e->red = stmt->op->kind == OP_SEND_CHANGE;
    }
    unfold_tell(u, r, stmt, &places[2]);
}

/* An operation whose places are known. */
static void run_access(struct unfolder *u, struct unfold_run *r, const struct stmt *stmt,
                       const struct unfold_place places[OP_PLACES]) {
    const struct op_kind_row *kind = &op_kinds[stmt->op->kind];
    if (kind->mbarrier)
        unfold_mbarrier(u, r, stmt, places[0].loc, places[0].element);
    else if (stmt->op->kind == OP_SEND || stmt->op->kind == OP_SEND_CHANGE)
        run_send(u, r, stmt, places);
    else if (kind->engine && kind->touches[0] == TOUCH_CHANGES)
        unfold_reduce(u, r, stmt, places);
    else if (stmt->op->kind == OP_FETCH)
        unfold_fetch(u, r, stmt, places);
    else if (kind->engine)
        unfold_copy(u, r, stmt, places);
    else if (stmt->op->kind == OP_CLEAR)
        unfold_clear(u, r, stmt, &places[0]);
    else if (kind->touches[0] == TOUCH_CHANGES)
        run_rmw(u, r, stmt, &places[0]);
    else if (kind->touches[0] == TOUCH_WRITES)
        run_store(u, r, stmt, &places[0]);
    else
        run_load(u, r, stmt, &places[0]);
}

/* At an access to a location that is not aligned, or in no block of the cluster. */
static void end_at_fault(struct unfolder *u, struct unfold_run *r, const struct stmt *stmt, int loc) {
    unfold_stray(u, r, stmt, PATH_FAULT, loc, NULL);
}

static void end_at_trap(struct unfolder *u, struct unfold_run *r, const struct stmt *stmt) {
    if (!r->strayed) {
        r->path.stmt = stmt;
        r->path.loc = -1;
    }
    unfold_end(u, r, PATH_FAULT);
}

/* The term that says that an index is beyond an array. */
static const struct sym *is_beyond(struct unfolder *u, const struct sym *index, int count) {
    struct arena *a = u->arena;
    const struct sym *low = sym_apply(a, EXPR_LT, index, sym_int(a, index->type, 0));
    const struct sym *high = sym_apply(a, EXPR_GE, index, sym_int(a, index->type, count));
    return sym_apply(a, EXPR_LOR, low, high);
}

static bool run_places(struct unfolder *u, struct unfold_run *r, const struct stmt *stmt,
                       struct unfold_place places[OP_PLACES], int k);

/* The index depends on reads: goes a way for each element that it may name, and one for beyond the array. */
static void run_indexed(struct unfolder *u, struct unfold_run *r, const struct stmt *stmt,
                        struct unfold_place places[OP_PLACES], int k, const struct sym *index, int count) {
    int first = places[k].element;
    for (int element = -1; element < count && !u->out->why; element++) {
        struct unfold_run *way = unfold_fork(u, r);
        const struct sym *taken =
            element < 0 ? is_beyond(u, index, count)
                        : sym_apply(u->arena, EXPR_EQ, index, sym_int(u->arena, index->type, element));
        int guards = way->path.nguards;
        if (!unfold_assume(u, way, taken, true)) continue;
        if (way->path.nguards > guards) way->path.guards[guards].index = true;
        if (element < 0) {
            unfold_stray(u, way, stmt, PATH_OUT_OF_BOUNDS, places[k].loc, index);
            if (way->path.nguards == guards)
                return; /* it was known, as this access is behind another one there */
            continue;
        }
        places[k].element = first + element;
        if (!run_places(u, way, stmt, places, k + 1)) continue;
        way->from = way->pc++;
        unfold_later(u, way);
    }
}

/* Finds the first element of a place in the shared memory of the block of this rank, or of the thread's own. False: there is
 * no such block, or it is not known which. */
static bool find_owner(struct unfolder *u, struct unfold_run *r, const struct stmt *stmt,
                       struct unfold_place *place, const struct expr *rank) {
    const struct sym *n = rank ? unfold_value(u, r, rank) : NULL;
    int owner = u->number;
    if (n && n->kind != SYM_INT) {
        unfold_give_up(u, "whose shared memory an access is to depends on what was read");
        return false;
    }
    if (n) owner = cluster_find(u->test, u->cell->placement, u->number, value_int(n->type, n->value));
    if (owner < 0)
        end_at_fault(u, r, stmt, place->loc);
    else
        place->element = location_first(&u->test->locs[place->loc], &u->test->threads[owner]);
    if (owner >= 0) place->owner = u->test->threads[owner].block;
    place->mapped = rank != NULL;
    return owner >= 0;
}

/* Whether an engine would write in another block than that of the mbarrier at which it completes bytes; or a
 * value is sent where there is no other block, or a reduction to the thread's own. */
static bool is_astray(const struct unfolder *u, const struct op *op,
                      const struct unfold_place places[OP_PLACES]) {
    bool sends = op->kind == OP_SEND || op->kind == OP_SEND_CHANGE;
    if (!op_kinds[op->kind].touches[2]) return false;
    return places[0].owner != places[2].owner ||
           (sends && cluster_size(u->test, u->cell->placement, u->number) == 1) ||
           (op->kind == OP_SEND_CHANGE && places[0].owner == u->thread->block);
}

/* Whether a vector of several elements is not aligned in its array. */
static bool is_askew(const struct unfolder *u, const struct op *op, const struct unfold_place *place) {
    bool vector = op->kind == OP_LOAD || op->kind == OP_STORE;
    return vector && place->element % u->test->locs[place->loc].count % op_elements(u->test, op) != 0;
}

/* Whether the blocks to which a copy goes are known, and all are of the cluster. */
static bool find_blocks(struct unfolder *u, struct unfold_run *r, const struct stmt *stmt, int loc) {
    const struct sym *blocks = unfold_value(u, r, stmt->op->blocks);
    if (blocks->kind != SYM_INT) {
        unfold_give_up(u, "to which blocks a copy goes depends on what was read");
        return false;
    }
    if (blocks->value.lo == 0 || blocks->value.lo >> cluster_size(u->test, u->cell->placement, u->number))
        end_at_fault(u, r, stmt, loc);
    else
        return true;
    return false;
}

/* Finds where in the array of its map a copy begins, which must be known. */
static bool find_coordinate(struct unfolder *u, struct unfold_run *r, struct unfold_place *place,
                            const struct expr *at) {
    place->index = at ? unfold_value(u, r, at) : sym_int(u->arena, type_int, 0);
    bool known = place->index->kind == SYM_INT;
    if (!known) unfold_give_up(u, "where a copy by a tensor map begins depends on what was read");
    long long first = known ? value_int(place->index->type, place->index->value) : 0;
    place->element = first < 0 || first > TEST_MAX_ELEMENTS ? TEST_MAX_ELEMENTS : (int)first;
    return known;
}

/* Finds the elements of an operation's places from place k on, and adds its events. False as in unfold_op. */
static bool run_places(struct unfolder *u, struct unfold_run *r, const struct stmt *stmt,
                       struct unfold_place places[OP_PLACES], int k) {
    const struct op *op = stmt->op;
    while (k < OP_PLACES && !op_kinds[op->kind].touches[k])
        k++;
    if (k == OP_PLACES && (is_astray(u, op, places) || is_askew(u, op, &places[0]))) {
        end_at_fault(u, r, stmt, places[0].loc);
        return false;
    }
    if (k == OP_PLACES && op->blocks && !find_blocks(u, r, stmt, places[0].loc)) return false;
    if (k == OP_PLACES && op_rows[op->name].tensor) return unfold_tensor(u, r, stmt, places);
    if (k == OP_PLACES) {
        run_access(u, r, stmt, places);
        return true;
    }
    struct unfold_place *place = &places[k];
    place->loc = op->place[k].loc;
    const struct expr *at = op->place[k].index;
    const struct location *l = &u->test->locs[place->loc];
    if (op_rows[op->name].tensor && l->map)
        return find_coordinate(u, r, place, at) && run_places(u, r, stmt, places, k + 1);
    if (view_is_misaligned(l)) {
        end_at_fault(u, r, stmt, place->loc);
        return false;
    }
    if (!find_owner(u, r, stmt, place, op->place[k].rank)) return false;
    int several = op_elements_at(u->test, op, k), count = l->count - (several - 1);
    if (!several) return run_places(u, r, stmt, places, k + 1); /* nothing is read, wherever it is */
    const struct sym *index = at ? unfold_value(u, r, at) : sym_int(u->arena, type_int, 0);
    place->index = index;
    if (index->kind != SYM_INT) {
        run_indexed(u, r, stmt, places, k, index, count);
        return false;
    }
    long long element = value_int(index->type, index->value);
    if (element < 0 || element >= count) {
        unfold_stray(u, r, stmt, PATH_OUT_OF_BOUNDS, place->loc, index);
        return false;
    }
    place->element += (int)element;
    return run_places(u, r, stmt, places, k + 1);
}

/* Closes the group of copies. A later wait may count it, so a loop's turn that does is not idle. */
static void run_commit(struct unfold_run *r, const struct stmt *stmt) {
    r->group[op_rows[stmt->op->name].engine]++;
    r->writes++;
}

/* Waits for all groups but the last few; or for all copies, in a group or not. */
static void run_wait(struct unfolder *u, struct unfold_run *r, const struct stmt *stmt) {
    const struct op_row *row = &op_rows[stmt->op->name];
    if (row->waits_for_all) run_commit(r, stmt);
    struct event *e = unfold_event(u, r, EVENT_COMPLETE, stmt);
    e->by = row->engine;
    e->group = r->group[row->engine] - stmt->op->pending;
    e->of_reads = row->waits_for_reads;
}

static void look(struct unfolder *u, struct unfold_run *r, const struct stmt *stmt, const struct sym *far,
                 bool is_far) {
    unfold_assume(u, r, far, is_far);
    unfold_set_result(r, stmt->op, sym_int(u->arena, type_int, is_far));
}

/* Nobody knows what a clock says: goes both ways. The guards keep the ways apart, as those of a read that may return
 * anything; no event stands for it, so nothing that depends on it is ordered by that. */
static void run_clock(struct unfolder *u, struct unfold_run *r, const struct stmt *stmt) {
    if (r->path.nreads == MAX_READS) r->overflow = "a thread has too many reads";
    if (r->overflow) return;
    const struct sym *far = sym_read(u->arena, type_int, r->path.nreads++);
    unfold_note_clock(u, r);
    struct unfold_run *other = unfold_fork(u, r);
    look(u, other, stmt, far, true);
    look(u, r, stmt, far, false);
    other->from = other->pc++;
    unfold_later(u, other);
}

bool unfold_op(struct unfolder *u, struct unfold_run *r, const struct stmt *stmt) {
    struct unfold_place places[OP_PLACES] = {{0}};
    if (!stmt->op->joined) r->step++;
    switch (stmt->op->kind) {
    case OP_FENCE:
        if (op_is_there(u->cell, stmt->op))
            unfold_event(u, r, EVENT_FENCE, stmt)->of_reads = op_rows[stmt->op->name].reads;
        return true;
    case OP_BARRIER:
    case OP_EXCHANGE: return unfold_meet(u, r, stmt);
    case OP_COMMIT: run_commit(r, stmt); return true;
    case OP_WAIT: run_wait(u, r, stmt); return true;
    case OP_DEPEND: unfold_event(u, r, EVENT_DEPEND, stmt); return true;
    case OP_TRIGGER: unfold_event(u, r, EVENT_TRIGGER, stmt); return true;
    case OP_TRAP:
        if (stmt->op->astray)
            unfold_stray(u, r, stmt, PATH_FAULT, -1, NULL);
        else
            end_at_trap(u, r, stmt);
        return false;
    case OP_HINT: return true;
    case OP_CLOCK: run_clock(u, r, stmt); return true;
    case OP_PENDING: unfold_pending(u, r, stmt); return true;
    case OP_LOAD:
    case OP_STORE:
    case OP_RMW:
    case OP_COPY:
    case OP_FETCH:
    case OP_SEND:
    case OP_SEND_CHANGE:
    case OP_REDUCE:
    case OP_FETCH_CHANGE:
    case OP_CLEAR:
    case OP_MBARRIER:
    case OP_ARRIVE:
    case OP_TRY: return run_places(u, r, stmt, places, 0);
    }
    return true;
}
