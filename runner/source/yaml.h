/* Reads a YAML file as a tree of nodes. Each node knows its place in the file and lives in the arena. An alias is the
 * same node as its anchor, so a node may have several parents, but it is never above itself. */
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
    const char *text; /* scalar: its value, without any NUL */
    size_t len;
    bool quoted;                /* scalar: not plain */
    size_t begin, end;          /* scalar: where it stands in the source, with its quotes or its | */
    struct yaml_entry *entries; /* list, map */
    int n;
};

/* Reads the document of a source, and the one behind it: *second is NULL where there is none. NULL and an error when it is
 * not YAML, empty, has a duplicate key, or nests or recurs beyond reason. */
struct yaml_node *yaml_read(struct arena *a, const struct source *src, struct yaml_node **second,
                            struct diag *d);

/* The text of a scalar for a parser. Each byte of it that is not white space has its exact place, unless the
 * scalar is quoted with escapes: then all of it is at the scalar's begin. */
struct snippet yaml_snippet(struct arena *a, const struct source *src, const struct lines *lines,
                            const struct yaml_node *scalar);

#endif
