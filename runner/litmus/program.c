#include "litmus/program.h"

#include <string.h>

bool stmt_walk(const struct stmt *s, bool (*f)(const struct stmt *s, void *ctx), void *ctx) {
    for (; s; s = s->next) {
        if (!f(s, ctx)) return false;
        if (!stmt_walk(s->body, f, ctx) || !stmt_walk(s->orelse, f, ctx) || !stmt_walk(s->step, f, ctx))
            return false;
    }
    return true;
}

static bool leaves_register(const struct stmt *s, void *ctx) {
    int reg = *(const int *)ctx;
    return !(s->kind == STMT_SET && s->reg == reg) && !(s->kind == STMT_OP && s->op->dst == reg);
}

bool stmt_sets(const struct stmt *s, int reg) {
    return !stmt_walk(s, leaves_register, &reg);
}

/* What is known where a list of statements has run. */
struct program_path {
    const struct expr_env *thread;
    int reg;
    bool set;                   /* the register has a value, on every path to here */
    bool left;                  /* no path comes here */
    bool at_break, at_continue; /* it has a value wherever the loop around was left; or went on to its step */
};

static void follow(const struct stmt *s, struct program_path *p);

static void follow_if(const struct stmt *s, struct program_path *p) {
    struct program_path then = *p, otherwise = *p;
    if (expr_is_known(s->value)) {
        follow(expr_is_true(s->value, p->thread) ? s->body : s->orelse, p);
        return;
    }
    follow(s->body, &then);
    follow(s->orelse, &otherwise);
    p->set = (then.set || then.left) && (otherwise.set || otherwise.left);
    p->left = then.left && otherwise.left;
    p->at_break = then.at_break && otherwise.at_break;
    p->at_continue = then.at_continue && otherwise.at_continue;
}

/* A `for` runs its body at least once, if its number of turns is not 0: what leaves it before does not count. */
static void follow_loop(const struct stmt *s, struct program_path *p) {
    struct program_path turn = *p;
    turn.at_break = turn.at_continue = true;
    follow(s->body, &turn);
    turn.set = (turn.set || turn.left) && turn.at_continue;
    turn.left = false;
    follow(s->step, &turn);
    p->set = p->set || (s->bounded ? s->trips > 0 && turn.set : turn.at_break);
}

static void follow(const struct stmt *s, struct program_path *p) {
    for (; s && !p->left; s = s->next) {
        switch (s->kind) {
        case STMT_SET: p->set = p->set || s->reg == p->reg; break;
        case STMT_OP: p->set = p->set || s->op->dst == p->reg; break;
        case STMT_IF: follow_if(s, p); break;
        case STMT_LOOP: follow_loop(s, p); break;
        case STMT_BREAK:
            p->at_break = p->at_break && p->set;
            p->left = true;
            break;
        case STMT_CONTINUE:
            p->at_continue = p->at_continue && p->set;
            p->left = true;
            break;
        case STMT_LABEL:
        case STMT_GOTO: p->set = true; break; /* tables only, whose registers have a value from the start */
        }
    }
}

bool stmt_always_sets(const struct stmt *s, int reg, const struct expr_env *thread) {
    struct program_path p = {.thread = thread, .reg = reg};
    follow(s, &p);
    return p.set;
}

struct value rmw_apply(enum rmw_fn fn, struct type t, struct value old, struct value v, struct value e) {
    struct type plain = {t.bits, 1, false, false}; /* inc and dec count without a sign */
    struct value zero = {0}, one = {1, 0};
    switch (fn) {
    case RMW_ADD: return value_apply(EXPR_ADD, t, old, v);
    case RMW_SUB: return value_apply(EXPR_SUB, t, old, v);
    case RMW_EXCH: return v;
    case RMW_MIN: return value_order(t, old, v) < 0 ? old : v;
    case RMW_MAX: return value_order(t, old, v) > 0 ? old : v;
    case RMW_AND: return value_apply(EXPR_AND, t, old, v);
    case RMW_OR: return value_apply(EXPR_OR, t, old, v);
    case RMW_XOR: return value_apply(EXPR_XOR, t, old, v);
    case RMW_INC: return value_order(plain, old, v) >= 0 ? zero : value_apply(EXPR_ADD, plain, old, one);
    case RMW_DEC:
        return value_is_zero(old) || value_order(plain, old, v) > 0 ? v
                                                                    : value_apply(EXPR_SUB, plain, old, one);
    case RMW_CAS: return value_equal(old, e) ? v : old;
    case RMW_COUNT: break;
    }
    return old;
}

const char *scope_ptx(enum scope s) {
    static const char *const names[] = {"none", "cta", "cluster", "gpu", "sys"};
    return names[s];
}

const char *scope_name(enum scope s) {
    static const char *const names[] = {"none", "block", "cluster", "device", "system"};
    return names[s];
}

enum scope scope_find(const char *name) {
    for (enum scope s = SCOPE_CTA; s <= SCOPE_SYS; s++)
        if (strcmp(name, scope_name(s)) == 0 || strcmp(name, scope_ptx(s)) == 0) return s;
    return SCOPE_NONE;
}

const char *order_name(enum order o) {
    static const char *const names[] = {"bare",    "weak",    "volatile", "relaxed",
                                        "acquire", "release", "acq_rel",  "sc"};
    return names[o];
}

const char *rmw_name(enum rmw_fn fn) {
    static const char *const names[] = {
#define RMW(name, cuda, generic, ptx, type, expr) ptx,
#include "litmus/ops.def"
#undef RMW
    };
    return names[fn];
}
