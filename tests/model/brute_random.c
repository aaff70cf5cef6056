/* Random programs. */
#include <stddef.h>

#include "../random.h"
#include "brute.h"

void brute_random_seed(uint64_t to) {
    seed = to;
}

/* Seats the threads from the first on: beside the one before, in a block of its own, or on a GPU of its own. */
void brute_random_seats(struct brute_program *p, bool together) {
    int kind = together ? 0 : pick(4);
    for (int t = 1; t < p->nthreads; t++) {
        int step = kind == 0 ? 0 : kind == 1 ? 1 : pick(3);
        p->block[t] = p->block[t - 1] + (step > 0);
        p->gpu[t] = p->gpu[t - 1] + (step > 1);
    }
}

bool brute_returns_value(const struct brute_op *o) {
    switch (o->kind) {
    case BRUTE_STORE:
    case BRUTE_FENCE:
    case BRUTE_MEET:
    case BRUTE_BARRIER:
    case BRUTE_COPY:
    case BRUTE_COMMIT:
    case BRUTE_EXIT:
    case BRUTE_WAIT: return false;
    case BRUTE_LOAD:
    case BRUTE_ADD:
    case BRUTE_EXCH:
    case BRUTE_SWAP:
    case BRUTE_CAS: break;
    }
    return !o->red;
}

int64_t brute_number(const struct brute_op *o, int value) {
    return o->bytes ? (int64_t)(0x0101010101010101 >> (64 - 8 * o->bytes)) * value : value;
}

bool brute_is_vector(const struct brute_program *p, int loc) {
    return p->vector && loc == 0;
}

/* Earlier operations of the thread that return what they read, which can be stored in `loc`, and one of them; -1:
 * none. */
static int pick_source(const struct brute_program *p, int thread, int op, int loc) {
    int found[BRUTE_MAX_OPS], n = 0;
    for (int k = 0; k < op; k++) {
        bool same = brute_is_vector(p, p->ops[thread][k].loc) == brute_is_vector(p, loc);
        if (brute_returns_value(&p->ops[thread][k]) && same) found[n++] = k;
    }
    return n ? found[pick(n)] : -1;
}

static enum brute_kind random_rmw(void) {
    static const enum brute_kind kinds[] = {BRUTE_ADD, BRUTE_EXCH, BRUTE_CAS};
    return kinds[pick(3)];
}

static struct brute_op random_op(const struct brute_program *p, int thread, int op, int *writes, int *reads,
                                 int *fences) {
    struct brute_op o = {
        .scope = (enum brute_scope)pick(3), .loc = pick(BRUTE_LOCS), .value = 1 + pick(2), .source = -1};
    int kind = pick(10);
    if (kind >= 8 && *writes && *reads) {
        o.kind = random_rmw();
        if (p->vector) o.loc = 1;
        o.expected = pick(3);
        o.order = (enum brute_order)(BRUTE_RELAXED + pick(4));
        o.red = o.kind == BRUTE_ADD && !p->vector && (o.order == BRUTE_RELAXED || o.order == BRUTE_RELEASE) &&
                pick(2);
        --*writes, --*reads;
    } else if (kind >= 6 && *fences) {
        o.kind = BRUTE_FENCE;
        o.order = (enum brute_order)(BRUTE_ACQUIRE + pick(4));
        --*fences;
    } else if (kind >= 3 && *writes) {
        static const enum brute_order of_store[] = {BRUTE_WEAK, BRUTE_RELAXED, BRUTE_RELEASE};
        o.kind = BRUTE_STORE;
        o.order = of_store[pick(3)];
        if (pick(3) == 0) o.source = pick_source(p, thread, op, o.loc);
        o.guarded = o.source >= 0 && pick(2);
        if (o.source >= 0 && !o.guarded && !p->vector) o.use = (enum brute_use)pick(4);
        --*writes;
    } else if (*reads) {
        static const enum brute_order of_load[] = {BRUTE_WEAK, BRUTE_RELAXED, BRUTE_ACQUIRE};
        o.kind = BRUTE_LOAD;
        o.order = of_load[pick(3)];
        --*reads;
    } else {
        o.kind = BRUTE_FENCE;
        o.order = pick(2) ? BRUTE_ACQ_REL : pick(2) ? BRUTE_ACQUIRE : BRUTE_RELEASE;
    }
    return o;
}

static void insert_op(struct brute_program *p, int thread, int at, struct brute_op o) {
    struct brute_op *ops = p->ops[thread];
    for (int k = p->nops[thread]++; k > at; k--) {
        ops[k] = ops[k - 1];
        if (ops[k].source >= at) ops[k].source++;
    }
    ops[at] = o;
}

/* A barrier for all. */
static void add_barriers(struct brute_program *p) {
    for (int t = 0; t < p->nthreads; t++)
        insert_op(p, t, pick(p->nops[t] + 1), (struct brute_op){.kind = BRUTE_BARRIER, .source = -1});
}

static void fill_program(struct brute_program *p, int writes, int reads, int fences) {
    for (int t = 0; t < p->nthreads; t++) {
        p->nops[t] = 1 + pick(p->nthreads > 3 ? 2 : 3);
        for (int k = 0; k < p->nops[t]; k++)
            p->ops[t][k] = random_op(p, t, k, &writes, &reads, &fences);
    }
    if (pick(8)) return;
    add_barriers(p);
}

/* Programs in which threads may exit before a barrier: the threads sit in one block. */
void brute_random_exits(struct brute_program *p) {
    *p = (struct brute_program){.nthreads = 2 + (pick(3) == 0)};
    fill_program(p, 3, 3, 1);
    int barriers = 1 + pick(2);
    while (barriers-- > 0)
        add_barriers(p);
    for (int t = 0; t < p->nthreads; t++) {
        int at = pick(p->nops[t] + 1), source = pick_source(p, t, at, 0);
        if (source >= 0 && p->nops[t] < BRUTE_MAX_OPS)
            insert_op(p, t, at, (struct brute_op){.kind = BRUTE_EXIT, .source = source, .value = pick(3)});
    }
}

void brute_random_program(struct brute_program *p) {
    int size = pick(10);
    *p = (struct brute_program){.nthreads = size < 8 ? 2 + size % 2 : size - 4};
    fill_program(p, size < 8 ? 4 : 3, size < 8 ? 4 : 3, size < 8 ? 3 : 2);
}

/* Fewer accesses: those to x are two. */
void brute_random_vectors(struct brute_program *p) {
    *p = (struct brute_program){.nthreads = 2 + (pick(3) == 0), .vector = true};
    fill_program(p, 3, 3, 2);
}

/* Programs around a message: x is written, then y; y is looked at, then x. Every operation in between is one of
 * those that may, or may not quite, make an order of it. */

static struct brute_op message_op(enum brute_kind kind, enum brute_order order, int loc) {
    return (struct brute_op){.kind = kind,
                             .order = order,
                             .scope = pick(3) ? BRUTE_GPU : (enum brute_scope)pick(3),
                             .loc = loc,
                             .value = 1 + pick(2),
                             .source = -1};
}

static void add_message_op(struct brute_program *p, int thread, struct brute_op o) {
    p->ops[thread][p->nops[thread]++] = o;
}

static void add_message_fence(struct brute_program *p, int thread) {
    if (pick(2))
        add_message_op(p, thread, message_op(BRUTE_FENCE, (enum brute_order)(BRUTE_ACQUIRE + pick(4)), 0));
}

/* An atomic operation on y. */
static struct brute_op message_rmw(void) {
    struct brute_op o = message_op(random_rmw(), BRUTE_RELAXED, 1);
    o.expected = pick(3);
    o.order = (enum brute_order)(BRUTE_RELAXED + pick(4));
    o.red = o.kind == BRUTE_ADD && (o.order == BRUTE_RELAXED || o.order == BRUTE_RELEASE);
    return o;
}

void brute_random_message(struct brute_program *p) {
    *p = (struct brute_program){.nthreads = 2 + (pick(8) == 0)};
    add_message_op(p, 0, message_op(BRUTE_STORE, pick(2) ? BRUTE_WEAK : BRUTE_RELAXED, 0));
    bool rmw = pick(2);
    if (rmw)
        add_message_op(p, 0, message_rmw());
    else
        add_message_fence(p, 0);
    if (!rmw || pick(3))
        add_message_op(p, 0, message_op(BRUTE_STORE, pick(2) ? BRUTE_RELAXED : BRUTE_RELEASE, 1));
    if (pick(3) == 0) add_message_op(p, 0, message_rmw());
    add_message_op(p, 1, pick(3) ? message_rmw() : message_op(BRUTE_LOAD, BRUTE_RELAXED, 1));
    add_message_fence(p, 1);
    if (pick(3) == 0 && brute_returns_value(&p->ops[1][0]))
        add_message_op(p, 1, (struct brute_op){.kind = BRUTE_EXIT, .source = 0, .value = 0});
    if (pick(3) == 0) add_message_op(p, 1, message_op(BRUTE_LOAD, BRUTE_ACQUIRE, 1));
    if (pick(4))
        add_message_op(p, 1, message_op(BRUTE_LOAD, pick(2) ? BRUTE_WEAK : BRUTE_RELAXED, 0));
    else
        add_message_op(p, 1, message_op(BRUTE_STORE, BRUTE_WEAK, 1)); /* takes the message back */
    if (p->nthreads == 3)
        add_message_op(p, 2, pick(2) ? message_rmw() : message_op(BRUTE_STORE, BRUTE_RELAXED, 1));
}

/* Programs around a counter: threads add to x, and what they or others find there decides what they do to y. */

static struct brute_op counter_op(enum brute_kind kind, int loc) {
    struct brute_op o = message_op(kind, pick(4) ? BRUTE_RELAXED : BRUTE_WEAK, loc);
    if (kind == BRUTE_ADD) {
        o.order = pick(3) ? BRUTE_RELAXED : BRUTE_ACQ_REL;
        o.value = 1 + !pick(8);
        if (pick(4)) o.scope = BRUTE_GPU;
    }
    return o;
}

void brute_random_counters(struct brute_program *p) {
    int stores = 2, loads = 2, looks = 1 + pick(2), fences = 3;
    *p = (struct brute_program){.nthreads = 3, .counts = true};
    for (int t = 0; t < p->nthreads; t++) {
        bool adds = t < 2 || pick(2);
        if (stores && pick(2)) {
            add_message_op(p, t, counter_op(BRUTE_STORE, 1));
            stores--;
        }
        if (fences-- > 0) add_message_fence(p, t);
        if (adds) add_message_op(p, t, counter_op(BRUTE_ADD, 0));
        bool guards = !adds && looks ? true : pick(2);
        if (looks && (!adds || pick(3) == 0)) {
            add_message_op(p, t, counter_op(BRUTE_LOAD, 0));
            looks--;
        }
        int last = p->nops[t] - 1;
        if (guards && stores && last >= 0 && brute_returns_value(&p->ops[t][last])) {
            struct brute_op o = counter_op(BRUTE_STORE, 1);
            o.source = last;
            o.guarded = true;
            o.value = pick(4);
            add_message_op(p, t, o);
            stores--;
        }
        if (loads && pick(2)) {
            if (fences-- > 0) add_message_fence(p, t);
            add_message_op(p, t, counter_op(BRUTE_LOAD, 1));
            loads--;
        }
    }
}

/* Programs in which a thread adds to the counter twice, and looks at it between. */
void brute_random_rounds(struct brute_program *p) {
    struct brute_op guarded = counter_op(BRUTE_STORE, 1);
    *p = (struct brute_program){.nthreads = 2, .counts = true};
    add_message_op(p, 0, counter_op(BRUTE_ADD, 0));
    add_message_op(p, 0, counter_op(BRUTE_LOAD, 0));
    if (pick(2)) add_message_fence(p, 0);
    guarded.source = p->nops[0] - 1 - (p->ops[0][p->nops[0] - 1].kind == BRUTE_FENCE);
    guarded.guarded = true;
    guarded.value = 1 + pick(3);
    bool first = pick(2);
    if (first) add_message_op(p, 0, guarded);
    add_message_op(p, 0, counter_op(BRUTE_ADD, 0));
    if (!first) add_message_op(p, 0, guarded);
    if (pick(2)) add_message_op(p, 1, counter_op(BRUTE_LOAD, 1));
    if (pick(2)) add_message_fence(p, 1);
    add_message_op(p, 1, counter_op(BRUTE_ADD, 0));
    if (pick(2)) add_message_op(p, 1, counter_op(BRUTE_LOAD, 1));
}

/* Programs with copies of x to y: both threads sit in one block. */

static struct brute_op plain_op(enum brute_kind kind, int loc) {
    static const enum brute_order of_access[] = {BRUTE_WEAK, BRUTE_RELAXED};
    return message_op(kind, of_access[pick(2)], loc);
}

void brute_random_copies(struct brute_program *p) {
    *p = (struct brute_program){.nthreads = 2};
    bool meet = pick(2);
    int copies = 1 + (pick(3) == 0);
    if (pick(2)) add_message_op(p, 0, plain_op(BRUTE_STORE, pick(2)));
    for (int k = 0; k < copies; k++) {
        add_message_op(p, 0, (struct brute_op){.kind = BRUTE_COPY, .loc = 1, .from = 0, .source = -1});
        if (pick(4)) add_message_op(p, 0, (struct brute_op){.kind = BRUTE_COMMIT, .source = -1});
    }
    if (copies == 1 && pick(3) == 0) add_message_op(p, 0, plain_op(BRUTE_STORE, pick(2)));
    if (pick(4))
        add_message_op(p, 0, (struct brute_op){.kind = BRUTE_WAIT, .pending = pick(3) - 1, .source = -1});
    if (pick(2)) add_message_op(p, 0, plain_op(pick(3) ? BRUTE_LOAD : BRUTE_STORE, pick(2)));
    if (meet && p->nops[0] < BRUTE_MAX_OPS)
        add_message_op(p, 0, (struct brute_op){.kind = BRUTE_BARRIER, .source = -1});
    else
        meet = false;
    if (!meet || pick(2)) add_message_op(p, 1, plain_op(pick(2) ? BRUTE_LOAD : BRUTE_STORE, pick(2)));
    if (meet) add_message_op(p, 1, (struct brute_op){.kind = BRUTE_BARRIER, .source = -1});
    add_message_op(p, 1, plain_op(BRUTE_LOAD, pick(4) > 0));
}

/* Programs of mixed sizes: a message of several accesses to parts of x, which is looked at where it has come. */

static struct brute_op sized_op(enum brute_kind kind, const struct brute_program *p) {
    struct brute_op o = plain_op(kind, 0);
    o.bytes = p->grain << pick(p->grain == 1 ? 4 : p->grain == 2 ? 3 : 2);
    o.at = pick(BRUTE_BYTES / o.bytes) * o.bytes;
    o.value = 1 + pick(2);
    if (pick(4)) o.order = BRUTE_WEAK;
    return o;
}

static struct brute_op sized_write(const struct brute_program *p) {
    struct brute_op o = sized_op(BRUTE_STORE, p);
    if (o.bytes < 4 || pick(3)) return o;
    o.kind = random_rmw();
    o.order = (enum brute_order)(BRUTE_RELAXED + pick(4));
    o.expected = pick(2) * o.value;
    return o;
}

void brute_random_sizes(struct brute_program *p) {
    *p = (struct brute_program){.nthreads = 2 + (pick(4) == 0), .grain = 1 << pick(3)};
    if (p->grain == 1 && pick(2)) p->grain = 4;
    bool message = pick(5) > 0;
    int writes = 1 + pick(2), reads = 1 + (pick(3) == 0);
    while (writes-- > 0)
        add_message_op(p, 0, sized_write(p));
    if (message) {
        add_message_fence(p, 0);
        add_message_op(p, 0, message_op(BRUTE_STORE, pick(4) ? BRUTE_RELEASE : BRUTE_RELAXED, 1));
        add_message_op(p, 1, message_op(BRUTE_LOAD, pick(4) ? BRUTE_ACQUIRE : BRUTE_RELAXED, 1));
        if (pick(5)) add_message_op(p, 1, (struct brute_op){.kind = BRUTE_EXIT, .source = 0, .value = 0});
        add_message_fence(p, 1);
    }
    if (pick(4) == 0) add_message_op(p, 1, sized_write(p));
    while (reads-- > 0)
        add_message_op(p, 1, sized_op(BRUTE_LOAD, p));
    if (p->nthreads == 3) add_message_op(p, 2, pick(2) ? sized_write(p) : sized_op(BRUTE_LOAD, p));
}

/* One that CUDA C has a word for. */
static struct brute_op returning_op(const struct brute_program *p, int thread, int op, int *writes,
                                    int *reads, int *fences) {
    struct brute_op o = random_op(p, thread, op, writes, reads, fences);
    o.red = false;
    return o;
}

/* Programs in which two lanes of a warp give each other a value. */
void brute_random_swaps(struct brute_program *p) {
    *p = (struct brute_program){.nthreads = 2 + (pick(3) == 0)};
    int writes = 4, reads = 4, fences = 1;
    for (int t = 0; t < p->nthreads; t++) {
        p->nops[t] = 1 + pick(2);
        for (int k = 0; k < p->nops[t]; k++)
            p->ops[t][k] = returning_op(p, t, k, &writes, &reads, &fences);
    }
    for (int t = 0; t < 2; t++) {
        int at = p->nops[t], source = pick(4) ? pick_source(p, t, at, 0) : -1;
        insert_op(p, t, at, (struct brute_op){.kind = BRUTE_SWAP, .value = 1 + pick(2), .source = source});
        struct brute_op o = returning_op(p, t, at + 1, &writes, &reads, &fences);
        if (o.kind == BRUTE_STORE && pick(3)) o.source = at;
        add_message_op(p, t, o);
    }
}

/* Programs in which threads meet at a barrier for two or three of them, and may come again. The first does come, so that
 * all sit in one block. */
void brute_random_meetings(struct brute_program *p) {
    *p = (struct brute_program){.nthreads = 3 + (pick(3) == 0)};
    int count = p->nthreads == 3 ? 2 + pick(2) : 2 + pick(3), writes = 3, reads = 3, fences = 1;
    for (int t = 0; t < p->nthreads; t++) {
        p->nops[t] = 1 + (p->nthreads == 3 && pick(2));
        for (int k = 0; k < p->nops[t]; k++)
            p->ops[t][k] = returning_op(p, t, k, &writes, &reads, &fences);
        for (int n = t == 0 || pick(6) ? 1 + (pick(3) == 0) : 0; n > 0; n--)
            insert_op(
                p, t, pick(p->nops[t] + 1),
                (struct brute_op){.kind = BRUTE_MEET, .source = -1, .value = count, .arrives = pick(4) == 0});
    }
}

/* Programs in phases. In each, all accesses to a half of x have one size, or all are of the whole, so that they race with
 * none of another size; but now and then one is. What orders the phases is a barrier, or a message. */

struct phase {
    int low, high; /* the size of the accesses to a half; 8: to the whole */
};

static struct phase random_phase(const struct brute_program *p) {
    if (pick(2)) return (struct phase){8, 8};
    return (struct phase){p->grain << pick(p->grain == 2 ? 2 : 1), p->grain << pick(p->grain == 2 ? 2 : 1)};
}

/* Now and then an addition returns nothing. */
static void make_red(struct brute_op *o) {
    o->red = o->kind == BRUTE_ADD && (o->order == BRUTE_RELAXED || o->order == BRUTE_RELEASE) && pick(2);
}

static struct brute_op phase_op(const struct phase *phase, enum brute_kind kind) {
    static const enum brute_order of_load[] = {BRUTE_WEAK, BRUTE_RELAXED, BRUTE_RELAXED, BRUTE_ACQUIRE},
                                  of_store[] = {BRUTE_WEAK, BRUTE_RELAXED, BRUTE_RELAXED, BRUTE_RELEASE};
    int high = pick(2);
    struct brute_op o = message_op(kind, (kind == BRUTE_LOAD ? of_load : of_store)[pick(4)], 0);
    o.bytes = pick(20) == 0 ? 4 : high ? phase->high : phase->low;
    o.at = o.bytes == 8 ? 0 : 4 * high + pick(4 / o.bytes) * o.bytes;
    o.value = 1 + pick(3);
    if (kind == BRUTE_STORE && o.bytes >= 4 && pick(4) == 0) {
        o.kind = random_rmw();
        o.order = (enum brute_order)(BRUTE_RELAXED + pick(4));
        o.expected = pick(4);
        make_red(&o);
    }
    return o;
}

static void add_phase(struct brute_program *p, const struct phase *phase, int thread, int *writes,
                      int *reads) {
    for (int n = pick(3); n > 0; n--) {
        bool write = *writes > 0 && pick(2);
        if (!write && *reads == 0) return;
        add_message_op(p, thread, phase_op(phase, write ? BRUTE_STORE : BRUTE_LOAD));
        --*(write ? writes : reads);
    }
}

/* The first thread tells the others that it has done its part. */
static void add_message(struct brute_program *p) {
    add_message_fence(p, 0);
    add_message_op(p, 0, message_op(BRUTE_STORE, pick(5) ? BRUTE_RELEASE : BRUTE_RELAXED, 1));
    for (int t = 1; t < p->nthreads; t++) {
        int source = p->nops[t];
        add_message_op(p, t, message_op(BRUTE_LOAD, pick(5) ? BRUTE_ACQUIRE : BRUTE_RELAXED, 1));
        add_message_op(p, t, (struct brute_op){.kind = BRUTE_EXIT, .source = source, .value = 0});
        if (pick(4) == 0) add_message_fence(p, t);
    }
}

void brute_random_views(struct brute_program *p) {
    *p = (struct brute_program){.nthreads = 2 + pick(2), .grain = pick(6) ? 4 : 2};
    int writes = p->grain == 4 ? 4 : 3, reads = p->grain == 4 ? 3 : 2, phases = 2 + (pick(4) == 0);
    bool meet = pick(3);
    for (int k = 0; k < phases; k++) {
        struct phase phase = random_phase(p);
        for (int t = 0; t < p->nthreads && (k || meet || t == 0); t++)
            add_phase(p, &phase, t, &writes, &reads);
        if (k + 1 == phases) return;
        if (meet) {
            for (int t = 0; t < p->nthreads; t++)
                add_message_op(p, t, (struct brute_op){.kind = BRUTE_BARRIER, .source = -1});
        } else if (k == 0) {
            add_message(p);
        }
    }
}

/* Atomic operations of several sizes, and now and then another access. */
void brute_random_atomics(struct brute_program *p) {
    *p = (struct brute_program){.nthreads = 2 + pick(2), .grain = 4};
    for (int t = 0; t < p->nthreads; t++)
        for (int n = 1 + (p->nthreads == 2 && pick(2)); n > 0; n--) {
            struct phase phase = pick(2) ? (struct phase){8, 8} : (struct phase){4, 4};
            struct brute_op o = phase_op(&phase, pick(12) ? BRUTE_STORE : BRUTE_LOAD);
            if (o.kind == BRUTE_STORE && pick(12)) {
                o.kind = random_rmw();
                o.order = (enum brute_order)(BRUTE_RELAXED + pick(4));
                o.expected = pick(4);
                make_red(&o);
            }
            if (pick(3)) o.scope = BRUTE_SYS;
            add_message_op(p, t, o);
        }
}
