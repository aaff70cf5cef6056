/* Which values a location can have at all, whatever reads from whatever: its initial value, and what the paths of the
 * threads write there, computed from such values. A path that waits for another value is none, and neither is a
 * choice of paths in which nobody writes what one of them reads. That is seen without making a graph (`supply`).
 *
 * Nothing is lost: take the values of an execution in the order in which they follow from each other. The initial
 * values, constants, and what is the same whatever is read are there from the start. Each other one is computed from
 * reads of values that come earlier, and it is added in the round behind the last of these, as there are as many
 * rounds as an execution can have writes. Where a value is computed from more than one read, or from what an exchange
 * gives, and where there are too many, anything is taken to be one. Guards that speak of one read hold in an
 * execution, whatever else is read. What a thread that is cut off may have written beyond the bound is none of these
 * values: that is asked of all paths (ahead.h). */
#ifndef CULITMUS_SUPPLY_H
#define CULITMUS_SUPPLY_H

#include "paths/unfold.h"

struct supply;

/* Drops the paths of all threads that read a value which nobody writes. NULL where each thread has one path: nothing is
 * dropped. Lives in the arena. */
struct supply *supply_find(const struct test *t, struct unfolding *unfoldings, struct search_budget *budget,
                           struct arena *a);

/* Whether these paths, one a thread, can supply each other with what they read. (They are what supply_find has left.) */
bool supply_allows(struct supply *s, const struct path *const *paths);

/* The same where only the first threads have a path, as many as are `chosen`, and the others may take any of those in
 * `left`, which are bits. Those of them that nobody supplies are not in `to`. */
bool supply_narrow(struct supply *s, const struct unfolding *unfoldings, const struct path *const *paths,
                   int chosen, uint64_t *const *left, uint64_t *const *to);

/* What an atomic operation leaves of a value. */
struct value supply_left(struct supply *s, const struct event *read, const struct event *write,
                         struct value value);
/* The values that were found last of the place that a read reads; NULL: it may be any. */
const struct value *supply_values(const struct supply *s, const struct path *p, const struct event *read,
                                  int *n);
/* Whether the guards of a path let a read return a value. */
bool supply_accepts(struct supply *s, const struct path *p, const struct event *read, struct value value);

#endif
