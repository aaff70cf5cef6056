#include "report/html.h"

#include <ctype.h>
#include <string.h>

#include "base/arena.h"
#include "base/foreign.h"

struct highlight {
    struct arena *arena;
    FILE *out;
    bool prose; /* the value of the key above is prose, in which no words are highlighted */
};

static void put(struct highlight *h, const char *class, const char *s, size_t n) {
    if (class) fprintf(h->out, "<span class=\"%s\">", class);
    foreign_html(arena_strndup(h->arena, s, n), h->out);
    if (class) fputs("</span>", h->out);
}

static bool is_word(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

/* Returns the length of the key, with its colon, at the begin of a line of YAML; or 0. */
static size_t key_length(const char *s, const char *end) {
    size_t n = 0;
    while (s + n < end && (is_word(s[n]) || strchr("+.-", s[n])))
        n++;
    bool key = n > 0 && s + n < end && s[n] == ':' && (s + n + 1 == end || s[n + 1] == ' ');
    return key ? n + 1 : 0;
}

static size_t text_length(const char *s, const char *end) {
    size_t n = 1;
    while (s + n < end && s[n] != *s)
        n += s[n] == '\\' && s + n + 1 < end ? 2 : 1;
    return s + n < end ? n + 1 : n;
}

static const char *class_of_word(const char *s, size_t n, const char *end) {
    static const char *const words[] = {"if",     "else",  "while",  "do",        "for",      "int",
                                        "exists", "true",  "false",  "forall",    "unsigned", "float",
                                        "bool",   "break", "return", "not_exists"};
    if (isdigit((unsigned char)*s)) return "d";
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (strlen(words[k]) == n && memcmp(words[k], s, n) == 0) return "w";
    return s + n < end && s[n] == '(' ? "w" : NULL;
}

static bool is_remark(const char *line, const char *s, const char *end) {
    if (*s == '#') return s == line || s[-1] == ' ';
    return s + 1 < end && *s == '/' && s[1] == '/';
}

static bool is_prose(const char *key, size_t n) {
    static const char *const keys[] = {"title:", "doc:", "source:"};
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
        if (strlen(keys[k]) == n && memcmp(keys[k], key, n) == 0) return true;
    return false;
}

static void put_line(struct highlight *h, const char *line, const char *end) {
    const char *s = line;
    while (s < end && (*s == ' ' || (*s == '-' && s + 1 < end && s[1] == ' ')))
        s++;
    size_t key = key_length(s, end), n;
    if (line < end && s == line) h->prose = is_prose(s, key);
    if (h->prose && s > line) key = 0;
    put(h, NULL, line, (size_t)(s - line));
    if (key) put(h, "k", s, key);
    s += key;
    if (h->prose) put(h, NULL, s, (size_t)(end - s));
    for (; s < end && !h->prose; s += n) {
        const char *class = NULL;
        n = 1;
        if (is_remark(line, s, end)) {
            class = "r";
            n = (size_t)(end - s);
        } else if (*s == '"') {
            class = "s";
            n = text_length(s, end);
        } else if (is_word(*s)) {
            while (s + n < end && is_word(s[n]))
                n++;
            class = class_of_word(s, n, end);
        } else {
            while (s + n < end && !is_word(s[n]) && !strchr("\"#/", s[n]))
                n++;
        }
        put(h, class, s, n);
    }
}

void highlight_put(const char *text, const char *id, bool (*wrong)(int line, const void *ctx),
                   const void *ctx, FILE *out) {
    struct highlight h = {.arena = arena_open(), .out = out};
    int number = 1;
    for (const char *line = text; *line; number++) {
        const char *end = strchr(line, '\n');
        if (!end) end = line + strlen(line);
        const char *last = end > line && end[-1] == '\r' ? end - 1 : end;
        fprintf(out, "<span class=\"l%s\" id=\"%s%d\">", wrong && wrong(number, ctx) ? " wrong" : "", id,
                number);
        put_line(&h, line, last);
        fputs("\n</span>", out);
        line = *end ? end + 1 : end;
    }
    arena_close(h.arena);
}
