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
    {"LK", {NULL}, "domain(0)"},
    {"LS", {NULL}, "domain(0)"},
    {"UL", {NULL}, "domain(0)"},
    {"FW", {NULL}, "W \\ domain(co)"},
    {"RLX", {NULL}, "(STRONG & M) \\ (ACQ | REL)"},
    {"ACQ_REL", {NULL}, "ACQ & REL"},
    {"RR", {"r"}, "r & (R * R)"},
    {"RW", {"r"}, "r & (R * W)"},
    {"WR", {"r"}, "r & (W * R)"},
    {"WW", {"r"}, "r & (W * W)"},
    {"noid", {"r"}, "r \\ id"},
    {"MFENCE", {NULL}, "F & SC"},
    {"sync_barrier", {NULL}, "bar"},
    {"total-must", {"s", "base"}, "base & (s * s)"},
    {"total-either", {"s"}, "(s * s) \\ id"},
    {"order-must", {"s", "base"}, "(base & (s * s) & loc) | ((IW * (s \\ IW)) & loc)"},
    {"order-either", {"s"}, "((s \\ IW) * (s \\ IW)) & loc"},
};

/* Names of herd's architectures, and what to write for them here. A name that ends in '.' stands for all that begin so. */
static const struct {
    const char *name, *hint;
} elsewhere[] = {
    {"A", "it is atomic in C11, and acquire on Arm: define it, as let A = STRONG & M, or let A = ACQ"},
    {"L", "on Arm it is release, here REL"},
    {"AQ", "it is acquire, here ACQ"},
    {"Acq", "it is acquire, here ACQ"},
    {"RL", "it is release, here REL"},
    {"Rel", "it is release, here REL"},
    {"AcqRel", "it is acquire and release, here ACQ & REL"},
    {"Sc", "here SC has the sc fences"},
    {"X", "exclusive accesses are here those of atomic operations, RMW"},
    {"Fence.", "a fence of RISC-V; here fences are F, with ACQ, REL and SC"},
    {"Exp", "explicit accesses are here all, M"},
    {"NExp", "here no access is implicit"},
    {"IF", "here no instruction is fetched"},
    {"IC", "here no instruction is fetched"},
    {"SPEC", "here no event is speculated"},
    {"EXEC", "here no event is speculated"},
    {"iico_data", "here an instruction has no parts"},
    {"iico_ctrl", "here an instruction has no parts"},
    {"iico_order", "here an instruction has no parts"},
    {"Rreg", "here an access of a register is no event; dependencies are addr, data and ctrl"},
    {"rf-reg", "here an access of a register is no event; dependencies are addr, data and ctrl"},
    {"ctrlisb", "it is a barrier of Arm, which a CUDA test has not"},
};

const char *library_hint(struct arena *a, const char *name, const char *near) {
    for (size_t k = 0; k < sizeof elsewhere / sizeof *elsewhere; k++) {
        size_t n = strlen(elsewhere[k].name);
        bool family = elsewhere[k].name[n - 1] == '.' && strncmp(name, elsewhere[k].name, n) == 0;
        if (family || strcmp(name, elsewhere[k].name) == 0) return arena_printf(a, ": %s", elsewhere[k].hint);
    }
    return near ? arena_printf(a, "; did you mean '%s'?", near) : "";
}

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
