/* The ways to write an access, an atomic operation or a fence: in CUDA's own names, with nvcc's __nv_atomic functions, with
 * libcu++ and in PTX. Each is a kernel of its own, so that it can be seen what a compiler makes of it. */
#ifndef CULITMUS_PROBES_H
#define CULITMUS_PROBES_H

#include "base/text.h"
#include "litmus/ops.h"
#include "litmus/test.h"

enum probe_spelling { PROBE_CUDA, PROBE_NVCC, PROBE_LIBCUXX, PROBE_PTX };

struct probe {
    enum probe_spelling spelling;
    const struct op_row *row;
    struct strength asked; /* what it has to become at least */
    const char *written; /* "atomicOP_block(p, v)": what all operations that are written so have in common */
    const char *operation; /* "add" */
    const char *c_type;    /* "unsigned long long" */
    struct type type;
    const char *space;     /* "global", "shared", "generic"; "" of a fence */
    const char *statement; /* of which `r` becomes the result, if it has one */
    bool returns, unused;  /* it has a result; nobody wants it */
};

/* "CUDA", "nvcc", "libcu++", "PTX" */
const char *probe_spelling_name(enum probe_spelling s);
/* They, in the arena: of the usual type of an operation each order, scope and space; of other types each order and space at
 * device scope; what has no result of the usual type in global memory. `all`: all of everything, which are twice as many. */
struct probe *probes_list(struct arena *a, bool all, int *n);
/* Whether an architecture has it: 90 of sm_90. */
bool probe_is_had(const struct probe *p, int cc);
/* Adds a text of all these kernels; that of probes[k] is m<k>, and stands in line PROBE_LINE + k. */
enum { PROBE_LINE = 3 };
void probes_write(struct text *out, const struct probe *const *probes, int n);

#endif
