#include "test/program.h"

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
    return !(s->kind == STMT_SET && s->reg == reg) && !(s->kind == STMT_OP && s->op.dst == reg);
}

bool stmt_sets(const struct stmt *s, int reg) {
    return !stmt_walk(s, leaves_register, &reg);
}

int32_t rmw_apply(enum rmw_fn fn, int32_t old, int32_t v, int32_t e) {
    switch (fn) {
#define RMW(name, cuda, generic, ptx, type, expr)                                                            \
    case RMW_##name:                                                                                         \
        return expr;
#include "test/ops.def"
#undef RMW
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
#include "test/ops.def"
#undef RMW
    };
    return names[fn];
}
