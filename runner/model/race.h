/* Races: pairs of accesses in an allowed execution that are in the relation r of a model's remark
 * `flag ~empty r as race`. */
#ifndef CULITMUS_RACE_H
#define CULITMUS_RACE_H

#include "cat/cat.h"
#include "cat/plan.h"
#include "model/model.h"

/* The plan of a model's remark called race; NULL where it has none. Lives in the arena. */
const struct model_plan *race_plan(struct arena *a, const struct cat_stmt *cat);

enum race_risk {
    RACE_NONE, /* it is strong: what was written is what the GPU does */
    RACE_WEAK, /* the compiler may move, merge, split or leave it out */
    RACE_WAITS, /* and it is read in a loop that waits for it: the compiler may read it once, before the loop */
};

struct race_access {
    int thread;
    bool copy; /* done by an engine that the thread has started */
    const struct op *op;
    struct pos pos;
    bool write; /* else it reads; an atomic operation does both */
    struct strength strength;
    const char *place; /* "X", "a[3]" */
    enum race_risk risk;
};

/* Two accesses of the text, and an allowed execution in which they race. */
struct race {
    struct race_access access[2]; /* in the order of the text's operations */
    bool mixed;                   /* they share bytes without being of the same bytes */
    bool early; /* they arrive at an mbarrier in two phases, and no wait between saw the first one complete */
    const struct value *values; /* an outcome of the execution */
};

struct races {
    struct race *list; /* a pair of operations is there once, whichever threads do them */
    int n;
    bool partial; /* not all executions were looked at */
    bool open;    /* nobody has looked for all: model_races does */
};

/* Finds the races of a cell, within limits (NULL: some). Lives in the arena. A model without that remark knows none. False and
 * an error when the test cannot be judged. */
bool model_races(const struct model *m, const struct test *t, const struct cell *cell,
                 const struct model_limits *limits, struct arena *a, struct races *out, struct diag *d);

/* model_check; and the races, if the search for outcomes finds all of them on the way. Else races->open is
 * set. */
bool model_check_races(const struct model *m, const struct test *t, const struct cell *cell,
                       const struct model_limits *limits, struct arena *a, struct model_result *out,
                       struct races *races, struct diag *d);

/* Finding races on the way, for model_check_races: between race_begin and race_end, race_look is given each
 * execution. */
struct race_search;
struct judge;
struct search;
struct race_search *race_open(const struct model *m, const struct test *t, const struct cell *cell,
                              struct arena *a, struct races *out);
void race_begin(struct race_search *r, const struct judge *j);
void race_look(struct race_search *r, const struct search *s);
void race_end(struct race_search *r, const struct judge *j);
/* Returns whether all races were found. */
bool race_close(struct race_search *r);

#endif
