/* The process behind an isolated backend, and what the two say to each other. Private to run/isolated. */
#ifndef CULITMUS_WORKER_H
#define CULITMUS_WORKER_H

#include "compile/wire.h"
#include "run/isolated.h"

/* The first number of a message. */
enum message_kind {
    MESSAGE_COUNTED, /* from it, first of all: how many devices, why none */
    MESSAGE_OPEN,    /* to it: a device's number; from it: fine?, diagnostics; if fine: what is known of it */
    MESSAGE_RUN,     /* to it: a cell, code, a request; from it: the following, and in the end DONE */
    MESSAGE_COSTS,   /* to it: how many fence costs, these, code; from it: DONE, with them as the result */
    MESSAGE_PROGRESS, /* runs, seconds; also a sign of life */
    MESSAGE_TRIED,    /* a trial */
    MESSAGE_DONE,     /* fine?, usable?, was it loaded?, diagnostics, the result */
};

/* Writes a cell, and the text of its test. The other process parses the text again. */
void worker_put_cell(struct wire *w, const struct test *t, const struct cell *cell);

/* Writes a request, without its functions, `stop` and `ctx`; of `tried` it says only whether there is one. */
void worker_put_request(struct wire *w, const struct run_request *req);
void worker_get_trial(struct wire *w, const struct parameter_range *ranges, struct parameter *environment,
                      struct trial *t);
void worker_get_result(struct wire *w, const struct parameter_range *ranges, struct run_result *res);

/* Serves the other process until that closes its end. `stop` is shared with it. */
void worker_serve(const struct driver *e, int fd, const atomic_int *stop);

#endif
