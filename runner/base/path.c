#include "base/path.h"

#include <errno.h>
#include <stdbool.h>
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
