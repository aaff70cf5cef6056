/* A device behind a process of its own: what comes from it, what a failure costs, and which code is kept. */
#include "isolated_cell.h"

struct heard {
    int trials, progress;
};

static void hear_trial(void *ctx, const struct trial *t) {
    struct heard *h = ctx;
    h->trials++;
    assert_int_equal(t->nenvironment, 1);
    assert_string_equal(t->environment[0].name, "stride");
    assert_int_equal(t->environment[0].value, 2);
    assert_int_equal(t->index, 4);
    assert_int_equal(t->runs, 100);
    assert_int_equal(t->satisfied, 1);
}

static void hear_progress(void *ctx, uint64_t runs, double seconds) {
    struct heard *h = ctx;
    h->progress++;
    assert_true(runs == 100 && seconds == 0.25);
}

static void what_the_driver_says_arrives(void **state) {
    (void)state;
    struct device *dev = open_device(4);
    assert_string_equal(dev->description, "fake");
    const char *const *p = dev->properties;
    assert_string_equal(p[0], "color");
    assert_string_equal(p[3], "big");
    assert_null(p[4]);

    struct cell_result c;
    struct heard heard = {0};
    const atomic_int never = 0;
    struct environment choice = {{{"stride", 1}, {"unknown", 3}}, 2};
    struct run_request req = {.runs = 100,
                              .stop = &never,
                              .schedule = &choice,
                              .nschedule = 1,
                              .tried = hear_trial,
                              .progress = hear_progress,
                              .ctx = &heard};
    assert_true(cell_run(&c, dev, "fine", &req));
    assert_int_equal(c.d.n, 0);
    assert_int_equal(c.res.runs, 100);
    assert_true(c.res.seconds == 0.25);
    assert_false(c.res.interrupted);
    assert_int_equal(c.res.hist.n, 2);
    assert_int_equal(histogram_total(&c.res.hist), 100);
    assert_int_equal(int_of(c.res.hist.outcomes[0].values[1]), -5);
    assert_int_equal(c.res.nenvironment, 1);
    assert_string_equal(c.res.environment[0].name, "stride");
    assert_int_equal(c.res.environment[0].value, 1);
    assert_int_not_equal(c.res.environments, (int)getpid());
    assert_int_equal(heard.trials, 1);
    assert_int_equal(heard.progress, 1);
    /* the same kernel again, in the same process */
    histogram_free(&c.res.hist);
    int pid = c.res.environments;
    assert_true(isolated_run(c.k, &req, &c.res, &c.d));
    assert_int_equal(c.res.environments, pid);
    cell_close(&c);

    cell_open(&c, "cannot");
    assert_string_equal(isolated_cannot(dev, c.t, &c.cell, NULL, c.a), "not on device 4 at placement block");
    cell_close(&c);
    cell_open(&c, "fine");
    assert_null(isolated_cannot(dev, c.t, &c.cell, NULL, c.a));
    cell_close(&c);
    isolated_close(dev);
}

static void a_cell_of_several_kernels_arrives(void **state) {
    (void)state;
    struct device *dev = open_device(0);
    struct cell_result c;
    assert_true(cell_run(&c, dev, "kernels", NULL));
    cell_close(&c);
    isolated_close(dev);
}

static void a_device_that_cannot_be_opened_is_an_error(void **state) {
    (void)state;
    struct device *dev = NULL;
    struct diag d = {0};
    assert_int_equal(isolated_open(&fake_driver, 2, &dev, &d), OPENING_FAILED);
    assert_string_equal(d.messages[0].text, "no device 2");
    diag_free(&d);
    assert_int_equal(isolated_open(&fake_driver, 3, &dev, &d), OPENING_FAILED);
    assert_string_equal(d.messages[0].text,
                        "device 3: the process that drives the device was ended by signal 6 (Aborted)");
    diag_free(&d);
}

static void a_fault_costs_its_own_cell(void **state) {
    (void)state;
    struct device *dev = open_device(0);
    int first = run_fine(dev);
    expect_failure(dev, "crash",
                   "crash (block, volatile, block): the process that drives the device was ended by signal "
                   "11 (Segmentation fault)");
    int second = run_fine(dev);
    assert_int_not_equal(first, second);
    expect_failure(
        dev, "leave",
        "leave (block, volatile, block): the process that drives the device ended with exit code 5");
    run_fine(dev);
    expect_silence(
        dev, "hang",
        "hang (block, volatile, block): nothing came back from the device for 2 s: its process was ended");
    int third = run_fine(dev);
    expect_failure(dev, "fault", "the kernel failed");
    assert_int_not_equal(run_fine(dev), third);
    isolated_close(dev);
}

static void a_harmless_failure_keeps_the_process(void **state) {
    (void)state;
    struct device *dev = open_device(0);
    int pid = run_fine(dev);
    expect_failure(dev, "harmless", "the kernel failed");
    expect_failure(dev, "too-large", "does not fit");
    expect_failure(dev, "wrong", "does not compile");
    assert_int_equal(run_fine(dev), pid);
    isolated_close(dev);
}

/* The code that the cache holds of a test; "": none. */
static void check_kept(const char *test, const char *want) {
    char *key = fake_key(test);
    void *code = NULL;
    size_t size = 0;
    bool hit = cache_get(key, strlen(key), &code, &size);
    assert_string_equal(hit ? code : "", want);
    free(code);
    free(key);
}

static void keep(const char *test, const char *text) {
    char *key = fake_key(test), code[64] = {0};
    struct diag d = {0};
    strcpy(code, text);
    cache_put(key, strlen(key), code, sizeof code, &d);
    assert_int_equal(d.n, 0);
    free(key);
}

static void code_is_kept_when_it_was_loaded(void **state) {
    (void)state;
    struct device *dev = open_device(0);
    struct cell_result c;
    cell_open(&c, "new");
    struct build build = {.t = c.t, .cell = &c.cell, .d = &c.d};
    isolated_build(dev, &build, 1);
    c.k = build.kernel;
    check_kept("new", "");
    c.res.hist.nobs = c.t->nobs;
    assert_true(isolated_run(c.k, &(struct run_request){.runs = 100, .seed = 1}, &c.res, &c.d));
    check_kept("new", "new block");
    cell_close(&c);
    expect_failure(dev, "too-large", "does not fit");
    check_kept("too-large", "");
    isolated_close(dev);
}

static void kept_code_that_does_not_load_is_compiled_again(void **state) {
    (void)state;
    struct device *dev = open_device(0);
    struct cell_result c;
    keep("rotten", "what another program left there");
    assert_true(cell_run(&c, dev, "rotten", NULL));
    assert_int_equal(c.d.n, 0);
    assert_int_equal(c.res.runs, 100);
    check_kept("rotten", "rotten block");
    cell_close(&c);
    /* it does not load when it is new, either: that is said */
    keep("too-large", "too-large block");
    expect_failure(dev, "too-large", "does not fit");
    check_kept("too-large", "");
    /* a device that is lost says nothing about the code that it should have loaded */
    keep("crash", "crash block");
    expect_failure(dev, "crash",
                   "crash (block, volatile, block): the process that drives the device was ended by signal "
                   "11 (Segmentation fault)");
    check_kept("crash", "crash block");
    isolated_close(dev);
}

static void the_cost_of_fences_arrives(void **state) {
    (void)state;
    struct device *dev = open_device(0);
    struct diag d = {0};
    int pid = run_fine(dev);
    struct fence_cost costs[] = {{{0}, CROWD_THREAD, 0, 0},
                                 {{true, FENCE_THREAD, ORDER_SC, SCOPE_GPU}, CROWD_WARP, 5, 0}};
    assert_true(isolated_fence_costs(dev, costs, 2, NULL, &d));
    assert_int_equal(d.n, 0);
    assert_int_equal(costs[0].cycles, -1);
    assert_int_equal(costs[1].cycles, 500 + SCOPE_GPU);
    assert_int_equal(costs[1].crowd, CROWD_WARP);
    assert_int_equal(run_fine(dev), pid);
    isolated_close(dev);
}

/* What is said when the costs of fences cannot be measured. */
static void expect_no_costs(struct device *dev, int writes, const char *message) {
    struct fence_cost costs[] = {{{0}, CROWD_THREAD, writes, 0},
                                 {{true, FENCE_THREAD, ORDER_SC, SCOPE_GPU}, CROWD_WARP, 5, 0}};
    struct diag d = {0};
    if (writes == 3) fake_driver.patience = FAKE_IMPATIENCE;
    assert_false(isolated_fence_costs(dev, costs, 2, NULL, &d));
    fake_driver.patience = FAKE_PATIENCE;
    assert_int_equal(d.errors, 1);
    assert_string_equal(d.messages[0].text, message);
    assert_int_equal(costs[0].cycles, -1);
    diag_free(&d);
    run_fine(dev);
}

static void costs_that_cannot_be_measured_cost_nothing_else(void **state) {
    (void)state;
    struct device *dev = open_device(0);
    struct fence_cost costs[] = {{{0}, CROWD_THREAD, 3, 0},
                                 {{true, FENCE_THREAD, ORDER_SC, SCOPE_CTA}, CROWD_WARP, 2, 0}};
    struct diag d = {0};
    const atomic_int wish = 1;
    expect_no_costs(dev, 1, "does not compile");
    expect_no_costs(dev, 2, "the cost of fences: the process that drives the device ended with exit code 7");
    expect_no_costs(dev, 3,
                    "the cost of fences: nothing came back from the device for 2 s: its process was ended");
    expect_no_costs(dev, 4, "the kernel failed");
    assert_true(isolated_fence_costs(dev, costs, 2, &wish, &d));
    assert_int_equal(costs[1].cycles, 200 + SCOPE_CTA);
    isolated_close(dev);
}

static void after_many_losses_the_device_is_given_up(void **state) {
    (void)state;
    struct device *dev = open_device(0);
    char name[16];
    for (int k = 0; k < ISOLATED_MAX_LOSSES; k++) {
        snprintf(name, sizeof name, "fault-%d", k);
        expect_failure(dev, name, "the kernel failed");
        if (k == 0) expect_failure(dev, name, "the kernel failed"); /* two cells of a test count once */
    }
    expect_failure(dev, "fine", "fake was lost in 8 tests in a row: it is given up");
    expect_failure(dev, "fine", "fine (block, volatile, block): the device was given up");
    isolated_close(dev);
}

static void a_cell_that_is_fine_between_losses_saves_the_device(void **state) {
    (void)state;
    struct device *dev = open_device(0);
    char name[16];
    for (int k = 0; k < 2 * ISOLATED_MAX_LOSSES - 2; k++) {
        snprintf(name, sizeof name, "fault-%d", k);
        expect_failure(dev, name, "the kernel failed");
        if (k == ISOLATED_MAX_LOSSES - 2) run_fine(dev);
    }
    run_fine(dev);
    isolated_close(dev);
}

static void a_device_that_is_gone_is_given_up(void **state) {
    (void)state;
    struct device *dev = open_device(7);
    run_fine(dev);
    expect_failure(
        dev, "lost",
        "lost (block, volatile, block): the process that drives the device was ended by signal 9 (Killed)");
    expect_failure(dev, "fine", "no device 7");
    expect_failure(dev, "fine", "fine (block, volatile, block): the device was given up");
    unlink(getenv(fake_gone));
    isolated_close(dev);
}

/* Opening device 0 when counting goes this way. */
static void expect_no_device(const char *how, const char *message) {
    struct device *dev = NULL;
    struct diag d = {0};
    struct arena *a = arena_open();
    const char *why = NULL;
    setenv(fake_counting, how, 1);
    if (strcmp(how, "hang") == 0) fake_driver.patience = FAKE_IMPATIENCE;
    assert_int_equal(isolated_open(&fake_driver, 0, &dev, &d), OPENING_NO_DEVICE);
    assert_null(dev);
    assert_int_equal(d.n, 1);
    assert_string_equal(d.messages[0].text, message);
    assert_int_equal(isolated_count(&fake_driver, a, &why), 0);
    assert_string_equal(why, message);
    setenv(fake_counting, "fine", 1);
    fake_driver.patience = FAKE_PATIENCE;
    diag_free(&d);
    arena_close(a);
}

static void without_a_device_there_is_a_reason(void **state) {
    (void)state;
    struct arena *a = arena_open();
    const char *why = NULL;
    assert_int_equal(isolated_count(&fake_driver, a, &why), 42);
    assert_null(why);
    expect_no_device("none", "there is none");
    expect_no_device("crash",
                     "the fake driver: the process that drives the device was ended by signal 6 (Aborted)");
    expect_no_device("hang",
                     "the fake driver: nothing came back from the device for 2 s: its process was ended");
    arena_close(a);
}

/* A program that does not serve would else start itself for ever. */
static void a_process_of_a_device_starts_no_other(void **state) {
    (void)state;
    struct device *dev = NULL;
    struct diag d = {0};
    setenv("CULITMUS_OWN_PROCESS", "1", 1);
    assert_int_equal(isolated_open(&fake_driver, 0, &dev, &d), OPENING_FAILED);
    assert_memory_equal(d.messages[0].text, "cannot start a process for the device", 37);
    unsetenv("CULITMUS_OWN_PROCESS");
    char *argv[] = {(char[]){"x"},
                    (char[]){"device-process"},
                    (char[]){"fake"},
                    (char[]){"3"},
                    (char[]){"4"},
                    (char[]){"1"},
                    NULL};
    assert_false(isolated_serve(&fake_driver, 6, argv)); /* somebody typed it */
    diag_free(&d);
}

int main(int argc, char **argv) {
    if (isolated_serve(&fake_driver, argc, argv)) return 0;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_the_driver_says_arrives),
        cmocka_unit_test(a_cell_of_several_kernels_arrives),
        cmocka_unit_test(a_device_that_cannot_be_opened_is_an_error),
        cmocka_unit_test(a_fault_costs_its_own_cell),
        cmocka_unit_test(a_harmless_failure_keeps_the_process),
        cmocka_unit_test(code_is_kept_when_it_was_loaded),
        cmocka_unit_test(kept_code_that_does_not_load_is_compiled_again),
        cmocka_unit_test(after_many_losses_the_device_is_given_up),
        cmocka_unit_test(a_cell_that_is_fine_between_losses_saves_the_device),
        cmocka_unit_test(a_device_that_is_gone_is_given_up),
        cmocka_unit_test(the_cost_of_fences_arrives),
        cmocka_unit_test(costs_that_cannot_be_measured_cost_nothing_else),
        cmocka_unit_test(without_a_device_there_is_a_reason),
        cmocka_unit_test(a_process_of_a_device_starts_no_other),
    };
    return cmocka_run_group_tests(tests, isolated_set_up, isolated_tear_down);
}
