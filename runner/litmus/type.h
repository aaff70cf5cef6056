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
    bool sign; /* it is signed, as every `real` is */
    bool real; /* IEEE 754, of 16, 32 or 64 bits */
};

extern const struct type type_bool, type_int16, type_uint16, type_int, type_unsigned, type_int64, type_uint64,
    type_half, type_float, type_double;

/* Finds a type by its name in C or CUDA ("unsigned long long", "uint4"), whose words are separated by one
 * blank. Returns false when there is none. */
bool type_find(const char *name, struct type *out);
/* Whether a word can be part of such a name: unsigned, signed, char, short, int, long. */
bool type_is_word(const char *word);
/* Finds a type by its name in PTX: s32 u64 b128 f32 v4.s32. b types are unsigned. */
bool type_find_ptx(const char *name, struct type *out);

/* Returns the usual name in C: "int", "uint64_t", "int4". */
const char *type_name(struct type t);
/* Returns the name in PTX: "s32", "v4.s32"; "u8" for bool. */
const char *type_ptx(struct type t);
/* Returns the name of a type that a text is similar to; NULL: none. */
const char *type_nearest(const char *name);
/* Returns a hint for a text that is no type: "; did you mean 'uint64_t'?", or all usual names. */
const char *type_hint(struct arena *a, const char *name);

int type_bytes(struct type t);
bool type_same(struct type x, struct type y);
bool type_is_vector(struct type t);
/* Returns the type of one lane. */
struct type type_lane(struct type t);
/* Returns the lane that `.x`, `.y`, `.z` or `.w` names; -1: this type has no such lane. */
int type_find_lane(struct type t, const char *name);
char type_lane_name(int lane);

/* Returns what C promotes a scalar to in an expression; and the common type of two. A half is compared as a
 * float. */
struct type type_promote(struct type t);
struct type type_common(struct type x, struct type y);

#endif
