#include "base/spare.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/text.h"

/* An upper bound. On 32 bits it is 1 GiB, because a search never gets the whole address space. */
static const size_t most = SIZE_MAX > UINT32_MAX ? SIZE_MAX : (size_t)1 << 30;

struct spare {
    const char *root;
    size_t bytes;
    enum spare_limit limit;
};

static void lower(struct spare *s, size_t allowed, size_t taken, enum spare_limit limit) {
    size_t left = allowed > taken ? allowed - taken : 0;
    if (left >= s->bytes) return;
    s->bytes = left;
    s->limit = limit;
}

/* Reads a file below the root. False: it cannot be read. */
static bool read_file(const struct spare *s, const char *path, char *buf, size_t size) {
    struct text full = {0};
    text_printf(&full, "%s%s", s->root, path);
    FILE *f = fopen(full.s, "re");
    size_t n = f ? fread(buf, 1, size - 1, f) : 0;
    buf[n] = 0;
    if (f) fclose(f);
    text_free(&full);
    return n > 0;
}

/* Finds a line that begins with `word`, and reads the number behind it. */
static bool find_number(const char *text, const char *word, size_t *number) {
    size_t len = strlen(word);
    for (const char *at = text; at; at = strchr(at, '\n')) {
        at += *at == '\n';
        unsigned long long n;
        if (strncmp(at, word, len) == 0 && sscanf(at + len, "%llu", &n) == 1) {
            *number = (size_t)n;
            return true;
        }
    }
    return false;
}

static void ask_machine(struct spare *s) {
    char text[4096];
    size_t kibibytes;
    if (read_file(s, "/proc/meminfo", text, sizeof text) && find_number(text, "MemAvailable:", &kibibytes))
        lower(s, kibibytes * 1024, 0, SPARE_MACHINE);
}

static void obey_limit(struct spare *s, struct rlimit limit, size_t taken) {
    if (limit.rlim_cur != RLIM_INFINITY) lower(s, (size_t)limit.rlim_cur, taken, SPARE_ULIMIT);
}

static void ask_limits(struct spare *s) {
    struct rlimit limit;
    char text[256];
    unsigned long long all, data;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    if (!read_file(s, "/proc/self/statm", text, sizeof text) ||
        sscanf(text, "%llu %*u %*u %*u %*u %llu", &all, &data) != 2)
        return;
    if (getrlimit(RLIMIT_AS, &limit) == 0) obey_limit(s, limit, (size_t)all * page);
    if (getrlimit(RLIMIT_DATA, &limit) == 0) obey_limit(s, limit, (size_t)data * page);
}

/* The names that control groups of version 2 and of version 1 give to the same files. */
struct group_files {
    const char *mount, *allowed, *taken, *unused;
};
static const struct group_files versions[] = {
    {"/sys/fs/cgroup", "memory.max", "memory.current", "inactive_file"},
    {"/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"}};

static bool read_number(const struct spare *s, const struct group_files *f, const char *group,
                        const char *file, size_t *number) {
    struct text path = {0};
    char text[64];
    text_printf(&path, "%s%s/%s", f->mount, group, file);
    bool found = read_file(s, path.s, text, sizeof text) && find_number(text, "", number);
    text_free(&path);
    return found;
}

/* Memory that caches files and has not been used lately does not count as taken, since the system drops it on
 * demand. */
static void ask_group(struct spare *s, const struct group_files *f, const char *group) {
    struct text path = {0};
    char text[4096];
    size_t allowed, taken, unused = 0;
    if (!read_number(s, f, group, f->allowed, &allowed) || !read_number(s, f, group, f->taken, &taken))
        return;
    text_printf(&path, "%s%s/memory.stat", f->mount, group);
    if (read_file(s, path.s, text, sizeof text)) find_number(text, f->unused, &unused);
    text_free(&path);
    lower(s, allowed, taken > unused ? taken - unused : 0, SPARE_CGROUP);
}

/* Asks a group and all groups around it. In a container the root of the mount may itself be the group. */
static void ask_groups(struct spare *s, const struct group_files *f, char *group) {
    for (;;) {
        ask_group(s, f, group);
        char *slash = strrchr(group, '/');
        if (!slash) return;
        *slash = 0;
    }
}

/* A line of /proc/self/cgroup is "0::/group", or "4:memory:/group" in version 1. */
static void ask_cgroups(struct spare *s) {
    char text[4096];
    if (!read_file(s, "/proc/self/cgroup", text, sizeof text)) return;
    for (char *rest = text, *line; (line = strsep(&rest, "\n"));) {
        char *kind = strchr(line, ':'), *group = kind ? strchr(kind + 1, ':') : NULL;
        if (!group) continue;
        *group++ = 0;
        if (strcmp(kind, ":") == 0)
            ask_groups(s, &versions[0], group);
        else if (strcmp(kind, ":memory") == 0)
            ask_groups(s, &versions[1], group);
    }
}

size_t spare_memory_below(const char *root, enum spare_limit *limit) {
    struct spare s = {root, most, SPARE_MACHINE};
    ask_machine(&s);
    ask_limits(&s);
    ask_cgroups(&s);
    *limit = s.limit;
    return s.bytes;
}

size_t spare_memory(enum spare_limit *limit) {
    return spare_memory_below("", limit);
}
