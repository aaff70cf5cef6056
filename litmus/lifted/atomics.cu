/* Kernels of two blocks on atomics of libcu++, whose orders RELEASE, ACQUIRE and BOTH the tests beside it define. */
#include <cuda/atomic>
#include <cuda/std/atomic>

__global__ void message(int *data, int *word, int *out) {
    cuda::atomic_ref<int, cuda::thread_scope_device> flag(*word);
    if (blockIdx.x == 0) {
        data[0] = 1;
        CULITMUS_FENCE(publish);
        flag.store(1, cuda::std::RELEASE);
    } else {
        while (flag.load(cuda::std::ACQUIRE) == 0) {}
        CULITMUS_FENCE(consume);
        out[0] = data[0];
    }
}

__global__ void flag_lock(int *data, cuda::std::atomic_flag *lock) {
    while (lock->test_and_set(cuda::std::ACQUIRE)) {}
    data[0] = data[0] + 1;
    lock->clear(cuda::std::RELEASE);
}

__global__ void exchange_lock(int *data, int *word) {
    cuda::atomic_ref<int, cuda::thread_scope_device> lock(*word);
    int expected = 0;
    while (!lock.compare_exchange_strong(expected, 1, cuda::std::ACQUIRE, cuda::std::memory_order_relaxed))
        expected = 0;
    data[0] = data[0] + 1;
    lock.store(0, cuda::std::RELEASE);
}

/* The last to come reads what both have written. */
__global__ void last_one(int *data, int *word, int *out) {
    cuda::atomic_ref<int, cuda::thread_scope_device> arrived(*word);
    data[blockIdx.x] = 1;
    if (arrived.fetch_add(1, cuda::std::BOTH) == 1) out[0] = data[0] + data[1];
}
