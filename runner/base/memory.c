#include "base/memory.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/temporary.h"
#include "base/write.h"

/* Other threads may run this at the same time, and it must not allocate. */
void memory_exhausted(void) {
    static const char message[] = "culitmus: out of memory\n";
    static atomic_flag ending = ATOMIC_FLAG_INIT;
    while (atomic_flag_test_and_set(&ending))
        pause();
    write_all(STDERR_FILENO, message, sizeof message - 1);
    temporary_remove_all();
    _exit(MEMORY_EXIT);
}

void *memory_check(void *p) {
    if (!p) memory_exhausted();
    return p;
}

void *memory_take(size_t size) {
    return memory_check(malloc(size ? size : 1));
}

void *memory_new(size_t n, size_t size) {
    return memory_check(calloc(n ? n : 1, size));
}

void *memory_resize(void *p, size_t n, size_t size) {
    return memory_check(reallocarray(p, n ? n : 1, size));
}

bool memory_provide_stack(size_t *bytes) {
    const rlim_t enough = 2 * MEMORY_STACK; /* most systems give this much without being asked */
    struct rlimit limit;
    pthread_attr_t attr;
    if (getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur < enough) {
        limit.rlim_cur = limit.rlim_max < enough ? limit.rlim_max : enough;
        setrlimit(RLIMIT_STACK, &limit);
        *bytes = (size_t)limit.rlim_cur;
        if (limit.rlim_cur < MEMORY_STACK) return false;
    }
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, enough);
    pthread_setattr_default_np(&attr);
    pthread_attr_destroy(&attr);
    return true;
}
