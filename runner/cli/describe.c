/* `describe`: the completion of a shell, the manual page, or the schema of tests. What the help text says of
 * commands and options is found here, line by line. */
#include "cli/describe.h"

#include <ctype.h>
#include <string.h>

#include "base/text.h"
#include "source/schema.h"

/* Goes through the lines of a help text. */
struct help_lines {
    const char *at, *end;
};

static struct help_lines lines_of(const char *command) {
    size_t length;
    const char *at = help_find(command, &length);
    return (struct help_lines){at, at + length};
}

/* Returns the next line; NULL behind the last. */
static const char *next_line(struct arena *a, struct help_lines *l) {
    if (l->at >= l->end) return NULL;
    size_t n = strcspn(l->at, "\n");
    const char *line = arena_printf(a, "%.*s", (int)n, l->at);
    l->at += n + 1;
    return line;
}

/* Whether a line begins with an option, as " --json FILE results as JSON". */
static bool is_option_line(const char *line) {
    return strncmp(line, "  -", 3) == 0;
}

/* Returns what follows "--NAME" in a line; NULL: it does not have that. */
static const char *after_option(const char *line, const char *name) {
    size_t n = strlen(name);
    if (!is_option_line(line)) return NULL;
    for (const char *p = line; (p = strstr(p, "--")); p++)
        if (strncmp(p + 2, name, n) == 0 && (!p[2 + n] || strchr(" ,", p[2 + n]))) return p + 2 + n;
    return NULL;
}

/* Returns the text beside an option, behind two blanks; NULL: there is none. */
static const char *text_beside(const char *line) {
    const char *gap = strstr(line + 2, "  ");
    return gap ? gap + strspn(gap, " ") : NULL;
}

/* Returns the length of the text up to a mark that ends it, or up to a parenthesis. */
static int first_clause(const char *text) {
    size_t n = strcspn(text, ";:.(");
    while (n && strchr(" ,", text[n - 1]))
        n--;
    return (int)n;
}

const char *help_of_option(struct arena *a, const char *command, const char *option) {
    struct help_lines l = lines_of(command);
    for (const char *line; (line = next_line(a, &l));) {
        if (!after_option(line, option)) continue;
        const char *text = text_beside(line);
        const char *below = text ? NULL : next_line(a, &l);
        if (below) text = below + strspn(below, " ");
        return text ? arena_printf(a, "%.*s", first_clause(text), text) : "";
    }
    return "";
}

/* Adds the fixed words of "auto|cuda|FILE", without placeholders. */
static void add_values(struct text *t, const char *word) {
    size_t length = strcspn(word, " ,");
    for (size_t at = 0; at < length;) {
        size_t n = strcspn(word + at, "| ,");
        if (n && !isupper((unsigned char)word[at])) {
            text_add(t, t->len ? " " : "");
            text_add_n(t, word + at, n);
        }
        at += n + 1;
    }
}

static void add_option_values(struct arena *a, struct text *t, const char *command, const char *option) {
    struct help_lines l = lines_of(command);
    for (const char *line; (line = next_line(a, &l));) {
        const char *after = after_option(line, option);
        if (after && *after == ' ' && after[1] != ' ') add_values(t, after + 1);
    }
}

const char *values_of_option(struct arena *a, const char *command, const char *option) {
    struct text t = {0};
    add_option_values(a, &t, command, option);
    for (int k = 0; command_at(k) && !t.len; k++)
        add_option_values(a, &t, command_at(k)->name, option);
    const char *values = arena_strdup(a, t.len ? t.s : "");
    text_free(&t);
    return values;
}

bool option_takes_file(const char *command, const char *option) {
    struct arena *a = arena_open();
    struct help_lines l = lines_of(command);
    bool file = false;
    for (const char *line; (line = next_line(a, &l));) {
        const char *after = after_option(line, option);
        if (!after || *after != ' ') continue;
        const char *found = strstr(after, "FILE");
        file = file || (found && found < after + 1 + strcspn(after + 1, " ,"));
    }
    arena_close(a);
    return file;
}

const char *help_of_command(struct arena *a, const char *command) {
    struct help_lines l = lines_of(NULL);
    size_t n = strlen(command);
    for (const char *line; (line = next_line(a, &l));)
        if (strncmp(line, "  ", 2) == 0 && strncmp(line + 2, command, n) == 0 && line[2 + n] == ' ')
            return line + 2 + n + strspn(line + 2 + n, " ");
    return "";
}

const char *arguments_of_command(struct arena *a, const char *command) {
    struct help_lines l = lines_of(command);
    for (const char *line; (line = next_line(a, &l));) {
        if (strncmp(line, "usage: ", 7) != 0) continue;
        const char *last = strstr(line, command) + strlen(command), *options = strstr(last, "[OPTIONS]");
        return options ? options + strlen("[OPTIONS]") : last;
    }
    return "";
}

static void put_schema(FILE *out) {
    struct text t = {0};
    schema_write(&t);
    fputs(t.s, out);
    text_free(&t);
}

int command_describe(const struct options *o) {
    const char *what = o->args[0];
    struct arena *a = arena_open();
    int code = EXIT_FINE;
    if (strcmp(what, "bash") == 0)
        complete_bash(a, stdout);
    else if (strcmp(what, "zsh") == 0)
        complete_zsh(a, stdout);
    else if (strcmp(what, "fish") == 0)
        complete_fish(a, stdout);
    else if (strcmp(what, "man") == 0)
        manual_page(stdout);
    else if (strcmp(what, "schema") == 0)
        put_schema(stdout);
    else
        code = usage_error(o->command, "it wants bash, zsh, fish, man or schema, not '%s'", what);
    arena_close(a);
    return code;
}
