/* What a test's operations need of C, for GCC and Clang.
 *
 * Every access is a volatile atomic: the compiler makes exactly one machine access of each, and keeps their order. So
 * a weak access and a volatile one are the same plain load or store, as on a GPU but for its caches. A CPU has no
 * scopes: every scope is the whole machine. */

typedef volatile int *loc;
typedef volatile int *shared_loc;

#define ROLE inline __attribute__((unused))

/* Division that cannot trap, shifts by the low five bits. -fwrapv makes + - * wrap; >> of GCC and Clang is
 * arithmetic. */
static ROLE int idiv(int a, int b) {
    return b == 0 ? 0 : b == -1 ? -a : a / b;
}
static ROLE int imod(int a, int b) {
    return b == 0 || b == -1 ? 0 : a % b;
}
static ROLE int ishl(int a, int b) {
    return (int)((unsigned)a << (b & 31));
}
static ROLE int ishr(int a, int b) {
    return a >> (b & 31);
}

static ROLE void cpu_pause(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* One more turn of a loop that may have to wait? Once the wait has lasted too long the instance is stuck, and
 * it is no for the rest of it. */
static ROLE int turn(struct run *run) {
    if (run->fault & FAULT_STUCK) return 0;
    if (++run->turns & (unsigned)(run->patience - 1)) {
        cpu_pause();
        return 1;
    }
    if (run->relax(run)) return 1;
    run->fault |= FAULT_STUCK;
    return 0;
}

/* What is read and written beside the test: its initial and final memory. */
static ROLE int load_plain(loc p) {
    return *p;
}
static ROLE void store_plain(loc p, int v) {
    *p = v;
}

/* An element of an array; outside of it, the instance is at fault and uses the first. */
static ROLE loc at(struct run *run, loc a, int index, int count) {
    if ((unsigned)index < (unsigned)count) return a + index;
    run->fault |= FAULT_BOUNDS;
    return a;
}

/* Instance i's copy of the location whose first element is `e`. */
static ROLE loc cpu_place(const struct run *run, int e, long i) {
    return (loc)(run->rows[e].base + i * run->rows[e].stride);
}
/* The spaces of a GPU are all one memory; their elements are numbered one space after the other. */
#define global_at(run, set, i, first, elements, gpu) cpu_place(run, first, i)
#define shared_at(run, set, i, first, elements)      cpu_place(run, GLOBAL_ELEMENTS + (first), i)
#define host_at(run, set, i, first, elements)        cpu_place(run, GLOBAL_ELEMENTS + SHARED_ELEMENTS + (first), i)

/* Execution barriers, of `nthreads` threads; 0: of all that have it in their text, as the models have it. The
 * low half of a counter is how many have come, the high half how often the barrier has opened: so it can be
 * met again at once, and by another number of threads. */
static ROLE unsigned cpu_arrive(struct run *run, int counter, int nthreads) {
    unsigned threads = (unsigned)(nthreads ? nthreads : run->users[counter]);
    unsigned *meeting = &run->meetings[counter];
    unsigned old = __atomic_load_n(meeting, __ATOMIC_RELAXED), next;
    do
        next = (old & 0xffff) + 1 < threads ? old + 1 : (old | 0xffff) + 1;
    while (!__atomic_compare_exchange_n(meeting, &old, next, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED));
    return old >> 16;
}
static ROLE void cpu_meet(struct run *run, int counter, int nthreads) {
    unsigned opened = cpu_arrive(run, counter, nthreads);
    while (__atomic_load_n(&run->meetings[counter], __ATOMIC_ACQUIRE) >> 16 == opened && turn(run))
        ;
}
static ROLE void barrier_warp(struct run *run) {
    cpu_meet(run, run->warp, 0);
}
static ROLE void barrier_cta(struct run *run, int id, int nthreads) {
    cpu_meet(run, run->block + id, nthreads);
}
static ROLE void barrier_cta_arrive(struct run *run, int id, int nthreads) {
    cpu_arrive(run, run->block + id, nthreads);
}
static ROLE void barrier_cluster(struct run *run) {
    cpu_meet(run, run->cluster, 0);
}
