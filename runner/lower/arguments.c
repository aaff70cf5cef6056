#include "lower/arguments.h"

#include "lower/lower.h"

struct arguments arguments_of(const struct tree *call, const char *usage) {
    return (struct arguments){.next = call->b, .before = call->at, .usage = usage, .pos = call->a->at->pos};
}

const struct tree *arguments_take(struct parser *p, struct arguments *a, const char *what) {
    const struct tree *n = a->next;
    bool first = a->before->kind == '(';
    if (!n) parse_error(p, a->before->after, "expected %s%s: %s", first ? "" : "',' and ", what, a->usage);
    if (!n || p->panic) return NULL;
    a->next = n->next;
    a->before = n->end - 1;
    return n;
}

const struct token *arguments_word(struct parser *p, struct arguments *a, const char *what) {
    struct pos pos = a->next ? a->next->first[-1].after : a->before->after;
    const struct tree *n = arguments_take(p, a, what);
    if (n && !tree_is_word(n)) parse_error(p, pos, "expected %s: %s", what, a->usage);
    return n && !p->panic ? n->first : NULL;
}

void arguments_end(struct parser *p, const struct arguments *a) {
    if (a->next) parse_error(p, a->before->after, "expected ')': %s", a->usage);
}
