#include "session/cells.h"

#include <string.h>

#include "litmus/axes.h"

static const struct fence_choice *find_fence(const struct test *t, struct arena *a, const char *text,
                                             struct diag *d) {
    for (int k = 0; k < t->nfences; k++)
        if (strcmp(t->fences[k].name, text) == 0) return &t->fences[k];
    if (t->nslots == 0) {
        diag_fail(d, "no test here has a fence() and so a fence axis");
        return NULL;
    }
    return fence_parse(t, a, text, (struct pos){0}, d);
}

static const struct placement *find_placement(const struct test *t, struct arena *a, const char *text,
                                              struct diag *d) {
    for (int k = 0; k < t->nplacements; k++)
        if (strcmp(t->placements[k].name, text) == 0) return &t->placements[k];
    return placement_parse(t, a, text, (struct pos){0}, d);
}

static bool find_access(const char *text, enum access *access, struct diag *d) {
    for (enum access k = ACCESS_WEAK; k <= ACCESS_RELAXED; k++) {
        *access = k;
        if (strcmp(text, access_name(k)) == 0) return true;
    }
    diag_fail(d, "unknown access '%s': it is weak, volatile or relaxed", text);
    return false;
}

/* The placements, accesses and fences of one test that the choices leave. */
struct axes {
    const struct fence_choice **fences;
    const struct placement **placements;
    const enum access *accesses;
    int nfences, nplacements, naccesses;
};

static void choose_fences(struct arena *a, const struct test *t, const struct choices *c, struct axes *x) {
    x->fences = arena_array(a, (size_t)(c->n + t->nfences), sizeof *x->fences);
    for (int k = 0; k < t->nfences && c->n == 0; k++)
        x->fences[x->nfences++] = &t->fences[k];
    for (int k = 0; k < c->n; k++) {
        struct diag ignored = {0};
        const struct fence_choice *f = find_fence(t, a, c->item[k], &ignored);
        if (f) x->fences[x->nfences++] = f;
        diag_free(&ignored);
    }
}

static void choose_placements(struct arena *a, const struct test *t, const struct choices *c,
                              const struct backend *b, struct axes *x) {
    x->placements = arena_array(a, (size_t)(c->n + t->nplacements + 1), sizeof *x->placements);
    if (b && b->placement) {
        x->placements[x->nplacements++] = b->placement(t, a);
        return;
    }
    for (int k = 0; k < t->nplacements && c->n == 0; k++)
        x->placements[x->nplacements++] = &t->placements[k];
    for (int k = 0; k < c->n; k++) {
        struct diag ignored = {0};
        const struct placement *p = find_placement(t, a, c->item[k], &ignored);
        if (p) x->placements[x->nplacements++] = p;
        diag_free(&ignored);
    }
}

static void choose_accesses(struct arena *a, const struct test *t, const struct choices *c, struct axes *x) {
    enum access *list = arena_array(a, (size_t)(c->n + t->naccesses), sizeof *list);
    x->accesses = list;
    for (int k = 0; k < t->naccesses && c->n == 0; k++)
        list[x->naccesses++] = t->accesses[k];
    for (int k = 0; k < c->n; k++) {
        struct diag ignored = {0};
        if (find_access(c->item[k], &list[x->naccesses], &ignored)) x->naccesses++;
        diag_free(&ignored);
    }
}

/* Whether the list has the cell already. Cells are compared by names, since two choices of the same thing
 * have different pointers. */
static bool is_listed(const struct cell *list, int n, const struct cell *cell) {
    for (int k = 0; k < n; k++)
        if (strcmp(list[k].placement->name, cell->placement->name) == 0 && list[k].access == cell->access &&
            strcmp(list[k].fence->name, cell->fence->name) == 0)
            return true;
    return false;
}

struct cell *cells_chosen(struct arena *a, const struct test *t, const struct cell_choices *c,
                          const struct backend *b, int *n) {
    struct axes x = {0};
    choose_fences(a, t, &c->fences, &x);
    choose_placements(a, t, &c->placements, b, &x);
    choose_accesses(a, t, &c->accesses, &x);
    struct cell *list = arena_array(a, (size_t)(x.nfences * x.nplacements * x.naccesses), sizeof *list);
    *n = 0;
    for (int p = 0; p < x.nplacements; p++)
        for (int k = 0; k < x.naccesses; k++)
            for (int f = 0; f < x.nfences; f++) {
                struct cell cell = {x.placements[p], x.accesses[k], x.fences[f]};
                if (!is_listed(list, *n, &cell)) list[(*n)++] = cell;
            }
    return list;
}

int cells_drop_fences(struct cell *cells, int n) {
    int kept = 0;
    for (int k = 0; k < n; k++)
        if (kept == 0 || cells[kept - 1].placement != cells[k].placement ||
            cells[kept - 1].access != cells[k].access)
            cells[kept++] = cells[k];
    return kept;
}

/* Whether a choice can mean something in some test; if not, leaves an error. A placement may also be the name
 * of a thread. */
static bool is_choice(struct arena *a, char axis, const char *text, struct diag *d) {
    enum access access;
    if (axis == 'f') return fence_check_words(a, text, d);
    return axis == 'p' || find_access(text, &access, d);
}

static bool fits(const struct test *t, struct arena *a, char axis, const char *text, struct diag *d) {
    if (axis == 'p') return find_placement(t, a, text, d) != NULL;
    return is_choice(a, axis, text, d) && (axis != 'f' || t->uncompiled || find_fence(t, a, text, d) != NULL);
}

/* Whether a choice fits some test of the suite; without a suite, some test that may exist. If it fits none,
 * says why in the arena, preferring a test that has fences. */
static bool fits_some(const struct suite *s, struct arena *a, char axis, const char *text, const char **why) {
    struct diag d = {0};
    bool some = !s && is_choice(a, axis, text, &d);
    if (d.errors) *why = arena_strdup(a, diag_first_error(&d));
    for (int k = 0; s && k < s->n && !some; k++) {
        diag_free(&d);
        d = (struct diag){0};
        const struct test *t = suite_test(s, k);
        some = fits(t, a, axis, text, &d);
        if (!some && (!*why || t->nslots > 0)) *why = arena_strdup(a, diag_first_error(&d));
    }
    diag_free(&d);
    return some;
}

/* Whether the text is a fence at all. A fence that no test has is ignored if another choice fits; a word that
 * is no fence is always an error. */
static bool is_fence_word(const char *text) {
    for (int k = SCOPE_NONE; scope_names[k]; k++)
        if (strcmp(text, scope_names[k]) == 0) return true;
    return strcmp(text, "as-written") == 0;
}

/* Whether a choice of an axis fits no test; then fills in why. `any`: another choice of the axis fits. */
static bool is_misfit(struct arena *a, const struct suite *s, const char *axis, const char *choice, bool any,
                      struct cells_misfit *out) {
    const char *why = NULL;
    if (fits_some(s, a, *axis, choice, &why) || (any && *axis == 'f' && is_fence_word(choice))) return false;
    *out = (struct cells_misfit){axis, choice, why};
    return true;
}

static bool has_misfit(struct arena *a, const struct suite *s, const char *axis, const struct choices *c,
                       struct cells_misfit *out) {
    const char *why = NULL;
    bool any = false, found = false;
    for (int k = 0; k < c->n; k++)
        any = fits_some(s, a, *axis, c->item[k], &why) || any;
    for (int k = 0; k < c->n && !found; k++)
        found = is_misfit(a, s, axis, c->item[k], any, out);
    return found;
}

bool cells_misfit(struct arena *a, const struct suite *s, const struct cell_choices *c,
                  struct cells_misfit *out) {
    return has_misfit(a, s, "fence", &c->fences, out) || has_misfit(a, s, "placement", &c->placements, out) ||
           has_misfit(a, s, "access", &c->accesses, out);
}
