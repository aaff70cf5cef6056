/* Compresses a text by references to earlier text, in one block with the fixed codes of RFC 1951. */
#include "report/packed.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum {
    LEAST = 3, /* the shortest reference, in bytes */
    MOST = 258,
    REACH = 32768, /* how far back a reference may lead */
    HEADS = 1 << 13,
    TRIES = 64, /* how many earlier places are compared */
    END = 256,  /* the symbol for the end of the block */
};

struct packer {
    const unsigned char *in;
    size_t n;
    /* by hash: the last place with it; by place: the one before it with the same hash; -1: none */
    int *head, *before;
    struct text bytes;
    uint32_t bits;
    int nbits;
};

/* Adds bits, the lowest one first. */
static void put_bits(struct packer *p, unsigned value, int n) {
    p->bits |= value << p->nbits;
    p->nbits += n;
    for (; p->nbits >= 8; p->nbits -= 8) {
        char byte = (char)(p->bits & 0xff);
        text_add_n(&p->bytes, &byte, 1);
        p->bits >>= 8;
    }
}

/* Adds a code of the tables, the highest bit first. */
static void put_code(struct packer *p, unsigned code, int n) {
    while (n-- > 0)
        put_bits(p, code >> n & 1, 1);
}

static void put_symbol(struct packer *p, unsigned symbol) {
    if (symbol < 144)
        put_code(p, 0x30 + symbol, 8);
    else if (symbol < 256)
        put_code(p, 0x190 + symbol - 144, 9);
    else if (symbol < 280)
        put_code(p, symbol - 256, 7);
    else
        put_code(p, 0xc0 + symbol - 280, 8);
}

/* Lengths and distances are in groups. All of a group have the same symbol, and extra bits tell them
 * apart. */
static void put_length(struct packer *p, unsigned length) {
    unsigned base = 3, symbol = 257;
    int extra = 0;
    if (length == MOST) {
        put_symbol(p, 285);
        return;
    }
    while (length >= base + (1u << extra)) {
        base += 1u << extra;
        extra += symbol >= 264 && symbol % 4 == 0;
        symbol++;
    }
    put_symbol(p, symbol);
    put_bits(p, length - base, extra);
}

static void put_distance(struct packer *p, unsigned distance) {
    unsigned base = 1, symbol = 0;
    int extra = 0;
    while (distance >= base + (1u << extra)) {
        base += 1u << extra;
        extra += symbol >= 3 && symbol % 2 == 1;
        symbol++;
    }
    put_code(p, symbol, 5);
    put_bits(p, distance - base, extra);
}

static unsigned hash_at(const struct packer *p, size_t at) {
    uint32_t three = p->in[at] | (uint32_t)p->in[at + 1] << 8 | (uint32_t)p->in[at + 2] << 16;
    return three * 2654435761u >> 19;
}

static void remember(struct packer *p, size_t at) {
    if (at + LEAST > p->n) return;
    unsigned hash = hash_at(p, at);
    p->before[at] = p->head[hash];
    p->head[hash] = (int)at;
}

static unsigned match_length(const struct packer *p, size_t x, size_t y) {
    unsigned n = 0;
    while (n < MOST && y + n < p->n && p->in[x + n] == p->in[y + n])
        n++;
    return n;
}

/* Returns the length of the longest earlier text that equals the text here, and its distance. */
static unsigned find_match(const struct packer *p, size_t at, unsigned *distance) {
    unsigned best = 0;
    int tries = TRIES;
    if (at + LEAST > p->n) return 0;
    for (int x = p->head[hash_at(p, at)]; x >= 0 && at - (size_t)x <= REACH && tries-- > 0;
         x = p->before[x]) {
        unsigned n = match_length(p, (size_t)x, at);
        if (n <= best) continue;
        best = n;
        *distance = (unsigned)(at - (size_t)x);
    }
    return best;
}

static void put_block(struct packer *p) {
    put_bits(p, 1, 1); /* the last block */
    put_bits(p, 1, 2); /* with the fixed codes */
    for (size_t at = 0; at < p->n;) {
        unsigned distance = 0, n = find_match(p, at, &distance);
        if (n >= LEAST) {
            put_length(p, n);
            put_distance(p, distance);
        } else {
            n = 1;
            put_symbol(p, p->in[at]);
        }
        for (; n > 0; n--)
            remember(p, at++);
    }
    put_symbol(p, END);
    put_bits(p, 0, 7); /* fills the last byte */
}

static void put_base64(const unsigned char *in, size_t n, struct text *out) {
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    for (size_t k = 0; k < n; k += 3) {
        uint32_t three =
            (uint32_t)in[k] << 16 | (k + 1 < n ? (uint32_t)in[k + 1] << 8 : 0) | (k + 2 < n ? in[k + 2] : 0);
        size_t left = n - k < 3 ? n - k : 3;
        for (size_t j = 0; j <= left; j++)
            text_add_n(out, &letters[three >> (18 - 6 * j) & 63], 1);
    }
}

/* Adds bytes, compressed (RFC 1951, without a header), as base64 with the characters for addresses (RFC 4648)
 * and without '='. A browser reads them with its DecompressionStream of 'deflate-raw'. */
static void packed_put(const char *bytes, size_t n, struct text *out) {
    struct packer p = {.in = (const unsigned char *)bytes, .n = n};
    p.head = memory_check(malloc(HEADS * sizeof *p.head));
    p.before = memory_check(malloc((n + 1) * sizeof *p.before));
    memset(p.head, 0xff, HEADS * sizeof *p.head);
    put_block(&p);
    put_base64((const unsigned char *)p.bytes.s, p.bytes.len, out);
    text_free(&p.bytes);
    free(p.head);
    free(p.before);
}

void packed_put_path(const char *path, struct text *out) {
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_./~+";
    for (; *path; path++)
        if (strchr(plain, *path))
            text_add_n(out, path, 1);
        else
            text_printf(out, "%%%02X", (unsigned char)*path);
}

/* ---- links ---- */

/* The same as in playground/page.js. */
enum { MOST_BYTES = 256 * 1024, MOST_LETTERS = 32000 };

const char *packed_link(struct arena *a, const char *page, const char *text, const char *beside,
                        const char **why) {
    struct text packed = {0};
    size_t n = strlen(text);
    if (beside) {
        *why = arena_printf(a, "it needs the file '%s', which a link cannot hold", beside);
        return NULL;
    }
    if (n <= MOST_BYTES) packed_put(text, n, &packed);
    bool fits = n <= MOST_BYTES && packed.len <= MOST_LETTERS;
    const char *link = fits ? arena_printf(a, "%s#z=%s", page, packed.s) : NULL;
    if (!fits)
        *why = arena_printf(
            a, "it is too long: a link holds %d letters of a compressed test, and a page reads %d KiB",
            MOST_LETTERS, MOST_BYTES / 1024);
    text_free(&packed);
    return link;
}
