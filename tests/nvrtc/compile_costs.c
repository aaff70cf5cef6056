/* Compiles the kernels that measure what fences cost for every architecture that NVRTC knows, and checks that between
 * the two readings of the clock there is the fence and nothing else: in the PTX, and in the machine code of two of them
 * where there is a disassembler. Needs no device. Exits with 77 where there is no NVRTC. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check/sass.h"
#include "compile/nvrtc.h"
#include "compile/nvrtc_api.h"
#include "cuda/cuda_compile.h"
#include "gen/gen.h"

enum { SKIPPED = 77, MAX_ARCHS = 64, ORDERS = 2, FENCES = ORDERS * SCOPE_SYS };

static const enum order orders[ORDERS] = {ORDER_SC, ORDER_ACQ_REL};
static struct diag d;
static struct arena *arena;

/* Those that the architecture has. */
static int list_fences(int cc, struct fence *fences) {
    int n = 0;
    for (int k = 0; k < FENCES; k++) {
        struct fence f = fence_of(orders[k / SCOPE_SYS], (enum scope)(SCOPE_CTA + k % SCOPE_SYS));
        if (cuda_has_fence(cc, f)) fences[n++] = f;
    }
    return n;
}

/* From `text` on: the place behind the first line that has the word, or NULL. */
static const char *line_behind(const char *text, const char *word) {
    const char *at = text ? strstr(text, word) : NULL;
    return at ? strchr(at, '\n') : NULL;
}

static bool is_instruction(const char *line) {
    line += strspn(line, " \t");
    return *line && *line != '\n' && strncmp(line, "//", 2) != 0;
}

/* Whether each way through a kernel has, between two readings of the clock, only the fence; an empty one: nothing. */
static bool ptx_is_right(const char *ptx, const char *kernel, const char *fence) {
    const char *at = line_behind(ptx, arena_printf(arena, ".entry %s(", kernel)), *end = at;
    if (!at || !(end = strstr(at, "\n}"))) return false;
    int pairs = 0;
    for (const char *before; (before = line_behind(at, "%clock64;")) && before < end; pairs++) {
        at = line_behind(before, "%clock64;");
        if (!at || at > end) return false;
        int found = 0, all = 0;
        for (const char *line = before + 1;
             line < at && !strstr(arena_strndup(arena, line, strcspn(line, "\n")), "%clock64;");
             line = strchr(line, '\n') + 1) {
            all += is_instruction(line);
            found += *fence && strncmp(line + strspn(line, " \t"), fence, strlen(fence)) == 0;
        }
        if (all != found || found != (*fence != '\0')) return false;
    }
    return pairs > 0;
}

static bool check_ptx(const char *ptx, const char *arch, const char *kernel, const char *fence) {
    if (ptx_is_right(ptx, kernel, fence)) return true;
    diag_fail(&d, "%s: %s has not just '%s' between two readings of the clock:\n%s", arch, kernel, fence,
              ptx);
    return false;
}

/* Whether between the two readings of the clock in a kernel's machine code there is this fence, no other, and no access;
 * an empty one: none. */
static bool sass_is_right(const char *listing, const char *kernel, const char *fence) {
    const char *at = line_behind(listing, arena_printf(arena, "\n.text.%s:\n", kernel));
    const char *before = line_behind(at, "SR_CLOCK"), *end = before ? strstr(before, "SR_CLOCK") : NULL;
    if (!end) return false;
    const char *between = arena_strndup(arena, before, (size_t)(end - before)),
               *found = strstr(between, "MEMBAR");
    if (strstr(between, "LDG") || strstr(between, "STG") || strstr(between, ".section")) return false;
    if (!*fence) return !found;
    return found && strncmp(found, fence, strlen(fence)) == 0 && !strstr(found + 1, "MEMBAR");
}

static char *disassemble(const void *cubin, size_t size) {
    char path[] = "/tmp/culitmus-cost-XXXXXX";
    struct text listing = {0};
    char part[4096];
    FILE *f = fdopen(mkstemp(path), "w");
    bool saved = f && fwrite(cubin, 1, size, f) == size;
    if (f && fclose(f) != 0) saved = false;
    FILE *pipe = saved ? popen(arena_printf(arena, "'%s' -c %s", sass_disassembler(), path), "r") : NULL;
    for (size_t n; pipe && (n = fread(part, 1, sizeof part, pipe)) > 0;)
        text_add_n(&listing, part, n);
    if (!pipe || pclose(pipe) != 0) diag_fail(&d, "cannot disassemble");
    unlink(path);
    char *text = arena_strdup(arena, listing.s ? listing.s : "");
    text_free(&listing);
    return text;
}

static void check_machine_code(const void *cubin, size_t size, const char *arch, const struct fence *fences,
                               int n) {
    bool looked_at = strcmp(arch, "sm_75") == 0 || strcmp(arch, "sm_90") == 0;
    if (!sass_disassembler() || !looked_at) return;
    const char *listing = disassemble(cubin, size);
    if (!sass_is_right(listing, "cost_none", "")) diag_fail(&d, "%s: machine code of cost_none", arch);
    for (int k = 0; k < n; k++) {
        const char *kernel = gen_fence_cost_name(arena, fences[k]);
        if (!sass_is_right(listing, kernel, fences[k].order == ORDER_SC ? "MEMBAR.SC." : "MEMBAR.ALL."))
            diag_fail(&d, "%s: machine code of %s", arch, kernel);
    }
}

static void check_arch(int cc) {
    struct fence fences[FENCES];
    struct text unit = {0}, ptx = {0};
    char arch[16];
    void *cubin;
    size_t size;
    int n = list_fences(cc, fences);
    snprintf(arch, sizeof arch, "sm_%d", cc);
    gen_fence_costs(fences, n, DIALECT_CUDA, &unit);
    const struct nvrtc_source source = {.text = unit.s, .name = "fence-cost", .arch = arch, .seconds = 600};
    if (nvrtc_cubin(&source, &ptx, &cubin, &size, &d)) {
        check_ptx(ptx.s, arch, "cost_none", "");
        for (int k = 0; k < n; k++)
            check_ptx(
                ptx.s, arch, gen_fence_cost_name(arena, fences[k]),
                arena_printf(arena, "fence.%s.%s;", order_name(fences[k].order), scope_ptx(fences[k].scope)));
        check_machine_code(cubin, size, arch, fences, n);
        free(cubin);
    }
    text_free(&unit);
    text_free(&ptx);
}

int main(int argc, char **argv) {
    if (nvrtc_serve(argc, argv)) return 0;
    int archs[MAX_ARCHS], n = 0;
    const struct nvrtc_api *api = nvrtc_api_load(NULL, &d);
    if (!api) {
        diag_render(&d, stderr, false);
        return SKIPPED;
    }
    arena = arena_open();
    if (api->nvrtcGetNumSupportedArchs(&n) || n > MAX_ARCHS || api->nvrtcGetSupportedArchs(archs))
        diag_fail(&d, "NVRTC does not say its architectures");
    for (int k = 0; k < n && !d.errors; k++)
        check_arch(archs[k]);
    diag_render(&d, stderr, false);
    printf("%d architectures, %zu failed\n", n, d.errors);
    bool failed = d.errors > 0;
    diag_free(&d);
    arena_close(arena);
    return failed || n == 0;
}
