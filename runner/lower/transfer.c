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
                    "not supported yet: cuda::memcpy_async but of cuda::aligned_size_t<16>(size) and a "
                    "barrier");
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
