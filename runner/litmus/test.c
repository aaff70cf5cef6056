#include "litmus/test.h"

#include <string.h>

#include "litmus/document.h"
#include "litmus/table.h"

static bool has_ending(const char *path, const char *ending) {
    size_t n = strlen(path), m = strlen(ending);
    return n >= m && strcmp(path + n - m, ending) == 0;
}

/* Reads the test whose source is set; its ending chooses the reader. */
static struct test *read_source(struct arena *a, struct test *t, struct diag *d) {
    size_t errors = d->errors, messages = d->n;
    const char *path = t->source.path;
    if (!source_check(&t->source, d)) return NULL;
    if (has_ending(path, ".yaml") || has_ending(path, ".yml")) {
        const struct yaml_node *root = yaml_read(a, &t->source, d);
        if (root) document_read(a, t, root, d);
    } else if (has_ending(path, ".litmus")) {
        litmus_read(a, t, d);
    } else {
        diag_error(d, &t->source, (struct pos){0}, "the name of a test ends in .yaml, .yml or .litmus");
    }
    diag_sort(d, messages);
    return d->errors == errors ? t : NULL;
}

struct test *test_read(struct arena *a, const char *path, struct diag *d) {
    struct test *t = arena_alloc(a, sizeof *t);
    return source_load(a, path, &t->source, d) ? read_source(a, t, d) : NULL;
}

struct test *test_read_text(struct arena *a, const char *path, const char *text, size_t len, struct diag *d) {
    struct test *t = arena_alloc(a, sizeof *t);
    t->source = (struct source){arena_strdup(a, path), arena_strndup(a, text, len), len};
    return read_source(a, t, d);
}

struct cell *test_cells(const struct test *t, struct arena *a, int *n) {
    *n = 0;
    size_t all = (size_t)t->nplacements * (size_t)t->naccesses * (size_t)t->nfences;
    struct cell *v = arena_array(a, all, sizeof *v);
    for (int p = 0; p < t->nplacements; p++)
        for (int k = 0; k < t->naccesses; k++)
            for (int f = 0; f < t->nfences; f++)
                v[(*n)++] = (struct cell){&t->placements[p], t->accesses[k], &t->fences[f]};
    return v;
}

static struct strength access_strength(enum access access) {
    switch (access) {
    case ACCESS_WEAK: return (struct strength){ORDER_WEAK, SCOPE_NONE};
    case ACCESS_VOLATILE: return (struct strength){ORDER_VOLATILE, SCOPE_SYS};
    case ACCESS_RELAXED: return (struct strength){ORDER_RELAXED, SCOPE_GPU};
    }
    return (struct strength){ORDER_WEAK, SCOPE_NONE};
}

struct strength op_strength(const struct test *t, const struct cell *v, const struct op *op) {
    if (op->kind == OP_FENCE && op->slot >= 0)
        return (struct strength){t->fence_order, v->fence->slot[op->slot]};
    if (op->kind == OP_FENCE || op->kind == OP_RMW) return (struct strength){op->order, op->scope};
    if (op->kind == OP_BARRIER) return (struct strength){ORDER_ACQ_REL, op->scope};
    switch (op->order) {
    case ORDER_BARE:
        return access_strength(t->locs[op->loc].has_access ? t->locs[op->loc].access : v->access);
    case ORDER_WEAK: return access_strength(ACCESS_WEAK);
    case ORDER_VOLATILE: return access_strength(ACCESS_VOLATILE);
    default: return (struct strength){op->order, op->scope};
    }
}

const char *access_name(enum access a) {
    static const char *const names[] = {"weak", "volatile", "relaxed"};
    return names[a];
}

const char *space_name(enum space s) {
    static const char *const names[] = {"global", "shared", "host"};
    return names[s];
}

const char *quantifier_name(enum quantifier q) {
    static const char *const names[] = {"exists", "not_exists", "forall"};
    return names[q];
}
