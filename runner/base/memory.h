/* Memory from the heap, for what lives in no arena; freed with free(). Running out of it ends the process with a
 * message on stderr: no caller could do better. */
#ifndef CULITMUS_MEMORY_H
#define CULITMUS_MEMORY_H

#include <stddef.h>

/* n objects of a size, zeroed; never NULL. */
void *memory_new(size_t n, size_t size);
/* realloc for n objects of a size. New objects are not zeroed. */
void *memory_resize(void *p, size_t n, size_t size);
/* Returns what another function allocated. If that is NULL, there was no memory, and the process ends. */
void *memory_check(void *p);

_Noreturn void memory_exhausted(void);

#endif
