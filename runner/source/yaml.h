/* Reads a YAML file as a tree of nodes. Each node knows its position in the file and lives in the arena. An
 * alias is the same node as its anchor, so a node may have several parents; but no node is its own
 * ancestor. */
#ifndef CULITMUS_YAML_H
#define CULITMUS_YAML_H

#include "base/source.h"

enum node_kind { NODE_SCALAR, NODE_LIST, NODE_MAP };

struct yaml_entry {
    struct yaml_node *key; /* a scalar; NULL in a list */
    struct yaml_node *value;
};

struct yaml_node {
    enum node_kind kind;
    struct pos pos;
    const char *text; /* of a scalar: its value, which contains no NUL */
    size_t len;
    bool quoted;                /* of a scalar: it is not plain */
    size_t begin, end;          /* of a scalar: its range in the source, with its quotes or its | */
    struct yaml_entry *entries; /* of a list or a map */
    int n;
};

/* Reads the document of a source, and a second one behind it: *second is NULL if there is none. Returns NULL
 * and leaves an error if the source is not YAML, is empty, has a duplicate key, or is nested too deeply. */
struct yaml_node *yaml_read(struct arena *a, const struct source *src, struct yaml_node **second,
                            struct diag *d);

/* Returns the text of a scalar for a parser. Each byte that is no white space has its exact position, unless
 * the scalar is quoted and has escapes: then all bytes have the position where the scalar begins. */
struct snippet yaml_snippet(struct arena *a, const struct source *src, const struct lines *lines,
                            const struct yaml_node *scalar);

#endif
