/* The keys of a YAML test. */
#ifndef CULITMUS_DOCUMENT_H
#define CULITMUS_DOCUMENT_H

#include "litmus/test.h"
#include "source/yaml.h"

/* Fills in a test, whose source is set, from the root of its file. `carried` is the document behind it, or
 * NULL. `compile`: compile the kernels that it names; else the test is `uncompiled`. Errors are reported. */
void document_read(struct arena *a, struct test *t, const struct yaml_node *root,
                   const struct yaml_node *carried, bool compile, struct diag *d);

/* Reads `memory`, the locations of the test. */
struct document;
void memory_read(struct document *doc, const struct yaml_node *map);

/* Returns the struct of a name that some body defines; NULL: none does. */
struct record_text;
const struct record_text *structs_find(struct document *doc, const char *name);
/* Replaces a location of a struct type, whose count, space and access are set, by one for each member. */
void structs_read(struct document *doc, int loc, const struct record_text *r, const struct yaml_node *type,
                  const struct yaml_node *init);

/* Whether a thread is a whole kernel, by the values of its keys; and reading it. */
bool lifted_is(const struct yaml_node *const *v);
void lifted_read(struct document *doc, struct body *b, const struct yaml_node *const *v);
/* Called when all threads were read: gives the kernels' accesses their locations, and makes the test's source
 * carry their PTX. */
void lifted_finish(struct document *doc);
/* Leaves an error if the document behind the test is not one of PTX. */
void lifted_check(struct document *doc);

#endif
