/* The process behind an isolated backend, and the messages between it and the first process. Private to
 * isolated*.c. */
#ifndef CULITMUS_WORKER_H
#define CULITMUS_WORKER_H

#include "compile/wire.h"
#include "run/isolated.h"

/* The first number of a message. The first process sends OPEN, RUN and COSTS. */
enum message_kind {
    MESSAGE_COUNTED, /* from the process, before all else: the number of devices, and why there are none */
    /* to it: a device's number. From it: success, diagnostics, and then what is known of the device */
    MESSAGE_OPEN,
    /* to it: a cell, code and a request. From it: PROGRESS and TRIED messages, and at last DONE */
    MESSAGE_RUN,
    /* to it: a number of fence costs, the costs, and code. From it: DONE with the costs as its result */
    MESSAGE_COSTS,
    MESSAGE_PROGRESS, /* runs and seconds so far; also a sign of life */
    MESSAGE_TRIED,    /* a trial */
    /* success; whether the device is usable; whether the code was loaded; diagnostics; the result */
    MESSAGE_DONE,
};

/* Writes a cell and the text of its test. The other process parses that text. */
void worker_put_cell(struct wire *w, const struct test *t, const struct cell *cell);

/* Writes a request without its functions, `stop` and `ctx`. Of `tried` it says only whether there is one. */
void worker_put_request(struct wire *w, const struct run_request *req);
void worker_get_trial(struct wire *w, const struct parameter_range *ranges, struct parameter *environment,
                      struct trial *t);
void worker_get_result(struct wire *w, const struct parameter_range *ranges, struct run_result *res);

/* Serves the first process until that closes its end of the socket. *stop is shared with it. */
void worker_serve(const struct driver *e, int fd, const atomic_int *stop);

#endif
