#include "base/arena.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdalign.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/temporary.h"

/* With AddressSanitizer, memory that nobody asked for is poisoned: the unused end of a chunk, and a gap after
 * each object. */
#ifdef __has_feature
#define ARENA_IS_CHECKED __has_feature(address_sanitizer)
#elif defined __SANITIZE_ADDRESS__
#define ARENA_IS_CHECKED 1
#else
#define ARENA_IS_CHECKED 0
#endif
#if ARENA_IS_CHECKED
#include <sanitizer/asan_interface.h>
enum { GAP = 16 };
#else
#define ASAN_POISON_MEMORY_REGION(p, n)
#define ASAN_UNPOISON_MEMORY_REGION(p, n)
enum { GAP = 0 };
#endif

/* Memory comes in chunks that double in size. `current` is the chunk in use, and the full ones follow it;
 * `spare` is the list of chunks that a reset has emptied. */
struct chunk {
    struct chunk *next;
    size_t size, used;
    char *bytes; /* the bytes that are given out: `own` below, or a piece of the file */
    alignas(max_align_t) char own[];
};

struct arena {
    struct chunk *current, *spare;
    size_t next_size;
    bool large;
    /* the first of the arenas within this one; the next one within the same arena */
    struct arena *within, *next;
};

enum { FIRST_CHUNK = 16 * 1024, LARGEST_CHUNK = 4 * 1024 * 1024 };

/* ---- the file of large arenas ---- */

/* The file has no name. 256 GiB of addresses are mapped to it at once, and it grows within them. A forked
 * process makes a file of its own, because it shares the mapped pages of this one with its parent. */
static struct {
    pthread_mutex_t lock;
    size_t kept; /* bytes of large arenas that lie in ordinary memory */
    pid_t owner; /* the process that made the file, or tried to; 0: none yet */
    int fd;
    char *base; /* NULL: the file could not be made */
    size_t size;
} file = {.lock = PTHREAD_MUTEX_INITIALIZER};

static const uint64_t file_most = (uint64_t)1 << 38;
enum { MOST_KEPT = 128 * 1024 * 1024 };
/* Each piece of the file begins at a multiple of 64 KiB, the largest page size there is, so that its disk
 * space can be given back. */
enum { LARGEST_PAGE = 64 * 1024 };

static void make_file(void) {
    struct temporary made;
    void *base = MAP_FAILED;
    file.owner = getpid();
    file.base = NULL;
    file.size = 0;
    if (SIZE_MAX < file_most || !temporary_file(&made)) return;
    file.fd = fcntl(made.fd, F_DUPFD_CLOEXEC, 0);
    temporary_remove(&made);
    if (file.fd >= 0)
        base = mmap(NULL, (size_t)file_most, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file.fd, 0);
    if (base != MAP_FAILED) file.base = base;
}

/* Returns `size` bytes of the file. NULL: the bytes are to come from ordinary memory, because less than 128
 * MiB of it are in use, or because the file has no room. */
static char *take_from_file(size_t size) {
    char *bytes = NULL;
    size_t room = (size + LARGEST_PAGE - 1) / LARGEST_PAGE * LARGEST_PAGE;
    pthread_mutex_lock(&file.lock);
    bool keep = size <= MOST_KEPT && file.kept <= MOST_KEPT - size;
    if (keep) file.kept += size;
    if (!keep && file.owner != getpid()) make_file();
    if (!keep && file.base && room <= file_most - file.size &&
        posix_fallocate(file.fd, (off_t)file.size, (off_t)room) == 0) {
        bytes = file.base + file.size;
        file.size += room;
    }
    pthread_mutex_unlock(&file.lock);
    return bytes;
}

/* Gives back the disk space of a chunk. A forked process leaves its parent's file alone. */
static void give_to_file(const struct chunk *c) {
    pthread_mutex_lock(&file.lock);
    if (file.owner == getpid() && file.base && c->bytes >= file.base && c->bytes < file.base + file.size)
        madvise(c->bytes, c->size, MADV_REMOVE);
    pthread_mutex_unlock(&file.lock);
}

void arena_forget(void) {
    pthread_mutex_lock(&file.lock);
    if (file.owner == getpid() && file.base && file.size) madvise(file.base, file.size, MADV_DONTNEED);
    pthread_mutex_unlock(&file.lock);
}

/* ---- arenas ---- */

struct arena *arena_open(void) {
    struct arena *a = memory_new(1, sizeof *a);
    a->next_size = FIRST_CHUNK;
    return a;
}

struct arena *arena_open_large(void) {
    struct arena *a = arena_open();
    a->large = true;
    return a;
}

static void free_chunks(struct chunk *c) {
    while (c) {
        struct chunk *next = c->next;
        if (c->bytes != c->own) give_to_file(c);
        free(c);
        c = next;
    }
}

struct arena *arena_within(struct arena *a) {
    struct arena *inner = arena_open();
    inner->next = a->within;
    a->within = inner;
    return inner;
}

static void close_within(struct arena *a) {
    while (a->within) {
        struct arena *inner = a->within;
        a->within = inner->next;
        arena_close(inner);
    }
}

void arena_close(struct arena *a) {
    if (!a) return;
    close_within(a);
    free_chunks(a->current);
    free_chunks(a->spare);
    free(a);
}

void arena_reset(struct arena *a) {
    close_within(a);
    while (a->current) {
        struct chunk *c = a->current;
        a->current = c->next;
        c->used = 0;
        c->next = a->spare;
        a->spare = c;
    }
}

/* The current chunk of `a` stays the current one; the chunks of `from` follow it. */
void arena_join(struct arena *a, struct arena *from) {
    struct chunk **end = a->current ? &a->current->next : &a->current, *rest = *end;
    *end = from->current;
    while (*end)
        end = &(*end)->next;
    *end = rest;
    from->current = NULL;
    struct arena **within = &a->within;
    while (*within)
        within = &(*within)->next;
    *within = from->within;
    from->within = NULL;
    arena_close(from);
}

/* Takes whole pages from the file. Once the arena needs another chunk, the earlier ones are rarely read, so
 * their pages may leave memory. */
static struct chunk *make_chunk(const struct arena *a, size_t room) {
    size_t page = a->large ? (size_t)sysconf(_SC_PAGESIZE) : 1, whole = (room + page - 1) / page * page;
    char *bytes = a->large ? take_from_file(whole) : NULL;
    struct chunk *c = memory_take(sizeof *c + (bytes ? 0 : room));
    *c = (struct chunk){.size = bytes ? whole : room, .bytes = bytes ? bytes : c->own};
    if (bytes) arena_forget();
    return c;
}

/* Makes a chunk with room for `size` bytes the current one. Takes the first spare chunk if it is large
 * enough. */
static void add_chunk(struct arena *a, size_t size) {
    struct chunk *c = a->spare;
    if (c && c->size >= size) {
        a->spare = c->next;
    } else {
        size_t room = size > a->next_size ? size : a->next_size;
        if (a->next_size < LARGEST_CHUNK) a->next_size *= 2;
        c = make_chunk(a, room);
    }
    c->next = a->current;
    a->current = c;
    ASAN_POISON_MEMORY_REGION(c->bytes, c->size);
}

/* Memory that is not zeroed. */
static void *take(struct arena *a, size_t size) {
    size_t align = alignof(max_align_t);
    if (size > PTRDIFF_MAX / 2) memory_exhausted();
    if (size == 0) size = 1;
    size_t room = (size + align - 1) / align * align + GAP;
    if (!a->current || a->current->size - a->current->used < room) add_chunk(a, room);
    void *p = a->current->bytes + a->current->used;
    a->current->used += room;
    ASAN_UNPOISON_MEMORY_REGION(p, size);
    return p;
}

void *arena_alloc(struct arena *a, size_t size) {
    return memset(take(a, size), 0, size);
}

void *arena_array(struct arena *a, size_t n, size_t size) {
    if (size && n > SIZE_MAX / size) memory_exhausted();
    return arena_alloc(a, n * size);
}

void *arena_grow(struct arena *a, const void *old, size_t n, size_t new_n, size_t size) {
    if (size && new_n > SIZE_MAX / size) memory_exhausted();
    char *p = take(a, new_n * size);
    if (n) memcpy(p, old, n * size);
    memset(p + n * size, 0, (new_n - n) * size);
    return p;
}

/* There is always room for the next power of two of objects. */
void *arena_more(struct arena *a, void *old, size_t n, size_t size) {
    return n & (n - 1) ? old : arena_grow(a, old, n, n ? 2 * n : 1, size);
}

char *arena_strdup(struct arena *a, const char *s) {
    return arena_strndup(a, s, strlen(s));
}

char *arena_strndup(struct arena *a, const char *s, size_t n) {
    char *p = take(a, n + 1);
    if (n) memcpy(p, s, n);
    p[n] = '\0';
    return p;
}

char *arena_printf(struct arena *a, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    char *s = arena_vprintf(a, fmt, ap);
    va_end(ap);
    return s;
}

char *arena_vprintf(struct arena *a, const char *fmt, va_list ap) {
    char text[256]; /* long enough for most */
    va_list again;
    va_copy(again, ap);
    int n = vsnprintf(text, sizeof text, fmt, again);
    va_end(again);
    if (n < 0) return arena_strdup(a, "");
    if ((size_t)n < sizeof text) return arena_strndup(a, text, (size_t)n);
    char *s = arena_alloc(a, (size_t)n + 1);
    vsnprintf(s, (size_t)n + 1, fmt, ap);
    return s;
}
