/* A column of a PTX table: the instructions of one thread. An asm statement is read as a column, too.
 *
 *   column.c          statements and labels of a column
 *   ptx_op.c          operations on memory, fences, exchanges
 *   ptx_barrier.c     barriers
 *   ptx_operand.c     operands of a table
 *   asm_ptx.c         operands of an asm statement
 *   ptx_arithmetic.c  what computes in registers
 *   ptx_bits.c        the same bit by bit, where no rule says it
 *   ptx_flow.c        labels and branches, loops without a way out
 *   ptx_refused.c     what cannot be had */
#ifndef CULITMUS_COLUMN_H
#define CULITMUS_COLUMN_H

#include "litmus/op_ptx.h"
#include "lower/asm.h"

enum { MAX_LABELS = 1024 };

struct column_label {
    const char *name;
    int statement; /* of an asm: that of its definition, of which there may be several in braces; else -1 */
    int call;
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
    struct asm_block *block;     /* of an asm statement; NULL: a table's column */
    const struct ptx_code *code; /* its text, */
    int at;                      /* and the statement at hand */
    int call; /* of a whole kernel: the number of the call whose function that is; 0: it is the kernel */
    const struct ptx_instruction *in; /* at hand, */
    int next;                         /* its next operand, */
    enum proxy proxy;                 /* the proxy that a table's opcode names, or PROXY_GENERIC, */
    struct ptx_words words;           /* what its words say, */
    struct type type;                 /* the type of its values, */
    bool memory;                      /* whether it is an access to memory, */
    bool typed; /* and whether it has a sign and a size; else values are signed and of 32 bits */
    struct column_label *labels; /* MAX_LABELS at most */
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
    int nbarriers;
    struct stmt *cluster_arrival; /* a barrier.cluster.arrive that was the newest statement */
};

/* Warns, once in a test, that a dialect is read its way. */
void column_say(struct column *c, struct pos pos, const char *text);

/* Refuses opcodes and words that PTX has, and that cannot be had here. True: it was refused. */
bool ptx_refuse_opcode(struct parser *p, const struct ptx_instruction *in);
bool ptx_refuse_words(struct parser *p, const struct ptx_instruction *in);
/* Both, of all instructions of a text. */
bool ptx_refuse_all(struct parser *p, const struct ptx_code *code);

/* ---- operands ---- */

/* The next operand, which is taken; NULL, and an error that says what is missing, where there are no more. */
const struct ptx_operand *ptx_next(struct column *c, const char *what);
/* The next one, or NULL; and where it is, or should be. */
const struct ptx_operand *ptx_peek(const struct column *c);
struct pos ptx_at(const struct column *c);
/* A register that is written; and one that is a predicate. */
int ptx_register(struct column *c, const struct ptx_operand *o);
int ptx_predicate(struct column *c, const struct ptx_operand *o);
int ptx_find_register(struct column *c, const char *name, struct pos pos);
/* A register or a number; the value of a predicate, whatever its sign; and of p or !p as 0 or 1. */
struct expr *ptx_value(struct column *c, const struct ptx_operand *o);
struct expr *ptx_predicate_value(struct column *c, const struct ptx_operand *o);
struct expr *ptx_condition(struct column *c, const struct ptx_operand *o);
/* The value of a number: an integer of 64 bits, or the bits of a real number. */
struct expr *ptx_literal(struct column *c, const struct ptx_operand *o);
/* The value of the next operand. */
struct expr *ptx_next_value(struct column *c);
/* A number from 0 to `max`, which is the next operand. */
int ptx_number(struct column *c, const char *what, int max);
/* Whether an operand of a table is no address: a number, or the name of a register that holds none. */
bool ptx_is_value(struct column *c, const struct ptx_operand *o);
/* The register that holds an address, or NULL; and makes it hold one. */
struct alias *ptx_alias_of(struct column *c, const char *reg);
void ptx_set_alias(struct column *c, const char *reg, struct pos pos, struct alias alias);
/* add r, a, b where one of them is an address, whose sum r then holds: false, and nothing was read, where none is. */
bool ptx_add_address(struct column *c);
/* The place of an operation, whose type it gets; and one of a copy, which is in shared memory or not. */
void ptx_place(struct column *c, struct op *op);
struct place ptx_copied_place(struct column *c, bool shared);
struct place ptx_place_at(struct column *c, const struct ptx_operand *o, bool shared);
/* What the registers of a load or an atomic operation get: one, or as many as a vector has lanes. */
struct ptx_targets {
    int regs[4];
    int n;
    int before; /* how many registers there were before these */
    struct pos pos;
};
struct ptx_targets ptx_targets(struct column *c);
/* Adds an operation whose value they get; and gives them a value. */
void ptx_add_result(struct column *c, struct op op, const struct ptx_targets *to);
void ptx_set_targets(struct column *c, const struct ptx_targets *to, struct expr *value);

/* The same in an asm statement. */
int asm_register(struct column *c, const struct ptx_operand *o, bool predicate);
struct expr *asm_value(struct column *c, const struct ptx_operand *o);
struct expr *asm_predicate(struct column *c, const struct ptx_operand *o);
/* The number that a register of a whole kernel was set to, and nothing else so far: a compiler keeps numbers in registers.
 * NULL: that is not known. */
struct expr *asm_settled(struct column *c, const struct ptx_operand *o);
bool asm_is_predicate(const struct column *c, const struct ptx_operand *o);
int asm_number(struct column *c, const struct ptx_operand *o, const char *what, int max);
struct place asm_address(struct column *c, const struct ptx_operand *o);
struct place asm_place(struct column *c, const struct ptx_operand *o, bool shared);
/* The address that an operand or a register is; and makes one hold another. */
struct asm_operand asm_led(struct column *c, const struct ptx_operand *o);
void asm_lead(struct column *c, const struct ptx_operand *o, const struct asm_operand *to);
/* Complains where the instruction's type is not that of the location; it becomes that of the operation. */
void asm_check_type(struct column *c, struct op *op);

/* ---- instructions ---- */

void ptx_operation(struct column *c); /* what a row of ops.def is */
void ptx_map(struct column *c);       /* mapa r, a, rank */
void ptx_barrier(struct column *c);   /* bar.sync, bar.arrive, barrier.cluster.arrive, ... */
void ptx_move(struct column *c);      /* mov r, a */
bool ptx_moves(struct column *c); /* ld r, 1, no load in Dartagnan's grammar, but a mov: whether it is that */
void ptx_compute(struct column *c);  /* what a rule says: neg r, a; mad.lo r, a, b, c */
void ptx_add(struct column *c);      /* add r, a, b, where one may be an address */
void ptx_find_bit(struct column *c); /* bfind r, a */
void ptx_extract(struct column *c);  /* bfe r, a, first, n */
void ptx_permute(struct column *c);  /* prmt r, a, b, selector */
void ptx_logic(struct column *c);    /* lop3 r, a, b, c, table */
void ptx_funnel(struct column *c);   /* shf.l.wrap r, a, b, n */
void ptx_setp(struct column *c);     /* setp.lt r, a, b */
void ptx_convert(struct column *c);  /* cvt.u64.u32 r, a */
void ptx_goto(struct column *c);     /* bra label */
void ptx_exit(struct column *c);
void ptx_nothing(struct column *c); /* setmaxnreg.inc.sync.aligned.u32 240 */
void ptx_branch(struct column *c);  /* beq a, b, label and the like */
/* Reads a result and values, a letter each (ptx_arithmetic.c): the register of the result. */
int ptx_operands(struct column *c, const char *letters, struct expr **values);
/* Whether the instruction's type is one of bits. */
bool ptx_is_bare(const struct column *c);
/* Gives a register a value. */
void ptx_set(struct column *c, int reg, struct expr *value);
/* Reads the operands of a comparison, "lt" and the like, by the instruction's type. */
struct expr *ptx_comparison(struct column *c, const char *name);
/* Refuses a type that is not signed, for an operation whose result depends on the sign. */
void ptx_need_sign(struct column *c, const char *what);

/* ---- the column as a whole ---- */

/* Reads a label; and an instruction behind its predicate, if it has one. */
void column_label(struct column *c, const struct ptx_statement *s);
void column_instruction(struct column *c, const struct ptx_instruction *in);
/* Adds a branch to a label, which `pos` names; NULL: it is always taken. */
void column_branch(struct column *c, const char *to, struct pos pos, struct expr *value);
/* Complains about labels that are missing in `where`; the others become those of the body. */
void column_finish_labels(struct column *c, const char *where);
/* Complains about a branch that may run, and from which no path leads to the end of `where`. */
void column_check_ends(struct column *c, const char *where);
/* Starts a column whose body's name and position are known. */
void column_start(struct column *c, struct arena *a, struct test *t, struct body *body, struct diag *d);
/* Gives a register a value before the first instruction. */
void column_initial(struct column *c, const struct token *reg, struct type type, bool typed,
                    struct value value);
/* Makes a register stand for a location. */
void column_alias(struct column *c, const struct token *reg, int loc);
/* Reads statements. Registers of braces are known within them. */
void column_statements(struct column *c, const struct ptx_code *code);
/* Reads a cell: labels, and an instruction unless it is empty. */
void column_cell(struct column *c, const struct snippet *cell);
/* Checks the whole: labels that are missing, loops without a way out; registers that nothing sets, where all rows are good. */
void column_finish(struct column *c, bool good);
/* Gives the barriers of the columns, which are read, their numbers. */
void column_number_barriers(struct column *columns, int n);

#endif
