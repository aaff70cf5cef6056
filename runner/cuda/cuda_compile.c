#include "cuda/cuda_compile.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "check/sass.h"
#include "check/verify.h"
#include "cuda/nvrtc.h"
#include "gen/gen.h"
#include "run/cache.h"

/* A cell on its way. */
struct cuda_unit {
    const struct build *cell;
    struct machine_code *code;
    struct text text, key;        /* what is compiled; under what it is kept */
    const struct cuda_unit *same; /* an earlier one with the same text, NULL: none */
    bool good; /* it was compiled now, and passed all checks so far: in the end it may be kept */
};

static void reject(struct cuda_unit *u) {
    free(u->code->bytes);
    u->code->bytes = NULL;
}

static void compile(const char *arch, struct cuda_unit *u) {
    const struct build *c = u->cell;
    struct text ptx = {0};
    if (c->stop && *c->stop) {
        diag_fail(c->d, "interrupted before '%s' was compiled", c->t->name);
        return;
    }
    const struct nvrtc_source source = {.text = u->text.s,
                                        .name = c->t->name,
                                        .arch = arch,
                                        .lines = sass_disassembler() != NULL,
                                        .stop = c->stop};
    u->good = nvrtc_cubin(&source, &ptx, &u->code->bytes, &u->code->size, c->d) &&
              verify_ptx(c->t, c->v, ptx.s, c->d);
    if (!u->good) reject(u);
    text_free(&ptx);
}

/* Cells that differ in the placement alone mostly have the same text. */
static const struct cuda_unit *find_same(const struct cuda_unit *first, const struct cuda_unit *u) {
    for (; first < u; first++)
        if (!first->same && first->key.len == u->key.len && memcmp(first->key.s, u->key.s, u->key.len) == 0)
            return first;
    return NULL;
}

static void get_code(const char *arch, const struct cuda_unit *first, struct cuda_unit *u) {
    const char *version = nvrtc_version(u->cell->d);
    if (!version) return;
    gen_unit(u->cell->t, u->cell->v, DIALECT_CUDA, &u->text);
    text_printf(&u->key, "culitmus %s cubin nvrtc %s %s checked as %s\n", CULITMUS_VERSION, version, arch,
                sass_disassembler() ? "ptx, sass" : "ptx");
    text_add(&u->key, u->text.s);
    u->same = find_same(first, u);
    if (u->same) return;
    u->code->kept = cache_get(u->key.s, u->key.len, &u->code->bytes, &u->code->size);
    if (!u->code->kept) compile(arch, u);
}

static void warn_unchecked(const struct cuda_unit *u) {
    static atomic_flag warned = ATOMIC_FLAG_INIT;
    if (atomic_flag_test_and_set(&warned)) return;
    diag_warning(u->cell->d, NULL, (struct pos){0},
                 "machine code is not checked, and so not kept: '%s' cannot read it", sass_disassembler());
}

/* Holds what was compiled against the tests where the disassembler can read it. */
static void check_machine_code(const char *arch, struct cuda_unit *units, int n) {
    struct arena *a = arena_open();
    struct cubin_code *codes = arena_array(a, (size_t)n, sizeof *codes);
    struct sass_kernel *kernels = arena_array(a, (size_t)n, sizeof *kernels);
    struct cuda_unit **of = arena_array(a, (size_t)n, sizeof *of);
    int m = 0;
    for (int k = 0; k < n; k++) {
        struct cuda_unit *u = &units[k];
        if (!u->good) continue;
        u->good = cubin_read(a, u->code->bytes, u->code->size, &codes[m]);
        if (u->good)
            of[m++] = u;
        else
            warn_unchecked(u);
    }
    bool read = m > 0 && sass_read(a, arch, codes, m, units->cell->stop, kernels);
    if (m > 0 && !read) warn_unchecked(of[0]);
    for (int k = 0; k < m; k++) {
        const struct build *c = of[k]->cell;
        of[k]->good = read && verify_sass(c->t, c->v, of[k]->text.s, &kernels[k], c->d);
        if (read && !of[k]->good) reject(of[k]);
    }
    arena_close(a);
}

static void give_key(struct cuda_unit *u) {
    u->code->key_len = u->key.len;
    u->code->key = u->key.s;
    u->key = (struct text){0};
}

/* What an earlier cell got; when that was an error, tries again, to have it told of this cell. */
static void take_over(const char *arch, struct cuda_unit *u) {
    const struct machine_code *code = u->same->code;
    if (!code->bytes) {
        cuda_compile(arch, u->cell, 1, u->code);
        return;
    }
    u->code->size = code->size;
    u->code->bytes = memory_new(1, code->size);
    memcpy(u->code->bytes, code->bytes, code->size);
    if (!code->key) return;
    give_key(u);
    u->code->kept = true; /* or will be, by the other cell */
}

void cuda_compile(const char *arch, const struct build *cells, int n, struct machine_code *codes) {
    struct cuda_unit *units = memory_new((size_t)n, sizeof *units);
    for (int k = 0; k < n; k++) {
        units[k].cell = &cells[k];
        units[k].code = &codes[k];
        get_code(arch, units, &units[k]);
    }
    if (sass_disassembler()) check_machine_code(arch, units, n);
    for (int k = 0; k < n; k++) {
        struct cuda_unit *u = &units[k];
        if (u->good || u->code->kept) give_key(u);
        if (u->same) take_over(arch, u);
        text_free(&u->text);
        text_free(&u->key);
    }
    free(units);
}

/* ---- the cost of fences ---- */

bool cuda_has_fence(int cc, struct strength fence) {
    bool later = fence.scope == SCOPE_CLUSTER || fence.order == ORDER_ACQUIRE || fence.order == ORDER_RELEASE;
    return cc >= 90 || !later;
}

static bool is_fence_among(const struct strength *fences, int n, struct strength s) {
    for (int k = 0; k < n; k++)
        if (fences[k].order == s.order && fences[k].scope == s.scope) return true;
    return false;
}

bool cuda_compile_costs(const char *arch, const struct fence_cost *costs, int n, const atomic_int *stop,
                        struct machine_code *code, struct diag *d) {
    struct strength *fences = memory_new((size_t)n, sizeof *fences);
    struct text unit = {0}, ptx = {0};
    int nfences = 0, cc = atoi(arch + strlen("sm_"));
    for (int k = 0; k < n; k++)
        if (costs[k].fence.scope != SCOPE_NONE && cuda_has_fence(cc, costs[k].fence) &&
            !is_fence_among(fences, nfences, costs[k].fence))
            fences[nfences++] = costs[k].fence;
    gen_fence_costs(fences, nfences, DIALECT_CUDA, &unit);
    const struct nvrtc_source source = {.text = unit.s, .name = "fence-cost", .arch = arch, .stop = stop};
    bool fine = nvrtc_cubin(&source, &ptx, &code->bytes, &code->size, d);
    text_free(&unit);
    text_free(&ptx);
    free(fences);
    return fine;
}
