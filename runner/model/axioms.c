#include "model/axioms.h"

#include <string.h>

#include "cat/cat.h"
#include "model/parts.h"

static bool is_named(const struct cat_stmt *s) {
    return s->kind == CAT_CHECK && !s->flag && s->name;
}

/* Whether no earlier axiom has the name of this one. */
static bool is_first(const struct model *m, const struct cat_stmt *s) {
    const struct cat_stmt *before = m->cat;
    while (before != s && !(is_named(before) && strcmp(before->name, s->name) == 0))
        before = before->next;
    return before == s;
}

int model_axioms(const struct model *m) {
    int n = 0;
    for (const struct cat_stmt *s = m->cat; s; s = s->next)
        n += is_named(s) && is_first(m, s);
    return n;
}

const char *model_axiom(const struct model *m, int k) {
    const struct cat_stmt *s = m->cat;
    while (!is_named(s) || !is_first(m, s) || k-- > 0)
        s = s->next;
    return s->name;
}

const struct model_plan *axioms_leave_out(struct arena *a, const struct model *m, unsigned long long axioms) {
    struct cat_stmt *first = NULL, **end = &first;
    struct diag none = {0};
    int axiom = 0;
    for (const struct cat_stmt *s = m->cat; s; s = s->next) {
        if (s->kind == CAT_CHECK && !s->flag && axioms >> axiom++ & 1) continue;
        *end = arena_alloc(a, sizeof **end);
        **end = *s;
        (*end)->next = NULL;
        end = &(*end)->next;
    }
    const struct model_plan *plan = plan_build(a, first, &none);
    diag_free(&none);
    return m->plan->syntactic ? plan_syntactic(a, plan) : plan;
}

const struct model *model_without(struct arena *a, const struct model *m, int axiom) {
    const char *name = model_axiom(m, axiom);
    struct model *less = arena_alloc(a, sizeof *less);
    unsigned long long axioms = 0;
    int k = 0;
    for (const struct cat_stmt *s = m->cat; s; s = s->next) {
        if (s->kind != CAT_CHECK || s->flag) continue;
        if (s->name && strcmp(s->name, name) == 0) axioms |= 1ull << k;
        k++;
    }
    *less = *m;
    less->plan = axioms_leave_out(a, m, axioms);
    return less;
}
