/* What an atomic operation leaves, as a term of operators. */
#ifndef CULITMUS_UPDATE_H
#define CULITMUS_UPDATE_H

#include "paths/sym.h"

/* Of a term of kind SYM_RMW, by the C expression of its row (ops.def). NULL: it is one of floats, or has an operator that is
 * not known here. */
const struct sym *update_term(struct arena *a, const struct sym *s);

#endif
