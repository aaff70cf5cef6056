/* Compiles cells in both ways, alone and as siblings, and checks that the machine code is the same; needs NVRTC, but no
 * device.
 *
 *   compile_siblings ARCH EVERY PATH...
 *
 * ARCH is like sm_90, or newest. Of the texts of all cells that have siblings every EVERYth is compiled. Exits with 77
 * where there is no NVRTC. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/cubin.h"
#include "check/verify.h"
#include "compile/nvrtc.h"
#include "compile/nvrtc_api.h"
#include "gen/gen.h"
#include "source/read.h"

enum { SKIPPED = 77, MAX_TEXTS = 10000 };

/* A cell whose text no cell before it has. */
struct sibling {
    const struct test *t;
    const struct cell *cell;
    const char *unit, *outline;
};

struct siblings {
    struct arena *arena;
    struct diag d;
    char arch[16];
    struct sibling cells[MAX_TEXTS];
    int n, compiled, failed, other_ptx;
};

static const char *unit_of(struct arena *a, const struct test *t, const struct cell *cell,
                           enum dialect dialect) {
    struct text text = {0};
    gen_unit(t, cell, dialect, &text);
    const char *unit = arena_strdup(a, text.s);
    text_free(&text);
    return unit;
}

static void add_cell(struct siblings *s, const struct test *t, const struct cell *cell) {
    const char *unit = unit_of(s->arena, t, cell, DIALECT_CUDA);
    for (int k = 0; k < s->n; k++)
        if (strcmp(s->cells[k].unit, unit) == 0) return;
    if (s->n < MAX_TEXTS)
        s->cells[s->n++] = (struct sibling){t, cell, unit, unit_of(s->arena, t, cell, DIALECT_OUTLINE)};
}

static bool has_siblings(const struct siblings *s, const struct sibling *cell) {
    for (int k = 0; k < s->n; k++)
        if (&s->cells[k] != cell && strcmp(s->cells[k].outline, cell->outline) == 0) return true;
    return false;
}

/* Machine code, and the PTX that it was made of. */
struct compiled {
    struct text ptx;
    void *cubin;
    size_t size;
    struct cubin_code code;
};

static bool compile_alone(struct siblings *s, const struct sibling *c, struct compiled *out) {
    const struct nvrtc_source source = {.text = c->unit, .name = c->t->name, .arch = s->arch};
    return nvrtc_cubin(&source, &out->ptx, &out->cubin, &out->size, &s->d) &&
           cubin_read(s->arena, out->cubin, out->size, &out->code);
}

static bool compile_as_sibling(struct siblings *s, const struct sibling *c, struct compiled *out) {
    struct text outline = {0};
    struct nvrtc_source source = {.text = c->outline, .name = c->t->name, .arch = s->arch};
    bool fine = nvrtc_ptx(&source, &outline, &s->d) && gen_fill(outline.s, c->t, c->cell, &out->ptx) &&
                verify_ptx(c->t, c->cell, out->ptx.s, NULL, &s->d);
    source.text = out->ptx.s;
    fine = fine && nvrtc_assemble(&source, &out->cubin, &out->size, &s->d) &&
           cubin_read(s->arena, out->cubin, out->size, &out->code);
    text_free(&outline);
    return fine;
}

static void compare(struct siblings *s, const struct sibling *c) {
    struct compiled alone = {0}, sibling = {0};
    bool fine = compile_alone(s, c, &alone) && compile_as_sibling(s, c, &sibling);
    bool same = fine && alone.code.n == sibling.code.n &&
                memcmp(alone.code.bytes, sibling.code.bytes, (size_t)alone.code.n * SASS_BYTES) == 0;
    if (!same)
        diag_fail(&s->d, "%s (%s, %s, %s): %s", c->t->name, c->cell->placement->name,
                  access_name(c->cell->access), c->cell->fence->name,
                  fine ? "the sibling's machine code differs" : "is not compiled");
    s->compiled++;
    s->failed += !same;
    s->other_ptx += fine && strcmp(alone.ptx.s, sibling.ptx.s) != 0;
    text_free(&alone.ptx);
    text_free(&sibling.ptx);
    free(alone.cubin);
    free(sibling.cubin);
}

static void add_test(struct siblings *s, const char *path) {
    struct test *t = test_read(s->arena, path, &s->d);
    int n = 0, arch = atoi(s->arch + 3);
    const struct cell *cells = t && !gen_cannot(t) ? test_cells(t, s->arena, &n) : NULL;
    for (int k = 0; k < n; k++)
        if (arch >= 90 || !gen_clusters(t, &cells[k])) add_cell(s, t, &cells[k]);
}

static int is_test(const struct dirent *e) {
    const char *dot = strrchr(e->d_name, '.');
    return dot && (strcmp(dot, ".yaml") == 0 || strcmp(dot, ".litmus") == 0);
}

static void add_path(struct siblings *s, const char *path) {
    struct dirent **entries;
    int n = scandir(path, &entries, is_test, alphasort);
    if (n < 0) add_test(s, path);
    for (int k = 0; k < n; k++) {
        add_test(s, arena_printf(s->arena, "%s/%s", path, entries[k]->d_name));
        free(entries[k]);
    }
    if (n >= 0) free(entries);
}

int main(int argc, char **argv) {
    static struct siblings s;
    if (nvrtc_serve(argc, argv)) return 0;
    if (argc < 4) return 2;
    if (!nvrtc_api_load(NULL, &s.d)) {
        diag_render(&s.d, stderr, false);
        return SKIPPED;
    }
    int every = atoi(argv[2]), n = 0;
    s.arena = arena_open();
    snprintf(s.arch, sizeof s.arch, "%s", argv[1]);
    if (strcmp(argv[1], "newest") == 0) snprintf(s.arch, sizeof s.arch, "sm_%d", nvrtc_newest(NULL, &s.d));
    for (int k = 3; k < argc; k++)
        add_path(&s, argv[k]);
    for (int k = 0; k < s.n; k++)
        if (has_siblings(&s, &s.cells[k]) && n++ % every == 0) compare(&s, &s.cells[k]);
    diag_render(&s.d, stderr, false);
    printf("%s: %d texts, %d have siblings; %d compiled, %d failed; the PTX of %d differs\n", s.arch, s.n, n,
           s.compiled, s.failed, s.other_ptx);
    diag_free(&s.d);
    arena_close(s.arena);
    return s.failed || s.compiled == 0;
}
