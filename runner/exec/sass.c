#include "exec/sass.h"

#include <ctype.h>
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* ---- running nvdisasm ---- */

static char disassembler[4096];

static bool try_folder(const char *folder, int len, const char *below) {
    snprintf(disassembler, sizeof disassembler, "%.*s%s/nvdisasm", len, folder, below);
    return access(disassembler, X_OK) == 0;
}

static void find_disassembler(void) {
    const char *const homes[] = {getenv("CUDA_HOME"), getenv("CUDA_PATH"), "/usr/local/cuda"};
    for (const char *path = getenv("PATH"); path && *path; path += *path == ':') {
        int len = (int)strcspn(path, ":");
        if (len > 0 && try_folder(path, len, "")) return;
        path += len;
    }
    for (int k = 0; k < 3; k++)
        if (homes[k] && try_folder(homes[k], (int)strlen(homes[k]), "/bin")) return;
    disassembler[0] = '\0';
}

const char *sass_disassembler(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_disassembler);
    return disassembler[0] ? disassembler : NULL;
}

/* Starts it on a file; the end of the pipe from which its output is read, -1: it did not start. */
static int start(const char *file, pid_t *pid) {
    char *argv[] = {disassembler, (char[]){"-c"}, (char[]){"-g"}, (char *)file, NULL};
    posix_spawn_file_actions_t actions;
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return -1;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    bool started = posix_spawn(pid, disassembler, &actions, NULL, argv, environ) == 0;
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    if (started) return ends[0];
    close(ends[0]);
    return -1;
}

bool sass_disassemble(const void *cubin, size_t size, struct text *listing) {
    char file[] = "/tmp/culitmus-XXXXXX", part[4096];
    int fd = mkostemp(file, O_CLOEXEC), status = -1;
    pid_t pid;
    if (fd < 0) return false;
    bool ok = sass_disassembler() && write(fd, cubin, size) == (ssize_t)size;
    int from = ok ? start(file, &pid) : -1;
    for (ssize_t n; from >= 0 && (n = read(from, part, sizeof part)) > 0;)
        text_add_n(listing, part, (size_t)n);
    if (from >= 0) {
        close(from);
        waitpid(pid, &status, 0);
    }
    close(fd);
    unlink(file);
    return status == 0 && listing->len > 0;
}

/* ---- reading its output ---- */

struct reader {
    struct arena *arena;
    struct sass_instruction *code;
    int n, cap, line;
    bool first;
};

static bool ends_a_run(const char *name) {
    static const char *const names[] = {"BRA", "BRX", "BRXU", "JMP", "JMX", "EXIT", "RET", "CALL", "BSYNC"};
    size_t len = strcspn(name, ".");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i]) == len && strncmp(name, names[i], len) == 0) return true;
    return false;
}

/* After the address's comment: "@!P0 LDG.E R2, [R4.64] ;" */
static void add_instruction(struct reader *r, const char *address, const char *s) {
    s += strspn(s, " \t");
    size_t guard = *s == '@' ? strcspn(s, " \t") : 0;
    const char *condition = arena_strndup(r->arena, s, guard);
    s += guard;
    s += strspn(s, " \t");
    if (r->n == r->cap) {
        size_t cap = 2 * (size_t)r->cap + 256;
        r->code = arena_grow(r->arena, r->code, (size_t)r->n, cap, sizeof *r->code);
        r->cap = (int)cap;
    }
    const char *name = arena_strndup(r->arena, s, strcspn(s, " \t;"));
    r->code[r->n++] = (struct sass_instruction){
        name, condition, arena_strndup(r->arena, address, strspn(address, "0123456789abcdef")), r->line,
        r->first};
    r->first = ends_a_run(name);
}

static void read_line(struct reader *r, const char *s) {
    const char *mark = strstr(s, "//## File "), *number = mark ? strstr(mark, ", line ") : NULL;
    s += strspn(s, " \t");
    if (number)
        r->line = atoi(number + 7);
    else if (strncmp(s, "/*", 2) == 0 && isxdigit((unsigned char)s[2]) && strstr(s, "*/"))
        add_instruction(r, s + 2, strstr(s, "*/") + 2);
    else if (*s == '.' && s[strcspn(s, ":")] == ':')
        r->first = true;
}

struct sass_kernel sass_read(struct arena *a, const char *listing, const char *entry) {
    struct reader r = {.arena = a, .first = true};
    const char *begin = arena_printf(a, "\n.text.%s:", entry), *s = strstr(listing, begin);
    if (s) s += strlen(begin);
    while (s && *s && strncmp(s, "\n//---", 6) != 0) { /* the next section's headline */
        size_t len = strcspn(++s, "\n");
        read_line(&r, arena_strndup(a, s, len));
        s += len;
    }
    return (struct sass_kernel){r.code, r.n};
}
