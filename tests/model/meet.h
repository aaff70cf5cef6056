/* Random programs whose threads meet: they vote, match, reduce, shuffle and wait for each other in a warp and a block, and not
 * all of them come. And what each can end with when threads take turns, found by going through all states: so loops take
 * as many turns as they like. This shares no code with the checker. */
#ifndef CULITMUS_TEST_MEET_H
#define CULITMUS_TEST_MEET_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

enum { MEET_MAX_THREADS = 4, MEET_MAX_CODE = 64, MEET_REGS = 3, MEET_LOCS = 2, MEET_VALUES = 16 };

enum meet_kind {
    MEET_LOAD,   /* reg = location */
    MEET_STORE,  /* location = value */
    MEET_ADD,    /* reg = atomicAdd(location, 1) */
    MEET_SET,    /* reg = value */
    MEET_JOIN,   /* reg = call(lanes, value) */
    MEET_BRANCH, /* to `target` if value is 0 */
    MEET_JUMP,
    MEET_END,
};

/* What those who meet do; the last few in a block. */
enum meet_call {
    CALL_ANY,
    CALL_ALL,
    CALL_UNI,
    CALL_BALLOT,
    CALL_MATCH_ANY,
    CALL_MATCH_ALL,
    CALL_ADD,
    CALL_MIN,
    CALL_AND,
    CALL_SHUFFLE, /* from lane `from` */
    CALL_SYNC,
    CALL_BLOCK_COUNT,
    CALL_BLOCK_AND,
    CALL_BLOCK_OR,
    CALL_BLOCK_SYNC,
    MEET_CALLS
};

/* A register, a constant or the number of the thread, and what is done to it. */
struct meet_value {
    enum { VALUE_CONSTANT, VALUE_REG, VALUE_TID } of;
    int number;   /* of the register, or the constant */
    char op;      /* '=', '!', '+', '&', or 0 */
    int constant; /* the other operand */
};

struct meet_ins {
    enum meet_kind kind;
    int reg, loc, target;
    enum meet_call call;
    unsigned lanes;
    int from;
    struct meet_value value;
};

/* `lanes` threads of one text in one warp; and another one elsewhere, whose text is `code[1]`. */
struct meet_program {
    int lanes;
    int nthreads;
    bool synced; /* a __syncwarp() stands before each exchange of the warp, which orders no memory itself */
    struct meet_ins code[2][MEET_MAX_CODE];
    int n[2];
    char text[2][4000];
    bool observed[MEET_MAX_THREADS][MEET_REGS];
};

/* Makes a program that follows from the seed. Its loops wait for what is read, by a vote. */
void meet_random_seed(uint64_t to);
void meet_random(struct meet_program *p);
/* As a test: its condition names what is observed, and all of memory. */
void meet_print(const struct meet_program *p, struct text *out);

/* Values: registers, thread by thread, as they are observed; then memory. */
struct meet_outcomes {
    int nvalues, n, cap;
    int64_t (*values)[MEET_VALUES];
};

/* False where there are too many states. To be freed. */
bool meet_run(const struct meet_program *p, struct meet_outcomes *out);
void meet_free(struct meet_outcomes *out);
bool meet_has(const struct meet_outcomes *out, const int64_t *values);

#endif
