/* A cubin's machine code and its line table: an ELF file (elf(5)) with DWARF line numbers (DWARF 2 to 4,
 * section 6.2). */
#ifndef CULITMUS_CUBIN_H
#define CULITMUS_CUBIN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

enum { SASS_BYTES = 16 }; /* bytes of an instruction, from compute capability 7.0 on */

struct cubin_code {
    const void *bytes; /* points into the cubin; NULL: not known */
    int n;             /* number of instructions */
    int *line;         /* of each instruction: its line in the source, 0 if unknown; in the arena */
    bool *in_table;    /* of each instruction: a jump through a table may go there; in the arena */
};

/* Finds the code of the cubin's only kernel, with the functions that it calls. Returns false when there is
 * none, or when the cubin is not understood. */
bool cubin_read(struct arena *a, const void *cubin, size_t size, struct cubin_code *out);
/* Finds the code of each kernel of the cubin, by name ("k1"), without lines and jump tables. Returns the
 * number of kernels. */
struct cubin_kernel {
    const char *name;
    struct cubin_code code;
};
int cubin_kernels(struct arena *a, const void *cubin, size_t size, struct cubin_kernel **out);
/* Returns how many registers a thread of the cubin's kernel has; 0: the cubin does not say. */
int cubin_registers(const void *cubin, size_t size);
/* Whether two cubins have the same instructions, bit by bit: wait masks included. */
bool cubin_same_code(const void *x, size_t x_size, const void *y, size_t y_size);

#endif
