/* Texts that are compared with recorded ones, line by line. A difference is printed as such. */
#ifndef CULITMUS_TESTS_RECORDED_H
#define CULITMUS_TESTS_RECORDED_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "unit/cm.h"

struct text_line {
    const char *s;
    int len;
};

/* The lines of a text without their ends, malloc'ed; *n are there. */
static inline struct text_line *recorded_lines(const char *s, size_t *n) {
    struct text_line *lines = calloc(strlen(s) + 1, sizeof *lines);
    assert_non_null(lines);
    for (*n = 0; *s; s += lines[(*n)++].len)
        lines[*n] = (struct text_line){s, (int)strcspn(s, "\n") + (strchr(s, '\n') != NULL)};
    return lines;
}

static inline bool recorded_line_same(struct text_line a, struct text_line b) {
    return a.len == b.len && memcmp(a.s, b.s, (size_t)a.len) == 0;
}

static inline void recorded_print(const char *where, size_t line, char mark, struct text_line l) {
    int len = l.len && l.s[l.len - 1] == '\n' ? l.len - 1 : l.len;
    print_error("%s:%zu: %c %.*s\n", where, line + 1, mark, len, l.s);
}

/* Prints the lines that a longest common subsequence leaves out: "-" for a line of `want`, "+" for one of `got`. */
static inline void recorded_diff(const char *where, const char *want, const char *got) {
    size_t n, m;
    struct text_line *a = recorded_lines(want, &n), *b = recorded_lines(got, &m);
    int *common = calloc((n + 1) * (m + 1), sizeof *common); /* of a[i...] and b[k...] */
    assert_non_null(common);
    for (size_t i = n; i-- > 0;)
        for (size_t k = m; k-- > 0;) {
            int *at = &common[i * (m + 1) + k], left = at[m + 1], right = at[1];
            *at = recorded_line_same(a[i], b[k]) ? at[m + 2] + 1 : left > right ? left : right;
        }
    for (size_t i = 0, k = 0; i < n || k < m;) {
        const int *at = &common[i * (m + 1) + k];
        if (i < n && k < m && recorded_line_same(a[i], b[k]))
            i++, k++;
        else if (i < n && (k == m || at[m + 1] >= at[1]))
            recorded_print(where, i, '-', a[i]), i++;
        else
            recorded_print(where, i, '+', b[k]), k++;
    }
    free(common);
    free(a);
    free(b);
}

/* True when the texts are the same; else says where `got` differs from `want`. */
static inline bool recorded_same(const char *where, const char *want, const char *got) {
    if (strcmp(want, got) == 0) return true;
    recorded_diff(where, want, got);
    return false;
}

/* The text of a file, to be freed; empty when there is none. */
static inline struct text recorded_read(const char *path) {
    struct text t = {0};
    char piece[4096];
    FILE *f = fopen(path, "rb");
    text_add(&t, "");
    for (size_t n; f && (n = fread(piece, 1, sizeof piece, f)) > 0;)
        text_add_n(&t, piece, n);
    if (f) fclose(f);
    return t;
}

static inline void recorded_write(const char *path, const char *text) {
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
}

/* True when a file has this text; else says how it differs. CULITMUS_BLESS=1 in the environment writes the file. */
static inline bool recorded_check(const char *path, const char *got) {
    if (getenv("CULITMUS_BLESS")) recorded_write(path, got);
    struct text want = recorded_read(path);
    bool same = recorded_same(path, want.s, got);
    text_free(&want);
    return same;
}

/* True when the table of a page that begins with the lines `head` has these rows; it ends at an empty line. */
static inline bool recorded_table(const char *page, const char *head, const char *rows) {
    struct text old = recorded_read(page), now = {0};
    const char *from = strstr(old.s, head);
    if (!from) fail_msg("%s has no table '%s'", page, head);
    from += strlen(head);
    text_add_n(&now, old.s, (size_t)(from - old.s));
    text_add(&now, rows);
    const char *end = strstr(from, "\n\n");
    if (end) text_add(&now, end + 1);
    bool same = recorded_check(page, now.s);
    text_free(&old);
    text_free(&now);
    return same;
}

#endif
