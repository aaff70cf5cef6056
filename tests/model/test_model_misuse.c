/* What a program does to mbarriers that gives no outcome: a fault, or what PTX leaves undefined. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "ask.h"

/* A count that memory says: enough arrive, or not. */
#define TOLD(n, arrivals)                                                                                    \
    MISUSE(THREAD("T0", "x = " n "; mbarrier_init(&b, x); mbarrier_arrive(&b, " arrivals "); x = 1;"))

#define MISUSE(threads)                                                                                      \
    "name: test\nmemory: {x: 0, b: {type: mbarrier, space: shared}}\nplacements: "                           \
    "[\"block\"]\nthreads:\n" threads "exists: x == 1\n"

#define POLL(parity) "while (!mbarrier_try_wait_parity(&b, " #parity ")) {}"
#define DONE         "cuda::atomic_ref<int>(x)"

/* Of two blocks of a cluster. */
#define AFAR(first, second)                                                                                  \
    "name: test\nmemory: {x: 0, s: {space: shared}, b: {type: mbarrier, space: shared}}\nplacements: "       \
    "[cluster]\nthreads:\n  T0: {grid: 1, block: 1, body: '" first                                           \
    " x = 1;'}\n  T1: {grid: 1, block: 1, body: '" second "'}\nexists: x == 1\n"
#define PEER(place)   "__cluster_map_shared_rank(&" place ", 1)"
#define ARRIVE(scope) "mbarrier_arrive(sem_release, scope_" scope ", space_cluster, " PEER("b") ");"
#define WAIT(scope)                                                                                          \
    "mbarrier_init(&b, 1); cluster_sync(); while (!mbarrier_try_wait_parity(sem_acquire, scope_" scope       \
    ", &b, 0)) {}"

/* The phase may be short of an expectation when the second thread arrives, and the first one has arrived before. */
#define CROWDED(count)                                                                                       \
    MISUSE(                                                                                                  \
        THREAD("T0", "mbarrier_init(&b, " count "); __syncthreads(); mbarrier_arrive(&b); x = 1;")           \
            THREAD("T1", "__syncthreads(); mbarrier_complete_tx(sem_relaxed, scope_cta, space_shared, &b, "  \
                         "16); mbarrier_arrive_expect_tx(&b, 16);"))

/* What is no outcome: a fault, or what PTX leaves undefined. */
static const struct misuse {
    const char *what, *test;
    bool fault, undefined;
} misuses[] = {
    {"a good one", MISUSE(THREAD("T0", "mbarrier_init(&b, 1); mbarrier_arrive(&b); x = 1;")), false, false},
    {"no initialisation", MISUSE(THREAD("T0", "mbarrier_arrive(&b); x = 1;")), true, false},
    {"one in no order",
     MISUSE(THREAD("T0", "mbarrier_init(&b, 1); x = 1;") THREAD("T1", "mbarrier_arrive(&b);")), true, false},
    {"one behind a barrier",
     MISUSE(THREAD("T0", "mbarrier_init(&b, 1); __syncthreads(); x = 1;")
                THREAD("T1", "__syncthreads(); mbarrier_arrive(&b);")),
     false, false},
    {"behind its end",
     MISUSE(THREAD("T0", "mbarrier_init(&b, 1); mbarrier_inval(&b); mbarrier_arrive(&b); x = 1;")), true,
     false},
    {"a second life",
     MISUSE(THREAD(
         "T0",
         "mbarrier_init(&b, 1); mbarrier_inval(&b); mbarrier_init(&b, 1); mbarrier_arrive(&b); x = 1;")),
     false, false},
    {"an end beside an arrival",
     MISUSE(THREAD("T0", "mbarrier_init(&b, 2); __syncthreads(); mbarrier_arrive(&b); x = 1;")
                THREAD("T1", "__syncthreads(); mbarrier_inval(&b);")),
     true, false},
    {"an end behind an arrival, by a barrier",
     MISUSE(
         THREAD("T0", "mbarrier_init(&b, 2); __syncthreads(); mbarrier_arrive(&b); __syncthreads(); x = 1;")
             THREAD("T1", "__syncthreads(); __syncthreads(); mbarrier_inval(&b);")),
     false, false},
    {"an end beside another one's wait",
     MISUSE(THREAD("T0", "mbarrier_init(&b, 1); __syncthreads(); mbarrier_arrive(&b); " POLL(0) " x = 1;")
                THREAD("T1", "__syncthreads(); " POLL(0) " mbarrier_inval(&b);")),
     true, false},
    {"an end behind the wait for all arrivals, which are relaxed",
     MISUSE(THREAD("T0", "mbarrier_init(&b, 1); __syncthreads(); mbarrier_arrive(sem_relaxed, scope_cta, "
                         "space_shared, &b); x = 1;")
                THREAD("T1", "__syncthreads(); " POLL(0) " mbarrier_inval(&b);")),
     false, false},
    {"an end behind two atomic operations that say that others are done",
     MISUSE(THREAD("T0", "mbarrier_init(&b, 1); __syncthreads(); mbarrier_arrive(&b); " DONE ".fetch_add(1);")
                THREAD("T1", "__syncthreads(); if (" DONE ".load() == 2) mbarrier_inval(&b);")
                    THREAD("T2", "__syncthreads(); mbarrier_try_wait_parity(&b, 0); " DONE ".fetch_add(1);")),
     false, false},
    {"one behind the first of them",
     MISUSE(THREAD("T0", "mbarrier_init(&b, 1); __syncthreads(); mbarrier_arrive(&b); " DONE ".fetch_add(1);")
                THREAD("T1", "__syncthreads(); if (" DONE ".load() > 0) mbarrier_inval(&b);")
                    THREAD("T2", "__syncthreads(); mbarrier_try_wait_parity(&b, 0); " DONE ".fetch_add(1);")),
     true, false},
    {"twice without an end", MISUSE(THREAD("T0", "mbarrier_init(&b, 1); mbarrier_init(&b, 1); x = 1;")),
     false, true},
    {"too many at once", MISUSE(THREAD("T0", "mbarrier_init(&b, 1); mbarrier_arrive(&b, 2); x = 1;")), false,
     true},
    {"one arrival too many while a phase lacks bytes", CROWDED("1"), false, true},
    {"as many as are waited for, and bytes that come early", CROWDED("2"), false, false},
    {"bytes that are expected last of all, which may complete the phase or not",
     MISUSE(THREAD("T0", "mbarrier_init(&b, 1); __syncthreads(); mbarrier_complete_tx(&b, 16); "
                         "mbarrier_expect_tx(&b, 16); mbarrier_arrive(&b);")
                THREAD("T1", "__syncthreads(); mbarrier_arrive(&b); x = 1;")),
     false, true},
    {"a promise that is broken in one of two orders that end alike",
     MISUSE(THREAD("T0", "mbarrier_init(&b, 2); __syncthreads(); mbarrier_complete_tx(&b, 16); "
                         "mbarrier_expect_tx(&b, 16);")
                THREAD("T1", "__syncthreads(); mbarrier_arrive_no_complete(&b, 1); x = 1;") THREAD(
                    "T2", "__syncthreads(); mbarrier_arrive_expect_tx(&b, 16); mbarrier_expect_tx(&b, 16);")),
     false, true},
    {"a count of none", MISUSE(THREAD("T0", "mbarrier_init(&b, 0); x = 1;")), false, true},
    {"a count that is read", TOLD("2", "2"), false, false},
    {"one that is read, and too many", TOLD("1", "2"), false, true},
    {"a large one that is read", TOLD("1048575", "2"), false, false},
    {"a count of none that is read", TOLD("0", "1"), false, true},
    {"one that is too large, and read", TOLD("1048576", "1"), false, true},
    {"one below zero that is read", TOLD("-1", "1"), false, true},
    {"all drop out", MISUSE(THREAD("T0", "mbarrier_init(&b, 1); mbarrier_arrive_drop(&b); x = 1;")), false,
     true},
    {"a block that leaves", AFAR("int r = *" PEER("s") ";", "s = 1;"), true, false},
    {"a block that meets the other one",
     AFAR("int r = *" PEER("s") "; cluster_sync();", "s = 1; cluster_sync();"), false, false},
    {"an access behind the barrier",
     AFAR("cluster_sync(); int r = *" PEER("s") ";", "s = 1; cluster_sync();"), true, false},
    {"a block that waits for the last arrival", AFAR("cluster_sync(); " ARRIVE("cta"), WAIT("cta")), false,
     false},
    {"a write that is released to the block",
     AFAR("cluster_sync(); *" PEER("s") " = 1; " ARRIVE("cluster"), WAIT("cluster")), false, false},
    {"a write that is not", AFAR("cluster_sync(); *" PEER("s") " = 1; " ARRIVE("cta"), WAIT("cluster")), true,
     false},
    {"an mbarrier of another block, not yet made",
     AFAR(ARRIVE("cluster") " cluster_sync();", "mbarrier_init(&b, 1); cluster_sync();"), true, false},
    {"a store beside an mbarrier of another block",
     AFAR("cluster_sync(); st_async(" PEER("s") ", 1, &b); cluster_sync();",
          "cluster_sync(); cluster_sync();"),
     true, false},
    {"a reduction to the own block",
     AFAR("mbarrier_init(&b, 1); red_async(op_add, __cluster_map_shared_rank(&s, 0), 1, "
          "__cluster_map_shared_rank(&b, "
          "0)); cluster_sync();",
          "cluster_sync();"),
     true, false},
    {"one that is the last, and promised not to be",
     MISUSE(THREAD("T0", "mbarrier_init(&b, 2); mbarrier_arrive_no_complete(&b, 2); x = 1;")), false, true},
    {"one that may be the last, and promised not to be",
     MISUSE(THREAD("T0", "mbarrier_init(&b, 2); __syncthreads(); mbarrier_arrive_no_complete(&b, 1); x = 1;")
                THREAD("T1", "__syncthreads(); mbarrier_arrive(&b);")),
     false, true},
    {"one that is not the last, as it promised",
     MISUSE(THREAD("T0", "mbarrier_init(&b, 2); mbarrier_arrive_no_complete(&b, 1); __syncthreads(); x = 1;")
                THREAD("T1", "__syncthreads(); mbarrier_arrive(&b);")),
     false, false},
    {"a count that is asked of an arrival which promised nothing",
     MISUSE(THREAD("T0", "mbarrier_init(&b, 2); x = mbarrier_pending_count(mbarrier_arrive(&b));")), false,
     true},
    {"a count that is asked of one which did",
     MISUSE(THREAD(
         "T0", "mbarrier_init(&b, 2); x = mbarrier_pending_count(mbarrier_arrive_no_complete(&b, 1)) - 1;")),
     false, false},
    {"a token two phases old",
     MISUSE(THREAD("T0", "mbarrier_init(&b, 1); uint64_t t = mbarrier_arrive(&b); mbarrier_arrive(&b); "
                         "int r = mbarrier_test_wait(&b, t); x = 1;")),
     false, true},
};

static void misuse_is_found(void **state) {
    (void)state;
    struct arena *a = arena_open();
    const struct model *ptx = ask_model(a, "ptx");
    int wrong = 0;
    for (size_t k = 0; k < sizeof misuses / sizeof *misuses; k++) {
        struct diag d = {0};
        struct test *t;
        struct model_result r;
        const struct cell *cell = ask_cell(a, misuses[k].test, &t);
        bool good = model_check(ptx, t, cell, NULL, a, &r, &d);
        if (good && (r.fault != NULL) == misuses[k].fault && r.undefined == misuses[k].undefined) continue;
        print_error("%s: fault %d, undefined %d\n", misuses[k].what, r.fault != NULL, r.undefined);
        wrong++;
    }
    arena_close(a);
    assert_int_equal(wrong, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(misuse_is_found)};
    return cmocka_run_group_tests(tests, ask_enter_folder, ask_leave_folder);
}
