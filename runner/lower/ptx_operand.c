/* What the instructions of a table's column read and write: registers, numbers, locations. Those of an asm statement are
 * in asm_ptx.c.
 *
 * A register has the type of the instruction that names it first. Integers of 32 bits are signed: instructions that
 * depend on the sign take care of that. */
#include <limits.h>
#include <string.h>

#include "litmus/name.h"
#include "lower/column.h"

const struct ptx_operand *ptx_peek(const struct column *c) {
    return c->next < c->in->noperands ? &c->in->operands[c->next] : NULL;
}

struct pos ptx_at(const struct column *c) {
    return ptx_peek(c) ? ptx_peek(c)->pos : c->in->end;
}

const struct ptx_operand *ptx_next(struct column *c, const char *what) {
    if (!ptx_peek(c)) {
        parse_error(&c->p, c->in->end, "expected %s", what);
        return NULL;
    }
    const struct ptx_operand *o = &c->in->operands[c->next++];
    if (o->kind == PTX_VECTOR && o->nparts == 1) o = &o->parts[0]; /* {a} is a */
    return c->p.panic ? NULL : o;
}

void column_say(struct column *c, struct pos pos, const char *text) {
    const struct diag *d = c->p.diag;
    for (size_t i = 0; i < d->n; i++)
        if (d->messages[i].source == c->p.source && strcmp(d->messages[i].text, text) == 0) return;
    if (!c->p.panic) diag_warning(c->p.diag, c->p.source, pos, "%s", text);
}

/* ---- registers ---- */

/* "%r1" and "r1" are one register. */
static const char *plain_name(const char *name) {
    return name + (*name == '%');
}

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
int ptx_find_register(struct column *c, const char *name, struct pos pos) {
    struct type type = type_lane(c->type);
    struct token token = {.kind = TOK_NAME, .text = name, .pos = pos};
    int reg = body_find(&c->p, name);
    if (reg >= 0) settle(c, reg, type);
    return reg >= 0 ? reg : body_declare(&c->p, &token, type.bits > 32 ? type : type_int);
}

struct alias *ptx_alias_of(struct column *c, const char *reg) {
    for (int i = 0; i < c->naliases; i++)
        if (strcmp(c->aliases[i].reg, reg) == 0) return &c->aliases[i];
    return NULL;
}

/* The register that an operand is, which must hold no address: `problem` says why. */
static int find_value_register(struct column *c, const struct ptx_operand *o, const char *problem) {
    struct parser *p = &c->p;
    const char *name = o->kind == PTX_NAME ? plain_name(o->text) : "";
    const struct alias *alias = ptx_alias_of(c, name);
    if (o->kind != PTX_NAME || o->offset || o->nparts)
        parse_error(p, o->pos, "expected a register");
    else if (find_location(p->test, name) >= 0)
        parse_error(p, o->pos, "expected a register: '%s' is a location", name);
    else if (alias)
        parse_error(p, o->pos, "register '%s' holds the address of '%s': %s", name,
                    p->test->locs[alias->loc].name, problem);
    return p->panic ? -1 : ptx_find_register(c, name, o->pos);
}

int ptx_register(struct column *c, const struct ptx_operand *o) {
    if (!o) return 0;
    if (c->block) return asm_register(c, o, false);
    int reg = find_value_register(c, o, "it cannot be overwritten");
    return reg < 0 ? 0 : reg;
}

int ptx_predicate(struct column *c, const struct ptx_operand *o) {
    if (!o) return 0;
    if (c->block) return asm_register(c, o, true);
    struct type type = c->type;
    c->type = type_int;
    int reg = ptx_register(c, o);
    c->type = type;
    return reg;
}

/* ---- values ---- */

static struct expr *read_register(struct column *c, const struct ptx_operand *o) {
    int reg = find_value_register(c, o, "it has no value");
    return reg < 0 ? expr_int(&c->p, o->pos, 0) : body_read(&c->p, reg, o->pos);
}

struct expr *ptx_literal(struct column *c, const struct ptx_operand *o) {
    struct expr *e = expr_int(&c->p, o->pos, 0);
    e->value.lo = o->bits;
    e->type = o->bits > INT64_MAX ? type_uint64 : o->bits > INT32_MAX ? type_int64 : type_int;
    if (o->kind == PTX_FLOAT) e->type = o->size == 32 ? type_float : type_double;
    return o->negated ? expr_new(&c->p, EXPR_NEG, o->pos, e, NULL) : e;
}

/* A number of 32 bits, signed or not, or of the instruction's type where that is another. */
static struct expr *read_number(struct column *c, const struct ptx_operand *o) {
    uint64_t most = o->negated ? (uint64_t)1 << 31 : UINT32_MAX;
    if (c->typed) return ptx_literal(c, o);
    if (o->bits > most)
        parse_complain(&c->p, o->pos, "%s%s does not fit into 32 bits", o->negated ? "-" : "", o->text);
    return expr_int(&c->p, o->pos, o->bits > most ? 0 : (int)(uint32_t)(o->negated ? -o->bits : o->bits));
}

static struct expr *read_scalar(struct column *c, const struct ptx_operand *o) {
    if (o->kind != PTX_NAME && o->kind != PTX_INTEGER)
        parse_error(&c->p, o->pos, "expected a register or a number");
    if (c->p.panic) return expr_int(&c->p, o->pos, 0);
    struct expr *e = o->kind == PTX_NAME ? read_register(c, o) : read_number(c, o);
    return c->p.panic ? expr_int(&c->p, e->pos, 0) : expr_cast(&c->p, e, type_lane(c->type));
}

/* A value of the instruction's type: one scalar, or those of a vector in braces. */
struct expr *ptx_value(struct column *c, const struct ptx_operand *o) {
    struct parser *p = &c->p;
    if (!o) return expr_int(p, c->in->pos, 0);
    struct expr *(*read)(struct column *, const struct ptx_operand *) = c->block ? asm_value : read_scalar;
    if (!type_is_vector(c->type)) return read(c, o);
    struct expr *lanes[4];
    if (o->kind != PTX_VECTOR || o->nparts != c->type.lanes) {
        parse_error(p, o->pos, "expected '{' and %d values: one an element of %s", c->type.lanes,
                    type_name(c->type));
        return expr_int(p, o->pos, 0);
    }
    for (int k = 0; k < o->nparts; k++)
        lanes[k] = read(c, &o->parts[k]);
    return p->panic ? expr_int(p, o->pos, 0) : expr_vector(p, o->pos, c->type, lanes);
}

struct expr *ptx_next_value(struct column *c) {
    return ptx_value(c, ptx_next(c, "a register or a number"));
}

struct expr *ptx_predicate_value(struct column *c, const struct ptx_operand *o) {
    return c->block ? asm_predicate(c, o) : read_register(c, o);
}

struct expr *ptx_condition(struct column *c, const struct ptx_operand *o) {
    struct parser *p = &c->p;
    struct expr *e = ptx_predicate_value(c, o);
    if (p->panic) return expr_int(p, o->pos, 0);
    return expr_new(p, o->negated ? EXPR_EQ : EXPR_NE, o->pos, e, expr_int(p, o->pos, 0));
}

int ptx_number(struct column *c, const char *what, int max) {
    const struct ptx_operand *o = ptx_next(c, what);
    if (!o) return 0;
    if (c->block) return asm_number(c, o, what, max);
    if (o->kind != PTX_INTEGER || o->negated)
        parse_error(&c->p, o->pos, "expected %s", what);
    else if (o->bits > (uint64_t)max)
        parse_complain(&c->p, o->pos, "%s is too large: at most %d", o->text, max);
    else
        return (int)o->bits;
    return 0;
}

bool ptx_is_value(struct column *c, const struct ptx_operand *o) {
    if (o->kind == PTX_INTEGER) return true;
    if (o->kind != PTX_NAME || o->offset) return false;
    const char *name = plain_name(o->text);
    return find_location(c->p.test, name) < 0 && !ptx_alias_of(c, name) && body_find(&c->p, name) >= 0;
}

/* ---- results ---- */

struct ptx_targets ptx_targets(struct column *c) {
    const struct ptx_operand *o = ptx_next(c, "a register");
    struct ptx_targets to = {.pos = o ? o->pos : c->in->end, .before = c->p.body->nregs};
    if (!o) return to;
    bool vector = o->kind == PTX_VECTOR;
    int n = vector ? o->nparts : 1;
    if (n > 4) parse_error(&c->p, o->pos, "a vector has at most 4 registers");
    while (to.n < n && !c->p.panic) {
        if (c->block) c->memory = true;
        if (c->block) c->type.lanes = 1;
        to.regs[to.n] = ptx_register(c, vector ? &o->parts[to.n] : o);
        to.n++;
    }
    return to;
}

void ptx_set_targets(struct column *c, const struct ptx_targets *to, struct expr *value) {
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

void ptx_add_result(struct column *c, struct op op, const struct ptx_targets *to) {
    struct op *added = stmt_add_op(&c->p, op);
    if (c->p.panic) return;
    struct reg *first = &c->p.body->regs[to->regs[0]];
    bool is_new = !c->block && to->regs[0] >= to->before && to->n == 1;
    struct type type = op_kinds[op.kind].mbarrier ? op.result : op.type;
    if (is_new && type.bits > 32) first->type = type;
    if (c->block || to->n > 1 || !type_same(type, first->type)) {
        added->dst = body_temporary(&c->p, op.pos, type);
        ptx_set_targets(c, to, body_value(&c->p, added->dst, op.pos));
    } else {
        added->dst = to->regs[0];
    }
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
static int declare_location(struct column *c, const char *name, struct pos pos) {
    struct parser *p = &c->p;
    struct test *test = p->test;
    const char **names = arena_array(p->arena, (size_t)c->named_locs, sizeof *names);
    size_t n = 0;
    for (int i = 0; i < c->named_locs; i++)
        if (!differ_in_digits(test->locs[i].name, name)) names[n++] = test->locs[i].name;
    const char *hint = name_suggest(p->arena, name, names, n);
    if (*hint || name_problem(name) || is_register_name(name) || body_find(p, name) >= 0 ||
        test->nlocs == c->max_locs)
        parse_error(p, pos, "location '%s' is not declared%s", name, hint);
    if (p->panic) return -1;
    diag_warning(p->diag, p->source, pos, "location '%s' has no initial value: it begins as 0", name);
    test->locs[test->nlocs] =
        (struct location){.instances = 1, .name = name, .pos = pos, .type = type_int, .count = 1};
    return test->nlocs++;
}

/* What stands behind a location, x+4 and x[1], in bytes. */
static long long read_offset(struct parser *p, const struct ptx_operand *base, int size) {
    const struct ptx_operand *offset = base->offset;
    if (!offset) return 0;
    if (offset->bits > INT_MAX) {
        parse_error(p, offset->pos, "%s is too large", offset->text);
        return 0;
    }
    long long n = (long long)offset->bits * (base->element ? size : 1);
    return offset->negated ? -n : n;
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
static struct place read_address(struct column *c, const struct ptx_operand *o) {
    struct parser *p = &c->p;
    struct place none = {.loc = -1};
    if (!o) return none;
    const struct ptx_operand *base = o->kind == PTX_ADDRESS && o->nparts == 1 ? &o->parts[0] : o;
    if (base->kind != PTX_NAME || base->nparts || (o == base && base->offset && !base->element)) {
        parse_error(p, o->pos, "expected a location");
        return none;
    }
    const char *name = plain_name(base->text);
    const struct alias *alias = ptx_alias_of(c, name);
    int loc = alias ? alias->loc : find_location(p->test, name);
    if (loc < 0 && !p->panic) loc = declare_location(c, name, base->pos);
    if (p->panic) return none;
    const struct location *l = &p->test->locs[loc];
    long long bytes = read_offset(p, base, type_bytes(l->type));
    return (struct place){.loc = loc, .index = make_index(c, l, alias, base->pos, bytes), .pos = base->pos};
}

struct place ptx_place_at(struct column *c, const struct ptx_operand *o, bool shared) {
    return !c->block ? read_address(c, o) : o ? asm_place(c, o, shared) : (struct place){.loc = -1};
}

struct place ptx_copied_place(struct column *c, bool shared) {
    return ptx_place_at(c, ptx_next(c, "a location"), shared);
}

/* The first access to a location gives it its type, unless it was declared with one. */
static void give_type(struct column *c, int loc) {
    struct location *l = &c->p.test->locs[loc];
    if (c->declared[loc]) return;
    c->declared[loc] = true;
    if (!c->words.type_word && c->words.lanes == 1) return;
    struct type lane = type_lane(c->type);
    l->init = value_set_lane(c->type, (struct value){0}, 0, value_convert(l->init, l->type, lane));
    l->type = c->type;
}

/* Complains where an instruction is of another size than the location. */
static void check_size(struct column *c, const struct op *op, const struct location *l) {
    struct parser *p = &c->p;
    const struct ptx_word *word = c->words.type_word;
    struct type type = c->type, bits = l->type;
    bool same = type.lanes == bits.lanes && type.bits == (bits.bits == 1 ? 8 : bits.bits);
    const char *needs = op->kind == OP_RMW ? op_needs(op_rows[op->name].types, l->type) : NULL;
    if (word && !same)
        parse_error(p, word->pos, "not supported yet: accesses of different sizes to '%s', of type %s",
                    l->name, type_name(l->type));
    else if (!word && type_is_vector(l->type))
        parse_error(p, ptx_behind(&c->in->words[c->in->nwords - 1]),
                    "the access needs a type behind its 'v%d': that of an element of '%s', as in .v%d.s32",
                    l->type.lanes, l->name, l->type.lanes);
    else if (needs)
        parse_error(p, c->in->pos, "'%s' needs a location of %s, and '%s' is of type %s",
                    op_rows[op->name].word, needs, l->name, type_name(l->type));
}

/* An instruction of a table may say where its location is. */
static void give_space(struct column *c, int loc) {
    struct location *l = &c->p.test->locs[loc];
    const struct ptx_word *space = c->words.space;
    if (!space) return;
    bool global = ptx_is_word(space, "global"), shared = space_rows[l->space].of_block;
    if (global ? shared : c->global[loc])
        parse_error(&c->p, space->pos, "'%s' is in %s memory", l->name, shared ? "shared" : "global");
    c->global[loc] = c->global[loc] || global;
    if (!global) l->space = SPACE_SHARED;
}

void ptx_place(struct column *c, struct op *op) {
    const struct ptx_operand *o = ptx_next(c, "a location");
    if (!o) return;
    struct place place = c->block ? asm_address(c, o) : read_address(c, o);
    op->place[0] = access_place(&place);
    if (c->block) asm_check_type(c, op);
    if (c->block || c->p.panic) return;
    const struct location *l = &c->p.test->locs[op->place[0].loc];
    give_type(c, op->place[0].loc);
    give_space(c, op->place[0].loc);
    check_size(c, op, l);
    c->typed = c->typed || !type_same(l->type, type_int);
    op->type = c->type = l->type;
}

/* The register whose address an operand is, or NULL. */
static const struct alias *address_of(struct column *c, const struct ptx_operand *o) {
    return o->kind == PTX_NAME ? ptx_alias_of(c, plain_name(o->text)) : NULL;
}

bool ptx_add_address(struct column *c) {
    struct parser *p = &c->p;
    const struct ptx_operand *to = c->in->operands;
    if (c->block || p->panic || c->in->noperands != 3 || to->kind != PTX_NAME) return false;
    const struct alias *a = address_of(c, &to[1]), *b = address_of(c, &to[2]);
    const char *name = plain_name(to->text);
    if (!a == !b || body_find(p, name) >= 0) return false;
    struct expr *more = read_scalar(c, a ? &to[2] : &to[1]);
    if (body_find(p, name) >= 0)
        parse_error(p, to->pos, "register '%s' holds a value: it cannot hold an address, too", name);
    struct alias sum = a ? *a : *b;
    sum.reg = name;
    if (sum.offset) more = expr_new(p, EXPR_ADD, c->in->pos, sum.offset, more);
    int reg = body_temporary(p, c->in->pos, more->type);
    body_set(p, reg, more, c->in->pos);
    sum.offset = body_value(p, reg, c->in->pos);
    ptx_set_alias(c, name, to->pos, sum);
    c->next = 3;
    return true;
}

void ptx_set_alias(struct column *c, const char *reg, struct pos pos, struct alias alias) {
    struct alias *known = ptx_alias_of(c, reg);
    if (known) {
        *known = alias;
    } else if (c->naliases == MAX_LOCALS) {
        parse_error(&c->p, pos, "a thread has at most %d registers", MAX_LOCALS);
    } else {
        c->aliases = arena_more(c->p.arena, c->aliases, (size_t)c->naliases, sizeof *c->aliases);
        c->aliases[c->naliases++] = alias;
    }
}
