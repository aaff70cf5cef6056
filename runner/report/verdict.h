/* Where what is allowed meets what was observed: the only place that sees both. */
#ifndef CULITMUS_VERDICT_H
#define CULITMUS_VERDICT_H

#include "model/model.h"
#include "report/results.h"
#include "run/backend.h"

/* The result of a test, without cells; it keeps pointers into the test. */
struct test_result verdict_test(struct arena *a, const struct test *t);

/* A cell that nothing is known about yet. `backend` and `device` (or NULL) are kept, not copied. */
struct cell_result verdict_cell(struct arena *a, const struct cell *v, const char *backend,
                                const char *device);

/* The model's side. In a cell of backend "model" the outcomes are those that the model allows. */
void verdict_allowed(struct arena *a, struct cell_result *c, const struct test *t, const char *model,
                     const struct model_result *m);

/* The observed side, held against the allowed outcomes `m` (NULL: no model judges the cell); every outcome of
 * `sc` (or NULL) that never turned up becomes a warning. Comes after verdict_allowed. */
void verdict_observed(struct arena *a, struct cell_result *c, const struct test *t,
                      const struct run_result *run, const struct model_result *m,
                      const struct model_result *sc);

/* Judges the cell from what it holds. */
enum verdict verdict_of(const struct cell_result *c);

/* Confidence of every cell in which the outcome was never observed: 1 - exp(-r n), where r is the rate of its
 * mutant, the cell of the same placement and access with the weakest fence that did show it, and n the cell's
 * runs. */
void verdict_confidence(struct test_result *t);

/* Checks the claims of the test: each `expect` against the model's answer, and, for not_exists and forall,
 * the condition against what was observed (against the model's answer in cells of backend "model" when
 * `model_alone`). A cell the model gave up on fails no claim. */
void verdict_claims(struct arena *a, const struct test *t, struct test_result *r, bool model_alone);

#endif
