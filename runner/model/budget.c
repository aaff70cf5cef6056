#include "model/budget.h"

#include <stddef.h>

enum { CLOCK_EVERY = 5000 };

static bool is_late(const struct search_budget *b) {
    struct timespec now;
    if (!b->deadline.tv_sec) return false;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec > b->deadline.tv_sec ||
           (now.tv_sec == b->deadline.tv_sec && now.tv_nsec > b->deadline.tv_nsec);
}

/* What other than work ends a search; looked at now and then. NULL: nothing does. */
static const char *look_up(struct search_budget *b, long long work) {
    b->unclocked += work;
    if (b->unclocked < CLOCK_EVERY) return NULL;
    b->unclocked = 0;
    if (b->stop && *b->stop) return "interrupted";
    return is_late(b) ? "timeout" : NULL;
}

bool budget_pay(struct search_budget *b, long long work) {
    b->left -= work;
    if (!b->spent) b->spent = b->left < 0 ? "too many candidate executions" : look_up(b, work);
    return !b->spent;
}
