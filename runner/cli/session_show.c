/* What `run` and `check` have in common before and after their session. */
#include "cli/session.h"
#include "cli/view.h"

/* Where no test is left, files of results say why. */
static int write_refused(const struct options *o, const struct refused_file *refused, int n) {
    struct report r = {.tool = "culitmus " CULITMUS_VERSION, .refused = refused, .nrefused = n};
    return n == 0 || outputs_write(o, &r) ? EXIT_INPUT : EXIT_ENVIRONMENT;
}

/* No test, and no file that an option names, is overwritten by results. */
static int spare_inputs(const struct options *o, const struct suite *suite) {
    int code = o->model ? outputs_spare(o, o->model) : EXIT_FINE;
    if (!code && o->profile) code = outputs_spare(o, o->profile);
    for (int k = 0; k < suite->n && !code; k++)
        code = outputs_spare(o, suite->tests[k]->source.path);
    for (int k = 0; k < suite->nrefused && !code; k++)
        code = outputs_spare(o, suite->refused[k].file);
    return code;
}

int with_suite(const struct options *o,
               int (*f)(const struct options *o, struct arena *a, const struct suite *suite)) {
    int code = suite_check_filter(o);
    if (code) return code;
    struct arena *a = arena_open();
    struct suite suite = {0};
    struct diag d = {0};
    bool found = suite_read(a, o->args, o->nargs, o->filter, &suite, &d);
    diag_report(&d, EXIT_INPUT);
    if (found) code = suite_check_choices(&suite, o);
    if (!code) code = spare_inputs(o, &suite);
    if (!code) code = outputs_check(o);
    if (!code) code = found ? f(o, a, &suite) : write_refused(o, suite.refused, suite.nrefused);
    arena_close(a);
    return code;
}

static void show_finished(const struct session *s, const struct test_result *r) {
    if (!outputs_to_stdout(s->options) && !s->options->brief) view_test(r, s->options->outcomes);
}

int session_show(struct session *s) {
    struct diag d = {0};
    if (!session_run(s, show_finished, &d)) {
        diag_report(&d, EXIT_INPUT);
        return write_refused(s->options, s->report.refused, s->report.nrefused);
    }
    diag_report(&d, EXIT_FINE);
    if (!outputs_to_stdout(s->options) && s->options->brief) view_brief(&s->report);
    if (!outputs_to_stdout(s->options)) view_summary(&s->report);
    if (s->without_cells > 0)
        fprintf(stderr, "culitmus: %d %s no such cell and %s left out\n", s->without_cells,
                s->without_cells == 1 ? "test has" : "tests have", s->without_cells == 1 ? "is" : "are");
    if (s->interrupted) fprintf(stderr, "culitmus: interrupted; these are the results so far\n");
    if (!outputs_write(s->options, &s->report)) return EXIT_ENVIRONMENT;
    if (s->interrupted) return EXIT_INTERRUPTED;
    if (s->report.nrefused) return EXIT_INPUT;
    if (results_failed(&s->report)) return EXIT_FOUND;
    if (s->wrong) return EXIT_INPUT;
    return s->broken ? EXIT_ENVIRONMENT : EXIT_FINE;
}
