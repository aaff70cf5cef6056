/* Memory from the heap, for what lives in no arena; freed with free(). Running out of it ends the process with a
 * message on stderr: no caller could do better. */
#ifndef CULITMUS_MEMORY_H
#define CULITMUS_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/* malloc for a library; never NULL. */
void *memory_take(size_t size);
/* n objects of a size, zeroed; never NULL. */
void *memory_new(size_t n, size_t size);
/* realloc for n objects of a size. New objects are not zeroed. */
void *memory_resize(void *p, size_t n, size_t size);
/* Returns what another function allocated. If that is NULL, there was no memory, and the process ends. */
void *memory_check(void *p);

/* Removes the temporary files of this process, and ends it. */
_Noreturn void memory_exhausted(void);

enum { MEMORY_EXIT = 4 }; /* its exit code then: that of a fault of the machine */

/* Gives the stacks of this process, and of its threads from now on, what the deepest recursion needs. False when it may
 * not have that much; *bytes is then what it has. */
enum { MEMORY_STACK = 4 << 20 };
bool memory_provide_stack(size_t *bytes);

#endif
