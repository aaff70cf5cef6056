/* Makes the PTX of a cell from the PTX of its outline. */
#include <stdlib.h>
#include <string.h>

#include "gen/ops.h"

/* The comments that NVRTC puts around inline asm. */
static const char begin_asm[] = "\t// begin inline asm\n", end_asm[] = "\t// end inline asm\n";

static const char *next_line(const char *s) {
    s += strcspn(s, "\n");
    return s + (*s == '\n');
}

/* Drops the asm of a fence that the cell does not have, with the comments around it, the first of which is
 * already in `out`. Returns the text behind it, or NULL if something else stands there. */
static const char *drop_asm(const char *line, struct text *out) {
    size_t begin = strlen(begin_asm), end = strlen(end_asm);
    const char *behind = next_line(line);
    if (out->len < begin || strcmp(out->s + out->len - begin, begin_asm) != 0) return NULL;
    if (strncmp(behind, end_asm, end) != 0) return NULL;
    out->len -= begin;
    out->s[out->len] = '\0';
    return behind + end;
}

/* Returns what follows `word` in a line that ends at `end`; NULL: the word is not in it. */
static const char *find_behind(const char *line, const char *end, const char *word) {
    const char *at = memmem(line, (size_t)(end - line), word, strlen(word));
    return at ? at + strlen(word) : NULL;
}

/* Copies the line of an operation, such as "st.order_3.global.s32 [%rd1], %r2; // op 3", with the cell's
 * order and scope in place of ".order_3". `number` is where the operation's number stands. A line without an
 * order is copied as it is. Returns the text behind it, or NULL if it is not understood. */
static const char *fill_operation(const char *line, const char *number, const struct test *t,
                                  const struct cell *cell, struct text *out) {
    long k = strtol(number, NULL, 10);
    const char *behind = next_line(line), *order = find_behind(line, behind, OUTLINE_ORDER);
    if (k < 1 || k > t->nops) return NULL;
    if (gen_op_is_absent(cell, &t->ops[k], DIALECT_CUDA)) return drop_asm(line, out);
    if (order) {
        text_add_n(out, line, (size_t)(order - line) - strlen(OUTLINE_ORDER));
        gen_order(out, gen_strength(t, cell, &t->ops[k], DIALECT_CUDA));
        line = order + strspn(order, "0123456789");
    }
    text_add_n(out, line, (size_t)(behind - line));
    return behind;
}

bool gen_fill(const char *outline, const struct test *t, const struct cell *cell, struct text *out) {
    const char *line = outline;
    while (line && *line) {
        const char *behind = next_line(line);
        const char *order = find_behind(line, behind, OUTLINE_ORDER);
        const char *number = order ? order : find_behind(line, behind, OP_MARK);
        if (number)
            line = fill_operation(line, number, t, cell, out);
        else {
            text_add_n(out, line, (size_t)(behind - line));
            line = behind;
        }
    }
    return line != NULL;
}
