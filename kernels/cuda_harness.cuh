/* culitmus: the CUDA harness. Runs `play` on very many instances at once and counts what came out.
 *
 * Without waits and barriers in the test, every thread plays every role, each for another instance ("shuffled").
 * With them every thread plays one role, so that all threads of an instance run at the same time ("dedicated").
 *
 * Every cell compiles this anew, so loops that gain nothing by it are kept from being unrolled. */
#ifdef OWN_SHARED
enum { EACH_BLOCK = 1 }; /* has locations of its own */
#else
enum { EACH_BLOCK = 0 };
#endif

#ifndef KERNELS
#define KERNELS 0 /* of a stream, where there are several */
#endif

#ifndef COLD
#define COLD 0 /* an element of the test may lie on many pages */
#endif

enum {
    DEDICATED = WAITS || BARRIERS || EACH_BLOCK || KERNELS || NTHREADS > MAX_SHUFFLED,
    STEPS = !ONE_WARP ? NTHREADS : NTHREADS > 4 ? 8 : NTHREADS > 2 ? 4 : NTHREADS,
    NPLAN = DEDICATED ? 1 : STEPS, /* steps of a round */
    /* The first elements whose places in the instances of each step are kept in registers: all or none. */
    KEPT = !DEDICATED && !CHECKED && STEPS * GLOBAL_ELEMENTS <= MAX_KEPT ? GLOBAL_ELEMENTS : 0,
    LOCAL = OBSERVER >= 0 && !CHECKED && !HOST_THREADS && !KERNELS, /* one thread has the whole outcome: no need to bring it home */
    ALONE = GPUS == 1 && !HOST_THREADS && !CLUSTER, /* a launch argument may say that a block has all threads of its instances */
    FLOOD = DEDICATED ? MAX_FLOOD_DEDICATED : MAX_FLOOD,
    KEY_BITS = NOBS == 1 ? 32 : 64 / NOBS, /* of a value in a packed outcome */
    SMALL_BITS = NOBS == 0 || NOBS > 8 ? 0 : 8 / NOBS, /* of a small value */
};

/* Does something with 0, 1 .. N - 1. In a loop, what an array holds would go through memory: the compiler unrolls loops
 * after it has chosen what to keep in registers. */
template <int N, class F> ROLE void each(F f)
{
    if constexpr (N > 0) {
        each<N - 1>(f);
        f(N - 1);
    }
}

/* ---- layout -------------------------------------------------------------------------------------------------- */

/* `gpu` counts from the instance's home. */
ROLE loc global_at(const struct run *run, int chunk, int i, int first, int count, int gpu)
{
    const struct launch_args *e = run->env;
    int word = KEPT && count == 1 ? run->kept[first] : place(e, permuted(e, i, first), e->instances, first, count, GLOBAL_ELEMENTS);
    if (COLD && !KEPT && count == 1 && e->cold == first + 1) word = cold_place(e, permuted(e, i, first));
    return at_hand(e->global[(run->home + gpu) % GPUS] +
                   ((size_t)chunk * chunk_words(e, e->instances, GLOBAL_ELEMENTS) + word));
}

ROLE loc host_at(const struct run *run, int chunk, int i, int first, int count)
{
    const struct launch_args *e = run->env;
    int word = place(e, permuted(e, i, first), e->instances, first, count, HOST_ELEMENTS);
    return at_hand(e->host + ((size_t)chunk * chunk_words(e, e->instances, HOST_ELEMENTS) + word));
}

extern __shared__ __align__(16) int shared_words[]; /* [2 x batch] chunks of the block's own instances */

ROLE shared_loc own_shared_at(const struct run *run, int chunk, int i, int first, int count)
{
    const struct launch_args *e = run->env;
    int word = place(e, i % e->per_block, e->per_block, first, count, SHARED_ELEMENTS);
    shared_loc s = {(unsigned)__cvta_generic_to_shared(
        shared_words + chunk * chunk_words(e, e->per_block, SHARED_ELEMENTS) + word)};
    return s;
}

/* Instances in shared memory lie in their home block: with clusters that may be another block of the cluster. */
ROLE shared_loc shared_at(const struct run *run, int chunk, int i, int first, int count)
{
    const struct launch_args *e = run->env;
    shared_loc s = own_shared_at(run, chunk, i, first, count);
#if CLUSTER
    s = in_cluster(s, DEDICATED ? 0 : i / e->per_block % CLUSTER);
#endif
    return at_hand(s);
}

/* ---- who is where -------------------------------------------------------------------------------------------- */

/* A barrier that is never completed is a bug of ours: ends the kernel rather than the day. */
ROLE void spin(unsigned *spins)
{
    if (++*spins >= 1u << 27) __trap();
}

/* The last block of a GPU waits for the last blocks of the others. */
ROLE void meet_gpus(const struct launch_args *e, unsigned goal)
{
    unsigned seen, spins = 0, all = goal / gridDim.x * GPUS;
    ARRIVE(seen, &e->first->gpus_arrived, "sys");
    for (seen++; (int)(seen - all) < 0; spin(&spins)) LOOK(seen, &e->first->gpus_arrived, "sys");
}

/* The last block tells the CPU threads that the GPU has come, and waits for the last of them. */
ROLE void meet_host(const struct launch_args *e, unsigned number)
{
    unsigned seen, spins = 0, stop = *(volatile unsigned *)&e->first->stop;
    bool leave = number > (unsigned)e->rounds || (stop != 0 && number - 1 >= stop);
    TELL(&e->meeting->gpu.number, leave ? number | HOST_LEAVE : number, "sys");
    for (seen = number - 1; (int)(seen - number) < 0; spin(&spins)) LOOK(seen, &e->meeting->cpu.number, "sys");
}

/* Ends a round: everything written before it, by any block of any GPU and by the CPU, is visible after it. */
ROLE void grid_barrier(const struct launch_args *e, unsigned *goal)
{
    __syncthreads();
    if (threadIdx.x == 0) {
        unsigned seen, spins = 0;
        *goal += gridDim.x;
        ARRIVE(seen, &e->results->arrived, "gpu");
        seen++;
        if (GPUS == 1 && HOST_THREADS == 0) {
            for (; (int)(seen - *goal) < 0; spin(&spins)) LOOK(seen, &e->results->arrived, "gpu");
        } else if (seen == *goal) {
            if (GPUS > 1) meet_gpus(e, *goal);
            if (HOST_THREADS && *goal > gridDim.x) meet_host(e, *goal / gridDim.x - 1); /* the first numbers the blocks */
            TELL(&e->results->released, *goal, "gpu");
        } else {
            for (seen = *goal - 1; (int)(seen - *goal) < 0; spin(&spins)) LOOK(seen, &e->results->released, "gpu");
        }
    }
    __syncthreads();
}

/* Ends a round of a block that needs no other one. As behind the grid barrier, no cache line of before is found. */
ROLE void block_barrier(const struct launch_args *e)
{
    unsigned seen;
    __syncthreads();
    if (threadIdx.x == 0) LOOK(seen, &e->results->arrived, "gpu");
    __syncthreads();
}

/* Numbers the blocks so that neighbours are on different multiprocessors: by turn, then by multiprocessor, or its rank. */
ROLE int virtual_block(const struct launch_args *e, unsigned *goal)
{
    __shared__ unsigned sm, turn_on_sm, number;
    if (threadIdx.x == 0) {
        sm = multiprocessor() % MAX_SM;
        if (e->rank) sm = e->rank[sm];
        turn_on_sm = atomicAdd(&e->results->sm_blocks[sm], 1u);
        number = 0;
    }
    grid_barrier(e, goal);
    unsigned before = 0;
#pragma unroll 1
    for (unsigned s = threadIdx.x; s < MAX_SM; s += blockDim.x) {
        unsigned n = e->results->sm_blocks[s];
        before += min(n, turn_on_sm) + (s < sm && n > turn_on_sm);
    }
    if (before) atomicAdd(&number, before);
    __syncthreads();
    if (threadIdx.x == 0) e->sm_of[number] = sm;
    return number;
}

/* What a thread plays: a role of an instance. */
struct part {
    int thread; /* -1: nothing */
    int home;   /* the instance's GPU */
    int i;      /* the instance, among those of its GPU */
    int kept[KEPT + 1];
};

ROLE void keep_places(const struct launch_args *e, int i, int *kept)
{
    for (int l = 0; l < KEPT; l++) {
        int p = permuted(e, i, l), word = place(e, p, e->instances, l, 1, GLOBAL_ELEMENTS);
        if (e->lines && i < e->instances) word = line_place(e, p, l);
        if (COLD && e->cold == l + 1) word = cold_place(e, p);
        kept[l] = known(word);
    }
}

#if CLUSTER
/* The block that is `steps` ranks from this one in its cluster. */
ROLE int neighbour(int vb, int steps)
{
    return vb / CLUSTER * CLUSTER + (vb % CLUSTER + steps) % CLUSTER;
}
#endif

/* Shuffled: role k of an instance is played `offset[k]` partners away from its home, in another warp or lane. */
ROLE int shuffled_instance(const struct launch_args *e, int vb, int k)
{
    int blocks = e->homes, t = threadIdx.x;
#if CLUSTER
    int home = neighbour(vb, CLUSTER - e->spots[k].block);
#else
    int home = (vb + blocks - e->offset[k] * e->distance % blocks) % blocks;
#endif
    if (e->lanes > 1) t ^= e->spots[k].lane;          /* same warp: another lane */
    else t ^= (k * e->mix) & 31;
    t = (t + blockDim.x - 32 * e->spots[k].warp) % blockDim.x; /* same block: another warp */
    return home * e->per_block + t;
}

/* Between the blocks of a team. */
ROLE int apart(const struct launch_args *e)
{
    return e->one_sm ? e->distance : 1;
}

/* Dedicated: a block plays per_block instances of its team; a warp belongs to one of `warps` seats, its lanes to
 * 32 / lanes instances. */
ROLE part dedicated_part(const struct launch_args *e, int vb, unsigned *warp_mask)
{
    int group = member_of(vb, e->blocks, apart(e)), team = team_of(vb, e->blocks, apart(e));
    int warp = threadIdx.x / 32 % e->warps, slot = threadIdx.x / 32 / e->warps;
    int lane = threadIdx.x % 32 % e->lanes, sub = threadIdx.x % 32 / e->lanes;
    int p = slot * (32 / e->lanes) + sub;
    part mine = {-1, 0, 0, {0}};
    if (team >= e->homes || p >= e->per_block || sub >= 32 / e->lanes) return mine;
    unsigned mask = 0;
#pragma unroll 1
    for (int k = 0; k < NTHREADS; k++) {
        struct launch_seat spot = e->spots[k];
        if (spot.host || spot.gpu != e->gpu || spot.block != group || spot.warp != warp) continue;
        mask |= 1u << (sub * e->lanes + spot.lane);
        if (spot.lane == lane) mine.thread = k;
    }
    *warp_mask = mask;
    mine.i = team * e->per_block + p;
    return mine;
}

/* ---- counting ------------------------------------------------------------------------------------------------ */

struct block_table {
    unsigned small[SLOTS]; /* outcomes whose values are all small, by these values */
    unsigned long long keys[SLOTS];
    unsigned counts[SLOTS];
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

/* The one call in the loop that plays. It is given values, not an array, so that they can stay in registers. */
template <class... V>
__device__ __noinline__ void count_apart(const struct launch_args *e, struct block_table *table, V... values)
{
    const int obs[NOBS] = {values...};
    count_large(e, table, obs);
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

/* A block's table into the launch's. */
ROLE void flush(const struct launch_args *e, struct block_table *table)
{
    __syncthreads();
#pragma unroll 1
    for (int s = threadIdx.x; s < SLOTS; s += blockDim.x) {
        int obs[NOBS];
        for (int o = 0; o < NOBS; o++) obs[o] = s >> o * SMALL_BITS & ((1 << SMALL_BITS) - 1);
        unsigned long long small, keys[] = {pack(obs, &small) ? small : 0, table->keys[s]};
        unsigned counts[] = {table->small[s], table->counts[s]};
#pragma unroll 1
        for (int n = 0; n < 2; n++) {
            if (counts[n] == 0) continue;
            int slot = find_slot(e->results->keys, BIG_SLOTS, keys[n]);
            if (slot >= 0) atomicAdd(&e->results->counts[slot], (unsigned long long)counts[n]);
            else atomicAdd(&e->results->lost, counts[n]);
        }
    }
}

/* Did an instance get a flag in this round or before? What later rounds of faster blocks wrote does not count, so
 * that all blocks leave after the same round. */
ROLE bool stopped(const struct launch_args *e, int round)
{
    unsigned at = *(volatile unsigned *)&e->first->stop;
    return at != 0 && (unsigned)round + 1 >= at;
}

/* Where the registers of an instance go: value o at [o * instances]. */
ROLE int *values_at(const struct launch_args *e, int home, int chunk, int i)
{
    return e->values[home] + (size_t)chunk * (NOBS + 1) * e->instances + i;
}

/* A thread of the block in whose own shared memory an observable is, -1: none. */
ROLE int block_of_final(int o)
{
#ifdef OWN_SHARED
    return obs_block(o);
#else
    return -1;
#endif
}

#ifdef OWN_SHARED
/* Brings home what a block's own shared memory holds of a set that was just played, and gives it its initial values. */
ROLE void settle_own(const struct launch_args *e, struct run *run, int vb, int set)
{
    int group = member_of(vb, e->blocks, apart(e)), team = team_of(vb, e->blocks, apart(e)), p = threadIdx.x;
    __syncthreads();
    for (int b = 0; b < e->batch && team < e->homes && p < e->per_block; b++) {
        int obs[NOBS], chunk = set * e->batch + b, i = team * e->per_block + p;
        struct instance I = locate(run, chunk, i);
        int *values = values_at(e, 0, chunk, i);
        observe_own(I, run, obs);
        for (int o = 0; o < NOBS; o++) {
            int k = obs_block(o);
            if (k < 0 || e->spots[k].gpu != e->gpu || e->spots[k].block != group) continue;
            values[(size_t)o * e->instances] = obs[o];
        }
        init_own(I, run);
    }
}
#endif

/* Takes the outcome of an instance that nobody plays now. */
ROLE void classify(const struct launch_args *e, struct run *run, struct block_table *table, struct instance I, int *values,
                   int set, int i, int round)
{
    int obs[NOBS];
    observe(I, run, obs);
    each<NOBS>([&](int o) {
        if (obs_thread(o) >= 0 || block_of_final(o) >= 0) obs[o] = values[(size_t)o * e->instances];
    });
    unsigned flags = CHECKED ? values[(size_t)NOBS * e->instances] : 0;
    if (HOST_THREADS) {
        for (int o = 0; o < NOBS; o++)
            if (obs_thread(o) >= 0 && e->spots[obs_thread(o)].host)
                obs[o] = e->host_values[((size_t)set * e->instances + i) * NOBS + o];
        flags |= e->host_faults[(size_t)set * e->instances + i];
    }
    if (!flags) {
        count(e, table, obs);
        return;
    }
    if (flags & FLAG_STUCK) atomicAdd(&e->results->stuck, 1u);
    if (flags & FLAG_BOUNDS) atomicAdd(&e->results->out_of_bounds, 1u);
    atomicCAS_system(&e->first->stop, 0u, round + 1u);
}

/* Counts the outcomes of a set that was played in the round before, if there was one and they were not counted when
 * they were played, and gives its locations their initial values. */
ROLE void settle(const struct launch_args *e, struct run *run, struct block_table *table, int set, int i, const int *kept,
                 int round)
{
    run->home = e->gpu;
    run->kept = kept;
    for (int b = 0; b < e->batch; b++) {
        struct instance I = locate(run, set * e->batch + b, i);
        int *values = values_at(e, e->gpu, set * e->batch + b, i);
        if (!LOCAL && round > 0) classify(e, run, table, I, values, set, i, round);
        if (CHECKED && (round <= 0 || KERNELS)) values[(size_t)NOBS * e->instances] = 0;
        init(I, run);
    }
}

/* ---- playing ------------------------------------------------------------------------------------------------- */

/* Waits until so many cycles of the round have passed. */
ROLE void keep_pace(const struct run *run, long long cycles)
{
    while (clock64() - run->began < cycles) {}
}

/* Starts reads, or writes, that hold up the role's on their way. What was read arrives in `held_up`. */
ROLE void flood(const struct launch_args *e, int *held_up)
{
    int *word = e->scratch + (blockIdx.x * blockDim.x + threadIdx.x) * 8 % SCRATCH_WORDS;
#pragma unroll
    for (int n = 0; n < FLOOD; n++) {
        load_if(n < e->flood, word + n * (SCRATCH_WORDS / FLOOD + 64), &held_up[n]);
        store_if(n < -e->flood, word + n * (SCRATCH_WORDS / FLOOD + 64), n);
    }
}

ROLE void play_one(const struct launch_args *e, struct run *run, struct block_table *table, int chunk, const part &mine)
{
    int obs[NOBS], held_up[FLOOD] = {0};
    run->home = mine.home;
    run->kept = mine.kept;
    struct instance I = locate(run, chunk, mine.i);
    run->flags = 0;
    run->turns = 0;
    run->weak = 0;
    if (e->warm) {
        run->sink ^= touch(I, run, e->warm);
        keep_order();
    }
    if (HOST_THREADS && e->pace) keep_pace(run, (long long)(mine.i & (e->crew - 1)) * e->pace);
    if (WAITS) run->deadline = clock64() + e->wait;
    if (e->flood) flood(e, held_up);
    play(mine.thread, I, run, obs);
    keep_order(); /* or the assembler would do what follows between the role's accesses */
    if (e->flood > 0)
        for (int n = 0; n < FLOOD; n++) run->sink ^= held_up[n];
    if (LOCAL) {
        if (mine.thread == OBSERVER) count(e, table, obs);
        return;
    }
    int *values = values_at(e, mine.home, chunk, mine.i);
    each<NOBS>([&](int o) {
        if (obs_thread(o) == mine.thread) values[(size_t)o * e->instances] = obs[o];
    });
    if (CHECKED && run->flags) atomicOr_system((unsigned *)&values[(size_t)NOBS * e->instances], run->flags);
}

/* The barriers that the threads of this block pass in a round. */
ROLE int block_barriers(const struct launch_args *e, int vb)
{
    int barriers = 0, group = member_of(vb, e->blocks, apart(e));
#pragma unroll 1
    for (int k = 0; k < NTHREADS; k++) {
        struct launch_seat spot = e->spots[k];
        if (!spot.host && spot.gpu == e->gpu && spot.block == group) barriers = spot.barriers;
    }
    return barriers;
}

/* A thread without a part passes them as well. */
ROLE void idle_barriers(int barriers)
{
    for (int n = 0; n < barriers; n++) meet_block();
#if CLUSTER
    for (int n = 0; n < CLUSTER_BARRIERS; n++) meet_cluster();
#endif
}

/* The role that a thread plays at step s, -1: none. With order 2 all threads play the roles of an instance at the same step:
 * role k's block is `its block number` times `distance` away from the first's, its warp likewise. */
ROLE int step_role(const struct launch_args *e, int vb, int s)
{
    if (ONE_WARP && e->order) s ^= threadIdx.x % STEPS;
    if (ONE_WARP) return s < NTHREADS ? s : -1;
    if (e->order == 0) return s;
    if (e->order == 1) return NTHREADS - 1 - s;
    int k = (s + e->align_gpu * e->gpu + e->align_block * (CLUSTER ? vb : vb / e->distance) + e->align_warp * (threadIdx.x / 32)) % NTHREADS;
    return DEDICATED ? k : (unsigned)e->role_at[k] % NTHREADS; /* the compiler should know the range */
}

/* A block that plays nothing keeps the memory system busy for about as long as the others play. */
ROLE void stress(const struct launch_args *e, unsigned *random)
{
#pragma unroll 1
    for (int n = 0; n < 8 * e->batch; n++) {
        *random = *random * 1664525u + 1013904223u;
        volatile int *word = &e->scratch[(*random >> 8) % SCRATCH_WORDS];
        if (n & 1) *word = n;
        else (void)*word;
    }
}

/* What a thread plays in every round, step by step. */
struct plan {
    part at[NPLAN];
    int barriers; /* of a thread without a part */
};

ROLE void make_plan(const struct launch_args *e, struct run *run, int vb, struct plan *plan)
{
    if (DEDICATED) {
        plan->at[0] = dedicated_part(e, vb, &run->warp_mask);
        plan->barriers = BARRIERS ? block_barriers(e, vb) : 0;
        return;
    }
#pragma unroll
    for (int s = 0; s < NPLAN; s++) {
        int k = step_role(e, vb, s);
        if (HOST_THREADS && k >= 0 && e->spots[k].host) k = -1;
        plan->at[s].thread = k;
        plan->at[s].home = GPUS == 1 || k < 0 ? 0 : (e->gpu + GPUS - e->spots[k].gpu) % GPUS;
        plan->at[s].i = k < 0 ? 0 : shuffled_instance(e, vb, k);
        keep_places(e, plan->at[s].i, plan->at[s].kept);
    }
}

ROLE void play_round(const struct launch_args *e, struct run *run, struct block_table *table, int set,
                     const struct plan &plan)
{
    for (int b = 0; b < e->batch; b++) {
#pragma unroll
        for (int s = 0; s < NPLAN; s++) {
            if (plan.at[s].thread >= 0) {
                play_one(e, run, table, set * e->batch + b, plan.at[s]);
            } else if (DEDICATED) {
                idle_barriers(plan.barriers);
            }
        }
    }
}

ROLE void clear(struct block_table *table)
{
#pragma unroll 1
    for (int s = threadIdx.x; s < SLOTS; s += blockDim.x) {
        table->small[s] = 0;
        table->keys[s] = 0;
        table->counts[s] = 0;
    }
}

/* Is a block where it should be to another one of its team, or of its instances' roles? */
ROLE void check_pair(const struct launch_args *e, int vb, int other)
{
    if ((e->sm_of[vb] == e->sm_of[other]) != (e->one_sm != 0)) atomicAdd(&e->results->misplaced, 1u);
}

ROLE void check_distance(const struct launch_args *e, int vb)
{
#if !CLUSTER
    if (DEDICATED) {
        int team = team_of(vb, e->blocks, apart(e)), own = member_of(vb, e->blocks, apart(e));
#pragma unroll 1
        for (int m = threadIdx.x; m < e->blocks && team < e->homes; m += blockDim.x)
            if (m != own) check_pair(e, vb, block_of(team, m, e->blocks, apart(e)));
        return;
    }
#pragma unroll 1
    for (int k = 0; k < NTHREADS && threadIdx.x == 0 && vb < e->homes; k++)
        if (!DEDICATED && e->offset[k] > 0)
            check_pair(e, vb, (vb + e->offset[k] * e->distance) % e->homes);
#endif
}

#if KERNELS
/* Several kernels of a stream: one launch is a kernel of the test in one round, for all instances, and another one
 * settles. Every launch has all blocks, and those that are another kernel's end at once. Kernels go through the
 * instances of a batch there and back, so that a kernel that begins early meets some before the one before it does. */
ROLE void play_kernel(const struct launch_args *e, struct run *run, struct block_table *table)
{
    int vb = blockIdx.x, barriers = BARRIERS ? block_barriers(e, vb) : 0;
    part mine = dedicated_part(e, vb, &run->warp_mask);
#ifdef OWN_SHARED
    settle_own(e, run, vb, 0);
    __syncthreads();
#endif
    for (int n = 0; n < e->batch; n++) {
        int b = e->kernel & 1 ? e->batch - 1 - n : n;
        if (mine.thread >= 0) {
            play_one(e, run, table, b, mine);
        } else {
            idle_barriers(barriers);
        }
    }
#ifdef OWN_SHARED
    settle_own(e, run, vb, 0);
#endif
}

extern "C" __global__ void __launch_bounds__(1024, 2) litmus(const __grid_constant__ struct launch_args env)
{
    const struct launch_args *e = &env;
    __shared__ struct block_table table;
    struct run run = {e, 0, 0, 0, 0, ~0u, e->gpu, 0, 0, 0};
    int kept[KEPT + 1] = {0};
    int member = member_of(blockIdx.x, e->blocks, 1), team = team_of(blockIdx.x, e->blocks, 1);
    if (CHECKED && stopped(e, e->round - 1)) return;
    if (e->kernel < KERNELS) {
        if (team < e->homes && e->kernel_blocks >> member & 1) play_kernel(e, &run, &table);
        end_after_others();
        if (e->zero) e->results->lost = run.sink; /* never; but the reads are wanted */
        return;
    }
    clear(&table);
    __syncthreads();
    if (member == 0 && team < e->homes && threadIdx.x < e->per_block)
        settle(e, &run, &table, 0, team * e->per_block + threadIdx.x, kept, e->round);
    flush(e, &table);
    if (blockIdx.x == 0 && threadIdx.x == 0) e->results->rounds = e->round;
}
#else
/* A dedicated kernel leaves room for as many threads as a multiprocessor can have: where threads wait for each other,
 * a full one shows ten to a thousand times as many weak outcomes as one that is half full. */
extern "C" __global__ void __launch_bounds__(1024, DEDICATED ? 2 : 1) litmus(const __grid_constant__ struct launch_args env)
{
    const struct launch_args *e = &env;
    __shared__ struct block_table table;
    struct run run = {e, 0, 0, 0, 0, ~0u, e->gpu, 0, 0, 0};
    struct plan plan;
    unsigned goal = 0, random = (unsigned)e->seed ^ (blockIdx.x * blockDim.x + threadIdx.x) * 2654435761u;
    clear(&table);
    int vb = CLUSTER ? blockIdx.x : virtual_block(e, &goal);
    make_plan(e, &run, vb, &plan);
    bool leads = DEDICATED && e->gpu == 0 && member_of(vb, e->blocks, apart(e)) == 0;
    int home = !DEDICATED ? vb : leads ? team_of(vb, e->blocks, apart(e)) : e->homes;
    int own = home * e->per_block + threadIdx.x;
    int kept[KEPT + 1];
    keep_places(e, own, kept);
    bool settles = home < e->homes && threadIdx.x < e->per_block, plays = DEDICATED || vb < e->homes;
#ifdef OWN_SHARED
    settle_own(e, &run, vb, 0);
    settle_own(e, &run, vb, 1);
#endif
    int r = -1; /* before round 0 and after the last one nobody plays, but `settle` is there only once */
    for (bool over = false;; r++) {
        if (HOST_THREADS) run.began = clock64();
        if (r >= 0 && !over) {
            if (plays) play_round(e, &run, &table, r & 1, plan);
            else stress(e, &random);
#ifdef OWN_SHARED
            settle_own(e, &run, vb, r & 1);
#endif
        }
        if (settles) settle(e, &run, &table, ~r & 1, own, kept, r);
        if (over) break;
        if (ALONE && e->alone) block_barrier(e);
        else grid_barrier(e, &goal);
        over = r + 1 == e->rounds || (CHECKED && stopped(e, r));
    }
    check_distance(e, vb);
    flush(e, &table);
    if (e->zero) e->results->lost = run.sink; /* never; but the reads are wanted */
    if (vb == 0 && threadIdx.x == 0) e->results->rounds = r;
}
#endif
