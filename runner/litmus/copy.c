/* Asynchronous copies: what their places and their size must be. */
#include "litmus/copy.h"

static const char *memory_of(unsigned spaces) {
    return spaces >> SPACE_SHARED & 1 ? "shared" : "global";
}

/* How a copy of the row is called. */
static const char *what_copies(const struct op_row *row) {
    return row->engine == ENGINE_BULK ? "a bulk copy" : "an asynchronous copy";
}

/* What is wrong with the size of a copy; or NULL. */
static const char *size_problem(struct arena *a, const struct op *op) {
    int multiple = op_rows[op->name].multiple;
    if (multiple ? op->bytes % multiple == 0 : op->bytes == 4 || op->bytes == 8 || op->bytes == 16)
        return NULL;
    if (!multiple)
        return arena_printf(a, "an asynchronous copy is of 4, 8 or 16 bytes, not of %d", op->bytes);
    return arena_printf(a, "a bulk copy is of a multiple of %d bytes, not of %d", multiple, op->bytes);
}

static const char *space_problem(struct arena *a, const struct test *t, const struct op *op) {
    const struct op_row *row = &op_rows[op->name];
    const struct location *to = &t->locs[op->place[0].loc], *from = &t->locs[op->place[1].loc];
    const struct location *wrong = row->to >> to->space & 1 ? from : to;
    if (row->to >> to->space & row->from >> from->space & 1) return NULL;
    return arena_printf(a, "%s is from %s to %s memory (space: shared): '%s' is %s", what_copies(row),
                        memory_of(row->from), memory_of(row->to), wrong->name, space_name(wrong->space));
}

/* The index of a place begins at a multiple of so many bytes, as far as is known. */
static bool is_aligned(const struct test *t, const struct body *b, const struct op_place *at, int bytes) {
    int size = type_bytes(t->locs[at->loc].type);
    for (int tid = 0; at->index && expr_is_known(at->index) && tid < b->count; tid++) {
        struct expr_env env = body_env(b, tid);
        if (expr_number(at->index, &env) * size % bytes) return false;
    }
    return true;
}

static const char *place_problem(struct arena *a, const struct test *t, const struct body *b,
                                 const struct op *op, const struct op_place *at) {
    const struct location *l = &t->locs[at->loc];
    int size = type_bytes(l->type), multiple = op_rows[op->name].multiple;
    if (l->grain && l->grain < type_bytes(type_lane(l->type)))
        return "a copy of bytes that locations of several sizes share is not supported yet";
    if (op->bytes % size) return "a copy is of whole elements";
    if (op->bytes / size > l->count) return "a copy is no longer than the array";
    if (is_aligned(t, b, at, multiple ? multiple : op->bytes)) return NULL;
    return multiple ? arena_printf(a, "a bulk copy begins at a multiple of %d bytes", multiple)
                    : "a copy begins at a multiple of its size";
}

const char *copy_problem(struct arena *a, const struct test *t, const struct body *b, const struct op *op) {
    const struct location *to = &t->locs[op->place[0].loc], *from = &t->locs[op->place[1].loc];
    const char *why = size_problem(a, op);
    if (!why && !type_same(to->type, from->type))
        why = arena_printf(a, "'%s' and '%s' are not of the same type", to->name, from->name);
    if (!why) why = space_problem(a, t, op);
    for (int k = 0; k < OP_DATA && !why; k++)
        why = place_problem(a, t, b, op, &op->place[k]);
    return why;
}
