/* Spellings: what a kernel's words mean is what the format's own mean. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "ask.h"

/* Two blocks of three threads. */
#define GRID(body) "  k:\n    grid: 2\n    block: 3\n    body: |\n      " body "\n"
#define MEMORY     "x: 0, y: 0, z: {init: 1, count: 2}"

/* Threads of two tests, which must have the same executions. */
static const struct row {
    const char *what, *written, *meant;
} rows[] = {
    {"an enum class, and an enum's numbers by its name",
     TEST("T0 | T1", MEMORY,
          THREAD("T0", "enum class S : unsigned { idle, busy = 3, done }; enum K { P, Q }; S s = S::busy; if "
                       "(s != S::idle) "
                       "x = static_cast<int>(S::done) + K::Q;") THREAD("T1", "int a = x;"),
          "exists: a == 5"),
     TEST("T0 | T1", MEMORY, THREAD("T0", "x = 5;") THREAD("T1", "int a = x;"), "exists: a == 5")},
    {"registers that are named for their own sake",
     TEST("T0 | T1", MEMORY,
          THREAD("T0", "x = 1;") THREAD("T1", "int a = 0; a = x; (void)a; int c = 3; int b = a; y = c;"),
          "exists: a == 1 && b == 1 && y == 3"),
     TEST("T0 | T1", MEMORY,
          THREAD("T0", "x = 1;") THREAD("T1", "int a = 0; a = x; int c = 3; int b = a; y = c;"),
          "exists: a == 1 && b == 1 && y == 3")},
    {"lines that are chosen",
     TEST("T0 | T1", MEMORY,
          "  T0: |\n    #define N 4\n    #if N > 3 && defined(N) && !defined M\n    x = 1;\n    #else\n    "
          "it's \"\n    #endif\n"
          "    #ifdef M\n    #if 1\n    y = 1;\n    #else\n    y = 5;\n    #endif\n    #elif __CUDA_ARCH__ "
          ">= 900 && \\\n    N * 2 "
          "== 8\n    y = 2;\n    # else\n    y = 3;\n    #endif\n"
          "  T1: |\n    int a = y;\n    #ifndef M\n    int b = x;\n    # if 0\n    b = 7;\n    # endif\n    "
          "#endif\n",
          "exists: a == 2 && b == 0"),
     TEST("T0 | T1", MEMORY, THREAD("T0", "x = 1; y = 2;") THREAD("T1", "int a = y; int b = x;"),
          "exists: a == 2 && b == 0")},
    {"other names of namespaces",
     TEST("T0 T1", "x: {space: shared}, b: {type: mbarrier, space: shared}",
          THREAD("T0",
                 "namespace ptx = cuda::ptx; namespace coop = cooperative_groups; ptx::mbarrier_init(&b, 1); "
                 "coop::this_thread_block().sync(); x = 1; ptx::mbarrier_arrive(ptx::sem_release, "
                 "ptx::scope_cta, "
                 "ptx::space_shared, &b);") THREAD("T1", "using namespace cuda::ptx; __syncthreads(); while "
                                                         "(!mbarrier_try_wait_parity(&b, 0)) ; int r = "
                                                         "x;"),
          "exists: r == 1"),
     TEST("T0 T1", "x: {space: shared}, b: {type: mbarrier, space: shared}",
          THREAD("T0", "cuda::ptx::mbarrier_init(&b, 1); __syncthreads(); x = 1; "
                       "cuda::ptx::mbarrier_arrive(cuda::ptx::sem_release, cuda::ptx::scope_cta, "
                       "cuda::ptx::space_shared, &b);")
              THREAD("T1",
                     "__syncthreads(); while (!cuda::ptx::mbarrier_try_wait_parity(&b, 0)) ; int r = x;"),
          "exists: r == 1")},
    {"how many were to come before an arrival",
     TEST("T0 T1", "x: {space: shared}, b: {type: mbarrier, space: shared}",
          THREAD("T0", "mbarrier_init(&b, 4); __syncthreads(); x = 1; mbarrier_arrive(&b);") THREAD(
              "T1", "__syncthreads(); unsigned n, a = (unsigned)__cvta_generic_to_shared(&b); asm "
                    "volatile(\"{ .reg .b64 t; mbarrier.arrive_drop.noComplete.release.cta.shared::cta.b64 "
                    "t, [%1], 2; mbarrier.pending_count.b64 %0, t; }\" : \"=r\"(n) : \"r\"(a) : "
                    "\"memory\"); int r = x;"),
          "exists: n == 3 && r == 0"),
     TEST("T0 T1", "x: {space: shared}, b: {type: mbarrier, space: shared}",
          THREAD("T0", "mbarrier_init(&b, 4); __syncthreads(); x = 1; mbarrier_arrive(&b);")
              THREAD("T1", "__syncthreads(); uint64_t t = mbarrier_arrive_no_complete(&b, 2); unsigned n = "
                           "__mbarrier_token_pending_count(t); int r = x;"),
          "exists: n == 3 && r == 0")},
    {"copies of a namespace that is opened",
     TEST("T0", "g: {count: 4}, s: {count: 4, init: 7, space: shared}",
          THREAD("T0",
                 "using namespace cuda::ptx; cp_async_bulk(space_global, space_shared, &g[0], &s[0], 16); "
                 "cp_async_bulk_commit_group(); cp_async_bulk_wait_group(n32_t<0>{}); int r = g[1];"),
          "exists: r == 7"),
     TEST("T0", "g: {count: 4}, s: {count: 4, init: 7, space: shared}",
          THREAD("T0",
                 "cuda::ptx::cp_async_bulk(cuda::ptx::space_global, cuda::ptx::space_shared, &g[0], &s[0], "
                 "16); cuda::ptx::cp_async_bulk_commit_group(); "
                 "cuda::ptx::cp_async_bulk_wait_group(cuda::ptx::n32_t<0>{}); int r = g[1];"),
          "exists: r == 7")},
    {"structs without a name, by a typedef, within another, in values; pointers to void",
     TEST("T0 | T1", MEMORY,
          THREAD(
              "T0",
              "typedef struct { int a; int b; } P; class C { public: static constexpr int N = 2; struct I { "
              "int v; } i; }; C c = {.i = {.v = C::N}}; P p = {.b = c.i.v}; x = p.b + sizeof(P); void *q = "
              "&y; *(int *)q = 1;")
              THREAD("T1", "struct R { int v; int w; }; __device__ R get(int *p) { return {*p, 1}; } int a = "
                           "get(&y).v; int b = x;"),
          "exists: a == 1 && b == 0"),
     TEST("T0 | T1", MEMORY, THREAD("T0", "x = 10; y = 1;") THREAD("T1", "int a = y; int b = x;"),
          "exists: a == 1 && b == 0")},
    {"locations that are structs",
     TEST(
         "T0 | T1", "s: {type: S, init: {q: {b: 1}}}, t: {type: S, count: 2, init: [0, [[4], 2]]}",
         THREAD("T0",
                "struct Q { int a; int b; }; struct S { Q q; int c; }; S *p = t; p[1].q.a = s.q.b; p->c = "
                "atomicAdd(&s.c, 1); __threadfence(); (*(p + 1)).c = 5;")
             THREAD("T1",
                    "__device__ int get(const S &x) { return x.c; } int a = get(t[1]); int b = t[1].q.a; int "
                    "c = s.c;"),
         "exists: a == 5 && b == 4 && c == 0"),
     TEST("T0 | T1", "q: {init: 1}, c: 0, ta: {count: 2, init: [0, 4]}, tc: {count: 2, init: [0, 2]}",
          THREAD("T0", "ta[1] = q; tc[0] = atomicAdd(&c, 1); __threadfence(); tc[1] = 5;")
              THREAD("T1", "int a = tc[1]; int b = ta[1]; int d = c;"),
          "exists: a == 5 && b == 4 && d == 0")},
    {"structs that are vectors",
     TEST("T0 | T1", "s: {type: S}, t: {type: S, count: 2, init: [0, {u: 2}]}, x: 0",
          THREAD("T0",
                 "struct alignas(8) S { float f; unsigned u; }; S r = t[1]; r.f = 1.f; s = r; t[0].u = 3;")
              THREAD("T1", "S q = s; x = *(unsigned long long *)&t[0] >> 32;"),
          "exists: T1.q.u == 2 && T1.q.f == 0 && x == 3"),
     TEST("T0 | T1", "s: {type: uint2}, t: {type: uint2, count: 2, init: [[0, 0], [0, 2]]}, x: 0",
          THREAD("T0", "uint2 r = t[1]; r.x = 0x3f800000; s = r; t[0].y = 3;")
              THREAD("T1", "uint2 q = s; x = *(unsigned long long *)&t[0] >> 32;"),
          "exists: T1.q.y == 2 && T1.q.x == 0 && x == 3")},
    {"clocks by all their names",
     TEST(
         "T0 | T1", MEMORY,
         THREAD("T0", "x = 1; __threadfence(); y = 1;") THREAD(
             "T1",
             "auto t0 = clock(); int a = 1; while (y == 0) if (cuda::ptx::get_sreg_clock64() - t0 > 9) { a = "
             "2; break; } __threadfence(); int b = x;"),
         "exists: a == 2 && b == 0"),
     TEST("T0 | T1", MEMORY,
          THREAD("T0", "x = 1; __threadfence(); y = 1;") THREAD(
              "T1",
              "unsigned long long t0, t; asm volatile(\"mov.u64 %0, %%globaltimer;\" : \"=l\"(t0)); int a = "
              "1; while (y == 0) { asm volatile(\"mov.u64 %0, %clock64;\" : \"=l\"(t)); if (t - t0 >= 7) { a "
              "= 2; break; } } __threadfence(); int b = x;"),
          "exists: a == 2 && b == 0")},
    {"pointers that are chosen and assigned",
     TEST("T0 | T1", MEMORY,
          THREAD("T0", "int c = y; int *p = c ? &x : z + 1; *p = 5; int *q = nullptr, *n = nullptr; if (n) x "
                       "= 9; if (c) q = &x; if (q) "
                       "atomicAdd(q, "
                       "1); int *s = &x, *u = &y; if (q == &x) { int *v = s; s = u; u = v; } *s = 7;")
              THREAD("T1", "y = 1; int a = x; int *p; if (a) p = &z[0]; else p = z + 1; p++; int b = p - 1 "
                           "== z ? 0 : 3;"),
          "exists: a == 5 && b == 0 && z[1] == 1"),
     TEST("T0 | T1", MEMORY,
          THREAD("T0",
                 "int c = y; if (c) x = 5; else z[1] = 5; if (c) atomicAdd(&x, 1); if (c) y = 7; else x = 7;")
              THREAD("T1", "y = 1; int a = x; int b = a ? 0 : 3;"),
          "exists: a == 5 && b == 0 && z[1] == 1")},
    {"pointers that are chosen, or lead nowhere",
     TEST("T0 | T1", MEMORY,
          THREAD("T0", "int c = y; int *p = c ? &x : nullptr, *q = c ? NULL : z, *n = 1 ? nullptr : &x; if "
                       "(p) *p = 5; if "
                       "(q) *q = 6; if (n) x = 9;") THREAD("T1", "y = 1; int a = x; int b = z[0];"),
          "exists: a == 5 && b == 6"),
     TEST("T0 | T1", MEMORY,
          THREAD("T0", "int c = y; if (c) x = 5; if (!c) z[0] = 6;")
              THREAD("T1", "y = 1; int a = x; int b = z[0];"),
          "exists: a == 5 && b == 6")},
    {"arrays of pointers, of which an index chooses one",
     TEST("T0 | T1", MEMORY,
          THREAD("T0", "int i = x; int *p[] = {z, &z[1]}; *p[i] = 5; y = 1;")
              THREAD("T1", "int a = y; x = a;"),
          "exists: i == 1 && a == 1"),
     TEST("T0 | T1", MEMORY,
          THREAD("T0", "int i = x; if (i == 0) z[0] = 5; else z[1] = 5; y = 1;")
              THREAD("T1", "int a = y; x = a;"),
          "exists: i == 1 && a == 1")},
    {"a pointer that is nullptr for no value that is read",
     TEST("T0 | T1", MEMORY,
          THREAD("T0", "int i = x; int *p = i < 5 ? &z[1] : nullptr; *p = 5; y = 1;")
              THREAD("T1", "int a = y; x = a;"),
          "exists: i == 1 && a == 1"),
     TEST("T0 | T1", MEMORY, THREAD("T0", "int i = x; z[1] = 5; y = 1;") THREAD("T1", "int a = y; x = a;"),
          "exists: i == 1 && a == 1")},
    {"a trap of the program's own, on which the rest depends",
     TEST("T0 | T1", MEMORY,
          THREAD("T0", "int i = x; assert(i < 5); y = 1;") THREAD("T1", "int a = y; x = a;"),
          "exists: i == 1 && a == 1"),
     TEST("T0 | T1", MEMORY,
          THREAD("T0", "int i = x; if (i < 5) y = 1; else __trap();") THREAD("T1", "int a = y; x = a;"),
          "exists: i == 1 && a == 1")},
    {"the same, and what is stored before it is used",
     TEST("T0 | T1", MEMORY,
          THREAD("T0", "int i = x; y = i < 5; int *p = i < 5 ? &z[1] : nullptr; *p = 5;")
              THREAD("T1", "int a = y; x = a;"),
          "exists: i == 1 && a == 1"),
     TEST("T0 | T1", MEMORY, THREAD("T0", "int i = x; y = 1; z[1] = 5;") THREAD("T1", "int a = y; x = a;"),
          "exists: i == 1 && a == 1")},
    {"and what an atomic operation stores",
     TEST("T0 | T1", MEMORY,
          THREAD("T0", "int i = x; atomicExch(&y, i < 5); int *p = i < 5 ? &z[1] : nullptr; *p = 5;")
              THREAD("T1", "int a = y; x = a;"),
          "exists: i == 1 && a == 1"),
     TEST("T0 | T1", MEMORY,
          THREAD("T0", "int i = x; atomicExch(&y, 1); z[1] = 5;") THREAD("T1", "int a = y; x = a;"),
          "exists: i == 1 && a == 1")},
    {"and before a trap of the program's own",
     TEST("T0 | T1", MEMORY,
          THREAD("T0", "int i = x; y = i < 5; assert(i < 5); z[1] = 5;") THREAD("T1", "int a = y; x = a;"),
          "exists: i == 1 && a == 1"),
     TEST("T0 | T1", MEMORY,
          THREAD("T0", "int i = x; y = i < 5; z[1] = 5;") THREAD("T1", "int a = y; x = a;"),
          "exists: i == 1 && a == 1")},
    {"an array of two dimensions",
     TEST(
         "device", MEMORY,
         GRID(
             "__shared__ int s[2][3]; s[1][threadIdx.x] = threadIdx.x + 1; __syncthreads(); int *row = s[1]; "
             "int r = row[2] + *s[1];"),
         "forall: k[1][0].r == 4 && s@0[1][2] == 3"),
     TEST("device", MEMORY,
          GRID("__shared__ int s[6]; s[3 + threadIdx.x] = threadIdx.x + 1; __syncthreads(); int r = s[5] + "
               "s[3];"),
          "forall: k[1][0].r == 4 && s@0[5] == 3")},
    {"a block and a grid of several sizes",
     "name: t\nplacements: [device]\nmemory: {x: {count: 12}}\nthreads:\n  k:\n    grid: [1, 2]\n    block: "
     "[3, 1, 2]\n"
     "    body: |\n      x[(blockIdx.y * blockDim.z + threadIdx.z) * blockDim.x + threadIdx.x] = 1;\n      "
     "int z; asm "
     "volatile(\"mov.u32 %0, %%tid.z;\" : \"=r\"(z));\n"
     "      int g = gridDim.y * 10 + gridDim.x + blockIdx.x + threadIdx.y;\n"
     "forall: x[11] == 1 && k[1][4].z == 1 && k[0][0].g == 21\n",
     "name: t\nplacements: [device]\nmemory: {x: {count: 12}}\nthreads:\n  k:\n    grid: 2\n    block: 6\n"
     "    body: |\n      x[blockIdx.x * 6 + threadIdx.x] = 1;\n      int z = threadIdx.x / 3;\n      int g = "
     "21;\n"
     "forall: x[11] == 1 && k[1][4].z == 1 && k[0][0].g == 21\n"},
    {"cache operators are weak",
     TEST("T0 | T1", MEMORY,
          THREAD("T0", "__stcg(&x, 1); __threadfence(); __stwt(&y, 1);")
              THREAD("T1", "int a = __ldcv(&y); __threadfence(); int b = __ldcg(&x);"),
          "exists: a == 1 && b == 0"),
     TEST("T0 | T1", MEMORY,
          THREAD("T0", "store(x, 1, weak); __threadfence(); store(y, 1, weak);")
              THREAD("T1", "int a = load(y, weak); __threadfence(); int b = load(x, weak);"),
          "exists: a == 1 && b == 0")},
    {"all of them, without a fence",
     TEST("T0 | T1", MEMORY,
          THREAD("T0", "__stwb(&x, 1); __stcs(&y, 1);")
              THREAD("T1", "int a = __ldca(&y); int b = __ldcs(&x); int c = __ldlu(&y);"),
          "exists: a == 1 && b == 0"),
     TEST("T0 | T1", MEMORY,
          THREAD("T0", "store(x, 1, weak); store(y, 1, weak);")
              THREAD("T1", "int a = load(y, weak); int b = load(x, weak); int c = load(y, weak);"),
          "exists: a == 1 && b == 0")},
    {"of a table as well",
     "PTX T\n{ x=0; y=0; }\nP0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n"
     "st.cg x, 1 | ld.weak.cv r0, y ;\nst.weak.wb y, 1 | ld.global.ca r1, x ;\n"
     "exists (P1:r0 == 1 /\\ P1:r1 == 0)\n",
     "PTX T\n{ x=0; y=0; }\nP0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n"
     "st.weak x, 1 | ld.weak r0, y ;\nst.weak y, 1 | ld.weak r1, x ;\n"
     "exists (P1:r0 == 1 /\\ P1:r1 == 0)\n"},
    {"libcu++'s message passing",
     TEST("T0 | T1", MEMORY,
          THREAD("T0", "cuda::atomic_ref<int, cuda::thread_scope_device> f(y); x = 1; f.store(1, "
                       "cuda::memory_order_release);")
              THREAD("T1", "cuda::atomic_ref<int, cuda::thread_scope_device> f(y); int a = "
                           "f.load(cuda::memory_order_acquire); int b = x;"),
          "exists: a == 1 && b == 0"),
     TEST("T0 | T1", MEMORY,
          THREAD("T0", "x = 1; store(y, 1, release, device);")
              THREAD("T1", "int a = load(y, acquire, device); int b = x;"),
          "exists: a == 1 && b == 0")},
    {"store buffering with the default order",
     TEST("T0 | T1", MEMORY,
          THREAD("T0", "cuda::atomic_ref<int, cuda::thread_scope_device> f(x), g(y); f = 1; int a = g;")
              THREAD("T1", "cuda::atomic_ref<int, cuda::thread_scope_device> f(x), g(y); g = 1; int b = f;"),
          "exists: a == 0 && b == 0"),
     TEST("T0 | T1", MEMORY,
          THREAD("T0", "atomic_thread_fence(sc, device); store(x, 1, relaxed, device); "
                       "atomic_thread_fence(sc, device); int a = load(y, acquire, device);")
              THREAD("T1", "atomic_thread_fence(sc, device); store(y, 1, relaxed, device); "
                           "atomic_thread_fence(sc, device); int b = load(x, acquire, device);"),
          "exists: a == 0 && b == 0")},
    {"a compare-exchange that overwrites what it expected",
     TEST("T0 | T1", MEMORY,
          THREAD("T0", "int e = 0; bool ok = __nv_atomic_compare_exchange_n(&x, &e, 1, false, "
                       "__NV_ATOMIC_ACQ_REL, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);")
              THREAD("T1", "int r = __nv_atomic_exchange_n(&x, 2, __NV_ATOMIC_SEQ_CST);"),
          "exists: ok == 0 && e == 2 && r == 0"),
     TEST("T0 | T1", MEMORY,
          THREAD("T0", "int e = compare_exchange(x, 0, 1, acq_rel, device); bool ok = e == 0;")
              THREAD("T1", "atomic_thread_fence(sc, system); int r = exchange(x, 2, acquire, system);"),
          "exists: ok == 0 && e == 2 && r == 0")},
    {"a choice of the fence axis that has an order",
     TEST("T0 | T1", MEMORY,
          THREAD("T0", "x = 1; fence(a); int r = y;") THREAD("T1", "y = 1; fence(b); int s = x;"),
          "fences: [\"a=acq_rel.device,b=sc.system\"]\nexists: r == 0 && s == 0"),
     TEST("T0 | T1", MEMORY,
          THREAD("T0", "x = 1; atomic_thread_fence(acq_rel, device); int r = y;")
              THREAD("T1", "y = 1; atomic_thread_fence(sc, system); int s = x;"),
          "exists: r == 0 && s == 0")},
    {"one for all slots, whatever the test's own order is",
     TEST("T0 | T1", MEMORY,
          THREAD("T0", "x = 1; fence(a); int r = y;") THREAD("T1", "y = 1; fence(b); int s = x;"),
          "fence_order: acq_rel\nfences: [sc.gpu]\nexists: r == 0 && s == 0"),
     TEST("T0 | T1", MEMORY,
          THREAD("T0", "x = 1; __threadfence(); int r = y;")
              THREAD("T1", "y = 1; __threadfence(); int s = x;"),
          "exists: r == 0 && s == 0")},
    {"a block's barrier as cooperative groups have it",
     TEST("T0 T1", MEMORY,
          THREAD("T0", "namespace cg = cooperative_groups; auto block = cg::this_thread_block(); x = 1; "
                       "block.sync(); y = 1; cg::sync(block);")
              THREAD("T1", "cooperative_groups::this_thread_block().sync(); int a = x; cg::thread_block b = "
                           "cg::this_thread_block(); b.sync(); int c = y;"),
          "exists: a == 0 || c == 0"),
     TEST("T0 T1", MEMORY,
          THREAD("T0", "x = 1; __syncthreads(); y = 1; __syncthreads();")
              THREAD("T1", "__syncthreads(); int a = x; __syncthreads(); int c = y;"),
          "exists: a == 0 || c == 0")},
    {"which is none of another block's",
     TEST("T0 | T1", MEMORY,
          THREAD("T0", "x = 1; cg::this_thread_block().sync();")
              THREAD("T1", "cg::this_thread_block().sync(); int a = x;"),
          "exists: a == 0"),
     TEST("T0 | T1", MEMORY,
          THREAD("T0", "x = 1; __syncthreads();") THREAD("T1", "__syncthreads(); int a = x;"),
          "exists: a == 0")},
    {"a tile's exchanges",
     TEST("T0.T1.T2", MEMORY,
          THREAD("T0", "auto w = cg::tiled_partition<32>(cg::this_thread_block()); int a = w.shfl(1, 2); "
                       "unsigned b = w.ballot(1); int i = w.shfl_xor(a, 1);")
              THREAD("T1", "auto w = cg::tiled_partition<32>(cg::this_thread_block()); int c = w.shfl(x, 2); "
                           "unsigned d = w.ballot(0); int j = w.shfl_xor(c, 1);")
                  THREAD("T2", "auto w = cg::tiled_partition<32>(cg::this_thread_block()); x = 5; int e = "
                               "w.shfl(3, 2); unsigned f = w.ballot(1); int k = w.shfl_xor(e, 1);"),
          "forall: a == 3 && c == 3 && d == 5 && i == 3"),
     TEST("T0.T1.T2", MEMORY,
          THREAD("T0",
                 "int a = __shfl_sync(0xffffffff, 1, 2); unsigned b = __ballot_sync(0xffffffff, 1); int i = "
                 "__shfl_xor_sync(0xffffffff, a, 1);")
              THREAD("T1",
                     "int c = __shfl_sync(0xffffffff, x, 2); unsigned d = __ballot_sync(0xffffffff, 0); "
                     "int j = __shfl_xor_sync(0xffffffff, c, 1);")
                  THREAD("T2", "x = 5; int e = __shfl_sync(0xffffffff, 3, 2); unsigned f = "
                               "__ballot_sync(0xffffffff, 1); int k = __shfl_xor_sync(0xffffffff, e, 1);"),
          "forall: a == 3 && c == 3 && d == 5 && i == 3")},
    {"a name that is declared again within a block",
     TEST("T0 | T1", MEMORY,
          THREAD("T0",
                 "int i = 1; for (int i = 5; i < 6; i++) x = i; if (i == 1) { float i = 2.5f; y = i * 2; "
                 "int j = i; x = j; }") THREAD("T1", "int a = y, b = x;"),
          "exists: a == 5 && b != 2 && i == 1"),
     TEST("T0 | T1", MEMORY,
          THREAD("T0",
                 "int i = 1; for (int k = 5; k < 6; k++) x = k; if (i == 1) { float f = 2.5f; y = f * 2; "
                 "int j = f; x = j; }") THREAD("T1", "int a = y, b = x;"),
          "exists: a == 5 && b != 2 && i == 1")},
    {"sizes and counts that are constants",
     TEST("T0 T1", "x: 3, y: 4, s: {count: 2, space: shared}",
          THREAD("T0",
                 "enum { STAGES = 2 }; constexpr int bytes = 4; __pipeline_memcpy_async(&s[0], &x, bytes); "
                 "__pipeline_commit(); __pipeline_memcpy_async(&s[1], &y, sizeof(int)); "
                 "__pipeline_commit(); __pipeline_wait_prior(STAGES - 1); __syncthreads();")
              THREAD("T1", "__syncthreads(); int a = s[0], b = s[1];"),
          "exists: a == 3 && b == 0"),
     TEST("T0 T1", "x: 3, y: 4, s: {count: 2, space: shared}",
          THREAD("T0", "__pipeline_memcpy_async(&s[0], &x, 4); __pipeline_commit(); "
                       "__pipeline_memcpy_async(&s[1], &y, 4); __pipeline_commit(); "
                       "__pipeline_wait_prior(1); __syncthreads();")
              THREAD("T1", "__syncthreads(); int a = s[0], b = s[1];"),
          "exists: a == 3 && b == 0")},
    {"a tile's, in one warp",
     TEST("T0.T1", MEMORY,
          THREAD("T0", "auto tile = cg::tiled_partition<32>(cg::this_thread_block()); x = 1; tile.sync();")
              THREAD("T1", "auto block = cg::this_thread_block(); cg::thread_block_tile<32> tile = "
                           "cg::tiled_partition<32>(block); cg::sync(tile); int a = x;"),
          "exists: a == 0"),
     TEST("T0.T1", MEMORY, THREAD("T0", "x = 1; __syncwarp();") THREAD("T1", "__syncwarp(); int a = x;"),
          "exists: a == 0")},
    {"and in two",
     TEST("T0 T1", MEMORY,
          THREAD("T0", "x = 1; cg::tiled_partition(cg::this_thread_block(), 32).sync();")
              THREAD("T1", "cg::tiled_partition<32>(cg::this_thread_block()).sync(); int a = x;"),
          "exists: a == 0"),
     TEST("T0 T1", MEMORY, THREAD("T0", "x = 1; __syncwarp();") THREAD("T1", "__syncwarp(); int a = x;"),
          "exists: a == 0")},
    {"a cluster's",
     TEST("T0 & T1", MEMORY,
          THREAD("T0", "cg::cluster_group cluster = cg::this_cluster(); x = 1; cluster.sync();")
              THREAD("T1", "cg::this_cluster().sync(); int a = x;"),
          "exists: a == 0"),
     TEST("T0 & T1", MEMORY,
          THREAD("T0", "x = 1; cluster_sync();") THREAD("T1", "cluster_sync(); int a = x;"),
          "exists: a == 0")},
    {"the numbers of a grid's threads",
     TEST("device", "a: {count: 6}, b: {count: 2}",
          GRID("namespace groups = cooperative_groups; __global__ void k(int *a, int *b) { auto block = "
               "groups::this_thread_block(); auto grid = cg::this_grid(); auto tile = "
               "cg::tiled_partition<32>(block); a[grid.thread_rank()] = block.thread_rank() + "
               "tile.thread_rank() * 10; block.sync(); if (block.thread_rank() == 0) b[blockIdx.x] = "
               "a[grid.thread_rank() + block.size() - 1] + grid.size() * 100 + tile.num_threads(); }"),
          "exists: b[0] == 654 && b[1] == 654"),
     TEST(
         "device", "a: {count: 6}, b: {count: 2}",
         GRID("a[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x * 11; __syncthreads(); if (threadIdx.x "
              "== 0) b[blockIdx.x] = a[blockIdx.x * blockDim.x + 2] + 632;"),
         "exists: b[0] == 654 && b[1] == 654")},
    {"the places of a grid's threads",
     TEST("device", "a: {count: 6}, b: {type: uint64_t, count: 2}",
          GRID("auto block = cg::this_thread_block(); auto grid = cg::this_grid(); "
               "a[block.group_index().x * block.group_dim().x + block.thread_index().x] = "
               "block.dim_threads().x "
               "* 100 + block.thread_index().y * 10 + block.dim_threads().z; block.sync(); auto warp = "
               "cg::tiled_partition<32>(block); if (block.thread_index().x == 2) b[grid.block_rank()] = "
               "grid.num_blocks() * 100 + warp.meta_group_size() * 10 + warp.meta_group_rank() + "
               "grid.dim_blocks().x - grid.group_dim().x + grid.block_index().x + (grid.block_rank() - 2 > "
               "2);"),
          "exists: a[5] == 301 && b[0] == 211 && b[1] == 212"),
     TEST("device", "a: {count: 6}, b: {type: uint64_t, count: 2}",
          GRID("a[blockIdx.x * 3 + threadIdx.x] = 301; __syncthreads(); if (threadIdx.x == 2) "
               "b[blockIdx.x] = 211 + blockIdx.x;"),
          "exists: a[5] == 301 && b[0] == 211 && b[1] == 212")},
    {"functions before a kernel, which return from loops",
     TEST(
         "T0 | T1", MEMORY,
         THREAD("T0", "__device__ void st(int *p, int n) { asm volatile(\"st.release.gpu.u32 [%0], %1;\" :: "
                      "\"l\"(p), \"r\"(n)); } __device__ void both() { z[1] = 3; st(&y, 1); } both();")
             THREAD("T1",
                    "__device__ int ld(const int *p) { return load(*p, acquire, device); } __device__ int "
                    "find(int *p, int n) { for (int i = 0; i < 2; i++) if (p[i] == n) return i; return -1; } "
                    "int a = ld(&y); int b = find(z, 3);"),
         "exists: a == 1 && b == -1"),
     TEST("T0 | T1", MEMORY,
          THREAD("T0", "z[1] = 3; store(y, 1, release, device);") THREAD(
              "T1", "int a = load(y, acquire, device); int b = -1; for (int i = 0; i < 2; i++) if (z[i] == "
                    "3) { b = i; break; }"),
          "exists: a == 1 && b == -1")},
    {"arrays of registers and a pointer that moves",
     TEST(
         "T0 | T1", MEMORY,
         THREAD("T0", "int r[2] = {5, 6}; int *p = z; for (int i = 0; i < 2; i++) *p++ = r[i]; "
                      "__threadfence(); x = 1;")
             THREAD("T1",
                    "int f = x; __threadfence(); int s[2]; for (int i = 1; i >= 0; --i) s[i] = z[i]; int b = "
                    "s[0];"),
         "exists: f == 1 && b != 5"),
     TEST("T0 | T1", MEMORY,
          THREAD("T0", "z[0] = 5; z[1] = 6; __threadfence(); x = 1;")
              THREAD("T1", "int f = x; __threadfence(); int a = z[1]; int b = z[0];"),
          "exists: f == 1 && b != 5")},
    {"the warps of a block",
     TEST("device", "a: {count: 2}",
          "  k:\n    grid: 1\n    block: 33\n    body: |\n"
          "      auto warp = cg::tiled_partition<32>(cg::this_thread_block());\n"
          "      if (warp.thread_rank() == 0) a[warp.meta_group_rank()] = warp.meta_group_size();\n",
          "exists: a[0] == 2 && a[1] == 2"),
     TEST("device", "a: {count: 2}",
          "  k:\n    grid: 1\n    block: 33\n    body: |\n"
          "      if (threadIdx.x % 32 == 0) a[threadIdx.x / 32] = 2;\n",
          "exists: a[0] == 2 && a[1] == 2")},
};

static void check_row(void **state) {
    const struct row *row = *state;
    struct arena *a = arena_open();
    const struct model *m = ask_model(a, "ptx");
    struct answer written = ask(m, row->written, NULL), meant = ask(m, row->meant, NULL);
    assert_int_equal(written.status, MODEL_DONE);
    assert_int_equal(written.status, meant.status);
    assert_int_equal(written.allowed, meant.allowed);
    assert_int_equal(written.outcomes, meant.outcomes);
    assert_int_equal(written.executions, meant.executions);
    arena_close(a);
}

int main(void) {
    enum { COUNT = sizeof rows / sizeof *rows };
    struct CMUnitTest tests[COUNT];
    for (int k = 0; k < COUNT; k++)
        tests[k] = (struct CMUnitTest){rows[k].what, check_row, NULL, NULL, (void *)&rows[k]};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
