/* Where temporary files go. */
#ifndef CULITMUS_TEMPORARY_H
#define CULITMUS_TEMPORARY_H

#include "base/text.h"

/* Adds a template for mkstemp and mkdtemp: a name of ours in $TMPDIR, else in /tmp. */
void temporary_name(struct text *out);

#endif
