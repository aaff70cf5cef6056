/* What the names of libcu++'s atomics are: cuda::atomic_ref, cuda::atomic, and what is done with one. */
#include <string.h>

#include "litmus/name.h"
#include "lower/calls.h"

/* Whether a name is one of cuda:: or std::. */
static bool is_qualified(const struct tree *n) {
    const struct token *t = n->first;
    return n->kind == TREE_NAME && t != n->at && (token_is_word(t, "cuda") || token_is_word(t, "std"));
}

/* ---- uses ---- */

static const struct reference *find_ref(const struct parser *p, const char *name) {
    const struct reference *ref = reference_find(p, name);
    return ref && !ref->is_pointer && !ref->group.kind && !ref->is_barrier && !ref->array && !ref->pointers
               ? ref
               : NULL;
}

/* A plain read, or a store or an atomic operation that is written as an operator: seq_cst. */
static struct expr *add_plain(struct parser *p, const struct reference *ref, enum op_name op,
                              struct expr *value, struct pos pos) {
    struct place at = ref->place;
    at.pos = pos;
    return atomic_access(p, op, &at, ORDER_SC, ref->scope, value);
}

/* Reports a member that is not called, and what else an atomic_ref cannot be part of. */
static struct expr *report_use(struct parser *p, const struct reference *ref, const struct tree *n) {
    if (n->kind == TREE_MEMBER)
        parse_error(p, n->end[-1].after, "expected '('");
    else
        parse_error(p, n->at->pos,
                    "expected a member, or one of = += -= &= |= ^= ++ -- of the atomic_ref '%s'", ref->name);
    return NULL;
}

/* f = e, f += e and the like */
static struct expr *lower_operator(struct parser *p, const struct reference *ref, const struct tree *n) {
    static const struct {
        int token;
        enum op_name op;
    } operators[] = {
        {'=', STORE_PLAIN},     {TOK_ADD_SET, RMW_ADD}, {TOK_SUB_SET, RMW_SUB},
        {TOK_AND_SET, RMW_AND}, {TOK_OR_SET, RMW_OR},   {TOK_XOR_SET, RMW_XOR},
    };
    for (size_t k = 0; k < sizeof operators / sizeof *operators; k++)
        if (operators[k].token == n->at->kind)
            return add_plain(p, ref, operators[k].op, lower_value(p, n->b), n->at->pos);
    return report_use(p, ref, n);
}

/* ++f and f++: the value is that behind the step or before it. */
static struct expr *lower_step(struct parser *p, const struct reference *ref, const struct tree *n) {
    bool up = n->at->kind == TOK_INC;
    struct pos pos = n->at->pos;
    struct expr *one = expr_int(p, pos, 1), *old = add_plain(p, ref, up ? RMW_ADD : RMW_SUB, one, pos);
    if (n->kind == TREE_BEHIND) return old;
    return expr_convert(p, expr_new(p, up ? EXPR_ADD : EXPR_SUB, pos, old, one), old->type);
}

bool atomic_is_used(struct parser *p, const struct tree *n) {
    const struct tree *root = tree_root(n);
    return root && tree_is_word(root) && find_ref(p, root->first->text);
}

struct expr *atomic_use(struct parser *p, const struct tree *n) {
    const struct reference *ref = find_ref(p, tree_root(n)->first->text);
    switch (n->kind) {
    case TREE_NAME: return add_plain(p, ref, LOAD_PLAIN, NULL, n->first->pos);
    case TREE_STEP:
    case TREE_BEHIND: return lower_step(p, ref, n);
    case TREE_ASSIGN: return lower_operator(p, ref, n);
    case TREE_CALL:
        if (n->a->kind == TREE_MEMBER && n->a->a->kind == TREE_NAME) return atomic_member(p, ref, n);
        break;
    default: break;
    }
    return report_use(p, ref, n);
}

/* An atomic_ref without its place: "<type, scope>", which may be missing. */
struct kind {
    const struct token *type_token; /* NULL: of any type */
    struct type type;
    enum scope scope;
};

static struct kind kind_of_name(struct parser *p, const struct tree *name) {
    struct kind k = {NULL, type_int, SCOPE_SYS};
    const struct tree *type = name->b, *scope = type ? type->next : NULL;
    if (!type) return k;
    k.type_token = type->first;
    if (type->kind == TREE_TYPE)
        k.type = lower_type(p, type);
    else
        parse_error(p, type->first->pos, "'%s' is no type%s", type->first->text,
                    type_hint(p->arena, type->first->text));
    if (scope) k.scope = atomic_scope_of(p, scope);
    if (scope && scope->next) parse_error(p, scope->end[-1].after, "expected '>'");
    return k;
}

/* Whether the place can be atomic, of that type. */
static bool check_place(struct parser *p, const struct kind *k, const struct reference *ref) {
    if (p->panic || ref->place.loc < 0) return false;
    const struct location *l = &p->test->locs[ref->place.loc];
    if (type_is_vector(l->type) || l->type.bits > 64)
        parse_complain(p, ref->place.pos, "an atomic_ref of type %s is not supported yet",
                       type_name(l->type));
    else if (k->type_token && !type_same(l->type, k->type))
        parse_complain(p, k->type_token->pos, "this atomic_ref is of type %s, and '%s' of type %s",
                       type_name(k->type), l->name, type_name(l->type));
    return true;
}

/* The place in "(X)" or "{X}", behind a token. */
static bool take_place(struct parser *p, const struct kind *k, const struct tree *list,
                       const struct token *before, struct reference *ref) {
    ref->scope = k->scope;
    if (!list) parse_error(p, before->after, "expected '(' and a location");
    if (p->panic) return false;
    ref->place = place_argument(p, list, "cuda::atomic_ref<type, scope> f(X)");
    if (list->next) parse_error(p, list->end[-1].after, "expected ')'");
    return check_place(p, k, ref);
}

/* cuda::atomic<type, scope> X; whose storage is the location X. */
static void declare_atomic(struct parser *p, const struct kind *k, const struct tree *n) {
    const struct token *name = n->at;
    struct reference ref = {.name = name->text, .pos = name->pos, .scope = k->scope, .of_location = true};
    ref.place = (struct place){.loc = find_location(p->test, name->text), .pos = name->pos};
    if (ref.place.loc < 0)
        parse_error(p, name->pos, "a cuda::atomic is a location: declare '%s' in 'memory'", name->text);
    else if (p->test->locs[ref.place.loc].array)
        parse_error(p, name->pos, "not supported yet: arrays of cuda::atomic");
    else if (n->b)
        parse_error(p, name[1].pos, "the initial value of '%s' stands in 'memory'", name->text);
    if (!p->panic && check_place(p, k, &ref)) reference_declare(p, &ref);
}

/* cuda::atomic_ref<type, scope> f(X); */
static void declare_ref(struct parser *p, const struct kind *k, const struct tree *n) {
    struct reference ref = {.name = n->at->text, .pos = n->at->pos};
    bool listed = n->b && n->b->kind == TREE_LIST && !(n->flags & DECLARES_EQUAL);
    if (n->c || (n->b && !listed)) parse_error(p, n->at->after, "expected '(' and a location");
    if (listed && !n->b->b)
        parse_error(p, n->b->end[-1].pos, "expected a location: cuda::atomic_ref<type, scope> f(X)");
    if (take_place(p, k, listed ? n->b->b : NULL, n->at, &ref)) reference_declare(p, &ref);
}

/* The atomic_ref that a name with its place is: cuda::atomic_ref<type, scope>(X). False: it is none, or an error. */
static bool make_temporary(struct parser *p, const struct tree *n, struct reference *ref) {
    if (n->kind != TREE_CALL || !is_qualified(n->a)) return false;
    struct full_name w = full_name_of(p, n->a);
    if (strcmp(w.bare, "atomic_ref") != 0) return false;
    struct kind k = kind_of_name(p, n->a);
    return take_place(p, &k, n->b, n->at, ref);
}

/* auto f = cuda::atomic_ref<type, scope>(X); */
bool atomic_declare_auto(struct parser *p, const struct tree *n) {
    struct reference ref = {.name = n->at->text, .pos = n->at->pos};
    if (!make_temporary(p, n->b, &ref)) return false;
    reference_declare(p, &ref);
    return true;
}

bool atomic_is_type(const struct tree *name) {
    return is_qualified(name) && (token_is_word(name->at, "atomic") || token_is_word(name->at, "atomic_ref"));
}

void atomic_declare(struct parser *p, const struct tree *type, const struct tree *n) {
    struct kind k = kind_of_name(p, type->a);
    if (!p->panic) (token_is_word(type->a->at, "atomic_ref") ? declare_ref : declare_atomic)(p, &k, n);
}

/* ---- names ---- */

static struct expr *refuse(struct parser *p, const struct full_name *w) {
    parse_error(p, w->pos, "'%s' is not supported yet", w->text);
    return NULL;
}

bool atomic_is_named(struct parser *p, const struct tree *n) {
    const struct tree *root = tree_root(n);
    (void)p;
    return root && is_qualified(root);
}

struct expr *atomic_named(struct parser *p, const struct tree *n) {
    const struct tree *root = tree_root(n);
    struct full_name w = full_name_of(p, root);
    struct reference ref = {0};
    if (n->kind == TREE_CALL && n->a == root && strcmp(w.bare, "atomic_thread_fence") == 0) {
        atomic_fence(p, n, &w);
        return NULL;
    }
    bool named = strncmp(w.bare, "ptx::", 5) == 0 || strcmp(w.bare, "device::memcpy_async_tx") == 0;
    if (n->kind == TREE_CALL && n->a == root && named) return call_of_name(p, n, root->at->text);
    if (strcmp(w.bare, "atomic_ref") != 0) return refuse(p, &w);
    bool calls = n->kind == TREE_CALL && n->a->kind == TREE_MEMBER;
    if (!calls) parse_error(p, n->end[-1].after, "expected '.' and a member of the atomic_ref");
    return calls && make_temporary(p, n->a->a, &ref) ? atomic_member(p, &ref, n) : NULL;
}
