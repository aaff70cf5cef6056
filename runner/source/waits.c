#include "source/waits.h"

/* The copies that one kind of engine does for a body. */
struct group_copies {
    enum engine engine;
    const struct op *wait;  /* the last wait for groups, except one that also commits; NULL: there is none */
    const struct op *first; /* the first wait of any kind */
    const struct op *ungrouped; /* the first copy with no commit behind it */
    int commits, copies;
};

/* Whether the operation starts a copy that belongs to a group. */
static bool is_grouped(const struct op *op) {
    return op_kinds[op->kind].engine && !op_kinds[op->kind].touches[2];
}

static bool is_commit(const struct stmt *s, void *ctx) {
    const struct group_copies *c = ctx;
    return !(s->kind == STMT_OP && s->op->kind == OP_COMMIT && op_rows[s->op->name].engine == c->engine);
}

static bool has_commit(const struct stmt *s, struct group_copies *c) {
    return s && !stmt_walk(s, is_commit, c);
}

static void look_at(struct group_copies *c, const struct op *op, bool covered) {
    if (op_rows[op->name].engine != c->engine) return;
    if (op->kind == OP_COMMIT) c->commits++;
    if (op->kind == OP_WAIT && !c->first) c->first = op;
    if (op->kind == OP_WAIT && !op_rows[op->name].waits_for_all) c->wait = op;
    if (!is_grouped(op)) return;
    c->copies++;
    if (!covered && !c->ungrouped) c->ungrouped = op;
}

/* `covered`: a commit comes behind the list, or in a loop around it. */
static void look_at_list(struct group_copies *c, const struct stmt *s, bool covered) {
    for (; s; s = s->next) {
        bool behind = covered || has_commit(s->next, c);
        bool around = behind || (s->kind == STMT_LOOP && (has_commit(s->body, c) || has_commit(s->step, c)));
        if (s->kind == STMT_OP) look_at(c, s->op, behind);
        look_at_list(c, s->body, around);
        look_at_list(c, s->orelse, behind);
        look_at_list(c, s->step, around);
    }
}

static struct group_copies copies_of(const struct body *b, enum engine engine) {
    struct group_copies c = {.engine = engine};
    look_at_list(&c, b->first, false);
    /* with labels, the order of the text is not the order of execution */
    if (b->nlabels && c.commits) c.ungrouped = NULL;
    return c;
}

static bool copies_elsewhere(const struct test *t, const struct body *b, enum engine engine) {
    for (int k = 0; k < t->nbodies; k++)
        if (&t->bodies[k] != b && copies_of(&t->bodies[k], engine).copies) return true;
    return false;
}

static void check_body(const struct test *t, const struct body *b, enum engine engine, struct diag *d) {
    static const char *const kinds[ENGINES] = {[ENGINE_COPY] = "cp.async", [ENGINE_BULK] = "bulk copies"};
    struct group_copies c = copies_of(b, engine);
    const struct source *text = test_text_of(t, b);
    if (c.wait && c.ungrouped && c.wait->number > c.ungrouped->number)
        diag_warning(
            d, text, c.ungrouped->pos,
            "no commit stands behind this copy: it is in no group, and no wait for groups waits for it");
    if (!c.first || c.copies || c.commits) return;
    if (copies_elsewhere(t, b, engine))
        diag_warning(d, text, c.first->pos,
                     "groups are of a thread: this one has no groups of %s, so it waits for nothing",
                     kinds[engine]);
    else
        diag_warning(d, text, c.first->pos, "there are no groups of %s: this waits for nothing",
                     kinds[engine]);
}

void waits_check(const struct test *t, struct diag *d) {
    for (int k = 0; k < t->nbodies; k++)
        for (enum engine e = ENGINE_COPY; e < ENGINES; e++)
            check_body(t, &t->bodies[k], e, d);
}
