/* Makes loops and conditionals of branches, where they are what a body has. Other branches stay.
 *
 *   L: ... @p bra L;                      for (;;) { ...; if (!p) break; }
 *   @p bra L; ... L:                      if (!p) { ... }
 *   @p bra L; ... bra M; L: ... M:        if (!p) { ... } else { ... }
 *   if (p) { ...; bra M; } ... M:         if (p) { ... } else { ... } */
#include <string.h>

#include "lift/reader.h"

struct shaper {
    struct arena *arena;
    int nlabels;
    int *jumps; /* of each label: how many jumps lead there */
};

/* A list of statements, and the labels behind it: a jump to one of these goes to the end of the list. */
struct shaped_list {
    struct stmt **list;
    int n;
    const bool *follow;
};

/* ---- jumps ---- */

static void count_jumps(const struct stmt *s, int *jumps) {
    for (; s; s = s->next) {
        if (s->kind == STMT_GOTO) jumps[s->label]++;
        count_jumps(s->body, jumps);
        count_jumps(s->orelse, jumps);
    }
}

/* Counts the jumps within some statements that lead to a label. */
static int jumps_in(struct stmt *const *list, int n, int label) {
    int count = 0;
    for (int k = 0; k < n; k++) {
        const struct stmt *s = list[k];
        count += s->kind == STMT_GOTO && s->label == label;
        for (struct stmt *inner = s->body; inner; inner = inner->next)
            count += jumps_in(&inner, 1, label);
        for (struct stmt *inner = s->orelse; inner; inner = inner->next)
            count += jumps_in(&inner, 1, label);
    }
    return count;
}

/* Whether a jump from outside leads into these statements. */
static bool is_entered(const struct shaper *h, struct stmt *const *list, int n) {
    for (int k = 0; k < n; k++)
        if (list[k]->kind == STMT_LABEL && jumps_in(list, n, list[k]->label) < h->jumps[list[k]->label])
            return true;
    return false;
}

/* Returns the index of a label in a list, searching from `from`; or -1. */
static int find_label(const struct shaped_list *r, int from, int label) {
    for (int k = from; k < r->n; k++)
        if (r->list[k]->kind == STMT_LABEL && r->list[k]->label == label) return k;
    return -1;
}

/* The same; a label behind the list is found at its end. */
static int find_target(const struct shaped_list *r, int from, int label) {
    int k = find_label(r, from, label);
    return k < 0 && r->follow[label] ? r->n : k;
}

/* Returns the labels at an index of the list; at its end these include the labels behind it. */
static const bool *follow_at(const struct shaper *h, const struct shaped_list *r, int at) {
    bool *follow = arena_array(h->arena, (size_t)h->nlabels + 1, sizeof *follow);
    for (; at < r->n && r->list[at]->kind == STMT_LABEL; at++)
        follow[r->list[at]->label] = true;
    for (int k = 0; at == r->n && k < h->nlabels; k++)
        follow[k] = follow[k] || r->follow[k];
    return follow;
}

/* ---- what is made ---- */

static struct stmt *make(struct shaper *h, enum stmt_kind kind, struct pos pos) {
    struct stmt *s = arena_alloc(h->arena, sizeof *s);
    *s = (struct stmt){.kind = kind, .pos = pos, .reg = -1, .label = -1};
    return s;
}

static struct expr *contrary(struct shaper *h, struct expr *e) {
    if (e->kind == EXPR_NOT) return e->a;
    struct expr *not = arena_alloc(h->arena, sizeof *not );
    *not = (struct expr){.kind = EXPR_NOT, .type = type_int, .pos = e->pos, .a = e};
    return not ;
}

static struct stmt *chain(struct stmt **list, int n) {
    for (int k = 0; k < n; k++)
        list[k]->next = k + 1 < n ? list[k + 1] : NULL;
    return n ? list[0] : NULL;
}

static struct stmt *shape(struct shaper *h, struct stmt **list, int n, const bool *follow);

/* Replaces statements from..to of a list by one, or by none. */
static void replace(struct shaped_list *r, int from, int to, struct stmt *by) {
    int keep = by != NULL;
    if (by) r->list[from] = by;
    memmove(r->list + from + keep, r->list + to, (size_t)(r->n - to) * sizeof(struct stmt *));
    r->n -= to - from - keep;
}

static void drop_jump(struct shaper *h, struct shaped_list *r, int at) {
    h->jumps[r->list[at]->label]--;
    replace(r, at, at + 1, NULL);
}

/* ---- conditionals ---- */

/* Handles @p bra L; ... bra M; L: ... M: */
static bool shape_either(struct shaper *h, struct shaped_list *r, int at, int other) {
    struct stmt *branch = r->list[at], *over = other > at + 1 && other < r->n ? r->list[other - 1] : NULL;
    if (!over || over->kind != STMT_GOTO || over->value || h->jumps[branch->label] != 1) return false;
    int end = find_target(r, other + 1, over->label);
    if (end < 0) return false;
    if (is_entered(h, r->list + at + 1, other - at - 2) ||
        is_entered(h, r->list + other + 1, end - other - 1))
        return false;
    const bool *follow = follow_at(h, r, end);
    struct stmt *s = make(h, STMT_IF, branch->pos);
    s->value = contrary(h, branch->value);
    h->jumps[branch->label]--;
    h->jumps[over->label]--;
    s->body = shape(h, r->list + at + 1, other - at - 2, follow);
    s->orelse = shape(h, r->list + other + 1, end - other - 1, follow);
    if (!s->body) {
        s->value = branch->value;
        s->body = s->orelse;
        s->orelse = NULL;
    }
    replace(r, at, end, s->body ? s : NULL);
    return true;
}

/* Handles @p bra L; ... L: */
static bool shape_if(struct shaper *h, struct shaped_list *r, int at, int end) {
    struct stmt *branch = r->list[at];
    if (is_entered(h, r->list + at + 1, end - at - 1)) return false;
    struct stmt *s = make(h, STMT_IF, branch->pos);
    s->value = contrary(h, branch->value);
    h->jumps[branch->label]--;
    s->body = shape(h, r->list + at + 1, end - at - 1, follow_at(h, r, end));
    replace(r, at, end, s->body ? s : NULL);
    return true;
}

/* Returns a list of statements as an array. */
static struct stmt **as_array(struct shaper *h, struct stmt *first, int *n) {
    *n = 0;
    for (struct stmt *s = first; s; s = s->next)
        ++*n;
    struct stmt **list = arena_array(h->arena, (size_t)*n + 1, sizeof *list);
    int k = 0;
    for (struct stmt *s = first; s; s = s->next)
        list[k++] = s;
    return list;
}

/* Restructures a list again, now with other labels behind it. */
static struct stmt *shape_again(struct shaper *h, struct stmt *first, const bool *follow) {
    int n;
    struct stmt **list = as_array(h, first, &n);
    first = shape(h, list, n, follow);
    struct shaped_list r = {.follow = follow};
    r.list = as_array(h, first, &r.n);
    for (int k = 0; k < r.n; k++) {
        if (r.list[k]->kind != STMT_IF) continue;
        const bool *behind = follow_at(h, &r, k + 1);
        r.list[k]->body = shape_again(h, r.list[k]->body, behind);
        r.list[k]->orelse = shape_again(h, r.list[k]->orelse, behind);
    }
    return first;
}

/* Handles if (p) { ...; bra M; } ... M: where what is between becomes the else. */
static bool shape_rest(struct shaper *h, struct shaped_list *r, int at) {
    struct stmt *s = r->list[at], **last = &s->body;
    while (*last && (*last)->next)
        last = &(*last)->next;
    if (s->orelse || !*last || (*last)->kind != STMT_GOTO || (*last)->value) return false;
    int label = (*last)->label, end = find_target(r, at + 1, label);
    if (end < 0 || is_entered(h, r->list + at + 1, end - at - 1)) return false;
    const bool *follow = follow_at(h, r, end);
    h->jumps[label]--;
    *last = NULL;
    s->orelse = shape(h, r->list + at + 1, end - at - 1, follow);
    s->body = shape_again(h, s->body, follow);
    replace(r, at + 1, end, NULL);
    if (s->body) return true;
    s->value = contrary(h, s->value);
    s->body = s->orelse;
    s->orelse = NULL;
    if (!s->body) replace(r, at, at + 1, NULL);
    return true;
}

/* Returns true if a branch was removed. */
static bool shape_branch(struct shaper *h, struct shaped_list *r, int at) {
    struct stmt *branch = r->list[at];
    int target = find_target(r, at + 1, branch->label);
    if (target >= 0 && follow_at(h, r, at + 1)[branch->label]) {
        drop_jump(h, r, at);
        return true;
    }
    if (target < 0 || !branch->value) return false;
    return shape_either(h, r, at, target) || shape_if(h, r, at, target);
}

/* ---- loops ---- */

struct loop_exits {
    struct shaper *shaper;
    int head;         /* the label of its head: a jump there becomes `continue` */
    const bool *exit; /* the labels behind it: a jump to one becomes `break` */
};

static void become(struct loop_exits *l, struct stmt *s, enum stmt_kind kind) {
    struct stmt *jump = s;
    l->shaper->jumps[s->label]--;
    if (s->value) {
        jump = make(l->shaper, kind, s->pos);
        s->kind = STMT_IF;
        s->body = jump;
    }
    jump->kind = kind;
    s->label = -1;
}

/* Turns the jumps of a loop's body into break and continue, except those within an inner loop. */
static void leave(struct loop_exits *l, struct stmt *s) {
    for (; s; s = s->next) {
        if (s->kind == STMT_GOTO && s->label == l->head)
            become(l, s, STMT_CONTINUE);
        else if (s->kind == STMT_GOTO && l->exit[s->label])
            become(l, s, STMT_BREAK);
        if (s->kind != STMT_IF) continue;
        leave(l, s->body);
        leave(l, s->orelse);
    }
}

/* Returns the last statement with a jump back to the label at `at`, or -1. */
static int last_jump_back(const struct shaped_list *r, int at) {
    for (int k = r->n - 1; k > at; k--)
        if (jumps_in(&r->list[k], 1, r->list[at]->label)) return k;
    return -1;
}

/* Writes the end of a turn: it goes back to the head, or the loop is left. */
static struct stmt *end_turn(struct shaper *h, struct stmt *last, int head) {
    struct stmt *leaves = make(h, STMT_BREAK, last->pos);
    if (last->kind != STMT_GOTO || last->label != head) return leaves;
    h->jumps[head]--;
    if (!last->value) return NULL;
    struct stmt *s = make(h, STMT_IF, last->pos);
    s->value = contrary(h, last->value);
    s->body = leaves;
    return s;
}

/* Handles L: ... bra L; Returns true if it became a loop, which stands behind the label. */
static bool shape_loop(struct shaper *h, struct shaped_list *r, int at) {
    int head = r->list[at]->label, last = last_jump_back(r, at);
    if (last < 0 || is_entered(h, r->list + at + 1, last - at)) return false;
    struct stmt *end = r->list[last], *turn = end_turn(h, end, head);
    bool jumps = end->kind == STMT_GOTO && end->label == head;
    struct loop_exits l = {h, head, follow_at(h, r, last + 1)};
    struct stmt *loop = make(h, STMT_LOOP, end->pos);
    bool *nothing = arena_array(h->arena, (size_t)h->nlabels + 1, sizeof *nothing);
    struct stmt *body = shape(h, r->list + at + 1, last - at - jumps, nothing), **behind = &body;
    leave(&l, body);
    while (*behind)
        behind = &(*behind)->next;
    *behind = turn;
    loop->body = body;
    replace(r, at + 1, last + 1, loop);
    return true;
}

/* ---- lists ---- */

static struct stmt *shape(struct shaper *h, struct stmt **list, int n, const bool *follow) {
    struct shaped_list r = {arena_array(h->arena, (size_t)n + 1, sizeof *r.list), n, follow};
    if (n) memcpy(r.list, list, (size_t)n * sizeof(struct stmt *));
    for (int at = 0; at < r.n;) {
        const struct stmt *s = r.list[at];
        if (s->kind == STMT_GOTO && shape_branch(h, &r, at)) continue;
        if (s->kind == STMT_IF && shape_rest(h, &r, at)) continue;
        if (s->kind == STMT_LABEL && shape_loop(h, &r, at)) at++;
        at++;
    }
    return chain(r.list, r.n);
}

/* Drops labels to which no jump leads. */
static struct stmt *without_labels(const struct shaper *h, struct stmt *s) {
    struct stmt *first = NULL, **end = &first;
    for (; s; s = s->next) {
        if (s->kind == STMT_LABEL && h->jumps[s->label] == 0) continue;
        s->body = without_labels(h, s->body);
        s->orelse = without_labels(h, s->orelse);
        *end = s;
        end = &s->next;
    }
    *end = NULL;
    return first;
}

void lift_structure(struct arena *a, struct body *body) {
    struct shaper h = {a, body->nlabels, arena_array(a, (size_t)body->nlabels + 1, sizeof *h.jumps)};
    int n, left = 0;
    count_jumps(body->first, h.jumps);
    struct stmt **list = as_array(&h, body->first, &n);
    bool *nothing = arena_array(a, (size_t)body->nlabels + 1, sizeof *nothing);
    body->first = without_labels(&h, shape(&h, list, n, nothing));
    for (int k = 0; k < body->nlabels; k++)
        left += h.jumps[k];
    if (left == 0) body->nlabels = 0;
}
