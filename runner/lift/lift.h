/* Whole kernels: the PTX that a compiler made of one becomes the program of a thread.
 *
 *   lift.c       the entry of a PTX, and its statements
 *   calls.c      functions that are called
 *   instructions.c  instructions that only a whole kernel has
 *   launch.c     parameters and their values
 *   variables.c  variables and special registers
 *   memory.c     addresses
 *   local.c      .local memory
 *   ladder.c     repeated polls
 *   set.c        sets of numbers
 *   values.c     what registers can hold, thread by thread
 *   found.c      where accesses can be, over all threads
 *   shape.c      the elements of variables, by the accesses to them
 *   resolve.c    where an access leads
 *   structure.c  loops and conditionals out of branches
 *   tidy.c       what nothing reads is left out
 *
 * A kernel is read as an asm statement is (lower/asm_ptx.c), but its addresses are numbers: each location has one. When
 * all kernels of a test have been read, it is found out for each access into which locations its address can lead. */
#ifndef CULITMUS_LIFT_H
#define CULITMUS_LIFT_H

#include "litmus/test.h"

/* A value within a struct. */
struct lift_piece {
    struct pos pos;
    int at;           /* the offset of its first byte; -1: behind the value before, with natural alignment */
    const char *text; /* as written: "4", "u32 1", "1.5f", or an address: "out", "out + 16" */
};

/* The value of a parameter: a single value, or a struct of several. */
struct lift_argument {
    struct pos pos;
    bool is_struct;
    int bytes; /* the size of a struct; 0: as large as its values need */
    struct lift_piece *pieces;
    int npieces;
};

/* How a test launches a kernel. */
struct lift_launch {
    const struct source *ptx; /* its path is used in messages */
    const char *kernel;       /* NULL: the PTX has only one */
    struct pos pos;           /* of the kernel's name, in the test's file */
    const struct lift_argument *args;
    int nargs;
    int shared;    /* bytes of dynamic shared memory */
    bool compiled; /* a compiler made the PTX just now, so its version need not be checked */
};

/* Gives each location of the test its address. */
void lift_place_all(struct test *t);
/* The kernels of a test. When it is opened, the locations that the test itself names are known and get their
 * addresses. */
struct lift;
struct lift *lift_open(struct arena *a, struct test *t, struct diag *d);
/* Reads a kernel as the body of a thread. The body's name, position, grid and block are set. Returns false
 * and leaves an error when it cannot. */
bool lift_read(struct lift *l, struct body *body, const struct lift_launch *launch);
/* Finds the locations of all accesses of all kernels. */
void lift_close(struct lift *l);

/* Returns the address that a text means: "out", "out + 16". False: no location has that name. */
bool lift_find_address(const struct test *t, const char *text, uint64_t *out);

#endif
