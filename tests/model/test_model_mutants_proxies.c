/* The clauses of models/ptx.cat on proxies, engines and launches: each, when it is broken, is noticed by a test. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "ask.h"
#include "mutants.h"

#define XY             "x: 0, y: 0"
#define ACQ_REL(scope) "atomic_thread_fence(acq_rel, " scope ");"

#define TABLE(head, memory, columns, condition) "PTX test\n{ " memory " }\n" head columns condition "\n"
#define APART                                   " P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n"

/* Message passing whose data goes by other addresses, or through other proxies. */
#define PASS(memory, store, before, after, load)                                                             \
    TABLE(APART, "x=0; f=0; " memory,                                                                        \
          " " store " | ld.acquire.gpu r1, f ;\n " before " | " after " ;\n st.release.gpu f, 1 | " load     \
          " ;\n",                                                                                            \
          "exists (P1:r1 == 1 /\\ P1:r0 == 0)")
#define SURFACE "y @ surface aliases x;"
static const char alias_plain[] = PASS("y @ generic aliases x;", "st.weak x, 1", "", "", "ld.weak r0, y");
static const char alias_fenced[] =
    PASS("y @ generic aliases x;", "st.weak x, 1", "", "fence.proxy.alias", "ld.weak r0, y");
static const char surface_plain[] = PASS(SURFACE, "sust.weak y, 1", "", "", "suld.weak r0, y");
static const char surface_left[] =
    PASS(SURFACE, "sust.weak y, 1", "fence.proxy.surface", "", "ld.weak r0, x");
static const char surface_left_elsewhere[] =
    PASS(SURFACE, "sust.weak y, 1", "", "fence.proxy.surface", "ld.weak r0, x");
static const char surface_entered[] =
    PASS(SURFACE, "st.weak x, 1", "", "fence.proxy.surface", "suld.weak r0, y");
static const char surface_entered_elsewhere[] =
    PASS(SURFACE, "st.weak x, 1", "fence.proxy.surface", "", "suld.weak r0, y");
static const char surface_together[] =
    TABLE(" P0@cta 0,gpu 0 | P1@cta 0,gpu 0 ;\n", "x=0; f=0; " SURFACE,
          " sust.weak y, 1 | ld.acquire.gpu r1, f ;\n st.release.gpu f, 1 | suld.weak r0, y ;\n",
          "exists (P1:r1 == 1 /\\ P1:r0 == 0)");

/* Bulk copies. In the second, a thread of another block has written the place, and of the last write one is the last. */
#define FENCE(space) "asm volatile(\"fence.proxy.async" space ";\" ::: \"memory\"); "
#define BULK(to, from)                                                                                       \
    "cuda::ptx::cp_async_bulk(cuda::ptx::space_global, cuda::ptx::space_shared, &" to ", &" from ", 16); "   \
    "cuda::ptx::cp_async_bulk_commit_group(); "
#define DONE    "cuda::ptx::cp_async_bulk_wait_group(0); "
#define RELEASE "store(f, 1, release, device);"
#define ACQUIRE "int q = load(f, acquire, device); "
#define MEMORY  "f: 0, g: {count: 4}, s: {count: 4, space: shared}"
#define OVER(mine, beside)                                                                                   \
    TEST("cluster", MEMORY,                                                                                  \
         THREAD("T0", "store(g[1], 5, weak); " mine RELEASE)                                                 \
             THREAD("T1", ACQUIRE "if (q == 1) { " beside BULK("g[0]", "s[0]") DONE "}"),                    \
         "exists: q == 1 && g[1] == 5")
#define AFTER(fence)                                                                                         \
    TEST("cluster", MEMORY ", t: {count: 4, init: 5, space: shared}",                                        \
         THREAD("T0", BULK("g[0]", "t[0]") DONE RELEASE)                                                     \
             THREAD("T1", ACQUIRE "if (q == 1) { " fence BULK("g[0]", "s[0]") DONE "}"),                     \
         "exists: q == 1 && g[1] == 5")
static const char copied_back[] = TEST(
    "T0", MEMORY,
    THREAD("T0", "store(s[1], 7, weak); " FENCE("") BULK("g[0]", "s[0]") DONE "int r = load(g[1], weak);"),
    "exists: r == 0");
static const char copied_over[] = OVER(FENCE(""), FENCE(""));
static const char copied_over_mine[] = OVER(FENCE(""), "");
static const char copied_over_beside[] = OVER("", FENCE(""));
static const char copied_over_mine_elsewhere[] = OVER(FENCE(".shared::cta"), FENCE(""));
static const char copied_over_beside_elsewhere[] = OVER(FENCE(""), FENCE(".shared::cta"));
static const char copied_after[] = AFTER(FENCE(""));
static const char copied_after_unfenced[] = AFTER("");
#define RELEASES                                                                                             \
    "asm volatile(\"fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster;\" ::: "           \
    "\"memory\"); "
#define ACQUIRES                                                                                             \
    "asm volatile(\"fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster;\" ::: "       \
    "\"memory\"); "
#define COPIED(fence)                                                                                        \
    TEST("T0", MEMORY,                                                                                       \
         THREAD("T0", "store(s[1], 7, weak); " fence BULK("g[0]", "s[0]") DONE "int r = load(g[1], weak);"), \
         "exists: r == 0")
static const char copied_acquired[] = COPIED(ACQUIRES);
static const char copied_released[] = COPIED(RELEASES);
#define MBARRIER MEMORY ", b: {type: mbarrier, space: shared}"
static const char copied_handed[] = TEST(
    "block", MBARRIER,
    THREAD("T0", "__syncthreads(); store(s[1], 7, weak); " RELEASES
                 "mbarrier_arrive(sem_relaxed, scope_cluster, space_shared, &b);")
        THREAD("T1", "mbarrier_init(&b, 1); __syncthreads(); "
                     "while (!mbarrier_try_wait_parity(sem_relaxed, scope_cluster, &b, 0)) {} " ACQUIRES BULK(
                         "g[0]", "s[0]") DONE "int r = load(g[1], weak);"),
    "exists: r == 0");
static const char copied_for_an_arrival[] = TEST(
    "block", MBARRIER,
    THREAD("T0", "mbarrier_init(&b, 1); __syncthreads(); __pipeline_memcpy_async(&s[0], &g[0], 16); "
                 "cp_async_mbarrier_arrive_noinc(&b);")
        THREAD("T1", "__syncthreads(); while (!mbarrier_try_wait_parity(&b, 0)) {} store(s[1], 7, weak); "
                     "int r = load(s[1], weak);"),
    "exists: r == 0");
static const char not_waited_for[] = /* a kernel ends, and its copy is on its way */
    "name: test\nmemory: {g: {count: 4}, s: {count: 4, init: 5, space: shared}}\n"
    "placements: [copies -> reads]\naccess: weak\nthreads:\n"
    "  copies: {grid: 1, block: 1, body: '" BULK(
        "g[0]", "s[0]") "'}\n"
                        "  reads: {grid: 1, block: 1, body: 'int r = g[1];'}\n"
                        "exists: reads[0][0].r == 0\n";
static const char cached_behind_a_wait[] = /* a wait for a kernel is no border for the read-only proxy */
    TEST("T0 ~> T1", "x: 0",
         THREAD("T0", "store(x, 1, weak);")
             THREAD("T1", "cudaGridDependencySynchronize(); int r = __ldg(&x);"),
         "exists: r == 0");

/* Tensor maps. */
#define MAPPED(steps, condition)                                                                             \
    TEST("T0",                                                                                               \
         "g: {count: 4}, h: {count: 4}, m: {type: tensormap, of: g}, s: {count: 4, init: 7, space: shared}", \
         THREAD("T0", steps), condition)
#define REMAP        "tensormap_replace_global_address(space_global, &m, h); "
#define MAP_FENCES   "fence_proxy_tensormap_generic(sem_release, scope_gpu); " MAP_ACQUIRES
#define MAP_ACQUIRES "fence_proxy_tensormap_generic(sem_acquire, scope_gpu, &m, cuda::ptx::n32_t<128>{}); "
#define BY_MAP                                                                                               \
    "cp_async_bulk_tensor(space_global, space_shared, &m, {0}, &s[0]); cp_async_bulk_commit_group(); "
static const char mapped[] =
    MAPPED(REMAP MAP_FENCES BY_MAP DONE "int r = load(h[1], weak);", "exists: r == 0");
static const char mapped_acquired[] =
    MAPPED(REMAP MAP_ACQUIRES BY_MAP DONE "int r = load(h[1], weak);", "exists: r == 0");
static const char mapped_in_use[] = MAPPED(
    BY_MAP "cp_async_bulk_wait_group_read(0); " REMAP DONE "int r = load(h[1], weak);", "exists: r == 7");
#define TRIGGER " cudaTriggerProgrammaticLaunchCompletion(); "
#define KICK(placement, first, second)                                                                       \
    TEST(placement, XY, THREAD("T0", first) THREAD("T1", second) THREAD("T2", "int r = load(x, weak);"),     \
         "exists: r == 0")
static const char kicked[] = KICK("T0 | T1 ~> T2", "store(x, 1, weak); " ACQ_REL("device") TRIGGER, TRIGGER);
static const char kicked_narrow[] =
    KICK("T0 | T1 ~> T2", "store(x, 1, weak); " ACQ_REL("block") TRIGGER, TRIGGER);
static const char kicked_together[] =
    KICK("T0 T1 ~> T2", "store(x, 1, weak); " ACQ_REL("device") " __syncthreads();" TRIGGER,
         ACQ_REL("device") " __syncthreads();" TRIGGER);
static const char kicked_bare[] = KICK(
    "T0 T1 ~> T2", "store(x, 1, weak); " ACQ_REL("device") " __syncthreads();", "__syncthreads();" TRIGGER);
static const char kicked_apart[] =
    KICK("T0 T1 ~> T2", "store(x, 1, weak); " ACQ_REL("device") TRIGGER, ACQ_REL("device") TRIGGER);

static const struct mutant mutants[] = {
    /* triggers */
    {"| launch | kick | mb)", "| launch | mb)", kicked, false},
    {"(GPU | SYS)", "SYS", kicked, false},
    {"F & REL & (GPU | SYS)", "F & REL", kicked_narrow, true},
    {"early = (po | bar)+", "early = po", kicked_together, false},
    {"| [kicker]; same-cta; [bare]", "", kicked_bare, true},
    {"[kicker \\ domain(late)]; early", "[kicker]; early", kicked_apart, true},
    {"; [TRIGGER]) \\ early |", "; [TRIGGER]) |", kicked, false},
    /* virtual addresses, and proxies that have fences in tables only */
    {"let same = loc & va", "let same = loc", alias_plain, true},
    {"alias = (leave; base; renamed; base; enter)", "alias = 0", alias_fenced, false},
    {"leave; base; renamed; base; enter", "leave; base; base; enter", alias_plain, true},
    {"leave = [GEN] | (base & covers^-1 & same-cta); [PFV]", "leave = [GEN]", surface_left, false},
    {"(base & covers^-1 & same-cta)", "(base & covers^-1)", surface_left_elsewhere, true},
    {"enter = [GEN] | [PFV]; (base & covers & same-cta)", "enter = [GEN]", surface_entered, false},
    {"[PFV]; (base & covers & same-cta)", "[PFV]; (base & covers)", surface_entered_elsewhere, true},
    {"base; enter | base & same-proxy & same-cta)", "base; enter)", surface_together, false},
    {"base; enter | base & same-proxy & same-cta)", "base; enter | base & same-proxy)", surface_plain, true},
    /* bulk copies */
    {"ended = ([ASYNC | TMAP]", "ended = ([0]", copied_back, false},
    {"kept = plain | alias | ended | mine & beside", "kept = plain | alias | ended", copied_over, false},
    {"ended | mine & beside", "ended | mine", copied_over_mine, true},
    {"ended | mine & beside", "ended | beside", copied_over_beside, true},
    {"(po | done; po?) & covers^-1", "(po | done; po?)", copied_over_mine_elsewhere, true},
    {"behind = (way^*; issue) & covers &", "behind = (way^*; issue) &", copied_over_beside_elsewhere, true},
    {"behind = (way^*; issue) & covers & same-cta", "behind = (way^*; issue) & covers", copied_over_mine,
     true},
    {"over = ([ASYNC]", "over = ([0]", copied_after, false},
    {"over = ([ASYNC]; done; way^*; [PFA \\ (REL | ACQ)]; behind", "over = ([ASYNC]; done; way^*; issue",
     copied_after_unfenced, true},
    {"[PFA \\ ACQ]", "[PFA]", copied_acquired, true},
    {"[PFA \\ REL]", "[PFA]", copied_released, true},
    {"mine & beside | handed", "mine & beside", copied_handed, false},
    /* what an arrival for copies releases */
    {"(po | tracks); [MBA & ENGINE]", "po; [MBA & ENGINE]", copied_for_an_arrival, false},
    /* tensor maps */
    {"| border | map", "| border", mapped, false},
    {"[PFT & REL]; way+ | joined | launch; way^*", "way^*", mapped_acquired, true},
    {"ended = ([ASYNC | TMAP]", "ended = ([ASYNC]", mapped_in_use, false},
    /* the ends of kernels */
    {"way^*; [THREAD]; launch", "way^*; launch", not_waited_for, true},
    {"launch \\ (_ * DEPEND)", "launch", cached_behind_a_wait, true},
};

static void test_mutants(void **state) {
    (void)state;
    assert_int_equal(mutants_unnoticed(mutants, sizeof mutants / sizeof *mutants), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_mutants)};
    return cmocka_run_group_tests(tests, ask_enter_folder, ask_leave_folder);
}
