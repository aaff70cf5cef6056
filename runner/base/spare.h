/* The memory that this process may still take. */
#ifndef CULITMUS_SPARE_H
#define CULITMUS_SPARE_H

#include <stddef.h>

enum spare_limit {
    SPARE_MACHINE, /* what the machine has, or an address can say */
    SPARE_ULIMIT,
    SPARE_CGROUP,
};

/* In bytes: the least of what the machine, the process's limits and its control groups leave. `*limit`: which that is. */
size_t spare_memory(enum spare_limit *limit);

/* The same, with the files of the system below `root` instead of "": for tests. */
size_t spare_memory_below(const char *root, enum spare_limit *limit);

#endif
