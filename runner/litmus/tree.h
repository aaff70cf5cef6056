/* An expression as a tree: what its text says, before anybody asks what its names mean. */
#ifndef CULITMUS_TREE_H
#define CULITMUS_TREE_H

#include "litmus/lex.h"

struct parser;
struct expr;

enum tree_kind {
    TREE_BAD,       /* an error was reported */
    TREE_NUMBER,    /* 1 */
    TREE_TEXT,      /* "text" */
    TREE_NAME,      /* X, cuda::std::move, cg::tiled_partition<32> */
    TREE_SIZE,      /* sizeof(type), sizeof(X) */
    TREE_BRACES,    /* int4{1, 2, 3, 4} */
    TREE_LEAF,      /* an operand of a condition */
    TREE_GROUPED,   /* (a) */
    TREE_CALL,      /* a(list b) */
    TREE_INDEX,     /* a[b] */
    TREE_MEMBER,    /* a.name */
    TREE_ARROW,     /* a->name */
    TREE_CAST,      /* (type)a, static_cast<type>(a) */
    TREE_POINTER,   /* the same to a pointer, (int *)a */
    TREE_REFERENCE, /* and to a reference, (int &)a */
    TREE_DEREF,     /* *a */
    TREE_ADDRESS,   /* &a */
    TREE_STEP,      /* ++a */
    TREE_BEHIND,    /* a++ */
    TREE_UNARY,     /* -a */
    TREE_BINARY,    /* a + b */
    TREE_CHOICE,    /* a ? b : c */
    TREE_ASSIGN,    /* a = b, a += b */
};

struct tree {
    enum tree_kind kind;
    const struct token *first; /* where its text begins, */
    const struct token *end;   /* and what stands behind it */
    const struct token
        *at; /* its operator; the last word of a name, the name of a member, the type of a cast */
    struct tree *a, *b, *c;
    struct tree *next; /* argument of the same call */
    struct expr *leaf;
};

/* Whether this kind of token compares, computes or joins two values, and how tightly it binds, from 1; 0: it does not. */
int tree_level(int token);

/* Reads a ? b : c; and the same that may be an assignment, a = b. Never NULL. Lives in the parser's arena. */
struct tree *tree_expression(struct parser *p);
struct tree *tree_assigned(struct parser *p);
/* Reads what stands before an operator of two values, "a[i].x" or "*p"; of nothing else. */
struct tree *tree_operand(struct parser *p);

/* What stands in brackets around it, if any do. */
const struct tree *tree_inside(const struct tree *n);
/* The name of what it is about, "f" of f.load(x)[0], ++f and f = 1; NULL: there is none. */
const struct tree *tree_root(const struct tree *n);
/* Whether it is this name alone, with no namespace before it. */
bool tree_is_word(const struct tree *n);

/* The arguments of a call that is written like `usage`, one after the other. */
struct arguments {
    const struct tree *next;    /* NULL: there are no more */
    const struct token *before; /* the last token before it */
    const char *usage;
    struct pos pos; /* of the call's name */
};
struct arguments arguments_of(const struct tree *call, const char *usage);
/* Takes the next one. NULL, and an error that says `what` is missing, where there is none. */
const struct tree *arguments_take(struct parser *p, struct arguments *a, const char *what);
/* Takes the next one, which must be a name alone. */
const struct token *arguments_word(struct parser *p, struct arguments *a, const char *what);
/* Complains where there is one more. */
void arguments_end(struct parser *p, const struct arguments *a);

#endif
