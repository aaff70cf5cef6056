#include "check/flow.h"

#include <string.h>

#include "litmus/company.h"

/* A set of operations: those that may be the last ones before a statement. */
struct flow_set {
    bool *has;
};

struct walk {
    struct arena *arena;
    struct flow *f;
    bool *edge;              /* the edges found so far, as in f->follows */
    bool gives_up;           /* a loop that waits may end early, because waits are bounded */
    bool in_company;         /* companions may run the body, and skip statements */
    struct flow_set *labels; /* by label: the set that jumps bring there */
    bool grown;              /* some label's set has grown */
};

static struct flow_set set_new(const struct walk *w) {
    return (struct flow_set){arena_array(w->arena, (size_t)w->f->n + 1, sizeof(bool))};
}

/* Adds the operations of b to a. Returns whether a grew. */
static bool set_add(const struct walk *w, struct flow_set a, struct flow_set b) {
    bool grew = false;
    for (int k = 0; k <= w->f->n; k++) {
        grew = grew || (b.has[k] && !a.has[k]);
        a.has[k] = a.has[k] || b.has[k];
    }
    return grew;
}

static struct flow_set set_copy(const struct walk *w, struct flow_set s) {
    struct flow_set copy = set_new(w);
    set_add(w, copy, s);
    return copy;
}

static void set_clear(const struct walk *w, struct flow_set s) {
    memset(s.has, 0, (size_t)w->f->n + 1);
}

/* What jumps out of a loop's body bring: behind the loop, and to the end of the turn. */
struct exits {
    struct flow_set breaks, continues;
};

static void walk_stmts(struct walk *w, const struct stmt *s, struct flow_set at, const struct exits *exits);

/* Walks a loop until another turn adds nothing to the set at its head. */
static void walk_loop(struct walk *w, const struct stmt *s, struct flow_set at) {
    bool early = w->gives_up && loop_waits(s);
    struct exits exits = {set_new(w), set_new(w)};
    struct flow_set head = set_copy(w, at);
    do {
        if (early) set_add(w, exits.breaks, head);
        set_clear(w, at);
        set_add(w, at, head);
        walk_stmts(w, s->body, at, &exits);
        set_add(w, at, exits.continues);
        walk_stmts(w, s->step, at, &exits);
    } while (set_add(w, head, at));
    set_clear(w, at);
    set_add(w, at, exits.breaks);
}

static void walk_op(struct walk *w, const struct op *op, struct flow_set at) {
    int k = op->number;
    if (!flow_has(w->f, k)) return;
    for (int before = 0; before <= w->f->n; before++)
        if (at.has[before]) w->edge[before * (w->f->n + 1) + k] = true;
    /* a trap ends the thread, so nothing follows it */
    if (op->kind == OP_TRAP && w->gives_up) w->edge[k * (w->f->n + 1)] = true;
    set_clear(w, at);
    at.has[k] = true;
}

/* Walks statements. `at` is the set before them, and becomes the set behind them. */
static void walk_stmts(struct walk *w, const struct stmt *s, struct flow_set at, const struct exits *exits) {
    for (; s; s = s->next) {
        bool skips = w->in_company && company_skips(s);
        struct flow_set before = skips ? set_copy(w, at) : (struct flow_set){0};
        switch (s->kind) {
        case STMT_SET: break;
        case STMT_OP: walk_op(w, s->op, at); break;
        case STMT_IF: {
            struct flow_set other = set_copy(w, at);
            walk_stmts(w, s->body, at, exits);
            walk_stmts(w, s->orelse, other, exits);
            set_add(w, at, other);
            break;
        }
        case STMT_LOOP: walk_loop(w, s, at); break;
        case STMT_BREAK:
            set_add(w, exits->breaks, at);
            set_clear(w, at);
            break;
        case STMT_CONTINUE:
            set_add(w, exits->continues, at);
            set_clear(w, at);
            break;
        case STMT_LABEL: set_add(w, at, w->labels[s->label]); break;
        case STMT_GOTO:
            w->grown = set_add(w, w->labels[s->label], at) || w->grown;
            if (!s->value && !w->gives_up) set_clear(w, at);
            break;
        }
        if (skips) set_add(w, at, before);
    }
}

/* Adds the edges of a body. */
static void walk_body(struct walk *w, const struct body *b) {
    w->labels = arena_array(w->arena, (size_t)b->nlabels, sizeof *w->labels);
    for (int l = 0; l < b->nlabels; l++)
        w->labels[l] = set_new(w);
    do {
        struct flow_set at = set_new(w);
        at.has[0] = true;
        w->grown = false;
        walk_stmts(w, b->first, at, NULL);
        for (int k = 0; k <= w->f->n; k++)
            if (at.has[k]) w->edge[k * (w->f->n + 1)] = true;
    } while (w->grown);
}

/* Whether some run of the body does not pass operation `k`. */
static bool avoidable(const struct walk *w, int k) {
    int n = w->f->n, *stack = arena_array(w->arena, (size_t)n + 1, sizeof *stack), depth = 0;
    bool *seen = arena_array(w->arena, (size_t)n + 1, sizeof *seen);
    stack[depth++] = 0;
    while (depth > 0) {
        int a = stack[--depth];
        if (w->edge[a * (n + 1)]) return true;
        for (int b = 1; b <= n; b++) {
            if (!w->edge[a * (n + 1) + b] || seen[b] || b == k) continue;
            seen[b] = true;
            stack[depth++] = b;
        }
    }
    return false;
}

static void take_ops(struct arena *a, const struct test *t, const struct cell *cell, struct flow *f) {
    size_t n = (size_t)t->nops + 1;
    f->n = t->nops;
    f->op = t->ops;
    f->strength = arena_array(a, n, sizeof *f->strength);
    f->there = arena_array(a, n, sizeof *f->there);
    f->must = arena_array(a, n, sizeof *f->must);
    f->follows = arena_array(a, n * n, sizeof *f->follows);
    for (int k = 1; k <= f->n; k++) {
        f->strength[k] = op_strength(t, cell, &f->op[k]);
        f->there[k] = op_is_there(cell, &f->op[k]);
    }
}

struct flow flow_of(struct arena *a, const struct test *t, const struct cell *cell) {
    struct flow f = {0};
    take_ops(a, t, cell, &f);
    size_t cells = (size_t)(f.n + 1) * (size_t)(f.n + 1);
    struct arena *scratch = arena_open();
    for (int b = 0; b < t->nbodies; b++) {
        struct walk all = {.arena = scratch, .f = &f, .edge = f.follows, .gives_up = true};
        all.in_company = company_reduces(&t->bodies[b]);
        walk_body(&all, &t->bodies[b]);
        struct walk own = {.arena = scratch, .f = &f, .edge = arena_array(scratch, cells, sizeof *own.edge)};
        walk_body(&own, &t->bodies[b]);
        for (int k = 1; k <= f.n; k++)
            if (f.op[k].body == &t->bodies[b]) f.must[k] = flow_has(&f, k) && !avoidable(&own, k);
    }
    arena_close(scratch);
    return f;
}

bool flow_has(const struct flow *f, int k) {
    return f->there[k];
}

bool flow_follows(const struct flow *f, int a, int b) {
    return f->follows[a * (f->n + 1) + b];
}

bool flow_may_follow(const struct flow *f, int a, int b) {
    return flow_follows(f, a, b) || (flow_follows(f, a, 0) && (b == 0 || flow_follows(f, 0, b)));
}
