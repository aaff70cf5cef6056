#include <string.h>

#include "base/foreign.h"
#include "base/text.h"
#include "cli/suite.h"

static void add_name(struct text *t, const char *name) {
    text_printf(t, "%s%s", t->len ? ", " : "", name);
}

/* "placements block, device; accesses volatile; fences none, block, device, system" */
static void put_axes(const struct test *t) {
    struct text placements = {0}, accesses = {0}, fences = {0};
    for (int k = 0; k < t->nplacements; k++)
        add_name(&placements, t->placements[k].name);
    for (int k = 0; k < t->naccesses; k++)
        add_name(&accesses, access_name(t->accesses[k]));
    for (int k = 0; k < t->nfences; k++)
        add_name(&fences, t->fences[k].name);
    fputs("    placements ", stdout);
    foreign_terminal(placements.s, stdout);
    printf("; access %s; fences %s\n", accesses.s, fences.s);
    text_free(&placements);
    text_free(&accesses);
    text_free(&fences);
}

int command_list(const struct options *o) {
    int code = suite_check_filter(o);
    if (code) return code;
    struct arena *a = arena_open();
    struct suite s = {0};
    struct diag d = {0};
    suite_read(a, o->args, o->nargs, o->filter, &s, &d);
    for (int k = 0; k < s.n; k++) {
        const struct test *t = s.tests[k];
        fputs(t->name, stdout);
        if (t->title) fputs(": ", stdout);
        if (t->title) foreign_terminal(t->title, stdout);
        fputs("\n    ", stdout);
        foreign_terminal(t->source.path, stdout);
        putchar('\n');
        put_axes(t);
    }
    code = diag_report(&d, EXIT_INPUT);
    arena_close(a);
    return code;
}
