#include "base/json.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"

struct json_texts {
    const char **slots; /* a hash table, NULL where free */
    size_t n, cap;
};

struct json_parser {
    const struct json_file *file;
    const struct json_each *each; /* NULL: everything is kept */
    struct arena *nodes;          /* of the values that are read now */
    struct json_texts texts;      /* if a list is handed over: the texts that are kept */
    const char *begin, *at, *end; /* the source is NUL-terminated at `end` */
    const char *counted, *start;  /* how far lines were counted, and where the last one begins */
    int line;
    int depth;
    size_t values;
    bool hand_over; /* the next list is the one whose elements are handed over */
};

/* ---- texts that are kept ---- */

enum { LONGEST = 64 }; /* longer texts rarely occur twice */

/* Returns the hash table's slot that holds the text, or the free slot where it belongs. */
static const char **find_slot(const struct json_texts *t, const char *text) {
    uint64_t hash = 0xcbf29ce484222325;
    for (const char *p = text; *p; p++)
        hash = (hash ^ (unsigned char)*p) * 0x100000001b3;
    size_t k = (hash ^ hash >> 32) & (t->cap - 1);
    while (t->slots[k] && strcmp(t->slots[k], text) != 0)
        k = (k + 1) & (t->cap - 1);
    return &t->slots[k];
}

static void grow_texts(struct json_texts *t) {
    struct json_texts larger = {.n = t->n, .cap = t->cap ? 2 * t->cap : 1024};
    larger.slots = memory_new(larger.cap, sizeof *larger.slots);
    for (size_t k = 0; k < t->cap; k++)
        if (t->slots[k]) *find_slot(&larger, t->slots[k]) = t->slots[k];
    free(t->slots);
    *t = larger;
}

/* Returns a copy of the text in the arena. Each text up to LONGEST bytes is kept once, because the same few
 * words stand in every cell of a large result. */
static const char *keep_text(struct json_texts *t, struct arena *a, const char *text, size_t len) {
    if (len > LONGEST) return arena_strndup(a, text, len);
    if (2 * t->n >= t->cap) grow_texts(t);
    const char **slot = find_slot(t, text);
    if (!*slot) {
        *slot = arena_strndup(a, text, len);
        t->n++;
    }
    return *slot;
}

static void free_texts(struct json_texts *t) {
    free(t->slots);
    *t = (struct json_texts){0};
}

/* ---- reading ---- */

static void go_forward(struct json_parser *p) {
    if (*p->counted++ != '\n') return;
    p->line++;
    p->start = p->counted;
}

static void go_back(struct json_parser *p) {
    if (*--p->counted != '\n') return;
    p->line--;
    for (p->start = p->counted; p->start > p->begin && p->start[-1] != '\n';)
        p->start--;
}

/* Counts lines from where it last stopped. A table of all lines would be too large for a large file. */
static struct pos place(struct json_parser *p, const char *from, const char *to) {
    while (p->counted < from)
        go_forward(p);
    while (p->counted > from)
        go_back(p);
    return (struct pos){p->line, (int)(from - p->start) + 1, (int)(to - from)};
}

/* Leaves an error about the bytes from `from` to `to`. Always returns false. */
static bool fail(struct json_parser *p, const char *from, const char *to, const char *what) {
    diag_error(p->file->diag, p->file->source, place(p, from, to), "this is not JSON: %s", what);
    return false;
}

static void skip_blanks(struct json_parser *p) {
    while (p->at < p->end && (*p->at == ' ' || *p->at == '\t' || *p->at == '\r' || *p->at == '\n'))
        p->at++;
}

static bool accept(struct json_parser *p, char c) {
    skip_blanks(p);
    if (p->at == p->end || *p->at != c) return false;
    p->at++;
    return true;
}

static bool read_hex(struct json_parser *p, uint32_t *out) {
    *out = 0;
    for (int k = 0; k < 4; k++, p->at++) {
        const char *digits = "0123456789abcdef", *found = NULL;
        if (p->at < p->end && *p->at) found = strchr(digits, *p->at | 0x20);
        if (!found || (*p->at < '0')) return false;
        *out = *out << 4 | (uint32_t)(found - digits);
    }
    return true;
}

/* Reads the hexadecimal digits behind "\u": one character, or the two surrogates that stand for one. */
static bool read_code(struct json_parser *p, uint32_t *out) {
    uint32_t low = 0;
    if (!read_hex(p, out)) return false;
    if (*out < 0xd800 || *out > 0xdfff) return *out != 0;
    bool pair = *out < 0xdc00 && p->end - p->at >= 6 && p->at[0] == '\\' && p->at[1] == 'u';
    if (!pair) return false;
    p->at += 2;
    if (!read_hex(p, &low) || low < 0xdc00 || low > 0xdfff) return false;
    *out = 0x10000 + ((*out - 0xd800) << 10) + (low - 0xdc00);
    return true;
}

/* Reads an escape sequence behind its backslash. */
static bool read_escape(struct json_parser *p, uint32_t *out) {
    static const char names[] = "\"\\/bfnrt", means[] = "\"\\/\b\f\n\r\t";
    if (p->at == p->end || !*p->at) return false;
    char c = *p->at++;
    if (c == 'u') return read_code(p, out);
    const char *found = strchr(names, c);
    if (found) *out = (uint32_t)means[found - names];
    return found != NULL;
}

/* Reads the text at a quote into the arena. It is never longer than its source. NULL: it is malformed. */
static const char *read_text(struct json_parser *p) {
    const char *open = p->at++, *close = p->at;
    while (close < p->end && *close != '"')
        close += *close == '\\' && close + 1 < p->end ? 2 : 1;
    char *text = arena_alloc(p->nodes, (size_t)(close - open)), *to = text;
    while (p->at < close) {
        const char *from = p->at;
        uint32_t c;
        size_t len = utf8_decode(from, (size_t)(close - from), &c);
        p->at += len;
        if (len == 0 || c < 0x20)
            return fail(p, from, from + 1, len ? "a control character in a text" : "a text is not UTF-8"),
                   NULL;
        if (c == '\\' && !read_escape(p, &c)) return fail(p, from, p->at, "an unknown escape"), NULL;
        to += utf8_write(c, to);
    }
    if (close == p->end) return fail(p, open, open + 1, "a text does not end"), NULL;
    p->at = close + 1;
    return p->each ? keep_text(&p->texts, p->file->arena, text, (size_t)(to - text)) : text;
}

static void skip_digits(struct json_parser *p) {
    while (p->at < p->end && *p->at >= '0' && *p->at <= '9')
        p->at++;
}

/* -?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)? */
static bool read_number(struct json_parser *p, struct json_value *v) {
    const char *from = p->at, *part;
    if (*p->at == '-') p->at++;
    part = p->at;
    skip_digits(p);
    bool fine = p->at > part && (*part != '0' || p->at == part + 1);
    if (fine && p->at < p->end && *p->at == '.') {
        part = ++p->at;
        skip_digits(p);
        fine = p->at > part;
    }
    if (fine && p->at < p->end && (*p->at | 0x20) == 'e') {
        p->at++;
        if (p->at < p->end && (*p->at == '+' || *p->at == '-')) p->at++;
        part = p->at;
        skip_digits(p);
        fine = p->at > part;
    }
    if (!fine) return fail(p, from, p->at, "a number is not written like that");
    v->kind = JSON_IS_NUMBER;
    v->text = arena_strndup(p->nodes, from, (size_t)(p->at - from));
    return true;
}

static bool read_word(struct json_parser *p, struct json_value *v) {
    static const char *const words[] = {
        [JSON_IS_NULL] = "null", [JSON_IS_FALSE] = "false", [JSON_IS_TRUE] = "true"};
    const char *from = p->at;
    while (p->at < p->end && ((*p->at >= 'a' && *p->at <= 'z') || (*p->at >= 'A' && *p->at <= 'Z')))
        p->at++;
    for (enum json_kind k = JSON_IS_NULL; k <= JSON_IS_TRUE; k++) {
        v->kind = k;
        if (strlen(words[k]) == (size_t)(p->at - from) && memcmp(words[k], from, strlen(words[k])) == 0)
            return true;
    }
    return fail(p, from, p->at > from ? p->at : from + 1,
                p->at > from ? "an unknown word" : "a value is expected here");
}

static struct json_value *read_value(struct json_parser *p);

/* Adds an element to a list, or a member to an object. */
static struct json_value *append(struct json_value *to, struct json_value *last, struct json_value *item) {
    if (last)
        last->next = item;
    else
        to->first = item;
    to->n++;
    return item;
}

static bool read_list(struct json_parser *p, struct json_value *list) {
    struct json_value *last = NULL;
    p->at++;
    if (accept(p, ']')) return true;
    do {
        struct json_value *item = read_value(p);
        if (!item) return false;
        last = append(list, last, item);
    } while (accept(p, ','));
    return accept(p, ']') || fail(p, p->at, p->at + 1, "',' or ']' is expected here");
}

/* Hands each element of a list to the callback, and frees it. */
static bool read_elements(struct json_parser *p, struct json_value *list) {
    struct arena *outer = p->nodes;
    bool fine = true;
    p->at++;
    p->hand_over = false;
    if (accept(p, ']')) return true;
    p->nodes = arena_open();
    do {
        p->values = 0;
        struct json_value *item = read_value(p);
        fine = item != NULL;
        if (fine) p->each->element(p->each->ctx, item);
        list->n++;
        arena_reset(p->nodes);
        source_forget(p->file->source, (size_t)(p->at - p->begin));
    } while (fine && accept(p, ','));
    arena_close(p->nodes);
    p->nodes = outer;
    return fine && (accept(p, ']') || fail(p, p->at, p->at + 1, "',' or ']' is expected here"));
}

static int order(const void *x, const void *y) {
    const struct json_value *const *a = x, *const *b = y;
    int by_name = strcmp((*a)->name, (*b)->name);
    if (by_name) return by_name;
    int line = (*a)->pos.line - (*b)->pos.line;
    return line ? line : (*a)->pos.col - (*b)->pos.col;
}

/* Sorts the members by name for json_find, and refuses two of the same name. */
static bool sort_members(struct json_parser *p, struct json_value *object) {
    size_t k = 0;
    object->by_name = arena_array(p->nodes, object->n, sizeof(struct json_value *));
    for (struct json_value *m = object->first; m; m = m->next)
        object->by_name[k++] = m;
    qsort(object->by_name, object->n, sizeof(struct json_value *), order);
    for (k = 1; k < object->n; k++) {
        const struct json_value *m = object->by_name[k];
        if (strcmp(object->by_name[k - 1]->name, m->name) != 0) continue;
        diag_error(p->file->diag, p->file->source, m->pos, "this is not JSON: '%s' is there twice", m->name);
        return false;
    }
    return true;
}

static bool read_object(struct json_parser *p, struct json_value *object) {
    struct json_value *last = NULL;
    p->at++;
    if (accept(p, '}')) return true;
    do {
        skip_blanks(p);
        if (p->at == p->end || *p->at != '"')
            return fail(p, p->at, p->at + 1, "the name of a member is expected here");
        const char *name = read_text(p);
        if (!name) return false;
        if (!accept(p, ':')) return fail(p, p->at, p->at + 1, "':' is expected here");
        p->hand_over = p->depth == 1 && p->each && strcmp(name, p->each->list) == 0;
        struct json_value *member = read_value(p);
        p->hand_over = false;
        if (!member) return false;
        member->name = name;
        last = append(object, last, member);
    } while (accept(p, ','));
    if (!accept(p, '}')) return fail(p, p->at, p->at + 1, "',' or '}' is expected here");
    return sort_members(p, object);
}

static bool read_kind(struct json_parser *p, struct json_value *v) {
    if (p->at < p->end && *p->at == '{') {
        v->kind = JSON_IS_OBJECT;
        return read_object(p, v);
    }
    if (p->at < p->end && *p->at == '[') {
        v->kind = JSON_IS_LIST;
        return p->hand_over ? read_elements(p, v) : read_list(p, v);
    }
    if (p->at < p->end && *p->at == '"') {
        v->kind = JSON_IS_TEXT;
        return (v->text = read_text(p)) != NULL;
    }
    bool number = p->at < p->end && (*p->at == '-' || (*p->at >= '0' && *p->at <= '9'));
    return number ? read_number(p, v) : read_word(p, v);
}

static struct json_value *read_value(struct json_parser *p) {
    struct json_value *v = arena_alloc(p->nodes, sizeof *v);
    skip_blanks(p);
    const char *from = p->at;
    v->pos = place(p, from, from + 1);
    if (p->depth == JSON_MAX_DEPTH || ++p->values > JSON_MAX_VALUES) {
        diag_error(p->file->diag, p->file->source, v->pos,
                   p->depth == JSON_MAX_DEPTH ? "nested more than %d levels deep" : "more than %d values",
                   p->depth == JSON_MAX_DEPTH ? JSON_MAX_DEPTH : JSON_MAX_VALUES);
        return NULL;
    }
    p->depth++;
    bool fine = read_kind(p, v);
    p->depth--;
    if (v->kind < JSON_IS_LIST) v->pos = place(p, from, p->at);
    return fine ? v : NULL;
}

static struct json_value *read_root(struct json_parser *p) {
    struct json_value *root = read_value(p);
    if (!root) return NULL;
    skip_blanks(p);
    if (p->at == p->end) return root;
    fail(p, p->at, p->at + 1, "the end of the file is expected here");
    return NULL;
}

struct json_value *json_parse_each(const struct json_file *f, const struct json_each *each) {
    const char *text = f->source->text;
    struct json_parser p = {.file = f,
                            .each = each,
                            .nodes = f->arena,
                            .begin = text,
                            .at = text,
                            .end = text + f->source->len,
                            .counted = text,
                            .start = text,
                            .line = 1};
    struct json_value *root = read_root(&p);
    free_texts(&p.texts);
    return root;
}

struct json_value *json_parse(const struct json_file *f) {
    return json_parse_each(f, NULL);
}

/* ---- values ---- */

void json_wrong(const struct json_file *f, const struct json_value *at, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    const char *what = arena_vprintf(f->arena, fmt, ap);
    va_end(ap);
    diag_error(f->diag, f->source, at->pos, "%s", what);
}

static int compare_name(const void *name, const void *member) {
    return strcmp(name, (*(const struct json_value *const *)member)->name);
}

const struct json_value *json_find(const struct json_value *object, const char *name) {
    if (!object || object->kind != JSON_IS_OBJECT || object->n == 0) return NULL;
    struct json_value **found =
        bsearch(name, object->by_name, object->n, sizeof(struct json_value *), compare_name);
    return found ? *found : NULL;
}

const struct json_value *json_get(const struct json_file *f, const struct json_value *object,
                                  const char *name, enum json_kind kind) {
    static const char *const kinds[] = {
        [JSON_IS_NULL] = "null",       [JSON_IS_FALSE] = "false", [JSON_IS_TRUE] = "true",
        [JSON_IS_NUMBER] = "a number", [JSON_IS_TEXT] = "a text", [JSON_IS_LIST] = "a list",
        [JSON_IS_OBJECT] = "an object"};
    const struct json_value *value = json_find(object, name);
    if (value && value->kind == kind) return value;
    if (value)
        json_wrong(f, value, "'%s' is not %s", name, kinds[kind]);
    else if (object)
        json_wrong(f, object, "'%s' is missing", name);
    return NULL;
}

const char *json_get_text(const struct json_file *f, const struct json_value *object, const char *name) {
    const struct json_value *value = json_get(f, object, name, JSON_IS_TEXT);
    return value ? value->text : "";
}

bool json_whole(const struct json_file *f, const struct json_value *value, const char *name, long long least,
                long long most, long long *out) {
    if (value->kind != JSON_IS_NUMBER || strpbrk(value->text, ".eE")) {
        json_wrong(f, value, "'%s' is not a whole number", name);
        return false;
    }
    errno = 0;
    long long v = strtoll(value->text, NULL, 10);
    if (errno == ERANGE || v < least || v > most) {
        json_wrong(f, value, "'%s' is %s, out of its range %lld to %lld", name, value->text, least, most);
        return false;
    }
    *out = v;
    return true;
}

long long json_get_whole(const struct json_file *f, const struct json_value *object, const char *name,
                         long long least, long long most) {
    const struct json_value *value = json_find(object, name);
    long long v = 0;
    if (!value && object) json_wrong(f, object, "'%s' is missing", name);
    return value && json_whole(f, value, name, least, most, &v) ? v : 0;
}

double json_get_real(const struct json_file *f, const struct json_value *object, const char *name) {
    const struct json_value *value = json_get(f, object, name, JSON_IS_NUMBER);
    double v = value ? strtod(value->text, NULL) : 0;
    if (isfinite(v)) return v;
    json_wrong(f, value, "'%s' is %s: larger than any number that counts here", name, value->text);
    return 0;
}
