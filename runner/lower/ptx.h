/* A column of a PTX table: the instructions of one thread. An asm statement is read as a column, too.
 *
 *   ptx.c             cells, accesses to memory, fences
 *   ptx_barrier.c     barriers
 *   ptx_hint.c        hints, trap, what waits for another kernel
 *   ptx_exchange.c    exchanges of a warp
 *   ptx_operand.c     operands
 *   asm_ptx.c         operands in an asm statement
 *   ptx_arithmetic.c  what computes in registers
 *   ptx_flow.c        labels and branches, loops without a way out
 *   ptx_refused.c     what cannot be had */
#ifndef CULITMUS_TEST_PTX_H
#define CULITMUS_TEST_PTX_H

#include "lower/asm.h"

enum { MAX_LABELS = 256 };

struct ptx_label {
    const char *name;
    bool defined;
    struct pos pos; /* of its definition, or before that of its first use */
};

/* A register that holds the address of a location, as `reg=location` among the initial values says. */
struct alias {
    const char *reg;
    int loc;
    struct expr *offset; /* what was added to it, in bytes; NULL: nothing */
};

/* `P0:reg=value` among the initial values. */
struct initial {
    int reg;
    struct type type;
    struct value value;
    bool settled; /* the register has its type: it was declared so, or an instruction names it */
    struct pos pos;
};

/* A barrier of a block. */
struct ptx_barrier {
    struct stmt *stmt; /* its operation, which gets its number last */
    int place;         /* -1: it is met wherever its id is */
    int id;
    struct expr *value; /* a register that holds the id, or NULL */
    struct expr *count; /* a register that holds the number of threads, or NULL */
    struct pos more;    /* what is behind the first number */
    int threads;        /* how many threads of the table meet; 0: all of the block whose text has it */
};

struct column {
    struct parser p;
    struct asm_block *block;  /* of an asm statement; NULL: a table's column */
    struct type type;         /* of the values of the instruction at hand, */
    bool memory;              /* which is an access to memory */
    bool typed;               /* and whether it has a sign and a size; else they are signed and of 32 bits */
    struct ptx_label *labels; /* MAX_LABELS at most */
    int nlabels;
    int named_locs;        /* how many locations the initial values name */
    int max_locs;          /* how many locations there is room for */
    bool *declared;        /* whether a location has its type, from the initial values or its first access */
    bool *global;          /* whether an instruction has said that it is in global memory */
    struct alias *aliases; /* MAX_LOCALS at most, as of initials */
    int naliases;
    struct initial *initials;
    int ninitials;
    struct ptx_barrier *barriers;
    int nbarriers, barrier_cap;
    struct stmt *cluster_arrival; /* a barrier.cluster.arrive that was the newest statement */
};

enum { MAX_WORDS = 12 };

/* An instruction: the words of its opcode, "ld" "acquire" "cta", each of which must be used. */
struct instruction {
    const struct token *words[MAX_WORDS];
    bool used[MAX_WORDS];
    int n;
    const struct token *type;  /* the word "u32", "s32" or "b32", or NULL */
    const struct token *space; /* of a table: the word "global" or "shared", or NULL */
    int lanes;                 /* of an access: 2 or 4 of a vector */
    bool hint;                 /* .L2::cache_hint, behind which a register says more */
};

/* The word of the opcode that reads so; it is used then. NULL: it has none. */
const struct token *ptx_take(struct instruction *in, const char *word);
/* Warns, once in a test, that a dialect is read its way. */
void ptx_say(struct column *c, struct pos pos, const char *text);
/* Refuses a type that is not signed, for an operation whose result depends on the sign. */
void ptx_need_sign(struct column *c, const struct instruction *in, const char *what);
/* Whether the type begins with one of these letters: "us" of integers. */
bool ptx_is_type(const struct instruction *in, const char *letters);

/* Refuses words and opcodes that PTX has, and that cannot be had here. True: the opcode was refused. */
void ptx_refuse_words(struct parser *p, const struct instruction *in);
bool ptx_refuse_opcode(struct parser *p, const struct token *opcode);
/* What is to be said of a word that an ld or st cannot have, an order or a scope; "" of others. */
const char *ptx_hint_at_word(const struct instruction *in, const char *word);
/* The same of all instructions of an asm statement, which is not read then. */
bool ptx_refuse_text(struct parser *p, const struct token *first);

/* ---- operands ---- */

void ptx_comma(struct column *c);
/* A register that is written; and one that is a predicate. */
int ptx_register(struct column *c);
int ptx_predicate(struct column *c);
int ptx_find_register(struct column *c, const struct token *t);
/* A register or a number; and the value of a register of any type. */
struct expr *ptx_value(struct column *c);
/* A value of the instruction's type, `read` reading a scalar: one, or those of a vector in braces, "{r0, r1}". */
struct expr *ptx_lanes(struct column *c, struct expr *(*read)(struct column *c));
struct expr *ptx_read_register(struct column *c);
/* Whether an operand of a table is no address: a number, or the name of a register that holds none. */
bool ptx_at_value(struct column *c);
/* The register that holds an address, or NULL; and makes it hold one. */
struct alias *ptx_alias_of(struct column *c, const char *reg);
void ptx_set_alias(struct column *c, const struct token *reg, struct alias alias);
/* add r, a, b where one of them is an address, whose sum r then holds: false, and nothing was read, where none is. */
bool ptx_add_address(struct column *c, struct pos pos);
/* The place of an operation, whose type it gets. */
void ptx_place(struct column *c, struct instruction *in, struct op *op);
/* A place of a copy, which is in shared memory or not; in a table, any place. */
struct place ptx_copied_place(struct column *c, bool shared);

/* A number from 0 to `max`. */
int ptx_number(struct column *c, const char *what, int max);

/* ---- barriers ---- */

/* bar.sync, bar.arrive, barrier.cluster.arrive, ... */
void ptx_barrier(struct column *c, struct instruction *in);
/* Gives the barriers of the columns, which are read, their numbers. */
void ptx_number_barriers(struct column *columns, int n);

/* ---- instructions ---- */

/* nanosleep, griddepcontrol, trap, prefetch. */
void ptx_sleep(struct column *c, struct instruction *in);
void ptx_dependence(struct column *c, struct instruction *in);
void ptx_trap(struct column *c, struct instruction *in);
void ptx_prefetch(struct column *c, struct instruction *in);

/* An instruction ends with its cell, in an asm statement also at a ';'. */
bool ptx_at_end(const struct parser *p);
/* Reads an instruction up to its end. */
void ptx_instruction(struct column *c);
/* bra label, exit, beq a, b, label and the like; and "label:". */
void ptx_goto(struct column *c, struct instruction *in);
void ptx_exit(struct column *c, struct instruction *in);
void ptx_branch(struct column *c, struct instruction *in);
void ptx_label(struct column *c);
/* Complains about labels that are missing in `where`; the others become those of the body. */
void ptx_finish_labels(struct column *c, const char *where);
/* The same behind a predicate, if it has one. */
void ptx_statement(struct column *c);

/* The same in an asm statement, and where an address is. A value has the type `c->type`. */
int asm_register(struct column *c, bool predicate);
struct expr *asm_value(struct column *c);
struct expr *asm_predicate(struct column *c);
int asm_number(struct column *c, const char *what, int max);
struct place asm_address(struct column *c, struct instruction *in);
/* [%k] of a copy, which is in shared memory or not. */
struct place asm_place(struct column *c, bool shared);
/* What the registers of a load or an atomic operation get: one, or as many as a vector has lanes. */
struct asm_targets {
    const struct asm_operand *operands[4];
    int regs[4];
    int n;
    int before; /* how many registers there were before these */
    struct pos pos;
};
struct asm_targets asm_targets(struct column *c);
/* The same in an asm statement or in a table; and adds an operation whose value they get. */
struct asm_targets ptx_targets(struct column *c);
void ptx_add_result(struct column *c, struct op op, const struct asm_targets *to);
void asm_set_targets(struct column *c, const struct asm_targets *to, struct expr *value);
/* Complains where the instruction's type is not that of the location; it becomes that of the operation. */
void asm_check_type(struct column *c, const struct instruction *in, struct op *op);

/* ---- exchanges ---- */

void ptx_shuffle(struct column *c, struct instruction *in); /* shfl.sync.idx.b32 r, a, lane, segment, mask */
void ptx_vote(struct column *c, struct instruction *in);    /* vote.sync.all.pred p, q, mask */
void ptx_match(struct column *c, struct instruction *in);   /* match.any.sync.b32 r, a, mask */
void ptx_active(struct column *c, struct instruction *in);  /* activemask.b32 r */
void ptx_reduce(struct column *c, struct instruction *in);  /* redux.sync.add.s32 r, a, mask */

/* ---- arithmetic ---- */

void ptx_move(struct column *c, struct instruction *in);       /* mov r, a */
void ptx_unary(struct column *c, struct instruction *in);      /* not r, a */
void ptx_arithmetic(struct column *c, struct instruction *in); /* add r, a, b */
void ptx_shift(struct column *c, struct instruction *in);      /* shl r, a, n */
void ptx_setp(struct column *c, struct instruction *in);       /* setp.lt r, a, b */
void ptx_select(struct column *c, struct instruction *in);     /* selp r, a, b, p */
void ptx_extreme(struct column *c, struct instruction *in);    /* min r, a, b */
void ptx_convert(struct column *c, struct instruction *in);    /* cvt.u64.u32 r, a */
/* Reads the operands of a comparison, "lt" and the like, by the instruction's type. */
struct expr *ptx_comparison(struct column *c, const struct instruction *in, const char *name);

/* ---- the column as a whole ---- */

/* Starts a column whose body's name and position are known. */
void ptx_start(struct column *c, struct arena *a, struct test *t, struct body *body, struct diag *d);
/* Gives a register a value before the first instruction. */
void ptx_initial(struct column *c, const struct token *reg, struct type type, bool typed, struct value value);
/* Makes a register stand for a location. */
void ptx_alias(struct column *c, const struct token *reg, int loc);
/* Reads a cell: labels, and an instruction unless it is empty. */
void ptx_cell(struct column *c, const struct snippet *cell);
/* Checks the whole: labels that are missing, loops without a way out; registers that nothing sets, where all rows are good. */
void ptx_finish(struct column *c, bool good);
/* Complains about a branch that may run, and from which no path leads to the end of `where`. */
void ptx_check_ends(struct column *c, const char *where);

#endif
