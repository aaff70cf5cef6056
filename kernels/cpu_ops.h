/* What a test's operations need of C, for GCC and Clang.
 *
 * Every access is a volatile atomic: the compiler makes exactly one machine access of each, and keeps their order. So
 * a weak access and a volatile one are the same plain load or store, as on a GPU but for its caches. A CPU has no
 * scopes: every scope is the whole machine. */

typedef signed char int8_t;
typedef unsigned char uint8_t;
typedef short int16_t;
typedef unsigned short uint16_t;
typedef long long int64_t;
typedef unsigned long long uint64_t;
#define bool _Bool

typedef volatile int *loc;
typedef volatile int *shared_loc;

#define ROLE inline __attribute__((unused))

/* Arm keeps what depends on a read after it, so a compiler may not take a dependency away: each use of a register is of a
 * value that it does not know, and no two operations are the same text, which it would take out of both branches. */
#if defined(__aarch64__)
#define _use(r)                                                                                              \
    ({                                                                                                       \
        __typeof__(r) _value = (r);                                                                          \
        __asm__ volatile("" : "+m"(_value));                                                                 \
        _value;                                                                                              \
    })
#define _op(number) __asm__ volatile("// op " #number)
#else
#define _use(r)     (r)
#define _op(number) (void)0
#endif

/* Division that cannot trap, shifts by the low five bits; >> of GCC and Clang is arithmetic. */
static ROLE int idiv(int a, int b) {
    return b == 0 ? 0 : b == -1 ? -a : a / b;
}
static ROLE int imod(int a, int b) {
    return b == 0 || b == -1 ? 0 : a % b;
}
static ROLE int ishl(int a, int b) {
    return (int)((unsigned)a << (b & 31));
}
static ROLE int ishr(int a, int b) {
    return a >> (b & 31);
}
/* -fwrapv makes these wrap. */
static ROLE int ineg(int a) {
    return -a;
}
static ROLE int iadd(int a, int b) {
    return a + b;
}
static ROLE int isub(int a, int b) {
    return a - b;
}
static ROLE int imul(int a, int b) {
    return a * b;
}
static ROLE long long ineg_s64(long long a) {
    return -a;
}
static ROLE long long iadd_s64(long long a, long long b) {
    return a + b;
}
static ROLE long long isub_s64(long long a, long long b) {
    return a - b;
}
static ROLE long long imul_s64(long long a, long long b) {
    return a * b;
}
/* The same for other types, which are in the name. */
#define ARITHMETIC(name, type, plain, bits, sign)                                                            \
    static ROLE type idiv_##name(type a, type b) {                                                           \
        return b == 0 ? 0 : sign && b == (type)-1 ? (type)(0 - (plain)a) : a / b;                            \
    }                                                                                                        \
    static ROLE type imod_##name(type a, type b) {                                                           \
        return b == 0 || (sign && b == (type)-1) ? 0 : a % b;                                                \
    }                                                                                                        \
    static ROLE type ishl_##name(type a, int b) {                                                            \
        return (type)((plain)a << (b & (bits - 1)));                                                         \
    }                                                                                                        \
    static ROLE type ishr_##name(type a, int b) {                                                            \
        return a >> (b & (bits - 1));                                                                        \
    }
ARITHMETIC(u32, unsigned, unsigned, 32, 0)
ARITHMETIC(s64, long long, unsigned long long, 64, 1)
ARITHMETIC(u64, unsigned long long, unsigned long long, 64, 0)
#undef ARITHMETIC

static ROLE int popc_u32(unsigned v) {
    return __builtin_popcount(v);
}
static ROLE int popc_u64(unsigned long long v) {
    return __builtin_popcountll(v);
}
static ROLE int clz_u32(unsigned v) {
    return v ? __builtin_clz(v) : 32;
}
static ROLE int clz_u64(unsigned long long v) {
    return v ? __builtin_clzll(v) : 64;
}
static ROLE unsigned brev_u32(unsigned v) {
    unsigned r = 0;
    for (int k = 0; k < 32; k++)
        r |= (v >> k & 1) << (31 - k);
    return r;
}
static ROLE unsigned long long brev_u64(unsigned long long v) {
    return (unsigned long long)brev_u32((unsigned)v) << 32 | brev_u32((unsigned)(v >> 32));
}

/* An index of 64 bits: one that does not fit an int is out of bounds in any case. */
static ROLE int narrow(long long index) {
    return index == (int)index ? (int)index : -1;
}

static ROLE void cpu_pause(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* One more turn of a loop that may have to wait? Once the wait has lasted too long the instance is stuck, and
 * it is no for the rest of it. */
static ROLE int turn(struct cpu_player *run) {
    if (run->fault & FAULT_STUCK) return 0;
    if (++run->turns & (unsigned)(run->patience - 1)) {
        cpu_pause();
        return 1;
    }
    if (run->relax(run)) return 1;
    run->fault |= FAULT_STUCK;
    return 0;
}

/* What is read and written beside the test: its initial and final memory. */
static ROLE int load_plain(loc p) {
    return *p;
}
static ROLE void store_plain(loc p, int v) {
    *p = v;
}

/* The k-th word of an element. */
#define word_of(p, k) ((p) + (k))
/* The byte of an element that a view begins with. */
#define byte_of(p, n) ((loc)((volatile char *)(p) + (n)))

/* The index of an element of an array; outside of it, the instance is at fault and uses the first. */
static ROLE int checked(struct cpu_player *run, int index, int count) {
    if ((unsigned)index < (unsigned)count) return index;
    run->fault |= FAULT_BOUNDS;
    return 0;
}
#define at(run, a, index, count) ((a) + checked(run, index, count) * ELEMENT_WORDS)

/* Instance i's copy of the location whose first element is `e`. */
static ROLE loc cpu_place(const struct cpu_player *run, int e, long i) {
    return (loc)(run->rows[e].base + i * run->rows[e].stride);
}
/* The spaces of a GPU are all one memory; their elements are numbered one space after the other. */
#define global_at(run, set, i, first, elements, gpu) cpu_place(run, first, i)
#define shared_at(run, set, i, first, elements)      cpu_place(run, GLOBAL_ELEMENTS + (first), i)
#define host_at(run, set, i, first, elements)        cpu_place(run, GLOBAL_ELEMENTS + SHARED_ELEMENTS + (first), i)

/* The instance of a block of the test, where each has one. */
#define own_of(a, block, count) ((a) + (block) * (count)*ELEMENT_WORDS)

/* A pause of about so many nanoseconds, of which a busy machine gives up the long ones. */
static ROLE void sleep_for(struct cpu_player *run, unsigned nanoseconds) {
    (void)run;
    for (unsigned k = 0; k < nanoseconds / 32 && k < 64; k++)
        cpu_pause();
}

/* Whether a clock is as far as a test waits for: at about every 64th look, as with a GPU's. */
static ROLE int clock_is_far(struct cpu_player *run) {
    return ++run->looks * 2654435761u >> 26 == 0;
}

/* Asynchronous copies, of two kinds of engines. The thread does them itself: every second one at once, the others when it
 * waits for them or ends, so that its other accesses overtake them. */
struct copy {
    volatile char *to;
    const volatile char *from;
    int bytes, width, group;
    void (*change)(volatile char *to, const volatile char *from); /* an element; NULL: it is copied */
    long long held[2]; /* the first bytes, which were read and are not yet written */
    int nheld;
    int zeros; /* so many bytes at the end are not read: they become 0 */
};
enum { COPIES, BULK_COPIES, MAX_COPIES = 8 };
static _Thread_local struct copies {
    struct copy waiting[MAX_COPIES];
    int n, group;
    unsigned started;
} copies[2];

static ROLE void copy_element(volatile char *to, const volatile char *from, int width) {
    if (width == 1) *to = *from;
    if (width == 2) *(volatile short *)to = *(const volatile short *)from;
    if (width == 4) *(volatile int *)to = *(const volatile int *)from;
    if (width == 8) *(volatile long long *)to = *(const volatile long long *)from;
}
/* Where byte k of what is copied is to be read. */
static ROLE const volatile char *copy_source(const struct copy *c, int k) {
    static const long long zero = 0;
    if (k < c->nheld) return (const char *)c->held + k;
    return k < c->bytes - c->zeros ? c->from + k : (const char *)&zero;
}
/* Does the elements from byte `first` on. */
static ROLE void copy_now(const struct copy *c, int first) {
    for (int k = first; k < c->bytes; k += c->width) {
        const volatile char *from = copy_source(c, k);
        if (c->change)
            c->change(c->to + k, from);
        else
            copy_element(c->to + k, from, c->width);
    }
}
/* Reads the first bytes, and does the others. */
static ROLE void copy_read(struct copy *c) {
    if (c->nheld) return;
    for (; c->nheld < c->bytes && c->nheld < (int)sizeof c->held; c->nheld += c->width)
        copy_element((char *)c->held + c->nheld, copy_source(c, c->nheld), c->width);
    copy_now(c, c->nheld);
    c->bytes = c->nheld;
}
/* Does the copies of all groups before this one; or reads what they copy. */
static ROLE void copy_until(struct copies *all, int group, int reads_only) {
    int left = 0;
    for (int k = 0; k < all->n; k++) {
        int ends = all->waiting[k].group < group;
        if (ends && !reads_only) {
            copy_now(&all->waiting[k], 0);
            continue;
        }
        if (ends) copy_read(&all->waiting[k]);
        all->waiting[left++] = all->waiting[k];
    }
    all->n = left;
}
static ROLE void copy_start(struct copies *all, volatile void *to, const volatile void *from, int bytes,
                            int zeros, int width, void (*change)(volatile char *, const volatile char *)) {
    struct copy c = {
        (volatile char *)to, (const volatile char *)from, bytes, width, all->group, change, {0}, 0, zeros};
    if (++all->started & 1 || all->n == MAX_COPIES)
        copy_now(&c, 0);
    else
        all->waiting[all->n++] = c;
}
#define copy_async(run, to, from, bytes, zeros, width)                                                       \
    copy_start(&copies[COPIES], to, from, bytes, zeros, width, 0)
#define copy_bulk(run, to, from, bytes, width) copy_start(&copies[BULK_COPIES], to, from, bytes, 0, width, 0)
#define copy_reduce(run, to, from, bytes, width, change)                                                     \
    copy_start(&copies[BULK_COPIES], to, from, bytes, 0, width, change)
/* What an mbarrier is told of is done at once: who waits for it may be the thread that would do it later. */
#define copy_load(run, to, from, bytes, width, told)                                                         \
    (copy_now(                                                                                               \
         &(struct copy){                                                                                     \
             (volatile char *)(to), (const volatile char *)(from), bytes, width, 0, 0, {0}, 0, 0},           \
         0),                                                                                                 \
     mbarrier_complete_tx(told, bytes, __ATOMIC_RELEASE))
/* Into the blocks of a mask of ranks, of what is read once. Places of theirs lie behind each other. */
#define copy_spread(run, to, from, bytes, width, told, blocks, block, places, mbarriers)                     \
    ({                                                                                                       \
        long long _held[((bytes) + 7) / 8];                                                                  \
        copy_now(                                                                                            \
            &(struct copy){(char *)_held, (const volatile char *)(from), bytes, width, 0, 0, {0}, 0, 0}, 0); \
        for (int _rank = 0; (blocks) >> _rank; _rank++)                                                      \
            if ((blocks) >> _rank & 1)                                                                       \
                copy_load(run, own_of(to, cluster_step(block, _rank), places), _held, bytes, width,          \
                          mbarrier_at(own_of(told, cluster_step(block, _rank), mbarriers)));                 \
    })
#define send_store(to, v, bytes, told)                                                                       \
    (*(volatile __typeof__(v) *)(to) = (v), mbarrier_complete_tx(told, bytes, __ATOMIC_RELEASE))
#define send_change(to, v, bytes, told, change)                                                              \
    (change((volatile char *)(to), (const volatile char *)&(v)),                                             \
     mbarrier_complete_tx(told, bytes, __ATOMIC_RELEASE))
#define copy_change(run, to, from, bytes, width, told, change)                                               \
    (copy_now(                                                                                               \
         &(struct copy){                                                                                     \
             (volatile char *)(to), (const volatile char *)(from), bytes, width, 0, change, {0}, 0, 0},      \
         0),                                                                                                 \
     mbarrier_complete_tx(told, bytes, __ATOMIC_RELEASE))
static ROLE void store_zeros(volatile void *to, int bytes, int width) {
    static const long long zero = 0;
    for (int k = 0; k < bytes; k += width)
        copy_element((volatile char *)to + k, (const volatile char *)&zero, width);
}
#define copy_commit(run, kind)             ((void)copies[kind].group++)
#define copy_wait(run, kind, pending)      copy_until(&copies[kind], copies[kind].group - (pending), 0)
#define copy_wait_read(run, kind, pending) copy_until(&copies[kind], copies[kind].group - (pending), 1)
#define copy_wait_all(run, kind)           (copy_commit(run, kind), copy_wait(run, kind, 0))

/* Does the copies of a cp.async that are still waiting. */
#define copies_now(run) copy_until(&copies[COPIES], copies[COPIES].group + 1, 0)

static ROLE void copies_done(struct copies *all) {
    copy_until(all, all->group + 1, 0);
    all->group = 0;
}
#define copies_end(run) copies_done(&copies[COPIES])
#define bulk_end(run)   copies_done(&copies[BULK_COPIES])

/* What of an instance is an mbarrier. */
static ROLE volatile unsigned long long *mbarrier_at(volatile void *place) {
    return (volatile unsigned long long *)place;
}

/* What an exchange makes of what the threads give. */
enum {
    SHUFFLE_IDX,
    SHUFFLE_UP,
    SHUFFLE_DOWN,
    SHUFFLE_XOR,
    VOTE_BALLOT,
    VOTE_ANY,
    VOTE_ALL,
    VOTE_UNI,
    VOTE_COUNT,
    MATCH_ANY,
    REDUCE_ADD,
    REDUCE_MIN,
    REDUCE_MAX,
    REDUCE_AND,
    REDUCE_OR,
    REDUCE_XOR
};
