/* Measures what an empty cache costs, without a GPU: the CPU's time to compile all cells of tests that one GPU runs, in
 * groups as the tool does, and how many different texts are compiled.
 *
 *   bench_compile [-a ARCH] [-n CELLS] [-m FILE] PATH...
 *
 * ARCH is like sm_90 (the newest). CELLS are the most to compile. -m writes a line for each cell: which it is, and a number
 * made of its machine code, by which two builds can be compared. */
#include <dirent.h>
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "check/cubin.h"
#include "compile/nvrtc.h"
#include "cuda/barriers.h"
#include "cuda/cuda_compile.h"
#include "gen/gen.h"
#include "source/read.h"

/* Texts that differ. */
struct text_set {
    const char **texts;
    int n, cap;
};

struct compile_bench {
    const char *arch;
    int most;
    FILE *codes;
    struct arena *arena;
    struct diag d;
    struct build *cells;
    int n, cap;
    struct text_set units, outlines;
};

static void add_text(struct arena *a, struct text_set *set, struct text *text) {
    int k = 0;
    while (k < set->n && strcmp(set->texts[k], text->s) != 0)
        k++;
    if (k == set->cap) {
        int cap = 2 * set->cap + 64;
        set->texts = arena_grow(a, set->texts, (size_t)set->n, (size_t)cap, sizeof *set->texts);
        set->cap = cap;
    }
    if (k == set->n) set->texts[set->n++] = arena_strdup(a, text->s);
    text_free(text);
}

static void add_cell(struct compile_bench *b, const struct test *t, const struct cell *cell) {
    struct text unit = {0}, outline = {0};
    if (b->n == b->most) return;
    if (b->n == b->cap) {
        int cap = 2 * b->cap + 64;
        b->cells = arena_grow(b->arena, b->cells, (size_t)b->n, (size_t)cap, sizeof *b->cells);
        b->cap = cap;
    }
    b->cells[b->n++] = (struct build){.t = t, .cell = cell, .d = &b->d};
    gen_unit(t, cell, DIALECT_CUDA, &unit);
    gen_unit(t, cell, DIALECT_OUTLINE, &outline);
    add_text(b->arena, &b->units, &unit);
    add_text(b->arena, &b->outlines, &outline);
}

/* The cells that one GPU runs. */
static void add_test(struct compile_bench *b, const char *path) {
    struct test *t = test_read(b->arena, path, &b->d);
    int n = 0;
    struct cell *cells = t && !gen_cannot(t) ? test_cells(t, b->arena, &n) : NULL;
    for (int k = 0; k < n; k++) {
        struct seating s = gen_seating(b->arena, t, cells[k].placement);
        if (s.gpus == 1 && !barriers_unfit(t, cells[k].placement, &s)) add_cell(b, t, &cells[k]);
    }
}

static int is_test(const struct dirent *e) {
    const char *dot = strrchr(e->d_name, '.');
    return dot && (strcmp(dot, ".yaml") == 0 || strcmp(dot, ".litmus") == 0);
}

static void add_path(struct compile_bench *b, const char *path) {
    struct dirent **entries;
    int n = scandir(path, &entries, is_test, alphasort);
    if (n < 0) add_test(b, path);
    for (int k = 0; k < n; k++) {
        add_test(b, arena_printf(b->arena, "%s/%s", path, entries[k]->d_name));
        free(entries[k]);
    }
    if (n >= 0) free(entries);
}

static void write_code(const struct compile_bench *b, const struct build *c,
                       const struct machine_code *code) {
    struct arena *a = arena_open();
    struct cubin_code read;
    unsigned long long hash = 0xcbf29ce484222325ull;
    if (code->bytes && cubin_read(a, code->bytes, code->size, &read))
        for (size_t k = 0; k < (size_t)read.n * SASS_BYTES; k++)
            hash = (hash ^ ((const unsigned char *)read.bytes)[k]) * 0x100000001b3ull;
    fprintf(b->codes, "%s %s %s %s %016llx\n", c->t->name, c->cell->placement->name,
            access_name(c->cell->access), c->cell->fence->name, hash);
    arena_close(a);
}

/* As many together as the tool does. Returns how many have machine code. */
static int compile(struct compile_bench *b) {
    int done = 0, together = backend_cuda.together;
    struct machine_code *codes = arena_array(b->arena, (size_t)together, sizeof *codes);
    for (int first = 0; first < b->n; first += together) {
        int n = b->n - first < together ? b->n - first : together;
        memset(codes, 0, (size_t)together * sizeof *codes);
        cuda_compile(b->arch, b->cells + first, n, codes);
        for (int k = 0; k < n; k++) {
            done += codes[k].bytes != NULL;
            if (b->codes) write_code(b, &b->cells[first + k], &codes[k]);
            machine_code_free(&codes[k]);
        }
    }
    nvrtc_close();
    return done;
}

static double cpu_of(int who) {
    struct rusage u;
    getrusage(who, &u);
    return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
           1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

static FILE *open_codes(const char *path) {
    FILE *f = fopen(path, "w");
    if (f) return f;
    fprintf(stderr, "bench_compile: cannot write '%s': %s\n", path, strerror(errno));
    exit(1);
}

int main(int argc, char **argv) {
    if (nvrtc_serve(argc, argv)) return 0;
    struct compile_bench b = {.most = 1 << 30, .arena = arena_open()};
    char folder[] = "/tmp/culitmus-bench-XXXXXX";
    for (int c; (c = getopt(argc, argv, "a:n:m:")) != -1;) {
        switch (c) {
        case 'a': b.arch = optarg; break;
        case 'n': b.most = atoi(optarg); break;
        case 'm': b.codes = open_codes(optarg); break;
        default: return 2;
        }
    }
    if (!b.arch) b.arch = arena_printf(b.arena, "sm_%d", nvrtc_newest(NULL, &b.d));
    for (int k = optind; k < argc; k++)
        add_path(&b, argv[k]);
    if (!mkdtemp(folder)) {
        fprintf(stderr, "bench_compile: cannot make '%s': %s\n", folder, strerror(errno));
        return 1;
    }
    setenv("CULITMUS_CACHE", folder, 1); /* nothing is kept in it: no device loads the code */
    double begin = clock_now(), cpu = cpu_of(RUSAGE_SELF) + cpu_of(RUSAGE_CHILDREN);
    int done = compile(&b);
    double end = clock_now();
    rmdir(folder);
    diag_render(&b.d, stderr, false);
    printf("%d cells, %d texts: %d outlines; %d have machine code for %s\n", b.n, b.units.n, b.outlines.n,
           done, b.arch);
    printf("%.1f CPU s, %.1f s\n", cpu_of(RUSAGE_SELF) + cpu_of(RUSAGE_CHILDREN) - cpu, end - begin);
    if (b.codes) fclose(b.codes);
    diag_free(&b.d);
    arena_close(b.arena);
    return done == b.n ? 0 : 1;
}
