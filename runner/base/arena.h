/* A region allocator: everything that belongs to one test file, or to one candidate execution, is freed
 * together.
 *
 * Memory is zeroed. If there is none left the process ends (memory.h); every other error is returned to the
 * caller. */
#ifndef CULITMUS_ARENA_H
#define CULITMUS_ARENA_H

#include <stdarg.h>
#include <stddef.h>

struct arena;

struct arena *arena_open(void);
/* Opens an arena for data that is kept for long and rarely read, such as the results of a hundred thousand
 * tests. What all large arenas hold beyond 128 MiB lies in a memory-mapped file in $TMPDIR, as long as the
 * disk has room for it. */
struct arena *arena_open_large(void);
/* Lets the system drop the pages of that file from memory, because they will not be read soon. */
void arena_forget(void);
void arena_close(struct arena *a);           /* does nothing for NULL */
struct arena *arena_within(struct arena *a); /* opens an arena that is closed when `a` is closed or reset */
void arena_reset(struct arena *a);           /* frees all objects, and keeps the memory for reuse */
void arena_join(struct arena *a,
                struct arena *from); /* moves all objects of `from` to `a`, and closes `from` */

/* Zeroed, aligned for any object; size 0 gives a valid pointer. */
void *arena_alloc(struct arena *a, size_t size);
/* Zeroed array of n objects of the given size. */
void *arena_array(struct arena *a, size_t n, size_t size);
/* A larger copy of an array of `n` objects (the old one stays until the arena closes). */
void *arena_grow(struct arena *a, const void *old, size_t n, size_t new_n, size_t size);
/* Returns an array of n objects with room for at least one more: `old` if it has that room, else a larger
 * copy. The room doubles whenever n is a power of two, so only this function may make the array grow. */
void *arena_more(struct arena *a, void *old, size_t n, size_t size);
char *arena_strdup(struct arena *a, const char *s);
char *arena_strndup(struct arena *a, const char *s, size_t n);
char *arena_printf(struct arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
char *arena_vprintf(struct arena *a, const char *fmt, va_list ap);

#endif
