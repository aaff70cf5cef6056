/* Which cells a session has, and which model judges each. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "results/verdict.h"
#include "session/own_model.h"
#include "session/session_cell.h"

/* The models that were read, by name: each is read once. */
struct models {
    struct session *session;
    const struct model *list[32];
    const char *names[32];
    int n;
};

/* Returns a model by name. `t` is the test that names it; NULL: no test does. */
static const struct model *find_model(struct models *m, const struct test *t, const char *name,
                                      struct diag *d) {
    struct arena *a = m->session->arena;
    for (int k = 0; k < m->n; k++)
        if (strcmp(m->names[k], name) == 0) return m->list[k];
    const struct model *model = t ? own_model_load(NULL, a, t, name, d) : model_load(a, name, d);
    if (model && m->session->syntactic) model = model_syntactic(a, model);
    if (model && m->n < 32) {
        m->names[m->n] = name;
        m->list[m->n++] = model;
    }
    return model;
}

struct session_plan {
    struct session *session;
    struct models models;
    struct session_cell *cells;
    int n, cap;
};

/* Finds the model that judges a test's cells on a backend: `chosen`, or if that is NULL the test's own model
 * or the backend's; NULL: none does. Returns false with errors when it cannot be read. */
static bool judge_of(struct session_plan *p, const struct test *t, const struct backend *b,
                     const struct model *chosen, const struct model **out, struct diag *d) {
    *out = chosen;
    if (chosen || session_is_unjudged(t)) return true;
    const char *name = own_model_name(NULL, p->session->arena, t, b ? b->model : "ptx");
    return (*out = find_model(&p->models, t, name, d)) != NULL;
}

/* Returns the model of this machine's CPU for a cell with some threads on it. NULL: the cell has none, or
 * this model judges it anyway. */
static const struct model *host_model(struct session_plan *p, const struct cell *cell,
                                      const struct model *judge, struct diag *d) {
    const char *name = p->session->host_model;
    if (!name || cell->placement->nhost == 0 || strcmp(name, model_name(judge)) == 0) return NULL;
    return find_model(&p->models, NULL, name, d);
}

/* Adds a result for each compiler that builds the cell; if nothing is built, one result. */
static struct session_run *plan_runs(const struct session *s, struct test_result *r, const struct cell *cell,
                                     const struct backend *b, int n) {
    struct session_run *runs = arena_array(s->arena, (size_t)n, sizeof *runs);
    for (int k = 0; k < n; k++) {
        const struct compiler_choice *c = b && s->ncompilers ? &s->compilers[k] : NULL;
        runs[k] = (struct session_run){.compiler = c, .index = r->ncells};
        r->cells[r->ncells] =
            verdict_cell(s->arena, cell, b ? b->name : "model", b ? s->device->description : NULL);
        r->cells[r->ncells++].compiler = c ? c->name : NULL;
    }
    return runs;
}

/* Adds the cells of one test on one backend, judged by a model of the session, or if `chosen` is NULL by the
 * test's own. */
static bool plan_cells(struct session_plan *p, const struct test *t, struct test_result *r,
                       const struct backend *b, const struct model *chosen, atomic_llong *judging,
                       struct diag *d) {
    struct session *s = p->session;
    int n;
    struct cell *cells = cells_chosen(s->arena, t, &s->choices, b, &n);
    const struct model *model;
    if (!judge_of(p, t, b, chosen, &model, d)) return false;
    int nruns = b && s->ncompilers ? s->ncompilers : 1, ncells = r->ncells + n * nruns;
    r->cells = arena_grow(s->arena, r->cells, (size_t)r->ncells, (size_t)ncells, sizeof *r->cells);
    if (p->n + n > p->cap) {
        int cap = 2 * p->cap + n;
        p->cells = memory_resize(p->cells, (size_t)cap, sizeof *p->cells);
        p->cap = cap;
    }
    for (int k = 0; k < n; k++) {
        p->cells[p->n++] =
            (struct session_cell){.test = t,
                                  .cell = cells[k],
                                  .backend = b,
                                  .model = model,
                                  .host_model = model ? host_model(p, &cells[k], model, d) : NULL,
                                  .result = r,
                                  .runs = plan_runs(s, r, &cells[k], b, nruns),
                                  .nruns = nruns,
                                  .judging = judging};
    }
    return true;
}

/* Adds the cells of a test. Whoever develops GPU code wants to know about GPUs. So if the cells run on
 * another kind of machine, the GPU's model judges the test as well. */
static bool plan_test(struct session_plan *p, const struct test *t, struct test_result *r, struct diag *d) {
    struct session *s = p->session;
    atomic_llong *judging = arena_array(s->arena, (size_t)s->nmodels + 1, sizeof *judging);
    *r = verdict_test(s->arena, t);
    for (int k = 0; k < s->nmodels; k++)
        if (!plan_cells(p, t, r, s->backend, s->models[k], &judging[k], d)) return false;
    if (s->nmodels) return true;
    if (!plan_cells(p, t, r, s->backend, NULL, judging, d)) return false;
    enum machine machine = MACHINE_NONE;
    if (s->backend) machine_of(s->backend->name, &machine);
    if (machine != MACHINE_CPU || session_is_unjudged(t)) return true;
    return plan_cells(p, t, r, NULL, NULL, judging, d);
}

/* A test whose own model cannot be read is refused. */
static void refuse_test(struct session *s, const struct test *t, struct diag *d) {
    struct report *r = &s->report;
    struct refused_file *all = arena_array(s->arena, (size_t)r->nrefused + 1, sizeof *all);
    if (r->nrefused > 0) memcpy(all, r->refused, (size_t)r->nrefused * sizeof *all);
    all[r->nrefused++] = suite_refused(s->arena, t->source.path, d);
    r->refused = all;
    session_say(s, d);
}

/* Whether two cells differ at most in the fence. */
static bool is_of_group(const struct session_cell *x, const struct session_cell *y) {
    return x->test == y->test && x->backend == y->backend && x->cell.placement == y->cell.placement &&
           x->cell.access == y->cell.access;
}

static void hash_group(struct shard_split *split, const struct session_cell *cells, int n) {
    shard_hash(split, cells->test->name);
    shard_hash(split, cells->test->source.text);
    shard_hash(split, cells->backend ? cells->backend->name : "model");
    shard_hash(split, cells->cell.placement->name);
    shard_hash(split, access_name(cells->cell.access));
    for (int k = 0; k < n; k++)
        shard_hash(split, cells[k].cell.fence->name);
}

/* Estimates the work of a cell in operations: judging it takes as many as its test has, and a run as long as
 * judging OPERATIONS_A_RUN, about a second. */
static long long work_of(const struct session_cell *j) {
    enum { OPERATIONS_A_RUN = 400 };
    return j->test->nops + (j->backend ? j->nruns * OPERATIONS_A_RUN : 0);
}

/* Marks a cell that belongs to another shard. If there is one compiler it is not named, since the other
 * machine may have another one. */
static void leave_cell(struct session *s, struct session_cell *j, int shard) {
    j->elsewhere = true;
    j->cannot = arena_printf(s->arena, "shard %d of %d runs it", shard, s->split->own.of);
    for (struct session_run *r = j->runs; r < j->runs + j->nruns; r++) {
        struct cell_result *c = &j->result->cells[r->index];
        c->elsewhere = shard;
        c->device = NULL;
        if (j->nruns == 1) c->compiler = NULL;
    }
}

/* Whether threads or locations of a cell are on a device other than the first. */
static bool takes_several(const struct session_cell *j) {
    for (int k = 0; k < j->test->nlocs; k++)
        if (j->test->locs[k].gpu > 0) return true;
    return j->cell.placement->ngpus > 1;
}

/* Gives cells to shards. Cells that differ in their fences alone stay together: their code is compiled
 * together, and one is the mutant of another. */
static void split_cells(struct session *s, struct session_cell *cells, int n) {
    enum { TOGETHER = 64 };
    for (int first = 0, groups = 0, end; first < n; first = end) {
        long long work = 0;
        if (groups++ % TOGETHER == 0) arena_forget(); /* the tests before */
        for (end = first; end < n && is_of_group(&cells[first], &cells[end]); end++)
            work += work_of(&cells[end]);
        hash_group(s->split, &cells[first], end - first);
        int shard = shard_take(s->split, work, takes_several(&cells[first]));
        for (int k = first; k < end && shard != s->split->own.number; k++)
            leave_cell(s, &cells[k], shard);
    }
}

struct session_cell *session_plan(struct session *s, struct test_result *results, int *n, struct diag *d) {
    struct session_plan p = {.session = s, .models = {.session = s}};
    int planned = 0;
    for (int k = 0; k < s->suite->n; k++) {
        struct diag wrong = {0};
        int before = p.n;
        const struct test *t = suite_test(s->suite, k);
        bool fine = plan_test(&p, t, &results[k], &wrong);
        if (!fine && !s->nmodels) {
            refuse_test(s, t, &wrong);
            p.n = before;
        }
        diag_join(d, &wrong);
        planned += fine;
        s->without_cells += fine && results[k].ncells == 0;
        if (!d->errors) continue;
        free(p.cells);
        return NULL;
    }
    *n = p.n;
    if (planned > 0 && s->split) split_cells(s, p.cells, p.n);
    if (planned > 0) return p.cells ? p.cells : memory_take(1);
    free(p.cells);
    return NULL;
}
