/* Prints a test, and a summary of all tests. */
#include "report/terminal.h"

#include <string.h>

#include "base/foreign.h"
#include "base/text.h"
#include "report/terminal_parts.h"
#include "results/verdict.h"

/* Prints the remarks that `text` returns for the cells: why a cell was skipped, why the model gave up. Equal
 * remarks are printed once. `name` is the test's if that is not clear; else "". */
static void put_reasons(const struct terminal *t, struct arena *a, const struct test_result *r,
                        const char *name, const char *word,
                        const char *(*text)(struct arena *a, const struct cell_result *c)) {
    struct text line = {0};
    const char **whys = arena_array(a, (size_t)r->ncells, sizeof *whys);
    for (int k = 0; k < r->ncells; k++) {
        const struct cell_result *c = &r->cells[k];
        const char *why = whys[k] = text(a, c);
        bool first = why != NULL;
        for (int j = 0; j < k && first; j++)
            first = !results_same(whys[j], why) || strcmp(r->cells[j].placement, c->placement) != 0;
        if (!first) continue;
        line.len = 0;
        text_printf(&line, "%s%s%s: %s", name, *name ? ", " : "", c->placement, why);
        terminal_line(t, PAINT_NONE, word, line.s, 2, 2);
    }
    text_free(&line);
}

static const char *skipped_text(struct arena *a, const struct cell_result *c) {
    (void)a;
    return c->skipped;
}

/* Returns why the model gave up, unless that was printed as the reason why the cell was skipped. */
static const char *unknown_text(struct arena *a, const struct cell_result *c) {
    (void)a;
    bool said = c->model.unknown && c->skipped && strcmp(c->model.unknown, c->skipped) == 0;
    return said ? NULL : c->model.unknown;
}

static const char *endless_text(struct arena *a, const struct cell_result *c) {
    (void)a;
    return judgement_is_endless(&c->model) ? "the model knows no execution that ends" : NULL;
}

static const char *fault_text(struct arena *a, const struct cell_result *c) {
    (void)a;
    return c->model.fault;
}

static const char *unjudged_text(struct arena *a, const struct cell_result *c) {
    (void)a;
    return c->unjudged;
}

static const char *bounded_text(struct arena *a, const struct cell_result *c) {
    if (!c->model.bounded) return NULL;
    return arena_printf(a, "loops were followed for %s only", judgement_turns(a, &c->model));
}

const char *terminal_remark(struct arena *a, const struct cell_result *c) {
    if (c->unjudged) return c->unjudged;
    if (c->model.fault) return c->model.fault;
    return judgement_is_endless(&c->model) ? endless_text(a, c) : bounded_text(a, c);
}

const char *terminal_stuck(struct arena *a, const struct cell_result *c) {
    if (c->stuck == 0 || c->verdict == VERDICT_STUCK) return NULL;
    return arena_printf(a, "%llu of %llu runs did not end in time", (unsigned long long)c->stuck,
                        (unsigned long long)c->runs);
}

/* Prints how many runs were stuck, for cells that have another word. */
static void put_stuck(const struct terminal *t, struct arena *a, const struct test_result *r,
                      const char *name) {
    for (int k = 0; k < r->ncells; k++) {
        const struct cell_result *c = &r->cells[k];
        const char *stuck = terminal_stuck(a, c);
        if (stuck)
            terminal_line(t, PAINT_NONE, "stuck:",
                          arena_printf(a, "%s%s%s, %s, fence %s: %s", name, *name ? ", " : "", c->placement,
                                       c->access, c->fence, stuck),
                          2, 2);
    }
}

void terminal_remarks(const struct terminal *t, const struct test_result *r, const char *name) {
    struct arena *a = arena_open();
    put_reasons(t, a, r, name, "no model:", unjudged_text);
    put_reasons(t, a, r, name, "fault:", fault_text);
    put_reasons(t, a, r, name, "endless:", endless_text);
    put_reasons(t, a, r, name, "bounded:", bounded_text);
    put_stuck(t, a, r, name);
    arena_close(a);
}

static bool same_why(const struct cell_result *x, const struct cell_result *y) {
    if (x->nwhy != y->nwhy || strcmp(x->placement, y->placement) != 0) return false;
    if (!results_same(x->model.name, y->model.name)) return false;
    for (int k = 0; k < x->nwhy; k++)
        if (strcmp(x->why[k], y->why[k]) != 0) return false;
    return true;
}

/* Prints the remarks about cells with CPU threads, each once. */
static void put_hosts(const struct terminal *t, struct arena *a, const struct test_result *r) {
    for (int k = 0; k < r->ncells; k++) {
        const char *note = verdict_host_note(a, r, &r->cells[k]);
        bool first = note != NULL;
        for (int j = 0; j < k && first; j++)
            first = !results_same(verdict_host_note(a, r, &r->cells[j]), note);
        if (first)
            terminal_wrap(
                t, PAINT_NONE, "",
                arena_printf(a, "host: %s, fence %s: %s", r->cells[k].placement, r->cells[k].fence, note), 2,
                2);
    }
}

static void put_races(const struct terminal *t, struct arena *a, const struct test_result *r) {
    bool partial = false;
    for (int k = 0; k < r->ncells; k++) {
        for (int j = 0; j < r->cells[k].nraces; j++) {
            const char *note = verdict_race_note(a, r, k, j);
            if (note) terminal_wrap(t, PAINT_NONE, "", note, 2, 2);
        }
        partial = partial || r->cells[k].races_partial;
    }
    if (partial)
        terminal_line(t, PAINT_NONE, "races:", "there may be more, as not all executions were looked at", 2,
                      2);
}

/* Names the cell, and those behind it that have the same explanation. */
static void put_why_title(const struct terminal *t, struct arena *a, const struct test_result *r, int k,
                          bool *told) {
    const struct cell_result *c = &r->cells[k];
    struct text line = {0};
    if (results_of_models(r)) text_printf(&line, "model %s, ", c->model.name);
    text_printf(&line, "access %s, fence ", c->access);
    for (int j = k; j < r->ncells; j++) {
        if (told[j] || !same_why(c, &r->cells[j]) || strcmp(c->access, r->cells[j].access) != 0) continue;
        told[j] = true;
        text_printf(&line, "%s%s", j > k ? " or " : "", r->cells[j].fence);
    }
    text_printf(&line, ": %s", terminal_allowed(r, c));
    fputc('\n', t->out);
    terminal_line(t, PAINT_BOLD, arena_printf(a, "%s,", c->placement), line.s, 2, 2);
    text_free(&line);
}

static void put_whys(const struct terminal *t, struct arena *a, const struct test_result *r) {
    bool *told = arena_array(a, (size_t)r->ncells, sizeof *told);
    for (int k = 0; k < r->ncells; k++) {
        const struct cell_result *c = &r->cells[k];
        if (told[k] || !c->nwhy) continue;
        put_why_title(t, a, r, k, told);
        for (int line = 0; line < c->nwhy; line++) {
            int digits = (int)strspn(c->why[line], "0123456789");
            terminal_wrap(t, PAINT_NONE, "", c->why[line], digits ? 6 - (digits > 1) : 4,
                          digits ? 2 + digits : 0);
        }
    }
}

/* ---- a test, a summary ---- */

void terminal_failures(const struct terminal *t, const struct test_result *r) {
    struct text line = {0};
    for (int k = 0; k < r->nfailures; k++) {
        line.len = 0;
        text_printf(&line, "%s:%d:%d: %s", r->file, r->failures[k].pos.line, r->failures[k].pos.col,
                    r->failures[k].text);
        terminal_line(t, PAINT_RED, "FAILED", line.s, 2, 2);
    }
    text_free(&line);
}

static bool row_ran(const struct layout_group *g, const struct layout_row *row) {
    for (int k = 0; k < g->ncolumns; k++)
        if (row->cells[k] && row->cells[k]->runs > 0) return true;
    return false;
}

void terminal_test(const struct terminal *t, const struct test_result *r, bool outcomes) {
    struct arena *a = arena_open();
    struct layout l = layout_of(a, r);
    terminal_line(t, PAINT_BOLD, r->title ? arena_printf(a, "%s:", r->name) : r->name,
                  r->title ? r->title : "", 0, 2);
    terminal_put(t, PAINT_DIM, 0, r->file);
    fputc('\n', t->out);
    terminal_line(t, PAINT_BOLD, r->kind, r->condition, 2, 2);
    for (int k = 0; k < l.ngroups; k++)
        terminal_matrix(t, r, &l.groups[k], l.ngroups == 1);
    put_reasons(t, a, r, "", "skipped:", skipped_text);
    put_reasons(t, a, r, "", "unknown:", unknown_text);
    terminal_remarks(t, r, "");
    put_hosts(t, a, r);
    put_races(t, a, r);
    terminal_failures(t, r);
    put_whys(t, a, r);
    for (int k = 0; k < l.ngroups; k++)
        for (int row = 0; row < l.groups[k].nrows; row++)
            if (row_ran(&l.groups[k], &l.groups[k].rows[row]) ||
                (outcomes && terminal_model_alone(&l.groups[k])))
                terminal_histogram(t, a, r, &l.groups[k], &l.groups[k].rows[row]);
    fputc('\n', t->out);
    arena_close(a);
}

static const char *const meanings[] = {
    [VERDICT_NO_MODEL] = "no model judges this cell",
    [VERDICT_SEEN] = "the model allows it, and it was observed",
    [VERDICT_UNSEEN] = "the model allows it, and it was never observed",
    [VERDICT_HELD] = "the model forbids it, and it was never observed",
    [VERDICT_VIOLATION] = "an outcome that the model forbids was observed",
    [VERDICT_SKIPPED] = "it was not run; the reason stands with the test",
    [VERDICT_STUCK] = "a bounded wait ran out",
    [VERDICT_UNKNOWN] = "the model gave no answer",
    [VERDICT_UNDEFINED] =
        "accesses of several sizes race, or an mbarrier is misused: the model promises nothing",
    [VERDICT_FAULT] = "something ends the kernel: a trap, or an access that is not aligned; it was not run",
    [VERDICT_BOUNDED] = "never observed; the model forbids it for so many turns of a loop",
    [VERDICT_NOT_REACHED] = "no execution gives these values, with or without fences",
};

const char *terminal_meaning(const struct cell_result *c) {
    if (c->verdict == VERDICT_HELD && !cell_is_held(c))
        return c->alone
                   ? "the model forbids it, it was never observed, and no weaker fence ran beside it"
                   : "the model forbids it, and it was never observed, with a confidence below 99%, or none";
    return c->verdict < sizeof meanings / sizeof *meanings && meanings[c->verdict] ? meanings[c->verdict]
                                                                                   : "";
}

/* Prints such as "3 allowed, 5 forbidden" behind a head: how often each answer is in the matrices of a check.
 * `model` NULL: of all models. */
static void say_answers(struct text *line, const struct report *r, const char *model, const char *head) {
    static const char *const words[] = {"allowed",   "forbidden", "bounded", "not reached",
                                        "undefined", "fault",     "always",  "not always",
                                        "endless",   "unknown",   "-"};
    enum { WORDS = sizeof words / sizeof *words };
    int counts[WORDS] = {0}, racing = 0, said = 0;
    for (int k = 0; k < r->ntests; k++) {
        const struct test_result *t = results_test(r, k);
        for (const struct cell_result *c = t->cells; c < t->cells + t->ncells; c++) {
            if (model && !results_same(c->model.name, model)) continue;
            racing += c->nraces > 0;
            for (int w = 0; w < WORDS; w++)
                counts[w] += strcmp(terminal_allowed(t, c), words[w]) == 0;
        }
    }
    for (int w = 0; w < WORDS; w++)
        if (counts[w])
            text_printf(line, "%s%d %s", said++ ? ", " : head, counts[w],
                        w + 1 < WORDS ? words[w] : "without a model");
    if (racing) text_printf(line, "; %d with races", racing);
}

/* Finds the models that judged cells of tests with several models. Returns how many there are. */
static int list_models(const struct report *r, const char **names, int most) {
    int n = 0;
    for (int k = 0; k < r->ntests; k++) {
        const struct test_result *t = results_test(r, k);
        bool several = results_of_models(t);
        for (int c = 0; c < t->ncells && several; c++) {
            int known = 0;
            while (known < n && !results_same(names[known], t->cells[c].model.name))
                known++;
            if (t->cells[c].model.name && known == n && n < most) names[n++] = t->cells[c].model.name;
        }
    }
    return n;
}

/* Prints how many tests there are, and how often each answer is in the matrices; with several models, a line
 * for each. */
static void put_answers(const struct terminal *t, const struct report *r) {
    enum { MOST_MODELS = 64 };
    const char *models[MOST_MODELS];
    int n = list_models(r, models, MOST_MODELS);
    struct text line = {0};
    text_printf(&line, "%d test%s", r->ntests, r->ntests == 1 ? "" : "s");
    if (n == 0)
        say_answers(&line, r, NULL, ", cells: ");
    else
        text_printf(&line, ", cells by %d models", n);
    terminal_line(t, PAINT_NONE, "", line.s, 0, 2);
    for (int k = 0; k < n; k++) {
        line.len = 0;
        text_add(&line, models[k]);
        say_answers(&line, r, models[k], ": ");
        terminal_line(t, PAINT_NONE, "", line.s, 2, 2);
    }
    text_free(&line);
}

static void put_verdicts(const struct terminal *t, int n, const char *verdict, enum terminal_paint paint,
                         const char *meaning) {
    char line[64];
    if (n == 0) return;
    snprintf(line, sizeof line, "%8d %-12s", n, verdict);
    terminal_line(t, paint, line, meaning, 0, t->width < TERMINAL_NARROW ? 9 : 22);
}

/* their errors were printed when they were read */
static void put_refused(const struct terminal *t, const struct report *r) {
    if (r->nrefused == 0) return;
    enum { FEW = 8 };
    struct text line = {0};
    for (int k = 0; k < r->nrefused && k < FEW; k++)
        text_printf(&line, "%s%s", k ? ", " : "", r->refused[k].file);
    if (r->nrefused > FEW) text_printf(&line, " and %d more", r->nrefused - FEW);
    char head[48];
    snprintf(head, sizeof head, "%d %s refused:", r->nrefused, r->nrefused == 1 ? "file was" : "files were");
    terminal_line(t, PAINT_RED, head, line.s, 0, 2);
    text_free(&line);
}

void terminal_summary(const struct terminal *t, const struct report *r) {
    int counts[VERDICT_COUNT] = {0}, failures = 0, unsure = 0, alone = 0;
    for (int k = 0; k < r->ntests; k++) {
        const struct test_result *of = results_test(r, k);
        failures += of->nfailures;
        for (const struct cell_result *cell = of->cells; cell < of->cells + of->ncells; cell++) {
            if (cell->machine == MACHINE_NONE || cell->elsewhere) continue;
            counts[cell->verdict]++;
            if (cell->verdict != VERDICT_HELD || cell_is_held(cell)) continue;
            *(cell->alone ? &alone : &unsure) += 1;
        }
    }
    counts[VERDICT_HELD] -= unsure + alone;
    if (results_ran(r))
        fprintf(t->out, "%d test%s, seed %lld\n", r->ntests, r->ntests == 1 ? "" : "s", r->seed);
    else
        put_answers(t, r);
    for (int v = 0; v < VERDICT_COUNT; v++) {
        put_verdicts(t, counts[v], verdict_name((enum verdict)v),
                     v == VERDICT_VIOLATION ? PAINT_RED : PAINT_NONE, meanings[v]);
        if (v != VERDICT_HELD) continue;
        put_verdicts(t, unsure, "held?", PAINT_NONE, "the same, with a confidence below 99%, or none");
        put_verdicts(t, alone, "held alone", PAINT_NONE, "the same, but no weaker fence ran beside it");
    }
    if (failures) fprintf(t->out, "  %6d failed claim%s\n", failures, failures == 1 ? "" : "s");
    put_refused(t, r);
}
