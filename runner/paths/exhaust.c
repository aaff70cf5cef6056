#include "paths/solve.h"

#include "logic/rel.h"

enum { MOST_BITS = 20, MOST_TERMS = 1 << 22, TERMS_A_UNIT = 10 };

/* Reads whose values are tried together, and how many bits of them matter. */
struct exhaust_reads {
    int reads[MAX_READS], n, bits;
};

struct exhaust {
    struct solve *solve;
    /* The bits of a read on which terms depend; 0: it is in no term. */
    uint64_t used[CIRCUIT_RUNS][MAX_READS];
    struct exhaust_reads shared;            /* reads of the first run to which some of the second are tied */
    struct exhaust_reads own[CIRCUIT_RUNS]; /* the other reads of each run */
    bool wide;                              /* some term has more than 64 bits */
};

/* Which bits matter */

static uint64_t all_bits(struct type t) {
    int n = t.bits * t.lanes;
    return n < 64 ? ((uint64_t)1 << n) - 1 : ~(uint64_t)0;
}

/* The bits from the lowest up to the highest of these. */
static uint64_t fill(uint64_t bits) {
    for (int by = 1; by < 64; by *= 2)
        bits |= bits >> by;
    return bits;
}

/* The bits of the operand of a cast on which some bits of the result depend. */
static uint64_t before_cast(struct type from, struct type to, uint64_t bits) {
    if (from.real || to.real || to.bits == 1) return all_bits(from);
    bool extends = from.sign && (bits & ~all_bits(from));
    return (bits & all_bits(from)) | (extends ? (uint64_t)1 << (from.bits - 1) : 0);
}

/* The bits of an operand on which some bits of the result depend. */
static uint64_t bits_of_operand(const struct sym *s, const struct sym *operand, const struct sym *other,
                                uint64_t bits) {
    switch (s->kind == SYM_OP ? s->op : EXPR_INT) {
    case EXPR_AND: return other->kind == SYM_INT ? bits & other->value.lo : bits;
    case EXPR_OR:
    case EXPR_XOR:
    case EXPR_COMPL: return bits;
    case EXPR_ADD:
    case EXPR_SUB:
    case EXPR_MUL:
    case EXPR_NEG: return operand->type.real ? all_bits(operand->type) : fill(bits);
    case EXPR_CAST: return before_cast(operand->type, s->type, bits);
    default: return all_bits(operand->type);
    }
}

/* Notes the bits of reads on which some bits of a term depend. */
static void find_bits(struct exhaust *x, int run, const struct sym *s, uint64_t bits) {
    if (s->type.bits * s->type.lanes > 64) x->wide = true;
    if (s->kind == SYM_READ) x->used[run][s->read] |= bits & all_bits(s->type);
    bool alone = sym_is_extreme(s) || !s->b; /* the condition of an extreme has all of it */
    if (s->a) find_bits(x, run, s->a, bits_of_operand(s, s->a, s->b, bits));
    if (!alone) find_bits(x, run, s->b, bits_of_operand(s, s->b, s->a, bits));
    if (!alone && s->c) find_bits(x, run, s->c, all_bits(s->c->type));
}

/* Notes the bits that matter to a run. Returns how many terms are computed to try its values once. */
static long long look_at_run(struct exhaust *x, int run) {
    const struct solve *s = x->solve;
    const struct solve_run *r = &s->runs[run];
    const struct sym *const *terms = run ? s->others : &s->term;
    int nterms = run ? s->nothers : s->term != NULL;
    long long weight = 1;
    for (int k = 0; k < r->nguards + nterms; k++) {
        const struct sym *term = k < r->nguards ? r->guards[k].sym : terms[k - r->nguards];
        if (k < r->nguards && !reads_share(&term->reads, &r->matter)) continue;
        find_bits(x, run, term, all_bits(term->type));
        weight += term->weight;
    }
    return weight;
}

static void add(struct exhaust *x, struct exhaust_reads *to, int run, int read) {
    bool known = set_has(x->solve->runs[run].reads.known.bits, read);
    if (known || x->used[run][read] == 0) return;
    to->reads[to->n++] = read;
    to->bits += bits_count(&x->used[run][read], 1);
}

static void share_out(struct exhaust *x) {
    bool shared[MAX_READS] = {false};
    for (int k = 0; k < x->solve->nreads; k++) {
        int to = solve_tied_to(x->solve, k);
        if (to < 0) add(x, &x->own[1], 1, k);
        if (to < 0 || x->used[1][k] == 0) continue;
        shared[to] = true;
        x->used[0][to] |= x->used[1][k];
    }
    for (int k = 0; k < x->solve->nreads; k++)
        add(x, shared[k] ? &x->shared : &x->own[0], 0, k);
}

/* False where the values are too many to be tried, or the time is over. */
static bool prepare(struct exhaust *x, struct solve *s) {
    *x = (struct exhaust){.solve = s};
    long long weight = 0;
    for (int run = 0; run < CIRCUIT_RUNS; run++)
        weight += look_at_run(x, run);
    share_out(x);
    int alone = x->own[0].bits > x->own[1].bits ? x->own[0].bits : x->own[1].bits;
    int bits = x->shared.bits + alone;
    if (x->wide || bits > MOST_BITS || weight << bits > MOST_TERMS) return false;
    return budget_wait(s->budget, (weight << bits) / TERMS_A_UNIT);
}

/* Their values */

/* Gives the reads of a set their values: the bits that matter of these reads, one after the other, are the
 * bits of a number. */
static void set_values(struct exhaust *x, int run, const struct exhaust_reads *of, uint64_t number) {
    for (int k = 0; k < of->n; k++) {
        struct value value = {0, 0};
        for (uint64_t left = x->used[run][of->reads[k]]; left; left &= left - 1, number >>= 1)
            if (number & 1) value.lo |= left & -left;
        x->solve->runs[run].reads.values[of->reads[k]] = value;
    }
}

static void share_values(struct exhaust *x, uint64_t number) {
    struct solve *s = x->solve;
    set_values(x, 0, &x->shared, number);
    for (int k = 0; k < s->nreads; k++)
        if (solve_tied_to(s, k) >= 0)
            s->runs[1].reads.values[k] = s->runs[0].reads.values[solve_tied_to(s, k)];
}

/* Whether the term of the first run differs from those of the second. */
static bool differs(const struct solve *s, struct value value) {
    for (int k = 0; k < s->nothers; k++)
        if (value_equal(value, sym_eval(s->others[k], s->runs[1].reads.values))) return false;
    return true;
}

/* Looks for values of the second run that go with those of the first. */
static bool try_second(struct exhaust *x, struct value value) {
    struct solve *s = x->solve;
    for (uint64_t k = 0; k >> x->own[1].bits == 0; k++) {
        set_values(x, 1, &x->own[1], k);
        if (solve_fulfils(&s->runs[1]) && (!s->term || differs(s, value))) return true;
    }
    return false;
}

/* Looks for values of both runs, while the values of the shared reads stay the same. Each value of the first
 * run's term is tried once, and at most one more than there are other terms: whatever the second run reads,
 * one of these differs from all others. So if none of them succeeds, the guards of the second run cannot
 * hold. */
static bool try_runs(struct exhaust *x, struct value *tried) {
    struct solve *s = x->solve;
    int n = 0, most = s->term ? s->nothers + 1 : 1;
    for (uint64_t k = 0; k >> x->own[0].bits == 0 && n < most; k++) {
        set_values(x, 0, &x->own[0], k);
        if (!solve_fulfils(&s->runs[0])) continue;
        struct value value = s->term ? sym_eval(s->term, s->runs[0].reads.values) : (struct value){0, 0};
        int same = 0;
        while (same < n && !value_equal(tried[same], value))
            same++;
        if (same < n) continue;
        tried[n++] = value;
        if (try_second(x, value)) return true;
    }
    return false;
}

bool exhaust_may(struct solve *s) {
    struct exhaust x;
    s->undecided = !prepare(&x, s);
    if (s->undecided) return true;
    struct arena *a = arena_open();
    struct value *tried = arena_array(a, (size_t)s->nothers + 1, sizeof *tried);
    bool found = false;
    for (uint64_t k = 0; k >> x.shared.bits == 0 && !found; k++) {
        share_values(&x, k);
        found = try_runs(&x, tried);
    }
    arena_close(a);
    return found;
}
