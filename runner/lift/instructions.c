/* Instructions that only whole kernels have, or that mean something else there than in an asm statement. */
#include <string.h>

#include "lift/reader.h"
#include "lower/calls.h"

static void read_break(struct column *c) {
    stmt_add_op(&c->p, op_make(TRAP_HERE, c->in->pos));
}

/* Reads a call. Printing does nothing, a failed assertion is a fault, and functions of the file are followed
 * (calls.c). */
static void read_call(struct column *c) {
    const struct ptx_instruction *in = c->in;
    const char *name = "";
    if (lift_follow_call(c)) return;
    for (int k = 0; k < in->noperands && !*name; k++)
        if (in->operands[k].kind == PTX_NAME) name = in->operands[k].text;
    if (strcmp(name, "__assertfail") == 0)
        read_break(c);
    else if (strcmp(name, "vprintf") == 0)
        column_say(c, in->pos, "nothing is printed: a call of 'vprintf' is left out, and gives 0");
    else if (*name == '%')
        parse_error(&c->p, in->pos,
                    "not supported: an indirect call, whose function is known only when the kernel runs");
    else
        parse_error(&c->p, in->pos, "not supported: a call of '%s', whose code is not in this file", name);
}

/* Refuses ld.const; if the variable has a name, its declaration says why. */
static void refuse_constant(struct column *c) {
    const struct ptx_operand *o = c->in->noperands > 1 ? &c->in->operands[1] : NULL;
    if (o && o->nparts == 1 && o->parts[0].kind == PTX_NAME && *o->parts[0].text != '%')
        lift_name(c, &o->parts[0]);
    parse_error(&c->p, c->in->pos, "not supported: a load of constant memory, which the host may set");
}

/* Returns the label list "L: .branchtargets A, B;" of this name; NULL: there is none. */
static const struct ptx_directive *find_targets(const struct column *c, const char *name) {
    int at = ptx_find_label(c->code, c->at, name);
    const struct ptx_statement *s = at >= 0 && at + 1 < c->code->n ? &c->code->statements[at + 1] : NULL;
    bool lists = s && s->kind == PTX_DIRECTIVE && strcmp(s->directive->tokens[0], "branchtargets") == 0;
    return lists ? s->directive : NULL;
}

/* Reads brx.idx i, L: a branch to label number i. Other numbers are undefined (PTX ISA, "brx.idx"). */
static void read_branches(struct column *c) {
    struct parser *p = &c->p;
    c->type = type_unsigned;
    struct expr *index = ptx_next_value(c);
    const struct ptx_operand *list = ptx_next(c, "a list of labels");
    if (p->panic) return;
    const struct ptx_directive *targets = find_targets(c, list->text);
    if (!targets) parse_error(p, list->pos, "'%s' is no list of labels: '.branchtargets'", list->text);
    if (c->in->guard) parse_error(p, c->in->pos, "not supported yet: a 'brx' with a predicate");
    unsigned n = 0;
    for (int k = 1; !p->panic && k < targets->n; k++) {
        if (strcmp(targets->tokens[k], ",") == 0) continue;
        struct expr *number = lift_number(p, list->pos, type_unsigned, n++);
        column_branch(c, targets->tokens[k], list->pos, expr_new(p, EXPR_EQ, list->pos, index, number));
    }
    read_break(c);
}

/* Reads match.any.sync.b64 d, a, m and match.all.sync.b64 d|p, a, m. Lanes match if both halves of their
 * values do. */
static void read_wide_match(struct column *c) {
    struct parser *p = &c->p;
    struct pos pos = c->in->pos;
    const struct ptx_operand *to = ptx_next(c, "a register");
    c->type = type_uint64;
    struct expr *value = ptx_next_value(c), *result = NULL;
    c->type = type_unsigned;
    struct expr *mask = ptx_next_value(c);
    if (p->panic) return;
    value = body_hold(p, value, pos);
    for (int k = 0; k < 2; k++) {
        struct op op = op_make(ptx_find_word(c->in, "all") > 0 ? WARP_MATCH_ALL : WARP_MATCH, pos);
        op.type = op.result = type_unsigned;
        op.value = formula_value(p, pos, &value, "u32(a >> %d)", 32 * k);
        op.mask = mask;
        struct expr *half = exchange_add(p, op);
        result = result ? expr_new(p, EXPR_AND, pos, result, half) : half;
    }
    int all = to->second ? ptx_predicate(c, to->second) : -1;
    if (all >= 0) body_set(p, all, expr_new(p, EXPR_NE, pos, result, expr_int(p, pos, 0)), pos);
    if (strcmp(to->text, "_") != 0) ptx_set(c, ptx_register(c, to), result);
}

/* Reads elect.sync d|p, mask: p is true in the lowest lane of the mask, and all get that lane's number. PTX
 * leaves open which lane is elected, except that it is always the same (PTX ISA, "elect.sync"). */
static void read_elect(struct column *c) {
    struct parser *p = &c->p;
    const struct ptx_operand *to = ptx_next(c, "a register and a predicate");
    const struct ptx_operand *o = to ? ptx_next(c, "a mask of lanes") : NULL;
    if (!o) return;
    c->type = type_unsigned;
    struct expr *mask = o->kind == PTX_NAME ? asm_settled(c, o) : ptx_value(c, o);
    uint64_t lanes = mask && mask->kind == EXPR_INT ? mask->value.lo & UINT32_MAX : 0;
    if (!to->second || !lanes) {
        parse_error(p, o->pos, "elect.sync gives 'd|p', and its mask is a number that is known, but 0");
        return;
    }
    int lane = 0;
    while (!(lanes >> lane & 1))
        lane++;
    column_say(c, c->in->pos,
               "elect.sync is taken to elect the lowest lane of its mask: PTX leaves open which one it is");
    struct expr *own = grid_special(p, "%laneid", o->pos);
    body_set(p, ptx_predicate(c, to->second),
             expr_new(p, EXPR_EQ, o->pos, own, lift_number(p, o->pos, type_unsigned, (uint64_t)lane)),
             o->pos);
    if (strcmp(to->text, "_") != 0)
        ptx_set(c, ptx_register(c, to), lift_number(p, o->pos, type_unsigned, (uint64_t)lane));
}

/* Cache policies have no meaning here. */
static void read_policy(struct column *c) {
    int reg = ptx_operands(c, "l", NULL);
    if (!c->p.panic) ptx_set(c, reg, lift_number(&c->p, c->in->pos, type_uint64, 0));
}

static void read_explicit(struct column *c) {
    int reg = ptx_operands(c, "p", NULL);
    const struct ptx_operand *from = ptx_next(c, "a special register");
    struct expr *value = from && !c->p.panic ? lift_name(c, from) : NULL;
    if (value) ptx_set(c, reg, value);
}

/* Reads add.cc and addc.cc r, a, b, and sub.cc and subc.cc: the sum or difference, and the carry or borrow of
 * the highest bit. */
static void read_carry(struct column *c) {
    struct parser *p = &c->p;
    struct pos pos = c->in->pos;
    struct lift_kernel *made = lift_reader_of(c)->made;
    bool adds = ptx_is(c->in, "add") || ptx_is(c->in, "addc"), carries = strchr(c->in->words[0].text, 'c');
    bool keeps = ptx_words_take(&c->words, c->in, "cc");
    const char *sum = adds ? "a + t(b)" : "a - t(b)", *over = adds ? "c < a" : "a < t(b)";
    c->type.sign = false;
    struct expr *v[5];
    int reg = ptx_operands(c, "ttt", v);
    if (p->panic) return;
    v[0] = body_hold(p, v[0], pos);
    v[1] = body_hold(p, v[1], pos);
    v[2] = body_hold(p, formula_value(p, pos, v, "%s", sum), pos);
    v[3] = body_hold(p, formula_value(p, pos, v, "%s", over), pos);
    if (made->carry < 0) made->carry = body_temporary(p, pos, type_int);
    if (carries) {
        v[0] = v[2];
        v[1] = body_value(p, made->carry, pos);
        v[2] = body_hold(p, formula_value(p, pos, v, "%s", sum), pos);
        v[3] = body_hold(p, formula_value(p, pos, v, "d || %s", over), pos);
    }
    if (keeps) body_set(p, made->carry, v[3], pos);
    ptx_set(c, reg, v[2]);
}

/* Reads mul.hi of 64 bits: the high half of the product, from products of 32-bit halves. For each negative
 * factor the other factor is subtracted from the high half. */
static void read_high_product(struct column *c) {
    struct parser *p = &c->p;
    struct pos pos = c->in->pos;
    const char *negative = c->type.sign ? " - (a >> 63) * b - (b >> 63) * a" : "";
    struct expr *v[4];
    int reg = ptx_operands(c, "lll", v);
    if (p->panic) return;
    v[0] = body_hold(p, v[0], pos);
    v[1] = body_hold(p, v[1], pos);
    /* the products that begin at bit 32, with the carry of the low halves' product */
    v[2] = formula_value(p, pos, v,
                         "(a >> 32) * (b & 0xffffffff) + ((a & 0xffffffff) * (b & 0xffffffff) >> 32)");
    v[2] = body_hold(p, v[2], pos);
    v[3] = body_hold(p, formula_value(p, pos, v, "(a & 0xffffffff) * (b >> 32) + (c & 0xffffffff)"), pos);
    ptx_set(c, reg, formula_value(p, pos, v, "(a >> 32) * (b >> 32) + (c >> 32) + (d >> 32)%s", negative));
}

/* Instructions that are read otherwise than in an asm statement. The first row that fits is taken. */
static const struct {
    const char *opcode, *word; /* NULL: any */
    void (*read)(struct column *c);
} instructions[] = {
    {"ld", "param", lift_load_parameter},
    {"ld", "param::func", lift_load_parameter},
    {"st", "param", lift_store_parameter},
    {"st", "param::func", lift_store_parameter},
    {"st", "local", lift_read_local},
    {"ld", "local", lift_read_local},
    {"call", NULL, read_call},
    {"brkpt", NULL, read_break},
    {"cvta", NULL, lift_convert_address},
    {"ret", NULL, lift_return},
    {"exit", NULL, ptx_exit},
    {"elect", "sync", read_elect},
    {"match", "b64", read_wide_match},
    {"brx", "idx", read_branches},
    {"ld", "const", refuse_constant},
    {"ld", "param::entry", lift_load_parameter},
    {"isspacep", NULL, lift_ask_space},
    {"createpolicy", NULL, read_policy},
    {"add", "cc", read_carry},
    {"sub", "cc", read_carry},
    {"addc", NULL, read_carry},
    {"subc", NULL, read_carry},
};

/* Whether an instruction means nothing to the memory that threads share. */
static bool means_nothing(const struct ptx_instruction *in) {
    static const char *const opcodes[] = {"prefetch", "prefetchu", "discard",   "applypriority",
                                          "pmevent",  "nanosleep", "setmaxnreg"};
    for (size_t k = 0; k < sizeof opcodes / sizeof *opcodes; k++)
        if (ptx_is(in, opcodes[k])) return true;
    return false;
}

/* mov.pred p, %is_explicit_cluster */
static bool asks_for_clusters(const struct ptx_instruction *in) {
    return ptx_is(in, "mov") && in->noperands == 2 && in->operands[1].kind == PTX_NAME &&
           strcmp(in->operands[1].text, "%is_explicit_cluster") == 0;
}

static bool is_high_product(const struct column *c) {
    return ptx_is(c->in, "mul") && ptx_find_word(c->in, "hi") > 0 && c->type.bits == 64;
}

bool lift_instruction(struct column *c) {
    if (means_nothing(c->in)) return true;
    if (asks_for_clusters(c->in) || is_high_product(c)) {
        if (ptx_is(c->in, "mov"))
            read_explicit(c);
        else
            read_high_product(c);
        return true;
    }
    for (size_t k = 0; k < sizeof instructions / sizeof *instructions; k++) {
        const char *word = instructions[k].word;
        if (!ptx_is(c->in, instructions[k].opcode) || (word && ptx_find_word(c->in, word) < 0)) continue;
        instructions[k].read(c);
        return true;
    }
    return false;
}
