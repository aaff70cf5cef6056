#include "ptx/read.h"

#include <limits.h>
#include <string.h>

static bool is_one_of(const char *text, const char *const *words) {
    for (; *words; words++)
        if (strcmp(text, *words) == 0) return true;
    return false;
}

/* ---- directives ---- */

/* Whether the directive ends with ';'. Others end with their line, or before a brace. */
static bool ends_with_semicolon(const char *name) {
    static const char *const words[] = {"pragma",        "branchtargets", "calltargets",
                                        "callprototype", "alias",         NULL};
    return is_one_of(name, words);
}

/* Reads a directive from the word behind its dot on. */
static struct ptx_directive read_directive(struct ptx_reader *r) {
    struct ptx_directive out = {.semicolon = ends_with_semicolon(r->tok->text)};
    const char **tokens = NULL;
    bool *apart = NULL;
    int kind = ptx_reader_peek(r);
    do {
        tokens = arena_more(r->arena, tokens, (size_t)out.n, sizeof *tokens);
        apart = arena_more(r->arena, apart, (size_t)out.n, sizeof *apart);
        apart[out.n] = r->tok->apart;
        tokens[out.n++] = ptx_reader_next(r)->text;
        kind = ptx_reader_peek(r);
        if (kind == PTX_TOKEN_BAD) ptx_reader_expect(r, PTX_TOKEN_NAME, "a word of the directive");
    } while (!r->panic && kind != PTX_TOKEN_END && kind != ';' &&
             (out.semicolon || (kind != '{' && kind != '}' && !r->tok->first)));
    if (out.semicolon) ptx_reader_expect(r, ';', "';'");
    out.tokens = tokens;
    out.apart = apart;
    return out;
}

/* ---- variables ---- */

/* Reads the argument of a word such as .align 8 or .attribute(.managed). */
static const char *read_argument(struct ptx_reader *r, const char *word) {
    if (strcmp(word, "align") == 0) {
        const struct ptx_token *t = ptx_reader_expect(r, PTX_TOKEN_NUMBER, "a number of bytes");
        return t ? t->text : NULL;
    }
    if (strcmp(word, "attribute") != 0 || ptx_reader_peek(r) != '(') return NULL;
    const char *text = "";
    while (ptx_reader_peek(r) != PTX_TOKEN_END && ptx_reader_peek(r) != ')')
        text = arena_printf(r->arena, "%s%s", text, ptx_reader_next(r)->text);
    ptx_reader_expect(r, ')', "')'");
    return arena_printf(r->arena, "%s)", text);
}

/* Reads words up to one that has no dot before it. */
static void read_words(struct ptx_reader *r, struct ptx_word **words, int *n) {
    do {
        struct ptx_word word = ptx_reader_word(r, "a directive");
        word.argument = read_argument(r, word.text);
        *words = arena_more(r->arena, *words, (size_t)*n, sizeof **words);
        (*words)[(*n)++] = word;
    } while (ptx_reader_accept(r, '.'));
}

static int read_count(struct ptx_reader *r) {
    struct ptx_operand o = ptx_reader_operand(r);
    if (o.kind != PTX_INTEGER || o.negated || o.bits > INT_MAX)
        ptx_reader_error(r, o.pos, "expected a number of elements");
    return r->panic ? 0 : (int)o.bits;
}

/* Reads <5>, [2][3] or [] behind a name. */
static void read_size(struct ptx_reader *r, struct ptx_name *name) {
    name->range = -1;
    if (ptx_reader_accept(r, '<')) {
        name->range = read_count(r);
        ptx_reader_expect(r, '>', "'>'");
    }
    while (ptx_reader_accept(r, '[')) {
        int n = ptx_reader_accept(r, ']') ? -1 : read_count(r);
        if (n >= 0) ptx_reader_expect(r, ']', "']'");
        name->dimensions =
            arena_more(r->arena, name->dimensions, (size_t)name->ndimensions, sizeof *name->dimensions);
        name->dimensions[name->ndimensions++] = n;
    }
}

static struct ptx_name read_name(struct ptx_reader *r) {
    struct ptx_name name = {.text = "", .pos = r->tok->pos};
    const struct ptx_token *t = ptx_reader_expect(r, PTX_TOKEN_NAME, "a name");
    if (!t) return name;
    name.text = t->text;
    read_size(r, &name);
    if (ptx_reader_accept(r, '=')) {
        struct ptx_operand *initial = arena_alloc(r->arena, sizeof *initial);
        *initial = ptx_reader_operand(r);
        name.initial = initial;
    }
    return name;
}

static void read_names(struct ptx_reader *r, struct ptx_variable *v) {
    do {
        v->names = arena_more(r->arena, v->names, (size_t)v->nnames, sizeof *v->names);
        v->names[v->nnames++] = read_name(r);
    } while (ptx_reader_accept(r, ','));
}

/* ---- functions ---- */

/* Reads parameters such as (.param .u64 a, .param .u32 b). */
static void read_parameters(struct ptx_reader *r, struct ptx_variable **list, int *n) {
    ptx_reader_next(r);
    if (ptx_reader_accept(r, ')')) return;
    do {
        struct ptx_variable v = {0};
        ptx_reader_expect(r, '.', "a parameter");
        read_words(r, &v.words, &v.nwords);
        v.names = arena_alloc(r->arena, sizeof *v.names);
        v.names[v.nnames++] = read_name(r);
        *list = arena_more(r->arena, *list, (size_t)*n, sizeof **list);
        (*list)[(*n)++] = v;
    } while (ptx_reader_accept(r, ','));
    ptx_reader_expect(r, ')', "')'");
}

/* Reads a function behind its .entry or .func. */
static void read_function(struct ptx_reader *r, struct ptx_function *f) {
    f->has_returns = ptx_reader_peek(r) == '(';
    if (f->has_returns) read_parameters(r, &f->returns, &f->nreturns);
    const struct ptx_token *name = ptx_reader_expect(r, PTX_TOKEN_NAME, "the name of a function");
    f->name = name ? name->text : "";
    f->has_parameters = ptx_reader_peek(r) == '(';
    if (f->has_parameters) read_parameters(r, &f->parameters, &f->nparameters);
    while (ptx_reader_accept(r, '.')) {
        size_t n = (size_t)f->ndirectives;
        f->directives = arena_more(r->arena, f->directives, n, sizeof *f->directives);
        f->directives[f->ndirectives++] = read_directive(r);
    }
    f->prototype = ptx_reader_accept(r, ';');
    if (!f->prototype && ptx_reader_peek(r) != '{')
        ptx_reader_expect(r, '{', "'{' or ';' behind the head of a function");
}

/* ---- what begins with a dot ---- */

/* Whether the word is a linkage (.extern, .visible, ...), behind which a variable or a function is
 * declared. */
static bool is_linkage(const char *text) {
    static const char *const words[] = {"extern", "visible", "weak", "common", NULL};
    return is_one_of(text, words);
}

static bool is_space(const char *text) {
    static const char *const words[] = {"reg",   "global", "shared", "local", "param",
                                        "const", "sreg",   "tex",    NULL};
    return is_one_of(text, words);
}

static bool is_function(const char *text) {
    return strcmp(text, "entry") == 0 || strcmp(text, "func") == 0;
}

/* Returns the word that says what is declared, behind its linkage. */
static const char *find_subject(const struct ptx_reader *r) {
    const struct ptx_token *t = r->tok;
    while (t->kind == PTX_TOKEN_NAME && is_linkage(t->text) && t[1].kind == '.')
        t += 2;
    return t->kind == PTX_TOKEN_NAME ? t->text : "";
}

void ptx_reader_declaration(struct ptx_reader *r, struct ptx_statement *s) {
    ptx_reader_next(r);
    const char *subject = find_subject(r);
    if (is_function(subject)) {
        struct ptx_function *f = arena_alloc(r->arena, sizeof *f);
        read_words(r, &f->words, &f->nwords);
        read_function(r, f);
        s->kind = PTX_FUNCTION;
        s->function = f;
    } else if (is_space(subject)) {
        struct ptx_variable *v = arena_alloc(r->arena, sizeof *v);
        read_words(r, &v->words, &v->nwords);
        read_names(r, v);
        ptx_reader_expect(r, ';', "';'");
        s->kind = PTX_VARIABLE;
        s->variable = v;
    } else if (ptx_reader_peek(r) != PTX_TOKEN_NAME) {
        ptx_reader_expect(r, PTX_TOKEN_NAME, "a directive");
    } else if (is_linkage(r->tok->text)) {
        ptx_reader_error(r, r->tok->pos, "neither a variable nor a function stands behind '.%s'",
                         r->tok->text);
    } else {
        struct ptx_directive *directive = arena_alloc(r->arena, sizeof *directive);
        *directive = read_directive(r);
        s->kind = PTX_DIRECTIVE;
        s->directive = directive;
    }
}
