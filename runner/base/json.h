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
    struct json_value *first;    /* element or member of it */
    struct json_value *next;     /* element or member of what it stands in */
    struct json_value **by_name; /* an object: its members, sorted */
    size_t n;                    /* elements or members */
};

/* A file that is read, and where its errors go. */
struct json_file {
    struct arena *arena;
    const struct source *source;
    struct diag *diag;
};

/* A list of the outermost object whose elements are too many to be kept: each is handed over as it is read, and then
 * forgotten, but for its texts. */
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

/* A member, or NULL. NULL has none. */
const struct json_value *json_find(const struct json_value *object, const char *name);
/* A member that must be there and of this kind; NULL: it is not. */
const struct json_value *json_get(const struct json_file *f, const struct json_value *object,
                                  const char *name, enum json_kind kind);
const char *json_get_text(const struct json_file *f, const struct json_value *object, const char *name);
long long json_get_whole(const struct json_file *f, const struct json_value *object, const char *name,
                         long long least, long long most);
double json_get_real(const struct json_file *f, const struct json_value *object, const char *name);

/* False and an error when it is no whole number from `least` to `most`; `name` is what it is called. */
bool json_whole(const struct json_file *f, const struct json_value *value, const char *name, long long least,
                long long most, long long *out);

#endif
