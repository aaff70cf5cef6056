/* Environments: what may be varied without changing the test. An environment moves the rates of weak outcomes
 * by orders of magnitude, and never a verdict. docs/gpu-backend.md says what each parameter is worth. */
#ifndef CULITMUS_ENVIRONMENT_H
#define CULITMUS_ENVIRONMENT_H

#include <stdbool.h>

struct run_request;

enum { ENV_MAX = 32 };
struct parameter {
    const char *name; /* static text */
    long long value;
};

/* A parameter of a backend and the values that chance draws from. A value that pays more is listed more
 * often. */
enum { RANGE_MAX = 16 };
struct parameter_range {
    const char *name, *text;
    int values[RANGE_MAX], n;
};

/* The values of some parameters. Parameters that it does not name are left to chance. */
struct environment {
    struct parameter parameter[ENV_MAX];
    int n;
};

/* Finds a parameter by name; NULL when there is none. `ranges` ends with {0}. */
const struct parameter_range *range_find(const struct parameter_range *ranges, const char *name);
int range_low(const struct parameter_range *r);
int range_high(const struct parameter_range *r);

/* Whether both have the same parameters with the same values, in the same order. */
bool environment_same(const struct environment *a, const struct environment *b);

/* Returns the parameters that are fixed in environment number `index` of a run; chance chooses the others.
 * The first environments are those of the request's schedule. Then three kinds take turns: one of the
 * schedule, one of the schedule with about a quarter of its parameters left to chance, and a wholly random
 * one. So a long run keeps using what is known to be good, and still looks for better. */
struct environment environment_scheduled(const struct run_request *req, int index);

#endif
