/* What the parts of the reader of .cat files share: statements (cat_parse.c), definitions (cat_define.c) and expressions
 * (cat_expr.c). Private to them. */
#ifndef CULITMUS_CAT_PARSER_H
#define CULITMUS_CAT_PARSER_H

#include "cat/cat.h"
#include "cat/cat_lex.h"

enum { DEEPEST_NESTING = 200, DEEPEST_INCLUDE = 32 };

/* A model with all that it includes may have no more; ptx.cat takes a tenth. */
enum { MOST_STATEMENTS = 1000, MOST_OPERATORS = 5000 };

struct cat_size {
    int statements, operators;        /* how many there are; names count as operators */
    struct cat_procedure *procedures; /* of all files, the last one first */
};

/* A file being read, and the one that includes it. */
struct reading {
    const struct source *source;
    const struct reading *by;
};

struct cat_parser {
    struct cat_lexer lexer;
    struct cat_token token;
    struct arena *arena;
    struct diag *diag;
    const struct reading *reading;
    struct cat_stmt **end; /* where the next statement is appended */
    struct cat_size *size;
    const struct cat_expr *unread; /* the first in the binding or statement at hand */
    int depth;
    bool failed; /* inside the statement at hand */
    bool dead;   /* in a branch that is not taken: nothing is included */
};

/* procedure name(params) = statements end */
struct cat_procedure {
    const char *name;
    struct cat_param *params;
    struct cat_stmt *body;
    struct cat_procedure *next;
};

void parser_advance(struct cat_parser *p);
bool parser_at_sign(const struct cat_parser *p, enum sign s);
bool parser_at_keyword(const struct cat_parser *p, enum keyword k);
/* Reports the first error in a statement. Later ones only follow from it. */
void parser_expected(struct cat_parser *p, const char *what);
bool parser_accept_sign(struct cat_parser *p, enum sign s);
bool parser_accept_keyword(struct cat_parser *p, enum keyword k);
void parser_want_sign(struct cat_parser *p, enum sign s, const char *what);
/* A name, or "" and an error. */
const char *parser_want_name(struct cat_parser *p, const char *what);
bool parser_is_too_large(const struct cat_parser *p);
/* Counts one more statement or operator. Once there are too many, that is an error, and the rest of all files
 * is skipped. */
void parser_count(struct cat_parser *p, int *what, struct pos pos);

struct cat_expr *parser_expr(struct cat_parser *p);
struct cat_expr *parser_new_expr(struct cat_parser *p, enum cat_expr_kind kind, struct pos pos,
                                 struct cat_expr *a, struct cat_expr *b);
/* Reads a condition on variants of herd ("name", not "name", and so on). Returns whether it holds; no variant
 * is on here. Sets *variant: whether there was one; if not, nothing was read. */
bool parser_variant(struct cat_parser *p, bool *variant);
/* The parameters of a function or procedure, or its one parameter without parentheses. */
struct cat_param *parser_params(struct cat_parser *p);
/* [rec] binding and binding ... */
struct cat_stmt *parser_let(struct cat_parser *p, struct pos pos);
/* name from order(must, either) [as name] */
struct cat_stmt *parser_with(struct cat_parser *p, struct pos pos);
struct cat_stmt *parser_new_stmt(struct cat_parser *p, enum cat_stmt_kind kind, struct pos pos);

#endif
