#include <string.h>

#include "cycle/cycle.h"

/* The shapes that have a name (Sarkar, Sewell, Alglave, Maranget, Williams: "Understanding POWER
 * Multiprocessors", 2011, and diy's families). Each begins where its test does. */
static const struct {
    const char *name, *cycle;
} families[] = {
    {"MP", "PodWW Rfe PodRR Fre"},
    {"SB", "PodWR Fre PodWR Fre"},
    {"LB", "PodRW Rfe PodRW Rfe"},
    {"S", "PodWW Rfe PodRW Coe"},
    {"R", "PodWW Coe PodWR Fre"},
    {"2+2W", "PodWW Coe PodWW Coe"},
    {"CoRR", "PosRR Fre Rfe"},
    {"CoRW2", "PosRW Coe Rfe"},
    {"WRC", "Rfe PodRW Rfe PodRR Fre"},
    {"RWC", "Rfe PodRR Fre PodWR Fre"},
    {"WWC", "Rfe PodRW Rfe PodRW Coe"},
    {"WRW+WR", "Rfe PodRW Coe PodWR Fre"},
    {"WRR+2W", "Rfe PodRR Fre PodWW Coe"},
    {"WRW+2W", "Rfe PodRW Coe PodWW Coe"},
    {"ISA2", "PodWW Rfe PodRW Rfe PodRR Fre"},
    {"W+RWC", "PodWW Rfe PodRR Fre PodWR Fre"},
    {"3.SB", "PodWR Fre PodWR Fre PodWR Fre"},
    {"3.LB", "PodRW Rfe PodRW Rfe PodRW Rfe"},
    {"3.2W", "PodWW Coe PodWW Coe PodWW Coe"},
    {"Z6.0", "PodWW Rfe PodRW Coe PodWR Fre"},
    {"Z6.1", "PodWW Coe PodWW Rfe PodRW Coe"},
    {"Z6.2", "PodWW Rfe PodRW Rfe PodRW Coe"},
    {"Z6.3", "PodWW Coe PodWW Rfe PodRR Fre"},
    {"Z6.4", "PodWW Coe PodWR Fre PodWR Fre"},
    {"Z6.5", "PodWW Coe PodWW Coe PodWR Fre"},
    {"IRIW", "Rfe PodRR Fre Rfe PodRR Fre"},
    {"IRRWIW", "Rfe PodRR Fre Rfe PodRW Coe"},
    {"IRWIW", "Rfe PodRW Coe Rfe PodRW Coe"},
    {"4.SB", "PodWR Fre PodWR Fre PodWR Fre PodWR Fre"},
    {"4.LB", "PodRW Rfe PodRW Rfe PodRW Rfe PodRW Rfe"},
    {"4.2W", "PodWW Coe PodWW Coe PodWW Coe PodWW Coe"},
};
enum { NFAMILIES = sizeof families / sizeof *families };

const char *cycle_of_family(const char *name, size_t *length) {
    const char *words = NULL;
    *length = 0;
    for (int k = 0; k < NFAMILIES; k++) {
        size_t n = strlen(families[k].name);
        bool named = strncmp(name, families[k].name, n) == 0 && (name[n] == '+' || name[n] == '\0');
        if (!named || n < *length) continue;
        words = families[k].cycle;
        *length = n;
    }
    return words;
}

/* Returns the cycle without its fences and dependencies, and with bare accesses. */
static struct cycle shape_of(const struct cycle *c) {
    struct cycle s = *c;
    for (int k = 0; k < s.n; k++) {
        struct cycle_edge *e = &s.edges[k];
        bool communication = cycle_is_communication(e->kind);
        *e = (struct cycle_edge){.kind = communication ? e->kind : CYCLE_PO,
                                 .external = e->external,
                                 .same = e->same,
                                 .write = e->write};
    }
    return s;
}

/* Rotates the cycle so that its shape is the given one; of several ways, the first in order. False: there is
 * none. */
static bool rotate_to(const struct cycle *c, const struct cycle *shape, struct cycle *out) {
    bool found = false;
    for (int k = 0; k < c->n; k++) {
        struct cycle r = cycle_rotated(c, k), s = shape_of(&r);
        if (cycle_compare(&s, shape) != 0 || (found && cycle_compare(&r, out) >= 0)) continue;
        *out = r;
        found = true;
    }
    return found;
}

/* Returns the index of the cycle's shape in `families`, or -1. `out` is the cycle begun as its name begins
 * it. */
static int find_family(const struct cycle *c, struct cycle *out) {
    for (int k = 0; k < NFAMILIES; k++) {
        struct cycle family;
        struct diag none = {0};
        if (cycle_parse(families[k].cycle, &family, &none) && rotate_to(c, &family, out)) return k;
    }
    *out = cycle_canonical(c);
    return -1;
}

struct cycle cycle_named(const struct cycle *c) {
    struct cycle named;
    find_family(c, &named);
    return named;
}

/* Writes a shape such as "WW-rf-RW-co". */
static void add_shape(const struct cycle *c, struct text *out) {
    static const char *const communication[] = {[CYCLE_RF] = "rf", [CYCLE_CO] = "co", [CYCLE_FR] = "fr"};
    for (int k = 0; k < c->n; k++) {
        const struct cycle_edge *e = &c->edges[k];
        text_add(out, e->write ? "W" : "R");
        if (e->external)
            text_printf(out, "-%s%s", communication[e->kind], k + 1 < c->n ? "-" : "");
        else if (cycle_is_communication(e->kind))
            text_printf(out, "%si", communication[e->kind]);
        else if (e->same)
            text_add(out, "s");
    }
}

/* Writes an access that is not bare, such as "rel.device". False: it is bare. */
static bool add_strength(const struct cycle_edge *e, struct text *out) {
    static const char *const words[] = {[ORDER_WEAK] = "wk",
                                        [ORDER_VOLATILE] = "vol",
                                        [ORDER_RELAXED] = "rlx",
                                        [ORDER_ACQUIRE] = "acq",
                                        [ORDER_RELEASE] = "rel"};
    if (e->access == ORDER_BARE) return false;
    text_add(out, words[e->access]);
    if (e->access_scope != SCOPE_NONE) text_printf(out, ".%s", scope_name(e->access_scope));
    return true;
}

static void add_edge(const struct cycle_edge *e, struct text *out) {
    static const char *const words[] = {[CYCLE_PO] = "po",
                                        [CYCLE_FENCE] = "fence",
                                        [CYCLE_DATA] = "data",
                                        [CYCLE_ADDR] = "addr",
                                        [CYCLE_CTRL] = "ctrl"};
    text_add(out, words[e->kind]);
    if (e->order != ORDER_BARE) text_printf(out, ".%s.%s", order_name(e->order), scope_name(e->scope));
}

/* Writes the part of the name for the thread that begins at `first`, such as "rel.device-po" or
 * "fence-acq.block". */
static int add_thread(const struct cycle *c, int first, struct text *out) {
    int k = first;
    for (;; k++) {
        const struct cycle_edge *e = &c->edges[k];
        bool inner = !e->external && !cycle_is_communication(e->kind);
        if (add_strength(e, out) && inner) text_add(out, "-");
        if (inner) add_edge(e, out);
        if (e->external) return k + 1;
        if (inner && c->edges[k + 1].access != ORDER_BARE) text_add(out, "-");
    }
}

static bool is_plain(const struct cycle *c) {
    for (int k = 0; k < c->n; k++) {
        const struct cycle_edge *e = &c->edges[k];
        if (e->access != ORDER_BARE || (!cycle_is_communication(e->kind) && e->kind != CYCLE_PO))
            return false;
    }
    return true;
}

const char *cycle_name(const struct cycle *c, struct arena *a) {
    struct text name = {0};
    struct cycle named;
    int family = find_family(c, &named);
    if (family >= 0)
        text_add(&name, families[family].name);
    else
        add_shape(&named, &name);
    for (int k = 0; k < named.n && !is_plain(&named);) {
        struct text thread = {0};
        k = add_thread(&named, k, &thread);
        if (thread.len) text_printf(&name, "+%s", thread.s);
        text_free(&thread);
    }
    const char *result = arena_strdup(a, name.s);
    text_free(&name);
    return result;
}
