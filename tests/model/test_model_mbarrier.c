/* Random programs whose threads arrive at mbarriers and wait for their phases. What such a program can end with when its
 * threads take turns is allowed by each model. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../random.h"
#include "ask.h"
#include "base/text.h"
#include "oracle.h"

enum {
    THREADS = 3,
    STEPS = 5,
    BARS = 2,
    MOST_READS = 8,
    MOST_OUTCOMES = 4096,
    BYTES = 16 /* of a transaction */
};

enum what {
    STORE,
    LOAD,
    ARRIVE,
    ARRIVE_WAIT,
    TEST,
    SPIN,
    ARRIVE_TOLD,
    DROP,
    ARRIVE_TX,
    EXPECT,
    COMPLETE,
    WHATS
};

struct step {
    enum what what;
    int bar, value; /* which word or mbarrier; what is stored, or a parity */
    int reg;        /* of what it reads; -1: none */
};

struct program {
    int nthreads, nsteps[THREADS], count[BARS], nreads;
    bool told;   /* memory says what the counts are */
    bool counts; /* some arrivals ask how many were still to come, and promise that they are not the last */
    bool drops;  /* some arrivals are missing in later phases */
    bool bytes;  /* phases wait for transactions */
    struct step steps[THREADS][STEPS];
};

static struct oracle oracle = {.programs = 300, .seed = 42};

/* ---- programs ---- */

static struct step draw_step(struct program *p, int value) {
    struct step s = {.what = (enum what)pick(WHATS), .bar = pick(BARS), .value = pick(2), .reg = -1};
    bool sends = s.what == ARRIVE_TX || s.what == EXPECT || s.what == COMPLETE;
    if ((s.what == ARRIVE_TOLD && !p->counts) || (s.what == DROP && !p->drops) || (sends && !p->bytes))
        s.what = ARRIVE;
    bool reads = s.what == LOAD || s.what == TEST || s.what == ARRIVE_TOLD;
    if (reads && p->nreads == MOST_READS) s.what = STORE;
    if (s.what == STORE) s.value = value;
    if (reads && s.what != STORE) s.reg = p->nreads++;
    return s;
}

static struct program draw(void) {
    struct program p = {
        .nthreads = 2 + pick(2), .counts = pick(3) == 0, .drops = pick(3) == 0, .bytes = pick(3) == 0};
    for (int b = 0; b < BARS; b++)
        p.count[b] = p.counts || p.drops ? 2 + pick(3) : 1 + pick(2);
    for (int t = 0; t < p.nthreads; t++) {
        p.nsteps[t] = 1 + pick(p.nthreads == 2 ? STEPS : 3);
        for (int k = 0; k < p.nsteps[t]; k++)
            p.steps[t][k] = draw_step(&p, 1 + t * STEPS + k);
    }
    p.told = pick(4) == 0;
    return p;
}

static void write_step(struct text *out, const struct step *s, bool strong) {
    const char *relaxed = "cuda::ptx::sem_relaxed, cuda::ptx::scope_cta, ", *sem = strong ? "" : relaxed;
    const char *arrival =
        strong ? "" : "cuda::ptx::sem_relaxed, cuda::ptx::scope_cta, cuda::ptx::space_shared, ";
    const char *word = s->bar ? "y" : "x";
    switch (s->what) {
    case STORE: text_printf(out, "    store(%s, %d, weak);\n", word, s->value); break;
    case LOAD: text_printf(out, "    int r%d = load(%s, weak);\n", s->reg, word); break;
    case ARRIVE: text_printf(out, "    mbarrier_arrive(%s&b[%d]);\n", arrival, s->bar); break;
    case ARRIVE_WAIT:
        text_printf(out, "    {\n      uint64_t t = mbarrier_arrive(%s&b[%d]);\n", arrival, s->bar);
        text_printf(out, "      while (!mbarrier_test_wait(%s&b[%d], t)) {}\n    }\n", sem, s->bar);
        break;
    case TEST:
        text_printf(out, "    int r%d = mbarrier_test_wait_parity(%s&b[%d], %d);\n", s->reg, sem, s->bar,
                    s->value);
        break;
    case SPIN:
        text_printf(out, "    while (!mbarrier_test_wait_parity(%s&b[%d], %d)) {}\n", sem, s->bar, s->value);
        break;
    case ARRIVE_TOLD:
        text_printf(out, "    int r%d = mbarrier_pending_count(mbarrier_arrive_no_complete(&b[%d], 1));\n",
                    s->reg, s->bar);
        break;
    case DROP: text_printf(out, "    mbarrier_arrive_drop(%s&b[%d]);\n", arrival, s->bar); break;
    case ARRIVE_TX:
        text_printf(out, "    mbarrier_arrive_expect_tx(%s&b[%d], %d);\n", arrival, s->bar, BYTES);
        break;
    case EXPECT: text_printf(out, "    mbarrier_expect_tx(&b[%d], %d);\n", s->bar, BYTES); break;
    case COMPLETE: text_printf(out, "    mbarrier_complete_tx(&b[%d], %d);\n", s->bar, BYTES); break;
    case WHATS: break;
    }
}

static void write_program(struct text *out, const struct program *p, bool strong) {
    text_printf(out,
                "name: test\nmemory: {x: 0, y: 0, n: {count: 2, init: [%d, %d]}, b: {type: mbarrier, space: "
                "shared, count: 2}}\nplacements: [\"block\"]\nthreads:\n",
                p->count[0], p->count[1]);
    for (int t = 0; t < p->nthreads; t++) {
        text_printf(out, "  T%d: |\n", t);
        for (int b = 0; b < BARS && t == 0; b++)
            if (p->told)
                text_printf(out, "    mbarrier_init(&b[%d], 3 - (3 - n[%d]));\n", b, b);
            else
                text_printf(out, "    mbarrier_init(&b[%d], %d);\n", b, p->count[b]);
        text_add(out, "    __syncthreads();\n");
        for (int k = 0; k < p->nsteps[t]; k++)
            write_step(out, &p->steps[t][k], strong);
    }
    text_add(out, "exists: x == 0 && y == 0");
    for (int r = 0; r < p->nreads; r++)
        text_printf(out, " && r%d == 0", r);
    text_add(out, "\n");
}

/* ---- turns ---- */

struct bar {
    int phase, pending, count, bytes;
};

/* What the threads have done so far: words, mbarriers, what was read, and where each thread is. */
struct turns {
    int at[THREADS], token[THREADS], word[BARS], read[MOST_READS];
    struct bar bar[BARS];
    bool waits[THREADS];
    bool
        broken; /* an arrival was the last, and had promised not to be; or one too many; or nobody is left to arrive */
};

/* x, y, and then what was read. */
static int outcomes[MOST_OUTCOMES][BARS + MOST_READS], noutcomes;
static bool some_broken;

static void record(const struct turns *s) {
    some_broken = some_broken || s->broken;
    if (s->broken) return;
    int values[BARS + MOST_READS];
    memcpy(values, s->word, sizeof s->word);
    memcpy(values + BARS, s->read, sizeof s->read);
    for (int k = 0; k < noutcomes; k++)
        if (memcmp(outcomes[k], values, sizeof values) == 0) return;
    if (noutcomes < MOST_OUTCOMES) memcpy(outcomes[noutcomes++], values, sizeof values);
}

/* A phase is over when nobody and nothing is missing (PTX ISA, "Phase of the mbarrier object"). */
static void end_phase(struct bar *b) {
    if (b->pending != 0 || b->bytes != 0) return;
    b->phase++;
    b->pending = b->count;
}

static void arrive(struct turns *s, int bar, int dropped, int bytes) {
    struct bar *b = &s->bar[bar];
    b->count -= dropped;
    b->bytes += bytes;
    s->broken = s->broken || b->pending == 0 || b->count == 0;
    b->pending--;
    end_phase(b);
}

/* Does a thread's next step. False when it has to wait. An arrival that waits takes two turns. */
static bool take_turn(const struct program *p, struct turns *s, int thread) {
    const struct step *step = &p->steps[thread][s->at[thread]];
    int phase = s->bar[step->bar].phase;
    bool over = (phase & 1) != step->value;
    switch (step->what) {
    case STORE: s->word[step->bar] = step->value; break;
    case LOAD: s->read[step->reg] = s->word[step->bar]; break;
    case ARRIVE: arrive(s, step->bar, 0, 0); break;
    case ARRIVE_WAIT:
        if (!s->waits[thread]) {
            s->token[thread] = s->bar[step->bar].phase;
            arrive(s, step->bar, 0, 0);
            s->waits[thread] = true;
            return true;
        }
        if (s->bar[step->bar].phase == s->token[thread]) return false;
        s->waits[thread] = false;
        break;
    case TEST: s->read[step->reg] = over; break;
    case SPIN:
        if (!over) return false;
        break;
    case ARRIVE_TOLD:
        s->read[step->reg] = s->bar[step->bar].pending;
        arrive(s, step->bar, 0, 0);
        s->broken = s->broken || s->bar[step->bar].phase != phase;
        break;
    case DROP: arrive(s, step->bar, 1, 0); break;
    case ARRIVE_TX: arrive(s, step->bar, 0, BYTES); break;
    case EXPECT: s->bar[step->bar].bytes += BYTES; break;
    case COMPLETE:
        s->bar[step->bar].bytes -= BYTES;
        end_phase(&s->bar[step->bar]);
        break;
    case WHATS: break;
    }
    s->at[thread]++;
    return true;
}

static void explore(const struct program *p, const struct turns *s) {
    bool all = true;
    for (int t = 0; t < p->nthreads; t++) {
        if (s->at[t] == p->nsteps[t]) continue;
        all = false;
        const struct step *step = &p->steps[t][s->at[t]];
        struct turns next = *s;
        if (!take_turn(p, &next, t)) continue;
        explore(p, &next);
        struct bar *b = &next.bar[step->bar];
        if (step->what != EXPECT || b->pending != 0 || b->bytes != 0) continue;
        end_phase(b); /* no text says whether bytes that are expected may complete a phase */
        explore(p, &next);
    }
    if (all) record(s);
}

static void find_outcomes(const struct program *p) {
    struct turns s = {0};
    for (int b = 0; b < BARS; b++)
        s.bar[b].pending = s.bar[b].count = p->count[b];
    noutcomes = 0;
    some_broken = false;
    explore(p, &s);
}

/* ---- the comparison ---- */

static bool has_outcome(const struct test *t, const struct model_result *r, const int *values) {
    for (int k = 0; k < r->noutcomes; k++) {
        bool same = true;
        for (int o = 0; o < t->nobs; o++)
            same = same && (int)value_int(t->obs[o].type, r->outcomes[k].values[o]) == values[o];
        if (same) return true;
    }
    return false;
}

/* Whether a model allows all that turns give. A token may be two phases old, and then nothing is promised. */
static bool is_allowed(const struct model *m, const char *yaml) {
    struct arena *a = arena_open();
    struct diag d = {0};
    struct test *t;
    const struct cell *cell = ask_cell(a, yaml, &t);
    struct model_result r;
    bool good = model_check(m, t, cell, NULL, a, &r, &d);
    if (r.status == MODEL_DONE && !r.undefined)
        oracle.compared++;
    else
        oracle.unknown++;
    good = good && (!some_broken || r.status != MODEL_DONE || r.undefined);
    for (int k = 0; k < noutcomes && good && r.status == MODEL_DONE && !r.undefined; k++)
        good = has_outcome(t, &r, outcomes[k]);
    if (!good)
        print_error("%s: %d outcomes by turns, %d by the model\n%s", model_name(m), noutcomes, r.noutcomes,
                    yaml);
    diag_free(&d);
    arena_close(a);
    return good;
}

static void turns_are_allowed(void **state) {
    (void)state;
    static const char *const names[] = {"ptx", "ptx-proxy", "sc", "x86-tso", "aarch64"};
    enum { ALL_MODELS = sizeof names / sizeof *names };
    struct arena *a = arena_open();
    const struct model *models[ALL_MODELS];
    int some = 0;
    seed = oracle.seed;
    for (int k = 0; k < ALL_MODELS; k++)
        models[k] = ask_model(a, names[k]);
    for (; oracle.drawn < oracle.programs; oracle.drawn++) {
        struct program p = draw();
        struct text yaml = {0};
        find_outcomes(&p);
        some += noutcomes > 0;
        write_program(&yaml, &p, pick(2));
        oracle.different += !is_allowed(models[oracle.drawn % ALL_MODELS], yaml.s);
        text_free(&yaml);
    }
    arena_close(a);
    assert_int_equal(oracle.different, 0);
    assert_true(some > oracle.drawn / 8);
}

/* Who sees a phase complete comes behind the arrivals of those before where threads take turns. PTX does not say so: the
 * second thread's arrival does not acquire. */
static void phases_take_turns(void **state) {
    (void)state;
    static const char before[] =
        "name: test\nmemory: {x: 0, b: {type: mbarrier, space: shared}}\nplacements: [block]\nthreads:\n"
        "  T0: 'mbarrier_init(&b, 1); __syncthreads(); x = 1; mbarrier_arrive(&b);'\n"
        "  T1: '__syncthreads(); mbarrier_arrive(&b); while (!mbarrier_test_wait_parity(&b, 1)) {} int r = "
        "x;'\n"
        "exists: r == 0\n";
    struct arena *a = arena_open();
    struct test *t;
    struct model_result r;
    struct diag d = {0};
    const struct cell *cell = ask_cell(a, before, &t);
    assert_true(model_check(ask_model(a, "sc"), t, cell, NULL, a, &r, &d) && r.status == MODEL_DONE);
    assert_false(r.allowed);
    assert_true(model_check(ask_model(a, "ptx"), t, cell, NULL, a, &r, &d) && r.allowed);
    arena_close(a);
}

int main(int argc, char **argv) {
    oracle_begin(&oracle, "turns*", argc, argv);
    const struct CMUnitTest tests[] = {cmocka_unit_test(turns_are_allowed),
                                       cmocka_unit_test(phases_take_turns)};
    return oracle_end(&oracle, cmocka_run_group_tests(tests, ask_enter_folder, ask_leave_folder));
}
