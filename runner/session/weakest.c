#include "session/weakest.h"

#include <string.h>

#include "session/larger.h"

struct weakest_search {
    const struct weakest_question *q;
    struct cell cell;
    struct fence_choice fences; /* the fences of the cell */
    enum weakest_answer trouble;
    bool bounded;
    struct diag *diag;
};

/* Whether the model forbids the outcome with the current fences. Also false on an error. */
static bool is_forbidden(struct weakest_search *s) {
    const struct weakest_question *q = s->q;
    struct model_result r;
    if (!model_check(q->model, q->test, &s->cell, &q->limits, q->arena, &r, s->diag)) {
        s->trouble = WEAKEST_NOT_JUDGED;
        return false;
    }
    if (r.status == MODEL_DONE && r.executions == 0) s->trouble = WEAKEST_NOT_ENDING;
    if (r.unreached && q->test->cond.kind != FORALL) s->trouble = WEAKEST_NOT_REACHED;
    bool bad = q->test->cond.kind == FORALL ? !r.holds : r.allowed;
    if (!bad && r.status != MODEL_DONE) s->trouble = WEAKEST_NOT_KNOWN;
    s->bounded = s->bounded || (!bad && r.bounded);
    return !bad && s->trouble == WEAKEST_FOUND;
}

/* Narrows the scope of a slot as far as the outcome stays forbidden. */
static void narrow(struct weakest_search *s, struct fence *slot) {
    for (enum scope scope = SCOPE_NONE; scope < SCOPE_SYS; scope++) {
        *slot = scope == SCOPE_NONE ? (struct fence){0} : fence_of(ORDER_SC, scope);
        if (is_forbidden(s) || s->trouble != WEAKEST_FOUND) return;
    }
    *slot = fence_of(ORDER_SC, SCOPE_SYS);
}

/* Weakens the order of a slot as far as the outcome stays forbidden. */
static void weaken(struct weakest_search *s, struct fence *slot) {
    static const enum order orders[] = {ORDER_ACQUIRE, ORDER_RELEASE, ORDER_ACQ_REL};
    for (int k = 0; k < 3 && slot->there; k++) {
        slot->order = orders[k];
        if (is_forbidden(s) || s->trouble != WEAKEST_FOUND) return;
    }
    slot->order = ORDER_SC;
}

/* Lowers all slots, which begin as sc.system. */
static enum weakest_answer lower(struct weakest_search *s) {
    bool any = false;
    if (!is_forbidden(s)) return s->trouble == WEAKEST_FOUND ? WEAKEST_NOT_ENOUGH : s->trouble;
    for (int k = 0; k < s->q->test->nslots; k++) {
        narrow(s, &s->fences.slot[k]);
        if (s->trouble == WEAKEST_FOUND) weaken(s, &s->fences.slot[k]);
        if (s->trouble != WEAKEST_FOUND) return s->trouble;
        any = any || s->fences.slot[k].there;
    }
    return any ? WEAKEST_FOUND : WEAKEST_NOT_NEEDED;
}

struct weakest weakest_find(const struct weakest_question *q, const struct cell *cell, struct diag *d) {
    struct weakest_search s = {.q = q, .cell = *cell, .fences = {.name = "weakest"}, .diag = d};
    s.cell.fence = &s.fences;
    for (int k = 0; k < q->test->nslots; k++)
        s.fences.slot[k] = fence_of(ORDER_SC, SCOPE_SYS);
    enum weakest_answer answer = lower(&s);
    return (struct weakest){answer, s.fences, s.bounded};
}

/* Returns the cell of another test with the same placement and access; NULL: there is none. */
static struct cell *find_cell(const struct weakest_question *q, const struct cell *cell,
                              const struct cell_choices *choices) {
    int n;
    struct cell *cells = cells_chosen(q->arena, q->test, choices, NULL, &n);
    for (int k = 0; k < n; k++)
        if (strcmp(cells[k].placement->name, cell->placement->name) == 0 && cells[k].access == cell->access)
            return &cells[k];
    return NULL;
}

struct weakest weakest_of_larger(const struct weakest_question *q, const struct cell *v,
                                 const struct fence_choice *fences, int body,
                                 const struct cell_choices *choices) {
    struct weakest_question larger = *q;
    struct weakest found = {.answer = WEAKEST_NOT_ASKED};
    struct diag quiet = {0};
    larger.test = test_larger(q->arena, q->test, body);
    const struct cell *cell = larger.test ? find_cell(&larger, v, choices) : NULL;
    if (cell) {
        struct weakest_search s = {.q = &larger, .cell = *cell, .diag = &quiet};
        s.cell.fence = fences;
        found.answer = is_forbidden(&s) ? WEAKEST_ENOUGH : s.trouble;
    }
    if (found.answer == WEAKEST_FOUND)
        found = weakest_find(&larger, cell, &quiet); /* the fences were not enough */
    diag_free(&quiet);
    return found;
}
