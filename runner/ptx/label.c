#include "ptx/ptx.h"

#include <string.h>

/* Returns the innermost open brace around statement `at`; -1: there is none. */
static int find_open(const struct ptx_code *code, int at) {
    int depth = 0;
    for (int k = at - 1; k >= 0; k--) {
        enum ptx_statement_kind kind = code->statements[k].kind;
        if (kind == PTX_OPEN && depth == 0) return k;
        depth += (kind == PTX_CLOSE) - (kind == PTX_OPEN);
    }
    return -1;
}

static bool declares(const struct ptx_statement *s, enum ptx_statement_kind kind, const char *name) {
    if (s->kind != kind) return false;
    if (kind == PTX_LABEL) return strcmp(s->text, name) == 0;
    for (int k = 0; k < s->variable->nnames; k++)
        if (strcmp(s->variable->names[k].text, name) == 0) return true;
    return false;
}

/* Returns the statement that declares a name between an open brace and its end, but not in braces within; -1:
 * none does. */
static int find_within(const struct ptx_code *code, int open, enum ptx_statement_kind kind,
                       const char *name) {
    int depth = 0;
    for (int k = open + 1; k < code->n && depth >= 0; k++) {
        const struct ptx_statement *s = &code->statements[k];
        if (depth == 0 && declares(s, kind, name)) return k;
        depth += (s->kind == PTX_OPEN) - (s->kind == PTX_CLOSE);
    }
    return -1;
}

int ptx_find_declared(const struct ptx_code *code, int at, enum ptx_statement_kind kind, const char *name) {
    for (int open = find_open(code, at);; open = find_open(code, open)) {
        int found = find_within(code, open, kind, name);
        if (found >= 0 || open < 0) return found;
    }
}

int ptx_find_label(const struct ptx_code *code, int at, const char *name) {
    return ptx_find_declared(code, at, PTX_LABEL, name);
}
