#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/replace.h"
#include "base/source.h"
#include "cli/cli.h"
#include "report/json.h"
#include "report/printers.h"

struct output {
    const char *path; /* NULL: not asked for; "-": stdout */
    void (*write)(const struct report *r, FILE *out);
};

enum { OUTPUTS = 5 };

static void list_outputs(const struct options *o, struct output list[OUTPUTS]) {
    list[0] = (struct output){o->json, report_json};
    list[1] = (struct output){o->log, report_log};
    list[2] = (struct output){o->junit, report_junit};
    list[3] = (struct output){o->html, report_html};
    list[4] = (struct output){o->markdown, report_markdown};
}

static bool is_stdout(const char *path) {
    return path && (strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0);
}

bool outputs_to_stdout(const struct options *o) {
    struct output list[OUTPUTS];
    list_outputs(o, list);
    for (int k = 0; k < OUTPUTS; k++)
        if (is_stdout(list[k].path)) return true;
    return false;
}

static bool cannot_write(const char *path) {
    fprintf(stderr, "culitmus: cannot write '%s': %s\n", path, strerror(errno));
    return false;
}

/* A device, a pipe or a file that is open already is written as it is; any other regular file is replaced. */
static bool is_special(const char *path) {
    struct stat s;
    bool open = strcmp(path, "/dev/stderr") == 0 || strncmp(path, "/dev/fd/", strlen("/dev/fd/")) == 0;
    return open || (stat(path, &s) == 0 && !S_ISREG(s.st_mode));
}

static char *folder_of(const char *path) {
    const char *slash = strrchr(path, '/');
    return memory_check(slash ? strndup(path, slash == path ? 1 : (size_t)(slash - path)) : strdup("."));
}

static bool check_path(const char *path) {
    struct stat s;
    bool there = stat(path, &s) == 0;
    if (!there && errno == ENAMETOOLONG) return cannot_write(path);
    if (there && S_ISDIR(s.st_mode)) {
        errno = EISDIR;
        return cannot_write(path);
    }
    char *file = replace_target(path), *folder = file ? folder_of(file) : NULL;
    bool fine = file && access(is_special(path) ? path : folder, W_OK) == 0;
    free(folder);
    free(file);
    return fine || cannot_write(path);
}

/* The file that is replaced, by the one name that all paths to it give; malloc'ed. NULL: no file is replaced. */
static char *find_replaced(const char *path) {
    if (is_stdout(path) || is_special(path)) return NULL;
    char *file = replace_target(path), *folder = file ? folder_of(file) : NULL, *name = NULL;
    char *real = folder ? realpath(folder, NULL) : NULL;
    const char *slash = file ? strrchr(file, '/') : NULL;
    if (real && asprintf(&name, "%s/%s", real, slash ? slash + 1 : file) < 0) memory_exhausted();
    free(real);
    free(folder);
    free(file);
    return name;
}

/* Whether two outputs would overwrite each other. Several may go to /dev/null. */
static bool is_same(const char *x, const char *y) {
    if (!x || !y) return false;
    if (is_stdout(x) || is_stdout(y)) return is_stdout(x) && is_stdout(y);
    char *a = find_replaced(x), *b = find_replaced(y);
    bool same = a && b && strcmp(a, b) == 0;
    free(a);
    free(b);
    return same;
}

static bool is_one_file(const char *x, const char *y) {
    struct stat a, b;
    return stat(x, &a) == 0 && stat(y, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

int outputs_spare(const struct options *o, const char *input) {
    struct output list[OUTPUTS];
    list_outputs(o, list);
    for (int k = 0; k < OUTPUTS; k++) {
        const char *path = list[k].path;
        if (path && !is_stdout(path) && !is_special(path) && is_one_file(path, input))
            return usage_error(o->command, "results cannot go to '%s': it is what is read", path);
    }
    return EXIT_FINE;
}

int outputs_check(const struct options *o) {
    struct output list[OUTPUTS];
    list_outputs(o, list);
    for (int k = 0; k < OUTPUTS; k++)
        for (int j = 0; j < k; j++)
            if (is_same(list[j].path, list[k].path))
                return usage_error(o->command,
                                   is_stdout(list[k].path) ? "only one format can go to standard output"
                                                           : "only one format can go to '%s'",
                                   list[k].path);
    for (int k = 0; k < OUTPUTS; k++)
        if (list[k].path && !is_stdout(list[k].path) && !check_path(list[k].path)) return EXIT_ENVIRONMENT;
    return EXIT_FINE;
}

/* Closes the stream; false with errno when something could not be written. */
static bool close_written(FILE *f) {
    bool failed = fflush(f) != 0 || ferror(f);
    int error = errno;
    if (fclose(f) != 0 || failed) {
        errno = failed ? error : errno;
        return false;
    }
    return true;
}

static bool write_special(const struct output *out, const struct report *r) {
    FILE *f = fopen(out->path, "a"); /* a file that is open keeps what it has */
    if (!f) return cannot_write(out->path);
    out->write(r, f);
    return close_written(f) || cannot_write(out->path);
}

/* Says that no command will read the file: whoever makes ten thousand tests runs them in parts. */
static void warn_of_size(const char *path) {
    struct stat s;
    if (stat(path, &s) != 0 || s.st_size <= SOURCE_MAX_BYTES) return;
    fprintf(stderr,
            "culitmus: warning: '%s' has %lld MiB, and results of more than %d MiB are not read again: "
            "run fewer tests at a time\n",
            path, (long long)s.st_size >> 20, SOURCE_MAX_BYTES >> 20);
}

static bool write_file(const struct output *out, const struct report *r) {
    struct replacement file;
    if (!replace_begin(&file, out->path)) return cannot_write(out->path);
    out->write(r, file.out);
    if (!replace_end(&file)) return cannot_write(out->path);
    if (out->write == report_json) warn_of_size(out->path);
    return true;
}

bool outputs_write(const struct options *o, const struct report *r) {
    struct output list[OUTPUTS];
    bool fine = true;
    list_outputs(o, list);
    for (int k = 0; k < OUTPUTS; k++) {
        if (!list[k].path) continue;
        if (is_stdout(list[k].path))
            list[k].write(r, stdout);
        else if (is_special(list[k].path))
            fine = write_special(&list[k], r) && fine;
        else
            fine = write_file(&list[k], r) && fine;
    }
    return fine;
}
