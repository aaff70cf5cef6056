/* Reads what libFuzzer invents, as YAML and as a PTX table, and renders the messages. */
#include <stdio.h>
#include <stdlib.h>

#include "gen/gen.h"
#include "input.h"
#include "source/read.h"
#include "source/table.h"

/* What is written as a table must be read again. */
static void check_written(struct arena *a, const struct test *t, const struct cell *cell) {
    struct text out = {0};
    struct diag d = {0};
    if (!litmus_write(a, t, cell, &out) && !test_read_text(a, "again.litmus", out.s, out.len, &d)) {
        fputs(out.s, stderr);
        diag_render(&d, stderr, false);
        abort();
    }
    diag_free(&d);
    text_free(&out);
}

static void use(struct arena *a, const struct test *t) {
    struct text unit = {0};
    int n;
    const struct cell *cells = test_cells(t, a, &n), *last = &cells[n - 1];
    check_written(a, t, last);
    if (!gen_cannot(t)) {
        gen_cell(t, last, DIALECT_CUDA, &unit);
        gen_cell(t, last, DIALECT_C, &unit);
    }
    text_free(&unit);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0) return 0;
    const char *path = data[0] == 'P' ? "fuzz.litmus" : "fuzz.yaml";
    struct arena *a = arena_open();
    struct diag d = {0};
    char *text = input_copy(data, size);
    const struct test *t = test_read_text(a, path, text, size, &d);
    if ((t == NULL) != (d.errors > 0)) abort();
    if (t) use(a, t);
    FILE *out = fopen("/dev/null", "w");
    diag_render(&d, out, true);
    fclose(out);
    diag_free(&d);
    arena_close(a);
    free(text);
    return 0;
}
