/* How long a session will take: what is left is taken to be as slow as what was done. */
#ifndef CULITMUS_ESTIMATE_H
#define CULITMUS_ESTIMATE_H

struct estimate {
    int prepared, all; /* how many cells are prepared (judged, and built if they run), of all */
    int done, of; /* cells that ran, of those that will; where nothing runs, cells that were shown, of all */
    double preparing; /* seconds spent on preparing */
    double rest;      /* seconds spent on the rest */
};

/* Returns the seconds that are left; 0 if too little is known. */
double estimate_left(const struct estimate *e);

#endif
