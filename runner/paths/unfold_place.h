/* Inside runner/paths: the events of an operation at places that are known. */
#ifndef CULITMUS_UNFOLD_PLACE_H
#define CULITMUS_UNFOLD_PLACE_H

#include "paths/unfold_run.h"

/* An element that an operation accesses, and a part of it: a lane of a vector, or some bytes that other locations
 * share. */
struct unfold_place {
    int loc, element, part;
    int owner;               /* the block whose own it is, where each has one */
    bool mapped;             /* which a rank names, be it the thread's own */
    const struct sym *index; /* that the element was found by */
};

/* The event of a part; and that of a read, which has a number. */
struct event *unfold_access(struct unfolder *u, struct unfold_run *r, enum event_kind kind,
                            const struct stmt *stmt, const struct unfold_place *place);
struct event *unfold_part_read(struct unfolder *u, struct unfold_run *r, const struct stmt *stmt,
                               const struct unfold_place *place);
/* What a read of a part returned. */
const struct sym *unfold_part_value(struct unfolder *u, const struct event *read);
/* What an atomic operation leaves. A compare-exchange that fails has no write. */
const struct sym *unfold_rmw_value(struct unfolder *u, const struct op *op, const struct sym *old,
                                   const struct sym *value);

/* What an engine does for a copy in a group, for a bulk load, and for a bulk reduction. */
void unfold_copy(struct unfolder *u, struct unfold_run *r, const struct stmt *stmt,
                 const struct unfold_place places[OP_PLACES]);
void unfold_fetch(struct unfolder *u, struct unfold_run *r, const struct stmt *stmt,
                  const struct unfold_place places[OP_PLACES]);
void unfold_reduce(struct unfolder *u, struct unfold_run *r, const struct stmt *stmt,
                   const struct unfold_place places[OP_PLACES]);
/* What a thread does that writes zeros to several elements. */
void unfold_clear(struct unfolder *u, struct unfold_run *r, const struct stmt *stmt,
                  const struct unfold_place *place);
/* And for a copy by a tensor map, which is one of the places, and of which the coordinate is the element. It goes a way for
 * each array to which the map may lead; false: the run ended or was replaced by others. */
bool unfold_tensor(struct unfolder *u, struct unfold_run *r, const struct stmt *stmt,
                   const struct unfold_place places[OP_PLACES]);
/* Behind what an engine did it completes bytes of an mbarrier: of the scope of the cluster, and releasing. */
struct event *unfold_tell(struct unfolder *u, struct unfold_run *r, const struct stmt *stmt,
                          const struct unfold_place *at);

#endif
