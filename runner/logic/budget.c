#include "logic/budget.h"

#include <limits.h>
#include <math.h>

#include "base/clock.h"
#include "base/spare.h"

/* The work that may be done without a time limit: some five seconds, so that the clock (MODEL_SECONDS) rarely ends a
 * search first. A search that looks as if it needed a billion years is given up at once; that estimate is rough, and this
 * number leaves room for it. */
static const long long built_in_work = 25 * 1000 * 1000;
static const double hopeless_work = 1e24;

/* How much of this may be spent on counting executions that give no new outcome. */
static const long long counting_work = 20 * 1000;

enum { CLOCK_EVERY = 5000 };

/* So many bytes are always there. */
enum { LITTLE = 4 << 20 };

struct search_budget budget_open(const struct model_limits *limits) {
    struct model_limits l = model_limits_begin(limits);
    bool clock = l.seconds > 0;
    return (struct search_budget){.left = l.candidates > 0 ? l.candidates
                                          : clock          ? LLONG_MAX
                                                           : built_in_work,
                                  .hopeless = clock ? INFINITY : hopeless_work,
                                  .counting = l.counting ? l.counting : counting_work,
                                  .lenient = l.lenient,
                                  .stop = l.stop,
                                  .deadline = l.until,
                                  .processor = !clock};
}

/* Seconds on the clock by which the deadline is set. */
static double now(const struct search_budget *b) {
    return b->processor ? clock_processor() : clock_now();
}

/* Why a search must end although there is work left: it was stopped, or the time is over. Looks now and then
 * only. NULL: it may go on. */
static const char *look_up(struct search_budget *b, long long work) {
    b->unclocked += work;
    if (b->unclocked < CLOCK_EVERY) return NULL;
    b->unclocked = 0;
    if (b->stop && *b->stop) return "interrupted";
    return b->deadline > 0 && now(b) > b->deadline ? "timeout" : NULL;
}

struct search_budget budget_halve(struct search_budget *b) {
    struct search_budget whole = *b;
    b->left /= 2;
    if (b->deadline > 0) {
        double begin = now(b), left = b->deadline - begin;
        b->deadline = begin + (left > 0 ? left / 2 : 0);
    }
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
