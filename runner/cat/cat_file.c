#include "cat/cat_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/embedded.h"
#include "base/path.h"
#include "base/text.h"
#include "embedded_models.h"
#include "litmus/name.h"

enum { LONGEST_FILE = 1 << 20 };

/* Opens a file without waiting for somebody who writes it: of a pipe that nobody has opened there is nothing to read.
 * NULL with errno. */
static FILE *open_file(const char *path) {
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) return NULL;
    fcntl(fd, F_SETFL, 0);
    return fdopen(fd, "rb");
}

/* The text of a file on disk, or NULL with errno; ENODATA of a pipe or a device that has none. */
static char *read_text(struct arena *a, const char *path, size_t *len) {
    char piece[4096];
    struct text text = {0};
    FILE *f = open_file(path);
    if (!f) return NULL;
    for (size_t n; text.len <= LONGEST_FILE && (n = fread(piece, 1, sizeof piece, f)) > 0;)
        text_add_n(&text, piece, n);
    int error = ferror(f) ? errno : text.len > LONGEST_FILE ? EFBIG : 0;
    struct stat st;
    if (text.len == 0 && fstat(fileno(f), &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
        error = ENODATA;
    fclose(f);
    *len = text.len;
    char *copy = error ? NULL : arena_strndup(a, text.s ? text.s : "", text.len);
    text_free(&text);
    errno = error;
    return copy;
}

/* The path of `name` beside the file that includes it; `name` itself if no file includes it. */
static const char *path_beside(struct arena *a, const struct source *by, const char *name) {
    const char *slash = by ? strrchr(by->path, '/') : NULL;
    if (!slash || name[0] == '/') return name;
    return arena_printf(a, "%.*s/%s", (int)(slash - by->path), by->path, name);
}

/* A shipped model by its name, with or without ".cat". */
static const char *find_shipped(struct arena *a, const char *name) {
    const char *text = embedded_find(embedded_models, name);
    return text ? text : embedded_find(embedded_models, arena_printf(a, "%s.cat", name));
}

static void report_unknown(struct arena *a, const char *name, struct diag *d) {
    size_t n = 0;
    while (embedded_models[n].name)
        n++;
    const char **shipped = arena_array(a, n, sizeof *shipped), *list = "";
    for (size_t k = 0; k < n; k++) {
        const char *file = embedded_models[k].name;
        shipped[k] = arena_strndup(a, file, strlen(file) - strlen(".cat"));
        list = arena_printf(a, "%s%s%s", list, k ? ", " : "", shipped[k]);
    }
    const char *suggestion = name_suggest(a, name, shipped, n), *file = arena_printf(a, "%s.cat", name);
    if (*name && access(file, F_OK) == 0) suggestion = arena_printf(a, "; did you mean '%s'?", file);
    if (*suggestion)
        diag_fail(d, "unknown model '%s'%s", name, suggestion);
    else
        diag_fail(d, "unknown model '%s': it is neither shipped (%s) nor a .cat file", name, list);
}

static const char *describe_error(int error) {
    return error == ENODATA ? "it is no regular file, and there is nothing to read in it" : strerror(error);
}

static void report_unread(struct arena *a, const char *name, const struct source *by, struct pos pos,
                          int error, struct diag *d) {
    if (by)
        diag_error(d, by, pos, "cannot read '%s': %s", name, describe_error(error));
    else if (strchr(name, '.') || strchr(name, '/'))
        diag_fail(d, "cannot read the model '%s': %s", name, describe_error(error));
    else
        report_unknown(a, name, d);
}

/* The folder of a file, with its slash. */
static const char *folder_of(struct arena *a, const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? arena_strndup(a, path, (size_t)(slash + 1 - path)) : "";
}

/* Whether a file is named as a test, a source or results are. */
static bool is_other_file(const char *name) {
    static const char *const endings[] = {".yaml", ".yml", ".litmus", ".json", ".cu"};
    const char *dot = strrchr(name, '.');
    for (size_t k = 0; dot && k < sizeof endings / sizeof *endings; k++)
        if (strcmp(dot, endings[k]) == 0) return true;
    return false;
}

const struct source *cat_open(struct arena *a, const char *name, const struct source *by, struct pos pos,
                              struct diag *d) {
    if (by && !path_is_model_of(folder_of(a, by->path), name)) {
        diag_error(d, by, pos, "'%s' is no .cat file of this file's folder", name);
        return NULL;
    }
    if (!by && is_other_file(name)) {
        diag_fail(d, "'%s' is no model: a model is a .cat file", name);
        return NULL;
    }
    struct source *source = arena_alloc(a, sizeof *source);
    const char *shipped = find_shipped(a, name);
    source->path = path_beside(a, by, name);
    bool word = by && !strpbrk(name, "./"); /* which includes a shipped model only */
    errno = ENOENT;
    if (!word && (!shipped || strchr(name, '.'))) source->text = read_text(a, source->path, &source->len);
    int error = errno;
    if (!source->text && shipped)
        *source = (struct source){.path = arena_strdup(a, name), .text = shipped, .len = strlen(shipped)};
    if (source->text) return source;
    report_unread(a, name, by, pos, error, d);
    return NULL;
}
