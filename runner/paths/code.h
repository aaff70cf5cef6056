/* A body as straight code with jumps: loops, conditionals and labels alike. */
#ifndef CULITMUS_CODE_H
#define CULITMUS_CODE_H

#include "base/arena.h"
#include "litmus/test.h"

enum ins_kind {
    INS_SET,    /* stmt->reg = stmt->value */
    INS_OP,     /* stmt->op */
    INS_BRANCH, /* to `target` if stmt->value is `when` (true: not zero), else on */
    INS_JUMP,   /* to `target` */
    INS_END,
};

struct ins {
    enum ins_kind kind;
    const struct stmt *stmt;
    bool when;
    int target;
    const uint64_t
        *live; /* the registers that are read from here on before they are set, but for faint ones */
};

/* A loop: the code first..last, which jumps back to `first`. `returns[pc - first]` is true for a place from
 * which a way leads to another turn, and `leaves[pc - first]` for a branch of which only one way does. */
struct code_loop {
    int first, last;
    const struct stmt *stmt; /* what jumps back */
    const bool *leaves, *returns;
    const uint64_t *steering; /* the registers from which branches and operands are computed */
    bool endless;             /* no way leads out of it */
    bool varies; /* what a turn reads, or which way it goes, can decide whether there is another */
    int look;    /* where turns are compared: a place that each turn passes, with the fewest live registers */
};

struct code {
    const struct body *body;
    int reg_words; /* of a set of registers */
    struct ins *ins;
    int nins;
    struct code_loop *loops;
    int nloops;
};

/* Builds the code of a body. `observed` is a set of body->nregs bits: the registers that are looked at when the thread
 * has ended; `without`: prunings that are switched off. Lives in the arena. */
struct code *code_build(const struct body *body, const uint64_t *observed, unsigned without, struct arena *a);

/* Fills in where control may go after pc. Returns how many places. */
int code_successors(const struct code *code, int pc, int out[2]);
/* The register that an instruction sets, or -1. */
int code_sets(const struct ins *i);
/* Whether every turn passes a place: without it, no way leads from the head back to the head. */
bool code_is_on_all_turns(const struct code *code, const struct code_loop *loop, int place, struct arena *a);

#endif
