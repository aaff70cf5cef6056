/* Statements as trees. */
#include <string.h>

#include "syntax/syntax.h"

static struct tree *read_statement(struct syntax *s);

/* ---- lists ---- */

/* Behind the brace that closes the one at t. */
const struct token *syntax_skip_braces(const struct token *t) {
    int depth = 0;
    do {
        depth += (t->kind == '{') - (t->kind == '}');
        t++;
    } while (depth > 0 && t->kind != TOK_END);
    return t;
}

/* Skips an error: moves behind the next ';' or the next braces, or before the next '}'. */
static void recover(struct syntax *s) {
    const struct fault *f = s->fault;
    int kind = 0;
    s->fault = NULL;
    while (f && kind != ';' && (kind != '{' || s->tok->kind == '(') && s->tok->kind != TOK_END &&
           s->tok->kind != '}') {
        kind = s->tok->kind;
        s->tok = kind == '{' ? syntax_skip_braces(s->tok) : s->tok + 1;
    }
}

/* Reads a statement of a list. An error in it does not affect the others. */
static struct tree *read_listed(struct syntax *s) {
    struct tree *n = read_statement(s);
    n->fault = s->fault;
    recover(s);
    return n;
}

static struct tree *bad(struct syntax *s) {
    struct tree *n = syntax_begin(s, TREE_BAD);
    n->fault = s->fault;
    return n;
}

bool syntax_is_one_of(const struct token *t, const char *const *list) {
    while (*list && !token_is_word(t, *list))
        list++;
    return *list;
}

/* ---- asm ---- */

static bool at_asm(const struct syntax *s) {
    static const char *const words[] = {"asm", "__asm__", "__asm", NULL};
    return syntax_is_one_of(s->tok, words);
}

/* Reads one of the texts of a list. */
static struct tree *read_text(struct syntax *s) {
    struct tree *n = syntax_begin(s, TREE_TEXT);
    syntax_expect(s, TOK_TEXT, "a text in quotes");
    return syntax_end(s, n);
}

/* Reads an operand such as "=r"(a). */
static struct tree *read_operand(struct syntax *s) {
    struct tree *n = syntax_begin(s, TREE_OPERAND);
    syntax_expect(s, TOK_TEXT, "a constraint, as in \"r\"(v)");
    syntax_expect(s, '(', "'(' and an operand");
    n->a = syntax_value(s);
    syntax_expect(s, ')', "')'");
    return syntax_end(s, n);
}

/* Reads ": list", which may be missing or empty. */
static struct tree *read_part(struct syntax *s, struct tree *(*read)(struct syntax *s)) {
    return syntax_accept(s, ':') && syntax_peek(s) == TOK_TEXT ? syntax_joined(s, read) : NULL;
}

/* Reads asm volatile("text" "text" : "=r"(a) : "r"(b) : "memory"). */
static struct tree *read_asm(struct syntax *s) {
    static const char *const qualifiers[] = {"volatile", "__volatile__", "inline", NULL};
    struct tree *n = syntax_begin(s, TREE_ASM);
    struct tree_list texts = {0};
    do
        s->tok++;
    while (syntax_is_one_of(s->tok, qualifiers));
    syntax_expect(s, '(', "'(' and the text of the asm");
    if (syntax_peek(s) != TOK_TEXT) syntax_fail(s, s->tok->pos, "expected the text of the asm");
    while (syntax_peek(s) == TOK_TEXT)
        syntax_add(&texts, read_text(s));
    n->a = texts.first;
    n->b = read_part(s, read_operand);
    n->c = read_part(s, read_operand);
    n->d = read_part(s, read_text);
    syntax_expect(s, ')', "')' at the end of the asm");
    if (s->fault && !n->a) return bad(s);
    if (s->fault) n->b = bad(s);
    return syntax_end(s, n);
}

/* ---- what is refused ---- */

/* Skips what stands in the braces of a struct that is refused, up to the ';'. False: there are no braces. */
static bool skip_definition(struct syntax *s) {
    static const char *const defining[] = {"struct", "union", "class", "namespace", "template", NULL};
    const struct token *t = s->tok;
    if (!syntax_is_one_of(t, defining)) return false;
    const struct token *list = token_is_word(t, "template") ? syntax_skip_pair(t + 1, '<', '>') : NULL;
    if (list) t = list;
    if (t[1].kind == TOK_NAME) syntax_add_type(s, t[1].text);
    while (t->kind == TOK_NAME)
        t++;
    if (t->kind != '{') return false;
    for (t = syntax_skip_braces(t); t->kind != TOK_END && t->kind != ';' && t->kind != '}';)
        t++;
    s->tok = t;
    return true;
}

/* ---- simple statements ---- */

static struct tree *read_effect(struct syntax *s) {
    const struct token *t = s->tok;
    bool drops = syntax_peek(s) == '(' && token_is_word(t + 1, "void") && t[2].kind == ')';
    if (!drops) return syntax_assigned(s);
    struct tree *n = syntax_make(s, TREE_DROP, t, t);
    s->tok += 3;
    n->a = syntax_value(s);
    return syntax_end(s, n);
}

/* Reads a statement that may stand in the head of a `for`. */
static struct tree *read_simple(struct syntax *s) {
    if (s->fault) return bad(s);
    if (at_asm(s)) return read_asm(s);
    if (syntax_at_record(s->tok)) return syntax_record(s);
    if (syntax_at_declaration(s)) return syntax_declaration(s);
    struct tree *n = syntax_begin(s, TREE_RUN);
    if (!skip_definition(s)) n->a = syntax_joined(s, read_effect);
    return syntax_end(s, n);
}

/* ---- control flow ---- */

static struct tree *read_branch(struct syntax *s) {
    return s->fault ? bad(s) : read_statement(s);
}

/* Reads int v = X, or int v = X; v > 1, as a condition. */
static struct tree *read_declared(struct syntax *s) {
    struct tree *n = syntax_begin(s, TREE_WITH);
    n->a = syntax_declaration(s);
    if (syntax_accept(s, ';')) n->b = syntax_value(s);
    return syntax_end(s, n);
}

/* Reads (a). */
static struct tree *read_condition(struct syntax *s) {
    syntax_expect(s, '(', "'('");
    const struct token *t = s->tok;
    bool declares = syntax_at(s, "auto") || (syntax_type_begins(s, t) && t[1].kind == TOK_NAME);
    struct tree *n = declares ? read_declared(s) : syntax_value(s);
    if (syntax_peek(s) == '=') syntax_fail(s, s->tok->pos, "'=' is an assignment; a comparison is '=='");
    syntax_expect(s, ')', "')'");
    return s->fault && n->kind != TREE_WITH ? bad(s) : n;
}

static void read_if(struct syntax *s, struct tree *n) {
    if (syntax_at(s, "constexpr")) s->tok++;
    n->a = read_condition(s);
    n->b = read_branch(s);
    if (!syntax_at(s, "else")) return;
    s->tok++;
    n->c = read_branch(s);
}

static void read_while(struct syntax *s, struct tree *n) {
    n->a = read_condition(s);
    n->b = read_branch(s);
}

static void read_do(struct syntax *s, struct tree *n) {
    n->b = read_branch(s);
    if (!syntax_at(s, "while")) syntax_fail(s, s->tok[-1].after, "expected 'while'");
    if (!s->fault) s->tok++;
    n->a = read_condition(s);
    syntax_expect(s, ';', "';'");
}

static void read_for(struct syntax *s, struct tree *n) {
    syntax_expect(s, '(', "'('");
    if (syntax_peek(s) != ';') n->c = read_simple(s);
    if (syntax_peek(s) == ':')
        syntax_fail(s, s->tok->pos, "a 'for' over a range is not supported: for (int i = 0; i < 4; i++)");
    syntax_expect(s, ';', "';'");
    if (syntax_peek(s) != ';') n->a = syntax_value(s);
    syntax_expect(s, ';', "';'");
    if (syntax_peek(s) != ')') n->d = read_simple(s);
    syntax_expect(s, ')', "')'");
    n->b = read_branch(s);
}

static bool at_label(const struct syntax *s) {
    return syntax_at(s, "case") || syntax_at(s, "default");
}

/* Reads case 1: and the like. */
static struct tree *read_label(struct syntax *s) {
    struct tree *n = syntax_begin(s, TREE_LABEL);
    bool valued = syntax_at(s, "case");
    s->tok++;
    if (valued) n->a = syntax_value(s);
    syntax_expect(s, ':', "':'");
    return syntax_end(s, n);
}

static struct tree *read_group(struct syntax *s) {
    struct tree *n = syntax_begin(s, TREE_GROUP);
    struct tree_list labels = {0}, statements = {0};
    while (at_label(s))
        syntax_add(&labels, read_label(s));
    while (syntax_peek(s) != '}' && s->tok->kind != TOK_END && !at_label(s) && !s->fault)
        syntax_add(&statements, read_listed(s));
    n->a = labels.first;
    n->b = statements.first;
    return syntax_end(s, n);
}

static void read_switch(struct syntax *s, struct tree *n) {
    struct tree_list groups = {0};
    syntax_expect(s, '(', "'('");
    n->a = syntax_value(s);
    syntax_expect(s, ')', "')'");
    const struct token *open = s->tok;
    syntax_expect(s, '{', "'{'");
    if (syntax_peek(s) != '}' && !at_label(s)) syntax_fail(s, s->tok->pos, "expected 'case' or 'default'");
    while (at_label(s) && !s->fault)
        syntax_add(&groups, read_group(s));
    n->b = groups.first;
    syntax_expect(s, '}', "'}'");
    if (s->fault && open->kind == '{') s->tok = open; /* errors in its braces are not reported as well */
}

/* Reads { list }. */
static void read_sequence(struct syntax *s, struct tree *n) {
    struct tree_list l = {0};
    while (syntax_peek(s) != '}' && s->tok->kind != TOK_END)
        syntax_add(&l, read_listed(s));
    n->a = l.first;
    syntax_expect(s, '}', "'}'");
}

static void read_jump(struct syntax *s, struct tree *n) {
    (void)n;
    syntax_expect(s, ';', "';'");
}

static void read_goto(struct syntax *s, struct tree *n) {
    n->at = s->tok;
    s->jumps = true;
    if (syntax_expect(s, TOK_NAME, "the name of a label")) syntax_expect(s, ';', "';'");
}

static void read_return(struct syntax *s, struct tree *n) {
    bool braces = syntax_peek(s) == '{' && s->nrecords > 0;
    if (syntax_peek(s) != ';') n->a = braces ? syntax_list(s, '}') : syntax_assigned(s);
    syntax_expect(s, ';', "';'");
}

static void read_assertion(struct syntax *s, struct tree *n) {
    syntax_expect(s, '(', "'('");
    n->a = syntax_value(s);
    if (syntax_accept(s, ',')) syntax_expect(s, TOK_TEXT, "a text in quotes");
    syntax_expect(s, ')', "')'");
    syntax_expect(s, ';', "';'");
}

/* ---- statements ---- */

static const struct {
    const char *word;
    enum tree_kind kind;
    void (*read)(struct syntax *s, struct tree *n); /* reads from behind the word on */
} words[] = {
    {"if", TREE_IF, read_if},
    {"while", TREE_WHILE, read_while},
    {"do", TREE_DO, read_do},
    {"for", TREE_FOR, read_for},
    {"switch", TREE_SWITCH, read_switch},
    {"break", TREE_BREAK, read_jump},
    {"continue", TREE_CONTINUE, read_jump},
    {"return", TREE_RETURN, read_return},
    {"goto", TREE_GOTO, read_goto},
    {"static_assert", TREE_ASSERTION, read_assertion},
};

/* Skips [[likely]] and the like, which mean nothing to a test. */
static void skip_attributes(struct syntax *s) {
    while (syntax_peek(s) == '[' && s->tok[1].kind == '[') {
        while (syntax_peek(s) != ']' && s->tok->kind != TOK_END)
            s->tok++;
        syntax_expect(s, ']', "']'");
        syntax_expect(s, ']', "']'");
    }
}

static bool at_target(const struct token *t) {
    return t->kind == TOK_NAME && t[1].kind == ':' && t[2].kind != ':' && t[2].kind != '=' &&
           !token_is_word(t, "case") && !token_is_word(t, "default");
}

static struct tree *read_other(struct syntax *s) {
    const struct token *t = s->tok;
    struct tree *n = syntax_naming(s);
    if (n) return n;
    if (at_target(t)) {
        n = syntax_make(s, TREE_TARGET, t, t);
        s->jumps = true;
        s->tok += 2;
        return syntax_end(s, n);
    }
    n = read_simple(s);
    if (syntax_peek(s) == ':' && s->tok[1].kind == '=')
        syntax_fail(s, s->tok->pos, "':=' is no operator: an assignment is '='");
    else if (n->kind == TREE_DECLARATION && syntax_peek(s) == '{' && s->tok[-1].kind == ')')
        syntax_fail(s, t->pos, "a function begins with __device__, and stands before the statements");
    syntax_expect(s, ';', "';'");
    return n;
}

static struct tree *read_any(struct syntax *s) {
    const struct token *t = s->tok;
    size_t k = 0, count = sizeof words / sizeof *words;
    while (k < count && !token_is_word(t, words[k].word))
        k++;
    bool empty = t->kind == ';';
    if (k == count && !empty && t->kind != '{') return read_other(s);
    struct tree *n = syntax_make(s, k < count ? words[k].kind : TREE_SEQUENCE, t, t);
    s->tok++;
    if (!empty) (k < count ? words[k].read : read_sequence)(s, n);
    return syntax_end(s, n);
}

static struct tree *read_statement(struct syntax *s) {
    if (!syntax_enter(s)) return bad(s);
    skip_attributes(s);
    struct tree *n = s->fault ? bad(s) : read_any(s);
    syntax_leave(s);
    return n;
}

struct tree *syntax_statement(struct syntax *s) {
    return read_listed(s);
}
