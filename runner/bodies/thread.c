/* A thread's body as a whole. */
#include "bodies/bodies.h"
#include "lower/calls.h"
#include "lower/pointer.h"

/* What libraries know, in the order in which they are asked. Any call is one of an operation, which is there or not. */
static const struct library libraries[] = {
    {"statements before a value", after_is, after_value, NULL, NULL, NULL, NULL},
    {"functions of the text", inlined_is_call, inlined_value, NULL, NULL, NULL, NULL},
    {"functions of CUDA", function_knows, function_value, NULL, &function_names, NULL, NULL},
    {"clocks", clock_knows, clock_use, NULL, NULL, NULL, NULL},
    {"atomic_refs", atomic_is_used, atomic_use, "this has no value", NULL, NULL, NULL},
    {"transfers", transfer_knows, transfer_use, "a copy has no value", NULL, transfer_leads,
     transfer_address},
    {"mbarriers", mbarrier_is_call, mbarrier_call, NULL, NULL, NULL, NULL},
    {"libcu++", atomic_is_named, atomic_named, "this has no value", NULL, NULL, NULL},
    {"barriers", arrival_knows, arrival_use, "of a barrier, only arrive() has a value", NULL, NULL, NULL},
    {"clusters", cluster_knows, cluster_use, NULL, NULL, cluster_leads, cluster_address},
    {"groups", groups_are_used, groups_use, "a group's barrier has no value", NULL, NULL, NULL},
    {"grids", grid_is_value, grid_value, NULL, NULL, NULL, NULL},
    {"atomics of nvcc", atomic_is_nvcc, atomic_nvcc, NULL, NULL, NULL, NULL},
    {"printf and assert", console_knows, console_use, "this has no value in a test", NULL, NULL, NULL},
    {"operations", call_is_any, call_value, NULL, NULL, NULL, NULL},
    {0},
};

void body_parse(struct arena *a, struct test *t, struct body *body, const struct snippet *text,
                struct diag *d) {
    struct parser parser = {
        .arena = a, .source = &t->source, .diag = d, .test = t, .body = body, .libraries = libraries};
    struct parser *p = &parser;
    size_t errors = d->errors;
    parse_start(p, text);
    p->errors = errors;
    p->syntax.located = t->structs;
    located_types(&p->syntax);
    struct tree *all = syntax_body(&p->syntax);
    syntax_join_jumps(&p->syntax, all);
    syntax_flatten(&p->syntax, all);
    head_lower_before(p, all->a);
    p->globals = p->nscope;
    if (all->b) kernel_lower(p, all->b);
    if (!p->panic) statement_lower_list(p, all->c);
    p->panic = false;
    choice_settle(p);
    p->panic = false;
    leave_loops(p);
    body->first = p->out.first;
    if (d->errors == errors) body_check_written(p, false);
    p->out = (struct stmts){0};
    clocks_settle(p);
}
