/* culitmus: what the test's operations need of CUDA. Each operation is one PTX instruction, so that order, width, scope
 * and strength are exactly those that the test names (PTX ISA, "Memory Consistency Model", ld, st, atom, fence). */
#define ROLE __device__ __forceinline__

#ifdef __CUDACC_RTC__
typedef signed char int8_t;
typedef unsigned char uint8_t;
typedef short int16_t;
typedef unsigned short uint16_t;
typedef long long int64_t;
typedef unsigned long long uint64_t;
#else
#include <stdint.h>
#endif

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
    int weak;           /* weak accesses with a displacement so far */
    int sink;           /* what was read and is not observed */
    const int *kept;    /* where the harness keeps the places of the instance's locations */
    unsigned come, left; /* where threads pass a barrier unequally often: how often this one has; instances it has left */
};
enum { FLAG_STUCK = 1, FLAG_BOUNDS = 2 };

/* The assembler (ptxas) may merge, hoist, drop and reorder weak accesses, even around a strong one that orders them. It
 * does not move any across `pmevent`, which does nothing but count for profilers; and it cannot merge accesses whose
 * addresses may differ. So a weak access to what its thread has accessed before gets a displacement of its own: always
 * 0, but not as far as the assembler knows. The first one has none, since no other access should wait for an address. */
ROLE void keep_order()
{
    asm volatile("pmevent 0;" ::: "memory");
}

/* Gives the kernel that a trigger lets begin the time to begin. */
ROLE void linger(const struct run *run)
{
    if (run->env->linger <= 0) return;
    for (long long began = clock64(); clock64() - began < run->env->linger;) {}
}

ROLE loc displaced(loc p, struct run *run)
{
    return p + run->env->zero * ++run->weak;
}

ROLE shared_loc displaced(shared_loc p, struct run *run)
{
    p.address += run->env->zero * ++run->weak;
    return p;
}

/* The same for what is read before a role begins: none of the role's own displacements. */
ROLE loc displaced_before(loc p, const struct run *run)
{
    return p - run->env->zero;
}

ROLE shared_loc displaced_before(shared_loc p, const struct run *run)
{
    p.address -= run->env->zero;
    return p;
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

/* A compiler may take it that signed numbers do not overflow; these wrap. */
ROLE int ineg(int a) { return (int)(0u - (unsigned)a); }
ROLE int iadd(int a, int b) { return (int)((unsigned)a + (unsigned)b); }
ROLE int isub(int a, int b) { return (int)((unsigned)a - (unsigned)b); }
ROLE int imul(int a, int b) { return (int)((unsigned)a * (unsigned)b); }
ROLE int64_t ineg_s64(int64_t a) { return (int64_t)(0 - (uint64_t)a); }
ROLE int64_t iadd_s64(int64_t a, int64_t b) { return (int64_t)((uint64_t)a + (uint64_t)b); }
ROLE int64_t isub_s64(int64_t a, int64_t b) { return (int64_t)((uint64_t)a - (uint64_t)b); }
ROLE int64_t imul_s64(int64_t a, int64_t b) { return (int64_t)((uint64_t)a * (uint64_t)b); }

/* The same for other types, which are in the name. */
#define ARITHMETIC(name, type, plain, bits, sign) \
    ROLE type idiv_##name(type a, type b) { return b == 0 ? 0 : sign && b == (type)-1 ? (type)(0 - (plain)a) : a / b; } \
    ROLE type imod_##name(type a, type b) { return b == 0 || (sign && b == (type)-1) ? 0 : a % b; } \
    ROLE type ishl_##name(type a, int b) { return (type)((plain)a << (b & (bits - 1))); } \
    ROLE type ishr_##name(type a, int b) { return a >> (b & (bits - 1)); }
ARITHMETIC(u32, unsigned, unsigned, 32, 0)
ARITHMETIC(s64, int64_t, uint64_t, 64, 1)
ARITHMETIC(u64, uint64_t, uint64_t, 64, 0)
#undef ARITHMETIC

ROLE int popc_u32(unsigned v) { return __popc(v); }
ROLE int popc_u64(uint64_t v) { return __popcll(v); }
ROLE int clz_u32(unsigned v) { return __clz(v); }
ROLE int clz_u64(uint64_t v) { return __clzll(v); }
ROLE unsigned brev_u32(unsigned v) { return __brev(v); }
ROLE uint64_t brev_u64(uint64_t v) { return __brevll(v); }

/* A test's lanes are numbered from 0 in its own warp, of which a warp of the GPU holds several. */
ROLE int first_lane(const struct run *run) { return __ffs(run->warp_mask) - 1; }
ROLE unsigned own_lanes(const struct run *run, unsigned lanes) { return (lanes & run->warp_mask) >> first_lane(run); }
ROLE unsigned lanes_of(const struct run *run, unsigned mask) { return mask << first_lane(run) & run->warp_mask; }

/* Of a shuffle: the lanes among which it stays, as shfl.sync has them; and whether there is a lane to take from. */
ROLE int segment_of(const struct run *run, int width)
{
    return (32 - (width < run->env->lanes ? width : run->env->lanes)) << 8;
}

enum {
    SHUFFLE_IDX, SHUFFLE_UP, SHUFFLE_DOWN, SHUFFLE_XOR, VOTE_BALLOT, VOTE_ANY, VOTE_ALL, VOTE_UNI, VOTE_COUNT,
    MATCH_ANY, REDUCE_ADD, REDUCE_MIN, REDUCE_MAX, REDUCE_AND, REDUCE_OR, REDUCE_XOR,
};
ROLE bool takes_lane(const struct run *run, int how, unsigned mask, int lane, int width)
{
    int own = (int)(threadIdx.x % 32) - first_lane(run), first = own / width * width;
    int from = how == SHUFFLE_IDX ? first + (lane & (width - 1)) : how == SHUFFLE_UP ? own - lane
             : how == SHUFFLE_DOWN ? own + lane : own ^ lane;
    if (from < (how == SHUFFLE_XOR ? 0 : first) || from >= first + width || from >= 32) return false;
    return mask >> from & own_lanes(run, run->warp_mask) >> from & 1;
}

/* An index of 64 bits: one that does not fit an int is out of bounds in any case. */
ROLE int narrow(long long index)
{
    return index == (int)index ? (int)index : -1;
}

/* The k-th word of an element. */
ROLE loc word_of(loc p, int k)
{
    return p + k;
}

ROLE shared_loc word_of(shared_loc p, int k)
{
    p.address += k * (unsigned)sizeof(int);
    return p;
}

/* The byte of an element that a view begins with. */
ROLE loc byte_of(loc p, int n)
{
    return (loc)((char *)p + n);
}

ROLE shared_loc byte_of(shared_loc p, int n)
{
    p.address += n;
    return p;
}

/* Beside the test: initial and final memory. */
ROLE int load_plain(loc p);
ROLE int load_plain(shared_loc p);
ROLE void store_plain(loc p, int v);
ROLE void store_plain(shared_loc p, int v);
/* Waits for the copies that the thread has started for an instance, and for its bulk copies. */
ROLE void copies_end(struct run *run);
ROLE void bulk_end(struct run *run);
/* What the thread wrote is there for engines that access it through the async proxy. */
ROLE void fence_async();

/* Where `count` elements lie. */
ROLE loc global_at(const struct run *run, int chunk, int i, int first, int count, int gpu);
ROLE loc host_at(const struct run *run, int chunk, int i, int first, int count);
ROLE shared_loc shared_at(const struct run *run, int chunk, int i, int first, int count);
/* In the shared memory of the block that asks. */
ROLE shared_loc own_shared_at(const struct run *run, int chunk, int i, int first, int count);
/* The same place in the shared memory of the cluster's block of this rank. */
ROLE shared_loc in_cluster(shared_loc s, unsigned rank);
