/* Reads what libFuzzer invents, as YAML and as a PTX table, and renders the messages. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "test/test.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0) return 0;
    const char *path = data[0] == 'P' ? "fuzz.litmus" : "fuzz.yaml";
    struct arena *a = arena_open();
    struct diag d = {0};
    const struct test *t = test_read_text(a, path, (const char *)data, size, &d);
    if ((t == NULL) != (d.errors > 0)) abort();
    FILE *out = fopen("/dev/null", "w");
    diag_render(&d, out, true);
    fclose(out);
    diag_free(&d);
    arena_close(a);
    return 0;
}
