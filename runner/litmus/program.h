/* The program of a thread: a tree of statements, parsed from the CUDA C subset or from a PTX table.
 *
 * Each access to memory is a statement of its own (STMT_OP); expressions are pure. `int A = X + Y;` becomes
 * two loads into fresh registers and an assignment. A `while` whose condition reads memory becomes a loop
 * that loads, tests and breaks. So the generator and the model see the same accesses in the same order. */
#ifndef CULITMUS_PROGRAM_H
#define CULITMUS_PROGRAM_H

#include "litmus/expr.h"
#include "litmus/ops.h"

/* A place of an operation. The operation's kind says what it does there. */
struct op_place {
    int loc;            /* location, or -1: there is no such place */
    struct expr *index; /* the element of an array; NULL: element 0, or the location is no array */
    struct expr *rank;  /* the rank of the block in whose shared memory it is; NULL: the thread's own block */
    const struct place_choice
        *choice; /* while a body is read: the expression that chooses among several locations; later NULL */
};

/* One operation in the text of a body. When a test has been read, the operations of all its bodies are
 * numbered in ops[]. */
struct op {
    int number;              /* index in ops[], from 1 */
    const struct body *body; /* the body that it is in */
    struct pos pos;
    enum op_name name;
    enum op_kind kind; /* the kind of its row, op_rows[name] */
    enum proxy proxy;  /* the proxy of its row, or what a table says */
    struct type type;  /* the type of the value that is read or written */
    enum order order;
    enum scope scope;
    int dst; /* register, or -1 */
    struct op_place place[OP_PLACES];
    struct expr *value;    /* what is stored, added, exchanged in */
    struct expr *expected; /* of a compare-exchange */
    int slot;              /* OP_FENCE: index into test->slots, or -1 */
    enum barrier_kind barrier;
    int barrier_id;      /* BARRIER_CTA: 0..15; __syncthreads() is 0 */
    int barrier_threads; /* BARRIER_CTA: how many threads take part; 0: all the test's threads of the block */
    bool arrive_only;    /* of a barrier: it does not wait */
    bool joined; /* it is part of the same instruction as the operation before, and they are in no order */
    bool red;    /* it has no result: a PTX red, or an arrival without a token */
    struct expr *mask; /* of a warp's barrier or exchange: which of the test's lanes meet; NULL: all */
    /* of a copy to several blocks of the cluster: their ranks, as bits; NULL: it goes to one */
    struct expr *blocks;
    struct expr *lane; /* of a shuffle */
    int width;         /* of a shuffle; else WARP_LANES */
    /* of an OP_EXCHANGE, OP_ARRIVE or OP_TRY: the type of dst; `type` is that of `value` */
    struct type result;
    int bytes;   /* of a copy or reduction by an engine; else 0 */
    int zeros;   /* of an OP_COPY: so many bytes at its end are not read but written as 0 */
    int pending; /* of an OP_WAIT: how many groups may still be under way */
    bool astray; /* of an OP_TRAP: it stands for an access that leads nowhere (op_astray) */
};

/* Makes an operation of a row. It accesses no location, has no result and no slot, and is of type int. Its
 * order and scope are those of the row's first call; if the row has no calls, it is weak with SCOPE_NONE. */
struct op op_make(enum op_name name, struct pos pos);
/* Makes the trap for an access that leads nowhere or is not aligned. C++ and PTX leave such an access
 * undefined, so a compiler may assume that it does not happen. So, other than on a trap that the program asks
 * for, nothing depends on it. */
struct op op_astray(struct pos pos);
/* The expressions that an operation evaluates: indices and ranks of its places, value, expected, mask,
 * blocks, lane. NULL: it does not have this one. */
enum { OP_OPERANDS = 2 * OP_PLACES + 5 };
void op_operands(const struct op *op, const struct expr *out[OP_OPERANDS]);
/* Whether one of these expressions reads a register. */
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
    bool returns; /* of a BREAK, while the body is read: it is a `return`, which leaves all loops */
    /* of a BREAK or CONTINUE, while the loop is read: the number of the loop that it is for; 0: the one
     * around it */
    int leaves;
    bool
        /* of a LOOP with one turn, while the body is read: it is a switch whose cases fall through, so a
         * CONTINUE in it is for the loop around it */
        of_switch;
    bool bounded; /* of a LOOP: it is a `for` that was proved to end by itself after `trips` turns */
    int trips;
    long long turns; /* at most so many turns, including those of loops within it */
};

struct reg {
    const char *name; /* as written; a temporary has a name that no user can write, such as "t$1" */
    struct pos pos;
    struct type type;
    bool temporary;
    bool unknown; /* it holds a value that a clock returned */
};

/* The text of one entry of `threads:`, which all its `count` copies share. */
struct body {
    const char *name;
    struct pos pos;
    const struct source *text; /* the text of its statements; NULL: it is in the test's file */
    int count;
    bool indexed; /* it is written as {count, body}: its copies are called name[k] */
    int grid,
        /* it is written as {grid, block, body}: the number of blocks, and of threads in each; copies are
         * called name[b][k]. Else 0 */
        block;
    int grid_size[3], block_size[3]; /* ... along x, y and z */
    int cluster; /* of a whole kernel: how many blocks a cluster has; 0: it does not say */
    struct reg *regs;
    int nregs;
    int nlabels;
    const char **labels; /* names of labels, in PTX tables */
    struct stmt *first;
};

/* Returns what copy `tid` knows before it runs: its numbers. */
struct expr_env body_env(const struct body *b, int tid);
/* Returns the name of a copy: "worker[2]", "kernel[1][3]". */
const char *body_copy_name(struct arena *a, const struct body *b, int tid);

/* Calls f on every statement of a list, outer statements before inner ones. Stops and returns false when f
 * does. */
bool stmt_walk(const struct stmt *s, bool (*f)(const struct stmt *s, void *ctx), void *ctx);
/* Whether a loop may wait for other threads, or has so many turns that it must be possible to end it. */
bool loop_waits(const struct stmt *loop);
/* Whether the value of a register may decide if such a loop goes on or ends. */
bool loop_waits_for(const struct stmt *loop, int reg);
/* Adds to `reads` how often a list reads each register. */
void stmt_count_reads(const struct stmt *s, int *reads);
/* The turns of all loops in a list that were proved to end. */
long long stmt_count_turns(const struct stmt *s);
/* Whether some statement of a list sets a register. */
bool stmt_sets(const struct stmt *s, int reg);
/* Whether a register has a value when a thread's body (no table's) ends, on every path; `thread` has its tid
 * and count. */
bool stmt_always_sets(const struct stmt *s, int reg, const struct expr_env *thread);

#endif
