/* A text as a tree: values, and the statements of a body. What its names mean is not known yet. */
#ifndef CULITMUS_TREE_H
#define CULITMUS_TREE_H

#include "litmus/operator.h"
#include "syntax/lex.h"

enum tree_kind {
    TREE_BAD, /* its fault says what is wrong */

    /* Values: */
    TREE_NUMBER, /* 1 */
    TREE_TEXT,   /* "text" */
    TREE_NAME,   /* X, cuda::std::move, cg::tiled_partition<list b> */
    TREE_SIZE,   /* sizeof(a), of a value or a type */
    /* int4{1, 2} or (int4){1, 2}: a type a, a list b; as an argument or behind '=' also {1}, without a
     * type */
    TREE_BRACES,
    TREE_BITS,      /* __builtin_bit_cast(b, a), of a type b */
    TREE_LIST,      /* {list b} or (list b); `at` is the bracket */
    TREE_NAMED,     /* .at = a, in a TREE_LIST */
    TREE_AFTER,     /* statements of list a, then the value b; no text has this */
    TREE_GROUPED,   /* (a) */
    TREE_CALL,      /* a(list b) */
    TREE_INDEX,     /* a[b] */
    TREE_BLOCK_OF,  /* a@b, in a condition */
    TREE_MEMBER,    /* a.name */
    TREE_ARROW,     /* a->name */
    TREE_CAST,      /* (b)a, static_cast<b>(a), of a type b */
    TREE_POINTER,   /* (int *)a: a cast to a pointer */
    TREE_REFERENCE, /* (int &)a: a cast to a reference */
    TREE_DEREF,     /* *a */
    TREE_ADDRESS,   /* &a */
    TREE_STEP,      /* ++a */
    TREE_BEHIND,    /* a++ */
    TREE_UNARY,     /* -a */
    TREE_BINARY,    /* a + b */
    TREE_CHOICE,    /* a ? b : c */
    TREE_ASSIGN,    /* a = b, a += b */

    /* Declarations: */
    TREE_TYPE,        /* const T, or cuda::barrier<list> with the name a; `at` is its word */
    TREE_DECLARATION, /* a list b of names with the type a */
    /* *name[list c] = b, where `at` is the name, and c and b may be NULL; a struct's member also has a type
     * a */
    TREE_DECLARATOR,
    TREE_NONE, /* [], an array size that is left out */

    /* Statements. Their conditions a are values or TREE_WITH. */
    TREE_ASM, /* asm(texts a : operands b : operands c : texts d); TREE_BAD in b: all behind the texts is wrong */
    TREE_OPERAND, /* "=r"(a) of an asm; `at` is the constraint */
    /* struct at { list b } list c: b are members and list a functions, or a is an error. What list d defines
     * within the struct is put before it; a name c is another name of the struct */
    TREE_RECORD,
    TREE_ALIAS,     /* using at = a; typedef a at; */
    TREE_ENUM,      /* enum at : a { list b }; the type and the name may be missing; with flags: enum class */
    TREE_USING,     /* using a; with flags: using namespace a; */
    TREE_SPACE,     /* namespace at = a; */
    TREE_RUN,       /* list a, as in a; */
    TREE_DROP,      /* (void)a, in a TREE_RUN */
    TREE_SEQUENCE,  /* { list a } */
    TREE_IF,        /* if (a) b else c */
    TREE_WHILE,     /* while (a) b */
    TREE_DO,        /* do b while (a); */
    TREE_FOR,       /* for (list c; a; d) b, of which c, a and d may be NULL */
    TREE_SWITCH,    /* switch (a) { list b } */
    TREE_GROUP,     /* of a switch: the labels of list a, and the statements of list b behind them */
    TREE_LABEL,     /* of a TREE_GROUP: `case a`; a is NULL for `default` */
    TREE_BREAK,     /* break; */
    TREE_CONTINUE,  /* continue; */
    TREE_RETURN,    /* return a; of which a may be NULL */
    TREE_ASSERTION, /* static_assert(a, "text"); */
    TREE_TARGET,    /* name: */
    TREE_GOTO,      /* goto at; */
    TREE_AGAIN,     /* statements of list a that a goto repeats, back to the label `at` */
    TREE_LEFT,      /* statements of list a that a goto leaves, to the label `at` behind them */
    TREE_STRAY,     /* a '}' without its '{' */
    TREE_FUNCTION,  /* a at(list c) b, a device function, with flags; a variable has no `at` */
    TREE_KERNEL,    /* the head of a kernel: template <list a>, bounds of list b, parameters of list c */
    TREE_TYPENAME,  /* typename b, of a template */
    /* a thread: names and functions of list a, the head b of a kernel or NULL, statements of list c */
    TREE_BODY,
    TREE_WITH, /* a; b as a condition: a declares a name, and b is the value; NULL: the value of that name */
    TREE_KINDS
};

/* Flags of types, of declared names, of labels and of functions. */
enum {
    TYPE_CONST = 1,
    TYPE_VOLATILE = 2,
    TYPE_RESTRICT = 4,
    TYPE_CONSTEXPR = 8,
    TYPE_STATIC = 16,
    TYPE_EXTERN = 32,
    TYPE_SHARED = 64,
    TYPE_AUTO = 128,
    TARGET_UNUSED = 1,      /* of a label: no goto leads to it */
    FUNCTION_NAMED = 1,     /* of a function: `at` is a name with something before it */
    FUNCTION_PLAIN = 2,     /* only the result type stands before the name */
    FUNCTION_STATIC = 4,    /* a member function that takes no object */
    FUNCTION_CONST = 8,     /* a member function that does not write its object */
    DECLARES_POINTER = 1,   /* * */
    DECLARES_FIXED = 2,     /* * const */
    DECLARES_RESTRICT = 4,  /* * __restrict__ */
    DECLARES_REFERENCE = 8, /* & or && */
    DECLARES_MOVED = 64,    /* && */
    DECLARES_WHOLE = 16,    /* (&name)[4] */
    DECLARES_EQUAL = 32,    /* there is a '=' */
};

/* An error in a text. */
struct fault {
    struct pos pos;
    const char *text;        /* NULL: it was reported when the text was split into tokens */
    const struct tree *call; /* a call whose ')' is missing, or NULL */
};

struct tree {
    enum tree_kind kind;
    const struct token *first; /* its first token */
    const struct token *end;   /* the token behind it */
    const struct token *at;    /* its operator, the last word of a name, or the name of a member */
    unsigned flags;            /* of a type or of a declared name */
    struct tree *a, *b, *c, *d;
    struct tree *next;         /* the next argument of a call, or the next statement of a list */
    const struct fault *fault; /* of a statement: what is missing behind it; or NULL */
};

/* A binary operator: its token, as an assignment (+=) and as a step (++); 0: there is no such form. */
struct tree_operator {
    int between, sets, steps;
    int level; /* how tightly it binds, from 1 */
    enum expr_kind kind;
};

/* Returns the operator of a token; NULL: it is none. */
const struct tree_operator *tree_operator(int token);
/* Returns how tightly a token binds as a binary operator, from 1; 0: it is none. */
int tree_level(int token);
/* Whether a token assigns, as = and += do. */
bool tree_assigns(int token);

/* Returns the node without the parentheses around it. */
const struct tree *tree_inside(const struct tree *n);
/* Returns the name that a value is about: "f" in f.load(x)[0], ++f and f = 1; NULL: there is none. */
const struct tree *tree_root(const struct tree *n);
/* Whether it is a name in a condition, with what may follow it: X, s@1[3], T0[1].r. */
bool tree_is_place(const struct tree *n);
/* Whether it is just this name, without a namespace. */
bool tree_is_word(const struct tree *n);

#endif
