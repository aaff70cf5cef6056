/* From tokens to trees. What is no type and no value by its words alone stays open: a reader knows no test. */
#ifndef CULITMUS_SYNTAX_H
#define CULITMUS_SYNTAX_H

#include "base/arena.h"
#include "syntax/tree.h"

enum { SYNTAX_MAX_TYPES = 96, SYNTAX_MAX_NESTING = 200, SYNTAX_MAX_TERMS = 1000 };

struct syntax {
    struct arena *arena;                 /* of the trees */
    const struct token *tok, *first;     /* the next one; and the first, before which there is none */
    bool condition;                      /* of a test, which has neither casts nor pointers */
    const struct fault *fault;           /* what is wrong, from where on nothing is read; or NULL */
    int nesting;                         /* of constructs that are being read */
    int terms;                           /* of the value that is being read */
    const char *types[SYNTAX_MAX_TYPES]; /* the names that the text gives to types */
    int ntypes;
    bool jumps;                            /* the text has labels, or a goto */
    int nrecords;                          /* the structs that the text defines */
    const struct located_structs *located; /* the test's locations that are structs; or NULL */
};

/* Each reads from s->tok on, up to s->tok. Never NULL; TREE_BAD where something is wrong. */
struct tree *syntax_value(struct syntax *s);    /* a ? b : c */
struct tree *syntax_assigned(struct syntax *s); /* the same, or a = b */
struct tree *
syntax_operand(struct syntax *s);           /* what stands before an operator of two values, a[i].x or *p */
struct tree *syntax_name(struct syntax *s); /* with its namespaces and templates */
struct tree *
syntax_type(struct syntax *s); /* of a declaration, a cast, a template; `at` may be no type at all */
struct tree *syntax_declaration(struct syntax *s);
struct tree *syntax_declarator(struct syntax *s);
struct tree *syntax_list(struct syntax *s, int close); /* from its bracket on */
void syntax_stars(struct syntax *s, struct tree *n);   /* what makes a type a pointer: flags of n */
struct tree *syntax_statement(struct syntax *s);
/* The whole text of a thread. */
struct tree *syntax_body(struct syntax *s);
/* Makes loops and blocks of what labels and `goto` join. */
void syntax_join_jumps(struct syntax *s, struct tree *body);
/* Makes names of all members of structs: p.a is a register or a location "p.a", and a function of a struct has them as
 * parameters. A body without structs stays as it is. */
void syntax_flatten(struct syntax *s, struct tree *body);

/* Whether a type begins at t, by its words. */
bool syntax_type_begins(const struct syntax *s, const struct token *t);
/* Whether a word may stand beside a type: const, volatile, __restrict__. */
bool syntax_is_qualifier(const struct token *t);
bool syntax_is_restrict(const struct token *t);
/* Whether a declaration is next. */
bool syntax_at_declaration(const struct syntax *s);
void syntax_add_type(struct syntax *s, const char *name);

/* What the files of the reader share. */

/* The structs that locations are of are types. */
void located_types(struct syntax *s);

/* A list that is being made. */
struct tree_list {
    struct tree *first, **last;
};
void syntax_add(struct tree_list *l, struct tree *n);
/* What stands between commas: up to a closing sign, before which another comma may stand; and one at least. */
struct tree *syntax_items(struct syntax *s, struct tree *(*read)(struct syntax *s), int close);
struct tree *syntax_joined(struct syntax *s, struct tree *(*read)(struct syntax *s));
/* A struct of plain data, and whether the definition of one is at t. */
bool syntax_at_record(const struct token *t);
struct tree *syntax_record(struct syntax *s);
/* A function, whose result begins at `result`. */
struct tree *syntax_function(struct syntax *s, const struct token *result);
bool syntax_at_naming(const struct token *t); /* `using` and its like */
struct tree *syntax_naming(struct syntax *s); /* that, or NULL */
extern const char *const syntax_specifiers[]; /* what may stand before a function, up to NULL */
/* Behind alignas(16) or __align__(16), which no variable needs: locations lie as their types ask for. */
const struct token *syntax_skip_alignment(const struct token *t);
bool syntax_is_one_of(const struct token *t, const char *const *list); /* which ends with NULL */
const struct token *syntax_skip_braces(const struct token *t); /* behind the brace that closes the one at t */
struct tree *syntax_make(struct syntax *s, enum tree_kind kind, const struct token *first,
                         const struct token *at);
struct tree *syntax_begin(struct syntax *s, enum tree_kind kind); /* at the next token */
struct tree *syntax_end(const struct syntax *s, struct tree *n);  /* the node ends before the next token */
int syntax_peek(const struct syntax *s);                          /* TOK_END where something is wrong */
bool syntax_at(const struct syntax *s, const char *word);
bool syntax_accept(struct syntax *s, int kind);
/* Takes a token of this kind, or says that `what` is missing behind the one before. */
bool syntax_expect(struct syntax *s, int kind, const char *what);
/* Only the first fault counts. */
void syntax_fail(struct syntax *s, struct pos pos, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* What to add where a name or a value is missing: that there are no pointers and no text, if one was tried. */
const char *syntax_hint(const struct token *t);
/* What stands beside an operator of two values; and what such operators and ? : join. */
struct tree *syntax_unary(struct syntax *s);
struct tree *syntax_operator(struct syntax *s);
/* From a '(' on: a cast, (type){a, b}; and a cast that begins with a word. Each NULL, where it does not stand there. */
struct tree *syntax_cast(struct syntax *s);
struct tree *syntax_compound(struct syntax *s);
struct tree *syntax_named_cast(struct syntax *s);
/* {a, b} of a type, or NULL: of the one that is wanted */
struct tree *syntax_braces(struct syntax *s, struct tree *type);
/* Whether a name goes on at t, with a "::" and the next part. */
bool syntax_has_part(const struct token *t);
/* Guards a recursion: false, and a fault, when it is too deep. Each true needs a syntax_leave. */
bool syntax_enter(struct syntax *s);
void syntax_leave(struct syntax *s);
/* What is behind the bracket that closes the one at t; NULL: it is not closed in this statement. */
const struct token *syntax_skip_pair(const struct token *t, int open, int close);

#endif
