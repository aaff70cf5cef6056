/* Sets of values of a register. One that grows too large becomes a set of any numbers, together with the
 * locations, or the variables in .local memory, in which its numbers lie as addresses. */
#include <string.h>

#include "lift/reader.h"

/* bits of a number; low bits beyond this many are not tracked as common */
enum { ALL_BITS = 64, SHARED_BITS = 12 };

static uint64_t low_bits(int n) {
    return n >= ALL_BITS ? UINT64_MAX : (UINT64_C(1) << n) - 1;
}

/* Returns the bit of the location in which an address lies, whether it is generic or in shared memory. */
static uint64_t location_bit(const struct test *t, uint64_t address) {
    int loc = lift_location_at(t, address);
    if (loc < 0) loc = lift_location_at(t, lift_generic_of_shared(address));
    return loc < 0 ? 0 : UINT64_C(1) << loc;
}

/* Returns the bit of the variable in .local memory in which an address lies. */
static uint64_t local_bit(uint64_t address) {
    int k = lift_local_number(address);
    return k < 0 ? 0 : UINT64_C(1) << k;
}

uint64_t lift_locals_of(const struct lift_set *s) {
    uint64_t all = s->locals;
    for (int k = 0; k < s->n; k++)
        all |= local_bit(s->values[k]);
    return all;
}

uint64_t lift_locations_of(const struct test *t, const struct lift_set *s) {
    uint64_t all = s->locations;
    for (int k = 0; k < s->n; k++)
        all |= location_bit(t, s->values[k]);
    return all;
}

struct lift_set lift_set_one(uint64_t value) {
    return (struct lift_set){.n = 1, .values = {value}};
}

struct lift_set lift_set_any(uint64_t locations, int low, uint64_t rest) {
    return (struct lift_set){.any = true, .locations = locations, .low = low, .rest = rest & low_bits(low)};
}

/* Returns how many low bits two numbers have in common, at most `most`. */
static int common_bits(uint64_t a, uint64_t b, int most) {
    int n = 0;
    while (n < most && !((a ^ b) >> n & 1))
        n++;
    return n;
}

int lift_set_shared_bits(const struct lift_set *s, uint64_t *rest) {
    int n = s->any ? s->low : ALL_BITS;
    *rest = s->any ? s->rest : s->values[0];
    for (int k = 1; k < s->n; k++)
        n = common_bits(*rest, s->values[k], n);
    return n;
}

struct lift_set lift_set_widen(const struct test *t, const struct lift_set *s) {
    uint64_t rest;
    int low = lift_set_shared_bits(s, &rest);
    struct lift_set out = lift_set_any(lift_locations_of(t, s), low < SHARED_BITS ? low : SHARED_BITS, rest);
    out.locals = lift_locals_of(s);
    return out;
}

bool lift_set_is_empty(const struct lift_set *s) {
    return !s->any && s->n == 0;
}

bool lift_set_holds(const struct lift_set *s, uint64_t value) {
    for (int k = 0; k < s->n; k++)
        if (s->values[k] == value) return true;
    return false;
}

/* Adds to a set of any numbers. Returns whether it has grown. */
static bool add_any(struct lift_set *to, uint64_t locations, uint64_t locals, int low, uint64_t rest) {
    low = common_bits(to->rest, rest, to->low < low ? to->low : low);
    bool more = locations & ~to->locations || locals & ~to->locals || low < to->low;
    to->locations |= locations;
    to->locals |= locals;
    to->low = low;
    to->rest &= low_bits(low);
    return more;
}

bool lift_set_add(const struct test *t, struct lift_set *to, uint64_t value) {
    if (!to->any && lift_set_holds(to, value)) return false;
    if (!to->any && to->n < LIFT_MAX_VALUES) {
        to->values[to->n++] = value;
        return true;
    }
    bool grows = !to->any;
    if (grows) *to = lift_set_widen(t, to);
    return add_any(to, location_bit(t, value), local_bit(value), SHARED_BITS, value) || grows;
}

bool lift_set_join(const struct test *t, struct lift_set *to, const struct lift_set *from) {
    bool more = false;
    int same = 0; /* most additions change nothing, and then most numbers are at their old index */
    while (!to->any && same < from->n && same < to->n && from->values[same] == to->values[same])
        same++;
    for (int k = same; k < from->n; k++)
        more = lift_set_add(t, to, from->values[k]) || more;
    if (!from->any) return more;
    if (lift_set_is_empty(to)) {
        *to = *from;
        return true;
    }
    if (!to->any) more = true, *to = lift_set_widen(t, to);
    int low = from->low < SHARED_BITS ? from->low : SHARED_BITS;
    return add_any(to, from->locations, from->locals, low, from->rest) || more;
}
