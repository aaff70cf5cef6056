/* Compiles shipped tests for a package (compile/packaged.h); needs NVRTC and nvdisasm, but no device.
 *
 *   make_code FOLDER ARCH,... PATH...
 *
 * Writes a file for each architecture into the folder, with the code that the NVRTC at hand ($CULITMUS_NVRTC, else the one
 * that is found) makes of each cell, and prints how large it is. All of the code has been held against its test. */
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/pool.h"
#include "check/sass.h"
#include "compile/nvrtc.h"
#include "compile/packaged.h"
#include "cuda/cuda_compile.h"
#include "cuda/cuda_kernel.h"
#include "gen/gen.h"
#include "session/cells.h"

enum { TOGETHER = 256, EXIT_ENVIRONMENT = 4 };

/* A text, and the first cell that has it. */
struct unit {
    const char *text;
    struct build cell;
    struct diag d;
    struct machine_code code;
};

struct work {
    struct arena *arena;
    struct diag d;
    const char *arch;
    struct unit *units;
    int nunits, nunfit, nfailed;
    void *known; /* the texts as a tree */
};

static int by_text(const void *a, const void *b) {
    return strcmp(((const struct unit *)a)->text, ((const struct unit *)b)->text);
}

static void keep_unit(void *unit) {
    (void)unit; /* it lives in an arena */
}

static void add_cell(struct work *w, const struct cuda_traits *traits, const struct test *t,
                     const struct cell *cell) {
    struct text text = {0};
    if (cuda_cannot(traits, t, cell, w->arena)) return;
    gen_unit(t, cell, DIALECT_CUDA, &text);
    struct unit *u = arena_alloc(w->arena, sizeof *u);
    *u = (struct unit){.text = arena_strdup(w->arena, text.s), .cell = {.t = t, .cell = cell}};
    if (*(struct unit **)memory_check(tsearch(u, &w->known, by_text)) == u) {
        w->units = arena_more(w->arena, w->units, (size_t)w->nunits, sizeof *w->units);
        w->units[w->nunits++] = *u;
    }
    text_free(&text);
}

static void list_units(struct work *w, const struct suite *suite) {
    const struct cuda_traits traits = cuda_traits_of(w->arch);
    for (int k = 0; k < suite->n; k++) {
        int n = 0;
        struct cell *cells =
            cells_chosen(w->arena, suite->tests[k], &(struct cell_choices){0}, &backend_cuda, &n);
        for (int i = 0; i < n && !suite->tests[k]->uncompiled; i++)
            add_cell(w, &traits, suite->tests[k], &cells[i]);
    }
}

/* The lines, which the checks have read, are not packed, unless the code without them is another (some of sm_100 is). */
static void compile_plain(void *ctx, int first, int n) {
    const struct work *w = ctx;
    for (struct unit *u = w->units + first; u < w->units + first + n; u++) {
        const struct nvrtc_source source = {.text = u->text, .name = u->cell.t->name, .arch = w->arch};
        struct machine_code plain = {0};
        struct text ptx = {0};
        struct diag ignored = {0};
        if (u->code.bytes && nvrtc_cubin(&source, &ptx, &plain.bytes, &plain.size, &ignored) &&
            cuda_same_code(&plain, &u->code)) {
            free(u->code.bytes);
            u->code.bytes = plain.bytes;
            u->code.size = plain.size;
        } else {
            free(plain.bytes);
        }
        diag_free(&ignored);
        text_free(&ptx);
    }
}

static void compile_units(struct work *w) {
    struct build *cells = arena_array(w->arena, TOGETHER, sizeof *cells);
    struct machine_code *codes = arena_array(w->arena, TOGETHER, sizeof *codes);
    for (int first = 0, n; first < w->nunits; first += n) {
        n = w->nunits - first < TOGETHER ? w->nunits - first : TOGETHER;
        for (int k = 0; k < n; k++) {
            cells[k] = w->units[first + k].cell;
            cells[k].d = &w->units[first + k].d;
            codes[k] = (struct machine_code){0};
        }
        cuda_compile(w->arch, cells, n, codes);
        for (int k = 0; k < n; k++)
            w->units[first + k].code = codes[k];
    }
    pool_each(w->nunits, 1, compile_plain, w);
}

static bool write_units(struct work *w, const char *folder, const char *compiler, struct packaged_code *codes,
                        int *n) {
    for (int k = 0; k < w->nunits; k++) {
        const struct unit *u = &w->units[k];
        w->nunfit += u->code.unfit != NULL;
        w->nfailed += !u->code.bytes && !u->code.unfit;
        if (u->code.bytes) codes[(*n)++] = (struct packaged_code){u->text, u->code.bytes, u->code.size};
    }
    return packaged_write(folder, compiler, w->arch, codes, *n, &w->d);
}

/* The code of all tests for one architecture. */
static bool make_file(const struct suite *suite, const char *folder, const char *arch) {
    struct work w = {.arena = arena_open(), .arch = arch};
    struct compiler_choice compiler = {0};
    int n = 0, size = 0;
    bool ok = backend_cuda.find_compiler(NULL, arch, w.arena, &compiler, &w.d);
    if (ok) {
        list_units(&w, suite);
        compile_units(&w);
        ok = write_units(&w, folder, compiler.name,
                         arena_array(w.arena, (size_t)w.nunits + 1, sizeof(struct packaged_code)), &n);
    }
    for (int k = 0; k < w.nunits; k++) {
        size += w.units[k].code.bytes ? (int)w.units[k].code.size : 0;
        machine_code_free(&w.units[k].code);
        diag_join(&w.d, &w.units[k].d);
    }
    if (ok)
        printf("%s %s: %d texts, %.1f MB of code; %d that it is too old for, %d failed\n", arch,
               compiler.name, n, size / 1e6, w.nunfit, w.nfailed);
    diag_render(&w.d, stderr, false);
    diag_free(&w.d);
    tdestroy(w.known, keep_unit);
    arena_close(w.arena);
    return ok && w.nfailed == 0;
}

int main(int argc, char **argv) {
    if (isolated_serve(backend_cuda.driver, argc, argv)) return 0;
    if (argc < 4) {
        fprintf(stderr, "usage: make_code FOLDER ARCH,... PATH...\n");
        return 2;
    }
    if (!sass_disassembler()) {
        fprintf(stderr, "make_code: no nvdisasm, which reads the machine code that is checked\n");
        return EXIT_ENVIRONMENT;
    }
    struct arena *a = arena_open();
    struct suite suite = {0};
    struct diag d = {0};
    char *save = NULL;
    bool ok = suite_read(a, "litmus", argv + 3, argc - 3, (struct name_filter){0}, &suite, &d);
    diag_render(&d, stderr, false);
    diag_free(&d);
    for (char *arch = strtok_r(argv[2], ",", &save); arch && ok; arch = strtok_r(NULL, ",", &save))
        ok = make_file(&suite, argv[1], arch);
    nvrtc_close();
    arena_close(a);
    return ok ? 0 : EXIT_ENVIRONMENT;
}
