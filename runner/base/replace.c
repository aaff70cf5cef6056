#include "base/replace.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"

static void forget(struct replacement *r) {
    free(r->path);
    free(r->temporary);
    *r = (struct replacement){0};
}

/* Gives the file the permissions that open() would have given it. mkstemp gives it to its owner alone. */
static void set_mode(int fd) {
    mode_t mask = umask(0);
    umask(mask);
    fchmod(fd, 0666 & ~mask);
}

char *replace_target(const char *path) {
    enum { MAX_LINKS = 40 };
    char *here = memory_check(strdup(path)), target[PATH_MAX + 1], *there;
    for (int links = 0; links < MAX_LINKS; links++) {
        ssize_t n = readlink(here, target, PATH_MAX);
        if (n < 0) break;
        target[n] = '\0';
        const char *slash = *target == '/' ? NULL : strrchr(here, '/');
        if (asprintf(&there, "%.*s%s", slash ? (int)(slash + 1 - here) : 0, here, target) < 0)
            memory_exhausted();
        free(here);
        here = there;
    }
    return here;
}

bool replace_begin(struct replacement *r, const char *path) {
    *r = (struct replacement){.path = replace_target(path)};
    if (asprintf(&r->temporary, "%s.XXXXXX", r->path) < 0) memory_exhausted();
    int fd = mkstemp(r->temporary);
    if (fd < 0) {
        int error = errno;
        forget(r);
        errno = error;
        return false;
    }
    set_mode(fd);
    r->out = memory_check(fdopen(fd, "w"));
    return true;
}

bool replace_end(struct replacement *r) {
    bool failed = fflush(r->out) != 0 || ferror(r->out);
    int error = !failed ? 0 : errno ? errno : EIO;
    if (fclose(r->out) != 0 && !error) error = errno;
    if (!error && rename(r->temporary, r->path) != 0) error = errno;
    if (error) unlink(r->temporary);
    forget(r);
    errno = error;
    return !error;
}
