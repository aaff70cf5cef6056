/* Cycles: their words, their names, and that all of a space are made, each once. */
#include <stdlib.h>
#include <string.h>

#include "cm.h"
#include "cycle/cycle.h"
#include "source/read.h"

static struct cycle parse(const char *words) {
    struct cycle c;
    struct diag d = {0};
    if (!cycle_parse(words, &c, &d)) fail_msg("%s", d.messages[0].text);
    return c;
}

static void check_name(const char *words, const char *name) {
    struct arena *a = arena_open();
    struct cycle c = parse(words);
    assert_string_equal(cycle_name(&c, a), name);
    arena_close(a);
}

static void names_follow_the_convention(void **state) {
    (void)state;
    check_name("PodWW Rfe PodRR Fre", "MP");
    check_name("Rfe PodRR Fre PodWW", "MP");
    check_name("PodWW\tRfe \n PodRR\t Fre\n", "MP");
    check_name("FencedWW Rfe DpAddrdRR Fre", "MP+fence+addr");
    check_name("PodWW Rel.device Rfe Acq.device PodRR Fre", "MP+po-rel.device+acq.device-po");
    check_name("Fence.sc.devicedWR Fre PodWR Fre", "SB+po+fence.sc.device");
    check_name("PodRR Fre Rel.system Rfe PodRW Rfe", "WRC+rel.system+po+po");
    check_name("Fre Rfe PosRR", "CoRR");
    check_name("PodWW Wse PodWR Fre", "R");
    check_name("Rfi PodRR Fre Rfi PodRR Fre", "WrfiRR-fr-WrfiRR-fr");
}

static void check_refused(const char *words, const char *why) {
    struct cycle c;
    struct cycle_plan p;
    struct diag d = {0};
    const char *reason;
    if (!cycle_parse(words, &c, &d))
        assert_string_equal(d.messages[0].text, why);
    else if (!cycle_plan(&c, &p, &reason))
        assert_string_equal(reason, why);
    else
        fail_msg("'%s' is taken for a cycle", words);
    diag_free(&d);
}

static void what_is_no_cycle_is_refused(void **state) {
    (void)state;
    check_refused("", "'' is no cycle: it has less than two edges");
    check_refused("PodWW Rfx", "'Rfx' is no edge, and no strength of an access; did you mean 'Rfe'?");
    check_refused("PodXW Rfe", "'PodXW' is no edge, and no strength of an access; did you mean 'PodWW'?");
    check_refused("PoWW Rfe", "'PoWW' is no edge, and no strength of an access; did you mean 'PodWW'?");
    check_refused("Podd Rfe", "'Podd' is no edge, and no strength of an access; did you mean 'PodWW'?");
    check_refused("DpDatadRR Fre",
                  "'DpDatadRR' is no edge, and no strength of an access; did you mean 'DpDatadRW'?");
    check_refused("DpAddrdWR Fre",
                  "'DpAddrdWR' is no edge, and no strength of an access; did you mean 'DpAddrdRW'?");
    check_refused("Q Coe", "'Q' is no edge, and no strength of an access: see 'culitmus generate --help'");
    check_refused(
        "Fence.sc.everydWW Coe",
        "'Fence.sc.everydWW' is no edge, and no strength of an access: see 'culitmus generate --help'");
    check_refused("Fence.scdWW Coe",
                  "'Fence.scdWW' is no edge, and no strength of an access; did you mean 'FencedWW'?");
    check_refused("Rlx PodWW Coe",
                  "'Rlx' is no edge, and no strength of an access; did you mean 'Rlx.device'?");
    check_refused("PodWW rel.gpu Coe",
                  "'rel.gpu' is no edge, and no strength of an access; did you mean 'Rel.gpu'?");
    check_refused("PodWW Wsx",
                  "'Wsx' is no edge, and no strength of an access: see 'culitmus generate --help'");
    check_refused("PodWW Wk Vol Coe", "'Vol': this access has a strength already");
    check_refused("Wk PodWW Coe Vol",
                  "the first access has a strength at the begin and at the end of 'Wk PodWW Coe Vol'");
    check_refused("PodWW Fre", "this is no cycle: edge 1 leads to a write, and edge 2 leaves a read");
    check_refused("PodWR Rfe", "this is no cycle: edge 2 leads to a read, and edge 1 leaves a write");
    check_refused("PodWW Acq.block Rfe PodRR Fre", "edge 2 leaves a write, which cannot be acquire");
    check_refused("PodWW Rfe Rel.block PodRR Fre", "edge 3 leaves a read, which cannot be release");
    check_refused("Rfe Fre", "it has no edge within a thread");
    check_refused("PodWR Fri", "it needs two edges between threads");
    check_refused("PodWW Rfe PosRR Fre", "one edge alone leads to another location");
    check_refused("PodWW Coe PodWW Coe Coe Coe",
                  "a location has more than two writes, whose order nothing shows");
    check_refused("PosRR Fre Rfe PosRR Fre Rfe",
                  "one location is written in two places whose order nothing shows");
    check_refused("PodRR PodRW Rfe PodRW Rfe", "a read has nothing to do with any write");
    check_refused("PodWW Coe PodWW Coe PodWW Coe PodWW Coe PodWW Coe PodWW Coe PodWW Coe PodWW Coe PodWW Coe",
                  "'PodWW': a cycle has at most 16 edges");
}

/* ---- spaces ---- */

enum { MOST = 40000 };

struct collection {
    struct arena *arena;
    struct cycle cycles[MOST];
    const char *names[MOST];
    int n;
    double about; /* how many they are said to be */
};

static bool collect(const struct cycle *c, void *ctx) {
    struct collection *all = ctx;
    assert_true(all->n < MOST);
    all->names[all->n] = cycle_name(c, all->arena);
    all->cycles[all->n++] = *c;
    return true;
}

static struct collection *collect_all(int accesses, int threads, const char *const *edges,
                                      const char *const *strengths) {
    struct collection *all = calloc(1, sizeof *all);
    struct cycle_space s = {.accesses = accesses, .threads = threads};
    assert_non_null(all);
    all->arena = arena_open();
    for (; *edges; edges++)
        assert_true(cycle_add_edges(&s, *edges));
    for (; *strengths; strengths++)
        assert_true(cycle_add_strengths(&s, *strengths));
    cycle_enumerate(&s, collect, all);
    all->about = cycle_count(&s);
    return all;
}

static void release(struct collection *all) {
    arena_close(all->arena);
    free(all);
}

static int by_name(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static const char *const bare[] = {"bare", NULL};

static void every_critical_cycle_is_made_once(void **state) {
    static const char *const po[] = {"po", NULL};
    static const int expected[] = {[2] = 6, [3] = 23};
    (void)state;
    for (int threads = 2; threads <= 3; threads++) {
        struct collection *all = collect_all(2 * threads, threads, po, bare);
        assert_int_equal(all->n, expected[threads]);
        for (int k = 0; k < all->n; k++)
            assert_null(strchr(all->names[k], '-')); /* each has a name */
        release(all);
    }
}

/* Two threads of two accesses: an edge each of n kinds for RR, RW, WR, WW, and communication that closes the ring. */
static void kinds_of_edges_multiply(void **state) {
    static const char *const edges[] = {"po", "fence", "data", "addr", "ctrl", NULL};
    (void)state;
    struct collection *all = collect_all(4, 2, edges, bare);
    /* WW and WR have 2 kinds, RR 4, RW 5. MP, S, R: the products of two; 2+2W, SB, LB: unordered pairs. */
    assert_int_equal(all->n, 2 * 4 + 2 * 5 + 2 * 2 + 3 + 3 + 15);
    release(all);
}

/* What is counted without a visit has rings of one location, and takes a ring that is the same from both threads for a
 * half. */
static void cycles_are_counted_without_making_them(void **state) {
    static const char *const po[] = {"po", NULL}, *const several[] = {"po", "fence", "data", NULL};
    static const char *const strengths[] = {"bare", "relaxed.device", NULL};
    (void)state;
    struct collection *all = collect_all(4, 2, po, bare);
    assert_true(all->about > 6 - 1.5 - 1e-9 && all->about < 6 - 1.5 + 3);
    release(all);
    all = collect_all(5, 3, several, strengths);
    assert_true(all->n > 1000);
    assert_true(all->about > 0.95 * all->n && all->about < 1.3 * all->n);
    release(all);
}

static void names_differ(void **state) {
    static const char *const edges[] = {"po",   "pos", "fence", "fence.sc.block", "data", "addr",
                                        "ctrl", "rfi", NULL};
    static const char *const strengths[] = {"bare", "acquire.device", "release.block", NULL};
    (void)state;
    struct collection *all = collect_all(4, 3, edges, strengths);
    assert_true(all->n > 1000);
    qsort(all->names, (size_t)all->n, sizeof *all->names, by_name);
    for (int k = 1; k < all->n; k++)
        assert_string_not_equal(all->names[k - 1], all->names[k]);
    release(all);
}

static void words_are_read_back(void **state) {
    static const char *const edges[] = {"po", "fence.acq_rel.system", "data", "ctrl", "fri", NULL};
    static const char *const strengths[] = {"weak", "volatile", "relaxed.cluster", NULL};
    (void)state;
    struct collection *all = collect_all(4, 3, edges, strengths);
    assert_true(all->n > 1000);
    for (int k = 0; k < all->n; k++) {
        struct text words = {0};
        cycle_print(&all->cycles[k], &words);
        struct cycle again = parse(words.s);
        assert_int_equal(cycle_compare(&again, &all->cycles[k]), 0);
        text_free(&words);
    }
    release(all);
}

/* Those of a shape that has a name. */
static void names_are_read_back(void **state) {
    static const char *const edges[] = {"po", "fence", "fence.acq_rel.system", "data", "addr", "ctrl", NULL};
    static const char *const strengths[] = {"bare", "volatile", "relaxed.cluster", "acquire.device", NULL};
    (void)state;
    struct collection *all = collect_all(4, 3, edges, strengths);
    int read = 0;
    for (int k = 0; k < all->n; k++) {
        size_t length;
        struct cycle c;
        struct diag d = {0};
        if (!cycle_of_family(all->names[k], &length)) continue;
        if (!cycle_by_name(all->names[k], &c, &d)) fail_msg("%s", d.messages[0].text);
        c = cycle_canonical(&c);
        if (cycle_compare(&c, &all->cycles[k]) != 0) fail_msg("%s is read as another", all->names[k]);
        read++;
    }
    assert_true(read > 1000);
    release(all);
}

static void check_named(const char *name, const char *expected) {
    struct cycle c;
    struct diag d = {0};
    struct text words = {0};
    if (cycle_by_name(name, &c, &d)) cycle_print(&c, &words);
    assert_string_equal(d.n ? d.messages[0].text : words.s, expected);
    text_free(&words);
    diag_free(&d);
}

static void parts_of_names(void **state) {
    (void)state;
    check_named("SB+fences", "FencedWR Fre FencedWR Fre");
    check_named("LB+datas", "DpDatadRW Rfe DpDatadRW Rfe");
    check_named("WRW+2W+po+fence.sc.gpu", "Rfe PodRW Coe Fence.sc.devicedWW Coe");
    check_named("WRC+rel.device+po+acq.cta-po", "Rel.device Rfe PodRW Rfe Acq.block PodRR Fre");
    check_named("MP+po",
                "'MP+po': each thread of MP with two accesses needs a part of the name, as in MP+po+addr");
    check_named("MP+po+po+po", "'MP+po+po+po': 'po' is one part too many: MP has no thread for it");
    check_named("MP+data+po",
                "'MP+data+po': 'data' leads from a read, and that thread of MP begins with a write");
    check_named("MP+po+data",
                "'MP+po+data': 'data' leads from a read to a write, and that thread of MP reads twice");
    check_named("MP+po+dmb",
                "'MP+po+dmb': 'dmb' is not what a thread of MP can have between its accesses, which is "
                "po, fence, fence.sc.device, data, addr or ctrl, with what they are, as in "
                "rel.device-po-acq.block");
}

static void a_ring_is_the_same_wherever_it_begins(void **state) {
    (void)state;
    struct cycle c = parse("Rfe FencedRW Rel.device Coe PodWW Coe"), canonical = cycle_canonical(&c);
    for (int k = 1; k < c.n; k++) {
        struct cycle r = cycle_rotated(&c, k), same = cycle_canonical(&r);
        assert_int_equal(cycle_compare(&same, &canonical), 0);
    }
}

static void tests_of_cycles_are_read(void **state) {
    static const char *const edges[] = {"po",   "pos", "fence", "data", "addr",
                                        "ctrl", "rfi", "fri",   "coi",  NULL};
    (void)state;
    struct collection *all = collect_all(5, 3, edges, bare);
    for (int k = 0; k < all->n; k++) {
        struct text yaml = {0};
        struct diag d = {0};
        cycle_write(&all->cycles[k], all->names[k], &yaml);
        struct test *t = test_read_text(all->arena, "cycle.yaml", yaml.s, yaml.len, &d);
        if (!t) fail_msg("%s: %s", all->names[k], d.messages[0].text);
        diag_free(&d);
        text_free(&yaml);
    }
    release(all);
}

static void unknown_words_of_a_space_are_refused(void **state) {
    struct cycle_space s = {0};
    (void)state;
    assert_true(cycle_add_edges(&s, "fence"));
    assert_false(cycle_add_edges(&s, "fence"));
    assert_false(cycle_add_edges(&s, "fences"));
    assert_false(cycle_add_edges(&s, "rfe"));
    assert_false(cycle_add_edges(&s, "fence.sc"));
    assert_true(cycle_add_strengths(&s, "relaxed.device"));
    assert_int_equal(s.nstrengths, 2);
    assert_false(cycle_add_strengths(&s, "relaxed.device"));
    assert_false(cycle_add_strengths(&s, "relaxed"));
    assert_false(cycle_add_strengths(&s, "weak.device"));
    assert_true(cycle_add_strengths(&s, "release.block"));
    assert_int_equal(s.nstrengths, 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_follow_the_convention),
        cmocka_unit_test(what_is_no_cycle_is_refused),
        cmocka_unit_test(every_critical_cycle_is_made_once),
        cmocka_unit_test(kinds_of_edges_multiply),
        cmocka_unit_test(cycles_are_counted_without_making_them),
        cmocka_unit_test(names_differ),
        cmocka_unit_test(words_are_read_back),
        cmocka_unit_test(names_are_read_back),
        cmocka_unit_test(parts_of_names),
        cmocka_unit_test(a_ring_is_the_same_wherever_it_begins),
        cmocka_unit_test(tests_of_cycles_are_read),
        cmocka_unit_test(unknown_words_of_a_space_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
