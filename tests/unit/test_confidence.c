/* How much it says that an outcome was never observed. */
#include <stdlib.h>

#include "base/random.h"
#include "results/verdict.h"
#include "sample.h"

enum { CELLS = 4 };

struct fixture {
    struct cell_result cells[CELLS];
    struct test_result test;
};

/* Adds a cell in which k of n runs satisfied the proposition, in `seen_in` of so many environments. */
static struct cell_result *add(struct fixture *f, const char *fence, uint64_t k, uint64_t n, int seen_in,
                               int environments) {
    static struct cell_outcome unused;
    struct cell_result *c = &f->cells[f->test.ncells++];
    *c = ran(&unused, n);
    c->fence = fence;
    c->satisfied = k;
    c->seen_in = seen_in;
    c->environments = environments;
    f->test.cells = f->cells;
    if (!f->test.kind) f->test.kind = "exists";
    return c;
}

static void expect(double found, double wanted) {
    if (fabs(found - wanted) > 1e-9) print_error("%.12g instead of %.12g\n", found, wanted);
    assert_true(fabs(found - wanted) <= 1e-9);
}

/* Each environment that showed it is one burst, however many hits it has: (n / (n + n'))^S. */
static void bursts_count_once(void **state) {
    (void)state;
    struct fixture f = {0};
    add(&f, "none", 500, 1000, 3, 40);
    struct cell_result *few = add(&f, "block", 0, 1000, 0, 400), *many = add(&f, "device", 0, 9000, 0, 4000);
    verdict_confidence(&f.test);
    assert_true(isnan(f.cells[0].confidence));
    expect(few->confidence, 1 - 1.0 / 8);
    expect(many->confidence, 1 - 1e-3);
}

/* Many runs in few environments say no more than these environments: the chance that all that show it are the
 * mutant's. */
static void environments_count_once(void **state) {
    (void)state;
    struct fixture f = {0};
    add(&f, "none", 500, 1000, 3, 10);
    struct cell_result *c = add(&f, "device", 0, 1000 * 1000, 0, 10);
    verdict_confidence(&f.test);
    expect(c->confidence, 1 - 10.0 / 20 * 9 / 19 * 8 / 18);
    f.cells[0].seen_in = 10; /* all of them */
    verdict_confidence(&f.test);
    expect(c->confidence, 1 - 1.0 / 184756);
}

/* A result that does not tell of environments is of one, and one burst. */
static void environments_that_are_not_known(void **state) {
    (void)state;
    struct fixture f = {0};
    add(&f, "none", 500, 1000, 0, 0);
    struct cell_result *c = add(&f, "block", 0, 250, 0, 0), *d = add(&f, "device", 0, 9000, 0, 0);
    verdict_confidence(&f.test);
    expect(c->confidence, 0.2);
    expect(d->confidence, 0.5);
}

/* Of a forall the mutant is the cell that broke it. What was stuck broke nothing, and counts for nothing. */
static void confidence_of_a_forall(void **state) {
    (void)state;
    struct fixture f = {.test.kind = "forall"};
    struct cell_result *none = add(&f, "none", 990, 1000, 1, 40),
                       *block = add(&f, "block", 3000, 3010, 0, 400);
    block->stuck = 10;
    verdict_confidence(&f.test);
    assert_true(isnan(none->confidence));
    expect(block->confidence, 0.75);
    none->stuck = 10;
    verdict_confidence(&f.test);
    assert_true(isnan(block->confidence));
    assert_false(block->alone);
}

/* The weakest cell never showed the outcome: the next one that did is the mutant; without any there is none. */
static void no_confidence_without_a_mutant(void **state) {
    (void)state;
    struct fixture f = {0};
    struct cell_result *none = add(&f, "none", 0, 1000, 0, 40), *block = add(&f, "block", 0, 1000, 0, 40),
                       *device = add(&f, "device", 0, 1000, 0, 40);
    verdict_confidence(&f.test);
    assert_true(isnan(none->confidence) && isnan(block->confidence) && isnan(device->confidence));
    assert_true(none->alone && !block->alone && !device->alone);
    block->satisfied = 2;
    block->seen_in = 2;
    verdict_confidence(&f.test);
    assert_true(isnan(none->confidence) && isnan(block->confidence) && !block->alone);
    expect(device->confidence, 1 - 1.0 / 4);
}

/* A mutant sits on the same device and accesses memory the same way; a cell beside which no such one ran is alone. */
static void a_mutant_differs_in_the_fence_alone(void **state) {
    (void)state;
    struct fixture f = {0};
    struct cell_result *none = add(&f, "none", 10, 100, 1, 10), *held = add(&f, "device", 0, 100, 0, 10);
    verdict_confidence(&f.test);
    assert_true(held->confidence > 0 && !held->alone);
    none->access = "relaxed";
    verdict_confidence(&f.test);
    assert_true(isnan(held->confidence) && held->alone);
    none->access = held->access;
    none->device = "another GPU";
    verdict_confidence(&f.test);
    assert_true(isnan(held->confidence) && held->alone);
    none->device = held->device;
    none->stuck = none->runs; /* nothing of it ended */
    none->satisfied = 0;
    verdict_confidence(&f.test);
    assert_true(isnan(held->confidence) && held->alone);
}

/* A mutant has a weaker order, a narrower scope, or both, in one slot and in none a stronger one; acquire and
 * release are not compared. */
static void what_is_weaker(void **state) {
    (void)state;
    static const struct {
        const char *mutant, *fence;
        bool weaker;
    } pairs[] = {
        {"acquire.device", "acq_rel.device", true},
        {"acq_rel.device", "sc.device", true},
        {"acq_rel.device", "device", true},
        {"acq_rel.block", "sc.device", true},
        {"acquire.device", "release.device", false},
        {"sc.block", "acq_rel.device", false},
        {"sc.device", "device", false},
        {"acq_rel.device", "acq_rel.device", false},
        {"none", "release.block", true},
        {"none", "none", false},
        {"none", "as-written", true},
        {"as-written", "as-written", false},
        {"publish=device,receive=none", "publish=device,receive=device", true},
        {"publish=none,receive=device", "publish=device,receive=none", false},
        {"publish=device,receive=device", "publish=device,receive=none", false},
        {"publish=block,receive=device", "publish=device,receive=block", false},
        {"publish=block,receive=acquire.block", "publish=device,receive=block", true},
        {"publish=device,receive=none", "device", true},
        {"publish=system,receive=none", "device", false},
        {"publish=device,receive=device", "device", false},
        {"device", "publish=device,receive=device", false},
        {"receive=none,publish=device", "publish=system,receive=none", true},
        {"publish=device", "publish=device,receive=block", true},
        {"none", "publish=device,receive=none", true},
        {"none", "publish=none,receive=none", false},
        {"acquire.block", "acquire.block+release.device", true},
        {"acquire.block+release.block", "block", true},
        {"block", "acquire.block+release.block", false},
        {"acquire.block+release.device", "release.device+acquire.block", false},
        {"p=acquire.block+release.block,q=none", "p=acq_rel.block,q=none", true},
    };
    for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++) {
        struct fixture f = {0};
        add(&f, pairs[k].mutant, 10, 100, 1, 10);
        struct cell_result *held = add(&f, pairs[k].fence, 0, 100, 0, 10);
        verdict_confidence(&f.test);
        if (!isnan(held->confidence) != pairs[k].weaker)
            print_error("%s, %s\n", pairs[k].mutant, pairs[k].fence);
        assert_int_equal(!isnan(held->confidence), pairs[k].weaker);
        assert_int_equal(held->alone, !pairs[k].weaker);
    }
}

/* What a cell is called by its confidence. */
static void three_words(void **state) {
    (void)state;
    struct cell_result c = {.verdict = VERDICT_HELD, .confidence = 0.99};
    assert_string_equal(cell_word(&c), "held");
    c.confidence = 0.9899;
    assert_string_equal(cell_word(&c), "held?");
    c.confidence = NAN;
    assert_string_equal(cell_word(&c), "held?");
    c.alone = true;
    assert_string_equal(cell_word(&c), "held alone");
    c.verdict = VERDICT_UNSEEN;
    assert_string_equal(cell_word(&c), "unseen");
}

/* ---- simulated machines ---- */

/* A machine shows an outcome in some environments only, in each of them with another rate, and in bursts. */
struct machine_like {
    double share;  /* of its environments that can show it */
    double rate;   /* bursts an environment, in those that can */
    double spread; /* of the rates of environments: powers of ten */
    double size;   /* mean size of a burst */
};

static double uniform(uint64_t *r) {
    return (double)(random_next(r) >> 11) * 0x1p-53;
}

/* How many bursts come of an expected number: exponential gaps. */
static int poisson(uint64_t *r, double expected) {
    int n = 0;
    if (expected > 500) return 500;
    for (double at = -log(1 - uniform(r)); at < expected; at -= log(1 - uniform(r)))
        n++;
    return n;
}

enum { MOST_ENVIRONMENTS = 80 };

/* Draws environments: how many bursts are expected in each. */
static void draw(uint64_t *r, const struct machine_like *m, double *expected) {
    for (int e = 0; e < MOST_ENVIRONMENTS; e++) {
        double rate = m->rate * pow(10, m->spread * (uniform(r) - 0.5));
        expected[e] = uniform(r) < m->share ? rate : 0;
    }
}

/* Runs a machine in some of the environments, 1e6 runs each. */
static void play(uint64_t *r, const struct machine_like *m, const double *expected, struct cell_result *c) {
    c->environments = MOST_ENVIRONMENTS / 4 + (int)(uniform(r) * 3 * MOST_ENVIRONMENTS / 4);
    c->runs = (uint64_t)c->environments * 1000 * 1000;
    for (int e = 0; e < c->environments; e++) {
        int bursts = poisson(r, expected[e]);
        for (int b = 0; b < bursts; b++)
            c->satisfied += 1 + (uint64_t)(-log(1 - uniform(r)) * m->size);
        c->seen_in += bursts > 0;
    }
}

/* What was predicted of machines whose fence does nothing, and how much of it came true. */
struct tally {
    int predicted, came;
};

static void count(struct tally *t, double confidence, double least, bool came) {
    if (!(confidence >= least)) return;
    t->predicted++;
    t->came += came;
}

/* The formula that takes runs for independent: 1 - exp(-r n'). */
static double naive(const struct cell_result *mutant, const struct cell_result *c) {
    return -expm1(-(double)mutant->satisfied / (double)mutant->runs * (double)c->runs);
}

/* Shares and rates lie in any decade alike. Of what is predicted at 99 % at least 99 % appear, of what is
 * predicted at 99.99 % all but one in a thousand, and these are not few: where both cells run in the same
 * environments, and where each has its own. The formula that takes runs for independent fails this. */
static void predict(bool same_environments) {
    enum { MACHINES = 40000 };
    uint64_t r = 24;
    struct tally good = {0}, sure = {0}, bad = {0};
    for (int k = 0; k < MACHINES; k++) {
        double expected[MOST_ENVIRONMENTS];
        struct machine_like m = {.share = pow(10, -3 * uniform(&r)),
                                 .rate = pow(10, 5 * uniform(&r) - 3),
                                 .spread = 4 * uniform(&r),
                                 .size = pow(10, 3 * uniform(&r))};
        struct fixture f = {0};
        struct cell_result *mutant = add(&f, "none", 0, 0, 0, 0), *c = add(&f, "device", 0, 0, 0, 0);
        draw(&r, &m, expected);
        play(&r, &m, expected, mutant);
        if (!same_environments) draw(&r, &m, expected);
        play(&r, &m, expected, c);
        bool came = c->satisfied > 0;
        if (mutant->satisfied == 0) continue;
        c->satisfied = 0; /* predicted as if it had not come */
        verdict_confidence(&f.test);
        count(&good, c->confidence, 0.99, came);
        count(&sure, c->confidence, 0.9999, came);
        count(&bad, naive(mutant, c), 0.9999, came);
    }
    print_message("at 99 %%: %d of %d; at 99.99 %%: %d of %d; as if independent, at 99.99 %%: %d of %d\n",
                  good.came, good.predicted, sure.came, sure.predicted, bad.came, bad.predicted);
    assert_true(good.predicted > MACHINES / 20 && sure.predicted > MACHINES / 30);
    assert_true(good.came >= 0.99 * good.predicted);
    assert_true(sure.came >= 0.999 * sure.predicted);
    assert_true(bad.came < 0.99 * bad.predicted);
}

static void predictions_come_true(void **state) {
    (void)state;
    predict(true);
    predict(false);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bursts_count_once),
        cmocka_unit_test(environments_count_once),
        cmocka_unit_test(environments_that_are_not_known),
        cmocka_unit_test(confidence_of_a_forall),
        cmocka_unit_test(no_confidence_without_a_mutant),
        cmocka_unit_test(a_mutant_differs_in_the_fence_alone),
        cmocka_unit_test(what_is_weaker),
        cmocka_unit_test(three_words),
        cmocka_unit_test(predictions_come_true),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
