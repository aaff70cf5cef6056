#include "report/tone.h"

#include <string.h>

#include "litmus/test.h"

static bool is_kind(const struct test_result *t, enum quantifier kind) {
    return strcmp(t->kind, quantifier_name(kind)) == 0;
}

enum tone tone_allowed(const struct test_result *t, const struct cell_result *c) {
    enum answer answer = is_kind(t, FORALL) ? c->model.holds : c->model.allowed;
    if (c->model.name && c->model.fault) return TONE_BAD;
    if (!c->model.name || answer == ANSWER_UNKNOWN || judgement_is_endless(&c->model)) return TONE_MUTE;
    if (c->model.undefined) return TONE_BAD;
    if (judgement_is_bounded(&c->model, is_kind(t, FORALL))) return TONE_MUTE;
    if (is_kind(t, FORALL)) return answer == ANSWER_YES ? TONE_GOOD : TONE_BAD;
    if (c->model.unreached) return TONE_MUTE;
    if (answer == ANSWER_NO) return TONE_GOOD;
    return is_kind(t, NOT_EXISTS) ? TONE_BAD : TONE_OPEN;
}

/* Whether what was observed breaks a claim of the test. */
static bool is_broken(const struct test_result *t, const struct cell_result *c) {
    return !is_kind(t, EXISTS) && cell_shown(c, is_kind(t, FORALL)) > 0;
}

enum tone tone_observed(const struct test_result *t, const struct cell_result *c) {
    if (c->verdict == VERDICT_VIOLATION || is_broken(t, c)) return TONE_BAD;
    if (c->verdict == VERDICT_FAULT) return TONE_BAD;
    if (c->verdict == VERDICT_SKIPPED || c->verdict == VERDICT_STUCK) return TONE_MUTE;
    if (is_kind(t, FORALL)) return c->satisfied > 0 ? TONE_GOOD : TONE_MUTE;
    if (c->satisfied > 0) return TONE_OPEN;
    return cell_is_held(c) ? TONE_GOOD : TONE_MUTE;
}

enum tone tone_of(const struct test_result *t, const struct cell_result *c) {
    return c->machine == MACHINE_NONE ? tone_allowed(t, c) : tone_observed(t, c);
}
