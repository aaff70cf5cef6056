#include "litmus/source.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

/* Reads all of a stream, in pieces: a pipe or /dev/stdin has no size. */
static bool read_all(FILE *f, struct text *out) {
    char piece[65536];
    size_t n;
    while ((n = fread(piece, 1, sizeof piece, f)) > 0) {
        text_add_n(out, piece, n);
        if (out->len > SOURCE_MAX_BYTES) {
            errno = EFBIG;
            return false;
        }
    }
    return !ferror(f);
}

bool source_load(struct arena *a, const char *path, struct source *src, struct diag *d) {
    struct text text = {0};
    FILE *f = fopen(path, "rb");
    bool ok = f && read_all(f, &text);
    *src = (struct source){.path = arena_strdup(a, path)};
    if (ok) {
        src->text = arena_strndup(a, text.s ? text.s : "", text.len);
        src->len = text.len;
    } else {
        diag_error(d, src, (struct pos){0}, "cannot read the file: %s", strerror(errno));
    }
    if (f) fclose(f);
    text_free(&text);
    return ok;
}

size_t source_mark(const struct source *src) {
    return src->len >= 3 && memcmp(src->text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
}

struct lines source_lines(struct arena *a, const struct source *src) {
    size_t n = 1;
    for (size_t i = 0; i < src->len; i++)
        n += src->text[i] == '\n';
    struct lines lines = {arena_array(a, n, sizeof(size_t)), 1};
    for (size_t i = 0; i < src->len; i++)
        if (src->text[i] == '\n') lines.start[lines.n++] = i + 1;
    return lines;
}

struct pos source_pos(const struct lines *lines, size_t offset, size_t len) {
    size_t low = 0, high = lines->n;
    while (high - low > 1) { /* start[low] <= offset < start[high] */
        size_t middle = (low + high) / 2;
        if (lines->start[middle] <= offset)
            low = middle;
        else
            high = middle;
    }
    return (struct pos){(int)low + 1, (int)(offset - lines->start[low]) + 1, (int)len};
}

/* Bytes of the UTF-8 character at s[0..n), or 0 when it is none (RFC 3629). */
static size_t utf8_length(const unsigned char *s, size_t n) {
    if (s[0] < 0x80) return 1;
    size_t len = s[0] >= 0xc2 && s[0] <= 0xdf   ? 2
                 : s[0] >> 4 == 14              ? 3
                 : s[0] >= 0xf0 && s[0] <= 0xf4 ? 4
                                                : 0;
    if (len == 0 || len > n) return 0;
    for (size_t i = 1; i < len; i++)
        if (s[i] >> 6 != 2) return 0;
    bool overlong = (s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xf0 && s[1] < 0x90);
    bool beyond = (s[0] == 0xf4 && s[1] > 0x8f) || (s[0] == 0xed && s[1] > 0x9f); /* or a surrogate */
    return overlong || beyond ? 0 : len;
}

/* NEL, LINE SEPARATOR and PARAGRAPH SEPARATOR end a line for YAML, but for no editor. */
size_t source_odd_end(const char *s) {
    if (strncmp(s, "\xc2\x85", 2) == 0) return 2;
    return strncmp(s, "\xe2\x80\xa8", 3) == 0 || strncmp(s, "\xe2\x80\xa9", 3) == 0 ? 3 : 0;
}

bool source_check(const struct source *src, struct diag *d) {
    struct pos pos = {1, 1, 1};
    for (size_t i = 0; i < src->len;) {
        const char *s = src->text + i, *problem = NULL;
        size_t len = utf8_length((const unsigned char *)s, src->len - i);
        if (len == 0)
            problem = "this is not UTF-8 text";
        else if (*s == '\0')
            problem = "a NUL byte: this is not a text file";
        else if ((*s == '\r' && s[1] != '\n') || source_odd_end(s))
            problem = "a line ends in an unusual character; use LF or CR LF";
        if (problem) {
            diag_error(d, src, pos, "%s", problem);
            return false;
        }
        i += len;
        pos.col += (int)len;
        if (*s == '\n') pos = (struct pos){pos.line + 1, 1, 1};
    }
    return true;
}
