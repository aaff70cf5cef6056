/* A column of a PTX table: the instructions of one thread. */
#ifndef CULITMUS_TEST_PTX_H
#define CULITMUS_TEST_PTX_H

#include "test/parse.h"

enum { MAX_LABELS = 256 };

struct label {
    const char *name;
    bool defined;
    struct pos pos; /* of its definition, or before that of its first use */
};

/* `reg=location` among the initial values: [reg] is that location. */
struct alias {
    const char *reg;
    int loc;
};

/* `P0:reg=value` among the initial values. */
struct initial {
    int reg;
    int32_t value;
    struct pos pos;
};

struct column {
    struct parser p;
    struct label labels[MAX_LABELS];
    int nlabels;
    struct alias aliases[MAX_LOCALS];
    int naliases;
    struct initial initials[MAX_LOCALS];
    int ninitials;
};

/* Starts a column whose body's name and position are known. */
void ptx_start(struct column *c, struct arena *a, struct test *t, struct body *body, struct diag *d);
/* Gives a register a value before the first instruction. */
void ptx_initial(struct column *c, const struct token *reg, int32_t value);
/* Makes a register stand for a location. */
void ptx_alias(struct column *c, const struct token *reg, int loc);
/* Reads a cell: labels, and an instruction unless it is empty. */
void ptx_cell(struct column *c, const struct snippet *cell);
/* Checks the whole: labels that are missing, registers that nothing sets, loops without a way out. */
void ptx_finish(struct column *c);
/* Complains about a branch that may run, and from which no path leads to the end. */
void ptx_check_ends(struct column *c);

#endif
