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
#include "compile/cache.h"
#include "compile/nvrtc.h"
#include "compile/packaged.h"
#include "gen/gen.h"

/* Cells with the same outline (gen_fill), which is compiled to PTX once. */
struct cuda_family {
    const struct build *first; /* the first of these cells */
    struct text outline, ptx;  /* an empty `ptx`: the outline was not compiled */
};

/* A cell that is being built. */
struct cuda_unit {
    const struct build *cell;
    struct machine_code *code;
    struct text key;            /* the key in the cache, which ends with the cell's text */
    size_t begin;               /* where that text begins in `key` */
    struct cuda_unit *same;     /* an earlier cell with the same key; NULL: none */
    struct text outline;        /* of a cell that must be compiled */
    struct cuda_family *family; /* its PTX is made from this family's; NULL: it is compiled alone */
    struct ways ways;           /* the copies of operations in its PTX */
    bool good; /* it was compiled now and passed all checks so far, so it may be cached in the end */
};

/* Cells that are built together. */
struct cuda_units {
    const char *arch;
    const char
        /* the compiler whose packaged code serves cells that name no compiler; NULL: NVRTC is there */
        *instead;
    struct cuda_unit *units;
    int n;
    struct cuda_unit **missing; /* the cells that must be compiled */
    int nmissing;
    struct cuda_family *families;
    int nfamilies;
    struct cuda_unit **fresh; /* the cells that were compiled now */
    int nfresh;
};

/* Returns the text that the compiler was given. The lines of the machine code refer to it. */
static const char *text_of(const struct cuda_unit *u) {
    return u->family ? u->family->outline.s : u->key.s + u->begin;
}

/* How many cells a core takes at a time. Starting the disassembler takes as long as disassembling so many
 * kernels. */
enum { TEXTS_TOGETHER = 8, CODES_TOGETHER = 1, CHECKED_TOGETHER = 32 };

static void reject(struct cuda_unit *u) {
    free(u->code->bytes);
    u->code->bytes = NULL;
}

/* ---- texts ---- */

static void make_texts(void *ctx, int first, int n) {
    const struct cuda_units *all = ctx;
    for (struct cuda_unit *u = all->units + first; u < all->units + first + n; u++) {
        const struct compiler_choice *c = u->cell->compiler;
        const char *version = c ? c->name : all->instead ? all->instead : nvrtc_version(NULL, u->cell->d);
        if (!version) continue;
        text_printf(&u->key, "culitmus %s cubin nvrtc %s %s checked as %s\n", CULITMUS_VERSION, version,
                    all->arch, sass_disassembler() ? "ptx, sass" : "ptx");
        u->begin = u->key.len;
        gen_unit(u->cell->t, u->cell->cell, DIALECT_CUDA, &u->key);
    }
}

/* A text in a list that is sorted. */
struct cuda_text {
    const struct text *text;
    /* the compiler of an outline; NULL for a key, which names its compiler */
    const struct compiler_choice *compiler;
    int at;
};

static int by_text(const void *a, const void *b) {
    const struct cuda_text *x = a, *y = b;
    if (x->compiler != y->compiler) return x->compiler < y->compiler ? -1 : 1;
    if (x->text->len != y->text->len) return x->text->len < y->text->len ? -1 : 1;
    int order = x->text->len ? memcmp(x->text->s, y->text->s, x->text->len) : 0;
    return order ? order : x->at < y->at ? -1 : 1;
}

/* Sets first[k] to the first text that equals text k. Their `at` are 0 .. n - 1. */
static void find_equal(struct cuda_text *texts, int n, int *first) {
    qsort(texts, (size_t)n, sizeof *texts, by_text);
    for (int k = 0; k < n; k++) {
        const struct text *text = texts[k].text, *before = k ? texts[k - 1].text : NULL;
        bool same = before && texts[k - 1].compiler == texts[k].compiler && before->len == text->len &&
                    memcmp(before->s, text->s, text->len) == 0;
        first[texts[k].at] = same ? first[texts[k - 1].at] : texts[k].at;
    }
}

/* Finds cells with the same key. Most cells that differ only in the placement have. */
static void find_same(struct cuda_units *all) {
    struct cuda_text *texts = memory_new((size_t)all->n, sizeof *texts);
    int *first = memory_new((size_t)all->n, sizeof *first);
    for (int k = 0; k < all->n; k++)
        texts[k] = (struct cuda_text){&all->units[k].key, NULL, k};
    find_equal(texts, all->n, first);
    for (int k = 0; k < all->n; k++)
        if (first[k] != k && all->units[k].key.len) all->units[k].same = &all->units[first[k]];
    free(first);
    free(texts);
}

/* ---- the cache ---- */

static void get_kept(void *ctx, int first, int n) {
    const struct cuda_units *all = ctx;
    for (struct cuda_unit *u = all->units + first; u < all->units + first + n; u++) {
        if (u->key.len == 0 || u->same) continue;
        const char *name = u->cell->compiler ? u->cell->compiler->name : all->instead;
        u->code->kept = cache_get(u->key.s, u->key.len, &u->code->bytes, &u->code->size) ||
                        (name && packaged_get(name, all->arch, text_of(u), &u->code->bytes, &u->code->size));
        if (!u->code->kept) gen_unit(u->cell->t, u->cell->cell, DIALECT_OUTLINE, &u->outline);
    }
}

static void find_missing(struct cuda_units *all) {
    all->missing = memory_new((size_t)all->n, sizeof *all->missing);
    for (int k = 0; k < all->n; k++)
        if (all->units[k].outline.len) all->missing[all->nmissing++] = &all->units[k];
}

/* Whether the cell's compiler is not there, but code that it made beforehand may be. */
static bool is_packaged(const struct cuda_units *all, const struct cuda_unit *u) {
    return u->cell->compiler ? u->cell->compiler->packaged : all->instead != NULL;
}

static const char *find_instead(const char *arch) {
    const char *packaged = packaged_compiler(arch, NULL);
    struct diag ignored = {0};
    if (packaged && nvrtc_version(NULL, &ignored)) packaged = NULL;
    diag_free(&ignored);
    return packaged;
}

/* ---- families ---- */

/* NVRTC has refused to assemble PTX; from then on each cell is compiled alone. */
static atomic_bool refuses_ptx;

/* Puts cells with the same outline into families. A cell without siblings has none. */
static void find_families(struct cuda_units *all) {
    int n = all->nmissing, *first = memory_new((size_t)n + 1, sizeof *first);
    struct cuda_text *texts = memory_new((size_t)n + 1, sizeof *texts);
    all->families = memory_new((size_t)n + 1, sizeof *all->families);
    for (int k = 0; k < n; k++)
        texts[k] = (struct cuda_text){&all->missing[k]->outline, all->missing[k]->cell->compiler, k};
    find_equal(texts, n, first);
    for (int k = 0; k < n && !refuses_ptx && !is_packaged(all, all->missing[k]); k++) {
        struct cuda_unit *elder = all->missing[first[k]];
        if (first[k] == k) continue;
        if (!elder->family) {
            elder->family = &all->families[all->nfamilies++];
            *elder->family = (struct cuda_family){.first = elder->cell, .outline = elder->outline};
            elder->outline = (struct text){0};
        }
        all->missing[k]->family = elder->family;
    }
    free(texts);
    free(first);
}

static struct nvrtc_source source_of(const char *arch, const struct build *c, const char *text) {
    return (struct nvrtc_source){.library = c->compiler ? c->compiler->path : NULL,
                                 .ptxas = c->compiler ? c->compiler->ptxas : NULL,
                                 .text = text,
                                 .name = c->t->name,
                                 .arch = arch,
                                 .lines = sass_disassembler() != NULL,
                                 .stop = c->stop};
}

/* Compiles the outlines. Errors are ignored here: the cells are then compiled alone, and get errors of their
 * own. */
static void compile_outlines(void *ctx, int first, int n) {
    const struct cuda_units *all = ctx;
    for (struct cuda_family *f = all->families + first; f < all->families + first + n; f++) {
        const struct nvrtc_source source = source_of(all->arch, f->first, f->outline.s);
        struct diag ignored = {0};
        if (!f->first->stop || !*f->first->stop) nvrtc_ptx(&source, &f->ptx, &ignored);
        diag_free(&ignored);
    }
}

static bool has_kernel(const void *cubin, size_t size) {
    static const char name[] = ".text.litmus";
    return memmem(cubin, size, name, sizeof name) != NULL;
}

static bool check_ptx(struct cuda_unit *u, const char *ptx) {
    ways_free(&u->ways);
    return verify_ptx(u->cell->t, u->cell->cell, ptx, &u->ways, u->cell->d);
}

/* Makes the PTX of a cell from its family's, and assembles it. False: the cell must be compiled alone. */
static bool compile_in_family(const char *arch, struct cuda_unit *u) {
    const struct build *c = u->cell;
    struct text ptx = {0};
    struct diag ignored = {0};
    bool fine = u->family->ptx.len && !refuses_ptx && gen_fill(u->family->ptx.s, c->t, c->cell, &ptx);
    if (fine) {
        const struct nvrtc_source source = source_of(arch, c, ptx.s);
        fine = nvrtc_assemble(&source, &u->code->bytes, &u->code->size, &ignored) &&
               has_kernel(u->code->bytes, u->code->size);
        if (!fine && !source.ptxas && !(c->stop && *c->stop)) refuses_ptx = true;
    }
    if (fine) u->good = check_ptx(u, ptx.s);
    if (!u->good) reject(u);
    diag_free(&ignored);
    text_free(&ptx);
    return fine;
}

/* ---- machine code ---- */

/* Leaves an error that says why a cell was not compiled. If its compiler is too old for an instruction, that
 * is no error, but makes the cell unfit. */
static void tell_failure(const struct cuda_unit *u, const struct nvrtc_source *s, struct diag *d) {
    struct arena *a = arena_open();
    const char *unfit = nvrtc_too_old(s, d, a);
    if (unfit)
        u->code->unfit = memory_check(strdup(unfit));
    else
        diag_join(u->cell->d, d);
    arena_close(a);
}

static void compile_alone(const char *arch, struct cuda_unit *u) {
    const struct build *c = u->cell;
    struct text ptx = {0};
    struct diag d = {0};
    u->family = NULL;
    const struct nvrtc_source source = source_of(arch, c, text_of(u));
    if (nvrtc_cubin(&source, &ptx, &u->code->bytes, &u->code->size, &d))
        u->good = check_ptx(u, ptx.s);
    else
        tell_failure(u, &source, &d);
    if (!u->good) reject(u);
    diag_free(&d);
    text_free(&ptx);
}

static void make_codes(void *ctx, int first, int n) {
    const struct cuda_units *all = ctx;
    for (int k = first; k < first + n; k++) {
        struct cuda_unit *u = all->missing[k];
        if (u->cell->stop && *u->cell->stop)
            diag_fail(u->cell->d, "interrupted before '%s' was compiled", u->cell->t->name);
        else if (is_packaged(all, u))
            u->code->unfit = memory_check(strdup("the package has no code of it, and there is no NVRTC"));
        else if (!u->family || !compile_in_family(all->arch, u))
            compile_alone(all->arch, u);
    }
}

static void warn_unchecked(const struct cuda_unit *u) {
    static atomic_flag warned = ATOMIC_FLAG_INIT;
    if (atomic_flag_test_and_set(&warned)) return;
    diag_warning(u->cell->d, NULL, (struct pos){0},
                 "machine code is not checked, and so not kept: '%s' cannot read it", sass_disassembler());
}

/* Disassembles what was compiled, and checks it against the tests. */
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
        of[k]->good = read && verify_sass(c->t, c->cell, text_of(of[k]), &kernels[k], &of[k]->ways, c->d);
        if (read && !of[k]->good) reject(of[k]);
    }
    arena_close(a);
}

/* Each core gets an equal share of the cells, but not so few that starting the disassembler takes most of the
 * time. */
static void check_fresh(struct cuda_units *all, int n) {
    int share = 0;
    all->fresh = memory_new((size_t)n, sizeof *all->fresh);
    for (int k = 0; k < n; k++)
        if (all->units[k].good) all->fresh[all->nfresh++] = &all->units[k];
    share = (all->nfresh + cores_count() - 1) / cores_count();
    pool_each(all->nfresh, share > CHECKED_TOGETHER ? share : CHECKED_TOGETHER, check_machine_code, all);
    free(all->fresh);
}

/* ---- results ---- */

static void give_key(struct cuda_unit *u) {
    u->code->key_len = u->key.len;
    u->code->key = u->key.s;
    u->key = (struct text){0};
}

/* Gives each cell with an earlier cell's key a copy of that cell's code. If that cell failed, compiles again,
 * so that the error names this cell. */
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
        u->code->kept = true; /* or the other cell will put it there */
    }
}

static void free_units(struct cuda_units *all) {
    for (int k = 0; k < all->n; k++) {
        text_free(&all->units[k].key);
        text_free(&all->units[k].outline);
        ways_free(&all->units[k].ways);
    }
    for (int k = 0; k < all->nfamilies; k++) {
        text_free(&all->families[k].outline);
        text_free(&all->families[k].ptx);
    }
    free(all->families);
    free(all->missing);
    free(all->units);
}

void cuda_compile(const char *arch, const struct build *cells, int n, struct machine_code *codes) {
    struct cuda_units all = {.arch = arch, .units = memory_new((size_t)n, sizeof *all.units), .n = n};
    all.instead = find_instead(arch);
    for (int k = 0; k < n; k++)
        all.units[k] = (struct cuda_unit){.cell = &cells[k], .code = &codes[k]};
    pool_each(n, TEXTS_TOGETHER, make_texts, &all);
    find_same(&all);
    pool_each(n, CODES_TOGETHER, get_kept, &all);
    find_missing(&all);
    find_families(&all);
    pool_each(all.nfamilies, CODES_TOGETHER, compile_outlines, &all);
    pool_each(all.nmissing, CODES_TOGETHER, make_codes, &all);
    if (sass_disassembler()) check_fresh(&all, n);
    for (int k = 0; k < n; k++)
        if (all.units[k].good || codes[k].kept) give_key(&all.units[k]);
    pool_each(n, TEXTS_TOGETHER, take_over, &all);
    free_units(&all);
}

bool cuda_same_code(const struct machine_code *x, const struct machine_code *y) {
    return cubin_same_code(x->bytes, x->size, y->bytes, y->size);
}

/* ---- the cost of fences ---- */

bool cuda_has_fence(int cc, struct fence fence) {
    bool later = fence.scope == SCOPE_CLUSTER || fence.order == ORDER_ACQUIRE || fence.order == ORDER_RELEASE;
    return cc >= 90 || !later;
}

static bool is_fence_among(const struct fence *fences, int n, struct fence f) {
    for (int k = 0; k < n; k++)
        if (fence_same(fences[k], f)) return true;
    return false;
}

bool cuda_compile_costs(const char *arch, const struct fence_cost *costs, int n, const atomic_int *stop,
                        struct machine_code *code, struct diag *d) {
    struct fence *fences = memory_new((size_t)n, sizeof *fences);
    struct text unit = {0}, ptx = {0};
    int nfences = 0, cc = atoi(arch + strlen("sm_"));
    for (int k = 0; k < n; k++)
        if (costs[k].fence.there && cuda_has_fence(cc, costs[k].fence) &&
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
