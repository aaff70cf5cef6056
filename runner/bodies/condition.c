#include <limits.h>
#include <string.h>

#include "bodies/bodies.h"
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

static int find_register(const struct body *b, const char *name) {
    for (int i = 0; i < b->nregs; i++)
        if (!b->regs[i].temporary && strcmp(b->regs[i].name, name) == 0) return i;
    return -1;
}

/* Warns when a register of a condition gets no value on some path. */
static void check_assigned(struct parser *p, const struct body *b, int reg, struct pos pos) {
    if (stmt_sets(b->first, reg)) return;
    parse_complain(p, pos, "register '%s' of %s is never assigned", b->regs[reg].name, b->name);
    diag_note(p->diag, p->source, b->regs[reg].pos, "it is declared here");
}

static struct body *find_body(const struct test *t, const char *name) {
    for (int i = 0; i < t->nbodies; i++)
        if (strcmp(t->bodies[i].name, name) == 0) return &t->bodies[i];
    return NULL;
}

/* The thread that runs copy `tid` of a body. */
static int find_thread(const struct test *t, const struct body *b, int tid) {
    for (int i = 0; i < t->nthreads; i++)
        if (t->threads[i].body == b && t->threads[i].tid == tid) return i;
    return -1;
}

/* ---- names ---- */

/* A name in a condition or in `observe`, and what it stands for. */
struct name {
    const struct token *first;
    const struct token *reg_token; /* the register, NULL for a location */
    const struct body *body;
    int reg, loc;              /* -1: none */
    int index;                 /* [k]: the copy or the element; -1: not written */
    int block;                 /* @k: of a location that each block has; -1: not written */
    int second;                /* [k][n]: a thread of block k of a grid; -1: not written */
    int element, column;       /* .r[1][2]: of an array of registers; -1: not written */
    const struct token *large; /* a number that no place has, or NULL */
};

/* The number in "[k]" or behind '@'. */
static int number_of(struct parser *p, const struct tree *n, struct name *name) {
    const struct token *t = n->b->first;
    if (n->b->kind != TREE_NUMBER) parse_error(p, n->at->after, "expected a number");
    if (p->panic) return 0;
    bool small = token_number(t) >= 0 && token_number(t) <= INT_MAX;
    if (!small) name->large = t;
    return small ? (int)token_number(t) : 0;
}

/* Takes the name apart. */
static void take_apart(struct parser *p, const struct tree *n, struct name *name) {
    if (n->kind != TREE_NAME) take_apart(p, n->a, name);
    if (n->kind == TREE_NAME) name->first = n->first;
    if (n->kind == TREE_MEMBER) name->reg_token = n->at;
    if (n->kind == TREE_BLOCK_OF) name->block = number_of(p, n, name);
    if (n->kind != TREE_INDEX) return;
    int *first = name->reg_token ? &name->element : &name->index;
    int *second = name->reg_token ? &name->column : &name->second;
    if (*second >= 0) parse_error(p, n->at->pos, "unexpected '['");
    *(*first < 0 ? first : second) = number_of(p, n, name);
}

/* The name of an element of an array of registers, "r[1]"; without an index, that of a register. */
static const char *element_name(struct parser *p, const char *name, int index, int second) {
    if (index < 0) return name;
    return second < 0 ? arena_printf(p->arena, "%s[%d]", name, index)
                      : arena_printf(p->arena, "%s[%d][%d]", name, index, second);
}

/* Reports the name of an array of registers, or an element that it has not. False: there is no such array. */
static bool report_array(struct parser *p, const struct body *b, const struct token *t) {
    size_t n = strlen(t->text);
    const char *last = NULL;
    for (int i = 0; i < b->nregs; i++) {
        const char *name = b->regs[i].name;
        if (!b->regs[i].temporary && strncmp(name, t->text, n) == 0 && name[n] == '[') last = name;
    }
    if (last)
        parse_complain(p, t->pos, "'%s' is an array of registers, whose last element is %s", t->text, last);
    return last;
}

/* Finds the body and the register of thread.reg or thread[k].reg[n]. */
static void find_qualified(struct parser *p, struct name *name) {
    const struct token *t = name->reg_token;
    name->body = find_body(p->test, name->first->text);
    if (!name->body) {
        const char **names = arena_array(p->arena, (size_t)p->test->nbodies, sizeof *names);
        for (int i = 0; i < p->test->nbodies; i++)
            names[i] = p->test->bodies[i].name;
        parse_complain(p, name->first->pos, "there is no thread '%s'%s", name->first->text,
                       name_suggest(p->arena, name->first->text, names, (size_t)p->test->nbodies));
        return;
    }
    const char *written = element_name(p, t->text, name->element, name->column);
    name->reg = find_register(name->body, written);
    if (name->reg < 0 && name->element >= 0 && find_register(name->body, t->text) >= 0)
        parse_error(p, t[1].pos, "unexpected '['");
    if (name->reg >= 0 || p->panic || report_array(p, name->body, t)) return;
    const char **names = arena_array(p->arena, (size_t)name->body->nregs, sizeof *names);
    for (int i = 0; i < name->body->nregs; i++)
        names[i] = name->body->regs[i].name;
    parse_complain(p, t->pos, "thread '%s' has no register '%s'%s", name->body->name, written,
                   name_suggest(p->arena, written, names, (size_t)name->body->nregs));
}

/* What stands behind the name of a thread that has copies. */
static const char *copy_index(const struct body *b) {
    return b->grid ? "[block][thread]" : b->indexed ? "[k]" : "";
}

/* "T0.r0 or T1.r0": how the registers of that name are written. */
static const char *qualified_names(struct parser *p, const char *reg) {
    const struct test *t = p->test;
    const char *list = "";
    for (int i = 0; i < t->nbodies; i++) {
        const struct body *b = &t->bodies[i];
        if (find_register(b, reg) < 0) continue;
        list = arena_printf(p->arena, "%s%s%s%s.%s", list, *list ? " or " : "", b->name, copy_index(b), reg);
    }
    return list;
}

/* "T0 and T1": the threads that have a register of that name. */
static const char *owners(struct parser *p, const char *reg) {
    const char *list = "";
    for (int i = 0; i < p->test->nbodies; i++)
        if (find_register(&p->test->bodies[i], reg) >= 0)
            list = arena_printf(p->arena, "%s%s%s", list, *list ? " and " : "", p->test->bodies[i].name);
    return list;
}

/* " (the test has x, y, r)" of a few names; else "". */
static const char *list_names(struct parser *p, const char *const *names, size_t n) {
    enum { FEW = 8 };
    const char *list = "";
    size_t listed = 0;
    for (size_t k = 0; k < n && listed <= FEW; k++) {
        bool again = false;
        for (size_t i = 0; i < k; i++)
            again = again || strcmp(names[i], names[k]) == 0;
        if (!again) list = arena_printf(p->arena, "%s%s%s", list, listed++ ? ", " : "", names[k]);
    }
    return listed && listed <= FEW ? arena_printf(p->arena, " (the test has %s)", list) : "";
}

static void report_unknown(struct parser *p, const struct token *t) {
    const struct test *test = p->test;
    for (int i = 0; i < test->nbodies; i++)
        if (report_array(p, &test->bodies[i], t)) return;
    size_t n = (size_t)test->nlocs;
    for (int i = 0; i < test->nbodies; i++)
        n += (size_t)test->bodies[i].nregs;
    const char **names = arena_array(p->arena, n, sizeof *names);
    n = 0;
    for (int i = 0; i < test->nlocs; i++)
        names[n++] = test->locs[i].name;
    for (int i = 0; i < test->nbodies; i++)
        for (int k = 0; k < test->bodies[i].nregs; k++)
            if (!test->bodies[i].regs[k].temporary) names[n++] = test->bodies[i].regs[k].name;
    const char *near = name_suggest(p->arena, t->text, names, n);
    parse_complain(p, t->pos, "'%s' is neither a register nor a location%s", t->text,
                   *near ? near : list_names(p, names, n));
}

/* Finds a thread that has a register of that name; how many have one. */
static int find_owner(struct parser *p, struct name *name, const char *written) {
    int found = 0;
    for (int i = 0; i < p->test->nbodies; i++) {
        int reg = find_register(&p->test->bodies[i], written);
        if (reg < 0) continue;
        found++;
        name->body = &p->test->bodies[i];
        name->reg = reg;
    }
    return found;
}

/* a[i][j] as an element of all. */
static void flatten_indices(struct parser *p, struct name *name) {
    const struct location *l = &p->test->locs[name->loc];
    int columns = l->inner[0];
    if (columns == 0 || l->inner[1] || name->second < 0) return;
    if (name->second >= columns)
        parse_complain(p, name->first->pos, "'%s' has rows of %d element%s", l->name, columns,
                       columns == 1 ? "" : "s");
    name->index = name->index * columns + name->second % columns;
    name->second = -1;
}

/* Finds what a name without a dot means: a location, or a register that only one thread has. Neither after an error. */
static void find_bare(struct parser *p, struct name *name) {
    const struct token *t = name->first;
    name->loc = find_location(p->test, t->text);
    if (name->loc >= 0) flatten_indices(p, name);
    if (name->loc >= 0) return;
    const char *written = element_name(p, t->text, name->index, name->second);
    int found = find_owner(p, name, written);
    if (found > 0)
        name->index = name->second = -1;
    else
        found = find_owner(p, name, written = t->text);
    name->reg_token = t;
    if (found == 0)
        report_unknown(p, t);
    else if (found > 1)
        parse_complain(p, t->pos, "'%s' is a register of %s; write %s", written, owners(p, written),
                       qualified_names(p, written));
    else if (name->index >= 0)
        parse_complain(p, t->pos, "'%s' is a register; write %s", t->text, qualified_names(p, t->text));
    if (found > 1 || name->index >= 0) name->reg = -1;
}

/* Whether a name without a thread before it is a vector, whose elements .x and .y are. */
static bool is_vector(struct parser *p, const struct name *name) {
    const struct test *t = p->test;
    const char *text = name->first->text;
    if (find_body(t, text)) return false;
    int loc = find_location(t, text);
    if (loc >= 0) return type_is_vector(t->locs[loc].type);
    text = element_name(p, text, name->index, name->second);
    for (int i = 0; i < t->nbodies; i++) {
        int reg = find_register(&t->bodies[i], text);
        if (reg >= 0 && type_is_vector(t->bodies[i].regs[reg].type)) return true;
    }
    return false;
}

static struct name name_of(struct parser *p, const struct tree *n) {
    struct name name = {.reg = -1, .loc = -1, .index = -1, .block = -1, .second = -1};
    name.element = name.column = -1;
    take_apart(p, n, &name);
    return name;
}

/* Whether ".x" is an element of a vector, and no register of a thread. */
static bool is_element(struct parser *p, const struct tree *n) {
    if (n->kind != TREE_MEMBER) return false;
    struct name whole = name_of(p, n->a);
    return whole.reg_token || is_vector(p, &whole);
}

static struct name find_name(struct parser *p, const struct tree *n) {
    struct name name = name_of(p, n);
    if (p->panic) return name;
    if (name.large) parse_complain(p, name.large->pos, "%s is too large", name.large->text);
    if (name.reg_token)
        find_qualified(p, &name);
    else
        find_bare(p, &name);
    if (name.reg >= 0 && !p->panic) check_assigned(p, name.body, name.reg, name.reg_token->pos);
    return name;
}

/* ---- the condition ---- */

/* The same for a name of a grid, name[block][thread]. */
static int find_in_grid(struct parser *p, const struct name *name) {
    const struct body *b = name->body;
    struct pos pos = name->first->pos;
    int block = name->index, thread = name->second;
    if (block < 0 && b->count == 1) return find_thread(p->test, b, 0);
    if (block < 0 || thread < 0)
        parse_complain(p, pos, "'%s' is a grid; write %s[block][thread].%s", b->name, b->name,
                       b->regs[name->reg].name);
    else if (block >= b->grid || thread >= b->block)
        parse_complain(p, pos, "there is no %s[%d][%d]: '%s' has %d block%s of %d thread%s", b->name, block,
                       thread, b->name, b->grid, b->grid == 1 ? "" : "s", b->block, b->block == 1 ? "" : "s");
    else
        return find_thread(p->test, b, block * b->block + thread);
    return -1;
}

/* The thread that a register name means; -1 and an error when there is none. */
static int find_copy(struct parser *p, const struct name *name) {
    const struct body *b = name->body;
    struct pos pos = name->first->pos;
    size_t errors = p->diag->errors;
    if (b->grid) return find_in_grid(p, name);
    if (name->second >= 0)
        parse_complain(p, pos, "'%s' is no grid: write %s%s.%s", b->name, b->name, copy_index(b),
                       b->regs[name->reg].name);
    else if (name->index < 0 && b->count > 1)
        parse_complain(p, pos, "'%s' has %d copies; write %s[k].%s", b->name, b->count, b->name,
                       b->regs[name->reg].name);
    else if (name->index >= b->count)
        parse_complain(p, pos, "there is no %s[%d]: '%s' has %d cop%s", b->name, name->index, b->name,
                       b->count, b->count == 1 ? "y" : "ies");
    return p->diag->errors == errors ? find_thread(p->test, b, name->index < 0 ? 0 : name->index) : -1;
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
    if (stmt_always_sets(thr->body->first, reg, &env)) return;
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
    if (is_element(p, n)) return NULL;
    struct expr *e = expr_new(p, EXPR_OBS, t->pos, NULL, NULL);
    struct name name = find_name(p, n);
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

/* Starts the parser on a text. False when the text is not made of tokens. */
static void start(struct parser *p, struct arena *a, struct test *t, const struct snippet *text,
                  struct diag *d) {
    *p = (struct parser){.arena = a, .source = &t->source, .diag = d, .test = t, .operand = lower_operand};
    p->syntax.condition = true;
    parse_start(p, text);
    condition_name_quoted(p);
}

/* `before`: how many errors there were before the text was split into words, of which none is left if that failed. */
static void parse_proposition(struct parser *p, struct pos pos, size_t before) {
    struct test *t = p->test;
    if (p->syntax.tok->kind == TOK_END) {
        if (p->diag->errors == before) parse_error(p, pos, "the condition is empty");
        return;
    }
    condition_refuse_words(p);
    t->cond.prop = expr_scalar(p, parse_expression(p), "a condition");
    condition_expect_end(p);
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
            observe_register(p, find_thread(p->test, name->body, k), name->reg, pos);
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
    condition_expect_end(p);
    if (p->panic) return;
    bool element = tree_is_place(n) && is_element(p, n);
    if (!tree_is_place(n) || element)
        parse_error(p, n->at[-element].pos, "unexpected '%s'", n->at[-element].text);
    struct name name = find_name(p, n);
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
