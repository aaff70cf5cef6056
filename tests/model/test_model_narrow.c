/* Dependencies by trying all values: random programs whose reads have few values.
 *
 * T0 reads x and others, and stores to y behind branches, loops, turns that never end and compare-exchanges; T1 writes to x what T0 shall have read
 * when it sees what T0 then stores; T2 may write the others. That is allowed where such a store does not depend on the read of
 * x. A thread is run for all values of its reads. A store of a run depends on a read if for two runs, the first of which takes
 * the same way and the second of which differs in this read alone, the second lacks the store: that step with that value as
 * long as they take one way, or any store behind the place where they part. It also depends on x where it depends on what the
 * compare-exchange finds, and whether that comes depends on x. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../random.h"
#include "ask.h"
#include "base/text.h"
#include "oracle.h"

enum { READS = 3, T = READS, I, REGISTERS, MOST_STEPS = 64, UNROLL = 5 };

/* What a compare-exchange of 0 finds: 0 to 15, or 17, of which the low bits are those of 1. */
enum { FOUND = 17, MOST_RUNS = 8 * 8 * 8 * FOUND };

static struct oracle oracle = {.programs = 400, .seed = 42};

static struct arena *arena;

struct number {
    char oper; /* 'n': a number, 'r': a register, else as written; 'm' min, 'M' max, 'e' ==, 'l' <<, 'g' >> */
    int value;
    const struct number *a, *b, *c;
};

struct line {
    enum line_kind { STORE, SET, IF, LOOP, SWAP, HANG } kind;
    bool to_y;
    const struct number *value; /* of IF and HANG the condition; of a loop how many turns, & 3 */
    const struct line *then, *other, *next;
};

/* A program, and its reads: all are of one type and have so many values. */
struct narrow {
    const char *type;
    int nreads, values;
    int written[READS]; /* what T2 writes where T0 reads; 0: nothing */
    const struct line *first;
};

struct run {
    struct {
        bool to_y;
        int value;
    } stores[MOST_STEPS];
    struct {
        int way, stores;
    } turns[MOST_STEPS];
    int nstores, nturns, registers[REGISTERS];
    bool swaps, hangs;
};

/* ---- random programs ---- */

static const struct number *number(char oper, int value, const struct number *a, const struct number *b,
                                   const struct number *c) {
    struct number *n = arena_alloc(arena, sizeof *n);
    *n = (struct number){oper, value, a, b, c};
    return n;
}

static const struct number *make_number(const struct narrow *p, int depth) {
    static const char opers[] = "+-*&|^elgmM<?/%+-&";
    if (depth == 0 || pick(5) == 0) {
        int reg = pick(3) ? pick(p->nreads) : T + pick(2);
        return pick(3) ? number('r', reg, NULL, NULL, NULL)
                       : number('n', pick(4) ? pick(5) : pick(p->values), NULL, NULL, NULL);
    }
    char oper = opers[pick((int)sizeof opers - 1)];
    const struct number *a = make_number(p, depth - 1), *b = make_number(p, depth - 1);
    if (oper == 'l' || oper == 'g') b = number('n', pick(4), NULL, NULL, NULL);
    if (oper == '/' || oper == '%') b = number('n', 1 + pick(6), NULL, NULL, NULL);
    return number(oper, 0, a, b, oper == '?' ? make_number(p, depth - 1) : NULL);
}

/* A condition that may be true of a read, or not. */
static const struct number *make_limit(const struct narrow *p) {
    const struct number *read = number('r', pick(p->nreads), NULL, NULL, NULL);
    return number(pick(2) ? 'e' : '<', 0, read, number('n', 1 + pick(p->values - 1), NULL, NULL, NULL), NULL);
}

static const struct line *make_lines(const struct narrow *p, int n, int depth, int *swaps) {
    if (n == 0) return NULL;
    struct line *s = arena_alloc(arena, sizeof *s);
    int what = depth > 0 ? pick(10) : 4 + pick(6);
    s->kind = what < 3 ? IF : what == 3 ? LOOP : what == 4 && (*swaps)++ == 0 ? SWAP : what < 6 ? SET : STORE;
    s->to_y = pick(4) > 0;
    s->value = make_number(p, 1 + pick(3));
    if (s->kind == SET && pick(4) == 0) {
        s->kind = HANG;
        s->value = make_limit(p);
    }
    if (s->kind == STORE && pick(2)) s->value = number('n', 1 + pick(2), NULL, NULL, NULL);
    if (s->kind == IF) s->then = make_lines(p, 1 + pick(2), depth - 1, swaps);
    if (s->kind == LOOP) s->then = make_lines(p, 1 + pick(2), 0, &(int){1});
    if (s->kind == IF && pick(3)) s->other = make_lines(p, 1 + pick(2), depth - 1, swaps);
    s->next = make_lines(p, n - 1, depth, swaps);
    return s;
}

static void make_narrow(struct narrow *p) {
    int swaps = 0;
    p->nreads = 1 + pick(READS);
    p->type = pick(2) ? "unsigned char" : pick(2) ? "int" : "unsigned";
    p->values = (const int[]){256, 16, 8}[p->nreads - 1];
    p->first = make_lines(p, 1 + pick(3), 2, &swaps);
    bool written = pick(2);
    for (int k = 1; k < READS; k++)
        p->written[k] = written && k < p->nreads ? 1 + pick(p->values - 1) : 0;
}

/* ---- as text ---- */

static void write_number(struct text *out, const struct number *n) {
    static const char *const names[] = {"r", "q", "p", "t", "i"};
    if (n->oper == 'n') text_printf(out, "%d", n->value);
    if (n->oper == 'r') text_add(out, names[n->value]);
    if (!n->a) return;
    bool called = n->oper == 'm' || n->oper == 'M';
    text_add(out, n->oper == 'm' ? "min((int)" : n->oper == 'M' ? "max((int)" : "((int)");
    write_number(out, n->a);
    text_printf(out,
                called           ? ", "
                : n->oper == 'e' ? " == "
                : n->oper == 'l' ? " << "
                : n->oper == 'g' ? " >> "
                                 : " %c ",
                n->oper);
    text_add(out, "(int)");
    write_number(out, n->b);
    if (n->c) text_add(out, " : (int)");
    if (n->c) write_number(out, n->c);
    text_add(out, ")");
}

static void write_lines(struct text *out, const struct line *s) {
    for (; s; s = s->next) {
        if (s->kind == STORE) text_printf(out, "store(%s, ", s->to_y ? "y" : "d");
        if (s->kind == SET) text_add(out, "t = ");
        if (s->kind == IF || s->kind == HANG) text_add(out, "if (");
        if (s->kind == LOOP) text_add(out, "i = 0; while (i < (");
        if (s->kind == SWAP) text_add(out, "t = compare_exchange(c, 1, ");
        write_number(out, s->value);
        text_add(out, s->kind == STORE  ? ", relaxed, system); "
                      : s->kind == SET  ? "; "
                      : s->kind == SWAP ? ", relaxed, system) & 15; "
                      : s->kind == IF   ? ") { "
                      : s->kind == HANG ? ") while (1) {} "
                                        : " & 3)) { ");
        if (s->kind != IF && s->kind != LOOP) continue;
        write_lines(out, s->then);
        text_add(out, s->kind == LOOP ? "i = i + 1; } " : "} ");
        if (!s->other) continue;
        text_add(out, "else { ");
        write_lines(out, s->other);
        text_add(out, "} ");
    }
}

static void write_narrow(struct text *out, const struct narrow *p, int read, int stored) {
    const char *t = p->type;
    text_printf(out,
                "name: narrow\nmemory: {x: {type: %s}, z: {type: %s}, w: {type: %s}, y: {type: int}, d: "
                "{type: int}, c: {type: int}}\n",
                t, t, t);
    text_printf(
        out, "placements: [\"T0 | T1%s\"]\nthreads:\n  T0: |\n    %s r = 0, q = 0, p = 0; int t = 0, i = 0; ",
        p->written[1] ? " | T2" : "", t);
    for (int k = 0; k < p->nreads; k++)
        text_printf(out, "%c = load(%c, relaxed, system) & %d; ", "rqp"[k], "xzw"[k], p -> values - 1);
    write_lines(out, p->first);
    text_printf(
        out, "\n  T1: |\n    int s = load(y, relaxed, system); if (s == %d) store(x, %d, relaxed, system);\n",
        stored, read);
    if (p->written[1]) text_add(out, "  T2: |\n    ");
    for (int k = 1; k < READS; k++)
        if (p->written[k])
            text_printf(out, "store(%c, %d, relaxed, system); ", k == 1 ? 'z' : 'w', p->written[k]);
    text_printf(out, "\nexists: T0.r == %d && T1.s == %d\n", read, stored);
}

/* ---- all that T0 can do ---- */

static int compute(const struct number *n, const int *registers) {
    if (!n->a) return n->oper == 'n' ? n->value : registers[n->value];
    int a = compute(n->a, registers), b = compute(n->b, registers);
    switch (n->oper) {
    case '+': return (int)((unsigned)a + (unsigned)b);
    case '-': return (int)((unsigned)a - (unsigned)b);
    case '*': return (int)((unsigned)a * (unsigned)b);
    case '/': return a / b;
    case '%': return a % b;
    case '&': return a & b;
    case '|': return a | b;
    case '^': return a ^ b;
    case '<': return a < b;
    case 'e': return a == b;
    case 'l': return (int)((unsigned)a << b);
    case 'g': return a >> b;
    case 'm': return a < b ? a : b;
    case 'M': return a > b ? a : b;
    default: return a ? b : compute(n->c, registers);
    }
}

static bool turn(struct run *r, int way) {
    assert_true(r->nturns < MOST_STEPS);
    r->turns[r->nturns].way = way;
    r->turns[r->nturns++].stores = r->nstores;
    return way;
}

static void follow(const struct line *s, int found, struct run *r) {
    for (; s && !r->hangs; s = s->next) {
        int *of = r->registers;
        switch (s->kind) {
        case STORE:
            assert_true(r->nstores < MOST_STEPS);
            r->stores[r->nstores].to_y = s->to_y;
            r->stores[r->nstores++].value = compute(s->value, of);
            break;
        case SET: of[T] = compute(s->value, of); break;
        case IF: follow(turn(r, compute(s->value, of) != 0) ? s->then : s->other, found, r); break;
        case LOOP:
            for (of[I] = 0; !r->hangs && turn(r, of[I] < (compute(s->value, of) & 3)); of[I]++)
                follow(s->then, found, r);
            break;
        case HANG: r->hangs = turn(r, compute(s->value, of) != 0); break;
        case SWAP:
            turn(r, found == 1);
            r->swaps = true;
            of[T] = (found == FOUND - 1 ? FOUND : found) & 15;
            break;
        }
    }
}

static struct run runs[MOST_RUNS];

/* Runs T0 for all values of its reads: run k has k % values in r. Returns how many there are. */
static int run_all(const struct narrow *p) {
    int n = FOUND;
    for (int k = 0; k < p->nreads; k++)
        n *= p->values;
    for (int k = 0; k < n; k++) {
        int rest = k;
        runs[k] = (struct run){.nstores = 0};
        for (int reg = 0; reg < p->nreads; reg++, rest /= p->values)
            runs[k].registers[reg] = rest % p->values;
        follow(p->first, rest, &runs[k]);
    }
    return n;
}

static int count_common(const struct run *x, const struct run *y) {
    int k = 0;
    while (k < x->nturns && k < y->nturns && x->turns[k].way == y->turns[k].way)
        k++;
    return k;
}

/* Whether y does store e of x. */
static bool does(const struct run *x, int e, const struct run *y) {
    int turns = count_common(x, y), common = turns == x->nturns ? x->nstores : x->turns[turns].stores;
    if (e < common) return y->stores[e].value == x->stores[e].value;
    for (int k = common; k < y->nstores; k++)
        if (y->stores[k].to_y == x->stores[e].to_y && y->stores[k].value == x->stores[e].value) return true;
    return false;
}

static bool is_same_way(const struct run *x, const struct run *y) {
    return x->nturns == y->nturns && count_common(x, y) == x->nturns;
}

/* Whether store e of a run depends on a read that has so many values, each of which comes so many runs behind the last. */
static bool depends_on(int n, const struct run *of, int e, int values, int step) {
    for (int one = 0; one < n; one++) {
        int first = one - one / step % values * step;
        if (!is_same_way(&runs[one], of)) continue;
        for (int k = 0; k < values; k++)
            if (!does(&runs[one], e, &runs[first + k * step])) return true;
    }
    return false;
}

/* Whether it depends on x that there is a compare-exchange on this way. */
static bool decides_swap(const struct narrow *p, int n, const struct run *of) {
    for (int one = 0; one < n && of->swaps; one++) {
        if (!is_same_way(&runs[one], of)) continue;
        for (int k = 0; k < p->values; k++)
            if (!runs[one - one % p->values + k].swaps) return true;
    }
    return false;
}

static bool depends(const struct narrow *p, int n, const struct run *of, int e) {
    return depends_on(n, of, e, p->values, 1) ||
           (decides_swap(p, n, of) && depends_on(n, of, e, FOUND, n / FOUND));
}

/* The run that reads this of x, and of the others what T2 writes, or else 0. */
static const struct run *find_run(const struct narrow *p, int read, int others) {
    for (int reg = 1, step = p->values; reg < p->nreads; reg++, step *= p->values)
        if (others >> (reg - 1) & 1) read += step * p->written[reg];
    return &runs[read];
}

enum { OTHERS = 1 << (READS - 1) };

/* Whether T0 may read `read` of x and store `stored` to y, which does not depend on it. */
static bool is_free(const struct narrow *p, int n, int read, int stored) {
    for (int others = 0; others < OTHERS; others++) {
        const struct run *of = find_run(p, read, others);
        for (int e = 0; e < of->nstores && !of->hangs; e++)
            if (of->stores[e].to_y && of->stores[e].value == stored && !depends(p, n, of, e)) return true;
    }
    return false;
}

/* ---- against the checker ---- */

struct count {
    int compared, unknown, depend, missed, claimed, bounded, early;
};

enum verdict { FORBIDDEN, ALLOWED, UNKNOWN };

/* Asks within fewer turns, too: what more turns allow is not forbidden there, or it is said that turns were bounded. */
static enum verdict ask_model_of(const struct model *m, const struct narrow *p, int read, int stored,
                                 struct text *text, struct count *count) {
    write_narrow(text, p, read, stored);
    struct answer all = ask(m, text->s, &(struct model_limits){.unroll = UNROLL});
    if (all.status != MODEL_DONE) return UNKNOWN;
    for (int turns = 1; turns < UNROLL; turns++) {
        struct answer few = ask(m, text->s, &(struct model_limits){.unroll = turns});
        bool differs = few.status == MODEL_DONE && all.allowed && !few.allowed;
        count->bounded += differs && few.bounded;
        count->early += differs && !few.bounded;
        if (differs && !few.bounded) print_error("forbidden within %d turns: %s", turns, text->s);
    }
    return all.allowed ? ALLOWED : FORBIDDEN;
}

static void try_narrow(const struct model *m, struct count *count) {
    struct narrow p;
    struct text text = {0};
    make_narrow(&p);
    int n = run_all(&p), read = 1 + pick(p.values - 1), stored = 0;
    const struct run *of = find_run(&p, read, pick(OTHERS));
    for (int e = 0; e < of->nstores; e++)
        if (of->stores[e].to_y && (!stored || pick(2))) stored = of->stores[e].value;
    if (stored == 0) return;
    bool free = is_free(&p, n, read, stored);
    enum verdict verdict = ask_model_of(m, &p, read, stored, &text, count);
    count->compared += verdict != UNKNOWN;
    count->unknown += verdict == UNKNOWN;
    count->depend += !free;
    count->missed += verdict == ALLOWED && !free;
    count->claimed += verdict == FORBIDDEN && free;
    if (free ? verdict == FORBIDDEN : verdict == ALLOWED) fputs(text.s, stderr);
    text_free(&text);
}

static void test_narrow_dependencies(void **state) {
    (void)state;
    struct arena *a = arena_open();
    const struct model *m = ask_model(a, "ptx");
    struct count count = {0};
    seed = oracle.seed;
    arena = arena_open();
    for (; oracle.drawn < oracle.programs && count.missed + count.claimed < 10; oracle.drawn++) {
        try_narrow(m, &count);
        arena_reset(arena);
    }
    arena_close(arena);
    arena_close(a);
    print_message("%d with a dependency, %d missed, %d claimed, %d bounded, %d too early\n", count.depend,
                  count.missed, count.claimed, count.bounded, count.early);
    oracle.compared = count.compared;
    oracle.unknown = count.unknown;
    oracle.different = count.early + count.missed + count.claimed;
    assert_int_equal(oracle.different, 0);
    assert_true(count.compared > oracle.drawn / 3 && count.depend > oracle.drawn / 20);
}

int main(int argc, char **argv) {
    oracle_begin(&oracle, "test_narrow*", argc, argv);
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_narrow_dependencies)};
    return oracle_end(&oracle, cmocka_run_group_tests(tests, NULL, NULL));
}
