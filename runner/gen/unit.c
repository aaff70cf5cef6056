/* The frame of a unit: its constants, and the dispatch to the bodies. */
#include "gen/account.h"
#include "gen/gen.h"
#include "gen/names.h"
#include "litmus/company.h"

static int observer(const struct test *t) {
    for (int o = 0; o < t->nobs; o++)
        if (!t->obs[o].is_reg || t->obs[o].thread != t->obs[0].thread) return -1;
    return t->obs[0].thread;
}

/* Returns how many shared elements an instance has. In C those of all blocks lie in one memory. */
static int shared_elements(const struct test *t, enum dialect dialect) {
    int n = 0;
    for (int l = 0; l < t->nlocs && dialect == DIALECT_C; l++)
        if (space_rows[t->locs[l].space].of_block) n += gen_places(&t->locs[l]) * t->locs[l].instances;
    return dialect == DIALECT_C ? n : gen_shape(t).shared_elements;
}

/* Returns the id of the test's one barrier of a block. */
static int leaving_barrier(const struct test *t) {
    int k = 1;
    while (!company_meets(&t->ops[k]))
        k++;
    return t->ops[k].barrier_id;
}

static bool uses_async_proxy(const struct test *t) {
    for (int k = 1; k <= t->nops; k++)
        if (op_kinds[t->ops[k].kind].engine && op_rows[t->ops[k].name].proxy == PROXY_ASYNC) return true;
    return false;
}

void gen_constants(const struct test *t, const struct cell *cell, const struct seating *r,
                   const struct meeting *m, enum dialect dialect, struct text *out) {
    const struct placement *p = cell->placement;
    struct shape s = gen_shape(t);
    int cluster = p->nblocks > 1 && p->nclusters == 1 ? p->nblocks : 0;
    text_printf(out, "#define CLUSTER %d /* blocks of a cluster, 0: no clusters */\n", cluster);
    text_printf(out, "#define SHARED  \"%s\"\n", cluster ? ".shared::cluster" : ".shared");
    int kernels = dialect == DIALECT_C && p->nkernels == 1 ? 0 : gen_kernels(t, cell);
    if (kernels) text_printf(out, "#define KERNELS %d /* of a stream */\n", kernels);
    if (gen_only_open(t, cell, &(struct open_edge){0}))
        text_add(out, "#define COLD 1 /* an element may lie on many pages */\n");
    if (s.own) text_add(out, "#define OWN_SHARED /* each block has locations in its shared memory */\n");
    if (uses_async_proxy(t)) text_add(out, "#define ASYNC_PROXY /* engines access locations through it */\n");
    if (gen_drains(t)) text_add(out, "#define DRAINS /* engines may be under way behind an instance */\n");
    if (m->allotted)
        text_printf(out, "#define BARRIERS_EACH %d /* of a block, that instances have for themselves */\n",
                    m->nids + 1);
    if (m->leaves)
        text_printf(out,
                    "#define LEAVES %d /* the barrier that threads pass unequally often: see leave() */\n",
                    leaving_barrier(t));
    text_printf(out, "enum {\n    NTHREADS = %d,\n    NOBS = %d, /* observed words of an instance */\n",
                t->nthreads + m->ncompanions, observed_words(t));
    text_printf(out,
                "    GLOBAL_ELEMENTS = %d, SHARED_ELEMENTS = %d, HOST_ELEMENTS = %d, /* an instance */\n",
                s.global_elements, shared_elements(t, dialect), s.host_elements);
    text_printf(out, "    ELEMENT_WORDS = %d,\n", s.words);
    text_printf(
        out,
        "    WAITS = %d, BARRIERS = %d, CHECKED = %d, /* waits for others; barriers; may be flagged */\n",
        s.waits, s.barriers, s.waits || s.arrays || gen_drains(t));
    text_printf(out, "    CLUSTER_BARRIERS = %d, /* of a cluster that every thread passes */\n",
                m->allotted ? 0 : gen_barriers(t->threads[t->nthreads - 1].body, BARRIER_CLUSTER));
    text_printf(
        out, "    GPUS = %d, ONE_WARP = %d, /* at most; lanes of a warp play different roles at a step */\n",
        r->gpus, r->blocks == 1 && r->warps == 1);
    text_printf(out, "    HOST_THREADS = %d, /* of the test's threads */\n", p->nhost);
    text_printf(out, "    OBSERVER = %d, /* the thread that yields all that is observed, or -1 */\n",
                observer(t));
    if (dialect != DIALECT_C)
        text_printf(out, "    ALL_SMALL = %d, /* the values that the test can have */\n", gen_small(t));
    text_add(out, "};\n\n");
}

/* Writes a location as an argument of a body. In C the copies of all blocks lie one behind the other, and the
 * body gets that of its block. */
static void print_argument(const struct test *t, int l, const struct body *b, int first, enum dialect dialect,
                           struct text *out) {
    const struct location *loc = &t->locs[l];
    bool own = loc->instances > 1 && dialect == DIALECT_C;
    gen_field(out, own ? "own_of(I." : "I.", loc);
    if (own)
        text_printf(out, ", %d + (thread - %d) / %d, %d)", t->threads[first].block, first,
                    b->grid ? b->block : 1, gen_places(&t->locs[location_root(t, l)]));
    text_add(out, ", ");
}

/* Returns the observable of a register of a body's only thread; NULL: there is none, or several. */
static const struct observable *sole_observable(const struct test *t, const struct body *b, int reg) {
    const struct observable *found = NULL;
    for (int o = 0; o < t->nobs; o++) {
        if (!t->obs[o].is_reg || t->obs[o].reg != reg || t->threads[t->obs[o].thread].body != b) continue;
        if (found) return NULL;
        found = &t->obs[o];
    }
    return found;
}

/* If the body's observed registers are adjacent among the observables and in the same order, returns the
 * first one's word; else -1. */
static int side_by_side(const struct test *t, const struct body *b) {
    int at = -1, next = -1;
    for (int r = 0; r < b->nregs; r++) {
        if (!gen_reg_observed(t, b, r)) continue;
        const struct observable *o = b->count == 1 ? sole_observable(t, b, r) : NULL;
        int word = o ? gen_first_word(t, (int)(o - t->obs)) : -1;
        if (!o || (at >= 0 && word != next)) return -1;
        if (at < 0) at = word;
        next = word + gen_words(b->regs[r].type);
    }
    return at;
}

static void print_arguments(const struct test *t, const struct body *b, int first, enum dialect dialect,
                            struct text *out) {
    for (int l = 0; l < t->nlocs; l++) {
        if (!gen_body_uses(t, b, l)) continue;
        print_argument(t, l, b, first, dialect, out);
    }
    if (b->grid)
        text_printf(out, "grid_index((thread - %d) / %d), grid_index((thread - %d) %% %d), ", first, b->block,
                    first, b->block);
    else if (b->indexed)
        text_printf(out, "thread - %d, %d, ", first, b->count);
    if (dialect != DIALECT_C && company_reduces(b)) text_add(out, "here, ");
}

/* Writes the copies of a body's registers into the observables. */
static void print_observed(const struct test *t, const struct body *b, struct text *out) {
    for (int r = 0, k = 0; r < b->nregs; r++) {
        if (!gen_reg_observed(t, b, r)) continue;
        for (int o = 0; o < t->nobs; o++) {
            const struct observable *ob = &t->obs[o];
            if (!ob->is_reg || ob->reg != r || t->threads[ob->thread].body != b) continue;
            for (int word = 0; word < gen_words(b->regs[r].type); word++) {
                text_add(out, "        ");
                if (b->count > 1) text_printf(out, "if (thread == %d) ", ob->thread);
                text_printf(out, "obs[%d] = regs[%d]; /* %s */\n", gen_first_word(t, o) + word, k + word,
                            ob->name);
            }
        }
        k += gen_words(b->regs[r].type);
    }
}

/* Writes the call of one body. If it can, the body writes its registers directly among the observables;
 * copies would go through memory. */
static void print_call(const struct test *t, const struct body *b, int first, enum dialect dialect,
                       struct text *out) {
    int words = 0, at = side_by_side(t, b);
    for (int r = 0; r < b->nregs; r++)
        words += gen_reg_observed(t, b, r) ? gen_words(b->regs[r].type) : 0;
    if (at < 0) text_printf(out, "        int regs[%d];\n", words ? words : 1);
    text_printf(out, "        thread_%s(", b->name);
    print_arguments(t, b, first, dialect, out);
    if (at >= 0) {
        text_printf(out, "run, obs + %d);\n", at);
    } else {
        text_add(out, "run, regs);\n");
        print_observed(t, b, out);
    }
}

static bool some_reduce(const struct test *t) {
    for (int b = 0; b < t->nbodies; b++)
        if (company_reduces(&t->bodies[b])) return true;
    return false;
}

static void print_play(const struct test *t, const struct meeting *m, enum dialect dialect,
                       struct text *out) {
    text_printf(out,
                "/* Runs one thread of the test on an instance. */\n"
                "static ROLE void play(int thread, struct instance I, %s *run, int *obs)\n{\n",
                gen_player(dialect));
    int first = 0;
    const char *seat = gen_joins(m) ? "seat" : "thread";
    if (m->allotted && gen_meets_lanes(t)) text_add(out, "    begin_instance(thread, run);\n");
    if (some_reduce(t) && dialect != DIALECT_C)
        text_printf(out, "    bool here = thread < %d;\n", t->nthreads);
    if (gen_joins(m)) text_add(out, "    int seat = thread;\n    thread = text_of(seat);\n");
    for (int b = 0; b < t->nbodies; b++) {
        const struct body *body = &t->bodies[b];
        text_printf(out, "    if (thread >= %d && thread < %d) {\n", first, first + body->count);
        print_call(t, body, first, dialect, out);
        text_add(out, "    }\n");
        first += body->count;
    }
    if (m->allotted) text_printf(out, "    end_instance(%s, run);\n", seat);
    text_add(out, "}\n\n");
}

static void print_obs_thread(const struct test *t, struct text *out) {
    text_add(out, "/* Which thread yields an observable; -1: final memory. */\n"
                  "static ROLE int obs_thread(int o)\n{\n    switch (o) {\n");
    for (int o = 0; o < t->nobs; o++)
        for (int word = 0; word < gen_words(t->obs[o].type) && t->obs[o].is_reg; word++)
            text_printf(out, "    case %d: return %d;\n", gen_first_word(t, o) + word, t->obs[o].thread);
    text_add(out, "    default: return -1;\n    }\n}\n\n");
}

/* Whether the cell has weak accesses, for whose value the assembler could take what touch() read. */
static bool has_weak_accesses(const struct test *t, const struct cell *cell, enum dialect dialect) {
    for (int k = 1; k <= t->nops && dialect != DIALECT_C; k++) {
        const struct op *op = &t->ops[k];
        bool accesses = op_rows[op->name].orders && op_kinds[op->kind].touches[0];
        if (accesses && op_strength(t, cell, op).order == ORDER_WEAK) return true;
    }
    return false;
}

static void print_touch(const struct test *t, const struct cell *cell, enum dialect dialect,
                        struct text *out) {
    bool weak = has_weak_accesses(t, cell, dialect);
    text_printf(out,
                "/* Reads the locations whose bit is set, so that what they hold now may be cached. */\n"
                "static ROLE int touch(struct instance I, %s *_run, int which)\n{\n    int seen = 0;\n",
                gen_player(dialect));
    for (int l = 0; l < t->nlocs && l < 8; l++) {
        if (t->locs[l].view) continue;
        text_printf(out, "    if (which & %d) seen ^= load_plain(%s", 1 << l,
                    weak ? "displaced_before(" : "");
        gen_field(out, "I.", &t->locs[l]);
        text_printf(out, "%s);\n", weak ? ", _run)" : "");
    }
    text_add(out, "    return seen;\n}\n\n");
}

void gen_dispatch(const struct test *t, const struct cell *cell, const struct meeting *m,
                  enum dialect dialect, struct text *out) {
    print_touch(t, cell, dialect, out);
    print_play(t, m, dialect, out);
    print_obs_thread(t, out);
    gen_observe(t, dialect, out);
}
