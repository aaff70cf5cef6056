/* Draws an execution as SVG, for a page with the style sheet page.css. */
#ifndef CULITMUS_SVG_H
#define CULITMUS_SVG_H

#include <stdio.h>

#include "base/arena.h"
#include "explain/drawing.h"

/* Whether a drawing is small enough to be readable. */
bool svg_fits(const struct drawing *g, const struct test *t);

/* Draws a column for each thread, frames around them for blocks, events from top to bottom, and edges as
 * labelled curves. `label` describes the drawing for people who cannot see it. `blocks`: seats mean something
 * on this machine. */
void svg_draw(const struct drawing *g, const struct test *t, const struct cell *cell, bool blocks,
              const char *label, FILE *out);

/* The rest is for svg*.c only: the state of the layout, with the places of threads, events and curves. */

/* Sizes in pixels, for text of 12 pixels in a monospaced face. */
enum {
    LETTER = 7,
    LINE = 15,
    BOX = 38,          /* height of an event */
    ROW = 64,          /* from an event of a thread to the next one */
    GAP = 148,         /* between two threads, with room for labels */
    PAD = 14,          /* between a frame and its contents */
    HEAD = 44,         /* height of the names of a frame and a thread */
    MARGIN = 78,       /* left and right, for curves of the outer threads */
    ENDS = 9,          /* between the ends of curves at one side of an event */
    ENGINE = 18,       /* how far events of an engine are moved to the right */
    MAX_LABEL = 22,    /* characters in a line of a label, if it can be broken */
    CURVE_POINTS = 32, /* points of a curve that are tested for being hidden */
    CURVE_COST = 12,   /* cost of hiding such a point behind a label */
    LABEL_COST = 4,    /* cost of covering a pixel of other text */
    MAX_EVENTS = 72,
    MAX_THREADS = 10,
};

struct svg_box {
    double x, y, w, h; /* its upper left corner, and its size */
};

struct svg_point {
    double x, y;
};

/* The curve of an edge: a Bezier curve from p[0] to p[3]. */
struct svg_curve {
    const struct drawing_edge *edge;
    int side[2]; /* at which side it leaves its first box and reaches its second: -1 left, 1 right */
    struct svg_point p[4];
};

struct svg {
    const struct drawing *g;
    const struct test *t;
    const struct cell *cell;
    struct arena *arena;
    FILE *out;
    bool blocks;
    struct svg_box *boxes;    /* of each event; an initial write that is not drawn has width 0 */
    int *threads, *column;    /* the thread in each column; the column of each thread */
    int *home;                /* of each initial write: the column above which it stands; else -1 */
    struct svg_box *frames;   /* of each column */
    struct svg_curve *curves; /* one for each edge that is drawn, except po */
    int ncurves;
    struct svg_box *labels; /* the places of text so far */
    int nlabels;
    double width, height, top; /* top: where the frames begin */
};

static inline double svg_at_least(double x, double y) {
    return x > y ? x : y;
}

/* Places the curves, after events and frames. */
void svg_place_curves(struct svg *s);
struct svg_point svg_point_at(const struct svg_curve *c, double t);

#endif
