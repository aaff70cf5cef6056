/* Spreads the seconds of a whole run over its cells. It is not known how long building the remaining cells
 * will take, how many of them run, or what the models will say of them; they are assumed to be like the cells
 * before them. */
#ifndef CULITMUS_PACE_H
#define CULITMUS_PACE_H

struct pace {
    double end;        /* when the run must be over, by clock_now(); 0: each cell has seconds of its own */
    double busy_until; /* when the current run of a cell will be over */
    double preparing;  /* seconds spent on judging and building so far */
    int prepared, all; /* cells that are prepared, and all cells */
    double weight;     /* the weights of the prepared runs that have no seconds yet */
    double weighed;    /* the weights of all prepared runs */
};

/* Reports that so many cells were prepared in so many seconds, and the sum of the weights of their runs. */
void pace_prepared(struct pace *p, int cells, double seconds, double weight);
/* Returns the seconds for a prepared run of this weight, which begins after the current one. At least a
 * millisecond. */
double pace_take(struct pace *p, double now, double weight);
/* Reports that a run of so many seconds begins. */
void pace_begin(struct pace *p, double now, double seconds);

#endif
