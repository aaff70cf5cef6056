/* The instructions of an asm statement, which are read as those of a table's column are: what they read and write.
 * Registers have types here, and an address is an operand. */
#include <string.h>

#include "litmus/name.h"
#include "lower/ptx.h"

/* ---- registers that the text declares ---- */

static const struct asm_register *find_register(const struct column *c, const char *name) {
    for (int k = c->block->nregisters - 1; k >= 0; k--)
        if (strcmp(c->block->registers[k].name, name) == 0) return &c->block->registers[k];
    return NULL;
}

static void declare(struct column *c, const struct token *name, struct type type, bool predicate) {
    struct asm_block *b = c->block;
    if (b->nregisters == ASM_MAX_REGISTERS) {
        parse_error(&c->p, name->pos, "an asm declares at most %d registers", ASM_MAX_REGISTERS);
        return;
    }
    int reg = body_temporary(&c->p, name->pos, type);
    b->registers[b->nregisters++] = (struct asm_register){name->text, reg, predicate};
}

/* .reg .u32 a, b; */
static void read_declaration(struct column *c) {
    struct parser *p = &c->p;
    const struct token *word = parse_next(p);
    struct type type = type_int;
    if (strcmp(word->text, "reg") != 0) parse_error(p, word->pos, "'.%s' is not supported yet", word->text);
    parse_expect(p, '.', "'.' and a type");
    const struct token *t = p->tok;
    if (!parse_expect(p, TOK_NAME, "a type")) return;
    bool predicate = strcmp(t->text, "pred") == 0;
    if (!predicate && !type_find_ptx(t->text, &type)) parse_error(p, t->pos, "'.%s' is no type", t->text);
    do {
        parse_accept(p, '%');
        const struct token *name = p->tok;
        if (parse_expect(p, TOK_NAME, "the name of a register")) declare(c, name, type, predicate);
    } while (parse_accept(p, ','));
}

/* ---- operands ---- */

/* %k; NULL, and an error, where there is none. */
static const struct asm_operand *read_operand(struct column *c) {
    struct parser *p = &c->p;
    const struct token *percent = parse_next(p), *t = p->tok;
    if (t->kind == TOK_NAME) {
        static const char of_grid[] = "for a thread of a grid: {grid: 1, block: 4, body: ...}";
        static const char *const specials[] = {"tid", "ctaid", "ntid", "nctaid", "laneid"};
        const char *refusal = name_refusal(t->text);
        for (size_t k = 0; k < sizeof specials / sizeof *specials && !p->body->grid; k++)
            if (strcmp(specials[k], t->text) == 0) refusal = of_grid;
        parse_error(p, t->pos, "'%%%s' is %s", t->text,
                    refusal ? refusal : "neither declared in this asm nor supported yet");
        return NULL;
    }
    if (!parse_expect(p, TOK_INT, "the number of an operand")) return NULL;
    long long k = token_number(t);
    if (k >= 0 && k < c->block->noperands) return &c->block->operands[k];
    struct pos pos = percent->pos;
    if (t->pos.line == pos.line) pos.len = t->pos.col + t->pos.len - pos.col;
    parse_error(p, pos, "this asm has no operand %%%s: it has %d", t->text, c->block->noperands);
    return NULL;
}

static bool at_declared(const struct column *c) {
    const struct token *t = c->p.tok;
    if (t->kind == '%') t++;
    return t->kind == TOK_NAME && find_register(c, t->text);
}

static const struct asm_register *read_declared(struct column *c) {
    parse_accept(&c->p, '%');
    return find_register(c, parse_next(&c->p)->text);
}

/* Complains where a register is not as wide as the instruction's type. A load or a store of 8 or 16 bits takes one
 * that is wider (PTX ISA, "Operand Size Exceeding Instruction-Type Size"). */
static void check_width(struct column *c, struct pos pos, const char *name, struct type have) {
    struct type want = type_lane(c->type);
    int bits = want.bits == 1 ? 8 : want.bits;
    bool wider = c->memory && bits <= 16 && have.bits >= bits && !have.real;
    if (wider || (have.bits == bits && have.real == want.real)) return;
    if (have.bits == bits)
        parse_error(&c->p, pos, "%s is %s, and the instruction's type is %s", name,
                    have.real ? "a float" : "an integer", want.real ? "a float" : "an integer");
    else
        parse_error(&c->p, pos, "%s has %d bits, and the instruction's type %d", name, have.bits, bits);
}

static const char *operand_name(struct column *c, const struct asm_operand *o) {
    return arena_printf(c->p.arena, "operand %%%d", (int)(o - c->block->operands));
}

int asm_register(struct column *c, bool predicate) {
    struct parser *p = &c->p;
    const struct token *t = p->tok;
    if (at_declared(c)) {
        const struct asm_register *r = read_declared(c);
        if (r->predicate != predicate)
            parse_error(p, t->pos, "register '%s' is %s", r->name,
                        r->predicate ? "a predicate" : "no predicate");
        else if (!predicate)
            check_width(c, t->pos, arena_printf(p->arena, "register '%s'", r->name),
                        p->body->regs[r->reg].type);
        return r->reg;
    }
    if (parse_peek(p) != '%') {
        if (parse_peek(p) == TOK_NAME)
            parse_error(p, t->pos, "register '%s' is not declared in this asm", t->text);
        else
            parse_expect(p, '%', "a register or an operand, as in %0");
        return 0;
    }
    const struct asm_operand *o = read_operand(c);
    if (!o) return 0;
    if (predicate)
        parse_error(p, t->pos, "%s is no predicate", operand_name(c, o));
    else if (!o->written)
        parse_error(p, t->pos, "%s is an input: it cannot be written", operand_name(c, o));
    else if (o->reg >= 0)
        check_width(c, t->pos, operand_name(c, o), p->body->regs[o->reg].type);
    if (o->reg >= 0) return o->reg;
    p->panic = true; /* what is wrong with it has been said */
    return 0;
}

/* The value of a number, which has 64 bits. */
static struct expr *read_literal(struct column *c) {
    struct parser *p = &c->p;
    const struct token *t = p->tok;
    bool minus = parse_accept(p, '-');
    const struct token *number = p->tok;
    struct expr *e = expr_int(p, t->pos, 0);
    if (!parse_expect(p, TOK_INT, "a register, an operand or a number")) return e;
    e->type = number->type;
    e->value = number->value;
    if (number->type.bits > 64) parse_complain(p, number->pos, "%s does not fit into 64 bits", number->text);
    return minus ? expr_new(p, EXPR_NEG, t->pos, e, NULL) : e;
}

/* A scalar as it is. */
static struct expr *read_scalar(struct column *c) {
    struct parser *p = &c->p;
    const struct token *t = p->tok;
    if (at_declared(c)) {
        const struct asm_register *r = read_declared(c);
        if (r->predicate) parse_error(p, t->pos, "register '%s' is a predicate", r->name);
        check_width(c, t->pos, arena_printf(p->arena, "register '%s'", r->name), p->body->regs[r->reg].type);
        return body_value(p, r->reg, t->pos);
    }
    if (parse_peek(p) == TOK_NAME)
        parse_error(p, t->pos, "register '%s' is not declared in this asm", t->text);
    if (parse_peek(p) != '%') return read_literal(c);
    struct expr *special = grid_special(p);
    if (special) {
        check_width(c, t->pos, "a special register", special->type);
        return special;
    }
    const struct asm_operand *o = read_operand(c);
    if (!o) return expr_int(p, t->pos, 0);
    if (o->is_address)
        parse_error(p, t->pos, "%s is an address: what is there is accessed as [%%%d]", operand_name(c, o),
                    (int)(o - c->block->operands));
    if (p->panic || (o->written && o->reg < 0)) return expr_int(p, t->pos, 0);
    struct expr *e = o->written ? body_value(p, o->reg, t->pos) : o->value;
    if (o->letter != 'n') check_width(c, t->pos, operand_name(c, o), e->type);
    return e;
}

static struct expr *read_converted(struct column *c) {
    struct expr *e = read_scalar(c);
    return c->p.panic ? expr_int(&c->p, e->pos, 0) : expr_cast(&c->p, e, type_lane(c->type));
}

struct expr *asm_value(struct column *c) {
    return ptx_lanes(c, read_converted);
}

struct expr *asm_predicate(struct column *c) {
    const struct token *t = c->p.tok;
    if (at_declared(c)) {
        const struct asm_register *r = read_declared(c);
        if (!r->predicate) parse_error(&c->p, t->pos, "register '%s' is no predicate", r->name);
        return body_value(&c->p, r->reg, t->pos);
    }
    parse_error(&c->p, t->pos, "expected a predicate: .reg .pred p;");
    return expr_int(&c->p, t->pos, 0);
}

int asm_number(struct column *c, const char *what, int max) {
    struct parser *p = &c->p;
    const struct token *t = p->tok;
    const struct asm_operand *o = parse_peek(p) == '%' ? read_operand(c) : NULL;
    struct expr *e = o && o->value ? body_fold(p, o->value) : o || p->panic ? NULL : read_literal(c);
    if (!e || e->kind != EXPR_INT) {
        parse_error(p, t->pos, "%s is a number that is known when this is compiled", what);
        return 0;
    }
    long long n = expr_number(e, NULL);
    if (n < 0 || n > max) parse_complain(p, t->pos, "%lld is out of range: at most %d", n, max);
    return n < 0 || n > max ? 0 : (int)n;
}

/* ---- loads and atomic operations ---- */

struct asm_targets asm_targets(struct column *c) {
    struct parser *p = &c->p;
    struct asm_targets to = {.pos = p->tok->pos};
    bool braces = parse_accept(p, '{');
    do {
        c->memory = true;
        c->type.lanes = 1;
        to.regs[to.n++] = asm_register(c, false);
    } while (braces && to.n < 4 && parse_accept(p, ','));
    if (braces) parse_expect(p, '}', "'}'");
    return to;
}

void asm_set_targets(struct column *c, const struct asm_targets *to, struct expr *value) {
    struct parser *p = &c->p;
    struct type type = value->type;
    if (to->n != type.lanes) {
        parse_error(p, to->pos, "expected %d register%s here: one an element of %s", type.lanes,
                    type.lanes == 1 ? "" : "s", type_name(type));
        return;
    }
    for (int k = 0; k < to->n; k++) {
        struct expr *lane = to->n > 1 ? expr_lane(p, to->pos, value, k) : value;
        body_set(p, to->regs[k], expr_cast(p, lane, p->body->regs[to->regs[k]].type), to->pos);
    }
}

/* ---- addresses ---- */

void asm_add_bytes(struct parser *p, struct place *place, struct pos pos, long long bytes) {
    const struct location *l = &p->test->locs[place->loc];
    int size = type_bytes(l->type);
    long long n = bytes / size;
    struct expr *index = place->index;
    if (!l->array)
        parse_error(p, pos, "'%s' is not an array", l->name);
    else if (bytes % size)
        parse_error(p, pos, "%lld bytes are no multiple of %d, the size of an element of '%s'", bytes, size,
                    l->name);
    else if (n < -TEST_MAX_ELEMENTS || n > TEST_MAX_ELEMENTS)
        parse_error(p, pos, "'%s' has %d element%s of %d bytes", l->name, l->count, l->count == 1 ? "" : "s",
                    size);
    else if (index->kind == EXPR_INT)
        place->index = expr_int(p, place->pos, (int)(expr_number(index, NULL) + n));
    else
        place->index = expr_new(p, EXPR_ADD, place->pos, index, expr_int(p, place->pos, (int)n));
}

/* + bytes, behind the operand of an address. */
static void read_offset(struct column *c, struct place *place) {
    struct parser *p = &c->p;
    const struct token *sign = p->tok;
    if (!parse_accept(p, '+') && parse_peek(p) != '-') return;
    long long bytes = expr_number(read_literal(c), NULL);
    if (!p->panic && place->loc >= 0 && bytes != 0) asm_add_bytes(p, place, sign->pos, bytes);
}

/* [%k + offset] */
static struct place read_address(struct column *c, const struct asm_operand **operand) {
    struct parser *p = &c->p;
    struct place none = {.loc = -1, .pos = p->tok->pos};
    *operand = NULL;
    parse_expect(p, '[', "'[' and an address, as in [%0]");
    const struct token *t = p->tok;
    if (parse_peek(p) != '%') {
        parse_error(p, t->pos, "expected an operand that is an address, as in [%%0]");
        return none;
    }
    const struct asm_operand *o = read_operand(c);
    if (!o) return none;
    if (!o->is_address) {
        parse_error(p, t->pos, "%s is no address of a location", operand_name(c, o));
        return none;
    }
    struct place place = o->place;
    read_offset(c, &place);
    parse_expect(p, ']', "']'");
    *operand = o;
    return place;
}

/* Complains where the space is not that of the place, which `o` is. */
static void check_space(struct column *c, struct pos pos, bool shared, const struct asm_operand *o) {
    struct parser *p = &c->p;
    if (p->panic || !o || o->place.loc < 0) return;
    const struct location *l = &p->test->locs[o->place.loc];
    if (shared != (l->space == SPACE_SHARED))
        parse_error(p, pos, "'%s' is in %s memory", l->name, space_name(l->space));
    else if (shared && !o->window)
        parse_error(p, pos, "an address in shared memory is __cvta_generic_to_shared(&%s)", l->name);
}

struct place asm_place(struct column *c, bool shared) {
    const struct asm_operand *o;
    struct pos pos = c->p.tok->pos;
    struct place place = read_address(c, &o);
    check_space(c, pos, shared, o);
    return place;
}

struct place asm_address(struct column *c, struct instruction *in) {
    static const char *const shared[] = {"shared", "shared::cta", "shared::cluster"};
    const struct asm_operand *o;
    const struct token *word = ptx_take(in, "global");
    bool is_shared = !word;
    for (size_t k = 0; k < sizeof shared / sizeof *shared && !word; k++)
        word = ptx_take(in, shared[k]);
    struct place place = read_address(c, &o);
    if (word)
        check_space(c, word->pos, is_shared, o);
    else if (o && o->window)
        parse_error(&c->p, in->words[0]->pos,
                    "'%s' without '.shared' takes no address of __cvta_generic_to_shared()",
                    in->words[0]->text);
    return place;
}

/* What the instruction's type is, that the location's is not; or NULL. */
static const char *type_problem(struct column *c, const struct instruction *in, const struct op *op,
                                struct type there) {
    int bits = there.bits == 1 ? 8 : there.bits;
    bool bare = ptx_is_type(in, "b");
    if (c->type.bits != bits || in->lanes != there.lanes || (!bare && c->type.real != there.real))
        return arena_printf(c->p.arena, "this is an access to %s%s, and",
                            in->lanes == 1   ? ""
                            : in->lanes == 2 ? "v2."
                                             : "v4.",
                            in->type->text);
    if (op_rows[op->name].types == TYPES_ORDERED && (bare || c->type.sign != there.sign))
        return arena_printf(c->p.arena, "'%s.%s' depends on the sign, and", op_rows[op->name].word,
                            in->type->text);
    return NULL;
}

void asm_check_type(struct column *c, const struct instruction *in, struct op *op) {
    struct parser *p = &c->p;
    if (!in->type) parse_error(p, in->words[in->n - 1]->after, "expected a type: .u32, .u64, ...");
    if (!in->type || p->panic || op->place[0].loc < 0) return;
    const struct location *l = &p->test->locs[op->place[0].loc];
    const char *problem = type_problem(c, in, op, l->type);
    const char *needs = op->kind == OP_RMW ? op_needs(op_rows[op->name].types, l->type) : NULL;
    struct type type = {.bits = c->type.bits, .lanes = (uint8_t)in->lanes, .real = c->type.real};
    if (problem)
        parse_error(p, in->type->pos, "%s '%s' is of type %s%s", problem, l->name, type_name(l->type),
                    pointer_suggest_view(p, l, type));
    else if (needs)
        parse_error(p, in->words[0]->pos, "'%s' needs a location of %s, and '%s' is of type %s",
                    op_rows[op->name].word, needs, l->name, type_name(l->type));
    else if (op_rows[op->name].cache && l->space == SPACE_SHARED)
        parse_error(p, in->words[0]->pos,
                    "'.%s' is of an access to global memory, and '%s' is in shared memory",
                    op_rows[op->name].cache, l->name);
    op->type = c->type = l->type;
    c->memory = true;
}

/* ---- the text ---- */

/* Skips to the next instruction. */
static void recover(struct parser *p) {
    if (!p->panic) return;
    p->panic = false;
    while (p->tok->kind != TOK_END && p->tok->kind != ';')
        p->tok++;
}

static void read_one(struct column *c) {
    struct parser *p = &c->p;
    if (parse_accept(p, '.'))
        read_declaration(c);
    else
        ptx_statement(c);
    recover(p);
    if (p->tok->kind != TOK_END) parse_expect(p, ';', "';'");
    recover(p);
}

/* Instructions; those in braces have registers of their own. */
static void read_list(struct column *c) {
    struct parser *p = &c->p;
    int nregisters = c->block->nregisters;
    if (!parse_enter(p)) return;
    while (p->tok->kind != TOK_END && p->tok->kind != '}') {
        if (parse_accept(p, '{')) {
            read_list(c);
            parse_expect(p, '}', "'}'");
        } else if (parse_peek(p) == TOK_NAME && p->tok[1].kind == ':') {
            ptx_label(c);
        } else if (!parse_accept(p, ';')) {
            read_one(c);
        }
    }
    c->block->nregisters = nregisters;
    parse_leave(p);
}

void asm_read_text(struct parser *p, struct asm_block *block, const struct snippet *text) {
    struct column *c = arena_alloc(p->arena, sizeof *c);
    size_t errors = p->diag->errors;
    const struct token *behind = p->tok, *first = p->first;
    c->p = *p;
    c->block = block;
    c->p.tok = c->p.first = lex(p->arena, p->source, text, p->diag);
    if (p->diag->errors == errors) {
        struct stmts before = stmts_capture(&c->p);
        read_list(c);
        if (c->p.tok->kind == '}') parse_complain(&c->p, c->p.tok->pos, "'}' without '{'");
        ptx_finish_labels(c, "this asm");
        if (c->nlabels && p->diag->errors == errors) ptx_check_ends(c, "this asm");
        stmts_append(&c->p, stmts_restore(&c->p, before));
    }
    *p = c->p;
    p->tok = behind;
    p->first = first;
    p->panic = false;
}
