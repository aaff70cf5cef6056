/* Reads nodes of YAML as what a test needs: texts, numbers, values, words, keys and lists. If a node is not
 * what is needed, there is an error at its position. */
#ifndef CULITMUS_NODE_H
#define CULITMUS_NODE_H

#include "base/text.h"
#include "litmus/test.h"
#include "source/schema.h"
#include "source/yaml.h"

/* A test that is being read. */
struct document {
    struct arena *arena;
    struct test *test;
    struct diag *diag;
    struct lines lines;
    bool compile;                    /* compile the sources of kernels */
    bool failed;                     /* there was an error before the claims were read */
    const struct yaml_node *carried; /* the document behind the test, with the PTX of its kernels; or NULL */
    const struct yaml_node *memory;  /* the node of `memory` while it is read, else NULL */
    const struct yaml_node *threads; /* the node of `threads`; or NULL */
    struct located_structs *structs; /* structs that bodies define and locations have; or NULL */
    const struct record_text **records; /* of each location of `memory`: its struct, or NULL */
    const struct yaml_node *address; /* the first initial value that is the address of a location; or NULL */
    bool placed;                     /* all locations have addresses */
    struct lift *lift;               /* the test's kernels; NULL: none so far */
    struct text more;                /* what the test's source must carry */
};

void node_complain(struct document *doc, const struct yaml_node *node, const char *message);
#define COMPLAIN(doc, node, ...) node_complain(doc, node, arena_printf((doc)->arena, __VA_ARGS__))

/* Whether the node is missing or empty. */
bool node_is_empty(const struct yaml_node *node);
/* Returns the text of a scalar; NULL and an error that says what is needed (`what`) when it is none. */
const char *node_text(struct document *doc, const struct yaml_node *node, const char *what);
bool node_int(struct document *doc, const struct yaml_node *node, int min, int max, int *out);
/* Reads a size: 4, or the sizes along x, y and z, [4, 2], where missing ones are 1. Returns their product,
 * from 1 to `max`; else an error. */
int node_sizes(struct document *doc, const struct yaml_node *node, int max, int sizes[3]);
/* Reads a number, or a list of a vector's elements; one number stands for all elements. */
struct value node_value(struct document *doc, const struct yaml_node *node, struct type t);
/* Returns the index of a word in a list that ends with NULL; -1 and an error when it is not there. */
int node_word(struct document *doc, const struct yaml_node *node, const char *what, const char *const *words);
/* Returns the value of a key of a map; NULL: it does not have the key, or is no map. */
const struct yaml_node *node_find(const struct yaml_node *map, const char *key);
/* Finds the values of a map's keys: values[k] of enum key, NULL if absent. Keys that `owner` does not have
 * are errors. */
bool node_keys(struct document *doc, const struct yaml_node *map, enum key_owner owner,
               const struct yaml_node *values[NKEYS], const char *what);
/* Returns the index of the word at a key among those that may stand there; -1: the key is absent, or an
 * error. */
int node_choice(struct document *doc, const struct yaml_node *const *values, enum key k, const char *what);
/* Whether a key can be a name; else leaves an error. */
bool node_check_name(struct document *doc, const struct yaml_node *key, const char *what);
/* the most values of an axis, and the most claims */
enum { NODE_MAX_ENTRIES = 1000 };

/* Returns the values of a list, which `what` names in messages; a single value is a list of one. A choice of
 * fences for several slots contains commas of its own. */
const struct yaml_entry *node_list(struct document *doc, const struct yaml_node *node, const char *what,
                                   struct yaml_entry *one, int *n);

#endif
