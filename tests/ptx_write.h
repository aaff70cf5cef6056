/* Writes PTX that was read, for tests: what is written reads as the same statements. */
#ifndef CULITMUS_TESTS_PTX_WRITE_H
#define CULITMUS_TESTS_PTX_WRITE_H

#include "ptx/ptx.h"

static void write_operand(struct text *out, const struct ptx_operand *o);

static void write_operands(struct text *out, const struct ptx_operand *list, int n) {
    for (int k = 0; k < n; k++) {
        if (k) text_add(out, ", ");
        write_operand(out, &list[k]);
    }
}

static void write_parts(struct text *out, const char *open, const struct ptx_operand *o, const char *close) {
    text_add(out, open);
    write_operands(out, o->parts, o->nparts);
    text_add(out, close);
}

static void write_offset(struct text *out, const struct ptx_operand *o) {
    const char *sign = o->offset->negated ? "-" : "";
    if (o->element)
        text_printf(out, "[%s]", o->offset->text);
    else
        text_printf(out, "+%s%s", sign, o->offset->text);
}

static void write_operand(struct text *out, const struct ptx_operand *o) {
    if (o->negated) text_add(out, o->kind == PTX_NAME ? "!" : "-");
    switch (o->kind) {
    case PTX_NAME:
    case PTX_INTEGER:
    case PTX_FLOAT:
        text_add(out, o->text);
        if (o->nparts) write_parts(out, "(", o, ")");
        break;
    case PTX_ADDRESS: write_parts(out, "[", o, "]"); break;
    case PTX_VECTOR: write_parts(out, "{", o, "}"); break;
    case PTX_LIST: write_parts(out, "(", o, ")"); break;
    }
    if (o->offset) write_offset(out, o);
    if (o->second) {
        text_add(out, "|");
        write_operand(out, o->second);
    }
}

static void write_instruction(struct text *out, const struct ptx_instruction *in) {
    if (in->guard) {
        text_add(out, "@");
        write_operand(out, in->guard);
        text_add(out, " ");
    }
    ptx_write_opcode(out, in);
    if (in->noperands) text_add(out, " ");
    write_operands(out, in->operands, in->noperands);
    text_add(out, ";");
}

static void write_words(struct text *out, const struct ptx_word *words, int n) {
    for (int k = 0; k < n; k++) {
        text_printf(out, "%s.%s", k ? " " : "", words[k].text);
        if (words[k].argument) text_printf(out, " %s", words[k].argument);
    }
}

static void write_name(struct text *out, const struct ptx_name *name) {
    text_add(out, name->text);
    if (name->range >= 0) text_printf(out, "<%d>", name->range);
    for (int k = 0; k < name->ndimensions; k++)
        if (name->dimensions[k] < 0)
            text_add(out, "[]");
        else
            text_printf(out, "[%d]", name->dimensions[k]);
    if (!name->initial) return;
    text_add(out, " = ");
    write_operand(out, name->initial);
}

static void write_variable(struct text *out, const struct ptx_variable *v) {
    write_words(out, v->words, v->nwords);
    for (int k = 0; k < v->nnames; k++) {
        text_add(out, k ? ", " : " ");
        write_name(out, &v->names[k]);
    }
}

static void write_directive(struct text *out, const struct ptx_directive *d) {
    text_add(out, ".");
    for (int k = 0; k < d->n; k++)
        text_printf(out, "%s%s", k && d->apart[k] ? " " : "", d->tokens[k]);
    if (d->semicolon) text_add(out, ";");
}

static void write_parameters(struct text *out, const struct ptx_variable *list, int n) {
    text_add(out, " (");
    for (int k = 0; k < n; k++) {
        if (k) text_add(out, ", ");
        write_variable(out, &list[k]);
    }
    text_add(out, ")");
}

static void write_function(struct text *out, const struct ptx_function *f) {
    write_words(out, f->words, f->nwords);
    if (f->has_returns) write_parameters(out, f->returns, f->nreturns);
    text_printf(out, " %s", f->name);
    if (f->has_parameters) write_parameters(out, f->parameters, f->nparameters);
    for (int k = 0; k < f->ndirectives; k++) {
        text_add(out, "\n");
        write_directive(out, &f->directives[k]);
    }
    if (f->prototype) text_add(out, "\n;");
}

/* Writes statements, a line each. */
static void ptx_write(struct text *out, const struct ptx_code *code) {
    for (int k = 0; k < code->n; k++) {
        const struct ptx_statement *s = &code->statements[k];
        switch (s->kind) {
        case PTX_INSTRUCTION: write_instruction(out, s->instruction); break;
        case PTX_LABEL: text_printf(out, "%s:", s->text); break;
        case PTX_COMMENT: text_add(out, s->text); break;
        case PTX_OPEN: text_add(out, "{"); break;
        case PTX_CLOSE: text_add(out, "}"); break;
        case PTX_VARIABLE:
            write_variable(out, s->variable);
            text_add(out, ";");
            break;
        case PTX_FUNCTION: write_function(out, s->function); break;
        case PTX_DIRECTIVE: write_directive(out, s->directive); break;
        }
        text_add(out, "\n");
    }
}

#endif
