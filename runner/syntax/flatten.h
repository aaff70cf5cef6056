/* Structs as their members: what the files of the pass share. An object is a struct that a text names, and its members are
 * names of their own: p.a is "p.a", ps[1].q.a the element [1] of "ps.q.a". */
#ifndef CULITMUS_FLATTEN_H
#define CULITMUS_FLATTEN_H

#include "syntax/located.h"

enum { RECORD_MAX_LEAVES = 64, OBJECT_MAX_DIMENSIONS = 2 };

/* A struct that a text defines. */
struct record_text {
    const char *name;
    const struct tree *tree;
    const struct record_text *same; /* of which it is another name; or NULL */
    struct leaf_list *leaves;       /* ask record_leaves */
    bool bad;                       /* an error in it was reported: what has to do with it is dropped */
    bool located;                   /* a location is of it, and the text has not defined it yet */
    struct record_text *next;
};

/* A part of a struct that is none itself. */
struct leaf {
    const char *name; /* "q.a" */
    const struct tree *declarator;
    const struct tree
        *sizes[OBJECT_MAX_DIMENSIONS]; /* of the structs around it that are arrays, and its own */
    int nsizes;
};

struct leaf_list {
    struct leaf list[RECORD_MAX_LEAVES];
    int n; /* -1: not known yet */
};

/* A struct, or an array of them whose indices are missing. */
struct object {
    const struct record_text *record;
    const char *name;
    const struct tree *indices[OBJECT_MAX_DIMENSIONS]; /* the outer one first */
    int nindices, dimensions;
    bool in_memory, perhaps; /* ... of a parameter, which may be in registers */
    struct type
        vector; /* a location of this type has the object's name: a copy of the whole is an access to it */
    bool constant, is_volatile;
};

/* A name of a text. */
struct bound {
    const char *name;
    bool is_object, points;
    bool settled; /* it is a register: to read it twice is to read it once */
    struct object object;
};

/* A function of the text, or of a struct. */
struct routine {
    const char *name; /* "P.f" */
    const struct tree *parameters;
    bool is_const;                    /* it does not write these members */
    const struct record_text *of;     /* whose members come first; or NULL */
    const struct record_text *result; /* whose members come before these */
    struct routine *next;
};

/* What is around a statement. */
struct flatten_scope {
    int nbound, floor;              /* how many names there are; where those of a function begin */
    const struct record_text *self; /* whose function is being read */
    bool self_is_const;
    const struct record_text *result; /* of the function that is being read */
};

struct flattening {
    struct syntax *s;
    struct record_text *records;
    struct routine *routines;
    struct bound *bound;
    struct flatten_scope in;
    int globals;               /* where the names of the text before a kernel end */
    const struct fault *fault; /* of the statement that is being read */
    bool refused;              /* it has to do with a struct that is bad */
    int made;                  /* names */
};

/* What is wrong with the statement: the first counts. */
void flatten_fail(struct flattening *f, const struct token *at, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Nodes that no text has: a name, a type or {}, where another word stands; a number; what stands where another node does;
 * two that a sign joins; and the same node, to be put into another list. */
struct tree *flatten_word(struct flattening *f, enum tree_kind kind, const char *text,
                          const struct token *like);
struct tree *flatten_number(struct flattening *f, struct type type, uint64_t number,
                            const struct token *like);
struct tree *flatten_node(struct flattening *f, enum tree_kind kind, const struct tree *like, struct tree *a,
                          struct tree *b);
struct tree *flatten_operator(struct flattening *f, enum tree_kind kind, int sign, struct tree *a,
                              struct tree *b);
struct tree *flatten_copy(struct flattening *f, const struct tree *n);
/* A declaration of a name, and of a leaf of the object `of`, with its value or NULL. */
struct tree *flatten_declare(struct flattening *f, const struct tree *type, const char *name,
                             struct tree *value, const struct token *like);
struct tree *flatten_declare_leaf(struct flattening *f, const struct leaf *leaf, const char *of,
                                  unsigned flags, struct tree *value, const struct token *like);

/* The struct that a type is, or NULL. */
const struct record_text *record_of_type(struct flattening *f, const struct tree *type);
const struct record_text *record_find(const struct flattening *f, const char *name);
struct record_text *record_add(struct arena *a, struct record_text **list, const char *name,
                               const struct tree *tree);
/* Takes `using at = a` as another name of a struct; false: it is one of something else. */
bool record_alias(struct flattening *f, const struct tree *n);
/* What sizeof says of one. */
long long record_bytes(struct flattening *f, const struct record_text *r);
/* The vector as which nvcc copies one that is aligned to its size; no lanes: it takes an access a member. */
struct type record_vector(struct flattening *f, const struct record_text *r);
/* The type of a member by its words. */
bool record_type(struct flattening *f, const struct tree *type, struct type *out);
/* Whether each member is one that is supported; else the fault is set. */
void record_check(struct flattening *f, const struct record_text *r);
/* What locations are of structs: their structs and names are known to the text. */
void located_begin(struct flattening *f);
/* The struct that a location is of and the text defines, with the same members; NULL: no location is of it. */
struct record_text *located_define(struct flattening *f, struct tree *n);
/* All its leaves. */
const struct leaf_list *record_leaves(struct flattening *f, const struct record_text *r);
int record_dimensions(const struct tree *declarator);
/* A member; NULL: the struct has none of that name. */
const struct tree *record_member(const struct record_text *r, const char *name);

/* A name that hides others from here on. */
void flatten_bind(struct flattening *f, struct bound b);
/* What is declared with an error, or beside one, from this name on, is not spoken of again. */
void flatten_refuse(struct flattening *f, int from);
const struct bound *bound_find(const struct flattening *f, const char *name);
const struct routine *routine_find(const struct flattening *f, const char *name);

/* Whether a tree names a struct, *p among them; or is its address, p or &s. What stands before '.' or "->" does so. */
bool object_find(struct flattening *f, const struct tree *n, bool address, struct object *o);
bool object_before(struct flattening *f, const struct tree *n, struct object *o);
/* The first element of an array of structs. */
void object_first(struct flattening *f, struct object *o, const struct token *like);
/* An object itself, s[i]; a leaf of it, s.a[i]; and all leaves, to be copied. */
struct tree *object_whole(struct flattening *f, const struct object *o, const struct token *like);
struct tree *object_leaf(struct flattening *f, const struct object *o, const struct leaf *leaf,
                         const struct token *like);
void object_leaves(struct flattening *f, const struct object *o, const struct token *like,
                   struct tree **values);
/* An object whose leaves are copied: its indices are read once, and no vector access may be meant. */
void object_check_copy(struct flattening *f, const struct object *o, const struct token *at);
/* Its indices alone. */
void object_check_index(struct flattening *f, const struct object *o);
/* The values of the leaves of an object that is copied as a vector, and the access that writes them. */
void vector_leaves(struct flattening *f, const struct object *o, const struct token *like,
                   struct tree **values);
struct tree *vector_assign(struct flattening *f, const struct object *o, struct tree **values,
                           const struct token *like);
/* The value of each leaf of a struct that a tree is, NULL where it has none. */
void value_leaves(struct flattening *f, const struct record_text *r, struct tree *n, struct tree **values);
/* What a struct without values is; `zero`: the others are 0. */
void value_defaults(struct flattening *f, const struct record_text *r, bool zero, const struct token *like,
                    struct tree **values);

/* The function of a call whose result is a struct; else NULL. */
const struct routine *result_find(struct flattening *f, const struct tree *n);
/* A new object, in which a value is put together, with the statements that do so. */
void object_make(struct flattening *f, const struct record_text *r, struct tree *value, struct object *o,
                 struct tree_list *out);
/* The struct without a name that a value makes, f(1) or P{1}; or NULL. */
const struct record_text *value_makes(struct flattening *f, const struct tree *n);
/* A value, before which statements run. */
struct tree *value_after(struct flattening *f, struct tree *statements, struct tree *value);

/* Puts a value into names without structs. */
void flatten_value(struct flattening *f, struct tree **n);
void flatten_values(struct flattening *f, struct tree **list);
/* The function that a call is of, or NULL; and the call, whose result is put into the leaves of an object. */
const struct routine *call_find(struct flattening *f, const struct tree *n);
void call_flatten(struct flattening *f, struct tree *n, const struct routine *r, const struct object *result);

/* Statements: each may become several, or none. */
struct tree *flatten_list(struct flattening *f, struct tree *n);
/* The same as one, with a scope of its own. */
struct tree *flatten_branch(struct flattening *f, struct tree *n);
void flatten_declaration(struct flattening *f, struct tree *n, struct tree_list *out);
void flatten_run(struct flattening *f, struct tree *n, struct tree_list *out);
void flatten_return(struct flattening *f, struct tree *n, struct tree_list *out);
void flatten_record(struct flattening *f, struct tree *n, struct tree_list *out);
/* A function, which is known from here on. */
struct routine *routine_add(struct flattening *f, const struct record_text *of, const struct tree *n);
bool routine_is(const struct tree *n);
void flatten_function(struct flattening *f, struct tree *n, const struct routine *r,
                      const struct record_text *self, struct tree_list *out);

#endif
