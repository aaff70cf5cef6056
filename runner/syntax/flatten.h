/* Flattening turns structs into their members; this is what the files of the pass share. An object is a
 * struct that the text names. Its members become names of their own: p.a is "p.a", and ps[1].q.a is element
 * [1] of "ps.q.a". */
#ifndef CULITMUS_FLATTEN_H
#define CULITMUS_FLATTEN_H

#include "syntax/located.h"

enum { RECORD_MAX_LEAVES = 64, OBJECT_MAX_DIMENSIONS = 2 };

/* A struct that a text defines. */
struct record_text {
    const char *name;
    const struct tree *tree;
    const struct record_text *same; /* the struct of which this is another name; or NULL */
    struct leaf_list *leaves;       /* filled in by record_leaves */
    bool bad;                       /* an error in it was reported; statements that involve it are dropped */
    bool located;                   /* a location is of this struct, and the text has not defined it yet */
    struct record_text *next;
};

/* A leaf: a member, at any depth, that is no struct itself. */
struct leaf {
    const char *name; /* "q.a" */
    const struct tree *declarator;
    const struct tree
        *sizes[OBJECT_MAX_DIMENSIONS]; /* the sizes of the arrays of structs around it, and its own */
    int nsizes;
};

struct leaf_list {
    struct leaf list[RECORD_MAX_LEAVES];
    int n; /* -1: the leaves are not known yet */
};

/* An object: a struct, or an array of structs for which some indices are missing. */
struct object {
    const struct record_text *record;
    const char *name;
    const struct tree *indices[OBJECT_MAX_DIMENSIONS]; /* outermost first */
    int nindices, dimensions;
    bool in_memory, perhaps; /* it is in memory; it is a parameter and may also be in registers */
    struct type
        /* the object has a location of this vector type with its name, which a copy of the whole accesses */
        vector;
    bool constant, is_volatile;
};

/* A name that the text declares. */
struct bound {
    const char *name;
    bool is_object, points;
    bool settled; /* it is a register, so evaluating it twice gives the same */
    struct object object;
};

/* A function of the text, or a member function of a struct. */
struct routine {
    const char *name; /* "P.f" */
    const struct tree *parameters;
    bool is_const;                /* it does not write the members */
    const struct record_text *of; /* the struct whose members are its first parameters; or NULL */
    /* the struct that it returns, whose members are parameters before those */
    const struct record_text *result;
    struct routine *next;
};

/* What surrounds a statement. */
struct flatten_scope {
    int nbound, floor;              /* the number of names; where those of the current function begin */
    const struct record_text *self; /* the struct whose member function is being read */
    bool self_is_const;
    const struct record_text *result; /* the struct that the current function returns */
};

struct flattening {
    struct syntax *s;
    struct record_text *records;
    struct routine *routines;
    struct bound *bound;
    struct flatten_scope in;
    int globals;               /* where the names of the text before a kernel end */
    const struct fault *fault; /* what is wrong with the current statement; or NULL */
    bool refused;              /* the current statement involves a bad struct */
    int made;                  /* counts the names that were made up */
};

/* Reports an error in the current statement, unless there is one already. */
void flatten_fail(struct flattening *f, const struct token *at, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Make nodes that the text does not contain: a name, a type or {} in place of another word; a number; a node
 * in place of another; two nodes joined by an operator; a copy of a node for another list. */
struct tree *flatten_word(struct flattening *f, enum tree_kind kind, const char *text,
                          const struct token *like);
struct tree *flatten_number(struct flattening *f, struct type type, uint64_t number,
                            const struct token *like);
struct tree *flatten_node(struct flattening *f, enum tree_kind kind, const struct tree *like, struct tree *a,
                          struct tree *b);
struct tree *flatten_operator(struct flattening *f, enum tree_kind kind, int sign, struct tree *a,
                              struct tree *b);
struct tree *flatten_copy(struct flattening *f, const struct tree *n);
/* Makes a declaration of a name; and one of a leaf of the object `of`, with its value or NULL. */
struct tree *flatten_declare(struct flattening *f, const struct tree *type, const char *name,
                             struct tree *value, const struct token *like);
struct tree *flatten_declare_leaf(struct flattening *f, const struct leaf *leaf, const char *of,
                                  unsigned flags, struct tree *value, const struct token *like);

/* Returns the struct that a type is; NULL: it is none. */
const struct record_text *record_of_type(struct flattening *f, const struct tree *type);
const struct record_text *record_find(const struct flattening *f, const char *name);
struct record_text *record_add(struct arena *a, struct record_text **list, const char *name,
                               const struct tree *tree);
/* Reads `using at = a` as another name of a struct. False: a is no struct. */
bool record_alias(struct flattening *f, const struct tree *n);
/* Returns sizeof of a struct. */
long long record_bytes(struct flattening *f, const struct record_text *r);
/* Returns the vector type as which nvcc copies a struct that is aligned to its size. No lanes: it copies each
 * member by itself. */
struct type record_vector(struct flattening *f, const struct record_text *r);
/* Finds the type of a member by its words. False: there is none. */
bool record_type(struct flattening *f, const struct tree *type, struct type *out);
/* Checks that each member is supported; reports an error otherwise. */
void record_check(struct flattening *f, const struct record_text *r);
/* Makes the structs and names of locations that are structs known to the text. */
void located_begin(struct flattening *f);
/* If a location is of the struct that the text defines here, returns that struct, which must have the same
 * members; else NULL. */
struct record_text *located_define(struct flattening *f, struct tree *n);
/* Returns all leaves of a struct. */
const struct leaf_list *record_leaves(struct flattening *f, const struct record_text *r);
int record_dimensions(const struct tree *declarator);
/* Returns a member by name; NULL: the struct has none of that name. */
const struct tree *record_member(const struct record_text *r, const char *name);

/* Adds a name, which hides others of the same name from here on. */
void flatten_bind(struct flattening *f, struct bound b);
/* Marks the names from number `from` on as declared beside an error, so that errors about them are not
 * reported. */
void flatten_refuse(struct flattening *f, int from);
const struct bound *bound_find(const struct flattening *f, const char *name);
const struct routine *routine_find(const struct flattening *f, const char *name);

/* Whether a tree names an object, also as *p; with `address`, whether it is the address of one, p or &s, as
 * before "->". */
bool object_find(struct flattening *f, const struct tree *n, bool address, struct object *o);
bool object_before(struct flattening *f, const struct tree *n, struct object *o);
/* Returns the first element of an array of structs. */
void object_first(struct flattening *f, struct object *o, const struct token *like);
/* Return the tree of a whole object, s[i]; of a leaf of it, s.a[i]; and of all leaves, to be copied. */
struct tree *object_whole(struct flattening *f, const struct object *o, const struct token *like);
struct tree *object_leaf(struct flattening *f, const struct object *o, const struct leaf *leaf,
                         const struct token *like);
void object_leaves(struct flattening *f, const struct object *o, const struct token *like,
                   struct tree **values);
/* Checks that an object can be copied leaf by leaf: its indices are numbers or registers, it is no array and
 * not volatile, and nvcc makes no single access of it. Reports an error otherwise. */
void object_check_copy(struct flattening *f, const struct object *o, const struct token *at);
/* Checks only that its indices are numbers or registers. */
void object_check_index(struct flattening *f, const struct object *o);
/* Return the values of the leaves of an object that is copied as a vector, and the access that writes
 * them. */
void vector_leaves(struct flattening *f, const struct object *o, const struct token *like,
                   struct tree **values);
struct tree *vector_assign(struct flattening *f, const struct object *o, struct tree **values,
                           const struct token *like);
/* Returns the value of each leaf of a struct that a tree gives; NULL where it gives none. */
void value_leaves(struct flattening *f, const struct record_text *r, struct tree *n, struct tree **values);
/* Returns the default value of each leaf, NULL where it has none. `zero`: those are to become 0, which is an
 * error for a pointer. */
void value_defaults(struct flattening *f, const struct record_text *r, bool zero, const struct token *like,
                    struct tree **values);

/* Returns the function of a call if its result is a struct; else NULL. */
const struct routine *result_find(struct flattening *f, const struct tree *n);
/* Makes a new object for a value, with the statements that compute it. */
void object_make(struct flattening *f, const struct record_text *r, struct tree *value, struct object *o,
                 struct tree_list *out);
/* Returns the struct of a value without a name, as f(1) or P{1}; or NULL. */
const struct record_text *value_makes(struct flattening *f, const struct tree *n);
/* Returns a value that is computed after some statements. */
struct tree *value_after(struct flattening *f, struct tree *statements, struct tree *value);

/* Replaces a value by one without structs. */
void flatten_value(struct flattening *f, struct tree **n);
void flatten_values(struct flattening *f, struct tree **list);
/* Returns the function that is called, or NULL; and the call, whose result goes into the leaves of an
 * object. */
const struct routine *call_find(struct flattening *f, const struct tree *n);
void call_flatten(struct flattening *f, struct tree *n, const struct routine *r, const struct object *result);

/* Flattens a list of statements. Each may become several or none. */
struct tree *flatten_list(struct flattening *f, struct tree *n);
/* The same as one statement with a scope of its own. */
struct tree *flatten_branch(struct flattening *f, struct tree *n);
void flatten_declaration(struct flattening *f, struct tree *n, struct tree_list *out);
void flatten_run(struct flattening *f, struct tree *n, struct tree_list *out);
void flatten_return(struct flattening *f, struct tree *n, struct tree_list *out);
void flatten_record(struct flattening *f, struct tree *n, struct tree_list *out);
/* Adds a function, which can be called from here on. */
struct routine *routine_add(struct flattening *f, const struct record_text *of, const struct tree *n);
bool routine_is(const struct tree *n);
void flatten_function(struct flattening *f, struct tree *n, const struct routine *r,
                      const struct record_text *self, struct tree_list *out);

#endif
