/* Turns of a loop that only read, as those of a compare-exchange that fails and tries again with what it
 * found.
 *
 * Say that a run passes a place (`from`), takes some turns, comes there again (`last`), and takes one more
 * turn. If that turn could have followed `from` at once, the turns between are dropped: the others cannot
 * notice them, and the thread goes on with what the last turn has read. So two turns that fail tell no more
 * than one, whatever each found.
 *
 * A dropped read has no value any more. Where a register held one at `last`, the last turn begins with what
 * the register held at `from`: that term is put in the place of the read. */
#include "logic/rel.h"
#include "paths/unfold_run.h"

enum { READ_WORDS = MAX_READS / 64, MAX_PUT = 8 };

/* The turn that ends, and the terms that are put in the place of dropped reads. */
struct repeat {
    struct unfolder *unfolder;
    const struct unfold_run *run;
    const struct passage *from, *last;
    const uint64_t *live;
    struct {
        int read;
        const struct sym *by;
    } put[MAX_PUT];
    int nput;
};

/* Whether a set has a dropped read: one between `from` and `last`. */
static bool has_dropped(const struct repeat *z, const struct reads *reads) {
    int read = set_first(reads->bits, READ_WORDS);
    while (read >= 0 && read < z->from->reads)
        read = set_next(reads->bits, READ_WORDS, read);
    return read >= 0 && read < z->last->reads;
}

/* Whether the run has done nothing but plain reads and fences since `from`, and no address in the last turn
 * depends on a dropped read. */
static bool only_reads(const struct repeat *z) {
    const struct path *p = &z->run->path;
    for (int k = z->from->events; k < p->nevents; k++) {
        const struct event *e = &p->events[k];
        if (e->kind != EVENT_FENCE && (e->kind != EVENT_READ || e->rmw >= 0)) return false;
        if (k >= z->last->events && has_dropped(z, &e->addr)) return false;
    }
    return true;
}

static const struct sym *find_put(const struct repeat *z, int read) {
    for (int k = 0; k < z->nput; k++)
        if (z->put[k].read == read) return z->put[k].by;
    return NULL;
}

/* Whether guards since `from` have all reads of a term, so that what follows depends on them anyway. */
static bool is_guarded(const struct repeat *z, const struct sym *by) {
    const struct path *p = &z->run->path;
    struct reads guarded = {{0}};
    for (int k = z->from->guards; k < p->nguards; k++)
        reads_add(&guarded, &p->guards[k].sym->reads);
    for (int w = 0; w < READ_WORDS; w++)
        if (by->reads.bits[w] & ~guarded.bits[w]) return false;
    return true;
}

/* Finds the terms to put in, from the registers that matter. False where one still holds a dropped read now,
 * or held something else at `last` than a dropped read or what it held at `from`. */
static bool find_puts(struct repeat *z) {
    int words = z->unfolder->code->reg_words;
    for (int k = set_first(z->live, words); k >= 0; k = set_next(z->live, words, k)) {
        const struct sym *held = z->last->cells[k], *by = z->from->cells[k];
        if (has_dropped(z, &z->run->cells[k]->reads)) return false;
        if (sym_same(held, by)) continue;
        if (held->kind != SYM_READ || held->read < z->from->reads || !type_same(held->type, by->type))
            return false;
        const struct sym *already = find_put(z, held->read);
        if (already ? !sym_same(already, by) : z->nput == MAX_PUT || !is_guarded(z, by)) return false;
        if (already) continue;
        z->put[z->nput].read = held->read;
        z->put[z->nput++].by = by;
    }
    return true;
}

/* The term with terms put in for its dropped reads; NULL where there is none for one of them. */
static const struct sym *put_in(const struct repeat *z, const struct sym *s) {
    if (!s || !has_dropped(z, &s->reads)) return s;
    if (s->kind == SYM_READ) return find_put(z, s->read);
    struct sym made = *s;
    made.reads = (struct reads){{0}};
    made.a = put_in(z, s->a);
    made.b = put_in(z, s->b);
    made.c = put_in(z, s->c);
    if ((s->a && !made.a) || (s->b && !made.b) || (s->c && !made.c)) return NULL;
    return sym_make(z->unfolder->arena, made);
}

/* Whether the registers that matter hold what they held at `from`, if the terms x and y are equal. */
static bool returns_if_equal(const struct repeat *z, const struct sym *x, const struct sym *y) {
    int words = z->unfolder->code->reg_words;
    for (int k = set_first(z->live, words); k >= 0; k = set_next(z->live, words, k)) {
        const struct sym *now = z->run->cells[k], *then = z->from->cells[k];
        bool these = (sym_same(now, x) && sym_same(then, y)) || (sym_same(now, y) && sym_same(then, x));
        if (!sym_same(now, then) && !(these && is_guarded(z, then))) return false;
    }
    return true;
}

/* Whether a guard of the last turn, with terms put in, is sure to hold behind `from`. If it may not, it must
 * say that two terms differ, such that if they are equal the thread is where it was at `from`: then nothing
 * has changed, and this turn is idle, too. */
static bool holds_there(const struct repeat *z, const struct guard *g) {
    bool holds = g->holds;
    const struct sym *s = put_in(z, g->sym);
    if (!s) return false;
    s = unfold_normal(z->unfolder->arena, s, &holds);
    if (s->kind == SYM_INT) return sym_is_true(s, NULL) == holds;
    for (int k = 0; k < z->run->path.nguards; k++)
        if (sym_same(z->run->path.guards[k].sym, s)) return z->run->path.guards[k].holds == holds;
    return !holds && s->kind == SYM_OP && s->op == EXPR_EQ && returns_if_equal(z, s->a, s->b);
}

bool unfold_repeats(struct unfolder *u, const struct unfold_run *r, const struct passage *last,
                    const struct passage *from) {
    struct repeat z = {.unfolder = u, .run = r, .from = from, .last = last, .live = u->code->ins[r->pc].live};
    if (!only_reads(&z) || !find_puts(&z)) return false;
    for (int k = 0; k < r->path.nguards; k++) {
        const struct guard *g = &r->path.guards[k];
        bool needed = k >= last->guards || g->used >= last->steps;
        if (needed && has_dropped(&z, &g->sym->reads) && !holds_there(&z, g)) return false;
    }
    return true;
}
