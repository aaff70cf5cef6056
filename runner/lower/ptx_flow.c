/* Labels and branches, and infinite loops of them: what runs, and from where the end can be reached. */
#include <string.h>

#include "litmus/name.h"
#include "lower/column.h"

/* Labels of an asm belong to their braces, and to the call whose function has them; that of the end, "", to none. */
static int find_label(struct column *c, const char *name, struct pos pos) {
    int statement = c->block ? ptx_find_label(c->code, c->at, name) : -1, call = *name ? c->call : 0;
    for (int i = 0; i < c->nlabels; i++)
        if (strcmp(c->labels[i].name, name) == 0 && c->labels[i].statement == statement &&
            c->labels[i].call == call)
            return i;
    if (c->nlabels == MAX_LABELS) {
        parse_error(&c->p, pos, "a thread has at most %d labels", MAX_LABELS);
        return 0;
    }
    c->labels = arena_more(c->p.arena, c->labels, (size_t)c->nlabels, sizeof *c->labels);
    c->labels[c->nlabels] = (struct column_label){name, statement, call, false, pos};
    return c->nlabels++;
}

void column_label(struct column *c, const struct ptx_statement *s) {
    int number = find_label(c, s->text, s->pos);
    struct column_label *label = &c->labels[number];
    if (label->defined) {
        parse_complain(&c->p, s->pos, "label '%s' is defined twice", s->text);
        diag_note(c->p.diag, c->p.source, label->pos, "it is defined here already");
        return;
    }
    label->defined = true;
    label->pos = s->pos;
    stmt_add(&c->p, STMT_LABEL, s->pos)->label = c->p.body->nlabels + number;
}

void column_branch(struct column *c, const char *to, struct pos pos, struct expr *value) {
    int label = find_label(c, to, pos);
    struct stmt *s = stmt_add(&c->p, STMT_GOTO, c->in->pos);
    s->value = value;
    s->label = c->p.body->nlabels + label;
}

static void read_target(struct column *c, struct expr *value) {
    const struct ptx_operand *o = ptx_next(c, "a label");
    if (o && (o->kind != PTX_NAME || o->offset || *o->text == '%'))
        parse_error(&c->p, o->pos, "expected a label");
    if (o && !c->p.panic) column_branch(c, o->text, o->pos, value);
}

void ptx_goto(struct column *c) {
    ptx_words_take(&c->words, c->in, "uni");
    read_target(c, NULL);
}

/* exit and ret lead to the end of the column. */
void ptx_exit(struct column *c) {
    ptx_words_take(&c->words, c->in, "uni");
    struct stmt *s = stmt_add(&c->p, STMT_GOTO, c->in->pos);
    s->label = c->p.body->nlabels + find_label(c, "", c->in->pos);
}

/* How many registers a warp may use is nothing to a test. */
void ptx_nothing(struct column *c) {
    if (!ptx_words_take(&c->words, c->in, "inc") && !ptx_words_take(&c->words, c->in, "dec"))
        parse_error(&c->p, c->in->pos, "expected setmaxnreg.inc or setmaxnreg.dec");
    ptx_words_take(&c->words, c->in, "sync");
    ptx_words_take(&c->words, c->in, "aligned");
    ptx_number(c, "a number of registers", 256);
}

/* Gives a label a name that no other one of the body has. */
static const char *unique_name(struct column *c, const struct column_label *label, const char *name) {
    const struct body *body = c->p.body;
    for (int i = 0; i < body->nlabels; i++)
        if (strcmp(body->labels[i], name) == 0)
            return unique_name(c, label, arena_printf(c->p.arena, "%s_", name));
    for (const struct column_label *other = c->labels; other < c->labels + c->nlabels; other++)
        if (other != label && strcmp(other->name, name) == 0)
            return unique_name(c, label, arena_printf(c->p.arena, "%s_", name));
    return name;
}

/* Puts the label of the end there. */
static void finish_exit(struct column *c) {
    struct column_label *end = NULL;
    for (int i = 0; i < c->nlabels; i++)
        if (!*c->labels[i].name) end = &c->labels[i];
    if (!end) return;
    end->name = unique_name(c, end, "EXIT");
    end->defined = true;
    stmt_add(&c->p, STMT_LABEL, end->pos)->label = c->p.body->nlabels + (int)(end - c->labels);
}

void ptx_branch(struct column *c) {
    struct expr *value = ptx_comparison(c, c->in->words[0].text + 1);
    read_target(c, value);
}

void column_finish_labels(struct column *c, const char *where) {
    struct parser *p = &c->p;
    struct body *body = p->body;
    const char *names[MAX_LABELS];
    finish_exit(c);
    size_t n = 0, before = (size_t)body->nlabels, after = before + (size_t)c->nlabels;
    for (int i = 0; i < c->nlabels; i++)
        if (c->labels[i].defined) names[n++] = c->labels[i].name;
    for (int i = 0; i < c->nlabels; i++)
        if (!c->labels[i].defined)
            parse_complain(p, c->labels[i].pos, "there is no label '%s' in %s%s", c->labels[i].name, where,
                           name_suggest(p->arena, c->labels[i].name, names, n));
    if (c->nlabels == 0) return;
    body->labels = arena_grow(p->arena, body->labels, before, after, sizeof *body->labels);
    for (int i = c->nlabels - 1; i >= 0; i--) /* the first of a name keeps it */
        c->labels[i].name = unique_name(c, &c->labels[i], c->labels[i].name);
    for (int i = 0; i < c->nlabels; i++)
        body->labels[body->nlabels++] = c->labels[i].name;
}

/* ---- loops without a way out ---- */

/* Statements that run, and from which the end can be reached. */
struct column_flow {
    const struct stmt **stmts;
    bool *runs, *ends;
    int *target; /* of a GOTO */
    int n;
};

/* Labels of the list are numbered from `first` on. */
static struct column_flow make_flow(struct column *c, int first) {
    struct column_flow f = {0};
    for (const struct stmt *s = c->p.out.first; s; s = s->next)
        f.n++;
    f.stmts = arena_array(c->p.arena, (size_t)f.n + 1, sizeof *f.stmts);
    f.runs = arena_array(c->p.arena, (size_t)f.n + 1, sizeof *f.runs);
    f.ends = arena_array(c->p.arena, (size_t)f.n + 1, sizeof *f.ends);
    f.target = arena_array(c->p.arena, (size_t)f.n + 1, sizeof *f.target);
    int at[MAX_LABELS] = {0}, k = 0;
    for (const struct stmt *s = c->p.out.first; s; s = s->next, k++) {
        f.stmts[k] = s;
        if (s->kind == STMT_LABEL) at[s->label - first] = k;
    }
    for (int i = 0; i < f.n; i++)
        if (f.stmts[i]->kind == STMT_GOTO) f.target[i] = at[f.stmts[i]->label - first];
    f.runs[0] = f.ends[f.n] = true;
    return f;
}

/* One step of the closure of `runs` forwards and `ends` backwards; true when something changed. */
static bool flow_step(struct column_flow *f) {
    bool changed = false;
    for (int i = 0; i < f->n; i++) {
        bool jumps = f->stmts[i]->kind == STMT_GOTO, falls = !jumps || f->stmts[i]->value;
        bool *next = &f->runs[i + 1], *target = &f->runs[f->target[i]];
        if (f->runs[i] && falls && !*next) changed = *next = true;
        if (f->runs[i] && jumps && !*target) changed = *target = true;
    }
    for (int i = f->n - 1; i >= 0; i--) {
        bool jumps = f->stmts[i]->kind == STMT_GOTO, falls = !jumps || f->stmts[i]->value;
        bool ends = (falls && f->ends[i + 1]) || (jumps && f->ends[f->target[i]]);
        if (ends && !f->ends[i]) changed = f->ends[i] = true;
    }
    return changed;
}

void column_check_ends(struct column *c, const char *where) {
    struct column_flow f = make_flow(c, c->p.body->nlabels - c->nlabels);
    while (flow_step(&f))
        continue;
    for (int i = 0; i < f.n && !f.ends[0];
         i++) /* where some path ends, the model finds out which ones are taken */
        if (f.stmts[i]->kind == STMT_GOTO && f.runs[i] && !f.ends[i]) {
            parse_complain(&c->p, f.stmts[i]->pos,
                           "an infinite loop: no path leads from here to the end of %s", where);
            return;
        }
}
