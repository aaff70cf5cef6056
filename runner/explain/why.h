/* Why a model allows or forbids what a cell's condition names, in sentences. */
#ifndef CULITMUS_WHY_H
#define CULITMUS_WHY_H

#include "model/model.h"

enum why_answer {
    WHY_ALLOWED,     /* the lines tell an execution, in an order in which it can have happened */
    WHY_FORBIDDEN,   /* they tell what would have to happen, and the chain that forbids it */
    WHY_NOT_REACHED, /* no execution gives the values */
    WHY_ENDLESS,     /* no execution ends */
    WHY_UNKNOWN,     /* too much would have to be looked at */
};

enum why_part {
    WHY_TEXT, /* a sentence beside the steps */
    WHY_STEP, /* a step of the story or of the chain, counted from 1 */
};

struct why_line {
    enum why_part part;
    int step;       /* of WHY_STEP */
    int thread;     /* whose step it is, or -1 */
    struct pos pos; /* its place in the test's file; line 0: none */
    const char *text;
};

struct why {
    enum why_answer answer;
    bool breaking;     /* what is told makes the condition's expression false, as what a `forall` forbids */
    const char *axiom; /* FORBIDDEN: the first axiom that is broken */
    struct why_line *lines;
    int nlines;
};

/* Explains one cell, within limits (NULL: some seconds). Lives in the arena. False and an error only when the test cannot be
 * judged at all. */
bool model_why(const struct model *m, const struct test *t, const struct cell *cell,
               const struct model_limits *limits, struct arena *a, struct why *out, struct diag *d);

/* A line as people read it: "3. readXY reads ...", or the sentence alone. Lives in the arena. */
const char *why_line_text(struct arena *a, const struct why_line *line);

#endif
