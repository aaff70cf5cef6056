/* What herd has and models here have not: names that are empty in every CUDA test, and definitions by what is
 * not read. */
#include <string.h>

#include "base/text.h"
#include "cat/library.h"
#include "cat/terms_builder.h"

enum { MOST_NAMED = 12 };

/* Whether a name that the model did not define is one that every model knows. */
static bool is_shared(struct terms_builder *b, const struct cat_expr *e) {
    if (library_find(b->arena, e->name, b->says[SAYS_C11])) return true;
    if (e->kind == CAT_CALL) return strcmp(e->name, "domain") == 0 || strcmp(e->name, "range") == 0;
    if (terms_find_builtin(b, e->name) >= 0) return true;
    terms_is_absent(b, e); /* what is tried in vain is named, too */
    return false;
}

bool terms_is_known(struct terms_builder *b, const struct cat_expr *e) {
    if (!e) return true;
    bool name = e->kind == CAT_NAME || e->kind == CAT_CALL;
    const struct scope *s = name ? terms_find_defined(b, e->name) : NULL;
    bool known = s ? !s->unread : !name || is_shared(b, e);
    for (const struct cat_expr *arg = e->kind == CAT_CALL && e->a ? e->a->next : NULL; arg; arg = arg->next)
        known = terms_is_known(b, arg) && known;
    known = terms_is_known(b, e->a) && known && e->kind != CAT_UNREAD;
    return terms_is_known(b, e->b) && known;
}

/* What a `try` tries may be unread. */
const struct cat_expr *terms_find_used(const struct terms_builder *b, const struct cat_expr *e) {
    if (!e || e->kind == CAT_TRY) return NULL;
    const struct scope *s =
        e->kind == CAT_NAME || e->kind == CAT_CALL ? terms_find_defined(b, e->name) : NULL;
    const struct cat_expr *found = s ? s->unread : NULL;
    for (const struct cat_expr *arg = e->kind == CAT_CALL && e->a ? e->a->next : NULL; arg && !found;
         arg = arg->next)
        found = terms_find_used(b, arg);
    if (!found) found = terms_find_used(b, e->a);
    return found ? found : terms_find_used(b, e->b);
}

const struct cat_expr *terms_find_unread_of(const struct terms_builder *b, const struct cat_binding *x) {
    return x->unread ? x->unread : terms_find_used(b, x->expr);
}

const struct cat_expr *terms_find_unread(const struct terms_builder *b, const struct cat_stmt *s) {
    const struct cat_expr *unread = NULL;
    for (const struct cat_binding *x = s->bindings; x && !unread; x = x->next)
        unread = terms_find_unread_of(b, x);
    return unread;
}

void terms_forget_unread(struct terms_builder *b) {
    for (size_t k = 0; k < sizeof library_unread / sizeof *library_unread; k++) {
        struct cat_expr *herd = arena_alloc(b->arena, sizeof *herd);
        *herd = (struct cat_expr){.kind = CAT_UNREAD, .name = library_unread[k]};
        struct scope *s = arena_alloc(b->arena, sizeof *s);
        *s = (struct scope){.name = library_unread[k], .term = -1, .unread = herd, .next = b->scope};
        b->scope = s;
    }
}

bool terms_is_absent(struct terms_builder *b, const struct cat_expr *e) {
    if (library_absent(e->name) == ABSENT_NOT || e->kind != CAT_NAME) return false;
    for (size_t k = 0; k < b->nabsent; k++)
        if (strcmp(b->absent[k], e->name) == 0) return true;
    if (!b->first_absent) b->first_absent = e;
    b->absent = arena_grow(b->arena, b->absent, b->nabsent, b->nabsent + 1, sizeof *b->absent);
    b->absent[b->nabsent++] = e->name;
    return true;
}

void terms_report_absent(struct terms_builder *b) {
    struct text names = {0};
    size_t n = b->nabsent, shown = n > MOST_NAMED ? MOST_NAMED - 1 : n;
    for (size_t k = 0; k < shown; k++)
        text_printf(&names, "%s%s", k ? ", " : "", b->absent[k]);
    if (shown < n) text_printf(&names, " and %zu more", n - shown);
    if (n)
        diag_warning(b->diag, b->first_absent->source, b->first_absent->pos,
                     "a CUDA test has nothing that is meant by %s: %s empty", names.s,
                     n == 1 ? "it is" : "they are");
    text_free(&names);
}

bool terms_is_own(const struct terms_builder *b, const char *name) {
    static const char *const own[] = {"addr", "data", "ctrl"};
    for (size_t k = 0; b->says[SAYS_CATDEP] && k < sizeof own / sizeof *own; k++)
        if (strcmp(own[k], name) == 0) return true;
    return false;
}

bool terms_is_nothing(const struct terms_builder *b, int t) {
    const struct term *k = &b->out->terms[t];
    switch (k->op) {
    case NODE_EMPTY: return true;
    case NODE_GIVEN: return !k->rel && k->index == GIVEN_NOTHING;
    case NODE_UNION: return terms_is_nothing(b, k->a) && terms_is_nothing(b, k->b);
    case NODE_INTER:
    case NODE_SEQ:
    case NODE_PRODUCT: return terms_is_nothing(b, k->a) || terms_is_nothing(b, k->b);
    case NODE_DIFF:
    case NODE_DIAG:
    case NODE_DOMAIN:
    case NODE_RANGE:
    case NODE_INVERSE:
    case NODE_PLUS: return terms_is_nothing(b, k->a);
    default: return false;
    }
}

/* The call of herd's enumeration that a function of one parameter stands for; NULL: it is none. */
static const struct cat_expr *find_enumeration(const struct terms_builder *b, const struct cat_expr *e,
                                               const struct scope **f) {
    *f = e->kind == CAT_CALL ? terms_find_defined(b, e->name) : NULL;
    const struct cat_expr *call = *f && (*f)->function ? (*f)->function->expr : NULL;
    bool enumeration = call && call->kind == CAT_CALL && strcmp(call->name, "enumerate-ordered-pairs") == 0;
    return enumeration && call->a && call->a->next && !e->a->next ? call : NULL;
}

bool terms_is_of_no_pairs(struct terms_builder *b, const struct cat_expr *e) {
    const struct scope *f, *outer = b->scope;
    const struct cat_expr *call = find_enumeration(b, e, &f);
    if (!call) {
        diag_error(b->diag, e->source, e->pos, "expected 'order(MUST, EITHER)', found '%s'", e->name);
        return false;
    }
    struct scope argument = {
        .name = f->function->params->name, .term = terms_term_of(b, e->a), .next = f->env};
    b->scope = &argument;
    bool none = terms_is_nothing(b, terms_term_of(b, call->a));
    b->scope = outer;
    if (!none)
        diag_error(b->diag, e->source, e->pos, "'%s' of herd is read only where it orders no pairs", e->name);
    return none;
}
