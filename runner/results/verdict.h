/* Compares what was observed with what is allowed. Only this file sees both. */
#ifndef CULITMUS_VERDICT_H
#define CULITMUS_VERDICT_H

#include "explain/why.h"
#include "model/model.h"
#include "model/race.h"
#include "results/results.h"
#include "run/backend.h"

/* The result of a test, without cells; it keeps pointers into the test. */
struct test_result verdict_test(struct arena *a, const struct test *t);

/* A new cell, of which nothing is known yet. `backend` and `device` (or NULL) are kept, not copied. */
struct cell_result verdict_cell(struct arena *a, const struct cell *cell, const char *backend,
                                const char *device);

/* Fills in what the model says. In a cell of backend "model" the outcomes are those that the model allows. */
void verdict_allowed(struct arena *a, struct cell_result *c, const struct test *t, const char *model,
                     const struct model_result *m);

/* Fills in what `model`, that of the host's CPU, says of a cell with CPU threads. */
void verdict_host(struct arena *a, struct cell_result *c, const struct test *t, const struct cell *cell,
                  const char *model, const struct model_result *m);
/* The same in a sentence; NULL where there is nothing to say. Lives in the arena. */
const char *verdict_host_note(struct arena *a, const struct test_result *r, const struct cell_result *c);

/* Fills in what races, by what the model remarks on. */
void verdict_races(struct arena *a, struct cell_result *c, const struct test *t, const struct races *races);
/* A race in a sentence; NULL where that was said before, of this cell or of one before it, which then counts this one.
 * Lives in the arena. */
const char *verdict_race_note(struct arena *a, const struct test_result *r, int cell, int race);
/* Makes each race a claim that failed: the first of each two operations, with how many cells have it. */
void verdict_races_fail(struct arena *a, struct test_result *r);

/* Fills in why the model says so. */
void verdict_explained(struct arena *a, struct cell_result *c, const struct why *why);

/* Fills in what was observed, compared with the allowed outcomes `m` (NULL: no model judges the cell). Every outcome of
 * `sc` (or NULL) that was never seen becomes a warning. Call verdict_allowed first. */
void verdict_observed(struct arena *a, struct cell_result *c, const struct test *t,
                      const struct run_result *run, const struct model_result *m,
                      const struct model_result *sc);

/* Judges the cell from what it holds. `forall`: its test asks what is true of every outcome. */
enum verdict verdict_of(const struct cell_result *c, bool forall);

/* Computes the confidence of every cell in which the outcome was never observed: the chance that its runs would
 * have shown it if its fence did nothing more than that of its mutant, the cell of the same placement and access
 * with the weakest fence that did show it. The formula stands at the head of verdict_confidence.c. */
void verdict_confidence(struct test_result *t);
/* Whether two cells of a test differ in nothing but the fence, and that of `x` is weaker. */
bool verdict_is_weaker(const struct cell_result *x, const struct cell_result *y);

/* "r0=0 r1=1". Lives in the arena. */
const char *verdict_outcome_text(struct arena *a, const struct test_result *r, const struct value *values);
/* Adds a claim that failed. */
void verdict_add_failure(struct arena *a, struct test_result *r, struct pos pos, const char *text);

/* Checks the claims of the test. Each `expect` is compared with the model's answer. For not_exists and forall, the
 * condition is compared with what was observed, and where nothing ran with the model's answer. A cell that the
 * model gave up on fails no claim. */
void verdict_claims(struct arena *a, const struct test *t, struct test_result *r);

/* Makes each claim that is true, but not proved by the model, one that failed: the model gave up; or it is about
 * what never happens, and loops were followed for some turns only, or no execution ends, or no execution gives the
 * values that it names, so that it would be true whatever the test does. */
void verdict_doubts(struct arena *a, const struct test *t, struct test_result *r);

#endif
