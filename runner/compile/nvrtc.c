/* The calls of NVRTC's API. */
#include "compile/nvrtc_call.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/write.h"
#include "compile/nvrtc_api.h"
#include "compile/ptxas.h"

static bool check(const struct nvrtc_api *api, struct diag *d, int r, const char *call) {
    if (r == 0) return true;
    diag_fail(d, "%s: %s", call, api->nvrtcGetErrorString(r));
    return false;
}

/* Reports the compiler's log, and keeps the text in a file for the user to look at. */
static void report_log(const struct nvrtc_api *api, nvrtc_program p, const char *name, struct diag *d) {
    size_t n = 0;
    if (api->nvrtcGetProgramLogSize(p, &n) || n == 0) return;
    char *log = memory_new(1, n + 1);
    if (api->nvrtcGetProgramLog(p, log) == 0) diag_fail(d, "NVRTC does not compile %s:\n%s", name, log);
    free(log);
}

/* The first version of NVRTC that can leave out its built-in declarations, which take it longer to read than
 * a cell. */
enum { NVRTC_KNOWS_MINIMAL = 13 };

/* Compiles. `target` is compute_NN for PTX or sm_NN for a cubin; `ptx` is an option that names a file for the
 * assembler, or NULL. The caller destroys the program. */
static bool compile(const struct nvrtc_api *api, const struct nvrtc_source *s, const char *target,
                    const char *ptx, nvrtc_program *p, struct diag *d) {
    char arch[64];
    snprintf(arch, sizeof arch, "--gpu-architecture=%s", target);
    struct arena *a = arena_open();
    const char **options = arena_array(a, 7 + (size_t)s->nfolders, sizeof *options),
               *text = ptx ? "" : s->text;
    int n = 0, major = 0, minor = 0;
    options[n++] = arch;
    options[n++] = arena_printf(a, "--std=%s", s->std ? s->std : "c++17");
    bool minimal = api->nvrtcVersion(&major, &minor) == 0 && major >= NVRTC_KNOWS_MINIMAL;
    if (minimal && !s->folders) options[n++] = "--minimal";
    if (s->folders)
        options[n++] = "--device-as-default-execution-space"; /* because headers have constexpr functions */
    for (int k = 0; k < s->nfolders; k++)
        options[n++] = arena_printf(a, "--include-path=%s", s->folders[k]);
    if (s->lines) options[n++] = "--generate-line-info";
    if (ptx) options[n++] = ptx;
    if (strstr(text, "__int128")) options[n++] = "--device-int128";
    bool made = check(api, d, api->nvrtcCreateProgram(p, text, s->name, 0, NULL, NULL), "nvrtcCreateProgram");
    int r = made ? api->nvrtcCompileProgram(*p, n, options) : 0;
    arena_close(a);
    if (r == 0) return made;
    if (r == 6)
        report_log(api, *p, s->name, d); /* the error is NVRTC_ERROR_COMPILATION */
    else
        check(api, d, r, "nvrtcCompileProgram");
    api->nvrtcDestroyProgram(p);
    return false;
}

static bool get_ptx(const struct nvrtc_api *api, nvrtc_program p, struct text *ptx, struct diag *d) {
    size_t n = 0;
    bool ok = check(api, d, api->nvrtcGetPTXSize(p, &n), "nvrtcGetPTXSize");
    char *out = memory_new(1, n + 1);
    ok = ok && check(api, d, api->nvrtcGetPTX(p, out), "nvrtcGetPTX");
    if (ok) text_add(ptx, out);
    free(out);
    return ok;
}

static bool get_cubin(const struct nvrtc_api *api, nvrtc_program p, void **cubin, size_t *size,
                      struct diag *d) {
    if (!check(api, d, api->nvrtcGetCUBINSize(p, size), "nvrtcGetCUBINSize")) return false;
    *cubin = memory_new(1, *size);
    if (check(api, d, api->nvrtcGetCUBIN(p, *cubin), "nvrtcGetCUBIN")) return true;
    free(*cubin);
    *cubin = NULL;
    return false;
}

bool nvrtc_call(const struct nvrtc_source *s, struct text *ptx, void **cubin, size_t *size, struct diag *d) {
    const struct nvrtc_api *api = nvrtc_api_load(s->library, d);
    char target[32];
    nvrtc_program p = NULL;
    if (!api) return false;
    snprintf(target, sizeof target, cubin ? "sm_%s" : "compute_%s", s->arch + 3);
    if (!compile(api, s, target, NULL, &p, d)) return false;
    bool ok = get_ptx(api, p, ptx, d) && (!cubin || get_cubin(api, p, cubin, size, d));
    api->nvrtcDestroyProgram(&p);
    return ok;
}

/* Compiles an empty program, with the PTX as a file that the assembler gets, too. */
static bool assemble(const struct nvrtc_api *api, const struct nvrtc_source *s, int file, void **cubin,
                     size_t *size, struct diag *d) {
    char option[64];
    nvrtc_program p = NULL;
    snprintf(option, sizeof option, "--ptxas-options=/proc/self/fd/%d", file);
    if (!compile(api, s, s->arch, option, &p, d)) return false;
    bool ok = get_cubin(api, p, cubin, size, d);
    api->nvrtcDestroyProgram(&p);
    return ok;
}

bool nvrtc_call_assembler(const struct nvrtc_source *s, void **cubin, size_t *size, struct diag *d) {
    const struct nvrtc_api *api = nvrtc_api_load(s->library, d);
    if (!api) return false;
    int file = memfd_create("ptx", MFD_CLOEXEC);
    bool ok = file >= 0 && write_all(file, s->text, strlen(s->text));
    if (!ok) diag_fail(d, "cannot write PTX for '%s' to memory: %s", s->name, strerror(errno));
    ok = ok && assemble(api, s, file, cubin, size, d);
    if (file >= 0) close(file);
    return ok;
}

/* Returns the architectures that NVRTC compiles for, malloc'ed; NULL and an error. */
static int *get_archs(const char *library, int *n, struct diag *d) {
    const struct nvrtc_api *api = nvrtc_api_load(library, d);
    if (!api || !check(api, d, api->nvrtcGetNumSupportedArchs(n), "nvrtcGetNumSupportedArchs")) return NULL;
    int *archs = memory_new((size_t)*n, sizeof *archs);
    if (check(api, d, api->nvrtcGetSupportedArchs(archs), "nvrtcGetSupportedArchs")) return archs;
    free(archs);
    return NULL;
}

int nvrtc_newest(const char *library, struct diag *d) {
    int n = 0, newest = 0, *archs = get_archs(library, &n, d);
    for (int i = 0; archs && i < n; i++)
        if (archs[i] > newest) newest = archs[i];
    free(archs);
    return newest;
}

bool nvrtc_compiles_for(const char *library, int arch, struct diag *d) {
    bool found = false;
    int n = 0, *archs = get_archs(library, &n, d);
    for (int i = 0; archs && i < n; i++)
        found = found || archs[i] == arch;
    free(archs);
    return found;
}

static bool get_version(const char *library, int *major, int *minor, struct diag *d) {
    const struct nvrtc_api *api = nvrtc_api_load(library, d);
    return api && check(api, d, api->nvrtcVersion(major, minor), "nvrtcVersion");
}

bool nvrtc_has_wide_operands(const char *library, struct diag *d) {
    int major, minor;
    return get_version(library, &major, &minor, d) && (major > 12 || (major == 12 && minor >= 8));
}

const char *nvrtc_version(const char *library, struct diag *d) {
    static _Thread_local _Alignas(
        64) char version[32]; /* aligned: else mold may begin a segment before its page */
    int major, minor;
    if (!get_version(library, &major, &minor, d)) return NULL;
    snprintf(version, sizeof version, "%d.%d", major, minor);
    return version;
}

/* Reads the build from the comments at the head of NVRTC's PTX: "Cuda compilation tools, release 13.0,
 * V13.0.88". */
const char *nvrtc_build(const char *library, struct arena *a, struct diag *d) {
    const struct nvrtc_source nothing = {.library = library, .text = "", .name = "nothing", .arch = "sm_80"};
    const char *version = nvrtc_version(library, d), *release = NULL;
    struct text ptx = {0};
    struct diag ignored = {0};
    if (version && nvrtc_ptx(&nothing, &ptx, &ignored)) release = strstr(ptx.s, ", V");
    size_t n = release ? strspn(release + 3, "0123456789.") : 0;
    const char *build = n ? arena_strndup(a, release + 3, n) : version ? arena_strdup(a, version) : NULL;
    diag_free(&ignored);
    text_free(&ptx);
    return build;
}

/* The first version of NVRTC that takes everything that is generated. */
enum { NVRTC_TAKES_ALL = 13 };

/* Finds the version of the assembler for a text. */
static bool get_assembler(const struct nvrtc_source *s, struct arena *a, int *major, int *minor,
                          struct diag *d) {
    if (!s->ptxas) return get_version(s->library, major, minor, d);
    const char *build = ptxas_build(s->ptxas, a, d);
    return build && sscanf(build, "%d.%d", major, minor) == 2;
}

/* An error of the assembler is a line such as "ptxas application ptx input, line 82; error : Illegal modifier
 * '.acquire' for instruction 'fence'", while the compiler before it has a place in a text: "x(3): error:
 * ...". NVRTC 12.4 may leave out the error, and only warn of other instructions. */
const char *nvrtc_too_old(const struct nvrtc_source *s, const struct diag *failed, struct arena *a) {
    static const char assembler[] = "ptxas application ptx input, line ", error[] = "error";
    const char *log = diag_first_error(failed), *said = NULL;
    struct diag ignored = {0};
    int major = 0, minor = 0;
    bool old = get_assembler(s, a, &major, &minor, &ignored) && major < NVRTC_TAKES_ALL;
    diag_free(&ignored);
    if (!old || !log || !strstr(log, assembler) || strstr(log, "): error")) return NULL;
    for (const char *line = log; !said && (line = strstr(line, assembler)); line++) {
        const char *word = line + strlen(assembler);
        word += strspn(word, "0123456789; ");
        if (strncmp(word, error, strlen(error)) == 0)
            said = word + strlen(error) + strspn(word + strlen(error), " :");
    }
    if (!said) said = "its assembler does not say which";
    return arena_printf(a, "%s %d.%d is too old for an instruction: %.*s", s->ptxas ? "ptxas" : "NVRTC",
                        major, minor, (int)strcspn(said, "\n"), said);
}
