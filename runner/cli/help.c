/* --help is docs/cli.md: "## culitmus run" and what follows up to the next heading. */
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "embedded_help.h"

/* The text below a heading line, without code fences and the blank line after the heading. */
static void print_section(const char *text, const char *heading, FILE *out) {
    const char *at = strstr(text, heading);
    if (!at) abort(); /* every command has its section */
    at += strlen(heading) + 1;
    const char *end = strstr(at, "\n## ");
    size_t len = end ? (size_t)(end - at) : strlen(at);
    for (const char *line = at; line < at + len;) {
        size_t n = strcspn(line, "\n");
        if (strncmp(line, "```", 3) != 0 && !(line == at && n == 0)) fprintf(out, "%.*s\n", (int)n, line);
        line += n + 1;
    }
}

void help_print(const char *command, FILE *out) {
    char heading[64];
    snprintf(heading, sizeof heading, "\n## culitmus%s%s\n", command ? " " : "", command ? command : "");
    print_section(embedded_find(embedded_help, "cli.md"), heading, out);
}
