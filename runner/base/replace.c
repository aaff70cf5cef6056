#include "base/replace.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"

/* Returns the permissions of the file, or if there is none those that open() would give it. (The temporary
 * file starts as readable by its owner only.) */
static mode_t find_mode(const char *path) {
    struct stat st;
    if (stat(path, &st) == 0 && S_ISREG(st.st_mode)) return st.st_mode & 0777;
    mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

/* Whether a link may be followed, by the rule of Linux's fs.protected_symlinks: in a sticky folder that
 * everybody may write to, the link must belong to this user or to the folder's owner. */
static bool is_trusted(const char *link, const char *slash) {
    struct stat st, folder;
    char *path = memory_check(slash ? strndup(link, (size_t)(slash - link) + 1) : strdup("."));
    bool found = lstat(link, &st) == 0 && stat(path, &folder) == 0;
    free(path);
    if (!found || (folder.st_mode & (S_ISVTX | S_IWOTH)) != (S_ISVTX | S_IWOTH)) return true;
    return st.st_uid == geteuid() || st.st_uid == folder.st_uid;
}

char *replace_target(const char *path) {
    enum { MAX_LINKS = 40 };
    char *here = memory_check(strdup(path)), target[PATH_MAX + 1], *there;
    for (int links = 0; links < MAX_LINKS; links++) {
        ssize_t n = readlink(here, target, PATH_MAX);
        if (n < 0) break;
        target[n] = '\0';
        const char *slash = strrchr(here, '/');
        if (!is_trusted(here, slash)) {
            free(here);
            errno = EACCES;
            return NULL;
        }
        if (*target == '/') slash = NULL;
        if (asprintf(&there, "%.*s%s", slash ? (int)(slash + 1 - here) : 0, here, target) < 0)
            memory_exhausted();
        free(here);
        here = there;
    }
    return here;
}

bool replace_begin(struct replacement *r, const char *path) {
    *r = (struct replacement){.path = replace_target(path)};
    if (!r->path) return false;
    if (!temporary_beside(&r->temporary, r->path)) {
        int error = errno;
        free(r->path);
        errno = error;
        return false;
    }
    r->out = memory_check(fdopen(r->temporary.fd, "w"));
    return true;
}

bool replace_end(struct replacement *r) {
    bool failed = fflush(r->out) != 0 || ferror(r->out);
    int error = !failed ? 0 : errno ? errno : EIO;
    if (!error && fchmod(r->temporary.fd, find_mode(r->path)) != 0) error = errno;
    if (fclose(r->out) != 0 && !error) error = errno;
    r->temporary.fd = -1;
    if (error)
        temporary_remove(&r->temporary);
    else if (!temporary_keep(&r->temporary, r->path))
        error = errno;
    free(r->path);
    errno = error;
    return !error;
}
