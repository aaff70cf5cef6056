/* How threads meet in C: execution barriers, kernels of a stream, and exchanges of lanes and of blocks. */

/* Execution barriers. `nthreads` threads meet; 0: all that have the barrier in their text, as the models have
 * it. The low half of a counter is how many threads have arrived, the high half how often the barrier has
 * opened. So threads can meet there again at once, and in another number. The last thread to arrive sets
 * `*ends` to 0 before the barrier opens. */
static ROLE unsigned cpu_arrive(struct cpu_player *run, int counter, int nthreads, unsigned *ends) {
    unsigned threads = (unsigned)(nthreads ? nthreads : run->users[counter]);
    unsigned *meeting = &run->meetings[counter];
    unsigned old = __atomic_load_n(meeting, __ATOMIC_RELAXED), next;
    do {
        int last = (old & 0xffff) + 1 >= threads;
        if (last && ends) __atomic_store_n(ends, 0, __ATOMIC_RELAXED);
        next = last ? (old | 0xffff) + 1 : old + 1;
    } while (!__atomic_compare_exchange_n(meeting, &old, next, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED));
    return old >> 16;
}
static ROLE void cpu_wait(struct cpu_player *run, int counter, unsigned opened) {
    while (__atomic_load_n(&run->meetings[counter], __ATOMIC_ACQUIRE) >> 16 == opened && turn(run))
        ;
}
static ROLE void cpu_meet(struct cpu_player *run, int counter, int nthreads) {
    cpu_wait(run, counter, cpu_arrive(run, counter, nthreads, 0));
}

/* Kernels of a stream: waits until all threads of each of these have ended. */
static ROLE void kernels_ended(struct cpu_player *run, const unsigned char *which) {
    for (int k = 0; k < run->kernel; k++)
        while (which[k] &&
               __atomic_load_n(&run->meetings[run->ended + k], __ATOMIC_ACQUIRE) <
                   (unsigned)run->kernel_threads[k] &&
               turn(run))
            ;
}
static ROLE void kernel_end(struct cpu_player *run) {
    __atomic_fetch_add(&run->meetings[run->ended + run->kernel], 1, __ATOMIC_RELEASE);
}
static ROLE void grid_wait(struct cpu_player *run) {
    kernels_ended(run, run->awaits);
}
/* A CPU thread of another kernel runs already. */
static ROLE void grid_trigger(struct cpu_player *run) {
    (void)run;
}

/* An instance that traps has no outcome, and no more than one that waits for ever. */
static ROLE void trap_here(struct cpu_player *run) {
    run->fault |= FAULT_STUCK;
}

/* Returns the lanes of the mask that exist in this warp. */
static ROLE unsigned cpu_lanes(struct cpu_player *run, unsigned mask) {
    return run->nlanes < 32 ? mask & ((1u << run->nlanes) - 1) : mask;
}
/* Some lanes of a warp meet at the counter of the lowest of them. That lane may also meet other lanes there,
 * so it first announces with which lanes it meets, and the others arrive when they read that. The last one to
 * arrive clears the announcement before the counter opens. */
static ROLE void cpu_meet_lanes(struct cpu_player *run, unsigned lanes) {
    if (!lanes) return;
    int lowest = __builtin_ctz(lanes), threads = __builtin_popcount(lanes);
    int counter = run->taking + run->lanes[lowest];
    unsigned *meets = &run->meetings[run->meeting + run->lanes[lowest]];
    if (run->lane == lowest) __atomic_store_n(meets, lanes, __ATOMIC_RELEASE);
    while (__atomic_load_n(meets, __ATOMIC_ACQUIRE) != lanes && turn(run))
        ;
    cpu_wait(run, counter, cpu_arrive(run, counter, threads, meets));
}
static ROLE void barrier_warp(struct cpu_player *run, unsigned mask) {
    unsigned lanes = cpu_lanes(run, mask);
    if (lanes == cpu_lanes(run, ~0u))
        cpu_meet(run, run->warp, 0);
    else
        cpu_meet_lanes(run, lanes);
}
static ROLE void barrier_cta(struct cpu_player *run, int id, int nthreads) {
    cpu_meet(run, run->block + id, nthreads);
}
static ROLE void barrier_cta_arrive(struct cpu_player *run, int id, int nthreads) {
    cpu_arrive(run, run->block + id, nthreads, 0);
}
static ROLE void barrier_cluster(struct cpu_player *run) {
    cpu_meet(run, run->cluster, 0);
}
static ROLE void barrier_cluster_arrive(struct cpu_player *run) {
    run->arrived = cpu_arrive(run, run->cluster, 0, 0);
}
static ROLE void barrier_cluster_wait(struct cpu_player *run) {
    cpu_wait(run, run->cluster, run->arrived);
}

/* Exchanges: each gives its value, all meet, take what they want, and meet again. */
static ROLE unsigned cpu_given(struct cpu_player *run, int thread) {
    return __atomic_load_n(&run->meetings[run->given + thread], __ATOMIC_RELAXED);
}
static ROLE void cpu_give(struct cpu_player *run, unsigned v) {
    __atomic_store_n(&run->meetings[run->given + run->thread], v, __ATOMIC_RELAXED);
}
/* The lane that a shuffle reads; the thread's own where there is none. */
static ROLE int cpu_source(struct cpu_player *run, int how, unsigned lanes, int lane, int width) {
    int own = run->lane, first = own / width * width;
    int from = how == SHUFFLE_IDX    ? first + (lane & (width - 1))
               : how == SHUFFLE_UP   ? own - lane
               : how == SHUFFLE_DOWN ? own + lane
                                     : own ^ lane;
    int lowest = how == SHUFFLE_XOR ? 0 : first;
    return from >= lowest && from < first + width && from < 32 && lanes >> from & 1 ? from : own;
}
static ROLE unsigned exchange_shuffle(struct cpu_player *run, int how, unsigned mask, unsigned v, int lane,
                                      int width) {
    unsigned lanes = cpu_lanes(run, mask), taken;
    cpu_give(run, v);
    cpu_meet_lanes(run, lanes);
    taken = cpu_given(run, run->lanes[cpu_source(run, how, lanes, lane, width)]);
    cpu_meet_lanes(run, lanes);
    return taken;
}
static ROLE unsigned exchange_vote(struct cpu_player *run, int how, unsigned mask, int v) {
    unsigned lanes = cpu_lanes(run, mask), ballot = 0;
    cpu_give(run, v != 0);
    cpu_meet_lanes(run, lanes);
    for (int k = 0; k < run->nlanes; k++)
        if (lanes >> k & 1) ballot |= cpu_given(run, run->lanes[k]) << k;
    cpu_meet_lanes(run, lanes);
    if (how == VOTE_BALLOT || how == VOTE_ANY) return how == VOTE_BALLOT ? ballot : ballot != 0;
    return ballot == lanes || (how == VOTE_UNI && ballot == 0);
}
static ROLE unsigned exchange_match(struct cpu_player *run, unsigned mask, unsigned v) {
    unsigned lanes = cpu_lanes(run, mask), same = 0;
    cpu_give(run, v);
    cpu_meet_lanes(run, lanes);
    for (int k = 0; k < run->nlanes; k++)
        if (lanes >> k & 1) same |= (unsigned)(cpu_given(run, run->lanes[k]) == v) << k;
    cpu_meet_lanes(run, lanes);
    return same;
}
static ROLE unsigned exchange_match_all(struct cpu_player *run, unsigned mask, unsigned v) {
    unsigned lanes = cpu_lanes(run, mask);
    return exchange_match(run, mask, v) == lanes ? lanes : 0;
}
/* No thread of a CPU runs an instruction together with another. */
static ROLE unsigned exchange_active(struct cpu_player *run) {
    return cpu_lanes(run, 1u << run->lane % 32);
}
static ROLE unsigned exchange_reduce(struct cpu_player *run, int how, unsigned mask, unsigned v,
                                     unsigned flip) {
    unsigned lanes = cpu_lanes(run, mask), all = v;
    cpu_give(run, v);
    cpu_meet_lanes(run, lanes);
    for (int k = 0; k < run->nlanes; k++)
        if (lanes >> k & 1 && k != run->lane) all = reduce_two(how, all, cpu_given(run, run->lanes[k]), flip);
    cpu_meet_lanes(run, lanes);
    return all;
}
/* What is given says for which reduction it is: not all of the block take part. */
static ROLE int exchange_block(struct cpu_player *run, int id, int nthreads, int how, int v) {
    unsigned kind = 1 + (unsigned)(16 * how + id);
    int n = 0, true_ones = 0;
    cpu_give(run, 2 * kind + (v != 0));
    cpu_meet(run, run->block + id, nthreads);
    for (int k = 0; k < run->nmates; k++) {
        unsigned given = cpu_given(run, run->mates[k]);
        n += given / 2 == kind;
        true_ones += given / 2 == kind && given % 2;
    }
    cpu_meet(run, run->block + id, nthreads);
    return how == VOTE_COUNT ? true_ones : how == VOTE_ANY ? true_ones != 0 : true_ones == n;
}
