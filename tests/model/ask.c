#include "ask.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/temporary.h"
#include "source/read.h"

static struct temporary folder;

static void fail(const struct diag *d, const char *what) {
    diag_render(d, stderr, false);
    fprintf(stderr, "in:\n%s\n", what);
    exit(1);
}

int ask_enter_folder(void **state) {
    (void)state;
    return temporary_folder(&folder) ? chdir(folder.path) : -1;
}

int ask_leave_folder(void **state) {
    (void)state;
    int left = chdir("/");
    temporary_remove(&folder);
    return left;
}

void ask_write(const char *path, const char *text) {
    FILE *f = fopen(path, "w");
    if (!f || fputs(text, f) == EOF || fclose(f) != 0) {
        perror(path);
        exit(1);
    }
}

const struct model *ask_model(struct arena *a, const char *name) {
    struct diag d = {0};
    const struct model *m = model_load(a, name, &d);
    if (!m) fail(&d, name);
    diag_free(&d);
    return m;
}

char *ask_messages(const char *name) {
    struct diag d = {0};
    struct arena *a = arena_open();
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    if ((model_load(a, name, &d) == NULL) != (d.errors > 0)) fail(&d, name);
    diag_render(&d, f, false);
    fclose(f);
    diag_free(&d);
    arena_close(a);
    return text;
}

/* A PTX table is known by its first word. */
static struct test *read_test(struct arena *a, const char *text, struct diag *d) {
    bool table = strncmp(text, "PTX", 3) == 0;
    return test_read_text(a, table ? "test.litmus" : "test.yaml", text, strlen(text), d);
}

const struct cell *ask_cell(struct arena *a, const char *text, struct test **t) {
    struct diag d = {0};
    int n;
    *t = read_test(a, text, &d);
    if (!*t) fail(&d, text);
    diag_free(&d);
    return test_cells(*t, a, &n);
}

struct answer ask(const struct model *m, const char *yaml, const struct model_limits *limits) {
    struct diag d = {0};
    struct arena *a = arena_open();
    struct test *t = read_test(a, yaml, &d);
    if (!t) fail(&d, yaml);
    int n;
    struct cell *cells = test_cells(t, a, &n);
    struct model_result r;
    if (n != 1 || !model_check(m, t, &cells[0], limits, a, &r, &d)) fail(&d, yaml);
    static char why[100];
    snprintf(why, sizeof why, "%s", r.why ? r.why : "");
    struct answer answer = {r.status,  r.why ? why : NULL, r.allowed,   r.holds,
                            r.bounded, r.undefined,        r.noutcomes, r.executions};
    diag_free(&d);
    arena_close(a);
    return answer;
}

static bool is_answered(struct arena *a, const struct question *q) {
    struct answer answer = ask(ask_model(a, q->model), q->test, NULL);
    bool same = answer.status == MODEL_DONE && answer.allowed == q->allowed && answer.bounded == q->bounded &&
                (q->outcomes < 0 || answer.outcomes == q->outcomes) &&
                (q->executions < 0 || answer.executions == q->executions);
    if (!same)
        fprintf(stderr, "%s: %s %s, %s, %d outcomes, %lld executions\n", q->what,
                answer.status == MODEL_DONE ? "" : "unknown,", answer.allowed ? "allowed" : "forbidden",
                answer.bounded ? "bounded" : "not bounded", answer.outcomes, answer.executions);
    return same;
}

int ask_all(const struct question *questions, size_t n) {
    struct arena *a = arena_open();
    int wrong = 0;
    for (size_t k = 0; k < n; k++)
        wrong += !is_answered(a, &questions[k]);
    arena_close(a);
    return wrong;
}

static const char *say(const struct model *m, const char *text) {
    struct answer x = ask(m, text, NULL);
    return x.status != MODEL_DONE ? "unknown"
           : x.undefined          ? "undefined"
           : x.allowed            ? "allowed"
                                  : "forbidden";
}

int ask_models(const struct model *const models[], int n, const char *test, const char *const says[]) {
    int wrong = 0;
    for (int m = 0; m < n; m++) {
        const char *said = say(models[m], test);
        if (strcmp(said, says[m]) == 0) continue;
        fprintf(stderr, "%s: %s, not %s:\n%s", model_name(models[m]), said, says[m], test);
        wrong++;
    }
    return wrong;
}

char *ask_error(const struct model *m, const char *yaml) {
    struct diag d = {0};
    struct arena *a = arena_open();
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    struct test *t = read_test(a, yaml, &d);
    if (t) {
        int n;
        struct cell *cells = test_cells(t, a, &n);
        struct model_result r;
        model_check(m, t, &cells[0], NULL, a, &r, &d);
    }
    diag_render(&d, f, false);
    fclose(f);
    diag_free(&d);
    arena_close(a);
    return text;
}
