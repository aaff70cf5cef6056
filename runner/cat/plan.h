/* A model, checked and compiled: a list of operations on sets and relations, in an order in which they can be
 * evaluated over and over while a candidate execution grows.
 *
 * A candidate is built by decisions: which write a read reads from, which of two events an order puts first.
 * What is not yet decided has two bounds, what is certain (must) and what is still possible (may). Every node
 * computes one of the bounds of an expression: the must bound of `a \ b` is must(a) \ may(b), and so on. The
 * must bounds only grow as decisions are made, the may bounds only shrink, and on a complete candidate they
 * are equal. So an axiom that the bounds break can be given up at once, whatever operators the model uses,
 * and a complete candidate is judged exactly. */
#ifndef CULITMUS_PLAN_H
#define CULITMUS_PLAN_H

#include "cat/cat.h"

enum given {
#define SET(id, name, doc, is)             GIVEN_##id,
#define REL(id, name, doc, first, relates) GIVEN_##id,
#define GUESS(name, doc, op, index)
#define DERIVED(name, doc, cat)
#include "cat/names.def"
    GIVEN_COUNT
};

/* Their names in a model. */
extern const char *const plan_givens[GIVEN_COUNT];

enum node_op {
    NODE_GIVEN, /* `index`: enum given */
    NODE_RF,
    NODE_ORDER, /* `index`: which order; a: its must edges */
    NODE_VAR,   /* of a `let rec`; a: its definition, a later node */
    NODE_EMPTY,
    NODE_ALL,
    NODE_UNION,
    NODE_INTER,
    NODE_DIFF,
    NODE_COMPL, /* of sets or relations */
    NODE_PRODUCT,
    NODE_DIAG,
    NODE_DOMAIN,
    NODE_RANGE,
    NODE_SEQ,
    NODE_SEQ_INVERSE, /* a^-1 ; b */
    NODE_FROM,
    NODE_TO, /* [a] ; b   a ; [b] */
    NODE_INVERSE,
    NODE_PLUS,
    NODE_STAR,
    NODE_OPT,
};

struct plan_node {
    enum node_op op;
    bool rel;         /* a relation, else a set */
    unsigned guesses; /* what it changes with: GUESS_RF, GUESS_ORDER(k) */
    bool may;         /* the may bound: shrinks; else the must bound (of nodes that change) */
    int a, b;         /* nodes, or -1 */
    int index;
};

#define GUESS_RF       1u
#define GUESS_ORDER(k) (2u << (k))
#define GUESS_ROW      (2u << MAX_ORDERS) /* of a step with a DECIDE_ROW (eval.h); no node has it */

/* A least fixpoint: nodes first..last are evaluated until the variables among them do not change any more. */
struct loop {
    int first, last; /* no two loops have the same first node */
    bool may;
};

/* Nodes in the order of their evaluation. */
struct schedule {
    int *nodes;
    int n;
};

/* An order that is guessed: the least transitive order that contains `must` and one direction of every pair
 * of `either`. A candidate in which there is none is rejected. */
struct plan_order {
    const char *name;
    const char *label;   /* the name under which a candidate without such an order is rejected */
    int node;            /* its must bound */
    int either;          /* node: the pairs */
    bool either_dynamic; /* it depends on rf, and is looked at when all of rf is decided */
};

struct axiom {
    const char *name; /* the label, or "axiom N" */
    enum cat_check check;
    bool negated;
    int node;  /* what is looked at: the closure for `acyclic` */
    int edges; /* the expression itself */
};

/* How to see, before a decision is made, that it breaks an axiom. The decision (from, to) is sure to put
 * edges (x, y) into the axiom; the axiom is broken if `back` has (y, x) for one of them. The edges are
 *   - if via is -1: (from, to);
 *   - else: those of via^-1; guess, so (e, to) for each e such that via has (from, e);
 *   - if inverted: those of guess^-1; via, so (to, e) for each such e. With rf and co, these are edges of fr.
 * Only edges in `mask` count (-1: all). */
struct consequence {
    unsigned guess; /* GUESS_RF or GUESS_ORDER(k) */
    bool inverted;
    int back, via, mask;
};

/* A relation that the model names, and its must bound: explanations and drawings speak in these. */
struct named_rel {
    const char *name;
    int node;
};

enum { ORDER_CO, MAX_ORDERS = 8, PLAN_MAX_NODES = 4096, PLAN_MOST_NARROW = 256 /* smaller plans of one */ };

struct narrow_plans;

struct model_plan {
    struct plan_node *nodes;
    int nnodes;
    int *givens, ngivens; /* the nodes that are sets and relations of names.def */
    struct loop *loops;
    int nloops;
    int *loop_at; /* node -> the loop that starts there, or -1 */
    struct schedule everything;
    struct schedule changing;                    /* what any guess changes */
    struct schedule by_rf, by_order[MAX_ORDERS]; /* what one guess changes */
    struct plan_order orders[MAX_ORDERS];        /* [ORDER_CO] is co */
    int norders;
    struct axiom *axioms;
    int naxioms;
    struct consequence *consequences;
    int nconsequences;
    bool syntactic; /* what the text computes from a read depends on it, even if nothing comes of that */
    bool exact;     /* there are no may bounds, so a complete candidate needs no second look */
    struct named_rel *names; /* relations that the model names, in the order of their definition */
    int nnames;
    struct narrow_plans *narrow; /* the smaller plans that were made of it; of a smaller plan NULL */
};

/* A kind of graphs: what is empty in them. Graphs of one kind share a smaller plan. */
struct plan_kind {
    bool empty[GIVEN_COUNT]; /* of what the plan asks for */
    bool reads;              /* something has a source to be decided */
};

/* Compiles what was read. NULL and errors when a name is unknown or a type is wrong. Lives in the arena. */
const struct model_plan *plan_build(struct arena *a, const struct cat_stmt *cat, struct diag *d);

/* The same plan with the dependencies of the text; NULL of NULL. Lives in the arena. */
const struct model_plan *plan_syntactic(struct arena *a, const struct model_plan *p);

/* The smaller plan for graphs of a kind: the same axioms and orders, without the nodes that are empty there
 * whatever is decided. It is made once, lives as long as the plan, and any thread may ask for it. After
 * PLAN_MOST_NARROW kinds, a new kind gets the plan itself. */
const struct model_plan *plan_narrow(const struct model_plan *p, const struct plan_kind *kind);

/* Fills in what follows from the nodes and loops of a plan: the schedules and the like. */
void plan_schedule(struct model_plan *p, struct arena *a);

/* Keeps the smaller plans of a plan that lives in the arena. */
struct narrow_plans *plan_open_narrow(struct arena *a);

/* Fills in the consequences of a plan that is otherwise complete: the last step of plan_build. */
void plan_find_consequences(struct model_plan *p, struct arena *a);

#endif
