/* How much it says that an outcome was never observed: what the cell with the weakest fence that did show it lets
 * expect.
 *
 * Let this cell, the mutant, have shown the outcome in S of its E environments, in n runs, and let the other one
 * have n' runs in E' environments. If the fence did nothing, the runs of both are of one kind, and which of them
 * belong to which cell is a matter of chance: each place at which the outcome shows lies in the mutant with the
 * chance n / (n + n'). All S places lie there, and so the other cell shows nothing, with the chance
 *
 *     (n / (n + n'))^S = (1 + n'/n)^-S.
 *
 * Such a place is a burst: runs beside each other have the same cause, and hits come together. The size b of a
 * burst makes k / b of k hits. It is not recorded, so b is the most that it can be: all hits of an environment, b
 * = k / S.
 *
 * An environment, too, either shows the outcome or does not, however often it is run. Among E + E' environments of
 * which S show it, all S are among the mutant's with the chance
 *
 *     product over i < S of (E - i) / (E + E' - i),
 *
 * the chance that none of E' further environments shows it where the share of those that do has the distribution
 * Beta(S, E - S + 1). The confidence is 1 less the greater of both chances.
 *
 * So it is the predictive chance of Bayes, if before the run a rate was as likely to lie in any decade as in any
 * other. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "litmus/words.h"
#include "results/verdict.h"

/* ---- which fences are weaker ---- */

/* Whether a fence of order y forbids all that one of order x forbids. */
static bool order_within(enum order x, enum order y) {
    return x == y || y == ORDER_SC || (y == ORDER_ACQ_REL && x != ORDER_SC);
}

/* Reads the first fence of a text. A bare scope is sequentially consistent. Returns false for what is no
 * fence, such as "as-written". */
static bool read_fence(const char *text, struct fence *f) {
    char word[64];
    snprintf(word, sizeof word, "%.*s", (int)strcspn(text, "+,"), text);
    if (!fence_find(word, f)) return false;
    if (f->order == ORDER_BARE) f->order = ORDER_SC;
    return true;
}

static bool fence_within(const char *x, const char *y) {
    struct fence a, b;
    if (!read_fence(x, &a)) return false;
    if (!a.there) return true;
    return read_fence(y, &b) && b.there && a.name == b.name && a.scope <= b.scope &&
           order_within(a.order, b.order);
}

/* Returns the next fence of the same slot; NULL: there is none. */
static const char *next_fence(const char *text) {
    text += strcspn(text, "+,");
    return *text == '+' ? text + 1 : NULL;
}

/* Whether each fence of one slot is at most as strong as one of the other: "acquire.block+release.device" and
 * "device". */
static bool slot_within(const char *x, const char *y) {
    for (; x; x = next_fence(x)) {
        const char *other = y;
        while (other && !fence_within(x, other))
            other = next_fence(other);
        if (!other) return false;
    }
    return true;
}

static bool has_slots(const char *choice) {
    return strchr(choice, '=') != NULL;
}

static const char *next_slot(const char *choice) {
    choice += strcspn(choice, ",");
    return *choice ? choice + 1 : NULL;
}

/* Returns what a choice has in the slot whose name `named` begins with. "publish=device,receive=none" has
 * "none" in slots that it does not name; "device" is in every slot. */
static const char *find_slot(const char *choice, const char *named) {
    size_t n = strcspn(named, "=") + 1;
    if (!has_slots(choice)) return choice;
    for (; choice; choice = next_slot(choice))
        if (strncmp(choice, named, n) == 0) return choice + n;
    return "none";
}

/* Whether choice x has no stronger fence than choice y in any of the slots that x names (that y names, if x
 * names none). */
static bool choice_within(const char *x, const char *y) {
    if (!has_slots(x) && !has_slots(y)) return slot_within(x, y);
    for (const char *slot = has_slots(x) ? x : y; slot; slot = next_slot(slot))
        if (!slot_within(find_slot(x, slot), find_slot(y, slot))) return false;
    return true;
}

/* Whether x is weaker in some slot and stronger in none. */
static bool is_weaker(const char *x, const char *y) {
    if (!has_slots(x) && has_slots(y) && !slot_within(x, "none")) return false;
    return choice_within(x, y) && !choice_within(y, x);
}

/* ---- what they showed ---- */

static bool same_row(const struct cell_result *x, const struct cell_result *y) {
    return results_same(x->backend, y->backend) && results_same(x->device, y->device) &&
           results_same(x->compiler, y->compiler) && results_same(x->placement, y->placement) &&
           results_same(x->access, y->access);
}

/* Returns the cell with the weakest fence among those like `c` that have weaker fences and did show the
 * outcome; or NULL. */
static const struct cell_result *find_mutant(const struct test_result *t, const struct cell_result *c) {
    const struct cell_result *best = NULL;
    for (int k = 0; k < t->ncells; k++) {
        const struct cell_result *other = &t->cells[k];
        if (is_weaker(other->fence, best ? best->fence : c->fence) && same_row(other, c) &&
            cell_shown(other, result_is_forall(t)) > 0)
            best = other;
    }
    return best;
}

bool verdict_is_weaker(const struct cell_result *x, const struct cell_result *y) {
    return same_row(x, y) && is_weaker(x->fence, y->fence);
}

static bool has_weaker(const struct test_result *t, const struct cell_result *c) {
    for (int k = 0; k < t->ncells; k++)
        if (t->cells[k].runs > t->cells[k].stuck && verdict_is_weaker(&t->cells[k], c)) return true;
    return false;
}

/* Returns how many environments a cell was tried in; 1 if that was not recorded. */
static int tried(const struct cell_result *c) {
    return c->environments > 0 ? c->environments : 1;
}

static double confidence_of(const struct cell_result *mutant, const struct cell_result *c) {
    double n = (double)(mutant->runs - mutant->stuck), more = (double)(c->runs - c->stuck);
    int seen_in = mutant->seen_in > 0 ? mutant->seen_in : 1;
    double by_runs = -seen_in * log1p(more / n), by_environments = 0; /* the logarithms of the two chances */
    for (int i = 0; i < seen_in; i++)
        by_environments -= log1p((double)tried(c) / (tried(mutant) - i));
    return -expm1(fmax(by_runs, by_environments));
}

void verdict_confidence(struct test_result *t) {
    for (int k = 0; k < t->ncells; k++) {
        struct cell_result *c = &t->cells[k];
        c->confidence = NAN;
        c->alone = false;
        if (cell_shown(c, result_is_forall(t)) > 0 || c->runs == c->stuck) continue;
        const struct cell_result *mutant = find_mutant(t, c);
        c->alone = !has_weaker(t, c);
        if (mutant) c->confidence = confidence_of(mutant, c);
    }
}
