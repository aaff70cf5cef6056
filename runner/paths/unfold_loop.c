#include "logic/prunings.h"
#include "logic/rel.h"
#include "paths/unfold_run.h"

enum {
    MAX_WHOLE = 16, /* turns of a `for` that may be left before its end */
    MAX_LOOKED_BACK = 6
};

void unfold_note_guard(const struct code *code, struct unfold_run *r) {
    for (int k = 0; k < code->nloops; k++) {
        const struct code_loop *loop = &code->loops[k];
        if (r->pc >= loop->first && r->pc <= loop->last && loop->leaves[r->pc - loop->first])
            r->turns[k].counted = true;
    }
}

static bool mentions(const struct expr *e, const bool *regs) {
    if (!e) return false;
    if (e->kind == EXPR_REG && regs[e->index]) return true;
    return mentions(e->a, regs) || mentions(e->b, regs) || mentions(e->c, regs);
}

/* The registers that are computed from the result of the operation at hand. */
static const bool *find_following(const struct code *code, const struct unfold_run *r, struct arena *a) {
    bool *regs = arena_array(a, (size_t)code->body->nregs, sizeof *regs), grown = true;
    regs[code->ins[r->pc].stmt->op->dst] = true;
    while (grown) {
        grown = false;
        for (int k = 0; k < code->nins; k++) {
            const struct ins *i = &code->ins[k];
            if (i->kind != INS_SET || regs[i->stmt->reg] || !mentions(i->stmt->value, regs)) continue;
            regs[i->stmt->reg] = grown = true;
        }
    }
    return regs;
}

void unfold_note_clock(struct unfolder *u, struct unfold_run *r) {
    const struct code *code = u->code;
    const bool *regs = find_following(code, r, u->arena);
    for (int k = 0; k < code->nloops; k++) {
        const struct code_loop *loop = &code->loops[k];
        bool inside = r->pc >= loop->first && r->pc <= loop->last;
        for (int pc = loop->first; pc <= loop->last && inside; pc++)
            if (code->ins[pc].kind == INS_BRANCH && loop->leaves[pc - loop->first] &&
                mentions(code->ins[pc].stmt->value, regs))
                r->turns[k].counted = true;
    }
}

/* Whether the registers that still matter here are as they were. */
static bool same_cells(const struct code *code, const struct unfold_run *r, const struct passage *before) {
    const uint64_t *live = code->ins[r->pc].live;
    for (int k = set_first(live, code->reg_words); k >= 0; k = set_next(live, code->reg_words, k))
        if (!sym_same(r->cells[k], before->cells[k])) return false;
    return true;
}

/* The bound on turns that are counted. A short `for` is followed to its end, also if a `break` may end it
 * before. */
static int most_turns(const struct unfolder *u, const struct stmt *loop) {
    bool whole = loop->bounded && loop->trips <= MAX_WHOLE && loop->trips >= u->unroll;
    return whole ? loop->trips + 1 : u->unroll;
}

/* Whether the turn that ends is counted: a branch that depends on a read decided that there is another; or
 * that may depend on what the turn did (`varies`), and the turn went one of several ways. */
static bool is_counted(const struct code_loop *loop, const struct unfold_run *r, const struct turn *turn) {
    return turn->counted || (loop->varies && r->path.nguards > turn->guards);
}

/* At the head of a loop: enters it, or begins another turn. Returns where its last passage of the head is
 * noted. */
static const struct passage **enter_turn(const struct unfold_run *r, const struct code_loop *loop,
                                         struct turn *turn) {
    bool again = r->from >= loop->first && r->from <= loop->last && turn->inside;
    if (!again) *turn = (struct turn){0};
    return &turn->at_head;
}

static bool is_idle_event(const struct event *e) {
    switch (e->kind) {
    case EVENT_READ:
    case EVENT_FENCE:
    case EVENT_ARRIVE:
    case EVENT_WAIT:
    case EVENT_TAKE:
    case EVENT_TRY: return true;
    case EVENT_INIT:
    case EVENT_WRITE:
    case EVENT_ISSUE:
    case EVENT_COUNT:
    case EVENT_COMPLETE:
    case EVENT_DEPEND:
    case EVENT_TRIGGER: break;
    }
    return false;
}

/* Whether the turn that ends at the head may come again for ever: it has only read and met others, and the
 * registers on which its way depends are as they were, so with the same values it goes the same way. Other
 * registers, as a count, may differ. */
static bool may_wait(const struct unfold_run *r, const struct code_loop *loop, const struct turn *turn,
                     const struct code *code) {
    const struct passage *now = turn->at_head, *last = now->last;
    const uint64_t *live = code->ins[r->pc].live;
    for (int e = last ? last->events : 0; e < now->events; e++)
        if (!is_idle_event(&r->path.events[e])) return false;
    for (int k = set_first(live, code->reg_words); last && k >= 0; k = set_next(live, code->reg_words, k))
        if (set_has(loop->steering, k) && !sym_same(now->cells[k], last->cells[k])) return false;
    return last;
}

/* Counts the turn that ends at the head. False when it was one too many. */
static bool count_turn(struct unfolder *u, struct unfold_run *r, const struct code_loop *loop,
                       struct turn *turn) {
    if (turn->inside && is_counted(loop, r, turn)) {
        u->counted = true;
        if (++turn->turns >= most_turns(u, loop->stmt)) {
            r->path.waits = may_wait(r, loop, turn, u->code);
            unfold_end(u, r, PATH_CUT);
            return false;
        }
    }
    turn->inside = true;
    turn->counted = false;
    turn->guards = r->path.nguards;
    return true;
}

static const struct passage *pass(struct unfolder *u, const struct unfold_run *r,
                                  const struct passage *last) {
    size_t nregs = (size_t)u->code->body->nregs;
    struct passage *p = arena_alloc(u->arena, sizeof *p);
    *p = (struct passage){.last = last,
                          .before = last && last->writes == r->writes ? last : NULL,
                          .writes = r->writes,
                          .events = r->path.nevents,
                          .guards = r->path.nguards,
                          .reads = r->path.nreads,
                          .steps = r->steps,
                          .cells = arena_array(u->arena, nregs, sizeof *p->cells)};
    if (nregs) memcpy(p->cells, r->cells, nregs * sizeof *p->cells);
    if (r->written && nregs) {
        struct reads *written = arena_array(u->arena, nregs, sizeof *written);
        memcpy(written, r->written, nregs * sizeof *written);
        p->written = written;
    }
    return p;
}

/* Whether the turns since an earlier passage can be left out: the thread is where it was there (`spins`;
 * `polls`: so are all who meet there, see poll.h), or the last turn could have followed that passage at once
 * (`repeats`). Nothing is lost: another path of the thread lacks these turns and does the same from here on.
 * It has the same writes and barriers, so the others can read what they did. It lacks some reads and fences,
 * and if fewer events break no axiom of the model, that is an execution, too. If no guard was added since the
 * passage, the same turn comes again for ever: that is no pruning, so it does not need `spins`. */
static bool is_idle(struct unfolder *u, const struct unfold_run *r, const struct code_loop *loop,
                    const struct passage *last) {
    bool spins = prunes(u->without, PRUNE_SPINS), repeats = prunes(u->without, PRUNE_REPEATS);
    bool polls = spins && prunes(u->without, PRUNE_POLLS) && u->polls[loop - u->code->loops];
    int n = 0;
    if (last && (loop->endless || polls)) return true;
    for (const struct passage *p = last; p && p->writes == r->writes && n < MAX_LOOKED_BACK;
         p = p->before, n++) {
        bool forced = p->guards == r->path.nguards; /* nothing that was read decided it */
        bool same = (spins || forced) && same_cells(u->code, r, p);
        if (same && (forced || unfold_written_since(u->code, r, p))) return true;
        if (repeats && p != last && unfold_repeats(u, r, last, p)) return true;
    }
    return false;
}

/* Compares the turn that ends here with earlier ones, and notes the passage. False when the run ends, since
 * the turn is idle; if it is so whatever the others do, that is an error. */
static bool compare_turns(struct unfolder *u, struct unfold_run *r, const struct code_loop *loop,
                          const struct passage **last) {
    bool idle = is_idle(u, r, loop, *last);
    if (idle && r->path.nguards == 0) { /* whatever the others do */
        diag_error(u->diag, test_text_of(u->test, u->thread->body), loop->stmt->pos, "this loop never ends");
        u->failed = true;
        return false;
    }
    if (idle) {
        unfold_end(u, r, PATH_STUCK);
        return false;
    }
    *last = pass(u, r, *last);
    return true;
}

bool unfold_loops(struct unfolder *u, struct unfold_run *r) {
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

bool unfold_counts(const struct code *code, const struct unfold_run *r) {
    for (int k = 0; k < code->nloops; k++) {
        const struct code_loop *loop = &code->loops[k];
        if (r->turns[k].turns > 0 && r->pc >= loop->first && r->pc <= loop->last) return true;
    }
    return false;
}
