/* Makes a routine smaller: actions, threads, values and orders go one by one, as long as it stays what it is. */
#include "interleave.h"

struct reducer {
    struct routine *r;
    bool (*is_so)(const struct routine *r, void *context);
    void *context;
    bool smaller; /* in this round */
};

/* Keeps what was made of the routine, or takes it back. */
static bool keep(struct reducer *d, const struct routine *made) {
    if (!d->is_so(made, d->context)) return false;
    *d->r = *made;
    d->smaller = true;
    return true;
}

static void drop_action(struct reducer *d, int k) {
    struct routine made = *d->r;
    if (made.actions[k].kind == NOTHING || made.actions[k].asked) return;
    made.actions[k].kind = NOTHING;
    made.actions[k].reg = -1;
    keep(d, &made);
}

/* Leaves the body of a loop or a branch. */
static void unwrap(struct reducer *d, int k) {
    struct routine made = *d->r;
    enum action_kind kind = made.actions[k].kind;
    if (kind != IF && kind != FOR && kind != WHILE && kind != DO) return;
    made.actions[k].kind = BLOCK;
    keep(d, &made);
}

static void drop_other(struct reducer *d, int k) {
    struct routine made = *d->r;
    if (made.actions[k].kind != IF || !made.actions[k].other) return;
    made.actions[k].other = 0;
    keep(d, &made);
}

static void drop_order(struct reducer *d, int k) {
    struct routine made = *d->r;
    if (!made.actions[k].ordered) return;
    made.actions[k].ordered = false;
    keep(d, &made);
}

static void simplify_formula(struct reducer *d, struct formula *(*of)(struct action *), int k) {
    for (int n = 0; n < 2; n++) {
        struct routine made = *d->r;
        struct formula *f = of(&made.actions[k]);
        if (f->operation == ALONE && f->left.kind == NUMBER && f->left.n <= n) return;
        *f = (struct formula){.left = {NUMBER, n}};
        if (keep(d, &made)) return;
    }
}

static struct formula *first_value(struct action *a) {
    return &a->a;
}

static struct formula *second_value(struct action *a) {
    return &a->b;
}

static struct formula *index_of(struct action *a) {
    return &a->spot.index;
}

static void drop_body(struct reducer *d, int k) {
    struct routine made = *d->r;
    for (int i = k; i + 1 < made.nbodies; i++)
        made.bodies[i] = made.bodies[i + 1];
    if (--made.nbodies) keep(d, &made);
}

static void drop_copy(struct reducer *d, int k) {
    struct routine made = *d->r;
    if (--made.bodies[k].count) keep(d, &made);
}

static void clear_word(struct reducer *d, int k) {
    struct routine made = *d->r;
    if (!made.memory[k]) return;
    made.memory[k] = 0;
    keep(d, &made);
}

static void simplify_values(struct reducer *d, int k) {
    enum action_kind kind = d->r->actions[k].kind;
    if ((kind >= STORE && kind <= SET) || kind == IF || kind == FOR || kind == BREAK)
        simplify_formula(d, first_value, k);
    if (kind == SWAP) simplify_formula(d, second_value, k);
    if (d->r->actions[k].spot.location == Q) simplify_formula(d, index_of, k);
}

void interleave_reduce(struct routine *r, bool (*is_so)(const struct routine *r, void *context),
                       void *context) {
    struct reducer d = {r, is_so, context, true};
    while (d.smaller) {
        d.smaller = false;
        for (int k = r->nbodies - 1; k >= 0; k--) {
            drop_body(&d, k);
            if (k < r->nbodies) drop_copy(&d, k);
        }
        for (int k = r->nactions; k > 0; k--) {
            drop_action(&d, k);
            unwrap(&d, k);
            drop_other(&d, k);
            drop_order(&d, k);
            simplify_values(&d, k);
        }
        for (int k = 0; k < WORDS; k++)
            clear_word(&d, k);
    }
}
