/* Which values a location can have at all, whatever reads from whatever: its initial value, and what the
 * paths of the threads write there, computed from such values. A path that must read another value is left
 * out, and so is a combination of paths in which nobody writes what one of them must read. No graph is made
 * for that (`supply`).
 *
 * Nothing is lost: take the values of an execution in the order in which they follow from each other. The
 * initial values, constants, and values that are the same whatever is read are there from the start. Each
 * other one is computed from a read of a value that comes earlier, and is added in the round after that;
 * there are as many rounds as an execution can have writes. Where a value is computed from more than one
 * read, or from what an exchange gives, and where there are too many values, the location may have any. A
 * guard over one read must hold in an execution, whatever else is read. What a thread that is cut off may
 * have written beyond the bound is none of these values: ahead.h asks about that, and looks at all paths. */
#ifndef CULITMUS_SUPPLY_H
#define CULITMUS_SUPPLY_H

#include "paths/unfold.h"

struct supply;

/* Drops the paths of all threads that read a value which nobody writes. NULL where each thread has one path: nothing is
 * dropped. Lives in the arena. */
struct supply *supply_find(const struct test *t, struct unfolding *unfoldings, struct search_budget *budget,
                           struct arena *a);

/* Whether these paths, one a thread, can supply each other with what they read. They are of those that
 * supply_find has left. */
bool supply_allows(struct supply *s, const struct path *const *paths);

/* The same where only threads 0 to `chosen` - 1 have a path in `paths`, and each other thread t may take any
 * path in the set left[t]. Sets to[t] to those of left[t] that are supplied. False when one of `paths` is not
 * supplied, or a thread has no path left. */
bool supply_narrow(struct supply *s, const struct unfolding *unfoldings, const struct path *const *paths,
                   int chosen, uint64_t *const *left, uint64_t *const *to);

/* The value that an atomic operation writes when it reads `value`. */
struct value supply_left(struct supply *s, const struct event *read, const struct event *write,
                         struct value value);
/* The `n` values that the location of a read can have, as the last call of the above has found them; NULL: it
 * may have any. */
const struct value *supply_values(const struct supply *s, const struct path *p, const struct event *read,
                                  int *n);
/* Whether the guards over this read alone let it return a value. */
bool supply_accepts(struct supply *s, const struct path *p, const struct event *read, struct value value);

#endif
