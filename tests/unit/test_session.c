/* A session without a backend: what is asked, what its listener is told, what it finds. */
#include <string.h>

#include "cm.h"
#include "session/estimate.h"
#include "session/session.h"
#include "source/read.h"

static const char text[] = "name: MP\n"
                           "memory: {x: 0, y: 0}\n"
                           "placements: [block, device]\n"
                           "fences: [none, device]\n"
                           "threads:\n"
                           "  T0: x = 1; fence(); y = 1;\n"
                           "  T1: int r0 = y; fence(); int r1 = x;\n"
                           "exists: r0 == 1 && r1 == 0\n";

struct heard {
    struct test *tests[2];
    struct suite suite;
    struct diag messages;
    int counted, of, prepared, finished;
};

static void hear_preparing(void *ctx, int prepared, int of) {
    struct heard *h = ctx;
    assert_true(h->prepared < prepared && prepared <= of);
    h->prepared = prepared;
}

static void hear_counted(void *ctx, int done, int of) {
    struct heard *h = ctx;
    assert_in_range(done - h->counted, 0, 1);
    h->counted = done;
    h->of = of;
}

static void hear_messages(void *ctx, struct diag *d) {
    struct heard *h = ctx;
    diag_join(&h->messages, d);
}

static void hear_finished(void *ctx, const struct test_result *r) {
    struct heard *h = ctx;
    assert_string_equal(r->name, h->tests[h->finished]->name);
    h->finished++;
}

/* A session that asks of two tests of one text; `model`: that the second names. */
static struct session asking(struct arena *a, struct heard *h, const char *model) {
    struct diag d = {0};
    for (int k = 0; k < 2; k++)
        h->tests[k] = test_read_text(a, "MP.yaml", text, strlen(text), &d);
    assert_int_equal(d.errors, 0);
    h->tests[1]->name = "MP2";
    h->tests[1]->model = model;
    h->suite = (struct suite){.tests = h->tests, .n = 2};
    return (struct session){.suite = &h->suite,
                            .listener = {.ctx = h,
                                         .preparing = hear_preparing,
                                         .counted = hear_counted,
                                         .messages = hear_messages,
                                         .finished = hear_finished}};
}

static void all_cells_are_judged_and_told(void **state) {
    (void)state;
    struct arena *a = arena_open();
    struct heard h = {0};
    struct diag d = {0};
    struct session s = asking(a, &h, NULL);
    assert_true(session_run(&s, &d));
    assert_int_equal(s.report.ntests, 2);
    assert_int_equal(h.finished, 2);
    assert_int_equal(h.prepared, 8);
    assert_int_equal(h.counted, 7); /* before the last */
    assert_int_equal(h.of, 8);
    assert_int_equal(h.messages.n, 0);
    for (int k = 0; k < 4; k++) /* block none, block device, device none, device device */
        assert_int_equal(s.report.tests[1].cells[k].verdict, k % 2 ? VERDICT_FORBIDDEN : VERDICT_ALLOWED);
    session_close(&s);
    arena_close(a);
}

/* ---- compilers ---- */

static const char *can_run(const struct device *dev, const struct test *t, const struct cell *cell,
                           const struct compiler_choice *c, struct arena *a) {
    (void)dev, (void)t, (void)cell, (void)c, (void)a;
    return NULL;
}

/* Both compilers make the same code of a cell without a fence. */
static void build_cells(struct device *dev, struct build *cells, int n) {
    (void)dev;
    for (int k = 0; k < n; k++) {
        bool same = k > 0 && cells[k - 1].cell == cells[k].cell && !cells[k].cell->fence->slot[0].there;
        if (same)
            cells[k].twin = &cells[k - 1];
        else
            cells[k].kernel = (struct kernel *)(void *)cells[k].compiler;
    }
}

/* The outcome shows with the second compiler alone. */
static bool run_kernel(struct kernel *k, const struct run_request *req, struct run_result *res,
                       struct diag *d) {
    const struct compiler_choice *c = (const void *)k;
    (void)req, (void)d;
    struct value seen[2] = {value_from(type_int, strcmp(c->name, "two") == 0), {0}};
    histogram_add(&res->hist, seen, 10);
    res->runs = 10;
    res->seconds = 1;
    return true;
}

static void discard_kernel(struct kernel *k) {
    (void)k;
}

static void each_compiler_runs_a_cell_unless_its_code_has_run(void **state) {
    (void)state;
    static const struct backend played = {.name = "cuda",
                                          .model = "ptx",
                                          .together = 1,
                                          .cannot = can_run,
                                          .build = build_cells,
                                          .run = run_kernel,
                                          .discard = discard_kernel};
    static const struct compiler_choice compilers[] = {{.name = "one"}, {.name = "two"}};
    struct device device = {.description = "played"};
    struct arena *a = arena_open();
    struct heard h = {0};
    struct diag d = {0};
    struct session s = asking(a, &h, NULL);
    s.listener = (struct session_listener){0};
    s.backend = &played;
    s.device = &device;
    s.compilers = compilers;
    s.ncompilers = 2;
    assert_true(session_run(&s, &d));
    const struct test_result *r = &s.report.tests[0];
    assert_int_equal(r->ncells, 8); /* of each cell one a compiler */
    for (int k = 0; k < 8; k++)
        assert_string_equal(r->cells[k].compiler, compilers[k % 2].name);
    assert_int_equal(r->cells[0].verdict, VERDICT_UNSEEN);
    assert_string_equal(r->cells[1].skipped, "its machine code is that of one");
    assert_int_equal(r->cells[2].verdict, VERDICT_HELD);
    assert_int_equal(r->cells[3].verdict, VERDICT_VIOLATION);
    session_close(&s);
    arena_close(a);
}

static void choices_and_a_model_are_kept_to(void **state) {
    (void)state;
    struct arena *a = arena_open();
    struct heard h = {0};
    struct diag d = {0};
    struct session s = asking(a, &h, NULL);
    s.choices.placements = (struct choices){{"device"}, 1};
    s.choices.fences = (struct choices){{"none"}, 1};
    const struct model *sc = model_load(a, "sc", &d);
    s.models = &sc;
    s.nmodels = 1;
    s.listener = (struct session_listener){0}; /* nobody listens */
    assert_true(session_run(&s, &d));
    assert_int_equal(s.report.tests[0].ncells, 1);
    assert_string_equal(s.report.tests[0].cells[0].model.name, "sc");
    assert_int_equal(s.report.tests[0].cells[0].verdict, VERDICT_FORBIDDEN);
    session_close(&s);
    arena_close(a);
}

static void a_test_without_its_model_is_refused(void **state) {
    (void)state;
    struct arena *a = arena_open();
    struct heard h = {0};
    struct diag d = {0};
    struct session s = asking(a, &h, "nosuch");
    assert_true(session_run(&s, &d));
    assert_int_equal(s.report.ntests, 1);
    assert_int_equal(s.report.nrefused, 1);
    assert_int_equal(h.messages.errors, 1);
    diag_free(&h.messages);
    session_close(&s);
    arena_close(a);
}

static void a_session_that_is_stopped_judges_nothing(void **state) {
    (void)state;
    struct arena *a = arena_open();
    struct heard h = {0};
    struct diag d = {0};
    atomic_int stop = 1;
    struct session s = asking(a, &h, NULL);
    s.stop = &stop;
    assert_true(session_run(&s, &d));
    assert_true(s.interrupted);
    assert_int_equal(s.report.ntests, 0);
    assert_int_equal(h.finished, 0);
    session_close(&s);
    arena_close(a);
}

static void a_choice_that_no_test_has_is_named(void **state) {
    (void)state;
    struct arena *a = arena_open();
    struct heard h = {0};
    struct cells_misfit misfit;
    struct session s = asking(a, &h, NULL);
    s.choices.fences = (struct choices){{"none", "system"}, 2};
    assert_false(cells_misfit(a, &h.suite, &s.choices, &misfit));
    s.choices.placements = (struct choices){{"block", "nowhere"}, 2};
    assert_true(cells_misfit(a, &h.suite, &s.choices, &misfit));
    assert_string_equal(misfit.axis, "placement");
    assert_string_equal(misfit.choice, "nowhere");
    arena_close(a);
}

/* Of 16 cells 8 run, a second each; all were prepared within 4 seconds. After half of the runs 4 seconds are left. */
static void time_left_counts_what_runs(void **state) {
    (void)state;
    struct estimate e = {.prepared = 16, .all = 16, .done = 4, .of = 8, .preparing = 4, .rest = 4};
    assert_true(estimate_left(&e) == 4);
    e.prepared = 8; /* and as long as before to prepare the others */
    assert_true(estimate_left(&e) == 8);
    e.done = 0;
    assert_true(estimate_left(&e) == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_cells_are_judged_and_told),
        cmocka_unit_test(each_compiler_runs_a_cell_unless_its_code_has_run),
        cmocka_unit_test(choices_and_a_model_are_kept_to),
        cmocka_unit_test(a_test_without_its_model_is_refused),
        cmocka_unit_test(a_session_that_is_stopped_judges_nothing),
        cmocka_unit_test(time_left_counts_what_runs),
        cmocka_unit_test(a_choice_that_no_test_has_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
