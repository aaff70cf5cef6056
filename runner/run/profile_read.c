/* Reading a profile. jansson says what is there, but not where: places are found again in the text, which is
 * known to be JSON by then. */
#include <jansson.h>
#include <string.h>

#include "litmus/source.h"
#include "run/environment.h"
#include "run/profile.h"

struct profile_reader {
    struct arena *arena;
    const struct backend *backend;
    struct source *source; /* in the arena: messages point to it */
    struct lines lines;
    const char *root; /* where the text's object begins */
    struct diag *diag;
    size_t errors; /* that there were before */
};

/* ---- places ---- */

static const char *skip_blanks(const char *p) {
    return p + strspn(p, " \t\r\n");
}

static const char *skip_string(const char *p) {
    for (p++; *p != '"'; p++)
        p += *p == '\\';
    return p + 1;
}

/* Past the value that begins at p. */
static const char *skip_value(const char *p) {
    int depth = 0;
    do {
        if (*p == '"') {
            p = skip_string(p);
            continue;
        }
        depth += (*p == '{' || *p == '[') - (*p == '}' || *p == ']');
        p++;
    } while (depth > 0 || !strchr(",]} \t\r\n", *p));
    return p;
}

/* The value of a member of the object at p, the object where it has none. */
static const char *find_member(const char *object, const char *name) {
    size_t len = strlen(name);
    const char *p = skip_blanks(object + 1);
    while (*p == '"') {
        const char *key = p + 1, *after = skip_string(p);
        p = skip_blanks(skip_blanks(after) + 1);
        if ((size_t)(after - key - 1) == len && memcmp(key, name, len) == 0) return p;
        p = skip_blanks(skip_value(p));
        if (*p == ',') p = skip_blanks(p + 1);
    }
    return object;
}

/* Element number n of the array at p, which has so many. */
static const char *find_element(const char *array, size_t n) {
    const char *p = skip_blanks(array + 1);
    for (; n > 0; n--)
        p = skip_blanks(skip_blanks(skip_value(p)) + 1);
    return p;
}

/* The value at p in a text; an object or array by its first character. */
static struct pos place(const struct profile_reader *r, const char *p) {
    size_t len = *p == '{' || *p == '[' ? 1 : (size_t)(skip_value(p) - p);
    return source_pos(&r->lines, (size_t)(p - r->source->text), len);
}

/* ---- values ---- */

static void wrong_member(struct profile_reader *r, const char *at, const char *key, const char *wants,
                         bool missing) {
    if (missing)
        diag_error(r->diag, r->source, place(r, at), "'%s' is missing", key);
    else
        diag_error(r->diag, r->source, place(r, find_member(at, key)), "'%s' is not %s", key, wants);
}

/* A member of the object `o`, which is at `at`; NULL and an error when it is not as wanted. */
static json_t *get(struct profile_reader *r, const char *at, const json_t *o, const char *key,
                   json_type type) {
    static const char *const names[] = {[JSON_OBJECT] = "an object",
                                        [JSON_ARRAY] = "a list",
                                        [JSON_STRING] = "a text",
                                        [JSON_INTEGER] = "a whole number",
                                        [JSON_REAL] = "a number"};
    json_t *value = json_object_get(o, key);
    if (value && (json_typeof(value) == type || (type == JSON_REAL && json_is_integer(value)))) return value;
    wrong_member(r, at, key, names[type], !value);
    return NULL;
}

static const char *get_text(struct profile_reader *r, const char *at, const json_t *o, const char *key) {
    json_t *value = get(r, at, o, key, JSON_STRING);
    return value ? arena_strdup(r->arena, json_string_value(value)) : "";
}

/* A misspelt key would be an entry that is never used. */
static void check_keys(struct profile_reader *r, const char *at, const json_t *o, const char *const *known,
                       size_t n) {
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)o, key, value) {
        size_t k = 0;
        while (k < n && strcmp(known[k], key) != 0)
            k++;
        if (k == n) diag_error(r->diag, r->source, place(r, find_member(at, key)), "unknown key '%s'", key);
    }
}

static void unknown_parameter(struct profile_reader *r, const char *at, const char *name) {
    const char *names[ENV_MAX];
    size_t n = 0;
    for (const struct parameter_range *p = r->backend->ranges; p->name && n < ENV_MAX; p++)
        names[n++] = p->name;
    const char *near = diag_nearest(name, names, n);
    diag_warning(r->diag, r->source, place(r, at),
                 "the %s backend has no parameter '%s', which is left out%s%s%s", r->backend->name, name,
                 near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

static void read_parameter(struct profile_reader *r, const char *at, const char *name, const json_t *value,
                           struct environment *out) {
    const struct parameter_range *p = range_find(r->backend->ranges, name);
    long long v = json_integer_value(value);
    if (!p)
        unknown_parameter(r, at, name);
    else if (!json_is_integer(value))
        diag_error(r->diag, r->source, place(r, at), "'%s' is not a whole number", name);
    else if (v < range_low(p) || v > range_high(p))
        diag_error(r->diag, r->source, place(r, at), "'%s' is %lld, out of its range %d to %d", name, v,
                   range_low(p), range_high(p));
    else
        out->parameter[out->n++] = (struct parameter){p->name, v};
}

static void check_access(struct profile_reader *r, const char *at, const char *access) {
    for (enum access a = ACCESS_WEAK; a <= ACCESS_RELAXED; a++)
        if (strcmp(access, access_name(a)) == 0) return;
    if (*access)
        diag_error(r->diag, r->source, place(r, find_member(at, "access")),
                   "unknown access '%s': it is weak, volatile or relaxed", access);
}

static void read_entry(struct profile_reader *r, const char *at, const json_t *o, struct profile *p) {
    static const char *const keys[] = {"test", "placement", "access", "rate", "environment"};
    if (!json_is_object(o)) {
        diag_error(r->diag, r->source, place(r, at), "an entry is an object");
        return;
    }
    check_keys(r, at, o, keys, sizeof keys / sizeof *keys);
    struct profile_entry e = {
        .test = get_text(r, at, o, "test"),
        .placement = get_text(r, at, o, "placement"),
        .access = get_text(r, at, o, "access"),
        .rate = json_number_value(get(r, at, o, "rate", JSON_REAL)),
    };
    check_access(r, at, e.access);
    json_t *environment = get(r, at, o, "environment", JSON_OBJECT), *value;
    const char *inner = find_member(at, "environment"), *name;
    json_object_foreach(environment, name, value)
        read_parameter(r, find_member(inner, name), name, value, &e.environment);
    profile_add(p, &e);
}

/* False when it is for another device, or not a profile at all: then nothing more is read. */
static bool read_head(struct profile_reader *r, const json_t *root, const char *device, struct profile *out) {
    static const char *const keys[] = {"schema", "device", "entries"};
    const char *at = r->root;
    json_t *schema = get(r, at, root, "schema", JSON_INTEGER);
    if (schema && json_integer_value(schema) != 1)
        diag_error(r->diag, r->source, place(r, find_member(at, "schema")),
                   "schema %lld is not one that this culitmus reads: it reads 1", json_integer_value(schema));
    if (r->diag->errors > r->errors) return false;
    check_keys(r, at, root, keys, sizeof keys / sizeof *keys);
    *out = profile_new(r->arena, get_text(r, at, root, "device"));
    return r->diag->errors == r->errors && strcmp(out->device, device) == 0;
}

static void read_root(struct profile_reader *r, const json_t *root, const char *device, struct profile *out) {
    if (!json_is_object(root)) {
        diag_error(r->diag, r->source, place(r, r->root), "a profile is a JSON object");
        return;
    }
    if (!read_head(r, root, device, out)) return;
    json_t *entries = get(r, r->root, root, "entries", JSON_ARRAY);
    const char *list = find_member(r->root, "entries");
    for (size_t k = 0; k < json_array_size(entries); k++)
        read_entry(r, find_element(list, k), json_array_get(entries, k), out);
}

static void not_json(struct profile_reader *r, const json_error_t *e) {
    struct pos pos = {e->line > 0 ? e->line : 1, e->column > 0 ? e->column : 1, 1};
    diag_error(r->diag, r->source, pos, "this is not JSON: %s", e->text);
}

static bool parse(struct profile_reader *r, const char *device, struct profile *out) {
    json_error_t error;
    size_t messages = r->diag->n;
    r->errors = r->diag->errors;
    if (!source_check(r->source, r->diag)) return false;
    r->root = skip_blanks(r->source->text);
    r->lines = source_lines(r->arena, r->source);
    json_t *root = json_loadb(r->source->text, r->source->len, JSON_REJECT_DUPLICATES, &error);
    if (root)
        read_root(r, root, device, out);
    else
        not_json(r, &error);
    json_decref(root);
    diag_sort(r->diag, messages);
    return r->diag->errors == r->errors;
}

static struct profile_reader open_reader(struct arena *a, const struct backend *b, struct diag *d) {
    return (struct profile_reader){
        .arena = a, .backend = b, .source = arena_alloc(a, sizeof(struct source)), .diag = d};
}

bool profile_read(struct arena *a, const char *path, const struct backend *b, const char *device,
                  struct profile *out, struct diag *d) {
    struct profile_reader r = open_reader(a, b, d);
    *out = profile_new(a, device);
    return source_load(a, path, r.source, d) && parse(&r, device, out);
}

bool profile_parse(struct arena *a, const char *path, const char *text, const struct backend *b,
                   const char *device, struct profile *out, struct diag *d) {
    struct profile_reader r = open_reader(a, b, d);
    *out = profile_new(a, device);
    *r.source = (struct source){arena_strdup(a, path), arena_strdup(a, text), strlen(text)};
    return parse(&r, device, out);
}
