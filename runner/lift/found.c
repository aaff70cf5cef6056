/* Finds where the places of operations can be, over all threads. */
#include <limits.h>

#include "lift/reader.h"

struct type lift_accessed(const struct op *op, int place) {
    bool mbarrier = place >= OP_DATA || op_kinds[op->kind].mbarrier;
    return mbarrier ? type_uint64 : op->type;
}

int lift_access_bytes(const struct op *op, int place) {
    int multiple = op_rows[op->name].multiple, bytes = multiple ? multiple : op->bytes;
    bool copies = lift_counts_bytes(op) && place < OP_DATA;
    return copies && bytes > 0 ? bytes : type_bytes(lift_accessed(op, place));
}

struct lift_found *lift_find(struct lift_founds *f, const struct op *op, int place) {
    for (int k = 0; k < f->n; k++)
        if (f->list[k].op == op && f->list[k].place == place) return &f->list[k];
    f->list = arena_more(f->lift->arena, f->list, (size_t)f->n, sizeof *f->list);
    f->list[f->n] = (struct lift_found){.op = op, .place = place};
    return &f->list[f->n++];
}

static void add_candidate(struct lift_found *f, struct lift_way way) {
    for (int k = 0; k < f->n; k++)
        if (f->ways[k].loc == way.loc && f->ways[k].at == way.at && f->ways[k].afar == way.afar &&
            f->ways[k].local == way.local)
            return;
    if (f->n == LIFT_MAX_WAYS)
        f->unknown = true;
    else
        f->ways[f->n++] = way;
}

/* Adds the places in elements of a location where an access can be. */
static void add_places(const struct test *t, struct lift_found *f, struct lift_way way, int low,
                       uint64_t rest) {
    int element = type_bytes(t->locs[way.loc].type), size = lift_access_bytes(f->op, f->place);
    int step = low < 12 ? 1 << low : element;
    if (step < size) step = size;
    if (size >= element) {
        add_candidate(f, way);
        return;
    }
    for (way.at = (int)(rest % (uint64_t)(step < element ? step : element)); way.at < element; way.at += step)
        add_candidate(f, way);
}

static bool is_of_mbarrier(const struct lift_found *f) {
    return f->place >= OP_DATA || op_kinds[f->op->kind].mbarrier;
}

static bool opens_mbarrier(const struct lift_found *f) {
    return f->place < OP_DATA && op_rows[f->op->name].counts & COUNT_OPENS;
}

static struct lift_variable *variable_of(const struct lift_founds *all, int loc) {
    for (int k = 0; k < all->lift->nvariables; k++)
        if (all->lift->variables[k].loc == loc) return &all->lift->variables[k];
    return NULL;
}

/* Records which bytes of a location are accessed. */
static void note_bytes(struct lift_founds *all, const struct lift_found *f, int loc, uint64_t first) {
    struct lift_variable *v = variable_of(all, loc);
    if (!v || !is_of_mbarrier(f) || all->split) return;
    if (opens_mbarrier(f)) all->opens = true;
    if (!all->by_use && !opens_mbarrier(f)) return;
    v->mbarriers =
        v->mbarriers ? v->mbarriers : arena_array(all->lift->arena, (size_t)v->bytes + 1, sizeof(bool));
    v->mbarriers[first] = true;
}

/* Whether no mbarrier is ever initialised at a byte (-1: anywhere in the location) to which an operation on
 * one seems to lead. That happens because an index counts one stage too far before it wraps, and the sets of
 * values do not show when. */
static bool is_no_mbarrier(const struct lift_founds *all, const struct lift_found *f, int loc, int byte) {
    const struct lift_variable *v = variable_of(all, loc);
    if (!v || !is_of_mbarrier(f) || opens_mbarrier(f) || !all->split || all->by_use) return false;
    bool there = false;
    for (int k = 0; v->mbarriers && k < v->bytes; k++)
        there = there || (v->mbarriers[k] && (byte < 0 || byte == k));
    return !there;
}

static void note_value(struct lift_founds *all, struct lift_found *f, uint64_t address) {
    const struct test *t = all->lift->test;
    uint64_t home = lift_home(address), size = (uint64_t)lift_access_bytes(f->op, f->place);
    int loc = lift_location_at(t, address);
    if (lift_is_local(address) && lift_local_at(f->kernel, address)) {
        lift_cut_local(f->kernel, address, (int)size);
        add_candidate(f, (struct lift_way){.loc = -1, .local = address});
        return;
    }
    if (address % size) f->unaligned = true;
    if (loc < 0 || home - t->locs[loc].address >= lift_bytes(&t->locs[loc]) ||
        is_no_mbarrier(all, f, loc, (int)(home - t->locs[loc].address))) {
        f->nowhere = address;
        f->open = true;
        return;
    }
    note_bytes(all, f, loc, home - t->locs[loc].address);
    add_places(t, f, (struct lift_way){.loc = loc, .afar = home != address}, 12, home - t->locs[loc].address);
}

/* Adds each place where an access to these variables in .local memory can be. */
static void note_locals(struct lift_found *f, uint64_t locals) {
    int size = lift_access_bytes(f->op, f->place);
    for (int k = 0; k < f->kernel->nlocals; k++) {
        const struct lift_local *l = &f->kernel->locals[k];
        for (int at = 0; at + size <= l->bytes && locals >> k & 1; at += size) {
            lift_cut_local(f->kernel, l->address + (uint64_t)at, size);
            add_candidate(f, (struct lift_way){.loc = -1, .local = l->address + (uint64_t)at});
        }
    }
}

/* Adds the places of an address of which little is known: it may be in any block of the cluster. */
static void note_any(struct lift_founds *all, struct lift_found *f, const struct lift_set *address) {
    const struct test *t = all->lift->test;
    int size = lift_access_bytes(f->op, f->place);
    if (!address->locations && !address->locals) f->unknown = true;
    f->open = true;
    note_locals(f, address->locals);
    if (1 << address->low < size || address->rest % (uint64_t)size) f->unaligned = true;
    for (int k = 0; k < t->nlocs; k++) {
        if (!(address->locations >> k & 1) || is_no_mbarrier(all, f, k, -1)) continue;
        add_places(t, f, (struct lift_way){.loc = k}, address->low, address->rest);
        if (all->lift->maps && space_rows[t->locs[k].space].of_block)
            add_places(t, f, (struct lift_way){.loc = k, .afar = true}, address->low, address->rest);
    }
}

static void note(void *ctx, const struct lift_kernel *k, const struct op *op, int place,
                 const struct lift_set *address) {
    struct lift_founds *all = ctx;
    struct lift_found *f = lift_find(all, op, place);
    f->kernel = k;
    if (place == OP_PLACES) {
        for (int i = 0; i < address->n; i++)
            add_candidate(f, (struct lift_way){.at = (int)(address->values[i] & INT_MAX)});
        f->unknown = f->unknown || address->any;
        return;
    }
    for (int i = 0; i < address->n; i++)
        note_value(all, f, address->values[i]);
    if (address->any && opens_mbarrier(f)) all->opens_anywhere = true;
    if (address->any) note_any(all, f, address);
}

void lift_find_places(struct lift_founds *f) {
    f->n = 0;
    lift_find_values(f->lift, note, f);
}
