/* `compilers`: what several compilers make of the same cells, or of the ways to write an operation. */
#include <string.h>

#include "cli/choose.h"
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "cli/session_show.h"
#include "cli/view.h"
#include "report/survey.h"

/* Returns the backend whose compilers can be compared. */
static const struct backend *find_backend(void) {
    const struct backend *const *b = backends;
    while (*b && !(*b)->survey)
        b++;
    return *b;
}

static void show_progress(const struct compiler_choice *c, int done, int of) {
    progress_text("%s: %d of %d texts", c->name, done, of);
}

/* Lists all chosen cells of all tests, without those that no compiler is given. */
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
        .arch = o->archs.n ? o->archs.item[0] : "sm_90", .stop = &interrupted, .progress = show_progress};
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

/* ---- the ways to write an operation ---- */

static void show_column(const struct compiler_choice *c, const char *arch) {
    progress_text("%s, %s", c->name, arch);
}

struct mappings_output {
    const struct mappings_request *request;
    const struct mappings *mappings;
};

static void print_mappings(const void *ctx, FILE *out) {
    const struct mappings_output *m = ctx;
    mappings_markdown(m->request, m->mappings, out);
}

static void print_mappings_json(const void *ctx, FILE *out) {
    const struct mappings_output *m = ctx;
    mappings_json(m->request, m->mappings, out);
}

static bool write_mappings(const struct options *o, const struct mappings_output *m) {
    const char *page = o->files[PRINTER_markdown], *json = o->files[PRINTER_json];
    bool fine = !json || outputs_put(json, print_mappings_json, m);
    if (!page && !json) page = "-";
    return (!page || outputs_put(page, print_mappings, m)) && fine;
}

static bool has_weak(const struct mappings_request *r, const struct mappings *m) {
    for (int k = 0; k < m->n; k++)
        for (int c = 0; c < r->ncompilers * r->narchs; c++)
            if (m->list[k].by[c].weak) return true;
    return false;
}

/* Refuses the options that are about tests. */
static int check_mappings(const struct options *o) {
    const struct cell_choices *c = &o->cells;
    if (o->nargs || o->exclude || c->fences.n || c->placements.n || c->accesses.n)
        return usage_error(o->command, "option '--mappings' takes no tests and no cells");
    int code = choose_check_filter(o);
    return code ? code : outputs_check(o);
}

static int map_operations(const struct options *o, struct arena *a) {
    static const char *const usual[] = {"sm_90"};
    const struct backend *b = find_backend();
    struct mappings_request r = {.archs = o->archs.n ? o->archs.item : usual,
                                 .narchs = o->archs.n ? o->archs.n : 1,
                                 .folders = o->includes.item,
                                 .nfolders = o->includes.n,
                                 .filter = o->filter,
                                 .all = o->all_cells,
                                 .stop = &interrupted,
                                 .progress = show_column};
    struct mappings m;
    int code = check_mappings(o);
    if (!code) code = choose_compilers(o, a, b, NULL, r.archs[0], &r.compilers, &r.ncompilers);
    if (code) return code;
    interrupt_catch();
    b->mappings(a, &r, &m);
    progress_clear();
    if (m.interrupted) return EXIT_INTERRUPTED;
    if (!write_mappings(o, &(struct mappings_output){&r, &m})) return EXIT_ENVIRONMENT;
    return has_weak(&r, &m) ? EXIT_FOUND : EXIT_FINE;
}

static int check_archs(const struct options *o) {
    for (int k = 0; k < o->archs.n; k++)
        if (!choose_is_arch(o->archs.item[k]))
            return usage_error(o->command, "option '--arch' wants an architecture such as sm_90, not '%s'",
                               o->archs.item[k]);
    return EXIT_FINE;
}

int command_compilers(const struct options *o) {
    int wrong = check_archs(o);
    if (wrong) return wrong;
    if (o->mappings) {
        struct arena *a = arena_open();
        int code = map_operations(o, a);
        arena_close(a);
        return code;
    }
    if (!o->compilers.n && !o->ptxas.n)
        return usage_error(
            o->command,
            "it wants --nvrtc LIBRARY,LIBRARY or --ptxas PROGRAM,PROGRAM: the compilers to compare");
    if (o->archs.n > 1) return usage_error(o->command, "several architectures are for '--mappings'");
    if (o->files[PRINTER_markdown]) return usage_error(o->command, "option '--markdown' is for '--mappings'");
    return with_suite(o, survey_suite);
}
