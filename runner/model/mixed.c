#include "model/mixed.h"

/* Stops at the first execution of which the remark is true. */
static bool on_execution(struct search *s, void *ctx) {
    (void)s;
    *(bool *)ctx = true;
    return false;
}

static bool shares_bytes(const struct test *t) {
    for (int l = 0; l < t->nlocs; l++)
        if (t->locs[l].view && !t->locs[l].in_each) return true;
    return false;
}

bool mixed_race(struct judge *j) {
    const struct model *model = j->model;
    struct model remarked = {.plan = model->undefined};
    bool found = false;
    if (!shares_bytes(j->test) || !model->undefined) return false;
    j->model = &remarked;
    j->leaf = on_execution;
    j->wanted = NULL;
    j->ctx = &found;
    judge_find_twins(j, true);
    judge_complete(j);
    j->model = model;
    return found;
}
