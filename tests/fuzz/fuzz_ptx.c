/* Reads what libFuzzer invents as PTX, and as nvdisasm's listing of machine code, and holds it against a test. */
#include <stdlib.h>
#include <string.h>

#include "check/listing.h"
#include "check/verify.h"
#include "input.h"
#include "../ptx_write.h"
#include "source/read.h"

static const char test[] =
    "name: t\nmemory: {x: 0, y: 0}\nplacements: [device]\nfences: [device]\nthreads:\n"
    "  T0: |\n    while (load(x, relaxed, device) == 0) { fence(); } store(x, 2, release, device);\n"
    "  T1: |\n    int r = atomicAdd(&y, 1); __syncthreads(); if (r == 0) { x = 1; }\nexists: r == 0\n";

static void check_kernel(struct arena *a, const char *text) {
    struct listed_kernel kernel = listing_read(a, text, "litmus");
    for (int i = 0; i < kernel.n; i++)
        for (int k = 0; k < kernel.code[i].nnext; k++)
            if (kernel.code[i].next[k] < 0 || kernel.code[i].next[k] > kernel.n) abort();
}

static char *rewrite(struct arena *a, const char *text) {
    struct ptx_code code = ptx_read_text(a, text);
    struct text out = {0};
    text_add(&out, "");
    ptx_write(&out, &code);
    return out.s;
}

/* What is written reads as the same statements: it is written again as it is. */
static void check_writing(struct arena *a, const char *text) {
    char *once = rewrite(a, text), *twice = rewrite(a, once);
    if (strcmp(once, twice) != 0) abort();
    free(once);
    free(twice);
}

/* Two kernels of a few instructions each. */
static void check_listing(struct arena *a, const char *text, const struct test *t, const struct cell *cell,
                          struct diag *d) {
    enum { N = 6 };
    struct ways ways = ways_new(4);
    int lines[N] = {0, 1, 2, 3, 4, 5};
    bool in_table[N] = {[3] = true};
    const struct cubin_code codes[2] = {{NULL, N, lines, in_table}, {NULL, N - 1, lines, in_table}};
    struct sass_kernel kernels[2] = {{0}};
    for (int k = 0; k <= 4; k++)
        ways.op[k] = k;
    memset(ways.next, 1, 5 * 5);
    if (sass_parse(a, text, codes, 2, kernels))
        verify_sass(t, cell, "\nA; // op 1\nB; // op 2\nC; // op 3\nD; // op 4\n", &kernels[0], &ways, d);
    ways_free(&ways);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static struct arena *kept;
    static const struct test *t;
    static const struct cell *cells;
    int n;
    struct diag d = {0};
    if (!kept) {
        kept = arena_open();
        t = test_read_text(kept, "t.yaml", test, strlen(test), &d);
        if (!t) abort();
        cells = test_cells(t, kept, &n);
    }
    struct arena *a = arena_open();
    char *text = input_text(data, size);
    check_kernel(a, text);
    check_writing(a, text);
    size_t before = d.errors;
    if (verify_ptx(t, &cells[0], text, NULL, &d) != (d.errors == before)) abort();
    check_listing(a, text, t, &cells[0], &d);
    free(text);
    diag_free(&d);
    arena_close(a);
    return 0;
}
