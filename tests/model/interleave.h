/* Random programs of the kind that kernels are made of: loops, compare-exchanges, branches, computed indices, locks,
 * tickets, lists and barriers, by up to four threads; and all states in which their interleavings end.
 *
 * This is a second judge, so it shares nothing with the checker. */
#ifndef CULITMUS_TEST_INTERLEAVE_H
#define CULITMUS_TEST_INTERLEAVE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

enum { MAX_THREADS = 4, MAX_BODIES = 4, MAX_ACTIONS = 80 };
enum { REGISTERS = 3, COUNTERS = 2, ELEMENTS = 2 /* of the array */ };
/* Where a word of memory lies: three plain locations, and then the array. */
enum word { A, B, L, Q, WORDS = Q + ELEMENTS };
enum { MAX_OBSERVED = MAX_THREADS * REGISTERS + WORDS };

struct operand {
    enum operand_kind { NUMBER, REGISTER, COUNTER, TID, RESULT /* of the action with that number */ } kind;
    int n;
};

struct formula {
    struct operand left;
    enum operation { ALONE, PLUS, MINUS, XOR, AND, EQUAL, UNEQUAL, LESS, OPERATIONS } operation;
    struct operand right;
};

struct spot {
    enum word location;
    struct formula index; /* of the array */
    bool masked;          /* the index is taken modulo ELEMENTS */
};

/* LOAD to MAX access memory. */
enum action_kind {
    NOTHING,
    LOAD,
    STORE, /* a */
    SWAP,  /* if it is a, to b */
    ADD,   /* a, and so do those that follow */
    EXCHANGE,
    MAX,
    SET, /* a register, to a */
    FENCE,
    BARRIER,
    IF,     /* a: body, else other */
    FOR,    /* with a counter from 0, while it is less than a: body */
    WHILE,  /* a: body */
    DO,     /* body, while a */
    BREAK,  /* if a */
    RETURN, /* if a */
    BLOCK,  /* body */
};

struct action {
    enum action_kind kind;
    int reg;      /* gets the result; -1: none does */
    bool ordered; /* it acquires, releases, or both */
    bool asked;   /* it stands in a condition */
    struct spot spot;
    struct formula a, b;
    int counter;           /* of FOR */
    int body, other, next; /* numbers of actions; 0: none */
};

struct routine {
    struct action actions[MAX_ACTIONS]; /* from 1 on */
    int nactions;
    struct {
        int first, count; /* so many threads run it */
    } bodies[MAX_BODIES];
    int nbodies;
    int memory[WORDS]; /* at first */
    const char *placement, *access;
};

int interleave_threads(const struct routine *r);

/* Routines follow from the seed. */
void interleave_seed(uint64_t to);
void interleave_make(struct routine *r);

/* The final states that can be reached: the registers of each thread, and then memory. */
struct finals {
    int (*list)[MAX_OBSERVED]; /* sorted; to be freed */
    int n, nobserved;
};

enum interleaved {
    INTERLEAVED, /* these are all of them */
    TOO_MANY,    /* states */
    OUTSIDE,     /* an index leaves the array */
};
enum interleaved interleave_run(const struct routine *r, struct finals *out);
bool interleave_reaches(const struct finals *f, const int *state);

/* As a test that asks for a state and so observes all of them, in the order of the state. */
void interleave_write(struct text *out, const struct routine *r, const char *name, const int *state);

/* Makes a routine of which something is true as small as it stays true. */
void interleave_reduce(struct routine *r, bool (*is_so)(const struct routine *r, void *context),
                       void *context);

#endif
