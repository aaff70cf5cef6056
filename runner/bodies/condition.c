/* Conditions and observables. */
#include <stdint.h>
#include <string.h>

#include "bodies/condition.h"
#include "litmus/name.h"

/* Adds an observable, unless the test has it already. Returns its index. */
static int observe(struct parser *p, struct observable o, struct pos pos) {
    struct test *t = p->test;
    for (int i = 0; i < t->nobs; i++) {
        const struct observable *known = &t->obs[i];
        bool same = o.is_reg ? known->thread == o.thread && known->reg == o.reg
                             : known->loc == o.loc && known->index == o.index;
        if (known->is_reg == o.is_reg && same) return i;
    }
    if (t->nobs == TEST_MAX_OBS) {
        parse_error(p, pos, "a test observes at most %d registers and locations", TEST_MAX_OBS);
        return 0;
    }
    t->obs[t->nobs] = o;
    return t->nobs++;
}

static int observe_register(struct parser *p, int thread, int reg, struct pos pos) {
    const struct thread *thr = &p->test->threads[thread];
    struct observable o = {.is_reg = true, .thread = thread, .reg = reg, .loc = -1};
    o.type = thr->body->regs[reg].type;
    o.name = arena_printf(p->arena, "%s.%s", thr->name, thr->body->regs[reg].name);
    return observe(p, o, pos);
}

static int observe_location(struct parser *p, int loc, int index, struct pos pos) {
    const struct location *l = &p->test->locs[loc];
    struct observable o = {.thread = -1, .reg = -1, .loc = loc, .index = index, .type = l->type};
    struct text name = {0};
    location_print(&name, l, index);
    o.name = arena_strdup(p->arena, name.s);
    text_free(&name);
    return observe(p, o, pos);
}

/* ---- the condition ---- */

/* The same for a name of a grid, name[block][thread]. */
static int find_in_grid(struct parser *p, const struct name *name) {
    const struct body *b = name->body;
    struct pos pos = name->first->pos;
    int block = name->index, thread = name->second;
    if (block < 0 && b->count == 1) return condition_find_thread(p->test, b, 0);
    if (block < 0 || thread < 0)
        parse_complain(p, pos, "'%s' is a grid; write %s[block][thread].%s", b->name, b->name,
                       b->regs[name->reg].name);
    else if (block >= b->grid || thread >= b->block)
        parse_complain(p, pos, "there is no %s[%d][%d]: '%s' has %d block%s of %d thread%s", b->name, block,
                       thread, b->name, b->grid, b->grid == 1 ? "" : "s", b->block, b->block == 1 ? "" : "s");
    else
        return condition_find_thread(p->test, b, block * b->block + thread);
    return -1;
}

/* The thread that a register name means; -1 and an error when there is none. */
static int find_copy(struct parser *p, const struct name *name) {
    const struct body *b = name->body;
    struct pos pos = name->first->pos;
    size_t errors = p->diag->errors;
    if (b->grid) return find_in_grid(p, name);
    if (name->second >= 0)
        parse_complain(p, pos, "'%s' is no grid: write %s%s.%s", b->name, b->name, condition_copy_index(b),
                       b->regs[name->reg].name);
    else if (name->index < 0 && b->count > 1)
        parse_complain(p, pos, "'%s' has %d copies; write %s[k].%s", b->name, b->count, b->name,
                       b->regs[name->reg].name);
    else if (name->index >= b->count)
        parse_complain(p, pos, "there is no %s[%d]: '%s' has %d cop%s", b->name, name->index, b->name,
                       b->count, b->count == 1 ? "y" : "ies");
    return p->diag->errors == errors ? condition_find_thread(p->test, b, name->index < 0 ? 0 : name->index)
                                     : -1;
}

/* Complains where a name does not say which block's location it is, or says it in vain. */
static void check_instance(struct parser *p, const struct name *name) {
    const struct location *l = &p->test->locs[name->loc];
    struct pos pos = name->first->pos;
    int blocks = p->test->nblocks;
    if (!space_rows[l->space].of_block || blocks == 0)
        parse_complain(p, pos, "'%s' is there once: '@' is for shared memory in a test with a grid", l->name);
    else if (name->block < 0)
        parse_complain(p, pos, "each of the %d blocks has its own '%s': write %s@block%s", blocks, l->name,
                       l->name, l->array ? "[index]" : "");
    else if (name->block >= blocks)
        parse_complain(p, pos, "there is no block %d: the test has %d", name->block, blocks);
}

/* The element that a location's name means; -1 and an error when there is none. */
static int find_element(struct parser *p, const struct name *name) {
    const struct location *l = &p->test->locs[name->loc];
    struct pos pos = name->first->pos;
    size_t errors = p->diag->errors;
    if (name->block >= 0 || l->instances > 1) check_instance(p, name);
    if (name->second >= 0)
        parse_complain(p, pos, "'%s' has one index: write %s[index]", l->name, l->name);
    else if (name->index < 0 && l->count > 1)
        parse_complain(p, pos, "'%s' is an array: write %s[index]", l->name, l->name);
    else if (name->index >= 0 && !l->array)
        parse_complain(p, pos, "'%s' is not an array", l->name);
    else if (name->index >= l->count)
        parse_complain(p, pos, "index %d of '%s' is out of bounds: it has %d element%s", name->index, l->name,
                       l->count, l->count == 1 ? "" : "s");
    if (p->diag->errors != errors) return -1;
    return (name->block < 0 ? 0 : name->block) * l->count + (name->index < 0 ? 0 : name->index);
}

/* Warns of a register that gets no value on some path: its 0 is easily taken for a stale read. */
static void warn_unset(struct parser *p, int thread, int reg, struct pos pos) {
    const struct thread *thr = &p->test->threads[thread];
    struct expr_env env = body_env(thr->body, thr->tid);
    const char *name = thr->body->regs[reg].name;
    if (thr->body->regs[reg].unknown || stmt_always_sets(thr->body->first, reg, &env)) return;
    const char *example = strchr(name, '[') ? "" : arena_printf(p->arena, ", as in int %s = -1;", name);
    diag_warning(p->diag, p->source, pos,
                 "'%s' gets no value on some path and is 0 there; declare it with a value that tells%s", name,
                 example);
}

/* The value of a name; NULL: it is an element of a vector. */
static struct expr *lower_operand(struct parser *p, const struct tree *n) {
    const struct token *t = n->first;
    bool yes = token_is_word(t, "true");
    if (n->kind == TREE_NAME && (yes || token_is_word(t, "false"))) return expr_int(p, t->pos, yes);
    if (condition_is_element(p, n)) return NULL;
    struct expr *e = expr_new(p, EXPR_OBS, t->pos, NULL, NULL);
    struct name name = condition_find_name(p, n);
    if (p->panic) return e;
    int element = name.loc >= 0 ? find_element(p, &name) : -1;
    int thread = name.reg >= 0 ? find_copy(p, &name) : -1;
    if (element >= 0) e->index = observe_location(p, name.loc, element, t->pos);
    if (thread >= 0) {
        int known = p->test->nobs;
        e->index = observe_register(p, thread, name.reg, t->pos);
        if (p->test->nobs > known) warn_unset(p, thread, name.reg, t->pos);
    }
    if (element >= 0 || thread >= 0) e->type = p->test->obs[e->index].type;
    return e;
}

/* ---- what is of other languages ---- */

static void expect_end(struct parser *p) {
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

static void refuse_words(struct parser *p) {
    refuse_herd_names(p);
    refuse_arrows(p);
    refuse_second_kind(p);
}

/* Takes a name of PTX in quotes for the location that it is. */
static void name_quoted(struct parser *p) {
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

/* ---- the whole ---- */

/* Starts the parser on a text. False when the text is not made of tokens. */
static void start(struct parser *p, struct arena *a, struct test *t, const struct snippet *text,
                  struct diag *d) {
    *p = (struct parser){.arena = a, .source = &t->source, .diag = d, .test = t, .operand = lower_operand};
    p->syntax.condition = true;
    parse_start(p, text);
    name_quoted(p);
}

/* `before`: how many errors there were before the text was split into words, of which none is left if that failed. */
static void parse_proposition(struct parser *p, struct pos pos, size_t before) {
    struct test *t = p->test;
    if (p->syntax.tok->kind == TOK_END) {
        if (p->diag->errors == before) parse_error(p, pos, "the condition is empty");
        return;
    }
    refuse_words(p);
    t->cond.prop = expr_scalar(p, parse_expression(p), "a condition");
    expect_end(p);
}

void condition_check(const struct test *t, struct diag *d) {
    if (t->cond.prop && t->nobs == 0)
        diag_error(d, &t->source, t->cond.pos, "the condition names neither a register nor a location");
}

void condition_parse(struct arena *a, struct test *t, const struct snippet *text, struct pos pos,
                     struct diag *d) {
    struct parser parser, *p = &parser;
    size_t before = d->errors;
    start(p, a, t, text, d);
    parse_proposition(p, pos, before);
}

/* ---- observe ---- */

/* Observes what a name stands for; all elements or copies if none is chosen. */
static void observe_name(struct parser *p, const struct name *name) {
    struct pos pos = name->first->pos;
    bool all = name->index < 0;
    if (name->loc >= 0) {
        const struct location *l = &p->test->locs[name->loc];
        bool every = all && name->block < 0, block = all && name->block >= 0;
        struct name first = *name;
        if (block && l->array) first.index = 0;
        int from = every ? 0 : find_element(p, &first);
        int to = every ? location_elements(l) : block ? from + l->count : from + 1;
        for (int k = from; k >= 0 && k < to && !p->panic; k++)
            observe_location(p, name->loc, k, pos);
    } else if (name->reg >= 0 && all) {
        for (int k = 0; k < name->body->count && !p->panic; k++)
            observe_register(p, condition_find_thread(p->test, name->body, k), name->reg, pos);
    } else if (name->reg >= 0) {
        int thread = find_copy(p, name);
        if (thread >= 0) observe_register(p, thread, name->reg, pos);
    }
}

static void parse_observed(struct parser *p) {
    if (p->syntax.tok->kind != TOK_NAME) {
        parse_error(p, p->syntax.tok->pos, "expected the name of a register or a location");
        return;
    }
    const struct tree *n = parse_tree_operand(p);
    expect_end(p);
    if (p->panic) return;
    bool element = tree_is_place(n) && condition_is_element(p, n);
    if (!tree_is_place(n) || element)
        parse_error(p, n->at[-element].pos, "unexpected '%s'", n->at[-element].text);
    if (p->panic) return;
    struct name name = condition_find_name(p, n);
    if (!p->panic) observe_name(p, &name);
}

void condition_observe(struct arena *a, struct test *t, const struct snippet *text, struct diag *d) {
    struct parser parser, *p = &parser;
    start(p, a, t, text, d);
    parse_observed(p);
}

/* ---- herd's syntax ---- */

void condition_parse_table(struct arena *a, struct test *t, const struct snippet *text,
                           const struct snippet *filter, struct pos pos, struct diag *d) {
    struct parser parser, *p = &parser;
    const struct token *tokens = NULL;
    size_t before = d->errors;
    if (filter) {
        start(p, a, t, filter, d);
        tokens = p->syntax.tok;
    }
    start(p, a, t, text, d);
    table_rewrite_condition(p, tokens, t->cond.kind == FORALL);
    if (!p->panic) parse_proposition(p, pos, before);
}

void condition_observe_table(struct arena *a, struct test *t, const struct snippet *text, struct diag *d) {
    struct parser parser, *p = &parser;
    struct diag faults = {0};
    start(p, a, t, text, &faults);
    table_rewrite_condition(p, NULL, false);
    if (!p->panic) parse_observed(p);
    for (size_t i = 0; i < faults.n; i++) {
        const struct message *m = &faults.messages[i];
        diag_warning(d, m->source, m->pos, "%s%s", m->text,
                     m->severity == DIAG_ERROR ? ": it is not observed" : "");
    }
    diag_free(&faults);
}
