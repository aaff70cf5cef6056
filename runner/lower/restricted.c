/* Pointers to const that are restricted: no thread may write where they point to. */
#include "lower/lower.h"

/* Reports the first write to a restricted location in a list. */
struct restricted_check {
    struct test *test;
    struct diag *diag;
};

static bool check_restricted(const struct stmt *s, void *ctx) {
    struct restricted_check *c = ctx;
    struct test *t = c->test;
    bool writes =
        s->kind == STMT_OP && s->op->place[0].loc >= 0 && op_kinds[s->op->kind].touches[0] & TOUCH_WRITES;
    struct location *l = writes ? &t->locs[location_root(t, s->op->place[0].loc)] : NULL;
    if (!l || !l->restricted) return true;
    l->restricted = false; /* reported once */
    diag_error(c->diag, &t->source, l->restricted_pos,
               "const and __restrict__ together are not modelled: nvcc may read it by `ld.global.nc`, which "
               "promises nothing for data that is written meanwhile");
    diag_note(c->diag, &t->source, s->op->pos, "'%s' is written here", l->name);
    return true;
}

void pointer_check_restricted(struct test *t, struct diag *d) {
    struct restricted_check check = {t, d};
    for (int b = 0; b < t->nbodies; b++)
        stmt_walk(t->bodies[b].first, check_restricted, &check);
}
