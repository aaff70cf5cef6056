/* The axioms of a model, one by one: what it would allow without one of them says what that one is for. */
#ifndef CULITMUS_AXIOMS_H
#define CULITMUS_AXIOMS_H

#include "model/model.h"

/* How many names the axioms of a model have, and name k, in the order of the text. */
int model_axioms(const struct model *m);
const char *model_axiom(const struct model *m, int k);

/* The model without the axioms of name k. Lives in the arena, and no longer than the model. */
const struct model *model_without(struct arena *a, const struct model *m, int axiom);

struct model_plan;
/* The plan of a model without the axioms whose bits are set, by their order in the text. Remarks do not count. */
const struct model_plan *axioms_leave_out(struct arena *a, const struct model *m, unsigned long long axioms);

#endif
