/* Checks which places and sizes asynchronous copies have. */
#include "litmus/copy.h"

/* ---- tensor maps ---- */

int copy_map(const struct op *op) {
    const struct op_row *row = &op_rows[op->name];
    if (row->tensor) return row->to >> SPACE_SHARED & 1;
    return op->place[0].loc >= 0 && row->maps ? 0 : -1;
}

bool copy_is_by_map(const struct op *op) {
    return op_rows[op->name].tensor && op_kinds[op->kind].engine;
}

/* Returns the array to which a map leads at first. */
static int first_array(const struct location *map) {
    return (int)map->init.lo;
}

const struct location *copy_data(const struct test *t, const struct op *op, int place) {
    const struct location *l = &t->locs[op->place[place].loc];
    return l->map ? &t->locs[first_array(l)] : l;
}

const char *copy_map_problem(const struct location *l) {
    bool array = l->array && !l->view && !l->map && l->space == SPACE_GLOBAL;
    if (array && type_bytes(l->type) * l->count >= MAP_BOX) return NULL;
    return "a tensor map leads to an array in global memory, of 16 bytes or more, that is no view";
}

const char *copy_map_misuse(struct arena *a, const struct test *t, const struct op *op, int place) {
    const struct location *l = &t->locs[op->place[place].loc];
    if (l->map == (place == copy_map(op))) return NULL;
    if (!l->map) return arena_printf(a, "'%s' is no tensor map, as m: {type: tensormap, of: a} is", l->name);
    return arena_printf(a,
                        "'%s' is a tensor map: only tensormap.replace changes it, and only tensor copies and "
                        "fences use it",
                        l->name);
}

bool copy_map_leads(const struct test *t, int map, int loc) {
    if (first_array(&t->locs[map]) == loc) return true;
    for (int k = 1; k <= t->nops; k++) {
        const struct op *op = &t->ops[k];
        if (op->name == MAP_REPLACE && op->place[0].loc == map && expr_number(op->value, NULL) == loc)
            return true;
    }
    return false;
}

/* ---- copies ---- */

static const char *memory_of(unsigned spaces) {
    return spaces >> SPACE_SHARED & 1 ? "shared" : "global";
}

/* Returns what messages call a copy of this row. */
static const char *what_copies(const struct op_row *row) {
    if (row->kind == OP_CLEAR) return "st.bulk";
    if (row->kind == OP_SEND) return "st.async";
    return row->engine == ENGINE_BULK ? "a bulk copy" : "an asynchronous copy";
}

/* Returns what is wrong with the size of a copy; or NULL. */
static const char *size_problem(struct arena *a, const struct op *op) {
    int multiple = op_rows[op->name].multiple;
    if (op->zeros < 0 || op->zeros > op->bytes)
        return arena_printf(a, "an asynchronous copy of %d bytes reads as many or fewer, not %d", op->bytes,
                            op->bytes - op->zeros);
    if (multiple ? op->bytes % multiple == 0 : op->bytes == 4 || op->bytes == 8 || op->bytes == 16)
        return NULL;
    if (!multiple)
        return arena_printf(a, "an asynchronous copy is of 4, 8 or 16 bytes, not of %d", op->bytes);
    return arena_printf(a, "%s is of a multiple of %d bytes, not of %d", what_copies(&op_rows[op->name]),
                        multiple, op->bytes);
}

static const char *space_problem(struct arena *a, const struct test *t, const struct op *op) {
    const struct op_row *row = &op_rows[op->name];
    const struct location *only = &t->locs[op->place[0].loc];
    bool source = op_kinds[op->kind].touches[1];
    if (!source && !(row->to >> only->space & 1))
        return arena_printf(a, "%s writes shared memory (space: shared): '%s' is %s", what_copies(row),
                            only->name, space_name(only->space));
    if (!source) return NULL;
    const struct location *to = copy_data(t, op, 0), *from = copy_data(t, op, 1);
    const struct location *wrong = row->to >> to->space & 1 ? from : to;
    if (row->to >> to->space & row->from >> from->space & 1) return NULL;
    return arena_printf(a, "%s is from %s to %s memory (space: shared): '%s' is %s", what_copies(row),
                        memory_of(row->from), memory_of(row->to), wrong->name, space_name(wrong->space));
}

/* Whether the index of a place is a multiple of so many bytes, as far as that is known. */
static bool is_aligned(const struct test *t, const struct body *b, const struct op_place *at, int bytes) {
    int size = type_bytes(t->locs[at->loc].type);
    for (int tid = 0; at->index && expr_is_known(at->index) && tid < b->count; tid++) {
        struct expr_env env = body_env(b, tid);
        if (expr_number(at->index, &env) * size % bytes) return false;
    }
    return true;
}

static const char *place_problem(struct arena *a, const struct test *t, const struct body *b,
                                 const struct op *op, int place) {
    const struct op_place *at = &op->place[place];
    const struct location *l = copy_data(t, op, place);
    int size = type_bytes(l->type), multiple = op_rows[op->name].multiple;
    int bytes = place == 1 ? op->bytes - op->zeros : op->bytes;
    if (l->grain && l->grain < type_bytes(type_lane(l->type)))
        return "a copy of bytes that locations of several sizes share is not supported yet";
    if (op->bytes % size || bytes % size) return "a copy is of whole elements";
    if (bytes / size > l->count) return "a copy is no longer than the array";
    if (!bytes) return NULL; /* such a copy reads nothing */
    if (place == copy_map(op) || is_aligned(t, b, at, multiple ? multiple : op->bytes)) return NULL;
    return multiple ? arena_printf(a, "%s begins at a multiple of %d bytes", what_copies(&op_rows[op->name]),
                                   multiple)
                    : "a copy begins at a multiple of its size";
}

const char *copy_problem(struct arena *a, const struct test *t, const struct body *b, const struct op *op) {
    const char *why = NULL;
    int ends = op_kinds[op->kind].touches[1] ? OP_DATA : 1;
    for (int k = 0; k < ends && !why; k++)
        why = copy_map_misuse(a, t, op, k);
    const struct location *to = copy_data(t, op, 0), *from = copy_data(t, op, ends - 1);
    if (!why) why = size_problem(a, op);
    if (!why && op->kind == OP_FETCH_CHANGE && to->type.real)
        why = "a bulk reduction into shared memory is of integers";
    const struct op_row *row = &op_rows[op->name];
    const char *needs =
        row->tensor && op_kinds[op->kind].touches[0] == TOUCH_CHANGES ? op_needs(row->types, to->type) : NULL;
    if (!why && needs)
        why = arena_printf(a, "this tensor reduction is of %s, and '%s' is of type %s", needs, to->name,
                           type_name(to->type));
    if (!why && !type_same(to->type, from->type))
        why = arena_printf(a, "'%s' and '%s' are not of the same type", to->name, from->name);
    if (!why) why = space_problem(a, t, op);
    for (int k = 0; k < ends && !why; k++)
        why = place_problem(a, t, b, op, k);
    return why;
}
