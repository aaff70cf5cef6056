#include "compile/compile.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/path.h"
#include "base/source.h"
#include "compile/job.h"
#include "compile/nvrtc.h"

/* The state of one compilation. */
struct compilation {
    struct arena *arena;
    const struct compile_request *request;
    struct compile_result *result;
    struct diag *diag;
    struct trust trust;
    const char *nvcc;    /* NULL: NVRTC compiles */
    const char *toolkit; /* a program in the toolkit whose headers are used */
    const char *folder;  /* the test's folder, as its path has it */
    const char *real;    /* the real path of the source */
    struct compile_job job;
    struct compile_output output;
};

static bool refuse(struct compilation *c, const struct compile_word *word, const char *message) {
    diag_error(c->diag, c->request->test, word->pos, "%s", message);
    return false;
}
#define REFUSE(c, word, ...) refuse(c, word, arena_printf((c)->arena, __VA_ARGS__))

/* ---- what the test says ---- */

static bool find_source(struct compilation *c) {
    const struct compile_word *source = &c->request->source;
    const char *path =
        *source->text == '/' ? source->text : arena_printf(c->arena, "%s%s", c->folder, source->text);
    struct stat st;
    char *real = realpath(path, NULL);
    c->real = real ? arena_strdup(c->arena, real) : NULL;
    free(real);
    c->job.path = path;
    if (c->real && !trust_allows(&c->trust, c->real))
        return REFUSE(c, source,
                      "'%s' is not beside or below the test: only with --trust-source may a test have such a "
                      "file compiled",
                      source->text);
    if (!c->real || stat(c->real, &st) != 0) return REFUSE(c, source, "there is no file '%s'", path);
    if (!S_ISREG(st.st_mode)) return REFUSE(c, source, "'%s' is no file", path);
    return strpbrk(c->real, "\"\\\n") ? REFUSE(c, source, "a path with a quote or a backslash") : true;
}

/* nvcc hands its arguments to a shell. */
static bool is_plain_path(const char *path) {
    for (; *path; path++)
        if (!isalnum((unsigned char)*path) && !strchr("/._+-,@=~:%^", *path)) return false;
    return true;
}

static bool add_folder(struct compilation *c, const char **folders, const char *path,
                       const struct compile_word *word) {
    char *real = realpath(path, NULL);
    const char *folder = real ? arena_strdup(c->arena, real) : NULL;
    free(real);
    if (!folder) return REFUSE(c, word, "there is no folder '%s'", path);
    if (!trust_allows(&c->trust, folder))
        return REFUSE(
            c, word,
            "the folder '%s' is not below the test's, and none of -I: only with --trust-source may a "
            "test have such files compiled",
            word->text);
    if (!is_plain_path(folder)) return REFUSE(c, word, "a folder of headers whose path nvcc cannot be given");
    folders[c->job.nfolders++] = folder;
    return true;
}

static bool find_folders(struct compilation *c) {
    const struct compile_request *r = c->request;
    const char **folders = arena_array(
        c->arena, (size_t)(r->nincludes + c->trust.ngiven + c->trust.ntoolkit) + 1, sizeof *folders);
    c->job.folders = folders;
    if (c->trust.missing)
        return REFUSE(c, &r->source, "there is no folder '%s', which -I names", c->trust.missing);
    for (int i = 0; i < r->nincludes; i++) {
        const char *text = r->includes[i].text;
        const char *path = *text == '/' ? text : arena_printf(c->arena, "%s%s", c->folder, text);
        if (!add_folder(c, folders, path, &r->includes[i])) return false;
    }
    for (int i = 0; i < c->trust.ngiven; i++)
        if (!add_folder(c, folders, c->trust.given[i], &r->source)) return false;
    for (int i = 0; !c->nvcc && i < c->trust.ntoolkit; i++)
        folders[c->job.nfolders++] = c->trust.compiler[i];
    return true;
}

static bool check_arch(struct compilation *c) {
    const char *arch = c->request->arch.text ? c->request->arch.text : "sm_90";
    size_t digits = strncmp(arch, "sm_", 3) == 0 ? strspn(arch + 3, "0123456789") : 0;
    const char *rest = arch + 3 + digits;
    c->job.arch = arch;
    if (digits >= 2 && (!*rest || strcmp(rest, "a") == 0 || strcmp(rest, "f") == 0)) return true;
    return REFUSE(c, &c->request->arch, "'%s' is no architecture: it is as sm_90", arch);
}

static bool check_std(struct compilation *c) {
    const char *std = c->request->std.text ? c->request->std.text : "c++17";
    c->job.std = std;
    if (strcmp(std, "c++17") == 0 || strcmp(std, "c++20") == 0) return true;
    return REFUSE(c, &c->request->std, "'%s' is no C++ of a source: it is c++17 or c++20", std);
}

/* ---- the text that includes the source ---- */

static bool add_define(struct compilation *c, struct text *text, const struct compile_word *word) {
    size_t name = 0;
    while (isalnum((unsigned char)word->text[name]) || word->text[name] == '_')
        name++;
    bool fine = name > 0 && !isdigit((unsigned char)*word->text) && !strpbrk(word->text, "\n\\") &&
                (word->text[name] == '=' || !word->text[name]);
    if (!fine) return REFUSE(c, word, "'%s' is no macro: it is NAME or NAME=VALUE", word->text);
    text_printf(text, "#define %.*s %s\n", (int)name, word->text,
                word->text[name] ? word->text + name + 1 : "1");
    return true;
}

/* Writes "f(int *)" as an expression: the overload of f with these parameters. */
static const char *spell_kernel(struct arena *a, const char *kernel) {
    const char *open = strchr(kernel, '(');
    if (!open || !open[1] || kernel[strlen(kernel) - 1] != ')') return kernel;
    return arena_printf(a, "(void (*)%s)%.*s", open, (int)(open - kernel), kernel);
}

static bool has_own_name(const char *kernel) {
    return kernel && strncmp(kernel, "_Z", 2) != 0;
}

/* Makes the text for one kernel; with NULL, for all kernels of the source. */
static bool make_text(struct compilation *c, const char *kernel) {
    const struct compile_request *r = c->request;
    struct text text = {0};
    bool ok = true;
    text_add(&text,
             "#define CULITMUS_FENCE(name) asm volatile(\"// culitmus fence \" #name ::: \"memory\")\n");
    for (int i = 0; i < r->ndefines; i++)
        ok = add_define(c, &text, &r->defines[i]) && ok;
    text_printf(&text, "#include \"%s\"\n", c->real);
    if (kernel && strpbrk(kernel, "\"'\\\n#;{}"))
        ok = REFUSE(c, &r->kernel, "'%s' is no name of a kernel", kernel);
    else if (has_own_name(kernel))
        text_printf(&text,
                    c->nvcc ? "__device__ const void *" JOB_ENTRY " = (const void *)(%s);\n"
                            : "extern \"C\" __global__ void " JOB_ENTRY
                              "(const void **p) { *p = (const void *)(%s); }\n",
                    spell_kernel(c->arena, kernel));
    c->job.text = arena_strdup(c->arena, text.s);
    text_free(&text);
    return ok;
}

/* ---- what the compiler says ---- */

/* Checks that each file that was read may be read. */
static bool check_files(struct compilation *c) {
    for (int i = 0; i < c->output.nfiles; i++)
        if (!trust_allows(&c->trust, c->output.files[i]))
            return REFUSE(
                c, &c->request->source,
                "'%s' includes '%s', which is not beside or below the test, not of the compiler, and not "
                "below a folder of -I: only with --trust-source may a test have such a file compiled",
                c->request->source.text, c->output.files[i]);
    return true;
}

/* Returns the place of an error in a line of a file: where the log says, if the log quotes the line
 * unchanged; else the line's first word. */
static struct pos find_place(const struct source *file, const struct log_error *e) {
    const char *line = file->text;
    for (int k = 1; k < e->line && line; k++) {
        line = strchr(line, '\n');
        line += line != NULL;
    }
    if (!line) return (struct pos){0};
    if (e->col) return (struct pos){e->line, e->col, 1};
    size_t len = strcspn(line, "\r\n"), begin = strspn(line, " \t");
    bool same = e->quoted && strlen(e->quoted) == len && strncmp(e->quoted, line, len) == 0;
    if (same) return (struct pos){e->line, e->quoted_col, 1};
    return (struct pos){e->line, (int)begin + 1, begin < len ? (int)(len - begin) : 1};
}

/* Reports an error at its place if it is in a file that may be quoted; else at the name of the source in the
 * test. */
static bool report_error(struct compilation *c, const struct log_error *e) {
    const struct compile_request *r = c->request;
    enum trust_place place = trust_find(&c->trust, e->file);
    const char *name = trust_name(c->arena, &c->trust, e->file);
    struct source *file = arena_alloc(c->arena, sizeof *file);
    if (place != TRUST_BESIDE && place != TRUST_GIVEN)
        return REFUSE(c, &r->source, "'%s' does not compile: %s:%d: %s", r->source.text, name, e->line,
                      e->text);
    if (place == TRUST_BESIDE) name = arena_printf(c->arena, "%s%s", c->folder, name);
    if (!source_load(c->arena, place == TRUST_BESIDE ? name : e->file, file, c->diag)) return false;
    file->path = name;
    diag_error(c->diag, file, find_place(file, e), "%s", e->text);
    if (r->source.pos.line) diag_note(c->diag, r->test, r->source.pos, "the test has it compiled here");
    return false;
}

static bool report_kernel(struct compilation *c, const char *why) {
    const struct compile_request *r = c->request;
    struct source file;
    struct diag ignored = {0};
    bool loaded = source_load(c->arena, c->real, &file, &ignored);
    const char *kernels = loaded ? compile_kernels(c->arena, file.text) : NULL;
    const char *nearest = loaded ? compile_nearest_kernel(c->arena, file.text, r->kernel.text) : NULL;
    diag_free(&ignored);
    REFUSE(c, &r->kernel, "'%s' is no kernel of '%s': %s", r->kernel.text, r->source.text, why);
    if (kernels)
        diag_note(c->diag, r->test, r->kernel.pos, "its kernels: %s%s%s%s", kernels,
                  nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
    return false;
}

static bool report_log(struct compilation *c) {
    struct log_error e;
    if (!log_find_error(c->arena, c->output.log, &e))
        return REFUSE(c, &c->request->source, "'%s' does not compile: %s", c->request->source.text,
                      log_find_reason(c->arena, c->output.log));
    const char *base = strrchr(e.file, '/');
    if (strcmp(base ? base + 1 : e.file, JOB_NAME ".cu") == 0) return report_kernel(c, e.text);
    return report_error(c, &e);
}

/* ---- the whole ---- */

/* Returns the name of the compiler with its version, so that after an update nothing of the old one is
 * used. */
static const char *name_compiler(struct compilation *c) {
    struct stat st;
    struct diag ignored = {0};
    if (!c->nvcc || stat(c->nvcc, &st) != 0) st = (struct stat){0};
    const char *build = c->nvcc ? NULL : nvrtc_build(NULL, c->arena, &ignored);
    diag_free(&ignored);
    return c->nvcc ? arena_printf(c->arena, "%s %lld %lld", c->nvcc, (long long)st.st_size,
                                  (long long)st.st_mtime)
                   : arena_printf(c->arena, "NVRTC %s %s", build ? build : "", c->toolkit);
}

/* NVRTC does not say which files it reads, so these are found beforehand. */
static bool find_includes(struct compilation *c) {
    bool fine = includes_find(c->arena, &c->trust, &c->job, c->real, &c->output) || c->trust.everywhere;
    if (fine) return check_files(c);
    return REFUSE(c, &c->request->source,
                  "'%s' or a header includes a file whose name is made by a macro: NVRTC does not say which, "
                  "so only with "
                  "--trust-source or by nvcc may a test have it compiled",
                  c->request->source.text);
}

static bool call_compiler(struct compilation *c) {
    size_t before = c->diag->n;
    bool fine = c->nvcc ? nvcc_compile(c->arena, c->nvcc, &c->job, &c->output, c->diag)
                        : nvrtc_compile(c->arena, &c->job, &c->output, c->diag);
    if (!fine) diag_place(c->diag, before, c->request->test, c->request->source.pos);
    return fine;
}

static bool get_ptx(struct compilation *c) {
    const char *which = name_compiler(c);
    if (kept_get(c->arena, which, &c->job, &c->output)) return check_files(c);
    c->output = (struct compile_output){0};
    if ((!c->nvcc && !find_includes(c)) || !call_compiler(c) || !check_files(c)) return false;
    if (!c->output.ptx) return report_log(c);
    kept_put(which, &c->job, &c->output, c->diag);
    return true;
}

static bool run_compiler(struct compilation *c) {
    struct kept_turn turn;
    kept_begin(&turn, &c->job);
    bool fine = get_ptx(c);
    kept_end(&turn);
    return fine;
}

/* Whether the kernel's name is a plain one, which the source itself declares. */
static bool is_declared(struct compilation *c, const char *kernel) {
    struct source file;
    struct diag ignored = {0};
    struct compile_declaration *found;
    bool loaded = source_load(c->arena, c->real, &file, &ignored);
    int n = loaded ? compile_declarations(c->arena, file.text, &found) : 0;
    diag_free(&ignored);
    for (int i = 0; i < n; i++)
        if (strcmp(found[i].name, kernel) == 0) return true;
    return false;
}

/* Compiles all kernels of the source together, since other tests may use the others, and finds the kernel by
 * its name in PTX. Returns false without an error when the kernel must be compiled alone. */
static bool take_of_all(struct compilation *c, const char *kernel) {
    if (!make_text(c, NULL) || !run_compiler(c)) return false;
    c->result->entry = entry_find(c->arena, c->output.ptx, kernel);
    return c->result->entry != NULL;
}

static bool compile_alone(struct compilation *c, const char *kernel) {
    if (!make_text(c, kernel) || !run_compiler(c)) return false;
    if (!has_own_name(kernel)) {
        c->result->entry = kernel;
        return true;
    }
    char *ptx = arena_strdup(c->arena, c->output.ptx);
    c->result->entry = entry_take(c->arena, ptx);
    c->output.ptx = ptx;
    return c->result->entry || report_kernel(c, "the compiler does not say what it is in PTX");
}

static bool take_result(struct compilation *c) {
    const char *kernel = c->request->kernel.text;
    size_t errors = c->diag->errors;
    bool found = has_own_name(kernel) && is_declared(c, kernel) && take_of_all(c, kernel);
    if (!found && (c->diag->errors != errors || !compile_alone(c, kernel))) return false;
    c->result->ptx = tidy_ptx(c->arena, &c->trust, c->output.ptx);
    return true;
}

/* Returns a path in the toolkit that NVRTC belongs to, as of a program there; it need not exist. */
static const char *find_toolkit(struct arena *a) {
    const char *folders[] = {getenv("CUDA_HOME"), getenv("CUDA_PATH"), "/usr/local/cuda"};
    struct stat st;
    for (size_t k = 0; k < sizeof folders / sizeof *folders; k++)
        if (folders[k] && *folders[k] && stat(arena_printf(a, "%s/include", folders[k]), &st) == 0)
            return arena_printf(a, "%s/bin/nvcc", folders[k]);
    return "/usr/local/cuda/bin/nvcc";
}

bool compile_kernel(struct arena *a, const struct compile_request *r, struct compile_result *out,
                    struct diag *d) {
    struct compilation c = {.arena = a, .request = r, .result = out, .diag = d, .nvcc = path_find(a, "nvcc")};
    struct diag ignored = {0};
    *out = (struct compile_result){0};
    if (!c.nvcc && !nvrtc_version(NULL, &ignored))
        out->missing =
            arena_printf(a, "'%s' needs a compiler: there is no nvcc in PATH, and no NVRTC", r->source.text);
    diag_free(&ignored);
    if (out->missing) return false;
    c.toolkit = c.nvcc ? c.nvcc : find_toolkit(a);
    c.folder = compile_folder(a, r->test->path);
    c.trust = trust_of(a, r->test->path, c.toolkit);
    c.job.seconds = c.trust.seconds ? c.trust.seconds : JOB_SECONDS;
    return find_source(&c) && find_folders(&c) && check_arch(&c) && check_std(&c) && take_result(&c);
}
