/* What a cell's code has to be: the instruction of each operation, as PTX names it, and the order of operations; and what
 * is wrong with code that was compiled. */
#ifndef CULITMUS_MEANT_H
#define CULITMUS_MEANT_H

#include "base/text.h"
#include "check/flow.h"

struct meant {
    struct arena *arena;
    const struct test *t;
    const struct cell *cell;
    struct flow flow;
    const char **name;    /* the instruction of each operation, or several with blanks between */
    struct text problem;  /* empty: none so far */
    struct text compiled; /* a listing of what was compiled, for the error */
};

struct meant meant_of(const struct test *t, const struct cell *cell);
void meant_close(struct meant *m);

/* "op 3 (st.weak.global.s32)"; of 0, which is no operation, "the end of the thread". */
const char *meant_describe(const struct meant *m, int k);
/* Says what is wrong, and returns false. */
bool meant_problem(struct meant *m, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The error about it, with both listings, of the test and of what was compiled. */
void meant_report(const struct meant *m, struct diag *d);

#endif
