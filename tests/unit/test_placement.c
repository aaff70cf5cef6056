/* Placements: who sits where; and the columns of the fence axis. */
#include "cm.h"
#include "dump.h"
#include "litmus/axes.h"
#include "source/read.h"

static struct test *read_threads(struct arena *a, const char *memory, const char *threads, const char *rest,
                                 struct diag *d) {
    char *file =
        arena_printf(a, "name: T\nmemory: %s\nthreads: %s\nexists: X == 1\n%s\n", memory, threads, rest);
    return test_read_text(a, "t.yaml", file, strlen(file), d);
}

/* Seats as "gpu.cluster.block.warp" or "host", for each thread. */
static void check(const char *threads, const char *layout, const char *want) {
    struct arena *a = arena_open();
    struct diag d = {0};
    struct test *t = read_threads(a, "{X: 0}", threads, "", &d);
    assert_non_null(t);
    const struct placement *p = placement_parse(t, a, layout, (struct pos){0}, &d);
    assert_non_null(p);
    assert_string_equal(p->name, layout);
    struct text got = {0};
    for (int i = 0; i < t->nthreads; i++) {
        const struct seat *s = &p->seats[i];
        text_add(&got, i ? " " : "");
        if (s->host)
            text_add(&got, "host");
        else
            text_printf(&got, "%d.%d.%d.%d", s->gpu, s->cluster, s->block, s->warp);
    }
    text_printf(&got, " / %d %d %d %d %d", p->ngpus, p->nclusters, p->nblocks, p->nwarps, p->nhost);
    if (p->one_sm) text_add(&got, " one multiprocessor");
    assert_string_equal(got.s, want);
    text_free(&got);
    diag_free(&d);
    arena_close(a);
}

static const char three[] = "{A: X = 1;, B: X = 2;, C: X = 3;}";
static const char counted[] = "{A: X = 1;, W: {count: 3, body: X = 2;}}";

static void built_in(void **state) {
    (void)state;
    check(three, "warp", "0.0.0.0 0.0.0.0 0.0.0.0 / 1 1 1 1 0");
    check(three, "block", "0.0.0.0 0.0.0.1 0.0.0.2 / 1 1 1 3 0");
    check(three, "cluster", "0.0.0.0 0.0.1.1 0.0.2.2 / 1 1 3 3 0");
    check(three, "device", "0.0.0.0 0.1.1.1 0.2.2.2 / 1 3 3 3 0");
    check(three, "sm", "0.0.0.0 0.1.1.1 0.2.2.2 / 1 3 3 3 0 one multiprocessor");
    check(three, "peer", "0.0.0.0 1.1.1.1 2.2.2.2 / 3 3 3 3 0");
    check(three, "host", "0.0.0.0 host host / 1 1 1 1 2");
}

static void layouts(void **state) {
    (void)state;
    check(three, "A B | C", "0.0.0.0 0.0.0.1 0.1.1.2 / 1 2 2 3 0");
    check(three, "A B & C", "0.0.0.0 0.0.0.1 0.0.1.2 / 1 1 2 3 0");
    check(three, "A&B | C", "0.0.0.0 0.0.1.1 0.1.2.2 / 1 2 3 3 0");
    check(three, "A.B C", "0.0.0.0 0.0.0.0 0.0.0.1 / 1 1 1 2 0");
    check(three, "C|B||A", "1.2.2.2 0.1.1.1 0.0.0.0 / 2 3 3 3 0");
    check(three, "  A . B.C  ", "0.0.0.0 0.0.0.0 0.0.0.0 / 1 1 1 1 0");
    check(three, "A@host | B C", "host 0.0.0.0 0.0.0.1 / 1 1 1 2 1");
    check(three, "A B@host C", "0.0.0.0 host 0.0.0.1 / 1 1 1 2 1");
    check(counted, "A | W", "0.0.0.0 0.1.1.1 0.1.1.2 0.1.1.3 / 1 2 2 4 0");
    check(counted, "A.W", "0.0.0.0 0.0.0.0 0.0.0.0 0.0.0.0 / 1 1 1 1 0");
    check(counted, "W[2] A | W[0].W[1]", "0.0.0.1 0.1.1.2 0.1.1.2 0.0.0.0 / 1 2 2 3 0");
}

static const char grids[] = "{G: {grid: 2, block: 2, body: X = 1;}, T: X = 2;}";
static const char large_block[] = "{G: {block: 33, body: X = 1;}}";

static void grids_are_placed_block_by_block(void **state) {
    (void)state;
    check(grids, "device", "0.0.0.0 0.0.0.0 0.1.1.1 0.1.1.1 0.2.2.2 / 1 3 3 3 0");
    check(grids, "sm", "0.0.0.0 0.0.0.0 0.1.1.1 0.1.1.1 0.2.2.2 / 1 3 3 3 0 one multiprocessor");
    check(grids, "cluster", "0.0.0.0 0.0.0.0 0.0.1.1 0.0.1.1 0.0.2.2 / 1 1 3 3 0");
    check(grids, "peer", "0.0.0.0 0.0.0.0 1.1.1.1 1.1.1.1 2.2.2.2 / 3 3 3 3 0");
    check(grids, "host", "0.0.0.0 0.0.0.0 0.1.1.1 0.1.1.1 host / 1 2 2 2 1");
    check(grids, "G | T", "0.0.0.0 0.0.0.0 0.1.1.1 0.1.1.1 0.2.2.2 / 1 3 3 3 0");
    check(grids, "T || G[1] & G[0]", "1.1.2.2 1.1.2.2 1.1.1.1 1.1.1.1 0.0.0.0 / 2 2 3 3 0");
}

static void a_block_has_warps_of_32(void **state) {
    (void)state;
    struct arena *a = arena_open();
    struct diag d = {0};
    struct test *t = read_threads(a, "{X: 0}", large_block, "placements: [block, G, device]", &d);
    assert_non_null(t);
    for (int p = 0; p < t->nplacements; p++) {
        assert_int_equal(t->placements[p].nwarps, 2);
        assert_int_equal(t->placements[p].seats[31].warp, 0);
        assert_int_equal(t->placements[p].seats[32].warp, 1);
    }
    arena_close(a);
}

static void kernels_follow_each_other(void **state) {
    (void)state;
    struct arena *a = arena_open();
    struct diag d = {0};
    struct test *t = read_threads(a, "{X: 0}", "{A: X = 1;, B: X = 2;, C: X = 3;, D: X = 4;}",
                                  "placements: [A | B -> C ~> D, A -> C B ~> D]", &d);
    assert_non_null(t);
    const struct placement *p = &t->placements[0];
    assert_int_equal(p->nkernels, 3);
    assert_int_equal(p->nblocks, 4);
    for (int k = 0; k < 4; k++)
        assert_int_equal(p->seats[k].kernel, k == 0 ? 0 : k - 1);
    assert_true(placement_follows(p, 1, 0));
    assert_false(placement_follows(p, 0, 1));
    assert_false(placement_follows(p, 2, 1));
    assert_false(placement_follows(p, 2, 0));
    assert_true(placement_awaits(p, 2, 1));
    assert_true(placement_awaits(p, 2, 0));
    assert_false(placement_awaits(p, 0, 1));
    assert_int_equal(t->placements[1].nblocks, 3);
    t = read_threads(a, "{X: 0}", three, "placements: [A ~> B ~> C]", &d);
    assert_false(placement_awaits(&t->placements[0], 2, 0)); /* B may not have waited for A */
    arena_close(a);
}

/* Checks how the seats of one layout are written as another. */
static void check_layout(const char *layout, const char *want) {
    struct arena *a = arena_open();
    struct diag d = {0};
    struct test *t = read_threads(a, "{X: 0}", three, "", &d);
    const struct placement *p = placement_parse(t, a, layout, (struct pos){0}, &d);
    const struct placement *again = placement_of_seats(t, a, p->seats, (struct pos){0}, &d);
    assert_string_equal(again->name, want);
    assert_int_equal(again->nwarps, p->nwarps);
    assert_int_equal(d.errors, 0);
    arena_close(a);
}

static void layouts_name_the_nearest_thread_next(void **state) {
    (void)state;
    check_layout("device", "A | B | C");
    check_layout("block", "A B C");
    check_layout("A C | B", "A C | B");
    check_layout("A & C | B", "A & C | B");
    check_layout("C | B || A", "A || B | C");
    check_layout("C.A B", "A.C B");
}

static void blocks_of_many_threads_fill_32_warps(void **state) {
    (void)state;
    struct arena *a = arena_open();
    struct diag d = {0};
    struct test *t =
        read_threads(a, "{X: 0}", "{W: {count: 96, body: X = 1;}}", "placements: [block, W]", &d);
    assert_non_null(t);
    for (int p = 0; p < 2; p++) {
        assert_int_equal(t->placements[p].nwarps, 32);
        for (int i = 0; i < 96; i++)
            assert_int_equal(t->placements[p].seats[i].warp, i / 3);
    }
    arena_close(a);
}

static void check_defaults(const char *memory, const char *threads, const char *want) {
    struct arena *a = arena_open();
    struct diag d = {0};
    struct test *t = read_threads(a, memory, threads, "", &d);
    assert_non_null(t);
    struct text got = {0};
    for (int i = 0; i < t->nplacements; i++)
        text_printf(&got, "%s ", t->placements[i].name);
    assert_string_equal(got.s, want);
    text_free(&got);
    arena_close(a);
}

static void defaults_fit_the_memory(void **state) {
    (void)state;
    check_defaults("{X: 0}", three, "block device ");
    check_defaults("{X: {space: shared}}", three, "block ");
    check_defaults("{X: 0}", grids, "device ");
}

static void the_cpu_keeps_the_blocks(void **state) {
    (void)state;
    struct arena *a = arena_open();
    struct diag d = {0};
    struct test *t = read_threads(a, "{X: 0}", three, "placements: [A B | C]", &d);
    const struct placement *p = placement_collapsed(t, a, "cpu");
    assert_string_equal(p->name, "cpu");
    assert_int_equal(p->seats[0].block, p->seats[1].block);
    assert_int_not_equal(p->seats[0].block, p->seats[2].block);
    t = read_threads(a, "{X: 0}", three, "placements: [host]", &d);
    assert_int_equal(placement_collapsed(t, a, "cpu")->nhost, 0);
    arena_close(a);
}

static void fence_columns(void **state) {
    (void)state;
    struct arena *a = arena_open();
    struct diag d = {0};
    const char *threads = "{A: X = 1; fence(rel);, B: fence(acq); int r = X;, C: fence();}";
    struct test *t = read_threads(
        a, "{X: 0}", threads,
        "fences: [none, cta, 'rel = gpu, acq=cluster', acq=sys, 'rel=sc.gpu,acq=acq_rel.cta']", &d);
    assert_non_null(t);
    static const char *const names[] = {"none", "block", "rel=device,acq=cluster", "acq=system",
                                        "rel=sc.device,acq=acq_rel.block"};
    static const struct strength none = {ORDER_BARE, SCOPE_NONE}, cta = {ORDER_BARE, SCOPE_CTA};
    const struct strength slots[][3] = {
        {none, none, none},
        {cta, cta, cta},
        {{ORDER_BARE, SCOPE_GPU}, {ORDER_BARE, SCOPE_CLUSTER}, none},
        {none, {ORDER_BARE, SCOPE_SYS}, none},
        {{ORDER_SC, SCOPE_GPU}, {ORDER_ACQ_REL, SCOPE_CTA}, none},
    };
    assert_int_equal(t->nfences, 5);
    for (int i = 0; i < 5; i++) {
        assert_string_equal(t->fences[i].name, names[i]);
        for (int k = 0; k < 3; k++) {
            assert_int_equal(t->fences[i].slot[k].order, slots[i][k].order);
            assert_int_equal(t->fences[i].slot[k].scope, slots[i][k].scope);
        }
    }
    t = read_threads(a, "{X: 0}", three, "", &d);
    assert_int_equal(t->nfences, 1);
    assert_string_equal(t->fences[0].name, "as-written");
    arena_close(a);
}

static void cells_and_their_strengths(void **state) {
    (void)state;
    struct arena *a = arena_open();
    struct diag d = {0};
    struct test *t =
        read_threads(a, "{X: 0, Y: {access: weak}}", "{A: X = 1; fence(); Y = 2;}",
                     "access: [volatile, relaxed]\nfence_order: acq_rel\nfences: [none, system]", &d);
    int n;
    const struct cell *cells = test_cells(t, a, &n);
    assert_int_equal(n, 8);
    assert_string_equal(cells[3].placement->name, "block");
    assert_int_equal(cells[3].access, ACCESS_RELAXED);
    assert_string_equal(cells[3].fence->name, "system");
    const struct stmt *s = t->bodies[0].first;
    struct strength x = op_strength(t, &cells[0], s->op), x2 = op_strength(t, &cells[2], s->op);
    struct strength none = op_strength(t, &cells[0], s->next->op),
                    sys = op_strength(t, &cells[1], s->next->op);
    struct strength y = op_strength(t, &cells[0], s->next->next->op);
    assert_true(x.order == ORDER_VOLATILE && x.scope == SCOPE_SYS);
    assert_true(x2.order == ORDER_RELAXED && x2.scope == SCOPE_GPU);
    assert_true(none.scope == SCOPE_NONE);
    assert_true(sys.order == ORDER_ACQ_REL && sys.scope == SCOPE_SYS);
    assert_true(y.order == ORDER_WEAK && y.scope == SCOPE_NONE);
    arena_close(a);
}

/* The threads that each scope of thread A includes, from block to system, as bits of 8. */
static unsigned included(const struct placement *p, int n) {
    unsigned found = 0;
    for (enum scope s = SCOPE_CTA; s <= SCOPE_SYS; s++)
        for (int k = 0; k < n; k++)
            if (scope_includes(s, p, 0, k)) found |= 1u << (8 * (int)(s - SCOPE_CTA) + k);
    return found;
}

static void scopes_include_their_own_thread(void **state) {
    (void)state;
    static const struct {
        const char *layout;
        unsigned included;
    } rows[] = {{"A B C", 0x07070707},
                {"A B & C", 0x07070703},
                {"A B | C", 0x07070303},
                {"A B || C", 0x07030303},
                {"host", 0x07010101}}; /* only A is on a GPU */
    struct arena *a = arena_open();
    struct diag d = {0};
    struct test *t = read_threads(a, "{X: 0}", three, "", &d);
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        const struct placement *p = placement_parse(t, a, rows[k].layout, (struct pos){0}, &d);
        assert_int_equal(included(p, t->nthreads), rows[k].included);
    }
    const struct placement *p = placement_parse(t, a, "host", (struct pos){0}, &d);
    assert_true(p->seats[1].host && scope_includes(SCOPE_CTA, p, 1, 1));
    assert_false(scope_includes(SCOPE_CTA, p, 1, 2) || scope_includes(SCOPE_NONE, p, 0, 0));
    arena_close(a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(built_in),
        cmocka_unit_test(layouts),
        cmocka_unit_test(grids_are_placed_block_by_block),
        cmocka_unit_test(a_block_has_warps_of_32),
        cmocka_unit_test(kernels_follow_each_other),
        cmocka_unit_test(layouts_name_the_nearest_thread_next),
        cmocka_unit_test(blocks_of_many_threads_fill_32_warps),
        cmocka_unit_test(defaults_fit_the_memory),
        cmocka_unit_test(the_cpu_keeps_the_blocks),
        cmocka_unit_test(fence_columns),
        cmocka_unit_test(cells_and_their_strengths),
        cmocka_unit_test(scopes_include_their_own_thread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
