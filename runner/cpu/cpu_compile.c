#include "cpu/cpu_compile.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/helper.h"
#include "base/path.h"
#include "base/temporary.h"
#include "base/text.h"
#include "compile/cache.h"
#include "gen/gen.h"

/* -fwrapv: signed arithmetic wraps around. -w: the text is generated, so its warnings are of no use to the
 * user. */
static const char *const flags[] = {"-std=c11", "-O2",      "-fwrapv", "-fPIC",
                                    "-shared",  "-pthread", "-w",      "-fvisibility=hidden"};
enum { NFLAGS = sizeof flags / sizeof *flags, MAX_WORDS = 16 };

enum { COMPILE_SECONDS = 60 }; /* a cell takes a second on a slow machine */

/* A folder of this process, where the compiler reads and writes everything. */
struct workshop {
    struct temporary folder;
    struct text source, object, log;
};

static bool workshop_open(struct workshop *w, struct diag *d) {
    *w = (struct workshop){0};
    if (!temporary_folder(&w->folder)) {
        const char *folder = getenv("TMPDIR");
        diag_fail(d, "cannot make a temporary folder in '%s': %s", folder && *folder ? folder : "/tmp",
                  strerror(errno));
        return false;
    }
    text_printf(&w->source, "%s/test.c", w->folder.path);
    text_printf(&w->object, "%s/test.so", w->folder.path);
    text_printf(&w->log, "%s/log", w->folder.path);
    return true;
}

static void workshop_close(struct workshop *w) {
    temporary_remove(&w->folder);
    text_free(&w->source);
    text_free(&w->object);
    text_free(&w->log);
}

static bool read_file(const char *path, struct text *out) {
    char buffer[4096];
    FILE *f = fopen(path, "rbe");
    if (!f) return false;
    for (size_t n; (n = fread(buffer, 1, sizeof buffer, f)) > 0;)
        text_add_n(out, buffer, n);
    bool ok = !ferror(f);
    fclose(f);
    return ok;
}

static bool write_file(const char *path, const void *data, size_t size, struct diag *d) {
    FILE *f = fopen(path, "wbxe");
    bool ok = f && fwrite(data, 1, size, f) == size;
    if (f && fclose(f) != 0) ok = false;
    if (!ok) diag_fail(d, "cannot write '%s': %s", path, strerror(errno));
    return ok;
}

/* Returns the environment with $TMPDIR set to `tmp`, where a compiler puts its temporary files. In the
 * arena. */
static char **make_environment(const char *tmp, struct arena *a) {
    size_t n = 0, kept = 1;
    while (environ[n])
        n++;
    char **env = arena_array(a, n + 2, sizeof *env);
    env[0] = arena_printf(a, "TMPDIR=%s", tmp);
    for (size_t i = 0; i < n; i++)
        if (strncmp(environ[i], "TMPDIR=", 7) != 0) env[kept++] = environ[i];
    return env;
}

/* Runs a compiler with its output in a log file. */
static int run_compiler(const char *log, char *const *argv, char *const *env, int seconds,
                        const atomic_int *stop) {
    int fd = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0) return -1;
    int status = helper_run(
        &(struct helper){.argv = argv, .env = env, .out = fd, .err = fd, .seconds = seconds, .stop = stop});
    int error = errno;
    close(fd);
    errno = error;
    return status;
}

/* Splits $CC into words; it may be more than a program ("ccache gcc", "gcc -m64"). */
static bool find_words(struct arena *a, char **words, struct diag *d) {
    static const char *const usual[] = {"cc", "gcc", "clang"};
    const char *cc = getenv("CC");
    if (!cc || !*cc) {
        for (size_t i = 0; i < sizeof usual / sizeof *usual && !words[0]; i++)
            words[0] = path_find(a, usual[i]);
        if (!words[0]) diag_fail(d, "no C compiler: none of cc, gcc and clang is on PATH, and CC is not set");
        return words[0] != NULL;
    }
    int n = 0;
    char *rest = arena_strdup(a, cc);
    for (char *save, *word = strtok_r(rest, " \t", &save); word && n < MAX_WORDS;
         word = strtok_r(NULL, " \t", &save))
        words[n++] = word;
    char *program = n > 0 ? path_find(a, words[0]) : NULL;
    if (!program) {
        diag_fail(d, "no C compiler: CC is '%s', and no such program is on PATH", cc);
        return false;
    }
    words[0] = program;
    return true;
}

bool compiler_find(struct arena *a, struct compiler *out, struct diag *d) {
    struct text version = {0};
    char log[64], **words = arena_array(a, MAX_WORDS + 2, sizeof *words);
    if (!find_words(a, words, d)) return false;
    /* not a file, which would stay behind if Ctrl-C ended this process here */
    int n = 0, fd = memfd_create("version", MFD_CLOEXEC);
    snprintf(log, sizeof log, "/proc/self/fd/%d", fd);
    while (words[n])
        n++;
    words[n] = (char[]){"--version"};
    int status = run_compiler(log, words, NULL, COMPILE_SECONDS, NULL);
    words[n] = NULL;
    bool ok = status == 0 && read_file(log, &version) && version.len > 0;
    if (!ok) diag_fail(d, "no C compiler: '%s --version' failed", words[0]);
    out->words = words;
    out->seconds = COMPILE_SECONDS;
    if (ok) out->version = arena_strndup(a, version.s, strcspn(version.s, "\n"));
    text_free(&version);
    if (fd >= 0) close(fd);
    return ok;
}

/* Writes the key of the cache: everything that the compiler's result depends on. */
static void make_key(const struct compiler *c, const char *text, struct text *key) {
    struct utsname host; /* a home folder may be shared by different machines */
    text_printf(key, "culitmus %s cpu %s\n%s\n", CULITMUS_VERSION, uname(&host) == 0 ? host.machine : "",
                c->version);
    for (char *const *word = c->words; *word; word++)
        text_printf(key, "%s\n", *word);
    for (int i = 0; i < NFLAGS; i++)
        text_printf(key, "%s\n", flags[i]);
    text_add(key, text);
}

/* Leaves an error with what the compiler printed. */
static void report_failure(const struct compiler *c, const struct workshop *w, int status, const char *name,
                           struct diag *d) {
    struct text log = {0};
    if (status < 0 && errno == ECANCELED)
        diag_fail(d, "interrupted while '%s' was compiled", name);
    else if (status < 0 && errno == ETIME)
        diag_fail(d, "the C compiler '%s' took longer than %d s on '%s': it was ended", c->words[0],
                  c->seconds, name);
    else if (status < 0)
        diag_fail(d, "cannot start the C compiler '%s': %s", c->words[0], strerror(errno));
    else if (WIFSIGNALED(status))
        diag_fail(d, "the C compiler '%s' was ended by signal %d on '%s'", c->words[0], WTERMSIG(status),
                  name);
    else {
        read_file(w->log.s, &log);
        diag_fail(d, "the C compiler '%s' failed on '%s' (show --as c prints the text):\n%s", c->words[0],
                  name, log.len > 0 ? log.s : "(it said nothing)");
    }
    text_free(&log);
}

static bool compile(const struct compiler *c, const struct workshop *w, const char *text, const char *name,
                    const atomic_int *stop, struct diag *d) {
    char *argv[MAX_WORDS + NFLAGS + 4];
    int n = 0;
    if (!write_file(w->source.s, text, strlen(text), d)) return false;
    for (char *const *word = c->words; *word; word++)
        argv[n++] = *word;
    for (int i = 0; i < NFLAGS; i++)
        argv[n++] = (char *)flags[i];
    argv[n++] = (char[]){"-o"};
    argv[n++] = w->object.s;
    argv[n++] = w->source.s;
    argv[n] = NULL;
    struct arena *a = arena_open();
    int status = run_compiler(w->log.s, argv, make_environment(w->folder.path, a), c->seconds, stop);
    if (status != 0) report_failure(c, w, status, name, d);
    arena_close(a);
    return status == 0;
}

static bool load(const char *path, struct cpu_unit *u, struct diag *d) {
    u->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!u->handle) {
        diag_fail(d, "cannot load the compiled test: %s", dlerror());
        return false;
    }
    *(void **)&u->play = dlsym(u->handle, "cpu_play");
    *(void **)&u->init = dlsym(u->handle, "cpu_init");
    *(void **)&u->observe = dlsym(u->handle, "cpu_observe");
    if (u->play && u->init && u->observe) return true;
    diag_fail(d, "cannot load the compiled test: a function is missing");
    unit_close(u);
    return false;
}

/* Loads what the cache has under a key. An entry that cannot be loaded any more is removed. */
static bool load_kept(const struct workshop *w, const struct text *key, struct cpu_unit *out) {
    struct diag ignored = {0};
    void *kept = NULL;
    size_t size;
    if (!cache_get(key->s, key->len, &kept, &size)) return false;
    bool ok = write_file(w->object.s, kept, size, &ignored) && load(w->object.s, out, &ignored);
    if (!ok) cache_drop(key->s, key->len);
    diag_free(&ignored);
    free(kept);
    unlink(w->object.s);
    return ok;
}

static void keep(const struct workshop *w, const struct text *key, struct diag *d) {
    struct text object = {0};
    if (read_file(w->object.s, &object)) cache_put(key->s, key->len, object.s, object.len, d);
    text_free(&object);
}

bool unit_build(const struct compiler *c, const char *text, const char *name, const atomic_int *stop,
                struct cpu_unit *out, struct diag *d) {
    struct workshop w;
    struct text key = {0};
    if (!workshop_open(&w, d)) return false;
    make_key(c, text, &key);
    bool ok = load_kept(&w, &key, out);
    if (!ok) {
        ok = compile(c, &w, text, name, stop, d) && load(w.object.s, out, d);
        if (ok) keep(&w, &key, d);
    }
    text_free(&key);
    workshop_close(&w);
    return ok;
}

/* Whether this CPU loads and stores 16 bytes in one access each: see kernels/values.h. */
static bool has_wide_accesses(void) {
#ifdef __x86_64__
    return __builtin_cpu_supports("avx");
#else
    return false;
#endif
}

const char *unit_cannot(const struct test *t) {
    for (int k = 1; k <= t->nops && !has_wide_accesses(); k++)
        if (t->ops[k].place[0].loc >= 0 && t->ops[k].type.bits == 128)
            return "this CPU has no accesses of 128 bits, or the tool does not know them";
    return gen_cannot(t);
}

void unit_close(struct cpu_unit *u) {
    if (u->handle) dlclose(u->handle);
    *u = (struct cpu_unit){0};
}
