/* Models with one clause broken, each with a test that notices it. */
#ifndef CULITMUS_TEST_MUTANTS_H
#define CULITMUS_TEST_MUTANTS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ask.h"

/* A text of ptx.cat, what stands in its place in the broken model, and the test that notices. */
struct mutant {
    const char *from, *to;
    const char *test;
    bool allowed; /* by the unbroken model */
};

static char *read_model(void) {
    FILE *f = fopen(MODELS "/ptx.cat", "r");
    assert_non_null(f);
    char *text = calloc(1, 1 << 16);
    assert_non_null(text);
    assert_true(fread(text, 1, (1 << 16) - 1, f) > 0);
    fclose(f);
    return text;
}

/* The model with one clause broken, from a file of its own. */
static const struct model *load_mutant(struct arena *a, const char *ptx, const struct mutant *m) {
    const char *at = strstr(ptx, m->from);
    if (!at || strstr(at + 1, m->from)) print_error("not once in ptx.cat: %s\n", m->from);
    assert_true(at && !strstr(at + 1, m->from));
    ask_write("mutant.cat", arena_printf(a, "%.*s%s%s", (int)(at - ptx), ptx, m->to, at + strlen(m->from)));
    return ask_model(a, "mutant.cat");
}

/* Prints each mutant that its test does not notice, and each test of which ptx.cat says something else; how many there are. */
static int mutants_unnoticed(const struct mutant *mutants, size_t n) {
    struct arena *a = arena_open();
    char *text = read_model();
    const struct model *ptx = ask_model(a, "ptx");
    int unnoticed = 0;
    for (size_t k = 0; k < n; k++) {
        const struct mutant *m = &mutants[k];
        struct answer whole = ask(ptx, m->test, NULL);
        struct answer broken = ask(load_mutant(a, text, m), m->test, NULL);
        bool noticed = whole.allowed != broken.allowed || whole.executions != broken.executions ||
                       whole.outcomes != broken.outcomes;
        if (whole.allowed != m->allowed)
            print_error("ptx says %s of:\n%s\n", whole.allowed ? "allowed" : "forbidden", m->test);
        if (!noticed) print_error("nobody notices: %s -> %s\n", m->from, m->to);
        unnoticed += !noticed || whole.allowed != m->allowed;
    }
    free(text);
    arena_close(a);
    return unnoticed;
}

#endif
