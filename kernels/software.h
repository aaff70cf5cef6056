/* culitmus: what C has in common with a GPU that is done in software: CUDA's vectors of integers, and what a reduction
 * makes of two values. cpu_ops.h, or cuda_ops.cuh, comes before it. */
#define VECTORS(name, type)                                                                                  \
    typedef struct {                                                                                         \
        type x, y;                                                                                           \
    } name##2;                                                                                               \
    typedef struct {                                                                                         \
        type x, y, z, w;                                                                                     \
    } name##4;                                                                                               \
    static inline name##2 make_##name##2(type x, type y) {                                                   \
        return (name##2){x, y};                                                                              \
    }                                                                                                        \
    static inline name##4 make_##name##4(type x, type y, type z, type w) {                                   \
        return (name##4){x, y, z, w};                                                                        \
    }
VECTORS(char, signed char)
VECTORS(uchar, unsigned char)
VECTORS(short, short)
VECTORS(ushort, unsigned short)
VECTORS(int, int)
VECTORS(uint, unsigned)
VECTORS(longlong, long long)
VECTORS(ulonglong, unsigned long long)
#undef VECTORS

/* Two values of a reduction. `flip`: the sign bit of signed numbers, which then compare as those without a sign. */
static ROLE unsigned reduce_two(int how, unsigned x, unsigned y, unsigned flip) {
    switch (how) {
    case REDUCE_ADD: return x + y;
    case REDUCE_MIN: return (x ^ flip) < (y ^ flip) ? x : y;
    case REDUCE_MAX: return (x ^ flip) > (y ^ flip) ? x : y;
    case REDUCE_AND: return x & y;
    case REDUCE_OR: return x | y;
    default: return x ^ y;
    }
}
