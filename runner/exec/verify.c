#include "exec/verify.h"

#include <string.h>

#include "base/text.h"
#include "exec/flow.h"
#include "exec/ptx.h"

struct check {
    struct arena *arena;
    const struct test *t;
    const struct variant *v;
    struct flow flow;
    const char **meant; /* the instruction of each operation */
    struct ptx_kernel kernel;
    struct text problem; /* empty: none so far */
};

/* ---- what the test means ---- */

static const char *space_of(const struct check *c, const struct op *op) {
    const struct placement *p = c->v->placement;
    if (c->t->locs[op->loc].space != SPACE_SHARED) return ".global";
    return p->nblocks > 1 && p->nclusters == 1 ? ".shared::cluster" : ".shared";
}

static const char *rmw_of(enum rmw_fn fn) {
    static const char *const ptx[] = {
#define RMW(name, cuda, generic, op, type, expr) op "." type,
#include "test/ops.def"
#undef RMW
    };
    return fn == RMW_SUB ? ptx[RMW_ADD] : ptx[fn]; /* of the negated value: PTX has no atom.sub */
}

/* The instruction that operation k has to be (PTX ISA, "ld", "st", "atom", "fence", "barrier"). */
static const char *meaning(const struct check *c, int k) {
    static const char *const barriers[] = {"bar.warp.sync", "barrier.sync",
                                           "barrier.cluster.arrive barrier.cluster.wait"};
    const struct op *op = c->flow.op[k];
    struct strength s = c->flow.strength[k];
    bool scoped = s.order != ORDER_WEAK && s.order != ORDER_VOLATILE;
    const char *strength = arena_printf(c->arena, "%s%s%s", order_name(s.order), scoped ? "." : "",
                                        scoped ? scope_ptx(s.scope) : "");
    switch (op->kind) {
    case OP_LOAD: return arena_printf(c->arena, "ld.%s%s.s32", strength, space_of(c, op));
    case OP_STORE: return arena_printf(c->arena, "st.%s%s.s32", strength, space_of(c, op));
    case OP_RMW: return arena_printf(c->arena, "atom.%s%s.%s", strength, space_of(c, op), rmw_of(op->fn));
    case OP_FENCE: return arena_printf(c->arena, "fence.%s", strength);
    case OP_BARRIER: return barriers[op->barrier];
    }
    return "";
}

/* ---- what was compiled ---- */

static const char *describe(const struct check *c, int k) {
    if (k == 0) return "the end of the thread";
    return arena_printf(c->arena, "op %d (%s)", k, c->meant[k]);
}

static bool problem(struct check *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static bool problem(struct check *c, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    text_vprintf(&c->problem, fmt, ap);
    va_end(ap);
    return false;
}

/* Every numbered instruction is what its operation names. */
static bool check_instructions(struct check *c) {
    for (int i = 0; i < c->kernel.n; i++) {
        const struct ptx_instruction *code = &c->kernel.code[i];
        if (code->op == 0) continue;
        if (code->op < 0 || code->op > c->flow.n || !flow_has(&c->flow, code->op))
            return problem(c, "line %d is %s for op %d, which this cell does not have", code->line,
                           code->name, code->op);
        if (strcmp(code->name, c->meant[code->op]) != 0)
            return problem(c, "line %d is %s where op %d is %s", code->line, code->name, code->op,
                           c->meant[code->op]);
    }
    return true;
}

static bool check_presence(struct check *c) {
    bool *there = arena_array(c->arena, (size_t)c->flow.n + 1, sizeof *there);
    for (int i = 0; i < c->kernel.n; i++)
        there[c->kernel.code[i].op] = true;
    for (int k = 1; k <= c->flow.n; k++)
        if (c->flow.must[k] && !there[k]) return problem(c, "%s is missing", describe(c, k));
    return true;
}

/* May b be the next operation after a, in the same run of a body or in the thread's next one? */
static bool may_follow(const struct flow *f, int a, int b) {
    return flow_follows(f, a, b) || (flow_follows(f, a, 0) && (b == 0 || flow_follows(f, 0, b)));
}

/* Control came from instruction `from` to `to` (the kernel's end: its number of instructions) without another
 * operation between, but with another access where `extra` >= 0. */
static bool check_step(struct check *c, int from, int to, int extra) {
    int a = from < 0 ? 0 : c->kernel.code[from].op, b = to < c->kernel.n ? c->kernel.code[to].op : 0;
    const struct flow *f = &c->flow;
    if (a == 0)
        return b == 0 || flow_follows(f, 0, b) || problem(c, "a thread begins with %s", describe(c, b));
    if (!may_follow(f, a, b))
        return problem(c, "%s (line %d) is followed by %s, which the program does not allow", describe(c, a),
                       c->kernel.code[from].line, describe(c, b));
    bool same_run = !(flow_follows(f, a, 0) && (b == 0 || flow_follows(f, 0, b)));
    if (same_run && extra >= 0)
        return problem(c, "%s (line %d) stands between %s and %s", c->kernel.code[extra].name,
                       c->kernel.code[extra].line, describe(c, a), describe(c, b));
    return true;
}

/* Follows control from an operation (-1: the kernel's begin) to the next ones. An instruction is looked at
 * twice at most: as reached without another access since, and with one. */
static bool check_successors(struct check *c, int from) {
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

static bool check_order(struct check *c) {
    bool fine = check_successors(c, -1);
    for (int i = 0; i < c->kernel.n && fine; i++)
        if (c->kernel.code[i].op) fine = check_successors(c, i);
    return fine;
}

/* ---- both listings ---- */

static void list_meant(const struct check *c, struct text *out) {
    const struct body *body = NULL;
    text_add(out, "what the test means:\n");
    for (int k = 1; k <= c->flow.n; k++) {
        if (c->flow.body[k] != body) text_printf(out, "  %s\n", c->flow.body[k]->name);
        body = c->flow.body[k];
        if (flow_has(&c->flow, k)) text_printf(out, "    op %-3d %s\n", k, c->meant[k]);
    }
}

static void list_compiled(const struct check *c, struct text *out) {
    text_add(out, "what was compiled:\n");
    for (int i = 0; i < c->kernel.n; i++) {
        const struct ptx_instruction *code = &c->kernel.code[i];
        if (!code->memory && code->op == 0) continue;
        text_printf(out, "  line %-5d %s", code->line, code->name);
        if (code->op) text_printf(out, "  op %d", code->op);
        text_add(out, "\n");
    }
}

static void report(const struct check *c, struct diag *d) {
    struct text listings = {0};
    list_meant(c, &listings);
    list_compiled(c, &listings);
    diag_fail(d, "%s (%s, %s, %s): the compiled code is not the test: %s\n%s", c->t->name,
              c->v->placement->name, access_name(c->v->access), c->v->fence->name, c->problem.s, listings.s);
    text_free(&listings);
}

bool verify_ptx(const struct test *t, const struct variant *v, const char *ptx, struct diag *d) {
    struct check c = {.arena = arena_open(), .t = t, .v = v};
    c.flow = flow_of(c.arena, t, v);
    c.meant = arena_array(c.arena, (size_t)c.flow.n + 1, sizeof *c.meant);
    for (int k = 1; k <= c.flow.n; k++)
        c.meant[k] = meaning(&c, k);
    c.kernel = ptx_read(c.arena, ptx, "litmus");
    bool fine = c.kernel.n > 0 || problem(&c, "there is no kernel 'litmus'");
    fine = fine && check_instructions(&c) && check_presence(&c) && check_order(&c);
    if (!fine) report(&c, d);
    text_free(&c.problem);
    arena_close(c.arena);
    return fine;
}
