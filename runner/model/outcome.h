/* The distinct outcomes of the executions of a cell. */
#ifndef CULITMUS_OUTCOME_H
#define CULITMUS_OUTCOME_H

#include "model/model.h"
#include "model/search.h"

/* Owns its memory; start from `struct outcomes o = {.nobs = n}`. */
struct outcomes {
    int nobs;
    int32_t *values; /* n * nobs */
    size_t n, cap;
    size_t *table; /* open addressing: 1 + index, 0: free */
    size_t slots;
};

void outcomes_free(struct outcomes *o);
void outcomes_add(struct outcomes *o, const int32_t *values);

/* Calls f with every outcome of a complete candidate: registers have one value, a location that ends with
 * several co-maximal writes may have that of any. Stops and returns false when f does. */
bool outcome_each(const struct search *s, bool (*f)(const int32_t *values, void *ctx), void *ctx);

/* Sorts the outcomes, judges each by the test's proposition, and fills in the result. */
void outcomes_report(const struct outcomes *o, const struct test *t, struct arena *a,
                     struct model_result *out);

#endif
