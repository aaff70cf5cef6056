#include "cat/remark.h"

#include <string.h>

static bool is_remark(const struct cat_stmt *s, const char *name) {
    return s->kind == CAT_CHECK && s->flag && s->check == CHECK_EMPTY && s->negated && s->name &&
           strcmp(s->name, name) == 0;
}

bool remark_is_asked(const struct cat_stmt *s) {
    static const char *const asked[] = {"race", "undefined", "fault", "closed", "gone"};
    for (size_t k = 0; k < sizeof asked / sizeof *asked; k++)
        if (s->name && strcmp(s->name, asked[k]) == 0) return true;
    return false;
}

const struct model_plan *remark_plan(struct arena *a, const struct cat_stmt *cat, const char *name,
                                     bool axioms) {
    struct cat_stmt *first = NULL, **end = &first;
    struct diag none = {0};
    bool any = false;
    for (; cat; cat = cat->next) {
        bool remark = is_remark(cat, name);
        if (cat->kind == CAT_CHECK && !remark && (cat->flag || !axioms)) continue;
        any = any || remark;
        *end = arena_alloc(a, sizeof **end);
        **end = *cat;
        (*end)->flag = false;
        (*end)->next = NULL;
        end = &(*end)->next;
    }
    const struct model_plan *plan = any ? plan_build(a, first, &none) : NULL;
    diag_free(&none);
    return plan;
}
