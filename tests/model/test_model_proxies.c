/* What ptx.cat and ptx-proxy.cat say of accesses by several proxies and virtual addresses, in tables: each clause with a
 * fence in each place where it may stand, and without it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "ask.h"

#define TABLE(memory, columns, condition) "PTX test\n{ x=0; f=0; " memory " }\n" columns condition "\n"
#define ALIAS                             "y @ generic aliases x;"
#define TEXTURE                           "y @ texture aliases x;"
#define SURFACE                           "y @ surface aliases x;"
#define CONSTANT                          "y @ constant aliases x;"
#define ONE                               " P0@cta 0,gpu 0 ;\n"
#define SAME                              " P0@cta 0,gpu 0 | P1@cta 0,gpu 0 ;\n"
#define APART                             " P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n"

/* One thread: it writes x, a fence or none, then reads y. */
#define WRITE_READ(memory, fence, load)                                                                      \
    TABLE(memory, ONE " st.weak x, 1 ;\n" fence load ".weak r0, y ;\n", "exists (P0:r0 == 0)")
/* It reads y, a fence or none, then writes x. */
#define READ_WRITE(memory, fence, load)                                                                      \
    TABLE(memory, ONE " " load ".weak r0, y ;\n" fence " st.weak x, 1 ;\n", "exists (P0:r0 == 1)")
/* Message passing: the data goes through y on one side, and a fence stands on each side or does not. */
#define PASS(memory, seats, store, before, after, load)                                                      \
    TABLE(memory,                                                                                            \
          seats " " store " | ld.acquire.gpu r1, f ;\n " before " | " after                                  \
                " ;\n st.release.gpu f, 1 | " load " ;\n",                                                   \
          "exists (P1:r1 == 1 /\\ P1:r0 == 0)")
/* The same for a read before a write of another thread. */
#define KEEP(memory, seats, load, before, after, store)                                                      \
    TABLE(memory,                                                                                            \
          seats " " load " | ld.acquire.gpu r1, f ;\n " before " | " after                                   \
                " ;\n st.release.gpu f, 1 | " store " ;\n",                                                  \
          "exists (P1:r1 == 1 /\\ P0:r0 == 1)")
/* The same for two writes, of which the first may be the last. */
#define REPLACE(memory, seats, first, before, after, second)                                                 \
    TABLE(memory,                                                                                            \
          seats " " first " | ld.acquire.gpu r1, f ;\n " before " | " after                                  \
                " ;\n st.release.gpu f, 1 | " second " ;\n",                                                 \
          "exists (P1:r1 == 1 /\\ x == 1)")

#define MEET "__cluster_barrier_arrive_relaxed(); __cluster_barrier_wait();"
#define RELAXED_BARRIER(fence)                                                                               \
    TEST("cluster", "x: 0",                                                                                  \
         THREAD("T0", "store(x, 1, weak); " fence " " MEET) THREAD("T1", MEET " int r = load(x, weak);"),    \
         "exists: r == 0")

static const struct {
    const char *test;
    bool allowed;
} cases[] = {
    /* two addresses */
    {WRITE_READ(ALIAS, "", "ld"), true},
    {WRITE_READ(ALIAS, " fence.proxy.alias ;\n ", "ld"), false},
    {WRITE_READ(ALIAS, " fence.proxy.alias.release.sys ;\n fence.proxy.alias.acquire.sys ;\n ", "ld"), false},
    {WRITE_READ(ALIAS, " fence.proxy.alias.acquire.sys ;\n fence.proxy.alias.release.sys ;\n ", "ld"), true},
    {WRITE_READ(ALIAS, " fence.proxy.alias.release.sys ;\n ", "ld"), true},
    {WRITE_READ(ALIAS, " fence.sc.sys ;\n ", "ld"), true},
    {READ_WRITE(ALIAS, "", "ld"), true},
    {READ_WRITE(ALIAS, " fence.proxy.alias ;\n ", "ld"), false},
    {PASS(ALIAS, APART, "st.weak x, 1", "", "", "ld.weak r0, y"), true},
    {PASS(ALIAS, APART, "st.weak x, 1", "fence.proxy.alias", "", "ld.weak r0, y"), false},
    {PASS(ALIAS, APART, "st.weak x, 1", "", "fence.proxy.alias", "ld.weak r0, y"), false},
    {PASS(ALIAS, APART, "st.weak y, 1", "", "fence.proxy.alias", "ld.weak r0, x"), false},
    {PASS(ALIAS, APART, "st.weak y, 1", "", "", "ld.weak r0, y"), false},
    {KEEP(ALIAS, APART, "ld.weak r0, x", "", "", "st.weak y, 1"), true},
    {KEEP(ALIAS, APART, "ld.weak r0, x", "fence.proxy.alias", "", "st.weak y, 1"), false},
    {REPLACE(ALIAS, APART, "st.weak x, 1", "", "", "st.weak y, 2"), true},
    {REPLACE(ALIAS, APART, "st.weak x, 1", "", "fence.proxy.alias", "st.weak y, 2"), false},
    /* a flag by two addresses does not synchronize */
    {TABLE("y @ generic aliases f;",
           APART " st.weak x, 1 | ld.acquire.gpu r1, y ;\n st.release.gpu f, 1 | ld.weak r0, x ;\n",
           "exists (P1:r1 == 1 /\\ P1:r0 == 0)"),
     true},
    /* a fence of a proxy must stand in the block of its access */
    {WRITE_READ(CONSTANT, "", "cold"), true},
    {WRITE_READ(CONSTANT, " fence.proxy.constant ;\n ", "cold"), false},
    {WRITE_READ(CONSTANT, " fence.proxy.texture ;\n ", "cold"), true},
    {WRITE_READ(CONSTANT, " fence.proxy.alias ;\n ", "cold"), true},
    {WRITE_READ(CONSTANT, " fence.proxy.generic ;\n ", "cold"), true},
    {WRITE_READ(TEXTURE, "", "tld"), true},
    {WRITE_READ(TEXTURE, " fence.proxy.texture ;\n ", "tld"), false},
    {READ_WRITE(TEXTURE, "", "tld"), true},
    {READ_WRITE(TEXTURE, " fence.proxy.texture ;\n ", "tld"), false},
    {WRITE_READ(SURFACE, " fence.proxy.surface ;\n ", "suld"), false},
    {PASS(CONSTANT, APART, "st.weak x, 1", "fence.proxy.constant", "", "cold.weak r0, y"), true},
    {PASS(CONSTANT, APART, "st.weak x, 1", "", "fence.proxy.constant", "cold.weak r0, y"), false},
    {PASS(CONSTANT, SAME, "st.weak x, 1", "fence.proxy.constant", "", "cold.weak r0, y"), false},
    {PASS(SURFACE, APART, "sust.weak y, 1", "", "", "ld.weak r0, x"), true},
    {PASS(SURFACE, APART, "sust.weak y, 1", "fence.proxy.surface", "", "ld.weak r0, x"), false},
    {PASS(SURFACE, APART, "sust.weak y, 1", "", "fence.proxy.surface", "ld.weak r0, x"), true},
    {PASS(SURFACE, SAME, "sust.weak y, 1", "", "", "suld.weak r0, y"), false},
    {PASS(SURFACE, APART, "sust.weak y, 1", "", "", "suld.weak r0, y"), true},
    {PASS(SURFACE, APART, "sust.weak y, 1", "fence.proxy.surface", "", "suld.weak r0, y"), true},
    {PASS(SURFACE, APART, "sust.weak y, 1", "fence.proxy.surface", "fence.proxy.surface", "suld.weak r0, y"),
     false},
    {KEEP(TEXTURE, APART, "tld.weak r0, y", "fence.proxy.texture", "", "st.weak x, 1"), false},
    {KEEP(TEXTURE, APART, "tld.weak r0, y", "", "fence.proxy.texture", "st.weak x, 1"), true},
    {REPLACE(SURFACE, APART, "st.weak x, 1", "", "fence.proxy.surface", "sust.weak y, 2"), false},
    {REPLACE(SURFACE, APART, "st.weak x, 1", "fence.proxy.surface", "", "sust.weak y, 2"), true},
    /* both: another address, and another proxy of it */
    {TABLE(ALIAS " z @ texture aliases y;",
           ONE " st.weak x, 1 ;\n fence.proxy.alias ;\n fence.proxy.texture ;\n tld.weak r0, z ;\n",
           "exists (P0:r0 == 0)"),
     false},
    {TABLE(ALIAS " z @ texture aliases y;",
           ONE " st.weak x, 1 ;\n fence.proxy.texture ;\n tld.weak r0, z ;\n", "exists (P0:r0 == 0)"),
     true},
    {TABLE(ALIAS " z @ texture aliases y;",
           ONE " st.weak y, 1 ;\n fence.proxy.texture ;\n tld.weak r0, z ;\n", "exists (P0:r0 == 0)"),
     false},
    /* two proxies: a fence of each, and where they may stand */
    {TABLE(SURFACE " z @ texture aliases x;",
           ONE " sust.weak y, 1 ;\n fence.proxy.surface ;\n fence.proxy.texture ;\n tld.weak r0, z ;\n",
           "exists (P0:r0 == 0)"),
     false},
    {TABLE(SURFACE " z @ texture aliases x;",
           ONE " sust.weak y, 1 ;\n fence.proxy.texture ;\n fence.proxy.surface ;\n tld.weak r0, z ;\n",
           "exists (P0:r0 == 0)"),
     true},
    {TABLE(SURFACE " z @ texture aliases x;",
           ONE " sust.weak y, 1 ;\n fence.proxy.surface ;\n tld.weak r0, z ;\n", "exists (P0:r0 == 0)"),
     true},
    /* a flag through the surface proxy, in one block or two: strong accesses through one proxy synchronize */
    {TABLE("g @ surface aliases f;",
           APART " st.weak x, 1 | suld.acquire.gpu r1, g ;\n sust.release.gpu g, 1 | ld.weak r0, x ;\n",
           "exists (P1:r1 == 1 /\\ P1:r0 == 0)"),
     false},
    {TABLE("g @ surface aliases f;",
           APART " st.weak x, 1 | ld.acquire.gpu r1, f ;\n sust.release.gpu g, 1 | ld.weak r0, x ;\n",
           "exists (P1:r1 == 1 /\\ P1:r0 == 0)"),
     true},
    /* an atomic operation is none with another proxy or address */
    {TABLE(SURFACE, APART " atom.relaxed.gpu.add r0, x, 1 | suatom.relaxed.gpu.add r0, y, 1 ;\n",
           "exists (P0:r0 == 0 /\\ P1:r0 == 0)"),
     true},
    {TABLE(SURFACE, APART " suatom.relaxed.gpu.add r0, y, 1 | suatom.relaxed.gpu.add r0, y, 1 ;\n",
           "exists (P0:r0 == 0 /\\ P1:r0 == 0)"),
     false},
    {TABLE(ALIAS, APART " atom.relaxed.gpu.add r0, x, 1 | atom.relaxed.gpu.add r0, y, 1 ;\n",
           "exists (P0:r0 == 0 /\\ P1:r0 == 0)"),
     true},
    /* a relaxed arrival at a barrier passes on what a fence of threads releases, and not what one of a proxy does */
    {RELAXED_BARRIER("fence_proxy_async_generic_sync_restrict(sem_release, space_shared, scope_cluster);"),
     true},
    {RELAXED_BARRIER("fence_mbarrier_init(sem_release, scope_cluster);"), true},
    {RELAXED_BARRIER("atomic_thread_fence(release, cluster);"), false},
};

static void test_proxies(void **state) {
    (void)state;
    struct arena *a = arena_open();
    const struct model *const models[] = {ask_model(a, "ptx"), ask_model(a, "ptx-proxy")};
    int wrong = 0;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const char *word = cases[k].allowed ? "allowed" : "forbidden";
        wrong += ask_models(models, 2, cases[k].test, (const char *const[]){word, word});
    }
    assert_int_equal(wrong, 0);
    arena_close(a);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_proxies)};
    return cmocka_run_group_tests(tests, ask_enter_folder, ask_leave_folder);
}
