/* culitmus: what real numbers and integers of 128 bits need, of C and of CUDA. It is part of the tests that have some.
 *
 * Arithmetic on floats and doubles rounds each result once, and has one NaN, whatever machine computes: that of a GPU's floats. */
union float_bits {
    float f;
    unsigned bits;
};
static ROLE unsigned bits_of(float f) {
    union float_bits u;
    u.f = f;
    return u.bits;
}
static ROLE float float_of(unsigned bits) {
    union float_bits u;
    u.bits = bits;
    return u.f;
}
union double_bits {
    double f;
    unsigned long long bits;
};
static ROLE unsigned long long bits_of_f64(double f) {
    union double_bits u;
    u.f = f;
    return u.bits;
}
static ROLE double double_of(unsigned long long bits) {
    union double_bits u;
    u.bits = bits;
    return u.f;
}

typedef unsigned short half;
static ROLE unsigned bits_of_b16(half h) {
    return h;
}
static ROLE half half_of(unsigned bits) {
    return (half)bits;
}

#ifdef __CUDA_ARCH__
#define REAL_OPERATOR(letter, name, operator) __##letter##name##_rn(a, b)
#else
#define REAL_OPERATOR(letter, name, operator) a operator b
#endif
#define REAL_ARITHMETIC(type, suffix, letter, nan)                                                           \
    static ROLE type real_one##suffix(type f) {                                                              \
        return f == f ? f : nan;                                                                             \
    }                                                                                                        \
    static ROLE type real_add##suffix(type a, type b) {                                                      \
        return real_one##suffix(REAL_OPERATOR(letter, add, +));                                              \
    }                                                                                                        \
    static ROLE type real_sub##suffix(type a, type b) {                                                      \
        return real_one##suffix(REAL_OPERATOR(letter, sub, -));                                              \
    }                                                                                                        \
    static ROLE type real_mul##suffix(type a, type b) {                                                      \
        return real_one##suffix(REAL_OPERATOR(letter, mul, *));                                              \
    }                                                                                                        \
    static ROLE type real_div##suffix(type a, type b) {                                                      \
        return real_one##suffix(REAL_OPERATOR(letter, div, /));                                              \
    }                                                                                                        \
    static ROLE type real_neg##suffix(type a) {                                                              \
        return real_one##suffix(-a);                                                                         \
    }
REAL_ARITHMETIC(float, , f, float_of(0x7fffffff))
REAL_ARITHMETIC(double, _f64, d, double_of(0x7fffffffffffffff))
#undef REAL_ARITHMETIC
#undef REAL_OPERATOR
static ROLE double real_to_f64(float f) {
    return real_one_f64(f);
}
static ROLE float real_to_f32_f64(double f) {
    return real_one((float)f);
}

/* A half has 10 bits of a fraction and 5 of an exponent. */
static ROLE float real_to_f32_b16(half h) {
    unsigned exponent = h >> 10 & 31, fraction = h & 1023;
    float size =
        (float)(exponent ? 1024 + fraction : fraction) * float_of((exponent ? exponent + 102 : 103) << 23);
    if (exponent == 31) size = float_of(fraction ? 0x7fffffff : 0x7f800000);
    return h & 0x8000 && size == size ? -size : size;
}
/* Rounded to the nearest half; of two, to the even one. Adding 2^28 leaves multiples of 2^-24. */
static ROLE half real_to_b16_f64(double f) {
    unsigned long long bits = bits_of_f64(f), size = bits & 0x7fffffffffffffff;
    unsigned sign = (unsigned)(bits >> 48) & 0x8000, rounded;
    if (f != f) return 0x7fff;
    if (double_of(size) >= 65520) return (half)(sign | 0x7c00);
    if (double_of(size) < 0x1p-14)
        rounded = (unsigned)bits_of_f64(double_of(size) + 0x1p28) & 0x7ff;
    else
        rounded = (unsigned)((size + 0x1ffffffffff + (size >> 42 & 1)) >> 42) - (1008 << 10);
    return (half)(sign | rounded);
}
static ROLE half real_to_b16(float f) {
    return real_to_b16_f64(f);
}
typedef struct {
    half x, y;
} half2;
static ROLE half2 make_half2(half x, half y) {
    half2 v;
    v.x = x;
    v.y = y;
    return v;
}

/* An atomic sum of floats in global memory flushes subnormal numbers to zero (PTX ISA, "atom"). */
static ROLE float real_flushed(float f) {
    unsigned bits = bits_of(f);
    return bits & 0x7f800000 ? f : float_of(bits & 0x80000000);
}
static ROLE float real_sum(float a, float b) {
    return real_flushed(real_add(real_flushed(a), real_flushed(b)));
}
static ROLE double real_sum_f64(double a, double b) {
    return real_add_f64(a, b);
}

/* To an integer: towards zero, and within what it can hold. */
#define REAL_TO_FROM(from, suffix, name, type, below, above, least, most)                                    \
    static ROLE type real_to_##name##suffix(from f) {                                                        \
        return f != f ? 0 : f below ? least : f >= above ? most : (type)f;                                   \
    }
#define REAL_TO(name, type, below, above, least, most)                                                       \
    REAL_TO_FROM(float, , name, type, below, above, least, most)                                             \
    REAL_TO_FROM(double, _f64, name, type, below, above, least, most)
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
    double x, y;
} double2;
typedef struct {
    float x, y, z, w;
} float4;
static inline float2 make_float2(float x, float y) {
    float2 v = {x, y};
    return v;
}
static inline double2 make_double2(double x, double y) {
    double2 v = {x, y};
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
REAL_TO(u128, uint128, <= -1.0f, 0x1p128, 0, ~(uint128)0)

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
#undef REAL_TO_FROM
