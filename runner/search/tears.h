/* A scalar is accessed whole, whatever the model: where its bytes are several events, because other locations share
 * them, these may not disagree (PTX ISA, "Vector Data-types", "Packed Data-types" and "Overlap": only vectors are
 * accessed element by element). */
#ifndef CULITMUS_TEARS_H
#define CULITMUS_TEARS_H

#include "search/search.h"

/* Whether a complete candidate tears a scalar: a read takes parts from two different writes, each of the very
 * bytes that it reads (an initial write is of any bytes); or of two writes of the same bytes, co has the one
 * first in one part and the other first in another part. */
bool search_tears(const struct search *s);
/* Whether a read would tear if it read from this write, beside those parts of it whose sources are decided. */
bool source_tears(const struct search *s, int write, int read);
/* Whether two writes cannot be the last ones of two parts of a location: each covers both parts, so whichever
 * is later has replaced the other in both. */
bool writes_tear(const struct graph *g, int write, int other);

#endif
