/* Values in JSON: numbers, lists of them for vectors, texts "0x..." for scalars of 128 bits.
 *
 * The library's integers have 63 bits and a sign. A larger one is, to the library, a text that begins with a mark;
 * the mark and the quotes are in no file. */
#ifndef CULITMUS_REPORT_JSON_VALUE_H
#define CULITMUS_REPORT_JSON_VALUE_H

#include <jansson.h>
#include <stdio.h>

#include "base/json.h"
#include "litmus/value.h"

json_t *json_of_value(struct type t, struct value v);
/* The value, and the widest type of its kind. False when it is none. */
bool json_value_of(const struct json_value *from, struct type *t, struct value *v);
/* The type of values of two; false when they differ in kind. A type of 0 bits is not known yet. */
bool json_join_types(struct type *t, struct type with);

/* Writes what the library made. */
void json_write(const char *text, FILE *out);

#endif
