/* A cubin's machine code and its line table: an ELF file (elf(5)) with DWARF line numbers (DWARF 2 to 4,
 * section 6.2). */
#ifndef CULITMUS_CUBIN_H
#define CULITMUS_CUBIN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

enum { SASS_BYTES = 16 }; /* of an instruction, from compute capability 7.0 on */

struct cubin_code {
    const void *bytes; /* in the cubin; NULL: not known */
    int n;             /* instructions */
    int *line;         /* of each instruction: its line in the source, 0: unknown; in the arena */
    bool *in_table;    /* a jump through a table may go to this instruction; in the arena */
};

/* The code of the cubin's only kernel, with the functions that it calls. False when there is none, or when it
 * is not understood. */
bool cubin_read(struct arena *a, const void *cubin, size_t size, struct cubin_code *out);
/* The code of each of its kernels, by their names ("k1"), without lines and tables; how many there are. */
struct cubin_kernel {
    const char *name;
    struct cubin_code code;
};
int cubin_kernels(struct arena *a, const void *cubin, size_t size, struct cubin_kernel **out);
/* How many registers a thread of the cubin's kernel has; 0: it does not say. */
int cubin_registers(const void *cubin, size_t size);
/* Whether two cubins have the same instructions, wait masks and all. */
bool cubin_same_code(const void *x, size_t x_size, const void *y, size_t y_size);

#endif
