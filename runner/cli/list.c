#include <string.h>

#include "base/text.h"
#include "cli/choose.h"
#include "cli/view.h"

static void add_name(struct text *t, const char *name) {
    text_printf(t, "%s%s", t->len ? ", " : "", name);
}

/* Prints such as "placements block, device; access volatile; fences none, block, device, system". The fence
 * slots of a source are known only after compiling it. */
static void put_axes(const struct test *t) {
    struct text placements = {0}, accesses = {0}, fences = {0}, line = {0};
    for (int k = 0; k < t->nplacements; k++)
        add_name(&placements, t->placements[k].name);
    for (int k = 0; k < t->naccesses; k++)
        add_name(&accesses, access_name(t->accesses[k]));
    for (int k = 0; k < t->nfences && !t->uncompiled; k++)
        add_name(&fences, t->fences[k].name);
    if (t->uncompiled) add_name(&fences, "of its source");
    text_printf(&line, "%s; access %s; fences %s", placements.s, accesses.s, fences.s);
    view_line("placements", line.s, 4, 2);
    text_free(&line);
    text_free(&placements);
    text_free(&accesses);
    text_free(&fences);
}

int command_list(const struct options *o) {
    int code = choose_check_filter(o);
    if (code) return code;
    struct arena *a = arena_open();
    struct suite s = {0};
    struct diag d = {0};
    suite_read(a, choose_shipped(a), o->args, o->nargs, (struct name_filter){o->filter, o->exclude}, &s, &d);
    for (int k = 0; k < s.n; k++) {
        const struct test *t = suite_test(&s, k);
        view_line(t->title ? arena_printf(a, "%s:", t->name) : t->name, t->title ? t->title : "", 0, 2);
        view_line(t->source.path, "", 4, 0);
        put_axes(t);
    }
    code = diag_report(&d, EXIT_INPUT);
    arena_close(a);
    return code;
}
