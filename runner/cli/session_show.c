#include "cli/session_show.h"

#include <string.h>

#include "cli/choose.h"
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "cli/view.h"

/* If no test is left, files of results still say why. */
static int write_refused(const struct options *o, const struct refused_file *refused, int n) {
    struct report r = {.tool = "culitmus " CULITMUS_VERSION, .refused = refused, .nrefused = n};
    return n == 0 || outputs_write(o, &r) ? EXIT_INPUT : EXIT_ENVIRONMENT;
}

/* Checks the command line before a test is read. Results must not overwrite a file that an option names. */
static int check_options(const struct options *o) {
    int code = choose_check_filter(o);
    if (!code) code = choose_check_cells(o, NULL);
    if (!code) code = choose_check_profile(o);
    if (!code && o->profile) code = outputs_spare(o, o->profile);
    return code ? code : outputs_check(o);
}

/* Results must not overwrite a test, either. */
static int spare_tests(const struct options *o, const struct suite *suite) {
    int code = EXIT_FINE;
    for (int k = 0; k < suite->n && !code; k++)
        code = outputs_spare(o, suite_test(suite, k)->source.path);
    for (int k = 0; k < suite->nrefused && !code; k++)
        code = outputs_spare(o, suite->refused[k].file);
    return code;
}

/* Reads the tests, and compiles their sources if the options fit them. Returns 0, or an exit code; `found`:
 * there are tests. */
static int read_suite(const struct options *o, struct arena *a, struct suite *suite, bool *found) {
    struct diag d = {0};
    int code = EXIT_FINE;
    *found = suite_read(a, choose_shipped(a), o->args, o->nargs, (struct name_filter){o->filter, o->exclude},
                        suite, &d);
    diag_report(&d, EXIT_INPUT);
    if (*found) code = choose_check_cells(o, suite);
    if (!code) code = spare_tests(o, suite);
    if (code || !*found) return code;
    suite_compile(suite, &d);
    diag_report(&d, EXIT_INPUT);
    *found = suite->n > 0;
    return *found ? choose_check_cells(o, suite) : EXIT_FINE;
}

int with_suite(const struct options *o,
               int (*f)(const struct options *o, struct arena *a, const struct suite *suite)) {
    int code = check_options(o);
    if (code) return code;
    struct arena *a = arena_open();
    struct suite suite = {0};
    bool found;
    code = read_suite(o, a, &suite, &found);
    if (!code) code = found ? f(o, a, &suite) : write_refused(o, suite.refused, suite.nrefused);
    arena_close(a);
    return code;
}

/* ---- what is shown during a session ---- */

struct watch {
    const struct session *session;
    const struct options *options;
};

static void show_preparing(void *ctx, int prepared, int of) {
    const struct watch *w = ctx;
    progress_phase(w->session->backend ? "building" : "judging", prepared, of);
}

static void show_counted(void *ctx, int done, int of) {
    (void)ctx;
    progress_count(done, of);
}

static void show_running(void *ctx, const struct test_result *r, const struct cell_result *c) {
    (void)ctx;
    progress_cell(c->backend, r->name, c);
}

static void show_messages(void *ctx, struct diag *d) {
    (void)ctx;
    progress_clear();
    fflush(stdout);
    diag_report(d, EXIT_INPUT);
    *d = (struct diag){0};
}

static void show_finished(void *ctx, const struct test_result *r) {
    const struct watch *w = ctx;
    progress_clear();
    if (!outputs_to_stdout(w->options) && !w->options->brief) view_test(r, w->options->outcomes);
}

static const struct session_listener listener = {.preparing = show_preparing,
                                                 .counted = show_counted,
                                                 .running = show_running,
                                                 .progress = progress_show,
                                                 .messages = show_messages,
                                                 .finished = show_finished};

/* ---- a session ---- */

static void ask(struct session *s, const struct options *o) {
    s->choices = o->cells;
    s->host_model = choose_host_model();
    s->why = o->why;
    s->strict = o->strict;
    s->races_fail = o->races && strcmp(o->races, "fail") == 0;
    s->stop = &interrupted;
}

/* Whether another process, which runs other cells on another device, prints the same. */
static bool is_said(const struct session *s) {
    return s->split && s->split->own.apart && s->split->own.number > 1;
}

static void show_all(const struct session *s, const struct options *o) {
    if (!outputs_to_stdout(o) && o->brief) view_brief(&s->report);
    if (!outputs_to_stdout(o)) view_summary(&s->report);
    if (o->preset) view_health(&s->report, -1, outputs_to_stdout(o) ? stderr : stdout);
    if (s->without_cells > 0 && !is_said(s))
        fprintf(stderr, "culitmus: %d %s no such cell and %s left out\n", s->without_cells,
                s->without_cells == 1 ? "test has" : "tests have", s->without_cells == 1 ? "is" : "are");
    if (s->interrupted && !is_said(s))
        fprintf(stderr, "culitmus: interrupted; these are the results so far\n");
}

int session_show(struct session *s, const struct options *o) {
    struct diag d = {0};
    struct watch watch = {s, o};
    s->listener = listener;
    s->listener.ctx = &watch;
    ask(s, o);
    interrupt_catch();
    bool done = session_run(s, &d);
    progress_clear();
    diag_report(&d, EXIT_INPUT);
    if (!done) return write_refused(o, s->report.refused, s->report.nrefused);
    show_all(s, o);
    if (!outputs_write(o, &s->report)) return EXIT_ENVIRONMENT;
    if (s->interrupted) return EXIT_INTERRUPTED;
    if (s->report.nrefused) return EXIT_INPUT;
    if (results_failed(&s->report)) return EXIT_FOUND;
    if (s->wrong) return EXIT_INPUT;
    return s->broken ? EXIT_ENVIRONMENT : EXIT_FINE;
}
