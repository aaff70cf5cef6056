/* What stands outside of statements: names of types, numbers and namespaces; functions; the head of a
 * kernel. */
#include "syntax/spaces.h"
#include "syntax/syntax.h"

/* ---- names ---- */

/* Reads T = type, or a type with its new name. */
static void read_alias_type(struct syntax *s, struct tree *n) {
    if (!s->fault && !syntax_type_begins(s, s->tok) && !syntax_has_part(s->tok + 1))
        syntax_fail(s, s->tok->pos, "expected the type of a register");
    n->kind = TREE_ALIAS;
    n->a = syntax_type(s);
}

/* Handles `using namespace cuda` and `namespace ptx = cuda::ptx`: the rest of the text is read as if its
 * names had the namespace before them. */
static void open_space(struct syntax *s, const struct tree *n) {
    const struct token *semicolon = s->tok - 1, *opened = NULL;
    if (n->kind == TREE_USING && !s->fault) opened = spaces_open(s->arena, n->first + 1, semicolon);
    if (n->kind == TREE_SPACE && !s->fault) opened = spaces_rename(s->arena, n->at, n->a->first, semicolon);
    if (!opened) return;
    s->first = opened;
    s->tok = opened + 1;
}

/* Reads using namespace cuda; using cuda::atomic_ref; using std::uint32_t, a type that has the same name
 * without std::. */
static void read_opened(struct syntax *s, struct tree *n) {
    struct type type;
    if (!s->fault && s->tok->kind == TOK_NAME) n->a = syntax_name(s);
    if (!n->a) syntax_expect(s, TOK_NAME, n->flags ? "a namespace" : "a name, or 'namespace'");
    bool bare = n->a && n->a->at == n->a->first && !n->flags;
    if (bare && (syntax_peek(s) != ';' || !type_find(n->a->at->text, &type)))
        syntax_expect(s, '=', "'=' and a type");
}

static void read_using(struct syntax *s, struct tree *n) {
    n->kind = TREE_USING;
    n->flags = syntax_at(s, "namespace");
    s->tok += n->flags;
    n->at = s->tok;
    if (n->flags || s->tok->kind != TOK_NAME || s->tok[1].kind != '=') {
        read_opened(s, n);
        return;
    }
    s->tok += 2;
    if (spaces_names_type(s->tok)) {
        n->kind = TREE_SPACE;
        n->a = syntax_name(s);
        return;
    }
    read_alias_type(s, n);
    syntax_add_type(s, n->at->text);
}

static void read_typedef(struct syntax *s, struct tree *n) {
    read_alias_type(s, n);
    n->at = s->tok;
    if (syntax_expect(s, TOK_NAME, "a name")) syntax_add_type(s, n->at->text);
}

/* Reads EMPTY, or FULL = 5. */
static struct tree *read_constant(struct syntax *s) {
    struct tree *n = syntax_begin(s, TREE_DECLARATOR);
    if (syntax_expect(s, TOK_NAME, "the name of a number") && syntax_accept(s, '=')) n->b = syntax_value(s);
    n->fault = s->fault;
    return syntax_end(s, n);
}

/* Reads enum State : unsigned { ... } or enum class State { ... }. */
static void read_enum(struct syntax *s, struct tree *n) {
    n->kind = TREE_ENUM;
    n->flags = syntax_at(s, "class") || syntax_at(s, "struct");
    s->tok += n->flags;
    if (n->flags && s->tok->kind != TOK_NAME)
        syntax_fail(s, s->tok->pos, "expected the name of the enum class");
    n->at = s->tok;
    if (syntax_accept(s, TOK_NAME)) syntax_add_type(s, n->at->text);
    if (syntax_accept(s, ':')) {
        if (!syntax_type_begins(s, s->tok)) syntax_fail(s, s->tok->pos, "expected the type of a register");
        n->a = syntax_type(s);
    }
    syntax_expect(s, '{', "'{' and names of numbers");
    n->b = syntax_items(s, read_constant, '}');
    syntax_expect(s, '}', "'}'");
}

/* Reads namespace cg = cooperative_groups. */
static void read_space(struct syntax *s, struct tree *n) {
    n->kind = TREE_SPACE;
    n->at = s->tok;
    s->tok += 2;
    if (s->tok->kind == TOK_NAME) n->a = syntax_name(s);
    if (!n->a) syntax_expect(s, TOK_NAME, "a namespace");
}

bool syntax_at_naming(const struct token *t) {
    static const char *const words[] = {"using", "typedef", "enum", NULL};
    bool space = token_is_word(t, "namespace") && t[1].kind == TOK_NAME && t[2].kind == '=';
    return space || (syntax_is_one_of(t, words) && !syntax_at_record(t));
}

struct tree *syntax_naming(struct syntax *s) {
    const struct token *t = s->tok;
    struct tree *n = syntax_make(s, TREE_USING, t, t);
    if (!syntax_at_naming(t)) return NULL;
    s->tok++;
    (token_is_word(t, "using")     ? read_using
     : token_is_word(t, "typedef") ? read_typedef
     : token_is_word(t, "enum")    ? read_enum
                                   : read_space)(s, n);
    syntax_expect(s, ';', "';'");
    open_space(s, n);
    return syntax_end(s, n);
}

/* ---- functions and kernels ---- */

/* Skips "template <...>". */
static const struct token *skip_template(const struct token *t) {
    if (!token_is_word(t, "template")) return t;
    while (t->kind != '>' && t->kind != TOK_END)
        t++;
    return t->kind == '>' ? t + 1 : t;
}

const char *const syntax_specifiers[] = {"static",          "extern",       "inline",     "constexpr",
                                         "const",           "__host__",     "__device__", "__inline__",
                                         "__forceinline__", "__noinline__", NULL};

/* Skips what stands before a device function or a variable; NULL: neither is here. */
static const struct token *skip_device(const struct token *t) {
    bool device = false;
    for (t = skip_template(t); syntax_is_one_of(t, syntax_specifiers); t++)
        device = device || token_is_word(t, "__device__");
    return device ? t : NULL;
}

/* What may stand before a kernel. */
static const char *const specifiers[] = {"static", "extern", "inline", "__global__", NULL};

static bool at_kernel(const struct token *t) {
    bool global = false;
    for (t = skip_template(t); syntax_is_one_of(t, specifiers) || t->kind == TOK_TEXT; t++)
        global = global || token_is_word(t, "__global__");
    return global;
}

/* Reads (int *p, int n) from the '(' on: declarations of one name each, of the kind `what`. */
static struct tree *read_parameters(struct syntax *s, const char *what) {
    struct tree_list l = {0};
    syntax_expect(s, '(', "'(' and the parameters");
    if (syntax_at(s, "void") && s->tok[1].kind == ')') s->tok++;
    while (!s->fault && s->tok->kind != ')') {
        struct tree *n = syntax_begin(s, TREE_DECLARATION);
        n->a = syntax_type(s);
        if (n->a->at->kind != TOK_NAME || n->a->a) syntax_fail(s, n->first->pos, "%s", what);
        n->b = syntax_declarator(s);
        if (!s->fault && s->tok->kind != ',' && s->tok->kind != ')')
            syntax_fail(s, s->tok->pos, "expected ',' or ')' behind a parameter");
        n->fault = s->fault;
        syntax_add(&l, n);
        syntax_accept(s, ',');
    }
    return l.first;
}

/* Reads __device__ int f(int *p) { ... }. Of what stands before its name only the result type matters. */
struct tree *syntax_function(struct syntax *s, const struct token *result) {
    struct tree *n = syntax_make(s, TREE_FUNCTION, s->tok, NULL);
    const struct token *t = result;
    while (t->kind != '(' && t->kind != ';' && t->kind != '=' && t->kind != '{' && t->kind != TOK_END)
        t++;
    const struct token *parameters = t;
    while (t->kind != ';' && t->kind != '{' && t->kind != TOK_END)
        t++;
    bool defines = parameters->kind == '(' && t->kind == '{';
    if (parameters->kind == '(') n->at = parameters - 1;
    for (const struct token *k = n->first; k < result; k++)
        if (token_is_word(k, "static")) n->flags |= FUNCTION_STATIC;
    s->tok = result;
    n->a = syntax_type(s);
    if (n->at && n->at->kind == TOK_NAME && n->at > n->a->first) n->flags |= FUNCTION_NAMED;
    if (n->a->end == n->at) n->flags |= FUNCTION_PLAIN;
    s->tok = parameters;
    if (defines)
        n->c = read_parameters(
            s, "not supported yet: a parameter that is no pointer, no reference and no number");
    const struct token *behind = syntax_skip_pair(parameters, '(', ')');
    for (; defines && behind && behind < t; behind++)
        if (token_is_word(behind, "const")) n->flags |= FUNCTION_CONST;
    s->fault = NULL;
    s->tok = t;
    if (defines) n->b = syntax_statement(s);
    s->tok = t->kind == '{' ? syntax_skip_braces(t) : t;
    syntax_accept(s, ';');
    return syntax_end(s, n);
}

/* Reads typename T = int, or int N = 4. */
static struct tree *read_template_parameter(struct syntax *s) {
    struct tree *n = syntax_begin(s, TREE_DECLARATION), *name;
    bool type = syntax_at(s, "typename") || syntax_at(s, "class");
    n->kind = type ? TREE_TYPENAME : TREE_DECLARATION;
    if (!type && !syntax_type_begins(s, s->tok))
        syntax_fail(s, s->tok->pos, "expected typename and a name, or a number");
    s->tok += type;
    if (!type) n->a = syntax_type(s);
    n->b = name = syntax_begin(s, TREE_DECLARATOR);
    if (syntax_expect(s, TOK_NAME, type ? "the name of a type" : "the name of a number") && type)
        syntax_add_type(s, name->at->text);
    if (syntax_accept(s, '=')) {
        if (type && !syntax_type_begins(s, s->tok))
            syntax_fail(s, s->tok->pos, "expected the type of a register");
        name->b = type ? syntax_type(s) : syntax_operand(s);
    }
    n->fault = s->fault;
    return syntax_end(s, n);
}

static struct tree *read_template(struct syntax *s) {
    if (!syntax_at(s, "template")) return NULL;
    s->tok++;
    syntax_expect(s, '<', "'<'");
    struct tree *list = syntax_joined(s, read_template_parameter);
    syntax_expect(s, '>', "'>'");
    return list;
}

/* Reads __launch_bounds__(threads, blocks a multiprocessor). */
static struct tree *read_bounds(struct syntax *s) {
    s->tok++;
    if (syntax_peek(s) == '(') return syntax_list(s, ')')->b;
    syntax_expect(s, '(', "'(' and the threads of a block");
    return NULL;
}

/* Reads the head of a kernel up to its '{'. */
static struct tree *read_kernel(struct syntax *s) {
    struct tree *n = syntax_begin(s, TREE_KERNEL);
    const struct token *behind = skip_template(s->tok);
    n->a = read_template(s);
    const struct fault *fault = s->fault; /* an error there does not hide the parameters */
    s->fault = NULL;
    if (fault) s->tok = behind;
    while (!s->fault && (syntax_is_one_of(s->tok, specifiers) || s->tok->kind == TOK_TEXT))
        s->tok++;
    while (syntax_at(s, "__launch_bounds__") || (syntax_at(s, "void") && s->tok[1].kind == TOK_NAME))
        if (syntax_at(s, "void"))
            s->tok++;
        else
            n->b = read_bounds(s);
    if (syntax_at(s, "__cluster_dims__"))
        syntax_fail(s, s->tok->pos,
                    "not supported yet: the placement says which blocks are in a cluster, as in placements: "
                    "[cluster]");
    syntax_expect(s, TOK_NAME, "the name of the kernel");
    n->c = read_parameters(
        s, "a parameter is a pointer to the location of that name, or a number with its value, as in "
           "int n = 4");
    syntax_expect(s, ')', "')'");
    if (syntax_peek(s) != '{') syntax_fail(s, s->tok->pos, "expected the kernel's body in braces");
    n->fault = fault ? fault : s->fault;
    s->fault = NULL;
    while (s->tok->kind != '{' && s->tok->kind != ';' && s->tok->kind != TOK_END)
        s->tok++;
    return syntax_end(s, n);
}

/* Reads all statements up to the end of the text. */
static struct tree *read_rest(struct syntax *s) {
    struct tree_list l = {0};
    while (s->tok->kind != TOK_END) {
        bool stray = s->tok->kind == '}';
        syntax_add(&l, stray ? syntax_begin(s, TREE_STRAY) : syntax_statement(s));
        s->tok += stray;
    }
    return l.first;
}

/* Returns the last token outside of braces that begins a device function or a kernel; `t`: there is none. */
static const struct token *find_last_head(const struct token *t) {
    static const char *const words[] = {"__device__", "__global__", NULL};
    const struct token *last = t;
    for (int depth = 0; t->kind != TOK_END; t++) {
        depth += (t->kind == '{') - (t->kind == '}');
        if (depth == 0 && syntax_is_one_of(t, words)) last = t;
    }
    return last;
}

/* Behind a declaration or a definition outside of functions. */
static const struct token *skip_outside(const struct token *t) {
    bool function = false;
    for (; t->kind != TOK_END && t->kind != ';' && t->kind != '}'; t++) {
        function = function || t->kind == '(';
        if (t->kind != '{') continue;
        t = syntax_skip_braces(t);
        if (function) return t;
        t--;
    }
    return t->kind == ';' ? t + 1 : t;
}

/* What stands before a kernel; behind an error, what follows. */
static struct tree *read_before(struct syntax *s) {
    const struct token *begin = s->tok, *end = skip_outside(begin), *text = s->first;
    const struct token *device = skip_device(s->tok);
    if (device) return syntax_function(s, device);
    struct tree *n = syntax_statement(s);
    bool same = s->first == text;
    if (same && n->fault && s->tok < end) s->tok = end;
    if (same && s->tok == begin) s->tok++;
    return n;
}

/* A text, and where its last function of the device or kernel begins. */
struct outside {
    const struct token *text, *head;
};

/* Whether something is here that stands before a kernel. What `using namespace` opens is another text. */
static bool at_before(const struct syntax *s, struct outside *o) {
    if (o->text != s->first) *o = (struct outside){s->first, find_last_head(s->tok)};
    if (syntax_at_naming(s->tok) || skip_device(s->tok)) return true;
    return s->tok < o->head && !at_kernel(s->tok) && s->tok->kind != '}';
}

struct tree *syntax_body(struct syntax *s) {
    struct tree *n = syntax_begin(s, TREE_BODY);
    struct tree_list before = {0};
    struct outside outside = {0};
    while (at_before(s, &outside))
        syntax_add(&before, read_before(s));
    n->a = before.first;
    if (at_kernel(s->tok)) n->b = read_kernel(s);
    n->c = read_rest(s);
    return syntax_end(s, n);
}
