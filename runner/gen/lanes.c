/* Where lanes of a warp meet, each lane that is awaited must come, or the others wait for ever. */
#include "gen/lanes.h"

#include "litmus/company.h"

/* ---- returns ---- */

static bool leaves(const struct stmt *s) {
    if (s->kind == STMT_BREAK) return true;
    if (s->kind != STMT_IF) return false;
    for (const struct stmt *k = s->body; k; k = k->next)
        if (leaves(k)) return true;
    for (const struct stmt *k = s->orelse; k; k = k->next)
        if (leaves(k)) return true;
    return false;
}

/* Whether the operation does not wait for other lanes of its warp. */
static bool is_no_meeting(const struct op *op) {
    return company_meets(op) || !op_kinds[op->kind].meets || op_exchanges[op_rows[op->name].exchange].active;
}

static bool is_no_meeting_of_lanes(const struct stmt *s, void *ctx) {
    (void)ctx;
    return s->kind != STMT_OP || is_no_meeting(s->op);
}

/* Whether lanes of a warp meet in a list of statements behind a statement that may leave the list. A loop of
 * one turn is searched, too: `return` in a function becomes a `break` of such a loop. */
static bool may_miss_lanes(const struct stmt *s) {
    for (bool left = false; s; s = s->next) {
        if (left) return !stmt_walk(s, is_no_meeting_of_lanes, NULL);
        left = leaves(s);
        if (s->kind == STMT_LOOP && s->bounded && s->trips == 1 && may_miss_lanes(s->body)) return true;
    }
    return false;
}

/* On a GPU nobody waits for a lane that has exited. But the lanes of the harness do not exit. */
const char *lanes_missing(const struct test *t, const struct placement *p) {
    for (int i = 0; i < t->nthreads; i++)
        for (int j = 0; j < i; j++)
            if (!p->seats[i].host && !p->seats[j].host && p->seats[i].warp == p->seats[j].warp &&
                (may_miss_lanes(t->threads[i].body->first) || may_miss_lanes(t->threads[j].body->first)))
                return "lanes of a warp meet behind a return of some";
    return NULL;
}

/* ---- what reads decide ---- */

/* A read agrees if it returns the same value to all threads of the block. This holds for the result of a
 * reduction at a barrier of the block, and for a load from the block's shared memory if all writes to the
 * location come before the last barrier of the block. (By such a load the threads of the last block learn
 * that theirs is the last.) A branch is in doubt if its condition depends on a read that does not agree. */
struct lanes_walk {
    const struct test *t;
    bool *doubtful; /* of each register: it depends on a read that does not agree */
    bool *settled;  /* of each location: all writes to it come before the last barrier of the block */
    int doubts;     /* how many branches in doubt are around the statement */
    int repeats;    /* how many loops are around it */
    /* some thread may have taken another way, or wait at a barrier of the block within a branch in doubt */
    bool parted;
    bool lost; /* a lane may wait for one that does not come */
};

static bool is_in_doubt(const struct lanes_walk *w, const struct expr *e) {
    if (!e) return false;
    if (e->kind == EXPR_REG && w->doubtful[e->index]) return true;
    return is_in_doubt(w, e->a) || is_in_doubt(w, e->b) || is_in_doubt(w, e->c);
}

static int root_of(const struct test *t, int loc) {
    return t->locs[loc].view ? t->locs[loc].of : loc;
}

/* Whether the operation may write to the memory of location `root`. */
static bool writes(const struct test *t, const struct op *op, int root) {
    for (int p = 0; p < OP_PLACES; p++)
        if (op->place[p].loc >= 0 && (op_kinds[op->kind].touches[p] & TOUCH_WRITES) &&
            root_of(t, op->place[p].loc) == root)
            return true;
    return false;
}

static bool agrees(const struct lanes_walk *w, const struct op *op) {
    if (op->kind == OP_EXCHANGE) return op->barrier == BARRIER_CTA;
    const struct op_place *place = &op->place[0];
    if (op->kind != OP_LOAD || place->index || place->rank) return false;
    int root = root_of(w->t, place->loc);
    return w->t->locs[root].instances > 1 && w->settled[root];
}

/* At a barrier that all threads of the block pass once: a location is settled if every write to it stands
 * before the barrier in the same body. */
static void settle(struct lanes_walk *w, const struct op *op) {
    if (op->kind != OP_BARRIER || op->barrier_threads || op->arrive_only || w->doubts || w->repeats) return;
    for (int l = 0; l < w->t->nlocs; l++) {
        bool written = false;
        for (int k = 1; k <= w->t->nops; k++) {
            const struct op *other = &w->t->ops[k];
            bool before = other->body == op->body && k < op->number;
            written = written || (!before && writes(w->t, other, l));
        }
        w->settled[l] = !written;
    }
}

static void walk_op(struct lanes_walk *w, const struct op *op) {
    if (op_kinds[op->kind].meets && op->barrier == BARRIER_WARP &&
        !op_exchanges[op_rows[op->name].exchange].active)
        w->lost = w->lost || w->doubts || w->parted;
    if (company_meets(op) && w->doubts) w->parted = true;
    if (company_meets(op)) settle(w, op);
    if (op->dst >= 0) w->doubtful[op->dst] = w->doubts || !agrees(w, op);
}

static bool doubt(const struct stmt *s, void *ctx) {
    bool *doubtful = ctx;
    if (s->kind == STMT_SET) doubtful[s->reg] = true;
    if (s->kind == STMT_OP && s->op->dst >= 0) doubtful[s->op->dst] = true;
    return true;
}

static bool leads_away(const struct stmt *s) {
    for (; s; s = s->next) {
        if (s->kind == STMT_BREAK || s->kind == STMT_CONTINUE) return true;
        if (s->kind == STMT_IF && (leads_away(s->body) || leads_away(s->orelse))) return true;
    }
    return false;
}

static void walk(struct lanes_walk *w, const struct stmt *s);

static void walk_if(struct lanes_walk *w, const struct stmt *s) {
    bool doubted = is_in_doubt(w, s->value);
    w->doubts += doubted;
    walk(w, s->body);
    walk(w, s->orelse);
    w->doubts -= doubted;
    if (!doubted) return;
    stmt_walk(s->body, doubt, w->doubtful);
    stmt_walk(s->orelse, doubt, w->doubtful);
    if (leads_away(s->body) || leads_away(s->orelse)) w->parted = true;
}

/* What a turn assigns, the next turn reads: so the registers that the loop assigns are in doubt, and the loop
 * is walked twice. Threads that leave it after different numbers of turns are together again behind it,
 * unless it has barriers of a block or cluster. */
static void walk_loop(struct lanes_walk *w, const struct stmt *s) {
    stmt_walk(s->body, doubt, w->doubtful);
    stmt_walk(s->step, doubt, w->doubtful);
    bool parted = w->parted;
    w->repeats++;
    for (int turn = 0; turn < 2; turn++) {
        walk(w, s->body);
        walk(w, s->step);
    }
    w->repeats--;
    if (!company_has_barriers(s->body) && !company_has_barriers(s->step)) w->parted = parted;
}

static void walk(struct lanes_walk *w, const struct stmt *s) {
    for (; s; s = s->next)
        switch (s->kind) {
        case STMT_SET: w->doubtful[s->reg] = w->doubts || is_in_doubt(w, s->value); break;
        case STMT_OP: walk_op(w, s->op); break;
        case STMT_IF: walk_if(w, s); break;
        case STMT_LOOP: walk_loop(w, s); break;
        case STMT_BREAK:
        case STMT_CONTINUE: break;
        case STMT_LABEL:
        case STMT_GOTO: w->parted = true; break;
        }
}

bool lanes_agree(struct arena *a, const struct test *t) {
    for (int b = 0; b < t->nbodies; b++) {
        const struct body *body = &t->bodies[b];
        struct lanes_walk w = {.t = t,
                               .doubtful = arena_array(a, (size_t)body->nregs, sizeof *w.doubtful),
                               .settled = arena_array(a, (size_t)t->nlocs, sizeof *w.settled)};
        walk(&w, body->first);
        if (w.lost) return false;
    }
    return true;
}
