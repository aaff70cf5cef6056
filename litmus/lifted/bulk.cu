/* A block writes a buffer in shared memory, and one thread has it copied or added to global memory. */
#include <cuda/ptx>

namespace ptx = cuda::ptx;

__global__ void flush(int *out, int *seen) {
    __shared__ alignas(16) int buffer[4];
    buffer[threadIdx.x] = 1;
#ifdef FENCED
    ptx::fence_proxy_async(ptx::space_shared);
#endif
    __syncthreads();
    if (threadIdx.x == 0) {
#ifdef ADD
        ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_add, out, buffer, sizeof buffer);
#else
        ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out, buffer, sizeof buffer);
#endif
        ptx::cp_async_bulk_commit_group();
#ifdef READ
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{});
#else
        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>{});
#endif
        *seen = out[1];
    }
}
