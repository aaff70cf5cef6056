/* What the code of a cell must be: the instruction of each operation as PTX names it, and the order of
 * operations. It also collects what is wrong with compiled code. */
#ifndef CULITMUS_MEANT_H
#define CULITMUS_MEANT_H

#include "base/text.h"
#include "check/flow.h"

struct meant {
    struct arena *arena;
    const struct test *t;
    const struct cell *cell;
    struct flow flow;
    const char **name;    /* of each operation: its instruction, or several joined by blanks */
    struct text problem;  /* what is wrong; empty: nothing so far */
    struct text compiled; /* a listing of what was compiled, for the error */
};

struct meant meant_of(const struct test *t, const struct cell *cell);
void meant_close(struct meant *m);

/* Describes operation k for messages, such as "op 3 (st.weak.global.s32)"; 0 is "the end of the thread". */
const char *meant_describe(const struct meant *m, int k);
/* Notes what is wrong. Always returns false. */
bool meant_problem(struct meant *m, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Adds the error to `d`, with two listings: of the test, and of what was compiled. */
void meant_report(const struct meant *m, struct diag *d);

#endif
