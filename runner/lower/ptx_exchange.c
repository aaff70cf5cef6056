/* Exchanges of the lanes of a warp in PTX: shfl.sync, vote.sync, match.sync, redux.sync, activemask. */
#include <string.h>

#include "lower/ptx.h"

/* "idx" and the like, of an opcode. */
struct exchange_word {
    const char *word;
    enum op_name op;
};

static struct op begin(const struct instruction *in, enum op_name name) {
    struct op op = op_make(name, in->words[0]->pos);
    op.type = op.result = type_unsigned;
    return op;
}

static void need_sync(struct column *c, struct instruction *in) {
    if (!ptx_take(in, "sync")) parse_error(&c->p, in->words[0]->after, "expected '.sync'");
}

static enum op_name take_mode(struct column *c, struct instruction *in, const struct exchange_word *words,
                              int n) {
    const char *list = "";
    for (int k = 0; k < n; k++) {
        if (ptx_take(in, words[k].word)) return words[k].op;
        list = arena_printf(c->p.arena, "%s%s.%s", list, k ? ", " : "", words[k].word);
    }
    parse_error(&c->p, in->words[0]->after, "expected one of %s", list);
    return words[0].op;
}

/* The one type that there is, or one of these two. */
static void need_type(struct column *c, const struct instruction *in, const char *type, const char *other) {
    const char *has = in->type ? in->type->text : "";
    struct pos pos = in->type ? in->type->pos : in->words[in->n - 1]->after;
    if (strcmp(has, type) == 0 || (other && strcmp(has, other) == 0)) return;
    if (other)
        parse_error(&c->p, pos, "expected '.%s' or '.%s'", type, other);
    else
        parse_error(&c->p, pos, "expected '.%s'%s", type,
                    in->type && c->type.bits != 32 ? ": values of other sizes are not supported yet" : "");
}

/* A value of 32 bits, as the instruction takes it. */
static struct expr *read_word(struct column *c, struct type type) {
    c->type = c->block ? type_unsigned : type_int;
    return expr_cast(&c->p, ptx_value(c), type);
}

static void read_mask(struct column *c, struct op *op) {
    ptx_comma(c);
    op->mask = read_word(c, type_unsigned);
}

static struct asm_targets read_result(struct column *c) {
    c->type = c->block ? type_unsigned : type_int;
    return ptx_targets(c);
}

static void add(struct column *c, const struct op *op, const struct asm_targets *to) {
    if (!c->p.panic) asm_set_targets(c, to, exchange_add(&c->p, *op));
}

/* ---- shuffles ---- */

/* The width, as CUDA's headers pack it: (32 - width) << 8, and 31 but for `up`. */
static int read_segment(struct column *c, bool up) {
    const struct token *t = c->p.tok;
    int n = ptx_number(c, "a segment of lanes", 0x1fff), width = WARP_LANES - (n >> 8 & 31);
    if (c->p.panic) return WARP_LANES;
    if ((n & 0xff) != (up ? 0 : 31) || (width & (width - 1)) != 0)
        parse_error(&c->p, t->pos,
                    "not supported yet: segments of lanes but those of a width of 1, 2, 4, 8, 16 or 32, "
                    "which is (32 - "
                    "width) << 8%s",
                    up ? "" : " | 31");
    return width;
}

/* Whether there is a lane to take from (PTX ISA, "shfl.sync"). */
static struct expr *reaches(struct column *c, const struct op *op) {
    struct parser *p = &c->p;
    struct pos pos = op->pos;
    struct expr *last = expr_int(p, pos, op->width - 1), *lane = grid_rank(p, GROUP_TILE, pos);
    struct expr *by = expr_new(p, EXPR_AND, pos, op->lane, expr_int(p, pos, WARP_LANES - 1));
    lane = expr_cast(p, lane, type_int);
    struct expr *within = expr_new(p, EXPR_AND, pos, lane, last);
    if (op->name == SHFL_UP) return expr_new(p, EXPR_GE, pos, within, by);
    if (op->name == SHFL_DOWN) return expr_new(p, EXPR_LE, pos, expr_new(p, EXPR_ADD, pos, within, by), last);
    struct expr *from = expr_new(p, EXPR_XOR, pos, lane, by);
    return expr_new(p, EXPR_LE, pos, from, expr_new(p, EXPR_OR, pos, lane, last));
}

static int read_reaching(struct column *c) {
    if (parse_peek(&c->p) != '|') return -1;
    if (!c->p.body->grid)
        parse_error(&c->p, c->p.tok->pos,
                    "the predicate of a shuffle is for a thread of a grid: {grid: 1, block: 32, body: ...}");
    parse_accept(&c->p, '|');
    return ptx_predicate(c);
}

void ptx_shuffle(struct column *c, struct instruction *in) {
    static const struct exchange_word modes[] = {
        {"idx", SHFL_IDX}, {"up", SHFL_UP}, {"down", SHFL_DOWN}, {"bfly", SHFL_XOR}};
    need_sync(c, in);
    struct op op = begin(in, take_mode(c, in, modes, 4));
    need_type(c, in, "b32", NULL);
    struct asm_targets to = read_result(c);
    int reaching = read_reaching(c);
    ptx_comma(c);
    op.value = read_word(c, type_unsigned);
    ptx_comma(c);
    op.lane = read_word(c, type_int);
    ptx_comma(c);
    op.width = read_segment(c, op.name == SHFL_UP);
    read_mask(c, &op);
    if (c->p.panic) return;
    struct expr *reached = op.name == SHFL_IDX ? expr_int(&c->p, op.pos, 1)
                           : reaching >= 0     ? reaches(c, &op)
                                               : NULL;
    struct expr *result = exchange_add(&c->p, op);
    if (reaching >= 0) body_set(&c->p, reaching, reached, op.pos);
    asm_set_targets(c, &to, result);
}

/* ---- votes ---- */

/* p, !p */
static struct expr *read_predicate(struct column *c) {
    struct parser *p = &c->p;
    const struct token *t = p->tok;
    bool negated = parse_accept(p, '!');
    struct expr *e = c->block ? asm_predicate(c) : ptx_read_register(c);
    if (p->panic) return expr_int(p, t->pos, 0);
    return expr_new(p, negated ? EXPR_EQ : EXPR_NE, t->pos, e, expr_int(p, t->pos, 0));
}

void ptx_vote(struct column *c, struct instruction *in) {
    static const struct exchange_word modes[] = {
        {"ballot", WARP_BALLOT}, {"any", WARP_ANY}, {"all", WARP_ALL}};
    need_sync(c, in);
    if (ptx_take(in, "uni")) parse_error(&c->p, in->words[0]->pos, "'vote.sync.uni' is not supported yet");
    struct op op = begin(in, take_mode(c, in, modes, 3));
    struct asm_targets to = {.n = 1, .pos = c->p.tok->pos};
    if (op.name == WARP_BALLOT) {
        need_type(c, in, "b32", NULL);
        to = read_result(c);
    } else {
        if (!ptx_take(in, "pred")) parse_error(&c->p, in->words[in->n - 1]->after, "expected '.pred'");
        to.regs[0] = ptx_predicate(c);
    }
    ptx_comma(c);
    op.type = type_int;
    op.result = op.name == WARP_BALLOT ? type_unsigned : type_int;
    op.value = read_predicate(c);
    read_mask(c, &op);
    add(c, &op, &to);
}

/* ---- matches and reductions ---- */

void ptx_match(struct column *c, struct instruction *in) {
    static const struct exchange_word modes[] = {{"any", WARP_MATCH}, {"all", WARP_MATCH_ALL}};
    struct parser *p = &c->p;
    struct op op = begin(in, take_mode(c, in, modes, 2));
    need_sync(c, in);
    need_type(c, in, "b32", NULL);
    struct asm_targets to = read_result(c);
    bool second = op.name == WARP_MATCH_ALL && parse_accept(p, '|');
    int all = second ? ptx_predicate(c) : -1;
    ptx_comma(c);
    op.value = read_word(c, type_unsigned);
    read_mask(c, &op);
    if (p->panic) return;
    struct expr *result = exchange_add(p, op);
    if (second) body_set(p, all, expr_new(p, EXPR_NE, op.pos, result, expr_int(p, op.pos, 0)), op.pos);
    asm_set_targets(c, &to, result);
}

void ptx_active(struct column *c, struct instruction *in) {
    struct op op = begin(in, WARP_ACTIVE);
    need_type(c, in, "b32", NULL);
    struct asm_targets to = read_result(c);
    op.type = type_int;
    op.value = expr_int(&c->p, op.pos, 1);
    add(c, &op, &to);
}

void ptx_reduce(struct column *c, struct instruction *in) {
    static const struct exchange_word modes[] = {{"add", WARP_ADD}, {"min", WARP_MIN}, {"max", WARP_MAX},
                                                 {"and", WARP_AND}, {"or", WARP_OR},   {"xor", WARP_XOR}};
    need_sync(c, in);
    struct op op = begin(in, take_mode(c, in, modes, 6));
    bool bits = op.name == WARP_AND || op.name == WARP_OR || op.name == WARP_XOR;
    need_type(c, in, bits ? "b32" : "u32", bits ? NULL : "s32");
    op.type = op.result = ptx_is_type(in, "s") ? type_int : type_unsigned;
    struct asm_targets to = read_result(c);
    ptx_comma(c);
    op.value = read_word(c, op.type);
    read_mask(c, &op);
    add(c, &op, &to);
}
