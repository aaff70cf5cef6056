/* Routines as tests in YAML. */
#include "interleave.h"

static const char *const signs[] = {
    [PLUS] = "+", [MINUS] = "-", [XOR] = "^", [AND] = "&", [EQUAL] = "==", [UNEQUAL] = "!=", [LESS] = "<"};

static void write_access(struct text *out, const struct routine *r, const struct action *a);

static void write_operand(struct text *out, const struct routine *r, struct operand o) {
    switch (o.kind) {
    case NUMBER: text_printf(out, "%d", o.n); break;
    case REGISTER: text_printf(out, "r%d", o.n); break;
    case COUNTER: text_printf(out, "i%d", o.n); break;
    case TID: text_add(out, "tid"); break;
    case RESULT: write_access(out, r, &r->actions[o.n]); break;
    }
}

static void write_formula(struct text *out, const struct routine *r, const struct formula *f) {
    write_operand(out, r, f->left);
    if (f->operation == ALONE) return;
    text_printf(out, " %s ", signs[f->operation]);
    write_operand(out, r, f->right);
}

static void write_spot(struct text *out, const struct routine *r, const struct spot *s) {
    static const char *const names[] = {[A] = "a", [B] = "b", [L] = "l", [Q] = "q"};
    text_add(out, names[s->location]);
    if (s->location != Q) return;
    text_add(out, s->masked ? "[(" : "[");
    write_formula(out, r, &s->index);
    if (s->masked) text_printf(out, ") & %d", ELEMENTS - 1);
    text_add(out, "]");
}

/* An atomic operation: as CUDA has it, or with its order. */
static void write_atomic(struct text *out, const struct routine *r, const struct action *a) {
    static const char *const names[][2] = {[SWAP] = {"atomicCAS", "compare_exchange"},
                                           [ADD] = {"atomicAdd", "fetch_add"},
                                           [EXCHANGE] = {"atomicExch", "exchange"},
                                           [MAX] = {"atomicMax", "fetch_max"}};
    text_printf(out, "%s(%s", names[a->kind][a->ordered], a->ordered ? "" : "&");
    write_spot(out, r, &a->spot);
    text_add(out, ", ");
    write_formula(out, r, &a->a);
    if (a->kind == SWAP) {
        text_add(out, ", ");
        write_formula(out, r, &a->b);
    }
    text_add(out, a->ordered ? ", acq_rel, device)" : ")");
}

static void write_load(struct text *out, const struct routine *r, const struct action *a) {
    if (a->ordered) text_add(out, "load(");
    write_spot(out, r, &a->spot);
    if (a->ordered) text_add(out, ", acquire, device)");
}

static void write_store(struct text *out, const struct routine *r, const struct action *a) {
    if (a->ordered) text_add(out, "store(");
    write_spot(out, r, &a->spot);
    text_add(out, a->ordered ? ", " : " = ");
    write_formula(out, r, &a->a);
    if (a->ordered) text_add(out, ", release, device)");
}

static void write_access(struct text *out, const struct routine *r, const struct action *a) {
    if (a->kind == LOAD)
        write_load(out, r, a);
    else if (a->kind == STORE)
        write_store(out, r, a);
    else
        write_atomic(out, r, a);
}

static void write_list(struct text *out, const struct routine *r, int first, int indent);

static void write_braces(struct text *out, const struct routine *r, int body, int indent) {
    text_add(out, "{\n");
    write_list(out, r, body, indent + 2);
    text_printf(out, "%*s}", indent, "");
}

/* "while (a)" and its like. */
static void write_head(struct text *out, const struct routine *r, const struct action *a, const char *word) {
    text_printf(out, "%s (", word);
    write_formula(out, r, &a->a);
    text_add(out, ") ");
}

static void write_if(struct text *out, const struct routine *r, const struct action *a, int indent) {
    write_head(out, r, a, "if");
    write_braces(out, r, a->body, indent);
    if (!a->other) return;
    text_add(out, " else ");
    write_braces(out, r, a->other, indent);
}

static void write_while(struct text *out, const struct routine *r, const struct action *a, int indent) {
    write_head(out, r, a, "while");
    if (a->body)
        write_braces(out, r, a->body, indent);
    else
        text_add(out, ";");
}

static void write_for(struct text *out, const struct routine *r, const struct action *a, int indent) {
    int i = a->counter;
    bool alone = a->a.operation == ALONE;
    text_printf(out, "for (int i%d = 0; i%d < %s", i, i, alone ? "" : "(");
    write_formula(out, r, &a->a);
    text_printf(out, "%s; i%d++) ", alone ? "" : ")", i);
    write_braces(out, r, a->body, indent);
}

static void write_do(struct text *out, const struct routine *r, const struct action *a, int indent) {
    text_add(out, "do ");
    write_braces(out, r, a->body, indent);
    write_head(out, r, a, " while");
    text_add(out, ";");
}

static void write_set(struct text *out, const struct routine *r, const struct action *a) {
    text_printf(out, "r%d = ", a->reg);
    write_formula(out, r, &a->a);
    text_add(out, ";");
}

static void write_jump(struct text *out, const struct routine *r, const struct action *a) {
    write_head(out, r, a, "if");
    text_add(out, a->kind == BREAK ? "break;" : "return;");
}

static void write_line(struct text *out, const struct routine *r, const struct action *a) {
    if (a->reg >= 0 && a->kind != STORE) text_printf(out, "r%d = ", a->reg);
    write_access(out, r, a);
    text_add(out, ";");
}

static void write_action(struct text *out, const struct routine *r, const struct action *a, int indent) {
    switch (a->kind) {
    case NOTHING: text_add(out, ";"); break;
    case LOAD:
    case STORE:
    case SWAP:
    case ADD:
    case EXCHANGE:
    case MAX: write_line(out, r, a); break;
    case SET: write_set(out, r, a); break;
    case FENCE: text_add(out, "__threadfence();"); break;
    case BARRIER: text_add(out, "__syncthreads();"); break;
    case IF: write_if(out, r, a, indent); break;
    case FOR: write_for(out, r, a, indent); break;
    case WHILE: write_while(out, r, a, indent); break;
    case DO: write_do(out, r, a, indent); break;
    case BREAK:
    case RETURN: write_jump(out, r, a); break;
    case BLOCK: write_braces(out, r, a->body, indent); break;
    }
}

static void write_list(struct text *out, const struct routine *r, int first, int indent) {
    for (int k = first; k; k = r->actions[k].next) {
        if (r->actions[k].kind == NOTHING) continue;
        text_printf(out, "%*s", indent, "");
        write_action(out, r, &r->actions[k], indent);
        text_add(out, "\n");
    }
}

static void write_body(struct text *out, const struct routine *r, int k) {
    text_printf(out, r->bodies[k].count > 1 ? "  t%d:\n    count: %d\n    body: |\n" : "  t%d: |\n", k,
                r->bodies[k].count);
    text_add(out, "      int r0 = 0, r1 = 0, r2 = 0;\n");
    write_list(out, r, r->bodies[k].first, 6);
}

static void write_registers(struct text *out, const struct routine *r, const int *state) {
    for (int b = 0, t = 0; b < r->nbodies; b++)
        for (int k = 0; k < r->bodies[b].count; k++, t++)
            for (int i = 0; i < REGISTERS; i++) {
                text_printf(out, "t%d", b);
                if (r->bodies[b].count > 1) text_printf(out, "[%d]", k);
                text_printf(out, ".r%d == %d && ", i, state[t * REGISTERS + i]);
            }
}

void interleave_write(struct text *out, const struct routine *r, const char *name, const int *state) {
    const int *m = r->memory, *end = state + interleave_threads(r) * REGISTERS;
    text_printf(out, "name: %s\nmemory: {a: %d, b: %d, l: %d, q: {count: %d, init: [%d, %d]}}\n", name, m[A],
                m[B], m[L], ELEMENTS, m[Q], m[Q + 1]);
    text_printf(out, "placements: [%s]\naccess: %s\nthreads:\n", r->placement, r->access);
    for (int k = 0; k < r->nbodies; k++)
        write_body(out, r, k);
    text_add(out, "exists: ");
    write_registers(out, r, state);
    text_printf(out, "a == %d && b == %d && l == %d && q[0] == %d && q[1] == %d\n", end[A], end[B], end[L],
                end[Q], end[Q + 1]);
}
