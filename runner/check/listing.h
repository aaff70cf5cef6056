/* The instructions of a kernel in PTX, and where control may go from each (PTX ISA, "Control Flow Instructions"). */
#ifndef CULITMUS_LISTING_H
#define CULITMUS_LISTING_H

#include <stdbool.h>

#include "base/arena.h"

struct listed {
    const char *name; /* "ld.weak.global.s32"; those of one inline asm statement with a space between */
    int line;         /* in the PTX, from 1 */
    int op;           /* the number in its comment "op N"; 0: none, or the harness's own */
    bool memory; /* an access, a fence or a barrier: what a test is about. Parameters and locals are not */
    const int *next; /* indices of what may run next; the kernel's end is its number of instructions */
    int nnext;
};

struct listed_kernel {
    struct listed *code;
    int n;
};

/* Reads the kernel called `entry`, in the arena. It has 0 instructions if the text has no such kernel, or if a
 * statement of it cannot be read. */
struct listed_kernel listing_read(struct arena *a, const char *ptx, const char *entry);

#endif
