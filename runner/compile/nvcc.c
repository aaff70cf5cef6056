#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/helper.h"
#include "base/temporary.h"
#include "compile/job.h"

/* A folder of this process, where nvcc finds the text and leaves all its files. */
struct nvcc_folder {
    struct temporary folder;
    const char *text, *ptx, *log;
};

static bool open_folder(struct arena *a, struct nvcc_folder *w, struct diag *d) {
    *w = (struct nvcc_folder){0};
    if (!temporary_folder(&w->folder)) {
        diag_fail(d, "cannot make a temporary folder: %s", strerror(errno));
        return false;
    }
    w->text = arena_printf(a, "%s/" JOB_NAME ".cu", w->folder.path);
    w->ptx = arena_printf(a, "%s/" JOB_NAME ".ptx", w->folder.path);
    w->log = arena_printf(a, "%s/log", w->folder.path);
    return true;
}

static bool write_text(const char *path, const char *text, struct diag *d) {
    FILE *f = fopen(path, "wbxe");
    bool ok = f && fputs(text, f) >= 0;
    if (f && fclose(f) != 0) ok = false;
    if (!ok) diag_fail(d, "cannot write '%s': %s", path, strerror(errno));
    return ok;
}

/* Returns the environment without nvcc's own variables, which would change what it does, and with TMPDIR set,
 * where it leaves files. */
static char **make_environment(struct arena *a, const char *folder) {
    static const char *const left_out[] = {
        "TMPDIR=", "NVCC_PREPEND_FLAGS=", "NVCC_APPEND_FLAGS=", "NVCC_CCBIN="};
    size_t n = 0, kept = 1;
    while (environ[n])
        n++;
    char **env = arena_array(a, n + 2, sizeof *env);
    env[0] = arena_printf(a, "TMPDIR=%s", folder);
    for (size_t i = 0; i < n; i++) {
        bool keep = true;
        for (size_t k = 0; k < sizeof left_out / sizeof *left_out; k++)
            keep = keep && strncmp(environ[i], left_out[k], strlen(left_out[k])) != 0;
        if (keep) env[kept++] = environ[i];
    }
    return env;
}

/* Returns nvcc's arguments. nvcc passes them to a shell, so they contain nothing from the test except
 * folders, which compile.c checks: macros and the kernel's name are in the text. */
static char **make_arguments(struct arena *a, const char *nvcc, const struct compile_job *job,
                             const struct nvcc_folder *w) {
    const char *const fixed[] = {nvcc,
                                 "-ptx",
                                 arena_printf(a, "-std=%s", job->std),
                                 "-lineinfo",
                                 "-w",
                                 "--expt-relaxed-constexpr",
                                 arena_printf(a, "-arch=%s", job->arch),
                                 "-Xcompiler",
                                 "-H", /* list_files reads this */
                                 "-o",
                                 w->ptx,
                                 w->text};
    enum { NFIXED = sizeof fixed / sizeof *fixed };
    char **argv = arena_array(a, NFIXED + (size_t)job->nfolders + 1, sizeof *argv);
    for (int i = 0; i < NFIXED; i++)
        argv[i] = (char *)fixed[i];
    for (int i = 0; i < job->nfolders; i++)
        argv[NFIXED + i] = arena_printf(a, "-I%s", job->folders[i]);
    return argv;
}

/* Runs nvcc with its output in the log. Returns its wait(2) status, or -1 and errno. */
static int run_nvcc(struct arena *a, const char *nvcc, const struct compile_job *job,
                    const struct nvcc_folder *w) {
    int fd = open(w->log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0) return -1;
    int status = helper_run(&(struct helper){.argv = make_arguments(a, nvcc, job, w),
                                             .env = make_environment(a, w->folder.path),
                                             .out = fd,
                                             .err = fd,
                                             .seconds = job->seconds,
                                             .memory = job_memory,
                                             .file = job_file});
    int error = errno;
    close(fd);
    errno = error;
    return status;
}

static void add_file(struct arena *a, const char *path, struct compile_output *out) {
    for (int i = out->nfiles - 1; i >= 0; i--)
        if (strcmp(out->files[i], path) == 0) return;
    out->files = arena_more(a, out->files, (size_t)out->nfiles, sizeof *out->files);
    out->files[out->nfiles++] = path;
}

/* Reads the included files from the log. Each is a line: a dot for each level of including, a blank, the
 * path. A file's line comes before the first error in it. */
static void list_files(struct arena *a, const char *log, struct compile_output *out) {
    struct text rest = {0};
    for (const char *line = log; *line;) {
        size_t len = strcspn(line, "\n"), dots = strspn(line, ".");
        if (dots && line[dots] == ' ')
            add_file(a, arena_strndup(a, line + dots + 1, len - dots - 1), out);
        else
            text_printf(&rest, "%.*s\n", (int)len, line);
        line += len + (line[len] == '\n');
    }
    out->log = arena_strdup(a, rest.s ? rest.s : "");
    text_free(&rest);
}

/* Reads a file that nvcc wrote; "" if there is none. */
static const char *read_text(struct arena *a, const char *path) {
    struct source file;
    struct diag ignored = {0};
    const char *text = source_load(a, path, &file, &ignored) ? file.text : "";
    diag_free(&ignored);
    return text;
}

static bool report_end(const struct compile_job *job, int status, struct diag *d) {
    if (status < 0 && errno == ETIME)
        diag_fail(d, "nvcc took longer than %d s on '%s': it was ended; --compile-timeout gives it more",
                  job->seconds, job->path);
    else if (status < 0)
        diag_fail(d, "cannot run nvcc on '%s': %s", job->path, strerror(errno));
    else if (WTERMSIG(status) == SIGXFSZ)
        diag_fail(d, "nvcc wrote a file of more than %d MiB for '%s': it was ended", (int)(job_file >> 20),
                  job->path);
    else
        diag_fail(d, "nvcc was ended by signal %d (%s) on '%s'", WTERMSIG(status),
                  strsignal(WTERMSIG(status)), job->path);
    return false;
}

bool nvcc_compile(struct arena *a, const char *nvcc, const struct compile_job *job,
                  struct compile_output *out, struct diag *d) {
    struct nvcc_folder w;
    *out = (struct compile_output){0};
    if (!open_folder(a, &w, d)) return false;
    bool ok = write_text(w.text, job->text, d);
    int status = ok ? run_nvcc(a, nvcc, job, &w) : -1;
    if (ok && (status < 0 || WIFSIGNALED(status))) ok = report_end(job, status, d);
    if (ok) {
        list_files(a, read_text(a, w.log), out);
        if (status == 0) out->ptx = read_text(a, w.ptx);
    }
    temporary_remove(&w.folder);
    return ok;
}
