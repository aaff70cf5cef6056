/* What a text says, as a tree: values, and the statements of a body. Nobody has asked yet what its names mean. */
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
    TREE_BRACES, /* int4{1, 2} or (int4){1, 2}: a type a, a list b; as an argument and behind '=' also {1}, without a type */
    TREE_BITS,      /* __builtin_bit_cast(b, a), of a type b */
    TREE_LIST,      /* {list b} or (list b), by the bracket `at` */
    TREE_NAMED,     /* .at = a, in such a list */
    TREE_AFTER,     /* statements of list a, and then the value b, which no text has */
    TREE_GROUPED,   /* (a) */
    TREE_CALL,      /* a(list b) */
    TREE_INDEX,     /* a[b] */
    TREE_BLOCK_OF,  /* a@b, of a condition */
    TREE_MEMBER,    /* a.name */
    TREE_ARROW,     /* a->name */
    TREE_CAST,      /* (b)a, static_cast<b>(a), of a type b */
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

    /* Declarations: */
    TREE_TYPE,        /* const T, cuda::barrier<list> of a name a; its word is `at` */
    TREE_DECLARATION, /* names of list b of a type a */
    TREE_DECLARATOR, /* *name[list c] = b, of which `at` is the name, and c and b may be NULL; of a struct's member also of a
                       * type a */
    TREE_NONE, /* [], the size of an array */

    /* Statements; their conditions a are values or TREE_WITH: */
    TREE_ASM, /* asm(texts a : operands b : operands c : texts d); TREE_BAD in b: all behind the texts is wrong */
    TREE_OPERAND, /* "=r"(a), of an asm: its constraint is `at` */
    TREE_RECORD, /* struct at { list b } list c; of which b are members and list a functions, or a is what is wrong; what
                  * list d defines within stands before it; a name c is another one of the struct */
    TREE_ALIAS,     /* using at = a; typedef a at; */
    TREE_ENUM,      /* enum at : a { list b }; the type and the name may be missing; with flags: enum class */
    TREE_USING,     /* using a; with flags: using namespace a; */
    TREE_SPACE,     /* namespace at = a; */
    TREE_RUN,       /* list a; */
    TREE_DROP,      /* (void)a, in such a list */
    TREE_SEQUENCE,  /* { list a } */
    TREE_IF,        /* if (a) b else c */
    TREE_WHILE,     /* while (a) b */
    TREE_DO,        /* do b while (a); */
    TREE_FOR,       /* for (list c; a; d) b, of which c, a and d may be NULL */
    TREE_SWITCH,    /* switch (a) { list b } */
    TREE_GROUP,     /* of a switch: the labels of list a, the statements of list b */
    TREE_LABEL,     /* of such a group: `case a`; a is NULL: `default` */
    TREE_BREAK,     /* break; */
    TREE_CONTINUE,  /* continue; */
    TREE_RETURN,    /* return a; of which a may be NULL */
    TREE_ASSERTION, /* static_assert(a, "text"); */
    TREE_TARGET,    /* name: */
    TREE_GOTO,      /* goto at; */
    TREE_AGAIN,     /* statements of list a, to whose begin `at` a goto leads back */
    TREE_LEFT,      /* statements of list a, behind which a goto leads, to `at` */
    TREE_STRAY,     /* a '}' without '{' */
    TREE_FUNCTION,  /* a at(list c) b, of the device, with flags; a variable has no `at` */
    TREE_KERNEL,    /* template <list a> bounds of list b (list c): the head of a kernel */
    TREE_TYPENAME,  /* typename b, of a template */
    TREE_BODY, /* of a thread: names and functions of list a, the head b of a kernel or NULL, statements of list c */
    TREE_WITH, /* a; b, of a condition: a declares, b is the value, or NULL: that of what is declared */
    TREE_KINDS
};

/* What stands beside a type, and beside a name that is declared; and what is found of a label and of a function. */
enum {
    TYPE_CONST = 1,
    TYPE_VOLATILE = 2,
    TYPE_RESTRICT = 4,
    TYPE_CONSTEXPR = 8,
    TYPE_STATIC = 16,
    TYPE_EXTERN = 32,
    TYPE_SHARED = 64,
    TYPE_AUTO = 128,
    TARGET_UNUSED = 1,      /* no goto leads to the label */
    FUNCTION_NAMED = 1,     /* `at` is a name, before which something stands */
    FUNCTION_PLAIN = 2,     /* the type of its result is all that stands before the name */
    FUNCTION_STATIC = 4,    /* of a struct, of which it takes no object */
    FUNCTION_CONST = 8,     /* ... and which it does not write */
    DECLARES_POINTER = 1,   /* * */
    DECLARES_FIXED = 2,     /* * const */
    DECLARES_RESTRICT = 4,  /* * __restrict__ */
    DECLARES_REFERENCE = 8, /* & or && */
    DECLARES_MOVED = 64,    /* && */
    DECLARES_WHOLE = 16,    /* (&name)[4] */
    DECLARES_EQUAL = 32,    /* it has a '=' */
};

/* What is wrong with a text. */
struct fault {
    struct pos pos;
    const char *text;        /* NULL: what was reported when the text was split into words */
    const struct tree *call; /* whose ')' is missing, or NULL */
};

struct tree {
    enum tree_kind kind;
    const struct token *first; /* where its text begins, */
    const struct token *end;   /* and what stands behind it */
    const struct token *at;    /* its operator; the last word of a name; the name of a member */
    unsigned flags;            /* of a type, and of a name that is declared */
    struct tree *a, *b, *c, *d;
    struct tree *next;         /* argument of the same call, statement of the same list */
    const struct fault *fault; /* of a statement: what is missing behind it; or NULL */
};

/* What computes, compares or joins two values: between them, as += and as ++; 0: it has no such sign. */
struct tree_operator {
    int between, sets, steps;
    int level; /* how tightly it binds, from 1 */
    enum expr_kind kind;
};

/* The one of a kind of token; NULL: it is none. */
const struct tree_operator *tree_operator(int token);
/* Whether this kind of token compares, computes or joins two values, and how tightly it binds, from 1; 0: it does not. */
int tree_level(int token);
/* Whether it assigns, as = and += do. */
bool tree_assigns(int token);

/* What stands in brackets around it, if any do. */
const struct tree *tree_inside(const struct tree *n);
/* The name of what it is about, "f" of f.load(x)[0], ++f and f = 1; NULL: there is none. */
const struct tree *tree_root(const struct tree *n);
/* Whether it is a name and what stands behind one, in a condition: X, s@1[3], T0[1].r. */
bool tree_is_place(const struct tree *n);
/* Whether it is this name alone, with no namespace before it. */
bool tree_is_word(const struct tree *n);

#endif
