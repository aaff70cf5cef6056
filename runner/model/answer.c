#include "model/answer.h"

#include "model/reach.h"
#include "search/outcome.h"

struct answer {
    const struct test *test;
    bool what;                  /* looks for an outcome of which the proposition has this value */
    const struct value *values; /* or for these values; NULL: for the proposition */
    struct histogram *outcomes; /* takes the answer; NULL: nothing does */
    bool found;
};

static bool is_none(const struct value *values, void *ctx) {
    struct answer *a = ctx;
    size_t bytes = (size_t)a->test->nobs * sizeof *values;
    a->found = a->values ? memcmp(values, a->values, bytes) == 0
                         : expr_is_true(a->test->cond.prop, &(struct expr_env){.obs = values}) == a->what;
    if (a->found && a->outcomes) histogram_add(a->outcomes, values, 1);
    return !a->found;
}

static bool on_execution(struct search *s, void *ctx) {
    return outcome_each(s, is_none, ctx);
}

static bool may_be(const struct search *s, void *ctx) {
    const struct answer *a = ctx;
    return a->values ? reach_may_give(s, a->values) : reach_may_be(s, a->what);
}

static bool look_for(struct judge *j, struct answer a) {
    a.test = j->test;
    j->leaf = on_execution;
    j->wanted = may_be;
    j->ctx = &a;
    j->budget.counting = 0;
    j->stopped = false;
    judge_find_twins(j, false);
    judge_complete(j);
    j->stopped = false;
    return a.found;
}

bool answer_condition(struct judge *j, bool what, struct histogram *outcomes) {
    return look_for(j, (struct answer){.what = what, .outcomes = outcomes});
}

bool answer_outcome(struct judge *j, const struct value *values) {
    return look_for(j, (struct answer){.values = values});
}
