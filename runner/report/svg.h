/* The drawing of an execution as SVG, for a page that has the style sheet page.css. */
#ifndef CULITMUS_SVG_H
#define CULITMUS_SVG_H

#include <stdio.h>

#include "base/arena.h"
#include "explain/drawing.h"

/* Whether a drawing is small enough to be read. */
bool svg_fits(const struct drawing *g, const struct test *t);

/* A column for each thread, blocks as frames around them, events from top to bottom, edges as labelled curves. `label`
 * is what the drawing says, for who cannot see it. `blocks`: seats mean something on the machine. */
void svg_draw(const struct drawing *g, const struct test *t, const struct cell *cell, bool blocks,
              const char *label, FILE *out);

/* What follows is for the files of the drawing alone: while it is laid out, where its threads, events and curves are. */

/* In pixels, for text of 12 pixels in a face whose letters are all as wide. */
enum {
    LETTER = 7,
    LINE = 15,
    BOX = 38,          /* height of an event */
    ROW = 64,          /* from one event of a thread to the next */
    GAP = 148,         /* between two threads: room for labels */
    PAD = 14,          /* between a frame and what is in it */
    HEAD = 44,         /* the names of a frame and of a thread */
    MARGIN = 78,       /* left and right, for curves within the outer threads */
    ENDS = 9,          /* between the ends of curves at one side of an event */
    ENGINE = 18,       /* how far an engine's events are moved to the right */
    MAX_LABEL = 22,    /* letters a line of a label, where it can be broken */
    CURVE_POINTS = 32, /* of a curve, to see what hides it */
    CURVE_COST = 12,   /* of such a point below a label; */
    LABEL_COST = 4,    /* of a pixel of what is written there */
    MAX_EVENTS = 72,
    MAX_THREADS = 10,
};

struct svg_box {
    double x, y, w, h; /* its left upper corner */
};

struct svg_point {
    double x, y;
};

/* A curve of an edge, from p[0] to p[3]. */
struct svg_curve {
    const struct drawing_edge *edge;
    int side[2]; /* of the box that it leaves, and of the one that it reaches: -1 left, 1 right */
    struct svg_point p[4];
};

struct svg {
    const struct drawing *g;
    const struct test *t;
    const struct cell *cell;
    struct arena *arena;
    FILE *out;
    bool blocks;
    struct svg_box *boxes;    /* one an event; initial writes that are not drawn have no width */
    int *threads, *column;    /* the thread in a column; the column of a thread */
    int *home;                /* the column that an initial write stands above, or -1 */
    struct svg_box *frames;   /* of a column */
    struct svg_curve *curves; /* one a drawn edge but po */
    int ncurves;
    struct svg_box *labels; /* where something is written already */
    int nlabels;
    double width, height, top; /* top: of the frames */
};

static inline double svg_at_least(double x, double y) {
    return x > y ? x : y;
}

/* When events and frames have their places. */
void svg_place_curves(struct svg *s);
struct svg_point svg_point_at(const struct svg_curve *c, double t);

#endif
