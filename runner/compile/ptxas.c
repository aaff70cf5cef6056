#include "compile/ptxas.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/helper.h"
#include "base/memory.h"
#include "base/path.h"
#include "base/source.h"
#include "base/temporary.h"
#include "base/write.h"

/* Runs the program with all its output in `log`. Returns its wait(2) status, or -1 and errno. */
static int run(char *const *argv, int seconds, const atomic_int *stop, struct text *log) {
    char part[4096];
    int out = memfd_create("log", MFD_CLOEXEC), error = errno;
    int status = out < 0 ? -1
                         : helper_run(&(struct helper){
                               .argv = argv, .out = out, .err = out, .seconds = seconds, .stop = stop});
    if (out >= 0) error = errno;
    for (ssize_t n; out >= 0 && (n = pread(out, part, sizeof part, (off_t)log->len)) > 0;)
        text_add_n(log, part, (size_t)n);
    if (out >= 0) close(out);
    errno = error;
    return status;
}

/* ---- its version ---- */

/* Reports that the program is no ptxas. What it printed may be anything, so one line of it is enough. */
static void report_other(const char *program, int status, const struct text *log, struct diag *d) {
    int error = errno;
    if (status < 0)
        diag_fail(d, "no ptxas: cannot run '%s': %s", program, strerror(error));
    else if (!log->len)
        diag_fail(d, "'%s' is no ptxas: asked for its version, it says nothing", program);
    else
        diag_fail(d, "'%s' is no ptxas: asked for its version, it says '%.*s'", program,
                  (int)strcspn(log->s, "\n"), log->s);
}

const char *ptxas_build(const char *program, struct arena *a, struct diag *d) {
    enum { SECONDS = 10 };
    char *path = path_find(a, program), *argv[] = {path, (char[]){"--version"}, NULL};
    struct text log = {0};
    if (!path) {
        diag_fail(d, "no ptxas: there is no program '%s'", program);
        return NULL;
    }
    int status = run(argv, SECONDS, NULL, &log);
    const char *is = status == 0 && log.len ? strstr(log.s, "ptxas: ") : NULL,
               *release = is ? strstr(is, ", V") : NULL;
    size_t n = release ? strspn(release + 3, "0123456789.") : 0;
    const char *build = n ? arena_strndup(a, release + 3, n) : NULL;
    if (!build) report_other(program, status, &log, d);
    text_free(&log);
    return build;
}

/* ---- assembling ---- */

/* A folder of this process with the PTX for the program. */
struct ptxas_folder {
    struct temporary folder;
    const char *ptx, *cubin;
};

static bool open_folder(struct arena *a, struct ptxas_folder *w, const char *ptx, struct diag *d) {
    *w = (struct ptxas_folder){0};
    if (!temporary_folder(&w->folder)) {
        diag_fail(d, "cannot make a temporary folder: %s", strerror(errno));
        return false;
    }
    w->ptx = arena_printf(a, "%s/input.ptx", w->folder.path);
    w->cubin = arena_printf(a, "%s/output.cubin", w->folder.path);
    int fd = open(w->ptx, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    bool ok = fd >= 0 && write_all(fd, ptx, strlen(ptx));
    if (!ok) diag_fail(d, "cannot write '%s': %s", w->ptx, strerror(errno));
    if (fd >= 0) close(fd);
    if (!ok) temporary_remove(&w->folder);
    return ok;
}

/* Returns the log with the file renamed as NVRTC's assembler would call it. */
static const char *rename_input(struct arena *a, const struct text *log, const char *file) {
    struct text out = {0};
    const char *s = log->s ? log->s : "";
    for (const char *found; (found = strstr(s, file)); s = found + strlen(file)) {
        text_add_n(&out, s, (size_t)(found - s));
        text_add(&out, "application ptx input");
    }
    text_add(&out, s);
    const char *renamed = arena_strdup(a, out.s);
    text_free(&out);
    return renamed;
}

static void report_end(const struct nvrtc_source *s, int status, const char *log, struct diag *d) {
    int error = errno;
    if (status < 0 && error == ETIME)
        diag_fail(d, "ptxas took longer than %d s on '%s': it was ended", NVRTC_SECONDS, s->name);
    else if (status < 0 && error == ECANCELED)
        diag_fail(d, "interrupted while '%s' was assembled", s->name);
    else if (status < 0)
        diag_fail(d, "cannot run '%s' on '%s': %s", s->ptxas, s->name, strerror(error));
    else if (WIFSIGNALED(status))
        diag_fail(d, "ptxas was ended by signal %d (%s) on '%s'", WTERMSIG(status),
                  strsignal(WTERMSIG(status)), s->name);
    else
        diag_fail(d, "ptxas does not assemble %s:\n%s", s->name, log);
}

static bool read_cubin(struct arena *a, const struct nvrtc_source *s, const char *file, void **cubin,
                       size_t *size, struct diag *d) {
    struct source made;
    struct diag ignored = {0};
    bool ok = source_load(a, file, &made, &ignored) && made.len > 0;
    diag_free(&ignored);
    if (!ok) {
        diag_fail(d, "ptxas says that it has assembled %s, but there is no machine code", s->name);
        return false;
    }
    *size = made.len;
    *cubin = memcpy(memory_new(1, made.len), made.text, made.len);
    return true;
}

bool ptxas_assemble(const struct nvrtc_source *s, const char *ptx, void **cubin, size_t *size,
                    struct diag *d) {
    struct arena *a = arena_open();
    struct ptxas_folder w;
    struct text log = {0};
    char *program = path_find(a, s->ptxas);
    bool ok = program != NULL;
    if (!ok) diag_fail(d, "no ptxas: there is no program '%s'", s->ptxas);
    ok = ok && open_folder(a, &w, ptx, d);
    if (ok) {
        char *argv[] = {program,
                        arena_printf(a, "--gpu-name=%s", s->arch),
                        (char[]){"--output-file"},
                        (char *)w.cubin,
                        (char *)w.ptx,
                        s->lines ? (char[]){"--generate-line-info"} : NULL,
                        NULL};
        int status = run(argv, NVRTC_SECONDS, s->stop, &log);
        ok = status == 0;
        if (!ok) report_end(s, status, rename_input(a, &log, w.ptx), d);
        ok = ok && read_cubin(a, s, w.cubin, cubin, size, d);
        temporary_remove(&w.folder);
    }
    text_free(&log);
    arena_close(a);
    return ok;
}
