/* What the instructions of a table's column read and write: registers, numbers, locations. Those of an asm statement are
 * in asm_ptx.c.
 *
 * A register has the type of the instruction that names it first. Integers of 32 bits are signed: instructions that
 * depend on the sign take care of that. */
#include "lower/ptx.h"

#include <limits.h>
#include <string.h>

#include "litmus/name.h"

void ptx_comma(struct column *c) {
    parse_expect(&c->p, ',', "','");
}

/* ---- registers ---- */

/* A register of which only its initial value is known gets the size of the first instruction that names it. */
static void settle(struct column *c, int reg, struct type type) {
    for (int i = 0; i < c->ninitials; i++) {
        struct initial *initial = &c->initials[i];
        if (initial->reg != reg || initial->settled) continue;
        initial->settled = true;
        c->p.body->regs[reg].type = type.bits > 32 ? type : type_int;
    }
}

/* The register that a name stands for; a new one where it is not known. */
int ptx_find_register(struct column *c, const struct token *t) {
    struct type type = type_lane(c->type);
    int reg = body_find(&c->p, t->text);
    if (reg >= 0) settle(c, reg, type);
    return reg >= 0 ? reg : body_declare(&c->p, t, type.bits > 32 ? type : type_int);
}

struct alias *ptx_alias_of(struct column *c, const char *reg) {
    for (int i = 0; i < c->naliases; i++)
        if (strcmp(c->aliases[i].reg, reg) == 0) return &c->aliases[i];
    return NULL;
}

/* The name of a register that holds no address; `problem` says why it must not. */
static const struct token *register_name(struct column *c, const char *problem) {
    struct parser *p = &c->p;
    parse_accept(p, '%');
    const struct token *t = p->tok;
    if (!parse_expect(p, TOK_NAME, "a register")) return NULL;
    const struct alias *alias = ptx_alias_of(c, t->text);
    if (find_location(p->test, t->text) >= 0)
        parse_error(p, t->pos, "expected a register: '%s' is a location", t->text);
    else if (alias)
        parse_error(p, t->pos, "register '%s' holds the address of '%s': %s", t->text,
                    p->test->locs[alias->loc].name, problem);
    return p->panic ? NULL : t;
}

int ptx_register(struct column *c) {
    if (c->block) return asm_register(c, false);
    const struct token *t = register_name(c, "it cannot be overwritten");
    return t ? ptx_find_register(c, t) : 0;
}

int ptx_predicate(struct column *c) {
    if (c->block) return asm_register(c, true);
    struct type type = c->type;
    c->type = type_int;
    int reg = ptx_register(c);
    c->type = type;
    return reg;
}

/* ---- values ---- */

struct expr *ptx_read_register(struct column *c) {
    struct pos pos = c->p.tok->pos;
    const struct token *t = register_name(c, "it has no value");
    return t ? body_read(&c->p, ptx_find_register(c, t), t->pos) : expr_int(&c->p, pos, 0);
}

/* A number of 32 bits, or of the instruction's type where that is another. */
static struct expr *read_number(struct column *c) {
    struct parser *p = &c->p;
    const struct token *t = p->tok;
    bool negative = parse_accept(p, '-');
    const struct token *number = p->tok;
    if (!parse_expect(p, TOK_INT, "a register or a number")) return expr_int(p, t->pos, 0);
    if (!c->typed) return expr_int(p, t->pos, parse_bits(p, number, negative));
    struct expr *e = expr_int(p, t->pos, 0);
    e->type = number->type;
    e->value = number->value;
    return negative ? expr_new(p, EXPR_NEG, t->pos, e, NULL) : e;
}

static bool at_register(const struct parser *p) {
    return parse_peek(p) == TOK_NAME || parse_peek(p) == '%';
}

static struct expr *read_scalar(struct column *c) {
    struct expr *e = at_register(&c->p) ? ptx_read_register(c) : read_number(c);
    return c->p.panic ? expr_int(&c->p, e->pos, 0) : expr_cast(&c->p, e, type_lane(c->type));
}

struct expr *ptx_lanes(struct column *c, struct expr *(*read)(struct column *c)) {
    if (!type_is_vector(c->type)) return read(c);
    struct parser *p = &c->p;
    struct pos pos = p->tok->pos;
    struct expr *lanes[4];
    parse_expect(p, '{', "'{' and the registers of a vector");
    for (int k = 0; k < c->type.lanes; k++) {
        if (k) parse_expect(p, ',', arena_printf(p->arena, "%d registers", c->type.lanes));
        lanes[k] = read(c);
    }
    parse_expect(p, '}', "'}'");
    return p->panic ? expr_int(p, pos, 0) : expr_vector(p, pos, c->type, lanes);
}

struct expr *ptx_value(struct column *c) {
    if (c->block) return asm_value(c);
    return ptx_lanes(c, read_scalar);
}

bool ptx_at_value(struct column *c) {
    const struct parser *p = &c->p;
    if (parse_peek(p) == TOK_INT || parse_peek(p) == '-') return true;
    const struct token *t = parse_peek(p) == '%' ? p->tok + 1 : p->tok;
    return parse_peek(p) != '[' && t->kind == TOK_NAME && find_location(p->test, t->text) < 0 &&
           !ptx_alias_of(c, t->text) && body_find(p, t->text) >= 0;
}

/* ---- results ---- */

struct asm_targets ptx_targets(struct column *c) {
    struct parser *p = &c->p;
    if (c->block) return asm_targets(c);
    struct asm_targets to = {.pos = p->tok->pos, .before = p->body->nregs};
    bool braces = parse_accept(p, '{');
    do
        to.regs[to.n++] = ptx_register(c);
    while (braces && to.n < 4 && parse_accept(p, ','));
    if (braces) parse_expect(p, '}', "'}'");
    return to;
}

void ptx_add_result(struct column *c, struct op op, const struct asm_targets *to) {
    struct op *added = stmt_add_op(&c->p, op);
    if (c->p.panic) return;
    if (c->block) {
        asm_set_targets(c, to, access_result(&c->p, added));
        return;
    }
    struct reg *first = &c->p.body->regs[to->regs[0]];
    if (to->regs[0] >= to->before && to->n == 1 && op.type.bits > 32) first->type = op.type;
    if (to->n > 1 || !type_same(op.type, first->type))
        asm_set_targets(c, to, access_result(&c->p, added));
    else
        added->dst = to->regs[0];
}

/* ---- addresses ---- */

/* "r1", "%r1": the names that every dialect has for registers. */
static bool is_register_name(const char *name) {
    size_t digits = strspn(name + 1, "0123456789");
    return *name == 'r' && digits > 0 && name[1 + digits] == '\0';
}

/* x1 and x2, also x. */
static bool differ_in_digits(const char *a, const char *b) {
    for (;; a++, b++) {
        a += strspn(a, "0123456789");
        b += strspn(b, "0123456789");
        if (*a != *b) return false;
        if (!*a) return true;
    }
}

/* A location that no initial value declares: it begins as 0, as in herd. A name that looks like a mistake for one that an
 * initial value has is an error. */
static int declare_location(struct column *c, const struct token *t) {
    struct parser *p = &c->p;
    struct test *test = p->test;
    const char **names = arena_array(p->arena, (size_t)c->named_locs, sizeof *names);
    size_t n = 0;
    for (int i = 0; i < c->named_locs; i++)
        if (!differ_in_digits(test->locs[i].name, t->text)) names[n++] = test->locs[i].name;
    const char *hint = name_suggest(p->arena, t->text, names, n);
    const char *problem = name_problem(t->text);
    if (*hint || problem || is_register_name(t->text) || body_find(p, t->text) >= 0 ||
        test->nlocs == c->max_locs)
        parse_error(p, t->pos, "location '%s' is not declared%s", t->text, hint);
    if (p->panic) return -1;
    diag_warning(p->diag, p->source, t->pos, "location '%s' has no initial value: it begins as 0", t->text);
    test->locs[test->nlocs] =
        (struct location){.instances = 1, .name = t->text, .pos = t->pos, .type = type_int, .count = 1};
    return test->nlocs++;
}

/* A number that is not too large for an int. */
static long long read_small(struct parser *p, const char *what) {
    const struct token *t = p->tok;
    if (!parse_expect(p, TOK_INT, what)) return 0;
    long long n = token_number(t);
    bool small = t->value.hi == 0 && n >= 0 && n <= INT_MAX;
    if (!small) parse_error(p, t->pos, "%s is too large", t->text);
    return small ? n : 0;
}

/* What stands behind a location in bytes: + 4, - 4. */
static long long read_offset(struct parser *p) {
    bool negative = parse_peek(p) == '-';
    if (!parse_accept(p, '+') && !parse_accept(p, '-')) return 0;
    long long bytes = read_small(p, "a number of bytes");
    return negative ? -bytes : bytes;
}

/* x[1], behind the name. */
static long long read_index(struct parser *p) {
    long long n = read_small(p, "the number of an element");
    parse_expect(p, ']', "']'");
    return n;
}

/* The element so many bytes behind the first. */
static int find_element(struct parser *p, const struct location *l, struct pos pos, long long bytes) {
    int size = type_bytes(l->type);
    long long element = bytes / size;
    if (bytes % size != 0)
        parse_error(p, pos, "%lld bytes are no multiple of %d, the size of an element of '%s'", bytes, size,
                    l->name);
    else if (element < 0 || element >= l->count)
        parse_error(p, pos, "'%s' has %d element%s of %d bytes", l->name, l->count, l->count == 1 ? "" : "s",
                    size);
    return p->panic ? 0 : (int)element;
}

/* The element that an address names: a register's offset is known only when it runs. */
static struct expr *make_index(struct column *c, const struct location *l, const struct alias *alias,
                               struct pos pos, long long bytes) {
    struct parser *p = &c->p;
    struct expr *known = expr_int(p, pos, find_element(p, l, pos, bytes));
    if (p->panic || !alias || !alias->offset) return l->array ? known : NULL;
    struct expr *size = expr_int(p, pos, type_bytes(l->type));
    struct expr *element = expr_cast(p, expr_new(p, EXPR_DIV, pos, alias->offset, size), type_int);
    return bytes == 0 ? element : expr_new(p, EXPR_ADD, pos, element, known);
}

/* x, [x], [x+4], x[1], or [r] where r has the address of a location. */
static struct place read_address(struct column *c) {
    struct parser *p = &c->p;
    struct place none = {.loc = -1};
    bool bracket = parse_accept(p, '[');
    parse_accept(p, '%');
    const struct token *t = p->tok;
    if (!parse_expect(p, TOK_NAME, "a location")) return none;
    const struct alias *alias = ptx_alias_of(c, t->text);
    int loc = alias ? alias->loc : find_location(p->test, t->text);
    if (loc < 0 && !p->panic) loc = declare_location(c, t);
    if (p->panic) return none;
    const struct location *l = &p->test->locs[loc];
    long long bytes = bracket ? read_offset(p) : 0;
    if (!bracket && parse_accept(p, '[')) bytes = read_index(p) * type_bytes(l->type);
    if (bracket) parse_expect(p, ']', "']'");
    return (struct place){.loc = loc, .index = make_index(c, l, alias, t->pos, bytes), .pos = t->pos};
}

struct place ptx_copied_place(struct column *c, bool shared) {
    return c->block ? asm_place(c, shared) : read_address(c);
}

/* The first access to a location gives it its type, unless it was declared with one. */
static void give_type(struct column *c, int loc, const struct instruction *in) {
    struct location *l = &c->p.test->locs[loc];
    if (c->declared[loc]) return;
    c->declared[loc] = true;
    if (!in->type && in->lanes == 1) return;
    struct type lane = type_lane(c->type);
    l->init = value_set_lane(c->type, (struct value){0}, 0, value_convert(l->init, l->type, lane));
    l->type = c->type;
}

/* Complains where an instruction is of another size than the location. */
static void check_size(struct column *c, const struct instruction *in, const struct op *op,
                       const struct location *l) {
    struct type type = c->type, bits = l->type;
    bool same = type.lanes == bits.lanes && type.bits == (bits.bits == 1 ? 8 : bits.bits);
    const char *needs = op->kind == OP_RMW ? op_needs(op_rows[op->name].types, l->type) : NULL;
    if (in->type && !same)
        parse_error(&c->p, in->type->pos,
                    "not supported yet: accesses of different sizes to '%s', of type %s", l->name,
                    type_name(l->type));
    else if (!in->type && type_is_vector(l->type))
        parse_error(&c->p, in->words[in->n - 1]->after, "'%s' is of type %s: the access needs a type",
                    l->name, type_name(l->type));
    else if (needs)
        parse_error(&c->p, in->words[0]->pos, "'%s' needs a location of %s, and '%s' is of type %s",
                    op_rows[op->name].word, needs, l->name, type_name(l->type));
}

/* An instruction of a table may say where its location is. */
static void give_space(struct column *c, const struct instruction *in, int loc) {
    struct location *l = &c->p.test->locs[loc];
    if (!in->space) return;
    bool global = strcmp(in->space->text, "global") == 0, shared = l->space == SPACE_SHARED;
    if (global ? shared : c->global[loc])
        parse_error(&c->p, in->space->pos, "'%s' is in %s memory", l->name, shared ? "shared" : "global");
    c->global[loc] = c->global[loc] || global;
    if (!global) l->space = SPACE_SHARED;
}

void ptx_place(struct column *c, struct instruction *in, struct op *op) {
    struct place place = c->block ? asm_address(c, in) : read_address(c);
    op->place[0].loc = place.loc;
    op->place[0].index = place.index;
    if (c->block) asm_check_type(c, in, op);
    if (c->block || c->p.panic) return;
    const struct location *l = &c->p.test->locs[op->place[0].loc];
    give_type(c, op->place[0].loc, in);
    give_space(c, in, op->place[0].loc);
    check_size(c, in, op, l);
    c->typed = c->typed || !type_same(l->type, type_int);
    op->type = c->type = l->type;
}

/* The register whose address an operand is, or NULL. */
static const struct alias *address_at(struct column *c, const struct token *t) {
    if (t->kind == '%') t++;
    return t->kind == TOK_NAME ? ptx_alias_of(c, t->text) : NULL;
}

static const struct token *behind_operand(const struct token *t) {
    if (t->kind == '%' || t->kind == '-') t++;
    return t->kind == TOK_END ? t : t + 1;
}

bool ptx_add_address(struct column *c, struct pos pos) {
    struct parser *p = &c->p;
    if (c->block || p->panic) return false;
    const struct token *to = p->tok->kind == '%' ? p->tok + 1 : p->tok, *first = behind_operand(p->tok);
    if (first->kind != ',') return false;
    const struct token *second = behind_operand(first + 1);
    const struct alias *a = address_at(c, first + 1), *b = NULL;
    if (second->kind == ',') b = address_at(c, second + 1);
    if (!a == !b || body_find(p, to->text) >= 0) return false;
    p->tok = first + 1;
    struct expr *more = NULL;
    for (int k = 0; k < 2; k++) {
        if (k) ptx_comma(c);
        if (k == (a ? 0 : 1))
            p->tok = behind_operand(p->tok);
        else
            more = read_scalar(c);
    }
    if (body_find(p, to->text) >= 0)
        parse_error(p, to->pos, "register '%s' holds a value: it cannot hold an address, too", to->text);
    struct alias sum = a ? *a : *b;
    sum.reg = to->text;
    if (sum.offset) more = expr_new(p, EXPR_ADD, pos, sum.offset, more);
    int reg = body_temporary(p, pos, more->type);
    body_set(p, reg, more, pos);
    sum.offset = body_value(p, reg, pos);
    ptx_set_alias(c, to, sum);
    return true;
}

void ptx_set_alias(struct column *c, const struct token *reg, struct alias alias) {
    struct alias *known = ptx_alias_of(c, reg->text);
    if (known) {
        *known = alias;
    } else if (c->naliases == MAX_LOCALS) {
        parse_error(&c->p, reg->pos, "a thread has at most %d registers", MAX_LOCALS);
    } else {
        c->aliases = arena_more(c->p.arena, c->aliases, (size_t)c->naliases, sizeof *c->aliases);
        c->aliases[c->naliases++] = alias;
    }
}
