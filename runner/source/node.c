#include "source/node.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "lift/lift.h"
#include "litmus/name.h"

void node_complain(struct document *doc, const struct yaml_node *node, const char *message) {
    diag_error(doc->diag, &doc->test->source, node->pos, "%s", message);
}

bool node_is_empty(const struct yaml_node *node) {
    return node->kind == NODE_SCALAR && !node->quoted && node->len == 0;
}

const char *node_text(struct document *doc, const struct yaml_node *node, const char *what) {
    if (node->kind == NODE_SCALAR && !node_is_empty(node)) return node->text;
    COMPLAIN(doc, node, "expected %s", what);
    return NULL;
}

bool node_int(struct document *doc, const struct yaml_node *node, int min, int max, int *out) {
    const char *text = node_text(doc, node, "an integer");
    if (!text) return false;
    char *end;
    long long value = strtoll(text, &end, 0);
    if (end == text || *end || isspace((unsigned char)*text))
        COMPLAIN(doc, node, "expected an integer, not '%s'", text);
    else if (value < min || value > max)
        COMPLAIN(doc, node, "%s is out of range: it must be from %d to %d", text, min, max);
    else {
        *out = (int)value;
        return true;
    }
    return false;
}

int node_sizes(struct document *doc, const struct yaml_node *node, int max, int sizes[3]) {
    sizes[0] = sizes[1] = sizes[2] = 1;
    if (node->kind != NODE_LIST) {
        node_int(doc, node, 1, max, &sizes[0]);
        return sizes[0];
    }
    long long all = 1;
    if (node->n < 1 || node->n > 3)
        node_complain(doc, node, "expected one to three sizes: those along x, y and z");
    for (int k = 0; k < node->n && k < 3; k++) {
        node_int(doc, node->entries[k].value, 1, max, &sizes[k]);
        all *= sizes[k];
    }
    if (all <= max) return (int)all;
    COMPLAIN(doc, node, "%lld is out of range: it must be from 1 to %d", all, max);
    sizes[0] = sizes[1] = sizes[2] = 1;
    return 1;
}

/* Returns a range such as "from -128 to 255": all numbers that fit the bits of a type. */
static const char *type_range(struct document *doc, struct type t) {
    struct text low = {0}, high = {0};
    struct type positive = {t.bits, 1, false, false}, negative = {t.bits, 1, true, false};
    struct value one = {1, 0}, bits = value_from(positive, -1);
    value_print(&high, positive, bits);
    value_print(&low, t.bits == 1 ? positive : negative,
                t.bits == 1 ? (struct value){0}
                            : value_apply(EXPR_SHL, positive, one, (struct value){t.bits - 1u, 0}));
    const char *range = arena_printf(doc->arena, "from %s to %s", low.s, high.s);
    text_free(&low);
    text_free(&high);
    return range;
}

/* Reads the name of a location as its address, once all locations have one. */
static bool read_address(struct document *doc, const struct yaml_node *node, const char *text,
                         struct value *out) {
    size_t n = strcspn(text, " +");
    for (int k = 0; doc->memory && k < doc->memory->n; k++) {
        const char *name = doc->memory->entries[k].key->text;
        if (strlen(name) != n || memcmp(name, text, n) != 0) continue;
        doc->address = doc->address ? doc->address : node;
        return !doc->placed || lift_find_address(doc->test, text, &out->lo);
    }
    return false;
}

static struct value read_scalar(struct document *doc, const struct yaml_node *node, struct type t) {
    struct value v = {0};
    const char *what = t.real ? "a number" : "an integer", *text = node_text(doc, node, what);
    if (!text || (t.bits == 64 && read_address(doc, node, text, &v))) return v;
    const char *number = text;
    size_t n = strlen(text);
    if (t.bits == 1 && strcmp(text, "true") == 0) number = "1";
    if (t.bits == 1 && strcmp(text, "false") == 0) number = "0";
    if (t.real && n > 1 && text[n - 1] == 'f') number = arena_strndup(doc->arena, text, n - 1);
    switch (value_parse(number, t, &v)) {
    case VALUE_FINE: break;
    case VALUE_NO_NUMBER: COMPLAIN(doc, node, "expected %s, not '%s'", what, text); break;
    case VALUE_OUT_OF_RANGE:
        COMPLAIN(doc, node, "%s is out of range: it must be %s", text, type_range(doc, t));
        break;
    }
    return v;
}

struct value node_value(struct document *doc, const struct yaml_node *node, struct type t) {
    struct value v = {0};
    if (!type_is_vector(t)) return read_scalar(doc, node, t);
    bool list = node->kind == NODE_LIST;
    if (list && node->n != t.lanes) {
        COMPLAIN(doc, node, "%d values: %s has %d elements", node->n, type_name(t), t.lanes);
        return v;
    }
    for (int lane = 0; lane < t.lanes; lane++) {
        const struct yaml_node *from = list ? node->entries[lane].value : node;
        v = value_set_lane(t, v, lane, read_scalar(doc, from, type_lane(t)));
        if (!list && lane == 0 && doc->diag->errors) break; /* already reported */
    }
    return v;
}

/* Returns "; did you mean 'x'?" if one of many words is similar, else "; it can be x, y or z". */
static const char *suggest(struct document *doc, const char *text, const char *const *words, size_t n) {
    const char *near = name_suggest(doc->arena, text, words, n), *list = "";
    if (*near && n > 4) return near;
    for (size_t i = 0; i < n; i++)
        list = arena_printf(doc->arena, "%s%s%s", list, i == 0 ? "" : i + 1 < n ? ", " : " or ", words[i]);
    return arena_printf(doc->arena, "; it can be %s", list);
}

int node_word(struct document *doc, const struct yaml_node *node, const char *what,
              const char *const *words) {
    const char *text = node_text(doc, node, arena_printf(doc->arena, "%s", what));
    size_t n = 0;
    for (; words[n]; n++)
        if (text && strcmp(words[n], text) == 0) return (int)n;
    if (text) COMPLAIN(doc, node, "unknown %s '%s'%s", what, text, suggest(doc, text, words, n));
    return -1;
}

int node_choice(struct document *doc, const struct yaml_node *const *values, enum key k, const char *what) {
    return values[k] ? node_word(doc, values[k], what, schema_words(k)) : -1;
}

const struct yaml_node *node_find(const struct yaml_node *map, const char *key) {
    for (int k = 0; map && map->kind == NODE_MAP && k < map->n; k++)
        if (strcmp(map->entries[k].key->text, key) == 0) return map->entries[k].value;
    return NULL;
}

/* Returns what to say of a key that does not exist. */
static void report_key(struct document *doc, const struct yaml_node *key, enum key_owner owner) {
    const char *names[NKEYS];
    size_t n = 0;
    for (enum key k = 0; k < NKEYS; k++)
        if (key_rows[k].owner == owner) names[n++] = key_rows[k].name;
    COMPLAIN(doc, key, "unknown key '%s'%s", key->text,
             strchr(key->text, ':')   ? "; a blank stands behind a ':'"
             : strchr(key->text, ';') ? "; statements stand in quotes, or below 'NAME: |'"
             : strchr(key->text, '=') ? "; a choice of several slots is put in quotes"
                                      : suggest(doc, key->text, names, n));
}

bool node_keys(struct document *doc, const struct yaml_node *map, enum key_owner owner,
               const struct yaml_node *values[NKEYS], const char *what) {
    if (map->kind != NODE_MAP) {
        COMPLAIN(doc, map, "expected %s", what);
        return false;
    }
    bool ok = true;
    for (int i = 0; i < map->n; i++) {
        const struct yaml_node *key = map->entries[i].key;
        enum key k = 0;
        while (k < NKEYS && (key_rows[k].owner != owner || strcmp(key_rows[k].name, key->text) != 0))
            k++;
        if (k < NKEYS)
            values[k] = map->entries[i].value;
        else
            report_key(doc, key, owner);
        ok = ok && k < NKEYS;
    }
    return ok;
}

bool node_check_name(struct document *doc, const struct yaml_node *key, const char *what) {
    const char *problem = name_problem(key->text);
    if (problem && strchr(key->text, ':'))
        COMPLAIN(doc, key, "'%s' has no blank behind its ':'", key->text);
    else if (problem && strchr(key->text, '='))
        COMPLAIN(doc, key, "'%s' has '=' in place of ': '", key->text);
    else if (problem)
        COMPLAIN(doc, key, "%s name '%s' %s", what, key->text, problem);
    return !problem;
}

const struct yaml_entry *node_list(struct document *doc, const struct yaml_node *node, const char *what,
                                   struct yaml_entry *one, int *n) {
    if (node->kind != NODE_LIST) {
        bool several = node->kind == NODE_SCALAR && strchr(node->text, ',') && !strchr(node->text, '=');
        if (several) COMPLAIN(doc, node, "a list is put in brackets: [%s]", node->text);
        *one = (struct yaml_entry){NULL, (struct yaml_node *)(uintptr_t)node};
        *n = !several;
        return one;
    }
    *n = node->n <= NODE_MAX_ENTRIES ? node->n : 0;
    if (node->n > NODE_MAX_ENTRIES) COMPLAIN(doc, node, "more than %d %s", NODE_MAX_ENTRIES, what);
    if (node->n == 0) COMPLAIN(doc, node, "the list of %s is empty", what);
    return node->entries;
}
