#include "base/json_write.h"

#include <math.h>
#include <string.h>

#include "base/foreign.h"
#include "base/utf8.h"

static bool is_utf8(const char *s) {
    uint32_t character;
    for (size_t n = strlen(s), bytes; n > 0; s += bytes, n -= bytes)
        if ((bytes = utf8_decode(s, n, &character)) == 0) return false;
    return true;
}

/* Adds a character of several bytes. One that reorders or hides its neighbours is written as \uXXXX, beyond
 * 16 bits as a pair of surrogates (RFC 8259, 7). Returns how many bytes of `s` it took. */
static size_t add_wide(struct text *t, const char *s) {
    uint32_t c;
    size_t n = utf8_decode(s, strnlen(s, 4), &c);
    if (foreign_is_plain(c))
        text_add_n(t, s, n);
    else if (c < 0x10000)
        text_printf(t, "\\u%04X", c);
    else
        text_printf(t, "\\u%04X\\u%04X", 0xd7c0 + (c >> 10), 0xdc00 + (c & 0x3ff));
    return n;
}

/* Adds an escape sequence for a character that cannot stand in a JSON text. */
static void add_escape(struct text *t, unsigned char c) {
    static const char characters[] = "\"\\\b\f\n\r\t", letters[] = "\"\\bfnrt";
    const char *at = strchr(characters, c);
    if (at)
        text_printf(t, "\\%c", letters[at - characters]);
    else if (c < 0x20 || c == 0x7f)
        text_printf(t, "\\u%04X", c);
    else
        text_add(t, "?");
}

static bool is_plain(unsigned char c) {
    return c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
}

void json_quote(struct text *t, const char *s) {
    bool utf8 = is_utf8(s);
    text_add(t, "\"");
    while (*s) {
        size_t n = 0;
        while (is_plain((unsigned char)s[n]))
            n++;
        text_add_n(t, s, n);
        s += n;
        if (utf8 && (unsigned char)*s > 0x7f)
            s += add_wide(t, s);
        else if (*s)
            add_escape(t, (unsigned char)*s++);
    }
    text_add(t, "\"");
}

static void put_quoted(FILE *out, const char *s) {
    struct text t = {0};
    json_quote(&t, s);
    fputs(t.s, out);
    text_free(&t);
}

static void begin_line(const struct json_out *j) {
    fprintf(j->out, "\n%*s", j->depth, "");
}

/* Writes what comes before a member's or an element's value: the comma, the line break, the indentation, and
 * the name. */
static void begin_value(struct json_out *j, const char *name) {
    if (j->begun) fputc(',', j->out);
    if (j->depth > 0) begin_line(j);
    j->begun = true;
    if (!name) return;
    put_quoted(j->out, name);
    fputs(": ", j->out);
}

void json_open(struct json_out *j, const char *name, char bracket) {
    begin_value(j, name);
    fputc(bracket, j->out);
    j->depth++;
    j->begun = false;
}

void json_close(struct json_out *j, char bracket) {
    j->depth--;
    if (j->begun) begin_line(j);
    fputc(bracket, j->out);
    j->begun = true;
    if (j->depth == 0) fputc('\n', j->out);
}

void json_put_text(struct json_out *j, const char *name, const char *s) {
    begin_value(j, name);
    if (s)
        put_quoted(j->out, s);
    else
        fputs("null", j->out);
}

void json_put_whole(struct json_out *j, const char *name, long long x) {
    begin_value(j, name);
    fprintf(j->out, "%lld", x);
}

void json_put_count(struct json_out *j, const char *name, uint64_t x) {
    begin_value(j, name);
    fprintf(j->out, "%llu", (unsigned long long)x);
}

void json_put_digits(struct json_out *j, const char *name, const char *digits) {
    const char *e = strchr(digits, 'e');
    begin_value(j, name);
    fprintf(j->out, "%.*s", (int)strcspn(digits, "e"), digits);
    if (e)
        fprintf(j->out, "e%s%s", e[1] == '-' ? "-" : "", e + 2 + strspn(e + 2, "0"));
    else if (!strchr(digits, '.'))
        fputs(".0", j->out);
}

void json_put_real(struct json_out *j, const char *name, double x) {
    char digits[32];
    snprintf(digits, sizeof digits, "%.9g", x);
    if (isfinite(x))
        json_put_digits(j, name, digits);
    else
        json_put_null(j, name);
}

void json_put_bool(struct json_out *j, const char *name, bool x) {
    begin_value(j, name);
    fputs(x ? "true" : "false", j->out);
}

void json_put_null(struct json_out *j, const char *name) {
    json_put_text(j, name, NULL);
}
