/* Programs with barriers, and threads that exit before one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "ask.h"

#define EXITS(rest)                                                                                          \
    TEST("T0 T1", "x: 0, y: 0, z: 0",                                                                        \
         THREAD("T0", "int r = x; " rest) THREAD("T1", "__syncthreads(); x = 1;"), "exists: r == 1")

#define SCHEDULER                                                                                            \
    "name: t\nmemory: {next: 0, done: {count: 4}, piece: {space: shared}}\nplacements: [block]\nthreads:\n " \
    " g:\n"                                                                                                  \
    "    grid: 1\n    block: 2\n    body: |\n      for (;;) {\n        __syncthreads();\n"                   \
    "        if (threadIdx.x == 0) piece = atomicAdd(&next, 1);\n        __syncthreads();\n"                 \
    "        int r = piece;\n        if (r >= 2) return;\n        done[r * 2 + threadIdx.x] = 1;\n      }\n" \
    "exists: done[0] != 1 || done[1] != 1 || done[2] != 1 || done[3] != 1 || next != 3\n"

#define LEAVES                                                                                               \
    TEST("T0 T1", "x: 0",                                                                                    \
         THREAD("T0", "int r = x; if (r == 1) return; __syncthreads();")                                     \
             THREAD("T1", "__syncthreads(); x = 1;"),                                                        \
         "exists: r == 1")

static const struct question questions[] = {
    /* exits */
    {"an exit that a read decides is behind it", "ptx", LEAVES, false, false, 1, 1},
    {"elsewhere it is before the waits that it ends", "sc", LEAVES, false, false, 1, 1},
    {"also in x86-tso", "x86-tso", LEAVES, false, false, 1, 1},
    {"and in aarch64", "aarch64", LEAVES, false, false, 1, 1},
    {"in PTX an exit orders no read that decides nothing", "ptx", EXITS("if (z) __syncthreads();"), true,
     false, 2, 2},
    {"nor one after which the thread exits anyway", "ptx",
     EXITS("if (r == 1) y = 1; if (z) __syncthreads();"), true, false, 2, 2},
    {"nor one that decides about another barrier", "ptx",
     TEST(
         "T0 T1", "x: 0, z: 0",
         THREAD(
             "T0",
             "__syncthreads(); int r = x; if (r != 1) asm volatile(\"bar.sync 1;\"); if (z) __syncthreads();")
             THREAD("T1", "__syncthreads(); __syncthreads(); x = 1;"),
         "exists: r == 1"),
     true, false, 2, 2},
    {"who reads from somebody else may exit", "ptx",
     TEST("T0 T1 T2", "x: 0",
          THREAD("T0", "int r = x; if (r == 1) return; __syncthreads();")
              THREAD("T1", "__syncthreads(); int s = x;") THREAD("T2", "x = 1;"),
          "exists: r == 1 && s == 0"),
     true, false, 4, 4},
    {"what waits for ever otherwise is not decided by the future", "ptx",
     EXITS("while (r != 1) r = x; if (z) __syncthreads();"), false, false, 0, 0},
    {"a barrier of a cluster is not ended by the future", "ptx",
     TEST("cluster", "x: 0",
          THREAD("T0", "int r = x; if (r == 1) return; cluster_sync();")
              THREAD("T1", "cluster_sync(); x = 1;"),
          "exists: r == 1"),
     false, false, 1, 1},
    {"who takes pieces of work takes none from the future", "ptx", SCHEDULER, false, false, 1, -1},
    {"a barrier with a count does not wait for who exits", "sc",
     TEST("T0 T1 T2", "x: 0",
          THREAD("T0", "int r = x; if (r == 1) return; asm volatile(\"bar.sync 1, 64;\");")
              THREAD("T1", "asm volatile(\"bar.sync 1, 64;\"); x = 1;")
                  THREAD("T2", "asm volatile(\"bar.sync 1, 64;\");"),
          "exists: r == 1"),
     true, false, -1, -1},
    /* barriers */
    {"a barrier orders weak accesses", "ptx",
     TEST("T0 T1", "x: 0",
          THREAD("T0", "store(x, 1, weak); __syncthreads();")
              THREAD("T1", "__syncthreads(); int r = load(x, weak);"),
          "exists: r == 0"),
     false, false, 1, 1},
    {"but not across blocks", "ptx",
     TEST("T0 | T1", "x: 0",
          THREAD("T0", "store(x, 1, weak); __syncthreads();")
              THREAD("T1", "__syncthreads(); int r = load(x, weak);"),
          "exists: r == 0"),
     true, false, 2, 2},
    {"a warp's barrier joins the warp", "ptx",
     TEST("T0.T1", "x: 0",
          THREAD("T0", "store(x, 1, weak); __syncwarp();")
              THREAD("T1", "__syncwarp(); int r = load(x, weak);"),
          "exists: r == 0"),
     false, false, 1, 1},
    {"and no other", "ptx",
     TEST("T0 T1", "x: 0",
          THREAD("T0", "store(x, 1, weak); __syncwarp();")
              THREAD("T1", "__syncwarp(); int r = load(x, weak);"),
          "exists: r == 0"),
     true, false, 2, 2},
    {"a cluster's barrier joins its blocks", "ptx",
     TEST("cluster", "x: 0",
          THREAD("T0", "store(x, 1, weak); cluster_sync();")
              THREAD("T1", "cluster_sync(); int r = load(x, weak);"),
          "exists: r == 0"),
     false, false, 1, 1},
    {"the second use of a barrier is another one", "ptx",
     TEST("T0 T1", "x: 0",
          THREAD("T0", "__syncthreads(); store(x, 1, weak); __syncthreads();")
              THREAD("T1", "__syncthreads(); int r = load(x, weak); __syncthreads(); int s = load(x, weak);"),
          "exists: s == 0"),
     false, false, 1, 2},
    {"a barrier opens although a thread has exited", "ptx",
     TEST("T0 T1", "x: 0",
          THREAD("T0", "__syncthreads(); __syncthreads();") THREAD("T1", "__syncthreads(); x = 1;"),
          "exists: x == 1"),
     true, false, 1, 1},
    {"also in some executions only", "sc",
     TEST("T0 T1", "x: 0",
          THREAD("T0", "x = 1; __syncthreads();") THREAD("T1", "int r = x; if (r == 1) __syncthreads();"),
          "exists: r == 0"),
     true, false, 2, 2},
    {"a thread that exits orders nothing", "ptx",
     TEST("T0 T1", "x: 0, y: 0",
          THREAD("T0", "store(x, 1, weak); if (load(y, weak) == 1) __syncthreads();")
              THREAD("T1", "__syncthreads(); int r = load(x, weak);"),
          "exists: r == 0"),
     true, false, 2, -1},
    {"one that arrives does", "ptx",
     TEST("T0 T1", "x: 0, y: 0",
          THREAD("T0", "store(x, 1, weak); int s = load(y, weak); __syncthreads();")
              THREAD("T1", "__syncthreads(); int r = load(x, weak); y = 1;"),
          "exists: r == 0"),
     false, false, 1, 1},
    {"a thread that waits for ever has not exited", "ptx",
     TEST("T0 T1", "x: 0, y: 0",
          THREAD("T0", "__syncthreads(); y = 1;")
              THREAD("T1", "if (x == 0) while (y == 0) {} __syncthreads();"),
          "exists: y == 1"),
     false, false, 0, 0},
    {"exits let one barrier after the other open", "ptx",
     TEST("T0 T1 T2", "x: 0",
          THREAD("T0", "if (x == 1) __syncthreads(); __syncwarp();") THREAD(
              "T1", "__syncthreads(); __syncthreads();") THREAD("T2", "__syncthreads(); __syncthreads(); "
                                                                      "__syncthreads(); x = 2;"),
          "exists: x == 2"),
     true, false, 1, -1},
    {"a barrier of a cluster opens, too, when a thread has exited", "ptx",
     TEST("cluster", "x: 0",
          THREAD("T0", "cluster_sync(); cluster_sync(); int r = x;") THREAD("T1", "x = 1; cluster_sync();"),
          "exists: r == 1"),
     true, false, 1, 1},
    {"who never uses it is not waited for", "ptx",
     TEST("T0 T1 T2", "x: 0",
          THREAD("T0", "__syncthreads();") THREAD("T1", "__syncthreads();") THREAD("T2", "x = 1;"),
          "exists: x == 1"),
     true, false, 1, 1},
    {"a barrier in sc is a turn of all", "sc",
     TEST("T0 T1", "x: 0, y: 0",
          THREAD("T0", "x = 1; __syncthreads(); int r = y;")
              THREAD("T1", "y = 1; __syncthreads(); int s = x;"),
          "forall: r == 1 && s == 1"),
     true, false, 1, 1},
    {"and in x86-tso a fence", "x86-tso",
     TEST("T0 T1", "x: 0, y: 0",
          THREAD("T0", "x = 1; __syncthreads(); int r = y;")
              THREAD("T1", "y = 1; __syncthreads(); int s = x;"),
          "forall: r == 1 && s == 1"),
     true, false, 1, 1},
    {"who waits at a barrier in a loop is not idle", "sc",
     TEST("T0 T1", "x: 0",
          THREAD("T0", "do { __syncthreads(); } while (x == 0);")
              THREAD("T1", "__syncthreads(); __syncthreads(); x = 1; __syncthreads();"),
          "exists: x == 1"),
     true, false, 1, -1},
    /* tables: barriers with a number and a count */
    {"barriers of one number meet", "ptx",
     "PTX t\n{ x=0; }\n P0@cta 0,gpu 0 | P1@cta 0,gpu 0 ;\n st.weak x, 1 | bar.cta.sync 1 ;\n bar.cta.sync 1 "
     "| ld.weak r0, x ;\n"
     "exists (P1:r0 == 0)\n",
     false, false, 1, 1},
    {"a barrier with a count opens for that many: two pairs of four threads meet in three ways", "ptx",
     "PTX t\n{ x=0; }\n P0@cta 0,gpu 0 | P1@cta 0,gpu 0 | P2@cta 0,gpu 0 | P3@cta 0,gpu 0 ;\n"
     " st.weak x, 1 | bar.cta.sync 1, 64 | bar.cta.sync 1, 64 | bar.cta.sync 1, 64 ;\n bar.cta.sync 1, 64 | "
     "ld.weak r0, x |  | ;\n"
     "exists (P1:r0 == 0)\n",
     true, false, 2, 5},
    {"a count may stand in a register", "ptx",
     "PTX t\n{ x=0; P0:r1=64; }\n P0@cta 0,gpu 0 | P1@cta 0,gpu 0 ;\n st.weak x, 1 | bar.cta.sync 1, 64 ;\n "
     "bar.cta.sync 1, r1 | ld.weak r0, x ;\nexists (P1:r0 == 0)\n",
     false, false, 1, 1},
    {"that of too few lets two of three pass", "ptx",
     "PTX t\n{ x=0; P0:r1=2; }\n P0@cta 0,gpu 0 | P1@cta 0,gpu 0 | P2@cta 0,gpu 0 ;\n"
     " st.weak x, 1 | bar.cta.sync 3, 1, 2 | bar.cta.sync 3, 1, 2 ;\n bar.cta.sync 3, 1, r1 | ld.weak r0, x "
     ";\n"
     " | | bar.cta.sync 3, 1, 2 ;\nexists (P1:r0 == 0)\n",
     true, false, 2, -1},
    {"one for a single thread opens at once", "ptx",
     "PTX t\n{ x=0; }\n P0@cta 0,gpu 0 | P1@cta 0,gpu 0 ;\n st.weak x, 1 | bar.cta.sync 1, 32 ;\n "
     "bar.cta.sync 1, 32 "
     "| ld.weak r0, x ;\nexists (P1:r0 == 0)\n",
     true, false, 2, 2},
    {"who only arrives does not wait, but is heard", "ptx",
     "PTX t\n{ x=0; y=0; }\n P0@cta 0,gpu 0 | P1@cta 0,gpu 0 ;\n st.weak x, 1 | st.weak y, 1 ;\n"
     " bar.cta.arrive 1, 64 | bar.cta.sync 1, 64 ;\n ld.weak r1, y | ld.weak r0, x ;\n"
     "locations [P0:r1;]\nforall (P1:r0 == 1)\n",
     true, false, 2, 2},
    {"a barrier with a count waits also for who has exited", "ptx",
     "PTX t\n{ x=0; }\n P0@cta 0,gpu 0 | P1@cta 0,gpu 0 ;\n bar.cta.sync 1, 64 | bar.cta.sync 1, 64 ;\n"
     " bar.cta.sync 1, 64 | ;\nexists (x == 0)\n",
     false, false, 0, 0},
    {"and one without does not", "ptx",
     "PTX t\n{ x=0; }\n P0@cta 0,gpu 0 | P1@cta 0,gpu 0 ;\n bar.cta.sync 1 | bar.cta.sync 1 ;\n"
     " bar.cta.sync 1 | ;\nexists (x == 0)\n",
     true, false, 1, 1},
    {"barriers of two numbers in contrary order never open", "ptx",
     "PTX t\n{ x=0; }\n P0@cta 0,gpu 0 | P1@cta 0,gpu 0 ;\n bar.cta.sync 1 | bar.cta.sync 2 ;\n bar.cta.sync "
     "2 "
     "| bar.cta.sync 1 ;\nexists (x == 0)\n",
     false, false, 0, 0},
    {"who arrives again before it opened is stuck", "ptx",
     "PTX t\n{ x=0; }\n P0@cta 0,gpu 0 | P1@cta 0,gpu 0 ;\n bar.cta.arrive 1, 64 | st.weak x, 1 ;\n "
     "bar.cta.arrive 1, 64 | ;\n"
     "exists (x == 1)\n",
     false, false, 0, 0},
    {"of two numbers do not", "ptx",
     "PTX t\n{ x=0; }\n P0@cta 0,gpu 0 | P1@cta 0,gpu 0 ;\n st.weak x, 1 | bar.cta.sync 2 ;\n bar.cta.sync 1 "
     "| ld.weak r0, x ;\n"
     "exists (P1:r0 == 0)\n",
     true, false, 2, 2},
};

static void barriers(void **state) {
    (void)state;
    assert_int_equal(ask_all(questions, sizeof questions / sizeof *questions), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(barriers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
