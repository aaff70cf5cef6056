/* Results as JSON, schema 1 (docs/results.md): what every other printer can be made from later. */
#ifndef CULITMUS_REPORT_JSON_H
#define CULITMUS_REPORT_JSON_H

#include <stdio.h>

#include "report/results.h"

/* Keys are in the documented order. Write errors are left in the stream. */
void report_json(const struct report *r, FILE *out);

/* Reads what report_json wrote. NULL and an error when the file is not that. The report lives in the arena. */
struct report *report_read(struct arena *a, const char *path, struct diag *d);

#endif
