/* The addresses of locations as whole kernels see them. Global memory and a block's shared memory are windows
 * of one address space (PTX ISA, "Generic Addressing"); an address in shared memory has 32 bits. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lift/reader.h"
#include "lower/calls.h"

static const uint64_t global_base = UINT64_C(0x100000000000), global_step = UINT64_C(1) << 36;
static const uint64_t shared_window = UINT64_C(0x7e0000000000), shared_base = 0x12000, shared_size = 1 << 24;
enum { ALIGNMENT = 256 };
/* The bits of a shared address that say whose memory it is in: 0 for the thread's own block, else the rank in
 * the cluster plus 1. */
enum { RANK_AT = 24, RANK_MASK = 31 };
static const uint64_t rank_bits = (uint64_t)RANK_MASK << RANK_AT;

struct lift_reader *lift_reader_of(struct column *c) {
    return (struct lift_reader *)(uintptr_t)c->block->kernel;
}

struct expr *lift_number(struct parser *p, struct pos pos, struct type type, uint64_t bits) {
    struct expr *e = expr_int(p, pos, 0);
    e->type = type;
    e->value = value_bits(type, bits, 0);
    return e;
}

uint64_t lift_bytes(const struct location *l) {
    return (uint64_t)type_bytes(l->type) * (uint64_t)l->count;
}

uint64_t lift_home(uint64_t address) {
    bool shared = address - shared_window <= rank_bits + shared_size;
    return shared ? address & ~rank_bits : address;
}

int lift_location_at(const struct test *t, uint64_t address) {
    int behind = -1;
    address = lift_home(address);
    for (int k = 0; k < t->nlocs; k++) {
        const struct location *l = &t->locs[k];
        if (l->view || !l->address || address < l->address || address - l->address > lift_bytes(l)) continue;
        if (address - l->address < lift_bytes(l)) return k;
        behind = k;
    }
    return behind;
}

/* Returns the first address behind all locations in shared memory. */
static uint64_t next_shared(const struct test *t) {
    uint64_t next = shared_window + shared_base;
    for (int k = 0; k < t->nlocs; k++) {
        const struct location *l = &t->locs[k];
        if (l->space == SPACE_SHARED && l->address + lift_bytes(l) > next) next = l->address + lift_bytes(l);
    }
    return (next + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

void lift_place(struct test *t, int loc) {
    struct location *l = &t->locs[loc];
    if (l->address || l->view) return;
    l->address = l->space == SPACE_SHARED ? next_shared(t) : global_base + global_step * (uint64_t)loc;
}

bool lift_find_address(const struct test *t, const char *text, uint64_t *out) {
    size_t n = strcspn(text, " +");
    const char *more = text + n + strspn(text + n, " ");
    char *end = NULL;
    unsigned long long offset = *more == '+' ? strtoull(more + 1, &end, 0) : 0;
    if (*more && (*more != '+' || end == more + 1 || *end)) return false;
    for (int k = 0; k < t->nlocs; k++) {
        const struct location *l = &t->locs[k];
        if (strlen(l->name) != n || memcmp(l->name, text, n) != 0) continue;
        const struct location *root = &t->locs[l->view ? l->of : k];
        *out = root->address + (uint64_t)(l->view ? l->at : 0) + offset;
        return true;
    }
    return false;
}

enum lift_space lift_space_of(const struct ptx_instruction *in) {
    static const char *const shared[] = {"shared", "shared::cta", "shared::cluster"};
    for (size_t k = 0; k < sizeof shared / sizeof *shared; k++)
        if (ptx_find_word(in, shared[k]) > 0) return LIFT_SHARED;
    return ptx_find_word(in, "global") > 0 ? LIFT_GLOBAL : LIFT_GENERIC;
}

uint64_t lift_address_in(enum lift_space space, uint64_t address) {
    return space == LIFT_SHARED ? address - shared_window : address;
}

uint64_t lift_generic_of_shared(uint64_t address) {
    return address <= rank_bits + shared_size ? address + shared_window : address;
}

struct expr *lift_generic(struct column *c, struct expr *address, bool shared) {
    const char *generic = shared ? "u64(u32(a)) + u64(%" PRIu64 ")" : "u64(a)";
    return formula_value(&c->p, address->pos, &address, generic, shared_window);
}

/* ---- the shared memory of other blocks of a cluster ---- */

/* Reads mapa.shared::cluster.u32 d, a, rank and mapa.u64 d, a, rank: puts the rank into the address's
 * bits. */
void lift_map(struct column *c) {
    struct expr *v[2];
    ptx_words_take(&c->words, c->in, "shared::cluster");
    lift_reader_of(c)->lift->maps = true;
    int reg = ptx_operands(c, "ttw", v);
    if (!c->p.panic)
        ptx_set(c, reg,
                formula_value(&c->p, c->in->pos, v, "a & t(%" PRIu64 ") | t(b) + t(1) << %d", ~rank_bits,
                              RANK_AT));
}

struct expr *lift_home_of(struct parser *p, struct expr *address) {
    if (address->kind == EXPR_INT)
        return lift_number(p, address->pos, type_uint64, lift_home(address->value.lo));
    return formula_value(p, address->pos, &address, "a & t(%" PRIu64 ")", ~rank_bits);
}

struct expr *lift_rank_of(struct parser *p, struct expr *address) {
    return formula_value(p, address->pos, &address, "u32((a >> %d & t(%d)) - t(1))", RANK_AT, RANK_MASK);
}

struct expr *lift_is_afar(struct parser *p, struct expr *address) {
    return formula_value(p, address->pos, &address, "(a & t(%" PRIu64 ")) != t(0)", rank_bits);
}

/* Reads isspacep.shared p, a. */
void lift_ask_space(struct column *c) {
    struct parser *p = &c->p;
    struct pos pos = c->in->pos;
    bool global = ptx_find_word(c->in, "global") > 0, local = ptx_find_word(c->in, "local") > 0;
    bool cluster = ptx_find_word(c->in, "shared::cluster") > 0;
    uint64_t size = cluster || global ? rank_bits + shared_size : shared_size;
    struct expr *v[3];
    int reg = ptx_operands(c, "pl", v);
    if (p->panic) return;
    v[1] = formula_value(p, pos, v, "a - t(%" PRIu64 ") < t(%" PRIu64 ")", shared_window, size);
    v[2] = lift_is_local_of(p, v[0]);
    if (global)
        ptx_set(c, reg, formula_value(p, pos, v, "!(b || c)"));
    else if (local || lift_space_of(c->in) == LIFT_SHARED)
        ptx_set(c, reg, v[local ? 2 : 1]);
    else
        parse_error(p, pos, "not supported yet: whether an address is in memory of this kind");
}

/* Reads cvta.shared.u64 r, a and cvta.to.shared.u64 r, a. */
void lift_convert_address(struct column *c) {
    bool to = ptx_find_word(c->in, "to") > 0, shared = lift_space_of(c->in) == LIFT_SHARED;
    struct expr *v[1];
    int reg = ptx_operands(c, "tt", v);
    if (shared && !c->p.panic)
        v[0] = formula_value(&c->p, v[0]->pos, v, to ? "a - u64(%" PRIu64 ")" : "a + u64(%" PRIu64 ")",
                             shared_window);
    ptx_set(c, reg, v[0]);
}
