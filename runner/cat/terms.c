/* Looks up names and checks types: statements to terms. */
#include "cat/library.h"
#include "cat/remark.h"
#include "cat/terms_builder.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_TERMS = 4096, MAX_STEPS = 200000, DEEPEST_CALL = 64 };

static int too_large(struct terms_builder *b) {
    if (b->diag->errors == 0) diag_fail(b->diag, "the model is too large");
    return 0;
}

static int new_term(struct terms_builder *b, enum node_op op, bool rel, int x, int y, int index) {
    for (int t = 0; t < b->out->n; t++) {
        const struct term *k = &b->out->terms[t];
        if (k->op == op && k->rel == rel && k->a == x && k->b == y && k->index == index && !k->either)
            return t;
    }
    if (b->out->n == MAX_TERMS) return too_large(b);
    b->out->terms[b->out->n] = (struct term){op, rel, false, x, y, index};
    return b->out->n++;
}

/* Names */

/* A name that every model knows: a node, or shorthand in cat. */
static const struct known_name {
    const char *name;
    enum node_op op;
    bool rel;
    int index;
    const char *cat; /* NULL: a node */
} known_names[] = {
#define SET(id, name, doc, is)             {name, NODE_GIVEN, false, GIVEN_##id, NULL},
#define REL(id, name, doc, first, relates) {name, NODE_GIVEN, true, GIVEN_##id, NULL},
#define GUESS(name, doc, op, index)        {name, op, true, index, NULL},
#define DERIVED(name, doc, cat)            {name, NODE_EMPTY, true, 0, cat},
#include "cat/names.def"
};
enum { NKNOWN_NAMES = sizeof known_names / sizeof *known_names };

const struct scope *terms_find_defined(const struct terms_builder *b, const char *name) {
    for (const struct scope *s = b->scope; s; s = s->next)
        if (strcmp(s->name, name) == 0) return s;
    return NULL;
}

static int term_of_known(struct terms_builder *b, const struct known_name *k) {
    if (!k->cat) return new_term(b, k->op, k->rel, -1, -1, k->index);
    const struct scope *scope = b->scope;
    b->scope = NULL; /* the model may have given `rf` another meaning */
    int t = terms_term_of(b, cat_read_expr(b->arena, k->cat));
    b->scope = scope;
    return t;
}

/* The term of a name that the model did not define, or -1. */
int terms_find_builtin(struct terms_builder *b, const char *name) {
    for (int k = 0; k < NKNOWN_NAMES; k++)
        if (strcmp(known_names[k].name, name) == 0) return term_of_known(b, &known_names[k]);
    return -1;
}

static void report_unknown(struct terms_builder *b, const struct cat_expr *e) {
    bool function = e->kind == CAT_CALL;
    const char **known = arena_array(b->arena, NKNOWN_NAMES + 2 + (size_t)b->out->nnamed, sizeof *known);
    size_t n = 0;
    for (int k = 0; k < b->out->nnamed; k++)
        if ((b->out->named[k].term < 0) == function) known[n++] = b->out->named[k].name;
    for (int k = 0; k < NKNOWN_NAMES && !function; k++)
        known[n++] = known_names[k].name;
    if (function) {
        known[n++] = "domain";
        known[n++] = "range";
    }
    const char *near = diag_nearest(e->name, known, n);
    if (near && strcmp(near, e->name) == 0) near = NULL; /* it is defined by itself */
    const char *text = arena_printf(b->arena, "unknown %s '%s'%s", function ? "function" : "name", e->name,
                                    library_hint(b->arena, e->name, near));
    for (size_t k = 0; k < b->diag->n; k++)
        if (strcmp(b->diag->messages[k].text, text) == 0) return;
    diag_error(b->diag, e->source, e->pos, "%s", text);
}

/* The empty term that stands for one whose error was reported: a set or a relation, whichever is wanted. */
static int nothing(const struct terms_builder *b) {
    return b->nothing;
}

/* A term that is a set or a relation, as wanted. */
static int new_either(struct terms_builder *b, int index) {
    int t = new_term(b, NODE_EMPTY, true, -1, -1, index);
    b->out->terms[t].either = true;
    return t;
}

static int as_type(struct terms_builder *b, const struct cat_expr *e, int t, bool rel) {
    if (b->out->terms[t].either) return new_term(b, NODE_EMPTY, rel, -1, -1, 0);
    if (b->out->terms[t].rel == rel) return t;
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

static int want(struct terms_builder *b, const struct cat_expr *e, bool rel) {
    return as_type(b, e, terms_term_of(b, e), rel);
}

/* | & \ : both sides sets or both relations. */
static int both(struct terms_builder *b, const struct cat_expr *e, enum node_op op) {
    int x = terms_term_of(b, e->a), y = terms_term_of(b, e->b);
    const struct term *tx = &b->out->terms[x], *ty = &b->out->terms[y];
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

/* Reports that a name is used that is defined by something that is not read. */
static int report_unread(struct terms_builder *b, const struct cat_expr *e, const struct cat_expr *unread) {
    if (!unread->source) {
        bool itself = strcmp(e->name, unread->name) == 0;
        const char *by = itself ? "" : arena_printf(b->arena, " is defined by '%s'", unread->name);
        diag_error(b->diag, e->source, e->pos, "'%s'%s of herd%s is not read here", e->name, by,
                   itself ? "" : ", which");
        return nothing(b);
    }
    diag_error(b->diag, e->source, e->pos, "'%s' is defined by %s, which is not read here", e->name,
               unread->name);
    diag_note(b->diag, unread->source, unread->pos, "it stands here");
    return nothing(b);
}

/* A function that every model knows, as a model's own; or NULL. */
static const struct scope *find_library(struct terms_builder *b, const char *name) {
    const struct cat_binding *f = library_find(b->arena, name, b->says[SAYS_C11]);
    if (!f) return NULL;
    struct scope *s = arena_alloc(b->arena, sizeof *s);
    *s = (struct scope){.name = name, .term = -1, .function = f};
    return s;
}

static int call_term(struct terms_builder *b, const struct cat_expr *e) {
    const struct scope *f = terms_find_defined(b, e->name);
    if (f && f->unread) return report_unread(b, e, f->unread);
    const struct scope *known = f ? NULL : find_library(b, e->name);
    if (known && known->function->function) f = known;
    if (!f && (strcmp(e->name, "domain") == 0 || strcmp(e->name, "range") == 0)) {
        if (e->a->next) diag_error(b->diag, e->source, e->pos, "'%s' takes 1 argument", e->name);
        return new_term(b, e->name[0] == 'd' ? NODE_DOMAIN : NODE_RANGE, false, want(b, e->a, true), -1, 0);
    }
    if (!f || !f->function) {
        if (f || terms_find_builtin(b, e->name) >= 0)
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
        *s = (struct scope){.name = param->name, .term = terms_term_of(b, arg), .next = inner};
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
        t = terms_term_of(b, f->function->expr);
        b->scope = outer;
    }
    b->depth--;
    return t;
}

static int name_term(struct terms_builder *b, const struct cat_expr *e) {
    const struct scope *s = terms_find_defined(b, e->name);
    if (s && s->unread) return report_unread(b, e, s->unread);
    if (s && s->function) {
        diag_error(b->diag, e->source, e->pos, "'%s' is a function; it takes arguments", e->name);
        return nothing(b);
    }
    int t = s ? s->term : terms_find_builtin(b, e->name);
    if (t >= 0) return t;
    const struct scope *known = find_library(b, e->name);
    if (known && !known->function->function) {
        const struct scope *outer = b->scope;
        b->scope = NULL;
        t = terms_term_of(b, known->function->expr);
        b->scope = outer;
        return t;
    }
    if (terms_is_absent(b, e))
        return new_term(b, NODE_EMPTY, library_absent(e->name) == ABSENT_RELATION, -1, -1, 0);
    report_unknown(b, e);
    return nothing(b);
}

static void build_let(struct terms_builder *b, const struct cat_stmt *s);

static int let_term(struct terms_builder *b, const struct cat_expr *e) {
    const struct scope *outer = b->scope;
    b->local++;
    build_let(b, e->let);
    int t = terms_term_of(b, e->a);
    b->local--;
    b->scope = outer;
    return t;
}

int terms_term_of(struct terms_builder *b, const struct cat_expr *e) {
    if (++b->steps > MAX_STEPS) return too_large(b);
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
        int x = terms_term_of(b, e->a);
        if (x == b->unknown) return x;
        if (b->out->terms[x].either) x = as_type(b, e->a, x, true);
        return new_term(b, NODE_COMPL, b->out->terms[x].rel, x, -1, 0);
    }
    case CAT_LET_IN: return let_term(b, e);
    case CAT_TRY: return terms_term_of(b, terms_is_known(b, e->a) ? e->a : e->b);
    case CAT_UNREAD:
        diag_error(b->diag, e->source, e->pos, "%s is not read here", e->name);
        return nothing(b);
    case CAT_DIAG: return new_term(b, NODE_DIAG, true, want(b, e->a, false), -1, 0);
    case CAT_INVERSE: return new_term(b, NODE_INVERSE, true, want(b, e->a, true), -1, 0);
    case CAT_PLUS: return new_term(b, NODE_PLUS, true, want(b, e->a, true), -1, 0);
    case CAT_STAR: return new_term(b, NODE_STAR, true, want(b, e->a, true), -1, 0);
    case CAT_OPT: return new_term(b, NODE_OPT, true, want(b, e->a, true), -1, 0);
    }
    return nothing(b);
}

/* Statements */

static void define(struct terms_builder *b, const char *defined, int term, const struct cat_binding *function,
                   const struct cat_expr *unread) {
    if (terms_is_own(b, defined)) return;
    struct scope *s = arena_alloc(b->arena, sizeof *s);
    *s = (struct scope){defined, term, function, unread, b->scope, b->scope};
    b->scope = s;
    struct terms *out = b->out;
    if (b->local) return;
    out->named =
        arena_grow(b->arena, out->named, (size_t)out->nnamed, (size_t)out->nnamed + 1, sizeof *out->named);
    out->named[out->nnamed++] = (struct named_term){defined, term};
}

/* Checks a function. Its body is translated where it is called. Here it is only checked, so that a misspelt name is
 * found even if nobody calls the function. */
static void check_function(struct terms_builder *b, const struct cat_binding *f) {
    const struct scope *outer = b->scope;
    for (const struct cat_param *p = f->params; p; p = p->next) {
        struct scope *s = arena_alloc(b->arena, sizeof *s);
        *s = (struct scope){.name = p->name, .term = b->unknown, .next = b->scope};
        b->scope = s;
    }
    terms_term_of(b, f->expr);
    b->scope = outer;
}

static void build_rec(struct terms_builder *b, const struct cat_stmt *s) {
    b->out->groups = arena_grow(b->arena, b->out->groups, (size_t)b->out->ngroups,
                                (size_t)b->out->ngroups + 1, sizeof *b->out->groups);
    struct term_group *g = &b->out->groups[b->out->ngroups++];
    *g = (struct term_group){.source = s->source, .pos = s->pos, .first_var = b->out->n};
    for (const struct cat_binding *k = s->bindings; k; k = k->next)
        define(b, k->name, new_term(b, NODE_VAR, true, b->out->ngroups - 1, g->nvars++, 0), NULL, NULL);
    g->body = arena_array(b->arena, (size_t)g->nvars, sizeof *g->body);
    int v = 0;
    for (const struct cat_binding *k = s->bindings; k; k = k->next) {
        if (k->function) {
            diag_error(b->diag, s->source, k->pos, "a function cannot be recursive");
            continue;
        }
        int t = terms_term_of(b, k->expr);
        if (!b->out->terms[t].either && !b->out->terms[t].rel)
            diag_error(b->diag, s->source, k->pos,
                       "'%s' is a set; only relations can be defined by 'let rec'", k->name);
        g->body[v++] =
            b->out->terms[t].rel && !b->out->terms[t].either ? t : new_term(b, NODE_EMPTY, true, -1, -1, 0);
    }
}

static void build_let(struct terms_builder *b, const struct cat_stmt *s) {
    if (s->rec && !terms_find_unread(b, s)) {
        build_rec(b, s);
        return;
    }
    const struct cat_expr *rec = s->rec ? terms_find_unread(b, s) : NULL;
    const struct scope *outer = b->scope;
    int n = 0, k = 0;
    for (const struct cat_binding *x = s->bindings; x; x = x->next)
        n++;
    int *terms = arena_array(b->arena, (size_t)n, sizeof *terms);
    for (const struct cat_binding *x = s->bindings; x; x = x->next) {
        b->scope = outer;
        if (rec || terms_find_unread_of(b, x))
            terms[k++] = -1;
        else if (x->function)
            check_function(b, x);
        else
            terms[k++] = terms_term_of(b, x->expr);
    }
    k = 0;
    b->scope = outer;
    for (const struct cat_binding *x = s->bindings; x; x = x->next) {
        const struct cat_expr *unread = rec ? rec : terms_find_unread_of(b, x);
        define(b, x->name, !x->function || unread ? terms[k++] : -1, x->function ? x : NULL, unread);
    }
}

static void build_with(struct terms_builder *b, const struct cat_stmt *s) {
    struct terms *out = b->out;
    if (!s->either) {
        if (terms_is_of_no_pairs(b, s->expr)) define(b, s->name, nothing(b), NULL, NULL);
        return;
    }
    int k = ORDER_CO;
    if (strcmp(s->name, "co") != 0) {
        if (out->norders == MAX_ORDERS) {
            diag_error(b->diag, s->source, s->pos, "more than %d orders", MAX_ORDERS);
            return;
        }
        k = out->norders++;
    }
    struct term_order *order = &out->orders[k];
    if (order->declared) {
        diag_error(b->diag, s->source, s->pos, "'co' is declared twice");
        diag_note(b->diag, order->source, order->pos, "the first declaration is here");
        return;
    }
    int must = want(b, s->expr, true), either = want(b, s->either, true);
    *order =
        (struct term_order){s->name, s->label ? s->label : s->name, s->source, s->pos, must, either, true};
    if (k != ORDER_CO) define(b, s->name, new_term(b, NODE_ORDER, true, -1, -1, k), NULL, NULL);
}

/* Declares `co` if the model does not: a total order on the writes of each location, with the initial write first. */
static void declare_co(struct terms_builder *b) {
    struct term_order *co = &b->out->orders[ORDER_CO];
    if (co->declared) return;
    b->scope = NULL;
    co->name = co->label = "co";
    co->must = terms_term_of(b, cat_read_expr(b->arena, "(IW * (W \\ IW)) & loc"));
    co->either = terms_term_of(b, cat_read_expr(b->arena, "((W \\ IW) * (W \\ IW)) & loc"));
}

static void build_check(struct terms_builder *b, const struct cat_stmt *s, int number) {
    struct terms *out = b->out;
    if (s->flag && !remark_is_asked(s) && terms_find_used(b, s->expr)) return;
    int t = terms_term_of(b, s->expr);
    if (s->check != CHECK_EMPTY || out->terms[t].either) t = as_type(b, s->expr, t, true);
    if (s->assertion && (s->check != CHECK_EMPTY || s->negated || !terms_is_nothing(b, t)))
        diag_error(b->diag, s->source, s->pos,
                   "'assert' of herd is read only where it is true of every test");
    if (s->flag) return; /* remarks on an execution; they forbid nothing */
    out->axioms = arena_grow(b->arena, out->axioms, (size_t)out->naxioms, (size_t)out->naxioms + 1,
                             sizeof *out->axioms);
    out->axioms[out->naxioms++] = (struct term_axiom){
        .name = s->name ? s->name : arena_printf(b->arena, "axiom %d", number),
        .check = s->check,
        .negated = s->negated,
        .edges = t,
        .node = s->check == CHECK_ACYCLIC ? new_term(b, NODE_PLUS, true, t, -1, 0) : t,
    };
}

int terms_order(const struct terms *t, int order) {
    for (int k = 0; k < t->n; k++)
        if (t->terms[k].op == NODE_ORDER && t->terms[k].index == order) return k;
    return -1;
}

/* What a procedure defines is known in it alone. */
static void enter(struct terms_builder *b) {
    struct scope *mark = arena_alloc(b->arena, sizeof *mark);
    *mark = (struct scope){.name = "", .term = b->nothing, .env = b->outer, .next = b->scope};
    b->outer = b->scope = mark;
    b->local++;
}

static void leave(struct terms_builder *b) {
    b->scope = b->outer->next;
    b->outer = b->outer->env;
    b->local--;
}

bool terms_build(struct arena *a, const struct cat_stmt *cat, struct terms *out, struct diag *d) {
    size_t before = d->errors;
    *out = (struct terms){.norders = 1};
    out->terms = arena_array(a, MAX_TERMS, sizeof *out->terms);
    struct terms_builder b = {.arena = a, .diag = d, .out = out};
    b.nothing = new_either(&b, 1);
    b.unknown = new_either(&b, 2);
    new_term(&b, NODE_ORDER, true, -1, -1, ORDER_CO);
    terms_forget_unread(&b);
    int number = 0;
    for (const struct cat_stmt *s = cat; s; s = s->next) {
        switch (s->kind) {
        case CAT_ENTER: enter(&b); break;
        case CAT_LEAVE: leave(&b); break;
        case CAT_LET: build_let(&b, s); break;
        case CAT_WITH: build_with(&b, s); break;
        case CAT_CHECK: build_check(&b, s, ++number); break;
        case CAT_SAYS: b.says[s->says] = true; break;
        }
    }
    declare_co(&b);
    terms_report_absent(&b);
    return d->errors == before;
}
