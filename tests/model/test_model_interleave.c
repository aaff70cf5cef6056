/* Holds what the models allow against interleavings, on random programs: `sc` allows just the final states that can be
 * reached, and every other model allows these at least.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ask.h"
#include "interleave.h"
#include "oracle.h"
#include "source/read.h"

enum { SHOWN = 12 };
static struct oracle oracle = {.programs = 80, .seed = 1};

static const char *const names[] = {"sc", "ptx", "ptx-strong", "ptx-mca", "x86-tso", "aarch64"};
enum { SC, NMODELS = sizeof names / sizeof *names };
static const struct model *models[NMODELS];

/* What a model says of a program. */
enum agreement {
    SAME,
    LOST,    /* a reachable state */
    ADDED,   /* one that is not */
    BOUNDED, /* a state is lost, but longer runs were not looked at */
    UNKNOWN, /* no answer in time, or too many outcomes to list */
    REFUSED,
    AGREEMENTS
};
static const char *const agreements[] = {"same", "lost", "added", "bounded", "unknown", "refused"};
static int counts[NMODELS][AGREEMENTS];

static void read_state(const struct test *t, const struct model_outcome *o, int *state) {
    memset(state, 0, sizeof(int[MAX_OBSERVED]));
    for (int k = 0; k < t->nobs; k++)
        state[k] = (int)value_int(t->obs[k].type, o->values[k]);
}

static enum agreement hold(const struct test *t, const struct model_result *r, const struct finals *f,
                           bool equal) {
    int reached = 0, state[MAX_OBSERVED];
    for (int k = 0; k < r->noutcomes; k++) {
        read_state(t, &r->outcomes[k], state);
        reached += interleave_reaches(f, state);
    }
    if (r->status != MODEL_DONE || r->unlisted) return UNKNOWN;
    if (reached < f->n) return r->bounded ? BOUNDED : LOST;
    return equal && reached < r->noutcomes ? ADDED : SAME;
}

/* Puts a test to a model. */
static enum agreement judge_text(int model, const struct text *text, const struct finals *f) {
    const struct model_limits limits = {.seconds = 2};
    struct diag d = {0};
    struct arena *a = arena_open();
    struct test *t = test_read_text(a, "random.yaml", text->s, text->len, &d);
    enum agreement is = REFUSED;
    struct model_result r;
    int n;
    if (t && model_check(models[model], t, test_cells(t, a, &n), &limits, a, &r, &d))
        is = hold(t, &r, f, model == SC);
    diag_free(&d);
    arena_close(a);
    return is;
}

static enum agreement judge(int model, const struct routine *r, const struct finals *f) {
    struct text text = {0};
    interleave_write(&text, r, "random", f->list[0]);
    enum agreement is = judge_text(model, &text, f);
    text_free(&text);
    return is;
}

struct difference {
    int model;
    enum agreement is;
};

static bool differs(const struct routine *r, void *context) {
    const struct difference *d = context;
    struct finals f;
    bool is = interleave_run(r, &f) == INTERLEAVED && f.n > 0 && judge(d->model, r, &f) == d->is;
    free(f.list);
    return is;
}

static void show(struct routine r, struct difference d, uint64_t seed) {
    struct text text = {0};
    struct finals f;
    interleave_reduce(&r, differs, &d);
    interleave_run(&r, &f);
    interleave_write(&text, &r, "reduced", f.list[0]);
    print_error("# seed %llu: %s, %s\n%s\n", (unsigned long long)seed, names[d.model], agreements[d.is],
                text.s);
    text_free(&text);
    free(f.list);
}

/* Whether a program has no difference; *finals counts those that have a final state. */
static bool try_program(uint64_t seed, int *finals, bool shown) {
    struct routine r;
    struct finals f;
    struct difference first = {-1, SAME};
    interleave_seed(seed);
    interleave_make(&r);
    if (interleave_run(&r, &f) == INTERLEAVED && f.n > 0) {
        ++*finals;
        for (int k = 0; k < NMODELS; k++) {
            enum agreement is = judge(k, &r, &f);
            counts[k][is]++;
            if (is > ADDED)
                print_message("seed %llu: %s, %s\n", (unsigned long long)seed, names[k], agreements[is]);
            if (first.model < 0 && (is == LOST || is == ADDED)) first = (struct difference){k, is};
        }
    }
    free(f.list);
    if (first.model >= 0 && shown) show(r, first, seed);
    return first.model < 0;
}

static void load_models(struct arena *a) {
    for (int k = 0; k < NMODELS; k++)
        models[k] = ask_model(a, names[k]);
}

static void print_counts(int finals) {
    print_message("%lld programs, %d with a final state\n", oracle.drawn, finals);
    for (int k = 0; k < NMODELS; k++) {
        print_message("%-10s", names[k]);
        for (int i = 0; i < AGREEMENTS; i++)
            print_message(" %6d %s", counts[k][i], agreements[i]);
        print_message("\n");
    }
}

static int undecided(void) {
    int n = 0;
    for (int k = 0; k < NMODELS; k++)
        n += counts[k][BOUNDED] + counts[k][UNKNOWN] + counts[k][REFUSED];
    return n;
}

static void test_interleavings(void **state) {
    (void)state;
    struct arena *a = arena_open();
    int finals = 0;
    load_models(a);
    for (; oracle.drawn < oracle.programs; oracle.drawn++)
        oracle.different +=
            !try_program(oracle.seed + (uint64_t)oracle.drawn, &finals, oracle.different < SHOWN);
    arena_close(a);
    print_counts(finals);
    oracle.unknown = undecided();
    oracle.compared = (long long)finals * NMODELS - oracle.unknown;
    assert_int_equal(oracle.different, 0);
    assert_true(finals > oracle.drawn / 2);
    assert_true(oracle.unknown * 4 <= finals * NMODELS); /* the clock decides what is unknown */
}

int main(int argc, char **argv) {
    oracle_begin(&oracle, "test_*", argc, argv);
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_interleavings)};
    return oracle_end(&oracle, cmocka_run_group_tests(tests, NULL, NULL));
}
