/* Functions that a body has before its kernel: what their calls become. */
#include "cm.h"
#include "dump.h"

/* Checks that `body`, beside these locations, is lowered to `want`. */
static void check(const char *body, const char *want) {
    dump_check_body(
        "name: T\nmemory: {X: 0, Y: 0, a: {count: 4}, v: {type: int4, count: 2}, w: {type: uint64_t},\n"
        "  s: {count: 4, space: shared}}\nplacements: [block]\nthreads:\n  T0: |\n",
        body, want);
}

static void functions_before_a_kernel(void **state) {
    (void)state;
    check("__device__ int ld(const volatile int *p) { return *p; } int r = ld(&X) + ld(a + 1);",
          "t$1 = load.volatile X; t$2 = load.volatile a[1]; r = t$1 + t$2");
    check("__device__ __forceinline__ void st(int *p, unsigned char c) { *p = c; } __global__ void k(int *a) "
          "{ st(a, "
          "257 + X); st(&a[2], 1); }",
          "t$1 = load.bare X; t$0 = (uint8_t)(257 + t$1); c = t$0; store.bare a[0], (int)c; t$3 = 1; c = "
          "t$3; store.bare a[2], (int)c");
    check(
        "__device__ bool one(int n) { if (n == 1) return true; return false; } if (one(X) && one(Y)) X = 2;",
        "t$0 = load.bare X; n = t$0; loop(1) {if (n == 1) {t$1 = 1; break}; t$1 = 0; break}; t$6 = (int)t$1 "
        "!= 0; if (t$6) {t$3 = load.bare Y; n = t$3; loop(1) {if (n == 1) {t$4 = 1; break}; t$4 = 0; break}; "
        "t$6 = (int)t$4 != 0}; if (t$6) {store.bare X, 2}");
    check("__device__ int find(int *p) { for (int i = 0; i < 4; i++) { if (p[i]) return i; } return -1; } "
          "int i = "
          "find(a);",
          "t$4 = 0; loop(1) {i = 0; loop(4) {if (!(i < 4)) {break}; t$3 = load.bare a[i]; if (t$3) {t$1 = i; "
          "t$4 = 1; break}} step {i = i + 1}; if (t$4) {break}; t$1 = -1; break}; i = t$1");
    check("enum { FREE, HELD }; __device__ void lock(int *l) { while (atomicCAS(l, FREE, HELD)); } "
          "__device__ void "
          "both() { lock(&X); lock(&Y); } both();",
          "FREE = 0; HELD = FREE + 1; loop {t$2 = rmw.cas.relaxed.gpu X, FREE, HELD; if (!t$2) {break}}; "
          "loop {t$3 = rmw.cas.relaxed.gpu Y, FREE, HELD; if (!t$3) {break}}");
    check("__device__ int next(int &c, const int &by, const int &n) { c += by; return c + n; } int q = 1; "
          "int r = "
          "next(X, Y, q + 1);",
          "q = 1; t$2 = q + 1; n = t$2; t$5 = load.bare Y; t$6 = load.bare X; store.bare X, t$6 + t$5; t$7 = "
          "load.bare X; t$3 = t$7 + n; r = t$3");
    check("__device__ int sum(int n) { int r[2] = {1, 2}, t = n; for (int i = 0; i < 2; i++) { if (n == i) "
          "break; t "
          "+= r[i]; } return t; } int t = 4; for (int i = 0; i < 2; i++) { int r[2]; r[i] = sum(t); X = "
          "r[i]; }",
          "t = 4; i = 0; t$4 = t; n = t$4; r[0] = 1; r[1] = 2; t = n; i = 0; loop(1) {if (n == i) {break}; t "
          "= t + r[0]; i = i + 1; if (n == i) {break}; t = t + r[1]; i = i + 1; break} step {break}; t$5 = "
          "t; r[0] = t$5; store.bare X, r[0]; i = i + 1; t$11 = t; n = t$11; r[0] = 1; r[1] = 2; t = n; i = "
          "0; loop(1) {if (n == i) {break}; t = t + r[0]; i = i + 1; if (n == i) {break}; t = t + r[1]; i = "
          "i + 1; break} step {break}; t$12 = t; r[1] = t$12; store.bare X, r[1]; i = i + 1");
    check("__device__ int ld(int *s) { int n; asm volatile(\"ld.acquire.gpu.u32 %0, [%1];\" : \"=r\"(n) : "
          "\"l\"(s)); return n; } int n = ld(s + 2);",
          "n = load.acquire.gpu s[2]; t$1 = n; n = t$1");
}

/* Names that this format has, and nvcc has not, are the functions' where the text has such functions. */
static void functions_of_names_of_the_format(void **state) {
    (void)state;
    check("__device__ int load(volatile int *p) { return *p; } __device__ void fence(int *p) { "
          "__threadfence(); "
          "*p = 1; } fence(&Y); int r = load(a + 1);",
          "fence.sc.gpu; store.bare Y, 1; t$1 = load.volatile a[1]; r = t$1");
    check("__device__ void mbarrier_init(uint64_t *b, int n) { *b = n; } mbarrier_init(&w, 3);",
          "t$0 = 3; n = t$0; store.bare w, (uint64_t)n");
}

/* A parameter that its function does not write is as known as what the call gives. */
static void numbers_in_calls(void **state) {
    (void)state;
    check(
        "__device__ void meet(int id, int n) { asm volatile(\"bar.sync %0, %1;\" :: \"r\"(id), \"r\"(n)); } "
        "__device__ void pair(int k) { meet(k, 32 * k); } pair(2); meet(int(3u), 96);",
        "t$0 = 2; k = t$0; t$2 = k; t$3 = 32 * k; id = t$2; n = t$3; barrier.cta.cta id 2 threads 2; t$6 = "
        "3; "
        "t$7 = 96; id = t$6; n = t$7; barrier.cta.cta id 3 threads 3");
}

/* Addresses in shared memory by functions that real kernels have for them. */
static void addresses_by_functions(void **state) {
    (void)state;
    check("__device__ uint32_t smem(const void *p) { return "
          "static_cast<uint32_t>(__cvta_generic_to_shared(p)); } "
          "__device__ void st(uint32_t to, int n) { asm volatile(\"st.shared.b32 [%0], %1;\" :: \"r\"(to), "
          "\"r\"(n)); } unsigned q = smem(&s[1]); st(q, 1); st(smem(s) + 8, 2); asm volatile(\"st.shared.b32 "
          "[%0], 3;\" :: \"r\"(cute::cast_smem_ptr_to_uint(s + 3)));",
          "t$0 = 1; n = t$0; store.weak s[1], n; t$2 = 2; n = t$2; store.weak s[2], n; store.weak s[3], 3");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_before_a_kernel),
        cmocka_unit_test(functions_of_names_of_the_format),
        cmocka_unit_test(numbers_in_calls),
        cmocka_unit_test(addresses_by_functions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
