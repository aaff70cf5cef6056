/* All interleavings of a routine: the graph of its states, each of which is visited once. A step is an access to memory
 * and what its thread then computes by itself. */
#include <stdlib.h>
#include <string.h>

#include "interleave.h"

enum { MAX_STATES = 60000, TABLE = 1 << 17, MAX_CODE = 400, MAX_ALONE = 1000 };
/* What a thread has: its registers, the counters of its loops, and the result that a condition asks for. */
enum { OWN_COUNTERS = REGISTERS, OWN_RESULT = OWN_COUNTERS + COUNTERS, OWN };

struct instruct {
    enum { ACCESS, ASSIGN, JUMP, JUMP_UNLESS } kind;
    const struct action *action; /* of an access or a barrier */
    struct formula value;
    int own, target;
};

struct snapshot {
    int at[MAX_THREADS], own[MAX_THREADS][OWN], memory[WORDS];
};

struct machinery {
    const struct routine *routine;
    struct instruct code[MAX_BODIES][MAX_CODE];
    int length[MAX_BODIES];
    int body; /* that is compiled */
    int nthreads, body_of[MAX_THREADS], tid_of[MAX_THREADS];
    struct snapshot *states;
    int n, *table;
    bool outside, too_many;
};

int interleave_threads(const struct routine *r) {
    int n = 0;
    for (int k = 0; k < r->nbodies; k++)
        n += r->bodies[k].count;
    return n;
}

/* Flat code. */

static struct instruct *emit(struct machinery *m, struct instruct i) {
    struct instruct *to = &m->code[m->body][m->length[m->body]];
    if (m->length[m->body] < MAX_CODE - 1)
        m->length[m->body]++;
    else
        m->too_many = true;
    *to = i;
    return to;
}

static int here(const struct machinery *m) {
    return m->length[m->body];
}

static void emit_assign(struct machinery *m, int own, struct formula value) {
    emit(m, (struct instruct){.kind = ASSIGN, .own = own, .value = value});
}

static void emit_access(struct machinery *m, const struct action *a, int own) {
    emit(m, (struct instruct){.kind = ACCESS, .action = a, .own = own});
}

/* A jump that is taken unless f is true; its target is still to be said. The access that f asks for comes first. */
static struct instruct *emit_unless(struct machinery *m, struct formula f) {
    if (f.left.kind == RESULT) emit_access(m, &m->routine->actions[f.left.n], OWN_RESULT);
    return emit(m, (struct instruct){.kind = JUMP_UNLESS, .value = f});
}

static void emit_jump(struct machinery *m, int target) {
    emit(m, (struct instruct){.kind = JUMP, .target = target});
}

/* The breaks of the loop at hand: a list by `target`, which ends with -1. */
static void emit_list(struct machinery *m, int first, int *breaks);

static void mend_breaks(struct machinery *m, int breaks) {
    for (int next; breaks >= 0; breaks = next) {
        next = m->code[m->body][breaks].target;
        m->code[m->body][breaks].target = here(m);
    }
}

static void emit_break(struct machinery *m, const struct action *a, int *breaks) {
    struct instruct *skip = emit_unless(m, a->a);
    int at = here(m);
    emit_jump(m, *breaks);
    *breaks = at;
    skip->target = here(m);
}

static void emit_return(struct machinery *m, const struct action *a) {
    struct instruct *skip = emit_unless(m, a->a);
    emit_jump(m, MAX_CODE);
    skip->target = here(m);
}

static void emit_if(struct machinery *m, const struct action *a, int *breaks) {
    struct instruct *skip = emit_unless(m, a->a);
    emit_list(m, a->body, breaks);
    if (a->other) {
        struct instruct *over = emit(m, (struct instruct){.kind = JUMP});
        skip->target = here(m);
        emit_list(m, a->other, breaks);
        over->target = here(m);
    } else {
        skip->target = here(m);
    }
}

static void emit_while(struct machinery *m, const struct action *a) {
    int top = here(m), breaks = -1;
    struct instruct *skip = emit_unless(m, a->a);
    emit_list(m, a->body, &breaks);
    emit_jump(m, top);
    skip->target = here(m);
    mend_breaks(m, breaks);
}

static void emit_do(struct machinery *m, const struct action *a) {
    int top = here(m), breaks = -1;
    emit_list(m, a->body, &breaks);
    struct instruct *skip = emit_unless(m, a->a);
    emit_jump(m, top);
    skip->target = here(m);
    mend_breaks(m, breaks);
}

static void emit_for(struct machinery *m, const struct action *a) {
    const struct operand i = {COUNTER, a->counter}, turns = {RESULT, 0}, one = {NUMBER, 1};
    int own = OWN_COUNTERS + a->counter, breaks = -1;
    emit_assign(m, own, (struct formula){.left = {NUMBER, 0}});
    int top = here(m);
    emit_assign(m, OWN_RESULT, a->a);
    struct instruct *skip = emit_unless(m, (struct formula){i, LESS, turns});
    emit_list(m, a->body, &breaks);
    emit_assign(m, own, (struct formula){i, PLUS, one});
    emit_jump(m, top);
    skip->target = here(m);
    mend_breaks(m, breaks);
    emit_assign(m, own, (struct formula){.left = {NUMBER, 0}});
}

static void emit_action(struct machinery *m, const struct action *a, int *breaks) {
    switch (a->kind) {
    case NOTHING:
    case FENCE: break;
    case LOAD:
    case STORE:
    case SWAP:
    case ADD:
    case EXCHANGE:
    case MAX:
    case BARRIER: emit_access(m, a, a->reg); break;
    case SET: emit_assign(m, a->reg, a->a); break;
    case IF: emit_if(m, a, breaks); break;
    case FOR: emit_for(m, a); break;
    case WHILE: emit_while(m, a); break;
    case DO: emit_do(m, a); break;
    case BREAK: emit_break(m, a, breaks); break;
    case RETURN: emit_return(m, a); break;
    case BLOCK: emit_list(m, a->body, breaks); break;
    }
}

static void emit_list(struct machinery *m, int first, int *breaks) {
    for (int k = first; k; k = m->routine->actions[k].next)
        emit_action(m, &m->routine->actions[k], breaks);
}

/* Steps. */

static int operand_value(const struct machinery *m, const struct snapshot *s, int t, struct operand o) {
    switch (o.kind) {
    case NUMBER: return o.n;
    case REGISTER: return s->own[t][o.n];
    case COUNTER: return s->own[t][OWN_COUNTERS + o.n];
    case TID: return m->tid_of[t];
    case RESULT: return s->own[t][OWN_RESULT];
    }
    return 0;
}

static int formula_value(const struct machinery *m, const struct snapshot *s, int t,
                         const struct formula *f) {
    int x = operand_value(m, s, t, f->left), y = operand_value(m, s, t, f->right);
    switch (f->operation) {
    case ALONE:
    case OPERATIONS: return x;
    case PLUS: return x + y;
    case MINUS: return x - y;
    case XOR: return x ^ y;
    case AND: return x & y;
    case EQUAL: return x == y;
    case UNEQUAL: return x != y;
    case LESS: return x < y;
    }
    return 0;
}

static const struct instruct *instruct_at(const struct machinery *m, const struct snapshot *s, int t) {
    int body = m->body_of[t];
    return s->at[t] < m->length[body] ? &m->code[body][s->at[t]] : NULL;
}

/* Goes on to the thread's next access, or to its end. False: it never comes to one. */
static bool settle(const struct machinery *m, struct snapshot *s, int t) {
    const struct instruct *i;
    for (int k = 0; (i = instruct_at(m, s, t)) && i->kind != ACCESS; k++) {
        if (k == MAX_ALONE) return false;
        s->at[t]++;
        if (i->kind == ASSIGN)
            s->own[t][i->own] = formula_value(m, s, t, &i->value);
        else if (i->kind == JUMP || !formula_value(m, s, t, &i->value))
            s->at[t] = i->target;
    }
    s->own[t][OWN_RESULT] = 0;
    if (!i) {
        s->at[t] = MAX_CODE;
        memset(&s->own[t][OWN_COUNTERS], 0, COUNTERS * sizeof(int));
    }
    return true;
}

/* The word that the thread accesses; NULL where its index leaves the array. */
static int *find_word(const struct machinery *m, struct snapshot *s, int t, const struct spot *spot) {
    if (spot->location != Q) return &s->memory[spot->location];
    int index = formula_value(m, s, t, &spot->index);
    if (spot->masked) index &= ELEMENTS - 1;
    return index >= 0 && index < ELEMENTS ? &s->memory[Q + index] : NULL;
}

/* What an access leaves in memory. */
static int left_by(const struct action *act, int old, int a, int b) {
    switch (act->kind) {
    case STORE:
    case EXCHANGE: return a;
    case SWAP: return old == a ? b : old;
    case ADD: return old + a;
    case MAX: return old > a ? old : a;
    default: return old;
    }
}

static bool access_memory(struct machinery *m, struct snapshot *s, int t) {
    const struct instruct *i = instruct_at(m, s, t);
    const struct action *act = i->action;
    int *word = find_word(m, s, t, &act->spot), a = formula_value(m, s, t, &act->a);
    if (!word) {
        m->outside = true;
        return false;
    }
    int old = *word;
    *word = left_by(act, old, a, formula_value(m, s, t, &act->b));
    if (i->own >= 0 && act->kind != STORE) s->own[t][i->own] = old;
    s->at[t]++;
    return settle(m, s, t);
}

static bool at_barrier(const struct machinery *m, const struct snapshot *s, int t) {
    const struct instruct *i = instruct_at(m, s, t);
    return i && i->action->kind == BARRIER;
}

/* The graph. */

static void visit(struct machinery *m, const struct snapshot *s) {
    uint64_t hash = 1469598103934665603u;
    for (size_t k = 0; k < sizeof *s / sizeof(int); k++)
        hash = (hash ^ (unsigned)((const int *)s)[k]) * 1099511628211u;
    int at = (int)((hash ^ hash >> 32) % TABLE);
    for (; m->table[at]; at = (at + 1) % TABLE)
        if (memcmp(&m->states[m->table[at] - 1], s, sizeof *s) == 0) return;
    if (m->n == MAX_STATES) {
        m->too_many = true;
        return;
    }
    m->states[m->n++] = *s;
    m->table[at] = m->n;
}

/* All threads that have not ended wait at a barrier: they go on together. */
static void pass_barrier(struct machinery *m, struct snapshot s) {
    bool fine = true;
    for (int t = 0; t < m->nthreads; t++) {
        if (!at_barrier(m, &s, t)) continue;
        s.at[t]++;
        fine = settle(m, &s, t) && fine;
    }
    if (fine) visit(m, &s);
}

/* Visits what follows a state. True: nothing does, and all threads have ended. */
static bool go_on(struct machinery *m, const struct snapshot *s) {
    int ended = 0, waiting = 0;
    for (int t = 0; t < m->nthreads; t++) {
        if (!instruct_at(m, s, t)) {
            ended++;
        } else if (at_barrier(m, s, t)) {
            waiting++;
        } else {
            struct snapshot next = *s;
            if (access_memory(m, &next, t)) visit(m, &next);
        }
    }
    if (waiting && waiting + ended == m->nthreads) pass_barrier(m, *s);
    return ended == m->nthreads;
}

static int by_values(const void *x, const void *y) {
    return memcmp(x, y, sizeof(int[MAX_OBSERVED]));
}

static void add_final(struct finals *out, const struct machinery *m, const struct snapshot *s) {
    int *values = out->list[out->n++];
    memset(values, 0, sizeof *out->list);
    for (int t = 0; t < m->nthreads; t++)
        memcpy(values + t * REGISTERS, s->own[t], REGISTERS * sizeof(int));
    memcpy(values + m->nthreads * REGISTERS, s->memory, sizeof s->memory);
}

static void compile(struct machinery *m) {
    for (m->body = 0; m->body < m->routine->nbodies; m->body++) {
        int breaks = -1;
        emit_list(m, m->routine->bodies[m->body].first, &breaks);
        mend_breaks(m, breaks);
        for (int k = 0; k < m->routine->bodies[m->body].count; k++) {
            m->body_of[m->nthreads] = m->body;
            m->tid_of[m->nthreads++] = k;
        }
    }
}

static void start(struct machinery *m) {
    struct snapshot s = {0};
    memcpy(s.memory, m->routine->memory, sizeof s.memory);
    bool fine = true;
    for (int t = 0; t < m->nthreads; t++)
        fine = settle(m, &s, t) && fine;
    if (fine) visit(m, &s);
}

static enum interleaved explore(struct machinery *m, struct finals *out) {
    compile(m);
    start(m);
    *out = (struct finals){.nobserved = m->nthreads * REGISTERS + WORDS};
    out->list = calloc(MAX_STATES, sizeof *out->list);
    for (int k = 0; k < m->n && !m->too_many && !m->outside; k++) {
        struct snapshot s = m->states[k];
        if (go_on(m, &s)) add_final(out, m, &s);
    }
    qsort(out->list, (size_t)out->n, sizeof *out->list, by_values);
    return m->too_many ? TOO_MANY : m->outside ? OUTSIDE : INTERLEAVED;
}

enum interleaved interleave_run(const struct routine *r, struct finals *out) {
    struct machinery *m = calloc(1, sizeof *m);
    m->routine = r;
    m->states = calloc(MAX_STATES, sizeof *m->states);
    m->table = calloc(TABLE, sizeof *m->table);
    enum interleaved result = explore(m, out);
    free(m->table);
    free(m->states);
    free(m);
    return result;
}

bool interleave_reaches(const struct finals *f, const int *state) {
    return bsearch(state, f->list, (size_t)f->n, sizeof *f->list, by_values) != NULL;
}
