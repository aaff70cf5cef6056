#include <stdlib.h>
#include <string.h>

#include "brute.h"

bool brute_has(const struct brute_outcomes *out, const int64_t *values) {
    for (int k = 0; k < out->n; k++)
        if (memcmp(out->values + (size_t)k * BRUTE_MAX_OBS, values, (size_t)out->nobs * sizeof *values) == 0)
            return true;
    return false;
}

void brute_add(struct brute_outcomes *out, const int64_t *values) {
    if (brute_has(out, values)) return;
    if (out->n == out->cap) {
        out->cap = out->cap ? 2 * out->cap : 16;
        out->values = realloc(out->values, (size_t)out->cap * BRUTE_MAX_OBS * sizeof *out->values);
        if (!out->values) abort();
    }
    memcpy(out->values + (size_t)out->n++ * BRUTE_MAX_OBS, values, BRUTE_MAX_OBS * sizeof *values);
}

void brute_project(struct brute_outcomes *out, unsigned observed) {
    struct brute_outcomes all = *out;
    out->nobs = __builtin_popcount(observed);
    out->n = out->cap = 0;
    out->values = NULL;
    for (int k = 0; k < all.n; k++) {
        int64_t values[BRUTE_MAX_OBS] = {0};
        for (int o = 0, at = 0; o < all.nobs; o++)
            if (observed >> o & 1) values[at++] = all.values[(size_t)k * BRUTE_MAX_OBS + (size_t)o];
        brute_add(out, values);
    }
    brute_free(&all);
}

void brute_free(struct brute_outcomes *out) {
    free(out->values);
    *out = (struct brute_outcomes){0};
}
