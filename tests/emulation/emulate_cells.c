#include "emulate_cells.h"

#include <stddef.h>

/* Each thread finds another number: so each plays, and once, and no two instances share a word. */
#define COUNTING(n, space, all)                                                                              \
    "name: counting-" #n "-" #space "\nmemory:\n  N: {space: " #space "}\n"                                  \
    "  A: {space: " #space ", count: " #n "}\n  M: {space: " #space "}\nthreads:\n  T:\n    count: " #n      \
    "\n    body: |\n      int r = atomicAdd(&N, 1);\n      A[r] += 1;\n      atomicSub(&M, r);\n"            \
    "forall: N == " #n " && M == -" #n " * (" #n " - 1) / 2" all "\n"
#define FIVE_ONCE " && A[0] == 1 && A[1] == 1 && A[2] == 1 && A[3] == 1 && A[4] == 1"
#define NINE_ONCE FIVE_ONCE " && A[5] == 1 && A[6] == 1 && A[7] == 1 && A[8] == 1"

static const char never_set[] = "name: never-set\nmemory: {X: 0, Y: 0}\n"
                                "threads:\n  T0: |\n    while (X == 0) {}\n  T1: |\n    Y = 1;\n"
                                "exists: Y == 1\n";
static const char beyond[] = "name: beyond\nmemory: {X: 0, A: {count: 2}}\n"
                             "threads:\n  T0: |\n    int r = X;\n    A[2 * r] = 1;\n  T1: |\n    X = 1;\n"
                             "exists: A[0] == 1\n";
/* Barriers in one of two blocks, which has a warp without a part. */
static const char uneven[] = "name: uneven\nmemory: {X: 0, Y: 0, Z: 0}\n"
                             "threads:\n  T0: |\n    X = 1;\n    __syncthreads();\n    int r = Y;\n"
                             "  T1: |\n    Y = 1;\n    __syncthreads();\n    int r = X;\n"
                             "  T2:\n    count: 3\n    body: |\n      int a = X;\n      Z = 1;\n"
                             "exists: T0.r == 0 || T1.r == 0 || T2[1].a == 5\n";
/* A barrier of two blocks, of which one has a warp without a part. */
static const char uneven_cluster[] = "name: uneven-cluster\nmemory: {X: 0, Y: 0, Z: 0}\n"
                                     "threads:\n  T0: |\n    X = 1;\n    cluster_sync();\n    int r = Y;\n"
                                     "  T1: |\n    Y = 1;\n    cluster_sync();\n    int r = Z;\n"
                                     "  T2: |\n    Z = 1;\n    cluster_sync();\n    int r = X;\n"
                                     "forall: T0.r == 1 && T1.r == 1 && T2.r == 1\n";
/* In distributed shared memory: threads that wait for each other, and that meet. */
static const char waiting_cluster[] =
    "name: waiting-cluster\nmemory: {X: {space: shared}, F: {space: shared}}\n"
    "threads:\n  T0: |\n    X = 1;\n    F = 1;\n"
    "  T1: |\n    while (F == 0) {}\n    int r = X;\nforall: X == 1 && T1.r == 1\n";
static const char meeting_cluster[] =
    "name: meeting-cluster\nmemory: {X: {space: shared}, Y: {space: shared}}\n"
    "threads:\n  T0: |\n    X = 1;\n    cluster_sync();\n    int r = Y;\n"
    "  T1: |\n    Y = 1;\n    cluster_sync();\n    int r = X;\nforall: T0.r == 1 && T1.r == 1\n";
/* Warps of one and of two lanes, or of three: lanes without a part pass the barrier beside those that have one. */
static const char unequal_lanes[] = "name: unequal-lanes\nmemory: {X: 0, Y: 0, Z: 0}\nthreads:\n"
                                    "  T0: |\n    X = 1;\n    __syncthreads();\n    int r = Y;\n"
                                    "  T1: |\n    Y = 1;\n    __syncthreads();\n    int r = Z;\n"
                                    "  T2: |\n    Z = 1;\n    __syncthreads();\n    int r = X;\n"
                                    "forall: T0.r == 1 && T1.r == 1 && T2.r == 1\n";
/* 5040 outcomes: more than a block has room for. */
static const char tickets[] =
    "name: tickets\nmemory: {N: 0}\n"
    "threads:\n  T:\n    count: 7\n    body: |\n      int r = atomicAdd(&N, 1);\n"
    "forall: N == 7 && T[0].r != T[1].r && T[2].r != T[3].r && T[4].r != T[5].r && T[6].r >= 0\n";
static const char large_tickets[] =
    "name: large-tickets\nmemory: {N: 0}\n"
    "threads:\n  T:\n    count: 7\n    body: |\n      int r = atomicAdd(&N, 1);\n      r = r * 1000 - 500;\n"
    "forall: N == 7 && T[0].r != T[1].r && T[2].r != T[3].r && T[4].r != T[5].r && T[6].r != 7\n";
/* Values that do not pack into a key. */
static const char wide[] = "name: wide\nmemory: {X: 2147483647, Y: -1}\n"
                           "threads:\n  T0: |\n    X = 1000000;\n    Y = -70000;\n"
                           "  T1: |\n    int a = Y;\n    int b = X;\n    int c = X;\n"
                           "exists: a == 0 && b == 0 && c == 0 && X == 7\n";
/* The one pair of values whose key would be that of a free slot. */
static const char largest[] = "name: largest\nmemory: {X: 2147483647, Y: 2147483647}\n"
                              "threads:\n  T0: |\n    X = 1;\n  T1: |\n    int a = X;\n    int b = Y;\n"
                              "exists: a == 1 && b == 0\n";

/* Elements of more than a word, of several sizes side by side, in either space. */
static const char long_words[] =
    "name: long-words\nmemory: {X: {type: uint64_t}, Y: {type: int64_t, init: -1}}\n"
    "threads:\n  T0: |\n    X = 0x123456789abcdef;\n    Y = 1ll << 40;\n"
    "  T1: |\n    int64_t a = Y;\n    uint64_t b = X;\n"
    "exists: a == 1ll << 40 && b == 0\n";
static const char vectors[] =
    "name: vectors\nmemory: {V: {type: int4}, A: {type: longlong2, count: 3, space: shared}, b: {type: "
    "uint8_t}}\n"
    "threads:\n  T0: |\n    V = make_int4(1, 2, 3, 4);\n    A[1] = make_longlong2(1ll << 40, -2);\n    b = "
    "200;\n"
    "  T1: |\n    int4 v = V;\n    longlong2 w = A[2];\n    load(V, weak);\n    int c = b;\n"
    "forall: V.w == 4 && A[1].y == -2 && A[0].x == 0 && b == 200 && w.x == 0 && (v.x == 0 || v.x == 1) && "
    "(c == 0 || c == 200)\n";

/* Floats, alone and in a vector; and integers of 128 bits. */
static const char reals[] =
    "name: reals\nmemory: {X: {type: float, init: 1.5}, S: {type: float, space: shared}, V: {type: float2}}\n"
    "threads:\n  T:\n    count: 2\n    body: |\n      float a = atomicAdd(&X, 0.25f), b = atomicAdd(&S, "
    "-tid);\n"
    "      if (tid == 0) V = make_float2(a - a, 1.f / 3);\n      int n = a * 10;\n"
    "      float s = __shfl_sync(0xffffffff, a + 1, 1), nan = 0.f / 0.f;\n"
    "forall: X == 2 && S == -1 && T[0].a + T[1].a == 3.25f && T[0].b + T[1].b <= 0 && V.x == 0 && V.y * 3 == "
    "1 && "
    "(T[0].n == 15 || T[0].n == 17) && T[0].s == T[1].a + 1 && T[0].nan != T[0].nan\n";
static const char integers_of_128[] =
    "name: integers-of-128\nmemory: {X: {type: __int128, init: -1}, Y: {type: unsigned __int128}}\n"
    "threads:\n  T0: |\n    __int128 a = atomicExch(&X, (__int128)1 << 100);\n    Y = (unsigned __int128)a "
    ">> 1;\n"
    "  T1: |\n    __int128 b = atomicCAS(&X, -1, 7);\n    unsigned __int128 c = Y;\n    bool negative = b < "
    "0;\n"
    "exists: T1.b == 0\n";

/* CPU threads want a power of two of instances, which is not what warps of three lanes have. */
static const char three_lanes[] =
    "name: three-lanes\nmemory: {N: 0, F: {space: host}}\n"
    "threads:\n  G:\n    count: 3\n    body: |\n      atomicAdd(&N, 1);\n      while (F == 0) {}\n"
    "  C: |\n    F = 1;\nforall: N == 3 && F == 1\n";

/* Two blocks of two threads, which meet in their block. */
static const char grid[] =
    "name: grid\nmemory: {A: {count: 4}, N: 0}\nthreads:\n"
    "  G:\n    grid: 2\n    block: 2\n    body: |\n"
    "      A[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x + 1;\n      __syncthreads();\n"
    "      int r = A[blockIdx.x * blockDim.x + 1 - threadIdx.x];\n"
    "      if (threadIdx.x == 0) atomicAdd(&N, gridDim.x);\n"
    "forall: G[0][0].r == 2 && G[0][1].r == 1 && G[1][0].r == 2 && G[1][1].r == 1 && N == 4\n";

/* Reads through a cache that keeps what it has read while the kernel runs: only what X is in this instance. */
static const char read_only[] = "name: read-only\nmemory: {N: 0, X: 0}\nthreads:\n"
                                "  T0: |\n    int a = atomicAdd(&N, 1);\n    X = a + 1;\n"
                                "  T1: |\n    int b = atomicAdd(&N, 1);\n"
                                "  T2: |\n    int r = __ldg(&X);\n    int s = __ldg(&X);\n"
                                "forall: (r == 0 || r == a + 1) && (s == 0 || s == a + 1)\n";

/* Each block has its own shared memory: a sum by the last block to arrive. */
static const char own_shared[] =
    "name: own-shared\nmemory: {partial: {count: 2}, arrived: 0, result: 0}\nthreads:\n"
    "  G:\n    grid: 2\n    block: 2\n    body: |\n"
    "      __shared__ int s[2];\n      __shared__ bool isLast;\n      __shared__ long long total;\n"
    "      s[threadIdx.x] = 10 * blockIdx.x + threadIdx.x + 1;\n      __syncthreads();\n"
    "      if (threadIdx.x == 0) {\n        partial[blockIdx.x] = s[0] + s[1];\n"
    "        isLast = atomicAdd(&arrived, 1) == gridDim.x - 1;\n      }\n      __syncthreads();\n"
    "      if (isLast && threadIdx.x == 1) {\n        total = partial[0] + partial[1];\n        result = "
    "total;\n      }\n"
    "forall: result == 26 && s@0[0] == 1 && s@0[1] == 2 && s@1[0] == 11 && s@1[1] == 12 && isLast@0 + "
    "isLast@1 == 1 &&\n"
    "  total@0 + total@1 == 26 && (total@0 == 0 || total@1 == 0)\n";
/* Without waits and barriers; a block has 33 threads. */
static const char own_two_warps[] = "name: own-two-warps\nmemory: {X: 0}\nthreads:\n"
                                    "  G:\n    grid: 2\n    block: 33\n    body: |\n"
                                    "      __shared__ int n;\n      int r = atomicAdd(&n, 1 + blockIdx.x);\n"
                                    "  T: X = 1;\n"
                                    "forall: n@0 == 33 && n@1 == 66 && n@2 == 0 && X == 1\n";

/* An element of a vector, and views, of what each block has. */
static const char own_views[] =
    "name: own-views\nmemory: {N: 0, v: {type: int2, init: [1, 2], space: shared}, w: {type: uint64_t, "
    "space: shared, init: 7}, "
    "high: {of: w, at: 4, type: int}, byte: {of: w, count: 4, type: uint8_t}}\nthreads:\n"
    "  G:\n    grid: 2\n    block: 2\n    body: |\n      int a = v.y, b = byte[0];\n      __syncthreads();\n"
    "      if (threadIdx.x == 0) { v.x = 10 + blockIdx.x; high = -1 - blockIdx.x; byte[1] = 1; }\n"
    "forall: G[0][0].a == 2 && G[1][1].a == 2 && G[1][0].b == 7 && v@0.x == 10 && v@1.x == 11 && v@1.y == 2 "
    "&& "
    "high@0 == -1 && high@1 == -2 && byte@1[1] == 1 && byte@0[0] == 7 && w@1 == 0xfffffffe00000107ull\n";

/* Kernels of a stream, one of them a grid. */
static const char two_kernels[] =
    "name: two-kernels\nmemory: {partial: {count: 2}, total: 0}\nthreads:\n"
    "  sum:\n    grid: 2\n    block: 2\n    body: |\n      __shared__ int s[2];\n"
    "      s[threadIdx.x] = 10 * blockIdx.x + threadIdx.x + 1;\n      __syncthreads();\n"
    "      if (threadIdx.x == 0) partial[blockIdx.x] = s[0] + s[1];\n"
    "  add: |\n    cudaGridDependencySynchronize();\n    int r = partial[0] + partial[1];\n    total = r;\n"
    "forall: total == 26 && add.r == 26 && s@0[0] == 1 && s@1[1] == 12\n";
static const char three_kernels[] =
    "name: three-kernels\nmemory: {X: 0}\nthreads:\n"
    "  A: int a = atomicAdd(&X, 1);\n  B: int b = atomicAdd(&X, 1);\n"
    "  C: int c = atomicAdd(&X, 1);\nforall: a == 0 && b == 1 && c == 2 && X == 3\n";
/* A trigger says that what its block wrote is there, if nobody else's trigger is taken for it; and one that comes first
 * lets the next kernel begin before. */
static const char triggers[] =
    "name: triggers\nmemory: {X: 0}\nthreads:\n"
    "  A: |\n    X = 1;\n    cudaTriggerProgrammaticLaunchCompletion();\n  B: int r = X;\nforall: r == 1\n";
static const char triggers_first[] = "name: triggers-first\nmemory: {X: 0, Y: 0}\nthreads:\n"
                                     "  A: |\n    cudaTriggerProgrammaticLaunchCompletion();\n    for (int i "
                                     "= 0; i < 8; i++) Y = i;\n    X = 1;\n"
                                     "  B: int r = X;\nexists: r == 0\n";
static const char never_begun[] = "name: never-begun\nmemory: {X: 0, Y: 0}\nthreads:\n"
                                  "  A: |\n    while (X == 0) {}\n  B: |\n    X = 1;\nexists: X == 1\n";
/* Four lanes, and three that leave one of four empty. */
static const char exchanges[] =
    "name: exchanges\nmemory: {N: 0}\nthreads:\n  T:\n    count: 4\n    body: |\n"
    "      int v = 10 + tid;\n      int i = __shfl_sync(0xffffffff, v, 2);\n"
    "      int u = __shfl_up_sync(0xffffffff, v, 1);\n      int d = __shfl_down_sync(0xffffffff, v, 1);\n"
    "      int b = __shfl_xor_sync(0xffffffff, v, 1);\n      unsigned m = __ballot_sync(0xffffffff, tid & "
    "1);\n"
    "      int any = __any_sync(0xffffffff, tid == 3), all = __all_sync(0xffffffff, tid < 4);\n"
    "      unsigned same = __match_any_sync(0xffffffff, tid / 2);\n"
    "      int sum = __reduce_add_sync(0xffffffff, v), low = __reduce_min_sync(0xffffffff, -v);\n"
    "forall: T[0].i == 12 && T[0].u == 10 && T[1].u == 10 && T[3].d == 13 && T[0].d == 11 && T[3].b == 12 && "
    "T[1].m == 10 && T[2].any == 1 && T[2].all == 1 && T[0].same == 3 && T[3].same == 12 && T[1].sum == 46 "
    "&& "
    "T[2].low == -13\n";
/* As PTX spells them. */
static const char exchanges_in_asm[] =
    "name: exchanges-in-asm\nmemory: {N: 0}\nthreads:\n  T:\n    grid: 1\n    block: 4\n    body: |\n"
    "      unsigned lane, u, v, m, all, vote; int p, q, sum;\n"
    "      asm(\"mov.u32 %0, %%laneid;\" : \"=r\"(lane));\n"
    "      asm volatile(\"{ .reg .pred p; shfl.sync.up.b32 %0|p, %2, 1, 0, -1; selp.s32 %1, 1, 0, p; }\" : "
    "\"=r\"(u), \"=r\"(p) : \"r\"(10 + lane));\n"
    "      asm volatile(\"shfl.sync.bfly.b32 %0, %1, 1, 0x1e1f, 0xf;\" : \"=r\"(v) : \"r\"(lane));\n"
    "      asm volatile(\"{ .reg .pred p; setp.gt.u32 p, %1, 1; vote.sync.ballot.b32 %0, !p, -1; }\" : "
    "\"=r\"(vote) : \"r\"(lane));\n"
    "      asm volatile(\"match.any.sync.b32 %0, %1, -1;\" : \"=r\"(m) : \"r\"(lane / 3));\n"
    "      asm volatile(\"redux.sync.add.s32 %0, %1, -1;\" : \"=r\"(sum) : \"r\"(lane));\n"
    "      all = __match_all_sync(0xffffffff, lane / 4, &q);\n"
    "      unsigned none = __match_all_sync(0xffffffff, lane / 2, &p);\n"
    "forall: T[0][0].u == 10 && T[0][3].u == 12 && T[0][2].v == 3 && T[0][1].vote == 3 && T[0][2].m == 7 && "
    "T[0][3].m == 8 && T[0][1].sum == 6 && T[0][0].all == 15 && T[0][2].q == 1 && T[0][3].none == 0 && "
    "T[0][3].p == 0\n";
/* Of three lanes beside other instances'. */
static const char active[] =
    "name: active\nmemory: {N: 0}\nthreads:\n  T:\n    count: 3\n    body: |\n"
    "      unsigned m = __activemask();\n      if (tid > 0) N = 1;\n      unsigned k = __activemask();\n"
    "forall: (T[0].m & 1) == 1 && (T[1].m & 2) == 2 && (T[2].k & 4) == 4 && T[0].m < 8 && T[1].k < 8\n";
/* The lanes whose bit is set share one atomic operation of their first. */
static const char aggregated[] =
    "name: aggregated\nmemory: {counter: 0, slots: {count: 4}}\nthreads:\n  T:\n    count: 3\n    body: |\n"
    "      unsigned mask = __ballot_sync(0xffffffff, tid != 1);\n      int at = -1;\n      if (tid != 1) {\n"
    "        int leader = __ffs(mask) - 1, base = 0;\n"
    "        if (tid == leader) base = atomicAdd(&counter, __popc(mask));\n"
    "        base = __shfl_sync(mask, base, leader);\n"
    "        at = base + __popc(mask & ((1u << tid) - 1));\n        slots[at] = tid + 1;\n      }\n"
    "forall: counter == 2 && T[0].at == 0 && T[2].at == 1 && slots[0] == 1 && slots[1] == 3\n";

/* Barriers that instances have for themselves. Two full and two empty barriers of a ring with one place. */
#define BAR(what) "asm volatile(\"bar." what ";\" ::: \"memory\"); "
static const char ring[] =
    "name: ring\nmemory: {place: {space: shared}}\naccess: weak\nthreads:\n"
    "  P: 'place = 1; " BAR("arrive 1, 64") " " BAR("sync 2, 64") " place = 2; " BAR(
        "arrive 1, 64") "'\n"
                        "  C: '" BAR("sync 1, 64") " int a = place; " BAR("arrive 2, 64") " " BAR(
                            "sync 1, 64") " int b = place;'\n"
                                          "forall: a == 1 && b == 2 && place == 2\n";
/* Two pairs, whose numbers of threads and lanes differ, beside a barrier of all. */
static const char pairs[] =
    "name: pairs\nmemory: {A: 0, B: 0, N: 0}\nthreads:\n"
    "  S: 'A = 1; " BAR(
        "sync 3, 64") " int a = B; __syncthreads(); int n = N;'\n"
                      "  T: 'B = 1; " BAR(
                          "sync 3, 64") " int b = A; atomicAdd(&N, 1); __syncthreads();'\n"
                                        "  U: {count: 3, body: 'atomicAdd(&N, 1); __syncthreads(); int c = "
                                        "N;'}\n"
                                        "forall: a == 1 && b == 1 && n == 4 && U[0].c == 4 && U[2].c == 4\n";
/* As kernels have it: the first warp produces, the others consume. */
static const char specialized[] =
    "name: specialized\nmemory: {X: 0}\nthreads:\n  G:\n    grid: 1\n    block: 64\n    body: |\n"
    "      __shared__ int s;\n      int warp = threadIdx.x / 32;\n      int r = 7;\n"
    "      if (warp == 0) {\n        if (threadIdx.x == 0) s = 5 + blockIdx.x;\n        "
    "" BAR("arrive 1, 64") "\n"
                           "      } else {\n        " BAR(
                               "sync 1, 64") "\n        r = s;\n      }\n"
                                             "forall: G[0][40].r == 5 && G[0][63].r == 5 && G[0][3].r == 7\n";
/* Reductions, of three lanes and of three warps, beside exchanges and barriers of a warp. */
static const char reductions[] =
    "name: reductions\nmemory: {X: 0}\nthreads:\n  T:\n    count: 3\n    body: |\n"
    "      unsigned m = __ballot_sync(0xffffffff, tid > 0);\n      __syncwarp();\n"
    "      int n = __syncthreads_count(tid + 1), k = __syncthreads_count(tid == 1);\n"
    "      int a = __syncthreads_and(tid < 3), e = __syncthreads_and(tid < 2);\n"
    "      int o = __syncthreads_or(tid == 2), p = __syncthreads_or(tid == 3);\n"
    "      if (tid == 0) X = n;\n      __syncthreads();\n      int r = X;\n"
    "forall: T[0].n == 3 && T[1].k == 1 && T[2].a == 1 && T[0].e == 0 && T[0].o == 1 && T[1].p == 0 && "
    "T[1].r == 3 && T[2].r == 3\n";
/* Two lanes of a warp, of which one takes a branch, a loop, and a wait; nobody else does what is behind them. */
static const char diverged[] =
    "name: diverged\nmemory: {N: 0, F: 0, A: {count: 2}}\nthreads:\n  G:\n    grid: 2\n    block: 2\n    "
    "body: |\n"
    "      int p = 0, c = 0;\n      if (threadIdx.x == 0) p = atomicAdd(&N, 1) + 1;\n"
    "      int n = __syncthreads_count(p), a = __syncthreads_and(p);\n"
    "      if (threadIdx.x == 1) { while (F == 0 && blockIdx.x == 1) {} F = 1; }\n"
    "      for (int i = 0; i < 2; i++) { if (threadIdx.x == i) A[blockIdx.x] += 1; c += __syncthreads_or(p "
    "== 2); }\n"
    "      if (__syncthreads_or(p == 2)) atomicAdd(&N, 10);\n"
    "forall: G[0][0].n == 1 && G[0][1].n == 1 && G[0][1].a == 0 && G[1][0].a == 0 && N == 22 && A[0] == 2 && "
    "A[1] == 2 "
    "&&\n  G[0][0].c == G[0][1].c && G[1][0].c + G[0][0].c == 2\n";
/* Threads that return before a barrier, and a branch with barriers that the threads of a block take together. */
static const char returns[] =
    "name: returns\nmemory: {X: 0, N: 0}\nthreads:\n  G:\n    grid: 1\n    block: 3\n    body: |\n"
    "      if (threadIdx.x > 0 && atomicAdd(&X, 1) == 0) return;\n      atomicAdd(&N, 1);\n      "
    "__syncthreads();\n"
    "      int r = N;\n      __syncthreads();\n      atomicAdd(&N, 1);\nforall: N == 4 && (G[0][0].r == 2) "
    "&& "
    "G[0][1].r + G[0][2].r == 2\n";
static const char last_block[] =
    "name: last-block\nmemory: {in: {count: 2}, n: 0, sum: 0}\nthreads:\n  G:\n    grid: 2\n    block: 2\n   "
    " body: |\n"
    "      __shared__ bool last;\n      __shared__ int s[2];\n      atomicAdd(&in[threadIdx.x], 1 + "
    "blockIdx.x);\n"
    "      __syncthreads();\n      if (threadIdx.x == 0) last = atomicAdd(&n, 1) == 1;\n      "
    "__syncthreads();\n"
    "      if (last) {\n        s[threadIdx.x] = in[threadIdx.x];\n        __syncthreads();\n"
    "        if (threadIdx.x == 0) sum = s[0] + s[1];\n      }\nforall: sum == 6 && last@0 + last@1 == 1\n";
/* Turns whose number a read decides, and another one for each thread, under an id of its own. */
static const char turns[] =
    "name: turns\nmemory: {X: 0, N: 0}\nthreads:\n"
    "  A: 'int a = atomicAdd(&X, 1); for (int i = 0; i < 3; i++) { if (i > a) break; " BAR(
        "sync 3") " atomicAdd(&N, 1); }'\n"
                  "  B: 'int b = atomicAdd(&X, 1); for (int i = 0; i < 3; i++) { if (i > b) break; " BAR(
                      "sync 3") " atomicAdd(&N, 1); }'\n"
                                "  C: '" BAR("sync 3") " int r = X;'\nforall: N == 3 && r == 2\n";
/* Barriers of blocks and of their cluster, where lanes and a warp are without a part. */
static const char both_kinds[] = "name: both-kinds\nmemory: {X: 0, Y: 0, Z: 0}\nthreads:\n"
                                 "  A: 'X = 1; __syncthreads(); int a = Y; cluster_sync(); int d = Z;'\n"
                                 "  B: 'Y = 1; __syncthreads(); int b = X; cluster_sync(); int e = Z;'\n"
                                 "  C: 'Z = 1; cluster_sync(); int c = X; __syncthreads();'\n"
                                 "forall: a == 1 && b == 1 && c == 1 && d == 1 && e == 1\n";
/* An id in unequal warps; and a thread that returns before a barrier of others. */
static const char by_ids[] = "name: by-ids\nmemory: {X: 0, Y: 0}\nthreads:\n"
                             "  A: {count: 3, body: 'if (tid == 0) return; if (tid == 1) X = 1; " BAR(
                                 "sync 4") " int r = X;'}\n"
                                           "  B: 'Y = 1;'\n"
                                           "forall: A[1].r == 1 && A[2].r == 1 && Y == 1\n";

/* A warp waits at the second barrier already, when the first one opens at which it arrived. */
static const char ahead[] =
    "name: ahead\nmemory: {X: 0, Y: 0}\nthreads:\n"
    "  A: 'X = 1; " BAR(
        "arrive 1, 96") " __syncthreads(); int a = Y; __syncthreads();'\n"
                        "  B: {count: 2, body: '" BAR(
                            "sync 1, 96") " int r = X; Y = 1; __syncthreads(); __syncthreads();'}\n"
                                          "forall: a == 1 && B[0].r == 1 && B[1].r == 1\n";

/* A cluster's barrier in halves, of which idle warps know nothing; and beside barriers of instances. */
static const char halves[] =
    "name: halves\nmemory: {X: 0, Y: 0}\nthreads:\n"
    "  A: 'X = 1; __cluster_barrier_arrive(); int d = 2; __cluster_barrier_wait(); int a = Y; "
    "cluster_sync();'\n"
    "  B: 'Y = 1; cluster_sync(); int b = X; X = 2; __cluster_barrier_arrive(); __cluster_barrier_wait();'\n"
    "  C: 'cluster_sync(); int c = X + Y; cluster_sync(); int e = X;'\n"
    "forall: a == 1 && b == 1 && (c == 2 || c == 3) && e == 2 && d == 2\n";
static const char halves_by_ids[] =
    "name: halves-by-ids\nmemory: {X: 0, Y: 0}\nthreads:\n"
    "  A: 'X = 1; __cluster_barrier_arrive(); " BAR(
        "sync 2, 64") " __cluster_barrier_wait(); int a = Y;'\n"
                      "  B: '__cluster_barrier_arrive_relaxed(); " BAR(
                          "sync 2, 64") " int b = X; __cluster_barrier_wait();'\n"
                                        "  C: 'Y = 1; cluster_sync(); int c = X;'\n"
                                        "forall: a == 1 && b == 1 && c == 1\n";

/* The barrier of a grid, twice, by the word that cooperative groups give it. */
static const char grid_sync[] =
    "name: grid-sync\nmemory: {A: {count: 2}, N: 0}\nthreads:\n  G:\n    grid: 2\n    block: 2\n    body: |\n"
    "      auto grid = cooperative_groups::this_grid();\n      atomicAdd(&N, 1);\n      grid.sync();\n"
    "      int n = N;\n      auto token = grid.barrier_arrive();\n      "
    "grid.barrier_wait(std::move(token));\n"
    "      atomicAdd(&N, 1);\nforall: N == 8 && G[0][0].n == 4 && G[0][1].n == 4 && G[1][0].n == 4\n";

/* cuda::barrier, in two phases. */
static const char arrivals[] =
    "name: arrivals\nmemory: {N: 0}\nthreads:\n  G:\n    grid: 1\n    block: 3\n    body: |\n"
    "      using barrier = cuda::barrier<cuda::thread_scope_block>;\n      __shared__ barrier bar;\n"
    "      if (threadIdx.x == 0) init(&bar, blockDim.x);\n      __syncthreads();\n      atomicAdd(&N, 1);\n"
    "      auto token = bar.arrive();\n      int own = 1;\n      bar.wait(std::move(token));\n      int n = "
    "N;\n"
    "      bar.arrive_and_wait();\n      atomicAdd(&N, own);\n"
    "forall: N == 6 && G[0][0].n == 3 && G[0][1].n == 3 && G[0][2].n == 3\n";

/* A copy of four elements, of eight, in a test that has wider ones. */
static const char copy_of_four[] =
    "name: copy-of-four\nmemory:\n  a: {count: 8, init: [1, 2, 3, 4, 5, 6, 7, 8]}\n  l: {type: long long}\n"
    "  s: {count: 8, space: shared}\nthreads:\n"
    "  T0: |\n    __pipeline_memcpy_async(&s[0], &a[4], 16);\n    __pipeline_memcpy_async(&s[6], &a[2], 8);\n"
    "    __pipeline_commit();\n    __pipeline_wait_prior(0);\n    s[1] += 1;\n    int r = s[3];\n"
    "  T1: l = 1;\n"
    "forall: r == 8 && s[0] == 5 && s[1] == 7 && s[2] == 7 && s[4] == 0 && s[6] == 3 && s[7] == 4 && a[5] == "
    "6\n";

/* A bulk store and a bulk reduction, of which each instance has its own. */
static const char bulk_copies[] =
    "name: bulk-copies\nmemory:\n  g: {count: 4, init: [10, 20, 30, 40]}\n  h: {count: 8}\n"
    "  s: {count: 8, space: shared, init: [1, 2, 3, 4, 5, 6, 7, 8]}\nthreads:\n"
    "  T0: |\n    cuda::ptx::cp_async_bulk(cuda::ptx::space_global, cuda::ptx::space_shared, &h[4], &s[0], "
    "16);\n"
    "    cuda::ptx::cp_reduce_async_bulk(cuda::ptx::space_global, cuda::ptx::space_shared, "
    "cuda::ptx::op_add, &g[0],"
    " &s[4], 16);\n"
    "    cuda::ptx::cp_async_bulk_commit_group();\n    cuda::ptx::cp_async_bulk_wait_group_read(0);\n    "
    "s[1] = 9;\n"
    "    cuda::ptx::cp_async_bulk_wait_group(0);\n    int r = h[5];\n"
    "forall: r == 2 && h[7] == 4 && h[0] == 0 && g[0] == 15 && g[3] == 48 && s[1] == 9\n";

/* Bulk loads for which nobody waits: bytes of them nobody expects, or too many; an arrival is missing, or there is one
 * alone; and two phases have ended. */
#define LOAD(s, bar)                                                                                         \
    "cuda::ptx::cp_async_bulk(cuda::ptx::space_shared, cuda::ptx::space_global, &" s "[0], &g[0], 16, &" bar \
    "); "
#define LOADING                                                                                              \
    "memory:\n  g: {count: 4, init: [1, 1, 1, 1]}\n  s: {count: 4, space: shared}\n  t: {count: 4, space: "  \
    "shared}\n  a: {type: mbarrier, space: shared, count: 2}\n  b: {type: mbarrier, space: "                 \
    "shared}\nthreads:\n"
static const char loads_unexpected[] =
    "name: loads-unexpected\n" LOADING "  T0: 'mbarrier_init(&a[0], 1); mbarrier_init(&a[1], 2); "
    "mbarrier_init(&b, 3); " LOAD("s", "a[1]")
        LOAD("t", "b") "int p = s[1], q = t[2];'\n"
                       "forall: (p == 0 || p == 1) && (q == 0 || q == 1) && s[3] == 1 && t[0] == 1\n";
static const char loads_arrived[] =
    "name: loads-arrived\n" LOADING "  T0: 'mbarrier_init(&a[0], 2); mbarrier_init(&b, 1); "
    "mbarrier_arrive_expect_tx(&a[0], 48); mbarrier_arrive(&b); mbarrier_arrive_expect_tx(&b, 16); "
    "" LOAD("s", "a[0]") LOAD("t", "b") "__syncthreads();'\n"
                                        "  T1: '__syncthreads(); mbarrier_arrive(&a[0]);'\n"
                                        "forall: s[1] == 1 && t[2] == 1\n";
static const char loads_invalidated[] =
    "name: loads-invalidated\n" LOADING "  T0: 'mbarrier_init(&b, 1); mbarrier_arrive_expect_tx(&b, 16); "
    "" LOAD("s", "b") "while (!mbarrier_try_wait_parity(&b, 0)) {} int r = s[3]; mbarrier_inval(&b);'\n"
                      "  T1: 'mbarrier_init(&a[0], 1);'\nforall: r == 1\n";
static const char loads_of_blocks[] =
    "name: loads-of-blocks\nmemory: {g: {count: 8, init: [1, 2, 3, 4, 5, 6, 7, 8]}}\nthreads:\n"
    "  G:\n    grid: 2\n    block: 2\n    body: |\n      __shared__ __align__(16) int s[4];\n      "
    "__shared__ "
    "uint64_t "
    "full;\n      if (threadIdx.x == 0) {\n        mbarrier_init(&full, 1);\n        "
    "cuda::ptx::mbarrier_expect_tx(cuda::ptx::sem_relaxed, cuda::ptx::scope_cta, cuda::ptx::space_shared, "
    "&full, 16);\n"
    "        cuda::ptx::cp_async_bulk(cuda::ptx::space_shared, cuda::ptx::space_global, s, &g[4 * "
    "blockIdx.x], "
    "16, &full);\n      }\nforall: s@0[1] == 2 && s@1[3] == 8\n";

/* Each block writes into the shared memory of the next one of its cluster. */
static const char ring_of_blocks[] =
    "name: ring-of-blocks\nmemory: {N: 0, s: {space: shared, count: 4}, full: {type: mbarrier, space: "
    "shared}}\nthreads:\n  G:\n    grid: 3\n    block: 2\n"
    "    body: |\n      auto cluster = cg::this_cluster();\n"
    "      unsigned next = (cluster.block_rank() + 1) % cluster.num_blocks();\n"
    "      if (threadIdx.x == 0) mbarrier_init(&full, 2);\n      cluster.sync();\n"
    "      cluster.map_shared_rank(s, next)[threadIdx.x] = blockIdx.x * 2 + threadIdx.x + 1;\n"
    "      mbarrier_arrive(sem_release, scope_cluster, space_cluster, cluster.map_shared_rank(&full, "
    "next));\n"
    "      while (!mbarrier_try_wait_parity(sem_acquire, scope_cluster, &full, 0)) {}\n"
    "      int r = s[threadIdx.x];\n      atomicAdd(&N, 1);\n"
    "forall: G[0][0].r == 5 && G[0][1].r == 6 && G[1][0].r == 1 && G[2][1].r == 4 && s@2[0] == 3 && N == 6\n";

/* What engines send to the next block of a cluster, of which each block waits for less than comes; an arrival and an
 * expectation come from another block, too. */
static const char sent_to_the_next[] =
    "name: sent-to-the-next\nmemory: {g: 0, p: {space: shared, count: 4}, q: {space: shared, count: 4}, n: "
    "{space: "
    "shared}, "
    "full: {type: mbarrier, space: shared, count: 2}}\nthreads:\n  G:\n    grid: 3\n    block: 1\n"
    "    body: |\n      auto cluster = cg::this_cluster();\n"
    "      unsigned next = (cluster.block_rank() + 1) % cluster.num_blocks();\n"
    "      mbarrier_init(&full[0], 1);\n      mbarrier_init(&full[1], 2);\n"
    "      p[1] = blockIdx.x + 1;\n      asm volatile(\"fence.proxy.async;\");\n      cluster.sync();\n"
    "      cuda::ptx::cp_async_bulk(cuda::ptx::space_cluster, cuda::ptx::space_shared, "
    "cluster.map_shared_rank(&q[0], "
    "next), &p[0], 16, cluster.map_shared_rank(&full[1], next));\n"
    "      cuda::ptx::red_async(cuda::ptx::op_add, cluster.map_shared_rank(&n, next), 7, "
    "cluster.map_shared_rank(&full[1], next));\n"
    "      cuda::ptx::st_async(cluster.map_shared_rank(&q[3], next), 5, cluster.map_shared_rank(&full[0], "
    "next));\n"
    "      if (blockIdx.x == 1) mbarrier_arrive(sem_release, scope_cluster, space_cluster, "
    "cluster.map_shared_rank(&full[1], next));\n      cluster.sync();\n"
    "forall: q@0[1] == 3 && q@1[1] == 1 && q@2[1] == 2 && n@0 == 7 && n@1 == 7 && n@2 == 7\n";

/* A load into all blocks of a cluster, for which the first one alone does not wait; and one into the two others. */
static const char spread[] =
    "name: spread\nmemory: {g: {count: 4, init: [1, 2, 3, 4]}, h: {count: 4, init: [5, 6, 7, 8]}, s: {space: "
    "shared, count: 4}, t: {space: shared, count: 4}, full: {type: mbarrier, space: shared, count: 2}}\n"
    "threads:\n  G:\n    grid: 3\n    block: 1\n    body: |\n      auto cluster = cg::this_cluster();\n"
    "      mbarrier_init(&full[0], 1);\n      mbarrier_init(&full[1], 1);\n"
    "      mbarrier_arrive_expect_tx(&full[0], 16);\n      cluster.sync();\n"
    "      if (blockIdx.x == 0) {\n"
    "        cp_async_bulk(space_cluster, space_global, &s[0], &g[0], 16, &full[0], 7);\n"
    "        cp_async_bulk(space_cluster, space_global, &t[0], &h[0], 16, &full[1], 6);\n      } else {\n"
    "        while (!mbarrier_try_wait_parity(sem_acquire, scope_cluster, &full[0], 0)) {}\n"
    "        int r = s[3];\n      }\n      cluster.sync();\n"
    "forall: G[1][0].r == 4 && G[2][0].r == 4 && s@0[1] == 2 && s@2[0] == 1 && t@0[2] == 0 && t@1[2] == 7\n";

/* A vector, a bulk reduction, and zeros that a thread writes. */
static const char sent_vectors[] =
    "name: sent-vectors\nmemory: {g: 0, q: {space: shared, type: int4}, a: {space: shared, count: 4, init: "
    "[1, 2, "
    "3, "
    "4]}, b: {space: shared, count: 4, init: [10, 20, 30, 40]}, z: {space: shared, count: 4, init: [1, 1, 1, "
    "1]}, full: {type: mbarrier, space: shared}}\nthreads:\n"
    "  sends:\n    grid: 1\n    block: 1\n    body: |\n      auto cluster = cg::this_cluster();\n"
    "      uint64_t *told = cluster.map_shared_rank(&full, 1);\n      int v[4] = {5, 6, 7, 8};\n"
    "      cluster.sync();\n      st_async(cluster.map_shared_rank(&q, 1), v, told);\n"
    "      cp_reduce_async_bulk(space_cluster, space_shared, op_add, cluster.map_shared_rank(&a[0], 1), "
    "&b[0], "
    "16, told);\n      st_bulk(&z[0], 8, 0);\n      int y = z[1], x = z[2];\n      cluster.sync();\n"
    "  waits:\n    grid: 1\n    block: 1\n    body: |\n      auto cluster = cg::this_cluster();\n"
    "      mbarrier_init(&full, 1);\n      mbarrier_arrive_expect_tx(&full, 32);\n      cluster.sync();\n"
    "      while (!mbarrier_try_wait_parity(sem_acquire, scope_cluster, &full, 0)) {}\n"
    "      int r = q.w, m = a[3];\n      cluster.sync();\n"
    "forall: r == 8 && m == 44 && y == 0 && x == 1 && a@0[0] == 1\n";

/* Of words alone: the account of the mbarrier takes more than they do. */
static const char sent_words[] =
    "name: sent-words\nmemory: {x: 0, s: {space: shared}, n: {space: shared, init: 5}, full: {type: "
    "mbarrier, space: "
    "shared}}\nthreads:\n"
    "  sends:\n    grid: 1\n    block: 1\n    body: |\n      auto cluster = cg::this_cluster();\n"
    "      uint64_t *told = cluster.map_shared_rank(&full, 1);\n      cluster.sync();\n      x = 1;\n"
    "      cuda::ptx::st_async(cluster.map_shared_rank(&s, 1), 7, told);\n"
    "      for (int k = 1; k < 3; k++) cuda::ptx::red_async(cuda::ptx::op_add, cluster.map_shared_rank(&n, "
    "1), k, told);\n"
    "      cluster.sync();\n"
    "  waits:\n    grid: 1\n    block: 1\n    body: |\n      auto cluster = cg::this_cluster();\n"
    "      mbarrier_init(&full, 1);\n      mbarrier_arrive_expect_tx(&full, 12);\n      cluster.sync();\n"
    "      while (!mbarrier_try_wait_parity(sem_acquire, scope_cluster, &full, 0)) {}\n"
    "      int r = s, m = n;\n      cluster.sync();\nforall: r == 7 && m == 8 && x == 1 && n@0 == 5\n";

/* One location may lie on many pages. */
static const char one_open[] = "name: one-open\nmemory: {X: 0, Y: 0, Z: 0}\nthreads:\n"
                               "  T0: X = 1; atomic_thread_fence(sc, device); Y = 1;\n"
                               "  T1: int r = Y; atomic_thread_fence(sc, device); Z = 1;\n"
                               "  T2: int s = Z; int u = X;\n"
                               "exists: r == 1 && s == 1 && u == 0\n";

/* All values are small. */
static const char small_values[] =
    "name: small-values\nmemory: {X: 0}\nthreads:\n  T0: X = 1;\n  T1: int r = X;\n"
    "forall: X == 1 && (r == 0 || r == 1 || r == 1000)\n";

const struct emulated_cell emulated_cells[] = {
    {"classic/MP", "warp", 64, ALL_OUTCOMES},
    {"classic/MP", "block", 64, ALL_OUTCOMES},
    {"classic/MP", "device", 64, ALL_OUTCOMES},
    {"classic/MP", "peer", 64, ALL_OUTCOMES},
    {"classic/MP", "cluster", 64, ALL_OUTCOMES},
    {"guide/writeXY-readXY-peer-memory", "cluster", 64, ALL_OUTCOMES},
    {"classic/ISA2", "cluster", 64, ALL_OUTCOMES},
    {one_open, "device", 64, ALL_OUTCOMES},
    {one_open, "T0 T1 | T2", 128, ALL_OUTCOMES},
    {one_open, "peer", 64, ALL_OUTCOMES},
    {"classic/ISA2", "T0 T2 & T1", 128, ALL_OUTCOMES},
    {"classic/MP+sm", "sm", 64, ALL_OUTCOMES},
    {"guide/async-copy-awaited", "block", 64, ALL_OUTCOMES},
    {"guide/async-copy-not-awaited", "block", 64, ALL_OUTCOMES},
    {copy_of_four, "block", 64, NOTHING},
    {bulk_copies, "block", 64, NOTHING},
    {"async/bulk-load-MP", "block", 64, ALL_OUTCOMES},
    {"async/bulk-load-not-waited", "block", 64, ALL_OUTCOMES},
    {loads_unexpected, "block", 64, NOTHING},
    {loads_arrived, "block", 64, NOTHING},
    {loads_invalidated, "block", 64, NOTHING},
    {loads_of_blocks, "device", 64, NOTHING},
    {"classic/SB", "block", 64, ALL_OUTCOMES},
    {"classic/SB", "peer", 64, ALL_OUTCOMES},
    {"classic/IRIW", "warp", 64, ALL_OUTCOMES},
    {"classic/IRIW", "block", 128, ALL_OUTCOMES},
    {"classic/IRIW", "device", 64, ALL_OUTCOMES},
    {"classic/IRIW", "T0 T1 | T2 T3", 64, ALL_OUTCOMES},
    {"classic/IRIW", "T0 T2 || T1 T3", 64, ALL_OUTCOMES},
    {"classic/IRIW", "T0 | T1 || T2 | T3", 64, ALL_OUTCOMES},
    {"peer/peer-IRIW-four-gpus", "peer", 32, ALL_OUTCOMES},
    {"peer/peer-MP-on-third", "peer", 32, ALL_OUTCOMES},
    {"guide/writeXY-readXY-shared", "block", 64, ALL_OUTCOMES},
    {"cluster/cluster-MP", "cluster", 64, ALL_OUTCOMES},
    {"cluster/cluster-SB", "cluster", 64, ALL_OUTCOMES},
    {ring_of_blocks, "cluster", 64, NOTHING},
    {sent_to_the_next, "cluster", 64, NOTHING},
    {spread, "cluster", 64, NOTHING},
    {sent_vectors, "cluster", 64, NOTHING},
    {sent_words, "cluster", 64, NOTHING},
    {wide, "device", 64, ALL_OUTCOMES},
    {wide, "peer", 64, ALL_OUTCOMES},
    {largest, "device", 64, ALL_OUTCOMES},
    {long_words, "device", 64, ALL_OUTCOMES},
    {long_words, "block", 64, ALL_OUTCOMES},
    {reals, "warp", 64, NOTHING},
    {integers_of_128, "device", 64, ALL_OUTCOMES},
    {vectors, "block", 64, NOTHING},
    {vectors, "cluster", 64, NOTHING},
    {COUNTING(5, global, FIVE_ONCE), "device", 64, NOTHING},
    {COUNTING(5, global, FIVE_ONCE), "block", 256, NOTHING},
    {COUNTING(5, global, FIVE_ONCE), "T[0] T[1] || T[2] | T[3].T[4]", 64, NOTHING},
    {COUNTING(5, shared, FIVE_ONCE), "block", 256, NOTHING},
    {COUNTING(5, shared, FIVE_ONCE), "cluster", 64, NOTHING},
    {COUNTING(9, global, NINE_ONCE), "T[0] T[1] || T[2] | T[3].T[4] || T[5] T[6] | T[7] T[8]", 64, NOTHING},
    {COUNTING(9, global, NINE_ONCE), "warp", 64, NOTHING},
    {"locks/cas-lock", "device", 64, NOTHING},
    {"locks/cas-lock", "peer", 64, NOTHING},
    {"locks/cas-lock", "sm", 64, NOTHING},
    {"barriers/grid-barrier-counter", "device", 64, NOTHING},
    {"barriers/grid-barrier-counter", "peer", 64, NOTHING},
    {"barriers/syncthreads", "block", 128, NOTHING},
    {"barriers/syncwarp", "warp", 64, NOTHING},
    {"barriers/cluster-sync", "cluster", 64, NOTHING},
    {exchanges, "warp", 64, NOTHING},
    {exchanges, "T[0].T[1].T[2].T[3]", 64, NOTHING},
    {aggregated, "warp", 64, NOTHING},
    {active, "warp", 64, NOTHING},
    {exchanges_in_asm, "device", 64, NOTHING},
    {"../tests/nvrtc/tiles", "device", 64, NOTHING},
    {"barriers/tile-sync", "block", 64, NOTHING},
    {uneven, "T0 T1 | T2[0] T2[1] T2[2]", 192, NOTHING},
    {uneven, "T0 T1 || T2[0] T2[1] | T2[2]", 192, NOTHING},
    {uneven_cluster, "T0 T1 & T2", 128, NOTHING},
    {COUNTING(5, shared, FIVE_ONCE), "T[0] T[1] & T[2] & T[3].T[4]", 128, NOTHING},
    {waiting_cluster, "cluster", 64, NOTHING},
    {meeting_cluster, "cluster", 64, NOTHING},
    {unequal_lanes, "T0.T1 T2", 64, NOTHING},
    {unequal_lanes, "warp", 64, NOTHING},
    {two_kernels, "sum -> add", 64, NOTHING},
    {read_only, "device", 64, NOTHING},
    {read_only, "block", 128, NOTHING},
    {two_kernels, "sum ~> add", 64, NOTHING},
    {three_kernels, "A -> B ~> C", 64, NOTHING},
    {triggers, "A ~> B", 64, NOTHING},
    {triggers_first, "A ~> B", 64, ALL_OUTCOMES},
    {"launches/dependent-chain", "first ~> middle ~> last", 64, NOTHING},
    {"launches/sum-in-two-launches-dependent", "sum ~> add", 64, NOTHING},
    {never_begun, "A -> B", 64, STUCK},
    {small_values, "device", 64, STRANGE},
    {small_values, "device", 64, TOO_STRANGE},
    {own_shared, "device", 64, NOTHING},
    {own_shared, "cluster", 64, NOTHING},
    {own_shared, "peer", 64, NOTHING},
    {own_shared, "sm", 64, NOTHING},
    {own_views, "device", 64, NOTHING},
    {own_two_warps, "G[0] & G[1] & T", 64, NOTHING},
    {own_two_warps, "G[0] | G[1] || T", 64, NOTHING},
    {grid, "device", 64, NOTHING},
    {grid, "cluster", 64, NOTHING},
    {grid, "peer", 64, NOTHING},
    {grid, "sm", 64, NOTHING},
    {tickets, "block", 256, NOTHING},
    {large_tickets, "block", 256, TOO_MANY},
    {"host/host-MP-from-cpu", "host", 64, NOTHING},
    {"host/host-ring", "host", 64, NOTHING},
    {three_lanes, "G[0].G[1].G[2] | C@host", 64, NOTHING},
    {beyond, "device", 64, OUT_OF_BOUNDS},
    {beyond, "peer", 64, OUT_OF_BOUNDS},
    {"classic/MP", "device", 64, CROWDED},
    {"locks/cas-lock", "device", 64, CROWDED},
    {"classic/ISA2", "T0 || T1 | T2", 64, CROWDED},
    {"classic/MP", "device", 64, FEW},
    {"classic/MP", "peer", 64, FEW},
    {never_set, "device", 64, STUCK},
    {"mbarrier/stage-filled-twice", "block", 64, ALL_OUTCOMES},
    {"mbarrier/stage-reused-too-early", "block", 64, STUCK},
    {"mbarrier/parity-of-the-next-phase", "block", 64, STUCK},
    {"mbarrier/ring-2-stages-no-wait-for-empty", "block", 128, STUCK},
    {"mbarrier/ring-2-stages-no-wait-for-full", "block", 128, STUCK},
    {"mbarrier/ring-3-stages-no-wait-for-empty", "block", 128, STUCK},
    {"mbarrier/ring-3-stages-no-wait-for-full", "block", 128, STUCK},
    {"bugs/quack-146-participants-miscounted", "block", 64, STUCK},
    {"bugs/tilelang-3087-phase-is-not-carried-over", "block", 64, STUCK},
    {"bugs/cuda-oxide-1066-mailbox-without-empty", "block", 64, STUCK},
    {never_set, "peer", 64, STUCK},
    {ring, "block", 128, NOTHING},
    {pairs, "block", 320, NOTHING},
    {pairs, "S T U[0].U[1] U[2]", 256, NOTHING},
    {specialized, "device", 128, NOTHING},
    {reductions, "warp", 64, NOTHING},
    {reductions, "T[0] T[1] T[2]", 192, NOTHING},
    {diverged, "device", 64, NOTHING},
    {returns, "block", 64, NOTHING},
    {returns, "block", 128, NOTHING},
    {last_block, "device", 64, NOTHING},
    {last_block, "cluster", 64, NOTHING},
    {last_block, "sm", 64, NOTHING},
    {last_block, "peer", 64, NOTHING},
    {turns, "A B C", 96, NOTHING},
    {turns, "A.B C", 64, NOTHING},
    {both_kinds, "A.B & C", 64, NOTHING},
    {both_kinds, "A B & C", 128, NOTHING},
    {by_ids, "block", 256, NOTHING},
    {by_ids, "A[0] A[1] A[2] | B", 192, NOTHING},
    {ahead, "block", 192, NOTHING},
    {arrivals, "device", 64, NOTHING},
    {arrivals, "G[0]", 64, NOTHING},
    {grid_sync, "device", 64, NOTHING},
    {grid_sync, "cluster", 64, NOTHING},
    {halves, "cluster", 64, NOTHING},
    {halves, "A.B & C", 64, NOTHING},
    {halves_by_ids, "A B & C", 128, NOTHING},
    {0},
};
