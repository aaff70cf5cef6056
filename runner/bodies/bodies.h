/* What statements become, and a thread's body as a whole; conditions and observables.
 *
 *   thread.c       a body
 *   heads.c        the head of a kernel; `using`, `typedef` and `enum`
 *   declaration.c  registers, pointers, references, and what libraries declare
 *   statement.c    control flow
 *   unroll.c       the turns of a `for`, and one over arrays of registers
 *   switch.c       `switch`
 *   leave.c        jumps out of several loops
 *   inlined.c      functions before a kernel
 *   asm.c          an asm, whose PTX the files ptx_*.c of lower/ lower
 *   condition.c    conditions and observables; condition_names.c what their names mean;
 *                  table_condition.c those of tables */
#ifndef CULITMUS_BODIES_H
#define CULITMUS_BODIES_H

#include "lower/lower.h"

/* ---- statements ---- */

/* A switch that is being read. */
struct parse_switch {
    struct parse_switch *around;
    int loops;   /* that are open around it */
    int inner;   /* the number of the loop or region around it */
    bool breaks; /* it has a `break` within an `if` */
};

/* The lines between a label and the jumps to it, which are a loop: a jump to the label goes on with it, or leaves it. */
struct parse_region {
    struct parse_region *around;
    const char *label;
    bool repeats; /* it is before them */
    int number;
};

void statement_lower(struct parser *p, const struct tree *n);
/* Those of a list; behind an error the next one follows. */
void statement_lower_list(struct parser *p, const struct tree *n);
void statement_lower_listed(struct parser *p, const struct tree *n); /* one of them */
/* The body of a loop. */
struct stmts statement_turn(struct parser *p, const struct tree *n);
/* Adds a loop that turns so often: FOR_UNKNOWN, FOR_TOO_MANY; and one of one turn, of what was captured since `before`. */
struct stmt *statement_add_loop(struct parser *p, struct pos pos, struct stmts body, struct stmts step,
                                int trips);
struct stmt *statement_add_once(struct parser *p, struct stmts before, struct pos pos);
/* Lets each jump of a list to the loop or region of this number, whose body the list is, leave one loop only. */
struct stmts leave_numbered(struct parser *p, struct stmts body, int number);
/* Lets each jump of a whole body leave one loop only. */
void leave_loops(struct parser *p);
/* Adds the statements of a function, of which each `return` leaves what it is in, up to a loop of one turn. */
void leave_call(struct parser *p, struct stmts body, struct pos pos);
void switch_lower(struct parser *p, const struct tree *n);

/* A value, before which statements run. */
bool after_is(struct parser *p, const struct tree *n);
struct expr *after_value(struct parser *p, const struct tree *n);

/* A declaration: of registers, pointers, references, groups, atomic_refs, barriers, shared memory. */
void declaration_lower(struct parser *p, const struct tree *n);
/* r = value, of a register that is being declared. */
void declaration_set(struct parser *p, int reg, struct expr *value, bool constant, struct pos pos);

/* `using`, `typedef`, `enum`, or another name for a namespace. */
void naming_lower(struct parser *p, const struct tree *n);

/* What stands before a kernel: functions of the device, names of types, numbers that are const. */
void head_lower_before(struct parser *p, const struct tree *n);
/* The head of a kernel. */
void kernel_lower(struct parser *p, const struct tree *head);

/* A function of the device that stands before a kernel. */
struct function_text {
    const char *name;
    const struct tree *tree;
    bool open; /* it is being lowered */
    bool bad;  /* an error in it was reported */
    bool read;
};

/* The function of this name; NULL: there is none. */
struct function_text *function_find(const struct parser *p, const struct token *name);
/* What a function of one parameter returns, where it does nothing else; NULL: it is no call of such a one. */
const struct tree *function_returned(const struct parser *p, const struct tree *call,
                                     const struct token **parameter);
/* Whether statements of a function, and what they consist of, may write a parameter: by its name, or by a name or an address
 * of it. */
bool function_may_write(const struct parser *p, const struct tree *n, const char *name);

/* Keeps a function of the device that stands before a kernel, or reports a variable. */
void inlined_define(struct parser *p, const struct tree *n);
/* A call of one: NULL, if it returns no value. */
bool inlined_is_call(struct parser *p, const struct tree *n);
struct expr *inlined_value(struct parser *p, const struct tree *call);
/* A `return` in one. */
void inlined_return(struct parser *p, const struct tree *n);

/* An asm: the PTX in it becomes the thread's operations. */
void asm_lower(struct parser *p, const struct tree *n);
/* Whether a value is an address in shared memory, __cvta_generic_to_shared(&X), which then has that name. */
bool asm_window_declare(struct parser *p, const struct token *name, const struct tree *value);
/* The same, of what is declared later; its place is none where that was an error. */
bool asm_window_find(struct parser *p, const struct token *name, const struct tree *value,
                     struct reference *ref);

/* What the head of a `for` says about its turns: the condition, with the accesses that it makes before each. */
struct for_head {
    struct stmts reads;
    struct expr *value; /* NULL: there is none */
    struct stmts step;
    const struct tree *tree;
};
/* Lowers the body of a `for` turn by turn, if it has an array of registers whose index is counted by the head. False: it
 * has none, and nothing was lowered. */
bool turns_lower(struct parser *p, const struct stmt *init, const struct for_head *head, struct pos pos);

/* How often `for (init; value; step) body` turns at most, over all copies of the thread; or that its head does not tell,
 * or tells of too many. */
enum { FOR_MAX_TRIPS = 10000, FOR_MAX_TURNS = 1 << 25 }; /* of one loop, of all loops and copies */
enum { FOR_UNKNOWN = -1, FOR_TOO_MANY = -2 };
int for_count_trips(struct parser *p, const struct stmt *init, const struct expr *value,
                    const struct stmt *body, const struct stmt *step);

/* ---- the whole ---- */

/* Parses a thread's body into `body`, whose name and count are known. */
void body_parse(struct arena *a, struct test *t, struct body *body, const struct snippet *text,
                struct diag *d);

/* Parses the condition; its observables are added to the test. */
void condition_parse(struct arena *a, struct test *t, const struct snippet *text, struct pos pos,
                     struct diag *d);
/* The same in herd's syntax: /\ \/ ~ not = => P0:r0 0:r0 [x]. Of the outcomes only those count that `filter` lets pass,
 * which may be NULL. */
void condition_parse_table(struct arena *a, struct test *t, const struct snippet *text,
                           const struct snippet *filter, struct pos pos, struct diag *d);
/* Adds what a name in `observe` stands for: a register, a location, all elements of an array, all copies. */
void condition_observe(struct arena *a, struct test *t, const struct snippet *text, struct diag *d);
void condition_observe_table(struct arena *a, struct test *t, const struct snippet *text, struct diag *d);
/* Complains when neither the condition nor what is observed beside it names anything. */
void condition_check(const struct test *t, struct diag *d);
/* The thread of a table that a number stands for: P0 for 0, or a thread of another name that ends so, as T0. */
const char *table_thread_name(struct arena *a, const struct test *t, const struct token *number);

/* Rewrites the tokens of such a condition, and those of a filter or NULL before it, as C has them. */
void table_rewrite_condition(struct parser *p, const struct token *filter, bool forall);

#endif
