/* Random routines. Half of what they do are single accesses and branches by chance, the other half are small idioms of
 * kernels: locks, tickets, flags, lists, the last one to come. */
#include <string.h>

#include "../random.h"
#include "interleave.h"

struct maker {
    struct routine *r;
    int left;     /* accesses that a body may still have */
    int counters; /* of the loops around */
    bool loop, copies;
};

void interleave_seed(uint64_t to) {
    seed = to * 0x9E3779B97F4A7C15u + 1;
}

static bool chance(int percent) {
    return pick(100) < percent;
}

static struct operand number(int n) {
    return (struct operand){NUMBER, n};
}

static struct operand reg(int n) {
    return (struct operand){REGISTER, n};
}

static struct formula alone(struct operand o) {
    return (struct formula){.left = o};
}

static struct formula of(struct operand left, enum operation operation, struct operand right) {
    return (struct formula){left, operation, right};
}

static struct spot plain(enum word location) {
    return (struct spot){.location = location};
}

static int add(struct maker *m, struct action a) {
    if (m->r->nactions == MAX_ACTIONS - 1) return 0;
    if (a.kind >= LOAD && a.kind <= MAX) m->left--;
    m->r->actions[++m->r->nactions] = a;
    return m->r->nactions;
}

static void link_actions(struct maker *m, int first, int second) {
    while (m->r->actions[first].next)
        first = m->r->actions[first].next;
    if (first) m->r->actions[first].next = second;
}

/* One action behind the other. */
static int row(struct maker *m, const int *actions, int n) {
    for (int k = 1; k < n; k++)
        link_actions(m, actions[k - 1], actions[k]);
    return actions[0];
}

#define ROW(...) row(m, (const int[]){__VA_ARGS__}, sizeof((const int[]){__VA_ARGS__}) / sizeof(int))

static struct operand random_operand(struct maker *m) {
    int k = pick(100);
    if (m->copies && k < 20) return (struct operand){TID, 0};
    if (m->counters && k < 35) return (struct operand){COUNTER, pick(m->counters)};
    return k < 70 ? reg(pick(REGISTERS)) : number(pick(3));
}

static struct formula random_value(struct maker *m) {
    static const enum operation operations[] = {PLUS, PLUS, MINUS, XOR, AND, EQUAL};
    if (chance(60)) return alone(random_operand(m));
    return of(random_operand(m), operations[pick(6)], number(1 + pick(2)));
}

static struct spot random_spot(struct maker *m) {
    int k = pick(100);
    if (k < 60) return plain(k < 30 ? A : k < 55 ? B : L);
    if (k < 75) return (struct spot){Q, alone(number(pick(ELEMENTS))), false};
    struct formula index = random_value(m);
    return (struct spot){Q, index, k < 93 || index.left.kind == NUMBER};
}

/* LOAD is as often as all that follow; a store has no result. */
static struct action random_access(struct maker *m) {
    static const enum action_kind kinds[] = {LOAD, LOAD, LOAD, STORE, STORE,    STORE, SWAP,
                                             SWAP, SWAP, ADD,  ADD,   EXCHANGE, MAX};
    enum action_kind kind = kinds[pick(13)];
    return (struct action){.kind = kind,
                           .reg = kind == LOAD || chance(80) ? pick(REGISTERS) : -1,
                           .ordered = chance(15),
                           .spot = random_spot(m),
                           .a = random_value(m),
                           .b = random_value(m)};
}

/* A condition that asks for an access. */
static struct formula result_of(struct maker *m, struct action a, enum operation operation,
                                struct operand o) {
    a.reg = -1;
    a.asked = true;
    return of((struct operand){RESULT, add(m, a)}, operation, o);
}

static struct formula random_condition(struct maker *m) {
    static const enum operation operations[] = {EQUAL, EQUAL, UNEQUAL, UNEQUAL, LESS};
    enum operation operation = operations[pick(5)];
    if (chance(25)) {
        struct action a = random_access(m);
        if (a.kind != STORE) return result_of(m, a, operation, number(pick(3)));
    }
    return of(chance(80) ? reg(pick(REGISTERS)) : random_operand(m), operation, random_operand(m));
}

static int block(struct maker *m, int depth);

static int make_if(struct maker *m, int depth) {
    struct action a = {.kind = IF, .reg = -1, .a = random_condition(m)};
    a.body = block(m, depth + 1);
    if (chance(45)) a.other = block(m, depth + 1);
    return add(m, a);
}

/* How many turns a loop has: a number, or what a register says. */
static struct formula random_turns(void) {
    if (chance(70)) return alone(number(1 + pick(2)));
    struct operand r = reg(pick(REGISTERS));
    return chance(50) ? alone(r) : of(r, AND, number(1 + 2 * pick(2)));
}

static int make_for(struct maker *m, int depth) {
    struct action a = {.kind = FOR, .reg = -1, .a = random_turns(), .counter = m->counters};
    bool outer = m->loop;
    m->counters++;
    m->loop = true;
    a.body = block(m, depth + 1);
    m->counters--;
    m->loop = outer;
    return add(m, a);
}

static int make_jump(struct maker *m, enum action_kind kind) {
    return add(m, (struct action){.kind = kind, .reg = -1, .a = random_condition(m)});
}

/* "while (atomicCAS(&l, 0, 1) != 0);" or "if (atomicCAS(&l, 0, 1) == 0)", a block, and "atomicExch(&l, 0);" or "l = 0;" */
static int make_lock(struct maker *m, int depth, bool trying) {
    struct action swap = {.kind = SWAP, .spot = plain(L), .a = alone(number(0)), .b = alone(number(1))};
    if (chance(25)) swap = (struct action){.kind = EXCHANGE, .spot = plain(L), .a = alone(number(1))};
    struct action take = {.kind = trying ? IF : WHILE, .reg = -1};
    take.a = result_of(m, swap, trying ? EQUAL : UNEQUAL, number(0));
    int body = block(m, depth + 1);
    int release = add(
        m, (struct action){
               .kind = chance(50) ? EXCHANGE : STORE, .reg = -1, .spot = plain(L), .ordered = chance(40)});
    int held = body ? ROW(body, release) : release;
    if (trying) take.body = held;
    int taken = add(m, take);
    return trying ? taken : ROW(taken, held);
}

/* "r0 = atomicAdd(&b, 1); while (a != r0);", a block, and "a = r0 + 1;" */
static int make_ticket(struct maker *m, int depth) {
    int r = pick(REGISTERS);
    int take = add(m, (struct action){.kind = ADD, .reg = r, .spot = plain(B), .a = alone(number(1))});
    struct action wait = {.kind = WHILE, .reg = -1};
    wait.a = result_of(m, (struct action){.kind = LOAD, .spot = plain(A)}, UNEQUAL, reg(r));
    int waiting = add(m, wait), body = block(m, depth + 1);
    int next =
        add(m, (struct action){.kind = STORE, .reg = -1, .spot = plain(A), .a = of(reg(r), PLUS, number(1))});
    if (body) ROW(body, next);
    return ROW(take, waiting, body ? body : next);
}

/* "do { r0 = X; r1 = atomicCAS(&X, r0, ...); } while (r1 != r0);", in a list with "q[tid & 1] = r0;" */
static int make_retry(struct maker *m) {
    int old = pick(REGISTERS), seen = (old + 1) % REGISTERS;
    bool list = m->copies && chance(50);
    const struct spot top = plain(chance(50) ? A : B);
    int load = add(m, (struct action){.kind = LOAD, .reg = old, .spot = top});
    struct action swap = {.kind = SWAP, .reg = seen, .spot = top, .a = alone(reg(old))};
    swap.b = list ? of((struct operand){TID, 0}, PLUS, number(1)) : of(reg(old), PLUS, number(1));
    struct action link = {.kind = STORE, .reg = -1, .a = alone(reg(old))};
    link.spot = (struct spot){Q, alone((struct operand){TID, 0}), true};
    int body = list ? ROW(load, add(m, link), add(m, swap)) : ROW(load, add(m, swap));
    return add(m,
               (struct action){.kind = DO, .reg = -1, .a = of(reg(seen), UNEQUAL, reg(old)), .body = body});
}

/* "r0 = X; if (r0 != 0) { r1 = q[r0 - 1]; r2 = atomicCAS(&X, r0, r1); }" */
static int make_pop(struct maker *m) {
    const struct spot top = plain(chance(50) ? A : B);
    int load = add(m, (struct action){.kind = LOAD, .reg = 0, .spot = top});
    struct action next = {.kind = LOAD, .reg = 1};
    next.spot = (struct spot){Q, of(reg(0), MINUS, number(1)), chance(30)};
    int first = add(m, next);
    int swap =
        add(m, (struct action){.kind = SWAP, .reg = 2, .spot = top, .a = alone(reg(0)), .b = alone(reg(1))});
    struct action found = {
        .kind = IF, .reg = -1, .a = of(reg(0), UNEQUAL, number(0)), .body = ROW(first, swap)};
    return ROW(load, add(m, found));
}

/* "for (int i = 0; i < 2; i++) { r0 = atomicCAS(&q[(tid + i) & 1], 0, tid + 1); if (r0 == 0) break; }" */
static int make_insertion(struct maker *m) {
    struct operand i = {COUNTER, m->counters}, me = m->copies ? (struct operand){TID, 0} : number(pick(2));
    struct action swap = {.kind = SWAP, .reg = 0, .b = of(me, PLUS, number(1))};
    swap.spot = (struct spot){Q, of(me, PLUS, i), true};
    int first = add(m, swap);
    int leave = add(m, (struct action){.kind = BREAK, .reg = -1, .a = of(reg(0), EQUAL, number(0))});
    struct action turns = {.kind = FOR, .reg = -1, .a = alone(number(2)), .counter = m->counters};
    turns.body = ROW(first, leave);
    return add(m, turns);
}

/* "if (atomicAdd(&l, 1) == 1)" and a block */
static int make_last(struct maker *m, int depth) {
    struct action last = {.kind = IF, .reg = -1};
    const struct action count = {.kind = ADD, .spot = plain(L), .a = alone(number(1)), .ordered = chance(30)};
    last.a = result_of(m, count, EQUAL, number(1));
    last.body = block(m, depth + 1);
    return add(m, last);
}

/* "while (b == 0);" or "while (b != 1);" */
static int make_wait(struct maker *m) {
    struct action wait = {.kind = WHILE, .reg = -1};
    const struct action poll = {.kind = LOAD, .spot = plain(chance(70) ? B : A), .ordered = chance(40)};
    wait.a = chance(50) ? result_of(m, poll, EQUAL, number(0)) : result_of(m, poll, UNEQUAL, number(1));
    return add(m, wait);
}

static int make_idiom(struct maker *m, int depth) {
    switch (pick(9)) {
    case 0: return make_lock(m, depth, false);
    case 1: return make_lock(m, depth, true);
    case 2: return make_ticket(m, depth);
    case 3:
    case 4: return make_retry(m);
    case 5: return make_pop(m);
    case 6: return make_insertion(m);
    case 7: return make_last(m, depth);
    default: return make_wait(m);
    }
}

static int make_action(struct maker *m, int depth) {
    int k = pick(100);
    if (k < 20 && depth < 2 && m->counters < COUNTERS) return make_idiom(m, depth);
    if (k < 30 && depth < 3) return make_if(m, depth);
    if (k < 41 && depth < 2 && m->counters < COUNTERS) return make_for(m, depth);
    if (k < 46) return m->loop ? make_jump(m, BREAK) : chance(30) ? make_jump(m, RETURN) : 0;
    if (k < 49) return add(m, (struct action){.kind = FENCE, .reg = -1});
    if (k < 53) return add(m, (struct action){.kind = SET, .reg = pick(REGISTERS), .a = random_value(m)});
    return add(m, random_access(m));
}

/* Some actions, or none. */
static int block(struct maker *m, int depth) {
    int first = 0;
    for (int k = depth ? 1 + pick(3) : 2 + pick(3); k > 0 && m->left > 0; k--) {
        int next = make_action(m, depth);
        if (first)
            link_actions(m, first, next);
        else
            first = next;
    }
    return first;
}

/* Where all threads of a routine wait for each other; one that has returned is not waited for. */
enum meetings { NEVER, ONCE, IN_A_LOOP };

static int make_barrier(struct maker *m) {
    return add(m, (struct action){.kind = BARRIER, .reg = -1});
}

/* A block, a barrier and another block. */
static int make_meeting(struct maker *m) {
    int before = block(m, 0), barrier = make_barrier(m);
    if (m->left < 2) m->left = 2;
    int behind = block(m, 0);
    int first = before ? ROW(before, barrier) : barrier;
    return behind ? ROW(first, behind) : first;
}

/* "for (int i = 0; i < 2; i++)", a block and a barrier; it has no `break`. */
static int make_rounds(struct maker *m) {
    struct action turns = {.kind = FOR, .reg = -1, .a = alone(number(2)), .counter = m->counters++};
    int before = block(m, 1), barrier = make_barrier(m);
    turns.body = before ? ROW(before, barrier) : barrier;
    m->counters--;
    int rounds = add(m, turns), behind = block(m, 0);
    return behind ? ROW(rounds, behind) : rounds;
}

static void make_body(struct routine *r, int count, int accesses, enum meetings meetings) {
    struct maker m = {.r = r, .left = accesses, .copies = count > 1};
    int first = meetings == NEVER ? block(&m, 0) : meetings == ONCE ? make_meeting(&m) : make_rounds(&m);
    r->bodies[r->nbodies].count = count;
    r->bodies[r->nbodies++].first = first;
}

/* How many threads have which body, and how many accesses a body has. */
static const struct {
    int counts[MAX_BODIES], accesses;
} shapes[] = {{{1, 1}, 6}, {{1, 1}, 5}, {{2}, 5}, {{2}, 4},    {{1, 1, 1}, 3},
              {{3}, 3},    {{2, 1}, 3}, {{4}, 2}, {{2, 2}, 2}, {{1, 1, 1, 1}, 2}};

void interleave_make(struct routine *r) {
    static const char *const placements[] = {"block", "device", "device", "warp"};
    static const char *const accesses[] = {"relaxed", "relaxed", "volatile", "weak"};
    int shape = pick(sizeof shapes / sizeof *shapes), k = pick(100);
    enum meetings meetings = k < 5 ? IN_A_LOOP : k < 14 ? ONCE : NEVER;
    memset(r, 0, sizeof *r);
    r->placement = meetings == NEVER ? placements[pick(4)] : "block";
    r->access = accesses[pick(4)];
    if (chance(40)) r->memory[pick(WORDS)] = 1 + pick(2);
    for (int b = 0; b < MAX_BODIES && shapes[shape].counts[b]; b++)
        make_body(r, shapes[shape].counts[b], shapes[shape].accesses, meetings);
}
