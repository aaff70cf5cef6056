/* Kernels of two blocks, or of two threads, that wait with libcu++, in the scope SCOPE and with the orders RELEASE and ACQUIRE
 * that the tests beside it define. */
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/latch>
#include <cuda/semaphore>

__device__ cuda::counting_semaphore<cuda::SCOPE, 4> slots{0};
__device__ cuda::binary_semaphore<cuda::SCOPE> slot{0};
__device__ cuda::latch<cuda::SCOPE> gate{2};

__global__ void counting_semaphore(int *data, int *out) {
    if (blockIdx.x == 0) {
        data[0] = 1;
        slots.release();
    } else {
        slots.acquire();
        out[0] = data[0];
    }
}

__global__ void binary_semaphore(int *data, int *out) {
    if (blockIdx.x == 0) {
        data[0] = 1;
        slot.release();
    } else {
        slot.acquire();
        out[0] = data[0];
    }
}

__global__ void latch(int *data, int *out) {
    data[blockIdx.x] = 1;
    gate.arrive_and_wait();
    out[blockIdx.x] = data[1 - blockIdx.x];
}

#ifdef ACQUIRE
__global__ void wait(int *data, int *word, int *out) {
    cuda::atomic_ref<int, cuda::SCOPE> flag(*word);
    if (blockIdx.x == 0) {
        data[0] = 1;
        flag.store(1, cuda::std::RELEASE);
        flag.notify_one();
    } else {
        flag.wait(0, cuda::std::ACQUIRE);
        out[0] = data[0];
    }
}

__global__ void store_buffering(int *x, int *y, int *out) {
    cuda::atomic_ref<int, cuda::SCOPE> mine(blockIdx.x ? *y : *x), other(blockIdx.x ? *x : *y);
    mine.store(1, cuda::std::RELEASE);
    out[blockIdx.x] = other.load(cuda::std::ACQUIRE);
}
#endif
