/* Writing JSON (RFC 8259) as it comes: a member or an element a line, a blank in front for each level. Write errors are
 * left in the stream.
 *
 *     struct json_out j = {.out = out};
 *     json_open(&j, NULL, '{');
 *     json_put_text(&j, "name", "MP");
 *     json_close(&j, '}');
 *
 * `name` is that of a member; NULL in a list and for the whole. */
#ifndef CULITMUS_JSON_WRITE_H
#define CULITMUS_JSON_WRITE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/text.h"

struct json_out {
    FILE *out;
    int depth;
    bool begun; /* what is open has a value already */
};

/* Opens and closes an object ('{', and for the end '}') or a list ('[' and ']'). A line break follows the
 * outermost one. */
void json_open(struct json_out *j, const char *name, char bracket);
void json_close(struct json_out *j, char bracket);

void json_put_text(struct json_out *j, const char *name, const char *s); /* NULL: null */
void json_put_whole(struct json_out *j, const char *name, long long x);
void json_put_count(struct json_out *j, const char *name, uint64_t x);
/* Writes a real number as printf has printed it, such that it is read as a real number again: "1e+09" becomes
 * 1e9, and "2" becomes 2.0. */
void json_put_digits(struct json_out *j, const char *name, const char *digits);
/* Writes nine significant digits. A NaN or an infinity becomes null, since JSON has no word for them. */
void json_put_real(struct json_out *j, const char *name, double x);
void json_put_bool(struct json_out *j, const char *name, bool x);
void json_put_null(struct json_out *j, const char *name);

/* Text in quotes. Where it is no UTF-8, '?' stands for each byte that is no ASCII. */
void json_quote(struct text *t, const char *s);

#endif
