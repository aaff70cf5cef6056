/* Looks for values of inputs with which some gates hold: by decisions, what follows from them, and what is learnt from each
 * conflict (as in Marques-Silva and Sakallah's GRASP, and Moskewicz and others' Chaff). */
#ifndef CULITMUS_SAT_H
#define CULITMUS_SAT_H

#include "logic/budget.h"
#include "logic/gate.h"

enum sat_answer { SAT_NEVER, SAT_FOUND, SAT_GIVEN_UP };

/* Whether all the literals can hold together. If so, sets in values[gate] what the gates are that they are made of. Gives up
 * after so much work, or when the budget is spent, to whose proofs the work is added. */
enum sat_answer sat_find(const struct gates *g, const int *wanted, int n, long long most,
                         struct search_budget *budget, bool *values);

#endif
