/* The drawing of an execution as SVG, for a page that has the style sheet page.css. */
#ifndef CULITMUS_SVG_H
#define CULITMUS_SVG_H

#include <stdio.h>

#include "explain/drawing.h"

/* Whether a drawing is small enough to be read. */
bool svg_fits(const struct drawing *g, const struct test *t);

/* A column for each thread, blocks as frames around them, events from top to bottom, edges as labelled curves. `label`
 * is what the drawing says, for who cannot see it. `blocks`: seats mean something on the machine. */
void svg_draw(const struct drawing *g, const struct test *t, const struct cell *cell, bool blocks,
              const char *label, FILE *out);

#endif
