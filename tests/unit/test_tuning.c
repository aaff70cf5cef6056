/* The search for environments, against landscapes that are known. */
#include "cm.h"

#include <stdlib.h>
#include <string.h>

#include "run/environment.h"
#include "run/tuning.h"

static const struct parameter_range ranges[] = {{"threads", "", {64, 128, 256, 256, 512, 1024}, 6},
                                                {"lag", "", {0, 0, 32, -8, -32}, 5},
                                                {"stride", "", {1, 2, 4, 8, 16, 32}, 6},
                                                {"pad", "", {0, 1, 8, 1056}, 4},
                                                {"fixed", "", {3}, 1},
                                                {0}};

static long long value_of(const struct environment *c, const char *name) {
    for (int i = 0; i < c->n; i++)
        if (strcmp(c->parameter[i].name, name) == 0) return c->parameter[i].value;
    fail_msg("no parameter '%s'", name);
    return 0;
}

/* Runs that show the outcome, a million, in an environment; `again`: how often it was tried before. */
typedef int landscape(const struct environment *c, unsigned generation);

/* A single peak at threads 512, lag -8, stride 4, pad 8. */
static int peak(const struct environment *c, unsigned generation) {
    (void)generation;
    int off = abs((int)value_of(c, "threads") - 512) / 64 + abs((int)value_of(c, "lag") + 8) / 4 +
              2 * abs((int)value_of(c, "stride") - 4) + abs((int)value_of(c, "pad") - 8) / 8;
    return off < 900 ? 1000 - off : 100;
}

static int nothing(const struct environment *c, unsigned generation) {
    (void)c, (void)generation;
    return 0;
}

/* 1024 threads look best, but only the first time. */
static int lucky(const struct environment *c, unsigned generation) {
    long long threads = value_of(c, "threads");
    return threads >= 1000 ? (generation == 0 ? 2000 : 0) : threads == 128 ? 900 : 100;
}

/* One generation: each environment runs at a million a second, faster with a larger stride. */
static void play(struct tuning *t, landscape *f) {
    int n;
    double seconds;
    unsigned generation = t->generation;
    const struct environment *list = tuning_next(t, &n, &seconds);
    assert_true(n > 0 && n <= TUNING_GENERATION && seconds > 0);
    for (int i = 0; i < n; i++) {
        double millions = seconds * (1 + (double)value_of(&list[i], "stride"));
        tuning_tell(t, &(struct trial){.environment = list[i].parameter,
                                       .nenvironment = list[i].n,
                                       .index = i,
                                       .runs = (uint64_t)(1e6 * millions),
                                       .satisfied = (uint64_t)(f(&list[i], generation) * 1e6 * seconds),
                                       .seconds = seconds});
    }
}

static void search(struct tuning *t, uint64_t seed, landscape *f, int generations) {
    tuning_init(t, ranges, seed, NULL, 0);
    for (int g = 0; g < generations; g++)
        play(t, f);
}

static void values_stay_within_their_ranges(void **state) {
    (void)state;
    static struct tuning t;
    int distinct = 0;
    search(&t, 5, peak, 0);
    for (int g = 0; g < 200; g++) {
        play(&t, g % 3 ? peak : nothing);
        for (int i = 0; i < t.nbatch; i++) {
            for (const struct parameter_range *r = ranges; r->name; r++) {
                long long v = value_of(&t.schedule[i], r->name);
                assert_in_range(v - range_low(r), 0, range_high(r) - range_low(r));
                distinct += r == ranges && v % 64 != 0; /* steps between the values of the range, too */
            }
        }
    }
    assert_true(distinct > 0);
}

static void the_same_measurements_give_the_same_search(void **state) {
    (void)state;
    static struct tuning t[3];
    int differ = 0;
    for (int k = 0; k < 3; k++)
        search(&t[k], k < 2 ? 7 : 8, peak, 0);
    for (int g = 0; g < 40; g++) {
        for (int k = 0; k < 3; k++)
            play(&t[k], peak);
        assert_int_equal(t[0].nbatch, t[1].nbatch);
        for (int i = 0; i < t[0].nbatch; i++) {
            assert_true(environment_same(&t[0].schedule[i], &t[1].schedule[i]));
            differ += i >= t[2].nbatch || !environment_same(&t[0].schedule[i], &t[2].schedule[i]);
        }
    }
    assert_true(differ > 0);
}

/* With far fewer trials than there are environments (4 * 4 * 6 * 4 of the listed values alone, of which a
 * handful is that good, and some 10^7 with those between). */
static void the_peak_is_found(void **state) {
    (void)state;
    static struct tuning t;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        search(&t, seed, peak, 1);
        double first = arm_rate(tuning_best(&t));
        search(&t, seed, peak, 40);
        const struct arm *best = tuning_best(&t);
        assert_true(arm_rate(best) >= first);
        assert_true(arm_rate(best) >= 0.995e9);
    }
}

static void luck_does_not_win(void **state) {
    (void)state;
    static struct tuning t;
    search(&t, 1, lucky, 1);
    assert_int_equal(value_of(&tuning_best(&t)->environment, "threads"), 1024);
    search(&t, 1, lucky, 30);
    assert_int_equal(value_of(&tuning_best(&t)->environment, "threads"), 128);
}

static void where_nothing_is_seen_the_fastest_is_best(void **state) {
    (void)state;
    static struct tuning t;
    search(&t, 1, nothing, 20);
    const struct arm *best = tuning_best(&t);
    assert_int_equal(best->hits, 0);
    assert_int_equal(value_of(&best->environment, "stride"), 32);
    search(&t, 1, nothing, 0);
    assert_null(tuning_best(&t));
}

static void it_begins_with_what_is_known(void **state) {
    (void)state;
    static struct tuning t;
    const struct environment known[] = {{.parameter = {{"threads", 100}, {"stride", 3}}, .n = 2},
                                        {.parameter = {{"lag", 5}}, .n = 1}};
    int n;
    double seconds;
    tuning_init(&t, ranges, 1, known, 2);
    const struct environment *list = tuning_next(&t, &n, &seconds);
    assert_int_equal(n, TUNING_GENERATION);
    assert_true(environment_same(&list[0], &known[0]));
    assert_true(environment_same(&list[1], &known[1]));
    assert_int_equal(list[2].n, 5);
}

/* The device has 96 threads where 100 were asked for, knows a parameter more, and goes beyond a range. */
static void what_was_tried_is_what_is_kept(void **state) {
    (void)state;
    static struct tuning t;
    const struct parameter had[] = {{"threads", 96}, {"stride", 99}, {"unheard", 1}};
    int n;
    double seconds;
    tuning_init(&t, ranges, 1, NULL, 0);
    tuning_next(&t, &n, &seconds);
    for (int part = 0; part < 2; part++) /* a trial may be told in parts */
        tuning_tell(&t, &(struct trial){.environment = had,
                                        .nenvironment = 3,
                                        .index = 4,
                                        .runs = 1000,
                                        .satisfied = 10,
                                        .seconds = 0.5});
    tuning_tell(&t,
                &(struct trial){.environment = had, .nenvironment = 3, .index = n, .runs = 1, .seconds = 1});
    const struct arm *best = tuning_best(&t);
    assert_int_equal(best->hits, 20);
    assert_int_equal(best->runs, 2000);
    assert_true(arm_rate(best) == 20);
    assert_int_equal(best->environment.n, 2);
    assert_int_equal(value_of(&best->environment, "threads"), 96);
    assert_int_equal(value_of(&best->environment, "stride"), 32);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_stay_within_their_ranges),
        cmocka_unit_test(the_same_measurements_give_the_same_search),
        cmocka_unit_test(the_peak_is_found),
        cmocka_unit_test(luck_does_not_win),
        cmocka_unit_test(where_nothing_is_seen_the_fastest_is_best),
        cmocka_unit_test(it_begins_with_what_is_known),
        cmocka_unit_test(what_was_tried_is_what_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
