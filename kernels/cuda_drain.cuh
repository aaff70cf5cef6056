/* culitmus: waits for engines that signal their end to an mbarrier only, and belong to no group.
 *
 * A test may leave such an engine running, or wait for it in vain. But they must all have ended before the
 * memory of the instance is used again. So each thread keeps an account, in registers, of what it does to the
 * mbarriers that engines signal. Behind its last operation it adds the account to the two words behind the
 * mbarrier. When all threads have left the instance, one of them completes the phase: it makes up for bytes
 * that nobody expected or that never come, and for arrivals that are missing. Then the phase ends when the
 * last engine ends.
 *
 * In a cluster, an engine may signal the mbarrier of another block, and a thread may arrive there. Then each
 * thread keeps an account for the mbarrier of each rank, one behind the other. No block uses its memory again
 * before all blocks have completed their phases, because an engine may read the memory of its own block and
 * signal another block. */
enum { OPENS = 1, CLOSES = 2, EXPECTS = 4, COMPLETES = 8, ARRIVES = 16, DROPS = 32, RAISES = 64 }; /* as in litmus/ops.h */

/* `count` has three fields, from its low bits on: the arrivals; how many arrivals each phase waits for; and
 * how often something was done after which the account is not known. */
struct account {
    int bytes; /* bytes that were expected, minus bytes that were completed */
    unsigned count;
};
enum {
    ACCOUNT_EXPECTED = 16,
    ACCOUNT_UNKNOWN = 28,
    DRAIN_BYTES = 1 << 19,  /* more than any account has */
    DRAIN_CYCLES = 1 << 20, /* more than any copy takes */
};

/* Adds what an operation does to the mbarrier of a phase: the flags `does`, by the amount v. */
ROLE void account_one(struct account *a, int does, unsigned v)
{
    if (does & EXPECTS) a->bytes += v;
    if (does & COMPLETES) a->bytes -= v;
    if (does & ARRIVES && !(does & RAISES)) a->count += does & EXPECTS ? 1 : v;
    if (does & OPENS) a->count += v < 1u << (ACCOUNT_UNKNOWN - ACCOUNT_EXPECTED) ? v << ACCOUNT_EXPECTED : 1u << ACCOUNT_UNKNOWN;
    if (does & (CLOSES | DROPS)) a->count += 1u << ACCOUNT_UNKNOWN;
}

/* The same for element k of an array, or of the arrays of all ranks. Registers cannot be indexed, so all
 * elements are compared with k. */
template <int N> ROLE void account(struct account (&all)[N], int k, int does, unsigned v)
{
#pragma unroll
    for (int n = 0; n < N; n++)
        if (n == k) account_one(&all[n], does, v);
}

/* The harness's own operations on an mbarrier. */
ROLE void add_plain(shared_loc p, int v);
ROLE void mbarrier_make_up(shared_loc b, unsigned expected, unsigned completed);
ROLE void mbarrier_come(shared_loc b, unsigned arrivals);
ROLE bool mbarrier_has_ended(shared_loc b, unsigned parity);

template <int N> ROLE void account_add(struct run *run, shared_loc b, int count, const struct account (&all)[N])
{
#pragma unroll
    for (int n = 0; n < N; n++) {
        shared_loc p = at(run, b, n % count, count);
        if (N > count) p = in_cluster(p, n / count);
        if (all[n].bytes) add_plain(word_of(p, 2), all[n].bytes);
        if (all[n].count) add_plain(word_of(p, 3), (int)all[n].count);
    }
}

/* Waits for the end of a phase; false when it does not come. */
ROLE bool drain_phase(shared_loc b, unsigned phase, long long deadline)
{
    while (!mbarrier_has_ended(b, phase & 1))
        if (clock64() > deadline) return false;
    return true;
}

ROLE bool drain_unknown()
{
    for (long long began = clock64(); clock64() - began < DRAIN_CYCLES;) {}
    return true;
}

/* Waits for the engines that signal an mbarrier; false when that takes too long. The current phase has had
 * some of its arrivals. If it has had all, it waits for bytes only, or it has ended and the next phase has
 * had none. Making up for bytes ends with a completion, because an expectation alone need not end a phase. */
ROLE bool drain_one(const struct run *run, shared_loc b)
{
    int bytes = load_plain(word_of(b, 2));
    unsigned count = (unsigned)load_plain(word_of(b, 3)), arrived = count & ((1u << ACCOUNT_EXPECTED) - 1);
    unsigned expected = count >> ACCOUNT_EXPECTED;
    if (!bytes && !count) return true;
    if (expected == 0 || count >> ACCOUNT_UNKNOWN) return drain_unknown();
    long long deadline = clock64() + run->env->wait;
    unsigned phase = arrived / expected, come = arrived % expected;
    if (bytes) mbarrier_make_up(b, (unsigned)(DRAIN_BYTES - bytes), DRAIN_BYTES);
    if (come == 0 && phase > 0 && !drain_phase(b, phase - 1, deadline)) return false;
    mbarrier_come(b, expected - come);
    return drain_phase(b, phase, deadline);
}

ROLE void account_begin(struct run *run, shared_loc b, int n)
{
    for (int k = 0; k < n; k++) {
        store_plain(word_of(at(run, b, k, n), 2), 0);
        store_plain(word_of(at(run, b, k, n), 3), 0);
    }
}

ROLE bool drain_all(struct run *run, shared_loc b, int n)
{
    bool ended = true;
#pragma unroll 1
    for (int k = 0; k < n; k++) ended = drain_one(run, at(run, b, k, n)) && ended;
    return ended;
}
