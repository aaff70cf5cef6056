/* The PTX of a cell, made of that of its outline. */
#include <stdlib.h>
#include <string.h>

#include "gen/ops.h"

/* What NVRTC puts around inline asm. */
static const char begin_asm[] = "\t// begin inline asm\n", end_asm[] = "\t// end inline asm\n";

static const char *next_line(const char *s) {
    s += strcspn(s, "\n");
    return s + (*s == '\n');
}

/* The asm of a fence that the cell does not have goes, with the comments around it. Returns where the text goes on; NULL:
 * this is not all of the asm. */
static const char *drop_asm(const char *line, struct text *out) {
    size_t begin = strlen(begin_asm), end = strlen(end_asm);
    const char *behind = next_line(line);
    if (out->len < begin || strcmp(out->s + out->len - begin, begin_asm) != 0) return NULL;
    if (strncmp(behind, end_asm, end) != 0) return NULL;
    out->len -= begin;
    out->s[out->len] = '\0';
    return behind + end;
}

/* An operation: "	st.order_3.global.s32 [%rd1], %r2; // op 3", whose order begins at `open`. Returns where the text goes on,
 * or NULL. */
static const char *fill_operation(const char *line, const char *open, const struct test *t,
                                  const struct cell *v, struct text *out) {
    char *rest;
    long number = strtol(open + strlen(OUTLINE_ORDER), &rest, 10);
    if (number < 1 || number > t->nops) return NULL;
    const struct op *op = &t->ops[number];
    struct strength s = gen_strength(t, v, op, DIALECT_CUDA);
    if (gen_op_is_absent(op, s, DIALECT_CUDA)) return drop_asm(line, out);
    text_add_n(out, line, (size_t)(open - line));
    gen_order(out, s);
    const char *behind = next_line(rest);
    text_add_n(out, rest, (size_t)(behind - rest));
    return behind;
}

bool gen_fill(const char *outline, const struct test *t, const struct cell *v, struct text *out) {
    const char *line = outline;
    while (line && *line) {
        const char *behind = next_line(line);
        const char *open = memmem(line, (size_t)(behind - line), OUTLINE_ORDER, strlen(OUTLINE_ORDER));
        if (open)
            line = fill_operation(line, open, t, v, out);
        else {
            text_add_n(out, line, (size_t)(behind - line));
            line = behind;
        }
    }
    return line != NULL;
}
