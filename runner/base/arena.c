#include "base/arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* With AddressSanitizer what was not asked for is poisoned: the end of a chunk, and a gap after each object. */
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

/* Memory comes in chunks that double in size. `current` is the chunk in use, with the full ones behind it; `spare` are
 * those that a reset keeps. */
struct chunk {
    struct chunk *next;
    size_t size, used;
    alignas(max_align_t) char bytes[];
};

struct arena {
    struct chunk *current, *spare;
    size_t next_size;
};

enum { FIRST_CHUNK = 16 * 1024, LARGEST_CHUNK = 4 * 1024 * 1024 };

struct arena *arena_open(void) {
    struct arena *a = memory_new(1, sizeof *a);
    a->next_size = FIRST_CHUNK;
    return a;
}

static void free_chunks(struct chunk *c) {
    while (c) {
        struct chunk *next = c->next;
        free(c);
        c = next;
    }
}

void arena_close(struct arena *a) {
    if (!a) return;
    free_chunks(a->current);
    free_chunks(a->spare);
    free(a);
}

void arena_reset(struct arena *a) {
    while (a->current) {
        struct chunk *c = a->current;
        a->current = c->next;
        c->used = 0;
        c->next = a->spare;
        a->spare = c;
    }
}

/* The chunk at hand stays that; the others follow it. */
void arena_join(struct arena *a, struct arena *from) {
    struct chunk **end = a->current ? &a->current->next : &a->current, *rest = *end;
    *end = from->current;
    while (*end)
        end = &(*end)->next;
    *end = rest;
    from->current = NULL;
    arena_close(from);
}

/* Makes a chunk with room for `size` bytes the current one. Takes the first spare chunk if it is large enough. */
static void add_chunk(struct arena *a, size_t size) {
    struct chunk *c = a->spare;
    if (c && c->size >= size) {
        a->spare = c->next;
    } else {
        size_t room = size > a->next_size ? size : a->next_size;
        if (a->next_size < LARGEST_CHUNK) a->next_size *= 2;
        c = memory_take(sizeof *c + room);
        c->used = 0;
        c->size = room;
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

/* There is room for the next power of two. */
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
