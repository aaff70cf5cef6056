/* culitmus: how outcomes are counted. Each block has a table in its shared memory, and a launch has one for all. */
enum {
    KEY_BITS = NOBS == 1 ? 32 : 64 / NOBS, /* of a value in a packed outcome */
    SMALL_BITS = NOBS == 0 || NOBS > 8 ? 0 : 8 / NOBS, /* of a small value */
};

struct block_table {
    unsigned small[SLOTS]; /* outcomes whose values are all small, by these values */
    unsigned long long keys[ALL_SMALL ? 1 : SLOTS];
    unsigned counts[ALL_SMALL ? 1 : SLOTS];
};

/* All values in one index, if each is small; else -1. */
ROLE int small_index(const int *obs)
{
    unsigned all = 0, index = 0;
    each<NOBS>([&](int o) {
        all |= (unsigned)obs[o];
        index |= (unsigned)obs[o] << o * SMALL_BITS;
    });
    return SMALL_BITS > 0 && all < 1u << SMALL_BITS ? (int)index : -1;
}

/* All values in one key; false where one of them does not fit. */
ROLE bool pack(const int *obs, unsigned long long *key)
{
    if (KEY_BITS == 0) return false;
    unsigned long long k = 0;
    bool fits = true;
    for (int o = 0; o < NOBS; o++) {
        if (KEY_BITS < 32) fits = fits && obs[o] >= -(1ll << (KEY_BITS - 1)) && obs[o] < 1ll << (KEY_BITS - 1);
        k |= (unsigned long long)((unsigned)obs[o] & (KEY_BITS < 32 ? (1u << KEY_BITS % 32) - 1 : ~0u)) << o * KEY_BITS % 64;
    }
    *key = k ^ KEY_MASK;
    return fits && *key != 0;
}

/* The slot of a key in a table of n slots, taken if it is new; -1 when the table is full. */
ROLE int find_slot(unsigned long long *keys, int n, unsigned long long key)
{
    unsigned h = (unsigned)(key ^ key >> 32) * 2654435761u >> 16;
#pragma unroll 1
    for (int probe = 0; probe < n; probe++, h++) {
        unsigned long long seen = *(volatile unsigned long long *)&keys[h & (n - 1)];
        if (seen == 0) seen = atomicCAS(&keys[h & (n - 1)], 0ull, key);
        if (seen == key || seen == 0) return h & (n - 1);
    }
    return -1;
}

/* The place of an outcome among those that do not pack, from `first` up to `end`; -1: it is not there. */
ROLE int find_wide(const struct results *c, unsigned first, unsigned end, const int *obs)
{
    for (unsigned s = first; s < end; s++) {
        bool same = true;
#pragma unroll 1
        for (int o = 0; o < NOBS; o++) same = same && *(const volatile int *)&c->wide[s * NOBS + o] == obs[o];
        if (same) return (int)s;
    }
    return -1;
}

/* Outcomes that do not pack, or for which both tables are full: compared value by value. Only a new one takes the lock:
 * one that is there stays as it is, and is counted without. Who waits for the lock looks at what others add. */
ROLE void count_wide(struct results *c, const int *obs)
{
    unsigned seen = 0;
    int s = -1;
    while (s < 0) {
        unsigned used = *(volatile unsigned *)&c->wide_used;
        __threadfence();
        s = find_wide(c, seen, used, obs);
        seen = used;
        if (s >= 0 || atomicCAS(&c->wide_lock, 0, 1) != 0) continue;
        __threadfence();
        used = *(volatile unsigned *)&c->wide_used;
        s = find_wide(c, seen, used, obs);
        if (s < 0 && used < WIDE_SLOTS) {
#pragma unroll 1
            for (int o = 0; o < NOBS; o++) *(volatile int *)&c->wide[used * NOBS + o] = obs[o];
            __threadfence();
            *(volatile unsigned *)&c->wide_used = used + 1;
        }
        if (s < 0) s = (int)used;
        __threadfence();
        atomicExch(&c->wide_lock, 0);
    }
    if (s < WIDE_SLOTS) atomicAdd(&c->wide_counts[s], 1ull);
    else atomicAdd(&c->lost, 1u);
}

/* An outcome with a value that is not small: into the block's table, or into the launch's where that is full. */
ROLE void count_large(const struct launch_args *e, struct block_table *table, const int *obs)
{
    unsigned long long key;
    bool packs = pack(obs, &key);
    int slot = packs ? find_slot(table->keys, SLOTS, key) : -1;
    if (slot >= 0) {
        atomicAdd(&table->counts[slot], 1u);
        return;
    }
    struct results *c = e->results;
    if (packs) slot = find_slot(c->keys, BIG_SLOTS, key);
    if (slot >= 0) atomicAdd(&c->counts[slot], 1ull);
    else count_wide(c, obs);
}

/* An outcome that the test cannot have is brought to the host as it is, unless there are very many. */
ROLE void count_strange(struct results *c, const int *obs)
{
    unsigned at = atomicAdd(&c->wide_used, 1u);
    if (at >= WIDE_SLOTS) {
        atomicAdd(&c->lost, 1u);
        return;
    }
#pragma unroll 1
    for (int o = 0; o < NOBS; o++) c->wide[at * NOBS + o] = obs[o];
    c->wide_counts[at] = 1;
}

/* The one call in the loop that plays. It is given values, not an array, so that they can stay in registers. */
template <class... V>
__device__ __noinline__ void count_apart(const struct launch_args *e, struct block_table *table, V... values)
{
    const int obs[NOBS] = {values...};
    if constexpr (ALL_SMALL) count_strange(e->results, obs);
    else count_large(e, table, obs);
}

template <int N, class... V>
ROLE void count_values(const struct launch_args *e, struct block_table *table, const int *obs, V... values)
{
    if constexpr (N == 0) count_apart(e, table, values...);
    else count_values<N - 1>(e, table, obs, obs[N - 1], values...);
}

ROLE void count(const struct launch_args *e, struct block_table *table, const int *obs)
{
    int index = small_index(obs);
    if (index >= 0) atomicAdd(&table->small[index], 1u);
    else count_values<NOBS>(e, table, obs);
}

/* The key of the outcome whose values are small and have this index. */
ROLE unsigned long long small_key(int index)
{
    int obs[NOBS];
    unsigned long long key;
    for (int o = 0; o < NOBS; o++) obs[o] = index >> o * SMALL_BITS & ((1 << SMALL_BITS) - 1);
    return pack(obs, &key) ? key : 0;
}

ROLE void flush_into(const struct launch_args *e, unsigned long long key, unsigned n)
{
    if (n == 0) return;
    int slot = find_slot(e->results->keys, BIG_SLOTS, key);
    if (slot >= 0) atomicAdd(&e->results->counts[slot], (unsigned long long)n);
    else atomicAdd(&e->results->lost, n);
}

/* A block's table into the launch's. Where all values are small, each outcome has its own place in both. */
ROLE void flush(const struct launch_args *e, struct block_table *table)
{
    __syncthreads();
#pragma unroll 1
    for (int s = threadIdx.x; s < SLOTS; s += blockDim.x) {
        if constexpr (ALL_SMALL) {
            if (table->small[s] == 0) continue;
            e->results->keys[s] = small_key(s);
            atomicAdd(&e->results->counts[s], (unsigned long long)table->small[s]);
        } else {
#pragma unroll 1
            for (int n = 0; n < 2; n++)
                flush_into(e, n ? table->keys[s] : small_key(s), n ? table->counts[s] : table->small[s]);
        }
    }
}
