#include "session/estimate.h"

double estimate_left(const struct estimate *e) {
    if (e->done == 0 || e->prepared == 0 || e->preparing + e->rest < 1) return 0;
    return e->preparing / e->prepared * (e->all - e->prepared) + e->rest / e->done * (e->of - e->done);
}
