#include <string.h>

#include "check/listing.h"
#include "check/meant.h"
#include "check/verify.h"

struct ptx_check {
    struct meant m;
    struct listed_kernel kernel;
    struct ways *ways;
    int *copy; /* of each instruction, and of the kernel's end: which copy of an operation it is; 0: none */
};

/* Checks that every numbered instruction is the one that its operation names. */
static bool check_instructions(struct ptx_check *c) {
    for (int i = 0; i < c->kernel.n; i++) {
        const struct listed *code = &c->kernel.code[i];
        if (code->op == 0) continue;
        if (code->op < 0 || code->op > c->m.flow.n || !flow_has(&c->m.flow, code->op))
            return meant_problem(&c->m, "line %d is %s for op %d, which this cell does not have", code->line,
                                 code->name, code->op);
        if (strcmp(code->name, c->m.name[code->op]) != 0)
            return meant_problem(&c->m, "line %d is %s where op %d is %s", code->line, code->name, code->op,
                                 c->m.name[code->op]);
    }
    return true;
}

static void number_copies(struct ptx_check *c) {
    int n = 0;
    c->copy = arena_array(c->m.arena, (size_t)c->kernel.n + 1, sizeof *c->copy);
    for (int i = 0; i < c->kernel.n; i++)
        if (c->kernel.code[i].op) c->copy[i] = ++n;
    *c->ways = ways_new(n);
    for (int i = 0; i < c->kernel.n; i++)
        if (c->copy[i]) c->ways->op[c->copy[i]] = c->kernel.code[i].op;
}

static bool check_presence(struct ptx_check *c) {
    bool *has = arena_array(c->m.arena, (size_t)c->m.flow.n + 1, sizeof *has);
    for (int i = 0; i < c->kernel.n; i++)
        has[c->kernel.code[i].op] = true;
    for (int k = 1; k <= c->m.flow.n; k++)
        if (c->m.flow.must[k] && !has[k])
            return meant_problem(&c->m, "%s is missing", meant_describe(&c->m, k));
    return true;
}

/* Checks one step: control goes from instruction `from` to `to` (the kernel's end is the number of
 * instructions) with no other operation between. If `extra` >= 0, that instruction between them accesses
 * memory. */
static bool check_step(struct ptx_check *c, int from, int to, int extra) {
    int a = from < 0 ? 0 : c->kernel.code[from].op, b = to < c->kernel.n ? c->kernel.code[to].op : 0;
    const struct flow *f = &c->m.flow;
    c->ways->next[(from < 0 ? 0 : c->copy[from]) * (c->ways->n + 1) + c->copy[to]] = true;
    if (a == 0)
        return b == 0 || flow_follows(f, 0, b) ||
               meant_problem(&c->m, "a thread begins with %s", meant_describe(&c->m, b));
    if (!flow_may_follow(f, a, b))
        return meant_problem(&c->m, "%s (line %d) is followed by %s, which the program does not allow",
                             meant_describe(&c->m, a), c->kernel.code[from].line, meant_describe(&c->m, b));
    bool same_run = !(flow_follows(f, a, 0) && (b == 0 || flow_follows(f, 0, b)));
    if (same_run && extra >= 0)
        return meant_problem(&c->m, "%s (line %d) stands between %s and %s", c->kernel.code[extra].name,
                             c->kernel.code[extra].line, meant_describe(&c->m, a), meant_describe(&c->m, b));
    return true;
}

/* Follows control from an operation (-1: the kernel's begin) to all operations that may come next. Each
 * instruction is visited at most twice: with and without another access before it. */
static bool check_successors(struct ptx_check *c, int from) {
    int n = c->kernel.n, depth = 0;
    struct arena *scratch = arena_open();
    bool *seen = arena_array(scratch, 2 * (size_t)n + 2, sizeof *seen), fine = true;
    struct visit {
        int at, extra;
    } *stack = arena_array(scratch, 2 * (size_t)n + 2, sizeof *stack);
    const int begin = 0, *next = from < 0 ? &begin : c->kernel.code[from].next;
    int nnext = from < 0 ? 1 : c->kernel.code[from].nnext, extra = -1;
    for (;;) {
        for (int k = 0; k < nnext; k++) {
            bool *mark = &seen[2 * next[k] + (extra >= 0)];
            if (!*mark) stack[depth++] = (struct visit){next[k], extra};
            *mark = true;
        }
        if (depth == 0 || !fine) break;
        struct visit v = stack[--depth];
        bool stops = v.at == n || c->kernel.code[v.at].op != 0;
        if (stops) fine = check_step(c, from, v.at, v.extra);
        next = stops ? NULL : c->kernel.code[v.at].next;
        nnext = stops ? 0 : c->kernel.code[v.at].nnext;
        extra = v.extra >= 0 || stops || !c->kernel.code[v.at].memory ? v.extra : v.at;
    }
    arena_close(scratch);
    return fine;
}

static bool check_order(struct ptx_check *c) {
    bool fine = check_successors(c, -1);
    for (int i = 0; i < c->kernel.n && fine; i++)
        if (c->kernel.code[i].op) fine = check_successors(c, i);
    return fine;
}

static void list(struct ptx_check *c) {
    struct text *out = &c->m.compiled;
    for (int i = 0; i < c->kernel.n; i++) {
        const struct listed *code = &c->kernel.code[i];
        if (!code->memory && code->op == 0) continue;
        text_printf(out, "  line %-5d %s", code->line, code->name);
        if (code->op) text_printf(out, "  op %d", code->op);
        text_add(out, "\n");
    }
}

bool verify_ptx(const struct test *t, const struct cell *cell, const char *ptx, struct ways *ways,
                struct diag *d) {
    struct ways own = {0};
    struct ptx_check c = {.m = meant_of(t, cell), .ways = ways ? ways : &own};
    c.kernel = listing_read(c.m.arena, ptx, "litmus");
    bool fine = c.kernel.n > 0 || meant_problem(&c.m, "there is no kernel 'litmus', or it cannot be read");
    fine = fine && check_instructions(&c);
    if (fine) number_copies(&c);
    fine = fine && check_presence(&c) && check_order(&c);
    if (!fine) {
        list(&c);
        meant_report(&c.m, d);
    }
    ways_free(&own);
    meant_close(&c.m);
    return fine;
}
