/* What the files of the table reader share.
 *
 *   table.c        comments, head, rows, the condition
 *   table_init.c   initial values
 *   table_seats.c  where the threads sit: the row of names, a scope tree */
#ifndef CULITMUS_TABLE_READ_H
#define CULITMUS_TABLE_READ_H

#include "bodies/bodies.h"
#include "lower/column.h"

/* An initial value of a register. The threads are known only later. */
struct register_value {
    const struct token *thread, *reg, *location; /* location: NULL for a number */
    struct type type;
    bool
        typed; /* as written, ".reg .b64"; else the register has the size of the instruction that names it first */
    struct value value;
};

/* `y @ generic aliases x` among the initial values: y is another virtual address of what x is. With another proxy y is how
 * x is called there, at the same address. Or `tensormap y=x`: a map that leads to x. */
struct table_alias {
    const struct token *name, *of;
    bool generic, map;
};

/* The levels of the machine, from the smallest on. */
enum seat_level { SEAT_WARP, SEAT_CTA, SEAT_CLUSTER, SEAT_GPU, SEAT_SYS, SEAT_LEVELS };

/* What a thread's seat is called, level by level; -1: not written. */
struct seat_words {
    int at[SEAT_LEVELS];
};

struct table {
    struct arena *arena;
    struct test *test;
    struct diag *diag;
    struct lines lines;
    char *text; /* the source with its comments blanked: every byte at its offset */
    size_t len, at;
    int max_locs;   /* how many locations there is room for */
    bool *declared; /* whether a location was declared with a type */
    bool *global;   /* whether an instruction said that it is in global memory */
    struct register_value *values;
    int nvalues;
    struct table_alias *aliases;
    int naliases;
    struct column *columns;   /* one a thread */
    struct seat_words *seats; /* one a thread */
};

/* An error from one byte to another; false. */
bool table_fail(struct table *t, size_t from, size_t to, const char *message);
/* The text between two bytes. */
struct snippet table_cut(const struct table *t, size_t from, size_t to);
/* A parser of such a text, started. */
struct parser *table_parser(const struct table *t, const struct snippet *text);
void table_skip_space(struct table *t);
/* Whether the text at t->at begins with this word, which is no label. */
bool table_at_word(const struct table *t, const char *word);
/* Whether what stands behind the rows and the scope tree begins there: a condition, or what may stand before one. */
bool table_at_condition(const struct table *t);
/* The thread that a name or a number stands for, P1 and 1 are the same; -1 and an error: there is none. */
int table_find_thread(struct table *t, const struct token *thread);

/* Reads { x=0; P0:r0=1; }, which begins at t->at. */
bool table_read_initials(struct table *t);
/* Gives the columns the registers' initial values. */
void table_apply_values(struct table *t);

/* Reads the name and the seat of a thread. */
void table_read_seat(struct table *t, int column, const struct snippet *text);
/* Reads a scope tree and the map of memory behind it, if they are there. */
bool table_read_scopes(struct table *t);
/* Makes the test's one placement of the seats. */
void table_seat_threads(struct table *t);

#endif
