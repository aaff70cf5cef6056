/* Private to the search: what its files share. search_known.c says which values follow from what was decided.
 * search_open.c finds what is to be decided, and in which order. search.c is the plain search, which decides one thing
 * after the other in all ways; search_chain.c, search_ahead.c and search_forced.c spare some. */
#ifndef CULITMUS_SEARCH_OPEN_H
#define CULITMUS_SEARCH_OPEN_H

#include "logic/prunings.h"
#include "search/search.h"

/* One thing to decide. */
struct choice {
    int read;         /* an event, or -1 */
    struct pair pair; /* else */
};

/* Everything up to the first decision. False when there is no execution. */
bool search_open(struct search *s);

/* Pays for one step of the search. A step costs more where relations are larger. */
bool search_pay(struct search *s);
/* The value of a read became known, and so do the values of the writes computed from it. False when a guard fails. */
bool search_learn(struct search *s, int read, struct value value);
/* Takes a read whose value is not defined for 0, whatever the guards say of it. */
bool search_suppose(struct search *s, int read);
/* Whether the value of each read is known. */
bool search_knows_all(const struct search *s);
/* Finds values in a circle of reads and writes: that of a write which does not depend on the circle, although it is computed
 * from what was read there, as (r | 1) & 1 is. False where there are none. */
bool search_break_circles(struct search *s);
/* Forgets what became known since the trail had so many events. */
void search_forget(struct search *s, int ntrail);
/* Fills `open` with the sources of a read that neither the model nor a guard refuses. Returns how many. */
int search_find_sources(const struct search *s, int read, uint64_t *open);
/* Whether the guards of a read's thread can hold if it returns `value`. */
bool search_guards_allow(const struct search *s, int read, struct value value);
/* Whether a read can use only a few writes: it belongs to an atomic operation, or a guard of its path depends on it. */
bool search_is_picky(const struct search *s, int read);
/* Whether an order already has the pair, in one direction or the other. */
bool search_is_ordered(const struct search *s, struct pair p);
/* What the model refuses of a pair that is still open: no direction, one, so that the other is forced, or both. */
enum outlook { OUTLOOK_OPEN, OUTLOOK_FORCED, OUTLOOK_DEAD };
enum outlook search_look_at_pair(const struct search *s, struct pair p, struct decision *forced);
/* Whether a choice has been made already, by what is forced or follows. */
bool search_is_made(const struct search *s, const struct choice *c);

/* Goes on at choice k. */
void search_choose(struct search *s, int k);
/* Goes through the sources of a read, and on at choice k + 1. */
void search_choose_source(struct search *s, int k, int read);
/* Decides that a read reads from a write, and goes on at choice k. */
void search_try_source(struct search *s, int k, int w, int read);
/* Goes through both directions of a pair, and on at choice k. */
void search_choose_direction(struct search *s, int k, struct pair p);
/* Everything is decided. */
void search_reach_leaf(struct search *s);

/* Makes the n decisions that were gathered in one step, and goes on at choice k. */
void search_try_batch(struct search *s, int n, int k);
/* Looks ahead at choice k, where this saves work. False when the search went on with what it found. */
bool search_is_open(struct search *s, int k);
/* Takes a shorter way from choice k on, where not every candidate is wanted. False when there is none. */
bool search_choose_wanted(struct search *s, int k);
/* Decides one of the picky reads of the location that choice k is about, and goes on. */
void search_choose_picky(struct search *s, int k);

#endif
