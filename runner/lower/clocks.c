/* Clocks, of which nobody knows what they say, and other numbers of which that holds, as that of a multiprocessor: they decide how long a thread pauses, which means nothing here, or when it
 * gives up. Where giving up is a trap, no execution ends so, and the time is taken never to run out. A loop that does nothing
 * but look at a clock ends at some time. Any other comparison of what depends on a clock may be true or false, each time anew.
 * A number that depends on one and is given to memory or to other threads is refused. In a test that says that no time ever
 * runs out each clock says 0. So it is with the number of a multiprocessor. */
#include <string.h>

#include "lower/calls.h"

/* ---- what says such a number ---- */

struct expr *clock_value(struct parser *p, struct pos pos, struct type type) {
    if (p->test->no_timeouts) {
        if (!p->stopped)
            diag_warning(p->diag, p->source, pos,
                         "'timeouts: never': clocks are taken as 0, and no time-out ends a wait");
        p->stopped = true;
        return expr_convert(p, expr_int(p, pos, 0), type);
    }
    if (!p->clock) p->clock = 1 + body_temporary(p, pos, type_uint64);
    return expr_cast(p, body_value(p, p->clock - 1, pos), type);
}

static const struct {
    const char *name;
    struct type type;
} clocks[] = {
    {"clock", {32, 1, false, false}},          {"clock_hi", {32, 1, false, false}},
    {"clock64", {64, 1, false, false}},        {"globaltimer", {64, 1, false, false}},
    {"globaltimer_lo", {32, 1, false, false}}, {"globaltimer_hi", {32, 1, false, false}},
    {"smid", {32, 1, false, false}},           {"nsmid", {32, 1, false, false}},
    {"nwarpid", {32, 1, false, false}},        {"gridid", {64, 1, false, false}},
};

/* The type of the clock whose name stands behind this; NULL: it is none. */
static const struct type *find_clock(const char *name, const char *before) {
    size_t n = strlen(before);
    for (size_t k = 0; k < sizeof clocks / sizeof *clocks && strncmp(name, before, n) == 0; k++)
        if (strcmp(clocks[k].name, name + n) == 0) return &clocks[k].type;
    return NULL;
}

bool clock_is_special(const char *name) {
    return find_clock(name, "%");
}

struct expr *clock_special(struct parser *p, const char *name, struct pos pos) {
    const struct type *type = find_clock(name, "%");
    return type ? clock_value(p, pos, *type) : NULL;
}

/* Of cuda::ptx::get_sreg_clock64() and its like. */
static const struct type *find_register(const char *name) {
    return find_clock(name, "get_sreg_");
}

bool clock_knows(struct parser *p, const struct tree *n) {
    (void)p;
    if (n->kind != TREE_CALL || n->a->kind != TREE_NAME) return false;
    const char *name = n->a->at->text;
    bool cuda = tree_is_word(n->a) && (strcmp(name, "clock") == 0 || strcmp(name, "clock64") == 0);
    return cuda || find_register(name);
}

struct expr *clock_use(struct parser *p, const struct tree *n) {
    const char *name = n->a->at->text;
    const struct type *type = find_register(name);
    struct arguments a = arguments_of(n, arena_printf(p->arena, "%s()", name));
    arguments_end(p, &a);
    return clock_value(p, n->first->pos, type ? *type : type_int64);
}

/* ---- what depends on one ---- */

/* The registers of a body that depend on a clock. */
struct timing {
    struct parser *p;
    bool *timed;
    bool
        numbers; /* those that hold what was computed from its number, and not what only a comparison of that decides */
    bool changed;
    const int *reads; /* of each register in the whole body */
};

static bool compares(const struct expr *e) {
    return e->kind >= EXPR_LT && e->kind <= EXPR_NE;
}

static bool is_timed(const struct timing *t, const struct expr *e) {
    if (!e || (t->numbers && compares(e))) return false;
    if (e->kind == EXPR_REG && t->timed[e->index]) return true;
    return is_timed(t, e->a) || is_timed(t, e->b) || is_timed(t, e->c);
}

static bool spread(const struct stmt *s, void *ctx) {
    struct timing *t = ctx;
    if (s->kind != STMT_SET || t->timed[s->reg] || !is_timed(t, s->value)) return true;
    t->timed[s->reg] = t->changed = true;
    return true;
}

static struct timing find_timing(struct parser *p, bool numbers) {
    const struct body *body = p->body;
    struct timing t = {.p = p, .numbers = numbers, .changed = p->clock};
    t.timed = arena_array(p->arena, (size_t)body->nregs + 1, sizeof *t.timed);
    if (p->clock) t.timed[p->clock - 1] = true;
    while (t.changed) {
        t.changed = false;
        stmt_walk(body->first, spread, &t);
    }
    return t;
}

/* What comes in the place of a statement, behind which its list goes on at `next`: a list that may be empty. */
typedef struct stmt *rewriter(const struct timing *t, struct stmt *s, const struct stmt *next);

static struct stmt *rewrite(const struct timing *t, struct stmt *s, rewriter *f) {
    struct stmt *first = NULL, **end = &first, *next;
    for (; s; s = next) {
        next = s->next;
        s->next = NULL;
        *end = f(t, s, next);
        while (*end)
            end = &(*end)->next;
    }
    return first;
}

static struct stmt *rewrite_within(const struct timing *t, struct stmt *s, rewriter *f) {
    s->body = rewrite(t, s->body, f);
    s->orelse = rewrite(t, s->orelse, f);
    s->step = rewrite(t, s->step, f);
    return s;
}

enum { MANY = 10000 }; /* statements; more are a circle */

static const struct stmt *find_label(const struct stmt *s, int label) {
    while (s && (s->kind != STMT_LABEL || s->label != label))
        s = s->next;
    return s;
}

/* The label of a branch, whose list goes on at `next`, or of one before it. */
static const struct stmt *find_target(const struct timing *t, const struct stmt *branch,
                                      const struct stmt *next) {
    const struct stmt *s = find_label(next, branch->label);
    return s ? s : find_label(t->p->body->first, branch->label);
}

/* Whether a list comes to its end, whatever happens. */
static bool falls_through(const struct stmt *s) {
    for (; s; s = s->next) {
        bool plain = s->kind == STMT_OP || s->kind == STMT_SET;
        bool either = s->kind == STMT_IF && falls_through(s->body) && falls_through(s->orelse);
        if (!plain && !either) return false;
    }
    return true;
}

/* Whether a list ends in a trap, whatever happens: then no execution that comes to it ends, and what others see of it before
 * that counts for nothing. */
static bool only_traps(const struct timing *t, const struct stmt *s) {
    for (int n = 0; s && n < MANY; n++) {
        if (s->kind == STMT_OP && s->op->kind == OP_TRAP) return true;
        bool leads_on = s->kind == STMT_GOTO && !s->value;
        bool either = s->kind == STMT_IF && falls_through(s->body) && falls_through(s->orelse);
        if (!leads_on && !either && s->kind != STMT_OP && s->kind != STMT_SET && s->kind != STMT_LABEL)
            return false;
        s = leads_on ? find_target(t, s, s->next) : s->next;
    }
    return false;
}

/* Leaves out time-outs that trap. */
static struct stmt *without_timeout(const struct timing *t, struct stmt *s, const struct stmt *next) {
    bool depends = is_timed(t, s->value), timed = depends && s->kind == STMT_IF;
    bool branch = depends && s->kind == STMT_GOTO && only_traps(t, find_target(t, s, next));
    bool falls = depends && s->kind == STMT_GOTO && !branch && only_traps(t, next);
    bool then = timed && only_traps(t, s->body), orelse = timed && !then && only_traps(t, s->orelse);
    rewrite_within(t, s, without_timeout);
    if (then || orelse || branch || falls)
        diag_warning(
            t->p->diag, t->p->source, s->pos,
            "a clock decides whether the kernel gives up here by a trap: it is taken never to do so");
    if (falls) s->value = NULL;
    return branch ? NULL : then ? s->orelse : orelse ? s->body : s;
}

/* ---- pauses ---- */

/* Whether a turn of a loop only computes, and leaves the loop where a clock says so. */
static bool only_waits(const struct timing *t, const struct stmt *s, bool timed, bool *leaves) {
    for (; s; s = s->next) {
        bool plain = s->kind == STMT_SET || s->kind == STMT_BREAK || s->kind == STMT_CONTINUE;
        if (s->kind == STMT_BREAK && timed) *leaves = true;
        bool depends = timed || (s->kind == STMT_IF && is_timed(t, s->value));
        bool fine = s->kind == STMT_IF && only_waits(t, s->body, depends, leaves) &&
                    only_waits(t, s->orelse, depends, leaves);
        if (!plain && !fine) return false;
    }
    return true;
}

/* What something behind a loop may read of it. */
struct loop_results {
    const int *reads;
    int *inside;
    bool found;
};

static bool note_result(const struct stmt *s, void *ctx) {
    struct loop_results *r = ctx;
    if (s->kind == STMT_SET && r->reads[s->reg] > r->inside[s->reg]) r->found = true;
    return true;
}

static bool is_pause(const struct timing *t, const struct stmt *s) {
    bool leaves = false;
    if (s->kind != STMT_LOOP || !only_waits(t, s->body, false, &leaves)) return false;
    if (!only_waits(t, s->step, false, &leaves) || !leaves) return false;
    size_t nregs = (size_t)t->p->body->nregs;
    struct loop_results r = {.reads = t->reads,
                             .inside = arena_array(t->p->arena, nregs + 1, sizeof *r.inside)};
    stmt_count_reads(s->body, r.inside);
    stmt_count_reads(s->step, r.inside);
    stmt_walk(s->body, note_result, &r);
    stmt_walk(s->step, note_result, &r);
    return !r.found;
}

static struct stmt *without_pause(const struct timing *t, struct stmt *s, const struct stmt *next) {
    (void)next;
    return is_pause(t, s) ? NULL : rewrite_within(t, s, without_pause);
}

void clocks_leave_out_pauses(struct parser *p) {
    struct timing t = find_timing(p, false);
    int *reads = arena_array(p->arena, (size_t)p->body->nregs + 1, sizeof *reads);
    stmt_count_reads(p->body->first, reads);
    t.reads = reads;
    if (p->clock) p->body->first = rewrite(&t, p->body->first, without_pause);
}

/* ---- comparisons ---- */

/* A look at a clock in the place of what depends on one. */
static struct expr *make_look(const struct timing *t, const struct expr *e) {
    struct op look = op_make(CLOCK_IS_FAR, e->pos);
    look.type = type_int;
    look.dst = body_temporary(t->p, e->pos, type_int);
    stmt_add_op(t->p, look);
    return expr_cast(t->p, body_value(t->p, look.dst, e->pos), e->type);
}

/* The expression with a register for each comparison of what depends on a clock; adds the looks at a clock that set these.
 * `truth`: it is only asked whether it is 0. */
static struct expr *with_looks(const struct timing *t, struct expr *e, bool truth) {
    if (!e) return NULL;
    bool joins = e->kind == EXPR_LAND || e->kind == EXPR_LOR || e->kind == EXPR_NOT;
    if (compares(e) && (is_timed(t, e->a) || is_timed(t, e->b))) return make_look(t, e);
    if (truth && !joins && is_timed(t, e)) return make_look(t, e);
    struct expr *made = arena_alloc(t->p->arena, sizeof *made);
    *made = *e;
    made->a = with_looks(t, e->a, joins || e->kind == EXPR_COND);
    made->b = with_looks(t, e->b, joins);
    made->c = with_looks(t, e->c, false);
    return made;
}

/* Puts the looks at a clock before the statements that depend on one. */
static struct stmt *add_looks(const struct timing *t, struct stmt *s, const struct stmt *next) {
    (void)next;
    rewrite_within(t, s, add_looks);
    struct stmts old = stmts_capture(t->p);
    if (s->kind == STMT_SET || s->kind == STMT_IF || s->kind == STMT_GOTO)
        s->value = with_looks(t, s->value, s->kind != STMT_SET);
    stmts_append(t->p, (struct stmts){s, s});
    return stmts_restore(t->p, old).first;
}

void clocks_look(struct parser *p) {
    struct timing t = find_timing(p, true);
    p->panic = false;
    if (p->clock) p->body->first = rewrite(&t, p->body->first, add_looks);
}

/* ---- what else a clock decides ---- */

static bool check(const struct stmt *s, void *ctx) {
    const struct timing *t = ctx;
    const struct expr *operands[OP_OPERANDS];
    bool timed = s->kind != STMT_SET && is_timed(t, s->value);
    if (s->kind == STMT_OP) op_operands(s->op, operands);
    for (int k = 0; s->kind == STMT_OP && k < OP_OPERANDS; k++)
        timed = timed || is_timed(t, operands[k]);
    if (timed)
        diag_error(t->p->diag, t->p->source, s->pos,
                   "not supported: a number that nobody knows, as a clock's is, is given away here; "
                   "'timeouts: never' in the test takes it as 0");
    return !timed;
}

void clocks_leave_out_timeouts(struct parser *p) {
    struct timing t = find_timing(p, false);
    p->body->first = rewrite(&t, p->body->first, without_timeout);
}

bool clocks_check(struct parser *p) {
    struct timing t = find_timing(p, false);
    size_t errors = p->diag->errors;
    stmt_walk(p->body->first, check, &t);
    return p->diag->errors == errors;
}

/* Leaves out assignments of numbers that are read no more; the registers that hold them are none for a condition. */
static struct stmt *without_number(const struct timing *t, struct stmt *s, const struct stmt *next) {
    (void)next;
    if (s->kind != STMT_SET || !is_timed(t, s->value)) return rewrite_within(t, s, without_number);
    t->p->body->regs[s->reg].unknown = true;
    return NULL;
}

void clocks_settle(struct parser *p) {
    if (!p->clock) return;
    clocks_leave_out_timeouts(p);
    clocks_leave_out_pauses(p);
    clocks_look(p);
    if (!clocks_check(p)) return;
    struct timing t = find_timing(p, false);
    p->body->first = rewrite(&t, p->body->first, without_number);
}
