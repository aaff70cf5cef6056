/* The engines of an emulated GPU: they copy, reduce and load for threads, and tell mbarriers. Part of gpu.h, which comes
 * before. */

/* Asynchronous copies, of two kinds of engines: a thread does every second one at once, and the others when it waits for
 * them or ends. */
struct waiting_copy {
    int *to, *from;
    int words, group;
    int width;
    void (*change)(volatile char *, const volatile char *); /* an element; NULL: it is copied */
    int held[4], nheld;                                     /* what was read, and is not yet written */
    int zeros;                                              /* bytes at the end that are not read */
};
enum { COPIES, BULK_COPIES };
static struct copies {
    struct waiting_copy waiting[8];
    int n, group;
    unsigned started;
} copies[1024][2]; /* of each thread of the block */

static inline int copied_word(const struct waiting_copy *c, int k) {
    int bytes = 4 * (c->words - k) - c->zeros; /* that are read, from this word on */
    machine_step();
    if (k < c->nheld) return c->held[k];
    if (bytes <= 0) return 0;
    return read_word(c->from + k) & (bytes < 4 ? (1 << 8 * bytes) - 1 : -1);
}

static inline void copy_now(const struct waiting_copy *c, int first) {
    for (int k = first; k < c->words; k += c->width / 4) {
        int v[2] = {copied_word(c, k), c->width == 8 ? copied_word(c, k + 1) : 0};
        machine_step();
        if (c->change)
            c->change((volatile char *)(c->to + k), (const volatile char *)v);
        else
            __builtin_memcpy(c->to + k, v, (size_t)c->width);
    }
}

static inline void copy_read(struct waiting_copy *c) {
    if (c->nheld) return;
    for (; c->nheld < c->words && c->nheld < 4; c->nheld++)
        c->held[c->nheld] = copied_word(c, c->nheld);
    copy_now(c, c->nheld);
    c->words = c->nheld;
}

static inline void copy_until(int kind, int group, bool reads_only) {
    auto &mine = copies[threadIdx.x][kind];
    int left = 0;
    for (int k = 0; k < mine.n; k++) {
        bool ends = mine.waiting[k].group < group;
        if (ends && !reads_only) {
            copy_now(&mine.waiting[k], 0);
            continue;
        }
        if (ends) copy_read(&mine.waiting[k]);
        mine.waiting[left++] = mine.waiting[k];
    }
    mine.n = left;
}

static inline void copy_start(int kind, int *to, int *from, int bytes, int zeros, int width,
                              void (*change)(volatile char *, const volatile char *) = NULL) {
    auto &mine = copies[threadIdx.x][kind];
    struct waiting_copy c = {to, from, bytes / 4, mine.group, width < 4 ? 4 : width, change, {0}, 0, zeros};
    if (++mine.started & 1 || mine.n == 8)
        copy_now(&c, 0);
    else
        mine.waiting[mine.n++] = c;
}

static inline void copy_async(struct run *, shared_loc to, loc from, int bytes, int zeros, int width) {
    copy_start(COPIES, machine_shared(to.address), from, bytes, zeros, width);
}

/* Engines that tell an mbarrier, perhaps another block's: every second one runs at once, and the others when somebody looks at
 * an mbarrier. */
struct waiting_load {
    struct waiting_copy copy;
    mbarrier told;
};

static inline void load_now(const void *what) {
    struct waiting_load l = *(const struct waiting_load *)what;
    copy_now(&l.copy, 0);
    mbarrier_complete_tx(l.told, 4 * (unsigned)l.copy.words, __ATOMIC_RELEASE);
}

#define mbarrier_is_over(b, phase, order) (machine_catch_up(), mbarrier_is_over(b, phase, order))

static inline void load_start(struct waiting_load l) {
    static unsigned started;
    if (++started & 1)
        load_now(&l);
    else
        machine_put_off(load_now, &l, sizeof l);
}

static inline void copy_load(struct run *, shared_loc to, loc from, int bytes, int width, mbarrier told) {
    load_start({{machine_shared(to.address), from, bytes / 4, 0, width < 4 ? 4 : width, NULL, {0}, 0, 0}, told});
}

static inline void copy_load(struct run *run, shared_loc to, shared_loc from, int bytes, int width,
                             mbarrier told) {
    copy_load(run, to, machine_shared(from.address), bytes, width, told);
}

/* A load into several blocks, which reads once. */
enum { SPREAD_BLOCKS = 8, SPREAD_WORDS = 1024 };
struct waiting_spread {
    int *to[SPREAD_BLOCKS], *from;
    mbarrier told[SPREAD_BLOCKS];
    int words, width, n;
};

static inline void spread_now(const void *what) {
    struct waiting_spread l = *(const struct waiting_spread *)what;
    int held[SPREAD_WORDS];
    struct waiting_copy reads = {held, l.from, l.words, 0, l.width, NULL, {0}, 0, 0};
    copy_now(&reads, 0);
    for (int k = 0; k < l.n; k++) {
        struct waiting_load one = {{l.to[k], held, l.words, 0, l.width, NULL, {0}, 0, 0}, l.told[k]};
        load_now(&one);
    }
}

ROLE shared_loc in_cluster(shared_loc s, unsigned rank);

static inline void copy_spread(struct run *, shared_loc to, loc from, int bytes, int width, shared_loc told,
                               int blocks, int, int, int) {
    struct waiting_spread l = {};
    l.from = from, l.words = bytes / 4, l.width = width < 4 ? 4 : width;
    for (unsigned rank = 0; rank < SPREAD_BLOCKS; rank++) {
        if (!(blocks >> rank & 1)) continue;
        l.to[l.n] = machine_shared(in_cluster(to, rank).address);
        l.told[l.n++] = mbarrier_at(in_cluster(told, rank));
    }
    static unsigned started;
    if (++started & 1)
        spread_now(&l);
    else
        machine_put_off(spread_now, &l, sizeof l);
}

template <class V>
static inline void send_change(shared_loc to, V v, int bytes, mbarrier told,
                               void (*change)(volatile char *, const volatile char *)) {
    struct waiting_load l = {
        {machine_shared(to.address), NULL, bytes / 4, 0, bytes == 8 ? 8 : 4, change, {0}, bytes / 4, 0}, told};
    __builtin_memcpy(l.copy.held, &v, sizeof v); /* what its thread gave is read */
    load_start(l);
}

template <class V> static inline void send_store(shared_loc to, V v, int bytes, mbarrier told) {
    send_change(to, v, bytes, told, NULL);
}

static inline void copy_change(struct run *, shared_loc to, shared_loc from, int bytes, int width,
                               mbarrier told, void (*change)(volatile char *, const volatile char *)) {
    load_start(
        {{machine_shared(to.address), machine_shared(from.address), bytes / 4, 0, width, change, {0}, 0, 0},
         told});
}

static inline void store_zeros(shared_loc to, int bytes, int) {
    for (int k = 0; k < bytes / 4; k++)
        write_word(machine_shared(to.address) + k, 0);
}

static inline void copy_bulk(struct run *, loc to, shared_loc from, int bytes, int width) {
    copy_start(BULK_COPIES, to, machine_shared(from.address), bytes, 0, width);
}

static inline void copy_reduce(struct run *, loc to, shared_loc from, int bytes, int width,
                               void (*change)(volatile char *, const volatile char *)) {
    copy_start(BULK_COPIES, to, machine_shared(from.address), bytes, 0, width, change);
}

static inline void copy_commit(struct run *, int kind) {
    copies[threadIdx.x][kind].group++;
}

static inline void copy_wait(struct run *, int kind, int pending) {
    copy_until(kind, copies[threadIdx.x][kind].group - pending, false);
}

static inline void copy_wait_read(struct run *, int kind, int pending) {
    copy_until(kind, copies[threadIdx.x][kind].group - pending, true);
}

static inline void copies_now(struct run *) {
    copy_until(COPIES, copies[threadIdx.x][COPIES].group + 1, false);
}

static inline void copy_wait_all(struct run *run, int kind) {
    copy_commit(run, kind);
    copy_wait(run, kind, 0);
}

ROLE void copies_end(struct run *run) {
    copy_wait_all(run, COPIES);
}

ROLE void bulk_end(struct run *run) {
    copy_wait_all(run, BULK_COPIES);
}
