/* What the files share that write a cell as a table.
 *
 *   table_write.c   title, initial values, rows, the condition
 *   table_column.c  a thread's column: its seat and its statements
 *   table_vector.c  vectors */
#ifndef CULITMUS_TABLE_COLUMN_H
#define CULITMUS_TABLE_COLUMN_H

#include "source/table.h"

/* The cells of one thread, from the top. */
struct table_cells {
    const char **text;
    int n, width;
};

/* A place to jump to; it has a name once something jumps there. */
struct table_target {
    const char *name;
};

struct table_writer {
    struct arena *arena;
    const struct test *test;
    const struct cell *cell;
    struct table_cells *columns; /* one a thread */
    const char **pointers;       /* what has the address of a location in a thread; NULL: nothing */
    const char *reason;          /* why it cannot be expressed; the first one counts */
    /* of the thread that is being written: */
    const struct thread *thread;
    struct table_cells *cells;
    int ntemporaries, nlabels;
    struct table_target *leave, *next; /* where `break` and `continue` go */
};

#define FORMAT(w, ...) arena_printf((w)->arena, __VA_ARGS__)

/* The table cannot be written, for this reason. */
void column_refuse(struct table_writer *w, const char *reason);
/* A table has integers of all sizes and vectors of them, and no floats; those of 32 bits are all signed. */
bool column_can_write(struct type type);
/* Whether a type is an integer of 32 bits, which is signed in a table, whatever it is in the test. */
bool column_is_word(struct type type);
/* Whether an operator of numbers without a sign gives something else than that of numbers with one. */
bool column_minds_sign(enum expr_kind kind, struct type type);
/* A number as a table writes it. */
const char *column_number(struct table_writer *w, struct type type, struct value v);
bool column_is_comparison(enum expr_kind kind);
/* The name of a register of the thread that is being written. */
const char *column_register(struct table_writer *w, int reg);
/* An element of an array: a location of its own, unless a register chooses elements of that array. */
const char *column_element(struct table_writer *w, int loc, int index);
/* The register that has the address of a location in the thread that is being written. */
const char *column_pointer(struct table_writer *w, int loc);
/* Adds a row of the thread that is being written. */
void column_put(struct table_writer *w, const char *cell);
#define PUT(w, ...) column_put(w, FORMAT(w, __VA_ARGS__))
/* The name, with a '_' behind it as long as a location, or a register of the thread that is being written, has it. */
const char *column_new_name(struct table_writer *w, const char *name);
/* A register that the test has not. */
const char *column_temporary(struct table_writer *w);
/* What an instruction that computes a value of this type has behind its opcode: nothing of an int. */
const char *column_type(struct table_writer *w, struct type type);
/* An operand that has the value of an expression of a scalar: a number, a register, or a temporary that was computed. */
const char *column_value(struct table_writer *w, const struct expr *e);
/* Of table_vector.c: the register of one lane, its value, the operand of a scalar or a vector, whose lanes stand in braces,
 * and the assignment of lanes (false: the register is of no vector). */
const char *column_lane(struct table_writer *w, int reg, int lane);
const char *column_lane_value(struct table_writer *w, const struct expr *e, int lane);
const char *column_operand(struct table_writer *w, const struct expr *e);
bool column_set_vector(struct table_writer *w, int reg, const struct expr *e);
/* Writes the column of a thread. */
void column_write(struct table_writer *w, int thread);

#endif
