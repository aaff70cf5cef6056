/* The keys of a YAML test. */
#ifndef CULITMUS_DOCUMENT_H
#define CULITMUS_DOCUMENT_H

#include "litmus/test.h"
#include "source/yaml.h"

/* Fills a test, whose source is set, from the root of its file. `carried`: the document behind it, or NULL. `compile`: the
 * kernels that it names; else it is `uncompiled`. What is wrong is reported. */
void document_read(struct arena *a, struct test *t, const struct yaml_node *root,
                   const struct yaml_node *carried, bool compile, struct diag *d);

/* Reads `memory`, the locations of the test. */
struct document;
void memory_read(struct document *doc, const struct yaml_node *map);

/* The struct of a name that a body defines; NULL: none does. */
struct record_text;
const struct record_text *structs_find(struct document *doc, const char *name);
/* Makes a location, whose count, space and access are set, one for each member of a struct. */
void structs_read(struct document *doc, int loc, const struct record_text *r, const struct yaml_node *type,
                  const struct yaml_node *init);

/* Reads a thread that is a whole kernel: its values are those of the keys of a thread. */
bool lifted_is(const struct yaml_node *const *v);
void lifted_read(struct document *doc, struct body *b, const struct yaml_node *const *v);
/* When all threads have been read: their accesses get their locations, and the test's source carries their PTX. */
void lifted_finish(struct document *doc);
/* Complains where the document behind the test is not one of PTX. */
void lifted_check(struct document *doc);

#endif
