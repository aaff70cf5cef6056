/* Copies that are more than one operation: those that read fewer bytes than they write; and what libcu++ has for copies that an
 * mbarrier waits for, cuda::memcpy_async, and the mbarrier of a cuda::barrier. */
#include "litmus/copy.h"
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
    const struct tree *n = arguments_take(p, &left, "an mbarrier");
    arguments_end(p, &left);
    return p->panic ? (struct place){.loc = -1} : place_argument(p, n, left.usage);
}

static bool is_filled(const struct tree *n) {
    return is_called(n, "", "__pipeline_memcpy_async") && tree_is_word(n->a) && call_arguments(n) > 3;
}

bool transfer_knows(struct parser *p, const struct tree *n) {
    return transfer_leads(p, n) || is_called(n, "cuda", "memcpy_async") || is_filled(n);
}

/* ---- copies that read fewer bytes than they write ---- */

static struct stmts with_zeros(struct parser *p, struct op op, int zeros) {
    struct stmts old = stmts_capture(p);
    op.zeros = zeros;
    copy_check(p, &op);
    if (!p->panic) stmt_add_op(p, op);
    return stmts_restore(p, old);
}

/* A number that only the thread knows when it runs: a copy for each that it can be, of which one is done. Another one is
 * beyond what PTX defines, or not of whole elements. */
static struct stmts with_any_zeros(struct parser *p, struct op op, struct expr *zeros) {
    int element = type_bytes(copy_data(p->test, &op, 0)->type);
    struct stmts old = stmts_capture(p);
    stmt_add_op(p, op_astray(op.pos));
    struct stmts rest = stmts_restore(p, old);
    for (int k = op.bytes / element; k >= 0 && !p->panic; k--) {
        struct expr *is = expr_new(p, EXPR_EQ, op.pos, zeros, expr_int(p, op.pos, k * element));
        struct stmts here = with_zeros(p, op, k * element);
        old = stmts_capture(p);
        stmt_add_if(p, op.pos, is, here, rest);
        rest = stmts_restore(p, old);
    }
    return rest;
}

void transfer_fill(struct parser *p, struct op op, struct expr *zeros) {
    struct expr *known = body_fold(p, zeros);
    if (p->panic) return;
    if (known->kind != EXPR_INT) {
        stmts_append(p, with_any_zeros(p, op, known));
        return;
    }
    long long n = expr_number(known, NULL);
    stmts_append(p, with_zeros(p, op, n > -OP_MAX_BYTES && n <= OP_MAX_BYTES ? (int)n : -OP_MAX_BYTES));
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

static struct place at_piece(struct parser *p, struct place place, int elements) {
    struct expr *further = expr_int(p, place.pos, elements);
    place.index = place.index ? expr_new(p, EXPR_ADD, place.pos, place.index, further) : further;
    return place;
}

/* __pipeline_memcpy_async(&X, &Y, size, zfill) */
static void copy_filled(struct parser *p, const struct tree *n) {
    struct arguments left = arguments_of(n, "__pipeline_memcpy_async(&X, &Y, size, zfill)");
    struct op op = op_make(COPY_ASYNC, n->a->at->pos);
    for (int k = 0; k < 2; k++) {
        const struct tree *end = arguments_take(p, &left, "an address");
        struct place place = p->panic ? (struct place){.loc = -1} : place_argument(p, end, left.usage);
        op.place[k] = access_place(&place);
    }
    const struct tree *size = arguments_take(p, &left, "a number of bytes"),
                      *zeros = arguments_take(p, &left, "a number of bytes");
    arguments_end(p, &left);
    op.bytes = p->panic ? 0 : known_number(p, size, "a number of bytes");
    if (p->panic || op.place[0].loc < 0 || op.place[1].loc < 0) return;
    op.type = access_type(p, op.place[0].loc);
    struct expr *given = expr_scalar(p, lower_value(p, zeros), "a number of bytes");
    if (!p->panic) transfer_fill(p, op, expr_cast(p, given, type_int));
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
        struct place at = number ? at_piece(p, ends[k], number * elements) : ends[k];
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
    struct place ends[2], told = {.loc = -1};
    for (int k = 0; k < 2; k++) {
        const struct tree *end = arguments_take(p, &left, "an address");
        ends[k] = p->panic ? told : place_argument(p, end, left.usage);
    }
    arguments_take(p, &left, "a number of bytes");
    const struct tree *bar = arguments_take(p, &left, "a barrier");
    arguments_end(p, &left);
    if (!p->panic) told = place_argument(p, bar, left.usage);
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
    else if (is_filled(n))
        copy_filled(p, n);
    else
        copy_for_barrier(p, n);
    return NULL;
}

/* ---- a cuda::barrier that is an mbarrier ---- */

/* Whether a text hands the barrier of this name to a function that is for mbarriers alone. */
static bool is_handed(const struct token *t, const struct token *name) {
    static const char *const takers[] = {"memcpy_async", "memcpy_async_tx", "barrier_arrive_tx",
                                         "barrier_expect_tx", "barrier_native_handle"};
    bool inside = false;
    for (; t->kind != TOK_END; t++) {
        for (size_t k = 0; k < sizeof takers / sizeof *takers; k++)
            inside = inside || token_is_word(t, takers[k]);
        inside = inside && t->kind != ';';
        if (inside && token_is_word(t, name->text)) return true;
    }
    return false;
}

struct type transfer_barrier(const struct parser *p, const struct token *name) {
    int loc = find_location(p->test, name->text);
    bool native =
        loc >= 0 ? type_same(p->test->locs[loc].type, type_uint64) : is_handed(p->syntax.first, name);
    return native ? type_uint64 : type_unsigned;
}

const struct reference *transfer_undeclared(const struct parser *p, const struct token *name) {
    int loc = name->kind == TOK_NAME ? find_location(p->test, name->text) : -1;
    const struct location *l = loc < 0 ? NULL : &p->test->locs[loc];
    if (!l || l->array || !type_same(l->type, type_uint64) || !space_rows[l->space].of_block) return NULL;
    struct reference *ref = arena_alloc(p->arena, sizeof *ref);
    *ref = (struct reference){.name = name->text, .pos = name->pos, .scope = SCOPE_CTA};
    ref->place = (struct place){.loc = loc, .pos = name->pos};
    ref->of_location = ref->is_barrier = true;
    return ref;
}
