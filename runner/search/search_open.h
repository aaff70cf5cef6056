/* Private to the search: what its files share. search_known.c computes the values that follow from decisions.
 * search_open.c lists the choices and sorts them. search.c is the plain search: it tries all ways of one
 * choice after another. search_chain.c, search_ahead.c and search_forced.c prune it. */
#ifndef CULITMUS_SEARCH_OPEN_H
#define CULITMUS_SEARCH_OPEN_H

#include "logic/prunings.h"
#include "search/search.h"

/* One thing to decide. */
struct choice {
    int read;         /* an event, or -1 */
    struct pair pair; /* else */
};

/* Prepares a search: lists its choices, and makes the decisions that leave none. False when there is no
 * execution. */
bool search_open(struct search *s);

/* Pays for one step of the search. False when the search must end. */
bool search_pay(struct search *s);
/* Sets the value of a read, of the writes computed from it, and of the reads that read from these. False when
 * a guard fails. */
bool search_learn(struct search *s, int read, struct value value);
/* Gives a read whose value is not defined the value 0, without looking at the guards over it, and sets
 * s->undefined. The values that follow are set as above. */
bool search_suppose(struct search *s, int read);
/* Whether the value of each read is known. */
bool search_knows_all(const struct search *s);
/* Finds the values of reads and writes on a cycle of rf and computation. A write there has a value if its
 * term does not depend on the reads that are not known, as (r | 1) & 1 does not depend on r. False where a
 * read stays unknown, a guard fails, or a write would have another value than the one it was given. */
bool search_break_circles(struct search *s);
/* Forgets the values that became known since the trail had so many events. */
void search_forget(struct search *s, int ntrail);
/* Fills `open` with the sources of a read that no guard refuses, that tear no scalar, and by which no axiom
 * is sure to be broken. Returns how many. */
int search_find_sources(const struct search *s, int read, uint64_t *open);
/* Whether the guards over a read hold if it returns `value`. Only those count whose other reads are known. */
bool search_guards_allow(const struct search *s, int read, struct value value);
/* Whether a read is likely to have few sources: it belongs to an atomic operation, or a guard of its path
 * depends on it. */
bool search_is_picky(const struct search *s, int read);
/* Whether an order already has the pair, in one direction or the other. */
bool search_is_ordered(const struct search *s, struct pair p);
/* How many directions of a pair eval_refuses: none, one (then `forced` is the other), or both. */
enum outlook { OUTLOOK_OPEN, OUTLOOK_FORCED, OUTLOOK_DEAD };
enum outlook search_look_at_pair(const struct search *s, struct pair p, struct decision *forced);
/* Whether a choice needs no decision any more: its read has a source, or its pair is ordered. */
bool search_is_made(const struct search *s, const struct choice *c);

/* Searches all candidates that the decisions so far and choices k, k + 1, ... lead to. */
void search_choose(struct search *s, int k);
/* Tries each source of a read, and goes on at choice k + 1. */
void search_choose_source(struct search *s, int k, int read);
/* Decides that a read reads from write w, goes on at choice k, and takes the decision back. */
void search_try_source(struct search *s, int k, int w, int read);
/* Tries both directions of a pair, and goes on at choice k. */
void search_choose_direction(struct search *s, int k, struct pair p);
/* Judges the candidate, in which everything is decided, and gives it to s->leaf. A candidate in which a value
 * depends on itself has no such value, and is dropped; so is one that tears a scalar. */
void search_reach_leaf(struct search *s);

/* Makes the first n decisions of s->batch in one step, goes on at choice k, and takes them back. */
void search_try_batch(struct search *s, int n, int k);
/* Pruning `ahead`: if pairs of the location of choice k have one direction left, decides these and goes on;
 * if a pair has none, ends the branch. Returns false then; true: nothing was done, and choice k is to be
 * made. */
bool search_is_open(struct search *s, int k);
/* Prunings `wanted` and `forced`, where not every candidate is wanted: ends the branch, or makes decisions
 * that are forced and goes on. Returns true then; false: nothing was done, and choice k is to be made. */
bool search_choose_wanted(struct search *s, int k);
/* Decides one of the picky reads of the location that choice k is about, and goes on. */
void search_choose_picky(struct search *s, int k);

#endif
