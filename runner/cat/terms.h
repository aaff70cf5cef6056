/* A model's expressions with their names looked up and their types checked: terms, shared when equal. Private
 * to the translation of a model into a plan. */
#ifndef CULITMUS_TERMS_H
#define CULITMUS_TERMS_H

#include "cat/plan.h"

struct term {
    enum node_op op;
    bool rel;    /* a relation, else a set */
    bool either; /* it is empty, and counts as a set or as a relation, whichever is wanted */
    int a, b;    /* terms, or -1; VAR: the group, and which of its variables */
    int index;
};

/* A `let rec`. */
struct term_group {
    int first_var, nvars; /* its variables: terms first_var .. */
    int *body;            /* their definitions */
    const struct source *source;
    struct pos pos;
};

struct term_order {
    const char *name, *label;
    const struct source *source;
    struct pos pos;
    int must, either;
    bool declared;
};

struct term_axiom {
    const char *name;
    enum cat_check check;
    bool negated;
    int edges; /* the expression */
    int node;  /* what is looked at: its closure for `acyclic` */
};

struct named_term {
    const char *name;
    int term; /* or -1: a function */
};

struct terms {
    struct term *terms;
    int n;
    struct term_group *groups;
    int ngroups;
    struct term_order orders[MAX_ORDERS]; /* [ORDER_CO] is co, declared or not */
    int norders;
    struct term_axiom *axioms;
    int naxioms;
    struct named_term *named; /* what the model defines, in its order */
    int nnamed;
};

/* False and errors when a name is unknown or a type is wrong. Lives in the arena. */
bool terms_build(struct arena *a, const struct cat_stmt *cat, struct terms *out, struct diag *d);

/* The term of an order, which every one has. */
int terms_order(const struct terms *t, int order);

#endif
