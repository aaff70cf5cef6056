/* Where the lines of a PTX come from (PTX ISA, "Debugging Directives": .file and .loc).
 *
 *   .file 2 "h.h"
 *   .loc 1 7 3                                                what follows stands in line 7 of file 1
 *   .loc 2 152 5, function_name $L__info_string0, inlined_at 1 7 3    and this in file 2, in a call there
 *
 * A call is named by its own place, which an earlier .loc has; it may be within a call again. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptx/ptx.h"

/* A .loc. */
struct loc {
    int file, line, col;
    int call;           /* the .loc of the call that it is in; -1: none */
    const char *origin; /* NULL: not computed yet */
};

struct origins {
    struct arena *arena;
    const char **files; /* by number */
    int nfiles;
    struct loc *locs;
    int nlocs;
};

enum { MAX_FILES = 100000 };

static void read_file(struct origins *o, const char *s) {
    char *end;
    long number = strtol(s, &end, 10);
    const char *from = strchr(end, '"'), *to = from ? strchr(from + 1, '"') : NULL;
    if (!to || memchr(end, '\n', (size_t)(to - end)) || number < 0 || number > MAX_FILES) return;
    if (number >= o->nfiles) {
        o->files = arena_grow(o->arena, o->files, (size_t)o->nfiles, (size_t)number + 1, sizeof *o->files);
        o->nfiles = (int)number + 1;
    }
    o->files[number] = arena_strndup(o->arena, from + 1, (size_t)(to - from - 1));
}

/* Returns the last .loc with this position; -1: none. */
static int find_loc(const struct origins *o, int file, int line, int col) {
    for (int k = o->nlocs - 1; k >= 0; k--)
        if (o->locs[k].line == line && o->locs[k].file == file && o->locs[k].col == col) return k;
    return -1;
}

static void read_loc(struct origins *o, const char *s) {
    static const char inlined[] = "inlined_at ";
    struct loc loc = {.call = -1};
    int file, line, col;
    if (sscanf(s, "%d %d %d", &loc.file, &loc.line, &loc.col) != 3) return;
    const char *call = memmem(s, strcspn(s, "\n"), inlined, strlen(inlined));
    if (call && sscanf(call + strlen(inlined), "%d %d %d", &file, &line, &col) == 3)
        loc.call = find_loc(o, file, line, col);
    o->locs = arena_more(o->arena, o->locs, (size_t)o->nlocs, sizeof *o->locs);
    o->locs[o->nlocs++] = loc;
}

static const char *file_of(const struct origins *o, const struct loc *loc) {
    const char *name = loc->file >= 0 && loc->file < o->nfiles ? o->files[loc->file] : NULL;
    return name ? name : "?";
}

static bool is_source(const char *file) {
    size_t n = strlen(file);
    return n > 3 && strcmp(file + n - 3, ".cu") == 0;
}

/* Returns such as "k.cu:7 (h.h:152)": the innermost line of a .cu file, or if there is none the outermost
 * line; and in parentheses the line of the instruction itself. */
static const char *origin_of(struct origins *o, int number) {
    struct loc *own = &o->locs[number];
    const struct loc *user = own;
    if (own->origin) return own->origin;
    while (!is_source(file_of(o, user)) && user->call >= 0)
        user = &o->locs[user->call];
    const char *file = file_of(o, user);
    own->origin = arena_printf(o->arena, "%s:%d", file, user->line);
    if (strcmp(file, file_of(o, own)) != 0)
        own->origin = arena_printf(o->arena, "%s (%s:%d)", own->origin, file_of(o, own), own->line);
    return own->origin;
}

/* If a line has this directive, returns what follows it, else NULL. */
static const char *behind(const char *line, const char *directive) {
    line += strspn(line, " \t");
    size_t n = strlen(directive);
    return strncmp(line, directive, n) == 0 && (line[n] == ' ' || line[n] == '\t') ? line + n : NULL;
}

/* Reads all .file directives, which may come behind the code, and finds where each line comes from. */
const struct source *ptx_find_origins(struct arena *a, const struct source *src) {
    struct origins o = {.arena = a};
    struct lines lines = source_lines(a, src);
    const char **origins = arena_array(a, lines.n + 1, sizeof *origins), *rest;
    for (size_t k = 0; k < lines.n; k++)
        if ((rest = behind(src->text + lines.start[k], ".file"))) read_file(&o, rest);
    int now = -1;
    for (size_t k = 0; k < lines.n; k++) {
        const char *line = src->text + lines.start[k];
        if ((rest = behind(line, ".loc"))) {
            read_loc(&o, rest);
            now = o.nlocs - 1;
        }
        if (*line == '}') now = -1; /* a function ends here */
        if (now >= 0) origins[k + 1] = origin_of(&o, now);
    }
    if (o.nlocs == 0) return src;
    struct source *found = arena_alloc(a, sizeof *found);
    *found = *src;
    found->origins = origins;
    found->norigins = (int)lines.n;
    return found;
}
