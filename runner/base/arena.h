/* A region allocator: everything that belongs to one test file, or to one candidate execution, is freed together.
 *
 * Memory is zeroed. If there is none left the process ends (memory.h); every other error is returned to the caller. */
#ifndef CULITMUS_ARENA_H
#define CULITMUS_ARENA_H

#include <stdarg.h>
#include <stddef.h>

struct arena;

struct arena *arena_open(void);
/* One for what is kept for long and hardly used, such as the results of a hundred thousand tests: what such arenas have
 * beyond 128 MiB lies in a file in $TMPDIR, as far as the disk has room, from which pages come when they are used. */
struct arena *arena_open_large(void);
/* What large arenas have in a file need not be in memory: it is hardly used again soon. */
void arena_forget(void);
void arena_close(struct arena *a);           /* NULL is fine */
struct arena *arena_within(struct arena *a); /* one that is closed when `a` is closed or reset */
void arena_reset(struct arena *a);           /* forgets everything, keeps the memory for reuse */
void arena_join(struct arena *a,
                struct arena *from); /* what lives in `from` lives in `a` from now on; closes it */

/* Zeroed, aligned for any object; size 0 gives a valid pointer. */
void *arena_alloc(struct arena *a, size_t size);
/* Zeroed array of n objects of the given size. */
void *arena_array(struct arena *a, size_t n, size_t size);
/* A larger copy of an array of `n` objects (the old one stays until the arena closes). */
void *arena_grow(struct arena *a, const void *old, size_t n, size_t new_n, size_t size);
/* An array with room behind its n objects for one more; the same or a larger copy, where this alone makes it grow. */
void *arena_more(struct arena *a, void *old, size_t n, size_t size);
char *arena_strdup(struct arena *a, const char *s);
char *arena_strndup(struct arena *a, const char *s, size_t n);
char *arena_printf(struct arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
char *arena_vprintf(struct arena *a, const char *fmt, va_list ap);

#endif
