/* Between the parts of an explanation: its lines, the story of an allowed execution, the chain that forbids another.
 * Private to it. */
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
    bool steps; /* it is the model's own order of steps */
    bool split; /* the halves of atomic operations are told apart; else the write stands behind its read */
};

struct why_order why_order(const struct search *s, struct arena *a);

/* Tells an allowed execution. */
void why_story(struct telling *w, const struct candidate *c);
/* Tells what a candidate would have to do, and what forbids it. */
void why_chain(struct telling *w, const struct candidate *c);

/* Adds to the sentence why a write is not seen by a read of another thread, which sees an older value. */
void why_unseen(struct text *out, const struct search *s, int write, int read);

/* Adds why a write that is told first may come behind another one in the order of the writes of their location. */
void why_overtaken(struct text *out, const struct search *s, int first, int last);

/* Adds why two writes of a location are in no order. */
void why_unordered(struct text *out, const struct search *s, int x, int y);

/* The same where a way leads from one event to the other, through threads and by the orders of reads and writes: what is
 * missing on it. False: nothing was added. */
bool why_say_way(struct text *out, const struct search *s, int first, int last);

/* What is missing where `flag` was written after `first`, and `seen`, which reads it, comes before `last`, in clauses; how many
 * there are. */
int why_say_passing(struct text *out, const struct search *s, int first, int flag, int seen, int last);

/* "its two reads (lines 8 and 10)", "its read and its write (lines 8 and 9)" */
void why_say_two(struct text *out, const struct search *s, int x, int y);
/* Clauses about scopes that do not include the other's thread, behind n others. */
void why_say_scopes(struct text *out, const struct search *s, int x, int y, int *n);

/* Whether one event's scope includes the other's thread, and the other way round. */
bool why_are_mutual(const struct graph *g, int x, int y);

#endif
