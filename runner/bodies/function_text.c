/* What the text of a function says, before a call of it is read. */
#include <string.h>

#include "bodies/bodies.h"

struct function_text *function_find(const struct parser *p, const struct token *name) {
    for (int k = 0; k < p->nfunctions && !p->panic && name->kind == TOK_NAME; k++)
        if (strcmp(p->functions[k].name, name->text) == 0) return &p->functions[k];
    return NULL;
}

const struct tree *function_returned(const struct parser *p, const struct tree *n,
                                     const struct token **parameter) {
    bool word = n->kind == TREE_CALL && tree_is_word(n->a) && n->b && !n->b->next;
    const struct function_text *f = word ? function_find(p, n->first) : NULL;
    const struct tree *only = f ? f->tree->c : NULL, *text = f ? f->tree->b->a : NULL;
    if (!only || only->next || only->fault || !text || text->next || text->kind != TREE_RETURN) return NULL;
    *parameter = only->b->at;
    return text->a;
}

/* Whether it is a register of this name, or an element of one. */
static bool is_of(const struct tree *n, const char *name) {
    while (n->kind == TREE_GROUPED || n->kind == TREE_MEMBER || n->kind == TREE_INDEX)
        n = n->a;
    return tree_is_word(n) && token_is_word(n->at, name);
}

/* Whether a call may write a register that is its argument: a function of the text by a reference, or a member, as
 * f.compare_exchange_weak(e, 1). */
static bool call_writes(const struct parser *p, const struct tree *call, const char *name) {
    const struct function_text *f = tree_is_word(call->a) ? function_find(p, call->first) : NULL;
    const struct tree *parameter = f ? f->tree->c : NULL;
    for (const struct tree *n = call->b; n; n = n->next) {
        bool refers = parameter ? parameter->b->flags & DECLARES_REFERENCE : !tree_is_word(call->a);
        if (refers && is_of(n, name)) return true;
        if (parameter) parameter = parameter->next;
    }
    return false;
}

bool function_may_write(const struct parser *p, const struct tree *n, const char *name) {
    for (; n; n = n->next) {
        bool output = n->kind == TREE_OPERAND && strchr("=+", n->at->text[1]);
        bool sets = n->kind == TREE_ASSIGN || n->kind == TREE_STEP || n->kind == TREE_BEHIND ||
                    n->kind == TREE_ADDRESS;
        bool refers = n->kind == TREE_DECLARATOR && n->flags & DECLARES_REFERENCE;
        if ((output || sets) && is_of(n->a, name)) return true;
        if (refers && n->b && is_of(n->b, name)) return true;
        if (n->kind == TREE_CALL && call_writes(p, n, name)) return true;
        if (function_may_write(p, n->a, name) || function_may_write(p, n->b, name) ||
            function_may_write(p, n->c, name) || function_may_write(p, n->d, name))
            return true;
    }
    return false;
}
