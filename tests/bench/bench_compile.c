/* Measures what an empty cache costs, without a GPU: how many texts and outlines the cells of tests share, and what NVRTC
 * takes to make PTX of an outline, and machine code of a text's PTX.
 *
 *   bench_compile [-a ARCH] [-e N] [-m FILE] PATH...
 *
 * ARCH is like sm_90 (the newest). -e compiles every Nth text only. -m writes a line for each text that was compiled: its
 * first cell, and a number made of its machine code, by which two builds can be compared. Times are of the CPU. */
#include <dirent.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "check/cubin.h"
#include "cuda/barriers.h"
#include "cuda/nvrtc_call.h"
#include "gen/gen.h"

/* Texts that differ. */
struct text_set {
    const char **texts;
    int n, cap;
};

struct compile_bench {
    const char *arch;
    int every;
    FILE *codes;
    struct arena *arena;
    struct text_set units, outlines;
    int ncells, compiled;
    double ptx, cubin; /* seconds */
};

static double cpu_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool is_new(struct arena *a, struct text_set *set, const char *text) {
    for (int k = 0; k < set->n; k++)
        if (strcmp(set->texts[k], text) == 0) return false;
    if (set->n == set->cap) {
        int cap = 2 * set->cap + 64;
        set->texts = arena_grow(a, set->texts, (size_t)set->n, (size_t)cap, sizeof *set->texts);
        set->cap = cap;
    }
    set->texts[set->n++] = arena_strdup(a, text);
    return true;
}

static void write_code(const struct compile_bench *b, const struct test *t, const struct cell *v,
                       const void *cubin, size_t size) {
    struct arena *a = arena_open();
    struct cubin_code code;
    unsigned long long hash = 0xcbf29ce484222325ull;
    if (cubin_read(a, cubin, size, &code))
        for (size_t k = 0; k < (size_t)code.n * SASS_BYTES; k++)
            hash = (hash ^ ((const unsigned char *)code.bytes)[k]) * 0x100000001b3ull;
    fprintf(b->codes, "%s %s %s %s %016llx\n", t->name, v->placement->name, access_name(v->access),
            v->fence->name, hash);
    arena_close(a);
}

static void compile(struct compile_bench *b, const struct test *t, const struct cell *v,
                    const char *outline) {
    struct nvrtc_source s = {.text = outline, .name = t->name, .arch = b->arch};
    struct diag d = {0};
    struct text of_outline = {0}, ptx = {0};
    void *cubin = NULL;
    size_t size = 0;
    double begin = cpu_now();
    bool ok = nvrtc_call(&s, &of_outline, NULL, NULL, &d) && gen_fill(of_outline.s, t, v, &ptx);
    double middle = cpu_now();
    s.text = ptx.s;
    ok = ok && nvrtc_call_assembler(&s, &cubin, &size, &d);
    double end = cpu_now();
    if (ok) {
        b->ptx += middle - begin;
        b->cubin += end - middle;
        b->compiled++;
        if (b->codes) write_code(b, t, v, cubin, size);
    }
    diag_render(&d, stderr, false);
    diag_free(&d);
    text_free(&of_outline);
    text_free(&ptx);
    free(cubin);
}

static void bench_cell(struct compile_bench *b, const struct test *t, const struct cell *v) {
    struct text unit = {0}, outline = {0};
    b->ncells++;
    gen_unit(t, v, DIALECT_CUDA, &unit);
    gen_unit(t, v, DIALECT_OUTLINE, &outline);
    is_new(b->arena, &b->outlines, outline.s);
    if (is_new(b->arena, &b->units, unit.s) && b->units.n % b->every == 0) compile(b, t, v, outline.s);
    text_free(&unit);
    text_free(&outline);
}

/* The cells that one GPU runs. */
static void bench_test(struct compile_bench *b, const char *path) {
    struct arena *a = arena_open();
    struct diag d = {0};
    struct test *t = test_read(a, path, &d);
    int n = 0;
    struct cell *cells = t && !gen_cannot(t) ? test_cells(t, a, &n) : NULL;
    for (int k = 0; k < n; k++) {
        struct seating s = gen_seating(a, t, cells[k].placement);
        if (s.gpus == 1 && !barriers_unfit(t, cells[k].placement, &s)) bench_cell(b, t, &cells[k]);
    }
    diag_render(&d, stderr, false);
    diag_free(&d);
    arena_close(a);
}

static int is_test(const struct dirent *e) {
    const char *dot = strrchr(e->d_name, '.');
    return dot && (strcmp(dot, ".yaml") == 0 || strcmp(dot, ".litmus") == 0);
}

static void bench_path(struct compile_bench *b, const char *path) {
    struct dirent **entries;
    int n = scandir(path, &entries, is_test, alphasort);
    if (n < 0) bench_test(b, path);
    for (int k = 0; k < n; k++) {
        bench_test(b, arena_printf(b->arena, "%s/%s", path, entries[k]->d_name));
        free(entries[k]);
    }
    if (n >= 0) free(entries);
}

int main(int argc, char **argv) {
    struct compile_bench b = {.every = 1, .arena = arena_open()};
    struct diag d = {0};
    for (int c; (c = getopt(argc, argv, "a:e:m:")) != -1;) {
        switch (c) {
        case 'a': b.arch = optarg; break;
        case 'e': b.every = atoi(optarg) > 0 ? atoi(optarg) : 1; break;
        case 'm': b.codes = fopen(optarg, "w"); break;
        default: return 2;
        }
    }
    if (!b.arch) b.arch = arena_printf(b.arena, "sm_%d", nvrtc_newest(&d));
    diag_render(&d, stderr, false);
    for (int k = optind; k < argc; k++)
        bench_path(&b, argv[k]);
    printf("%d cells, %d texts, %d outlines; %d compiled for %s\n", b.ncells, b.units.n, b.outlines.n,
           b.compiled, b.arch);
    if (b.compiled)
        printf("to PTX %.1f ms each, to machine code %.1f ms each, all %.0f s\n", 1e3 * b.ptx / b.compiled,
               1e3 * b.cubin / b.compiled, (b.ptx * b.outlines.n + b.cubin * b.units.n) / b.compiled);
    if (b.codes) fclose(b.codes);
    arena_close(b.arena);
    return 0;
}
