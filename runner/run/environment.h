/* Environments: what may be varied without changing the test. An environment moves the rates of weak outcomes by
 * orders of magnitude, and never a verdict. docs/gpu-backend.md says what each parameter is worth. */
#ifndef CULITMUS_ENVIRONMENT_H
#define CULITMUS_ENVIRONMENT_H

#include <stdbool.h>

struct run_request;

enum { ENV_MAX = 32 };
struct parameter {
    const char *name; /* static text */
    long long value;
};

/* A parameter of a backend, and the values that it may have. A value that is worth more stands there more often. */
enum { RANGE_MAX = 16 };
struct parameter_range {
    const char *name, *text;
    int values[RANGE_MAX], n;
};

/* An environment. Parameters that it does not name are left to chance. */
struct environment {
    struct parameter parameter[ENV_MAX];
    int n;
};

/* NULL when no parameter has the name. `ranges` ends with {0}. */
const struct parameter_range *range_find(const struct parameter_range *ranges, const char *name);
int range_low(const struct parameter_range *r);
int range_high(const struct parameter_range *r);

/* The same parameters with the same values, in the same order. */
bool environment_same(const struct environment *a, const struct environment *b);

/* The parameters that are fixed in environment number `index` of a run; chance chooses the others. The environments of
 * the request's schedule come first. After these, three kinds take turns: those of the schedule, the same with about a
 * quarter of their parameters left to chance, and wholly random ones. So a long run spends a share of its time on what
 * is known to be good, and looks for better near to it and elsewhere. */
struct environment environment_scheduled(const struct run_request *req, int index);

#endif
