/* culitmus: how those engines of an instance end that only an mbarrier is told of.
 *
 * No group has them. A test may leave one under way, or wait for it in vain; and before its instance's memory is used again
 * they must be done. So each thread keeps an account, in registers, of what it does to the mbarriers that engines tell, and
 * adds it, behind its last operation, to the two words behind the mbarrier. When all threads have left the instance, one
 * completes the phase: it makes up for the bytes that nobody expected or that never come, and for the arrivals that are
 * missing. Then the phase is over when the last engine is.
 *
 * In a cluster an engine may tell the mbarrier of another block, and a thread may arrive there. Then a thread keeps an
 * account for the mbarrier of each rank, one rank's behind the other's; and no block uses its memory again before all blocks
 * have settled theirs, since an engine reads what its own block has and tells another one. */
enum { OPENS = 1, CLOSES = 2, EXPECTS = 4, COMPLETES = 8, ARRIVES = 16, DROPS = 32, RAISES = 64 }; /* as in litmus/ops.h */

/* `count` has the arrivals in its low bits, how many each phase waits for above them, and above these how often something
 * was done by which the account is no longer known. */
struct account {
    int bytes; /* that were expected, without those that come */
    unsigned count;
};
enum {
    ACCOUNT_EXPECTED = 16,
    ACCOUNT_UNKNOWN = 28,
    DRAIN_BYTES = 1 << 19,  /* more than any account has */
    DRAIN_CYCLES = 1 << 20, /* more than any copy takes */
};

/* What `does` to the mbarrier of a phase by so much. */
ROLE void account_one(struct account *a, int does, unsigned v)
{
    if (does & EXPECTS) a->bytes += v;
    if (does & COMPLETES) a->bytes -= v;
    if (does & ARRIVES && !(does & RAISES)) a->count += does & EXPECTS ? 1 : v;
    if (does & OPENS) a->count += v < 1u << (ACCOUNT_UNKNOWN - ACCOUNT_EXPECTED) ? v << ACCOUNT_EXPECTED : 1u << ACCOUNT_UNKNOWN;
    if (does & (CLOSES | DROPS)) a->count += 1u << ACCOUNT_UNKNOWN;
}

/* Of the k-th element of an array, or of the arrays of several ranks. Registers have no indices. */
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

/* Waits for the engines that tell an mbarrier; false when that takes too long. The phase at hand has had some of its arrivals;
 * where it has had all, it waits for bytes, or it has ended and the next one has had none. What makes up for bytes ends with
 * a completion, since an expectation need not end a phase. */
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
