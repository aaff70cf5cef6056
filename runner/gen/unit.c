/* The frame of a unit: constants, the instance's layout, and the dispatch to the bodies. */
#include <ctype.h>
#include <string.h>

#include "gen/gen.h"
#include "gen/names.h"
#include "litmus/company.h"

/* Names that bodies call, which a register or location of the same name would hide; and macros of the
 * standard headers and of old compilers. */
static const char *const prelude_names[] = {
    "at", "turn",  "idiv",   "imod",   "ishl",  "ishr", "loc",  "shared_loc", "errno",  "assert",   "complex",
    "I",  "stdin", "stdout", "stderr", "linux", "unix", "i386", "keep_order", "narrow", "sleep_for"};
static const char *const prelude_prefixes[] = {"load_", "store_", "atom_", "fence_", "barrier_",
                                               "copy_", "make_",  "popc_", "clz_",   "brev_",
                                               "idiv_", "imod_",  "ishl_", "ishr_"};

/* Macros are in capitals, and of more than one letter. */
static bool is_in_capitals(const char *name) {
    for (const char *s = name; *s; s++)
        if (islower((unsigned char)*s)) return false;
    return name[1] != '\0';
}

void gen_name(struct text *out, const char *name) {
    bool hides = is_in_capitals(name);
    for (size_t i = 0; i < sizeof prelude_names / sizeof *prelude_names; i++)
        hides = hides || strcmp(name, prelude_names[i]) == 0;
    for (size_t i = 0; i < sizeof prelude_prefixes / sizeof *prelude_prefixes; i++)
        hides = hides || strncmp(name, prelude_prefixes[i], strlen(prelude_prefixes[i])) == 0;
    const char *lane = strchr(name, '.'); /* the view of an element of a vector */
    if (lane)
        text_printf(out, "%.*s_%s__", (int)(lane - name), name, lane + 1);
    else
        text_printf(out, "%s%s", name, hides ? "__" : "");
}

/* r[1][2] as r__1_2, a name that no user can write. */
static void print_element(struct text *out, const char *name, const char *index) {
    text_printf(out, "%.*s_", (int)(index - name), name);
    for (; *index; index++)
        if (*index != ']') text_printf(out, "%c", *index == '[' ? '_' : *index);
}

void gen_reg_name(struct text *out, const struct body *b, int reg) {
    const struct reg *r = &b->regs[reg];
    const char *index = strchr(r->name, '['); /* an element of an array of registers */
    if (r->temporary)
        text_printf(out, "_t%d", reg);
    else if (index)
        print_element(out, r->name, index);
    else
        gen_name(out, r->name);
}

const char *gen_player(enum dialect dialect) {
    return dialect == DIALECT_C ? "struct cpu_player" : "struct run";
}

const char *gen_grid_word(enum dialect dialect, enum expr_kind kind) {
    if (dialect == DIALECT_EMULATED) return kind == EXPR_BLOCK ? "_block" : "_thread";
    return kind == EXPR_BLOCK ? "blockIdx" : "threadIdx";
}

int gen_words(struct type t) {
    return (type_bytes(t) + 3) / 4;
}

/* The lanes of a vector that lie in a word, or halves of one of 64 bits. */
static void print_lane_word(struct text *out, struct type t, const char *name, int word) {
    int bits = t.bits == 1 ? 8 : t.bits, first = 32 * word / bits, n = bits < 32 ? 32 / bits : 1;
    for (int k = 0; k < n && first + k < t.lanes; k++) {
        text_printf(out, "%s", k ? " | " : "(int)(");
        text_printf(out, "%s%s.%c%s",
                    t.real       ? "bits_of("
                    : bits == 8  ? "(uint8_t)"
                    : bits == 16 ? "(uint16_t)"
                    : bits == 32 ? "(unsigned)"
                                 : "(uint64_t)",
                    name, type_lane_name(first + k), t.real ? ")" : "");
        if (bits == 64 ? word % 2 : k)
            text_printf(out, bits == 64 ? " >> %d" : " << %d", bits == 64 ? 32 : bits * k);
    }
    text_add(out, ")");
}

void gen_word(struct text *out, struct type t, const char *name, int word) {
    if (type_is_vector(t))
        print_lane_word(out, t, name, word);
    else if (type_same(t, type_int))
        text_add(out, name);
    else if (t.real)
        text_printf(out, "(int)bits_of(%s)", name);
    else if (t.bits > 32)
        text_printf(out, "(int)((%s)%s >> %d)", t.bits == 64 ? "uint64_t" : "unsigned __int128", name,
                    32 * word);
    else
        text_printf(out, "(int)%s", name);
}

bool gen_body_uses(const struct test *t, const struct body *b, int l) {
    for (int k = 1; k <= t->nops; k++)
        if (t->ops[k].body == b && op_uses(&t->ops[k], l)) return true;
    return false;
}

bool gen_reg_observed(const struct test *t, const struct body *b, int reg) {
    for (int o = 0; o < t->nobs; o++)
        if (t->obs[o].is_reg && t->threads[t->obs[o].thread].body == b && t->obs[o].reg == reg) return true;
    return false;
}

/* The first of an observable's words. */
static int first_word(const struct test *t, int observable) {
    int n = 0;
    for (int o = 0; o < observable; o++)
        n += gen_words(t->obs[o].type);
    return n;
}

static int observer(const struct test *t) {
    for (int o = 0; o < t->nobs; o++)
        if (!t->obs[o].is_reg || t->obs[o].thread != t->obs[0].thread) return -1;
    return t->obs[0].thread;
}

/* Those of all blocks where they lie in one memory. */
static int shared_elements(const struct test *t, enum dialect dialect) {
    int n = 0;
    for (int l = 0; l < t->nlocs && dialect == DIALECT_C; l++)
        if (t->locs[l].space == SPACE_SHARED) n += location_elements(&t->locs[l]);
    return dialect == DIALECT_C ? n : gen_shape(t).shared_elements;
}

/* The one barrier of a block that a test has. */
static int leaving_barrier(const struct test *t) {
    int k = 1;
    while (!company_meets(&t->ops[k]))
        k++;
    return t->ops[k].barrier_id;
}

void gen_constants(const struct test *t, const struct cell *cell, const struct seating *r,
                   const struct meeting *m, enum dialect dialect, struct text *out) {
    const struct placement *p = cell->placement;
    struct shape s = gen_shape(t);
    int cluster = p->nblocks > 1 && p->nclusters == 1 ? p->nblocks : 0;
    text_printf(out, "#define CLUSTER %d /* blocks of a cluster, 0: no clusters */\n", cluster);
    text_printf(out, "#define SHARED  \"%s\"\n", cluster ? ".shared::cluster" : ".shared");
    if (p->nkernels > 1) text_printf(out, "#define KERNELS %d /* of a stream */\n", p->nkernels);
    if (gen_only_open(t, cell, &(struct open_edge){0}))
        text_add(out, "#define COLD 1 /* an element may lie on many pages */\n");
    if (s.own) text_add(out, "#define OWN_SHARED /* each block has locations in its shared memory */\n");
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
        s.waits, s.barriers, s.waits || s.arrays);
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

static void print_field(struct text *out, const char *of, const struct location *l) {
    text_printf(out, "%s", of);
    gen_name(out, l->name);
}

static const char *const at_function[] = {"global_at", "shared_at", "host_at"};

/* A word of an initial value. */
static int word_of(struct value v, int word) {
    return (int)(uint32_t)((word < 2 ? v.lo : v.hi) >> 32 * (word % 2));
}

/* One word after the other, of each element: `elements` of them, in as many instances. */
static void print_init(const struct location *l, int elements, struct text *out) {
    bool array = l->array || elements > 1, same = array && !l->inits;
    int words = gen_words(l->type), n = same ? 1 : elements;
    for (int k = 0; k < n; k++)
        for (int word = 0; word < words; word++) {
            text_add(out, "    ");
            if (same) text_printf(out, "for (int i = 0; i < %d; i++) ", elements);
            text_add(out, words > 1 ? "store_plain(word_of(" : "store_plain(");
            print_field(out, array ? "at(_run, I." : "I.", l);
            if (same) text_printf(out, ", i, %d)", elements);
            if (array && !same) text_printf(out, ", %d, %d)", k, elements);
            if (words > 1) text_printf(out, ", %d)", word);
            text_printf(out, ", %d);\n", word_of(location_init(l, k), word));
        }
}

static void print_views(const struct test *t, struct text *out) {
    for (int l = 0; l < t->nlocs; l++) {
        const struct location *view = &t->locs[l];
        if (!view->view) continue;
        print_field(out, "    I.", view);
        print_field(out, " = byte_of(I.", &t->locs[view->of]);
        text_printf(out, ", %d);\n", view->at);
    }
}

void gen_instance(const struct test *t, enum dialect dialect, struct text *out) {
    int offset[3] = {0, 0, 0};
    text_add(out, "/* One instance: every location of the test. */\nstruct instance {\n");
    for (int l = 0; l < t->nlocs; l++) {
        text_printf(out, "    %s ", t->locs[l].space == SPACE_SHARED ? "shared_loc" : "loc");
        print_field(out, "", &t->locs[l]);
        text_add(out, ";\n");
    }
    text_printf(out,
                "};\n\n/* Where instance i of a chunk lies: its first element among the instance's, and "
                "how many. */\n"
                "static ROLE struct instance locate(const %s *run, int chunk, int i)\n{\n"
                "    struct instance I;\n",
                gen_player(dialect));
    for (int l = 0; l < t->nlocs; l++) {
        const struct location *loc = &t->locs[l];
        if (loc->view) continue;
        print_field(out, "    I.", loc);
        bool own = loc->instances > 1 && dialect != DIALECT_C;
        text_printf(out, " = %s%s(run, chunk, i, %d, %d", own ? "own_" : "", at_function[loc->space],
                    offset[loc->space], loc->count);
        if (loc->space == SPACE_GLOBAL) text_printf(out, ", %d", loc->gpu);
        text_add(out, ");\n");
        offset[loc->space] += dialect == DIALECT_C ? location_elements(loc) : loc->count;
    }
    print_views(t, out);
    text_printf(out, "    return I;\n}\n\nstatic ROLE void init(struct instance I, %s *_run)\n{\n",
                gen_player(dialect));
    for (int l = 0; l < t->nlocs; l++)
        if (!t->locs[l].view && (dialect == DIALECT_C || t->locs[l].instances == 1))
            print_init(&t->locs[l], location_elements(&t->locs[l]), out);
    text_add(out, "}\n\n");
    if (dialect == DIALECT_C || !gen_shape(t).own) return;
    text_add(out, "/* What this block has in its shared memory. */\n"
                  "static ROLE void init_own(struct instance I, struct run *_run)\n{\n");
    for (int l = 0; l < t->nlocs; l++)
        if (t->locs[l].instances > 1 && !t->locs[l].view) print_init(&t->locs[l], t->locs[l].count, out);
    text_add(out, "}\n\n");
}

/* A location as an argument. In C the instances of all blocks lie one behind the other; a body is given its block's. */
static void print_argument(const struct test *t, int l, const struct body *b, int first, enum dialect dialect,
                           struct text *out) {
    const struct location *loc = &t->locs[l];
    bool own = loc->instances > 1 && dialect == DIALECT_C;
    print_field(out, own ? "own_of(I." : "I.", loc);
    if (own)
        text_printf(out, ", %d + (thread - %d) / %d, %d)", t->threads[first].block, first,
                    b->grid ? b->block : 1, t->locs[location_root(t, l)].count);
    text_add(out, ", ");
}

/* Finds the observable of a register of a body's only thread; NULL when there is none, or more than one. */
static const struct observable *sole_observable(const struct test *t, const struct body *b, int reg) {
    const struct observable *found = NULL;
    for (int o = 0; o < t->nobs; o++) {
        if (!t->obs[o].is_reg || t->obs[o].reg != reg || t->threads[t->obs[o].thread].body != b) continue;
        if (found) return NULL;
        found = &t->obs[o];
    }
    return found;
}

/* Where a body's registers stand side by side among the observables, in their order; -1 when they do not. */
static int side_by_side(const struct test *t, const struct body *b) {
    int at = -1, next = -1;
    for (int r = 0; r < b->nregs; r++) {
        if (!gen_reg_observed(t, b, r)) continue;
        const struct observable *o = b->count == 1 ? sole_observable(t, b, r) : NULL;
        int word = o ? first_word(t, (int)(o - t->obs)) : -1;
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

/* Copies what a body's registers are as observables. */
static void print_observed(const struct test *t, const struct body *b, struct text *out) {
    for (int r = 0, k = 0; r < b->nregs; r++) {
        if (!gen_reg_observed(t, b, r)) continue;
        for (int o = 0; o < t->nobs; o++) {
            const struct observable *ob = &t->obs[o];
            if (!ob->is_reg || ob->reg != r || t->threads[ob->thread].body != b) continue;
            for (int word = 0; word < gen_words(b->regs[r].type); word++) {
                text_add(out, "        ");
                if (b->count > 1) text_printf(out, "if (thread == %d) ", ob->thread);
                text_printf(out, "obs[%d] = regs[%d]; /* %s */\n", first_word(t, o) + word, k + word,
                            ob->name);
            }
        }
        k += gen_words(b->regs[r].type);
    }
}

/* The call of one body. It writes its registers where they belong if it can: copies go through memory. */
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
            text_printf(out, "    case %d: return %d;\n", first_word(t, o) + word, t->obs[o].thread);
    text_add(out, "    default: return -1;\n    }\n}\n\n");
}

/* A word of an element of a view, out of the word in which its bytes lie: of one location, or of one that each of so many
 * blocks has. */
static void print_final_view(const struct test *t, int o, int element, int blocks, int word,
                             struct text *out) {
    const struct location *l = &t->locs[t->obs[o].loc];
    int bytes = type_bytes(l->type), at = l->at + element % l->count * bytes + 4 * word;
    text_printf(out, "    obs[%d] = (int)((unsigned)load_plain(word_of(%s", first_word(t, o) + word,
                blocks > 1 ? "at(_run, " : "");
    print_field(out, "I.", &t->locs[l->of]);
    if (blocks > 1) text_printf(out, ", %d, %d)", element / l->count, blocks);
    text_printf(out, ", %d)) >> %d", at / 4, at % 4 * 8);
    if (bytes < 4) text_printf(out, " & 0x%xu", (1u << 8 * bytes) - 1);
    text_add(out, ");\n");
}

/* Reads the words of an observable, which is one of `elements` of its location. */
static void print_final(const struct test *t, int o, int element, int elements, struct text *out) {
    const struct location *l = &t->locs[t->obs[o].loc];
    bool array = l->array || elements > 1;
    int words = gen_words(l->type);
    for (int word = 0; word < words; word++) {
        if (l->view) {
            print_final_view(t, o, element, elements / l->count, word, out);
            continue;
        }
        text_printf(out, "    obs[%d] = load_plain(%s", first_word(t, o) + word, words > 1 ? "word_of(" : "");
        print_field(out, array ? "at(_run, I." : "I.", l);
        if (array) text_printf(out, ", %d, %d)", element, elements);
        if (words > 1) text_printf(out, ", %d)", word);
        text_add(out, ");\n");
    }
}

static bool is_own(const struct test *t, int o) {
    return !t->obs[o].is_reg && t->locs[t->obs[o].loc].instances > 1;
}

static void print_observe(const struct test *t, enum dialect dialect, struct text *out) {
    text_printf(out,
                "/* Final memory. */\nstatic ROLE void observe(struct instance I, %s *_run, int *obs)\n{\n",
                gen_player(dialect));
    for (int o = 0; o < t->nobs; o++)
        if (!t->obs[o].is_reg && (dialect == DIALECT_C || !is_own(t, o)))
            print_final(t, o, t->obs[o].index, location_elements(&t->locs[t->obs[o].loc]), out);
    text_add(out, "}\n\n");
}

/* The first thread of a block of the test. */
static int first_of_block(const struct test *t, int block) {
    int k = 0;
    while (t->threads[k].block != block)
        k++;
    return k;
}

/* The same of what each block has in its own shared memory. */
static void print_observe_own(const struct test *t, struct text *out) {
    text_add(
        out,
        "/* A thread of the block in whose own shared memory an observable is; -1: it is not in any. */\n"
        "static ROLE int obs_block(int o)\n{\n    switch (o) {\n");
    for (int o = 0; o < t->nobs; o++)
        for (int word = 0; is_own(t, o) && word < gen_words(t->obs[o].type); word++)
            text_printf(out, "    case %d: return %d;\n", first_word(t, o) + word,
                        first_of_block(t, t->obs[o].index / t->locs[t->obs[o].loc].count));
    text_add(out, "    default: return -1;\n    }\n}\n\n"
                  "static ROLE void observe_own(struct instance I, struct run *_run, int *obs)\n{\n");
    for (int o = 0; o < t->nobs; o++)
        if (is_own(t, o))
            print_final(t, o, t->obs[o].index % t->locs[t->obs[o].loc].count, t->locs[t->obs[o].loc].count,
                        out);
    text_add(out, "}\n\n");
}

/* Whether the assembler could take what was read beforehand for what a weak access reads. */
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
        print_field(out, "I.", &t->locs[l]);
        text_printf(out, "%s);\n", weak ? ", _run)" : "");
    }
    text_add(out, "    return seen;\n}\n\n");
}

void gen_dispatch(const struct test *t, const struct cell *cell, const struct meeting *m,
                  enum dialect dialect, struct text *out) {
    print_touch(t, cell, dialect, out);
    print_play(t, m, dialect, out);
    print_obs_thread(t, out);
    print_observe(t, dialect, out);
    if (dialect != DIALECT_C && gen_shape(t).own) print_observe_own(t, out);
}
