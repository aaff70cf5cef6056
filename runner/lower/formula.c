/* Formulas, as C has them, of values that are known: what a function or an instruction computes can be read off its row. */
#include <stdint.h>
#include <string.h>

#include "lower/calls.h"

/* A formula that is being read. */
struct formula {
    struct parser parser; /* of its text */
    struct pos pos;       /* of whatever it makes */
    struct expr *const *values;
};

/* A shift by n of PTX: n has no sign, and may be more than the value has bits. */
static struct expr *shift(struct parser *p, struct pos pos, enum expr_kind kind, struct expr *a,
                          struct expr *n) {
    int bits = a->type.bits;
    bool copies = kind == EXPR_SHR && a->type.sign;
    struct expr *within = expr_new(p, kind, pos, a, n);
    struct expr *beyond =
        copies ? expr_new(p, kind, pos, a, expr_int(p, n->pos, bits - 1)) : expr_int(p, n->pos, 0);
    if (n->kind == EXPR_INT) return n->value.lo >= (uint64_t)bits ? beyond : within;
    struct expr *fits = expr_new(p, EXPR_LT, n->pos, n, expr_int(p, n->pos, bits));
    return expr_choice(p, n->pos, fits, within, beyond);
}

/* Operators that are called by a name, as C has none of these, or another one. */
static const struct {
    const char *name;
    enum expr_kind kind;
} operators[] = {
    {"popc", EXPR_POPC}, {"clz", EXPR_CLZ}, {"brev", EXPR_BREV}, {"div", EXPR_DIV},
    {"rem", EXPR_MOD},   {"shl", EXPR_SHL}, {"shr", EXPR_SHR},
};

static bool is_call(struct parser *p, const struct tree *n) {
    (void)p;
    return n->kind == TREE_CALL;
}

/* popc(a), shl(a, b), u32(a), t(a) */
static struct expr *call(struct parser *p, const struct tree *n) {
    const struct formula *f = (const struct formula *)p;
    const char *name = n->first->text;
    struct expr *a = lower_value(p, n->b), *b = n->b->next ? lower_value(p, n->b->next) : NULL;
    struct type type = f->values[0]->type;
    for (size_t k = 0; k < sizeof operators / sizeof *operators; k++) {
        enum expr_kind kind = operators[k].kind;
        if (strcmp(operators[k].name, name) != 0) continue;
        return kind == EXPR_SHL || kind == EXPR_SHR ? shift(p, f->pos, kind, a, b)
                                                    : expr_new(p, kind, f->pos, a, b);
    }
    type_find_ptx(name, &type);
    return expr_cast(p, a, type);
}

static const struct library libraries[] = {
    {"formulas", is_call, call, NULL, NULL, NULL, NULL},
    {0},
};

static struct expr *value_of(struct parser *p, const struct tree *n) {
    char name = *n->at->text;
    return ((const struct formula *)p)->values[name - (name < 'x' ? 'a' : 'x')];
}

struct expr *formula_value(struct parser *p, struct pos pos, struct expr *const *values, const char *fmt,
                           ...) {
    struct arena *words = arena_open(); /* and trees, of which nothing is left */
    va_list ap;
    va_start(ap, fmt);
    const char *text = arena_vprintf(words, fmt, ap);
    va_end(ap);
    const struct lines lines = {&(size_t){0}, 1};
    const struct snippet snippet = {text, strlen(text), NULL, 0, &lines};
    struct formula f = {*p, pos, values};
    f.parser.body = NULL;
    f.parser.operand = value_of;
    f.parser.libraries = libraries;
    f.parser.syntax = (struct syntax){0};
    f.parser.arena = words;
    parse_start(&f.parser, &snippet);
    for (struct token *t = (struct token *)(uintptr_t)f.parser.syntax.tok; t->kind != TOK_END; t++)
        t->pos = t->after = pos;
    const struct tree *n = parse_tree(&f.parser);
    f.parser.arena = p->arena;
    struct expr *e = lower_value(&f.parser, n);
    p->panic = f.parser.panic;
    arena_close(words);
    return e;
}
