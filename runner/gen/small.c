/* Which values a test can have at all: whether all of them are small. */
#include "gen/gen.h"

struct small_check {
    unsigned limit; /* a value below it is small; a power of two */
    bool small;     /* so far */
};

/* Integers of at least 32 bits: a small one has the same value in all of these types. */
static bool is_plain(struct type t) {
    return !type_is_vector(t) && !t.real && t.bits >= 32;
}

static bool is_small_value(struct value v, unsigned limit) {
    return v.hi == 0 && v.lo < limit;
}

/* Whether the expression's value is small if all registers are. */
static bool is_small(const struct expr *e, unsigned limit) {
    if (!e) return true;
    switch (e->kind) {
    case EXPR_INT: return is_small_value(e->value, limit);
    case EXPR_REG: return true;
    case EXPR_NOT:
    case EXPR_LT:
    case EXPR_LE:
    case EXPR_GT:
    case EXPR_GE:
    case EXPR_EQ:
    case EXPR_NE:
    case EXPR_LAND:
    case EXPR_LOR: return true; /* 0 or 1 */
    case EXPR_CAST: return is_plain(e->type) && is_plain(e->a->type) && is_small(e->a, limit);
    case EXPR_AND:
    case EXPR_XOR:
    case EXPR_OR: return is_small(e->a, limit) && is_small(e->b, limit);
    case EXPR_COND: return is_small(e->b, limit) && is_small(e->c, limit);
    case EXPR_TID:
    case EXPR_COUNT:
    case EXPR_BLOCK:
    case EXPR_THREAD:
    case EXPR_RANK:
    case EXPR_RANKS:
    case EXPR_OBS:
    case EXPR_BITS:
    case EXPR_LANE:
    case EXPR_JOIN:
    case EXPR_NEG:
    case EXPR_COMPL:
    case EXPR_POPC:
    case EXPR_CLZ:
    case EXPR_BREV:
    case EXPR_MUL:
    case EXPR_DIV:
    case EXPR_MOD:
    case EXPR_ADD:
    case EXPR_SUB:
    case EXPR_SHL:
    case EXPR_SHR: return false;
    }
    return false;
}

/* Whether an atomic of these types leaves one of its operands or a bitwise combination of them. The others
 * leave a sum or a count. */
static bool combines(enum op_types types) {
    return types != TYPES_SUM && types != TYPES_COUNT;
}

/* Whether an operation leaves only small values if all values before it were small. */
static bool keeps_small(const struct op *op, unsigned limit) {
    const struct op_kind_row *kind = &op_kinds[op->kind];
    if (kind->engine || op->kind == OP_EXCHANGE) return false;
    return !(kind->touches[0] & TOUCH_WRITES) ||
           (combines(op_rows[op->name].types) && is_small(op->value, limit));
}

static bool look(const struct stmt *s, void *ctx) {
    struct small_check *c = ctx;
    if (s->kind == STMT_SET) c->small = is_small(s->value, c->limit);
    if (s->kind == STMT_OP) c->small = keeps_small(s->op, c->limit);
    return c->small;
}

static bool begins_small(const struct location *l, unsigned limit) {
    bool small = is_plain(l->type) && !l->view;
    for (int k = 0; small && k < l->count; k++)
        small = is_small_value(location_init(l, k), limit);
    return small;
}

bool gen_small(const struct test *t) {
    int words = observed_words(t), bits = words == 0 || words > 8 ? 0 : 8 / words;
    struct small_check c = {.limit = 1u << bits, .small = bits > 0};
    for (int l = 0; l < t->nlocs; l++)
        c.small = c.small && begins_small(&t->locs[l], c.limit);
    for (int b = 0; b < t->nbodies; b++) {
        for (int r = 0; r < t->bodies[b].nregs; r++)
            c.small = c.small && is_plain(t->bodies[b].regs[r].type);
        c.small = c.small && stmt_walk(t->bodies[b].first, look, &c);
    }
    return c.small;
}
