/* Barriers of a block in a table.
 *
 *   bar.sync id               all threads of the block whose text has it
 *   bar.sync id, threads      as PTX has it: a multiple of 32, of which every thread of a table is a warp
 *   bar.sync place, id        as Dartagnan's grammar has it: only those meet that name the same place, too; the number
 *   bar.sync place, id, n     is less than 16, and n is how many threads of the table meet
 *
 * bar.red has the operands of PTX: bar.red.popc.u32 d, id, threads, p, where the count may be missing.
 *
 * An id may be a register, and so may a count. What such a register can be is known only when all columns are read; then
 * every barrier gets its number. */
#include "lower/column.h"

#include <limits.h>
#include <string.h>

enum { WARP_THREADS = 32, MAX_BARRIERS = 16, NO_PLACE = -1 };

/* ---- reading ---- */

static void keep_barrier(struct column *c, struct ptx_barrier barrier) {
    c->barriers = arena_more(c->p.arena, c->barriers, (size_t)c->nbarriers, sizeof *c->barriers);
    c->barriers[c->nbarriers++] = barrier;
}

/* The next operand, if it is a register. */
static const struct ptx_operand *at_register(const struct column *c) {
    const struct ptx_operand *o = ptx_peek(c);
    return o && o->kind == PTX_NAME ? o : NULL;
}

/* An id: a number, or a register, whose value is read. */
static void read_id(struct column *c, struct ptx_barrier *b) {
    if (at_register(c))
        b->value = ptx_next_value(c);
    else
        b->id = ptx_number(c, "the number of a barrier", MAX_BARRIERS - 1);
}

static int count_warps(struct parser *p, struct pos pos, int threads) {
    if (threads == 0 || threads % WARP_THREADS != 0)
        parse_complain(p, pos, "%d threads cannot meet: PTX counts whole warps, multiples of %d", threads,
                       WARP_THREADS);
    return threads / WARP_THREADS;
}

/* The number of threads that meet, each a warp. */
static int read_warps(struct column *c) {
    struct pos pos = ptx_at(c);
    int threads = ptx_number(c, "a number of threads", WARP_THREADS * TEST_MAX_THREADS);
    return c->p.panic ? 0 : count_warps(&c->p, pos, threads);
}

/* Behind the first number: a count of threads, or that number was a place and an id follows. */
static void read_more(struct column *c, struct ptx_barrier *b) {
    const struct ptx_operand *o = ptx_peek(c);
    if (o->kind == PTX_INTEGER && o->bits >= MAX_BARRIERS) {
        b->threads = read_warps(c);
        return;
    }
    if (b->value) {
        parse_error(&c->p, o->pos, "the place of a barrier is a number");
        return;
    }
    b->more = o->pos;
    b->place = b->id;
    b->id = 0;
    read_id(c, b);
    if (!ptx_peek(c)) return;
    if (at_register(c))
        b->count = ptx_next_value(c);
    else
        b->threads = ptx_number(c, "a number of threads", TEST_MAX_THREADS);
}

/* In an asm statement: bar.sync id, threads, of which every thread of the test is a warp. */
static void read_asm_barrier(struct column *c, struct op op) {
    op.barrier_id = ptx_number(c, "the number of a barrier", MAX_BARRIERS - 1);
    if (ptx_peek(c))
        op.barrier_threads = read_warps(c);
    else if (op.arrive_only)
        parse_error(&c->p, c->in->end, "'arrive' needs the number of threads: bar.arrive id, threads");
    stmt_add_op(&c->p, op);
}

static void read_block_barrier(struct column *c, struct op op) {
    struct ptx_barrier b = {.place = NO_PLACE};
    read_id(c, &b);
    if (ptx_peek(c))
        read_more(c, &b);
    else if (op.arrive_only)
        column_say(c, op.pos,
                   "PTX wants a number of threads here: without one, all threads of the block whose text has "
                   "this barrier meet");
    op.barrier_threads = b.threads;
    stmt_add_op(&c->p, op);
    b.stmt = c->p.out.last;
    keep_barrier(c, b);
}

static const struct ptx_word *take(struct column *c, const char *word) {
    return ptx_words_take(&c->words, c->in, word);
}

/* What the opcode lacks. */
static void report_word(struct column *c, const char *what) {
    parse_error(&c->p, ptx_behind(&c->in->words[0]), "%s", what);
}

/* barrier.cluster.arrive, .wait. The two, side by side, are one operation. */
static void read_cluster_barrier(struct column *c) {
    struct parser *p = &c->p;
    bool arrives = take(c, "arrive"), waits = !arrives && take(c, "wait");
    const struct ptx_word *relaxed = take(c, "relaxed");
    take(c, arrives ? "release" : "acquire");
    take(c, "aligned");
    struct stmt *arrival = c->cluster_arrival;
    c->cluster_arrival = NULL;
    if (!arrives && !waits)
        report_word(c, "expected '.arrive' or '.wait'");
    else if (waits && relaxed)
        parse_error(p, relaxed->pos, "PTX has no barrier.cluster.wait.relaxed: a wait acquires");
    if (p->panic) return;
    if (waits && arrival && arrival == p->out.last) {
        const struct op both = op_make(MEET_CLUSTER, arrival->op->pos);
        arrival->op->name = both.name;
        arrival->op->order = both.order;
        arrival->op->arrive_only = false;
        return;
    }
    enum op_name name = waits ? MEET_CLUSTER_WAIT : relaxed ? MEET_CLUSTER_RELAXED : MEET_CLUSTER_ARRIVE;
    stmt_add_op(p, op_make(name, c->in->pos));
    if (arrives && !relaxed) c->cluster_arrival = p->out.last;
}

/* bar.red.popc.u32 d, id{, threads}, p; bar.red.and.pred q, id{, threads}, p */
static void read_reduction(struct column *c) {
    struct parser *p = &c->p;
    bool counts = take(c, "popc"), all = !counts && take(c, "and");
    if (!counts && !all && !take(c, "or")) report_word(c, "expected '.popc', '.and' or '.or'");
    if (counts ? !c->words.type_word || c->type.bits != 32 : !take(c, "pred"))
        report_word(c, counts ? "the result of bar.red is of type '.u32'"
                              : "the result of bar.red is of type '.pred'");
    struct op op = op_make(counts ? MEET_COUNT : all ? MEET_AND : MEET_OR, c->in->pos);
    const struct ptx_operand *to = ptx_next(c, "a register");
    int reg = counts ? ptx_register(c, to) : ptx_predicate(c, to);
    struct ptx_barrier b = {.place = NO_PLACE,
                            .id = ptx_number(c, "the number of a barrier", MAX_BARRIERS - 1)};
    if (c->in->noperands > 3) op.barrier_threads = read_warps(c);
    const struct ptx_operand *given = ptx_next(c, "a predicate");
    if (given) op.value = ptx_condition(c, given);
    if (p->panic) return;
    op.barrier_id = b.id;
    struct op *added = stmt_add_op(p, op);
    b.stmt = p->out.last;
    if (!c->block) keep_barrier(c, b);
    added->dst = body_temporary(p, op.pos, type_int);
    body_set(p, reg, expr_cast(p, body_value(p, added->dst, op.pos), p->body->regs[reg].type), op.pos);
}

void ptx_barrier(struct column *c) {
    if (ptx_find_word(c->in, "warp") > 0) {
        ptx_operation(c);
        return;
    }
    if (take(c, "cluster")) {
        read_cluster_barrier(c);
        return;
    }
    take(c, "cta");
    take(c, "aligned");
    if (take(c, "red")) {
        read_reduction(c);
        return;
    }
    bool arrives = take(c, "arrive");
    if (!arrives && !take(c, "sync")) {
        report_word(c, "expected '.sync', '.arrive' or '.red'");
        return;
    }
    struct op op = op_make(arrives ? MEET_CTA_ARRIVE : MEET_CTA, c->in->pos);
    op.scope = SCOPE_CTA;
    if (c->block)
        read_asm_barrier(c, op);
    else
        read_block_barrier(c, op);
}

/* ---- numbering ---- */

/* The barriers of a table. Those of one place are apart from those of another, and from those without. */
struct barrier_numbers {
    struct column *columns;
    int n;
    unsigned used;           /* 1 << number */
    int place[MAX_BARRIERS]; /* of the number */
    int id[MAX_BARRIERS];
};

/* What a register can be, as 1 << value: the numbers that the thread sets it to; ~0u if it computes or loads it. */
struct register_values {
    int reg;
    unsigned values;
    int sets;
    long long last; /* that it is set to; -1: what is not known */
};

static bool note_value(const struct stmt *s, void *ctx) {
    struct register_values *v = ctx;
    bool sets = s->kind == STMT_SET && s->reg == v->reg, loads = s->kind == STMT_OP && s->op->dst == v->reg;
    if (!sets && !loads) return true;
    long long value = sets && s->value->kind == EXPR_INT ? value_int(s->value->type, s->value->value) : -1;
    v->values |= value >= 0 && value < MAX_BARRIERS ? 1u << value : ~0u;
    v->last = value;
    v->sets++;
    return true;
}

static struct register_values find_values(const struct column *c, const struct expr *reg) {
    struct register_values v = {.reg = reg->kind == EXPR_REG ? reg->index : -1};
    stmt_walk(c->p.body->first, note_value, &v);
    return v;
}

/* What the id of a barrier can be. */
static unsigned possible_ids(const struct column *c, const struct ptx_barrier *b) {
    if (!b->value) return 1u << b->id;
    struct register_values v = find_values(c, b->value);
    return v.sets ? v.values : 1;
}

/* The number that a register holds throughout; -1: it is not known. */
static long long known_number(const struct column *c, const struct expr *reg) {
    struct register_values v = find_values(c, reg);
    return v.sets == 1 ? v.last : -1;
}

/* Says what the numbers of a barrier mean, now that those in registers are known. */
static void settle(struct column *c, struct ptx_barrier *b) {
    struct parser *p = &c->p;
    long long second = b->value ? known_number(c, b->value) : -1;
    if (b->place == NO_PLACE) return;
    if (second >= MAX_BARRIERS && !b->threads && !b->count) {
        b->id = b->place;
        b->place = NO_PLACE;
        b->value = NULL;
        b->threads = count_warps(p, b->more, second > INT_MAX ? INT_MAX : (int)second);
    } else {
        column_say(
            c, b->more,
            "this is the number of a barrier, and the one before it is its place, as Dartagnan has it: "
            "PTX counts threads here, in multiples of 32");
    }
    if (b->count) {
        long long threads = known_number(c, b->count);
        if (threads < 1 || threads > TEST_MAX_THREADS)
            parse_complain(p, b->count->pos,
                           "a number of threads is 1 to %d, and a register that holds it is set once",
                           TEST_MAX_THREADS);
        b->threads = (int)threads;
    }
    b->stmt->op->barrier_threads = b->threads;
}

/* The ids that matter at a place. A barrier that no other thread can name is met by its own thread alone: it is left out,
 * unless two threads compute theirs. */
static unsigned ids_at(const struct barrier_numbers *n, int place) {
    unsigned known = 0;
    int unknown = 0;
    for (int i = 0; i < n->n; i++)
        for (int k = 0; k < n->columns[i].nbarriers; k++) {
            const struct ptx_barrier *b = &n->columns[i].barriers[k];
            unsigned ids = b->place == place ? possible_ids(&n->columns[i], b) : 0;
            if (ids == ~0u)
                unknown++;
            else
                known |= ids;
        }
    return unknown > 1 ? (1u << MAX_BARRIERS) - 1 : known;
}

/* The number of a barrier. Without a place it is the id. */
static int find_number(struct barrier_numbers *n, struct column *c, const struct ptx_barrier *b, int id) {
    for (int k = 0; k < MAX_BARRIERS; k++)
        if (n->used >> k & 1 && n->place[k] == b->place && n->id[k] == id) return k;
    int k = b->place == NO_PLACE ? id : 0;
    while (k < MAX_BARRIERS && n->used >> k & 1)
        k++;
    if (k == MAX_BARRIERS) {
        parse_complain(&c->p, b->stmt->pos, "a block has at most %d barriers", MAX_BARRIERS);
        return 0;
    }
    n->used |= 1u << k;
    n->place[k] = b->place;
    n->id[k] = id;
    return k;
}

/* if (value == id) barrier; else ... */
static struct stmts choose_barrier(struct column *c, const struct ptx_barrier *b, int id,
                                   struct stmts otherwise) {
    struct pos pos = b->stmt->pos;
    struct expr *is = expr_new(&c->p, EXPR_EQ, pos, b->value, expr_int(&c->p, pos, id));
    return stmts_if(&c->p, pos, is, stmts_op(&c->p, *b->stmt->op), otherwise);
}

static void number_barrier(struct barrier_numbers *n, struct column *c, const struct ptx_barrier *b) {
    unsigned ids = possible_ids(c, b);
    if (ids == ~0u) ids = ids_at(n, b->place);
    bool one = ids != 0 && (ids & (ids - 1)) == 0 && possible_ids(c, b) == ids;
    struct stmts chosen = {0};
    struct stmt *next = b->stmt->next;
    for (int id = MAX_BARRIERS - 1; id >= 0; id--) {
        if (!(ids >> id & 1)) continue;
        b->stmt->op->barrier_id = find_number(n, c, b, id);
        if (!one) chosen = choose_barrier(c, b, id, chosen);
    }
    if (one) return;
    struct pos pos = b->stmt->pos;
    if (!chosen.first) chosen = stmts_if(&c->p, pos, expr_int(&c->p, pos, 0), chosen, chosen);
    *b->stmt = *chosen.first;
    b->stmt->next = next;
}

void column_number_barriers(struct column *columns, int n) {
    struct barrier_numbers numbers = {.columns = columns, .n = n};
    for (int i = 0; i < n; i++)
        for (int k = 0; k < columns[i].nbarriers; k++)
            settle(&columns[i], &columns[i].barriers[k]);
    for (int pass = 0; pass < 2; pass++) /* those without a place keep their ids */
        for (int i = 0; i < n; i++)
            for (int k = 0; k < columns[i].nbarriers; k++)
                if ((columns[i].barriers[k].place != NO_PLACE) == pass)
                    number_barrier(&numbers, &columns[i], &columns[i].barriers[k]);
}
