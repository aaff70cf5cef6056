#include "results/fleet.h"

#include <string.h>

#include "base/text.h"

/* ---- shards ---- */

static const char *path_of(const struct report *r) {
    return r->source ? r->source->path : "this result";
}

/* Returns why two results are not shards of the same run; NULL: they are. */
static const char *mismatch(struct arena *arena, const struct report *a, const struct report *b) {
    const struct shards *x = &a->shards, *y = &b->shards;
    if (x->of != y->of)
        return arena_printf(arena, "'%s' was split into %d shards, and this into %d", path_of(a), x->of,
                            y->of);
    if (x->suite != y->suite)
        return arena_printf(
            arena, "this is a shard of other cells than '%s': another suite, or other options", path_of(a));
    if (a->seed != b->seed)
        return arena_printf(arena, "the shards of one run have one seed: '%s' has %lld, and this %lld",
                            path_of(a), a->seed, b->seed);
    return NULL;
}

static bool has_shard(const struct shards *s, int number) {
    for (int k = 0; k < s->n; k++)
        if (s->numbers[k] == number) return true;
    return false;
}

/* Inserts a number into the sorted ones, which have room for it. */
static void insert(struct shards *s, int number) {
    int k = s->n++;
    for (; k > 0 && s->numbers[k - 1] > number; k--)
        s->numbers[k] = s->numbers[k - 1];
    s->numbers[k] = number;
}

/* Returns why one result is a whole run and the other only some shards, whose sum would have some cells
 * twice; all shards together are a whole run. NULL: they can be added. */
static const char *is_part(struct arena *arena, const struct report *a, const struct report *b) {
    const struct shards *parts = a->shards.of ? &a->shards : &b->shards;
    if ((a->shards.of == 0) == (b->shards.of == 0) || parts->n == parts->of) return NULL;
    return parts == &a->shards
               ? arena_printf(arena,
                              "this is a whole run, and '%s' has %d of %d shards: add up all shards first",
                              path_of(a), parts->n, parts->of)
               : arena_printf(arena,
                              "this has %d of %d shards, and '%s' is a whole run: add up all shards first",
                              parts->n, parts->of, path_of(a));
}

bool shards_join(struct arena *arena, struct report *a, const struct report *b, struct diag *d) {
    struct shards *sum = &a->shards;
    const char *why = is_part(arena, a, b);
    if (!why && b->shards.of == 0) return true;
    if (!why && sum->of) why = mismatch(arena, a, b);
    if (why) {
        diag_fail(d, "%s", why);
        return false;
    }
    sum->of = b->shards.of;
    sum->suite = b->shards.suite;
    sum->numbers =
        arena_grow(arena, sum->numbers, (size_t)sum->n, (size_t)(sum->n + b->shards.n), sizeof *sum->numbers);
    for (int k = 0; k < b->shards.n; k++)
        if (!has_shard(sum, b->shards.numbers[k]))
            insert(sum, b->shards.numbers[k]);
        else
            diag_warning(d, NULL, (struct pos){0}, "shard %d of %d is there twice: the runs of both count",
                         b->shards.numbers[k], sum->of);
    return true;
}

const char *shards_missing(struct arena *arena, const struct shards *s) {
    struct text list = {0};
    int missing = s->of - s->n, told = 0;
    for (int number = 1; number <= s->of && missing > 0; number++)
        if (!has_shard(s, number)) {
            text_printf(&list, "%s%d", told == 0 ? "" : told + 1 == missing ? " and " : ", ", number);
            told++;
        }
    const char *text = told ? arena_strdup(arena, list.s) : NULL;
    text_free(&list);
    return text;
}

/* ---- machines ---- */

static struct property *find_property(struct report *r, const char *name) {
    for (int k = 0; k < r->nmachine; k++)
        if (strcmp(r->machine[k].name, name) == 0) return &r->machine[k];
    return NULL;
}

/* Whether a value is among several, as in "one; two". */
static bool has_value(const char *values, const char *value) {
    size_t n = strlen(value);
    for (const char *at = values; (at = strstr(at, value)) != NULL; at++)
        if ((at == values || at[-1] == ' ') && (!at[n] || at[n] == ';')) return true;
    return false;
}

void machines_join(struct arena *arena, struct report *a, const struct report *b) {
    a->machine = arena_grow(arena, a->machine, (size_t)a->nmachine, (size_t)(a->nmachine + b->nmachine),
                            sizeof *a->machine);
    for (int k = 0; k < b->nmachine; k++) {
        struct property *mine = find_property(a, b->machine[k].name);
        if (!mine)
            a->machine[a->nmachine++] = b->machine[k];
        else if (!has_value(mine->value, b->machine[k].value))
            mine->value = arena_printf(arena, "%s; %s", mine->value, b->machine[k].value);
    }
}

/* ---- what a sum lacks ---- */

int fleet_gaps(const struct report *r,
               void (*tell)(void *ctx, const struct test_result *t, const struct cell_result *c), void *ctx) {
    int n = 0;
    for (int k = 0; k < r->ntests; k++) {
        const struct test_result *t = results_test(r, k);
        for (const struct cell_result *c = t->cells; c < t->cells + t->ncells; c++) {
            if (!c->elsewhere && !c->lost) continue;
            tell(ctx, t, c);
            n++;
        }
    }
    return n;
}
