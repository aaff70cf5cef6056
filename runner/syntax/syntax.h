/* Makes trees of tokens. What a name means is not asked: so whether it is a type or a value stays open where
 * its words alone do not tell. */
#ifndef CULITMUS_SYNTAX_H
#define CULITMUS_SYNTAX_H

#include "base/arena.h"
#include "syntax/tree.h"

enum { SYNTAX_MAX_TYPES = 96, SYNTAX_MAX_NESTING = 200, SYNTAX_MAX_TERMS = 1000 };

struct syntax {
    struct arena *arena;             /* for the trees */
    const struct token *tok, *first; /* the next token; the first one, before which there is none */
    bool condition;            /* the text is the condition of a test, which has neither casts nor pointers */
    bool herd;                 /* ... in herd's syntax */
    const struct fault *fault; /* what is wrong, after which nothing more is read; or NULL */
    int nesting;               /* how deeply the constructs being read are nested */
    int terms;                 /* how many terms the value being read has */
    const char *types[SYNTAX_MAX_TYPES]; /* names that the text gives to types */
    int ntypes;
    bool jumps;                            /* the text has labels or goto */
    int nrecords;                          /* how many structs the text defines */
    const struct located_structs *located; /* the test's locations that are structs; NULL: none */
};

/* Each function reads from s->tok on and moves it. It never returns NULL; TREE_BAD if something is wrong.
 * This one reads a ? b : c. */
struct tree *syntax_value(struct syntax *s);    /* a ? b : c */
struct tree *syntax_assigned(struct syntax *s); /* a value, or a = b */
struct tree *syntax_operand(struct syntax *s);  /* what may stand before a binary operator, as a[i].x or *p */
struct tree *syntax_name(struct syntax *s);     /* a name with its namespaces and template arguments */
struct tree *
/* the type of a declaration, a cast or a template argument; `at` may turn out to be no type */
syntax_type(struct syntax *s);
struct tree *syntax_declaration(struct syntax *s);
struct tree *syntax_declarator(struct syntax *s);
struct tree *syntax_list(struct syntax *s, int close); /* a list from its opening bracket on */
void syntax_stars(struct syntax *s, struct tree *n);   /* what makes a type a pointer, as flags of n */
struct tree *syntax_statement(struct syntax *s);
/* Reads the whole text of a thread. */
struct tree *syntax_body(struct syntax *s);
/* Turns labels and `goto` into loops and blocks. */
void syntax_join_jumps(struct syntax *s, struct tree *body);
/* Turns members of structs into names: p.a becomes a register or a location "p.a", and a member function gets
 * the members as parameters. A body without structs is not changed. */
void syntax_flatten(struct syntax *s, struct tree *body);

/* Whether the words at t can begin a type. */
bool syntax_type_begins(const struct syntax *s, const struct token *t);
/* Whether a word may stand beside a type: const, volatile, __restrict__. */
bool syntax_is_qualifier(const struct token *t);
bool syntax_is_restrict(const struct token *t);
/* Whether a declaration is next. */
bool syntax_at_declaration(const struct syntax *s);
void syntax_add_type(struct syntax *s, const char *name);

/* ---- for the files of this folder ---- */

/* Makes the structs of locations known as types. */
void located_types(struct syntax *s);

/* A list to which nodes are added. */
struct tree_list {
    struct tree *first, **last;
};
void syntax_add(struct tree_list *l, struct tree *n);
/* Reads items between commas up to a closing sign, before which another comma may stand; and at least one
 * item. */
struct tree *syntax_items(struct syntax *s, struct tree *(*read)(struct syntax *s), int close);
struct tree *syntax_joined(struct syntax *s, struct tree *(*read)(struct syntax *s));
/* Whether the definition of a struct of plain data is at t; and reading it. */
bool syntax_at_record(const struct token *t);
struct tree *syntax_record(struct syntax *s);
/* Reads a function, whose result type begins at `result`. */
struct tree *syntax_function(struct syntax *s, const struct token *result);
bool syntax_at_naming(const struct token *t); /* whether t begins `using`, `typedef` or the like */
struct tree *syntax_naming(struct syntax *s); /* reads that; NULL: it is none */
extern const char *const syntax_specifiers[]; /* words that may stand before a function; ends with NULL */
/* Skips alignas(16) or __align__(16) of a variable, which has no effect: locations are aligned as their types
 * ask. */
const struct token *syntax_skip_alignment(const struct token *t);
bool syntax_is_one_of(const struct token *t, const char *const *list); /* `list` ends with NULL */
/* returns the token behind the brace that closes the one at t */
const struct token *syntax_skip_braces(const struct token *t);
struct tree *syntax_make(struct syntax *s, enum tree_kind kind, const struct token *first,
                         const struct token *at);
/* makes a node that begins at the next token */
struct tree *syntax_begin(struct syntax *s, enum tree_kind kind);
struct tree *syntax_end(const struct syntax *s, struct tree *n); /* the node ends before the next token */
int syntax_peek(const struct syntax *s);           /* the kind of the next token; TOK_END after an error */
const struct token *syntax_next(struct syntax *s); /* takes the next token, if there is one */
bool syntax_at(const struct syntax *s, const char *word);
bool syntax_accept(struct syntax *s, int kind);
/* Takes a token of this kind. If there is another one, reports that `what` is missing behind the last one. */
bool syntax_expect(struct syntax *s, int kind, const char *what);
/* Reports an error unless there is one already. */
void syntax_fail(struct syntax *s, struct pos pos, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* Returns a hint for where a name or a value is missing: that there are no pointers or texts, if one was
 * tried. */
const char *syntax_hint(const struct token *t);
/* Read an operand of a binary operator; and values joined by binary operators and ? :. */
struct tree *syntax_unary(struct syntax *s);
struct tree *syntax_operator(struct syntax *s);
/* Read a cast or (type){a, b} from '(' on; and a cast that begins with a word. NULL: there is none here. */
struct tree *syntax_cast(struct syntax *s);
struct tree *syntax_compound(struct syntax *s);
struct tree *syntax_named_cast(struct syntax *s);
/* Reads {a, b} of a type; NULL: of the type that is expected. */
struct tree *syntax_braces(struct syntax *s, struct tree *type);
/* Whether a name goes on at t, with "::" and another part. */
bool syntax_has_part(const struct token *t);
/* Guards a recursion. Returns false and reports an error when it is too deep. Each true needs a
 * syntax_leave. */
bool syntax_enter(struct syntax *s);
void syntax_leave(struct syntax *s);
/* Returns what follows the bracket that closes the one at t; NULL: it is not closed in this statement. */
const struct token *syntax_skip_pair(const struct token *t, int open, int close);

#endif
