/* A way leads from a write to a later event of another thread, but orders nothing: what is missing on it. It
 * goes along program order in a thread, and from one thread to the next by rf, at a barrier, by co, or by fr.
 * The last two order nothing but sc fences that stand around them. */
#include "explain/why_tell.h"
#include "search/outcome.h"

enum { NOWHERE = -1, START = -2 };

/* READS: rf; MEETS: at a barrier; REPLACES: co or fr. */
enum way_step { STEP_READS, STEP_MEETS, STEP_REPLACES, STEP_NONE };

/* How the search came to an event: by a step from event `exit` of a thread that it had entered at event
 * `entry`. */
struct arrival {
    int entry, exit; /* NOWHERE, or START */
    enum way_step by;
};

struct way {
    const struct search *search;
    const uint64_t *co;
    struct arrival *arrivals; /* of each event */
    int *queue, n;
};

static bool po(const struct search *s, int x, int y) {
    return graph_relates(s->graph, GIVEN_PO, x, y);
}

static bool is_access(const struct search *s, int e) {
    const struct event *event = s->graph->events[e].event;
    return event && !event->agent && (say_is_read(s->graph, e) || say_is_write(s->graph, e));
}

static bool reads_from(const struct search *s, int x, int y) {
    return say_is_read(s->graph, y) && s->source[y] == x;
}

/* Whether a write y comes after a write x, or after what a read x sees. */
static bool is_replaced(const struct way *w, int x, int y) {
    const struct search *s = w->search;
    int from = say_is_read(s->graph, x) ? s->source[x] : x;
    return say_is_write(s->graph, y) && rel_has(s->eval.dim, w->co, from, y);
}

/* The step from `exit` to an event of another thread. Before one by co or fr there must be room for a fence. */
static enum way_step find_step(const struct way *w, int entry, int exit, int to) {
    const struct search *s = w->search;
    if (graph_relates(s->graph, GIVEN_BAR, exit, to)) return STEP_MEETS;
    if (!is_access(s, exit) || !is_access(s, to)) return STEP_NONE;
    if (reads_from(s, exit, to)) return STEP_READS;
    return entry != exit && is_replaced(w, exit, to) ? STEP_REPLACES : STEP_NONE;
}

/* Follows the steps from `exit`, in the thread that was entered at `entry`, to other threads. */
static void leave(struct way *w, int entry, int exit) {
    const struct search *s = w->search;
    for (int e = s->graph->naddresses; e < s->eval.dim.n; e++) {
        bool apart = s->graph->events[e].thread != s->graph->events[exit].thread;
        if (!apart || w->arrivals[e].exit != NOWHERE) continue;
        enum way_step by = find_step(w, entry, exit, e);
        if (by == STEP_NONE) continue;
        w->arrivals[e] = (struct arrival){entry, exit, by};
        w->queue[w->n++] = e;
    }
}

/* The event before `last` in its thread at which a shortest way ends, or NOWHERE. */
static int find_way(struct way *w, int first, int last) {
    const struct search *s = w->search;
    w->arrivals[first] = (struct arrival){START, START, STEP_NONE};
    w->queue[w->n++] = first;
    for (int k = 0; k < w->n; k++) {
        int entry = w->queue[k];
        if (entry != first && po(s, entry, last)) return entry;
        for (int exit = entry; exit < s->eval.dim.n; exit++)
            if (exit == entry || po(s, entry, exit)) leave(w, entry, exit);
    }
    return NOWHERE;
}

static int find_sc_fence(const struct search *s, int x, int y) {
    for (int e = x + 1; e < y; e++)
        if (say_is_fence(s->graph, e) && po(s, x, e) && po(s, e, y) &&
            s->graph->events[e].event->strength.order == ORDER_SC)
            return e;
    return NOWHERE;
}

static void say_no_fence(struct text *out, const struct search *s, int x, int y, int *n) {
    if ((*n)++) text_add(out, ", and ");
    text_printf(out, "%s has none between ", s->graph->test->threads[s->graph->events[x].thread].name);
    why_say_two(out, s, x, y);
}

/* A step that leads to event `to`. `seen` is that event, or one that reads from it; `next` comes after `seen`
 * in its thread. */
struct step {
    int to, seen, next;
    int before, behind; /* the sc fences around it, or NOWHERE */
};

/* Whether a step by co or fr lacks sc fences around it, or their scopes are too narrow. Finds these fences. */
static bool lacks_fences(const struct way *w, struct step *step) {
    const struct search *s = w->search;
    const struct arrival *a = &w->arrivals[step->to];
    if (a->by != STEP_REPLACES) return false;
    step->before = find_sc_fence(s, a->entry, a->exit);
    step->behind = find_sc_fence(s, step->seen, step->next);
    return step->before < 0 || step->behind < 0 || !why_are_mutual(s->graph, step->before, step->behind);
}

/* Says what a step by rf lacks to order what stands before it: if nothing does, only strength and scope of
 * its two accesses. Returns whether it lacks anything. */
static bool say_reads(struct text *out, const struct way *w, const struct step *step) {
    const struct arrival *a = &w->arrivals[step->to];
    int n = 0;
    if (a->by != STEP_READS) return false;
    if (a->entry == a->exit)
        why_say_scopes(out, w->search, a->exit, step->to, &n);
    else
        n = why_say_passing(out, w->search, a->entry, a->exit, step->to, step->next);
    if (n) text_add(out, ".");
    return n > 0;
}

static void say_step(struct text *out, const struct way *w, const struct step *step) {
    const struct search *s = w->search;
    const struct arrival *a = &w->arrivals[step->to];
    int n = 0;
    say_event(out, s, a->exit);
    text_add(out, " comes before ");
    say_event(out, s, step->to);
    if (step->seen != step->to) {
        text_printf(out, ", which %s reads",
                    s->graph->test->threads[s->graph->events[step->seen].thread].name);
        say_line(out, s->graph, step->seen);
    }
    text_add(out, ". What stands around the two follows that order only where each thread has an sc fence: ");
    if (step->before < 0) say_no_fence(out, s, a->entry, a->exit, &n);
    if (step->behind < 0) say_no_fence(out, s, step->seen, step->next, &n);
    if (n == 0) why_say_scopes(out, s, step->before, step->behind, &n);
    text_add(out, ".");
}

/* Says what is missing on the way that ends at `end`: sc fences around the first step that lacks them, or what the first step
 * of reads-from lacks. */
static bool say_way(struct text *out, const struct way *w, int end, int last) {
    struct step step = {end, end, last, NOWHERE, NOWHERE}, found = {.to = NOWHERE};
    struct text reads = {0};
    while (w->arrivals[step.to].exit != START) {
        const struct arrival *a = &w->arrivals[step.to];
        struct text here = {0};
        if (lacks_fences(w, &step)) found = step;
        if (say_reads(&here, w, &step)) {
            text_free(&reads);
            reads = here;
        }
        bool through =
            a->by == STEP_READS && a->exit == a->entry; /* what is read is all that its thread does here */
        step.to = a->entry;
        if (!through) step.seen = a->entry, step.next = a->exit;
    }
    bool lacks = found.to != NOWHERE || reads.len > 0;
    if (found.to != NOWHERE)
        say_step(out, w, &found);
    else if (lacks)
        text_add(out, reads.s);
    text_free(&reads);
    return lacks;
}

bool why_say_way(struct text *out, const struct search *s, int first, int last) {
    size_t n = (size_t)s->eval.dim.n;
    struct arena *a = arena_open();
    struct way w = {.search = s,
                    .co = eval_value(&s->eval, s->plan->orders[ORDER_CO].node),
                    .arrivals = arena_array(a, n, sizeof *w.arrivals),
                    .queue = arena_array(a, n, sizeof *w.queue)};
    for (size_t e = 0; e < n; e++)
        w.arrivals[e] = (struct arrival){NOWHERE, NOWHERE, STEP_NONE};
    int end = find_way(&w, first, last);
    bool said = end != NOWHERE && say_way(out, &w, end, last);
    arena_close(a);
    return said;
}
