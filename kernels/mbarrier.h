/* culitmus: mbarriers in software. From its high bits on, a word of 64 bits has the number of its phase, how many arrivals
 * each phase waits for, how many the present one still waits for, and how many bytes, which may be negative meanwhile.
 * cpu_ops.h, or an emulated GPU, comes before it. */
typedef volatile unsigned long long *mbarrier;

enum {
    MBARRIER_BITS = 20,
    MBARRIER_BYTES_BITS = 21,
    MBARRIER_PHASE = 2 * MBARRIER_BITS + MBARRIER_BYTES_BITS,
    MBARRIER_PHASE_BITS = 64 - MBARRIER_PHASE
};

static ROLE unsigned long long mbarrier_make(unsigned long long phase, unsigned expected, unsigned pending,
                                             int bytes) {
    unsigned long long low = (unsigned)bytes & ((1u << MBARRIER_BYTES_BITS) - 1);
    return phase << MBARRIER_PHASE | (unsigned long long)expected << (MBARRIER_BITS + MBARRIER_BYTES_BITS) |
           (unsigned long long)pending << MBARRIER_BYTES_BITS | low;
}
static ROLE unsigned mbarrier_field(unsigned long long word, int at) {
    return (unsigned)(word >> at) & ((1u << MBARRIER_BITS) - 1);
}
static ROLE int mbarrier_bytes(unsigned long long word) {
    int sign = 1 << (MBARRIER_BYTES_BITS - 1), bytes = (int)(word & ((1u << MBARRIER_BYTES_BITS) - 1));
    return (bytes ^ sign) - sign;
}

static ROLE void mbarrier_init(mbarrier b, unsigned count) {
    __atomic_store_n(b, mbarrier_make(0, count, count, 0), __ATOMIC_RELAXED);
}
/* Counts arrivals and bytes. What expects bytes alone completes no phase. A token: the phase in which it counts, and behind
 * that for how many arrivals the phase waited before. */
static ROLE unsigned long long mbarrier_count(mbarrier b, unsigned arrivals, unsigned dropped, int bytes,
                                              int ends, int order) {
    unsigned long long old = __atomic_load_n(b, __ATOMIC_RELAXED), word;
    do {
        unsigned expected = mbarrier_field(old, MBARRIER_BITS + MBARRIER_BYTES_BITS) - dropped;
        unsigned pending = mbarrier_field(old, MBARRIER_BYTES_BITS) - arrivals;
        int left = mbarrier_bytes(old) + bytes, over = ends && pending == 0 && left == 0;
        unsigned mask = (1u << MBARRIER_BITS) - 1;
        word = mbarrier_make((old >> MBARRIER_PHASE) + (unsigned)over, expected & mask,
                             (over ? expected : pending) & mask, left);
    } while (order == __ATOMIC_RELAXED
                 ? !__atomic_compare_exchange_n(b, &old, word, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED)
                 : !__atomic_compare_exchange_n(b, &old, word, 0, __ATOMIC_RELEASE, __ATOMIC_RELAXED));
    return old >> MBARRIER_PHASE | (unsigned long long)mbarrier_field(old, MBARRIER_BYTES_BITS)
                                       << MBARRIER_PHASE_BITS;
}
static ROLE unsigned mbarrier_pending_count(unsigned long long token) {
    return mbarrier_field(token, MBARRIER_PHASE_BITS);
}
static ROLE unsigned long long mbarrier_arrive(mbarrier b, unsigned n, int order) {
    return mbarrier_count(b, n, 0, 0, 1, order);
}
static ROLE unsigned long long mbarrier_arrive_expect_tx(mbarrier b, unsigned bytes, int order) {
    return mbarrier_count(b, 1, 0, (int)bytes, 1, order);
}
static ROLE unsigned long long mbarrier_arrive_drop(mbarrier b, unsigned n, int order) {
    return mbarrier_count(b, n, n, 0, 1, order);
}
static ROLE void mbarrier_expect_tx(mbarrier b, unsigned bytes, int order) {
    mbarrier_count(b, 0, 0, (int)bytes, 0, order);
}
static ROLE void mbarrier_complete_tx(mbarrier b, unsigned bytes, int order) {
    mbarrier_count(b, 0, 0, -(int)bytes, 1, order);
}
/* Whether the phase of a token, or of a parity, is over: a phase differs from the next in its lowest bit. */
static ROLE int mbarrier_is_over(mbarrier b, unsigned long long phase, int order) {
    unsigned long long word = order == __ATOMIC_RELAXED ? __atomic_load_n(b, __ATOMIC_RELAXED)
                                                        : __atomic_load_n(b, __ATOMIC_ACQUIRE);
    return (word >> MBARRIER_PHASE & 1) != (phase & 1);
}
