/* The instructions of a kernel in PTX, and where control may go from each (PTX ISA, "Control Flow
 * Instructions"). */
#ifndef CULITMUS_LISTING_H
#define CULITMUS_LISTING_H

#include <stdbool.h>

#include "base/arena.h"

struct listed {
    /* such as "ld.weak.global.s32"; the instructions of one asm statement are joined by a blank */
    const char *name;
    int line; /* its line in the PTX, from 1 */
    int op;   /* N of its comment "op N"; 0: it has none, so it is the harness's */
    /* it is an access of shared or global memory, a fence or a barrier; accesses of parameters and locals are
     * not */
    bool memory;
    /* the indices of the instructions that may run next; the number of instructions stands for the kernel's
     * end */
    const int *next;
    int nnext;
};

struct listed_kernel {
    struct listed *code;
    int n;
};

/* Reads the kernel called `entry` into the arena. The result has 0 instructions if the PTX has no such
 * kernel, or if a statement of it cannot be read. */
struct listed_kernel listing_read(struct arena *a, const char *ptx, const char *entry);

#endif
