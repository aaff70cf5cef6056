/* What libcu++ has for copies that an mbarrier waits for: cuda::memcpy_async, and the mbarrier of a cuda::barrier. */
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

static struct place at_piece(struct parser *p, struct place place, int elements) {
    struct expr *further = expr_int(p, place.pos, elements);
    place.index = place.index ? expr_new(p, EXPR_ADD, place.pos, place.index, further) : further;
    return place;
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

/* What libcu++ makes of a copy that is not known to be aligned to 16 bytes: a cp.async for every 4 or 8 bytes, and then an
 * arrival at the barrier behind them. */
static void copy_small(struct parser *p, const struct tree *n, struct transfer_size size) {
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
    for (int k = 0; k < size.bytes / piece && !p->panic; k++)
        add_piece(p, ends, piece, k);
    struct op arrives = op_make(COPY_ARRIVE, told.pos);
    arrives.place[0] = access_place(&told);
    arrives.type = type_unsigned;
    if (!p->panic) stmt_add_op(p, arrives);
}

/* A bulk copy, then the expectation of its bytes, as libcu++ has them; or smaller copies. */
struct expr *transfer_use(struct parser *p, const struct tree *n) {
    if (transfer_leads(p, n)) {
        parse_error(p, n->first->pos, "this is an address: uint64_t *handle = barrier_native_handle(bar)");
        return NULL;
    }
    struct transfer_size size = size_of(p, n);
    if (size.bytes && size.aligned < 16) {
        copy_small(p, n, size);
        return NULL;
    }
    size_t errors = p->diag->errors;
    if (!p->panic) call_of_name(p, n, "memcpy_async_tx");
    if (!p->panic && p->diag->errors == errors) mbarrier_expect(p, p->out.last->op);
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

bool transfer_is_native(const struct parser *p, const struct reference *ref) {
    return type_same(p->test->locs[ref->place.loc].type, type_uint64);
}

struct expr *transfer_add(struct parser *p, enum op_name name, const struct place *at, struct expr *value) {
    struct op op = op_make(name, at->pos);
    op.place[0] = access_place(at);
    op.type = name == MBARRIER_TRY ? type_uint64 : type_unsigned;
    op.result = name == MBARRIER_TRY ? type_int : type_uint64;
    op.value = value;
    struct op *added = stmt_add_op(p, op);
    return op_kinds[op.kind].returns ? access_result(p, added) : NULL;
}

/* Tries until the phase of the token is over. */
void transfer_wait(struct parser *p, const struct place *at, struct expr *token) {
    struct stmts before = stmts_capture(p);
    struct expr *over = transfer_add(p, MBARRIER_TRY, at, token);
    protocol_poll(p, before, over, at->pos);
}
