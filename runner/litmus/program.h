/* What a thread runs: a tree of statements, parsed from the CUDA C subset or from a PTX table.
 *
 * Every access to memory is a statement of its own (STMT_OP); expressions are pure. `int A = X + Y;` becomes
 * two loads into fresh registers and an assignment; a `while` whose condition reads memory becomes a loop that
 * loads, tests and breaks. So the generator and the model see the same accesses in the same order. */
#ifndef CULITMUS_PROGRAM_H
#define CULITMUS_PROGRAM_H

#include "litmus/expr.h"

/* PTX scopes, narrow to wide. SCOPE_NONE: a weak access, or no fence at all. */
enum scope { SCOPE_NONE, SCOPE_CTA, SCOPE_CLUSTER, SCOPE_GPU, SCOPE_SYS };

/* ORDER_BARE: whatever the test's access axis says (loads and stores written as plain C).
 * ORDER_VOLATILE is relaxed at system scope to the model, and ld.volatile / st.volatile to the GPU. */
enum order {
    ORDER_BARE,
    ORDER_WEAK,
    ORDER_VOLATILE,
    ORDER_RELAXED,
    ORDER_ACQUIRE,
    ORDER_RELEASE,
    ORDER_ACQ_REL,
    ORDER_SC,
};

enum rmw_fn {
#define RMW(name, cuda, generic, ptx, type, expr) RMW_##name,
#include "litmus/ops.def"
#undef RMW
    RMW_COUNT
};

enum op_kind {
    OP_LOAD,  /* dst = [loc + index] */
    OP_STORE, /* [loc + index] = value */
    OP_RMW, /* dst = old of [loc + index]; new value from fn(old, value, expected). dst may be -1 (PTX red) */
    OP_FENCE,   /* order ACQ_REL or SC at `scope`; with slot >= 0 order and scope come from the fence axis */
    OP_BARRIER, /* execution barrier with memory ordering among the threads of `scope` (see barrier_kind) */
};

enum barrier_kind {
    BARRIER_WARP,    /* __syncwarp(): the test's threads of this warp */
    BARRIER_CTA,     /* __syncthreads(), bar.cta.sync id[, n]: the test's threads of this block */
    BARRIER_CLUSTER, /* cluster_sync() */
};

/* One operation of a body's text. When a test has been read, those of all bodies are its ops[], and numbered. */
struct op {
    int number;              /* of ops[], from 1 */
    const struct body *body; /* whose it is */
    struct pos pos;
    enum op_kind kind;
    enum order order;
    enum scope scope;
    enum rmw_fn fn;
    int dst;               /* register, or -1 */
    int loc;               /* location, or -1 */
    struct expr *index;    /* element of an array; NULL: element 0 of a plain location */
    struct expr *value;    /* what is stored, added, exchanged in */
    struct expr *expected; /* compare-exchange only */
    int slot;              /* OP_FENCE: index into test->slots, or -1 */
    enum barrier_kind barrier;
    int barrier_id;      /* BARRIER_CTA: 0..15; __syncthreads() is 0 */
    int barrier_threads; /* BARRIER_CTA: how many threads take part, 0: all the test's threads of the block */
    bool arrive_only;    /* bar.arrive: does not wait */
    bool red;            /* written as PTX red: no result */
};

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
    bool bounded; /* LOOP: a `for` that was proved to end by itself after `trips` turns */
    int trips;
};

struct reg {
    const char *name; /* as written; a hoisted temporary has a name no user can write: "t$1" */
    struct pos pos;
    struct type type;
    bool temporary;
};

/* The text of one `threads:` entry, shared by its `count` copies. */
struct body {
    const char *name;
    struct pos pos;
    int count;
    bool indexed; /* written as {count, body}: its copies are called name[k] */
    struct reg *regs;
    int nregs;
    int nlabels;
    const char **labels; /* names, for PTX tables */
    struct stmt *first;
};

/* Calls f on every statement of a list, outer before inner; stops and returns false when f does. */
bool stmt_walk(const struct stmt *s, bool (*f)(const struct stmt *s, void *ctx), void *ctx);
/* Whether some statement of a list sets a register. */
bool stmt_sets(const struct stmt *s, int reg);
/* Whether a register has a value when a thread's body (no table's) ends, on every path; `thread` has its tid and count. */
bool stmt_always_sets(const struct stmt *s, int reg, const struct expr_env *thread);

/* fn's new value, of type t (`expected` is read by CAS only). */
struct value rmw_apply(enum rmw_fn fn, struct type t, struct value old, struct value value,
                       struct value expected);

/* The field's words: "cta" / "weak" / "add"; and the words of the test format: "block", "device". */
const char *scope_ptx(enum scope s);     /* none cta cluster gpu sys */
const char *scope_name(enum scope s);    /* none block cluster device system */
enum scope scope_find(const char *name); /* by either word: "block", "cta"; SCOPE_NONE when it is neither */
const char *order_name(enum order o);    /* bare weak volatile relaxed acquire release acq_rel sc */
const char *rmw_name(enum rmw_fn fn);    /* add sub exch ... cas */

#endif
