#include <string.h>

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
    printf("    placements %s; access %s; fences %s\n", placements.s, accesses.s, fences.s);
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
        printf("%s%s%s\n    %s\n", t->name, t->title ? ": " : "", t->title ? t->title : "", t->source.path);
        put_axes(t);
    }
    code = diag_report(&d, EXIT_INPUT);
    arena_close(a);
    return code;
}
