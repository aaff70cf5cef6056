#include "litmus/ops.h"

#include <string.h>

const struct op_row op_rows[OP_COUNT] = {
#define ROW(name_, kind_, types_, value_, ...)                                                               \
    [name_] = {.name = name_, .kind = kind_, .types = TYPES_##types_, .value = #value_, __VA_ARGS__},
#include "litmus/ops.def"
};

const struct op_kind_row op_kinds[OP_KINDS] = {
#define KIND(kind_, name_, ...) [kind_] = {.name = name_, __VA_ARGS__},
#include "litmus/kinds.def"
};

const struct op_exchange_row op_exchanges[OP_EXCHANGES] = {
#define EXCHANGE(exchange_, ...) [exchange_] = {.name = #exchange_, __VA_ARGS__},
#include "litmus/exchanges.def"
};

int op_call_length(const struct op_call *call) {
    return (int)strcspn(call->usage, "(");
}

bool op_is_tag(const char *argument) {
    static const char *const begins[] = {"space_", "op_", "sem_", "scope_"};
    for (size_t k = 0; k < sizeof begins / sizeof *begins; k++)
        if (strncmp(argument, begins[k], strlen(begins[k])) == 0) return true;
    return false;
}

int op_call_key(const struct op_call *call) {
    int n = op_call_length(call);
    while (op_is_tag(call->usage + n + 1 + (call->usage[n] == ',')))
        n += 1 + (int)strcspn(call->usage + n + 1, ",)");
    return n;
}

int op_call_arguments(const struct op_call *call) {
    const char *s = call->usage + op_call_key(call);
    int n = 0;
    for (; *s && *s != ')'; s++)
        n += *s == ',' || (*s == '(' && s[1] != ')');
    return n;
}

static bool is_called(const struct op_call *c, const char *name, size_t n) {
    return c->usage[0] == name[0] && strncmp(c->usage, name, n) == 0 &&
           (op_call_length(c) == (int)n || op_call_key(c) == (int)n);
}

const struct op_row *op_find_call(const char *name, int arguments, const struct op_call **call) {
    const struct op_row *first = NULL;
    size_t n = strlen(name);
    for (int k = 0; k < OP_COUNT; k++)
        for (const struct op_call *c = op_rows[k].calls; c->usage; c++) {
            bool fits = is_called(c, name, n), exact = fits && op_call_arguments(c) == arguments;
            if (!exact && (!fits || first)) continue;
            first = &op_rows[k];
            *call = c;
            if (exact || arguments == ANY_ARGUMENTS) return first;
        }
    return first;
}

bool op_call_has(const struct op_call *call, const char *argument) {
    size_t n = strlen(argument);
    for (const char *s = strrchr(call->usage, '(') + 1, *end = s; *s != ')'; s = end) {
        while (*s == '&' || *s == ',' || *s == ' ')
            s++;
        for (end = s; *end != ',' && *end != ')';)
            end++;
        if ((size_t)(end - s) == n && memcmp(s, argument, n) == 0) return true;
    }
    return false;
}

int op_since(enum op_name name, enum order order, struct type t) {
    const struct op_row *row = &op_rows[name];
    if (row->kind == OP_RMW && t.bits == 128) return 90;
    return row->later == 0 || row->later >> order & 1 ? row->since : 0;
}

bool op_is_had(int cc, enum op_name name, enum order order, struct type t) {
    int before = op_rows[name].before;
    return cc >= op_since(name, order, t) && (!before || cc < before);
}

/* ---- types ---- */

const char *op_type_ptx(enum op_types types, struct type t) {
    struct type bits = {t.bits, t.lanes, false, false};
    switch (types) {
    case TYPES_NONE:
    case TYPES_MBARRIER:
    case TYPES_COPIED: return "";
    case TYPES_SENT: return type_ptx(t);
    case TYPES_ANY: return t.bits == 128 ? "b128" : type_ptx(t);
    case TYPES_SUM: return type_ptx(t.bits == 64 && !t.real ? bits : t); /* PTX has no add.s64 */
    case TYPES_ORDERED: return type_ptx(t);
    case TYPES_COUNT: return type_ptx(bits);
    case TYPES_BITS:
    case TYPES_SWAP:
    case TYPES_COMPARED: return t.bits == 16 ? "b16" : t.bits == 32 ? "b32" : t.bits == 64 ? "b64" : "b128";
    }
    return "";
}

const char *op_needs(enum op_types types, struct type t) {
    bool swaps = types == TYPES_SWAP || types == TYPES_COMPARED;
    if (types == TYPES_MBARRIER) return type_same(t, type_uint64) ? NULL : "64 bits";
    if (types == TYPES_SENT) return t.bits == 32 || t.bits == 64 ? NULL : "elements of 32 or 64 bits";
    if (types == TYPES_NONE || types == TYPES_ANY || types == TYPES_COPIED) return NULL;
    if (type_is_vector(t)) return "a scalar";
    if (t.real && types != TYPES_SUM && types != TYPES_SWAP) return "an integer";
    if (t.bits < 16 || (t.bits == 16 && types != TYPES_COMPARED)) return "32 or 64 bits";
    if (types == TYPES_COUNT && t.bits != 32) return "32 bits";
    return t.bits == 128 && !swaps ? "32 or 64 bits" : NULL;
}

/* ---- values ---- */

/* Functions that compute what the rows say is left in memory, in a type of C: each is a switch over all
 * names. */
#define DEFINE_VALUES(function, T_, U_)                                                                      \
    static T_ function(enum op_name name, T_ old, T_ v, T_ expected) {                                       \
        typedef T_ T;                                                                                        \
        typedef U_ U;                                                                                        \
        (void)sizeof(U);                                                                                     \
        (void)expected;                                                                                      \
        switch (name)
#define END_VALUES                                                                                           \
    case OP_COUNT: break;                                                                                    \
        }                                                                                                    \
        return old;                                                                                          \
        }

__extension__ typedef unsigned __int128 uint128;

/* clang-format off */
#define ROW(name_, kind_, types_, value_, ...) case name_: return value_;
DEFINE_VALUES(value_signed, int64_t, uint64_t) {
#include "litmus/ops.def"
END_VALUES

#define ROW(name_, kind_, types_, value_, ...) case name_: return value_;
DEFINE_VALUES(value_unsigned, uint128, uint128) {
#include "litmus/ops.def"
END_VALUES

/* On a float only sums are computed as floats; everything else works on its bits. */
#define FLOAT_NONE(value)     old
#define FLOAT_ANY(value)      old
#define FLOAT_SUM(value)      value
#define FLOAT_ORDERED(value)  old
#define FLOAT_COUNT(value)    old
#define FLOAT_BITS(value)     old
#define FLOAT_SWAP(value)     old
#define FLOAT_COMPARED(value) old
#define FLOAT_SENT(value)     old
#define FLOAT_COPIED(value)   old
#define FLOAT_MBARRIER(value) old
#define ROW(name_, kind_, types_, value_, ...) case name_: return FLOAT_##types_(value_);
DEFINE_VALUES(value_real_sum, double, double) {
#include "litmus/ops.def"
END_VALUES
            /* clang-format on */

            static uint128 as_bits(struct value v) {
                return (uint128)v.hi << 64 | v.lo;
            }

            /* In an atomic sum of floats in global memory a subnormal becomes a zero of its sign (PTX ISA,
             * "atom"). */
            static struct value flushed(struct type t, struct value v) {
                if (t.bits == 32 && (v.lo & 0x7f800000) == 0) v.lo &= 0x80000000;
                return v;
            }

            struct value op_value(enum op_name name, struct type t, struct value old, struct value operand,
                                  struct value expected) {
                enum op_types types = op_rows[name].types;
                if (t.real && types == TYPES_SUM)
                    return flushed(t,
                                   value_of_real(t, value_real_sum(name, value_real(t, flushed(t, old)),
                                                                   value_real(t, flushed(t, operand)), 0)));
                if (t.sign && !t.real && t.bits <= 64)
                    return value_from(t, value_signed(name, value_int(t, old), value_int(t, operand),
                                                      value_int(t, expected)));
                uint128 v = value_unsigned(name, as_bits(old), as_bits(operand), as_bits(expected));
                uint128 kept = t.bits < 128 ? v & (((uint128)1 << t.bits) - 1) : v;
                return (struct value){(uint64_t)kept, (uint64_t)(kept >> 64)};
            }
