/* The value of one node, computed from its operands. Every word that it changes goes on the trail. */
#ifndef CULITMUS_EVAL_NODE_H
#define CULITMUS_EVAL_NODE_H

#include "cat/eval.h"

/* How many words the value of a node has. */
size_t eval_words(const struct eval *ev, const struct plan_node *n);

/* Gives a node its new value as a whole. True when it had another one. */
bool eval_put_all(struct eval *ev, int i, const uint64_t *bits);

/* Evaluates a node as a whole, and notes nothing on the trail: before the first step, outside of loops. */
void eval_fill(struct eval *ev, int i);

/* Evaluates a node: eval_compute as a whole, eval_refresh only the rows that new rows of its operands change.
 * True when its value has changed. */
bool eval_compute(struct eval *ev, int i);
bool eval_refresh(struct eval *ev, int i);

#endif
