/* All states of a program whose threads take turns. */
#include <stdlib.h>
#include <string.h>

#include "meet.h"

enum { MAX_STATES = 60000, TABLE = 1 << 17, MAX_LOCAL = 400 };

/* Where a thread is; it has arrived where it is to meet others. */
struct seat {
    int pc;
    int arrived; /* no bool: states are compared as bytes */
    int32_t regs[MEET_REGS + 1];
};

struct state {
    int32_t memory[MEET_LOCS];
    struct seat seats[MEET_MAX_THREADS];
};

struct states {
    const struct meet_program *p;
    struct state *list;
    int n, *table; /* hash -> state + 1 */
    struct meet_outcomes *out;
    bool stuck; /* some thread goes round and does nothing, or takes what is not defined */
};

static const struct meet_ins *ins_of(const struct states *s, const struct state *at, int thread) {
    return &s->p->code[thread >= s->p->lanes][at->seats[thread].pc];
}

static int32_t value_of(const struct meet_value *v, const struct seat *seat, int tid) {
    int32_t x = v->of == VALUE_TID ? tid : v->of == VALUE_REG ? seat->regs[v->number] : v->number;
    switch (v->op) {
    case '=': return x == v->constant;
    case '!': return x != v->constant;
    case '+': return x + v->constant;
    case '&': return x & v->constant;
    default: return x;
    }
}

static bool has_ended(const struct states *s, const struct state *at, int thread) {
    return ins_of(s, at, thread)->kind == MEET_END;
}

static bool meets(const struct states *s, const struct state *at, int thread, const struct meet_ins *join) {
    const struct meet_ins *i = ins_of(s, at, thread);
    return at->seats[thread].arrived && i->call == join->call && i->lanes == join->lanes;
}

static bool may_open(const struct states *s, const struct state *at, const struct meet_ins *join) {
    for (int t = 0; t < s->p->lanes; t++)
        if (join->lanes >> t & 1 && !has_ended(s, at, t) && !meets(s, at, t, join)) return false;
    return true;
}

/* The result of lane `mine`, of the lanes that came and what each of them gave. */
static int32_t result_of(const struct meet_ins *join, unsigned came, const int32_t *given, int mine) {
    uint32_t ones = 0, same = 0, sum = 0, all = ~0u;
    int32_t min = INT32_MAX;
    for (int t = 0; t < MEET_MAX_THREADS; t++) {
        if (!(came >> t & 1)) continue;
        ones |= (uint32_t)(given[t] != 0) << t;
        same |= (uint32_t)(given[t] == given[mine]) << t;
        sum += (uint32_t)given[t];
        all &= (uint32_t)given[t];
        min = given[t] < min ? given[t] : min;
    }
    switch (join->call) {
    case CALL_BLOCK_OR:
    case CALL_ANY: return ones != 0;
    case CALL_BLOCK_AND:
    case CALL_ALL: return ones == came;
    case CALL_UNI: return ones == 0 || ones == came;
    case CALL_BALLOT: return (int32_t)ones;
    case CALL_BLOCK_COUNT: return __builtin_popcount(ones);
    case CALL_MATCH_ANY: return (int32_t)same;
    case CALL_MATCH_ALL: return same == came ? (int32_t)came : 0;
    case CALL_ADD: return (int32_t)sum;
    case CALL_MIN: return min;
    case CALL_AND: return (int32_t)all;
    case CALL_SHUFFLE: return given[join->from];
    case CALL_SYNC:
    case CALL_BLOCK_SYNC:
    case MEET_CALLS: break;
    }
    return 0;
}

/* Opens where a thread has arrived, if all have come who have not ended. False when it waits. */
static bool open(struct states *s, struct state *at, int thread) {
    const struct meet_ins *join = ins_of(s, at, thread);
    int32_t given[MEET_MAX_THREADS] = {0}, regs[MEET_MAX_THREADS];
    unsigned came = 0;
    if (!may_open(s, at, join)) return false;
    for (int t = 0; t < s->p->lanes; t++)
        if (meets(s, at, t, join)) {
            came |= 1u << t;
            given[t] = value_of(&ins_of(s, at, t)->value, &at->seats[t], t);
            bool vote = join->call <= CALL_BALLOT || join->call >= CALL_BLOCK_COUNT;
            if (vote) given[t] = given[t] != 0;
        }
    for (int t = 0; t < s->p->lanes; t++)
        if (came >> t & 1) regs[t] = result_of(ins_of(s, at, t), came, given, t);
    for (int t = 0; t < s->p->lanes; t++)
        if (came >> t & 1) {
            const struct meet_ins *i = ins_of(s, at, t);
            if (i->call == CALL_SHUFFLE && !(came >> i->from & 1)) s->stuck = true;
            if (i->call != CALL_SYNC && i->call != CALL_BLOCK_SYNC) at->seats[t].regs[i->reg] = regs[t];
            at->seats[t].arrived = 0;
            at->seats[t].pc++;
        }
    return true;
}

/* Goes on by what nobody else notices. False when the thread is before an access, has ended, or waits. */
static bool go_on(struct states *s, struct state *at, int thread) {
    const struct meet_ins *i = ins_of(s, at, thread);
    struct seat *seat = &at->seats[thread];
    int tid = thread < s->p->lanes ? thread : 0;
    switch (i->kind) {
    case MEET_SET: seat->regs[i->reg] = value_of(&i->value, seat, tid); break;
    case MEET_JUMP: seat->pc = i->target; return true;
    case MEET_BRANCH: {
        bool taken = i->lanes ? i->lanes >> tid & 1 : value_of(&i->value, seat, tid) != 0;
        seat->pc = taken ? seat->pc + 1 : i->target;
        return true;
    }
    case MEET_JOIN:
        if (seat->arrived) return open(s, at, thread);
        seat->arrived = 1;
        return true;
    case MEET_LOAD:
    case MEET_STORE:
    case MEET_ADD:
    case MEET_END: return false;
    }
    seat->pc++;
    return true;
}

static void settle(struct states *s, struct state *at) {
    int steps = 0;
    for (int t = 0; t < s->p->nthreads && !s->stuck; t++)
        if (go_on(s, at, t)) {
            if (++steps > MAX_LOCAL) s->stuck = true;
            t = -1;
        }
}

static uint32_t hash(const struct state *at) {
    uint32_t h = 2166136261u;
    const unsigned char *bytes = (const void *)at;
    for (size_t k = 0; k < sizeof *at; k++)
        h = (h ^ bytes[k]) * 16777619u;
    return h ^ h >> 15;
}

static void add_state(struct states *s, const struct state *at) {
    uint32_t h = hash(at) % TABLE;
    for (; s->table[h]; h = (h + 1) % TABLE)
        if (memcmp(&s->list[s->table[h] - 1], at, sizeof *at) == 0) return;
    s->table[h] = s->n + 1;
    s->list[s->n++] = *at;
}

static void access(struct state *at, const struct meet_ins *i, int thread, int tid) {
    struct seat *seat = &at->seats[thread];
    int32_t *cell = &at->memory[i->loc], old = *cell;
    if (i->kind == MEET_STORE) *cell = value_of(&i->value, seat, tid);
    if (i->kind == MEET_ADD) ++*cell;
    if (i->kind != MEET_STORE) seat->regs[i->reg] = old;
    seat->pc++;
}

bool meet_has(const struct meet_outcomes *out, const int64_t *values) {
    for (int k = 0; k < out->n; k++)
        if (memcmp(out->values[k], values, (size_t)out->nvalues * sizeof *values) == 0) return true;
    return false;
}

static void add_outcome(struct states *s, const struct state *at) {
    struct meet_outcomes *out = s->out;
    int64_t values[MEET_VALUES];
    int n = 0;
    for (int t = 0; t < s->p->nthreads; t++)
        for (int r = 0; r < MEET_REGS; r++)
            if (s->p->observed[t][r]) values[n++] = at->seats[t].regs[r];
    for (int l = 0; l < MEET_LOCS; l++)
        values[n++] = at->memory[l];
    out->nvalues = n;
    if (meet_has(out, values)) return;
    if (out->n == out->cap) {
        out->cap = 2 * out->cap + 8;
        out->values = realloc(out->values, (size_t)out->cap * sizeof *out->values);
        if (!out->values) abort();
    }
    memcpy(out->values[out->n++], values, sizeof values);
}

static void follow(struct states *s, int k) {
    bool ended = true;
    for (int t = 0; t < s->p->nthreads; t++) {
        const struct state *from = &s->list[k];
        const struct meet_ins *i = ins_of(s, from, t);
        ended = ended && i->kind == MEET_END;
        if (i->kind != MEET_LOAD && i->kind != MEET_STORE && i->kind != MEET_ADD) continue;
        struct state next = *from;
        access(&next, i, t, t < s->p->lanes ? t : 0);
        s->stuck = false;
        settle(s, &next);
        if (!s->stuck) add_state(s, &next);
    }
    if (ended) add_outcome(s, &s->list[k]);
}

bool meet_run(const struct meet_program *p, struct meet_outcomes *out) {
    struct states s = {.p = p, .out = out};
    struct state first;
    memset(&first, 0, sizeof first);
    *out = (struct meet_outcomes){0};
    s.list = calloc(MAX_STATES + MEET_MAX_THREADS, sizeof *s.list);
    s.table = calloc(TABLE, sizeof *s.table);
    if (!s.list || !s.table) abort();
    settle(&s, &first);
    if (!s.stuck) add_state(&s, &first);
    for (int k = 0; k < s.n && s.n < MAX_STATES; k++)
        follow(&s, k);
    bool all = s.n < MAX_STATES;
    free(s.list);
    free(s.table);
    return all;
}

void meet_free(struct meet_outcomes *out) {
    free(out->values);
}
