#include "model/budget.h"

#include "base/spare.h"

enum { CLOCK_EVERY = 5000 };

/* So many bytes are always there. */
enum { LITTLE = 4 << 20 };

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

static void halve_deadline(struct search_budget *b) {
    struct timespec now, *end = &b->deadline;
    if (!end->tv_sec) return;
    clock_gettime(CLOCK_MONOTONIC, &now);
    long long left = (end->tv_sec - now.tv_sec) * 1000000000ll + (end->tv_nsec - now.tv_nsec);
    long long half = now.tv_nsec + (left > 0 ? left / 2 : 0);
    end->tv_sec = now.tv_sec + (time_t)(half / 1000000000);
    end->tv_nsec = (long)(half % 1000000000);
}

struct search_budget budget_halve(struct search_budget *b) {
    struct search_budget whole = *b;
    b->left /= 2;
    halve_deadline(b);
    return whole;
}

void budget_restore(struct search_budget *b, const struct search_budget *whole) {
    b->left += whole->left - whole->left / 2;
    b->deadline = whole->deadline;
    if (b->spent && !(b->stop && *b->stop)) b->spent = NULL;
}

bool budget_pay(struct search_budget *b, long long work) {
    b->left -= work;
    if (!b->spent) b->spent = b->left < 0 ? "too many candidate executions" : look_up(b, work);
    return !b->spent;
}

bool budget_wait(struct search_budget *b, long long work) {
    if (!b->spent) b->spent = look_up(b, work);
    return !b->spent;
}

static const char *const no_room[] = {
    [SPARE_MACHINE] = "it needs more memory than the machine has left",
    [SPARE_ULIMIT] = "it needs more memory than 'ulimit' leaves",
    [SPARE_CGROUP] = "it needs more memory than the control group has left",
};

bool budget_has_room(struct search_budget *b, size_t bytes) {
    enum spare_limit limit;
    if (bytes > LITTLE && !b->spent && spare_memory(&limit) < bytes) b->spent = no_room[limit];
    return !b->spent;
}
