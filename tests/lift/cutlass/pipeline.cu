// One thread loads tiles by bulk copies into the stages of a pipeline of CUTLASS, and another one reads them.
#include <cuda/ptx>
#include <cutlass/pipeline/pipeline.hpp>

using Pipeline = cutlass::PipelineTmaAsync<2>;

__global__ void tiles(const int *in, int *out, int count, bool fenced) {
    __shared__ alignas(16) int tile[2][4];
    __shared__ alignas(Pipeline::SharedStorage) char bytes[sizeof(Pipeline::SharedStorage)];
    auto &storage = *reinterpret_cast<Pipeline::SharedStorage *>(bytes);
    bool produces = threadIdx.x == 0;
    Pipeline::Params params;
    params.transaction_bytes = sizeof tile[0];
    params.role = produces ? Pipeline::ThreadCategory::Producer : Pipeline::ThreadCategory::Consumer;
    params.is_leader = produces;
    params.num_consumers = 1;
    Pipeline pipeline(storage, params, cute::Shape<cute::_1, cute::_1, cute::_1>{});
    __syncthreads();
    if (produces) {
        auto state = cutlass::make_producer_start_state<Pipeline>();
#pragma unroll 1
        for (int k = 0; k < count; k++, ++state) {
            pipeline.producer_acquire(state);
            cuda::ptx::cp_async_bulk(cuda::ptx::space_cluster, cuda::ptx::space_global, tile[state.index()], in + 4 * k,
                                     sizeof tile[0], pipeline.producer_get_barrier(state));
        }
    } else {
        cutlass::PipelineState<2> state;
#pragma unroll 1
        for (int k = 0; k < count; k++, ++state) {
            pipeline.consumer_wait(state);
            out[k] = tile[state.index()][0];
            if (fenced) cutlass::arch::fence_view_async_shared();
            pipeline.consumer_release(state);
        }
    }
}
