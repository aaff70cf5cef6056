#include "cuda/cuda_compile.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/cores.h"
#include "base/memory.h"
#include "base/pool.h"
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
    struct text key;        /* under what it is kept; it ends with the text that is compiled */
    size_t begin;           /* of that text */
    struct cuda_unit *same; /* an earlier one with the same text, NULL: none */
    bool good;              /* it was compiled now, and passed all checks so far: in the end it may be kept */
};

/* Cells that are built together. */
struct cuda_units {
    const char *arch;
    struct cuda_unit *units;
    struct cuda_unit **fresh; /* those that were compiled now */
    int nfresh;
};

static const char *text_of(const struct cuda_unit *u) {
    return u->key.s + u->begin;
}

/* A core takes some cells at a time. The disassembler takes as long to start as it takes for so many kernels. */
enum { TEXTS_TOGETHER = 8, CODES_TOGETHER = 1, CHECKED_TOGETHER = 32 };

static void reject(struct cuda_unit *u) {
    free(u->code->bytes);
    u->code->bytes = NULL;
}

/* ---- their texts ---- */

static void make_texts(void *ctx, int first, int n) {
    const struct cuda_units *all = ctx;
    for (struct cuda_unit *u = all->units + first; u < all->units + first + n; u++) {
        const char *version = nvrtc_version(u->cell->d);
        if (!version) continue;
        text_printf(&u->key, "culitmus %s cubin nvrtc %s %s checked as %s\n", CULITMUS_VERSION, version,
                    all->arch, sass_disassembler() ? "ptx, sass" : "ptx");
        u->begin = u->key.len;
        gen_unit(u->cell->t, u->cell->v, DIALECT_CUDA, &u->key);
    }
}

static int by_key(const void *a, const void *b) {
    const struct cuda_unit *x = *(struct cuda_unit *const *)a, *y = *(struct cuda_unit *const *)b;
    if (x->key.len != y->key.len) return x->key.len < y->key.len ? -1 : 1;
    int order = x->key.len ? memcmp(x->key.s, y->key.s, x->key.len) : 0;
    return order ? order : x < y ? -1 : 1;
}

/* Cells that differ in the placement alone mostly have the same text. */
static void find_same(struct cuda_unit *units, int n) {
    struct cuda_unit **sorted = memory_new((size_t)n, sizeof *sorted), *first = NULL;
    for (int k = 0; k < n; k++)
        sorted[k] = &units[k];
    qsort(sorted, (size_t)n, sizeof *sorted, by_key);
    for (int k = 0; k < n; k++) {
        struct cuda_unit *u = sorted[k];
        if (u->key.len == 0) continue;
        if (first && first->key.len == u->key.len && memcmp(first->key.s, u->key.s, u->key.len) == 0)
            u->same = first;
        else
            first = u;
    }
    free(sorted);
}

/* ---- their code ---- */

static void compile(const char *arch, struct cuda_unit *u) {
    const struct build *c = u->cell;
    struct text ptx = {0};
    if (c->stop && *c->stop) {
        diag_fail(c->d, "interrupted before '%s' was compiled", c->t->name);
        return;
    }
    const struct nvrtc_source source = {.text = text_of(u),
                                        .name = c->t->name,
                                        .arch = arch,
                                        .lines = sass_disassembler() != NULL,
                                        .stop = c->stop};
    u->good = nvrtc_cubin(&source, &ptx, &u->code->bytes, &u->code->size, c->d) &&
              verify_ptx(c->t, c->v, ptx.s, c->d);
    if (!u->good) reject(u);
    text_free(&ptx);
}

static void get_codes(void *ctx, int first, int n) {
    const struct cuda_units *all = ctx;
    for (struct cuda_unit *u = all->units + first; u < all->units + first + n; u++) {
        if (u->key.len == 0 || u->same) continue;
        u->code->kept = cache_get(u->key.s, u->key.len, &u->code->bytes, &u->code->size);
        if (!u->code->kept) compile(all->arch, u);
    }
}

static void warn_unchecked(const struct cuda_unit *u) {
    static atomic_flag warned = ATOMIC_FLAG_INIT;
    if (atomic_flag_test_and_set(&warned)) return;
    diag_warning(u->cell->d, NULL, (struct pos){0},
                 "machine code is not checked, and so not kept: '%s' cannot read it", sass_disassembler());
}

/* Holds what was compiled against the tests where the disassembler can read it. */
static void check_machine_code(void *ctx, int first, int n) {
    const struct cuda_units *all = ctx;
    struct arena *a = arena_open();
    struct cubin_code *codes = arena_array(a, (size_t)n, sizeof *codes);
    struct sass_kernel *kernels = arena_array(a, (size_t)n, sizeof *kernels);
    struct cuda_unit **of = arena_array(a, (size_t)n, sizeof *of);
    int m = 0;
    for (int k = first; k < first + n; k++) {
        struct cuda_unit *u = all->fresh[k];
        u->good = cubin_read(a, u->code->bytes, u->code->size, &codes[m]);
        if (u->good)
            of[m++] = u;
        else
            warn_unchecked(u);
    }
    bool read = m > 0 && sass_read(a, all->arch, codes, m, of[0]->cell->stop, kernels);
    if (m > 0 && !read) warn_unchecked(of[0]);
    for (int k = 0; k < m; k++) {
        const struct build *c = of[k]->cell;
        of[k]->good = read && verify_sass(c->t, c->v, text_of(of[k]), &kernels[k], c->d);
        if (read && !of[k]->good) reject(of[k]);
    }
    arena_close(a);
}

/* As many cells at a time as each core gets, but enough that the disassembler's start is little. */
static void check_fresh(struct cuda_units *all, int n) {
    int share = 0;
    all->fresh = memory_new((size_t)n, sizeof *all->fresh);
    for (int k = 0; k < n; k++)
        if (all->units[k].good) all->fresh[all->nfresh++] = &all->units[k];
    share = (all->nfresh + cores_count() - 1) / cores_count();
    pool_each(all->nfresh, share > CHECKED_TOGETHER ? share : CHECKED_TOGETHER, check_machine_code, all);
    free(all->fresh);
}

/* ---- what becomes of them ---- */

static void give_key(struct cuda_unit *u) {
    u->code->key_len = u->key.len;
    u->code->key = u->key.s;
    u->key = (struct text){0};
}

/* Gives cells what an earlier one with the same text got; when that was an error, tries again, to have it told of the
 * cell. */
static void take_over(void *ctx, int first, int n) {
    const struct cuda_units *all = ctx;
    for (struct cuda_unit *u = all->units + first; u < all->units + first + n; u++) {
        if (!u->same) continue;
        const struct machine_code *code = u->same->code;
        if (!code->bytes) {
            cuda_compile(all->arch, u->cell, 1, u->code);
            continue;
        }
        u->code->size = code->size;
        u->code->bytes = memory_new(1, code->size);
        memcpy(u->code->bytes, code->bytes, code->size);
        if (!code->key) continue;
        give_key(u);
        u->code->kept = true; /* or will be, by the other cell */
    }
}

void cuda_compile(const char *arch, const struct build *cells, int n, struct machine_code *codes) {
    struct cuda_units all = {.arch = arch, .units = memory_new((size_t)n, sizeof *all.units)};
    for (int k = 0; k < n; k++)
        all.units[k] = (struct cuda_unit){.cell = &cells[k], .code = &codes[k]};
    pool_each(n, TEXTS_TOGETHER, make_texts, &all);
    find_same(all.units, n);
    pool_each(n, CODES_TOGETHER, get_codes, &all);
    if (sass_disassembler()) check_fresh(&all, n);
    for (int k = 0; k < n; k++)
        if (all.units[k].good || codes[k].kept) give_key(&all.units[k]);
    pool_each(n, TEXTS_TOGETHER, take_over, &all);
    for (int k = 0; k < n; k++)
        text_free(&all.units[k].key);
    free(all.units);
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
