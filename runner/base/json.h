/* JSON (RFC 8259) as a tree of values that know where they stand.
 *
 * Refused beside what is no JSON: a member named twice in its object, a NUL in a text, half a surrogate pair,
 * and what nests or holds more than any file of ours. Everything lives in the arena. */
#ifndef CULITMUS_JSON_H
#define CULITMUS_JSON_H

#include "base/source.h"

enum json_kind {
    JSON_IS_NULL,
    JSON_IS_FALSE,
    JSON_IS_TRUE,
    JSON_IS_NUMBER,
    JSON_IS_TEXT,
    JSON_IS_LIST,
    JSON_IS_OBJECT,
};

enum { JSON_MAX_DEPTH = 64, JSON_MAX_VALUES = 4 << 20 };

struct json_value {
    enum json_kind kind;
    struct pos pos;              /* a list or an object by its bracket */
    const char *name;            /* of a member; NULL: it is none */
    const char *text;            /* a text: what it says; a number: as it is written */
    struct json_value *first;    /* a list or an object: its first element or member */
    struct json_value *next;     /* the next element or member of the list or object around it */
    struct json_value **by_name; /* an object: its members, sorted */
    size_t n;                    /* elements or members */
};

/* A file that is read, and where its errors go. */
struct json_file {
    struct arena *arena;
    const struct source *source;
    struct diag *diag;
};

/* A list of the outermost object that has too many elements to be kept. Each element is handed to the
 * callback as soon as it is read, and then freed, except its texts. */
struct json_each {
    const char *list;
    void (*element)(void *ctx, const struct json_value *v);
    void *ctx;
};

/* NULL and an error when the source is not JSON. */
struct json_value *json_parse(const struct json_file *f);
struct json_value *json_parse_each(const struct json_file *f, const struct json_each *each);

/* ---- values; functions that have a file leave an error there, and return a harmless value ---- */

void json_wrong(const struct json_file *f, const struct json_value *at, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Returns the member of this name; NULL if there is none or if `object` is NULL. */
const struct json_value *json_find(const struct json_value *object, const char *name);
/* Returns the member of this name, which must be there and of this kind. If it is not, returns NULL and
 * leaves an error. */
const struct json_value *json_get(const struct json_file *f, const struct json_value *object,
                                  const char *name, enum json_kind kind);
const char *json_get_text(const struct json_file *f, const struct json_value *object, const char *name);
long long json_get_whole(const struct json_file *f, const struct json_value *object, const char *name,
                         long long least, long long most);
double json_get_real(const struct json_file *f, const struct json_value *object, const char *name);

/* Reads a whole number from `least` to `most`; `name` is what the error calls it. Returns false and leaves an
 * error if the value is anything else. */
bool json_whole(const struct json_file *f, const struct json_value *value, const char *name, long long least,
                long long most, long long *out);

#endif
