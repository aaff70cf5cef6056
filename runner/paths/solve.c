#include "paths/solve.h"

#include "logic/rel.h"
#include "logic/sat.h"

enum { READ_WORDS = MAX_READS / 64 };

/* So many parts of terms are computed, and gates made, in the time of one unit of a search's work. */
enum { TERMS_A_UNIT = 10, GATES_A_UNIT = 2 };

/* Of mend: how often a read is given another number, how many numbers are tried, and the weight from which it
 * is not tried. */
enum { MOST_TURNS = 12, MOST_NUMBERS = 16, MENDED_WEIGHT = 1000 };

/* How much is done to prove that there are no values: for all questions about a cell, and for one, early or late. */
enum { ALL_WORK = 1 << 23, MOST_WORK = 1 << 20, LEAST_WORK = 1 << 14 };

/* What matters */

void solve_ask(struct solve_run *r, int from) {
    for (int k = from; k < r->nguards; k++)
        reads_add(&r->matter, &r->guards[k].sym->reads);
}

int solve_tied_to(const struct solve *s, int read) {
    return read == s->read ? -1 : s->tied[read];
}

/* Lets all reads of a guard matter if one of them does. True when more matter than before. */
static bool add_guarded(struct solve_run *r) {
    struct reads before = r->matter;
    for (int k = 0; k < r->nguards; k++)
        if (reads_share(&r->guards[k].sym->reads, &r->matter))
            reads_add(&r->matter, &r->guards[k].sym->reads);
    return !bits_equal(before.bits, r->matter.bits, READ_WORDS);
}

/* Lets both of two tied reads matter if one of them does. */
static bool add_tied(struct solve *s) {
    struct solve_run *x = &s->runs[0], *y = &s->runs[1];
    bool more = false;
    for (int k = 0; k < s->nreads; k++) {
        int to = solve_tied_to(s, k);
        if (to < 0 || set_has(x->matter.bits, to) == set_has(y->matter.bits, k)) continue;
        set_add(x->matter.bits, to);
        set_add(y->matter.bits, k);
        more = true;
    }
    return more;
}

static void find_what_matters(struct solve *s) {
    if (s->term) reads_add(&s->runs[0].matter, &s->term->reads);
    for (int k = 0; k < s->nothers; k++)
        reads_add(&s->runs[1].matter, &s->others[k]->reads);
    bool more;
    do {
        more = add_guarded(&s->runs[0]);
        more |= add_guarded(&s->runs[1]);
        more |= add_tied(s);
    } while (more);
}

/* Values that are known, and values that are guessed */

/* Whether it is known what a read returns, by itself or as the read that it is tied to. */
static bool is_known(const struct solve *s, int run, int read) {
    int first = run ? solve_tied_to(s, read) : read;
    return set_has(s->runs[run].reads.known.bits, read) ||
           (first >= 0 && set_has(s->runs[0].reads.known.bits, first));
}

static void give(struct solve *s, int run, int read, struct value value) {
    s->runs[run].reads.values[read] = value;
    set_add(s->runs[run].reads.known.bits, read);
}

/* Makes the value of a read, and of those that are tied to it, known, unless it is. */
static void give_all(struct solve *s, int run, int read, struct value value) {
    int first = run ? solve_tied_to(s, read) : read;
    if (is_known(s, run, read)) return;
    if (first < 0) {
        give(s, run, read, value);
        return;
    }
    give(s, 0, first, value);
    for (int k = 0; k < s->nreads; k++)
        if (solve_tied_to(s, k) == first) give(s, 1, k, value);
}

/* Whether a term says that two values are the same. Floats that are equal may differ: 0 and -0. */
static bool is_equality(const struct sym *s) {
    return s->kind == SYM_OP && s->op == EXPR_EQ && !s->a->type.real;
}

/* Finds the reads whose values follow from guards `read == number`. */
static void find_known(struct solve *s, int run) {
    for (int k = 0; k < s->runs[run].nguards; k++) {
        const struct guard *g = &s->runs[run].guards[k];
        if (g->holds && is_equality(g->sym) && g->sym->a->kind == SYM_READ && g->sym->b->kind == SYM_INT)
            give_all(s, run, g->sym->a->read, g->sym->b->value);
    }
}

bool solve_fulfils(const struct solve_run *r) {
    for (int k = 0; k < r->nguards; k++) {
        const struct guard *g = &r->guards[k];
        if (reads_share(&g->sym->reads, &r->matter) && sym_is_true(g->sym, r->reads.values) != g->holds)
            return false;
    }
    return true;
}

static bool is_solved(const struct solve *s) {
    bool differs = solve_fulfils(&s->runs[0]) && solve_fulfils(&s->runs[1]);
    for (int k = 0; differs && s->term && k < s->nothers; k++)
        differs = !value_equal(sym_eval(s->term, s->runs[0].reads.values),
                               sym_eval(s->others[k], s->runs[1].reads.values));
    return differs;
}

/* Tries 0 (or 1) for all reads of the first run that are not known, and 1 (or 0) for those of the second that
 * are not tied. */
static bool guess(struct solve *s, uint64_t number) {
    struct circuit_reads *x = &s->runs[0].reads, *y = &s->runs[1].reads;
    for (int k = 0; k < s->nreads; k++)
        if (!set_has(x->known.bits, k)) x->values[k] = (struct value){number, 0};
    for (int k = 0; k < s->nreads; k++)
        if (!set_has(y->known.bits, k))
            y->values[k] =
                solve_tied_to(s, k) < 0 ? (struct value){!number, 0} : x->values[solve_tied_to(s, k)];
    return is_solved(s);
}

/* Values that are mended, guard by guard */

/* The numbers that are tried for the reads of a term: those that stand in it, what its reads return, and
 * their neighbours. */
struct solve_numbers {
    uint64_t list[MOST_NUMBERS];
    int n;
};

static void add_number(struct solve_numbers *to, uint64_t number) {
    for (int k = 0; k < to->n; k++)
        if (to->list[k] == number) return;
    if (to->n < MOST_NUMBERS) to->list[to->n++] = number;
}

static void find_numbers(struct solve_numbers *to, const struct sym *s, const struct value *reads) {
    const struct sym *const parts[] = {s->a, s->b, s->c};
    uint64_t number = s->kind == SYM_READ ? reads[s->read].lo : s->value.lo;
    for (int by = -1; by <= 1 && (s->kind == SYM_INT || s->kind == SYM_READ); by++)
        add_number(to, number + (uint64_t)by);
    for (int k = 0; k < 3 && to->n < MOST_NUMBERS; k++)
        if (parts[k]) find_numbers(to, parts[k], reads);
}

/* The part of a term that is this read. */
static const struct sym *find_read(const struct sym *s, int read) {
    if (s->kind == SYM_READ || !set_has(s->reads.bits, read)) return s->kind == SYM_READ ? s : NULL;
    const struct sym *const parts[] = {s->a, s->b, s->c};
    for (int k = 0; k < 3; k++)
        if (parts[k] && set_has(parts[k]->reads.bits, read)) return find_read(parts[k], read);
    return NULL;
}

/* Lets a read, and those that are tied to it, return a value. */
static void try_value(struct solve *s, int run, int read, struct value value) {
    int first = run ? solve_tied_to(s, read) : read;
    s->runs[run].reads.values[read] = value;
    if (first >= 0) s->runs[0].reads.values[first] = value;
    for (int k = 0; k < s->nreads && first >= 0; k++)
        if (solve_tied_to(s, k) == first) s->runs[1].reads.values[k] = value;
}

static bool fails(const struct solve_run *r, const struct guard *g) {
    return reads_share(&g->sym->reads, &r->matter) && sym_is_true(g->sym, r->reads.values) != g->holds;
}

/* Whether a guard fails all of whose reads are known: then no values make it hold. */
static bool is_refuted(const struct solve *s) {
    for (int run = 0; run < CIRCUIT_RUNS; run++)
        for (int k = 0; k < s->runs[run].nguards; k++) {
            const struct guard *g = &s->runs[run].guards[k];
            const uint64_t *reads = g->sym->reads.bits;
            bool failing = fails(&s->runs[run], g);
            int read = set_first(reads, READ_WORDS);
            while (failing && read >= 0 && is_known(s, run, read))
                read = set_next(reads, READ_WORDS, read);
            if (failing && read < 0) return true;
        }
    return false;
}

/* Gives one of the reads of a guard a number with which the guard holds. False when it finds none. */
static bool mend_guard(struct solve *s, int run, const struct guard *g) {
    const struct solve_run *r = &s->runs[run];
    struct solve_numbers numbers = {.n = 0};
    find_numbers(&numbers, g->sym, r->reads.values);
    for (int k = set_first(g->sym->reads.bits, READ_WORDS); k >= 0;
         k = set_next(g->sym->reads.bits, READ_WORDS, k)) {
        const struct sym *read = find_read(g->sym, k);
        struct value before = r->reads.values[k];
        if (!read || read->type.real || read->type.lanes > 1 || is_known(s, run, k)) continue;
        for (int i = 0; i < numbers.n; i++) {
            try_value(s, run, k, value_from(read->type, (long long)numbers.list[i]));
            if (!fails(r, g)) return true;
        }
        try_value(s, run, k, before);
    }
    return false;
}

static const struct guard *find_failing(const struct solve *s, int *run) {
    for (*run = 0; *run < CIRCUIT_RUNS; ++*run)
        for (int k = 0; k < s->runs[*run].nguards; k++)
            if (fails(&s->runs[*run], &s->runs[*run].guards[k])) return &s->runs[*run].guards[k];
    return NULL;
}

/* The work of computing all terms once. */
static long long weigh(const struct solve *s) {
    long long weight = s->term ? s->term->weight : 0;
    for (int k = 0; k < s->nothers; k++)
        weight += s->others[k]->weight;
    for (int run = 0; run < CIRCUIT_RUNS; run++)
        for (int k = 0; k < s->runs[run].nguards; k++)
            weight += s->runs[run].guards[k].sym->weight;
    return weight;
}

/* Goes on from the values that were guessed last: again and again, takes a guard that fails and gives it
 * other values. Most questions whose answer is yes are answered so, in a tenth of the time that a search
 * takes. */
static bool mend(struct solve *s, long long weight) {
    for (int turn = 0; turn < MOST_TURNS && weight < MENDED_WEIGHT; turn++) {
        int run;
        const struct guard *g = find_failing(s, &run);
        if (!g) return is_solved(s);
        if (!budget_wait(s->budget, 1 + weight / TERMS_A_UNIT) || !mend_guard(s, run, g)) return false;
    }
    return false;
}

/* The question as gates */

struct question {
    struct circuit circuit;
    int *wanted, n, cap; /* literals that must hold */
};

static void want(struct question *q, int literal) {
    if (q->n == q->cap) {
        int cap = q->cap ? 2 * q->cap : 16;
        q->wanted =
            arena_grow(q->circuit.gates.arena, q->wanted, (size_t)q->n, (size_t)cap, sizeof *q->wanted);
        q->cap = cap;
    }
    if (literal != GATE_TRUE) q->wanted[q->n++] = literal;
}

/* Lets one of two reads stand for the other, where a guard says that they are equal. */
static void equate(struct question *q, const struct solve *s, int run) {
    for (int k = 0; k < s->runs[run].nguards; k++) {
        const struct guard *g = &s->runs[run].guards[k];
        if (g->holds && is_equality(g->sym) && g->sym->a->kind == SYM_READ && g->sym->b->kind == SYM_READ &&
            reads_share(&g->sym->reads, &s->runs[run].matter))
            circuit_equate(&q->circuit, run, g->sym->a->read, g->sym->b->read);
    }
}

/* Adds the guards of a run that matter to the literals that must hold. False when one of them is false
 * whatever is read. */
static bool want_guards(struct question *q, const struct solve *s, int run) {
    const struct solve_run *r = &s->runs[run];
    for (int k = 0; k < r->nguards; k++) {
        const struct guard *g = &r->guards[k];
        if (!reads_share(&g->sym->reads, &r->matter)) continue;
        int literal = circuit_truth(&q->circuit, run, g->sym) ^ !g->holds;
        if (literal == GATE_FALSE) return false;
        want(q, literal);
    }
    return true;
}

static bool want_differences(struct question *q, const struct solve *s) {
    for (int k = 0; s->term && k < s->nothers; k++) {
        int literal = circuit_differ(&q->circuit, s->term, s->others[k]);
        if (literal == GATE_FALSE) return false;
        want(q, literal);
    }
    return true;
}

/* Makes the gates of a question. False when a literal that must hold is false whatever is read. */
static bool put(struct question *q, const struct solve *s, struct arena *a) {
    circuit_open(&q->circuit, &s->runs[0].reads, &s->runs[1].reads, a);
    for (int k = 0; k < s->nreads; k++)
        q->circuit.tied[k] = (int16_t)solve_tied_to(s, k);
    equate(q, s, 0);
    equate(q, s, 1);
    return want_guards(q, s, 0) && want_guards(q, s, 1) && want_differences(q, s);
}

static void take_values(struct solve *s, const struct circuit *c, int run, const bool *gates) {
    const uint64_t *matter = s->runs[run].matter.bits;
    for (int k = set_first(matter, READ_WORDS); k >= 0; k = set_next(matter, READ_WORDS, k))
        s->runs[run].reads.values[k] = circuit_read(c, run, k, gates);
}

/* The work that may be done for one more question. */
static long long work_left(const struct search_budget *b) {
    long long left = ALL_WORK - b->proving;
    return left > MOST_WORK ? MOST_WORK : left < LEAST_WORK ? LEAST_WORK : left;
}

static enum sat_answer answer(struct solve *s, const struct question *q, bool open, struct arena *a) {
    const struct gates *g = &q->circuit.gates;
    if (!budget_wait(s->budget, g->n / GATES_A_UNIT) || g->full) return SAT_GIVEN_UP;
    if (!open) return SAT_NEVER;
    bool *values = arena_array(a, (size_t)g->n, sizeof *values);
    enum sat_answer found = sat_find(g, q->wanted, q->n, work_left(s->budget), s->budget, values);
    for (int run = 0; run < CIRCUIT_RUNS && found == SAT_FOUND; run++)
        take_values(s, &q->circuit, run, values);
    return found;
}

/* Whether there are values as solve_depends asks for, or s->undecided. Sets the values that were found. Tries
 * 0 and 1 for each read, mends these, then searches gates, and last tries all values. */
static bool may_be(struct solve *s) {
    long long weight = weigh(s);
    if (!budget_wait(s->budget, 1 + weight / TERMS_A_UNIT)) return true;
    find_what_matters(s);
    for (int run = 0; run < CIRCUIT_RUNS; run++)
        find_known(s, run);
    if (guess(s, 0)) return true;
    if (is_refuted(s)) return false;
    if (guess(s, 1) || mend(s, weight)) return true;
    struct arena *a = arena_open();
    struct question q = {.n = 0};
    bool open = put(&q, s, a), whole = !q.circuit.gates.full && !q.circuit.unknowns;
    enum sat_answer found = answer(s, &q, open, a);
    arena_close(a);
    return found == SAT_FOUND && whole ? true : found != SAT_NEVER && exhaust_may(s);
}

bool solve_depends(struct solve *s) {
    s->undecided = false;
    bool may = may_be(s);
    s->budget->undecided = s->budget->undecided || s->undecided;
    return may && !(s->undecided && s->budget->lenient);
}

/* For all values */

/* Values of the second run: each read returns a number, or is tied to a read of the first run. */
struct reply {
    struct circuit_reads reads;
    int16_t tied[MAX_READS];
};

/* The question whether there are values of the first run to which none of the replies so far fits. */
struct challenge {
    struct solve *solve;
    struct question question;
    struct circuit_reads given[CIRCUIT_RUNS]; /* what was known of each run from the start */
    struct arena *arena;
};

/* A read of the first run whose value is that of a read of the second; or -1. */
static int find_equal(const struct solve *s, int read) {
    const uint64_t *matter = s->runs[0].matter.bits;
    struct value value = s->runs[1].reads.values[read];
    for (int k = set_first(matter, READ_WORDS); k >= 0; k = set_next(matter, READ_WORDS, k))
        if ((read != s->read || k != read) && value_equal(s->runs[0].reads.values[k], value)) return k;
    return -1;
}

/* Makes a reply of the values at hand. A read of the second run that is neither known nor tied returns its
 * number; or, if `follows`, it is tied to a read of the first run that has the same value: such a reply fits
 * more values. */
static struct reply *make_reply(const struct challenge *c, bool follows) {
    const struct solve *s = c->solve;
    const uint64_t *matter = s->runs[1].matter.bits;
    struct reply *r = arena_alloc(c->arena, sizeof *r);
    r->reads = s->runs[1].reads;
    memset(r->tied, -1, sizeof r->tied);
    for (int k = set_first(matter, READ_WORDS); k >= 0; k = set_next(matter, READ_WORDS, k)) {
        bool open = solve_tied_to(s, k) < 0 && !set_has(c->given[1].known.bits, k);
        r->tied[k] = (int16_t)(open && follows ? find_equal(s, k) : solve_tied_to(s, k));
        set_add(r->reads.known.bits, k);
    }
    return r;
}

/* The literal that holds if a reply fits: the guards of the second run hold, and the terms differ. */
static int does(struct challenge *c, const struct reply *r) {
    const struct solve *s = c->solve;
    struct circuit *of = &c->question.circuit;
    const struct solve_run *second = &s->runs[1];
    int all = GATE_TRUE;
    circuit_again(of, &r->reads);
    memcpy(of->tied, r->tied, sizeof of->tied);
    for (int k = 0; k < second->nguards; k++)
        if (reads_share(&second->guards[k].sym->reads, &second->matter))
            all = gate_and(&of->gates, all,
                           circuit_truth(of, 1, second->guards[k].sym) ^ !second->guards[k].holds);
    for (int k = 0; s->term && k < s->nothers; k++)
        all = gate_and(&of->gates, all, circuit_differ(of, s->term, s->others[k]));
    return all;
}

/* Adds the replies for the values at hand, and looks for values of the first run to which no reply fits. */
static enum sat_answer challenge(struct challenge *c) {
    struct solve *s = c->solve;
    for (int follows = 0; follows < 2; follows++) {
        int literal = does(c, make_reply(c, follows));
        if (literal == GATE_TRUE) return SAT_NEVER;
        want(&c->question, gate_not(literal));
    }
    for (int run = 0; run < CIRCUIT_RUNS; run++)
        s->runs[run].reads = c->given[run];
    enum sat_answer found = answer(s, &c->question, true, c->arena);
    return found == SAT_FOUND && c->question.circuit.unknowns ? SAT_GIVEN_UP : found;
}

/* Finds a reply to the values of the first run that are known. False where there is none, or that is not
 * decided. */
static bool is_met(struct solve *s) {
    return may_be(s) && !s->undecided && !s->budget->spent;
}

/* Whether a reply fits all values if it fits some: no terms are compared, and no read of the second run that
 * matters is tied to a read of the first that is not known. */
static bool is_apart(const struct challenge *c) {
    const uint64_t *matter = c->solve->runs[1].matter.bits;
    for (int k = set_first(matter, READ_WORDS); k >= 0; k = set_next(matter, READ_WORDS, k)) {
        int to = solve_tied_to(c->solve, k);
        if (to >= 0 && !set_has(c->given[0].known.bits, to)) return false;
    }
    return !c->solve->term;
}

bool solve_always(struct solve *s) {
    enum { MOST_CHALLENGES = 6 };
    s->undecided = false;
    struct challenge c = {.solve = s, .given = {s->runs[0].reads, s->runs[1].reads}};
    if (!is_met(s)) return false;
    if (is_apart(&c)) return true;
    c.arena = arena_open();
    circuit_open(&c.question.circuit, &c.given[0], &c.given[1], c.arena);
    equate(&c.question, s, 0);
    enum sat_answer found = want_guards(&c.question, s, 0) ? SAT_FOUND : SAT_NEVER;
    for (int n = 0; n < MOST_CHALLENGES && found == SAT_FOUND; n++) {
        found = challenge(&c);
        reads_add(&s->runs[0].reads.known, &s->runs[0].matter);
        if (found == SAT_FOUND && !is_met(s)) found = SAT_GIVEN_UP;
    }
    arena_close(c.arena);
    return found == SAT_NEVER;
}

/* Paths by themselves */

void solve_tie_all(struct solve *s, int nreads) {
    s->nreads = nreads;
    for (int k = 0; k < nreads; k++)
        s->tied[k] = (int16_t)k;
}

bool solve_possible(const struct path *p, const struct circuit_reads *known, struct search_budget *budget) {
    struct solve s = {.runs = {{.guards = p->guards, .nguards = p->nguards}}, .read = -1, .budget = budget};
    if (known) s.runs[0].reads = *known;
    solve_tie_all(&s, p->nreads);
    solve_ask(&s.runs[0], 0);
    return may_be(&s);
}

struct value solve_value(const struct path *p, const struct sym *term, const struct reads *known,
                         const struct value *values, struct search_budget *budget) {
    if (p->nguards == 0) return sym_eval(term, values);
    struct solve s = {.runs = {{.guards = p->guards,
                                .nguards = p->nguards,
                                .matter = term->reads,
                                .reads = {.known = *known}}},
                      .read = -1,
                      .budget = budget};
    struct solve_run *r = &s.runs[0];
    memcpy(r->reads.values, values, (size_t)p->nreads * sizeof *values);
    solve_tie_all(&s, p->nreads);
    if (may_be(&s) && !solve_fulfils(r) && !budget->spent)
        budget->spent = "the values that a thread must read for a path were not found";
    return sym_eval(term, r->reads.values);
}
