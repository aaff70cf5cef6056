#include "check/waits.h"

#include <string.h>

#include "check/meant.h"

struct waits_reader {
    struct arena *arena;
    struct meant m;
    const struct sass_kernel *machine;
    const int *operation;
    int *from,
        /* of a search: the instruction from which each was reached, -1: not reached; the instructions that
         * are next */
        *queue;
    struct waits_step *steps;
    int nsteps;
    struct waits_edge *edges;
    int n;
};

static bool is_access(const struct waits_reader *r, int op) {
    return op && op_kinds[r->m.flow.op[op].kind].touches[0];
}

/* ---- the way from an access to the next ---- */

static void go(struct waits_reader *r, int from, int to, int *queued) {
    if (to < 0 || to >= r->machine->n || r->from[to] >= 0) return;
    r->from[to] = from;
    r->queue[(*queued)++] = to;
}

static void go_on(struct waits_reader *r, int i, int *queued) {
    const struct sass_instruction *code = &r->machine->code[i];
    if (code->goes_on) go(r, i, i + 1, queued);
    go(r, i, code->jumps, queued);
    for (int j = 0; code->by_table && j < r->machine->n; j++)
        if (r->machine->code[j].in_table) go(r, i, j, queued);
}

bool waits_is_step(const struct sass_instruction *code) {
    if (sass_is_one_of("MEMBAR UMEMBAR FENCE UFENCE CCTL CCTLL ERRBAR CGAERRBAR DEPBAR", code->name))
        return true;
    return strcmp(code->name, "NOP") == 0 && code->waits;
}

/* Collects the steps on the path by which the search went from instruction i to j. */
static void collect(struct waits_reader *r, int i, int j) {
    int *way = r->queue + r->machine->n, length = 0;
    for (int k = j; k != i; k = r->from[k])
        way[length++] = k;
    way[length++] = i;
    struct waits_step next = {0};
    for (r->nsteps = 0; length-- > 0;) {
        const struct sass_instruction *code = &r->machine->code[way[length]];
        bool begins = way[length] == i;
        next.waits |= begins ? 0 : code->waits;
        next.all = next.all || (!begins && code->waits == SASS_ALL);
        if (!r->operation[way[length]] && !waits_is_step(code)) continue;
        next.code = code;
        next.op = r->operation[way[length]];
        next.access = is_access(r, next.op);
        r->steps[r->nsteps++] = next;
        next = (struct waits_step){0};
    }
}

/* Whether the operations of the steps may follow each other in one run of the body. */
static bool is_of_one_run(const struct waits_reader *r) {
    int last = r->steps[0].op;
    for (int k = 1; k < r->nsteps; k++) {
        int op = r->steps[k].op;
        if (!op || (op == last && k < r->nsteps - 1)) continue;
        if (!flow_follows(&r->m.flow, last, op)) return false;
        last = op;
    }
    return true;
}

/* ---- words ---- */

/* Writes an instruction without what most accesses have: "ld.relaxed.gpu" for "ld.relaxed.gpu.global.s32". */
static void put_ptx(struct text *out, const char *name) {
    static const char *const common[] = {".global", ".s32", ".u32", ".b32"};
    while (*name) {
        size_t len = 1 + strcspn(name + 1, ". "), k = 0;
        while (k < 4 && !(strlen(common[k]) == len && strncmp(name, common[k], len) == 0))
            k++;
        if (k == 4) text_add_n(out, name, len);
        name += len;
    }
}

static const char *ptx_of(const struct waits_reader *r) {
    struct text out = {0};
    for (int k = 0, last = 0; k < r->nsteps; k++) {
        int op = r->steps[k].op;
        if (!op || (op == last && k < r->nsteps - 1)) continue;
        if (out.len) text_add(&out, "; ");
        put_ptx(&out, r->m.name[op]);
        last = op;
    }
    const char *words = arena_strdup(r->arena, out.s);
    text_free(&out);
    return words;
}

/* Whether step k waits for an earlier one to end. A store that has read its operands has not ended. */
static bool waits_for(const struct waits_step *steps, int k, int earlier) {
    const struct waits_step *s = &steps[earlier];
    unsigned sets = s->code->results | (s->access ? 0 : s->code->reads);
    return (steps[k].waits & sets) != 0;
}

/* Writes "LDG" for "LDG.E.STRONG.GPU". */
static void put_kind(struct text *out, const char *name) {
    text_add_n(out, name, strcspn(name, "."));
}

static void put_awaited(const struct waits_step *steps, int k, struct text *out) {
    const char *before = ", which waits for ";
    if (steps[k].all) text_printf(out, "%sall", before);
    for (int i = 0; i < k && !steps[k].all; i++) {
        if (!waits_for(steps, k, i)) continue;
        text_add(out, before);
        put_kind(out, steps[i].code->name);
        before = " and ";
    }
}

const char *waits_words(struct arena *a, const struct waits_step *steps, int n) {
    struct text out = {0};
    for (int k = 0; k < n; k++) {
        if (out.len) text_add(&out, "; ");
        text_add(&out, steps[k].code->name);
        put_awaited(steps, k, &out);
    }
    const char *words = arena_strdup(a, n ? out.s : "");
    text_free(&out);
    return words;
}

/* Returns what is waited for before the second access begins, by it or by a step before it. */
static const char *awaited_of(const struct waits_reader *r) {
    bool all = false, first = false, fence = false;
    for (int k = 1; k < r->nsteps; k++) {
        all = all || r->steps[k].all;
        first = first || waits_for(r->steps, k, 0);
        for (int i = 1; i < k; i++)
            fence = fence || waits_for(r->steps, k, i);
    }
    bool loads = op_kinds[r->m.flow.op[r->steps[0].op].kind].returns;
    if (all) return "every scoreboard, so for all loads under way";
    if (first)
        return fence ? "the scoreboards of the first access and of the fence"
                     : "the scoreboard of the first access";
    if (!fence) return "no scoreboard of these";
    return loads ? "the scoreboard of the fence, not for that of the first access"
                 : "the scoreboard of the fence";
}

/* ---- edges ---- */

static void add_edge(struct waits_reader *r) {
    struct waits_edge edge = {ptx_of(r), waits_words(r->arena, r->steps, r->nsteps), awaited_of(r)};
    for (int k = 0; k < r->n; k++)
        if (strcmp(r->edges[k].ptx, edge.ptx) == 0 && strcmp(r->edges[k].machine, edge.machine) == 0) return;
    r->edges = arena_more(r->arena, r->edges, (size_t)r->n, sizeof *r->edges);
    r->edges[r->n++] = edge;
}

/* Finds the accesses that may come next behind instruction i. Where control reaches another body, this run of
 * the body has ended. */
static void find_edges(struct waits_reader *r, int i) {
    const struct op *op = r->m.flow.op;
    int queued = 0;
    for (int k = 0; k < r->machine->n; k++)
        r->from[k] = -1;
    r->from[i] = i;
    go_on(r, i, &queued);
    for (int next = 0; next < queued; next++) {
        int j = r->queue[next], b = r->operation[j];
        if (b && op[b].body != op[r->operation[i]].body) continue;
        if (!is_access(r, b)) {
            go_on(r, j, &queued);
            continue;
        }
        collect(r, i, j);
        if (is_of_one_run(r)) add_edge(r);
    }
}

int waits_edges(struct arena *a, const struct test *t, const struct cell *cell,
                const struct sass_kernel *machine, const int *operation, struct waits_edge **out) {
    size_t n = (size_t)machine->n;
    struct waits_reader r = {.arena = a, .m = meant_of(t, cell), .machine = machine, .operation = operation};
    struct arena *scratch = arena_open();
    r.from = arena_array(scratch, n, sizeof *r.from);
    r.queue = arena_array(scratch, 2 * n + 1, sizeof *r.queue);
    r.steps = arena_array(scratch, n + 1, sizeof *r.steps);
    for (int i = 0; i < machine->n; i++)
        if (is_access(&r, operation[i])) find_edges(&r, i);
    arena_close(scratch);
    meant_close(&r.m);
    *out = r.edges;
    return r.n;
}
