/* Checks the masks of warps, which name lanes. */
#include "litmus/axes.h"

/* Returns the lane of a thread in its warp. */
static int lane_of(const struct placement *p, int thread) {
    int lane = 0;
    for (int k = 0; k < thread; k++)
        lane += !p->seats[k].host && p->seats[k].warp == p->seats[thread].warp;
    return lane;
}

struct mask_check {
    const struct test *t;
    const struct placement *placement;
    int thread, lane;
    struct expr_env env;
    struct diag *diag;
};

static bool check_mask(const struct mask_check *c, const struct op *op) {
    if (!op->mask || !expr_is_known(op->mask)) return true;
    unsigned mask = (unsigned)expr_number(op->mask, &c->env);
    if (c->lane < WARP_LANES && mask >> c->lane & 1) return true;
    diag_error(c->diag, &c->t->source, op->pos,
               "the mask 0x%x leaves out the executing lane: %s is lane %d of its warp at placement '%s'",
               mask, c->t->threads[c->thread].name, c->lane, c->placement->name);
    return false;
}

/* Checks a list of statements. If the condition of a branch is known, only the side that is taken is
 * checked. */
static bool check_masks(const struct mask_check *c, const struct stmt *s) {
    for (; s; s = s->next) {
        bool known = s->kind == STMT_IF && expr_is_known(s->value),
             taken = known && expr_is_true(s->value, &c->env);
        if (s->kind == STMT_OP && !check_mask(c, s->op)) return false;
        if ((!known || taken) && !check_masks(c, s->body)) return false;
        if ((!known || !taken) && !check_masks(c, s->orelse)) return false;
        if (!check_masks(c, s->step)) return false;
    }
    return true;
}

bool placement_check_masks(const struct test *t, const struct placement *p, struct diag *d) {
    for (int k = 0; k < t->nthreads; k++) {
        const struct thread *th = &t->threads[k];
        struct mask_check c = {t, p, k, lane_of(p, k), body_env(th->body, th->tid), d};
        if (!p->seats[k].host && !check_masks(&c, th->body->first)) return false;
    }
    return true;
}
