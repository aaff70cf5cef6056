#include "syntax/syntax.h"

#include <stdarg.h>
#include <string.h>

/* ---- tokens ---- */

int syntax_peek(const struct syntax *s) {
    return s->fault ? TOK_END : s->tok->kind;
}

bool syntax_at(const struct syntax *s, const char *word) {
    return !s->fault && token_is_word(s->tok, word);
}

const struct token *syntax_next(struct syntax *s) {
    return syntax_peek(s) == TOK_END ? s->tok : s->tok++;
}

bool syntax_accept(struct syntax *s, int kind) {
    if (syntax_peek(s) != kind) return false;
    syntax_next(s);
    return true;
}

bool syntax_expect(struct syntax *s, int kind, const char *what) {
    if (syntax_accept(s, kind)) return true;
    syntax_fail(s, s->tok == s->first ? s->tok->pos : s->tok[-1].after, "expected %s", what);
    return false;
}

void syntax_fail(struct syntax *s, struct pos pos, const char *fmt, ...) {
    struct fault *f = arena_alloc(s->arena, sizeof *f);
    bool reported = s->tok->kind == TOK_BAD || (s->tok != s->first && s->tok[-1].kind == TOK_BAD);
    if (s->fault) return;
    va_list ap;
    va_start(ap, fmt);
    *f = (struct fault){.pos = pos, .text = reported ? NULL : arena_vprintf(s->arena, fmt, ap)};
    va_end(ap);
    s->fault = f;
}

bool syntax_enter(struct syntax *s) {
    if (s->nesting == SYNTAX_MAX_NESTING)
        syntax_fail(s, s->tok->pos, "nested too deeply: more than %d levels", SYNTAX_MAX_NESTING);
    s->nesting += !s->fault;
    return !s->fault;
}

void syntax_leave(struct syntax *s) {
    s->nesting--;
}

struct tree *syntax_items(struct syntax *s, struct tree *(*read)(struct syntax *s), int close) {
    struct tree_list l = {0};
    while (!s->fault && s->tok->kind != close) {
        syntax_add(&l, read(s));
        if (!syntax_accept(s, ',')) break;
    }
    return l.first;
}

struct tree *syntax_joined(struct syntax *s, struct tree *(*read)(struct syntax *s)) {
    struct tree_list l = {0};
    do
        syntax_add(&l, read(s));
    while (syntax_accept(s, ','));
    return l.first;
}

struct tree *syntax_begin(struct syntax *s, enum tree_kind kind) {
    return syntax_make(s, kind, s->tok, s->tok);
}

struct tree *syntax_make(struct syntax *s, enum tree_kind kind, const struct token *first,
                         const struct token *at) {
    struct tree *n = arena_alloc(s->arena, sizeof *n);
    *n = (struct tree){.kind = kind, .first = first, .end = first, .at = at};
    return n;
}

struct tree *syntax_end(const struct syntax *s, struct tree *n) {
    n->end = s->tok;
    return n;
}

void syntax_add(struct tree_list *l, struct tree *n) {
    *(l->first ? l->last : &l->first) = n;
    l->last = &n->next;
}

const struct token *syntax_skip_pair(const struct token *t, int open, int close) {
    int depth = 0;
    for (; t->kind != TOK_END && t->kind != ';'; t++) {
        depth += (t->kind == open) - (t->kind == close);
        if (depth == 0) return t + 1;
    }
    return NULL;
}

const char *syntax_hint(const struct token *t) {
    return t->kind == '&'        ? "; a pointer has no value in a test"
           : t->kind == TOK_TEXT ? ": text in quotes has no meaning here"
                                 : "";
}

/* ---- types ---- */

bool syntax_is_restrict(const struct token *t) {
    return token_is_word(t, "__restrict__") || token_is_word(t, "__restrict") || token_is_word(t, "restrict");
}

bool syntax_is_qualifier(const struct token *t) {
    return token_is_word(t, "const") || token_is_word(t, "volatile") || syntax_is_restrict(t);
}

void syntax_add_type(struct syntax *s, const char *name) {
    if (s->ntypes < SYNTAX_MAX_TYPES) s->types[s->ntypes++] = name;
}

/* void *p */
static bool at_void(const struct token *t) {
    if (!token_is_word(t, "void")) return false;
    for (t++; syntax_is_qualifier(t); t++)
        continue;
    return t->kind == '*';
}

/* Whether `half` begins a type here: half x, half *p, (half)x, static_cast<half>(x). A text may also use the
 * name for something else. */
static bool at_half(const struct token *t) {
    int next = t[1].kind, behind = next == ')' ? t[2].kind : TOK_END;
    bool casts = behind == TOK_NAME || behind == TOK_INT || behind == '(';
    return casts || next == TOK_NAME || next == '*' || next == '&' || next == '>' || next == '{';
}

bool syntax_type_begins(const struct syntax *s, const struct token *t) {
    struct type type;
    if (t->kind != TOK_NAME || s->fault) return false;
    if (at_void(t)) return true;
    for (int k = 0; k < s->ntypes; k++)
        if (strcmp(s->types[k], t->text) == 0) return true;
    if (token_is_word(t, "const") || type_is_word(t->text)) return true;
    return type_find(t->text, &type) && (*t->text != 'h' || at_half(t));
}

static struct tree *read_assigned(struct syntax *s);

/* Makes a node that begins with another one and goes on to a sign, which is taken. */
static struct tree *begin_with(struct syntax *s, enum tree_kind kind, struct tree *a) {
    struct tree *n = syntax_make(s, kind, a->first, syntax_next(s));
    n->a = a;
    return n;
}

/* ---- names ---- */

bool syntax_has_part(const struct token *t) {
    return t->kind == ':' && t[1].kind == ':' && t[2].kind == TOK_NAME;
}

static struct tree *read_template_argument(struct syntax *s) {
    return syntax_type_begins(s, s->tok) ? syntax_type(s) : syntax_unary(s);
}

/* Reads <int, cuda::thread_scope_device> behind a name with a namespace, where '<' cannot be less-than. */
static struct tree *read_template(struct syntax *s) {
    s->tok++;
    struct tree *list = syntax_items(s, read_template_argument, '>');
    syntax_expect(s, '>', "'>'");
    return list;
}

struct tree *syntax_name(struct syntax *s) {
    struct tree *n = syntax_begin(s, TREE_NAME);
    syntax_next(s);
    while (!s->fault && syntax_has_part(s->tok)) {
        n->at = s->tok + 2;
        s->tok += 3;
        if (s->tok->kind == '<' && syntax_skip_pair(s->tok, '<', '>')) n->b = read_template(s);
    }
    return syntax_end(s, n);
}

/* The same; with {X} behind it, it is a call. */
static struct tree *read_name(struct syntax *s) {
    struct tree *n = syntax_name(s);
    if (n->at == n->first || syntax_peek(s) != '{' || !syntax_skip_pair(s->tok, '{', '}')) return n;
    struct tree *made = syntax_make(s, TREE_CALL, n->first, s->tok);
    made->a = n;
    made->b = syntax_list(s, '}')->b;
    return syntax_end(s, made);
}

/* ---- operands ---- */

/* A number or a text. */
static struct tree *read_literal(struct syntax *s, enum tree_kind kind) {
    struct tree *n = syntax_begin(s, kind);
    syntax_next(s);
    return syntax_end(s, n);
}

/* Reads (a), in which a register may be assigned. */
static struct tree *read_grouped(struct syntax *s) {
    struct tree *n = syntax_begin(s, TREE_GROUPED);
    syntax_next(s);
    n->a = read_assigned(s);
    syntax_expect(s, ')', "')'");
    return syntax_end(s, n);
}

/* Reads sizeof(type) or sizeof(X). */
static struct tree *read_size(struct syntax *s) {
    struct tree *n = syntax_begin(s, TREE_SIZE);
    s->tok++;
    syntax_expect(s, '(', "'('");
    n->a = syntax_type_begins(s, s->tok) ? syntax_type(s) : syntax_operator(s);
    if (syntax_peek(s) == '*') syntax_fail(s, s->tok->pos, "the size of a pointer is not supported yet");
    syntax_expect(s, ')', "')'");
    return syntax_end(s, n);
}

static struct tree *read_word(struct syntax *s) {
    const struct token *t = s->tok;
    if (s->condition) return read_literal(s, TREE_NAME);
    struct tree *cast = syntax_named_cast(s);
    if (cast) return cast;
    if (token_is_word(t, "sizeof")) return read_size(s);
    if (t[1].kind == '{' && syntax_type_begins(s, t)) return syntax_braces(s, syntax_type(s));
    return read_name(s);
}

/* Reads ::atomicAdd(&X, 1). */
static bool at_global(const struct syntax *s) {
    const struct token *t = s->tok;
    if (s->fault || s->condition || t->kind != ':' || t[1].kind != ':') return false;
    return t[2].kind == TOK_NAME && t[3].kind == '(';
}

/* Reports two tokens that are right one by one and wrong together. */
static bool report_pair(struct syntax *s, const struct token *t) {
    const int before = t == s->first ? 0 : t[-1].kind;
    if (!s->condition && before == TOK_SHL && t->kind == '<')
        syntax_fail(
            s, t[-1].pos,
            "a launch is the host's: the blocks and threads of a kernel are those of its thread, as in "
            "{grid: 2, block: 32, body: ...}");
    else if (before == TOK_EQ && t->kind == '=')
        syntax_fail(s, t[-1].pos, "'===' is no operator: a comparison is '=='");
    else if ((before == TOK_LAND || before == TOK_LOR) && t->kind == '=')
        syntax_fail(s, t[-1].pos, "'%s=' is no operator: write it as in r = r %s s", t[-1].text, t[-1].text);
    else if (before == '<' && t->kind == '>')
        syntax_fail(s, t[-1].pos, "'<>' is no operator: a comparison is '!='");
    else if (!s->condition && before == ',' && (t->kind == ';' || t->kind == TOK_END))
        syntax_fail(s, t[-1].pos, "a value must follow ','; a statement ends with ';' alone");
    else
        return false;
    return true;
}

/* Reports that a value is missing here. */
static void report_no_value(struct syntax *s, const struct token *t) {
    if (report_pair(s, t)) return;
    if (t->kind == TOK_END)
        syntax_expect(s, TOK_NAME, "a value");
    else if (!s->condition && t->kind == '[')
        syntax_fail(s, t->pos,
                    "a lambda is not supported: its lines stand where it is called; a kernel of `source:` "
                    "may have any");
    else
        syntax_fail(s, t->pos, "expected a value, not '%s'%s", t->text, syntax_hint(t));
}

static struct tree *read_primary(struct syntax *s) {
    const struct token *t = s->tok;
    struct tree *n;
    if (++s->terms > SYNTAX_MAX_TERMS)
        syntax_fail(s, t->pos, "an expression has at most %d terms", SYNTAX_MAX_TERMS);
    if (at_global(s)) t = s->tok += 2;
    switch (syntax_peek(s)) {
    case TOK_INT: return read_literal(s, TREE_NUMBER);
    case TOK_TEXT:
        if (s->condition) break;
        return read_literal(s, TREE_TEXT);
    case TOK_NAME: return read_word(s);
    case '(': n = syntax_compound(s); return n ? n : read_grouped(s);
    }
    report_no_value(s, t);
    return syntax_make(s, TREE_BAD, t, t);
}

/* Reads an argument, or what is assigned: a value, or {1}. */
static struct tree *read_argument(struct syntax *s) {
    return syntax_peek(s) != '{' || s->condition ? read_assigned(s) : syntax_braces(s, NULL);
}

/* Reads the arguments (a, b) of a call. */
static struct tree *read_call(struct syntax *s, struct tree *callee) {
    struct tree *n = begin_with(s, TREE_CALL, callee);
    n->b = syntax_items(s, read_argument, ')');
    bool whole = !s->fault;
    if (syntax_expect(s, ')', "')'") || !whole) return syntax_end(s, n);
    struct fault *f = arena_alloc(s->arena, sizeof *f);
    *f = *s->fault;
    f->call = n;
    s->fault = f;
    return n;
}

static struct tree *read_index(struct syntax *s, struct tree *array) {
    struct tree *n = begin_with(s, TREE_INDEX, array);
    n->b = syntax_operator(s);
    syntax_expect(s, ']', "']'");
    return syntax_end(s, n);
}

/* Reads .name or ->name; the arrow is two tokens. */
static struct tree *read_member(struct syntax *s, struct tree *whole, enum tree_kind kind) {
    struct tree *n = syntax_make(s, kind, whole->first, s->tok);
    n->a = whole;
    s->tok += kind == TREE_ARROW ? 2 : 1;
    n->at = s->tok;
    if (s->tok->kind == '.' && s->tok[1].kind == '.')
        syntax_fail(s, s->tok[-1].pos,
                    "'...' is not supported: each value stands by itself, as in case 1: case 2:");
    syntax_expect(s, TOK_NAME, !s->condition ? "a member" : "x, y, z or w");
    return syntax_end(s, n);
}

/* Reads s@1. */
static struct tree *read_block(struct syntax *s, struct tree *name) {
    struct tree *n = begin_with(s, TREE_BLOCK_OF, name);
    n->b = syntax_peek(s) == TOK_INT ? read_primary(s) : syntax_unary(s);
    return syntax_end(s, n);
}

static bool at_arrow(const struct token *t) {
    return t->kind == '-' && t[1].kind == '>' && t[1].at == t->at + 1;
}

static struct tree *read_postfix(struct syntax *s) {
    struct tree *n = read_primary(s);
    for (;;) {
        bool called = n->kind == TREE_NAME || n->kind == TREE_MEMBER || n->kind == TREE_ARROW;
        switch (syntax_peek(s)) {
        case '(':
            if (!called) return n;
            if (s->condition)
                syntax_fail(s, n->first->pos,
                            "a condition is over registers and final memory: it calls nothing");
            n = read_call(s, n);
            continue;
        case '[':
            if (s->condition && !tree_is_place(n)) return n;
            n = read_index(s, n);
            continue;
        case '@':
            if (!s->condition || n->kind != TREE_NAME) return n;
            n = read_block(s, n);
            continue;
        case '.': n = read_member(s, n, TREE_MEMBER); continue;
        case '-':
            if (s->condition || !at_arrow(s->tok)) return n;
            n = read_member(s, n, TREE_ARROW);
            continue;
        case TOK_INC:
        case TOK_DEC: n = syntax_end(s, begin_with(s, TREE_BEHIND, n)); continue;
        default: return n;
        }
    }
}

/* ---- operators ---- */

static struct tree *read_binary(struct syntax *s, int level);

/* In herd's syntax ! is of a whole comparison. */
static struct tree *read_operator(struct syntax *s, enum tree_kind kind) {
    struct tree *n = syntax_make(s, kind, s->tok, s->tok);
    syntax_next(s);
    bool whole = s->herd && n->at->kind == '!' && syntax_peek(s) != '(';
    n->a = whole ? read_binary(s, tree_level(TOK_LAND) + 1) : syntax_unary(s);
    return syntax_end(s, n);
}

static struct tree *read_prefixed(struct syntax *s) {
    struct tree *n;
    switch (syntax_peek(s)) {
    case '+':
    case '-':
    case '!':
    case '~': return read_operator(s, TREE_UNARY);
    case TOK_INC:
    case TOK_DEC: return read_operator(s, TREE_STEP);
    case '*': return !s->condition ? read_operator(s, TREE_DEREF) : read_postfix(s);
    case '&': return !s->condition ? read_operator(s, TREE_ADDRESS) : read_postfix(s);
    case '(': n = syntax_cast(s); return n ? n : read_postfix(s);
    default: return read_postfix(s);
    }
}

struct tree *syntax_unary(struct syntax *s) {
    const struct token *t = s->tok;
    if (!syntax_enter(s)) return syntax_make(s, TREE_BAD, t, t);
    struct tree *n = read_prefixed(s);
    syntax_leave(s);
    return n;
}

static struct tree *read_binary(struct syntax *s, int level) {
    struct tree *n = syntax_unary(s);
    for (;;) {
        int found = tree_level(syntax_peek(s));
        if (found < level) return n;
        n = begin_with(s, TREE_BINARY, n);
        n->b = read_binary(s, found + 1);
        syntax_end(s, n);
    }
}

/* a => b of herd, which is !a || b */
static struct tree *read_implication(struct syntax *s, struct tree *a) {
    struct token *signs = arena_array(s->arena, 2, sizeof *signs);
    signs[0] = *a->first;
    signs[1] = *s->tok;
    signs[0].kind = '!';
    signs[1].kind = TOK_LOR;
    struct tree *no = syntax_make(s, TREE_UNARY, a->first, &signs[0]);
    no->a = a;
    struct tree *n = begin_with(s, TREE_BINARY, no);
    n->at = &signs[1];
    n->b = syntax_operator(s);
    return syntax_end(s, n);
}

struct tree *syntax_operator(struct syntax *s) {
    const struct token *t = s->tok;
    if (!syntax_enter(s)) return syntax_make(s, TREE_BAD, t, t);
    struct tree *n = read_binary(s, 1);
    if (syntax_peek(s) == TOK_IMPLIES) n = read_implication(s, n);
    if (syntax_peek(s) == '?') {
        n = begin_with(s, TREE_CHOICE, n);
        n->b = syntax_operator(s);
        syntax_expect(s, ':', "':'");
        n->c = syntax_operator(s);
        syntax_end(s, n);
    }
    syntax_leave(s);
    return n;
}

static struct tree *read_assigned(struct syntax *s) {
    struct tree *n = syntax_operator(s);
    if (s->condition || !tree_assigns(syntax_peek(s)) || !syntax_enter(s)) return n;
    n = begin_with(s, TREE_ASSIGN, n);
    n->b = n->at->kind == '=' ? read_argument(s) : read_assigned(s);
    syntax_leave(s);
    return syntax_end(s, n);
}

/* ---- whole values ---- */

/* Reads a value. TREE_BAD if something is wrong with it. */
static struct tree *read_whole(struct syntax *s, struct tree *(*read)(struct syntax *s)) {
    const struct token *t = s->tok;
    s->terms = 0;
    struct tree *n = s->fault ? NULL : read(s);
    if (!s->fault) return n;
    n = syntax_make(s, TREE_BAD, t, t);
    n->fault = s->fault;
    return n;
}

struct tree *syntax_value(struct syntax *s) {
    return read_whole(s, syntax_operator);
}

struct tree *syntax_assigned(struct syntax *s) {
    return read_whole(s, read_assigned);
}

struct tree *syntax_operand(struct syntax *s) {
    return read_whole(s, syntax_unary);
}
