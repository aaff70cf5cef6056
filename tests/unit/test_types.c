/* Bodies and conditions with types: where C converts, there is a cast. */
#include "../ints.h"
#include "../recorded.h"
#include "cm.h"
#include "dump.h"
#include "lower/calls.h"
#include "model/model.h"
#include "source/read.h"

/* Checks that `body`, beside locations of several types, is lowered to `want`. */
static void check(const char *body, const char *want) {
    dump_check_body("name: T\nmemory:\n  {X: 0, W: {type: uint64_t}, c: {type: uint8_t}, f: {type: float},\n"
                    "   v: {type: int4}, l: {type: longlong2, count: 2}}\nthreads:\n  T0:\n    body: |\n",
                    body, want);
}

static void registers_have_types(void **state) {
    (void)state;
    check("uint64_t r = W;", "r = load.bare W");
    check("unsigned long long r = W; unsigned int s = 1, t = s;", "r = load.bare W; s = 1u; t = s");
    check("int r = W;", "t$1 = load.bare W; r = (int)t$1");
    check("const int r = 1; int const s = r; bool b = r;", "r = 1; s = r; b = (bool)r");
    check("auto r = W; auto s = 1 + r; auto u = c;",
          "t$0 = load.bare W; r = t$0; s = 1ull + r; t$3 = load.bare c; u = t$3");
    check("short r = 1; r += 1;", "r = 1; r = (int16_t)((int)r + 1)");
}

static void operands_are_converted(void **state) {
    (void)state;
    check("W = X;", "t$0 = load.bare X; store.bare W, (uint64_t)t$0");
    check("W = 1; c = 255; X = 0xffffffff;", "store.bare W, 1ull; store.bare c, 255; store.bare X, -1");
    check("X = (int) W;", "t$0 = load.bare W; store.bare X, (int)t$0");
    check("X = (int) 4294967297 + (uint8_t) 257;", "store.bare X, 1 + 1");
    check("uint64_t r = 1ull << 32 | X;", "t$1 = load.bare X; r = 1ull << 32 | (uint64_t)t$1");
    check("int r = c + c;", "t$1 = load.bare c; t$2 = load.bare c; r = (int)t$1 + (int)t$2");
    check("int r = c << W;", "t$1 = load.bare c; t$2 = load.bare W; r = (int)t$1 << t$2");
    check("int r = 1; X = r < 2u;", "r = 1; store.bare X, (unsigned)r < 2u");
    check("int r = 1; X = r ? 1 : 2u;", "r = 1; store.bare X, (int)(r ? 1u : 2u)");
    check("int r = 1; f = r; X = f > 1.5f;",
          "r = 1; store.bare f, (float)r; t$1 = load.bare f; store.bare X, t$1 > 1.5f");
    check("X = -c; X = !c; X = ~W == 0;",
          "t$0 = load.bare c; store.bare X, -((int)t$0); t$1 = load.bare c; store.bare X, !t$1; "
          "t$2 = load.bare W; store.bare X, ~t$2 == 0ull");
}

static void vectors_have_elements(void **state) {
    (void)state;
    check("int4 r = v; X = r.x + r.w;", "r = load.bare v; store.bare X, r.x + r.w");
    check("v = make_int4(1, X, 3, 4);", "t$0 = load.bare X; store.bare v, make_int4(1, t$0, 3, 4)");
    check("int4 r = v; r.y = 5; r.y++;",
          "r = load.bare v; r = make_int4(r.x, 5, r.z, r.w); r = make_int4(r.x, r.y + 1, r.z, r.w)");
    check("longlong2 r = l[1]; r.x = X;",
          "r = load.bare l[1]; t$1 = load.bare X; r = make_longlong2((int64_t)t$1, r.y)");
    check("X = load(v, relaxed, device).z;", "t$0 = load.relaxed.gpu v; store.bare X, t$0.z");
    check("int4 r = X ? v : make_int4(1, 2, 3, 4);", "t$1 = load.bare X; if (t$1) {t$2 = load.bare v; t$3 = "
                                                     "t$2} else {t$3 = make_int4(1, 2, 3, 4)}; r = t$3");
}

static void atomics_have_the_type_of_their_location(void **state) {
    (void)state;
    check("uint64_t r = atomicAdd(&W, 1);", "r = rmw.add.relaxed.gpu W, 1ull");
    check("atomicCAS(&W, X, -1);",
          "t$0 = load.bare X; rmw.cas.relaxed.gpu W, (uint64_t)t$0, 18446744073709551615ull");
    check("float r = fetch_add(f, 1, relaxed, device);", "r = rmw.add.relaxed.gpu f, 1.0f");
}

/* One thread runs `body`, whose register r is then `want`, by the model's arithmetic. */
static void check_value(const char *body, const char *want) {
    struct arena *a = arena_open();
    struct diag d = {0};
    int n;
    char *file = arena_printf(a,
                              "name: T\nmemory: {X: 7, W: {type: uint64_t, init: 0x100000001}}\nthreads:\n"
                              "  T0: |\n    %s\nexists: X == 7\nobserve: [T0.r]\n",
                              body);
    struct test *t = test_read_text(a, "t.yaml", file, strlen(file), &d);
    assert_non_null(t);
    struct cell *cells = test_cells(t, a, &n);
    struct model_result r;
    assert_true(model_check(model_load(a, "ptx", &d), t, cells, NULL, a, &r, &d));
    assert_int_equal(r.noutcomes, 1);
    char got[VALUE_MAX_TEXT];
    assert_string_equal(value_text(got, t->obs[1].type, r.outcomes[0].values[1]), want);
    diag_free(&d);
    arena_close(a);
}

static void numbers_are_binary_or_have_separators(void **state) {
    (void)state;
    check_value("int r = 0b101 + 0B1'0000 + 1'000;", "1021");
    check_value("unsigned long long r = 0xffff'ffff'0000'0000 + 0b1ull;", "18446744069414584321");
    check_value("auto r = 0b1111'1111'1111'1111'1111'1111'1111'1111;",
                "4294967295"); /* an unsigned, as in C */
    check_value("bool r = 4'294'967'295 > -1 && !(0b11111111111111111111111111111111 > -1);", "1");
    check_value("float r = 1'000.5f + .25f;", "1000.75");
    check_value("int r = 0'17;", "15");
}

static void arrays_of_registers_hold_values(void **state) {
    (void)state;
    check_value("int v[4] = {3, 1, 2}; int r = 0; for (int i = 0; i < 4; i++) { if (v[i] == 1) continue; if "
                "(v[i] == 0) break; r = r * 10 + v[i]; }",
                "32");
    check_value(
        "int v[4] = {3, 1, 2, 0}; for (int i = 0; i < 3; i++) for (int j = 0; j < 3 - i; j++) if (v[j] > "
        "v[j + 1]) { int t = v[j]; v[j] = v[j + 1]; v[j + 1] = t; } int r = v[0]; for (int i = 1; i < 4; "
        "++i) r = r * 10 + v[i];",
        "123");
    check_value("uint8_t v[2] = {255}; v[0]++; v[1] -= 1; int r = v[0] + v[1] + sizeof(v);", "257");
    check_value(
        "int m[2][3] = {{1, 2}, {4, 5, 6}}, r = 0; for (int i = 0; i < 2; i++) for (int j = 2; j >= 0; "
        "j--) r = r * 10 + m[i][j];",
        "21654");
    check_value(
        "int v[3]; for (unsigned i = 0, n = 3; i < n; ++i) v[i] = X << i; int r = v[0] + v[1] + v[2];", "49");
    check_value(
        "int r = 0, v[4]; for (int i = 0; i < 4; i++) { v[i] = X + i; if (v[i] == 9) return; r = v[i]; }",
        "8");
    check_value(
        "int v[4] = {1, 2, 4, 8}, r = 0; for (int i = 0; i < 4; i += 2) { switch (v[i]) { case 1: r += "
        "10; break; default: r += v[i]; } }",
        "14");
}

static void the_model_computes_as_c_does(void **state) {
    (void)state;
    check_value("uint64_t r = W << 31;", "9223372039002259456");
    check_value("uint64_t r = W * W;", "8589934593");
    check_value("int64_t r = X - 8;", "-1");
    check_value("uint64_t r = X - 8;", "18446744073709551615");
    check_value("unsigned r = X - 8;", "4294967295");
    check_value("uint64_t r = X - 8u;", "4294967295");
    check_value("uint8_t r = X - 8;", "255");
    check_value("int r = (int8_t) (X + 121);", "-128");
    check_value("bool r = W;", "1");
    check_value("int r = W >> 32;", "1");
    check_value("float r = X / 2.0f;", "3.5");
    check_value("float r = 1e-1f + 1E+2f * X - 2e0f;", "698.099976");
    check_value("int r = __float_as_int(X * 0.5f);", "1080033280");
    check_value("float r = __int_as_float(1080033280) + __uint_as_float(0x3f800000u);", "4.5");
    check_value("unsigned r = __float_as_uint(-0.0f);", "2147483648");
    check_value("int4 r = make_int4(X, -X, W, 0); r.w = r.x * r.y;", "{7,-7,1,-49}");
    check_value("uint64_t r = atomicMax(&W, 5); r = W + r;", "8589934594");
    check_value("int64_t r = 0; for (int64_t i = 4294967295; i < 4294967298; i++) r += i;", "12884901888");
    check_value("int r = 0; for (int i = 0; i < 40; i++) r = max(r, X + i - 39);", "7");
    check_value("int r = 0; for (int i = 0; i < 40; i++) { int x = X + i - 39; r = x > r ? x : r; }", "7");
    check_value("int r = X == 7 && W == 4294967297;", "1");
    check_value("unsigned r = __funnelshift_l(0x80000001, 1, 33) + __funnelshift_r(1, 3, X - 6);",
                "2147483651");
    check_value("unsigned r = __funnelshift_lc(5, 9, 99) + __funnelshift_rc(1, 70, 32);", "75");
    check_value(
        "int r = (__umulhi(~0u, ~0u) == ~1u) + 2 * (__mulhi(-2, 1 << 30) == -1) + 4 * (__umul64hi(1ull << "
        "63, X) == 3) + 8 * (__mul64hi(-1ll, X) == -1);",
        "15");
    check_value(
        "int r = (__hadd(-3, X - 7) == -2) + 2 * (__rhadd(-3, X - 7) == -1) + 4 * (__uhadd(~0u, ~0u) == "
        "~0u) + 8 * (__urhadd(~0u, X - 7) == 1u << 31);",
        "15");
    check_value(
        "int r = (__mul24(0x1ffffff, X) == -7) + 2 * (__umul24(0x1ffffff, X) == 0xffffffu * 7u) + 4 * "
        "(__sad(INT_MIN, INT_MAX, X) == 6u) + 8 * (__usad(1, X, 2) == 8);",
        "15");
    check_value(
        "char c = 'a'; int r = (c == 97) + 2 * ('\\n' == 10) + 4 * ('\\'' == 39) + 8 * ('\\0' == 0) + 16 * "
        "('\\\\' == 92);",
        "31");
    check_value("float r = fminf(0.f / 0.f, X) + fmaxf(2, 0.f / 0.f) + fabsf(-1.5f) + __fmul_rn(X, 2);",
                "24.5");
    check_value("float n = 0.f / 0.f, r = min(X, n) + max(n, 1.f) + isnan(n);", "9");
    check_value("float i = X / 0.f, n = i - i; int r = isinf(i) + 2 * isinf(-i) + 4 * isinf(n) + 8 * isinf(i "
                "> X) + 16 * "
                "isfinite(-i) + 32 * isfinite(n) + 64 * isfinite(3.4e38f) + 128 * std::isfinite(X * 1e300);",
                "195");
    check_value(
        "double d = INFINITY; int r = isinf(d) + 2 * (-INFINITY < -3.4e38f) + 4 * (max(X, -INFINITY) == X);",
        "7");
    check_value("float r = -INFINITY;", "-inf");
    check_value("long long r = llmin(-1, W) + std::max(X, 3) + umin(-1, 5) + ::abs(-2);", "13");
    check_value("uint64_t r = uint64_t(1) << 40 | int(W) | uint8_t(257);", "1099511627777");
    check_value("int4 r = {X, -1}; r.w = int{3} + int(4.5f);", "{7,-1,0,7}");
    check_value("float2 r{1, 2.5f}; r = float2{r.y};", "{2.5,0}");
    check_value("int r(UINT_MAX == ~0u && INT_MIN < 0 && LLONG_MAX > 0);", "1");
    check_value("using T = uint8_t; typedef T byte; enum { A = 250, B }; int r = byte(B + X);", "2");
    check_value("enum Kind : short { A, B = 5, C }; Kind k = C; int r = sizeof(Kind) * k;", "12");
}

/* Whether a page has a word, by itself. */
static bool names(const char *page, const char *word, size_t len) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    for (const char *s = page + 1; (s = strstr(s, word)); s++)
        if (!strchr(letters, s[-1]) && strspn(s, letters) == len) return true;
    return false;
}

static void functions_are_documented(void **state) {
    (void)state;
    const struct names *functions = &function_names;
    struct text page = recorded_read("../docs/test-format.md");
    int missing = 0;
    assert_true(page.len > 0);
    for (size_t k = 0; k < functions->n; k++) {
        const char *usage = *(const char *const *)((const char *)functions->rows + k * functions->size);
        size_t len = strcspn(usage, "(");
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)len, usage);
        if (names(page.s, name, len)) continue;
        print_error("docs/test-format.md does not name %s, a row of runner/lower/functions.c\n", name);
        missing++;
    }
    assert_int_equal(missing, 0);
    text_free(&page);
}

static void steps_and_references_are_values(void **state) {
    (void)state;
    check_value("int r = X++ + X;", "15");
    check_value("int r = ++X * 2 + X--; r += X;", "31");
    check_value("int &q = X; q = 5; int r = q++ + X;", "11");
    check_value("uint64_t &q = W; q = 1ull << 40; uint64_t r = q-- + atomicAdd(&q, 1);", "2199023255551");
    check_value("int *p = &X; int r = (*p)++ * 10 + *p;", "78");
    check_value("X = 0x40400000; float *p = (float *)&X; float r = *p; *p = r + 1.0f;", "3");
    check_value("*(float *)&X = 2.0f; unsigned r = atomicAdd((unsigned *)(float *)&X, 1u) + X;",
                "2147483649");
    check_value("long long *p = reinterpret_cast<long long *>(&W); *p = -1; uint64_t r = W;",
                "18446744073709551615");
}

static void bits_have_other_types(void **state) {
    (void)state;
    check("float r = 1.5f; X = *(int *)&r;", "r = 1.5f; store.bare X, __float_as_int(r)");
    check("float r = 1; *(unsigned *)&r = 7; reinterpret_cast<int &>(r) += 1;",
          "r = 1.0f; r = 9.80908925e-45f; t$1 = __float_as_int(r) + 1; r = __uint_as_float((unsigned)t$1)");
    check_value("float f = 2.5f; unsigned r = *(unsigned *)&f + *reinterpret_cast<const unsigned *>(&f);",
                "2151677952");
    check_value("float r = __builtin_bit_cast(float, 0x40200000u) + std::bit_cast<float>(0x3f800000);",
                "3.5");
    check_value("unsigned long long r = __builtin_bit_cast(unsigned long long, make_uint2(X, 1));",
                "4294967303");
    check_value("uint4 r = cuda::std::bit_cast<uint4>(make_ulonglong2(W, 1ull << 35));", "{1,1,0,8}");
    check_value("char4 r = __builtin_bit_cast(char4, 0x80402010);", "{16,32,64,-128}");
    check_value("char4 c = {1, 2, 3, -1}; ushort2 r = *(ushort2 *)&c;", "{513,65283}");
    check_value("int4 v = {1, 2, 3, 4}; uint2 r = ((uint2 *)&v)[1];", "{3,4}");
    check_value("int4 r = {1, 2, 3, 4}; ((unsigned char *)&r.z)[1] = X; *(int *)&r.y += 5;", "{1,7,1795,4}");
    check_value("float4 r = {1, 1, 1, 1}; for (int i = 0; i < 4; i++) ((int *)&r)[i] = i << 23;",
                "{0,1.17549435e-38,2.3509887e-38,4.7019774e-38}");
    check_value("uint64_t r = W; reinterpret_cast<int *>(&r)[1] = -1;", "18446744069414584321");
    check_value("unsigned __int128 w = 0; int4 v = {1, 2, 3, 4}; *(int4 *)&w = v; "
                "unsigned r = (unsigned)(w >> 96) * 10 + (unsigned)(w >> 32);",
                "42");
    check_value("int v[2] = {7, 9}; unsigned short r = *(unsigned short *)&v[1];", "9");
    check_value("int v[4] = {1, 2, 3, 4}; int4 r = *(int4 *)v; r.w = ((uint64_t *)&v[2])[-1] >> 32;",
                "{1,2,3,2}");
    check_value("uint16_t v[2][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}}; uint64_t r = *(uint64_t *)v[1];",
                "2251829878849541");
    check_value(
        "int r, v[4]; *reinterpret_cast<int4 *>(&v[0]) = make_int4(X, 2, 3, 4); "
        "*(int2 *)&v[2] = make_int2(v[3], v[2]); (*(uint64_t *)v)++; r = v[0] * 100 + v[2] * 10 + v[3];",
        "843");
    check_value("int4 v[2] = {{1, 2, 3, 4}, {5, 6, 7, 8}}; unsigned r = 0; "
                "for (int i = 0; i < 8; i++) r = r * 8 + ((unsigned *)v)[i] % 8;",
                "2739128");
    check_value("float v[2] = {1, 2}; uint64_t r = *(uint64_t *)v;", "4611686019492741120");
}

static void braces_make_values(void **state) {
    (void)state;
    check("int4 r; r = {1, X}; v = {r.x};", "t$1 = load.bare X; r = make_int4(1, t$1, 0, 0); store.bare v, "
                                            "make_int4(r.x, 0, 0, 0)");
    check_value("int r = (int){4} + (int2){5, 6}.y + (unsigned){};", "10");
    check_value("unsigned long long r = (unsigned long long){1} << 40; r = {r + 1};", "1099511627777");
    check_value("int2 v[2] = {{1, 2}, {3}}; v[1] = {X, 8}; int r = v[1].x * v[1].y + v[0].y;", "58");
    check_value("int4 r = (const int4){1, 2}; r = {r.y, r.x}; X = {9}; r.z = {X};", "{2,1,9,0}");
}

/* Accesses of another width. */
static void places_have_other_types(void **state) {
    (void)state;
    check("X = *(int *)&W; ((uint8_t *)&W)[7] = 1;",
          "t$0 = load.bare W.int; store.bare X, t$0; store.bare W.uint8_t_7, 1");
    check("int *p = (int *)l; p[1] = 2; p[4] = 3;", "store.bare l.int_4[0], 2; store.bare l.int[0 + 1], 3");
    check("int *p = &v.x; p[2] = 1; *(int *)(int2 *)&v.z = 2;", "store.bare v.z, 1; store.bare v.z, 2");
    check("longlong2 r = *(longlong2 *)(unsigned long long *)&v; *(long long *)&v.z = 1;",
          "r = load.bare v.longlong2; store.bare v.int64_t_8, 1ll");
    check("int r = X; ((short *)&W)[1 + 1] = r;", "r = load.bare X; store.bare W.int16_t_4, (int16_t)r");
#define OVER(body, want)                                                                                     \
    dump_check_body("name: T\nmemory: {X: 0, a: {count: 8}, f: {type: float, count: 4}}\nthreads:\n  T0:\n"  \
                    "    body: |\n",                                                                         \
                    body, want)
    OVER("*(int4 *)&a[4] = make_int4(1, 2, 3, 4); int2 r = ((int2 *)a)[3];",
         "store.bare a[4], make_int4(1, 2, 3, 4); r = load.bare a[3 * 2]");
    OVER("int2 *p = (int2 *)a; p++; *p = {1, 2}; int r = p->y + (*(int4 *)a).z;",
         "t$0 = 0; t$0 = t$0 + 1 * 2; store.bare a[t$0], make_int2(1, 2); t$2 = load.bare a[t$0 + 1]; t$3 = "
         "load.bare a[2]; r = t$2 + t$3");
    OVER("uint4 r = *(uint4 *)f; __stcg((float2 *)(f + 2), make_float2(1, 2)); float4 s = __ldcg((float4 "
         "*)f);",
         "r = load.bare f.unsigned[0]; store.weak.cg f[2], make_float2(1.0f, 2.0f); s = load.weak.cg f[0]");
    OVER(
        "int r, s; asm volatile(\"ld.global.v2.s32 {%0, %1}, [%2 + 8];\" : \"=r\"(r), \"=r\"(s) : \"l\"(a));",
        "t$2 = load.weak a[2]; r = t$2.x; s = t$2.y");
}

/* X is 7. */
static void arrays_of_pointers(void **state) {
    (void)state;
    check_value("__shared__ int a[2], b[2]; int *p[3] = {a, &b[1]}; *p[0] = 3; p[1][-1] = X; int r = a[0] * "
                "10 + b[0];",
                "37");
    check_value("__shared__ int a[2], b[2]; int *const p[] = {a, b}; for (int i = 0; i < 2; i++) p[i][1 - i] "
                "= i + 4; "
                "int r = a[1] * 10 + b[0];",
                "45");
    check_value("__shared__ int a[2]; int i = 1, *p[2] = {&a[i], &X}; i = 0; *p[X & 1] += 1; *p[i] = 2; "
                "int r = a[1] * 10 + X;",
                "28");
    check_value("int *p[2] = {&X, nullptr}; int i = X & 1, r = p[i] == nullptr; if (p[i - 1]) r += 2;", "3");
}

/* What a switch over X, which is 7, makes of r. */
static void cases_are_chosen(void **state) {
    (void)state;
    check_value("int r = 0; switch (X) { case 6: r = 1; break; case 7: r = 2; break; default: r = 3; }", "2");
    check_value("int r = 0; switch (X) { default: r = 3; break; case 6: case 8: r = 1; }", "3");
    check_value("int r = 0; switch (X - 1) { case 6: r = 1; case 7: r += 2; break; default: r = 5; }", "3");
    check_value("int r = 0; switch (X) { default: r = 1; case 9: r += 2; break; case 6: r = 7; }", "3");
    check_value("int r = 0; switch (X) { case 9: r = 1; default: r = 2; case 6: r += 4; }", "6");
    check_value("int r = 9; switch (X) { case 7: if (r == 9) break; r = 1; break; default: r = 2; }", "9");
    check_value("int r = 9; switch (X) { case 1: r = 2; }", "9");
    check_value("int r = 0; switch (W) { case 4294967297: r = 1; break; case 1: r = 2; }", "1");
    check_value("int r = 0; for (int i = 0; i < 4; i++) switch (i) { case 1: continue; case 3: break; "
                "default: r += i; }",
                "2");
    check_value("int r = 0; for (int i = 0; i < 4; i++) switch (i) { case 1: r += 1; case 2: for (;;) { "
                "break; } r += 10; }",
                "21");
    check_value("int r = 1; switch (r) { case 1: r = 2; break; case 2: r = 3; break; }", "2");
    check_value("int r = 0; switch (X) { case 7: switch (r) { case 0: r = 4; break; default: r = 5; } r += "
                "1; break; }",
                "5");
    check_value("int r = 1; switch (X) { case 7: return; default: r = 2; }", "1");
}

/* Of what leaves several loops at once, and a loop around a switch. X is 7. */
static void jumps_leave_loops(void **state) {
    (void)state;
    check_value("int r = 1; for (int i = 0; i < 4; i++) { r += i; if (i == 2) return; } r = 100;", "4");
    check_value(
        "int r = 0; for (int i = 0; i < 3; i++) { for (int j = 0; j < 3; j++) { r += 1; if (i == 1 && j == "
        "1) return; } r += 10; } r = 100;",
        "15");
    check_value("int r = 0; while (true) { for (;;) { if (++r == 5) return; } }", "5");
    check_value("int r = 0; do { if (r == 2) return; r++; } while (X); r = 100;", "2");
    check_value("int r = 0; if (X) { while (r < 9) { if (r == 2) return; r++; } } else return; r = 100;",
                "2");
    check_value("int r = 0; switch (X) { case 7: r = 1; case 8: r += 1; return; default: r = 9; } r = 100;",
                "2");
    check_value(
        "int r = 0; for (int i = 0; i < 9; i++) { switch (i) { case 0: r += 1; case 1: continue; case 2: "
        "break; default: return; } r += 10; }",
        "11");
    check_value(
        "int n = 0, k = 0, r = 0; while (k < 4) { k++; switch (k) { case 1: continue; case 2: n += 1; case "
        "3: if (k == 3) break; n += 10; default: n += 100; r = n; if (k == 4) return; } n += 1000; } r = 0;",
        "2211");
    check_value(
        "int n = 0, r = 0; for (int i = 0; i < 3; i++) { for (int j = 0; j < 3; j++) { switch (i) { case 0: "
        "n += 1; case 1: switch (j) { case 0: n += 10; case 1: if (n > 1000) break; continue; } n += 100; "
        "break; case 2: r = n; if (j == 1) return; n += 1000; } } }",
        "1223");
}

static void conditions_know_64_bits(void **state) {
    (void)state;
    static const char *const conditions[][2] = {
        {"W == 0x100000001", "exists W == 4294967297ull"},
        {"r == -1", "exists T0.r == -1"},
        {"v.y == 2 && T0.w.x == 1", "exists v.y == 2 && T0.w.x == 1"},
        {"l[1].y == 5", "exists l[1].y == 5ll"},
        {"(int) W == 1", "exists (int)W == 1"},
    };
    for (size_t i = 0; i < sizeof conditions / sizeof *conditions; i++) {
        struct arena *a = arena_open();
        struct diag d = {0};
        char *file =
            arena_printf(a,
                         "name: T\nmemory: {W: {type: uint64_t}, v: {type: int4},\n"
                         "  l: {type: longlong2, count: 2, init: [[1, 2], [3, 4]]},\n"
                         "  b: {type: bool, count: 2, init: [true, false]}, f: {type: float, init: 1.5f}}\n"
                         "threads: {T0: int r = -1; int4 w = v;}\nexists: %s\n",
                         conditions[i][0]);
        struct test *t = test_read_text(a, "t.yaml", file, strlen(file), &d);
        assert_non_null(t);
        char *got = dump_condition(t);
        assert_string_equal(got, conditions[i][1]);
        free(got);
        assert_int_equal(location_init(&t->locs[2], 1).lo, 3);
        assert_int_equal(location_init(&t->locs[2], 1).hi, 4);
        assert_int_equal(location_init(&t->locs[3], 0).lo, 1);
        assert_int_equal(location_init(&t->locs[3], 1).lo, 0);
        assert_int_equal(location_init(&t->locs[4], 0).lo, 0x3fc00000);
        diag_free(&d);
        arena_close(a);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(registers_have_types),
        cmocka_unit_test(operands_are_converted),
        cmocka_unit_test(vectors_have_elements),
        cmocka_unit_test(atomics_have_the_type_of_their_location),
        cmocka_unit_test(numbers_are_binary_or_have_separators),
        cmocka_unit_test(arrays_of_registers_hold_values),
        cmocka_unit_test(the_model_computes_as_c_does),
        cmocka_unit_test(functions_are_documented),
        cmocka_unit_test(steps_and_references_are_values),
        cmocka_unit_test(arrays_of_pointers),
        cmocka_unit_test(bits_have_other_types),
        cmocka_unit_test(braces_make_values),
        cmocka_unit_test(places_have_other_types),
        cmocka_unit_test(cases_are_chosen),
        cmocka_unit_test(jumps_leave_loops),
        cmocka_unit_test(conditions_know_64_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
