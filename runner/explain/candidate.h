/* The execution of a cell that says most about the outcome that its condition names: an allowed one where
 * there is one; else the candidate that breaks the fewest axioms, and of these the one that is told in the
 * fewest words. */
#ifndef CULITMUS_CANDIDATE_H
#define CULITMUS_CANDIDATE_H

#include "explain/reason.h"
#include "model/model.h"
#include "search/judge.h"

struct candidate {
    const struct search *search; /* at the complete candidate, with the values of all nodes of the model */
    const struct value *values;  /* an outcome of it that the condition names */
    bool breaking;               /* the outcome makes the proposition false, as one that a `forall` forbids */
    const struct reason *reasons;
    int nreasons; /* 0: the model allows it */
};

/* Is called with each candidate that says more than the one before; the last is the best. What it points to is gone
 * afterwards. */
typedef void candidate_fn(const struct candidate *c, void *ctx);

enum candidate_answer {
    CANDIDATE_FOUND,
    CANDIDATE_NONE,    /* no candidate gives the outcome */
    CANDIDATE_ENDLESS, /* no execution ends, whatever it gives and whatever the model says */
    CANDIDATE_UNKNOWN, /* the search gave up: *why says it */
};

/* Looks for it within the limits. False and an error when the test cannot be judged. */
bool candidate_find(const struct model *m, const struct test *t, const struct cell *cell,
                    const struct model_limits *limits, candidate_fn *show, void *ctx,
                    enum candidate_answer *answer, const char **why, struct diag *d);

#endif
