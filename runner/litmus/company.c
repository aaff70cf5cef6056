#include "litmus/company.h"

bool company_meets(const struct op *op) {
    return op_kinds[op->kind].meets && op->barrier != BARRIER_WARP;
}

static bool is_no_barrier(const struct stmt *s, void *ctx) {
    (void)ctx;
    return s->kind != STMT_OP || !company_meets(s->op);
}

bool company_has_barriers(const struct stmt *s) {
    return !stmt_walk(s, is_no_barrier, NULL);
}

static bool is_no_reduction(const struct stmt *s, void *ctx) {
    return is_no_barrier(s, ctx) || s->op->kind != OP_EXCHANGE;
}

bool company_reduces(const struct body *b) {
    return !stmt_walk(b->first, is_no_reduction, NULL);
}

bool company_skips(const struct stmt *s) {
    switch (s->kind) {
    case STMT_OP: return !company_meets(s->op);
    case STMT_LOOP: return !company_has_barriers(s->body) && !company_has_barriers(s->step);
    case STMT_GOTO: return true;
    case STMT_SET:
    case STMT_IF:
    case STMT_BREAK:
    case STMT_CONTINUE:
    case STMT_LABEL: return false;
    }
    return false;
}
