/* Boolean functions of inputs, as gates. Gates of one kind with the same operands are one gate, and constants
 * are folded: so terms of the same form have the same literals. */
#ifndef CULITMUS_GATE_H
#define CULITMUS_GATE_H

#include <stdbool.h>

#include "base/arena.h"

/* A literal is 2 * gate, or 2 * gate + 1: its negation. Gate 0 is the constant. */
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
    int *table, slots; /* hash table: kind and operands -> gate */
    bool full;         /* there were too many gates: literals made since then mean nothing */
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
