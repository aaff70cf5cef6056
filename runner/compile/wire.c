#include "compile/wire.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/memory.h"

static void reserve(struct wire *w, size_t cap) {
    if (cap <= w->cap) return;
    w->cap = cap > 2 * w->cap ? cap : 2 * w->cap;
    w->data = memory_resize(w->data, w->cap, 1);
}

void wire_free(struct wire *w) {
    free(w->data);
    *w = (struct wire){0};
}

void wire_clear(struct wire *w) {
    w->len = w->at = 0;
    w->bad = false;
}

void wire_put(struct wire *w, const void *data, size_t size) {
    if (size == 0) return;
    reserve(w, w->len + size);
    memcpy(w->data + w->len, data, size);
    w->len += size;
}

void wire_put_int(struct wire *w, long long value) {
    wire_put(w, &value, sizeof value);
}

void wire_put_text(struct wire *w, const char *s) {
    wire_put_int(w, s ? (long long)strlen(s) : -1);
    if (s) wire_put(w, s, strlen(s));
}

void wire_put_diag(struct wire *w, const struct diag *d) {
    wire_put_int(w, (long long)d->n);
    for (size_t i = 0; i < d->n; i++) {
        wire_put_int(w, d->messages[i].severity);
        wire_put_text(w, d->messages[i].text);
    }
}

const void *wire_get_bytes(struct wire *w, size_t size) {
    w->bad = w->bad || size > w->len - w->at;
    if (w->bad) return NULL;
    w->at += size;
    return w->data + w->at - size;
}

bool wire_get(struct wire *w, void *data, size_t size) {
    const void *from = wire_get_bytes(w, size);
    if (from && size)
        memcpy(data, from, size);
    else
        memset(data, 0, size);
    return from != NULL;
}

long long wire_get_int(struct wire *w) {
    long long value;
    wire_get(w, &value, sizeof value);
    return value;
}

const char *wire_get_text(struct wire *w, struct arena *a) {
    long long len = wire_get_int(w);
    const char *from = len >= 0 ? wire_get_bytes(w, (size_t)len) : NULL;
    return from ? arena_strndup(a, from, (size_t)len) : NULL;
}

void wire_get_diag(struct wire *w, struct diag *d) {
    struct arena *a = arena_open();
    long long n = wire_get_int(w);
    for (long long i = 0; i < n && !w->bad; i++) {
        enum severity severity = (enum severity)wire_get_int(w);
        const char *text = wire_get_text(w, a);
        if (!text) break;
        if (severity == DIAG_ERROR) diag_fail(d, "%s", text);
        if (severity == DIAG_WARNING) diag_warning(d, NULL, (struct pos){0}, "%s", text);
        if (severity == DIAG_NOTE) diag_note(d, NULL, (struct pos){0}, "%s", text);
    }
    arena_close(a);
}

static bool send_all(int fd, const void *data, size_t size) {
    for (const char *p = data; size > 0;) {
        ssize_t n = send(fd, p, size, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        p += n;
        size -= (size_t)n;
    }
    return true;
}

static bool receive_all(int fd, void *data, size_t size) {
    for (char *p = data; size > 0;) {
        ssize_t n = recv(fd, p, size, 0);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        p += n;
        size -= (size_t)n;
    }
    return true;
}

bool wire_send(int fd, const struct wire *w) {
    return send_all(fd, &w->len, sizeof w->len) && send_all(fd, w->data, w->len);
}

void wire_put_message(struct wire *w, const struct wire *message) {
    wire_put(w, &message->len, sizeof message->len);
    wire_put(w, message->data, message->len);
}

bool wire_push(int fd, struct wire *w) {
    while (w->at < w->len) {
        ssize_t n = send(fd, w->data + w->at, w->len - w->at, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return n < 0 && errno == EAGAIN;
        w->at += (size_t)n;
    }
    return false;
}

bool wire_push_all(int fd, struct wire *w) {
    size_t at = w->at;
    w->at = w->len;
    return send_all(fd, w->data + at, w->len - at);
}

bool wire_receive(int fd, struct wire *w) {
    size_t len;
    wire_clear(w);
    if (!receive_all(fd, &len, sizeof len)) return false;
    reserve(w, len);
    w->len = len;
    return receive_all(fd, w->data, len);
}
