#include "compile/cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/path.h"
#include "base/text.h"
#include "base/write.h"

/* The head of an entry; the key and the data follow it, and nothing else. */
struct header {
    char magic[16];
    uint64_t key_len, size;
    uint64_t checksum; /* of the fields above, the key and the data */
};
static const char magic[16] = "culitmus cache 1";

static uint64_t hash_bytes(uint64_t h, const void *data, size_t n) {
    const unsigned char *p = data;
    for (size_t i = 0; i < n; i++)
        h = (h ^ p[i]) * 0x100000001b3u; /* FNV-1a */
    return h;
}
static const uint64_t hash_start = 0xcbf29ce484222325u;

static struct header make_header(const char *key, size_t key_len, const void *data, size_t size) {
    struct header h = {.key_len = key_len, .size = size};
    memcpy(h.magic, magic, sizeof magic);
    uint64_t sum = hash_bytes(hash_start, &h, offsetof(struct header, checksum));
    h.checksum = hash_bytes(hash_bytes(sum, key, key_len), data, size);
    return h;
}

/* The folder, without a closing slash. False when the environment names none. */
static bool find_folder(struct text *out) {
    const char *own = getenv("CULITMUS_CACHE"), *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (own && *own)
        text_add(out, own);
    else if (xdg && *xdg == '/')
        text_printf(out, "%s/culitmus", xdg);
    else if (home && *home)
        text_printf(out, "%s/.cache/culitmus", home);
    else
        return false;
    return true;
}

static bool find_entry(const char *key, size_t key_len, struct text *out) {
    if (!find_folder(out)) return false;
    text_printf(out, "/%016llx", (unsigned long long)hash_bytes(hash_start, key, key_len));
    return true;
}

static bool read_all(int fd, void *data, size_t size) {
    for (char *p = data; size > 0;) {
        ssize_t n = read(fd, p, size);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        p += n;
        size -= (size_t)n;
    }
    return true;
}

/* Whether the file belongs to this user and nobody else may write it: its code will be run. */
static bool is_ours(const struct stat *st) {
    return S_ISREG(st->st_mode) && st->st_uid == geteuid() && (st->st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/* ---- how long entries are kept ---- */

/* If the cache is larger than this, entries are removed until it has three quarters of it. */
static const long long most_bytes = 1LL << 30;
/* A larger file is not read: compiled code is smaller by far. */
static const off_t most_an_entry = 64 << 20;
/* A temporary file that is older than this was left by a process that was ended. */
static const time_t an_hour = 3600;

struct cache_entry {
    char name[17]; /* 16 digits */
    long long bytes;
    struct timespec used;
};

static bool is_entry(const char *name) {
    return strlen(name) == 16 && strspn(name, "0123456789abcdef") == 16;
}

static int by_age(const void *x, const void *y) {
    const struct timespec *a = &((const struct cache_entry *)x)->used,
                          *b = &((const struct cache_entry *)y)->used;
    if (a->tv_sec != b->tv_sec) return a->tv_sec < b->tv_sec ? -1 : 1;
    return a->tv_nsec < b->tv_nsec ? -1 : a->tv_nsec > b->tv_nsec;
}

/* Lists all entries, malloc'ed. Removes temporary files that were left behind. */
static struct cache_entry *list_entries(DIR *dir, size_t *n) {
    struct cache_entry *entries = NULL;
    size_t cap = 0;
    struct stat st;
    for (struct dirent *e; (e = readdir(dir));) {
        bool unfinished = strncmp(e->d_name, ".new-", 5) == 0;
        if ((!unfinished && !is_entry(e->d_name)) ||
            fstatat(dirfd(dir), e->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(st.st_mode))
            continue;
        if (unfinished) {
            if (time(NULL) - st.st_mtim.tv_sec > an_hour) unlinkat(dirfd(dir), e->d_name, 0);
            continue;
        }
        if (*n == cap) {
            cap = 2 * cap + 256;
            entries = memory_resize(entries, cap, sizeof *entries);
        }
        entries[*n] = (struct cache_entry){.bytes = st.st_size, .used = st.st_mtim};
        memcpy(entries[(*n)++].name, e->d_name, 17);
    }
    return entries;
}

/* Removes the entries that were used longest ago, if the cache is too large. An entry that another process
 * has removed meanwhile counts as removed. */
static void trim(const char *folder) {
    DIR *dir = opendir(folder);
    if (!dir) return;
    size_t n = 0;
    long long bytes = 0;
    struct cache_entry *entries = list_entries(dir, &n);
    for (size_t i = 0; i < n; i++)
        bytes += entries[i].bytes;
    if (bytes > most_bytes) {
        qsort(entries, n, sizeof *entries, by_age);
        for (size_t i = 0; i < n && bytes > most_bytes / 4 * 3; i++)
            if (unlinkat(dirfd(dir), entries[i].name, 0) == 0 || errno == ENOENT) bytes -= entries[i].bytes;
    }
    free(entries);
    closedir(dir);
}

/* ---- getting and putting ---- */

bool cache_get(const char *key, size_t key_len, void **data, size_t *size) {
    struct text path = {0};
    struct stat st;
    struct header h;
    char *body = NULL;
    bool hit = false;
    int fd = -1;
    if (!find_entry(key, key_len, &path)) goto out;
    fd = open(path.s, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0 || fstat(fd, &st) != 0 || !is_ours(&st)) goto out;
    if ((uint64_t)st.st_size < sizeof h + key_len || !read_all(fd, &h, sizeof h)) goto out;
    if (st.st_size > most_an_entry) goto out;
    size_t rest = (size_t)st.st_size - sizeof h;
    body = malloc(rest + 1); /* a damaged file may be of any size */
    if (!body || !read_all(fd, body, rest) || memcmp(body, key, key_len) != 0) goto out;
    *size = rest - key_len;
    struct header want = make_header(key, key_len, body + key_len, *size);
    if (memcmp(&h, &want, sizeof h) != 0) goto out;
    memmove(body, body + key_len, *size);
    *data = body;
    body = NULL;
    hit = true;
    futimens(fd, NULL); /* marks the entry as used now */
out:
    if (fd >= 0) close(fd);
    free(body);
    text_free(&path);
    return hit;
}

void cache_drop(const char *key, size_t key_len) {
    struct text path = {0};
    if (find_entry(key, key_len, &path)) unlink(path.s);
    text_free(&path);
}

/* Writes the entry under a temporary name, then renames it. On failure nothing is left, and errno says
 * why. */
static bool store(const char *folder, const char *entry, const char *key, size_t key_len, const void *data,
                  size_t size) {
    struct header h = make_header(key, key_len, data, size);
    struct text temporary = {0};
    text_printf(&temporary, "%s/.new-XXXXXX", folder);
    int fd = mkostemp(temporary.s, O_CLOEXEC), error = fd < 0 ? errno : 0;
    if (fd >= 0) {
        bool ok = write_all(fd, &h, sizeof h) && write_all(fd, key, key_len) && write_all(fd, data, size);
        if (!ok) error = errno;
        if (close(fd) != 0 && !error) error = errno;
        if (!error && rename(temporary.s, entry) != 0) error = errno;
        if (error) unlink(temporary.s);
    }
    text_free(&temporary);
    errno = error;
    return error == 0;
}

void cache_put(const char *key, size_t key_len, const void *data, size_t size, struct diag *d) {
    static atomic_flag warned = ATOMIC_FLAG_INIT, trimmed = ATOMIC_FLAG_INIT;
    struct text folder = {0}, entry = {0};
    if (!find_folder(&folder) || !find_entry(key, key_len, &entry)) {
        if (!atomic_flag_test_and_set(&warned))
            diag_warning(
                d, NULL, (struct pos){0},
                "compiled code is not kept: none of CULITMUS_CACHE, XDG_CACHE_HOME and HOME names a folder");
    } else if (!path_make_folders(entry.s, 0700) || !store(folder.s, entry.s, key, key_len, data, size)) {
        int error = errno;
        if (!atomic_flag_test_and_set(&warned))
            diag_warning(d, NULL, (struct pos){0}, "compiled code is not kept: cannot write to '%s': %s",
                         folder.s, strerror(error));
    } else if (!atomic_flag_test_and_set(&trimmed)) {
        trim(folder.s);
    }
    text_free(&folder);
    text_free(&entry);
}
