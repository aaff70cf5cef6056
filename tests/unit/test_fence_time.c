/* The time that fences take, on a backend whose runs take what they are told to take. */
#include "session/fence_time.h"

#include <string.h>

#include "cm.h"

enum { PAIRS = 5 };

static const double *seconds; /* of a thousand runs with fences; without, a thousand take 1 s */
static int ran;

static const char *cannot(const struct device *dev, const struct test *t, const struct cell *cell,
                          const struct compiler_choice *c, struct arena *a) {
    (void)dev, (void)t, (void)cell, (void)c, (void)a;
    return NULL;
}

/* The kernel of the cell without fences is the device. */
static void build_cells(struct device *dev, struct build *cells, int n) {
    static char with;
    (void)n;
    bool none = strcmp(cells[0].cell->fence->name, "none") == 0;
    cells[0].kernel = none ? (struct kernel *)dev : (struct kernel *)&with;
}

static bool run_kernel(struct kernel *k, const struct run_request *req, struct run_result *res,
                       struct diag *d) {
    (void)d;
    assert_int_equal(req->runs, 10 / PAIRS + 1);
    res->runs = 1000;
    res->seconds = (const void *)k == (const void *)seconds ? 1 : seconds[ran++];
    return true;
}

static void discard(struct kernel *k) {
    (void)k;
}

static const struct backend fake = {
    .name = "fake", .cannot = cannot, .build = build_cells, .run = run_kernel, .discard = discard};

static struct fence_time measure(const double times[PAIRS]) {
    struct arena *a = arena_open();
    struct diag d = {0};
    struct test t = {.nobs = 0};
    struct placement place = {.name = "device"};
    struct fence_choice f = {.name = "weakest"};
    struct cell cell = {&place, ACCESS_VOLATILE, &f};
    struct fence_clock clock = {&fake, (struct device *)times, {.runs = 10}};
    seconds = times;
    ran = 0;
    struct fence_time time = fence_time(&clock, &t, &cell, &f, a, &d);
    arena_close(a);
    return time;
}

static void a_spread_is_found(void **state) {
    (void)state;
    struct fence_time slower = measure((const double[]){2.0, 1.4, 1.6, 1.5, 1.2});
    assert_true(slower.least == 1.2 && slower.median == 1.5 && slower.most == 2.0);
    assert_true(fence_time_is_known(&slower));
    struct fence_time faster = measure((const double[]){0.5, 0.4, 0.6, 0.5, 0.2});
    assert_true(faster.least == 0.2 && faster.median == 0.5 && faster.most == 0.6);
    assert_true(fence_time_is_known(&faster));
}

/* Where the pairs disagree about which is longer, or some could not be run. */
static void noise_is_not_known(void **state) {
    (void)state;
    struct fence_time one = measure((const double[]){2.0, 1.4, 0.9, 1.5, 1.2});
    struct fence_time same = measure((const double[]){3.9, 1.3, 1.0, 1.1, 1.2});
    struct fence_time failed = measure((const double[]){2.0, 1.4, 0, 1.5, 1.2});
    assert_false(fence_time_is_known(&one) || fence_time_is_known(&same) || fence_time_is_known(&failed));
    assert_true(failed.most == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_spread_is_found),
                                       cmocka_unit_test(noise_is_not_known)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
