/* The errors of compilers:
 *
 *   k.cu(7): error: identifier "x" is undefined               nvcc and NVRTC
 *   k.cu:7:10: fatal error: x.h: No such file or directory    the preprocessor of the host's compiler */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "compile/job.h"

/* Reads the place that ends just before `end`, such as "k.cu(7)" or "k.cu:7:10". */
static bool read_place(struct arena *a, const char *line, const char *end, struct log_error *out) {
    const char *open = memrchr(line, '(', (size_t)(end - line));
    if (end > line && end[-1] == ')' && open) {
        out->line = atoi(open + 1);
        out->file = arena_strndup(a, line, (size_t)(open - line));
        return out->line > 0;
    }
    const char *second = memrchr(line, ':', (size_t)(end - line));
    const char *first = second ? memrchr(line, ':', (size_t)(second - line)) : NULL;
    if (!first || !isdigit((unsigned char)second[1])) return false;
    out->line = atoi(first + 1);
    out->col = atoi(second + 1);
    out->file = arena_strndup(a, line, (size_t)(first - line));
    return out->line > 0;
}

/* Reads a line of a log. Returns false if it is no error with a place. */
static bool read_line(struct arena *a, const char *line, size_t len, struct log_error *out) {
    static const char *const words[] = {": error: ", ": fatal error: ", ": catastrophic error: ", ": error "};
    for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
        const char *word = memmem(line, len, words[k], strlen(words[k]));
        *out = (struct log_error){0};
        if (!word || !read_place(a, line, word, out)) continue;
        const char *text = word + strlen(words[k]);
        out->text = arena_strndup(a, text, (size_t)(line + len - text));
        return true;
    }
    return false;
}

/* Reads the source line that nvcc quotes below its error, indented, and the column at which it points in the
 * line below that. */
static void read_quote(struct arena *a, const char *quote, struct log_error *out) {
    size_t len = strcspn(quote, "\n");
    const char *caret = quote + len;
    if (strncmp(quote, "  ", 2) != 0 || *caret != '\n') return;
    caret++;
    size_t col = strspn(caret, " ");
    if (caret[col] != '^' || col < 2) return;
    out->quoted = arena_strndup(a, quote + 2, len - 2);
    out->quoted_col = (int)col - 1;
}

bool log_find_error(struct arena *a, const char *log, struct log_error *out) {
    for (const char *line = log; *line;) {
        size_t len = strcspn(line, "\n");
        if (read_line(a, line, len, out)) {
            if (line[len]) read_quote(a, line + len + 1, out);
            return true;
        }
        line += len + (line[len] == '\n');
    }
    return false;
}

const char *log_find_reason(struct arena *a, const char *log) {
    for (const char *line = log; *line;) {
        size_t len = strcspn(line, "\n");
        if (memmem(line, len, ": ", 2)) return arena_strndup(a, line, len);
        line += len + (line[len] == '\n');
    }
    return "the compiler does not say why";
}
