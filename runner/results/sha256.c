#include "results/sha256.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { BLOCK = 64, WORDS = 8, ROUNDS = 64 };

/* The first bits of the fractions of the cube roots of the first 64 primes (FIPS 180-4, 4.2.2). */
static const uint32_t constants[ROUNDS] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t turned(uint32_t x, int by) {
    return x >> by | x << (32 - by);
}

/* Prepares the message schedule of a block (6.2.2, step 1). */
static void schedule(const unsigned char *block, uint32_t w[ROUNDS]) {
    for (int t = 0; t < 16; t++, block += 4)
        w[t] = (uint32_t)block[0] << 24 | (uint32_t)block[1] << 16 | (uint32_t)block[2] << 8 | block[3];
    for (int t = 16; t < ROUNDS; t++)
        w[t] = w[t - 16] + w[t - 7] + (turned(w[t - 15], 7) ^ turned(w[t - 15], 18) ^ w[t - 15] >> 3) +
               (turned(w[t - 2], 17) ^ turned(w[t - 2], 19) ^ w[t - 2] >> 10);
}

/* Adds a block to the hash (6.2.2, steps 2 to 4). */
static void add_block(uint32_t hash[WORDS], const unsigned char *block) {
    uint32_t w[ROUNDS], v[WORDS];
    schedule(block, w);
    memcpy(v, hash, sizeof v);
    for (int t = 0; t < ROUNDS; t++) {
        uint32_t a = v[0], e = v[4];
        uint32_t first = v[7] + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + ((e & v[5]) ^ (~e & v[6])) +
                         constants[t] + w[t];
        uint32_t second =
            (turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + ((a & v[1]) ^ (a & v[2]) ^ (v[1] & v[2]));
        memmove(v + 1, v, (WORDS - 1) * sizeof *v);
        v[4] += first;
        v[0] = first + second;
    }
    for (int k = 0; k < WORDS; k++)
        hash[k] += v[k];
}

/* Adds the rest of the data with its padding, a 1 bit, zeros and the number of bits, as one block or two
 * (5.1.1). */
static void add_end(uint32_t hash[WORDS], const unsigned char *rest, size_t left, size_t n) {
    unsigned char end[2 * BLOCK] = {0};
    size_t size = left + 9 > BLOCK ? 2 * BLOCK : BLOCK;
    memcpy(end, rest, left);
    end[left] = 0x80;
    for (size_t k = 0; k < 8; k++)
        end[size - 1 - k] = (unsigned char)((uint64_t)n * 8 >> 8 * k);
    for (size_t k = 0; k < size; k += BLOCK)
        add_block(hash, end + k);
}

void sha256_text(const void *data, size_t n, char out[SHA256_TEXT]) {
    uint32_t hash[WORDS] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                            0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    const unsigned char *at = data, *end = at + n;
    for (; end - at >= BLOCK; at += BLOCK)
        add_block(hash, at);
    add_end(hash, at, (size_t)(end - at), n);
    for (int k = 0; k < WORDS; k++)
        snprintf(out + 8 * k, SHA256_TEXT - 8 * (size_t)k, "%08x", (unsigned)hash[k]);
}
