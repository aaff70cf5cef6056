/* The machine code of a cell, compared with the test: which of its instructions belong to which operation. */
#ifndef CULITMUS_MACHINE_H
#define CULITMUS_MACHINE_H

#include "check/meant.h"
#include "check/sass.h"
#include "check/ways.h"

struct machine {
    struct meant m;
    struct sass_kernel kernel;
    const struct ways *ways; /* of the PTX; NULL in verify_operations */
    int *op;                 /* of each instruction: the operation on whose line it stands, 0: none */
};

/* Whether `part` is one of the parts of the name, which dots separate. */
bool machine_has_part(const char *name, const char *part);
/* Whether the name has this scope. SASS calls a block's scope CTA or SM. It has no cluster scope and uses the
 * device's. */
bool machine_has_scope(const char *name, enum scope scope);
/* Whether the name has this scope or a wider one. */
bool machine_has_wide_scope(const char *name, enum scope scope);
/* Whether ptxas uses the instruction for an access of memory. */
bool machine_is_access(const char *name);

/* What role an instruction has in the operation on whose line it stands. */
enum machine_part {
    PART_NONE = 0,
    PART_FIRST = 1, /* it is the operation, or begins it */
    PART_LAST = 2,
    /* it stands in for an operation that need do nothing: all lanes are there already, or the kernel runs
     * without clusters */
    PART_MET = 4,
};
enum machine_part machine_part(const struct op *op, const char *name);

/* Whether instruction i does its operation, and does not only stand on the operation's line. */
bool machine_is_operation(const struct machine *c, int i);

/* Whether operation k is checked in the PTX alone: the assembler makes several scattered instructions of an
 * exchange of a warp, and no instruction of its own shows what an acquire adds to a load, a look at a clock
 * or a look at a token. */
bool machine_is_silent(const struct flow *f, int k);

/* Checks the order of operations in the machine code. On every path from the kernel's begin or from an
 * operation, the next operation must be one that may come next in the PTX. For each copy of an operation in
 * the PTX there must be an instruction. Returns false and notes the problem otherwise. */
bool machine_check_order(struct machine *c);

#endif
