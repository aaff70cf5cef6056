/* `fit`: which models allow everything that was seen, and which of these allows the least beyond it. */
#include <math.h>
#include <string.h>

#include "base/foreign.h"
#include "cli/choose.h"
#include "cli/progress.h"
#include "embedded_models.h"
#include "model/axioms.h"
#include "report/json.h"
#include "report/terminal.h"
#include "results/fit.h"
#include "results/verdict.h"
#include "source/read.h"

enum { MOST_EXAMPLES = 5 };
/* how many seconds a model may take for a cell without --timeout */
static const double model_seconds = 10;

struct fitting {
    const struct options *o;
    struct arena *arena;
    struct diag diag;
    struct report *report;
    struct fit_cell *cells;
    struct fit_names shapes;
    int n, cap, tests, seen; /* tests: those with a cell that ran; seen: cells that showed their outcome */
    double runs;
    struct fit fits[MAX_CHOICES];
    const char *names[MAX_CHOICES];
    int nmodels;
    struct fit_effort effort;
    /* cells that were judged so far, and that will be, by all models and without each axiom */
    int judged, of;
};

/* ---- reading ---- */

static const struct backend *find_backend(const char *name) {
    const struct backend *const *b = backends;
    while (*b && strcmp((*b)->name, name) != 0)
        b++;
    return *b;
}

/* Finds the cell of the test for a cell of a result. */
static bool find_cell(const struct fitting *f, const struct test *t, const struct cell_result *c,
                      struct cell *out) {
    struct cell_choices only = {
        .placements = {{c->placement}, 1}, .fences = {{c->fence}, 1}, .accesses = {{c->access}, 1}};
    int n;
    const struct cell *found = cells_chosen(f->arena, t, &only, find_backend(c->backend), &n);
    if (n != 1) return false;
    *out = found[0];
    return true;
}

/* Returns the shipped test with a result's name, if it has the same condition; or NULL. */
static const struct test *find_shipped(struct fitting *f, const struct test_result *r) {
    const struct test *t = suite_find_shipped(f->arena, choose_shipped(f->arena), r->name);
    if (!t) return NULL;
    struct test_result now = verdict_test(f->arena, t);
    return strcmp(now.name, r->name) == 0 && strcmp(now.condition, r->condition) == 0 ? t : NULL;
}

/* Returns the test of a result; NULL and an error when there is none. */
static const struct test *find_test(struct fitting *f, const struct test_result *r) {
    if (r->source) return test_read_text(f->arena, r->file, r->source, strlen(r->source), &f->diag);
    const struct test *t = find_shipped(f, r);
    if (!t && f->diag.errors == 0)
        diag_fail(&f->diag,
                  "the result of %s does not have the text of the test, and no shipped test asks that",
                  r->name);
    return t;
}

static void add_cell(struct fitting *f, const struct fit_cell *c) {
    if (f->n == f->cap) {
        int cap = 2 * f->cap + 64;
        f->cells = arena_grow(f->arena, f->cells, (size_t)f->n, (size_t)cap, sizeof *f->cells);
        f->cap = cap;
    }
    struct fit_cell *added = &f->cells[f->n++];
    *added = *c;
    fit_number(&f->shapes, added);
    f->runs += (double)c->observed->runs;
    f->seen += fit_was_seen(added);
}

static void add_cells(struct fitting *f, const struct test_result *r) {
    struct fit_cell cell = {.result = r};
    for (int k = 0; k < r->ncells; k++) {
        const struct cell_result *c = cell.observed = &r->cells[k];
        if (c->runs == 0) continue;
        if (!cell.test) {
            cell.test = find_test(f, r);
            f->tests++;
        }
        if (!cell.test) return;
        if (r->nobs != cell.test->nobs || !find_cell(f, cell.test, c, &cell.cell)) {
            diag_fail(&f->diag, "%s has no cell %s, %s, %s", r->name, c->placement, c->access, c->fence);
            return;
        }
        add_cell(f, &cell);
    }
}

static void read_results(struct fitting *f) {
    size_t unread;
    f->report = merge_read(f->arena, f->o, NULL, &f->diag, &unread);
    for (int k = 0; f->diag.errors == 0 && k < f->report->ntests; k++)
        add_cells(f, results_test(f->report, k));
    if (f->diag.errors == 0 && f->n == 0) diag_fail(&f->diag, "no cell of these results ran");
}

static void add_name(struct fitting *f, const char *name) {
    for (int k = 0; k < f->nmodels; k++)
        if (strcmp(f->names[k], name) == 0) return;
    if (f->nmodels < MAX_CHOICES) f->names[f->nmodels++] = name;
}

/* Whether a name in a result is that of a shipped model: a result must not name files to be read. */
static bool is_shipped(const struct fitting *f, const char *name) {
    return embedded_find(embedded_models, arena_printf(f->arena, "%s.cat", name)) != NULL;
}

/* Reads the models of --model; else sc, and the shipped models that judged the cells. */
static void choose_names(struct fitting *f) {
    for (int k = 0; k < f->o->models.n; k++)
        add_name(f, f->o->models.item[k]);
    if (f->nmodels) return;
    add_name(f, "sc");
    const char *last = NULL;
    for (int k = 0; k < f->n; k++) {
        if (k % 64 == 0) arena_forget();
        const char *name = f->cells[k].observed->model.name;
        if (!name || (last && strcmp(name, last) == 0)) continue;
        if (is_shipped(f, name)) add_name(f, name);
        last = name;
    }
}

static void show_next(void *ctx) {
    struct fitting *f = ctx;
    if (f->judged % 64 == 0) arena_forget(); /* the cells before this one */
    progress_step("judging", f->judged++, f->of);
}

static void judge_all(struct fitting *f) {
    const struct model *models[MAX_CHOICES];
    choose_names(f);
    for (int k = 0; k < f->nmodels; k++)
        models[k] = choose_with_dependencies(f->o, f->arena, model_load(f->arena, f->names[k], &f->diag));
    f->of = f->nmodels * f->n;
    for (int k = 0; k < f->nmodels && f->diag.errors == 0; k++)
        f->fits[k] = fit_judge(f->arena, models[k], f->cells, f->n, &f->effort);
    progress_clear();
}

/* ---- showing ---- */

static bool judged_nothing(const struct fitting *f, const struct fit *fit) {
    return fit->count[FIT_UNKNOWN] == f->n;
}

/* A cell that the model gave up on says nothing for or against it. */
static bool fits(const struct fitting *f, const struct fit *fit) {
    return fit->count[FIT_REFUTED] == 0 && !judged_nothing(f, fit);
}

static void show_counts(const struct fitting *f) {
    int width = 5;
    for (int k = 0; k < f->nmodels; k++)
        if ((int)strlen(f->names[k]) > width) width = (int)strlen(f->names[k]);
    printf("%d cell%s of %d test%s, %.3g runs; %d showed the outcome in question\n\n", f->n,
           f->n == 1 ? "" : "s", f->tests, f->tests == 1 ? "" : "s", f->runs, f->seen);
    printf("%-*s  %-4s  %9s  %9s  %9s  %9s\n", width, "", "", "forbidden", "allowed", "allowed", "forbidden");
    printf("%-*s  %-4s  %9s  %9s  %9s  %9s\n", width, "model", "fits", "and seen", "and seen", "not seen",
           "not seen");
    for (int k = 0; k < f->nmodels; k++) {
        const int *n = f->fits[k].count;
        foreign_terminal(f->names[k], stdout);
        printf("%*s  %-4s  %9d  %9d  %9d  %9d", width - (int)strlen(f->names[k]), "",
               judged_nothing(f, &f->fits[k]) ? "-"
               : fits(f, &f->fits[k])         ? "yes"
                                              : "no",
               n[FIT_REFUTED], n[FIT_SEEN], n[FIT_UNSEEN], n[FIT_HELD]);
        if (n[FIT_UNKNOWN]) printf("  (%d not judged)", n[FIT_UNKNOWN]);
        putchar('\n');
    }
}

static void show_cell(const struct fit_cell *c) {
    const char *const names[] = {c->result->name, c->observed->placement, c->observed->access,
                                 c->observed->fence};
    const char *const before[] = {"  ", " (", ", ", ", "};
    for (int k = 0; k < 4; k++) {
        fputs(before[k], stdout);
        foreign_terminal(names[k], stdout);
    }
    putchar(')');
}

static void show_broken(const struct fitting *f, const struct fit_cell *c, const struct cell_outcome *o) {
    const struct cell_result *r = c->observed;
    bool forall = c->test->cond.kind == FORALL;
    const char *what =
        o ? verdict_outcome_text(f->arena, c->result, o->values) : "what its condition asks for";
    unsigned long long count = o ? o->count : cell_shown(r, forall);
    fputs(": ", stdout);
    foreign_terminal(what, stdout);
    printf(", %llu of %.3g runs", count, (double)r->runs);
}

/* Prints the first cells of one kind, a line each. */
static void show_cells(const struct fitting *f, const struct fit *fit, enum fit_word word) {
    int shown = 0;
    for (int k = 0; k < f->n && shown < MOST_EXAMPLES; k++) {
        const struct fit_cell *c = &f->cells[k];
        if (fit->words[k] != word) continue;
        show_cell(c);
        if (word == FIT_REFUTED) show_broken(f, c, fit->broken[k]);
        putchar('\n');
        shown++;
    }
    if (fit->count[word] > shown) printf("  and %d more\n", fit->count[word] - shown);
}

static void put_model(const struct fit *fit, const char *does) {
    putchar('\n');
    foreign_terminal(model_name(fit->model), stdout);
    fputs(does, stdout);
}

static void show_refuted(const struct fitting *f) {
    for (int k = 0; k < f->nmodels; k++) {
        const struct fit *fit = &f->fits[k];
        if (fit->count[FIT_REFUTED]) {
            put_model(fit, " forbids what was seen:\n");
            show_cells(f, fit, FIT_REFUTED);
        }
        if (fit->wrong) {
            put_model(fit, " cannot judge: ");
            foreign_terminal(fit->wrong, stdout);
            putchar('\n');
        }
    }
}

/* Prints the cells that the model allows, or may allow, and that never showed. */
static int count_excess(const struct fit *fit) {
    return fit->count[FIT_UNSEEN] + fit->count[FIT_UNKNOWN];
}

/* Returns the model that allows the fewest cells among those that fit; or NULL. */
static const struct fit *find_strongest(const struct fitting *f) {
    const struct fit *best = NULL;
    for (int k = 0; k < f->nmodels; k++)
        if (fits(f, &f->fits[k]) && (!best || count_excess(&f->fits[k]) < count_excess(best)))
            best = &f->fits[k];
    return best;
}

static void show_axioms(struct fitting *f, const struct fit *fit) {
    int n = model_axioms(fit->model);
    f->judged = 0;
    f->of = n * f->n;
    printf("\n%-28s  %-22s  %s\n", "axiom", "tests it alone forbids", "confidence");
    for (int k = 0; k < n; k++) {
        char text[32] = "-";
        struct fit_axiom x = fit_axiom(fit, k, &f->effort);
        progress_clear();
        if (!isnan(x.confidence)) terminal_confidence(x.confidence, text, sizeof text);
        printf("%-28s  %22d  %10s\n", x.name, x.tests, text);
    }
}

/* Says why no model is the strongest. */
static void show_none(const struct fitting *f) {
    bool judged = false;
    for (int k = 0; k < f->nmodels; k++)
        judged |= !judged_nothing(f, &f->fits[k]);
    printf(judged ? "\nNone of these models fits.\n"
                  : "\nNo cell was judged, so nothing is known; --timeout gives a model more time.\n");
}

static void show_strongest(struct fitting *f, const struct fit *fit) {
    put_model(fit, " is the strongest of these that fits");
    if (fit->count[FIT_UNSEEN] > 0)
        printf(". It allows what never showed:\n");
    else if (fit->count[FIT_UNKNOWN] > 0)
        printf(", and explains exactly what was seen, as far as it was judged.\n");
    else
        printf(", and explains exactly what was seen.\n");
    show_cells(f, fit, FIT_UNSEEN);
    show_axioms(f, fit);
}

int command_fit(const struct options *o) {
    struct model_limits limits = {.seconds = o->timeout > 0 ? o->timeout : model_seconds, .counting = -1};
    struct fitting f = {.o = o, .arena = arena_open_large()};
    f.effort = (struct fit_effort){.limits = limits, .next = show_next, .ctx = &f};
    f.shapes.arena = f.arena;
    read_results(&f);
    if (f.diag.errors == 0) judge_all(&f);
    int code = f.diag.errors ? EXIT_INPUT : EXIT_FINE;
    if (!code) {
        const struct fit *strongest = find_strongest(&f);
        show_counts(&f);
        show_refuted(&f);
        if (strongest)
            show_strongest(&f, strongest);
        else
            show_none(&f);
        code = strongest ? EXIT_FINE : EXIT_FOUND;
    }
    diag_report(&f.diag, code);
    fit_names_close(&f.shapes);
    arena_close(f.arena);
    return code;
}
