/* Small kernels, for tests/lift/guess.test. */
__global__ void fill(int *x) { *x = VALUE; }
__global__ void fill(float *x) { *x = VALUE; }
template <int N> __global__ void twice(int *x) { *x = N; }
