/* Chooses the half of the chip for each block and location of a test. docs/gpu-backend.md tells what GPUs
 * showed. */
#include <stdlib.h>

#include "gen/gen.h"

enum { MOST_THREADS = 8, MOST_EDGES = 32, MOST_WAYS = 1 << (HALVES_MOST_BLOCKS + HALVES_MOST_LOCATIONS) };

/* An edge of a thread in a block, between two locations; `from` is -1 if the thread accesses only one. */
struct crossing {
    int block, from, to;
};

/* One way to choose halves. Bit n of `blocks` or `locations`: block n or location n is in the second half. */
struct halves_way {
    unsigned blocks, locations;
    int score, number;
};

/* Appends the edges of a thread to `out`, in the order of its operations in the text. Returns their new
 * number. */
static int thread_edges(const struct test *t, int thread, int block, struct crossing *out, int n) {
    int from = -1, begin = n;
    for (int k = 1; k <= t->nops && n < MOST_EDGES; k++) {
        const struct op *op = &t->ops[k];
        if (op->body != t->threads[thread].body || op->place[0].loc < 0) continue;
        if (from >= 0 && op->place[0].loc != from)
            out[n++] = (struct crossing){block, from, op->place[0].loc};
        from = op->place[0].loc;
    }
    if (n == begin && from >= 0 && n < MOST_EDGES) out[n++] = (struct crossing){block, -1, from};
    return n;
}

/* Rates a way: 2 for each edge whose first access crosses to the other half, 2 for each whose second access
 * does not, 1 for each lone access that does not. */
static int score(const struct halves_way *w, const struct crossing *edges, int n) {
    int sum = 0;
    for (int k = 0; k < n; k++) {
        unsigned half = w->blocks >> edges[k].block & 1;
        bool near = (w->locations >> edges[k].to & 1) == half;
        sum += edges[k].from < 0 ? near : 2 * near;
        if (edges[k].from >= 0) sum += 2 * ((w->locations >> edges[k].from & 1) != half);
    }
    return sum;
}

static int by_score(const void *a, const void *b) {
    const struct halves_way *x = a, *y = b;
    return x->score != y->score ? y->score - x->score : x->number - y->number;
}

static int count_ones(unsigned bits) {
    int n = 0;
    for (; bits; bits &= bits - 1)
        n++;
    return n;
}

/* Whether the blocks can be in these halves. Neighbouring blocks are in different halves, so each half has as
 * many blocks as the other, or one more or less. If a block has several threads, the halves must alternate by
 * block number. */
static bool can_be(unsigned blocks, const struct seating *s, int nthreads) {
    int ones = count_ones(blocks);
    if (blocks & 1) return false; /* swapping the halves gives the same way */
    if (s->blocks < nthreads)
        for (int b = 0; b < s->blocks; b++)
            if ((int)(blocks >> b & 1) != b % 2) return false;
    return ones == s->blocks / 2 || ones == (s->blocks + 1) / 2;
}

static int list_ways(const struct test *t, const struct seating *s, const struct crossing *edges, int n,
                     struct halves_way *ways) {
    int nways = 0;
    for (unsigned blocks = 0; blocks < 1u << s->blocks; blocks++) {
        if (!can_be(blocks, s, t->nthreads)) continue;
        for (unsigned locations = 0; locations < 1u << t->nlocs; locations++, nways++) {
            ways[nways] = (struct halves_way){blocks, locations, 0, nways};
            ways[nways].score = score(&ways[nways], edges, n);
        }
    }
    qsort(ways, (size_t)nways, sizeof *ways, by_score);
    return nways;
}

/* Gives even positions to the blocks of one half, odd ones to those of the other. The half with more blocks
 * gets the even ones. */
static struct halves lay_out(const struct halves_way *w, int blocks, int locations) {
    struct halves h = {.other = w->locations};
    bool flip = count_ones(w->blocks) > blocks / 2;
    int next[2] = {0, 1};
    for (int b = 0; b < blocks; b++) {
        unsigned half = (w->blocks >> b & 1) ^ flip;
        h.offset[b] = next[half];
        next[half] += 2;
    }
    if (flip) h.other ^= (1u << locations) - 1;
    return h;
}

bool gen_halves(const struct test *t, const struct placement *p, int nth, struct halves *out) {
    struct arena *a = arena_open();
    struct seating s = gen_seating(a, t, p);
    struct crossing edges[MOST_EDGES];
    bool fits =
        s.blocks <= HALVES_MOST_BLOCKS && t->nlocs <= HALVES_MOST_LOCATIONS && t->nthreads <= MOST_THREADS;
    int n = 0;
    for (int k = 0; fits && k < t->nthreads; k++)
        n = thread_edges(t, k, s.block[k], edges, n);
    if (fits) {
        struct halves_way *ways = arena_array(a, MOST_WAYS, sizeof *ways);
        int nways = list_ways(t, &s, edges, n, ways);
        *out = lay_out(&ways[(nth - 1) % nways], s.blocks, t->nlocs);
    }
    arena_close(a);
    return fits;
}
