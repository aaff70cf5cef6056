#include "run/isolated_device.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "compile/process.h"
#include "run/worker.h"

/* ---- the process ---- */

static struct process_kind kind_of(const struct driver *e) {
    return (struct process_kind){"device-process", e->name, .ends_with_thread = true};
}

int isolated_end_process(struct isolated_device *dev, bool kill_it) {
    int status = -1;
    if (dev->pid == 0) return status;
    close(dev->fd);
    if (kill_it) kill(dev->pid, SIGKILL);
    bool ended = process_reap(dev->pid, ISOLATED_GRACE, &status);
    if (!ended) kill(dev->pid, SIGKILL);
    ended = ended || process_reap(dev->pid, ISOLATED_GRACE, &status);
    dev->given_up = dev->given_up || !ended;
    dev->pid = 0;
    dev->ahead = NULL;
    wire_clear(&dev->sending);
    return status;
}

/* Leaves an error that says how the process ended while it did `during`. */
static void report_death(struct isolated_device *dev, const char *during, struct diag *d) {
    int status = isolated_end_process(dev, false);
    if (status == -1)
        diag_fail(d, "%s: the process that drives the device was lost", during);
    else if (WIFSIGNALED(status))
        diag_fail(d, "%s: the process that drives the device was ended by signal %d (%s)", during,
                  WTERMSIG(status), strsignal(WTERMSIG(status)));
    else
        diag_fail(d, "%s: the process that drives the device ended with exit code %d", during,
                  WEXITSTATUS(status));
}

/* Returns when to give up waiting: sooner if the process was asked to stop. */
static double give_up_at(double deadline) {
    double soon = clock_now() + ISOLATED_GRACE;
    return soon < deadline ? soon : deadline;
}

/* Leaves an error: the process was killed because it was silent. */
static void report_silence(const struct isolated_device *dev, const char *during, bool asked,
                           struct diag *d) {
    if (asked)
        diag_fail(d, "%s: the device did not stop when it was asked to: its process was ended", during);
    else
        diag_fail(d, "%s: nothing came back from the device for %g s: its process was ended", during,
                  dev->driver->patience);
}

bool isolated_await(struct isolated_device *dev, const atomic_int *stop, const char *during, struct wire *in,
                    struct diag *d) {
    double deadline = clock_now() + dev->driver->patience;
    bool asked = false;
    for (;;) {
        bool sending = wire_push(dev->fd, &dev->sending);
        struct pollfd p = {.fd = dev->fd, .events = (short)(sending ? POLLIN | POLLOUT : POLLIN)};
        if (stop && *stop && !asked) {
            asked = true;
            *dev->stop = 1;
            deadline = give_up_at(deadline);
        }
        bool heard = poll(&p, 1, 50) > 0 && (p.revents & ~POLLOUT);
        if (heard && wire_receive(dev->fd, in)) return true;
        if (heard) {
            report_death(dev, during, d);
            return false;
        }
        if (clock_now() < deadline) continue;
        isolated_end_process(dev, true);
        report_silence(dev, during, asked, d);
        return false;
    }
}

static void keep_description(struct isolated_device *dev, struct wire *in) {
    const char *text, **properties = NULL;
    size_t n = 0;
    dev->base.description = wire_get_text(in, dev->arena);
    dev->target = wire_get_text(in, dev->arena);
    dev->traits = arena_alloc(dev->arena, dev->driver->traits_size);
    wire_get(in, dev->traits, dev->driver->traits_size);
    do {
        text = wire_get_text(in, dev->arena);
        properties = arena_grow(dev->arena, properties, n, n + 1, sizeof *properties);
        properties[n++] = text;
    } while (text);
    dev->base.properties = properties;
}

/* Reads the answer to MESSAGE_OPEN. Its warnings are reported the first time only. */
static bool hear_opened(struct isolated_device *dev, struct wire *in, struct diag *d) {
    struct diag said = {0};
    wire_get_int(in);
    bool fine = wire_get_int(in) != 0, again = dev->base.description != NULL;
    wire_get_diag(in, fine && again ? &said : d);
    diag_free(&said);
    if (fine && !again) keep_description(dev, in);
    if (!fine) isolated_end_process(dev, false);
    return fine;
}

/* Limits the time that a message may take from its first byte to its last. */
static void bound_messages(const struct isolated_device *dev) {
    struct timeval most = {.tv_sec = (time_t)dev->driver->patience};
    setsockopt(dev->fd, SOL_SOCKET, SO_RCVTIMEO, &most, sizeof most);
    setsockopt(dev->fd, SOL_SOCKET, SO_SNDTIMEO, &most, sizeof most);
}

/* Starts the process and reads how many devices there are. Returns that number; 0 and an error if there are
 * none; -1 if the process could not be started. */
static int start_process(struct isolated_device *dev, const atomic_int *stop, struct diag *d) {
    struct wire in = {0};
    char during[32];
    int n = 0;
    const struct process_kind kind = kind_of(dev->driver);
    if (!process_start(&kind, dev->shared, &dev->pid, &dev->fd)) {
        diag_fail(d, "cannot start a process for the device: %s", strerror(errno));
        dev->pid = 0;
        return -1;
    }
    bound_messages(dev);
    snprintf(during, sizeof during, "the %s driver", dev->driver->name);
    if (isolated_await(dev, stop, during, &in, d)) {
        wire_get_int(&in);
        n = (int)wire_get_int(&in);
        const char *why = wire_get_text(&in, dev->arena);
        if (n <= 0) diag_fail(d, "%s", why);
    }
    wire_free(&in);
    return n;
}

enum opening isolated_start(struct isolated_device *dev, const atomic_int *stop, struct diag *d) {
    struct wire w = {0};
    char during[32];
    int n = start_process(dev, stop, d);
    if (n <= 0) return n < 0 ? OPENING_FAILED : OPENING_NO_DEVICE;
    snprintf(during, sizeof during, "device %d", dev->index);
    wire_put_int(&w, MESSAGE_OPEN);
    wire_put_int(&w, dev->index);
    wire_send(dev->fd, &w);
    bool fine = isolated_await(dev, stop, during, &w, d) && hear_opened(dev, &w, d);
    wire_free(&w);
    return fine ? OPENING_DONE : OPENING_FAILED;
}

static atomic_int *map_stop(int shared) {
    void *at = mmap(NULL, sizeof(atomic_int), PROT_READ | PROT_WRITE, MAP_SHARED, shared, 0);
    return at == MAP_FAILED ? NULL : at;
}

bool isolated_serve(const struct driver *e, int argc, char **argv) {
    int fd, shared;
    const struct process_kind kind = kind_of(e);
    if (e->serve_compiler && e->serve_compiler(argc, argv)) return true;
    if (!process_serves(argc, argv, &kind, &fd, &shared)) return false;
    const atomic_int *stop = map_stop(shared);
    close(shared);
    if (stop) worker_serve(e, fd, stop);
    return true;
}

/* ---- the device ---- */

void isolated_close(struct device *base) {
    struct isolated_device *dev = (struct isolated_device *)base;
    isolated_end_process(dev, false);
    wire_free(&dev->sending);
    if (dev->stop) munmap((void *)dev->stop, sizeof *dev->stop);
    if (dev->shared >= 0) close(dev->shared);
    arena_close(dev->arena);
    free(dev);
}

/* Makes a device without a process yet. Returns NULL and leaves an error when it cannot. */
static struct isolated_device *new_device(const struct driver *e, int index, struct diag *d) {
    struct isolated_device *dev = memory_new(1, sizeof *dev);
    *dev = (struct isolated_device){.driver = e, .index = index, .arena = arena_open()};
    dev->shared = memfd_create("culitmus-stop", MFD_CLOEXEC);
    if (dev->shared >= 0 && ftruncate(dev->shared, sizeof *dev->stop) == 0) dev->stop = map_stop(dev->shared);
    if (dev->stop) return dev;
    diag_fail(d, "cannot share memory with a process for the device: %s", strerror(errno));
    isolated_close(&dev->base);
    return NULL;
}

int isolated_count(const struct driver *e, struct arena *a, const char **why) {
    struct diag d = {0};
    struct isolated_device *dev = new_device(e, 0, &d);
    int n = dev ? start_process(dev, NULL, &d) : 0;
    if (n <= 0) *why = arena_strdup(a, diag_first_error(&d));
    if (dev) isolated_close(&dev->base);
    diag_free(&d);
    return n < 0 ? 0 : n;
}

enum opening isolated_open(const struct driver *e, int index, struct device **out, struct diag *d) {
    struct isolated_device *dev = new_device(e, index, d);
    enum opening opening = dev ? isolated_start(dev, NULL, d) : OPENING_FAILED;
    if (opening == OPENING_DONE)
        *out = &dev->base;
    else if (dev)
        isolated_close(&dev->base);
    return opening;
}

const char *isolated_cannot(const struct device *base, const struct test *t, const struct cell *cell,
                            const struct compiler_choice *c, struct arena *a) {
    const struct isolated_device *dev = (const struct isolated_device *)base;
    return dev->driver->cannot(dev->traits, t, cell, c, a);
}
