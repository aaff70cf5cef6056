/* How long a session will go on: what is left takes as long as what was done. */
#ifndef CULITMUS_ESTIMATE_H
#define CULITMUS_ESTIMATE_H

struct estimate {
    int prepared, all; /* cells that are prepared (judged, perhaps built), of all */
    int done, of; /* cells that ran, of those that will; where nothing runs, cells that were shown, of all */
    double preparing; /* seconds spent on the first */
    double rest;      /* seconds spent on the second */
};

/* Seconds; 0 where too little is known. */
double estimate_left(const struct estimate *e);

#endif
