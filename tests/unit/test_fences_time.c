/* What is told of the time that fences take, on a backend whose runs take what they are told to take. */
#include "cli/fences_time.c"

#include <string.h>

#include "cm.h"

atomic_int interrupted;

static const double *seconds; /* of a thousand runs with fences; without, a thousand take 1 s */
static int ran;

static const char *cannot(const struct device *dev, const struct test *t, const struct cell *v,
                          struct arena *a) {
    (void)dev, (void)t, (void)v, (void)a;
    return NULL;
}

/* The kernel of the cell without fences is the device. */
static void build_cells(struct device *dev, struct build *cells, int n) {
    static char with;
    (void)n;
    bool none = strcmp(cells[0].v->fence->name, "none") == 0;
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

static void check(const double times[PAIRS], const char *want) {
    struct arena *a = arena_open();
    struct diag d = {0};
    struct test t = {.nobs = 0};
    struct placement place = {.name = "device"};
    struct fence_choice f = {.name = "weakest"};
    struct cell v = {&place, ACCESS_VOLATILE, &f};
    struct fences_clock clock = {&fake, (struct device *)times, {.runs = 10}, a, &d};
    seconds = times;
    ran = 0;
    assert_string_equal(fences_time(&clock, &t, &v, &f), want);
    arena_close(a);
}

/* The median, the least and the most; nothing where the pairs disagree about which is longer. */
static void a_spread_is_told_or_nothing(void **state) {
    (void)state;
    check((const double[]){2.0, 1.4, 1.6, 1.5, 1.2}, "1.5 x (1.2 to 2.0)");
    check((const double[]){0.5, 0.4, 0.6, 0.5, 0.2}, "0.5 x (0.2 to 0.6)");
    check((const double[]){2.0, 1.4, 0.9, 1.5, 1.2}, "-");
    check((const double[]){3.9, 1.3, 0.8, 1.1, 1.0}, "-");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_spread_is_told_or_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
