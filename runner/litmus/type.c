#include "litmus/type.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/diag.h"

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

const struct type type_bool = {1, 1, false, false}, type_int16 = {16, 1, true, false},
                  type_uint16 = {16, 1, false, false}, type_int = {32, 1, true, false},
                  type_unsigned = {32, 1, false, false}, type_int64 = {64, 1, true, false},
                  type_uint64 = {64, 1, false, false}, type_half = {16, 1, true, true},
                  type_float = {32, 1, true, true}, type_double = {64, 1, true, true};

/* The first row of a type has its usual name. */
static const struct type_row {
    const char *name;
    const char *ptx;
    struct type type;
} rows[] = {
    {"int", "s32", {32, 1, true, false}},
    {"unsigned", "u32", {32, 1, false, false}},
    {"int64_t", "s64", {64, 1, true, false}},
    {"uint64_t", "u64", {64, 1, false, false}},
    {"int16_t", "s16", {16, 1, true, false}},
    {"uint16_t", "u16", {16, 1, false, false}},
    {"int8_t", "s8", {8, 1, true, false}},
    {"uint8_t", "u8", {8, 1, false, false}},
    {"__int128", "s128", {128, 1, true, false}},
    {"unsigned __int128", "u128", {128, 1, false, false}},
    {"bool", "u8", {1, 1, false, false}},
    {"float", "f32", {32, 1, true, true}},
    {"double", "f64", {64, 1, true, true}},
    {"half", "b16", {16, 1, true, true}},

    {"int2", "v2.s32", {32, 2, true, false}},
    {"int4", "v4.s32", {32, 4, true, false}},
    {"uint2", "v2.u32", {32, 2, false, false}},
    {"uint4", "v4.u32", {32, 4, false, false}},
    {"longlong2", "v2.s64", {64, 2, true, false}},
    {"ulonglong2", "v2.u64", {64, 2, false, false}},
    {"short2", "v2.s16", {16, 2, true, false}},
    {"short4", "v4.s16", {16, 4, true, false}},
    {"ushort2", "v2.u16", {16, 2, false, false}},
    {"ushort4", "v4.u16", {16, 4, false, false}},
    {"char2", "v2.s8", {8, 2, true, false}},
    {"char4", "v4.s8", {8, 4, true, false}},
    {"uchar2", "v2.u8", {8, 2, false, false}},
    {"uchar4", "v4.u8", {8, 4, false, false}},
    {"float2", "v2.f32", {32, 2, true, true}},
    {"float4", "v4.f32", {32, 4, true, true}},
    {"double2", "v2.f64", {64, 2, true, true}},
    {"half2", "v2.b16", {16, 2, true, true}},

    {"signed", NULL, {32, 1, true, false}},
    {"signed int", NULL, {32, 1, true, false}},
    {"int32_t", NULL, {32, 1, true, false}},
    {"uint", NULL, {32, 1, false, false}},
    {"unsigned int", NULL, {32, 1, false, false}},
    {"uint32_t", NULL, {32, 1, false, false}},
    {"long", NULL, {64, 1, true, false}},
    {"long int", NULL, {64, 1, true, false}},
    {"long long", NULL, {64, 1, true, false}},
    {"long long int", NULL, {64, 1, true, false}},
    {"ulong", NULL, {64, 1, false, false}},
    {"unsigned long", NULL, {64, 1, false, false}},
    {"unsigned long int", NULL, {64, 1, false, false}},
    {"unsigned long long", NULL, {64, 1, false, false}},
    {"unsigned long long int", NULL, {64, 1, false, false}},
    {"size_t", NULL, {64, 1, false, false}},
    {"ptrdiff_t", NULL, {64, 1, true, false}},
    {"clock_t", NULL, {64, 1, true, false}},
    {"short", NULL, {16, 1, true, false}},
    {"short int", NULL, {16, 1, true, false}},
    {"ushort", NULL, {16, 1, false, false}},
    {"unsigned short", NULL, {16, 1, false, false}},
    {"unsigned short int", NULL, {16, 1, false, false}},
    {"char", NULL, {8, 1, true, false}},
    {"signed char", NULL, {8, 1, true, false}},
    {"uchar", NULL, {8, 1, false, false}},
    {"unsigned char", NULL, {8, 1, false, false}},
    {"long2", NULL, {64, 2, true, false}},
    {"ulong2", NULL, {64, 2, false, false}},
    {"__half", NULL, {16, 1, true, true}},
    {"__half2", NULL, {16, 2, true, true}},
};

/* Finds an integer type in C's words in any order, such as "int long unsigned". */
static bool find_in_words(const char *name, struct type *out) {
    static const char *const words[] = {"unsigned", "signed", "int", "char", "short", "long", "__int128"};
    enum { UNSIGNED, SIGNED, INT, CHAR, SHORT, LONG, INT128 };
    int n[COUNT_OF(words)] = {0};
    for (size_t length; *name; name += length + (name[length] == ' ')) {
        size_t k = 0;
        length = strcspn(name, " ");
        while (k < COUNT_OF(words) && (strlen(words[k]) != length || memcmp(words[k], name, length) != 0))
            k++;
        if (k == COUNT_OF(words) || ++n[k] > 1 + (k == LONG)) return false;
    }
    int sizes = n[CHAR] + n[SHORT] + (n[LONG] > 0) + n[INT128];
    if (sizes > 1 || n[UNSIGNED] + n[SIGNED] > 1 || n[INT] > !(n[CHAR] || n[INT128])) return false;
    int bits = n[CHAR] ? 8 : n[SHORT] ? 16 : n[LONG] ? 64 : n[INT128] ? 128 : 32;
    *out = (struct type){(uint8_t)bits, 1, !n[UNSIGNED], false};
    return true;
}

bool type_find(const char *name, struct type *out) {
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        if (rows[i].name[0] == name[0] && strcmp(rows[i].name, name) == 0) {
            *out = rows[i].type;
            return true;
        }
    return strchr(name, ' ') && find_in_words(name, out);
}

bool type_is_word(const char *word) {
    static const char *const words[] = {"unsigned", "signed", "char", "short", "int", "long", "__int128"};
    for (size_t i = 0; i < COUNT_OF(words); i++)
        if (strcmp(words[i], word) == 0) return true;
    return false;
}

/* b32 is read as u32. */
bool type_find_ptx(const char *name, struct type *out) {
    char text[8];
    if (snprintf(text, sizeof text, "%s", name) >= (int)sizeof text) return false;
    char *bits = strchr(text, 'b');
    if (bits) *bits = 'u';
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        if (rows[i].ptx && strcmp(rows[i].ptx, text) == 0) {
            *out = rows[i].type;
            return true;
        }
    return false;
}

static const struct type_row *find_row(struct type t) {
    size_t i = 0;
    while (!type_same(rows[i].type, t))
        i++;
    return &rows[i];
}

const char *type_name(struct type t) {
    return find_row(t)->name;
}

const char *type_ptx(struct type t) {
    return find_row(t)->ptx;
}

const char *type_nearest(const char *name) {
    const char *names[COUNT_OF(rows)];
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        names[i] = rows[i].name;
    return diag_nearest(name, names, COUNT_OF(rows));
}

const char *type_hint(struct arena *a, const char *name) {
    const char *list = "", *sign = "; it can be ", *nearest = type_nearest(name);
    if (nearest) return arena_printf(a, "; did you mean '%s'?", nearest);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        if (!rows[i].ptx) continue;
        list = arena_printf(a, "%s%s%s", list, sign, rows[i].name);
        sign = ", ";
    }
    return list;
}

int type_bytes(struct type t) {
    return (t.bits + 7) / 8 * t.lanes;
}

bool type_same(struct type x, struct type y) {
    return x.bits == y.bits && x.lanes == y.lanes && x.sign == y.sign && x.real == y.real;
}

bool type_is_vector(struct type t) {
    return t.lanes > 1;
}

struct type type_lane(struct type t) {
    t.lanes = 1;
    return t;
}

int type_find_lane(struct type t, const char *name) {
    if (!type_is_vector(t) || strlen(name) != 1) return -1;
    for (int lane = 0; lane < t.lanes; lane++)
        if (type_lane_name(lane) == *name) return lane;
    return -1;
}

char type_lane_name(int lane) {
    return "xyzw"[lane];
}

struct type type_promote(struct type t) {
    if (type_same(t, type_half)) return type_float;
    return t.real || t.bits >= 32 ? t : type_int;
}

/* The usual arithmetic conversions (C11, 6.3.1.8). A real type holds every integer. Of two types of one size
 * the unsigned one wins; a larger signed type holds every value of a smaller type. */
struct type type_common(struct type x, struct type y) {
    x = type_promote(x);
    y = type_promote(y);
    if (x.real && y.real) return x.bits > y.bits ? x : y;
    if (x.real || y.real) return x.real ? x : y;
    if (x.bits != y.bits) return x.bits > y.bits ? x : y;
    return x.sign ? y : x;
}
