/* The weakest fences with which a model forbids the outcome of a cell (for a forall: with which it always
 * holds).
 *
 * A fence with a wider scope or a stronger order never allows more outcomes. So all slots begin with
 * `sc.system`, and one slot after the other is lowered as far as the outcome stays forbidden: first its
 * scope, then its order at that scope. If there are several solutions, the first slots get the weakest
 * fences. */
#ifndef CULITMUS_WEAKEST_H
#define CULITMUS_WEAKEST_H

#include "model/model.h"
#include "session/cells.h"

struct weakest_question {
    const struct test *test;
    const struct model *model;
    struct model_limits limits; /* for each question to the model */
    struct arena *arena;
};

enum weakest_answer {
    WEAKEST_FOUND,
    WEAKEST_NOT_NEEDED,  /* no slot needs a fence */
    WEAKEST_NOT_ENOUGH,  /* the outcome is allowed even with sc.system in all slots */
    WEAKEST_NOT_KNOWN,   /* the model gave up */
    WEAKEST_NOT_ENDING,  /* no execution of the cell ends */
    WEAKEST_NOT_REACHED, /* no execution gives these values, with or without fences */
    WEAKEST_NOT_JUDGED,  /* the test cannot be judged */
    WEAKEST_ENOUGH,      /* for a larger test: the smaller test's fences are enough */
    WEAKEST_NOT_ASKED,   /* for a larger test: there is none */
};

struct weakest {
    enum weakest_answer answer;
    struct fence_choice fences; /* the fences that were found; or none in every slot */
    bool bounded;               /* some answer "forbidden" holds for a bounded number of loop turns only */
};

/* Finds the weakest fences of the cell's placement and access. Errors say why the test cannot be judged. */
struct weakest weakest_find(const struct weakest_question *q, const struct cell *cell, struct diag *d);

/* Asks whether `fences` are enough for the same test with one more copy of a thread, or one more block in its
 * grid, and if not, which fences are. `choices` are those by which the cell was chosen. */
struct weakest weakest_of_larger(const struct weakest_question *q, const struct cell *cell,
                                 const struct fence_choice *fences, int body,
                                 const struct cell_choices *choices);

#endif
