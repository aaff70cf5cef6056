#include "model/unfold.h"

#include "litmus/view.h"
#include "model/depend.h"
#include "model/exchange.h"
#include "model/rel.h"

enum {
    MAX_PATHS = 4096,
    MAX_FORKS = 20000,
    MAX_STEPS = 20000,
    MAX_EVENTS = 1024,
    MAX_WHOLE = 16, /* turns of a `for` that may be left before its end */
    FORK_WORK = 10,
    READ_WORDS = MAX_READS / 64
};

/* What a path had done when it passed a place last. */
struct passage {
    bool passed;
    int writes;
    const struct sym **cells; /* what the registers hold */
};

/* A loop that a path is in. */
struct turn {
    bool inside;
    bool counted; /* since the head, a guard decided whether there is another turn */
    int turns;
    int guards; /* of the path, at the head */
    struct passage at_head, at_look;
};

/* A path under construction. */
struct unfold_run {
    int pc, from; /* from: the instruction before, or -1 */
    int steps;
    struct path path;
    int event_cap;
    int writes;               /* events that others can notice */
    int step;                 /* of the thread */
    int engines;              /* started */
    int group;                /* of copies: the one that is not yet committed */
    const struct sym **cells; /* what the registers hold */
    struct turn *turns;
    const char *overflow; /* it has become too large */
    struct unfold_run *next;
};

struct unfolder {
    const struct test *test;
    const struct cell *cell;
    const struct thread *thread;
    int number; /* of the thread */
    const struct code *code;
    int unroll;
    struct search_budget *budget;
    struct arena *arena;
    struct diag *diag;
    struct unfold_run *pending;
    struct unfolding *out;
    int cap;
    int forks;
    bool counted; /* some loop has taken a turn that is counted */
    bool failed;
};

/* Values */

/* What the guards of a path say about a term: its value when it is a read that was compared with a number. */
static const struct sym *sym_known(struct arena *a, const struct path *p, const struct sym *s) {
    if (s->kind != SYM_READ) return s;
    for (int k = 0; k < p->nguards; k++) {
        const struct guard *g = &p->guards[k];
        if (g->sym == s && !g->holds && !s->type.real) return sym_int(a, s->type, 0);
        if (g->sym->kind != SYM_OP || !g->sym->a || g->sym->a->kind != SYM_READ || g->sym->a->read != s->read)
            continue;
        if (g->sym->op == EXPR_EQ && g->holds && g->sym->b->kind == SYM_INT && !s->type.real)
            return g->sym->b;
    }
    return s;
}

static const struct sym *eval_sym(struct unfolder *u, const struct unfold_run *r, const struct expr *e) {
    switch (e->kind) {
    case EXPR_INT: return sym_value(u->arena, e->type, e->value);
    case EXPR_TID: return sym_int(u->arena, e->type, u->thread->tid);
    case EXPR_COUNT: return sym_int(u->arena, e->type, u->thread->body->count);
    case EXPR_BLOCK:
    case EXPR_THREAD: {
        struct expr_env env = body_env(u->thread->body, u->thread->tid);
        return sym_value(u->arena, e->type, expr_eval(e, &env));
    }
    case EXPR_REG: return sym_known(u->arena, &r->path, r->cells[e->index]);
    case EXPR_LANE: return sym_lane(u->arena, eval_sym(u, r, e->a), (int)expr_number(e->b, NULL));
    default: break;
    }
    struct sym s = {.kind = SYM_OP, .op = e->kind, .type = e->type};
    s.a = eval_sym(u, r, e->a);
    if (e->kind == EXPR_COND && s.a->kind == SYM_INT)
        return eval_sym(u, r, sym_is_true(s.a, NULL) ? e->b : e->c);
    s.b = e->b ? eval_sym(u, r, e->b) : NULL;
    s.c = e->c ? eval_sym(u, r, e->c) : NULL;
    return sym_make(u->arena, s);
}

/* The value of an operand; NULL where there is none. */
static const struct sym *eval_operand(struct unfolder *u, const struct unfold_run *r, const struct expr *e) {
    return e ? eval_sym(u, r, e) : NULL;
}

/* Runs: copying, ending */

static void give_up(struct unfolder *u, const char *why) {
    u->out->why = why;
    u->pending = NULL;
}

static void *copy(struct arena *a, const void *from, size_t n, size_t size) {
    void *to = arena_array(a, n, size);
    if (n) memcpy(to, from, n * size);
    return to;
}

static struct unfold_run *fork_run(struct unfolder *u, const struct unfold_run *r) {
    if (!budget_pay(u->budget, FORK_WORK)) give_up(u, u->budget->spent);
    if (++u->forks == MAX_FORKS) give_up(u, "a thread has too many paths");
    struct arena *a = u->arena;
    const struct code *code = u->code;
    size_t nregs = (size_t)code->body->nregs;
    struct unfold_run *n = copy(a, r, 1, sizeof *r);
    n->path.events = copy(a, r->path.events, (size_t)r->path.nevents, sizeof *r->path.events);
    n->event_cap = r->path.nevents;
    n->path.guards = copy(a, r->path.guards, (size_t)r->path.nguards, sizeof *r->path.guards);
    n->cells = copy(a, r->cells, nregs, sizeof *r->cells);
    n->turns = copy(a, r->turns, (size_t)code->nloops, sizeof *r->turns);
    for (int k = 0; k < code->nloops; k++) {
        n->turns[k].at_head.cells = copy(a, r->turns[k].at_head.cells, nregs, sizeof *r->cells);
        n->turns[k].at_look.cells = copy(a, r->turns[k].at_look.cells, nregs, sizeof *r->cells);
    }
    return n;
}

static void end_run(struct unfolder *u, struct unfold_run *r, enum path_end end) {
    struct unfolding *out = u->out;
    if (out->npaths == MAX_PATHS) {
        give_up(u, "a thread has too many paths");
        return;
    }
    if (out->npaths == u->cap) {
        int cap = u->cap ? 2 * u->cap : 4;
        out->paths = arena_grow(u->arena, out->paths, (size_t)out->npaths, (size_t)cap, sizeof *out->paths);
        u->cap = cap;
    }
    r->path.end = end;
    size_t nregs = (size_t)u->code->body->nregs;
    r->path.regs = arena_array(u->arena, nregs, sizeof *r->path.regs);
    for (size_t k = 0; k < nregs; k++)
        r->path.regs[k] = r->cells[k];
    out->paths[out->npaths++] = r->path;
}

static void continue_run(struct unfolder *u, struct unfold_run *r) {
    r->next = u->pending;
    u->pending = r;
}

/* Assumes that a term is, or is not, zero. False when the path knows better. What says the same, as `a != b`
 * and the contrary of `a == b` do, is written the same way. */
static bool assume(struct unfolder *u, struct unfold_run *r, const struct sym *s, bool holds) {
    while (s->kind == SYM_OP && s->op == EXPR_NOT) {
        s = s->a;
        holds = !holds;
    }
    if (s->kind == SYM_OP && s->op == EXPR_NE) {
        s = sym_apply(u->arena, EXPR_EQ, s->a, s->b);
        holds = !holds;
    }
    if (s->kind == SYM_INT) return sym_is_true(s, NULL) == holds;
    struct path *p = &r->path;
    for (int k = 0; k < p->nguards; k++)
        if (sym_same(p->guards[k].sym, s)) return p->guards[k].holds == holds;
    p->guards =
        arena_grow(u->arena, p->guards, (size_t)p->nguards, (size_t)p->nguards + 1, sizeof *p->guards);
    p->guards[p->nguards++] = (struct guard){s, holds, p->nevents, false};
    return true;
}

/* Events */

/* Whether others may notice an event, so that a loop's turn with it is not idle. */
static bool is_noticed(enum event_kind kind) {
    switch (kind) {
    case EVENT_READ:
    case EVENT_FENCE:
    case EVENT_COMPLETE:
    case EVENT_DEPEND:
    case EVENT_TAKE: return false;
    case EVENT_INIT:
    case EVENT_WRITE:
    case EVENT_ARRIVE:
    case EVENT_WAIT:
    case EVENT_ISSUE: return true;
    }
    return true;
}

/* An event of the thread's present step. */
static struct event *add_event(struct unfolder *u, struct unfold_run *r, enum event_kind kind,
                               const struct stmt *stmt) {
    struct path *p = &r->path;
    if (p->nevents == r->event_cap) {
        int cap = r->event_cap + r->event_cap / 2 + 8;
        p->events = arena_grow(u->arena, p->events, (size_t)p->nevents, (size_t)cap, sizeof *p->events);
        r->event_cap = cap;
    }
    if (p->nevents == MAX_EVENTS) r->overflow = "a thread has too many events";
    struct event *e = &p->events[p->nevents++];
    *e = (struct event){
        .kind = kind, .stmt = stmt, .loc = -1, .element = -1, .lane = -1, .read = -1, .rmw = -1};
    e->strength = op_strength(u->test, u->cell, stmt->op);
    e->step = r->step;
    if (is_noticed(kind)) r->writes++;
    return e;
}

/* An element that an operation accesses, and a part of it: a lane of a vector, or some bytes that other locations
 * share. */
struct unfold_place {
    int loc, element, part;
    const struct sym *index; /* that the element was found by */
};

enum { MAX_PLACES = 2 }; /* of an operation: a copy has a second, its source */

/* How many parts a lane of a location has. */
static int parts_of_lane(const struct unfolder *u, int loc) {
    return view_parts(u->test, loc).lanes / u->test->locs[loc].type.lanes;
}

static struct event *add_access(struct unfolder *u, struct unfold_run *r, enum event_kind kind,
                                const struct stmt *stmt, const struct unfold_place *place) {
    struct event *e = add_event(u, r, kind, stmt);
    e->loc = location_root(u->test, place->loc);
    e->element = place->element;
    e->parts = parts_of_lane(u, place->loc);
    view_part(u->test, place->loc, place->part, &e->element, &e->lane);
    e->first = e->lane - place->part % e->parts;
    e->addr = depend_reads(place->index);
    return e;
}

static struct event *add_part_read(struct unfolder *u, struct unfold_run *r, const struct stmt *stmt,
                                   const struct unfold_place *place) {
    struct event *e = add_access(u, r, EVENT_READ, stmt, place);
    if (r->path.nreads == MAX_READS) r->overflow = "a thread has too many reads";
    e->read = r->overflow ? 0 : r->path.nreads++;
    return e;
}

/* What a read of a part returned. */
static const struct sym *part_value(struct unfolder *u, const struct event *read) {
    return sym_read(u->arena, type_lane(view_parts(u->test, read->loc)), read->read);
}

static const struct sym *cast(struct unfolder *u, const struct sym *s, struct type to) {
    if (type_same(s->type, to)) return s;
    return sym_make(u->arena, (struct sym){.kind = SYM_OP, .op = EXPR_CAST, .type = to, .a = s});
}

/* The unsigned type in which the parts of a lane are put together and taken apart. */
static struct type whole_type(struct type lane) {
    return (struct type){.bits = lane.bits < 32 ? 32 : lane.bits, .lanes = 1};
}

/* A lane out of its parts. */
static const struct sym *join_parts(struct unfolder *u, struct type lane, const struct sym *const *parts,
                                    int n) {
    struct type whole = whole_type(lane);
    const struct sym *value = NULL;
    for (int k = 0; k < n; k++) {
        const struct sym *part = cast(u, parts[k], whole),
                         *by = sym_int(u->arena, whole, k * parts[k]->type.bits);
        if (k) part = sym_apply(u->arena, EXPR_SHL, part, by);
        value = value ? sym_apply(u->arena, EXPR_OR, value, part) : part;
    }
    return cast(u, value, lane);
}

/* A part of a lane. */
static const struct sym *take_part(struct unfolder *u, const struct sym *lane, struct type part, int k) {
    const struct sym *value = cast(u, lane, whole_type(lane->type));
    const struct sym *by = sym_int(u->arena, value->type, k * part.bits);
    return cast(u, k ? sym_apply(u->arena, EXPR_SHR, value, by) : value, part);
}

/* A read event for each part, of one step; and what they returned together. */
static const struct sym *add_read(struct unfolder *u, struct unfold_run *r, const struct stmt *stmt,
                                  const struct unfold_place *place) {
    const struct sym *parts[VIEW_MAX_BYTES], *lanes[4];
    struct unfold_place at = *place;
    const struct location *l = &u->test->locs[place->loc];
    int n = parts_of_lane(u, place->loc);
    for (at.part = 0; at.part < n * l->type.lanes; at.part++)
        parts[at.part] = part_value(u, add_part_read(u, r, stmt, &at));
    for (int k = 0; k < l->type.lanes; k++)
        lanes[k] = n > 1 ? join_parts(u, type_lane(l->type), parts + k * n, n) : parts[k];
    return sym_vector(u->arena, lanes, l->type.lanes);
}

static void set_result(struct unfold_run *r, const struct op *op, const struct sym *value) {
    if (op->dst < 0) return;
    r->cells[op->dst] = value;
}

static void run_load(struct unfolder *u, struct unfold_run *r, const struct stmt *stmt,
                     const struct unfold_place *place) {
    set_result(r, stmt->op, add_read(u, r, stmt, place));
}

/* What a write leaves in a part. */
static const struct sym *written_part(struct unfolder *u, const struct sym *value,
                                      const struct unfold_place *at) {
    int n = parts_of_lane(u, at->loc);
    const struct sym *lane = sym_lane(u->arena, value, at->part / n);
    if (n == 1) return lane;
    return take_part(u, lane, type_lane(view_parts(u->test, at->loc)), at->part % n);
}

static void run_store(struct unfolder *u, struct unfold_run *r, const struct stmt *stmt,
                      const struct unfold_place *place) {
    const struct sym *value = eval_sym(u, r, stmt->op->value);
    struct unfold_place at = *place;
    int lanes = value->type.lanes, n = lanes * parts_of_lane(u, place->loc);
    for (at.part = 0; at.part < n; at.part++) {
        struct event *e = add_access(u, r, EVENT_WRITE, stmt, &at);
        e->value = written_part(u, value, &at);
        e->data = depend_reads(lanes > 1 ? e->value : value); /* elements are in registers of their own */
    }
}

/* What an atomic operation leaves; a compare-exchange that failed has no write. */
static const struct sym *rmw_value(struct unfolder *u, const struct op *op, const struct sym *old,
                                   const struct sym *value, const struct sym *expected) {
    if (op->name == RMW_EXCH || op->name == RMW_CAS) return value;
    struct sym s = {.kind = SYM_RMW, .fn = op->name, .type = old->type, .a = old, .b = value, .c = expected};
    return sym_make(u->arena, s);
}

/* The write of an atomic operation, after its read: part by part. */
static void add_rmw_write(struct unfolder *u, struct unfold_run *r, const struct stmt *stmt,
                          const struct unfold_place *place, const struct sym *old, const struct sym *value,
                          const struct sym *expected) {
    const struct op *op = stmt->op;
    const struct sym *left = rmw_value(u, op, old, value, expected);
    struct unfold_place at = *place;
    struct reads needed = depend_reads(value), of_expected = depend_reads(expected);
    int n = parts_of_lane(u, place->loc);
    reads_add(&needed, &of_expected);
    r->step++;
    for (at.part = 0; at.part < n; at.part++) {
        struct event *e = add_access(u, r, EVENT_WRITE, stmt, &at);
        int write = r->path.nevents - 1;
        e->rmw = write - n;
        r->path.events[write - n].rmw = write;
        e->value = written_part(u, left, &at);
        e->data = needed;
        if (op->name != RMW_EXCH) reads_add(&e->data, &old->reads);
    }
}

/* An atomic operation. A compare-exchange goes two ways. */
static void run_rmw(struct unfolder *u, struct unfold_run *r, const struct stmt *stmt,
                    const struct unfold_place *place) {
    const struct op *op = stmt->op;
    const struct sym *value = eval_operand(u, r, op->value), *expected = eval_operand(u, r, op->expected);
    const struct sym *old = add_read(u, r, stmt, place);
    if (op->name != RMW_CAS) {
        add_rmw_write(u, r, stmt, place, old, value, expected);
        set_result(r, op, old);
        return;
    }
    const struct sym *equal = sym_apply(u->arena, EXPR_EQ, old, expected);
    struct unfold_run *failed = fork_run(u, r);
    assume(u, failed, equal, false);
    set_result(failed, op, old);
    failed->from = failed->pc++;
    continue_run(u, failed);
    assume(u, r, equal, true);
    add_rmw_write(u, r, stmt, place, old, value, expected);
    set_result(r, op, old);
}

/* A copy is done by an engine of its own, element by element: all reads, then all writes. The thread only starts it. */
static void run_copy(struct unfolder *u, struct unfold_run *r, const struct stmt *stmt,
                     const struct unfold_place places[MAX_PLACES]) {
    int lanes = u->test->locs[stmt->op->loc].type.lanes, n = lanes * op_elements(u->test, stmt->op);
    int engine = ++r->engines, first = r->path.nevents + 1;
    add_event(u, r, EVENT_ISSUE, stmt)->engine = engine;
    for (int k = 0; k < 2 * n; k++) {
        bool reads = k < n;
        struct unfold_place at = places[reads];
        at.element += k % n / lanes;
        at.part = k % lanes;
        struct event *e = reads ? add_part_read(u, r, stmt, &at) : add_access(u, r, EVENT_WRITE, stmt, &at);
        e->agent = engine;
        e->step = !reads;
        e->group = r->group;
        if (reads) continue;
        e->value = part_value(u, &r->path.events[first + k - n]);
        e->data = e->value->reads;
    }
}

/* An operation whose places are known. */
static void run_access(struct unfolder *u, struct unfold_run *r, const struct stmt *stmt,
                       const struct unfold_place places[MAX_PLACES]) {
    switch (stmt->op->kind) {
    case OP_LOAD: run_load(u, r, stmt, &places[0]); break;
    case OP_STORE: run_store(u, r, stmt, &places[0]); break;
    case OP_RMW: run_rmw(u, r, stmt, &places[0]); break;
    case OP_COPY: run_copy(u, r, stmt, places); break;
    case OP_FENCE:
    case OP_BARRIER:
    case OP_COMMIT:
    case OP_WAIT:
    case OP_DEPEND:
    case OP_HINT:
    case OP_EXCHANGE: break; /* they access nothing */
    }
}

static void end_out_of_bounds(struct unfolder *u, struct unfold_run *r, const struct stmt *stmt, int loc,
                              const struct sym *index) {
    r->path.stmt = stmt;
    r->path.loc = loc;
    r->path.index = index;
    end_run(u, r, PATH_OUT_OF_BOUNDS);
}

/* Beyond the array: as unsigned numbers, index >= count. */
static const struct sym *is_beyond(struct unfolder *u, const struct sym *index, int count) {
    struct arena *a = u->arena;
    const struct sym *low = sym_apply(a, EXPR_LT, index, sym_int(a, index->type, 0));
    const struct sym *high = sym_apply(a, EXPR_GE, index, sym_int(a, index->type, count));
    return sym_apply(a, EXPR_LOR, low, high);
}

static bool run_places(struct unfolder *u, struct unfold_run *r, const struct stmt *stmt,
                       struct unfold_place places[MAX_PLACES], int k);

/* Goes every way that a symbolic index allows. */
static void run_indexed(struct unfolder *u, struct unfold_run *r, const struct stmt *stmt,
                        struct unfold_place places[MAX_PLACES], int k, const struct sym *index, int count) {
    for (int element = -1; element < count && !u->out->why; element++) {
        struct unfold_run *way = fork_run(u, r);
        const struct sym *taken =
            element < 0 ? is_beyond(u, index, count)
                        : sym_apply(u->arena, EXPR_EQ, index, sym_int(u->arena, index->type, element));
        int guards = way->path.nguards;
        if (!assume(u, way, taken, true)) continue;
        if (way->path.nguards > guards) way->path.guards[guards].index = true;
        if (element < 0) {
            end_out_of_bounds(u, way, stmt, places[k].loc, index);
            continue;
        }
        places[k].element = location_first(&u->test->locs[places[k].loc], u->thread) + element;
        if (!run_places(u, way, stmt, places, k + 1)) continue;
        way->from = way->pc++;
        continue_run(u, way);
    }
}

/* Finds the elements of an operation's places from place k on, and runs it. Returns false when the run ended or was
 * replaced by others. */
static bool run_places(struct unfolder *u, struct unfold_run *r, const struct stmt *stmt,
                       struct unfold_place places[MAX_PLACES], int k) {
    const struct op *op = stmt->op;
    if (k == (op->kind == OP_COPY ? 2 : 1)) {
        run_access(u, r, stmt, places);
        return true;
    }
    struct unfold_place *place = &places[k];
    place->loc = k ? op->source : op->loc;
    const struct expr *at = k ? op->source_index : op->index;
    const struct location *l = &u->test->locs[place->loc];
    int count = l->count - op_elements(u->test, op) + 1;
    const struct sym *index = at ? eval_sym(u, r, at) : sym_int(u->arena, type_int, 0);
    place->index = index;
    if (index->kind != SYM_INT) {
        run_indexed(u, r, stmt, places, k, index, count);
        return false;
    }
    long long element = value_int(index->type, index->value);
    if (element < 0 || element >= count) {
        end_out_of_bounds(u, r, stmt, place->loc, index);
        return false;
    }
    place->element = location_first(l, u->thread) + (int)element;
    return run_places(u, r, stmt, places, k + 1);
}

static void run_barrier(struct unfolder *u, struct unfold_run *r, const struct stmt *stmt, uint32_t lanes) {
    add_event(u, r, EVENT_ARRIVE, stmt)->lanes = lanes;
    r->step++;
    if (!stmt->op->arrive_only) add_event(u, r, EVENT_WAIT, stmt)->lanes = lanes;
}

/* What a thread gave at its arrival. */
static const struct sym *take(struct unfolder *u, struct unfold_run *r, const struct stmt *stmt, int from) {
    if (r->path.nreads == MAX_READS) give_up(u, "a thread has too many reads");
    struct event *e = add_event(u, r, EVENT_TAKE, stmt);
    e->from = from;
    e->read = u->out->why ? 0 : r->path.nreads++;
    return sym_read(u->arena, stmt->op->type, e->read);
}

/* Leaves the members whose lanes are in the mask. */
static void restrict_group(struct exchange_group *g, uint32_t lanes) {
    int n = 0;
    for (int k = 0; k < g->n; k++) {
        if (!(lanes >> g->lane[k] & 1)) continue;
        if (k == g->mine) g->mine = n;
        g->threads[n] = g->threads[k];
        g->lane[n++] = g->lane[k];
    }
    g->n = n;
}

static void run_exchange(struct unfolder *u, struct unfold_run *r, const struct stmt *stmt,
                         struct exchange_group *g, uint32_t lanes) {
    const struct op *op = stmt->op;
    const struct sym *given = eval_sym(u, r, op->value);
    const struct sym *lane = op->lane ? eval_sym(u, r, op->lane) : NULL;
    const struct sym **values = arena_array(u->arena, (size_t)g->n, sizeof *values);
    run_barrier(u, r, stmt, lanes);
    struct event *arrival = &r->path.events[r->path.nevents - 2];
    arrival->value = given;
    arrival->data = depend_reads(given);
    if (lanes) restrict_group(g, lanes);
    for (int k = 0; k < g->n && !u->out->why; k++)
        if (k == g->mine)
            values[k] = given;
        else if (exchange_needs(g, op, lane, k))
            values[k] = take(u, r, stmt, g->threads[k]);
    if (u->out->why) return;
    const struct sym *result = exchange_result(g, op, lane, values, u->arena);
    if (!type_same(result->type, op->result)) {
        struct sym cast = {.kind = SYM_OP, .op = EXPR_CAST, .type = op->result, .a = result};
        result = sym_make(u->arena, cast);
    }
    set_result(r, op, result);
}

/* Meets the lanes of a mask, whose value is known. */
static void run_meeting(struct unfolder *u, struct unfold_run *r, const struct stmt *stmt, uint32_t lanes) {
    struct exchange_group g = exchange_find(u->test, u->cell, u->number, stmt->op, u->arena);
    if (g.n) lanes |= 1u << g.lane[g.mine];
    if ((lanes & g.lanes) == g.lanes || !stmt->op->mask) lanes = 0;
    if (stmt->op->kind == OP_EXCHANGE)
        run_exchange(u, r, stmt, &g, lanes & g.lanes);
    else
        run_barrier(u, r, stmt, lanes & g.lanes);
}

/* Goes every way that a mask computed from reads allows. */
static void run_masked(struct unfolder *u, struct unfold_run *r, const struct stmt *stmt,
                       const struct sym *mask) {
    struct exchange_group g = exchange_find(u->test, u->cell, u->number, stmt->op, u->arena);
    uint32_t own = g.n ? 1u << g.lane[g.mine] : 1;
    const struct sym *all = sym_value(u->arena, type_unsigned, (struct value){g.lanes, 0});
    const struct sym *there = sym_apply(u->arena, EXPR_AND, mask, all);
    for (uint32_t lanes = g.lanes; lanes && !u->out->why; lanes = (lanes - 1) & g.lanes) {
        if (!(lanes & own)) continue;
        struct unfold_run *way = fork_run(u, r);
        const struct sym *value = sym_value(u->arena, type_unsigned, (struct value){lanes, 0});
        if (!assume(u, way, sym_apply(u->arena, EXPR_EQ, there, value), true)) continue;
        run_meeting(u, way, stmt, lanes);
        way->from = way->pc++;
        continue_run(u, way);
    }
}

/* A barrier, or an exchange. Returns false when the run was replaced by others. */
static bool run_together(struct unfolder *u, struct unfold_run *r, const struct stmt *stmt) {
    const struct sym *mask = stmt->op->mask ? eval_sym(u, r, stmt->op->mask) : NULL;
    if (mask && mask->kind != SYM_INT) {
        run_masked(u, r, stmt, mask);
        return false;
    }
    run_meeting(u, r, stmt, mask ? (uint32_t)mask->value.lo : 0);
    return true;
}

/* Closes the group of copies. A later wait may count it, so a loop's turn that does is not idle. */
static void run_commit(struct unfold_run *r) {
    r->group++;
    r->writes++;
}

/* Waits for all groups but the last few; or for all copies, in a group or not. */
static void run_wait(struct unfolder *u, struct unfold_run *r, const struct stmt *stmt) {
    if (op_rows[stmt->op->name].waits_for_all) run_commit(r);
    add_event(u, r, EVENT_COMPLETE, stmt)->group = r->group - stmt->op->pending;
}

/* Returns false when the run ended or was replaced by others. */
static bool run_op(struct unfolder *u, struct unfold_run *r, const struct stmt *stmt) {
    struct unfold_place places[MAX_PLACES] = {{0}};
    r->step++;
    switch (stmt->op->kind) {
    case OP_FENCE:
        if (op_strength(u->test, u->cell, stmt->op).scope != SCOPE_NONE) add_event(u, r, EVENT_FENCE, stmt);
        return true;
    case OP_BARRIER:
    case OP_EXCHANGE: return run_together(u, r, stmt);
    case OP_COMMIT: run_commit(r); return true;
    case OP_WAIT: run_wait(u, r, stmt); return true;
    case OP_DEPEND: add_event(u, r, EVENT_DEPEND, stmt); return true;
    case OP_HINT: return true;
    case OP_LOAD:
    case OP_STORE:
    case OP_RMW:
    case OP_COPY: return run_places(u, r, stmt, places, 0);
    }
    return true;
}

/* Control flow */

static void go(struct unfold_run *r, int target) {
    r->from = r->pc;
    r->pc = target;
}

/* A branch that depends on reads: in the loops around it, it may decide the number of turns. */
static void note_guard(const struct code *code, struct unfold_run *r) {
    for (int k = 0; k < code->nloops; k++) {
        const struct code_loop *loop = &code->loops[k];
        if (r->pc >= loop->first && r->pc <= loop->last && loop->leaves[r->pc - loop->first])
            r->turns[k].counted = true;
    }
}

/* Goes both ways where both are possible: `r` takes the jump if it can. False when it can go nowhere. */
static bool run_branch(struct unfolder *u, struct unfold_run *r, const struct ins *i) {
    const struct sym *cond = eval_sym(u, r, i->stmt->value);
    if (cond->kind == SYM_INT) {
        go(r, sym_is_true(cond, NULL) == i->when ? i->target : r->pc + 1);
        return true;
    }
    note_guard(u->code, r);
    struct unfold_run *other = fork_run(u, r);
    if (assume(u, other, cond, !i->when)) {
        go(other, other->pc + 1);
        continue_run(u, other);
    }
    if (!assume(u, r, cond, i->when)) return false;
    go(r, i->target);
    return true;
}

/* Whether the registers that still matter here are as they were. */
static bool same_cells(const struct code *code, const struct unfold_run *r, const struct passage *before) {
    const uint64_t *live = code->ins[r->pc].live;
    for (int k = set_first(live, code->reg_words); k >= 0; k = set_next(live, code->reg_words, k))
        if (!sym_same(r->cells[k], before->cells[k])) return false;
    return true;
}

/* A short `for` is followed to its end, also where it may be left before. */
static int most_turns(const struct unfolder *u, const struct stmt *loop) {
    bool whole = loop->bounded && loop->trips <= MAX_WHOLE && loop->trips >= u->unroll;
    return whole ? loop->trips + 1 : u->unroll;
}

/* Whether the turn that ends was one of those that are counted: a branch that depends on a read decided that there is
 * another, or it depends on what the turn did, and the turn went one of several ways. */
static bool is_counted(const struct code_loop *loop, const struct unfold_run *r, const struct turn *turn) {
    return turn->counted || (loop->varies && r->path.nguards > turn->guards);
}

/* At the head of a loop: comes in, or begins another turn. Returns what is known of the turn before. */
static struct passage *enter_turn(const struct unfold_run *r, const struct code_loop *loop,
                                  struct turn *turn) {
    bool again = r->from >= loop->first && r->from <= loop->last && turn->inside;
    if (!again)
        *turn = (struct turn){.at_head.cells = turn->at_head.cells, .at_look.cells = turn->at_look.cells};
    return &turn->at_head;
}

/* Counts the turn that ends at the head. False when it was one too many. */
static bool count_turn(struct unfolder *u, struct unfold_run *r, const struct code_loop *loop,
                       struct turn *turn) {
    if (turn->inside && is_counted(loop, r, turn)) {
        u->counted = true;
        if (++turn->turns >= most_turns(u, loop->stmt)) {
            end_run(u, r, PATH_CUT);
            return false;
        }
    }
    turn->inside = true;
    turn->counted = false;
    turn->guards = r->path.nguards;
    return true;
}

/* Where turns of a loop are compared. False when this run ends here: since it was here last, nothing has changed. */
static bool compare_turns(struct unfolder *u, struct unfold_run *r, const struct code_loop *loop,
                          struct passage *before) {
    bool idle = before->passed && before->writes == r->writes && same_cells(u->code, r, before);
    if (idle && r->path.nguards == 0) { /* whatever the others do */
        diag_error(u->diag, &u->test->source, loop->stmt->pos, "this loop never ends");
        u->failed = true;
        return false;
    }
    if (idle) {
        end_run(u, r, PATH_STUCK);
        return false;
    }
    before->passed = true;
    before->writes = r->writes;
    memcpy(before->cells, r->cells, (size_t)u->code->body->nregs * sizeof *r->cells);
    return true;
}

/* What the loops do at this place. False when this run ends here. */
static bool run_loops(struct unfolder *u, struct unfold_run *r) {
    for (int k = 0; k < u->code->nloops; k++) {
        const struct code_loop *loop = &u->code->loops[k];
        struct turn *turn = &r->turns[k];
        bool head = loop->first == r->pc, look = loop->look == r->pc && turn->inside && !head;
        if (head && !compare_turns(u, r, loop, enter_turn(r, loop, turn))) return false;
        if (look && !compare_turns(u, r, loop, &turn->at_look)) return false;
        if (head && !count_turn(u, r, loop, turn)) return false;
    }
    return true;
}

/* Ends a run that has become too large. In a loop whose turns are counted, it is one that would take too many. */
static void end_too_large(struct unfolder *u, struct unfold_run *r) {
    for (int k = 0; k < u->code->nloops; k++) {
        const struct code_loop *loop = &u->code->loops[k];
        if (r->turns[k].turns == 0 || r->pc < loop->first || r->pc > loop->last) continue;
        end_run(u, r, PATH_CUT);
        return;
    }
    give_up(u, r->overflow);
}

/* One instruction. False when this run is over. */
static bool step(struct unfolder *u, struct unfold_run *r) {
    const struct ins *i = &u->code->ins[r->pc];
    if (!budget_pay(u->budget, 1)) {
        give_up(u, u->budget->spent);
        return false;
    }
    if (++r->steps > MAX_STEPS) r->overflow = "a thread takes too many steps";
    if (r->overflow) {
        end_too_large(u, r);
        return false;
    }
    if (!run_loops(u, r)) return false;
    switch (i->kind) {
    case INS_END: end_run(u, r, PATH_DONE); return false;
    case INS_JUMP: go(r, i->target); return true;
    case INS_BRANCH: return run_branch(u, r, i);
    case INS_SET: r->cells[i->stmt->reg] = eval_sym(u, r, i->stmt->value); break;
    case INS_OP:
        if (!run_op(u, r, i->stmt)) return false;
        break;
    }
    go(r, r->pc + 1);
    return true;
}

static struct unfold_run *first_run(struct unfolder *u) {
    struct arena *a = u->arena;
    size_t nregs = (size_t)u->code->body->nregs;
    struct unfold_run *r = arena_alloc(a, sizeof *r);
    r->from = -1;
    r->cells = arena_array(a, nregs, sizeof *r->cells);
    for (size_t k = 0; k < nregs; k++)
        r->cells[k] = sym_int(a, u->code->body->regs[k].type, 0);
    r->turns = arena_array(a, (size_t)u->code->nloops, sizeof *r->turns);
    for (int k = 0; k < u->code->nloops; k++) {
        r->turns[k].at_head.cells = arena_array(a, nregs, sizeof *r->cells);
        r->turns[k].at_look.cells = arena_array(a, nregs, sizeof *r->cells);
    }
    return r;
}

/* Finds the paths on which no loop takes more than `unroll` turns that are counted. */
static void unfold(struct unfolder *u, int unroll) {
    *u->out = (struct unfolding){0};
    u->unroll = unroll;
    u->cap = u->forks = 0;
    u->pending = first_run(u);
    while (u->pending && !u->failed && !u->out->why) {
        struct unfold_run *r = u->pending;
        u->pending = r->next;
        while (step(u, r) && !u->out->why) {
        }
    }
}

/* If there are too many paths, but only because loops take turns, the bound is lowered. */
bool unfold_thread(const struct test *t, const struct cell *v, int thread, int unroll,
                   struct search_budget *budget, struct arena *a, struct unfolding *out, struct diag *d) {
    const struct thread *th = &t->threads[thread];
    uint64_t *observed = arena_array(a, (size_t)(th->body->nregs + 63) / 64, sizeof *observed);
    for (int o = 0; o < t->nobs; o++)
        if (t->obs[o].is_reg && t->obs[o].thread == thread) set_add(observed, t->obs[o].reg);
    struct unfolder u = {.test = t,
                         .cell = v,
                         .thread = th,
                         .number = thread,
                         .code = code_build(th->body, observed, a),
                         .budget = budget,
                         .arena = a,
                         .diag = d,
                         .out = out};
    for (int turns = unroll > 0 ? unroll : DEFAULT_UNROLL; turns > 0;
         turns = turns > 4 ? turns / 2 : turns - 1) {
        unfold(&u, turns);
        if (!out->why || u.failed || budget->spent || !u.counted) break;
    }
    depend_on_branches(out);
    return !u.failed;
}
