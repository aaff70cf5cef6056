/* What Armv8 allows of the classic shapes, as tables of the field have it (Arm ARM K11; Maranget, Sarkar, Sewell: "A
 * Tutorial Introduction to the ARM and POWER Relaxed Memory Models"; Pulte et al. 2018). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <string.h>

#include "ask.h"

#define DMB   "atomic_thread_fence(acq_rel, device); "
#define DMBLD "atomic_thread_fence(acquire, device); "
#define REL   ", release, device); "
#define ACQ   ", acquire, device); "

/* Two writes and two reads of x and y in this order, with something between or before. */
#define MP(between, last, flag_read)                                                                         \
    THREAD("T0", "x[0] = 1; " between last)                                                                  \
    THREAD("T1", flag_read)
#define SET_Y   "y = 1; "
#define REL_Y   "store(y, 1" REL
#define GET_Y   "int r = y; "
#define ACQ_Y   "int r = load(y" ACQ
#define GET_X   "int s = x[0]; "
#define MP_WEAK "exists: r == 1 && s == 0"
#define SB_WEAK "exists: r == 0 && s == 0"
#define LB_WEAK "exists: r == 1 && s == 1"

#define SB(first, second)                                                                                    \
    THREAD("T0", "x[0] = 1; " first "int r = y; ") THREAD("T1", "y = 1; " second "int s = x[0]; ")
#define LB(first, second) THREAD("T0", "int r = y; " first) THREAD("T1", "int s = x[0]; " second)
#define IRIW(first, second)                                                                                  \
    THREAD("T0", "x[0] = 1; ")                                                                               \
    THREAD("T1", "y[0] = 1; ") THREAD("T2", first) THREAD("T3", second)
#define IRIW_WEAK "exists: a == 1 && b == 0 && c == 1 && d == 0"
#define WRC(second, third)                                                                                   \
    THREAD("T0", "x[0] = 1; ") THREAD("T1", "int a = x[0]; " second) THREAD("T2", "int r = y; " third)
#define WRC_WEAK "exists: a == 1 && r == 1 && s == 0"

static const char x_y[] = "x: {count: 2}, y: 0", arrays[] = "x: {count: 2}, y: {count: 2}";

static const struct shape {
    const char *name, *memory, *threads, *condition;
    bool allowed;
} shapes[] = {
    {"MP", x_y, MP("", SET_Y, GET_Y GET_X), MP_WEAK, true},
    {"MP+dmbs", x_y, MP(DMB, SET_Y, GET_Y DMB GET_X), MP_WEAK, false},
    {"MP+dmb+po", x_y, MP(DMB, SET_Y, GET_Y GET_X), MP_WEAK, true},
    {"MP+po+dmb", x_y, MP("", SET_Y, GET_Y DMB GET_X), MP_WEAK, true},
    {"MP+dmb+dmb.ld", x_y, MP(DMB, SET_Y, GET_Y DMBLD GET_X), MP_WEAK, false},
    {"MP+dmb.ld+dmb", x_y, MP(DMBLD, SET_Y, GET_Y DMB GET_X), MP_WEAK, true},
    {"MP+dmb+addr", x_y, MP(DMB, SET_Y, GET_Y "int s = x[1 - r]; "), MP_WEAK, false},
    {"MP+dmb+ctrl", x_y, MP(DMB, SET_Y, GET_Y "int s = 5; if (r == 1) s = x[0]; "), MP_WEAK, true},
    {"MP+rel+acq", x_y, MP("", REL_Y, ACQ_Y GET_X), MP_WEAK, false},
    {"MP+rel+po", x_y, MP("", REL_Y, GET_Y GET_X), MP_WEAK, true},
    {"MP+po+acq", x_y, MP("", SET_Y, ACQ_Y GET_X), MP_WEAK, true},
    {"MP+rel+addr", x_y, MP("", REL_Y, GET_Y "int s = x[1 - r]; "), MP_WEAK, false},
    {"MP+dmb+acq", x_y, MP(DMB, SET_Y, ACQ_Y GET_X), MP_WEAK, false},
    {"MP+dmb+rmw", x_y, MP(DMB, SET_Y, "int r = atomicAdd(&y, 0); " GET_X), MP_WEAK, true},
    {"MP+dmb+rmw.acq", x_y, MP(DMB, SET_Y, "int r = fetch_add(y, 0" ACQ GET_X), MP_WEAK, false},
    {"MP+rmw.rel+dmb", x_y, MP("", "fetch_add(y, 1" REL, GET_Y DMB GET_X), MP_WEAK, false},
    {"MP+rel-po-loc+acq", x_y, MP("", REL_Y "y = 2; ", ACQ_Y GET_X), "exists: r == 2 && s == 0", false},
    {"MP+rel-po+acq", "x: {count: 2}, y: 0, z: 0", MP("", REL_Y "z = 2; ", "int r = load(z" ACQ GET_X),
     "exists: r == 2 && s == 0", true},
    {"PPOCA", "x: {count: 2}, y: 0, z: 0",
     MP(DMB, SET_Y, GET_Y "int s = 5; if (r == 1) { z = 1; int q = z; s = x[1 - q]; } "), MP_WEAK, true},
    {"PPOAA", "x: {count: 2}, y: 0, z: {count: 2}",
     MP(DMB, SET_Y, GET_Y "z[1 - r] = 1; int q = z[0]; int s = x[1 - q]; "), MP_WEAK, false},
    {"SB", x_y, SB("", ""), SB_WEAK, true},
    {"SB+dmbs", x_y, SB(DMB, DMB), SB_WEAK, false},
    {"SB+dmb+po", x_y, SB(DMB, ""), SB_WEAK, true},
    {"SB+dmb.lds", x_y, SB(DMBLD, DMBLD), SB_WEAK, true},
    {"SB+rel-acqs", x_y,
     THREAD("T0", "store(x[0], 1" REL "int r = load(y" ACQ) THREAD("T1", REL_Y "int s = load(x[0]" ACQ),
     SB_WEAK, true},
    {"SB+rmws", x_y, THREAD("T0", "atomicExch(&x[0], 1); " GET_Y) THREAD("T1", "atomicExch(&y, 1); " GET_X),
     SB_WEAK, true},
    {"LB", x_y, LB("x[0] = 1; ", SET_Y), LB_WEAK, true},
    {"LB+dmbs", x_y, LB(DMB "x[0] = 1; ", DMB SET_Y), LB_WEAK, false},
    {"LB+dmb.lds", x_y, LB(DMBLD "x[0] = 1; ", DMBLD SET_Y), LB_WEAK, false},
    {"LB+datas", x_y, LB("x[0] = r; ", "y = s; "), LB_WEAK, false},
    {"LB+data+po", x_y, LB("x[0] = r; ", SET_Y), LB_WEAK, true},
    {"LB+data-po-loc+acq", x_y,
     THREAD("T0", GET_Y "x[0] = r; x[0] = 2; ") THREAD("T1", "int s = load(x[0]" ACQ SET_Y),
     "exists: r == 1 && s == 2", false},
    {"LB+data-po+acq", "x: {count: 2}, y: 0, z: 0",
     THREAD("T0", GET_Y "x[0] = r; z = 2; ") THREAD("T1", "int s = load(z" ACQ SET_Y),
     "exists: r == 1 && s == 2", true},
    {"LB+ctrls", x_y, LB("if (r == 1) x[0] = 1; ", "if (s == 1) y = 1; "), LB_WEAK, false},
    {"LB+addrs", arrays,
     THREAD("T0", "int r = y[0]; x[1 - r] = 1; ") THREAD("T1", "int s = x[0]; y[1 - s] = 1; "), LB_WEAK,
     false},
    {"LB+rels", x_y, LB("store(x[0], 1" REL, REL_Y), LB_WEAK, false},
    {"LB+acqs", x_y, THREAD("T0", ACQ_Y "x[0] = 1; ") THREAD("T1", "int s = load(x[0]" ACQ SET_Y), LB_WEAK,
     false},
    {"IRIW", arrays, IRIW("int a = x[0]; int b = y[0]; ", "int c = y[0]; int d = x[0]; "), IRIW_WEAK, true},
    {"IRIW+dmbs", arrays, IRIW("int a = x[0]; " DMB "int b = y[0]; ", "int c = y[0]; " DMB "int d = x[0]; "),
     IRIW_WEAK, false},
    {"IRIW+addrs", arrays, IRIW("int a = x[0]; int b = y[1 - a]; ", "int c = y[0]; int d = x[1 - c]; "),
     IRIW_WEAK, false},
    {"IRIW+acqs", arrays,
     IRIW("int a = load(x[0]" ACQ "int b = y[0]; ", "int c = load(y[0]" ACQ "int d = x[0]; "), IRIW_WEAK,
     false},
    {"WRC", x_y, WRC(SET_Y, GET_X), WRC_WEAK, true},
    {"WRC+data+addr", x_y, WRC("y = a; ", "int s = x[1 - r]; "), WRC_WEAK, false},
    {"WRC+po+addr", x_y, WRC(SET_Y, "int s = x[1 - r]; "), WRC_WEAK, true},
    {"WRC+rel+addr", x_y, WRC(REL_Y, "int s = x[1 - r]; "), WRC_WEAK, false},
    {"S+dmb+data", x_y, THREAD("T0", "x[0] = 2; " DMB SET_Y) THREAD("T1", GET_Y "x[0] = r; "),
     "exists: r == 1 && x[0] == 2", false},
    {"S+po+data", x_y, THREAD("T0", "x[0] = 2; " SET_Y) THREAD("T1", GET_Y "x[0] = r; "),
     "exists: r == 1 && x[0] == 2", true},
    {"R+dmbs", x_y, THREAD("T0", "x[0] = 1; " DMB "y = 1; ") THREAD("T1", "y = 2; " DMB GET_X),
     "exists: y == 2 && s == 0", false},
    {"R+dmb+po", x_y, THREAD("T0", "x[0] = 1; " DMB "y = 1; ") THREAD("T1", "y = 2; " GET_X),
     "exists: y == 2 && s == 0", true},
    {"2+2W", x_y, THREAD("T0", "x[0] = 1; y = 2; ") THREAD("T1", "y = 1; x[0] = 2; "),
     "exists: x[0] == 1 && y == 1", true},
    {"2+2W+dmbs", x_y, THREAD("T0", "x[0] = 1; " DMB "y = 2; ") THREAD("T1", "y = 1; " DMB "x[0] = 2; "),
     "exists: x[0] == 1 && y == 1", false},
    {"2+2W+rels", x_y, THREAD("T0", "x[0] = 1; store(y, 2" REL) THREAD("T1", "y = 1; store(x[0], 2" REL),
     "exists: x[0] == 1 && y == 1", false},
    {"CoRR", x_y, THREAD("T0", "x[0] = 1; ") THREAD("T1", "int r = x[0]; int s = x[0]; "), MP_WEAK, false},
    {"two additions", x_y, THREAD("T0", "atomicAdd(&x[0], 1); ") THREAD("T1", "atomicAdd(&x[0], 1); "),
     "exists: x[0] == 1", false},
    {"MP over a barrier", x_y, MP("", "__syncthreads(); ", "__syncthreads(); int r = 1; " GET_X), MP_WEAK,
     false},
};

static void what_arm_allows(void **state) {
    (void)state;
    struct arena *a = arena_open();
    const struct model *m = ask_model(a, "aarch64");
    int wrong = 0;
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
        const struct shape *s = &shapes[k];
        const char *yaml =
            arena_printf(a, TEST("block", "%s", "%s", "%s"), s->memory, s->threads, s->condition);
        struct answer answer = ask(m, yaml, NULL);
        if (answer.status == MODEL_DONE && answer.allowed == s->allowed) continue;
        print_error("%s is %s\n", s->name, answer.allowed ? "allowed" : "forbidden");
        wrong++;
    }
    assert_int_equal(wrong, 0);
    arena_close(a);
}

/* LB whose second thread has a true dependency, and its first one what is none for a compiler: whether the model allows it with
 * the dependencies that no compiler can delete, and with those of the text. */
static const struct {
    const char *first;
    bool semantic, syntactic;
} texts[] = {{"x[0] = 1; ", true, true},
             {"x[0] = 1 + (r - r); ", true, false},
             {"x[0] = (r & 0) + 1; ", true, false},
             {"x[0] = r * 0 + 1; ", true, false},
             {"int q = r ^ r; q = q + 1; x[0] = q; ", true, false},
             {"int q = r; q = 1; x[0] = q; ", true, true},
             {"x[r - r] = 1; ", true, false},
             {"if (r == r) x[0] = 1; ", true, false},
             {"if (r == 1) x[0] = 1; else x[0] = 1; ", true, false},
             {"if (r == 1) {} x[0] = 1; ", true, false},
             {"if (r == 1) x[1] = 1; x[0] = 1; ", true, false},
             {"x[0] = 1; if (r == 1) x[1] = 1; ", true, true},
             {"x[0] = r == 1 ? 1 : 1; ", true, false},
             {"while (r - r) {} x[0] = 1; ", true, false},
             {"fetch_add(x[0], 1 + (r & 0), relaxed, device); ", true, false},
             {"int q = atomicExch(&y, 1); q = q & 0; x[0] = 1 + q; ", true, false},
             {"x[0] = r; ", false, false},
             {"if (r == 1) x[0] = 1; ", false, false}};

static void what_the_text_orders(void **state) {
    (void)state;
    struct arena *a = arena_open();
    const struct model *m = ask_model(a, "aarch64"), *of_text = model_syntactic(a, m);
    int wrong = 0;
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        const char *threads =
            arena_printf(a, THREAD("T0", GET_Y "%s") THREAD("T1", "int s = x[0]; y = s; "), texts[k].first);
        const char *yaml = arena_printf(a, TEST("block", "%s", "%s", LB_WEAK), x_y, threads);
        struct answer one = ask(m, yaml, NULL), two = ask(of_text, yaml, NULL);
        if (one.allowed == texts[k].semantic && two.allowed == texts[k].syntactic && !two.bounded) continue;
        print_error("%s: %d, %d\n", texts[k].first, one.allowed, two.allowed);
        wrong++;
    }
    assert_int_equal(wrong, 0);
    arena_close(a);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_arm_allows),
                                       cmocka_unit_test(what_the_text_orders)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
