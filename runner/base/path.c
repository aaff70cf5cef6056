#include "base/path.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"

static bool is_program(const char *file) {
    struct stat st;
    return stat(file, &st) == 0 && S_ISREG(st.st_mode) && access(file, X_OK) == 0;
}

char *path_find(struct arena *a, const char *name) {
    if (strchr(name, '/')) return is_program(name) ? arena_strdup(a, name) : NULL;
    const char *path = getenv("PATH");
    for (const char *p = path ? path : "/usr/local/bin:/usr/bin:/bin"; p;) {
        const char *end = strchrnul(p, ':');
        char *file = arena_printf(a, "%.*s/%s", end > p ? (int)(end - p) : 1, end > p ? p : ".", name);
        if (is_program(file)) return file;
        p = *end ? end + 1 : NULL;
    }
    return NULL;
}

bool path_make_folders(const char *file, unsigned mode) {
    char *copy = memory_check(strdup(file));
    bool ok = true;
    for (char *slash = copy; *copy && ok && (slash = strchr(slash + 1, '/'));) {
        *slash = '\0';
        ok = mkdir(copy, mode) == 0 || errno == EEXIST;
        *slash = '/';
    }
    int error = errno;
    free(copy);
    errno = error;
    return ok;
}

static bool is_cat(const char *path) {
    size_t len = strlen(path);
    return len > 4 && strcmp(path + len - 4, ".cat") == 0;
}

/* Whether a path is relative and has no ".." in it. */
static bool goes_down(const char *name) {
    for (const char *part = name; part; part = strchr(part, '/')) {
        part += *part == '/';
        if (strncmp(part, "..", 2) == 0 && (part[2] == '/' || part[2] == '\0')) return false;
    }
    return *name != '/';
}

bool path_is_below(const char *folder, const char *name) {
    char *path, *real, *base = realpath(*folder ? folder : ".", NULL);
    struct stat st;
    bool fine = goes_down(name);
    if (asprintf(&path, "%s%s", folder, name) < 0) memory_exhausted();
    real = realpath(path, NULL);
    if (fine && real && base) {
        size_t n = strlen(base);
        bool below = strncmp(real, base, n) == 0 && (real[n] == '/' || strcmp(base, "/") == 0);
        fine = below && stat(real, &st) == 0 && S_ISREG(st.st_mode);
    }
    free(path);
    free(real);
    free(base);
    return fine;
}

/* Whether the file that the path leads to is a .cat file, too: a link may have any name. A file that is not
 * there passes. */
static bool leads_to_cat(const char *folder, const char *name) {
    char *path, *real;
    if (asprintf(&path, "%s%s", folder, name) < 0) memory_exhausted();
    real = realpath(path, NULL);
    bool fine = !real || is_cat(real);
    free(path);
    free(real);
    return fine;
}

bool path_is_model_of(const char *folder, const char *name) {
    if (!strpbrk(name, "./")) return true; /* a shipped model */
    return is_cat(name) && path_is_below(folder, name) && leads_to_cat(folder, name);
}
