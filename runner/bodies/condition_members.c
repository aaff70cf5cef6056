/* Members of structs in conditions: T0.p.a is the register "p.a" of T0, s@1.a the location "s.a" of block 1, and ps[1].a
 * the element [1] of "ps.a". */
#include <string.h>

#include "bodies/bodies.h"

enum { MAX_STEPS = 16 };

/* What a name is made of, from the left to the right. */
struct name_steps {
    const struct tree *list[MAX_STEPS];
    int n;
};

static bool take_apart(const struct tree *n, struct name_steps *s) {
    if (n->kind != TREE_NAME && !take_apart(n->a, s)) return false;
    if (s->n == MAX_STEPS) return false;
    s->list[s->n++] = n;
    return true;
}

static bool is_thread(const struct test *t, const char *name) {
    for (int b = 0; b < t->nbodies; b++)
        if (strcmp(t->bodies[b].name, name) == 0) return true;
    return false;
}

/* Whether a register, an array of registers or a location has this name. */
static bool is_known(const struct test *t, const char *name) {
    size_t n = strlen(name);
    for (int k = 0; k < t->nlocs; k++)
        if ((!t->locs[k].view || t->locs[k].member) && strcmp(t->locs[k].name, name) == 0) return true;
    for (int b = 0; b < t->nbodies; b++)
        for (int k = 0; k < t->bodies[b].nregs; k++) {
            const struct reg *r = &t->bodies[b].regs[k];
            if (!r->temporary && strncmp(r->name, name, n) == 0 && (!r->name[n] || r->name[n] == '['))
                return true;
        }
    return false;
}

static struct tree *copy_step(struct parser *p, const struct tree *step, struct tree *of) {
    struct tree *n = arena_alloc(p->arena, sizeof *n);
    *n = *step;
    n->a = of;
    return n;
}

/* The steps from `root` on, with those up to `last` as one name. */
static const struct tree *join(struct parser *p, const struct name_steps *s, int root, int last,
                               const char *name) {
    struct token *word = arena_array(p->arena, 2, sizeof *word);
    struct tree *whole = NULL;
    for (int k = 0; k < root; k++)
        whole = copy_step(p, s->list[k], whole);
    word[0] = *s->list[root]->at;
    word[0].text = name;
    word[1] = *s->list[last]->end;
    whole = copy_step(p, s->list[root], whole);
    whole->at = word;
    if (root == 0) whole->first = word;
    for (int k = root + 1; k < s->n; k++) {
        if (k <= last && s->list[k]->kind == TREE_MEMBER) continue;
        whole = copy_step(p, s->list[k], whole);
        if (root == 0) whole->first = word;
    }
    whole->end = s->list[s->n - 1]->end;
    return whole;
}

const struct tree *condition_join_members(struct parser *p, const struct tree *n) {
    struct name_steps s = {.n = 0};
    int root = 0, last = -1;
    if (!tree_is_place(n) || !take_apart(n, &s)) return n;
    if (is_thread(p->test, s.list[0]->at->text))
        for (root = 1; root < s.n && s.list[root]->kind != TREE_MEMBER;)
            root++;
    if (root >= s.n) return n;
    const char *name = s.list[root]->at->text, *found = NULL;
    for (int k = root + 1; k < s.n; k++) {
        if (s.list[k]->kind != TREE_MEMBER) continue;
        name = arena_printf(p->arena, "%s.%s", name, s.list[k]->at->text);
        if (!is_known(p->test, name)) continue;
        found = name;
        last = k;
    }
    return found ? join(p, &s, root, last, found) : n;
}
