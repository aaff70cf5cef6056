/* In which phases of mbarriers operations count.
 *
 * The operations and waits on one mbarrier take turns, in an order that keeps the program order of each
 * thread. Turns on different mbarriers are in no order, except that what depends on a wait comes after it; so
 * a thread may do others against its program order. All these orders are tried, as far as they differ in the
 * phases in which arrivals count, or in what waits find.
 *
 * Most turns are no choice (is_no_choice): they are done at once. So is a turn if its mbarrier stays in its
 * phase whatever the other turns do before it: then it counts in this phase in every order, and what it
 * enables is enabled sooner. `reach` says what the others can do at most; it overestimates that. An arrival
 * may also complete its phase, so it is a choice
 *   - if a wait may come before it and find what it would not find after it (is_awaited);
 *   - if others may come before it and keep it from completing the phase, by bytes or by arrivals that they
 *     announce (is_weighed);
 *   - if more may arrive in the phase than it waits for, which is misuse in some order (is_crowded).
 * What only expects bytes is a choice if it may come last of all that its phase waits for (may_close_account). */
#include "search/phases.h"

#include <string.h>

#include "logic/rel.h"
#include "search/phases_turns.h"

enum { MAX_WAYS = 4096, MAX_VISITS = 50000, MOST_COUNT = MBARRIER_MOST, ANY_PHASE = 1 << 12 };

/* ---- where the search has been: a hash table of states ---- */

enum { SEEN_BUCKETS = 1 << 12 };

struct seen {
    struct seen_state *last[SEEN_BUCKETS];
};

struct seen_state {
    const struct seen_state *before; /* in the same bucket */
    const void *bytes;
};

static size_t bucket_of(const unsigned char *state, size_t bytes) {
    uint64_t sum = 0;
    for (size_t k = 0; k < bytes; k++)
        sum = (sum + state[k] + 1) * 0x9E3779B97F4A7C15;
    return (size_t)(sum >> 52) % SEEN_BUCKETS;
}

/* Whether a state was noted before; notes it. All states have one size. */
static bool seen_before(struct seen *s, struct arena *a, const void *state, size_t bytes) {
    struct seen_state **last = &s->last[bucket_of(state, bytes)];
    for (const struct seen_state *k = *last; k; k = k->before)
        if (memcmp(k->bytes, state, bytes) == 0) return true;
    struct seen_state *noted = arena_alloc(a, sizeof *noted);
    void *copy = arena_array(a, bytes, 1);
    memcpy(copy, state, bytes);
    *noted = (struct seen_state){*last, copy};
    *last = noted;
    return false;
}

/* Where the search has been, and what it has found. */
struct log {
    struct seen seen;
    struct phases *found;
    int nfound, visits;
    /* Has been given all but the last of `found`, of which it is not known whether it is the only one. */
    phases_taker *take;
    void *ctx;
    bool over;
};

static const char never[] = "an mbarrier is used that is not valid",
                  ended[] = "an mbarrier is used that is no longer valid";

/* ---- what an operation does ---- */

static bool is_try(const struct phasing *t, int turn) {
    return t->turns[turn].what->kind == EVENT_TRY;
}

static bool does(const struct phasing *t, int turn, unsigned counts) {
    return t->turns[turn].what->kind == EVENT_COUNT && t->turns[turn].what->counts & counts;
}

/* How many arrivals a turn is. Where it expects bytes, `amount` is these, and it is one arrival. */
static int arrivals_of(const struct phasing *t, int turn) {
    if (!does(t, turn, COUNT_ARRIVES)) return 0;
    return does(t, turn, COUNT_EXPECTS) ? 1 : t->turns[turn].what->amount;
}

/* Whether a wait would find the phase that it asks for complete now: that of its token; or, by parity, the
 * last one that has this parity, which is complete unless the phase at hand has it. */
static bool finds_over(const struct phasing *t, int turn) {
    const struct phase_turn *w = &t->turns[turn];
    int phase = t->states[w->at].phase;
    return w->token >= 0 ? phase > t->found[w->token].phase : (phase & 1) != w->what->amount;
}

/* Notes the first misuse that PTX leaves undefined. */
static void misuse(struct phasing *t, bool is, const char *what) {
    if (is && !t->undefined) t->undefined = what;
}

static void change_bytes(struct phasing *t, struct state *s, int more) {
    s->bytes += more;
    misuse(t, more > MOST_COUNT || more < -MOST_COUNT || s->bytes > MOST_COUNT || s->bytes < -MOST_COUNT,
           "more bytes are expected or completed at an mbarrier than it counts");
}

static void arrive(struct phasing *t, struct state *s, int n, bool drops) {
    misuse(t, n < 1 || n > MOST_COUNT || n > s->pending, "more arrive at an mbarrier than it waits for");
    s->pending = n > s->pending ? 0 : s->pending - n;
    if (drops) s->expected -= n;
    misuse(t, s->expected < 1, "all drop out of an mbarrier");
}

static void open_state(struct phasing *t, struct state *s, int count) {
    if (count < -1) count = MOST_COUNT; /* not known, but not reached either: see may_reach_unknown */
    misuse(t, s->valid, "an mbarrier is initialised that is valid");
    misuse(t, count < 1 || count > MOST_COUNT,
           "an mbarrier is initialised with a count that PTX does not have");
    s->valid = true;
    s->phase = s->bytes = 0;
    s->expected = s->pending = count;
}

static void end_phase(struct state *s) {
    s->phase++;
    s->pending = s->expected;
}

/* Does a turn that is no wait. */
static void count(struct phasing *t, int turn) {
    const struct event *e = t->turns[turn].what;
    struct state *s = &t->states[t->turns[turn].at];
    int phase = s->phase;
    if (e->counts & COUNT_OPENS) open_state(t, s, e->amount);
    if (e->counts & COUNT_CLOSES) s->valid = false, s->closed = true;
    if (e->counts & COUNT_EXPECTS) change_bytes(t, s, e->amount);
    if (e->counts & COUNT_COMPLETES) change_bytes(t, s, -e->amount);
    if (e->counts & COUNT_RAISES) s->pending++;
    if (e->read >= 0) t->found[turn].pending = s->pending;
    misuse(t, e->counts & COUNT_LOOKED, "what an arrival's token does not know is asked of it");
    if (e->counts & COUNT_ARRIVES) arrive(t, s, arrivals_of(t, turn), e->counts & COUNT_DROPS);
    bool ends = e->counts & (COUNT_ARRIVES | COUNT_COMPLETES) && s->pending == 0 && s->bytes == 0;
    misuse(t, ends && e->counts & COUNT_STAYS, "an arrival completes a phase, and promised not to");
    if (ends) end_phase(s);
    t->found[turn].phase = e->counts & (COUNT_OPENS | COUNT_CLOSES) ? NO_PHASE : phase;
}

static void do_turn(struct phasing *t, int turn) {
    const struct phase_turn *w = &t->turns[turn];
    if (!is_try(t, turn)) count(t, turn);
    if (!is_try(t, turn)) return;
    int phase = t->states[w->at].phase;
    t->found[turn].over = finds_over(t, turn);
    t->found[turn].phase = t->found[turn].over ? phase - 1 : NO_PHASE;
    misuse(t, w->token >= 0 && phase > t->found[w->token].phase + 1, "a wait has a token two phases old");
}

/* Whether a turn only expects bytes, and leaves its phase with no arrival and no byte pending. No text says
 * whether that completes the phase, so both ways are tried. */
static bool closes_account(const struct phasing *t, int turn) {
    const struct state *s = &t->states[t->turns[turn].at];
    const struct event *e = t->turns[turn].what;
    return does(t, turn, COUNT_EXPECTS) && !(e->counts & (COUNT_ARRIVES | COUNT_COMPLETES)) &&
           s->pending == 0 && s->bytes + e->amount == 0;
}

/* ---- who may be next ---- */

/* Whether a turn is not done, and all that must come before it are. */
static bool is_ready(const struct phasing *t, int turn) {
    for (int x = set_first(t->turns[turn].after, t->words); x >= 0;
         x = set_next(t->turns[turn].after, t->words, x))
        if (t->found[x].phase == NOT_YET) return false;
    return t->found[turn].phase == NOT_YET;
}

/* Whether a turn can be next. Its mbarrier must be valid, and the guards of its path must allow what a wait
 * finds. */
static bool is_enabled(const struct phasing *t, int turn) {
    if (!is_ready(t, turn)) return false;
    if (does(t, turn, COUNT_OPENS)) return true;
    return t->states[t->turns[turn].at].valid &&
           (!is_try(t, turn) || t->turns[turn].may[finds_over(t, turn)]);
}

/* What the other turns can do at most before one turn is done. */
struct reach {
    uint64_t *comes; /* turns that may be done */
    int *most;       /* mbarrier -> the latest phase that it may get to */
};

/* The latest phase that an mbarrier may get to by the turns that may be done. It leaves its phase only if
 * enough of them arrive, and only if its pending bytes can be 0: not if more are pending than these turns
 * complete, nor if they stay negative although all that these turns expect is added. (Where each of the
 * arrivals is needed, the bytes that they expect themselves are sure to be added.) Each phase behind the next
 * takes at least `least` arrivals. */
static int find_most(const struct phasing *t, int at, const uint64_t *comes) {
    const struct state *s = &t->states[at];
    int arrivals = 0, dropped = 0, more = 0, with = 0, less = 0;
    for (int x = set_first(comes, t->words); x >= 0; x = set_next(comes, t->words, x)) {
        if (t->turns[x].at != at) continue;
        if (does(t, x, COUNT_OPENS)) return ANY_PHASE;
        int n = arrivals_of(t, x), amount = t->turns[x].what->amount;
        arrivals += n;
        if (does(t, x, COUNT_DROPS)) dropped += n;
        if (does(t, x, COUNT_EXPECTS)) more += amount;
        if (does(t, x, COUNT_EXPECTS) && n) with += amount;
        if (does(t, x, COUNT_COMPLETES)) less += amount;
    }
    int sure = arrivals == s->pending ? with : 0;
    if (arrivals < s->pending || s->bytes + sure - less > 0 || s->bytes + more < 0) return s->phase;
    int least = s->expected - dropped < 1 ? 1 : s->expected - dropped;
    return s->phase + 1 + (arrivals - s->pending) / least;
}

/* Whether a wait may find something that the guards of its path allow: what it finds now, or, if its mbarrier
 * may leave the phase, also the contrary. A token that does not exist yet will be of the phase at hand or a
 * later one, which is not over. */
static bool may_pass(const struct phasing *t, int turn, int most) {
    const struct phase_turn *w = &t->turns[turn];
    bool given = w->token < 0 || t->found[w->token].phase != NOT_YET;
    bool over = given && finds_over(t, turn), moves = most > t->states[w->at].phase;
    return w->may[over] || (w->may[!over] && moves);
}

/* Whether a turn may be done, if those in r->comes may be. */
static bool may_come(const struct phasing *t, const struct reach *r, int turn) {
    const struct phase_turn *w = &t->turns[turn];
    for (int x = set_first(w->after, t->words); x >= 0; x = set_next(w->after, t->words, x))
        if (t->found[x].phase == NOT_YET && !set_has(r->comes, x)) return false;
    return !is_try(t, turn) || may_pass(t, turn, r->most[w->at]);
}

/* What the others can do at most before the turn `without`: the least fixpoint of may_come and find_most. */
static struct reach reach(const struct phasing *t, int without) {
    struct reach r = {arena_array(t->arena, (size_t)t->words, sizeof *r.comes),
                      arena_array(t->arena, (size_t)t->nstates, sizeof *r.most)};
    for (bool more = true; more;) {
        more = false;
        for (int k = 0; k < t->nstates; k++)
            r.most[k] = find_most(t, k, r.comes);
        for (int x = 0; x < t->n; x++) {
            if (x == without || t->found[x].phase != NOT_YET || set_has(r.comes, x) || !may_come(t, &r, x))
                continue;
            set_add(r.comes, x);
            more = true;
        }
    }
    return r;
}

static struct phasing copy_table(const struct phasing *t) {
    struct phasing copy = *t;
    copy.states = arena_array(t->arena, (size_t)t->nstates, sizeof *copy.states);
    copy.found = arena_array(t->arena, (size_t)t->n, sizeof *copy.found);
    memcpy(copy.states, t->states, (size_t)t->nstates * sizeof *copy.states);
    memcpy(copy.found, t->found, (size_t)t->n * sizeof *copy.found);
    return copy;
}

/* Whether a wait may come before a turn, and its guards allow what it finds now: after the turn, it may find
 * the contrary. */
static bool is_awaited(const struct phasing *t, int turn, const struct reach *r) {
    for (int w = 0; w < t->n; w++)
        if (is_try(t, w) && t->turns[w].at == t->turns[turn].at && set_has(r->comes, w) &&
            t->turns[w].may[finds_over(t, w)])
            return true;
    return false;
}

/* Whether others that may come before a turn may change whether it completes the phase. They may if they
 * expect bytes or announce arrivals; and if they complete more bytes than are pending after the turn. (If
 * they complete no more than that, the phase is not complete before all of them are done, in whichever
 * order.) */
static bool is_weighed(const struct phasing *t, int turn, const struct reach *r) {
    const struct phase_turn *w = &t->turns[turn];
    int bytes = t->states[w->at].bytes, others = 0;
    if (does(t, turn, COUNT_EXPECTS)) bytes += w->what->amount;
    if (does(t, turn, COUNT_COMPLETES)) bytes -= w->what->amount;
    for (int x = 0; x < t->n; x++) {
        if (t->turns[x].at != w->at || !set_has(r->comes, x)) continue;
        if (does(t, x, COUNT_EXPECTS | COUNT_RAISES)) return true;
        if (does(t, x, COUNT_COMPLETES)) others += t->turns[x].what->amount;
    }
    return others > 0 && bytes < others;
}

/* Whether more arrivals may come, with those of this turn, than the phase waits for: in some order one is too
 * many, which is misuse. */
static bool is_crowded(const struct phasing *t, int turn, const struct reach *r) {
    const struct phase_turn *w = &t->turns[turn];
    int arrivals = arrivals_of(t, turn);
    for (int x = 0; x < t->n; x++)
        if (t->turns[x].at == w->at && set_has(r->comes, x)) arrivals += arrivals_of(t, x);
    return arrivals > t->states[w->at].pending;
}

/* Whether a turn that only expects bytes may come when no arrival is pending any more, and close the account then
 * (closes_account): others that may come before it arrive, and as many bytes are complete as it expects, or more. */
static bool may_close_account(const struct phasing *t, int turn, const struct reach *r) {
    const struct event *e = t->turns[turn].what;
    const struct state *s = &t->states[t->turns[turn].at];
    int arrivals = 0, bytes = s->bytes;
    if (!does(t, turn, COUNT_EXPECTS) || e->counts & (COUNT_ARRIVES | COUNT_COMPLETES)) return false;
    for (int x = 0; x < t->n; x++) {
        if (t->turns[x].at != t->turns[turn].at || !set_has(r->comes, x)) continue;
        arrivals += arrivals_of(t, x);
        if (does(t, x, COUNT_COMPLETES)) bytes -= t->turns[x].what->amount;
    }
    return arrivals >= s->pending && bytes + e->amount <= 0;
}

/* Whether a turn of the same mbarrier is not done, and may come before this one or after it. Of waits this is
 * asked if `waits` is set, of other turns if they count in one of the ways `counts`. */
static bool is_raced(const struct phasing *t, int turn, unsigned counts, bool waits) {
    for (int x = 0; x < t->n; x++)
        if (t->turns[x].at == t->turns[turn].at && t->found[x].phase == NOT_YET && x != turn &&
            (is_try(t, x) ? waits : does(t, x, counts)) && !set_has(t->turns[x].after, turn))
            return true;
    return false;
}

/* Whether it matters which others come before a turn even if the phase stays the same. It does for an
 * invalidation and for the initialisation of a valid mbarrier; between two initialisations; and between any
 * operation and an arrival that promises to complete no phase (COUNT_STAYS), whose token knows how many
 * arrivals came before. */
static bool has_place(const struct phasing *t, int turn) {
    bool opens = does(t, turn, COUNT_OPENS), valid = t->states[t->turns[turn].at].valid;
    bool alone = does(t, turn, COUNT_CLOSES) || (opens && valid), all = alone || does(t, turn, COUNT_STAYS);
    unsigned by = all ? ~0u : opens ? COUNT_OPENS : COUNT_STAYS;
    return !is_try(t, turn) && is_raced(t, turn, by, alone);
}

/* Whether no way is lost if a turn that can be next is next (see above). That holds for a wait that must find
 * its phase going on, and does now. Any other wait is no choice if its mbarrier cannot leave the phase before
 * it; or, if it must find a parity complete, if its mbarrier gets to the next phase at most, where the wait
 * would find the other parity. */
static bool is_no_choice(const struct phasing *t, int turn) {
    const struct phase_turn *w = &t->turns[turn];
    const struct state *s = &t->states[w->at];
    if (has_place(t, turn) || closes_account(t, turn)) return false;
    if (does(t, turn, COUNT_OPENS | COUNT_CLOSES)) return true;
    bool over = is_try(t, turn) && finds_over(t, turn), settled = is_try(t, turn) && !w->may[!over];
    if (settled && !over) return true;
    struct reach r = reach(t, turn);
    if (is_try(t, turn)) return r.most[w->at] <= s->phase + (settled && w->token < 0);
    return r.most[w->at] == s->phase && !is_weighed(t, turn, &r) && !is_crowded(t, turn, &r) &&
           !is_awaited(t, turn, &r) && !may_close_account(t, turn, &r);
}

/* ---- all ways ---- */

/* Whether the search has been here, with the same misuse behind it; notes it. */
static bool was_here(const struct phasing *t) {
    size_t states = (size_t)t->nstates * sizeof *t->states, found = (size_t)t->n * sizeof *t->found;
    size_t misused = sizeof t->undefined;
    char *all = arena_array(t->arena, states + found + misused, 1);
    memcpy(all, t->states, states);
    memcpy(all + states, t->found, found);
    memcpy(all + states + found, &t->undefined, misused);
    return seen_before(&t->log->seen, t->arena, all, states + found + misused);
}

/* Gives the way that was found last to the taker. */
static void hand_on(struct log *log, bool only) {
    if (log->nfound && !log->over) log->over = !log->take(&log->found[log->nfound - 1], only, log->ctx);
}

/* Notes a way, unless it was found before. A wait that was not done gets a result that its guards allow. */
static void record(const struct phasing *t) {
    size_t n = (size_t)t->graph->dim.n;
    struct phase_found *events = arena_array(t->arena, n, sizeof *events);
    for (size_t k = 0; k < n; k++)
        events[k].phase = NO_PHASE;
    for (int k = 0; k < t->n; k++) {
        const struct phase_turn *w = &t->turns[k];
        struct phase_found *found = &events[w->event];
        *found = t->found[k];
        if (found->phase == NOT_YET) found->over = w->may[1];
        found->phase = found->phase < 0 ? NO_PHASE : w->at * ANY_PHASE + found->phase;
    }
    struct log *log = t->log;
    for (int k = 0; k < log->nfound; k++)
        if (memcmp(log->found[k].events, events, n * sizeof *events) == 0 &&
            log->found[k].fault == t->fault && log->found[k].undefined == t->undefined)
            return;
    hand_on(log, false);
    log->found = arena_more(t->arena, log->found, (size_t)log->nfound, sizeof *log->found);
    log->found[log->nfound++] = (struct phases){events, t->fault, t->fault == ended, t->undefined};
}

/* Nobody can be next. If a turn waits only for a valid mbarrier, that is a fault. If a wait is never over and
 * nothing is misused, there is no outcome, and no way is noted. */
static void end(struct phasing *t) {
    bool all = true;
    for (int k = 0; k < t->n; k++) {
        const struct state *s = &t->states[t->turns[k].at];
        all = all && t->found[k].phase != NOT_YET;
        if (is_ready(t, k) && !s->valid && t->fault != never) t->fault = s->closed ? ended : never;
    }
    if (all || t->fault || t->undefined) record(t);
}

/* Does turns that are no choice, until there are none. False when nobody can be next, or the budget is spent. */
static bool do_without_choice(struct phasing *t) {
    bool any = false;
    for (int k = 0; k < t->n; k++) {
        if (!is_enabled(t, k)) continue;
        any = true;
        if (!budget_pay(t->budget, 1 + t->n * t->n / 16)) return false;
        if (!is_no_choice(t, k)) continue;
        do_turn(t, k);
        any = false;
        k = -1;
    }
    return any;
}

/* Turns of a lower class are tried first: waits, since a wait that comes late may find another phase and
 * never be over; then arrivals for whose token a wait waits; then all others. */
enum { CLASSES = 3 };
static int class_of(const struct phasing *t, int turn) {
    return is_try(t, turn) ? 0 : t->turns[turn].awaited ? 1 : 2;
}

static void explore(struct phasing *t) {
    if (++t->log->visits > MAX_VISITS || t->log->nfound > MAX_WAYS || t->budget->spent || t->log->over)
        return;
    bool more = do_without_choice(t);
    if (t->budget->spent) return;
    if (!more) end(t);
    if (!more || was_here(t)) return;
    for (int j = 0; j < CLASSES * t->n; j++) {
        int k = j % t->n;
        if (class_of(t, k) != j / t->n || !is_enabled(t, k)) continue;
        for (int ends = 0; ends <= closes_account(t, k); ends++) {
            struct phasing next = copy_table(t);
            do_turn(&next, k);
            if (ends) end_phase(&next.states[t->turns[k].at]);
            explore(&next);
        }
    }
}

/* Whether an mbarrier has a count of which only a lower bound is known, and as many or more may arrive: then
 * it is not known whether its first phase is complete. */
static bool may_reach_unknown(const struct phasing *t) {
    for (int k = 0; k < t->n; k++) {
        if (!does(t, k, COUNT_OPENS) || t->turns[k].what->amount >= -1) continue;
        long long arrivals = 0;
        for (int x = 0; x < t->n; x++)
            if (t->turns[x].at == t->turns[k].at) arrivals += arrivals_of(t, x);
        if (arrivals >= -(long long)t->turns[k].what->amount) return true;
    }
    return false;
}

void phases_each(const struct graph *g, struct search_budget *budget, struct arena *a, phases_taker *take,
                 void *ctx) {
    struct phasing t = {.graph = g, .budget = budget, .arena = a};
    phases_find_turns(&t);
    if (t.n == 0) take(&(struct phases){0}, true, ctx);
    if (t.n == 0) return;
    struct log log = {.take = take, .ctx = ctx}; /* large */
    t.log = &log;
    if (may_reach_unknown(&t)) {
        budget->spent = "what an mbarrier is given depends on what was read";
        return;
    }
    t.found = arena_array(a, (size_t)t.n, sizeof *t.found);
    for (int k = 0; k < t.n; k++)
        t.found[k].phase = NOT_YET;
    explore(&t);
    bool most = log.visits > MAX_VISITS || log.nfound > MAX_WAYS;
    hand_on(&log, log.nfound == 1 && !most && !budget->spent);
    if (most && !log.over && !budget->spent)
        budget->spent = "too many ways in which mbarriers can go through their phases";
}
