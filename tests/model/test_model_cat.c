/* The .cat reader: what is understood, and what its names mean. */
#include <stdlib.h>
#include <string.h>

#include "../recorded.h"
#include "ask.h"
#include "base/text.h"
#include "cat/plan.h"
#include "model/axioms.h"

static const char sb[] =
    TEST("T0 | T1", "x: 0, y: 0", THREAD("T0", "x = 1; int r = y;") THREAD("T1", "y = 1; int s = x;"),
         "exists: r == 0 && s == 0");
static const char racing[] = /* three writes of one location */
    TEST("T0 | T1 | T2", "x: 0",
         THREAD("T0", "store(x, 1, weak);") THREAD("T1", "store(x, 2, weak);")
             THREAD("T2", "store(x, 3, weak);"),
         "exists: x == 1");

static const char counter[] = /* who takes a number marks its element; two paths leave the array */
    TEST("T0 | T1", "c: 0, d: {count: 2}",
         THREAD("T0", "int h = atomicAdd(&c, 1); int i = atomicAdd(&c, 1); if (i < 2) d[i] = 1;")
             THREAD("T1", "int j = atomicAdd(&c, 1); if (j < 2) d[j] = 2;"),
         "exists: d[0] == 1 && d[1] == 0");

/* A model's text, a test, and how many executions and outcomes the model allows. */
static const struct {
    const char *text, *test;
    int outcomes;
    long long executions;
} good[] = {
    {"let x = po", sb, 4, 4},
    {"acyclic po | rf | co | fr", sb, 3, 3},
    {"\"a title\" acyclic po | rf | co | fr", sb, 3, 3},
    {"title acyclic po | rf | co | fr as sc", sb, 3, 3},
    {"acyclic po|rf|co|rf^-1;co", sb, 3, 3},
    {"let fr = 0 acyclic po | rf | co | fr", sb, 4, 4}, /* a model's own fr */
    {"let com = rf | co | fr let f(r, s) = (r | s)+ irreflexive f(po, com)", sb, 3, 3},
    {"let f(x) = x let x = po let po = rf acyclic f(x) | rf | co | fr", sb, 3, 3}, /* lexical scope */
    {"let rec hb = po | com | hb; hb and com = rf | co | fr irreflexive hb", sb, 3, 3},
    {"irreflexive (po | rf | co | fr)^+", sb, 3, 3},
    {"irreflexive po; (po | rf | co | fr)*", sb, 3, 3},
    {"irreflexive po; (po | rf | co | fr)^*; id", sb, 3, 3},
    {"irreflexive po; fr; po; fr", sb, 3, 3},
    {"empty po & (fr; po; fr)^-1", sb, 3, 3},
    {"empty (po & W*R) & (fr; po; fr)^-1", sb, 3, 3},
    {"empty [W & domain(po)]; po; [R]; fr; [W]; po; [range(po) \\ W]; fr", sb, 3, 3},
    {"~empty fr", sb, 3, 3}, /* some read misses a write */
    {"~empty fr & ext ~empty rfe & (W \\ IW) * _", sb, 2, 2},
    {"flag ~empty fr as racy let a = 0", sb, 4, 4}, /* a flag forbids nothing */
    {"empty 0 acyclic emptyset * W", sb, 4, 4},
    {"empty ~0 & fr & rf", sb, 4, 4},
    {"include \"sc.cat\"", sb, 3, 3},
    {"include \"sc\" empty fr", sb, 1, 1},
    /* operations on a counter take turns only if the model says so */
    {"let x = po", counter, 6, 120},
    {"empty rmw & (fre; coe)", counter, 6, 17},
    {"empty rmw & (fre; coe) acyclic po-loc | rf | co | fr", counter, 3, 3},
    /* co: total unless the model says otherwise */
    {"acyclic co", racing, 3, 6},
    {"with co from order(IW * (W \\ IW) & loc, 0) acyclic co", racing, 3, 1},
    {"with co from order(0, 0) acyclic co", racing, 4, 1},
    {"with co from order(IW * (W \\ IW) & loc, loc & W * W & ext \\ IW * _) acyclic co", racing, 3, 6},
    {"with co from order(loc & (W \\ IW) * IW, (W \\ IW) * (W \\ IW)) as Coherence acyclic co", racing, 1, 6},
};

static void test_good_files(void **state) {
    (void)state;
    struct arena *a = arena_open();
    int wrong = 0;
    for (size_t k = 0; k < sizeof good / sizeof *good; k++) {
        ask_write("good.cat", good[k].text);
        struct answer answer = ask(ask_model(a, "good.cat"), good[k].test, NULL);
        if (answer.outcomes == good[k].outcomes && answer.executions == good[k].executions) continue;
        wrong++;
        print_error("%s: %d outcomes of %lld executions, not %d of %lld\n", good[k].text, answer.outcomes,
                    answer.executions, good[k].outcomes, good[k].executions);
    }
    assert_int_equal(wrong, 0);
    arena_close(a);
}

static void test_names(void **state) {
    (void)state;
    struct arena *a = arena_open();
    assert_string_equal(model_name(ask_model(a, "ptx")), "ptx");
    assert_string_equal(model_name(ask_model(a, "ptx-strong.cat")), "ptx-strong");
    assert_string_equal(model_name(ask_model(a, MODELS "/sc.cat")), "sc");
    arena_close(a);
}

/* The names that every model knows, from their rows: as which kind, and what the documentation says. */
static const struct {
    const char *name;
    bool rel;
    const char *line;
} names[] = {
#define SET(id, name, doc, is)             {name, false, "| `" name "` | " doc " |\n"},
#define REL(id, name, doc, first, relates) {name, true, "| `" name "` | " doc " |\n"},
#define GUESS(name, doc, op, index)        {name, true, "| `" name "` | " doc " |\n"},
#define DERIVED(name, doc, cat)            {name, true, "| `" name "` | " doc " |\n"},
#include "cat/names.def"
};
enum { NNAMES = sizeof names / sizeof *names };

#define ONE(body) TEST("T0", "x: 0, y: 0, a: {count: 2}", THREAD("T0", body), "exists: x == 1")
#define TWO(placement, body0, body1)                                                                         \
    TEST(placement, "x: 0, y: 0", THREAD("T0", body0) THREAD("T1", body1), "exists: x == 1")
#define LOAD             "int r = load(x, weak); "
#define STORE            "store(x, 1, weak); "
#define FENCE            "atomic_thread_fence(acq_rel, device); "
#define NO_OP            "int n = 1;"
#define LOADS(placement) TWO(placement, LOAD, LOAD)
#define SYNC             "__syncthreads(); "
#define SCOPED(scope)    ONE("int r = load(x, relaxed, " scope ");")

#define VIEW(body)                                                                                           \
    TEST("T0", "w: {type: uint64_t}, h: {of: w, at: 4, type: uint32_t}", THREAD("T0", body), "exists: w == 0")
#define VIEWS(instruction)                                                                                   \
    "PTX views\n{ x=0; y @ generic aliases x; z @ texture aliases x; }\n P0@cta 0,gpu 0 ;\n " instruction    \
    " ;\nexists (x == 1)\n"
#define MBARRIER(count, wait)                                                                                \
    TEST("T0", "x: 0, b: {type: mbarrier, space: shared}",                                                   \
         THREAD("T0", "mbarrier_init(&b, " count "); mbarrier_arrive(&b); int r = " wait "; x = r;"),        \
         "exists: x == 1")
#define OPENED(fence)                                                                                        \
    TWO("cluster", fence "__cluster_barrier_arrive_relaxed(); __cluster_barrier_wait();", "cluster_sync();")
#define BLOCKS(rank)                                                                                         \
    TEST("cluster", "x: 0, s: {space: shared}",                                                              \
         "  T:\n    grid: 2\n    block: 1\n    body: |\n      *__cluster_map_shared_rank(&s, blockIdx.x "    \
         "^ " rank ") = 1;\n      x = 1;\n",                                                                 \
         "exists: x == 1")
#define MAPPED(space)                                                                                        \
    TEST("cluster", "x: 0, s: {space: shared}",                                                              \
         "  T:\n    grid: 2\n    block: 1\n    body: |\n      asm volatile(\"fence.proxy.async." space       \
         ";\" ::: \"memory\");\n      *__cluster_map_shared_rank(&s, blockIdx.x) = 1;\n      x = 1;\n",      \
         "exists: x == 1")
#define TRIGGERS(placement) TWO(placement, "cudaTriggerProgrammaticLaunchCompletion();", LOAD)
#define COPY(after)                                                                                          \
    "PTX copy\n{ x=0; y=0; }\n P0@cta 0,gpu 0 ;\n cp.async.ca.shared.global y, x, 4 ;\n" after               \
    "exists (y == 1)\n"

/* Under SC: a test in all of whose executions an expression with the name is not empty, and one in all of
 * whose executions it is. The first is NULL where no operation makes such events yet. */
static const struct {
    const char *name, *expression, *full, *empty;
} uses[] = {
    {"R", "R", ONE(LOAD), ONE(STORE)},
    {"W", "W", ONE(STORE), ONE(FENCE)},
    {"M", "M", ONE(LOAD), ONE(FENCE)},
    {"F", "F", ONE(FENCE), ONE(LOAD)},
    {"PFA", "PFA", ONE("asm volatile(\"fence.proxy.async;\" ::: \"memory\"); "), ONE(FENCE)},
    {"PFT", "PFT", NULL, ONE(FENCE)},
    {"PFV", "PFV", VIEWS("fence.proxy.constant"), VIEWS("fence.proxy.alias")},
    {"GEN", "GEN & R", ONE(LOAD), ONE("int r = __ldg(&x); ")},
    {"ASYNC", "ASYNC", NULL, COPY("")},
    {"TMAP", "TMAP", NULL, COPY("")},
    {"TEX", "TEX", VIEWS("tld.weak r0, z"), VIEWS("suld.weak r0, z")},
    {"SUR", "SUR", VIEWS("sust.weak z, 1"), VIEWS("st.weak z, 1")},
    {"CON", "CON", VIEWS("cold.weak r0, z"), VIEWS("ld.weak r0, z")},
    {"THREAD", "THREAD & M", ONE(LOAD), COPY("")},
    {"ENGINE", "ENGINE", COPY(""), ONE(LOAD)},
    {"DEPEND", "DEPEND", TWO("T0 ~> T1", LOAD, "cudaGridDependencySynchronize();" LOAD), LOADS("T0 ~> T1")},
    {"va", "va & R * W \\ IW * _ \\ _ * IW", VIEWS("ld.weak r0, z ;\n st.weak x, 1"),
     VIEWS("ld.weak r0, y ;\n st.weak x, 1")},
    {"same-proxy", "same-proxy & R * IW", ONE(LOAD), ONE("int r = __ldg(&x); ")},
    {"covers", "covers", ONE("asm volatile(\"fence.proxy.async.global;\" ::: \"memory\"); " LOAD),
     ONE("asm volatile(\"fence.proxy.async.shared::cta;\" ::: \"memory\"); " LOAD)},
    {"covers-mapped", "covers-mapped", MAPPED("shared::cta"), MAPPED("shared::cluster")},
    {"in-mbarrier", "in-mbarrier", MBARRIER("1", "b"), MBARRIER("1", "0")},
    {"MBX", "MBX", MBARRIER("1", "0; mbarrier_inval(&b)"), MBARRIER("1", "0")},
    {"tracks", "tracks", NULL, COPY("")},
    {"PFR", "PFR",
     ONE("asm volatile(\"fence.proxy.async::generic::read.release.sync_restrict::shared::cta.cluster;\");"),
     ONE("asm volatile(\"fence.proxy.async;\");")},
    {"PFL", "PFL \\ (F | STRONG)", ONE("asm volatile(\"fence.proxy.alias;\" ::: \"memory\"); "), ONE(FENCE)},
    {"NC", "NC", ONE("int r = __ldg(&x); "), ONE(LOAD)},
    {"MB", "MB", MBARRIER("1", "0"), ONE(STORE)},
    {"MBI", "MBI", MBARRIER("1", "0"), ONE(STORE)},
    {"MBA", "MBA", MBARRIER("1", "0"), ONE(STORE)},
    {"FMI", "FMI", ONE("fence_mbarrier_init(sem_release, scope_cluster); "), ONE(FENCE)},
    {"opening", "opening", OPENED("fence_mbarrier_init(sem_release, scope_cluster);"), OPENED(FENCE)},
    {"AFAR", "AFAR", BLOCKS("1"), BLOCKS("0")},
    {"MBW", "MBW", MBARRIER("1", "mbarrier_test_wait_parity(&b, 0)"),
     MBARRIER("2", "mbarrier_test_wait_parity(&b, 0)")},
    {"IW", "IW", ONE(LOAD), ONE(FENCE)},
    {"B", "B", ONE(SYNC), ONE(FENCE)},
    {"RMW", "RMW", ONE("atomicAdd(&x, 1);"), ONE(LOAD STORE)},
    {"RED", "RED", "PTX red\n{ x=0; }\n P0@cta 0,gpu 0 ;\n red.relaxed.gpu.add x, 1 ;\nexists (x == 1)\n",
     ONE("atomicAdd(&x, 1);")},
    {"HOST", "HOST", LOADS("T0 | T1@host"), LOADS("T0 | T1")},
    {"WEAK", "WEAK", ONE(LOAD), SCOPED("device")},
    {"STRONG", "STRONG", SCOPED("device"), ONE(LOAD)},
    {"ACQ", "ACQ", ONE("int r = load(x, acquire, device);"), ONE("store(x, 1, release, device);")},
    {"REL", "REL", ONE("store(x, 1, release, device);"), ONE("int r = load(x, acquire, device);")},
    {"SC", "SC", ONE("__threadfence();"), ONE(FENCE)},
    {"CTA", "CTA", SCOPED("block"), SCOPED("cluster")},
    {"CLUSTER", "CLUSTER", SCOPED("cluster"), SCOPED("device")},
    {"GPU", "GPU", SCOPED("device"), SCOPED("system")},
    {"SYS", "SYS", SCOPED("system"), SCOPED("block")},
    {"emptyset", "~emptyset", ONE(LOAD), ONE(NO_OP)},
    {"id", "id", ONE(LOAD), ONE(NO_OP)},
    {"po", "po", ONE(LOAD FENCE), ONE(LOAD)},
    {"loc", "loc", ONE(LOAD), ONE(FENCE)},
    {"mixed", "mixed", VIEW("w = 1; int r = h;"), VIEW("w = 1; uint64_t r = w;")},
    {"part", "part \\ IW * _", VIEW("w = 1;"), VIEW("h = 1;")},
    {"int", "int & W * R", ONE(STORE LOAD), TWO("T0 | T1", STORE, FENCE LOAD)},
    {"ext", "ext & W * R \\ IW * _", TWO("T0 | T1", STORE, LOAD), ONE(STORE LOAD)},
    {"rmw", "rmw", ONE("atomicAdd(&x, 1);"), ONE(LOAD STORE)},
    {"addr", "addr", ONE(LOAD "int s = a[r & 1];"), ONE(LOAD "int s = a[1];")},
    {"data", "data", ONE(LOAD "store(y, r, weak);"), ONE(LOAD "store(y, 1, weak);")},
    {"ctrl", "ctrl", ONE(LOAD "if (r) store(y, 1, weak); else store(y, 2, weak);"),
     ONE(LOAD "if (r) store(y, 1, weak); else store(y, 1, weak); " FENCE)},
    {"bar", "bar", ONE(SYNC), ONE(FENCE)},
    {"exit", "exit", TWO("T0 T1", LOAD "if (r) " SYNC, SYNC), TWO("T0 T1", LOAD SYNC, SYNC)},
    {"exit-ctrl", "exit-ctrl", TWO("T0 T1", LOAD "if (r) " SYNC, SYNC),
     TWO("T0 T1", LOAD "if (r == 0) store(y, 1, weak); if (0) " SYNC, SYNC)},
    {"issue", "issue", COPY(""), ONE(LOAD)},
    {"completion", "completion", COPY("cp.async.wait_all ;\n"), COPY("cp.async.wait_group 0 ;\n")},
    {"same-mbarrier", "same-mbarrier \\ id", MBARRIER("1", "0"), ONE(STORE)},
    {"peer", "peer", BLOCKS("1"), BLOCKS("0")},
    {"phase", "phase", MBARRIER("1", "mbarrier_test_wait_parity(&b, 0)"),
     MBARRIER("1", "mbarrier_test_wait_parity(&b, 1)")},
    {"next-phase", "next-phase", MBARRIER("1", "0; mbarrier_arrive(&b)"),
     MBARRIER("2", "0; mbarrier_arrive(&b)")},
    {"TRIGGER", "TRIGGER", TRIGGERS("T0 ~> T1"), LOADS("T0 ~> T1")},
    {"start", "start", TRIGGERS("T0 ~> T1"), TRIGGERS("T0 -> T1")},
    {"launch", "launch", TWO("T0 ~> T1", LOAD, "cudaGridDependencySynchronize();" LOAD),
     TWO("T0 ~> T1", LOAD, LOAD)},
    {"scoped", "scoped & F * R", TWO("T0 | T1", FENCE, LOAD), TWO("T0 || T1", FENCE, LOAD)},
    {"same-thread", "same-thread", ONE(LOAD), ONE(NO_OP)},
    {"same-warp", "same-warp & ext", LOADS("T0.T1"), LOADS("T0 T1")},
    {"same-cta", "same-cta & ext", LOADS("T0 T1"), LOADS("T0 | T1")},
    {"same-cluster", "same-cluster & ext", LOADS("cluster"), LOADS("T0 | T1")},
    {"same-gpu", "same-gpu & ext", LOADS("T0 | T1"), LOADS("T0 || T1")},
    {"rf", "rf", ONE(LOAD), ONE(STORE)},
    {"co", "co", ONE(STORE), ONE(LOAD)},
    {"fr", "fr", ONE(LOAD STORE), ONE(STORE LOAD)},
    {"po-loc", "po-loc", ONE(LOAD STORE), ONE(LOAD "store(y, 1, weak);")},
    {"rfe", "rfe", ONE(LOAD), ONE(STORE LOAD)},
    {"rfi", "rfi", ONE(STORE LOAD), ONE(LOAD STORE)},
    {"coe", "coe", ONE(STORE), ONE(LOAD)},
    {"coi", "coi", ONE(STORE STORE), ONE(STORE)},
    {"fre", "fre", TWO("T0 T1", LOAD SYNC, SYNC STORE), ONE(LOAD STORE)},
    {"fri", "fri", ONE(LOAD STORE), TWO("T0 T1", LOAD SYNC, SYNC STORE)},
};
enum { NUSES = sizeof uses / sizeof *uses };

/* Whether a test has an outcome under SC in which an expression is empty. */
static bool can_be_empty(const char *expression, const char *test) {
    struct arena *a = arena_open();
    struct text model = {0};
    text_printf(&model, "include \"sc\" empty %s", expression);
    ask_write("use.cat", model.s);
    bool can = ask(ask_model(a, "use.cat"), test, NULL).outcomes > 0;
    text_free(&model);
    arena_close(a);
    return can;
}

static void test_what_names_mean(void **state) {
    (void)state;
    for (int k = 0; k < NNAMES; k++) {
        int u = 0;
        while (u < NUSES && strcmp(uses[u].name, names[k].name) != 0)
            u++;
        if (u == NUSES) fail_msg("'%s' has no use here", names[k].name);
        if (uses[u].full && can_be_empty(uses[u].expression, uses[u].full))
            fail_msg("%s is empty", uses[u].expression);
        if (!can_be_empty(uses[u].expression, uses[u].empty)) fail_msg("%s is not empty", uses[u].expression);
    }
}

/* What a row calls a set is no relation to a model, and the other way round, wherever the row stands. */
static void test_kinds_of_names(void **state) {
    (void)state;
    for (int k = 0; k < NNAMES; k++)
        for (int rel = 0; rel < 2; rel++) {
            struct text model = {0};
            text_printf(&model, rel ? "acyclic %s" : "empty [%s]", names[k].name);
            ask_write("kind.cat", model.s);
            char *messages = ask_messages("kind.cat");
            if ((*messages == 0) != (names[k].rel == (bool)rel)) fail_msg("%s: '%s'", model.s, messages);
            free(messages);
            text_free(&model);
        }
}

/* The tables of the documentation are the rows. */
static void test_documented_names(void **state) {
    (void)state;
    static const char *const heads[] = {"\n| name | holds |\n|---|---|\n",
                                        "\n| name | relates |\n|---|---|\n"};
    struct text rows[2] = {{0}, {0}};
    for (int k = 0; k < NNAMES; k++)
        text_add(&rows[names[k].rel], names[k].line);
    for (int k = 0; k < 2; k++) {
        assert_true(recorded_table(DOCS "/models.md", heads[k], rows[k].s));
        text_free(&rows[k]);
    }
}

/* A kind of graphs by its number: which of the first sets and relations are empty. */
static struct plan_kind kind_of(int number) {
    struct plan_kind kind = {.reads = true};
    for (int k = 0; number >> k; k++)
        kind.empty[k] = number >> k & 1;
    return kind;
}

/* So many kinds of graphs have a smaller plan of their own. */
static void test_kinds_of_graphs(void **state) {
    (void)state;
    struct arena *a = arena_open();
    const struct model_plan *ptx = axioms_leave_out(a, ask_model(a, "ptx"), 0);
    const struct model_plan *first = plan_narrow(ptx, &(struct plan_kind){.reads = false});
    assert_true(plan_narrow(ptx, &(struct plan_kind){.reads = true})->nnodes > first->nnodes);
    for (int again = 0; again < 2; again++)
        for (int k = 1; k < PLAN_MOST_NARROW + 10; k++) {
            struct plan_kind kind = kind_of(k);
            bool own = plan_narrow(ptx, &kind) != ptx;
            assert_int_equal(own, k < PLAN_MOST_NARROW - 1);
        }
    assert_ptr_equal(plan_narrow(ptx, &(struct plan_kind){.reads = false}), first);
    arena_close(a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good_files),       cmocka_unit_test(test_names),
        cmocka_unit_test(test_what_names_mean),  cmocka_unit_test(test_kinds_of_names),
        cmocka_unit_test(test_documented_names), cmocka_unit_test(test_kinds_of_graphs),
    };
    return cmocka_run_group_tests(tests, ask_enter_folder, ask_leave_folder);
}
