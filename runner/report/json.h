/* Results as JSON: reading them back, and the values in them. */
#ifndef CULITMUS_REPORT_JSON_H
#define CULITMUS_REPORT_JSON_H

#include "base/json.h"
#include "base/json_write.h"
#include "litmus/value.h"
#include "results/results.h"

/* Reads what report_json wrote. Returns NULL and leaves an error when the file is anything else. The report
 * lives in the arena. */
struct report *report_read(struct arena *a, const char *path, struct diag *d);

/* ---- values: numbers, lists of them for vectors, texts "0x..." for scalars of 128 bits (json_value.c)
 * ---- */

void json_put_value(struct json_out *j, const char *name, struct type t, struct value v);
/* Reads a value, with the widest type of its kind. False: it is no value. */
bool json_value_of(const struct json_value *from, struct type *t, struct value *v);
/* Widens a type so that it holds values of both. Returns false when they differ in kind. A type of 0 bits is
 * not known yet. */
bool json_join_types(struct type *t, struct type with);

#endif
