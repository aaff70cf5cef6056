/* What values, places, calls and instructions become.
 *
 *   lower.c       errors, statement lists
 *   types.c       the types of expressions, and their names
 *   bits.c        the bits of values and registers as other types
 *   body.c        registers, and the names that are visible
 *   expression.c  values, for bodies and conditions; assignments
 *   operand.c     what names and calls are in values
 *   place.c       what of a tree is in memory
 *   choice.c      pointers that are chosen when a thread runs
 *   pointer.c     pointers, and the names that a body has for places
 *   registers.c   arrays of registers, and of pointers
 *   shared.c      __shared__ variables
 *   access.c      loads and stores
 *   calls.c       calls, of which most are operations on memory
 *   atomic.c      the same as libcu++ and nvcc spell it
 *   atomic_ref.c  cuda::atomic_ref and cuda::atomic
 *   exchange.c    calls by which the threads of a warp exchange values
 *   functions.c   min, __popc and the like; printf and assert
 *   formula.c     formulas of what functions and instructions compute
 *   clocks.c      clocks, and what they decide
 *   grid.c        what a thread of a grid knows of its place
 *   groups.c      cooperative groups
 *   arrival.c     cuda::barrier, and the barrier of a grid
 *   cluster.c     places in the shared memory of another block of the cluster
 *   column.c      instructions of PTX, of an asm or a table; ptx_*.c and asm_ptx.c their parts
 *
 * After an error the parser panics: nothing more is lowered, so that everything unwinds without further messages up to
 * the next statement of a list. */
#ifndef CULITMUS_LOWER_H
#define CULITMUS_LOWER_H

#include "litmus/test.h"
#include "syntax/syntax.h"

/* Statements in order. */
struct stmts {
    struct stmt *first, *last;
};

struct asm_operand;

/* What a body's parser knows of a register beyond struct reg. */
struct local {
    bool declared; /* by the text: it is no value in between */
    bool constant; /* declared const */
    bool counts;   /* the turns of a loop that is being read turn by turn */
    bool is_read;
    bool has_number; /* its value is known before the test runs */
    struct pos first_read;
    const struct asm_operand
        *leads; /* the address that an asm has put there, which only an asm can use; or NULL */
};

/* A location, or an element of an array. */
struct place {
    int loc; /* -1: none, and an error was reported */
    struct expr *index;
    struct expr *rank; /* of the block of the cluster whose it is; NULL: the thread's own */
    struct type
        vector; /* of as many elements of an array, from this one on, that are accessed together; 0 lanes: of none */
    struct pos pos;
    enum order order;                  /* of bare accesses; ORDER_VOLATILE by a pointer that says so */
    bool constant;                     /* not to be written, by such a pointer */
    bool untyped;                      /* by a pointer to void, which is cast before it is used */
    const struct place_choice *choice; /* one of several, `loc` the first, -1 if there is none; NULL: known */
};

/* A group of threads, as cooperative_groups has it. */
enum group_kind { GROUP_NONE, GROUP_BLOCK, GROUP_TILE, GROUP_CLUSTER, GROUP_GRID, GROUP_COALESCED };
struct group {
    enum group_kind kind;
    int size;  /* of a tile: its threads, a power of two up to WARP_LANES */
    int whole; /* ... and those of the tile that it is a part of; 0: it is a part of a block */
    int lanes; /* of coalesced threads: the register that has their lanes */
};

/* A name that a body has for a place or a group: cuda::atomic_ref<type, scope> name(place); or type *name = &place;
 * or auto name = cg::this_thread_block(); */
struct reference {
    const char *name;
    struct pos pos;
    struct place place;
    bool of_location; /* its name is that of the location: cuda::atomic<type, scope> X; */
    bool is_pointer;
    bool is_alias;    /* ... as a reference, int &name = X; which stands for the place itself */
    bool moves;       /* ... within its array: its place has a register as index */
    bool is_window;   /* ... as a number of __cvta_generic_to_shared(), which only an asm can use */
    enum scope scope; /* of an atomic_ref, or a barrier */
    bool is_barrier;  /* cuda::barrier<scope> X; */
    const struct pointer_type *points;    /* of a pointer that may lead elsewhere; else NULL */
    struct group group;                   /* which has no place */
    const struct reg_array *array;        /* of registers, which has no place either */
    const struct pointer_array *pointers; /* an array of them: it has no place of its own */
};

/* A name that a body gives to a type. */
struct type_alias {
    const char *name;
    struct type type;
};

/* What holds where a statement is: a condition that was true, or false. */
struct parse_guard {
    const struct expr *value;
    bool holds;
    bool vague; /* it is the value of a switch: other ones come here as well */
};

/* What is around the statement that is being read, and what its jumps may mean. */
struct parse_jumps {
    int loops;                    /* how many are open */
    struct parse_switch *within;  /* the innermost switch, or NULL */
    struct parse_region *regions; /* from the inside out; or NULL */
    int loop, inner; /* the numbers of the innermost loop, and of that or a region in it; 0: none */
};

enum {
    MAX_ALIASES = 32,
    MAX_REFERENCES = 64,
    MAX_LOCALS = 256,
    MAX_SCOPE = MAX_LOCALS + MAX_REFERENCES,
    MAX_NESTING = 200,
    MAX_STATEMENTS = 20000,
    MAX_REFUSED = 64
};

struct parser;
/* A table of names, whose rows begin with how one is written, "fetch_add(value, order)". */
struct names {
    const void *rows;
    size_t n, size; /* of them, of each in bytes */
};
#define NAMES_OF(rows)                                                                                       \
    { rows, sizeof(rows) / sizeof *(rows), sizeof *(rows) }
#define NAMES(rows) ((struct names)NAMES_OF(rows))

/* What a library makes of trees; of several that know one, the first counts. */
struct library {
    const char *name;
    /* Whether it knows a name, or what is done with one: a call, a member, a step, an assignment; and what it makes of it,
     * which may have no value: NULL. */
    bool (*knows)(struct parser *p, const struct tree *n);
    struct expr *(*use)(struct parser *p, const struct tree *n);
    const char *no_value;      /* what is said where a value is due; NULL: that the name has none */
    const struct names *names; /* of its calls, which are suggested; or NULL */
    /* Whether a call gives the address of a place, and that; NULL: it has no such calls. */
    bool (*leads)(const struct parser *p, const struct tree *n);
    struct place (*address)(struct parser *p, const struct tree *n);
};

/* A visible name. */
struct scope_entry {
    const char *name;
    int reg;       /* or ~k: refs[k] */
    bool constant; /* another name of a register, by which it is not written */
};

struct parser {
    struct arena *arena;
    const struct source *source;
    struct diag *diag;
    struct test *test;          /* its locations and, in a condition, its bodies are known */
    const struct snippet *text; /* of a body or a condition */
    bool panic;
    int nesting;          /* of constructs that are being read */
    struct syntax syntax; /* its words, of which it has the current one */
    /* Of a condition: the value of an operand that begins with a name; never NULL. */
    struct expr *(*operand)(struct parser *p, const struct tree *n);

    /* In a body: */
    const struct library *libraries; /* up to one that is called NULL */
    struct body *body;
    int reg_cap;
    struct local *locals;  /* one a register, */
    struct value *known;   /* and its number */
    int named[MAX_LOCALS]; /* the registers that have a name a user can write */
    int nnamed;
    struct reference *refs;
    int nrefs;
    struct scope_entry scope[MAX_SCOPE]; /* what is visible, innermost last */
    int nscope;
    int block;   /* where the scope begins that was opened last */
    int globals; /* how much of the scope was declared before the kernel */
    int floor;   /* where the scope of a function begins that is being read; else 0 */
    struct function_text *functions;
    int nfunctions;
    int calls;                  /* of them */
    struct inlined_call *call;  /* that is being read, or NULL */
    struct parse_guard *guards; /* of the statement that is being read, from the outside in */
    int nguards;
    struct type_alias aliases[MAX_ALIASES];
    int naliases;
    const char *barrier_type; /* a name of cuda::barrier<scope>, or NULL */
    enum scope barrier_scope;
    struct parse_jumps jumps;
    int numbers;                      /* of loops and regions */
    bool returns;                     /* the body has a `return` */
    const char *refused[MAX_REFUSED]; /* names that an error left without a meaning */
    int nrefused;
    size_t errors; /* of the test, before this body */
    int nstmts;
    int clock;        /* the register, from 1, that stands for what a clock says; 0: none does */
    bool stopped;     /* a clock was taken as 0, which was said */
    int turns;        /* of the loops that were run to bound them */
    int unrolled;     /* of those that were read turn by turn */
    struct stmts out; /* where statements go */
};

void parse_start(struct parser *p, const struct snippet *text);

/* Takes a token of this kind, or reports that `what` is missing behind the previous one. */
bool parse_expect(struct parser *p, int kind, const char *what);
/* Of a table: a number of 32 bits, signed or not, and perhaps negated. */
int parse_bits(struct parser *p, const struct token *t, bool negative);
/* Skips to behind the next ';' or before the next '}', and stops panicking. */
void parse_recover(struct parser *p);
/* Guards a recursion: false, and an error, when it is too deep. Each true needs a parse_leave. */
bool parse_enter(struct parser *p, struct pos pos);
void parse_leave(struct parser *p);

/* A syntax error: panics. */
void parse_error(struct parser *p, struct pos pos, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* Something that reads well but makes no sense: parsing goes on. */
void parse_complain(struct parser *p, struct pos pos, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Reports what is wrong with a text. */
void parse_fault(struct parser *p, const struct fault *f);
/* Reads a tree from the current word on: a ? b : c, or what stands before an operator of two values. TREE_BAD where something is wrong,
 * which is reported. */
const struct tree *parse_tree(struct parser *p);
const struct tree *parse_tree_operand(struct parser *p);

/* Begins and ends what is reached only where a condition holds, or does not. */
void guard_begin(struct parser *p, const struct expr *value, bool holds);
/* The same for the cases of a switch over a value. */
void guard_begin_cases(struct parser *p, const struct expr *value);
void guard_end(struct parser *p);
/* Whether the statement that is being read is sure not to be reached, by numbers that are known. */
bool guard_excludes(const struct parser *p);
/* Whether copy `tid` is sure to come to the statement that is being read, if any does. Of what lies behind a guard that
 * cannot be decided now, only the model can say who comes there. */
bool guard_lets(const struct parser *p, int tid);

/* Redirects statements into an empty list; the old one is returned, to be put back. */
struct stmts stmts_capture(struct parser *p);
struct stmts stmts_restore(struct parser *p, struct stmts old); /* returns what was captured */
void stmts_append(struct parser *p, struct stmts more);
struct stmt *stmt_add(struct parser *p, enum stmt_kind kind, struct pos pos);
/* reg = value, which is of the register's type. */
void stmt_add_set(struct parser *p, int reg, struct expr *value, struct pos pos);
/* if (value) then else orelse */
void stmt_add_if(struct parser *p, struct pos pos, struct expr *value, struct stmts then,
                 struct stmts orelse);
/* Adds a copy of an operation, whose `pos` is set; the operation of the new statement. */
struct op *stmt_add_op(struct parser *p, struct op op);
/* Such a statement alone. */
struct stmts stmts_if(struct parser *p, struct pos pos, struct expr *value, struct stmts then,
                      struct stmts orelse);
struct stmts stmts_op(struct parser *p, struct op op);
/* The slot of this name; NULL: that of fence(). -1 and an error when it cannot be one. */
int call_slot(struct parser *p, const char *name, struct pos pos);

/* A node; an operator's operands are converted as C does, and its type follows from them. Complains where it is not
 * defined on their types. */
struct expr *expr_new(struct parser *p, enum expr_kind kind, struct pos pos, struct expr *a, struct expr *b);
/* a ? b : c */
struct expr *expr_choice(struct parser *p, struct pos pos, struct expr *a, struct expr *b, struct expr *c);
/* An int, an unsigned, and a number of any type. */
struct expr *expr_int(struct parser *p, struct pos pos, int value);
struct expr *expr_unsigned(struct parser *p, struct pos pos, long long value);
struct expr *expr_of_value(struct parser *p, struct pos pos, struct type type, struct value value);
/* e as a value of another type: itself, a number, or a cast. Complains where a vector is no scalar, or no such
 * vector. */
struct expr *expr_convert(struct parser *p, struct expr *e, struct type type);
/* A value as what a condition compares with 0: a half as a float. */
struct expr *expr_truth(struct parser *p, struct expr *e);
/* The same where the text asks for it: bits may be lost. */
struct expr *expr_cast(struct parser *p, struct expr *e, struct type type);
/* Of a real number and an integer of its size: the one with the bits of the other. */
struct expr *expr_bits(struct parser *p, struct expr *e, struct type type);
/* The value of a type of the same size that has the bits of e. */
struct expr *bits_as(struct parser *p, struct pos pos, struct expr *e, struct type type);
/* e, which must be a scalar: a complaint says what else has no use of a vector. */
struct expr *expr_scalar(struct parser *p, struct expr *e, const char *what);
/* A vector of these lanes, whose list is used up. */
struct expr *expr_vector(struct parser *p, struct pos pos, struct type type, struct expr **lanes);
/* vector.lane, and the vector whose lane is replaced. */
struct expr *expr_lane(struct parser *p, struct pos pos, struct expr *vector, int lane);
struct expr *expr_set_lane(struct parser *p, struct pos pos, struct expr *vector, int lane,
                           struct expr *scalar);

/* Whether a type begins here: of a register, or in a cast. */
bool parse_type_begins(const struct parser *p, const struct token *t);
/* The value of a tree. Its memory accesses become statements, left to right; where && || ?: skip an operand that has some,
 * those stand in an if. Never NULL. */
struct expr *lower_value(struct parser *p, const struct tree *n);
/* The same where it is asked whether it is 0, as of a pointer. */
struct expr *lower_truth(struct parser *p, const struct tree *n);
/* Reads an expression; (r = value) in it assigns a register. */
struct expr *parse_expression(struct parser *p);

/* A value of a type in a list: (3), {1, 2, 3, 4}. */
struct expr *lower_initial(struct parser *p, const struct tree *list, struct type type);
/* The type that a tree names. */
struct type lower_type(struct parser *p, const struct tree *type);

/* The value of a register; `body_read` when the text reads it. */
struct expr *body_value(struct parser *p, int reg, struct pos pos);
struct expr *body_read(struct parser *p, int reg, struct pos pos);
/* Whether a library knows a tree; and what it makes of it. The value is NULL where it has none. */
bool operand_is_library(struct parser *p, const struct tree *n);
bool operand_runs(struct parser *p, const struct tree *n, struct expr **value);
/* The value of a name that is no place, a call, or what else no operator makes. */
struct expr *operand_value(struct parser *p, const struct tree *n);
/* Reports a call of what nobody can call, "X.load" of a location or "sycl::f". */
void operand_report_callee(struct parser *p, const struct tree *n);
/* Complains about registers that are read but never written; of a table, whose registers are 0 at first, warns. */
void body_check_written(struct parser *p, bool is_table);
/* The visible register of that name, or -1. */
int body_find(const struct parser *p, const char *name);
/* Whether a value is the same for all threads and known now, also by the names of constants; and that. */
bool body_number(const struct parser *p, const struct expr *e, struct value *out);
/* Keeps the value of a constant, if it is such a number. */
void body_keep_number(struct parser *p, int reg, const struct expr *value);
/* The number that a value is, where that is known now; else the value. */
struct expr *body_fold(struct parser *p, struct expr *e);
/* Declares a register. A name that an earlier, closed scope used is the same register again; one that an open scope
 * around this one uses is another, which has no name in conditions. */
int body_declare(struct parser *p, const struct token *name, struct type type);
/* Another name of a register. */
void body_alias(struct parser *p, const struct token *name, int reg, bool constant);
/* "within::name", which is another one. */
void body_alias_within(struct parser *p, const struct token *name, const char *within, int reg);
/* Complains where a register is written by such a name that is const. */
void body_check_alias(struct parser *p, const struct token *name);
/* A register whose name is that of an element, "r[1]". */
int body_declare_element(struct parser *p, const struct token *name, struct type type);
/* From here on only names from before the kernel are known, and new ones; what this returns was `floor`. */
int body_enter_function(struct parser *p);
/* What this returns is given to body_close_scope(). */
int body_open_scope(struct parser *p);
void body_close_scope(struct parser *p, int around);
/* Keeps that a name has no meaning because of an error that was reported; and whether a name is such a one, of which nothing
 * more is said: then the statement at hand is given up. */
void body_refuse(struct parser *p, const struct token *name);
bool body_is_refused(struct parser *p, const struct token *name);
void body_report_undeclared(struct parser *p, const struct token *name);
/* Reports the '.' behind a location that is no vector. */
void operand_report_members(struct parser *p, struct pos pos);
/* A new register that no user can name; and a value as that of one which keeps it. */
int body_temporary(struct parser *p, struct pos pos, struct type type);
struct expr *body_hold(struct parser *p, struct expr *value, struct pos pos);
/* Complains when a register cannot be assigned. */
void body_check_constant(struct parser *p, int reg, struct pos pos);
/* reg = value, converted; when value is the result of the operation just added, that operation writes reg itself. */
void body_set(struct parser *p, int reg, struct expr *value, struct pos pos);

/* The array of registers that a token names, or NULL; and a declaration of one. */
const struct reference *registers_find(const struct parser *p, const struct token *name);
void registers_declare(struct parser *p, const struct tree *type, const struct tree *n);
/* The register that an element of such an array is, a[1][2]; -1, and an error: none. */
int registers_element(struct parser *p, const struct tree *n);
/* The number of elements that "[4]" says, or "[]" of so many values; 0: none that is known. */
long long registers_count(struct parser *p, const struct tree *size, int values);
/* All registers of an array that a tree names, and how many. */
int registers_all(struct parser *p, const struct tree *n, const int **regs);
/* Which element an element is, or the first one of a row r[1] or of r; -1, and an error: none. */
int registers_begin(struct parser *p, const struct tree *n);
/* Whether a tree names all of such an array, or a row of it. */
bool registers_are_row(const struct parser *p, const struct tree *n);
/* The size of such an array, or of a part of it. */
int registers_bytes(struct parser *p, const struct tree *n);

int find_location(const struct test *t, const char *name);
/* Makes a place of a vector that of its element ".x", by the token behind the dot or the arrow. */
void access_lane(struct parser *p, struct place *place, const struct token *name);
/* The type of what is in a location; int where an error said that there is none. */
struct type access_type(const struct parser *p, int loc);
/* Complains about a write by a pointer to const. */
void access_check_constant(struct parser *p, struct place place);
/* Complains where a location is no mbarrier. */
void access_check_mbarrier(struct parser *p, int loc, struct pos pos);
/* The type of what is at a place. */
struct type access_type_at(const struct parser *p, const struct place *place);
/* Complains about a vector that is known to lie beyond its array, or not to be aligned. */
void access_check_vector(struct parser *p, const struct place *place);
/* The same place, of an operation. */
struct op_place access_place(const struct place *place);
struct expr *access_load(struct parser *p, struct place place);
void access_store(struct parser *p, struct place place, struct expr *value, struct pos pos);
/* How a call of this name is written; NULL: there is none. */
const char *access_usage(const char *name);
/* Reports that there is no location where `usage` has one. */
void place_report_missing(struct parser *p, const struct tree *n, const char *usage);
/* An index as an integer; and a complaint where one that is known is beyond the array. */
struct expr *access_index(struct parser *p, struct expr *index);
void access_check_index(struct parser *p, const struct location *loc, const struct expr *index,
                        struct pos pos);
/* The value of an operation: a register that the user may replace by his own. */
struct expr *access_result(struct parser *p, struct op *op);
/* Forgets the result of the operation just added, if `value` is that. */
void access_drop(struct parser *p, const struct expr *value);

/* A type by its name, or by one that the body gives it; and such a one, or NULL. */
const struct type_alias *type_find_alias(const struct parser *p, const char *name);
bool type_of_name(const struct parser *p, const char *name, struct type *out);

/* A declaration of __shared__ variables. */
void shared_declare(struct parser *p, const struct tree *n);
/* Declares one without the words. */
void shared_add(struct parser *p, const struct token *name, struct type type);

/* The visible atomic_ref, pointer or group of that name, or NULL; and a new one. */
const struct reference *reference_find(const struct parser *p, const char *name);
void reference_declare(struct parser *p, struct reference *ref);
/* The same without any check. */
void reference_add(struct parser *p, struct reference *ref);
/* What a parameter that is a pointer or a reference stands for where this is given; or the register that it is a reference
 * to, else -1. */
struct reference pointer_argument(struct parser *p, const struct tree *parameter, const struct tree *given,
                                  int *reg, bool *constant);
/* The visible pointer of that name, or NULL; and the name of an address in shared memory, which only an asm can use. */
const struct reference *pointer_find(const struct parser *p, const char *name);
const struct reference *window_find(const struct parser *p, const char *name);
/* Complains where a body has a location as const and __restrict__, and some body writes it. */
void pointer_check_restricted(struct test *t, struct diag *d);
/* Whether a tree is a place, X or *p, and which; its address is none. */
bool place_is(const struct parser *p, const struct tree *n);
struct place place_of(struct parser *p, const struct tree *n);
/* Whether it is an address, &X or p + 1, of a pointer's type; and where it leads. `usage` says what is wanted. */
bool place_is_address(const struct parser *p, const struct tree *n);
/* The same, or an array that stands for one. */
bool place_leads(const struct parser *p, const struct tree *n);
struct place place_address(struct parser *p, const struct tree *n, const char *usage);
/* X or &X, in a call that is written like `usage`; and where the call may be of a vector of elements. */
struct place place_argument(struct parser *p, const struct tree *n, const char *usage);
struct place place_accessed(struct parser *p, const struct tree *n, const char *usage);
extern const char place_usage[];
/* The place so many elements further. */
struct place place_moved(struct parser *p, struct place place, struct expr *offset, struct pos pos);
/* Lets a pointer, whose name this is, move if the text behind has it move. */
void moving_begin(struct parser *p, struct reference *ref, const struct token *name);
/* Moves one by ++p or p++; where the tree leads. */
struct place moving_step(struct parser *p, const struct reference *ref, const struct tree *n);
/* Whether a token behind a pointer moves it; and reports one that cannot move. */
bool moving_is(const struct token *t);
void moving_report(struct parser *p, const struct token *at, const char *name);
/* Whether a statement moves one, which is done then. */
bool moving_statement(struct parser *p, const struct tree *n);
/* "; 'memory' may have ...": what else there is for accesses of another size, or "". */
const char *pointer_suggest_view(struct parser *p, const struct location *l, struct type type);

/* Bits of a register, or of several of an array, as a value of another type. */
struct pun {
    int reg;
    const int *regs; /* whose first one it is, */
    int nregs;
    int at; /* the first bit, of the first register */
    struct type type;
    bool constant; /* const: they are not written so */
};
/* Whether a tree is one, *(unsigned *)&f; and which: false, and an error, where it is none after all. */
bool pun_is(const struct parser *p, const struct tree *n);
bool pun_find(struct parser *p, const struct tree *n, struct pun *pun);
struct expr *pun_value(struct parser *p, const struct pun *pun, struct pos pos);
void pun_set(struct parser *p, const struct pun *pun, struct expr *value, struct pos pos);

/* What an assignment writes: a register, a lane or other bits of one, or a location. */
struct assignment_target {
    int reg;
    int lane;        /* of the register, or -1: all of it, */
    struct pun *pun; /* or these bits; else NULL */
    struct place place;
    struct stmts index; /* the accesses of the place's index */
};
/* Whether a tree names a register, or an element of an array of them; and that: -1 and an error where it does not. */
bool assign_is_register(const struct parser *p, const struct tree *n);
int assign_register(struct parser *p, const struct tree *n);
/* False, and an error, where there is none. */
bool target_find(struct parser *p, const struct tree *n, struct assignment_target *target);
struct type target_type(const struct parser *p, const struct assignment_target *target);
/* Its value; one in memory is loaded. */
struct expr *target_value(struct parser *p, const struct assignment_target *target, struct pos pos);
/* target = value */
void target_set(struct parser *p, const struct assignment_target *target, struct expr *value, struct pos pos);

/* x = e, x += e, x++, X (a load for its own sake), or a call. */
void assign_lower(struct parser *p, const struct tree *n);

#endif
