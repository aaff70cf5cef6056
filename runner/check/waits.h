/* What machine code waits for between one access of a thread and its next.
 *
 * Instructions are issued in order, but may end later. Each may take some of six scoreboards, which are free
 * again when its result is there or its operands are read. Each begins only when the scoreboards in its wait
 * mask are free (bits 116 to 121 of an instruction). So two compilers that make the same instructions may
 * differ in what is still under way when an access begins. */
#ifndef CULITMUS_WAITS_H
#define CULITMUS_WAITS_H

#include "check/sass.h"
#include "litmus/test.h"

/* An instruction on the path between two accesses, with what is waited for before it begins. */
struct waits_step {
    const struct sass_instruction *code;
    int op; /* the operation of the test; 0: none */
    /* it accesses memory. A store has not ended when it has read its operands, so `reads` is ignored */
    bool access;
    unsigned waits; /* its own wait mask, and those of the instructions since the last step */
    bool all;       /* one of these waits for every scoreboard */
};

/* Whether an instruction that is no operation is a step: it orders memory, or is a NOP that waits. */
bool waits_is_step(const struct sass_instruction *code);
/* Returns the steps as text, in the arena: "LDG.E.STRONG.GPU; MEMBAR.ALL.CTA; NOP, which waits for all". */
const char *waits_words(struct arena *a, const struct waits_step *steps, int n);

struct waits_edge {
    const char *ptx;     /* "ld.relaxed.gpu; fence.acq_rel.cta; st.relaxed.gpu" */
    const char *machine; /* "LDG.E.STRONG.GPU; MEMBAR.ALL.CTA; NOP, which waits for all; STG.E.STRONG.GPU" */
    /* what is waited for before the second access begins, such as "the scoreboard of the fence" */
    const char *awaited;
};

/* Finds the edges of a cell's code: an access, what the test has behind it, and the next access, on the
 * shortest path of control. Edges with the same texts count as one. `operation` comes from verify_operations.
 * Returns their number; they are in the arena. */
int waits_edges(struct arena *a, const struct test *t, const struct cell *cell,
                const struct sass_kernel *machine, const int *operation, struct waits_edge **out);

#endif
