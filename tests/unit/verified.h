/* What the check of compiled code says of a cell of a test that stands in a text. Included behind cmocka.h. */
#ifndef VERIFIED_H
#define VERIFIED_H

#include <stdio.h>
#include <string.h>

#include "check/verify.h"
#include "source/read.h"

/* A cell of a test: at its first placement, with the fence of this name. */
struct cell_result {
    struct arena *a;
    struct test *t;
    struct cell cell;
    struct diag d;
};

static void cell_open(struct cell_result *c, const char *yaml, const char *fence) {
    *c = (struct cell_result){.a = arena_open()};
    c->t = test_read_text(c->a, "test.yaml", yaml, strlen(yaml), &c->d);
    assert_non_null(c->t);
    const struct fence_choice *choice = &c->t->fences[0];
    for (int k = 0; k < c->t->nfences; k++)
        if (strcmp(c->t->fences[k].name, fence) == 0) choice = &c->t->fences[k];
    c->cell = (struct cell){&c->t->placements[0], c->t->accesses[0], choice};
}

/* NULL when the code was found fine, else what was told to be wrong. */
static const char *cell_close(struct cell_result *c, bool fine) {
    static char reason[512];
    assert_int_equal(c->d.n, fine ? 0 : 1);
    if (!fine) {
        const char *text = strstr(c->d.messages[0].text, "is not the test: ");
        assert_non_null(text);
        assert_non_null(strstr(text, "\nwhat the test means:\n"));
        assert_non_null(strstr(text, "\nwhat was compiled:\n"));
        snprintf(reason, sizeof reason, "%.*s", (int)strcspn(text + 17, "\n"), text + 17);
    }
    diag_free(&c->d);
    arena_close(c->a);
    return fine ? NULL : reason;
}

#endif
