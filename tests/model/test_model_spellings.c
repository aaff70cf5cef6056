/* Spellings: what a kernel's words mean is what the format's own mean. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "ask.h"

#define MEMORY "x: 0, y: 0, z: {init: 1, count: 2}"

/* Threads of two tests, which must have the same executions. */
static const struct row {
    const char *what, *written, *meant;
} rows[] = {
    {"cache operators are weak",
     TEST("T0 | T1", MEMORY,
          THREAD("T0", "__stcg(&x, 1); __threadfence(); __stwt(&y, 1);")
              THREAD("T1", "int a = __ldcv(&y); __threadfence(); int b = __ldcg(&x);"),
          "exists: a == 1 && b == 0"),
     TEST("T0 | T1", MEMORY,
          THREAD("T0", "store(x, 1, weak); __threadfence(); store(y, 1, weak);")
              THREAD("T1", "int a = load(y, weak); __threadfence(); int b = load(x, weak);"),
          "exists: a == 1 && b == 0")},
    {"all of them, without a fence",
     TEST("T0 | T1", MEMORY,
          THREAD("T0", "__stwb(&x, 1); __stcs(&y, 1);")
              THREAD("T1", "int a = __ldca(&y); int b = __ldcs(&x); int c = __ldlu(&y);"),
          "exists: a == 1 && b == 0"),
     TEST("T0 | T1", MEMORY,
          THREAD("T0", "store(x, 1, weak); store(y, 1, weak);")
              THREAD("T1", "int a = load(y, weak); int b = load(x, weak); int c = load(y, weak);"),
          "exists: a == 1 && b == 0")},
    {"of a table as well",
     "PTX T\n{ x=0; y=0; }\nP0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n"
     "st.cg x, 1 | ld.weak.cv r0, y ;\nst.weak.wb y, 1 | ld.global.ca r1, x ;\n"
     "exists (P1:r0 == 1 /\\ P1:r1 == 0)\n",
     "PTX T\n{ x=0; y=0; }\nP0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n"
     "st.weak x, 1 | ld.weak r0, y ;\nst.weak y, 1 | ld.weak r1, x ;\n"
     "exists (P1:r0 == 1 /\\ P1:r1 == 0)\n"},
};

static void check_row(void **state) {
    const struct row *row = *state;
    struct arena *a = arena_open();
    const struct model *m = ask_model(a, "ptx");
    struct answer written = ask(m, row->written, NULL), meant = ask(m, row->meant, NULL);
    assert_int_equal(written.status, MODEL_DONE);
    assert_int_equal(written.status, meant.status);
    assert_int_equal(written.allowed, meant.allowed);
    assert_int_equal(written.outcomes, meant.outcomes);
    assert_int_equal(written.executions, meant.executions);
    arena_close(a);
}

int main(void) {
    enum { COUNT = sizeof rows / sizeof *rows };
    struct CMUnitTest tests[COUNT];
    for (int k = 0; k < COUNT; k++)
        tests[k] = (struct CMUnitTest){rows[k].what, check_row, NULL, NULL, (void *)&rows[k]};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
