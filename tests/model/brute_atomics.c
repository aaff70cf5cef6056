/* What PTX promises of a program whatever races in it: its atomic operations take turns. All orders of them, each done at
 * once. */
#include <string.h>

#include "brute.h"

enum { MAX_ATOMICS = 8 };

struct turns {
    const struct brute_program *program;
    const struct brute_op *ops[MAX_ATOMICS]; /* in the order of the threads' texts */
    int64_t returned[MAX_ATOMICS];
    bool done[MAX_ATOMICS];
    int n;
    struct brute_outcomes *out;
};

static bool is_atomic(const struct brute_op *o) {
    return o->kind == BRUTE_ADD || o->kind == BRUTE_EXCH || o->kind == BRUTE_CAS;
}

static bool includes(const struct brute_program *p, enum brute_scope scope, int from, int to) {
    if (from == to || scope == BRUTE_SYS) return true;
    return scope == BRUTE_CTA ? p->block[from] == p->block[to] : p->gpu[from] == p->gpu[to];
}

/* Whether a program has nothing but atomic operations, whose scopes include all threads, and barriers: these leave fewer of
 * the orders, and none is promised to go. */
static bool list(struct turns *s) {
    const struct brute_program *p = s->program;
    for (int t = 0; t < p->nthreads; t++)
        for (int k = 0; k < p->nops[t]; k++) {
            const struct brute_op *o = &p->ops[t][k];
            if (o->kind == BRUTE_BARRIER) continue;
            if (!is_atomic(o) || s->n == MAX_ATOMICS) return false;
            for (int other = 0; other < p->nthreads; other++)
                if (!includes(p, o->scope, t, other)) return false;
            s->ops[s->n++] = o;
        }
    return true;
}

/* Does an operation, in memory that has x and then y. */
static int64_t perform(const struct brute_op *o, unsigned char *memory) {
    int64_t old = 0;
    size_t at = o->loc ? BRUTE_BYTES : (size_t)o->at, bytes = o->loc ? sizeof(int) : (size_t)o->bytes;
    memcpy(&old, memory + at, bytes); /* the first byte is the lowest one */
    int64_t value = brute_number(o, o->value);
    if (o->kind == BRUTE_ADD) value += old;
    if (o->kind != BRUTE_CAS || old == brute_number(o, o->expected)) memcpy(memory + at, &value, bytes);
    return old;
}

static void record(const struct turns *s, const unsigned char *memory) {
    int64_t values[BRUTE_MAX_OBS] = {0};
    int n = 0, y;
    for (int k = 0; k < s->n; k++)
        if (brute_returns_value(s->ops[k])) values[n++] = s->returned[k];
    memcpy(&values[n++], memory, BRUTE_BYTES);
    memcpy(&y, memory + BRUTE_BYTES, sizeof y);
    values[n++] = y;
    s->out->nobs = n;
    brute_add(s->out, values);
}

static void take_turns(struct turns *s, int done, const unsigned char *memory) {
    if (done == s->n) record(s, memory);
    for (int k = 0; k < s->n; k++) {
        if (s->done[k]) continue;
        unsigned char after[BRUTE_BYTES + sizeof(int)];
        memcpy(after, memory, sizeof after);
        s->done[k] = true;
        s->returned[k] = perform(s->ops[k], after);
        take_turns(s, done + 1, after);
        s->done[k] = false;
    }
}

bool brute_take_turns(const struct brute_program *p, struct brute_outcomes *out) {
    struct turns s = {.program = p, .out = out};
    unsigned char memory[BRUTE_BYTES + sizeof(int)] = {0};
    if (!p->grain || !list(&s)) return false;
    take_turns(&s, 0, memory);
    return true;
}
