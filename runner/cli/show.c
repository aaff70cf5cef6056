#include <string.h>

#include "base/text.h"
#include "cli/choose.h"
#include "cli/session_show.h"
#include "explain/dot.h"
#include "report/json.h"
#include "report/packed.h"
#include "results/results.h"
#include "source/table.h"

/* Prints one cell. Returns an exit code. */
typedef int printer(const struct options *o, const struct test *t, const struct cell *cell, struct diag *d);

/* Returns the table of a cell, in the arena; NULL: it has none, and `d` says why. */
static const char *table_of(struct arena *a, const struct test *t, const struct cell *cell, struct diag *d) {
    struct text text = {0};
    const char *why = litmus_write(a, t, cell, &text);
    if (why) diag_error(d, &t->source, (struct pos){0}, "PTX syntax cannot express this cell: %s", why);
    const char *table = why ? NULL : arena_strdup(a, text.s);
    text_free(&text);
    return table;
}

static int show_litmus(const struct options *o, const struct test *t, const struct cell *cell,
                       struct diag *d) {
    (void)o;
    struct arena *a = arena_open();
    const char *table = table_of(a, t, cell, d);
    if (table) fputs(table, stdout);
    arena_close(a);
    return table ? EXIT_FINE : EXIT_INPUT;
}

static int show_dot(const struct options *o, const struct test *t, const struct cell *cell, struct diag *d) {
    struct arena *a = arena_open();
    struct text text = {0};
    struct model_limits limits = {.unroll = (int)o->unroll};
    const struct model *m = choose_model(o, a, t, d);
    bool fine = m && model_dot(m, t, cell, &limits, &text, d);
    if (fine) fputs(text.s, stdout);
    text_free(&text);
    arena_close(a);
    return fine ? EXIT_FINE : EXIT_INPUT;
}

static int show_lift(const struct options *o, const struct test *t, const struct cell *cell, struct diag *d) {
    (void)o, (void)cell;
    if (lift_put(t)) return EXIT_FINE;
    diag_error(d, &t->source, (struct pos){0},
               "no thread of this test is a whole kernel, of 'ptx' or 'source'");
    return EXIT_INPUT;
}

/* The forms that belong to no backend. Those of a backend are its listings. */
static const struct format {
    const char *name;
    printer *print;
    const char *options; /* options that only some forms take */
} formats[] = {
    {"litmus", show_litmus, ""}, {"dot", show_dot, "model dependencies unroll"}, {"lift", show_lift, ""}};
enum { NFORMATS = sizeof formats / sizeof *formats };

/* Finds what --as names: a listing of a backend, or one of the forms above. */
struct form {
    const struct backend *backend;
    const struct listing *listing;
    const struct format *format;
    const char *options;
};

int show_forms(const char *names[], int most) {
    int n = 0;
    for (const struct backend *const *b = backends; *b; b++)
        for (const struct listing *l = (*b)->listings; l->name && n < most; l++)
            names[n++] = l->name;
    for (int k = 0; k < NFORMATS && n < most; k++)
        names[n++] = formats[k].name;
    return n;
}

static struct form find_form(const char *name) {
    for (const struct backend *const *b = backends; *b; b++)
        for (const struct listing *l = (*b)->listings; l->name; l++)
            if (strcmp(l->name, name) == 0) return (struct form){*b, l, NULL, l->choice};
    const struct format *f = formats;
    while (strcmp(f->name, name) != 0)
        f++;
    return (struct form){.format = f, .options = f->options};
}

static bool is_cell(const struct cell_result *c, const struct backend *b, const struct cell *cell) {
    return c->runs > 0 && strcmp(c->backend, b->name) == 0 &&
           strcmp(c->placement, cell->placement->name) == 0 &&
           strcmp(c->access, access_name(cell->access)) == 0 && strcmp(c->fence, cell->fence->name) == 0;
}

/* Finds the environment that showed the cell's condition most often in the results of --results. Returns
 * false when they do not have the cell; stderr then says so. */
static bool find_shown(const struct options *o, const struct backend *b, struct arena *a,
                       const struct test *t, const struct cell *cell, struct environment *out) {
    struct diag d = {0};
    const struct report *r = report_read(a, o->results, &d);
    const struct cell_result *found = NULL;
    for (int k = 0; r && k < r->ntests; k++)
        for (int i = 0; i < r->tests[k].ncells && strcmp(r->tests[k].name, t->name) == 0; i++)
            if (is_cell(&r->tests[k].cells[i], b, cell)) found = &r->tests[k].cells[i];
    if (r && !found)
        diag_fail(&d, "%s: no results of this cell on a GPU: placement %s, access %s, fence %s", t->name,
                  cell->placement->name, access_name(cell->access), cell->fence->name);
    else if (found && found->nenvironment == 0)
        diag_fail(&d, "%s: its results do not say which environment showed it most", t->name);
    *out = (struct environment){0};
    for (int k = 0; found && k < found->nenvironment && k < ENV_MAX; k++)
        out->parameter[out->n++] = found->environment[k];
    diag_report(&d, EXIT_INPUT);
    return out->n > 0;
}

/* Returns the environments that a standalone program tries first. */
static int find_known(const struct options *o, const struct backend *b, struct arena *a, const struct test *t,
                      const struct cell *cell, struct listing_choice *choice) {
    struct profile profile;
    int n, code = choose_known(o, a, b, &profile);
    if (code) return code;
    const struct environment *scheduled = profile_schedule(&profile, t, cell, a, &n);
    struct environment *known = arena_array(a, (size_t)n + 1, sizeof *known);
    if (o->results && !find_shown(o, b, a, t, cell, &known[choice->nknown++])) return EXIT_INPUT;
    for (int k = 0; k < n; k++)
        known[choice->nknown++] = scheduled[k];
    choice->known = known;
    return EXIT_FINE;
}

/* Code that is refused is an error of this tool, and not of the machine. */
static int put_form(const struct form *f, const struct options *o, const struct test *t,
                    const struct cell *cell, struct diag *d) {
    static const int codes[] = {[LISTED] = EXIT_FINE,
                                [LISTING_UNFIT] = EXIT_INPUT,
                                [LISTING_UNAVAILABLE] = EXIT_ENVIRONMENT,
                                [LISTING_BROKEN] = EXIT_FOUND};
    if (f->format) return f->format->print(o, t, cell, d);
    struct arena *a = arena_open();
    struct listing_choice choice = {.whole = o->whole, .standalone = o->standalone, .arch = o->arch};
    int code = o->standalone ? find_known(o, f->backend, a, t, cell, &choice) : EXIT_FINE;
    if (!code) code = codes[f->listing->put(t, cell, &choice, stdout, d)];
    arena_close(a);
    return code;
}

/* Returns 0, or EXIT_USAGE when an option means nothing for the form. */
static int check_options(const struct options *o, const struct form *f) {
    const char *const given[] = {o->whole ? "whole" : "",       o->standalone ? "standalone" : "",
                                 o->profile ? "profile" : "",   o->results ? "results" : "",
                                 o->arch ? "arch" : "",         o->model ? "model" : "",
                                 o->unroll > 0 ? "unroll" : "", o->syntactic ? "dependencies" : ""};
    for (size_t k = 0; k < sizeof given / sizeof *given; k++)
        if (!strstr(f->options, given[k]))
            return usage_error(o->command, "option '--%s' is not for '--%s%s'", given[k],
                               o->as ? "as " : "link", o->as ? o->as : "");
    if ((o->profile || o->results) && !o->standalone)
        return usage_error(o->command, "option '--%s' is for '--standalone'",
                           o->profile ? "profile" : "results");
    if (o->standalone && (o->whole || o->all_cells))
        return usage_error(o->command, "option '--%s' is not for '--standalone', which is one cell's program",
                           o->whole ? "whole" : "all-cells");
    return EXIT_FINE;
}

/* Prints the first cell that the options choose, or all of them. */
static int show_test(const struct options *o, struct arena *a, struct test *t, struct diag *d) {
    struct suite one = {.tests = &t, .n = 1};
    struct form form = find_form(o->as);
    int n, code = choose_check_cells(o, &one);
    if (code) return code;
    struct cell *cells = cells_chosen(a, t, &o->cells, form.backend, &n);
    for (int k = 0; k < (o->all_cells ? n : 1) && !code; k++) {
        if (o->all_cells)
            printf("// %s: placement %s, access %s, fence %s\n", t->name, cells[k].placement->name,
                   access_name(cells[k].access), cells[k].fence->name);
        code = put_form(&form, o, t, &cells[k], d);
    }
    return code;
}

/* Writes a table for each test that has one into the folder of --output. */
static int show_tables(const struct options *o, struct arena *a, const struct suite *suite) {
    struct diag d = {0};
    struct folder_file *files = arena_array(a, (size_t)suite->n, sizeof *files);
    int n = 0;
    for (int k = 0; k < suite->n; k++) {
        const struct test *t = suite->tests[k];
        int ncells;
        const struct cell *cells = cells_chosen(a, t, &o->cells, NULL, &ncells);
        if (ncells == 0) diag_error(&d, &t->source, (struct pos){0}, "it has no such cell");
        files[n].text = ncells ? table_of(a, t, &cells[0], &d) : NULL;
        if (files[n].text) files[n++].name = arena_printf(a, "%s.litmus", t->name);
    }
    int without = suite->n - n, code = outputs_folder(o, a, files, n, &d);
    bool incomplete = without > 0 || suite->nrefused > 0;
    if (without > 0)
        fprintf(stderr, "culitmus: %d of %d tests have no table, for the reasons below\n", without, suite->n);
    if (!code && incomplete) code = EXIT_INPUT;
    diag_report(&d, code);
    return code;
}

/* Prints a link to the playground with the test in it, whichever cells it has. */
static int show_link(const struct options *o, struct arena *a, struct test *t, struct diag *d) {
    const char *page, *why = NULL;
    int code = choose_playground(o, a, &page);
    if (code) return code;
    if (!page) {
        fputs("culitmus show: no page of the playground is installed here: name one with --playground, or "
              "build "
              "it (cmake --build build --target playground)\n",
              stderr);
        return EXIT_ENVIRONMENT;
    }
    const char *link = packed_link(a, page, t->source.text, t->beside, &why);
    if (link)
        puts(link);
    else
        diag_error(d, &t->source, (struct pos){0}, "no link can hold this test: %s", why);
    return link ? EXIT_FINE : EXIT_INPUT;
}

/* Refuses options that --as or --link cannot have beside them, or lack. */
static int check_form(const struct options *o) {
    bool chosen = o->cells.fences.n || o->cells.placements.n || o->cells.accesses.n || o->all_cells;
    if (o->as && o->link) return usage_error(o->command, "it takes '--as' or '--link', not both");
    if (o->playground && !o->link) return usage_error(o->command, "option '--playground' is for '--link'");
    if (o->link && chosen) return usage_error(o->command, "a link holds the whole test, not a cell of it");
    if (!o->as && !o->link) return usage_error(o->command, "it wants --link, or --as %s", options_forms());
    if (o->output && (!o->as || strcmp(o->as, "litmus") != 0 || o->all_cells))
        return usage_error(o->command, "option '--output' is for '--as litmus', a cell of each test");
    if (o->nargs > 1 && !o->output)
        return usage_error(o->command,
                           "unexpected argument '%s': tables of several tests go into a folder, '-o'",
                           o->args[1]);
    struct form form = o->as ? find_form(o->as) : (struct form){.options = ""};
    return check_options(o, &form);
}

int command_show(const struct options *o) {
    int code = check_form(o);
    if (code) return code;
    if (o->output) return with_suite(o, show_tables);
    struct arena *a = arena_open();
    struct diag d = {0};
    struct test *t = suite_find(a, choose_shipped(a), o->args[0], &d);
    code = t ? (o->link ? show_link : show_test)(o, a, t, &d) : EXIT_INPUT;
    diag_report(&d, code);
    arena_close(a);
    return code;
}
