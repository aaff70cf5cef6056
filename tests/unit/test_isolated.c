/* A device behind a process of its own, with a driver that fails on demand. */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "fake_driver.h"

static struct device *open_device(int index) {
    struct device *dev = NULL;
    struct diag d = {0};
    assert_int_equal(isolated_open(&fake_driver, index, &dev, &d), OPENING_DONE);
    assert_int_equal(d.n, 1);
    assert_int_equal(d.warnings, 1);
    diag_free(&d);
    return dev;
}

/* A cell of a test with this name, read and built after the device was opened. */
struct cell_result {
    struct arena *a;
    struct test *t;
    struct cell v;
    struct kernel *k;
    struct diag d;
    struct run_result res;
};

static void cell_open(struct cell_result *c, const char *name) {
    *c = (struct cell_result){.a = arena_open()};
    char *yaml = arena_printf(c->a,
                              "name: %s\nmemory: {X: 0}\nplacements: [%s]\nthreads:\n"
                              "  P0: |\n    fence(); int a = X;\n  P1: |\n    X = 1; int b = X;\n"
                              "exists: a == 1 && b == 1\n",
                              name, strcmp(name, "kernels") == 0 ? "P0 ~> P1" : "block");
    c->t = test_read_text(c->a, "test.yaml", yaml, strlen(yaml), &c->d);
    assert_non_null(c->t);
    c->v = (struct cell){&c->t->placements[0], c->t->accesses[0], &c->t->fences[1]};
}

static bool cell_run(struct cell_result *c, struct device *dev, const char *name, struct run_request *req) {
    struct run_request plain = {.runs = 100, .seed = 1}; /* nobody can stop it */
    cell_open(c, name);
    c->res.hist.nobs = c->t->nobs;
    struct build build = {.t = c->t, .v = &c->v, .d = &c->d};
    isolated_build(dev, &build, 1);
    if (!build.kernel) return false;
    c->k = build.kernel;
    return isolated_run(c->k, req ? req : &plain, &c->res, &c->d);
}

static void cell_close(struct cell_result *c) {
    if (c->k) isolated_discard(c->k);
    histogram_free(&c->res.hist);
    diag_free(&c->d);
    arena_close(c->a);
}

/* Runs a cell that is fine; which process ran it. */
static int run_fine(struct device *dev) {
    struct cell_result c;
    if (!cell_run(&c, dev, "fine", NULL)) diag_render(&c.d, stderr, false);
    assert_int_equal(c.res.runs, 100);
    int pid = c.res.environments;
    cell_close(&c);
    return pid;
}

static void expect_failure(struct device *dev, const char *name, const char *message) {
    struct cell_result c;
    assert_false(cell_run(&c, dev, name, NULL));
    assert_int_equal(c.d.errors, 1);
    assert_string_equal(c.d.messages[0].text, message);
    if (c.d.n > 1) assert_memory_equal(c.d.messages[1].text, "in ", 3);
    assert_int_equal(c.res.runs, 0);
    cell_close(&c);
}

/* Of a driver that hangs. */
static void expect_silence(struct device *dev, const char *name, const char *message) {
    fake_driver.patience = FAKE_IMPATIENCE;
    expect_failure(dev, name, message);
    fake_driver.patience = FAKE_PATIENCE;
}

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
    assert_string_equal(isolated_cannot(dev, c.t, &c.v, c.a), "not on device 4 at placement block");
    cell_close(&c);
    cell_open(&c, "fine");
    assert_null(isolated_cannot(dev, c.t, &c.v, c.a));
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
    struct build build = {.t = c.t, .v = &c.v, .d = &c.d};
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

/* A cell that was sent while the one before it ran. */
struct cells_ahead {
    struct device *dev;
    struct cell_result first, second;
    struct run_request request, then;
};

static void build_ahead(struct cell_result *c, struct device *dev, const char *name) {
    cell_open(c, name);
    c->res.hist.nobs = c->t->nobs;
    struct build build = {.t = c->t, .v = &c->v, .d = &c->d};
    isolated_build(dev, &build, 1);
    c->k = build.kernel;
    assert_non_null(c->k);
}

static bool run_before(struct cells_ahead *a, const char *name, const char *next) {
    a->dev = open_device(0);
    build_ahead(&a->first, a->dev, name);
    build_ahead(&a->second, a->dev, next);
    a->then = (struct run_request){.runs = 300, .seed = 1};
    a->request = (struct run_request){.runs = 100, .seed = 1, .then = a->second.k, .then_request = &a->then};
    return isolated_run(a->first.k, &a->request, &a->first.res, &a->first.d);
}

static bool run_first(struct cells_ahead *a, const char *name) {
    return run_before(a, name, "fine");
}

static void close_ahead(struct cells_ahead *a) {
    if (a->second.k) cell_close(&a->second);
    isolated_close(a->dev);
}

static void a_cell_is_sent_while_another_runs(void **state) {
    (void)state;
    struct cells_ahead a;
    assert_true(run_first(&a, "fine"));
    assert_int_equal(a.first.res.runs, 100);
    int pid = a.first.res.environments;
    cell_close(&a.first);
    assert_true(isolated_run(a.second.k, &a.then, &a.second.res, &a.second.d));
    assert_int_equal(a.second.res.runs, 300);
    assert_int_equal(a.second.res.environments, pid);
    assert_int_equal(run_fine(a.dev), pid);
    close_ahead(&a);
}

static void a_cell_that_was_sent_outlives_a_crash_before_it(void **state) {
    (void)state;
    static const char *const failing[] = {"crash", "fault", "too-large"};
    for (int k = 0; k < 3; k++) {
        struct cells_ahead a;
        assert_false(run_first(&a, failing[k]));
        cell_close(&a.first);
        assert_true(isolated_run(a.second.k, &a.then, &a.second.res, &a.second.d));
        assert_int_equal(a.second.res.runs, 300);
        assert_int_equal(a.second.d.n, 0);
        close_ahead(&a);
    }
}

/* What was counted, how often something was loaded before the end, and how many kernels there were then. */
static void check_counted(const struct cell_result *c, int runs, int loads, int kernels) {
    assert_int_equal(c->res.runs, runs);
    assert_int_equal(c->res.hist.n, 2);
    assert_int_equal(histogram_total(&c->res.hist), runs);
    assert_int_equal(c->res.seen_in, 10 * loads + kernels);
}

/* The second cell's test is another one. It is loaded before the first one's outcomes are there, and the first one's
 * kernel is discarded while it runs, or when it has run. */
static void a_cell_is_loaded_while_another_runs(void **state) {
    (void)state;
    struct cells_ahead a;
    assert_true(run_first(&a, "patient"));
    check_counted(&a.first, 100, 2, 2);
    cell_close(&a.first);
    assert_true(isolated_run(a.second.k, &a.then, &a.second.res, &a.second.d));
    check_counted(&a.second, 300, 2, 2);
    assert_int_equal(a.second.d.n, 0);
    run_fine(a.dev);
    close_ahead(&a);
}

/* Whatever becomes of either, it is not said of the other. */
static void a_cell_that_is_loaded_outlives_a_fault_before_it(void **state) {
    (void)state;
    struct cells_ahead a;
    assert_false(run_first(&a, "patient-fault"));
    assert_string_equal(a.first.d.messages[0].text, "the kernel failed");
    cell_close(&a.first);
    assert_true(isolated_run(a.second.k, &a.then, &a.second.res, &a.second.d));
    check_counted(&a.second, 300, 1, 1); /* by another process */
    assert_int_equal(a.second.d.n, 0);
    close_ahead(&a);
}

static void what_does_not_load_costs_only_its_own_cell(void **state) {
    (void)state;
    static const char *const failing[] = {"too-large", "unloadable"};
    static const char *const messages[] = {
        "does not fit",
        "unloadable (block, volatile, block): the process that drives the device was ended by signal 6 "
        "(Aborted)"};
    for (int k = 0; k < 2; k++) {
        struct cells_ahead a;
        assert_true(run_before(&a, "patient", failing[k]));
        assert_int_equal(a.first.res.runs, 100);
        assert_int_equal(a.first.d.n, 0);
        cell_close(&a.first);
        assert_false(isolated_run(a.second.k, &a.then, &a.second.res, &a.second.d));
        assert_int_equal(a.second.d.errors, 1);
        assert_string_equal(a.second.d.messages[0].text, messages[k]);
        close_ahead(&a);
    }
    unlink(getenv(fake_gone));
}

/* As after Ctrl-C. What it says is not taken for what another one says. */
static void a_cell_that_was_sent_need_not_run(void **state) {
    (void)state;
    struct cells_ahead a;
    assert_true(run_first(&a, "fine"));
    int pid = a.first.res.environments;
    cell_close(&a.first);
    cell_close(&a.second);
    a.second.k = NULL;
    assert_int_not_equal(run_fine(a.dev), pid);
    close_ahead(&a);
    assert_true(run_first(&a, "fine"));
    cell_close(&a.first);
    run_fine(a.dev); /* another one comes first */
    assert_true(isolated_run(a.second.k, &a.then, &a.second.res, &a.second.d));
    assert_int_equal(a.second.res.runs, 300);
    close_ahead(&a);
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

static atomic_int stop;

static void stop_soon(void *ctx, uint64_t runs, double seconds) {
    (void)ctx, (void)runs, (void)seconds;
    stop = 1;
}

static void a_wish_to_stop_arrives(void **state) {
    (void)state;
    struct device *dev = open_device(0);
    struct cell_result c;
    struct run_request req = {.runs = 100, .stop = &stop, .progress = stop_soon};
    stop = 0;
    assert_true(cell_run(&c, dev, "endless", &req));
    assert_true(c.res.interrupted);
    assert_int_equal(c.res.runs, 100);
    cell_close(&c);
    run_fine(dev);
    isolated_close(dev);
}

static void the_cost_of_fences_arrives(void **state) {
    (void)state;
    struct device *dev = open_device(0);
    struct diag d = {0};
    int pid = run_fine(dev);
    struct fence_cost costs[] = {{{0}, CROWD_THREAD, 0, 0}, {{ORDER_SC, SCOPE_GPU}, CROWD_WARP, 5, 0}};
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
    struct fence_cost costs[] = {{{0}, CROWD_THREAD, writes, 0}, {{ORDER_SC, SCOPE_GPU}, CROWD_WARP, 5, 0}};
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
    struct fence_cost costs[] = {{{0}, CROWD_THREAD, 3, 0}, {{ORDER_SC, SCOPE_CTA}, CROWD_WARP, 2, 0}};
    struct diag d = {0};
    expect_no_costs(dev, 1, "does not compile");
    expect_no_costs(dev, 2, "the cost of fences: the process that drives the device ended with exit code 7");
    expect_no_costs(dev, 3,
                    "the cost of fences: nothing came back from the device for 2 s: its process was ended");
    expect_no_costs(dev, 4, "the kernel failed");
    stop = 1;
    assert_true(isolated_fence_costs(dev, costs, 2, &stop, &d));
    assert_int_equal(costs[1].cycles, 200 + SCOPE_CTA);
    isolated_close(dev);
}

static void what_the_group_is_told_is_for_the_first_process(void **state) {
    (void)state;
    struct device *dev = open_device(0);
    int pid = run_fine(dev);
    struct cell_result c;
    assert_true(cell_run(&c, dev, "group", NULL));
    assert_int_equal(c.d.n, 0);
    assert_int_equal(c.res.environments, pid);
    cell_close(&c);
    isolated_close(dev);
}

/* Runs a cell whose kernel never ends, with nobody to end it. */
static void run_for_ever(void) {
    struct device *dev;
    struct diag d = {0};
    struct cell_result c;
    if (isolated_open(&fake_driver, 0, &dev, &d) == OPENING_DONE) cell_run(&c, dev, "linger", NULL);
}

/* Killed, it takes along the process that is busy with a device, which would otherwise keep it. */
static void nobody_outlives_the_first_process(void **state) {
    (void)state;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    char number[16];
    snprintf(number, sizeof number, "%d", ends[1]);
    setenv(fake_lingers, number, 1);
    pid_t first = fork(), worker;
    if (first == 0) {
        run_for_ever();
        _exit(1);
    }
    close(ends[1]);
    assert_int_equal(read(ends[0], &worker, sizeof worker), sizeof worker);
    kill(first, SIGKILL);
    waitpid(first, NULL, 0);
    struct pollfd p = {.fd = ends[0], .events = POLLIN};
    char byte;
    bool gone_too =
        poll(&p, 1, 20000) == 1 && read(ends[0], &byte, 1) == 0; /* all who could write have ended */
    if (!gone_too) kill(worker, SIGKILL);
    assert_true(gone_too);
    close(ends[0]);
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

/* A driver that hangs when its device is opened again is not waited for once somebody wishes to stop. */
static void a_wish_to_stop_ends_a_device_that_hangs(void **state) {
    (void)state;
    struct device *dev = NULL;
    struct diag d = {0};
    struct cell_result c;
    const atomic_int wish = 1;
    struct run_request req = {.runs = 100, .stop = &wish};
    double begun = clock_now();
    assert_int_equal(isolated_open(&fake_driver, 0, &dev, &d), OPENING_DONE);
    assert_false(cell_run(&c, dev, "hang", &req));
    assert_string_equal(
        c.d.messages[0].text,
        "hang (block, volatile, block): the device did not stop when it was asked to: its process was ended");
    cell_close(&c);
    setenv(fake_counting, "hang", 1);
    assert_false(cell_run(&c, dev, "fine", &req));
    setenv(fake_counting, "fine", 1);
    assert_string_equal(
        c.d.messages[0].text,
        "the fake driver: the device did not stop when it was asked to: its process was ended");
    cell_close(&c);
    assert_true(clock_now() - begun < FAKE_PATIENCE / 2.0);
    diag_free(&d);
    isolated_close(dev);
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
    char name[64];
    snprintf(name, sizeof name, "/tmp/culitmus-test-gone-%d", (int)getpid());
    setenv(fake_gone, name, 1);
    setenv(fake_counting, "fine", 1);
    char cache[] = "/tmp/culitmus-test-XXXXXX", command[64];
    if (!mkdtemp(cache)) return 1;
    setenv("CULITMUS_CACHE", cache, 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_the_driver_says_arrives),
        cmocka_unit_test(a_cell_of_several_kernels_arrives),
        cmocka_unit_test(a_device_that_cannot_be_opened_is_an_error),
        cmocka_unit_test(a_fault_costs_its_own_cell),
        cmocka_unit_test(a_harmless_failure_keeps_the_process),
        cmocka_unit_test(code_is_kept_when_it_was_loaded),
        cmocka_unit_test(kept_code_that_does_not_load_is_compiled_again),
        cmocka_unit_test(a_cell_is_sent_while_another_runs),
        cmocka_unit_test(a_cell_that_was_sent_outlives_a_crash_before_it),
        cmocka_unit_test(a_cell_is_loaded_while_another_runs),
        cmocka_unit_test(a_cell_that_is_loaded_outlives_a_fault_before_it),
        cmocka_unit_test(what_does_not_load_costs_only_its_own_cell),
        cmocka_unit_test(a_cell_that_was_sent_need_not_run),
        cmocka_unit_test(after_many_losses_the_device_is_given_up),
        cmocka_unit_test(a_cell_that_is_fine_between_losses_saves_the_device),
        cmocka_unit_test(a_device_that_is_gone_is_given_up),
        cmocka_unit_test(a_wish_to_stop_arrives),
        cmocka_unit_test(the_cost_of_fences_arrives),
        cmocka_unit_test(costs_that_cannot_be_measured_cost_nothing_else),
        cmocka_unit_test(what_the_group_is_told_is_for_the_first_process),
        cmocka_unit_test(nobody_outlives_the_first_process),
        cmocka_unit_test(without_a_device_there_is_a_reason),
        cmocka_unit_test(a_wish_to_stop_ends_a_device_that_hangs),
        cmocka_unit_test(a_process_of_a_device_starts_no_other),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    snprintf(command, sizeof command, "rm -rf %s", cache);
    return system(command) != 0 || failed;
}
