#include <string.h>

#include "base/json_write.h"
#include "base/text.h"
#include "report/survey.h"

/* Numbers of 64 bits are written as text, since those of JSON have 53 bits. */
static void put_number(struct json_out *j, const char *name, uint64_t x) {
    char text[20];
    snprintf(text, sizeof text, "%016llx", (unsigned long long)x);
    json_put_text(j, name, x ? text : NULL);
}

static void put_code(struct json_out *j, const struct compiler_choice *c, const struct survey_code *code) {
    json_open(j, NULL, '{');
    json_put_text(j, "compiler", c->name);
    if (code->refused) json_put_text(j, "refused", code->refused);
    if (code->wrong) json_put_text(j, "wrong", code->wrong);
    if (!code->refused) {
        put_number(j, "ptx", code->ptx);
        put_number(j, "code", code->code);
        json_put_whole(j, "bytes", code->bytes);
        json_put_whole(j, "registers", code->registers);
        json_put_real(j, "seconds", code->seconds);
    }
    json_close(j, '}');
}

static void put_cell(struct json_out *j, const struct test *t, const struct cell *cell) {
    json_put_text(j, "test", t->name);
    json_put_text(j, "placement", cell->placement->name);
    json_put_text(j, "access", access_name(cell->access));
    json_put_text(j, "fence", cell->fence->name);
}

static void put_text(struct json_out *j, const struct survey_request *r, const struct survey_text *x) {
    json_open(j, NULL, '{');
    put_cell(j, x->t, x->cell);
    json_put_whole(j, "cells", x->ncells);
    json_open(j, "by", '[');
    for (int k = 0; k < r->ncompilers; k++)
        put_code(j, &r->compilers[k], &x->by[k]);
    json_close(j, ']');
    json_close(j, '}');
}

static void put_form(struct json_out *j, const struct survey_request *r, const struct survey_form *f) {
    json_open(j, NULL, '{');
    json_put_text(j, "machine", f->machine);
    json_put_text(j, "awaited", f->awaited);
    json_open(j, "by", '[');
    for (int k = 0; k < r->ncompilers; k++) {
        if (!f->texts[k]) continue;
        json_open(j, NULL, '{');
        json_put_text(j, "compiler", r->compilers[k].name);
        json_put_whole(j, "texts", f->texts[k]);
        json_close(j, '}');
    }
    json_close(j, ']');
    json_close(j, '}');
}

static void put_edge(struct json_out *j, const struct survey_request *r, const struct survey_edge *e) {
    json_open(j, NULL, '{');
    json_put_text(j, "ptx", e->ptx);
    json_put_bool(j, "differs", survey_differs(r, e));
    json_open(j, "tests", '[');
    for (int k = 0; k < e->ntests; k++)
        json_put_text(j, NULL, e->tests[k]->name);
    json_close(j, ']');
    json_open(j, "forms", '[');
    for (int k = 0; k < e->nforms; k++)
        put_form(j, r, &e->forms[k]);
    json_close(j, ']');
    json_close(j, '}');
}

static void put_unfit(struct json_out *j, const struct survey_unfit *u) {
    json_open(j, NULL, '{');
    put_cell(j, u->cell->t, u->cell->cell);
    json_put_text(j, "why", u->why);
    json_close(j, '}');
}

void survey_json(const struct survey_request *r, const struct survey *s, FILE *out) {
    struct json_out j = {.out = out};
    json_open(&j, NULL, '{');
    json_put_whole(&j, "schema", 1);
    json_put_text(&j, "tool", "culitmus " CULITMUS_VERSION);
    json_put_text(&j, "architecture", r->arch);
    json_open(&j, "compilers", '[');
    for (int k = 0; k < r->ncompilers; k++)
        json_put_text(&j, NULL, r->compilers[k].name);
    json_close(&j, ']');
    if (s->unread) json_put_text(&j, "unread", s->unread);
    json_open(&j, "texts", '[');
    for (int k = 0; k < s->ntexts; k++)
        put_text(&j, r, &s->texts[k]);
    json_close(&j, ']');
    json_open(&j, "edges", '[');
    for (int k = 0; k < s->nedges; k++)
        put_edge(&j, r, &s->edges[k]);
    json_close(&j, ']');
    json_open(&j, "unfit", '[');
    for (int k = 0; k < s->nunfit; k++)
        put_unfit(&j, &s->unfit[k]);
    json_close(&j, ']');
    json_close(&j, '}');
}
