/* A test's bodies and expressions as compact text, for comparison. */
#ifndef CULITMUS_TESTS_DUMP_H
#define CULITMUS_TESTS_DUMP_H

#include <stdlib.h>
#include <string.h>

#include "cm.h"
#include "source/read.h"

struct dump {
    struct text *out;
    const struct test *test;
    const struct body *body;
};

static void dump_leaf(struct text *out, const struct expr *e, void *ctx) {
    const struct dump *d = ctx;
    if (e->kind == EXPR_REG) text_add(out, d->body->regs[e->index].name);
    if (e->kind == EXPR_OBS) text_add(out, d->test->obs[e->index].name);
    if (e->kind == EXPR_TID) text_add(out, "tid");
    if (e->kind == EXPR_COUNT) text_add(out, "count");
}

static void dump_expr(struct dump *d, const struct expr *e) {
    expr_print(d->out, e, false, dump_leaf, d);
}

static void dump_op(struct dump *d, const struct op *op) {
    static const char *const kinds[] = {"load", "store", "rmw", "fence", "barrier"};
    static const char *const barriers[] = {"warp", "cta", "cluster"};
    if (op->dst >= 0) text_printf(d->out, "%s = ", d->body->regs[op->dst].name);
    text_add(d->out, kinds[op->kind]);
    if (op->kind == OP_RMW) text_printf(d->out, ".%s", op_rows[op->name].word);
    if (op->slot >= 0)
        text_printf(d->out, " slot %d", op->slot);
    else if (op->kind != OP_BARRIER)
        text_printf(d->out, ".%s%s%s", order_name(op->order), op->scope ? "." : "",
                    op->scope ? scope_ptx(op->scope) : "");
    if (op->kind == OP_BARRIER)
        text_printf(d->out, ".%s%s.%s id %d threads %d", barriers[op->barrier],
                    op->arrive_only ? ".arrive" : "", scope_ptx(op->scope), op->barrier_id,
                    op->barrier_threads);
    if (op_rows[op->name].cache) text_printf(d->out, ".%s", op_rows[op->name].cache);
    if (op->place[0].loc >= 0) text_printf(d->out, " %s", d->test->locs[op->place[0].loc].name);
    if (op->place[0].index) {
        text_add(d->out, "[");
        dump_expr(d, op->place[0].index);
        text_add(d->out, "]");
    }
    if (op->expected) {
        text_add(d->out, ", ");
        dump_expr(d, op->expected);
    }
    if (op->value) {
        text_add(d->out, ", ");
        dump_expr(d, op->value);
    }
}

/* Statements separated by "; ", lists in braces. */
static void dump_list(struct dump *d, const struct stmt *s) {
    static const char *const words[] = {[STMT_BREAK] = "break", [STMT_CONTINUE] = "continue"};
    for (const struct stmt *first = s; s; s = s->next) {
        if (s != first) text_add(d->out, "; ");
        switch (s->kind) {
        case STMT_SET:
            text_printf(d->out, "%s = ", d->body->regs[s->reg].name);
            dump_expr(d, s->value);
            break;
        case STMT_OP: dump_op(d, s->op); break;
        case STMT_IF:
        case STMT_GOTO:
            if (s->value) {
                text_add(d->out, "if (");
                dump_expr(d, s->value);
                text_add(d->out, ") ");
            }
            if (s->kind == STMT_GOTO) {
                text_printf(d->out, "goto %s", d->body->labels[s->label]);
                break;
            }
            text_add(d->out, "{");
            dump_list(d, s->body);
            text_add(d->out, s->orelse ? "} else {" : "}");
            if (!s->orelse) break;
            dump_list(d, s->orelse);
            text_add(d->out, "}");
            break;
        case STMT_LOOP:
            text_add(d->out, "loop");
            if (s->bounded) text_printf(d->out, "(%d)", s->trips);
            text_add(d->out, " {");
            dump_list(d, s->body);
            if (s->step) text_add(d->out, "} step {");
            dump_list(d, s->step);
            text_add(d->out, "}");
            break;
        case STMT_LABEL: text_printf(d->out, "%s:", d->body->labels[s->label]); break;
        case STMT_BREAK:
        case STMT_CONTINUE: text_add(d->out, words[s->kind]); break;
        }
    }
}

/* The text of a body; the caller frees it. */
static inline char *dump_body(const struct test *t, int body) {
    struct text out = {0};
    struct dump d = {&out, t, &t->bodies[body]};
    text_add(&out, "");
    dump_list(&d, d.body->first);
    return out.s;
}

static inline char *dump_condition(const struct test *t) {
    struct text out = {0};
    struct dump d = {&out, t, NULL};
    text_printf(&out, "%s ", quantifier_name(t->cond.kind));
    dump_expr(&d, t->cond.prop);
    return out.s;
}

/* What diag_render writes, without colour; the caller frees it. */
static inline char *dump_diag(const struct diag *d) {
    struct text out = {0};
    char line[1024];
    FILE *f = tmpfile();
    if (!f) abort();
    diag_render(d, f, false);
    rewind(f);
    text_add(&out, "");
    while (fgets(line, sizeof line, f))
        text_add(&out, line);
    fclose(f);
    return out.s;
}

/* Checks that the body whose one line stands behind `head`, the beginning of a file, is lowered to `want`. */
static inline void dump_check_body(const char *head, const char *body, const char *want) {
    struct arena *a = arena_open();
    struct diag d = {0};
    const char *file = arena_printf(a, "%s      %s\nexists: X == 1\n", head, body);
    struct test *t = test_read_text(a, "t.yaml", file, strlen(file), &d);
    char *messages = dump_diag(&d);
    assert_string_equal(messages, "");
    char *got = dump_body(t, 0);
    assert_string_equal(got, want);
    free(got);
    free(messages);
    diag_free(&d);
    arena_close(a);
}

/* Checks how the condition of a test was read, and what it observes. */
static inline void dump_check_condition(const struct test *t, const char *condition, const char *observed) {
    char *got = dump_condition(t);
    assert_string_equal(got, condition);
    free(got);
    struct text names = {0};
    for (int i = 0; i < t->nobs; i++)
        text_printf(&names, "%s%s", i ? " " : "", t->obs[i].name);
    assert_string_equal(names.s, observed);
    text_free(&names);
}

#endif
