#include "model/budget.h"

#include "base/spare.h"

enum { CLOCK_EVERY = 5000 };

/* Who takes less is not watched. */
enum { WATCHED_BYTES = 32 << 20 };

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

static const char *const no_room[] = {
    [SPARE_MACHINE] = "it needs more memory than the machine has left",
    [SPARE_ULIMIT] = "it needs more memory than 'ulimit' leaves",
    [SPARE_CGROUP] = "it needs more memory than the control group has left",
};

bool budget_has_room(struct search_budget *b, size_t bytes) {
    enum spare_limit limit;
    if (bytes < WATCHED_BYTES || bytes - bytes / 4 < b->watched || b->spent) return !b->spent;
    b->watched = bytes;
    if (spare_memory(&limit) < bytes) b->spent = no_room[limit];
    return !b->spent;
}
