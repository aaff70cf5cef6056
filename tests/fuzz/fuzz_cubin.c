/* Reads what libFuzzer invents as a cubin, and uses all that is found there. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "check/cubin.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct arena *a = arena_open();
    struct cubin_code code;
    if (cubin_read(a, data, size, &code)) {
        size_t bytes = (size_t)code.n * SASS_BYTES;
        const unsigned char *begin = code.bytes;
        if (begin < data || bytes > size - (size_t)(begin - data)) abort();
        for (int i = 0; i < code.n; i++)
            if (code.line[i] < 0) abort();
    }
    arena_close(a);
    return 0;
}
