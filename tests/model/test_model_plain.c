/* The plain search against the search with prunings (prunings.def): all together, and one at a time. Programs are random,
 * with loops, compare-exchanges, branches, computed indices and threads that are alike. What is compared are whole sets of
 * outcomes, and what is said of them. */
#include <glob.h>
#include <stdlib.h>
#include <string.h>

#include "../random.h"
#include "../recorded.h"
#include "ask.h"
#include "logic/prunings.h"
#include "oracle.h"
#include "source/read.h"

static struct oracle oracle = {.programs = 200, .seed = 20261123};

enum { PLAIN_WORK = 60 * 1000, PRUNED_WORK = 4 * 1000 * 1000, TURNS = 2 };
enum { MAX_THREADS = 4, SHIPPED = 12 /* one cell in so many */ };

/* Prunings of loops: without them, answers may be bounded that are not, and more executions are counted. */
enum {
    OF_LOOPS = 1 << PRUNE_SPINS | 1 << PRUNE_POLLS | 1 << PRUNE_REPEATS | 1 << PRUNE_QUIET | 1 << PRUNE_FAINT
};

static const char *one_of(const char *const *from, int n) {
    return from[pick(n)];
}
#define ONE_OF(...)                                                                                          \
    one_of((const char *const[]){__VA_ARGS__}, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

/* ---- programs ---- */

static const char *location(void) {
    return ONE_OF("x", "x", "y", "a[0]", "a[1]");
}

static const char *load_order(void) {
    return ONE_OF("weak", "relaxed, device", "relaxed, device", "relaxed, block", "acquire, device");
}

static const char *store_order(void) {
    return ONE_OF("weak", "relaxed, device", "relaxed, device", "relaxed, block", "release, device");
}

/* The program at hand writes nothing but 0 and 1, so that no index leaves an array of two. */
static bool narrow;

/* Where all its threads meet, if they do, and how they sit. */
static const struct meeting {
    const char *how, *beside;
} meetings[] = {{"", NULL},
                {"__syncthreads(); ", " "},
                {"r = __any_sync(~0u, s == 1); ", "."},
                {"if (__any_sync(~0u, s == 1)) ", "."},
                {"do r = load(x, relaxed, device); while (__all_sync(~0u, r == 0)); ", "."},
                {"s = __syncthreads_or(r); ", " "}},
  *meeting;

/* A value: of registers r, s, o and the thread's number. */
static const char *value(void) {
    if (narrow) return ONE_OF("1", "1", "0", "r", "s", "o", "r ^ 1", "r & s", "r | s", "r == s", "!r");
    return ONE_OF("1", "1", "2", "0", "r", "s", "o", "r + 1", "s + 1", "r ^ 1", "r & s", "r | 1", "r + s",
                  "tid + 1");
}

static const char *condition(void) {
    return ONE_OF("r == 0", "r", "s == 1", "r == s", "r & 1", "o < 2", "r + s == 2", "s > r", "r != 1 && s");
}

static const char *reg(void) {
    return ONE_OF("r", "r", "s", "o");
}

/* An element of an array of two; if the program is not narrow, rarely one that may leave it. */
static const char *indexed(void) {
    if (narrow) return ONE_OF("a[r]", "a[s]", "a[o]", "a[r & s]", "a[r ^ 1]");
    return ONE_OF("a[r & 1]", "a[s & 1]", "a[r != 0]", "a[r == s]", "a[(r + s) & 1]", "a[o & 1]", "a[r]");
}

static const char *update(void) {
    if (narrow) return ONE_OF("atomicExch", "atomicOr", "atomicMax", "atomicXor", "atomicAnd");
    return ONE_OF("atomicAdd", "atomicAdd", "atomicExch", "atomicOr", "atomicMax", "atomicSub", "atomicMin");
}

static void add_access(struct text *t) {
    switch (pick(7)) {
    case 0:
    case 1: text_printf(t, "%s = load(%s, %s); ", reg(), location(), load_order()); break;
    case 2: text_printf(t, "store(%s, %s, %s); ", location(), value(), store_order()); break;
    case 3: text_printf(t, "%s = %s; ", reg(), indexed()); break;
    case 4: text_printf(t, "%s = %s; ", indexed(), value()); break;
    case 5:
        text_printf(t, "%s = atomicCAS(&%s, %s, %s); ", reg(), location(), ONE_OF("0", "0", "1", "r", "o"),
                    value());
        break;
    default: text_printf(t, "%s = %s(&%s, %s); ", reg(), update(), location(), value());
    }
}

static void add_statements(struct text *t, int n, int depth);

static void add_branch(struct text *t, int depth) {
    text_printf(t, "if (%s) { ", condition());
    add_statements(t, 1, depth - 1);
    if (pick(3) == 0) {
        text_add(t, "} else { ");
        add_statements(t, 1, depth - 1);
    }
    text_add(t, "} ");
}

static void add_loop(struct text *t, int depth) {
    const char *at = location();
    switch (narrow ? pick(5) : pick(10)) {
    case 0: text_printf(t, "while (load(%s, %s) == %d) {} ", at, load_order(), pick(3)); break;
    case 1: text_printf(t, "while ((r = load(%s, %s)) != %d) s = r; ", at, load_order(), pick(3)); break;
    case 2: text_printf(t, "while (atomicCAS(&%s, %d, %s) != 0) {} ", at, pick(2), value()); break;
    case 3: text_printf(t, "while (atomicExch(&%s, 1) != 0) {} ", at); break;
    case 4: text_printf(t, "do { r = %s; } while (%s); ", at, condition()); break;
    case 5: text_printf(t, "o = %s; while ((s = atomicCAS(&%s, o, o + 1)) != o) o = s; ", at, at); break;
    case 6: text_printf(t, "while (atomicAdd(&%s, %d) < %d) {} ", at, pick(2), 1 + pick(2)); break;
    case 7: text_printf(t, "while (atomicOr(&%s, 2) & 1) { o++; } ", at); break;
    case 8: text_printf(t, "while ((o = atomicAdd(&%s, 1)) < %d) { r = o; } ", at, 1 + pick(3)); break;
    default:
        text_printf(t, "for (int i = 0; i < 2; i++) { ");
        add_statements(t, 1, depth - 1);
        text_printf(t, "if (%s) break; } ", condition());
    }
}

static void add_statements(struct text *t, int n, int depth) {
    for (; n > 0; n--) {
        int kind = pick(10);
        if (kind < 2 && depth > 0)
            add_branch(t, depth);
        else if (kind < 4 && depth > 0)
            add_loop(t, depth);
        else if (kind == 4)
            text_add(t, ONE_OF("__threadfence(); ", "__threadfence_block(); "));
        else
            add_access(t);
    }
}

static void add_body(struct text *t, int n) {
    text_add(t, "int r = 0, s = 0, o = 0; ");
    add_statements(t, n, 2);
    if (!meeting->beside) return;
    text_add(t, meeting->how);
    add_statements(t, 1, 1);
}

/* The names of threads: those of the first body, and then one a body. */
struct names {
    char list[MAX_THREADS][16];
    int n;
};

/* Threads that are alike, and perhaps others. */
static struct names add_threads(struct text *t) {
    struct names names = {.n = 2 + (pick(3) == 0) + (pick(6) == 0)};
    int alike = pick(2) ? 2 + pick(names.n - 1) : 1, length = names.n == 2 ? 3 : names.n == 3 ? 2 : 1;
    for (int k = 0; k < names.n; k++)
        if (alike > 1 && k < alike)
            snprintf(names.list[k], sizeof *names.list, "t[%d]", k);
        else
            snprintf(names.list[k], sizeof *names.list, "T%d", k);
    text_printf(t, "placements: [\"");
    for (int k = 0; k < names.n; k++)
        text_printf(t, "%s%s",
                    k == 0            ? ""
                    : meeting->beside ? meeting->beside
                    : pick(4)         ? " | "
                                      : " ",
                    names.list[k]);
    text_add(t, "\"]\nthreads:\n");
    if (alike > 1) {
        text_printf(t, "  t:\n    count: %d\n    body: |\n      ", alike);
        add_body(t, 1 + pick(length));
        text_add(t, "\n");
    }
    for (int k = alike > 1 ? alike : 0; k < names.n; k++) {
        text_printf(t, "  T%d: |\n    ", k);
        add_body(t, 1 + pick(length));
        text_add(t, "\n");
    }
    return names;
}

/* What is observed: some registers, and perhaps memory. */
static void add_condition(struct text *t, const struct names *names) {
    text_add(t, ONE_OF("exists: ", "exists: ", "forall: ", "not_exists: "));
    for (int k = 0; k < names->n; k++)
        text_printf(t, "%s%s.%s == %d", k ? ONE_OF(" && ", " || ") : "", names->list[k], reg(), pick(3));
    if (pick(2)) text_printf(t, " && x == %d", pick(3));
    if (pick(3) == 0) text_printf(t, " && a[1] == %d", pick(2));
    text_add(t, "\n");
}

static void random_program(struct text *t) {
    narrow = pick(2);
    meeting = &meetings[pick(4) ? 0 : 1 + pick(5)];
    text_add(t, "name: test\nmemory: {x: 0, y: 0, a: {count: 2}}\n");
    struct names names = add_threads(t);
    add_condition(t, &names);
}

/* ---- comparison ---- */

struct judged {
    bool fine; /* no error of the test */
    struct model_result r;
};

static struct judged judge(const struct model *m, const struct test *t, const struct cell *cell,
                           unsigned without, const struct model_limits *how, struct arena *a) {
    struct diag d = {0};
    struct model_limits limits = *how;
    limits.candidates = without == 0 ? PRUNED_WORK : PLAIN_WORK;
    limits.without = without;
    struct judged j = {.fine = false};
    j.fine = model_check(m, t, cell, &limits, a, &j.r, &d);
    diag_free(&d);
    return j;
}

static bool lacks(const struct model_result *x, const struct model_result *y, int nobs) {
    for (int k = 0; k < y->noutcomes; k++)
        if (!model_allows(x, nobs, y->outcomes[k].values)) return true;
    return false;
}

/* What differs in two answers, of which the second was found without some prunings; NULL: nothing. (`unreached` is the
 * answer to a question that is given up early; so it may differ.) */
static const char *difference(const struct test *t, const struct judged *x, const struct judged *y,
                              unsigned without) {
    bool of_loops = without & OF_LOOPS;
    if ((x->fine && x->r.status != MODEL_DONE) || (y->fine && y->r.status != MODEL_DONE)) return NULL;
    if (x->fine != y->fine) return "an error";
    if (!x->fine) return NULL;
    if (!x->r.unlisted && lacks(&x->r, &y->r, t->nobs)) return "outcomes are lost";
    if (!y->r.unlisted && lacks(&y->r, &x->r, t->nobs)) return "outcomes are made up";
    if (x->r.allowed != y->r.allowed || x->r.holds != y->r.holds) return "the verdict";
    if (!x->r.fault != !y->r.fault || x->r.undefined != y->r.undefined) return "a flag";
    if (x->r.bounded != y->r.bounded && !(of_loops && y->r.bounded)) return "the bound";
    if (!of_loops && !x->r.uncounted && !y->r.uncounted && x->r.executions != y->r.executions)
        return "executions";
    return NULL;
}

struct figures {
    int compared, unknown, bounded, wrong;
};

static void name_prunings(unsigned without) {
    for (int p = 0; p < NPRUNINGS; p++)
        if (!prunes(without, (enum pruning)p)) print_error(" %s", pruning_name((enum pruning)p));
}

/* Whether interleavings give an outcome that an answer does not have: no dependency forbids one of those. */
static bool lacks_an_interleaving(const struct test *t, const struct cell *cell, const struct judged *pruned,
                                  const struct model_limits *how, struct arena *a) {
    struct judged y = judge(ask_model(a, "sc"), t, cell, ALL_PRUNINGS, how, a);
    return !y.fine || y.r.status != MODEL_DONE || lacks(&pruned->r, &y.r, t->nobs);
}

/* A path that is cut off shows few dependencies. A turn that is left out may let it end in the same bound, so that it shows
 * one, and less is allowed: then the plain search is to find the same with more turns. If it cuts off a path there as well,
 * and the pruned search none, then what is lost is at least to be no interleaving. */
static bool differs_by_bound(const struct model *m, const struct test *t, const struct cell *cell,
                             const struct judged *pruned, unsigned without, const struct model_limits *how) {
    enum { MORE_TURNS = 2 };
    struct arena *a = arena_open();
    struct model_limits more = *how;
    more.unroll += MORE_TURNS;
    struct judged y = judge(m, t, cell, without, &more, a);
    bool known = y.fine && y.r.status == MODEL_DONE && pruned->fine;
    bool same = known && !difference(t, pruned, &y, without);
    if (known && !same && y.r.bounded && !pruned->r.bounded && !pruned->r.unlisted &&
        !lacks(&y.r, &pruned->r, t->nobs))
        same = !lacks_an_interleaving(t, cell, pruned, how, a);
    arena_close(a);
    return same && (without & OF_LOOPS);
}

static void compare(struct figures *f, const char *text, const struct model *m, const struct test *t,
                    const struct cell *cell, const struct judged *pruned, unsigned without,
                    const struct model_limits *how) {
    struct arena *a = arena_open();
    struct judged y = judge(m, t, cell, without, how, a);
    const char *what = difference(t, pruned, &y, without);
    bool known = !y.fine || y.r.status == MODEL_DONE;
    f->compared += known;
    f->unknown += !known;
    f->bounded += y.fine && y.r.bounded;
    if (what && !differs_by_bound(m, t, cell, pruned, without, how)) {
        f->wrong++;
        print_error("%s\n%s: %s; %d outcomes, %lld executions, and %d, %lld without", text, model_name(m),
                    what, pruned->r.noutcomes, pruned->r.executions, y.r.noutcomes, y.r.executions);
        name_prunings(without);
        print_error("\n");
    }
    arena_close(a);
}

/* Compares a program with all prunings, with none, without one, and with that one alone. */
static void compare_program(struct figures *f, const struct model *m, const char *text, int one) {
    struct arena *a = arena_open();
    struct test *t;
    const struct cell *cell = ask_cell(a, text, &t);
    struct model_limits how = {.unroll = TURNS, .counting = pick(2) ? -1 : 0, .outcomes = pick(6) ? 0 : 1};
    struct judged pruned = judge(m, t, cell, 0, &how, a);
    if (pruned.fine && pruned.r.status != MODEL_DONE) {
        f->unknown++;
    } else {
        compare(f, text, m, t, cell, &pruned, ALL_PRUNINGS, &how);
        compare(f, text, m, t, cell, &pruned, 1u << one, &how);
        compare(f, text, m, t, cell, &pruned, ALL_PRUNINGS & ~(1u << one), &how);
    }
    arena_close(a);
}

/* The dependencies of the text are more than those that no compiler can delete: they allow no other outcome. */
static void compare_syntactic(struct figures *f, const struct model *m, const struct model *of_text,
                              const char *text) {
    struct arena *a = arena_open();
    struct test *t;
    const struct cell *cell = ask_cell(a, text, &t);
    struct model_limits how = {.unroll = TURNS, .counting = -1};
    struct judged x = judge(m, t, cell, 0, &how, a), y = judge(of_text, t, cell, 0, &how, a);
    bool known = x.fine && y.fine && x.r.status == MODEL_DONE && y.r.status == MODEL_DONE;
    f->compared += known;
    if (known && !x.r.unlisted && lacks(&x.r, &y.r, t->nobs)) {
        f->wrong++;
        print_error("%s\n%s allows more\n", text, model_name(of_text));
    }
    arena_close(a);
}

/* A model whose pairs of an order depend on what was read. */
static const char late_pairs[] = "with o from order(0, (rf; (po & R * W)) & loc)\nacyclic po & loc | rf | co "
                                 "| fr\nempty rmw & (fre; coe)\n"
                                 "empty o & ext\n";

static void test_random_programs(void **state) {
    (void)state;
    struct arena *a = arena_open();
    ask_write("late.cat", late_pairs);
    const char *const names[] = {"ptx", "sc", "x86-tso", "aarch64", "./late.cat"};
    const struct model *models[7];
    struct figures f = {0};
    for (int k = 0; k < 5; k++)
        models[k] = ask_model(a, names[k]);
    models[5] = model_syntactic(a, models[0]);
    models[6] = model_syntactic(a, models[3]);
    seed = oracle.seed;
    for (; oracle.drawn < oracle.programs; oracle.drawn++) {
        struct text t = {0};
        random_program(&t);
        compare_program(&f, models[pick(2) ? 0 : pick(7)], t.s, (int)(oracle.drawn % NPRUNINGS));
        if (pick(4) == 0) compare_syntactic(&f, models[3], models[6], t.s);
        text_free(&t);
    }
    print_message("%d bounded\n", f.bounded);
    arena_close(a);
    oracle.compared = f.compared;
    oracle.unknown = f.unknown;
    oracle.different = f.wrong;
    assert_int_equal(f.wrong, 0);
    assert_true(f.compared > 2 * oracle.drawn);
}

/* A part of the cells of the shipped tests, as far as the plain search ends in a little while. */
static void test_shipped_tests(void **state) {
    (void)state;
    glob_t files;
    struct figures f = {0};
    struct arena *models = arena_open();
    const struct model *m = ask_model(models, "ptx");
    const struct model_limits how = {.unroll = TURNS, .counting = -1};
    assert_int_equal(glob(DOCS "/../litmus/*/*.yaml", 0, NULL, &files), 0);
    for (size_t k = 0; k < files.gl_pathc; k++) {
        struct diag d = {0};
        struct arena *a = arena_open();
        struct test *t = test_read(a, files.gl_pathv[k], &d);
        int n = 0;
        assert_non_null(t);
        struct cell *cells = test_cells(t, a, &n);
        for (int c = (int)k % SHIPPED; c < n; c += SHIPPED) {
            struct judged pruned = judge(m, t, &cells[c], 0, &how, a);
            if (pruned.r.status == MODEL_DONE)
                compare(&f, files.gl_pathv[k], m, t, &cells[c], &pruned, ALL_PRUNINGS, &how);
        }
        arena_close(a);
        diag_free(&d);
    }
    print_message("shipped tests: %d comparisons, %d bounded, %d unknown\n", f.compared, f.bounded,
                  f.unknown);
    globfree(&files);
    arena_close(models);
    assert_int_equal(f.wrong, 0);
    assert_true(f.compared > f.unknown);
}

/* Of two atomic operations, a pair breaks the model that is known when rf is; two writes make no such pair. */
static const char *const late[] = {
    TEST("T0 | T1", "x: 0", THREAD("T0", "atomicExch(&x, 2);") THREAD("T1", "atomicExch(&x, 2);"),
         "exists: x == 2"),
    TEST("T0 | T1", "x: 0", THREAD("T0", "x = 2;") THREAD("T1", "x = 2;"), "exists: x == 2"),
};

static void test_late_pairs(void **state) {
    (void)state;
    struct arena *a = arena_open();
    const struct model_limits limits = {.counting = -1, .without = 1u << PRUNE_CONSEQUENCES};
    ask_write("late.cat", late_pairs);
    for (int k = 0; k < 2; k++)
        assert_int_equal(ask(ask_model(a, "./late.cat"), late[k], &limits).allowed, k);
    arena_close(a);
}

#define TWO_POLL                                                                                             \
    "name: poll\nmemory: {x: 0}\nplacements: [\"t[0].t[1] | C\"]\nthreads:\n  t:\n    count: 2\n    body: "  \
    "|\n"                                                                                                    \
    "      int r = 0;\n      do r = load(x, relaxed, device); while (__all_sync(~0u, r == 0));\n"            \
    "  C: |\n    store(x, 1, relaxed, device);\nexists: t[0].r == 0 && t[1].r == 1\n"
#define FOUR_VOTE                                                                                            \
    "name: vote\nmemory: {x: 0}\nplacements: [\"t[0].t[1].t[2].t[3] | C\"]\nthreads:\n  t:\n    count: 4\n"  \
    "    body: |\n      int r = load(x, relaxed, device), o = 0;\n      if (__any_sync(~0u, r == 1)) o = "   \
    "1;\n"                                                                                                   \
    "      if (__any_sync(~0u, r == 2)) o += 2;\n      if (__any_sync(~0u, r == 3)) o += 4;\n"               \
    "  C: |\n    store(x, 1, relaxed, device);\nexists: t[0].o == 1 && t[1].o == 0\n"

/* Each switch is for its own pruning: without `polls` the turns of a poll are followed to the bound, without `votes` there are
 * too many choices of paths. */
static void test_meetings(void **state) {
    (void)state;
    static const struct {
        const char *text;
        unsigned without;
        bool bounded;
        enum model_status status;
    } rows[] = {{TWO_POLL, 0, false, MODEL_DONE},
                {TWO_POLL, 1u << PRUNE_VOTES, false, MODEL_DONE},
                {TWO_POLL, 1u << PRUNE_POLLS, true, MODEL_DONE},
                {TWO_POLL, 1u << PRUNE_SPINS, true, MODEL_DONE},
                {FOUR_VOTE, 0, false, MODEL_DONE},
                {FOUR_VOTE, 1u << PRUNE_POLLS, false, MODEL_DONE},
                {FOUR_VOTE, 1u << PRUNE_VOTES, false, MODEL_UNKNOWN}};
    struct arena *a = arena_open();
    const struct model *m = ask_model(a, "ptx");
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        struct test *t;
        const struct cell *cell = ask_cell(a, rows[k].text, &t);
        const struct model_limits how = {.candidates = 20 * 1000, .without = rows[k].without};
        struct diag d = {0};
        struct model_result r;
        assert_true(model_check(m, t, cell, &how, a, &r, &d));
        if (r.status != rows[k].status || (r.status == MODEL_DONE && r.bounded != rows[k].bounded))
            fail_msg("row %zu: %s, %s", k, r.status == MODEL_DONE ? "done" : r.why,
                     r.bounded ? "bounded" : "whole");
        diag_free(&d);
    }
    arena_close(a);
}

/* The table of the documentation is the rows. */
static void test_documented_prunings(void **state) {
    (void)state;
    struct text rows = {0};
#define PRUNING(id, name, what) text_add(&rows, "| `" name "` | " what " |\n");
#include "logic/prunings.def"
    assert_true(recorded_table(DOCS "/models.md", "\n| name | does this |\n|---|---|\n", rows.s));
    text_free(&rows);
}

int main(int argc, char **argv) {
    oracle_begin(&oracle, "test_random*", argc, argv);
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_documented_prunings),
                                       cmocka_unit_test(test_late_pairs), cmocka_unit_test(test_meetings),
                                       cmocka_unit_test(test_shipped_tests),
                                       cmocka_unit_test(test_random_programs)};
    return oracle_end(&oracle, cmocka_run_group_tests(tests, ask_enter_folder, ask_leave_folder));
}
