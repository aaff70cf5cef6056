#include "explain/why.h"

#include <string.h>

#include "explain/why_tell.h"

/* How long an explanation may take where nobody says. */
static const double built_in_seconds = 5;

enum { SEATS_TOLD = 12 };

static void add_line(struct telling *w, struct why_line line) {
    struct why *out = w->out;
    if (out->nlines == w->cap) {
        w->cap = 2 * w->cap + 16;
        out->lines =
            arena_grow(w->arena, out->lines, (size_t)out->nlines, (size_t)w->cap, sizeof *out->lines);
    }
    if (strncmp(w->text.s, "the ", 4) == 0) w->text.s[0] = 'T'; /* no name of a thread has a blank */
    line.text = arena_strdup(w->arena, w->text.s);
    out->lines[out->nlines++] = line;
    text_free(&w->text);
    w->text = (struct text){0};
}

void why_end_step(struct telling *w, const struct search *s, int e) {
    struct why_line line = {.part = WHY_STEP, .step = ++w->step, .thread = -1};
    if (e >= 0 && s->graph->events[e].event) {
        line.thread = s->graph->events[e].thread;
        if (say_is_in_file(s->graph, e)) line.pos = s->graph->events[e].event->stmt->pos;
    }
    add_line(w, line);
}

void why_end_line(struct telling *w) {
    add_line(w, (struct why_line){.part = WHY_TEXT, .thread = -1});
}

bool why_are_mutual(const struct graph *g, int x, int y) {
    return graph_relates(g, GIVEN_SCOPED, x, y) && graph_relates(g, GIVEN_SCOPED, y, x);
}

/* Whether some block has several threads. */
static bool has_neighbours(const struct placement *p, int nthreads) {
    int n = 0;
    for (int k = 0; k < nthreads; k++)
        n += !p->seats[k].host;
    return n > p->nblocks;
}

/* The number of a thread's warp within its block: how many warps of the block have their first thread before
 * it. */
static int warp_in_block(const struct placement *p, int thread) {
    const struct seat *own = &p->seats[thread];
    int n = 0;
    for (int k = 0; k < thread && p->seats[k].warp != own->warp; k++) {
        bool first = p->seats[k].block == own->block;
        for (int i = 0; i < k && first; i++)
            first = p->seats[i].warp != p->seats[k].warp;
        n += first;
    }
    return n;
}

static void say_seat(struct text *out, const struct placement *p, int thread, bool warps) {
    const struct seat *seat = &p->seats[thread];
    if (seat->host) {
        text_add(out, "on a CPU");
        return;
    }
    text_printf(out, "in block %d", seat->block);
    if (warps) text_printf(out, ", warp %d", warp_in_block(p, thread));
    if (p->nclusters > 1 && p->nclusters < p->nblocks) text_printf(out, " of cluster %d", seat->cluster);
    if (p->ngpus > 1) text_printf(out, " on GPU %d", seat->gpu);
}

/* "T0 is in block 0; T1 is in block 1." Of many threads, those that do something. */
static void tell_seats(struct telling *w, const struct graph *g) {
    const struct test *t = g->test;
    const struct placement *p = g->cell->placement;
    int told = 0, busy = 0;
    if (t->nthreads < 2 || p->collapsed) return;
    for (int k = 0; k < t->nthreads; k++) {
        bool idle = t->nthreads > SEATS_TOLD && g->first[k] == g->first[k + 1];
        busy += !idle;
        if (idle || told == SEATS_TOLD) continue;
        text_printf(&w->text, "%s%s is ", told++ ? "; " : "", t->threads[k].name);
        say_seat(&w->text, p, k, has_neighbours(p, t->nthreads));
    }
    if (busy > told) text_printf(&w->text, "; and %d more threads", busy - told);
    if (told == 0) return;
    text_add(&w->text, ".");
    if (busy < t->nthreads) text_printf(&w->text, " The other %d do nothing here.", t->nthreads - busy);
    why_end_line(w);
}

/* Drops what was told before. */
static void begin(struct telling *w, bool breaking) {
    *w->out = (struct why){.breaking = breaking};
    w->cap = w->step = 0;
}

/* Tells that the model promises nothing, if that is so. */
static void tell_exception(struct telling *w) {
    if (!w->undefined) return;
    text_add(&w->text,
             "In some execution that the model allows, accesses of different sizes race: the model then "
             "promises nothing, and forbids no outcome. Apart from that:");
    why_end_line(w);
}

/* Tells the best candidate so far. */
static void show(const struct candidate *c, void *ctx) {
    struct telling *w = ctx;
    begin(w, c->breaking);
    tell_seats(w, c->search->graph);
    tell_exception(w);
    if (c->nreasons == 0) {
        w->out->answer = WHY_ALLOWED;
        why_story(w, c);
    } else {
        w->out->answer = WHY_FORBIDDEN;
        w->out->axiom = arena_strdup(w->arena, c->reasons[0].name);
        why_chain(w, c);
    }
}

/* "Within 3 turns of each loop, even if": the beginning of a sentence about executions that do not exist. */
static void begin_even_if(struct telling *w, int turns) {
    if (turns > 0)
        text_printf(&w->text, "Within %d turns of each loop, even if", turns);
    else
        text_add(&w->text, "Even if");
}

/* Tells why there is no execution to tell. `turns`: for how many turns of each loop that is known; 0: for
 * all. */
static void tell_nothing(struct telling *w, const struct test *t, enum candidate_answer answer, int turns,
                         const char *spent) {
    bool forall = t->cond.kind == FORALL;
    begin(w, forall);
    switch (answer) {
    case CANDIDATE_FOUND: return;
    case CANDIDATE_NONE:
        w->out->answer = WHY_NOT_REACHED;
        begin_even_if(w, turns);
        text_printf(&w->text,
                    forall ? " every read could read from any write of its location, with no fence and no "
                             "rule of the model in the way, %s would be true."
                           : " every read could read from any write of its location, with no fence and no "
                             "rule of the model in the way, no execution would give %s.",
                    t->cond.text);
        break;
    case CANDIDATE_ENDLESS:
        w->out->answer = WHY_ENDLESS;
        text_add(&w->text,
                 "No execution ends: some thread waits for ever, for a value that nobody writes or at a "
                 "barrier that does not open. So there is no outcome to explain.");
        break;
    case CANDIDATE_UNKNOWN:
        w->out->answer = WHY_UNKNOWN;
        text_printf(&w->text, "The search for an execution to explain was given up: %s.", spent);
        break;
    }
    why_end_line(w);
}

/* Whether the model promises nothing: only of a test with views. */
static bool is_undefined(const struct telling *w, const struct model *m, const struct test *t,
                         const struct cell *cell, const struct model_limits *limits) {
    struct model_result r = {.undefined = false};
    struct diag quiet = {0};
    bool views = false;
    for (int k = 0; k < t->nlocs; k++)
        views = views || t->locs[k].grain > 0;
    if (views) model_check(m, t, cell, limits, w->arena, &r, &quiet);
    diag_free(&quiet);
    return r.undefined;
}

/* For how many turns of each loop an answer is known; 0: for all. */
static int find_turns(const struct model *m, const struct test *t, const struct cell *cell,
                      const struct model_limits *limits) {
    int turns;
    return model_is_bounded(m, t, cell, limits, &turns) ? turns : 0;
}

bool model_why(const struct model *m, const struct test *t, const struct cell *cell,
               const struct model_limits *limits, struct arena *a, struct why *out, struct diag *d) {
    struct model_limits some = limits ? *limits : (struct model_limits){0};
    if (some.seconds <= 0) some.seconds = built_in_seconds;
    some = model_limits_begin(&some);
    struct telling w = {.arena = a, .out = out};
    enum candidate_answer answer;
    const char *spent;
    *out = (struct why){0};
    w.undefined = is_undefined(&w, m, t, cell, &some);
    if (!candidate_find(m, t, cell, &some, show, &w, &answer, &spent, d)) return false;
    int turns = answer == CANDIDATE_NONE ? find_turns(m, t, cell, &some) : 0;
    if (answer != CANDIDATE_FOUND) tell_nothing(&w, t, answer, turns, spent);
    if (out->answer == WHY_FORBIDDEN) turns = find_turns(m, t, cell, &some);
    if (turns > 0) {
        text_printf(&w.text,
                    "This is known of at most %d turns of each loop: longer runs were not looked at.", turns);
        why_end_line(&w);
    }
    return true;
}

const char *why_line_text(struct arena *a, const struct why_line *line) {
    return line->part == WHY_STEP ? arena_printf(a, "%d. %s", line->step, line->text) : line->text;
}
