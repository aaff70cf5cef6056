/* culitmus: the PTX that the CUDA harness needs for itself, beside the test's operations. */

/* An address that is computed here and now. Left to itself the compiler computes it where it is used, between two
 * accesses of a test, which then are a hundred cycles apart and hardly ever overtake each other. */
ROLE loc at_hand(loc p)
{
    asm volatile("" : "+l"(p));
    return p;
}

ROLE shared_loc at_hand(shared_loc s)
{
    asm volatile("" : "+r"(s.address));
    return s;
}

/* A number that is kept in a register: the compiler cannot compute it again. */
ROLE int known(int n)
{
    asm volatile("" : "+r"(n));
    return n;
}

ROLE void copies_end(struct run *)
{
    asm volatile("cp.async.wait_all;" ::: "memory");
}

ROLE void bulk_end(struct run *)
{
    asm volatile("cp.async.bulk.commit_group;\n\tcp.async.bulk.wait_group 0;" ::: "memory");
}

ROLE void fence_async()
{
    asm volatile("fence.proxy.async;" ::: "memory");
}

ROLE int load_plain(loc p)
{
    int v;
    asm volatile("ld.weak.global.s32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
    return v;
}

ROLE int load_plain(shared_loc p)
{
    int v;
    asm volatile("ld.weak" SHARED ".s32 %0, [%1];" : "=r"(v) : "r"(p.address) : "memory");
    return v;
}

ROLE void store_plain(loc p, int v)
{
    asm volatile("st.weak.global.s32 [%0], %1;" ::"l"(p), "r"(v) : "memory");
}

ROLE void store_plain(shared_loc p, int v)
{
    asm volatile("st.weak" SHARED ".s32 [%0], %1;" ::"r"(p.address), "r"(v) : "memory");
}

#ifdef DRAINS
/* Of all who may do something to an mbarrier. */
#if CLUSTER
#define USERS ".cluster"
#else
#define USERS ".cta"
#endif

ROLE void add_plain(shared_loc p, int v)
{
    asm volatile("red.relaxed" USERS SHARED ".add.u32 [%0], %1;" ::"r"(p.address), "r"(v) : "memory");
}

ROLE void mbarrier_make_up(shared_loc b, unsigned expected, unsigned completed)
{
    asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;\n\t"
                 "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0], %2;"
                 ::"r"(b.address), "r"(expected), "r"(completed) : "memory");
}

ROLE void mbarrier_come(shared_loc b, unsigned arrivals)
{
    asm volatile("{ .reg .b64 token; mbarrier.arrive.release.cta.shared::cta.b64 token, [%0], %1; }"
                 ::"r"(b.address), "r"(arrivals) : "memory");
}

ROLE bool mbarrier_has_ended(shared_loc b, unsigned parity)
{
    int ended;
    asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.acquire" USERS ".shared::cta.b64 p, [%1], %2; selp.s32 %0, 1, 0, p; }"
                 : "=r"(ended) : "r"(b.address), "r"(parity) : "memory");
    return ended;
}
#endif

/* Accesses that are done, if at all, even if nobody wants what they read or write. */
ROLE void load_if(bool wanted, int *p, int *v)
{
    asm volatile("{ .reg .pred w; setp.ne.s32 w, %2, 0; @w ld.relaxed.gpu.global.s32 %0, [%1]; }"
                 : "+r"(*v) : "l"(p), "r"((int)wanted) : "memory");
}

ROLE void store_if(bool wanted, int *p, int v)
{
    asm volatile("{ .reg .pred w; setp.ne.s32 w, %2, 0; @w st.relaxed.gpu.global.s32 [%0], %1; }"
                 ::"l"(p), "r"(v), "r"((int)wanted) : "memory");
}

/* Meeting at a counter: counts up and says what it was; says what it is; sets it. */
#define ARRIVE(old, p, scope) \
    asm volatile("atom.acq_rel." scope ".global.add.u32 %0, [%1], 1;" : "=r"(old) : "l"(p) : "memory")
#define LOOK(seen, p, scope) asm volatile("ld.acquire." scope ".global.u32 %0, [%1];" : "=r"(seen) : "l"(p) : "memory")
#define TELL(p, v, scope)    asm volatile("st.release." scope ".global.u32 [%0], %1;" ::"l"(p), "r"(v) : "memory")

/* On which the block is. */
ROLE unsigned multiprocessor()
{
    unsigned sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    return sm;
}

/* __syncthreads() for a thread whose warp may be elsewhere: bar.sync is for whole warps (PTX ISA, "bar, barrier"). */
ROLE void meet_block()
{
    asm volatile("barrier.sync 0;" ::: "memory");
}

#ifdef LEAVES
ROLE void meet_to_leave()
{
    asm volatile("barrier.sync %0;" ::"n"(LEAVES) : "memory");
}
#endif

/* Ends no kernel before the one that it depends on: so what comes behind it in the stream is behind both. */
ROLE void end_after_others()
{
#if defined(KERNELS) && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

#if CLUSTER
ROLE shared_loc in_cluster(shared_loc s, unsigned rank)
{
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(s.address) : "r"(s.address), "r"(rank));
    return s;
}

ROLE void meet_cluster()
{
    asm volatile("barrier.cluster.arrive;\n\tbarrier.cluster.wait;" ::: "memory");
}
#else
/* A block by itself is a cluster. */
ROLE shared_loc in_cluster(shared_loc s, unsigned)
{
    return s;
}
#endif
