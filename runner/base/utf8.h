/* UTF-8, as RFC 3629 has it. */
#ifndef CULITMUS_UTF8_H
#define CULITMUS_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* Decodes the character at s[0..n). Returns its length in bytes, or 0 if the bytes are no valid character. */
size_t utf8_decode(const char *s, size_t n, uint32_t *character);

/* Writes a character that is no surrogate. Returns its length in bytes, at most four. */
size_t utf8_write(uint32_t character, char *out);

#endif
