#include "cuda/cuda_listing.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/helper.h"
#include "base/temporary.h"
#include "base/text.h"
#include "base/write.h"
#include "check/sass.h"
#include "check/verify.h"
#include "compile/nvrtc.h"
#include "compile/nvrtc_api.h"
#include "cuda/barriers.h"
#include "cuda/cuda_compile.h"
#include "cuda/cuda_program.h"
#include "gen/gen.h"

static enum listed list_cuda(const struct test *t, const struct cell *cell, const struct listing_choice *c,
                             FILE *out, struct diag *d) {
    struct text text = {0};
    const char *why = c->standalone ? program_cannot(t, cell) : NULL;
    if (why) {
        diag_fail(d, "%s: %s", t->name, why);
        return LISTING_UNFIT;
    }
    if (!c->standalone) {
        gen_list(t, cell, DIALECT_CUDA, c->whole, out);
        return LISTED;
    }
    program_write(t, cell, c->known, c->nknown, &text);
    fputs(text.s, out);
    text_free(&text);
    return LISTED;
}

static bool nvrtc_knows(const char *arch) {
    struct diag ignored = {0};
    struct text ptx = {0};
    bool knows =
        nvrtc_ptx(&(struct nvrtc_source){.text = "", .name = "nothing", .arch = arch}, &ptx, &ignored);
    diag_free(&ignored);
    text_free(&ptx);
    return knows;
}

/* Refuses a cell with a barrier that only a model knows: it has no machine code. */
static bool check_barriers(const struct test *t, const struct cell *cell, struct diag *d) {
    struct arena *a = arena_open();
    struct seating seating = gen_seating(a, t, cell->placement);
    const char *why = barriers_unfit(t, cell->placement, &seating);
    if (why) diag_fail(d, "there is no code for a GPU: %s", why);
    arena_close(a);
    return !why;
}

/* Chooses the architecture: `asked`, or the newest that NVRTC knows if that is NULL or "newest". */
static enum listed choose_arch(const struct test *t, const struct cell *cell, const char *asked,
                               char arch[16], struct diag *d) {
    if (!check_barriers(t, cell, d) || !nvrtc_api_load(NULL, d)) return LISTING_UNAVAILABLE;
    int newest = nvrtc_newest(NULL, d);
    if (newest == 0) return LISTING_UNAVAILABLE;
    snprintf(arch, 16, "sm_%d", newest);
    if (asked && strcmp(asked, "newest") != 0) snprintf(arch, 16, "%s", asked);
    if (atoi(arch + 3) > newest)
        diag_fail(d, "NVRTC %s does not compile for %s; the newest it knows is sm_%d", nvrtc_version(NULL, d),
                  arch, newest);
    else if (!nvrtc_knows(arch))
        diag_fail(d, "NVRTC %s does not compile for %s", nvrtc_version(NULL, d), arch);
    else if (atoi(arch + 3) < 90 && gen_clusters(t, cell))
        diag_fail(d, "%s has no clusters, which this cell needs; sm_90 has", arch);
    else
        return LISTED;
    return LISTING_UNFIT;
}

static enum listed list_ptx(const struct test *t, const struct cell *cell, const struct listing_choice *c,
                            FILE *out, struct diag *d) {
    char arch[16];
    struct text source = {0}, ptx = {0};
    enum listed listed = choose_arch(t, cell, c->arch, arch, d);
    if (listed != LISTED) return listed;
    gen_unit(t, cell, DIALECT_CUDA, &source);
    bool fine = nvrtc_ptx(&(struct nvrtc_source){.text = source.s, .name = t->name, .arch = arch}, &ptx, d) &&
                verify_ptx(t, cell, ptx.s, NULL, d);
    if (fine) fputs(ptx.s, out);
    text_free(&source);
    text_free(&ptx);
    return fine ? LISTED : LISTING_BROKEN;
}

enum { DISASSEMBLE_SECONDS = 60 }; /* it takes less than one */

/* Runs the CUDA toolkit's disassembler on a file. */
static bool disassemble(const char *path, FILE *out, struct diag *d) {
    struct arena *a = arena_open();
    char *tool = sass_find_tool(a, "cuobjdump"), *argv[] = {tool, (char[]){"-sass"}, (char *)path, NULL};
    const struct helper helper = {
        .argv = argv, .out = fileno(out), .err = STDERR_FILENO, .seconds = DISASSEMBLE_SECONDS};
    fflush(out);
    bool fine = tool && helper_run(&helper) == 0;
    if (!tool)
        diag_fail(d, "no disassembler: cuobjdump is neither in PATH nor in the CUDA toolkit's bin folder");
    else if (!fine)
        diag_fail(d, "%s could not disassemble what NVRTC made", tool);
    arena_close(a);
    return fine;
}

/* If the compiler is too old for the cell, says so. */
static enum listed refuse_code(struct machine_code *code, struct diag *d) {
    bool unfit = code->unfit != NULL;
    if (unfit) diag_fail(d, "%s", code->unfit);
    machine_code_free(code);
    return unfit ? LISTING_UNFIT : LISTING_BROKEN;
}

static enum listed list_sass(const struct test *t, const struct cell *cell, const struct listing_choice *c,
                             FILE *out, struct diag *d) {
    char arch[16];
    struct temporary file;
    struct machine_code cubin = {0};
    enum listed listed = choose_arch(t, cell, c->arch, arch, d);
    if (listed != LISTED) return listed;
    cuda_compile(arch, &(struct build){.t = t, .cell = cell, .d = d}, 1, &cubin);
    if (!cubin.bytes) return refuse_code(&cubin, d);
    bool made = temporary_file(&file);
    listed = LISTING_UNAVAILABLE;
    if (!made || !write_all(file.fd, cubin.bytes, cubin.size))
        diag_fail(d, "cannot write a temporary file: %s", strerror(errno));
    else if (disassemble(file.path, out, d))
        listed = LISTED;
    if (made) temporary_remove(&file);
    machine_code_free(&cubin);
    return listed;
}

const struct listing cuda_listings[] = {{"cuda", "whole standalone profile results", list_cuda},
                                        {"ptx", "arch", list_ptx},
                                        {"sass", "arch", list_sass},
                                        {0}};
