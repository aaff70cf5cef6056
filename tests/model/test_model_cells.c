/* The classic shapes in every cell of what stands between a thread's accesses x its scope x where the threads
 * sit, held against what the axioms say of each. A row names a shape's weak outcome and the weakest thing
 * that forbids it, with the reason; a cell then follows from one rule: the outcome is forbidden exactly if
 * that thing is there and its scope includes all the threads. The shapes are those of "Herding Cats"
 * (Alglave, Maranget, Tautschnig 2014).
 *
 * sc forbids every one of them; x86-TSO those that need no store to be overtaken by a load. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <string.h>

#include <cmocka.h>

#include "ask.h"
#include "base/text.h"

enum { MAX_THREADS = 4 };

/* What stands between two accesses, from weak to strong. */
enum between { NOTHING, REL_ACQ, FENCE_ACQ_REL, FENCE_SC, BETWEEN_COUNT };

/* A thread does `first`, then `second` if there is one: "Wx1" writes 1 to x, "Ry" reads y into a (first) or
 * b. */
struct shape {
    const char *name;
    struct {
        const char *first, *second;
    } threads[MAX_THREADS];
    const char *outcome;
    enum between needs; /* of the PTX model; NOTHING: forbidden as it is */
    bool tso;           /* x86-TSO allows it where there is no mfence */
    const char *reason;
};

static const struct shape shapes[] = {
    {"CoRR",
     {{"Wx1", 0}, {"Rx", "Rx"}},
     "P1.a == 1 && P1.b == 0",
     NOTHING,
     false,
     "SC-per-Location: po-loc, fr, rf"},
    {"MP",
     {{"Wx1", "Wy1"}, {"Ry", "Rx"}},
     "P1.a == 1 && P1.b == 0",
     REL_ACQ,
     false,
     "Causality: the writer synchronizes with the reader, whose fr goes back"},
    {"LB",
     {{"Rx", "Wy1"}, {"Ry", "Wx1"}},
     "P0.a == 1 && P1.a == 1",
     REL_ACQ,
     false,
     "Coherence: each write would be ordered before itself"},
    {"S",
     {{"Wx2", "Wy1"}, {"Ry", "Wx1"}},
     "P1.a == 1 && x == 2",
     REL_ACQ,
     false,
     "Coherence: causality orders the two writes of x"},
    {"SB",
     {{"Wx1", "Ry"}, {"Wy1", "Rx"}},
     "P0.b == 0 && P1.b == 0",
     FENCE_SC,
     true,
     "Causality through the order of the fences; nothing observes anything, so nothing weaker synchronizes"},
    {"R",
     {{"Wx1", "Wy1"}, {"Wy2", "Rx"}},
     "y == 2 && P1.b == 0",
     FENCE_SC,
     true,
     "Coherence or Causality through the order of the fences; co does not synchronize"},
    {"2+2W",
     {{"Wx1", "Wy2"}, {"Wy1", "Wx2"}},
     "x == 1 && y == 1",
     FENCE_SC,
     false,
     "Coherence through the order of the fences; co does not synchronize"},
    {"WRC",
     {{"Wx1", 0}, {"Rx", "Wy1"}, {"Ry", "Rx"}},
     "P1.a == 1 && P2.a == 1 && P2.b == 0",
     REL_ACQ,
     false,
     "Causality: observation, then base causality"},
    {"WWC",
     {{"Wx2", 0}, {"Rx", "Wy1"}, {"Ry", "Wx1"}},
     "P1.a == 2 && P2.a == 1 && x == 2",
     REL_ACQ,
     false,
     "Coherence: observation, then base causality"},
    {"ISA2",
     {{"Wx1", "Wy1"}, {"Ry", "Wz1"}, {"Rz", "Rx"}},
     "P1.a == 1 && P2.a == 1 && P2.b == 0",
     REL_ACQ,
     false,
     "Causality: two synchronizations in a row"},
    {"3.LB",
     {{"Rx", "Wy1"}, {"Ry", "Wz1"}, {"Rz", "Wx1"}},
     "P0.a == 1 && P1.a == 1 && P2.a == 1",
     REL_ACQ,
     false,
     "Coherence: each write would be ordered before itself"},
    {"Z6.2",
     {{"Wx2", "Wy1"}, {"Ry", "Wz1"}, {"Rz", "Wx1"}},
     "P1.a == 1 && P2.a == 1 && x == 2",
     REL_ACQ,
     false,
     "Coherence: two synchronizations order the writes of x"},
    {"RWC",
     {{"Wx1", 0}, {"Rx", "Ry"}, {"Wy1", "Rx"}},
     "P1.a == 1 && P1.b == 0 && P2.b == 0",
     FENCE_SC,
     true,
     "Causality: observation, then the order of the fences"},
    {"W+RWC",
     {{"Wx1", "Wy1"}, {"Ry", "Rz"}, {"Wz1", "Rx"}},
     "P1.a == 1 && P1.b == 0 && P2.b == 0",
     FENCE_SC,
     true,
     "Causality through the order of the fences"},
    {"3.SB",
     {{"Wx1", "Ry"}, {"Wy1", "Rz"}, {"Wz1", "Rx"}},
     "P0.b == 0 && P1.b == 0 && P2.b == 0",
     FENCE_SC,
     true,
     "Causality through the order of the fences"},
    {"3.2W",
     {{"Wx1", "Wy2"}, {"Wy1", "Wz2"}, {"Wz1", "Wx2"}},
     "x == 1 && y == 1 && z == 1",
     FENCE_SC,
     false,
     "Coherence through the order of the fences"},
    {"Z6.3",
     {{"Wx1", "Wy1"}, {"Wy2", "Wz1"}, {"Rz", "Rx"}},
     "y == 2 && P2.a == 1 && P2.b == 0",
     FENCE_SC,
     false,
     "the order of the fences; co does not synchronize"},
    {"Z6.4",
     {{"Wx1", "Wy1"}, {"Wy2", "Rz"}, {"Wz1", "Rx"}},
     "y == 2 && P1.b == 0 && P2.b == 0",
     FENCE_SC,
     true,
     "the order of the fences"},
    {"IRIW",
     {{"Wx1", 0}, {"Wy1", 0}, {"Rx", "Ry"}, {"Ry", "Rx"}},
     "P2.a == 1 && P2.b == 0 && P3.a == 1 && P3.b == 0",
     FENCE_SC,
     false,
     "Causality: observation, then the order of the readers' fences"},
};
enum { NSHAPES = sizeof shapes / sizeof *shapes };

static const char *const scopes[] = {"block", "cluster", "device", "system"};
enum { NSCOPES = sizeof scopes / sizeof *scopes };

/* `includes`: the narrowest scope (index above) that includes all threads. */
static const struct {
    const char *name;
    int includes;
} placements[] = {{"warp", 0}, {"block", 0}, {"cluster", 1}, {"device", 2}, {"peer", 3}, {"host", 3}};
enum { NPLACEMENTS = sizeof placements / sizeof *placements };

static void write_access(struct text *t, const char *access, char reg, enum between b, const char *scope) {
    bool acquires = b == REL_ACQ && access[0] == 'R' && reg == 'a';
    bool releases = b == REL_ACQ && access[0] == 'W' && reg == 'b';
    const char *order = acquires ? "acquire" : releases ? "release" : "relaxed";
    if (!acquires && !releases) scope = b == REL_ACQ ? scope : "system";
    if (access[0] == 'W')
        text_printf(t, "store(%c, %c, %s, %s); ", access[1], access[2], order, scope);
    else
        text_printf(t, "int %c = load(%c, %s, %s); ", reg, access[1], order, scope);
}

static void write_test(struct text *t, const struct shape *s, enum between b, const char *scope,
                       const char *placement) {
    text_printf(t, "name: %s\nmemory: {x: 0, y: 0, z: 0}\nplacements: [%s]\nthreads:\n", s->name, placement);
    for (int k = 0; k < MAX_THREADS && s->threads[k].first; k++) {
        text_printf(t, "  P%d: |\n    ", k);
        write_access(t, s->threads[k].first, 'a', b, scope);
        if (b == FENCE_ACQ_REL || b == FENCE_SC)
            text_printf(t, "atomic_thread_fence(%s, %s); ", b == FENCE_SC ? "sc" : "acq_rel", scope);
        if (s->threads[k].second) write_access(t, s->threads[k].second, 'b', b, scope);
        text_add(t, "\n");
    }
    text_printf(t, "exists: %s\n", s->outcome);
}

/* The rule. Accesses that are only relaxed are so at system scope, except beside release and acquire: there
 * coherence too is of the one scope. */
static bool is_allowed(const struct shape *s, enum between b, int scope, int includes) {
    if (s->needs == NOTHING) return b == REL_ACQ && scope < includes;
    return b < s->needs || scope < includes;
}

static int cells, wrong;

static void check_cell(const struct model *m, const struct shape *s, enum between b, int scope, int place,
                       bool allowed) {
    struct text t = {0};
    write_test(&t, s, b, scopes[scope], placements[place].name);
    struct answer a = ask(m, t.s, NULL);
    cells++;
    if (a.status != MODEL_DONE || a.allowed != allowed) {
        wrong++;
        print_error("%s says %s, but should not (%s):\n%s\n", model_name(m),
                    a.allowed ? "allowed" : "forbidden", s->reason, t.s);
    }
    text_free(&t);
}

static void test_ptx(void **state) {
    (void)state;
    struct arena *a = arena_open();
    const struct model *ptx = ask_model(a, "ptx");
    cells = wrong = 0;
    for (int s = 0; s < NSHAPES; s++)
        for (int b = 0; b < BETWEEN_COUNT; b++)
            for (int scope = 0; scope < NSCOPES; scope++)
                for (int p = 0; p < NPLACEMENTS; p++) {
                    if (b == NOTHING && scope) continue; /* no scope to vary */
                    check_cell(ptx, &shapes[s], (enum between)b, scope, p,
                               is_allowed(&shapes[s], (enum between)b, scope, placements[p].includes));
                }
    print_message("%d cells\n", cells);
    assert_int_equal(wrong, 0);
    assert_true(cells >= 300);
    arena_close(a);
}

/* sc and x86-TSO know no scopes: a block scope does for all. */
static void test_cpu_models(void **state) {
    (void)state;
    struct arena *a = arena_open();
    const struct model *sc = ask_model(a, "sc"), *tso = ask_model(a, "x86-tso");
    cells = wrong = 0;
    for (int s = 0; s < NSHAPES; s++)
        for (int b = 0; b < BETWEEN_COUNT; b++) {
            check_cell(sc, &shapes[s], (enum between)b, 0, 1, false);
            check_cell(tso, &shapes[s], (enum between)b, 0, 3, shapes[s].tso && b != FENCE_SC);
        }
    assert_int_equal(wrong, 0);
    arena_close(a);
}

/* The strengthened model: what it forbids beyond PTX is what write-write links make, and it allows nothing
 * more. */
static void test_strong(void **state) {
    (void)state;
    static const char *const forbidden[] = {"2+2W", "3.2W", "Z6.3"};
    struct arena *a = arena_open();
    const struct model *strong = ask_model(a, "ptx-strong");
    cells = wrong = 0;
    for (int s = 0; s < NSHAPES; s++) {
        bool stronger = false;
        for (size_t k = 0; k < sizeof forbidden / sizeof *forbidden; k++)
            stronger = stronger || strcmp(shapes[s].name, forbidden[k]) == 0;
        for (int b = 0; b < BETWEEN_COUNT; b++)
            for (int scope = 0; scope < NSCOPES; scope++) {
                bool ptx = is_allowed(&shapes[s], (enum between)b, scope, 2);
                bool linked = stronger && b != NOTHING && scope >= 2;
                if (b || !scope) check_cell(strong, &shapes[s], (enum between)b, scope, 3, ptx && !linked);
            }
    }
    assert_int_equal(wrong, 0);
    arena_close(a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ptx),
        cmocka_unit_test(test_cpu_models),
        cmocka_unit_test(test_strong),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
