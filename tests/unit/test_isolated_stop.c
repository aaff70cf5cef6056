/* The process of a device when somebody wishes to stop, and when the process that started it ends. */
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "isolated_cell.h"

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

int main(int argc, char **argv) {
    if (isolated_serve(&fake_driver, argc, argv)) return 0;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wish_to_stop_arrives),
        cmocka_unit_test(what_the_group_is_told_is_for_the_first_process),
        cmocka_unit_test(nobody_outlives_the_first_process),
        cmocka_unit_test(a_wish_to_stop_ends_a_device_that_hangs),
    };
    return cmocka_run_group_tests(tests, isolated_set_up, isolated_tear_down);
}
