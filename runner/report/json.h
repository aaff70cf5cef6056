/* Reading results again. */
#ifndef CULITMUS_REPORT_JSON_H
#define CULITMUS_REPORT_JSON_H

#include "results/results.h"

/* Reads what report_json wrote. NULL and an error when the file is not that. The report lives in the arena. */
struct report *report_read(struct arena *a, const char *path, struct diag *d);

#endif
