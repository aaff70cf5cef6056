/* The weakest fences with which a model forbids the outcome of a cell (of a forall: with which it always holds).
 *
 * A fence of a wider scope or a stronger order never allows more. So one slot after the other is lowered from
 * `sc.system` as far as the outcome stays forbidden: first its scope, then the order at that scope. Where there is a
 * choice, the first slots get the weakest fences. */
#ifndef CULITMUS_WEAKEST_H
#define CULITMUS_WEAKEST_H

#include "model/model.h"
#include "session/cells.h"

struct weakest_question {
    const struct test *test;
    const struct model *model;
    struct model_limits limits; /* of each question to the model */
    struct arena *arena;
};

enum weakest_answer {
    WEAKEST_FOUND,
    WEAKEST_NOT_NEEDED,  /* no slot needs a fence */
    WEAKEST_NOT_ENOUGH,  /* sc.system in all slots does not forbid it */
    WEAKEST_NOT_KNOWN,   /* the model gave up */
    WEAKEST_NOT_ENDING,  /* the model knows no execution that ends */
    WEAKEST_NOT_REACHED, /* no execution gives these values, with or without fences */
    WEAKEST_NOT_JUDGED,  /* the test cannot be judged */
    WEAKEST_ENOUGH,      /* of a larger test: the fences of the smaller one are enough */
    WEAKEST_NOT_ASKED,   /* of a larger test: there is none */
};

struct weakest {
    enum weakest_answer answer;
    struct fence_choice fences; /* found, or none in every slot */
    bool bounded;               /* something was found forbidden by looking at loops of a few turns only */
};

/* The weakest fences of the cell's placement and access. Errors say why the test cannot be judged. */
struct weakest weakest_find(const struct weakest_question *q, const struct cell *cell, struct diag *d);

/* What the same test needs with one copy more of a thread, or one block more of its grid: whether `fences` are enough,
 * and if not, which are. `choices`: those that the cell was chosen by. */
struct weakest weakest_of_larger(const struct weakest_question *q, const struct cell *cell,
                                 const struct fence_choice *fences, int body,
                                 const struct cell_choices *choices);

#endif
