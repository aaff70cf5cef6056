/* Clocks, of which nobody knows what they say, and other numbers of which that holds, as that of a multiprocessor: they decide how long a thread pauses, which means nothing here, or when it
 * gives up. Where giving up is a trap, no execution ends so, and the time is taken never to run out. A loop that does nothing
 * but look at a clock ends at some time. Any other comparison of what depends on a clock may be true or false, each time anew.
 * A number that depends on one and is given to memory or to other threads is refused. In a test that says that no time ever
 * runs out each clock says 0. */
#include <string.h>

#include "lift/reader.h"

static struct expr *stopped_clock(struct column *c, const struct ptx_operand *o) {
    struct lift_kernel *made = lift_reader_of(c)->made;
    if (!made->stopped)
        diag_warning(c->p.diag, c->p.source, o->pos,
                     "'timeouts: never': clocks are taken as 0, and no time-out ends a wait");
    made->stopped = true;
    return lift_number(&c->p, o->pos, type_uint64, 0);
}

struct expr *lift_clock(struct column *c, const struct ptx_operand *o) {
    static const char *const others[] = {"%smid", "%nsmid", "%nwarpid", "%gridid"};
    struct lift_kernel *made = lift_reader_of(c)->made;
    bool known = strncmp(o->text, "%clock", 6) != 0 && strncmp(o->text, "%globaltimer", 12) != 0;
    for (size_t k = 0; k < sizeof others / sizeof *others; k++)
        known = known && strcmp(o->text, others[k]) != 0;
    if (known) return NULL;
    if (c->p.test->no_timeouts) return stopped_clock(c, o);
    if (made->clock < 0) made->clock = body_temporary(&c->p, o->pos, type_uint64);
    return body_value(&c->p, made->clock, o->pos);
}

/* A kernel, and the registers that depend on a clock. */
struct timing {
    struct lift *lift;
    struct lift_kernel *kernel;
    bool *timed;
    bool
        numbers; /* those that hold what was computed from its number, and not what only a comparison of that decides */
    bool changed;
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

/* What depends on a clock in a kernel. */
static struct timing find_timing(struct lift *l, struct lift_kernel *k, bool numbers) {
    const struct body *body = k->p.body;
    struct timing t = {.lift = l, .kernel = k, .numbers = numbers, .changed = k->clock >= 0};
    t.timed = arena_array(l->arena, (size_t)body->nregs + 1, sizeof *t.timed);
    if (k->clock >= 0) t.timed[k->clock] = true;
    while (t.changed) {
        t.changed = false;
        stmt_walk(body->first, spread, &t);
    }
    return t;
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
    return s ? s : find_label(t->kernel->p.body->first, branch->label);
}

/* Whether a list ends in a trap, whatever happens: then no execution that comes to it ends, and what others see of it before
 * that counts for nothing. */
static bool only_traps(const struct timing *t, const struct stmt *s) {
    for (int n = 0; s && n < MANY; n++) {
        if (s->kind == STMT_OP && s->op->kind == OP_TRAP) return true;
        bool leads_on = s->kind == STMT_GOTO && !s->value;
        if (!leads_on && s->kind != STMT_OP && s->kind != STMT_SET && s->kind != STMT_LABEL) return false;
        s = leads_on ? find_target(t, s, s->next) : s->next;
    }
    return false;
}

static void say(const struct timing *t, const struct stmt *s) {
    diag_warning(t->lift->diag, t->kernel->p.source, s->pos,
                 "a clock decides whether the kernel gives up here by a trap: it is taken never to do so");
}

static void report(const struct timing *t, struct pos pos) {
    diag_error(t->lift->diag, t->kernel->p.source, pos,
               "not supported: a number that nobody knows, as a clock's is, is given away here; "
               "'timeouts: never' in the test takes it as 0");
    t->lift->failed = true;
}

/* Leaves out time-outs that trap. */
static struct stmt *without_timeouts(const struct timing *t, struct stmt *s) {
    struct stmt *first = NULL, **end = &first, *next;
    for (; s; s = next) {
        next = s->next;
        bool depends = is_timed(t, s->value), timed = depends && s->kind == STMT_IF;
        bool branch = depends && s->kind == STMT_GOTO && only_traps(t, find_target(t, s, next));
        bool falls = depends && s->kind == STMT_GOTO && !branch && only_traps(t, next);
        bool then = timed && only_traps(t, s->body), orelse = timed && !then && only_traps(t, s->orelse);
        s->body = without_timeouts(t, s->body);
        s->orelse = without_timeouts(t, s->orelse);
        s->next = NULL;
        if (then || orelse || branch || falls) say(t, s);
        if (falls) s->value = NULL;
        *end = branch ? NULL : then ? s->orelse : orelse ? s->body : s;
        while (*end)
            end = &(*end)->next;
    }
    return first;
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

static bool is_pause(const struct timing *t, const struct stmt *s, const int *reads) {
    bool leaves = false;
    if (s->kind != STMT_LOOP || !only_waits(t, s->body, false, &leaves) || !leaves) return false;
    size_t nregs = (size_t)t->kernel->p.body->nregs;
    struct loop_results r = {.reads = reads,
                             .inside = arena_array(t->lift->arena, nregs + 1, sizeof *r.inside)};
    lift_count_reads(s->body, r.inside);
    stmt_walk(s->body, note_result, &r);
    return !r.found;
}

static struct stmt *without_pauses(const struct timing *t, struct stmt *s, const int *reads) {
    struct stmt *first = NULL, **end = &first, *next;
    for (; s; s = next) {
        next = s->next;
        if (is_pause(t, s, reads)) continue;
        s->body = without_pauses(t, s->body, reads);
        s->orelse = without_pauses(t, s->orelse, reads);
        *end = s;
        end = &s->next;
    }
    *end = NULL;
    return first;
}

void lift_leave_out_pauses(struct lift *l, struct lift_kernel *k) {
    struct timing t = find_timing(l, k, false);
    struct body *body = k->p.body;
    int *reads = arena_array(l->arena, (size_t)body->nregs + 1, sizeof *reads);
    lift_count_reads(body->first, reads);
    if (k->clock >= 0) body->first = without_pauses(&t, body->first, reads);
}

/* ---- comparisons ---- */

/* The expression with a register for each comparison of what depends on a clock; adds the looks at a clock that set these. */
static struct expr *with_looks(const struct timing *t, struct expr *e) {
    struct parser *p = &t->kernel->p;
    if (!e) return NULL;
    if (compares(e) && (is_timed(t, e->a) || is_timed(t, e->b))) {
        struct op look = op_make(CLOCK_IS_FAR, e->pos);
        look.type = type_int;
        look.dst = body_temporary(p, e->pos, type_int);
        stmt_add_op(p, look);
        return expr_cast(p, body_value(p, look.dst, e->pos), e->type);
    }
    struct expr *made = arena_alloc(t->lift->arena, sizeof *made);
    *made = *e;
    made->a = with_looks(t, e->a);
    made->b = with_looks(t, e->b);
    made->c = with_looks(t, e->c);
    return made;
}

/* Puts the looks at a clock before the statements that depend on one. */
static struct stmt *add_looks(const struct timing *t, struct stmt *s) {
    struct parser *p = &t->kernel->p;
    struct stmt *first = NULL, **end = &first, *next;
    for (; s; s = next) {
        next = s->next;
        s->body = add_looks(t, s->body);
        s->orelse = add_looks(t, s->orelse);
        struct stmts old = stmts_capture(p);
        if (s->kind == STMT_SET || s->kind == STMT_IF || s->kind == STMT_GOTO)
            s->value = with_looks(t, s->value);
        struct stmts looks = stmts_restore(p, old);
        *end = looks.first ? looks.first : s;
        if (looks.first) looks.last->next = s;
        end = &s->next;
    }
    *end = NULL;
    return first;
}

void lift_look_at_clocks(struct lift *l, struct lift_kernel *k) {
    struct timing t = find_timing(l, k, true);
    k->p.panic = false;
    if (k->clock >= 0) k->p.body->first = add_looks(&t, k->p.body->first);
}

/* ---- what else a clock decides ---- */

static bool check(const struct stmt *s, void *ctx) {
    const struct timing *t = ctx;
    const struct expr *operands[OP_OPERANDS];
    bool timed = s->kind != STMT_SET && is_timed(t, s->value);
    if (s->kind == STMT_OP) op_operands(s->op, operands);
    for (int k = 0; s->kind == STMT_OP && k < OP_OPERANDS; k++)
        timed = timed || is_timed(t, operands[k]);
    if (timed) report(t, s->pos);
    return !timed;
}

void lift_leave_out_timeouts(struct lift *l, struct lift_kernel *k) {
    struct timing t = find_timing(l, k, false);
    k->p.body->first = without_timeouts(&t, k->p.body->first);
}

void lift_check_clocks(struct lift *l, struct lift_kernel *k) {
    struct timing t = find_timing(l, k, false);
    stmt_walk(k->p.body->first, check, &t);
}
