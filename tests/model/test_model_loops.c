/* Loops that try again with what they found, as those around a compare-exchange do, against the same turns written one
 * behind the other. The model leaves out turns that tell no more than fewer would (unfold_repeat.c); written out, each is
 * looked at. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "../random.h"
#include "ask.h"
#include "base/text.h"
#include "oracle.h"

enum { WRITTEN_OUT = 4 /* turns */ };
static struct oracle oracle = {.programs = 200, .seed = 20261122};

/* A loop: how it finds a value first, which values it waits behind, how it tries, when that is enough, and what it keeps. */
struct retry {
    const char *first, *waits, *load, *attempt, *stop, *keep;
};

static const char *one_of(const char *const *from, int n) {
    return from[pick(n)];
}
#define ONE_OF(...)                                                                                          \
    one_of((const char *const[]){__VA_ARGS__}, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

#define LOADS "x", "load(x, relaxed, device)", "load(x, acquire, device)", "load(x, weak)"

/* A loop around a compare-exchange. */
static struct retry random_exchange(void) {
    return (struct retry){.first = ONE_OF(LOADS, "0", "1"),
                          .waits = ONE_OF("", "", "o == 2", "o > 0", "o == 1 || o == 3"),
                          .load = ONE_OF(LOADS),
                          .attempt = ONE_OF("atomicCAS(&x, o, o + 1)", "atomicCAS(&x, o, 3)",
                                            "atomicCAS_block(&x, o, o + 1)",
                                            "compare_exchange(x, o, o + 2, acquire, device)",
                                            "compare_exchange(x, o, 1, release, device)",
                                            "compare_exchange(x, o, o ^ 3, acq_rel, device)"),
                          .stop = "s == o",
                          .keep = "o = s;"};
}

/* One that reads until it has seen something of two values. */
static struct retry random_poll(void) {
    return (struct retry){.first = ONE_OF(LOADS, "0", "0", "1", "2"),
                          .waits = ONE_OF("", "", "", "o == 2", "o == 1"),
                          .load = ONE_OF(LOADS),
                          .attempt = ONE_OF(LOADS),
                          .stop = ONE_OF("s == o", "s == o + 1", "s > o", "s < o", "s == 2 - o",
                                         "s == 1 && o == 2", "s != o && s != 1"),
                          .keep = ONE_OF("o = s;", "o = s;", "o = s;", "o = s + 1;", "o = s & 1;",
                                         "o = 2 * (s == 1);", "if (s) o = s;")};
}

/* The turns from the first to the last, written one behind the other; a thread that needs more never ends. */
static void write_turns(struct text *t, const struct retry *r, const char *fence, int left) {
    if (left == 0) {
        text_add(t, "while (1) {} ");
        return;
    }
    if (r->waits[0]) {
        text_printf(t, "if (%s) { o = %s; ", r->waits, r->load);
        write_turns(t, r, fence, left - 1);
        text_add(t, "} else { ");
    }
    text_printf(t, "%ss = %s; if (!(%s)) { %s ", fence, r->attempt, r->stop, r->keep);
    write_turns(t, r, fence, left - 1);
    text_add(t, r->waits[0] ? "} } " : "} ");
}

static void write_loop(struct text *t, const struct retry *r, const char *fence) {
    text_add(t, "while (true) { ");
    if (r->waits[0]) text_printf(t, "if (%s) { o = %s; continue; } ", r->waits, r->load);
    text_printf(t, "%ss = %s; if (%s) break; %s } ", fence, r->attempt, r->stop, r->keep);
}

/* Writes a thread with a loop, into the test that has loops and into the one where they are written out. */
static void write_thread(struct text *loops, struct text *turns, int number) {
    struct retry r = pick(4) ? random_exchange() : random_poll();
    const char *before = ONE_OF("", "y = 1; ", "store(y, 1, weak); ", "int q = y; ",
                                "int q = y; __threadfence(); ", "y = 1; __threadfence(); ");
    const char *fence = ONE_OF("", "", "", "__threadfence(); ");
    const char *after =
        ONE_OF("", "r = y; ", "r = load(y, weak); ", "__threadfence(); r = y; ", "y = 1; ", "y = o + 1; ",
               "__threadfence(); y = 2; ", "atomicExch(&x, 0); ", "__threadfence(); atomicSub(&x, 1); ");
    struct text *both[] = {loops, turns};
    for (int k = 0; k < 2; k++) {
        text_printf(both[k], "  T%d: |\n    int r = 0, s = 0; %sint o = %s; ", number, before, r.first);
        if (k)
            write_turns(both[k], &r, fence, WRITTEN_OUT);
        else
            write_loop(both[k], &r, fence);
        text_printf(both[k], "%s\n", after);
    }
}

static void write_other(struct text *loops, struct text *turns) {
    const char *body = ONE_OF("x = 1;", "x = 2; y = 1;", "int r = y; x = r;", "atomicExch(&x, 2);",
                              "atomicAdd(&x, 1);", "y = 2; __threadfence(); x = 2;", "store(x, 2, weak);",
                              "x = 1; x = 0;", "if (atomicCAS(&x, 0, 2) == 0) { __threadfence(); x = 0; }");
    text_printf(loops, "  T2: |\n    %s\n", body);
    text_printf(turns, "  T2: |\n    %s\n", body);
}

static void random_test(struct text *loops, struct text *turns) {
    const char *placement = ONE_OF("T0 | T1 | T2", "T0 | T1 | T2", "T0 T1 | T2", "T0 T1 T2", "T0.T1 | T2");
    static const char head[] = "name: test\nmemory: {x: 0, y: 0}\nplacements: [\"%s\"]\nthreads:\n";
    bool two = pick(2);
    text_printf(loops, head, placement);
    text_printf(turns, head, placement);
    write_thread(loops, turns, 0);
    if (two) {
        write_thread(loops, turns, 1);
    } else {
        const char *body = ONE_OF("x = 2;", "y = 1; __threadfence(); atomicAdd(&x, 1);", "int r = x; y = r;");
        text_printf(loops, "  T1: |\n    %s\n", body);
        text_printf(turns, "  T1: |\n    %s\n", body);
    }
    write_other(loops, turns);
    const char *seen = two ? "exists: T0.r == 1 && T0.o == 0 && T1.r == 0 && T1.o == 1 && x == 1 && y == 1\n"
                           : "exists: T0.r == 1 && T0.o == 0 && x == 1 && y == 1\n";
    text_add(loops, seen);
    text_add(turns, seen);
}

static struct model_result judge(const struct model *m, struct arena *a, const struct text *text) {
    struct diag d = {0};
    struct test *t;
    const struct cell *cell = ask_cell(a, text->s, &t);
    const struct model_limits limits = {.counting = -1, .unroll = WRITTEN_OUT};
    struct model_result r = {0};
    assert_true(model_check(m, t, cell, &limits, a, &r, &d));
    diag_free(&d);
    return r;
}

static bool same_outcomes(const struct model_result *x, const struct model_result *y, int nobs) {
    bool same = x->noutcomes == y->noutcomes;
    for (int k = 0; same && k < x->noutcomes; k++)
        same = model_allows(y, nobs, x->outcomes[k].values);
    return same;
}

/* What the loops give is what their turns give. */
static void test_random_loops(void **state) {
    (void)state;
    int bounded = 0;
    struct arena *all = arena_open();
    const struct model *m = ask_model(all, "ptx");
    seed = oracle.seed;
    for (; oracle.drawn < oracle.programs; oracle.drawn++) {
        struct text loops = {0}, turns = {0};
        struct arena *a = arena_open();
        random_test(&loops, &turns);
        struct model_result x = judge(m, a, &loops), y = judge(m, a, &turns);
        struct test *t;
        ask_cell(a, loops.s, &t);
        bool good = x.status == MODEL_DONE && y.status == MODEL_DONE && !x.bounded;
        oracle.compared += good;
        oracle.unknown += !good;
        bounded += x.bounded;
        if (good && !same_outcomes(&x, &y, t->nobs)) {
            oracle.different++;
            print_error("%s\n%s\nthe loops have %d outcomes, their turns %d\n", loops.s, turns.s, x.noutcomes,
                        y.noutcomes);
        }
        text_free(&loops);
        text_free(&turns);
        arena_close(a);
    }
    arena_close(all);
    assert_int_equal(oracle.different, 0);
    assert_true(bounded < oracle.drawn / 2);
    assert_true(oracle.compared > oracle.drawn / 2);
}

/* A turn, which may never end, or be the last. */
static const char *random_turn(void) {
    return ONE_OF("if (z == 0) while (1) {}", "if (z != 1) while (1) {}", "if (w == 0) while (1) {}",
                  "while (w == 0) {}", "if (z == 0) break;", "if (z == n) break;", "if (w == 1) y = 1;",
                  "if (z == 0) n = 4;", "r = z;");
}

/* A loop whose turns hang on what another thread writes when it sees what comes behind the loop. */
static void write_awaited(struct text *t) {
    const char *asked = ONE_OF("x == 1", "x == 1", "x != 0", "x & 1", "x == 1 || r == 1", "x + r == 1");
    const char *turn = random_turn(), *more = pick(2) ? random_turn() : "";
    const char *behind = ONE_OF("y = 1;", "y = 1;", "if (z == 1) y = 1; else y = 1;", "if (r == 0) y = 1;",
                                "if (n != 3) y = 1;", "y = n < 9;");
    text_printf(t,
                "name: test\nmemory: {x: 0, y: 0, z: 0, w: 0}\nplacements: [\"T0 | T1 | T2\"]\nthreads:\n"
                "  T0: |\n    int n = 0, r = 0; %swhile (%s && n < 4) { %s %s n++; } %s\n"
                "  T1: |\n    int s = y; if (s == 1) x = 1;\n  T2: |\n    %s\nexists: T0.n == 4\n",
                ONE_OF("", "r = z; "), asked, turn, more, behind,
                ONE_OF("z = 1;", "z = 1; w = 1;", "w = 1;"));
}

/* What more turns allow is not forbidden within fewer, or it is said that turns were bounded. */
static void test_random_bounds(void **state) {
    enum { ALL = 6, PART = 20 /* one program here, for so many of the others */ };
    (void)state;
    int allowed = 0, early = 0;
    seed = oracle.seed;
    struct arena *a = arena_open();
    const struct model *m = ask_model(a, "ptx");
    for (int k = 0; k < 2 + oracle.programs / PART; k++) {
        struct text t = {0};
        write_awaited(&t);
        bool more = ask(m, t.s, &(struct model_limits){.counting = -1, .unroll = ALL}).allowed;
        for (int turns = 1; more && turns < 4; turns++) {
            struct answer few = ask(m, t.s, &(struct model_limits){.counting = -1, .unroll = turns});
            bool wrong = few.status == MODEL_DONE && !few.allowed && !few.bounded;
            if (wrong) print_error("%swithin %d turns this is forbidden\n", t.s, turns);
            early += wrong;
        }
        allowed += more;
        text_free(&t);
    }
    arena_close(a);
    oracle.compared += allowed;
    oracle.different += early;
    assert_int_equal(early, 0);
    assert_true(allowed > 0 || oracle.programs < 10 * PART);
}

/* What only a second turn does, which the first could not have done: what was said of a value decides it. */
static const char *const needed[] = {
    /* what the turn before said of the value that it found */
    "int o = 0; while (true) { s = x; if (s == 3) break; if (o > 1) q = 1; if (s > 1) z = 1; o = s; }",
    "int o = 0; while (true) { s = x; if (s == 3) break; if (o) q = 1; if (s) z = 1; o = s; }",
    /* what the turn before said of the value that it began with */
    "int o = y; while (true) { s = x; if (s == 3) break; if (o > 1) q = 1; o = s; }",
    "int o = y; while (true) { s = x; if (s == 3) break; if (o) q = 1; o = s; }",
};

static void test_needed_turns(void **state) {
    (void)state;
    struct arena *a = arena_open();
    const struct model *m = ask_model(a, "ptx");
    for (size_t k = 0; k < sizeof needed / sizeof *needed; k++) {
        struct text t = {0};
        text_printf(&t,
                    "name: test\nmemory: {x: 0, y: 0}\nplacements: [\"T0 | T1\"]\nthreads:\n  T0: |\n"
                    "    int s = 0, q = 0, z = 0; %s\n  T1: |\n    x = 2; x = 3;\nexists: T0.q == 1\n",
                    needed[k]);
        struct model_result r = judge(m, a, &t);
        if (!r.allowed) print_error("a turn is left out that is needed:\n%s\n", t.s);
        assert_true(r.status == MODEL_DONE && r.allowed);
        text_free(&t);
    }
    arena_close(a);
}

int main(int argc, char **argv) {
    oracle_begin(&oracle, "test_random*", argc, argv);
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_needed_turns),
                                       cmocka_unit_test(test_random_loops),
                                       cmocka_unit_test(test_random_bounds)};
    return oracle_end(&oracle, cmocka_run_group_tests(tests, NULL, NULL));
}
