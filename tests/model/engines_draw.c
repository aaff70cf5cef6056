/* Draws the programs of engines.h, and writes them as tests. */
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
    int where = pick(5);
    if (where == 0) return op;
    op.word = WORD_G + draw_element(p);
    if (where < 3) return op;
    op.block = draw_block(p, thread);
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
    if (op.word == WORD_X && p->nregs < MOST_READ && pick(6) == 0) {
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
        op.value = pick(6) == 0;
    }
    if (op.scope == OF_DEVICE) op.scope = pick(2) ? OF_BLOCK : OF_CLUSTER;
    if (op.kind == DO_TEST && p->nregs == MOST_READ) op.kind = DO_SPIN;
    if (op.kind == DO_TEST) op.reg = p->nregs++;
    return op;
}

static struct deed_of draw_copy(const struct engines_program *p, int thread, int value) {
    static const enum deed kinds[] = {DO_SMALL_COPY, DO_BULK_LOAD,  DO_BULK_LOAD,
                                      DO_BULK_STORE, DO_BULK_STORE, DO_BULK_ADD};
    static const enum deed far[] = {DO_BULK_SEND, DO_STORE_ASYNC, DO_ADD_ASYNC};
    struct deed_of op = {
        .kind = kinds[pick(6)], .reg = -1, .from = -1, .block = block_of(p, thread), .value = value};
    op.space = pick(2) ? IN_BLOCK : IN_CLUSTER;
    if (p->layout != ONE_CLUSTER || pick(2)) return op;
    op.kind = far[pick(3)];
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
    if (op.kind == DO_BULK_SEND || op.kind == DO_STORE_ASYNC || op.kind == DO_ADD_ASYNC) return;
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
    next.value = pick(6) == 0;
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

/* A barrier of all threads, at one place of each. */
static void insert_barrier(struct engines_program *p, bool relaxed) {
    for (int t = 0; t < p->nthreads; t++) {
        int at = pick(p->nops[t] + 1);
        for (int k = p->nops[t]++; k > at; k--)
            p->ops[t][k] = p->ops[t][k - 1];
        p->ops[t][at] = (struct deed_of){.kind = DO_BARRIER, .flag = relaxed, .reg = -1, .from = -1};
    }
}

struct engines_program engines_draw(uint64_t *random) {
    state = random;
    static const enum layout layouts[] = {ONE_BLOCK,   ONE_BLOCK, ONE_BLOCK, ONE_CLUSTER,
                                          ONE_CLUSTER, APART,     KERNELS,   DEPENDENT};
    struct engines_program p = {.layout = layouts[pick(8)]};
    p.nthreads = 2 + (p.layout < APART && pick(4) == 0);
    p.elements = 1 + (pick(6) == 0);
    for (int t = 0; t < p.nthreads; t++) {
        p.counts[t] = 1 + (pick(4) == 0);
        for (int k = 0, n = 1 + pick(p.nthreads == 2 ? 4 : 3); k < n; k++)
            draw_op(&p, t, 1 + t * 10 + k);
    }
    if (p.layout < APART && pick(2)) insert_barrier(&p, p.layout == ONE_CLUSTER && pick(4) == 0);
    return p;
}

/* ---- as tests ---- */

static const char *const scopes[] = {"block", "cluster", "device"};
static const char *const orders[] = {"weak", "relaxed", "acquire", "release", "acq_rel", "sc"};
static const char *const spaces[] = {"", "space_global", "space_shared", "space_cluster"};

/* Where a word is; an array's beginning where `element` is negative. */
static void write_place(const struct deed_of *op, int element, struct text *out) {
    if (op->word == WORD_X)
        text_add(out, "x");
    else if (!is_shared(op->word))
        text_printf(out, "g[%d]", element);
    else if (op->mapped)
        text_printf(out, "*__cluster_map_shared_rank(&s[%d], %d)", element, op->block);
    else
        text_printf(out, "s[%d]", element);
}

static int element_of(int word) {
    return is_shared(word) ? (word - WORD_S) % ELEMENTS : word - WORD_G;
}

static void write_access(const struct deed_of *op, struct text *out) {
    if (op->kind != DO_STORE) text_printf(out, "int r%d = ", op->reg);
    if (op->order)
        text_add(out, op->kind == DO_LOAD ? "load(" : op->kind == DO_ADD ? "fetch_add(" : "store(");
    write_place(op, element_of(op->word), out);
    if (op->kind != DO_LOAD && op->from >= 0) text_printf(out, "%s r%d", op->order ? "," : " =", op->from);
    if (op->kind != DO_LOAD && op->from < 0) text_printf(out, "%s %d", op->order ? "," : " =", op->value);
    if (op->order) text_printf(out, ", %s, %s)", orders[op->order], scopes[op->scope]);
    text_add(out, ";");
}

static void write_fence(const struct deed_of *op, struct text *out) {
    if (op->kind == DO_FENCE)
        text_printf(out, "atomic_thread_fence(%s, %s);", orders[op->order], scopes[op->scope]);
    else if (op->order)
        text_printf(out, "fence_proxy_async_generic_sync_restrict(sem_%s, %s, scope_cluster);",
                    orders[op->order], spaces[op->space]);
    else
        text_printf(out, "fence_proxy_async(%s);", spaces[op->space]);
}

static void write_small(const struct engines_program *p, const struct deed_of *op, struct text *out) {
    int first = first_element(p);
    if (op->kind == DO_SMALL_COPY)
        text_printf(out, "__pipeline_memcpy_async(&s[%d], &g[%d], %d);", first, first, 4 * p->elements);
    if (op->kind == DO_SMALL_COMMIT) text_add(out, "__pipeline_commit();");
    if (op->kind == DO_SMALL_WAIT) text_printf(out, "__pipeline_wait_prior(%d);", op->value);
    if (op->kind == DO_SMALL_ARRIVE)
        text_printf(out, "cp_async_mbarrier_arrive%s(&b);", op->flag ? "_noinc" : "");
}

#define FAR "__cluster_map_shared_rank(&"

static void write_bulk(const struct deed_of *op, struct text *out) {
    const char *stores = "space_global, space_shared";
    if (op->kind == DO_BULK_LOAD)
        text_printf(out, "cp_async_bulk(%s, space_global, &s[0], &g[0], 16, &b);", spaces[op->space]);
    if (op->kind == DO_BULK_STORE) text_printf(out, "cp_async_bulk(%s, &g[0], &s[0], 16);", stores);
    if (op->kind == DO_BULK_ADD)
        text_printf(out, "cp_reduce_async_bulk(%s, op_add, &g[0], &s[0], 16);", stores);
    if (op->kind == DO_BULK_SEND)
        text_printf(out,
                    "cp_async_bulk(space_cluster, space_shared, " FAR "s[0], %d), &s[0], 16, " FAR "b, %d));",
                    op->block, op->block);
    if (op->kind == DO_STORE_ASYNC || op->kind == DO_ADD_ASYNC)
        text_printf(out, "%s" FAR "s[%d], %d), %d, " FAR "b, %d));",
                    op->kind == DO_STORE_ASYNC ? "st_async(" : "red_async(op_add, ", element_of(op->word),
                    op->block, op->value, op->block);
    if (op->kind == DO_BULK_COMMIT) text_add(out, "cp_async_bulk_commit_group();");
    if (op->kind == DO_BULK_WAIT)
        text_printf(out, "cp_async_bulk_wait_group%s(%d);", op->flag ? "_read" : "", op->value);
}

static const char *scope_word(const struct deed_of *op) {
    return op->scope == OF_BLOCK ? "scope_cta" : "scope_cluster";
}

static void write_count(const struct deed_of *op, struct text *out) {
    const char *name = op->kind == DO_EXPECT     ? "expect_tx"
                       : op->kind == DO_COMPLETE ? "complete_tx"
                                                 : "arrive";
    text_printf(out, "mbarrier_%s%s(sem_%s, %s, ", name, op->bytes ? "_expect_tx" : "", orders[op->order],
                scope_word(op));
    if (op->mapped)
        text_printf(out, "space_cluster, " FAR "b, %d)", op->block);
    else
        text_add(out, "space_shared, &b");
    if (op->bytes || !op->count) text_printf(out, ", %d", op->value);
    text_add(out, ");");
}

static void write_try(const struct deed_of *op, struct text *out) {
    if (op->kind == DO_TEST) text_printf(out, "int r%d = ", op->reg);
    if (op->kind == DO_SPIN) text_add(out, "while (!");
    text_printf(out, "mbarrier_test_wait_parity(sem_%s, %s, &b, %d)%s", orders[op->order], scope_word(op),
                op->value, op->kind == DO_SPIN ? ") {}" : ";");
}

static const char *barrier_word(const struct engines_program *p, bool relaxed) {
    if (p->layout == ONE_BLOCK) return "__syncthreads();";
    return relaxed ? "__cluster_barrier_arrive_relaxed(); __cluster_barrier_wait();" : "cluster_sync();";
}

static void write_op(const struct engines_program *p, const struct deed_of *op, struct text *out) {
    text_add(out, "      ");
    switch (op->kind) {
    case DO_LOAD:
    case DO_STORE:
    case DO_ADD: write_access(op, out); break;
    case DO_FENCE:
    case DO_PROXY_FENCE: write_fence(op, out); break;
    case DO_BARRIER: text_add(out, barrier_word(p, op->flag)); break;
    case DO_SMALL_COPY:
    case DO_SMALL_COMMIT:
    case DO_SMALL_WAIT:
    case DO_SMALL_ARRIVE: write_small(p, op, out); break;
    case DO_BULK_LOAD:
    case DO_BULK_STORE:
    case DO_BULK_ADD:
    case DO_BULK_SEND:
    case DO_BULK_COMMIT:
    case DO_BULK_WAIT:
    case DO_STORE_ASYNC:
    case DO_ADD_ASYNC: write_bulk(op, out); break;
    case DO_ARRIVE:
    case DO_EXPECT:
    case DO_COMPLETE: write_count(op, out); break;
    case DO_TEST:
    case DO_SPIN: write_try(op, out); break;
    case DO_AWAIT_KERNEL: text_add(out, "cudaGridDependencySynchronize();"); break;
    case DO_TRIGGER_NEXT: text_add(out, "cudaTriggerProgrammaticLaunchCompletion();"); break;
    }
    text_add(out, "\n");
}

static void write_thread(const struct engines_program *p, int t, struct text *out) {
    bool meets = p->layout == ONE_BLOCK || p->layout == ONE_CLUSTER;
    text_printf(out, "  T%d:\n%s    body: |\n", t,
                p->layout == ONE_BLOCK ? "" : "    grid: 1\n    block: 1\n");
    if (t == 0 || p->layout != ONE_BLOCK) text_printf(out, "      mbarrier_init(&b, %d);\n", p->counts[t]);
    if (meets) text_printf(out, "      %s\n", barrier_word(p, false));
    for (int k = 0; k < p->nops[t]; k++)
        write_op(p, &p->ops[t][k], out);
    if (p->layout == ONE_CLUSTER) text_add(out, "      cluster_sync();\n");
}

void engines_write(const struct engines_program *p, struct text *yaml) {
    static const char *const placements[] = {"block", "cluster", "device", "T0 -> T1", "T0 ~> T1"};
    text_printf(
        yaml,
        "name: test\nmemory: {x: 0, g: {count: 4}, s: {count: 4, space: shared}, b: {type: mbarrier, space: "
        "shared}}\naccess: weak\nplacements: [\"%s\"]\nthreads:\n",
        placements[p->layout]);
    for (int t = 0; t < p->nthreads; t++)
        write_thread(p, t, yaml);
    text_add(yaml, "exists: x == 0");
    for (int k = first_element(p); k < ELEMENTS; k++)
        text_printf(yaml, " && g[%d] == 0", k);
    for (int r = 0; r < p->nregs; r++)
        text_printf(yaml, " && r%d == 0", r);
    text_add(yaml, "\n");
}
