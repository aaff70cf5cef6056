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

/* A value in a struct. */
struct lift_piece {
    struct pos pos;
    int at;           /* its first byte; -1: behind the one before, with natural alignment */
    const char *text; /* "4", "u32 1", "1.5f", or a location: "out", "out + 16" */
};

/* What a parameter is: one value, or a struct of several. */
struct lift_argument {
    struct pos pos;
    bool is_struct;
    int bytes; /* of a struct; 0: as many as its pieces need */
    struct lift_piece *pieces;
    int npieces;
};

/* How a kernel is launched. */
struct lift_launch {
    const struct source *ptx; /* its path names it in messages */
    const char *kernel;       /* NULL: the only one */
    struct pos pos;           /* of the kernel's name, in the test's file */
    const struct lift_argument *args;
    int nargs;
    int shared;    /* bytes of dynamic shared memory */
    bool compiled; /* a compiler made the PTX now, of whatever version it writes */
};

/* Gives each location its address. */
void lift_place_all(struct test *t);
/* The kernels of a test. Its locations, but those of the kernels, are known and get their addresses. */
struct lift;
struct lift *lift_open(struct arena *a, struct test *t, struct diag *d);
/* Reads a kernel as the body of a thread, whose name, place, grid and block are set. False and an error where it cannot. */
bool lift_read(struct lift *l, struct body *body, const struct lift_launch *launch);
/* Finds out where the accesses of all kernels lead. */
void lift_close(struct lift *l);

/* The value of an address: "out", "out + 16". False where no location has that name. */
bool lift_find_address(const struct test *t, const char *text, uint64_t *out);

#endif
