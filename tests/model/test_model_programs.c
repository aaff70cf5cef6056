/* Programs: control flow, loops, barriers, arrays, values. Each test says what the model must answer and how
 * many executions and outcomes there are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "ask.h"

#define SPIN_LOCK "while (atomicCAS(&l, 0, 1) != 0) {} __threadfence(); "
#define UNLOCK    "__threadfence(); atomicExch(&l, 0);"

/* A question and the answer. */
static const struct row {
    const char *what, *model, *test;
    bool allowed, bounded;
    int outcomes;
    long long executions; /* -1: not looked at */
} rows[] = {
    {"a spin loop costs one turn", "ptx",
     TEST("T0 | T1", "x: 0, y: 0",
          THREAD("T0", "x = 1; __threadfence(); y = 1;")
              THREAD("T1", "while (y == 0) {} __threadfence(); int r = x;"),
          "exists: r == 0"),
     false, false, 1, -1},
    {"also with a fence in it, and a register that is set anew", "ptx",
     TEST("T0 | T1", "x: 0, y: 0",
          THREAD("T0", "x = 1; __threadfence(); y = 1;")
              THREAD("T1", "int f = 0; do { f = y; __threadfence(); } while (f != 1); int r = x;"),
          "exists: r == 0 && f == 1"),
     false, false, 1, -1},
    {"a loop that counts its turns does not: the bound is met", "ptx",
     TEST("T0 | T1", "y: 0", THREAD("T0", "y = 1;") THREAD("T1", "int n = 0; while (y == 0) n += 1;"),
          "exists: n == 2"),
     true, true, 3, -1},
    {"a compare-exchange that tries again with what it found takes two turns", "ptx",
     TEST("W | R | S", "l: 0, x: 0, y: 0",
          THREAD("W", "while (atomicCAS(&l, 0, -1) != 0) {} __threadfence(); x = 1; y = 1; " UNLOCK) THREAD(
              "R",
              "int o = l; while (true) { if (o < 0) { o = l; continue; } int s = atomicCAS(&l, o, o + 1); if "
              "(s == "
              "o) break; o = s; } __threadfence(); int a = x; int b = y; __threadfence(); atomicSub(&l, 1);")
              THREAD(
                  "S",
                  "int o = l, s; while (o < 0 || (s = atomicCAS(&l, o, o + 1)) != o) o = l; __threadfence(); "
                  "int a = x; int b = y; __threadfence(); atomicSub(&l, 1);"),
          "exists: R.a != R.b || S.a != S.b"),
     false, false, 4, -1},
#define MCS(order)                                                                                           \
    "name: t\nmemory: {q: 0, n: {count: 4}, l: {count: 4}, x: 0}\nplacements: [device]\nthreads:\n  t:\n"    \
    "    count: 3\n    body: |\n      int m = tid + 1, s;\n      store(n[m], 0, relaxed, device);\n"         \
    "      store(l[m], 1, relaxed, device);\n      int b = exchange(q, m, acq_rel, device);\n"               \
    "      if (b != 0) { store(n[b], m, release, device); while (load(l[m], acquire, device) == 1) {} }\n"   \
    "      x = x + 1;\n      s = load(n[m], acquire, device);\n"                                             \
    "      if (s == 0 && compare_exchange(q, m, 0, acq_rel, device) != m)\n"                                 \
    "        do { s = load(n[m], acquire, device); } while (s == 0);\n"                                      \
    "      if (s != 0) store(l[s], 0, " order ", device);\nexists: x != 3\n"
    {"an MCS lock of three excludes", "ptx", MCS("release"), false, false, 1, -1},
    {"one whose owner hands it on without a release does not", "ptx", MCS("relaxed"), true, false, 3, -1},
    {"a poll that waits for the next number is followed to the bound", "ptx",
     TEST("T0 | T1", "x: 0",
          THREAD("T0", "x = 5; x = 1; x = 2;")
              THREAD("T1", "int o = 0, s; while (true) { s = x; if (s == o + 1) break; o = s; }"),
          "exists: o == 1"),
     true, true, -1, -1},
    {"unless nobody looks at the number", "ptx",
     TEST("T0 | T1", "x: 0, y: 0",
          THREAD("T0", "x = 1; __threadfence(); y = 1;") THREAD(
              "T1",
              "int n = 0, m = 8; while (y == 0) { n++; if (m < 64) m *= 2; } __threadfence(); int r = x;"),
          "exists: r == 0"),
     false, false, 1, 1},
    {"a poll may test several values, behind a value that none is", "ptx",
     TEST("T0 | T1", "x: 0, y: 0",
          THREAD("T0", "x = 1; __threadfence(); y = 2;")
              THREAD("T1", "int f = 0; while (f != 1 && f != 2) f = y; __threadfence(); int r = x;"),
          "exists: r == 0"),
     false, false, 1, 1},
    {"without a fence, it sees an old value behind it", "ptx",
     TEST("T0 | T1", "x: 0, y: 0",
          THREAD("T0", "x = 1; __threadfence(); y = 2;")
              THREAD("T1", "int f = 0; while (f != 1 && f != 2) f = y; int r = x;"),
          "exists: r == 0"),
     true, false, 2, 2},
    {"a lock with a flag that says it is done excludes", "ptx",
     "name: t\nmemory: {x: 0, l: 0}\nplacements: [device]\nthreads:\n  t:\n    count: 2\n    body: |\n"
     "      int done = 0;\n      while (!done) {\n        if (atomicCAS(&l, 0, 1) == 0) { __threadfence(); "
     "x = x + 1; " UNLOCK " done = 1; }\n      }\nexists: x != 2\n",
     false, false, 1, 2},
    {"and without fences it does not", "ptx",
     "name: t\nmemory: {x: 0, l: 0}\nplacements: [device]\nthreads:\n  t:\n    count: 2\n    body: |\n"
     "      int done = 0;\n      while (!done) {\n        if (atomicCAS(&l, 0, 1) == 0) { "
     "x = x + 1; atomicExch(&l, 0); done = 1; }\n      }\nexists: x != 2\n",
     true, false, 2, -1},
    {"turns that a constant guard decides are counted where they went one of several ways", "ptx",
     "name: t\nmemory: {x: 0, l: 0}\nplacements: [device]\nthreads:\n  t:\n    count: 2\n    body: |\n"
     "      int done = 0, tries = 0;\n      while (!done) {\n        tries++;\n"
     "        if (atomicCAS(&l, 0, 1) == 0) { __threadfence(); "
     "x = x + 1; " UNLOCK " done = 1; }\n      }\nexists: x != 2 && t[0].tries > 0\n",
     false, true, -1, -1},
    {"who takes work by a counter is followed as far as there is work", "ptx",
     "name: t\nmemory: {n: 0, a: {count: 4}}\nplacements: [device]\nthreads:\n  t:\n    count: 2\n"
     "    body: |\n      int i;\n      while ((i = atomicAdd(&n, 1)) < 4) { a[i] = 1; }\n"
     "exists: a[0] == 0 || a[1] == 0 || a[2] == 0 || a[3] == 0\n",
     false, false, 1, 32},
    {"a counter lets all meet twice", "ptx",
     "name: t\nmemory: {n: 0, a: {count: 4}}\nplacements: [device]\nthreads:\n  t:\n    count: 4\n"
     "    body: |\n      a[tid] = 1;\n      __threadfence();\n      atomicAdd(&n, 1);\n      while (n < 4) "
     "{}\n"
     "      __threadfence();\n      int r = a[(tid + 1) % 4];\n      __threadfence();\n"
     "      atomicAdd(&n, 1);\n      while (n < 8) {}\n      __threadfence();\n      a[tid] = 2;\n"
     "exists: t[0].r != 1 || t[1].r != 1 || t[2].r != 1 || t[3].r != 1\n",
     false, false, 1, -1},
    {"but three who take six pieces meet the bound", "ptx",
     "name: t\nmemory: {n: 0, a: {count: 6}}\nplacements: [device]\nthreads:\n  t:\n    count: 3\n"
     "    body: |\n      while (true) {\n        int i = atomicAdd(&n, 1);\n        if (i >= 6) break;\n"
     "        a[i] += 1;\n      }\nforall: a[0] == 1 && a[5] == 1\n",
     true, true, 1, -1},
    {"three who count down, and count what they take, do not", "ptx",
     "name: t\nmemory: {n: 4, a: {count: 4}}\nplacements: [device]\nthreads:\n  t:\n    count: 3\n"
     "    body: |\n      int i, taken = 0;\n      while ((i = atomicSub(&n, 1)) > 0) { a[i - 1] += 1; "
     "taken++; }\n"
     "exists: t[0].taken == 2 && a[3] == 2\n",
     false, false, 5, -1},
    {"two take the same piece where the counter is of block scope", "ptx",
     "name: t\nmemory: {n: 0, a: {count: 2}}\nplacements: [device]\nthreads:\n  t:\n    count: 2\n"
     "    body: |\n      int i = atomicAdd_block(&n, 1);\n      if (i < 2) atomicAdd(&a[i], 1);\n"
     "exists: a[0] == 2\n",
     true, false, 2, -1},
    {"and not within the block", "ptx",
     "name: t\nmemory: {n: 0, a: {count: 2}}\nplacements: [block]\nthreads:\n  t:\n    count: 2\n"
     "    body: |\n      int i = atomicAdd_block(&n, 1);\n      if (i < 2) atomicAdd(&a[i], 1);\n"
     "exists: a[0] == 2\n",
     false, false, 1, 2},
    {"a plain write makes another thing of a counter", "ptx",
     "name: t\nmemory: {n: 0, a: {count: 2}}\nplacements: [device]\nthreads:\n  t:\n    count: 2\n"
     "    body: |\n      int i = atomicAdd(&n, 1);\n      if (i < 2 && i >= 0) atomicAdd(&a[i], 1);\n      n "
     "= 0;\n"
     "exists: a[0] == 2\n",
     true, false, -1, -1},
    {"who reads what nobody writes takes no path", "ptx",
     TEST("T0 | T1", "x: 0, y: 0, a: {count: 2}",
          THREAD("T0", "int r = x; if (r == 7) a[r] = 1; y = r;")
              THREAD("T1", "int s = y; x = s; if (s == 1) x = 2;"),
          "exists: x == 2"),
     false, false, 1, -1},
    {"an index that leaves the array where nobody comes is no error", "ptx",
     TEST("T0 | T1", "x: 0, a: {count: 2}",
          THREAD("T0", "int r = x, q = 0; if (r == 5) q = a[5]; if (r < 2) q = a[r] + 1;")
              THREAD("T1", "x = 1;"),
          "forall: q == 1"),
     true, false, 1, 2},
    {"nor one of the last copy", "ptx",
     "name: t\nmemory: {a: {count: 3}}\nplacements: [device]\nthreads:\n  t:\n    count: 3\n"
     "    body: |\n      if (tid + 1 < count) a[tid + 1] = 1;\nexists: a[1] == 1 && a[2] == 1 && a[0] == 0\n",
     true, false, 1, 1},
    {"nor a loop that writes", "sc",
     TEST("T0 | T1", "x: 0, y: 0", THREAD("T0", "y = 1;") THREAD("T1", "while (y == 0) x = 1;"),
          "exists: x == 1"),
     true, true, 2, -1},
    {"a loop that must end within the bound is not called bounded", "sc",
     TEST("T0 | T1", "x: 0", THREAD("T0", "while (atomicAdd(&x, 1) < 1) {}") THREAD("T1", "x = 5;"),
          "exists: x == 5"),
     true, false, -1, -1},
    {"nor is one that ends within it each time it is entered", "sc",
     TEST("T0", "x: 0",
          THREAD("T0", "for (int i = 0; i < 3; i++) { while (atomicAdd(&x, 1) < 1 + 2 * i) {} }"),
          "exists: x == 6"),
     true, false, 1, 1},
    {"a branch that does not leave the loop does not count its turns", "sc",
     TEST("T0", "x: 0", THREAD("T0", "int n = 0, m = 0; while (n < 5) { if (x) m = 1; n += 1; }"),
          "exists: m == 0"),
     true, false, 1, 1},
    {"a constant loop is followed to its end, whatever the bound", "sc",
     TEST("T0", "x: 0", THREAD("T0", "for (int i = 0; i < 10; i++) x = i;"), "exists: x == 9"), true, false,
     1, 1},
    {"also when its turns branch on what they read", "sc",
     TEST("T0", "x: 0", THREAD("T0", "int n = 0; for (int i = 0; i < 6; i++) { if (x == 0) n += 1; }"),
          "exists: n == 6"),
     true, false, 1, 1},
    {"break and continue", "sc",
     TEST("T0", "x: 0",
          THREAD("T0", "int n = 0; for (int i = 0; i < 9; i++) { if (i % 2) continue; if (i > 5) break; n += "
                       "i; } x = n;"),
          "exists: x == 6"),
     true, false, 1, 1},
    {"a short constant loop is, also where it may be left before", "sc",
     TEST("T0 | T1", "x: 0, y: 0",
          THREAD("T0", "int n = 0; for (int i = 0; i < 16; i++) { if (x) break; n += 1; } y = n;")
              THREAD("T1", "x = 1;"),
          "exists: y == 16"),
     true, false, 17, -1},
    {"a long one meets the bound", "sc",
     TEST("T0 | T1", "x: 0, y: 0",
          THREAD("T0", "int n = 0; for (int i = 0; i < 17; i++) { if (x) break; n += 1; } y = n;")
              THREAD("T1", "x = 1;"),
          "exists: y == 2"),
     true, true, 3, -1},
    {"a thread that waits for what never comes has no outcome", "ptx",
     TEST("T0 | T1", "x: 0", THREAD("T0", "while (x == 0) {}") THREAD("T1", "int r = x;"), "forall: r == 0"),
     false, false, 0, 0},
    {"a branch that nobody takes may never end", "ptx",
     TEST("T0 | T1", "x: 0, y: 0",
          THREAD("T0", "x = 1; int r = x; if (r == 0) { while (1) {} } y = 1;") THREAD("T1", "int s = y;"),
          "forall: r == 1 && y == 1"),
     true, false, 1, 2},
    {"nor does what writes there for ever", "ptx",
     TEST("T0", "x: 0, y: 0", THREAD("T0", "if (x == 2) for (;;) { x = 3; if (x == 4) y = 1; } y = 2;"),
          "exists: y == 2 && x == 0"),
     true, false, 1, 1},
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
    {"who takes it has no outcome", "ptx",
     TEST("T0 | T1", "x: 0, y: 0",
          THREAD("T0", "int r = x; if (r == 1) { do { y = 1; } while (1); }")
              THREAD("T1", "x = 1; int s = y;"),
          "exists: r == 1 || s == 1"),
     false, false, 1, 1},
    {"where all do, no execution ends", "ptx",
     TEST("T0", "x: 0, y: 0", THREAD("T0", "x = 1; if (x == 1) while (true) { atomicAdd(&y, 1); }"),
          "exists: y == 0"),
     false, false, 0, 0},
    {"a lock excludes", "ptx",
     TEST("T0 | T1", "x: 0, l: 0",
          THREAD("T0", SPIN_LOCK "x = x + 1; " UNLOCK) THREAD("T1", SPIN_LOCK "x = x + 1; " UNLOCK),
          "exists: x != 2"),
     false, false, 1, 2},
    {"three do", "ptx",
     "name: t\nmemory: {x: 0, l: 0}\nplacements: [device]\nthreads:\n  t:\n    count: 3\n    body: |\n     "
     " " SPIN_LOCK "x = x + 1; " UNLOCK "\nexists: x != 3\n",
     false, false, 1, 6},
    {"twelve do", "ptx",
     "name: t\nmemory: {x: 0, l: 0}\nplacements: [device]\nthreads:\n  t:\n    count: 12\n    body: |\n     "
     " " SPIN_LOCK "x = x + 1; " UNLOCK "\nexists: x != 12\n",
     false, false, 1, 479001600},
    {"of more additions than numbers count the orders, as many as can be said", "sc",
     "name: t\nmemory: {x: 0}\nplacements: [block]\nthreads:\n  t: {count: 32, body: \"atomicAdd(&x, 1);\"}\n"
     "exists: x == 32\n",
     true, false, 1, INT64_MAX},
    {"one copy leads, the others follow and are alike", "ptx",
     "name: t\nmemory: {x: 0, n: 0}\nplacements: [block]\nthreads:\n  t:\n    count: 10\n    body: |\n      "
     "if (tid == 0) x = 1; else { while (x == 0) {} atomicAdd(&n, 1); }\nexists: n == 9\n",
     true, false, 1, 362880},
    {"a lock without fences loses updates", "ptx",
     TEST("T0 | T1", "x: 0, l: 0",
          THREAD("T0", "while (atomicCAS(&l, 0, 1) != 0) {} x = x + 1; atomicExch(&l, 0);")
              THREAD("T1", "while (atomicCAS(&l, 0, 1) != 0) {} x = x + 1; atomicExch(&l, 0);"),
          "exists: x == 1"),
     true, false, 2, -1},
    {"a turn of a lock by exchange that fails changes nothing", "sc",
     TEST("T0 | T1", "x: 0, l: 0",
          THREAD("T0", "while (atomicExch(&l, 1) != 0) {} x = x + 1; l = 0;")
              THREAD("T1", "while (atomicExch(&l, 1) != 0) {} x = x + 1; l = 0;"),
          "exists: x != 2"),
     false, false, 1, 2},
    {"nor does one that polls by adding 0, or by a bit that is set", "ptx",
     TEST("T0 | T1 | T2", "x: 0, f: 0",
          THREAD("T0", "x = 1; __threadfence(); atomicExch(&f, 3);")
              THREAD("T1", "while (atomicAdd(&f, 0) == 0); __threadfence(); int r = x;")
                  THREAD("T2", "while (!(atomicOr(&f, 2) & 1)); __threadfence(); int s = x;"),
          "exists: r == 0 || s == 0"),
     true, false, 2, -1},
    {"it does where the scope of another is too narrow", "ptx",
     TEST("T0 | T1", "x: 0, l: 0",
          THREAD("T0", "while (atomicExch_block(&l, 1) != 0) {} x = x + 1; atomicExch_block(&l, 0);")
              THREAD("T1", "while (atomicExch(&l, 1) != 0) {} x = x + 1; atomicExch(&l, 0);"),
          "exists: x != 2"),
     true, true, 2, -1},
    {"or where another may see it without writing", "ptx",
     TEST("T0 | T1", "l: 0",
          THREAD("T0", "while (atomicExch(&l, 1) == 1) {} atomicExch(&l, 0);")
              THREAD("T1", "while (l != 0 || atomicExch(&l, 1) == 1) {} atomicExch(&l, 0);"),
          "exists: l != 0"),
     false, true, 1, -1},
    {"a bound of more turns is tried where that ends a loop", "ptx",
     TEST("T0 | T1", "n: 2, got: 0",
          THREAD("T0", "n = 6;") THREAD("T1", "int m = n; for (int i = 0; i < m; i++) got = i;"),
          "exists: got == 5"),
     true, false, 2, 2},
    {"as a count of tries does", "ptx",
     TEST("T0 | T1", "l: 0",
          THREAD("T0", "if (atomicCAS(&l, 0, 1) == 0) atomicExch(&l, 0);")
              THREAD("T1", "int tries = 0, ok = 0; while (tries++ < 4) { if (atomicCAS(&l, 0, 2) == 0) { ok "
                           "= 1; break; } }"),
          "exists: ok == 0"),
     true, false, 2, -1},
    {"a compare-exchange that fails writes nothing", "sc",
     TEST("T0 | T1", "x: 0",
          THREAD("T0", "int r = atomicCAS(&x, 1, 7);") THREAD("T1", "int s = atomicCAS(&x, 0, 2);"),
          "exists: r == 0 && x == 2"),
     true, false, 2, 2},
    {"tid and count", "sc",
     "name: t\nmemory: {x: 0}\nplacements: [block]\nthreads:\n  t:\n    count: 3\n    body: |\n      "
     "atomicAdd(&x, tid + count);\n"
     "exists: x == 12\n",
     true, false, 1, 6},
    {"an index that was read", "sc",
     TEST("T0 | T1", "a: {count: 4}, n: 0",
          THREAD("T0", "int i = atomicAdd(&n, 1); a[i] = i + 5;")
              THREAD("T1", "int i = atomicAdd(&n, 1); a[i] = i + 7;"),
          "exists: a[0] == 5 && a[1] == 8"),
     true, false, 2, 2},
    {"control flow that needs itself is a candidate, and no thin air", "ptx",
     TEST("T0 | T1", "x: 0, y: 0",
          THREAD("T0", "int r = x; if (r == 1) y = 1;") THREAD("T1", "int s = y; if (s == 1) x = 1;"),
          "exists: r == 1"),
     false, false, 1, 1},
    {"load buffering, without dependencies", "ptx",
     TEST("T0 | T1", "x: 0, y: 0", THREAD("T0", "int r = x; y = 1;") THREAD("T1", "int s = y; x = 1;"),
          "exists: r == 1"),
     true, false, -1, -1},
    {"a dependency that carries no value is none", "ptx",
     TEST("T0 | T1", "x: 0, y: 0",
          THREAD("T0", "int r = x; y = 1 + (r ^ r);") THREAD("T1", "int s = y; x = 1 + s * 0;"),
          "exists: r == 1 && s == 1"),
     true, false, -1, -1},
    {"nor is one that takes arithmetic to see through", "ptx",
     TEST("T0 | T1", "x: 0, y: 0",
          THREAD("T0", "int r = x; y = 1 + (((r | 6) & 4) == 8);") THREAD("T1", "int s = y; x = 1 + s * 0;"),
          "exists: r == 1 && s == 1"),
     true, false, -1, -1},
    {"one that carries a value is one", "ptx",
     TEST("T0 | T1", "x: 0, y: 0",
          THREAD("T0", "int r = x; y = 1 + (r == 77);") THREAD("T1", "int s = y; x = s;"),
          "exists: r == 1 && s == 1"),
     false, false, -1, -1},
    {"a branch whose ways store the same orders nothing", "ptx",
     TEST("T0 | T1", "x: 0, y: 0",
          THREAD("T0", "int r = x; if (r == 1) y = 1; else y = 1;") THREAD("T1", "int s = y; x = s;"),
          "exists: r == 1 && s == 1"),
     true, false, -1, -1},
    {"nor one whose ways store what it says", "ptx",
     TEST("T0 | T1", "x: 0, y: 0",
          THREAD("T0", "int r = x; if (r == 1) y = r; else y = 1;") THREAD("T1", "int s = y; x = s;"),
          "exists: r == 1 && s == 1"),
     true, false, -1, -1},
    {"one whose ways store something else does", "ptx",
     TEST("T0 | T1", "x: 0, y: 0",
          THREAD("T0", "int r = x; if (r == 1) y = 1; else y = 2;") THREAD("T1", "int s = y; x = s;"),
          "exists: r == 1 && s == 1"),
     false, false, -1, -1},
    {"nor a branch that has rejoined", "ptx",
     TEST("T0 | T1", "x: 0, y: 0",
          THREAD("T0", "int r = x; int t = 0; if (r == 1) t = 5; y = 1;") THREAD("T1", "int s = y; x = s;"),
          "exists: r == 1 && s == 1"),
     true, false, -1, -1},
    {"nor one of which one way writes there before", "ptx",
     TEST("T0 | T1", "x: 0, y: 0",
          THREAD("T0", "int r = x; if (r == 0) y = 2; y = 1;") THREAD("T1", "int s = y; x = s;"),
          "exists: r == 1 && s == 1"),
     true, false, -1, -1},
    {"nor one whose ways end alike", "ptx",
     TEST("T0 | T1", "x: 0, y: 0",
          THREAD("T0", "int r = x; if (r == 1) { y = 2; y = 1; } else y = 1;")
              THREAD("T1", "int s = y; x = s;"),
          "exists: r == 1 && s == 1"),
     true, false, -1, -1},
    {"one whose ways end differently does", "ptx",
     TEST("T0 | T1", "x: 0, y: 0",
          THREAD("T0", "int r = x; if (r == 1) { y = 1; y = 2; } else y = 2;")
              THREAD("T1", "int s = y; x = s;"),
          "exists: r == 1 && s == 1"),
     false, false, -1, -1},
    {"a value that does not depend on itself is found in a circle", "ptx",
     TEST("T0 | T1", "x: 0, y: 0",
          THREAD("T0", "int r = x; y = (r | 1) & 1;") THREAD("T1", "int s = y; x = s;"),
          "exists: r == 1 && s == 1"),
     true, false, 3, -1},
    {"one that does is not", "ptx",
     TEST("T0 | T1", "x: 0, y: 0",
          THREAD("T0", "int r = x; y = (r | 1) & 3;") THREAD("T1", "int s = y; x = s;"),
          "exists: r == 3 && s == 3"),
     false, false, -1, -1},
    {"a value that does not depend on a branch is the same where one way knows it", "ptx",
     TEST("T0 | T1", "x: 0, y: 0, z: 0, a: {count: 2}",
          THREAD("T0", "int r = x; if (r == 1) z = 1; y = (r | 1) & 1;") THREAD("T1", "int s = y; x = s;"),
          "exists: r == 1 && s == 1"),
     true, false, -1, -1},
    {"also behind an access to one element or another", "ptx",
     TEST("T0 | T1", "x: 0, y: 0, z: 0, a: {count: 2}",
          THREAD("T0", "int r = x; a[(r + 1) & 1] = 1; y = (r | 1) & 1;") THREAD("T1", "int s = y; x = s;"),
          "exists: r == 1 && s == 1"),
     true, false, -1, -1},
    {"a value that is another in the other way depends on it", "ptx",
     TEST("T0 | T1", "x: 0, y: 0, z: 0, a: {count: 2}",
          THREAD("T0", "int r = x; int t = 2; if (r == 1) t = (r | 1) & 1; y = t;")
              THREAD("T1", "int s = y; x = s;"),
          "exists: r == 1 && s == 1"),
     false, false, -1, -1},
    {"a branch that always goes one way is none", "ptx",
     TEST("T0 | T1", "x: 0, y: 0, z: 0, a: {count: 2}",
          THREAD("T0", "int r = x; if (min(r, 2) | 2) { if (r == 0) z = 1; y = 1; }")
              THREAD("T1", "int s = y; x = s;"),
          "exists: r == 1 && s == 1"),
     true, false, -1, -1},
    {"a write that one way does between two others is the same", "ptx",
     TEST("T0 | T1", "x: 0, y: 0, z: 0, a: {count: 2}",
          THREAD("T0", "int r = x; if (r == 1) { y = 3; y = 1; y = 2; } else y = 1;")
              THREAD("T1", "int s = y; x = s;"),
          "exists: r == 1 && s == 1"),
     true, false, -1, -1},
    {"nor one of which one way reads there before", "ptx",
     TEST("T0 | T1", "x: 0, y: 0, z: 0",
          THREAD("T0", "int r = x; int q = 0; if (r == 0) q = z; int t = z; y = t + 1;")
              THREAD("T1", "int s = y; x = s;"),
          "exists: r == 1 && s == 1"),
     true, false, -1, -1},
    {"what only one way writes there does", "ptx",
     TEST("T0 | T1", "x: 0, y: 0",
          THREAD("T0", "int r = x; if (r == 1) y = 1; y = 2;") THREAD("T1", "int s = y; x = s;"),
          "exists: r == 1 && s == 1"),
     false, false, -1, -1},
    {"what another branch decides does not depend on it either", "ptx",
     TEST("T0 | T1", "x: 0, y: 0, z: 0",
          THREAD("T0", "int r = x; int q = z; int t = 0; if (r == 1) t = 5; if (q == 0) y = 1;")
              THREAD("T1", "int s = y; x = s;"),
          "exists: r == 1 && s == 1"),
     true, false, -1, -1},
    {"what it has set depends on it behind it", "ptx",
     TEST("T0 | T1", "x: 0, y: 0",
          THREAD("T0", "int r = x; int t = 0; if (r == 1) t = 1; y = t;") THREAD("T1", "int s = y; x = s;"),
          "exists: r == 1 && s == 1"),
     false, false, -1, -1},
    {"a wait may last for ever, so what comes behind it depends on it", "ptx",
     TEST("T0 | T1", "x: 0, y: 0",
          THREAD("T0", "int r; do { r = x; } while (r == 0); y = 1;") THREAD("T1", "int s = y; x = s;"),
          "exists: r == 1 && s == 1"),
     false, false, -1, -1},
    {"a fence in one way changes nothing", "ptx",
     TEST("T0 | T1", "x: 0, y: 0",
          THREAD("T0", "int r = x; if (r == 1) { store(y, 1, weak); } else { atomic_thread_fence(acq_rel, "
                       "block); store(y, 1, weak); }") THREAD("T1", "int s = y; x = s;"),
          "exists: r == 1 && s == 1"),
     true, false, -1, -1},
    {"what a compare-exchange writes depends on what it expects", "ptx",
     TEST("T0 | T1", "x: 0, y: 1",
          THREAD("T0", "int r = x; atomicCAS(&y, r, 5);") THREAD("T1", "int s = y; x = s == 5;"),
          "exists: r == 1 && s == 5"),
     false, false, -1, -1},
    {"and on what it finds", "ptx",
     TEST("T0 | T1", "y: 0",
          THREAD("T0", "int r = atomicCAS(&y, 1, 5);")
              THREAD("T1", "int s = load(y, weak); store(y, s == 5, weak);"),
          "exists: r == 1 && s == 5"),
     false, false, -1, -1},
    {"nor whether a compare-exchange before succeeds", "ptx",
     TEST("T0 || T1", "x: 0",
          THREAD("T0", "int r0 = fetch_add(x, 2, acquire, block);")
              THREAD("T1", "int r0 = compare_exchange(x, 1, 1, release, block); "
                           "int r1 = compare_exchange(x, 0, 2, acquire, device);"),
          "exists: T0.r0 == 2 && T1.r0 == 4 && r1 == 0"),
     true, false, 6, -1},
    {"what ?: did not choose is no dependency", "ptx",
     TEST("T0 | T1", "x: 0, y: 0",
          THREAD("T0", "int r = x; y = count ? 1 : r;") THREAD("T1", "int s = y; x = 1 + s * 0;"),
          "exists: r == 1 && s == 1"),
     true, false, 4, 4},
    {"final memory may be any of two racing weak writes", "ptx",
     TEST("T0 | T1", "x: 0", THREAD("T0", "store(x, 1, weak);") THREAD("T1", "store(x, 2, weak);"),
          "exists: x == 1"),
     true, false, 2, 1},
    {"of two strong ones, one comes last", "ptx",
     TEST("T0 | T1", "x: 0",
          THREAD("T0", "store(x, 1, relaxed, device);") THREAD("T1", "store(x, 2, relaxed, device);"),
          "exists: x == 1"),
     true, false, 2, 2},
    {"a location nobody touches keeps its value", "sc",
     TEST("T0", "x: 0, y: 3", THREAD("T0", "x = 1;"), "forall: y == 3 && x == 1"), true, false, 1, 1},
    {"more events than fit a word", "ptx",
     TEST("T0 | T1", "x: 0, y: 0, p: 0, q: 0",
          THREAD("T0", "x = 1; for (int i = 0; i < 40; i++) p = i; __threadfence(); y = 1;")
              THREAD("T1", "int r = y; for (int i = 0; i < 40; i++) q = i; __threadfence(); int s = x;"),
          "exists: r == 1 && s == 0"),
     false, false, 3, -1},
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
    /* x86 */
    {"a locked operation is a fence", "x86-tso",
     TEST("T0 | T1", "x: 0, y: 0",
          THREAD("T0", "atomicExch(&x, 1); int r = y;") THREAD("T1", "atomicExch(&y, 1); int s = x;"),
          "exists: r == 0 && s == 0"),
     false, false, 3, 3},
    {"a thread may read its own store early", "x86-tso",
     TEST("T0 | T1", "x: 0, y: 0",
          THREAD("T0", "x = 1; int a = x; int r = y;") THREAD("T1", "y = 1; int b = y; int s = x;"),
          "exists: a == 1 && b == 1 && r == 0 && s == 0"),
     true, false, 4, 4},
};

/* PTX tables: labels, backward jumps, named barriers and counts. */
static const struct row tables[] = {
    {"a backward jump is a loop", "ptx",
     "PTX t\n{ x=0; y=0; }\n P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n st.weak x, 1 | L0: ;\n st.release.gpu y, 1 "
     "| ld.acquire.gpu r0, y ;\n"
     "  | beq r0, 0, L0 ;\n  | ld.weak r1, x ;\nexists (P1:r1 == 0)\n",
     false, false, 1, 1},
    {"a loop may be entered in its middle", "sc",
     "PTX t\n{ x=0; }\n P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n mov r1, 7 | st.relaxed.gpu x, 1 ;\n goto M | ;\n"
     " L: mov r1, 8 | ;\n M: ld.relaxed.gpu r0, x | ;\n beq r0, 0, L | ;\n add r1, r1, 1 | ;\nexists (P0:r1 "
     "== 9)\n",
     true, false, 2, -1},
    {"a forward jump leaves out", "ptx",
     "PTX t\n{ x=0; }\n P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n ld.relaxed.gpu r0, x | st.relaxed.gpu x, 1 ;\n "
     "bne r0, 1, L0 |  ;\n"
     " st.relaxed.gpu x, 2 | ;\n L0: | ;\nexists (x == 2)\n",
     true, false, 2, -1},
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
    {"the name of a location may have [0], and a row may end early", "ptx",
     "PTX t\n{ x=0; }\n P0@cta 0,gpu 0 | P1@cta 0,gpu 0 ;\n st.weak x, 1 ;\nexists (x[0] == 1)\n", true,
     false, 1, 1},
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

static void check(struct arena *a, const struct row *r, int *wrong) {
    struct answer answer = ask(ask_model(a, r->model), r->test, NULL);
    bool same = answer.status == MODEL_DONE && answer.allowed == r->allowed && answer.bounded == r->bounded &&
                (r->outcomes < 0 || answer.outcomes == r->outcomes) &&
                (r->executions < 0 || answer.executions == r->executions);
    if (same) return;
    ++*wrong;
    print_error("%s: %s %s, %s, %d outcomes, %lld executions\n", r->what,
                answer.status == MODEL_DONE ? "" : "unknown,", answer.allowed ? "allowed" : "forbidden",
                answer.bounded ? "bounded" : "not bounded", answer.outcomes, answer.executions);
}

static void test_programs(void **state) {
    (void)state;
    struct arena *a = arena_open();
    int wrong = 0;
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        check(a, &rows[k], &wrong);
    assert_int_equal(wrong, 0);
    arena_close(a);
}

static void test_tables(void **state) {
    (void)state;
    struct arena *a = arena_open();
    int wrong = 0;
    for (size_t k = 0; k < sizeof tables / sizeof *tables; k++)
        check(a, &tables[k], &wrong);
    assert_int_equal(wrong, 0);
    arena_close(a);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_programs), cmocka_unit_test(test_tables)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
