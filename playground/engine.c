/* The playground's engine: reads a test and asks a model, as `culitmus check` does, compiled to WebAssembly. */
#include <stdlib.h>
#include <string.h>

#include <emscripten.h>

#include "base/foreign.h"
#include "base/text.h"
#include "report/printers.h"
#include "report/terminal.h"
#include "session/session.h"
#include "source/read.h"

struct playground {
    struct arena *arena;
    struct diag diag;
    struct test *test;         /* NULL: the text is none */
    const struct model *model; /* NULL: the test's own */
    struct suite suite;
    struct session session;
};

static void keep_messages(void *ctx, struct diag *d) {
    diag_join(ctx, d);
}

/* Judges all cells. `model`: "" for the test's own. `seconds`: 0 for no limit. */
static void judge(struct playground *e, const char *model, double seconds) {
    e->suite = (struct suite){.tests = &e->test, .n = 1};
    e->session.suite = &e->suite;
    e->model = *model ? model_load(e->arena, model, &e->diag) : NULL;
    if (*model && !e->model) return;
    e->session.models = &e->model;
    e->session.nmodels = e->model != NULL;
    e->session.limits.seconds = seconds;
    e->session.listener = (struct session_listener){.ctx = &e->diag, .messages = keep_messages};
    session_run(&e->session, &e->diag);
}

/* A line a message: severity, line, column, text. */
static void put_messages(const struct playground *e, FILE *out) {
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
static void put_cells(const struct test_result *r, FILE *out) {
    static const char *const words[] = {
        [ANSWER_NO] = "no", [ANSWER_YES] = "yes", [ANSWER_UNKNOWN] = "unknown"};
    for (int k = 0; k < r->ncells; k++) {
        const struct cell_result *c = &r->cells[k];
        fprintf(out, "%s\t%s\t%s\t%s\t%d\t", c->placement, c->access, c->fence, terminal_allowed(r, c),
                c->nraces);
        if (c->model.name)
            fprintf(out, "%s %s %lld %lld", words[c->model.allowed], words[c->model.holds], c->model.outcomes,
                    c->model.executions);
        fputc('\n', out);
    }
}

static void put_all(const struct playground *e, FILE *out) {
    const struct report *r = &e->session.report;
    bool fine = r->ntests > 0 && e->diag.errors == 0;
    put_messages(e, out);
    fputc('\f', out);
    if (fine) report_html_answers(r, out);
    fputc('\f', out);
    if (fine) put_cells(&r->tests[0], out);
    fputc('\f', out);
    if (e->test) foreign_terminal(e->test->name, out);
}

/* Messages, what the page shows, the cells, and the test's name, with form feeds between. `model`: "" for the test's own.
 * `seconds`: 0 for no limit. The text is valid until the next call. */
EMSCRIPTEN_KEEPALIVE const char *engine_check(const char *text, const char *model, double seconds) {
    static char *answer;
    size_t size;
    struct playground e = {.arena = arena_open()};
    free(answer);
    answer = NULL;
    FILE *out = open_memstream(&answer, &size);
    if (!out) return "error\t0\t0\tthere is no memory left\n\f\f\f";
    e.test = test_read_text(e.arena, suite_text_path(e.arena, "test", text), text, strlen(text), &e.diag);
    if (e.test) judge(&e, model, seconds);
    put_all(&e, out);
    fclose(out);
    diag_free(&e.diag);
    if (e.test) session_close(&e.session);
    arena_close(e.arena);
    return answer;
}
