/* The model that judges a test. */
#ifndef CULITMUS_OWN_MODEL_H
#define CULITMUS_OWN_MODEL_H

#include "litmus/test.h"
#include "model/model.h"

/* Returns the model's name: `chosen` if that is not NULL, else the one that the test names (perhaps a file
 * beside the test), else `otherwise`. */
const char *own_model_name(const char *chosen, struct arena *a, const struct test *t, const char *otherwise);

/* Reads that model. NULL and an error when it cannot be read; if the test names the model, the error is at
 * that line of the test. */
const struct model *own_model_load(const char *chosen, struct arena *a, const struct test *t,
                                   const char *name, struct diag *d);

#endif
