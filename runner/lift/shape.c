/* Finds the element types of a PTX file's variables from the accesses to them. A struct with mbarriers among
 * its members becomes several locations, each mbarrier one of its own. */
#include "lift/reader.h"

/* Whether an mbarrier begins at a byte of a variable. */
static bool is_mbarrier(const struct lift_variable *v, int at) {
    return at < v->bytes && v->mbarriers[at];
}

/* Returns the end of the part of a variable that begins at a byte: a run of mbarriers, or what is between
 * them. */
static int end_of(const struct lift_variable *v, int at) {
    if (is_mbarrier(v, at)) {
        while (is_mbarrier(v, at))
            at += type_bytes(type_uint64);
        return at;
    }
    while (at < v->bytes && !is_mbarrier(v, at))
        at++;
    return at;
}

/* Makes a variable of its own of the bytes from `at` on. */
static void add_part(struct lift *l, int whole, int at) {
    struct lift_variable *v = &l->variables[whole];
    struct location part = l->test->locs[v->loc];
    const char *name = v->name;
    part.name = arena_printf(l->arena, "%s_%d", part.name, at);
    while (find_location(l->test, part.name) >= 0)
        part.name = arena_printf(l->arena, "%s_", part.name);
    part.address += (uint64_t)at;
    int end = end_of(v, at);
    bool *mbarriers = v->mbarriers + at;
    unsigned char *initial = v->initial ? v->initial + at : NULL;
    part.count = end - at;
    int loc = lift_add_location(l, part);
    l->variables = arena_more(l->arena, l->variables, (size_t)l->nvariables, sizeof *l->variables);
    l->variables[l->nvariables++] = (struct lift_variable){
        .name = name, .loc = loc, .bytes = end - at, .initial = initial, .mbarriers = mbarriers};
}

static void split(struct lift *l, int whole) {
    int bytes = l->variables[whole].bytes, first = end_of(&l->variables[whole], 0);
    for (int at = first; at < bytes; at = end_of(&l->variables[whole], at))
        add_part(l, whole, at);
    l->variables[whole].bytes = first;
    l->test->locs[l->variables[whole].loc].count = first;
}

/* Whether an access at a place may be in the location. */
static bool leads_to(const struct lift_found *f, int loc) {
    for (int k = 0; f->place < OP_PLACES && k < f->n; k++)
        if (f->ways[k].loc == loc) return true;
    return false;
}

static bool copies(const struct lift_found *f) {
    return f->place < OP_DATA && lift_counts_bytes(f->op);
}

/* Returns the element type at the other end of a copy, if it is known. */
static struct type other_side(struct lift_founds *all, const struct lift_found *f) {
    const struct lift_found *other = lift_find(all, f->op, 1 - f->place);
    return other->n && other->ways[0].loc >= 0 ? all->lift->test->locs[other->ways[0].loc].type : f->op->type;
}

/* Chooses a variable's element type: that of the largest access to it. If it is copied, it is that of the
 * smallest access, or if nothing but copies accesses it, that of the copy's other end. */
static void shape(struct lift_founds *all, struct lift_variable *v) {
    struct type none = {.bits = 8, .lanes = 1}, largest = none, smallest = none, copied = none;
    for (int k = 0; k < all->n; k++) {
        const struct lift_found *f = &all->list[k];
        if (!leads_to(f, v->loc)) continue;
        struct type type = lift_accessed(f->op, f->place), lane = type_lane(type);
        if (copies(f)) {
            copied = other_side(all, f);
            f = &all->list[k]; /* looked up again, since adding may have moved it */
            continue;
        }
        if (type_bytes(type) > type_bytes(largest)) largest = type;
        if (smallest.bits == 8 || lane.bits < smallest.bits) smallest = lane;
    }
    bool plain = largest.bits == 8 && largest.lanes == 1;
    lift_shape(all->lift, v, copied.bits == 8 ? largest : plain ? copied : smallest);
}

void lift_shape_variables(struct lift_founds *f) {
    struct lift *l = f->lift;
    lift_find_places(f);
    f->by_use = !f->opens || f->opens_anywhere;
    if (f->by_use) lift_find_places(f);
    f->split = true;
    for (int k = l->nvariables - 1; k >= 0; k--)
        if (l->variables[k].mbarriers && lift_counts_locations(l)) split(l, k);
    if (!lift_counts_locations(l)) return;
    lift_find_places(f);
    for (int k = 0; k < l->nvariables; k++)
        shape(f, &l->variables[k]);
    lift_find_places(f);
}
