/* What the texts leave open of asynchronous operations, in the weaker reading, ptx, and in the stronger one, ptx-proxy; and
 * what both say alike of tensor maps, of the bytes of mbarriers, and of copies as libcu++ has them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ask.h"

#define BLOCK(name, body) "  " name ":\n    grid: 1\n    block: 1\n    body: |\n      " body "\n"
#define PEERS(memory, body0, body1, condition)                                                               \
    TEST("cluster", memory, BLOCK("T0", body0 " cluster_sync();") BLOCK("T1", body1 " cluster_sync();"),     \
         "exists: " condition)
#define FAR(place) "__cluster_map_shared_rank(" place ", 1)"
#define MBARRIER   "b: {type: mbarrier, space: shared}"
#define S          "s: {count: 4, space: shared}"
#define G          "g: {count: 4, init: [1, 2, 3, 4]}"
#define INIT       "mbarrier_init(&b, 1); "
#define EXPECT(n)  "mbarrier_arrive_expect_tx(&b, " n "); "
#define STORED     " cp_async_bulk_commit_group(); cp_async_bulk_wait_group(0); "
#define ADDED      "cp_reduce_async_bulk(space_global, space_shared, op_add, &g[0], &s[0], 16);" STORED
#define AWAITED    "while (!mbarrier_try_wait_parity(sem_acquire, scope_cluster, &b, 0)) {} "
#define MAPPED     "*__cluster_map_shared_rank(&s[1], 0) = 7; "
#define STORE      "cp_async_bulk(space_global, space_shared, &g[0], &s[0], 16);" STORED "int r = g[1];"
#define LAUNCHED(body)                                                                                       \
    TEST("T0 ~> T1", "x: 0", BLOCK("T0", body) BLOCK("T1", "int r = load(x, weak);"), "exists: r == 0")
#define TRIGGER  "cudaTriggerProgrammaticLaunchCompletion(); "
#define MAP      "h: {count: 4, init: 9}, m: {type: tensormap, of: g}"
#define REPLACED "tensormap_replace_global_address(space_global, &m, h); "
#define LOADED   "cp_async_bulk_tensor(space_cluster, space_global, &s[0], &m, {0}, &b); "
#define HANDED(scope)                                                                                        \
    TEST("T0 | T1", G ", " MAP ", " S ", " MBARRIER ", f: 0",                                                \
         BLOCK("T0", REPLACED "fence_proxy_tensormap_generic(sem_release, " scope "); "                      \
                              "store(f, 1, relaxed, device);")                                               \
             BLOCK("T1", INIT "int r = 0; int q = load(f, relaxed, device); if (q) { "                       \
                              "fence_proxy_tensormap_generic(sem_acquire, " scope                            \
                              ", &m, 128); " EXPECT("16") LOADED AWAITED "r = s[1]; }"),                     \
         "exists: q == 1 && r == 2")
#define ONE(memory, body, condition) TEST("block", memory, THREAD("T0", body), "exists: " condition)
#define COPIED(bytes)                                                                                        \
    ONE(G ", " S,                                                                                            \
        "__shared__ cuda::barrier<cuda::thread_scope_block> bar; init(&bar, 1); g[1] = 7; "                  \
        "cuda::memcpy_async(&s[0], &g[0], " bytes ", bar); bar.arrive_and_wait(); int r = s[1];",            \
        "r != 7")

/* A bulk store by a map, which leads to g at first. */
#define BY_TABLE(before, value)                                                                              \
    "PTX maps\n{ int g[4]={0,0,0,0}; int h[4]={0,0,0,0}; shared int s[4]={1,1,1,1}; tensormap m=g; }\n"      \
    " P0@cta 0,gpu 0 ;\n fence.proxy.async ;\n" before                                                       \
    " cp.async.bulk.tensor.1d.global.shared::cta.bulk_group [m, {0}], [s] ;\n"                               \
    " cp.async.bulk.commit_group ;\n cp.async.bulk.wait_group 0 ;\n ld.weak r0, g[1] ;\n"                    \
    "exists (P0:r0 = " value ")\n"
#define REPLACED_TO_H " tensormap.replace.tile.global_address.global.b1024.b64 m, h ;\n"
/* A cp.async of four elements, of which some are written as 0. */
#define FILLED(copy, wait, condition)                                                                        \
    TEST("block", "g: {count: 4, init: 2}, s: {count: 4, init: 5, space: shared}, x: 0",                     \
         THREAD("T0", copy wait " int q = s[1]; int r = s[3];") THREAD("T1", "x = 1;"),                      \
         "exists: " condition)
#define SMALL(size)                                                                                          \
    "asm volatile(\"{ .reg .pred none; setp.eq.s32 none, %2, 0; cp.async.cg.shared.global [%0], [%1], "      \
    "16, " size "; }\" :: \"r\"((unsigned)__cvta_generic_to_shared(&s[0])), \"l\"(&g[0]), "                  \
    "\"r\"(8 * x) : \"memory\");"
#define FINISHED " __pipeline_commit(); __pipeline_wait_prior(0);"
/* Two threads copy together. */
#define TOGETHER(size, condition)                                                                            \
    TEST("block", G ", " S,                                                                                  \
         "  k:\n    grid: 1\n    block: 2\n    body: |\n      __shared__ "                                   \
         "cuda::barrier<cuda::thread_scope_block> bar; if (threadIdx.x == 0) init(&bar, 2); "                \
         "__syncthreads(); cuda::memcpy_async(cooperative_groups::this_thread_block(), &s[0], &g[0], " size  \
         ", bar); bar.arrive_and_wait(); int q = s[1]; int r = s[2];\n",                                     \
         "exists: " condition)

/* What the model says, in the weaker reading and the stronger one. */
static const struct {
    const char *test, *says[2];
} cases[] = {
    /* A11: does a store by an engine release what its thread did? */
    {PEERS("x: 0, " S ", " MBARRIER,
           INIT "cluster_sync(); x = 1; st_async(" FAR("&s[0]") ", 7, " FAR("&b") ");",
           INIT EXPECT("4") "cluster_sync(); " AWAITED "int r = x;", "r == 0"),
     {"allowed", "forbidden"}},
    /* A12: of which scope is a reduction? */
    {TEST("T0 || T1", "g: {count: 4}, s: {count: 4, init: 5, space: shared}",
          BLOCK("T0", ADDED) BLOCK("T1", ADDED), "exists: g[1] != 10"),
     {"allowed", "forbidden"}},
    /* A13: does a fence behind the first trigger count? */
    {LAUNCHED(TRIGGER "x = 1; __threadfence(); " TRIGGER), {"allowed", "forbidden"}},
    {LAUNCHED("x = 1; __threadfence(); " TRIGGER TRIGGER), {"forbidden", "forbidden"}},
    {LAUNCHED("x = 1; " TRIGGER "__threadfence();"), {"allowed", "allowed"}},
    /* A14: does a fence of the block's own shared memory cover an address of the cluster? */
    {PEERS(G ", " S, MAPPED "fence_proxy_async(space_shared); " STORE, "", "r != 7"),
     {"allowed", "forbidden"}},
    {PEERS(G ", " S, MAPPED "fence_proxy_async(space_cluster); " STORE, "", "r != 7"),
     {"forbidden", "forbidden"}},
    {PEERS(G ", " S, MAPPED STORE, "", "r != 7"), {"allowed", "allowed"}},
    /* A16: are a reduction by an engine and one by a thread atomic to each other? */
    {TEST("block", "g: {count: 4}, s: {count: 4, init: 5, space: shared}",
          THREAD("T0", ADDED) THREAD("T1", "atomicAdd(&g[1], 1);"), "exists: g[1] != 6"),
     {"allowed", "forbidden"}},
    {TEST("device", "g: {count: 4}, s: {count: 4, init: 5, space: shared}",
          BLOCK("T0", ADDED) BLOCK("T1", "atomicAdd_block(&g[1], 1);"), "exists: g[1] != 6"),
     {"allowed", "allowed"}},
    /* A map that another block has changed: both fences, joined by a strong write and a read of it, of a scope that includes
     * the other thread. */
    {HANDED("scope_gpu"), {"forbidden", "forbidden"}},
    {HANDED("scope_cta"), {"undefined", "undefined"}},
    /* reductions and loads into several blocks by a map */
    {ONE("g: {count: 4, init: 2}, s: {count: 4, init: 5, space: shared}, m: {type: tensormap, of: g}",
         "cp_reduce_async_bulk_tensor(space_global, space_shared, op_add, &m, {0}, &s[0]);" STORED
         "int r = g[1];",
         "r != 7"),
     {"forbidden", "forbidden"}},
    {ONE("g: {count: 4, init: 2}, s: {count: 4, init: 5, space: shared}, m: {type: tensormap, of: g}",
         "cp_reduce_async_bulk_tensor(space_global, space_shared, op_add, &m, {0}, &s[0]); int r = g[1];",
         "r != 7"),
     {"allowed", "allowed"}},
    {PEERS(G ", " MAP ", " S ", " MBARRIER,
           INIT EXPECT(
               "16") "cluster_sync(); "
                     "cp_async_bulk_tensor(space_cluster, space_global, &s[0], &m, {0}, &b, 3); " AWAITED
                     "int q = s[1];",
           INIT EXPECT("16") "cluster_sync(); " AWAITED "int r = s[1];", "r != 2 || q != 2"),
     {"forbidden", "forbidden"}},
    /* an mbarrier of `memory` as a barrier of libcu++ */
    {ONE(G ", " S ", " MBARRIER,
         "init(&b, 1); cuda::memcpy_async(&s[0], &g[0], cuda::aligned_size_t<16>(16), b); "
         "auto token = b.arrive(); b.wait(std::move(token)); int r = s[1];",
         "r != 2"),
     {"forbidden", "forbidden"}},
    /* a load and its mbarrier in a table */
    {"PTX load\n{ int g[4]={1,2,3,4}; shared int s[4]; mbarrier b; }\n P0@cta 0,gpu 0 ;\n"
     " mbarrier.init.shared.b64 b, 1 ;\n mbarrier.arrive.expect_tx.shared.b64 r1, b, 16 ;\n"
     " cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes s, g, 16, b ;\n"
     "W: ;\n mbarrier.try_wait.parity.shared.b64 p0, b, 0 ;\n @!p0 bra W ;\n ld.weak.shared r0, s[1] ;\n"
     "exists (P0:r0 != 2)\n",
     {"forbidden", "forbidden"}},
    /* maps in a table */
    {BY_TABLE("", "2"), {"forbidden", "forbidden"}},
    {BY_TABLE("", "1"), {"allowed", "allowed"}},
    {BY_TABLE(REPLACED_TO_H, "1"), {"allowed", "allowed"}},
    {BY_TABLE(REPLACED_TO_H " fence.proxy.tensormap::generic.release.gpu ;\n"
                            " fence.proxy.tensormap::generic.acquire.gpu m, 128 ;\n",
              "1"),
     {"forbidden", "forbidden"}},
    /* the bytes of an mbarrier */
    {ONE("x: 0, " MBARRIER, INIT "b = 0; int r = x;", "r == 0"), {"undefined", "undefined"}},
    {ONE("x: 0, " MBARRIER, "b = 0; " INIT "int r = x;", "r == 0"), {"allowed", "allowed"}},
    {ONE("x: 0, " MBARRIER, INIT "mbarrier_inval(&b); b = 0; int r = x;", "r == 0"), {"allowed", "allowed"}},
    /* libcu++ copies by cp.async what is not known to be aligned: by the generic proxy */
    {COPIED("16"), {"forbidden", "forbidden"}},
    {COPIED("cuda::aligned_size_t<8>(8)"), {"forbidden", "forbidden"}},
    {COPIED("cuda::aligned_size_t<16>(16)"), {"allowed", "allowed"}},
    /* one location by two virtual addresses */
    {ONE("x: 0, y: {of: x, alias: generic}", "x = 1; int r = y;", "r == 0"), {"allowed", "allowed"}},
    {ONE("x: 0, y: {of: x, alias: generic}", "x = 1; fence_proxy_alias(); int r = y;", "r == 0"),
     {"forbidden", "forbidden"}},
    {ONE("x: 0, y: {of: x}", "x = 1; int r = y;", "r == 0"), {"forbidden", "forbidden"}},
    /* copies that read fewer bytes than they write */
    {FILLED("__pipeline_memcpy_async(&s[0], &g[0], 16, 8);", FINISHED, "q != 2 || r != 0"),
     {"forbidden", "forbidden"}},
    {FILLED("__pipeline_memcpy_async(&s[0], &g[0], 16, 8);", "", "r != 0"), {"allowed", "allowed"}},
    {FILLED("__pipeline_memcpy_async(&s[0], &g[0], 16, 16);", FINISHED, "q != 0"),
     {"forbidden", "forbidden"}},
    {FILLED(SMALL("8"), FINISHED, "q != 2 || r != 0"), {"forbidden", "forbidden"}},
    {FILLED(SMALL("%2"), FINISHED, "q == 2 && r == 0"), {"allowed", "allowed"}},
    {FILLED(SMALL("%2"), FINISHED, "q == 0 && r == 0"), {"allowed", "allowed"}},
    {FILLED(SMALL("%2"), FINISHED, "r != 0"), {"forbidden", "forbidden"}},
    {FILLED(SMALL("none"), FINISHED, "q == 0 && r == 0"), {"allowed", "allowed"}},
    {FILLED(SMALL("!none"), FINISHED, "q == 0 && r == 2"), {"forbidden", "forbidden"}},
    /* several threads make a copy: the first one a bulk copy, all of them smaller ones in turn, for which each arrives */
    {TOGETHER("16", "k[0][0].q != 2 || k[0][0].r != 3 || k[0][1].r != 3"), {"forbidden", "forbidden"}},
    {TOGETHER("cuda::aligned_size_t<16>(16)", "k[0][0].q != 2 || k[0][1].r != 3"),
     {"forbidden", "forbidden"}},
};

static void test_readings(void **state) {
    (void)state;
    struct arena *a = arena_open();
    const struct model *const models[] = {ask_model(a, "ptx"), ask_model(a, "ptx-proxy")};
    int wrong = 0;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        wrong += ask_models(models, 2, cases[k].test, cases[k].says);
    assert_int_equal(wrong, 0);
    arena_close(a);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_readings)};
    return cmocka_run_group_tests(tests, ask_enter_folder, ask_leave_folder);
}
