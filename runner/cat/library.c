#include "cat/library.h"

#include <string.h>

enum { MOST_PARAMS = 3 };

/* The reads and writes of operations that acquire. */
#define ACQUIRES "(R & ACQ) | range([R & ACQ]; rmw)"

/* A fence or an access of another processor is what a compiler would make it from. The last four are for
 * `with`: orders that herd lists as sets of relations. */
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
    {"si", {NULL}, "part?"},
    {"same-instance", {NULL}, "id | rmw | rmw^-1 | part"},
    {"same-low-order-bits", {NULL}, "loc"},
    {"pco",
     {NULL},
     "((po & loc & W * W) | (rf; po & loc & R * W) | (po & loc & W * R; rf^-1) | (rf; po & loc & R * R; "
     "rf^-1))"
     " \\ id | (IW * (W \\ IW) & loc)"},
    {"Exp", {NULL}, "M"},
    {"EXEC", {NULL}, "_"},
    {"X", {NULL}, "RMW"},
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
    {"AQ", {NULL}, ACQUIRES},
    {"RL", {NULL}, "M & REL"},
    {"Acq", {NULL}, "(" ACQUIRES ") \\ REL"},
    {"Rel", {NULL}, "(M & REL) \\ (" ACQUIRES ")"},
    {"AcqRel", {NULL}, "(" ACQUIRES ") & REL"},
    {"Q", {NULL}, "R & ACQ"},
    {"L", {NULL}, "M & REL"},
    {"MFENCE", {NULL}, "F & SC"},
    {"DMB", {NULL}, "F"},
    {"DMB.ISH", {NULL}, "F & REL"},
    {"DMB.ISHLD", {NULL}, "(F & ACQ) \\ REL"},
    {"SYNC", {NULL}, "F & SC"},
    {"LWSYNC", {NULL}, "F \\ SC"},
    {"Fence.rw.rw", {NULL}, "F & SC"},
    {"Fence.tso", {NULL}, "(F & ACQ & REL) \\ SC"},
    {"Fence.r.rw", {NULL}, "(F & ACQ) \\ REL"},
    {"Fence.rw.w", {NULL}, "(F & REL) \\ ACQ"},
    {"sync_barrier", {NULL}, "bar"},
    {"total-must", {"s", "base"}, "base & (s * s)"},
    {"total-either", {"s"}, "(s * s) \\ id"},
    {"order-must", {"s", "base"}, "(base & (s * s) & loc) | ((IW * (s \\ IW)) & loc)"},
    {"order-either", {"s"}, "((s \\ IW) * (s \\ IW)) & loc"},
};

/* What is empty in every CUDA test. A name that ends in '.' stands for all that begin so. */
static const char *const absent_sets[] = {
    "DMB.",      "DSB",        "DSB.",     "ISB",    "ISYNC",
    "EIEIO",     "LFENCE",     "SFENCE",   "Fence.", /* fences without a counterpart */
    "NoRet",     "Sc",                               /* of Arm's and RISC-V's instructions */
    "NExp",      "SPEC",       "SPURIOUS", "IF",     "IC",
    "IC.",       "DC",         "DC.",      "Instr",  "Restricted-CMODX", /* fetching, caches */
    "TLBI",      "TLBInXS",    "TLBIIS",   "PTE",    "PTEINV",
    "PTEXS",     "MMU",        "D-MMU",    "I-MMU",  "AF",
    "DB", /* translation */
    "EXC-ENTRY", "EXC-RET",    "SVC",      "FAULT",  "TagCheck",
    "T",         "Permission", /* exceptions, tags */
    "Rreg",      "Wreg",       "ADDR",     "DATA",   "NDATA",
    "BCC", /* steps within an instruction */
};
static const char *const absent_relations[] = {
    "iico_data", "iico_ctrl",  "iico_order",   "rf-reg", /* steps within an instruction */
    "lxsx",      "inv-domain", "same-tag-loc", "PTEtoPA",
};

const char *const library_unread[5] = {"classes-loc", "tag2events", "different-values", "same-oa",
                                       "at-least-one-writable"};

static bool is_among(const char *name, const char *const *list, size_t n) {
    for (size_t k = 0; k < n; k++) {
        size_t len = strlen(list[k]);
        if (strncmp(name, list[k], len) == 0 && (name[len] == 0 || list[k][len - 1] == '.')) return true;
    }
    return false;
}

enum absent library_absent(const char *name) {
    if (is_among(name, absent_sets, sizeof absent_sets / sizeof *absent_sets)) return ABSENT_SET;
    if (is_among(name, absent_relations, sizeof absent_relations / sizeof *absent_relations))
        return ABSENT_RELATION;
    return ABSENT_NOT;
}

/* Names that mean one thing on one architecture and another on the next, and what to write for them here. */
static const struct {
    const char *name, *hint;
} elsewhere[] = {
    {"A", "it is atomic in C11, and acquire on Arm: define it, as let A = STRONG & M, or let A = ACQ"},
    {"ctrlisb", "it is a barrier of Arm, which a CUDA test has not"},
};

const char *library_hint(struct arena *a, const char *name, const char *near) {
    for (size_t k = 0; k < sizeof elsewhere / sizeof *elsewhere; k++)
        if (strcmp(name, elsewhere[k].name) == 0) return arena_printf(a, ": %s", elsewhere[k].hint);
    return near ? arena_printf(a, "; did you mean '%s'?", near) : "";
}

const struct cat_binding *library_find(struct arena *a, const char *name, bool c11) {
    static const char *const no_params[MOST_PARAMS];
    const char *const *params = no_params, *cat = c11 && strcmp(name, "A") == 0 ? "STRONG & M" : NULL;
    for (size_t k = 0; k < sizeof library / sizeof *library && !cat; k++)
        if (strcmp(library[k].name, name) == 0) {
            cat = library[k].cat;
            params = library[k].params;
        }
    if (!cat) return NULL;
    struct cat_binding *f = arena_alloc(a, sizeof *f);
    struct cat_param **end = &f->params;
    for (int n = 0; n < MOST_PARAMS && params[n]; n++) {
        *end = arena_alloc(a, sizeof **end);
        (*end)->name = params[n];
        end = &(*end)->next;
    }
    f->name = name;
    f->function = f->params != NULL;
    f->expr = (struct cat_expr *)cat_read_expr(a, cat);
    return f;
}
