#include "results/fit.h"

#include <math.h>
#include <pthread.h>
#include <search.h>
#include <string.h>

#include "base/memory.h"
#include "base/pool.h"
#include "base/text.h"
#include "model/axioms.h"

static bool is_forall(const struct fit_cell *c) {
    return c->test->cond.kind == FORALL;
}

bool fit_was_seen(const struct fit_cell *c) {
    return cell_shown(c->observed, is_forall(c)) > 0;
}

static bool may_be_seen(const struct fit_cell *c, const struct model_result *m) {
    for (int k = 0; k < m->noutcomes; k++)
        if (m->outcomes[k].satisfies != is_forall(c)) return true;
    return m->undefined;
}

/* Whether an outcome equals one that was read from a file. Its types there are only as wide as the values
 * were written, so the texts are compared. */
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

/* Returns the most frequent outcome that the model forbids, or NULL. A result may have left its outcomes
 * out. */
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
    bool may = judged && may_be_seen(c, &result), refuted = *broken || (fit_was_seen(c) && !may);
    bool sure = !result.bounded && !(*broken && result.unlisted);
    if (judged && result.status == MODEL_DONE && !(refuted && !sure))
        word = refuted ? FIT_REFUTED : fit_was_seen(c) ? FIT_SEEN : may ? FIT_UNSEEN : FIT_HELD;
    arena_close(a);
    return word;
}

/* The work of judging cells by a model on all cores. */
struct judging {
    const struct model *model;
    const struct fit_cell *cells;
    const struct fit_effort *effort;
    const enum fit_word
        *held; /* if not NULL, only cells that are held by this answer are judged; the others stay unknown */
    enum fit_word *words;
    const struct cell_outcome **broken;
    pthread_mutex_t lock; /* guards what follows, and effort->next */
    struct arena *arena;
    const char *wrong; /* why the first cell that cannot be judged cannot be */
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

/* Judges n cells, or only those that `held` says are held. Everything lives in the arena. */
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

/* ---- shapes ---- */

struct fit_name {
    const char *text;
    int number;
};

static int by_text(const void *a, const void *b) {
    return strcmp(((const struct fit_name *)a)->text, ((const struct fit_name *)b)->text);
}

static int number_of(struct fit_names *names, const char *text) {
    const struct fit_name sought = {.text = text};
    struct fit_name **found = tfind(&sought, &names->known, by_text);
    if (found) return (*found)->number;
    struct fit_name *added = arena_alloc(names->arena, sizeof *added);
    *added = (struct fit_name){arena_strdup(names->arena, text), names->n++};
    memory_check(tsearch(added, &names->known, by_text));
    return added->number;
}

/* Tests of one shape differ in fences and orders only: "MP" and "MP+po+fence.sc.device" have the shape
 * "MP". */
void fit_number(struct fit_names *names, struct fit_cell *c) {
    const char *name = c->test->name;
    struct text key = {0};
    text_printf(&key, "%.*s", (int)strcspn(name, "+"), name);
    c->shape = number_of(names, key.s);
    text_printf(&key, "+%s", c->observed->placement);
    c->layout = number_of(names, key.s);
    text_free(&key);
}

static void keep_name(void *name) {
    (void)name; /* it lives in the arena */
}

void fit_names_close(struct fit_names *names) {
    tdestroy(names->known, keep_name);
    names->known = NULL;
}

/* How many of the allowed cells of a shape, or of a layout, were seen. For a shape, `best` is the chance of
 * the likeliest cell that an axiom alone forbids; -1: there is none. */
struct fit_share {
    int seen, allowed;
    double best;
};

static void count_cell(struct fit_share *s, enum fit_word word) {
    s->seen += word == FIT_SEEN;
    s->allowed += word == FIT_SEEN || word == FIT_UNSEEN;
}

static double chance_of(const struct fit_share *s) {
    return (double)s->seen / (s->allowed + 1);
}

/* Returns such counts, by number. */
static struct fit_share *count_shares(struct arena *a, const struct fit *f) {
    int n = 0;
    for (int k = 0; k < f->ncells; k++)
        n = f->cells[k].layout >= n ? f->cells[k].layout + 1 : n;
    struct fit_share *shares = arena_array(a, (size_t)n, sizeof *shares);
    for (int k = 0; k < f->ncells; k++) {
        count_cell(&shares[f->cells[k].shape], f->words[k]);
        count_cell(&shares[f->cells[k].layout], f->words[k]);
        shares[f->cells[k].shape].best = -1;
    }
    return shares;
}

struct fit fit_judge(struct arena *a, const struct model *m, const struct fit_cell *cells, int n,
                     const struct fit_effort *effort) {
    const struct judging j = judge_cells(a, m, cells, n, NULL, effort);
    struct fit f = {
        .model = m, .cells = cells, .ncells = n, .words = j.words, .broken = j.broken, .wrong = j.wrong};
    for (int k = 0; k < n; k++)
        f.count[f.words[k]]++;
    return f;
}

/* Raises `best` of the cell's shape to the chance that the cell would be seen: that of allowed cells of its
 * shape, in its placement or in all, whichever is less. */
static void find_best(struct fit_share *shares, const struct fit_cell *c) {
    struct fit_share *shape = &shares[c->shape];
    shape->best = fmax(shape->best, fmin(chance_of(&shares[c->layout]), chance_of(shape)));
}

struct fit_axiom fit_axiom(const struct fit *f, int axiom, const struct fit_effort *effort) {
    struct arena *a = arena_open();
    const struct model *less = model_without(a, f->model, axiom);
    struct fit_axiom x = {.name = model_axiom(f->model, axiom), .confidence = NAN};
    const struct judging j = judge_cells(a, less, f->cells, f->ncells, f->words, effort);
    const struct test *last = NULL;
    struct fit_share *shares = count_shares(a, f);
    double missed = 1; /* the chance that no shape would have been seen */
    for (int k = 0; k < f->ncells; k++) {
        if (j.words[k] != FIT_UNSEEN) continue;
        x.tests += f->cells[k].test != last;
        last = f->cells[k].test;
        find_best(shares, &f->cells[k]);
    }
    for (int k = 0; k < f->ncells; k++) {
        struct fit_share *shape = &shares[f->cells[k].shape];
        if (shape->best >= 0) missed *= 1 - shape->best;
        shape->best = -1; /* so each shape counts once */
    }
    if (missed < 1) x.confidence = 1 - missed;
    arena_close(a);
    return x;
}
