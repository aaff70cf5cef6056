/* Memory of the emulated driver: with what nobody wrote in it, and a fault behind it. Ranges of addresses are without. */
#ifndef CULITMUS_EMULATED_MEMORY_H
#define CULITMUS_EMULATED_MEMORY_H

#include "cuda/cuda_api.h"

/* Ends the test when something is still asked for that has not happened. */
void driver_expect_idle(const char *call);

cu_result memory_allocate(cu_pointer *p, size_t bytes);
cu_result memory_free(cu_pointer p);
cu_result memory_free_host(void *p);
cu_result memory_allocate_host(void **p, size_t bytes, unsigned flags);
cu_result memory_find_host(cu_pointer *d, void *p, unsigned flags);
cu_result memory_reserve_range(cu_pointer *p, size_t bytes, size_t alignment, cu_pointer hint,
                               unsigned long long flags);
cu_result memory_free_range(cu_pointer p, size_t bytes);
cu_result memory_create(cu_memory *memory, size_t bytes, const struct cu_memory_kind *kind,
                        unsigned long long flags);
cu_result memory_release(cu_memory memory);
cu_result memory_map(cu_pointer p, size_t bytes, size_t offset, cu_memory memory, unsigned long long flags);
cu_result memory_unmap(cu_pointer p, size_t bytes);
cu_result memory_set_access(cu_pointer p, size_t bytes, const struct cu_memory_access *access, size_t n);

#endif
