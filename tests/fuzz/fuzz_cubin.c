/* Reads what libFuzzer invents as a cubin, and uses all that is found there. */
#include <stdlib.h>

#include "check/cubin.h"
#include "input.h"
#include "sample_cubin.h"

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);

/* What is smaller than a cubin becomes one first. libFuzzer would not guess one. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed) {
    const struct sample_cubin sample = sample_cubin();
    if (size < offsetof(struct sample_cubin, names) && most >= sizeof sample && seed % 8) {
        memcpy(data, &sample, sizeof sample);
        size = sizeof sample;
    }
    return LLVMFuzzerMutate(data, size, most);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct arena *a = arena_open();
    struct cubin_code code;
    char *cubin = input_copy(data, size);
    if (cubin_read(a, cubin, size, &code)) {
        size_t bytes = (size_t)code.n * SASS_BYTES;
        const char *begin = code.bytes;
        if (begin < cubin || bytes > size - (size_t)(begin - cubin)) abort();
        for (int i = 0; i < code.n; i++)
            if (code.line[i] < 0) abort();
    }
    arena_close(a);
    free(cubin);
    return 0;
}
