/* culitmus: the CUDA harness. Runs `play` on very many instances at once and counts what came out.
 *
 * Without waits and barriers in the test, every thread plays every role, each for another instance ("shuffled").
 * With them every thread plays one role, so that all threads of an instance run at the same time ("dedicated"). */
enum {
    DEDICATED = WAITS || BARRIERS || NTHREADS > 8,
    KEY_BITS = NOBS == 1 ? 32 : 64 / NOBS, /* of a value in a packed outcome */
};

/* ---- layout -------------------------------------------------------------------------------------------------- */

/* Word offset of an instance's first element of a location, in a space with `elements` an instance. */
ROLE size_t place(const struct environment *e, int set, int i, int first, int count, int elements)
{
    if (e->pow2 >= 0) {
        int mask = (1 << e->pow2) - 1;
        int h = i >> e->pow2, p = i & mask;
        p = (p * (1 + 2 * e->spread * first)) & mask;
        h = (h + e->skew * first) % e->homes;
        i = h << e->pow2 | p;
    }
    int word = e->interleave ? i * elements + first : first * e->instances + i * count;
    return ((size_t)set * elements * e->instances + word) * e->stride;
}

ROLE loc global_at(const struct run *run, int set, int i, int first, int count)
{
    return run->env->global + place(run->env, set, i, first, count, GLOBAL_ELEMENTS);
}

ROLE loc host_at(const struct run *run, int set, int i, int first, int count)
{
    return run->env->host + place(run->env, set, i, first, count, HOST_ELEMENTS);
}

extern __shared__ int shared_words[]; /* [2][SHARED_ELEMENTS x per_block x stride] */

/* Instances in shared memory lie in their home block: with clusters that may be another block of the cluster. */
ROLE shared_loc shared_at(const struct run *run, int set, int i, int first, int count)
{
    const struct environment *e = run->env;
    int p = i % e->per_block;
    int word = e->interleave ? p * SHARED_ELEMENTS + first : first * e->per_block + p * count;
    shared_loc s = {(unsigned)__cvta_generic_to_shared(
        shared_words + (size_t)(set * SHARED_ELEMENTS * e->per_block + word) * e->stride)};
#if CLUSTER
    unsigned rank = i / e->per_block % CLUSTER;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(s.address) : "r"(s.address), "r"(rank));
#endif
    return s;
}

/* ---- who is where -------------------------------------------------------------------------------------------- */

/* Ends a round: everything written before it, by any block, is visible after it. */
ROLE void grid_barrier(const struct environment *e, unsigned *goal)
{
    __syncthreads();
    if (threadIdx.x == 0) {
        unsigned seen;
        *goal += gridDim.x;
        asm volatile("atom.acq_rel.gpu.global.add.u32 %0, [%1], 1;" : "=r"(seen) : "l"(&e->control->arrived) : "memory");
        seen++;
        while ((int)(seen - *goal) < 0)
            asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(&e->control->arrived) : "memory");
    }
    __syncthreads();
}

/* Numbers the blocks so that neighbours are on different multiprocessors: by turn, then by multiprocessor. */
ROLE int virtual_block(const struct environment *e, unsigned *goal)
{
    __shared__ unsigned sm, turn_on_sm, number;
    if (threadIdx.x == 0) {
        asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
        sm %= MAX_SM;
        turn_on_sm = atomicAdd(&e->control->sm_blocks[sm], 1u);
        number = 0;
    }
    grid_barrier(e, goal);
    unsigned before = 0;
    for (unsigned s = threadIdx.x; s < MAX_SM; s += blockDim.x) {
        unsigned n = e->control->sm_blocks[s];
        before += min(n, turn_on_sm) + (s < sm && n > turn_on_sm);
    }
    if (before) atomicAdd(&number, before);
    __syncthreads();
    if (threadIdx.x == 0) e->sm_of[number] = sm;
    return number;
}

/* Which instance of which home this thread plays in a role; -1: none. */
struct part {
    int thread; /* role, -1: idle */
    int i;      /* instance */
};

#if CLUSTER
/* The block that is `steps` ranks from this one in its cluster. */
ROLE int neighbour(int vb, int steps)
{
    return vb / CLUSTER * CLUSTER + (vb % CLUSTER + steps) % CLUSTER;
}
#endif

/* Shuffled: role k of an instance is played `k's block` partners away from its home, in another warp or lane. */
ROLE int shuffled_instance(const struct environment *e, int vb, int k)
{
    int blocks = gridDim.x, t = threadIdx.x;
#if CLUSTER
    int home = neighbour(vb, CLUSTER - seat_block[k]);
#else
    int home = (vb + blocks - seat_block[k] * e->distance % blocks) % blocks;
#endif
    if (LANES > 1) t ^= seat_lane[k];                 /* same warp: another lane */
    else t ^= (k * e->mix) & 31;
    t = (t + blockDim.x - 32 * seat_warp[k]) % blockDim.x; /* same block: another warp */
    return home * e->per_block + t;
}

/* Dedicated: a team of BLOCKS neighbouring blocks plays per_block instances; a warp belongs to one of WARPS seats,
 * its lanes to 32 / LANES instances. */
ROLE part dedicated_part(const struct environment *e, int vb, unsigned *warp_mask)
{
    int group = vb % BLOCKS, team = vb / BLOCKS;
    int warp = threadIdx.x / 32 % WARPS, slot = threadIdx.x / 32 / WARPS;
    int lane = threadIdx.x % 32 % LANES, sub = threadIdx.x % 32 / LANES;
    int p = slot * (32 / LANES) + sub;
    part mine = {-1, 0};
    if (team >= e->homes || p >= e->per_block || sub >= 32 / LANES) return mine;
    unsigned mask = 0;
    for (int k = 0; k < NTHREADS; k++) {
        if (seat_block[k] != group || seat_warp[k] != warp) continue;
        mask |= 1u << (sub * LANES + seat_lane[k]);
        if (seat_lane[k] == lane) mine.thread = k;
    }
    *warp_mask = mask;
    mine.i = team * e->per_block + p;
    return mine;
}

/* ---- counting ------------------------------------------------------------------------------------------------ */

struct block_table {
    unsigned long long keys[SLOTS];
    unsigned counts[SLOTS];
};

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
    *key = k;
    return fits && k != EMPTY_KEY;
}

/* The slot of a key in a table of n slots, taken if it is new; -1 when the table is full. */
ROLE int find_slot(unsigned long long *keys, int n, unsigned long long key)
{
    unsigned h = (unsigned)(key ^ key >> 32) * 2654435761u >> 16;
    for (int probe = 0; probe < n; probe++, h++) {
        unsigned long long seen = *(volatile unsigned long long *)&keys[h & (n - 1)];
        if (seen == EMPTY_KEY) seen = atomicCAS(&keys[h & (n - 1)], EMPTY_KEY, key);
        if (seen == key || seen == EMPTY_KEY) return h & (n - 1);
    }
    return -1;
}

/* Outcomes that do not pack: compared value by value under a lock. Rare, so slow is fine. */
__device__ __noinline__ void count_wide(const struct environment *e, const int *obs)
{
    struct control *c = e->control;
    for (bool done = false; !done;) {
        if (atomicCAS(&c->wide_lock, 0, 1) != 0) continue;
        __threadfence();
        unsigned used = *(volatile unsigned *)&c->wide_used, s = 0;
        for (; s < used; s++) {
            bool same = true;
            for (int o = 0; o < NOBS; o++) same = same && *(volatile int *)&e->wide[s * NOBS + o] == obs[o];
            if (same) break;
        }
        if (s == WIDE_SLOTS) {
            atomicAdd(&c->lost, 1u);
        } else {
            if (s == used) {
                for (int o = 0; o < NOBS; o++) *(volatile int *)&e->wide[s * NOBS + o] = obs[o];
                *(volatile unsigned *)&c->wide_used = used + 1;
            }
            atomicAdd(&e->wide_counts[s], 1ull);
        }
        __threadfence();
        atomicExch(&c->wide_lock, 0);
        done = true;
    }
}

ROLE void count(const struct environment *e, struct block_table *table, const int *obs)
{
    unsigned long long key;
    int slot = pack(obs, &key) ? find_slot(table->keys, SLOTS, key) : -1;
    if (slot >= 0) atomicAdd(&table->counts[slot], 1u);
    else count_wide(e, obs);
}

/* A block's table into the launch's. */
ROLE void flush(const struct environment *e, struct block_table *table)
{
    __syncthreads();
    for (int s = threadIdx.x; s < SLOTS; s += blockDim.x) {
        if (table->keys[s] == EMPTY_KEY) continue;
        int slot = find_slot(e->keys, BIG_SLOTS, table->keys[s]);
        if (slot >= 0) atomicAdd(&e->counts[slot], (unsigned long long)table->counts[s]);
        else atomicAdd(&e->control->lost, table->counts[s]);
    }
}

/* Did an instance get a flag in this round or before? What later rounds of faster blocks wrote does not count, so
 * that all blocks leave after the same round. */
ROLE bool stopped(const struct environment *e, int round)
{
    unsigned at = *(volatile unsigned *)&e->control->stop;
    return at != 0 && (unsigned)round + 1 >= at;
}

/* Takes the outcome of instance i of a set that nobody plays now, and gives its locations their initial values. */
ROLE void settle(const struct environment *e, struct run *run, struct block_table *table, int set, int i, int round)
{
    int obs[NOBS];
    int *values = e->values + (size_t)set * (NOBS + 1) * e->instances + i;
    struct instance I = locate(run, set, i);
    observe(I, run, obs);
    for (int o = 0; o < NOBS; o++)
        if (obs_thread(o) >= 0) obs[o] = values[(size_t)o * e->instances];
    unsigned flags = CHECKED ? values[(size_t)NOBS * e->instances] : 0;
    if (!flags) {
        count(e, table, obs);
    } else {
        if (flags & FLAG_STUCK) atomicAdd(&e->control->stuck, 1u);
        if (flags & FLAG_BOUNDS) atomicAdd(&e->control->out_of_bounds, 1u);
        atomicCAS(&e->control->stop, 0u, round + 1u);
        values[(size_t)NOBS * e->instances] = 0;
    }
    init(I, run);
}

/* ---- playing ------------------------------------------------------------------------------------------------- */

ROLE void idle(const struct environment *e, unsigned *random)
{
    *random = *random * 1664525u + 1013904223u;
    for (unsigned n = (*random >> 8) % (unsigned)e->delay; n; n--) asm volatile("");
}

ROLE void play_one(const struct environment *e, struct run *run, int set, int thread, int i)
{
    int obs[NOBS];
    run->flags = 0;
    run->turns = 0;
    if (WAITS) run->deadline = clock64() + e->wait;
    play(thread, locate(run, set, i), run, obs);
    int *values = e->values + (size_t)set * (NOBS + 1) * e->instances + i;
    for (int o = 0; o < NOBS; o++)
        if (obs_thread(o) == thread) values[(size_t)o * e->instances] = obs[o];
    if (CHECKED && run->flags) atomicOr((unsigned *)&values[(size_t)NOBS * e->instances], run->flags);
}

/* A thread without a part passes the barriers that the others of its block pass. */
ROLE void idle_barriers(struct run *run, int vb)
{
    for (int n = 0; n < block_barriers[vb % BLOCKS]; n++) barrier_cta(run, 0, 0);
#if CLUSTER
    for (int n = 0; n < CLUSTER_BARRIERS; n++) barrier_cluster(run);
#endif
}

/* The role that a thread plays at step s. */
ROLE int role_at(const struct environment *e, int vb, int s)
{
    bool reverse = e->order == 1 || (e->order == 2 && vb % 2) || (e->order == 3 && threadIdx.x / 32 % 2);
    return reverse ? NTHREADS - 1 - s : s;
}

extern "C" __global__ void litmus(const __grid_constant__ struct environment env)
{
    const struct environment *e = &env;
    __shared__ struct block_table table;
    struct run run = {e, 0, 0, 0, ~0u};
    unsigned goal = 0, random = (unsigned)e->seed ^ (blockIdx.x * blockDim.x + threadIdx.x) * 2654435761u;
    for (int s = threadIdx.x; s < SLOTS; s += blockDim.x) {
        table.keys[s] = EMPTY_KEY;
        table.counts[s] = 0;
    }
#if CLUSTER
    int vb = blockIdx.x;
#else
    int vb = virtual_block(e, &goal);
#endif
    int home = DEDICATED ? (vb % BLOCKS == 0 ? vb / BLOCKS : e->homes) : vb;
    bool settles = home < e->homes && threadIdx.x < e->per_block;
    int mine = home * e->per_block + threadIdx.x;
    part played = {-1, 0};
    if (DEDICATED) played = dedicated_part(e, vb, &run.warp_mask);
    if (settles)
        for (int set = 0; set < 2; set++) init(locate(&run, set, mine), &run);
    grid_barrier(e, &goal);
#if !CLUSTER
    for (int k = 0; k < NTHREADS; k++) /* are "different blocks" on different multiprocessors? */
        if (threadIdx.x == 0 && !DEDICATED && seat_block[k] > 0 &&
            e->sm_of[vb] == e->sm_of[(vb + seat_block[k] * e->distance) % gridDim.x])
            atomicAdd(&e->control->same_sm, 1u);
#endif
    int r = 0;
    for (bool more = true; more && r < e->rounds; r++) {
        int set = r & 1;
        if (DEDICATED) {
            if (e->delay) idle(e, &random);
            if (played.thread >= 0) play_one(e, &run, set, played.thread, played.i);
            else idle_barriers(&run, vb);
        } else {
            for (int s = 0; s < NTHREADS; s++) {
                int k = role_at(e, vb, s);
                if (e->delay) idle(e, &random);
                play_one(e, &run, set, k, shuffled_instance(e, vb, k));
            }
        }
        if (r > 0 && settles) settle(e, &run, &table, set ^ 1, mine, r);
        grid_barrier(e, &goal);
        more = !CHECKED || !stopped(e, r);
    }
    if (r > 0 && settles) settle(e, &run, &table, (r - 1) & 1, mine, r);
    flush(e, &table);
    if (vb == 0 && threadIdx.x == 0) e->control->rounds = r;
}
