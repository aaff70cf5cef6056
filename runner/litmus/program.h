/* What a thread runs: a tree of statements, parsed from the CUDA C subset or from a PTX table.
 *
 * Every access to memory is a statement of its own (STMT_OP); expressions are pure. `int A = X + Y;` becomes
 * two loads into fresh registers and an assignment; a `while` whose condition reads memory becomes a loop that
 * loads, tests and breaks. So the generator and the model see the same accesses in the same order. */
#ifndef CULITMUS_PROGRAM_H
#define CULITMUS_PROGRAM_H

#include "litmus/expr.h"
#include "litmus/ops.h"

/* A place of an operation: what it does there is a fact of its kind. */
struct op_place {
    int loc;            /* location, or -1: there is no such place */
    struct expr *index; /* element of an array; NULL: element 0 of a plain location */
    struct expr *rank;  /* of the block of the cluster in whose shared memory it is; NULL: the thread's own */
    const struct place_choice
        *choice; /* until a body is read: what says which of several locations it is; else NULL */
};

/* One operation of a body's text. When a test has been read, those of all bodies are its ops[], and numbered. */
struct op {
    int number;              /* of ops[], from 1 */
    const struct body *body; /* whose it is */
    struct pos pos;
    enum op_name name;
    enum op_kind kind; /* that of its row, op_rows[name] */
    enum proxy proxy;  /* that of its row, or what a table says */
    struct type type;  /* of the value that is read or written */
    enum order order;
    enum scope scope;
    int dst; /* register, or -1 */
    struct op_place place[OP_PLACES];
    struct expr *value;    /* what is stored, added, exchanged in */
    struct expr *expected; /* compare-exchange only */
    int slot;              /* OP_FENCE: index into test->slots, or -1 */
    enum barrier_kind barrier;
    int barrier_id;      /* BARRIER_CTA: 0..15; __syncthreads() is 0 */
    int barrier_threads; /* BARRIER_CTA: how many threads take part, 0: all the test's threads of the block */
    bool arrive_only;    /* a barrier: does not wait */
    bool joined;         /* of one instruction with the operation before, with which it is in no order */
    bool red;            /* written as PTX red, or an arrival that gives no token: no result */
    struct expr *mask;   /* of a warp's barrier or exchange: the lanes that meet, of the test's; NULL: all */
    struct expr *blocks; /* of a copy to several blocks of the cluster: their ranks, as bits; NULL: to one */
    struct expr *lane;   /* OP_EXCHANGE: of a shuffle */
    int width;           /* ...; of all others WARP_LANES */
    struct type result;  /* OP_EXCHANGE, OP_ARRIVE, OP_TRY: of dst; `type` is that of `value` */
    int bytes;           /* OP_COPY, OP_REDUCE; else 0 */
    int zeros;           /* OP_COPY: of these so many at the end, which are written as 0 and not read */
    int pending;         /* OP_WAIT: groups that it leaves */
    bool astray;         /* OP_TRAP: stands for an access that leads nowhere, see op_astray */
};

/* An operation of the row: it accesses no location, has no result and no slot, is of type int, and has the order and
 * scope of the row's first call; those of a row without calls are weak and SCOPE_NONE. */
struct op op_make(enum op_name name, struct pos pos);
/* A trap where an access leads nowhere, or is not aligned. C++ and PTX leave it undefined, so a compiler takes it that it does
 * not happen, and nothing depends on that, unlike on a trap that the program asks for. */
struct op op_astray(struct pos pos);
/* The expressions that an operation computes: the indices and ranks of its places, value, expected, mask, blocks, lane; NULL:
 * it has none. */
enum { OP_OPERANDS = 2 * OP_PLACES + 5 };
void op_operands(const struct op *op, const struct expr *out[OP_OPERANDS]);
/* Whether one of them reads a register. */
bool op_reads(const struct op *op, int reg);

enum stmt_kind {
    STMT_SET,   /* reg = value */
    STMT_OP,    /* op */
    STMT_IF,    /* if (value) body else orelse */
    STMT_LOOP,  /* for (;;) { body; step }: leaves by STMT_BREAK; STMT_CONTINUE goes to step */
    STMT_BREAK, /* out of the innermost loop */
    STMT_CONTINUE,
    STMT_LABEL, /* label number `label` (PTX tables only) */
    STMT_GOTO,  /* if (value) goto label; value NULL: always */
};

struct stmt {
    enum stmt_kind kind;
    struct pos pos;
    struct stmt *next;
    int reg;            /* SET */
    int label;          /* LABEL, GOTO */
    struct expr *value; /* SET, IF, GOTO */
    struct op *op;      /* OP; one of the test's ops[] */
    struct stmt *body, *orelse, *step;
    bool returns; /* BREAK: a `return`, until a body is read: it leaves all loops */
    int leaves; /* BREAK, CONTINUE: the number of the loop that is meant, until that is read; 0: the one around it */
    bool
        of_switch; /* LOOP: a switch whose cases run on, in one turn; a CONTINUE in it is of the loop around, until then */
    bool bounded; /* LOOP: a `for` that was proved to end by itself after `trips` turns */
    int trips;
    long long turns; /* at most, with those of the loops within; many are as many as can be counted */
};

struct reg {
    const char *name; /* as written; a hoisted temporary has a name no user can write: "t$1" */
    struct pos pos;
    struct type type;
    bool temporary;
    bool unknown; /* it holds what a clock said */
};

/* The text of one `threads:` entry, shared by its `count` copies. */
struct body {
    const char *name;
    struct pos pos;
    const struct source *text; /* where its statements are; NULL: in the test's file */
    int count;
    bool indexed; /* written as {count, body}: its copies are called name[k] */
    int grid,
        block; /* written as {grid, block, body}: its blocks and the threads of each, called name[b][k]; else 0 */
    int grid_size[3], block_size[3]; /* ... along x, y and z */
    int cluster;                     /* of a whole kernel: the blocks of a cluster; 0: nothing says it */
    struct reg *regs;
    int nregs;
    int nlabels;
    const char **labels; /* names, for PTX tables */
    struct stmt *first;
};

/* What copy `tid` knows before it runs. */
struct expr_env body_env(const struct body *b, int tid);
/* What the copy is called: "worker[2]", "kernel[1][3]". */
const char *body_copy_name(struct arena *a, const struct body *b, int tid);

/* Calls f on every statement of a list, outer before inner; stops and returns false when f does. */
bool stmt_walk(const struct stmt *s, bool (*f)(const struct stmt *s, void *ctx), void *ctx);
/* Whether a loop may wait, or turns for so long that it has to be asked whether to go on. */
bool loop_waits(const struct stmt *loop);
/* Whether such a loop may go on or end because of what a register holds. */
bool loop_waits_for(const struct stmt *loop, int reg);
/* Adds how often a list reads each register. */
void stmt_count_reads(const struct stmt *s, int *reads);
/* The turns of all loops in a list that were proved to end. */
long long stmt_count_turns(const struct stmt *s);
/* Whether some statement of a list sets a register. */
bool stmt_sets(const struct stmt *s, int reg);
/* Whether a register has a value when a thread's body (no table's) ends, on every path; `thread` has its tid and count. */
bool stmt_always_sets(const struct stmt *s, int reg, const struct expr_env *thread);

#endif
