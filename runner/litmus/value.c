#include "litmus/value.h"

#include <assert.h>
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__extension__ typedef __int128 wide;
__extension__ typedef unsigned __int128 wide_bits;

/* ---- bits and numbers ---- */

static wide_bits bits_of(struct value v) {
    return (wide_bits)v.hi << 64 | v.lo;
}

static wide_bits mask(int bits) {
    assert(bits >= 0 && bits <= 128);
    return bits == 128 ? ~(wide_bits)0 : ((wide_bits)1 << bits) - 1;
}

/* Makes a scalar of the type from the low bits. */
static struct value make(struct type t, wide_bits bits) {
    bits &= mask(t.bits);
    return (struct value){(uint64_t)bits, (uint64_t)(bits >> 64)};
}

/* Returns an integer as a number with a sign. An unsigned one of 128 bits wraps around. */
static wide number(struct type t, struct value v) {
    wide_bits bits = bits_of(v);
    if (t.sign && bits >> (t.bits - 1) & 1) bits |= ~mask(t.bits);
    return (wide)bits;
}

/* Returns a half as a number. It has 10 bits of fraction and 5 of exponent. */
static double half_real(uint64_t bits) {
    int exponent = (int)(bits >> 10) & 31;
    double fraction = (double)(bits & 1023), size;
    if (exponent == 31)
        size = fraction != 0 ? NAN : INFINITY;
    else
        size = exponent ? ldexp(1024 + fraction, exponent - 25) : ldexp(fraction, -24);
    return bits >> 15 & 1 ? -size : size;
}

/* Returns the nearest half; of two, the even one. */
static uint64_t half_of(double d) {
    double size = fabs(d);
    int exponent = size < 0x1p-14 ? -14 : ilogb(size);
    if (size >= 65520) return 31 << 10 | (uint64_t)(signbit(d) != 0) << 15;
    uint64_t bits = (uint64_t)rint(ldexp(size, 10 - exponent)) + ((uint64_t)(exponent + 14) << 10);
    return bits | (uint64_t)(signbit(d) != 0) << 15;
}

double value_real(struct type t, struct value v) {
    uint32_t bits = (uint32_t)v.lo;
    float f;
    double d;
    memcpy(&f, &bits, sizeof f);
    memcpy(&d, &v.lo, sizeof d);
    return t.bits == 64 ? d : t.bits == 32 ? (double)f : half_real(v.lo);
}

struct value value_of_real(struct type t, double d) {
    float f = (float)d;
    uint64_t all;
    uint32_t bits;
    memcpy(&all, &d, sizeof all);
    memcpy(&bits, &f, sizeof bits);
    if (isnan(d)) return make(t, ((wide_bits)1 << (t.bits - 1)) - 1);
    return (struct value){t.bits == 64 ? all : t.bits == 32 ? bits : half_of(d), 0};
}

struct value value_bits(struct type t, uint64_t lo, uint64_t hi) {
    wide_bits bits = bits_of((struct value){lo, hi}) & mask(t.bits * t.lanes);
    return (struct value){(uint64_t)bits, (uint64_t)(bits >> 64)};
}

/* Converts an integer to a real type with one rounding. */
static struct value integer_to_real(struct type from, struct value v, struct type to) {
    if (to.bits == 64) return value_of_real(to, from.sign ? (double)number(from, v) : (double)bits_of(v));
    return value_of_real(to, (double)(from.sign ? (float)number(from, v) : (float)bits_of(v)));
}

struct value value_from(struct type t, long long n) {
    if (t.real) return integer_to_real(type_int64, value_bits(type_int64, (uint64_t)n, 0), t);
    return t.bits == 1 ? make(t, n != 0) : make(t, (wide_bits)(wide)n);
}

long long value_int(struct type t, struct value v) {
    return (long long)number(t, v);
}

bool value_is_true(struct type t, struct value v) {
    return t.real ? value_real(t, v) != 0 : !value_is_zero(v);
}

/* ---- conversions ---- */

static struct value real_to_integer(double f, struct type to) {
    if (to.bits == 1) return make(to, f != 0);
    if (isnan(f)) return make(to, 0);
    int digits = to.bits - to.sign;
    bool below = to.sign ? f < -ldexp(1, digits) : f <= -1, above = f >= ldexp(1, digits);
    wide_bits lowest = to.sign ? ~mask(digits) : 0;
    if (below || above) return make(to, below ? lowest : mask(digits));
    return make(to, f < 0 ? (wide_bits)(wide)f : (wide_bits)f);
}

struct value value_convert(struct value v, struct type from, struct type to) {
    if (type_same(from, to)) return v;
    assert(!type_is_vector(from) && !type_is_vector(to));
    if (from.real && to.real) return value_of_real(to, value_real(from, v));
    if (from.real) return real_to_integer(value_real(from, v), to);
    if (to.real) return integer_to_real(from, v, to);
    return to.bits == 1 ? make(to, !value_is_zero(v)) : make(to, (wide_bits)number(from, v));
}

/* ---- lanes ---- */

struct value value_lane(struct type vector, struct value v, int lane) {
    return make(type_lane(vector), bits_of(v) >> lane * vector.bits);
}

struct value value_set_lane(struct type vector, struct value v, int lane, struct value scalar) {
    assert(lane < vector.lanes && vector.bits * vector.lanes <= 128);
    int shift = lane * vector.bits;
    wide_bits bits = (bits_of(v) & ~(mask(vector.bits) << shift)) | bits_of(scalar) << shift;
    return (struct value){(uint64_t)bits, (uint64_t)(bits >> 64)};
}

static int order_scalars(struct type t, struct value x, struct value y) {
    if (t.real) {
        double a = value_real(t, x), b = value_real(t, y);
        if (isnan(a) || isnan(b)) return isnan(a) - isnan(b);
        return (a > b) - (a < b);
    }
    wide a = number(t, x), b = number(t, y);
    return t.sign ? (a > b) - (a < b) : (bits_of(x) > bits_of(y)) - (bits_of(x) < bits_of(y));
}

int value_order(struct type t, struct value x, struct value y) {
    for (int lane = 0; lane < t.lanes; lane++) {
        int order = order_scalars(type_lane(t), value_lane(t, x, lane), value_lane(t, y, lane));
        if (order) return order;
    }
    return 0;
}

/* ---- operators ---- */

static bool is_logical(enum expr_kind op) {
    return op == EXPR_NOT || op == EXPR_LAND || op == EXPR_LOR || (op >= EXPR_LT && op <= EXPR_NE);
}

struct type value_result(enum expr_kind op, struct type t) {
    if (op == EXPR_JOIN) t.lanes *= 2;
    bool counts = op == EXPR_POPC || op == EXPR_CLZ;
    return is_logical(op) || counts ? type_int : op == EXPR_LANE ? type_lane(t) : t;
}

bool value_has_operator(enum expr_kind op, struct type t) {
    bool bits = op == EXPR_COMPL || (op >= EXPR_POPC && op <= EXPR_BREV) || op == EXPR_MOD ||
                op == EXPR_SHL || op == EXPR_SHR || (op >= EXPR_AND && op <= EXPR_OR);
    return !type_is_vector(t) && !(t.real && bits);
}

/* Compares two reals, where NaN neither equals nor precedes anything, or two integers. */
static bool compare(enum expr_kind op, struct type t, struct value a, struct value b) {
    bool ordered = !t.real || (!isnan(value_real(t, a)) && !isnan(value_real(t, b)));
    int order = order_scalars(t, a, b);
    switch (op) {
    case EXPR_LT: return ordered && order < 0;
    case EXPR_LE: return ordered && order <= 0;
    case EXPR_GT: return ordered && order > 0;
    case EXPR_GE: return ordered && order >= 0;
    case EXPR_EQ: return ordered && order == 0;
    default: return !ordered || order != 0; /* EXPR_NE */
    }
}

static struct value apply_real(enum expr_kind op, struct type t, double a, double b) {
    switch (op) {
    case EXPR_NEG: return value_of_real(t, -a);
    case EXPR_MUL: return value_of_real(t, a * b);
    case EXPR_DIV: return value_of_real(t, a / b);
    case EXPR_ADD: return value_of_real(t, a + b);
    case EXPR_SUB: return value_of_real(t, a - b);
    default: assert(false); return value_of_real(t, 0); /* there is no other operator on reals */
    }
}

/* Returns the quotient or the remainder. */
static struct value divide(enum expr_kind op, struct type t, struct value a, struct value b) {
    wide x = number(t, a), y = number(t, b);
    bool quotient = op == EXPR_DIV;
    if (value_is_zero(b)) return make(t, 0);
    if (!t.sign) return make(t, quotient ? bits_of(a) / bits_of(b) : bits_of(a) % bits_of(b));
    if (y == -1) return make(t, quotient ? -(wide_bits)x : 0);
    return make(t, (wide_bits)(quotient ? x / y : x % y));
}

static int count_bits(wide_bits x) {
    return __builtin_popcountll((uint64_t)x) + __builtin_popcountll((uint64_t)(x >> 64));
}

static int count_leading(struct type t, wide_bits x) {
    int n = 0;
    while (n < t.bits && !(x >> (t.bits - 1 - n) & 1))
        n++;
    return n;
}

static wide_bits reverse(struct type t, wide_bits x) {
    wide_bits r = 0;
    for (int k = 0; k < t.bits; k++)
        r |= (x >> k & 1) << (t.bits - 1 - k);
    return r;
}

static struct value apply_integer(enum expr_kind op, struct type t, struct value a, struct value b) {
    wide_bits x = bits_of(a), y = bits_of(b);
    int shift = (int)b.lo & (t.bits - 1);
    switch (op) {
    case EXPR_NEG: return make(t, -x);
    case EXPR_COMPL: return make(t, ~x);
    case EXPR_POPC: return value_from(type_int, count_bits(x));
    case EXPR_CLZ: return value_from(type_int, count_leading(t, x));
    case EXPR_BREV: return make(t, reverse(t, x));
    case EXPR_MUL: return make(t, x * y);
    case EXPR_DIV:
    case EXPR_MOD: return divide(op, t, a, b);
    case EXPR_ADD: return make(t, x + y);
    case EXPR_SUB: return make(t, x - y);
    case EXPR_SHL: return make(t, x << shift);
    case EXPR_SHR: return make(t, t.sign ? (wide_bits)(number(t, a) >> shift) : x >> shift);
    case EXPR_AND: return make(t, x & y);
    case EXPR_XOR: return make(t, x ^ y);
    case EXPR_OR: return make(t, x | y);
    default: assert(false); return a; /* there is no other operator on integers */
    }
}

struct value value_apply(enum expr_kind op, struct type t, struct value a, struct value b) {
    switch (op) {
    case EXPR_BITS: return a;
    case EXPR_LANE: return value_lane(t, a, (int)b.lo);
    case EXPR_JOIN: {
        struct type all = value_result(op, t);
        all.bits *= t.lanes; /* two lanes, each with half of the bits */
        all.lanes = 2;
        return value_set_lane(all, a, 1, b);
    }
    case EXPR_NOT: return value_from(type_int, !value_is_true(t, a));
    case EXPR_LAND: return value_from(type_int, value_is_true(t, a) && value_is_true(t, b));
    case EXPR_LOR: return value_from(type_int, value_is_true(t, a) || value_is_true(t, b));
    case EXPR_LT:
    case EXPR_LE:
    case EXPR_GT:
    case EXPR_GE:
    case EXPR_EQ:
    case EXPR_NE: return value_from(type_int, compare(op, t, a, b));
    default:
        return t.real ? apply_real(op, t, value_real(t, a), value_real(t, b)) : apply_integer(op, t, a, b);
    }
}

/* ---- text ---- */

static enum value_problem parse_real(const char *text, struct type t, struct value *out) {
    char *end;
    *out = value_of_real(t, t.bits == 64 ? strtod(text, &end) : (double)strtof(text, &end));
    return end == text || *end || isspace((unsigned char)*text) ? VALUE_NO_NUMBER : VALUE_FINE;
}

/* Returns the value of a digit; 36 if it is none. */
static unsigned digit_of(char c) {
    return isdigit((unsigned char)c)   ? (unsigned)(c - '0')
           : isalpha((unsigned char)c) ? 10u + (unsigned)(tolower(c) - 'a')
                                       : 36u;
}

enum value_problem value_parse(const char *text, struct type t, struct value *out) {
    if (t.real) return parse_real(text, t, out);
    bool minus = *text == '-', out_of_range = false;
    if (*text == '-' || *text == '+') text++;
    unsigned base = *text != '0' ? 10 : text[1] == 'x' || text[1] == 'X' ? 16 : 8;
    if (base == 16) text += 2;
    if (!*text) return VALUE_NO_NUMBER;
    wide_bits n = 0;
    for (; *text; text++) {
        unsigned digit = digit_of(*text);
        if (digit >= base) return VALUE_NO_NUMBER;
        out_of_range = out_of_range || n > (mask(128) - digit) / base;
        n = n * base + digit;
    }
    wide_bits most = !minus ? mask(t.bits) : t.bits == 1 ? 0 : (wide_bits)1 << (t.bits - 1);
    if (out_of_range || n > most) return VALUE_OUT_OF_RANGE;
    *out = make(t, minus ? -n : n);
    return VALUE_FINE;
}

/* Writes a real number so that it is read back exactly: a float or a half with 9 digits, a double with as
 * many of 9 to 17 as it needs. */
static void print_real(struct text *out, struct type t, struct value v) {
    double x = value_real(t, v), back = x;
    char text[32];
    int digits = 9;
    do {
        snprintf(text, sizeof text, "%.*g", digits, x);
        back = t.bits == 64 ? strtod(text, NULL) : x;
    } while (back != x && !isnan(x) && digits++ < 17);
    text_add(out, text);
}

static void print_scalar(struct text *out, struct type t, struct value v) {
    if (t.real)
        print_real(out, t, v);
    else if (t.bits == 128 && v.hi)
        text_printf(out, "0x%llx%016llx", (unsigned long long)v.hi, (unsigned long long)v.lo);
    else if (t.bits == 128)
        text_printf(out, "0x%llx", (unsigned long long)v.lo);
    else if (t.sign)
        text_printf(out, "%lld", value_int(t, v));
    else
        text_printf(out, "%llu", (unsigned long long)v.lo);
}

void value_print(struct text *out, struct type t, struct value v) {
    if (!type_is_vector(t)) {
        print_scalar(out, t, v);
        return;
    }
    for (int lane = 0; lane < t.lanes; lane++) {
        text_add(out, lane ? "," : "{");
        print_scalar(out, type_lane(t), value_lane(t, v, lane));
    }
    text_add(out, "}");
}

const char *value_text(char buf[VALUE_MAX_TEXT], struct type t, struct value v) {
    struct text text = {0};
    value_print(&text, t, v);
    snprintf(buf, VALUE_MAX_TEXT, "%s", text.s);
    text_free(&text);
    return buf;
}
