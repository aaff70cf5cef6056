/* Turns `goto` into structure. The lines between a label and a jump back to it become a loop; the lines
 * between a jump and a label further down become a block that can be left:
 *
 *   again: a; if (c) goto again;   becomes   again: { a; if (c) repeat these lines; leave them }
 *   if (c) goto out; a; out: b;    becomes   { if (c) leave these lines; a; } out: b;
 *
 * Both nest in any order. A loop goes on to the last jump back to any label within it. A block begins with
 * the first jump to its label. */
#include <string.h>

#include "syntax/syntax.h"

enum { NPARTS = 3 }; /* of a statement: a, b and c */

/* ---- where jumps are ---- */

/* Counts the gotos, or the labels, of this name in a list or a single statement, without the functions in
 * it. */
static int count(const struct tree *n, enum tree_kind kind, const char *label);

static int count_alone(const struct tree *n, enum tree_kind kind, const char *label) {
    if (n->kind == kind && token_is_word(n->at, label)) return 1;
    if (n->kind == TREE_FUNCTION) return 0;
    return count(n->a, kind, label) + count(n->b, kind, label) + count(n->c, kind, label);
}

static int count(const struct tree *n, enum tree_kind kind, const char *label) {
    int found = 0;
    for (; n; n = n->next)
        found += count_alone(n, kind, label);
    return found;
}

static bool jumps_alone(const struct tree *n, const char *label) {
    return count_alone(n, TREE_GOTO, label) > 0;
}

/* Returns the last statement of a list that jumps to a label, or NULL. */
static struct tree *last_jump(struct tree *n, const char *label) {
    struct tree *last = NULL;
    for (; n; n = n->next)
        if (jumps_alone(n, label)) last = n;
    return last;
}

/* ---- lines that become one statement ---- */

static struct tree *make_region(struct syntax *s, enum tree_kind kind, const struct tree *label,
                                struct tree *first, struct tree *last) {
    struct tree *n = syntax_make(s, kind, first->first, label->at);
    n->end = last->end;
    n->a = first;
    n->next = last->next;
    last->next = NULL;
    return n;
}

static void join_list(struct syntax *s, struct tree **list);

/* Makes a loop of the lines from a label to `last`, the last jump back to it. If another label is among them,
 * the loop goes on to the last jump to that one. */
static void make_loop(struct syntax *s, struct tree *label, struct tree *last) {
    for (struct tree *k = label->next; k != last; k = k->next) {
        struct tree *further = k->kind == TREE_TARGET ? last_jump(last, k->at->text) : NULL;
        if (further) last = further;
    }
    label->next = make_region(s, TREE_AGAIN, label, label->next, last);
    join_list(s, &label->next->a);
}

/* Makes one statement of the lines from the first jump to a label up to the label. Returns the link to the
 * label. */
static struct tree **make_left(struct syntax *s, struct tree **list, struct tree **link) {
    struct tree *label = *link, **from = list;
    while (*from != label && !jumps_alone(*from, label->at->text))
        from = &(*from)->next;
    if (*from == label) return link;
    struct tree *last = *from;
    while (last->next != label)
        last = last->next;
    *from = make_region(s, TREE_LEFT, label, *from, last);
    return &(*from)->next;
}

static void join_list(struct syntax *s, struct tree **list) {
    for (struct tree **link = list; *link; link = &(*link)->next) {
        struct tree *label = *link, *last;
        if (label->kind != TREE_TARGET) continue;
        last = last_jump(label->next, label->at->text);
        if (last) make_loop(s, label, last);
        link = make_left(s, list, link);
    }
}

/* Returns the list of statements that is part k of a statement (a, b or c); NULL: that part is no list of
 * statements. */
static struct tree **list_in(struct tree *n, int k) {
    enum { IN_A = 1, IN_B = 2, IN_C = 4 };
    static const unsigned char lists[TREE_KINDS] = {
        [TREE_SEQUENCE] = IN_A, [TREE_AGAIN] = IN_A,    [TREE_LEFT] = IN_A,  [TREE_IF] = IN_B | IN_C,
        [TREE_WHILE] = IN_B,    [TREE_DO] = IN_B,       [TREE_FOR] = IN_B,   [TREE_SWITCH] = IN_B,
        [TREE_GROUP] = IN_B,    [TREE_FUNCTION] = IN_B, [TREE_RECORD] = IN_A};
    struct tree **parts[NPARTS] = {&n->a, &n->b, &n->c};
    return lists[n->kind] >> k & 1 ? parts[k] : NULL;
}

/* Joins the lists within the statements of a list, and then the list itself. */
static void join(struct syntax *s, struct tree **list) {
    for (struct tree *n = *list; n; n = n->next)
        for (int k = 0; k < NPARTS; k++)
            if (list_in(n, k)) join(s, list_in(n, k));
    join_list(s, list);
}

/* ---- jumps that are refused ---- */

/* The repeated or left lines around a statement, from the inside out. */
struct around {
    const struct around *further;
    const struct tree *region;
    const struct tree *text;
};

/* Reads a statement with an error in it only for what it declares. */
static void complain(struct syntax *s, struct tree *n, const char *text) {
    struct fault *fault = arena_alloc(s->arena, sizeof *fault);
    *fault = (struct fault){.pos = n->first->pos, .text = text};
    if (!n->fault) n->fault = fault;
}

static void refuse(struct syntax *s, struct tree *n, const char *text) {
    n->fault = NULL;
    complain(s, n, text);
    n->kind = TREE_BAD;
}

static void check_goto(struct syntax *s, struct tree *n, const struct around *in) {
    const char *label = n->at->text;
    if (n->at->kind != TOK_NAME) return; /* this is reported elsewhere */
    for (const struct around *k = in; k; k = k->further)
        if (k->region && token_is_word(k->region->at, label)) return;
    if (count(in->text, TREE_TARGET, label) == 0)
        complain(s, n, arena_printf(s->arena, "there is no label '%s'", label));
    else
        complain(s, n, "not supported yet: a 'goto' into braces, or into lines that another 'goto' repeats");
}

static bool initialises(const struct tree *n) {
    for (const struct tree *k = n->kind == TREE_DECLARATION ? n->b : NULL; k; k = k->next)
        if (k->b) return true;
    return false;
}

/* Refuses a jump over the initialisation of a name that is still visible at the label, as C++ does. Returns
 * whether the list jumps to the label, or did before (`jumped`). */
static bool check_crossed(struct syntax *s, struct tree *n, const char *label, bool jumped) {
    for (; n; n = n->next) {
        if (n->kind == TREE_AGAIN || n->kind == TREE_LEFT)
            jumped = check_crossed(s, n->a, label, jumped);
        else if (jumped && initialises(n))
            complain(s, n, arena_printf(s->arena, "'goto %s' jumps over this: declare it before", label));
        jumped = jumped || jumps_alone(n, label);
    }
    return jumped;
}

static void check(struct syntax *s, struct tree *n, const struct around *in);

static void check_parts(struct syntax *s, struct tree *n, const struct around *in) {
    struct around region = {in, n, in->text}, function = {.text = n->b};
    if (n->kind == TREE_LEFT) check_crossed(s, n->a, n->at->text, false);
    if (n->kind == TREE_LEFT || n->kind == TREE_AGAIN) in = &region;
    if (n->kind == TREE_FUNCTION) in = &function;
    for (int k = 0; k < NPARTS; k++)
        if (list_in(n, k)) check(s, *list_in(n, k), in);
}

static bool is_label(const struct tree *n) {
    return n && n->kind == TREE_TARGET;
}

static bool has_branch(const struct tree *n) {
    return n->kind == TREE_IF || n->kind == TREE_WHILE || n->kind == TREE_DO || n->kind == TREE_FOR;
}

static void check(struct syntax *s, struct tree *n, const struct around *in) {
    for (; n; n = n->next) {
        if (is_label(n) && count(in->text, TREE_GOTO, n->at->text) == 0) n->flags |= TARGET_UNUSED;
        if (n->kind == TREE_GOTO)
            check_goto(s, n, in);
        else if (is_label(n) && count(in->text, TREE_TARGET, n->at->text) > 1)
            refuse(s, n, arena_printf(s->arena, "the label '%s' stands twice", n->at->text));
        else if (has_branch(n) && (is_label(n->b) || (n->kind == TREE_IF && is_label(n->c))))
            refuse(s, n, "a label stands in braces here: { label: ... }");
        else
            check_parts(s, n, in);
    }
}

void syntax_join_jumps(struct syntax *s, struct tree *body) {
    struct around functions = {.text = NULL}, kernel = {.text = body->c};
    if (!s->jumps) return;
    join(s, &body->a);
    join(s, &body->c);
    kernel.text = body->c;
    check(s, body->a, &functions);
    check(s, body->c, &kernel);
}
