/* Compiles cells of tests and checks that the code is what the tests mean; needs NVRTC, but no device.
 *
 *   compile_cells ARCH[,ARCH...] one|each|all ptx|sass|code|drop PATH...
 *
 * ARCH is like sm_90, or newest, or none. Of several, the tests take one after the other in turn, and the next one that
 * can run them; whose turn is none is not compiled. `one` takes one cell of each test, another one for each test and architecture, and `each` also those that differ from it along one
 * axis: so each placement, access and fence. `sass`: to machine code, which is checked as well; `code`: that too where
 * there is a disassembler; `ptx`: as siblings, whose outline is compiled once. A text that several cells share is
 * compiled once. `drop`: as `sass`, and then each instruction of an operation is dropped in turn, which has to be told.
 * Exits with 77 where there is no NVRTC, or for `sass` and `drop` no disassembler. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/sass.h"
#include "check/verify.h"
#include "compile/nvrtc.h"
#include "compile/nvrtc_api.h"
#include "gen/gen.h"
#include "../ptx_write.h"
#include "source/read.h"

enum { SKIPPED = 77, MAX_CELLS = 10000, MAX_WAITING = 256, MAX_OUTLINES = 100, MAX_ARCHS = 16 };

/* A kernel whose PTX is right, and whose machine code is to be looked at. */
struct waiting {
    const struct test *t;
    const struct cell *cell;
    const char *unit;
    void *cubin;
    struct ways ways; /* the operations that its PTX has */
    struct cubin_code code;
    char arch[16];
};

/* The PTX of an outline. */
struct outline {
    const char *text, *ptx;
};

struct suite {
    struct arena *arena;
    struct diag d;
    char archs[MAX_ARCHS][16];
    int narchs;
    const char *arch; /* of the test at hand */
    int apart;        /* along how many axes a cell may differ from the first one taken */
    bool sass, drops;
    int ndropped, nuntold;       /* instructions */
    const char *seen[MAX_CELLS]; /* texts */
    int nseen, nread, ntests, ncells, failed;
    struct waiting waiting[MAX_WAITING];
    int nwaiting;
    struct outline outlines[MAX_OUTLINES]; /* of the test at hand */
    int noutlines;
};

static bool is_new(struct suite *s, const char *unit) {
    for (int k = 0; k < s->nseen; k++)
        if (strcmp(s->seen[k], unit) == 0) return false;
    if (s->nseen < MAX_CELLS) s->seen[s->nseen++] = arena_strdup(s->arena, unit);
    return true;
}

/* The operation whose line of the unit an instruction has, if it is one that the assembler makes of it; 0: none. */
static int operation_of(const struct waiting *w, const struct sass_instruction *code) {
    const char *s = w->unit;
    for (int line = 1; line < code->line && s; line++)
        s = strchr(s, '\n') ? strchr(s, '\n') + 1 : NULL;
    const char *end = s && code->line ? strchr(s, '\n') : NULL, *mark = end ? strstr(s, "// op ") : NULL;
    int k = mark && mark < end ? atoi(mark + 6) : 0;
    const struct op_row *row = k ? &op_rows[w->t->ops[k].name] : NULL;
    size_t len = strcspn(code->name, ".");
    for (const char *kind = row ? row->machine : NULL; kind && *kind; kind += strspn(kind, " ")) {
        if (strcspn(kind, " ") == len && strncmp(kind, code->name, len) == 0) return k;
        kind += strcspn(kind, " ");
    }
    return 0;
}

/* Drops each instruction of an operation in turn: each is told. */
static void drop_instructions(struct suite *s, const struct waiting *w, struct sass_kernel *kernel) {
    for (int i = 0; i < kernel->n; i++) {
        struct sass_instruction *code = &kernel->code[i], kept = *code;
        struct diag d = {0};
        int k = operation_of(w, code);
        if (k == 0 || strncmp(code->name, "NOP", 3) == 0) continue;
        code->name = "NOP";
        code->guard = "";
        code->line = 0;
        bool told = !verify_sass(w->t, w->cell, w->unit, kernel, &w->ways, &d);
        *code = kept;
        s->ndropped++;
        s->nuntold += !told;
        if (!told)
            fprintf(stderr, "%s (%s, %s, %s): nobody misses %s at %s, of op %d\n", w->t->name,
                    w->cell->placement->name, access_name(w->cell->access), w->cell->fence->name, code->name,
                    code->address, k);
        diag_free(&d);
    }
}

/* Disassembles what waits, and holds it against the tests: one process for all of an architecture. */
static void check_machine_code(struct suite *s) {
    for (int first = 0, n; first < s->nwaiting; first += n) {
        const struct waiting *w = &s->waiting[first];
        struct cubin_code codes[MAX_WAITING];
        struct sass_kernel kernels[MAX_WAITING];
        for (n = 0; first + n < s->nwaiting && strcmp(w[n].arch, w->arch) == 0; n++)
            codes[n] = w[n].code;
        bool read = sass_read(s->arena, w->arch, codes, n, NULL, kernels);
        if (!read) diag_fail(&s->d, "%s: cannot disassemble %d kernels from %s on", w->arch, n, w->t->name);
        for (int k = 0; k < n; k++) {
            s->failed += !read || !verify_sass(w[k].t, w[k].cell, w[k].unit, &kernels[k], &w[k].ways, &s->d);
            if (read && s->drops) drop_instructions(s, &w[k], &kernels[k]);
            free(w[k].cubin);
            ways_free(&s->waiting[first + k].ways);
        }
    }
    s->nwaiting = 0;
}

static int by_arch(const void *a, const void *b) {
    return strcmp(((const struct waiting *)a)->arch, ((const struct waiting *)b)->arch);
}

static void check_waiting(struct suite *s) {
    qsort(s->waiting, (size_t)s->nwaiting, sizeof *s->waiting, by_arch);
    check_machine_code(s);
}

static char *without_blanks(struct suite *s, const char *text) {
    char *out = arena_strdup(s->arena, text), *o = out;
    for (; *text; text++)
        if (!strchr(" \t\n", *text)) *o++ = *text;
    *o = '\0';
    return out;
}

/* Whether PTX is written as it was read, but for blanks. */
static bool check_written(struct suite *s, const char *ptx) {
    struct ptx_code code = ptx_read_text(s->arena, ptx);
    struct text out = {0};
    ptx_write(&out, &code);
    bool same = strcmp(without_blanks(s, ptx), without_blanks(s, out.s)) == 0;
    if (!same) diag_fail(&s->d, "this PTX is not written as it was read:\n%s", ptx);
    text_free(&out);
    return same;
}

/* To machine code, which waits to be looked at. */
static bool compile_code(struct suite *s, const struct test *t, const struct cell *cell, const char *unit) {
    struct text ptx = {0};
    struct waiting w = {.t = t, .cell = cell, .unit = arena_strdup(s->arena, unit)};
    size_t size;
    const struct nvrtc_source source = {
        .text = unit, .name = t->name, .arch = s->arch, .lines = true, .seconds = 600};
    bool fine = nvrtc_cubin(&source, &ptx, &w.cubin, &size, &s->d) &&
                verify_ptx(t, cell, ptx.s, &w.ways, &s->d) && check_written(s, ptx.s) &&
                cubin_read(s->arena, w.cubin, size, &w.code);
    text_free(&ptx);
    if (!fine) {
        free(w.cubin);
        ways_free(&w.ways);
        return false;
    }
    snprintf(w.arch, sizeof w.arch, "%s", s->arch);
    s->waiting[s->nwaiting++] = w;
    if (s->nwaiting == MAX_WAITING) check_waiting(s);
    return true;
}

/* The PTX of an outline of a test; NULL: it is not compiled. */
static const char *outline_ptx(struct suite *s, const struct test *t, const char *text) {
    for (int k = 0; k < s->noutlines; k++)
        if (strcmp(s->outlines[k].text, text) == 0) return s->outlines[k].ptx;
    struct text ptx = {0};
    const struct nvrtc_source source = {.text = text, .name = t->name, .arch = s->arch, .seconds = 600};
    const char *kept = nvrtc_ptx(&source, &ptx, &s->d) ? arena_strdup(s->arena, ptx.s) : NULL;
    text_free(&ptx);
    if (s->noutlines < MAX_OUTLINES)
        s->outlines[s->noutlines++] = (struct outline){arena_strdup(s->arena, text), kept};
    return kept;
}

static bool compile_ptx(struct suite *s, const struct test *t, const struct cell *cell) {
    struct text text = {0}, ptx = {0};
    gen_unit(t, cell, DIALECT_OUTLINE, &text);
    const char *outline = outline_ptx(s, t, text.s);
    bool fine = outline && gen_fill(outline, t, cell, &ptx) && verify_ptx(t, cell, ptx.s, NULL, &s->d) &&
                check_written(s, ptx.s);
    text_free(&text);
    text_free(&ptx);
    return fine;
}

static void compile_cell(struct suite *s, const struct test *t, const struct cell *cell) {
    struct text unit = {0};
    gen_unit(t, cell, DIALECT_CUDA, &unit);
    if (is_new(s, unit.s)) {
        s->ncells++;
        s->failed += !(s->sass ? compile_code(s, t, cell, unit.s) : compile_ptx(s, t, cell));
    }
    text_free(&unit);
}

static int axes_apart(const struct cell *a, const struct cell *b) {
    return (a->placement != b->placement) + (a->access != b->access) + (a->fence != b->fence);
}

/* Whether NVRTC and the architecture have all operations of a cell. */
static bool has_operations(struct suite *s, int arch, const struct test *t, const struct cell *cell) {
    bool narrow = !nvrtc_has_wide_operands(NULL, &s->d);
    for (int k = 1; k <= t->nops; k++)
        if (narrow && t->ops[k].type.bits == 128) return false;
    for (int k = 1; k <= t->nops; k++)
        if (!op_is_had(arch, t->ops[k].name, op_strength(t, cell, &t->ops[k]).order, t->ops[k].type))
            return false;
    return true;
}

/* False when the architecture has no cell of the test. */
static bool compile_cells(struct suite *s, const struct test *t) {
    int n, arch = atoi(s->arch + 3);
    struct cell *cells = test_cells(t, s->arena, &n);
    int begin = (s->nread + arch) % n;
    const struct cell *first = NULL;
    s->noutlines = 0;
    for (int k = 0; k < n; k++) {
        const struct cell *cell = &cells[(begin + k) % n];
        if ((arch < 90 && gen_clusters(t, cell)) || !has_operations(s, arch, t, cell)) continue;
        if (!first) first = cell;
        if (axes_apart(first, cell) <= s->apart) compile_cell(s, t, cell);
    }
    return first != NULL;
}

static void compile_test(struct suite *s, const char *path) {
    struct test *t = test_read(s->arena, path, &s->d);
    if (!t) {
        s->failed++;
        return;
    }
    if (t->uncompiled || gen_cannot(t)) return;
    bool compiled = strcmp(s->archs[s->nread % s->narchs], "none") == 0;
    s->ntests += !compiled;
    for (int k = 0; k < s->narchs && !compiled; k++) {
        s->arch = s->archs[(s->nread + k) % s->narchs];
        compiled = strcmp(s->arch, "none") != 0 && compile_cells(s, t);
    }
    s->nread++;
}

static int by_name(const struct dirent **a, const struct dirent **b) {
    return strcmp((*a)->d_name, (*b)->d_name);
}

static void compile_path(struct suite *s, const char *path) {
    struct dirent **entries;
    int n = scandir(path, &entries, NULL, by_name);
    if (n < 0) {
        compile_test(s, path);
        return;
    }
    for (int k = 0; k < n; k++) {
        const char *name = entries[k]->d_name, *end = strrchr(name, '.');
        if (end && (strcmp(end, ".yaml") == 0 || strcmp(end, ".litmus") == 0))
            compile_test(s, arena_printf(s->arena, "%s/%s", path, name));
        free(entries[k]);
    }
    free(entries);
}

static void name_arch(struct suite *s, const char *name) {
    char *arch = s->archs[s->narchs++];
    if (strcmp(name, "newest") == 0)
        snprintf(arch, sizeof s->archs[0], "sm_%d", nvrtc_newest(NULL, &s->d));
    else
        snprintf(arch, sizeof s->archs[0], "%s", name);
}

int main(int argc, char **argv) {
    static struct suite s;
    if (nvrtc_serve(argc, argv)) return 0;
    if (argc < 5) return 2;
    s.sass = strcmp(argv[3], "ptx") != 0 && sass_disassembler();
    s.drops = strcmp(argv[3], "drop") == 0;
    if (!s.sass && (s.drops || strcmp(argv[3], "sass") == 0)) return SKIPPED;
    if (!nvrtc_api_load(NULL, &s.d)) {
        diag_render(&s.d, stderr, false);
        return SKIPPED;
    }
    s.arena = arena_open();
    for (char *arch = strtok(argv[1], ","); arch && s.narchs < MAX_ARCHS; arch = strtok(NULL, ","))
        name_arch(&s, arch);
    s.apart = strcmp(argv[2], "all") == 0 ? 3 : strcmp(argv[2], "each") == 0 ? 1 : 0;
    for (int k = 4; k < argc; k++)
        compile_path(&s, argv[k]);
    check_waiting(&s);
    diag_render(&s.d, stderr, false);
    for (int k = 0; k < s.narchs; k++)
        printf("%s%s", k ? "," : "", s.archs[k]);
    printf(": %d texts of %d tests compiled, %d failed\n", s.ncells, s.ntests, s.failed);
    if (s.drops) printf("%d instructions dropped, %d not told\n", s.ndropped, s.nuntold);
    diag_free(&s.d);
    arena_close(s.arena);
    return s.failed || s.nuntold || s.ntests == 0;
}
