/* A cell that is sent to the process of a device while another one runs there. */
#include "isolated_cell.h"

/* A cell that was sent while the one before it ran. */
struct cells_ahead {
    struct device *dev;
    struct cell_result first, second;
    struct run_request request, then;
};

static void build_ahead(struct cell_result *c, struct device *dev, const char *name) {
    cell_open(c, name);
    c->res.hist.nobs = c->t->nobs;
    struct build build = {.t = c->t, .cell = &c->cell, .d = &c->d};
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

int main(int argc, char **argv) {
    if (isolated_serve(&fake_driver, argc, argv)) return 0;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cell_is_sent_while_another_runs),
        cmocka_unit_test(a_cell_that_was_sent_outlives_a_crash_before_it),
        cmocka_unit_test(a_cell_is_loaded_while_another_runs),
        cmocka_unit_test(a_cell_that_is_loaded_outlives_a_fault_before_it),
        cmocka_unit_test(what_does_not_load_costs_only_its_own_cell),
        cmocka_unit_test(a_cell_that_was_sent_need_not_run),
    };
    return cmocka_run_group_tests(tests, isolated_set_up, isolated_tear_down);
}
