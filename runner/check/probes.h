/* Probes: all ways to write an access, an atomic operation or a fence with CUDA's own functions, nvcc's
 * __nv_atomic functions, libcu++ or PTX. Each becomes a kernel of its own, so that one can see what a
 * compiler makes of it. */
#ifndef CULITMUS_PROBES_H
#define CULITMUS_PROBES_H

#include "base/text.h"
#include "litmus/ops.h"
#include "litmus/test.h"

enum probe_spelling { PROBE_CUDA, PROBE_NVCC, PROBE_LIBCUXX, PROBE_PTX };

struct probe {
    enum probe_spelling spelling;
    const struct op_row *row;
    struct strength asked; /* the order and scope that it must have at least */
    const char *written;   /* the form that it shares with other operations, such as "atomicOP_block(p, v)" */
    const char *operation; /* such as "add" */
    const char *c_type;    /* such as "unsigned long long" */
    struct type type;
    const char *space;     /* "global", "shared" or "generic" address; "" for a fence */
    const char *statement; /* the statement; it sets `r` if there is a result */
    bool returns, unused;  /* it has a result; the result is not used */
};

/* Returns "CUDA", "nvcc", "libcu++" or "PTX". */
const char *probe_spelling_name(enum probe_spelling s);
/* Lists the probes, in the arena. For the usual type of an operation (int, or unsigned for counting) these
 * are all orders, scopes and state spaces. Other types have all orders and spaces, but device scope only;
 * generic addresses, and results that are not used, come with the usual type only. `all`: every combination,
 * about twice as many. */
struct probe *probes_list(struct arena *a, bool all, int *n);
/* Whether an architecture has the instruction; `cc` is 90 for sm_90. */
bool probe_is_had(const struct probe *p, int cc);
/* Writes the kernels of all probes: that of probes[k] is called m<k>, and stands on line PROBE_LINE + k. */
enum { PROBE_LINE = 3 };
void probes_write(struct text *out, const struct probe *const *probes, int n);

#endif
