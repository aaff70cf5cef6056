// A persistent matrix kernel in two roles: a producer loads tiles of A and B by bulk copies into a ring of stages, a consumer
// multiplies them and stores its tile by a bulk copy. Three loops: the tiles of the producer, those of the consumer, and the
// steps of a tile.
#include <cuda/ptx>

#include "barrier.cuh"

namespace ptx = cuda::ptx;

template <int N> struct State {
    int stage = 0;
    uint32_t phase;

    __device__ explicit State(uint32_t first) : phase(first) {}
    __device__ void next() {
        if (++stage == N) {
            stage = 0;
            phase ^= 1;
        }
    }
};

// Where a tile is: what a launch knows of the problem.
struct Problem {
    const int *a, *b;
    int *c;
    uint32_t tiles_m, tiles_n, steps;
    uint32_t pitch_a, pitch_b, pitch_c;
    uint32_t fenced; // whether a stage is handed back behind a fence of the async proxy
};

struct Tile {
    uint32_t m, n;

    __device__ static Tile of(const Problem &p, uint32_t number) {
        uint32_t group = number / (2 * p.tiles_n), in_group = number % (2 * p.tiles_n);
        uint32_t rows = min(p.tiles_m - 2 * group, 2u);
        return {2 * group + in_group % rows, in_group / rows};
    }
};

struct Storage {
    alignas(16) int a[STAGES][4];
    alignas(16) int b[STAGES][4];
    alignas(16) int c[4];
    Barrier full[STAGES], empty[STAGES];
};

__device__ inline int swizzle(int k) {
    return k ^ (k >> 2 & 3);
}

__global__ void matrix(const __grid_constant__ Problem p) {
    extern __shared__ char dynamic[];
    Storage &s = *reinterpret_cast<Storage *>(dynamic);
    uint32_t tiles = p.tiles_m * p.tiles_n;
    if (threadIdx.x == 0) {
#pragma unroll
        for (int k = 0; k < STAGES; k++) {
            s.full[k].init(1);
            s.empty[k].init(1);
        }
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        State<STAGES> state(1);
#pragma unroll 1
        for (uint32_t number = blockIdx.x; number < tiles; number += gridDim.x) {
            Tile t = Tile::of(p, number);
            for (uint32_t step = 0; step < p.steps; step++, state.next()) {
                s.empty[state.stage].wait(state.phase);
                s.full[state.stage].arrive_and_expect_tx(sizeof s.a[0] + sizeof s.b[0]);
                ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, s.a[state.stage], p.a + t.m * p.pitch_a + 4 * step,
                                   sizeof s.a[0], &s.full[state.stage].word);
                ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, s.b[state.stage], p.b + t.n * p.pitch_b + 4 * step,
                                   sizeof s.b[0], &s.full[state.stage].word);
            }
        }
    } else {
        State<STAGES> state(0);
#pragma unroll 1
        for (uint32_t number = blockIdx.x; number < tiles; number += gridDim.x) {
            Tile t = Tile::of(p, number);
            int acc[4] = {};
#pragma unroll 1
            for (uint32_t step = 0; step < p.steps; step++, state.next()) {
                s.full[state.stage].wait(state.phase);
#pragma unroll
                for (int i = 0; i < 4; i++)
#pragma unroll
                    for (int k = 0; k < 4; k++)
                        acc[i] += s.a[state.stage][swizzle(k)] * s.b[state.stage][swizzle((i + k) & 3)];
                if (p.fenced) ptx::fence_proxy_async(ptx::space_shared);
                s.empty[state.stage].arrive();
            }
#pragma unroll
            for (int i = 0; i < 4; i++)
                s.c[i] = acc[i];
            ptx::fence_proxy_async(ptx::space_shared);
            ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, p.c + t.m * p.pitch_c + 4 * t.n, s.c, sizeof s.c);
            ptx::cp_async_bulk_commit_group();
            ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{});
        }
        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>{});
    }
}
