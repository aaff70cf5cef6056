#include "memory.h"

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

enum { GUARD = 4096 };

static size_t whole_pages(size_t bytes) {
    return (bytes + GUARD - 1) / GUARD * GUARD;
}

/* The first page keeps the size of all. */
static void *reserve(size_t bytes) {
    size_t all = whole_pages(bytes) + 2 * GUARD;
    char *p = mmap(NULL, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) return NULL;
    mprotect(p + all - GUARD, GUARD, PROT_NONE);
    memcpy(p, &all, sizeof all);
    char *end = p + all - GUARD;
    return memset(end - (bytes + 15) / 16 * 16, 0x5a, bytes);
}

static cu_result release(void *memory) {
    size_t all;
    char *p = (char *)((uintptr_t)memory / GUARD * GUARD) - GUARD;
    memcpy(&all, p, sizeof all);
    return munmap(p, all);
}

cu_result memory_allocate(cu_pointer *p, size_t bytes) {
    *p = (cu_pointer)(uintptr_t)reserve(bytes);
    return *p ? 0 : 2;
}

cu_result memory_free(cu_pointer p) {
    driver_expect_idle("cuMemFree");
    return release((void *)(uintptr_t)p);
}

cu_result memory_free_host(void *p) {
    driver_expect_idle("cuMemFreeHost");
    return release(p);
}

cu_result memory_allocate_host(void **p, size_t bytes, unsigned flags) {
    (void)flags;
    *p = reserve(bytes);
    return *p ? 0 : 2;
}

cu_result memory_find_host(cu_pointer *d, void *p, unsigned flags) {
    (void)flags;
    *d = (cu_pointer)(uintptr_t)p;
    return 0;
}

/* Memory that is put at an address. What has none cannot be read. */
cu_result memory_reserve_range(cu_pointer *p, size_t bytes, size_t alignment, cu_pointer hint,
                               unsigned long long flags) {
    (void)alignment, (void)hint, (void)flags;
    void *range = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    *p = (cu_pointer)(uintptr_t)range;
    return range == MAP_FAILED ? 2 : 0;
}

cu_result memory_free_range(cu_pointer p, size_t bytes) {
    driver_expect_idle("cuMemAddressFree");
    return munmap((void *)(uintptr_t)p, bytes) == 0 ? 0 : 1;
}

cu_result memory_create(cu_memory *memory, size_t bytes, const struct cu_memory_kind *kind,
                        unsigned long long flags) {
    (void)kind, (void)flags;
    *memory = bytes;
    return 0;
}

cu_result memory_release(cu_memory memory) {
    (void)memory;
    return 0;
}

cu_result memory_map(cu_pointer p, size_t bytes, size_t offset, cu_memory memory, unsigned long long flags) {
    (void)p, (void)offset, (void)flags;
    return memory == bytes ? 0 : 1;
}

cu_result memory_unmap(cu_pointer p, size_t bytes) {
    driver_expect_idle("cuMemUnmap");
    return mprotect((void *)(uintptr_t)p, bytes, PROT_NONE) == 0 ? 0 : 1;
}

cu_result memory_set_access(cu_pointer p, size_t bytes, const struct cu_memory_access *access, size_t n) {
    (void)access, (void)n;
    return mprotect((void *)(uintptr_t)p, bytes, PROT_READ | PROT_WRITE) == 0 ? 0 : 1;
}
