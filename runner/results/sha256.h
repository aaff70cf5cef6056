/* SHA-256 (FIPS 180-4), to identify inputs: `sha256sum` prints the same. */
#ifndef CULITMUS_SHA256_H
#define CULITMUS_SHA256_H

#include <stddef.h>

enum { SHA256_TEXT = 64 + 1 };

/* Writes the hash in hexadecimal digits, ended by a NUL. */
void sha256_text(const void *data, size_t n, char out[SHA256_TEXT]);

#endif
