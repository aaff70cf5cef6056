/* culitmus: what a fence costs, in cycles of the multiprocessor.
 *
 * In each round each thread writes so many words (`flood`), each in a line of its own, and reads the clock before and
 * behind the fence. The first lane of each warp keeps the difference in values[0], [rounds][warps]. The functions put,
 * settle and cycles, and a kernel for each fence, are generated (runner/gen/fence_cost.c). */

enum { LINE_WORDS = 32 };

template <class FENCE> ROLE void measure(const struct launch_args *e, FENCE fence)
{
    int thread = blockIdx.x * blockDim.x + threadIdx.x, warps = (gridDim.x * blockDim.x + 31) / 32;
    loc own = e->global[0] + (long long)thread * e->flood * LINE_WORDS;
    for (int k = 0; k < e->rounds; k++) {
        __syncthreads();
        settle(); /* nothing is under way but what follows */
        for (int w = 0; w < e->flood; w++)
            put(own + w * LINE_WORDS, k);
        long long before = cycles();
        fence();
        long long behind = cycles();
        if (threadIdx.x % 32 == 0) e->values[0][k * warps + thread / 32] = (int)(behind - before);
    }
}
