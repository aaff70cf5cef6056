#include "logic/sat.h"

#include <string.h>

enum { NO_CLAUSE = -1, FIRST_RESTART = 100, CLOCK_EVERY = 256 };

enum truth { OPEN, HOLDS, FAILS };

struct watches {
    int *clauses, n, cap;
};

struct sat {
    struct arena *arena;
    int *pool, npool, pool_cap; /* clauses: the number of literals, then these; the first two are watched */
    struct watches *watches;    /* literal -> the clauses in which it is watched */
    signed char *truth;         /* literal -> an enum truth */
    bool *phase, *seen;         /* variable -> its last value; whether it is in the conflict at hand */
    int *level, *reason; /* variable -> the level at which it got its value; the clause that forced it */
    int nvars;
    int *trail, ntrail, head; /* the literals that hold, in order; those before `head` were propagated */
    int *decisions, nlevels;  /* level -> where it begins on the trail */
    int *next, *before;       /* a list of the variables, those of the latest conflicts first */
    int first, open;          /* no variable before `open` is open */
    int *learnt, nlearnt;
    long long work, most;
    struct search_budget *budget;
};

static int negate(int literal) {
    return literal ^ 1;
}

/* The order of the variables */

static void unlink_var(struct sat *s, int v) {
    int before = s->before[v], next = s->next[v];
    if (before >= 0) s->next[before] = next;
    if (before < 0) s->first = next;
    if (next >= 0) s->before[next] = before;
}

static void link_first(struct sat *s, int v) {
    s->before[v] = -1;
    s->next[v] = s->first;
    if (s->first >= 0) s->before[s->first] = v;
    s->first = v;
}

static void move_to_front(struct sat *s, int v) {
    if (s->first == v) return;
    unlink_var(s, v);
    link_first(s, v);
}

/* Clauses */

static void watch(struct sat *s, int literal, int clause) {
    struct watches *w = &s->watches[literal];
    if (w->n == w->cap) {
        int cap = w->cap ? 2 * w->cap : 4;
        w->clauses = arena_grow(s->arena, w->clauses, (size_t)w->n, (size_t)cap, sizeof *w->clauses);
        w->cap = cap;
    }
    w->clauses[w->n++] = clause;
}

/* Adds a clause of two literals or more. Returns its place in the pool. */
static int add_clause(struct sat *s, const int *literals, int n) {
    if (s->npool + n + 1 > s->pool_cap) {
        int cap = 2 * s->pool_cap + n + 1;
        s->pool = arena_grow(s->arena, s->pool, (size_t)s->npool, (size_t)cap, sizeof *s->pool);
        s->pool_cap = cap;
    }
    int clause = s->npool;
    s->pool[clause] = n;
    memcpy(s->pool + clause + 1, literals, (size_t)n * sizeof *literals);
    s->npool += n + 1;
    watch(s, literals[0], clause);
    watch(s, literals[1], clause);
    return clause;
}

/* Lets a literal hold. False when it is known to fail. */
static bool set(struct sat *s, int literal, int reason) {
    int v = literal / 2;
    if (s->truth[literal] != OPEN) return s->truth[literal] == HOLDS;
    s->truth[literal] = HOLDS;
    s->truth[negate(literal)] = FAILS;
    s->phase[v] = !(literal & 1);
    s->level[v] = s->nlevels;
    s->reason[v] = reason;
    s->trail[s->ntrail++] = literal;
    return true;
}

/* Watches another literal, which does not fail, in place of the second one. False when there is none. */
static bool watch_another(struct sat *s, int clause) {
    int *literals = s->pool + clause + 1, n = s->pool[clause];
    for (int k = 2; k < n; k++) {
        if (s->truth[literals[k]] == FAILS) continue;
        int other = literals[k];
        literals[k] = literals[1];
        literals[1] = other;
        watch(s, other, clause);
        return true;
    }
    return false;
}

/* Propagates a literal that fails. Returns a clause of which all literals fail, or NO_CLAUSE. */
static int follow(struct sat *s, int failed) {
    struct watches *w = &s->watches[failed];
    int kept = 0, conflict = NO_CLAUSE;
    for (int k = 0; k < w->n; k++) {
        int clause = w->clauses[k], *literals = s->pool + clause + 1;
        s->work++;
        if (literals[0] == failed) {
            literals[0] = literals[1];
            literals[1] = failed;
        }
        if (conflict == NO_CLAUSE && s->truth[literals[0]] != HOLDS && watch_another(s, clause)) continue;
        w->clauses[kept++] = clause;
        if (conflict == NO_CLAUSE && !set(s, literals[0], clause)) conflict = clause;
    }
    w->n = kept;
    return conflict;
}

static int propagate(struct sat *s) {
    int conflict = NO_CLAUSE;
    while (s->head < s->ntrail && conflict == NO_CLAUSE)
        conflict = follow(s, negate(s->trail[s->head++]));
    return conflict;
}

/* Conflicts */

static void back_to(struct sat *s, int level) {
    if (s->nlevels <= level) return;
    int from = s->decisions[level];
    for (int k = from; k < s->ntrail; k++)
        s->truth[s->trail[k]] = s->truth[negate(s->trail[k])] = OPEN;
    s->ntrail = s->head = from;
    s->nlevels = level;
    s->open = s->first;
}

/* Adds the literals of a clause, except `but`, to the clause that is learnt. Those of this level are only
 * counted: returns how many are new. */
static int resolve(struct sat *s, int clause, int but) {
    int here = 0;
    for (int k = 0; k < s->pool[clause]; k++) {
        int literal = s->pool[clause + 1 + k], v = literal / 2;
        if (literal == but || s->seen[v] || s->level[v] == 0) continue;
        s->seen[v] = true;
        move_to_front(s, v);
        if (s->level[v] == s->nlevels)
            here++;
        else
            s->learnt[s->nlearnt++] = literal;
    }
    return here;
}

/* Finds the clause to learn from a conflict. Its first literal is its only one of this level (first unique
 * implication point). */
static void analyze(struct sat *s, int conflict) {
    s->nlearnt = 1;
    int open = resolve(s, conflict, -1), at = s->ntrail, literal;
    for (;;) {
        do
            literal = s->trail[--at];
        while (!s->seen[literal / 2]);
        s->seen[literal / 2] = false;
        if (--open == 0) break;
        open += resolve(s, s->reason[literal / 2], literal);
    }
    s->learnt[0] = negate(literal);
}

/* Puts the literal of the highest level behind the first, to be watched. Returns that level. */
static int second_level(struct sat *s) {
    int highest = 1;
    for (int k = 1; k < s->nlearnt; k++) {
        s->seen[s->learnt[k] / 2] = false;
        if (s->level[s->learnt[k] / 2] > s->level[s->learnt[highest] / 2]) highest = k;
    }
    if (s->nlearnt == 1) return 0;
    int literal = s->learnt[highest];
    s->learnt[highest] = s->learnt[1];
    s->learnt[1] = literal;
    return s->level[literal / 2];
}

static void learn(struct sat *s, int conflict) {
    analyze(s, conflict);
    back_to(s, second_level(s));
    set(s, s->learnt[0], s->nlearnt > 1 ? add_clause(s, s->learnt, s->nlearnt) : NO_CLAUSE);
}

/* The search */

static bool decide(struct sat *s) {
    while (s->open >= 0 && s->truth[2 * s->open] != OPEN)
        s->open = s->next[s->open];
    if (s->open < 0) return false;
    s->decisions[s->nlevels++] = s->ntrail;
    set(s, 2 * s->open + !s->phase[s->open], NO_CLAUSE);
    return true;
}

static bool is_over(struct sat *s, long long *paid) {
    if (s->work - *paid >= CLOCK_EVERY) {
        if (!budget_wait(s->budget, (s->work - *paid) / CLOCK_EVERY)) return true;
        *paid = s->work;
    }
    return s->work > s->most;
}

static enum sat_answer search(struct sat *s) {
    long long conflicts = 0, restart = FIRST_RESTART, paid = 0;
    s->open = s->first;
    for (;;) {
        int conflict = propagate(s);
        if (conflict != NO_CLAUSE && s->nlevels == 0) return SAT_NEVER;
        if (is_over(s, &paid)) return SAT_GIVEN_UP;
        if (conflict != NO_CLAUSE) {
            learn(s, conflict);
            if (++conflicts % restart) continue;
            restart += restart / 2;
            back_to(s, 0);
        } else if (!decide(s)) {
            return SAT_FOUND;
        }
    }
}

/* From gates to clauses */

struct cone {
    const struct gates *gates;
    int *var;        /* of a gate; -1: it has none */
    int *members, n; /* the gates that have one */
};

static void reach(struct cone *c, int literal) {
    if (c->var[literal / 2] >= 0) return;
    c->var[literal / 2] = c->n;
    c->members[c->n++] = literal / 2;
}

static void find_cone(struct cone *c, const int *wanted, int n, struct arena *a) {
    c->var = arena_array(a, (size_t)c->gates->n, sizeof *c->var);
    c->members = arena_array(a, (size_t)c->gates->n, sizeof *c->members);
    memset(c->var, -1, (size_t)c->gates->n * sizeof *c->var);
    for (int k = 0; k < n; k++)
        reach(c, wanted[k]);
    for (int k = 0; k < c->n; k++) {
        const struct gate *gate = &c->gates->list[c->members[k]];
        if (gate->kind == GATE_INPUT || gate->kind == GATE_CONSTANT) continue;
        reach(c, gate->a);
        reach(c, gate->b);
    }
}

static int literal_of(const struct cone *c, int x) {
    return 2 * c->var[x / 2] + (x & 1);
}

static void add_gate(struct sat *s, const struct cone *c, int gate) {
    const struct gate *g = &c->gates->list[gate];
    if (g->kind == GATE_CONSTANT) set(s, 2 * c->var[gate] + 1, NO_CLAUSE);
    if (g->kind == GATE_CONSTANT || g->kind == GATE_INPUT) return;
    int o = 2 * c->var[gate], a = literal_of(c, g->a), b = literal_of(c, g->b);
    int no = negate(o), na = negate(a), nb = negate(b);
    if (g->kind == GATE_AND) {
        add_clause(s, (int[]){no, a}, 2);
        add_clause(s, (int[]){no, b}, 2);
        add_clause(s, (int[]){o, na, nb}, 3);
        return;
    }
    add_clause(s, (int[]){no, a, b}, 3);
    add_clause(s, (int[]){no, na, nb}, 3);
    add_clause(s, (int[]){o, na, b}, 3);
    add_clause(s, (int[]){o, a, nb}, 3);
}

static void open_sat(struct sat *s, struct arena *a, int nvars) {
    size_t n = (size_t)nvars;
    s->arena = a;
    s->nvars = nvars;
    s->watches = arena_array(a, 2 * n, sizeof *s->watches);
    s->truth = arena_array(a, 2 * n, sizeof *s->truth);
    s->phase = arena_array(a, n, sizeof *s->phase);
    s->seen = arena_array(a, n, sizeof *s->seen);
    s->level = arena_array(a, n, sizeof *s->level);
    s->reason = arena_array(a, n, sizeof *s->reason);
    s->trail = arena_array(a, n, sizeof *s->trail);
    s->decisions = arena_array(a, n, sizeof *s->decisions);
    s->learnt = arena_array(a, n + 1, sizeof *s->learnt);
    s->next = arena_array(a, n, sizeof *s->next);
    s->before = arena_array(a, n, sizeof *s->before);
    s->first = -1;
    for (int v = 0; v < nvars; v++)
        link_first(s, v);
}

enum sat_answer sat_find(const struct gates *g, const int *wanted, int n, long long most,
                         struct search_budget *budget, bool *values) {
    struct arena *a = arena_open();
    struct cone c = {.gates = g};
    struct sat s = {.most = most, .budget = budget};
    find_cone(&c, wanted, n, a);
    open_sat(&s, a, c.n);
    bool possible = true;
    for (int k = 0; k < c.n; k++)
        add_gate(&s, &c, c.members[k]);
    for (int k = 0; k < n; k++)
        possible = possible && set(&s, literal_of(&c, wanted[k]), NO_CLAUSE);
    enum sat_answer answer = possible ? search(&s) : SAT_NEVER;
    for (int k = 0; answer == SAT_FOUND && k < c.n; k++)
        values[c.members[k]] = s.truth[2 * k] == HOLDS;
    budget->proving += s.work;
    arena_close(a);
    return answer;
}
