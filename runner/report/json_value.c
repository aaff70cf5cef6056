#include "report/json.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- writing ---- */

static void put_scalar(struct json_out *j, const char *name, struct type t, struct value v) {
    char text[VALUE_MAX_TEXT];
    value_text(text, t, v);
    if (t.real && isfinite(strtod(text, NULL)))
        json_put_digits(j, name, text);
    else if (t.real || t.bits == 128)
        json_put_text(j, name, text);
    else if (t.bits == 64 && !t.sign)
        json_put_count(j, name, v.lo);
    else
        json_put_whole(j, name, value_int(t, v));
}

void json_put_value(struct json_out *j, const char *name, struct type t, struct value v) {
    if (!type_is_vector(t)) {
        put_scalar(j, name, t, v);
        return;
    }
    json_open(j, name, '[');
    for (int lane = 0; lane < t.lanes; lane++)
        put_scalar(j, NULL, type_lane(t), value_lane(t, v, lane));
    json_close(j, ']');
}

/* ---- reading ---- */

static bool read_text(const char *text, struct type *t, struct value *v) {
    *t = strncmp(text, "0x", 2) == 0 ? (struct type){128, 1, false, false} : type_double;
    return value_parse(text, *t, v) == VALUE_FINE;
}

/* A number with a fraction is read as a double, which holds every float. A whole number has 64 bits; it is
 * signed unless it needs the highest bit. */
static bool read_number(const char *text, struct type *t, struct value *v) {
    bool real = strpbrk(text, ".eE") != NULL;
    *t = real ? type_double : type_int64;
    if (!real && *text != '-' && strlen(text) >= 19) {
        bool fits = value_parse(text, type_uint64, v) == VALUE_FINE;
        if (fits && v->lo > INT64_MAX) *t = type_uint64;
        return fits;
    }
    return value_parse(text, *t, v) == VALUE_FINE;
}

static bool read_scalar(const struct json_value *from, struct type *t, struct value *v) {
    if (from->kind == JSON_IS_TEXT) return read_text(from->text, t, v);
    return from->kind == JSON_IS_NUMBER && read_number(from->text, t, v);
}

/* The elements of a vector of two may have 64 bits, those of a vector of four only 32; real ones are then
 * floats. */
static bool read_vector(const struct json_value *from, struct type *t, struct value *v) {
    size_t n = from->n, got = 0;
    struct type lane = {0}, here;
    struct value values[4];
    if (n != 2 && n != 4) return false;
    for (const struct json_value *item = from->first; item; item = item->next)
        if (!read_scalar(item, &here, &values[got++]) || !json_join_types(&lane, here)) return false;
    assert(got == n);
    if (lane.bits > 64) return false;
    const struct type read = lane;
    if (n == 4) lane.bits = 32;
    *t = (struct type){lane.bits, (uint8_t)n, lane.sign, lane.real};
    *v = (struct value){0};
    for (size_t k = 0; k < n; k++) {
        struct value element =
            lane.real ? value_convert(values[k], read, lane) : value_bits(lane, values[k].lo, values[k].hi);
        if (n == 4 && !lane.real && values[k].lo != element.lo && (int64_t)values[k].lo > INT32_MAX)
            return false;
        if (n == 4 && !lane.real && (int64_t)values[k].lo > INT32_MAX) t->sign = false;
        *v = value_set_lane(*t, *v, (int)k, element);
    }
    return true;
}

bool json_value_of(const struct json_value *from, struct type *t, struct value *v) {
    return from->kind == JSON_IS_LIST ? read_vector(from, t, v) : read_scalar(from, t, v);
}

bool json_join_types(struct type *t, struct type with) {
    bool same = t->bits == 0 || (t->bits == with.bits && t->lanes == with.lanes && t->real == with.real);
    with.sign = with.sign && (t->bits == 0 || t->sign);
    if (same) *t = with;
    return same;
}
