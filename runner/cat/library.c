#include "cat/library.h"

#include <string.h>

enum { MOST_PARAMS = 3 };

/* The last four are what `with` asks for: orders that herd lists as sets of relations. */
static const struct {
    const char *name, *params[MOST_PARAMS], *cat;
} library[] = {
    {"fencerel", {"s"}, "po; [s]; po"},
    {"ctrlcfence", {"c", "s"}, "c; [s]; po"},
    {"toid", {"s"}, "[s]"},
    {"imply", {"x", "y"}, "~x | y"},
    {"nodetour", {"x", "y", "z"}, "x \\ (y; z)"},
    {"singlestep", {"x"}, "x \\ (x; x)"},
    {"co0", {NULL}, "(IW * (W \\ IW)) & loc"},
    {"emptyset", {NULL}, "domain(0)"},
    {"amo", {NULL}, "rmw"},
    {"sm", {NULL}, "part?"},
    {"EX", {NULL}, "domain(0)"},
    {"MFENCE", {NULL}, "F & SC"},
    {"sync_barrier", {NULL}, "bar"},
    {"total-must", {"s", "base"}, "base & (s * s)"},
    {"total-either", {"s"}, "(s * s) \\ id"},
    {"order-must", {"s", "base"}, "(base & (s * s) & loc) | ((IW * (s \\ IW)) & loc)"},
    {"order-either", {"s"}, "((s \\ IW) * (s \\ IW)) & loc"},
};

const struct cat_binding *library_find(struct arena *a, const char *name) {
    size_t k = 0;
    while (k < sizeof library / sizeof *library && strcmp(library[k].name, name) != 0)
        k++;
    if (k == sizeof library / sizeof *library) return NULL;
    struct cat_binding *f = arena_alloc(a, sizeof *f);
    struct cat_param **end = &f->params;
    for (int n = 0; n < MOST_PARAMS && library[k].params[n]; n++) {
        *end = arena_alloc(a, sizeof **end);
        (*end)->name = library[k].params[n];
        end = &(*end)->next;
    }
    f->name = name;
    f->function = f->params != NULL;
    f->expr = (struct cat_expr *)cat_read_expr(a, library[k].cat);
    return f;
}
