/* Faults: what ends the kernel in an execution that the model allows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "ask.h"

#define VIEWS "x: 0, w: {type: uint64_t}, q: {of: w, at: 2, type: uint32_t}, lo: {of: w, type: uint32_t}"
#define MP(fence)                                                                                            \
    TEST("T0 | T1", "x: 0, y: 0",                                                                            \
         THREAD("T0", "x = 1; " fence "y = 1;")                                                              \
             THREAD("T1", "int r = y; " fence "int s = x; if (r == 1 && s == 0) __trap();"),                 \
         "exists: r == 1 && s == 0")

/* The fault needs x == 1, which is copied from what T0 writes. */
#define LEADS(first, second)                                                                                 \
    TEST("T0 | T1", "x: 0, y: 0, z: 0", THREAD("T0", first) THREAD("T1", second " x = a;"), "exists: r == 1")

/* A test, what faults (NULL: nothing does), and whether the outcome is allowed and the condition holds. */
static const struct {
    const char *what, *model, *test, *fault;
    bool allowed, holds;
} rows[] = {
    {"a trap that some execution comes to", "ptx", MP(""), "T1 traps in line 8", false, false},
    {"and one that none comes to", "ptx", MP("__threadfence(); "), NULL, false, false},
    {"another model, another answer", "sc", MP(""), NULL, false, false},
    {"a trap that all come to", "ptx",
     TEST("T0 | T1", "x: 0", THREAD("T0", "x = 1; asm volatile(\"trap;\");") THREAD("T1", "int r = x;"),
          "exists: r == 1"),
     "T0 traps in line 6", false, false},
    {"where another thread waits for ever", "ptx",
     TEST("T0 | T1", "x: 0, y: 0", THREAD("T0", "__trap(); y = 1;") THREAD("T1", "while (y == 0) {}"),
          "exists: x == 0"),
     "T0 traps in line 6", false, false},
    {"or at a barrier", "ptx",
     TEST("T0 T1", "x: 0",
          THREAD("T0", "if (x == 0) __trap(); __syncthreads();") THREAD("T1", "__syncthreads();"),
          "exists: x == 0"),
     "T0 traps in line 6", false, false},
    {"an assertion is one that fails, whatever it says", "ptx",
     TEST("T0 | T1", "x: 0", THREAD("T0", "assert(x == 0 && \"new\");") THREAD("T1", "x = 1;"),
          "exists: x == 1"),
     "T0 traps in line 6", true, true},
    {"a claim of all executions does not hold", "ptx",
     TEST("T0 | T1", "x: 0", THREAD("T0", "if (x == 1) __trap();") THREAD("T1", "x = 1;"), "forall: x == 1"),
     "T0 traps in line 6", true, false},
    {"a view that is not aligned", "ptx", TEST("T0", VIEWS, THREAD("T0", "x = 1; q = 2;"), "exists: x == 1"),
     "T0 accesses 'q' in line 6, which is not aligned: byte 2 is no multiple of 4", false, false},
    {"of a vector, all of it counts", "ptx",
     TEST("T0", "v: {type: int4}, p: {of: v, at: 4, type: int2}", THREAD("T0", "int2 r = p;"),
          "exists: r.x == 0"),
     "T0 accesses 'p' in line 6, which is not aligned: byte 4 is no multiple of 8", false, false},
    {"with an index that was read", "ptx",
     TEST("T0 | T1", "i: 0, v: {type: int4}, p: {of: v, at: 2, count: 3, type: int}",
          THREAD("T0", "int k = i; if (k == 1) p[k] = 1;") THREAD("T1", "i = 1;"), "exists: k == 0"),
     "T0 accesses 'p' in line 6, which is not aligned: byte 2 is no multiple of 4", true, true},
    {"an atomic operation on one", "ptx",
     TEST("T0", VIEWS, THREAD("T0", "if (x == 0) atomicAdd(&q, 1);"), "exists: x == 0"),
     "T0 accesses 'q' in line 6, which is not aligned: byte 2 is no multiple of 4", false, false},
    {"a vector over elements, by an index that was read", "ptx",
     TEST("T0 | T1", "i: 0, a: {count: 4}",
          THREAD("T0", "int k = i; int2 r = *(int2 *)&a[k];") THREAD("T1", "i = 1;"), "exists: k == 0"),
     "T0 accesses 'a' in line 6, which is not aligned: int2 begins at a multiple of 2 elements", true, true},
    {"one whose index is a multiple", "ptx",
     TEST("T0 | T1", "i: 0, a: {count: 4}",
          THREAD("T0", "int k = i; int2 r = ((int2 *)a)[k];") THREAD("T1", "i = 1;"),
          "exists: k == 1 && T0.r.x == 0"),
     NULL, true, true},
    {"one that nobody accesses", "ptx",
     TEST("T0", VIEWS, THREAD("T0", "w = 0x500040003ull; if (x == 1) q = 1;"), "exists: q == 0x50004"), NULL,
     true, true},
    {"an aligned one", "ptx", TEST("T0", VIEWS, THREAD("T0", "lo = 2; x = 1;"), "exists: w == 2"), NULL, true,
     true},
    {"what stands behind an access that leads nowhere, and may be done before", "ptx",
     LEADS("int r = x; *(r != 1 ? &z : nullptr) = 5; y = 1;", "int a = y;"), "T0 traps in line 6", false,
     false},
    {"a load that leads nowhere", "ptx",
     LEADS("int r = x, v = *(r != 1 ? &z : nullptr); if (v == 7) z = 1; y = 1;", "int a = y;"),
     "T0 traps in line 6", false, false},
    {"unless that is ordered", "ptx",
     LEADS("int r = x; *(r != 1 ? &z : nullptr) = 5; store(y, 1, release, device);",
           "int a = load(y, acquire, device);"),
     NULL, false, false},
    {"or depends on what was read", "ptx",
     LEADS("int r = x; *(r != 1 ? &z : nullptr) = 5; y = r;", "int a = y;"), NULL, false, false},
    {"or stands behind a trap", "ptx", LEADS("int r = x; if (r == 1) __trap(); y = 1;", "int a = y;"), NULL,
     false, false},
    {"what a defined run does before it traps depends on nothing that others decide", "ptx",
     LEADS("int r = x; *(r < 2 ? &y : nullptr) = 1; y = 2; if (r != 1) __trap();", "int a = y;"),
     "T0 traps in line 6", true, true},
    {"in a table", "ptx",
     "PTX t\n{ x=0; }\n P0@cta 0,gpu 0 | P1@cta 0,gpu 0 ;\n ld.weak r0, x | st.weak x, 1 ;\n"
     " beq r0, 0, A | ;\n trap | ;\n A: | ;\nexists (P0:r0 == 1)\n",
     "P0 traps in line 6", false, false},
};

static void test_faults(void **state) {
    (void)state;
    int wrong = 0;
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        struct arena *a = arena_open();
        struct diag d = {0};
        struct model_result r;
        struct test *t;
        const struct cell *cell = ask_cell(a, rows[k].test, &t);
        assert_true(model_check(ask_model(a, rows[k].model), t, cell, NULL, a, &r, &d));
        bool same = r.fault && rows[k].fault ? strcmp(r.fault, rows[k].fault) == 0 : r.fault == rows[k].fault;
        if (!same || r.status != MODEL_DONE || r.allowed != rows[k].allowed || r.holds != rows[k].holds) {
            print_error("%s: %s, %s, %s\n", rows[k].what, r.fault ? r.fault : "no fault",
                        r.allowed ? "allowed" : "forbidden", r.holds ? "holds" : "does not hold");
            wrong++;
        }
        diag_free(&d);
        arena_close(a);
    }
    assert_int_equal(wrong, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_faults)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
