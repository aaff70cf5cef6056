/* Draws the programs of engines.h. */
#include "engines.h"

static uint64_t *state;

static int pick(int n) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return (int)(*state >> 33) % n;
}

/* ---- random programs ---- */

static enum scope_of draw_scope(const struct engines_program *p) {
    if (p->layout == ONE_BLOCK) return pick(4) ? OF_BLOCK : OF_DEVICE;
    if (p->layout == ONE_CLUSTER) return pick(4) ? OF_CLUSTER : pick(2) ? OF_BLOCK : OF_DEVICE;
    return pick(5) ? OF_DEVICE : OF_CLUSTER;
}

/* An element that threads access. */
static int draw_element(const struct engines_program *p) {
    return first_element(p) + pick(p->elements);
}

static int draw_block(const struct engines_program *p, int thread) {
    return p->layout == ONE_CLUSTER && pick(2) ? pick(p->nthreads) : block_of(p, thread);
}

static struct deed_of draw_word(const struct engines_program *p, int thread) {
    struct deed_of op = {.reg = -1, .from = -1, .block = block_of(p, thread)};
    int where = p->topic && pick(5) ? p->topic : pick(5);
    if (where == 0) return op;
    op.word = WORD_G + draw_element(p);
    if (where < 3) return op;
    op.block = p->topic && p->layout == ONE_CLUSTER ? 1 : draw_block(p, thread);
    op.word = WORD_S + op.block * ELEMENTS + draw_element(p);
    op.mapped = op.block != block_of(p, thread) || (p->layout == ONE_CLUSTER && pick(8) == 0);
    return op;
}

/* What an earlier access of the thread has read; -1 where there is none. */
static int draw_register(const struct engines_program *p, int thread) {
    int reg = -1;
    for (int k = 0; k < p->nops[thread]; k++) {
        const struct deed_of *op = &p->ops[thread][k];
        if ((op->kind == DO_LOAD || op->kind == DO_ADD) && (reg < 0 || pick(2))) reg = op->reg;
    }
    return reg;
}

static struct deed_of draw_access(struct engines_program *p, int thread, int value) {
    struct deed_of op = draw_word(p, thread);
    bool shared = is_shared(op.word);
    op.kind = pick(2) && p->nregs < MOST_READ ? DO_LOAD : DO_STORE;
    op.scope = draw_scope(p);
    bool strong = op.word == WORD_X ? pick(6) > 0 : !op.mapped && pick(6) == 0;
    if (strong) op.order = pick(3) && !shared ? (op.kind == DO_LOAD ? ACQUIRING : RELEASING) : RELAXED;
    if (op.kind == DO_STORE && pick(5) == 0) op.from = draw_register(p, thread);
    op.value = value;
    if ((op.word == WORD_X || (!op.mapped && pick(2))) && p->nregs < MOST_READ && pick(6) == 0) {
        static const enum order_of orders[] = {RELAXED, ACQUIRING, RELEASING, BOTH_WAYS};
        op.kind = DO_ADD;
        op.from = -1;
        op.order = orders[pick(4)];
    }
    if (op.kind != DO_STORE) op.reg = p->nregs++;
    return op;
}

static struct deed_of draw_fence(const struct engines_program *p) {
    struct deed_of op = {.reg = -1, .from = -1, .kind = pick(3) ? DO_PROXY_FENCE : DO_FENCE};
    op.scope = draw_scope(p);
    if (op.kind == DO_FENCE) {
        op.order = pick(3) ? BOTH_WAYS : TOTAL;
        return op;
    }
    int which = pick(8);
    op.space = which < 4 ? EVERYWHERE : (enum space_of)(which - 4);
    if (op.space == EVERYWHERE && pick(4) == 0) {
        op.order = pick(2) ? ACQUIRING : RELEASING;
        op.scope = OF_CLUSTER;
        op.space = op.order == ACQUIRING ? IN_CLUSTER : IN_BLOCK;
    }
    return op;
}

/* Whether a thread has waited for a phase, so that it may wait for the next one. */
static bool has_spun(const struct engines_program *p, int thread) {
    for (int k = 0; k < p->nops[thread]; k++)
        if (p->ops[thread][k].kind == DO_SPIN) return true;
    return false;
}

/* An operation on an mbarrier. */
static struct deed_of draw_count(struct engines_program *p, int thread) {
    static const enum deed kinds[] = {DO_ARRIVE, DO_ARRIVE, DO_ARRIVE, DO_ARRIVE, DO_TEST,    DO_SPIN,
                                      DO_SPIN,   DO_SPIN,   DO_SPIN,   DO_EXPECT, DO_COMPLETE};
    struct deed_of op = {.kind = kinds[pick(11)], .reg = -1, .from = -1, .scope = draw_scope(p)};
    op.block = op.kind == DO_TEST || op.kind == DO_SPIN ? block_of(p, thread) : draw_block(p, thread);
    op.mapped = op.block != block_of(p, thread);
    op.order = RELAXED;
    if (op.kind == DO_ARRIVE) {
        op.order = pick(3) ? RELEASING : RELAXED;
        op.bytes = pick(4) == 0;
        op.value = op.bytes ? (pick(4) ? 16 : 4) : 0;
        op.count = 1;
    }
    if (op.kind == DO_EXPECT || op.kind == DO_COMPLETE) op.value = pick(3) ? 16 : 4;
    if (op.kind == DO_TEST || op.kind == DO_SPIN) {
        op.order = pick(3) ? ACQUIRING : RELAXED;
        op.value = has_spun(p, thread) ? pick(2) : pick(6) == 0;
    }
    if (op.scope == OF_DEVICE) op.scope = pick(2) ? OF_BLOCK : OF_CLUSTER;
    if (op.kind == DO_TEST && p->nregs == MOST_READ) op.kind = DO_SPIN;
    if (op.kind == DO_TEST) op.reg = p->nregs++;
    return op;
}

static struct deed_of draw_copy(const struct engines_program *p, int thread, int value) {
    static const enum deed kinds[] = {DO_SMALL_COPY, DO_BULK_LOAD,  DO_BULK_LOAD,
                                      DO_BULK_STORE, DO_BULK_STORE, DO_BULK_ADD};
    static const enum deed far[] = {DO_BULK_SEND, DO_BULK_SEND_ADD, DO_STORE_ASYNC, DO_ADD_ASYNC};
    struct deed_of op = {
        .kind = kinds[pick(6)], .reg = -1, .from = -1, .block = block_of(p, thread), .value = value};
    op.space = pick(2) ? IN_BLOCK : IN_CLUSTER;
    op.by_map = op.kind != DO_SMALL_COPY && pick(5) == 0;
    if (op.kind == DO_SMALL_COPY && value % 4 == 0) op.unread = 1 + value / 4 % p->elements;
    if (p->layout == ONE_CLUSTER && op.kind == DO_BULK_LOAD && pick(3) == 0)
        op.blocks = 1 + (unsigned)pick((1 << p->nthreads) - 1);
    if (p->layout != ONE_CLUSTER || op.blocks || pick(2)) return op;
    op.by_map = false;
    op.unread = 0;
    op.kind = far[pick(4)];
    op.block = (thread + 1 + pick(p->nthreads - 1)) % p->nthreads;
    op.word = WORD_S + op.block * ELEMENTS + draw_element(p);
    return op;
}

static void append(struct engines_program *p, int thread, struct deed_of op) {
    p->ops[thread][p->nops[thread]++] = op;
}

/* A copy, mostly with what makes it right: an expectation before it, and a wait or a commit behind it. */
static void draw_copies(struct engines_program *p, int thread, int value) {
    struct deed_of op = draw_copy(p, thread, value), next = {.reg = -1, .from = -1, .block = op.block};
    bool small = op.kind == DO_SMALL_COPY;
    if (op.kind == DO_BULK_LOAD && pick(4)) {
        struct deed_of expects = {
            .kind = DO_ARRIVE, .reg = -1, .from = -1, .block = op.block, .bytes = true, .value = 16};
        expects.count = 1;
        expects.order = pick(2) ? RELEASING : RELAXED;
        append(p, thread, expects);
    }
    append(p, thread, op);
    if (op.kind == DO_BULK_LOAD) {
        next.kind = DO_SPIN;
        next.order = pick(5) ? ACQUIRING : RELAXED;
        next.scope = pick(2) ? OF_BLOCK : OF_CLUSTER;
        if (pick(3)) append(p, thread, next);
        return;
    }
    if (op.kind >= DO_BULK_SEND) return;
    if (small && pick(3) == 0) {
        next.kind = DO_SMALL_ARRIVE;
        next.flag = pick(3);
        append(p, thread, next);
        return;
    }
    next.kind = small ? DO_SMALL_COMMIT : DO_BULK_COMMIT;
    if (pick(8)) append(p, thread, next);
    next.kind = small ? DO_SMALL_WAIT : DO_BULK_WAIT;
    next.flag = !small && pick(4) == 0;
    next.value = pick(6) ? 0 : 1 + pick(2);
    if (pick(6)) append(p, thread, next);
}

static void draw_op(struct engines_program *p, int thread, int value) {
    int chance = pick(12);
    struct deed_of op = {.reg = -1, .from = -1};
    if (p->layout == DEPENDENT && thread > 0 && chance == 11) op.kind = DO_AWAIT_KERNEL;
    if (p->layout == DEPENDENT && thread < p->nthreads - 1 && chance == 10) op.kind = DO_TRIGGER_NEXT;
    if (op.kind)
        append(p, thread, op);
    else if (chance < 5)
        append(p, thread, draw_access(p, thread, value));
    else if (chance < 7)
        append(p, thread, draw_fence(p));
    else if (chance < 9)
        append(p, thread, draw_count(p, thread));
    else
        draw_copies(p, thread, value);
}

/* A barrier of all threads, at the end so far of each, or anywhere. */
static void insert_barrier(struct engines_program *p, bool relaxed, bool last) {
    for (int t = 0; t < p->nthreads; t++) {
        int at = last ? p->nops[t] : pick(p->nops[t] + 1);
        for (int k = p->nops[t]++; k > at; k--)
            p->ops[t][k] = p->ops[t][k - 1];
        p->ops[t][at] = (struct deed_of){.kind = DO_BARRIER, .flag = relaxed, .reg = -1, .from = -1};
    }
}

/* ---- programs of which one thread hands something to the other ---- */

enum { BY_BARRIER, BY_FLAG, BY_MBARRIER, BY_ENGINE, BY_KERNEL };

static int draw_link(const struct engines_program *p) {
    if (p->layout >= IN_KERNELS) return BY_KERNEL;
    if (p->layout == APART) return BY_FLAG;
    return pick(4);
}

/* The operation by which a thread hands over, or takes. */
static struct deed_of draw_end(struct engines_program *p, int thread, int link) {
    struct deed_of op = {.reg = -1, .from = -1, .block = block_of(p, 1), .scope = draw_scope(p), .value = 9};
    bool strong = pick(4);
    if (link == BY_FLAG) {
        op.kind = thread ? DO_LOAD : DO_STORE;
        op.order = !strong ? RELAXED : thread ? ACQUIRING : RELEASING;
        if (thread) op.reg = p->nregs++;
    } else if (link == BY_KERNEL) {
        op.kind = thread ? DO_AWAIT_KERNEL : DO_TRIGGER_NEXT;
    } else {
        op.kind = thread ? DO_SPIN : DO_ARRIVE;
        op.order = !strong ? RELAXED : thread ? ACQUIRING : RELEASING;
        op.scope = pick(4) ? (p->layout == ONE_CLUSTER ? OF_CLUSTER : OF_BLOCK) : (enum scope_of)pick(2);
        op.mapped = p->layout == ONE_CLUSTER && !thread;
        op.count = !thread;
        op.value = 0;
    }
    return op;
}

/* Fences before a thread hands over, or behind where it takes; at times the halves of a pair. */
static void draw_fences(struct engines_program *p, int thread, bool halves) {
    struct deed_of half = {.kind = DO_PROXY_FENCE, .reg = -1, .from = -1, .scope = OF_CLUSTER};
    half.order = thread ? ACQUIRING : RELEASING;
    half.space = thread ? IN_CLUSTER : IN_BLOCK;
    if (halves) append(p, thread, half);
    for (int n = halves ? 0 : pick(3) ? 1 : 2 * pick(2); n > 0; n--)
        append(p, thread, draw_fence(p));
    struct deed_of fence = {.kind = DO_FENCE, .reg = -1, .from = -1, .scope = OF_DEVICE, .order = BOTH_WAYS};
    if (p->layout == DEPENDENT && !thread && pick(2)) append(p, thread, fence);
}

/* What completes bytes at the other thread's mbarrier, which expects them. */
static void hand_over_by_engine(struct engines_program *p) {
    struct deed_of expects = {
        .kind = DO_ARRIVE, .reg = -1, .from = -1, .block = block_of(p, 1), .bytes = true};
    struct deed_of op = {
        .kind = DO_BULK_LOAD, .reg = -1, .from = -1, .block = block_of(p, 1), .space = IN_CLUSTER};
    expects.order = RELAXED;
    expects.count = 1;
    expects.value = 16;
    if (p->layout == ONE_CLUSTER) {
        op.kind = pick(2) ? DO_BULK_SEND : DO_STORE_ASYNC;
        op.word = WORD_S + op.block * ELEMENTS + draw_element(p);
        op.value = 8;
        if (op.kind == DO_STORE_ASYNC) expects.value = 4;
    }
    append(p, p->layout == ONE_CLUSTER, expects);
    append(p, 0, op);
}

static void draw_side(struct engines_program *p, int thread, int value) {
    for (int k = pick(4) == 0; k < 2; k += 1 + (pick(3) > 0))
        if (pick(2))
            append(p, thread, draw_access(p, thread, value + k));
        else
            draw_copies(p, thread, value + k);
}

/* The last thing that a thread does: it looks at the place of which the program is. */
static void draw_look(struct engines_program *p) {
    struct deed_of last = draw_word(p, 1);
    if (p->nregs == MOST_READ) return;
    last.kind = DO_LOAD;
    last.reg = p->nregs++;
    append(p, 1, last);
}

static void hand_over(struct engines_program *p) {
    int link = draw_link(p);
    bool by_op = link != BY_BARRIER && p->layout != IN_KERNELS, halves = p->layout < APART && pick(8) == 0;
    p->topic = halves || (p->layout < APART && pick(2)) ? 4 : 2;
    p->counts[0] = p->counts[1] = 1;
    draw_side(p, 0, 1);
    draw_fences(p, 0, halves);
    if (link == BY_ENGINE)
        hand_over_by_engine(p);
    else if (by_op)
        append(p, 0, draw_end(p, 0, link));
    if (link == BY_BARRIER) insert_barrier(p, p->layout == ONE_CLUSTER && pick(4) == 0, true);
    if (by_op && (p->layout != DEPENDENT || pick(2)))
        append(p, 1, draw_end(p, 1, link == BY_ENGINE ? BY_MBARRIER : link));
    draw_fences(p, 1, halves);
    draw_side(p, 1, 11);
    draw_look(p);
}

struct engines_program engines_draw(uint64_t *random) {
    state = random;
    static const enum layout layouts[] = {ONE_BLOCK,   ONE_BLOCK, ONE_BLOCK,  ONE_CLUSTER,
                                          ONE_CLUSTER, APART,     IN_KERNELS, DEPENDENT};
    struct engines_program p = {.layout = layouts[pick(8)]};
    p.nthreads = 2 + (p.layout < APART && pick(4) == 0);
    p.elements = 1 + (pick(6) == 0);
    if (p.nthreads == 2 && pick(3)) {
        hand_over(&p);
        return p;
    }
    for (int t = 0; t < p.nthreads; t++) {
        p.counts[t] = 1 + (pick(4) == 0);
        for (int k = 0, n = 1 + pick(p.nthreads == 2 ? 4 : 3); k < n; k++)
            draw_op(&p, t, 1 + t * 10 + k);
    }
    if (p.layout < APART && pick(2)) insert_barrier(&p, p.layout == ONE_CLUSTER && pick(4) == 0, false);
    return p;
}
