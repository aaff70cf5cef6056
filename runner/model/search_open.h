/* Private to the search: what its two files share. search_open.c finds what is to be decided, and in which order;
 * search.c decides. */
#ifndef CULITMUS_SEARCH_OPEN_H
#define CULITMUS_SEARCH_OPEN_H

#include "model/search.h"

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

#endif
