/* The kinds of machine that tests run on. */
#ifndef CULITMUS_RUN_MACHINE_H
#define CULITMUS_RUN_MACHINE_H

#include <stdbool.h>

enum machine {
    MACHINE_NONE, /* nothing ran; a model only judged the cell */
    MACHINE_GPU,
    MACHINE_CPU,
};

const char *machine_name(enum machine m); /* "model", "GPU", "CPU" */

/* Finds the kind of machine that a backend runs tests on; for "model" it is MACHINE_NONE. Returns false when
 * there is no such backend. */
bool machine_of(const char *backend, enum machine *out);

#endif
