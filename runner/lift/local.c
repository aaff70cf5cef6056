/* .local memory belongs to one thread, so accesses to it are no accesses of the test: its bytes become
 * registers. A run of bytes that no access divides is one register. If the index of an array is computed, the
 * address chooses among registers. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lift/reader.h"
#include "lower/calls.h"

static const uint64_t local_window = UINT64_C(0x7c0000000000), local_step = UINT64_C(1) << 24;
enum { MAX_LOCAL = 4096, MAX_CELL = 8 };

/* ---- names and instructions ---- */

static int bytes_of(const struct ptx_variable *v, const struct ptx_name *name) {
    struct type type = type_unsigned;
    type_find_ptx(v->words[v->nwords - 1].text, &type);
    long long bytes = type_bytes(type);
    for (int k = 0; k < name->ndimensions && bytes <= MAX_LOCAL; k++)
        bytes *= name->dimensions[k];
    return bytes <= MAX_LOCAL ? (int)bytes : MAX_LOCAL + 1;
}

uint64_t lift_make_local(struct lift_reader *r, struct lift_local local, struct pos pos) {
    struct lift_kernel *k = r->made;
    if (k->nlocals == LIFT_MAX_LOCALS) {
        parse_error(&k->p, pos, "not supported: more than %d variables in .local memory", LIFT_MAX_LOCALS);
        return local_window;
    }
    if (local.bytes > MAX_LOCAL) {
        parse_error(&k->p, pos, "not supported: more than %d bytes of .local memory", MAX_LOCAL);
        local.bytes = 0;
    }
    local.address = local_window + local_step * (uint64_t)k->nlocals;
    local.reg = arena_array(r->arena, (size_t)local.bytes + 1, sizeof *local.reg);
    local.cut = arena_array(r->arena, (size_t)local.bytes + 1, sizeof *local.cut);
    k->locals = arena_more(r->arena, k->locals, (size_t)k->nlocals, sizeof *k->locals);
    k->locals[k->nlocals++] = local;
    return local.address;
}

uint64_t lift_declared_local(struct column *c, const struct ptx_variable *v, const char *text, bool of_call) {
    struct lift_reader *r = lift_reader_of(c);
    const struct ptx_name *name = v->names;
    int call = of_call ? c->call : 0;
    while (strcmp(name->text, text) != 0)
        name++;
    for (int k = 0; k < r->made->nlocals; k++)
        if (r->made->locals[k].declared == name && r->made->locals[k].call == call)
            return r->made->locals[k].address;
    struct lift_local local = {.declared = name, .call = call, .bytes = bytes_of(v, name)};
    return lift_make_local(r, local, name->pos);
}

/* Returns the address of a lane. */
static struct ptx_operand lane_address(struct column *c, const struct ptx_operand *o, int bytes) {
    struct ptx_operand out = *o, *base = arena_alloc(c->p.arena, sizeof *base),
                       *offset = arena_alloc(c->p.arena, sizeof *offset);
    *base = o->parts[0];
    *offset = (struct ptx_operand){.kind = PTX_INTEGER, .pos = o->pos, .text = ""};
    if (base->offset) *offset = *base->offset;
    uint64_t at = (offset->negated ? -offset->bits : offset->bits) + (uint64_t)bytes;
    offset->negated = at >> 63;
    offset->bits = offset->negated ? -at : at;
    base->offset = offset;
    out.parts = base;
    return out;
}

/* Reports words of an access that no access has. Apart from its space it is an access like any other. */
static void check_words(struct column *c) {
    struct ptx_instruction bare = *c->in;
    bare.words = arena_array(c->p.arena, (size_t)c->in->nwords, sizeof *bare.words);
    bare.nwords = 0;
    for (int k = 0; k < c->in->nwords; k++)
        if (!ptx_is_word(&c->in->words[k], "local") && !ptx_is_word(&c->in->words[k], "param"))
            bare.words[bare.nwords++] = c->in->words[k];
    struct ptx_words words = ptx_words_of(&bare);
    op_ptx_read(&words, &bare, c->p.arena);
    if (words.problem)
        parse_error(&c->p, words.at, "%s", words.problem);
    else if (!words.type_word)
        parse_error(&c->p, ptx_behind(&bare.words[bare.nwords - 1]), "expected a type: .u32, .u64, ...");
}

void lift_read_local(struct column *c) {
    const struct ptx_instruction *in = c->in;
    bool loads = ptx_is(in, "ld");
    const struct ptx_operand *values = &in->operands[!loads], *place = &in->operands[loads];
    if (in->noperands != 2 || place->kind != PTX_ADDRESS || place->nparts != 1) {
        parse_error(&c->p, in->pos, "expected a register and an address");
        return;
    }
    check_words(c);
    bool vector = values->kind == PTX_VECTOR;
    c->memory = true;
    for (int k = 0; k < (vector ? values->nparts : 1) && !c->p.panic; k++) {
        const struct ptx_operand *value = vector ? &values->parts[k] : values;
        struct ptx_operand address = lane_address(c, place, k * type_bytes(c->type));
        struct place at = asm_place(c, &address, false);
        struct op op = op_make(loads ? LOAD_PLAIN : STORE_PLAIN, in->pos);
        op.type = c->type;
        op.place[0] = access_place(&at);
        if (loads) {
            ptx_add_result(c, op, &(struct ptx_targets){.regs = {ptx_register(c, value)}, .n = 1});
        } else {
            op.value = ptx_value(c, value);
            stmt_add_op(&c->p, op);
        }
    }
}

/* ---- registers ---- */

const struct lift_local *lift_local_at(const struct lift_kernel *k, uint64_t address) {
    for (int i = 0; i < k->nlocals; i++)
        if (address - k->locals[i].address < (uint64_t)k->locals[i].bytes) return &k->locals[i];
    return NULL;
}

int lift_local_number(uint64_t address) {
    uint64_t k = (address - local_window) / local_step;
    return lift_is_local(address) && k < LIFT_MAX_LOCALS ? (int)k : -1;
}

struct expr *lift_is_local_of(struct parser *p, struct expr *address) {
    return formula_value(p, address->pos, &address, "a - t(%" PRIu64 ") < t(%" PRIu64 ")", local_window,
                         local_window >> 4);
}

bool lift_is_local(uint64_t address) {
    return address - local_window < local_window >> 4;
}

void lift_cut_local(const struct lift_kernel *k, uint64_t address, int bytes) {
    const struct lift_local *l = lift_local_at(k, address);
    if (!l) return;
    uint64_t at = address - l->address, end = at + (uint64_t)bytes;
    l->cut[at] = true;
    if (end <= (uint64_t)l->bytes) l->cut[end] = true;
}

/* Returns how many bytes from `at` on no access divides: 1, 2, 4 or 8. */
static int cell_bytes(const struct lift_local *l, int at) {
    int n = 1;
    while (at + n < l->bytes && n < MAX_CELL && !l->cut[at + n])
        n++;
    while (n & (n - 1))
        n &= n - 1;
    return n;
}

/* Returns the register for these bytes. */
static int register_at(struct parser *p, const struct lift_local *l, int at, int n, struct pos pos) {
    struct type type = {.bits = (uint8_t)(8 * n), .lanes = 1};
    if (!l->reg[at]) l->reg[at] = body_temporary(p, pos, type) + 1;
    return l->reg[at] - 1;
}

/* Converts a value to a number of 64 bits; and such a number to a value of a type. */
static struct expr *as_bits(struct parser *p, struct expr *e) {
    if (e->type.real) {
        e = expr_new(p, EXPR_BITS, e->pos, e, NULL);
        e->type = (struct type){e->type.bits, 1, false, false};
    }
    struct type plain = e->type;
    plain.sign = false;
    return expr_cast(p, expr_cast(p, e, plain), type_uint64);
}

static struct expr *as_value(struct parser *p, struct expr *e, struct type type) {
    if (!type.real) return expr_cast(p, e, type);
    struct type plain = {type.bits, 1, false, false};
    struct expr *bits = expr_new(p, EXPR_BITS, e->pos, expr_cast(p, e, plain), NULL);
    bits->type = type;
    return bits;
}

static void store(struct parser *p, const struct op *op, int reg, int off) {
    struct expr *e = arena_alloc(p->arena, sizeof *e);
    *e = *op->value;
    e = as_bits(p, op->type.real == e->type.real ? expr_cast(p, e, op->type) : e);
    if (off) e = expr_new(p, EXPR_SHR, op->pos, e, expr_int(p, op->pos, 8 * off));
    stmt_add_set(p, reg, expr_cast(p, e, p->body->regs[reg].type), op->pos);
}

bool lift_add_local(struct parser *p, const struct lift_kernel *k, const struct op *op, uint64_t address) {
    const struct lift_local *l = lift_local_at(k, address);
    int size = type_bytes(op->type), at = (int)(address - l->address);
    bool plain = (op->kind == OP_LOAD || op->kind == OP_STORE) && op->type.lanes == 1 && size <= MAX_CELL;
    struct expr *loaded = NULL;
    if (!plain || at + size > l->bytes) return false;
    for (int off = 0, n; off < size; off += n) {
        n = cell_bytes(l, at + off);
        int reg = register_at(p, l, at + off, n, op->pos);
        if (op->kind == OP_STORE) {
            store(p, op, reg, off);
            continue;
        }
        struct expr *part = expr_cast(p, body_value(p, reg, op->pos), type_uint64);
        if (off) part = expr_new(p, EXPR_SHL, op->pos, part, expr_int(p, op->pos, 8 * off));
        loaded = loaded ? expr_new(p, EXPR_OR, op->pos, loaded, part) : part;
    }
    if (!loaded || op->dst < 0) return true;
    loaded = expr_cast(p, as_value(p, loaded, op->type), p->body->regs[op->dst].type);
    stmt_add_set(p, op->dst, loaded, op->pos);
    return true;
}
