/* A second opinion on what is weak within a block: a harness that shares nothing with the engine's.
 *
 *   nvcc -O3 -std=c++17 -arch=native within_block.cu -o within_block && ./within_block [SECONDS [SHAPE...]]
 *
 * Blocks have nothing to do with each other: a round begins and ends with the block's own barrier, locations are the
 * block's own and never initialised again, for every round writes larger values and takes what is smaller as the
 * initial 0. Role k of an instance is played k warps further. For each of the shapes (all) and each kind of access random
 * environments are tried for so many seconds (2), and what was seen is printed. */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>

enum kind { VOLATILE, RELAXED_CTA, WEAK, KINDS };
enum shape { MP, SB, LB, S, R, TWO_PLUS_TWO_W, WRC, ISA2, WRW_2W, Z60, Z61, Z62, Z63, Z64, Z65, SHAPES };
static const char *const kind_names[] = {"volatile", "relaxed.cta", "weak"};
static const char *const shape_names[] = {"MP",     "SB",   "LB",   "S",    "R",    "2+2W", "WRC", "ISA2",
                                          "WRW+2W", "Z6.0", "Z6.1", "Z6.2", "Z6.3", "Z6.4", "Z6.5"};

enum { MAX_THREADS = 256, MAX_BATCH = 8, MAX_FLOOD = 8, LOCATIONS = 3 };
enum { STEP = 4 }; /* between the values of two rounds */

struct environment {
    int batch, rounds, flood, gap, delay, lag, turned, warm, early, mix;
    int scatter; /* see place */
    unsigned seed;
};

/* The accesses of a role follow each other at once: what they need is computed before. ptxas moves a weak access
 * freely, but not across `pmevent`. */
template <int KIND> __device__ __forceinline__ int load(int *p)
{
    int v;
    if (KIND == VOLATILE) asm volatile("ld.volatile.global.s32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
    if (KIND == RELAXED_CTA) asm volatile("ld.relaxed.cta.global.s32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
    if (KIND == WEAK)
        asm volatile("pmevent 0;\n\tld.weak.global.s32 %0, [%1];\n\tpmevent 0;" : "=r"(v) : "l"(p) : "memory");
    return v;
}

template <int KIND> __device__ __forceinline__ void store(int *p, int v)
{
    if (KIND == VOLATILE) asm volatile("st.volatile.global.s32 [%0], %1;" ::"l"(p), "r"(v) : "memory");
    if (KIND == RELAXED_CTA) asm volatile("st.relaxed.cta.global.s32 [%0], %1;" ::"l"(p), "r"(v) : "memory");
    if (KIND == WEAK)
        asm volatile("pmevent 0;\n\tst.weak.global.s32 [%0], %1;\n\tpmevent 0;" ::"l"(p), "r"(v) : "memory");
}

__host__ __device__ constexpr int roles(int shape)
{
    return shape <= TWO_PLUS_TWO_W ? 2 : 3;
}

/* One role: two accesses, or one. What it reads goes to r[]. `b` is added to each value. */
template <int SHAPE, int KIND> __device__ __forceinline__ void play(int role, int *x, int *y, int *z, int b, int *r)
{
    asm volatile("" : "+l"(x), "+l"(y), "+l"(z), "+r"(b));
    int one = b + 1, two = b + 2;
    asm volatile("" : "+r"(one), "+r"(two));
#define W(p, v) store<KIND>(p, v)
#define RD(i, p) r[i] = load<KIND>(p)
    if (role == 0) {
        if (SHAPE == MP || SHAPE == R || SHAPE == ISA2) W(x, one), W(y, one);
        if (SHAPE == Z60 || SHAPE == Z63 || SHAPE == Z64 || SHAPE == Z65) W(x, one), W(y, one);
        if (SHAPE == S || SHAPE == Z61 || SHAPE == Z62) W(x, two), W(y, one);
        if (SHAPE == TWO_PLUS_TWO_W) W(x, one), W(y, two);
        if (SHAPE == SB) W(x, one), RD(0, y);
        if (SHAPE == LB) RD(0, x), W(y, one);
        if (SHAPE == WRC) W(x, one);
        if (SHAPE == WRW_2W) W(x, two);
    } else if (role == 1) {
        if (SHAPE == MP) RD(0, y), RD(1, x);
        if (SHAPE == SB) W(y, one), RD(1, x);
        if (SHAPE == LB) RD(1, y), W(x, one);
        if (SHAPE == S) RD(0, y), W(x, one);
        if (SHAPE == R) W(y, two), RD(0, x);
        if (SHAPE == TWO_PLUS_TWO_W) W(y, one), W(x, two);
        if (SHAPE == WRC || SHAPE == WRW_2W) RD(0, x), W(y, one);
        if (SHAPE == ISA2 || SHAPE == Z60 || SHAPE == Z62) RD(0, y), W(z, one);
        if (SHAPE == Z61 || SHAPE == Z63 || SHAPE == Z65) W(y, two), W(z, one);
        if (SHAPE == Z64) W(y, two), RD(0, z);
    } else {
        if (SHAPE == WRC) RD(1, y), RD(2, x);
        if (SHAPE == WRW_2W) W(y, two), W(x, one);
        if (SHAPE == ISA2) RD(1, z), RD(2, x);
        if (SHAPE == Z60) W(z, two), RD(1, x);
        if (SHAPE == Z61) RD(0, z), W(x, one);
        if (SHAPE == Z62) RD(1, z), W(x, one);
        if (SHAPE == Z63) RD(0, z), RD(1, x);
        if (SHAPE == Z64) W(z, one), RD(1, x);
        if (SHAPE == Z65) W(z, two), RD(0, x);
    }
#undef W
#undef RD
}

/* Is this the outcome that sequential consistency forbids? */
template <int SHAPE> __device__ __forceinline__ bool is_weak(const int *r, int x, int y, int z)
{
    switch (SHAPE) {
    case MP: return r[0] == 1 && r[1] == 0;
    case SB: return r[0] == 0 && r[1] == 0;
    case LB: return r[0] == 1 && r[1] == 1;
    case S: return r[0] == 1 && x == 2;
    case R: return r[0] == 0 && y == 2;
    case TWO_PLUS_TWO_W: return x == 1 && y == 1;
    case WRC: return r[0] == 1 && r[1] == 1 && r[2] == 0;
    case WRW_2W: return r[0] == 2 && x == 2 && y == 2;
    case ISA2: return r[0] == 1 && r[1] == 1 && r[2] == 0;
    case Z60: return r[0] == 1 && r[1] == 0 && z == 2;
    case Z61: return r[0] == 1 && x == 2 && y == 2;
    case Z62: return r[0] == 1 && r[1] == 1 && x == 2;
    case Z63: return r[0] == 1 && r[1] == 0 && y == 2;
    case Z64: return r[0] == 0 && r[1] == 0 && y == 2;
    default: return r[0] == 0 && y == 2 && z == 2;
    }
}

__device__ __forceinline__ int in_round(int v, int b)
{
    return v > b ? v - b : 0;
}

/* Where an instance's location lies in its region. Neighbours in the region of x (0) are `scatter` apart in that of y (1)
 * and its square in that of z (2); it is prime to every n. */
__device__ __forceinline__ int place(const environment &e, int n, int batch, int home, int location)
{
    for (int l = 0; l < location; l++) home = home * e.scatter % n;
    return batch * n + home;
}

/* Reads locations so that their old values may be cached: bit 0 of `which` x, bit 1 y. */
template <int KIND> __device__ __forceinline__ int warm(int which, int *x, int *y)
{
    int junk = 0;
    if (which & 1) junk ^= load<KIND>(x);
    if (which & 2) junk ^= load<KIND>(y);
    return junk;
}

template <int SHAPE, int KIND>
__global__ void __launch_bounds__(MAX_THREADS)
    play_rounds(environment e, int *memory, int *other, unsigned long long *seen, int *sink)
{
    __shared__ int registers[LOCATIONS][MAX_BATCH][MAX_THREADS];
    const int n = blockDim.x, t = threadIdx.x, room = MAX_BATCH * (n + e.gap);
    int *x = memory + (size_t)blockIdx.x * LOCATIONS * room, *y = x + room, *z = y + room, junk = 0;
    unsigned random = (e.seed ^ (blockIdx.x * n + t)) * 2654435761u;
    unsigned long long weak = 0;
    for (int round = 1; round <= e.rounds; round++) {
        __syncthreads();
        for (int b = 0; b < e.batch; b++) {
#pragma unroll
            for (int s = 0; s < roles(SHAPE); s++) {
                int role = (s + t / 32 * e.turned) % roles(SHAPE);
                int home = (t + n - 32 * role) % n ^ (role * e.mix & 31);
                int *own_x = x + place(e, n, b, home, 0), *own_y = y + place(e, n, b, home, 1);
                int *own_z = z + place(e, n, b, home, 2);
                int r[3] = {-1, -1, -1}, held[MAX_FLOOD];
                if (e.early) junk ^= warm<KIND>(e.warm, own_x, own_y);
                random = random * 1664525u + 1013904223u;
                int pause = (e.lag < 0 ? role + 1 - roles(SHAPE) : role) * e.lag;
                for (int d = pause + (e.delay ? (int)(random >> 8) % e.delay : 0); d > 0; d--) asm volatile("");
#pragma unroll
                for (int f = 0; f < MAX_FLOOD; f++) {
                    held[f] = 0;
                    int *p = other + ((blockIdx.x * n + t) * 8 + f * 131072) % (1 << 20);
                    if (f < e.flood)
                        asm volatile("ld.relaxed.gpu.global.s32 %0, [%1];" : "=r"(held[f]) : "l"(p) : "memory");
                }
                if (!e.early) junk ^= warm<KIND>(e.warm, own_x, own_y);
                play<SHAPE, KIND>(role, own_x, own_y, own_z, round * STEP, r);
                asm volatile("pmevent 0;" ::: "memory");
                for (int f = 0; f < MAX_FLOOD; f++) junk ^= held[f];
                for (int o = 0; o < 3; o++)
                    if (r[o] != -1) registers[o][b][home] = r[o];
            }
        }
        __threadfence();
        __syncthreads();
        for (int b = 0; b < e.batch; b++) {
            int r[3], base = round * STEP;
            for (int o = 0; o < 3; o++) r[o] = in_round(registers[o][b][t], base);
            int last_x = in_round(load<VOLATILE>(x + place(e, n, b, t, 0)), base);
            int last_y = in_round(load<VOLATILE>(y + place(e, n, b, t, 1)), base);
            int last_z = in_round(load<VOLATILE>(z + place(e, n, b, t, 2)), base);
            weak += is_weak<SHAPE>(r, last_x, last_y, last_z);
        }
    }
    if (weak) atomicAdd(seen, weak);
    if (e.rounds < 0) *sink = junk; /* never; but the reads are wanted */
}

static void check(cudaError_t e)
{
    if (e == cudaSuccess) return;
    fprintf(stderr, "within_block: %s\n", cudaGetErrorString(e));
    exit(1);
}

static int *memory, *other, *sink;
static unsigned long long *seen;
static int sms;
static const size_t words = (size_t)1 << 26;

static int pick(const int *list, int n)
{
    return list[rand() % n];
}
#define PICK(...) pick((const int[]){__VA_ARGS__}, sizeof((const int[]){__VA_ARGS__}) / sizeof(int))

template <int SHAPE, int KIND> static void bench(double seconds)
{
    double spent = 0, best = 0, runs = 0;
    unsigned long long total = 0;
    int tried = 0, showed = 0;
    cudaEvent_t begin, end;
    check(cudaEventCreate(&begin));
    check(cudaEventCreate(&end));
    while (spent < seconds) {
        int threads = PICK(64, 96, 128, 256), blocks = sms * PICK(1, 2, 3, 4, 8);
        if (threads < 32 * roles(SHAPE)) threads = 32 * roles(SHAPE); /* else a thread has two roles of an instance */
        environment e = {PICK(1, 2, 4, 8), 0, PICK(0, 3, 4, 5, 6, 8), PICK(0, 1, 8, 32, 1056),
                         PICK(0, 0, 6, 16, 64, 256), PICK(-32, -8, 0, 0, 8, 32, 90, 128), PICK(0, 1, 1),
                         PICK(0, 0, 1, 2, 3), PICK(0, 1), PICK(0, 0, 1, 3, 16), PICK(1, 1, 5, 11, 17, 23),
                         (unsigned)rand()};
        unsigned long long weak = 0;
        float ms = 0;
        e.rounds = 4000 / e.batch;
        check(cudaMemset(memory, 0, words * sizeof(int)));
        check(cudaMemset(seen, 0, sizeof *seen));
        check(cudaEventRecord(begin));
        play_rounds<SHAPE, KIND><<<blocks, threads>>>(e, memory, other, seen, sink);
        check(cudaEventRecord(end));
        check(cudaMemcpy(&weak, seen, sizeof weak, cudaMemcpyDeviceToHost));
        check(cudaEventElapsedTime(&ms, begin, end));
        spent += ms / 1e3;
        runs += (double)blocks * threads * e.batch * e.rounds;
        total += weak;
        tried++;
        showed += weak > 0;
        if (weak / (ms / 1e3) > best) best = weak / (ms / 1e3);
    }
    printf("%-7s %-12s %12llu of %8.2g  in %3d of %3d environments, at best %8.2g/s\n", shape_names[SHAPE],
           kind_names[KIND], total, runs, showed, tried, best);
    fflush(stdout);
}

/* Those shapes that are named, or all of them. */
template <int SHAPE> static void bench_shapes(double seconds, char **names)
{
    bool wanted = !*names;
    for (char **n = names; *n; n++) wanted |= strcmp(*n, shape_names[SHAPE]) == 0;
    if (wanted) {
        bench<SHAPE, VOLATILE>(seconds);
        bench<SHAPE, RELAXED_CTA>(seconds);
        bench<SHAPE, WEAK>(seconds);
    }
    if constexpr (SHAPE + 1 < SHAPES) bench_shapes<SHAPE + 1>(seconds, names);
}

int main(int argc, char **argv)
{
    for (int a = 2; a < argc; a++) {
        int s = 0;
        while (s < SHAPES && strcmp(argv[a], shape_names[s]) != 0) s++;
        if (s == SHAPES) return fprintf(stderr, "within_block: no shape is named %s\n", argv[a]), 2;
    }
    cudaDeviceProp p;
    check(cudaGetDeviceProperties(&p, 0));
    sms = p.multiProcessorCount;
    check(cudaMalloc(&memory, words * sizeof(int)));
    check(cudaMalloc(&other, (1 << 20) * sizeof(int)));
    check(cudaMalloc(&seen, sizeof *seen));
    check(cudaMalloc(&sink, sizeof *sink));
    printf("%s\n", p.name);
    bench_shapes<0>(argc > 1 ? atof(argv[1]) : 2, argv + (argc < 2 ? 1 : 2));
    return 0;
}
