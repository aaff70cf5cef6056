/* SHA-256 (FIPS 180-4), by which an input can be known again: `sha256sum` prints the same. */
#ifndef CULITMUS_SHA256_H
#define CULITMUS_SHA256_H

#include <stddef.h>

enum { SHA256_TEXT = 64 + 1 };

/* In hexadecimal digits, with an end. */
void sha256_text(const void *data, size_t n, char out[SHA256_TEXT]);

#endif
