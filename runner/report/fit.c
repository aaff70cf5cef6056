#include "report/fit.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

#include "base/pool.h"
#include "model/axioms.h"

static bool is_forall(const struct fit_cell *c) {
    return c->test->cond.kind == FORALL;
}

/* Whether the cell showed what it is about; of a forall, what breaks it. */
static bool was_seen(const struct fit_cell *c) {
    return cell_shown(c->observed, is_forall(c)) > 0;
}

static bool may_be_seen(const struct fit_cell *c, const struct model_result *m) {
    for (int k = 0; k < m->noutcomes; k++)
        if (m->outcomes[k].satisfies != is_forall(c)) return true;
    return m->undefined;
}

/* Values that were read from a file have types as wide as they are written, so their texts are compared. */
static bool same_values(const struct fit_cell *c, const struct value *seen, const struct value *allowed) {
    char x[VALUE_MAX_TEXT], y[VALUE_MAX_TEXT];
    for (int o = 0; o < c->test->nobs; o++)
        if (strcmp(value_text(x, c->result->types[o], seen[o]),
                   value_text(y, c->test->obs[o].type, allowed[o])) != 0)
            return false;
    return true;
}

static bool is_allowed(const struct fit_cell *c, const struct model_result *m, const struct value *seen) {
    for (int k = 0; k < m->noutcomes; k++)
        if (same_values(c, seen, m->outcomes[k].values)) return true;
    return m->undefined;
}

/* The most frequent outcome that the model forbids, or NULL. A result may have its outcomes left out. */
static const struct cell_outcome *find_forbidden(const struct fit_cell *c, const struct model_result *m) {
    const struct cell_outcome *most = NULL;
    for (int k = 0; k < c->observed->noutcomes; k++) {
        const struct cell_outcome *o = &c->observed->outcomes[k];
        if (o->count > (most ? most->count : 0) && !is_allowed(c, m, o->values)) most = o;
    }
    return most;
}

static enum fit_word judge(const struct fit_cell *c, const struct model *m, const struct fit_effort *effort,
                           const struct cell_outcome **broken, struct diag *d) {
    struct arena *a = arena_open();
    struct model_result result;
    bool judged = model_check(m, c->test, &c->cell, &effort->limits, a, &result, d);
    enum fit_word word = FIT_UNKNOWN;
    *broken = judged ? find_forbidden(c, &result) : NULL;
    bool may = judged && may_be_seen(c, &result), refuted = *broken || (was_seen(c) && !may);
    bool sure = !result.bounded && !(*broken && result.unlisted);
    if (judged && result.status == MODEL_DONE && !(refuted && !sure))
        word = refuted ? FIT_REFUTED : was_seen(c) ? FIT_SEEN : may ? FIT_UNSEEN : FIT_HELD;
    arena_close(a);
    return word;
}

/* Cells that all cores judge by a model. */
struct judging {
    const struct model *model;
    const struct fit_cell *cells;
    const struct fit_effort *effort;
    const enum fit_word
        *held; /* NULL: all are judged; else those that it says are held, the others stay unknown */
    enum fit_word *words;
    const struct cell_outcome **broken;
    pthread_mutex_t lock; /* of what follows, and of effort->next */
    struct arena *arena;
    const char *wrong; /* of the first cell that cannot be judged at all: why not */
    int wrong_cell;
};

static void judge_cell(struct judging *j, int k) {
    struct diag d = {0};
    pthread_mutex_lock(&j->lock);
    if (j->effort->next) j->effort->next(j->effort->ctx);
    pthread_mutex_unlock(&j->lock);
    j->words[k] = FIT_UNKNOWN;
    if (!j->held || j->held[k] == FIT_HELD)
        j->words[k] = judge(&j->cells[k], j->model, j->effort, &j->broken[k], &d);
    pthread_mutex_lock(&j->lock);
    if (d.errors && (!j->wrong || k < j->wrong_cell)) {
        j->wrong = arena_strdup(j->arena, diag_first_error(&d));
        j->wrong_cell = k;
    }
    pthread_mutex_unlock(&j->lock);
    diag_free(&d);
}

static void judge_some(void *ctx, int first, int count) {
    for (int k = first; k < first + count; k++)
        judge_cell(ctx, k);
}

/* Judges n cells, or those of them that are held; the rest of the answer lives in the arena. */
static struct judging judge_cells(struct arena *a, const struct model *m, const struct fit_cell *cells, int n,
                                  const enum fit_word *held, const struct fit_effort *effort) {
    struct judging j = {.model = m, .cells = cells, .effort = effort, .held = held, .arena = a};
    j.words = arena_array(a, (size_t)n, sizeof *j.words);
    j.broken = arena_array(a, (size_t)n, sizeof *j.broken);
    pthread_mutex_init(&j.lock, NULL);
    pool_each(n, 1, judge_some, &j);
    pthread_mutex_destroy(&j.lock);
    return j;
}

/* How the allowed cells of a placement fared. */
struct fit_share {
    const char *placement;
    int seen, allowed;
};

/* The share of a placement among n that are known; a new one where it is not. */
static struct fit_share *find_share(struct fit_share *shares, int *n, const char *placement) {
    int k = 0;
    while (k < *n && strcmp(shares[k].placement, placement) != 0)
        k++;
    if (k == *n) shares[(*n)++] = (struct fit_share){.placement = placement};
    return &shares[k];
}

static void find_chances(struct arena *a, struct fit *f) {
    struct fit_share *shares = arena_array(a, (size_t)f->ncells, sizeof *shares);
    int n = 0;
    for (int k = 0; k < f->ncells; k++) {
        struct fit_share *s = find_share(shares, &n, f->cells[k].observed->placement);
        s->seen += f->words[k] == FIT_SEEN;
        s->allowed += f->words[k] == FIT_SEEN || f->words[k] == FIT_UNSEEN;
    }
    f->chance = arena_array(a, (size_t)f->ncells, sizeof *f->chance);
    for (int k = 0; k < f->ncells; k++) {
        const struct fit_share *s = find_share(shares, &n, f->cells[k].observed->placement);
        f->chance[k] = (double)s->seen / (s->allowed + 1);
    }
}

struct fit fit_judge(struct arena *a, const struct model *m, const struct fit_cell *cells, int n,
                     const struct fit_effort *effort) {
    const struct judging j = judge_cells(a, m, cells, n, NULL, effort);
    struct fit f = {
        .model = m, .cells = cells, .ncells = n, .words = j.words, .broken = j.broken, .wrong = j.wrong};
    for (int k = 0; k < n; k++)
        f.count[f.words[k]]++;
    find_chances(a, &f);
    return f;
}

struct fit_axiom fit_axiom(const struct fit *f, int axiom, const struct fit_effort *effort) {
    struct arena *a = arena_open();
    const struct model *less = model_without(a, f->model, axiom);
    struct fit_axiom x = {.name = model_axiom(f->model, axiom), .confidence = NAN};
    const struct judging j = judge_cells(a, less, f->cells, f->ncells, f->words, effort);
    const struct test *last = NULL;
    double missed = 1,
           best = 0; /* the chances that the tests before were all missed, and to see the last one */
    for (int k = 0; k < f->ncells; k++) {
        if (j.words[k] != FIT_UNSEEN) continue;
        if (f->cells[k].test != last) {
            missed *= 1 - best;
            best = 0;
            x.tests++;
        }
        last = f->cells[k].test;
        best = fmax(best, f->chance[k]);
    }
    missed *= 1 - best;
    if (missed < 1) x.confidence = 1 - missed;
    arena_close(a);
    return x;
}
