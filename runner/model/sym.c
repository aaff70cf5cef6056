#include "model/sym.h"

#include "model/rel.h"

const struct sym *sym_int(struct arena *a, int32_t value) {
    struct sym *s = arena_alloc(a, sizeof *s);
    s->kind = SYM_INT;
    s->value = value;
    return s;
}

void reads_add(struct reads *to, const struct reads *from) {
    bits_or(to->bits, from->bits, MAX_READS / 64);
}

const struct sym *sym_read(struct arena *a, int read) {
    struct sym *s = arena_alloc(a, sizeof *s);
    s->kind = SYM_READ;
    s->value = read;
    set_add(s->reads.bits, read);
    return s;
}

int32_t sym_eval(const struct sym *s, const int32_t *reads) {
    switch (s->kind) {
    case SYM_INT: return s->value;
    case SYM_READ: return reads[s->value];
    case SYM_RMW:
        return rmw_apply(s->fn, sym_eval(s->a, reads), s->b ? sym_eval(s->b, reads) : 0,
                         s->c ? sym_eval(s->c, reads) : 0);
    case SYM_OP:
        if (s->op == EXPR_COND) return sym_eval(sym_eval(s->a, reads) ? s->b : s->c, reads);
        return expr_apply(s->op, sym_eval(s->a, reads), s->b ? sym_eval(s->b, reads) : 0);
    }
    return 0;
}

static bool is_int(const struct sym *s) {
    return !s || s->kind == SYM_INT;
}

bool sym_same(const struct sym *x, const struct sym *y) {
    if (x == y) return true;
    if (!x || !y || x->kind != y->kind) return false;
    if (x->kind == SYM_INT || x->kind == SYM_READ) return x->value == y->value;
    return x->op == y->op && x->fn == y->fn && sym_same(x->a, y->a) && sym_same(x->b, y->b) &&
           sym_same(x->c, y->c);
}

/* Whether a term is 0 whatever its reads return, as tests write a dependency that carries no value. */
static bool is_always_zero(const struct sym *s) {
    if (s->kind != SYM_OP || !s->b) return false;
    bool has_zero =
        (s->a->kind == SYM_INT && s->a->value == 0) || (s->b->kind == SYM_INT && s->b->value == 0);
    if (s->op == EXPR_XOR || s->op == EXPR_SUB) return sym_same(s->a, s->b);
    return (s->op == EXPR_MUL || s->op == EXPR_AND) && has_zero;
}

/* A term over up to three others; a number when they all are, or when it is one all the same. */
const struct sym *sym_make(struct arena *a, struct sym s) {
    const struct sym *parts[] = {s.a, s.b, s.c};
    if (is_always_zero(&s)) return sym_int(a, 0);
    if (is_int(s.a) && is_int(s.b) && is_int(s.c)) return sym_int(a, sym_eval(&s, NULL));
    for (int k = 0; k < 3; k++)
        if (parts[k]) reads_add(&s.reads, &parts[k]->reads);
    struct sym *made = arena_alloc(a, sizeof *made);
    *made = s;
    return made;
}
