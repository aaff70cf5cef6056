/* What CUDA's compiler and a GPU give to a kernel, for a C++ compiler and the machine: it takes the place of
 * kernels/cuda_ptx.cuh, and of the operations' PTX. Every access is a strong one: memory is sequentially consistent. */
#include <stddef.h>

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

asm(".macro pmevent number\n.endm"); /* for the assembler: an instruction that does nothing */

extern thread_local int shared_words[];

static inline int *word_at(int *p) {
    machine_step();
    return p;
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
#define __trap()         machine_fail("the kernel trapped")
#define clock64          machine_clock

static inline unsigned min(unsigned a, unsigned b) {
    return a < b ? a : b;
}

static inline size_t __cvta_generic_to_shared(const int *p) {
    return blockIdx.x * MACHINE_WINDOW + (size_t)(p - shared_words) * sizeof *p;
}

/* ---- the test's operations ---- */

#include "cuda_ops.cuh"

static inline int *word_at(shared_loc p) {
    machine_step();
    return machine_shared(p.address);
}

/* `op`: as PTX calls it. */
static inline int apply(const char *op, int old, int v) {
    switch (op[0]) {
    case 'e': return v;
    case 'o': return old | v;
    case 'x': return old ^ v;
    case 'd': return old == 0 || (unsigned)old > (unsigned)v ? v : old - 1;
    case 'i': return (unsigned)old >= (unsigned)v ? 0 : old + 1;
    case 'm': return (op[1] == 'a') == (old > v) ? old : v;
    default: return op[1] == 'd' ? (int)((unsigned)old + v) : old & v;
    }
}

#undef LOAD
#undef STORE
#undef LOAD_WEAK
#undef STORE_WEAK
#undef ATOM
#undef ATOM_SUB
#undef ATOM_CAS
#undef FENCE
#undef BARRIER_WARP
#undef BARRIER_CTA
#undef BARRIER_CLUSTER

/* One operation, on either kind of memory; `p` is where. */
#define OPERATION(n, result, name, effect, ...)                                                              \
    template <int> result name(loc, ##__VA_ARGS__);                                                          \
    template <int> result name(shared_loc, ##__VA_ARGS__);                                                   \
    template <> inline result name<n>(loc p, ##__VA_ARGS__) {                                                \
        return effect;                                                                                       \
    }                                                                                                        \
    template <> inline result name<n>(shared_loc p, ##__VA_ARGS__) {                                         \
        return effect;                                                                                       \
    }
#define LOAD(n, name, ptx)  OPERATION(n, int, load_##name, load_plain(p))
#define STORE(n, name, ptx) OPERATION(n, void, store_##name, store_plain(p, v), int v)
#define LOAD_WEAK(n)        OPERATION(n, int, load_weak, load_plain(displaced(p, run)), struct run *run)
#define STORE_WEAK(n)                                                                                        \
    OPERATION(n, void, store_weak, store_plain(displaced(p, run), v), int v, struct run *run)
#define ATOM(n, name, ptx, op, type)                                                                         \
    OPERATION(n, int, atom_##name, change(word_at(p), [&](int old) { return apply(op, old, v); }), int v)
#define ATOM_SUB(n, name, ptx) OPERATION(n, int, atom_##name, atomicAdd(word_at(p), 0u - (unsigned)v), int v)
#define ATOM_CAS(n, name, ptx)                                                                               \
    OPERATION(n, int, atom_##name, atomicCAS(word_at(p), expected, desired), int expected, int desired)

#define ACTION(n, name, effect, ...)                                                                         \
    template <int> void name(__VA_ARGS__);                                                                   \
    template <> inline void name<n>(__VA_ARGS__) {                                                           \
        effect;                                                                                              \
    }
#define FENCE(n, name, ptx) ACTION(n, fence_##name, machine_step())
#define BARRIER_WARP(n)     ACTION(n, barrier_warp, machine_meet_warp(run->warp_mask), struct run *run)
#define BARRIER_CTA(n)      ACTION(n, barrier_cta, machine_meet_block(id, 0), struct run *, int id, int)
#define BARRIER_CLUSTER(n)  ACTION(n, barrier_cluster, machine_meet_cluster(), struct run *)

/* Tells who plays a role, of the instance whose first location is here: see emulate_harness.c. */
extern "C" void played(int thread, const int *first);

static inline const int *address_of(loc p) {
    return p;
}

static inline const int *address_of(shared_loc p) {
    return machine_shared(p.address);
}

/* ---- in place of cuda_ptx.cuh ---- */

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

#define load_strong  load_plain
#define store_strong store_plain

#define ARRIVE(old, p, scope) (old = atomicAdd(p, 1u))
#define LOOK(seen, p, scope)  (machine_pause(), seen = read_word(p))
#define TELL(p, v, scope)     (machine_step(), write_word(p, v))

static inline unsigned multiprocessor() {
    return machine_self.multiprocessor;
}

static inline void do_nothing() {}

static inline shared_loc in_cluster(shared_loc s, unsigned rank) {
    unsigned block = blockIdx.x - blockIdx.x % machine_self.cluster + rank;
    return {block * MACHINE_WINDOW + s.address % MACHINE_WINDOW};
}

#define meet_cluster machine_meet_cluster
