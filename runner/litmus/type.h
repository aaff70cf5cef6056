/* The type of a location, a register or an expression: one table of names, for C and for PTX.
 *
 * A scalar has one lane; a vector has 2 or 4 of one size. `bits` is the size of a lane: 8 to 128, or 1 for
 * bool, which takes a byte. */
#ifndef CULITMUS_TYPE_H
#define CULITMUS_TYPE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

struct type {
    uint8_t bits;
    uint8_t lanes;
    bool sign; /* signed; also of `real` */
    bool real; /* IEEE 754, of 16, 32 or 64 bits */
};

extern const struct type type_bool, type_int16, type_uint16, type_int, type_unsigned, type_int64, type_uint64,
    type_half, type_float, type_double;

/* By a name of C or CUDA ("unsigned long long", "uint4"), its words one blank apart. False when there is none. */
bool type_find(const char *name, struct type *out);
/* Whether a word may be part of a name of several words: unsigned, signed, char, short, int, long. */
bool type_is_word(const char *word);
/* By what PTX calls it: s32 u64 b128 f32 v4.s32. b is unsigned. */
bool type_find_ptx(const char *name, struct type *out);

/* Its usual name in C: "int", "uint64_t", "int4". */
const char *type_name(struct type t);
/* "s32", "v4.s32"; "u8" of bool. */
const char *type_ptx(struct type t);
/* The name of a type that a text is near to; NULL: none. */
const char *type_nearest(const char *name);
/* What to add where a name is none: "; did you mean 'uint64_t'?", or all usual names. */
const char *type_hint(struct arena *a, const char *name);

int type_bytes(struct type t);
bool type_same(struct type x, struct type y);
bool type_is_vector(struct type t);
/* Of one lane. */
struct type type_lane(struct type t);
/* The lane that `.x`, `.y`, `.z` or `.w` names; -1: this type has none of that name. */
int type_find_lane(struct type t, const char *name);
char type_lane_name(int lane);

/* What C makes of a scalar in an expression, and of two. A half is compared as a float. */
struct type type_promote(struct type t);
struct type type_common(struct type x, struct type y);

#endif
