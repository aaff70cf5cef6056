#include "report/json_value.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

enum { MARK = 0x7f };

/* ---- writing ---- */

static json_t *json_of_scalar(struct type t, struct value v) {
    char buf[1 + VALUE_MAX_TEXT] = {MARK};
    const char *text = value_text(buf + 1, t, v);
    double real = t.real ? strtod(text, NULL) : 0;
    if (t.real) return isfinite(real) ? json_real(real) : json_string(text);
    if (t.bits == 128) return json_string(text);
    bool big = t.bits == 64 && !t.sign && v.lo > INT64_MAX;
    return big ? json_string(buf) : json_integer(value_int(t, v));
}

json_t *json_of_value(struct type t, struct value v) {
    if (!type_is_vector(t)) return json_of_scalar(t, v);
    json_t *list = json_array();
    for (int lane = 0; lane < t.lanes; lane++)
        json_array_append_new(list, json_of_scalar(type_lane(t), value_lane(t, v, lane)));
    return list;
}

void json_write(const char *text, FILE *out) {
    static const char mark[] = {'"', MARK, '\0'};
    for (const char *found; (found = strstr(text, mark)); text = found) {
        fwrite(text, 1, (size_t)(found - text), out);
        size_t n = strspn(found + 2, "0123456789");
        bool number = n && found[2 + n] == '"';
        fwrite(number ? found + 2 : found, 1, number ? n : 2, out);
        found += number ? n + 3 : 2;
    }
    fputs(text, out);
}

/* ---- reading ---- */

/* The length of the string that begins here. */
static size_t string_length(const char *s) {
    size_t n = 1;
    while (s[n] && s[n] != '"')
        n += s[n] == '\\' && s[n + 1] ? 2 : 1;
    return s[n] ? n + 1 : n;
}

/* Behind these the digits are not those of a number without a sign. */
static bool is_in_number(char c) {
    return c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E';
}

char *json_mark_numbers(const char *text) {
    struct text out = {0};
    char before = ' ';
    text_add(&out, "");
    while (*text) {
        size_t n = *text == '"' ? string_length(text) : strspn(text, "0123456789");
        const char *word = text;
        struct value v;
        bool whole = *text != '"' && n && !is_in_number(before) && !strchr(".eE", text[n]);
        char *copy = whole && n >= 19 ? strndup(text, n) : NULL;
        bool big = copy && value_parse(copy, type_uint64, &v) == VALUE_FINE && v.lo > INT64_MAX;
        if (n == 0) n = 1;
        before = text[n - 1];
        if (big) text_printf(&out, "\"%c", MARK);
        text_add_n(&out, word, n);
        if (big) text_add(&out, "\"");
        free(copy);
        text += n;
    }
    return out.s;
}

static bool read_text(const char *text, struct type *t, struct value *v) {
    bool marked = *text == MARK, wide = strncmp(text, "0x", 2) == 0;
    *t = marked ? type_uint64 : wide ? (struct type){128, 1, false, false} : type_float;
    return value_parse(text + marked, *t, v) == VALUE_FINE;
}

static bool read_scalar(const json_t *from, struct type *t, struct value *v) {
    if (json_is_string(from)) return read_text(json_string_value(from), t, v);
    *t = json_is_real(from) ? type_float : type_int64;
    char buf[64];
    snprintf(buf, sizeof buf, "%.9g", json_number_value(from));
    if (json_is_real(from)) return value_parse(buf, *t, v) == VALUE_FINE;
    *v = value_from(type_int64, json_integer_value(from));
    return json_is_integer(from);
}

/* Two elements may have 64 bits each; four have at most 32. */
static bool read_vector(const json_t *from, struct type *t, struct value *v) {
    size_t n = json_array_size(from);
    struct type lane = {0}, here;
    struct value values[4];
    for (size_t k = 0; k < n && k < 4; k++)
        if (!read_scalar(json_array_get(from, k), &here, &values[k]) || !json_join_types(&lane, here))
            return false;
    if (n != 2 && n != 4) return false;
    if (!lane.real && n == 4) lane.bits = 32;
    *t = (struct type){lane.bits, (uint8_t)n, lane.sign, lane.real};
    *v = (struct value){0};
    for (size_t k = 0; k < n; k++) {
        struct value element = value_bits(lane, values[k].lo, values[k].hi);
        if (n == 4 && !lane.real && values[k].lo != element.lo && (int64_t)values[k].lo > INT32_MAX)
            return false;
        if (n == 4 && !lane.real && (int64_t)values[k].lo > INT32_MAX) t->sign = false;
        *v = value_set_lane(*t, *v, (int)k, element);
    }
    return true;
}

bool json_value_of(const json_t *from, struct type *t, struct value *v) {
    return json_is_array(from) ? read_vector(from, t, v) : read_scalar(from, t, v);
}

bool json_join_types(struct type *t, struct type with) {
    bool same = t->bits == 0 || (t->bits == with.bits && t->lanes == with.lanes && t->real == with.real);
    with.sign = with.sign && (t->bits == 0 || t->sign);
    if (same) *t = with;
    return same;
}
