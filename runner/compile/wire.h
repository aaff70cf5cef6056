/* Messages between two processes of the same program. Every struct has the same layout in both. */
#ifndef CULITMUS_WIRE_H
#define CULITMUS_WIRE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/diag.h"

/* A message, which is written or read from its begin to its end. Start from {0} and end with wire_free. */
struct wire {
    char *data;
    size_t len, cap, at;
    bool bad; /* more was read than there is; all further reads give 0 */
};

void wire_free(struct wire *w);
void wire_clear(struct wire *w);

void wire_put(struct wire *w, const void *data, size_t size);
void wire_put_int(struct wire *w, long long value);
void wire_put_text(struct wire *w, const char *s);        /* NULL is read as NULL */
void wire_put_diag(struct wire *w, const struct diag *d); /* without its sources */

bool wire_get(struct wire *w, void *data, size_t size);
long long wire_get_int(struct wire *w);
const char *wire_get_text(struct wire *w, struct arena *a);
void wire_get_diag(struct wire *w, struct diag *d); /* adds to the messages that are there */
/* Returns `size` bytes within the message; NULL when there are fewer. */
const void *wire_get_bytes(struct wire *w, size_t size);

/* Sends or receives a whole message over a stream socket. Returns false when the other end is closed. */
bool wire_send(int fd, const struct wire *w);
bool wire_receive(int fd, struct wire *w);

/* Sends in parts: wire_put_message appends a message to what is to be sent; wire_push sends what goes without
 * waiting, and returns true when something is left; wire_push_all sends all that is left. */
void wire_put_message(struct wire *w, const struct wire *message);
bool wire_push(int fd, struct wire *w);
bool wire_push_all(int fd, struct wire *w);

#endif
