#include <ctype.h>
#include <string.h>

#include "syntax/lexer.h"
#include "syntax/tree.h"

/* ---- #define ---- */

static size_t length_of_name(const char *s) {
    return isdigit((unsigned char)*s) ? 0 : lexer_end_of_name(s, 0);
}

/* Reads the parameters "(a, b)"; `at` is behind the '('. Returns what is wrong with them, or NULL. */
static const char *read_parameters(const char *s, size_t at, struct macro *m) {
    m->called = true;
    for (;;) {
        at += strspn(s + at, " \t");
        size_t n = length_of_name(s + at);
        if (s[at] == '.') return "not supported yet: a macro with any number of arguments";
        if (n == 0 && (s[at] != ')' || m->nparams > 0)) return "expected the name of an argument, or ')'";
        if (m->nparams == MAX_ARGUMENTS) return "a macro has at most 16 arguments";
        if (n > 0) m->params[m->nparams++] = (struct range){at, at + n};
        at += n;
        at += strspn(s + at, " \t");
        if (s[at] == ')') break;
        if (s[at++] != ',') return "expected ',' or ')' behind the name of an argument";
    }
    m->text.from = at + 1;
    return NULL;
}

/* Whether a text has # or ## outside of quotes. */
static bool joins_text(const char *s, struct range text) {
    for (size_t k = text.from; k < text.to;) {
        if (s[k] == '#') return true;
        k = s[k] == '"' || s[k] == '\'' ? lexer_end_of_quoted(s, k) : k + 1;
    }
    return false;
}

/* Reads #define NAME text, from the name on. */
static void read_macro(struct lexer *l, size_t name, size_t end) {
    const char *s = l->in->text, *problem = NULL;
    size_t n = length_of_name(s + name);
    struct macro *m = arena_alloc(l->arena, sizeof *m);
    *m = (struct macro){
        .name = arena_strndup(l->arena, s + name, n), .text = {name + n, end}, .next = l->macros};
    if (n == 0)
        problem = "expected a name behind '#define'";
    else if (s[name + n] == '(')
        problem = read_parameters(s, name + n + 1, m);
    if (!problem && joins_text(s, m->text)) problem = "not supported yet: '#' and '##' in a macro";
    if (problem)
        diag_error(l->diag, l->source, lexer_place(l, name, n ? name + n : end), "%s", problem);
    else
        l->macros = m;
}

/* ---- #if ---- */

/* The macros that nvcc defines. A body is read as for sm_90, like `source`. */
static const struct {
    const char *name;
    long long value;
} known[] = {{"__CUDA_ARCH__", 900}, {"__CUDACC__", 1}, {"__NVCC__", 1}, {"__cplusplus", 201703}};
enum { NKNOWN = sizeof known / sizeof *known };

static const long long *find_known(const char *name) {
    for (int k = 0; k < NKNOWN; k++)
        if (strcmp(known[k].name, name) == 0) return &known[k].value;
    return NULL;
}

static bool is_defined(const struct lexer *l, const char *name) {
    const struct macro *m = l->macros;
    while (m && strcmp(m->name, name) != 0)
        m = m->next;
    return m || find_known(name);
}

/* The condition of an '#if', as tokens. */
struct asked {
    const struct lexer *l;
    const struct token *tok;
    const struct token *wrong; /* NULL: nothing is */
    const char *problem;
};

static void fail(struct asked *q, const char *problem) {
    if (!q->wrong) {
        q->wrong = q->tok;
        q->problem = problem;
    }
}

static bool accept(struct asked *q, int kind) {
    bool there = q->tok->kind == kind;
    q->tok += there;
    return there;
}

/* Reads defined(NAME) behind the word `defined`. */
static long long read_defined(struct asked *q) {
    bool open = accept(q, '(');
    const struct token *name = q->tok;
    if (!accept(q, TOK_NAME)) fail(q, "expected a name behind 'defined'");
    if (open && !accept(q, ')')) fail(q, "expected ')'");
    return !q->wrong && is_defined(q->l, name->text);
}

static long long answer(struct asked *q, int level);

static long long answer_operand(struct asked *q) {
    const struct token *t = q->tok;
    const long long *number = t->kind == TOK_NAME ? find_known(t->text) : NULL;
    if (accept(q, '!')) return !answer_operand(q);
    if (accept(q, '-')) return (long long)-(unsigned long long)answer_operand(q);
    if (accept(q, '+')) return answer_operand(q);
    if (accept(q, '~')) return ~answer_operand(q);
    if (accept(q, TOK_INT)) return token_number(t);
    if (accept(q, '(')) {
        long long value = answer(q, 0);
        if (!accept(q, ')')) fail(q, "expected ')'");
        return value;
    }
    if (t->kind != TOK_NAME) fail(q, "expected a number, a macro or 'defined'");
    if (t->kind == TOK_NAME && !number && !token_is_word(t, "defined"))
        fail(q,
             "no macro of this name is known: '#define' it before, with the value that your build gives it");
    q->tok += !q->wrong;
    return q->wrong ? 0 : number ? *number : read_defined(q);
}

/* Values are signed and have 64 bits. */
static long long join(struct asked *q, int sign, long long a, long long b) {
    const struct type t = type_int64;
    const enum expr_kind kind = tree_operator(sign)->kind;
    bool shifts = kind == EXPR_SHL || kind == EXPR_SHR;
    if (b == 0 && (kind == EXPR_DIV || kind == EXPR_MOD)) fail(q, "a division by 0");
    if (shifts && (b < 0 || b >= t.bits)) return 0;
    return value_int(value_result(kind, t), value_apply(kind, t, value_from(t, a), value_from(t, b)));
}

/* Reads operators that bind more tightly than `level`. */
static long long answer(struct asked *q, int level) {
    long long value = answer_operand(q);
    for (int above; !q->wrong && (above = tree_level(q->tok->kind)) > level;) {
        int sign = q->tok++->kind;
        long long other = answer(q, above);
        value = join(q, sign, value, other);
    }
    return value;
}

/* Whether the condition in bytes from..to is true. An invalid one is reported and false. */
static bool ask(struct lexer *l, size_t from, size_t to) {
    size_t begin = l->n, end = l->end;
    l->at = from;
    l->asks = true;
    lexer_read_until(l, to);
    l->asks = false;
    l->end = end;
    lexer_add(l, TOK_END, to, to);
    struct asked q = {.l = l, .tok = l->tokens + begin};
    long long value = answer(&q, 0);
    if (!q.wrong && q.tok->kind != TOK_END) fail(&q, "expected the end of the condition");
    if (q.wrong && q.wrong->kind != TOK_BAD)
        diag_error(l->diag, l->source, q.wrong->kind == TOK_END ? lexer_place(l, from, to) : q.wrong->pos,
                   "%s", q.problem);
    l->n = begin;
    return value && !q.wrong;
}

/* A line that begins with '#'. */
struct directive {
    struct range all, word, rest;
};

/* The line at a '#'. */
static struct directive read_line(const struct lexer *l, size_t at) {
    const char *s = l->in->text;
    struct directive d = {.all = {at, at + strcspn(s + at, "\n")}};
    while (s[d.all.to] && s[d.all.to - 1] == '\\')
        d.all.to += 1 + strcspn(s + d.all.to + 1, "\n");
    d.word.from = at + 1 + strspn(s + at + 1, " \t");
    d.word.to = lexer_end_of_name(s, d.word.from);
    d.rest = (struct range){d.word.to + strspn(s + d.word.to, " \t"), d.all.to};
    return d;
}

static bool is(const struct lexer *l, const struct directive *d, const char *word) {
    size_t n = strlen(word);
    return d->word.to - d->word.from == n && memcmp(l->in->text + d->word.from, word, n) == 0;
}

static bool opens(const struct lexer *l, const struct directive *d) {
    return is(l, d, "if") || is(l, d, "ifdef") || is(l, d, "ifndef");
}

/* Whether the lines behind an '#if', '#ifdef' or '#elif' are read. */
static bool decide(struct lexer *l, const struct directive *d) {
    size_t n = length_of_name(l->in->text + d->rest.from);
    if (is(l, d, "if") || is(l, d, "elif")) return ask(l, d->rest.from, d->rest.to);
    if (n == 0)
        diag_error(l->diag, l->source, lexer_place(l, d->all.from, d->all.to), "expected a name behind '#%s'",
                   is(l, d, "ifdef") ? "ifdef" : "ifndef");
    bool defined = is_defined(l, arena_strndup(l->arena, l->in->text + d->rest.from, n));
    return n > 0 && defined == is(l, d, "ifdef");
}

/* Moves to the next line that begins with '#'; false: there is none. */
static bool find_line(struct lexer *l, struct directive *d) {
    const char *s = l->in->text;
    while (l->at < l->in->len) {
        size_t first = l->at + strspn(s + l->at, " \t");
        if (s[first] == '#') {
            *d = read_line(l, first);
            return true;
        }
        l->at = first + strcspn(s + first, "\n") + 1;
    }
    l->at = l->in->len;
    return false;
}

/* Moves behind an '#elif', '#else' or '#endif' of the innermost '#if'. If `on`, stops where lines are to be
 * read, else at its '#endif'. */
static void skip_lines(struct lexer *l, bool on) {
    struct directive d;
    for (int depth = 0; find_line(l, &d);) {
        l->at = d.all.to;
        bool ends = is(l, &d, "endif"), other = is(l, &d, "else");
        depth += opens(l, &d);
        if (depth == 0 && ends) {
            l->branch = l->branch->around;
            return;
        }
        depth -= ends;
        if (depth > 0 || !on || !(other || is(l, &d, "elif"))) continue;
        bool taken = other || decide(l, &d);
        l->at = d.all.to;
        if (taken) return;
    }
}

/* Reads '#if' and the lines that belong to it. False: the line is none of these. */
static bool choose(struct lexer *l, const struct directive *d) {
    struct pos pos = lexer_place(l, d->all.from, d->all.to);
    bool ends = is(l, d, "endif"), other = is(l, d, "else") || is(l, d, "elif");
    if (opens(l, d)) {
        struct branch *b = arena_alloc(l->arena, sizeof *b);
        *b = (struct branch){.at = d->all, .around = l->branch};
        l->branch = b;
        bool taken = decide(l, d);
        l->at = d->all.to;
        if (!taken) skip_lines(l, true);
        return true;
    }
    if (!ends && !other) return false;
    l->at = d->all.to;
    if (!l->branch)
        diag_error(l->diag, l->source, pos, "there is no '#if' before it");
    else if (ends)
        l->branch = l->branch->around;
    else
        skip_lines(l, false);
    return true;
}

void lexer_check_branches(struct lexer *l) {
    const struct branch *b = l->branch;
    if (b)
        diag_error(l->diag, l->source, lexer_place(l, b->at.from, b->at.to),
                   "there is no '#endif' behind it");
}

/* ---- the other lines ---- */

/* `#pragma` and `#include` do not change what a thread does. */
static bool says_nothing(const struct lexer *l, const struct directive *d) {
    return is(l, d, "include") || is(l, d, "pragma");
}

void lexer_read_directive(struct lexer *l) {
    struct directive d = read_line(l, l->at);
    if (choose(l, &d)) return;
    if (is(l, &d, "define"))
        read_macro(l, d.rest.from, d.all.to);
    else if (!says_nothing(l, &d))
        diag_error(
            l->diag, l->source, lexer_place(l, d.all.from, d.all.to),
            "'#' begins no comment, and of the preprocessor there are '#define' and '#if': '#pragma' and "
            "'#include' are read over");
    l->at = d.all.to;
}
