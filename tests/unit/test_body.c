/* Bodies: what each construct of the CUDA C subset becomes. */
#include "cm.h"
#include "dump.h"

/* Checks that `body`, beside locations X, Y, Z and an array a of 4, is lowered to `want`. */
static void check(const char *body, const char *want) {
    dump_check_body(
        "name: T\nmemory: {X: 0, Y: 0, Z: 0, a: {count: 4}}\nthreads:\n  T0:\n    count: 2\n    body: |\n",
        body, want);
}

static void reads_and_writes(void **state) {
    (void)state;
    check("X = 1;", "store.bare X, 1");
    check("int r = X;", "r = load.bare X");
    check("int r; r = X;", "r = load.bare X");
    check("X = Y;", "t$0 = load.bare Y; store.bare X, t$0");
    check("int r = X + Y;", "t$1 = load.bare X; t$2 = load.bare Y; r = t$1 + t$2");
    check("X;", "load.bare X");
    check("a[1] = a[tid];", "t$0 = load.bare a[tid]; store.bare a[1], t$0");
    check("int r = a[X];", "t$1 = load.bare X; r = load.bare a[t$1]");
    check("a[X] = Y;", "t$1 = load.bare Y; t$0 = load.bare X; store.bare a[t$0], t$1");
    check("; ; {} X = 1; // done", "store.bare X, 1");
}

static void registers(void **state) {
    (void)state;
    check("int p = 1, q, r = p; q = r;", "p = 1; r = p; q = r");
    check("int r = 2; r += 3; r <<= 1; r++; --r;", "r = 2; r = r + 3; r = r << 1; r = r + 1; r = r - 1");
    check("if (tid) { int s = 1; X = s; } { int s = 2; X = s; }",
          "if (tid) {s = 1; store.bare X, s}; s = 2; store.bare X, s");
    check("X += 2;", "t$0 = load.bare X; store.bare X, t$0 + 2");
    check("X -= Y;", "t$0 = load.bare Y; t$1 = load.bare X; store.bare X, t$1 - t$0");
    check("a[1]++; --X;",
          "t$0 = load.bare a[1]; store.bare a[1], t$0 + 1; t$1 = load.bare X; store.bare X, t$1 - 1");
    check("int r; while ((r = X) == 0);", "loop {r = load.bare X; if (!(r == 0)) {break}}");
    check("int r, s = 1; if (s && (r = X) > 1) Y = r;",
          "s = 1; t$2 = s != 0; if (t$2) {r = load.bare X; t$2 = r > 1 != 0}; if (t$2) {store.bare Y, r}");
    check("int r, s = (r = X + 1) * r;", "t$2 = load.bare X; r = t$2 + 1; s = r * r");
    check("int r = tid * count; r ^= ~r; r %= 3;", "r = tid * count; r = r ^ ~r; r = r % 3");
}

static void operations(void **state) {
    (void)state;
    check("int r = load(X, acquire, block);", "r = load.acquire.cta X");
    check("int r = load(&a[1], relaxed, sys);", "r = load.relaxed.sys a[1]");
    check("load(X, weak); load(X, volatile);", "load.weak X; load.volatile X");
    check("store(X, 1 + tid, release, cluster);", "store.release.cluster X, 1 + tid");
    check("int r = atomicAdd(&X, 1);", "r = rmw.add.relaxed.gpu X, 1");
    check("atomicSub_block(&X, 1); atomicExch_system(&a[2], 3);",
          "rmw.sub.relaxed.cta X, 1; rmw.exch.relaxed.sys a[2], 3");
    check("atomicMin(&X, 1); atomicMax(&X, 2); atomicAnd(&X, 3); atomicOr(&X, 4); atomicXor(&X, 5);",
          "rmw.min.relaxed.gpu X, 1; rmw.max.relaxed.gpu X, 2; rmw.and.relaxed.gpu X, 3; "
          "rmw.or.relaxed.gpu X, 4; rmw.xor.relaxed.gpu X, 5");
    check("atomicInc(&X, 3); atomicDec(&X, 3);", "rmw.inc.relaxed.gpu X, 3; rmw.dec.relaxed.gpu X, 3");
    check("int r = atomicCAS(&X, 0, 1);", "r = rmw.cas.relaxed.gpu X, 0, 1");
    check("int r = fetch_add(X, Y, acq_rel, device);", "t$1 = load.bare Y; r = rmw.add.acq_rel.gpu X, t$1");
    check("exchange(&X, 1, release, gpu); fetch_or(X, 1, relaxed, cta);",
          "rmw.exch.release.gpu X, 1; rmw.or.relaxed.cta X, 1");
    check("int r = compare_exchange(X, 0, 1, acquire, system);", "r = rmw.cas.acquire.sys X, 0, 1");
    check("int r = __ldcg(&X) + __ldca(&a[1]);",
          "t$1 = load.weak.cg X; t$2 = load.weak.ca a[1]; r = t$1 + t$2");
    check("__ldcs(&X); __ldcv(&X); __ldlu(&X);", "load.weak.cs X; load.weak.cv X; load.weak.lu X");
    check("__stcg(&X, 1); __stcs(&a[tid], 2); __stwb(&X, Y); __stwt(&X, 4);",
          "store.weak.cg X, 1; store.weak.cs a[tid], 2; t$0 = load.bare Y; store.weak.wb X, t$0; "
          "store.weak.wt X, 4");
    check("X = atomicAdd(&Y, 1) + 1;", "t$0 = rmw.add.relaxed.gpu Y, 1; store.bare X, t$0 + 1");
}

#define REF "cuda::atomic_ref<int, cuda::thread_scope_device> f(X); "

static void atomic_refs(void **state) {
    (void)state;
    check(REF "int r = f.load(cuda::memory_order_acquire);", "r = load.acquire.gpu X");
    check(REF "int r = f.load();", "fence.sc.gpu; r = load.acquire.gpu X");
    check(REF "int r = f + f.load(cuda::memory_order_relaxed);",
          "fence.sc.gpu; t$1 = load.acquire.gpu X; t$2 = load.relaxed.gpu X; r = t$1 + t$2");
    check(REF "f.store(1, cuda::memory_order_release); f.store(Y);",
          "store.release.gpu X, 1; t$0 = load.bare Y; fence.sc.gpu; store.relaxed.gpu X, t$0");
    check(REF "f = 1; f; f.load(cuda::std::memory_order_consume);",
          "fence.sc.gpu; store.relaxed.gpu X, 1; fence.sc.gpu; load.acquire.gpu X; load.acquire.gpu X");
    check(REF "++f; f--; f += 2; f ^= 3;",
          "fence.sc.gpu; rmw.add.acquire.gpu X, 1; fence.sc.gpu; rmw.sub.acquire.gpu X, 1; "
          "fence.sc.gpu; rmw.add.acquire.gpu X, 2; fence.sc.gpu; rmw.xor.acquire.gpu X, 3");
    check(REF "int r = f.exchange(1); f.fetch_max(2, cuda::memory_order_acq_rel);",
          "fence.sc.gpu; r = rmw.exch.acquire.gpu X, 1; rmw.max.acq_rel.gpu X, 2");
}

static void compare_exchanges(void **state) {
    (void)state;
    check(REF "int e = 0; if (f.compare_exchange_strong(e, 1, cuda::memory_order_acquire)) Y = e;",
          "e = 0; t$1 = rmw.cas.acquire.gpu X, e, 1; t$2 = t$1 == e; e = t$1; if (t$2) {store.bare Y, e}");
    check(REF "int e = 0; f.compare_exchange_weak(e, 1);",
          "e = 0; fence.sc.gpu; t$1 = rmw.cas.acquire.gpu X, e, 1; t$2 = t$1 == e; e = t$1");
    check(REF
          "int e = 0; f.compare_exchange_weak(e, 1, cuda::memory_order_release, cuda::memory_order_acquire);",
          "e = 0; t$1 = rmw.cas.acq_rel.gpu X, e, 1; t$2 = t$1 == e; e = t$1");
    check(REF
          "int e = 0; f.compare_exchange_weak(e, 1, cuda::memory_order_relaxed, cuda::memory_order_relaxed);",
          "e = 0; t$1 = rmw.cas.relaxed.gpu X, e, 1; t$2 = t$1 == e; e = t$1");
}

static void scopes_of_references(void **state) {
    (void)state;
    check("cuda::atomic_ref<int> f{a[tid]}; f.fetch_and(1, cuda::memory_order::release);",
          "rmw.and.release.sys a[tid], 1");
    check("cuda::std::atomic_ref f(a[1]); f.fetch_or(1, std::memory_order_relaxed);",
          "rmw.or.relaxed.sys a[1], 1");
    check("cuda::atomic_ref<int, cuda::thread_scope_block>(X).fetch_sub(1, cuda::memory_order_relaxed);",
          "rmw.sub.relaxed.cta X, 1");
    check("int r = cuda::atomic_ref<int, cuda::thread_scope_system>{X}.load(cuda::memory_order_relaxed);",
          "r = load.relaxed.sys X");
    check("int k = X; cuda::atomic_ref<int> f(a[k]); k = 2; f.store(1, cuda::memory_order_relaxed);",
          "k = load.bare X; t$1 = k; k = 2; store.relaxed.sys a[t$1], 1");
    check("{ cuda::atomic_ref<int> f(X); f.store(1, cuda::memory_order_relaxed); } int f = 2;",
          "store.relaxed.sys X, 1; f = 2");
    check("cuda::atomic_thread_fence(cuda::memory_order_acquire, cuda::thread_scope_block); "
          "cuda::atomic_thread_fence(cuda::memory_order_seq_cst); "
          "cuda::atomic_thread_fence(cuda::memory_order_relaxed); "
          "cuda::std::atomic_thread_fence(cuda::std::memory_order_release);",
          "fence.acq_rel.cta; fence.sc.sys; fence.acq_rel.sys");
}

static void atomics_of_nvcc(void **state) {
    (void)state;
    check("int r = __nv_atomic_load_n(&X, __NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_DEVICE);",
          "r = load.acquire.gpu X");
    check("__nv_atomic_store_n(&a[1], 2, __NV_ATOMIC_SEQ_CST);", "fence.sc.sys; store.relaxed.sys a[1], 2");
    check("__nv_atomic_fetch_min(&X, 2, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_CLUSTER);",
          "rmw.min.relaxed.cluster X, 2");
    check("int e = 3; int ok = __nv_atomic_compare_exchange_n(&X, &e, 4, false, __NV_ATOMIC_ACQ_REL, "
          "__NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_BLOCK);",
          "e = 3; t$2 = rmw.cas.acq_rel.cta X, e, 4; t$3 = t$2 == e; e = t$2; ok = t$3");
    check("__nv_atomic_thread_fence(__NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_DEVICE);", "fence.acq_rel.gpu");
}

static void fences_and_barriers(void **state) {
    (void)state;
    check("fence(); fence(release); fence(); fence(acquire); fence(release);",
          "fence slot 0; fence slot 1; fence slot 0; fence slot 2; fence slot 1");
    check("__threadfence_block(); __threadfence(); __threadfence_system();",
          "fence.sc.cta; fence.sc.gpu; fence.sc.sys");
    check("atomic_thread_fence(acq_rel, cluster); atomic_thread_fence(sc, block);",
          "fence.acq_rel.cluster; fence.sc.cta");
    check("__syncthreads(); __syncwarp(); cluster_sync();",
          "barrier.cta.cta id 0 threads 0; barrier.warp.cta id 0 threads 0; "
          "barrier.cluster.cluster id 0 threads 0");
}

static void short_circuits(void **state) {
    (void)state;
    check("int r = tid && count;", "r = tid && count");
    check("int r = X && tid;", "t$1 = load.bare X; r = t$1 && tid");
    check("int r = X && Y;",
          "t$1 = load.bare X; t$3 = t$1 != 0; if (t$3) {t$2 = load.bare Y; t$3 = t$2 != 0}; r = t$3");
    check("int r = tid || X == 2;",
          "t$2 = tid != 0; if (!t$2) {t$1 = load.bare X; t$2 = t$1 == 2 != 0}; r = t$2");
    check("int r = tid ? X : 5;", "if (tid) {t$1 = load.bare X; t$2 = t$1} else {t$2 = 5}; r = t$2");
    check("int r = tid ? 5 : X;", "if (tid) {t$2 = 5} else {t$1 = load.bare X; t$2 = t$1}; r = t$2");
    check("int r = tid ? 1 : 5;", "r = tid ? 1 : 5");
}

static void pasted_words(void **state) {
    (void)state;
    check("int r = X; if (r) return; Y = 1;",
          "loop(1) {r = load.bare X; if (r) {break}; store.bare Y, 1; break}");
    check(
        "while (X) { if (Y) return; }",
        "loop(1) {t$2 = 0; loop {t$0 = load.bare X; if (!t$0) {break}; t$1 = load.bare Y; if (t$1) {t$2 = 1; "
        "break}}; if (t$2) {break}; break}");
    check("\n      #define FULL_MASK 0xffffffff // all\n      #define N (2 + M)\n      #define M 3\n      "
          "#define EMPTY\n      unsigned r = FULL_MASK; EMPTY X = N * M;",
          "r = 4294967295u; store.bare X, (2 + 3) * 3");
    check("int r = tid ? ::atomicAdd(&X, 1) : 0; ::__threadfence();",
          "if (tid) {t$1 = rmw.add.relaxed.gpu X, 1; t$2 = t$1} else {t$2 = 0}; r = t$2; fence.sc.gpu");
    check("for (;;) { if (X == 1) break; Y = 1; }",
          "loop {t$0 = load.bare X; if (t$0 == 1) {break}; store.bare Y, 1}");
    check("auto r = static_cast<unsigned>(X); const auto s = r; constexpr int N = 2; X = N + s;",
          "t$0 = load.bare X; r = (unsigned)t$0; s = r; N = 2; store.bare X, (int)((unsigned)N + s)");
    check("cuda::atomic<int, cuda::thread_scope_device> X; X.store(1, cuda::memory_order_release); int r = "
          "X.load(cuda::memory_order_relaxed); Y = r;",
          "store.release.gpu X, 1; r = load.relaxed.gpu X; store.bare Y, r");
    check("__nv_atomic_add(&X, 1, __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_DEVICE);",
          "rmw.add.release.gpu X, 1");
}

static void jumps_to_labels(void **state) {
    (void)state;
    check("int r = X; if (r) goto out; Y = 1; out: X = 2;",
          "r = load.bare X; loop(1) {if (r) {break}; store.bare Y, 1; break}; store.bare X, 2");
    check("again: int r = X; if (r) goto again; Y = r;",
          "loop {r = load.bare X; if (r) {continue}; break}; store.bare Y, r");
    check("int r; again: r = X; if (r == 1) goto out; if (r) goto again; Y = 1; out: Y = 2;",
          "loop(1) {t$1 = 0; loop {r = load.bare X; if (r == 1) {t$1 = 1; break}; if (r) {continue}; break}; "
          "if (t$1) {break}; store.bare Y, 1; break}; store.bare Y, 2");
    check("again: X = 1; while (Y) { if (X) goto again; }",
          "loop {store.bare X, 1; t$2 = 0; loop {t$0 = load.bare Y; if (!t$0) {break}; t$1 = load.bare X; if "
          "(t$1) {t$2 = 1; break}}; if (t$2) {continue}; break}");
    check("for (int i = 0; i < 2; i++) { if (X) goto next; if (Y) break; X = i; next: ; }",
          "i = 0; loop(2) {if (!(i < 2)) {break}; t$3 = 0; loop(1) {t$1 = load.bare X; if (t$1) {break}; t$2 "
          "= load.bare Y; if (t$2) {t$3 = 1; break}; store.bare X, i; break}; if (t$3) {break}} step {i = i "
          "+ 1}");
    check("a: X = 1; b: Y = 1; if (X) goto a; if (Y) goto b; X = 2; goto c; X = 3; c:",
          "loop {store.bare X, 1; t$2 = 0; loop {store.bare Y, 1; t$0 = load.bare X; if (t$0) {t$2 = 1; "
          "break}; t$1 = load.bare Y; if (t$1) {continue}; break}; if (t$2) {continue}; break}; store.bare "
          "X, 2; loop(1) {break; store.bare X, 3; break}");
    check("int r; if (X) goto a; if (Y) goto b; X = 1; a: X = 2; b: X = 3;",
          "loop(1) {t$3 = 0; loop(1) {t$1 = load.bare X; if (t$1) {break}; t$2 = load.bare Y; if (t$2) {t$3 "
          "= 1; break}; store.bare X, 1; break}; if (t$3) {break}; store.bare X, 2; break}; store.bare X, 3");
    check("do { switch (X) { case 1: goto again; case 2: if (Y) goto done; continue; } Y = 1; again: ; } "
          "while (X); done:",
          "loop(1) {t$5 = 0; loop {t$3 = 0; t$5 = 0; loop(1) {t$0 = load.bare X; t$1 = t$0; if (t$1 == 1) "
          "{break} else {if (t$1 == 2) {t$2 = load.bare Y; if (t$2) {t$5 = 1; break}; t$3 = 1; break}}; "
          "store.bare Y, 1; break}; if (t$5) {break}; if (t$3) {continue}} step {t$4 = load.bare X; if "
          "(!t$4) {break}}; if (t$5) {break}; break}");
}

static void branches_and_loops(void **state) {
    (void)state;
    check("if (X == 1) Y = 1; else if (tid) Y = 2; else { Y = 3; }",
          "t$0 = load.bare X; if (t$0 == 1) {store.bare Y, 1} else {if (tid) {store.bare Y, 2} else "
          "{store.bare Y, 3}}");
    check("while (X == 0);", "loop {t$0 = load.bare X; if (!(t$0 == 0)) {break}}");
    check("while (!atomicCAS(&X, 0, 1)) Y = 1;",
          "loop {t$0 = rmw.cas.relaxed.gpu X, 0, 1; if (t$0) {break}; store.bare Y, 1}");
    check("while (true) { X = false; break; }", "loop {store.bare X, 0; break}");
    check("while (1) { if (X) ; else break; }", "loop {t$0 = load.bare X; if (t$0) {} else {break}}");
    check("while (1) { if (X) break; continue; }", "loop {t$0 = load.bare X; if (t$0) {break}; continue}");
    check("int r; do { r = X; if (r == 2) continue; Y = r; } while (r == 0);",
          "loop {r = load.bare X; if (r == 2) {continue}; store.bare Y, r} step {if (!(r == 0)) {break}}");
    check("do ; while (X);", "loop {} step {t$0 = load.bare X; if (!t$0) {break}}");
    check("for (int i = X; i < 3; i = X) Y = i;",
          "i = load.bare X; loop {if (!(i < 3)) {break}; store.bare Y, i} step {i = load.bare X}");
    check("int n = X; for (int i = 0; i < n; i++) if (Y) continue;",
          "n = load.bare X; i = 0; loop {if (!(i < n)) {break}; t$2 = load.bare Y; if (t$2) {continue}} step "
          "{i = i + 1}");
    check("int r; for (; (r = X) == 0;) ;", "loop {r = load.bare X; if (!(r == 0)) {break}}");
    check("for (int i = 0; i < 3; i++) a[i] = 1;",
          "i = 0; loop(3) {if (!(i < 3)) {break}; store.bare a[i], 1} step {i = i + 1}");
    check("for (int i = 8; i; i >>= 1) X = i;",
          "i = 8; loop(4) {if (!i) {break}; store.bare X, i} step {i = i >> 1}");
    check("for (int i = tid; i < 4; i += count) ;",
          "i = tid; loop(2) {if (!(i < 4)) {break}} step {i = i + count}");
    check("for (int i = tid; i < 4; i++) ;", "i = tid; loop(4) {if (!(i < 4)) {break}} step {i = i + 1}");
    check("for (int i = 0; i < 10000; i++) ;",
          "i = 0; loop(10000) {if (!(i < 10000)) {break}} step {i = i + 1}");
    check("for (int i = 0, j = 9; i < j; i++, j--) ;",
          "i = 0; j = 9; loop(5) {if (!(i < j)) {break}} step {i = i + 1; j = j - 1}");
    check("for (int i = 0; i < 0; i++) X = 1;",
          "i = 0; loop(0) {if (!(i < 0)) {break}; store.bare X, 1} step {i = i + 1}");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_and_writes),     cmocka_unit_test(registers),
        cmocka_unit_test(operations),           cmocka_unit_test(fences_and_barriers),
        cmocka_unit_test(atomic_refs),          cmocka_unit_test(compare_exchanges),
        cmocka_unit_test(scopes_of_references), cmocka_unit_test(atomics_of_nvcc),
        cmocka_unit_test(short_circuits),       cmocka_unit_test(jumps_to_labels),
        cmocka_unit_test(branches_and_loops),   cmocka_unit_test(pasted_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
