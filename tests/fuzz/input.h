/* What a fuzzer invented, as a reader wants it. */
#ifndef CULITMUS_FUZZ_INPUT_H
#define CULITMUS_FUZZ_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Memory of its own, malloc'ed, that ends where the input does, so that AddressSanitizer sees who reads on. */
char *input_copy(const uint8_t *data, size_t size);
/* The same with a NUL, without which a text of C has no end. */
char *input_text(const uint8_t *data, size_t size);
/* The path of a file that holds the input, until the next call. */
const char *input_file(const uint8_t *data, size_t size);

#endif
