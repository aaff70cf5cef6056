#include <string.h>

#include "litmus/view.h"

static int view_bytes(const struct location *l) {
    return type_bytes(l->type) * l->count;
}

static const char *view_problem(struct arena *a, const struct location *l, const struct location *root) {
    if (root == l) return "a location is no view of itself";
    if (root->view)
        return arena_printf(a, "'%s' is a view itself: name the location that it is of", root->name);
    if (root->array)
        return "a view of an array is not supported yet: its bytes are those of one scalar or vector";
    if (l->at + view_bytes(l) > type_bytes(root->type))
        return arena_printf(a, "'%s' ends at byte %d, beyond the %d of '%s'", l->name, l->at + view_bytes(l),
                            type_bytes(root->type), root->name);
    return NULL;
}

/* Returns the largest power of two that divides the location's position and the size of its lanes. */
static int grain_of(const struct location *l) {
    int size = type_bytes(type_lane(l->type)), step = l->at & -l->at;
    return l->at && step < size ? step : size;
}

/* Sets the same part size for all locations that share bytes: the size of the smallest access. */
void view_share(struct test *t, int of) {
    int grain = VIEW_MAX_BYTES;
    for (int k = 0; k < t->nlocs; k++)
        if (location_root(t, k) == of && grain_of(&t->locs[k]) < grain) grain = grain_of(&t->locs[k]);
    for (int k = 0; k < t->nlocs; k++)
        if (location_root(t, k) == of) t->locs[k].grain = grain;
}

bool view_is_misaligned(const struct location *l) {
    return l->at % type_bytes(l->type) != 0;
}

const char *view_resolve(struct arena *a, struct test *t, int view, int of) {
    struct location *l = &t->locs[view], *root = &t->locs[of];
    const char *problem = view_problem(a, l, root);
    l->of = l->va = problem ? view : of;
    if (problem) return problem;
    l->space = root->space;
    l->gpu = root->gpu;
    view_share(t, of);
    return NULL;
}

/* Returns the view of this type at byte `at` of each element. Makes it if there is none. */
static int view_in_each(struct test *t, struct arena *a, int loc, const char *name, struct type type,
                        int at) {
    struct location l = t->locs[loc];
    int of = location_root(t, loc);
    for (int k = 0; k < t->nlocs; k++) {
        const struct location *known = &t->locs[k];
        bool is_root = k == of && (!l.view || l.in_each);
        if ((is_root || (known->in_each && known->of == of)) && known->at == at &&
            type_same(known->type, type))
            return k;
    }
    l.name = name;
    l.type = type;
    if (!l.view) l.va = loc;
    l.view = l.in_each = true;
    l.of = of;
    l.at = at;
    t->locs = arena_grow(a, t->locs, (size_t)t->nlocs, (size_t)t->nlocs + 1, sizeof *t->locs);
    t->locs[t->nlocs++] = l;
    view_share(t, of);
    return t->nlocs - 1;
}

int view_of_lane(struct arena *a, struct test *t, int loc, int lane) {
    const struct location *l = &t->locs[loc];
    struct type type = type_lane(l->type);
    const char *name = arena_printf(a, "%s.%c", l->name, type_lane_name(lane));
    return view_in_each(t, a, loc, name, type, l->at + lane * type_bytes(type));
}

int view_of_member(struct arena *a, struct test *t, int loc, const char *name, struct type type, int at) {
    int view = view_in_each(t, a, loc, name, type, at);
    t->locs[view].member = true;
    return view;
}

int view_as(struct arena *a, struct test *t, int loc, struct type type) {
    const struct location *l = &t->locs[loc];
    bool scalars = !type_is_vector(l->type) && !type_is_vector(type);
    if (!scalars || l->type.bits != type.bits || type.bits > 64) return -1;
    const char *name = arena_printf(a, strchr(l->name, '.') ? "%s_%s" : "%s.%s", l->name, type_name(type));
    return view_in_each(t, a, loc, name, type, l->at);
}

int view_of_bytes(struct arena *a, struct test *t, int loc, struct type type, int at) {
    const struct location *l = &t->locs[loc];
    const char *name = arena_printf(a, "%s.%s", l->name, type_name(type));
    return view_in_each(t, a, loc, at ? arena_printf(a, "%s_%d", name, at) : name, type, l->at + at);
}

struct type view_parts(const struct test *t, int loc) {
    const struct location *l = &t->locs[loc];
    if (!l->grain || l->grain == type_bytes(type_lane(l->type))) return l->type;
    return (struct type){.bits = (uint8_t)(8 * l->grain), .lanes = (uint8_t)(type_bytes(l->type) / l->grain)};
}

void view_part(const struct test *t, int loc, int part, int *element, int *lane) {
    const struct location *l = &t->locs[loc];
    *lane = part;
    if (!l->grain) return;
    *lane += l->at / l->grain;
    if (!l->view || l->in_each) return;
    *lane += *element % l->count * type_bytes(l->type) / l->grain;
    *element /= l->count; /* the index within this block's copy */
}
