/* The operands of an asm statement, whose instructions are read as those of a table's column are. Registers have types
 * here, and an address is an operand. */
#include <string.h>

#include "litmus/name.h"
#include "litmus/view.h"
#include "lower/calls.h"
#include "lower/column.h"

/* ---- registers that the text declares ---- */

/* The register of that name, "%p" or "p", or NULL. */
static struct asm_register *find_register(const struct column *c, const char *name) {
    for (int k = c->block->nregisters - 1; k >= 0; k--)
        if (strcmp(c->block->registers[k].name, name + (*name == '%')) == 0) return &c->block->registers[k];
    return NULL;
}

static struct asm_register *register_of(const struct column *c, const struct ptx_operand *o) {
    return o->kind == PTX_NAME && !o->offset ? find_register(c, o->text) : NULL;
}

/* ---- operands ---- */

/* Says why a name with a '%' is nothing. */
static void report_special(struct column *c, const struct ptx_operand *o) {
    static const char of_grid[] = "for a thread of a grid: {grid: 1, block: 4, body: ...}";
    static const char *const specials[] = {"tid", "ctaid", "ntid", "nctaid", "laneid"};
    const char *name = arena_strndup(c->p.arena, o->text + 1, strcspn(o->text + 1, "."));
    const char *refusal = name_refusal(name);
    for (size_t k = 0; k < sizeof specials / sizeof *specials && !c->p.body->grid; k++)
        if (strcmp(specials[k], name) == 0) refusal = of_grid;
    parse_error(&c->p, o->pos, "'%%%s' is %s", name,
                refusal ? refusal : "neither declared in this asm nor supported yet");
}

/* %k; NULL, and an error, where there is none. */
static struct asm_operand *operand_of(struct column *c, const struct ptx_operand *o) {
    struct parser *p = &c->p;
    if (o->kind != PTX_NAME || *o->text != '%') {
        if (o->kind == PTX_NAME)
            parse_error(p, o->pos, "register '%s' is not declared in this asm%s", o->text,
                        find_location(p->test, o->text) < 0
                            ? ""
                            : "; the address of a location is an operand: \"l\"(&X)");
        parse_error(p, o->pos, "expected a register or an operand, as in %%0");
        return NULL;
    }
    size_t digits = strspn(o->text + 1, "0123456789");
    int k = 0;
    for (size_t i = 1; i <= digits && k < 1000; i++)
        k = 10 * k + (o->text[i] - '0');
    if (o->text[1 + digits])
        report_special(c, o);
    else if (k < c->block->noperands)
        return &c->block->operands[k];
    else
        parse_error(p, o->pos, "this asm has no operand %s: it has %d", o->text, c->block->noperands);
    return NULL;
}

/* Whether a mov takes bits, which may be those of a real number. */
static bool takes_bits(const struct column *c) {
    return ptx_is(c->in, "mov") && (ptx_find_word(c->in, "b32") > 0 || ptx_find_word(c->in, "b64") > 0);
}

/* Complains where a register is not as wide as the instruction's type. A load, a store or a conversion takes one that is wider
 * (PTX ISA, "Operand Size Exceeding Instruction-Type Size"); in an asm that a person writes, only accesses of 8 or 16 bits. */
static void check_width(struct column *c, struct pos pos, const char *name, struct type have) {
    struct type want = type_lane(c->type);
    int bits = want.bits == 1 ? 8 : want.bits;
    bool takes_wider = c->block->kernel ? c->memory || ptx_is(c->in, "cvt") : c->memory && bits <= 16;
    bool wider = takes_wider && have.bits >= bits && !have.real && !want.real;
    if (wider || (have.bits == bits && (have.real == want.real || takes_bits(c)))) return;
    if (have.bits == bits)
        parse_error(&c->p, pos, "%s is %s, and the instruction's type is %s", name,
                    have.real ? "a float" : "an integer", want.real ? "a float" : "an integer");
    else
        parse_error(&c->p, pos, "%s has %d bits, and the instruction's type %d", name, have.bits, bits);
}

static const char *operand_name(struct column *c, const struct asm_operand *o) {
    return arena_printf(c->p.arena, "operand %%%d", (int)(o - c->block->operands));
}

static int write_declared(struct column *c, const struct ptx_operand *o, bool predicate) {
    const struct asm_register *r = register_of(c, o);
    if (r->predicate != predicate)
        parse_error(&c->p, o->pos, "register '%s' is %s", r->name,
                    r->predicate ? "a predicate" : "no predicate");
    else if (!predicate)
        check_width(c, o->pos, arena_printf(c->p.arena, "register '%s'", r->name),
                    c->p.body->regs[r->reg].type);
    return r->reg;
}

int asm_register(struct column *c, const struct ptx_operand *o, bool predicate) {
    struct parser *p = &c->p;
    if (register_of(c, o)) return write_declared(c, o, predicate);
    const struct asm_operand *operand = operand_of(c, o);
    if (!operand) return 0;
    if (predicate)
        parse_error(p, o->pos, "%s is no predicate", operand_name(c, operand));
    else if (!operand->written)
        parse_error(p, o->pos, "%s is an input: it cannot be written", operand_name(c, operand));
    else if (operand->reg >= 0)
        check_width(c, o->pos, operand_name(c, operand), p->body->regs[operand->reg].type);
    if (operand->reg >= 0) return operand->reg;
    p->panic = true; /* what is wrong with it has been said */
    return 0;
}

static struct expr *read_literal(struct column *c, const struct ptx_operand *o) {
    if (o->kind != PTX_INTEGER && o->kind != PTX_FLOAT)
        parse_error(&c->p, o->pos, "expected a register, an operand or a number");
    return ptx_literal(c, o);
}

static struct expr *read_declared(struct column *c, const struct ptx_operand *o) {
    const struct asm_register *r = register_of(c, o);
    if (r->predicate) parse_error(&c->p, o->pos, "register '%s' is a predicate", r->name);
    check_width(c, o->pos, arena_printf(c->p.arena, "register '%s'", r->name), c->p.body->regs[r->reg].type);
    return body_value(&c->p, r->reg, o->pos);
}

/* What a name is in a whole kernel. */
static struct expr *read_name(struct column *c, const struct ptx_operand *o) {
    struct expr *e = c->block->kernel->name(c, o);
    if (!e) parse_error(&c->p, o->pos, "'%s' is not declared", o->text);
    return e ? e : expr_int(&c->p, o->pos, 0);
}

/* A scalar as it is. */
static struct expr *read_scalar(struct column *c, const struct ptx_operand *o) {
    struct parser *p = &c->p;
    if (register_of(c, o)) return read_declared(c, o);
    if (o->kind != PTX_NAME) return read_literal(c, o);
    struct expr *special = grid_special(p, o->text, o->pos);
    if (!special && !c->block->kernel) special = clock_special(p, o->text, o->pos);
    if (special) {
        check_width(c, o->pos, "a special register", special->type);
        return special;
    }
    if (c->block->kernel) return read_name(c, o);
    const struct asm_operand *operand = operand_of(c, o);
    if (!operand) return expr_int(p, o->pos, 0);
    if (operand->is_address)
        parse_error(p, o->pos, "%s is an address: what is there is accessed as [%s]",
                    operand_name(c, operand), o->text);
    if (p->panic || (operand->written && operand->reg < 0)) return expr_int(p, o->pos, 0);
    struct expr *e = operand->written ? body_value(p, operand->reg, o->pos) : operand->value;
    if (operand->letter != 'n') check_width(c, o->pos, operand_name(c, operand), e->type);
    return e;
}

struct expr *asm_value(struct column *c, const struct ptx_operand *o) {
    struct expr *e = read_scalar(c, o);
    if (c->p.panic) return expr_int(&c->p, o->pos, 0);
    bool bits = takes_bits(c) && e->type.real;
    return bits ? expr_bits(&c->p, e, type_lane(c->type)) : expr_cast(&c->p, e, type_lane(c->type));
}

struct expr *asm_predicate(struct column *c, const struct ptx_operand *o) {
    const struct asm_register *r = register_of(c, o);
    if (r && r->predicate) return body_value(&c->p, r->reg, o->pos);
    if (r)
        parse_error(&c->p, o->pos, "register '%s' is no predicate", r->name);
    else
        parse_error(&c->p, o->pos, "expected a predicate: .reg .pred p;");
    return expr_int(&c->p, o->pos, 0);
}

/* Whether an operand is that name, or has it among its parts. */
static bool has_name(const struct ptx_operand *o, const char *name) {
    for (int k = 0; k < o->nparts; k++)
        if (has_name(&o->parts[k], name)) return true;
    return o->kind == PTX_NAME && strcmp(o->text, name) == 0;
}

/* Whether the first operand is what an instruction sets: a barrier only reads it, unless it reduces. */
static bool sets_first(const struct ptx_instruction *in) {
    bool barrier = ptx_is(in, "bar") || ptx_is(in, "barrier");
    return in->noperands && (!barrier || ptx_find_word(in, "red") > 0);
}

/* How many instructions of the text set a name. */
static int count_sets(const struct column *c, const char *name) {
    int n = 0;
    for (int k = 0; k < c->code->n; k++) {
        const struct ptx_instruction *in = c->code->statements[k].instruction;
        bool sets = c->code->statements[k].kind == PTX_INSTRUCTION && sets_first(in);
        n += sets && has_name(&in->operands[0], name);
    }
    return n;
}

struct settled {
    int reg;
    struct expr *value;
};

static bool note_set(const struct stmt *s, void *ctx) {
    struct settled *r = ctx;
    if (s->kind == STMT_SET && s->reg == r->reg) r->value = s->value;
    return true;
}

bool asm_is_predicate(const struct column *c, const struct ptx_operand *o) {
    const struct asm_register *r = register_of(c, o);
    return r && r->predicate;
}

struct expr *asm_settled(struct column *c, const struct ptx_operand *o) {
    const struct asm_register *reg = c->block->kernel ? register_of(c, o) : NULL;
    struct settled r = {.reg = reg ? reg->reg : -1};
    if (!reg || count_sets(c, o->text) != 1) return NULL;
    stmt_walk(c->p.out.first, note_set, &r);
    struct expr *value = r.value ? body_fold(&c->p, r.value) : NULL;
    return value && value->kind == EXPR_INT ? value : NULL;
}

int asm_number(struct column *c, const struct ptx_operand *o, const char *what, int max) {
    struct parser *p = &c->p;
    struct expr *e = asm_settled(c, o);
    bool name = !e && o->kind == PTX_NAME && !register_of(c, o);
    const struct asm_operand *operand = name ? operand_of(c, o) : NULL;
    if (operand && operand->value) e = body_fold(p, operand->value);
    if (o->kind == PTX_INTEGER) e = read_literal(c, o);
    if (!e || (e->kind != EXPR_INT && o->kind != PTX_INTEGER)) {
        parse_error(p, o->pos, "%s is a number that is known when this is compiled", what);
        return 0;
    }
    long long n = expr_number(e, NULL);
    if (n < 0 || n > max) parse_complain(p, o->pos, "%lld is out of range: at most %d", n, max);
    return n < 0 || n > max ? 0 : (int)n;
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

/* The operand whose address a name is, %k or a register that holds it; NULL, and an error, where it is none. */
static const struct asm_operand *find_address(struct column *c, const struct ptx_operand *o) {
    const struct asm_register *r = o->kind == PTX_NAME ? find_register(c, o->text) : NULL;
    const struct asm_operand *found = r && r->leads ? r->leads : operand_of(c, o);
    if (found && !found->is_address)
        parse_error(&c->p, o->pos, "%s is no address of a location", operand_name(c, found));
    return c->p.panic ? NULL : found;
}

struct asm_operand asm_led(struct column *c, const struct ptx_operand *o) {
    const struct asm_operand *found = find_address(c, o);
    return found ? *found : (struct asm_operand){.place = {.loc = -1}};
}

void asm_lead(struct column *c, const struct ptx_operand *o, const struct asm_operand *to) {
    struct asm_register *r = register_of(c, o);
    if (r) {
        struct asm_operand *kept = arena_alloc(c->p.arena, sizeof *kept);
        *kept = *to;
        r->leads = kept;
        return;
    }
    struct asm_operand *operand = operand_of(c, o);
    if (!operand || !operand->written) return;
    operand->is_address = true;
    operand->window = to->window;
    operand->place = to->place;
}

/* [%k], [%k + offset]; *operand is NULL, and an error was reported, where it is no address. */
static struct place read_address(struct column *c, const struct ptx_operand *o,
                                 const struct asm_operand **operand) {
    struct parser *p = &c->p;
    struct place place = {.loc = -1, .pos = o->pos};
    *operand = NULL;
    if (o->kind != PTX_ADDRESS || o->nparts != 1 || o->parts[0].kind != PTX_NAME) {
        parse_error(p, o->pos, "expected an address, as in [%%0]");
        return place;
    }
    const struct ptx_operand *base = &o->parts[0];
    const struct asm_operand *found = find_address(c, base);
    if (!found) return place;
    place = found->place;
    if (base->offset && base->offset->bits != 0 && place.loc >= 0) {
        long long bytes = (long long)base->offset->bits;
        asm_add_bytes(p, &place, base->offset->pos,
                      base->offset->negated ? (long long)-base->offset->bits : bytes);
    }
    *operand = found;
    return place;
}

/* [r], [r+4], [x+4] or [16] of a whole kernel: the address is a number. */
static struct place read_number_place(struct column *c, const struct ptx_operand *o, bool shared) {
    struct parser *p = &c->p;
    struct place place = {.loc = -1, .pos = o->pos};
    if (o->kind != PTX_ADDRESS || o->nparts != 1) {
        parse_error(p, o->pos, "expected an address");
        return place;
    }
    const struct ptx_operand *base = &o->parts[0], *more = base->offset;
    const struct asm_register *r = base->kind == PTX_NAME ? find_register(c, base->text) : NULL;
    struct expr *e = r                        ? body_value(p, r->reg, base->pos)
                     : base->kind == PTX_NAME ? read_name(c, base)
                                              : read_literal(c, base);
    if (p->panic) return place;
    e = expr_cast(p, e, e->type.bits > 32 ? type_uint64 : type_unsigned);
    if (r && more) e = expr_new(p, EXPR_ADD, o->pos, e, expr_cast(p, read_literal(c, more), e->type));
    place.index = c->block->kernel->address(c, e, shared);
    return place;
}

/* Complains where the space is not that of the place, which `o` is. */
static void check_space(struct column *c, struct pos pos, bool shared, const struct asm_operand *o) {
    struct parser *p = &c->p;
    if (p->panic || !o || o->place.loc < 0) return;
    const struct location *l = &p->test->locs[o->place.loc];
    bool differs = shared != space_rows[l->space].of_block;
    if (differs && shared)
        parse_error(p, pos,
                    "'%s' is in %s memory; {space: shared} in 'memory' puts it into that of the block",
                    l->name, space_name(l->space));
    else if (differs)
        parse_error(p, pos, "'%s' is in %s memory", l->name, space_name(l->space));
    else if (shared && !o->window)
        parse_error(p, pos, "an address in shared memory is __cvta_generic_to_shared(&%s)", l->name);
}

struct place asm_place(struct column *c, const struct ptx_operand *o, bool shared) {
    const struct asm_operand *operand;
    if (c->block->kernel) return read_number_place(c, o, shared);
    struct place place = read_address(c, o, &operand);
    check_space(c, o->pos, shared, operand);
    return place;
}

struct place asm_address(struct column *c, const struct ptx_operand *o) {
    const struct asm_operand *operand;
    const struct ptx_word *space = c->words.space;
    if (c->block->kernel) return read_number_place(c, o, space && !ptx_is_word(space, "global"));
    struct place place = read_address(c, o, &operand);
    bool afar = operand && operand->place.rank;
    if (space && afar && !ptx_is_word(space, "shared::cluster"))
        parse_error(&c->p, space->pos, "this is in another block: '.shared::cluster'");
    if (space)
        check_space(c, space->pos, !ptx_is_word(space, "global"), operand);
    else if (operand && operand->window)
        parse_error(&c->p, c->in->pos,
                    "'%s' without '.shared' takes no address of __cvta_generic_to_shared()",
                    c->in->words[0].text);
    return place;
}

/* What the instruction's type is, that the location's is not; or NULL. */
static const char *type_problem(struct column *c, const struct op *op, struct type there) {
    const struct ptx_words *w = &c->words;
    int bits = there.bits == 1 ? 8 : there.bits;
    bool bare = ptx_is_bare(c);
    if (c->type.bits != bits || w->lanes != there.lanes || (!bare && c->type.real != there.real))
        return arena_printf(c->p.arena, "this is an access to %s%s, and",
                            w->lanes == 1   ? ""
                            : w->lanes == 2 ? "v2."
                                            : "v4.",
                            w->type_word->text);
    if (op_rows[op->name].types == TYPES_ORDERED && (bare || c->type.sign != there.sign))
        return arena_printf(c->p.arena, "'%s.%s' depends on the sign, and", op_rows[op->name].word,
                            w->type_word->text);
    return NULL;
}

/* Whether an instruction with so many lanes is a load or store of elements of an array. */
static bool lies_over(const struct location *l, const struct op *op, int lanes) {
    bool one = op->kind == OP_LOAD || op->kind == OP_STORE, own = !l->view || l->in_each;
    return lanes > 1 && one && own && l->array && !type_is_vector(l->type);
}

void asm_check_type(struct column *c, struct op *op) {
    struct parser *p = &c->p;
    const struct ptx_words *w = &c->words;
    if (!w->type_word)
        parse_error(p, ptx_behind(&c->in->words[c->in->nwords - 1]), "expected a type: .u32, .u64, ...");
    if (c->block->kernel) {
        op->type = c->type;
        op->type.lanes = (uint8_t)w->lanes;
        c->type = op->type;
        c->memory = true;
    }
    if (!w->type_word || p->panic || op->place[0].loc < 0) return;
    const struct location *l = &p->test->locs[op->place[0].loc];
    struct type there = l->type;
    bool several = lies_over(l, op, w->lanes);
    if (several) there.lanes = (uint8_t)w->lanes;
    const char *problem = type_problem(c, op, there);
    const char *needs = op->kind == OP_RMW ? op_needs(op_rows[op->name].types, l->type) : NULL;
    struct type type = {c->type.bits, (uint8_t)w->lanes, c->type.real, c->type.real};
    if (problem)
        parse_error(p, w->type_word->pos, "%s '%s' is of type %s%s", problem, l->name, type_name(l->type),
                    pointer_suggest_view(p, l, type));
    else if (needs)
        parse_error(p, c->in->pos, "'%s' needs a location of %s, and '%s' is of type %s",
                    op_rows[op->name].word, needs, l->name, type_name(l->type));
    else if (op_rows[op->name].cache && !space_rows[l->space].cached)
        parse_error(p, c->in->pos, "'.%s' is of an access to global memory, and '%s' is in shared memory",
                    op_rows[op->name].cache, l->name);
    op->type = c->type = there;
    c->memory = true;
    if (!several) return;
    view_share(p->test, location_root(p->test, op->place[0].loc));
    access_check_vector(
        p, &(struct place){
               .loc = op->place[0].loc, .index = op->place[0].index, .vector = there, .pos = c->in->pos});
}
