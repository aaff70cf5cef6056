/* Structs in bodies: each member is a register or a location, and a function of a struct is read where it is called. */
#include "cm.h"
#include "dump.h"

/* Checks that `body`, beside these locations, is lowered to `want`. */
static void check(const char *body, const char *want) {
    dump_check_body("name: T\nmemory: {X: 0, Y: 0, a: {count: 4}}\nplacements: [block]\nthreads:\n  T0: |\n",
                    body, want);
}

#define P "struct P { int a; unsigned b = 3; }; "
#define D "struct P { int a; unsigned b; }; " /* without a value */

static void members_in_registers(void **state) {
    (void)state;
    check(P "P p = {1, 2}; X = p.a + p.b;", "p.a = 1; p.b = 2u; store.bare X, (int)((unsigned)p.a + p.b)");
    check(P "P p; P q{}; P r = {X}, *s = &r; struct P t = {5, 6}; s->a = t.a;",
          "p.b = 3u; q.a = 0; q.b = 3u; r.a = load.bare X; r.b = 3u; t.a = 5; t.b = 6u; r.a = t.a");
    check(P "P p = {1}, q; q = p; p.a += 2; q.b++; auto r = q; const P &s = p; X = s.b;",
          "p.a = 1; p.b = 3u; q.b = 3u; q.a = p.a; q.b = p.b; p.a = p.a + 2; q.b = q.b + 1u; r.a = q.a; r.b "
          "= q.b; "
          "store.bare X, (int)p.b");
    check(P "P p{1, 2}; p = {(int)p.b, 7}; p = P{p.a};",
          "p.a = 1; p.b = 2u; t$P1.a = (int)p.b; t$P1.b = 7u; p.a = t$P1.a; p.b = t$P1.b; t$P2.a = p.a; "
          "t$P2.b = 3u; "
          "p.a = t$P2.a; p.b = t$P2.b");
    check(P "int p = 1; { P p = {2, 3}; X = p.a; } X = p;",
          "p = 1; p.a = 2; p.b = 3u; store.bare X, p.a; store.bare X, p");
    check(
        P "for (P k = {0, 1}; k.a < 2; k.a++) X = k.b;",
        "k.a = 0; k.b = 1u; loop(2) {if (!(k.a < 2)) {break}; store.bare X, (int)k.b} step {k.a = k.a + 1}");
    check(P "for (P k = {0, 1}; k.a < 2; k.a++, k.b++) ;",
          "k.a = 0; k.b = 1u; loop(2) {if (!(k.a < 2)) {break}} step {k.a = k.a + 1; k.b = k.b + 1u}");
}

static void structs_within_structs(void **state) {
    (void)state;
    check(D
          "struct Q { P p; bool c; P d[2]; int4 v; }; Q q; q.p = {1, 2}; q.d[1].a = q.p.a; q.v.y = 4; P r = "
          "q.p;",
          "t$P1.a = 1; t$P1.b = 2u; q.p.a = t$P1.a; q.p.b = t$P1.b; q.d.a[1] = q.p.a; q.v = make_int4(q.v.x, "
          "4, q.v.z, q.v.w); "
          "r.a = q.p.a; r.b = q.p.b");
    check(D "struct Q { int c; P p; }; Q q = {1, {2}}, r{7, q.p}; P p[2]; int i = 1; P &s = p[1]; s.a = i;",
          "q.c = 1; q.p.a = 2; q.p.b = 0u; r.c = 7; r.p.a = q.p.a; r.p.b = q.p.b; i = 1; p.a[1] = i");
}

static void other_definitions(void **state) {
    (void)state;
    check("typedef struct P_ { int a; int b; } P; P_ p = {.b = 2}; P q = {.a = 1, .b = 3}; class C { public: "
          "int v; "
          "}; using D = C; D d{4}; X = q.a + d.v;",
          "p.a = 0; p.b = 2; q.a = 1; q.b = 3; d.v = 4; store.bare X, q.a + d.v");
    check("struct { int a; } p, *q = &p; q->a = 1; struct S { static constexpr int N = 2; enum class K { U, "
          "V }; "
          "struct T { int t; } t; int8_t c; int64_t l; int *f; int get() const { return N; } }; S s{{}, 1, "
          "2, &a[1]}; X = S::N + "
          "(int)S::K::V;",
          "p.a = 1; N = 2; t$2 = 0; t$3 = t$2 + 1; s.t.t = 0; s.c = 1; s.l = 2ll; store.bare X, N + t$3");
    check(D "struct Q { char c; P p; short s; }; X = sizeof(P) + sizeof(Q); Q q; a[0] = sizeof(q); struct "
            "alignas(16) R "
            "{ int a; int *b; uint64_t c[2]; }; a[1] = sizeof(R);",
          "store.bare X, (int)(8ull + 16ull); store.bare a[0], 16; store.bare a[1], 32");
}

static void structs_within_values(void **state) {
    (void)state;
    check(D "__device__ P make(int v) { return {v, 1}; } __device__ int first(P p) { return p.a; } X = "
            "make(5).a + "
            "first(make(6)) + P{7, 8}.b; while (make(X).a == 0) ;",
          "t$2 = 5; v = t$2; t$P1.a = v; t$P1.b = 1u; t$7 = 6; v = t$7; t$P2.a = v; t$P2.b = 1u; t$4 = "
          "t$P2.a; t$9 = "
          "t$P2.b; p.a = t$4; p.b = t$9; t$10 = p.a; t$P3.a = 7; t$P3.b = 8u; store.bare X, "
          "(int)((unsigned)(t$P1.a + "
          "t$10) + t$P3.b); loop {t$17 = load.bare X; v = t$17; t$P4.a = v; t$P4.b = 1u; if (!(t$P4.a == 0)) "
          "{break}}");
}

static void functions_of_structs(void **state) {
    (void)state;
    check(
        "struct S { int *flag; __device__ void release(int v) { __threadfence(); atomicExch(flag, v); } "
        "int get() const { return atomicAdd(this->flag, 0); } }; S s{&a[1]}; s.release(1); int r = s.get();",
        "t$0 = 1; v = t$0; fence.sc.gpu; rmw.exch.relaxed.gpu a[1], v; t$3 = rmw.add.relaxed.gpu a[1], 0; r "
        "= t$3");
    check("struct C { int a; int b; void add(int n) { a += n; int b = n; this->b = b; } static int two(int "
          "n) { "
          "return n + n; } C swapped() const { return {b, a}; } }; C c = {1, 2}; c.add(3); c = c.swapped(); "
          "C d = "
          "c.swapped(); X = C::two(5);",
          "c.a = 1; c.b = 2; t$2 = 3; n = t$2; c.a = c.a + n; b = n; c.b = b; t$7 = c.a; t$8 = c.b; this.a = "
          "t$7; this.b = t$8; t$C1.a = this.b; t$C1.b = this.a; c.a = t$C1.a; c.b = t$C1.b; t$13 = c.a; t$14 "
          "= c.b; this.a = t$13; this.b = t$14; d.a = this.b; d.b = this.a; t$17 = 5; n = t$17; t$18 = n + "
          "n; store.bare X, t$18");
    check(
        "constexpr int a2 = 9; struct C { int a2; int get() const { return a2; } }; C c = {1}; X = c.get();",
        "a2 = 9; c.a2 = 1; t$2 = c.a2; this.a2 = t$2; t$3 = this.a2; store.bare X, t$3");
}

static void parameters_and_results(void **state) {
    (void)state;
    check(D "__device__ P none(P p) { if (p.a == 0) return p; return {(int)p.b, 1}; } P p = none({1, 2}); p "
            "= none(p);",
          "t$2 = 1; t$3 = 2u; p.a = t$2; p.b = t$3; loop(1) {if (p.a == 0) {p.a = p.a; p.b = p.b; break}; "
          "p.a = (int)p.b; p.b = 1u; break}; t$8 = p.a; t$9 = p.b; p.a = t$8; p.b = t$9; loop(1) {if (p.a == "
          "0) {t$P1.a = p.a; t$P1.b = p.b; break}; t$P1.a = (int)p.b; t$P1.b = 1u; break}; p.a = t$P1.a; p.b "
          "= t$P1.b");
    check(D "__device__ void swap(P &x, P *y) { P t = x; x = *y; *y = t; } P p = {1, 2}, q; swap(p, &q); "
            "swap(q, &q);",
          "p.a = 1; p.b = 2u; t.a = p.a; t.b = p.b; p.a = q.a; p.b = q.b; q.a = t.a; q.b = t.b; t.a = q.a; "
          "t.b = q.b; q.a = q.a; q.b = q.b; q.a = t.a; q.b = t.b");
    check(D
          "__device__ int sum(const P &p) { return p.a + p.b; } __shared__ P s; X = sum(s); X = sum({X, 1});",
          "t$1 = load.bare s.a; t$2 = load.bare s.b; t$0 = (int)((unsigned)t$1 + t$2); store.bare X, t$0; "
          "t$3 = load.bare X; t$4 = 1u; p.a = t$3; p.b = t$4; t$5 = (int)((unsigned)p.a + p.b); store.bare "
          "X, t$5");
}

static void structs_in_shared_memory(void **state) {
    (void)state;
    check(D
          "__shared__ P s; __shared__ P t[2]; s.a = 1; t[X].b = 2; P p = s; t[1] = p; atomicAdd(&t[1].a, 1); "
          "P *q = &s; q->a = 3; int *r = &q->a; *r = 4;",
          "store.bare s.a, 1; t$0 = load.bare X; store.bare t.b[t$0], 2u; p.a = load.bare s.a; p.b = "
          "load.bare s.b; store.bare t.a[1], p.a; store.bare t.b[1], p.b; rmw.add.relaxed.gpu t.a[1], 1; "
          "store.bare s.a, 3; store.bare s.a, 4");
    check("struct S { int flag; void release() { store(flag, 1, release, block); } }; __shared__ S s; "
          "__shared__ S t[2];"
          " s.release(); int i = 1; S &u = t[i]; i = 0; u.release();",
          "store.release.cta s.flag, 1; i = 1; t$index.1 = i; i = 0; t$2 = t$index.1; store.release.cta "
          "t.flag[t$2], 1");
}

/* The same where locations are structs. */
static void check_located(const char *body, const char *want) {
    dump_check_body(
        "name: T\nmemory: {X: 0, s: {type: S, init: {b: 1}}, t: {type: S, count: 2, init: [[3], 0]}}\n"
        "placements: [block]\nthreads:\n  T0: |\n",
        body, want);
}

static void structs_in_memory(void **state) {
    (void)state;
    check_located(
        "struct S { int a; int b; }; s.a = 1; S *p = &t[1], *q = t; p->b = 2; int i = 0; t[i].a = q[1].b; (t "
        "+ "
        "1)->a = 3; s = *t; volatile S *v = t; v->a = 4; atomicAdd(&p->a, 1);",
        "store.bare s.a, 1; store.bare t.b[1], 2; i = 0; t$1 = load.bare t.b[1]; store.bare t.a[i], t$1; "
        "store.bare t.a[1], 3; t$S3.a = load.bare t.a[0]; t$S3.b = load.bare t.b[0]; store.bare s.a, t$S3.a; "
        "store.bare s.b, t$S3.b; store.volatile t.a[0], 4; rmw.add.relaxed.gpu t.a[1], 1");
    check_located(
        "struct alignas(8) S { int a; unsigned b; }; __global__ void k(S *t, S *s) { S r = t[1]; *s = {r.a, "
        "5}; t->b = 6; uint64_t w = *(uint64_t *)s; }",
        "t$whole.1 = load.bare t[1]; r.a = (int)t$whole.1.x; r.b = t$whole.1.y; t$S2.a = r.a; t$S2.b = 5u; "
        "store.bare s, make_uint2((unsigned)t$S2.a, t$S2.b); store.bare t.b[0], 6u; w = load.bare "
        "s.uint64_t");
    check_located(
        "struct alignas(8) S { int a; int b; void set(int v) { a = v; } }; S *p = &s; p->set(2); t[1] = *p; ",
        "t$0 = 2; v = t$0; store.bare s.a, v; t$whole.2 = load.bare s; t$S1.a = t$whole.2.x; t$S1.b = "
        "t$whole.2.y; store.bare t[1], make_int2(t$S1.a, t$S1.b)");
}

static void check_condition(const char *text, const char *names, const char *condition) {
    struct arena *a = arena_open();
    struct diag d = {0};
    const char *file = arena_printf(a,
                                    "name: T\nmemory: {X: 0}\nthreads:\n  T0: |\n    struct Q { int a; int4 "
                                    "v; }; struct R { Q q; int c; };\n"
                                    "    R p = {{1, make_int4(2, 3, 4, 5)}, 6};\n    Q r[2]; r[1].a = 7;\n   "
                                    " __shared__ R s[2]; s[1].q.a = 8;\n"
                                    "  T1: int c = 1;\nexists: %s\n",
                                    text);
    struct test *t = test_read_text(a, "t.yaml", file, strlen(file), &d);
    char *messages = dump_diag(&d);
    assert_string_equal(messages, "");
    dump_check_condition(t, condition, names);
    free(messages);
    diag_free(&d);
    arena_close(a);
}

static void members_in_conditions(void **state) {
    (void)state;
    check_condition("T0.p.q.a == 1 && p.c == 6 && T0.p.q.v.y == 3 && c == 1", "T0.p.q.a T0.p.c T0.p.q.v T1.c",
                    "exists T0.p.q.a == 1 && T0.p.c == 6 && T0.p.q.v.y == 3 && T1.c == 1");
    check_condition("T0.r[1].a == 7 && r[1].a == 7 && s[1].q.a == 8 && p.q.v.x == 2",
                    "T0.r.a[1] s.q.a[1] T0.p.q.v",
                    "exists T0.r.a[1] == 7 && T0.r.a[1] == 7 && s.q.a[1] == 8 && T0.p.q.v.x == 2");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members_in_registers),     cmocka_unit_test(structs_within_structs),
        cmocka_unit_test(other_definitions),        cmocka_unit_test(structs_within_values),
        cmocka_unit_test(functions_of_structs),     cmocka_unit_test(parameters_and_results),
        cmocka_unit_test(structs_in_shared_memory), cmocka_unit_test(structs_in_memory),
        cmocka_unit_test(members_in_conditions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
