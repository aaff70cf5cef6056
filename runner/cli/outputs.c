#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/replace.h"
#include "cli/choose.h"
#include "cli/interrupt.h"

static report_printer *const printers[NPRINTERS] = {
#define PRINTER(name, judged) report_##name,
#include "report/printers.def"
#undef PRINTER
};

static report_printer *printer_of(const struct options *o, int k) {
    if (!o->certificate) return printers[k];
    return k == PRINTER_html ? report_certificate_html : report_certificate_json;
}

static bool is_stdout(const char *path) {
    return path && (strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0);
}

bool outputs_wanted(const struct options *o) {
    for (int k = 0; k < NPRINTERS; k++)
        if (o->files[k]) return true;
    return false;
}

bool outputs_to_stdout(const struct options *o) {
    for (int k = 0; k < NPRINTERS; k++)
        if (is_stdout(o->files[k])) return true;
    return false;
}

static bool cannot_write(const char *path) {
    fprintf(stderr, "culitmus: cannot write '%s': %s\n", path, strerror(errno));
    return false;
}

/* Whether a file is replaced: a device, a pipe or a file that is open already is written to instead. */
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

/* Returns the file that would be replaced, by a name that is the same for all paths to it; malloc'ed. NULL:
 * none is replaced. */
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

/* Whether two outputs would overwrite each other. Several may be /dev/null. */
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
    for (int k = 0; k < NPRINTERS; k++) {
        const char *path = o->files[k];
        if (path && !is_stdout(path) && !is_special(path) && is_one_file(path, input))
            return usage_error(o->command, "results cannot go to '%s': it is what is read", path);
    }
    return EXIT_FINE;
}

/* Sets the address to which the page's links lead. */
static int check_playground(const struct options *o) {
    struct arena *a = arena_open();
    const char *page;
    int code = choose_playground(o, a, &page);
    arena_close(a);
    return o->playground && !o->files[PRINTER_html]
               ? usage_error(o->command, "option '--playground' is for '--html'")
               : code;
}

/* A certificate can be a page, JSON, or both. */
static int check_certificate(const struct options *o) {
    bool other = o->playground;
    for (int k = 0; k < NPRINTERS; k++)
        other = other || (o->files[k] && k != PRINTER_html && k != PRINTER_json);
    if (!o->certificate) return EXIT_FINE;
    if (other) return usage_error(o->command, "a certificate takes '--html' and '--json' only");
    return outputs_wanted(o) ? EXIT_FINE
                             : usage_error(o->command, "option '--certificate' wants '--html' or '--json'");
}

int outputs_check(const struct options *o) {
    int code = check_certificate(o);
    if (!code) code = check_playground(o);
    if (code) return code;
    for (int k = 0; k < NPRINTERS; k++)
        for (int j = 0; j < k; j++)
            if (is_same(o->files[j], o->files[k]))
                return usage_error(o->command,
                                   is_stdout(o->files[k]) ? "only one format can go to standard output"
                                                          : "only one format can go to '%s'",
                                   o->files[k]);
    for (int k = 0; k < NPRINTERS; k++)
        if (o->files[k] && !is_stdout(o->files[k]) && !check_path(o->files[k])) return EXIT_ENVIRONMENT;
    return EXIT_FINE;
}

/* Closes the stream. Returns false and sets errno when something could not be written. */
static bool close_written(FILE *f) {
    bool failed = fflush(f) != 0 || ferror(f);
    int error = errno;
    if (fclose(f) != 0 || failed) {
        errno = failed ? error : errno;
        return false;
    }
    return true;
}

typedef void put_output(const void *ctx, FILE *out);

static bool write_special(const char *path, put_output *put, const void *ctx) {
    FILE *f = fopen(path, "a"); /* a file that is open keeps its contents */
    if (!f) return cannot_write(path);
    put(ctx, f);
    return close_written(f) || cannot_write(path);
}

static bool write_file(const char *path, put_output *put, const void *ctx) {
    struct replacement file;
    if (!replace_begin(&file, path)) return cannot_write(path);
    put(ctx, file.out);
    return replace_end(&file) || cannot_write(path);
}

bool outputs_put(const char *path, put_output *put, const void *ctx) {
    if (!is_stdout(path)) return (is_special(path) ? write_special : write_file)(path, put, ctx);
    put(ctx, stdout);
    return true;
}

struct printing {
    report_printer *print;
    const struct report *report;
};

static void print_report(const void *ctx, FILE *out) {
    const struct printing *p = ctx;
    p->print(p->report, out);
}

bool outputs_write(const struct options *o, const struct report *r) {
    bool fine = true;
    struct arena *a = arena_open();
    struct report linked = *r;
    choose_playground(o, a, &linked.playground);
    for (int k = 0; k < NPRINTERS; k++) {
        const char *path = o->files[k];
        struct printing p = {printer_of(o, k), &linked};
        fine = (!path || outputs_put(path, print_report, &p)) && fine;
    }
    arena_close(a);
    return fine;
}

int outputs_folder(const struct options *o, struct arena *a, const struct folder_file *files, int n,
                   struct diag *d) {
    static const int codes[] = {[FOLDER_WRITTEN] = EXIT_FINE,
                                [FOLDER_TAKEN] = EXIT_INPUT,
                                [FOLDER_BROKEN] = EXIT_ENVIRONMENT,
                                [FOLDER_STOPPED] = EXIT_INTERRUPTED};
    interrupt_catch();
    int code = codes[folder_write(a, o->output, files, n, "test", &interrupted, d)];
    if (!code) printf("%d test%s in %s\n", n, n == 1 ? "" : "s", o->output);
    return code;
}
