/* What forbids an outcome, step by step. */
#include <stdio.h>
#include <string.h>

#include "explain/why_tell.h"

static bool is(const struct reason_step *step, const char *rel) {
    return strcmp(step->rel, rel) == 0;
}

/* "which T0 wrote (line 4)", "the initial value". */
static void say_source(struct text *out, const struct search *s, int write) {
    const struct graph *g = s->graph;
    if (g->events[write].thread < 0) {
        text_add(out, "the initial value");
        return;
    }
    text_add(out, "which ");
    say_agent(out, g, write);
    text_add(out, " wrote");
    say_line(out, g, write);
}

static void say_read_from(struct text *out, const struct search *s, int write, int read) {
    say_event(out, s, read);
    text_add(out, " returns ");
    say_value(out, s, read);
    text_add(out, ", ");
    say_source(out, s, write);
}

/* Tells how `read` observes `write`: it reads from it, or from the last of a chain of atomic operations that
 * begins with it. */
static void say_observed(struct text *out, const struct search *s, int write, int read) {
    say_read_from(out, s, s->source[read], read);
    if (s->source[read] != write) {
        text_add(out, ", through atomic operations that lead back to what ");
        say_agent(out, s->graph, write);
        text_add(out, " wrote");
        say_line(out, s->graph, write);
    }
}

static bool orders(const struct graph *g, int e, enum order order) {
    enum order own = g->events[e].event->strength.order;
    return own == order || own == ORDER_ACQ_REL || own == ORDER_SC;
}

static bool is_strong(const struct graph *g, int e) {
    return g->events[e].event && g->events[e].event->strength.order != ORDER_WEAK;
}

/* Finds the write and the read through which a release meets an acquire. */
static bool find_meeting(const struct search *s, int head, int tail, int *write, int *read) {
    const struct graph *g = s->graph;
    int observation = reason_node(s->plan, "observation");
    for (int w = 0; w < g->dim.n; w++) {
        if (!say_is_write(g, w) || !is_strong(g, w) || (w != head && !graph_relates(g, GIVEN_PO, head, w)))
            continue;
        if (!say_is_fence(g, head) && g->events[w].address != g->events[head].address) continue;
        for (int r = 0; r < g->dim.n; r++) {
            if (!say_is_read(g, r) || !is_strong(g, r) || (r != tail && !graph_relates(g, GIVEN_PO, r, tail)))
                continue;
            if (!say_is_fence(g, tail) && g->events[r].address != g->events[tail].address) continue;
            if (observation >= 0 ? !eval_relates(&s->eval, observation, w, r) : s->source[r] != w) continue;
            *write = w, *read = r;
            return true;
        }
    }
    return false;
}

static void say_synchronizes(struct text *out, const struct search *s, int head, int tail) {
    const struct graph *g = s->graph;
    int write, read;
    if (!find_meeting(s, head, tail, &write, &read)) {
        say_event(out, s, head);
        text_add(out, " synchronizes with ");
        say_event(out, s, tail);
        text_add(out, ".");
        return;
    }
    say_event(out, s, head);
    text_add(out, " releases what came before it");
    if (write != head) {
        text_add(out, ", with its ");
        say_own(out, s, write);
    }
    text_add(out, ". ");
    say_observed(out, s, write, read);
    if (read == tail) {
        text_add(out, ", and acquires it");
    } else {
        text_add(out, ", and its ");
        say_own(out, s, tail);
        text_add(out, " acquires it");
    }
    if (strcmp(say_scope(g, head), say_scope(g, tail)) == 0)
        text_printf(out, ". Both have %s scope", say_scope(g, head));
    else
        text_printf(out, ". The one has %s scope and the other %s scope", say_scope(g, head),
                    say_scope(g, tail));
    text_add(out, ", which includes both threads, so the first synchronizes with the second.");
}

/* "A VERB B." */
static void say_pair(struct text *out, const struct search *s, int x, const char *verb, int y) {
    say_event(out, s, x);
    text_printf(out, " %s ", verb);
    say_event(out, s, y);
    text_add(out, ".");
}

static void say_own_pair(struct text *out, const struct search *s, int x, const char *verb, int y) {
    const struct graph *g = s->graph;
    if (g->events[x].thread < 0 || g->events[x].thread != g->events[y].thread) {
        say_pair(out, s, x, verb, y);
        return;
    }
    say_event(out, s, x);
    text_printf(out, " %s its ", verb);
    say_own(out, s, y);
    text_add(out, ".");
}

static void say_fr(struct text *out, const struct search *s, int read, int write) {
    say_read_from(out, s, s->source[read], read);
    text_add(out, "; so it comes before ");
    say_event(out, s, write);
    text_add(out, ", which replaces that value.");
}

static void say_co(struct text *out, const struct search *s, int x, int y) {
    say_event(out, s, x);
    text_add(out, " comes before ");
    say_event(out, s, y);
    text_add(out,
             s->graph->events[x].thread < 0 ? ", as before every write." : " in the order of the writes of ");
    if (s->graph->events[x].thread < 0) return;
    address_print(out, s->graph, s->graph->events[y].address);
    text_add(out, ".");
}

/* Relations of which one sentence says everything. */
static const struct {
    const char *rel, *verb;
} verbs[] = {
    {"rmw", "belongs to one atomic operation with"},
    {"part", "belongs to one access with"},
    {"addr", "gives the address of"},
    {"data", "gives the value of"},
    {"ctrl", "decides whether there is"},
    {"bar", "is needed to end"},
    {"exit", "is of a thread whose exit ends"},
    {"exit-ctrl", "decides the exit that ends"},
    {"issue", "comes before what it starts:"},
    {"completion", "is completed by"},
    {"launch", "is of a kernel whose end comes before"},
    {"start", "comes before the start of the kernel with"},
    {"tracks", "is waited for by"},
};

/* Whether the model asks which accesses acquire or release. */
static bool says_orders(const struct search *s) {
    const struct model_plan *p = s->plan;
    for (int k = 0; k < p->nnodes; k++)
        if (p->nodes[k].op == NODE_GIVEN &&
            (p->nodes[k].index == GIVEN_RELEASE || p->nodes[k].index == GIVEN_ACQUIRE))
            return true;
    return false;
}

/* The acquire or release that keeps two accesses of a thread in order. */
static void say_kept(struct text *out, const struct search *s, int x, int y) {
    const struct graph *g = s->graph;
    if (g->events[x].address < 0 || g->events[y].address < 0 || g->events[x].address == g->events[y].address)
        return;
    bool acquires = say_is_read(g, x) && orders(g, x, ORDER_ACQUIRE);
    bool releases = say_is_write(g, y) && orders(g, y, ORDER_RELEASE);
    if (acquires)
        text_add(out, " The first is an acquire: its thread does nothing later before it.");
    else if (releases)
        text_add(out, " The second is a release: its thread does nothing earlier behind it.");
}

/* Tells a step of po, and what may keep it in order: a fence between two accesses, or an acquire or a
 * release. */
static void say_program_order(struct text *out, const struct search *s, int x, int y) {
    const struct graph *g = s->graph;
    say_own_pair(out, s, x, "comes in program order before", y);
    for (int e = x + 1; e < y && g->events[x].address >= 0 && g->events[y].address >= 0; e++) {
        if (!say_is_fence(g, e) || !graph_relates(g, GIVEN_PO, x, e) || !graph_relates(g, GIVEN_PO, e, y))
            continue;
        text_add(out, " Its ");
        say_own(out, s, e);
        text_add(out, " stands between them.");
        return;
    }
    if (says_orders(s)) say_kept(out, s, x, y);
}

static void say_step(struct text *out, const struct search *s, const struct reason_step *step);

/* Tells a step of r^-1 as one of r the other way round. False: it is not of an inverse. */
static bool say_inverse(struct text *out, const struct search *s, const struct reason_step *step) {
    size_t length = strlen(step->rel);
    if (length <= 3 || strcmp(step->rel + length - 3, "^-1") != 0) return false;
    char rel[64];
    snprintf(rel, sizeof rel, "%.*s", (int)length - 3, step->rel);
    say_step(out, s, &(struct reason_step){step->to, step->from, rel});
    return true;
}

static bool say_verb(struct text *out, const struct search *s, const struct reason_step *step) {
    for (size_t k = 0; k < sizeof verbs / sizeof *verbs; k++)
        if (is(step, verbs[k].rel)) {
            say_own_pair(out, s, step->from, verbs[k].verb, step->to);
            return true;
        }
    return false;
}

/* An arrival at an mbarrier, and a wait: the model orders them where they, or fences beside them, release and acquire. */
static void say_phase(struct text *out, const struct search *s, int x, int y) {
    const struct graph *g = s->graph;
    say_pair(out, s, x, "is in the phase whose end is seen by", y);
    if (!orders(g, x, ORDER_RELEASE) || !orders(g, y, ORDER_ACQUIRE)) return;
    text_add(out, " The one releases, the other acquires");
    if (graph_relates(g, GIVEN_SCOPED, x, y) && graph_relates(g, GIVEN_SCOPED, y, x))
        text_add(out, ", and the scope of each includes the other's thread");
    text_add(out, ".");
}

static void say_sc(struct text *out, const struct search *s, int x, int y) {
    text_add(out, "All sc fences that include each other in their scopes have one order. In it, ");
    say_pair(out, s, x, "comes before", y);
}

/* What a fence before a relaxed arrival releases. */
static void say_passed_on(struct text *out, const struct search *s, int fence, int wait) {
    const struct graph *g = s->graph;
    say_event(out, s, fence);
    text_add(out, " releases what came before it");
    for (int e = fence + 1; e < g->first[g->events[fence].thread + 1]; e++) {
        if (g->events[e].barrier != g->events[wait].barrier) continue;
        text_add(out, ", with its ");
        say_own(out, s, e);
        text_add(out, ", which is needed to end ");
        say_event(out, s, wait);
        break;
    }
    text_add(out, ".");
}

/* Whether x is the initial value of what y writes. */
static bool is_first_write(const struct graph *g, int x, int y) {
    return g->events[x].thread < 0 && say_is_write(g, y) && g->events[x].address == g->events[y].address;
}

static void say_step(struct text *out, const struct search *s, const struct reason_step *step) {
    int x = step->from, y = step->to;
    if (is(step, "bar") && say_is_fence(s->graph, x)) {
        say_passed_on(out, s, x, y);
        return;
    }
    if (say_inverse(out, s, step) || say_verb(out, s, step)) return;
    if (is(step, "po")) {
        say_program_order(out, s, x, y);
    } else if (is(step, "rf") || is(step, "observation")) {
        say_observed(out, s, x, y);
        text_add(out, ".");
    } else if (is(step, "fr")) {
        say_fr(out, s, x, y);
    } else if (is(step, s->plan->orders[ORDER_CO].name) || is_first_write(s->graph, x, y)) {
        say_co(out, s, x, y);
    } else if (is(step, "synchronizes")) {
        say_synchronizes(out, s, x, y);
    } else if (is(step, "phase")) {
        say_phase(out, s, x, y);
    } else if (is(step, "sc") && say_is_fence(s->graph, x)) {
        say_sc(out, s, x, y);
    } else {
        char verb[100];
        snprintf(verb, sizeof verb, "is related by '%.60s' to", step->rel);
        say_pair(out, s, x, verb, y);
    }
}

/* Where to begin to tell a cycle: so that its last step is a read that sees an old value; else one from a write. */
static int find_begin(const struct reason *r) {
    static const char *const last[] = {"fr", "co", "rf"};
    if (r->kind != REASON_CYCLE) return 0;
    for (size_t w = 0; w < sizeof last / sizeof *last; w++)
        for (int k = r->nsteps - 1; k >= 0; k--)
            if (is(&r->steps[k], last[w])) return (k + 1) % r->nsteps;
    return 0;
}

/* Joins steps of po that follow each other. Returns how many steps there are then. */
static int join_program_order(struct reason_step *steps, int n) {
    int kept = 0;
    for (int k = 0; k < n; k++) {
        if (kept && is(&steps[kept - 1], "po") && is(&steps[k], "po") && steps[kept - 1].to == steps[k].from)
            steps[kept - 1].to = steps[k].to;
        else
            steps[kept++] = steps[k];
    }
    return kept;
}

/* Where the read of an atomic operation releases, lets its write do so: an acquire observes the write, and
 * program order leads to it as well. */
static void release_by_writes(const struct graph *g, struct reason_step *steps, int n) {
    for (int k = 0; k < n; k++) {
        int from = steps[k].from, half = g->events[from].event ? g->events[from].event->rmw : -1;
        if (!is(&steps[k], "synchronizes") || !say_is_read(g, from) || half < 0) continue;
        steps[k].from = g->first[g->events[from].thread] + half;
        struct reason_step *before = &steps[(k + n - 1) % n];
        if (is(before, "po") && before->to == from) before->to = steps[k].from;
    }
}

/* Whether the order of two writes was guessed: they are of different threads, whose scopes include each
 * other. */
static bool is_chosen(const struct search *s, int x, int y) {
    const struct graph *g = s->graph;
    return g->events[x].thread >= 0 && g->events[x].thread != g->events[y].thread && why_are_mutual(g, x, y);
}

/* Begins the sentence that the other order of two sc fences or writes is forbidden as well, if a step has
 * their order by a guess. False: it has not. */
static bool tell_choice(struct telling *w, const struct search *s, const struct reason_step *step) {
    int from = is(step, "fr") ? s->source[step->from] : step->from;
    for (int order = 1; order < s->plan->norders; order++)
        if (is(step, s->plan->orders[order].name)) {
            text_add(&w->text, "If these two fences");
            return true;
        }
    if (!(is(step, "co") || is(step, "fr")) || !is_chosen(s, from, step->to)) return false;
    text_add(&w->text, "If ");
    say_event(&w->text, s, from);
    text_add(&w->text, " and ");
    say_event(&w->text, s, step->to);
    return true;
}

static void tell_choices(struct telling *w, const struct search *s, const struct reason_step *steps, int n) {
    for (int k = 0; k < n; k++) {
        if (!tell_choice(w, s, &steps[k])) continue;
        text_add(&w->text, " were in the other order, the outcome would be forbidden as well.");
        why_end_line(w);
        return;
    }
}

static bool is_named_before(const struct candidate *c, int reason) {
    for (int k = 0; k < reason; k++)
        if (strcmp(c->reasons[k].name, c->reasons[reason].name) == 0) return true;
    return false;
}

/* The other axioms that are broken, each once. */
static void tell_others(struct telling *w, const struct candidate *c) {
    int n = 0, told = 0;
    for (int k = 1; k < c->nreasons; k++)
        n += !is_named_before(c, k);
    for (int k = 1; k < c->nreasons; k++) {
        if (is_named_before(c, k)) continue;
        told++;
        text_printf(&w->text, "%s%s",
                    told == 1  ? " It would also break "
                    : told < n ? ", "
                               : " and ",
                    c->reasons[k].name);
    }
    if (n > 0) text_add(&w->text, ".");
}

/* Whether three steps go through a barrier: to an arrival, from there to another thread's wait, and on. */
static bool goes_through(const struct search *s, const struct reason_step *step) {
    const struct node_event *arrival = &s->graph->events[step[1].from], *wait = &s->graph->events[step[1].to];
    return is(&step[0], "po") && is(&step[1], "bar") && is(&step[2], "po") && step[0].to == step[1].from &&
           step[1].to == step[2].from && arrival->event && arrival->event->kind == EVENT_ARRIVE &&
           wait->event && wait->event->kind == EVENT_WAIT && !arrival->event->stmt->op->arrive_only;
}

static void say_through(struct text *out, const struct search *s, const struct reason_step *step) {
    const struct graph *g = s->graph;
    int arrival = step[1].from, wait = step[1].to;
    say_event(out, s, step[0].from);
    text_add(out, " comes in program order before ");
    say_barrier(out, g->events[arrival].event->stmt->op);
    say_line(out, g, arrival);
    text_printf(out, ". %s passes it", g->test->threads[g->events[wait].thread].name);
    say_line(out, g, wait);
    text_printf(out, " only when %s has come there, and its ",
                g->test->threads[g->events[arrival].thread].name);
    say_own(out, s, step[2].to);
    text_add(out, " comes later in program order.");
}

static void tell_steps(struct telling *w, const struct search *s, const struct reason_step *steps, int n) {
    for (int k = 0; k < n; k++) {
        int from = steps[k].from;
        bool onward = is(&steps[k], "rf") || is(&steps[k], "synchronizes");
        if (k + 2 < n && goes_through(s, &steps[k])) {
            say_through(&w->text, s, &steps[k]);
            k += 2;
        } else {
            say_step(&w->text, s, &steps[k]);
        }
        why_end_step(w, s, onward ? steps[k].to : from);
    }
}

static void tell_end(struct telling *w, const struct candidate *c, const struct reason *r,
                     const struct reason_step *steps) {
    const struct test *t = c->search->graph->test;
    switch (r->kind) {
    case REASON_CYCLE:
        text_add(&w->text, "The steps lead in a circle: ");
        if (r->nsteps) say_event(&w->text, c->search, steps[0].from);
        text_printf(&w->text, " would come before itself. The axiom %s forbids that.", r->name);
        break;
    case REASON_PAIR: text_printf(&w->text, "That is what the axiom %s forbids.", r->name); break;
    case REASON_FINAL:
        text_printf(&w->text, "So %s cannot end with ", t->obs[r->obs].name);
        value_print(&w->text, t->obs[r->obs].type, c->values[r->obs]);
        text_printf(&w->text, ": the axiom %s forbids it.", r->name);
        break;
    case REASON_ABSENT:
        text_printf(&w->text, "The axiom %s wants something that such an execution does not have.", r->name);
        break;
    }
    tell_others(w, c);
    why_end_line(w);
}

/* Whether a reason leads from the read of an atomic operation to its write, so that something comes between
 * the two. */
static bool is_across_atomic(const struct search *s, const struct reason *r) {
    return r->kind == REASON_PAIR && r->nsteps &&
           graph_relates(s->graph, GIVEN_RMW, r->steps[0].from, r->steps[r->nsteps - 1].to);
}

void why_chain(struct telling *w, const struct candidate *c) {
    const struct search *s = c->search;
    const struct reason *r = &c->reasons[0];
    int begin = find_begin(r);
    struct reason_step *steps = arena_array(w->arena, (size_t)r->nsteps, sizeof *steps);
    for (int k = 0; k < r->nsteps; k++)
        steps[k] = r->steps[(begin + k) % r->nsteps];
    int n = join_program_order(steps, r->nsteps);
    release_by_writes(s->graph, steps, n);
    text_printf(&w->text,
                c->breaking ? "Suppose that an execution ended and %s were false."
                            : "Suppose that an execution ended with %s.",
                s->graph->test->cond.text);
    why_end_line(w);
    tell_steps(w, s, steps, n);
    if (is_across_atomic(s, r)) {
        text_add(&w->text, "So something comes between the read and the write of one atomic operation");
        say_line(&w->text, s->graph, r->steps[0].from);
        text_add(&w->text, ".");
        why_end_line(w);
    }
    tell_end(w, c, r, steps);
    tell_choices(w, s, steps, n);
}
