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

/* Its size must be known to be aligned: what libcu++ makes of others is no bulk copy. */
static void check_aligned(struct parser *p, const struct tree *call) {
    const struct tree *n = call->b;
    for (int k = 0; n && k < SIZE; k++)
        n = n->next;
    if (n && !call_is_aligned(n))
        parse_error(p, n->first->pos,
                    "not supported yet: cuda::memcpy_async takes cuda::aligned_size_t<16>(size) and a "
                    "barrier here");
}

/* The copy, then the expectation of its bytes, as libcu++ has them. */
struct expr *transfer_use(struct parser *p, const struct tree *n) {
    if (transfer_leads(p, n)) {
        parse_error(p, n->first->pos, "this is an address: uint64_t *handle = barrier_native_handle(bar)");
        return NULL;
    }
    check_aligned(p, n);
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
