/* A flag with a release missing. */
__device__ __forceinline__ void raise(int *flag) {
    asm volatile("st.relaxed.gpu.s32 [%0], 1;" ::"l"(flag) : "memory");
}

__device__ __forceinline__ void await(int *flag) {
    int seen;
    do
        asm volatile("ld.acquire.gpu.s32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");
    while (seen == 0);
}
