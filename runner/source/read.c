#include "source/read.h"

#include <string.h>
#include <sys/stat.h>

#include "source/document.h"
#include "source/table.h"

static bool has_ending(const char *path, const char *ending) {
    size_t n = strlen(path), m = strlen(ending);
    return n >= m && strcmp(path + n - m, ending) == 0;
}

static void refuse_ending(const struct source *source, struct diag *d) {
    static const struct {
        const char *ending, *what;
    } others[] = {
        {".cu", "a CUDA source is no test: 'culitmus lift' writes a first test of its kernel"},
        {".json", "results are no test: 'culitmus report' shows them"},
        {".cat", "a model is no test: --model names one"},
    };
    const char *what = "the name of a test ends in .yaml, .yml or .litmus";
    for (size_t k = 0; k < sizeof others / sizeof *others; k++)
        if (has_ending(source->path, others[k].ending)) what = others[k].what;
    diag_error(d, source, (struct pos){0}, "%s", what);
}

/* Reads the test whose source is set; the ending of its path chooses the reader. `compile`: compile the
 * kernels that it names. */
static struct test *read_source(struct arena *a, struct test *t, bool compile, struct diag *d) {
    size_t errors = d->errors, messages = d->n;
    const char *path = t->source.path;
    if (!source_check(&t->source, d)) return NULL;
    if (has_ending(path, ".yaml") || has_ending(path, ".yml")) {
        struct yaml_node *carried, *root = yaml_read(a, &t->source, &carried, d);
        if (root) document_read(a, t, root, carried, compile, d);
    } else if (has_ending(path, ".litmus")) {
        litmus_read(a, t, d);
    } else {
        refuse_ending(&t->source, d);
    }
    diag_sort(d, messages);
    return d->errors == errors ? t : NULL;
}

/* Refuses named pipes: opening one would wait for a writer, perhaps for ever. */
static bool is_pipe(const char *path) {
    struct stat s;
    return stat(path, &s) == 0 && S_ISFIFO(s.st_mode);
}

static struct test *read_file(struct arena *a, const char *path, bool compile, struct diag *d) {
    struct test *t = arena_alloc(a, sizeof *t);
    if (is_pipe(path)) {
        t->source.path = arena_strdup(a, path);
        diag_error(d, &t->source, (struct pos){0}, "a test is a file, and this is a pipe");
        return NULL;
    }
    return source_load(a, path, &t->source, d) ? read_source(a, t, compile, d) : NULL;
}

static struct test *read_text(struct arena *a, const char *path, const char *text, size_t len, bool compile,
                              struct diag *d) {
    struct test *t = arena_alloc(a, sizeof *t);
    t->source =
        (struct source){.path = arena_strdup(a, path), .text = arena_strndup(a, text, len), .len = len};
    return read_source(a, t, compile, d);
}

struct test *test_read(struct arena *a, const char *path, struct diag *d) {
    return read_file(a, path, true, d);
}

struct test *test_read_text(struct arena *a, const char *path, const char *text, size_t len, struct diag *d) {
    return read_text(a, path, text, len, true, d);
}

struct test *test_peek(struct arena *a, const char *path, const struct source *text, struct diag *d) {
    return text ? read_text(a, path, text->text, text->len, false, d) : read_file(a, path, false, d);
}
