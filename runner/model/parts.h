/* What a model is made of. Private to this folder and to explanations. */
#ifndef CULITMUS_PARTS_H
#define CULITMUS_PARTS_H

#include "cat/plan.h"
#include "model/model.h"

struct model {
    const char *name;
    const struct model_plan *plan;
    const struct cat_stmt *cat;    /* what it was made from */
    const struct model_plan *race; /* its remark called race, as an axiom: see race.h. NULL: it has none */
    const struct model_plan
        *undefined; /* its axioms, and its remark called undefined as one more: see mixed.h; or NULL */
    const struct model_plan *fault;   /* the same of its remark called fault */
    const struct model_plan *closed;  /* of the one called closed */
    const struct model_plan *gone;    /* and of the one called gone */
    const struct model_plan *reach;   /* of a model that forbids nothing: see reach.h */
    const struct model_plan *atomics; /* of one that promises atomicity alone: see mixed.h */
};

#endif
