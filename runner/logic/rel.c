#include "logic/rel.h"

#include <stdlib.h>

#include "base/memory.h"

/* The bits of a set's last word that stand for events. */
static uint64_t last_mask(struct dim d) {
    return d.n % 64 ? ((uint64_t)1 << d.n % 64) - 1 : ~(uint64_t)0;
}

void set_fill(struct dim d, uint64_t *s) {
    memset(s, 0xff, (size_t)d.words * sizeof *s);
    if (d.words) s[d.words - 1] = last_mask(d);
}

void set_domain(struct dim d, uint64_t *s, const uint64_t *r) {
    memset(s, 0, (size_t)d.words * sizeof *s);
    for (int e = 0; e < d.n; e++)
        if (bits_any(rel_crow(d, r, e), (size_t)d.words)) set_add(s, e);
}

void set_range(struct dim d, uint64_t *s, const uint64_t *r) {
    memset(s, 0, (size_t)d.words * sizeof *s);
    for (int e = 0; e < d.n; e++)
        bits_or(s, rel_crow(d, r, e), (size_t)d.words);
}

/* Nearly all executions have at most 64 events, so one word a row. These have a loop of their own. */
static void compose_words1(int n, uint64_t *out, const uint64_t *a, const uint64_t *b) {
    for (int e = 0; e < n; e++) {
        uint64_t row = 0;
        for (uint64_t bits = a[e]; bits; bits &= bits - 1)
            row |= b[__builtin_ctzll(bits)];
        out[e] = row;
    }
}

void rel_compose(struct dim d, uint64_t *out, const uint64_t *a, const uint64_t *b) {
    if (d.words == 1) {
        compose_words1(d.n, out, a, b);
        return;
    }
    memset(out, 0, dim_rel(d) * sizeof *out);
    for (int e = 0; e < d.n; e++) {
        const uint64_t *row = rel_crow(d, a, e);
        for (int m = set_first(row, d.words); m >= 0; m = set_next(row, d.words, m))
            bits_or(rel_row(d, out, e), rel_crow(d, b, m), (size_t)d.words);
    }
}

void rel_compose_inverse(struct dim d, uint64_t *out, const uint64_t *a, const uint64_t *b) {
    memset(out, 0, dim_rel(d) * sizeof *out);
    for (int m = 0; m < d.n; m++) {
        const uint64_t *row = rel_crow(d, a, m);
        for (int e = set_first(row, d.words); e >= 0; e = set_next(row, d.words, e))
            bits_or(rel_row(d, out, e), rel_crow(d, b, m), (size_t)d.words);
    }
}

/* Transposes 64 rows of 64 bits: swaps the halves that lie off the diagonal, then does the same within each half. */
static void transpose(uint64_t block[64]) {
    uint64_t low = 0xffffffff; /* of each pair of halves, the first columns */
    for (int half = 32; half > 0; half /= 2, low ^= low << half)
        for (int row = 0; row < 64; row = ((row | half) + 1) & ~half) {
            uint64_t swap = (block[row] >> half ^ block[row | half]) & low;
            block[row] ^= swap << half;
            block[row | half] ^= swap;
        }
}

/* Reads rows 64 k on of column word w; whether any of them is not empty. */
static bool read_block(struct dim d, const uint64_t *a, int k, int w, uint64_t block[64]) {
    uint64_t any = 0;
    for (int row = 0; row < 64; row++) {
        int e = 64 * k + row;
        block[row] = e < d.n ? rel_crow(d, a, e)[w] : 0;
        any |= block[row];
    }
    return any;
}

static void inverse_words1(int n, uint64_t *out, const uint64_t *a) {
    for (int e = 0; e < n; e++)
        for (uint64_t bits = a[e]; bits; bits &= bits - 1)
            out[__builtin_ctzll(bits)] |= (uint64_t)1 << e;
}

void rel_inverse(struct dim d, uint64_t *out, const uint64_t *a) {
    uint64_t block[64];
    memset(out, 0, dim_rel(d) * sizeof *out);
    if (d.words == 1) {
        inverse_words1(d.n, out, a);
        return;
    }
    for (int k = 0; k < d.words; k++)
        for (int w = 0; w < d.words; w++) {
            if (!read_block(d, a, k, w, block)) continue;
            transpose(block);
            for (int e = 64 * w; e < 64 * (w + 1) && e < d.n; e++)
                rel_row(d, out, e)[k] = block[e - 64 * w];
        }
}

void rel_product(struct dim d, uint64_t *out, const uint64_t *s, const uint64_t *t) {
    for (int e = 0; e < d.n; e++) {
        uint64_t *row = rel_row(d, out, e);
        if (set_has(s, e))
            memcpy(row, t, (size_t)d.words * sizeof *t);
        else
            memset(row, 0, (size_t)d.words * sizeof *row);
    }
}

void rel_diagonal(struct dim d, uint64_t *out, const uint64_t *s) {
    memset(out, 0, dim_rel(d) * sizeof *out);
    for (int e = set_first(s, d.words); e >= 0; e = set_next(s, d.words, e))
        rel_add(d, out, e, e);
}

void rel_from(struct dim d, uint64_t *out, const uint64_t *s, const uint64_t *r) {
    for (int e = 0; e < d.n; e++) {
        size_t bytes = (size_t)d.words * sizeof *r;
        if (set_has(s, e))
            memcpy(rel_row(d, out, e), rel_crow(d, r, e), bytes);
        else
            memset(rel_row(d, out, e), 0, bytes);
    }
}

void rel_to(struct dim d, uint64_t *out, const uint64_t *r, const uint64_t *s) {
    for (int e = 0; e < d.n; e++)
        for (int w = 0; w < d.words; w++)
            rel_row(d, out, e)[w] = rel_crow(d, r, e)[w] & s[w];
}

void rel_complement(struct dim d, uint64_t *out, const uint64_t *a) {
    for (size_t i = 0; i < dim_rel(d); i++)
        out[i] = ~a[i];
    for (int e = 0; e < d.n; e++)
        rel_row(d, out, e)[d.words - 1] &= last_mask(d);
}

void rel_reflexive(struct dim d, uint64_t *r) {
    for (int e = 0; e < d.n; e++)
        rel_add(d, r, e, e);
}

static void close_over_words1(int n, uint64_t *r, uint64_t via) {
    for (; via; via &= via - 1) {
        int m = __builtin_ctzll(via);
        for (int e = 0; e < n; e++)
            r[e] |= r[m] & -(r[e] >> m & 1);
    }
}

/* rel_close_over for the events of word w. Column w of the words is copied, as it is read much more often
 * than it changes. */
static void close_over_word(struct dim d, uint64_t *r, int w, uint64_t via, uint64_t *column) {
    for (int e = 0; e < d.n; e++)
        column[e] = rel_crow(d, r, e)[w];
    for (; via; via &= via - 1) {
        int bit = __builtin_ctzll(via);
        const uint64_t *row = rel_crow(d, r, 64 * w + bit);
        if (!bits_any(row, (size_t)d.words)) continue;
        for (int e = 0; e < d.n; e++) {
            if (!(column[e] >> bit & 1)) continue;
            bits_or(rel_row(d, r, e), row, (size_t)d.words);
            column[e] |= row[w];
        }
    }
}

void rel_close_over(struct dim d, uint64_t *r, const uint64_t *via) {
    if (d.words == 1) {
        close_over_words1(d.n, r, *via);
        return;
    }
    uint64_t *column = memory_new((size_t)d.n + 1, sizeof *column);
    for (int w = 0; w < d.words; w++)
        if (via[w]) close_over_word(d, r, w, via[w], column);
    free(column);
}

void rel_close(struct dim d, uint64_t *r) {
    uint64_t *all = memory_new((size_t)d.words + 1, sizeof *all);
    set_fill(d, all);
    rel_close_over(d, r, all);
    free(all);
}

bool rel_is_irreflexive(struct dim d, const uint64_t *r) {
    for (int e = 0; e < d.n; e++)
        if (rel_has(d, r, e, e)) return false;
    return true;
}

/* Breadth-first search from `start` back to itself; `parent` has room for n. Returns the length or 0. */
static int find_cycle_through(struct dim d, const uint64_t *r, int start, int *parent, int *queue) {
    int head = 0, tail = 0;
    for (int e = 0; e < d.n; e++)
        parent[e] = -1;
    queue[tail++] = start;
    while (head < tail) {
        int e = queue[head++];
        const uint64_t *row = rel_crow(d, r, e);
        for (int m = set_first(row, d.words); m >= 0; m = set_next(row, d.words, m)) {
            if (m == start) {
                int length = 1;
                for (int k = e; k != start; k = parent[k])
                    length++;
                parent[start] = e;
                return length;
            }
            if (parent[m] >= 0) continue;
            parent[m] = e;
            queue[tail++] = m;
        }
    }
    return 0;
}

int rel_find_cycle(struct dim d, const uint64_t *r, int *cycle) {
    int *parent = memory_new(2 * (size_t)d.n, sizeof *parent);
    int best = 0;
    for (int e = 0; e < d.n; e++) {
        int length = find_cycle_through(d, r, e, parent, parent + d.n);
        if (length == 0 || (best && length >= best)) continue;
        best = length;
        for (int k = length - 1, at = parent[e]; k > 0; k--, at = parent[at])
            cycle[k] = at;
        cycle[0] = e;
    }
    free(parent);
    return best;
}
