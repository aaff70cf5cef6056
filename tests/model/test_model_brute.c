/* Holds the interpreter with models/ptx.cat against the second writing of the model, outcome by outcome, on
 * random programs. The programs follow from the seed: a failure prints the test. */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "../random.h"
#include "base/text.h"
#include "brute.h"
#include "model/model.h"

/* Tens of thousands of programs take minutes; how many is the argument. */
static int programs = 1500;

static const char *const orders[] = {"weak", "relaxed", "acquire", "release", "acq_rel", "sc"};
static const char *const scopes[] = {"block", "device", "system"};
static const char *const locs[BRUTE_LOCS] = {"x", "y"};

/* Seats the threads from the first on: beside the one before, in a block of its own, or on a GPU of its own. */
static void seat(struct brute_program *p, bool together) {
    int kind = together ? 0 : pick(4);
    for (int t = 1; t < p->nthreads; t++) {
        int step = kind == 0 ? 0 : kind == 1 ? 1 : pick(3);
        p->block[t] = p->block[t - 1] + (step > 0);
        p->gpu[t] = p->gpu[t - 1] + (step > 1);
    }
}

static void write_seats(struct text *t, const struct brute_program *p) {
    for (int k = 0; k < p->nthreads; k++) {
        bool same_gpu = k > 0 && p->gpu[k] == p->gpu[k - 1],
             same_block = k > 0 && p->block[k] == p->block[k - 1];
        text_printf(t, "%sT%d", k == 0 ? "" : same_block ? " " : same_gpu ? " | " : " || ", k);
    }
}

static bool returns_value(const struct brute_op *o) {
    switch (o->kind) {
    case BRUTE_STORE:
    case BRUTE_FENCE:
    case BRUTE_BARRIER:
    case BRUTE_COPY:
    case BRUTE_COMMIT:
    case BRUTE_EXIT:
    case BRUTE_WAIT: return false;
    case BRUTE_LOAD:
    case BRUTE_ADD:
    case BRUTE_EXCH:
    case BRUTE_CAS: break;
    }
    return !o->red;
}

static bool is_vector(const struct brute_program *p, int loc) {
    return p->vector && loc == 0;
}

/* Earlier operations of the thread that return what they read, which can be stored in `loc`, and one of them; -1:
 * none. */
static int pick_source(const struct brute_program *p, int thread, int op, int loc) {
    int found[BRUTE_MAX_OPS], n = 0;
    for (int k = 0; k < op; k++) {
        bool same = is_vector(p, p->ops[thread][k].loc) == is_vector(p, loc);
        if (returns_value(&p->ops[thread][k]) && same) found[n++] = k;
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
static void random_exits(struct brute_program *p) {
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

static void random_program(struct brute_program *p) {
    int size = pick(10);
    *p = (struct brute_program){.nthreads = size < 8 ? 2 + size % 2 : size - 4};
    fill_program(p, size < 8 ? 4 : 3, size < 8 ? 4 : 3, size < 8 ? 3 : 2);
}

/* Fewer accesses: those to x are two. */
static void random_vectors(struct brute_program *p) {
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

static void random_message(struct brute_program *p) {
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
    if (pick(3) == 0) add_message_op(p, 1, message_op(BRUTE_LOAD, BRUTE_ACQUIRE, 1));
    add_message_op(p, 1, message_op(BRUTE_LOAD, pick(2) ? BRUTE_WEAK : BRUTE_RELAXED, 0));
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

static void random_counters(struct brute_program *p) {
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
        if (guards && stores && last >= 0 && returns_value(&p->ops[t][last])) {
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

/* Programs with copies of x to y: both threads sit in one block. */

static struct brute_op plain_op(enum brute_kind kind, int loc) {
    static const enum brute_order of_access[] = {BRUTE_WEAK, BRUTE_RELAXED};
    return message_op(kind, of_access[pick(2)], loc);
}

static void random_copies(struct brute_program *p) {
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

/* The types that programs are tried with, and what their values are multiplied by: so all bits are in use. */
static const struct width {
    const char *scalar, *vector;
    long long scale;
} widths[] = {{"int", "int2", 1},
              {"uint64_t", "ulonglong2", 0x100000001},
              {"int64_t", "longlong2", -0x100000001},
              {"unsigned", "uint2", 0x30000001}};

static void write_stored(struct text *t, const struct brute_program *p, const struct width *w,
                         const struct brute_op *o) {
    static const char *const zeros[] = {"(r%d ^ r%d)", "(r%d & 0) * r%d", "r%d * 0 + (r%d - r%d)"};
    long long value = o->value * w->scale;
    if (o->source >= 0 && o->use == BRUTE_CANCELS) {
        text_printf(t, "%lld + ", value);
        text_printf(t, zeros[o->source % 3], o->source, o->source, o->source);
    } else if (o->use == BRUTE_OTHER_WAY)
        text_printf(t, "r%d == %lld ? %lld : %lld", o->source, value, value, (3 - o->value) * w->scale);
    else if (o->source >= 0 && !o->guarded && o->use == BRUTE_IS_STORED)
        text_printf(t, "r%d", o->source);
    else if (is_vector(p, o->loc))
        text_printf(t, "make_%s(%lld, %lld)", w->vector, o->value * w->scale, (o->value + 2) * w->scale);
    else
        text_printf(t, "%lld", o->value * w->scale);
}

static void write_op(struct text *t, const struct brute_program *p, const struct width *w,
                     const struct brute_op *o, int op) {
    const char *loc = locs[o->loc], *order = orders[o->order], *scope = scopes[o->scope];
    const char *type = is_vector(p, o->loc) ? w->vector : w->scalar;
    bool weak = o->order == BRUTE_WEAK;
    long long value = o->value * w->scale, expected = o->expected * w->scale;
    text_add(t, "    ");
    if (returns_value(o)) text_printf(t, "%s r%d = ", type, op);
    switch (o->kind) {
    case BRUTE_LOAD:
        text_printf(t, weak ? "load(%s, %s);\n" : "load(%s, %s, %s);\n", loc, order, scope);
        break;
    case BRUTE_STORE:
        if (o->guarded)
            text_printf(t, "if (r%d%s == %lld) ", o->source, is_vector(p, o->loc) ? ".x" : "", value);
        if (o->use == BRUTE_SAME_WAYS) {
            text_printf(t, "if (r%d > 1) store(%s, %lld, ", o->source, loc, value);
            text_printf(t, weak ? "%s); else " : "%s, %s); else ", order, scope);
        }
        text_printf(t, "store(%s, ", loc);
        write_stored(t, p, w, o);
        text_printf(t, weak ? ", %s);\n" : ", %s, %s);\n", order, scope);
        break;
    case BRUTE_ADD:
    case BRUTE_EXCH:
        text_printf(t, "%s(%s, %lld, %s, %s);\n", o->kind == BRUTE_ADD ? "fetch_add" : "exchange", loc, value,
                    order, scope);
        break;
    case BRUTE_CAS:
        text_printf(t, "compare_exchange(%s, %lld, %lld, %s, %s);\n", loc, expected, value, order, scope);
        break;
    case BRUTE_FENCE: text_printf(t, "atomic_thread_fence(%s, %s);\n", order, scope); break;
    case BRUTE_BARRIER: text_add(t, "__syncthreads();\n"); break;
    case BRUTE_COPY:
    case BRUTE_COMMIT:
    case BRUTE_EXIT:
    case BRUTE_WAIT: fail(); /* these are in tables */
    }
}

/* Neither the counter nor what is added to it is observed. */
static unsigned counter_mask(const struct brute_program *p) {
    unsigned mask = 0, bit = 1;
    for (int k = 0; k < p->nthreads; k++)
        for (int o = 0; o < p->nops[k]; o++) {
            if (!returns_value(&p->ops[k][o])) continue;
            mask |= p->ops[k][o].kind == BRUTE_ADD ? 0 : bit;
            bit <<= 1;
        }
    return mask;
}

/* The test file, in which all or some of the brute outcomes' values are observed, in their order. */
static void write_test(struct text *t, const struct brute_program *p, const struct width *w,
                       unsigned *observed) {
    const char *lane = p->vector ? ".x" : "";
    text_printf(t, "name: random\nmemory: {x: {type: %s}, y: {type: %s}}\nplacements: [\"",
                p->vector ? w->vector : w->scalar, w->scalar);
    write_seats(t, p);
    text_add(t, "\"]\nthreads:\n");
    struct text cond = {0};
    unsigned mask = p->vector || pick(2) ? ~0u : (unsigned)pick(1 << BRUTE_MAX_OBS);
    if (p->counts && pick(6)) mask = counter_mask(p);
    int at = 0;
    *observed = 0;
    for (int k = 0; k < p->nthreads; k++) {
        text_printf(t, "  T%d: |\n", k);
        for (int o = 0; o < p->nops[k]; o++) {
            const struct brute_op *op = &p->ops[k][o];
            write_op(t, p, w, op, o);
            if (!returns_value(op)) continue;
            if (mask >> at & 1)
                text_printf(&cond, "T%d.r%d%s == 0 && ", k, o, is_vector(p, op->loc) ? ".x" : "");
            *observed |= mask & 1u << at++;
        }
    }
    *observed = mask == ~0u ? mask : *observed | (mask & 1u << at) | 2u << at;
    text_printf(t, "exists: %s", cond.s ? cond.s : "");
    if (mask >> at & 1) text_printf(t, "x%s == 0 && ", lane);
    text_add(t, "y == 0\n");
    text_free(&cond);
}

/* The same as a PTX table, for programs with operations that CUDA C has no word for. */

enum { MAX_ROWS = 6 * BRUTE_MAX_OPS };

struct table_column {
    char rows[MAX_ROWS][64];
    int n;
};

#define ROW(column, ...) snprintf((column)->rows[(column)->n++], sizeof *(column)->rows, __VA_ARGS__)

static void write_rows(struct table_column *c, const struct brute_op *o, int op) {
    static const char *const ptx_scopes[] = {"cta", "gpu", "sys"};
    const char *loc = locs[o->loc], *order = orders[o->order], *scope = ptx_scopes[o->scope];
    bool weak = o->order == BRUTE_WEAK;
    char strength[32], value[16];
    snprintf(strength, sizeof strength, weak ? "%s" : "%s.%s", order, scope);
    bool stored = o->source >= 0 && !o->guarded && o->use == BRUTE_IS_STORED;
    snprintf(value, sizeof value, stored ? "r%d" : "%d", stored ? o->source : o->value);
    switch (o->kind) {
    case BRUTE_LOAD: ROW(c, "ld.%s r%d, %s", strength, op, loc); break;
    case BRUTE_STORE:
        if (o->use == BRUTE_CANCELS) {
            ROW(c, "xor t%d, r%d, r%d", op, o->source, o->source);
            ROW(c, "add t%d, t%d, %d", op, op, o->value);
            snprintf(value, sizeof value, "t%d", op);
        }
        if (o->guarded || o->use > BRUTE_CANCELS) ROW(c, "bne r%d, %d, L%d", o->source, o->value, op);
        ROW(c, "st.%s %s, %s", strength, loc, value);
        if (o->use > BRUTE_CANCELS) ROW(c, "goto M%d", op);
        if (o->guarded || o->use > BRUTE_CANCELS) ROW(c, "L%d:", op);
        if (o->use > BRUTE_CANCELS) {
            ROW(c, "st.%s %s, %d", strength, loc, o->use == BRUTE_SAME_WAYS ? o->value : 3 - o->value);
            ROW(c, "M%d:", op);
        }
        break;
    case BRUTE_EXIT: ROW(c, "beq r%d, %d, END", o->source, o->value); break;
    case BRUTE_ADD:
    case BRUTE_EXCH:
        if (o->red)
            ROW(c, "red.%s.add %s, %d", strength, loc, o->value);
        else
            ROW(c, "atom.%s.%s r%d, %s, %d", strength, o->kind == BRUTE_ADD ? "add" : "exch", op, loc,
                o->value);
        break;
    case BRUTE_CAS: ROW(c, "atom.%s.cas r%d, %s, %d, %d", strength, op, loc, o->expected, o->value); break;
    case BRUTE_FENCE: ROW(c, "fence.%s", strength); break;
    case BRUTE_BARRIER: ROW(c, "bar.cta.sync 0"); break;
    case BRUTE_COPY: ROW(c, "cp.async.ca.shared.global %s, %s, 4", loc, locs[o->from]); break;
    case BRUTE_COMMIT: ROW(c, "cp.async.commit_group"); break;
    case BRUTE_WAIT:
        if (o->pending < 0)
            ROW(c, "cp.async.wait_all");
        else
            ROW(c, "cp.async.wait_group %d", o->pending);
        break;
    }
}

static bool has_exit(const struct brute_program *p, int thread) {
    for (int k = 0; k < p->nops[thread]; k++)
        if (p->ops[thread][k].kind == BRUTE_EXIT) return true;
    return false;
}

static void write_table(struct text *t, const struct brute_program *p) {
    struct table_column columns[BRUTE_MAX_THREADS] = {0};
    struct text cond = {0};
    int rows = 0;
    text_add(t, "PTX random\n{ x=0; y=0; }\n");
    for (int k = 0; k < p->nthreads; k++) {
        text_printf(t, "%s P%d@cta %d,gpu %d", k ? " |" : "", k, p->block[k], p->gpu[k]);
        for (int o = 0; o < p->nops[k]; o++) {
            write_rows(&columns[k], &p->ops[k][o], o);
            if (returns_value(&p->ops[k][o])) text_printf(&cond, "P%d:r%d == 0 /\\ ", k, o);
        }
        if (has_exit(p, k)) ROW(&columns[k], "END:");
        rows = columns[k].n > rows ? columns[k].n : rows;
    }
    text_add(t, " ;\n");
    for (int r = 0; r < rows; r++) {
        for (int k = 0; k < p->nthreads; k++)
            text_printf(t, "%s %s", k ? " |" : "", columns[k].rows[r]);
        text_add(t, " ;\n");
    }
    text_printf(t, "exists (%sx == 0 /\\ y == 0)\n", cond.s ? cond.s : "");
    text_free(&cond);
}

static bool needs_table(const struct brute_program *p) {
    for (int t = 0; t < p->nthreads; t++)
        for (int k = 0; k < p->nops[t]; k++)
            if (p->ops[t][k].red || p->ops[t][k].kind == BRUTE_COPY || p->ops[t][k].kind == BRUTE_EXIT)
                return true;
    return false;
}

/* The program's number that a value stands for. */
static int32_t unscaled(const struct width *w, struct type t, struct value v) {
    for (int n = 0; n < 100; n++)
        if (value_equal(value_from(t, n * w->scale), v)) return n;
    return -1;
}

static bool is_expected(const struct test *t, const struct width *w, const struct brute_outcomes *expected,
                        const struct model_outcome *outcome) {
    int32_t values[BRUTE_MAX_OBS];
    int n = 0;
    for (int o = 0; o < t->nobs; o++) {
        struct type type = t->obs[o].type;
        for (int lane = 0; lane < type.lanes; lane++)
            values[n++] = unscaled(w, type_lane(type), value_lane(type, outcome->values[o], lane));
    }
    assert_int_equal(n, expected->nobs);
    return brute_has(expected, values);
}

/* A search for outcomes alone, or one that counts. */
static void compare(const struct model *m, const struct brute_program *p, const struct width *w,
                    const struct text *text, const struct brute_outcomes *expected, long long counting) {
    const struct model_limits limits = {.counting = counting};
    struct diag d = {0};
    struct arena *a = arena_open();
    const char *name = needs_table(p) ? "random.litmus" : "random.yaml";
    struct test *t = test_read_text(a, name, text->s, text->len, &d);
    diag_render(&d, stderr, false);
    assert_non_null(t);
    int n;
    struct cell *v = test_cells(t, a, &n);
    struct model_result r;
    assert_int_equal(n, 1);
    assert_true(model_check(m, t, &v[0], &limits, a, &r, &d));
    assert_int_equal(r.status, MODEL_DONE);
    bool same = r.noutcomes == expected->n;
    for (int k = 0; same && k < r.noutcomes; k++)
        same = is_expected(t, w, expected, &r.outcomes[k]);
    if (!same) {
        print_error("%s\nthe interpreter has %d outcomes, the definitions %d\n", text->s, r.noutcomes,
                    expected->n);
        for (int k = 0; k < r.noutcomes; k++)
            if (!is_expected(t, w, expected, &r.outcomes[k])) {
                char value[VALUE_MAX_TEXT];
                print_error("only the interpreter:");
                for (int o = 0; o < t->nobs; o++)
                    print_error(" %s", value_text(value, t->obs[o].type, r.outcomes[k].values[o]));
                print_error("\n");
            }
    }
    assert_true(same);
    diag_free(&d);
    arena_close(a);
}

/* Whether the threads must sit in one block. */
static bool is_one_block(const struct brute_program *p) {
    for (int o = 0; o < p->nops[0]; o++)
        if (p->ops[0][o].kind == BRUTE_BARRIER || p->ops[0][o].kind == BRUTE_COPY) return true;
    return false;
}

static void compare_programs(void (*make)(struct brute_program *p), int n) {
    struct diag d = {0};
    struct arena *a = arena_open();
    const struct model *m = model_load(a, "ptx", &d);
    assert_non_null(m);
    seed = 20260720;
    for (int k = 0; k < n; k++) {
        struct brute_program p;
        struct text text = {0};
        make(&p);
        unsigned observed = ~0u;
        seat(&p, is_one_block(&p));
        const struct width *w = &widths[needs_table(&p) ? 0 : k % 4];
        if (needs_table(&p))
            write_table(&text, &p);
        else
            write_test(&text, &p, w, &observed);
        struct brute_outcomes expected;
        brute_run(&p, &expected);
        if (observed != ~0u) brute_project(&expected, observed);
        compare(m, &p, w, &text, &expected, -1);
        compare(m, &p, w, &text, &expected, LLONG_MAX);
        brute_free(&expected);
        text_free(&text);
    }
    arena_close(a);
    diag_free(&d);
}

static void test_random_programs(void **state) {
    (void)state;
    compare_programs(random_program, programs);
}

static void test_random_messages(void **state) {
    (void)state;
    compare_programs(random_message, programs / 50); /* they are larger */
}

static void test_random_vectors(void **state) {
    (void)state;
    compare_programs(random_vectors, programs / 10);
}

static void test_random_copies(void **state) {
    (void)state;
    compare_programs(random_copies, programs / 2);
}

static void test_random_counters(void **state) {
    (void)state;
    compare_programs(random_counters, programs / 20);
}

static void test_random_exits(void **state) {
    (void)state;
    compare_programs(random_exits, programs / 3);
}

int main(int argc, char **argv) {
    if (argc > 1) programs = atoi(argv[1]);
    if (argc > 2) cmocka_set_test_filter(argv[2]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_programs), cmocka_unit_test(test_random_vectors),
        cmocka_unit_test(test_random_messages), cmocka_unit_test(test_random_copies),
        cmocka_unit_test(test_random_exits),    cmocka_unit_test(test_random_counters)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
