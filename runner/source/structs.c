/* Locations that are structs, which a body defines: s: {type: S, count: 2, init: [{a: 1}, {b: 2}]} becomes
 * the locations s.a and s.b. A struct that nvcc copies as a vector becomes a location of the vector type, and
 * its members become views. */
#include <string.h>

#include "litmus/name.h"
#include "litmus/view.h"
#include "source/document.h"
#include "source/node.h"
#include "syntax/located.h"

/* ---- what there is ---- */

/* Returns the text of a thread; NULL: it has none, or is a whole kernel. */
static const struct yaml_node *body_of(const struct yaml_node *thread) {
    const struct yaml_node *body = thread->kind == NODE_SCALAR ? thread : node_find(thread, "body");
    return body && body->kind == NODE_SCALAR ? body : NULL;
}

const struct record_text *structs_find(struct document *doc, const char *name) {
    const struct yaml_node *threads = doc->threads;
    const struct record_text *found = NULL;
    if (!doc->structs) doc->structs = arena_alloc(doc->arena, sizeof *doc->structs);
    for (int k = 0; threads && threads->kind == NODE_MAP && k < threads->n && !found; k++) {
        const struct yaml_node *body = body_of(threads->entries[k].value);
        if (!body || !strstr(body->text, name)) continue;
        struct diag quiet = {0}; /* errors are reported when the text is read again */
        struct snippet text = yaml_snippet(doc->arena, &doc->test->source, &doc->lines, body);
        struct syntax s = {.arena = doc->arena};
        s.tok = s.first = lex(doc->arena, &doc->test->source, &text, &quiet);
        found = located_find(&s, doc->structs, name);
        diag_free(&quiet);
    }
    return found;
}

/* ---- initial values ---- */

/* Reads the initial values of each member; those of a member that is an array lie one behind the other. */
struct struct_values {
    const struct located_shape *shape;
    const char *name;
    struct value *of[LOCATED_MAX_PARTS];
};

static int elements_of(const struct located_part *part) {
    int n = 1;
    for (int k = 0; k < part->nsizes; k++)
        n *= part->sizes[k];
    return n;
}

/* Reads the values of a member of element `at`: one value, or a list if the member is an array. */
static void read_part(struct document *doc, struct struct_values *v, int k, int at,
                      const struct yaml_node *node) {
    const struct located_part *part = &v->shape->parts[k];
    int n = elements_of(part);
    struct value *out = v->of[k] + at * n;
    bool list = part->nsizes && node->kind == NODE_LIST;
    if (list && node->n != n) {
        COMPLAIN(doc, node, "%d values: '%s.%s' has %d elements", node->n, v->name, part->name, n);
        return;
    }
    for (int i = 0; i < n; i++) {
        out[i] = node_value(doc, list ? node->entries[i].value : node, part->type);
        if (!list && doc->diag->errors) return; /* already reported */
    }
}

/* Returns the name of the member at `prefix` that leaf k is, or is part of: "q" for "p.q.a" behind "p.". */
static const char *member_at(struct document *doc, const struct located_shape *shape, int k,
                             const char *prefix) {
    const char *rest = shape->parts[k].name + strlen(prefix);
    return arena_strndup(doc->arena, rest, strcspn(rest, "."));
}

static bool begins(const char *text, const char *with) {
    return strncmp(text, with, strlen(with)) == 0;
}

static void read_members(struct document *doc, struct struct_values *v, const char *prefix, int at,
                         const struct yaml_node *node);

/* Reads the values of the member with this name. False: there is none. */
static bool read_member(struct document *doc, struct struct_values *v, const char *prefix, const char *name,
                        int at, const struct yaml_node *node) {
    const char *whole = arena_printf(doc->arena, "%s%s", prefix, name);
    const char *inner = arena_printf(doc->arena, "%s.", whole);
    for (int k = 0; k < v->shape->n; k++) {
        const char *part = v->shape->parts[k].name;
        if (strcmp(part, whole) == 0) read_part(doc, v, k, at, node);
        if (begins(part, inner)) read_members(doc, v, inner, at, node);
        if (strcmp(part, whole) == 0 || begins(part, inner)) return true;
    }
    return false;
}

/* Reads the values of an element: {a: 1, q: {b: 2}}, [1, [2]] or 0. */
static void read_members(struct document *doc, struct struct_values *v, const char *prefix, int at,
                         const struct yaml_node *node) {
    int k = 0;
    if (node->kind == NODE_SCALAR) {
        if (strcmp(node->text, "0") != 0)
            node_complain(doc, node, "a struct begins with the values of its members, {a: 1, b: 2}, or 0");
        return;
    }
    for (int i = 0; i < node->n; i++) {
        const struct yaml_entry *e = &node->entries[i];
        while (node->kind == NODE_LIST && k < v->shape->n && !begins(v->shape->parts[k].name, prefix))
            k++;
        bool more = node->kind == NODE_MAP || k < v->shape->n;
        const char *name = !more ? NULL : e->key ? e->key->text : member_at(doc, v->shape, k, prefix);
        if (!name || !read_member(doc, v, prefix, name, at, e->value)) {
            if (name)
                COMPLAIN(doc, e->key, "'%s' has no member '%s%s'", v->name, prefix, name);
            else
                COMPLAIN(doc, e->value, "'%s' has no more members", v->name);
            return;
        }
        const char *read = arena_printf(doc->arena, "%s%s", prefix, name);
        size_t length = strlen(read);
        while (k < v->shape->n && begins(v->shape->parts[k].name, read) &&
               strchr(".", v->shape->parts[k].name[length]))
            k++;
    }
}

static void read_values(struct document *doc, struct struct_values *v, const struct location *l,
                        const struct yaml_node *init) {
    int count = l->count ? l->count : 1;
    for (int k = 0; k < v->shape->n; k++)
        v->of[k] =
            arena_array(doc->arena, (size_t)count * (size_t)elements_of(&v->shape->parts[k]), sizeof **v->of);
    if (!init) return;
    bool each = l->array && init->kind == NODE_LIST;
    if (each && init->n != count) {
        COMPLAIN(doc, init, "%d values: '%s' has %d element%s", init->n, l->name, count,
                 count == 1 ? "" : "s");
        return;
    }
    for (int i = 0; i < count; i++)
        read_members(doc, v, "", i, each ? init->entries[i].value : init);
}

/* ---- locations ---- */

/* Makes a location for each leaf. The first one exists already. */
static void add_parts(struct document *doc, int loc, const struct struct_values *v) {
    struct test *t = doc->test;
    const struct location whole = t->locs[loc];
    for (int k = 0; k < v->shape->n; k++) {
        const struct located_part *part = &v->shape->parts[k];
        struct location l = whole;
        int n = elements_of(part);
        if (l.count > TEST_MAX_ELEMENTS / n) l.count = 1; /* the sum is checked later */
        l.name = arena_printf(doc->arena, "%s.%s", whole.name, part->name);
        l.type = part->type;
        l.count *= n;
        l.array = whole.array || part->nsizes;
        for (int i = whole.array ? 0 : 1; i < part->nsizes; i++)
            l.inner[i - !whole.array] = part->sizes[i];
        l.init = v->of[k][0];
        if (l.array) l.inits = v->of[k];
        if (k > 0)
            t->locs = arena_grow(doc->arena, t->locs, (size_t)t->nlocs, (size_t)t->nlocs + 1, sizeof l);
        t->locs[k == 0 ? loc : t->nlocs++] = l;
    }
}

/* Makes a location of the vector type, and a view for each member. */
static void add_vector(struct document *doc, int loc, const struct struct_values *v) {
    struct location *l = &doc->test->locs[loc];
    int count = l->count ? l->count : 1;
    struct value *all = arena_array(doc->arena, (size_t)count, sizeof *all);
    l->type = v->shape->vector;
    for (int i = 0; i < count; i++)
        for (int k = 0; k < v->shape->n; k++)
            all[i] = value_set_lane(l->type, all[i], k, v->of[k][i]);
    l->init = all[0];
    if (l->array) l->inits = all;
    const char *name = l->name;
    for (int k = 0; k < v->shape->n; k++) {
        const struct located_part *part = &v->shape->parts[k];
        view_of_member(doc->arena, doc->test, loc, arena_printf(doc->arena, "%s.%s", name, part->name),
                       part->type, k * type_bytes(part->type));
    }
}

void structs_read(struct document *doc, int loc, const struct record_text *r, const struct yaml_node *type,
                  const struct yaml_node *init) {
    struct location *l = &doc->test->locs[loc];
    struct syntax s = {.arena = doc->arena};
    struct located_shape shape = located_shape(&s, doc->structs, r);
    struct struct_values v = {.shape = &shape, .name = l->name};
    if (shape.fault) COMPLAIN(doc, type, "%s", shape.fault->text);
    if (shape.fault || shape.n == 0) return;
    read_values(doc, &v, l, init);
    struct located *known = arena_alloc(doc->arena, sizeof *known);
    *known = (struct located){l->name, r, l->array, shape.vector, doc->structs->list};
    doc->structs->list = known;
    doc->test->structs = doc->structs;
    if (shape.vector.lanes)
        add_vector(doc, loc, &v);
    else
        add_parts(doc, loc, &v);
}
