#include "explain/say.h"

void say_value(struct text *out, const struct search *s, int e) {
    value_print(out, address_type(s->graph, s->graph->events[e].address), s->value[e]);
}

static enum event_kind kind_of(const struct graph *g, int e) {
    return g->events[e].event ? g->events[e].event->kind : EVENT_INIT;
}

bool say_is_write(const struct graph *g, int e) {
    return kind_of(g, e) == EVENT_WRITE;
}

bool say_is_read(const struct graph *g, int e) {
    return kind_of(g, e) == EVENT_READ;
}

bool say_is_fence(const struct graph *g, int e) {
    return kind_of(g, e) == EVENT_FENCE;
}

int say_line_of(const struct graph *g, int e) {
    const struct event *event = g->events[e].event;
    return event && event->stmt ? event->stmt->pos.line : 0;
}

bool say_is_in_file(const struct graph *g, int e) {
    return !g->test->threads[g->events[e].thread].body->text;
}

void say_place(struct text *out, const struct graph *g, int e) {
    struct arena *a = arena_open();
    text_add(out, body_place(a, g->test->threads[g->events[e].thread].body, g->events[e].event->stmt->pos));
    arena_close(a);
}

void say_line(struct text *out, const struct graph *g, int e) {
    if (!say_line_of(g, e)) return;
    text_add(out, " (");
    say_place(out, g, e);
    text_add(out, ")");
}

const char *say_scope(const struct graph *g, int e) {
    return scope_name(g->events[e].event->strength.scope);
}

void say_agent(struct text *out, const struct graph *g, int e) {
    const struct node_event *event = &g->events[e];
    if (event->thread < 0) {
        text_add(out, "the initial value");
        return;
    }
    text_printf(out, event->event->agent ? "a copy that %s started" : "%s",
                g->test->threads[event->thread].name);
}

void say_strength(struct text *out, const struct event *e) {
    const char *axis = op_rows[e->stmt->op->name].axis;
    text_add(out, axis ? axis : order_name(e->strength.order));
    if (e->strength.scope != SCOPE_NONE) text_printf(out, ".%s", scope_ptx(e->strength.scope));
}

/* "fence(p) (line 9: fence.sc.gpu)": the slot's name, and the fence that the axis puts there. */
static void say_fence(struct text *out, const struct graph *g, int e) {
    const struct event *event = g->events[e].event;
    const struct op *op = event->stmt->op;
    const char *slot = op->slot >= 0 ? g->test->slots[op->slot].name : NULL;
    if (op->slot >= 0)
        text_printf(out, "fence(%s) (", slot ? slot : "");
    else
        text_add(out, "fence (");
    say_place(out, g, e);
    text_add(out, ": fence.");
    say_strength(out, event);
    text_add(out, ")");
}

void say_barrier(struct text *out, const struct op *op) {
    const char *what = op->kind == OP_EXCHANGE && op->barrier == BARRIER_WARP ? "exchange" : "barrier";
    switch (op->barrier) {
    case BARRIER_WARP: text_printf(out, "the %s of the warp", what); break;
    case BARRIER_CTA: text_printf(out, op->barrier_id ? "%s %d" : "the %s", what, op->barrier_id); break;
    case BARRIER_CLUSTER: text_printf(out, "the %s of the cluster", what); break;
    }
}

static void say_arrival(struct text *out, const struct op *op) {
    text_add(out, op->order == ORDER_RELAXED ? "relaxed arrival" : "arrival");
    if (op->arrive_only && op->barrier == BARRIER_CTA) text_add(out, " without a wait");
    text_add(out, " at ");
    say_barrier(out, op);
}

static void say_completion(struct text *out, const struct op *op) {
    text_add(out, "wait for its copies");
    if (op->pending == 1) text_add(out, " but those of the last group");
    if (op->pending > 1) text_printf(out, " but those of the last %d groups", op->pending);
}

/* "arrival at full[1]", "wait on full[1], which is over" */
static void say_mbarrier(struct text *out, const struct graph *g, const struct node_event *e) {
    bool arrives = e->event->counts & COUNT_ARRIVES, waits = e->event->kind == EVENT_TRY;
    text_add(out, arrives ? "arrival at " : waits ? "wait on " : "change of ");
    location_print(out, &g->test->locs[e->event->mbarrier], e->event->element);
    if (e->event->counts & COUNT_STAYS) text_printf(out, ", which waits for %d", e->pending);
    if (waits) text_add(out, e->over ? ", which is over" : ", which goes on");
}

void say_own(struct text *out, const struct search *s, int e) {
    const struct graph *g = s->graph;
    const struct node_event *event = &g->events[e];
    switch (kind_of(g, e)) {
    case EVENT_INIT:
        text_add(out, "initial value of ");
        address_print(out, g, event->address);
        return;
    case EVENT_READ:
        text_add(out, event->event->rmw >= 0 ? "atomic read of "
                      : event->event->atomic ? "failed compare-exchange of "
                                             : "read of ");
        address_print(out, g, event->address);
        break;
    case EVENT_WRITE:
        text_add(out, event->event->rmw >= 0 ? "atomic write of " : "write of ");
        say_value(out, s, e);
        text_add(out, " to ");
        address_print(out, g, event->address);
        break;
    case EVENT_FENCE: say_fence(out, g, e); return;
    case EVENT_ARRIVE: say_arrival(out, event->event->stmt->op); break;
    case EVENT_WAIT:
        text_add(out, "wait at ");
        say_barrier(out, event->event->stmt->op);
        break;
    case EVENT_ISSUE: text_add(out, "start of a copy"); break;
    case EVENT_COMPLETE: say_completion(out, event->event->stmt->op); break;
    case EVENT_TRIGGER: text_add(out, "trigger of the next kernel"); break;
    case EVENT_DEPEND: text_add(out, "wait for the end of the kernel before"); break;
    case EVENT_TAKE:
        text_add(out, s->source[e] < 0 ? "taking of nothing, as another thread has exited"
                                       : "taking of what another thread gave");
        break;
    case EVENT_COUNT:
    case EVENT_TRY: say_mbarrier(out, g, event); break;
    }
    say_line(out, g, e);
}

void say_event(struct text *out, const struct search *s, int e) {
    const struct node_event *event = &s->graph->events[e];
    if (event->thread < 0) {
        text_add(out, "the ");
    } else {
        text_add(out, s->graph->test->threads[event->thread].name);
        text_add(out, event->event->agent ? "'s copy's " : "'s ");
    }
    say_own(out, s, e);
}
