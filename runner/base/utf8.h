/* UTF-8, as RFC 3629 has it. */
#ifndef CULITMUS_UTF8_H
#define CULITMUS_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* The character at s[0..n). Returns its bytes, or 0 when they are no character. */
size_t utf8_decode(const char *s, size_t n, uint32_t *character);

/* Writes a character, which is no surrogate, and returns its bytes: at most four. */
size_t utf8_write(uint32_t character, char *out);

#endif
