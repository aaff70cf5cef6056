#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/temporary.h"
#include "base/text.h"
#include "base/write.h"
#include "check/sass.h"
#include "check/verify.h"
#include "cli/choose.h"
#include "cli/suite.h"
#include "cuda/barriers.h"
#include "cuda/cuda_api.h"
#include "cuda/cuda_compile.h"
#include "cuda/nvrtc.h"
#include "gen/gen.h"
#include "litmus/table.h"
#include "model/dot.h"

/* A printer of one cell; returns an exit code. */
typedef int printer(const struct options *o, const struct test *t, const struct cell *v, struct diag *d);

static int put_source(const struct options *o, const struct test *t, const struct cell *v,
                      enum dialect dialect) {
    struct text text = {0};
    if (o->whole)
        gen_unit(t, v, dialect, &text);
    else
        gen_cell(t, v, dialect, &text);
    fputs(text.s, stdout);
    text_free(&text);
    return EXIT_FINE;
}

static int show_cuda(const struct options *o, const struct test *t, const struct cell *v, struct diag *d) {
    (void)d;
    return put_source(o, t, v, DIALECT_CUDA);
}

static int show_c(const struct options *o, const struct test *t, const struct cell *v, struct diag *d) {
    (void)d;
    return put_source(o, t, v, DIALECT_C);
}

static bool nvrtc_knows(const char *arch) {
    struct diag ignored = {0};
    struct text ptx = {0};
    bool knows = nvrtc_ptx("", "nothing", arch, &ptx, &ignored);
    diag_free(&ignored);
    text_free(&ptx);
    return knows;
}

/* There is no machine code of a barrier that only the model knows. */
static bool check_barriers(const struct test *t, const struct cell *v, struct diag *d) {
    struct arena *a = arena_open();
    struct seating seating = gen_seating(a, t, v->placement);
    const char *why = barriers_unfit(t, v->placement, &seating);
    if (why) diag_fail(d, "there is no code for a GPU: %s", why);
    arena_close(a);
    return !why;
}

/* The architecture asked for; "newest", and where none is given, is the newest that NVRTC knows. An exit code. */
static int choose_arch(const struct options *o, const struct test *t, const struct cell *v, char arch[16],
                       struct diag *d) {
    if (!check_barriers(t, v, d) || !nvrtc_api_load(d)) return EXIT_ENVIRONMENT;
    int newest = nvrtc_newest(d);
    if (newest == 0) return EXIT_ENVIRONMENT;
    snprintf(arch, 16, "sm_%d", newest);
    if (o->arch && strcmp(o->arch, "newest") != 0) snprintf(arch, 16, "%s", o->arch);
    if (atoi(arch + 3) > newest)
        diag_fail(d, "NVRTC %s does not compile for %s; the newest it knows is sm_%d", nvrtc_version(d), arch,
                  newest);
    else if (!nvrtc_knows(arch))
        diag_fail(d, "NVRTC %s does not compile for %s", nvrtc_version(d), arch);
    else if (atoi(arch + 3) < 90 && gen_clusters(t, v))
        diag_fail(d, "%s has no clusters, which this cell needs; sm_90 has", arch);
    else
        return EXIT_FINE;
    return EXIT_INPUT;
}

/* Code that NVRTC refuses is our fault, not the environment's. */
static int show_ptx(const struct options *o, const struct test *t, const struct cell *v, struct diag *d) {
    char arch[16];
    struct text source = {0}, ptx = {0};
    int code = choose_arch(o, t, v, arch, d);
    if (code) return code;
    gen_unit(t, v, DIALECT_CUDA, &source);
    bool fine = nvrtc_ptx(source.s, t->name, arch, &ptx, d) && verify_ptx(t, v, ptx.s, d);
    if (fine) fputs(ptx.s, stdout);
    text_free(&source);
    text_free(&ptx);
    return fine ? EXIT_FINE : EXIT_FOUND;
}

/* Runs the CUDA toolkit's disassembler on a file. */
static bool disassemble(const char *path, struct diag *d) {
    struct arena *a = arena_open();
    char *tool = sass_find_tool(a, "cuobjdump"), *argv[] = {tool, (char[]){"-sass"}, (char *)path, NULL};
    pid_t pid;
    int status = -1;
    fflush(stdout);
    if (!tool)
        diag_fail(d, "no disassembler: cuobjdump is neither in PATH nor in the CUDA toolkit's bin folder");
    else if (posix_spawn(&pid, tool, NULL, NULL, argv, environ) != 0 || waitpid(pid, &status, 0) < 0 ||
             status)
        diag_fail(d, "%s could not disassemble what NVRTC made", tool);
    arena_close(a);
    return status == 0;
}

static int show_sass(const struct options *o, const struct test *t, const struct cell *v, struct diag *d) {
    char arch[16];
    struct text path = {0};
    struct machine_code cubin = {0};
    int code = choose_arch(o, t, v, arch, d);
    if (code) return code;
    cuda_compile(arch, &(struct build){.t = t, .v = v, .d = d}, 1, &cubin);
    if (!cubin.bytes) return EXIT_FOUND;
    temporary_name(&path);
    int fd = mkstemp(path.s);
    code = EXIT_ENVIRONMENT;
    if (fd < 0 || !write_all(fd, cubin.bytes, cubin.size))
        diag_fail(d, "cannot write '%s': %s", path.s, strerror(errno));
    else if (disassemble(path.s, d))
        code = EXIT_FINE;
    if (fd >= 0) {
        close(fd);
        unlink(path.s);
    }
    free(cubin.bytes);
    text_free(&path);
    return code;
}

static int show_litmus(const struct options *o, const struct test *t, const struct cell *v, struct diag *d) {
    (void)o;
    struct arena *a = arena_open();
    struct text text = {0};
    const char *why = litmus_write(a, t, v, &text);
    if (why)
        diag_error(d, &t->source, (struct pos){0}, "PTX syntax cannot express this cell: %s", why);
    else
        fputs(text.s, stdout);
    text_free(&text);
    arena_close(a);
    return why ? EXIT_INPUT : EXIT_FINE;
}

static int show_dot(const struct options *o, const struct test *t, const struct cell *v, struct diag *d) {
    struct arena *a = arena_open();
    struct text text = {0};
    struct model_limits limits = {.unroll = (int)o->unroll};
    const struct model *m = choose_model(o, a, t, choose_model_name(o, a, t, "ptx"), d);
    bool fine = m && model_dot(m, t, v, &limits, &text, d);
    if (fine) fputs(text.s, stdout);
    text_free(&text);
    arena_close(a);
    return fine ? EXIT_FINE : EXIT_INPUT;
}

static const struct format {
    const char *name;
    printer *print;
    const char *options; /* those that not every format takes */
} formats[] = {
    {"cuda", show_cuda, "whole"}, {"c", show_c, "whole"},      {"ptx", show_ptx, "arch"},
    {"sass", show_sass, "arch"},  {"litmus", show_litmus, ""}, {"dot", show_dot, "model unroll"},
};

static const struct format *find_format(const char *name) {
    const struct format *f = formats;
    while (strcmp(f->name, name) != 0)
        f++;
    return f;
}

/* 0, or EXIT_USAGE when an option was given with which the format has nothing to do. */
static int check_options(const struct options *o, const struct format *f) {
    const char *const given[] = {o->whole ? "whole" : "", o->arch ? "arch" : "", o->model ? "model" : "",
                                 o->unroll > 0 ? "unroll" : ""};
    for (size_t k = 0; k < sizeof given / sizeof *given; k++)
        if (!strstr(f->options, given[k]))
            return usage_error(o->command, "option '--%s' is not for '--as %s'", given[k], f->name);
    return EXIT_FINE;
}

/* Shows the first cell that the options choose, or all of them. */
static int show_test(const struct options *o, struct arena *a, struct test *t, struct diag *d) {
    struct suite one = {&t, 1};
    int n, code = suite_check_choices(&one, o);
    if (code) return code;
    struct cell *cells = suite_variants(a, t, o, strcmp(o->as, "c") == 0, &n);
    for (int k = 0; k < (o->all_cells ? n : 1) && !code; k++) {
        if (o->all_cells)
            printf("// %s: placement %s, access %s, fence %s\n", t->name, cells[k].placement->name,
                   access_name(cells[k].access), cells[k].fence->name);
        code = find_format(o->as)->print(o, t, &cells[k], d);
    }
    return code;
}

int command_show(const struct options *o) {
    if (!o->as) return usage_error(o->command, "it wants --as cuda, ptx, sass, c, litmus or dot");
    int code = check_options(o, find_format(o->as));
    if (code) return code;
    struct arena *a = arena_open();
    struct diag d = {0};
    struct test *t = suite_find(a, o->args[0], &d);
    code = t ? show_test(o, a, t, &d) : EXIT_INPUT;
    diag_report(&d, code);
    arena_close(a);
    return code;
}
