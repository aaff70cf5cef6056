/* Reads a profile. */
#include <limits.h>
#include <string.h>

#include "base/json.h"
#include "run/edges.h"
#include "run/environment.h"
#include "run/profile.h"

struct profile_reader {
    struct json_file file;
    const struct backend *backend;
    size_t errors; /* how many errors there were before */
};

/* Refuses unknown keys: an entry with a misspelt key would never be used. */
static void check_keys(struct profile_reader *r, const struct json_value *o, const char *const *known,
                       size_t n) {
    for (const struct json_value *m = o->first; m; m = m->next) {
        size_t k = 0;
        while (k < n && strcmp(known[k], m->name) != 0)
            k++;
        if (k == n) json_wrong(&r->file, m, "unknown key '%s'", m->name);
    }
}

static void unknown_parameter(struct profile_reader *r, const struct json_value *value) {
    const char *names[ENV_MAX];
    size_t n = 0;
    for (const struct parameter_range *p = r->backend->ranges; p->name && n < ENV_MAX; p++)
        names[n++] = p->name;
    const char *near = diag_nearest(value->name, names, n);
    diag_warning(r->file.diag, r->file.source, value->pos,
                 "the %s backend has no parameter '%s', which is left out%s%s%s", r->backend->name,
                 value->name, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

static void read_parameter(struct profile_reader *r, const struct json_value *value,
                           struct environment *out) {
    const struct parameter_range *p = range_find(r->backend->ranges, value->name);
    long long v;
    if (!p)
        unknown_parameter(r, value);
    else if (json_whole(&r->file, value, value->name, range_low(p), range_high(p), &v))
        out->parameter[out->n++] = (struct parameter){p->name, v};
}

static void check_access(struct profile_reader *r, const struct json_value *entry, const char *access) {
    for (enum access a = ACCESS_WEAK; a <= ACCESS_RELAXED; a++)
        if (strcmp(access, access_name(a)) == 0) return;
    if (*access)
        json_wrong(&r->file, json_find(entry, "access"),
                   "unknown access '%s': it is weak, volatile or relaxed", access);
}

/* Returns the edges of an entry; "" where it has none. */
static const char *read_edges(struct profile_reader *r, const struct json_value *entry) {
    const struct json_value *at = json_find(entry, "edges");
    const char *edges = at ? json_get_text(&r->file, entry, "edges") : "";
    if (edges_valid(edges)) return edges;
    json_wrong(&r->file, at, "edges are a sorted list such as \"RR apart, WW block\", not '%s'", edges);
    return "";
}

static void read_entry(struct profile_reader *r, const struct json_value *o, struct profile *p) {
    static const char *const keys[] = {"test", "placement", "access", "edges", "rate", "environment"};
    if (o->kind != JSON_IS_OBJECT) {
        json_wrong(&r->file, o, "an entry is an object");
        return;
    }
    check_keys(r, o, keys, sizeof keys / sizeof *keys);
    struct profile_entry e = {
        .test = json_get_text(&r->file, o, "test"),
        .placement = json_get_text(&r->file, o, "placement"),
        .access = json_get_text(&r->file, o, "access"),
        .rate = json_get_real(&r->file, o, "rate"),
        .edges = read_edges(r, o),
    };
    check_access(r, o, e.access);
    const struct json_value *environment = json_get(&r->file, o, "environment", JSON_IS_OBJECT);
    for (const struct json_value *v = environment ? environment->first : NULL; v; v = v->next)
        read_parameter(r, v, &e.environment);
    profile_add(p, &e);
}

/* Reads what stands before the entries. Returns false if the profile is for another device, or is none: then
 * nothing more is read. */
static bool read_head(struct profile_reader *r, const struct json_value *root, const char *device,
                      struct profile *out) {
    static const char *const keys[] = {"schema", "device", "entries"};
    const struct json_value *at = json_find(root, "schema");
    long long schema = json_get_whole(&r->file, root, "schema", LLONG_MIN, LLONG_MAX);
    if (r->file.diag->errors == r->errors && schema != 1)
        json_wrong(&r->file, at, "schema %lld is not one that this culitmus reads: it reads 1", schema);
    if (r->file.diag->errors > r->errors) {
        diag_note(r->file.diag, r->file.source, at ? at->pos : root->pos,
                  "a profile of another format is made anew: remove it, then 'culitmus tune PATH -o %s'",
                  r->file.source->path);
        return false;
    }
    check_keys(r, root, keys, sizeof keys / sizeof *keys);
    *out = profile_new(r->file.arena, json_get_text(&r->file, root, "device"));
    return r->file.diag->errors == r->errors && strcmp(out->device, device) == 0;
}

static void read_root(struct profile_reader *r, const struct json_value *root, const char *device,
                      struct profile *out) {
    if (root->kind != JSON_IS_OBJECT) {
        json_wrong(&r->file, root, "a profile is a JSON object");
        return;
    }
    if (!read_head(r, root, device, out)) return;
    const struct json_value *entries = json_get(&r->file, root, "entries", JSON_IS_LIST);
    for (const struct json_value *e = entries ? entries->first : NULL; e; e = e->next)
        read_entry(r, e, out);
}

static bool parse(struct profile_reader *r, const char *device, struct profile *out) {
    size_t messages = r->file.diag->n;
    r->errors = r->file.diag->errors;
    const struct json_value *root = json_parse(&r->file);
    if (root) read_root(r, root, device, out);
    diag_sort(r->file.diag, messages);
    return r->file.diag->errors == r->errors;
}

bool profile_read(struct arena *a, const char *path, const struct backend *b, const char *device,
                  struct profile *out, struct diag *d) {
    struct source *source = arena_alloc(a, sizeof *source);
    struct profile_reader r = {.file = {a, source, d}, .backend = b};
    *out = profile_new(a, device);
    return source_load(a, path, source, d) && parse(&r, device, out);
}

bool profile_parse(struct arena *a, const char *path, const char *text, const struct backend *b,
                   const char *device, struct profile *out, struct diag *d) {
    struct source *source = arena_alloc(a, sizeof *source);
    struct profile_reader r = {.file = {a, source, d}, .backend = b};
    *source =
        (struct source){.path = arena_strdup(a, path), .text = arena_strdup(a, text), .len = strlen(text)};
    *out = profile_new(a, device);
    return parse(&r, device, out);
}
