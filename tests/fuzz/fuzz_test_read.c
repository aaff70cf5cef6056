/* Reads what libFuzzer invents, as YAML and as a PTX table, and renders the messages. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "litmus/table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What is written as a table must be read again. */
static void check_written(struct arena *a, const struct test *t) {
    struct text out = {0};
    struct diag d = {0};
    int n;
    const struct cell *v = test_cells(t, a, &n);
    if (!litmus_write(a, t, &v[n - 1], &out) && !test_read_text(a, "again.litmus", out.s, out.len, &d)) {
        fputs(out.s, stderr);
        diag_render(&d, stderr, false);
        abort();
    }
    diag_free(&d);
    text_free(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0) return 0;
    const char *path = data[0] == 'P' ? "fuzz.litmus" : "fuzz.yaml";
    struct arena *a = arena_open();
    struct diag d = {0};
    const struct test *t = test_read_text(a, path, (const char *)data, size, &d);
    if ((t == NULL) != (d.errors > 0)) abort();
    if (t) check_written(a, t);
    FILE *out = fopen("/dev/null", "w");
    diag_render(&d, out, true);
    fclose(out);
    diag_free(&d);
    arena_close(a);
    return 0;
}
