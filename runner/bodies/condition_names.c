/* What the names of a condition mean. */
#include <limits.h>
#include <string.h>

#include "bodies/condition.h"
#include "litmus/name.h"

static int find_register(const struct body *b, const char *name) {
    for (int i = 0; i < b->nregs; i++)
        if (!b->regs[i].temporary && strcmp(b->regs[i].name, name) == 0) return i;
    return -1;
}

/* Warns when a register of a condition gets no value on some path. */
static void check_assigned(struct parser *p, const struct body *b, int reg, struct pos pos) {
    if (b->regs[reg].unknown)
        parse_complain(p, pos, "'%s' holds what a clock said, which may be anything", b->regs[reg].name);
    if (b->regs[reg].unknown || stmt_sets(b->first, reg)) return;
    parse_complain(p, pos, "register '%s' of %s is never assigned", b->regs[reg].name, b->name);
    diag_note(p->diag, p->source, b->regs[reg].pos, "it is declared here");
}

static struct body *find_body(const struct test *t, const char *name) {
    for (int i = 0; i < t->nbodies; i++)
        if (strcmp(t->bodies[i].name, name) == 0) return &t->bodies[i];
    return NULL;
}

int condition_find_thread(const struct test *t, const struct body *b, int tid) {
    for (int i = 0; i < t->nthreads; i++)
        if (t->threads[i].body == b && t->threads[i].tid == tid) return i;
    return -1;
}

/* The number in "[k]" or behind '@'. */
static int number_of(struct parser *p, const struct tree *n, struct name *name) {
    const struct token *t = n->b->first;
    if (n->b->kind != TREE_NUMBER) parse_error(p, n->at->after, "expected a number");
    if (p->panic) return 0;
    bool small = token_number(t) >= 0 && token_number(t) <= INT_MAX;
    if (!small) name->large = t;
    return small ? (int)token_number(t) : 0;
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

const char *condition_copy_index(const struct body *b) {
    return b->grid ? "[block][thread]" : b->indexed ? "[k]" : "";
}

/* "T0.r0 or T1.r0": how the registers of that name are written; or "T0 and T1", the threads that have one. */
static const char *list_owners(struct parser *p, const char *reg, bool written) {
    const char *list = "";
    for (int i = 0; i < p->test->nbodies; i++) {
        const struct body *b = &p->test->bodies[i];
        if (find_register(b, reg) < 0) continue;
        list = arena_printf(p->arena, "%s%s%s", list, !*list ? "" : written ? " or " : " and ", b->name);
        if (written) list = arena_printf(p->arena, "%s%s.%s", list, condition_copy_index(b), reg);
    }
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
        parse_complain(p, t->pos, "'%s' is a register of %s; write %s", written,
                       list_owners(p, written, false), list_owners(p, written, true));
    else if (name->index >= 0)
        parse_complain(p, t->pos, "'%s' is a register; write %s", t->text, list_owners(p, t->text, true));
    if (found > 1 || name->index >= 0) name->reg = -1;
}

/* ---- what a name is made of ---- */

/* Whether a register, an array of registers or a location has this name, p.a of a struct. */
static bool is_known(const struct test *t, const char *name) {
    size_t n = strlen(name);
    for (int k = 0; k < t->nlocs; k++)
        if ((!t->locs[k].view || t->locs[k].member) && strcmp(t->locs[k].name, name) == 0) return true;
    for (int b = 0; b < t->nbodies; b++)
        for (int k = 0; k < t->bodies[b].nregs; k++) {
            const struct reg *r = &t->bodies[b].regs[k];
            if (!r->temporary && strncmp(r->name, name, n) == 0 && (!r->name[n] || r->name[n] == '['))
                return true;
        }
    return false;
}

/* The name that a step and members behind it are together, up to the step `last`; NULL: it stands alone. */
static const char *join_members(struct parser *p, const struct tree *const *steps, int n, int root,
                                int *last) {
    const char *name = steps[root]->at->text, *found = NULL;
    for (int k = root + 1; k < n; k++) {
        if (steps[k]->kind != TREE_MEMBER) continue;
        name = arena_printf(p->arena, "%s.%s", name, steps[k]->at->text);
        if (!is_known(p->test, name)) continue;
        found = name;
        *last = k;
    }
    return found;
}

/* The word of a step, with the members up to `last` that are a part of its name. */
static const struct token *join_word(struct parser *p, const struct tree *step, const struct tree *last,
                                     const char *text) {
    struct token *word = arena_array(p->arena, 2, sizeof *word);
    word[0] = *step->at;
    word[0].text = text;
    word[1] = *last->end;
    return word;
}

static void take_step(struct parser *p, const struct tree *n, const struct token *word, struct name *name) {
    if (n->kind == TREE_NAME) name->first = word;
    if (n->kind == TREE_MEMBER) name->reg_token = word;
    if (n->kind == TREE_BLOCK_OF) name->block = number_of(p, n, name);
    if (n->kind != TREE_INDEX) return;
    int *first = name->reg_token ? &name->element : &name->index;
    int *second = name->reg_token ? &name->column : &name->second;
    if (*second >= 0) parse_error(p, n->at->pos, "unexpected '['");
    *(*first < 0 ? first : second) = number_of(p, n, name);
}

/* Takes the name apart. Members of structs are parts of the names of registers and locations: T0.p.a is the register "p.a" of
 * T0, s@1.a the location "s.a" of block 1, and ps[1].a the element [1] of "ps.a". */
static struct name name_of(struct parser *p, const struct tree *n) {
    struct name name = {.reg = -1, .loc = -1, .index = -1, .block = -1, .second = -1};
    int count = 1, root = 0, last = -1;
    name.element = name.column = -1;
    for (const struct tree *k = n; k->kind != TREE_NAME; k = k->a)
        count++;
    const struct tree **steps = arena_array(p->arena, (size_t)count, sizeof *steps);
    for (int k = count; k-- > 0; n = n->a)
        steps[k] = n;
    if (find_body(p->test, steps[0]->at->text))
        for (root = 1; root < count && steps[root]->kind != TREE_MEMBER;)
            root++;
    const char *joined = root < count ? join_members(p, steps, count, root, &last) : NULL;
    for (int k = 0; k < count; k++) {
        bool part = joined && k > root && k <= last && steps[k]->kind == TREE_MEMBER;
        if (part) continue;
        const struct token *word = k == 0 ? steps[k]->first : steps[k]->at;
        if (joined && k == root) word = join_word(p, steps[k], steps[last], joined);
        take_step(p, steps[k], word, &name);
    }
    name.joined = joined ? steps[last] : NULL;
    return name;
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

/* Whether a tree is a name and what stands behind one, no other value. */
static bool is_name(const struct tree *n) {
    while (n->kind == TREE_GROUPED || (tree_is_place(n) && n->kind != TREE_NAME))
        n = n->a;
    return n->kind == TREE_NAME;
}

bool condition_is_element(struct parser *p, const struct tree *n) {
    if (n->kind != TREE_MEMBER) return false;
    if (!is_name(n)) return true;
    if (name_of(p, n).joined == n) return false;
    struct name whole = name_of(p, n->a);
    return whole.reg_token || is_vector(p, &whole);
}

struct name condition_find_name(struct parser *p, const struct tree *n) {
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
