/* What CUDA's compiler and a GPU give to a kernel, for a C++ compiler and the machine: it takes the place of
 * kernels/cuda_ptx.cuh. Every access is a strong one: memory is sequentially consistent. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "machine.h"

#define __device__
#define __global__
#define __noinline__    __attribute__((noinline))
#define __forceinline__ inline
#define __grid_constant__
#define __launch_bounds__(...)
#define __shared__                                                                                           \
    thread_local /* a block has its own copy of the code, and so of its thread-local variables */

#define threadIdx (machine_self.thread)
#define blockDim  (machine_self.threads)
#define blockIdx  (machine_self.block)
#define gridDim   (machine_self.blocks)

#define __align__(n) __attribute__((aligned(n)))

asm(".macro pmevent number\n.endm"); /* for the assembler: an instruction that does nothing */

extern thread_local int shared_words[];

static inline int *word_at(int *p) {
    machine_step();
    return p;
}

/* What is read through the read-only proxy: a block keeps what it has read, mostly, until its launch ends. */
struct cached_word {
    const int *place;
    size_t bytes;
    unsigned launch;
    alignas(16) char copy[16];
};
static inline int *cached_at(int *p, size_t bytes) {
    static thread_local struct cached_word words[1024];
    static thread_local unsigned reads;
    struct cached_word *w = &words[(uintptr_t)p / sizeof *p % 1024];
    machine_step();
    if (w->place != p || w->bytes != bytes || w->launch != machine_self.launch || ++reads % 4 == 0) {
        *w = (struct cached_word){p, bytes, machine_self.launch, {0}};
        memcpy(w->copy, p, bytes);
    }
    return (int *)(void *)w->copy;
}

template <class T> static inline T read_word(T *p) {
    return __atomic_load_n(p, __ATOMIC_SEQ_CST);
}

template <class T, class V> static inline void write_word(T *p, V v) {
    __atomic_store_n(p, (T)v, __ATOMIC_SEQ_CST);
}

/* Puts f(old) into a word; returns what was there. */
template <class T, class F> static inline T change(T *p, F f) {
    machine_step();
    T old = read_word(p);
    while (!__atomic_compare_exchange_n(p, &old, (T)f(old), false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
    }
    return old;
}

template <class T, class V> static inline T atomicAdd(T *p, V v) {
    return change(p, [&](T old) { return old + v; });
}

template <class T, class V> static inline T atomicExch(T *p, V v) {
    return change(p, [&](T) { return v; });
}

template <class T, class V> static inline T atomicCAS(T *p, V expected, V desired) {
    return change(p, [&](T old) { return old == (T)expected ? (T)desired : old; });
}

template <class T, class V> static inline T atomicOr_system(T *p, V v) {
    return change(p, [&](T old) { return old | v; });
}

#define atomicCAS_system atomicCAS
#define __threadfence()  machine_step()
#define __syncthreads()  machine_meet_block(0, 1)
#define meet_block()     machine_meet_block(0, 0)
#define meet_to_leave()  machine_meet_block(LEAVES, 0)
#define __trap()         machine_fail("the kernel trapped")
#define clock64          machine_clock

static inline unsigned min(unsigned a, unsigned b) {
    return a < b ? a : b;
}

static inline size_t __cvta_generic_to_shared(const int *p) {
    return blockIdx.x * MACHINE_WINDOW + (size_t)(p - shared_words) * sizeof *p;
}

static inline int __ffs(unsigned v) {
    return __builtin_ffs((int)v);
}
static inline int __popc(unsigned v) {
    return __builtin_popcount(v);
}
static inline int __popcll(uint64_t v) {
    return __builtin_popcountll(v);
}
static inline int __clz(unsigned v) {
    return v ? __builtin_clz(v) : 32;
}
static inline int __clzll(uint64_t v) {
    return v ? __builtin_clzll(v) : 64;
}
static inline unsigned __brev(unsigned v) {
    unsigned r = 0;
    for (int k = 0; k < 32; k++)
        r |= (v >> k & 1) << (31 - k);
    return r;
}
static inline uint64_t __brevll(uint64_t v) {
    return (uint64_t)__brev((unsigned)v) << 32 | __brev((unsigned)(v >> 32));
}

/* ---- the test's operations ---- */

#include "cuda_ops.cuh"
#include "software.h"
#define WIDE
#include "values.h"

static inline int *word_at(shared_loc p) {
    machine_step();
    return machine_shared(p.address);
}

static inline volatile unsigned long long *mbarrier_at(shared_loc p) {
    return (volatile unsigned long long *)word_at(p);
}
#include "mbarrier.h"

static inline void barrier_warp(struct run *run, unsigned mask) {
    machine_meet_warp(lanes_of(run, mask));
}

/* Exchanges: each lane gives its value, all meet, take what they want, and meet again. */
static unsigned given[1024]; /* by each thread of the block */

static inline unsigned given_by(int lane) {
    return given[threadIdx.x / 32 * 32 + (unsigned)lane];
}

template <class F> static inline unsigned exchange(struct run *run, unsigned mask, unsigned v, F f) {
    unsigned lanes = lanes_of(run, mask);
    given[threadIdx.x] = v;
    machine_meet_warp(lanes);
    unsigned result = f(lanes);
    machine_meet_warp(lanes);
    return result;
}

static inline unsigned exchange_shuffle(struct run *run, int how, unsigned mask, unsigned v, int lane,
                                        int width) {
    int own = (int)(threadIdx.x % 32), first = first_lane(run);
    bool takes = takes_lane(run, how, mask, lane, width);
    int local = own - first, segment = local / width * width;
    int from = how == SHUFFLE_IDX    ? segment + (lane & (width - 1))
               : how == SHUFFLE_UP   ? local - lane
               : how == SHUFFLE_DOWN ? local + lane
                                     : local ^ lane;
    return exchange(run, mask, v, [&](unsigned) { return takes ? given_by(first + from) : v; });
}

static inline unsigned exchange_vote(struct run *run, int how, unsigned mask, int v) {
    return exchange(run, mask, v != 0, [&](unsigned lanes) {
        unsigned ballot = 0;
        for (int k = 0; k < 32; k++)
            if (lanes >> k & 1) ballot |= given_by(k) << k;
        bool all = ballot == lanes, any = ballot != 0;
        if (how == VOTE_BALLOT) return own_lanes(run, ballot);
        return (unsigned)(how == VOTE_ANY ? any : how == VOTE_ALL ? all : all || !any);
    });
}

static inline unsigned exchange_match(struct run *run, unsigned mask, unsigned v) {
    return exchange(run, mask, v, [&](unsigned lanes) {
        unsigned same = 0;
        for (int k = 0; k < 32; k++)
            if (lanes >> k & 1) same |= (unsigned)(given_by(k) == v) << k;
        return own_lanes(run, same);
    });
}

static inline unsigned exchange_match_all(struct run *run, unsigned mask, unsigned v) {
    unsigned lanes = own_lanes(run, lanes_of(run, mask));
    return exchange_match(run, mask, v) == lanes ? lanes : 0;
}

/* Each lane runs by itself. */
static inline unsigned exchange_active(struct run *run) {
    return own_lanes(run, 1u << threadIdx.x % 32);
}

static inline unsigned exchange_reduce(struct run *run, int how, unsigned mask, unsigned v, unsigned flip) {
    return exchange(run, mask, v, [&](unsigned lanes) {
        unsigned all = v;
        for (int k = 0; k < 32; k++)
            if (lanes >> k & 1 && k != (int)(threadIdx.x % 32)) all = reduce_two(how, all, given_by(k), flip);
        return all;
    });
}

/* Without a number of threads, all of the block. */
static inline void barrier_cta(struct run *, int id, int threads) {
    if (threads)
        machine_meet_warps(id, threads, MACHINE_SYNC, 0);
    else
        machine_meet_block(id, 0);
}

static inline void barrier_cta_arrive(struct run *, int id, int threads) {
    machine_meet_warps(id, threads, MACHINE_ARRIVE, 0);
}

/* An operation's function stands for its instruction. */
static inline int exchange_block(struct run *, int id, int threads, int how, int v,
                                 const char *instruction = __builtin_FUNCTION()) {
    machine_reduce_in(instruction);
    int n = machine_meet_warps(id, threads, MACHINE_REDUCE, v != 0);
    return how == VOTE_COUNT ? n : how == VOTE_ANY ? n != 0 : n == threads;
}

static inline void barrier_cluster(struct run *) {
    machine_meet_cluster();
}

static inline void barrier_cluster_arrive(struct run *) {
    machine_arrive_cluster();
}

static inline void barrier_cluster_wait(struct run *) {
    machine_wait_cluster();
}

static inline void grid_wait(struct run *) {
    machine_wait_grid();
}

static inline void grid_trigger(struct run *) {
    machine_trigger();
}

static inline void end_after_others() {
    machine_wait_grid();
}

static inline void trap_here(struct run *) {
    __builtin_trap();
}

static inline void sleep_for(struct run *, unsigned) {
    machine_step();
}

static inline int clock_is_far(struct run *) {
    static unsigned looks;
    machine_step();
    return ++looks * 2654435761u >> 26 == 0;
}

/* Asynchronous copies, and what else engines do. */
#include "engines.h"

/* Engines see here what threads see. */
ROLE void fence_async() {}

/* The harness's own operations on mbarriers. */
#include "cuda_drain.cuh"

ROLE void add_plain(shared_loc p, int v) {
    atomicAdd(word_at(p), v);
}

ROLE void mbarrier_make_up(shared_loc b, unsigned expected, unsigned completed) {
    mbarrier_expect_tx(mbarrier_at(b), expected, __ATOMIC_RELAXED);
    mbarrier_complete_tx(mbarrier_at(b), completed, __ATOMIC_RELAXED);
}

ROLE void mbarrier_come(shared_loc b, unsigned arrivals) {
    mbarrier_arrive(mbarrier_at(b), arrivals, __ATOMIC_RELEASE);
}

ROLE bool mbarrier_has_ended(shared_loc b, unsigned parity) {
    return mbarrier_is_over(mbarrier_at(b), parity, __ATOMIC_ACQUIRE);
}

/* Tells who plays a role, of the instance whose first location is here: see emulate_harness.c. */
extern "C" void played(int thread, const int *first);

static inline const int *address_of(loc p) {
    return p;
}

static inline const int *address_of(shared_loc p) {
    return machine_shared(p.address);
}

/* ---- in place of cuda_ptx.cuh ---- */

static inline int known(int n) {
    return n;
}

template <class P> static inline P at_hand(P p) {
    return p;
}

ROLE int load_plain(loc p) {
    return read_word(word_at(p));
}

ROLE int load_plain(shared_loc p) {
    return read_word(word_at(p));
}

ROLE void store_plain(loc p, int v) {
    write_word(word_at(p), v);
}

ROLE void store_plain(shared_loc p, int v) {
    write_word(word_at(p), v);
}

static inline void load_if(bool wanted, int *p, int *v) {
    if (wanted) *v = load_plain(p);
}

static inline void store_if(bool wanted, int *p, int v) {
    if (wanted) store_plain(p, v);
}

#define ARRIVE(old, p, scope) (old = atomicAdd(p, 1u))
#define LOOK(seen, p, scope)  (machine_pause(), seen = read_word(p))
#define TELL(p, v, scope)     (machine_step(), write_word(p, v))

static inline unsigned multiprocessor() {
    return machine_self.multiprocessor;
}

ROLE shared_loc in_cluster(shared_loc s, unsigned rank) {
    unsigned block = blockIdx.x - blockIdx.x % machine_self.cluster + rank;
    return {block * MACHINE_WINDOW + s.address % MACHINE_WINDOW};
}

#define meet_cluster machine_meet_cluster
