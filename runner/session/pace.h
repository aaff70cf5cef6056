/* How the seconds of a whole run are spread over its cells. Nobody knows how long it takes to build the cells that are left,
 * which run, and what the models say of them: they are taken to be as those before them. */
#ifndef CULITMUS_PACE_H
#define CULITMUS_PACE_H

struct pace {
    double end;        /* when the run is to be over, by clock_now(); 0: each cell has a time of its own */
    double busy_until; /* when what runs now is to be over */
    double preparing;  /* seconds spent on judging and building so far */
    int prepared, all; /* cells */
    double weight;     /* of the runs that are prepared and have no seconds yet, */
    double weighed;    /* and of all that were prepared so far */
};

/* Cells were prepared, in so many seconds, and their runs have this weight together. */
void pace_prepared(struct pace *p, int cells, double seconds, double weight);
/* The seconds of a prepared run of this weight, which begins after the one that runs now. At least a millisecond. */
double pace_take(struct pace *p, double now, double weight);
/* A run of so many seconds begins. */
void pace_begin(struct pace *p, double now, double seconds);

#endif
