#include "run/isolated.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/text.h"
#include "run/keeper.h"
#include "run/worker.h"

/* This side's device and kernel; those of the driver are behind the socket. */
struct isolated_device {
    struct device base;
    const struct driver *driver;
    int index;
    struct keeper keeper;
    pid_t pid; /* of the process that drives the device, 0: there is none */
    int fd;
    atomic_int *stop;        /* shared with the process */
    pthread_mutex_t talking; /* `cannot` may be asked by several threads */
    struct arena *arena;
    const char *target;
    int losses;       /* tests in a row in which the process was lost */
    const char *lost; /* the last of them */
    bool given_up;
};

struct isolated_kernel {
    struct isolated_device *dev;
    char *test, *name; /* the test's; the cell's, for messages */
    struct wire cell;  /* the begin of a request to run it */
};

/* ---- the process ---- */

/* Lets the process end, or kills it when it is to be or does not. Returns its status, -1: unknown. One whose device
 * hangs may not even die: it is left to the keeper, and the device is given up. */
static int end_process(struct isolated_device *dev, bool kill_it) {
    int status = -1;
    if (dev->pid == 0) return status;
    close(dev->fd);
    if (kill_it) kill(dev->pid, SIGKILL);
    bool ended = keeper_reap(&dev->keeper, dev->driver->patience, &status);
    if (!ended) kill(dev->pid, SIGKILL);
    dev->given_up = dev->given_up || !ended;
    dev->pid = 0;
    return status;
}

/* Says how the process ended that was asked for something. */
static void report_death(struct isolated_device *dev, const char *during, struct diag *d) {
    int status = end_process(dev, false);
    if (status == -1)
        diag_fail(d, "%s: the process that drives the device was lost", during);
    else if (WIFSIGNALED(status))
        diag_fail(d, "%s: the process that drives the device was ended by signal %d (%s)", during,
                  WTERMSIG(status), strsignal(WTERMSIG(status)));
    else
        diag_fail(d, "%s: the process that drives the device ended with exit code %d", during,
                  WEXITSTATUS(status));
}

/* The next message into `in`. Passes on a wish to stop meanwhile; kills the process when it is silent for too
 * long. False and an error when there will be no message. */
static bool await(struct isolated_device *dev, const atomic_int *stop, const char *during, struct wire *in,
                  struct diag *d) {
    double deadline = clock_now() + dev->driver->patience;
    struct pollfd p = {.fd = dev->fd, .events = POLLIN};
    for (;;) {
        if (stop && *stop) *dev->stop = 1;
        int n = poll(&p, 1, 50);
        if (n > 0 && wire_receive(dev->fd, in)) return true;
        if (n > 0) {
            report_death(dev, during, d);
            return false;
        }
        if (clock_now() < deadline) continue;
        end_process(dev, true);
        diag_fail(d, "%s: nothing came back from the device for %g s: its process was ended", during,
                  dev->driver->patience);
        return false;
    }
}

static void keep_description(struct isolated_device *dev, struct wire *in) {
    const char *text, **properties = NULL;
    size_t n = 0;
    dev->base.description = wire_get_text(in, dev->arena);
    dev->target = wire_get_text(in, dev->arena);
    do {
        text = wire_get_text(in, dev->arena);
        properties = arena_grow(dev->arena, properties, n, n + 1, sizeof *properties);
        properties[n++] = text;
    } while (text);
    dev->base.properties = properties;
}

/* What the process said of opening the device; warnings were heard the first time. */
static bool hear_opened(struct isolated_device *dev, struct wire *in, struct diag *d) {
    struct diag said = {0};
    wire_get_int(in);
    bool fine = wire_get_int(in) != 0, again = dev->base.description != NULL;
    wire_get_diag(in, fine && again ? &said : d);
    diag_free(&said);
    if (fine && !again) keep_description(dev, in);
    if (!fine) end_process(dev, false);
    return fine;
}

/* Starts the process, which opens the device. */
static bool start_process(struct isolated_device *dev, struct diag *d) {
    struct wire in = {0};
    char during[32];
    if (!keeper_start(&dev->keeper, &dev->pid, &dev->fd)) {
        diag_fail(d, "cannot start a process for the device: %s", strerror(errno));
        return false;
    }
    snprintf(during, sizeof during, "device %d", dev->index);
    bool fine = await(dev, NULL, during, &in, d) && hear_opened(dev, &in, d);
    wire_free(&in);
    return fine;
}

/* ---- the device ---- */

void isolated_close(struct device *base) {
    struct isolated_device *dev = (struct isolated_device *)base;
    end_process(dev, false);
    keeper_close(&dev->keeper);
    if (dev->stop) munmap((void *)dev->stop, sizeof *dev->stop);
    pthread_mutex_destroy(&dev->talking);
    arena_close(dev->arena);
    free(dev);
}

static void work(void *ctx, int fd) {
    const struct isolated_device *dev = ctx;
    worker_serve(dev->driver, dev->index, fd, dev->stop);
}

bool isolated_open(const struct driver *e, int index, struct device **out, struct diag *d) {
    struct isolated_device *dev = memory_new(1, sizeof *dev);
    *dev = (struct isolated_device){.driver = e, .index = index, .arena = arena_open()};
    pthread_mutex_init(&dev->talking, NULL);
    void *shared = mmap(NULL, sizeof *dev->stop, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        diag_fail(d, "cannot share memory with a process for the device: %s", strerror(errno));
    else
        dev->stop = shared;
    if (dev->stop && !keeper_open(&dev->keeper, work, dev))
        diag_fail(d, "cannot start a process for the device: %s", strerror(errno));
    if (!dev->keeper.pid || !start_process(dev, d)) {
        isolated_close(&dev->base);
        return false;
    }
    *out = &dev->base;
    return true;
}

/* Without a process nothing is known against a cell; running it will tell. */
const char *isolated_cannot(const struct device *base, const struct test *t, const struct cell *v,
                            struct arena *a) {
    struct isolated_device *dev = (struct isolated_device *)base;
    struct wire w = {0};
    struct diag ignored = {0};
    const char *why = NULL;
    pthread_mutex_lock(&dev->talking);
    if (dev->pid) {
        wire_put_int(&w, MESSAGE_CANNOT);
        worker_put_cell(&w, t, v);
        wire_send(dev->fd, &w);
        if (await(dev, NULL, t->name, &w, &ignored)) {
            wire_get_int(&w);
            why = wire_get_text(&w, a);
        }
    }
    pthread_mutex_unlock(&dev->talking);
    diag_free(&ignored);
    wire_free(&w);
    return why;
}

/* ---- a kernel ---- */

void isolated_discard(struct kernel *opaque) {
    struct isolated_kernel *k = (struct isolated_kernel *)opaque;
    wire_free(&k->cell);
    free(k->test);
    free(k->name);
    free(k);
}

/* "MP (device, volatile, none)" */
static char *name_cell(const struct test *t, const struct cell *v) {
    struct text name = {0};
    text_printf(&name, "%s (%s, %s, %s)", t->name, v->placement->name, access_name(v->access),
                v->fence->name);
    return name.s;
}

static struct kernel *new_kernel(struct isolated_device *dev, const struct test *t, const struct cell *v,
                                 const struct machine_code *code) {
    struct isolated_kernel *k = memory_new(1, sizeof *k);
    k->dev = dev;
    k->test = memory_check(strdup(t->name));
    k->name = name_cell(t, v);
    wire_put_int(&k->cell, MESSAGE_RUN);
    worker_put_cell(&k->cell, t, v);
    wire_put_int(&k->cell, (long long)code->size);
    wire_put(&k->cell, code->bytes, code->size);
    return (struct kernel *)k;
}

void isolated_build(struct device *base, struct build *cells, int n) {
    struct isolated_device *dev = (struct isolated_device *)base;
    struct machine_code *codes = memory_new((size_t)n, sizeof *codes);
    dev->driver->compile(dev->target, cells, n, codes);
    for (int k = 0; k < n; k++) {
        cells[k].kernel = codes[k].bytes ? new_kernel(dev, cells[k].t, cells[k].v, &codes[k]) : NULL;
        free(codes[k].bytes);
    }
    free(codes);
}

static void pass_on(struct isolated_device *dev, enum message_kind kind, struct wire *in,
                    const struct run_request *req) {
    if (kind == MESSAGE_PROGRESS && req->progress) {
        uint64_t runs = (uint64_t)wire_get_int(in);
        double seconds;
        wire_get(in, &seconds, sizeof seconds);
        req->progress(req->ctx, runs, seconds);
    }
    if (kind == MESSAGE_TRIED && req->tried) {
        struct parameter environment[ENV_MAX];
        struct trial trial;
        worker_get_trial(in, dev->driver->ranges, environment, &trial);
        req->tried(req->ctx, &trial);
    }
}

/* Takes what comes until the cell is done. False when the process is lost or says that its device is. */
static bool follow(struct isolated_kernel *k, const struct run_request *req, struct run_result *res,
                   bool *fine, struct diag *d) {
    struct isolated_device *dev = k->dev;
    struct wire in = {0};
    enum message_kind kind = MESSAGE_PROGRESS;
    bool usable = true;
    while (usable && kind != MESSAGE_DONE) {
        usable = await(dev, req->stop, k->name, &in, d);
        kind = (enum message_kind)wire_get_int(&in);
        if (usable) pass_on(dev, kind, &in, req);
    }
    if (usable) {
        *fine = wire_get_int(&in) != 0;
        usable = wire_get_int(&in) != 0;
        wire_get_diag(&in, d);
        if (!*fine) diag_note(d, NULL, (struct pos){0}, "in %s", k->name);
        worker_get_result(&in, dev->driver->ranges, res);
    }
    wire_free(&in);
    return usable;
}

/* There is a process that can run a cell. */
static bool prepare_process(struct isolated_kernel *k, struct diag *d) {
    struct isolated_device *dev = k->dev;
    if (!dev->given_up && dev->losses >= ISOLATED_MAX_LOSSES) {
        diag_fail(d, "%s was lost in %d tests in a row: it is given up", dev->base.description, dev->losses);
        dev->given_up = true;
        return false;
    }
    if (dev->given_up) {
        diag_fail(d, "%s: the device was given up", k->name);
        return false;
    }
    if (dev->pid == 0) dev->given_up = !start_process(dev, d);
    return !dev->given_up;
}

bool isolated_run(struct kernel *opaque, const struct run_request *req, struct run_result *res,
                  struct diag *d) {
    struct isolated_kernel *k = (struct isolated_kernel *)opaque;
    struct isolated_device *dev = k->dev;
    bool fine = false;
    if (!prepare_process(k, d)) return false;
    *dev->stop = req->stop && *req->stop;
    size_t len = k->cell.len;
    worker_put_request(&k->cell, req);
    wire_send(dev->fd, &k->cell);
    k->cell.len = len;
    if (follow(k, req, res, &fine, d)) {
        dev->losses = 0;
        dev->lost = NULL;
    } else {
        if (!dev->lost || strcmp(dev->lost, k->test) != 0) dev->losses++;
        dev->lost = arena_strdup(dev->arena, k->test);
        end_process(dev, true);
    }
    return fine;
}

/* ---- a question ---- */

int isolated_ask(int (*f)(struct arena *a, const char **text), struct arena *a, const char **text) {
    struct wire w = {0};
    int fd, answer = -1;
    pid_t pid = keeper_fork(&fd);
    if (pid < 0) return -1;
    if (pid == 0) {
        const char *said = NULL;
        wire_put_int(&w, f(a, &said));
        wire_put_text(&w, said);
        wire_send(fd, &w);
        _exit(0);
    }
    if (wire_receive(fd, &w)) {
        answer = (int)wire_get_int(&w);
        *text = wire_get_text(&w, a);
    }
    close(fd);
    waitpid(pid, NULL, 0);
    wire_free(&w);
    return answer;
}
