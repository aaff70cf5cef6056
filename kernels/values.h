/* culitmus: what floats and integers of 128 bits need, of C and of CUDA. It is part of the tests that have some.
 *
 * Arithmetic on floats rounds each result once, and its only NaN is that of a GPU, whatever machine computes. */
static ROLE unsigned bits_of(float f) {
    union {
        float f;
        unsigned bits;
    } u;
    u.f = f;
    return u.bits;
}
static ROLE float float_of(unsigned bits) {
    union {
        float f;
        unsigned bits;
    } u;
    u.bits = bits;
    return u.f;
}
static ROLE float real(float f) {
    return f == f ? f : float_of(0x7fffffff);
}

#ifdef __CUDA_ARCH__
#define REAL_OPERATOR(name, operator) __f##name##_rn(a, b)
#else
#define REAL_OPERATOR(name, operator) a operator b
#endif
static ROLE float real_add(float a, float b) {
    return real(REAL_OPERATOR(add, +));
}
static ROLE float real_sub(float a, float b) {
    return real(REAL_OPERATOR(sub, -));
}
static ROLE float real_mul(float a, float b) {
    return real(REAL_OPERATOR(mul, *));
}
static ROLE float real_div(float a, float b) {
    return real(REAL_OPERATOR(div, /));
}
#undef REAL_OPERATOR
static ROLE float real_neg(float a) {
    return real(-a);
}

/* An atomic sum in global memory flushes subnormal numbers to zero (PTX ISA, "atom"). */
static ROLE float real_flushed(float f) {
    unsigned bits = bits_of(f);
    return bits & 0x7f800000 ? f : float_of(bits & 0x80000000);
}
static ROLE float real_sum(float a, float b) {
    return real_flushed(real_add(real_flushed(a), real_flushed(b)));
}

/* To an integer: towards zero, and within what it can hold. */
#define REAL_TO(name, type, below, above, least, most)                                                       \
    static ROLE type real_to_##name(float f) {                                                               \
        return f != f ? 0 : f below ? least : f >= above ? most : (type)f;                                   \
    }
REAL_TO(s8, signed char, < -0x1p7f, 0x1p7f, -128, 127)
REAL_TO(u8, unsigned char, <= -1.0f, 0x1p8f, 0, 255)
REAL_TO(s16, short, < -0x1p15f, 0x1p15f, -32768, 32767)
REAL_TO(u16, unsigned short, <= -1.0f, 0x1p16f, 0, 65535)
REAL_TO(s32, int, < -0x1p31f, 0x1p31f, -2147483647 - 1, 2147483647)
REAL_TO(u32, unsigned, <= -1.0f, 0x1p32f, 0, ~0u)
REAL_TO(s64, long long, < -0x1p63f, 0x1p63f, -9223372036854775807ll - 1, 9223372036854775807ll)
REAL_TO(u64, unsigned long long, <= -1.0f, 0x1p64f, 0, ~0ull)

#ifndef __CUDACC__
typedef struct {
    float x, y;
} float2;
typedef struct {
    float x, y, z, w;
} float4;
static inline float2 make_float2(float x, float y) {
    float2 v = {x, y};
    return v;
}
static inline float4 make_float4(float x, float y, float z, float w) {
    float4 v = {x, y, z, w};
    return v;
}
#endif

#ifdef WIDE
typedef __int128 int128;
typedef unsigned __int128 uint128;
REAL_TO(s128, int128, < -0x1p127f, 0x1p127f, (int128)((uint128)1 << 127), (int128)(~(uint128)0 >> 1))
REAL_TO(u128, uint128, <= -1.0f, 2 * 0x1p127f, 0, ~(uint128)0)

#define WIDE_ARITHMETIC(name, type, sign)                                                                    \
    static ROLE type idiv_##name(type a, type b) {                                                           \
        return b == 0 ? 0 : sign && b == (type)-1 ? (type)(0 - (uint128)a) : a / b;                          \
    }                                                                                                        \
    static ROLE type imod_##name(type a, type b) {                                                           \
        return b == 0 || (sign && b == (type)-1) ? 0 : a % b;                                                \
    }                                                                                                        \
    static ROLE type ishl_##name(type a, int b) {                                                            \
        return (type)((uint128)a << (b & 127));                                                              \
    }                                                                                                        \
    static ROLE type ishr_##name(type a, int b) {                                                            \
        return a >> (b & 127);                                                                               \
    }
static ROLE int128 ineg_s128(int128 a) {
    return (int128)(0 - (uint128)a);
}
static ROLE int128 iadd_s128(int128 a, int128 b) {
    return (int128)((uint128)a + (uint128)b);
}
static ROLE int128 isub_s128(int128 a, int128 b) {
    return (int128)((uint128)a - (uint128)b);
}
static ROLE int128 imul_s128(int128 a, int128 b) {
    return (int128)((uint128)a * (uint128)b);
}
WIDE_ARITHMETIC(s128, int128, 1)
WIDE_ARITHMETIC(u128, uint128, 0)
#undef WIDE_ARITHMETIC

#if defined __x86_64__ && !defined __CUDACC__
/* Accesses of 16 bytes. Processors with AVX make one access of an aligned load or store of a vector register
 * (Intel SDM, volume 3, "Guaranteed Atomic Operations"; AMD APM, volume 2, "Access Atomicity"). */
typedef long long wide_register __attribute__((vector_size(16)));
static inline uint128 wide_load_n(const volatile void *p, int order) {
    union {
        wide_register r;
        uint128 v;
    } u;
    __asm__ volatile("movdqa %1, %0" : "=x"(u.r) : "m"(*(const volatile wide_register *)p) : "memory");
    return u.v;
}
static inline void wide_store_n(volatile void *p, uint128 v, int order) {
    union {
        wide_register r;
        uint128 v;
    } u;
    u.v = v;
    __asm__ volatile("movdqa %1, %0" : "=m"(*(volatile wide_register *)p) : "x"(u.r) : "memory");
    if (order == __ATOMIC_SEQ_CST) __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
static inline bool wide_compare_exchange_n(volatile void *p, void *expected, uint128 v, int weak, int order,
                                           int failed) {
    unsigned long long *old = (unsigned long long *)expected;
    bool done;
    __asm__ volatile("lock cmpxchg16b %1"
                     : "=@ccz"(done), "+m"(*(volatile wide_register *)p), "+a"(old[0]), "+d"(old[1])
                     : "b"((unsigned long long)v), "c"((unsigned long long)(v >> 64))
                     : "memory");
    return done;
}
static inline uint128 wide_exchange_n(volatile void *p, uint128 v, int order) {
    uint128 old = wide_load_n(p, order);
    while (!wide_compare_exchange_n(p, &old, v, 0, order, order))
        ;
    return old;
}
#endif
#endif
#undef REAL_TO
