/* Which of the picky reads of a location is decided first (`chains`).
 *
 * Atomic operations of a location that read from each other are chains. They are built from their roots: a
 * write of known value is taken, and it is decided which operation reads from it (choose_reader). So values,
 * and guards over them, are known early. Where there is no such write, the read with the fewest sources is
 * decided.
 *
 * Nothing is lost: each picky read is decided at some time, and the order does not matter. choose_reader
 * tries each operation as the reader of a write w, and last that none of them reads from w. From an operation
 * that was tried, w is taken as a source, so no candidate comes twice. Operations that can read only from
 * each other have values that depend on themselves; such candidates are dropped anyway, and are not searched
 * (`dead`). */
#include "search/search_open.h"

#include <limits.h>

/* The choice from k on whose read has the fewest sources, of the picky reads of this location that have none
 * decided. */
static int find_pickiest(const struct search *s, int k) {
    uint64_t open[EVAL_MAX_EVENTS / 64];
    int best = k, fewest = INT_MAX, address = s->graph->events[s->choices[k].read].address;
    for (int i = k; i < s->nchoices && fewest > 1; i++) {
        int read = s->choices[i].read;
        if (read < 0 || s->graph->events[read].address != address || !search_is_picky(s, read)) break;
        if (search_is_made(s, &s->choices[i])) continue;
        int n = search_find_sources(s, read, open);
        if (n < fewest) {
            fewest = n;
            best = i;
        }
    }
    return best;
}

static void swap_choices(struct search *s, int i, int k) {
    struct choice c = s->choices[i];
    s->choices[i] = s->choices[k];
    s->choices[k] = c;
}

/* Whether choice i is a picky read of the address that choice k reads. It may have its source already, if
 * that was forced. */
static bool is_link(const struct search *s, int i, int k) {
    if (i >= s->nchoices || s->choices[i].read < 0 || !search_is_picky(s, s->choices[i].read)) return false;
    const struct node_event *events = s->graph->events;
    return events[s->choices[i].read].address == events[s->choices[k].read].address;
}

/* Whether choice i is the read of an atomic operation and has no source yet. */
static bool is_open_link(const struct search *s, int i) {
    return s->graph->events[s->choices[i].read].event->rmw >= 0 && !search_is_made(s, &s->choices[i]);
}

/* Whether a write has no known value because it is computed from the read of its atomic operation, which has
 * no source yet. */
static bool is_grown(const struct search *s, int write) {
    const struct node_event *e = &s->graph->events[write];
    if (s->known[write] || !e->event || e->event->rmw < 0) return false;
    int read = s->graph->first[e->thread] + e->event->rmw;
    return s->source[read] < 0 && set_has(e->event->value->reads.bits, s->graph->events[read].event->read);
}

/* Whether a write ends a chain: it is the initial write, or that of an atomic operation whose read has its
 * source. */
static bool is_joined(const struct search *s, int write) {
    const struct node_event *e = &s->graph->events[write];
    return !e->event || (e->event->rmw >= 0 && s->source[s->graph->first[e->thread] + e->event->rmw] >= 0);
}

/* Fills in the sets of the writes that are grown, and of those that end a chain and have a known value. */
static void find_tips(const struct search *s, uint64_t *grown, uint64_t *ends) {
    size_t words = (size_t)s->eval.dim.words;
    memset(grown, 0, words * sizeof *grown);
    memset(ends, 0, words * sizeof *ends);
    for (int w = 0; w < s->eval.dim.n; w++) {
        const struct event *e = s->graph->events[w].event;
        if (e && e->kind != EVENT_WRITE) continue;
        if (is_grown(s, w)) set_add(grown, w);
        if (s->known[w] && is_joined(s, w)) set_add(ends, w);
    }
}

/* Finds a write that ends a chain, has a known value, and may be read by an open link (is_open_link). -1 when
 * there is none, or when no open link may read from a grown write: then it saves nothing to begin at the
 * root. `*dead`: the open links can read from nothing but grown writes, and so only from each other. */
static int find_root(const struct search *s, int k, bool *dead) {
    uint64_t open[EVAL_MAX_EVENTS / 64], grown[EVAL_MAX_EVENTS / 64], ends[EVAL_MAX_EVENTS / 64];
    int root = -1, links = 0, ngrown = 0, sources = 0, words = s->eval.dim.words;
    find_tips(s, grown, ends);
    for (int i = k; is_link(s, i, k); i++) {
        if (!is_open_link(s, i)) continue;
        links++;
        sources += search_find_sources(s, s->choices[i].read, open);
        for (int w = 0; w < words; w++) {
            ngrown += __builtin_popcountll(open[w] & grown[w]);
            if (root < 0 && open[w] & ends[w]) root = 64 * w + __builtin_ctzll(open[w] & ends[w]);
        }
    }
    *dead = links > 0 && ngrown == sources;
    return ngrown ? root : -1;
}

/* Decides who reads from write w: each open link from choice k on in turn, and last none of them. */
static void choose_reader(struct search *s, int k, int w) {
    uint64_t tried[EVAL_MAX_EVENTS / 64] = {0};
    double share = s->share;
    int words = s->eval.dim.words, ways = 1;
    for (int i = k; is_link(s, i, k); i++)
        ways += is_open_link(s, i) && set_has(s->sources[s->choices[i].read], w);
    s->share = share / ways;
    for (int i = k; is_link(s, i, k) && !s->stopped && !s->budget->spent; i++) {
        int read = s->choices[i].read;
        if (!is_open_link(s, i) || !set_has(s->sources[read], w)) continue;
        swap_choices(s, i, k);
        if (eval_refuses(&s->eval, (struct decision){DECIDE_RF, 0, w, read}))
            s->progress += s->share;
        else
            search_try_source(s, k + 1, w, read);
        swap_choices(s, i, k);
        set_remove(s->sources[read], w);
        set_add(tried, read);
    }
    if (!s->stopped && !s->budget->spent) search_choose(s, k);
    for (int read = set_first(tried, words); read >= 0; read = set_next(tried, words, read))
        set_add(s->sources[read], w);
    s->share = share;
}

void search_choose_picky(struct search *s, int k) {
    bool dead;
    int root = find_root(s, k, &dead);
    if (dead) {
        s->progress += s->share;
    } else if (root >= 0) {
        choose_reader(s, k, root);
    } else {
        int best = find_pickiest(s, k);
        swap_choices(s, best, k);
        search_choose_source(s, k, s->choices[k].read);
        swap_choices(s, best, k);
    }
}
