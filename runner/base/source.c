#include "base/source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "base/utf8.h"

/* Reads all of a stream, in pieces: a pipe or /dev/stdin has no size. */
static bool read_all(FILE *f, struct text *out) {
    char piece[65536];
    size_t n;
    do {
        n = fread(piece, 1, sizeof piece, f);
        text_add_n(out, piece, n);
        if (out->len > SOURCE_MAX_BYTES) {
            errno = EFBIG;
            return false;
        }
    } while (n == sizeof piece);
    return !ferror(f);
}

/* Whether the path is a named pipe. Opening one would wait for a writer, without a message. A shell's <(...)
 * lies in /dev or /proc and has a writer. */
static bool is_named_pipe(const char *path) {
    struct stat s;
    return strncmp(path, "/dev/", 5) != 0 && strncmp(path, "/proc/", 6) != 0 && stat(path, &s) == 0 &&
           S_ISFIFO(s.st_mode);
}

bool source_load(struct arena *a, const char *path, struct source *src, struct diag *d) {
    struct text text = {0};
    *src = (struct source){.path = arena_strdup(a, path)};
    if (is_named_pipe(path)) {
        diag_error(d, src, (struct pos){0}, "this is a pipe with a name: name a file, or /dev/stdin < %s",
                   path);
        return false;
    }
    FILE *f = fopen(path, "rb");
    bool ok = f && read_all(f, &text);
    if (ok) {
        src->text = arena_strndup(a, text.s ? text.s : "", text.len);
        src->len = text.len;
    } else if (errno == EFBIG) {
        diag_error(d, src, (struct pos){0}, "the file has more than %d MiB, which is more than is read",
                   SOURCE_MAX_BYTES >> 20);
    } else {
        diag_error(d, src, (struct pos){0}, "cannot read the file: %s", strerror(errno));
    }
    if (f) fclose(f);
    text_free(&text);
    return ok;
}

/* Maps a regular file, with a page of zeros behind it so that a NUL ends the text. NULL: it is no regular
 * file, or a small one. */
static char *map_file(int fd, size_t *len) {
    struct stat s;
    if (fd < 0 || fstat(fd, &s) != 0 || !S_ISREG(s.st_mode) || s.st_size <= 1 << 20) return NULL;
    size_t page = (size_t)sysconf(_SC_PAGESIZE), size = (size_t)s.st_size;
    size_t whole = (size + page) / page * page;
    char *text = mmap(NULL, whole, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (text == MAP_FAILED) return NULL;
    if (mmap(text, size, PROT_READ, MAP_PRIVATE | MAP_FIXED, fd, 0) == MAP_FAILED) {
        munmap(text, whole);
        return NULL;
    }
    *len = size;
    return text;
}

bool source_map(struct arena *a, const char *path, struct source *src, struct diag *d) {
    if (strcmp(path, "-") == 0) path = "/dev/stdin";
    int fd = is_named_pipe(path) ? -1 : open(path, O_RDONLY | O_CLOEXEC);
    size_t len = 0;
    char *text = map_file(fd, &len);
    if (fd >= 0) close(fd);
    if (!text) return source_load(a, path, src, d);
    *src = (struct source){.path = arena_strdup(a, path), .text = text, .len = len, .mapped = true};
    return true;
}

void source_forget(const struct source *src, size_t bytes) {
    enum { PIECE = 1 << 24 };
    if (src->mapped && bytes / PIECE > 0)
        madvise((void *)(uintptr_t)(src->text + (bytes / PIECE - 1) * PIECE), PIECE, MADV_DONTNEED);
}

const char *source_origin(const struct source *src, int line) {
    return src && line > 0 && line <= src->norigins ? src->origins[line] : NULL;
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

/* Returns the bytes of a Unicode line end other than LF that the text begins with, or 0. NEL, LINE SEPARATOR
 * and PARAGRAPH SEPARATOR (U+0085, U+2028, U+2029) end a line in YAML, but in no editor. */
static size_t odd_end(const char *s) {
    if (strncmp(s, "\xc2\x85", 2) == 0) return 2;
    return strncmp(s, "\xe2\x80\xa8", 3) == 0 || strncmp(s, "\xe2\x80\xa9", 3) == 0 ? 3 : 0;
}

bool source_check(const struct source *src, struct diag *d) {
    struct pos pos = {1, 1, 1};
    for (size_t i = 0; i < src->len;) {
        const char *s = src->text + i, *problem = NULL;
        uint32_t character;
        size_t len = utf8_decode(s, src->len - i, &character);
        if (len == 0)
            problem = "this is not UTF-8 text";
        else if (*s == '\0')
            problem = "a NUL byte: this is not a text file";
        else if ((*s == '\r' && s[1] != '\n') || odd_end(s))
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
