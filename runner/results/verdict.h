/* Compares what was observed with what is allowed. Only this file knows both. */
#ifndef CULITMUS_VERDICT_H
#define CULITMUS_VERDICT_H

#include "explain/why.h"
#include "model/model.h"
#include "model/race.h"
#include "results/results.h"
#include "run/backend.h"

/* Makes the result of a test, without cells. It keeps pointers into the test. */
struct test_result verdict_test(struct arena *a, const struct test *t);

/* Makes a cell of which nothing is known yet. `backend` and `device` (which may be NULL) are not copied. */
struct cell_result verdict_cell(struct arena *a, const struct cell *cell, const char *backend,
                                const char *device);

/* Fills in what the model says. In a cell of backend "model" the outcomes are those that the model allows. */
void verdict_allowed(struct arena *a, struct cell_result *c, const struct test *t, const char *model,
                     const struct model_result *m);

/* Fills in what the model of the host's CPU says of a cell with CPU threads. */
void verdict_host(struct arena *a, struct cell_result *c, const struct test *t, const struct cell *cell,
                  const char *model, const struct model_result *m);
/* Returns that as a sentence, in the arena; NULL if there is nothing to say. */
const char *verdict_host_note(struct arena *a, const struct test_result *r, const struct cell_result *c);

/* Fills in the races that the model reports. */
void verdict_races(struct arena *a, struct cell_result *c, const struct test *t, const struct races *races);
/* Returns a race as a sentence, in the arena. NULL if that was said before, of this cell or an earlier one,
 * whose sentence then counts this cell. */
const char *verdict_race_note(struct arena *a, const struct test_result *r, int cell, int race);
/* Makes each race a failed claim, at the first of its two operations, with the number of cells that have
 * it. */
void verdict_races_fail(struct arena *a, struct test_result *r);

/* Fills in the explanation of the model's answer. */
void verdict_explained(struct arena *a, struct cell_result *c, const struct why *why);

/* Fills in what was observed, compared with the allowed outcomes `m` (NULL: no model judges the cell). If
 * outcomes of the sequentially consistent model `sc` (which may be NULL) were never seen, adds a warning.
 * Call verdict_allowed first. */
void verdict_observed(struct arena *a, struct cell_result *c, const struct test *t,
                      const struct run_result *run, const struct model_result *m,
                      const struct model_result *sc);

/* Returns the verdict on the data of a cell. `forall`: its test asks what is true of every outcome. */
enum verdict verdict_of(const struct cell_result *c, bool forall);

/* Computes the confidence of every cell whose outcome was never observed: the chance that its runs would have
 * shown it if its fence did no more than that of its mutant. The mutant is the cell of the same placement and
 * access with the weakest fence that did show it. The formula is at the head of verdict_confidence.c. */
void verdict_confidence(struct test_result *t);
/* Whether two cells of a test differ only in the fence, and that of `x` is weaker. */
bool verdict_is_weaker(const struct cell_result *x, const struct cell_result *y);

/* Returns an outcome as text, such as "r0=0 r1=1". In the arena. */
const char *verdict_outcome_text(struct arena *a, const struct test_result *r, const struct value *values);
/* Adds a claim that failed. */
void verdict_add_failure(struct arena *a, struct test_result *r, struct pos pos, const char *text);

/* Checks the claims of the test. Each `expect` is compared with the model's answer. For not_exists and
 * forall, the condition is compared with what was observed, and where nothing ran with the model's answer. A
 * cell that the model gave up on fails no claim. */
void verdict_claims(struct arena *a, const struct test *t, struct test_result *r);

/* Turns claims that are true but not proved into failed ones. A claim is not proved if the model gave up. A
 * claim that something never happens is not proved, either, if loops were followed for some turns only, if no
 * execution ends, or if no execution gives the values that it names. */
void verdict_doubts(struct arena *a, const struct test *t, struct test_result *r);

#endif
