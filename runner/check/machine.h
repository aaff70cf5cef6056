/* Machine code that is held against a test: what its instructions are of the test's operations. */
#ifndef CULITMUS_MACHINE_H
#define CULITMUS_MACHINE_H

#include "check/meant.h"
#include "check/sass.h"
#include "check/ways.h"

struct machine {
    struct meant m;
    struct sass_kernel kernel;
    const struct ways *ways; /* of the PTX */
    int *op;                 /* of each instruction: the operation whose line it has, 0: none */
};

/* Is `part` one of the name's parts, which dots separate? */
bool machine_has_part(const char *name, const char *part);
/* A block's scope is called CTA or SM; there is none for a cluster, which gets the device's. */
bool machine_has_scope(const char *name, enum scope scope);
/* The same of the scope, or a wider one. */
bool machine_has_wide_scope(const char *name, enum scope scope);
/* Is this what ptxas makes of some access? */
bool machine_is_access(const char *name);

/* What an instruction is of the operation in whose line it stands. */
enum machine_part {
    PART_NONE = 0,
    PART_FIRST = 1, /* all of it, where it is one instruction */
    PART_LAST = 2,
    PART_MET = 4, /* nothing is to be done, for all lanes have come, or there is no cluster */
};
enum machine_part machine_part(const struct op *op, const char *name);

/* Whether instruction i is an operation, and not only in the line of one. */
bool machine_is_operation(const struct machine *c, int i);

/* Exchanges of a warp, and what an acquire adds, are checked in the PTX alone: the assembler makes several
 * instructions of an exchange, in places of their own. */
bool machine_is_silent(const struct flow *f, int k);

/* Whether control comes on each way from an operation, and from the kernel's begin, to such as the PTX has next, and each
 * copy that the PTX has of an operation is there. */
bool machine_check_order(struct machine *c);

#endif
