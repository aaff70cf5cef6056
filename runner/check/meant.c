#include "check/meant.h"

#include <string.h>

static const char *space_of(const struct meant *m, const struct op *op) {
    const struct placement *p = m->cell->placement;
    const struct location *l = &m->t->locs[op->place[0].loc];
    const struct space_row *space = &space_rows[l->space];
    bool of_cluster = space->of_block && l->instances == 1 && p->nblocks > 1 && p->nclusters == 1;
    return of_cluster || op->place[0].rank ? ".shared::cluster" : space->ptx;
}

/* Returns what stands for a letter of the row's pattern, such as "o" in "$o". */
static const char *part_of(const struct meant *m, int k, char part) {
    const struct op *op = &m->flow.op[k];
    struct strength s = m->flow.strength[k];
    bool scoped = s.order != ORDER_WEAK && s.order != ORDER_VOLATILE;
    if (part == 's') return space_of(m, op);
    if (part == 'k') return op_cache(op);
    if (part == 'x') return op->red ? "red" : "atom";
    if (part == 't') return arena_printf(m->arena, ".%s", op_ptx_type(op));
    return arena_printf(m->arena, ".%s%s%s", order_name(s.order), scoped ? "." : "",
                        scoped ? scope_ptx(s.scope) : "");
}

/* Adds the name of one PTX instruction without its operands. Register declarations and braces are skipped. */
static void add_meaning(const struct meant *m, int k, const char *s, struct text *out) {
    if (strchr("{}.", *s)) return;
    if (out->len) text_add(out, " ");
    for (; *s && !strchr(" ;\n", *s); s++)
        if (*s == '$')
            text_add(out, part_of(m, k, *++s));
        else
            text_add_n(out, s, 1);
}

/* Returns the instructions that operation k must be (PTX ISA, "ld", "st", "atom", "fence", "barrier"). */
static const char *meaning(const struct meant *m, int k) {
    struct text out = {0};
    for (const char *s = op_rows[m->flow.op[k].name].ptx; s; s = strchr(s, '\n')) {
        s += strspn(s, "\n\t");
        add_meaning(m, k, s, &out);
    }
    const char *all = arena_strdup(m->arena, out.s);
    text_free(&out);
    return all;
}

const char *meant_describe(const struct meant *m, int k) {
    if (k == 0) return "the end of the thread";
    return arena_printf(m->arena, "op %d (%s)", k, m->name[k]);
}

bool meant_problem(struct meant *m, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    text_vprintf(&m->problem, fmt, ap);
    va_end(ap);
    return false;
}

struct meant meant_of(const struct test *t, const struct cell *cell) {
    struct meant m = {.arena = arena_open(), .t = t, .cell = cell};
    m.flow = flow_of(m.arena, t, cell);
    m.name = arena_array(m.arena, (size_t)m.flow.n + 1, sizeof *m.name);
    for (int k = 1; k <= m.flow.n; k++)
        m.name[k] = meaning(&m, k);
    return m;
}

static void list(const struct meant *m, struct text *out) {
    const struct body *body = NULL;
    text_add(out, "what the test means:\n");
    for (int k = 1; k <= m->flow.n; k++) {
        if (m->flow.op[k].body != body) text_printf(out, "  %s\n", m->flow.op[k].body->name);
        body = m->flow.op[k].body;
        if (flow_has(&m->flow, k)) text_printf(out, "    op %-3d %s\n", k, m->name[k]);
    }
}

void meant_report(const struct meant *m, struct diag *d) {
    struct text listings = {0};
    list(m, &listings);
    diag_fail(d, "%s (%s, %s, %s): the compiled code is not the test: %s\n%swhat was compiled:\n%s",
              m->t->name, m->cell->placement->name, access_name(m->cell->access), m->cell->fence->name,
              m->problem.s, listings.s, m->compiled.s ? m->compiled.s : "");
    text_free(&listings);
}

void meant_close(struct meant *m) {
    text_free(&m->problem);
    text_free(&m->compiled);
    arena_close(m->arena);
}
