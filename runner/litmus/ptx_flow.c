/* Infinite loops of labels and branches: what runs, and from where the end can be reached. */
#include "litmus/ptx.h"

/* Statements that run, and from which the end can be reached. */
struct column_flow {
    const struct stmt **stmts;
    bool *runs, *ends;
    int *target; /* of a GOTO */
    int n;
};

/* Labels of the list are numbered from `first` on. */
static struct column_flow make_flow(struct column *c, int first) {
    struct column_flow f = {0};
    for (const struct stmt *s = c->p.out.first; s; s = s->next)
        f.n++;
    f.stmts = arena_array(c->p.arena, (size_t)f.n + 1, sizeof *f.stmts);
    f.runs = arena_array(c->p.arena, (size_t)f.n + 1, sizeof *f.runs);
    f.ends = arena_array(c->p.arena, (size_t)f.n + 1, sizeof *f.ends);
    f.target = arena_array(c->p.arena, (size_t)f.n + 1, sizeof *f.target);
    int at[MAX_LABELS] = {0}, k = 0;
    for (const struct stmt *s = c->p.out.first; s; s = s->next, k++) {
        f.stmts[k] = s;
        if (s->kind == STMT_LABEL) at[s->label - first] = k;
    }
    for (int i = 0; i < f.n; i++)
        if (f.stmts[i]->kind == STMT_GOTO) f.target[i] = at[f.stmts[i]->label - first];
    f.runs[0] = f.ends[f.n] = true;
    return f;
}

/* One step of the closure of `runs` forwards and `ends` backwards; true when something changed. */
static bool flow_step(struct column_flow *f) {
    bool changed = false;
    for (int i = 0; i < f->n; i++) {
        bool jumps = f->stmts[i]->kind == STMT_GOTO, falls = !jumps || f->stmts[i]->value;
        bool *next = &f->runs[i + 1], *target = &f->runs[f->target[i]];
        if (f->runs[i] && falls && !*next) changed = *next = true;
        if (f->runs[i] && jumps && !*target) changed = *target = true;
    }
    for (int i = f->n - 1; i >= 0; i--) {
        bool jumps = f->stmts[i]->kind == STMT_GOTO, falls = !jumps || f->stmts[i]->value;
        bool ends = (falls && f->ends[i + 1]) || (jumps && f->ends[f->target[i]]);
        if (ends && !f->ends[i]) changed = f->ends[i] = true;
    }
    return changed;
}

void ptx_check_ends(struct column *c, const char *where) {
    struct column_flow f = make_flow(c, c->p.body->nlabels - c->nlabels);
    while (flow_step(&f))
        continue;
    for (int i = 0; i < f.n && !f.ends[0];
         i++) /* where some path ends, the model finds out which ones are taken */
        if (f.stmts[i]->kind == STMT_GOTO && f.runs[i] && !f.ends[i]) {
            parse_complain(&c->p, f.stmts[i]->pos,
                           "an infinite loop: no path leads from here to the end of %s", where);
            return;
        }
}
