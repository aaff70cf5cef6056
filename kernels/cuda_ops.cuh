/* culitmus: typed operations for CUDA. Each is one PTX instruction, so that order, width, scope and strength are
 * exactly those that the test names (PTX ISA, "Memory Consistency Model", ld, st, atom, fence). */
#define ROLE __device__ __forceinline__

typedef int *loc;
struct shared_loc {
    unsigned address; /* in the shared window of the block, or of the cluster */
};

/* What a thread carries while it plays. */
struct run {
    const struct launch_args *env;
    long long deadline; /* clock64() at which a wait gives up */
    long long began;    /* and at which the round began, where there are CPU threads */
    unsigned turns;
    unsigned flags;     /* FLAG_... of the instance */
    unsigned warp_mask; /* lanes of this warp that belong to the instance */
    int home;           /* the instance's GPU */
    int weak;           /* weak accesses so far */
    int sink;           /* what was read and is not observed */
};
enum { FLAG_STUCK = 1, FLAG_BOUNDS = 2 };

/* The assembler (ptxas) may merge, hoist, drop and reorder weak accesses, even around a strong one that orders them. It
 * does not move any across `pmevent`, which does nothing but count for profilers; and it cannot merge accesses whose
 * addresses may differ, so each weak access that is executed gets a displacement of its own: always 0, but not as far
 * as the assembler knows. */
ROLE void keep_order()
{
    asm volatile("pmevent 0;" ::: "memory");
}

ROLE int kept(int v)
{
    keep_order();
    return v;
}

ROLE loc displaced(loc p, struct run *run)
{
    keep_order();
    return p + run->env->zero * ++run->weak;
}

ROLE shared_loc displaced(shared_loc p, struct run *run)
{
    keep_order();
    p.address += run->env->zero * ++run->weak;
    return p;
}

/* Operation n of a test, op<n>(...), is defined on a line of its own, and its PTX ends in the comment "op n": so it is
 * found again in what was compiled, and held against the test. */
#define LOAD(n, name, ptx)                                                                                   \
    template <int> ROLE int load_##name(loc);                                                                \
    template <int> ROLE int load_##name(shared_loc);                                                         \
    template <> ROLE int load_##name<n>(loc p)                                                               \
    {                                                                                                        \
        int v;                                                                                               \
        asm volatile("ld." ptx ".global.s32 %0, [%1]; // op " #n : "=r"(v) : "l"(p) : "memory");             \
        return v;                                                                                            \
    }                                                                                                        \
    template <> ROLE int load_##name<n>(shared_loc p)                                                        \
    {                                                                                                        \
        int v;                                                                                               \
        asm volatile("ld." ptx SHARED ".s32 %0, [%1]; // op " #n : "=r"(v) : "r"(p.address) : "memory");     \
        return v;                                                                                            \
    }
#define STORE(n, name, ptx)                                                                                  \
    template <int> ROLE void store_##name(loc, int);                                                         \
    template <int> ROLE void store_##name(shared_loc, int);                                                  \
    template <> ROLE void store_##name<n>(loc p, int v)                                                      \
    {                                                                                                        \
        asm volatile("st." ptx ".global.s32 [%0], %1; // op " #n ::"l"(p), "r"(v) : "memory");               \
    }                                                                                                        \
    template <> ROLE void store_##name<n>(shared_loc p, int v)                                               \
    {                                                                                                        \
        asm volatile("st." ptx SHARED ".s32 [%0], %1; // op " #n ::"r"(p.address), "r"(v) : "memory");       \
    }
#define LOAD_WEAK(n)                                                                                         \
    template <int> ROLE int load_weak(loc, struct run *);                                                    \
    template <int> ROLE int load_weak(shared_loc, struct run *);                                             \
    template <> ROLE int load_weak<n>(loc p, struct run *run)                                                \
    {                                                                                                        \
        int v;                                                                                               \
        p = displaced(p, run);                                                                               \
        asm volatile("ld.weak.global.s32 %0, [%1]; // op " #n : "=r"(v) : "l"(p) : "memory");                \
        return kept(v);                                                                                      \
    }                                                                                                        \
    template <> ROLE int load_weak<n>(shared_loc p, struct run *run)                                         \
    {                                                                                                        \
        int v;                                                                                               \
        p = displaced(p, run);                                                                               \
        asm volatile("ld.weak" SHARED ".s32 %0, [%1]; // op " #n : "=r"(v) : "r"(p.address) : "memory");     \
        return kept(v);                                                                                      \
    }
#define STORE_WEAK(n)                                                                                        \
    template <int> ROLE void store_weak(loc, int, struct run *);                                             \
    template <int> ROLE void store_weak(shared_loc, int, struct run *);                                      \
    template <> ROLE void store_weak<n>(loc p, int v, struct run *run)                                       \
    {                                                                                                        \
        p = displaced(p, run);                                                                               \
        asm volatile("st.weak.global.s32 [%0], %1; // op " #n ::"l"(p), "r"(v) : "memory");                  \
        keep_order();                                                                                        \
    }                                                                                                        \
    template <> ROLE void store_weak<n>(shared_loc p, int v, struct run *run)                                \
    {                                                                                                        \
        p = displaced(p, run);                                                                               \
        asm volatile("st.weak" SHARED ".s32 [%0], %1; // op " #n ::"r"(p.address), "r"(v) : "memory");       \
        keep_order();                                                                                        \
    }
#define ATOM_OF(n, name, ptx, op, type, operand)                                                             \
    template <int> ROLE int atom_##name(loc, int);                                                           \
    template <int> ROLE int atom_##name(shared_loc, int);                                                    \
    template <> ROLE int atom_##name<n>(loc p, int v)                                                        \
    {                                                                                                        \
        int old;                                                                                             \
        asm volatile("atom." ptx ".global." op "." type " %0, [%1], %2; // op " #n                           \
                     : "=r"(old) : "l"(p), "r"(operand) : "memory");                                         \
        return old;                                                                                          \
    }                                                                                                        \
    template <> ROLE int atom_##name<n>(shared_loc p, int v)                                                 \
    {                                                                                                        \
        int old;                                                                                             \
        asm volatile("atom." ptx SHARED "." op "." type " %0, [%1], %2; // op " #n                           \
                     : "=r"(old) : "r"(p.address), "r"(operand) : "memory");                                 \
        return old;                                                                                          \
    }
#define ATOM(n, name, ptx, op, type) ATOM_OF(n, name, ptx, op, type, v)
#define ATOM_SUB(n, name, ptx)       ATOM_OF(n, name, ptx, "add", "s32", -v) /* PTX has no atom.sub */
#define ATOM_CAS(n, name, ptx)                                                                               \
    template <int> ROLE int atom_##name(loc, int, int);                                                      \
    template <int> ROLE int atom_##name(shared_loc, int, int);                                               \
    template <> ROLE int atom_##name<n>(loc p, int expected, int desired)                                    \
    {                                                                                                        \
        int old;                                                                                             \
        asm volatile("atom." ptx ".global.cas.b32 %0, [%1], %2, %3; // op " #n                               \
                     : "=r"(old) : "l"(p), "r"(expected), "r"(desired) : "memory");                          \
        return old;                                                                                          \
    }                                                                                                        \
    template <> ROLE int atom_##name<n>(shared_loc p, int expected, int desired)                             \
    {                                                                                                        \
        int old;                                                                                             \
        asm volatile("atom." ptx SHARED ".cas.b32 %0, [%1], %2, %3; // op " #n                               \
                     : "=r"(old) : "r"(p.address), "r"(expected), "r"(desired) : "memory");                  \
        return old;                                                                                          \
    }
#define FENCE(n, name, ptx)                                                                                  \
    template <int> ROLE void fence_##name();                                                                 \
    template <> ROLE void fence_##name<n>()                                                                  \
    {                                                                                                        \
        asm volatile("fence." ptx "; // op " #n ::: "memory");                                               \
    }
#define BARRIER_WARP(n)                                                                                      \
    template <int> ROLE void barrier_warp(struct run *);                                                     \
    template <> ROLE void barrier_warp<n>(struct run *run)                                                   \
    {                                                                                                        \
        asm volatile("bar.warp.sync %0; // op " #n ::"r"(run->warp_mask) : "memory");                        \
    }
#define BARRIER_CTA(n)                                                                                       \
    template <int> ROLE void barrier_cta(struct run *, int, int);                                            \
    template <> ROLE void barrier_cta<n>(struct run *, int id, int)                                          \
    {                                                                                                        \
        asm volatile("barrier.sync %0; // op " #n ::"r"(id) : "memory");                                     \
    }
#define BARRIER_CLUSTER(n)                                                                                   \
    template <int> ROLE void barrier_cluster(struct run *);                                                  \
    template <> ROLE void barrier_cluster<n>(struct run *)                                                   \
    {                                                                                                        \
        asm volatile("barrier.cluster.arrive;\n\tbarrier.cluster.wait; // op " #n ::: "memory");             \
    }

/* Element `index` of an array of `count`; one that is out of bounds spoils the instance, not the memory. */
ROLE int checked(struct run *run, int index, int count)
{
    if ((unsigned)index < (unsigned)count) return index;
    run->flags |= FLAG_BOUNDS;
    return 0;
}

ROLE loc at(struct run *run, loc a, int index, int count)
{
    return a + checked(run, index, count) * run->env->stride;
}

ROLE shared_loc at(struct run *run, shared_loc a, int index, int count)
{
    a.address += checked(run, index, count) * run->env->stride * (unsigned)sizeof(int);
    return a;
}

/* One more turn of a loop that waits for other threads? Not for ever: see `deadline`. */
ROLE bool turn(struct run *run)
{
    if ((++run->turns & 15) == 0 && clock64() > run->deadline) run->flags |= FLAG_STUCK;
    return !(run->flags & FLAG_STUCK);
}

/* 32-bit arithmetic without undefined cases. */
ROLE int idiv(int a, int b)
{
    return b == 0 ? 0 : b == -1 ? (int)(0u - (unsigned)a) : a / b;
}

ROLE int imod(int a, int b)
{
    return b == 0 || b == -1 ? 0 : a % b;
}

ROLE int ishl(int a, int b)
{
    return (int)((unsigned)a << (b & 31));
}

ROLE int ishr(int a, int b)
{
    return a >> (b & 31);
}

/* Beside the test: initial and final memory. */
ROLE int load_plain(loc p);
ROLE int load_plain(shared_loc p);
ROLE void store_plain(loc p, int v);
ROLE void store_plain(shared_loc p, int v);

/* Where `count` elements lie. */
ROLE loc global_at(const struct run *run, int chunk, int i, int first, int count, int gpu);
ROLE loc host_at(const struct run *run, int chunk, int i, int first, int count);
ROLE shared_loc shared_at(const struct run *run, int chunk, int i, int first, int count);
