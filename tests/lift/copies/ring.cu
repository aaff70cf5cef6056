// A producer loads tiles by bulk copies, and a consumer reads them, in a ring whose stages have two mbarriers each.
#include <cuda/ptx>

#include "barrier.cuh"

namespace ptx = cuda::ptx;

struct State {
    int stage = 0;
    uint32_t phase;

    __device__ explicit State(uint32_t first) : phase(first) {}
    __device__ void next() {
        if (++stage == STAGES) {
            stage = 0;
            phase ^= 1;
        }
    }
};

struct Storage {
    alignas(16) int tile[STAGES][4];
    Barrier full[STAGES], empty[STAGES];
};

__global__ void ring(const int *in, int *out) {
    extern __shared__ char dynamic[];
    Storage &s = *reinterpret_cast<Storage *>(dynamic);
    if (threadIdx.x == 0) {
        for (int k = 0; k < STAGES; k++) {
            s.full[k].init(1);
            s.empty[k].init(1);
        }
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        State state(1);
#pragma unroll 1
        for (int k = 0; k < TILES; k++, state.next()) {
            s.empty[state.stage].wait(state.phase);
            s.full[state.stage].arrive_and_expect_tx(sizeof s.tile[0]);
            ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, s.tile[state.stage], in + 4 * k,
                               sizeof s.tile[0], &s.full[state.stage].word);
        }
    } else {
        State state(0);
#pragma unroll 1
        for (int k = 0; k < TILES; k++, state.next()) {
#ifdef EARLY
            int got = s.tile[state.stage][0];
            s.full[state.stage].wait(state.phase);
#else
            s.full[state.stage].wait(state.phase);
            int got = s.tile[state.stage][0];
#endif
            out[k] = got;
#ifdef FENCED
            ptx::fence_proxy_async(ptx::space_shared);
#endif
            s.empty[state.stage].arrive();
        }
    }
}
