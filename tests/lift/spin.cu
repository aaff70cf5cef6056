/* What a compiler may do to plain accesses, for tests/lift/source.test. */
__global__ void spin(int *flag, const uint4 *__restrict__ in, uint4 *out) {
    while (*flag == 0) {}
    *out = *in;
}
