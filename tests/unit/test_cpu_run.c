/* How a run goes on the CPU: its environments, when it ends, and what it is refused for. */
#include "cpu_cell.h"
#include "run/environment.h"
#include "source/read.h"

/* The trials of a run, by the environment's index. */
struct trials {
    int n, index[8];
    struct environment environment[8];
};

static void note_trial(void *ctx, const struct trial *t) {
    struct trials *all = ctx;
    if (all->n == 8) return;
    assert_true(t->runs > 0 && t->satisfied <= t->runs && t->seconds > 0);
    struct environment *e = &all->environment[all->n];
    memcpy(e->parameter, t->environment, (size_t)t->nenvironment * sizeof *t->environment);
    e->n = t->nenvironment;
    all->index[all->n++] = t->index;
}

/* The first environment is always the same; from the second on the seed decides. */
static void the_same_seed_gives_the_same_environments(void **state) {
    struct fixture *f = *state;
    struct trials seen[3] = {0};
    int differ = 0;
    for (int i = 0; i < 3; i++) {
        struct cell_result c;
        cell_build(&c, f->dev, store_buffering, "device");
        cell_run(&c, &(struct run_request){
                         .runs = 100000, .seed = i < 2 ? 7 : 8, .tried = note_trial, .ctx = &seen[i]});
        assert_int_equal(seen[i].n, 8);
        cell_close(&c);
    }
    for (int k = 0; k < 8; k++) {
        assert_true(environment_same(&seen[0].environment[k], &seen[1].environment[k]));
        differ += !environment_same(&seen[0].environment[k], &seen[2].environment[k]);
    }
    assert_true(environment_same(&seen[0].environment[0], &seen[2].environment[0]));
    assert_int_equal(differ, 7);
}

static long long parameter(const struct environment *e, const char *name) {
    for (int p = 0; p < e->n; p++)
        if (strcmp(e->parameter[p].name, name) == 0) return e->parameter[p].value;
    fail_msg("no parameter '%s'", name);
    return 0;
}

/* A schedule alone: each of its environments once, brought to what the test can have. */
static void environments_can_be_chosen(void **state) {
    struct fixture *f = *state;
    const struct environment schedule[] = {
        {.parameter = {{"instances", 100}, {"walk", 2}, {"turned", 1}, {"delay", 5}}, .n = 4},
        {.parameter = {{"instances", 1 << 20}, {"stride", 99}, {"chunk", 5000}, {"touch", -1}, {"packed", 7}},
         .n = 5},
        {.parameter = {{"turned", 2}, {"skew", 1 << 20}, {"instances", 0}, {"chunk", 0}}, .n = 4}};
    struct trials seen = {0};
    struct cell_result c;
    cell_build(&c, f->dev, store_buffering, "none");
    cell_run(&c, &(struct run_request){.seed = 7,
                                       .schedule = schedule,
                                       .nschedule = 3,
                                       .seconds_each = 0.001,
                                       .tried = note_trial,
                                       .ctx = &seen});
    assert_int_equal(seen.n, 3);
    for (int i = 0; i < 3; i++)
        assert_int_equal(seen.index[i], i);
    const struct environment *e = seen.environment;
    assert_int_equal(parameter(&e[0], "instances"), 64);
    assert_int_equal(parameter(&e[0], "walk"), 2);
    assert_int_equal(parameter(&e[0], "turned"), 1);
    assert_int_equal(parameter(&e[0], "delay"), 5);
    assert_int_equal(parameter(&e[1], "instances"), 8192);
    assert_int_equal(parameter(&e[1], "stride"), 4);
    assert_int_equal(parameter(&e[1], "chunk"), 64);
    assert_int_equal(parameter(&e[1], "touch"), 0);
    assert_int_equal(parameter(&e[1], "packed"), 1);
    assert_int_equal(parameter(&e[2], "turned"), 0); /* of two threads */
    assert_int_equal(parameter(&e[2], "instances"), 1);
    assert_int_equal(parameter(&e[2], "skew"), 1);
    assert_int_equal(parameter(&e[2], "chunk"), 1);
    cell_close(&c);
}

/* What a schedule names comes first, then chance; every parameter that is shown is one of the ranges. */
static void a_run_goes_on_after_its_schedule(void **state) {
    struct fixture *f = *state;
    const struct environment schedule[] = {{.parameter = {{"instances", 32}}, .n = 1}};
    struct trials seen = {0};
    struct cell_result c;
    cell_build(&c, f->dev, store_buffering, "none");
    cell_run(&c, &(struct run_request){.runs = 8192,
                                       .seed = 7,
                                       .schedule = schedule,
                                       .nschedule = 1,
                                       .tried = note_trial,
                                       .ctx = &seen});
    assert_true(seen.n >= 2);
    assert_int_equal(parameter(&seen.environment[0], "instances"), 32);
    for (int p = 0; p < seen.environment[0].n; p++)
        assert_non_null(range_find(backend_cpu.ranges, seen.environment[0].parameter[p].name));
    cell_close(&c);
}

static void stop_once(void *ctx, uint64_t runs, double seconds) {
    (void)seconds;
    if (runs > 0) *(atomic_int *)ctx = 1;
}

/* Ctrl-C: what was counted until then is the result. */
static void a_stopped_run_keeps_what_it_counted(void **state) {
    struct fixture *f = *state;
    struct cell_result c;
    atomic_int stop = 0;
    cell_build(&c, f->dev, store_buffering, "none");
    cell_run(
        &c,
        &(struct run_request){
            .runs = UINT64_MAX / 2, .seed = 1, .stop = &stop, .progress = stop_once, .ctx = (void *)&stop});
    assert_true(c.res.interrupted);
    assert_true(c.res.runs > 0);
    cell_close(&c);
}

/* Stopped before it began, in a wait that would be stuck: nothing ran, and nothing is called stuck. */
static void a_stop_ends_a_wait(void **state) {
    struct fixture *f = *state;
    struct cell_result c;
    atomic_int stop = 1;
    cell_build(&c, f->dev,
               "name: stuck\nmemory: {X: 0}\nthreads:\n  P0: |\n    while (X == 0) {}\nforall: X == 0\n",
               NULL);
    cell_run(&c, &(struct run_request){.runs = 1000, .seed = 1, .stop = &stop});
    assert_true(c.res.interrupted);
    assert_int_equal(c.res.runs, 0);
    cell_close(&c);
}

static void a_time_limit_ends_the_run(void **state) {
    struct fixture *f = *state;
    struct cell_result c;
    cell_build(&c, f->dev, store_buffering, "device");
    cell_run(&c, &(struct run_request){.seconds = 0.05, .seed = 1});
    assert_true(c.res.runs > 0);
    assert_true(c.res.seconds >= 0.05);
    assert_false(c.res.interrupted);
    cell_close(&c);
}

/* The waits of this batch would take seconds. It ends when the time is over, and what ran until then counts. */
static void a_time_limit_ends_a_batch_of_long_waits(void **state) {
    struct fixture *f = *state;
    const struct environment schedule[] = {{.parameter = {{"instances", 8192}}, .n = 1}};
    struct cell_result c;
    cell_build(&c, f->dev,
               "name: slow\nmemory: {X: 0, Z: 0}\nthreads:\n  P0: |\n    while (Z < 20000) Z = Z + 1;\n"
               "    X = 1;\n  P1: |\n    while (X == 0) {}\nforall: X == 1\n",
               NULL);
    cell_run(&c, &(struct run_request){.seconds = 0.05, .seed = 1, .schedule = schedule, .nschedule = 1});
    assert_int_equal(c.res.stuck, 0);
    assert_true(c.res.runs > 0 && c.res.runs < 4096);
    cell_close(&c);
}

static void too_many_threads_are_a_reason_to_skip(void **state) {
    struct fixture *f = *state;
    struct arena *a = arena_open();
    struct diag d = {0};
    static const char yaml[] =
        "name: many\nmemory: {X: 0}\nthreads:\n  T: {count: 513, body: X = 1;}\nforall: X == 1\n";
    struct test *t = test_read_text(a, "test.yaml", yaml, sizeof yaml - 1, &d);
    assert_non_null(t);
    struct cell cell = {backend_cpu.placement(t, a), t->accesses[0], &t->fences[0]};
    assert_string_equal(backend_cpu.cannot(f->dev, t, &cell, NULL, a),
                        "513 threads; the cpu backend runs up to 512");
    arena_close(a);
    diag_free(&d);
}

static void expect_open_error(const char *cc, const char *path, const char *want) {
    struct diag d = {0};
    struct device *dev;
    char *old_path = strdup(getenv("PATH"));
    char *old_cc = getenv("CC") ? strdup(getenv("CC")) : NULL;
    setenv("CC", cc, 1);
    if (path) setenv("PATH", path, 1);
    bool ok = backend_cpu.open(0, &dev, &d) == OPENING_DONE;
    setenv("PATH", old_path, 1);
    if (old_cc)
        setenv("CC", old_cc, 1);
    else
        unsetenv("CC");
    free(old_path);
    free(old_cc);
    assert_false(ok);
    assert_int_equal(d.n, 1);
    assert_string_equal(d.messages[0].text, want);
    diag_free(&d);
}

static void without_a_compiler_there_is_no_device(void **state) {
    (void)state;
    expect_open_error("", "/nonexistent",
                      "no C compiler: none of cc, gcc and clang is on PATH, and CC is not set");
    expect_open_error("no-such-cc -m64", NULL,
                      "no C compiler: CC is 'no-such-cc -m64', and no such program is on PATH");
    expect_open_error("false", "/bin:/usr/bin", "no C compiler: '/bin/false --version' failed");
}

static void there_is_one_cpu_device(void **state) {
    (void)state;
    struct diag d = {0};
    struct device *dev;
    assert_int_equal(backend_cpu.open(3, &dev, &d), OPENING_FAILED);
    assert_string_equal(d.messages[0].text, "no CPU device 3: there is only device 0");
    diag_free(&d);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_seed_gives_the_same_environments),
        cmocka_unit_test(environments_can_be_chosen),
        cmocka_unit_test(a_run_goes_on_after_its_schedule),
        cmocka_unit_test(a_stopped_run_keeps_what_it_counted),
        cmocka_unit_test(a_stop_ends_a_wait),
        cmocka_unit_test(a_time_limit_ends_the_run),
        cmocka_unit_test(a_time_limit_ends_a_batch_of_long_waits),
        cmocka_unit_test(too_many_threads_are_a_reason_to_skip),
        cmocka_unit_test(without_a_compiler_there_is_no_device),
        cmocka_unit_test(there_is_one_cpu_device),
    };
    return cmocka_run_group_tests(tests, cpu_open, cpu_close);
}
