/* --help is docs/cli.md: "## culitmus run" and what follows up to the next heading. */
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "embedded_help.h"

const char *help_find(const char *command, size_t *length) {
    char heading[64];
    snprintf(heading, sizeof heading, "\n## culitmus%s%s\n", command ? " " : "", command ? command : "");
    const char *at = strstr(embedded_find(embedded_help, "cli.md"), heading);
    if (!at) {
        fprintf(stderr, "culitmus: docs/cli.md, which is its help, has no section '## culitmus%s%s'\n",
                command ? " " : "", command ? command : "");
        exit(EXIT_INPUT);
    }
    at += strlen(heading) + 1;
    const char *end = strstr(at, "\n## ");
    *length = end ? (size_t)(end - at) : strlen(at);
    return at;
}

/* Prints the text without code fences and without the blank line behind the heading. */
void help_print(const char *command, FILE *out) {
    size_t length;
    const char *at = help_find(command, &length), *end = at + length;
    for (const char *line = at; line < end;) {
        size_t n = strcspn(line, "\n");
        if (strncmp(line, "```", 3) != 0 && !(line == at && n == 0)) fprintf(out, "%.*s\n", (int)n, line);
        line += n + 1;
    }
}

const char *help_reason(const char *given) {
    static const char *const reasons[][2] = {
        {"color", "there are colours on a terminal, unless NO_COLOR is set"},
        {"colour", "there are colours on a terminal, unless NO_COLOR is set"},
        {"no-color", "there are colours on a terminal, unless NO_COLOR is set"},
        {"out", "each format names its file, as in --json FILE"},
        {"output", "each format names its file, as in --json FILE"},
        {"jobs", "all cores that the process may use are used: see taskset(1)"},
        {"threads", "all cores that the process may use are used: see taskset(1)"},
        {"cpu", "it runs nothing"},
        {"gpu", "it runs nothing"},
        {"backend", "it runs nothing"},
        {"version", "'culitmus --version' prints it"}};
    for (size_t k = 0; k < sizeof reasons / sizeof *reasons; k++)
        if (strcmp(given, reasons[k][0]) == 0) return reasons[k][1];
    return NULL;
}
