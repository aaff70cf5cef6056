#include "logic/gate.h"

#include <stdint.h>

enum { MAX_GATES = 1 << 16, FIRST_SLOTS = 256 };

static unsigned slot_of(const struct gates *g, struct gate x) {
    uint64_t h =
        ((uint64_t)x.kind << 62 ^ (uint64_t)(unsigned)x.a << 32 ^ (unsigned)x.b) * 0x9e3779b97f4a7c15u;
    return (unsigned)(h >> 32) & (unsigned)(g->slots - 1);
}

static bool is_same(struct gate x, struct gate y) {
    return x.kind == y.kind && x.a == y.a && x.b == y.b;
}

static void note(struct gates *g, int gate) {
    unsigned slot = slot_of(g, g->list[gate]);
    while (g->table[slot])
        slot = (slot + 1) & (unsigned)(g->slots - 1);
    g->table[slot] = gate;
}

static void widen(struct gates *g) {
    g->slots = g->slots ? 2 * g->slots : FIRST_SLOTS;
    g->table = arena_array(g->arena, (size_t)g->slots, sizeof *g->table);
    for (int k = 1; k < g->n; k++)
        if (g->list[k].kind != GATE_INPUT) note(g, k);
}

static int add(struct gates *g, struct gate x) {
    if (g->n == MAX_GATES) g->full = true;
    if (g->full) return GATE_FALSE;
    if (g->n == g->cap) {
        int cap = g->cap ? 2 * g->cap : FIRST_SLOTS / 2;
        g->list = arena_grow(g->arena, g->list, (size_t)g->n, (size_t)cap, sizeof *g->list);
        g->cap = cap;
        widen(g);
    }
    g->list[g->n] = x;
    if (x.kind != GATE_INPUT && x.kind != GATE_CONSTANT) note(g, g->n);
    return 2 * g->n++;
}

void gate_open(struct gates *g, struct arena *a) {
    *g = (struct gates){.arena = a};
    add(g, (struct gate){GATE_CONSTANT, 0, 0});
}

/* The gate with this kind and these operands: one that there is, or a new one. */
static int find(struct gates *g, enum gate_kind kind, int x, int y) {
    struct gate form = {kind, x < y ? x : y, x < y ? y : x};
    unsigned slot = slot_of(g, form);
    for (; g->table[slot]; slot = (slot + 1) & (unsigned)(g->slots - 1))
        if (is_same(g->list[g->table[slot]], form)) return 2 * g->table[slot];
    return add(g, form);
}

int gate_input(struct gates *g) {
    return add(g, (struct gate){GATE_INPUT, 0, 0});
}

static const struct gate *gate_of(const struct gates *g, int x, enum gate_kind kind) {
    const struct gate *gate = &g->list[x / 2];
    return gate->kind == kind ? gate : NULL;
}

/* x and y, if y is an `and` that has x or its negation as an operand, or the negation of one; else -1. */
static int and_within(struct gates *g, int x, int y) {
    const struct gate *gate = gate_of(g, y, GATE_AND);
    if (!gate) return -1;
    bool negated = y & 1;
    if (gate->a == gate_not(x) || gate->b == gate_not(x)) return negated ? x : GATE_FALSE;
    if (gate->a != x && gate->b != x) return -1;
    return negated ? gate_and(g, x, gate_not(gate->a == x ? gate->b : gate->a)) : y;
}

int gate_and(struct gates *g, int x, int y) {
    if (x == GATE_FALSE || y == GATE_FALSE || x == gate_not(y)) return GATE_FALSE;
    if (x == GATE_TRUE || x == y) return y;
    if (y == GATE_TRUE) return x;
    int within = and_within(g, x, y);
    if (within < 0) within = and_within(g, y, x);
    return within < 0 ? find(g, GATE_AND, x, y) : within;
}

int gate_or(struct gates *g, int x, int y) {
    return gate_not(gate_and(g, gate_not(x), gate_not(y)));
}

/* x xor y, if y is an `xor` that has x as an operand; else -1. Neither is a negation. */
static int xor_within(const struct gates *g, int x, int y) {
    const struct gate *gate = gate_of(g, y, GATE_XOR);
    if (!gate || (gate->a != x && gate->b != x)) return -1;
    return gate->a == x ? gate->b : gate->a;
}

int gate_xor(struct gates *g, int x, int y) {
    int negated = (x ^ y) & 1;
    x &= ~1;
    y &= ~1;
    if (x == y) return GATE_FALSE ^ negated;
    if (x == GATE_FALSE || y == GATE_FALSE) return (x | y) ^ negated;
    int within = xor_within(g, x, y);
    if (within < 0) within = xor_within(g, y, x);
    return (within < 0 ? find(g, GATE_XOR, x, y) : within) ^ negated;
}

int gate_choose(struct gates *g, int which, int x, int y) {
    if (x == y) return x;
    if (x == gate_not(y)) return gate_xor(g, which, y);
    return gate_or(g, gate_and(g, which, x), gate_and(g, gate_not(which), y));
}
