/* Kernels whose parameters are of many kinds, for tests/lift/guess.test. */
#include <cuda/atomic>

struct request {
    int *data;
    unsigned n;
    unsigned long long *total;
};

// __global__ void commented(int *x);

template <int N>
__global__ void __launch_bounds__(128)
    every(unsigned int *workspace, const int *__restrict__ in, /* a, b */ cuda::atomic<long long> *flag, float scale,
          request r, void *other, int *out = nullptr) {
    if (threadIdx.x == 0) {
        atomicAdd(workspace, N);
        CULITMUS_FENCE(arrive);
    }
    __syncthreads();
    out[0] = in[0] + r.data[1] + r.n + flag->load() + r.total[0] * scale + *(int *)other;
}

__global__ void nothing() {}
