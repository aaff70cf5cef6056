/* Nodes of YAML as what a test has there: texts, numbers, values, words, keys and lists. What a node is not is an error at
 * its place. */
#ifndef CULITMUS_NODE_H
#define CULITMUS_NODE_H

#include "base/text.h"
#include "litmus/test.h"
#include "source/schema.h"
#include "source/yaml.h"

/* What is read, and where errors go. */
struct document {
    struct arena *arena;
    struct test *test;
    struct diag *diag;
    struct lines lines;
    bool compile;                       /* the sources of kernels */
    bool failed;                        /* there was an error before the claims */
    const struct yaml_node *carried;    /* the document behind the test, or NULL: the PTX of its kernels */
    const struct yaml_node *memory;     /* while it is read, else NULL */
    const struct yaml_node *threads;    /* or NULL */
    struct located_structs *structs;    /* that bodies define and locations are of; or NULL */
    const struct record_text **records; /* of each location of `memory`, or NULL */
    const struct yaml_node
        *address;      /* the first initial value that is the address of a location; NULL: none is */
    bool placed;       /* the locations have their addresses */
    struct lift *lift; /* of its kernels; NULL: it has none so far */
    struct text more;  /* what its source has to carry */
};

void node_complain(struct document *doc, const struct yaml_node *node, const char *message);
#define COMPLAIN(doc, node, ...) node_complain(doc, node, arena_printf((doc)->arena, __VA_ARGS__))

/* Whether nothing stands there. */
bool node_is_empty(const struct yaml_node *node);
/* The text of a scalar; NULL and an error when it is none. `what` says what is wanted. */
const char *node_text(struct document *doc, const struct yaml_node *node, const char *what);
bool node_int(struct document *doc, const struct yaml_node *node, int min, int max, int *out);
/* A size, 4, or the sizes along x, y and z, [4, 2], of which those that are left out are 1; their product, from 1 to `max`. */
int node_sizes(struct document *doc, const struct yaml_node *node, int max, int sizes[3]);
/* A number, or a list of a vector's elements; one number is that of all of them. */
struct value node_value(struct document *doc, const struct yaml_node *node, struct type t);
/* The index of a word in a list that ends with NULL; -1 and an error when it is not there. */
int node_word(struct document *doc, const struct yaml_node *node, const char *what, const char *const *words);
/* The value of a key of a map; NULL: it has none, or is no map. */
const struct yaml_node *node_find(const struct yaml_node *map, const char *key);
/* Finds the values of a map by the keys that it may have: values[k] of enum key, NULL where absent. Other keys are errors. */
bool node_keys(struct document *doc, const struct yaml_node *map, enum key_owner owner,
               const struct yaml_node *values[NKEYS], const char *what);
/* The index of the word at a key among those that may stand there; -1: it is absent, or an error. */
int node_choice(struct document *doc, const struct yaml_node *const *values, enum key k, const char *what);
/* Whether a key may be a name; else an error. */
bool node_check_name(struct document *doc, const struct yaml_node *key, const char *what);
/* No axis has more values, and no test more claims. */
enum { NODE_MAX_ENTRIES = 1000 };

/* The values of a list, which `what` names; or one value as a list of one. A choice of fences has commas of its own
 * where it is made slot by slot. */
const struct yaml_entry *node_list(struct document *doc, const struct yaml_node *node, const char *what,
                                   struct yaml_entry *one, int *n);

#endif
