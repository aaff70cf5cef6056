#include "litmus/parse.h"

/* The binary operators; a larger level binds tighter. */
static const struct binary {
    int token;
    enum expr_kind kind;
    int level;
} binaries[] = {
    {'*', EXPR_MUL, 10},      {'/', EXPR_DIV, 10},    {'%', EXPR_MOD, 10},    {'+', EXPR_ADD, 9},
    {'-', EXPR_SUB, 9},       {TOK_SHL, EXPR_SHL, 8}, {TOK_SHR, EXPR_SHR, 8}, {'<', EXPR_LT, 7},
    {TOK_LE, EXPR_LE, 7},     {'>', EXPR_GT, 7},      {TOK_GE, EXPR_GE, 7},   {TOK_EQ, EXPR_EQ, 6},
    {TOK_NE, EXPR_NE, 6},     {'&', EXPR_AND, 5},     {'^', EXPR_XOR, 4},     {'|', EXPR_OR, 3},
    {TOK_LAND, EXPR_LAND, 2}, {TOK_LOR, EXPR_LOR, 1},
};

static const struct binary *find_binary(int token) {
    for (size_t i = 0; i < sizeof binaries / sizeof *binaries; i++)
        if (binaries[i].token == token) return &binaries[i];
    return NULL;
}

static struct expr *parse_binary(struct parser *p, int level);
static struct expr *parse_unary(struct parser *p);

/* r =, r += or v.x = */
static bool at_assignment(const struct parser *p) {
    if (!p->body || parse_peek(p) != TOK_NAME) return false;
    const struct token *t = p->tok + 1;
    for (int depth = 0; registers_find(p, p->tok) && (t->kind == '[' || depth > 0); t++) {
        if (t->kind == TOK_END) return false;
        depth += (t->kind == '[') - (t->kind == ']');
    }
    if (t->kind == '.' && t[1].kind == TOK_NAME) t += 2;
    int set = t->kind;
    return set == '=' || (set != TOK_INC && set != TOK_DEC && target_find_compound(set));
}

struct expr *parse_assigned(struct parser *p) {
    if (!at_assignment(p) || !parse_enter(p)) return parse_expression(p);
    const struct token *name = p->tok;
    struct assignment_target target;
    bool known = target_parse(p, &target);
    const struct token *set = parse_next(p);
    struct expr *value = parse_assigned(p);
    parse_leave(p);
    if (!known) return value;
    if (target.reg < 0) {
        parse_error(p, set->pos, "only a register can be assigned inside an expression");
        return value;
    }
    target_assign(p, &target, target_find_compound(set->kind), value, name->pos);
    body_read(p, target.reg, name->pos);
    return target_value(p, &target, name->pos);
}

static struct expr *parse_primary(struct parser *p) {
    const struct token *t = p->tok;
    if (++p->terms > MAX_TERMS) parse_error(p, t->pos, "an expression has at most %d terms", MAX_TERMS);
    if (p->body && function_qualified(p)) return function_value(p);
    if (parse_skip_global(p)) t = p->tok;
    if (pointer_leads(p)) return access_load(p, pointer_place(p));
    switch (parse_peek(p)) {
    case TOK_INT: {
        parse_next(p);
        struct expr *e = expr_new(p, EXPR_INT, t->pos, NULL, NULL);
        e->type = t->type;
        e->value = t->value;
        if (!p->body || t->type.bits <= 64) return e;
        parse_complain(p, t->pos, "%s does not fit into 64 bits", t->text);
        return expr_int(p, t->pos, 0);
    }
    case TOK_NAME: return p->operand(p);
    case '(': {
        parse_next(p);
        struct expr *e = parse_assigned(p);
        parse_expect(p, ')', "')'");
        return e;
    }
    }
    if (p->tok->kind == TOK_END)
        parse_expect(p, TOK_NAME, "a value");
    else if (p->body && t->kind == '[')
        parse_error(p, t->pos, "a lambda is not supported yet: its lines stand where it is called");
    else
        parse_error(p, t->pos, "expected a value, not '%s'%s", t->text, parse_hint(p));
    return expr_int(p, t->pos, 0);
}

static bool at_step(const struct parser *p) {
    return parse_peek(p) == TOK_INC || parse_peek(p) == TOK_DEC;
}

static void reject_step(struct parser *p) {
    parse_error(p, p->tok->pos, "'%s' is for a register, a location or an atomic_ref", p->tok->text);
}

/* The register that the token names, or -1. */
static int named_register(const struct parser *p, const struct token *t) {
    return p->body && t->kind == TOK_NAME ? body_find(p, t->text) : -1;
}

/* The register whose value `e` the tokens before `sign` are, or -1. */
static int read_register(const struct parser *p, const struct expr *e, const struct token *sign) {
    bool element = p->body && sign[-1].kind == ']' && e->kind == EXPR_REG && p->locals[e->index].declared;
    return element ? e->index : named_register(p, sign - 1);
}

/* reg = reg + 1 or reg - 1 */
static void step(struct parser *p, int reg, const struct token *sign) {
    enum expr_kind kind = sign->kind == TOK_INC ? EXPR_ADD : EXPR_SUB;
    struct expr *one = expr_int(p, sign->pos, 1);
    body_check_constant(p, reg, sign->pos);
    body_set(p, reg, expr_new(p, kind, sign->pos, body_read(p, reg, sign->pos), one), sign->pos);
}

/* The place that a load has just read, whose value `e` is; of no location, none. */
static struct place loaded_place(const struct parser *p, const struct expr *e) {
    const struct stmt *last = p->body ? p->out.last : NULL;
    const struct op *op = last && last->kind == STMT_OP ? last->op : NULL;
    bool loads = op && op->name == LOAD_PLAIN && e->kind == EXPR_REG && op->dst == e->index;
    return loads ? (struct place){.loc = op->loc, .index = op->index, .pos = op->pos, .order = op->order}
                 : (struct place){.loc = -1};
}

/* X = X + 1, where X was loaded. */
static struct expr *step_place(struct parser *p, struct place place, struct expr *old,
                               const struct token *sign) {
    enum expr_kind kind = sign->kind == TOK_INC ? EXPR_ADD : EXPR_SUB;
    struct expr *next = expr_new(p, kind, sign->pos, old, expr_int(p, sign->pos, 1));
    access_store(p, place, next, sign->pos);
    return expr_cast(p, next, old->type);
}

/* ++r */
static struct expr *parse_step(struct parser *p) {
    const struct token *sign = p->tok, *name = sign + 1;
    const struct reference *ref = p->body && name->kind == TOK_NAME ? atomic_find(p, name->text) : NULL;
    int reg = named_register(p, name);
    if (ref) return atomic_operand(p, ref);
    struct assignment_target target;
    parse_next(p);
    if (reg < 0) {
        if (!p->body || !target_parse(p, &target)) return expr_int(p, sign->pos, 0);
        if (target.reg >= 0) {
            target_assign(p, &target, target_find_compound(sign->kind), expr_int(p, sign->pos, 1), sign->pos);
            return target_value(p, &target, name->pos);
        }
        stmts_append(p, target.index);
        return step_place(p, target.place, access_load(p, target.place), sign);
    }
    parse_next(p);
    body_check_alias(p, name);
    step(p, reg, sign);
    return body_value(p, reg, name->pos);
}

/* r++, whose r was read: it was the token before. */
static struct expr *parse_step_behind(struct parser *p, struct expr *e) {
    const struct token *sign = p->tok, *name = sign - 1;
    int reg = read_register(p, e, sign);
    struct place place = loaded_place(p, e);
    if (place.loc >= 0) {
        parse_next(p);
        step_place(p, place, e, sign);
        return e;
    }
    if (reg < 0 || e->kind != EXPR_REG || e->index != reg) {
        reject_step(p);
        return e;
    }
    int old = body_temporary(p, name->pos, e->type);
    parse_next(p);
    body_set(p, old, e, name->pos);
    body_check_alias(p, name);
    step(p, reg, sign);
    return body_value(p, old, name->pos);
}

/* .x behind a vector. */
static struct expr *parse_lane(struct parser *p, struct expr *e) {
    const struct token *dot = parse_next(p), *name = p->tok;
    if (!parse_expect(p, TOK_NAME, "x, y, z or w")) return e;
    int lane = type_find_lane(e->type, name->text);
    if (lane >= 0) return expr_lane(p, name->pos, e, lane);
    if (!type_is_vector(e->type))
        parse_error(p, dot->pos, "'.%s' is for vectors: this is of type %s", name->text, type_name(e->type));
    else
        parse_error(p, name->pos, "%s has no '%s': its elements are %s", type_name(e->type), name->text,
                    e->type.lanes == 2 ? "x and y" : "x, y, z and w");
    return e;
}

/* (type), but not (type(value) + 1) */
static bool at_cast(const struct parser *p) {
    const struct token *t = p->tok + 1;
    if (parse_peek(p) != '(' || !parse_type_begins(p, t)) return false;
    while (token_is_word(t, "const"))
        t++;
    if (!type_is_word(t->text)) t++;
    while (t->kind == TOK_NAME && (token_is_word(t, "const") || type_is_word(t->text)))
        t++;
    return t->kind != '(' && t->kind != '{' && t->kind != '&';
}

/* (type) operand */
static struct expr *parse_cast(struct parser *p) {
    const struct token *open = parse_next(p);
    bool constant;
    struct type type = parse_type(p, &constant);
    parse_expect(p, ')', "')'");
    struct expr *e = parse_unary(p);
    e = expr_cast(p, e, type);
    e->pos = open->pos;
    return e;
}

static struct expr *parse_signed(struct parser *p) {
    const struct token *t = parse_next(p);
    struct expr *e = parse_unary(p);
    switch (t->kind) {
    case '-': return expr_new(p, EXPR_NEG, t->pos, e, NULL);
    case '!': return expr_new(p, EXPR_NOT, t->pos, e, NULL);
    case '~': return expr_new(p, EXPR_COMPL, t->pos, e, NULL);
    }
    return expr_scalar(p, e, "'+'");
}

static struct expr *parse_postfix(struct parser *p) {
    struct expr *e = parse_primary(p);
    while (parse_peek(p) == '.')
        e = parse_lane(p, e);
    return at_step(p) ? parse_step_behind(p, e) : e;
}

static struct expr *parse_unary(struct parser *p) {
    const struct token *t = p->tok;
    if (at_step(p)) return parse_step(p);
    if (pointer_report_cast(p)) return expr_int(p, t->pos, 0);
    int token = parse_peek(p);
    if (!parse_enter(p)) return expr_int(p, t->pos, 0);
    struct expr *e = token == '+' || token == '-' || token == '!' || token == '~' ? parse_signed(p)
                     : at_cast(p)                                                 ? parse_cast(p)
                                                                                  : parse_postfix(p);
    parse_leave(p);
    return e;
}

/* Adds the statement `if (value) then else orelse`. */
static void add_if(struct parser *p, struct pos pos, struct expr *value, struct stmts then,
                   struct stmts orelse) {
    struct stmt *s = stmt_add(p, STMT_IF, pos);
    s->value = value;
    s->body = then.first;
    s->orelse = orelse.first;
}

/* a && b or a || b, whose right side is read next. When b touches memory:
 * t = a != 0; if (t) { accesses of b; t = b != 0; } */
static struct expr *parse_logic(struct parser *p, const struct binary *op, struct expr *a, struct pos pos) {
    struct stmts old = stmts_capture(p);
    guard_begin(p, a, op->kind == EXPR_LAND);
    struct expr *b = parse_binary(p, op->level + 1);
    guard_end(p);
    struct stmts side = stmts_restore(p, old);
    if (!side.first) return expr_new(p, op->kind, pos, a, b);

    int t = body_temporary(p, pos, type_int);
    struct expr *zero = expr_int(p, pos, 0);
    body_set(p, t, expr_new(p, EXPR_NE, pos, a, zero), pos);
    old = stmts_capture(p);
    stmts_append(p, side);
    body_set(p, t, expr_new(p, EXPR_NE, pos, b, zero), pos);
    struct stmts then = stmts_restore(p, old);
    struct expr *value = body_value(p, t, pos);
    if (op->kind == EXPR_LOR) value = expr_new(p, EXPR_NOT, pos, value, NULL);
    add_if(p, pos, value, then, (struct stmts){0});
    return body_value(p, t, pos);
}

static struct expr *parse_binary(struct parser *p, int level) {
    struct expr *a = parse_unary(p);
    for (;;) {
        const struct token *t = p->tok;
        const struct binary *op = find_binary(parse_peek(p));
        if (!op || op->level < level) return a;
        parse_next(p);
        if (op->kind == EXPR_LAND || op->kind == EXPR_LOR) {
            a = parse_logic(p, op, a, t->pos);
            continue;
        }
        struct expr *b = parse_binary(p, op->level + 1);
        bool divides = op->kind == EXPR_DIV || op->kind == EXPR_MOD;
        if (divides && expr_is_zero(b) && !b->type.real) parse_complain(p, t->pos, "division by zero");
        a = expr_new(p, op->kind, t->pos, a, b);
    }
}

/* a ? b : c, from behind the '?'. When b or c touch memory: if (a) { t = b; } else { t = c; } */
static struct expr *parse_choice(struct parser *p, struct expr *a, struct pos pos) {
    struct stmts old = stmts_capture(p);
    guard_begin(p, a, true);
    struct expr *b = parse_expression(p);
    guard_end(p);
    struct stmts then = stmts_restore(p, old);
    parse_expect(p, ':', "':'");
    old = stmts_capture(p);
    guard_begin(p, a, false);
    struct expr *c = parse_expression(p);
    guard_end(p);
    struct stmts orelse = stmts_restore(p, old);
    struct expr *e = expr_choice(p, pos, a, b, c);
    if (!then.first && !orelse.first) return e;
    int t = body_temporary(p, pos, e->type);
    old = stmts_capture(p);
    stmts_append(p, then);
    body_set(p, t, b, pos);
    then = stmts_restore(p, old);
    old = stmts_capture(p);
    stmts_append(p, orelse);
    body_set(p, t, c, pos);
    orelse = stmts_restore(p, old);
    add_if(p, pos, e->a, then, orelse);
    return body_value(p, t, pos);
}

struct expr *parse_expression(struct parser *p) {
    const struct token *t = p->tok;
    if (!parse_enter(p)) return expr_int(p, t->pos, 0);
    struct expr *e = parse_binary(p, 1);
    const struct token *question = p->tok;
    if (parse_accept(p, '?')) e = parse_choice(p, e, question->pos);
    parse_leave(p);
    return e;
}
