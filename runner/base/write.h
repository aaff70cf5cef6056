/* Writing to a file descriptor. */
#ifndef CULITMUS_WRITE_H
#define CULITMUS_WRITE_H

#include <stdbool.h>
#include <stddef.h>

/* All of it, in as many pieces as it takes. False and errno when that cannot be. */
bool write_all(int fd, const void *data, size_t size);

#endif
