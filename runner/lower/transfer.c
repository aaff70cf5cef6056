/* What libcu++ has for copies that an mbarrier waits for: cuda::memcpy_async. */
#include "lower/calls.h"

enum { SIZE = 2 }; /* which argument of a copy it is */

static bool is_called(const struct tree *n, const char *space, const char *name) {
    const struct tree *callee = n->kind == TREE_CALL ? n->a : NULL;
    if (!callee || callee->kind != TREE_NAME || !token_is_word(callee->at, name)) return false;
    return tree_is_word(callee) || token_is_word(callee->at - 3, space);
}

bool transfer_leads(const struct parser *p, const struct tree *n) {
    (void)p;
    return is_called(n, "device", "barrier_native_handle");
}

struct place transfer_address(struct parser *p, const struct tree *call) {
    struct arguments left = arguments_of(call, "barrier_native_handle(bar)");
    struct place place = arguments_place(p, &left, "an mbarrier");
    arguments_end(p, &left);
    return place;
}

bool transfer_knows(struct parser *p, const struct tree *n) {
    return transfer_leads(p, n) || is_called(n, "cuda", "memcpy_async");
}

/* A number among the arguments that is known; or 0. */
static int known_number(struct parser *p, const struct tree *n, const char *what) {
    struct expr *e = p->panic ? NULL : body_fold(p, lower_value(p, n));
    if (!e || p->panic) return 0;
    if (e->kind != EXPR_INT) parse_error(p, e->pos, "expected %s that is known", what);
    long long number = e->kind == EXPR_INT ? expr_number(e, NULL) : 0;
    return number > 0 && number <= OP_MAX_BYTES ? (int)number : 0;
}

/* What the size of a copy says: the bytes, and to how many bytes all is aligned, which is else an element's size. */
struct transfer_size {
    int bytes, aligned;
};

static struct transfer_size size_of(struct parser *p, const struct tree *call) {
    const struct tree *n = call->b;
    for (int k = 0; n && k < SIZE; k++)
        n = n->next;
    if (!n) return (struct transfer_size){0};
    if (!call_is_aligned(n)) return (struct transfer_size){known_number(p, n, "a number of bytes"), 0};
    int aligned = n->a->b ? known_number(p, n->a->b, "an alignment") : 0;
    return (struct transfer_size){n->b ? known_number(p, n->b, "a number of bytes") : 0, aligned};
}

/* The threads that make a copy together, and which of them one is. */
struct together {
    struct expr *rank;
    int size;
};

/* Adds statements for the thread of this number. */
static void add_for(struct parser *p, const struct together *all, int rank, struct stmts what,
                    struct pos pos) {
    if (all->size > 1)
        stmt_add_if(p, pos, expr_new(p, EXPR_EQ, pos, all->rank, expr_int(p, pos, rank)), what,
                    (struct stmts){0});
    else
        stmts_append(p, what);
}

/* One piece of a copy that is less than a bulk copy: a cp.async. */
static void add_piece(struct parser *p, const struct place ends[2], int bytes, int number) {
    struct op op = op_make(COPY_ASYNC, ends[0].pos);
    int elements = bytes / type_bytes(access_type(p, ends[0].loc));
    for (int k = 0; k < 2; k++) {
        struct place at = ends[k];
        struct expr *further = expr_int(p, at.pos, number * elements);
        if (number) at.index = at.index ? expr_new(p, EXPR_ADD, at.pos, at.index, further) : further;
        op.place[k] = access_place(&at);
    }
    op.type = access_type(p, ends[0].loc);
    op.bytes = bytes;
    copy_check(p, &op);
    if (!p->panic) stmt_add_op(p, op);
}

/* What libcu++ makes of a copy that is not known to be aligned to 16 bytes: a cp.async for every 4 or 8 bytes, by the threads in
 * turn, and then an arrival of each at the barrier behind them. */
static void copy_small(struct parser *p, const struct tree *n, struct transfer_size size,
                       const struct together *all) {
    struct arguments left = arguments_of(n, "memcpy_async(&X, &Y, size, B)");
    struct place ends[2];
    for (int k = 0; k < 2; k++)
        ends[k] = arguments_place(p, &left, "an address");
    arguments_take(p, &left, "a number of bytes");
    struct place told = arguments_place(p, &left, "a barrier");
    arguments_end(p, &left);
    if (p->panic) return;
    if (ends[0].loc < 0 || ends[1].loc < 0 || told.loc < 0) return;
    int element = type_bytes(access_type(p, ends[0].loc)),
        piece = size.aligned > element ? size.aligned : element;
    access_check_mbarrier(p, told.loc, told.pos);
    if (piece < 4 || piece > 8 || size.bytes % piece)
        parse_error(p, n->first->pos,
                    piece > 8
                        ? "a bulk copy is of cuda::aligned_size_t<16>(size)"
                        : "not supported yet: a copy by the thread itself, of less than 4 aligned bytes");
    for (int k = 0; k < size.bytes / piece && !p->panic; k++) {
        struct stmts before = stmts_capture(p);
        add_piece(p, ends, piece, k);
        add_for(p, all, k % all->size, stmts_restore(p, before), n->first->pos);
    }
    struct op arrives = op_make(COPY_ARRIVE, told.pos);
    arrives.place[0] = access_place(&told);
    arrives.type = type_unsigned;
    if (!p->panic) stmt_add_op(p, arrives);
}

/* A bulk copy, then the expectation of its bytes, as libcu++ has them, by the first thread. */
static void copy_bulk(struct parser *p, const struct tree *n, const struct together *all) {
    size_t errors = p->diag->errors;
    struct stmts before = stmts_capture(p);
    if (!p->panic) call_of_name(p, n, "memcpy_async_tx");
    if (!p->panic && p->diag->errors == errors) mbarrier_expect(p, p->out.last->op);
    add_for(p, all, 0, stmts_restore(p, before), n->first->pos);
}

/* The threads of cuda::memcpy_async(group, &X, &Y, size, bar). */
static struct together threads_of(struct parser *p, const struct tree *n) {
    struct pos pos = n->first->pos;
    struct group g = groups_of(p, n);
    bool alone = p->test->nbodies == 1 && p->body->count == 1 && !p->body->grid;
    if (p->panic || alone) return (struct together){.size = 1};
    bool part = g.kind == GROUP_BLOCK || g.kind == GROUP_TILE;
    if (!part)
        parse_error(p, pos, "not supported yet: a copy by a group that is no block, and no tile of one");
    else if (!p->body->grid)
        parse_error(p, pos, "a copy by a group is for a thread of a grid: {grid: 1, block: 64, body: ...}");
    if (p->panic) return (struct together){.size = 1};
    return (struct together){expr_cast(p, grid_rank(p, g, pos), type_int),
                             g.kind == GROUP_TILE ? g.size : p->body->block};
}

/* cuda::memcpy_async(&X, &Y, size, bar), also with a group before it: as one bulk copy, or as smaller ones. */
static void copy_for_barrier(struct parser *p, const struct tree *n) {
    struct together all = {.size = 1};
    struct tree call = *n;
    if (call_arguments(n) == 5) {
        all = threads_of(p, n->b);
        call.b = n->b->next;
    }
    struct transfer_size size = p->panic ? (struct transfer_size){0} : size_of(p, &call);
    if (size.bytes && size.aligned < 16)
        copy_small(p, &call, size, &all);
    else
        copy_bulk(p, &call, &all);
}

struct expr *transfer_use(struct parser *p, const struct tree *n) {
    if (transfer_leads(p, n))
        parse_error(p, n->first->pos, "this is an address: uint64_t *handle = barrier_native_handle(bar)");
    else
        copy_for_barrier(p, n);
    return NULL;
}
