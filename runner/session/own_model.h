/* The model that judges a test. */
#ifndef CULITMUS_OWN_MODEL_H
#define CULITMUS_OWN_MODEL_H

#include "litmus/test.h"
#include "model/model.h"

/* Its name: `chosen` if that is not NULL, else the test's own (perhaps a file beside the test), else `otherwise`. */
const char *own_model_name(const char *chosen, struct arena *a, const struct test *t, const char *otherwise);

/* Reads that model. NULL and an error when it cannot be read; the error points at the test's line if the test names the
 * model. */
const struct model *own_model_load(const char *chosen, struct arena *a, const struct test *t,
                                   const char *name, struct diag *d);

#endif
