/* printf and assert, which real kernels have beside what they do to memory. */
#include "lower/calls.h"

bool console_knows(struct parser *p, const struct tree *n) {
    (void)p;
    bool word = n->kind == TREE_CALL && tree_is_word(n->a);
    return word && (token_is_word(n->a->at, "printf") || token_is_word(n->a->at, "assert"));
}

/* printf("%d", X) reads X. */
static void lower_printf(struct parser *p, const struct tree *n) {
    if (!n->b || n->b->kind != TREE_TEXT)
        parse_error(p, n->a->at->after, "expected a text: printf(\"%%d\", X)");
    for (const struct tree *k = n->b; k && !p->panic; k = k->next)
        if (k->kind != TREE_TEXT && (place_is(p, k) || !place_is_address(p, k)))
            access_drop(p, lower_value(p, k));
    if (!p->panic)
        diag_warning(p->diag, p->source, n->a->at->pos,
                     "printf prints nothing in a test; what it is given is read");
}

/* assert(X == 1): a trap where the condition is false. */
static void lower_assert(struct parser *p, const struct tree *n) {
    struct pos pos = n->a->at->pos;
    if (!n->b || n->b->next) parse_error(p, n->a->at->after, "expected a condition: assert(X == 1)");
    struct expr *holds = p->panic ? NULL : expr_scalar(p, lower_value(p, n->b), "a condition");
    if (p->panic) return;
    struct stmts before = stmts_capture(p);
    guard_begin(p, holds, false);
    stmt_add_op(p, op_make(TRAP_HERE, pos));
    guard_end(p);
    struct stmts trap = stmts_restore(p, before);
    stmt_add_if(p, pos, holds, (struct stmts){0}, trap);
}

struct expr *console_use(struct parser *p, const struct tree *n) {
    (token_is_word(n->a->at, "printf") ? lower_printf : lower_assert)(p, n);
    return NULL;
}
