/* Writes a cycle as a test. */
#include <string.h>

#include "cycle/cycle.h"

struct cycle_writer {
    const struct cycle *c;
    const struct cycle_plan *p;
    int reg[CYCLE_MAX]; /* of each read: its register */
    struct text *out;
};

static const char *location_name(int loc) {
    static const char names[] = "X\0Y\0Z\0A\0B\0C\0D\0E\0F\0G\0H\0I\0J\0K\0L\0M";
    return names + 2 * loc;
}

/* Writes "X", "Y[1]", or "Y[r0]" where the address depends on a value. */
static void add_place(const struct cycle_writer *w, int k) {
    int loc = w->p->loc[k], before = (k + w->c->n - 1) % w->c->n;
    text_add(w->out, location_name(loc));
    if (w->c->edges[before].kind == CYCLE_ADDR)
        text_printf(w->out, "[r%d & %d]", w->reg[before], CYCLE_ELEMENTS - 1);
    else if (w->p->element[loc] >= 0)
        text_printf(w->out, "[%d]", w->p->element[loc]);
}

static void add_strength(const struct cycle_writer *w, const struct cycle_edge *e) {
    text_printf(w->out, ", %s", order_name(e->access));
    if (e->access_scope != SCOPE_NONE) text_printf(w->out, ", %s", scope_name(e->access_scope));
}

static void add_read(const struct cycle_writer *w, int k, bool declared) {
    const struct cycle_edge *e = &w->c->edges[k];
    text_printf(w->out, "%sr%d = %s", declared ? "" : "int ", w->reg[k],
                e->access != ORDER_BARE ? "load(" : "");
    add_place(w, k);
    if (e->access != ORDER_BARE) {
        add_strength(w, e);
        text_add(w->out, ")");
    }
}

/* If data dependencies close a circle, each value is computed from itself, and no value is determined. Then
 * one write writes a number that a branch chooses by what was read. Returns that write: the first whose value
 * goes to another thread. -1: there is no circle. */
static int find_chosen(const struct cycle *c) {
    int chosen = -1;
    for (int k = 0; k < c->n; k++) {
        if (c->edges[k].kind != CYCLE_DATA && c->edges[k].kind != CYCLE_RF) return -1;
        if (chosen < 0 && c->edges[k].kind == CYCLE_RF && c->edges[k].external) chosen = k;
    }
    return chosen;
}

/* Writes what a write stores. With a data dependency it is the value that was read plus the difference to the
 * wanted value, or the variable of add_choice(). */
static void add_value(const struct cycle_writer *w, int k) {
    int before = (k + w->c->n - 1) % w->c->n, more = w->p->value[k] - w->p->value[before];
    if (w->c->edges[before].kind != CYCLE_DATA)
        text_printf(w->out, "%d", w->p->value[k]);
    else if (k == find_chosen(w->c))
        text_printf(w->out, "v%d", w->reg[before]);
    else if (more == 0)
        text_printf(w->out, "r%d", w->reg[before]);
    else
        text_printf(w->out, "r%d %c %d", w->reg[before], more < 0 ? '-' : '+', more < 0 ? -more : more);
}

static void add_write(const struct cycle_writer *w, int k) {
    const struct cycle_edge *e = &w->c->edges[k];
    if (e->access != ORDER_BARE) text_add(w->out, "store(");
    add_place(w, k);
    text_add(w->out, e->access != ORDER_BARE ? ", " : " = ");
    add_value(w, k);
    if (e->access == ORDER_BARE) return;
    add_strength(w, e);
    text_add(w->out, ")");
}

/* Writes the choice of such a number: "int v0 = 3; if (r0 == 1) v0 = 1;". */
static void add_choice(const struct cycle_writer *w, int k) {
    int before = (k + w->c->n - 1) % w->c->n, reg = w->reg[before], wanted = w->p->value[k];
    if (k != find_chosen(w->c)) return;
    text_printf(w->out, "    int v%d = %d;\n    if (r%d == %d) v%d = %d;\n", reg, wanted + w->c->n, reg,
                w->p->value[before], reg, wanted);
}

/* Writes one access; with a control dependency, in a branch that depends on the value read before. */
static void add_access(const struct cycle_writer *w, int k) {
    int before = (k + w->c->n - 1) % w->c->n;
    bool branch = w->c->edges[before].kind == CYCLE_CTRL, read = !w->c->edges[k].write;
    add_choice(w, k);
    text_add(w->out, "    ");
    if (branch && read) text_printf(w->out, "int r%d = -1;\n    ", w->reg[k]);
    if (branch) text_printf(w->out, "if (r%d == %d) ", w->reg[before], w->p->value[before]);
    if (read)
        add_read(w, k, branch);
    else
        add_write(w, k);
    text_add(w->out, ";\n");
}

static void add_fence(const struct cycle_writer *w, const struct cycle_edge *e) {
    if (e->kind != CYCLE_FENCE) return;
    if (e->order == ORDER_BARE)
        text_add(w->out, "    fence();\n");
    else
        text_printf(w->out, "    atomic_thread_fence(%s, %s);\n", order_name(e->order), scope_name(e->scope));
}

static void add_memory(const struct cycle_writer *w) {
    text_add(w->out, "memory: {");
    for (int loc = 0; loc < w->p->nlocs; loc++) {
        text_printf(w->out, "%s%s: ", loc ? ", " : "", location_name(loc));
        if (w->p->element[loc] < 0)
            text_add(w->out, "0");
        else
            text_printf(w->out, "{count: %d}", CYCLE_ELEMENTS);
    }
    text_add(w->out, "}\n");
}

static void add_threads(struct cycle_writer *w) {
    int thread = -1, reg = 0;
    text_add(w->out, "threads:\n");
    for (int k = 0; k < w->c->n; k++) {
        if (!w->c->edges[k].write) w->reg[k] = reg++;
        if (w->p->thread[k] != thread) text_printf(w->out, "  T%d: |\n", thread = w->p->thread[k]);
        add_access(w, k);
        add_fence(w, &w->c->edges[k]);
    }
}

/* Writes the condition: each read has its value, and each location with several writes has the last one. */
static void add_condition(const struct cycle_writer *w) {
    const char *and = "";
    text_add(w->out, "exists: ");
    for (int k = 0; k < w->c->n; k++) {
        if (w->c->edges[k].write) continue;
        text_printf(w->out, "%sr%d == %d", and, w->reg[k], w->p->value[k]);
        and = " && ";
    }
    for (int loc = 0; loc < w->p->nlocs; loc++) {
        if (w->p->writes[loc] < 2) continue;
        text_printf(w->out, "%s%s", and, location_name(loc));
        if (w->p->element[loc] >= 0) text_printf(w->out, "[%d]", w->p->element[loc]);
        text_printf(w->out, " == %d", w->p->writes[loc]);
        and = " && ";
    }
    text_add(w->out, "\n");
}

/* Writes a layout such as "T0 T2 | T1", or the test format's word for all threads together or all apart. */
static void add_layout(const int *block, int nthreads, int nblocks, struct text *out) {
    if (nblocks == 1 || nblocks == nthreads) {
        text_add(out, nblocks == 1 ? "block" : "device");
        return;
    }
    for (int b = 0; b < nblocks; b++) {
        if (b > 0) text_add(out, " |");
        for (int t = 0; t < nthreads; t++)
            if (block[t] == b) text_printf(out, "%sT%d", b || t ? " " : "", t);
    }
}

/* Writes all ways to seat threads `t` and later into blocks, with the earlier ones seated. */
static void add_layouts(int *block, int t, int nblocks, int nthreads, const char **comma, struct text *out) {
    if (t == nthreads) {
        text_add(out, *comma);
        add_layout(block, nthreads, nblocks, out);
        *comma = ", ";
        return;
    }
    for (block[t] = 0; block[t] <= nblocks; block[t]++)
        add_layouts(block, t + 1, nblocks + (block[t] == nblocks), nthreads, comma, out);
}

void cycle_write(const struct cycle *c, const char *name, struct text *out) {
    struct cycle_plan p;
    const char *why, *comma = "";
    int block[CYCLE_MAX];
    if (!cycle_plan(c, &p, &why)) return;
    struct cycle_writer w = {.c = c, .p = &p, .out = out};
    text_printf(out, "name: %s\ndoc: \"", name);
    cycle_print(c, out);
    text_add(out, "\"\n");
    add_memory(&w);
    add_threads(&w);
    add_condition(&w);
    text_add(out, "placements: [");
    if (p.nthreads <= CYCLE_MAX_LAID_OUT)
        add_layouts(block, 0, 0, p.nthreads, &comma, out);
    else
        text_add(out, "block, device");
    text_add(out, "]\n");
}
