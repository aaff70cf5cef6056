/* cuda::barrier of libcu++: a word that threads arrive at and wait for. It becomes the operations of libcu++'s own
 * algorithm (cuda/std/__barrier/barrier.h), which needs no mbarrier; an arrival releases and a wait acquires, as
 * mbarriers do where they take its place. */
#include <string.h>

#include "litmus/name.h"
#include "lower/atomic.h"

/* ---- types ---- */

static bool is_named(const struct parser *p, const struct token *t) {
    return p->barrier_type && token_is_word(t, p->barrier_type);
}

bool arrival_is_type(const struct parser *p, const struct tree *type) {
    const struct token *t = type->at;
    const struct tree *name = type->a;
    if (is_named(p, t)) return true;
    return name && name->b && token_is_word(t, "cuda") && token_is_word(t + 3, "barrier");
}

static enum scope scope_of(struct parser *p, const struct tree *type) {
    if (is_named(p, type->at)) return p->barrier_scope;
    const struct tree *arguments = type->a->b;
    if (arguments->next)
        parse_error(p, arguments->next->first[-1].pos,
                    "not supported yet: a barrier with a completion function");
    return atomic_scope_of(p, arguments);
}

void arrival_name_type(struct parser *p, const struct tree *type, const struct token *name) {
    p->barrier_scope = scope_of(p, type);
    p->barrier_type = name->text;
}

/* Whether it is that of a token, cuda::barrier<scope>::arrival_token. */
static bool is_token(const struct parser *p, const struct tree *type) {
    return type->a && (is_named(p, type->at) ? type->a->at != type->at : type->a->at != type->at + 3);
}

/* ---- declarations ---- */

static void declare_token(struct parser *p, const struct tree *type, const struct tree *n) {
    const struct token *word = type->a->at;
    if (!token_is_word(word, "arrival_token")) parse_error(p, word->pos, "expected 'arrival_token'");
    if (!(n->flags & DECLARES_EQUAL)) parse_error(p, n->end[-1].after, "expected '=' and an arrival");
    struct expr *value = p->panic ? NULL : expr_scalar(p, lower_value(p, n->b), "a token");
    if (!p->panic) body_set(p, body_declare(p, n->at, type_unsigned), value, n->at->pos);
}

static void declare_barrier(struct parser *p, const struct tree *type, const struct tree *n) {
    const struct token *name = n->at;
    enum scope scope = scope_of(p, type);
    size_t errors = p->diag->errors;
    if (type->flags & TYPE_SHARED && !p->panic) shared_add(p, name, type_unsigned);
    if (p->panic || p->diag->errors != errors) return;
    int loc = find_location(p->test, name->text);
    const struct location *l = loc < 0 ? NULL : &p->test->locs[loc];
    if (!l)
        parse_error(
            p, name->pos,
            "a cuda::barrier is a location: declare it as __shared__, or in 'memory', as in %s: {type: "
            "unsigned}",
            name->text);
    else if (l->array || !type_same(l->type, type_unsigned))
        parse_error(p, name->pos, "a cuda::barrier is a location of type unsigned, and no array");
    if (n->b || n->c) parse_error(p, n->at->after, "expected ';'");
    if (p->panic) return;
    struct reference ref = {.name = name->text, .pos = name->pos, .scope = scope};
    ref.place = (struct place){.loc = loc, .pos = name->pos};
    ref.of_location = ref.is_barrier = true;
    reference_declare(p, &ref);
}

void arrival_declare(struct parser *p, const struct tree *n) {
    for (const struct tree *k = n->b; k && !p->panic; k = k->next)
        if (k->at->kind != TOK_NAME)
            parse_fault(p, k->fault);
        else
            (is_token(p, n->a) ? declare_token : declare_barrier)(p, n->a, k);
}

/* ---- uses ---- */

static const struct reference *barrier_at(const struct parser *p, const struct token *t) {
    const struct reference *ref = t->kind == TOK_NAME ? reference_find(p, t->text) : NULL;
    return ref && ref->is_barrier ? ref : NULL;
}

static bool is_init(const struct parser *p, const struct tree *n) {
    return n->kind == TREE_CALL && token_is_word(n->first, "init") && tree_is_word(n->a) && n->b &&
           n->b->kind == TREE_ADDRESS && barrier_at(p, n->b->a->first);
}

bool arrival_knows(const struct parser *p, const struct tree *n) {
    const struct tree *root = tree_root(n);
    return root && !p->panic && (barrier_at(p, root->first) || is_init(p, n));
}

/* A number of arrivals. */
static struct expr *count_of(struct parser *p, const struct tree *n) {
    struct expr *e = expr_scalar(p, lower_value(p, n), "a number of arrivals");
    if (e->type.real) parse_error(p, e->pos, "a number of arrivals is an integer");
    return expr_cast(p, e, type_unsigned);
}

/* init(&bar, n) */
static void lower_init(struct parser *p, const struct tree *n) {
    const struct reference *ref = barrier_at(p, n->b->a->first);
    const struct tree *count = n->b->next;
    if (!count)
        parse_error(p, n->end[-2].after, "expected ',' and how many arrive");
    else if (count->next)
        parse_error(p, count->end[-1].after, "expected ')'");
    struct expr *value = p->panic ? NULL : count_of(p, count);
    if (!p->panic) protocol_init(p, ref, value, n->first->pos);
}

/* bar.arrive(), bar.wait(token), ...; NULL: it has no value. */
static struct expr *lower_member(struct parser *p, const struct reference *ref, const struct tree *n) {
    const struct token *t = n->a->at;
    bool arrives = token_is_word(t, "arrive"), waits = token_is_word(t, "wait"),
         drops = token_is_word(t, "arrive_and_drop");
    if (!arrives && !waits && !drops && !token_is_word(t, "arrive_and_wait"))
        parse_error(p, t->pos, "'%s' of a barrier is not supported yet", t->text);
    if (waits && !n->b) parse_error(p, n->end[-1].pos, "expected a value, not ')'");
    struct expr *value = NULL;
    const struct tree *argument = waits || arrives ? n->b : NULL;
    if (waits && !p->panic)
        value =
            expr_cast(p, expr_scalar(p, lower_value(p, groups_moved(argument)), "the token of an arrival"),
                      type_unsigned);
    else if (argument && !p->panic)
        value = count_of(p, argument);
    const struct tree *more = argument ? argument->next : n->b;
    if (more) parse_error(p, more->first[-1].after, "expected ')'");
    if (p->panic) return NULL;
    if (drops) protocol_drop(p, ref, t->pos);
    struct expr *token = waits ? value : protocol_arrive(p, ref, value, t->pos);
    if (arrives) return token;
    if (!drops) protocol_wait(p, ref, token, t->pos);
    return NULL;
}

struct expr *arrival_use(struct parser *p, const struct tree *n) {
    if (is_init(p, n)) {
        lower_init(p, n);
        return NULL;
    }
    bool calls = n->kind == TREE_CALL && n->a->kind == TREE_MEMBER && n->a->a->kind == TREE_NAME;
    if (calls) return lower_member(p, barrier_at(p, n->first), n);
    const struct token *name = tree_root(n)->end - 1;
    parse_error(p, n->kind == TREE_MEMBER ? n->end[-1].after : name->after,
                n->kind == TREE_MEMBER
                    ? "expected '('"
                    : "expected '.' and a member of the barrier: arrive, wait, arrive_and_wait or "
                      "arrive_and_drop");
    return NULL;
}
