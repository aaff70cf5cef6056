#include "litmus/histogram.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static uint64_t hash_values(const struct value *values, int n) {
    uint64_t h = 0x9e3779b97f4a7c15u;
    for (int i = 0; i < n; i++) {
        h = (h ^ values[i].lo) * 0xff51afd7ed558ccdu;
        h ^= h >> 32;
        if (values[i].hi) h = (h ^ values[i].hi) * 0xc4ceb9fe1a85ec53u;
    }
    return h;
}

/* Returns the slot of `index` with these values, or the free slot where they belong. */
static size_t find_slot(const struct histogram *h, const struct value *values) {
    size_t mask = h->nindex - 1, bytes = (size_t)h->nobs * sizeof *values;
    size_t slot = hash_values(values, h->nobs) & mask;
    while (h->index[slot] && (bytes && memcmp(h->outcomes[h->index[slot] - 1].values, values, bytes)))
        slot = (slot + 1) & mask;
    return slot;
}

/* Builds `index` again for all outcomes, so that at most half of it is full. */
static void rebuild_index(struct histogram *h) {
    if (h->nindex < 2 * h->cap) {
        h->nindex = 2 * h->cap;
        h->index = memory_resize(h->index, h->nindex, sizeof *h->index);
    }
    memset(h->index, 0, h->nindex * sizeof *h->index);
    for (size_t i = 0; i < h->n; i++)
        h->index[find_slot(h, h->outcomes[i].values)] = i + 1;
}

void histogram_add(struct histogram *h, const struct value *values, uint64_t count) {
    if (count == 0) return;
    if (h->n == h->cap) {
        h->cap = h->cap ? 2 * h->cap : 32;
        h->outcomes = memory_resize(h->outcomes, h->cap, sizeof *h->outcomes);
        rebuild_index(h);
    }
    size_t slot = find_slot(h, values);
    if (!h->index[slot]) {
        size_t bytes = (size_t)h->nobs * sizeof *values;
        struct outcome *o = &h->outcomes[h->n++];
        *o = (struct outcome){.values = memory_new(1, bytes ? bytes : 1)};
        if (bytes) memcpy(o->values, values, bytes);
        h->index[slot] = h->n;
    }
    h->outcomes[h->index[slot] - 1].count += count;
}

bool histogram_has(const struct histogram *h, const struct value *values) {
    return h->n > 0 && h->index[find_slot(h, values)];
}

struct histogram_order {
    const struct observable *obs;
    int nobs;
};

static int compare(const void *a, const void *b, void *ctx) {
    const struct histogram_order *by = ctx;
    const struct outcome *x = a, *y = b;
    int order = 0;
    for (int i = 0; i < by->nobs && !order; i++)
        order = value_order(by->obs[i].type, x->values[i], y->values[i]);
    return order;
}

void histogram_sort(struct histogram *h, const struct observable *obs) {
    struct histogram_order by = {obs, h->nobs};
    if (h->n == 0) return;
    qsort_r(h->outcomes, h->n, sizeof *h->outcomes, compare, &by);
    rebuild_index(h);
}

uint64_t histogram_total(const struct histogram *h) {
    uint64_t total = 0;
    for (size_t i = 0; i < h->n; i++)
        total += h->outcomes[i].count;
    return total;
}

void histogram_free(struct histogram *h) {
    for (size_t i = 0; i < h->n; i++)
        free(h->outcomes[i].values);
    free(h->outcomes);
    free(h->index);
    *h = (struct histogram){.nobs = h->nobs};
}
