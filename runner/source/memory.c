/* Reads the locations of a test, `memory`. */
#include <string.h>

#include "lift/lift.h"
#include "litmus/copy.h"
#include "litmus/name.h"
#include "litmus/view.h"
#include "source/document.h"
#include "source/node.h"

enum { MAX_GPUS = 16 };

#define BIT(key) ((uint64_t)1 << (key))
_Static_assert(NKEYS <= 64, "a set of keys has 64 bits");

/* Leaves an error for each key of a set that is present; `before` and `behind` are the message around its
 * name. */
static void refuse_keys(struct document *doc, const struct yaml_node *const *v, uint64_t keys,
                        const char *before, const char *behind) {
    for (enum key k = 0; k < NKEYS; k++)
        if (v[k] && keys & BIT(k)) COMPLAIN(doc, v[k], "%s'%s'%s", before, key_rows[k].name, behind);
}

/* Returns the struct that a type names; NULL: it is none. */
static const struct record_text *find_struct(struct document *doc, const struct yaml_node *node) {
    struct type type;
    bool word =
        node && node->kind == NODE_SCALAR && !name_problem(node->text) && !type_find(node->text, &type);
    return word ? structs_find(doc, node->text) : NULL;
}

static struct type read_type(struct document *doc, const struct yaml_node *node) {
    struct type type = type_int;
    const char *text = node_text(doc, node, "a type");
    const char *refusal = text ? name_refusal(text) : NULL;
    /* the operations on it make it an mbarrier */
    if (text && strcmp(text, "mbarrier") == 0) return type_uint64;
    if (refusal)
        COMPLAIN(doc, node, "'%s' is %s", text, refusal);
    else if (text && strchr(text, '*'))
        COMPLAIN(doc, node, "'%s' is a pointer; a location with an address, for whole kernels, is a uint64_t",
                 text);
    else if (text && !type_find(text, &type))
        COMPLAIN(doc, node, "unknown type '%s'%s", text, type_hint(doc->arena, text));
    return type;
}

/* Reads the initial values: one for all elements, or a list with one for each. */
static void read_init(struct document *doc, struct location *loc, const struct yaml_node *node) {
    bool nested = node->kind == NODE_LIST && node->n && node->entries[0].value->kind == NODE_LIST;
    bool each = node->kind == NODE_LIST && loc->array && (!type_is_vector(loc->type) || nested);
    if (node->kind == NODE_LIST && !each && !type_is_vector(loc->type)) {
        COMPLAIN(doc, node, "a list is for an array, which has a 'count', and '%s' has none", loc->name);
        return;
    }
    if (!each) {
        loc->init = node_value(doc, node, loc->type);
        return;
    }
    if (loc->count && node->n != loc->count) {
        COMPLAIN(doc, node, "%d values: '%s' has %d element%s", node->n, loc->name, loc->count,
                 loc->count == 1 ? "" : "s");
        return;
    }
    struct value *inits = arena_array(doc->arena, (size_t)node->n, sizeof *inits);
    for (int i = 0; i < node->n; i++)
        inits[i] = node_value(doc, node->entries[i].value, loc->type);
    loc->inits = inits;
}

/* Reads the address at which whole kernels see a location. */
static void read_address(struct document *doc, struct location *loc, const struct yaml_node *node) {
    loc->address = node_value(doc, node, type_uint64).lo;
    if (loc->address == 0 || loc->address % 256 != 0)
        node_complain(doc, node, "an address is a multiple of 256, and not 0");
    else if (loc->view || loc->space == SPACE_SHARED)
        node_complain(doc, node, "'address' is for a location in global memory that is no view");
}

/* Decides whether the elements of an array lie side by side: arrays of up to some thousand bytes do, as do
 * those that a copy takes. */
static void read_layout(struct document *doc, struct location *loc, const struct yaml_node *node) {
    loc->packed = true;
    if (!loc->array)
        node_complain(doc, node, "'layout' is for an array, which has a 'count'");
    else if (type_bytes(loc->type) * loc->count > OP_MAX_BYTES)
        COMPLAIN(doc, node, "'%s' has %d bytes: what is packed has at most %d", loc->name,
                 type_bytes(loc->type) * loc->count, OP_MAX_BYTES);
}

static bool is_map_type(const struct yaml_node *type) {
    return type && type->kind == NODE_SCALAR && strcmp(type->text, "tensormap") == 0;
}

/* {type: tensormap, of: a} */
static void read_map(struct document *doc, struct location *loc, const struct yaml_node *map,
                     const struct yaml_node *const *v) {
    loc->map = true;
    loc->type = type_uint64;
    refuse_keys(doc, v, ~(BIT(LOCATION_TYPE) | BIT(LOCATION_OF)), "a tensor map has no ",
                ": it is {type: tensormap, of: a}");
    if (!v[LOCATION_OF]) node_complain(doc, map, "a tensor map leads to an array: {type: tensormap, of: a}");
}

static void read_location_map(struct document *doc, struct location *loc, const struct yaml_node *map) {
    const struct yaml_node *v[NKEYS] = {0};
    node_keys(doc, map, OF_LOCATION, v,
              "an initial value or {type, init, count, space, access, layout, gpu}");
    if (is_map_type(v[LOCATION_TYPE])) {
        read_map(doc, loc, map, v);
        return;
    }
    const struct record_text *r = find_struct(doc, v[LOCATION_TYPE]);
    const uint64_t of_view = BIT(LOCATION_ALIAS) | BIT(LOCATION_AT);
    loc->view = v[LOCATION_OF] != NULL && !r;
    if (r)
        refuse_keys(doc, v, of_view | BIT(LOCATION_OF) | BIT(LOCATION_ADDRESS) | BIT(LOCATION_LAYOUT),
                    "a location that is a struct has no ", ": its members are locations");
    else if (loc->view)
        refuse_keys(doc, v,
                    BIT(LOCATION_INIT) | BIT(LOCATION_SPACE) | BIT(LOCATION_GPU) | BIT(LOCATION_LAYOUT),
                    "a view has the ", " of the location whose bytes it is");
    else
        refuse_keys(doc, v, of_view, "", " is for a view: it goes with 'of'");
    loc->alias = loc->view && node_choice(doc, v, LOCATION_ALIAS, "alias") == 0;
    if (v[LOCATION_AT]) node_int(doc, v[LOCATION_AT], 0, VIEW_MAX_BYTES - 1, &loc->at);
    loc->array = v[LOCATION_COUNT] != NULL;
    if (loc->array && !node_int(doc, v[LOCATION_COUNT], 1, TEST_MAX_ELEMENTS, &loc->count)) loc->count = 0;
    if (v[LOCATION_TYPE] && !r) loc->type = read_type(doc, v[LOCATION_TYPE]);
    if (v[LOCATION_INIT] && !r) read_init(doc, loc, v[LOCATION_INIT]);
    if (!loc->view && !r && node_choice(doc, v, LOCATION_LAYOUT, "layout") == 0)
        read_layout(doc, loc, v[LOCATION_LAYOUT]);
    if (v[LOCATION_GPU]) node_int(doc, v[LOCATION_GPU], 0, MAX_GPUS - 1, &loc->gpu);
    int space = node_choice(doc, v, LOCATION_SPACE, "space");
    int access = node_choice(doc, v, LOCATION_ACCESS, "access");
    if (space >= 0) loc->space = (enum space)space;
    loc->has_access = access >= 0;
    if (access >= 0) loc->access = (enum access)access;
    if (v[LOCATION_ADDRESS]) read_address(doc, loc, v[LOCATION_ADDRESS]);
    if (v[LOCATION_GPU] && !space_rows[loc->space].of_gpu)
        node_complain(doc, v[LOCATION_GPU], "'gpu' is for global memory: no GPU owns shared or host memory");
    doc->records[loc - doc->test->locs] = r;
}

/* Returns the name at the begin of a wrong key such as "x=0", so that bodies that use x do not get errors,
 * too. */
static const char *meant_name(struct document *doc, const char *text) {
    size_t n = strcspn(text, " :=-[*&");
    const char *name = arena_strndup(doc->arena, text, n);
    for (int k = 0; k + 1 < doc->test->nlocs; k++)
        if (strcmp(doc->test->locs[k].name, name) == 0) return text;
    return name_problem(name) ? text : name;
}

/* Returns a hint for a text that is no integer, "; did you mean the type 'float'? ...": it is a type, or a
 * number of another type. */
static const char *meant_init(struct document *doc, struct location *loc, const char *text) {
    struct value number;
    bool is_bool = strcmp(text, "true") == 0 || strcmp(text, "false") == 0;
    const char *nearest = is_bool ? NULL : type_nearest(text);
    size_t n = strlen(text);
    const char *digits = n > 1 && text[n - 1] == 'f' ? arena_strndup(doc->arena, text, n - 1) : text;
    if (is_bool || value_parse(digits, type_float, &number) == VALUE_FINE) {
        loc->type = is_bool ? type_bool : type_float; /* so that bodies that use it are read with that type */
        return arena_printf(doc->arena, ": {type: %s, init: %s}", type_name(loc->type), text);
    }
    if (!nearest) return "";
    type_find(nearest, &loc->type);
    return arena_printf(doc->arena, "; did you mean the type '%s'? {type: %s}", nearest, nearest);
}

/* Reads a location without a map, as in `x: 1`. */
static void read_short_init(struct document *doc, struct location *loc, const struct yaml_node *node) {
    struct value number;
    const char *text = node->text;
    if (type_find(text, &loc->type)) /* so that bodies that use it are read with that type */
        COMPLAIN(doc, node, "'%s' is a type, and no initial value: {type: %s}", text, text);
    else if (!node_is_empty(node) && value_parse(text, type_int, &number) == VALUE_NO_NUMBER)
        COMPLAIN(doc, node, "expected an integer, not '%s'%s", text, meant_init(doc, loc, text));
    else if (!node_is_empty(node))
        loc->init = node_value(doc, node, type_int);
}

static void read_location(struct document *doc, const struct yaml_entry *e) {
    struct location *loc = &doc->test->locs[doc->test->nlocs++];
    *loc = (struct location){
        .name = e->key->text, .pos = e->key->pos, .type = type_int, .count = 1, .instances = 1};
    if (!node_check_name(doc, e->key, "location")) loc->name = meant_name(doc, e->key->text);
    if (e->value->kind == NODE_LIST)
        COMPLAIN(doc, e->value, "a list is for an array: {count: %d, init: [...]}", e->value->n);
    else if (e->value->kind == NODE_MAP)
        read_location_map(doc, loc, e->value);
    else
        read_short_init(doc, loc, e->value);
}

/* Returns the location that `of` names; -1 and an error: there is none. */
static int find_named(struct document *doc, const struct yaml_node *of) {
    struct test *t = doc->test;
    const char *name = node_text(doc, of, "the name of a location");
    const char **names = arena_array(doc->arena, (size_t)t->nlocs, sizeof *names);
    for (int i = 0; i < t->nlocs; i++)
        names[i] = t->locs[i].name;
    for (int i = 0; name && i < t->nlocs; i++)
        if (strcmp(names[i], name) == 0) return i;
    if (name)
        COMPLAIN(doc, of, "there is no location '%s'%s", name,
                 name_suggest(doc->arena, name, names, (size_t)t->nlocs));
    return -1;
}

/* Reads which location a view is of, or a tensor map leads to. */
static void read_of(struct document *doc, int loc, const struct yaml_node *of) {
    struct test *t = doc->test;
    bool map = t->locs[loc].map;
    int found = find_named(doc, of);
    if (found < 0) return;
    const char *problem = map                  ? copy_map_problem(&t->locs[found])
                          : t->locs[found].map ? "a view is of no tensor map"
                                               : view_resolve(doc->arena, t, loc, found);
    if (problem) COMPLAIN(doc, of, "%s", problem);
    if (map) t->locs[loc].init = value_from(type_uint64, problem ? 0 : found);
    if (t->locs[loc].alias && !problem) t->locs[loc].va = loc;
}

/* Returns the value of a key of location number i; NULL: it does not have the key. */
static const struct yaml_node *find_key(const struct yaml_node *map, int i, enum key key) {
    return node_find(map->entries[i].value, key_rows[key].name);
}

/* Reads the initial values again if some of them are addresses. */
static void read_addresses(struct document *doc, const struct yaml_node *map) {
    if (!doc->address || doc->diag->errors) return;
    lift_place_all(doc->test);
    doc->placed = true;
    for (int i = 0; i < map->n; i++) {
        const struct yaml_node *init = doc->records[i] ? NULL : find_key(map, i, LOCATION_INIT);
        if (init) read_init(doc, &doc->test->locs[i], init);
    }
}

void memory_read(struct document *doc, const struct yaml_node *map) {
    struct test *t = doc->test;
    if (map->kind != NODE_MAP || map->n == 0) {
        node_complain(doc, map, "expected the locations with their initial values: {X: 0, Y: 0}");
        return;
    }
    long long elements = 0;
    doc->memory = map;
    t->locs = arena_array(doc->arena, (size_t)map->n, sizeof *t->locs);
    doc->records = arena_array(doc->arena, (size_t)map->n, sizeof *doc->records);
    for (int i = 0; i < map->n; i++)
        read_location(doc, &map->entries[i]);
    for (int i = 0; i < map->n; i++) {
        const struct yaml_node *of = t->locs[i].view || t->locs[i].map ? find_key(map, i, LOCATION_OF) : NULL;
        if (of) read_of(doc, i, of);
    }
    for (int i = 0; i < map->n; i++)
        if (doc->records[i])
            structs_read(doc, i, doc->records[i], find_key(map, i, LOCATION_TYPE),
                         find_key(map, i, LOCATION_INIT));
    for (int i = 0; i < t->nlocs; i++)
        if (!t->locs[i].view) elements += t->locs[i].count;
    read_addresses(doc, map);
    doc->memory = NULL;
    if (elements > TEST_MAX_ELEMENTS)
        COMPLAIN(doc, map, "%lld elements in all: a test has at most %d", elements, TEST_MAX_ELEMENTS);
}
