/* What the parts of the translation of a model into terms share: names and types (terms.c), and what herd has and models
 * here have not (terms_foreign.c). Private to them. */
#ifndef CULITMUS_TERMS_BUILDER_H
#define CULITMUS_TERMS_BUILDER_H

#include "cat/terms.h"

/* The names that can be seen at some point of the model. */
struct scope {
    const char *name;
    int term; /* or -1: a function */
    const struct cat_binding *function;
    const struct cat_expr *unread; /* the CAT_UNREAD by which it is defined; or NULL */
    const struct scope *env;       /* where the function was defined */
    const struct scope *next;
};

struct terms_builder {
    struct arena *arena;
    struct diag *diag;
    struct terms *out;
    const struct scope *scope;
    const struct scope *outer; /* what was entered last, and not left; its env is what was entered before */
    int depth;                 /* of calls */
    int local;                 /* of what is defined within an expression or a procedure */
    int steps;                 /* expressions that were translated; a function again in each call */
    int nothing;               /* the term of 0 */
    int unknown;               /* stands for a function's argument while its body is checked */
    bool says[SAYS_COUNT];
    const char **absent; /* the names that were used and are empty in every CUDA test, each once */
    size_t nabsent;
    const struct cat_expr *first_absent;
};

/* The term of an expression. Reports errors; the term is then empty. */
int terms_term_of(struct terms_builder *b, const struct cat_expr *e);
const struct scope *terms_find_defined(const struct terms_builder *b, const char *name);
/* The term of a name that the model did not define, or -1. */
int terms_find_builtin(struct terms_builder *b, const char *name);

/* Whether all names of an expression are defined: `try` asks for no more. */
bool terms_is_known(struct terms_builder *b, const struct cat_expr *e);
/* The CAT_UNREAD that an expression, a binding or a `let` uses; NULL: none. */
const struct cat_expr *terms_find_used(const struct terms_builder *b, const struct cat_expr *e);
const struct cat_expr *terms_find_unread_of(const struct terms_builder *b, const struct cat_binding *x);
const struct cat_expr *terms_find_unread(const struct terms_builder *b, const struct cat_stmt *s);
/* Defines the functions of herd's program that models here have not (library_unread), so that an error can
 * say so. */
void terms_forget_unread(struct terms_builder *b);
/* Whether an unknown name is one of herd's that is empty in every CUDA test; then the warning of
 * terms_report_absent names it. */
bool terms_is_absent(struct terms_builder *b, const struct cat_expr *e);
void terms_report_absent(struct terms_builder *b);
/* Whether a name is addr, data or ctrl in a model that computes these itself (catdep): the tool's own stand
 * for them. */
bool terms_is_own(const struct terms_builder *b, const char *name);
/* Whether a term is empty, whatever the test. */
bool terms_is_nothing(const struct terms_builder *b, int t);
/* Whether an expression is a list of orders (enumerate-ordered-pairs) of no pairs. Any other one is an error. */
bool terms_is_of_no_pairs(struct terms_builder *b, const struct cat_expr *e);

#endif
