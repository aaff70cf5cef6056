#include "session/pace.h"

static const double least = 0.001;

void pace_prepared(struct pace *p, int cells, double seconds, double weight) {
    p->prepared += cells;
    p->preparing += seconds;
    p->weight += weight;
    p->weighed += weight;
}

double pace_take(struct pace *p, double now, double weight) {
    double later = p->prepared ? (double)(p->all - p->prepared) / p->prepared : 0;
    double begin = now > p->busy_until ? now : p->busy_until;
    double left = p->end - begin - p->preparing * later, of = p->weight + p->weighed * later;
    double seconds = of > 0 ? left * weight / of : left;
    p->weight -= weight;
    return seconds > least ? seconds : least;
}

void pace_begin(struct pace *p, double now, double seconds) {
    p->busy_until = now + seconds;
}
