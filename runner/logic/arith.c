#include "logic/arith.h"

#include <string.h>

int *arith_zero(struct gates *g, int n) {
    return arena_array(g->arena, (size_t)n, sizeof(int)); /* GATE_FALSE */
}

const int *arith_number(struct gates *g, struct value v, int n) {
    int *bits = arith_zero(g, n);
    for (int k = 0; k < n; k++)
        bits[k] = (k < 64 ? v.lo >> k : v.hi >> (k - 64)) & 1;
    return bits;
}

int arith_is_set(struct gates *g, const int *x, int n) {
    int any = GATE_FALSE;
    for (int k = 0; k < n; k++)
        any = gate_or(g, any, x[k]);
    return any;
}

int arith_differ(struct gates *g, const int *x, const int *y, int n) {
    int any = GATE_FALSE;
    for (int k = 0; k < n; k++)
        any = gate_or(g, any, gate_xor(g, x[k], y[k]));
    return any;
}

const int *arith_not(struct gates *g, const int *x, int n) {
    int *out = arith_zero(g, n);
    for (int k = 0; k < n; k++)
        out[k] = gate_not(x[k]);
    return out;
}

const int *arith_choose(struct gates *g, int which, const int *x, const int *y, int n) {
    int *out = arith_zero(g, n);
    for (int k = 0; k < n; k++)
        out[k] = gate_choose(g, which, x[k], y[k]);
    return out;
}

const int *arith_each(struct gates *g, int make(struct gates *g, int x, int y), const int *x, const int *y,
                      int n) {
    int *out = arith_zero(g, n);
    for (int k = 0; k < n; k++)
        out[k] = make(g, x[k], y[k]);
    return out;
}

/* Sums */

/* Writes x + y + carry to `out`. Returns the carry that is left. */
static int add(struct gates *g, const int *x, const int *y, int n, int carry, int *out) {
    for (int k = 0; k < n; k++) {
        int a = x[k], b = y[k], either = gate_xor(g, a, b);
        out[k] = gate_xor(g, either, carry);
        carry = gate_or(g, gate_and(g, a, b), gate_and(g, either, carry));
    }
    return carry;
}

const int *arith_add(struct gates *g, const int *x, const int *y, int n) {
    int *out = arith_zero(g, n);
    add(g, x, y, n, GATE_FALSE, out);
    return out;
}

const int *arith_subtract(struct gates *g, const int *x, const int *y, int n) {
    int *out = arith_zero(g, n);
    add(g, x, arith_not(g, y, n), n, GATE_TRUE, out);
    return out;
}

int arith_less(struct gates *g, const int *x, const int *y, int n, bool sign) {
    int *a = arith_zero(g, n), *b = arith_zero(g, n);
    memcpy(a, x, (size_t)n * sizeof *a);
    memcpy(b, arith_not(g, y, n), (size_t)n * sizeof *b);
    if (sign) {
        a[n - 1] = gate_not(a[n - 1]);
        b[n - 1] = gate_not(b[n - 1]);
    }
    return gate_not(add(g, a, b, n, GATE_TRUE, arith_zero(g, n)));
}

static const int *negate_if(struct gates *g, int condition, const int *x, int n) {
    const int *zero = arith_zero(g, n);
    return arith_choose(g, condition, arith_subtract(g, zero, x, n), x, n);
}

/* Products */

static int count_constants(const int *x, int n) {
    int count = 0;
    for (int k = 0; k < n; k++)
        count += x[k] <= GATE_TRUE;
    return count;
}

/* Whether y is the factor whose bits are gone through: the one with more constants. So x * y and y * x have
 * the same gates. */
static bool is_in_order(const int *x, const int *y, int n) {
    int more = count_constants(y, n) - count_constants(x, n);
    return more ? more > 0 : memcmp(x, y, (size_t)n * sizeof *x) <= 0;
}

const int *arith_multiply(struct gates *g, const int *x, const int *y, int n) {
    if (!is_in_order(x, y, n)) return arith_multiply(g, y, x, n);
    int *sum = arith_zero(g, n);
    for (int k = 0; k < n && !g->full; k++) {
        if (y[k] == GATE_FALSE) continue;
        int *part = arith_zero(g, n);
        for (int j = k; j < n; j++)
            part[j] = gate_and(g, x[j - k], y[k]);
        add(g, sum, part, n, GATE_FALSE, sum);
    }
    return sum;
}

/* Long division of unsigned numbers, where y is not 0. */
static void divide(struct gates *g, const int *x, const int *y, int n, const int **quotient,
                   const int **left) {
    int *digits = arith_zero(g, n);
    const int *rest = arith_zero(g, n), *against = arith_not(g, y, n);
    for (int k = n - 1; k >= 0 && !g->full; k--) {
        int *next = arith_zero(g, n), *less = arith_zero(g, n), above = rest[n - 1];
        memcpy(next + 1, rest, (size_t)(n - 1) * sizeof *next);
        next[0] = x[k];
        digits[k] = gate_or(g, above, add(g, next, against, n, GATE_TRUE, less));
        rest = arith_choose(g, digits[k], less, next, n);
    }
    *quotient = digits;
    *left = rest;
}

const int *arith_divide(struct gates *g, const int *x, const int *y, int n, bool sign, bool quotient) {
    const int *digits, *left;
    int minus_x = sign ? x[n - 1] : GATE_FALSE, minus_y = sign ? y[n - 1] : GATE_FALSE;
    divide(g, negate_if(g, minus_x, x, n), negate_if(g, minus_y, y, n), n, &digits, &left);
    const int *out =
        quotient ? negate_if(g, gate_xor(g, minus_x, minus_y), digits, n) : negate_if(g, minus_x, left, n);
    return arith_choose(g, arith_is_set(g, y, n), out, arith_zero(g, n), n);
}

/* Shifts */

const int *arith_left(struct gates *g, const int *x, const int *y, int n) {
    for (int by = 1, k = 0; by < n; by *= 2, k++) {
        int *moved = arith_zero(g, n);
        memcpy(moved + by, x, (size_t)(n - by) * sizeof *moved);
        x = arith_choose(g, y[k], moved, x, n);
    }
    return x;
}

const int *arith_right(struct gates *g, const int *x, const int *y, int n, int fill) {
    for (int by = 1, k = 0; by < n; by *= 2, k++) {
        int *moved = arith_zero(g, n);
        for (int j = 0; j < n; j++)
            moved[j] = j + by < n ? x[j + by] : fill;
        x = arith_choose(g, y[k], moved, x, n);
    }
    return x;
}

/* Counts */

static void add_bit(struct gates *g, int *sum, int n, int bit) {
    for (int k = 0; k < n && bit != GATE_FALSE; k++) {
        int before = sum[k];
        sum[k] = gate_xor(g, before, bit);
        bit = gate_and(g, before, bit);
    }
}

const int *arith_count(struct gates *g, const int *x, int n, int wide) {
    int *sum = arith_zero(g, wide);
    for (int k = 0; k < n; k++)
        add_bit(g, sum, wide, x[k]);
    return sum;
}

const int *arith_leading(struct gates *g, const int *x, int n, int wide) {
    int *sum = arith_zero(g, wide), none = GATE_TRUE;
    for (int k = n - 1; k >= 0; k--) {
        none = gate_and(g, none, gate_not(x[k]));
        add_bit(g, sum, wide, none);
    }
    return sum;
}
