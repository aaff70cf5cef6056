/* culitmus: the CUDA harness. Runs `play` on very many instances at once, round after round, and brings what came out to be
 * counted. */

/* ---- settling ------------------------------------------------------------------------------------------------ */

/* Did an instance get a flag in this round or before? What later rounds of faster blocks wrote does not count, so
 * that all blocks leave after the same round. */
ROLE bool stopped(const struct launch_args *e, int round)
{
    unsigned at = *(volatile unsigned *)&e->first->stop;
    return at != 0 && (unsigned)round + 1 >= at;
}

/* The same of a block that ends its rounds by itself. Another block may get a flag at any time, so one thread looks for all:
 * they leave after the same round. */
ROLE bool block_stopped(const struct launch_args *e, int round)
{
    __shared__ bool stops;
    if (threadIdx.x == 0) stops = stopped(e, round);
    __syncthreads();
    return stops;
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

/* The initial values that a thread has written are there for engines, too, behind the barrier that follows. Without it a
 * copy reads what was there before. */
ROLE void inits_end()
{
#ifdef ASYNC_PROXY
    fence_async();
#endif
}

/* Notes that something went wrong in an instance, and ends the run. */
ROLE void flag_instance(const struct launch_args *e, unsigned flags, int round)
{
    if (flags & FLAG_STUCK) atomicAdd(&e->results->stuck, 1u);
    if (flags & FLAG_BOUNDS) atomicAdd(&e->results->out_of_bounds, 1u);
    atomicCAS_system(&e->first->stop, 0u, round + 1u);
}

#ifndef DRAINS /* no copy is under way when all threads have left an instance */
ROLE bool drain(struct instance, struct run *) { return true; }
ROLE bool drain_own(struct instance, struct run *) { return true; }
enum { DRAINS_AFAR = 0 };
#endif

#ifdef OWN_SHARED
/* Waits for all threads that can access the block's shared memory. */
ROLE void meet_users()
{
#if CLUSTER
    meet_cluster();
#else
    __syncthreads();
#endif
}

/* Waits for the engines of a set that was just played; all blocks do that before one of them uses memory again that an engine
 * of another one, or one of its own that tells another, may still access. */
ROLE void drain_blocks(const struct launch_args *e, struct run *run, int team, int set, int round)
{
    int p = threadIdx.x;
    for (int b = 0; b < e->batch && round >= 0 && team < e->homes && p < e->per_block; b++)
        if (!drain_own(locate(run, set * e->batch + b, team * e->per_block + p), run)) flag_instance(e, FLAG_STUCK, round);
    if (DRAINS_AFAR) meet_users();
}

/* Brings home what a block's own shared memory holds of a set that was just played in a round, and gives it its initial
 * values. In round -1 it was never played. */
ROLE void settle_own(const struct launch_args *e, struct run *run, int vb, int set, int round)
{
    int group = member_of(vb, e->blocks, apart(e)), team = team_of(vb, e->blocks, apart(e)), p = threadIdx.x;
    meet_users();
    drain_blocks(e, run, team, set, round);
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
    inits_end();
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
    flag_instance(e, flags, round);
}

/* Counts the outcomes of a set that was played in the round before, if there was one and they were not counted when
 * they were played, and gives its locations their initial values. */
ROLE void settle(const struct launch_args *e, struct run *run, struct block_table *table, int set, int i, const int *kept,
                 int round)
{
    run->home = e->gpu;
    run->kept = kept;
#pragma unroll 1
    for (int b = 0; b < e->batch; b++) {
        struct instance I = locate(run, set * e->batch + b, i);
        int *values = values_at(e, e->gpu, set * e->batch + b, i);
        if (round > 0 && !drain(I, run)) flag_instance(e, FLAG_STUCK, round);
        if (!LOCAL && round > 0) classify(e, run, table, I, values, set, i, round);
        if (CHECKED && (round <= 0 || KERNELS)) values[(size_t)NOBS * e->instances] = 0;
        init(I, run);
    }
    inits_end();
}

/* ---- playing ------------------------------------------------------------------------------------------------- */

#ifdef LEAVES
/* How many threads had ended when they came to opening n of the barrier, at [n % 4]; for this instance, the
 * one before and the one behind it. */
__shared__ unsigned ended[3][4];

ROLE void begin_leaving()
{
    if (threadIdx.x < 12) ended[threadIdx.x / 4][threadIdx.x % 4] = 0;
}

/* Ends an instance for a thread, or for one without a part. On a GPU a thread that exits holds up no barrier.
 * This thread must stay, so it comes to the barrier again and again, until an opening to which only threads
 * came that have ended. All threads of the block see that at the same opening. Only counts that nobody reads
 * any more are cleared: those of an instance while the next but one is played, and that of an opening behind
 * the next one. */
ROLE void leave(struct run *run)
{
    unsigned *mine = ended[run->left % 3], *next = ended[(run->left + 1) % 3], all = 0;
    run->left++;
    if (threadIdx.x < 4) next[threadIdx.x] = 0;
    while (all != blockDim.x) {
        unsigned n = run->come++;
        atomicAdd(&mine[n % 4], 1u);
        meet_to_leave();
        all = *(volatile unsigned *)&mine[n % 4];
        mine[(n + 3) % 4] = 0;
    }
}
#else
ROLE void begin_leaving() {}
ROLE void leave(struct run *run) {}
#endif

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
    leave(run);
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

/* A thread without a part passes them as well. */
ROLE void idle_barriers(struct run *run, int barriers)
{
    leave(run);
    for (int n = 0; n < barriers; n++) meet_block();
#if CLUSTER
    for (int n = 0; n < CLUSTER_BARRIERS; n++) meet_cluster();
#endif
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

ROLE void play_round(const struct launch_args *e, struct run *run, struct block_table *table, int set,
                     const struct plan &plan)
{
    for (int b = 0; b < e->batch; b++) {
#pragma unroll
        for (int s = 0; s < NPLAN; s++) {
            if (plan.at[s].thread >= 0) {
                play_one(e, run, table, set * e->batch + b, plan.at[s]);
            } else if (DEDICATED) {
                idle_barriers(run, plan.barriers);
            }
        }
    }
}

ROLE void clear(struct block_table *table)
{
#pragma unroll 1
    for (int s = threadIdx.x; s < SLOTS; s += blockDim.x) {
        table->small[s] = 0;
        if (ALL_SMALL) continue;
        table->keys[s] = 0;
        table->counts[s] = 0;
    }
}

#if KERNELS
/* Several kernels of a stream: one launch is a kernel of the test in one round, for all instances, and another one
 * settles. Every launch has all blocks, and those that are another kernel's end at once. Kernels go through the
 * instances of a batch there and back, so that a kernel that begins early meets some before the one before it does. */
ROLE void play_kernel(const struct launch_args *e, struct run *run, struct block_table *table)
{
    int vb = blockIdx.x, barriers = BARRIERS ? block_barriers(e, vb) : 0;
    part mine = dedicated_part(e, vb, &run->warp_mask);
#ifdef LEAVES
    begin_leaving();
    __syncthreads();
#endif
#ifdef OWN_SHARED
    settle_own(e, run, vb, 0, -1);
    __syncthreads();
#endif
    for (int n = 0; n < e->batch; n++) {
        int b = e->kernel & 1 ? e->batch - 1 - n : n;
        if (mine.thread >= 0) {
            play_one(e, run, table, b, mine);
        } else {
            idle_barriers(run, barriers);
        }
    }
#ifdef OWN_SHARED
    settle_own(e, run, vb, 0, e->round);
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
    begin_leaving();
    int vb = CLUSTER ? blockIdx.x : virtual_block(e, &goal);
    bool leads = DEDICATED && e->gpu == 0 && member_of(vb, e->blocks, apart(e)) == 0;
    int home = !DEDICATED ? vb : leads ? team_of(vb, e->blocks, apart(e)) : e->homes;
    int own = home * e->per_block + threadIdx.x;
    int kept[KEPT + 1];
    make_plan(e, &run, vb, own, &plan, kept);
    bool settles = home < e->homes && threadIdx.x < e->per_block, plays = DEDICATED || vb < e->homes;
#ifdef OWN_SHARED
    settle_own(e, &run, vb, 0, -1);
    settle_own(e, &run, vb, 1, -1);
#endif
    int r = -1; /* before round 0 and after the last one nobody plays, but `settle` is there only once */
    for (bool over = false;; r++) {
        if (HOST_THREADS) run.began = clock64();
        if (r >= 0 && !over) {
            if (plays) play_round(e, &run, &table, r & 1, plan);
            else stress(e, &random);
#ifdef OWN_SHARED
            settle_own(e, &run, vb, r & 1, r);
#endif
        }
        if (settles) settle(e, &run, &table, ~r & 1, own, kept, r);
        if (over) break;
        if (ALONE && e->alone) block_barrier(e);
        else grid_barrier(e, &goal);
        over = r + 1 == e->rounds || (CHECKED && (ALONE && e->alone ? block_stopped(e, r) : stopped(e, r)));
    }
    check_distance(e, vb);
    flush(e, &table);
    if (e->zero) e->results->lost = run.sink; /* never; but the reads are wanted */
    if (vb == 0 && threadIdx.x == 0) e->results->rounds = r;
}
#endif
