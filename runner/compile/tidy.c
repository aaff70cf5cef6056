#include <string.h>

#include "compile/job.h"

/* Writes a line such as .file 2 "/usr/include/h.h", 1, 2 with a name for people. */
static void add_file(struct arena *a, const struct trust *t, const char *line, size_t len, struct text *out) {
    const char *from = memchr(line, '"', len);
    const char *to = from ? memchr(from + 1, '"', len - (size_t)(from + 1 - line)) : NULL;
    if (!to) return;
    const char *path = arena_strndup(a, from + 1, (size_t)(to - from - 1));
    text_printf(out, "%.*s%s\"\n", (int)(from + 1 - line), line, trust_name(a, t, path));
}

/* Returns what follows a section, which ends in a line with a brace. */
static const char *skip_section(const char *line) {
    const char *end = strstr(line, "\n\t}");
    return end ? end + 3 + strcspn(end + 3, "\n") : line + strlen(line);
}

static bool begins(const char *line, const char *directive) {
    line += strspn(line, " \t");
    return strncmp(line, directive, strlen(directive)) == 0;
}

char *tidy_ptx(struct arena *a, const struct trust *t, const char *ptx) {
    struct text out = {0};
    for (const char *line = ptx; *line; line += *line == '\n') {
        size_t len = strcspn(line, "\n");
        if (begins(line, ".section")) {
            line = skip_section(line);
            continue;
        }
        if (begins(line, ".file"))
            add_file(a, t, line, len, &out);
        else
            text_printf(&out, "%.*s\n", (int)len, line);
        line += len;
    }
    char *tidied = arena_strdup(a, out.s ? out.s : "");
    text_free(&out);
    return tidied;
}
