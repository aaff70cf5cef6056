/* Boolean functions of inputs, as gates. Gates of the same form are one gate, and what is plain to see folds: so two terms
 * that are the same by their form have the same literals. */
#ifndef CULITMUS_GATE_H
#define CULITMUS_GATE_H

#include <stdbool.h>

#include "base/arena.h"

/* A literal is a gate or its negation. */
enum { GATE_FALSE, GATE_TRUE };

enum gate_kind { GATE_CONSTANT, GATE_INPUT, GATE_AND, GATE_XOR };

struct gate {
    enum gate_kind kind;
    int a, b; /* literals */
};

struct gates {
    struct arena *arena;
    struct gate *list;
    int n, cap;
    int *table, slots; /* the gates by their form */
    bool full;         /* there were too many: the last ones mean nothing */
};

void gate_open(struct gates *g, struct arena *a);

static inline int gate_not(int x) {
    return x ^ 1;
}

int gate_input(struct gates *g);
int gate_and(struct gates *g, int x, int y);
int gate_or(struct gates *g, int x, int y);
int gate_xor(struct gates *g, int x, int y);
/* which ? x : y */
int gate_choose(struct gates *g, int which, int x, int y);

#endif
