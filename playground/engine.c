/* The playground's engine: reads a test and asks a model, as `culitmus check` does, compiled to WebAssembly. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <emscripten.h>

#include "base/clock.h"
#include "base/foreign.h"
#include "base/text.h"
#include "report/printers.h"
#include "report/terminal.h"
#include "report/verdict.h"

struct engine {
    struct arena *arena;
    struct diag diag;
    struct test *test;
    struct test_result result;
    double deadline; /* by the clock; 0: none */
};

/* A table in PTX syntax begins with that word; all else is YAML. */
static const char *path_of(const char *text) {
    text += strspn(text, " \t\r\n");
    return strncmp(text, "PTX", 3) == 0 && strchr(" \t\"\r\n", text[3]) ? "test.litmus" : "test.yaml";
}

static const char *model_of(const struct engine *e, const char *chosen) {
    const char *own = e->test->model;
    if (*chosen) return chosen;
    if (own && strcmp(own, "none") == 0) return NULL;
    return own ? arena_strndup(e->arena, own, strcspn(own, ".")) : "ptx";
}

/* What is left of the time for all cells. */
static struct model_limits limits_left(const struct engine *e) {
    struct model_limits limits = {0};
    if (e->deadline > 0) limits.seconds = fmax(1e-3, e->deadline - clock_now());
    return limits;
}

/* False when the test is wrong: an index is out of bounds. */
static bool judge_cell(struct engine *e, const struct model *m, const struct cell *v, struct cell_result *c) {
    struct model_limits limits = limits_left(e);
    struct model_result answer;
    struct races races;
    if (!model_check_races(m, e->test, v, &limits, e->arena, &answer, &races, &e->diag)) return false;
    if (races.open) {
        struct diag quiet = {0};
        limits = limits_left(e);
        limits.unroll = answer.unroll;
        model_races(m, e->test, v, &limits, e->arena, &races, &quiet);
        diag_free(&quiet);
    }
    verdict_allowed(e->arena, c, e->test, model_name(m), &answer);
    verdict_races(e->arena, c, e->test, &races);
    return true;
}

static bool judge(struct engine *e, const char *chosen) {
    const char *name = model_of(e, chosen);
    const struct model *m = name ? model_load(e->arena, name, &e->diag) : NULL;
    if (name && !m) return false;
    int n;
    struct cell *cells = test_cells(e->test, e->arena, &n);
    e->result = verdict_test(e->arena, e->test);
    e->result.cells = arena_array(e->arena, (size_t)n, sizeof *e->result.cells);
    for (int k = 0; k < n; k++) {
        struct cell_result *c = &e->result.cells[e->result.ncells++];
        *c = verdict_cell(e->arena, &cells[k], "model", NULL);
        if (m && !judge_cell(e, m, &cells[k], c)) return false;
        c->verdict = verdict_of(c, e->test->cond.kind == FORALL);
    }
    verdict_claims(e->arena, e->test, &e->result);
    return true;
}

/* A line a message: severity, line, column, text. */
static void put_messages(const struct engine *e, FILE *out) {
    static const char *const names[] = {
        [DIAG_ERROR] = "error", [DIAG_WARNING] = "warning", [DIAG_NOTE] = "note"};
    for (size_t k = 0; k < e->diag.n; k++) {
        const struct message *m = &e->diag.messages[k];
        fprintf(out, "%s\t%d\t%d\t", names[m->severity], m->pos.line, m->pos.col);
        foreign_terminal(m->text, out);
        fputc('\n', out);
    }
}

/* A line a cell, as a program compares it: which it is, the word, how many races, the counts. */
static void put_cells(const struct engine *e, FILE *out) {
    static const char *const words[] = {
        [ANSWER_NO] = "no", [ANSWER_YES] = "yes", [ANSWER_UNKNOWN] = "unknown"};
    for (int k = 0; k < e->result.ncells; k++) {
        const struct cell_result *c = &e->result.cells[k];
        fprintf(out, "%s\t%s\t%s\t%s\t%d\t", c->placement, c->access, c->fence,
                terminal_allowed(&e->result, c), c->nraces);
        if (c->model.name)
            fprintf(out, "%s %s %lld %lld", words[c->model.allowed], words[c->model.holds], c->model.outcomes,
                    c->model.executions);
        fputc('\n', out);
    }
}

static void put_all(const struct engine *e, FILE *out) {
    struct report report = {.tool = "culitmus " CULITMUS_VERSION, .tests = (struct test_result *)&e->result};
    report.ntests = e->result.ncells > 0 && e->diag.errors == 0;
    put_messages(e, out);
    fputc('\f', out);
    if (report.ntests) report_html_answers(&report, out);
    fputc('\f', out);
    if (report.ntests) put_cells(e, out);
    fputc('\f', out);
    if (e->test) foreign_terminal(e->test->name, out);
}

/* Messages, what the page shows, the cells, and the test's name, with form feeds between. `model`: "" for the test's own.
 * `seconds`: 0 for no limit. The text is valid until the next call. */
EMSCRIPTEN_KEEPALIVE const char *engine_check(const char *text, const char *model, double seconds) {
    static char *answer;
    size_t size;
    struct engine e = {.arena = arena_open(), .deadline = seconds > 0 ? clock_now() + seconds : 0};
    free(answer);
    answer = NULL;
    FILE *out = open_memstream(&answer, &size);
    if (!out) return "error\t0\t0\tthere is no memory left\n\f\f\f";
    e.test = test_read_text(e.arena, path_of(text), text, strlen(text), &e.diag);
    if (e.test) judge(&e, model);
    put_all(&e, out);
    fclose(out);
    diag_free(&e.diag);
    arena_close(e.arena);
    return answer;
}
