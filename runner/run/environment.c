#include "run/environment.h"
#include "base/random.h"
#include "run/backend.h"

#include <string.h>

const struct parameter_range *range_find(const struct parameter_range *ranges, const char *name) {
    while (ranges->name && strcmp(ranges->name, name) != 0)
        ranges++;
    return ranges->name ? ranges : NULL;
}

int range_low(const struct parameter_range *r) {
    int low = r->values[0];
    for (int i = 1; i < r->n; i++)
        if (r->values[i] < low) low = r->values[i];
    return low;
}

int range_high(const struct parameter_range *r) {
    int high = r->values[0];
    for (int i = 1; i < r->n; i++)
        if (r->values[i] > high) high = r->values[i];
    return high;
}

bool environment_same(const struct environment *a, const struct environment *b) {
    if (a->n != b->n) return false;
    for (int i = 0; i < a->n; i++)
        if (a->parameter[i].value != b->parameter[i].value ||
            strcmp(a->parameter[i].name, b->parameter[i].name) != 0)
            return false;
    return true;
}

struct environment environment_scheduled(const struct run_request *req, int index) {
    enum { KNOWN, VARIED, RANDOM, TURNS };
    struct environment choice = {0};
    int turn = index < req->nschedule ? KNOWN : index % TURNS;
    if (req->nschedule == 0 || turn == RANDOM) return choice;
    const struct environment *known =
        &req->schedule[index < req->nschedule ? index : index / TURNS % req->nschedule];
    uint64_t state = req->seed + (uint64_t)index;
    for (int i = 0; i < known->n; i++)
        if (turn == KNOWN || random_next(&state) % 4 != 0) choice.parameter[choice.n++] = known->parameter[i];
    return choice;
}
