/* Reads where the threads of a table sit: P0@cta 0,gpu 0 or scopeTree (gpu (cta (warp P0) (warp P1))). */
#include <limits.h>
#include <string.h>

#include "litmus/axes.h"
#include "litmus/name.h"
#include "source/table_read.h"

/* The words of public grammars for the levels of the machine. Threads of two kernels share no block. */
static const struct {
    const char *word;
    enum seat_level level;
} level_words[] = {
    {"warp", SEAT_WARP},  {"sub_group", SEAT_WARP}, {"cta", SEAT_CTA},         {"block", SEAT_CTA},
    {"wg", SEAT_CTA},     {"work_group", SEAT_CTA}, {"cluster", SEAT_CLUSTER}, {"gpu", SEAT_GPU},
    {"device", SEAT_GPU}, {"sys", SEAT_SYS},        {"system", SEAT_SYS},
};

static bool find_level(const char *word, enum seat_level *out) {
    for (size_t i = 0; i < sizeof level_words / sizeof *level_words; i++) {
        if (strcmp(level_words[i].word, word) != 0) continue;
        *out = level_words[i].level;
        return true;
    }
    return false;
}

/* ---- the row of names ---- */

/* Reads "cta 0", "gpu 0", ... */
static void read_level(struct parser *p, struct seat_words *seat) {
    enum seat_level level;
    const struct token *word = p->syntax.tok;
    if (!parse_expect(p, TOK_NAME, "'warp', 'cta', 'cluster', 'gpu' or 'sys'")) return;
    const struct token *number = p->syntax.tok;
    if (!find_level(word->text, &level)) {
        parse_error(p, word->pos, "unknown scope '%s': expected warp, cta, cluster, gpu or sys", word->text);
        return;
    }
    if (!parse_expect(p, TOK_INT, "a number")) return;
    if (token_number(number) < 0 || token_number(number) > INT_MAX)
        parse_complain(p, number->pos, "%s is too large", number->text);
    else if (seat->at[level] >= 0)
        parse_complain(p, word->pos, "'%s' is given twice", word->text);
    else
        seat->at[level] = (int)token_number(number);
}

void table_read_seat(struct table *t, int column, const struct snippet *text) {
    struct parser *p = table_parser(t, text);
    const struct token *word = p->syntax.tok;
    bool number = syntax_accept(&p->syntax, TOK_INT);
    if (!number) parse_expect(p, TOK_NAME, "the name of a thread");
    const char *name = number ? arena_printf(p->arena, "P%s", word->text) : word->text;
    const char *problem = p->panic ? NULL : name_problem(name);
    if (problem) parse_error(p, word->pos, "thread name '%s' %s", name, problem);
    for (int i = 0; i < column && !p->panic; i++)
        if (strcmp(t->test->bodies[i].name, name) == 0)
            parse_error(p, word->pos, "thread '%s' is there twice", name);
    t->test->bodies[column] = (struct body){.name = name, .pos = word->pos, .count = 1};
    for (int level = 0; level < SEAT_LEVELS; level++)
        t->seats[column].at[level] = -1;
    for (bool more = syntax_accept(&p->syntax, '@'); more && !p->panic; more = syntax_accept(&p->syntax, ','))
        read_level(p, &t->seats[column]);
    if (!p->panic && p->syntax.tok->kind != TOK_END)
        parse_error(p, p->syntax.tok->pos, "unexpected '%s'", p->syntax.tok->text);
}

/* ---- a scope tree ---- */

struct scope_tree {
    struct table *table;
    struct parser *p;
    struct seat_words current;
    int next[SEAT_LEVELS]; /* of each level: the number of its next node */
};

static void read_leaf(struct scope_tree *tree) {
    struct parser *p = tree->p;
    const struct token *thread = syntax_next(&p->syntax);
    int column = p->panic ? -1 : table_find_thread(tree->table, thread);
    if (column >= 0) tree->table->seats[column] = tree->current;
    if (column < 0) parse_fault(p, &(struct fault){0});
}

/* Reads "(cta (warp P0) P1)" from behind its '(' on. */
static void read_node(struct scope_tree *tree) {
    struct parser *p = tree->p;
    const struct token *word = p->syntax.tok;
    enum seat_level level = SEAT_LEVELS;
    if (!parse_enter(p, word->pos) || !parse_expect(p, TOK_NAME, "a scope")) return;
    bool kernel = strcmp(word->text, "kernel") == 0 || strcmp(word->text, "grid") == 0;
    if (!kernel && !find_level(word->text, &level))
        parse_error(p, word->pos, "unknown scope '%s': expected warp, cta, cluster, kernel, device or system",
                    word->text);
    struct seat_words outer = tree->current;
    if (level < SEAT_LEVELS) tree->current.at[level] = tree->next[level]++;
    while (syntax_peek(&p->syntax) != ')' && syntax_peek(&p->syntax) != TOK_END) {
        if (syntax_accept(&p->syntax, '('))
            read_node(tree);
        else if (syntax_peek(&p->syntax) == TOK_NAME || syntax_peek(&p->syntax) == TOK_INT)
            read_leaf(tree);
        else
            parse_error(p, p->syntax.tok->pos, "expected a thread, '(' or ')'");
    }
    parse_expect(p, ')', "')'");
    parse_leave(p);
    tree->current = outer;
}

static const struct seat_words nowhere = {{-1, -1, -1, -1, -1}};

/* Checks that every thread is in the tree. */
static void check_seated(struct scope_tree *tree, struct pos pos) {
    for (int i = 0; i < tree->p->test->nbodies; i++)
        if (memcmp(&tree->table->seats[i], &nowhere, sizeof nowhere) == 0)
            parse_complain(tree->p, pos, "thread '%s' is not in the scope tree",
                           tree->p->test->bodies[i].name);
}

/* Reads "x: shared, y: global". */
static void read_map(struct parser *p) {
    while (syntax_peek(&p->syntax) == TOK_NAME) {
        const struct token *t = syntax_next(&p->syntax), *space = NULL;
        int loc = find_location(p->test, t->text);
        if (loc < 0) parse_error(p, t->pos, "location '%s' is not declared", t->text);
        parse_expect(p, ':', "':'");
        space = p->syntax.tok;
        if (!parse_expect(p, TOK_NAME, "'shared' or 'global'")) return;
        bool shared = strcmp(space->text, "shared") == 0 || strcmp(space->text, "local") == 0;
        if (!shared && strcmp(space->text, "global") != 0)
            parse_error(p, space->pos, "expected 'shared' or 'global'");
        else if (shared)
            p->test->locs[loc].space = SPACE_SHARED;
        if (!syntax_accept(&p->syntax, ',')) return;
    }
}

/* Whether a scope tree is complete. */
static bool at_end(const struct table *t) {
    bool begins = t->at == 0 || strchr(" \t\r\n;~)", t->text[t->at - 1]);
    return begins ? table_at_condition(t) : t->text[t->at] == '~';
}

/* Returns the end of the tree at t->at, and of the map behind it. */
static size_t find_end(const struct table *t) {
    struct table next = *t;
    for (int depth = 0; next.at < next.len && !(depth == 0 && at_end(&next)); next.at++)
        depth += (next.text[next.at] == '(') - (next.text[next.at] == ')');
    return next.at;
}

bool table_read_scopes(struct table *t) {
    const char *word = table_at_word(t, "scopeTree")   ? "scopeTree"
                       : table_at_word(t, "ScopeTree") ? "ScopeTree"
                                                       : NULL;
    if (!word) return true;
    size_t errors = t->diag->errors, from = t->at;
    t->at += strlen(word);
    struct snippet text = table_cut(t, t->at, find_end(t));
    struct parser *p = table_parser(t, &text);
    struct scope_tree tree = {.table = t, .p = p, .current = nowhere};
    for (int i = 0; i < t->test->nbodies; i++)
        t->seats[i] = nowhere;
    while (syntax_accept(&p->syntax, '('))
        read_node(&tree);
    check_seated(&tree, source_pos(&t->lines, from, strlen(word)));
    read_map(p);
    syntax_accept(&p->syntax, ';');
    if (!p->panic && p->syntax.tok->kind != TOK_END)
        parse_error(p, p->syntax.tok->pos, "unexpected '%s'", p->syntax.tok->text);
    t->at += text.len;
    return t->diag->errors == errors;
}

/* ---- seats ---- */

/* Whether threads i and k were written into the same GPU, cluster, block or warp. Without a place, threads
 * share the GPU, but no cluster, block or warp. */
static bool same_gpu(const struct seat_words *a, const struct seat_words *b) {
    int x = a->at[SEAT_GPU], y = b->at[SEAT_GPU];
    return (x < 0 ? 0 : x) == (y < 0 ? 0 : y);
}

static bool same_level(const struct seat_words *a, const struct seat_words *b, enum seat_level level) {
    return a->at[level] >= 0 && a->at[level] == b->at[level];
}

static bool same_block(const struct seat_words *a, const struct seat_words *b) {
    return same_gpu(a, b) && a->at[SEAT_CLUSTER] == b->at[SEAT_CLUSTER] && same_level(a, b, SEAT_CTA);
}

static bool same_cluster(const struct seat_words *a, const struct seat_words *b) {
    return same_gpu(a, b) && (same_level(a, b, SEAT_CLUSTER) || same_block(a, b));
}

/* Returns the number of GPUs, clusters, blocks or warps so far. */
struct seat_counts {
    int gpus, clusters, blocks, warps;
};

/* Gives thread i the places that it shares with threads before it, and new ones otherwise. */
static void take_seat(const struct table *t, struct seat *seats, int i, struct seat_counts *n) {
    struct seat *s = &seats[i];
    *s = (struct seat){-1, -1, -1, -1, false, 0};
    for (int k = 0; k < i; k++) {
        const struct seat_words *a = &t->seats[i], *b = &t->seats[k];
        if (same_gpu(a, b)) s->gpu = seats[k].gpu;
        if (same_cluster(a, b)) s->cluster = seats[k].cluster;
        if (same_block(a, b)) s->block = seats[k].block;
        if (same_block(a, b) && same_level(a, b, SEAT_WARP)) s->warp = seats[k].warp;
    }
    if (s->gpu < 0) s->gpu = n->gpus++;
    if (s->cluster < 0) s->cluster = n->clusters++;
    if (s->block < 0) s->block = n->blocks++;
    if (s->warp < 0) s->warp = n->warps++;
}

void table_seat_threads(struct table *t) {
    struct test *test = t->test;
    struct seat *seats = arena_array(t->arena, (size_t)test->nthreads, sizeof *seats);
    struct seat_counts counts = {0};
    for (int i = 0; i < test->nthreads; i++)
        take_seat(t, seats, i, &counts);
    test->placements = arena_alloc(t->arena, sizeof *test->placements);
    test->placements[0] = *placement_of_seats(test, t->arena, seats, test->bodies[0].pos, t->diag);
    test->nplacements = 1;
}
