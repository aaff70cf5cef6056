/* Statements as trees. */
#include <string.h>

#include "syntax/spaces.h"
#include "syntax/syntax.h"

static struct tree *read_statement(struct syntax *s);

/* ---- lists ---- */

/* A list that is being made. */
struct list {
    struct tree *first, **last;
};

static void add(struct list *l, struct tree *n) {
    *(l->first ? l->last : &l->first) = n;
    l->last = &n->next;
}

/* Behind a fault: what is behind the next ';', or before the next '}'. */
static void recover(struct syntax *s) {
    const struct fault *f = s->fault;
    s->fault = NULL;
    while (f && s->tok->kind != TOK_END && s->tok->kind != '}')
        if (s->tok++->kind == ';') break;
}

/* A statement of a list: what is wrong with it stays its own. */
static struct tree *read_listed(struct syntax *s) {
    struct tree *n = read_statement(s);
    n->fault = s->fault;
    recover(s);
    return n;
}

static struct tree *bad(struct syntax *s) {
    struct tree *n = syntax_make(s, TREE_BAD, s->tok, s->tok);
    n->fault = s->fault;
    return n;
}

/* ---- what is read word by word later ---- */

static bool is_one_of(const struct token *t, const char *const *list) {
    while (*list && !token_is_word(t, *list))
        list++;
    return *list;
}

/* A name for a type, a number or a namespace. */
static bool at_naming(const struct token *t) {
    static const char *const naming[] = {"using", "typedef", "enum", NULL};
    bool alias = token_is_word(t, "namespace") && t[1].kind == TOK_NAME && t[2].kind == '=';
    return alias || is_one_of(t, naming);
}

static bool at_words(const struct syntax *s) {
    static const char *const assembler[] = {"asm", "__asm__", "__asm", NULL};
    return at_naming(s->tok) || is_one_of(s->tok, assembler);
}

/* Of a statement that is words: up to the ';'. */
static struct tree *read_words(struct syntax *s) {
    struct tree *n = syntax_make(s, TREE_WORDS, s->tok, s->tok);
    for (int braces = 0; s->tok->kind != TOK_END; s->tok++) {
        if (braces == 0 && (s->tok->kind == ';' || s->tok->kind == '}')) break;
        braces += (s->tok->kind == '{') - (s->tok->kind == '}');
    }
    return syntax_end(s, n);
}

/* Keeps the name that `using T = int`, `typedef int T` or `enum T { ... }` gives to a type. */
static void keep_type(struct syntax *s, const struct tree *n) {
    const struct token *t = n->first;
    if (token_is_word(t, "typedef") && n->end[-1].kind == TOK_NAME)
        syntax_add_type(s, n->end[-1].text);
    else if (token_is_word(t, "enum") && t[1].kind == TOK_NAME)
        syntax_add_type(s, t[1].text);
    else if (token_is_word(t, "using") && t[1].kind == TOK_NAME && t[2].kind == '=')
        syntax_add_type(s, t[1].text);
}

/* Behind the brace that closes the one at t. */
static const struct token *skip_braces(const struct token *t) {
    int depth = 0;
    do {
        depth += (t->kind == '{') - (t->kind == '}');
        t++;
    } while (depth > 0 && t->kind != TOK_END);
    return t;
}

/* Behind what stands in the braces of a struct, up to the ';': it is refused. False: there are none. */
static bool skip_definition(struct syntax *s) {
    static const char *const defining[] = {"struct", "union", "class", "namespace", "template", NULL};
    const struct token *t = s->tok;
    if (!is_one_of(t, defining)) return false;
    if (t[1].kind == TOK_NAME) syntax_add_type(s, t[1].text);
    while (t->kind == TOK_NAME)
        t++;
    if (t->kind != '{') return false;
    for (t = skip_braces(t); t->kind != TOK_END && t->kind != ';' && t->kind != '}';)
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

/* A statement that fits into the head of a `for`. */
static struct tree *read_simple(struct syntax *s) {
    if (s->fault) return bad(s);
    if (at_words(s)) return read_words(s);
    if (syntax_at_declaration(s)) return syntax_declaration(s);
    struct tree *n = syntax_make(s, TREE_RUN, s->tok, s->tok);
    struct list l = {0};
    if (skip_definition(s)) return syntax_end(s, n);
    do
        add(&l, read_effect(s));
    while (syntax_accept(s, ','));
    n->a = l.first;
    return syntax_end(s, n);
}

/* ---- control flow ---- */

static struct tree *read_branch(struct syntax *s) {
    return s->fault ? bad(s) : read_statement(s);
}

/* int v = X, or int v = X; v > 1 */
static struct tree *read_declared(struct syntax *s) {
    struct tree *n = syntax_make(s, TREE_WITH, s->tok, s->tok);
    n->a = syntax_declaration(s);
    if (syntax_accept(s, ';')) n->b = syntax_value(s);
    return syntax_end(s, n);
}

/* (a) */
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

/* case 1: */
static struct tree *read_label(struct syntax *s) {
    struct tree *n = syntax_make(s, TREE_LABEL, s->tok, s->tok);
    bool valued = syntax_at(s, "case");
    s->tok++;
    if (valued) n->a = syntax_value(s);
    syntax_expect(s, ':', "':'");
    return syntax_end(s, n);
}

static struct tree *read_group(struct syntax *s) {
    struct tree *n = syntax_make(s, TREE_GROUP, s->tok, s->tok);
    struct list labels = {0}, statements = {0};
    while (at_label(s))
        add(&labels, read_label(s));
    while (syntax_peek(s) != '}' && s->tok->kind != TOK_END && !at_label(s) && !s->fault)
        add(&statements, read_listed(s));
    n->a = labels.first;
    n->b = statements.first;
    return syntax_end(s, n);
}

static void read_switch(struct syntax *s, struct tree *n) {
    struct list groups = {0};
    syntax_expect(s, '(', "'('");
    n->a = syntax_value(s);
    syntax_expect(s, ')', "')'");
    syntax_expect(s, '{', "'{'");
    if (syntax_peek(s) != '}' && !at_label(s)) syntax_fail(s, s->tok->pos, "expected 'case' or 'default'");
    while (at_label(s))
        add(&groups, read_group(s));
    n->b = groups.first;
    syntax_expect(s, '}', "'}'");
}

/* { list } */
static void read_sequence(struct syntax *s, struct tree *n) {
    struct list l = {0};
    while (syntax_peek(s) != '}' && s->tok->kind != TOK_END)
        add(&l, read_listed(s));
    n->a = l.first;
    syntax_expect(s, '}', "'}'");
}

static void read_jump(struct syntax *s, struct tree *n) {
    (void)n;
    syntax_expect(s, ';', "';'");
}

static void read_return(struct syntax *s, struct tree *n) {
    if (syntax_peek(s) != ';') n->a = syntax_assigned(s);
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
    void (*read)(struct syntax *s, struct tree *n); /* from behind the word on */
} words[] = {
    {"if", TREE_IF, read_if},
    {"while", TREE_WHILE, read_while},
    {"do", TREE_DO, read_do},
    {"for", TREE_FOR, read_for},
    {"switch", TREE_SWITCH, read_switch},
    {"break", TREE_BREAK, read_jump},
    {"continue", TREE_CONTINUE, read_jump},
    {"return", TREE_RETURN, read_return},
    {"static_assert", TREE_ASSERTION, read_assertion},
};

/* [[likely]] and its like say nothing to a test. */
static void skip_attributes(struct syntax *s) {
    while (syntax_peek(s) == '[' && s->tok[1].kind == '[') {
        while (syntax_peek(s) != ']' && s->tok->kind != TOK_END)
            s->tok++;
        syntax_expect(s, ']', "']'");
        syntax_expect(s, ']', "']'");
    }
}

static bool at_target(const struct token *t) {
    return t->kind == TOK_NAME && t[1].kind == ':' && t[2].kind != ':' && !token_is_word(t, "case") &&
           !token_is_word(t, "default");
}

/* `using namespace cuda`: the rest of the text is read as if its names had the namespace before them. */
static void open_space(struct syntax *s, const struct token *name, const struct token *semicolon) {
    const struct token *opened = spaces_open(s->arena, name, semicolon);
    if (!opened) return;
    s->first = opened;
    s->tok = opened + 1;
}

static struct tree *read_other(struct syntax *s) {
    const struct token *t = s->tok;
    struct tree *n;
    if (at_target(t)) {
        n = syntax_make(s, TREE_TARGET, t, t);
        s->tok += 2;
        return syntax_end(s, n);
    }
    n = read_simple(s);
    if (n->kind == TREE_WORDS) keep_type(s, n);
    const struct token *semicolon = s->tok;
    if (n->kind != TREE_WORDS)
        syntax_expect(s, ';', "';'");
    else
        syntax_accept(s, ';');
    if (token_is_word(t, "using") && semicolon->kind == ';') open_space(s, t + 1, semicolon);
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

/* ---- the whole ---- */

/* Behind "template <...>". */
static const struct token *skip_template(const struct token *t) {
    if (!token_is_word(t, "template")) return t;
    while (t->kind != '>' && t->kind != TOK_END)
        t++;
    return t->kind == '>' ? t + 1 : t;
}

/* Behind what stands before a function of the device, or a variable; NULL: neither is here. */
static const struct token *skip_device(const struct token *t) {
    static const char *const specifiers[] = {"static",          "extern",       "inline",     "constexpr",
                                             "const",           "__host__",     "__device__", "__inline__",
                                             "__forceinline__", "__noinline__", NULL};
    bool device = false;
    for (t = skip_template(t); is_one_of(t, specifiers); t++)
        device = device || token_is_word(t, "__device__");
    return device ? t : NULL;
}

static bool at_kernel(const struct token *t) {
    static const char *const specifiers[] = {"static", "extern", "inline", "__global__", NULL};
    bool global = false;
    for (t = skip_template(t); is_one_of(t, specifiers) || t->kind == TOK_TEXT; t++)
        global = global || token_is_word(t, "__global__");
    return global;
}

/* (int *p, int n), from the '(' on: a list of declarations of one name. */
static struct tree *read_parameters(struct syntax *s) {
    struct list l = {0};
    s->tok++;
    if (syntax_at(s, "void") && s->tok[1].kind == ')') s->tok++;
    while (!s->fault && s->tok->kind != ')') {
        struct tree *n = syntax_make(s, TREE_DECLARATION, s->tok, s->tok);
        n->a = syntax_type(s);
        bool typed = n->a->at->kind == TOK_NAME;
        if (!typed || n->a->a)
            syntax_fail(s, n->first->pos,
                        "not supported yet: a parameter that is no pointer, no reference and no number");
        n->b = syntax_declarator(s);
        if (!s->fault && s->tok->kind != ',' && s->tok->kind != ')')
            syntax_fail(s, s->tok->pos, "expected ',' or ')' behind a parameter");
        n->fault = s->fault;
        add(&l, n);
        syntax_accept(s, ',');
    }
    return l.first;
}

/* __device__ int f(int *p) { ... }: what stands before its name is of no account, but for its result. */
static struct tree *read_function(struct syntax *s) {
    struct tree *n = syntax_make(s, TREE_FUNCTION, s->tok, NULL);
    const struct token *result = skip_device(s->tok), *t = result;
    while (t->kind != '(' && t->kind != ';' && t->kind != '=' && t->kind != '{' && t->kind != TOK_END)
        t++;
    const struct token *parameters = t;
    while (t->kind != ';' && t->kind != '{' && t->kind != TOK_END)
        t++;
    bool defines = parameters->kind == '(' && t->kind == '{';
    if (parameters->kind == '(') n->at = parameters - 1;
    s->tok = result;
    n->a = syntax_type(s);
    s->tok = parameters;
    if (defines) n->c = read_parameters(s);
    s->fault = NULL;
    s->tok = t;
    if (defines) n->b = syntax_statement(s);
    s->tok = t->kind == '{' ? skip_braces(t) : t;
    syntax_accept(s, ';');
    return syntax_end(s, n);
}

/* Of a kernel, up to its '{'; the types that its template has. */
static struct tree *read_kernel(struct syntax *s) {
    struct tree *n = syntax_make(s, TREE_KERNEL, s->tok, s->tok);
    for (; s->tok->kind != '{' && s->tok->kind != ';' && s->tok->kind != TOK_END; s->tok++)
        if ((token_is_word(s->tok, "typename") || token_is_word(s->tok, "class")) &&
            s->tok[1].kind == TOK_NAME)
            syntax_add_type(s, s->tok[1].text);
    return syntax_end(s, n);
}

/* All statements up to the end of the text. */
static struct tree *read_rest(struct syntax *s) {
    struct list l = {0};
    while (s->tok->kind != TOK_END) {
        bool stray = s->tok->kind == '}';
        add(&l, stray ? syntax_make(s, TREE_STRAY, s->tok, s->tok) : read_listed(s));
        s->tok += stray;
    }
    return l.first;
}

struct tree *syntax_body(struct syntax *s) {
    struct tree *n = syntax_make(s, TREE_BODY, s->tok, s->tok);
    struct list before = {0};
    while (at_naming(s->tok) || skip_device(s->tok))
        add(&before, skip_device(s->tok) ? read_function(s) : read_listed(s));
    n->a = before.first;
    if (at_kernel(s->tok)) n->b = read_kernel(s);
    n->c = read_rest(s);
    return syntax_end(s, n);
}
