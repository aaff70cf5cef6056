/* What machine code waits for between one access of a thread and its next.
 *
 * Instructions are issued in order, but end when they do. Each may take some of six scoreboards, which are free again when
 * its result is there, and each begins only when those in its wait mask are free (bits 116 to 121 of an instruction). So
 * two compilers that make the same instructions may differ in what is still under way when an access begins. */
#ifndef CULITMUS_WAITS_H
#define CULITMUS_WAITS_H

#include "check/sass.h"
#include "litmus/test.h"

/* An instruction on the way that matters, with what is waited for before it begins. */
struct waits_step {
    const struct sass_instruction *code;
    int op;         /* the test's; 0: none */
    bool access;    /* it accesses memory: a store that has read its operands has not ended */
    unsigned waits; /* its own, and those of what stands before it and is no step */
    bool all;       /* one of these waits for every scoreboard */
};

/* Whether what is no operation is a step: what orders memory, or only waits. */
bool waits_is_step(const struct sass_instruction *code);
/* "LDG.E.STRONG.GPU; MEMBAR.ALL.CTA; NOP, which waits for all". In the arena. */
const char *waits_words(struct arena *a, const struct waits_step *steps, int n);

struct waits_edge {
    const char *ptx;     /* "ld.relaxed.gpu; fence.acq_rel.cta; st.relaxed.gpu" */
    const char *machine; /* "LDG.E.STRONG.GPU; MEMBAR.ALL.CTA; NOP, which waits for all; STG.E.STRONG.GPU" */
    const char
        *awaited; /* "the scoreboard of the fence": what is waited for before the second access begins */
};

/* The edges of a cell's code: an access, what the test has between, and the next access, on the shortest way. Edges with the
 * same words are one. `operation` is what verify_operations filled in. Returns how many; they are in the arena. */
int waits_edges(struct arena *a, const struct test *t, const struct cell *cell,
                const struct sass_kernel *machine, const int *operation, struct waits_edge **out);

#endif
