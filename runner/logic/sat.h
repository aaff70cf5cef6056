/* A SAT solver: looks for values of inputs with which some literals hold. It decides, propagates, and learns
 * a clause from each conflict (as in Marques-Silva and Sakallah's GRASP, and Moskewicz and others' Chaff). */
#ifndef CULITMUS_SAT_H
#define CULITMUS_SAT_H

#include "logic/budget.h"
#include "logic/gate.h"

enum sat_answer { SAT_NEVER, SAT_FOUND, SAT_GIVEN_UP };

/* Whether all `n` literals of `wanted` can hold together. If so, sets values[gate] for each gate that they
 * depend on. Gives up after `most` work, or when the budget is spent. Adds its work to budget->proving. */
enum sat_answer sat_find(const struct gates *g, const int *wanted, int n, long long most,
                         struct search_budget *budget, bool *values);

#endif
