#include "report/svg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/foreign.h"

bool svg_fits(const struct drawing *g, const struct test *t) {
    return g->nevents - g->ninitial <= MAX_EVENTS && t->nthreads <= MAX_THREADS;
}

/* ---- what is drawn ---- */

static bool same_edge(const struct drawing_edge *x, const struct drawing_edge *y) {
    return x->from == y->from && x->to == y->to && strcmp(x->label, y->label) == 0;
}

/* Whether an edge is drawn. An edge that is part of a broken axiom's cycle replaces the same edge elsewhere.
 * The order of an initial write before others is left out, since everybody knows it. */
static bool is_drawn(const struct drawing *g, const struct drawing_edge *e) {
    if (e->kind == DRAWING_ORDER && e->from < g->ninitial) return false;
    for (int k = 0; k < g->nedges; k++) {
        const struct drawing_edge *other = &g->edges[k];
        bool reason = other->kind == DRAWING_REASON;
        if (reason && same_edge(e, other) && (e->kind != DRAWING_REASON || other < e)) return false;
    }
    return true;
}

static void find_curves(struct svg *s) {
    s->curves = arena_array(s->arena, (size_t)s->g->nedges, sizeof *s->curves);
    for (int k = 0; k < s->g->nedges; k++) {
        const struct drawing_edge *e = &s->g->edges[k];
        if (e->kind != DRAWING_PO && is_drawn(s->g, e)) s->curves[s->ncurves++].edge = e;
    }
}

/* ---- where threads and events are ---- */

static int seat_order(const struct seat *x, const struct seat *y) {
    if (x->host != y->host) return x->host - y->host;
    if (x->gpu != y->gpu) return x->gpu - y->gpu;
    if (x->cluster != y->cluster) return x->cluster - y->cluster;
    if (x->block != y->block) return x->block - y->block;
    return x->warp - y->warp;
}

/* Places threads that share a block side by side. */
static void place_threads(struct svg *s) {
    int n = s->t->nthreads;
    s->threads = arena_array(s->arena, (size_t)n, sizeof *s->threads);
    s->column = arena_array(s->arena, (size_t)n, sizeof *s->column);
    const struct seat *seats = s->cell->placement->seats;
    for (int t = 0; t < n; t++) {
        int c = t;
        for (; s->blocks && c > 0 && seat_order(&seats[s->threads[c - 1]], &seats[t]) > 0; c--)
            s->threads[c] = s->threads[c - 1];
        s->threads[c] = t;
    }
    for (int c = 0; c < n; c++)
        s->column[s->threads[c]] = c;
}

/* Whether the threads of two columns are in the same frame. */
static bool same_frame(const struct svg *s, int c, int other) {
    const struct seat *x = &s->cell->placement->seats[s->threads[c]];
    const struct seat *y = &s->cell->placement->seats[s->threads[other]];
    return !s->blocks || (x->host == y->host && x->gpu == y->gpu && x->block == y->block);
}

static double event_width(const struct drawing_event *e) {
    size_t n = strlen(e->what), m = strlen(e->strength);
    return svg_at_least(84, LETTER * (double)(n > m ? n : m) + 22);
}

static double column_width(const struct svg *s, int c) {
    int t = s->threads[c];
    double w = svg_at_least(84, LETTER * (double)strlen(s->t->threads[t].name));
    for (int e = s->g->first[t]; e < s->g->first[t + 1]; e++)
        w = svg_at_least(w, event_width(&s->g->events[e]) + (s->g->events[e].agent ? ENGINE : 0));
    return w;
}

/* Places initial writes from which curves lead: above the first thread to which they lead, one above the
 * other. Returns the height that they need. */
static double place_initial(struct svg *s) {
    int *above = arena_array(s->arena, (size_t)s->t->nthreads, sizeof *above), most = 0;
    for (int k = 0; k < s->ncurves; k++) {
        int e = s->curves[k].edge->from, to = s->g->events[s->curves[k].edge->to].thread;
        if (e >= s->g->ninitial || s->home[e] >= 0 || to < 0) continue;
        int c = s->home[e] = s->column[to];
        s->boxes[e] = (struct svg_box){0, 4 + (BOX + 12) * above[c]++, event_width(&s->g->events[e]), BOX};
        most = above[c] > most ? above[c] : most;
    }
    return most > 0 ? most * (BOX + 12) + 14 : 4;
}

static void center_initial(struct svg *s) {
    for (int e = 0; e < s->g->ninitial; e++) {
        if (s->home[e] < 0) continue;
        const struct svg_box *f = &s->frames[s->home[e]];
        s->boxes[e].x = f->x + (f->w - s->boxes[e].w) / 2;
    }
}

static void place_column(struct svg *s, int c) {
    int t = s->threads[c], first = s->g->first[t];
    for (int e = first; e < s->g->first[t + 1]; e++) {
        double shift = s->g->events[e].agent ? ENGINE : 0;
        s->boxes[e] = (struct svg_box){s->frames[c].x + shift, s->top + HEAD + ROW * (e - first),
                                       s->frames[c].w - shift, BOX};
    }
}

static void place_events(struct svg *s) {
    const struct drawing *g = s->g;
    int n = s->t->nthreads, longest = 1;
    s->boxes = arena_array(s->arena, (size_t)g->nevents, sizeof *s->boxes);
    s->frames = arena_array(s->arena, (size_t)n, sizeof *s->frames);
    s->home = arena_array(s->arena, (size_t)g->ninitial, sizeof *s->home);
    for (int e = 0; e < g->ninitial; e++)
        s->home[e] = -1;
    s->top = place_initial(s);
    double x = MARGIN;
    for (int c = 0; c < n; c++) {
        if (c > 0) x += GAP;
        s->frames[c] = (struct svg_box){x, s->top, column_width(s, c), 0};
        x += s->frames[c].w;
        int events = g->first[s->threads[c] + 1] - g->first[s->threads[c]];
        longest = events > longest ? events : longest;
    }
    s->width = svg_at_least(s->width, x + MARGIN);
    s->height = s->top + HEAD + ROW * (longest - 1) + BOX + PAD + 4;
    for (int c = 0; c < n; c++) {
        s->frames[c].h = s->height - s->top - 4;
        place_column(s, c);
    }
    center_initial(s);
}

/* ---- labels ---- */

/* Returns the length of a label's next line: a long label is broken behind ";". */
static int line_length(const char *label) {
    int n = (int)strlen(label), best = n;
    if (n <= MAX_LABEL) return n;
    for (int k = 0; k + 2 < n; k++) {
        if (label[k] != ';') continue;
        if (k > MAX_LABEL && best < n) break;
        best = k + 2;
    }
    return best;
}

static int count_lines(const char *label, int *longest) {
    int lines = 0;
    *longest = 0;
    for (const char *at = label; *at; lines++) {
        int n = line_length(at);
        *longest = n > *longest ? n : *longest;
        at += n;
    }
    return lines;
}

static double overlap(const struct svg_box *x, const struct svg_box *y) {
    double w = fmin(x->x + x->w, y->x + y->w) - fmax(x->x, y->x);
    double h = fmin(x->y + x->h, y->y + y->h) - fmax(x->y, y->y);
    return w > 0 && h > 0 ? w * h : 0;
}

/* Returns how much of a curve a label would hide. */
static double covered(const struct svg_curve *c, const struct svg_box *label) {
    double sum = 0;
    for (int k = 0; k <= CURVE_POINTS; k++) {
        struct svg_point p = svg_point_at(c, k / (double)CURVE_POINTS);
        double x = p.x - label->x, y = p.y - label->y;
        sum += x >= 0 && x <= label->w && y >= 0 && y <= label->h ? CURVE_COST : 0;
    }
    return sum;
}

/* Returns how much of the drawing a label of a curve would hide. */
static double hidden_by(const struct svg *s, const struct svg_curve *own, const struct svg_box *label) {
    double sum = label->x < 0 || label->x + label->w > s->width ? 1e6 : 0;
    for (int k = 0; k < s->ncurves; k++)
        if (&s->curves[k] != own) sum += covered(&s->curves[k], label);
    for (int k = 0; k < s->nlabels; k++)
        sum += LABEL_COST * overlap(label, &s->labels[k]);
    for (int e = 0; e < s->g->nevents; e++)
        sum += LABEL_COST * overlap(label, &s->boxes[e]);
    return sum;
}

/* Puts a label where it hides least on its curve. */
static struct svg_box place_label(struct svg *s, const struct svg_curve *c) {
    static const double places[] = {0.5, 0.45, 0.55, 0.4, 0.6, 0.35, 0.65, 0.3, 0.7, 0.25, 0.75, 0.2, 0.8};
    int longest, lines = count_lines(c->edge->label, &longest);
    struct svg_box best = {0};
    double least = INFINITY;
    for (size_t k = 0; k < sizeof places / sizeof *places && least > 0; k++) {
        struct svg_point p = svg_point_at(c, places[k]);
        double w = LETTER * longest + 8, h = LINE * lines;
        struct svg_box here = {p.x - w / 2, p.y - h / 2, w, h};
        double hides = hidden_by(s, c, &here);
        if (hides >= least) continue;
        best = here;
        least = hides;
    }
    s->labels[s->nlabels++] = best;
    return best;
}

static const char *class_of(enum drawing_kind kind) {
    static const char *const names[] = {
        [DRAWING_PO] = "po",         [DRAWING_ISSUE] = "issue", [DRAWING_COMPLETION] = "issue",
        [DRAWING_BARRIER] = "issue", [DRAWING_RF] = "rf",       [DRAWING_ORDER] = "co",
        [DRAWING_FR] = "fr",         [DRAWING_REASON] = "why",
    };
    return names[kind];
}

static void put_label(struct svg *s, const struct svg_curve *c) {
    struct svg_box box = place_label(s, c);
    double y = box.y + LINE - 4;
    for (const char *at = c->edge->label; *at; y += LINE) {
        int n = line_length(at);
        fprintf(s->out, "<text class=\"%s\" x=\"%.0f\" y=\"%.0f\">", class_of(c->edge->kind),
                box.x + box.w / 2, y);
        foreign_html(arena_strndup(s->arena, at, (size_t)n), s->out);
        fputs("</text>", s->out);
        at += n;
    }
    fputc('\n', s->out);
}

/* ---- printing ---- */

static void put_curve(const struct svg *s, const struct svg_curve *c) {
    const struct svg_point *p = c->p;
    double dx = p[3].x - p[2].x, dy = p[3].y - p[2].y, length = svg_at_least(1, hypot(dx, dy));
    double x = dx / length, y = dy / length;
    fprintf(s->out,
            "<path class=\"%s\" d=\"M%.0f %.0fC%.0f %.0f %.0f %.0f %.1f %.1f\"/>"
            "<path class=\"%s tip\" d=\"M%.1f %.1fL%.1f %.1fL%.1f %.1fz\"/>\n",
            class_of(c->edge->kind), p[0].x, p[0].y, p[1].x, p[1].y, p[2].x, p[2].y, p[3].x - 6 * x,
            p[3].y - 6 * y, class_of(c->edge->kind), p[3].x, p[3].y, p[3].x - 9 * x - 4 * y,
            p[3].y - 9 * y + 4 * x, p[3].x - 9 * x + 4 * y, p[3].y - 9 * y - 4 * x);
}

static double middle_x(const struct svg_box *b) {
    return b->x + b->w / 2;
}

/* Draws program order straight down, under the events. If an engine runs beside a thread, it leads to the
 * next event. */
static void put_program_order(const struct svg *s) {
    for (int k = 0; k < s->g->nedges; k++) {
        const struct drawing_edge *e = &s->g->edges[k];
        const struct svg_box *x = &s->boxes[e->from], *y = &s->boxes[e->to];
        if (e->kind != DRAWING_PO || e->from < s->g->ninitial || !is_drawn(s->g, e)) continue;
        double at = fmax(x->x, y->x) + 14 > middle_x(x) ? middle_x(y) : x->x + 14;
        if (e->to == e->from + 1) at = middle_x(x);
        fprintf(s->out, "<path class=\"po\" d=\"M%.0f %.0fV%.0f\"/>", at, x->y + x->h, y->y - 5);
        fprintf(s->out, "<path class=\"po tip\" d=\"M%.0f %.0fl-4 -8h8z\"/>\n", at, y->y);
    }
}

/* Returns such as "GPU 1, cluster 0, block 2", with the parts that mean something. */
static void put_frame_name(const struct svg *s, const struct seat *seat) {
    const struct placement *p = s->cell->placement;
    if (seat->host) {
        fputs("CPU", s->out);
        return;
    }
    if (p->ngpus > 1) fprintf(s->out, "GPU %d, ", seat->gpu);
    if (p->nclusters > 1 && p->nclusters < p->nblocks) fprintf(s->out, "cluster %d, ", seat->cluster);
    fprintf(s->out, "block %d", seat->block);
}

static bool share_warp(const struct svg *s, int first, int end) {
    const struct seat *seats = s->cell->placement->seats;
    bool same = end > first + 1;
    for (int c = first + 1; c < end; c++)
        same = same && seats[s->threads[c]].warp == seats[s->threads[first]].warp;
    return same && !seats[s->threads[first]].host;
}

static void put_frames(const struct svg *s) {
    for (int c = 0, end; c < s->t->nthreads; c = end) {
        for (end = c + 1; end < s->t->nthreads && same_frame(s, c, end); end++)
            ;
        const struct svg_box *x = &s->frames[c], *y = &s->frames[end - 1];
        double w = y->x + y->w - x->x + 2 * PAD;
        if (s->blocks) {
            fprintf(s->out,
                    "<rect class=\"block\" x=\"%.0f\" y=\"%.0f\" width=\"%.0f\" height=\"%.0f\" rx=\"8\"/>"
                    "<text class=\"place\" x=\"%.0f\" y=\"%.0f\">",
                    x->x - PAD, x->y, w, x->h, x->x - PAD + w / 2, x->y + 15);
            put_frame_name(s, &s->cell->placement->seats[s->threads[c]]);
            fprintf(s->out, "%s</text>\n", share_warp(s, c, end) ? ", one warp" : "");
        }
    }
}

static void put_thread_names(const struct svg *s) {
    for (int c = 0; c < s->t->nthreads; c++) {
        fprintf(s->out, "<text class=\"thread\" x=\"%.0f\" y=\"%.0f\">", middle_x(&s->frames[c]),
                s->top + 34);
        foreign_html(s->t->threads[s->threads[c]].name, s->out);
        fputs("</text>", s->out);
    }
    fputc('\n', s->out);
}

static void put_event(const struct svg *s, int e) {
    const struct drawing_event *event = &s->g->events[e];
    const struct svg_box *b = &s->boxes[e];
    const char *more = event->thread < 0 ? " initial" : event->agent ? " engine" : "";
    if (b->w == 0) return;
    fprintf(s->out, "<rect class=\"event%s\" x=\"%.0f\" y=\"%.0f\" width=\"%.0f\" height=\"%.0f\" rx=\"4\"/>",
            more, b->x, b->y, b->w, b->h);
    fprintf(s->out, "<text class=\"what\" x=\"%.0f\" y=\"%.0f\">", middle_x(b),
            b->y + (*event->strength ? 16 : 23));
    foreign_html(event->what, s->out);
    fputs("</text>", s->out);
    if (*event->strength)
        fprintf(s->out, "<text class=\"how\" x=\"%.0f\" y=\"%.0f\">%s</text>", middle_x(b), b->y + 31,
                event->strength);
    fputc('\n', s->out);
}

static void put_drawing(struct svg *s, const char *label) {
    fprintf(
        s->out,
        "<svg class=\"drawing w%d\" width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" role=\"img\" "
        "aria-label=\"",
        (int)fmin(s->width / 100, 24), s->width, s->height, s->width, s->height);
    foreign_html(label, s->out);
    fputs("\">\n", s->out);
    put_frames(s);
    put_program_order(s);
    for (int k = 0; k < s->ncurves; k++)
        put_curve(s, &s->curves[k]);
    put_thread_names(s);
    for (int e = 0; e < s->g->nevents; e++)
        put_event(s, e);
    s->labels = arena_array(s->arena, (size_t)s->ncurves, sizeof *s->labels);
    /* reasons are last in the list, and choose their places first */
    for (int k = s->ncurves - 1; k >= 0; k--)
        put_label(s, &s->curves[k]);
    fputs("</svg>\n", s->out);
}

void svg_draw(const struct drawing *g, const struct test *t, const struct cell *cell, bool blocks,
              const char *label, FILE *out) {
    struct svg s = {.g = g, .t = t, .cell = cell, .arena = arena_open(), .out = out, .blocks = blocks};
    find_curves(&s);
    place_threads(&s);
    place_events(&s);
    svg_place_curves(&s);
    put_drawing(&s, label);
    arena_close(s.arena);
}
