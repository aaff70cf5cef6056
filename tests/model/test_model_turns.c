/* Programs with loops, locks and jumps: what the model must answer, and how many executions and outcomes there are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "ask.h"

#define SPIN_LOCK "while (atomicCAS(&l, 0, 1) != 0) {} __threadfence(); "
#define UNLOCK    "__threadfence(); atomicExch(&l, 0);"

#define MCS(order)                                                                                           \
    "name: t\nmemory: {q: 0, n: {count: 4}, l: {count: 4}, x: 0}\nplacements: [device]\nthreads:\n  t:\n"    \
    "    count: 3\n    body: |\n      int m = tid + 1, s;\n      store(n[m], 0, relaxed, device);\n"         \
    "      store(l[m], 1, relaxed, device);\n      int b = exchange(q, m, acq_rel, device);\n"               \
    "      if (b != 0) { store(n[b], m, release, device); while (load(l[m], acquire, device) == 1) {} }\n"   \
    "      x = x + 1;\n      s = load(n[m], acquire, device);\n"                                             \
    "      if (s == 0 && compare_exchange(q, m, 0, acq_rel, device) != m)\n"                                 \
    "        do { s = load(n[m], acquire, device); } while (s == 0);\n"                                      \
    "      if (s != 0) store(l[s], 0, " order ", device);\nexists: x != 3\n"

/* Two rounds of a barrier whose last comer sets the counter back and flips the sense. */
#define SENSE(fence)                                                                                         \
    "name: t\nmemory: {n: 0, sense: 0, d: {count: 4}}\nplacements: [device]\nthreads:\n  t:\n"               \
    "    count: 3\n    body: |\n      int r;\n      for (int k = 1; k < 3; k++) {\n        d[tid] = "        \
    "k; " fence "\n        if (atomicAdd(&n, 1) == count - 1) { n = 0; " fence " sense = k; }\n"             \
    "        else while (sense != k) {}\n        " fence " r = d[(tid + 1) % count];\n      }\n"             \
    "exists: t[1].r == 1\n"

/* A Treiber stack: each pushes its node, then pops one. A push that fails has stored the link of its node. */
#define STACK(fence)                                                                                         \
    "name: t\nmemory: {top: 0, next: {count: 4}}\nplacements: [device]\nthreads:\n  t:\n    count: 3\n"      \
    "    body: |\n      int m = tid + 1, s, o, n;\n      do { s = top; next[m] = s; " fence "\n"             \
    "      } while (atomicCAS(&top, s, m) != s);\n      do { o = top; " fence " n = next[o];\n"              \
    "      } while (atomicCAS(&top, o, n) != o);\nexists: t[0].o == t[1].o\n"

/* An atomic operation in a loop of one turn, then a loop for as long as x is odd; nobody makes it odd. */
#define LESS_THAN_ODD "int s, n = 0; do s = atomicMin(&a, 0); while (0); while (atomicOr(&x, 2) & 1) n++;"

/* Three turns for r == 3 if q is 0, whose first store comes whatever r is; if q is 1, two turns, or none if r is even. */
#define TURNS_OF(z, unroll)                                                                                  \
    TEST("T0 | T1", "x: 0, y: 0, " z,                                                                        \
         THREAD("T0", "int r = x, q = z, i = 0; while (i < ((2 * r | q * i | q == 0) & 3)) { y = 1; i++; }") \
             THREAD("T1", "int s = y; if (s == 1) x = 3;"),                                                  \
         "exists: r == 3 && s == 1\nunroll: " unroll)

/* The same, where somebody writes z: a turn more is asked for by r, and by what `also` says. */
#define TURNS_AND(also)                                                                                      \
    TEST("T0 | T1 | T2", "x: 0, y: 0, z: 0",                                                                 \
         THREAD("T0", "int r = x, q = z, i = 0; while (i < ((2 * r | q * i" also ") & 3)) { y = 1; i++; }")  \
             THREAD("T1", "int s = y; if (s == 1) x = 3;") THREAD("T2", "z = 1;"),                           \
         "exists: r == 3 && s == 1\nunroll: 2")

/* A store behind a loop comes whatever x is, unless z is 0: then a turn never ends. */
#define TURNS_OR_NONE(unroll)                                                                                \
    TEST("T0 | T1 | T2", "x: 0, y: 0, z: 0",                                                                 \
         THREAD("T0", "int n = 0; while (x == 1 && n < 4) { if (z == 0) while (1) {} n++; } y = 1;")         \
             THREAD("T1", "if (y == 1) x = 1;") THREAD("T2", "z = 1;"),                                      \
         "exists: T0.n == 4" unroll)

static const struct question questions[] = {
    {"what depends on r only if q is 4 comes before the turns that r asks for", "ptx",
     TEST("T0 | T1", "x: 0, y: 0, z: 0",
          THREAD("T0",
                 "int r = x, q = z, i = 0; while (i < (r & 3)) { y = 2; i++; } if (q < 4 || r == 0) y = 1;")
              THREAD("T1", "int s = y; if (s == 1) x = 6;"),
          "exists: r == 6 && s == 1\nunroll: 1"),
     false, true, -1, -1},
    {"what an atomic operation in a loop writes decides no turns of another loop", "ptx",
     TEST("T0 | T1", "x: 0, a: 0", THREAD("T0", LESS_THAN_ODD) THREAD("T1", LESS_THAN_ODD),
          "exists: T0.n == 2\nunroll: 2"),
     false, false, 1, -1},
    {"but it may decide them by what it finds", "ptx",
     TEST("T0 | T1", "x: 0, a: 0",
          THREAD("T0", "int r = x, n = 0; while (n < r) n++; a = 1;") THREAD("T1", LESS_THAN_ODD),
          "exists: T0.n == 2\nunroll: 2"),
     false, true, 1, -1},
    {"what depends on r only if q is 1 comes before the turns that follow", "ptx", TURNS_OF("z: 0", "2"),
     false, true, -1, -1},
    {"it does where q is 1, and they end", "ptx", TURNS_OF("z: 1", "2"), false, false, -1, -1},
    {"also where somebody writes 1 there", "ptx", TURNS_AND(" | q == 0"), false, true, -1, -1},
    {"what depends on r whatever q is does not", "ptx", TURNS_AND(""), false, false, -1, -1},
    {"what may never come if a turn is the last comes before turns that end", "ptx",
     TURNS_OR_NONE("\nunroll: 2"), false, true, -1, -1},
    {"as more turns show", "ptx", TURNS_OR_NONE(""), true, false, -1, -1},
    {"no more turns of a push fail than others change the top", "ptx", STACK("__threadfence();"), false,
     false, 6, -1},
    {"a stack without its fences", "ptx", STACK(""), true, false, -1, -1},
    {"a counter that is set back", "ptx", SENSE("__threadfence();"), false, false, 1, -1},
    {"and what it lets through without fences of the device", "ptx", SENSE("__threadfence_block();"), true,
     false, -1, -1},
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
     "name: t\nmemory: {n: 3, a: {count: 3}}\nplacements: [device]\nthreads:\n  t:\n    count: 3\n"
     "    body: |\n      int i, taken = 0;\n      while ((i = atomicSub(&n, 1)) > 0) { a[i - 1] += 1; "
     "taken++; }\n"
     "exists: t[0].taken == 2 && a[2] == 2\n",
     false, false, 4, -1},
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
    /* locks */
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
    /* supply */
    {"a value of several reads supplies what is computed from it, too", "sc",
     TEST("T0 | T1", "x: 0, y: 0, a: {count: 2}",
          THREAD("T0", "int r = a[1]; y = r; int s = y; int t = a[s & 1];")
              THREAD("T1", "int r = y; int s = x; a[1] = (r == s);"),
          "exists: T0.r == 1"),
     true, false, 2, -1},
    /* jumps */
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
};

static void turns(void **state) {
    (void)state;
    assert_int_equal(ask_all(questions, sizeof questions / sizeof *questions), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(turns)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
