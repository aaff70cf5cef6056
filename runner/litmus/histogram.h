/* Outcomes, and how often each was observed or found to be allowed. Owns its memory; start from `struct
 * histogram h = {.nobs = n}`. */
#ifndef CULITMUS_HISTOGRAM_H
#define CULITMUS_HISTOGRAM_H

#include "litmus/test.h"

struct outcome {
    struct value *values; /* nobs of them */
    uint64_t count;
};

struct histogram {
    int nobs;
    struct outcome *outcomes;
    size_t n, cap;
    size_t *index; /* a hash table: the index of an outcome plus 1, or 0 for a free slot */
    size_t nindex;
};

/* Counts an outcome. Counts are exact: different outcomes are never merged. A count of 0 adds nothing. */
void histogram_add(struct histogram *h, const struct value *values, uint64_t count);
bool histogram_has(const struct histogram *h, const struct value *values);
/* Sorts the outcomes by their values, as numbers of the observables' types. */
void histogram_sort(struct histogram *h, const struct observable *obs);
uint64_t histogram_total(const struct histogram *h);
void histogram_free(struct histogram *h);

#endif
