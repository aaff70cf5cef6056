/* Why a read may see an old value: what is missing between the write that it does not see and the read. And why a write
 * may be overtaken by another one of its location. */
#include <string.h>

#include "explain/why_tell.h"

/* Threads through which a value is followed back. */
enum { MOST_LINKS = 8 };

static const struct event *event_of(const struct search *s, int e) {
    return s->graph->events[e].event;
}

static bool po(const struct search *s, int x, int y) {
    return graph_relates(s->graph, GIVEN_PO, x, y);
}

static bool has_order(const struct search *s, int e, enum order order) {
    enum order own = event_of(s, e)->strength.order;
    return own == order || own == ORDER_ACQ_REL || own == ORDER_SC;
}

static bool is_weak(const struct search *s, int e) {
    return event_of(s, e)->strength.order == ORDER_WEAK;
}

/* The fence of widest scope that has this order and stands between two events of a thread; or -1. */
static int find_fence(const struct search *s, int x, int y, enum order order) {
    int best = -1;
    for (int e = x + 1; e < y; e++)
        if (say_is_fence(s->graph, e) && po(s, x, e) && po(s, e, y) && has_order(s, e, order) &&
            (best < 0 || event_of(s, e)->strength.scope > event_of(s, best)->strength.scope))
            best = e;
    return best;
}

/* What releases the write `first` with the later write `flag`: a fence between them, or `flag` itself. -1:
 * nothing does. */
static int find_release(const struct search *s, int first, int flag) {
    if (first == flag || has_order(s, flag, ORDER_RELEASE)) return flag;
    return find_fence(s, first, flag, ORDER_RELEASE);
}

static bool is_red(const struct search *s, int e) {
    return event_of(s, e)->red;
}

static int find_acquire(const struct search *s, int flag, int last) {
    if (is_red(s, flag)) return -1;
    if (flag == last || has_order(s, flag, ORDER_ACQUIRE)) return flag;
    return find_fence(s, flag, last, ORDER_ACQUIRE);
}

static const char *thread_of(const struct search *s, int e) {
    return s->graph->test->threads[s->graph->events[e].thread].name;
}

static void say_lines(struct text *out, const struct search *s, int x, int y) {
    int a = say_line_of(s->graph, x), b = say_line_of(s->graph, y);
    if (a == b) {
        say_line(out, s->graph, x);
    } else if (say_is_in_file(s->graph, x) && say_is_in_file(s->graph, y)) {
        text_printf(out, " (lines %d and %d)", a, b);
    } else {
        text_add(out, " (");
        say_place(out, s->graph, x);
        text_add(out, " and ");
        say_place(out, s->graph, y);
        text_add(out, ")");
    }
}

/* Where the thread of y is, seen from that of x, whose scope does not include it. */
static const char *whereabouts(const struct search *s, int x, int y) {
    const struct seat *seats = s->graph->cell->placement->seats;
    const struct seat *a = &seats[s->graph->events[x].thread], *b = &seats[s->graph->events[y].thread];
    if (a->host || b->host) return a->host ? "on the GPU" : "on a CPU";
    if (a->gpu != b->gpu) return "on another GPU";
    return s->graph->events[x].event->strength.scope == SCOPE_CLUSTER ? "in another cluster"
                                                                      : "in another block";
}

/* "fence() (line 9: fence.sc.cta) has block scope, and T1 is in another block" */
static void say_narrow(struct text *out, const struct search *s, int e, int other) {
    text_printf(out, "%s's ", thread_of(s, e));
    say_own(out, s, e);
    if (is_weak(s, e))
        text_add(out, " is weak, so no order with other threads comes of it");
    else
        text_printf(out, " has %s scope, and %s is %s", say_scope(s->graph, e), thread_of(s, other),
                    whereabouts(s, e, other));
}

/* A clause behind those before it. */
static void begin_clause(struct text *out, int *n) {
    if ((*n)++) text_add(out, ", and ");
}

void why_say_scopes(struct text *out, const struct search *s, int x, int y, int *n) {
    if (!graph_relates(s->graph, GIVEN_SCOPED, x, y)) {
        begin_clause(out, n);
        say_narrow(out, s, x, y);
    }
    if (!graph_relates(s->graph, GIVEN_SCOPED, y, x)) {
        begin_clause(out, n);
        say_narrow(out, s, y, x);
    }
}

static const char *name_kind(const struct search *s, int e) {
    return say_is_read(s->graph, e) ? "its read" : say_is_write(s->graph, e) ? "its write" : "the barrier";
}

void why_say_two(struct text *out, const struct search *s, int x, int y) {
    const char *first = name_kind(s, x), *second = name_kind(s, y);
    bool one = strcmp(first, second) == 0;
    if (one && say_is_read(s->graph, x))
        text_add(out, "its two reads");
    else if (one && say_is_write(s->graph, x))
        text_add(out, "its two writes");
    else if (one)
        text_add(out, "the two barriers");
    else
        text_printf(out, "%s and %s", first, second);
    say_lines(out, s, x, y);
}

int why_say_passing(struct text *out, const struct search *s, int first, int flag, int seen, int last) {
    int n = 0, release = find_release(s, first, flag), acquire = find_acquire(s, seen, last);
    if (release < 0) {
        begin_clause(out, &n);
        text_printf(out, "%s has no fence or release between ", thread_of(s, first));
        why_say_two(out, s, first, flag);
    }
    if (is_red(s, seen)) {
        begin_clause(out, &n);
        text_printf(out, "%s's red", thread_of(s, seen));
        say_line(out, s->graph, seen);
        text_add(out, " returns nothing, so what it reads acquires nothing");
    } else if (acquire < 0) {
        begin_clause(out, &n);
        text_printf(out, "%s has no fence or acquire between ", thread_of(s, last));
        why_say_two(out, s, seen, last);
    }
    if (flag != release || seen != acquire) why_say_scopes(out, s, flag, seen, &n);
    if (release >= 0 && acquire >= 0 && first != flag) why_say_scopes(out, s, release, acquire, &n);
    return n;
}

/* Whether read `seen`, which is before `at` in its thread, sees what another thread wrote. */
static bool is_link(const struct search *s, int seen, int at) {
    const struct graph *g = s->graph;
    int from = g->events[s->source[seen]].thread;
    return po(s, seen, at) && from >= 0 && from != g->events[at].thread;
}

/* The event in the thread of `flag`, at or before it, with which a chain from a write comes into that thread:
 * the write itself, or a read of what a thread wrote that had seen it. -1: no chain does. */
static int find_first(const struct search *s, int write, int flag, int links) {
    if (flag == write || po(s, write, flag)) return write;
    for (int k = 0; k < s->nreads && links > 0; k++)
        if (is_link(s, s->reads[k], flag) && find_first(s, write, s->source[s->reads[k]], links - 1) >= 0)
            return s->reads[k];
    return -1;
}

/* Message passing through one thread or several: the thread of the write, or one that had seen it, and so on,
 * wrote a flag that the thread of `at` has read before it. Says what the last link of this chain lacks; if
 * that lacks nothing, the one before. */
static bool say_message(struct text *out, const struct search *s, int write, int at, int links) {
    for (int k = 0; k < s->nreads && links > 0; k++) {
        int seen = s->reads[k], flag = s->source[seen];
        int first = is_link(s, seen, at) ? find_first(s, write, flag, links) : -1;
        if (first < 0 || (first == flag && s->graph->events[seen].address == s->graph->events[at].address))
            continue;
        size_t before = out->len;
        if (why_say_passing(out, s, first, flag, seen, at)) {
            text_add(out, ".");
            return true;
        }
        out->len = before;
        if (out->s) out->s[before] = '\0';
        if (first != write && say_message(out, s, write, flag, links - 1)) return true;
    }
    return false;
}

/* The fence of widest scope behind an event of a thread, or before it; an sc fence is taken before all
 * others. -1: there is none. */
static int find_beside(const struct search *s, int event, bool behind) {
    const struct graph *g = s->graph;
    int best = -1, thread = g->events[event].thread;
    for (int e = g->first[thread]; e < g->first[thread + 1]; e++) {
        if (!say_is_fence(g, e) || !(behind ? po(s, event, e) : po(s, e, event))) continue;
        bool is_sc = event_of(s, e)->strength.order == ORDER_SC;
        bool best_sc = best >= 0 && event_of(s, best)->strength.order == ORDER_SC;
        bool wider = best < 0 || event_of(s, e)->strength.scope > event_of(s, best)->strength.scope;
        if (is_sc != best_sc ? is_sc : wider) best = e;
    }
    return best;
}

/* Says why a fence behind an event and one before another do not order them. */
static bool say_two_fences(struct text *out, const struct search *s, int x, int y) {
    int a = find_beside(s, x, true), b = find_beside(s, y, false), n = 0;
    if (a < 0 || b < 0) return false;
    bool sc = event_of(s, a)->strength.order == ORDER_SC && event_of(s, b)->strength.order == ORDER_SC;
    if (sc) {
        why_say_scopes(out, s, a, b, &n);
        if (n) text_add(out, ".");
        return n > 0;
    }
    text_printf(out, "%s's ", thread_of(s, a));
    say_own(out, s, a);
    text_printf(out, " and %s's ", thread_of(s, b));
    say_own(out, s, b);
    text_add(out, " are in no order with each other, as two sc fences are.");
    return true;
}

/* A thread that has seen the write, and the reading thread, have fences in between that do not order them. */
static bool say_fences(struct text *out, const struct search *s, int write, int read) {
    const struct graph *g = s->graph;
    if (say_two_fences(out, s, write, read)) return true;
    for (int k = 0; k < s->nreads; k++)
        if (s->source[s->reads[k]] == write && g->events[s->reads[k]].thread != g->events[read].thread &&
            say_two_fences(out, s, s->reads[k], read))
            return true;
    return false;
}

/* Whether the thread of `first` later has a read or a write that fr or co puts before a write. */
static bool is_ahead_of(const struct search *s, int first, int write) {
    const struct graph *g = s->graph;
    const uint64_t *co = eval_value(&s->eval, s->plan->orders[ORDER_CO].node);
    for (int e = first + 1; e < g->first[g->events[first].thread + 1]; e++) {
        if (!po(s, first, e) || g->events[e].address != g->events[write].address) continue;
        if (rel_has(s->eval.dim, co, say_is_read(g, e) ? s->source[e] : e, write)) return true;
    }
    return false;
}

/* Store buffering: each thread reads what the other wrote, after a write of its own. What is missing between write and
 * read of the reading thread. */
static bool say_buffering(struct text *out, const struct search *s, int write, int read) {
    const struct graph *g = s->graph;
    int own = -1, n = 0;
    for (int e = g->first[g->events[read].thread]; e < read; e++)
        if (say_is_write(g, e) && po(s, e, read) && g->events[e].address != g->events[read].address &&
            is_ahead_of(s, write, e))
            own = e;
    if (own < 0) return false;
    int fence = find_fence(s, own, read, ORDER_SC), any = find_fence(s, own, read, ORDER_RELEASE), other = -1;
    if (any < 0) any = find_fence(s, own, read, ORDER_ACQUIRE);
    for (int e = g->first[g->events[write].thread]; e < g->first[g->events[write].thread + 1]; e++)
        if (say_is_fence(g, e) && po(s, write, e) && has_order(s, e, ORDER_SC)) other = e;
    if (any >= 0 && (fence < 0 || event_of(s, fence)->strength.order != ORDER_SC)) {
        text_printf(out, "%s's ", thread_of(s, read));
        say_own(out, s, any);
        text_add(out, " does not keep a write before a later read; only an sc fence does.");
        return true;
    }
    if (any < 0) {
        text_printf(out, "%s has no fence between its write", thread_of(s, read));
        say_line(out, g, own);
        text_add(out, " and this read, so the read may be done before that write is visible.");
        return true;
    }
    if (other >= 0) why_say_scopes(out, s, fence, other, &n);
    if (n) text_add(out, ".");
    if (other < 0) {
        text_printf(out, "%s has no sc fence after its write", thread_of(s, write));
        say_line(out, g, write);
        text_add(out, " that this fence would be in order with.");
    }
    return n > 0 || other < 0;
}

/* The reading thread has seen the write before, by a read that is no observation of it. */
static bool say_seen(struct text *out, const struct search *s, int write, int read) {
    const struct graph *g = s->graph;
    int n = 0;
    for (int e = g->first[g->events[read].thread]; e < read && !n; e++) {
        if (!say_is_read(g, e) || !po(s, e, read) || s->source[e] != write) continue;
        if (is_weak(s, e)) {
            text_add(out, "weak reads are in no order, even those of one location.");
            return true;
        }
        why_say_scopes(out, s, write, e, &n);
    }
    if (n) text_add(out, ".");
    return n > 0;
}

/* What the reading thread lacks between an earlier read and this one. */
static bool say_reader(struct text *out, const struct search *s, int read) {
    const struct graph *g = s->graph;
    int before = -1;
    for (int e = g->first[g->events[read].thread]; e < read; e++)
        if (say_is_read(g, e) && po(s, e, read)) before = e;
    if (before < 0) return false;
    if (g->events[before].address == g->events[read].address || find_acquire(s, before, read) >= 0)
        return false;
    text_printf(out, "%s has no fence or acquire between its reads", thread_of(s, read));
    say_lines(out, s, before, read);
    text_add(out, ".");
    return true;
}

/* The two threads met at a barrier where the writing one arrived as relaxed, or which its exit ended. */
static bool say_opening(struct text *out, const struct search *s, int write, int read) {
    const struct graph *g = s->graph;
    int writer = g->events[write].thread, reader = g->events[read].thread;
    for (int wait = g->first[reader]; wait < read; wait++) {
        if (g->events[wait].event->kind != EVENT_WAIT || !po(s, wait, read)) continue;
        for (int e = write; e < g->first[writer + 1]; e++) {
            if (g->events[e].event->kind != EVENT_ARRIVE || !po(s, write, e) || g->events[e].barrier < 0 ||
                g->events[e].barrier != g->events[wait].barrier || graph_relates(g, GIVEN_BAR, e, wait))
                continue;
            text_printf(out, "%s's ", thread_of(s, write));
            say_own(out, s, e);
            text_add(out, " ends the wait, but orders nothing by itself.");
            return true;
        }
        if (!graph_is_opened_by_exit(g, &g->events[wait], writer)) continue;
        text_printf(out, "the exit of %s ends the ", thread_of(s, write));
        say_own(out, s, wait);
        text_add(out, ", but orders nothing.");
        return true;
    }
    return false;
}

void why_unseen(struct text *out, const struct search *s, int write, int read) {
    if (event_of(s, write)->agent || event_of(s, read)->agent) {
        text_add(out, "the copy is in no order with it.");
        return;
    }
    if (say_message(out, s, write, read, MOST_LINKS) || say_seen(out, s, write, read) ||
        say_opening(out, s, write, read) || say_buffering(out, s, write, read) || say_reader(out, s, read) ||
        say_fences(out, s, write, read) || why_say_way(out, s, write, read))
        return;
    text_add(out, "nothing makes it visible to ");
    text_add(out, thread_of(s, read));
    text_add(out, " before this read.");
}

void why_overtaken(struct text *out, const struct search *s, int first, int last) {
    if (event_of(s, first)->agent || event_of(s, last)->agent) {
        text_add(out, "the copy is in no order with it.");
        return;
    }
    if (say_message(out, s, first, last, MOST_LINKS) || say_two_fences(out, s, first, last) ||
        why_say_way(out, s, first, last))
        return;
    text_add(out, "nothing orders the two the way in which they are told here.");
}

void why_unordered(struct text *out, const struct search *s, int x, int y) {
    int n = 0;
    why_say_scopes(out, s, x, y, &n);
    text_add(out, n ? "." : "nothing orders them.");
}
