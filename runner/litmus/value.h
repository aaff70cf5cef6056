/* A value of any type of type.h: its bits, little-endian as in memory, lane 0 lowest; bits that the type does
 * not have are 0, so values of one type are equal when their bits are.
 *
 * Integers are two's complement and wrap; a shift takes its count modulo the width; x / 0 and x % 0 are 0 and
 * the smallest number / -1 is itself, so that no backend can trap. */
#ifndef CULITMUS_VALUE_H
#define CULITMUS_VALUE_H

#include "base/text.h"
#include "litmus/operator.h"
#include "litmus/type.h"

struct value {
    uint64_t lo, hi;
};

static inline bool value_equal(struct value x, struct value y) {
    return x.lo == y.lo && x.hi == y.hi;
}

static inline bool value_is_zero(struct value v) {
    return (v.lo | v.hi) == 0;
}

/* Returns a value of the type with these bits. */
struct value value_bits(struct type t, uint64_t lo, uint64_t hi);
/* Returns an integer as a value of a scalar type. */
struct value value_from(struct type t, long long n);
/* Returns a scalar as an integer; of more than 64 bits the high ones are lost. */
long long value_int(struct type t, struct value v);
/* Whether a scalar is not 0. -0.0 is 0. */
bool value_is_true(struct type t, struct value v);
/* Compares two values: -1, 0 or 1. Vectors are compared lane by lane, x first; NaN comes last. */
int value_order(struct type t, struct value x, struct value y);

/* Converts a scalar as C does: it wraps, and a signed one is sign-extended. A real number is truncated to an
 * integer, and kept within its range. A vector converts only to its own type. */
struct value value_convert(struct value v, struct type from, struct type to);

struct value value_lane(struct type vector, struct value v, int lane);
struct value value_set_lane(struct type vector, struct value v, int lane, struct value scalar);

/* Returns the type of an operator's result if its operands have type `t`. */
struct type value_result(enum expr_kind op, struct type t);
/* Whether an operator is defined on a type: vectors have no operators, real numbers no bitwise ones. */
bool value_has_operator(enum expr_kind op, struct type t);
/* Applies an operator to operands of the promoted type `t`. The operands of && || and ! may have any scalar
 * type. For a lane, `a` is the vector and b its number. What is joined are scalars, or vectors of two. */
struct value value_apply(enum expr_kind op, struct type t, struct value a, struct value b);

enum value_problem { VALUE_FINE, VALUE_NO_NUMBER, VALUE_OUT_OF_RANGE };
/* A scalar from a decimal, hexadecimal (0x) or octal (0) number, which may be negative: all bit patterns of
 * the type can be written with and without a sign. A real number also as 1.5 or 1e-3. */
enum value_problem value_parse(const char *text, struct type t, struct value *out);
/* Decimal; a scalar of 128 bits as 0x...; a vector as {1,2,3,4}. */
void value_print(struct text *out, struct type t, struct value v);
/* Writes the same text into a buffer and returns that. */
enum { VALUE_MAX_TEXT = 96 };
const char *value_text(char buf[VALUE_MAX_TEXT], struct type t, struct value v);

/* Return a value of a real type as a double, and a double rounded to the type; every NaN becomes the same one.
 * An operator on two floats gives its exact result rounded to a double and then to a float. That is the same
 * as rounding once, because 53 >= 2 * 24 + 2 digits. */
double value_real(struct type t, struct value v);
struct value value_of_real(struct type t, double d);

#endif
