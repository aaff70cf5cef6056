/* Writes a cell as a table; this is what the files share.
 *
 *   table_write.c   title, initial values, rows, the condition
 *   table_column.c  a thread's column: its seat and its statements
 *   table_vector.c  vectors */
#ifndef CULITMUS_TABLE_COLUMN_H
#define CULITMUS_TABLE_COLUMN_H

#include "source/table.h"

/* The column of one thread, from the top. */
struct table_cells {
    const char **text;
    int n, width;
};

/* The target of a jump. It gets a name when something jumps there. */
struct table_target {
    const char *name;
};

struct table_writer {
    struct arena *arena;
    const struct test *test;
    const struct cell *cell;
    struct table_cells *columns; /* one for each thread */
    const char **pointers; /* [thread][location]: the register with the location's address; NULL: none */
    const char *reason;    /* why the cell cannot be expressed; the first reason is kept */
    /* The thread that is being written: */
    const struct thread *thread;
    struct table_cells *cells;
    int ntemporaries, nlabels;
    struct table_target *leave, *next; /* the targets of `break` and `continue` */
};

#define FORMAT(w, ...) arena_printf((w)->arena, __VA_ARGS__)

/* Says why the table cannot be written. */
void column_refuse(struct table_writer *w, const char *reason);
/* Whether tables have the type: integers of all sizes and vectors of them, but no floats. */
bool column_can_write(struct type type);
/* Whether a type is a 32-bit integer. In a table these are signed, whatever they are in the test. */
bool column_is_word(struct type type);
/* Whether an operator gives different results for signed and unsigned numbers of a type. */
bool column_minds_sign(enum expr_kind kind, struct type type);
/* Returns a number as tables write it. */
const char *column_number(struct table_writer *w, struct type type, struct value v);
bool column_is_comparison(enum expr_kind kind);
/* Returns the name of a register of the current thread. */
const char *column_register(struct table_writer *w, int reg);
/* Returns the name of an array element: a location of its own, unless a register chooses elements of that
 * array. */
const char *column_element(struct table_writer *w, int loc, int index);
/* Returns the register of the current thread that has the address of a location. */
const char *column_pointer(struct table_writer *w, int loc);
/* Adds a row to the current thread's column. */
void column_put(struct table_writer *w, const char *cell);
#define PUT(w, ...) column_put(w, FORMAT(w, __VA_ARGS__))
/* Returns a new name: this one, with as many '_' behind it as make it different from all locations and
 * registers. */
const char *column_new_name(struct table_writer *w, const char *name);
/* Returns a register that the test does not have. */
const char *column_temporary(struct table_writer *w);
/* Returns what stands behind the opcode of an instruction that computes this type: nothing for an int. */
const char *column_type(struct table_writer *w, struct type type);
/* Returns an operand with the value of a scalar expression: a number, a register, or a temporary that is
 * computed first. */
const char *column_value(struct table_writer *w, const struct expr *e);
/* In table_vector.c. They return the register of one lane; the value of one lane; and the operand of a scalar
 * or a vector, whose lanes stand in braces. The last one writes an assignment of lanes (false: the register
 * is no vector). */
const char *column_lane(struct table_writer *w, int reg, int lane);
const char *column_lane_value(struct table_writer *w, const struct expr *e, int lane);
const char *column_operand(struct table_writer *w, const struct expr *e);
bool column_set_vector(struct table_writer *w, int reg, const struct expr *e);
/* Writes the column of a thread. */
void column_write(struct table_writer *w, int thread);

#endif
