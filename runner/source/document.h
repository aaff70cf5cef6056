/* The keys of a YAML test. */
#ifndef CULITMUS_DOCUMENT_H
#define CULITMUS_DOCUMENT_H

#include "litmus/test.h"
#include "source/yaml.h"

/* Fills a test, whose source is set, from the root of its file. What is wrong is reported. */
void document_read(struct arena *a, struct test *t, const struct yaml_node *root, struct diag *d);

/* Reads `memory`, the locations of the test. */
struct document;
void memory_read(struct document *doc, const struct yaml_node *map);

#endif
