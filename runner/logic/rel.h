/* Sets and relations over the events 0..n-1 of one execution, as bits.
 *
 * A set is `words` words; a relation is n rows of `words` words, row e holding the events that e is related
 * to. The caller owns all memory. Outputs may not overlap inputs unless a comment says so. */
#ifndef CULITMUS_REL_H
#define CULITMUS_REL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct dim {
    int n, words;
};

static inline struct dim dim_of(int n) {
    return (struct dim){n, (n + 63) / 64};
}

static inline size_t dim_rel(struct dim d) {
    return (size_t)d.n * (size_t)d.words;
}

static inline bool set_has(const uint64_t *s, int e) {
    return s[e >> 6] >> (e & 63) & 1;
}

static inline void set_add(uint64_t *s, int e) {
    s[e >> 6] |= (uint64_t)1 << (e & 63);
}

static inline void set_remove(uint64_t *s, int e) {
    s[e >> 6] &= ~((uint64_t)1 << (e & 63));
}

static inline uint64_t *rel_row(struct dim d, uint64_t *r, int e) {
    return r + (size_t)e * (size_t)d.words;
}

static inline const uint64_t *rel_crow(struct dim d, const uint64_t *r, int e) {
    return r + (size_t)e * (size_t)d.words;
}

static inline bool rel_has(struct dim d, const uint64_t *r, int from, int to) {
    return set_has(rel_crow(d, r, from), to);
}

static inline void rel_add(struct dim d, uint64_t *r, int from, int to) {
    set_add(rel_row(d, r, from), to);
}

static inline bool bits_any(const uint64_t *s, size_t words) {
    for (size_t i = 0; i < words; i++)
        if (s[i]) return true;
    return false;
}

static inline bool bits_meet(const uint64_t *a, const uint64_t *b, size_t words) {
    for (size_t i = 0; i < words; i++)
        if (a[i] & b[i]) return true;
    return false;
}

static inline bool bits_equal(const uint64_t *a, const uint64_t *b, size_t words) {
    return memcmp(a, b, words * sizeof *a) == 0;
}

static inline void bits_or(uint64_t *out, const uint64_t *a, size_t words) {
    for (size_t i = 0; i < words; i++)
        out[i] |= a[i];
}

static inline int bits_count(const uint64_t *s, size_t words) {
    int n = 0;
    for (size_t i = 0; i < words; i++)
        n += __builtin_popcountll(s[i]);
    return n;
}

/* for (int e = set_first(s, w); e >= 0; e = set_next(s, w, e)) */
static inline int set_next(const uint64_t *s, int words, int e) {
    e++;
    int w = e >> 6;
    if (w >= words) return -1;
    uint64_t bits = s[w] >> (e & 63) << (e & 63);
    while (!bits) {
        if (++w == words) return -1;
        bits = s[w];
    }
    return w * 64 + __builtin_ctzll(bits);
}

static inline int set_first(const uint64_t *s, int words) {
    return set_next(s, words, -1);
}

void set_fill(struct dim d, uint64_t *s); /* all n events */
void set_domain(struct dim d, uint64_t *s, const uint64_t *r);
void set_range(struct dim d, uint64_t *s, const uint64_t *r);

void rel_compose(struct dim d, uint64_t *out, const uint64_t *a, const uint64_t *b);
void rel_compose_inverse(struct dim d, uint64_t *out, const uint64_t *a, const uint64_t *b); /* a^-1 ; b */
void rel_inverse(struct dim d, uint64_t *out, const uint64_t *a);
void rel_product(struct dim d, uint64_t *out, const uint64_t *s, const uint64_t *t);
void rel_diagonal(struct dim d, uint64_t *out, const uint64_t *s);
void rel_from(struct dim d, uint64_t *out, const uint64_t *s, const uint64_t *r); /* [s] ; r */
void rel_to(struct dim d, uint64_t *out, const uint64_t *r, const uint64_t *s);   /* r ; [s] */
void rel_complement(struct dim d, uint64_t *out, const uint64_t *a);
void rel_reflexive(struct dim d, uint64_t *r); /* adds id, in place */
void rel_close(struct dim d, uint64_t *r);     /* transitive closure, in place */
/* Adds (x, y) for each path from x to y whose inner events are in `via`, in place. With all events, this is
 * the closure. */
void rel_close_over(struct dim d, uint64_t *r, const uint64_t *via);

bool rel_is_irreflexive(struct dim d, const uint64_t *r);

/* A shortest cycle of `r`: fills `cycle` with its events in order and returns how many (0: none). `cycle` has
 * room for n. */
int rel_find_cycle(struct dim d, const uint64_t *r, int *cycle);

#endif
