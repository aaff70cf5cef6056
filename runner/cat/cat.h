/* Reads the text of a model: a .cat file becomes statements over expressions. Names and types are looked at later.
 *
 * The language is a subset of herd's (Alglave, Cousot, Maranget: "Syntax and semantics of the weak consistency model
 * specification language cat", 2016), with one form of its own: `with x from order(M, C)`. docs/models.md describes it.
 * Everything lives in the arena that it was read into. */
#ifndef CULITMUS_CAT_H
#define CULITMUS_CAT_H

#include "base/arena.h"
#include "base/diag.h"

enum cat_expr_kind {
    CAT_NAME,  /* name */
    CAT_CALL,  /* name(args) */
    CAT_EMPTY, /* 0 */
    CAT_ALL,   /* _ */
    CAT_UNION,
    CAT_SEQ,
    CAT_DIFF,
    CAT_INTER,
    CAT_PRODUCT, /* a | b   a ; b   a \ b   a & b   a * b */
    CAT_COMPL,
    CAT_INVERSE,
    CAT_PLUS,
    CAT_STAR,
    CAT_OPT,    /* ~a   a^-1   a+   a*   a? */
    CAT_DIAG,   /* [a] */
    CAT_LET_IN, /* let bindings in a */
    CAT_TRY,    /* try a with b */
    CAT_UNREAD, /* what herd has and models here have not; name: "'match'" */
};

struct cat_expr {
    enum cat_expr_kind kind;
    const struct source *source;
    struct pos pos;
    const char *name;
    struct cat_expr *a, *b;
    struct cat_expr *next; /* the next argument of a call */
    struct cat_stmt *let;  /* LET_IN */
};

struct cat_param {
    const char *name;
    struct cat_param *next;
};

/* name = expr, or name(params) = expr */
struct cat_binding {
    const char *name;
    struct pos pos;
    bool function;
    struct cat_param *params;
    struct cat_expr *expr;
    const struct cat_expr *unread; /* the first CAT_UNREAD in it; NULL: there is none */
    struct cat_binding *next;
};

enum cat_check { CHECK_ACYCLIC, CHECK_IRREFLEXIVE, CHECK_EMPTY };

enum cat_stmt_kind {
    CAT_LET,   /* bindings; rec */
    CAT_CHECK, /* [flag] [~]check expr as name */
    CAT_WITH,  /* with name from order(must, either) as label; without `either` an enumeration of herd's */
    CAT_SAYS,  /* what a file says about names: enum cat_says */
    CAT_ENTER, /* what is defined from here on is forgotten at the CAT_LEAVE */
    CAT_LEAVE,
};

/* That the model computes addr, data and ctrl itself (`catdep`); that its title is one of a C11 model. */
enum cat_says { SAYS_CATDEP, SAYS_C11, SAYS_COUNT };

struct cat_stmt {
    enum cat_stmt_kind kind;
    const struct source *source;
    struct pos pos;
    struct cat_stmt *next;
    struct cat_binding *bindings;
    bool rec;
    enum cat_check check;
    bool negated, flag, assertion;
    enum cat_says says;
    struct cat_expr *expr;   /* CHECK; WITH: must */
    struct cat_expr *either; /* WITH */
    const char *name;        /* CHECK: the label or NULL; WITH: the order's name */
    const char *label;       /* WITH: the label or NULL */
};

/* Reads a model and what it includes: `out` is the first statement. `name` is a shipped model's name or a
 * path; a file that a model includes is looked for beside it, then among the shipped ones. False and errors
 * when anything is wrong. */
bool cat_read(struct arena *a, const char *name, struct cat_stmt **out, struct diag *d);

/* Parses one expression that this folder itself wrote. */
const struct cat_expr *cat_read_expr(struct arena *a, const char *text);

#endif
