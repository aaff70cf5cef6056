/* `compilers`: what several compilers make of the same cells. */
#include <string.h>

#include "cli/choose.h"
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "cli/session_show.h"
#include "cli/view.h"
#include "report/survey.h"

/* The backend whose compilers can be compared. */
static const struct backend *find_backend(void) {
    const struct backend *const *b = backends;
    while (*b && !(*b)->survey)
        b++;
    return *b;
}

static void show_progress(const struct compiler_choice *c, int done, int of) {
    progress_text("%s: %d of %d texts", c->name, done, of);
}

/* All chosen cells of all tests. Those that take no compiler are left out. */
static struct build *list_cells(const struct options *o, struct arena *a, const struct backend *b,
                                const struct suite *suite, int *n) {
    struct build *cells = NULL;
    *n = 0;
    for (int k = 0; k < suite->n; k++) {
        const struct test *t = suite->tests[k];
        int of_test;
        struct cell *chosen = cells_chosen(a, t, &o->cells, b, &of_test);
        for (int i = 0; i < of_test && !t->uncompiled; i++) {
            cells = arena_more(a, cells, (size_t)*n, sizeof *cells);
            cells[(*n)++] = (struct build){.t = t, .cell = &chosen[i]};
        }
    }
    return cells;
}

struct compilers_output {
    const struct survey_request *request;
    const struct survey *survey;
};

static void print_json(const void *ctx, FILE *out) {
    const struct compilers_output *c = ctx;
    survey_json(c->request, c->survey, out);
}

static bool has_wrong(const struct survey_request *r, const struct survey *s) {
    for (int i = 0; i < s->ntexts; i++)
        for (int k = 0; k < r->ncompilers; k++)
            if (s->texts[i].by[k].wrong) return true;
    return false;
}

static int survey_suite(const struct options *o, struct arena *a, const struct suite *suite) {
    const struct backend *b = find_backend();
    struct survey_request r = {
        .arch = o->arch ? o->arch : "sm_90", .stop = &interrupted, .progress = show_progress};
    struct survey s;
    int code = choose_compilers(o, a, b, NULL, r.arch, &r.compilers, &r.ncompilers);
    if (code) return code;
    r.cells = list_cells(o, a, b, suite, &r.ncells);
    interrupt_catch();
    b->survey(a, &r, &s);
    progress_clear();
    if (s.interrupted) return EXIT_INTERRUPTED;
    const char *json = o->files[PRINTER_json];
    if (!outputs_to_stdout(o)) view_survey(&r, &s, o->all_cells);
    if (json && !outputs_put(json, print_json, &(struct compilers_output){&r, &s})) return EXIT_ENVIRONMENT;
    if (suite->nrefused) return EXIT_INPUT;
    return has_wrong(&r, &s) ? EXIT_FOUND : EXIT_FINE;
}

int command_compilers(const struct options *o) {
    if (!o->compilers.n && !o->ptxas.n)
        return usage_error(
            o->command,
            "it wants --nvrtc LIBRARY,LIBRARY or --ptxas PROGRAM,PROGRAM: the compilers to compare");
    if (o->arch && strcmp(o->arch, "newest") == 0)
        return usage_error(o->command, "option '--arch' wants one that all of them know, such as sm_90");
    return with_suite(o, survey_suite);
}
