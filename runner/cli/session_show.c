/* What `run` and `check` have in common before and after their session. */
#include "cli/session.h"
#include "cli/view.h"

int with_suite(const struct options *o,
               int (*f)(const struct options *o, struct arena *a, const struct suite *suite)) {
    int code = suite_check_filter(o);
    if (code) return code;
    struct arena *a = arena_open();
    struct suite suite = {0};
    struct diag d = {0};
    if (suite_read(a, o->args, o->nargs, o->filter, &suite, &d)) {
        diag_report(&d, EXIT_FINE);
        code = suite_check_choices(&suite, o);
        if (!code) code = outputs_check(o);
        if (!code) code = f(o, a, &suite);
    } else {
        code = diag_report(&d, EXIT_INPUT);
    }
    arena_close(a);
    return code;
}

static void show_finished(const struct session *s, const struct test_result *r) {
    if (!outputs_to_stdout(s->options) && !s->options->brief) view_test(r, s->options->outcomes);
}

int session_show(struct session *s) {
    struct diag d = {0};
    if (!session_run(s, show_finished, &d)) return diag_report(&d, EXIT_INPUT);
    diag_report(&d, EXIT_FINE);
    if (!outputs_to_stdout(s->options) && s->options->brief) view_brief(&s->report);
    if (!outputs_to_stdout(s->options)) view_summary(&s->report);
    if (s->without_cells > 0)
        fprintf(stderr, "culitmus: %d %s no such cell and %s left out\n", s->without_cells,
                s->without_cells == 1 ? "test has" : "tests have", s->without_cells == 1 ? "is" : "are");
    if (s->interrupted) fprintf(stderr, "culitmus: interrupted; these are the results so far\n");
    if (!outputs_write(s->options, &s->report)) return EXIT_ENVIRONMENT;
    if (s->interrupted) return EXIT_INTERRUPTED;
    if (results_failed(&s->report)) return EXIT_FOUND;
    if (s->wrong) return EXIT_INPUT;
    return s->broken ? EXIT_ENVIRONMENT : EXIT_FINE;
}
