/* culitmus: where instances lie, how blocks meet, and which thread plays what.
 *
 * Without waits and barriers in the test, every thread plays every role, each for another instance ("shuffled").
 * With them every thread plays one role, so that all threads of an instance run at the same time ("dedicated").
 *
 * Every cell compiles this anew, so code that is not in the loop that plays is kept short: what it does several times it
 * does in a loop that is not unrolled. */
#ifdef OWN_SHARED
enum { EACH_BLOCK = 1 }; /* has locations of its own */
#else
enum { EACH_BLOCK = 0 };
#endif

#ifndef KERNELS
#define KERNELS 0 /* of a stream, where they play one round */
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
};

/* Calls f with 0, 1 .. N - 1, unrolled by a template. In a loop, the elements of an array would go through
 * memory, because the compiler unrolls loops after it has chosen what to keep in registers. */
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

ROLE void find_places(const struct launch_args *e, int i, int *kept)
{
#pragma unroll 1
    for (int l = 0; l < KEPT; l++) {
        int p = permuted(e, i, l), word = place(e, p, e->instances, l, 1, GLOBAL_ELEMENTS);
        if (e->lines && i < e->instances) word = line_place(e, p, l);
        if (COLD && e->cold == l + 1) word = cold_place(e, p);
        kept[l] = word;
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

/* ---- what a thread plays ----------------------------------------------------------------------------------------- */

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

/* The role that a thread plays at step s, -1: none. With order 2 all threads play the roles of an instance at the same step:
 * role k's block is `its block number` times `distance` away from the first's, its warp likewise. */
ROLE int step_role(const struct launch_args *e, int vb, int s)
{
    if (ONE_WARP && e->order) s ^= threadIdx.x % STEPS;
    if (ONE_WARP) return s < NTHREADS ? s : -1;
    if (e->order == 0) return s;
    if (e->order == 1) return NTHREADS - 1 - s;
    int k = (s + e->align_gpu * e->gpu + e->align_block * (CLUSTER ? vb : vb / e->distance) + e->align_warp * (threadIdx.x / 32)) % NTHREADS;
    return DEDICATED ? k : e->role_at[k];
}

/* What a thread plays in every round, step by step. */
struct plan {
    part at[NPLAN];
    int barriers; /* of a thread without a part */
};

/* The step after the last one is for what a thread settles: its own instance. */
ROLE part find_part(const struct launch_args *e, int vb, int s, int own)
{
    part mine = {-1, 0, own, {0}};
    if (s == NPLAN) return mine;
    mine.thread = step_role(e, vb, s);
    if (HOST_THREADS && mine.thread >= 0 && e->spots[mine.thread].host) mine.thread = -1;
    bool plays = mine.thread >= 0;
    mine.home = GPUS == 1 || !plays ? 0 : (e->gpu + GPUS - e->spots[mine.thread].gpu) % GPUS;
    mine.i = plays ? shuffled_instance(e, vb, mine.thread) : 0;
    return mine;
}

/* The parts of all steps, found in one loop that is not unrolled, and then brought from memory into registers. */
ROLE void make_plan(const struct launch_args *e, struct run *run, int vb, int own, struct plan *plan, int *kept)
{
    part found[NPLAN + 1];
    if (DEDICATED) {
        plan->at[0] = dedicated_part(e, vb, &run->warp_mask);
        plan->barriers = BARRIERS ? block_barriers(e, vb) : 0;
        return;
    }
#pragma unroll 1
    for (int s = 0; s <= NPLAN; s++) {
        found[s] = find_part(e, vb, s, own);
        find_places(e, found[s].i, found[s].kept);
    }
    each<NPLAN>([&](int s) {
        int k = found[s].thread;
        plan->at[s].thread = ONE_WARP || HOST_THREADS ? k : (unsigned)k % NTHREADS; /* the compiler should know the range */
        plan->at[s].home = GPUS == 1 ? 0 : found[s].home;
        plan->at[s].i = found[s].i;
        each<KEPT>([&](int l) { plan->at[s].kept[l] = known(found[s].kept[l]); });
    });
    each<KEPT>([&](int l) { kept[l] = known(found[NPLAN].kept[l]); });
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
