#include <string.h>

#include "check/machine.h"

/* A view is the part of a body's operations whose order must be kept: those of one state space. The assembler
 * moves an access past accesses of the other state space. PTX permits that, since they are of different
 * locations, and only fences, acquires and releases order those. So these are in both views. */
struct view {
    struct machine *c;
    const struct body *body;
    bool shared; /* the view is of shared memory; else of global memory */
    bool *has;   /* of each operation: it is in the view */
    bool *next;  /* as c->ways->next, but between copies in the view, with those outside it skipped */
    bool *
        /* [(i + 1) * (c->ways->n + 1) + p]: instruction i may be copy p of an operation; i = -1 is the
         * kernel's begin */
        may;
    bool *begun; /* [i + 1]: it is known which copies instruction i may be */
};

/* ---- what is in view ---- */

/* Whether an operation is in no view. The assembler treats what a load through the read-only proxy reads as
 * constant, and moves the load freely. It makes a fence of the alias proxy into several instructions, on
 * alternative paths. It may make a 64-bit atomic in shared memory into a loop, which ends early if there is
 * nothing to change. */
static bool is_loose(const struct machine *c, int k) {
    const struct op *op = &c->m.flow.op[k];
    bool alias = op->kind == OP_FENCE && op_rows[op->name].proxy == PROXY_ALIAS;
    if (!op_kinds[op->kind].touches[0]) return alias || machine_is_silent(&c->m.flow, k);
    bool shared = c->m.t->locs[op->place[0].loc].space == SPACE_SHARED;
    return op_rows[op->name].proxy != PROXY_GENERIC || (op->kind == OP_RMW && shared && op->type.bits == 64);
}

/* Whether operation k belongs to the view of a state space. */
static bool is_about(const struct machine *c, int k, bool shared) {
    const struct op *op = &c->m.flow.op[k];
    enum order order = c->m.flow.strength[k].order;
    unsigned spaces = op_rows[op->name].spaces, of_shared = 1u << SPACE_SHARED;
    if (op->kind == OP_FENCE && spaces) return spaces & (shared ? of_shared : ~of_shared);
    if (!op_kinds[op->kind].touches[0]) return true;
    if (order != ORDER_WEAK && order != ORDER_VOLATILE && order != ORDER_RELAXED) return true;
    for (int p = 0; p < OP_PLACES; p++)
        if (op_kinds[op->kind].touches[p] && (c->m.t->locs[op->place[p].loc].space == SPACE_SHARED) == shared)
            return true;
    return false;
}

static bool is_in_view(const struct view *v, int i) {
    return machine_is_operation(v->c, i) && v->has[v->c->op[i]];
}

/* Sets `next` for copy `from`: searches the PTX's ways for the copies in the view that may come next, past
 * copies outside it. */
static void look_past(struct view *v, int from, int *stack, bool *seen) {
    const struct ways *w = v->c->ways;
    size_t row = (size_t)w->n + 1;
    int depth = 0;
    memset(seen, 0, row);
    for (int at = from;;) {
        for (int p = 0; p <= w->n; p++) {
            if (!w->next[(size_t)at * row + (size_t)p] || seen[p]) continue;
            seen[p] = true;
            if (p == 0 || v->has[w->op[p]])
                v->next[(size_t)from * row + (size_t)p] = true;
            else
                stack[depth++] = p;
        }
        if (depth == 0) break;
        at = stack[--depth];
    }
}

/* Fills in the view. Returns false if no operation is in it. */
static bool view_open(struct view *v, struct arena *a) {
    const struct ways *w = v->c->ways;
    size_t row = (size_t)w->n + 1, n = (size_t)v->c->kernel.n + 1;
    bool any = false;
    v->has = arena_array(a, (size_t)v->c->m.flow.n + 1, sizeof *v->has);
    for (int k = 1; k <= v->c->m.flow.n; k++) {
        v->has[k] = v->c->m.flow.op[k].body == v->body && !is_loose(v->c, k) && is_about(v->c, k, v->shared);
        any = any || v->has[k];
    }
    if (!any) return false;
    int *stack = arena_array(a, row, sizeof *stack);
    bool *seen = arena_array(a, row, sizeof *seen);
    v->next = arena_array(a, row * row, sizeof *v->next);
    v->may = arena_array(a, n * row, sizeof *v->may);
    v->begun = arena_array(a, n, sizeof *v->begun);
    look_past(v, 0, stack, seen);
    for (int p = 1; p <= w->n; p++)
        if (v->has[w->op[p]]) look_past(v, p, stack, seen);
    v->may[0] = v->begun[0] = true;
    return true;
}

/* ---- ways of control in machine code ---- */

/* Whether two instructions have different guards, so that they may be on different branches. */
static bool differ_in_guard(const struct sass_instruction *x, const struct sass_instruction *y) {
    return *x->guard && *y->guard && strcmp(x->guard, y->guard) != 0;
}

/* Whether control may fall through a conditional jump after instruction x ran. It may not if both have the
 * same guard: then the jump is taken. */
static bool may_pass(const struct sass_instruction *x, const struct sass_instruction *jump) {
    return !*x->guard || strcmp(x->guard, jump->guard) != 0;
}

/* A search for the operations in the view that may come next after an instruction. `all` finds every
 * operation that might; it follows every target that is possible. Otherwise the search finds those that
 * certainly come next on some path: it does not go on behind a return, nor behind a BSYNC unless the place
 * where the lanes meet is right behind it, and it ignores instructions whose guard differs from that of
 * `from`. */
struct lookahead {
    struct view *v;
    bool all;
    int from; /* the instruction where it starts; -1: the kernel's begin */
    int *stack, depth;
    /* seen: on the stack, now or before; left: control comes here from the line of `from`'s operation */
    bool *seen, *left;
};

static const struct sass_instruction *ahead_begin(const struct lookahead *w) {
    static const struct sass_instruction begin = {.guard = ""};
    return w->from < 0 ? &begin : &w->v->c->kernel.code[w->from];
}

static void ahead_to(struct lookahead *w, int i) {
    if (i >= w->v->c->kernel.n || w->seen[i]) return;
    w->seen[i] = true;
    w->stack[w->depth++] = i;
}

/* Puts all instructions to which control may go from instruction i on the stack. */
static void ahead_on(struct lookahead *w, int i) {
    const struct sass_kernel *kernel = &w->v->c->kernel;
    const struct sass_instruction *code = &kernel->code[i], *from = ahead_begin(w);
    if (code->jumps >= 0 && (w->all || !differ_in_guard(from, code))) ahead_to(w, code->jumps);
    if (code->goes_on && (w->all || code->jumps < 0 || may_pass(from, code))) ahead_to(w, i + 1);
    for (int j = 0; code->by_table && j < kernel->n; j++)
        if (kernel->code[j].in_table) ahead_to(w, j);
    bool lost = w->all && code->strays && (!code->goes_on || *code->guard);
    for (int j = 0; lost && j < kernel->n; j++) {
        const char *lands = kernel->code[j].lands;
        if (lands && (strcmp(lands, code->strays) == 0 || *lands == '*')) ahead_to(w, j);
    }
}

/* Whether instruction j still does the operation of instruction i, when control reaches it without leaving
 * the operation's line. The assembler makes loops of atomics and of stores of zeros, and several
 * instructions, a turn for each lane, of an operation on an mbarrier. */
static bool is_same_turn(const struct machine *c, int i, int j) {
    int k = c->op[i];
    enum op_kind kind = c->m.flow.op[k].kind;
    if (c->op[j] != k) return false;
    bool loops = kind == OP_RMW || kind == OP_CLEAR;
    return !machine_is_operation(c, j) || op_kinds[kind].mbarrier || (loops && j == i);
}

/* Starts the search at the instructions where control leaves the operation of `from`. */
static void ahead_out(struct lookahead *w) {
    size_t n = (size_t)w->v->c->kernel.n;
    w->depth = 0;
    memset(w->seen, 0, n * sizeof *w->seen);
    memset(w->left, 0, n * sizeof *w->left);
    if (w->from < 0)
        ahead_to(w, 0);
    else
        ahead_on(w, w->from);
    while (w->depth > 0) {
        int j = w->stack[--w->depth];
        w->left[j] = w->from < 0 || !is_same_turn(w->v->c, w->from, j);
        if (!w->left[j]) ahead_on(w, j);
    }
    memset(w->seen, 0, n * sizeof *w->seen);
    for (size_t j = 0; j < n; j++)
        if (w->left[j]) ahead_to(w, (int)j);
}

/* Returns the next operation in the view; -1: there are no more. */
static int ahead_next(struct lookahead *w) {
    while (w->depth > 0) {
        int j = w->stack[--w->depth];
        const struct sass_instruction *code = &w->v->c->kernel.code[j];
        bool operation = is_in_view(w->v, j);
        if (!operation || (w->all && *code->guard)) ahead_on(w, j);
        if (operation && (w->all || !differ_in_guard(ahead_begin(w), code))) return j;
    }
    return -1;
}

static struct lookahead ahead_new(struct view *v, struct arena *a, bool all) {
    size_t n = (size_t)v->c->kernel.n;
    return (struct lookahead){.v = v,
                              .all = all,
                              .stack = arena_array(a, n, sizeof(int)),
                              .seen = arena_array(a, n, sizeof(bool)),
                              .left = arena_array(a, n, sizeof(bool))};
}

/* ---- what comes next ---- */

/* What a second instruction is to a first one before it: it may not follow it, continues its operation, or is
 * another operation. */
enum step { STEP_WRONG, STEP_SAME, STEP_NEXT };

/* Classifies instruction j behind instruction i (-1: the begin). The end of an operation must follow its
 * begin, and nothing else may follow the begin of an operation that has an end. */
static enum step step_to(const struct view *v, int i, int j) {
    const struct machine *c = v->c;
    const struct op *b = &c->m.flow.op[c->op[j]];
    enum machine_part part = machine_part(b, c->kernel.code[j].name);
    if (i < 0) return part == PART_LAST ? STEP_WRONG : STEP_NEXT;
    const struct op *a = &c->m.flow.op[c->op[i]];
    bool begun = op_rows[a->name].machine_end && machine_part(a, c->kernel.code[i].name) == PART_FIRST;
    if (part == PART_LAST || begun) return a == b ? STEP_SAME : STEP_WRONG;
    /* the fence of a release may stand on the line of another fence */
    return a == b && (part == PART_MET || b->kind == OP_FENCE) ? STEP_SAME : STEP_NEXT;
}

/* Adds to what instruction j may be: all copies that may follow in the PTX one that instruction i may be.
 * Returns false if there are none. Sets *grown if j may be more copies than before. */
static bool follow(struct view *v, int i, int j, bool *grown) {
    const struct ways *w = v->c->ways;
    size_t row = (size_t)w->n + 1;
    bool *of_j = v->may + (size_t)(j + 1) * row, fits = false;
    const bool *of_i = v->may + (size_t)(i + 1) * row;
    enum step step = step_to(v, i, j);
    for (size_t p = 0; p < row && step != STEP_WRONG; p++) {
        if (!of_i[p]) continue;
        for (size_t q = 1; q < row; q++) {
            bool next = (v->next[p * row + q] && w->op[q] == v->c->op[j]) || (step == STEP_SAME && q == p);
            if (!next) continue;
            fits = true;
            *grown = *grown || !of_j[q];
            of_j[q] = v->begun[j + 1] = true;
        }
    }
    return fits;
}

/* Repeats this for all instructions and those that follow them, until nothing grows. */
static void spread(struct view *v, struct lookahead *w) {
    for (bool grown = true; grown;) {
        grown = false;
        for (int i = -1; i < v->c->kernel.n; i++) {
            if (!v->begun[i + 1] || (i >= 0 && !is_in_view(v, i))) continue;
            w->from = i;
            ahead_out(w);
            for (int j; (j = ahead_next(w)) >= 0;)
                follow(v, i, j, &grown);
        }
    }
}

/* Lets each instruction in the view that was not reached be any copy of its operation. */
static void begin_anywhere(struct view *v) {
    const struct ways *w = v->c->ways;
    for (int i = 0; i < v->c->kernel.n; i++) {
        if (v->begun[i + 1] || !is_in_view(v, i)) continue;
        for (int p = 1; p <= w->n; p++)
            v->may[(i + 1) * (w->n + 1) + p] = w->op[p] == v->c->op[i];
        v->begun[i + 1] = true;
    }
}

/* ---- what is wrong ---- */

static bool tell_order(struct view *v, int i, int j) {
    struct meant *m = &v->c->m;
    const struct sass_instruction *code = v->c->kernel.code;
    if (i < 0)
        return meant_problem(m, "%s at %s comes first, which the program does not allow",
                             meant_describe(m, v->c->op[j]), code[j].address);
    return meant_problem(m, "%s at %s comes after %s, which the program does not allow",
                         meant_describe(m, v->c->op[j]), code[j].address, meant_describe(m, v->c->op[i]));
}

/* Checks that every operation that comes next after instruction i may come next in the PTX. */
static bool check_next(struct view *v, struct lookahead *w, int i) {
    w->from = i;
    ahead_out(w);
    for (int j; (j = ahead_next(w)) >= 0;) {
        bool ignored = false;
        if (!follow(v, i, j, &ignored)) return tell_order(v, i, j);
    }
    return true;
}

static bool check_ways(struct view *v, struct lookahead *w) {
    bool fine = true;
    for (int i = 0; i < v->c->kernel.n && fine; i++)
        if (is_in_view(v, i)) fine = check_next(v, w, i);
    return fine && check_next(v, w, -1);
}

/* Checks that each copy of an operation in the PTX has an instruction that may be it. */
static bool check_copies(struct view *v) {
    const struct ways *w = v->c->ways;
    for (int p = 1; p <= w->n; p++) {
        bool there = !v->has[w->op[p]];
        for (int i = 0; i < v->c->kernel.n && !there; i++)
            there = v->may[(i + 1) * (w->n + 1) + p];
        if (!there)
            return meant_problem(&v->c->m, "%s is missing in a copy of the machine code",
                                 meant_describe(&v->c->m, w->op[p]));
    }
    return true;
}

static bool check_view(struct view *v) {
    struct arena *a = arena_open();
    bool fine = true;
    if (view_open(v, a)) {
        struct lookahead all = ahead_new(v, a, true), sure = ahead_new(v, a, false);
        spread(v, &all);
        begin_anywhere(v);
        spread(v, &all);
        fine = check_ways(v, &sure) && check_copies(v);
    }
    arena_close(a);
    return fine;
}

bool machine_check_order(struct machine *c) {
    bool fine = true;
    for (int b = 0; b < c->m.t->nbodies; b++)
        for (int shared = 0; shared < 2 && fine; shared++)
            fine = check_view(&(struct view){.c = c, .body = &c->m.t->bodies[b], .shared = shared});
    return fine;
}
