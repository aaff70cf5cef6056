/* `generate`: makes tests from cycles, one that is given or all of a space. */
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "cli/choose.h"
#include "cycle/cycle.h"
#include "source/read.h"
#include "source/table.h"

enum {
    COUNT_MOST = 1000001,
    /* more than any limit */ DEFAULT_LIMIT = 10000,
    DEFAULT_SIZE = 4,
    DEFAULT_THREADS = 2
};

struct generation {
    const struct options *o;
    struct arena *arena;
    struct diag *diag;
    uint64_t random;
    long long left;   /* cycles that are still to come */
    long long wanted; /* how many of them are still to be taken */
    struct folder_file *tests;
    int n, cap;
};

/* Writes a table, which is one cell of the test: the first one that the options choose. */
static const char *as_table(struct generation *g, const char *yaml, const char *name) {
    int n;
    struct text out = {0};
    struct test *t =
        test_read_text(g->arena, arena_printf(g->arena, "%s.yaml", name), yaml, strlen(yaml), g->diag);
    struct cell *cells = t ? cells_chosen(g->arena, t, &g->o->cells, NULL, &n) : NULL;
    if (!cells || n == 0) {
        if (t) diag_fail(g->diag, "%s has no such cell", name);
        return NULL;
    }
    const char *why = litmus_write(g->arena, t, &cells[0], &out);
    if (why) diag_fail(g->diag, "%s: PTX syntax cannot express this cell: %s", name, why);
    const char *table = why ? NULL : arena_strdup(g->arena, out.s);
    text_free(&out);
    return table;
}

static const char *make_text(struct generation *g, const struct cycle *c, const char *name) {
    struct text out = {0};
    cycle_write(c, name, &out);
    const char *text = arena_strdup(g->arena, out.s);
    text_free(&out);
    return g->o->as && strcmp(g->o->as, "litmus") == 0 ? as_table(g, text, name) : text;
}

/* Prints such as "MP+fence+fence FencedWW Rfe FencedRR Fre". */
static void list_cycle(const char *name, const struct cycle *c) {
    struct text words = {0};
    cycle_print(c, &words);
    printf("%-24s %s\n", name, words.s);
    text_free(&words);
}

static bool make(struct generation *g, const struct cycle *c) {
    struct cycle named = cycle_named(c);
    const char *name = cycle_name(c, g->arena);
    if (!g->o->output && g->o->nargs == 0) {
        list_cycle(name, &named);
        return true;
    }
    const struct folder_file made = {arena_printf(g->arena, "%s.%s", name, g->o->as ? g->o->as : "yaml"),
                                     make_text(g, &named, name)};
    if (!made.text) return false;
    if (g->n == g->cap) {
        int cap = 2 * g->cap + 64;
        g->tests = arena_grow(g->arena, g->tests, (size_t)g->n, (size_t)cap, sizeof *g->tests);
        g->cap = cap;
    }
    g->tests[g->n++] = made;
    return true;
}

/* ---- all cycles of a space ---- */

static bool count_cycle(const struct cycle *c, void *ctx) {
    long long *count = ctx;
    (void)c;
    return ++*count < COUNT_MOST;
}

/* Takes a cycle with the probability wanted / left: so each sample of this size is equally likely. */
static bool take_cycle(const struct cycle *c, void *ctx) {
    struct generation *g = ctx;
    bool taken = random_next(&g->random) % (uint64_t)g->left < (uint64_t)g->wanted;
    g->left--;
    g->wanted -= taken;
    return !taken || make(g, c);
}

typedef bool add_word(struct cycle_space *s, const char *word);

/* Reports a word that cannot be added: it was given before, lacks a scope, or is unknown. */
static int refuse_word(const struct options *o, const char *option, const char *word, add_word *add) {
    struct cycle_space empty = {0};
    struct text scoped = {0};
    text_printf(&scoped, "%s.%s", word, scope_name(SCOPE_GPU));
    int code = add(&empty, word) ? usage_error(o->command, "option '--%s': '%s' is named twice", option, word)
               : add(&empty, scoped.s)
                   ? usage_error(o->command, "option '--%s': '%s' lacks a scope; did you mean '%s'?", option,
                                 word, scoped.s)
                   : usage_error(o->command, "option '--%s': there is no '%s'; there are %s", option, word,
                                 strcmp(option, "edges") == 0
                                     ? "po, pos, fence, data, addr, ctrl, rfi, coi and fri"
                                     : "bare, weak, volatile, relaxed, acquire and release");
    text_free(&scoped);
    return code;
}

/* Adds the words of a list. Returns 0, or EXIT_USAGE. */
static int read_words(const struct options *o, const struct choices *list, const char *option,
                      struct cycle_space *s, add_word *add) {
    for (int k = 0; k < list->n; k++)
        if (!add(s, list->item[k])) return refuse_word(o, option, list->item[k], add);
    return 0;
}

static int read_space(const struct options *o, struct cycle_space *s) {
    s->accesses = o->size ? (int)o->size : DEFAULT_SIZE;
    s->threads = o->threads ? (int)o->threads : DEFAULT_THREADS;
    int code = read_words(o, &o->edges, "edges", s, cycle_add_edges);
    if (!code) code = read_words(o, &o->strengths, "strengths", s, cycle_add_strengths);
    if (o->edges.n == 0) cycle_add_edges(s, "fence");
    if (o->strengths.n == 0) cycle_add_strengths(s, "bare");
    return code;
}

/* Reports that there are too many cycles, with their exact or approximate number. */
static int refuse_count(struct generation *g, const struct cycle_space *s, long long count) {
    bool exact = count < COUNT_MOST;
    const char *many =
        exact ? arena_printf(g->arena, "%lld", count) : arena_printf(g->arena, "about %.1e", cycle_count(s));
    diag_fail(g->diag, "there are %s such tests: name fewer edges or strengths%s", many,
              exact ? ", take a --sample, or raise the --limit" : "");
    return EXIT_USAGE;
}

static int make_all(struct generation *g) {
    const struct options *o = g->o;
    struct cycle_space s = {0};
    long long count = 0, limit = o->limit ? o->limit : DEFAULT_LIMIT;
    int code = read_space(o, &s);
    if (code) return code;
    cycle_enumerate(&s, count_cycle, &count);
    if (count == 0)
        return usage_error(o->command, "no cycle of at most %d accesses and %d threads is made of these",
                           s.accesses, s.threads);
    g->left = count;
    g->wanted = o->sample && o->sample < count ? o->sample : count;
    g->random = o->seed >= 0 ? (uint64_t)o->seed : 1;
    if (count == COUNT_MOST || g->wanted > limit) return refuse_count(g, &s, count);
    cycle_enumerate(&s, take_cycle, g);
    return g->diag->errors ? EXIT_INPUT : EXIT_FINE;
}

static int make_one(struct generation *g, const char *words) {
    struct cycle c;
    struct cycle_plan plan;
    const char *why;
    size_t length;
    bool named = cycle_of_family(words, &length) != NULL;
    if (!(named ? cycle_by_name : cycle_parse)(words, &c, g->diag)) return EXIT_INPUT;
    if (!cycle_plan(&c, &plan, &why)) {
        diag_fail(g->diag, "no test can show the cycle '%s': %s", words, why);
        return EXIT_INPUT;
    }
    return make(g, &c) ? EXIT_FINE : EXIT_INPUT;
}

/* Returns 0, or EXIT_USAGE when an option has no effect here. */
static int check_options(const struct options *o) {
    bool table = o->as && strcmp(o->as, "litmus") == 0;
    if (o->nargs > 1)
        return usage_error(
            o->command, "unexpected argument '%s': the words of a cycle stand in quotes, as one", o->args[1]);
    if (o->nargs && (o->size || o->threads || o->edges.n || o->strengths.n || o->sample || o->limit))
        return usage_error(o->command, "a cycle is given: what to make all cycles from is not for it");
    if (o->seed >= 0 && !o->sample) return usage_error(o->command, "option '--seed' is for '--sample'");
    if (o->as && !o->nargs && !o->output)
        return usage_error(o->command, "option '--as' is for tests: give a cycle, or '--output'");
    if (!table && (o->cells.fences.n || o->cells.placements.n || o->cells.accesses.n))
        return usage_error(o->command, "a cell is chosen for a table only: '--as litmus'");
    return EXIT_FINE;
}

int command_generate(const struct options *o) {
    struct diag d = {0};
    struct generation g = {.o = o, .diag = &d};
    int wrong = check_options(o);
    if (wrong) return wrong;
    g.arena = arena_open();
    int code = o->nargs ? make_one(&g, o->args[0]) : make_all(&g);
    if (!code && o->output)
        code = outputs_folder(o, g.arena, g.tests, g.n, &d);
    else if (!code && o->nargs)
        fputs(g.tests[0].text, stdout);
    diag_report(&d, code);
    arena_close(g.arena);
    return code;
}
