/* Random programs whose branches, values and indices may say nothing about what is stored, and a second writing of
 * No-Thin-Air for them. */
#ifndef CULITMUS_TEST_DEPEND_H
#define CULITMUS_TEST_DEPEND_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/text.h"

enum { THREADS = 4, SLOTS = 2, LOCS = 4, MAX_STEPS = 12 /* of a thread */, MAX_OBS = THREADS * SLOTS + LOCS };
enum { NOWHERE = -1 /* where nullptr leads */ };

enum oper { OR, AND, XOR, ADD, SUB, MUL, LEFT, RIGHT, EQUAL, LESS, MIN, MAX, CHOOSE, OPERS };

struct number {
    enum number_kind { NUMBER, REGISTER, OPERATION } kind;
    long long value; /* the number, or the register: a slot, or SLOTS for t */
    enum oper oper;
    const struct number *a, *b, *c;
};

struct line {
    enum line_kind {
        LOAD,
        LOAD_IF, /* by a pointer that is nullptr unless `index` is */
        STORE,
        STORE_ELEMENT,
        STORE_ANY,  /* to the only element of an array that nobody looks at, or beyond it */
        STORE_PAIR, /* of both elements, from an index on that may not be aligned */
        POINT,      /* the pointer p leads to `loc` if `index` is, and else to `beside` */
        STORE_AT,   /* where p leads */
        SET,
        IF,
        IF_POINTS, /* whether p leads anywhere */
        TRAP,      /* that the program asks for */
    } kind;
    int slot, loc, beside;
    const struct number *value, *index; /* a branch's value is its condition */
    const struct line *then, *other, *next;
};

/* All numbers of a program are of one type. */
struct number_type {
    const char *name, *suffix;
    int bits;
    bool sign;
    long long large; /* a constant of which the low bits are 0 */
};

/* A slot is a register and the location that it is loaded from, at most once on each way. */
struct program {
    bool syntactic; /* dependencies are those of the text */
    bool strays;    /* it has pointers, accesses that may lead nowhere, and traps */
    const struct number_type *type;
    int nthreads;
    const struct line *first[THREADS];
    int from[THREADS][SLOTS];
};

struct outcomes {
    long long (*list)[MAX_OBS];
    int n, cap, nobs;
    bool fault;  /* an execution comes to a trap, or to an access that leads nowhere or is not aligned */
    bool leaves; /* one comes to an access beyond an array */
};

/* Programs follow from the seed. */
void depend_seed(uint64_t to);
/* A random program; it lives in the arena. `strays` decides whether it may have such accesses. */
void depend_make(struct arena *a, struct program *p);
/* The same as a test, whose observables are all registers and then all locations. */
void depend_write(struct text *out, const struct program *p);

/* The outcomes by the definitions; out->list is to be freed. False if there are too many values to try them all. */
bool depend_run(const struct program *p, struct outcomes *out);
bool depend_has(const struct outcomes *o, const long long *values);

#endif
