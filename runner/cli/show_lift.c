/* `show --as lift`: prints what the compiler left of a whole kernel, access by access. */
#include <string.h>

#include "base/source.h"
#include "cli/cli.h"

/* The state of printing a body. */
struct lift_view {
    struct arena *arena;
    const struct test *test;
    const struct body *body;
    struct lines lines; /* the lines of its PTX */
};

static const char *find_line(const struct lift_view *v, int line) {
    const char *text = v->body->text->text + v->lines.start[line - 1];
    text += strspn(text, " \t");
    char *line_text = arena_strndup(v->arena, text, strcspn(text, "\r\n"));
    for (char *tab; (tab = strchr(line_text, '\t'));)
        *tab = ' ';
    return line_text;
}

/* Prints such as "st.global.u32 [%rd3], %r1; data". */
static const char *say_op(const struct lift_view *v, const struct op *op) {
    const char *slot = op->slot >= 0 ? v->test->slots[op->slot].name : NULL;
    if (slot) return arena_printf(v->arena, "fence(%s)", slot);
    const char *text = find_line(v, op->pos.line);
    int loc = op->place[0].loc;
    return loc < 0 ? text : arena_printf(v->arena, "%-44s %s", text, v->test->locs[loc].name);
}

/* Returns what a kernel's author may not expect of an access. */
static const char *remark_of(const struct lift_view *v, const struct op *op) {
    const char *text = op->slot >= 0 ? "" : find_line(v, op->pos.line);
    if (strstr(text, ".nc."))
        return "the compiler took this for data that nobody writes: it reads through the read-only proxy";
    if (strstr(text, ".v2.") || strstr(text, ".v4."))
        return "this is one vector: the compiler may have merged accesses";
    return NULL;
}

static bool is_no_access(const struct stmt *s, void *ctx) {
    (void)ctx;
    return s->kind != STMT_OP;
}

static void put_statements(const struct lift_view *v, const struct stmt *s, int depth) {
    for (; s; s = s->next) {
        const char *place = body_place(v->arena, v->body, s->pos);
        const char *remark = s->kind == STMT_OP ? remark_of(v, s->op) : NULL;
        if (s->kind == STMT_LOOP && loop_waits(s) && stmt_walk(s->body, is_no_access, NULL))
            remark = "this loop reads nothing: what it waits for is read once, before it";
        if (s->kind == STMT_OP) printf("  %-28s %*s%s\n", place, 2 * depth, "", say_op(v, s->op));
        if (s->kind == STMT_LOOP) printf("  %-28s %*sloop\n", place, 2 * depth, "");
        if (s->kind == STMT_IF) printf("  %-28s %*sif\n", place, 2 * depth, "");
        if (remark) printf("  %-28s %*s^ %s\n", "", 2 * depth, "", remark);
        put_statements(v, s->body, depth + 1);
        if (s->orelse) printf("  %-28s %*selse\n", "", 2 * depth, "");
        put_statements(v, s->orelse, depth + 1);
        put_statements(v, s->step, depth + 1);
    }
}

bool lift_put(const struct test *t) {
    struct arena *a = arena_open();
    bool any = false;
    for (int k = 0; k < t->nbodies; k++) {
        struct lift_view v = {.arena = a, .test = t, .body = &t->bodies[k]};
        if (!v.body->text) continue;
        v.lines = source_lines(a, v.body->text);
        printf("%s%s, %d block%s of %d\n", any ? "\n" : "", v.body->name, v.body->grid,
               v.body->grid == 1 ? "" : "s", v.body->block);
        put_statements(&v, v.body->first, 0);
        any = true;
    }
    arena_close(a);
    return any;
}
