#include "ptx/ptx.h"

#include <string.h>

/* The brace that is open where statement `at` stands; -1: none is. */
static int find_open(const struct ptx_code *code, int at) {
    int depth = 0;
    for (int k = at - 1; k >= 0; k--) {
        enum ptx_statement_kind kind = code->statements[k].kind;
        if (kind == PTX_OPEN && depth == 0) return k;
        depth += (kind == PTX_CLOSE) - (kind == PTX_OPEN);
    }
    return -1;
}

/* The label of that name behind an open brace, not in braces within; -1: there is none. */
static int find_within(const struct ptx_code *code, int open, const char *name) {
    int depth = 0;
    for (int k = open + 1; k < code->n && depth >= 0; k++) {
        const struct ptx_statement *s = &code->statements[k];
        if (depth == 0 && s->kind == PTX_LABEL && strcmp(s->text, name) == 0) return k;
        depth += (s->kind == PTX_OPEN) - (s->kind == PTX_CLOSE);
    }
    return -1;
}

int ptx_find_label(const struct ptx_code *code, int at, const char *name) {
    for (int open = find_open(code, at);; open = find_open(code, open)) {
        int label = find_within(code, open, name);
        if (label >= 0 || open < 0) return label;
    }
}
