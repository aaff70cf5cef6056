/* What a model is made of. Private to this folder and to explanations. */
#ifndef CULITMUS_PARTS_H
#define CULITMUS_PARTS_H

#include "cat/plan.h"
#include "model/model.h"

struct model {
    const char *name;
    const struct model_plan *plan;
    const struct cat_stmt *cat;         /* the statements that it was made from */
    const struct model_plan *race;      /* its remark called race as the only axiom: see race.h; or NULL */
    const struct model_plan *undefined; /* its axioms, and its remark `undefined` as one more; or NULL */
    const struct model_plan *fault;     /* the same of its remark called fault */
    const struct model_plan *closed;    /* ... closed */
    const struct model_plan *gone;      /* ... gone */
    const struct model_plan *reach;     /* a model that forbids nothing: see reach.h */
    const struct model_plan *atomics;   /* a model that promises atomicity alone: see mixed.h */
};

#endif
