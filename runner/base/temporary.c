#include "base/temporary.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"

/* The temporary files and folders of this process. */
static struct temporary *all;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* A name is one of these prefixes and six random characters. No file of a user is called so. */
static const char in_tmp[] = "culitmus-work-", beside[] = ".culitmus-new-";

/* A younger file may be one that its process has not locked yet. */
enum { SECONDS_TO_LOCK = 60 };

/* ---- removing ---- */

/* Uses getdents64 and not opendir, because opendir allocates and there may be no memory left. */
static void remove_entry(int folder, const char *name) {
    alignas(struct dirent64) char entries[2048];
    if (unlinkat(folder, name, 0) == 0 || errno != EISDIR) return;
    int fd = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    for (ssize_t n; fd >= 0 && (n = getdents64(fd, entries, sizeof entries)) > 0;)
        for (ssize_t at = 0; at < n;) {
            const struct dirent64 *e = (const struct dirent64 *)(entries + at);
            unlinkat(fd, e->d_name, 0);
            at += e->d_reclen;
        }
    if (fd >= 0) close(fd);
    unlinkat(folder, name, AT_REMOVEDIR);
}

/* Whether a killed process has left the file: it belongs to this user alone, is older than SECONDS_TO_LOCK,
 * and nobody holds its lock. */
static bool is_left(int folder, const char *name) {
    struct stat st;
    if (fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) != 0) return false;
    if (st.st_uid != geteuid() || (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)) || (st.st_mode & 077))
        return false;
    if (time(NULL) - st.st_mtime < SECONDS_TO_LOCK) return false;
    int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    bool left = fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0;
    if (fd >= 0) close(fd);
    return left;
}

static void sweep(const char *folder, const char *prefix) {
    size_t length = strlen(prefix);
    DIR *dir = opendir(folder);
    for (struct dirent *e; dir && (e = readdir(dir));)
        if (strncmp(e->d_name, prefix, length) == 0 && strlen(e->d_name) == length + 6 &&
            is_left(dirfd(dir), e->d_name))
            remove_entry(dirfd(dir), e->d_name);
    if (dir) closedir(dir);
}

/* ---- the list ---- */

/* Blocks signals and takes the lock. So no signal handler sees a file that exists but is not in the list yet,
 * and none interrupts this thread while it holds the lock. */
static void enter(sigset_t *before) {
    sigset_t every;
    sigfillset(&every);
    pthread_sigmask(SIG_BLOCK, &every, before);
    pthread_mutex_lock(&lock);
}

static void leave(const sigset_t *before) {
    pthread_mutex_unlock(&lock);
    pthread_sigmask(SIG_SETMASK, before, NULL);
}

static void enlist(struct temporary *t) {
    flock(t->fd, LOCK_EX | LOCK_NB);
    t->next = all;
    all = t;
}

static void unlist(const struct temporary *t) {
    sigset_t before;
    enter(&before);
    for (struct temporary **p = &all; *p; p = &(*p)->next)
        if (*p == t) {
            *p = t->next;
            break;
        }
    leave(&before);
}

/* ---- making ---- */

static bool forget(struct temporary *t, int error) {
    unlist(t);
    if (t->fd >= 0) close(t->fd);
    free(t->path);
    *t = (struct temporary){.fd = -1};
    errno = error;
    return error == 0;
}

static char *make_template(const char *folder, const char *prefix) {
    char *path;
    if (asprintf(&path, "%s/%sXXXXXX", folder, prefix) < 0) memory_exhausted();
    return path;
}

static const char *find_folder(void) {
    const char *folder = getenv("TMPDIR");
    return folder && *folder ? folder : "/tmp";
}

static void sweep_tmp(void) {
    sweep(find_folder(), in_tmp);
}

/* A template there. The first time in this process, sweeps. */
static char *template_in_tmp(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, sweep_tmp);
    return make_template(find_folder(), in_tmp);
}

static bool make_file(struct temporary *t, char *template) {
    sigset_t before;
    *t = (struct temporary){.path = template};
    enter(&before);
    t->fd = mkostemp(template, O_CLOEXEC);
    int error = t->fd < 0 ? errno : 0;
    if (!error) enlist(t);
    leave(&before);
    return !error || forget(t, error);
}

bool temporary_file(struct temporary *t) {
    return make_file(t, template_in_tmp());
}

bool temporary_folder(struct temporary *t) {
    sigset_t before;
    *t = (struct temporary){.path = template_in_tmp(), .fd = -1};
    enter(&before);
    int error = mkdtemp(t->path) ? 0 : errno;
    if (!error) {
        t->fd = open(t->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        enlist(t);
    }
    leave(&before);
    return !error || forget(t, error);
}

bool temporary_beside(struct temporary *t, const char *file) {
    const char *slash = strrchr(file, '/');
    char *folder = memory_check(slash ? strndup(file, (size_t)(slash - file) + 1) : strdup("."));
    sweep(folder, beside);
    char *template = make_template(folder, beside);
    free(folder);
    return make_file(t, template);
}

/* ---- ending ---- */

void temporary_remove(struct temporary *t) {
    if (!t->path) return;
    remove_entry(AT_FDCWD, t->path);
    forget(t, 0);
}

bool temporary_keep(struct temporary *t, const char *path) {
    int error = rename(t->path, path) == 0 ? 0 : errno;
    if (error) unlink(t->path);
    return forget(t, error);
}

void temporary_remove_all(void) {
    sigset_t before;
    enter(&before);
    for (struct temporary *t = all; t; t = t->next)
        remove_entry(AT_FDCWD, t->path);
    all = NULL;
    leave(&before);
}
