/* Comparing the results that `merge` adds up. */
#ifndef CULITMUS_MERGE_BY_H
#define CULITMUS_MERGE_BY_H

#include "cli/cli.h"
#include "results/spread.h"

struct spread *merge_by_begin(struct arena *a, const char *by);
/* Adds a result, grouped by what the word of --by says. */
void merge_by_add(struct spread *s, const struct report *r, const char *by);
/* Prints where a group differs from the others. Whether there is such a place. */
bool merge_by_put(const struct spread *s, const char *by, FILE *out);

#endif
