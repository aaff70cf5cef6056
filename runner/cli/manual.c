/* The manual page: the help text in roff. */
#include <ctype.h>
#include <string.h>

#include "cli/describe.h"

/* Writes a text such that nothing in it is a request or an escape of roff. */
static void put_roff(const char *s, size_t n, FILE *out) {
    if (n && (*s == '.' || *s == '\'')) fputs("\\&", out);
    for (size_t k = 0; k < n; k++) {
        if (s[k] == '\\')
            fputs("\\e", out);
        else
            fprintf(out, "%s%c", s[k] == '-' ? "\\" : "", s[k]);
    }
    fputc('\n', out);
}

/* Whether a line such as "exit codes:" is the head of a list: lower-case letters and blanks up to a colon. */
static bool is_heading(const char *line, size_t n) {
    size_t letters = strspn(line, " abcdefghijklmnopqrstuvwxyz");
    return n > 1 && *line != ' ' && letters == n - 1 && line[letters] == ':';
}

static void put_heading(const char *line, size_t n, FILE *out) {
    fputs(".SH ", out);
    for (size_t k = 0; k + 1 < n; k++)
        fputc(toupper((unsigned char)line[k]), out);
    fputc('\n', out);
}

static void put_bold(const char *s, size_t n, FILE *out) {
    fputs(".B ", out);
    put_roff(s, n, out);
}

/* Writes an entry such as " --json FILE results as JSON": a tag, and behind two blanks its text. */
static void put_item(const char *line, size_t n, FILE *out) {
    size_t tag = 2;
    while (tag < n && strncmp(line + tag, "  ", 2) != 0)
        tag++;
    fputs(".TP\n", out);
    put_bold(line + 2, tag - 2, out);
    while (tag < n && line[tag] == ' ')
        tag++;
    if (tag < n) put_roff(line + tag, n - tag, out);
}

static void put_line(const char *line, size_t n, FILE *out) {
    size_t indent = strspn(line, " ");
    bool usage = strncmp(line, "usage: ", 7) == 0, another = indent == 7 && line[7] == 'c';
    if (another) fputs(".br\n", out);
    if (n == 0)
        fputs(".PP\n", out);
    else if (usage || another)
        put_bold(line + 7, n - 7, out);
    else if (is_heading(line, n))
        put_heading(line, n, out);
    else if (indent == 2)
        put_item(line, n, out);
    else
        put_roff(line + indent, n - indent, out);
}

/* The usage of the tool itself is the page's synopsis; what follows it is the description. */
static void put_section(const char *command, FILE *out) {
    size_t length;
    const char *at = help_find(command, &length), *end = at + length;
    bool described = command != NULL;
    for (const char *line = at; line < end;) {
        size_t n = strcspn(line, "\n");
        if (n == 0 && line != at && !described) {
            fputs(".SH DESCRIPTION\n", out);
            described = true;
        } else if (strncmp(line, "```", 3) != 0 && !(line == at && n == 0)) {
            put_line(line, n, out);
        }
        line += n + 1;
    }
}

void manual_page(FILE *out) {
    fputs(".TH CULITMUS 1 \"\" \"culitmus " CULITMUS_VERSION "\" \"User Commands\"\n"
          ".SH NAME\nculitmus \\- a litmus tester for CUDA GPUs\n.SH SYNOPSIS\n",
          out);
    put_section(NULL, out);
    for (int k = 0; command_at(k); k++) {
        fputs(".SH CULITMUS ", out);
        for (const char *p = command_at(k)->name; *p; p++)
            fputc(toupper((unsigned char)*p), out);
        fputc('\n', out);
        put_section(command_at(k)->name, out);
    }
}
