/* Asks why a cell has its answer, and compares what is told. */
#ifndef CULITMUS_TESTS_TOLD_H
#define CULITMUS_TESTS_TOLD_H

#include <stdlib.h>
#include <string.h>

#include "../recorded.h"
#include "ask.h"
#include "explain/why.h"

static inline struct why ask_why(struct arena *a, const char *model, const char *yaml,
                                 const struct model_limits *limits) {
    struct diag d = {0};
    struct test *t;
    const struct cell *cell = ask_cell(a, yaml, &t);
    struct why why;
    assert_true(model_why(ask_model(a, model), t, cell, limits, a, &why, &d));
    diag_free(&d);
    return why;
}

/* The lines of an explanation, up to NULL. */
static inline void check(const char *model, const char *yaml, enum why_answer answer,
                         const char *const *lines) {
    struct arena *a = arena_open();
    struct why why = ask_why(a, model, yaml, NULL);
    struct text want = {0}, got = {0};
    text_add(&want, "");
    text_add(&got, "");
    while (*lines)
        text_printf(&want, "%s\n", *lines++);
    for (int k = 0; k < why.nlines; k++)
        text_printf(&got, "%s\n", why_line_text(a, &why.lines[k]));
    assert_true(recorded_same(yaml, want.s, got.s));
    assert_int_equal(why.answer, answer);
    text_free(&want);
    text_free(&got);
    arena_close(a);
}

#define LINES(...) ((const char *const[]){__VA_ARGS__, NULL})
#define MP(writer, reader)                                                                                   \
    TEST("T0 | T1", "x: 0, y: 0",                                                                            \
         THREAD("T0", "x = 1; " writer "y = 1;") THREAD("T1", "int r = y; " reader "int s = x;"),            \
         "exists: r == 1 && s == 0")
#define SB(fence)                                                                                            \
    TEST("T0 | T1", "x: 0, y: 0",                                                                            \
         THREAD("T0", "x = 1; " fence "int r = y;") THREAD("T1", "y = 1; " fence "int s = x;"),              \
         "exists: r == 0 && s == 0")
#define APART "T0 is in block 0; T1 is in block 1."

#endif
