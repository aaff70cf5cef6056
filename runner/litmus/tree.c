#include "litmus/tree.h"

#include <string.h>

#include "litmus/parse.h"
#include "litmus/pointer.h"

static struct tree *make(struct parser *p, enum tree_kind kind, const struct token *first,
                         const struct token *at) {
    struct tree *n = arena_alloc(p->arena, sizeof *n);
    *n = (struct tree){.kind = kind, .first = first, .end = first, .at = at};
    return n;
}

/* The node ends before the next token. */
static struct tree *ended(const struct parser *p, struct tree *n) {
    n->end = p->tok;
    return n;
}

static struct tree *read_unary(struct parser *p);
static struct tree *read_binary(struct parser *p, int level);

/* ---- names ---- */

/* What is behind the bracket that closes the one at t; NULL: it is not closed in this statement. */
static const struct token *skip_pair(const struct token *t, int open, int close) {
    int depth = 0;
    for (; t->kind != TOK_END && t->kind != ';'; t++) {
        depth += (t->kind == open) - (t->kind == close);
        if (depth == 0) return t + 1;
    }
    return NULL;
}

static bool is_named_cast(const struct token *t) {
    return (token_is_word(t, "static_cast") || token_is_word(t, "reinterpret_cast") ||
            token_is_word(t, "const_cast")) &&
           t[1].kind == '<';
}

/* What is behind the arguments of a template at t, of a name that has a namespace: less-than behind one means nothing. */
static const struct token *skip_template(const struct token *t) {
    return t->kind == '<' ? skip_pair(t, '<', '>') : NULL;
}

static bool has_next_part(const struct token *t) {
    return t->kind == ':' && t[1].kind == ':' && t[2].kind == TOK_NAME;
}

/* cuda::atomic_ref<int, cuda::thread_scope_device>, and with {X} behind it, as a call */
static struct tree *read_name(struct parser *p) {
    struct tree *n = make(p, TREE_NAME, p->tok, p->tok);
    parse_next(p);
    while (has_next_part(p->tok)) {
        n->at = p->tok + 2;
        p->tok += 3;
        const struct token *behind = skip_template(p->tok);
        if (behind) p->tok = behind;
    }
    ended(p, n);
    const struct token *behind =
        n->at != n->first && p->tok->kind == '{' ? skip_pair(p->tok, '{', '}') : NULL;
    if (!behind) return n;
    struct tree *made = make(p, TREE_CALL, n->first, p->tok);
    made->a = n;
    p->tok = behind;
    return ended(p, made);
}

/* ---- casts ---- */

/* Which cast the type at t is, up to a closing token of this kind; TREE_BAD: it is none. */
static enum tree_kind find_cast(const struct parser *p, const struct token *t, int close,
                                const struct token **end) {
    enum tree_kind kind = TREE_CAST;
    while (pointer_is_qualifier(t))
        t++;
    if (!parse_type_begins(p, t)) return TREE_BAD;
    for (t++; t->kind == TOK_NAME && (pointer_is_qualifier(t) || type_is_word(t->text)); t++)
        continue;
    for (; t->kind == '*' || t->kind == '&' || pointer_is_qualifier(t); t++)
        if (t->kind != TOK_NAME) kind = t->kind == '*' ? TREE_POINTER : TREE_REFERENCE;
    *end = t + 1;
    return t->kind == close ? kind : TREE_BAD;
}

/* (type)a */
static struct tree *read_cast(struct parser *p, enum tree_kind kind, const struct token *behind) {
    struct tree *n = make(p, kind, p->tok, p->tok + 1);
    p->tok = behind;
    n->a = read_unary(p);
    return ended(p, n);
}

/* static_cast<type>(a) */
static struct tree *read_named_cast(struct parser *p) {
    const struct token *behind = NULL;
    enum tree_kind kind = find_cast(p, p->tok + 2, '>', &behind);
    struct tree *n = make(p, kind == TREE_BAD ? TREE_CAST : kind, p->tok, p->tok + 2);
    if (kind == TREE_BAD) parse_error(p, p->tok[2].pos, "expected a type of a register");
    if (kind == TREE_REFERENCE && !token_is_word(p->tok, "reinterpret_cast"))
        parse_error(p, p->tok[2].pos, "expected a type of a register");
    if (!p->panic) p->tok = behind;
    parse_expect(p, '(', "'('");
    n->a = tree_expression(p);
    parse_expect(p, ')', "')'");
    return ended(p, n);
}

/* ---- operands ---- */

/* A number or a text. */
static struct tree *read_literal(struct parser *p, enum tree_kind kind) {
    struct tree *n = make(p, kind, p->tok, p->tok);
    parse_next(p);
    return ended(p, n);
}

/* (a), in which a register may be assigned */
static struct tree *read_grouped(struct parser *p) {
    struct tree *n = make(p, TREE_GROUPED, p->tok, p->tok);
    parse_next(p);
    n->a = tree_assigned(p);
    parse_expect(p, ')', "')'");
    return ended(p, n);
}

/* What follows is left to who knows types: sizeof(int), int4{...}. */
static struct tree *read_pair(struct parser *p, enum tree_kind kind, int open, int close) {
    struct tree *n = make(p, kind, p->tok, p->tok);
    const struct token *behind = skip_pair(p->tok + 1, open, close);
    parse_next(p);
    if (!behind || p->tok->kind != open)
        parse_expect(p, behind ? open : close, open == '(' ? "'('" : "'}'");
    else
        p->tok = behind;
    return ended(p, n);
}

static struct tree *read_leaf(struct parser *p) {
    struct tree *n = make(p, TREE_LEAF, p->tok, p->tok);
    n->leaf = p->operand(p);
    return ended(p, n);
}

static struct tree *read_word(struct parser *p) {
    const struct token *t = p->tok;
    if (!p->body) return read_leaf(p);
    if (is_named_cast(t)) return read_named_cast(p);
    if (token_is_word(t, "sizeof")) return read_pair(p, TREE_SIZE, '(', ')');
    if (t[1].kind == '{' && parse_type_begins(p, t)) return read_pair(p, TREE_BRACES, '{', '}');
    return read_name(p);
}

static struct tree *read_primary(struct parser *p) {
    const struct token *t = p->tok;
    if (++p->terms > MAX_TERMS) parse_error(p, t->pos, "an expression has at most %d terms", MAX_TERMS);
    if (parse_skip_global(p)) t = p->tok;
    switch (parse_peek(p)) {
    case TOK_INT: return read_literal(p, TREE_NUMBER);
    case TOK_TEXT:
        if (!p->body) break;
        return read_literal(p, TREE_TEXT);
    case TOK_NAME: return read_word(p);
    case '(': return read_grouped(p);
    }
    if (p->tok->kind == TOK_END)
        parse_expect(p, TOK_NAME, "a value");
    else if (p->body && t->kind == '[')
        parse_error(p, t->pos, "a lambda is not supported yet: its lines stand where it is called");
    else
        parse_error(p, t->pos, "expected a value, not '%s'%s", t->text, parse_hint(p));
    return make(p, TREE_BAD, t, t);
}

/* (a, b) behind what is called */
static struct tree *read_call(struct parser *p, struct tree *callee) {
    struct tree *n = make(p, TREE_CALL, callee->first, p->tok), **last = &n->b;
    n->a = callee;
    parse_next(p);
    while (!p->panic && p->tok->kind != ')') {
        *last = tree_assigned(p);
        last = &(*last)->next;
        if (!parse_accept(p, ',')) break;
    }
    const char *usage = tree_is_word(callee) ? access_usage(callee->at->text) : NULL;
    parse_expect(p, ')', usage ? arena_printf(p->arena, "')': %s", usage) : "')'");
    return ended(p, n);
}

static struct tree *read_index(struct parser *p, struct tree *array) {
    struct tree *n = make(p, TREE_INDEX, array->first, p->tok);
    n->a = array;
    parse_next(p);
    n->b = tree_expression(p);
    parse_expect(p, ']', "']'");
    return ended(p, n);
}

/* .name, and ->name, whose arrow is two tokens */
static struct tree *read_member(struct parser *p, struct tree *whole, enum tree_kind kind) {
    struct tree *n = make(p, kind, whole->first, p->tok);
    n->a = whole;
    p->tok += kind == TREE_ARROW ? 2 : 1;
    n->at = p->tok;
    parse_expect(p, TOK_NAME, p->body ? "a member" : "x, y, z or w");
    return ended(p, n);
}

static struct tree *read_behind(struct parser *p, struct tree *a) {
    struct tree *n = make(p, TREE_BEHIND, a->first, parse_next(p));
    n->a = a;
    return ended(p, n);
}

static bool at_arrow(const struct token *t) {
    return t->kind == '-' && t[1].kind == '>' && t[1].at == t->at + 1;
}

static struct tree *read_postfix(struct parser *p) {
    struct tree *n = read_primary(p);
    for (;;) {
        bool called = n->kind == TREE_NAME || n->kind == TREE_MEMBER;
        switch (parse_peek(p)) {
        case '(':
            if (!called) return n;
            n = read_call(p, n);
            continue;
        case '[':
            if (!p->body) return n;
            n = read_index(p, n);
            continue;
        case '.': n = read_member(p, n, TREE_MEMBER); continue;
        case '-':
            if (!p->body || !at_arrow(p->tok)) return n;
            n = read_member(p, n, TREE_ARROW);
            continue;
        case TOK_INC:
        case TOK_DEC: n = read_behind(p, n); continue;
        default: return n;
        }
    }
}

/* ---- operators ---- */

static struct tree *read_operator(struct parser *p, enum tree_kind kind) {
    struct tree *n = make(p, kind, p->tok, p->tok);
    parse_next(p);
    n->a = read_unary(p);
    return ended(p, n);
}

static struct tree *read_prefixed(struct parser *p) {
    const struct token *behind = NULL;
    switch (parse_peek(p)) {
    case '+':
    case '-':
    case '!':
    case '~': return read_operator(p, TREE_UNARY);
    case TOK_INC:
    case TOK_DEC: return read_operator(p, TREE_STEP);
    case '*': return p->body ? read_operator(p, TREE_DEREF) : read_postfix(p);
    case '&': return p->body ? read_operator(p, TREE_ADDRESS) : read_postfix(p);
    case '(': {
        enum tree_kind kind = find_cast(p, p->tok + 1, ')', &behind);
        return kind == TREE_BAD || (!p->body && kind != TREE_CAST) ? read_postfix(p)
                                                                   : read_cast(p, kind, behind);
    }
    default: return read_postfix(p);
    }
}

static struct tree *read_unary(struct parser *p) {
    const struct token *t = p->tok;
    if (!parse_enter(p)) return make(p, TREE_BAD, t, t);
    struct tree *n = read_prefixed(p);
    parse_leave(p);
    return n;
}

int tree_level(int token) {
    static const struct {
        int token, level;
    } levels[] = {
        {'*', 10},    {'/', 10}, {'%', 10},   {'+', 9}, {'-', 9},      {TOK_SHL, 8},
        {TOK_SHR, 8}, {'<', 7},  {TOK_LE, 7}, {'>', 7}, {TOK_GE, 7},   {TOK_EQ, 6},
        {TOK_NE, 6},  {'&', 5},  {'^', 4},    {'|', 3}, {TOK_LAND, 2}, {TOK_LOR, 1},
    };
    for (size_t k = 0; k < sizeof levels / sizeof *levels; k++)
        if (levels[k].token == token) return levels[k].level;
    return 0;
}

static struct tree *read_binary(struct parser *p, int level) {
    struct tree *n = read_unary(p);
    for (;;) {
        int found = tree_level(parse_peek(p));
        if (found < level) return n;
        struct tree *whole = make(p, TREE_BINARY, n->first, parse_next(p));
        whole->a = n;
        whole->b = read_binary(p, found + 1);
        n = ended(p, whole);
    }
}

struct tree *tree_operand(struct parser *p) {
    return read_unary(p);
}

struct tree *tree_expression(struct parser *p) {
    const struct token *t = p->tok;
    if (!parse_enter(p)) return make(p, TREE_BAD, t, t);
    struct tree *n = read_binary(p, 1);
    const struct token *question = p->tok;
    if (parse_accept(p, '?')) {
        struct tree *choice = make(p, TREE_CHOICE, t, question);
        choice->a = n;
        choice->b = tree_expression(p);
        parse_expect(p, ':', "':'");
        choice->c = tree_expression(p);
        n = ended(p, choice);
    }
    parse_leave(p);
    return n;
}

struct tree *tree_assigned(struct parser *p) {
    struct tree *n = tree_expression(p);
    int set = parse_peek(p);
    bool sets = p->body && (set == '=' || (set != TOK_INC && set != TOK_DEC && target_find_compound(set)));
    if (!sets || !parse_enter(p)) return n;
    struct tree *whole = make(p, TREE_ASSIGN, n->first, parse_next(p));
    whole->a = n;
    whole->b = tree_assigned(p);
    parse_leave(p);
    return ended(p, whole);
}

/* ---- what a tree says ---- */

const struct tree *tree_inside(const struct tree *n) {
    while (n->kind == TREE_GROUPED)
        n = n->a;
    return n;
}

const struct tree *tree_root(const struct tree *n) {
    for (;;)
        switch (n->kind) {
        case TREE_CALL:
        case TREE_INDEX:
        case TREE_MEMBER:
        case TREE_STEP:
        case TREE_BEHIND:
        case TREE_ASSIGN: n = n->a; continue;
        case TREE_NAME: return n;
        default: return NULL;
        }
}

bool tree_is_word(const struct tree *n) {
    return n->kind == TREE_NAME && n->end == n->first + 1;
}

/* ---- arguments ---- */

struct arguments arguments_of(const struct tree *call, const char *usage) {
    return (struct arguments){.next = call->b, .before = call->at, .usage = usage, .pos = call->a->at->pos};
}

const struct tree *arguments_take(struct parser *p, struct arguments *a, const char *what) {
    const struct tree *n = a->next;
    bool first = a->before->kind == '(';
    if (!n) parse_error(p, a->before->after, "expected %s%s: %s", first ? "" : "',' and ", what, a->usage);
    if (!n || p->panic) return NULL;
    a->next = n->next;
    a->before = n->end - 1;
    return n;
}

const struct token *arguments_word(struct parser *p, struct arguments *a, const char *what) {
    struct pos pos = a->next ? a->next->first[-1].after : a->before->after;
    const struct tree *n = arguments_take(p, a, what);
    if (n && !tree_is_word(n)) parse_error(p, pos, "expected %s: %s", what, a->usage);
    return n && !p->panic ? n->first : NULL;
}

void arguments_end(struct parser *p, const struct arguments *a) {
    if (a->next) parse_error(p, a->before->after, "expected ')': %s", a->usage);
}
