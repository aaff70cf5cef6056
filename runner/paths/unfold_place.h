/* Inside runner/paths: the events of an operation at places that are known. */
#ifndef CULITMUS_UNFOLD_PLACE_H
#define CULITMUS_UNFOLD_PLACE_H

#include "paths/unfold_run.h"

/* An element that an operation accesses, and a part of it: a lane of a vector, or some bytes that other locations
 * share. */
struct unfold_place {
    int loc, element, part;
    int owner;               /* the block whose copy it is, of a location that each block has */
    bool mapped;             /* a rank names the block, even if it is the thread's own */
    const struct sym *index; /* from which the element follows */
};

/* Adds the event of an access to a part; unfold_part_read adds a read, and gives it its number. */
struct event *unfold_access(struct unfolder *u, struct unfold_run *r, enum event_kind kind,
                            const struct stmt *stmt, const struct unfold_place *place);
struct event *unfold_part_read(struct unfolder *u, struct unfold_run *r, const struct stmt *stmt,
                               const struct unfold_place *place);
/* What a read of a part returned. */
const struct sym *unfold_part_value(struct unfolder *u, const struct event *read);
/* What an atomic operation writes; of a compare-exchange, if it succeeds. */
const struct sym *unfold_rmw_value(struct unfolder *u, const struct op *op, const struct sym *old,
                                   const struct sym *value);

/* The events of a copy by an engine: of one in a group, of a bulk load, and of a bulk reduction. */
void unfold_copy(struct unfolder *u, struct unfold_run *r, const struct stmt *stmt,
                 const struct unfold_place places[OP_PLACES]);
void unfold_fetch(struct unfolder *u, struct unfold_run *r, const struct stmt *stmt,
                  const struct unfold_place places[OP_PLACES]);
void unfold_reduce(struct unfolder *u, struct unfold_run *r, const struct stmt *stmt,
                   const struct unfold_place places[OP_PLACES]);
/* The events of a thread that writes zeros to several elements. */
void unfold_clear(struct unfolder *u, struct unfold_run *r, const struct stmt *stmt,
                  const struct unfold_place *place);
/* The events of a copy by a tensor map: one of the places is the map, and its element is the coordinate. The
 * run goes a way for each array to which the map may lead. False when it ended or was replaced by others. */
bool unfold_tensor(struct unfolder *u, struct unfold_run *r, const struct stmt *stmt,
                   const struct unfold_place places[OP_PLACES]);
/* Adds the event by which an engine, after all that it has done, completes bytes of an mbarrier, as a release
 * of cluster scope. */
struct event *unfold_tell(struct unfolder *u, struct unfold_run *r, const struct stmt *stmt,
                          const struct unfold_place *at);

#endif
