/* Terms as gates against the values that terms have: random terms of all operators and types, with random values. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../random.h"
#include "logic/rel.h"
#include "logic/sat.h"
#include "paths/circuit.h"

enum { READS = 4, DEPTH = 3, MOST_BITS = 128 };

/* More terms take a while; how many is the argument. */
static int terms = 3000;

static const struct type types[] = {
    {.bits = 32, .lanes = 1, .sign = true},
    {.bits = 32, .lanes = 1},
    {.bits = 64, .lanes = 1, .sign = true},
    {.bits = 64, .lanes = 1},
    {.bits = 8, .lanes = 1},
    {.bits = 16, .lanes = 1, .sign = true},
    {.bits = 128, .lanes = 1},
    {.bits = 32, .lanes = 1, .sign = true, .real = true},
    {.bits = 1, .lanes = 1},
};
enum { TYPES = sizeof types / sizeof *types, INTEGERS = TYPES - 2 };

static struct arena *arena;
static struct type read_types[READS];

static struct value some_value(struct type t) {
    uint64_t low = (uint64_t)pick(1 << 30) << 34 ^ (uint64_t)pick(1 << 30), high = low * 0x9e3779b97f4a7c15u;
    if (t.real && pick(3) == 0) return value_bits(t, 0x7f800000u | low << 31 | (uint64_t)pick(2), 0);
    return pick(2) ? value_from(t, pick(7) - 3) : value_bits(t, low, high);
}

static const struct sym *make(struct type t, int depth);

static const struct sym *as(const struct sym *s, struct type t) {
    if (type_same(s->type, t)) return s;
    return sym_make(arena, (struct sym){.kind = SYM_OP, .op = EXPR_CAST, .type = t, .a = s});
}

static const struct sym *make_leaf(struct type t) {
    int read = pick(READS);
    if (pick(3) == 0 || t.real != read_types[read].real) return sym_value(arena, t, some_value(t));
    return as(sym_read(arena, read_types[read], read), t);
}

/* Of a number, or of what is true. */
static const struct sym *make_logic(int depth) {
    static const enum expr_kind ops[] = {EXPR_LT, EXPR_LE,  EXPR_GT,   EXPR_GE, EXPR_EQ,
                                         EXPR_NE, EXPR_NOT, EXPR_LAND, EXPR_LOR};
    enum expr_kind op = ops[pick((int)(sizeof ops / sizeof *ops))];
    struct type of = types[pick(TYPES)];
    const struct sym *x = make(of, depth);
    return sym_apply(arena, op, x, op == EXPR_NOT ? NULL : make(of, depth));
}

static const struct sym *make_update(struct type t, int depth) {
    static const enum op_name fns[] = {RMW_ADD, RMW_SUB, RMW_MIN, RMW_MAX, RMW_AND, RMW_OR,
                                       RMW_XOR, RMW_INC, RMW_DEC, RMW_CAS, RMW_EXCH};
    struct sym s = {.kind = SYM_RMW, .fn = fns[pick((int)(sizeof fns / sizeof *fns))], .type = t};
    s.a = make(t, depth);
    s.b = make(t, depth);
    if (s.fn == RMW_CAS) s.c = make(t, depth);
    return sym_make(arena, s);
}

static const struct sym *make_operation(struct type t, int depth) {
    static const enum expr_kind ops[] = {EXPR_MUL, EXPR_DIV, EXPR_MOD, EXPR_ADD, EXPR_SUB,
                                         EXPR_SHL, EXPR_SHR, EXPR_AND, EXPR_XOR, EXPR_OR};
    static const enum expr_kind unary[] = {EXPR_NEG, EXPR_COMPL, EXPR_BREV};
    if (pick(4) == 0) return sym_apply(arena, unary[pick(3)], make(t, depth), NULL);
    return sym_apply(arena, ops[pick((int)(sizeof ops / sizeof *ops))], make(t, depth), make(t, depth));
}

static const struct sym *make_choice(struct type t, int depth) {
    struct sym s = {.kind = SYM_OP, .op = EXPR_COND, .type = t};
    s.a = make_logic(depth);
    s.b = make(t, depth);
    s.c = make(t, depth);
    if (s.a->kind == SYM_INT) return sym_is_true(s.a, NULL) ? s.b : s.c;
    return sym_make(arena, s);
}

static const struct sym *make(struct type t, int depth) {
    int what = pick(10);
    if (depth == 0 || what == 0) return make_leaf(t);
    if (what == 1) return make_choice(t, depth - 1);
    if (t.real) return sym_apply(arena, EXPR_NEG, make(t, depth - 1), NULL);
    if (what == 2 || t.bits == 1) return as(make_logic(depth - 1), t);
    if (what == 3) return as(make(types[pick(INTEGERS)], depth - 1), t);
    if (what == 4) return as(sym_apply(arena, pick(2) ? EXPR_POPC : EXPR_CLZ, make(t, depth - 1), NULL), t);
    if (what == 5 && t.bits >= 32 && t.bits <= 64) return make_update(t, depth - 1);
    return make_operation(t, depth - 1);
}

static bool bit_of(struct value v, int k) {
    return (k < 64 ? v.lo >> k : v.hi >> (k - 64)) & 1;
}

/* The literals are those of a value. */
static void check_constant(const int *bits, struct value value, int n) {
    for (int k = 0; k < n; k++)
        assert_int_equal(bits[k], bit_of(value, k));
}

/* Where the reads return what they do, a term has that value and no other. */
static void check_search(struct circuit *c, const struct sym *s, const struct value *returned,
                         struct value value) {
    int wanted[READS * MOST_BITS + 1], n = 0, differs = GATE_FALSE;
    const int *bits = circuit_term(c, 0, s);
    bool *gates;
    struct search_budget budget = {.left = 1000000};
    for (int k = 0; k < s->type.bits; k++)
        differs = gate_or(&c->gates, differs, bits[k] ^ bit_of(value, k));
    for (int r = 0; r < READS; r++) {
        const int *of = circuit_term(c, 0, sym_read(arena, read_types[r], r));
        for (int k = 0; k < read_types[r].bits; k++)
            wanted[n++] = of[k] ^ !bit_of(returned[r], k);
    }
    wanted[n] = differs;
    if (c->gates.full) return;
    gates = arena_array(arena, (size_t)c->gates.n, sizeof *gates);
    assert_int_equal(sat_find(&c->gates, wanted, n + 1, 1 << 24, &budget, gates), SAT_NEVER);
    wanted[n] = gate_not(differs);
    assert_int_equal(sat_find(&c->gates, wanted, n + 1, 1 << 24, &budget, gates), SAT_FOUND);
    for (int r = 0; r < READS; r++)
        assert_true(value_equal(circuit_read(c, 0, r, gates), returned[r]));
}

static void test_terms(void **state) {
    (void)state;
    static struct circuit_reads known, open;
    static struct circuit c;
    memset(&known.known, -1, sizeof known.known);
    arena = arena_open();
    for (int n = 0; n < terms; n++) {
        arena_reset(arena);
        for (int r = 0; r < READS; r++) {
            read_types[r] = types[pick(TYPES)];
            known.values[r] = some_value(read_types[r]);
        }
        const struct sym *s = make(types[pick(TYPES)], DEPTH);
        struct value value = sym_eval(s, known.values);
        circuit_open(&c, &known, &open, arena);
        check_constant(circuit_term(&c, 0, s), value, s->type.bits);
        circuit_open(&c, &open, &known, arena);
        check_constant(circuit_term(&c, 1, s), value, s->type.bits);
        check_search(&c, s, known.values, value);
    }
    arena_close(arena);
}

int main(int argc, char **argv) {
    if (argc > 1) terms = atoi(argv[1]);
    if (argc > 2) seed = (uint64_t)atoi(argv[2]) + 1;
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_terms)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
