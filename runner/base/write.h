/* Writing to a file descriptor. */
#ifndef CULITMUS_WRITE_H
#define CULITMUS_WRITE_H

#include <stdbool.h>
#include <stddef.h>

/* Writes all of the data, in several calls if need be. False and errno when it cannot. */
bool write_all(int fd, const void *data, size_t size);

#endif
