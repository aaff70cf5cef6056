/* What people write into conditions that is of other languages. */
#include <stdint.h>
#include <string.h>

#include "bodies/bodies.h"

void condition_expect_end(struct parser *p) {
    const struct token *t = p->syntax.tok;
    if (p->panic || t->kind == TOK_END) return;
    if (t->kind == '=')
        parse_error(p, t->pos, "'=' is an assignment; a comparison is '=='");
    else if (t->kind == ':' && t[1].kind == '=')
        parse_error(p, t->pos, "':=' is no operator: a comparison is '=='");
    else if (token_is_word(t, "is"))
        parse_error(p, t->pos, "'is' is no operator: a comparison is '=='");
    else if (token_is_word(t, "in"))
        parse_error(p, t->pos, "'in' is no operator: each value has a comparison, as in r == 0 || r == 1");
    else if (t->kind == TOK_NAME || t->kind == TOK_INT)
        parse_error(p, t->pos, "unexpected '%s': '&&' or '||' joins the parts of a condition", t->text);
    else if (t->kind == ',')
        parse_error(p, t->pos,
                    "unexpected ',': a condition is one expression, whose parts '&&' or '||' join");
    else if (t->kind == ';')
        parse_error(p, t->pos, "unexpected ';': a condition is a value, and no statement");
    else if (t->kind == TOK_LAND_TEX || t->kind == TOK_LOR_TEX)
        parse_error(p, t->pos, "unexpected '%s': write '%s'", t->text, t->kind == TOK_LAND_TEX ? "&&" : "||");
    else
        parse_error(p, t->pos, "unexpected '%s'", t->text);
}

/* Reports 1:r and a:r, herd's way to write a register of a thread. A ':' behind a '?' is C's. */
static void refuse_herd_names(struct parser *p) {
    const struct token *t = p->syntax.tok;
    while (t->kind != TOK_END && t->kind != ':' && t->kind != '?')
        t++;
    if (t->kind != ':' || t == p->syntax.tok || t[1].kind != TOK_NAME) return;
    parse_error(p, t[-1].pos, "'%s:%s' is herd's; register %s of a thread is written %s.%s", t[-1].text,
                t[1].text, t[1].text, t[-1].kind == TOK_INT ? "THREAD" : t[-1].text, t[1].text);
}

/* exists: exists r == 1 */
static void refuse_second_kind(struct parser *p) {
    static const char *const kinds[] = {"exists", "forall", "not_exists", NULL};
    const struct token *t = p->syntax.tok;
    if (!p->panic && syntax_is_one_of(t, kinds))
        parse_error(p, t->pos, "'%s' is the key before the condition, and no part of it", t->text);
}

/* a -> b, a => b */
static void refuse_arrows(struct parser *p) {
    for (const struct token *t = p->syntax.tok; t->kind != TOK_END && !p->panic; t++) {
        bool arrow = (t->kind == '-' || t->kind == '=') && t[1].kind == '>' && t[1].pos.line == t->pos.line &&
                     t[1].pos.col == t->pos.col + 1;
        if (arrow)
            parse_error(p, t->pos, "'%s>' is no operator: 'if a, then b' is written !a || b%s", t->text,
                        t->kind == '=' ? ", and a comparison '>='" : "");
    }
}

void condition_refuse_words(struct parser *p) {
    refuse_herd_names(p);
    refuse_arrows(p);
    refuse_second_kind(p);
}

void condition_name_quoted(struct parser *p) {
    for (const struct token *t = p->syntax.tok; t->kind != TOK_END; t++) {
        size_t n = strlen(t->text);
        for (int k = 0; t->kind == TOK_TEXT && k < p->test->nlocs; k++) {
            const struct location *l = &p->test->locs[k];
            if (!l->ptx || n != strlen(l->ptx) + 2 || memcmp(t->text + 1, l->ptx, n - 2) != 0) continue;
            struct token *name = (struct token *)(uintptr_t)t; /* of this parser's own list */
            name->kind = TOK_NAME;
            name->text = l->name;
            break;
        }
    }
}
