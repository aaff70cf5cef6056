/* Blocks of a cluster write into each other's shared memory. */
#include <cooperative_groups.h>
#include <cuda/std/cstdint>
#include <cuda/ptx>

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

__global__ void __cluster_dims__(2) mapped(int *out) {
    __shared__ int slot;
    cg::cluster_group cluster = cg::this_cluster();
    unsigned rank = cluster.block_rank();
    slot = 0;
    cluster.sync();
    *cluster.map_shared_rank(&slot, rank ^ 1) = 1 + rank;
#ifdef RELAXED
    asm volatile("barrier.cluster.arrive.relaxed;\nbarrier.cluster.wait;" ::: "memory");
#else
    cluster.sync();
#endif
    out[rank] = slot;
    cluster.sync();
}

// The block of rank 1 fills the buffer of rank 0 and arrives there, as a consumer of a multicast releases a stage.
__global__ void __cluster_dims__(2) remote(int *out) {
    __shared__ int slot;
    __shared__ uint64_t bar;
    cg::cluster_group cluster = cg::this_cluster();
    unsigned rank = cluster.block_rank();
    if (rank == 0) ptx::mbarrier_init(&bar, 1);
    ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    asm volatile("barrier.cluster.arrive.relaxed;\nbarrier.cluster.wait;" ::: "memory");
    if (rank == 1) {
        *cluster.map_shared_rank(&slot, 0) = 1;
        uint32_t own = static_cast<uint32_t>(__cvta_generic_to_shared(&bar));
        asm volatile("{\n"
                     ".reg .b32 there;\n"
                     "mapa.shared::cluster.u32 there, %0, %1;\n"
                     "mbarrier.arrive.release." SCOPE ".shared::cluster.b64 _, [there];\n"
                     "}" ::"r"(own), "r"(0) : "memory");
    } else {
        while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, &bar, 0)) {}
        *out = slot;
    }
    cluster.sync();
}

// A value is sent with an mbarrier that it tells.
__global__ void __cluster_dims__(2) sent(int *out) {
    __shared__ int slot[4];
    __shared__ uint64_t bar;
    cg::cluster_group cluster = cg::this_cluster();
    unsigned rank = cluster.block_rank();
    ptx::mbarrier_init(&bar, 1);
    slot[0] = 0;
    cluster.sync();
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, 4);
    ptx::st_async(cluster.map_shared_rank(&slot[0], rank ^ 1), 1 + static_cast<int>(rank),
                  cluster.map_shared_rank(&bar, rank ^ 1));
#ifdef EARLY
    int got = *(volatile int *)slot;
    while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, &bar, 0)) {}
#else
    while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, &bar, 0)) {}
    int got = slot[0];
#endif
    out[rank] = got;
    cluster.sync();
}

// A block copies its tile into the other one's.
__global__ void __cluster_dims__(2) copied(int *out) {
    __shared__ alignas(16) int tile[4], other[4];
    __shared__ uint64_t bar;
    cg::cluster_group cluster = cg::this_cluster();
    unsigned rank = cluster.block_rank();
    ptx::mbarrier_init(&bar, 1);
    tile[0] = 1 + rank;
#ifndef EARLY
    ptx::fence_proxy_async(ptx::space_shared);
#endif
    cluster.sync();
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, 16);
    ptx::cp_async_bulk(ptx::space_cluster, ptx::space_shared, cluster.map_shared_rank(other, rank ^ 1), tile,
                       sizeof tile, cluster.map_shared_rank(&bar, rank ^ 1));
    while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, &bar, 0)) {}
    out[rank] = other[0];
    cluster.sync();
}
