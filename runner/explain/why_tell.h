/* What the parts of an explanation share: the lines, the story of an allowed execution, the chain of a
 * forbidden one. Private to them. */
#ifndef CULITMUS_WHY_TELL_H
#define CULITMUS_WHY_TELL_H

#include "explain/candidate.h"
#include "explain/say.h"
#include "explain/why.h"

struct telling {
    struct arena *arena;
    struct why *out;
    int cap, step;
    struct text text; /* the sentence at hand */
    bool undefined;   /* accesses of different sizes race */
};

/* Ends the sentence at hand: it becomes a step at event e (-1: at none), or a line beside the steps. */
void why_end_step(struct telling *w, const struct search *s, int e);
void why_end_line(struct telling *w);

/* The order in which a story tells the events. */
struct why_order {
    int *events, n;
    bool steps; /* it agrees with the model's own order of steps (relation `step`) */
    bool split; /* atomic operations are told as two events; else the write comes right after its read */
};

struct why_order why_order(const struct search *s, struct arena *a);

/* Tells an allowed execution. */
void why_story(struct telling *w, const struct candidate *c);
/* Tells what a candidate would have to do, and what forbids it. */
void why_chain(struct telling *w, const struct candidate *c);

/* Adds to the sentence why a write is not seen by a read of another thread, which sees an older value. */
void why_unseen(struct text *out, const struct search *s, int write, int read);

/* Adds why the write `first`, which is told first, may come behind the write `last` in co. */
void why_overtaken(struct text *out, const struct search *s, int first, int last);

/* Adds why two accesses of a location are in no order. */
void why_unordered(struct text *out, const struct search *s, int x, int y);

/* If a way leads from `first` to `last` through other threads (why_path.c), adds what is missing on it.
 * False: there is no such way, or nothing is missing; nothing was added. */
bool why_say_way(struct text *out, const struct search *s, int first, int last);

/* Message passing: one thread does `first` and then writes `flag`, another one reads that in `seen` and then
 * does `last`. Adds clauses that say what is missing to order first before last. Returns how many. */
int why_say_passing(struct text *out, const struct search *s, int first, int flag, int seen, int last);

/* "its two reads (lines 8 and 10)", "its read and its write (lines 8 and 9)" */
void why_say_two(struct text *out, const struct search *s, int x, int y);
/* Adds clauses about scopes that do not include the other's thread, and counts them in `n`. */
void why_say_scopes(struct text *out, const struct search *s, int x, int y, int *n);

/* Whether one event's scope includes the other's thread, and the other way round. */
bool why_are_mutual(const struct graph *g, int x, int y);

#endif
