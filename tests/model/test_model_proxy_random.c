/* Random tables with several addresses of a location and other proxies, held against a second writing of the paper's model
 * (Lustig, Cooksey, Giroux: "Mixed-Proxy Extensions for the NVIDIA PTX Memory Consistency Model", ISCA 2022): all sources
 * of all reads, all partial coherence orders, each clause of proxy-preserved causality in turn; whole outcome sets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "base/text.h"
#include "brute_rel.h"
#include "model/model.h"
#include "oracle.h"
#include "source/read.h"

static struct oracle oracle = {.programs = 1500, .seed = 20261123};

enum { THREADS = 2, MOST_OPS = 4, LOCS = 2, MOST_REGS = THREADS * MOST_OPS };
enum way { GENERIC, SURFACE, TEXTURE, CONSTANT, ALIAS };
enum kind { READ, WRITE, FENCE, PROXY_FENCE };
enum order_word { WEAK, RELAXED, ACQUIRE, RELEASE, ACQ_REL };

/* Location 0 is x, and a, by another address; y, z and c are its names elsewhere. Location 1 is f. */
static const struct {
    const char *name, *load;
    int va;
    enum way proxy;
} names[] = {{"x", "ld", 0, GENERIC},  {"a", "ld", 2, GENERIC},    {"y", "suld", 0, SURFACE},
             {"z", "tld", 0, TEXTURE}, {"c", "cold", 0, CONSTANT}, {"b", "suld", 2, SURFACE},
             {"f", "ld", 1, GENERIC}};
enum { NAMES = sizeof names / sizeof *names, FLAG = NAMES - 1 };

struct event {
    enum kind kind;
    enum order_word strength;
    int thread; /* -1: an initial write */
    int name;   /* of an access */
    int loc, va;
    enum way proxy; /* of an access, and which a fence is of */
    int value;
};

struct program {
    struct event events[MAX_EVENTS];
    int n, blocks; /* of blocks: 1 or 2 */
    uint64_t random;
    struct rel po, ms, rf, co, base, cause;
    int source[MAX_EVENTS];
    int outcomes[4096][MOST_REGS + LOCS], noutcomes, nobs;
};

#define EACH(e) for (int e = 0; e < p->n; e++)

static int pick(struct program *p, int n) {
    return (int)(random_next(&p->random) >> 33) % n;
}

/* ---- random programs ---- */

static struct event random_access(struct program *p, int thread, int k) {
    int name = pick(p, 3) ? pick(p, FLAG) : FLAG;
    bool write = pick(p, 2) && names[name].proxy != TEXTURE && names[name].proxy != CONSTANT;
    struct event e = {.kind = write ? WRITE : READ, .thread = thread, .name = name};
    enum order_word strengths[] = {WEAK, RELAXED, write ? RELEASE : ACQUIRE};
    e.strength = strengths[name == FLAG ? 2 - pick(p, 2) : pick(p, 2) * pick(p, 3)];
    e.loc = name == FLAG;
    e.va = names[name].va;
    e.proxy = names[name].proxy;
    e.value = write ? 1 + thread * MOST_OPS + k : 0;
    return e;
}

static struct event random_event(struct program *p, int thread, int k) {
    int chance = pick(p, 10);
    if (chance == 0) return (struct event){.kind = FENCE, .strength = ACQ_REL, .thread = thread};
    if (chance > 3) return random_access(p, thread, k);
    return (struct event){.kind = PROXY_FENCE, .thread = thread, .proxy = 1 + (enum way)pick(p, 4)};
}

static void make_program(struct program *p) {
    p->n = 0;
    p->blocks = 1 + pick(p, 2);
    for (int loc = 0; loc < LOCS; loc++)
        p->events[p->n++] = (struct event){.kind = WRITE, .thread = -1, .loc = loc, .va = loc};
    for (int t = 0; t < THREADS; t++)
        for (int k = 0, n = 1 + pick(p, MOST_OPS); k < n; k++)
            p->events[p->n++] = random_event(p, t, k);
}

static void write_event(const struct event *e, int k, struct text *out) {
    static const char *const words[] = {".weak", ".relaxed.gpu", ".acquire.gpu", ".release.gpu"};
    static const char *const proxies[] = {"", "surface", "texture", "constant", "alias"};
    if (e->kind == FENCE) text_add(out, "fence.acq_rel.gpu");
    if (e->kind == PROXY_FENCE) text_printf(out, "fence.proxy.%s", proxies[e->proxy]);
    if (e->kind == READ)
        text_printf(out, "%s%s r%d, %s", names[e->name].load, words[e->strength], k, names[e->name].name);
    if (e->kind == WRITE)
        text_printf(out, "%s%s %s, %d", e->proxy == SURFACE ? "sust" : "st", words[e->strength],
                    names[e->name].name, e->value);
}

/* Event number k of a thread, or NULL. */
static const struct event *nth(const struct program *p, int thread, int k) {
    EACH(e) if (p->events[e].thread == thread && k-- == 0) return &p->events[e];
    return NULL;
}

static void write_program(const struct program *p, struct text *out) {
    text_printf(
        out,
        "PTX random\n{ x=0; f=0; a @ generic aliases x; y @ surface aliases x; z @ texture aliases x; c @ "
        "constant aliases x; b @ surface aliases a; }\n P0@cta 0,gpu 0 | P1@cta %d,gpu 0 ;\n",
        p->blocks - 1);
    for (int k = 0; k < MOST_OPS; k++) {
        for (int t = 0; t < THREADS; t++) {
            const struct event *e = nth(p, t, k);
            text_add(out, t ? " | " : " ");
            if (e) write_event(e, k, out);
        }
        text_add(out, " ;\n");
    }
    text_add(out, "exists (x == 0 /\\ f == 0");
    for (int t = 0; t < THREADS; t++)
        for (int k = 0; k < MOST_OPS; k++) {
            const struct event *e = nth(p, t, k);
            if (e && e->kind == READ) text_printf(out, " /\\ P%d:r%d == 0", t, k);
        }
    text_add(out, ")\n");
}

/* ---- the model, from its definitions ---- */

static bool is_memory(const struct event *e) {
    return e->kind == READ || e->kind == WRITE;
}

static bool is_strong(const struct event *e) {
    return e->kind == FENCE || (is_memory(e) && e->strength != WEAK);
}

/* The proxy by which an event is performed: a fence is no access. */
static enum way performed_by(const struct event *e) {
    return is_memory(e) ? e->proxy : GENERIC;
}

static bool is_same_block(const struct program *p, const struct event *x, const struct event *y) {
    return x->thread >= 0 && y->thread >= 0 && (x->thread == y->thread || p->blocks == 1);
}

static bool are_morally_strong(const struct program *p, int x, int y) {
    const struct event *a = &p->events[x], *b = &p->events[y];
    if (x == y || a->thread < 0 || b->thread < 0 || performed_by(a) != performed_by(b)) return false;
    if (is_memory(a) && is_memory(b) && a->va != b->va) return false;
    return a->thread == b->thread || (is_strong(a) && is_strong(b));
}

static bool is_po_same(const struct program *p, int x, int y) {
    const struct event *a = &p->events[x], *b = &p->events[y];
    return has(&p->po, x, y) && is_memory(a) && is_memory(b) && a->va == b->va;
}

static bool is_release(const struct program *p, int x, int w) {
    const struct event *a = &p->events[x], *b = &p->events[w];
    if (b->kind != WRITE || !is_strong(b)) return false;
    if (a->kind == FENCE) return has(&p->po, x, w);
    return a->kind == WRITE && a->strength == RELEASE && (x == w || is_po_same(p, x, w));
}

static bool is_acquire(const struct program *p, int r, int y) {
    const struct event *a = &p->events[r], *b = &p->events[y];
    if (a->kind != READ || !is_strong(a)) return false;
    if (b->kind == FENCE) return has(&p->po, r, y);
    return b->kind == READ && b->strength == ACQUIRE && (r == y || is_po_same(p, r, y));
}

static void find_base(struct program *p) {
    struct rel any = p->po;
    EACH(w)
    EACH(r)
    if (has(&p->rf, w, r) && has(&p->ms, w, r)) EACH(x)
    EACH(y) if (has(&p->ms, x, y) && is_release(p, x, w) && is_acquire(p, r, y)) add(&any, x, y);
    p->base = closure(&any);
}

/* Whether event f is a fence of the proxy of access m, in its block. */
static bool fences(const struct program *p, int f, int m) {
    const struct event *a = &p->events[f], *b = &p->events[m];
    return a->kind == PROXY_FENCE && a->proxy == b->proxy && is_same_block(p, a, b);
}

static bool is_generic(const struct program *p, int e) {
    return p->events[e].proxy == GENERIC;
}

/* Whether base causality leads from x to y, through an alias fence if there has to be one. */
static bool leads(const struct program *p, int x, int y, bool alias) {
    if (!alias) return has(&p->base, x, y);
    EACH(f)
    if (p->events[f].kind == PROXY_FENCE && p->events[f].proxy == ALIAS && has(&p->base, x, f) &&
        has(&p->base, f, y))
        return true;
    return false;
}

/* The clauses of proxy-preserved base causality: with an alias fence on the way, or of one address. */
static bool is_preserved_so(const struct program *p, int x, int y, bool alias) {
    if (is_generic(p, x) && is_generic(p, y) && leads(p, x, y, alias)) return true;
    EACH(f) {
        bool source = fences(p, f, x) && has(&p->base, x, f), target = fences(p, f, y) && has(&p->base, f, y);
        if (source && is_generic(p, y) && leads(p, f, y, alias)) return true;
        if (target && is_generic(p, x) && leads(p, x, f, alias)) return true;
        EACH(g) if (source && fences(p, g, y) && has(&p->base, g, y) && leads(p, f, g, alias)) return true;
    }
    return false;
}

static bool is_preserved(const struct program *p, int x, int y) {
    const struct event *a = &p->events[x], *b = &p->events[y];
    if (!is_memory(a) || !is_memory(b) || a->loc != b->loc || a->thread < 0 || b->thread < 0) return false;
    bool one = a->va == b->va;
    if (one && a->proxy == b->proxy && is_same_block(p, a, b) && has(&p->base, x, y)) return true;
    return (one && is_preserved_so(p, x, y, false)) || is_preserved_so(p, x, y, true);
}

static void find_causality(struct program *p) {
    find_base(p);
    struct rel kept = {{0}}, seen = meet(&p->ms, &p->rf);
    EACH(x) EACH(y) if (is_preserved(p, x, y)) add(&kept, x, y);
    struct rel late = then(&seen, &kept);
    p->cause = join(&kept, &late);
}

static bool is_allowed(const struct program *p) {
    struct rel com = {{0}};
    EACH(x) EACH(y) {
        const struct event *a = &p->events[x], *b = &p->events[y];
        bool writes = a->kind == WRITE && b->kind == WRITE && a->loc == b->loc;
        if (writes && has(&p->cause, x, y) && !has(&p->co, x, y)) return false;
        if (writes && has(&p->ms, x, y) && !has(&p->co, x, y) && !has(&p->co, y, x)) return false;
        bool fr = a->kind == READ && b->kind == WRITE && has(&p->co, p->source[x], y);
        if ((fr || has(&p->rf, x, y)) && has(&p->cause, y, x)) return false;
        if (has(&p->ms, x, y) && (fr || has(&p->rf, x, y) || has(&p->co, x, y))) add(&com, x, y);
        if (is_po_same(p, x, y) && a->proxy == b->proxy) add(&com, x, y);
    }
    return is_acyclic(&com);
}

/* ---- all executions ---- */

static void record(struct program *p, const int *finals) {
    int *values = p->outcomes[p->noutcomes], n = 0;
    for (int loc = 0; loc < LOCS; loc++)
        values[n++] = p->events[finals[loc]].value;
    EACH(e) if (p->events[e].kind == READ) values[n++] = p->events[p->source[e]].value;
    p->nobs = n;
    for (int k = 0; k < p->noutcomes; k++)
        if (memcmp(p->outcomes[k], values, (size_t)n * sizeof *values) == 0) return;
    assert_true(++p->noutcomes < 4096);
}

static bool is_last(const struct program *p, int w, int loc) {
    if (p->events[w].kind != WRITE || p->events[w].loc != loc) return false;
    EACH(e) if (has(&p->co, w, e)) return false;
    return true;
}

static void record_all(struct program *p) {
    if (!is_allowed(p)) return;
    EACH(x) EACH(f) if (is_last(p, x, 0) && is_last(p, f, 1)) record(p, (int[]){x, f});
}

static void choose_co(struct program *p, int x, int y) {
    if (y >= p->n) return x + 2 < p->n ? choose_co(p, x + 1, x + 2) : (void)0;
    const struct event *a = &p->events[x], *b = &p->events[y];
    bool last = x + 2 == p->n && y + 1 == p->n,
         pair = a->kind == WRITE && b->kind == WRITE && a->loc == b->loc;
    struct rel before = p->co;
    for (int turn = a->thread < 0 || !pair ? 1 : 0; turn < (a->thread < 0 || !pair ? 2 : 3); turn++) {
        if (pair && turn) add(&p->co, turn == 1 ? x : y, turn == 1 ? y : x);
        struct rel closed = closure(&p->co);
        if (!last)
            choose_co(p, x, y + 1);
        else if (is_acyclic(&p->co) && memcmp(&closed, &p->co, sizeof closed) == 0)
            record_all(p);
        p->co = before;
    }
}

static void choose_rf(struct program *p, int read) {
    while (read < p->n && p->events[read].kind != READ)
        read++;
    if (read == p->n) {
        find_causality(p);
        p->co = (struct rel){{0}};
        choose_co(p, 0, 1);
        return;
    }
    struct rel before = p->rf;
    EACH(w) {
        if (p->events[w].kind != WRITE || p->events[w].loc != p->events[read].loc) continue;
        p->source[read] = w;
        add(&p->rf, w, read);
        choose_rf(p, read + 1);
        p->rf = before;
    }
}

static void run_program(struct program *p) {
    p->po = p->ms = p->rf = (struct rel){{0}};
    p->noutcomes = 0;
    EACH(x) EACH(y) {
        if (x < y && p->events[x].thread >= 0 && p->events[x].thread == p->events[y].thread)
            add(&p->po, x, y);
        if (are_morally_strong(p, x, y)) add(&p->ms, x, y);
    }
    choose_rf(p, 0);
}

/* ---- the comparison ---- */

static bool is_outcome(const struct program *p, const struct value *values) {
    for (int k = 0; k < p->noutcomes; k++) {
        bool same = true;
        for (int o = 0; o < p->nobs; o++)
            same = same && value_int(type_int, values[o]) == p->outcomes[k][o];
        if (same) return true;
    }
    return false;
}

/* Whether a model allows just these outcomes. */
static bool agrees(const struct program *p, const struct model *m, const char *table) {
    struct diag d = {0};
    struct arena *a = arena_open();
    int n;
    struct test *t = test_read_text(a, "random.litmus", table, strlen(table), &d);
    if (!t) diag_render(&d, stderr, false);
    assert_non_null(t);
    const struct cell *cells = test_cells(t, a, &n);
    struct model_result r;
    assert_true(model_check(m, t, cells, NULL, a, &r, &d));
    assert_int_equal(r.status, MODEL_DONE);
    assert_int_equal(t->nobs, p->nobs);
    bool same = r.noutcomes == p->noutcomes;
    for (int k = 0; k < r.noutcomes; k++)
        same = same && is_outcome(p, r.outcomes[k].values);
    if (!same)
        print_error("%s has %d outcomes, not %d:\n%s\n", model_name(m), r.noutcomes, p->noutcomes, table);
    diag_free(&d);
    arena_close(a);
    return same;
}

static void test_random_proxies(void **state) {
    (void)state;
    struct diag d = {0};
    struct arena *a = arena_open();
    const struct model *models[] = {model_load(a, "ptx", &d), model_load(a, "ptx-proxy", &d)};
    struct program *p = arena_alloc(a, sizeof *p);
    p->random = oracle.seed;
    int several = 0;
    for (; oracle.drawn < oracle.programs; oracle.drawn++) {
        struct text table = {0};
        make_program(p);
        write_program(p, &table);
        run_program(p);
        several += p->noutcomes > 1;
        for (int m = 0; m < 2; m++)
            oracle.different += !agrees(p, models[m], table.s);
        oracle.compared += 2;
        text_free(&table);
    }
    assert_true(several > oracle.programs / 4);
    assert_int_equal(oracle.different, 0);
    arena_close(a);
}

int main(int argc, char **argv) {
    oracle_begin(&oracle, "test_random*", argc, argv);
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_proxies)};
    return oracle_end(&oracle, cmocka_run_group_tests(tests, NULL, NULL));
}
