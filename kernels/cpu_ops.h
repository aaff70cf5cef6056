/* The typed operations of a test as C, for GCC and Clang.
 *
 * Every access is volatile or a volatile atomic: the compiler makes exactly one machine access of each, and
 * keeps their order. So a weak access and a volatile one are the same plain load or store, as on a GPU but
 * for its caches. A CPU has no scopes: every scope is the whole machine. */

typedef volatile int *loc;
typedef volatile int *shared_loc;

#define ROLE inline __attribute__((unused))

#define LOAD(name, order)                                                                                    \
    static ROLE int load_##name(loc p) {                                                                     \
        return __atomic_load_n(p, order);                                                                    \
    }
#define STORE(name, order)                                                                                   \
    static ROLE void store_##name(loc p, int v) {                                                            \
        __atomic_store_n(p, v, order);                                                                       \
    }
#define FENCE(name, order)                                                                                   \
    static ROLE void fence_##name(void) {                                                                    \
        __atomic_thread_fence(order);                                                                        \
    }

/* Functions that C has as a builtin; and those that take a loop around compare-exchange. */
#define ATOM(name, fn, order)                                                                                \
    static ROLE int atom_##name(loc p, int v) {                                                              \
        return fn(p, v, order);                                                                              \
    }
#define ATOM_LOOP(name, order, again, value)                                                                 \
    static ROLE int atom_##name(loc p, int v) {                                                              \
        int old = __atomic_load_n(p, __ATOMIC_RELAXED);                                                      \
        while (!__atomic_compare_exchange_n(p, &old, value, 0, order, again))                                \
            ;                                                                                                \
        return old;                                                                                          \
    }
#define ATOM_CAS(name, order, again)                                                                         \
    static ROLE int atom_cas_##name(loc p, int expected, int desired) {                                      \
        __atomic_compare_exchange_n(p, &expected, desired, 0, order, again);                                 \
        return expected;                                                                                     \
    }

/* `again`: the order of a compare-exchange that fails. */
#define ATOMS(suffix, order, again)                                                                          \
    ATOM(add_##suffix, __atomic_fetch_add, order)                                                            \
    ATOM(sub_##suffix, __atomic_fetch_sub, order)                                                            \
    ATOM(exch_##suffix, __atomic_exchange_n, order)                                                          \
    ATOM(and_##suffix, __atomic_fetch_and, order)                                                            \
    ATOM(or_##suffix, __atomic_fetch_or, order)                                                              \
    ATOM(xor_##suffix, __atomic_fetch_xor, order)                                                            \
    ATOM_LOOP(min_##suffix, order, again, old < v ? old : v)                                                 \
    ATOM_LOOP(max_##suffix, order, again, old > v ? old : v)                                                 \
    ATOM_LOOP(inc_##suffix, order, again, (unsigned)old >= (unsigned)v ? 0 : old + 1)                        \
    ATOM_LOOP(dec_##suffix, order, again, old == 0 || (unsigned)old > (unsigned)v ? v : old - 1)             \
    ATOM_CAS(suffix, order, again)

#define SCOPE(scope)                                                                                         \
    LOAD(relaxed_##scope, __ATOMIC_RELAXED)                                                                  \
    LOAD(acquire_##scope, __ATOMIC_ACQUIRE)                                                                  \
    STORE(relaxed_##scope, __ATOMIC_RELAXED)                                                                 \
    STORE(release_##scope, __ATOMIC_RELEASE)                                                                 \
    ATOMS(relaxed_##scope, __ATOMIC_RELAXED, __ATOMIC_RELAXED)                                               \
    ATOMS(acquire_##scope, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE)                                               \
    ATOMS(release_##scope, __ATOMIC_RELEASE, __ATOMIC_RELAXED)                                               \
    ATOMS(acq_rel_##scope, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)                                               \
    FENCE(acq_rel_##scope, __ATOMIC_ACQ_REL)                                                                 \
    FENCE(sc_##scope, __ATOMIC_SEQ_CST)

static ROLE int load_weak(loc p) {
    return *p;
}
static ROLE int load_volatile(loc p) {
    return *p;
}
static ROLE void store_weak(loc p, int v) {
    *p = v;
}
static ROLE void store_volatile(loc p, int v) {
    *p = v;
}
SCOPE(cta)
SCOPE(cluster)
SCOPE(gpu)
SCOPE(sys)

#undef LOAD
#undef STORE
#undef FENCE
#undef ATOM
#undef ATOM_LOOP
#undef ATOM_CAS
#undef ATOMS
#undef SCOPE

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
#define load_plain  load_weak
#define store_plain store_weak

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
