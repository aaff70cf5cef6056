/* The files that a source includes, for a compiler that does not say which it has read.
 *
 * Whatever looks like an #include counts, also in comments, in strings and behind conditions that do not
 * hold: so no file is read that is not in the list. Headers of the toolkit are not looked into. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/source.h"
#include "compile/job.h"

struct scan {
    struct arena *arena;
    const struct trust *trust;
    const char *const *folders;
    int nfolders;
    struct compile_output *out;
    bool by_macro; /* the name of a file is a macro, so nobody knows which file is read */
};

/* Skips blanks, comments, and line ends behind a backslash. */
static const char *skip_blanks(const char *s) {
    for (;;) {
        const char *from = s;
        while (*s == ' ' || *s == '\t' || *s == '\r' || *s == '\v' || *s == '\f')
            s++;
        if (*s == '\\' && (s[1] == '\n' || (s[1] == '\r' && s[2] == '\n'))) s += s[1] == '\n' ? 2 : 3;
        const char *end = strncmp(s, "/*", 2) == 0 ? strstr(s + 2, "*/") : NULL;
        if (end) s = end + 2;
        if (s == from) return s;
    }
}

/* Skips a word, whose letters may be split over lines by backslashes. */
static const char *take_word(const char *s, const char *word) {
    for (; *word; word++) {
        while (*s == '\\' && (s[1] == '\n' || (s[1] == '\r' && s[2] == '\n')))
            s += s[1] == '\n' ? 2 : 3;
        if (*s++ != *word) return NULL;
    }
    return isalnum((unsigned char)*s) || *s == '_' ? NULL : s;
}

/* Returns what follows the word `include` of a directive whose '#' is at s; NULL: it is another directive. */
static const char *find_name(const char *s) {
    static const char *const words[] = {"include", "include_next", "import"};
    size_t sign = *s == '#'                  ? 1
                  : strncmp(s, "%:", 2) == 0 ? 2
                  : strncmp(s,
                            "?"
                            "?=",
                            3) == 0
                      ? 3
                      : 0;
    for (size_t k = 0; sign && k < sizeof words / sizeof *words; k++) {
        const char *name = take_word(skip_blanks(s + sign), words[k]);
        if (name) return skip_blanks(name);
    }
    return NULL;
}

static void scan_file(struct scan *c, const char *path);

static void add_file(struct scan *c, const char *path) {
    char *real = realpath(path, NULL);
    const char *file = real ? arena_strdup(c->arena, real) : NULL;
    struct compile_output *out = c->out;
    free(real);
    for (int k = 0; file && k < out->nfiles; k++)
        if (strcmp(out->files[k], file) == 0) return;
    if (!file) return;
    out->files = arena_more(c->arena, out->files, (size_t)out->nfiles, sizeof *out->files);
    out->files[out->nfiles++] = file;
    if (trust_find(c->trust, file) != TRUST_COMPILER) scan_file(c, file);
}

/* Adds every file that the name may mean. */
static void add_name(struct scan *c, const char *includer, const char *name, size_t len) {
    const char *slash = strrchr(includer, '/');
    add_file(c, arena_printf(c->arena, "%.*s%.*s", *name == '/' ? 0 : (int)(slash - includer + 1), includer,
                             (int)len, name));
    for (int k = 0; k < c->nfolders; k++)
        add_file(c, arena_printf(c->arena, "%s/%.*s", c->folders[k], (int)len, name));
}

static void scan_file(struct scan *c, const char *path) {
    struct source file;
    struct diag ignored = {0};
    const char *s = source_load(c->arena, path, &file, &ignored) ? file.text : "";
    diag_free(&ignored);
    for (; *s; s++) {
        const char *name = strchr("#%?", *s) ? find_name(s) : NULL;
        if (!name) continue;
        char close = *name == '"' ? '"' : *name == '<' ? '>' : '\0';
        const char *end = close ? strpbrk(name + 1, close == '"' ? "\"\n" : ">\n") : NULL;
        if (end && *end == close)
            add_name(c, path, name + 1, (size_t)(end - name - 1));
        else if (trust_find(c->trust, path) != TRUST_GIVEN)
            c->by_macro = true; /* headers from a -I folder were chosen by whoever gave the command */
    }
}

bool includes_find(struct arena *a, const struct trust *t, const struct compile_job *job, const char *source,
                   struct compile_output *out) {
    struct scan c = {.arena = a, .trust = t, .folders = job->folders, .nfolders = job->nfolders, .out = out};
    add_file(&c, source);
    return !c.by_macro;
}
