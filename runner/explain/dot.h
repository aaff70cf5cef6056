/* Draws an execution for people: Graphviz text. */
#ifndef CULITMUS_DOT_H
#define CULITMUS_DOT_H

#include "base/text.h"
#include "model/model.h"

/* Adds to `out` a graph of an execution of the cell in which the condition's proposition is true: an allowed
 * one where there is one; else the candidate that breaks the fewest axioms, the axioms' names, and the cycle
 * that each forbids, drawn bold. When no candidate makes it true at all, the graph says so. False and an
 * error when the test cannot be judged, or too little could be looked at to say. */
bool model_dot(const struct model *m, const struct test *t, const struct cell *cell,
               const struct model_limits *limits, struct text *out, struct diag *d);

#endif
