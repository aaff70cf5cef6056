/* Relations of few events, for the second writing of the model. */
#ifndef CULITMUS_TEST_BRUTE_REL_H
#define CULITMUS_TEST_BRUTE_REL_H

#include <stdbool.h>
#include <stdint.h>

enum { MAX_EVENTS = 32 };

/* A relation: row e holds the events that e is related to. */
struct rel {
    uint32_t row[MAX_EVENTS];
};

static inline bool has(const struct rel *r, int x, int y) {
    return r->row[x] >> y & 1;
}

static inline void add(struct rel *r, int x, int y) {
    r->row[x] |= 1u << y;
}

static inline struct rel join(const struct rel *a, const struct rel *b) {
    struct rel r;
    for (int e = 0; e < MAX_EVENTS; e++)
        r.row[e] = a->row[e] | b->row[e];
    return r;
}

static inline struct rel meet(const struct rel *a, const struct rel *b) {
    struct rel r;
    for (int e = 0; e < MAX_EVENTS; e++)
        r.row[e] = a->row[e] & b->row[e];
    return r;
}

static inline struct rel then(const struct rel *a, const struct rel *b) {
    struct rel r = {{0}};
    for (int e = 0; e < MAX_EVENTS; e++)
        for (uint32_t left = a->row[e]; left; left &= left - 1)
            r.row[e] |= b->row[__builtin_ctz(left)];
    return r;
}

static inline struct rel or_self(const struct rel *a) {
    struct rel r = *a;
    for (int e = 0; e < MAX_EVENTS; e++)
        add(&r, e, e);
    return r;
}

static inline struct rel closure(const struct rel *a) {
    struct rel r = *a;
    for (int k = 0; k < MAX_EVENTS; k++)
        for (int e = 0; e < MAX_EVENTS && r.row[k]; e++)
            if (has(&r, e, k)) r.row[e] |= r.row[k];
    return r;
}

static inline bool is_acyclic(const struct rel *a) {
    struct rel r = closure(a);
    for (int e = 0; e < MAX_EVENTS; e++)
        if (has(&r, e, e)) return false;
    return true;
}

#endif
