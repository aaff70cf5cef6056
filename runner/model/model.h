/* What a memory model allows of a test: all outcomes of the observed registers and locations.
 *
 * A model is a .cat file (models/), interpreted over candidate executions. This folder knows nothing of CUDA,
 * of devices or of what was observed. */
#ifndef CULITMUS_MODEL_H
#define CULITMUS_MODEL_H

#include "base/arena.h"
#include "base/diag.h"
#include "litmus/histogram.h"
#include "litmus/test.h"
#include "logic/limits.h"

struct model;

/* `name` is a shipped model (ptx, ptx-strong, ptx-mca, ptx-proxy, sc, x86-tso, aarch64) or the path of a .cat file. NULL and an error when
 * it cannot be read. The model lives in the arena; it is not changed by model_check and may be shared by
 * threads. */
const struct model *model_load(struct arena *a, const char *name, struct diag *d);
const char *model_name(const struct model *m);
/* The same model with the dependencies of the text, as herd has them: "aarch64 (syntactic)". Lives in the arena. */
const struct model *model_syntactic(struct arena *a, const struct model *m);

enum model_status {
    MODEL_DONE,    /* the outcomes are all there are */
    MODEL_UNKNOWN, /* gave up: see `why`; outcomes and executions are lower bounds */
};

struct model_outcome {
    const struct value *values; /* one per observable of the test */
    bool satisfies;             /* the condition's proposition */
};

struct model_result {
    enum model_status status;
    const char *why; /* UNKNOWN: "timeout after 1 s", ... */
    bool bounded;    /* the unroll bound was reached: longer runs were not looked at */
    int unroll;      /* that bound */
    int turns; /* how far all loops were followed: that bound, or less where a thread had too many paths */
    bool undecided; /* something was taken for a dependency that may be none */
    bool named;     /* the limits or the test name the bound, and all loops were followed that far */
    const struct model_outcome *outcomes; /* sorted by values */
    int noutcomes;
    bool unlisted; /* there may be more outcomes, too many to list; `allowed` and `holds` are exact still */
    long long executions; /* allowed candidate executions; exact up to 2^53 */
    bool uncounted;    /* `executions` is a lower bound: not all that give no new outcome were looked for */
    bool allowed;      /* some outcome satisfies the proposition */
    bool unreached;    /* none does, and none would if the model forbade nothing */
    bool undefined;    /* the model promises nothing, so everything is allowed: as in a mixed-size race */
    const char *fault; /* what ends the kernel in some allowed execution: "T0 traps in line 8"; else NULL */
    bool holds;        /* the quantified condition is true of the outcomes */
};

/* Judges one cell, within limits (NULL: none). The result lives in the arena. False and an error only when the
 * test cannot be judged at all (for instance an array index that is out of bounds in some execution). */
bool model_check(const struct model *m, const struct test *t, const struct cell *cell,
                 const struct model_limits *limits, struct arena *a, struct model_result *out,
                 struct diag *d);

/* The bound within which model_check judges the cell; where no limit names one, it judges the cell to find out. */
int model_unroll(const struct model *m, const struct test *t, const struct cell *cell,
                 const struct model_limits *limits);

/* Whether that bound was reached, so that longer runs were not looked at. */
bool model_is_bounded(const struct model *m, const struct test *t, const struct cell *cell,
                      const struct model_limits *limits, int *turns);

/* Adds to the outcomes of a result that are too many to list those of `seen` that are allowed. Then each
 * outcome of `seen` that is not listed is forbidden, or the result is UNKNOWN. */
void model_list_seen(const struct model *m, const struct test *t, const struct cell *cell,
                     const struct model_limits *limits, const struct histogram *seen, struct arena *a,
                     struct model_result *r);

/* True when `values` is among the outcomes. */
bool model_allows(const struct model_result *r, int nobs, const struct value *values);

#endif
