/* `diff`: what differs between two results; `history`: what changed over several. */
#include <string.h>

#include "base/foreign.h"
#include "cli/cli.h"
#include "cli/view.h"
#include "report/json.h"
#include "report/printers.h"
#include "report/terminal.h"
#include "results/difference.h"
#include "results/history.h"

static void put_cell(char sign, const struct test_result *t, const struct cell_result *c) {
    char rate[24];
    const char *const before[] = {" ", ": ", ", placement ", ", access ", ", fence ", ", "};
    const char *by = c->machine == MACHINE_NONE && results_of_models(t) ? c->model.name : c->compiler;
    const char *const names[] = {t->name, c->backend, c->placement, c->access, c->fence, by};
    putchar(sign);
    for (int k = 0; k < (by ? 6 : 5); k++) {
        fputs(before[k], stdout);
        foreign_terminal(names[k], stdout);
    }
    fputs(": ", stdout);
    printf("%s", c->machine == MACHINE_NONE ? terminal_allowed(t, c) : cell_word(c));
    if (c->runs)
        printf(" (%s of %.3g runs)", terminal_rate(cell_rate(c), rate, sizeof rate), (double)c->runs);
    putchar('\n');
}

static void put_condition(char sign, const struct test_result *t) {
    printf("%c ", sign);
    foreign_terminal(t->name, stdout);
    fputs(" asks: ", stdout);
    foreign_terminal(t->kind, stdout);
    putchar(' ');
    foreign_terminal(t->condition, stdout);
    putchar('\n');
}

static void put_difference(const struct difference *d) {
    for (int side = 0; side < 2; side++)
        if (d->kind == DIFFERENCE_CONDITION)
            put_condition("-+"[side], d -> test[side]);
        else if (d->cell[side])
            put_cell("-+"[side], d -> test[side], d -> cell[side]);
}

/* Explains which file each sign stands for, and the words of cells that ran. */
static void put_legend(const struct differences *d, const char *const paths[2]) {
    const char *said[32];
    int n = 0;
    for (int side = 0; side < 2; side++)
        view_legend(side ? "+" : "-", paths[side]);
    for (int k = 0; k < 2 * d->n; k++) {
        const struct cell_result *c = d->list[k / 2].cell[k % 2];
        const char *word = c && c->machine != MACHINE_NONE ? cell_word(c) : NULL;
        bool again = !word || n == 32;
        for (int i = 0; i < n && !again; i++)
            again = strcmp(said[i], word) == 0;
        if (again) continue;
        said[n++] = word;
        view_legend(word, terminal_meaning(c));
    }
}

static void put_differences(const struct differences *d, const char *const paths[2]) {
    for (int k = 0; k < d->n; k++)
        put_difference(&d->list[k]);
    printf("%d difference%s\n", d->n, d->n == 1 ? "" : "s");
    if (d->n) put_legend(d, paths);
}

struct diff_output {
    struct differences found;
    const char *const *paths;
    double tolerance;
};

static void print_json(const void *ctx, FILE *out) {
    const struct diff_output *d = ctx;
    differences_json(&d->found, d->paths, d->tolerance, out);
}

/* If the differences are printed as JSON, nothing else is printed. */
static int show(const struct options *o, const struct diff_output *d) {
    const char *json = o->files[PRINTER_json];
    if (!outputs_to_stdout(o)) put_differences(&d->found, d->paths);
    if (json && !outputs_put(json, print_json, d)) return EXIT_ENVIRONMENT;
    return d->found.n ? EXIT_FOUND : EXIT_FINE;
}

int command_diff(const struct options *o) {
    int code = outputs_check(o);
    for (int k = 0; k < 2 && !code; k++)
        code = outputs_spare(o, o->args[k]);
    if (code) return code;
    struct arena *a = arena_open();
    struct diag d = {0};
    struct report *before = report_read(a, o->args[0], &d), *after = report_read(a, o->args[1], &d);
    code = diag_report(&d, EXIT_INPUT);
    if (!code) {
        const char *const paths[] = {o->args[0], o->args[1]};
        struct diff_output out = {differences_of(a, before, after, o->tolerance), paths, o->tolerance};
        code = show(o, &out);
    }
    arena_close(a);
    return code;
}

/* Prints a run, and what changed in it. */
static void put_run(const struct history *h, int run) {
    const struct report *r = h->runs[run];
    int cells = 0, changes = 0;
    for (int k = 0; k < h->nrows; k++) {
        cells += h->rows[k].entries[run].cell != NULL;
        changes += h->rows[k].entries[run].change != HISTORY_SAME;
    }
    foreign_terminal(r->date ? r->date : "no date", stdout);
    putchar(' ');
    foreign_terminal(r->source->path, stdout);
    printf(": %d cell%s, %d change%s\n", cells, cells == 1 ? "" : "s", changes, changes == 1 ? "" : "s");
    for (int k = 0; k < h->nrows; k++) {
        const struct history_entry *e = &h->rows[k].entries[run];
        if (e->change == HISTORY_SAME) continue;
        const struct history_entry *b = &h->rows[k].entries[e->before];
        put_cell('-', b->test, b->cell);
        put_cell('+', e->test, e->cell);
    }
}

static void print_history_html(const void *ctx, FILE *out) {
    history_html(ctx, out);
}

static void print_history_csv(const void *ctx, FILE *out) {
    history_csv(ctx, out);
}

static int show_history(const struct options *o, const struct history *h) {
    const char *html = o->files[PRINTER_html], *csv = o->files[PRINTER_csv];
    for (int k = 0; k < h->nruns && !outputs_to_stdout(o); k++)
        put_run(h, k);
    bool fine = !html || outputs_put(html, print_history_html, h);
    fine = (!csv || outputs_put(csv, print_history_csv, h)) && fine;
    return fine ? EXIT_FINE : EXIT_ENVIRONMENT;
}

int command_history(const struct options *o) {
    enum { DEFAULT_TOLERANCE = 2 };
    int code = outputs_check(o);
    for (int k = 0; k < o->nargs && !code; k++)
        code = outputs_spare(o, o->args[k]);
    if (code) return code;
    struct arena *a = arena_open();
    struct diag d = {0};
    struct report **runs = arena_array(a, (size_t)o->nargs, sizeof(struct report *));
    for (int k = 0; k < o->nargs; k++)
        runs[k] = report_read(a, o->args[k], &d);
    code = diag_report(&d, EXIT_INPUT);
    if (!code) {
        struct history h =
            history_of(a, runs, o->nargs, o->tolerance > 0 ? o->tolerance : (double)DEFAULT_TOLERANCE);
        code = show_history(o, &h);
    }
    arena_close(a);
    return code;
}
