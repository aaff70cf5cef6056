/* Bodies as they stand in real kernels: what each way to write a thing becomes. */
#include "cm.h"
#include "dump.h"
#include "source/read.h"

/* Checks that `body`, beside these locations, is lowered to `want`. */
static void check(const char *body, const char *want) {
    dump_check_body(
        "name: T\nmemory: {X: 0, Y: 0, a: {count: 4}, v: {type: int4, count: 2}, w: {type: uint64_t},\n"
        "  s: {count: 4, space: shared}}\nplacements: [block]\nthreads:\n  T0: |\n",
        body, want);
}

static void atomic_refs_by_auto(void **state) {
    (void)state;
    check("auto f = cuda::atomic_ref<int, cuda::thread_scope_device>(X); f.store(1, "
          "cuda::memory_order_release);",
          "store.release.gpu X, 1");
    check("const auto f = cuda::std::atomic_ref<int>{a[1]}; int r = f.load(cuda::std::memory_order_acquire);",
          "r = load.acquire.sys a[1]");
    check("auto f = cuda::atomic_ref<int, cuda::thread_scope::thread_scope_block>(X); f.store(1, "
          "cuda::memory_order::release);",
          "store.release.cta X, 1");
    check("auto r = cuda::atomic_ref<int>(X).load(cuda::memory_order_relaxed);",
          "t$0 = load.relaxed.sys X; r = t$0");
}

static void steps_of_atomic_refs(void **state) {
    (void)state;
    check("cuda::atomic_ref<int, cuda::thread_scope_block> f(X); int r = f++;",
          "fence.sc.cta; r = rmw.add.acquire.cta X, 1");
    check("cuda::atomic_ref<int, cuda::thread_scope_block> f(X); if (--f == 0) Y = 1;",
          "fence.sc.cta; t$0 = rmw.sub.acquire.cta X, 1; if (t$0 - 1 == 0) {store.bare Y, 1}");
}

static void waits_of_atomic_refs(void **state) {
    (void)state;
    check("cuda::atomic_ref<int, cuda::thread_scope_block> f(X); f.wait(Y, cuda::memory_order_acquire); "
          "f.notify_one(); f.notify_all(); Y = 2;",
          "t$0 = load.bare Y; loop {t$1 = load.acquire.cta X; if (t$1 != t$0) {break}}; store.bare Y, 2");
    check("cuda::atomic_ref<int, cuda::thread_scope_device> f(a[1]); f.wait(0);",
          "loop {fence.sc.gpu; t$0 = load.acquire.gpu a[1]; if (t$0 != 0) {break}}");
}

static void functions_of_nvcc(void **state) {
    (void)state;
    check("int r; __nv_atomic_load(&X, &r, __NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_DEVICE);",
          "r = load.acquire.gpu X");
    check("int r = 2; __nv_atomic_store(&X, &r, __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_DEVICE);",
          "r = 2; store.release.gpu X, r");
    check("int r = 2, q; __nv_atomic_exchange(&X, &r, &q, __NV_ATOMIC_ACQ_REL);",
          "r = 2; q = rmw.exch.acq_rel.sys X, r");
    check("int e = 2, n = 3; bool ok = __nv_atomic_compare_exchange(&X, &e, &n, false, __NV_ATOMIC_ACQUIRE, "
          "__NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_SYSTEM);",
          "e = 2; n = 3; t$3 = rmw.cas.acquire.sys X, e, n; t$4 = t$3 == e; e = t$3; ok = (bool)t$4");
}

static void steps_in_expressions(void **state) {
    (void)state;
    check("int i = 0; a[i++] = 4; X = i;",
          "i = 0; t$1 = i; i = i + 1; store.bare a[t$1], 4; store.bare X, i");
    check("int n = 3; while (n-- > 0) X = n;",
          "n = 3; loop {t$1 = n; n = n - 1; if (!(t$1 > 0)) {break}; store.bare X, n}");
    check("int i = 1; if (++i == 2 && i-- == 2) Y = i;",
          "i = 1; i = i + 1; t$2 = i == 2 != 0; if (t$2) {t$1 = i; i = i - 1; t$2 = t$1 == 2 != 0}; if (t$2) "
          "{store.bare Y, i}");
}

static void assignments_in_a_row(void **state) {
    (void)state;
    check("int q = 1, r; X = r = q; Y = r += 2;",
          "q = 1; r = q; store.bare X, r; r = r + 2; store.bare Y, r");
    check("int p, q, r; p = q = r = X; if ((q ^= 1) == p) Y = q;",
          "r = load.bare X; q = r; p = q; q = q ^ 1; if (q == p) {store.bare Y, q}");
    check("int4 q; q.x = q.w = X;",
          "t$1 = load.bare X; q = make_int4(q.x, q.y, q.z, t$1); q = make_int4(q.w, q.y, q.z, q.w)");
    check("unsigned char h; int r = h = 9, q = h -= 1;",
          "h = 9; r = (int)h; h = (uint8_t)((int)h - 1); q = (int)h");
}

static void types_of_the_standard_library(void **state) {
    (void)state;
    check(
        "std::uint32_t u = X; cuda::std::int64_t l = (std::int64_t)u << 8; X = static_cast<std::int8_t>(l);",
        "t$1 = load.bare X; u = (unsigned)t$1; l = (int64_t)u << 8; store.bare X, (int)(int8_t)l");
    check("const volatile std::uint32_t *p = (std::uint32_t *)&X; auto f = "
          "cuda::atomic_ref<std::int32_t>(a[sizeof(std::size_t) - 7]); int r = *p;",
          "t$1 = load.volatile X.unsigned; r = (int)t$1");
    check("using std::uint16_t; using byte = cuda::std::uint8_t; uint16_t h = 7; byte b = 255; Y = "
          "std::ptrdiff_t(-1) < 0;",
          "h = 7; b = 255; store.bare Y, -1ll < 0ll");
    check("using cuda::atomic_ref; using cuda::thread_scope_device; using cuda::std::memory_order_acquire; "
          "atomic_ref<int, thread_scope_device> f(X); int r = f.load(memory_order_acquire);",
          "r = load.acquire.gpu X");
}

static void arrays_of_registers(void **state) {
    (void)state;
    check("int r[3] = {1, X}; r[2]++; Y = r[0] + r[1]--;",
          "r[0] = 1; r[1] = load.bare X; r[2] = 0; r[2] = r[2] + 1; t$3 = r[1]; r[1] = r[1] - 1; store.bare "
          "Y, r[0] + t$3");
    check("unsigned char r[2][2] = {{1}, {2, 3}}; constexpr int k = 1; X = r[k][k - 1] + (r[0][1] = 7);",
          "r[0][0] = 1; r[1][0] = 2; r[1][1] = 3; r[0][1] = 0; k = 1; r[0][1] = 7; store.bare X, "
          "(int)r[1][0] + (int)r[0][1]");
    check("int4 r[] = {{1, 2, 3, 4}}; r[0].y = X; Y = r[0].y;",
          "r[0] = make_int4(1, 2, 3, 4); t$1 = load.bare X; r[0] = make_int4(r[0].x, t$1, r[0].z, r[0].w); "
          "store.bare Y, r[0].y");
    check("int r[2], e[1] = {0}; cuda::atomic_ref<int> f(X); asm volatile(\"ld.acquire.gpu.u32 %0, [%1];\" : "
          "\"=r\"(r[1]) : \"l\"(&Y)); f.compare_exchange_strong(e[0], r[1], cuda::memory_order_relaxed);",
          "e[0] = 0; r[1] = load.acquire.gpu Y; t$3 = rmw.cas.relaxed.sys X, e[0], r[1]; t$4 = t$3 == e[0]; "
          "e[0] = t$3");
    check("{ int q = X; } int *p = a; *p = 1;", "q = load.bare X; store.bare a[0], 1");
    check("{ int r[2] = {1, 2}; X = r[0]; } { int r[1] = {3}; X = r[0] + sizeof(r); }",
          "r[0] = 1; r[1] = 2; store.bare X, r[0]; r[0] = 3; store.bare X, (int)((uint64_t)r[0] + 4ull)");
}

static void loops_over_arrays_of_registers(void **state) {
    (void)state;
    check("int r[2]; for (int i = 0; i < 2; i++) r[i] = a[i + 1]; X = r[1];",
          "i = 0; r[0] = load.bare a[i + 1]; i = i + 1; r[1] = load.bare a[i + 1]; i = i + 1; store.bare X, "
          "r[1]");
    check("int r[2]; for (int i = 0, k = 1; i < 2; ++i, k--) if (i < 1) r[i] = r[k]; else X = r[i];",
          "i = 0; k = 1; if (i < 1) {r[0] = r[1]} else {store.bare X, r[0]}; i = i + 1; k = k - 1; if (i < "
          "1) {r[1] = r[0]} else {store.bare X, r[1]}; i = i + 1; k = k - 1");
    check("int r[2]; for (int i = 0; i < 2; i++) { r[i] = X; if (r[i]) break; }",
          "i = 0; loop(1) {r[0] = load.bare X; if (r[0]) {break}; i = i + 1; r[1] = load.bare X; if (r[1]) "
          "{break}; i = i + 1; break} step {break}");
    check("int r[2]; for (int i = 0; i < 2; i++) { if (X) continue; r[i] = 1; }",
          "i = 0; loop(1) {t$3 = load.bare X; if (t$3) {break}; r[0] = 1; break}; i = i + 1; loop(1) {t$4 = "
          "load.bare X; if (t$4) {break}; r[1] = 1; break}; i = i + 1");
    check("for (int i = 0; i < 2; i++) { const int k = 1 - i; int r[2]; if (X == 1) continue; if (X == 2) "
          "break; "
          "r[k] = 1; }",
          "i = 0; loop(1) {t$8 = 0; loop(1) {k = 1 - i; t$4 = load.bare X; if (t$4 == 1) {break}; t$5 = "
          "load.bare X; if (t$5 == 2) {t$8 = 1; break}; r[1] = 1; break}; if (t$8) {continue}; i = i + 1; "
          "t$8 = 0; loop(1) {k = 1 - i; t$6 = load.bare X; if (t$6 == 1) {break}; t$7 = load.bare X; if (t$7 "
          "== 2) {t$8 = 1; break}; r[0] = 1; break}; if (t$8) {continue}; i = i + 1; break} step {break}");
    check("int r[2] = {}; for (int k = 0; k < 3; k++) for (int i = 0; i < 2; i++) r[i] += k; X = r[0];",
          "r[0] = 0; r[1] = 0; k = 0; loop(3) {if (!(k < 3)) {break}; i = 0; r[0] = r[0] + k; i = i + 1; "
          "r[1] = r[1] + k; i = i + 1} step {k = k + 1}; store.bare X, r[0]");
    check("int r[1]; for (int i = 1; i < 1; i++) { r[i] = 1; } for (int i = 0; i < 1; i++) while (!(r[i] = "
          "X));",
          "i = 1; i = 0; loop {r[0] = load.bare X; if (r[0]) {break}}; i = i + 1");
}

static void signs(void **state) {
    (void)state;
    check("float f = 1.5f; if (signbit(f)) X = 1;", "f = 1.5f; if (__float_as_int(f) < 0) {store.bare X, 1}");
}

static void sinks(void **state) {
    (void)state;
    check("asm volatile(\"atom.release.sys.global.add.u64 _, [%0], %1;\" :: \"l\"(&w), \"n\"(1));",
          "t$0 = rmw.add.release.sys w, 1ull");
    check("asm volatile(\"setmaxnreg.dec.sync.aligned.u32 %0;\" :: \"n\"(24)); X = 1;", "store.bare X, 1");
}

static void macros_with_arguments(void **state) {
    (void)state;
    check("#define LOAD(p) (*(volatile int *)(p))\n      #define MAX( a, b ) ((a) > (b) ? (a) : (b))\n"
          "      #define NONE()\n      NONE(); X = LOAD(&a[MAX(0, MAX(2, 3))]); Y = MAX (MAX(1, 2), (3));",
          "t$0 = load.volatile a[0 > (2 > 3 ? 2 : 3) ? 0 : 2 > 3 ? 2 : 3]; store.bare X, t$0; "
          "store.bare Y, (1 > 2 ? 1 : 2) > 3 ? 1 > 2 ? 1 : 2 : 3");
    check("#define RELEASE(p, v) do { \\\n        __threadfence(); /* a, b) */ \\\n"
          "        *(p) = (v); } while (0)\n      #define b 1\n      int MAX = b; RELEASE(&X, b + MAX);",
          "MAX = 1; loop {fence.sc.gpu; store.bare X, 1 + MAX} step {if (!0) {break}}");
    check("#define LD(v, p) asm volatile(\"ld.acquire.gpu.u32 %0, [%1];\" : \"=r\"(v) : \"l\"(p))\n"
          "      int r; LD(r, &a[1]); X = r;",
          "r = load.acquire.gpu a[1]; store.bare X, r");
}

static void sizes(void **state) {
    (void)state;
    check("X = sizeof(int4);", "store.bare X, 16");
    check("X = sizeof(a) / sizeof(a[0]);", "store.bare X, (int)(16ull / 4ull)");
    check("unsigned short h = 1; X = sizeof(h);", "h = 1; store.bare X, 2");
}

static void constants(void **state) {
    (void)state;
    check("static constexpr int FULL = 2; static const unsigned MASK = 3; X = FULL + MASK;",
          "FULL = 2; MASK = 3u; store.bare X, (int)((unsigned)FULL + MASK)");
}

static void constants_that_are_numbers(void **state) {
    (void)state;
    check("const int id = 2; asm volatile(\"bar.sync %0, %1;\" :: \"r\"(id), \"n\"(32 * id));",
          "id = 2; barrier.cta.cta id 2 threads 2");
    check("constexpr int k = 4; static_assert(k == 4 && sizeof(int) == k, \"four\"); static_assert(k > 0); X "
          "= k;",
          "k = 4; store.bare X, k");
    check("const int n = 2; for (int i = 0; i < n; i++) X = i;",
          "n = 2; i = 0; loop(2) {if (!(i < n)) {break}; store.bare X, i} step {i = i + 1}");
    check(
        "__device__ void st(int *p, const int n) { for (int i = 0; i < n; i++) p[i] = n; } st(a, 3); st(a, "
        "Y);",
        "t$0 = 3; n = t$0; i = 0; loop(3) {if (!(i < n)) {break}; store.bare a[i], n} step {i = i + 1}; t$3 "
        "= load.bare Y; n = t$3; i = 0; loop {if (!(i < n)) {break}; store.bare a[i], n} step {i = i + 1}");
    check("constexpr unsigned select = 0x3201; unsigned r = __byte_perm(X, 0, select);",
          "select = 12801u; t$2 = load.bare X; r = ((unsigned)t$2 >> 8 & 255u) << 0 | ((unsigned)t$2 >> 0 & "
          "255u) "
          "<< 8 | ((unsigned)t$2 >> 16 & 255u) << 16 | ((unsigned)t$2 >> 24 & 255u) << 24");
}

static void declarations_in_other_orders(void **state) {
    (void)state;
    check("int long unsigned p = 5; auto const q = 2u; unsigned int const r = q; (void)p; (void)X;",
          "p = 5ull; q = 2u; r = q; load.bare X");
    check("__shared__ alignas(16) int u[2]; alignas(8) static __shared__ __align__(8) volatile bool z; u[1] "
          "= z;",
          "t$0 = load.bare z; store.bare u[1], (int)t$0");
}

static void elements_by_pointers(void **state) {
    (void)state;
    check("int4 *p = v + 1; p->x = 3; (*p).y = 4; int r = p[-1].w;",
          "store.bare v.x[1], 3; store.bare v.y[1], 4; r = load.bare v.w[1 + -1]");
    check("int4 *p = &v[1]; int *q = &p->z; *q = 5; atomicAdd(&p->w, 1);",
          "store.bare v.z[1], 5; rmw.add.relaxed.gpu v.w[1], 1");
    check("int4 *p = v; if (p->x > 2) Y = 1;", "t$0 = load.bare v.x[0]; if (t$0 > 2) {store.bare Y, 1}");
}

static void names_of_atomic_refs(void **state) {
    (void)state;
    check("using ref = cuda::atomic_ref<int, cuda::thread_scope_device>; ref f(X), g{a[1]}; f.store(1, "
          "cuda::memory_order_release); int r = ref(Y).load(cuda::memory_order_relaxed) + "
          "g.load(cuda::memory_order_relaxed);",
          "store.release.gpu X, 1; t$1 = load.relaxed.gpu Y; t$2 = load.relaxed.gpu a[1]; r = t$1 + t$2");
}

static void references_to_registers(void **state) {
    (void)state;
    check(
        "int r = 1, q[2]; int &one = r; auto &two = q[1]; one += 2; two = X; { int r = 5; one = r; } Y = r;",
        "r = 1; r = r + 2; q[1] = load.bare X; r = 5; r = r; store.bare Y, r");
    check("__device__ bool pop(int *p, int &out) { out = atomicExch(p, 0); return out != 0; } int r[2]; if "
          "(pop(a, "
          "r[1])) X = r[1];",
          "r[1] = rmw.exch.relaxed.gpu a[0], 0; t$2 = (bool)(r[1] != 0); if (t$2) {store.bare X, r[1]}");
    check("for (int i = 0; i < 2; i++) { int q[2]; int &e = q[i]; e = i; X = q[i]; }",
          "i = 0; q[0] = i; store.bare X, q[0]; i = i + 1; q[1] = i; store.bare X, q[1]; i = i + 1");
}

static void declarations_in_conditions(void **state) {
    (void)state;
    check("if (int r = X) Y = r; else Y = r + 1; if (const auto q = atomicAdd(&Y, 1); q > 2 && X) X = q;",
          "r = load.bare X; if (r) {store.bare Y, r} else {store.bare Y, r + 1}; t$1 = rmw.add.relaxed.gpu "
          "Y, 1; q = t$1; t$4 = q > 2 != 0; if (t$4) {t$3 = load.bare X; t$4 = t$3 != 0}; if (t$4) "
          "{store.bare X, q}");
    check("while (int r = X) { Y = r; if (r == 2) break; }",
          "loop {r = load.bare X; if (!r) {break}; store.bare Y, r; if (r == 2) {break}}");
}

static void pointers_that_move(void **state) {
    (void)state;
    check("int *p = a; *p++ = 1; *p-- = 2; *++p = X; p[1] = 3;",
          "t$0 = 0; t$1 = t$0; t$0 = t$0 + 1; store.bare a[t$1], 1; t$2 = t$0; t$0 = t$0 - 1; store.bare "
          "a[t$2], 2; t$3 = load.bare X; t$0 = t$0 + 1; store.bare a[t$0], t$3; store.bare a[t$0 + 1], 3");
    check("const int *p = &a[3]; int r = *--p; p -= 2; r += *p; p = p + r; X = *(p + 1);",
          "t$0 = 3; t$0 = t$0 - 1; r = load.bare a[t$0]; t$0 = t$0 - 2; t$2 = load.bare a[t$0]; r = r + t$2; "
          "t$0 = t$0 + r; t$3 = load.bare a[t$0 + 1]; store.bare X, t$3");
    check("volatile int *q = a; for (int *p = a + 1; X; p += 2) { *p = *q; q = a + 3; } atomicAdd(q++, 1);",
          "t$0 = 0; t$1 = 1; loop {t$2 = load.bare X; if (!t$2) {break}; t$3 = load.volatile a[t$0]; "
          "store.bare a[t$1], t$3; t$0 = 3} step {t$1 = t$1 + 2}; t$4 = t$0; t$0 = t$0 + 1; "
          "rmw.add.relaxed.gpu a[t$4], 1");
    check("__global__ void k(int *a, int *X) { a += *X; a[1] = 5; int *q = a; a++; *q = *a; }",
          "t$0 = 0; t$1 = load.bare X; t$0 = t$0 + t$1; store.bare a[t$0 + 1], 5; t$2 = t$0; t$0 = t$0 + 1; "
          "t$3 = load.bare a[t$0]; store.bare a[t$2], t$3");
}

static void references_of_other_kinds(void **state) {
    (void)state;
    check("auto &&r = a[1]; r = 2; int (&row)[4] = a; row[X] = 3; *row = 4;",
          "store.bare a[1], 2; t$0 = load.bare X; store.bare a[t$0], 3; store.bare a[0], 4");
    check("if (((volatile int &)X) != 1) (volatile int &)Y = 2; int r = (int const &)a[1] + (const int "
          "&)(a[2]);",
          "t$0 = load.volatile X; if (t$0 != 1) {store.volatile Y, 2}; t$2 = load.bare a[1]; t$3 = load.bare "
          "a[2]; r = t$2 + t$3");
    check("int4 *p = v; (p + 1)->z = 5; X = (*p).y + p->x;",
          "store.bare v.z[1], 5; t$0 = load.bare v.y[0]; t$1 = load.bare v.x[0]; store.bare X, t$0 + t$1");
    check("using T = uint64_t; w = (T(2) << 32) | (unsigned(X)); w = (T{3});",
          "t$0 = load.bare X; store.bare w, 2ull << 32 | (uint64_t)(unsigned)t$0; store.bare w, 3ull");
}

static void elements_behind_casts(void **state) {
    (void)state;
    check("int4 r = reinterpret_cast<const int4 *>(v)[X + 1];",
          "t$1 = load.bare X; r = load.bare v[t$1 + 1]");
    check("reinterpret_cast<int4 *>(&v[1])[0].y = 3;", "store.bare v.y[1], 3");
    check("int r = const_cast<volatile int *>(&a[1])[2];", "r = load.volatile a[1 + 2]");
    check("atomicAdd(&reinterpret_cast<int *>(a)[2], 1); atomicAdd(reinterpret_cast<int *>(a), 1);",
          "rmw.add.relaxed.gpu a[2], 1; rmw.add.relaxed.gpu a[0], 1");
}

static void addresses_in_shared_memory(void **state) {
    (void)state;
    check("unsigned p = __cvta_generic_to_shared(&s[1]); "
          "asm volatile(\"st.shared.b32 [%0], 1;\" :: \"r\"(p) : \"memory\");",
          "store.weak s[1], 1");
    check("uint32_t p = static_cast<uint32_t>(__cvta_generic_to_shared(s)); int r; "
          "asm volatile(\"ld.shared.b32 %0, [%1 + 4];\" : \"=r\"(r) : \"r\"(p + 8) : \"memory\");",
          "r = load.weak s[3]");
    check("unsigned p = __cvta_generic_to_shared(s) + 4, q = p + 4; "
          "asm volatile(\"st.shared.b32 [%0], 1; st.shared.b32 [%1], 2;\" :: \"r\"(q), "
          "\"r\"((unsigned)__cvta_generic_to_shared(&s[1]) + 8) : \"memory\");",
          "store.weak s[2], 1; store.weak s[3], 2");
    check("int r; asm volatile(\"ld.relaxed.gpu.b32 %0, [%1];\" : \"=r\"(r) : \"l\"((int *)a + 2) : "
          "\"memory\");",
          "r = load.relaxed.gpu a[2]");
}

static void pointers_that_nobody_writes(void **state) {
    (void)state;
    check("const int *__restrict__ p = a; int r = p[1];", "r = load.bare a[1]");
}

static void labels_in_an_asm(void **state) {
    (void)state;
    check("int r; asm volatile(\"{ .reg .pred p; W_%=: ld.acquire.gpu.s32 %0, [%1]; setp.ne.s32 p, %0, 1; "
          "@p bra W_%=; }\" : \"=r\"(r) : \"l\"(&X)); asm(\"bra E; E: add.s32 %0, %0, 1;\" : \"+r\"(r));",
          "W__:; r = load.acquire.gpu X; t$1 = r != 1; if (t$1) goto W__; goto E; E:; r = r + 1");
    check(
        "int r = 0; asm(\"{ bra L; { bra L; L: add.s32 %0, %0, 1; } L: add.s32 %0, %0, 2; }\" : \"+r\"(r)); "
        "asm(\"bra L; L:\");",
        "r = 0; goto L; goto L_; L_:; r = r + 1; L:; r = r + 2; goto L__; L__:");
}

static void parts_of_registers(void **state) {
    (void)state;
    check("unsigned l = 5, h = 6; unsigned long long r; "
          "asm(\"mov.b64 %0, {%1, %2};\" : \"=l\"(r) : \"r\"(l), \"r\"(h));",
          "l = 5u; h = 6u; r = (uint64_t)l | (uint64_t)h << 32");
    check("unsigned l, h; unsigned long long r = 7; "
          "asm(\"mov.b64 {%0, %1}, %2;\" : \"=r\"(l), \"=r\"(h) : \"l\"(r));",
          "r = 7ull; t$3 = r; l = (unsigned)(t$3 >> 0); h = (unsigned)(t$3 >> 32)");
}

/* %q<2> declares %q0 and %q1; a float is written by its bits. */
static void ranges_and_floats(void **state) {
    (void)state;
    check("int r; asm(\"{ .reg .b32 %%q<2>; mov.u32 %%q1, 7; mov.u32 %0, %%q1; }\" : \"=r\"(r));",
          "t$2 = 7u; r = (int)t$2");
    check("float f; asm(\"mov.f32 %0, 0f3FC00000;\" : \"=f\"(f));", "f = 1.5f");
}

static void heads_of_templates(void **state) {
    (void)state;
    check("template <typename T, class U, int N = 2, bool LAST = true> __global__ void k(T *__restrict__ a, "
          "const U *w, "
          "unsigned n = 3) { if (LAST) a[N] = T(*w) + U(n); }",
          "N = 2; LAST = 1; n = 3u; if (LAST) {t$3 = load.bare w; store.bare a[N], (int)((uint64_t)(int)t$3 "
          "+ (uint64_t)n)}");
    check("template <typename T = unsigned> __global__ void k(int *X) { *X = T(-1) >> 31; }",
          "store.bare X, (int)(4294967295u >> 31)");
    check("__global__ void k(unsigned *X, int *a) { atomicMin(X, 3u); a[1] = *X; }",
          "rmw.min.relaxed.gpu X.unsigned, 3u; t$0 = load.bare X.unsigned; store.bare a[1], (int)t$0");
    check("int r = int(3u) + unsigned(X);", "t$1 = load.bare X; r = (int)(3u + (unsigned)t$1)");
}

/* The fences of each operation of a choice, "p=acquire.cta" and so on, in their order. */
static void check_slots(int choice, const char *name, const char *want) {
    static const char file[] = "name: T\nmemory: {X: 0}\nfence_order: acq_rel\nthreads:\n  T0: |\n    "
                               "fence(p);\n    if (X) fence(q);\n"
                               "    fence(p);\nexists: X == 1\n"
                               "fences: [device, \"p=acquire.block+release.device,q=sc.system\", \"block + "
                               "sc.system+cluster\", none]\n";
    struct arena *a = arena_open();
    struct diag d = {0};
    struct text got = {0};
    struct test *t = test_read_text(a, "t.yaml", file, strlen(file), &d);
    assert_non_null(t);
    struct cell cell = {t->placements, t->accesses[0], &t->fences[choice]};
    assert_string_equal(cell.fence->name, name);
    for (int k = 1; k <= t->nops; k++) {
        if (t->ops[k].kind != OP_FENCE) continue;
        struct fence f = cell.fence->slot[t->ops[k].slot];
        f.order = op_strength(t, &cell, &t->ops[k]).order;
        text_printf(&got, "%s=%s ", t->slots[t->ops[k].slot].name, fence_name(a, f));
    }
    assert_string_equal(got.s, want);
    text_free(&got);
    diag_free(&d);
    arena_close(a);
}

static void several_fences_in_a_slot(void **state) {
    (void)state;
    check_slots(
        0, "device",
        "p=acq_rel.device p=none p=none q=acq_rel.device q=none q=none p=acq_rel.device p=none p=none ");
    check_slots(1, "p=acquire.block+release.device,q=sc.system",
                "p=acquire.block p=release.device p=none q=sc.system q=none q=none p=acquire.block "
                "p=release.device p=none ");
    check_slots(2, "block+sc.system+cluster",
                "p=acq_rel.block p=sc.system p=acq_rel.cluster q=acq_rel.block q=sc.system q=acq_rel.cluster "
                "p=acq_rel.block p=sc.system p=acq_rel.cluster ");
    check_slots(3, "none", "p=none p=none p=none q=none q=none q=none p=none p=none p=none ");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(atomic_refs_by_auto),
        cmocka_unit_test(steps_of_atomic_refs),
        cmocka_unit_test(waits_of_atomic_refs),
        cmocka_unit_test(functions_of_nvcc),
        cmocka_unit_test(steps_in_expressions),
        cmocka_unit_test(assignments_in_a_row),
        cmocka_unit_test(types_of_the_standard_library),
        cmocka_unit_test(arrays_of_registers),
        cmocka_unit_test(loops_over_arrays_of_registers),
        cmocka_unit_test(signs),
        cmocka_unit_test(sinks),
        cmocka_unit_test(macros_with_arguments),
        cmocka_unit_test(sizes),
        cmocka_unit_test(constants),
        cmocka_unit_test(constants_that_are_numbers),
        cmocka_unit_test(declarations_in_other_orders),
        cmocka_unit_test(elements_by_pointers),
        cmocka_unit_test(names_of_atomic_refs),
        cmocka_unit_test(references_to_registers),
        cmocka_unit_test(declarations_in_conditions),
        cmocka_unit_test(pointers_that_move),
        cmocka_unit_test(references_of_other_kinds),
        cmocka_unit_test(elements_behind_casts),
        cmocka_unit_test(addresses_in_shared_memory),
        cmocka_unit_test(pointers_that_nobody_writes),
        cmocka_unit_test(several_fences_in_a_slot),
        cmocka_unit_test(labels_in_an_asm),
        cmocka_unit_test(parts_of_registers),
        cmocka_unit_test(ranges_and_floats),
        cmocka_unit_test(heads_of_templates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
