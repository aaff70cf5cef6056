/* Names and types of a model, and its translation into nodes. First every expression becomes a term (typed,
 * shared when equal); then the axioms ask for the terms' bounds, and only what they ask for becomes nodes. */
#include "model/plan.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_TERMS = 4096, DEEPEST_CALL = 64 };

struct term {
    enum node_op op;
    bool rel;
    bool either; /* 0: a set or a relation, as wanted */
    int a, b, index;
};

/* A `let rec`: its variables are terms, their definitions come later. */
struct group {
    int first_var, nvars; /* terms first_var .. */
    int *body;
    const struct source *source;
    struct pos pos;
};

struct scope {
    const char *name;
    int term; /* or -1: a function */
    const struct cat_binding *function;
    const struct scope *env; /* where the function was defined */
    const struct scope *next;
};

struct pending_order {
    const struct source *source;
    struct pos pos;
    int must, either; /* terms */
    bool declared;
};

struct builder {
    struct arena *arena;
    struct diag *diag;
    struct plan *plan;
    struct term *terms;
    int nterms;
    struct group *groups;
    int ngroups;
    struct pending_order orders[MAX_ORDERS];
    const struct scope *scope;
    int depth;
    int nothing;     /* the term of 0 */
    int unknown;     /* stands for a function's argument while its body is checked */
    int *node_of[2]; /* term -> node, of the must and the may bound; -1 */
    bool *busy[2];   /* variables and orders being translated */
    const char **named;
    int *named_term;
    int nnamed;
};

static int new_term(struct builder *b, enum node_op op, bool rel, int x, int y, int index) {
    for (int t = 0; t < b->nterms; t++) {
        const struct term *k = &b->terms[t];
        if (k->op == op && k->rel == rel && k->a == x && k->b == y && k->index == index && !k->either)
            return t;
    }
    if (b->nterms == MAX_TERMS) {
        if (b->diag->errors == 0) diag_fail(b->diag, "the model is too large");
        return 0;
    }
    b->terms[b->nterms] = (struct term){op, rel, false, x, y, index};
    return b->nterms++;
}

/* Names */

static const struct {
    const char *name;
    bool rel;
} givens[GIVEN_COUNT] = {
#define SET(id, name, doc) [GIVEN_##id] = {name, false},
#define REL(id, name, doc) [GIVEN_##id] = {name, true},
#define GUESS(id, name, doc)
#define DERIVED(name, cat, doc)
#include "model/names.def"
#undef SET
#undef REL
#undef GUESS
#undef DERIVED
};

static const struct {
    const char *name, *cat;
} deriveds[] = {
#define SET(id, name, doc)
#define REL(id, name, doc)
#define GUESS(id, name, doc)
#define DERIVED(name, cat, doc) {name, cat},
#include "model/names.def"
#undef SET
#undef REL
#undef GUESS
#undef DERIVED
};
enum { NDERIVEDS = sizeof deriveds / sizeof *deriveds };

static int term_of(struct builder *b, const struct cat_expr *e);

static const struct scope *find_defined(const struct builder *b, const char *name) {
    for (const struct scope *s = b->scope; s; s = s->next)
        if (strcmp(s->name, name) == 0) return s;
    return NULL;
}

/* The term of a name that the model did not define, or -1. */
static int find_builtin(struct builder *b, const char *name) {
    for (int g = 0; g < GIVEN_COUNT; g++)
        if (strcmp(givens[g].name, name) == 0) return new_term(b, NODE_GIVEN, givens[g].rel, -1, -1, g);
    if (strcmp(name, "rf") == 0) return new_term(b, NODE_RF, true, -1, -1, 0);
    if (strcmp(name, "co") == 0) return new_term(b, NODE_ORDER, true, -1, -1, ORDER_CO);
    if (strcmp(name, "emptyset") == 0) return new_term(b, NODE_EMPTY, false, -1, -1, 0);
    for (size_t k = 0; k < NDERIVEDS; k++) {
        if (strcmp(deriveds[k].name, name) != 0) continue;
        const struct scope *scope = b->scope;
        b->scope = NULL; /* what the model calls rf is not what we mean */
        int t = term_of(b, cat_read_expr(b->arena, deriveds[k].cat));
        b->scope = scope;
        return t;
    }
    return -1;
}

static void report_unknown(struct builder *b, const struct cat_expr *e) {
    bool function = e->kind == CAT_CALL;
    const char **known =
        arena_array(b->arena, GIVEN_COUNT + NDERIVEDS + 2 + (size_t)b->nnamed, sizeof *known);
    size_t n = 0;
    for (int k = 0; k < b->nnamed; k++)
        if ((b->named_term[k] < 0) == function) known[n++] = b->named[k];
    for (int g = 0; g < GIVEN_COUNT && !function; g++)
        known[n++] = givens[g].name;
    for (size_t k = 0; k < NDERIVEDS && !function; k++)
        known[n++] = deriveds[k].name;
    known[n++] = function ? "domain" : "rf";
    known[n++] = function ? "range" : "co";
    const char *near = diag_nearest(e->name, known, n);
    diag_error(b->diag, e->source, e->pos, "unknown %s '%s'%s%s%s", function ? "function" : "name", e->name,
               near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

/* Types. A term that is in error has been reported; it is an empty set or relation, as wanted. */

static int nothing(const struct builder *b) {
    return b->nothing;
}

/* A term that is a set or a relation, as wanted. */
static int new_either(struct builder *b, int index) {
    int t = new_term(b, NODE_EMPTY, true, -1, -1, index);
    b->terms[t].either = true;
    return t;
}

static int as_type(struct builder *b, const struct cat_expr *e, int t, bool rel) {
    if (b->terms[t].either) return new_term(b, NODE_EMPTY, rel, -1, -1, 0);
    if (b->terms[t].rel == rel) return t;
    const char *is = rel ? "a set" : "a relation", *wanted = rel ? "a relation" : "a set";
    if (e->kind == CAT_NAME && rel)
        diag_error(b->diag, e->source, e->pos, "'%s' is %s where %s is wanted; [%s] is its identity", e->name,
                   is, wanted, e->name);
    else if (e->kind == CAT_NAME)
        diag_error(b->diag, e->source, e->pos, "'%s' is %s where %s is wanted", e->name, is, wanted);
    else
        diag_error(b->diag, e->source, e->pos, "this is %s where %s is wanted", is, wanted);
    return new_term(b, NODE_EMPTY, rel, -1, -1, 0);
}

static int want(struct builder *b, const struct cat_expr *e, bool rel) {
    return as_type(b, e, term_of(b, e), rel);
}

/* | & \ : both sides sets or both relations. */
static int both(struct builder *b, const struct cat_expr *e, enum node_op op) {
    int x = term_of(b, e->a), y = term_of(b, e->b);
    const struct term *tx = &b->terms[x], *ty = &b->terms[y];
    bool rel = tx->either ? ty->rel : tx->rel;
    if (!tx->either && !ty->either && tx->rel != ty->rel) {
        diag_error(b->diag, e->source, e->pos, "one side is a set and the other a relation");
        return nothing(b);
    }
    if (tx->either && ty->either) return x == b->unknown ? x : y;
    x = as_type(b, e->a, x, rel);
    y = as_type(b, e->b, y, rel);
    return new_term(b, op, rel, x, y, 0);
}

static int call_term(struct builder *b, const struct cat_expr *e) {
    const struct scope *f = find_defined(b, e->name);
    if (!f && (strcmp(e->name, "domain") == 0 || strcmp(e->name, "range") == 0)) {
        if (e->a->next) diag_error(b->diag, e->source, e->pos, "'%s' takes 1 argument", e->name);
        return new_term(b, e->name[0] == 'd' ? NODE_DOMAIN : NODE_RANGE, false, want(b, e->a, true), -1, 0);
    }
    if (!f || !f->function) {
        if (f || find_builtin(b, e->name) >= 0)
            diag_error(b->diag, e->source, e->pos, "'%s' is not a function", e->name);
        else
            report_unknown(b, e);
        return nothing(b);
    }
    if (++b->depth > DEEPEST_CALL) {
        diag_error(b->diag, e->source, e->pos, "calls nested too deeply");
        b->depth--;
        return nothing(b);
    }
    const struct scope *outer = b->scope, *inner = f->env;
    const struct cat_expr *arg = e->a;
    const struct cat_param *param = f->function->params;
    int nargs = 0, nparams = 0;
    for (; arg && param; arg = arg->next, param = param->next, nargs++, nparams++) {
        struct scope *s = arena_alloc(b->arena, sizeof *s);
        *s = (struct scope){param->name, term_of(b, arg), NULL, NULL, inner};
        inner = s;
    }
    for (; arg; arg = arg->next)
        nargs++;
    for (; param; param = param->next)
        nparams++;
    int t = nothing(b);
    if (nargs != nparams) {
        diag_error(b->diag, e->source, e->pos, "'%s' takes %d argument%s, not %d", e->name, nparams,
                   nparams == 1 ? "" : "s", nargs);
    } else {
        b->scope = inner;
        t = term_of(b, f->function->expr);
        b->scope = outer;
    }
    b->depth--;
    return t;
}

static int name_term(struct builder *b, const struct cat_expr *e) {
    const struct scope *s = find_defined(b, e->name);
    if (s && s->function) {
        diag_error(b->diag, e->source, e->pos, "'%s' is a function; it takes arguments", e->name);
        return nothing(b);
    }
    int t = s ? s->term : find_builtin(b, e->name);
    if (t >= 0) return t;
    report_unknown(b, e);
    return nothing(b);
}

static int term_of(struct builder *b, const struct cat_expr *e) {
    switch (e->kind) {
    case CAT_NAME: return name_term(b, e);
    case CAT_CALL: return call_term(b, e);
    case CAT_EMPTY: return nothing(b);
    case CAT_ALL: return new_term(b, NODE_ALL, false, -1, -1, 0);
    case CAT_UNION: return both(b, e, NODE_UNION);
    case CAT_INTER: return both(b, e, NODE_INTER);
    case CAT_DIFF: return both(b, e, NODE_DIFF);
    case CAT_SEQ: {
        int x = want(b, e->a, true), y = want(b, e->b, true);
        return new_term(b, NODE_SEQ, true, x, y, 0);
    }
    case CAT_PRODUCT: {
        int x = want(b, e->a, false), y = want(b, e->b, false);
        return new_term(b, NODE_PRODUCT, true, x, y, 0);
    }
    case CAT_COMPL: {
        int x = term_of(b, e->a);
        if (x == b->unknown) return x;
        if (b->terms[x].either) x = as_type(b, e->a, x, true);
        return new_term(b, NODE_COMPL, b->terms[x].rel, x, -1, 0);
    }
    case CAT_DIAG: return new_term(b, NODE_DIAG, true, want(b, e->a, false), -1, 0);
    case CAT_INVERSE: return new_term(b, NODE_INVERSE, true, want(b, e->a, true), -1, 0);
    case CAT_PLUS: return new_term(b, NODE_PLUS, true, want(b, e->a, true), -1, 0);
    case CAT_STAR: return new_term(b, NODE_STAR, true, want(b, e->a, true), -1, 0);
    case CAT_OPT: return new_term(b, NODE_OPT, true, want(b, e->a, true), -1, 0);
    }
    return nothing(b);
}

/* Statements */

static void define(struct builder *b, const char *defined, int term, const struct cat_binding *function) {
    struct scope *s = arena_alloc(b->arena, sizeof *s);
    *s = (struct scope){defined, term, function, b->scope, b->scope};
    b->scope = s;
    b->named = arena_grow(b->arena, b->named, (size_t)b->nnamed, (size_t)b->nnamed + 1, sizeof *b->named);
    b->named_term =
        arena_grow(b->arena, b->named_term, (size_t)b->nnamed, (size_t)b->nnamed + 1, sizeof *b->named_term);
    b->named[b->nnamed] = defined;
    b->named_term[b->nnamed++] = term;
}

/* A function's body is translated where it is called; here it is only checked, so that a misspelt name is
 * found even when nobody calls it. */
static void check_function(struct builder *b, const struct cat_binding *f) {
    const struct scope *outer = b->scope;
    for (const struct cat_param *p = f->params; p; p = p->next) {
        struct scope *s = arena_alloc(b->arena, sizeof *s);
        *s = (struct scope){p->name, b->unknown, NULL, NULL, b->scope};
        b->scope = s;
    }
    term_of(b, f->expr);
    b->scope = outer;
}

static void build_rec(struct builder *b, const struct cat_stmt *s) {
    b->groups =
        arena_grow(b->arena, b->groups, (size_t)b->ngroups, (size_t)b->ngroups + 1, sizeof *b->groups);
    struct group *g = &b->groups[b->ngroups++];
    *g = (struct group){.source = s->source, .pos = s->pos, .first_var = b->nterms};
    for (const struct cat_binding *k = s->bindings; k; k = k->next)
        define(b, k->name, new_term(b, NODE_VAR, true, b->ngroups - 1, g->nvars++, 0), NULL);
    g->body = arena_array(b->arena, (size_t)g->nvars, sizeof *g->body);
    int v = 0;
    for (const struct cat_binding *k = s->bindings; k; k = k->next) {
        if (k->function) {
            diag_error(b->diag, s->source, k->pos, "a function cannot be recursive");
            continue;
        }
        int t = term_of(b, k->expr);
        if (!b->terms[t].either && !b->terms[t].rel)
            diag_error(b->diag, s->source, k->pos,
                       "'%s' is a set; only relations can be defined by 'let rec'", k->name);
        g->body[v++] = b->terms[t].rel && !b->terms[t].either ? t : new_term(b, NODE_EMPTY, true, -1, -1, 0);
    }
}

static void build_let(struct builder *b, const struct cat_stmt *s) {
    if (s->rec) {
        build_rec(b, s);
        return;
    }
    const struct scope *outer = b->scope;
    int n = 0, k = 0;
    for (const struct cat_binding *x = s->bindings; x; x = x->next)
        n++;
    int *terms = arena_array(b->arena, (size_t)n, sizeof *terms);
    for (const struct cat_binding *x = s->bindings; x; x = x->next) {
        b->scope = outer;
        if (x->function)
            check_function(b, x);
        else
            terms[k++] = term_of(b, x->expr);
    }
    k = 0;
    for (const struct cat_binding *x = s->bindings; x; x = x->next)
        define(b, x->name, x->function ? -1 : terms[k++], x->function ? x : NULL);
}

static void build_with(struct builder *b, const struct cat_stmt *s) {
    struct plan *p = b->plan;
    int k = ORDER_CO;
    if (strcmp(s->name, "co") != 0) {
        if (p->norders == MAX_ORDERS) {
            diag_error(b->diag, s->source, s->pos, "more than %d orders", MAX_ORDERS);
            return;
        }
        k = p->norders++;
    }
    if (b->orders[k].declared) {
        diag_error(b->diag, s->source, s->pos, "'co' is declared twice");
        diag_note(b->diag, b->orders[k].source, b->orders[k].pos, "the first declaration is here");
        return;
    }
    int must = want(b, s->expr, true), either = want(b, s->either, true);
    b->orders[k] = (struct pending_order){s->source, s->pos, must, either, true};
    p->orders[k].name = s->name;
    p->orders[k].label = s->label ? s->label : s->name;
    if (k != ORDER_CO) define(b, s->name, new_term(b, NODE_ORDER, true, -1, -1, k), NULL);
}

/* Nodes */

static bool same_node(const struct node *x, const struct node *y) {
    return x->op == y->op && x->rel == y->rel && x->guesses == y->guesses && x->may == y->may &&
           x->a == y->a && x->b == y->b && x->index == y->index;
}

static int new_node(struct builder *b, struct node n) {
    struct plan *p = b->plan;
    for (int k = 0; k < p->nnodes && n.op != NODE_VAR; k++)
        if (same_node(&p->nodes[k], &n)) return k;
    if (p->nnodes == PLAN_MAX_NODES) {
        if (b->diag->errors == 0) diag_fail(b->diag, "the model is too large");
        return 0;
    }
    p->nodes[p->nnodes] = n;
    return p->nnodes++;
}

/* Which guesses a term's value depends on. Follows
 * the definitions of variables and orders; `seen` marks the terms on the way. */
static unsigned guesses_below(const struct builder *b, int t, bool *seen) {
    if (t < 0 || seen[t]) return 0;
    seen[t] = true;
    const struct term *k = &b->terms[t];
    if (k->op == NODE_RF) return GUESS_RF;
    if (k->op == NODE_ORDER) return GUESS_ORDER(k->index) | guesses_below(b, b->orders[k->index].must, seen);
    if (k->op == NODE_VAR) {
        unsigned all = 0;
        for (int v = 0; v < b->groups[k->a].nvars; v++)
            all |= guesses_below(b, b->groups[k->a].body[v], seen);
        return all;
    }
    return guesses_below(b, k->a, seen) | guesses_below(b, k->b, seen);
}

static unsigned guesses(const struct builder *b, int t) {
    bool *seen = calloc((size_t)b->nterms + 1, sizeof *seen);
    if (!seen) abort();
    unsigned g = guesses_below(b, t, seen);
    free(seen);
    return g;
}

static int node_for(struct builder *b, int t, bool may);

static void add_loop(struct builder *b, int first, bool may) {
    struct plan *p = b->plan;
    p->loops = arena_grow(b->arena, p->loops, (size_t)p->nloops, (size_t)p->nloops + 1, sizeof *p->loops);
    p->loops[p->nloops++] = (struct loop){first, p->nnodes - 1, may};
}

/* A variable of a `let rec` comes before its definition; the loop around both makes it the least fixpoint. */
static int var_node(struct builder *b, int t, bool may) {
    const struct group *g = &b->groups[b->terms[t].a];
    if (b->busy[!may][g->first_var]) {
        diag_error(b->diag, g->source, g->pos,
                   "this definition is not monotone: it depends on its own complement");
        return 0;
    }
    int first = b->plan->nnodes;
    unsigned all = guesses(b, t);
    for (int v = 0; v < g->nvars; v++)
        b->node_of[may][g->first_var + v] =
            new_node(b, (struct node){NODE_VAR, true, all, may && all, -1, -1, v});
    b->busy[may][g->first_var] = true;
    for (int v = 0; v < g->nvars; v++) {
        int body = node_for(b, g->body[v], may);
        b->plan->nodes[b->node_of[may][g->first_var + v]].a = body;
    }
    b->busy[may][g->first_var] = false;
    add_loop(b, first, may && all);
    return b->node_of[may][t];
}

/* The must bound of an order. When its must edges depend on the order itself it is a variable like those
 * above. */
static int order_node(struct builder *b, int t) {
    int k = b->terms[t].index;
    struct plan *p = b->plan;
    bool *seen = calloc((size_t)b->nterms + 1, sizeof *seen);
    if (!seen) abort();
    bool recursive = guesses_below(b, b->orders[k].must, seen) & GUESS_ORDER(k);
    free(seen);
    int first = p->nnodes, node;
    if (recursive) {
        node = b->node_of[0][t] =
            new_node(b, (struct node){NODE_ORDER, true, guesses(b, t), false, -1, -1, k});
        b->busy[0][t] = true;
        int must = node_for(b, b->orders[k].must, false);
        p->nodes[node].a = must;
        b->busy[0][t] = false;
        add_loop(b, first, false);
    } else {
        int must = node_for(b, b->orders[k].must, false);
        node = b->node_of[0][t] =
            new_node(b, (struct node){NODE_ORDER, true, guesses(b, t), false, must, -1, k});
    }
    p->orders[k].node = node;
    return node;
}

/* The may bound of an order: all but what the must bound excludes. */
static int order_may_node(struct builder *b, int t) {
    int k = b->terms[t].index;
    if (b->busy[0][t]) {
        diag_error(b->diag, b->orders[k].source, b->orders[k].pos,
                   "'%s' is not monotone: its must edges depend on its own complement",
                   b->plan->orders[k].name);
        return 0;
    }
    int must = node_for(b, t, false);
    return new_node(b, (struct node){NODE_ORDER, true, guesses(b, t), true, must, -1, k});
}

static bool is_diag(const struct builder *b, int node) {
    return b->plan->nodes[node].op == NODE_DIAG;
}

/* Compositions with [S] and inverses need no product of relations. */
static struct node seq_node(const struct builder *b, int x, int y, struct node n) {
    const struct node *nodes = b->plan->nodes;
    n.a = x;
    n.b = y;
    if (is_diag(b, x)) {
        n.op = NODE_FROM;
        n.a = nodes[x].a;
    } else if (is_diag(b, y)) {
        n.op = NODE_TO;
        n.b = nodes[y].a;
    } else if (nodes[x].op == NODE_INVERSE) {
        n.op = NODE_SEQ_INVERSE;
        n.a = nodes[x].a;
    }
    return n;
}

/* The node of a bound of a term. Terms that do not depend on guesses have one bound. */
static int node_for(struct builder *b, int t, bool may) {
    if (t < 0) return -1;
    const struct term k = b->terms[t];
    unsigned g = guesses(b, t);
    if (!g && k.op != NODE_VAR) may = false;
    if (b->node_of[may][t] >= 0) return b->node_of[may][t];
    int node;
    struct node n = {k.op, k.rel, g, may, -1, -1, k.index};
    if (k.op == NODE_VAR) {
        node = var_node(b, t, may);
    } else if (k.op == NODE_ORDER) {
        node = may ? order_may_node(b, t) : order_node(b, t);
    } else if (k.op == NODE_SEQ) {
        int x = node_for(b, k.a, may), y = node_for(b, k.b, may);
        node = new_node(b, seq_node(b, x, y, n));
    } else {
        n.a = node_for(b, k.a, k.op == NODE_COMPL ? !may : may);
        n.b = node_for(b, k.b, k.op == NODE_DIFF ? !may : may);
        node = new_node(b, n);
    }
    b->node_of[may][t] = node;
    return node;
}

/* co, unless the model says otherwise: total on the writes of a location, the initial write first. */
static void declare_co(struct builder *b) {
    struct plan *p = b->plan;
    p->orders[ORDER_CO].name = "co";
    if (!p->orders[ORDER_CO].label) p->orders[ORDER_CO].label = "co";
    if (b->orders[ORDER_CO].declared) return;
    b->scope = NULL;
    b->orders[ORDER_CO].must = term_of(b, cat_read_expr(b->arena, "(IW * (W \\ IW)) & loc"));
    b->orders[ORDER_CO].either = term_of(b, cat_read_expr(b->arena, "((W \\ IW) * (W \\ IW)) & loc"));
}

static void check_orders(struct builder *b) {
    for (int k = 0; k < b->plan->norders; k++) {
        unsigned g = guesses(b, b->orders[k].either);
        b->plan->orders[k].either_dynamic = g != 0;
        if (g >> 1)
            diag_error(b->diag, b->orders[k].source, b->orders[k].pos,
                       "the pairs that '%s' orders depend on an order; they may depend on rf only",
                       b->plan->orders[k].name);
    }
}

static void build_axiom(struct builder *b, const struct cat_stmt *s, int number) {
    struct plan *p = b->plan;
    int t = term_of(b, s->expr);
    if (s->check != CHECK_EMPTY || b->terms[t].either) t = as_type(b, s->expr, t, true);
    if (s->flag) return; /* remarks on an execution; they forbid nothing */
    int looked_at = s->check == CHECK_ACYCLIC ? new_term(b, NODE_PLUS, true, t, -1, 0) : t;
    p->axioms =
        arena_grow(b->arena, p->axioms, (size_t)p->naxioms, (size_t)p->naxioms + 1, sizeof *p->axioms);
    p->axioms[p->naxioms++] = (struct axiom){
        .name = s->name ? s->name : arena_printf(b->arena, "axiom %d", number),
        .check = s->check,
        .negated = s->negated,
        .node = looked_at, /* terms for now */
        .edges = t,
    };
}

/* Asks for the bounds that the axioms and the orders need. */
static void build_nodes(struct builder *b) {
    struct plan *p = b->plan;
    for (int m = 0; m < 2; m++) {
        b->node_of[m] = arena_array(b->arena, (size_t)b->nterms + 2, sizeof *b->node_of[m]);
        b->busy[m] = arena_array(b->arena, (size_t)b->nterms + 2, sizeof *b->busy[m]);
        for (int t = 0; t < b->nterms; t++)
            b->node_of[m][t] = -1;
    }
    for (int k = 0; k < p->norders; k++) {
        node_for(b, new_term(b, NODE_ORDER, true, -1, -1, k), false);
        p->orders[k].either = node_for(b, b->orders[k].either, false);
    }
    for (int x = 0; x < p->naxioms; x++) {
        struct axiom *axiom = &p->axioms[x];
        axiom->node = node_for(b, axiom->node, axiom->negated);
        axiom->edges = node_for(b, axiom->edges, axiom->negated);
    }
    plan_find_consequences(p, b->arena);
    p->exact = true;
    for (int k = 0; k < p->nnodes; k++)
        p->exact = p->exact && !p->nodes[k].may;
    p->names = arena_array(b->arena, (size_t)b->nnamed, sizeof *p->names);
    for (int k = 0; k < b->nnamed; k++) {
        int t = b->named_term[k];
        if (t >= 0 && b->terms[t].rel && b->node_of[0][t] >= 0)
            p->names[p->nnames++] = (struct named_rel){b->named[k], b->node_of[0][t]};
    }
}

static struct schedule make_schedule(struct builder *b, unsigned guesses_of, bool fixed) {
    const struct plan *p = b->plan;
    struct schedule s = {.nodes = arena_array(b->arena, (size_t)p->nnodes, sizeof *s.nodes)};
    for (int k = 0; k < p->nnodes; k++)
        if (fixed || p->nodes[k].guesses & guesses_of) s.nodes[s.n++] = k;
    return s;
}

static void make_schedules(struct builder *b) {
    struct plan *p = b->plan;
    p->everything = make_schedule(b, 0, true);
    p->changing = make_schedule(b, ~0u, false);
    p->by_rf = make_schedule(b, GUESS_RF, false);
    for (int k = 0; k < p->norders; k++)
        p->by_order[k] = make_schedule(b, GUESS_ORDER(k), false);
    p->loop_at = arena_array(b->arena, (size_t)p->nnodes, sizeof *p->loop_at);
    for (int k = 0; k < p->nnodes; k++)
        p->loop_at[k] = -1;
    for (int k = 0; k < p->nloops; k++)
        p->loop_at[p->loops[k].first] = k;
}

const struct plan *plan_build(struct arena *a, const struct cat_stmt *cat, struct diag *d) {
    size_t before = d->errors;
    struct builder b = {.arena = a, .diag = d, .plan = arena_alloc(a, sizeof(struct plan))};
    b.terms = arena_array(a, MAX_TERMS, sizeof *b.terms);
    b.plan->nodes = arena_array(a, PLAN_MAX_NODES, sizeof *b.plan->nodes);
    b.plan->norders = 1;
    b.nothing = new_either(&b, 1);
    b.unknown = new_either(&b, 2);
    int number = 0;
    for (const struct cat_stmt *s = cat; s; s = s->next) {
        switch (s->kind) {
        case CAT_LET: build_let(&b, s); break;
        case CAT_WITH: build_with(&b, s); break;
        case CAT_CHECK: build_axiom(&b, s, ++number); break;
        }
    }
    declare_co(&b);
    for (int k = 0; k < b.plan->norders; k++)
        new_term(&b, NODE_ORDER, true, -1, -1, k);
    if (d->errors == before) check_orders(&b);
    if (d->errors == before) build_nodes(&b);
    if (d->errors == before) make_schedules(&b);
    return d->errors == before ? b.plan : NULL;
}
