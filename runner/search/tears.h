/* A scalar is accessed whole, whatever the model: where its bytes are several events, because other locations share
 * them, these may not disagree (PTX ISA, "Vector Data-types", "Packed Data-types" and "Overlap": only vectors are
 * accessed element by element). */
#ifndef CULITMUS_TEARS_H
#define CULITMUS_TEARS_H

#include "search/search.h"

/* Whether a complete candidate has a read that saw two writes of the same bytes, or two writes of the same bytes of which
 * each is the earlier one somewhere. */
bool search_tears(const struct search *s);
/* Whether a read, if it read from this write, would have seen two, as far as the sources of its other parts are known. */
bool source_tears(const struct search *s, int write, int read);
/* Whether memory cannot end with these writes in two of its parts: both are of the bytes of both. */
bool writes_tear(const struct graph *g, int write, int other);

#endif
