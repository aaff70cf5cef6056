#include "base/diag.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/foreign.h"
#include "base/memory.h"
#include "base/source.h"
#include "base/text.h"
#include "base/utf8.h"

/* A message about a file may quote it. What goes beyond this many bytes is cut off. */
enum { LONGEST_MESSAGE = 400 };
/* How many columns of a source line are shown, and where the caret stands in a line that is cut. */
enum { SHOWN_COLUMNS = 100, CARET_COLUMN = 60 };

void diag_free(struct diag *d) {
    for (size_t i = 0; i < d->n; i++)
        free(d->messages[i].text);
    free(d->messages);
    *d = (struct diag){0};
}

/* Whether a message will be kept: an error or warning if there is room for it, a note only if the message
 * that it explains was kept. */
static bool is_kept(const struct diag *d, enum severity severity) {
    switch (severity) {
    case DIAG_ERROR: return d->errors <= DIAG_MAX_ERRORS;
    case DIAG_WARNING: return d->warnings <= DIAG_MAX_ERRORS;
    case DIAG_NOTE: return d->errors <= DIAG_MAX_ERRORS && d->warnings <= DIAG_MAX_ERRORS;
    }
    return true;
}

/* Counts a message. Returns whether it is also kept. */
static bool count(struct diag *d, enum severity severity) {
    if (severity == DIAG_ERROR) d->errors++;
    if (severity == DIAG_WARNING) d->warnings++;
    return is_kept(d, severity);
}

static void keep(struct diag *d, struct message m) {
    if (d->n == d->cap) {
        d->cap = d->cap ? 2 * d->cap : 8;
        d->messages = memory_resize(d->messages, d->cap, sizeof *d->messages);
    }
    d->messages[d->n++] = m;
}

static void add(struct diag *d, enum severity severity, const struct source *src, struct pos pos,
                const char *fmt, va_list ap) {
    if (!count(d, severity)) return;
    struct text text = {0};
    text_vprintf(&text, fmt, ap);
    if (src && text.len > LONGEST_MESSAGE) {
        text.len = LONGEST_MESSAGE;
        while ((text.s[text.len] & 0xc0) == 0x80)
            text.len--; /* do not cut inside a UTF-8 character */
        text_add(&text, " ...");
    }
    keep(d, (struct message){severity, src, pos, text.s});
}

void diag_error(struct diag *d, const struct source *src, struct pos pos, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    add(d, DIAG_ERROR, src, pos, fmt, ap);
    va_end(ap);
}

void diag_warning(struct diag *d, const struct source *src, struct pos pos, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    add(d, DIAG_WARNING, src, pos, fmt, ap);
    va_end(ap);
}

void diag_note(struct diag *d, const struct source *src, struct pos pos, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    add(d, DIAG_NOTE, src, pos, fmt, ap);
    va_end(ap);
}

void diag_fail(struct diag *d, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    add(d, DIAG_ERROR, NULL, (struct pos){0}, fmt, ap);
    va_end(ap);
}

const char *diag_first_error(const struct diag *d) {
    for (size_t i = 0; i < d->n; i++)
        if (d->messages[i].severity == DIAG_ERROR) return d->messages[i].text;
    return NULL;
}

void diag_place(struct diag *d, size_t first, const struct source *src, struct pos pos) {
    for (size_t i = first; i < d->n; i++) {
        if (d->messages[i].source) continue;
        d->messages[i].source = src;
        d->messages[i].pos = pos;
    }
}

void diag_join(struct diag *d, struct diag *from) {
    size_t errors = d->errors + from->errors, warnings = d->warnings + from->warnings;
    for (size_t i = 0; i < from->n; i++) {
        struct message m = from->messages[i];
        if (count(d, m.severity))
            keep(d, m);
        else
            free(m.text);
    }
    d->errors = errors; /* this includes the errors that `from` counted but did not keep */
    d->warnings = warnings;
    free(from->messages);
    *from = (struct diag){0};
}

static bool is_before(struct pos a, struct pos b) {
    return a.line != b.line ? a.line < b.line : a.col < b.col;
}

/* A group is a message and its notes. Returns the number of the message behind the group of message i. */
static size_t group_end(const struct diag *d, size_t i) {
    do
        i++;
    while (i < d->n && d->messages[i].severity == DIAG_NOTE);
    return i;
}

void diag_sort(struct diag *d, size_t first) {
    for (size_t i = first, end; i < d->n; i = end) { /* the groups of first .. i are sorted */
        size_t to = first;
        end = group_end(d, i);
        while (to < i && !is_before(d->messages[i].pos, d->messages[to].pos))
            to = group_end(d, to);
        for (size_t k = i; to < i && k < end; k++) { /* move message k down to `to` */
            struct message moved = d->messages[k];
            size_t at = to + (k - i);
            memmove(d->messages + at + 1, d->messages + at, (k - at) * sizeof moved);
            d->messages[at] = moved;
        }
    }
}

/* Adds the character at s[0..n) in a form that is safe to show. Returns its length in bytes; *columns is its
 * width. */
static size_t add_visible(struct text *out, const char *s, size_t n, int *columns) {
    uint32_t c;
    size_t len = utf8_decode(s, n, &c);
    size_t before = out->len;
    if (len == 0) {
        text_printf(out, "\\x%02x", (unsigned char)s[0]);
        len = 1;
    } else if (foreign_is_plain(c)) {
        text_add_n(out, s, len);
        *columns = 1;
        return len;
    } else if (c == '\t') {
        text_add(out, "\\t");
    } else {
        text_printf(out, c < 0x80 ? "\\x%02x" : "\\u%04x", c);
    }
    *columns = (int)(out->len - before);
    return len;
}

/* Returns the bytes of line `line` without its line end. */
static const char *find_line(const struct source *src, int line, size_t *len) {
    const char *s = src->text, *end = src->text + src->len;
    for (int k = 1; k < line && s < end; k++) {
        const char *newline = memchr(s, '\n', (size_t)(end - s));
        s = newline ? newline + 1 : end;
    }
    const char *newline = memchr(s, '\n', (size_t)(end - s));
    *len = (size_t)((newline ? newline : end) - s);
    if (*len && s[*len - 1] == '\r') --*len;
    return s;
}

/* A source line as it is shown: its text and the columns that the underline covers. */
struct excerpt {
    struct text text;
    int from, to;
};

/* Cuts the line so that it begins at most about CARET_COLUMN columns left of the caret, and has at most
 * SHOWN_COLUMNS. */
static struct excerpt make_excerpt(const char *line, size_t len, struct pos pos) {
    struct excerpt ex = {.from = -1, .to = -1};
    size_t caret = pos.col > 0 ? (size_t)(pos.col - 1) : 0;
    size_t end = caret + (pos.len > 1 ? (size_t)pos.len : 1);
    if (caret > len) caret = len;
    int column = 0;
    size_t i = 0;
    if (caret > CARET_COLUMN && len > SHOWN_COLUMNS) {
        i = caret - CARET_COLUMN;
        while (i < caret && (line[i] & 0xc0) == 0x80)
            i++; /* not inside a character */
        text_add(&ex.text, "...");
        column = 3;
    }
    while (i < len) {
        int columns;
        if (i >= caret && ex.from < 0) ex.from = column;
        if (i >= end && ex.to < 0) ex.to = column;
        if (column >= SHOWN_COLUMNS) {
            text_add(&ex.text, "...");
            break;
        }
        i += add_visible(&ex.text, line + i, len - i, &columns);
        column += columns;
    }
    if (ex.from < 0) ex.from = column;
    if (ex.to < 0) ex.to = column;
    if (ex.to <= ex.from) ex.to = ex.from + 1;
    return ex;
}

static void render_excerpt(const struct message *m, FILE *out, bool color) {
    size_t len;
    const char *line = find_line(m->source, m->pos.line, &len);
    struct excerpt ex = make_excerpt(line, len, m->pos);
    bool empty = ex.text.len == 0;
    fprintf(out, "%5d |%s%s\n      | %*s", m->pos.line, empty ? "" : " ", empty ? "" : ex.text.s, ex.from,
            "");
    if (color) fputs("\033[1;32m", out);
    fputc('^', out);
    for (int i = ex.from + 1; i < ex.to; i++)
        fputc('~', out);
    fputs(color ? "\033[0m\n" : "\n", out);
    text_free(&ex.text);
}

/* Prints a text that may quote a file, with its control characters made visible. `lines`: the text is a
 * compiler's output, so its line ends stay, but a line that begins a command of a CI system is defused. */
static void render_text(const char *s, bool lines, FILE *out) {
    struct text text = {0};
    int columns;
    bool head = true;
    for (size_t n = strlen(s); n;) {
        size_t len = 1;
        if (head && foreign_is_command(s) && *s != ' ' && *s != '\t' && *s != '\n')
            text_printf(&text, "\\x%02x", (unsigned char)*s);
        else if ((*s == '\n' && lines) || *s == '\t')
            text_add_n(&text, s, 1);
        else
            len = add_visible(&text, s, n, &columns);
        head = (*s == '\n' && lines) || (head && (*s == ' ' || *s == '\t'));
        s += len;
        n -= len;
    }
    fputs(text.s ? text.s : "", out);
    text_free(&text);
}

static void render_message(const struct message *m, FILE *out, bool color) {
    static const char *const names[] = {"error", "warning", "note"};
    static const char *const colors[] = {"\033[1;31m", "\033[1;35m", "\033[1;36m"};
    if (color) fputs("\033[1m", out);
    const char *origin = source_origin(m->source, m->pos.line);
    render_text(origin ? origin : m->source ? m->source->path : "culitmus", false, out);
    if (m->source && m->pos.line > 0 && !origin) fprintf(out, ":%d:%d", m->pos.line, m->pos.col);
    fputs(": ", out);
    if (color) fputs(colors[m->severity], out);
    fprintf(out, "%s: ", names[m->severity]);
    if (color) fputs("\033[0m\033[1m", out);
    render_text(m->text, !m->source, out);
    fputs(color ? "\033[0m\n" : "\n", out);
    if (m->source && m->source->text && m->pos.line > 0) render_excerpt(m, out, color);
}

void diag_render(const struct diag *d, FILE *out, bool color) {
    for (size_t i = 0; i < d->n; i++)
        render_message(&d->messages[i], out, color);
    if (d->errors > DIAG_MAX_ERRORS)
        fprintf(out, "culitmus: %zu more errors are not shown\n", d->errors - DIAG_MAX_ERRORS);
    if (d->warnings > DIAG_MAX_ERRORS)
        fprintf(out, "culitmus: %zu more warnings are not shown\n", d->warnings - DIAG_MAX_ERRORS);
}

/* For longer words no suggestion is made. */
enum { LONGEST_WORD = 64 };

/* Returns the optimal string alignment distance: how many insertions, deletions, replacements and swaps of
 * neighbours turn one word into the other (Damerau, CACM 1964). */
static size_t edit_distance(const char *a, size_t n, const char *b, size_t m) {
    size_t rows[3][LONGEST_WORD + 1];
    for (size_t j = 0; j <= m; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= n; i++) {
        size_t *now = rows[i % 3], *above = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];
        now[0] = i;
        for (size_t j = 1; j <= m; j++) {
            size_t best = above[j - 1] + (a[i - 1] != b[j - 1]);
            if (above[j] + 1 < best) best = above[j] + 1;
            if (now[j - 1] + 1 < best) best = now[j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && before[j - 2] + 1 < best)
                best = before[j - 2] + 1;
            now[j] = best;
        }
    }
    return rows[n % 3][m];
}

const char *diag_nearest(const char *word, const char *const *candidates, size_t n) {
    size_t len = strlen(word), best = SIZE_MAX;
    const char *nearest = NULL;
    if (len > LONGEST_WORD) return NULL;
    for (size_t i = 0; i < n; i++) {
        size_t m = strlen(candidates[i]);
        if (m > LONGEST_WORD) continue;
        size_t distance = edit_distance(word, len, candidates[i], m);
        size_t longer = len > m ? len : m;
        if (distance <= (longer + 1) / 3 && distance < longer && distance < best) {
            best = distance;
            nearest = candidates[i];
        }
    }
    return nearest;
}
