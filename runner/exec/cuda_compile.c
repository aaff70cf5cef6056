#include "exec/cuda_compile.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "base/text.h"
#include "exec/cache.h"
#include "exec/nvrtc.h"
#include "exec/sass.h"
#include "exec/verify.h"
#include "gen/gen.h"

/* A cell on its way. */
struct unit {
    const struct build *cell;
    struct code *code;
    struct text text, key; /* what is compiled; under what it is kept */
    bool compiled;         /* now, and so still to be checked and kept */
};

static void reject(struct unit *u) {
    free(u->code->bytes);
    u->code->bytes = NULL;
}

static void compile(const char *arch, struct unit *u) {
    const struct build *c = u->cell;
    struct text ptx = {0};
    u->compiled = nvrtc_cubin(u->text.s, c->t->name, arch, sass_disassembler() != NULL, &ptx, &u->code->bytes,
                              &u->code->size, c->d);
    if (u->compiled && !verify_ptx(c->t, c->v, ptx.s, c->d)) reject(u);
    text_free(&ptx);
}

static void get_code(const char *arch, struct unit *u) {
    const char *version = nvrtc_version(u->cell->d);
    if (!version) return;
    gen_unit(u->cell->t, u->cell->v, DIALECT_CUDA, &u->text);
    text_printf(&u->key, "culitmus %s cubin nvrtc %s %s checked as %s\n%s", CULITMUS_VERSION, version, arch,
                sass_disassembler() ? "ptx, sass" : "ptx", u->text.s);
    if (!cache_get(u->key.s, u->key.len, &u->code->bytes, &u->code->size)) compile(arch, u);
}

/* Holds what was compiled against the tests where the disassembler can read it. */
static void check_machine_code(const char *arch, struct unit *units, int n) {
    static atomic_flag warned = ATOMIC_FLAG_INIT;
    struct arena *a = arena_open();
    struct cubin_code *codes = arena_array(a, (size_t)n, sizeof *codes);
    struct sass_kernel *kernels = arena_array(a, (size_t)n, sizeof *kernels);
    struct unit **of = arena_array(a, (size_t)n, sizeof *of);
    int m = 0;
    bool read = true;
    for (int k = 0; k < n; k++) {
        if (!units[k].compiled || !units[k].code->bytes) continue;
        read = read && cubin_read(a, units[k].code->bytes, units[k].code->size, &codes[m]);
        of[m++] = &units[k];
    }
    if (m > 0 && (!read || !sass_read(a, arch, codes, m, kernels))) {
        if (!atomic_flag_test_and_set(&warned))
            diag_warning(of[0]->cell->d, NULL, (struct pos){0},
                         "machine code is not checked: '%s' cannot read it", sass_disassembler());
        m = 0;
    }
    for (int k = 0; k < m; k++)
        if (!verify_sass(of[k]->cell->t, of[k]->cell->v, of[k]->text.s, &kernels[k], of[k]->cell->d))
            reject(of[k]);
    arena_close(a);
}

void cuda_compile(const char *arch, const struct build *cells, int n, struct code *codes) {
    struct unit *units = calloc((size_t)n, sizeof *units);
    if (!units) abort();
    for (int k = 0; k < n; k++) {
        units[k].cell = &cells[k];
        units[k].code = &codes[k];
        get_code(arch, &units[k]);
    }
    if (sass_disassembler()) check_machine_code(arch, units, n);
    for (int k = 0; k < n; k++) {
        struct unit *u = &units[k];
        if (u->compiled && u->code->bytes)
            cache_put(u->key.s, u->key.len, u->code->bytes, u->code->size, u->cell->d);
        text_free(&u->text);
        text_free(&u->key);
    }
    free(units);
}
