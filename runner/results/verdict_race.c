/* Fills in the races of a cell. */
#include <string.h>

#include "base/text.h"
#include "litmus/words.h"
#include "results/verdict.h"

/* Returns what an access does: a copy writes its first place and reads its second. */
static const char *does(const struct race_access *x) {
    const struct op_kind_row *kind = &op_kinds[x->op->kind];
    return kind->does[kind->engine && !x->write];
}

static const char *strength_text(struct arena *a, struct strength s) {
    if (s.order == ORDER_WEAK || s.order == ORDER_VOLATILE) return order_name(s.order);
    return arena_printf(a, "%s.%s", order_name(s.order), scope_ptx(s.scope));
}

static struct racing_access access_text(struct arena *a, const struct test *t, const struct race_access *x) {
    return (struct racing_access){.thread = arena_strdup(a, t->threads[x->thread].name),
                                  .place = arena_strdup(a, x->place),
                                  .does = does(x),
                                  .strength = strength_text(a, x->strength),
                                  .line = x->op->body->text ? 0 : x->pos.line,
                                  .column = x->op->body->text ? 0 : x->pos.col,
                                  .where = body_place(a, x->op->body, x->pos)};
}

static bool is_wide(const struct race_access *x) {
    return x->op->type.lanes > 1 || x->op->type.bits > 64;
}

/* Returns what a race may lead to, beyond what PTX says of its accesses. */
static const char *risk_text(struct arena *a, const struct race *r) {
    const struct race_access *x = &r->access[0], *y = &r->access[1];
    const struct race_access *waits = x->risk == RACE_WAITS ? x : y->risk == RACE_WAITS ? y : NULL;
    const struct race_access *copy = x->copy ? x : y->copy ? y : NULL;
    if (r->early)
        return "no wait has seen the phase of the earlier arrival complete before the later one, as PTX "
               "wants; phases are "
               "counted all the same";
    if (r->mixed)
        return "the accesses are of different sizes, and of such a race PTX promises nothing but that atomic "
               "operations are atomic";
    if (copy)
        return arena_printf(a, "the copy of %s may be done at any time until a wait for it has ended",
                            body_place(a, copy->op->body, copy->pos));
    if (waits)
        return arena_printf(a, "the compiler may read %s (%s) once, before the loop, which then never ends",
                            waits->place, body_place(a, waits->op->body, waits->pos));
    if (x->risk == RACE_NONE && y->risk == RACE_NONE)
        return "both are strong, but the scope of one does not include the other's thread";
    const struct race_access *weak = x->risk == RACE_WEAK ? x : y;
    return arena_printf(a, "the compiler may move, merge, repeat or leave out the weak access of %s%s",
                        body_place(a, weak->op->body, weak->pos), is_wide(weak) ? ", or tear it" : "");
}

void verdict_races(struct arena *a, struct cell_result *c, const struct test *t, const struct races *races) {
    c->races = arena_array(a, (size_t)races->n, sizeof *c->races);
    c->nraces = races->n;
    c->races_partial = races->partial;
    for (int k = 0; k < races->n; k++) {
        const struct race *from = &races->list[k];
        struct value *values = arena_array(a, (size_t)t->nobs, sizeof *values);
        for (int o = 0; o < t->nobs; o++)
            values[o] = from->values[o];
        c->races[k] =
            (struct racing_pair){{access_text(a, t, &from->access[0]), access_text(a, t, &from->access[1])},
                                 values,
                                 risk_text(a, from)};
    }
}

/* Returns such as "T0 writes X (line 5, weak) and T1 reads X (line 8, weak)". */
static const char *say_race(struct arena *a, const struct racing_pair *p) {
    const struct racing_access *x = &p->access[0], *y = &p->access[1];
    return arena_printf(a, "%s %s %s (%s, %s) and %s %s %s (%s, %s)", x->thread, x->does, x->place, x->where,
                        x->strength, y->thread, y->does, y->place, y->where, y->strength);
}

/* Whether two accesses are at the same place of the text, and of one location or array. */
static bool same_access(const struct racing_access *x, const struct racing_access *y) {
    size_t n = strcspn(x->place, "[");
    return results_same(x->where, y->where) && x->column == y->column && n == strcspn(y->place, "[") &&
           memcmp(x->place, y->place, n) == 0;
}

static bool same_places(const struct racing_pair *x, const struct racing_pair *y) {
    return same_access(&x->access[0], &y->access[0]) && same_access(&x->access[1], &y->access[1]);
}

/* Whether two accesses read the same in a message, although they may be at different columns of a line. */
static bool reads_same(const struct racing_access *x, const struct racing_access *y) {
    return results_same(x->where, y->where) && results_same(x->thread, y->thread) &&
           results_same(x->place, y->place) && results_same(x->does, y->does) &&
           results_same(x->strength, y->strength);
}

static bool same_note(const struct racing_pair *x, const struct racing_pair *y) {
    return same_places(x, y) || (reads_same(&x->access[0], &y->access[0]) &&
                                 reads_same(&x->access[1], &y->access[1]) && results_same(x->risk, y->risk));
}

typedef bool same_fn(const struct racing_pair *x, const struct racing_pair *y);

static bool is_among(const struct racing_pair *p, const struct racing_pair *list, int n, same_fn *same) {
    for (int k = 0; k < n; k++)
        if (same(&list[k], p)) return true;
    return false;
}

/* Returns how many cells have this race of this cell; 0: it was reported for an earlier one. */
static int count_cells(const struct test_result *r, int cell, int race, same_fn *same) {
    const struct racing_pair *p = &r->cells[cell].races[race];
    int n = 0;
    for (int k = 0; k < cell; k++)
        if (is_among(p, r->cells[k].races, r->cells[k].nraces, same)) return 0;
    if (is_among(p, r->cells[cell].races, race, same)) return 0;
    for (int k = cell; k < r->ncells; k++)
        n += is_among(p, r->cells[k].races, r->cells[k].nraces, same);
    return n;
}

const char *verdict_race_note(struct arena *a, const struct test_result *r, int cell, int race) {
    const struct cell_result *c = &r->cells[cell];
    const struct racing_pair *p = &c->races[race];
    int n = count_cells(r, cell, race, same_note);
    if (n == 0) return NULL;
    struct text line = {0};
    text_printf(&line, "race: %s, in ", say_race(a, p));
    if (n > 1) text_printf(&line, "%d of %d cells, such as ", n, r->ncells);
    text_printf(&line, "placement %s, access %s, fence %s", c->placement, c->access, c->fence);
    if (r->nobs > 0) text_printf(&line, ", where %s", verdict_outcome_text(a, r, p->values));
    text_printf(&line, ". In CUDA C++ this is undefined: %s.", p->risk);
    const char *note = arena_strdup(a, line.s);
    text_free(&line);
    return note;
}

void verdict_races_fail(struct arena *a, struct test_result *r) {
    for (int k = 0; k < r->ncells; k++)
        for (int j = 0; j < r->cells[k].nraces; j++) {
            const struct racing_pair *p = &r->cells[k].races[j];
            const struct cell_result *c = &r->cells[k];
            int n = count_cells(r, k, j, same_places);
            if (n == 0) continue;
            const char *more = n > 1 ? arena_printf(a, " (and %d more cell%s)", n - 1, n > 2 ? "s" : "") : "";
            verdict_add_failure(a, r, (struct pos){p->access[0].line, p->access[0].column, 0},
                                arena_printf(a, "a race: %s: placement %s, access %s, fence %s%s",
                                             say_race(a, p), c->placement, c->access, c->fence, more));
        }
}
