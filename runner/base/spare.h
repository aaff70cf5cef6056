/* The memory that this process may still take. */
#ifndef CULITMUS_SPARE_H
#define CULITMUS_SPARE_H

#include <stddef.h>

enum spare_limit {
    SPARE_MACHINE, /* the machine's free memory, or what an address can reach */
    SPARE_ULIMIT,
    SPARE_CGROUP,
};

/* Returns how many bytes this process may still allocate: the least that the machine, the process's limits
 * and its control groups leave. *limit says which of these it was. */
size_t spare_memory(enum spare_limit *limit);

/* The same, for tests: the system's files are read below the folder `root` instead of "". */
size_t spare_memory_below(const char *root, enum spare_limit *limit);

#endif
