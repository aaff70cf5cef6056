/* Every definition of models/ptx.cat has a test that notices when it is broken: the table breaks one clause
 * after the other and asks the test beside it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ask.h"
#include "mutants.h"

/* The tests. What the unbroken model says of them is in the table below. */

#define XY             "x: 0, y: 0"
#define SC(scope)      "atomic_thread_fence(sc, " scope ");"
#define ACQ_REL(scope) "atomic_thread_fence(acq_rel, " scope ");"

static const char mp_fences[] =
    TEST("T0 | T1", XY,
         THREAD("T0", "store(x, 1, weak); " ACQ_REL("device") " store(y, 1, relaxed, device);")
             THREAD("T1", "int r = load(y, relaxed, device); " ACQ_REL("device") " int s = load(x, weak);"),
         "exists: r == 1 && s == 0");
#define HALF "w: {type: uint64_t}, low: {of: w, type: uint32_t}"
static const char own_bytes[] = TEST("T0", HALF, THREAD("T0", "w = 1; int r = low;"), "exists: r == 0");
static const char racing_bytes[] =
    TEST("T0 | T1", HALF, THREAD("T0", "w = 1;") THREAD("T1", "int r = low;"), "exists: r == 1");
#define HALVES "w: {type: uint64_t}, high: {of: w, at: 4, type: uint32_t}, low: {of: w, type: uint32_t}"
#define TORN(order)                                                                                          \
    TEST("T0 T1", HALVES,                                                                                    \
         THREAD("T0", "store(high, 7, weak); __syncthreads(); store(w, 0x100000001ull, " order ");")         \
             THREAD("T1", "__syncthreads(); uint64_t r = load(w, relaxed, device);"),                        \
         "exists: r == 0x700000001ull")
static const char torn[] = TORN("relaxed, device");
static const char torn_race[] = TORN("weak"); /* not morally strong */
#define TWO_SIZES(scope)                                                                                     \
    TEST("T0 | T1", HALVES,                                                                                  \
         THREAD("T0", "fetch_add(w, 0x100000001ull, relaxed, " scope ");")                                   \
             THREAD("T1", "fetch_add(high, 1, relaxed, " scope ");"),                                        \
         "exists: w != 0x200000001ull")
static const char two_sizes[] = TWO_SIZES("device");
static const char two_sizes_block[] = TWO_SIZES("block");
static const char two_exchanges[] = TEST("T0 | T1", HALVES,
                                         THREAD("T0", "exchange(w, 0x100000001ull, relaxed, device);")
                                             THREAD("T1", "uint32_t r = exchange(high, 2, relaxed, device);"),
                                         "exists: r == 0 && w == 0x100000001ull");
static const char two_sizes_of_three[] = /* the halves of one operation are on two sides of another */
    TEST("T0 | T1 | T2", HALVES,
         THREAD("T0", "exchange(w, 0x100000001ull, relaxed, device);")
             THREAD("T1", "exchange(w, 0x200000002ull, relaxed, device);")
                 THREAD("T2", "uint32_t r = fetch_add(high, 0, relaxed, device);"),
         "exists: w == 0x200000001ull || w == 0x100000002ull");
static const char acquire_of_a_part[] = /* it is another location than what was read before */
    TEST("T0 | T1", "x: 0, " HALVES,
         THREAD("T0", "store(x, 1, weak); " ACQ_REL("device") " store(w, 1, relaxed, device);")
             THREAD("T1", "uint64_t r = load(w, relaxed, device); int s = 1; if (r == 1) { uint32_t q = "
                          "load(low, acquire, device); s = load(x, weak); }"),
         "exists: r == 1 && s == 0");
static const char nc_before_barrier[] = /* it may find what is written later */
    TEST("T0 T1", "x: 0",
         THREAD("T0", "int r = __ldg(&x); __syncthreads();") THREAD("T1", "__syncthreads(); x = 1;"),
         "exists: r == 1");
static const char nc_behind_barrier[] = /* or miss what was written before */
    TEST("T0 T1", "x: 0",
         THREAD("T0", "store(x, 1, weak); __syncthreads();")
             THREAD("T1", "__syncthreads(); int r = __ldg(&x);"),
         "exists: r == 0");
static const char nc_torn[] = /* also of one part of what its own thread wrote */
    TEST("T0", HALVES,
         THREAD("T0", "store(high, 7, weak); store(w, 0x100000001ull, weak); uint64_t r = __ldg(&w);"),
         "exists: r == 0x700000001ull");
static const char nc_next_kernel[] = /* but nothing of the kernel before */
    TEST("T0 -> T1", "x: 0", THREAD("T0", "store(x, 1, weak);") THREAD("T1", "int r = __ldg(&x);"),
         "exists: r == 0");
static const char mp_one_way_fences[] = TEST(
    "T0 | T1", XY,
    THREAD("T0", "store(x, 1, weak); atomic_thread_fence(release, device); store(y, 1, relaxed, device);")
        THREAD("T1", "int r = load(y, relaxed, device); atomic_thread_fence(acquire, device); "
                     "int s = load(x, weak);"),
    "exists: r == 1 && s == 0");
static const char mp_acquire_where_release_is_due[] = TEST(
    "T0 | T1", XY,
    THREAD("T0", "store(x, 1, weak); atomic_thread_fence(acquire, device); store(y, 1, relaxed, device);")
        THREAD("T1", "int r = load(y, acquire, device); int s = load(x, weak);"),
    "exists: r == 1 && s == 0");
static const char mp_release_where_acquire_is_due[] =
    TEST("T0 | T1", XY,
         THREAD("T0", "store(x, 1, weak); store(y, 1, release, device);")
             THREAD("T1", "int r = load(y, relaxed, device); atomic_thread_fence(release, device); "
                          "int s = load(x, weak);"),
         "exists: r == 1 && s == 0");
static const char mp_release_acquire[] =
    TEST("T0 | T1", XY,
         THREAD("T0", "store(x, 1, weak); store(y, 1, release, device);")
             THREAD("T1", "int r = load(y, acquire, device); int s = load(x, weak);"),
         "exists: r == 1 && s == 0");
static const char mp_wide_release[] = /* the reader's scope does not include the writer */
    TEST("T0 | T1", XY,
         THREAD("T0", "store(x, 1, weak); store(y, 1, release, system);")
             THREAD("T1", "int r = load(y, acquire, block); int s = load(x, weak);"),
         "exists: r == 1 && s == 0");
static const char mp_wide_acquire[] =
    TEST("T0 | T1", XY,
         THREAD("T0", "store(x, 1, weak); store(y, 1, release, block);")
             THREAD("T1", "int r = load(y, acquire, system); int s = load(x, weak);"),
         "exists: r == 1 && s == 0");
static const char mp_narrow_flag[] = /* the fences include each other, the accesses to the flag do not */
    TEST("T0 | T1", XY,
         THREAD("T0", "store(x, 1, weak); " ACQ_REL("system") " store(y, 1, relaxed, block);")
             THREAD("T1", "int r = load(y, relaxed, block); " ACQ_REL("system") " int s = load(x, weak);"),
         "exists: r == 1 && s == 0");
static const char mp_narrow_fences[] = /* the other way round */
    TEST("T0 | T1", XY,
         THREAD("T0", "store(x, 1, weak); " ACQ_REL("block") " store(y, 1, relaxed, system);")
             THREAD("T1", "int r = load(y, relaxed, system); " ACQ_REL("block") " int s = load(x, weak);"),
         "exists: r == 1 && s == 0");
static const char mp_barrier[] = TEST("T0 T1", XY,
                                      THREAD("T0", "store(x, 1, weak); __syncthreads();")
                                          THREAD("T1", "__syncthreads(); int s = load(x, weak);"),
                                      "exists: s == 0");
static const char release_sequence[] = /* the flag goes on through an atomic operation */
    TEST("T0 | T1 | T2", XY,
         THREAD("T0", "store(x, 1, weak); store(y, 1, release, device);")
             THREAD("T1", "int a = fetch_add(y, 1, relaxed, device);")
                 THREAD("T2", "int r = load(y, acquire, device); int s = load(x, weak);"),
         "exists: a == 1 && r == 2 && s == 0");
static const char release_sequence_long[] = /* through two */
    TEST("T0 | T1 | T2 | T3", XY,
         THREAD("T0", "store(x, 1, weak); store(y, 1, release, device);")
             THREAD("T1", "int a = fetch_add(y, 1, relaxed, device);")
                 THREAD("T2", "int b = fetch_add(y, 1, relaxed, device);")
                     THREAD("T3", "int r = load(y, acquire, device); int s = load(x, weak);"),
         "exists: a == 1 && b == 2 && r == 3 && s == 0");
static const char release_then_write[] = /* a later strong write of the flag belongs to the release */
    TEST("T0 | T1", XY,
         THREAD("T0", "store(x, 1, weak); store(y, 1, release, device); store(y, 2, relaxed, device);")
             THREAD("T1", "int r = load(y, acquire, device); int s = load(x, weak);"),
         "exists: r == 2 && s == 0");
static const char read_then_acquire[] = /* an earlier strong read of the flag belongs to the acquire */
    TEST("T0 | T1 | T2", XY,
         THREAD("T0", "store(x, 1, weak); store(y, 1, release, device);") THREAD(
             "T1",
             "int q = load(y, relaxed, device); int r = load(y, acquire, device); int s = load(x, weak);")
             THREAD("T2", "store(y, 2, relaxed, device);"),
         "exists: q == 1 && r == 2 && s == 0");
static const char isa2[] =
    TEST("T0 | T1 | T2", "x: 0, y: 0, z: 0",
         THREAD("T0", "store(x, 1, weak); store(y, 1, release, device);")
             THREAD("T1", "int q = load(y, acquire, device); store(z, 1, release, device);")
                 THREAD("T2", "int r = load(z, acquire, device); int s = load(x, weak);"),
         "exists: q == 1 && r == 1 && s == 0");
static const char wrc[] =
    TEST("T0 | T1 | T2", XY,
         THREAD("T0", "store(x, 1, relaxed, device);")
             THREAD("T1", "int q = load(x, relaxed, device); store(y, 1, release, device);")
                 THREAD("T2", "int r = load(y, acquire, device); int s = load(x, weak);"),
         "exists: q == 1 && r == 1 && s == 0");
static const char sb_sc[] =
    TEST("T0 | T1", XY,
         THREAD("T0", "store(x, 1, weak); " SC("device") " int r = load(y, weak);")
             THREAD("T1", "store(y, 1, weak); " SC("device") " int s = load(x, weak);"),
         "exists: r == 0 && s == 0");
static const char sb_sc_block[] =
    TEST("T0 | T1", XY,
         THREAD("T0", "store(x, 1, weak); " SC("block") " int r = load(y, weak);")
             THREAD("T1", "store(y, 1, weak); " SC("block") " int s = load(x, weak);"),
         "exists: r == 0 && s == 0");
static const char sb_acq_rel[] =
    TEST("T0 | T1", XY,
         THREAD("T0", "store(x, 1, weak); " ACQ_REL("device") " int r = load(y, weak);")
             THREAD("T1", "store(y, 1, weak); " ACQ_REL("device") " int s = load(x, weak);"),
         "exists: r == 0 && s == 0");
static const char two_fences[] = /* one execution: the order of the fences is that of the program */
    TEST("T0", "x: 0", THREAD("T0", SC("device") " " SC("device") " int r = load(x, weak);"),
         "exists: r == 0");
static const char corr_weak_after_strong[] =
    TEST("T0 | T1", "x: 0",
         THREAD("T0", "store(x, 1, relaxed, device);")
             THREAD("T1", "int r = load(x, relaxed, device); int s = load(x, weak);"),
         "exists: r == 1 && s == 0");
static const char corr_weak[] =
    TEST("T0 | T1", "x: 0",
         THREAD("T0", "store(x, 1, weak);") THREAD("T1", "int r = load(x, weak); int s = load(x, weak);"),
         "exists: r == 1 && s == 0");
static const char coherent_readers[] = /* two readers disagree about two writes */
    TEST("T0 | T1 | T2 | T3", "x: 0",
         THREAD("T0", "store(x, 1, relaxed, device);") THREAD("T1", "store(x, 2, relaxed, device);")
             THREAD("T2", "int a = load(x, relaxed, device); int b = load(x, relaxed, device);")
                 THREAD("T3", "int c = load(x, relaxed, device); int d = load(x, relaxed, device);"),
         "exists: a == 1 && b == 2 && c == 2 && d == 1");
static const char racing_readers[] = /* weak writes are not ordered, so that the readers may */
    TEST("T0 | T1 | T2 | T3", "x: 0",
         THREAD("T0", "store(x, 1, weak);") THREAD("T1", "store(x, 2, weak);")
             THREAD("T2", "int a = load(x, relaxed, device); int b = load(x, relaxed, device);")
                 THREAD("T3", "int c = load(x, relaxed, device); int d = load(x, relaxed, device);"),
         "exists: a == 1 && b == 2 && c == 2 && d == 1");
static const char ordered_weak_writes[] = /* a barrier orders two weak writes */
    TEST("T0 T1", "x: 0",
         THREAD("T0", "store(x, 1, weak); __syncthreads();")
             THREAD("T1", "__syncthreads(); store(x, 2, weak);"),
         "exists: x == 1");
static const char ordered_read[] = /* a write that a barrier puts before a read is still the last */
    TEST("T0 T1", "x: 0",
         THREAD("T0", "store(x, 1, weak); __syncthreads();")
             THREAD("T1", "__syncthreads(); int r = load(x, weak);"),
         "exists: r == 1 && x == 1");
static const char two_adds[] = TEST("T0 | T1", "x: 0",
                                    THREAD("T0", "int r = fetch_add(x, 1, relaxed, device);")
                                        THREAD("T1", "int s = fetch_add(x, 1, relaxed, device);"),
                                    "exists: r == 0 && s == 0");
static const char two_adds_block[] = /* not in each other's scope: an update may be lost */
    TEST("T0 | T1", "x: 0",
         THREAD("T0", "int r = fetch_add(x, 1, relaxed, block);")
             THREAD("T1", "int s = fetch_add(x, 1, relaxed, block);"),
         "exists: r == 0 && s == 0");
static const char lb_data_ctrl[] =
    TEST("T0 | T1", XY,
         THREAD("T0", "int r = load(x, weak); store(y, r, weak);")
             THREAD("T1", "int s = load(y, weak); if (s == 1) store(x, 1, weak);"),
         "exists: r == 1 && s == 1");
static const char lb_addr_ctrl[] =
    TEST("T0 | T1", "x: 0, y: {count: 2}",
         THREAD("T0", "int r = load(x, weak); store(y[r], 1, weak);")
             THREAD("T1", "int s = load(y[1], weak); if (s == 1) store(x, 1, weak);"),
         "exists: r == 1 && s == 1");
static const char lb_late_read[] = /* what is read there may be read before */
    TEST("T0 | T1", XY ", z: 0",
         THREAD("T0",
                "int r = load(x, weak), t = 0; if (r == 1) t = load(z, weak); if (t == 0) store(y, 1, weak);")
             THREAD("T1", "int s = load(y, weak); store(x, s, weak);"),
         "exists: r == 1 && s == 1");
static const char lb_late_add[] = TEST(
    "T0 | T1", XY ", z: 0",
    THREAD("T0",
           "int r = load(x, weak), t = 0; if (r == 1) t = atomicAdd(&z, 1); if (t == 0) store(y, 1, weak);")
        THREAD("T1", "int s = load(y, weak); store(x, s, weak);"),
    "exists: r == 1 && s == 1");
static const char left[] = /* a read of what is written after the wait that it ends */
    TEST("T0 T1", "x: 0",
         THREAD("T0", "int r = x; if (r == 1) return; __syncthreads();")
             THREAD("T1", "__syncthreads(); x = 1;"),
         "exists: r == 1");
static const char left_anyway[] = /* a read that decides nothing */
    TEST("T0 T1", XY,
         THREAD("T0", "int r = x; if (y) __syncthreads();") THREAD("T1", "__syncthreads(); x = 1;"),
         "exists: r == 1");
static const char left_by_barrier[] = /* who waited meets another one */
    TEST("T0 T1 T2", "x: 0",
         THREAD("T0", "int r = x; if (r == 1) return; __syncthreads();")
             THREAD("T1", "__syncthreads(); asm volatile(\"bar.sync 1, 64;\");")
                 THREAD("T2", "asm volatile(\"bar.sync 1, 64;\"); x = 1;"),
         "exists: r == 1");
static const char left_by_exit[] = /* or ends, and is waited for itself */
    TEST("T0 T1 T2", "x: 0",
         THREAD("T0", "int r = x; if (r == 1) return; __syncthreads();")
             THREAD("T1", "asm volatile(\"bar.sync 1;\"); __syncthreads();")
                 THREAD("T2", "asm volatile(\"bar.sync 1;\"); asm volatile(\"bar.sync 1;\"); x = 1;"),
         "exists: r == 1");
static const char read_before_write[] = /* a barrier puts a weak read before a weak write */
    TEST("T0 T1", "x: 0",
         THREAD("T0", "int r = load(x, weak); __syncthreads();")
             THREAD("T1", "__syncthreads(); store(x, 1, weak);"),
         "exists: r == 1");
static const char lb[] =
    TEST("T0 | T1", XY,
         THREAD("T0", "int r = load(x, relaxed, device); store(y, 1, relaxed, device);")
             THREAD("T1", "int s = load(y, relaxed, device); store(x, 1, relaxed, device);"),
         "exists: r == 1 && s == 1");

#define TABLE(head, memory, columns, condition) "PTX test\n{ " memory " }\n" head columns condition "\n"
#define APART                                   " P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n"

static const char red_before_fence[] = TABLE(APART, "x=0; y=0;",
                                             " st.weak x, 1       | red.relaxed.gpu.add y, 1 ;\n"
                                             " fence.acq_rel.gpu  | fence.acq_rel.gpu        ;\n"
                                             " st.relaxed.gpu y, 1 | ld.weak r0, x           ;\n",
                                             "exists (y == 2 /\\ P1:r0 == 0)");
static const char red_before_acquire[] = /* the read of the acquire is too late */
    TABLE(" P0@cta 0,gpu 0 | P1@cta 1,gpu 0 | P2@cta 2,gpu 0 ;\n", "x=0; y=0;",
          " st.weak x, 1        | red.relaxed.gpu.add y, 1 | st.relaxed.gpu y, 4 ;\n"
          " st.release.gpu y, 1 | ld.acquire.gpu r1, y | ;\n"
          "                     | ld.weak r0, x        | ;\n",
          "exists (P1:r1 == 4 /\\ P1:r0 == 0 /\\ y == 4)");

static const char failed_release[] = /* it wrote nothing, and releases with the next write of its location */
    TEST("T0 | T1", XY,
         THREAD("T0", "store(x, 1, weak); int q = compare_exchange(y, 5, 6, release, device); "
                      "store(y, 1, relaxed, device);")
             THREAD("T1", "int r = load(y, acquire, device); int s = load(x, weak);"),
         "exists: r == 1 && s == 0");
static const char release_elsewhere[] = /* the write that is observed is of another location */
    TEST("T0 | T1", "x: 0, y: 0, z: 0",
         THREAD("T0", "store(x, 1, weak); store(z, 1, release, device); store(y, 1, relaxed, device);")
             THREAD("T1", "int r = load(y, relaxed, device); " ACQ_REL("device") " int s = load(x, weak);"),
         "exists: r == 1 && s == 0");

#define TOGETHER " P0@cta 0,gpu 0 | P1@cta 0,gpu 0 ;\n"
static const char copy_after_store[] = /* a copy reads what its thread wrote before it */
    TABLE(TOGETHER, "x=0; y=0;",
          " st.weak x, 1                      | bar.cta.sync 0 ;\n"
          " cp.async.ca.shared.global y, x, 4 | ld.weak r1, y  ;\n"
          " cp.async.wait_all                 |                ;\n"
          " bar.cta.sync 0                    |                ;\n",
          "exists (P1:r1 == 0)");
static const char copy_not_waited_for[] = /* the newest group may be on its way */
    TABLE(" P0@cta 0,gpu 0 ;\n", "x=1; y=0;",
          " cp.async.ca.shared.global y, x, 4 ;\n cp.async.commit_group ;\n cp.async.wait_group 1 ;\n"
          " ld.weak r0, y ;\n",
          "exists (P0:r0 == 0)");
static const char copy_after_wait[] =
    TABLE(" P0@cta 0,gpu 0 ;\n", "x=1; y=0;",
          " cp.async.ca.shared.global y, x, 4 ;\n cp.async.commit_group ;\n cp.async.wait_group 0 ;\n"
          " ld.weak r0, y ;\n",
          "exists (P0:r0 == 0)");
static const char copy_overtaken[] = /* what its thread does later does not wait */
    TABLE(" P0@cta 0,gpu 0 ;\n", "x=1; y=0;",
          " cp.async.ca.shared.global y, x, 4 ;\n st.weak x, 2 ;\n cp.async.wait_all ;\n ld.weak r0, y ;\n",
          "exists (P0:r0 == 2)");

static const char dependent_kernel[] =
    TEST("T0 ~> T1", XY,
         THREAD("T0", "cudaTriggerProgrammaticLaunchCompletion(); store(x, 1, weak);")
             THREAD("T1", "cudaGridDependencySynchronize(); int r = load(x, weak);"),
         "exists: r == 0");
static const char dependent_too_early[] = /* before its wait */
    TEST("T0 ~> T1", XY,
         THREAD("T0", "store(x, 1, weak);")
             THREAD("T1", "int r = load(x, weak); cudaGridDependencySynchronize();"),
         "exists: r == 0");

/* What is broken, and the test that notices. */
static const struct mutant mutants[] = {
    /* morally strong */
    {"scoped & scoped^-1", "scoped", mp_wide_release, true},
    {"scoped & scoped^-1", "scoped^-1", mp_wide_acquire, true},
    {"po | po^-1 | mutual", "po | po^-1", mp_release_acquire, false},
    {" \\ (M * M \\ same)", "", lb, true},
    {"let po-same = po & same \\ mixed", "let po-same = po & same", acquire_of_a_part, true},
    /* what goes through the read-only proxy */
    {"enter = [GEN]", "enter = [GEN | NC]", nc_behind_barrier, true},
    {"leave = [GEN]", "leave = [GEN | NC]", nc_before_barrier, true},
    {"| over | border", "| over", nc_next_kernel, false},
    {"po^-1 | mutual) & same-proxy", "po^-1 | mutual)", nc_torn, true},
    /* observation */
    {"let observed = ms & rf", "let observed = rf", mp_narrow_flag, true},
    {"observed; (rmw; observed)^*", "observed", release_sequence, false},
    {"(rmw; observed)^*", "(rmw; observed)?", release_sequence_long, false},
    /* release and acquire patterns */
    {"[M & REL]; po-same?; [W & STRONG]", "0", mp_release_acquire, false},
    {"[M & REL]; po-same?; [W & STRONG]", "[W & REL]", release_then_write, false},
    {"[M & REL]; po-same?; [W & STRONG]", "[W & REL]; po-same?; [W & STRONG]", failed_release, false},
    {"[M & REL]; po-same?; [W & STRONG]", "[M & REL]; po?; [W & STRONG]", release_elsewhere, true},
    {"[F & REL]; po; [W & STRONG]", "0", mp_fences, false},
    {"[F & REL]; po; [W & STRONG]", "[F & ACQ & REL]; po; [W & STRONG]", mp_one_way_fences, false},
    {"[F & REL]; po; [W & STRONG]", "[F]; po; [W & STRONG]", mp_acquire_where_release_is_due, true},
    {"po-same?; [reading & ACQ]", "0", mp_release_acquire, false},
    {"po-same?; [reading & ACQ]", "[reading & ACQ]", read_then_acquire, false},
    {"[reading]; po; [F & ACQ]", "0", mp_fences, false},
    {"[reading]; po; [F & ACQ]", "[reading]; po; [F & ACQ & REL]", mp_one_way_fences, false},
    {"[reading]; po; [F & ACQ]", "[reading]; po; [F]", mp_release_where_acquire_is_due, true},
    {"(R & STRONG) \\ RED", "R & STRONG", red_before_fence, true},
    {"(R & STRONG) \\ RED", "R & STRONG", red_before_acquire, true},
    {"ms & (release; observation; acquire)", "release; observation; acquire", mp_narrow_fences, true},
    /* the order of fence.sc */
    {"let SCF = F & SC", "let SCF = F", sb_acq_rel, true},
    {"order(0, ms & SCF * SCF)", "order(0, 0)", sb_sc, false},
    {"order(0, ms & SCF * SCF)", "order(0, SCF * SCF)", sb_sc_block, true},
    {"acyclic sc | base & SCF * SCF as", "acyclic sc as", two_fences, true},
    /* causality */
    {"way = [THREAD]; po | link", "way = link", mp_fences, false},
    {"way = [THREAD]; po | link", "way = [THREAD]; po", mp_fences, false},
    {"done; way^* | way+", "done; way^* | way", isa2, false},
    {"(synchronizes | sc | bar | launch | kick | mb)", "(sc | bar | launch | mb)", mp_fences, false},
    {"(synchronizes | sc | bar | launch | kick | mb)", "(synchronizes | bar | launch | mb)", sb_sc, false},
    {"(synchronizes | sc | bar | launch | kick | mb)", "(synchronizes | sc | launch | mb)", mp_barrier,
     false},
    {"(synchronizes | sc | bar | launch | kick | mb)", "(synchronizes | sc | bar | mb)", dependent_kernel,
     false},
    {"(synchronizes | sc | bar | launch | kick | mb)",
     "(synchronizes | sc | bar | launch; po^-1 | kick | mb)", dependent_too_early, true},
    {"base = reach | reach?; issue", "base = reach | issue", copy_after_store, false},
    {"base = reach | reach?; issue", "base = reach", copy_after_store, false},
    {"base = reach | reach?; issue", "base = reach | issue^-1; po | reach?; issue", copy_overtaken, true},
    {"base = reach | reach?; issue", "base = reach | issue^-1; po | reach?; issue", copy_not_waited_for,
     true},
    {"done = completion | ", "done = ", copy_after_wait, false},
    {"reach = done; way^* | way+", "reach = done | way+", copy_after_wait, false},
    {"reach = done; way^* | way+", "reach = way+", copy_after_wait, false},
    {"causality = kept | observation; kept", "causality = observation; kept", mp_fences, false},
    {"causality = kept | observation; kept", "causality = kept \\ mixed | observation; kept", own_bytes,
     false},
    {"causality = kept | observation; kept", "causality = kept | mixed | observation; kept", racing_bytes,
     true},
    {"causality = kept | observation; kept", "causality = kept", wrc, false},
    {"causality = kept | observation; kept", "causality = kept | observation; (kept \\ po)",
     corr_weak_after_strong, false},
    /* coherence */
    {"IW * (W \\ IW) & loc | causality", "causality", mp_fences, false},
    {"IW * (W \\ IW) & loc | causality & W * W", "IW * (W \\ IW) & loc", ordered_weak_writes, false},
    {"causality & W * W,", "causality,", ordered_read, true},
    {", (ms | atomics & mixed) & W * W) as Coherence", ", 0) as Coherence", coherent_readers, false},
    {", (ms | atomics & mixed) & W * W) as Coherence", ", loc & W * W) as Coherence", racing_readers, true},
    /* the other axioms */
    {"empty (ms & fr; ms & co) & rmw as Atomicity", "", two_adds, false},
    {"ms | atomics & mixed", "ms", two_exchanges, true},
    {"RMW * RMW & mutual &", "RMW * RMW &", two_sizes_block, true},
    {"irreflexive (turn; one)^*; (turn & mixed); one as Atomicity", "", two_sizes, false},
    {"(part | rmw | rmw^-1)^*", "rmw?", two_sizes_of_three, false},
    {"atomics & (rf | co | fr)", "atomics & (rf | fr)", two_sizes, false},
    {"atomics & (rf | co | fr)", "atomics & (rf | co)", two_sizes, false},
    {"irreflexive (ms & rf); part; fr; part as Atomicity", "", torn, false},
    {"irreflexive (ms & rf); part; fr; part", "irreflexive rf; part; fr; part", torn_race, true},
    {"rf | phase | dependency", "phase | dependency", lb_data_ctrl, false},
    {"addr | data | left", "data | left", lb_addr_ctrl, false},
    {"addr | data | left", "addr | left", lb_data_ctrl, false},
    {"| left | ctrl \\ ((R | MBW) * (R \\ RMW))", "| left", lb_data_ctrl, false},
    {"addr | data | left | ctrl \\ ((R | MBW) * (R \\ RMW))", "po", lb, true},
    {"ctrl \\ ((R | MBW) * (R \\ RMW))", "ctrl", lb_late_read, true},
    {"| left | ctrl", "| ctrl", left, false},
    {"let left = exit-ctrl;", "let left = exit;", left_anyway, true},
    {"(base | exit)+", "(po | exit)+", left_by_barrier, false},
    {"(base | exit)+", "base", left_by_exit, false},
    {"(base | exit)+", "(base | exit)", left_by_exit, false},
    {"(R \\ RMW)", "R", lb_late_add, false},
    {"ms & (rf | co | fr) | po-same", "rf | co | fr | po-same", corr_weak, true},
    {"(M * M & rf | fr); causality", "M * M & rf; causality", mp_fences, false},
    {"(M * M & rf | fr); causality", "fr; causality", read_before_write, false},
};

/* Of the text of ptx.cat only this may be taken away unseen:
 *   - that morally strong events are distinct;
 *   - that events of one thread are morally strong, and SC-per-Location: causality has the program order of a
 * location, and what follows from a morally strong rf, which is an observation;
 *   - that Atomicity asks for morally strong fr and co: a write that is not morally strong with an atomic
 * operation is not ordered by co against it either, and so an update is lost with or without
 * (two_adds_block). */

static void test_mutants(void **state) {
    (void)state;
    assert_int_equal(mutants_unnoticed(mutants, sizeof mutants / sizeof *mutants), 0);
    struct arena *a = arena_open();
    assert_true(ask(ask_model(a, "ptx"), two_adds_block, NULL).allowed);
    arena_close(a);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_mutants)};
    return cmocka_run_group_tests(tests, ask_enter_folder, ask_leave_folder);
}
