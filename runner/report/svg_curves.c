/* Places the curves of a drawing: from side to side of events, and around events of threads between them. */
#include <math.h>
#include <stdlib.h>

#include "report/svg.h"

enum {
    BEND = 22,      /* by how much a curve is bent more at each try */
    MOST_BENDS = 8, /* tries, up and down */
    NEAR = 3,       /* a curve this near to an event seems to touch it */
};

struct svg_point svg_point_at(const struct svg_curve *c, double t) {
    double u = 1 - t, b[4] = {u * u * u, 3 * u * u * t, 3 * u * t * t, t * t * t};
    struct svg_point p = {0};
    for (int k = 0; k < 4; k++) {
        p.x += b[k] * c->p[k].x;
        p.y += b[k] * c->p[k].y;
    }
    return p;
}

static int column_of(const struct svg *s, int event) {
    int t = s->g->events[event].thread;
    return t < 0 ? s->home[event] : s->column[t];
}

/* Chooses the sides where a curve leaves and arrives: those that face each other; within a column the outer
 * side. */
static void choose_sides(const struct svg *s, struct svg_curve *c) {
    int from = column_of(s, c->edge->from), to = column_of(s, c->edge->to);
    if (from == to) {
        c->side[0] = c->side[1] = from == 0 && s->t->nthreads > 1 ? -1 : 1;
    } else {
        c->side[0] = to > from ? 1 : -1;
        c->side[1] = -c->side[0];
    }
}

static int end_event(const struct svg_curve *c, int end) {
    return end ? c->edge->to : c->edge->from;
}

/* Returns how many ends of curves are above a given one at its side of the event; *n is how many there are.
 * Those that lead further up are above. */
static int rank_of_end(const struct svg *s, int curve, int end, int *n) {
    const struct svg_curve *c = &s->curves[curve];
    int event = end_event(c, end), rank = 0;
    double mine = s->boxes[end_event(c, !end)].y;
    *n = 0;
    for (int k = 0; k < s->ncurves; k++)
        for (int j = 0; j < 2; j++) {
            const struct svg_curve *other = &s->curves[k];
            if (end_event(other, j) != event || other->side[j] != c->side[end]) continue;
            double y = s->boxes[end_event(other, !j)].y;
            ++*n;
            rank += y < mine || (y == mine && (k < curve || (k == curve && j < end)));
        }
    return rank;
}

static struct svg_point place_end(const struct svg *s, int curve, int end) {
    const struct svg_curve *c = &s->curves[curve];
    const struct svg_box *b = &s->boxes[end_event(c, end)];
    int n, rank = rank_of_end(s, curve, end, &n);
    double shift = (rank - (n - 1) / 2.0) * (n > 1 ? fmin(ENDS, (b->h - 8) / (n - 1)) : 0);
    return (struct svg_point){c->side[end] < 0 ? b->x : b->x + b->w, b->y + b->h / 2 + shift};
}

static void place_curve(const struct svg *s, int k) {
    struct svg_curve *c = &s->curves[k];
    c->p[0] = place_end(s, k, 0);
    c->p[3] = place_end(s, k, 1);
    bool within = column_of(s, c->edge->from) == column_of(s, c->edge->to);
    double dx = fabs(c->p[3].x - c->p[0].x), dy = fabs(c->p[3].y - c->p[0].y);
    double bend = within ? fmin(30 + dy / 6, MARGIN) : fmax(34, dx * 0.4);
    for (int end = 0; end < 2; end++) {
        struct svg_point p = c->p[3 * end];
        p.x += c->side[end] * bend;
        c->p[end ? 2 : 1] = p;
    }
}

static bool is_in(struct svg_point p, const struct svg_box *b) {
    return p.x > b->x - NEAR && p.x < b->x + b->w + NEAR && p.y > b->y - NEAR && p.y < b->y + b->h + NEAR;
}

/* Counts the points of a curve that are hidden by events other than its ends, or are on the names of threads,
 * or outside. */
static int count_hidden(const struct svg *s, const struct svg_curve *c) {
    int n = 0;
    for (int k = 1; k < CURVE_POINTS; k++) {
        struct svg_point p = svg_point_at(c, k / (double)CURVE_POINTS);
        n += p.y < 2 || p.y > s->height - 2;
        for (int e = 0; e < s->g->nevents; e++)
            n += e != c->edge->from && e != c->edge->to && s->boxes[e].w > 0 && is_in(p, &s->boxes[e]);
        for (int t = 0; t < s->t->nthreads; t++)
            n += is_in(p, &(struct svg_box){s->frames[t].x, s->top, s->frames[t].w, HEAD - NEAR});
    }
    return n;
}

static void bend(struct svg_curve *c, double by) {
    c->p[1].y = c->p[0].y + by;
    c->p[2].y = c->p[3].y + by;
}

/* Whether a straight curve past another thread would lead through its events, and seem to lead to them. */
static void bend_around(const struct svg *s, struct svg_curve *c) {
    int best = 0, least = count_hidden(s, c);
    for (int k = 1; k <= MOST_BENDS && least > 0; k++)
        for (int sign = 1; sign >= -1; sign -= 2) {
            bend(c, sign * k * BEND);
            int hidden = count_hidden(s, c);
            if (hidden < least) best = sign * k, least = hidden;
        }
    bend(c, best * BEND);
}

void svg_place_curves(struct svg *s) {
    for (int k = 0; k < s->ncurves; k++)
        choose_sides(s, &s->curves[k]);
    for (int k = 0; k < s->ncurves; k++) {
        struct svg_curve *c = &s->curves[k];
        place_curve(s, k);
        if (abs(column_of(s, c->edge->from) - column_of(s, c->edge->to)) > 1) bend_around(s, c);
    }
}
